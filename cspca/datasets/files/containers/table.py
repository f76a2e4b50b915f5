"""Tables of text: CSV, TSV and others, also packed by gzip. `layout` sees how one is written.

pandas reads the values, in blocks; a block with cells that are no numbers is read cell by cell.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cspca.datasets.files import foreign
from cspca.datasets.files.cells import MOST_WORDS, digits_grouped_by_points, read_cells
from cspca.datasets.files.containers.layout import (
    Layout,
    Rows,
    check_widths,
    is_number,
    is_value,
    layout_of_text,
    number_places,
    split_lines,
)
from cspca.datasets.files.foreign import Watch, clean_name, listed
from cspca.datasets.files.parsed import Array, Parsed, Table, precision
from cspca.datasets.files.vocabulary import MISSING_CELLS, SPREAD_WORDS, SUMMARY_WORDS, fold
from cspca.datasets.record import DatasetError

_COMMENT_MARKS: Final = (b"#", b"%", b"!")
# Begins with a byte that is found at once: of a large table every byte would be tried.
_BLANK_LINE: Final = re.compile(rb"\n(?=([\r \t]*\n))")
_MOST_BLANK_LINES: Final = 1000
_SEPARATORS: Final = (b",", b";", b"\t")
_BLOCK: Final = 8 * 2**20
_LONGEST_END: Final = 4096  # bytes of the line that ends a table
_SMALL_BLOCK: Final = 2 * 2**20
_MOST_WORD_CELLS: Final = 5_000_000
_CELLS_LOOKED_AT: Final = 1_000_000
_WIDE: Final = 5000  # columns
_GUARDED: Final = re.compile(r"'+[=+\-@]")
"""Text behind the apostrophe that keeps a spreadsheet from running it as a formula; one more stands
before text that begins so by itself."""
_LABEL_ROW_SHARE: Final = 0.5  # of the columns of numbers that a row of labels has words in
_LEAST_SUMMED: Final = 6  # rows of a table of which the last may sum up the others
_MOST_SUMMARIES: Final = 8
_GROUPING_POINT: Final = re.compile(rb"(?<![\d.,])[1-9]\d{0,2}\.\d{3}(?![\d.,])")
_QUOTED_COMMA: Final = re.compile(rb'"\s*[-+]?\d*,\d+\s*"')
_NA_WORDS: Final = tuple(
    {form for word in MISSING_CELLS for form in (word, word.upper(), word.capitalize())}
    | {"NaN", "N.D."}
)


Columns = tuple[dict[str, Any], list[NDArray[Any]]]
"""A table as it is sent: names of its columns, those of words, and the values of the others."""


@dataclass
class _Body:
    """Values as they are read: numbers in one array, words by the place of their column."""

    number_places: list[int]
    word_places: list[int]
    numbers: Array
    words: dict[int, list[Array]]
    odd_cells: dict[int, list[tuple[int, str]]] = field(default_factory=dict)
    different: set[tuple[int, Any]] = field(default_factory=set)
    count: int = 0
    lines: Array | None = None


def parse(content: bytes, watch: Watch) -> Parsed:
    """Read a table of text."""
    content, encoding = plain_text(content, watch.name)
    content, notes = without_lines_below(content)
    layout = layout_of_text(content, encoding, watch.name)
    layout.notes += notes
    table = read_values(content, encoding, layout, watch)
    return Parsed(watch.name, "table", tables=[table], notes=layout.notes)


def without_lines_below(content: bytes) -> tuple[bytes, list[str]]:
    """Cut what an instrument writes below its table, behind a blank line; say how much it was."""
    blocks = [match.end(1) for match in islice(_BLANK_LINE.finditer(content), _MOST_BLANK_LINES)]
    if not blocks or len(blocks) == _MOST_BLANK_LINES:
        return content, []
    parts = list(zip([0, *blocks], [*blocks, len(content)], strict=True))
    largest = max(range(len(parts)), key=lambda at: parts[at][1] - parts[at][0])
    start, end = parts[largest]
    lines = [line for line in content[end:].split(b"\n") if line.strip()]
    last = content[start:end].rstrip(b"\r\n").rpartition(b"\n")[2]
    mark = max(_SEPARATORS, key=last.count)
    most = last.count(mark) / 2
    n_rows = content.count(b"\n", start, end)
    if not lines or not most or len(lines) > n_rows / 2:
        return content, []
    if any(line.count(mark) > most for line in lines):
        return content, []
    are = "line below the table was" if len(lines) == 1 else "lines below the table were"
    return content[:end], [f"{len(lines):,} {are} passed over."]


def columns(content: bytes, watch: Watch) -> Columns:
    """Read a table as it is, of one column too."""
    content, encoding = plain_text(content, watch.name)
    layout = layout_of_text(content, encoding, watch.name, least=1)
    table = read_values(content, encoding, layout, watch)
    return columns_of(table, layout.decimal_comma)


def columns_of(table: Table, decimal_comma: bool = False) -> Columns:
    """Names and values of the columns of numbers, then of the others, each with its place."""
    names = table.names if table.names_are_written else [""] * len(table.names)
    n_above = 0
    if table.first_row:
        n_above = int(_names_columns(table.first_row, table.top_rows, decimal_comma))
        if n_above:
            names = [cell.strip() for cell in table.first_row]
    written_as_words = {
        place: column for place, column in table.words.items() if column.dtype.kind == "f"
    }
    places = [*table.number_places, *written_as_words]
    values = np.column_stack([table.numbers, *written_as_words.values()])
    values = np.ascontiguousarray(values[n_above:], dtype=np.float64)
    words = [
        (place, clean_name(names[place]), [str(word) for word in column[n_above:].tolist()])
        for place, column in table.words.items()
        if place not in written_as_words
    ]
    numeric = [(place, clean_name(names[place])) for place in places]
    return {"numeric": numeric, "text": words, "arrays": [("float64", values.shape)]}, [values]


def plain_text(content: bytes, file: str) -> tuple[bytes, str]:
    """Unpack a table, and return it with one kind of line end, and its encoding."""
    if content.startswith(b"\x1f\x8b"):
        content = foreign.gunzip(content, file)
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        content = content.decode("utf-16", "replace").encode()
    elif b"\0" in content[:4096] or content.startswith((b"PK\3\4", b"\xd0\xcf\x11\xe0", b"%PDF")):
        raise DatasetError(
            f"{file} is not a table of text: save it as CSV in the program that made it."
        )
    content = content.removeprefix(codecs.BOM_UTF8)
    # Old programs of the Mac end lines by this alone; others may have put an end of theirs behind.
    n_returns = content.count(b"\r")
    if n_returns and n_returns - content.count(b"\r\n") > content.count(b"\n"):
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    # A series matrix of GEO ends in a line of its own.
    last = content.rfind(b"\n!", max(0, len(content) - _LONGEST_END))
    if last >= 0 and content[last + 1 :].strip().count(b"\n") == 0:
        content = content[: last + 1]
    try:  # in steps, for the end of what is looked at may cut a letter in two
        codecs.getincrementaldecoder("utf-8")().decode(content[: 2**20])
    except UnicodeDecodeError:
        return content, "cp1252"
    return content, "utf-8"


def table_of_rows(rows: Rows, title: str, file: str, least: int = 2) -> tuple[Table, list[str]]:
    """Make a table of rows of cells, as a spreadsheet has them; the notes say what was passed.

    `least` is the number of columns that a table has at least.
    """
    stream = io.StringIO()
    csv.writer(stream).writerows(rows)
    content = stream.getvalue().encode()
    layout = layout_of_text(content, "utf-8", file, least)
    table = read_values(content, "utf-8", layout, Watch(file))
    table.title = title
    return table, layout.notes


def read_values(content: bytes, encoding: str, layout: Layout, watch: Watch) -> Table:
    """Read all values below the header; the first row comes along, as row 0."""
    whole = content
    content = _without_comment_lines(content, layout)
    name, width = watch.name, layout.width
    has_first = bool(layout.first_row)
    looked_at = layout.rows[: max(4, _CELLS_LOOKED_AT // width)] or [layout.first_row]
    numeric = number_places(looked_at, width, layout.decimal_comma)
    most = content.count(b"\n", layout.start) + 1 + has_first
    foreign.check_values((most, width), name)
    others = sorted(set(range(width)) - set(numeric))
    n_words = max(1, _MOST_WORD_CELLS // most)
    if len(others) > n_words:
        layout.notes.append(f"{len(others) - n_words:,} columns of words were left out.")
        others = others[:n_words]
    numbers = np.empty((most, len(numeric)), dtype=precision(most * len(numeric)))
    body = _Body(numeric, others, numbers, {place: [] for place in others})
    if has_first:
        _add_rows([layout.first_row], layout, body, name, is_first=True)
    for start, end in _blocks(content, layout.start, _BLOCK):
        _add_block(content, start, end, encoding, layout, body, name)
        foreign.check_most(len(body.different), foreign.MAX_OBJECTS, "different words", name)
        watch.tell(0.7 * end / len(content), f"Reading row {body.count:,}")
    if body.count == 0 or (body.count == has_first and not _is_row(layout, width)):
        raise DatasetError(f"{name} holds no rows below its header: put one sample a row.")
    _reread_words(content, encoding, layout, body, name)
    _group_by_points(content, encoding, layout, body, name)
    body.lines = _lines_of(whole, layout, body) if len(content) == len(whole) else None
    return _table(layout, body)


def _lines_of(content: bytes, layout: Layout, body: _Body) -> Array | None:
    """Line of the file of each row; None where a row may have several, or stand between blanks."""
    first = content.count(b"\n", 0, layout.start) - bool(layout.first_row)
    n_lines = content.count(b"\n") + (not content.endswith(b"\n"))
    return np.arange(first, first + body.count) if n_lines == first + body.count else None


def _without_comment_lines(content: bytes, layout: Layout) -> bytes:
    """Pass over lines of one cell below the header that begin with the mark of a comment."""
    # Two bytes are looked for only where there is the second, which is found ten times as fast.
    marks = [
        mark
        for mark in _COMMENT_MARKS
        if mark in content and content.find(b"\n" + mark, layout.start - 1) >= 0
    ]
    separator = layout.separator.encode()
    if not marks or separator == b" " or content.find(b'"', layout.start) >= 0:
        return content
    pattern = rb"^[%s][^\n%s]*(\n|\Z)" % (re.escape(b"".join(marks)), re.escape(separator))
    below, n_lines = re.subn(pattern, b"", content[layout.start :], flags=re.MULTILINE)
    if not n_lines:
        return content
    are = (
        "line of comment among the rows was"
        if n_lines == 1
        else ("lines of comment among the rows were")
    )
    layout.notes.append(f"{n_lines:,} {are} passed over.")
    return content[: layout.start] + below


def _is_row(layout: Layout, width: int) -> bool:
    n_numbers = sum(is_number(cell, layout.decimal_comma) for cell in layout.first_row)
    return n_numbers >= width / 2


def _blocks(content: bytes, start: int, size: int, stop: int = 0) -> Iterator[tuple[int, int]]:
    """Parts of about this many bytes that end where a line ends, and not within quotes."""
    stop = stop or len(content)
    has_quotes = content.find(b'"', start, stop) >= 0
    while start < stop:
        end = stop
        if start + size < stop:
            end = content.rfind(b"\n", start, start + size) + 1
            tries = 0
            while has_quotes and end and content.count(b'"', start, end) % 2 and tries < 1000:
                end = content.rfind(b"\n", start, end - 1) + 1
                tries += 1
            if not end:
                end = content.find(b"\n", start + size) + 1 or stop
        yield start, end
        start = end


def _add_block(
    content: bytes, start: int, end: int, encoding: str, layout: Layout, body: _Body, file: str
) -> None:
    """Read one block by pandas; in small parts, and cell by cell where it has odd cells."""
    block = content[start:end]
    if block.isspace() or not block:
        return
    if layout.width > _WIDE and not layout.decimal_comma:
        try:
            _add_wide(block, encoding, layout, body)
        except ValueError:
            pass
        else:
            return
    try:
        frame = _by_pandas(block, encoding, layout, body.number_places, body.word_places)
    except ValueError:  # pandas' own errors among them
        frame = None
    if frame is not None and not _has_short_rows(block, frame, layout):
        _add_frame(frame, body)
        return
    if end - start > _SMALL_BLOCK:
        for small in _blocks(content, start, _SMALL_BLOCK, end):
            _add_block(content, *small, encoding, layout, body, file)
        return
    lines = io.StringIO(block.decode(encoding, "replace"), newline="")
    rows = split_lines([line for line in lines if line.strip()], layout.separator, file)
    above = sum(bool(line.strip()) for line in content[: layout.start].split(b"\n"))
    check_widths(rows, layout.width, file, above + body.count - bool(layout.first_row) + 1)
    _add_rows(rows, layout, body, file)


def _add_wide(block: bytes, encoding: str, layout: Layout, body: _Body) -> None:
    """Read a block of few long rows by NumPy: pandas takes its time for each column."""

    def read(places: list[int], dtype: type) -> Array:
        every = len(places) == layout.width
        rows: Array = np.loadtxt(
            io.TextIOWrapper(io.BytesIO(block), encoding, errors="replace"),
            dtype=dtype,
            comments=None,
            delimiter=None if layout.separator == " " else layout.separator,
            usecols=None if every else places,
            ndmin=2,
            quotechar='"',
        )
        return rows

    numbers = read(body.number_places, np.float64)
    if numbers.shape[1] != len(body.number_places):
        raise ValueError
    if body.word_places:
        words = read(body.word_places, str)
        for at, place in enumerate(body.word_places):
            body.words[place].append(words[:, at].astype(object))
            body.different.update((place, word) for word in words[:, at].tolist())
    elif len(body.number_places) < layout.width:
        raise ValueError
    body.numbers[body.count : body.count + len(numbers)] = numbers
    body.count += len(numbers)


def _by_pandas(
    block: bytes, encoding: str, layout: Layout, numeric: list[int], words: list[int]
) -> pd.DataFrame:
    places = sorted([*numeric, *words])
    all_numbers = not words and len(places) == layout.width
    dtypes: Any = dict.fromkeys(numeric, np.float64) | dict.fromkeys(words, object)
    frame = pd.read_csv(
        io.BytesIO(block),
        sep=r"\s+" if layout.separator == " " else layout.separator,
        header=None,
        usecols=places if len(places) < layout.width else None,
        dtype=np.float64 if all_numbers else dtypes,
        decimal="," if layout.decimal_comma else ".",
        encoding=encoding,
        encoding_errors="replace",
        skipinitialspace=True,
        keep_default_na=False,
        # One list for all columns: pandas would look through one of each again and again.
        na_values=list(_NA_WORDS) if numeric else [],
        low_memory=False,  # a block is small already
    )
    if numeric and words and frame[words].isna().to_numpy().any():
        # Among words, those that are missing numbers may be classes.
        frame[words] = _by_pandas(block, encoding, layout, [], words)
    return frame


def _has_short_rows(block: bytes, frame: pd.DataFrame, layout: Layout) -> bool:
    """Whether a row may be too short: pandas fills it, and its last cell is missing then."""
    if not frame.iloc[:, -1].isna().any() or frame.shape[1] < 2:
        return False
    if b'"' in block or layout.separator == " ":
        return True
    separators = block.count(layout.separator.encode())
    return separators != len(frame) * (layout.width - 1)


def _add_frame(frame: pd.DataFrame, body: _Body) -> None:
    part = frame[body.number_places] if body.word_places else frame
    body.numbers[body.count : body.count + len(frame)] = part.to_numpy()
    for place, parts in body.words.items():
        parts.append(frame[place].fillna("").to_numpy(dtype=object))
        body.different.update((place, word) for word in frame[place].unique())
    body.count += len(frame)


def _add_rows(
    rows: Rows, layout: Layout, body: _Body, file: str, *, is_first: bool = False
) -> None:
    """Add rows cell by cell; a cell of a column of numbers that is none is marked."""
    count = body.count
    if count + len(rows) > len(body.numbers):
        raise foreign.damaged(file)
    cells = np.array(rows, dtype=object)
    columns = cells[:, body.number_places]
    values = _numbers_of(columns, layout.decimal_comma)
    body.numbers[count : count + len(rows)] = values
    odd = zip(*np.nonzero(np.isnan(values)), strict=True) if not is_first else ()
    for row, at in odd:
        text = str(columns[row, at]).strip()
        if text.lower() not in MISSING_CELLS:
            place = body.number_places[int(at)]
            body.odd_cells.setdefault(place, []).append((count + int(row), text))
    for place, parts in body.words.items():
        parts.append(cells[:, place])
        body.different.update((place, word) for word in set(cells[:, place]))
    body.count += len(rows)


def _numbers_of(cells: NDArray[Any], decimal_comma: bool) -> NDArray[np.float64]:
    """The number in each cell, NaN where there is none."""
    texts = [str(cell).strip() for cell in cells.ravel().tolist()]
    if decimal_comma:
        texts = [text.replace(",", ".") for text in texts]
    numbers = pd.to_numeric(np.array(texts, dtype=object), errors="coerce")
    return np.asarray(numbers, dtype=np.float64).reshape(cells.shape)


def _reread_words(content: bytes, encoding: str, layout: Layout, body: _Body, file: str) -> None:
    """Read a column again as words, where more than a few of its cells are none."""
    if not body.odd_cells:
        return
    labels = _label_rows_of(body)
    places = []
    for place, cells in body.odd_cells.items():
        column = body.numbers[: body.count, body.number_places.index(place)]
        n_odd = sum(row not in labels for row, _ in cells)
        n_numbers = int(np.isfinite(column).sum())
        if n_odd > MOST_WORDS * (n_odd + n_numbers):
            places.append(place)
    if not places:
        return
    parts: dict[int, list[Array]] = {place: [] for place in places}
    if layout.first_row:
        for place in places:
            parts[place].append(np.array([layout.first_row[place]], dtype=object))
    for start, end in _blocks(content, layout.start, _BLOCK):
        if content[start:end].isspace():
            continue
        frame = _by_pandas(content[start:end], encoding, layout, [], places)
        for place in places:
            parts[place].append(frame[place].fillna("").to_numpy(dtype=object))
    stay = [at for at, place in enumerate(body.number_places) if place not in parts]
    body.number_places = [body.number_places[at] for at in stay]
    body.numbers = np.ascontiguousarray(body.numbers[: body.count, stay])
    body.words |= parts
    for place in places:
        del body.odd_cells[place]


def _group_by_points(content: bytes, encoding: str, layout: Layout, body: _Body, file: str) -> None:
    """Read 1.617 as 1617 where the file has decimal commas and all points of a column group."""
    # What is cheap first: to search a large table for grouping points takes as long as to read it.
    if not layout.decimal_comma and not _has_quoted_decimals(content, layout, body):
        return
    if content.find(b".", layout.start) < 0:
        return
    if not _GROUPING_POINT.search(content, layout.start):
        return
    values = body.numbers[: body.count]
    with np.errstate(invalid="ignore"):
        is_fraction = (values != np.rint(values)) & np.isfinite(values)
        may_group = ~(is_fraction & ((np.abs(values) < 1) | (np.abs(values) >= 1000))).any(axis=0)
    places = [place for at, place in enumerate(body.number_places) if may_group[at]]
    texts = _texts_of(content, encoding, layout, places, file)
    examples: dict[int, str] = {}
    for place, column in texts.items():
        grouped = digits_grouped_by_points(column)
        at = body.number_places.index(place)
        for row, digits in grouped.items():
            body.numbers[row + body.count - len(column), at] = float(digits)
        if grouped:
            examples[place] = _example_of(column, grouped)
            if layout.first_row:
                first = layout.first_row[place].strip()
                body.numbers[0, at] = float(digits_grouped_by_points([first]).get(0, values[0, at]))
    for place, parts in body.words.items():
        column = [str(cell).strip() for part in parts for cell in part]
        grouped = digits_grouped_by_points(column)
        if grouped and read_cells(column[bool(layout.first_row) :]).has_numbers:
            written = np.concatenate(parts)
            written[[*grouped]] = [*grouped.values()]
            body.words[place] = [written]
            examples[place] = _example_of(column, grouped)
    if examples:
        header = layout.names or layout.first_row
        titles = [
            f"column {place + 1}"
            if not header or is_value(header[place], layout.decimal_comma)
            else clean_name(header[place])
            for place in sorted(examples)
        ]
        layout.notes.append(
            f"The point in {listed(titles)} groups thousands: {examples[min(examples)]}, for the "
            "file has decimal commas."
        )


def _example_of(column: Sequence[str], grouped: dict[int, str]) -> str:
    row = next(iter(grouped))
    return f"{column[row]} is {grouped[row]}"


def _has_quoted_decimals(content: bytes, layout: Layout, body: _Body) -> bool:
    """Whether commas part the cells, and a column in quotes has decimal commas."""
    if layout.separator != "," or not _QUOTED_COMMA.search(content, layout.start):
        return False
    readings = (
        read_cells([str(cell) for part in parts for cell in part][bool(layout.first_row) :])
        for parts in body.words.values()
    )
    return any(reading.comma == "decimal" and reading.has_numbers for reading in readings)


def _texts_of(
    content: bytes, encoding: str, layout: Layout, places: Sequence[int], file: str
) -> dict[int, list[str]]:
    """The cells below the header of some columns, as they are written."""
    texts: dict[int, list[str]] = {place: [] for place in places}
    for start, end in _blocks(content, layout.start, _BLOCK):
        lines = io.StringIO(content[start:end].decode(encoding, "replace"), newline="")
        rows = split_lines([line for line in lines if line.strip()], layout.separator, file)
        for place, column in texts.items():
            column += [row[place].strip() if place < len(row) else "" for row in rows]
    return texts


def _label_rows_of(body: _Body) -> set[int]:
    """Rows that have words in at least half of the columns of numbers."""
    counts = Counter(row for cells in body.odd_cells.values() for row, _ in cells)
    least = max(2, _LABEL_ROW_SHARE * len(body.number_places))
    return {row for row, count in counts.items() if count >= least}


def without_guard(cell: str) -> str:
    """A cell without blanks around it, and without the apostrophe of `_GUARDED`."""
    text = cell.strip()
    return text[1:] if text.startswith("'") and _GUARDED.match(text) else text


def _table(layout: Layout, body: _Body) -> Table:
    numbers = body.numbers[: body.count]
    words = {
        place: np.array([without_guard(str(cell)) for cell in np.concatenate(parts)], dtype=object)
        for place, parts in sorted(body.words.items())
    }
    label_rows = list(layout.label_rows)
    labels = _label_rows_of(body)
    if labels and len(labels) <= 8 and len(labels) < len(numbers) / 2:
        numbers, words = _without_labels(layout, body, numbers, words, labels, label_rows)
    numbers, words = _without_blank_rows(layout, body, numbers, words)
    numbers, words = _without_summary(layout, body, numbers, words)
    names = [without_guard(name) for name in layout.names]
    return Table(
        names=names or [f"column {number + 1}" for number in range(layout.width)],
        first_row=[without_guard(cell) for cell in layout.first_row],
        numbers=numbers,
        number_places=body.number_places,
        words=words,
        declared=layout.declared,
        odd_cells=body.odd_cells,
        label_rows=label_rows,
        top_rows=layout.rows,
        names_are_written=bool(layout.names),
        samples=layout.samples,
        evidence=layout.evidence,
        has_decimal_comma=layout.decimal_comma,
        lines=body.lines,
    )


def _without_labels(
    layout: Layout,
    body: _Body,
    numbers: Array,
    words: dict[int, Array],
    labels: set[int],
    label_rows: list[tuple[str, list[str]]],
) -> tuple[Array, dict[int, Array]]:
    """Take rows of words out from among the numbers."""
    for label in sorted(labels):
        cells = [""] * layout.width
        for place, odd in body.odd_cells.items():
            cells[place] = next((text for row, text in odd if row == label), "")
        for place, column in words.items():
            cells[place] = str(column[label])
        label_rows.append((cells[min(words)] if words else "", cells))
    good = np.array([row not in labels for row in range(len(numbers))])
    return _without_rows(body, numbers, words, good)


def _without_rows(
    body: _Body, numbers: Array, words: dict[int, Array], good: Array
) -> tuple[Array, dict[int, Array]]:
    """Keep the rows that are good, with the places of their odd cells."""
    if good.all():
        return numbers, words
    moved = np.cumsum(good) - 1
    for place, odd in list(body.odd_cells.items()):
        body.odd_cells[place] = [(int(moved[row]), text) for row, text in odd if good[row]]
        if not body.odd_cells[place]:
            del body.odd_cells[place]
    body.lines = None if body.lines is None else body.lines[good]
    return numbers[good], {place: column[good] for place, column in words.items()}


def _without_blank_rows(
    layout: Layout, body: _Body, numbers: Array, words: dict[int, Array]
) -> tuple[Array, dict[int, Array]]:
    """Leave out rows without a cell: those at the end, and where words say so, those between."""
    filled: Array = np.any(np.isfinite(numbers), axis=1)
    for column in words.values():
        filled |= column != ""
    filled[:2] = True  # the first may hold the names
    last = int(np.flatnonzero(filled)[-1])
    if not words:
        filled[:last] = True
    n_between = int((~filled[:last]).sum())
    if n_between:
        are = "rows without a cell are" if n_between > 1 else "row without a cell is"
        layout.notes.append(f"{n_between:,} {are} passed over.")
    return _without_rows(body, numbers, words, filled)


def _without_summary(
    layout: Layout, body: _Body, numbers: Array, words: dict[int, Array]
) -> tuple[Array, dict[int, Array]]:
    """Leave out the last rows whose first word says that they sum up the others."""
    if not words or len(numbers) < _LEAST_SUMMED:
        return numbers, words
    names = [fold(cell) for cell in words[min(words)].tolist()]
    start = len(names)
    words_at_end = SUMMARY_WORDS | SPREAD_WORDS
    while start > len(names) - _MOST_SUMMARIES and names[start - 1] in words_at_end:
        start -= 1
    if all(name in SPREAD_WORDS for name in names[start:]):
        start = len(names)  # SD alone may be a name
    if start == len(names) or any(name in SUMMARY_WORDS for name in names[:start]):
        return numbers, words
    titles = foreign.listed([str(cell) for cell in words[min(words)][start:]])
    if start == len(names) - 1:
        note = f"The last row, {titles}, sums up the others and is left out."
    else:
        note = f"The last rows, {titles}, sum up the others and are left out."
    layout.notes.append(note)
    return _without_rows(body, numbers, words, np.arange(len(names)) < start)


def _names_columns(first: Sequence[str], rows: Rows, decimal_comma: bool) -> bool:
    """Whether the first row of a table that is no set of samples names its columns."""
    if not rows:
        return False
    for place, cell in enumerate(first):
        below = [row[place] for row in rows if place < len(row)]
        if is_value(cell, decimal_comma) or _is_measured(cell, decimal_comma):
            continue
        if any(_is_measured(text, decimal_comma) for text in below):
            return True
    counted = [str(number) for number in range(len(first))]
    cells = [cell.strip() for cell in first]
    # pandas calls a series without a name 0, beside its index without a name.
    return cells == ["", "0"] or (len(first) > 3 and cells == counted)


def _is_measured(cell: str, decimal_comma: bool) -> bool:
    """Whether a cell is a number, also one with its spread, or true or false."""
    text = cell.strip().removesuffix("%")
    if is_number(text, decimal_comma) or text.lower() in ("true", "false"):
        return True
    value, sign, _ = text.partition("±")
    return bool(sign) and is_number(value.strip(), decimal_comma)
