"""UDFS: features on which local discriminative analysis agrees."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated

import numpy as np
from scipy.sparse import csr_array

from cspca.estimator import COUNT, NOT_NEGATIVE, POSITIVE
from cspca.proximal import FloatArray
from cspca.selection.base import FeatureSelector, Scores
from cspca.selection.graph import nearest_neighbors
from cspca.selection.subspace import first_subspace, row_sparse_subspace, selected_norms


@dataclass(repr=False, eq=False)
class UDFS(FeatureSelector):
    """Unsupervised discriminative feature selection.

    With M from the neighbourhood of every sample (see :func:`local_scatter`) it minimises, over W
    of shape (n_features, n_clusters) with ``WᵀW = I``, ::

        Tr(Wᵀ M W) + γ Σ_j √(‖w_j‖² + ε),    ε = 2.2e-16

    by repeating ``D = diag(½ / √(‖w_j‖² + ε))``, ``W`` = the `n_clusters` smallest eigenvectors of
    ``M + γD``. Each repetition lowers the objective; the problem is not convex, so where it ends
    depends on the start ``D = I``.

    Parameters
    ----------
    n_clusters : int, default=5
        Columns of W; at most the number of features that vary.
    gamma : float, default=1e-3
        γ, weight of the row sparsity, > 0. Large values choose among few features and tie the rest.
    regularization : float, default=1.0
        λ of the local discriminant model, > 0, in the squared unit of `X`.
    n_neighbors : int, default=5
        Neighbours of a sample, itself not counted.
    max_iter : int, default=20
        Largest number of repetitions.
    tol : float, default=1e-6
        Stop when a repetition lowers the objective by at most this fraction.
    n_features_to_select : int or None, default=None
        How many features to keep; None keeps half.

    Attributes
    ----------
    feature_scores_ : ndarray of shape (n_features,)
        ``‖w_j‖``, in [0, 1]; exactly 0 below 1.5e-8 of the largest, which is all that smoothing and
        rounding leave of a row. Features with 0 tie.
    objective_ : list of float
        The objective after each repetition, falling.
    n_iter_ : int

    Notes
    -----
    Constant features take no part: they would fill columns of W at no cost. When M is singular the
    first W is not unique; the one taken lies within the null space of M with the least
    ``Σ_j ‖w_j‖² / variance_j``, so that features that vary more come first.

    References
    ----------
    Y. Yang, H. T. Shen, Z. Ma, Z. Huang, X. Zhou, ℓ2,1-Norm Regularized Discriminative Feature
    Selection for Unsupervised Learning, IJCAI 2011, eqs. 9 to 13 and Algorithm 1.
    """

    n_clusters: Annotated[int, COUNT] = 5
    gamma: Annotated[float, POSITIVE] = 1e-3
    regularization: Annotated[float, POSITIVE] = 1.0
    _: KW_ONLY
    n_neighbors: Annotated[int, COUNT] = 5
    max_iter: Annotated[int, COUNT] = 20
    tol: Annotated[float, NOT_NEGATIVE] = 1e-6

    def _score(self, X: FloatArray) -> Scores:
        self._check_clusters(self.n_clusters, X)
        live = np.ptp(X, axis=0) > 0
        varying = X[:, live]
        if self.n_clusters > varying.shape[1]:
            raise ValueError(
                f"n_clusters={self.n_clusters} but X has {varying.shape[1]} feature(s) that vary, "
                "and W has orthogonal columns: lower n_clusters."
            )
        M = local_scatter(varying, self.n_neighbors, self.regularization)
        W = first_subspace(M, self.n_clusters, varying.var(axis=0))
        W, self.objective_ = row_sparse_subspace(
            M, W, float(self.gamma), max_iter=self.max_iter, tol=self.tol
        )
        self.n_iter_ = len(self.objective_)
        return Scores(selected_norms(W), among=live)


def local_scatter(X: FloatArray, n_neighbors: int, regularization: float) -> FloatArray:
    """UDFS's M, from every sample's own neighbourhood.

    For sample i let the rows of X_i be the sample and its neighbours, centred (H), and
    ``B_i = (H X_i X_iᵀ H + λI)⁻¹``; then ``M = Σ_i X_iᵀ H B_i H X_i``, computed as ``Xᵀ P X`` with
    P sparse.
    """
    n, d = X.shape
    if n_neighbors >= n:
        raise ValueError(
            f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} samples, but there are "
            f"{n}: lower n_neighbors or give more samples."
        )
    members = np.column_stack([np.arange(n), nearest_neighbors(X, n_neighbors)[0]])
    size = n_neighbors + 1
    blocks = np.empty((n, size, size))
    # So many pixels of neighbourhoods are held at a time.
    step = max(1, 4_000_000 // (size * d))
    H = np.eye(size) - 1.0 / size
    for first in range(0, n, step):
        part = slice(first, first + step)
        local = X[members[part]]
        local -= local.mean(axis=1, keepdims=True)
        inner = local @ local.transpose(0, 2, 1) + regularization * np.eye(size)
        blocks[part] = H @ np.linalg.inv(inner) @ H
    rows, columns = np.repeat(members, size, axis=1), np.tile(members, (1, size))
    P = csr_array((blocks.ravel(), (rows.ravel(), columns.ravel())), shape=(n, n))
    centred = X - X.mean(axis=0)  # P 1 = 0, so this changes nothing but the rounding
    M: FloatArray = centred.T @ (P @ centred)
    return (M + M.T) / 2
