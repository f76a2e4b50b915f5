"""Interpolation: the same optimum as the general solver, or no answer."""

import copy

import numpy as np
import pytest

from cspca import CSPCA
from cspca.datasets import make_faces
from cspca.preprocessing import reduce_data
from cspca.problem import Problem
from cspca.solvers import ADMM
from cspca.solvers.admm.interpolation import Reproducing, polar_factor
from cspca.solvers.admm.starts import diagonal_guess
from cspca.solvers.admm.state import ADMMState, cold_state
from tests.oracles import conic, direct
from tests.solvers.running import take, until


@pytest.fixture(scope="module")
def data(small_faces):
    return reduce_data(small_faces.data.astype(np.float64))


def interpolated(problem, target, limit=400):
    """The iterate that has the gap, without the loss."""
    found = until(ADMM(target=target).iterate(problem), target, limit)
    assert isinstance(found.state, Reproducing)
    return found


def check(problem, found, slack=1e-9):
    """Objective and bound are those of the problem, on both sides of its optimum."""
    general = cold_state(problem, diagonal_guess(problem), np.dtype(np.float64))
    reference = until(ADMM(target=1e-5).iterate(problem, general), 1e-5, 3000)
    assert isinstance(reference.state, ADMMState)
    assert found.best_objective == pytest.approx(problem.objective(found.Z), rel=1e-12)
    assert found.best_objective >= reference.dual_bound * (1 - slack)
    assert found.dual_bound <= reference.best_objective * (1 + slack)


@pytest.mark.parametrize(("alpha", "beta"), [(0.01, 0.0), (0.01, 1e-4), (0.01, 0.01), (2e-4, 0.01)])
@pytest.mark.parametrize("tol", [1e-3, 1e-5])
def test_reproduced_images_are_solved_as_a_constraint(data, alpha, beta, tol):
    problem = Problem(data, alpha, beta)
    found = interpolated(problem, tol)
    check(problem, found)
    assert data.residual_norms(found.Z).max() < 1e-9


def test_a_trace_norm_alone_has_a_closed_form(data):
    found = interpolated(Problem(data, 0.0, 0.01), 1e-9)
    assert found.number == 1
    assert found.best_objective == pytest.approx(0.01 * data.rank, rel=1e-10)
    assert np.allclose(found.Z, data.U)
    # To second order in α/β it has one with rows as well.
    found = interpolated(Problem(data, 1e-5, 0.01), 1e-5)
    assert found.number == 1
    check(Problem(data, 1e-5, 0.01), found)


def test_interpolation_against_a_conic_solver():
    A = np.random.default_rng(5).random((4, 7))
    reduced = reduce_data(A, False)
    for alpha, beta in ((0.02, 0.0), (0.02, 0.001), (0.01, 0.02), (0.0, 0.03)):
        found = interpolated(Problem(reduced, alpha, beta), 1e-4, 500)
        optimum = conic.solve(A, alpha, beta).value
        assert found.dual_bound <= optimum * (1 + 1e-7)
        assert optimum * (1 - 1e-7) <= found.best_objective <= optimum * 1.00011
        W = found.Z @ reduced.U.T
        assert direct.objective(A, W, alpha, beta) == pytest.approx(found.best_objective, rel=1e-9)


def test_rows_that_interpolation_leaves_out_are_zero(data):
    found = interpolated(Problem(data, 0.01, 0.0), 1e-3, 200)
    assert (found.row_norms[data.live] == 0.0).any()
    assert data.residual_norms(found.Z).max() < 1e-9


def test_a_bound_that_lags_asks_for_a_smaller_rho():
    """Rendered faces at α = 1e-4, β = 0 were not there after half a minute."""
    faces = reduce_data(make_faces().data.astype(np.float64))
    problem = Problem(faces, 1e-4 * faces.alpha_max, 0.0)
    found = interpolated(problem, 1e-3, 100)
    assert faces.residual_norms(found.Z).max() < 1e-9


def test_images_that_are_not_reproduced_are_left_to_others(data):
    square = reduce_data(np.random.default_rng(0).random((30, 5)), False)
    problems = [Problem(data, *pair) for pair in ((1.0, 1.0), (0.0, 2.0), (3.0, 0.0))]
    for problem in (*problems, Problem(square, 1e-3, 1e-3)):
        first = next(ADMM(target=1e-3).iterate(problem))
        assert not isinstance(first.state, Reproducing)


def test_a_fit_that_turns_out_not_to_reproduce_goes_on_with_its_loss(data):
    problem = Problem(data, 0.01, 0.0)
    state = take(ADMM(target=1e-3).iterate(problem), 2)[-1].state
    assert not state.at_its_end
    state.largest, state.gap, state.next_check = 2.0, 0.5, 99
    unfolded = ADMM(target=1e-3)._beyond(state)
    assert state.at_its_end
    assert (unfolded.number, unfolded.dual_bound) == (2, state.dual_bound)
    found = until(ADMM(target=1e-3).iterate(problem, unfolded), 1e-3, 2000)
    assert isinstance(found.state, ADMMState)
    check(problem, found)


def test_a_bound_that_is_no_number_proves_nothing(data, monkeypatch):
    problem = Problem(data, 0.01, 0.0)

    def broken(problem, *_):
        return float("nan"), 0.5, np.zeros_like(problem.data.U)

    monkeypatch.setattr("cspca.solvers.admm.interpolation._bound", broken)
    found = until(ADMM(target=1e-3).iterate(problem), 1e-3, 1000)
    assert isinstance(found.state, ADMMState)
    check(problem, found)


def test_a_fit_goes_on_where_it_stopped_to_a_smaller_gap(data):
    problem = Problem(data, 0.01, 1e-4)
    coarse = interpolated(problem, 1e-2)
    other = copy.copy(coarse.state)
    on, again = (
        until(ADMM(target=1e-5).iterate(problem, state), 1e-5, 400)
        for state in (coarse.state, other)
    )
    assert isinstance(on.state, Reproducing)
    assert on.number == again.number > coarse.number
    assert on.best_objective == again.best_objective
    check(problem, on)


def test_a_fit_at_the_left_end_of_both_sliders_has_course_map_and_order(small_faces):
    A = small_faces.data.astype(np.float64)
    for alpha, beta in ((1e-4, 0.0), (0.0, 1e-4), (1e-4, 1e-4)):
        model = CSPCA(alpha, beta).fit(A)
        assert model.converged_
        assert np.isfinite(model.history_["objective"][-1])
        assert model.rank_ == np.linalg.matrix_rank(A - A.mean(axis=0))
        assert sorted(model.feature_order_) == list(range(A.shape[1]))
        assert model.sample_residuals_.max() < 1e-9 * np.linalg.norm(A)


def test_the_polar_factor_is_the_gradient_of_the_trace_norm():
    Z = np.random.default_rng(1).standard_normal((9, 4))
    left, _, right = np.linalg.svd(Z, full_matrices=False)
    assert np.allclose(polar_factor(Z), left @ right)
    assert np.allclose(polar_factor(np.outer(Z[:, 0], [1, 0, 2, 0])) @ [0, 1, 0, 0], 0.0)
