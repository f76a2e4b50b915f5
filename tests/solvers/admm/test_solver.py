"""The certified solver against a conic solver, closed forms and its own promises."""

import itertools

import numpy as np
import pytest

from cspca.datasets import make_faces
from cspca.fitted import identity_bound
from cspca.problem import Problem, ReducedData
from cspca.solvers import ADMM, STARTS, Plain
from cspca.solvers.admm.starts import diagonal_guess, nearest_multiple
from cspca.solvers.admm.state import AFRESH, ADMMState, completed
from cspca.solvers.blocks_data import BlockData, LocalBlocks
from tests import real_data
from tests.oracles import conic, direct, problems
from tests.solvers.running import certified, problem_of, take, until

EVERY = pytest.mark.parametrize("name", problems.ARRAYS)


def _matrix(problem, iterate):
    return np.asarray(iterate.Z, dtype=np.float64) @ problem.data.U.T


# --- the right answer ------------------------------------------------------------------------


@EVERY
def test_rows_that_the_optimum_drops_are_exactly_zero(name):
    problem = problem_of(problems.ARRAYS[name], 0.3, 0.05)
    expected = direct.row_norms(conic.solve(problem.data.A, problem.alpha, problem.beta).W)
    found = until(ADMM().iterate(problem), 1e-8).row_norms
    settled = (expected > 1e-3) | (expected < 1e-6)
    np.testing.assert_array_equal((found == 0.0)[settled], (expected < 1e-6)[settled])


def test_coefficients_of_reproduced_images_stay_where_too_few_rows_are_left():
    rng = np.random.default_rng(2)
    U = np.linalg.qr(rng.standard_normal((12, 4)))[0]
    C, N = U + 0.1 * rng.standard_normal((12, 4)), 0.01 * rng.standard_normal((4, 4))
    C[4:] = 0.0
    np.testing.assert_allclose(U.T @ completed(C, U, N), np.eye(4) + N, atol=1e-12)
    C[2:] = 0.0
    np.testing.assert_array_equal(completed(C, U, N), C)


def test_one_image_has_a_closed_form():
    """One image a is written most cheaply by its largest pixel (β = 0), or by a itself (α = 0)."""
    a = np.array([[0.3, -0.9, 0.2, 0.5]])
    norm, largest = np.linalg.norm(a), 0.9
    for alpha in (0.1, 0.5, 0.89):
        last = until(ADMM().iterate(Problem(ReducedData(a), alpha, 0.0)), 1e-8)
        assert last.best_objective == pytest.approx(alpha * norm / largest, rel=1e-7)
        assert np.flatnonzero(last.row_norms).tolist() == [1]
    for beta in (0.1, 0.5, 0.99 * norm):
        last = until(ADMM().iterate(Problem(ReducedData(a), 0.0, beta)), 1e-8)
        assert last.best_objective == pytest.approx(beta, rel=1e-7)
        np.testing.assert_allclose(last.row_norms, np.abs(a[0]) / norm, atol=1e-4)


@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 0.4), (0.0, 0.9), (0.9, 0.0)])
def test_images_of_single_pixels_are_kept_while_that_is_cheap(alpha, beta):
    """A = I: W = I costs (α + β) d, W = 0 costs d, and nothing between them is cheaper."""
    last = until(ADMM().iterate(Problem(ReducedData(np.eye(6)), alpha, beta)), 1e-8)
    assert last.best_objective == pytest.approx(6 * (alpha + beta), rel=1e-7)
    np.testing.assert_allclose(last.row_norms, 1.0, atol=1e-5)


def test_identity_is_the_answer_where_the_weakest_direction_is_all_but_round_off():
    """As in COIL20, where one is 5e-7 of the strongest: the iteration stays at a gap of 0.7."""
    rng = np.random.default_rng(0)
    left, right = (np.linalg.qr(rng.standard_normal((n, 40)))[0] for n in (60, 40))
    data = ReducedData((left * np.geomspace(1.0, 5e-7, 40)) @ right.T)
    problem = Problem(data, 2e-8, 1e-8)
    last = until(ADMM(target=1e-3).iterate(problem), 1e-3, limit=2)
    assert identity_bound(problem, last.best_objective, last.dual_bound) is not None
    assert last.best_objective == pytest.approx(40 * 3e-8, rel=1e-6)


# --- the iterator's promises -----------------------------------------------------------------


def test_records_count_from_one_keep_their_pictures_and_bounds_only_improve():
    problem = problem_of(problems.ARRAYS["centred"])
    read_at_once = [np.array(record.Z) for record in take(ADMM().iterate(problem), 80)]
    records = list(take(ADMM().iterate(problem), 80))
    # Z is read when asked for, but must be that iterate's, not the loop's latest.
    np.testing.assert_array_equal([record.Z for record in records], read_at_once)
    assert [record.number for record in records] == list(range(1, 81))
    assert np.all(np.diff([record.seconds for record in records]) > 0)
    assert np.all(np.diff([record.dual_bound for record in records]) >= 0)
    assert np.all(np.diff([record.best_objective for record in records if record.gap < 1]) <= 0)
    gaps = [record.gap for record in records]
    assert gaps[-1] < 1e-2
    assert gaps == sorted(gaps, reverse=True)
    last = records[-1]
    assert last.gap == pytest.approx(
        (last.best_objective - last.dual_bound) / last.best_objective, abs=1e-15
    )


@pytest.mark.parametrize(("alpha", "beta"), [(1.5e-4, 1.2e-4), (1.1e-3, 9e-4)])
def test_next_to_all_images_reproduced_the_loss_has_no_copy(alpha, beta):
    """With a copy of the errors the bound lagged: 340 and 75 iterations."""
    data = ReducedData(real_data.pixels("digits", centred=True))
    problem = problem_of(data, alpha, beta)
    found = certified(problem, 1e-3, limit=25)
    assert isinstance(found.state, ADMMState)
    assert found.state.loss.minimised
    assert found.state.loss.reproduced() > data.shape[0] / 2
    # Further on it has one, and it comes back.
    there = problem_of(data, 0.3, 0.1)
    other = found.state.for_penalties(there, guess=diagonal_guess(there)).choose_loss()
    assert not other.loss.minimised
    assert other.for_penalties(problem, guess=diagonal_guess(problem)).choose_loss().loss.minimised
    # Errors of another length have another ρ.
    assert found.state.warm_start(there) is None


@pytest.mark.parametrize(("alpha", "beta"), [(0.01, 0.0), (0.01, 1e-4), (0.01, 0.01), (2e-4, 0.01)])
def test_where_all_images_are_reproduced(small_faces, alpha, beta):
    A = small_faces.data.astype(np.float64)
    problem = Problem(ReducedData(A - A.mean(axis=0)), alpha, beta)
    coarse = until(ADMM(target=1e-3).iterate(problem), 1e-3, 30)
    assert coarse.best_objective == pytest.approx(problem.objective(coarse.Z), rel=1e-12)
    fine = until(ADMM(target=1e-6).iterate(problem), 1e-6, 1000)
    assert fine.dual_bound * (1 - 1e-9) <= coarse.best_objective
    assert coarse.dual_bound <= fine.best_objective * (1 + 1e-9)
    assert problem.data.residual_norms(fine.Z).sum() < 1e-3 * fine.best_objective
    if beta == 0.0:
        assert (coarse.row_norms[problem.data.live] == 0.0).any()


@pytest.mark.parametrize(("alpha", "beta"), [(0.02, 0.0), (0.02, 1e-3), (0.01, 0.02), (0.0, 0.03)])
def test_where_all_images_are_reproduced_against_a_conic_solver(alpha, beta):
    A = np.random.default_rng(5).random((4, 7))
    problem = Problem(ReducedData(A), alpha, beta)
    found = until(ADMM(target=1e-4).iterate(problem), 1e-4, 500)
    optimum = conic.solve(A, alpha, beta).value
    assert found.dual_bound <= optimum * (1 + 1e-7)
    assert optimum * (1 - 1e-7) <= found.best_objective <= optimum * 1.00011
    value = direct.objective(A, _matrix(problem, found), alpha, beta)
    assert value == pytest.approx(found.best_objective, rel=1e-9)


def test_a_bound_that_lags_asks_for_a_smaller_rho():
    """Rendered faces at β = 0: a row that grew by the same in every step took 372 iterations."""
    data = ReducedData(make_faces(image_size=20).data.astype(np.float64))
    found = certified(Problem(data, 2.0, 0.0), 1e-3, limit=80)
    assert found.state.lowered > 0
    warm = found.state.warm_start(Problem(data, 2.02, 0.0))
    assert warm.lowered == 0


@pytest.mark.parametrize("exponent", [-4, -12])
def test_tiny_penalties_are_no_matter_of_digits(exponent):
    """Weights of images that are reproduced are as large as the others over the penalties."""
    rng = np.random.default_rng(0)
    wide, tall = rng.standard_normal((20, 30)), rng.standard_normal((60, 12)) ** 3
    for A in (wide, wide - wide.mean(axis=0), tall, tall @ np.diag(np.logspace(0, -5, 12))):
        data = ReducedData(A)
        for alpha, beta in ((1.0, 1.0), (1.0, 1e-2), (1e-2, 1.0), (0.0, 1.0), (1.0, 0.0)):
            problem = problem_of(data, alpha * 10.0**exponent, beta * 10.0**exponent)
            last = take(ADMM(target=1e-3).iterate(problem), 30)[-1]
            assert 0.0 < last.dual_bound <= last.best_objective * (1.0 + 1e-12)


def test_a_warm_start_forgets_precision_and_some_of_the_last_rho():
    """What ended in double, with ρ moved far off, took longer under new penalties than none."""
    data = ReducedData(real_data.pixels("digits"))
    here, there = problem_of(data, 0.01, 0.005), problem_of(data, 0.01, 0.0045)
    old = certified(here, 1e-4).state
    assert not old.single
    old.move_rho(0.1, 0.1)
    solver = ADMM(target=1e-3)
    warm, cold = solver.prepare(there, old), solver.prepare(there, None)
    assert warm.cold
    assert warm.single
    grown = {"row_rho": 1.0, "spectral_rho": 0.9}
    kept = 1.0 - AFRESH
    for name, factor in grown.items():
        before, first = factor * getattr(old, name), getattr(cold, name)
        assert getattr(warm, name) == pytest.approx(before**kept * first ** (1.0 - kept))
    # Λ, G₁ and G₂ are as they were, under the bounds of the new penalties.
    np.testing.assert_allclose(warm.subgradients[0], old.subgradients[0], rtol=1e-4, atol=1e-6)


def test_a_fit_begins_in_single_precision_which_certifies_and_ends_in_double():
    problem = problem_of(np.random.default_rng(2).random((30, 50)), 0.01, 0.01)
    double = until(Plain().iterate(problem), 1e-7)
    iterates = ADMM().iterate(problem)
    in_single = list(itertools.takewhile(lambda iterate: iterate.state.single, iterates))
    assert in_single[-1].gap < 1e-2
    assert in_single[-1].dual_bound <= double.best_objective
    assert problem.objective(in_single[-1].Z) >= double.dual_bound
    last = until(iterates, 1e-7)
    assert last.best_objective == pytest.approx(double.best_objective, rel=2e-7)


@pytest.mark.real_data
def test_the_certificate_does_not_wait_for_the_multipliers(real_pixels):
    """Scaling the multipliers alone proves 1e-3 after 39 iterations here, the primal after 20."""
    problem = Problem(ReducedData(real_pixels("ORL")), 10.0, 10.0)
    assert until(ADMM().iterate(problem), 1e-3).number <= 21


@pytest.mark.parametrize("blocks", [False, True], ids=["in memory", "in blocks"])
def test_weak_directions_are_paid_for(blocks):
    """Near-singular data: the certificate holds for them, not for what was kept of them."""
    rng = np.random.default_rng(3)
    A = rng.random((40, 3)) @ rng.random((3, 9)) + 1e-7 * rng.standard_normal((40, 9))
    data = BlockData(LocalBlocks(A, scratch=True), False, False) if blocks else ReducedData(A)
    assert data.rank == 3
    for fraction in (1e-2, 1e-3, 1e-4, 1e-6):
        problem = problem_of(data, fraction, fraction)
        last = take(ADMM().iterate(problem), 400)[-1]
        value = direct.objective(A, _matrix(problem, last), problem.alpha, problem.beta)
        assert last.best_objective == pytest.approx(value, rel=1e-9)
        identity = direct.objective(A, np.eye(9), problem.alpha, problem.beta)
        assert last.dual_bound <= min(value, identity)
        assert fraction < 1e-4 or last.gap < 1e-3


@pytest.mark.parametrize("penalty", [1e-6, 1.0])
@pytest.mark.parametrize("start", STARTS)
def test_every_start_of_the_paper_arrives(small_faces, start, penalty):
    """Those with all elements 2 have up to a billion times the objective of a fit."""
    problem = Problem(ReducedData(small_faces.data.astype(np.float64)), penalty, penalty)
    until(ADMM(target=1e-4, random_state=0).iterate(problem, start), 1e-4, 250)


def test_the_map_of_other_images_is_a_start(small_faces):
    """Of other rank and brighter, as a matrix and as a state, under penalties next to nothing."""
    A = np.asarray(small_faces.data, dtype=np.float64)
    first = until(ADMM(target=1e-3).iterate(problem_of(1e4 * A[::3], 1e-3, 1e-3)), 1e-3)
    problem = problem_of(A, 1e-6, 1e-6)
    for start in (first.state, _matrix(first.state.problem, first)):
        until(ADMM(target=1e-3, limit=250).iterate(problem, start), 1e-3, 250)


def test_a_start_worse_than_nothing_is_scaled(small_faces):
    problem = problem_of(np.asarray(small_faces.data, dtype=np.float64), 0.1, 0.02)
    data, nothing = problem.data, float(problem.data.sample_norms.sum())
    Z = np.full(data.U.shape[:1] * 2, 2.0) @ data.U
    near = nearest_multiple(data, Z)
    assert problem.objective(near) < nothing < problem.objective(Z) / 10.0
    image = (data.A @ Z).ravel()
    factor = np.linalg.lstsq(image[:, None], data.Y.ravel(), rcond=None)[0]
    np.testing.assert_allclose(near, factor * Z, rtol=1e-6)
    for nowhere in (-Z, 0.0 * Z):
        assert not nearest_multiple(data, nowhere).any()
    first = next(ADMM(target=1e-3).iterate(problem, Z @ data.U.T))
    assert first.best_objective <= nothing


@pytest.mark.parametrize("alpha", [1e-3, 1e-6, 1e-9])
def test_a_penalty_next_to_nothing_is_certified(alpha):
    """G₁ can hold none of a remainder then; G₂ holds it for a part in a thousand of the bound."""
    faces = make_faces(n_people=8, n_per_person=6, image_size=16, random_state=0)
    A = np.asarray(faces.data, dtype=np.float64)
    data = ReducedData(A - A.mean(axis=0))
    for problem in (Problem(data, alpha, 0.01 * data.beta_max), Problem(data, 1.0, alpha)):
        certified(problem, 1e-3, limit=200)


@pytest.mark.real_data
def test_next_to_the_identity_images_take_their_share_of_the_remainder(real_pixels):
    """USPS at 10/10: most images are reproduced exactly, few weights leave the identity.

    Scaled as a whole for their longest rows, multipliers proved 3.4e-4 after 500 iterations.
    """
    problem = Problem(ReducedData(real_pixels("USPS")), 10.0, 10.0)
    last = until(ADMM(target=1e-4).iterate(problem), 1e-4, 100)
    assert last.gap <= 1e-4
    # an upper bound of the optimum from another run, of 500 iterations
    assert last.dual_bound <= 5105.5027
