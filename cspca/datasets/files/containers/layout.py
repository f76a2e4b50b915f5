"""How a table of text is written: separator, what stands above it, and the rows of its header.

Everything is read off the first lines; the rows of values below them are read by `table`.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Literal

import numpy as np
import pandas as pd

from cspca.datasets.files import foreign
from cspca.datasets.files.vocabulary import MISSING_CELLS
from cspca.datasets.record import DatasetError

Rows = list[list[str]]

LOOK_AHEAD: Final = 32 * 2**20
"""Bytes of a table in which its layout is looked for."""

MOST_COLUMNS: Final = 1_000_000
_LINES_LOOKED_AT: Final = 200
_ENOUGH: Final = 4 * 2**20  # bytes after which a few lines are enough
_FEWEST_LINES: Final = 8
_CELLS_LOOKED_AT: Final = 200_000  # cells by which columns of numbers are told from words
_LEAST_PAIRED: Final = 4  # columns, in pairs of an axis and a curve
_LEAST_BELOW: Final = 8  # rows of a table below lines of other widths
_MOST_NUMBERS_ABOVE: Final = 0.5  # of the cells of those lines
_LEAST_WORDS: Final = 2  # of a row of labels
_CELLS_JUDGED: Final = 2000  # cells of one row by which a separator is judged
_COMMENT: Final = re.compile(r'\s*"?(#|%|!|//)')
_PERSEUS_ROW: Final = re.compile(r"#!\{(?P<name>[^}]*)\}(?P<cell>.*)")
_LISTED_NAME: Final = re.compile(r"\s*column\s+(?P<number>\d{1,6})\s*:\s*(?P<name>.*\S)", re.I)
_TRC_MARK: Final = "PathFileType"
_ORANGE_TYPES: Final = frozenset(
    ["continuous", "discrete", "string", "time", "numeric", "c", "d", "s", "t", "basket"]
)
_ORANGE_ROLES: Final = frozenset(
    ["", "class", "meta", "ignore", "weight", "c", "m", "i", "w", "cl", "multiclass"]
)
_ORANGE_FLAG: Final = re.compile(r"(?!#)([mciw]?)([CDSTcdst]?)#(.+)")
"""Letters for the role and the type of a column before its name; without one, # is of the name."""

_ROLES_OF_ORANGE: Final = {"c": "class", "m": "text", "i": "text", "w": "weight"}


@dataclass(frozen=True)
class Line:
    """One line of a file, and where the next one begins, in bytes."""

    text: str
    end: int


@dataclass
class Layout:
    """How a table is written, and the rows above its values.

    Parameters
    ----------
    separator : str
        Mark between two cells; a blank stands for any white space.
    decimal_comma : bool
        Whether 0,5 is a half.
    start : int
        Where the rows of values begin, in bytes; the row in `first_row` lies before it.
    names : list of str
        Names that the file declares; empty where the first row may hold them or not.
    first_row : list of str
        The first row of full width, which may hold the names.
    rows : list of list of str
        The first rows of values below it.
    label_rows : list of (name, cells)
        Rows of words over the values, one cell a column.
    declared : dict of int to str
        Roles of columns by their place.
    samples : {"rows", "columns", ""}
        The side of the samples that the format declares.
    evidence : str
        What declares that side, as a sentence.
    notes : list of str
        What was passed over, a sentence each.
    """

    separator: str
    decimal_comma: bool = False
    start: int = 0
    names: list[str] = field(default_factory=list)
    first_row: list[str] = field(default_factory=list)
    rows: Rows = field(default_factory=list)
    label_rows: list[tuple[str, list[str]]] = field(default_factory=list)
    declared: dict[int, str] = field(default_factory=dict)
    samples: Literal["rows", "columns", ""] = ""
    evidence: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.names or self.first_row)


def layout_of_text(content: bytes, encoding: str, file: str, least: int = 2) -> Layout:
    """See how a table of at least so many columns is written."""
    lines = _first_lines(content, encoding)
    if not lines:
        raise DatasetError(f"{file} holds no rows: put one sample a row.")
    separators: Sequence[str] = (",", ";", "\t", "|", " ")
    notes = []
    if match := re.fullmatch(r"sep=(.)", lines[0].text.strip()):
        separators = (match[1],)
        lines = lines[1:]
    if lines[0].text.startswith(_TRC_MARK):
        separators = ("\t",)  # blanks alone would join the empty cells of its header
    comments, body = _part_comments(lines)
    separator, rows, lead = _split(body, separators, file, least)
    width = _common_width(rows[lead:])
    foreign.check_most(width, MOST_COLUMNS, "columns", file)
    header = _header_above(rows, lead, width)
    top = lead
    if header is None:
        header, top = rows[lead], lead + 1
        ends = body[lead].end
    else:
        ends = body[lead - 1].end
        if not header[0]:
            notes.append("The first column has no name.")
    header = [header[0].strip().removeprefix("#").strip(), *header[1:]]
    layout = Layout(separator, first_row=header, notes=notes)
    skipped = body[: lead - (top == lead)]
    comments_above = [line for line in comments if line.end <= body[lead].end]
    below = body[top:]
    named = _header_comment(comments_above, separator, width)
    if named is not None and _is_above_all(named, body, lead):
        layout.names = _names_of_comment(named.text, separator, width)
        layout.first_row = []
        below = body[lead:]
        ends = named.end
        comments_above.remove(named)
    marker_names = _marker_names(skipped, separator, width) or _listed_names(skipped, width)
    if marker_names and layout.first_row:
        layout.names, layout.first_row = marker_names, []
        below, ends = body[lead:], body[lead - 1].end
    if layout.first_row and lead and not marker_names:
        names = _names_of_pairs(rows[: lead - (top == lead)][-1:], layout.first_row)
        if names:
            layout.names, layout.first_row = names, []
            below, ends = body[top:], body[top - 1].end
    _perseus(layout, comments, width)
    _geo(layout, comments, width)
    data_rows = rows[len(rows) - len(below) :]
    n_taken = _orange(layout, data_rows, width)
    n_taken += _trc(layout, lines[0].text, data_rows)
    n_taken += _gct(layout, [line.text for line in lines[:2]], data_rows)
    layout.rows = data_rows[n_taken:]
    if n_taken:
        ends = below[n_taken - 1].end
    first_row_end = below[n_taken].end if n_taken < len(below) else ends
    ends = max([ends, *(line.end for line in comments if line.end < first_row_end)])
    _see_decimal_comma(layout)
    n_label_rows = _label_rows(layout)
    del layout.rows[:n_label_rows]
    n_index_rows = _name_of_index(layout)
    del layout.rows[:n_index_rows]
    n_above_values = n_taken + n_label_rows + n_index_rows
    if n_above_values > n_taken:
        ends = below[n_above_values - 1].end
    layout.start = ends
    _marks(layout, [line.text for line in comments_above])
    n_above = len(skipped) + len(comments_above)
    if n_above:
        are = "line above the table was" if n_above == 1 else "lines above the table were"
        layout.notes.append(f"{n_above} {are} passed over.")
    return layout


def _name_of_index(layout: Layout) -> int:
    """Take the row that names the index alone, below names in several rows, as pandas writes it."""
    header = layout.names or layout.first_row
    if not layout.label_rows or not layout.rows or header[0].strip():
        return 0
    name, *others = [cell.strip() for cell in layout.rows[0]]
    if not name or any(others) or len(layout.rows[0]) != layout.width:
        return 0
    header[0] = name
    return 1


_EITHER_COMMA: Final = re.compile(r"\s*[-+]?[1-9]\d{0,2},\d{3}\s*")
"""A number whose comma may as well group thousands."""


def _see_decimal_comma(layout: Layout) -> None:
    """See whether a comma is the decimal mark, where cells are parted by another mark."""
    if layout.separator == ",":
        return
    cells = [cell for row in layout.rows[:50] for cell in row if "," in cell]
    numbers = [cell for cell in cells if is_number(cell, decimal_comma=True)]
    is_either = bool(numbers) and all(map(_EITHER_COMMA.fullmatch, numbers))
    layout.decimal_comma = bool(numbers) and (not is_either or layout.separator == ";")
    if is_either and layout.decimal_comma:
        layout.notes.append("The comma is the decimal mark, for semicolons part the cells.")


def _header_comment(comments: Sequence[Line], separator: str, width: int) -> Line | None:
    """The last comment of full width, which names the columns; None without one."""
    for line in reversed(comments):
        cells = _names_of_comment(line.text, separator, width)
        is_full = len(cells) == width and any(cell.strip() for cell in cells)
        if is_full and not line.text.startswith(("!", "#!{")):
            return line
    return None


def _names_of_comment(line: str, separator: str, width: int) -> list[str]:
    """Cells of a comment; of some instruments each begins with the mark, and gaps are doubled."""
    cells = _cells(_without_mark(line), separator)
    filled = [cell.removeprefix("#").strip() for cell in cells if cell.strip()]
    return filled if len(cells) != width == len(filled) else cells


def _part_comments(lines: list[Line]) -> tuple[list[Line], list[Line]]:
    """Part comments, which stand above the table or bear marks of Perseus or GEO, from rows."""
    comments: list[Line] = []
    body: list[Line] = []
    for line in lines:
        is_comment = _COMMENT.match(line.text) is not None
        is_narrow = 0 < len(body) <= 2 and _n_marks(line.text) < _n_marks(body[-1].text)
        is_between = bool(body) and _n_marks(line.text) == 0 < _n_marks(body[-1].text)
        if is_comment and (
            not body or is_narrow or is_between or line.text.startswith(("#!{", "!"))
        ):
            comments.append(line)
        else:
            body.append(line)
    # Where every line begins with a mark, it is none.
    return (comments, body) if body else ([], lines)


def _n_marks(line: str) -> int:
    """How many separators a line has, of the kind that it has most of."""
    return max(line.count(mark) for mark in ",;\t|")


_NO_LINE_END: Final = re.compile(rb"[^\r\n]")
_LONGEST_CELL: Final = 2**20


def _first_lines(content: bytes, encoding: str) -> list[Line]:
    """The first lines that are not blank; a quoted cell may run over several."""
    lines: list[Line] = []
    start, most = 0, min(len(content), LOOK_AHEAD)
    while len(lines) < _LINES_LOOKED_AT and (letter := _NO_LINE_END.search(content, start)):
        start = letter.start()
        end = content.find(b"\n", start) + 1 or len(content)
        n_quotes = content.count(b'"', start, end)
        opens_quote = n_quotes % 2 == 1 and _opens_quote(content[start:end])
        while n_quotes % 2 and opens_quote:
            following = content.find(b"\n", end) + 1 or len(content)
            if following == end or following - start > _LONGEST_CELL:
                break
            n_quotes += content.count(b'"', end, following)
            end = following
        text = content[start:end].decode(encoding, "replace").strip("\r\n")
        if text.strip():
            lines.append(Line(text, end))
        start = end
        if (start > most and len(lines) > 1) or (start > _ENOUGH and len(lines) >= _FEWEST_LINES):
            break
    return lines


def _opens_quote(line: bytes) -> bool:
    return re.search(rb'(^|[,;\t| ])"', line) is not None


def split_lines(lines: Sequence[str], separator: str, file: str) -> Rows:
    """Split lines into cells."""
    try:
        if separator == " ":
            return [_words(line) for line in lines]
        return [row for row in csv.reader(lines, delimiter=separator, skipinitialspace=True) if row]
    except csv.Error as error:
        raise DatasetError(
            f"{file} has a cell that never ends or is too long: save it again as plain CSV."
        ) from error


def _words(line: str) -> list[str]:
    """Split a line at blanks; a quoted word may hold some, and ends of lines."""
    text = re.sub(r"[\t\r\n]", " ", line).strip()
    if '"' in text:
        return next(csv.reader([text], delimiter=" ", skipinitialspace=True))
    return text.split()


def _cells(line: str, separator: str) -> list[str]:
    rows = split_lines([line], separator, "")
    return [cell.strip() for cell in rows[0]] if rows else []


def _without_mark(line: str) -> str:
    mark = _COMMENT.match(line)
    if mark is None:
        return line
    quoted = line.lstrip().startswith('"')
    rest = line[mark.end() :].lstrip(" #")
    return f'"{rest}' if quoted else rest


def _split(
    lines: Sequence[Line], separators: Sequence[str], file: str, least: int
) -> tuple[str, Rows, int]:
    """Return the separator, all rows, and how many of them stand above the table."""
    best: tuple[bool, bool, float, int, bool] = (False, False, 0.0, 0, False)
    chosen: tuple[str, Rows, int] | None = None
    texts = [line.text for line in lines]
    for separator in separators if len(texts[0]) <= LOOK_AHEAD else ():
        try:
            rows = split_lines(texts, separator, file)
        except DatasetError:
            # By another separator its cells may be short enough.
            continue
        if not rows or len(rows) != len(lines):
            continue
        width = _common_width(rows)
        if width < least:
            continue
        lead = _lead(rows, width, separator)
        end = len(rows) - 1 if len(rows) >= _LINES_LOOKED_AT else len(rows)
        level = all(len(row) == width or _is_orange_role_row(row) for row in rows[lead:end]) and (
            lead == 0 or end - lead >= 2
        )
        # The first may be a header.
        judged = rows[lead + 1 : lead + 51] or rows[lead:]
        cells = [cell for row in judged for cell in row[:_CELLS_JUDGED] if cell.strip()]
        share = sum(is_number(cell, separator != ",") for cell in cells) / max(1, len(cells))
        starts_at_top = lead == 0 or (lead == 1 and len(rows[0]) == width - 1)
        # A comma may be the decimal mark of numbers that another mark separates.
        is_whole = not any(mark in cell for cell in cells for mark in ";\t|")
        score = (level, starts_at_top, share, width, is_whole)
        if (level or separator != " ") and score > best:
            best, chosen = score, (separator, rows, lead)
    if chosen is None:
        raise DatasetError(
            f"{file} is not a table: put one sample a row, with commas between its values."
        )
    separator, rows, lead = chosen
    if not best[0]:
        _check_one_table(rows, best[3], file)
        check_widths(rows, best[3], file)
    return chosen


def _lead(rows: Rows, width: int, separator: str) -> int:
    """How many rows stand above the table: all before its first, which an instrument wrote."""
    first = next(place for place, row in enumerate(rows) if len(row) == width)
    last_other = max((at for at, row in enumerate(rows) if len(row) != width), default=-1)
    above, table = rows[: last_other + 1], rows[last_other + 1 :]
    if last_other < first or len(table) < max(_LEAST_BELOW, len(above)):
        return first
    shares = [_share_of_numbers(part, separator) for part in (above, table[1:])]
    return last_other + 1 if shares[0] < _MOST_NUMBERS_ABOVE < shares[1] else first


def _share_of_numbers(rows: Rows, separator: str) -> float:
    cells = [cell for row in rows for cell in row[:_CELLS_JUDGED] if cell.strip()]
    return sum(is_number(cell, separator != ",") for cell in cells) / max(1, len(cells))


def _check_one_table(rows: Rows, width: int, file: str) -> None:
    """Refuse several tables of one form that stand one below another."""
    runs: list[Rows] = []
    for before, row in pairwise([[], *rows]):
        if len(row) == width:
            runs += [[]] if len(before) != width else []
            runs[-1].append(row)
    heads = [run[0] for run in runs]
    if len(runs) > 1 and all(head == heads[0] for head in heads):
        raise DatasetError(
            f"{file} holds {len(runs):,} tables one below another, each with the header "
            f"{foreign.listed([cell for cell in heads[0] if cell.strip()])}: bring one table, "
            "with a row for each sample."
        )


def check_widths(rows: Rows, width: int, file: str, first: int = 1) -> None:
    """Refuse the first row that is not as wide as most, and name it."""
    for number, row in enumerate(rows, first):
        if len(row) != width:
            cells = "cell" if len(row) == 1 else "cells"
            raise DatasetError(
                f"{file}: row {number:,} has {len(row):,} {cells} where the others have "
                f"{width:,}: mend that row."
            )


def _common_width(rows: Rows) -> int:
    widths = Counter(len(row) for row in (rows[:-1] or rows))
    return max(widths, key=lambda width: (widths[width], width))


def _is_orange_role_row(row: list[str]) -> bool:
    return len(row) == 1 and row[0].strip().lower() in _ORANGE_ROLES - {""}


def _is_above_all(comment: Line, body: Sequence[Line], lead: int) -> bool:
    """Whether a comment stands right above the table, not between its rows."""
    above = body[lead - 1].end if lead else 0
    return above <= comment.end <= body[lead].end


def _header_above(rows: Rows, lead: int, width: int) -> list[str] | None:
    """The row above the table, where it is a header that is one cell short, or too long by one."""
    if not lead or width < _LEAST_WORDS:
        return None
    header = [cell.strip() for cell in rows[lead - 1]]
    if len(header) == width + 1 and not any(map(is_value, header[:-1])):
        return header[:-1]  # LabVIEW names a column of comments that no row has
    if len(header) != width - 1:
        return None
    over = [row[1:] for row in rows[lead : lead + 50]]
    words = sum(not is_number(cell) for cell in header)
    if all(not row[-1].strip() for row in rows[lead:]):
        return [*header, ""]
    if words < len(header) / 2 and any(is_number(cell) for row in over for cell in row):
        return None
    return ["", *header]


def _label_rows(layout: Layout) -> int:
    """Take rows of words right above the numbers, one cell a column; return how many."""
    rows = layout.rows
    if len(rows) < 3 or layout.label_rows:
        return 0
    n_last = max(3, min(20, _CELLS_LOOKED_AT // layout.width))
    if not _has_words_over_numbers(rows[0], rows[-n_last:], layout):
        return 0
    places = number_places(rows[-n_last:], layout.width, layout.decimal_comma)
    n_rows = 0
    for row in rows[: min(8, len(rows) - 2)]:
        if len(row) != layout.width:
            break
        over = [row[place].strip() for place in places]
        n_words = sum(bool(cell) and not is_value(cell, layout.decimal_comma) for cell in over)
        if not over or n_words < max(2, len(over) / 2):
            break
        free = [place for place in range(layout.width) if place not in set(places)]
        name = row[free[0] if free else 0].strip()
        layout.label_rows.append((name, [cell.strip() for cell in row]))
        n_rows += 1
    return n_rows


def _has_words_over_numbers(row: list[str], last: Rows, layout: Layout) -> bool:
    """Whether a row has words over at least two columns of numbers."""
    if any(len(cells) != layout.width for cells in (row, *last)):
        return True  # as may be: the rows are looked at one by one
    words = [place for place, cell in enumerate(row) if not is_value(cell, layout.decimal_comma)]
    below = [[cells[place] for place in words] for cells in last]
    return len(number_places(below, len(words), layout.decimal_comma)) >= _LEAST_WORDS


def number_places(rows: Rows, width: int, decimal_comma: bool) -> list[int]:
    """Columns of which at least half of the filled cells are numbers, and none is a code."""
    if _are_plain_numbers(rows, width):
        return list(range(width))
    places = _plain_columns(rows, width)
    plain = set(places)
    for place in range(width):
        if place in plain:
            continue
        cells = [row[place].strip() for row in rows if place < len(row)]
        cells = [cell for cell in cells if cell.lower() not in MISSING_CELLS]
        n_numbers = sum(is_number(cell, decimal_comma) for cell in cells)
        codes = any(len(cell) > 1 and cell[0] == "0" and cell.isdigit() for cell in cells)
        if cells and n_numbers >= len(cells) / 2 and not codes:
            places.append(place)
    return sorted(places)


def _plain_columns(rows: Rows, width: int) -> list[int]:
    """Columns of which all cells are finite numbers, and none may be a code that begins with 0."""
    if not rows or any(len(row) != width for row in rows):
        return []
    numbers = [pd.to_numeric(np.array(row, dtype=object), errors="coerce") for row in rows]
    values = np.array(numbers, dtype=np.float64)
    is_plain = np.isfinite(values).all(axis=0)
    is_whole = is_plain & (values == np.rint(values)).all(axis=0)
    codes = {
        place
        for place in np.flatnonzero(is_whole).tolist()
        if any(row[place].lstrip()[0] == "0" for row in rows)
    }
    plain: list[int] = np.flatnonzero(is_plain).tolist()
    return [place for place in plain if place not in codes]


def _are_plain_numbers(rows: Rows, width: int) -> bool:
    """Whether all cells are numbers, and none of them a code."""
    if not rows or any(len(row) != width for row in rows):
        return False
    cells = np.array(rows, dtype=str)
    try:
        numbers = cells.astype(np.float64)
    except ValueError:
        return False
    starts_with_zero = np.char.startswith(cells, "0") & (np.char.str_len(cells) > 1)
    is_code = starts_with_zero & np.char.isdigit(cells)
    return bool(
        np.isfinite(numbers).all()
        and not is_code.any()
        and not any("_" in cell for row in rows for cell in row)
    )


def is_number(cell: str, decimal_comma: bool = False) -> bool:
    """Whether a cell is one plain number."""
    if decimal_comma and cell.count(",") == 1:
        cell = cell.replace(",", ".")
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # Python reads 1_000, nobody else does


def is_value(cell: str, decimal_comma: bool = False) -> bool:
    """Whether a cell is a number, or a word for a missing one."""
    return cell.strip().lower() in MISSING_CELLS or is_number(cell, decimal_comma)


def _orange(layout: Layout, rows: Rows, width: int) -> int:
    """Read the second and third row of Orange's header; return how many rows those are."""
    header = layout.names or layout.first_row
    flags = [_ORANGE_FLAG.fullmatch(cell.strip()) for cell in header]
    if any(flags) and all(
        flag is not None or cell.strip() for flag, cell in zip(flags, header, strict=True)
    ):
        names = []
        for place, (flag, cell) in enumerate(zip(flags, header, strict=True)):
            names.append(flag[3] if flag else cell.strip())
            if flag and flag[1] in _ROLES_OF_ORANGE:
                layout.declared[place] = _ROLES_OF_ORANGE[flag[1]]
        layout.names, layout.first_row = names, []
        layout.notes.append("The header is Orange's.")
        return 0
    if len(rows) < 3 or len(rows[0]) != width:
        return 0
    types = [cell.strip().lower() for cell in rows[0]]
    if sum(cell in _ORANGE_TYPES for cell in types) < max(1, len(types) / 2):
        return 0
    roles = [cell.strip().lower() for cell in rows[1]]
    if any(role.split(" ")[0] not in _ORANGE_ROLES and "=" not in role for role in roles):
        return 0
    roles += [""] * (width - len(roles))
    for place, role in enumerate(roles):
        if role[:1] in _ROLES_OF_ORANGE:
            layout.declared[place] = _ROLES_OF_ORANGE[role[:1]]
    layout.names, layout.first_row = [cell.strip() for cell in header], []
    layout.notes.append("The three rows of the header are Orange's.")
    return 2


def _marker_names(above: Sequence[Line], separator: str, width: int) -> list[str]:
    """Names of coordinates by the line MARKER_NAMES of Qualisys; empty without one that fits."""
    for line in above:
        cells = _cells(line.text, separator)
        markers = [cell for cell in cells[1:] if cell]
        if cells[:1] == ["MARKER_NAMES"] and len(markers) * 3 == width:
            return [f"{marker} {axis}" for marker in markers for axis in "XYZ"]
    return []


def _listed_names(above: Sequence[Line], width: int) -> list[str]:
    """Names that lines such as “Column 2: quartz” give, as ENVI writes them; empty without all."""
    matches = [_LISTED_NAME.match(line.text) for line in above]
    names = {int(match["number"]): match["name"] for match in matches if match is not None}
    return [names[number] for number in sorted(names)] if [*names] == [*range(1, width + 1)] else []


def _names_of_pairs(above: Sequence[list[str]], header: Sequence[str]) -> list[str]:
    """Names that stand over pairs of columns, an axis and a curve each; empty without them."""
    heads = [cell.strip() for cell in header if cell.strip()]
    is_paired = len(heads) >= _LEAST_PAIRED and heads == heads[:2] * (len(heads) // 2)
    for row in above if is_paired else ():
        cells = [cell.strip() for cell in row]
        names = cells[: len(heads) : 2]
        if len(names) == len(heads) // 2 and all(names) and not any(cells[1::2]):
            doubled = [name for name in names for _ in range(2)]
            return [*doubled, *[""] * (len(header) - len(heads))]
    return []


def _trc(layout: Layout, first_line: str, rows: Rows) -> int:
    """Read the two rows of the header of a TRC file: markers, and the axes below them."""
    header = [cell.strip() for cell in layout.first_row or layout.names]
    if not first_line.startswith(_TRC_MARK) or header[:1] != ["Frame#"] or not rows:
        return 0
    names, marker = [], ""
    for cell, below in zip(header, [*rows[0], *[""] * len(header)], strict=False):
        marker = cell or marker
        axis = re.sub(r"\d", "", below.strip())
        names.append(f"{marker} {axis}".strip())
    layout.names, layout.first_row = names, []
    return 1


def _gct(layout: Layout, first_lines: Sequence[str], rows: Rows) -> int:
    """Read what the first two lines of a GCT file declare; return the rows of metadata."""
    counts = first_lines[-1].split("\t")
    is_gct = first_lines[0].strip() in ("#1.2", "#1.3")
    if not is_gct or not all(count.strip().isdigit() for count in counts[:4]):
        return 0
    numbers = [int(count) for count in counts[:4] if count.strip()]
    n_row_fields, n_column_fields = numbers[2:4] if len(numbers) == 4 else (1, 0)
    header = layout.names or layout.first_row
    layout.names, layout.first_row = [cell.strip() for cell in header], []
    layout.declared[0] = "name"
    layout.declared |= dict.fromkeys(range(1, 1 + n_row_fields), "text")
    layout.samples, layout.evidence = "columns", "It is a GCT table, with one sample a column."
    for row in rows[:n_column_fields]:
        cells = [cell.strip() for cell in row]
        cells[1 : 1 + n_row_fields] = [""] * n_row_fields
        layout.label_rows.append((cells[0], cells))
    return n_column_fields


def _geo(layout: Layout, comments: Sequence[Line], width: int) -> None:
    """Read what a series matrix of GEO says of its samples."""
    texts = [line.text for line in comments]
    if not any(text.startswith("!series_matrix_table_begin") for text in texts):
        return
    layout.names = [cell.strip() for cell in layout.first_row]
    layout.first_row = []
    layout.declared[0] = "name"
    layout.samples = "columns"
    layout.evidence = "It is a series matrix of GEO, with one sample a column."
    for text in texts:
        cells = _cells(text, "\t")
        if len(cells) != width or not text.startswith("!Sample_"):
            continue
        name, pairs = cells[0].removeprefix("!Sample_"), [cell.split(": ", 1) for cell in cells[1:]]
        if name.startswith("characteristics") and all(len(pair) == 2 for pair in pairs):
            name, cells = pairs[0][0], ["", *(pair[1] for pair in pairs)]
        elif name not in ("title", "source_name_ch1"):
            continue
        layout.label_rows.append((name, ["", *cells[1:]]))


def _perseus(layout: Layout, comments: Sequence[Line], width: int) -> None:
    """Read the rows of Perseus below its header: types of columns, and groups of samples."""
    for line in comments:
        match = _PERSEUS_ROW.match(line.text)
        cells = _cells(line.text, layout.separator)
        if match is None or len(cells) != width:
            continue
        cells[0] = cells[0].partition("}")[2]
        if match["name"] == "Type":
            layout.declared |= {
                place: "text" for place, cell in enumerate(cells) if cell in ("T", "C", "N", "M")
            }
            layout.samples = "columns"
            layout.evidence = "It is a table of Perseus, with one sample a column."
        else:
            layout.label_rows.append((match["name"].partition(":")[2] or match["name"], cells))


def _marks(layout: Layout, comments: Sequence[str]) -> None:
    """See what comments say of the program that wrote the table."""
    header = [cell.strip() for cell in layout.names or layout.first_row]
    if any("featureCounts" in comment for comment in comments):
        layout.samples = "columns"
        layout.evidence = "It is a table of featureCounts, with one sample a column."
        layout.declared |= {0: "name"} | dict.fromkeys(range(1, 6), "text")
    elif any("biom file" in comment for comment in comments):
        layout.samples = "columns"
        layout.evidence = "It is a table of QIIME, with one sample a column."
        layout.declared |= {0: "name"}
    else:
        return
    layout.names, layout.first_row = layout.names or header, []
