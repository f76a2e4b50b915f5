"""CSPCA as one of the selectors."""

from __future__ import annotations

from dataclasses import dataclass

from cspca.estimator import CSPCA, Penalised
from cspca.proximal import FloatArray
from cspca.selection.base import FeatureSelector, Scores


@dataclass(repr=False, eq=False)
class CSPCASelector(FeatureSelector, Penalised):
    """Keep the features with the largest rows in convex sparse PCA.

    A selector around `cspca.CSPCA`, whose own ``transform`` gives coordinates.

    Parameters
    ----------
    alpha, beta, penalty_scale, center, normalize, solver, init, smoothing, tol, max_iter, \
    warm_start, random_state
        As in `cspca.CSPCA`.
    n_features_to_select : int or None, default=None
        How many features to keep; None keeps half.

    Attributes
    ----------
    model_ : CSPCA
        The fitted model. In its identity regime all features tie: a selection means nothing.
    feature_scores_ : ndarray of shape (n_features,)
        ``‖w_j‖``; features with an exactly zero row are ordered by how close they are to entering.
    n_iter_ : int

    References
    ----------
    X. Chang, F. Nie, Y. Yang, H. Huang, A Convex Sparse PCA for Feature Analysis,
    arXiv 1411.6233.
    """

    _works_in_double = False

    def _score(self, X: FloatArray) -> Scores:
        parameters = self.get_params(deep=False)
        del parameters["n_features_to_select"]
        before: CSPCA | None = getattr(self, "model_", None)
        model = CSPCA() if before is None or not self.warm_start else before
        self.model_: CSPCA = model.set_params(**parameters).fit(X)
        self.n_iter_ = self.model_.n_iter_
        return Scores(model.feature_scores_, tie_breaker=model.dual_scores_)
