"""What a report is made of: each block writes its own HTML, and escapes all that it is given."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Protocol

from cspca.figures.pictures import Picture, data_uri
from cspca.figures.style import take_title

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = [
    "Block",
    "Chart",
    "Code",
    "Drawing",
    "Facts",
    "Images",
    "Notice",
    "Row",
    "Section",
    "Stack",
    "Table",
    "Words",
]


class Block(Protocol):
    """One thing in a report."""

    def html(self) -> str:
        """Its HTML."""

    @property
    def charts(self) -> tuple[Chart, ...]:
        """Those in it, which need Plotly."""


@dataclass(frozen=True)
class _Still:
    """A block without charts."""

    @property
    def charts(self) -> tuple[Chart, ...]:
        """None."""
        return ()


@dataclass(frozen=True)
class Words(_Still):
    """A paragraph.

    Attributes
    ----------
    text : str
    small : bool
        A caption.
    """

    text: str
    small: bool = False

    def html(self) -> str:
        """Its HTML."""
        kind = ' class="small"' if self.small else ""
        return f"<p{kind}>{escape(self.text)}</p>"


@dataclass(frozen=True)
class Notice(_Still):
    """A sentence that must not be missed.

    Attributes
    ----------
    text : str
    """

    text: str

    def html(self) -> str:
        """Its HTML."""
        return f'<p class="notice">{escape(self.text)}</p>'


@dataclass(frozen=True)
class Facts(_Still):
    """Names and what they are.

    Attributes
    ----------
    pairs : sequence of (str, str)
    large : bool
        As large numbers beside each other, the answer of the report.
    """

    pairs: Sequence[tuple[str, str]]
    large: bool = False

    def html(self) -> str:
        """Its HTML."""
        kind = "numbers" if self.large else "facts"
        lines = "".join(
            f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
            for name, value in self.pairs
        )
        return f'<dl class="{kind}">{lines}</dl>'


@dataclass(frozen=True)
class Table(_Still):
    """A table; the first column is text, the others are numbers.

    Attributes
    ----------
    heads : sequence of str
    rows : sequence of sequence of str
    bold : sequence of bool, optional
        Rows that stand out.
    caption : str
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    bold: Sequence[bool] = ()
    caption: str = ""

    def html(self) -> str:
        """Its HTML."""
        strong = [*self.bold, *[False] * (len(self.rows) - len(self.bold))]
        head = "".join(f'<th scope="col">{escape(one)}</th>' for one in self.heads)
        body = "".join(
            ('<tr class="best">' if bold else "<tr>")
            + "".join(
                f'<th scope="row">{escape(cell)}</th>' if at == 0 else f"<td>{escape(cell)}</td>"
                for at, cell in enumerate(row)
            )
            + "</tr>"
            for row, bold in zip(self.rows, strong, strict=True)
        )
        caption = f"<caption>{escape(self.caption)}</caption>" if self.caption else ""
        return (
            f'<div class="scroll"><table>{caption}<thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>"
        )


@dataclass(frozen=True)
class Code(_Still):
    """Lines of Python.

    Attributes
    ----------
    source : str
    """

    source: str

    def html(self) -> str:
        """Its HTML."""
        return f'<pre tabindex="0"><code>{escape(self.source)}</code></pre>'


@dataclass(frozen=True)
class Images(_Still):
    """Pictures beside each other.

    Attributes
    ----------
    shown : sequence of (picture, alternative text, caption)
        Pictures as in :mod:`cspca.figures.pictures`.
    large : bool
        As wide as there is room.
    """

    shown: Sequence[tuple[Picture, str, str]]
    large: bool = False

    def html(self) -> str:
        """Its HTML."""
        figures = "".join(
            f'<figure><img src="{data_uri(picture)}" alt="{escape(alt)}" '
            f'width="{picture.shape[1]}" height="{picture.shape[0]}">'
            f"<figcaption>{escape(caption)}</figcaption></figure>"
            for picture, alt, caption in self.shown
        )
        kind = "images large" if self.large else "images"
        return f'<div class="{kind}">{figures}</div>'


@dataclass(frozen=True)
class Drawing(_Still):
    """An SVG of ours, once for light and once for dark paper.

    Attributes
    ----------
    light, dark : str
        Written by :mod:`cspca.figures`, which escapes the names in it.
    """

    light: str
    dark: str

    def html(self) -> str:
        """Its HTML."""
        return (
            f'<div class="drawing"><div class="on-light">{self.light}</div>'
            f'<div class="on-dark">{self.dark}</div></div>'
        )


@dataclass(frozen=True)
class Chart:
    """A figure of Plotly's, drawn by the reader's browser.

    Attributes
    ----------
    name : str
        Short, of letters, digits and dashes; unique in the report, and the end of the name of its
        picture.
    draw : callable
        Given whether the page is dark, makes the figure.
    title, caption : str
    """

    name: str
    draw: Callable[[bool], go.Figure]
    title: str = ""
    caption: str = ""

    @property
    def charts(self) -> tuple[Chart, ...]:
        """Itself."""
        return (self,)

    def html(self) -> str:
        """Its HTML, with the figure for both papers."""
        light, dark = self.draw(False), self.draw(True)
        for figure in (light, dark):
            take_title(figure)
        alt = light.layout.meta["alt"]
        height = int(light.layout.height or 360)
        title = f"<h3>{escape(self.title)}</h3>" if self.title else ""
        caption = f"<figcaption>{escape(self.caption)}</figcaption>" if self.caption else ""
        what = escape(self.title or self.name)
        saves = "".join(
            f'<button type="button" data-save="{kind}" aria-label="{what} as {kind.upper()}">'
            f"{kind.upper()}</button>"
            for kind in ("png", "svg")
        )
        return (
            f'<figure class="chart" data-name="{escape(self.name)}">'
            f'<div class="over">{title}<span class="saves">{saves}</span></div>'
            f'<div class="plot" role="img" aria-label="{escape(alt)}" '
            f'style="height:{height}px"></div>{caption}'
            f'<script type="application/json">{_json(light, dark)}</script></figure>'
        )


@dataclass(frozen=True)
class Stack:
    """Blocks below each other, as one.

    Attributes
    ----------
    blocks : sequence of Block
    """

    blocks: Sequence[Block]

    @property
    def charts(self) -> tuple[Chart, ...]:
        """Those of its blocks."""
        return tuple(chart for block in self.blocks for chart in block.charts)

    def html(self) -> str:
        """Its HTML."""
        return "\n".join(block.html() for block in self.blocks)


@dataclass(frozen=True)
class Row:
    """Blocks beside each other, where there is room.

    Attributes
    ----------
    blocks : sequence of Block
    """

    blocks: Sequence[Block]

    @property
    def charts(self) -> tuple[Chart, ...]:
        """Those of its blocks."""
        return tuple(chart for block in self.blocks for chart in block.charts)

    def html(self) -> str:
        """Its HTML."""
        cells = "".join(f"<div>{one.html()}</div>" for one in self.blocks)
        return f'<div class="row">{cells}</div>'


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it.

    Attributes
    ----------
    title : str
    blocks : sequence of Block
    """

    title: str
    blocks: Sequence[Block] = field(default=())

    @property
    def charts(self) -> tuple[Chart, ...]:
        """Those of its blocks."""
        return tuple(chart for block in self.blocks for chart in block.charts)

    def html(self) -> str:
        """Its HTML."""
        inner = "\n".join(block.html() for block in self.blocks)
        return f"<section>\n<h2>{escape(self.title)}</h2>\n{inner}\n</section>"


def _json(light: go.Figure, dark: go.Figure) -> str:
    """Write both figures so that nothing in them can end the script that holds them."""
    found: dict[str, Any] = {
        "light": json.loads(light.to_json()),
        "dark": json.loads(dark.to_json()),
    }
    text = json.dumps(found, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
