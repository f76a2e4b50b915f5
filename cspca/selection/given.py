"""A ranking that somebody brings: scores of the features, from wherever they are."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from cspca.proximal import FloatArray
from cspca.selection.base import FeatureSelector, Scores
from cspca.selection.rankings import RankedFeatures, columns_of, read_ranking


@dataclass(repr=False, eq=False)
class GivenScores(FeatureSelector):
    """Keep the features with the largest scores of those that were given, one a feature.

    A Series, a data frame and a mapping go by the names of the columns; see :func:`own_scores`.
    """

    scores: Annotated[Any, ["array-like", Mapping]] = ()

    def _score(self, X: FloatArray) -> Scores:
        names = getattr(self, "feature_names_in_", None)
        features = RankedFeatures(X.shape[1], None if names is None else tuple(names))
        scores = checked(own_scores(self.scores, features), X.shape[1])
        constant = constant_above(scores, X)
        if constant is not None:
            raise ValueError(
                f"Feature {constant}, counted from 0, is the same in every sample, and its score "
                "is above those of others: score it lowest, or mend the order of the scores."
            )
        return Scores(scores)


def constant_above(scores: FloatArray, X: FloatArray) -> int | None:
    """The first feature without spread whose score is above one of a feature with spread."""
    live = np.ptp(X, axis=0) > 0
    constant = np.flatnonzero(~live & (scores > scores[live].min(initial=np.inf)))
    return int(constant[0]) if len(constant) else None


def own_scores(ranking: Any, features: RankedFeatures, name: str = "The ranking") -> Any:
    """Scores in the order of the features: those of pandas and of mappings go by their labels.

    Labels are the names of the features, or their numbers. Features that a ranking does not have
    tie last, which a warning says. A Series without labels of its own (a range that rises) is in
    order already, and so are arrays and lists.

    Raises
    ------
    RankingError
        If the labels are not those of the features, or the ranking can be read in several ways.
    """
    columns = columns_of(ranking)
    if columns is None:
        return ranking
    own = read_ranking(columns, features, name)
    if own.n_unranked:
        warnings.warn(f"{name}: {own.sentence}", UserWarning, stacklevel=3)
    return own.scores


def checked(scores: Any, n_features: int, name: str = "The ranking") -> FloatArray:
    """Scores that order so many features; ValueError says what is wrong with them."""
    values = np.asarray(scores, dtype=np.float64)
    if values.shape != (n_features,):
        raise ValueError(
            f"{name} has {values.size:,} scores for {n_features:,} features: give one a feature."
        )
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        raise ValueError(
            f"{name}: the score of feature {wrong[0]}, counted from 0, is {values[wrong[0]]}: give "
            "every feature a finite number."
        )
    if np.ptp(values) == 0:
        raise ValueError(f"{name}: all scores are the same, so that they order no features.")
    return values
