"""Variance: the simplest score there is."""

from __future__ import annotations

from cspca.proximal import FloatArray
from cspca.selection.base import FeatureSelector, Scores

__all__ = ["MaxVariance"]


class MaxVariance(FeatureSelector):
    """Keep the features that vary most.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        How many features to keep; None keeps half.

    Attributes
    ----------
    feature_scores_ : ndarray of shape (n_features,)
        Variance of the feature (divided by n_samples), in the squared unit of `X`.
    selection_scores_, feature_order_
        As in :class:`cspca.selection.base.FeatureSelector`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from cspca.selection import MaxVariance
    >>> MaxVariance(n_features_to_select=20).fit_transform(load_digits().data).shape
    (1797, 20)
    """

    def __init__(self, n_features_to_select: int | None = None) -> None:
        self.n_features_to_select = n_features_to_select

    def _score(self, X: FloatArray) -> Scores:
        return Scores(X.var(axis=0))
