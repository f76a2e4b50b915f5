"""The certificate: from any guess of the dual variables to feasible ones, hence to a bound.

``(Λ, G₁, G₂)`` is feasible when ``‖λ_i‖ ≤ 1``, row norms of G₁ ≤ α, spectral norm of G₂ ≤ β and
``AᵀΛ + G₁ + G₂ = 0`` (theory.md §3). Any split of ``−AᵀΛ`` will do: all is
scaled by one factor (§4), and what rounding may have done is taken off (§15).
"""

from __future__ import annotations

import numpy as np

from cspca.proximal import FloatArray, row_norms, shrink_singular_values, spectral_norm_bound

ROUND_OFF = 1.0 - 1e-13
"""Bounds are lowered by this factor so that round-off in their own arithmetic cannot lift them
above the optimum."""


class Bound(float):
    """A proven lower bound of the optimum, with the row norms of the feasible G₁ that prove it.

    A number like any other: the greater of two bounds is the one with its own row norms.
    """

    rows: FloatArray


def feasible_scale(
    pull: FloatArray,
    G1: FloatArray,
    G2: FloatArray,
    alpha: float,
    beta: float,
    enough: float = 1.0,
    near: FloatArray | None = None,
    rounds: int = 6,
) -> tuple[float, FloatArray]:
    """Largest c found for which c·(pull, G₁', G₂') is feasible, and the row norms of G₁'.

    Over a few splits of −pull.

    `pull` is ``AᵀΛ``, in double. With a c of `enough` no better split is looked for. That is done
    in the precision of G₁, and `near` the given columns (:func:`.shrink_singular_values`); what is
    found is checked in double. At most so many `rounds` of splits are tried, each for about half an
    iteration. The bound of ``‖λ_i‖`` is the caller's.
    """
    if alpha == 0.0 and beta == 0.0:
        return 0.0, np.zeros(len(pull))
    if beta == 0.0:
        norms = row_norms(pull)
        return _scale_to(alpha, float(norms.max())), norms
    if alpha == 0.0:
        return _scale_to(beta, spectral_norm_bound(pull, beta)), np.zeros(len(pull))
    split, limit = _split(pull, G1, G2, alpha, beta, enough, near, rounds)
    # A bound rests on nobody's word: both norms of the split are computed, in double.
    norms = row_norms(pull + split)
    spectral = spectral_norm_bound(split, limit)
    scale = min(_scale_to(alpha, float(norms.max())), _scale_to(beta, spectral))
    if scale < enough:
        # Last candidate: G₂ takes the whole remainder, which is next to nothing for a β of 1 and
        # a thousand times too much for an α of 1e-6. In double, since α may be that small.
        spectral, rows = spectral_norm_bound(pull + G1, beta), row_norms(G1.astype(np.float64))
        last = min(_scale_to(alpha, float(rows.max())), _scale_to(beta, spectral))
        if last > scale:
            scale, norms = last, rows
    return scale, norms


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
