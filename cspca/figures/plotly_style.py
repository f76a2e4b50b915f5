"""What every Plotly figure of the house has in common: ink, type, margins, and harmless text.

Plotly reads a little HTML, TeX between dollar signs, and entities in every text that it draws.
Names come from files and are never markup: every text goes through `escape`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape as escape_html
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from cspca.figures.colours import IMPORTANCE, RGB, contrast, hex_to_rgb, rgb_to_hex
from cspca.figures.vega import ink, quiet

FONT = '"Source Sans", "Source Sans Pro", "Segoe UI", "Helvetica Neue", Arial, sans-serif'
SIZE = 14
SMALL = 12
CLEAR = "rgba(0,0,0,0)"

IN_LEGEND = 17
"""Characters of a name that an entry of a legend has room for."""

LONGEST = 22
"""Characters of a name that a chart has room for on a phone; the full name shows on hover."""


@dataclass(frozen=True)
class Palette:
    """Colours of everything that is not data, as ``#rrggbb``.

    Attributes
    ----------
    ink : str
        Text.
    quiet : str
        Captions, tick labels, error bars.
    line : str
        Grid lines.
    page : str
        The page behind the figure, for halos and hover labels; figures themselves are clear.
    """

    ink: str
    quiet: str
    line: str
    page: str


# Pages as in .streamlit/config.toml.
_PAPER = {False: ("#d5d9df", "#ffffff"), True: ("#343b45", "#12161c")}


def palette(dark: bool) -> Palette:
    """Give the colours of the light or of the dark page."""
    line, page = _PAPER[dark]
    return Palette(ink(dark), quiet(dark), line, page)


def figure(dark: bool, height: int) -> go.Figure:
    """Start a figure: clear background, the house's type, no title, as wide as its container.

    Parameters
    ----------
    dark : bool
        Whether the page is dark.
    height : int
        Height in pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        On a page with a theme of its own, show it with that theme turned off
        (``st.plotly_chart(figure, theme=None)``): colours and type are its own.
    """
    look = palette(dark)
    drawn: go.Figure = go.Figure()
    drawn.update_layout(
        template="none",
        height=height,
        autosize=True,
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        font={"family": FONT, "size": SIZE, "color": look.ink},
        margin={"l": 8, "r": 8, "t": 8, "b": 50, "pad": 0},
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


def axis(dark: bool, title: str = "", *, grid: bool = True, **more: Any) -> dict[str, Any]:
    """Give an axis: quiet labels, thin grid, no zoom by accident, room for its labels.

    Parameters
    ----------
    dark : bool
    title : str, default=""
        With the unit. Drawn as text, whatever is in it.
    grid : bool, default=True
    **more
        Further properties of a Plotly axis.

    Returns
    -------
    dict
    """
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
        # Names are cut to what an entry has room for.
        "entrywidth": 96,
        "entrywidthmode": "pixels",
        # Never cut off behind a scroll bar.
        "maxheight": 1000,
        "traceorder": "normal",
    }


def escape(text: str) -> str:
    """Make a text harmless: Plotly shows it as it is, in one line.

    Parameters
    ----------
    text : str
        Anything, such as a name from a file.

    Returns
    -------
    str
    """
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


def colour_scale(table: RGB = IMPORTANCE, steps: int = 64) -> list[list[Any]]:
    """Give a table of colours as Plotly's list of [share, colour]."""
    places = np.linspace(0, len(table) - 1, steps).round().astype(int)
    shares = np.linspace(0, 1, steps)
    return [[float(s), rgb_to_hex(table[p])] for s, p in zip(shares, places.tolist(), strict=True)]


def number(value: float | None, *, as_percent: bool, unit: bool = True) -> str:
    """Write a score: per cent with one decimal, or three significant digits.

    Parameters
    ----------
    value : float or None
        None and NaN are "not known".
    as_percent : bool
        Whether `value` is a fraction to be written in per cent.
    unit : bool, default=True
        Whether the sign of per cent is written.

    Returns
    -------
    str
    """
    if value is None or not math.isfinite(value):
        return "not known"
    if as_percent:
        return f"{_minus(f'{100 * value:.1f}')} %" if unit else _minus(f"{100 * value:.1f}")
    return _minus(f"{value:.3g}")


def spread(mean: float | None, std: float | None, *, as_percent: bool) -> str:
    """Write mean ± std with as many decimals in both, or the mean alone where there is no std."""
    if mean is None or std is None or not (known(mean) and known(std)):
        return number(mean, as_percent=as_percent)
    if not as_percent:
        return f"{_minus(f'{mean:.3f}')} ± {std:.3f}"
    first, second = (number(v, as_percent=True, unit=False) for v in (mean, std))
    return f"{first} ± {second}" + (" %" if as_percent else "")


def known(value: float | None) -> bool:
    """Whether a value is there and finite."""
    return value is not None and math.isfinite(value)


def floats(values: Sequence[float | None]) -> NDArray[np.float64]:
    """Give values as an array, NaN for None and for what is not finite."""
    array = np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    array[~np.isfinite(array)] = np.nan
    return array


def duration(seconds: float | None) -> str:
    """Write a time with a unit that suits it."""
    if seconds is None or not math.isfinite(seconds):
        return "not known"
    if seconds <= 0:
        return "0 s"
    if seconds < 1e-3:
        return "under 1 ms"
    if seconds < 0.0995:
        return f"{1e3 * seconds:.2g} ms"
    if seconds < 99.5:
        return f"{seconds:.2g} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{seconds / 3600:.2g} h"


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power(value: float) -> str:
    """Write a value of a grid briefly: 0.01 to 100 as they are, others as powers of ten."""
    if not math.isfinite(value):
        return "?"
    if value == 0 or 1e-2 <= abs(value) < 1e3:
        return _minus(f"{value:.3g}")
    mantissa, exponent = f"{value:.2e}".split("e")
    raised = "10" + str(int(exponent)).translate(_RAISED)
    factor = mantissa.rstrip("0").rstrip(".")
    return _minus(raised if factor == "1" else f"{factor}·{raised}")


def _minus(text: str) -> str:
    return text.replace("-", "−")
