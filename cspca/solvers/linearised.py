"""One penalty hardly matters next to the other: it enters by its gradient, the other is shrunk.

Of two penalties of which one makes up a few hundredths of the objective, ADMM with a copy of Z for
each pays twice. Here the minor one is linearised where the last check left Z, which changes the
optimum to second order in its share. A gradient bounds its norm from below everywhere, so that the
certificate stays what it is.

A minor α leaves Z inside the span of U, ``Z = U M``, again but for the second order: the iteration
is one of r × r matrices. A minor β leaves no singular values to be shrunk in an iteration.

The certificate gives what the multipliers leave of ``AᵀΛ + G₁ + G₂ = 0`` to Λ: on ORL at α = 0 that
halves the iterations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from cspca.problem import Problem
from cspca.problem.certificate import ROUND_OFF
from cspca.proximal import (
    FloatArray,
    row_norms,
    shrink_rows,
    shrink_singular_values,
    spectral_norm_bound,
)
from cspca.solvers.admm_state import near_by
from cspca.solvers.blocks import LossRows
from cspca.solvers.diagonal import DiagonalGuess
from cspca.solvers.interpolation import polar_factor
from cspca.solvers.iterate import CertifiedSolution, relative_gap


def linearised_state(
    problem: Problem,
    guess: DiagonalGuess,
    target: float,
    olds: Mapping[type[Linearised], Linearised],
) -> Linearised | None:
    """Where to begin when one penalty hardly matters; None where both do, W has low rank or is I.

    The state of `olds` is taken up again where only the minor penalty differs.
    """
    values = problem.data.singular_values
    if values[0] > _LARGE or values[-1] < 1.0 / _LARGE:
        return None
    if problem.data.full_column_rank:
        # W = I is near, which is for ADMM to recognise.
        return None
    used = np.count_nonzero(guess.factors)
    if target < _COARSE or used < _MANY * problem.data.rank:
        return None
    square = float(np.square(guess.factors).sum())
    rows, trace = (pull * square for pull in (guess.row_pull, guess.spectral_pull))
    if trace > 0.0 and rows <= _MINOR * guess.objective:
        kind: type[Linearised] = LinearisedRows
    elif rows > 0.0 and trace <= _MINOR * guess.objective:
        kind = LinearisedTrace
    else:
        return None
    old = olds.get(kind)
    if old is not None and old.serves(problem):
        old.turn_to(problem)
        return old
    return kind(problem, guess)


class Linearised(ABC):
    """The loss, the major penalty with its copy and multiplier, and the minor one's gradient."""

    clips: ClassVar[bool]
    """Whether ``‖λ_i‖`` beyond 1 are cut one by one, rather than all of Λ scaled."""

    def __init__(self, problem: Problem, guess: DiagonalGuess) -> None:
        self.problem = problem
        dtype = np.dtype(np.float32)
        data = problem.in_memory
        self.U = data.U.astype(dtype)
        self.squared: FloatArray = np.square(data.singular_values).astype(dtype)
        self.loss_penalty, self.penalty = self.penalties(guess)
        self.rows = LossRows(data, dtype)
        self.rows.begin((guess.factors - 1.0).astype(dtype), self.loss_penalty, 1e-3 * guess.error)
        self.rank = data.rank
        self.begin(guess)

    def solve(self, target: float, limit: int) -> tuple[CertifiedSolution | None, int]:
        """Iterate until certified; None where that fails. And the iterations made."""
        best, bound, Z = float("inf"), 0.0, None
        number, due, last = 0, _FIRST, (0, 1.0)
        while number < limit:
            self.step()
            number += 1
            if number < due and number < limit:
                continue
            candidate, errors, pull, largest = self.look()
            objective = self.problem.value(errors, candidate)
            if objective < best:
                best, Z = objective, candidate
            bound = max(bound, self.bound(pull, largest, best * (1.0 - target)))
            gap = relative_gap(best, bound)
            if Z is not None and gap <= target:
                return CertifiedSolution(Z, best, bound, self.rank), number
            fall = (gap / last[1]) ** (1.0 / (number - last[0]))
            ahead = np.log(target / gap) / np.log(np.clip(fall, 0.3, 0.98))
            if number >= _TRIAL and number + ahead > 2 * limit:
                break
            due, last = number + int(np.clip(np.ceil(ahead), 1, _EVERY)), (number, gap)
        return None, number

    def look(self) -> tuple[FloatArray, float, FloatArray, float]:
        """Z, its errors, ``AᵀΛ`` and the largest ``‖λ_i‖``; the gradient is renewed."""
        Z = self.coefficients()
        errors, pull, largest = self.rows.check(Z, self.loss_penalty)
        self.linearise(Z)
        return Z, errors, pull, largest

    def bound(self, pull: FloatArray, largest: float, enough: float) -> float:
        """Proven lower bound: Λ takes what is left over, or else the major penalty does."""
        data = self.problem.in_memory
        L = self.rows.multiplier(self.loss_penalty)
        missing = data.U.T @ (pull + self.subgradients())
        moved = L - data.Y @ (missing / np.square(data.singular_values)[:, None])
        norms = row_norms(moved)
        if self.clips:
            moved *= np.minimum(1.0, 1.0 / np.maximum(norms, 1.0))[:, None]
            norms = np.minimum(norms, 1.0)
        best = self._value(data.A.T @ moved, float(norms.max()))
        # Where the data are ill-conditioned, Λ cannot take it.
        return best if best >= enough else max(best, self._value(pull, largest))

    def _value(self, pull: FloatArray, largest: float) -> float:
        """Dual value once the minor gradient is given and the major penalty takes the rest."""
        scale = min(1.0, 1.0 / max(largest, _TINY), self.room(pull))
        return -float(np.vdot(pull, self.problem.data.U)) * scale * ROUND_OFF

    def serves(self, problem: Problem) -> bool:
        """Whether the state is near the solution of `problem`: its major penalty is the same."""
        same = self.problem.data is problem.data
        return same and near_by(self.major(problem), self.major(self.problem), _NEAR)

    def turn_to(self, problem: Problem) -> None:
        """Go on with other penalties."""
        self.problem = problem
        self.linearise(self.coefficients())

    def _centre(self, inner: FloatArray) -> FloatArray:
        """Solve the Z-step inside the range of U; `inner` is its pull, divided by the penalty."""
        loss, penalty = np.float32(self.loss_penalty), np.float32(self.penalty)
        M: FloatArray = loss * (self.rows.pull() + np.diag(self.squared)) + penalty * inner
        M /= (loss * self.squared + penalty)[:, None]
        return M

    def _advance(self, M: FloatArray) -> None:
        N = M.copy()
        N[np.diag_indices_from(N)] -= 1.0
        self.rows.step(N, self.loss_penalty, _RELAXATION, measure=False)

    @staticmethod
    @abstractmethod
    def major(problem: Problem) -> Problem:
        """`problem` without its minor penalty."""

    @abstractmethod
    def penalties(self, guess: DiagonalGuess) -> tuple[float, float]:
        """ρ of the loss and of the copy; they stay as they are."""

    @abstractmethod
    def begin(self, guess: DiagonalGuess) -> None:
        """Set the copy to the guess, and the multiplier that belongs to it."""

    @abstractmethod
    def step(self) -> None:
        """One over-relaxed iteration."""

    @abstractmethod
    def coefficients(self) -> FloatArray:
        """Z in double precision, shape (n_features, rank)."""

    @abstractmethod
    def linearise(self, Z: FloatArray) -> None:
        """Renew the gradient of the minor penalty."""

    @abstractmethod
    def subgradients(self) -> FloatArray:
        """``G₁ + G₂``, shape (n_features, rank)."""

    @abstractmethod
    def room(self, pull: FloatArray) -> float:
        """By what the dual variables must be scaled when the major penalty takes the remainder."""


class LinearisedRows(Linearised):
    """α is minor: ``Z = U M``, the trace norm of M is shrunk."""

    clips = False
    Q: FloatArray
    q: FloatArray
    G1: FloatArray
    gradient: FloatArray

    @staticmethod
    def major(problem: Problem) -> Problem:
        """`problem` without α."""
        return Problem(problem.data, 0.0, problem.beta)

    def penalties(self, guess: DiagonalGuess) -> tuple[float, float]:
        """Half the penalty that ADMM gives the loss, and its own for the trace norm."""
        spread = float(guess.factors.max()) ** 0.75
        return 0.3 / guess.error, 0.6 * spread * guess.spectral_pull

    def begin(self, guess: DiagonalGuess) -> None:
        """At ``Z = U diag(factors)``."""
        self.Q = np.diag(guess.factors).astype(np.float32)
        self.linearise(self.coefficients())
        # What Λ and G₁ leave, as far as β lets it.
        left = -(self._loss_pull() + self.gradient)
        left -= shrink_singular_values(left, self.problem.beta).value
        self.q = left / np.float32(self.penalty)

    def _loss_pull(self) -> FloatArray:
        """``YᵀΛ`` of the present multipliers."""
        pull: FloatArray = self.rows.Y.T @ (
            self.rows.H * (np.float32(self.loss_penalty) * self.rows.free)[:, None]
        )
        return pull

    def step(self) -> None:
        """One over-relaxed iteration."""
        penalty = np.float32(self.penalty)
        M = self._centre(self.Q - self.q - self.gradient / penalty)
        self._advance(M)
        hat = _RELAXATION * M - (_RELAXATION - 1.0) * self.Q + self.q
        shrunk = shrink_singular_values(hat, self.problem.beta / self.penalty)
        self.Q, self.rank = shrunk.value, shrunk.rank
        hat -= self.Q
        self.q = hat

    def coefficients(self) -> FloatArray:
        """``U Q``."""
        Z: FloatArray = self.problem.data.U @ self.Q.astype(np.float64)
        return Z

    def linearise(self, Z: FloatArray) -> None:
        """α times the directions of the rows; of none where a row is 0."""
        norms = row_norms(Z)
        self.G1 = self.problem.alpha * (Z / np.maximum(norms, _TINY)[:, None])
        self.gradient = (self.problem.data.U.T @ self.G1).astype(np.float32)

    def subgradients(self) -> FloatArray:
        """Inside the range of U, which is what is asked for."""
        G2 = self.penalty * self.q.astype(np.float64)
        total: FloatArray = self.G1 + self.problem.data.U @ G2
        return total

    def room(self, pull: FloatArray) -> float:
        """G₂ takes what Λ and G₁ leave."""
        beta = self.problem.beta
        return beta / spectral_norm_bound(pull + self.G1, beta)


class LinearisedTrace(Linearised):
    """β is minor: the rows of Z are shrunk."""

    clips = True
    P: FloatArray
    p: FloatArray
    G2: FloatArray
    gradient: FloatArray

    @staticmethod
    def major(problem: Problem) -> Problem:
        """`problem` without β."""
        return Problem(problem.data, problem.alpha, 0.0)

    def penalties(self, guess: DiagonalGuess) -> tuple[float, float]:
        """Twice what ADMM gives the loss; a fifth of what the guess, not sparse, says of rows."""
        spread = float(guess.factors.max()) ** 0.75
        return 1.2 / guess.error, 0.2 * spread * guess.row_pull

    def begin(self, guess: DiagonalGuess) -> None:
        """At ``Z = U diag(factors)``."""
        Z = self.problem.data.U * guess.factors
        norms = row_norms(Z)
        G1 = Z * (self.problem.alpha / np.maximum(norms, 1e-3 * norms.max()))[:, None]
        self.P, self.p = Z.astype(np.float32), (G1 / self.penalty).astype(np.float32)
        self.linearise(Z)

    def step(self) -> None:
        """One over-relaxed iteration."""
        C = self.P - self.p
        if self.problem.beta > 0.0:
            C -= self.gradient
        inner = self.U.T @ C
        M = self._centre(inner)
        Z = self.U @ (M - inner)
        Z += C
        self._advance(M)
        hat = _RELAXATION * Z - (_RELAXATION - 1.0) * self.P + self.p
        self.P = shrink_rows(hat, self.problem.alpha / self.penalty)
        hat -= self.P
        self.p = hat

    def coefficients(self) -> FloatArray:
        """P."""
        return self.P.astype(np.float64)

    def linearise(self, Z: FloatArray) -> None:
        """β times the polar factor; no gradient without a trace norm."""
        if self.problem.beta > 0.0:
            factor = polar_factor(Z)
            self.G2 = factor * (self.problem.beta / spectral_norm_bound(factor, 1.0))
            self.gradient = (self.G2 / self.penalty).astype(np.float32)
        else:
            self.G2 = np.zeros_like(Z)

    def subgradients(self) -> FloatArray:
        """G₁ of the multiplier and G₂ of the gradient."""
        total: FloatArray = self.penalty * self.p.astype(np.float64) + self.G2
        return total

    def room(self, pull: FloatArray) -> float:
        """G₁ takes what Λ and G₂ leave."""
        rows = float(row_norms(pull + self.G2).max())
        return self.problem.alpha / max(rows, _TINY)


_TINY = float(np.finfo(np.float64).tiny)

_MINOR = 0.03
"""Share of the objective below which a penalty is minor."""

_MANY = 0.6
"""Share of the directions in use below which general ADMM, on few columns or not, is as fast."""

_LARGE = 1e15
"""Singular values beyond this, or below its inverse, have squares too much for single precision."""

_COARSE = 3e-4
"""Least gap that single precision and a linearised penalty are good for."""

_FIRST, _EVERY = 8, 5
"""Iterations before the first certificate, and most between two."""

_TRIAL = 15
"""Iterations after which a gap that falls too slowly ends the attempt."""

_RELAXATION = 1.6

_NEAR = 1.02
"""Factor by which the major penalty may differ for a state to serve again."""
