"""Tables of comma-separated values: one sample a row, one feature a column, classes in one.

How a table is written is seen from its first rows; pandas reads it.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cspca.datasets.files import limits
from cspca.datasets.files.arrays import LABEL_NAMES
from cspca.datasets.files.assemble import Found, assemble
from cspca.datasets.files.choices import (
    NO_LABELS,
    Candidate,
    Options,
    ReadChoices,
    Recognised,
    pick,
)
from cspca.datasets.files.labels import clean_name, clean_names
from cspca.datasets.files.limits import Watch
from cspca.datasets.files.orient import pictures_lie_in
from cspca.datasets.record import DatasetError, Floats

_SEPARATORS = (",", ";", "\t", "|", " ")
_MISSING = ("", "nan", "NaN", "NAN", "Nan")
_LOOK_AT_ROWS = 200
_LONGEST_LINE = 32 * 2**20
_MOST_COLUMNS = 200_000
_MOST_TEXTS = 1000
_MOST_ROWS = 5_000_000
_MOST_CELLS = 56_000_000
_MOST_WORDS = 100_000
_MOST_CLASSES = 1000
_FLOAT32_FROM = 32_000_000
_CELLS_AT_ONCE = 8_000_000

# Beside a column of words, y is likelier to be a measurement than the class.
_WEAK_NAME = "y"
_NAMES = "name"
_LABEL_NAMES = (
    *(one for one in LABEL_NAMES if one != _WEAK_NAME),
    "category", "digit", "species", "id_class", "identity", _NAMES,
)  # fmt: skip
_INDEX_NAMES = ("(no name)", "unnamed: 0", "index", "id", "no", "nr", "number", "row", "sample")
_PIXEL_NAME = re.compile(
    r"(pixel|px|p|x|v|f|col|column|fea|feature)?[\s_.\-]*\d+([x_,.\-]\d+)*", re.I
)

Rows = list[list[str]]


@dataclass(frozen=True)
class Layout:
    """How a table is written, and its first rows."""

    encoding: str
    separator: str
    decimal_comma: bool
    header: bool
    first: Rows


@dataclass
class Table:
    """A table in memory: NaN where a cell of ``values`` is empty, each word of ``text`` once."""

    numeric: list[str]
    values: Floats
    text: dict[str, tuple[NDArray[np.int32], list[str]]]

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
    best: tuple[tuple[float, int], str, Rows] = ((-1.0, 0), "", [])
    ragged: DatasetError | None = None
    for separator in _SEPARATORS:
        try:
            rows = list(_rows(lines, separator, name))
        except DatasetError:
            # By another separator its cells may be short enough.
            continue
        width = len(rows[0]) if rows else 0
        if width < 2 or any(len(row) != width for row in rows[:-1]):
            ragged = ragged or (None if separator == " " else _ragged_rows(rows, name))
            continue
        cells = [cell for row in rows[:50] for cell in row]
        numbers = sum(_is_number(cell, separator != ",") for cell in cells)
        best = max(best, ((numbers / len(cells), width), separator, rows), key=lambda one: one[0])
    _, separator, rows = best
    if not rows:
        raise ragged or DatasetError(
            f"{name} is not a table: put one sample a row, with commas between its values."
        )
    if len(rows[0]) > _MOST_COLUMNS:
        raise DatasetError(
            f"{name} has {len(rows[0]):,} columns, over the limit of {_MOST_COLUMNS:,}: keep "
            "fewer, or make the pictures smaller."
        )
    comma = separator != "," and any(
        "," in cell and _is_number(cell, True) for row in rows[1:50] for cell in row
    )
    return Layout(encoding, separator, comma, _has_header(rows, comma), rows)


def parse(content: bytes, layout: Layout, header: bool, name: str, watch: Watch) -> Table:
    """Read all cells; ``header`` says whether the first row names the columns."""
    width = len(layout.first[0])
    names = clean_names(cell.strip() for cell in layout.first[0])
    if not header:
        names = tuple(f"column {number + 1}" for number in range(width))
    sample = layout.first[header:]
    if not sample:
        raise DatasetError(f"{name} holds no rows below its header: put one sample a row.")
    numeric = [at for at in range(width) if _holds_numbers(sample, at, layout.decimal_comma)]
    if not numeric:
        raise _no_numbers(name)
    most = content.count(b"\n") + content.count(b"\r") * (b"\n" not in content) + 1
    cells = most * width
    if cells > _MOST_CELLS:
        raise DatasetError(
            f"{name} has about {cells / 1e6:,.0f} million cells, over the limit of "
            f"{_MOST_CELLS / 1e6:.0f}: cut it into smaller files."
        )
    others = sorted(set(range(width)) - set(numeric))
    words = {at: _Words() for at in others[:_MOST_TEXTS]}
    dtype = np.float32 if cells > _FLOAT32_FROM else np.float64
    values: Floats = np.empty((most, len(numeric)), dtype=dtype)
    count = 0
    try:
        for chunk in _chunks(content, layout, header, numeric, list(words)):
            part = chunk[numeric] if words else chunk
            values[count : count + len(chunk)] = part.to_numpy()
            for column, found in words.items():
                found.add(chunk[column])
            count += len(chunk)
            if sum(len(one.known) for one in words.values()) > limits.MAX_OBJECTS:
                raise DatasetError(
                    f"{name} holds more than {limits.MAX_OBJECTS:,} different words: leave "
                    "columns of text out."
                )
            watch.tell(0.7 * count / most, f"Reading row {count:,}")
    except DatasetError:
        raise
    except ValueError as error:  # pandas' own errors among them
        _find_fault(content, layout, header, numeric, names, name)
        raise limits.damaged(name) from error
    values = values[:count]
    # pandas fills a row that is too short: its last cell is missing then.
    if count and (numeric[-1] < width - 1 or np.isnan(values[:, -1]).any()):
        _find_fault(content, layout, header, (), names, name)
    return Table(
        numeric=[names[one] for one in numeric],
        values=values,
        text={
            names[at]: (np.concatenate(one.codes), [clean_name(word) for word in one.known])
            for at, one in words.items()
            if len(one.known) <= _MOST_WORDS
        },
    )


def _chunks(
    content: bytes, layout: Layout, header: bool, numeric: list[int], words: list[int]
) -> Iterator[pd.DataFrame]:
    width = len(layout.first[0])
    dtypes: Any = {**dict.fromkeys(numeric, np.float64), **dict.fromkeys(words, object)}
    few = len(dtypes) < width
    # How many empty lines come before the first row.
    start = content[: 2**16].removeprefix(b"\xef\xbb\xbf")
    blank = start[: len(start) - len(start.lstrip(b"\r\n"))].count(b"\n")
    yield from pd.read_csv(
        io.BytesIO(content),
        sep=r"\s+" if layout.separator == " " else layout.separator,
        header=None,
        skiprows=int(header) + blank,
        usecols=sorted(dtypes) if few else None,
        dtype=dtypes if words or few else np.float64,
        decimal="," if layout.decimal_comma else ".",
        # The C parser reads UTF-8 as it is, and passes over the mark at its beginning.
        encoding=layout.encoding.removesuffix("-sig"),
        encoding_errors="replace",
        skipinitialspace=True,
        keep_default_na=False,
        na_values=list(_MISSING),
        chunksize=max(1, _CELLS_AT_ONCE // width),
    )


def _find_fault(
    content: bytes,
    layout: Layout,
    header: bool,
    numeric: Sequence[int],
    names: Sequence[str],
    name: str,
) -> None:
    """Look for the first row that does not fit, cell by cell, and name it."""
    width = len(layout.first[0])
    rows = _rows(_lines(content, layout.encoding), layout.separator, name)
    for number, row in enumerate(itertools.islice(rows, int(header), None), 1 + header):
        if len(row) != width:
            raise _ragged(number, len(row), width, name)
        for at in numeric:
            if row[at].strip() and not _is_number(row[at], layout.decimal_comma):
                raise DatasetError(
                    f"{name}: row {number} has {clean_name(row[at], 30)!r} in column "
                    f"{names[at]}, which holds numbers elsewhere: mend that row."
                )


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


def _rows(lines: Iterable[str], separator: str, name: str) -> Iterator[list[str]]:
    if separator == " ":
        yield from (line.split() for line in lines)
        return
    try:
        yield from csv.reader(lines, delimiter=separator, skipinitialspace=True)
    except csv.Error as error:
        raise DatasetError(
            f"{name} has a cell that never ends or is too long: save it again as plain CSV."
        ) from error


def _holds_numbers(rows: Rows, at: int, comma: bool) -> bool:
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


def _has_header(rows: Rows, comma: bool) -> bool:
    first, rest = rows[0], rows[1:50]
    if not rest:
        return False
    for at, cell in enumerate(first):
        below = [row[at] for row in rest if at < len(row) and row[at].strip()]
        if below and not _is_number(cell, comma) and all(_is_number(one, comma) for one in below):
            return True
    counted = [str(number) for number in range(len(first))]
    return len(first) > 3 and [cell.strip() for cell in first] == counted


def _no_numbers(name: str) -> DatasetError:
    return DatasetError(
        f"{name} has no column of numbers to analyse: leave fewer columns out, or bring a table "
        "of numbers."
    )


def _ragged_rows(rows: Rows, name: str) -> DatasetError | None:
    """Say which row is not as wide as most, if they are wide enough for a table."""
    widths = [len(row) for row in rows]
    common = max(set(widths), key=widths.count, default=0)
    if common < 2:
        return None
    row = next(number for number, width in enumerate(widths) if width != common)
    return _ragged(row + 1, widths[row], common, name)


def _ragged(row: int, there: int, wanted: int, name: str) -> DatasetError:
    return DatasetError(
        f"{name}: row {row:,} has {there:,} {'cell' if there == 1 else 'cells'} where the others "
        f"have {wanted:,}: mend that row."
    )


@dataclass(frozen=True)
class TableFile:
    """An opened table: how it is laid out is known, its values are read when they are wanted."""

    content: bytes
    name: str
    layout: Layout

    def recognise(self, choices: ReadChoices, watch: Watch) -> Recognised:
        """Read it as a data set, by these choices and, where there are none, by guesses."""
        header = self.layout.header if choices.header is None else choices.header
        table = parse(self.content, self.layout, header, self.name, watch)
        offered = _label_columns(table)
        turned = choices.samples == "last"
        # A column is a sample then, and cannot hold the classes of the samples.
        labels = None if turned else self._labels(choices, table, offered)
        left_out = self._left_out(choices, table, labels, header)
        passed_over = {labels, *left_out}
        features = [at for at, one in enumerate(table.numeric) if one not in passed_over]
        if not features:
            raise _no_numbers(self.name)
        sure = True
        if not (header or table.text or choices.samples or choices.labels):
            axis, sure = pictures_lie_in(table.values[:, features])
            turned = axis == "last" and (sure or labels is None)
            if turned:
                labels = None
                features = [at for at, one in enumerate(table.numeric) if one not in left_out]
            sure = sure or labels is not None
        row_names = None
        if turned:
            # The first column of words that are all different.
            rows = len(table.values)
            row_names = next((one for one in table.text if table.words_in(one) == rows), None)
        notes, passed = [], []
        if labels is not None:
            notes.append(f"classes from column {labels.removeprefix('column ')}")
        words = [one for one in table.text if one not in (labels, row_names)]
        if words:
            passed.append(f"{_listed(words)}: text, not numbers")
        if left_out:
            why = "counts the rows" if choices.leave_out is None else "as chosen"
            passed.append(f"{_listed(sorted(left_out))}: {why}")
        if passed:
            notes.append("left out " + "; ".join(passed))
        data = table.values
        if len(features) < len(table.numeric):
            data = np.take(data, features, axis=1)  # an index would leave it column by column
        names = tuple(table.numeric[number] for number in features)
        pictures = not header or all(map(_PIXEL_NAME.fullmatch, names))
        feature_names = names if header else None
        if turned:
            data = np.ascontiguousarray(data.T)
            notes.insert(0, "one sample a column")
            pictures, feature_names = not header and not table.text, None
            if row_names is not None:
                notes.append(f"features named by column {row_names}")
                feature_names = clean_names(table.column(row_names).tolist())
        found = Found(
            data=data,
            labels=None if labels is None else table.column(labels),
            order="row",
            format="table",
            pictures=pictures,
            feature_names=feature_names,
            notes=notes,
            left_out=passed,
            unsure=[] if sure else ["samples"],
            used=ReadChoices(
                labels=labels or NO_LABELS,
                samples="last" if turned else "first",
                leave_out=tuple(sorted(left_out)),
                header=header,
            ),
            options=Options(
                labels=tuple(Candidate(one, f"{n} classes") for one, n in offered.items()),
                samples=("first", "last"),
                columns=tuple(Candidate(one) for one in table.numeric),
                header=True,
            ),
        )
        return assemble(found, choices, watch)

    def _labels(self, choices: ReadChoices, table: Table, offered: dict[str, int]) -> str | None:
        if choices.labels == NO_LABELS:
            return None
        if choices.labels is not None:
            names = tuple(Candidate(one) for one in (*table.text, *table.numeric))
            return pick(choices.labels, names, "column", self.name)
        rows = len(table.values)
        # Names that are all different are those of the samples.
        by_name = {
            one.lower(): one
            for one, classes in offered.items()
            if one.lower() != _NAMES or classes < rows
        }
        for name in _LABEL_NAMES:
            if name in by_name:
                return by_name[name]
        words = [one for one, n in offered.items() if one in table.text and n <= rows / 2]
        if words:
            return words[0] if len(words) == 1 else None
        return by_name.get(_WEAK_NAME) or _label_by_shape(table, offered)

    def _left_out(
        self, choices: ReadChoices, table: Table, labels: str | None, header: bool
    ) -> set[str]:
        if choices.leave_out is not None:
            columns = tuple(Candidate(one) for one in (*table.numeric, *table.text))
            for one in choices.leave_out:
                pick(one, columns, "column", self.name)
            return set(choices.leave_out) & set(table.numeric)
        first = table.numeric[0]
        if first == labels or not header or first.lower() not in _INDEX_NAMES:
            return set()
        steps = table.values[:, 0] - np.arange(len(table.values))
        return {first} if (steps == 0).all() or (steps == 1).all() else set()


def open(content: bytes, name: str, watch: Watch) -> TableFile:
    """Open a table of text."""
    return TableFile(content, name, sniff(content, name))


def _label_columns(table: Table) -> dict[str, int]:
    """Columns of words, or of few whole numbers, and how many different ones each has."""
    found = {one: table.words_in(one) for one in table.text if table.words_in(one) > 1}
    last = len(table.numeric) - 1
    for number, name in enumerate(table.numeric):
        # Looked at from above first: most columns of pixels are thrown out by few values.
        few = table.values[:1000, number]
        if not _whole(few) or len(np.unique(few)) > _MOST_CLASSES:
            continue
        if last >= 64 and number not in (0, last) and name.lower() not in _LABEL_NAMES:
            continue
        values = table.values[:, number]
        classes = len(np.unique(values))
        if _whole(values) and 1 < classes <= min(_MOST_CLASSES, len(values) / 2):
            found[name] = classes
    return found


def _label_by_shape(table: Table, offered: dict[str, int]) -> str | None:
    """First or last column, where it is unlike the rest: whole numbers beside pixels."""
    n = len(table.numeric)
    ends = [one for one in (table.numeric[0], table.numeric[-1]) if one in offered]
    if not ends:
        return None
    if n > 25 and math.isqrt(n - 1) ** 2 == n - 1:
        return ends[0]
    rest = [name for name in table.numeric if name not in ends]
    if rest and not any(_whole(table.column(one)) for one in rest[:20]):
        return ends[-1]
    return None


def _whole(values: NDArray[Any]) -> bool:
    return bool(np.isfinite(values).all() and (values == np.rint(values)).all())


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"
