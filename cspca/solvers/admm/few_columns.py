"""ADMM on few columns: where W has low rank, most of Z is zero and need not be carried along.

``Z = C Vᵀ`` is restricted to k orthonormal directions V: what lies outside is a constant of each
image, and an iteration costs a fraction k / r of a whole one. Its multipliers extend to all, so
every check certifies the *whole* problem and says which directions V lacks (theory.md §7). Where
the rank turns out too high, or more digits are asked for than single precision has, the state is
unfolded and ADMM goes on with all columns.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, fields
from typing import Self

import numpy as np
import scipy

from cspca.problem import Problem
from cspca.problem.certificate import Lengths, reflect_rows
from cspca.proximal import FloatArray, SpectralShrinkage, row_norms, shrink_singular_values
from cspca.solvers.admm.starts import (
    SHORT,
    DiagonalGuess,
    diagonal_guess,
)
from cspca.solvers.admm.state import (
    SINGLE_GAP,
    ADMMState,
    Splitting,
    guessed_rows,
)

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


@dataclass(kw_only=True)
class FewColumnsState(Splitting):
    """Copies and scaled multipliers of the restricted problem, in single precision.

    The span of V holds all rows of every Z so far; E and u are in `loss`, on as many columns.
    """

    V: FloatArray
    explorations: int = 0

    def coefficients(self) -> FloatArray:
        """Z of all columns, shape (n_features, rank of the data)."""
        return self.sparse() @ self.V.astype(_WORK).T

    def explore(self) -> None:
        """Widen V by what a check would miss in it now, without the proof and at half its cost."""
        pull = self.operators[0] @ self.loss.inner_pull(self.loss_rho)
        inverse = -pull - (_WORK.type(self.row_rho) * self.p) @ self.V.astype(_WORK).T
        shrunk = self._excess(inverse)
        self._widen(self._joined(shrunk.right[:, : shrunk.rank]), pull)
        self.explorations += 1
        wait = EXPLORATION if self.explores else BETWEEN
        self.next_check = self.number + wait

    def check(self, tolerance: float) -> float:
        """Certify the whole problem, and widen V by the directions in the way; the objective."""
        objective, pull, lengths = self.evaluate(tolerance)
        enough = self.best_objective * (1.0 - tolerance)
        bound, V = self._certify(pull, lengths, enough)
        before, gap = self.gap, self.bounded(bound)
        self.slow_checks = self.slow_checks + 1 if gap > STANDING * before else 0
        self.next_check = self.number + BETWEEN
        if gap > tolerance:
            self._widen(V, pull)
        return objective

    def _certify(
        self, pull: FloatArray, lengths: Lengths, enough: float
    ) -> tuple[float, FloatArray]:
        """Bound of the whole problem, and V with the directions that it found to be missing."""
        problem, V = self.problem, self.V.astype(_WORK)
        G1 = (_WORK.type(self.row_rho) * self.p) @ V.T
        inverse = -(pull.astype(_WORK) + G1)
        shrunk = self._excess(inverse)
        # The first round of the split is done; reflect, as between two rounds of it.
        G1 = reflect_rows(G1 + shrunk.value, problem.alpha)
        few = shrunk.right[:, : shrunk.rank + self.rank + PADDING]
        near = few if SUBSPACE * few.shape[1] <= len(V) else None
        G2 = inverse - shrunk.value
        bound = problem.bound_of(pull, lengths, G1, G2, enough, near, known=self.dual_bound)
        return bound, self._joined(shrunk.right[:, : shrunk.rank])

    def _excess(self, inverse: FloatArray) -> SpectralShrinkage:
        """What exceeds β, by a step of subspace iteration, so that it is seen outside V."""
        V = self.V.astype(_WORK)
        near = V if SUBSPACE * V.shape[1] <= len(V) else None
        return shrink_singular_values(inverse, self.problem.beta, near)

    def warmed(self, problem: Problem) -> Self | None:
        """Begin under other penalties of the same data from here.

        None where the directions are too many, by now or in use, or not yet gathered.
        """
        few = 0 < max(MOST_COLUMNS * self.rank, 2 * self.V.shape[1]) <= problem.data.rank
        if self.explores or not few:
            return None
        guess = diagonal_guess(problem)
        return self.under(problem, guess, best_objective=self.best_under(problem))

    @property
    def explores(self) -> bool:
        """Whether V is still to be widened before a certificate is worth while."""
        return self.explorations < EXPLORATIONS

    @property
    def at_its_end(self) -> bool:
        """Whether all columns are needed: single precision is at its end, or the gap stands."""
        return self.gap < SINGLE_GAP or self.slow_checks >= STANDING_CHECKS

    def unfold(self) -> ADMMState:
        """The same point with all columns."""
        data, V, loss = self.problem.data, self.V.astype(_WORK), copy.copy(self.loss)
        N = self.operators[0].T @ self.coefficients() - np.eye(data.rank, dtype=_WORK)
        loss.begin(N, self.loss_rho, SHORT * self.guess.error)
        pull, _ = loss.shifted(self.loss_rho)
        inverse = (-(pull + self.row_rho * (self.p @ V.T))).astype(_WORK)
        G2 = inverse - shrink_singular_values(inverse, self.problem.beta).value
        state = ADMMState(**{one.name: getattr(self, one.name) for one in fields(Splitting)})
        for name in ("Z", "P", "p", "Q"):
            setattr(state, name, getattr(self, name) @ V.T)
        state.q = G2 / _WORK.type(self.spectral_rho)
        state.V, state.right, state.loss = None, None, loss
        state.next_check, state.slow_checks = self.number + BETWEEN, 0
        state.checked = self.number
        return state

    def _joined(self, right: FloatArray) -> FloatArray:
        """V and the directions of `right` that it lacks, orthonormal."""
        extra = right.astype(np.float64)
        # The basis holds only what is missing, twice cleaned.
        for _ in range(2):
            extra = extra - self.V @ (self.V.T @ extra)
        basis, triangle, _ = scipy.linalg.qr(
            extra, mode="economic", pivoting=True, check_finite=False
        )
        # Even a slight turn of V counts where β dominates: rows of AᵀΛ are far longer than α then.
        missing = basis[:, np.abs(np.diag(triangle)) > MISSING]
        missing = missing - self.V @ (self.V.T @ missing)
        return np.hstack([self.V, missing])

    def _widen(self, V: FloatArray, pull: FloatArray) -> None:
        """Go on with more directions: nothing moves, the multipliers gain their parts."""
        new = V[:, self.V.shape[1] :]
        if not new.shape[1]:
            return
        lost = -(pull @ new).astype(_WORK)

        def wider(B: FloatArray, extra: FloatArray | None = None) -> FloatArray:
            columns = np.zeros((len(B), new.shape[1])) if extra is None else extra
            return np.hstack([B, columns.astype(_WORK)])

        for name in ("Z", "P", "p", "Q"):
            setattr(self, name, wider(getattr(self, name)))
        self.right = None
        G2 = wider(_WORK.type(self.spectral_rho) * self.q, lost)
        G2 -= shrink_singular_values(G2, self.problem.beta).value
        self.q = G2 / _WORK.type(self.spectral_rho)
        self.loss.widen(V)
        self.V = V


def few_columns_cold(problem: Problem, guess: DiagonalGuess) -> FewColumnsState | None:
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
    state = FewColumnsState.begin(problem, guess, C, N, V)
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
