"""Cells of text to numbers: what is missing, a word, a percentage, censored, or has a unit.

A column is read as a whole, for its cells decide together what a comma, a minus sign alone or a
leading zero means. Whatever is doubtful is marked, cell by cell; nothing is dropped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cspca.datasets.files.vocabulary import MISSING_CELLS, fold, word_set

Kind = Literal["number", "text", "date", "time", "unit", "block", "empty"]
Comma = Literal["none", "decimal", "thousands", "either"]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

MOST_WORDS = 0.05  # share of words among the filled cells that a column of numbers may hold
_FORM_SHARE = 0.95  # share of the cells looked at that must have the form of a date
_LOOKED_AT = 200
_LONGEST_NUMBER = 40
_FIRST_OF_NUMBER = frozenset("0123456789+-−.,<>≤≥~≈$€£¥(")
_LEAST_BLOCK = 10  # numbers in one cell
_MOST_REPEATED = 12
_LEAST_REPEATS = 3
_MOST_UNITS = 3
_LEAST_NUMBERS = 5  # different ones, of a column that words may stand among
_MOST_MARKS = 2  # different words that say that a number has no value

_NUMBER_WITH_MARKS = re.compile(
    r"(?P<sign>[<>≤≥]=?|[~≈])?\s*(?P<currency>[$€£¥])?\s*"
    r"(?P<number>[-+]?(?:\d[\d.,]*|[.,]\d+)(?:[eE][-+]?\d+)?)\s*"
    r"(?P<unit>(?:[^\W\d_]|[%°$€£¥\"'′″])[^\d\s_,]{0,6}[-⁻]?[1-3¹²³]?)?"
)
_COMMA_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")
_COMMA_DECIMAL = re.compile(r"[-+]?(\d*|[1-9]\d{0,2}(\.\d{3})+),\d+([eE][-+]?\d+)?")
_POINT_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(\.\d{3})+")
_NUMBER_WITH_POINT = re.compile(r"[-+]?(\d+\.\d*|\.\d+)([eE][-+]?\d+)?")
_DIGIT_GROUP_MARKS = re.compile(r"(?<=\d)[\u00a0\u202f\u2009'’](?=\d{3}(?!\d))")
_DIGIT = re.compile(r"\d")
_LOSS = re.compile(r"\(\s*(?P<amount>[$€£¥]?\s*\d[\d.,]*)\s*\)")
"""A negative amount as accountants write it."""
_OTHER_EXPONENT = re.compile(
    r"(?P<digits>[-+]?(?:\d+\.\d*|\.\d+))(?:[dD]|\*\^)(?P<power>[-+]?\d{1,3})"
)
"""A number with the exponent of Fortran, 1.5D-03, or of Mathematica, 1.5*^-3."""
_NUMBERS_OF_BLOCK = re.compile(r"[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?")
_DATE_OF_NUMBERS = re.compile(r"(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?:[T ]\d{1,2}:\d\d\S*.*)?")
_YEAR_AND_MONTH = re.compile(r"(1[5-9]|20)\d\d[-/](\d\d?)")
_DATE_WITH_MONTH = re.compile(
    r"([^\W\d_]{3,10})\.? \d{1,2}(?:,? \d{4}.*)?|"
    r"\d{1,2}\.?[ -]([^\W\d_]{3,10})\.?[ -]\d{2,4}.*"
)
_TIME_OF_DAY = re.compile(r"([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?( ?[AaPp][Mm])?")
_MONTHS = word_set(
    """
    january february march april may june july august september october november december
    januar februar märz mrz mai juni juli oktober dezember enero febrero marzo abril mayo junio
    julio agosto septiembre octubre noviembre diciembre janvier février mars avril juin juillet
    août septembre octobre novembre décembre"""
)
_ORDERS_OF_DATE = ((0, 1, 2), (2, 1, 0), (2, 0, 1))  # places of year, month and day


@dataclass(frozen=True, eq=False)
class CellReading:
    """The cells of one column, read as a whole.

    Attributes
    ----------
    kind : str
        ``number``, ``text``, ``date``, ``time`` (of day), ``unit`` (numbers that bear a unit or a
        sign, or whose commas have two readings), ``block`` (equally many numbers in every cell)
        or ``empty``.
    text : ndarray of str
        The cells without blanks around them, ``""`` where one is missing.
    values : ndarray of float64
        The number in each cell, also beside a unit or ``<``; NaN where there is none.
    missing, words, censored, percent, units : ndarray of bool
        Cells without a value; filled cells that hold no number; numbers behind ``<`` or ``>``;
        numbers before ``%``; numbers with another unit.
    doubtful : ndarray of bool
        Cells that are no numbers without a person's word: words, censored cells, those with a
        unit, with ``%`` where others have none, or with a comma of two readings.
    comma : str
        What a comma within a number means: ``none`` is met, ``decimal``, ``thousands``, or
        ``either``, where all cells can be read both ways (as thousands, in `values`).
    unit : str
        The commonest unit.
    codes : bool
        Whether whole numbers begin with 0, as codes do.
    block_width : int
        How many numbers each cell of a block holds.
    """

    kind: Kind
    text: NDArray[Any]
    values: Floats
    missing: Bools
    words: Bools
    censored: Bools
    percent: Bools
    units: Bools
    doubtful: Bools
    comma: Comma = "none"
    unit: str = ""
    codes: bool = False
    block_width: int = 0

    @property
    def has_numbers(self) -> bool:
        """Whether the cells are numbers, but for a few."""
        return self.kind in ("number", "unit")

    @property
    def losses(self) -> NDArray[np.int64]:
        """Rows whose number stands in parentheses, and is negative for that."""
        if not (self.values < 0).any():
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(
            [
                value < 0 and _LOSS.fullmatch(cell) is not None
                for cell, value in zip(self.text, self.values, strict=True)
            ]
        )


def numbers_with_commas(cells: Sequence[str], comma: Comma) -> Floats:
    """Return the number in each cell, its commas read as one mark; NaN where there is none."""
    matches = [_match_marked(cell) if cell else None for cell in cells]
    bodies = [match["number"] if match else "" for match in matches]
    return np.array([_value_of(body, comma, False) for body in bodies], dtype=np.float64)


def digits_grouped_by_points(cells: Sequence[str]) -> dict[int, str]:
    """Return the digits of each number whose points may group them, by its place.

    None is returned where a point of any cell can only be a decimal mark, as in 2.25 or 0.816.
    """
    pointed = {place: cell for place, cell in enumerate(cells) if "." in cell}
    grouped = {
        place: cell.replace(".", "")
        for place, cell in pointed.items()
        if _POINT_THOUSANDS.fullmatch(cell)
    }
    has_fractions = any(
        place not in grouped and _NUMBER_WITH_POINT.fullmatch(cell)
        for place, cell in pointed.items()
    )
    return {} if has_fractions else grouped


def read_cells(words: Sequence[str] | NDArray[Any]) -> CellReading:
    """Read the cells of one column."""
    cells = [cell.strip() for cell in words]
    missing = _missing(cells)
    text = np.array(cells, dtype=object)
    text[missing] = ""
    no_cells = np.zeros(len(cells), dtype=bool)
    values: Floats = np.full(len(cells), np.nan)
    filled = np.flatnonzero(~missing)
    if not len(filled):
        return _unmarked("empty", text, values, missing)
    truth = _truth_values(text[filled])
    if truth is not None:
        values[filled] = truth
        return _unmarked("number", text, values, missing)
    values[filled] = _plain_numbers(text[filled])
    rest = filled[np.isnan(values[filled])]
    plain = filled[~np.isnan(values[filled])]
    if not len(rest) and not _are_codes(text[filled]):
        return _unmarked("number", text, values, missing)
    marks = _read_marked(text[rest], text[plain], values[plain])
    values[rest] = marks.values
    is_word, censored, percent, units = (no_cells.copy() for _ in range(4))
    is_word[rest], censored[rest] = np.isnan(marks.values), marks.censored
    percent[rest], units[rest] = marks.percent, marks.units
    if marks.points_group:
        grouped = [row for row in plain if _POINT_THOUSANDS.fullmatch(text[row])]
        values[grouped] = [float(text[row].replace(".", "")) for row in grouped]
    codes = _are_codes(text[filled])
    mixed_percent = bool(percent.any()) and int(percent.sum()) < len(filled)
    doubtful = is_word | censored | units | (percent if mixed_percent else no_cells)
    if marks.comma == "either":
        doubtful[rest] |= marks.commas
    kind: Kind
    block_width = 0
    if not codes and (
        doubtful.sum() <= MOST_WORDS * len(filled) or _has_marks_of_no_value(text, values, doubtful)
    ):
        kind = "number"
    elif not codes and is_word.sum() <= MOST_WORDS * len(filled):
        kind = "unit"
    else:
        kind, block_width = _kind_of_text(text[filled])
    return CellReading(
        kind=kind, text=text, values=values, missing=missing, words=is_word, censored=censored,
        percent=percent, units=units, doubtful=doubtful, comma=marks.comma,
        unit=marks.unit, codes=codes, block_width=block_width,
    )  # fmt: skip


def _has_marks_of_no_value(text: NDArray[Any], values: Floats, doubtful: Bools) -> bool:
    """Whether one or two words stand among many numbers, as Undetermined or <LOD do."""
    n_words = int(doubtful.sum())
    numbers = values[~doubtful & np.isfinite(values)]
    has_numbers = n_words < len(numbers) and len(np.unique(numbers)) >= _LEAST_NUMBERS
    if not has_numbers or bool((numbers == np.rint(numbers)).all()):
        return False
    return len(set(text[doubtful])) <= _MOST_MARKS


def _unmarked(kind: Kind, text: NDArray[Any], values: Floats, missing: Bools) -> CellReading:
    """A reading of which no cell is marked."""
    no_cells = np.zeros(len(text), dtype=bool)
    return CellReading(
        kind=kind, text=text, values=values, missing=missing, words=no_cells, censored=no_cells,
        percent=no_cells, units=no_cells, doubtful=no_cells,
    )  # fmt: skip


def _missing(cells: list[str]) -> Bools:
    """Cells that hold a word for missing; a minus alone is none beside a plus alone."""
    longest = max(map(len, MISSING_CELLS))
    missing = np.fromiter(
        (len(cell) <= longest and cell.lower() in MISSING_CELLS for cell in cells), bool, len(cells)
    )
    if missing.any() and "+" in cells:
        missing &= np.array(cells, dtype=object) != "-"
    return missing


def _truth_values(cells: NDArray[Any]) -> Floats | None:
    """1 and 0 where all cells say true or false."""
    if cells[0].lower() not in ("true", "false"):
        return None
    lower = [cell.lower() for cell in cells]
    if not {"true", "false"}.issuperset(lower):
        return None
    return np.array([cell == "true" for cell in lower], dtype=np.float64)


def _plain_numbers(cells: NDArray[Any]) -> Floats:
    """The finite numbers as Python writes them; NaN for every other cell."""
    if not any(cell[0] in _FIRST_OF_NUMBER for cell in cells):
        return np.full(len(cells), np.nan)
    numbers: Floats = np.asarray(pd.to_numeric(cells, errors="coerce"), dtype=np.float64)
    numbers[~np.isfinite(numbers)] = np.nan
    return numbers


@dataclass(frozen=True, eq=False)
class _MarkedCells:
    """Numbers that other programs write, and what they bear."""

    values: Floats
    censored: Bools
    percent: Bools
    units: Bools
    commas: Bools
    comma: Comma
    unit: str
    points_group: bool


def _read_marked(cells: NDArray[Any], plain: NDArray[Any], numbers: Floats) -> _MarkedCells:
    """Read numbers with a percent sign, a unit, a sign before them or commas within them.

    `plain` are the other cells of the column, and `numbers` what they hold.
    """
    codes, distinct = pd.factorize(cells)
    matches = [_match_marked(cell) for cell in distinct]
    if not _may_be_losses(distinct, numbers):
        matches = [
            None if cell.startswith("(") else match
            for cell, match in zip(distinct, matches, strict=True)
        ]
    counts = np.bincount(codes, minlength=len(distinct))
    unit_counts: Counter[str] = Counter()
    for match, count in zip(matches, counts.tolist(), strict=True):
        unit = (match["currency"] or match["unit"]) if match else None
        if unit and unit != "%":
            unit_counts[unit] += count
    repeats = len(distinct) <= min(_MOST_REPEATED, len(cells) / _LEAST_REPEATS)
    are_classes = len(unit_counts) > 1 and repeats  # 7a, 7b
    if len(unit_counts) > _MOST_UNITS or are_classes:  # 12A, 13C, 14F … are codes
        matches = [match if match and match["unit"] in (None, "%") else None for match in matches]
        unit_counts.clear()
    bodies = [match["number"] if match else "" for match in matches]
    comma, points_group = _meaning_of_commas(set(bodies), plain, numbers)
    values = np.array([_value_of(body, comma, points_group) for body in bodies], dtype=np.float64)
    flags = np.zeros((3, len(distinct)), dtype=bool)
    are_losses = all(cell.startswith("(") for cell in distinct)
    for place, match in enumerate(matches):
        if match is not None and not np.isnan(values[place]):
            is_percent = match["unit"] == "%"
            is_about = (match["sign"] or "") in ("~", "≈") and bool(match["sign"])
            # (1), (2), (3) without any other number may as well number something.
            is_about |= not len(plain) and are_losses
            flags[0, place] = bool(match["sign"]) and not is_about
            flags[1, place] = is_percent
            flags[2, place] = not is_percent and bool(
                match["unit"] or match["currency"] or is_about
            )
    has_comma = np.array(["," in body for body in bodies], dtype=bool)
    unit = unit_counts.most_common(1)[0][0] if unit_counts else ""
    return _MarkedCells(
        values=values[codes], censored=flags[0, codes], percent=flags[1, codes],
        units=flags[2, codes], commas=has_comma[codes], comma=comma, unit=unit,
        points_group=points_group,
    )  # fmt: skip


def _may_be_losses(cells: NDArray[Any], numbers: Floats) -> bool:
    """Whether parentheses may stand for a minus sign: no number of the column has one."""
    return not (numbers < 0).any() and not any(cell[0] in "-−" for cell in cells)


def _match_marked(cell: str) -> re.Match[str] | None:
    if len(cell) > _LONGEST_NUMBER or cell[0] not in _FIRST_OF_NUMBER:
        return None
    if loss := _LOSS.fullmatch(cell):
        amount = loss["amount"].lstrip()
        # A currency stands before the sign: $-12.
        cell = f"{amount[0]}-{amount[1:].lstrip()}" if not amount[0].isdigit() else f"-{amount}"
    elif exponent := _OTHER_EXPONENT.fullmatch(cell):
        cell = f"{exponent['digits']}e{exponent['power']}"
    if "'" in cell or not cell.isascii():
        cell = _DIGIT_GROUP_MARKS.sub("", cell.replace("−", "-"))
    return _NUMBER_WITH_MARKS.fullmatch(cell)


def _meaning_of_commas(
    bodies: set[str], plain: NDArray[Any], numbers: Floats
) -> tuple[Comma, bool]:
    """What commas mean, and whether points group digits, by all cells of the column."""
    grouped_points = any(
        body.count(".") > 1 and _POINT_THOUSANDS.fullmatch(body) for body in bodies
    )
    bodies = {body for body in bodies if "," in body}
    if not bodies:
        return "none", grouped_points
    points_group = grouped_points or any("." in body.partition(",")[0] for body in bodies)
    if points_group:
        return "decimal", True
    decimal = all(map(_COMMA_DECIMAL.fullmatch, bodies))
    thousands = all(map(_COMMA_THOUSANDS.fullmatch, bodies))
    if decimal and thousands:
        points = any("." in cell for cell in plain)
        ungrouped = bool((np.abs(numbers) >= 1000).any())
        if points == ungrouped:
            return "either", False
        return ("thousands" if points else "decimal"), False
    return ("decimal" if decimal else "thousands"), False


def _value_of(body: str, comma: Comma, points_group: bool) -> float:
    """The number that these digits, points and commas spell; NaN where they spell none."""
    if points_group and "." in body:
        integer = body.partition(",")[0]
        if not _POINT_THOUSANDS.fullmatch(integer):
            return np.nan
        body = body.replace(".", "")
    if "," in body:
        if comma == "decimal":
            if not _COMMA_DECIMAL.fullmatch(body):
                return np.nan
            body = body.replace(",", ".")
        else:
            if not _COMMA_THOUSANDS.fullmatch(body):
                return np.nan
            body = body.replace(",", "")
    try:
        value = float(body)
    except ValueError:
        return np.nan
    return value if np.isfinite(value) else np.nan


def _are_codes(cells: NDArray[Any]) -> bool:
    """Whether whole numbers begin with 0, and no cell has a point."""
    has_zero = any(cell[0] == "0" and len(cell) > 1 and cell.isdigit() for cell in cells)
    return has_zero and not any("." in cell for cell in cells)


def _kind_of_text(cells: NDArray[Any]) -> tuple[Kind, int]:
    """Dates, times of day, blocks of numbers or words; the second is the width of a block."""
    width = _block_width(cells)
    if width:
        return "block", width
    few = cells[:: max(1, len(cells) // _LOOKED_AT)][:_LOOKED_AT].tolist()
    if not any(map(_DIGIT.search, few)):
        return "text", 0
    if _are_dates(few):
        return "date", 0
    times = sum(bool(_TIME_OF_DAY.fullmatch(cell)) for cell in few)
    return ("time" if times > _FORM_SHARE * len(few) else "text"), 0


def _block_width(cells: NDArray[Any]) -> int:
    """How many numbers every cell holds, parted by one mark; 0 where it is no block."""
    first = cells[0].strip("[]() ")
    for mark in (",", ";", None):
        width = len(first.split(mark))
        if width < _LEAST_BLOCK:
            continue
        for cell in cells[:50]:
            parts = cell.strip("[]() ").split(mark)
            if len(parts) != width or not all(
                _NUMBERS_OF_BLOCK.fullmatch(part.strip()) for part in parts
            ):
                return 0
        if mark is not None and any(cell.count(mark) != width - 1 for cell in cells):
            return 0
        if mark is None and any(len(cell.strip("[]() ").split()) != width for cell in cells):
            return 0
        return width
    return 0


def _are_dates(cells: list[str]) -> bool:
    """Whether nearly all cells have the form of a date and stand in the calendar."""
    needed = _FORM_SHARE * len(cells)
    named = sum(_is_date_with_month(cell) for cell in cells)
    months = [match for cell in cells if (match := _YEAR_AND_MONTH.fullmatch(cell))]
    if named > needed or sum(1 <= int(match[2]) <= 12 for match in months) > needed:
        return True
    matches = [match for cell in cells if (match := _DATE_OF_NUMBERS.fullmatch(cell))]
    parts = [(match[1], match[3], match[4]) for match in matches]
    return any(
        sum(_in_calendar(part, order) for part in parts) > needed for order in _ORDERS_OF_DATE
    )


def _is_date_with_month(cell: str) -> bool:
    match = _DATE_WITH_MONTH.fullmatch(cell)
    if match is None:
        return False
    month = fold(match[1] or match[2])
    return any(name.startswith(month) for name in _MONTHS)


def _in_calendar(parts: tuple[str, str, str], order: tuple[int, int, int]) -> bool:
    """Whether three numbers are year, month and day in this order (days of months up to 31)."""
    year, month, day = (parts[place] for place in order)
    if len(year) not in (2, 4) or max(len(month), len(day)) > 2:
        return False
    plausible_year = len(year) == 2 or 1500 <= int(year) <= 2200
    return plausible_year and 1 <= int(month) <= 12 and 1 <= int(day) <= 31
