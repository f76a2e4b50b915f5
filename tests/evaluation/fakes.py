"""Selectors small enough to know everything about, and data to run them on."""

import numpy as np
from sklearn.base import BaseEstimator

UNRANKED = ValueError("Nothing here can be ranked.\nA second line.")


class Listed(BaseEstimator):
    """Orders features as it is told, and counts how often any of its kind was fitted."""

    fits = 0

    def __init__(self, order=(), shift=0):
        self.order = order
        self.shift = shift

    def fit(self, X, y=None):
        assert y is None, "a method must not see the labels"
        Listed.fits += 1
        d = X.shape[1]
        order = self.order if len(self.order) else range(d)
        self.feature_order_ = np.roll(np.asarray(order), -self.shift)
        self.selection_scores_ = -np.argsort(self.feature_order_).astype(float)
        return self


class Scored(BaseEstimator):
    """Says scores and no order."""

    def fit(self, X, y=None):
        self.selection_scores_ = X.var(axis=0)
        return self


class StandIn(BaseEstimator):
    """Has the attributes of somebody's selector after fit."""

    def __init__(self, **attributes):
        self.attributes = attributes

    def get_params(self, deep=True):
        return dict(self.attributes)

    def fit(self, X, y=None):
        for name, value in self.attributes.items():
            setattr(self, name, value)
        return self


class Broken(BaseEstimator):
    """Cannot be fitted on anything."""

    def __init__(self, error=UNRANKED):
        self.error = error

    def fit(self, X, y=None):
        raise self.error


def blobs(n=60, d=12, c=3, *, spread=3.0, seed=0):
    """Classes that only the first half of the features tell apart; the others are noise."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % c
    X = rng.normal(size=(n, d))
    X[:, : d // 2] += spread * rng.normal(size=(c, d // 2))[y]
    return X, y


PICKS = np.array([11, 3, 7, 2])
"""What the selectors below pick, best first."""


class Picking(BaseEstimator):
    """Lists its picks, with a score a pick, as fastcan does."""

    def fit(self, X, y=None):
        self.indices_ = PICKS
        self.scores_ = np.array([0.9, 0.5, 0.2, 0.1])
        return self


class Masking(BaseEstimator):
    """Says which features it selects, and nothing more."""

    def fit(self, X, y=None):
        self.support_ = np.isin(np.arange(X.shape[1]), PICKS)
        return self


class Short(BaseEstimator):
    """Has scores of its picks, and does not say what it picks."""

    def fit(self, X, y=None):
        self.scores_ = np.array([0.9, 0.5, 0.2, 0.1])
        return self


class Labelled(BaseEstimator):
    """Cannot be fitted without labels."""

    def fit(self, X, y):
        return self


class Failing(BaseEstimator):
    """Looks for a column that is not there."""

    def fit(self, X, y=None):
        return {}["genes"]
