"""MCFS: features that a sparse regression on the spectral embedding picks."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array

from cspca.estimator import COUNT, NOT_NEGATIVE
from cspca.proximal import FloatArray, gram
from cspca.selection.base import GraphSelector, Scores
from cspca.selection.graph import smallest_eigenvectors
from cspca.selection.least_angle import least_angle_coefficients


@dataclass(repr=False, eq=False)
class MCFS(GraphSelector):
    """Multi-cluster feature selection: sparse regression on the clusters' eigenvectors.

    The embedding is the `n_clusters` smallest non-trivial eigenvectors y_k of ``L y = λ D y``. For
    each, least angle regression finds coefficients a_k with `n_nonzero` non-zeros for ::

        min ‖y_k − X a_k‖² + ridge ‖a_k‖²

    scaled to ``‖a_k‖ = 1``, since the scale of an eigenvector means nothing. As in the authors'
    code `X` is neither centred nor scaled, and the path ends where one more feature would join.

    Parameters
    ----------
    n_clusters : int, default=5
        Number of eigenvectors.
    n_nonzero : int or None, default=None
        Non-zero coefficients of each regression; None takes as many as features are selected, but
        at most half as many as samples: with more, any features fit.
    ridge : float, default=1e-3
        Added to the diagonal of ``XᵀX``, as the authors' code does.
    eigenvectors : array-like of shape (n_samples, K) or None, default=None
        A ready embedding in place of the graph's; `n_clusters` and the graph are then not used.
    n_neighbors, weight, width, graph, n_features_to_select
        As in `cspca.selection.LaplacianScore`.

    Attributes
    ----------
    feature_scores_ : ndarray of shape (n_features,)
        ``max_k |a_kj|``, in [0, 1]. Features with exactly 0 are ordered by their correlation with a
        residual as a fraction of that of the picked ones, the largest over the regressions.
    coefficients_ : ndarray of shape (n_features, K)
        The a_k, one a column.
    eigenvectors_ : ndarray of shape (n_samples, K)
        The y_k.

    References
    ----------
    D. Cai, C. Zhang, X. He, Unsupervised Feature Selection for Multi-Cluster Data, KDD 2010,
    section 3, eqs. 2, 4 and 6.
    """

    n_clusters: Annotated[int, COUNT] = 5
    n_nonzero: Annotated[int | None, [*COUNT, None]] = None
    _: KW_ONLY
    ridge: Annotated[float, NOT_NEGATIVE] = 1e-3
    eigenvectors: Annotated[ArrayLike | None, ["array-like", None]] = None

    def _score(self, X: FloatArray) -> Scores:
        live = np.ptp(X, axis=0) > 0
        n_nonzero = self._n_nonzero(len(X), int(live.sum()))
        Y = self._embedding(X)
        varying = X[:, live]
        G = gram(varying)
        G[np.diag_indices_from(G)] += self.ridge
        B = varying.T @ Y
        found = least_angle_coefficients(G, B, n_nonzero)
        # Correlation with the residual as a fraction of the largest, the best over regressions.
        left = np.abs(B - G @ found)
        top = left.max(axis=0)
        closeness = np.divide(left, top, out=np.zeros_like(left), where=top > 0).max(axis=1)
        size = np.linalg.norm(found, axis=0)
        found = found / np.where(size > 0, size, 1.0)
        self.eigenvectors_ = Y
        self.coefficients_ = np.zeros((X.shape[1], Y.shape[1]))
        self.coefficients_[live] = found
        return Scores(np.abs(found).max(axis=1), closeness, live)

    def _n_nonzero(self, n_samples: int, live: int) -> int:
        if self.n_nonzero is None:
            return min(self._n_selected(), live, max(1, n_samples // 2))
        if self.n_nonzero > live:
            raise ValueError(
                f"n_nonzero={self.n_nonzero} but X has {live} feature(s) that vary: ask for at "
                f"most {live} non-zero coefficients."
            )
        return self.n_nonzero

    def _embedding(self, X: FloatArray) -> FloatArray:
        if self.eigenvectors is None:
            self._check_clusters(self.n_clusters, X)
            _, vectors = smallest_eigenvectors(self._affinity(X), self.n_clusters)
            return vectors
        given: FloatArray = check_array(
            self.eigenvectors, dtype=np.float64, input_name="eigenvectors"
        )
        if len(given) != len(X):
            raise ValueError(
                f"eigenvectors has {len(given)} rows but X has {len(X)} samples: give one row a "
                "sample."
            )
        return given
