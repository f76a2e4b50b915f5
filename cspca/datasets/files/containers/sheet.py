"""Excel workbooks (.xlsx): every sheet is a table of its own."""

from __future__ import annotations

import datetime
import re
import zipfile
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree

from cspca.datasets.files import foreign
from cspca.datasets.files.containers.layout import Rows, is_number
from cspca.datasets.files.containers.own_workbook import (
    ABOUT,
    CLASSES,
    SAMPLES,
    arrays_of_sheets,
    declared_answers,
    has_names_first,
)
from cspca.datasets.files.containers.table import Columns, columns_of, table_of_rows
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Parsed
from cspca.datasets.record import DatasetError

_MAIN: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_DATE_FORMATS: Final = frozenset([*range(14, 23), *range(45, 48)])
_LETTERS_OF_DATES: Final = re.compile(r"[ymdhs]", re.IGNORECASE)
_ESCAPE: Final = re.compile("_x((?!D[89A-F])[0-9A-F]{4})_", re.IGNORECASE)
_LEAST_ROWS: Final = 2
_LEAST_COLUMNS: Final = 2
"""Columns of a table that stands beside another."""
_LEAST_HEADS: Final = 2
"""Filled cells of a row of a header; one alone is a title."""
_MERGED: Final = re.compile(
    r"(?P<left>[A-Z]{1,3})(?P<top>\d{1,7}):(?P<right>[A-Z]{1,3})(?P<bottom>\d{1,7})"
)


def parse(content: bytes, watch: Watch) -> Parsed:
    """Read every sheet that holds a table."""
    return _parse(content, watch, least=2)


def columns(content: bytes, watch: Watch) -> Columns:
    """Read the only table as it is, of one column too."""
    tables = _parse(content, watch, least=1).tables
    if len(tables) > 1:
        titles = foreign.listed([table.title for table in tables])
        raise DatasetError(
            f"{watch.name} has {len(tables)} sheets that hold a table, {titles}: keep one of them."
        )
    return columns_of(tables[0])


def _parse(content: bytes, watch: Watch, least: int) -> Parsed:
    """Read the sheets whose table has at least so many columns."""
    name = watch.name
    if not content.startswith(b"PK"):
        raise DatasetError(
            f"{name} is not an Excel workbook, whatever its name says: save it as .xlsx, or export "
            "the sheet as CSV."
        )
    archive = foreign.open_zip(content, name)
    members = set(archive.namelist())
    if "xl/workbook.xml" not in members:
        raise DatasetError(
            f"{name} is not an Excel workbook (.xlsx): export the sheet as .xlsx or CSV."
        )
    strings = _shared_strings(archive) if "xl/sharedStrings.xml" in members else []
    dates = _date_styles(archive) if "xl/styles.xml" in members else set()
    parsed = Parsed(name, "Excel workbook")
    sheets = _sheets(archive, members)
    titles = dict(sheets)
    about = _cells(archive, titles.get(ABOUT), strings, dates, name)
    if answers := declared_answers(about):
        samples, classes = (
            _cells(archive, titles.get(title), strings, dates, name) for title in (SAMPLES, CLASSES)
        )
        names_first = has_names_first(about)
        own = arrays_of_sheets(name, samples, classes, answers, names_first=names_first)
        if own is not None:
            return own
        sheets = [(title, member) for title, member in sheets if title not in (ABOUT, CLASSES)]
    for number, (title, member) in enumerate(sheets):
        watch.tell(0.6 * number / len(sheets), f"Reading the sheet {title}")
        cells, n_formulas, n_merged = _rows(archive, member, strings, dates, name)
        if n_formulas:
            is_one = n_formulas == 1
            hold = "1 cell holds a formula" if is_one else f"{n_formulas:,} cells hold formulas"
            parsed.notes.append(
                f"{hold} without a value on the sheet {title}: open the workbook in Excel or "
                "LibreOffice, save it there, and bring that."
            )
        if n_merged:
            spans = (
                "1 merged cell holds for all rows that it spans"
                if n_merged == 1
                else f"{n_merged:,} merged cells hold for all rows that they span"
            )
            parsed.notes.append(f"On the sheet {title}, {spans}.")
        every = _blocks(cells)
        blocks = [block for block in every if block.holds_table]
        if len(blocks) > 1:
            parsed.left_out += [
                f"{title}, {block.title}: it holds no table"
                for block in every
                if not block.holds_table
            ]
            _add_blocks(parsed, cells, blocks, title)
            continue
        rows = _aligned(cells)
        if len(rows) < _LEAST_ROWS:
            parsed.left_out.append(f"the sheet {title}: it holds no table")
            continue
        try:
            table, notes = table_of_rows(rows, title, name, least)
        except DatasetError:
            if len(sheets) == 1:
                raise
            parsed.left_out.append(f"the sheet {title}: it holds no table")
            continue
        table.notes = tuple(notes)
        parsed.tables.append(table)
    if not parsed.tables:
        raise DatasetError(f"{name} holds no table: put one sample a row of a sheet.")
    return parsed


def _cells(
    archive: zipfile.ZipFile, member: str | None, strings: list[str], dates: set[int], name: str
) -> list[dict[int, str]]:
    """Filled cells of each row of a sheet; none where there is no such sheet."""
    return [] if member is None else _rows(archive, member, strings, dates, name)[0]


def _sheets(archive: zipfile.ZipFile, members: set[str]) -> list[tuple[str, str]]:
    """Title and member of each sheet, in the order of the workbook."""
    relations: dict[str, str] = {}
    if "xl/_rels/workbook.xml.rels" in members:
        for relation in ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels")):
            target = relation.get("Target", "")
            path = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
            relations[relation.get("Id", "")] = path
    sheets = []
    for sheet in ElementTree.fromstring(archive.read("xl/workbook.xml")).iter(f"{_MAIN}sheet"):
        member = relations.get(sheet.get(_RELATION, ""), "")
        if member in members:
            sheets.append((foreign.clean_name(sheet.get("name", member)), member))
    return sheets


def _shared_strings(archive: zipfile.ZipFile) -> list[str]:
    root = ElementTree.fromstring(archive.read("xl/sharedStrings.xml"))
    return ["".join(_texts(element)) for element in root.iter(f"{_MAIN}si")]


def _texts(element: ElementTree.Element) -> Iterator[str]:
    """Text of a cell, without the readings that stand above Japanese words."""
    for part in element:
        if part.tag == f"{_MAIN}t":
            yield _unescaped(part.text or "")
        elif part.tag == f"{_MAIN}r":
            yield from (_unescaped(text.text or "") for text in part.iter(f"{_MAIN}t"))


def _unescaped(text: str) -> str:
    """Text with the characters for which the format writes escapes, such as ``_x000D_``.

    Escapes of halves of a pair stay: they are no characters.
    """
    if "_x" not in text:
        return text
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)


def _date_styles(archive: zipfile.ZipFile) -> set[int]:
    """Numbers of the cell styles that show a number as a date."""
    root = ElementTree.fromstring(archive.read("xl/styles.xml"))
    own = {
        int(form.get("numFmtId", "0")): form.get("formatCode", "")
        for form in root.iter(f"{_MAIN}numFmt")
    }
    styles = set()
    for formats in root.iter(f"{_MAIN}cellXfs"):
        for number, form in enumerate(formats):
            code = int(form.get("numFmtId", "0"))
            written = re.sub(r'"[^"]*"|\[[^\]]*\]|\\.', "", own.get(code, ""))
            if code in _DATE_FORMATS or _LETTERS_OF_DATES.search(written.replace("General", "")):
                styles.add(number)
    return styles


def _rows(
    archive: zipfile.ZipFile, member: str, strings: list[str], dates: set[int], name: str
) -> tuple[list[dict[int, str]], int, int]:
    """Filled cells of each row, by their column; how many formulas have no value, and merged cells.

    A merged cell counts where it says something of several rows of values.
    """
    rows: list[dict[int, str]] = []
    numbers: list[int] = []
    merged: list[str] = []
    n_cells = n_formulas = 0
    with archive.open(member) as stream:
        for _, element in ElementTree.iterparse(stream):
            if element.tag == f"{_MAIN}mergeCell":
                merged.append(element.get("ref", ""))
            if element.tag != f"{_MAIN}row":
                continue
            cells: dict[int, str] = {}
            for at, cell in enumerate(element.iter(f"{_MAIN}c")):
                text = _text_of(cell, strings, dates)
                if text.strip():
                    cells[_column_of(cell.get("r", ""), at)] = text
                elif cell.find(f"{_MAIN}f") is not None and cell.get("t") != "str":
                    n_formulas += 1
            number = int(element.get("r", numbers[-1] + 1 if numbers else 1))
            element.clear()
            n_cells += len(cells)
            foreign.check_most(n_cells, foreign.MAX_VALUES // 5, "cells", name)
            if cells:
                rows.append(cells)
                numbers.append(number)
    foreign.check_most(len(merged), foreign.MAX_ENTRIES, "merged cells", name)
    n_merged = _fill_merged(rows, numbers, merged) if numbers == sorted(numbers) else 0
    return rows, n_formulas, n_merged


def _fill_merged(
    rows: Sequence[dict[int, str]], numbers: Sequence[int], merged: Sequence[str]
) -> int:
    """Put what a merged cell says into each row of values, and each column of a header, it spans.

    A title over the table, alone in its row, stays one cell. Returns how many were filled down.
    """
    if not merged:
        return 0
    n_merged = 0
    width = max((max(row) for row in rows), default=0) + 1
    has_numbers = [any(map(is_number, row.values())) for row in rows]
    n_filled = [len(row) for row in rows]
    for reference in merged:
        match = _MERGED.fullmatch(reference)
        if match is None:
            continue
        left, right = _column_of(match["left"], 0), _column_of(match["right"], 0)
        top, bottom = int(match["top"]), int(match["bottom"])
        first, end = bisect_left(numbers, top), bisect_right(numbers, bottom)
        text = rows[first].get(left, "") if first < end else ""
        if not text or numbers[first] != top:
            continue
        if left == right:
            below = [
                row for row, has in zip(rows[first:end], has_numbers[first:end], strict=True) if has
            ]
            n_merged += len(below) > 1
            for row in below:
                row.setdefault(left, text)
        elif top == bottom and not has_numbers[first] and n_filled[first] >= _LEAST_HEADS:
            for column in range(left + 1, min(right + 1, width)):
                rows[first].setdefault(column, text)
    return n_merged


def _column_of(reference: str, at: int) -> int:
    """Number of a column, from 0, by its letters."""
    letters = re.match("[A-Z]{1,3}", reference)
    if letters is None:
        return at
    number = 0
    for letter in letters[0]:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def _text_of(cell: ElementTree.Element, strings: list[str], dates: set[int]) -> str:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return "".join(text for element in cell.iter(f"{_MAIN}is") for text in _texts(element))
    value = cell.find(f"{_MAIN}v")
    text = "" if value is None else value.text or ""
    if kind == "s" and text:
        return strings[int(text)]
    if kind == "b":
        return "TRUE" if text == "1" else "FALSE"
    if kind == "n" and text and int(cell.get("s", "0")) in dates:
        return _date(float(text))
    return text


def _date(serial: float) -> str:
    """A date as the standard writes it; Excel counts days from the end of 1899."""
    try:
        moment = datetime.datetime(1899, 12, 30) + datetime.timedelta(days=serial)
    except OverflowError:
        return str(serial)
    return moment.date().isoformat() if serial == int(serial) else moment.isoformat(" ", "seconds")


@dataclass(frozen=True)
class _Block:
    """Columns of a sheet between blank ones, and its filled rows; ends are beyond the last."""

    first: int
    end: int
    rows: tuple[int, ...]

    @property
    def title(self) -> str:
        """Its columns as a spreadsheet calls them."""
        return f"columns {_letters(self.first)} to {_letters(self.end - 1)}"

    @property
    def holds_table(self) -> bool:
        """Whether it has rows enough for a table of its own."""
        return len(self.rows) > _LEAST_ROWS


def _blocks(rows: Sequence[Mapping[int, str]]) -> list[_Block]:
    """Runs of columns with a blank one between, which may be tables side by side.

    A run of a single column belongs to the table on its left.
    """
    filled = sorted({column for row in rows for column in row})
    runs: list[list[int]] = []
    for column in filled:
        if runs and column == runs[-1][1]:
            runs[-1][1] = column + 1
        else:
            runs.append([column, column + 1])
    blocks: list[_Block] = []
    for first, end in runs:
        if blocks and end - first < _LEAST_COLUMNS:
            first, end = blocks[-1].first, end
            blocks.pop()
        numbers = [
            number
            for number, row in enumerate(rows)
            if sum(first <= column < end for column in row) >= _LEAST_COLUMNS
        ]
        blocks.append(_Block(first, end, tuple(numbers)))
    return blocks


def _add_blocks(
    parsed: Parsed, cells: Sequence[Mapping[int, str]], blocks: Sequence[_Block], title: str
) -> None:
    """Add each of several tables side by side; the whole sheet too where all have the same rows."""
    parts = [
        (
            f"{title}, {block.title}",
            [
                {column: text for column, text in row.items() if block.first <= column < block.end}
                for row in cells
            ],
        )
        for block in blocks
    ]
    if len({block.rows for block in blocks}) == 1:
        parts.insert(0, (title, [dict(row) for row in cells]))
    for name, rows in parts:
        try:
            table, notes = table_of_rows(_aligned([row for row in rows if row]), name, parsed.file)
        except DatasetError:
            parsed.left_out.append(f"{name}: it holds no table")
            continue
        table.notes = tuple(notes)
        parsed.tables.append(table)


def _letters(column: int) -> str:
    """Letters of a column, by its number from 0."""
    letters = ""
    number = column + 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _aligned(rows: list[dict[int, str]]) -> Rows:
    """Rows of cells of one width, but for those above the table, which are as wide as filled."""
    if not rows:
        return []
    first = min(min(row) for row in rows)
    width = max(max(row) for row in rows) + 1
    top = next(
        (at for at, row in enumerate(rows) if len(row) >= max(2, (width - first) / 2)), len(rows)
    )
    aligned = []
    for at, row in enumerate(rows):
        end = width if at >= top else max(row) + 1
        aligned.append([row.get(place, "") for place in range(first, end)])
    return aligned
