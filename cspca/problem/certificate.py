"""The certificate: from any guess of the dual variables to feasible ones, hence to a bound.

``(Λ, G₁, G₂)`` is feasible when ``‖λ_i‖ ≤ 1``, row norms of G₁ ≤ α, spectral norm of G₂ ≤ β and
``AᵀΛ + G₁ + G₂ = 0`` (theory.md §3). Any split of ``−AᵀΛ`` will do: all is scaled by one factor
(§4), and what rounding may have done is taken off (§15, :func:`round_off`).
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
import scipy

from cspca.proximal import FloatArray, gram, row_norms, shrink_singular_values, singular_values


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


class Lengths(NamedTuple):
    """Of multipliers Λ: the longest ``‖λ_i‖``, and ``‖Λ‖_F``."""

    longest: float = 0.0
    size: float = 0.0

    @classmethod
    def of(cls, L: FloatArray) -> Self:
        """Of some rows."""
        norms = row_norms(L)
        return cls(float(norms.max()), float(np.linalg.norm(norms)) + underflow(L.size))

    def joined(self, other: Lengths) -> Lengths:
        """Of these rows and others."""
        size = float(np.hypot(self.size, other.size))
        return Lengths(max(self.longest, other.longest), size)


def basis_norm(U: FloatArray) -> float:
    """Upper bound of ``‖U‖₂``, which is 1 but for round-off."""
    G = gram(U)
    trace = float(np.trace(G))
    departure = float(np.linalg.norm(G - np.eye(len(G))))
    return 1.0 + 0.5 * (departure + round_off(len(U)) * trace)


def lowered(pull: FloatArray, slip: FloatArray, U: FloatArray, norm: float) -> float:
    """What remains of the dual value ``−⟨AᵀΛ, U⟩`` after all round-off but that in G₁ and G₂.

    `slip` is what each row of `pull` may be wrong by, `norm` a bound of ``‖U‖₂``.
    """
    root = norm * float(np.sqrt(U.shape[1]))
    lost = round_off(pull.size) * float(np.linalg.norm(pull)) + float(np.linalg.norm(slip))
    value = -float(np.vdot(pull, U)) - lost * root
    # The norms of rows are higher than computed by as much, and so are those of U.
    return max(0.0, value / norm * (1.0 - round_off(U.shape[1])))


class Bound(float):
    """A proven lower bound of the optimum, with the row norms of the feasible G₁ that prove it.

    A number like any other: the greater of two bounds is the one with its own row norms.
    """

    rows: FloatArray


def feasible_scale(
    pull: FloatArray,
    slip: FloatArray,
    G1: FloatArray,
    G2: FloatArray | None,
    alpha: float,
    beta: float,
    enough: float = 1.0,
    near: FloatArray | None = None,
    rounds: int = 6,
) -> tuple[float, FloatArray]:
    """Largest c found for which c·(pull, G₁', G₂') is feasible, and the row norms of G₁'.

    Over a few splits of −pull.

    `pull` is ``AᵀΛ``, in double, and `slip` what each row of it may be wrong by. With a c of
    `enough` no better split is looked for. That is done in the precision of G₁, and `near` the
    given columns (:func:`.shrink_singular_values`); what is found is checked in double. At most so
    many `rounds` of splits are tried, each for about half an iteration. Without a G₂ it takes
    whatever Λ and G₁ leave. The bound of ``‖λ_i‖`` is the caller's.
    """
    if alpha == 0.0 and beta == 0.0:
        return 0.0, np.zeros(len(pull))
    if beta == 0.0:
        norms = row_norms(pull) + slip
        return _scale_to(alpha, float(norms.max())), norms
    least = float(np.linalg.norm(slip))
    if alpha == 0.0:
        return _scale_to(beta, spectral_norm_bound(pull, beta) + least), np.zeros(len(pull))
    scale, norms = 0.0, slip
    if G2 is not None:
        split, limit = _split(pull, G1, G2, alpha, beta, enough, near, rounds)
        # A bound rests on nobody's word: both norms of the split are computed, in double.
        norms = row_norms(pull + split) + slip
        spectral = spectral_norm_bound(split, limit)
        scale = min(_scale_to(alpha, float(norms.max())), _scale_to(beta, spectral))
    if scale < enough:
        # Last candidate: G₂ takes the whole remainder, which is next to nothing for a β of 1 and
        # a thousand times too much for an α of 1e-6. In double, since α may be that small.
        spectral = spectral_norm_bound(pull + G1, beta) + least
        rows = row_norms(G1.astype(np.float64)) + underflow(G1.size)
        last = min(_scale_to(alpha, float(rows.max())), _scale_to(beta, spectral))
        if last > scale:
            scale, norms = last, rows
    return scale, norms


def spectral_norm_bound(B: FloatArray, expected: float) -> float:
    """An upper bound of the largest singular value of `B`, tight where `expected` nearly is one.

    That ``t² I − BᵀB`` has a Cholesky factor proves ``‖B‖₂ ≤ t`` at a tenth of the cost of
    eigenvalues. It is tried for a few t just above `expected`; failing that, just above the
    largest singular value as computed. Closer than the precision of `B` could keep them, nothing is
    tried.
    """
    least = 0.0 if B.dtype == np.float64 else float(np.finfo(B.dtype).eps) / 2.0
    B = np.asarray(B, dtype=np.float64)
    G = gram(B if B.shape[1] <= B.shape[0] else B.T)
    size, trace = len(G), float(np.trace(G))
    product, factor = round_off(max(B.shape)) * trace, round_off(size) * size

    def proven(bound: float) -> bool:
        trial = -G
        trial[np.diag_indices_from(trial)] += bound**2 * (1.0 - factor) - product
        return bool(scipy.linalg.lapack.dpotrf(trial, lower=1, clean=0, overwrite_a=1)[1] == 0)

    # The trace is at most `size` times the square of the norm.
    closest = round_off(max(B.shape)) * size + factor
    slacks = [one for one in (closest, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4) if one >= least]
    bounds = [expected * (1.0 + slack) for slack in slacks]
    found = next(filter(proven, bounds), None)
    if found is None:
        value = float(singular_values(B)[0])
        bounds = [value * (1.0 + slack) for slack in (closest, 1e-8)]
        found = next(filter(proven, bounds), (trace + product) ** 0.5)
    return found + underflow(B.size)


def _split(
    pull: FloatArray,
    G1: FloatArray,
    G2: FloatArray,
    alpha: float,
    beta: float,
    enough: float,
    near: FloatArray | None,
    rounds: int,
) -> tuple[FloatArray, float]:
    """G₂ of the best split that a few reflected projections find (theory.md §9), and its norm."""
    target, split = -pull.astype(G1.dtype), G2
    # A scale of less than 1 leaves room in both bounds; most of it is taken.
    room = 1.0 - 0.8 * (1.0 - max(enough, 0.9))
    # First candidate: G₁ takes the whole remainder.
    scale = before = _scale_to(alpha, float(row_norms(target - split).max()))
    limit = beta
    for round_ in range(1, rounds + 1):
        # G₂ takes it as far as its bound lets it, and G₁ the rest. On ORL at α = β = 10 two
        # rounds certify 1e-3 in half the iterations that the first candidate needs.
        inverse = target - G1
        excess = shrink_singular_values(inverse, beta / room, near).value
        G1 = G1 + excess
        found = _scale_to(alpha, float(row_norms(G1).max()))
        if found > scale:
            scale, split, limit = found, inverse - excess, beta / room
        # Rounds gain less and less: where the last gain does not suffice, all the others will not.
        hopeless = round_ > 1 and scale + (rounds - round_) * (scale - before) < enough
        if scale >= enough or hopeless:
            break
        before = scale
        G1 = reflect_rows(G1, alpha / room)
    return split, limit


def reflect_rows(B: FloatArray, limit: float) -> FloatArray:
    """``2 B' − B`` of the nearest B' whose row norms are at most `limit`."""
    keep = np.minimum(1.0, limit / np.maximum(row_norms(B), limit))
    reflected: FloatArray = B * (2.0 * keep - 1.0).astype(B.dtype)[:, None]
    return reflected


def _scale_to(limit: float, norm: float) -> float:
    """Largest factor ≤ 1 that brings a norm within its limit."""
    return 1.0 if norm <= limit else limit / norm
