"""A ranking that somebody brings: scores of the features, from wherever they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from cspca.proximal import FloatArray
from cspca.selection.base import FeatureSelector, Scores


@dataclass(repr=False, eq=False)
class GivenScores(FeatureSelector):
    """Keep the features with the largest scores of those that were given, one a feature."""

    scores: Annotated[Any, ["array-like"]] = ()

    def _score(self, X: FloatArray) -> Scores:
        scores, live = checked(self.scores, X.shape[1]), np.ptp(X, axis=0) > 0
        dead = np.flatnonzero(~live & (scores > scores[live].min()))
        if len(dead):
            raise ValueError(
                f"Feature {dead[0]}, counted from 0, is the same in every sample, and its score is "
                "above those of others: score it lowest, or mend the order of the scores."
            )
        return Scores(scores)


def checked(scores: Any, n_features: int, name: str = "The ranking") -> FloatArray:
    """Scores that order so many features; ValueError says what is wrong with them."""
    found = np.asarray(scores, dtype=np.float64)
    if found.shape != (n_features,):
        raise ValueError(
            f"{name} has {found.size:,} scores for {n_features:,} features: give one a feature."
        )
    wrong = np.flatnonzero(~np.isfinite(found))
    if len(wrong):
        raise ValueError(
            f"{name}: the score of feature {wrong[0]}, counted from 0, is {found[wrong[0]]}: give "
            "every feature a finite number."
        )
    if np.ptp(found) == 0:
        raise ValueError(f"{name}: all scores are the same, so that they order no features.")
    return found
