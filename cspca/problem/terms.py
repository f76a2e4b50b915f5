"""Losses and penalties, each a small class: one more is one more class (for :mod:`.solvers.plain`).

Of a convex function f the conjugate is ``f*(G) = sup_B ⟨G, B⟩ − f(B)``. The certificate rests on it
(theory.md §4), so a class says it in two parts: where it is finite, by `dual_norm` and `limit`, and
how large it is there, by `conjugate`. A :class:`Norm` has nothing to say of the second, a
:class:`FiniteConjugate` nothing of the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from cspca.proximal import FloatArray, row_norms, shrink_rows


class Term(Protocol):
    """A convex term f of the objective: ``f(BΠ) ≤ f(B)`` for every orthogonal projector Π.

    It is at least 0, and 0 at 0, hence ``f* ≥ 0``.
    """

    limit: float

    def value(self, B: FloatArray) -> float:
        """``f(B)``."""

    def prox(self, B: FloatArray, step: float) -> FloatArray:
        """The X that minimises ``step · f(X) + ½‖X − B‖_F²``."""

    def dual_norm(self, G: FloatArray) -> float:
        """``f*(G)`` is finite where it is at most `limit`, 0 for a penalty.

        At most ``‖G‖_F``, so that an error of G adds at most its Frobenius norm.
        """

    def conjugate(self, G: FloatArray, error: float = 0.0) -> float:
        """``f*``, where it is finite: the largest within ``‖·‖_F ≤ error`` of G, or more."""


class Loss(Term, Protocol):
    """ℓ, what the errors of the images cost."""

    def slope(self, E: FloatArray) -> FloatArray:
        """A subgradient at E."""


class Norm(Term, Protocol):
    """``limit · norm``, of a norm or of a gauge, which is infinite outside a cone.

    Its f* is 0 where the dual norm, ``max ⟨G, B⟩`` over ``norm(B) ≤ 1``, is at most `limit`.
    """

    def conjugate(self, G: FloatArray, error: float = 0.0) -> float:
        """0, where it is finite."""
        return 0.0


class FiniteConjugate(Term, Protocol):
    """A term that grows faster than any norm, such as a square: f* is finite everywhere."""

    limit: float = float("inf")

    def dual_norm(self, G: FloatArray) -> float:
        """No G is too large."""
        return 0.0


@dataclass
class RowNorms(Norm):
    """``limit · Σ_j ‖b_j‖``: what it shrinks has rows that are exactly zero."""

    limit: float

    def value(self, B: FloatArray) -> float:
        return self.limit * float(row_norms(B).sum())

    def prox(self, B: FloatArray, step: float) -> FloatArray:
        return shrink_rows(B, step * self.limit)

    def dual_norm(self, G: FloatArray) -> float:
        return float(row_norms(G).max())


@dataclass
class Entries(Norm):
    """``limit · Σ |b_ij|``: what it shrinks has entries that are exactly zero."""

    limit: float

    def value(self, B: FloatArray) -> float:
        return self.limit * float(np.abs(B).sum())

    def prox(self, B: FloatArray, step: float) -> FloatArray:
        # An entry is a row of length one.
        return shrink_rows(B.reshape(-1, 1), step * self.limit).reshape(B.shape)

    def dual_norm(self, G: FloatArray) -> float:
        return float(np.abs(G).max())


@dataclass
class TraceNorm(Norm):
    """``limit · Σ_k σ_k(B)``: what it shrinks is of low rank, but for round-off."""

    limit: float

    def value(self, B: FloatArray) -> float:
        return self.limit * float(np.linalg.svd(B, compute_uv=False).sum())

    def prox(self, B: FloatArray, step: float) -> FloatArray:
        left, sigma, right = np.linalg.svd(B, full_matrices=False)
        shrunk: FloatArray = (left * np.maximum(sigma - step * self.limit, 0.0)) @ right
        return shrunk

    def dual_norm(self, G: FloatArray) -> float:
        return float(np.linalg.norm(G, 2))


@dataclass
class ErrorNorms(RowNorms, Loss):
    """``Σ_i ‖e_i‖``, the paper's loss, a norm."""

    limit: float = 1.0

    def slope(self, E: FloatArray) -> FloatArray:
        return E / np.maximum(row_norms(E), 2.0**-537)[:, None]


@dataclass
class SquaredError(FiniteConjugate, Loss):
    """``½‖E‖_F²``: a multiplier is as long as the error. ``ℓ*(Λ) = ½‖Λ‖_F²``."""

    limit: float = float("inf")

    def value(self, B: FloatArray) -> float:
        return 0.5 * float(np.vdot(B, B))

    def prox(self, B: FloatArray, step: float) -> FloatArray:
        return B / (1.0 + step)

    def conjugate(self, G: FloatArray, error: float = 0.0) -> float:
        return 0.5 * (float(np.linalg.norm(G)) + error) ** 2

    def slope(self, E: FloatArray) -> FloatArray:
        return E


LOSSES: dict[str, Loss] = {"norms": ErrorNorms(), "squared": SquaredError()}
"""Every loss by the name that ``CSPCA(loss=…)`` knows it by: a new one is one line here."""
