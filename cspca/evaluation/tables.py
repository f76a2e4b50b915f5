"""Tables as files for spreadsheets, safe against hostile names."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Mapping
from datetime import datetime
from html import escape
from numbers import Integral, Real
from typing import Any, Final

import pandas as pd

_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
"""Text that a spreadsheet runs, and text that would be read as such behind an apostrophe."""

_MOST_ROWS: Final = 2**20 - 1
"""Rows of a sheet below its heads."""

_MOST_LETTERS: Final = 2**15 - 1
"""Letters of a cell."""

_MOST_OF_A_NAME: Final = 31
"""Letters of the name of a sheet."""


_USUAL_WIDTH: Final = 8
"""Width of a column in letters where nothing says it."""

_WIDEST: Final = 60
"""Width of the widest column in letters."""


class Strong(str):
    """Text that stands out in a table."""

    __slots__ = ()


def to_csv(frame: pd.DataFrame) -> str:
    """Write a table as CSV: all digits, nothing where nothing is known, no formulas."""
    safe = frame.rename(columns=_harmless)
    for at, dtype in enumerate(safe.dtypes):
        if dtype.kind not in "fiub":
            safe.isetitem(at, safe.iloc[:, at].map(_harmless))
    text: str = safe.to_csv(index=False, lineterminator="\n")
    return text


def unbroken(text: str) -> str:
    """Return text in which a number stays on one line with its spread."""
    return text.replace(" ± ", "\u00a0±\u00a0")


def _html_of(cell: Any) -> Any:
    """Return a cell as HTML, with :class:`Strong` text in bold; what is no text stays as it is."""
    if not isinstance(cell, str):
        return cell
    text = escape(unbroken(cell))
    return f"<b>{text}</b>" if isinstance(cell, Strong) else text


def to_html(frame: pd.DataFrame, title: str) -> str:
    """Write a table as a notebook shows it: at most thirty rows, below a title, above its note."""
    cells = frame.map(_html_of).rename(columns=_html_of)
    rows = cells.to_html(index=False, border=0, max_rows=30, na_rep="", escape=False)
    note = frame.attrs.get("note", "")
    below = f"\n<p><small>{escape(note)}</small></p>" if note else ""
    return f"<h4>{escape(title)}</h4>\n{rows}{below}"


class _AllDigits(float):
    """Number that is written with all its digits, where XlsxWriter would write 16 of them."""

    def __format__(self, _: str) -> str:
        return float.__repr__(self)


def to_xlsx(tables: Mapping[str, pd.DataFrame]) -> bytes:
    """Write an Excel workbook: a sheet a table, numbers as numbers and text as it is.

    No text becomes a formula, a number or a date, whatever the language of the spreadsheet. What is
    not known is an empty cell; a table of more than a million rows takes several sheets. Equal
    tables give equal bytes.
    """
    import xlsxwriter

    content = io.BytesIO()
    with xlsxwriter.Workbook(content, {"in_memory": True}) as workbook:
        workbook.set_properties({"created": datetime(2000, 1, 1)})
        bold = workbook.add_format({"bold": True, "text_wrap": True, "valign": "bottom"})
        taken: set[str] = set()
        for title, frame in tables.items():
            for start in range(0, max(len(frame), 1), _MOST_ROWS):
                sheet = workbook.add_worksheet(_sheet_name(title, taken))
                sheet.freeze_panes(1, 0)
                sheet.repeat_rows(0)
                for column, label in enumerate(frame.columns):
                    sheet.write_string(0, column, str(label), bold)
                    values = frame.iloc[start : start + _MOST_ROWS, column].tolist()
                    lengths = [len(value) for value in values if isinstance(value, str)]
                    # Heads are bold.
                    width = min(max([*lengths, len(str(label)) + 1]) + 1, _WIDEST)
                    if width > _USUAL_WIDTH:
                        # Wider text is cut at the next filled column, a wider head after two lines.
                        sheet.set_column(column, column, width)
                    for row, value in enumerate(values, start=1):
                        _write(sheet, row, column, value)
    return content.getvalue()


def _write(sheet: Any, row: int, column: int, value: Any) -> None:
    """Write a cell by the type of its value."""
    if value is None or value is pd.NA or value is pd.NaT or value != value:
        return
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, Integral) and abs(int(value)) >= 2**53:
        # A spreadsheet would round it.
        sheet.write_string(row, column, str(value))
    elif isinstance(value, Real) and math.isfinite(value):
        sheet.write_number(row, column, _AllDigits(value))
    elif str(value):
        sheet.write_string(row, column, str(value)[:_MOST_LETTERS])


def _sheet_name(title: str, taken: set[str]) -> str:
    """Return a name that Excel allows and that no other sheet has, whatever the case."""
    plain = " ".join(re.sub(r"[\[\]:*?/\\\x00-\x1f]", " ", title).split()).strip("'") or "Table"
    name, number = plain[:_MOST_OF_A_NAME].strip("' "), 1
    while name.lower() in taken or name.lower() == "history":
        number += 1
        mark = f" ({number})"
        name = plain[: _MOST_OF_A_NAME - len(mark)].strip("' ") + mark
    taken.add(name.lower())
    return name


def _harmless(value: Any) -> Any:
    """Quote text that a spreadsheet would run as a formula."""
    if not isinstance(value, str):
        return value
    # A carriage return is not put in quotes, and some programs begin a line at it.
    quoted = "'" + value if _FORMULA.match(value) else value
    return quoted.replace("\r\n", "\n").replace("\r", "\n")
