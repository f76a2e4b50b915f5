"""ADMM on few columns: the same optimum, proven for all of them."""

import numpy as np
import pytest

from cspca.datasets import make_faces
from cspca.fitted import Fit
from cspca.problem import Problem, ReducedData
from cspca.solvers import ADMM, History, Iterate
from cspca.solvers.admm import few_columns
from cspca.solvers.admm.few_columns import cold_start
from cspca.solvers.admm.starts import diagonal_guess
from tests.solvers.running import certified, problem_of


@pytest.fixture(scope="module")
def faces() -> ReducedData:
    A = make_faces(n_people=12, n_per_person=10, image_size=20).data.astype(np.float64)
    return ReducedData(A - A.mean(axis=0))


def fit_of(problem: Problem, iterate: Iterate) -> Fit:
    return Fit.of(
        problem,
        iterate,
        1e-3,
        mean=np.zeros(len(iterate.Z)),
        dtype=np.dtype(np.float64),
        solver="admm",
        normalize=False,
        center=True,
        history=History().table,
    )


@pytest.mark.parametrize("penalties", [(0.1, 0.05), (0.003, 0.3), (0.3, 0.1), (0.03, 0.03)])
def test_few_columns_certify_the_whole_problem(faces, penalties) -> None:
    problem = problem_of(faces, *penalties)
    optimum = certified(problem, 1e-6)
    iterate = certified(problem, 1e-3)
    state = iterate.state
    assert state.V is not None
    assert state.V.shape[1] < faces.rank / 2
    assert iterate.dual_bound <= optimum.best_objective * (1 + 1e-9)
    assert iterate.best_objective >= optimum.dual_bound * (1 - 1e-9)
    Z = iterate.Z.astype(np.float64)
    assert problem.objective(Z) == pytest.approx(iterate.best_objective, rel=1e-6)
    # The bound is that of the plain certificate from the very multipliers, or better.
    assert state.loss.shifted(state.loss_rho)[1].longest <= 1 + 1e-6
    np.testing.assert_allclose(state.V.T @ state.V, np.eye(state.V.shape[1]), atol=1e-12)


def test_every_bound_and_every_point_of_a_live_curve_is_of_the_whole_problem(faces) -> None:
    problem = problem_of(faces, 0.1, 0.05)
    optimum = certified(problem, 1e-6).best_objective
    state = cold_start(problem, diagonal_guess(problem))
    assert state is not None
    for number in range(1, 13):
        state.step()
        whole = problem.objective(state.coefficients())
        assert state.objective(1e-3) == pytest.approx(whole, rel=1e-6)
        objective = few_columns.check(state, 0.0)
        assert state.dual_bound <= optimum * (1 + 1e-9), number
        assert objective >= optimum * (1 - 1e-6), number
    assert state.gap < 1e-2


def test_the_limit_is_checked(faces) -> None:
    problem = problem_of(faces, 0.1, 0.05)
    steps = ADMM(target=1e-3, limit=3).iterate(problem)
    last = [next(steps) for _ in range(3)][-1]
    assert np.isfinite(last.objective)
    assert 0.0 < last.dual_bound < last.best_objective


def test_a_walk_of_the_sliders_is_short_and_keeps_its_directions_orthonormal(faces) -> None:
    """They are turned in single precision at each step; the objective needs them exact."""
    n_warm = n_cold = 0
    rng = np.random.default_rng(3)
    alpha, beta = 0.1, 0.05
    iterate = certified(problem_of(faces, alpha, beta), 1e-3)
    for _ in range(8):
        factors = rng.permutation([1.25 ** rng.choice([-1.0, 1.0]), 1.0])
        alpha, beta = alpha * factors[0], beta * factors[1]
        problem = problem_of(faces, alpha, beta)
        iterate, cold = certified(problem, 1e-3, iterate.state), certified(problem, 1e-3)
        n_warm, n_cold = n_warm + iterate.number, n_cold + cold.number
        V = iterate.state.V
        np.testing.assert_allclose(V.T @ V, np.eye(V.shape[1]), atol=1e-12)
        Z = iterate.Z.astype(np.float64)
        assert problem.objective(Z) == pytest.approx(iterate.best_objective, rel=1e-6)
        np.testing.assert_allclose(Z @ V @ V.T, Z, atol=1e-5)
    assert n_warm <= 0.8 * n_cold


def test_a_better_map_from_elsewhere_is_measured_where_it_lies(faces) -> None:
    problem = problem_of(faces, 0.1, 0.05)
    better = certified(problem, 1e-6).state
    few = cold_start(problem, diagonal_guess(problem))
    assert few is not None
    few.continue_from(better)
    for _ in range(8):
        few.step()
        if few_columns.is_early(few):
            few_columns.explore(few)
    few_columns.check(few, 1e-3)
    near = problem_of(faces, 0.11, 0.05)
    assert few.best_objective == better.best_objective
    warm = few_columns.warm_start(few, near)
    assert warm is not None
    assert warm.best_objective == pytest.approx(near.objective(better.best_coefficients), rel=1e-9)


def test_a_map_that_does_not_lie_in_the_few_columns_has_its_own_spectrum(faces) -> None:
    """Read on V its singular values would be too small, and so would objectives made of them."""
    problem = problem_of(faces, 0.3, 0.0)
    better = certified(problem, 1e-3)
    low = problem_of(faces, 0.1, 0.05)
    few = cold_start(low, diagonal_guess(low))
    assert few is not None
    outside = better.Z - better.Z @ few.V @ few.V.T
    assert np.linalg.norm(outside) > 0.01 * np.linalg.norm(better.Z)
    few.best_objective = np.inf
    iterate = Iterate.of(few.continue_from(better.state), float("nan"))
    found = fit_of(problem, iterate)
    assert found.rank == np.linalg.matrix_rank(better.Z, rtol=1e-6)
    # All rows of W are in the coordinates.
    W = iterate.Z @ faces.U.T
    np.testing.assert_allclose(W @ found.components.T @ found.components, W, atol=1e-5)


def test_next_to_no_map_at_all(faces) -> None:
    """G₂ may be within β everywhere: then no direction is missing, and none is asked for."""
    problem = problem_of(faces, 0.6, 0.2)
    start = certified(problem, 1e-3)
    for factor in (1.25, 1.25**2, 1.25**3):
        start = certified(problem_of(faces, 0.6 * factor, 0.2), 1e-3, start.state)
    assert start.gap <= 1e-3


def test_the_spectrum_of_the_answer_is_that_of_all_columns(faces) -> None:
    problem = problem_of(faces, 0.1, 0.05)
    iterate = certified(problem, 1e-3)
    found = fit_of(problem, iterate)
    _, sigma, right = np.linalg.svd(iterate.Z @ faces.U.T)
    rank = found.rank
    assert 0 < rank <= iterate.state.V.shape[1]
    np.testing.assert_allclose(found.weight_singular_values, sigma[:rank], rtol=1e-6)
    # The components are a basis of the same row space, in an order of their own.
    cosines = np.linalg.svd(found.components @ right[:rank].T, compute_uv=False)
    np.testing.assert_allclose(cosines, 1.0, atol=1e-8)


def test_what_next_to_no_image_has_beside_the_columns_is_not_lost():
    """Of 1e-7 of an image the difference of two squares was round-off, or nothing at all."""
    rng = np.random.default_rng(7)
    Q = np.linalg.qr(rng.standard_normal((120, 120)))[0]
    strong = rng.standard_normal((110, 6)) @ Q[:6] + 1e-7 * rng.standard_normal((110, 60)) @ Q[6:66]
    data = ReducedData(np.vstack([strong, 0.01 * rng.standard_normal((40, 60)) @ Q[6:66]]))
    found = certified(problem_of(data, 1e-3, 0.01), 1e-3)
    assert found.state.V is not None
    assert found.best_objective == pytest.approx(found.state.problem.objective(found.Z), rel=1e-11)
