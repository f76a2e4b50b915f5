"""What the names of features say together: series, axes, pixels, joints."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.axis import Axis, is_monotonic
from cspca.datasets.files.vocabulary import (
    AXIS_PREFIXES,
    AXIS_UNITS,
    AXIS_WORDS,
    fold,
    quantity_of,
    words_of,
)

Confidence = Literal["sure", "likely", "ask"]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_SERIES = 4
_EVEN_SHARE = 0.8  # of the steps that must be alike
_CLEAR_COUNT = 8  # a series of so many is sure
_LEAST_JOINTS = 3
_MOST_UNEVEN = 50.0  # greatest step of an axis over its middle one: detectors leave gaps of a few


def axis_of_values(name: str, values: NDArray[Any]) -> Axis | None:
    """Return the axis that a vector of such a name is, if it runs strictly one way.

    A vector of another name that rises may as well be a dose or a clock of the samples. One that
    only counts from 0 or 1 is no axis.
    """
    is_named = not AXIS_WORDS.isdisjoint({*words_of(name), name.lower().replace("_", "")})
    if values.dtype.kind not in "fiu" or not is_named or len(values) < 3:
        return None
    numbers = values.astype(float)
    counts = (np.abs(np.diff(numbers)) == 1).all() and min(numbers[0], numbers[-1]) in (0, 1)
    if not np.isfinite(numbers).all() or not is_monotonic(numbers) or counts:
        return None
    return Axis(tuple(numbers.tolist()), quantity=quantity_of([*words_of(name), fold(name)]))


# Series of names

_SERIES_NAME = re.compile(r"(.*?)[_\s.\-]*(\d+(?:[._,x]\d+)*(?:[eE][-+]\d+)?)[_\s]*(\D{0,6}|cm-1)")
_ALLELE = re.compile(r"rs\d+_[ACGT]+")
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
        stem = name.rstrip("0123456789")
        if stem != name and stem.isascii() and stem.isalpha():  # as nearly all are
            key = (stem.lower(), "")
        elif name.startswith("rs") and _ALLELE.fullmatch(name):
            key = ("rs", "")
        elif (match := _TWO_STEMS.fullmatch(name)) or (match := _SERIES_NAME.fullmatch(name)):
            key = (match[1].lower(), match[3].lower())
        else:
            continue
        places.setdefault(key, []).append(place)
    return tuple(
        NameSeries(tuple(members), stem, unit)
        for (stem, unit), members in places.items()
        if len(members) >= LEAST_SERIES
    )


_INDEX_NAMES = frozenset(["", "(no name)", "unnamed: 0"])
"""Names of a column that pandas wrote of its index, in small letters."""


def only_count_columns(names: Sequence[str], *, beside_index: bool = False) -> bool:
    """Whether the names are V1 … Vn, X1 … Xn, 0 … n − 1 or the like, and so say nothing.

    Parameters
    ----------
    names : sequence of str
    beside_index : bool, default=False
        Whether a column without a name may stand before them, as pandas writes its index.
    """
    if beside_index and names and names[0].strip().lower() in _INDEX_NAMES:
        names = names[1:]
    series = series_of(names)
    if len(series) != 1 or len(series[0].places) != len(names):
        return False
    if series[0].unit or series[0].stem not in _BARE_STEMS:
        return False
    digits = [re.sub(r"\D", "", name) for name in names]
    numbers = sorted(int(digit) for digit in digits)
    return numbers in (list(range(len(names))), list(range(1, len(names) + 1)))


def names_of_unnamed(count: int, shape: tuple[int, int] | None = None) -> list[str]:
    """Names that an exported table gives to features which have none, pixels by their place."""
    if shape is not None:
        return [f"r{row + 1}c{column + 1}" for row, column in np.ndindex(shape)]
    return [f"feature {number}" for number in range(1, count + 1)]


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

    @property
    def is_declared(self) -> bool:
        """Whether nothing stands before the numbers, or a word of an axis."""
        return fold(self.prefix) in ("", "x") or fold(self.prefix) in AXIS_PREFIXES


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
    r"(?P<number>-?\d+(?:[.,_]\d+)?(?:[eE][-+]\d+)?)"
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
    decimal = _axis_values(_match_all(_AXIS_NAME, names))
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


def _axis_values(matches: list[re.Match[str]] | None) -> Floats | None:
    """The number in each name, where ``_`` and ``,`` are decimal marks as well."""
    if matches is None:
        return None
    numbers = [match["number"] for match in matches]
    marks = str.maketrans(",_", "..")
    values = np.array([float(number.translate(marks)) for number in numbers])
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
        matches = _match_all(_AXIS_NAME, names)
        if matches is None:
            return None
        parts = {(match["prefix"], match["unit"] or "") for match in matches}
        values = _axis_values(matches)
        are_codes = any(match["number"].startswith("00") for match in matches)
        if len(parts) != 1 or values is None or are_codes:
            return None
        prefix, unit = next(iter(parts))
    if len(np.unique(values)) < len(values) or _are_mangled(names):
        return None
    ordered = bool(is_monotonic(values))
    steps = np.abs(np.diff(values))
    are_whole = bool((values == np.rint(values)).all())
    if ordered and are_whole and steps.max() > _MOST_UNEVEN * np.median(steps):
        return None  # as between accession numbers
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
    has_whole_steps = len(steps) > 0 and bool((values == np.rint(values)).all())
    return has_whole_steps and values[0] <= 20 and values[0] >= 0 and float(np.median(steps)) == 1


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
