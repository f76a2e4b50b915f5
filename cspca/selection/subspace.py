"""Orthonormal W with few rows that are not zero, by reweighting: of UDFS, SPCAFS and SOGFS."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh

from cspca.proximal import FloatArray, row_norms

EPSILON = float(np.finfo(np.float64).eps)
"""ε of the smoothed row norm √(‖w_j‖² + ε), the value in the authors' codes."""


def row_sparse_subspace(
    M: FloatArray, W: FloatArray, gamma: float, *, p: float = 1.0, max_iter: int, tol: float
) -> tuple[FloatArray, list[float]]:
    """Lower ``Tr(WᵀMW) + γ Σ_j (‖w_j‖² + ε)^{p/2}`` over WᵀW = I, from W; M has no value below 0.

    Returned with the objective of every W, falling, that of the first included: each is an upper
    bound's minimum, the smallest eigenvectors of M + diag(weights). It ends where a repetition
    lowers the objective by at most a fraction `tol`.
    """
    objective: list[float] = []
    while True:
        smoothed = np.einsum("ij,ij->i", W, W) + EPSILON
        value = float(np.vdot(W, M @ W) + gamma * (smoothed ** (p / 2)).sum())
        done = bool(objective) and objective[-1] - value <= tol * value
        objective.append(value)
        if done or len(objective) == max_iter:
            return W, objective
        W = smallest_subspace(M, gamma * p / 2 / smoothed ** (1 - p / 2), W.shape[1])


def selected_norms(W: FloatArray) -> FloatArray:
    """‖w_j‖; what is below this fraction of the largest is smoothing and rounding, no selection."""
    norms = row_norms(W)
    norms[norms <= np.sqrt(EPSILON) * norms.max()] = 0.0
    return norms


def smallest_subspace(M: FloatArray, weights: FloatArray, c: int) -> FloatArray:
    """The c smallest eigenvectors of ``M + diag(weights)``, weights > 0."""
    d = len(M)
    spread = float(weights.max() - weights.min())
    if spread <= 1e4 * float(np.linalg.norm(M)):
        shifted = M + np.diag(weights - weights.min())
        _, vectors = eigh(shifted, subset_by_index=(0, c - 1), check_finite=False, overwrite_a=True)
        return np.asarray(vectors)
    # Weights of rows near zero are so large that their rounding would drown the small
    # eigenvalues; in the inverse those rows are small instead. Cholesky does not mind the scale.
    factor = cho_factor(M + np.diag(weights), overwrite_a=True, check_finite=False)
    inverse = cho_solve(factor, np.eye(d), overwrite_b=True, check_finite=False)
    _, vectors = eigh((inverse + inverse.T) / 2, subset_by_index=(d - c, d - 1), check_finite=False)
    return np.asarray(vectors)[:, ::-1]


def first_subspace(M: FloatArray, c: int, variance: FloatArray) -> FloatArray:
    """The c smallest eigenvectors of M, the choice within its null space made by `variance`."""
    vectors, null = ascending_eigenvectors(M)
    if null.shape[1] <= c:
        return vectors[:, :c]
    return lightest_within(null, variance.max() / variance, c)


def ascending_eigenvectors(M: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Eigenvectors of M, which has no value below 0, and those of them that M maps to zero."""
    values, vectors = eigh(M, check_finite=False, driver="evd")
    return vectors, vectors[:, values <= len(M) * EPSILON * values[-1]]


def lightest_within(basis: FloatArray, weights: FloatArray, c: int) -> FloatArray:
    """The W within a span, ``WᵀW = I``, with the least ``Σ_j weight_j ‖w_j‖²``; c columns."""
    inside = (basis.T * weights) @ basis
    W: FloatArray = basis @ eigh(inside, subset_by_index=(0, c - 1), check_finite=False)[1]
    return W
