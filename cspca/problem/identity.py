"""Where W = I ends to be optimal: t*, in an interval that is proven (theory.md §10).

``t* = min {‖A W‖₂,₁ : tr W = 1} = max {t : AᵀΛ = t I, ‖λ_i‖ ≤ 1}``. The minimum is found by
reweighted least squares, W ∝ M⁻¹ with ``M = Σ a_i a_iᵀ / ‖W a_i‖`` (T. Zhang, G. Lerman, JMLR 15,
2014, whose robust subspace is read off the same W); any W of trace 1 gives an upper end, and the
directions ``W a_i / ‖W a_i‖``, corrected until ``AᵀΛ = t I``, a lower one. Both count what rounding
may have done (§15).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cspca.problem.certificate import Lengths, round_off, underflow
from cspca.problem.problem import Problem
from cspca.problem.reduction import ReducedData, Reduction, Total
from cspca.proximal import FloatArray, eigh, gram, row_norms

_RELAXATION = 1.6
_CHECKED = 20
"""Iterations from one lower end to the next, which costs as much as an iteration."""

_FIRST_CHECKED = 3
"""Iterations to the first lower end where a sum decides; then twice as many, each time."""

_SMALLEST = 1e-8
"""A reweighting norm is at least this part of the largest one: W a_i = 0 is where it leads to."""

EDGE_ITERATIONS = 50
"""Most iterations at the end of a fit that see on which side of t* it is: each is one of ADMM."""


@dataclass(frozen=True, eq=False)
class IdentityEdge:
    """t* is in [low, high]; ``W = U V Uᵀ``, of trace 1 but for rounding, is the best map found.

    U is the basis of the data, V symmetric but for rounding.
    """

    low: float
    high: float
    U: FloatArray
    V: FloatArray
    n_iter: int

    @property
    def gap(self) -> float:
        """Width of the interval, as a share of its upper end."""
        return (self.high - self.low) / self.high if self.high > 0.0 else 0.0

    def smallest_directions(self, k: int) -> FloatArray:
        """Eigenvectors of W in the span of the data, of the k smallest eigenvalues, as columns.

        Outside that span, in pixels that are zero everywhere above all, W is 0 and says nothing.
        """
        vectors = eigh(0.5 * (self.V + self.V.T))[1]
        directions: FloatArray = self.U @ vectors[:, :k]
        return directions


def identity_ends(data: Reduction) -> tuple[float, float]:
    """Proven ends of t*, as far as they are at hand: at first those that need no iteration.

    Both are 0 where the pixels that vary are linearly dependent.
    """
    if data.identity_ends is None:
        data.identity_ends = 0.0, 0.0
        if data.full_column_rank:
            high = data.least_column() * (1.0 + round_off(data.shape[0]))
            data.identity_ends = _first_lower_end(data, _least_singular_value(data)), high
    return data.identity_ends


def identity_is_optimal(problem: Problem, max_iter: int = 0) -> bool:
    """Whether W = I is proven to be the optimum: α + β is at most the lower end of t*.

    Where it is between the ends that are at hand, at most `max_iter` iterations narrow them, of
    data in memory, until it is on one side; what they prove is kept with the data.
    """
    data, total = problem.data, problem.alpha + problem.beta
    if problem.loss != "norms" or not data.full_column_rank:
        return False
    if data.identity_ends is None and total > data.least_column():
        return False
    low, high = identity_ends(data)
    if low < total <= high and max_iter and isinstance(data, ReducedData):
        edge = identity_edge(data, 0.0, max_iter, total)
        low, high = data.identity_ends = max(low, edge.low), min(high, edge.high)
    return total <= low


def identity_edge(
    data: ReducedData, tol: float = 1e-4, max_iter: int = 500, total: float | None = None
) -> IdentityEdge:
    """Largest α + β at which W = I is optimal, pixels that are zero everywhere left out.

    0 where the others are linearly dependent, or so nearly that double precision cannot tell: then
    W = I is optimal at no penalties. It ends at a `gap` of at most `tol`, or where the interval is
    on one side of a `total`.
    """
    V = best = np.eye(data.rank) / data.rank
    if not data.full_column_rank:
        return IdentityEdge(0.0, 0.0, data.U, V, 0)
    low, high = identity_ends(data)
    least, reached = _least_singular_value(data), np.inf
    number, check = 0, _CHECKED if total is None else _FIRST_CHECKED
    while number < max_iter and (high - low > tol * high or number < _CHECKED):
        mapped = data.Y @ V
        norms = row_norms(mapped)
        value = _upper_end(data, V, norms)
        if value < reached:
            reached, best = value, V
        norms = np.maximum(norms, _SMALLEST * norms.max())
        number += 1
        if number == check:
            low = max(low, _lower_end(data, mapped / norms[:, None], least))
            high = min(high, reached)
            if total is not None and not low < total <= high:
                break
            check = number + _CHECKED if total is None else 2 * number
        moment = gram(data.Y / np.sqrt(norms)[:, None])
        try:
            inverse = np.linalg.inv(moment)
        except np.linalg.LinAlgError:
            break
        V = V + _RELAXATION * (inverse / np.trace(inverse) - V)
    return IdentityEdge(low, min(high, reached), data.U, best, number)


def _first_lower_end(data: Reduction, least: float) -> float:
    """Proven lower end of t* by ``Λ = A (AᵀA)⁻¹``."""
    pull, lengths = data.over(_shares_of, data.U / np.square(data.singular_values)).sums
    return _proven_end(data, 1.0, pull, lengths, least)


def _lower_end(data: ReducedData, directions: FloatArray, least: float) -> float:
    """Proven lower end of t*, from any guess of Λ, which is given in the basis of the data."""
    # YᵀY is S², so that this leaves YᵀΛ = μ I but for rounding.
    inner = data.Y.T @ directions
    level = float(np.trace(inner)) / data.rank or 1.0
    remainder = inner - level * np.eye(data.rank)
    L = directions - data.Y @ (remainder / np.square(data.singular_values)[:, None])
    return _proven_end(data, level, data.pull(L), Lengths.of(L), least)


def _proven_end(
    data: Reduction, level: float, pull: FloatArray, lengths: Lengths, least: float
) -> float:
    """μ over the longest row of a Λ with ``AᵀΛ = μ I + E``, once E is taken off it.

    Λ = L Uᵀ, of which `pull` is AᵀL; rows no longer than `least` makes of E take that off.
    """
    off = pull - level * data.U
    slip = float(np.linalg.norm(data.slip(lengths))) + underflow(off.size)
    spread = data.basis_norm * (float(np.linalg.norm(off)) * (1.0 + round_off(off.size)) + slip)
    spread += 2.0 * level * (data.basis_norm - 1.0)
    if not least > 0.0:
        return 0.0
    longest = lengths.longest * data.basis_norm * (1.0 + round_off(data.rank)) + spread / least
    # NaN gives 0, for it comes second.
    return max(0.0, float(level / longest) * (1.0 - round_off(1)))


def _upper_end(data: ReducedData, V: FloatArray, norms: FloatArray) -> float:
    """``‖A W‖₂,₁ / tr W`` and what may have been lost of it; `norms` are those of Y V."""
    d, size = data.rank, float(np.linalg.norm(V))
    # Of each row of A the error of two products.
    lost = round_off(d) * (data.basis_norm * np.sqrt(d) + 1.0) * float(data.sample_norms.sum())
    errors = float(norms.sum()) * (1.0 + round_off(len(norms) + d)) + lost * size
    trace = float(np.trace(V)) - size * (2.0 * (data.basis_norm - 1.0) + round_off(d) * np.sqrt(d))
    return float(errors * data.basis_norm / trace)


def _least_singular_value(data: Reduction) -> float:
    """A number that A's least singular value on the live pixels is proven to be at least.

    ``C = A U S⁻¹`` has nearly orthonormal columns, so that A stretches by no less than S's least
    entry times what C does.
    """
    values, d = data.singular_values, data.rank
    (G,) = data.over(_moments_of, data.U, values).sums
    departure = float(np.linalg.norm(G - np.eye(d)))
    departure += round_off(data.shape[0]) * float(np.trace(G))
    size = float(np.linalg.norm(data.sample_norms)) * np.sqrt(d)
    product_error = round_off(d) * size * data.basis_norm
    shrunk = np.sqrt(max(0.0, 1.0 - departure)) - product_error / values[-1]
    return float(shrunk * values[-1] / data.basis_norm)


def _shares_of(A: FloatArray, K: FloatArray) -> Total:
    """``AᵀL`` and the lengths of the rows of ``L = A K``."""
    L = A @ K
    return Total((A.T @ L, Lengths.of(L)))


def _moments_of(A: FloatArray, U: FloatArray, values: FloatArray) -> Total:
    """``CᵀC`` of ``C = A U S⁻¹``."""
    return Total((gram((A @ U) / values),))
