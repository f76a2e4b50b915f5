"""ADMM on few columns: the same optimum, proven for all of them."""

import copy

import numpy as np
import pytest

from cspca.datasets import make_faces
from cspca.problem import Problem, ReducedData
from cspca.solvers import ADMM
from cspca.solvers.admm_state import ADMMState
from cspca.solvers.diagonal import diagonal_guess
from cspca.solvers.narrow import NarrowState
from cspca.solvers.narrow_starts import narrow_cold, narrow_warm


@pytest.fixture(scope="module")
def faces() -> ReducedData:
    A = make_faces(n_people=12, n_per_person=10, image_size=20).data.astype(np.float64)
    return ReducedData(A - A.mean(axis=0))


def problem_of(data: ReducedData, alpha: float, beta: float) -> Problem:
    return Problem(data, alpha * data.alpha_max, beta * data.beta_max)


def solved(problem: Problem, target: float, start=None, limit: int = 400):
    for iterate in ADMM(target=target, limit=limit).iterate(problem, start):
        if iterate.gap <= target:
            return iterate
    raise AssertionError(f"a gap of {iterate.gap:.1e} after {iterate.number} iterations")


@pytest.mark.parametrize("penalties", [(0.1, 0.05), (0.003, 0.3), (0.3, 0.1), (0.03, 0.03)])
def test_few_columns_certify_the_whole_problem(faces, penalties) -> None:
    problem = problem_of(faces, *penalties)
    optimum = solved(problem, 1e-6)
    iterate = solved(problem, 1e-3)
    state = iterate.state
    assert isinstance(state, NarrowState)
    assert state.V.shape[1] < faces.rank / 2
    assert iterate.dual_bound <= optimum.best_objective * (1 + 1e-9)
    assert iterate.best_objective >= optimum.dual_bound * (1 - 1e-9)
    Z = iterate.Z.astype(np.float64)
    assert problem.objective(Z) == pytest.approx(iterate.best_objective, rel=1e-6)
    # The bound is that of the plain certificate from the very multipliers, or better.
    L = state._multipliers()
    assert np.linalg.norm(L, axis=1).max() <= 1 + 1e-6
    np.testing.assert_allclose(state.V.T @ state.V, np.eye(state.V.shape[1]), atol=1e-12)


def test_every_bound_on_the_way_is_one(faces) -> None:
    problem = problem_of(faces, 0.1, 0.05)
    optimum = solved(problem, 1e-6).best_objective
    state = narrow_cold(problem, diagonal_guess(problem))
    assert state is not None
    for number in range(1, 13):
        state.step(1.6)
        objective = state.check(0.0)
        assert state.dual_bound <= optimum * (1 + 1e-9), number
        assert objective >= optimum * (1 - 1e-6), number
    assert state.gap < 1e-2


def test_a_smaller_gap_goes_on_with_all_columns(faces) -> None:
    problem = problem_of(faces, 0.1, 0.05)
    coarse = solved(problem, 1e-3)
    assert isinstance(coarse.state, NarrowState)
    before = coarse.best_objective
    fine = solved(problem, 1e-6, coarse.state)
    assert isinstance(fine.state, ADMMState)
    assert fine.number > coarse.number
    assert fine.best_objective <= before
    assert fine.seconds > coarse.seconds


def test_unfolding_moves_nothing(faces) -> None:
    problem = problem_of(faces, 0.1, 0.05)
    state = solved(problem, 1e-3).state
    whole = state.unfold()
    np.testing.assert_allclose(whole.P, state.coefficients(), atol=1e-6)
    assert whole.best_objective == state.best_objective
    assert whole.dual_bound == state.dual_bound
    assert whole.rank == state.rank
    for ours, theirs in zip(whole.entries(), state.entries(), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=2e-2 * max(1.0, np.abs(theirs).max()))


def test_two_runs_from_one_state_agree(faces) -> None:
    problem = problem_of(faces, 0.1, 0.05)
    steps = ADMM(target=1e-3).iterate(problem)
    state = [next(steps) for _ in range(3)][-1].state
    copies = copy.copy(state), copy.copy(state)
    found = [solved(problem, 1e-3, start) for start in copies]
    assert found[0].best_objective == found[1].best_objective
    assert found[0].number == found[1].number
    assert state.number == 3


def test_many_directions_or_absent_penalties_take_all_columns(faces) -> None:
    many, no_rows = problem_of(faces, 0.001, 0.001), problem_of(faces, 0.0, 0.1)
    no_trace = problem_of(faces, 0.1, 0.0)
    for problem in (many, no_rows, no_trace):
        assert narrow_cold(problem, diagonal_guess(problem)) is None
    assert isinstance(next(ADMM(target=1e-3).iterate(many)).state, ADMMState)


def test_the_limit_is_checked(faces) -> None:
    problem = problem_of(faces, 0.1, 0.05)
    steps = ADMM(target=1e-3, limit=3).iterate(problem)
    last = [next(steps) for _ in range(3)][-1]
    assert np.isfinite(last.objective)
    assert 0.0 < last.dual_bound < last.best_objective


@pytest.mark.parametrize("factors", [(1.25, 1.0), (0.8, 1.0), (1.0, 1.25), (1.0, 0.8)])
def test_a_step_of_a_slider_begins_where_the_last_fit_ended(faces, factors) -> None:
    old = solved(problem_of(faces, 0.1, 0.05), 1e-3).state
    problem = problem_of(faces, 0.1 * factors[0], 0.05 * factors[1])
    optimum = solved(problem, 1e-6).best_objective
    state = narrow_warm(problem, old)
    assert state is not None
    # Nearer than the old map, and than the diagonal one.
    assert state.best_objective < problem.objective(old.coefficients())
    assert state.best_objective < diagonal_guess(problem).objective
    assert state.best_objective == pytest.approx(optimum, rel=2e-3)
    warm, cold = solved(problem, 1e-3, old), solved(problem, 1e-3)
    assert warm.number < cold.number
    assert warm.dual_bound <= optimum * (1 + 1e-9)


def test_a_far_step_begins_cold(faces) -> None:
    old = solved(problem_of(faces, 0.1, 0.05), 1e-3).state
    far = problem_of(faces, 0.2, 0.05)
    assert narrow_warm(far, old) is None
    repeated, cold = solved(far, 1e-3, old), solved(far, 1e-3)
    assert repeated.best_objective == cold.best_objective
    assert repeated.number == cold.number
