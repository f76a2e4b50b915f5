"""The form of a table: its first row, the side its samples lie on, its scale, its long form."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cspca.datasets.axis import is_monotonic
from cspca.datasets.files.cells import read_cells
from cspca.datasets.files.columns import ColumnFacts, MeasuredColumns, column_facts
from cspca.datasets.files.feature_names import (
    LEAST_SERIES,
    Confidence,
    only_count_columns,
    series_of,
)
from cspca.datasets.files.vocabulary import (
    AXIS_UNITS,
    FEATURE_NAME,
    GENE_SYMBOL,
    LINEAGE,
    LINEAGE_WORDS,
    MISSING_CELLS,
    PLACE_PAIRS,
    PLACE_PARTS,
    SAMPLE_NAME,
    SPECTRAL_WORDS,
    TIME_UNITS,
    WELL,
    Topic,
    ends_in_word_of,
    fold,
    is_word_of,
    words_of,
)

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
FirstRowRole = Literal["names", "axis", "sample"]
SamplesSide = Literal["rows", "columns"]
ScaleRule = Literal["common", "own"]

_ROWS_LOOKED_AT = 200
_CELLS_LOOKED_AT = 20_000
_KEYS_LOOKED_AT = 300
_MOST_LEVELS = 10_000  # columns by which levels are measured
_MOST_NAMES = 5000  # by which a share of names is measured
_FAR = 3  # ranges of the rows below from which a number stands far from them
_RUNNING_ROWS = 0.2  # share of rows that run one way too, from which a row that does is no axis
_MOSTLY_FILLED = 0.8
_LEAST_POINTS = 20  # of curves that stand in columns
_LEAST_WELLS = 8
_LEAST_SIDES = 2  # rows, and columns, of a plate
_COUNTED = re.compile(r"(?P<stem>.*[^\d])(?P<number>\d{1,9})")
_LEAST_ALIKE = 0.8  # correlation of neighbours along a curve
_MOSTLY_UNLIKE = 0.9  # share of the places of features that differ; reaction times repeat
_LEAST_OUTSIDE = (
    0.1  # share of the numbers of a row that runs one way, from which it is asked about
)
_CLEAR_COUNT = 8
_LEAST_EVEN = 20  # numbers of a row whose even steps are no chance
_ROUNDED_STEPS = 0.05
_LEAST_ROWS = 5
_EVEN_TOLERANCE = 0.3
_ALIKE_RANGES = 10.0
_CLEARLY_UNLIKE = 30.0  # ratio of ranges from which columns set aside are asked about
_LEAST_AXIS = 40  # columns whose ranges may show that they are points of an axis
_ALIKE_NEIGHBOURS = 0.6  # correlation of the ranges of neighbours from which they do
_MOST_KEYS = 30
_MOST_OF_THREE = 8
_LEAST_LONG_ROWS = 12
_LONG_ROW = 1000
_REPEATING = 0.25  # share of different cells up to which a column of words repeats them
_TOPICS_OF_WORDS: tuple[Topic, ...] = (
    "class", "name", "person", "background", "sample name", "feature key"
)  # fmt: skip
_ENDS_OF_KEYS = ("_id", "_name", "_code")
_WITHOUT_NAME = frozenset(["", "no_name", "unnamed_0", "index"])
_OBJECT_NUMBERS = frozenset(["object_number", "image_number"])


@dataclass(frozen=True, slots=True)
class FirstRow:
    """What the first row is."""

    role: FirstRowRole
    confidence: Confidence
    evidence: str


@dataclass(frozen=True, slots=True)
class SampleSide:
    """Whether each row is a sample, or each column."""

    side: SamplesSide
    confidence: Confidence
    evidence: str


@dataclass(frozen=True, slots=True)
class CommonScale:
    """Whether columns keep one scale or get their own, and the columns that speak for their own."""

    rule: ScaleRule
    confidence: Confidence
    evidence: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LongTable:
    """Columns that together number every row once, so that a row may be a measurement.

    Parameters
    ----------
    keys : tuple of str
        Names of the columns.
    counts : tuple of int
        How many values each has.
    evidence : str
        How they number the rows, as a sentence.
    are_crossed : bool, default=True
        Whether every value of each stands beside every value of the others. Of three that are not
        crossed, the second and third together number what is measured of each sample; or the
        first two are coordinates, and each place is a sample.
    """

    keys: tuple[str, ...]
    counts: tuple[int, ...]
    evidence: str
    are_crossed: bool = True


# The first row


@dataclass(frozen=True, eq=False)
class _Top:
    """The first row against the rows below, in their columns of numbers."""

    cells: list[str]
    below: list[list[str]]
    counts: Bools  # columns of numbers
    places: NDArray[np.intp]  # those whose first cell is a number too
    values: Floats
    grid: Floats
    low: Floats
    high: Floats

    @property
    def outside(self) -> float:
        """Share of the numbers that lie outside the rows below."""
        return float(((self.values > self.high) | (self.values < self.low)).mean())

    @property
    def far(self) -> float:
        """Share of the numbers that lie several ranges outside."""
        ranges = np.maximum(self.high - self.low, 1e-12)
        distance = np.maximum(self.values - self.high, self.low - self.values)
        return float((distance > _FAR * ranges).mean())

    @property
    def is_running(self) -> bool:
        """Whether it rises or falls all along."""
        return len(self.values) >= 4 and bool(is_monotonic(self.values))

    @property
    def is_even(self) -> bool:
        """Whether it runs one way and most of its steps are alike."""
        if not self.is_running:
            return False
        steps = np.diff(self.values)
        middle = float(np.median(steps))
        return float(np.median(np.abs(steps - middle))) <= _EVEN_TOLERANCE * abs(middle) + 1e-12

    @property
    def running_rows(self) -> float:
        """Share of the rows below that run one way too."""
        return float(is_monotonic(self.grid).mean())


def first_row(rows: Sequence[Sequence[str]]) -> FirstRow:
    """Say whether the first row holds names, the values of an axis, or the first sample.

    Rows of unlike lengths are compared where both have cells; a few hundred rows are enough.
    """
    if len(rows) < 3:
        return FirstRow("names", "ask", "There are too few rows to compare the first with.")
    cells = [cell.strip() for cell in rows[0]]
    n_rows = min(_ROWS_LOOKED_AT, max(_LEAST_ROWS * 4, _CELLS_LOOKED_AT // max(1, len(cells))))
    below = [
        [row[place].strip() if place < len(row) else "" for place in range(len(cells))]
        for row in rows[1 : 1 + n_rows]
    ]
    numbers = _numbers([cell for row in (cells, *below) for cell in row])
    top, grid = numbers[: len(cells)], numbers[len(cells) :].reshape(len(below), len(cells))
    counts = np.isfinite(grid).mean(axis=0) >= 0.5
    if not counts.any():
        return _first_row_of_words(cells, below)
    missing = np.array([cell.lower() in MISSING_CELLS for cell in cells])
    n_words = int((np.isnan(top) & ~missing & counts).sum())
    if n_words >= max(1, 0.5 * counts.sum()):
        stand = "words stand" if n_words > 1 else "word stands"
        evidence = f"In the first row, {n_words:,} {stand} over columns of numbers."
        return FirstRow("names", "sure", evidence)
    places = np.flatnonzero(counts & np.isfinite(top))
    if not len(places):
        evidence = "The first row has no numbers over the columns of numbers."
        return FirstRow("sample", "ask", evidence)
    grid = grid[:, places]
    low, high = np.nanmin(grid, axis=0), np.nanmax(grid, axis=0)
    comparison = _Top(cells, below, counts, places, top[places], grid, low, high)
    reading = (
        _counter_over_values(comparison)
        or _repeated_names(comparison)
        or _axis_row(comparison)
        or _sample_row(comparison, n_words)
    )
    if n_words or (reading.role != "sample" and reading.confidence != "ask"):
        return reading
    return _names_over_words(comparison) or _even_names(comparison, reading) or reading


def _numbers(cells: Sequence[str]) -> Floats:
    """The plain numbers and percentages; NaN for all other cells."""
    reading = read_cells(cells)
    return np.where(reading.censored | reading.units | reading.words, np.nan, reading.values)


def _counter_over_values(top: _Top) -> FirstRow | None:
    """0, 1, 2 … or 1, 2, 3 … over other values, as programs number columns."""
    x = top.values
    n_gaps = int((np.diff(x) != 1).sum())
    # Of a long row only both ends are looked at.
    counts_up = len(x) >= 4 and x[0] in (0, 1) and n_gaps <= (len(x) >= _LONG_ROW and x[-1] > x[0])
    if not counts_up or not all(top.cells[place].isdigit() for place in top.places):
        return None
    ranges = np.maximum(top.high - top.low, 1e-12)
    far = float(np.nanmedian(np.abs(top.grid - x) / ranges)) > 1
    numbers = top.grid[np.isfinite(top.grid)]
    unlike = far or not bool((numbers == np.rint(numbers)).all())
    confidence: Confidence = "sure" if unlike and len(x) >= _CLEAR_COUNT else "ask"
    evidence = f"The first row counts from {x[0]:.0f} to {x[-1]:.0f}."
    return FirstRow("names", _at_most_likely(confidence, top), evidence)


def _repeated_names(top: _Top) -> FirstRow | None:
    """71, 71.1, 71.2: a first sample whose equal values a program told apart as names."""
    matches = [re.fullmatch(r"(-?\d+(?:\.\d+)?)\.([12])", cell) for cell in top.cells]
    repeated = [match[1] for match in matches if match and match[1] in top.cells]
    if len(top.values) < 4 or not repeated or top.is_even:
        return None
    evidence = f"The first row holds {repeated[0]} and {repeated[0]}.1, equal values made unlike."
    return FirstRow("sample", "likely", evidence)


def _axis_row(top: _Top) -> FirstRow | None:
    """Numbers that run in steps, or stand far from all below and are written otherwise."""
    span = f"{top.cells[top.places[0]]} … {top.cells[top.places[-1]]}"
    outside, far, n_values = top.outside, top.far, len(top.values)
    if top.is_running and top.running_rows > _RUNNING_ROWS and outside > _LEAST_OUTSIDE:
        evidence = f"The first row, {span}, runs one way, but rows below do as well."
        return FirstRow("sample", "ask", evidence)
    enough_rows = len(top.below) >= _LEAST_ROWS
    is_clear = top.is_even and outside >= 0.9 and far >= 0.5 and n_values >= _CLEAR_COUNT
    if is_clear and enough_rows:
        evidence = f"The first row, {span}, runs in even steps outside the values below."
        return FirstRow("axis", "sure", evidence)
    is_long = enough_rows and n_values >= _LEAST_EVEN
    if is_long and _is_exactly_even(top.values) and not any(map(_is_exactly_even, top.grid)):
        evidence = f"The first row, {span}, runs in even steps, as no row below does."
        return FirstRow("axis", "sure", evidence)
    runs_outside = top.is_running and outside >= 0.7
    if n_values >= 5 and (runs_outside or far >= 0.9):
        if enough_rows and top.is_running and outside >= 0.9:
            evidence = f"The first row, {span}, runs one way outside the values below."
            return FirstRow("axis", "likely", evidence)
        if enough_rows and far >= 0.9 and _has_unlike_decimals(top):
            evidence = f"The first row, {span}, lies far from all below, with other decimals."
            return FirstRow("axis", "likely", evidence)
        return FirstRow("axis", "ask", f"The first row, {span}, is unlike the values below.")
    if top.is_even and n_values >= _CLEAR_COUNT:
        evidence = f"The first row, {span}, runs in even steps, but within the values below."
        return FirstRow("axis", "ask", evidence)
    return None


def _is_exactly_even(values: Floats) -> bool:
    """Whether values run in steps that are alike, up to the decimals that are written."""
    steps = np.diff(values)
    middle = abs(float(np.median(steps)))
    return middle > 0 and bool(np.ptp(steps) <= _ROUNDED_STEPS * middle)


def _has_unlike_decimals(top: _Top) -> bool:
    """Whether it is written with other numbers of decimals than all rows below."""

    def decimals(row: list[str]) -> set[int]:
        return {len(row[place].partition(".")[2]) for place in top.places if row[place]}

    below: set[int] = set().union(*map(decimals, top.below[:20]))
    return not decimals(top.cells) & below


def _sample_row(top: _Top, n_words: int) -> FirstRow:
    if n_words:
        evidence = (
            f"In the first row, {n_words} of {int(top.counts.sum())} cells over columns of numbers "
            f"{'are words' if n_words > 1 else 'is a word'}."
        )
        return FirstRow("names", "likely" if n_words > 1 else "ask", evidence)
    lies_within = 1 - top.outside >= 0.6
    if _has_repeated_word(top) and len(top.below) >= _LEAST_ROWS:
        evidence = "Words of the first row come again below, over the same columns."
        return FirstRow("sample", "sure", evidence)
    if lies_within:
        confidence: Confidence = "sure" if len(top.below) >= 10 else "likely"
        return FirstRow("sample", confidence, "The numbers of the first row lie among those below.")
    evidence = "The first row holds numbers in no order, as the rows below do."
    if is_monotonic(top.values):
        evidence = "The first row holds too few numbers to tell them from those of a sample."
    return FirstRow("sample", "likely", evidence)


def _names_over_words(top: _Top) -> FirstRow | None:
    """Numbers beside the name of a column of words: a key word, none, or a word of its own."""
    if len(top.below) < _LEAST_ROWS:
        return None
    confidence: Confidence
    for place in np.flatnonzero(~top.counts):
        cell = top.cells[place]
        column = [row[place] for row in top.below]
        words = {word for word in column if word.lower() not in MISSING_CELLS}
        if cell in words or len(words) < 2:
            continue
        if _is_name_of_words(cell):
            confidence = "ask" if _has_repeated_word(top) else "likely"
            evidence = f"“{cell}” in the first row is the name of a column, and no word below it."
            return FirstRow("names", confidence, evidence)
        if not cell and len(words) == len(column):
            confidence = "likely" if top.is_even else "ask"
            evidence = "The first row has no word over a column of words that all differ."
            return FirstRow("names", confidence, evidence)
        if cell.lower() not in MISSING_CELLS and len(words) <= _REPEATING * len(column):
            confidence = "likely" if top.is_even else "ask"
            evidence = f"“{cell}” in the first row comes nowhere below, where words repeat."
            return FirstRow("names", confidence, evidence)
    return None


def _is_name_of_words(cell: str) -> bool:
    """Whether a cell is a word by which files name their samples, places or classes."""
    name = fold(cell)
    is_key = name.endswith(_ENDS_OF_KEYS)
    return is_key or any(is_word_of(name, topic) for topic in _TOPICS_OF_WORDS)


def _even_names(top: _Top, reading: FirstRow) -> FirstRow | None:
    """A few numbers that run in even steps, as no row below does, or that lie far from all."""
    if reading.confidence == "ask" or len(top.below) < _LEAST_ROWS or _has_repeated_word(top):
        return None
    span = f"{top.cells[top.places[0]]} … {top.cells[top.places[-1]]}"
    is_even = top.is_running and _is_exactly_even(top.values)
    if is_even and not any(map(_is_exactly_even, top.grid)):
        evidence = f"The first row, {span}, runs in even steps, as no row below does."
        return FirstRow("names", "ask", evidence)
    if len(top.values) >= 2 and top.far >= 1:
        evidence = f"The first row, {span}, lies far from all values below."
        return FirstRow("names", "ask", evidence)
    return None


def _has_repeated_word(top: _Top) -> bool:
    """Whether a word of the first row comes again below it."""
    return any(
        top.cells[place] and any(row[place] == top.cells[place] for row in top.below)
        for place in np.flatnonzero(~top.counts)
    )


def _first_row_of_words(cells: list[str], below: list[list[str]]) -> FirstRow:
    """Tables of words alone: whether the first row's words come again."""
    columns = list(zip(*below, strict=True))
    repeating = [
        place for place, column in enumerate(columns) if len(set(column)) <= len(column) / 2
    ]
    n_repeated = sum(cells[place] in columns[place] for place in repeating)
    if len(repeating) >= 2 and n_repeated >= 0.5 * len(repeating):
        confidence: Confidence = "sure" if len(below) >= _LEAST_ROWS else "likely"
        return FirstRow("sample", confidence, "Words of the first row come again below.")
    is_clear = len(repeating) >= 2 and n_repeated == 0 and len(set(cells)) == len(cells)
    confidence = "sure" if is_clear and len(below) >= _LEAST_ROWS else "ask"
    if n_repeated:
        return FirstRow("names", "ask", "Some words of the first row come again below.")
    return FirstRow("names", confidence, "No word of the first row comes again below.")


def _at_most_likely(confidence: Confidence, top: _Top) -> Confidence:
    """Sure only where there are rows enough."""
    return "likely" if confidence == "sure" and len(top.below) < _LEAST_ROWS else confidence


# The side of the samples


def samples_side(
    columns: Sequence[NDArray[Any]],
    names: Sequence[str],
    measured: MeasuredColumns | None = None,
) -> SampleSide:
    """Say whether the rows of a table are samples or its columns, by names and levels.

    Parameters
    ----------
    columns : sequence of ndarray
        All of one length: float64 with NaN for missing, or objects that are cells of text.
    names : sequence of str
        Their names; numbers of columns where the file has none.
    measured : (list of ColumnFacts, list of ndarray), optional
        What `column_facts` returned for these columns and names.
    """
    facts, read = column_facts(columns, names) if measured is None else measured
    key = next(
        (
            place
            for place, measured in enumerate(facts)
            if measured.kind == "text" and measured.distinct_share > 0.98
        ),
        None,
    )
    labels = [fold(name) for name in names]
    numeric = [
        place
        for place, measured in enumerate(facts)
        if measured.kind == "number" and not is_word_of(labels[place], "feature key")
    ]
    heads = [names[place].strip() for place in numeric]
    keys = [cell for cell in read[key][:_KEYS_LOOKED_AT] if cell] if key is not None else []
    feature_marks = _feature_marks(labels, facts, key, keys)
    sample_marks = _sample_marks(labels, key, heads, keys)
    lineages = _lineage_place(facts, read, labels, numeric)
    if lineages is not None and not sample_marks:
        evidence = f"“{names[lineages]}” says of each row which taxon it is."
        return SampleSide("columns", "likely", evidence)
    axis = _axis_place(facts, read, labels)
    if axis is not None:
        evidence = f"“{names[axis]}” runs one way, and the other columns are curves along it."
        is_named = _names_axis(names[axis])
        return SampleSide("columns", "likely" if is_named else "ask", evidence)
    clock = _clock_place(facts, labels, numeric)
    if clock is not None and _wells([head for head in heads if head != names[clock].strip()]):
        evidence = f"The columns are wells of a plate, and “{names[clock]}” rises along the rows."
        return SampleSide("columns", "likely", evidence)
    heads_are_samples = len(heads) >= 4 and _share(SAMPLE_NAME, heads) > 0.8
    between_columns, between_rows = _levels([read[place] for place in numeric])
    only_rows_differ = between_columns < 0.02 and between_rows > 0.3 and len(numeric) >= 4
    n_marks = feature_marks + heads_are_samples
    if not sample_marks and (n_marks >= 2 or (feature_marks and only_rows_differ)):
        confidence: Confidence = "sure" if n_marks + only_rows_differ >= 3 else "likely"
        if heads_are_samples:
            evidence = "The rows are named as features are, and the columns as samples are."
        elif only_rows_differ:
            evidence = "The rows are named as features are, and only their levels differ."
        else:
            evidence = "The rows are named as features are."
        return SampleSide("columns", confidence, evidence)
    if not sample_marks and n_marks:
        evidence = "The columns are named as samples are, but the rows need not be features."
        if feature_marks:
            evidence = "The rows are named as features are, but the columns need not be samples."
        return SampleSide("columns", "ask", evidence)
    n_rows = len(columns[0]) if columns else 0
    tall = n_rows > 3 * len(numeric)
    if key is not None and not sample_marks and only_rows_differ and tall:
        evidence = "Only the levels of the rows differ, as those of features do."
        return SampleSide("rows", "ask", evidence)
    if sample_marks and not feature_marks:
        evidence = "The rows are named as samples are, or the columns as features are."
        return SampleSide("rows", "sure", evidence)
    if len({measured.kind for measured in facts}) > 1:
        return SampleSide("rows", "likely", "The columns are of unlike kinds.")
    if between_columns > 0.3:
        return SampleSide("rows", "likely", "The levels of the columns differ.")
    return SampleSide("rows", "ask", "Neither names nor levels tell rows from columns.")


def _feature_marks(
    labels: list[str], facts: list[ColumnFacts], key: int | None, keys: list[str]
) -> int:
    """How much says that each row is a feature."""
    key_says = key is not None and is_word_of(labels[key], "feature key")
    axis_column = any(
        is_word_of(label, "feature axis")
        and measured.kind == "number"
        and measured.distinct_share > _MOSTLY_UNLIKE
        for label, measured in zip(labels, facts, strict=True)
    )
    return int(key_says) + int(share_of_feature_names(keys) > 0.8) + int(axis_column)


def _sample_marks(labels: list[str], key: int | None, heads: list[str], keys: list[str]) -> int:
    """How much says that each row is a sample."""
    key_says = key is not None and is_word_of(labels[key], "sample key")
    names_features = key is not None and is_word_of(labels[key], "feature key")
    are_lineages_named = _share(LINEAGE, heads) > 0.5
    are_features = are_lineages_named or (
        share_of_feature_names(heads) > 0.5 and not names_features
    )
    heads_say = are_features and not _share(SAMPLE_NAME, heads) > 0.8
    cells_say = not names_features and _share(SAMPLE_NAME, keys) > 0.8
    return int(key_says) + int(heads_say) + int(cells_say)


def _lineage_place(
    facts: Sequence[ColumnFacts],
    read: Sequence[NDArray[Any]],
    labels: Sequence[str],
    numeric: Sequence[int],
) -> int | None:
    """The column of words that are lineages of taxa, beside columns of numbers; None without."""
    if len(numeric) < LEAST_SERIES:
        return None
    for place, measured in enumerate(facts):
        if measured.kind == "text":
            cells = [cell for cell in read[place][:_KEYS_LOOKED_AT] if cell]
            if are_lineages(cells, labels[place]):
                return place
    return None


def are_lineages(cells: Sequence[str], label: str) -> bool:
    """Whether words are lineages, by their ranks or by the folded name of their column."""
    is_named = not LINEAGE_WORDS.isdisjoint(label.split("_"))
    have_parts = sum(";" in cell or "|" in cell for cell in cells) > 0.8 * len(cells)
    return _share(LINEAGE, cells) > 0.8 or (is_named and len(cells) > 0 and have_parts)


def _axis_place(
    facts: list[ColumnFacts], read: list[NDArray[Any]], labels: list[str]
) -> int | None:
    """The first column, where it is no clock and runs one way, and all others are curves on it."""
    is_number = [measured.kind == "number" for measured in facts]
    if len(facts) < LEAST_SERIES or not all(is_number) or ends_in_word_of(labels[0], "clock"):
        return None
    steps = np.diff(read[0])
    runs = len(steps) >= _LEAST_POINTS and bool((steps > 0).all() or (steps < 0).all())
    if not runs or bool((np.abs(steps) == 1).all()) or facts[0].counter:
        return None
    return 0 if all(map(_is_curve, read[1:])) else None


def _clock_place(
    facts: Sequence[ColumnFacts], labels: Sequence[str], numeric: Sequence[int]
) -> int | None:
    """The first column of numbers, where it is called as a clock and rises all along."""
    first = next(iter(numeric), None)
    if first is None or not ends_in_word_of(labels[first], "clock"):
        return None
    measured = facts[first]
    return first if measured.rises and measured.distinct_share == 1 else None


def _names_axis(name: str) -> bool:
    """Whether a name is that of an axis of spectra, or their unit; those of time are clocks."""
    unit = re.sub(r"[\s\[\](){}]", "", name).lower()
    is_unit = unit in AXIS_UNITS - TIME_UNITS
    is_word = is_word_of(fold(name), "feature axis") or not SPECTRAL_WORDS.isdisjoint(
        words_of(name)
    )
    return is_unit or is_word


def _is_curve(column: NDArray[Any]) -> bool:
    """Whether each number is like the one before it, or the column is constant."""
    filled = np.isfinite(column)
    if filled.mean() < _MOSTLY_FILLED:  # an instrument may overflow at an end
        return False
    column = column[filled]
    before, after = column[:-1], column[1:]
    if np.ptp(column) == 0 or np.ptp(before) == 0 or np.ptp(after) == 0:
        return True
    return float(np.corrcoef(before, after)[0, 1]) > _LEAST_ALIKE


def _share(form: re.Pattern[str], words: Sequence[str]) -> float:
    """Share of words of a form; of very many, by some that are evenly spaced."""
    words = words[:: max(1, len(words) // _MOST_NAMES)]
    return sum(bool(form.fullmatch(word)) for word in words) / max(1, len(words))


def share_of_feature_names(words: Sequence[str]) -> float:
    """Share of words that name features; a stem that counts all, such as Row1, names anything."""
    share = _share(FEATURE_NAME, words)
    return share if _count_up(words) else share + _share(GENE_SYMBOL, words)


def _count_up(words: Sequence[str]) -> bool:
    """Whether words are one stem behind which the rows are counted from 0 or 1."""
    matches = [_COUNTED.fullmatch(word) for word in words]
    if not words or any(match is None for match in matches):
        return False
    numbers = [int(match["number"]) for match in matches if match is not None]
    stems = {match["stem"] for match in matches if match is not None}
    first = numbers[0]
    return first in (0, 1) and len(stems) == 1 and numbers == [*range(first, first + len(words))]


def _wells(heads: Sequence[str]) -> bool:
    """Whether names are those of wells of a plate, of several of its rows and columns."""
    matches = [WELL.fullmatch(head) for head in heads]
    wells = {(match["row"], match["column"]) for match in matches if match is not None}
    rows, columns = {row for row, _ in wells}, {column for _, column in wells}
    is_each_a_well = len(wells) == len(heads) >= _LEAST_WELLS
    return is_each_a_well and len(rows) >= _LEAST_SIDES and len(columns) >= _LEAST_SIDES


def _levels(columns: list[NDArray[Any]]) -> tuple[float, float]:
    """Shares of the variance (of logarithms) between columns, of many some, and between rows."""
    if not columns:
        return 0.0, 0.0
    columns = columns[:: max(1, len(columns) // _MOST_LEVELS)]
    values = np.array(columns, dtype=np.float64)
    logs = np.sign(values) * np.log1p(np.abs(values))
    filled = np.isfinite(logs)
    if not filled.any():
        return 0.0, 0.0
    total = float(logs[filled].var())
    if total == 0:
        return 0.0, 0.0
    zeros = np.where(filled, logs, 0.0)
    shares = []
    for axis in (1, 0):
        count = filled.sum(axis=axis)
        means = zeros.sum(axis=axis)[count > 0] / count[count > 0]
        shares.append(float(means.var()) / total)
    return shares[0], shares[1]


# Long tables


def long_table(columns: Sequence[NDArray[Any]], names: Sequence[str]) -> LongTable | None:
    """Return two to four columns whose values together number every row once, or None.

    Columns of a series, pairs of coordinates and numbers of objects in a picture are no such keys.
    """
    n_rows = len(columns[0]) if columns else 0
    if n_rows < _LEAST_LONG_ROWS:
        return None
    in_series = {place for member in series_of(names) for place in member.places}
    candidates = [
        place
        for place in range(len(columns))
        if place not in in_series and fold(names[place]) not in _OBJECT_NUMBERS
    ]
    few = [columns[place] for place in candidates]
    facts, read = column_facts(few, [names[place] for place in candidates])
    keys: list[_Key] = []
    for place, measured, column in zip(candidates, facts, read, strict=True):
        may_be_key = 2 <= measured.n_distinct <= n_rows / 2 and measured.kind in ("number", "text")
        if may_be_key and measured.n_filled == n_rows:
            keys.append(_Key(names[place], pd.factorize(column)[0], measured.n_distinct))
    # A column that the file does not name numbers rows by chance of how they were written.
    keys.sort(key=lambda key: fold(key.name) in _WITHOUT_NAME)
    dividing = [key for key in keys if n_rows % key.n_values == 0][:_MOST_KEYS]
    for first, second in combinations(dividing, 2):
        if are_coordinates(first.name, second.name) or not _number_once(first, second, n_rows):
            continue
        evidence = (
            f"Each pair of values of “{first.name}” ({first.n_values:,}) and “{second.name}” "
            f"({second.n_values:,}) has one row of its own."
        )
        return _long_table((first, second), evidence)
    few_keys = [key for key in keys if key.n_values <= n_rows / 4]
    return _of_crossed_keys(few_keys, n_rows) or _of_three_keys(few_keys, n_rows)


@dataclass(frozen=True, eq=False)
class _Key:
    """A column that may number rows: its name, the number of each value, and of all values."""

    name: str
    codes: NDArray[np.intp]
    n_values: int


def _long_table(keys: tuple[_Key, ...], evidence: str, *, are_crossed: bool = True) -> LongTable:
    names, counts = tuple(key.name for key in keys), tuple(key.n_values for key in keys)
    return LongTable(names, counts, evidence, are_crossed)


def _number_once(first: _Key, second: _Key, n_rows: int) -> bool:
    """Whether each pair of values of two columns stands in one row."""
    if first.n_values * second.n_values != n_rows:
        return False
    return len(np.unique(first.codes * second.n_values + second.codes)) == n_rows


def _of_crossed_keys(keys: list[_Key], n_rows: int) -> LongTable | None:
    """A long table of three or four keys, each value of one beside all values of the others."""
    dividing = [key for key in keys if n_rows % key.n_values == 0][:_MOST_OF_THREE]
    for n_keys in (3, 4):
        for crossed in combinations(dividing, n_keys):
            if math.prod(key.n_values for key in crossed) != n_rows:
                continue
            codes = np.zeros(n_rows, dtype=np.int64)
            for key in crossed:
                codes = codes * key.n_values + key.codes
            has_place = any(are_coordinates(a.name, b.name) for a, b in combinations(crossed, 2))
            if has_place or len(np.unique(codes)) != n_rows:
                continue
            *others, last = [f"“{key.name}” ({key.n_values:,})" for key in crossed]
            evidence = (
                f"Each combination of values of {', '.join(others)} and {last} has one row of its "
                "own."
            )
            return _long_table(crossed, evidence)
    return None


def _of_three_keys(keys: list[_Key], n_rows: int) -> LongTable | None:
    """A long table whose parts of a sample are numbered by two columns, as type and index."""
    for second, third in combinations(keys[:_MOST_OF_THREE], 2):
        are_place = are_coordinates(second.name, third.name)
        codes, pairs = pd.factorize(second.codes * third.n_values + third.codes)
        part = _Key("", codes, len(pairs))
        for first in keys[:_MOST_OF_THREE]:
            if first in (second, third) or part.n_values < max(second.n_values, third.n_values) + 1:
                continue
            if not _number_once(first, part, n_rows):
                continue
            if are_place:
                evidence = (
                    f"Each of the {part.n_values:,} places by “{second.name}” and “{third.name}” "
                    f"has one row for each value of “{first.name}” ({first.n_values:,})."
                )
                return _long_table((second, third, first), evidence, are_crossed=False)
            evidence = (
                f"Each value of “{first.name}” ({first.n_values:,}) has one row for each of the "
                f"{part.n_values:,} pairs of “{second.name}” and “{third.name}”."
            )
            return _long_table((first, second, third), evidence, are_crossed=False)
    return None


def are_coordinates(first: str, second: str) -> bool:
    """Whether two names are the two coordinates of a place."""
    stems = {
        "_".join(part for part in fold(name).split("_") if part not in PLACE_PARTS)
        for name in (first, second)
    }
    return any(stems == set(pair) for pair in PLACE_PAIRS)


# The scale


def common_scale(values: Floats, names: Sequence[str] | None) -> CommonScale:
    """Say whether columns keep one scale, by their ranges between the 5th and 95th percentile.

    Columns of one series share a unit, unless their names only count them. A mistyped cell, or a
    column that hardly varies, does not put the others on scales of their own: the widest and
    narrowest tenth are set aside first.

    Parameters
    ----------
    values : array of shape (n_samples, n_columns)
    names : sequence of str, optional
        Names of the columns that the file has.
    """
    n_columns = values.shape[1]
    in_series = 0
    if names is not None and not only_count_columns(names):
        in_series = max((len(member.places) for member in series_of(names)), default=0)
    if names is None:
        names = [f"column {number + 1}" for number in range(n_columns)]
    if n_columns >= _CLEAR_COUNT and in_series >= 0.9 * n_columns:
        evidence = f"{in_series:,} of {n_columns:,} columns are of one series, which shares a unit."
        return CommonScale("common", "sure", evidence)
    spans = _robust_ranges(values)
    varying = np.flatnonzero(spans > 0)
    if len(varying) < 2:
        return CommonScale("common", "sure", "Fewer than two columns vary.")
    order = varying[np.argsort(spans[varying], kind="stable")]
    ratio = float(spans[order[-1]] / spans[order[0]])
    if ratio <= _ALIKE_RANGES:
        evidence = f"The widest column spans {ratio:.3g} times what the narrowest does."
        return CommonScale("common", "sure", evidence)
    n_aside = max(1, len(order) // 10)
    inner = ratio
    if len(order) >= _LEAST_ROWS:
        inner = float(spans[order[-1 - n_aside]] / spans[order[n_aside]])
    widest, narrowest = names[order[-1]], names[order[0]]
    if inner > _ALIKE_RANGES and _run_along_axis(spans):
        evidence = "The ranges of the columns differ, but neighbours are alike, as along a curve."
        return CommonScale("common", "likely", evidence)
    if inner > _ALIKE_RANGES:
        evidence = (
            f"The ranges of the columns differ widely: “{widest}” spans {ratio:.3g} times what "
            f"“{narrowest}” does."
        )
        ends = (*order[:n_aside], *order[-n_aside:])
        return CommonScale("own", "likely", evidence, tuple(names[place] for place in ends))
    middle = float(np.median(spans[order]))
    unlike = [
        place
        for place in (*order[:n_aside], *order[-n_aside:])
        if not middle / _ALIKE_RANGES**0.5 <= spans[place] <= middle * _ALIKE_RANGES**0.5
    ]
    outer = tuple(names[place] for place in unlike)
    evidence = f"All columns span like sizes but {', '.join(outer[:5])}."
    whole = bool((np.isnan(values) | (values == np.rint(values))).all()) and np.nanmin(values) >= 0
    is_clear = ratio > _CLEARLY_UNLIKE and not whole
    return CommonScale("common", "ask" if is_clear else "likely", evidence, outer)


def _run_along_axis(spans: Floats) -> bool:
    """Whether columns beside each other have like ranges, as points of one axis have."""
    logs = np.log(spans[spans > 0])
    logs = logs - logs.mean()
    if len(logs) < _LEAST_AXIS:
        return False
    return float((logs[1:] * logs[:-1]).sum()) > _ALIKE_NEIGHBOURS * float((logs**2).sum())


def _robust_ranges(values: Floats) -> Floats:
    """Range between the 5th and 95th percentile of each column; the full one where that is 0."""
    if not len(values):
        return np.zeros(values.shape[1])
    # Ranges must not overflow, and only their ratios count.
    size = float(np.abs(np.where(np.isfinite(values), values, 0.0)).max(initial=1e-300))
    values = values / size
    ordered = np.sort(np.where(np.isfinite(values), values, np.nan).T, axis=1)
    n_filled = np.isfinite(ordered).sum(axis=1)
    rows = np.arange(len(ordered))
    last = np.maximum(n_filled - 1, 0)

    def quantile(share: float) -> Floats:
        position = share * last
        below = np.floor(position).astype(int)
        above = np.minimum(below + 1, last)
        weight = position - below
        quantiles: Floats = ordered[rows, below] * (1 - weight) + ordered[rows, above] * weight
        return quantiles

    spans = quantile(0.95) - quantile(0.05)
    full = ordered[rows, last] - ordered[:, 0]
    chosen: Floats = np.where(spans > 0, spans, full)
    return np.nan_to_num(chosen)
