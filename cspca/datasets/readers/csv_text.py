"""From the text of a table to its columns: separator, header, numbers, words."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.readers.labels import clean_name, clean_names
from cspca.datasets.readers.watch import Watch
from cspca.datasets.record import DatasetError, Floats

_SEPARATORS = (",", ";", "\t", "|", " ")
_LOOK_AT_ROWS = 200
_LONGEST_LINE = 32 * 2**20
_MOST_COLUMNS = 200_000
_MOST_ROWS = 5_000_000
_MOST_CELLS = 56_000_000
_MOST_WORDS = 100_000
_FLOAT32_FROM = 32_000_000
_CHARACTERS_AT_ONCE = 2**22
_MOST_DIGITS = 15  # each such whole number is exact in double precision


@dataclass(frozen=True)
class Layout:
    """How a table is written."""

    encoding: str
    separator: str
    decimal_comma: bool
    header: bool
    n_columns: int


@dataclass
class Table:
    """A table in memory.

    Parameters
    ----------
    numeric : list of str
        Names of the columns of numbers, in order.
    values : array (n_rows, len(numeric))
        NaN where a cell is empty.
    text : dict
        Columns of words: numbers of the words, and the words.
    raw_names : dict
        Names as they are written, before they were made distinct.
    named : bool
        Whether the names are the file's own.
    """

    numeric: list[str]
    values: Floats
    text: dict[str, tuple[NDArray[np.int32], list[str]]]
    raw_names: dict[str, str]
    named: bool

    @property
    def n_rows(self) -> int:
        """Number of samples."""
        return len(self.values)

    def words_in(self, name: str) -> int:
        """Count the different words in a column of text."""
        return len(self.text[name][1])

    def column(self, name: str) -> NDArray[Any]:
        """Return one column, of numbers or of words."""
        if name in self.text:
            codes, words = self.text[name]
            return np.array(words)[codes]
        return self.values[:, self.numeric.index(name)]


@dataclass
class _Words:
    """A column of text while it is read: each different word once."""

    known: dict[str, int] = field(default_factory=dict)
    codes: list[NDArray[np.int32]] = field(default_factory=list)

    def add(self, words: Sequence[str]) -> None:
        known = self.known
        codes = [known.setdefault(word.strip(), len(known)) for word in words]
        self.codes.append(np.array(codes, dtype=np.int32))


def sniff(content: bytes, name: str) -> Layout:
    """See how a table is written, from its first rows.

    Parameters
    ----------
    content : bytes
    name : str
        Name used in messages.

    Raises
    ------
    DatasetError
        If it is no text, or its rows do not have the same number of cells.
    """
    encoding = _encoding(content, name)
    if content.count(b"\n") > _MOST_ROWS:
        raise DatasetError(f"{name} has more than {_MOST_ROWS:,} rows: cut it into smaller files.")
    lines = []
    for line in itertools.islice(_lines(content, encoding), _LOOK_AT_ROWS):
        if len(line) > _LONGEST_LINE:
            raise DatasetError(f"{name} has rows too long to be a table: put one sample a row.")
        lines.append(line)
        if sum(map(len, lines)) > _LONGEST_LINE:
            break
    if not lines:
        raise DatasetError(f"{name} holds no rows: put one sample a row.")
    best: tuple[tuple[float, int], str, list[list[str]]] | None = None
    for separator in _SEPARATORS:
        try:
            rows = _split(lines, separator, name)
        except DatasetError:
            # By another separator its cells may be short enough.
            continue
        width = len(rows[0]) if rows else 0
        if width < 2 or any(len(row) != width for row in rows[:-1]):
            continue
        numbers = sum(_is_number(cell, separator != ",") for row in rows[:50] for cell in row)
        score = (numbers / sum(len(row) for row in rows[:50]), width)
        if best is None or score > best[0]:
            best = (score, separator, rows)
    if best is None:
        raise _no_table(lines, name)
    _, separator, rows = best
    if len(rows[0]) > _MOST_COLUMNS:
        raise DatasetError(
            f"{name} has {len(rows[0]):,} columns, over the limit of {_MOST_COLUMNS:,}: keep "
            "fewer, or make the pictures smaller."
        )
    comma = separator != "," and any(
        "," in cell and _is_number(cell, True) for row in rows[1:50] for cell in row
    )
    return Layout(encoding, separator, comma, _has_header(rows, comma), len(rows[0]))


def parse(content: bytes, layout: Layout, header: bool, name: str, watch: Watch) -> Table:
    """Read all cells.

    Parameters
    ----------
    content : bytes
    layout : Layout
    header : bool
        Whether the first row names the columns.
    name : str
        Name used in messages.
    watch : Watch

    Raises
    ------
    DatasetError
        If a row has more or fewer cells than the others, or a column of numbers holds a word.
    """
    width = layout.n_columns
    lines = _lines(content, layout.encoding)
    raw = [f"column {number + 1}" for number in range(width)]
    if header:
        raw = [cell.strip() for cell in _split([next(lines)], layout.separator, name)[0]]
    names = clean_names(raw)
    if len(names) != width:
        raise _ragged(1, len(names), width, name)
    sample = _split(list(itertools.islice(lines, _LOOK_AT_ROWS)), layout.separator, name)
    is_number = [
        all(
            _is_number(row[at], layout.decimal_comma) or not row[at].strip()
            for row in sample
            if at < len(row)
        )
        for at in range(width)
    ]
    numeric = [at for at in range(width) if is_number[at]]
    words = {at: _Words() for at in range(width) if not is_number[at]}
    if not numeric:
        raise no_numbers(name)
    if not sample:
        raise DatasetError(f"{name} holds no rows below its header: put one sample a row.")
    most = content.count(b"\n") + content.count(b"\r") * (b"\n" not in content) + 1
    cells = most * width
    if cells > _MOST_CELLS:
        raise DatasetError(
            f"{name} has about {cells / 1e6:,.0f} million cells, over the limit of "
            f"{_MOST_CELLS / 1e6:.0f}: cut it into smaller files."
        )
    values: Floats = np.empty(
        (most, len(numeric)), dtype=np.float32 if cells > _FLOAT32_FROM else np.float64
    )
    reader = _CellReader(layout, numeric, words, names, name)
    at, seen = 0, 0
    lines = _lines(content, layout.encoding)
    if header:
        next(lines)
    for block in _blocks(lines):
        seen += sum(map(len, block))
        part = reader.read(block, at + 1 + header)
        values[at : at + len(part)] = part
        at += len(part)
        watch.tell(0.7 * min(1.0, seen / len(content)), f"Reading row {at:,}")
    return Table(
        numeric=[names[one] for one in numeric],
        values=values[:at],
        text={
            names[one]: (np.concatenate(column.codes), [clean_name(word) for word in column.known])
            for one, column in words.items()
            if len(column.known) <= _MOST_WORDS
        },
        raw_names=dict(zip(names, raw, strict=True)),
        named=header,
    )


class _CellReader:
    """Turns lines into numbers and words: fast where a block is plain, cell by cell where not."""

    def __init__(
        self,
        layout: Layout,
        numeric: Sequence[int],
        words: dict[int, _Words],
        names: Sequence[str],
        file: str,
    ) -> None:
        self._layout = layout
        self._numeric = numeric
        self._words = words
        self._names = names
        self._file = file

    def read(self, block: list[str], first_row: int) -> Floats:
        layout = self._layout
        plain = '"' not in "".join(block)
        if plain and layout.separator != " ":
            separators = layout.n_columns - 1
            plain = all(line.count(layout.separator) == separators for line in block)
        if plain and not self._words:
            # A cell that is empty or no number is found again, and named, cell by cell.
            with contextlib.suppress(ValueError):
                return self._fast(block)
        return self._slow(block, first_row)

    def _fast(self, block: list[str]) -> Floats:
        whole = _whole_numbers(block, self._layout)
        if whole is not None:
            return whole
        if self._layout.decimal_comma:
            block = [line.replace(",", ".") for line in block]
        separator = None if self._layout.separator == " " else self._layout.separator
        values: Floats = np.loadtxt(
            block, dtype=np.float64, delimiter=separator, comments=None, ndmin=2
        )
        if values.shape[1] != self._layout.n_columns:
            raise ValueError
        return values

    def _slow(self, block: list[str], first_row: int) -> Floats:
        rows = _split(block, self._layout.separator, self._file)
        for number, row in enumerate(rows):
            if len(row) != self._layout.n_columns:
                raise _ragged(first_row + number, len(row), self._layout.n_columns, self._file)
        for at, column in self._words.items():
            if len(column.known) <= _MOST_WORDS:
                column.add([row[at] for row in rows])
        values = np.empty((len(rows), len(self._numeric)))
        for place, at in enumerate(self._numeric):
            # An empty cell is a missing value.
            cells = [row[at] or "nan" for row in rows]
            try:
                values[:, place] = cells
            except ValueError:
                values[:, place] = [
                    self._number(cell, first_row + number, at) for number, cell in enumerate(cells)
                ]
        return values

    def _number(self, cell: str, row: int, at: int) -> float:
        if not cell.strip():
            return math.nan
        if self._layout.decimal_comma:
            cell = cell.replace(",", ".")
        try:
            return float(cell)
        except ValueError:
            raise DatasetError(
                f"{self._file}: row {row} has {clean_name(cell, 30)!r} in column "
                f"{self._names[at]}, which holds numbers elsewhere: mend that row."
            ) from None


def _whole_numbers(block: list[str], layout: Layout) -> Floats | None:
    """Read a block of nothing but digits, as tables of pixels are, several times faster than text.

    Returns
    -------
    array (n_rows, n_columns) or None
        None where a cell is empty, too long to be exact, or no whole number without a sign.
    """
    separator = layout.separator
    if separator == " ":
        return None
    codes = np.frombuffer((separator.join(block) + separator).encode(), dtype=np.uint8)
    is_end = codes == ord(separator)
    digits = codes - np.uint8(ord("0"))  # what comes before 0 wraps round and is too large as well
    if not ((digits < 10) | is_end).all():
        return None
    ends = np.flatnonzero(is_end)
    lengths = np.diff(ends, prepend=-1) - 1
    longest = int(lengths.max())
    if lengths.min() < 1 or longest > _MOST_DIGITS:
        return None
    values = digits[ends - 1].astype(np.float64)
    for place in range(1, longest):
        longer = np.flatnonzero(lengths > place)
        values[longer] += digits[ends[longer] - 1 - place] * 10.0**place
    return values.reshape(len(block), layout.n_columns)


def _encoding(content: bytes, name: str) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if b"\0" in content[:4096] or content.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"%PDF")):
        raise DatasetError(
            f"{name} is not a table of text: save it as CSV in the program that made it."
        )
    try:
        content[: 2**20].decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # A letter cut in two at the end of what was looked at is no fault.
        if error.start < 2**20 - 4:
            return "cp1252"
    return "utf-8-sig"


def _lines(content: bytes, encoding: str) -> Iterator[str]:
    stream = io.TextIOWrapper(io.BytesIO(content), encoding=encoding, errors="replace")
    for line in stream:
        if line.strip():
            yield line.rstrip("\n")


def _blocks(lines: Iterator[str]) -> Iterator[list[str]]:
    block: list[str] = []
    size = 0
    for line in lines:
        block.append(line)
        size += len(line) + 64
        if size >= _CHARACTERS_AT_ONCE:
            yield block
            block, size = [], 0
    if block:
        yield block


def _split(lines: list[str], separator: str, name: str) -> list[list[str]]:
    if separator == " ":
        return [line.split() for line in lines]
    try:
        return list(csv.reader(lines, delimiter=separator, skipinitialspace=True))
    except csv.Error as error:
        raise DatasetError(
            f"{name} has a cell that never ends or is too long: save it again as plain CSV."
        ) from error


def _is_number(cell: str, decimal_comma: bool) -> bool:
    if decimal_comma and cell.count(",") == 1:
        cell = cell.replace(",", ".")
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # Python reads 1_000, nobody else does


def _has_header(rows: list[list[str]], comma: bool) -> bool:
    first, rest = rows[0], rows[1:50]
    if not rest:
        return False
    for at, cell in enumerate(first):
        below = [row[at] for row in rest if at < len(row) and row[at].strip()]
        if below and not _is_number(cell, comma) and all(_is_number(one, comma) for one in below):
            return True
    counted = [str(number) for number in range(len(first))]
    return len(first) > 3 and [cell.strip() for cell in first] == counted


def no_numbers(name: str) -> DatasetError:
    """Say that a table holds nothing that can be analysed."""
    return DatasetError(
        f"{name} has no column of numbers to analyse: leave fewer columns out, or bring a table "
        "of numbers."
    )


def _no_table(lines: list[str], name: str) -> DatasetError:
    for separator in _SEPARATORS[:-1]:
        try:
            widths = [len(row) for row in _split(lines, separator, name)]
        except DatasetError:
            continue
        common = max(set(widths), key=widths.count, default=0)
        if common > 1:
            row = next(number for number, width in enumerate(widths) if width != common)
            return _ragged(row + 1, widths[row], common, name)
    return DatasetError(
        f"{name} is not a table: put one sample a row, with commas between its values."
    )


def _ragged(row: int, there: int, wanted: int, name: str) -> DatasetError:
    return DatasetError(
        f"{name}: row {row:,} has {there:,} {'cell' if there == 1 else 'cells'} where the others "
        f"have {wanted:,}: mend that row."
    )
