"""Scores of the features that somebody brings to a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cspca.datasets.files.foreign import clean_name
from cspca.datasets.files.reading import Source, read_table
from cspca.datasets.record import DatasetError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cspca.datasets import Dataset

_SCORES = ("selection_score", "score", "scores", "feature_score")
_INDICES = ("feature_from_0", "feature", "index", "pixel")


def read_scores(file: Source, data: Dataset, name: str | None = None) -> list[float]:
    r"""Read a ranking of the features of a data set from a CSV.

    Parameters
    ----------
    file : path, bytes, or binary file object
        One score a row, in the order of the features, or index and score, or the name of a feature
        of the data and score; a header may stand above. Large is good; indices count from 0, or all
        from 1.
    data : Dataset
        What is ranked.
    name : str or None, default=None
        What to call the file in what is said of it.

    Returns
    -------
    list of float
        The scores in the order of the features, for ``Compare(scores={NAME: …})``.

    Raises
    ------
    DatasetError
        One sentence: what is wrong with the file, or with scores of these data.

    Examples
    --------
    >>> from cspca.datasets import load
    >>> from cspca.experiments import read_scores
    >>> digits = load("digits")
    >>> table = "\n".join(map(str, digits.data.var(axis=0)))
    >>> len(read_scores(table.encode(), digits, "variance.csv"))
    64
    """
    return ordered(read_table(file, name), data)


def ordered(table: pd.DataFrame, data: Dataset) -> list[float]:
    """The scores in a table, in the order of the features of the data."""
    from cspca.selection.given import GivenScores

    nouns, d, name = data.nouns, data.n_features, table.attrs["name"]
    numbers = table.select_dtypes("number")
    known = {column.lower(): column for column in numbers}
    score = next((known[one] for one in _SCORES if one in known), numbers.columns[-1])
    index = next((known[one] for one in _INDICES if one in known), None)
    if index is None and numbers.shape[1] == 2:
        index = numbers.columns[0]
    if index is None and numbers.shape[1] > 1 and score.lower() not in _SCORES:
        raise DatasetError(
            f"{name} has {numbers.shape[1]} columns of numbers: put one score a row, or index and "
            "score, or call one column score."
        )
    if len(table) != d:
        raise DatasetError(
            f"{name} has {len(table):,} scores for {nouns.count_features(d)}: write one row a "
            f"{nouns.feature}."
        )
    scores = np.asarray(numbers[score], dtype=np.float64)
    if index is not None and index != score:
        scores = scores[_places(numbers[index], name)]
    elif index is None:
        scores = _by_name(table.drop(columns=numbers.columns), scores, data)
    try:
        GivenScores(scores).fit(data.data)
    except ValueError as problem:
        said = str(problem).replace("The ranking: ", "").replace("Feature", "feature")
        said = said.replace("feature", nouns.feature).replace("sample", nouns.sample)
        raise DatasetError(f"{name}: {said}") from None
    found: list[float] = scores.tolist()
    return found


def called(file: str) -> str:
    """What a ranking is called that comes in a file."""
    return clean_name(Path(file).stem, 40) or "scores"


def _free_name(name: str, ranking: Sequence[float], taken: Mapping[str, Sequence[float]]) -> str:
    """The name, with a number where another ranking has it."""
    numbered = (name if number == 1 else f"{name} ({number})" for number in count(1))
    return next(one for one in numbered if one not in taken or [*taken[one]] == [*ranking])


def read_brought(
    files: Sequence[tuple[str, bytes]],
    data: Dataset,
    present: Mapping[str, Sequence[float]] | None = None,
    **how: Any,
) -> dict[str, list[float]]:
    """Rankings by what to call them.

    A ranking whose name another one has, of these files or of those `present`, gets a number; the
    same scores under the same name are there once.
    """
    scores: dict[str, list[float]] = {}
    for file, content in files:
        ranking = ordered(read_table(content, file, **how), data)
        scores[_free_name(called(file), ranking, {**(present or {}), **scores})] = ranking
    return scores


def _by_name(
    texts: pd.DataFrame, scores: NDArray[np.float64], data: Dataset
) -> NDArray[np.float64]:
    """Scores beside names, in the order of the features; without names they are in it already."""
    names = list(data.feature_names or ())
    for column in texts:
        labels = [str(label) for label in texts[column]]
        if len(set(labels)) < len(labels):
            continue
        if sorted(labels) == sorted(names):
            return scores[[labels.index(one) for one in names]]
        raise DatasetError(
            f"{texts.attrs['name']} has a column of names that are not those of the "
            f"{data.nouns.features}, such as {clean_name(labels[0], 40)}: put one score a row in "
            "their order, or index and score."
        )
    return scores


def _places(index: pd.Series[float], name: str) -> NDArray[Any]:
    """Where the score of each feature stands, for indices from 0 or from 1."""
    found = np.asarray(index, dtype=np.float64)
    whole = np.arange(len(found), dtype=np.float64)
    places = np.argsort(found, kind="stable")
    if not any(np.array_equal(found[places], whole + first) for first in (0, 1)):
        raise DatasetError(
            f"{name}: the indices must be every whole number from 0 to {len(found) - 1:,}, each "
            "once."
        )
    return places
