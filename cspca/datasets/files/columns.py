"""What is measured of columns, and what their names say together: series, axes, pixels, joints."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files.cells import CellReading, Kind, read_cells
from cspca.datasets.files.vocabulary import AXIS_PREFIXES, AXIS_UNITS, ends_in_word_of, fold

Confidence = Literal["sure", "likely", "ask"]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_SERIES = 4
_LONG = 40_000  # rows from which a part of them is looked at first
_ROWS_OF_LONG = 10_000
_MANY_VALUES = 1000
_VALUES_AT_ONCE = 2_000_000
_EXAMPLES = 8
_LEAST_FOR_COUNTER = 5
_DENSE_SLACK = 1.25  # codes may leave out a fifth of the whole numbers between first and last
_EVEN_SHARE = 0.8  # of the steps that must be alike
_CLEAR_COUNT = 8  # a series of so many is sure
_LEAST_JOINTS = 3


@dataclass(frozen=True, slots=True)
class ColumnFacts:
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


def column_facts(
    columns: Sequence[NDArray[Any]], names: Sequence[str]
) -> tuple[list[ColumnFacts], list[NDArray[Any]]]:
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
        read[place] = reading.values if is_numeric else reading.text
        if is_numeric:
            numeric.append(place)
            readings[place] = reading
        else:
            facts[place] = _facts_of_text(reading)
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
            facts[place] = replace(
                measured, n_filled=n_filled, n_distinct=round(measured.distinct_share * n_filled)
            )
    return facts


def _holds_numbers(reading: CellReading, name: str) -> bool:
    """Whether cells are numbers; a name with a letter among them makes them names."""
    if reading.kind == "number" and reading.doubtful.any():
        return not ends_in_word_of(fold(name), "name")
    return reading.kind in ("number", "unit")


def _with_doubtful(facts: ColumnFacts, reading: CellReading) -> ColumnFacts:
    """Facts of numbers among which some cells are doubtful."""
    doubtful = reading.text[reading.doubtful]
    return replace(
        facts,
        kind=reading.kind,
        n_filled=int((~reading.missing).sum()),
        n_words=len(doubtful),
        examples=tuple(dict.fromkeys(doubtful))[:_EXAMPLES],
    )


def _facts_of_text(reading: CellReading) -> ColumnFacts:
    """Facts of a column of words, dates, times or blocks."""
    counts = Counter(reading.text[~reading.missing].tolist())
    n_filled = counts.total()
    if not n_filled:
        return ColumnFacts("empty", 0, 0)
    return ColumnFacts(
        kind="text" if reading.kind == "number" else reading.kind,
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


# Series of names

_SERIES_NAME = re.compile(r"(.*?)[_\s.\-]*(\d+(?:[._,x]\d+)*)[_\s]*(\D{0,6})")
_TWO_STEMS = re.compile(r"([a-z]+)(\d+)[_\s]*([a-z]+)(\d+)", re.IGNORECASE)
_BARE_STEMS = frozenset(
    ["", "v", "x", "var", "col", "column", "c", "unnamed:", "attr", "attribute", "field"]
)


@dataclass(frozen=True, eq=False)
class NameSeries:
    """Columns whose names are one stem, a number and one unit."""

    places: tuple[int, ...]
    stem: str
    unit: str

    @property
    def is_clear(self) -> bool:
        """Whether it is long enough to leave no doubt that its columns belong together."""
        return len(self.places) >= _CLEAR_COUNT


def series_of(names: Sequence[str]) -> tuple[NameSeries, ...]:
    """Return the series of at least four names, in the order of their first columns."""
    return _series_of(tuple(names))


@lru_cache(maxsize=8)
def _series_of(names: tuple[str, ...]) -> tuple[NameSeries, ...]:
    places: dict[tuple[str, str], list[int]] = {}
    for place, name in enumerate(names):
        name = name.strip()
        if (match := _TWO_STEMS.fullmatch(name)) or (match := _SERIES_NAME.fullmatch(name)):
            key = (match[1].lower(), match[3].lower())
        else:
            continue
        places.setdefault(key, []).append(place)
    return tuple(
        NameSeries(tuple(members), stem, unit)
        for (stem, unit), members in places.items()
        if len(members) >= LEAST_SERIES
    )


def only_count_columns(names: Sequence[str]) -> bool:
    """Whether the names are V1 … Vn, X1 … Xn, 0 … n − 1 or the like, and so say nothing."""
    series = series_of(names)
    if len(series) != 1 or len(series[0].places) != len(names):
        return False
    if series[0].unit or series[0].stem not in _BARE_STEMS:
        return False
    digits = [re.sub(r"\D", "", name) for name in names]
    numbers = sorted(int(digit) for digit in digits)
    return numbers in (list(range(len(names))), list(range(1, len(names) + 1)))


# Layouts that names declare


@dataclass(frozen=True, eq=False)
class NamedAxis:
    """Features that are points of one axis: their values, its unit and what stands before each.

    `ordered` says whether the values rise or fall all along.
    """

    values: Floats
    unit: str
    prefix: str
    ordered: bool
    confidence: Confidence
    evidence: str


@dataclass(frozen=True, eq=False)
class NamedAxes:
    """Features that are points of a plane of two axes, as excitation and emission."""

    first: Floats
    second: Floats
    confidence: Confidence
    evidence: str


@dataclass(frozen=True, eq=False)
class NamedPixels:
    """Features that are pixels; row and column of each, from 0, where the names say them."""

    shape: tuple[int, int] | None
    rows: Ints | None
    columns: Ints | None
    confidence: Confidence
    evidence: str


@dataclass(frozen=True, eq=False)
class NamedJoints:
    """Features that are coordinates of joints.

    `places` has, for joint j and coordinate c, the place of its column.
    """

    joints: tuple[str, ...]
    coordinates: str
    places: Ints
    confidence: Confidence
    evidence: str


NameLayout = NamedAxis | NamedAxes | NamedPixels | NamedJoints

_PLAIN_NUMBER = re.compile(r"[-−]?\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?")
_AXIS_NAME = re.compile(
    r"(?P<prefix>[^\W\d]*|[^\d]*?[_\s.:=\-])"
    r"(?P<number>-?\d+(?:[.,_]\d+)?)"
    r"(?P<gap>[_\s]*)(?P<unit>[^\W\d_]\S{0,5}|[%°]\S{0,3}|1/cm)?",
)
_PAIR_OF_NUMBERS = re.compile(r"([^\d\-]*?)(\d+(?:\.\d+)?)[_/;|\s]+(\d+(?:\.\d+)?)")
_ROW_AND_COLUMN = re.compile(
    r"(?:r|row)[_\s.\-]*(\d+)[_\s.\-]*(?:c|col|column)[_\s.\-]*(\d+)", re.IGNORECASE
)
_PIXEL_NAME = re.compile(r"(?:pixels?|px|pix)?[_\s.\-]*(\d+)(?:[_\s.,x\-]+(\d+))?", re.IGNORECASE)
_JOINT_FIRST = re.compile(r"(.*?[^\s_.\-:])[\s_.\-:]*([xyz])", re.IGNORECASE)
_COORDINATE_FIRST = re.compile(r"([xyz])[\s_.\-:]*(\S.*)", re.IGNORECASE)
_SENSORS = re.compile(r"acc|gyro|mag|grav|orient|veloc|vel$|force|euler|quat|field", re.IGNORECASE)


def layout_of(names: Sequence[str]) -> NameLayout | None:
    """Return what the names of features declare: an axis, two axes, pixels, joints, or nothing.

    A bare counter from 0 or 1, or one behind a word, declares nothing.
    """
    return _layout_of(tuple(name.strip() for name in names))


@lru_cache(maxsize=4)
def _layout_of(stripped: tuple[str, ...]) -> NameLayout | None:
    if len(stripped) < LEAST_SERIES:
        return None
    names = list(stripped)
    return _named_joints(names) or _named_pixels(names) or _named_axes(names) or _named_axis(names)


def _match_all(form: re.Pattern[str], names: list[str]) -> list[re.Match[str]] | None:
    """The matches of all names, or None at the first that has none."""
    matches = []
    for name in names:
        match = form.fullmatch(name)
        if match is None:
            return None
        matches.append(match)
    return matches


def _named_pixels(names: list[str]) -> NamedPixels | None:
    matches = _match_all(_ROW_AND_COLUMN, names)
    if matches is not None:
        return _pixel_grid([(int(match[1]), int(match[2])) for match in matches], names)
    matches = _match_all(_PIXEL_NAME, names)
    if matches is None:
        return None
    has_word = all(re.match(r"px|pix", name, re.IGNORECASE) for name in names)
    times = all("x" in name.lower().removeprefix("px") for name in names) and not has_word
    numbers = [(match[1], match[2]) for match in matches]
    if (has_word or times) and all(second is not None for _, second in numbers):
        return _pixel_grid([(int(first), int(second)) for first, second in numbers], names)
    if has_word and all(second is None for _, second in numbers):
        evidence = f"The names {names[0]} … {names[-1]} number pixels."
        return NamedPixels(None, None, None, "sure", evidence)
    return None


def _pixel_grid(pairs: list[tuple[int, int]], names: list[str]) -> NamedPixels | None:
    """Pixels whose rows and columns fill a rectangle, each once."""
    places = np.array(pairs, dtype=np.int64)
    places -= places.min(axis=0)
    height, width = (int(side) for side in places.max(axis=0) + 1)
    if height * width != len(pairs) or len(set(pairs)) != len(pairs):
        return None
    evidence = (
        f"The names {names[0]} … {names[-1]} are rows and columns of {height} × {width} pixels."
    )
    return NamedPixels((height, width), places[:, 0], places[:, 1], "sure", evidence)


def _named_axes(names: list[str]) -> NamedAxes | None:
    """Two axes, where pairs of numbers fill at least half of a plane and are no decimals."""
    matches = _match_all(_PAIR_OF_NUMBERS, names)
    if matches is None or len({match[1] for match in matches}) != 1:
        return None
    pairs = {(float(match[2]), float(match[3])) for match in matches}
    first = np.array([float(match[2]) for match in matches])
    second = np.array([float(match[3]) for match in matches])
    first_values, second_values = np.unique(first), np.unique(second)
    size = len(first_values) * len(second_values)
    fills_plane = len(pairs) == len(names) and size <= 2 * len(names)
    if min(len(first_values), len(second_values)) < 2 or not fills_plane:
        return None
    decimal = _axis_values(names)
    if decimal is not None and _is_even(decimal, share=1):
        return None
    if _counts_from_start(first_values) and _counts_from_start(second_values):
        return None
    evidence = (
        f"The names {names[0]} … {names[-1]} pair {len(first_values)} values with "
        f"{len(second_values)} others."
    )
    is_clear = size == len(names) >= _CLEAR_COUNT
    return NamedAxes(first, second, "sure" if is_clear else "likely", evidence)


def _axis_values(names: list[str]) -> Floats | None:
    """The number in each name, where ``_`` and ``,`` are decimal marks as well."""
    matches = _match_all(_AXIS_NAME, names)
    if matches is None:
        return None
    numbers = [match["number"] for match in matches]
    values = np.array([float(re.sub("[,_]", ".", number)) for number in numbers])
    # A pair of numbers is read as a decimal only where that gives an axis without a doubt.
    if any("_" in number for number in numbers) and not _is_even(values, share=1):
        return None
    return values


def _named_axis(names: list[str]) -> NamedAxis | None:
    values: Floats | None
    if _match_all(_PLAIN_NUMBER, names) is not None:
        values = np.array([float(name.replace("−", "-").replace(",", ".")) for name in names])
        prefix, unit = "", ""
    else:
        matches = _match_all(_AXIS_NAME, names) or []
        parts = {(match["prefix"], match["unit"] or "") for match in matches}
        values = _axis_values(names)
        if len(parts) != 1 or values is None:
            return None
        prefix, unit = next(iter(parts))
    if len(np.unique(values)) < len(values) or _are_mangled(names):
        return None
    steps = np.diff(values)
    ordered = bool((steps > 0).all() or (steps < 0).all())
    confidence = _axis_confidence(values, fold(prefix), unit, ordered)
    if confidence is None:
        return None
    shown = f" {unit}" if unit else ""
    order = "in order" if ordered else "in no order"
    evidence = (
        f"The names {names[0]} … {names[-1]} are numbers {order}, from {values.min():g} to "
        f"{values.max():g}{shown}, as those of an axis."
    )
    return NamedAxis(values, unit, prefix, ordered, confidence, evidence)


def _axis_confidence(values: Floats, prefix: str, unit: str, ordered: bool) -> Confidence | None:
    """How sure it is that these numbers are an axis; None where a counter or codes fit as well."""
    long = len(values) >= _CLEAR_COUNT
    if unit.lower() in AXIS_UNITS and (prefix in ("", "x") or prefix in AXIS_PREFIXES):
        return ("sure" if long else "likely") if ordered else "likely"
    if unit or _counts_from_start(np.sort(values)):
        return None
    fractional = bool((values != np.rint(values)).any())
    if prefix in AXIS_PREFIXES and ordered:
        return "sure" if long else "likely"
    if prefix not in ("", "x"):
        # Words with numbers are genes, sensors or items, unless the steps are those of an axis.
        steps_of_axis = fractional or abs(float(np.median(np.diff(values)))) != 1
        return "likely" if ordered and long and steps_of_axis and _is_even(values) else None
    if not ordered:
        return "likely" if long and fractional else "ask"
    if not _is_even(values) and not fractional and prefix:
        return "ask"
    return "sure" if long else "likely"


def _counts_from_start(values: Floats) -> bool:
    """Whether sorted numbers count by one from 0 or 1, a few left out."""
    steps = np.diff(values)
    counts_by_one = len(steps) > 0 and bool((values == np.rint(values)).all())
    return counts_by_one and values[0] <= 20 and values[0] >= 0 and float(np.median(steps)) == 1


def _is_even(values: Floats, share: float = _EVEN_SHARE) -> bool:
    """Whether this share of the steps is alike."""
    steps = np.diff(values)
    middle = float(np.median(steps))
    alike = np.abs(steps - middle) <= 0.3 * abs(middle)
    return middle != 0 and float(alike.mean()) >= share


def _are_mangled(names: list[str]) -> bool:
    """Whether some names are others with .1, .2 behind them, as programs write repeated ones."""
    present = set(names)
    matches = [re.fullmatch(r"(.+)\.([12])", name) for name in names]
    repeated = {match[1] for match in matches if match and match[1] in present}
    n_steps = len({match[2] for match in matches if match and match[1] in present})
    # An axis in steps of 0.1 has .1 to .9 behind each whole number.
    further = any(f"{name}.9" in present or f"{name}.5" in present for name in repeated)
    return n_steps > 0 and not further


def _named_joints(names: list[str]) -> NamedJoints | None:
    """Joints with the same coordinates each, joint by joint or coordinate by coordinate."""
    for form, joint_part, coordinate_part in ((_JOINT_FIRST, 1, 2), (_COORDINATE_FIRST, 2, 1)):
        matches = _match_all(form, names)
        if matches is None:
            continue
        joints = [match[joint_part] for match in matches]
        coordinates = [match[coordinate_part].lower() for match in matches]
        layout = _joint_layout(joints, coordinates)
        if layout is not None:
            return layout
    return None


def _joint_layout(joints: list[str], coordinates: list[str]) -> NamedJoints | None:
    distinct, axes = tuple(dict.fromkeys(joints)), "".join(sorted(set(coordinates)))
    if axes not in ("xy", "xyz") or len(distinct) < _LEAST_JOINTS:
        return None
    places = {pair: place for place, pair in enumerate(zip(joints, coordinates, strict=True))}
    if len(places) != len(joints) or len(joints) != len(distinct) * len(axes):
        return None
    table = np.array([[places[joint, axis] for axis in axes] for joint in distinct])
    by_joint = bool((np.diff(table, axis=1) == 1).all())
    by_axis = bool((np.diff(table, axis=0) == 1).all())
    if not (by_joint or by_axis) or any(map(_SENSORS.search, distinct)):
        return None
    order = "joint by joint" if by_joint else "coordinate by coordinate"
    evidence = (
        f"The names are {', '.join(axes)} of {len(distinct)} points, {order}: "
        f"{distinct[0]}, {distinct[1]} …"
    )
    confidence: Confidence = "likely" if len(distinct) >= 5 else "ask"
    return NamedJoints(distinct, axes, table, confidence, evidence)
