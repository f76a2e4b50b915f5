r"""Tables and text as LaTeX that pdfLaTeX, LuaLaTeX and XeLaTeX compile.

The output is ASCII but for signs that pdfLaTeX has no form for. A table needs
``\usepackage{booktabs}``, and ``\usepackage{graphicx}`` where one of its columns alone is wider
than the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final

import pandas as pd

from cspca.evaluation.tables import Strong

_TEXT: Final = (
    {sign: rf"\{sign}" for sign in "&%$#_"}
    # BibTeX counts braces, also behind a backslash.
    | {"{": r"\textbraceleft{}", "}": r"\textbraceright{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "`": r"\textasciigrave{}"}
    | {"\u00a0": "~", "\u202f": r"\,", "\u2009": r"\,", "–": "--", "—": "---", "…": r"\ldots{}"}
    | {"‘": "`{}", "’": "'{}", "“": "``{}", "”": "''{}", "•": r"\textbullet{}", "·": r"$\cdot$"}
    | {"ß": r"\ss{}", "ø": r"\o{}", "Ø": r"\O{}", "æ": r"\ae{}", "Æ": r"\AE{}", "ł": r"\l{}"}
    | {"Ł": r"\L{}", "œ": r"\oe{}", "Œ": r"\OE{}", "ı": r"\i{}", "¿": "?`{}", "¡": "!`{}"}
    | {"§": r"\S{}", "¶": r"\P{}", "†": r"\dag{}", "‡": r"\ddag{}", "©": r"\copyright{}"}
    | {"®": r"\textregistered{}", "£": r"\pounds{}", "€": r"\texteuro{}", "¥": r"\textyen{}"}
    | {"°": r"\textdegree{}", "℃": r"\textdegree{}C", "‰": r"\textperthousand{}"}
    | {"\u2010": "-", "\u2011": "-", "\u2212": "$-$", "⁄": "/", "′": "$'$", "″": "$''$"}
)

_T1: Final = (
    {"ð": "dh", "Ð": "DH", "þ": "th", "Þ": "TH", "đ": "dj", "Đ": "DJ", "ŋ": "ng", "Ŋ": "NG"}
    | {"«": "guillemotleft", "»": "guillemotright", "‹": "guilsinglleft", "›": "guilsinglright"}
    | {"„": "quotedblbase", "‚": "quotesinglbase", '"': "textquotedbl"}
)
"""Signs of the encoding T1, which the kernel of LaTeX knows without a package."""

_MATHEMATICS: Final = (
    {"±": "pm", "∓": "mp", "×": "times", "÷": "div", "≈": "approx", "≤": "leq", "≥": "geq"}
    | {"≠": "neq", "≡": "equiv", "∼": "sim", "≃": "simeq", "≅": "cong", "∝": "propto"}
    | {"≪": "ll", "≫": "gg", "∞": "infty", "∂": "partial", "∇": "nabla", "∑": "sum"}
    | {"∏": "prod", "∫": "int", "∈": "in", "∉": "notin", "∋": "ni", "⊂": "subset", "⊆": "subseteq"}
    | {"∩": "cap", "∪": "cup", "∅": "emptyset", "∀": "forall", "∃": "exists", "¬": "neg"}
    | {"∧": "wedge", "∨": "vee", "⊕": "oplus", "⊗": "otimes", "⊥": "perp", "∥": "parallel"}
    | {"‖": "|", "∣": "mid", "∗": "ast", "∘": "circ", "⋅": "cdot", "⋯": "cdots", "√": "surd"}
    | {"←": "leftarrow", "→": "rightarrow", "↔": "leftrightarrow", "↑": "uparrow"}
    | {"↓": "downarrow", "⇐": "Leftarrow", "⇒": "Rightarrow", "⇔": "Leftrightarrow"}
    | {"⇌": "rightleftharpoons", "ℓ": "ell", "ℏ": "hbar", "ℜ": "Re", "ℑ": "Im", "µ": "mu"}
    | {"ϕ": "phi", "ϑ": "vartheta", "ϵ": "epsilon"}
    | {"ς": "varsigma", "ο": "mathrm{o}", "△": "triangle", "∠": "angle", "★": "star"}
)

_ACCENTS: Final = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0323": "d",
    "\u0327": "c",
    "\u0331": "b",
}

_RAISED: Final = {"<super>": "textsuperscript", "<sub>": "textsubscript"}

_LIGATURES: Final = re.compile(r"(?<=-)-|(?<=')'|(?<=,),")

_TEXT_WIDTH: Final = 345.0
"""Width of the text of the class article, in points."""

_TEXT_HEIGHT: Final = 500.0
"""Height of a page of it, less some lines for a caption, in points."""

_SIZE: Final = 9.0
"""Size of the letters of a table, ``\\small``, in points."""

_GAP: Final = 12.0
"""Space between two columns, in points."""

_WRAPPED: Final = 40
"""Characters of a cell from which its column is a paragraph."""


def escape_latex(text: str) -> str:
    """Return text as LaTeX prints it, on one line.

    Signs that pdfLaTeX has no form for stand for themselves where LuaLaTeX or XeLaTeX compiles, and
    are printed as ``[U+4E2D]`` by pdfLaTeX.
    """
    text = unicodedata.normalize("NFC", " ".join(text.split()))
    parts = [_run(kind, "".join(signs)) for kind, signs in groupby(text, _kind)]
    return "".join(parts)


def _kind(sign: str) -> str:
    """Return how a sign is printed: raised, lowered, by its own form, or by none."""
    kind = unicodedata.decomposition(sign).partition(" ")[0]
    if kind in _RAISED and sign not in _TEXT:
        return kind
    return "known" if _form(sign) is not None else "unknown"


def _run(kind: str, signs: str) -> str:
    """Return signs of one kind as LaTeX."""
    if kind in _RAISED:
        return rf"\{_RAISED[kind]}{{{escape_latex(unicodedata.normalize('NFKC', signs))}}}"
    if kind == "unknown":
        numbers = " ".join(f"U+{ord(sign):04X}" for sign in signs)
        return rf"\ifdefined\Umathchar {signs}\else[{numbers}]\fi{{}}"
    # Two of them would become one longer or rounder sign.
    forms = [_form(sign) or "" for sign in _LIGATURES.sub(lambda m: "\ue000" + m[0], signs)]
    return "".join(forms)


def _form(sign: str) -> str | None:
    """Return how LaTeX prints a sign; None where pdfLaTeX has no form for it."""
    if sign == "\ue000":
        return "{}"
    if sign in _TEXT:
        return _TEXT[sign]
    if sign in _T1:
        return rf"\UseTextSymbol{{T1}}{{\{_T1[sign]}}}"
    if sign in _MATHEMATICS:
        return rf"$\{_MATHEMATICS[sign]}$"
    if sign.isascii():
        return sign if sign.isprintable() else ""
    if unicodedata.category(sign) in ("Cf", "Cc", "Mn"):
        return ""
    return _greek(sign) or _accented(sign)


def _greek(sign: str) -> str | None:
    """Return a plain letter of Greek."""
    words = unicodedata.name(sign, "").split()
    if len(words) != 4 or words[0] != "GREEK" or words[2] != "LETTER":
        return None
    name = "lambda" if words[3] == "LAMDA" else words[3].lower()
    if words[1] == "SMALL":
        return rf"$\{name}$"
    if name in ("gamma", "delta", "theta", "lambda", "xi", "pi", "sigma", "phi", "psi", "omega"):
        return rf"$\{name.capitalize()}$"
    if name == "upsilon":
        return r"$\Upsilon$"
    latin = {"eta": "H", "rho": "P", "chi": "X"}.get(name, name[:1].upper())
    return rf"$\mathrm{{{latin}}}$"


def _accented(sign: str) -> str | None:
    """Return a letter with an accent, or a sign that stands for others."""
    kind, *points = unicodedata.decomposition(sign).split() or [""]
    if kind.startswith("<"):
        meant = [_form(chr(int(point, 16))) for point in points]
    elif points:
        base, accent = (chr(int(point, 16)) for point in (kind, points[0]))
        letter = {"i": r"\i", "j": r"\j"}.get(base) or _form(base)
        if letter is None:
            return None
        if accent == "\u0328":
            return rf"\UseTextAccent{{T1}}{{\k}}{{{letter}}}"
        return rf"\{_ACCENTS[accent]}{{{letter}}}" if accent in _ACCENTS else None
    else:
        meant = [_form(chr(int(kind, 16)))] if kind else [None]
    return None if None in meant else "".join(form or "" for form in meant)


def to_latex(frame: pd.DataFrame, *, caption: str = "") -> str:
    r"""Write a table of text as LaTeX; needs ``\usepackage{booktabs}``.

    All is escaped here, and only here. The first column names the row, :class:`Strong` cells are
    bold, columns of two levels stand in groups, and ``frame.attrs["note"]`` is printed below.
    A table that is wider than the text is printed in parts, which repeat the first column; one that
    is higher than a page is printed as several. Where a column alone is wider than the text, it is
    scaled down, by the package graphicx. In a document of two columns a table stands across both.
    """
    note = frame.attrs.get("note", "")
    below = rf"{{\footnotesize {escape_latex(note)}\par}}" if note else ""
    pages = [*_pages(frame)]
    tables = []
    for number, parts in enumerate(pages, start=1):
        title = escape_latex(caption)
        if len(pages) > 1:
            title += f" Part {number} of {len(pages)}."
        lines = [r"\begin{table*}", r"\centering", r"\small"]
        lines += [rf"\caption{{{title.strip()}}}"] if title else []
        lines += ["\n\\par\\medskip\n".join(map(_tabular, parts))]
        if below and number == len(pages):
            lines += [r"", r"\smallskip", below]
        tables.append("\n".join([*lines, r"\end{table*}", ""]))
    return "\n".join(tables)


def _pages(frame: pd.DataFrame) -> Iterator[list[pd.DataFrame]]:
    """Cut a table into parts as wide as the text, and put as many on a page as it holds."""
    page: list[pd.DataFrame] = []
    height = 0.0
    for rows in _row_groups(frame):
        for columns in _column_groups(frame):
            part = frame.iloc[rows, columns]
            needed = sum(map(_lines, part.itertuples(index=False))) * 11.0 + 40.0
            if page and height + needed > _TEXT_HEIGHT:
                yield page
                page, height = [], 0.0
            page.append(part)
            height += needed
    if page:
        yield page


def _row_groups(frame: pd.DataFrame) -> Iterator[slice]:
    """Cut the rows into parts that a page holds with their heads."""
    most = int((_TEXT_HEIGHT - 40.0) / 11.0)
    start, used = 0, 0
    for number, row in enumerate(frame.itertuples(index=False)):
        needed = _lines(row)
        if used and used + needed > most:
            yield slice(start, number)
            start, used = number, 0
        used += needed
    yield slice(start, len(frame))


def _lines(row: Any) -> int:
    """Return how many lines a row takes, by its longest cell."""
    return max((1 + len(str(cell)) // _WRAPPED for cell in row), default=1)


def _column_groups(frame: pd.DataFrame) -> list[list[int]]:
    """Return the columns of each part; groups of two levels stay together where they fit."""
    widths = [_width(frame, column) + _GAP for column in range(frame.shape[1])]
    levels = [
        label[0] if isinstance(label, tuple) else column for column, label in enumerate(frame)
    ]
    blocks = [[column for column, _ in block] for _, block in groupby(
        list(enumerate(levels))[1:], key=lambda pair: pair[1]
    )]  # fmt: skip
    room = _TEXT_WIDTH - widths[0]
    groups: list[list[int]] = [[0]]
    for block in blocks:
        whole = sum(widths[column] for column in block) <= room
        for piece in [block] if whole else [[column] for column in block]:
            used = sum(widths[column] for column in groups[-1][1:])
            if len(groups[-1]) > 1 and used + sum(widths[column] for column in piece) > room:
                groups.append([0])
            groups[-1] += piece
    return groups


def _width(frame: pd.DataFrame, column: int) -> float:
    """Estimate the width of a column from above, in points."""
    label = frame.columns[column]
    heads = [label[-1]] if isinstance(label, tuple) else [label]
    texts = [str(text) for text in (*heads, *frame.iloc[:, column])]
    longest = max(map(_text_width, texts))
    if not _is_wrapped(frame, column):
        return longest
    longest_word = max(_text_width(word) for text in texts for word in text.split() or [""])
    return max(min(longest, 0.45 * _TEXT_WIDTH), longest_word)


def _is_wrapped(frame: pd.DataFrame, column: int) -> bool:
    """Whether a column holds sentences, which are printed in several lines."""
    texts = [str(text) for text in frame.iloc[:, column]]
    return any(len(text) > _WRAPPED and " " in text for text in texts)


def _text_width(text: str) -> float:
    """Estimate the width of text in bold letters of Computer Modern, from above, in points."""
    wide = sum(sign in "mwMWQOG%@±×−—≈&" or ord(sign) > 0x2FFF for sign in text)
    narrow = sum(sign in " .,:;'|!iljtI()[]" for sign in text)
    capital = sum(sign.isupper() for sign in text)
    return _SIZE * (0.58 * len(text) + 0.42 * wide - 0.2 * narrow + 0.22 * capital)


def _tabular(part: pd.DataFrame) -> str:
    """Write one part of a table, scaled down where it is wider than the text."""
    printed = part.map(_cell).rename(columns=_cell).reset_index(drop=True)
    for column in range(part.shape[1]):
        if _is_wrapped(part, column):
            opening = rf"\parbox[t]{{{_width(part, column):.0f}pt}}{{\raggedright "
            cells = [f"{opening}{text}\\strut}}" for text in printed.iloc[:, column]]
            printed.isetitem(column, cells)
    text: str = printed.style.hide(axis="index").to_latex(
        column_format="l" + "r" * (part.shape[1] - 1), hrules=True, multicol_align="c"
    )
    total = sum(_width(part, column) + _GAP for column in range(part.shape[1]))
    if total <= _TEXT_WIDTH + 2 * _GAP:
        return text.strip()
    return f"\\resizebox{{\\linewidth}}{{!}}{{%\n{text.strip()}}}"


def _cell(cell: Any) -> str:
    text = escape_latex(str(cell))
    if text.startswith(("[", "*")):
        # The end of the row above would take it as its own option.
        text = f"{{{text[0]}}}{text[1:]}"
    return rf"\textbf{{{text}}}" if isinstance(cell, Strong) else text
