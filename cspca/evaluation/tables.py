"""Tables as text for other programs, CSV and LaTeX, safe against hostile names.

Every file of the program is written by these two functions, so what a spreadsheet would run and
what LaTeX would obey is made harmless in one place.
"""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
"""Text that a spreadsheet runs, and text that would be read as such behind an apostrophe."""

_SIGNS = {"±": "pm", "×": "times", "≈": "approx", "α": "alpha", "β": "beta", "ρ": "rho"}

_LATEX = str.maketrans(
    {sign: rf"\{sign}" for sign in "&%$#_{}"}
    | {sign: rf"$\{name}$" for sign, name in _SIGNS.items()}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"−": "$-$", "–": "--", "\n": " ", "\r": " "}
)

_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


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
    quoted = "'" + value if _FORMULA.match(value) else value
    return quoted.replace("\r\n", "\n").replace("\r", "\n")


def escape_latex(text: str) -> str:
    """Text as LaTeX prints it, on one line; signs and powers of ten become mathematics."""
    escaped = text.translate(_LATEX)
    return re.sub("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda m: f"$^{{{m[0].translate(_RAISED)}}}$", escaped)


def to_latex(frame: pd.DataFrame, *, caption: str = "") -> str:
    r"""Write a table of text as LaTeX; needs ``\usepackage{booktabs}``.

    All is escaped here, and only here. The first column names the row, :class:`Strong` cells are
    bold, columns of two levels stand in groups, and ``frame.attrs["note"]`` is printed below.
    """
    printed = frame.map(_cell).rename(columns=_cell).reset_index(drop=True)
    text: str = printed.style.hide(axis="index").to_latex(
        caption=escape_latex(caption) or None,
        column_format="l" + "r" * (frame.shape[1] - 1),
        hrules=True,
        multicol_align="c",
        position_float="centering",
    )
    if note := frame.attrs.get("note", ""):
        below = "", r"\smallskip", rf"{{\footnotesize {escape_latex(note)}}}", r"\end{table}"
        text = text.replace(r"\end{table}", "\n".join(below))
    return text


def _cell(cell: Any) -> str:
    text = escape_latex(str(cell))
    return rf"\textbf{{{text}}}" if isinstance(cell, Strong) else text
