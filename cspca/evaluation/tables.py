"""Tables as files for spreadsheets, safe against hostile names."""

from __future__ import annotations

from typing import Any

import pandas as pd

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


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


def _harmless(value: Any) -> Any:
    """Quote text that a spreadsheet would run as a formula."""
    if not isinstance(value, str):
        return value
    # A carriage return is not put in quotes, and some programs begin a line at it.
    quoted = "'" + value if value.startswith(_FORMULA) else value
    return quoted.replace("\r\n", "\n").replace("\r", "\n")
