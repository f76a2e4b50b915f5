"""Variance: the simplest score there is."""

from __future__ import annotations

from dataclasses import dataclass

from cspca.proximal import FloatArray
from cspca.selection.base import FeatureSelector, Scores


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
