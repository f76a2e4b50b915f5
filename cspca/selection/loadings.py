"""Features by their variance, all of it or what a map or components explain; all features."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any

import numpy as np
from scipy.linalg import eigh
from sklearn.decomposition import SparsePCA

from cspca.estimator import COUNT, CSPCA, NOT_NEGATIVE, Penalised
from cspca.proximal import FloatArray, gram
from cspca.selection.base import FeatureSelector, Scores, varying


@dataclass(repr=False, eq=False)
class AllFeatures(FeatureSelector):
    """Keep everything: all features that vary score 1 and tie, constant ones score 0.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        None keeps every feature, constant ones too; a number keeps the first ones by index.
    """

    n_features_to_select: int | None = None

    def _score(self, X: FloatArray) -> Scores:
        return Scores(np.ones(X.shape[1]))

    def _n_selected(self) -> int:
        if self.n_features_to_select is None:
            return int(self.n_features_in_)
        return super()._n_selected()


@dataclass(repr=False, eq=False)
class MaxVariance(FeatureSelector):
    """Keep the features that vary most.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        How many features to keep; None keeps half.
    """

    n_features_to_select: int | None = None

    def _score(self, X: FloatArray) -> Scores:
        return Scores(X.var(axis=0))


@dataclass(repr=False, eq=False)
class PCALoadings(FeatureSelector):
    """Keep the features with the largest loadings on the leading principal components.

    The score of feature j is ``√(Σ_i λ_i v_ij²)`` over the leading components v_i with variances
    λ_i: the standard deviation of the feature that those components explain.

    Parameters
    ----------
    n_components : int, default=10
        Leading components counted. With all of them the order is that of :class:`MaxVariance`.
    n_features_to_select : int or None, default=None
        How many features to keep; None keeps half.

    References
    ----------
    I. T. Jolliffe, Principal Component Analysis, 2nd edition, Springer 2002, chapter 6.
    """

    n_components: Annotated[int, COUNT] = 10

    def _score(self, X: FloatArray) -> Scores:
        live, centred = varying(X)
        values, V = leading_components(centred, self.n_components)
        return Scores(np.sqrt(V**2 @ values / len(X)), among=live)


def leading_components(A: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Largest eigenvalues of AᵀA, largest first, and their eigenvectors, one a column.

    At most `count`, and fewer where A has a smaller rank.
    """
    n, d = A.shape
    size = min(n, d)
    # Leading ones only, so the smaller Gram matrix loses no digit that matters.
    decomposition = eigh(
        A @ A.T if n < d else gram(A), subset_by_index=(max(size - count, 0), size - 1)
    )
    values, vectors = (part[..., ::-1] for part in decomposition)
    real = values > size * np.finfo(np.float64).eps * values[0]
    values, vectors = values[real], vectors[:, real]
    return values, A.T @ (vectors / np.sqrt(values)) if n < d else vectors


@dataclass(repr=False, eq=False)
class SparsePCALoadings(FeatureSelector):
    """Keep the features with the largest loadings in sparse PCA.

    The score of feature j is ``√(Σ_i v_ij²)`` over the components v_i, each of unit norm, of
    :class:`sklearn.decomposition.SparsePCA` on the centred data (coordinate descent).

    Parameters
    ----------
    n_components : int, default=10
        Components; as many as `X` has samples or features if that is fewer.
    alpha : float, default=1.0
        Weight of the ℓ₁ penalty, ≥ 0. It goes with the scale of `X` and with √n_samples: a feature
        whose centred norm is below it is left out.
    tol : float, default=1e-4
        Stop when an iteration lowers the objective by less than this fraction. Between 1e-4 and
        scikit-learn's 1e-8 the order still changes: of the first 10, 20, 50 and 300 pixels of the
        rendered faces 8, 19, 47 and 294 are the same.
    max_iter : int, default=100
        Largest number of iterations.
    random_state : int, RandomState instance or None, default=None
        Seeds what replaces a component that comes to nothing.
    n_features_to_select : int or None, default=None
        How many features to keep; None keeps half.

    Attributes
    ----------
    feature_scores_ : ndarray of shape (n_features,)
        0 for a feature that no component uses; these are ordered by how strongly what is left of
        them goes with the coordinates of one component.
    n_iter_ : int

    References
    ----------
    H. Zou, T. Hastie, R. Tibshirani, Sparse Principal Component Analysis, JCGS 2006.
    scikit-learn solves the form of R. Jenatton, G. Obozinski, F. Bach, AISTATS 2010.
    """

    n_components: Annotated[int, COUNT] = 10
    alpha: Annotated[float, NOT_NEGATIVE] = 1.0
    _: KW_ONLY
    tol: Annotated[float, NOT_NEGATIVE] = 1e-4
    max_iter: Annotated[int, COUNT] = 100
    random_state: Annotated[Any, ["random_state"]] = None

    def _score(self, X: FloatArray) -> Scores:
        live, centred = varying(X)
        model = SparsePCA(
            n_components=min(self.n_components, *centred.shape),
            alpha=self.alpha,
            tol=self.tol,
            max_iter=self.max_iter,
            method="cd",
            random_state=self.random_state,
        ).fit(X[:, live])
        self.n_iter_ = int(model.n_iter_)
        V: FloatArray = model.components_
        return Scores(np.sqrt(np.einsum("kj,kj->j", V, V)), _pull(centred, V), live)


def _pull(centred: FloatArray, V: FloatArray) -> FloatArray:
    """How strongly what is left of an unused feature goes with a component, by the largest."""
    unused = ~V.any(axis=0)
    pull = np.zeros(V.shape[1])
    coordinates = centred @ np.linalg.pinv(V)
    norms = np.linalg.norm(coordinates, axis=0)
    coordinates = coordinates[:, norms > 0] / norms[norms > 0]
    if unused.any() and coordinates.size:
        pull[unused] = np.abs(coordinates.T @ centred[:, unused]).max(axis=0)
        pull /= pull.max() or 1.0
    return pull


@dataclass(repr=False, eq=False)
class CSPCASelector(FeatureSelector, Penalised):
    """Keep the features with the largest rows in convex sparse PCA.

    A selector around `cspca.CSPCA`, whose own ``transform`` gives coordinates.

    Parameters
    ----------
    alpha, beta, penalty_scale, center, normalize, solver, loss, init, smoothing, tol, max_iter, \
    warm_start, random_state
        As in `cspca.CSPCA`.
    n_features_to_select : int or None, default=None
        How many features to keep; None keeps half.

    Attributes
    ----------
    model_ : CSPCA
        The fitted model. In its identity regime all features tie: a selection means nothing.
    feature_scores_ : ndarray of shape (n_features,)
        ``‖w_j‖``, how much the map uses a feature, for itself and for others, at these penalties;
        features with an exactly zero row are ordered by how close they are to entering.
    n_iter_ : int

    References
    ----------
    X. Chang, F. Nie, Y. Yang, H. Huang, A Convex Sparse PCA for Feature Analysis,
    arXiv 1411.6233.
    """

    _works_in_double = False
    _power = 2

    def _score(self, X: FloatArray) -> Scores:
        parameters = self.get_params(deep=False)
        del parameters["n_features_to_select"]
        before: CSPCA | None = getattr(self, "model_", None)
        model = CSPCA() if before is None or not self.warm_start else before
        self.model_: CSPCA = model.set_params(**parameters).fit(X)
        self.n_iter_ = self.model_.n_iter_
        scores = model.feature_scores_
        if model.regime_ == "identity":
            # Algorithm 1 shows another map than W = I, of which nothing is to be read.
            scores = np.sign(scores)
        return Scores(scores, tie_breaker=model.dual_scores_)
