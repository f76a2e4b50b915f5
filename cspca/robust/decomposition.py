"""What both convex splits share: one solver, one certificate; a method brings its norm."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Annotated, ClassVar

import numpy as np
from scipy.linalg import svd
from sklearn.utils._param_validation import Interval

from cspca.estimator import COUNT, NOT_NEGATIVE, POSITIVE
from cspca.problem.certificate import round_off, spectral_norm_bound
from cspca.problem.terms import Term
from cspca.proximal import FloatArray, shrink_singular_values, singular_values, trace_norm
from cspca.robust.base import RobustMethod, say_unfinished
from cspca.solvers.iterate import relative_gap

_GREATER_THAN_1 = [Interval(Real, 1, None, closed="neither")]

_RELAXATION = 1.6
"""Over-relaxation: the gap of rendered faces halves, at as many iterations."""

_NEARLY_SPLIT, _FAST_GROWTH = 1e-4, 1.5
"""Share of the data that L and S miss from which the penalty grows by at least the second number,
as in the source: L hardly moves any more, and the multipliers of before prove more."""


@dataclass(repr=False, eq=False)
class ConvexSplit(RobustMethod):
    """``min ‖L‖_* + λ f(S)`` over ``A = L + S``, with a norm f that makes S sparse.

    The inexact augmented Lagrangian method, over-relaxed: both norms are shrunk in turn, and the
    multiplier Y of ``A = L + S`` follows. Any Y is brought near ``‖Y‖₂ ≤ 1`` and what λf's dual
    norm allows, and scaled until both hold; then ``⟨A, Y⟩`` is a lower bound of the optimum, and
    ``(L, A − L)`` gives an upper one.
    """

    _: KW_ONLY
    sparsity: Annotated[float | None, [*POSITIVE, None]] = None
    growth: Annotated[float, _GREATER_THAN_1] = 1.1
    tol: Annotated[float, NOT_NEGATIVE] = 1e-7
    max_iter: Annotated[int, COUNT] = 1000

    #: The norm f.
    term: ClassVar[Term]

    @abstractmethod
    def _usual_sparsity(self, shape: tuple[int, ...]) -> float:
        """λ of the theory."""

    def _first_penalty(self, A: FloatArray, spectral_norm: float) -> float:
        """Penalty of the augmented Lagrangian to begin with: that of the source."""
        return 1.25 / spectral_norm

    def _split(self, A: FloatArray) -> tuple[FloatArray, FloatArray]:
        size, spectral = float(np.linalg.norm(A)), float(singular_values(A)[0])
        self.sparsity_ = weight = self.sparsity or self._usual_sparsity(A.shape)
        Y = A / max(spectral, self.term.dual_norm(A) / weight)
        penalty, S, growth = self._first_penalty(A, spectral), np.zeros_like(A), self.growth
        multipliers: tuple[FloatArray, ...] = ()
        for number in range(1, self.max_iter + 1):
            self.n_iter_ = number
            L, rank = _shrink_spectrum(A - S + Y / penalty, 1.0 / penalty)
            # Its spectral norm is at most 1; the dual norm of the next multiplier is at most λ.
            half_step = Y + penalty * (A - L - S)
            hat = Y / penalty + _RELAXATION * (A - L) - (_RELAXATION - 1.0) * S
            S = self.term.prox(hat, weight / penalty)
            Y = penalty * (hat - S)
            missed = float(np.linalg.norm(A - L - S))
            if missed <= self.tol * size:
                break
            if missed <= _NEARLY_SPLIT * size and not multipliers:
                multipliers = Y, half_step, self._nearly_allowed(Y)
                growth = max(growth, _FAST_GROWTH)
            penalty *= growth
        else:
            say_unfinished(self, f"L and S miss the data by more than tol = {self.tol:g}")
        self.objective_ = trace_norm(L) + weight * self.term.value(A - L)
        multipliers += Y, half_step, self._nearly_allowed(Y)
        self.dual_objective_ = max(self._bound(A, multiplier) for multiplier in multipliers)
        self.duality_gap_ = relative_gap(self.objective_, self.dual_objective_)
        self.components_ = svd(L, full_matrices=False, check_finite=False)[2][:rank]
        return L, S

    def _nearly_allowed(self, Y: FloatArray) -> FloatArray:
        """Y brought to what both dual norms allow, in turn: then scaling takes less off a bound."""
        for _ in range(3):
            Y = Y - _shrink_spectrum(Y, 1.0)[0]
            Y = Y - self.term.prox(Y, self.sparsity_)
        return Y

    def _bound(self, A: FloatArray, Y: FloatArray) -> float:
        """Proven lower bound of the optimum from any Y (theory.md §17)."""
        error = round_off(A.size)
        value = float(np.vdot(A, Y)) - error * float(np.linalg.norm(A) * np.linalg.norm(Y))
        dual = self.term.dual_norm(Y) * (1.0 + round_off(A.shape[1])) / self.sparsity_
        # NaN gives 0, for it comes second.
        return max(0.0, value / max(1.0, spectral_norm_bound(Y, 1.0), dual) * (1.0 - error))


def _shrink_spectrum(B: FloatArray, threshold: float) -> tuple[FloatArray, int]:
    """B with its singular values shrunk, by the Gram matrix of its smaller side, and the rank."""
    wide = B.shape[1] > B.shape[0]
    shrunk = shrink_singular_values(B.T if wide else B, threshold)
    return shrunk.value.T if wide else shrunk.value, shrunk.rank
