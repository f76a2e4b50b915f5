"""The certificate: from any guess of the dual variables to feasible ones, hence to a bound.

``(Λ, G₁, G₂)`` is feasible when ``‖λ_i‖ ≤ 1``, row norms of G₁ ≤ α, spectral norm of G₂ ≤ β and
``AᵀΛ + G₁ + G₂ = 0``. What a guess leaves of that sum is placed in G₁ and G₂, then all three are
scaled by one factor.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cspca.proximal import FloatArray, row_norms, shrink_singular_values, spectral_norm_bound

ROUND_OFF = 1.0 - 1e-13
"""Bounds are lowered by this factor so that round-off in their own arithmetic cannot lift them
above the optimum."""


def feasible_scale(
    pull: FloatArray,
    G1: FloatArray,
    G2: FloatArray,
    alpha: float,
    beta: float,
    *,
    single: bool = False,
    enough: float = 1.0,
    subspace: FloatArray | None = None,
) -> float:
    """Largest c found for which c·(pull, G₁', G₂') is feasible, over a few splits of −pull.

    `pull` is ``AᵀΛ``, in double. With a c of `enough` no better split is looked for; `single` looks
    for it in single precision. `subspace` is where the right singular vectors of G₂ that reach β
    are thought to be. What is found is checked in double. The bound of ``‖λ_i‖`` is the caller's.
    """
    if alpha == 0.0 and beta == 0.0:
        return 0.0
    if beta == 0.0:
        return _scale_to(alpha, float(row_norms(pull).max()))
    if alpha == 0.0:
        return _scale_to(beta, spectral_norm_bound(pull, beta))
    split, wide, limit = _split(pull, G1, G2, alpha, beta, single, enough, subspace)
    # A bound rests on nobody's word: both norms of the split are computed, in double.
    rows = float(row_norms(pull + split).max())
    # Single precision cannot keep a norm closer to its limit than this.
    least = 1e-7 if single else 0.0
    spectral = spectral_norm_bound(split, limit, least=least)
    scale = min(_scale_to(alpha, rows), _scale_to(beta, spectral))
    if scale < min(wide, enough):
        # Last candidate: G₂ takes the whole remainder, which is next to nothing for a β of 1 and
        # a thousand times too much for an α of 1e-6. In double, since α may be that small.
        spectral = spectral_norm_bound(pull + G1, beta)
        rows = float(row_norms(np.asarray(G1, dtype=np.float64)).max())
        scale = max(scale, min(_scale_to(alpha, rows), _scale_to(beta, spectral)))
    return scale


def _split(
    pull: FloatArray,
    G1: FloatArray,
    G2: FloatArray,
    alpha: float,
    beta: float,
    single: bool,
    enough: float,
    subspace: FloatArray | None,
) -> tuple[FloatArray, float, float]:
    """G₂ of the best split of −pull that a few rounds of reflected projections find.

    And the scale to expect if G₂ took all that G₁ as given leaves, and the norm that G₂ should
    have.
    """
    dtype: np.dtype[Any] = np.dtype(np.float32 if single else np.float64)
    G1, split = np.asarray(G1, dtype=dtype), np.asarray(G2, dtype=dtype)
    target = -np.asarray(pull, dtype=dtype)
    # A scale of less than 1 leaves room in both bounds; most of it is taken.
    room = 1.0 - 0.8 * (1.0 - max(enough, 0.9))
    # First candidate: G₁ takes the whole remainder.
    scale = before = _scale_to(alpha, float(row_norms(target - split).max()))
    wide, limit = 0.0, beta
    for round_ in range(1, _MOST_ROUNDS + 1):
        # G₂ takes it as far as its bound lets it, and G₁ the rest. On ORL at α = β = 10 two
        # rounds certify 1e-3 in half the iterations that the first candidate needs.
        inverse = target - G1
        shrunk = shrink_singular_values(inverse, beta / room, subspace=subspace)
        if round_ == 1:
            wide = beta / (beta / room + float(shrunk.values[0])) if shrunk.rank else room
        G1 = G1 + shrunk.value
        norms = row_norms(G1)
        found = _scale_to(alpha, float(norms.max()))
        if found > scale:
            scale, split, limit = found, inverse - shrunk.value, beta / room
        # Rounds gain less and less: where the last gain does not suffice, all the others will not.
        hopeless = round_ > 1 and scale + (_MOST_ROUNDS - round_) * (scale - before) < enough
        if scale >= enough or hopeless:
            break
        before = scale
        G1 = reflect_rows(G1, alpha / room)
    return np.asarray(split, dtype=np.float64), wide, limit


_MOST_ROUNDS = 6
"""Splits that are tried for one certificate; each costs about half an iteration."""


def reflect_rows(B: FloatArray, limit: float) -> FloatArray:
    """``2 B' − B`` of the nearest B' whose row norms are at most `limit`."""
    keep = np.minimum(1.0, limit / np.maximum(row_norms(B), limit))
    reflected: FloatArray = B * (2.0 * keep - 1.0).astype(B.dtype)[:, None]
    return reflected


def _scale_to(limit: float, norm: float) -> float:
    """Largest factor ≤ 1 that brings a norm within its limit."""
    return 1.0 if norm <= limit else limit / norm
