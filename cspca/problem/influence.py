"""How much of the map one sample may decide: its norm against those of all others (theory.md §18).

The loss bounds a sample's multiplier, not its pull on W, which grows with the sample's norm.
"""

from __future__ import annotations

import numpy as np

from cspca.problem.reduction import Reduction, Total
from cspca.proximal import FloatArray, row_norms

EXACT_FROM = 0.05
"""Share of the sum of all norms from which the influence of a centred sample is exact."""


_FAR = 3.0
"""Times the median norm from which a sample is not a usual one."""

_CENTRED = 1e-9
"""Share of the sum of all norms within which the sum of all rows is zero."""


def sample_influence(data: Reduction, center: bool) -> FloatArray:
    """Influence ``‖b_i‖ / Σ_{k≠i} ‖b_k‖`` of every sample, shape (n_samples,).

    Row k of B is sample k minus the mean of the samples other than i where they are centred, and
    sample k itself where they are not.

    Without centring, or for a sample that has at least :data:`EXACT_FROM` of the sum of all norms
    (there are 20 at most), it is exact. A smaller influence v of a centred sample is made of norms
    alone: the exact one lies between ``v / (1 + v)`` and ``v / (1 − v)``. Infinite where all other
    samples are the same, 0 for a sample that is no different from their mean.

    Parameters
    ----------
    data : Reduction
        In memory or read block by block; the blocks are gone over only where a sample is that
        large.
    center : bool
        Whether the mean was subtracted.
    """
    norms = np.asarray(data.sample_norms, dtype=np.float64)
    total, n = float(norms.sum()), len(norms)
    others = total - norms
    if not center:
        return _ratio(norms, others)
    own = norms * (n / (n - 1))
    # But for the rounding of a norm, as a block has it.
    if float(norms.max()) < (1.0 - 1e-9) * EXACT_FROM * total:
        return _ratio(own, others)
    large = data.over(large_rows, EXACT_FROM * total)
    is_large, (rows,) = large.rows, large.sums
    if rows:
        sums = data.over(norms_around, np.stack(rows) / (n - 1)).sums[0]
        # That of the sample itself is among them.
        others[is_large] = sums - own[is_large]
    return _ratio(own, others)


def least_norms(data: Reduction) -> FloatArray:
    """Norm of every sample, or its distance from the mean of the usual ones where that is less.

    Usual are those within three times the median norm, and never the farthest. One far sample moves
    the mean, so that centred all others are long: what they are long by is not their own. Data that
    are not centred keep their norms.
    """
    norms = np.asarray(data.sample_norms, dtype=np.float64)
    least = min(float(norms.max()), _FAR * float(np.median(norms)))
    n_usual = int(np.count_nonzero(norms < least))
    total, far = data.over(sums_from, least).sums
    if n_usual == 0 or float(np.linalg.norm(total)) > _CENTRED * float(norms.sum()):
        return norms
    around: FloatArray = data.over(norms_from, far / n_usual).rows
    return np.minimum(norms, around)


def sums_from(A: FloatArray, least: float) -> Total:
    """Sum of all rows, and of those of at least this norm."""
    return Total((A.sum(axis=0), A[row_norms(A) >= least].sum(axis=0)))


def norms_from(A: FloatArray, shift: FloatArray) -> Total:
    """``‖a_k + s‖`` of every row."""
    return Total(parts=[row_norms(A + shift)])


def large_rows(A: FloatArray, least: float) -> Total:
    """Rows of at least this norm, and which they are."""
    is_large = row_norms(A) >= least
    return Total((list(A[is_large]),), parts=[is_large])


def norms_around(A: FloatArray, shifts: FloatArray) -> Total:
    """``Σ_k ‖a_k + s‖`` for each row s of `shifts`."""
    return Total((np.array([row_norms(A + shift).sum() for shift in shifts]),))


def _ratio(own: FloatArray, others: FloatArray) -> FloatArray:
    infinite = np.where(own > 0.0, np.inf, 0.0)
    ratio: FloatArray = np.divide(own, others, out=infinite, where=others > 0.0)
    return ratio
