"""The certificate: from any guess of the dual variables to feasible ones, hence to a bound.

``(Λ, G₁, G₂)`` is feasible when ``‖λ_i‖ ≤ 1``, row norms of G₁ ≤ α, spectral norm of G₂ ≤ β and
``AᵀΛ + G₁ + G₂ = 0`` (theory.md §3). Any split of ``−AᵀΛ`` will do: all is scaled by one factor
(§4), and what rounding may have done is taken off (§15, :func:`round_off`). The bound, ``min(scale,
1 / longest ‖λ_i‖)`` times :func:`dual_value`, is put together by ``Problem.bound_of``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy

from cspca.proximal import FloatArray, gram, row_norms, shrink_singular_values

ROUNDS = 6
"""Most rounds of a split, each of which costs half an iteration."""


def round_off(terms: int) -> float:
    """Relative error of a sum of so many products in double precision; every bound rests on it.

    ``γ_k = k u / (1 − k u)``, ``u = 2⁻⁵³``, relative to the sum of their magnitudes, in whatever
    order it is taken (Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, eq. 3.4 and
    3.5). k is `terms` and sixteen more, for the few operations before and after a sum. What may be
    wrong by how much, and what is taken off for it, is in theory.md §15.
    """
    error: float = (terms + 16) * 2.0**-53
    return error / (1.0 - error)


def underflow(numbers: int) -> float:
    """What underflow in their squares can take off the norm of so many numbers."""
    return float(2.0**-537 * np.sqrt(numbers))


@dataclass(frozen=True)
class Lengths:
    """Of multipliers Λ: the longest ``‖λ_i‖``, and ``‖Λ‖_F``."""

    longest: float = 0.0
    size: float = 0.0

    @classmethod
    def of(cls, L: FloatArray) -> Self:
        """Of some rows."""
        norms = row_norms(np.asarray(L, dtype=np.float64))
        return cls(float(norms.max()), float(np.linalg.norm(norms)) + underflow(L.size))

    def __add__(self, lengths: Lengths) -> Lengths:
        """Of these rows and those of `lengths`."""
        size = float(np.hypot(self.size, lengths.size))
        return Lengths(max(self.longest, lengths.longest), size)


def basis_norm(U: FloatArray) -> float:
    """Upper bound of ``‖U‖₂``, which is 1 but for round-off."""
    G = gram(U)
    trace = float(np.trace(G))
    departure = float(np.linalg.norm(G - np.eye(len(G))))
    return 1.0 + 0.5 * (departure + round_off(len(U)) * trace)


def dual_value(pull: FloatArray, slip: FloatArray, U: FloatArray, norm: float) -> float:
    """``−⟨AᵀΛ, U⟩``, less what rounding may have added to it, or taken off norms of rows.

    `slip` is what each row of `pull` may be wrong by, `norm` a bound of ``‖U‖₂``.
    """
    root = norm * float(np.sqrt(U.shape[1]))
    lost = round_off(pull.size) * float(np.linalg.norm(pull)) + float(np.linalg.norm(slip))
    value = -float(np.vdot(pull, U)) - (lost + 2.0 * underflow(pull.size)) * root
    # NaN gives 0, for it comes second.
    return max(0.0, value / norm * (1.0 - round_off(U.shape[1])))


@dataclass(frozen=True, eq=False)
class Bound:
    """A proven lower bound of the optimum.

    `rows` are the row norms of the feasible G₁ that prove it; None where single rows are not known.
    """

    value: float = 0.0
    rows: FloatArray | None = None

    def or_greater(self, bound: Bound) -> Bound:
        """Return the greater of the two."""
        return bound if bound.value > self.value else self


NOTHING_PROVEN = Bound()
"""No error is negative, and no norm is."""


def feasible_scale(
    pull: FloatArray,
    slip: FloatArray,
    G1: FloatArray,
    G2: FloatArray | None,
    alpha: float,
    beta: float,
    enough: float = 1.0,
    near: FloatArray | None = None,
    rounds: int = ROUNDS,
    least: float = 0.0,
) -> tuple[float, FloatArray]:
    """A scale c at which multipliers are feasible but for ‖λ_i‖, and the row norms of their G₁.

    These are `pull`, which is ``AᵀΛ`` in double, and a G₁ and a G₂ that add up to −pull. `slip` is
    what each row of `pull` may be wrong by; it is counted as a part of G₁ or of G₂.

    A scale of `enough` is not improved upon; in place of one not above `least` it may be 0. At most
    so many `rounds` of splits are tried, in the precision of G₂ and with the columns `near`
    (:func:`.shrink_singular_values`), each for about half an iteration; what they find is checked
    in double. Without a G₂ no split is tried.
    """
    if alpha == 0.0 and beta == 0.0:
        return 0.0, np.zeros(len(pull))
    if beta == 0.0:
        norms = row_norms(pull) + slip + underflow(pull.size)
        return _scale_to(alpha, float(norms.max())), norms
    slip_norm = float(np.linalg.norm(slip)) + underflow(len(slip))
    if alpha == 0.0:
        return _scale_to(beta, spectral_norm_bound(pull, beta) + slip_norm), np.zeros(len(pull))
    scale, norms, precision = 0.0, slip, 1e-6 if G1.dtype == np.float32 else 0.0
    if G2 is not None:
        # G₁ is what a split leaves of −pull.
        G2, expected = _split(pull, G2, alpha, beta, enough, near, rounds)
        norms = row_norms(pull + G2) + slip + underflow(pull.size)
        row_scale = _scale_to(alpha, float(norms.max()))
        if row_scale > least:
            spectral = spectral_norm_bound(G2, expected, least, precision)
            scale = min(row_scale, _scale_to(beta, spectral))
    if scale < enough:
        # G₂ is what the guess of G₁ leaves, and what that is off by counts against β: nothing where
        # β is far larger than α, too much where it is far smaller.
        rows = row_norms(G1.astype(np.float64)) + underflow(G1.size)
        spectral = spectral_norm_bound(pull + G1, beta, max(scale, least), precision) + slip_norm
        guess_scale = min(_scale_to(alpha, float(rows.max())), _scale_to(beta, spectral))
        if guess_scale > scale:
            scale, norms = guess_scale, rows
    return scale, norms


def spectral_norm_bound(
    B: FloatArray, expected: float, least: float = 0.0, precision: float = 0.0
) -> float:
    """An upper bound of the largest singular value of `B`, tight where `expected` nearly is one.

    That ``t² I − BᵀB`` has a Cholesky factor proves ``‖B‖₂ ≤ t`` (theory.md §15). Tried are a t as
    near to `expected` as can be, or as the `precision` has it in which B was made, one above that
    as after a shrinkage on a few columns, and only then, for it takes five times as long, the
    largest singular value as computed. If not even `expected` over `least` is one, it is inf.
    """
    B = np.asarray(B, dtype=np.float64)
    G = gram(B if B.shape[1] <= B.shape[0] else B.T)
    size, trace = len(G), float(np.trace(G))
    product, factor = round_off(max(B.shape)) * trace, round_off(size) * size

    def proven(bound: float) -> bool:
        trial = -G
        # A larger one has no square, and is proven by this.
        trial[np.diag_indices_from(trial)] += min(bound, 1e154) ** 2 * (1.0 - factor) - product
        return bool(scipy.linalg.lapack.dpotrf(trial, lower=1, clean=0, overwrite_a=1)[1] == 0)

    # The trace is at most `size` times the square of the norm.
    nearest = 1.0 + round_off(max(B.shape)) * size + factor
    factors = (nearest + precision, nearest + 20.0 * precision + 1e-8)
    for candidate in (expected * factor for factor in factors):
        if proven(candidate):
            return candidate + underflow(B.size)
    if least > 0.0 and not proven(expected / least):
        return float("inf")
    value = float(np.sqrt(max(0.0, np.linalg.eigvalsh(G)[-1]))) * nearest
    for candidate in (value, value * (1.0 + 1e-8)):
        if proven(candidate):
            return candidate + underflow(B.size)
    # The trace bounds the square of any singular value.
    return float((trace + product) ** 0.5) + underflow(B.size)


def _split(
    pull: FloatArray,
    G2: FloatArray,
    alpha: float,
    beta: float,
    enough: float,
    near: FloatArray | None,
    rounds: int,
) -> tuple[FloatArray, float]:
    """G₂ of the best split that a few reflected projections find (theory.md §9), and its norm."""
    pull = pull.astype(G2.dtype)
    # A scale of less than 1 leaves room. G₂ takes nearly all; the longest row of G₁ lags behind.
    slack = 1.0 - max(enough, 0.9)
    longest, largest = alpha / (1.0 - 0.8 * slack), beta / (1.0 - 0.95 * slack)
    best, expected, G1 = G2, beta, -(pull + G2)
    scale = previous_scale = _scale_to(alpha, float(row_norms(G1).max()))
    for rounds_done in range(rounds):
        # From the second on rounds gain less and less: as many gains as the last are the most.
        most = scale + (rounds - rounds_done) * (scale - previous_scale)
        if scale >= enough or (rounds_done > 1 and most < enough):
            break
        previous_scale = scale
        # G₂ takes what G₁ leaves of −pull, as far as its limit lets it, and G₁ the excess. On ORL
        # at α = β = 10 two rounds certify 1e-3 in half the iterations that the guess alone needs.
        G1 = reflect_rows(G1, longest)
        rest = -pull - G1
        excess = shrink_singular_values(rest, largest, near).value
        G1 = G1 + excess
        row_scale = _scale_to(alpha, float(row_norms(G1).max()))
        if row_scale > scale:
            scale, best, expected = row_scale, rest - excess, largest
    return best, expected


def reflect_rows(B: FloatArray, limit: float) -> FloatArray:
    """``2 B' − B`` of the nearest B' whose row norms are at most `limit`."""
    keep = np.minimum(1.0, limit / np.maximum(row_norms(B), limit))
    reflected: FloatArray = B * (2.0 * keep - 1.0).astype(B.dtype)[:, None]
    return reflected


def _scale_to(limit: float, norm: float) -> float:
    """Largest factor ≤ 1 that brings a norm within its limit."""
    return 1.0 if norm <= limit else limit / norm
