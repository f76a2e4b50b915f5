"""SPCAFS: principal components of which few features have a part."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Annotated

import numpy as np
from sklearn.utils._param_validation import Interval

from cspca.estimator import COUNT, NOT_NEGATIVE, POSITIVE
from cspca.proximal import FloatArray, gram
from cspca.selection.base import FeatureSelector, Scores, varying
from cspca.selection.loadings import leading_components
from cspca.selection.subspace import row_sparse_subspace, selected_norms

_POWER = [Interval(Real, 0, 1, closed="right")]


@dataclass(repr=False, eq=False)
class SPCAFS(FeatureSelector):
    """Sparse PCA for feature selection: orthonormal components, a row norm as penalty.

    With S the covariance of the samples it lowers, over W of shape (n_features, m) with
    ``WᵀW = I``, ::

        −Tr(Wᵀ S W) + γ Σ_j (‖w_j‖² + ε)^{p/2},    ε = 2.2e-16

    by reweighting, from the leading principal components on. The problem is not convex: where it
    ends depends on that start.

    Parameters
    ----------
    n_clusters : int, default=5
        m is one less where `n_components` is None.
    gamma : float, default=0.01
        γ, weight of the row sparsity, > 0, in the squared unit of `X`. Large values choose among
        few features and tie the rest.
    n_components : int or None, default=None
        m; at most the number of features that vary.
    p : float, default=0.5
        Power of the row norms, in (0, 1].
    max_iter : int, default=50
        Largest number of repetitions.
    tol : float, default=1e-6
        Stop when a repetition lowers the objective by at most this fraction of ``m λ₁``.
    n_features_to_select : int or None, default=None
        How many features to keep; None keeps half.

    Attributes
    ----------
    feature_scores_ : ndarray of shape (n_features,)
        ``‖w_j‖``, in [0, 1]; exactly 0 below 1.5e-8 of the largest. Features with 0 tie.
    objective_ : list of float
        The objective after each repetition, falling.
    n_iter_ : int

    References
    ----------
    Z. Li, F. Nie, J. Bian, D. Wu, X. Li, Sparse PCA via ℓ2,p-Norm Regularization for Unsupervised
    Feature Selection, TPAMI 2021.
    """

    n_clusters: Annotated[int, COUNT] = 5
    gamma: Annotated[float, POSITIVE] = 0.01
    _: KW_ONLY
    n_components: Annotated[int | None, [*COUNT, None]] = None
    p: Annotated[float, _POWER] = 0.5
    max_iter: Annotated[int, COUNT] = 50
    tol: Annotated[float, NOT_NEGATIVE] = 1e-6

    def _score(self, X: FloatArray) -> Scores:
        live, centred = varying(X)
        A = centred / np.sqrt(len(X))
        m = min(self.n_components or max(self.n_clusters - 1, 1), *A.shape)
        values, V = leading_components(A, m)
        # λ₁I − S has the same eigenvectors as −S, and none below zero.
        M = values[0] * np.eye(A.shape[1]) - gram(A)
        W, shifted = row_sparse_subspace(
            M, V, float(self.gamma), p=float(self.p), max_iter=self.max_iter, tol=self.tol
        )
        self.objective_ = [value - values[0] * V.shape[1] for value in shifted]
        self.n_iter_ = len(shifted)
        return Scores(selected_norms(W), among=live)
