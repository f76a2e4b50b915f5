"""The basis of the data's row space, and where the path of penalties ends, by smaller Grams."""

from __future__ import annotations

import logging

import numpy as np
from scipy.linalg import blas, eigh, lapack, qr
from scipy.sparse.linalg import ArpackError, eigsh

from cspca.proximal import FloatArray, gram, row_norms

logger = logging.getLogger(__name__)

_RANK_TOLERANCE = 1e-12
"""Directions whose squared singular value is below this fraction of the largest are left out of
the loop. The certificate counts what they hold (see :meth:`cspca.problem.Problem.objective`)."""


def range_basis(A: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Orthonormal basis of A's row space, and the singular values, decreasing."""
    n, d = A.shape
    if n >= d:
        return leading_directions(gram(A))
    vectors, values = leading_directions(gram(A.T))
    return _orthonormal(A.T @ (vectors / values)), values


def leading_directions(G: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Eigenvectors of a Gram matrix that count, and their singular values, decreasing."""
    squared, vectors = eigh(G, check_finite=False, driver="evd")
    squared, vectors = squared[::-1], vectors[:, ::-1]
    rank = int(np.count_nonzero(squared > _RANK_TOLERANCE * squared[0])) if squared[0] > 0 else 0
    return np.ascontiguousarray(vectors[:, :rank]), np.sqrt(squared[:rank])


def _orthonormal(B: FloatArray) -> FloatArray:
    """Orthonormal basis of the nested column spaces of `B`, whose columns nearly are orthonormal.

    ``AᵀV / s`` loses orthogonality where s is small. A round of Cholesky QR restores it, or two
    where much is lost, at a third of the cost of Householder's; if the loss is too large for the
    first, that one is used.
    """
    for _ in range(2):
        G = gram(B)
        nearly = float(np.abs(G - np.eye(len(G))).max()) < _NEARLY_ORTHONORMAL
        triangle, failed = lapack.dpotrf(G, lower=0, clean=1)
        if failed:
            basis, triangle = qr(B, mode="economic", check_finite=False)
            signs = np.where(np.diag(triangle) < 0, -1.0, 1.0)
            return np.ascontiguousarray(basis * signs)
        B = blas.dtrsm(1.0, triangle, B.T, side=0, lower=0, trans_a=1).T
        if nearly:
            break
    return np.ascontiguousarray(B)


_NEARLY_ORTHONORMAL = 1e-8
"""A round squares what is lacking, so that one leaves round-off of less than this."""


def largest_eigenvalue(M: FloatArray) -> float:
    """Of a positive semidefinite matrix, from above by a little: β_max is a proof's premise."""
    if len(M) > 64:
        try:
            # A fixed start, so that the same data give the same number.
            top = eigsh(M, k=1, v0=np.ones(len(M)), tol=0.0, return_eigenvectors=False)[0]
            return float(top) * (1.0 + 1e-12)
        except ArpackError:
            logger.debug("Lanczos failed; taking the full spectrum.", exc_info=True)
    return float(eigh(M, eigvals_only=True, check_finite=False, driver="evd")[-1])


_SMALLEST_SCALE = 1e-151
"""Data whose largest value is below this, or above its inverse, are refused: squares of it would
underflow or overflow, and a certificate made of zeros and infinities proves nothing."""


def check_scale(scale: float) -> None:
    """Refuse data whose squares double precision cannot hold."""
    if not _SMALLEST_SCALE <= scale <= 1.0 / _SMALLEST_SCALE:
        raise ValueError(
            f"The largest value in the data is {scale:.1e}, and its square leaves the range of "
            "double precision: divide the data by it."
        )


def penalty_limits(A: FloatArray, norms: FloatArray) -> tuple[float, float]:
    """α_max = max_j ‖M_j‖ and β_max = ‖M‖₂ of ``M = Σ a_i a_iᵀ / ‖a_i‖``.

    The smaller of M and its n × n counterpart is formed; images of zeros are left out.
    """
    alive = norms > 0
    B = A[alive] / np.sqrt(norms[alive])[:, None]
    if B.shape[0] >= B.shape[1]:
        M = gram(B)
        return float(row_norms(M).max()), largest_eigenvalue(M)
    inner = gram(B.T)
    squared = np.einsum("ij,ij->j", B, inner @ B)
    return float(np.sqrt(max(squared.max(), 0.0))), largest_eigenvalue(inner)
