"""ADMM on few columns: where W has low rank, most of Z is zero and need not be carried along.

``Z = C Vᵀ`` is restricted to k orthonormal directions V: what lies outside is a constant of each
image, and an iteration costs a fraction k / r of a whole one. Its multipliers extend to all, so
every check certifies the *whole* problem and says which directions V lacks (theory.md §7). Where
the rank turns out too high, or more digits are asked for than single precision has, the state is
unfolded and ADMM goes on with all columns.
"""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import scipy

from cspca.problem import Problem
from cspca.problem.certificate import Bound, Lengths, reflect_rows
from cspca.proximal import FloatArray, SpectralShrinkage, row_norms, shrink_singular_values
from cspca.solvers.admm.starts import SHORT, DiagonalGuess, diagonal_guess
from cspca.solvers.admm.state import SINGLE_GAP, ADMMState, guessed_rows

COARSE_GAP = 5e-4
"""Least gap that is certified on few columns."""

MOST_COLUMNS = 3
"""All directions over those in use, from which few columns pay."""

SPARE = 8
"""Directions to begin with, beyond those that the guess uses."""

EXPLORATION, EXPLORATIONS = 3, 2
"""Iterations until V is widened without a certificate, and how often; without that COIL20 at
α = β = 10 takes 1.7 times as long."""

BETWEEN = 4
"""Iterations from one check to the next."""

PADDING, SUBSPACE = 12, 4
"""A shrinkage starts from a span of so many directions more than in use, where that is at most a
fourth of all (theory.md §6)."""

MISSING = 1e-3
"""Part of a direction outside V from which V lacks it."""

STANDING, STANDING_CHECKS = 0.7, 2
"""So many checks in a row that leave more than this share of the gap end few columns."""

_WORK = np.dtype(np.float32)


def is_early(state: ADMMState) -> bool:
    """Whether V is still to be widened before a certificate is worth while."""
    return state.explorations < EXPLORATIONS


def is_exhausted(state: ADMMState) -> bool:
    """Whether all columns are needed: single precision is at its end, or the gap stands."""
    return state.gap < SINGLE_GAP or state.slow_checks >= STANDING_CHECKS


def explore(state: ADMMState) -> None:
    """Widen V by what a check would miss in it now, without the proof and at half its cost."""
    pull = state.operators[0] @ state.loss.inner_pull(state.loss_rho)
    shrunk = _excess(state, -pull - state.subgradients[0] @ state.columns.T)
    _widen(state, _joined(state, shrunk.right[:, : shrunk.rank]), pull)
    state.explorations += 1
    state.next_check = state.number + (EXPLORATION if is_early(state) else BETWEEN)


def check(state: ADMMState, tolerance: float) -> float:
    """Certify the whole problem, and widen V by the directions in the way; the objective."""
    objective, pull, lengths = state.evaluate(tolerance)
    enough = state.best_objective * (1.0 - tolerance)
    bound, V = _certify(state, pull, lengths, enough)
    before, gap = state.gap, state.bounded(bound)
    state.slow_checks = state.slow_checks + 1 if gap > STANDING * before else 0
    state.next_check = state.number + BETWEEN
    if gap > tolerance:
        _widen(state, V, pull)
    return objective


def warm_start(state: ADMMState, problem: Problem) -> ADMMState | None:
    """Begin under other penalties of the same data from few columns.

    None where the directions are too many, by now or in use, or not yet gathered.
    """
    n_columns = state.columns.shape[1]
    few = 0 < max(MOST_COLUMNS * state.rank, 2 * n_columns) <= problem.data.rank
    if is_early(state) or not few:
        return None
    objective = state.best_objective_for(problem)
    return state.for_penalties(problem, guess=diagonal_guess(problem), best_objective=objective)


def unfold(state: ADMMState) -> ADMMState:
    """The same point with all columns."""
    V, loss = state.columns, copy.copy(state.loss)
    N = state.operators[0].T @ state.coefficients() - np.eye(len(V), dtype=_WORK)
    loss.begin(N, state.loss_rho, SHORT * state.guess.error)
    pull, _ = loss.shifted(state.loss_rho)
    inverse = (-(pull + state.subgradients[0] @ V.T)).astype(_WORK)
    G2 = inverse - shrink_singular_values(inverse, state.problem.beta).value
    return replace(
        state,
        V=None,
        loss=loss,
        Z=state.Z @ V.T,
        P=state.P @ V.T,
        p=state.p @ V.T,
        Q=state.Q @ V.T,
        q=G2 / _WORK.type(state.spectral_rho),
        right=None,
        next_check=state.number + BETWEEN,
        slow_checks=0,
        checked=state.number,
    )


def _certify(
    state: ADMMState, pull: FloatArray, lengths: Lengths, enough: float
) -> tuple[Bound, FloatArray]:
    """Bound of the whole problem, and V with the directions that it found to be missing."""
    problem, V = state.problem, state.columns
    G1 = state.subgradients[0] @ V.T
    inverse = -(pull.astype(_WORK) + G1)
    shrunk = _excess(state, inverse)
    # The first round of the split is done; reflect, as between two rounds of it.
    G1 = reflect_rows(G1 + shrunk.value, problem.alpha)
    few = shrunk.right[:, : shrunk.rank + state.rank + PADDING]
    near = few if SUBSPACE * few.shape[1] <= len(V) else None
    G2 = inverse - shrunk.value
    bound = problem.bound_of(pull, lengths, G1, G2, enough, near, least=state.dual_bound)
    return bound, _joined(state, shrunk.right[:, : shrunk.rank])


def _excess(state: ADMMState, inverse: FloatArray) -> SpectralShrinkage:
    """What exceeds β, by a step of subspace iteration, so that it is seen outside V."""
    V = state.columns
    near = V if SUBSPACE * V.shape[1] <= len(V) else None
    return shrink_singular_values(inverse, state.problem.beta, near)


def _joined(state: ADMMState, right: FloatArray) -> FloatArray:
    """V and the directions of `right` that it lacks, orthonormal, in double precision."""
    assert state.V is not None
    V, extra = state.V, right.astype(np.float64)
    # The basis holds only what is missing, twice cleaned.
    for _ in range(2):
        extra = extra - V @ (V.T @ extra)
    basis, triangle, _ = scipy.linalg.qr(extra, mode="economic", pivoting=True, check_finite=False)
    # Even a slight turn of V counts where β dominates: rows of AᵀΛ are far longer than α then.
    missing = basis[:, np.abs(np.diag(triangle)) > MISSING]
    missing = missing - V @ (V.T @ missing)
    return np.hstack([V, missing])


def _widen(state: ADMMState, V: FloatArray, pull: FloatArray) -> None:
    """Go on with more directions: nothing moves, the multipliers gain their parts."""
    new = V[:, state.columns.shape[1] :]
    if not new.shape[1]:
        return
    zeros = np.zeros((len(state.Z), new.shape[1]), _WORK)
    state.Z, state.P, state.p, state.Q = (
        np.hstack([B, zeros]) for B in (state.Z, state.P, state.p, state.Q)
    )
    G2 = np.hstack([state.subgradients[1], -(pull @ new).astype(_WORK)])
    G2 -= shrink_singular_values(G2, state.problem.beta).value
    state.q = G2 / _WORK.type(state.spectral_rho)
    state.right = None
    state.loss.widen(V)
    state.V = V


def cold_start(problem: Problem, guess: DiagonalGuess) -> ADMMState | None:
    """Begin from the best diagonal map in the directions that it uses; None where they are many."""
    if not problem.alpha or not problem.beta:
        return None
    used = int(np.count_nonzero(guess.factors))
    # A few directions more than are in use, to begin with.
    k, r = used + SPARE, problem.data.rank
    if not used or MOST_COLUMNS * k > r:
        return None
    V = np.eye(r)[:, np.argsort(-guess.factors, kind="stable")[:k]]
    U, columns = problem.data.U.astype(_WORK), V.astype(_WORK)
    C = (U * guess.factors.astype(_WORK)) @ columns
    N = (guess.factors - 1.0).astype(_WORK)[:, None] * columns
    state = ADMMState.begin(problem, guess, C, N, V)
    G1 = guessed_rows(C, problem.alpha, SHORT * float(row_norms(C).max()))
    # What is left for G₂, as far as its bound lets it.
    left = -(U @ (_WORK.type(state.loss_rho) * state.guessed_pull(N))) - G1
    left -= shrink_singular_values(left, problem.beta).value
    state.p = G1 / _WORK.type(state.row_rho)
    state.q = left / _WORK.type(state.spectral_rho)
    state.rank, state.next_check = C.shape[1], EXPLORATION
    # A candidate like any other: a fit that is stopped at once has this to show.
    state.offer(guess.objective, problem.data.U * guess.factors)
    return state
