"""Algorithm 1 on the reduced problem, against its printed d × d form, step by step."""

import itertools

import numpy as np
import pytest

from cspca.problem import Problem, ReducedData
from cspca.solvers import ADMM, STARTS, Reweighted
from tests.benchmarks import printed_algorithm
from tests.oracles import direct, problems
from tests.solvers.running import problem_of, take, until

EVERY = pytest.mark.parametrize("name", problems.ARRAYS)
LARGE_ENOUGH_TO_STALL = np.random.default_rng(0).random((20, 60))
PENALTIES = pytest.mark.parametrize("fractions", problems.PENALTIES)


@EVERY
@PENALTIES
def test_every_iterate_is_the_printed_one(name, fractions):
    problem = problem_of(problems.ARRAYS[name], *fractions)
    A = problem.data.A
    printed = printed_algorithm.iterate(A, problem.alpha, problem.beta, smoothing=1e-3)
    ours = Reweighted(smoothing=1e-3).iterate(problem)
    for W, iterate in itertools.islice(zip(printed, ours, strict=False), 15):
        assert iterate.objective == pytest.approx(
            direct.objective(A, W, problem.alpha, problem.beta), rel=1e-6
        )
        assert iterate.smoothed_objective == pytest.approx(
            direct.smoothed_objective(A, W, problem.alpha, problem.beta, 1e-3), rel=1e-6
        )
        np.testing.assert_allclose(iterate.Z @ problem.data.U.T, W, atol=1e-5)


@pytest.mark.parametrize("start", [*(name for name in STARTS if name != "random"), "any matrix"])
@pytest.mark.parametrize("name", ["fewer images than pixels", "more images than pixels"])
def test_starts_are_the_papers_or_any_matrix(name, start):
    """A full one is not of the form Z Uᵀ: projecting it would freeze directions that it loses."""
    problem = problem_of(problems.ARRAYS[name])
    A, U = problem.data.A, problem.data.U
    if start == "any matrix":
        W = start = np.random.default_rng(1).standard_normal((A.shape[1], A.shape[1]))
    else:
        kind, value = start.split("-")
        W = float(value) * (np.eye(len(U)) if kind == "diagonal" else np.ones((len(U), len(U))))
    printed = printed_algorithm.iterate(A, problem.alpha, problem.beta, W=W, smoothing=1e-3)
    ours = Reweighted(smoothing=1e-3).iterate(problem, start=start)
    for expected, iterate in itertools.islice(zip(printed, ours, strict=False), 5):
        np.testing.assert_allclose(iterate.Z @ U.T, expected, atol=1e-6)
        value = direct.objective(A, expected, problem.alpha, problem.beta)
        assert iterate.objective == pytest.approx(value, rel=1e-6)


@EVERY
@pytest.mark.parametrize("start", STARTS)
def test_the_smoothed_objective_never_rises(name, start):
    problem = problem_of(problems.ARRAYS[name])
    values = [
        iterate.smoothed_objective
        for iterate in take(Reweighted(random_state=0).iterate(problem, start=start), 40)
    ]
    assert np.all(np.isfinite(values))
    assert np.all(np.diff(values) <= 1e-10 * values[0])


def test_continuation_of_epsilon_comes_near_the_optimum_where_a_fixed_one_stalls():
    """ANCHORS: ε from 1 down to 1e-6 over 1,000 steps ends 3e-6 above the optimum on 20 × 60."""
    problem = problem_of(LARGE_ENOUGH_TO_STALL, 0.05, 0.01)
    optimum = until(ADMM().iterate(problem), 1e-7).dual_bound
    stalled = take(Reweighted(smoothing=1e-4).iterate(problem), 1000)[-1].best_objective
    continued = take(Reweighted(smoothing=(1.0, 1e-6, 1000)).iterate(problem), 1000)[-1]
    assert continued.best_objective <= optimum * (1 + 1e-5)
    assert stalled > continued.best_objective
    assert stalled > optimum * (1 + 5e-4)


def test_the_random_start_is_full():
    """A start of rank r < d would stall an order of magnitude higher than the paper's."""
    problem = problem_of(LARGE_ENOUGH_TO_STALL, 0.3, 0.1)
    d = problem.data.shape[1]
    W = np.random.default_rng(2).standard_normal((d, d)) / np.sqrt(d)
    A, *penalties = problem.data.A, problem.alpha, problem.beta
    printed = printed_algorithm.iterate(A, *penalties, W=W)
    expected = direct.objective(A, next(itertools.islice(printed, 29, None)), *penalties)
    ours = take(Reweighted(random_state=0).iterate(problem, start="random"), 30)[-1]
    assert ours.best_objective == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    "start", ["warm", np.eye(4), np.full((9, 9), np.nan)], ids=["name", "shape", "nan"]
)
def test_bad_starts_are_refused(start):
    problem = problem_of(problems.ARRAYS["fewer images than pixels"])
    with pytest.raises(ValueError, match="init"):
        next(Reweighted().iterate(problem, start=start))


@pytest.mark.parametrize("smoothing", [0.0, -1.0, np.nan, (1.0, 0.0, 10), (1.0, 1e-6)])
def test_bad_smoothing_is_refused(smoothing):
    with pytest.raises(ValueError, match="smoothing"):
        Reweighted(smoothing=smoothing)


@pytest.mark.real_data
def test_orl_after_twenty_iterations(real_pixels):
    problem = Problem(ReducedData(real_pixels("ORL")), 10.0, 10.0)
    last = take(Reweighted(check_every=20).iterate(problem), 20)[-1]
    assert last.objective == pytest.approx(1654.13, abs=0.01)


def test_a_system_that_is_singular_says_what_to_do():
    A = np.random.default_rng(3).standard_normal((10, 6))[:3]
    problem = problem_of(A - A.mean(axis=0), 1e-12, 1e-12)
    with pytest.raises(ValueError, match=r"raise alpha, beta or smoothing"):
        take(Reweighted().iterate(problem), 100)
