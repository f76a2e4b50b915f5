"""Few pixels under a trace norm that hardly counts: the same optimum, in few iterations."""

import copy
from functools import cache
from math import inf

import numpy as np
import pytest

from cspca import CSPCA
from cspca.datasets import make_faces
from cspca.preprocessing import reduce_data
from cspca.solvers import ADMM
from cspca.solvers.admm import few_rows
from cspca.solvers.admm.few_rows import FewRowsState, cold_start, pixels_are_few
from cspca.solvers.admm.starts import diagonal_guess
from cspca.solvers.admm.state import ADMMState, cold_state
from tests.oracles import conic
from tests.solvers.running import certified, problem_of, take


@pytest.fixture(scope="module")
def raw():
    return reduce_data(make_faces(image_size=16, random_state=0).data.astype(np.float64), False)


# In the last two pixels once entered that a free part of G₂ keeps out, and left again, for good.
@pytest.mark.parametrize(
    ("alpha", "beta"), [(0.5, 0.0), (0.2, 1e-4), (0.357, 8e-4), (0.798, 2.7e-4)]
)
def test_few_pixels_of_raw_images_are_found_in_few_iterations(raw, alpha, beta):
    """Alternating directions sort pixels that are much alike in hundreds of iterations."""
    problem = problem_of(raw, alpha, beta)
    found = certified(problem, 1e-3, limit=30)
    assert isinstance(found.state, FewRowsState)
    assert 0 < found.n_kept < 60
    assert found.best_objective == pytest.approx(problem.objective(found.Z), rel=1e-9)
    general = cold_state(problem, diagonal_guess(problem))
    *_, last = take(ADMM(target=1e-6).iterate(problem, general), 100)
    assert isinstance(last.state, ADMMState)
    assert found.dual_bound <= last.best_objective * (1 + 1e-12)
    assert last.dual_bound <= found.best_objective * (1 + 1e-12)


@cache
def reduced(pixels_of, name, center=False):
    A = make_faces().data.astype(float) if name == "faces" else pixels_of(name)
    return reduce_data(A, center)


@pytest.mark.parametrize(
    ("name", "center", "alpha", "beta", "limit", "n_pixels"),
    [
        # Half a minute once, and at the second point more than one.
        ("ORL", False, 0.5, 0.0, 60, (1, 512)),
        ("ORL", False, 0.593, 1.1e-4, 60, (1, 512)),
        # Alternating directions took 58 and 43 iterations, and up to eight times as long,
        ("ORL", True, 0.183, 1e-4, 25, (200, 512)),
        ("ORL", True, 0.196, 5.2e-4, 25, (200, 512)),
        # at β a tenth of α 36 and three times as long,
        ("ORL", False, 0.686, 0.003, 25, (1, 512)),
        # at a fifth to two fifths of α 72, 50 and 51, and three to seven times as long.
        ("faces", False, 0.625, 6.92e-3, 30, (1, 99)),
        ("faces", False, 0.237, 4.97e-3, 30, (1, 99)),
        ("faces", False, 0.732, 0.0177, 30, (1, 99)),
    ],
)
def test_where_pixels_are_few(real_pixels, name, center, alpha, beta, limit, n_pixels):
    problem = problem_of(reduced(real_pixels, name, center), alpha, beta)
    found = certified(problem, 1e-3, limit=limit)
    assert isinstance(found.state, FewRowsState)
    assert n_pixels[0] <= found.n_kept <= n_pixels[1]


@pytest.mark.parametrize(
    ("alpha", "beta", "few"),
    [(0.183, 1.03e-4, True), (0.0829, 5.04e-4, False), (0.452, 8.03e-3, False)],
)
def test_pixels_of_many_images_are_few_only_next_to_no_trace_norm(real_pixels, alpha, beta, few):
    """Few pixels take a seventh of the time of few directions at the first, and thrice and five
    times as long at the others, where ORL's 400 images are iterated on by pixels."""
    problem = problem_of(reduced(real_pixels, "COIL20"), alpha, beta)
    assert pixels_are_few(problem, diagonal_guess(problem)) == few


def test_the_rank_is_that_of_the_copy_where_the_trace_norm_counts(real_pixels):
    data = reduced(real_pixels, "ORL")
    found = certified(problem_of(data, 0.973, 2.52e-3), 1e-3, limit=60)
    assert isinstance(found.state, FewRowsState)
    assert found.best_objective < data.sample_norms.sum()
    assert np.linalg.matrix_rank(found.Z, 1e-6) < found.n_kept


def test_images_that_are_reproduced_are_left_to_all_columns(monkeypatch):
    """Newton's matrix loses its digits there: it says so, and ADMM goes on."""
    data = reduce_data(np.random.default_rng(0).standard_normal((6, 40)), False)
    problem = problem_of(data, 0.01, 0.0)
    guess = diagonal_guess(problem)
    for name in ("FEW_DIRECTIONS", "FEW_PIXELS", "MOST_ROWS", "MOST_PIXELS"):
        monkeypatch.setattr(few_rows, name, inf)
    state = cold_start(problem, guess, np.dtype(np.float32))
    assert state is not None
    found = certified(problem, 1e-3, state, 100)
    assert not isinstance(found.state, FewRowsState)


def test_against_a_conic_solver():
    A = np.random.default_rng(2).random((9, 7))
    data = reduce_data(A, False)
    for alpha, beta in ((0.5, 0.0), (0.2, 1e-3)):
        problem = problem_of(data, alpha, beta)
        found = certified(problem, 1e-5, limit=150)
        optimum = conic.solve(A, problem.alpha, problem.beta).value
        assert found.dual_bound <= optimum * (1 + 1e-7)
        assert optimum * (1 - 1e-7) <= found.best_objective <= optimum * 1.00002


def test_where_the_pixels_are_many_all_take_part(raw):
    problem = problem_of(raw, 0.2, 0.0)
    state = take(ADMM(target=1e-3).iterate(problem), 2)[-1].state
    state.number = 150
    assert state.at_its_end
    unfolded, _ = ADMM(target=1e-3)._check_or_switch(state, last=True)
    assert (unfolded.number, unfolded.dual_bound) == (150, state.dual_bound)
    last = take(ADMM(target=1e-3).iterate(problem, unfolded), 20)[-1]
    assert isinstance(last.state, ADMMState)
    assert last.gap < 0.2


def test_it_goes_on_where_it_stopped_and_from_near_by(raw):
    problem = problem_of(raw, 0.4, 0.0)
    coarse = certified(problem, 1e-2, limit=60)
    other = copy.copy(coarse.state)
    on, again = (certified(problem, 1e-4, state, 200) for state in (coarse.state, other))
    assert on.number == again.number > coarse.number
    assert on.best_objective == again.best_objective
    near = problem_of(raw, 0.38, 0.0)
    warm, cold = certified(near, 1e-3, again.state, 60), certified(near, 1e-3, limit=60)
    assert warm.number < cold.number
    assert warm.dual_bound <= cold.best_objective * (1 + 1e-12)
    assert cold.dual_bound <= warm.best_objective * (1 + 1e-12)
    assert again.state.problem is problem, "a warm start leaves what it began from alone"


def test_pixels_that_become_many_under_other_penalties_begin_cold(raw):
    """By the guess of the old ones they were few, and 61 iterations took the place of 32."""
    old, many = problem_of(raw, 0.3, 0.0), problem_of(raw, 0.03, 0.0)
    state = certified(old, 1e-3, limit=60).state
    assert pixels_are_few(many, state.guess)
    assert not pixels_are_few(many, diagonal_guess(many))
    assert state.warm_start(many) is None
    near = problem_of(raw, 0.32, 0.0)
    warm = state.warm_start(near)
    assert warm.guess.objective == diagonal_guess(near).objective
    assert warm.best_objective == pytest.approx(near.objective(warm.best_coefficients), rel=1e-9)


def test_a_fit_of_few_pixels_has_course_rank_and_order(raw):
    model = CSPCA(0.5, 0.0, center=False).fit(raw.A)
    assert model.converged_
    assert np.isfinite(model.history_["objective"]).sum() > 1
    assert model.regime_ == "sparse"
    assert 0 < model.rank_ <= np.count_nonzero(model.feature_scores_)
    idle = model.feature_scores_ == 0.0
    assert ((model.dual_scores_[idle] >= 0.0) & (model.dual_scores_[idle] <= 1.0)).all()
    assert model.dual_scores_[idle].std() > 0.0


def test_a_live_curve_sees_where_the_rows_stand(raw):
    """It saw the best map so far, which before the first check is the empty one."""
    problem = problem_of(raw, 0.3, 1e-4)
    state = cold_start(problem, diagonal_guess(problem), np.dtype(np.float64))
    assert state is not None
    for _ in range(4):
        state.step()
        Z = np.zeros_like(raw.U)
        Z[state.pixels] = state.rows
        assert state.objective(1e-3) == pytest.approx(problem.objective(Z), rel=1e-6)
    assert state.objective(1e-3) < state.best_objective
