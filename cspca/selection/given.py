"""A ranking that somebody brings: scores of the features, from wherever they are."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from cspca.proximal import FloatArray
from cspca.selection.base import FeatureSelector, Scores


@dataclass(repr=False, eq=False)
class GivenScores(FeatureSelector):
    """Keep the features with the largest scores of those that were given, one a feature.

    A Series and a mapping go by the names of the columns; see :func:`by_position`.
    """

    scores: Annotated[Any, ["array-like", Mapping]] = ()

    def _score(self, X: FloatArray) -> Scores:
        columns = getattr(self, "feature_names_in_", None)
        scores = checked(by_position(self.scores, columns), X.shape[1])
        live = np.ptp(X, axis=0) > 0
        dead = np.flatnonzero(~live & (scores > scores[live].min()))
        if len(dead):
            raise ValueError(
                f"Feature {dead[0]}, counted from 0, is the same in every sample, and its score is "
                "above those of others: score it lowest, or mend the order of the scores."
            )
        return Scores(scores)


def by_position(scores: Any, columns: Iterable[Hashable] | None, name: str = "The ranking") -> Any:
    """Scores in the order of the columns: those of a Series or a mapping go by their labels.

    Labels are the names of the columns, or their numbers from 0. A Series without labels of its
    own (a range that rises) is in order already, and so is everything else.

    Raises
    ------
    ValueError
        One sentence, when the labels are not those of the columns, each once.
    """
    if isinstance(scores, Mapping):
        labels, values, is_plain = list(scores), list(scores.values()), False
    elif hasattr(scores, "reindex") and np.ndim(scores) == 1:
        labels, values = list(scores.index), list(scores)
        is_plain = type(scores.index).__name__ == "RangeIndex" and sorted(labels) == labels
    else:
        return scores
    if is_plain:
        return values
    names = [] if columns is None else list(columns)
    for column_labels in (names, list(range(len(labels)))):
        if len(column_labels) == len(labels) and set(column_labels) == set(labels):
            by_label = dict(zip(labels, values, strict=True))
            return [by_label[label] for label in column_labels]
    if not names:
        raise ValueError(
            f"{name}: its scores have labels, and there are no names of columns to go by: give X "
            "as a data frame, or the scores as an array in the order of the columns."
        )
    raise ValueError(
        f"{name}: its {len(labels):,} scores are not labelled with the names of the {len(names):,} "
        "columns of X, each once: label them so, or give an array in the order of the columns."
    )


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
