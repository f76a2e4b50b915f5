"""Proximal operators: shrinkage of row norms and of singular values.

Both are the exact minimisers of ``½‖X − B‖_F² + t · norm(X)``, so what they set to zero is zero
exactly: whole rows (:func:`shrink_rows`) and whole singular directions
(:func:`shrink_singular_values`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, eigh

FloatArray = NDArray[Any]
"""A float32 or float64 array; the functions here keep the precision they are given."""


def row_norms(B: FloatArray) -> FloatArray:
    """Euclidean norm of each row.

    Parameters
    ----------
    B : ndarray of shape (m, r)

    Returns
    -------
    ndarray of shape (m,)
    """
    norms: FloatArray = np.sqrt(np.einsum("ij,ij->i", B, B))
    return norms


def shrink_rows(B: FloatArray, threshold: float) -> FloatArray:
    """Shrink every row of `B` towards zero by `threshold` in Euclidean norm.

    The proximal operator of ``threshold · ‖·‖₂,₁``. Rows with a norm of at most `threshold` become
    exactly zero.

    Parameters
    ----------
    B : ndarray of shape (m, r)
    threshold : float
        Non-negative.

    Returns
    -------
    ndarray of shape (m, r)
        A new array of `B`'s precision.
    """
    norms = row_norms(B)
    scale = np.zeros_like(norms)
    alive = norms > threshold
    scale[alive] = 1.0 - threshold / norms[alive]
    shrunk: FloatArray = B * scale[:, None]
    return shrunk


def gram(B: FloatArray) -> FloatArray:
    """``BᵀB`` as a full symmetric matrix, at half the cost of a general product.

    Parameters
    ----------
    B : ndarray of shape (m, r)

    Returns
    -------
    ndarray of shape (r, r)
    """
    syrk = blas.ssyrk if B.dtype == np.float32 else blas.dsyrk
    if B.flags.c_contiguous:
        # BLAS reads a C-ordered B as its transpose: no copy is made.
        half = syrk(1.0, B.T, trans=0, lower=1)
    else:
        half = syrk(1.0, B, trans=1, lower=1)
    full: FloatArray = half + np.tril(half, -1).T
    return full


def singular_values(B: FloatArray) -> FloatArray:
    """Singular values of `B` in decreasing order, from its smaller Gram matrix.

    Parameters
    ----------
    B : ndarray of shape (m, r)

    Returns
    -------
    ndarray of shape (min(m, r),)
        Absolute accuracy is about the square root of the working precision times the largest
        value, which is enough for sums and maxima.
    """
    G = gram(B) if B.shape[1] <= B.shape[0] else gram(B.T)
    values: FloatArray = eigh(G, eigvals_only=True, check_finite=False, driver="evd")
    return np.sqrt(np.maximum(values[::-1], 0.0))


class SpectralShrinkage(NamedTuple):
    """What :func:`shrink_singular_values` returns.

    Attributes
    ----------
    value : ndarray of shape (m, r)
        The shrunk matrix.
    rank : int
        Its exact rank: the number of singular values above the threshold.
    right : ndarray of shape (r, rank)
        Its right singular vectors, the largest singular value first.
    values : ndarray of shape (rank,)
        Its singular values, after the shrinkage, in decreasing order.
    """

    value: FloatArray
    rank: int
    right: FloatArray
    values: FloatArray


def shrink_singular_values(B: FloatArray, threshold: float) -> SpectralShrinkage:
    """Shrink every singular value of `B` towards zero by `threshold`.

    The proximal operator of ``threshold · ‖·‖_*``, computed from an eigendecomposition of the
    r × r Gram matrix, so its cost does not depend on a tall `B` beyond two thin products.

    Parameters
    ----------
    B : ndarray of shape (m, r)
    threshold : float
        Non-negative.

    Returns
    -------
    SpectralShrinkage
    """
    squared, vectors = eigh(gram(B), check_finite=False, driver="evd")
    sigma = np.sqrt(np.maximum(squared[::-1], 0.0))
    vectors = vectors[:, ::-1]
    # At threshold 0 the round-off of the Gram matrix must not pass for rank.
    noise = sigma[0] * np.sqrt(np.finfo(B.dtype).eps * max(B.shape)) if threshold == 0.0 else 0.0
    rank = int(np.count_nonzero(sigma > max(threshold, noise)))
    kept, values = vectors[:, :rank], sigma[:rank] - threshold
    if threshold == 0.0:
        shrunk = B.copy()
    elif 2 * rank <= B.shape[1]:
        shrunk = (B @ (kept * (values / sigma[:rank]))) @ kept.T
    else:
        # Nearly full rank: one product with B and one r × r product are cheaper than two thin ones.
        lost = vectors[:, rank:]
        factor = (kept * (threshold / sigma[:rank])) @ kept.T + lost @ lost.T
        shrunk = B - B @ factor
    return SpectralShrinkage(shrunk, rank, kept, values)
