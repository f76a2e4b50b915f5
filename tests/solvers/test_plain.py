"""The plain solver against a conic one, closed forms and known answers; and with one's own terms.

All other solvers are held against it, so here it is held against everything that is not ours.
"""

from dataclasses import dataclass, replace

import cvxpy as cp
import numpy as np
import pytest

from cspca import CSPCA
from cspca.problem import Problem, ReducedData
from cspca.problem.terms import LOSSES, Entries, FiniteConjugate, Loss, Norm, RowNorms, TraceNorm
from cspca.proximal import row_norms, shrink_rows
from cspca.solvers import STARTS, Plain
from cspca.solvers.plain import PlainState, lower_bound
from tests.oracles import conic, direct, problems
from tests.soak import counted
from tests.solvers.running import problem_of, take, until
from tests.test_known_answers import KNOWN

EVERY = pytest.mark.parametrize("name", problems.ARRAYS)


def squared_objective(A, W, alpha, beta):
    """½ ‖A W − A‖_F² + α ‖W‖₂,₁ + β ‖W‖_*, unreduced."""
    errors = direct.row_norms(A @ W - A)
    return direct.objective(A, W, alpha, beta) - errors.sum() + 0.5 * errors @ errors


# --- the right answer ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "centred", "alpha", "beta", "optimum", "digits", "non_zero", "rank"),
    [row for row in KNOWN if row[:2] == ("digits", True) or counted(False, True)],
)
def test_known_answer(real_pixels, name, centred, alpha, beta, optimum, digits, non_zero, rank):
    A = real_pixels(name, centred=centred)
    # COIL20's rank settles at the last digits of the gap.
    problem = Problem(ReducedData(A), alpha, beta)
    last = until(Plain().iterate(problem), 1e-6)
    assert last.best_objective == pytest.approx(optimum, rel=digits)
    assert last.dual_bound <= optimum * (1 + digits)
    if non_zero is None:
        assert 931 - 3 <= last.n_kept <= 937 + 3
    else:
        assert abs(last.n_kept - non_zero) <= 3
    assert abs(np.linalg.matrix_rank(last.Z) - rank) <= (2 if non_zero is None else 1)


@EVERY
def test_any_multipliers_give_a_bound(name):
    """Those of the way to the optimum, and spoilt ones, of which some have the wrong sign."""
    rng = np.random.default_rng(0)

    def noisy(copy, size):
        return replace(copy, G=copy.G * (1 + size * rng.standard_normal(copy.G.shape)))

    for loss in LOSSES:
        problem = problem_of(problems.ARRAYS[name], loss=loss)
        optimum = until(Plain().iterate(problem), 1e-9).best_objective
        bounds = []
        for iterate in take(Plain().iterate(problem), 30):
            state = iterate.state
            for size in (0.0, 0.1, 10.0):
                errors, *copies = (noisy(one, size) for one in (state.errors, *state.copies))
                bounds.append(lower_bound(problem.data, state.loss, errors, copies))
        assert 0.9 * optimum <= max(bounds) <= optimum


@EVERY
def test_a_small_remainder_costs_little(name):
    """theory.md §4: what is left of the sum is shared so that the scale is ω / (1 + ω) at least."""
    rng, problem = np.random.default_rng(1), problem_of(problems.ARRAYS[name])
    state = until(Plain().iterate(problem), 1e-6).state
    L = state.errors.G / max(1.0, row_norms(state.errors.G).max())
    pull = problem.data.A.T @ L
    gain = -np.vdot(pull, problem.data.U)
    for size in (1e-4, 1e-2, 1.0):
        copies = []
        for one in state.copies:
            G = one.G + size * one.term.limit * rng.standard_normal(one.G.shape)
            G *= min(1.0, one.term.limit / one.term.dual_norm(G))
            copies.append(replace(one, G=G))
        left = pull + sum(one.G for one in copies)
        room = sum(one.term.limit / one.term.dual_norm(left) for one in copies)
        bound = lower_bound(problem.data, state.loss, replace(state.errors, G=L), copies)
        assert bound >= gain * room / (1.0 + room) * (1.0 - 1e-9)


def test_without_penalties_every_image_is_reproduced():
    last = next(Plain().iterate(Problem(ReducedData(problems.ARRAYS["low rank"]), 0.0, 0.0)))
    assert last.gap == 0.0
    assert last.best_objective == 0.0


# --- the squared loss ------------------------------------------------------------------------


@EVERY
@pytest.mark.parametrize("fractions", [(0.1, 0.05), (0.02, 0.02)])
def test_squared_errors_reach_the_conic_optimum(name, fractions):
    A = problems.ARRAYS[name]
    problem = problem_of(A, *fractions, "squared")
    last = until(Plain().iterate(problem), 1e-9)
    W = last.Z @ problem.data.U.T
    value = squared_objective(A, W, problem.alpha, problem.beta)
    assert value == pytest.approx(last.best_objective, rel=1e-12)
    half = lambda E, W: 0.5 * cp.sum_squares(E)  # noqa: E731
    found = conic.minimiser(A, problem.alpha, problem.beta, half)
    optimum = squared_objective(A, found, problem.alpha, problem.beta)
    assert value == pytest.approx(optimum, rel=1e-7)
    assert last.dual_bound <= optimum * (1 + 1e-12)


def test_a_trace_norm_and_squared_errors_shrink_what_is_in_the_directions_of_pca(real_pixels):
    """½ ‖A W − A‖_F² + β ‖W‖_*: with A = V S Uᵀ, W = U max(1 − β / S², 0) Uᵀ."""
    A = real_pixels("digits", centred=True)
    model = CSPCA(0.0, 0.05, loss="squared", solver="plain", tol=1e-9).fit(A)
    squared, U = np.linalg.eigh(A.T @ A)
    assert model.beta_max_ == pytest.approx(squared[-1], rel=1e-9)
    factors = np.maximum(1.0 - model.beta_ / np.maximum(squared, 1e-12), 0.0)
    best = float((0.5 * squared * (1 - factors) ** 2 + model.beta_ * factors).sum())
    assert model.objective_ == pytest.approx(best, rel=1e-9)
    assert model.rank_ == np.count_nonzero(factors)
    np.testing.assert_allclose(
        np.stack([model.weight_row(j) for j in range(64)]), (U * factors) @ U.T, atol=1e-4
    )


@pytest.mark.parametrize("alpha", [0.1, 0.6])
def test_pixels_of_their_own_are_shrunk_by_alpha(alpha):
    last = until(Plain().iterate(Problem(ReducedData(np.eye(5)), alpha, 0.0, "squared")), 1e-9)
    np.testing.assert_allclose(last.row_norms, 1.0 - alpha, atol=1e-4)
    assert last.best_objective == pytest.approx(5 * (alpha - 0.5 * alpha**2), rel=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_limits_are_those_of_the_loss(loss):
    data = ReducedData(problems.ARRAYS["centred"])
    alpha_max, beta_max = data.limits(loss)
    assert data.limits(loss) is data.limits(loss), "made once"
    pull = data.A.T @ LOSSES[loss].slope(-data.Y)
    assert alpha_max == pytest.approx(direct.row_norms(pull).max(), rel=1e-12)
    assert beta_max == pytest.approx(np.linalg.norm(pull, 2), rel=1e-12)
    for limits in ((0.98 * alpha_max, 0.0), (0.0, 0.98 * beta_max)):
        assert until(Plain().iterate(Problem(data, *limits, loss)), 1e-7).Z.any()


@pytest.mark.parametrize("solver", ["admm", "reweighted"])
def test_other_solvers_say_that_they_have_no_other_loss(solver):
    with pytest.raises(ValueError, match='use solver="plain"'):
        CSPCA(loss="squared", solver=solver).fit(problems.ARRAYS["centred"])


def test_squared_scores_of_what_is_left_out(small_faces):
    """How close a pixel is to entering, where none is in and where some are."""
    A = small_faces.data.astype(np.float64)
    for alpha in (1.0, 0.3):
        wishes = {"solver": "plain", "loss": "squared", "center": False, "tol": 1e-8}
        model = CSPCA(alpha, 0.0, max_iter=20_000, **wishes).fit(A)
        E = A @ model.fit_.Z @ model.fit_.U.T - A
        entry = row_norms(A.T @ E) / model.alpha_
        np.testing.assert_allclose(model.dual_scores_, np.minimum(entry, 1.0), atol=1e-3)


# --- terms of one's own ----------------------------------------------------------------------


@dataclass
class Huber(Loss):
    """Squared where an error is below δ, its norm above: ``ℓ* = ½‖Λ‖_F²`` where ``‖λ_i‖ ≤ δ``."""

    limit: float

    def value(self, B):
        norms = row_norms(B)
        small = np.minimum(norms, self.limit)
        return float((0.5 * small**2 + self.limit * (norms - small)).sum())

    def prox(self, B, step):
        return B - self.slope(B / (1.0 + step)) * step

    def slope(self, E):
        return E * np.minimum(1.0, self.limit / np.maximum(row_norms(E), 1e-300))[:, None]

    def dual_norm(self, G):
        return float(row_norms(G).max())

    def conjugate(self, G, error=0.0):
        return 0.5 * (np.linalg.norm(G) + error) ** 2


@dataclass
class Frobenius(Norm):
    """``limit · ‖Z‖_F``."""

    limit: float

    def value(self, B):
        return self.limit * float(np.linalg.norm(B))

    def prox(self, B, step):
        return shrink_rows(B.reshape(1, -1), step * self.limit).reshape(B.shape)

    def dual_norm(self, G):
        return float(np.linalg.norm(G))


@pytest.mark.parametrize("name", ["fewer images than pixels", "more images than pixels"])
def test_a_loss_and_a_penalty_are_a_class_each(name):
    """Three penalties and another loss, solved and proven with the loop and lines of all others."""
    A = problems.ARRAYS[name]
    data = ReducedData(A)
    terms = [RowNorms(0.3), TraceNorm(0.2), Frobenius(0.4)]
    delta = 0.5
    state = PlainState(data, Huber(delta), terms, np.zeros_like(data.U))
    for _ in range(2000):
        state.step()
        state.check()

    def more(E, W):
        # cvxpy's is twice ours.
        return 0.5 * cp.sum(cp.huber(cp.norm(E, 2, axis=1), delta)) + 0.4 * cp.norm(W, "fro")

    W = conic.minimiser(A, 0.3, 0.2, more)
    optimum = Huber(delta).value(A @ W - A) + sum(one.value(W) for one in terms)
    assert state.best_objective == pytest.approx(optimum, rel=1e-7)
    assert state.dual_bound <= optimum * (1 + 1e-12)
    assert state.dual_bound >= state.best_objective * (1 - 1e-9)


@dataclass
class Elastic(FiniteConjugate):
    """``α ‖Z‖₂,₁ + ½ γ ‖Z‖_F²``, whose conjugate is ``Σ (‖g_j‖ − α)₊² / 2γ``."""

    alpha: float
    gamma: float

    def value(self, B):
        return self.alpha * float(row_norms(B).sum()) + 0.5 * self.gamma * float(np.vdot(B, B))

    def prox(self, B, step):
        return shrink_rows(B, step * self.alpha) / (1.0 + step * self.gamma)

    def conjugate(self, G, error=0.0):
        excess = np.maximum(row_norms(G) - self.alpha, 0.0)
        return (np.linalg.norm(excess) + error) ** 2 / (2.0 * self.gamma)


@EVERY
@pytest.mark.parametrize(("gamma", "beta"), [(0.5, 0.0), (0.02, 0.2)])
def test_a_penalty_that_is_no_norm_is_one_class_with_its_certificate(name, gamma, beta):
    A = problems.ARRAYS[name]
    data = ReducedData(A)
    terms = [Elastic(0.3, gamma), TraceNorm(beta)]
    steps = Plain(penalties=terms).iterate(Problem(data, 0.0, 0.0))
    first = next(steps)
    last = until(steps, 1e-9)
    more = lambda E, W: conic.rows(E) + 0.5 * gamma * cp.sum_squares(W)  # noqa: E731
    W = conic.minimiser(A, 0.3, beta, more)
    optimum = row_norms(A @ W - A).sum() + sum(term.value(W) for term in terms)
    assert last.best_objective == pytest.approx(optimum, rel=1e-6)
    assert first.dual_bound <= last.dual_bound <= optimum * (1 + 1e-12)
    assert 0.0 <= last.gap <= 1e-9


def test_a_state_goes_on_under_its_own_penalties_only():
    problem = problem_of(problems.ARRAYS["centred"])
    state = take(Plain().iterate(problem), 20)[-1].state
    penalties = [RowNorms(problem.alpha), TraceNorm(problem.beta)]
    assert next(Plain(penalties=penalties).iterate(problem, state)).number == 21
    assert next(Plain(penalties=[Elastic(0.3, 0.5)]).iterate(problem, state)).number == 1


def test_a_penalty_whose_bound_holds_of_z_alone_is_refused():
    problem = problem_of(problems.ARRAYS["centred"])
    with pytest.raises(ValueError, match=r"the penalty Entries is .* at BQ with an orthogonal Q"):
        next(Plain(penalties=[RowNorms(0.1), Entries(0.1)]).iterate(problem))


@pytest.mark.parametrize("penalties", [(0.1, 0.0), (0.0, 0.1), (0.1, 0.05)])
def test_multipliers_that_are_no_numbers_prove_nothing(penalties):
    problem = problem_of(problems.ARRAYS["centred"], *penalties)
    state = take(Plain().iterate(problem), 20)[-1].state
    copies = [state.errors, *state.copies]
    for index, copy in enumerate(copies):
        spoilt = copies.copy()
        spoilt[index] = replace(copy, G=np.full_like(copy.G, np.nan))
        assert lower_bound(problem.data, state.loss, spoilt[0], spoilt[1:]) == 0.0


# --- the iterator's promises -----------------------------------------------------------------


@pytest.mark.parametrize("start", STARTS)
def test_every_start_arrives_and_none_is_worse_than_zero(start, small_faces):
    A = small_faces.data.astype(np.float64)
    problem = problem_of(A, 1e-3, 1e-4)
    steps = Plain(random_state=0).iterate(problem, start)
    first = next(steps)
    # To rounding: a start that is worse is not taken, and zero is what is left.
    assert first.best_objective <= row_norms(A).sum() * (1 + 1e-12)
    assert until(steps, 1e-6, limit=2000).gap <= 1e-6


def test_the_last_iteration_is_checked_and_the_gap_is_on_record():
    last = take(Plain(limit=13).iterate(problem_of(problems.ARRAYS["centred"])), 13)[-1]
    assert np.isfinite(last.objective)
    assert 0.0 < last.gap < 1.0
