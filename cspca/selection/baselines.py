"""What the others are held against: every feature, and those that vary most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cspca.proximal import FloatArray
from cspca.selection.base import FeatureSelector, Scores


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
