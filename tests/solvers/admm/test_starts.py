"""The diagonal guess: against a general minimiser, and for what the solver takes from it."""

import numpy as np
import pytest
from scipy.optimize import minimize

from cspca.solvers import ADMM
from cspca.solvers.admm.starts import diagonal_guess
from tests.oracles import direct, problems
from tests.solvers.running import problem_of, take, until

EVERY = pytest.mark.parametrize("name", problems.ARRAYS)


@EVERY
@pytest.mark.parametrize("fractions", [(0.1, 0.05), (0.02, 0.2)])
def test_no_other_diagonal_map_is_much_better(name, fractions):
    problem = problem_of(problems.ARRAYS[name], *fractions)
    data = problem.data

    def value(factors):
        W = (data.U * factors) @ data.U.T
        return direct.objective(data.A, W, problem.alpha, problem.beta)

    guess = diagonal_guess(problem)
    assert guess.objective == pytest.approx(value(guess.factors), rel=1e-9)
    starts = [guess.factors, np.full(data.rank, 0.5), np.zeros(data.rank)]
    best = min(minimize(value, start, method="Powell").fun for start in starts)
    assert guess.objective <= best * 1.03


def test_it_finds_the_identity_and_zero():
    A = problems.ARRAYS["more images than pixels"]
    assert diagonal_guess(problem_of(A, 1e-6, 1e-6)).factors == pytest.approx(1.0, abs=1e-2)
    assert not diagonal_guess(problem_of(A, 2.0, 2.0)).factors.any()


@EVERY
def test_a_fit_that_is_stopped_at_once_shows_the_guess(name):
    problem = problem_of(problems.ARRAYS[name])
    first = take(ADMM().iterate(problem), 1)[0]
    assert first.best_objective <= diagonal_guess(problem).objective
    value = direct.objective(
        problem.data.A, first.Z @ problem.data.U.T, problem.alpha, problem.beta
    )
    assert first.best_objective == pytest.approx(value, rel=1e-6)


def test_a_cold_fit_is_certified_within_a_dozen_iterations():
    rng = np.random.default_rng(0)
    A = rng.random((60, 8)) @ rng.random((8, 90)) + 0.2 * rng.random((60, 90))
    for fractions in [(0.1, 0.02), (0.02, 0.1), (0.05, 0.05), (0.6, 0.1)]:
        problem = problem_of(A - A.mean(axis=0), *fractions)
        assert until(ADMM(target=1e-3).iterate(problem), 1e-3).number <= 16
