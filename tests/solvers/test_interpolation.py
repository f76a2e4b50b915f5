"""Interpolation: the same optimum as the general solver, or no answer."""

import numpy as np
import pytest

from cspca.preprocessing import reduce_data
from cspca.problem import Problem
from cspca.solvers import ADMM, interpolation
from cspca.solvers.admm.starts import diagonal_guess
from cspca.solvers.interpolation import polar_factor
from tests.oracles import conic, direct


@pytest.fixture(scope="module")
def data(small_faces):
    return reduce_data(small_faces.data.astype(np.float64))


def interpolate(problem, target, limit):
    return interpolation.interpolate(problem, diagonal_guess(problem), target, limit)


def accurate(problem, tol=1e-5):
    for iterate in ADMM(target=tol, limit=3000).iterate(problem):
        if iterate.gap <= tol:
            break
    assert iterate.gap <= tol
    return iterate


def check(problem, solution, tol, slack=1e-9):
    """Objective and bound are those of the problem, on both sides of its optimum."""
    reference = accurate(problem)
    assert solution.objective == pytest.approx(problem.objective(solution.Z), rel=1e-12)
    assert solution.objective >= reference.dual_bound * (1 - slack)
    assert solution.dual_bound <= reference.best_objective * (1 + slack)
    assert solution.objective - solution.dual_bound <= tol * solution.objective


@pytest.mark.parametrize(("alpha", "beta"), [(0.01, 0.0), (0.01, 1e-4), (0.01, 0.01), (2e-4, 0.01)])
@pytest.mark.parametrize("tol", [1e-3, 1e-5])
def test_reproduced_images_are_solved_as_a_constraint(data, alpha, beta, tol):
    problem = Problem(data, alpha, beta)
    solution, count = interpolate(problem, tol, 400)
    assert solution is not None
    assert count <= 400
    check(problem, solution, tol)
    assert data.residual_norms(solution.Z).max() < 1e-9


def test_a_trace_norm_alone_has_a_closed_form(data):
    solution, count = interpolate(Problem(data, 0.0, 0.01), 1e-9, 10)
    assert count == 0
    assert solution.objective == pytest.approx(0.01 * data.rank, rel=1e-10)
    assert np.allclose(solution.Z, data.U)
    # To second order in α/β it has one with rows as well.
    solution, count = interpolate(Problem(data, 1e-5, 0.01), 1e-5, 10)
    assert count == 0
    check(Problem(data, 1e-5, 0.01), solution, 1e-5)


def test_interpolation_against_a_conic_solver():
    A = np.random.default_rng(5).random((4, 7))
    for alpha, beta in ((0.02, 0.0), (0.02, 0.001), (0.01, 0.02), (0.0, 0.03)):
        solution, _ = interpolate(Problem(reduce_data(A, False), alpha, beta), 1e-4, 500)
        optimum = conic.solve(A, alpha, beta).value
        assert solution is not None
        assert solution.dual_bound <= optimum * (1 + 1e-7)
        assert optimum * (1 - 1e-7) <= solution.objective <= optimum * 1.00011
        W = solution.Z @ reduce_data(A, False).U.T
        assert direct.objective(A, W, alpha, beta) == pytest.approx(solution.objective, rel=1e-9)


def test_rows_that_interpolation_leaves_out_are_zero(data):
    solution, _ = interpolate(Problem(data, 0.01, 0.0), 1e-3, 200)
    norms = np.linalg.norm(solution.Z, axis=1)
    assert (norms[data.live] == 0.0).any()
    assert data.residual_norms(solution.Z).max() < 1e-9


def test_images_that_are_not_reproduced_are_left_to_others(data):
    for alpha, beta in ((1.0, 1.0), (0.0, 2.0), (3.0, 0.0)):
        assert interpolate(Problem(data, alpha, beta), 1e-3, 100)[0] is None
    square = reduce_data(np.random.default_rng(0).random((30, 5)), False)
    assert interpolate(Problem(square, 1e-3, 1e-3), 1e-3, 100) == (None, 0)


def test_no_answer_at_the_limit(data):
    assert interpolate(Problem(data, 0.01, 0.0), 1e-6, 4) == (None, 4)


def test_the_polar_factor_is_the_gradient_of_the_trace_norm():
    Z = np.random.default_rng(1).standard_normal((9, 4))
    left, _, right = np.linalg.svd(Z, full_matrices=False)
    assert np.allclose(polar_factor(Z), left @ right)
    assert np.allclose(polar_factor(np.outer(Z[:, 0], [1, 0, 2, 0])) @ [0, 1, 0, 0], 0.0)
