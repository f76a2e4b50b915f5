"""Tables of comma-separated values: one sample a row, one feature a column, classes in one.

How a table is written is seen from its first rows; pandas reads it.
"""

from __future__ import annotations

import codecs
import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cspca.datasets.files import foreign
from cspca.datasets.files.arrays import LABEL_NAMES
from cspca.datasets.files.assemble import Found, precision
from cspca.datasets.files.choices import NO_LABELS, Candidate, ReadChoices, SampleAxis, check_pick
from cspca.datasets.files.foreign import Watch, clean_name, clean_names, listed
from cspca.datasets.files.guesses import pictures_lie_in
from cspca.datasets.record import DatasetError, Floats
from cspca.labels import MISSING_WORDS, parse_labels

_LOOK_AT_LETTERS = 32 * 2**20

# Beside a column of words, y is likelier to be a measurement than the class.
_LABEL_NAMES = (
    *(one for one in LABEL_NAMES if one != "y"),
    "category", "digit", "species", "id_class", "identity", "name",
)  # fmt: skip
_PIXEL_NAME = re.compile(
    r"(pixel|px|p|x|v|f|col|column|fea|feature)?[\s_.\-]*\d+([x_,.\-]\d+)*", re.I
)

Rows = list[list[str]]


@dataclass(frozen=True)
class Layout:
    """How a table is written, and its first rows."""

    encoding: str
    separator: str
    comma: bool  # whether 0,5 is a half
    header: bool
    first: Rows

    @property
    def names(self) -> tuple[str, ...]:
        """What the columns are called."""
        if self.header:
            return clean_names(cell.strip() for cell in self.first[0])
        return tuple(f"column {number + 1}" for number in range(len(self.first[0])))


@dataclass
class Table:
    """A table in memory: columns of numbers, NaN where a cell is empty, and columns of words."""

    numeric: list[str]
    values: Floats
    text: dict[str, pd.Series[Any]]

    def column(self, name: str) -> NDArray[Any]:
        """Return one column, of numbers or of words."""
        if name in self.text:
            return np.asarray(self.text[name], dtype=object)
        return self.values[:, self.numeric.index(name)]


def read(content: bytes, choices: ReadChoices, watch: Watch) -> Found:
    """Find samples, classes and names of features in a table of text."""
    name = watch.name
    content = content.removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n")
    layout = sniff(content, choices.header, name)
    header, table = layout.header, parse(content, layout, watch)
    offered = _offered(table)
    turned = choices.samples == "last"
    # A column is a sample then, and cannot hold the classes of the samples.
    labels = None if turned else _classes(choices, table, offered, name)
    left_out = _left_out(choices, table, labels, header, name)
    kept = [at for at, one in enumerate(table.numeric) if one not in left_out]
    features = [at for at in kept if table.numeric[at] != labels]
    if not features:
        raise _no_numbers(name)
    sure = True
    if not (header or table.text or choices.samples or choices.labels):
        axis, sure = pictures_lie_in(table.values[:, features])
        turned = axis == "last" and (sure or labels is None)
        if turned:
            labels, features = None, kept
        sure = sure or labels is not None
    data = table.values
    if len(features) < len(table.numeric):
        data = np.take(data, features, axis=1)  # an index would leave it column by column
    names = tuple(table.numeric[at] for at in features)
    pictures = not header or all(map(_PIXEL_NAME.fullmatch, names))
    feature_names, row_names, notes, passed = names if header else None, None, [], []
    if turned:
        data = np.ascontiguousarray(data.T)
        notes.append("one sample a column")
        pictures, feature_names = not header and not table.text, None
        # The first column of words that are all different.
        row_names = next((one for one, words in table.text.items() if words.is_unique), None)
        if row_names is not None:
            feature_names = clean_names(table.text[row_names])
    words = [one for one in table.text if one not in (labels, row_names)]
    if words:
        passed.append(f"{listed(words)}: text, not numbers")
    if left_out:
        why = "counts the rows" if choices.leave_out is None else "as chosen"
        passed.append(f"{listed(left_out)}: {why}")
    if passed:
        notes.append("left out " + "; ".join(passed))
    if row_names is not None:
        notes.append(f"features named by column {row_names}")
    classes = tuple(Candidate(one, f"{n} classes") for one, n in offered.items())
    return Found(
        data=data,
        labels=None if labels is None else table.column(labels),
        labels_note=f"classes from column {(labels or '').removeprefix('column ')}",
        format="table",
        pictures=pictures,
        feature_names=feature_names,
        notes=notes,
        left_out=passed,
        unsure=[] if sure else ["samples"],
        asked={
            "labels": (labels or NO_LABELS, classes),
            "samples": ("last" if turned else "first", get_args(SampleAxis)),
            "leave_out": (left_out, tuple(Candidate(one) for one in table.numeric[:10_000])),
            "header": (header, True),
        },
    )


def columns(
    content: bytes, choices: ReadChoices, watch: Watch
) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """A table as it is, of one column too: names and values of those of numbers, and the others."""
    content = content.removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n")
    table = parse(content, sniff(content, choices.header, watch.name, least=1), watch)
    values = np.ascontiguousarray(table.values, dtype=np.float64)
    text = [(name, column.tolist()) for name, column in table.text.items()]
    about = {"numeric": table.numeric, "text": text, "arrays": [("float64", values.shape)]}
    return about, [values]


def sniff(content: bytes, header: bool | None, name: str, least: int = 2) -> Layout:
    """See how a table of so many columns at least is written, from its first rows."""
    encoding = _encoding(content, name)
    lines: list[str] = []
    for line in islice(_lines(content, encoding), 200):
        lines.append(line)
        if sum(map(len, lines)) > _LOOK_AT_LETTERS:
            break
    if not lines:
        raise DatasetError(f"{name} holds no rows: put one sample a row.")
    best, separator, rows = (False, 0.0, 0), "", []
    for one in (",", ";", "\t", "|", " ") if len(lines[0]) <= _LOOK_AT_LETTERS else ():
        try:
            split = list(_rows(lines, one, name))
        except DatasetError:
            # By another separator its cells may be short enough.
            continue
        # The last may go on in lines that were not looked at.
        widths = Counter(len(row) for row in split[:-1] or split)
        width = widths.most_common(1)[0][0]
        level = len(widths) == 1
        cells = [cell for row in split[:50] for cell in row]
        numbers = sum(_is_number(cell, one != ",") for cell in cells)
        found = (level, numbers / len(cells), width)
        if width >= least and (level or one != " ") and found > best:
            best, separator, rows = found, one, split
    level, _, width = best
    if not rows:
        raise DatasetError(
            f"{name} is not a table: put one sample a row, with commas between its values."
        )
    foreign.check_most(width, 200_000, "columns", name)
    comma = separator != "," and any(
        "," in cell and _is_number(cell, True) for row in rows[1:50] for cell in row
    )
    if header is None:
        header = _has_header(rows, comma)
    layout = Layout(encoding, separator, comma, header, rows)
    if not level:
        _check_rows(rows, layout, width, (), name)
    return layout


def parse(content: bytes, layout: Layout, watch: Watch) -> Table:
    """Read all cells."""
    name, names = watch.name, layout.names
    sample = layout.first[layout.header :]
    if not sample:
        raise DatasetError(f"{name} holds no rows below its header: put one sample a row.")
    comma = layout.comma
    numeric = [
        at
        for at in range(len(names))
        if all(_is_number(cell, comma) for cell in _filled(sample, at))
    ]
    if not numeric:
        raise _no_numbers(name)
    most = content.count(b"\n") + content.count(b"\r") * (b"\n" not in content) + 1
    foreign.check_values((most, len(names)), name)
    others = sorted(set(range(len(names))) - set(numeric))[:1000]
    dtypes: Any = dict.fromkeys(numeric, np.float64) | dict.fromkeys(others, object)
    few = len(dtypes) < len(names)
    words: dict[int, list[pd.Series[Any]]] = {at: [] for at in others}
    different: set[tuple[int, Any]] = set()
    values: Floats = np.empty((most, len(numeric)), dtype=precision(most * len(numeric)))
    count, fault = 0, None
    try:
        chunks = pd.read_csv(
            io.BytesIO(content),
            sep=r"\s+" if layout.separator == " " else layout.separator,
            header=None,
            skiprows=int(layout.header),
            usecols=sorted(dtypes) if few else None,
            dtype=dtypes if others or few else np.float64,
            decimal="," if comma else ".",
            encoding=layout.encoding,
            encoding_errors="replace",
            skipinitialspace=True,
            keep_default_na=False,
            na_values=["", "nan", "NaN", "NAN", "Nan"],
            chunksize=max(1, 8_000_000 // len(names)),
        )
        for chunk in chunks:
            part = chunk[numeric] if others else chunk
            values[count : count + len(chunk)] = part.to_numpy()
            for at, found in words.items():
                found.append(chunk[at])
                different.update((at, word) for word in chunk[at].unique())
            foreign.check_most(len(different), foreign.MAX_OBJECTS, "different words", name)
            count += len(chunk)
            watch.tell(0.7 * count / most, f"Reading row {count:,}")
    except DatasetError:
        raise
    except ValueError as error:  # pandas' own errors among them
        fault = error
    # pandas fills a row that is too short: its last cell is missing then.
    short = numeric[-1] < len(names) - 1 or np.isnan(values[:count, -1]).any()
    if fault or short:
        rows = _rows(_lines(content, layout.encoding), layout.separator, name)
        _check_rows(rows, layout, len(names), numeric if fault else (), name)
    if fault:
        raise foreign.damaged(name) from fault
    text = {names[at]: pd.concat(parts).fillna("").str.strip() for at, parts in words.items()}
    return Table([names[at] for at in numeric], values[:count], text)


def _encoding(content: bytes, name: str) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if b"\0" in content[:4096] or content.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"%PDF")):
        raise DatasetError(
            f"{name} is not a table of text: save it as CSV in the program that made it."
        )
    try:  # in steps, for the end of what is looked at may cut a letter in two
        codecs.getincrementaldecoder("utf-8")().decode(content[: 2**20])
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


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


def _filled(rows: Rows, at: int) -> list[str]:
    """The cells of a column that are not empty."""
    return [row[at] for row in rows if at < len(row) and row[at].strip()]


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
        below = _filled(rest, at)
        if below and not _is_number(cell, comma) and all(_is_number(one, comma) for one in below):
            return True
    counted = [str(number) for number in range(len(first))]
    return len(first) > 3 and [cell.strip() for cell in first] == counted


def _no_numbers(name: str) -> DatasetError:
    return DatasetError(
        f"{name} has no column of numbers to analyse: leave fewer columns out, or bring a table "
        "of numbers."
    )


def _check_rows(
    rows: Iterable[list[str]], layout: Layout, width: int, numeric: Sequence[int], name: str
) -> None:
    """Refuse the first row that is not as wide as most, or has words for numbers, and name it."""
    for number, row in enumerate(rows, 1):
        if len(row) != width:
            raise DatasetError(
                f"{name}: row {number:,} has {len(row):,} {'cell' if len(row) == 1 else 'cells'} "
                f"where the others have {width:,}: mend that row."
            )
        for at in numeric if number > layout.header else ():
            if row[at].strip() and not _is_number(row[at], layout.comma):
                raise DatasetError(
                    f"{name}: row {number:,} has {clean_name(row[at], 30)!r} in column "
                    f"{layout.names[at]}, which holds numbers elsewhere: mend that row."
                )


def _classes(choices: ReadChoices, table: Table, offered: dict[str, int], name: str) -> str | None:
    """Name the column that holds the classes: as told, by its name, else by what it holds."""
    if choices.labels == NO_LABELS:
        return None
    if choices.labels is not None:
        check_pick(choices.labels, (*table.text, *table.numeric), "column", name)
        return choices.labels
    rows = len(table.values)
    # Names that are all different are those of the samples.
    by_name = {
        one.lower(): one
        for one, classes in offered.items()
        if one.lower() != "name" or classes < rows
    }
    for wanted in _LABEL_NAMES:
        if wanted in by_name:
            return by_name[wanted]
    words = [one for one, n in offered.items() if one in table.text and n <= rows / 2]
    if words:
        return words[0] if len(words) == 1 else None
    return by_name.get("y") or _label_by_shape(table, offered)


def _left_out(
    choices: ReadChoices, table: Table, labels: str | None, header: bool, name: str
) -> list[str]:
    """Name the columns of numbers that are no features: as told, else one that counts the rows."""
    if choices.leave_out is not None:
        for one in choices.leave_out:
            check_pick(one, (*table.numeric, *table.text), "column", name)
        return sorted(set(choices.leave_out) & set(table.numeric))
    first = table.numeric[0]
    usual = ("(no name)", "unnamed: 0", "index", "id", "no", "nr", "number", "row", "sample")
    if first == labels or not header or first.lower() not in usual:
        return []
    steps = table.values[:, 0] - np.arange(len(table.values))
    return [first] if (steps == 0).all() or (steps == 1).all() else []


def _offered(table: Table) -> dict[str, int]:
    """Columns of words, or of few whole numbers, and how many different ones each has."""
    found: dict[str, int] = {}
    for name, words in table.text.items():
        parsed = parse_labels(words.unique().astype(object), missing_words=MISSING_WORDS)
        if len(parsed.classes) > 1:
            found[name] = len(parsed.classes)
    last = len(table.numeric) - 1
    for number, name in enumerate(table.numeric):
        # Of many, which are pixels, only the ends may hold classes, unless they say so.
        if last >= 64 and number not in (0, last) and name.lower() not in _LABEL_NAMES:
            continue
        parsed = parse_labels(table.values[:, number])
        if not parsed.measured and 1 < len(parsed.classes) <= min(1000, parsed.n_labelled / 2):
            found[name] = len(parsed.classes)
    return found


def _label_by_shape(table: Table, offered: dict[str, int]) -> str | None:
    """First or last column, where it is unlike the rest: whole numbers beside pixels."""
    n = len(table.numeric)
    ends = [table.numeric[0], table.numeric[-1]]
    ends = [one for one in ends if one in offered and _whole(table.column(one))]
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
