"""UDFS: features on which local discriminative analysis agrees."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np
from scipy.sparse import csr_array
from scipy.stats import rankdata
from sklearn.utils import check_random_state

from cspca.estimator import COUNT, NOT_NEGATIVE, POSITIVE
from cspca.proximal import FloatArray, row_norms
from cspca.selection.base import FeatureSelector, Scores
from cspca.selection.graph import nearest_neighbors, too_few_samples
from cspca.selection.subspace import (
    EPSILON,
    ascending_eigenvectors,
    lightest_within,
    row_sparse_subspace,
    selected_norms,
)

_TRIAL = 3
"""Repetitions from each start before all but one are left."""


@dataclass(repr=False, eq=False)
class UDFS(FeatureSelector):
    """Unsupervised discriminative feature selection.

    With M from the neighbourhood of every sample (see :func:`local_scatter`) it minimises, over W
    of shape (n_features, n_clusters) with ``WᵀW = I``, ::

        Tr(Wᵀ M W) + γ Σ_j √(‖w_j‖² + ε),    ε = 2.2e-16

    by repeating ``D = diag(½ / √(‖w_j‖² + ε))``, ``W`` = the `n_clusters` smallest eigenvectors of
    ``M + γD``. Each repetition lowers the objective; the problem is not convex, so where it ends
    depends on the start ``D = I``. Where that leaves the first W open (fewer samples than features,
    as a rule), `n_init` of them are tried.

    Parameters
    ----------
    n_clusters : int, default=5
        Columns of W; at most the number of features that vary.
    gamma : float, default=1e-3
        γ, weight of the row sparsity, > 0. Large values choose among few features and tie the rest.
    regularization : float, default=1.0
        λ of the local discriminant model, > 0, in the squared unit of `X`.
    n_neighbors : int, default=5
        Neighbours of a sample, itself not counted; exact copies of a sample count as one.
    max_iter : int, default=20
        Largest number of repetitions.
    n_init : int, default=6
        First W's, where ``D = I`` does not decide it: of each three repetitions are done, and that
        with the least objective goes on. With 20 repetitions this is 1.75 times the work of one.
    tol : float, default=1e-6
        Stop when a repetition lowers the objective by at most this fraction.
    random_state : int, RandomState instance or None, default=0
        Seeds the first W's that are drawn.
    n_features_to_select : int or None, default=None
        How many features to keep; None keeps half.

    Attributes
    ----------
    feature_scores_ : ndarray of shape (n_features,)
        ``‖w_j‖``, in [0, 1]; exactly 0 below 1.5e-8 of the largest, which is all that smoothing and
        rounding leave of a row. Features with 0 tie.
    objective_ : list of float
        The objective after each repetition from the first W that was kept, falling.
    n_iter_ : int

    Notes
    -----
    Constant features take no part: they would fill columns of W at no cost. When M is 0 in more
    than c directions, as with fewer samples than features, any W among these is a first one. Tried
    are those with the least ``Σ_j ‖w_j‖² / variance_j`` and ``Σ_j ‖w_j‖² / s_j``, s_j being the
    share of feature j that lies in these directions, and random ones, drawn for the features in
    the order of their third moments, so that the order of the columns decides nothing. The second
    ended lowest on all data tried: on ORL (γ = 0.1, c = 40) at 6.20 after 20 repetitions, where the
    first ends at 9.11, random ones at 7.04 to 7.37, and the authors' code at 9.11.

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
    n_init: Annotated[int, COUNT] = 6
    tol: Annotated[float, NOT_NEGATIVE] = 1e-6
    random_state: Annotated[Any, ["random_state"]] = 0

    def _score(self, X: FloatArray) -> Scores:
        X, _ = self._distinct(X, self.n_neighbors, self.n_neighbors + 1, self.n_clusters)
        live = np.ptp(X, axis=0) > 0
        varying = X[:, live]
        if self.n_clusters > varying.shape[1]:
            raise ValueError(
                f"n_clusters={self.n_clusters} but X has {varying.shape[1]} feature(s) that vary, "
                "and W has orthogonal columns: lower n_clusters."
            )
        M = local_scatter(varying, self.n_neighbors, self.regularization)
        W, self.objective_ = self._lowest(M, self._starts(M, varying))
        self.n_iter_ = len(self.objective_)
        return Scores(selected_norms(W), among=live)

    def _starts(self, M: FloatArray, X: FloatArray) -> list[FloatArray]:
        """First W's: the smallest eigenvectors of M, several where they are not unique."""
        c = self.n_clusters
        vectors, null = ascending_eigenvectors(M)
        if null.shape[1] <= c:
            return [vectors[:, :c]]
        variance, share = X.var(axis=0), row_norms(null) ** 2
        weights = (variance.max() / variance, 1.0 / np.maximum(share, EPSILON))
        starts = [lightest_within(null, weight, c) for weight in weights[: self.n_init]]
        random = check_random_state(self.random_state)
        third_moments = np.sum((X - X.mean(axis=0)) ** 3, axis=0)
        places = rankdata(third_moments, method="ordinal").astype(np.intp) - 1
        for _ in range(self.n_init - len(starts)):
            drawn = null.T @ random.standard_normal((len(M), c))[places]
            starts.append(null @ np.linalg.qr(drawn)[0])
        return starts

    def _lowest(self, M: FloatArray, starts: list[FloatArray]) -> tuple[FloatArray, list[float]]:
        """W and the objectives from the start that leads after a few repetitions."""
        repeat = partial(row_sparse_subspace, M, gamma=float(self.gamma), tol=self.tol)
        if len(starts) == 1:
            return repeat(starts[0], max_iter=self.max_iter)
        trials = [repeat(W, max_iter=min(_TRIAL, self.max_iter)) for W in starts]
        W, objective = min(trials, key=lambda trial: trial[1][-1])
        if len(objective) < _TRIAL:
            return W, objective
        W, rest = repeat(W, max_iter=self.max_iter - len(objective) + 1)
        return W, objective[:-1] + rest


def local_scatter(X: FloatArray, n_neighbors: int, regularization: float) -> FloatArray:
    """UDFS's M, from every sample's own neighbourhood.

    For sample i let the rows of X_i be the sample and its neighbours, centred (H), and
    ``B_i = (H X_i X_iᵀ H + λI)⁻¹``; then ``M = Σ_i X_iᵀ H B_i H X_i``, computed as ``Xᵀ P X`` with
    P sparse.
    """
    n, d = X.shape
    if n_neighbors >= n:
        raise too_few_samples(n_neighbors, n_neighbors + 1, n)
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
        inner = local @ local.transpose(0, 2, 1)
        # Below that share of the largest, λ would leave a matrix that rounding makes singular.
        ridge = np.maximum(regularization, 1e-12 * np.trace(inner, axis1=1, axis2=2))
        inner += ridge[:, None, None] * np.eye(size)
        blocks[part] = H @ np.linalg.inv(inner) @ H
    rows, columns = np.repeat(members, size, axis=1), np.tile(members, (1, size))
    P = csr_array((blocks.ravel(), (rows.ravel(), columns.ravel())), shape=(n, n))
    centred = X - X.mean(axis=0)  # P 1 = 0, so this changes nothing but the rounding
    M: FloatArray = centred.T @ (P @ centred)
    return (M + M.T) / 2
