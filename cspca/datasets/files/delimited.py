"""From the text of a table to its columns: how it is written is seen here, pandas reads it."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cspca.datasets.files import limits
from cspca.datasets.files.labels import clean_name, clean_names
from cspca.datasets.files.watch import Watch
from cspca.datasets.record import DatasetError, Floats

_SEPARATORS = (",", ";", "\t", "|", " ")
_LOOK_AT_ROWS = 200
_LONGEST_LINE = 32 * 2**20
_MOST_COLUMNS = 200_000
_MOST_TEXTS = 1000
_MOST_ROWS = 5_000_000
_MOST_CELLS = 56_000_000
_MOST_WORDS = 100_000
_FLOAT32_FROM = 32_000_000
_CELLS_AT_ONCE = 8_000_000
_MISSING = ("", "nan", "NaN", "NAN", "Nan")


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
    """A table in memory: NaN where a cell of ``values`` is empty, each word of ``text`` once."""

    numeric: list[str]
    values: Floats
    text: dict[str, tuple[NDArray[np.int32], list[str]]]
    raw_names: dict[str, str]  # as they are written, before they were made distinct
    named: bool  # whether the names are the file's own

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


class _Words:
    """A column of text while it is read: each different word once, up to a number of them."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.codes: list[NDArray[np.int32]] = []

    def add(self, cells: pd.Series[Any]) -> None:
        if len(self.known) > _MOST_WORDS:
            return
        codes, words = pd.factorize(cells.fillna(""))
        known = self.known
        places = [known.setdefault(str(word).strip(), len(known)) for word in words]
        self.codes.append(np.array(places, dtype=np.int32)[codes])


def sniff(content: bytes, name: str) -> Layout:
    """See how a table is written, from its first rows."""
    encoding = _encoding(content, name)
    if content.count(b"\n") > _MOST_ROWS:
        raise DatasetError(f"{name} has more than {_MOST_ROWS:,} rows: cut it into smaller files.")
    lines: list[str] = []
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
            rows = list(_rows(lines, separator, name))
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
    """Read all cells; ``header`` says whether the first row names the columns."""
    width = layout.n_columns
    lines = _lines(content, layout.encoding)
    raw = [f"column {number + 1}" for number in range(width)]
    if header:
        raw = [cell.strip() for cell in next(_rows(lines, layout.separator, name))]
    names = clean_names(raw)
    if len(names) != width:
        raise _ragged(1, len(names), width, name)
    sample = list(_rows(itertools.islice(lines, _LOOK_AT_ROWS), layout.separator, name))
    if not sample:
        raise DatasetError(f"{name} holds no rows below its header: put one sample a row.")
    numeric = [at for at in range(width) if _holds_numbers(sample, at, layout.decimal_comma)]
    if not numeric:
        raise no_numbers(name)
    most = content.count(b"\n") + content.count(b"\r") * (b"\n" not in content) + 1
    cells = most * width
    if cells > _MOST_CELLS:
        raise DatasetError(
            f"{name} has about {cells / 1e6:,.0f} million cells, over the limit of "
            f"{_MOST_CELLS / 1e6:.0f}: cut it into smaller files."
        )
    dtype = np.float32 if cells > _FLOAT32_FROM else np.float64
    others = sorted(set(range(width)) - set(numeric))
    words = {at: _Words() for at in others[:_MOST_TEXTS]}
    values: Floats = np.empty((most, len(numeric)), dtype=dtype)
    at = 0
    try:
        for chunk in _chunks(content, layout, header, numeric, list(words)):
            values[at : at + len(chunk)] = chunk[numeric].to_numpy() if words else chunk.to_numpy()
            for column, found in words.items():
                found.add(chunk[column])
            at += len(chunk)
            if sum(len(one.known) for one in words.values()) > limits.MAX_OBJECTS:
                raise DatasetError(
                    f"{name} holds more than {limits.MAX_OBJECTS:,} different words: leave "
                    "columns of text out."
                )
            watch.tell(0.7 * at / most, f"Reading row {at:,}")
    except (pd.errors.ParserError, ValueError) as error:
        if isinstance(error, DatasetError):
            raise
        _find_fault(content, layout, header, numeric, names, name)
    values = values[:at]
    last = values[:, -1] if numeric[-1] == width - 1 else None
    # pandas fills a row that is too short: its last cell is missing then.
    if (last is None and at) or (last is not None and np.isnan(last).any()):
        _find_fault(content, layout, header, numeric, names, name, sure=False)
    return Table(
        numeric=[names[one] for one in numeric],
        values=values,
        text={
            names[at]: (np.concatenate(one.codes), [clean_name(word) for word in one.known])
            for at, one in words.items()
            if len(one.known) <= _MOST_WORDS
        },
        raw_names=dict(zip(names, raw, strict=True)),
        named=header,
    )


def _chunks(
    content: bytes, layout: Layout, header: bool, numeric: list[int], words: list[int]
) -> Iterator[pd.DataFrame]:
    dtypes: Any = {**dict.fromkeys(numeric, np.float64), **dict.fromkeys(words, object)}
    few = len(numeric) + len(words) < layout.n_columns
    yield from pd.read_csv(
        io.BytesIO(content),
        sep=r"\s+" if layout.separator == " " else layout.separator,
        header=None,
        skiprows=int(header) + _blank_before(content),
        usecols=sorted(dtypes) if few else None,
        dtype=dtypes if words or few else np.float64,
        decimal="," if layout.decimal_comma else ".",
        # The C parser reads UTF-8 as it is, and passes over the mark at its beginning.
        encoding=layout.encoding.removesuffix("-sig"),
        encoding_errors="replace",
        skipinitialspace=True,
        keep_default_na=False,
        na_values=list(_MISSING),
        chunksize=max(1, _CELLS_AT_ONCE // layout.n_columns),
    )


def _blank_before(content: bytes) -> int:
    """How many empty lines come before the first row."""
    start = content[: 2**16].removeprefix(b"\xef\xbb\xbf")
    return start[: len(start) - len(start.lstrip(b"\r\n"))].count(b"\n")


def _find_fault(
    content: bytes,
    layout: Layout,
    header: bool,
    numeric: Sequence[int],
    names: Sequence[str],
    name: str,
    *,
    sure: bool = True,
) -> None:
    """Look for the first row that does not fit, cell by cell, and name it."""
    rows = _rows(_lines(content, layout.encoding), layout.separator, name)
    for number, row in enumerate(itertools.islice(rows, int(header), None), 1 + header):
        if len(row) != layout.n_columns:
            raise _ragged(number, len(row), layout.n_columns, name)
        if not sure:
            continue
        for at in numeric:
            if row[at].strip() and not _is_number(row[at], layout.decimal_comma):
                raise DatasetError(
                    f"{name}: row {number} has {clean_name(row[at], 30)!r} in column "
                    f"{names[at]}, which holds numbers elsewhere: mend that row."
                )
    if sure:
        raise limits.damaged(name)
    return


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
    return (line.rstrip("\n") for line in stream if line.strip())


def _rows(lines: Sequence[str] | Iterator[str], separator: str, name: str) -> Iterator[list[str]]:
    if separator == " ":
        yield from (line.split() for line in lines)
        return
    try:
        yield from csv.reader(lines, delimiter=separator, skipinitialspace=True)
    except csv.Error as error:
        raise DatasetError(
            f"{name} has a cell that never ends or is too long: save it again as plain CSV."
        ) from error


def _holds_numbers(rows: Sequence[Sequence[str]], at: int, comma: bool) -> bool:
    cells = (row[at] for row in rows if at < len(row))
    return all(_is_number(cell, comma) or not cell.strip() for cell in cells)


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
            widths = [len(row) for row in _rows(lines, separator, name)]
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
