"""Proximal operators: shrinkage of row norms and of singular values.

Both are the exact minimisers of ``½‖X − B‖_F² + t · norm(X)``, so what they set to zero is zero
exactly: whole rows (:func:`shrink_rows`) and whole singular directions
(:func:`shrink_singular_values`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.linalg import _umath_linalg
from numpy.typing import NDArray

FloatArray = NDArray[Any]
"""A float32 or float64 array; the functions here keep the precision they are given."""


def row_norms(B: FloatArray) -> FloatArray:
    """Euclidean norm of each row."""
    norms: FloatArray = np.sqrt(np.einsum("ij,ij->i", B, B))
    return norms


def shrink_rows(B: FloatArray, threshold: float) -> FloatArray:
    """Shrink every row of `B` towards zero by `threshold` in Euclidean norm.

    The proximal operator of ``threshold · ‖·‖₂,₁``. Rows with a norm of at most `threshold` become
    exactly zero.
    """
    norms = row_norms(B)
    scale = np.zeros_like(norms)
    alive = norms > threshold
    scale[alive] = 1.0 - threshold / norms[alive]
    return B * scale[:, None]


def free_share(b: FloatArray, h: FloatArray, threshold: float) -> FloatArray:
    """Share that shrinkage takes off errors of length b, of which a part h beside is a constant.

    The proximal operator of ``threshold · Σ √(‖e_i‖² + h_i²)`` (theory.md §7).
    """
    b = b.astype(np.float64)
    # Newton's method for the length s climbs from below without a safeguard.
    s = np.maximum(b - threshold, b * h / (h + threshold))
    some = h > 0.0
    for _ in range(8):
        length = np.where(some, np.hypot(s, h), 1.0)
        excess = s + threshold * s / length - b
        s = np.clip(s - excess / (1.0 + threshold * h * h / length**3), 0.0, b)
    s = np.where(some, s, np.maximum(b - threshold, 0.0))
    return 1.0 - s / np.where(b > 0.0, b, 1.0)


def gram(B: FloatArray) -> FloatArray:
    """``BᵀB``: NumPy sees that it is symmetric, and computes half of it."""
    return B.T @ B


def solve_definite(H: FloatArray, right: FloatArray) -> FloatArray:
    """``H⁻¹ right`` with a positive definite H; LinAlgError says that it is none."""
    factor = scipy.linalg.cho_factor(H, lower=True, check_finite=False)
    if right.ndim == 1 or right.shape[1] < len(H):
        return scipy.linalg.cho_solve(factor, right, check_finite=False)
    # Of that many the inverse, of which half is formed, takes two thirds of the time.
    inverse = scipy.linalg.lapack.dpotri(factor[0], lower=1)[0]
    return scipy.linalg.blas.dsymm(1.0, inverse, right.T, side=1, lower=1).T


def eigh(G: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues, increasing, and eigenvectors of a symmetric matrix, in its own precision.

    NumPy's own takes double for single, and twice the time; SciPy's keeps other threads waiting.
    """
    if G.dtype != np.float32:
        return np.linalg.eigh(G)
    values, vectors = _umath_linalg.eigh_lo(G, signature="f->ff")
    return values, vectors


def right_spectrum(B: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Singular values in decreasing order, and all right singular vectors."""
    squared, vectors = eigh(gram(B))
    return np.sqrt(np.maximum(squared[::-1], 0.0)), vectors[:, ::-1]


def orthonormal(B: FloatArray) -> FloatArray:
    """A basis of the span of columns of B, in double, that are not far from orthonormal.

    By Cholesky's factor of their Gram matrix, in a third of the time of Householder's QR.
    """
    basis = np.array(B, dtype=np.float64, order="C")
    if not basis.size:
        return basis
    triangle = np.linalg.cholesky(gram(basis))
    # Nearly 1, so its inverse will do; in Fortran's order all is transposed, and formed in place.
    inverse = scipy.linalg.lapack.dtrtri(triangle.T)[0]
    return scipy.linalg.blas.dtrmm(1.0, inverse, basis.T, side=0, trans_a=1, overwrite_b=1).T


def projected(B: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Coordinates of B's rows in the span of columns that are nearly orthonormal, and its basis."""
    basis = orthonormal(right)
    return B @ basis, basis


def count_rank(sigma: FloatArray) -> int:
    """How many singular values are above 1e-6 of the largest, if there are any; they decrease."""
    return int(np.count_nonzero(sigma > 1e-6 * sigma[:1]))


def singular_values(B: FloatArray) -> FloatArray:
    """Singular values of `B` in decreasing order, from its smaller Gram matrix.

    Absolute accuracy is about the square root of the working precision times the largest value,
    which is enough for maxima; for sums see :func:`trace_norm`.
    """
    G = gram(B if B.shape[1] <= B.shape[0] else B.T)
    squared = np.linalg.eigvalsh(G)
    return np.sqrt(np.maximum(squared[::-1], 0.0))


def trace_norm(B: FloatArray, accuracy: float = 0.0) -> float:
    """Sum of the singular values of `B`, in double precision.

    An eigenvalue σ² of a Gram matrix errs by a few ``u σ₁²``, hence σ by that over σ, or by its
    root: 1e-8 σ₁ for each direction that should have nothing. Where these add up to more than
    `accuracy`, B is reduced to its triangular factor (Householder's QR), whose singular values err
    by a few ``u σ₁`` each, at three times the cost.
    """
    B = np.asarray(B, dtype=np.float64)
    sigma = singular_values(B)
    error = 2.0**-50 * float(sigma.max(initial=0.0)) ** 2
    doubt = error / np.sqrt(np.maximum(np.square(sigma), error)) if error > 0.0 else sigma
    if float(doubt.sum()) > accuracy:
        tall = B if B.shape[0] >= B.shape[1] else B.T
        triangle = np.linalg.qr(tall, mode="r")
        sigma = np.linalg.svd(triangle, compute_uv=False)
    return float(sigma.sum())


class SpectralShrinkage(NamedTuple):
    """The shrunk matrix, its rank, and right singular vectors of what was shrunk, of the largest
    values first: at least as many.
    """

    value: FloatArray
    rank: int
    right: FloatArray


def shrink_singular_values(
    B: FloatArray, threshold: float, near: FloatArray | None = None
) -> SpectralShrinkage:
    """Shrink every singular value of `B` towards zero by `threshold`.

    The proximal operator of ``threshold · ‖·‖_*``, for a threshold above 0, from an
    eigendecomposition of the r × r Gram matrix: beyond that a tall `B` costs two thin products.

    Given a few columns `near` the leading right singular vectors, one step of subspace iteration
    from their span takes the place of the eigendecomposition: the result is that of the shrinkage
    within the new span (theory.md §6), and the exact one where that proves too small.
    """
    if near is not None and near.shape[1]:
        basis = np.linalg.qr(B.T @ (B @ near))[0]
        inside = B @ basis
        sigma, vectors = right_spectrum(inside)
        if sigma[-1] >= threshold:
            return shrink_singular_values(B, threshold)
    else:
        inside, basis = B, None
        sigma, vectors = right_spectrum(B)
    rank = int(np.count_nonzero(sigma > threshold))
    right = vectors if basis is None else basis @ vectors
    if 2 * rank <= B.shape[1]:
        weights = (sigma[:rank] - threshold) / sigma[:rank]
        shrunk = (inside @ (vectors[:, :rank] * weights)) @ right[:, :rank].T
    else:
        # Nearly full rank: one product with B and one r × r square are cheaper than two thin ones.
        lost = np.sqrt(np.minimum(1.0, threshold / np.maximum(sigma, threshold)))
        shrunk = B - B @ gram((vectors * lost).T)
    return SpectralShrinkage(shrunk, rank, right)
