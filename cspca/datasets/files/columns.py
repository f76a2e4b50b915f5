"""What is measured of the columns of a table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files.cells import CellReading, Kind, read_cells
from cspca.datasets.files.vocabulary import ends_in_word_of, fold, is_word_of
from cspca.labels import DOUBTFUL_WORDS, WORDS_OF_CLASSES, frequent_doubtful_words

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LONG = 10_000  # rows from which a part of them is looked at first
_ROWS_OF_LONG = 2500
_MANY_VALUES = 1000
_VALUES_AT_ONCE = 2_000_000
_EXAMPLES = 8
_LEAST_FOR_COUNTER = 5
_LEAST_A_WORD = 2  # cells
_ORDINAL = re.compile(r"\d+(st|nd|rd|th)", re.IGNORECASE)
_DENSE_SLACK = 1.25  # codes may leave out a fifth of the whole numbers between first and last


class ColumnFacts(NamedTuple):
    """What is measured of one column.

    Attributes
    ----------
    kind : str
        As of `CellReading`.
    n_filled, n_distinct : int
        Cells that are not missing, and how many values they have.
    whole : bool
        Whether all numbers are whole.
    dense : bool
        Whether they are codes almost without gaps: 0 … k − 1, 1 … k, or −1 and 1.
    rises : bool
        Whether no number is below one in an earlier row.
    counter : bool
        Whether they are 0 … n − 1 or 1 … n in the order of the rows.
    rarest_share : float
        Share of the filled cells that hold the rarest value.
    low, high : float
        Least and greatest number.
    n_words : int
        Cells of a column of numbers that hold no plain number.
    examples : tuple of str
        Those cells; of a column of text, its commonest words.
    """

    kind: Kind
    n_filled: int
    n_distinct: int
    whole: bool = False
    dense: bool = False
    rises: bool = False
    counter: bool = False
    rarest_share: float = 0.0
    low: float = np.nan
    high: float = np.nan
    n_words: int = 0
    examples: tuple[str, ...] = ()

    @property
    def repeats(self) -> float:
        """Rows a value, on average."""
        return self.n_filled / max(1, self.n_distinct)

    @property
    def distinct_share(self) -> float:
        """How much of the filled cells differs: 1 where every value is there once."""
        return self.n_distinct / max(1, self.n_filled)


MeasuredColumns = tuple[list[ColumnFacts], list[NDArray[Any]]]


def column_facts(columns: Sequence[NDArray[Any]], names: Sequence[str]) -> MeasuredColumns:
    """Measure all columns; the second list has columns of text that hold numbers as numbers."""
    facts: list[ColumnFacts | None] = [None] * len(columns)
    read = list(columns)
    numeric: list[int] = []
    readings: dict[int, CellReading] = {}
    for place, column in enumerate(columns):
        if column.dtype != object:
            numeric.append(place)
            continue
        reading = read_cells(column)
        is_numeric = _holds_numbers(reading, names[place])
        if is_numeric:
            read[place] = reading.values
            numeric.append(place)
            readings[place] = reading
        else:
            read[place] = _with_class_words(reading, column, names[place])
            facts[place] = _facts_of_text(reading.kind, read[place])
    if numeric:
        n_rows = len(columns[numeric[0]])
        step = max(1, _VALUES_AT_ONCE // max(1, n_rows))
        measured_few = _facts_of_long(read, numeric) if n_rows > _LONG else {}
        for place, measured in measured_few.items():
            facts[place] = measured
        numeric = [place for place in numeric if place not in measured_few]
        for start in range(0, len(numeric), step):
            block = numeric[start : start + step]
            values = np.array([read[place] for place in block], dtype=np.float64)
            for place, measured in zip(block, _facts_of_block(values), strict=True):
                facts[place] = measured
    for place, reading in readings.items():
        measured_cells = facts[place]
        if measured_cells is not None and (reading.kind == "unit" or reading.doubtful.any()):
            facts[place] = _with_doubtful(measured_cells, reading)
    return [measured for measured in facts if measured is not None], read


def _facts_of_long(read: Sequence[NDArray[Any]], numeric: list[int]) -> dict[int, ColumnFacts]:
    """Facts of long columns that a part of their rows shows to be no codes, clock or counter."""
    n_rows = len(read[numeric[0]])
    every = n_rows // _ROWS_OF_LONG
    width = max(1, _VALUES_AT_ONCE // _ROWS_OF_LONG)
    facts = {}
    for start in range(0, len(numeric), width):
        block = numeric[start : start + width]
        values = np.array([read[place][::every] for place in block], dtype=np.float64)
        for place, measured in zip(block, _facts_of_block(values), strict=True):
            if measured.whole or measured.rises or measured.n_distinct < _MANY_VALUES:
                continue
            n_filled = int(np.isfinite(read[place]).sum())
            n_distinct = round(measured.distinct_share * n_filled)
            facts[place] = measured._replace(n_filled=n_filled, n_distinct=n_distinct)
    return facts


def _holds_numbers(reading: CellReading, name: str) -> bool:
    """Whether cells are numbers; a name with a letter among them makes them names."""
    if reading.kind == "unit" and _are_ordinals(reading):
        return False
    if reading.kind == "number" and reading.doubtful.any():
        return not ends_in_word_of(fold(name), "name")
    return reading.kind in ("number", "unit")


def _are_ordinals(reading: CellReading) -> bool:
    """Whether the first cells are 1st, 2nd, 3rd …, which are words."""
    cells = reading.text[~reading.missing][:_EXAMPLES]
    return all(_ORDINAL.fullmatch(cell) is not None for cell in cells)


def _with_doubtful(facts: ColumnFacts, reading: CellReading) -> ColumnFacts:
    """Facts of numbers among which some cells are doubtful."""
    doubtful = reading.text[reading.doubtful]
    return facts._replace(
        kind=reading.kind,
        n_filled=int((~reading.missing).sum()),
        n_words=len(doubtful),
        examples=tuple(dict.fromkeys(doubtful))[:_EXAMPLES],
    )


def _with_class_words(reading: CellReading, cells: NDArray[Any], name: str) -> NDArray[Any]:
    """Cells of words, with those such as none that are as frequent as the others and may be one."""
    counts = Counter(reading.text[~reading.missing].tolist())
    least = min(counts.values(), default=0)
    if not reading.missing.any() or least < _LEAST_A_WORD:
        return reading.text
    doubtful = DOUBTFUL_WORDS if is_word_of(fold(name), "class") else WORDS_OF_CLASSES
    counts.update(str(cell).strip() for cell in cells[reading.missing])
    may_be = [word for word in frequent_doubtful_words(counts) if word.lower() in doubtful]
    return np.array(
        [
            word if (word := str(cell).strip()) in may_be else text
            for cell, text in zip(cells, reading.text, strict=True)
        ],
        dtype=object,
    )


def _facts_of_text(kind: Kind, text: NDArray[Any]) -> ColumnFacts:
    """Facts of a column of words, dates, times or blocks."""
    counts = Counter(text[text != ""].tolist())
    n_filled = counts.total()
    if not n_filled:
        return ColumnFacts("empty", 0, 0)
    return ColumnFacts(
        kind="text" if kind in ("number", "unit") else kind,
        n_filled=n_filled,
        n_distinct=len(counts),
        rarest_share=min(counts.values()) / n_filled,
        examples=tuple(word for word, _ in counts.most_common(_EXAMPLES)),
    )


def _facts_of_block(values: Floats) -> list[ColumnFacts]:
    """Measure many columns of numbers at once, each a row of `values`."""
    n_rows = values.shape[1]
    if not n_rows:
        return [ColumnFacts("empty", 0, 0) for _ in values]
    filled = np.isfinite(values)
    if not filled.all():
        values = np.where(filled, values, np.nan)
    n_filled = filled.sum(axis=1)
    ordered = np.sort(values, axis=1)  # what is missing stands at the end
    changes = np.ones(values.shape, dtype=bool)
    changes[:, 1:] = ordered[:, 1:] > ordered[:, :-1]
    changes &= np.arange(n_rows) < np.maximum(n_filled, 1)[:, None]
    n_distinct = changes.sum(axis=1)
    rarest = _rarest_counts(changes, n_distinct, n_filled)
    low = ordered[:, 0]
    high = ordered[np.arange(len(values)), np.maximum(n_filled - 1, 0)]
    whole = ((values == np.rint(values)) | ~filled).all(axis=1)
    gapless = high - low + 1 <= _DENSE_SLACK * n_distinct + 0.5
    dense = whole & (
        (gapless & (np.abs(low) <= 1)) | ((n_distinct == 2) & (low == -1) & (high == 1))
    )
    rises = (n_distinct > 1) & ~(values < np.fmax.accumulate(values, axis=1)).any(axis=1)
    counter = _counters(values, filled, whole & rises & (n_filled >= _LEAST_FOR_COUNTER))
    rows = zip(
        n_filled.tolist(), n_distinct.tolist(), whole.tolist(), dense.tolist(), rises.tolist(),
        counter.tolist(), (rarest / np.maximum(n_filled, 1)).tolist(), low.tolist(), high.tolist(),
        strict=True,
    )  # fmt: skip
    return [ColumnFacts("number", *row) if row[0] else ColumnFacts("empty", 0, 0) for row in rows]


def _rarest_counts(changes: NDArray[np.bool_], n_distinct: Ints, n_filled: Ints) -> Ints:
    """How many cells hold the rarest value of each sorted row."""
    n_rows = changes.shape[1]
    starts = np.flatnonzero(changes)
    ends = np.append(starts[1:], changes.size)
    row_of_start = starts // n_rows
    ends = np.minimum(ends, row_of_start * n_rows + n_filled[row_of_start])
    first = np.concatenate([[0], np.cumsum(n_distinct)[:-1]])
    return np.minimum.reduceat(ends - starts, first)


def _counters(
    values: Floats, filled: NDArray[np.bool_], candidates: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which rows are 0 … n − 1 or 1 … n, up to missing cells (at most half of them)."""
    counter = np.zeros(len(values), dtype=bool)
    rows = np.flatnonzero(candidates)
    if not len(rows):
        return counter
    difference = values[rows] - np.arange(values.shape[1])
    low, high = np.nanmin(difference, axis=1), np.nanmax(difference, axis=1)
    full_enough = filled[rows].mean(axis=1) >= 0.5
    counter[rows] = (low == high) & ((low == 0) | (low == 1)) & full_enough
    return counter
