"""What every Plotly figure has in common: its question, its text alternative, ink, type, margins.

Plotly reads a little HTML, TeX between dollar signs, and entities in every text that it draws.
Names come from files and are never markup: every text goes through `escape`.

Plotly is imported when the first figure is made: the first page opens without it.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape as escape_html
from html import unescape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cspca.figures.colours import IMPORTANCE, contrast, hex_to_rgb, rgb_to_hex, to_rgb

if TYPE_CHECKING:
    import plotly.graph_objects as go

FONT = '"Source Sans", "Source Sans Pro", "Segoe UI", "Helvetica Neue", Arial, sans-serif'
SIZE = 14
SMALL = 12
CLEAR = "rgba(0,0,0,0)"

_BAR = 56
"""Pixels that a scale of colours takes above the plot."""

HEAD = 34
"""Pixels that the title of a figure takes at its top."""

IN_LEGEND = 17
"""Characters of a name that an entry of a legend has room for."""

LONGEST = 22
"""Characters of a name that a chart has room for on a phone; the full name shows on hover."""


class Palette(NamedTuple):
    """Colours of everything that is not data: text, captions, grid lines, and the page behind."""

    ink: str
    quiet: str
    line: str
    page: str


# Pages as in .streamlit/config.toml.
LIGHT = Palette("#1f2730", "#4b5563", "#d5d9df", "#ffffff")
DARK = Palette("#e6e9ed", "#b3bac4", "#343b45", "#12161c")


def palette(dark: bool) -> Palette:
    """Give the colours of the light or of the dark page."""
    return DARK if dark else LIGHT


def figure(
    title: str, alt: str, *, dark: bool, height: int, above: int = 0, bar: bool = False
) -> go.Figure:
    """Start a figure: clear background, the house's type, as wide as its container.

    `title` is its question, `alt` the answer in words; `height` is without the title, `above` for a
    legend above the plot; `bar` leaves room for a scale of colours there.
    """
    import plotly.graph_objects as go

    look = palette(dark)
    drawn: go.Figure = go.Figure()
    drawn.update_layout(
        template="none",
        meta={"alt": alt},
        title={
            "text": escape(title),
            "font": {"size": 16, "weight": 600, "color": look.ink},
            "x": 0,
            "xanchor": "left",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            # Plotly lifts a title by this much where a scale of colours lies below it.
            "pad": {"t": 34 if bar else 8, "l": 8},
        },
        height=height + HEAD,
        autosize=True,
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        font={"family": FONT, "size": SIZE, "color": look.ink},
        margin={"l": 8, "r": 8, "t": 8 + HEAD + (_BAR if bar else above), "b": 50, "pad": 0},
        hoverlabel={
            "bgcolor": look.page,
            "bordercolor": look.quiet,
            "font": {"family": FONT, "size": SIZE, "color": look.ink},
            "align": "left",
        },
        hovermode="closest",
        # A finger that meets the chart scrolls the page.
        dragmode=False,
        showlegend=False,
        modebar={"bgcolor": CLEAR, "color": look.quiet, "activecolor": look.ink},
    )
    return drawn


def take_title(drawn: go.Figure) -> str:
    """Take the title off a figure, for a page that writes it as a heading of its own."""
    title = unescape(drawn.layout.title.text or "")
    if title:
        margin, height = drawn.layout.margin, drawn.layout.height
        drawn.update_layout(title_text=None, height=height - HEAD, margin_t=margin.t - HEAD)
    return title


def axis(dark: bool, title: str = "", *, grid: bool = True, **more: Any) -> dict[str, Any]:
    """Give an axis: quiet labels, thin grid, no zoom by accident, room for its labels."""
    look = palette(dark)
    return {
        "title": {
            "text": escape(title),
            "font": {"size": SIZE, "color": look.ink},
            "standoff": 10,
        },
        "tickfont": {"size": SMALL, "color": look.quiet},
        "showgrid": grid,
        "gridcolor": look.line,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "ticklabelstandoff": 3,
        "automargin": True,
        "fixedrange": True,
    } | more


def named_axis(dark: bool, names: list[str], **more: Any) -> dict[str, Any]:
    """Give an axis of one place a name, 0, 1, …"""
    ticks = {"tickmode": "array", "tickvals": list(range(len(names))), "ticktext": names}
    return axis(dark, grid=False, **(ticks | more))


def colour_bar(dark: bool, title: str, **more: Any) -> dict[str, Any]:
    """Give the scale of colours, lying above the figure, where it takes no width on a phone."""
    look = palette(dark)
    return {
        "orientation": "h",
        "title": {
            "text": escape(title),
            "side": "top",
            "font": {"size": SIZE, "color": look.ink},
        },
        "tickfont": {"size": SMALL, "color": look.quiet},
        "thickness": 10,
        "outlinewidth": 0,
        "x": 0,
        "xanchor": "left",
        "y": 1,
        "yanchor": "bottom",
        "ypad": 6,
        "xpad": 0,
        "len": 1,
    } | more


def legend_below(dark: bool) -> dict[str, Any]:
    """Give a legend at the foot of the figure: two columns on a phone, four on a laptop."""
    return {
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        "xref": "container",
        "y": 0,
        "yanchor": "bottom",
        "yref": "container",
        "font": {"size": SMALL, "color": palette(dark).ink},
        "bgcolor": CLEAR,
        "itemwidth": 30,
        # Names are cut to what an entry has room for, in the font that a saved picture falls back
        # to as well.
        "entrywidth": 100,
        "entrywidthmode": "pixels",
        # Never cut off behind a scroll bar.
        "maxheight": 1000,
        "traceorder": "normal",
    }


def legend_key(drawn: go.Figure, name: str, **look: Any) -> None:
    """Add an entry to the legend that stands for no curve."""
    drawn.add_scatter(
        x=[None], y=[None], name=name, hoverinfo="skip", showlegend=True, **look
    )  # fmt: skip


def add_cells(
    drawn: go.Figure,
    values: NDArray[np.float64],
    ends: tuple[float, float],
    printed: Callable[[int, int], str],
    *,
    size: int,
    dark: bool,
    **heat: Any,
) -> dict[tuple[int, int], str]:
    """Draw a heatmap with a text on each cell; return the legible ink of each (column, row)."""
    low, high = ends
    gaps = {"xgap": 1, "ygap": 1, "zmin": low, "zmax": high}
    drawn.add_heatmap(z=values, colorscale=colour_scale(), **gaps, **heat)
    inks = {
        (x, y): ink_on(rgb_to_hex(to_rgb(value, IMPORTANCE, low, high)))
        if np.isfinite(value)
        else palette(dark).quiet
        for (y, x), value in np.ndenumerate(values)
    }
    # One trace an ink: a click dims what is not selected, unless each trace says its one colour.
    for ink in sorted(set(inks.values())):
        own = [cell for cell, colour in inks.items() if colour == ink]
        drawn.add_scatter(
            x=[x for x, _ in own],
            y=[y for _, y in own],
            mode="text",
            text=[printed(*cell) for cell in own],
            textfont={"color": ink, "size": size},
            unselected={"textfont": {"color": ink}},
            hoverinfo="skip",
            showlegend=False,
            cliponaxis=False,
        )
    return inks


def escape(text: str) -> str:
    """Make a text harmless: Plotly shows it as it is, in one line."""
    # Direction marks would turn round what stands beside them.
    seen = "".join(c if c.isprintable() else " " for c in text)
    return escape_html(seen).replace("$", "&#36;").replace("&#x27;", "&#39;")


def short(text: str, longest: int = LONGEST) -> str:
    """Cut a name to what there is room for, then make it harmless."""
    return escape(text if len(text) <= longest else text[: longest - 1].rstrip() + "…")


def see_through(colour: str, opacity: float) -> str:
    """Write ``#rrggbb`` as a colour of CSS with an opacity."""
    red, green, blue = (int(v) for v in hex_to_rgb(colour))
    return f"rgba({red},{green},{blue},{opacity:g})"


def ink_on(colour: str) -> str:
    """Choose black or white text for a surface: at least 4.5:1 on any."""
    return max(("#ffffff", "#000000"), key=lambda text: contrast(text, colour))


def colour_scale() -> list[list[Any]]:
    """Give the map of importance as Plotly's list of [share, colour]."""
    return [[at / 255, rgb_to_hex(IMPORTANCE[at])] for at in range(0, 256, 3)]
