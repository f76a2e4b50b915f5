"""A table that ranks features: its columns, and the features as it may name them."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cspca.proximal import FloatArray
from cspca.selection.rankings.answers import PLACES, Places
from cspca.selection.rankings.words import kind_of

Numbers = NDArray[np.intp]

_PLUS_MINUS: Final = re.compile(r"([+-]?\d[\d.]*(?:[eE][+-]?\d+)?)\s*(?:±|\+/-|\+-)\s*\d\S*")
_TRUTHS: Final = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True)
class RankedFeatures:
    """Features of a data set, as a ranking may name them.

    Parameters
    ----------
    n_features : int
    names : tuple, optional
        Name of each feature.
    image_shape : (height, width), optional
        Shape of a picture whose pixels they are, row by row.
    file_columns : sequence of int, optional
        Column of the file, from 0, that each feature was.
    noun : str, default="feature"
        The word for one of them.
    """

    n_features: int
    names: tuple[Hashable, ...] | None = None
    image_shape: tuple[int, int] | None = None
    file_columns: Sequence[int] | None = None
    noun: str = "feature"

    @property
    def nouns(self) -> str:
        """The word for several of them."""
        return f"{self.noun}s"

    def count(self, number: int) -> str:
        """A number of them in words."""
        return f"{number:,} {self.noun if number == 1 else self.nouns}"

    @property
    def reference_names(self) -> tuple[Hashable, ...]:
        """Names, or those that an exported table gives to pixels; empty without any."""
        if self.names is None and self.image_shape is not None:
            places = zip(*np.divmod(range(self.n_features), self.image_shape[1]), strict=True)
            return tuple(f"r{row + 1}c{column + 1}" for row, column in places)
        return self.names or ()

    @property
    def orders(self) -> tuple[Places, ...]:
        """Orders in which rows may list them: as they are used, or as in the file."""
        columns = self.file_columns
        return ("set",) if columns is None or list(columns) == sorted(columns) else PLACES

    @property
    def numberings(self) -> tuple[Places, ...]:
        """What numbers may count: the features that are used, or the columns of the file."""
        columns = self.file_columns
        is_same = columns is None or list(columns) == list(range(self.n_features))
        return ("set",) if is_same else PLACES


@dataclass(frozen=True, eq=False)
class RankingColumn:
    """One column of a table that ranks features.

    Parameters
    ----------
    name : str
        Its header; empty where it has none.
    labels : list, optional
        Its cells where they are words, or the labels of pandas.
    numbers : array, optional
        Its cells as numbers, NaN where one is missing.
    place : int
        Its number in the table, from 1.
    """

    name: str
    labels: list[Hashable] | None = None
    numbers: FloatArray | None = field(default=None, repr=False)
    place: int = 1

    @classmethod
    def of(cls, name: str, cells: Sequence[Any] | NDArray[Any], place: int = 1) -> RankingColumn:
        """Make a column of numbers, of words, or of words that are numbers written in full."""
        array = np.asarray(cells)
        if array.dtype.kind in "fiub":
            numbers = np.asarray(array, dtype=np.float64)
            is_index = array.dtype.kind in "iu"
            return cls(name, list(array.tolist()) if is_index else None, numbers, place)
        labels = [cell.strip() if isinstance(cell, str) else cell for cell in cells]
        return cls(name, labels, numbers_of(labels), place)

    @property
    def title(self) -> str:
        """Its header, or its place where it has none."""
        return self.name or f"column {self.place}"

    @property
    def values(self) -> FloatArray:
        """Its cells as numbers."""
        assert self.numbers is not None
        return self.numbers

    @property
    def wholes(self) -> Numbers | None:
        """Its cells where they are whole numbers, each once; None for others."""
        if self.numbers is None or not len(self.numbers) or not np.isfinite(self.numbers).all():
            return None
        if (self.numbers != np.round(self.numbers)).any() or np.abs(self.numbers).max() > 2**52:
            return None
        whole = self.numbers.astype(np.intp)
        return whole if len(np.unique(whole)) == len(whole) else None

    def counts_all(self, n_features: int) -> bool:
        """Whether it holds every whole number up to `n_features`, from 0 or from 1, once."""
        whole = self.wholes
        if whole is None or len(whole) != n_features:
            return False
        return bool(whole.min() in (0, 1) and np.ptp(whole) == n_features - 1)

    @property
    def counts_rows(self) -> bool:
        """Whether it numbers the rows, from 0 or from 1."""
        whole = self.wholes
        return whole is not None and whole[0] in (0, 1) and bool((np.diff(whole) == 1).all())


def columns_of(ranking: Any) -> list[RankingColumn] | None:
    """Columns of a Series, a data frame or a mapping; None for what goes by place.

    Labels that are a range which rises, as pandas makes them, are none.
    """
    if isinstance(ranking, Mapping):
        return [
            _labelled("feature", list(ranking)),
            RankingColumn.of("scores", list(ranking.values()), 2),
        ]
    if not hasattr(ranking, "index") or not hasattr(ranking, "reindex"):
        return None
    index = ranking.index
    has_labels = not (type(index).__name__ == "RangeIndex" and index.is_monotonic_increasing)
    columns = []
    if has_labels:
        columns.append(_labelled("index" if index.name is None else str(index.name), list(index)))
    if np.ndim(ranking) == 1:
        name = "scores" if ranking.name is None else str(ranking.name)
        meaningful = ("rank", "p-value", "log p-value", "ambiguous", "order")
        if not has_labels and kind_of(name) not in meaningful:
            return None
        columns.append(RankingColumn.of(name, ranking.to_numpy(), 2))
    else:
        for at, name in enumerate(ranking.columns):
            cells = ranking.iloc[:, at].to_numpy()
            columns.append(RankingColumn.of(str(name), cells, len(columns) + 1))
    return columns


def _labelled(name: str, labels: list[Hashable]) -> RankingColumn:
    """Labels of pandas or keys: whole numbers among them number the features."""
    numbers = None
    if all(isinstance(label, int | np.integer) for label in labels):
        numbers = np.asarray(labels, dtype=np.float64)
    return RankingColumn(name, labels, numbers, 1)


def filled(columns: Sequence[RankingColumn]) -> list[RankingColumn]:
    """Leave out columns without a cell that is filled."""
    filled = []
    for column in columns:
        if column.numbers is None:
            if any(label not in ("", None) for label in column.labels or ()):
                filled.append(column)
        elif np.isfinite(column.numbers).any():
            filled.append(column)
    return filled


def turned(columns: list[RankingColumn], features: RankedFeatures) -> Sequence[RankingColumn]:
    """Stand a table up that has one column a feature: by name, or of one row or two."""
    numeric = [column for column in columns if column.numbers is not None]
    if len(numeric) < 2:
        return columns
    headers: list[Hashable] = [column.name for column in numeric]
    are_names = all(headers) and set(headers) <= {str(name) for name in features.reference_names}
    is_flat = len(numeric) == features.n_features and len(numeric[0].values) in (1, 2)
    if not are_names and (not is_flat or features.n_features <= 2):
        return columns
    rows = np.column_stack([column.values for column in numeric])
    words = [column for column in columns if column.numbers is None]
    names = [str(label) for label in labels_of(words[0])] if len(words) == 1 else [""] * len(rows)
    turned = [
        RankingColumn.of(name, row, place)
        for place, (name, row) in enumerate(zip(names, rows, strict=True), 2)
    ]
    return [RankingColumn("", headers, None, 1), *turned] if are_names else turned


def labels_of(column: RankingColumn) -> list[Hashable]:
    """Cells of a column, words or numbers."""
    if column.labels is not None:
        return column.labels
    return list(column.values.tolist())


def numbers_of(labels: Sequence[Any]) -> FloatArray | None:
    """Numbers that cells of words stand for; None where one of them is another word."""
    numbers = np.full(len(labels), np.nan)
    for at, label in enumerate(labels):
        if label is None or label == "" or label != label:
            continue
        if isinstance(label, bool | np.bool_):
            numbers[at] = float(label)
            continue
        text = str(label).replace("\N{MINUS SIGN}", "-")
        text = text.removesuffix("%").rstrip()
        match = _PLUS_MINUS.fullmatch(text)
        if text.lower() in _TRUTHS:
            numbers[at] = _TRUTHS[text.lower()]
            continue
        try:
            numbers[at] = float(match[1] if match else text)
        except ValueError:
            return None
    return numbers if np.isfinite(numbers).any() else None
