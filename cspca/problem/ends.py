"""Where the path of penalties ends: from which α and β on W = 0 is optimal."""

from __future__ import annotations

import numpy as np

from cspca.problem.basis import largest_eigenvalue
from cspca.proximal import FloatArray, gram, row_norms


def penalty_limits(A: FloatArray, norms: FloatArray) -> tuple[float, float]:
    """α_max = max_j ‖M_j‖ and β_max = ‖M‖₂ of ``M = Σ a_i a_iᵀ / ‖a_i‖``.

    The smaller of M and its n × n counterpart is formed.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_features), float64
    norms : ndarray of shape (n_samples,)
        Euclidean norms of its rows; rows of zeros are left out.

    Returns
    -------
    alpha_max, beta_max : float
        ``W = 0`` is optimal whenever ``α/alpha_max + β/beta_max ≥ 1``.
    """
    alive = norms > 0
    B = A[alive] / np.sqrt(norms[alive])[:, None]
    if B.shape[0] >= B.shape[1]:
        M = gram(B)
        return float(row_norms(M).max()), largest_eigenvalue(M)
    inner = gram(B.T)
    squared = np.einsum("ij,ij->j", B, inner @ B)
    return float(np.sqrt(max(squared.max(), 0.0))), largest_eigenvalue(inner)
