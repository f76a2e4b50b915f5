"""Colours of the studio, and what all Plotly figures share: title, template and text escaping.

Importance is viridis (CC0; S. van der Walt and N. Smith, SciPy 2015) without its darkest sixth,
which leaves room for one neutral colour, darker than all of the map and reserved for exact zeros.
The order "zero, weak, strong" then holds in print and for every kind of colour vision. The accent
is one of Okabe and Ito's colours; colours of methods and solvers are in their registries.

Plotly reads a little HTML, TeX between dollar signs, and entities in every text that it draws.
Names come from files and are never markup: every text goes through `escape`. The shared layout is
one template. A figure is drawn for the light page; `on_dark` recolours it.

Plotly is imported when the first figure is made: the first page opens without it.
"""

from __future__ import annotations

import json
import math
from base64 import b64decode
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from html import escape as escape_html
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import plotly.graph_objects as go

RGB = NDArray[np.uint8]

ACCENT = "#0072B2"  # CSPCA's colour, and that of controls
NEUTRAL = "#767c85"  # for baselines and captions: at least 4:1 on the light and on the dark page
ZERO = "#202226"  # for exact zeros, darker than every colour of the map


def hex_to_rgb(colour: str) -> RGB:
    """Read ``#rrggbb``."""
    return np.array(list(bytes.fromhex(colour.removeprefix("#"))), dtype=np.uint8)


def rgb_to_hex(rgb: ArrayLike) -> str:
    """Write three values of 0…255 as ``#rrggbb``."""
    red, green, blue = (int(v) for v in np.asarray(rgb).reshape(3))
    return f"#{red:02x}{green:02x}{blue:02x}"


def ramp(anchors: Sequence[str], start: float = 0.0) -> RGB:
    """Interpolate colours at equal steps, from the fraction `start` on; the table is read-only."""
    colours = np.array([hex_to_rgb(anchor) for anchor in anchors], dtype=np.float64)
    last = len(anchors) - 1
    at = np.linspace(start * last, last, 256)
    columns = [np.interp(at, np.arange(last + 1), colours[:, channel]) for channel in range(3)]
    table: RGB = np.round(np.stack(columns, axis=1)).astype(np.uint8)
    table.setflags(write=False)
    return table


# Tables of 256 colours. Weak to strong, violet to yellow: lightness rises steadily.
_VIRIDIS = (
    "#440154", "#482878", "#3e4989", "#31688e", "#26828e",
    "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725",
)  # fmt: skip
_VIRIDIS_START = 40 / 255
IMPORTANCE = ramp(_VIRIDIS, start=_VIRIDIS_START)
# Negative, blue, to positive, vermilion, over a light or a dark middle.
DIVERGING = ramp(("#00406e", "#0072b2", "#79b8de", "#f4f4f2", "#efa377", "#c8520a", "#7a2c00"))
DIVERGING_DARK = ramp(("#8fd0f7", "#3f9fd8", "#14598a", "#1d2026", "#8a3d0c", "#e0762f", "#ffc196"))
# Faces, and their pixels that are not selected: darker than most of a face, bluer than all of it.
GREYS = ramp(("#000000", "#ffffff"))
LEFT_OUT = ramp(("#00294b", "#2e5f85"))


def to_rgb(values: ArrayLike, table: RGB, low: float, high: float) -> RGB:
    """Look values up in a colour table.

    Values beyond an end get its colour, NaN the first one; all get the last if `low` equals `high`.
    """
    array = np.asarray(values, dtype=np.float64)
    share = np.full(array.shape, float(high == low))
    if high > low:
        share = np.clip((np.nan_to_num(array, nan=low) - low) / (high - low), 0, 1)
    rgb: RGB = table[np.round(share * (len(table) - 1)).astype(np.intp)]
    return rgb


def on_page(colour: str, dark: bool) -> str:
    """Return a colour as drawn on the light page or, lighter by a quarter, on the dark page."""
    if not dark:
        return colour
    rgb = hex_to_rgb(colour).astype(np.float64)
    return rgb_to_hex(np.round(rgb + (255 - rgb) / 4))


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, 1 … 21 (WCAG 2.2)."""

    def luminance(colour: str) -> float:
        c = hex_to_rgb(colour) / 255
        linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
        return float(linear @ np.array([0.2126, 0.7152, 0.0722]))

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


FONT = '"Source Sans", "Source Sans Pro", "Segoe UI", "Helvetica Neue", Arial, sans-serif'
SIZE = 14
SMALL = 12
CLEAR = "rgba(0,0,0,0)"

HEAD = 34  # height of a figure's title, in pixels
IN_LEGEND = 24  # longest name in a legend entry, in characters
ENTRY = 100  # width of a legend entry of a name of usual length, in pixels
LETTER = 6.8  # width of a letter of the legend in the fallback font of a saved picture, in pixels


class Palette(NamedTuple):
    """Colours of text, captions, grid lines and the page."""

    ink: str
    quiet: str
    line: str
    page: str


# Pages as in .streamlit/config.toml.
LIGHT = Palette("#1f2730", "#4b5563", "#d5d9df", "#ffffff")
DARK = Palette("#e6e9ed", "#b3bac4", "#343b45", "#12161c")


def palette(dark: bool) -> Palette:
    """Return the colours of the light or of the dark page."""
    return DARK if dark else LIGHT


@cache
def _template(look: Palette) -> go.layout.Template:
    """Template of all figures on a page: clear background, the studio's font, quiet axes."""
    import plotly.graph_objects as go

    text = {"size": SIZE, "color": look.ink}
    labels = {"size": SMALL, "color": look.quiet}
    axis = {
        "title": {"font": text, "standoff": 10},
        "tickfont": labels,
        "gridcolor": look.line,
        "linecolor": look.quiet,
        "zeroline": False,
        "ticks": "",
        "ticklabelstandoff": 3,
        "automargin": True,
        # No zooming by accident.
        "fixedrange": True,
    }
    # The colour bar lies above the plot, where it takes no width on a phone.
    bar = {
        "orientation": "h",
        "title": {"side": "top", "font": text},
        "tickfont": labels,
        "ticklabeloverflow": "allow",
        "nticks": 5,
        "thickness": 10,
        "outlinewidth": 0,
        "x": 0,
        "xanchor": "left",
        "y": 1,
        "yanchor": "bottom",
        "ypad": 6,
        "xpad": 0,
    }
    # At the foot of the figure: two columns on a phone, four on a laptop.
    legend = {
        "orientation": "h",
        "x": 0,
        "xref": "container",
        "y": 0,
        "yanchor": "bottom",
        "yref": "container",
        "font": {"size": SMALL, "color": look.ink},
        "itemwidth": 30,
        "entrywidth": ENTRY,
        # Never cut off behind a scroll bar.
        "maxheight": 1000,
        "traceorder": "normal",
    }
    layout = {
        "title": {
            "font": {"size": 16, "weight": 600, "color": look.ink},
            "x": 0,
            "y": 1,
        },
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "font": {"family": FONT, "size": SIZE, "color": look.ink},
        "hoverlabel": {
            "bgcolor": look.page,
            "bordercolor": look.quiet,
            "font": {"family": FONT, "size": SIZE, "color": look.ink},
            "align": "left",
        },
        # A finger that meets the chart scrolls the page.
        "dragmode": False,
        "showlegend": False,
        "legend": legend,
        "modebar": {"bgcolor": CLEAR, "color": look.quiet, "activecolor": look.ink},
        "annotationdefaults": {"showarrow": False},
        "xaxis": axis,
        "yaxis": axis,
    }
    # On hover a trace shows its own text; only traces that request it are in the legend.
    hover = {"hoverinfo": "text"}
    data = {
        "bar": [hover],
        "scatter": [hover | {"showlegend": False}],
        # Without the colour scale: validating its colours would take most of a figure's time.
        "heatmap": [hover | {"colorbar": bar}],
        "mesh3d": [hover | {"colorbar": bar}],
    }
    return go.layout.Template(layout=layout, data=data)


def figure(title: str, alt: str, *, height: int, bar: bool = False) -> go.Figure:
    """Start a figure in the studio's template, as wide as its container.

    `title` is its question, `alt` the answer in words; `height` excludes the title; `bar` leaves
    room for a colour bar above the plot.
    """
    # Plotly uses pandas where it is loaded. Half imported by another thread, pandas has no Series
    # yet: it is imported completely before the first figure.
    import pandas  # noqa: F401
    import plotly.graph_objects as go

    layout = {
        "template": _template(LIGHT),
        "meta": {"alt": alt, "title": title},
        # Plotly raises a title by this much where a colour bar lies below it.
        "title": {"text": escape(title), "pad": {"t": 34 if bar else 8, "l": 8}},
        "height": height + HEAD,
        "margin": {"l": 8, "r": 8, "t": 8 + HEAD + (56 if bar else 0), "b": 50},
    }
    return go.Figure(layout=layout)


def on_dark(drawn: go.Figure) -> go.Figure:
    """Recolour a figure for the dark page: other ink, and lines lighter by a quarter.

    Colour scales stay, and so does the text on them, whose colour is a CSS name.
    """
    import plotly.graph_objects as go

    parts = drawn.to_plotly_json()
    parts["layout"].pop("template")
    recoloured = go.Figure(_recoloured(parts))
    return recoloured.update_layout(template=_template(DARK))


def _recoloured(part: Any, key: str = "") -> Any:
    if isinstance(part, dict):
        return {name: _recoloured(value, name) for name, value in part.items()}
    if isinstance(part, list | tuple):
        return [_recoloured(child, key) for child in part]
    if key.endswith("color") and isinstance(part, str) and part.startswith("#"):
        return dict(zip(LIGHT, DARK, strict=True)).get(part) or on_page(part, dark=True)
    return part


def enlarged(drawn: go.Figure, by: float) -> go.Figure:
    """Return the figure with type and height scaled up, for a lecture room."""
    import plotly.graph_objects as go

    parts = _enlarged(drawn.to_plotly_json(), by)
    if "height" in parts["layout"]:
        parts["layout"]["height"] *= by
    return go.Figure(parts)


def _enlarged(part: Any, by: float, key: str = "") -> Any:
    if isinstance(part, dict):
        scaled = {name: _enlarged(value, by, name) for name, value in part.items()}
        if key.endswith("font") and isinstance(scaled.get("size"), int | float):
            scaled["size"] *= by
        return scaled
    return [_enlarged(child, by, key) for child in part] if isinstance(part, list | tuple) else part


def as_seen(drawn: go.Figure) -> go.Figure:
    """Return the figure with its numbers as exact as is seen, and without its meta."""
    import plotly.graph_objects as go

    parts = drawn.to_plotly_json()
    parts["layout"].pop("meta", None)
    parts["layout"].pop("template")
    return go.Figure(_as_seen(parts)).update_layout(template=drawn.layout.template)


def text_length(drawn: go.Figure) -> int:
    """Return the number of characters of a figure that is written out, without its template."""
    parts = drawn.to_plotly_json()
    parts["layout"].pop("template", None)
    return len(json.dumps(_as_seen(parts), default=np.ndarray.tolist, separators=(",", ":")))


def _as_seen(part: Any) -> Any:
    if isinstance(part, dict) and "bdata" in part:
        # Plotly's form of an array.
        array = np.frombuffer(b64decode(part["bdata"]), part["dtype"])
        if "shape" in part:
            array = array.reshape([int(side) for side in part["shape"].split(",")])
        return round_as_seen(array) if array.dtype.kind == "f" else array
    if isinstance(part, dict):
        return {name: _as_seen(value) for name, value in part.items()}
    if isinstance(part, list | tuple):
        return [_as_seen(child) for child in part]
    return float(f"{part:.7g}") if isinstance(part, float) else part


def round_as_seen(values: NDArray[Any]) -> NDArray[Any]:
    """Round numbers to five digits, and to more where their range is small beside them."""
    finite = values[np.isfinite(values)]
    width = float(np.ptp(finite)) if len(finite) else 0.0
    sizes = np.abs(finite[finite != 0])
    if not len(sizes):
        return values
    # A ten-thousandth of the range is less than a pixel.
    by_range = 4 - math.floor(math.log10(width)) if width > 0 else -400
    rounded = values.copy()
    for at, value in np.ndenumerate(values):
        if value and math.isfinite(value):
            decimals = max(by_range, 4 - math.floor(math.log10(abs(value))))
            rounded[at] = round(float(value), decimals)
    return rounded


class Figures(dict[str, Any]):
    """Figures by the question that each answers; a notebook shows them one below the other."""

    def __init__(self, figures: Mapping[str, go.Figure], *, dark: bool) -> None:
        super().__init__(figures)
        self.dark = dark

    def _repr_html_(self) -> str:
        """Return all of them with what draws them, so that they need no network.

        Each stands on a page of its own colour: that of the notebook may be light or dark.
        """
        import plotly.graph_objects as go
        import plotly.io as pio

        page = palette(self.dark).page
        parts = [
            pio.to_html(
                go.Figure(figure).update_layout(paper_bgcolor=page),
                full_html=False,
                include_plotlyjs=place == 0,
            )
            for place, figure in enumerate(self.values())
        ]
        return "\n".join(parts)

    def __repr__(self) -> str:
        # A figure has as many numbers as it draws.
        return f"<{len(self)} figures: {'; '.join(self)}>"


def take_title(drawn: go.Figure) -> str:
    """Remove the title of a figure and return it, for a page that writes it as a heading."""
    layout = drawn.layout
    if layout.title.text:
        layout.title.text = None
        layout.height, layout.margin.t = layout.height - HEAD, layout.margin.t - HEAD
    return str(layout.meta["title"])


def named_axis(names: list[str], **options: Any) -> dict[str, Any]:
    """Return the settings of an axis with one name at each of the positions 0, 1, …"""
    ticks = {"tickmode": "array", "tickvals": list(range(len(names))), "ticktext": names}
    return {"showgrid": False} | ticks | options


def name_both_axes(drawn: go.Figure, axes: Mapping[str, Sequence[str]]) -> None:
    """Set the titles of both axes of a map of cells, and the name of every position."""
    for update, (title, names) in zip(
        (drawn.update_xaxes, drawn.update_yaxes), axes.items(), strict=True
    ):
        ends = [-0.5, len(names) - 0.5]
        update(named_axis(list(names), title_text=title, range=ends, tickangle=0))


def legend_key(drawn: go.Figure, name: str, **look: Any) -> None:
    """Add a legend entry without a curve."""
    shown = {"hoverinfo": "skip", "showlegend": True}
    drawn.add_scatter(x=[None], y=[None], name=name, **shown, **look)


def on_hover(names: Sequence[str], lines: Iterable[str]) -> list[str]:
    """Return hover texts: each a name in bold above its line, which is escaped already."""
    return [f"<b>{escape(name)}</b><br>{line}" for name, line in zip(names, lines, strict=False)]


def add_cells(
    drawn: go.Figure,
    values: NDArray[np.float64],
    ends: tuple[float, float],
    printed: Callable[[int, int], str],
    *,
    size: int,
    **heat: Any,
) -> dict[tuple[int, int], str]:
    """Draw a heatmap with a text on each cell; return the text colour of each (column, row)."""
    low, high = ends
    heat |= {"zmin": low, "zmax": high, "colorscale": colour_scale()}
    drawn.add_heatmap(z=values, xgap=1, ygap=1, **heat)
    inks = {
        (x, y): ink_on(rgb_to_hex(to_rgb(value, IMPORTANCE, low, high)))
        if np.isfinite(value)
        else LIGHT.quiet
        for (y, x), value in np.ndenumerate(values)
    }
    # One trace per text colour: a click dims unselected texts unless a trace sets its one colour.
    for ink in sorted(set(inks.values())):
        cells = [cell for cell, colour in inks.items() if colour == ink]
        drawn.add_scatter(
            x=[x for x, _ in cells],
            y=[y for _, y in cells],
            mode="text",
            text=[printed(*cell) for cell in cells],
            textfont={"color": ink, "size": size},
            unselected={"textfont": {"color": ink}},
            hoverinfo="skip",
            cliponaxis=False,
        )
    return inks


def add_clickable(drawn: go.Figure, words: Mapping[tuple[int, int], str]) -> None:
    """Add invisible markers, by (column, row), to hover and click: a heatmap reports no clicks.

    A click comes from the trace "cells"; its ``customdata`` are the two indices.
    """
    invisible = {"marker": {"opacity": 0}}
    drawn.add_scatter(
        name="cells",
        x=[i for i, _ in words],
        y=[j for _, j in words],
        mode="markers",
        # Plotly picks the last of all markers under the pointer. With small markers and no limit
        # of distance it picks the nearest centre, so the cell itself, at any width.
        marker={"symbol": "square", "size": 6, "opacity": 0, "color": LIGHT.ink},
        selected=invisible,
        unselected=invisible,
        customdata=list(words),
        hovertext=list(words.values()),
    )
    drawn.update_layout(hoverdistance=-1)


def escape(text: str) -> str:
    """Escape a text, so that Plotly shows it literally, in one line."""
    # Direction marks would reverse the text beside them.
    seen = "".join(c if c.isprintable() else " " for c in text)
    return escape_html(seen).replace("$", "&#36;").replace("&#x27;", "&#39;")


def short(text: str, longest: int = 22) -> str:
    """Cut a name to fit on a phone, then escape it."""
    return escape(text if len(text) <= longest else text[: longest - 1].rstrip() + "…")


def show_legend(drawn: go.Figure) -> go.Figure:
    """Show the legend, each entry as wide as the longest name; return the figure."""
    names = [trace.name or "" for trace in drawn.data if trace.showlegend]
    width = math.ceil(LETTER * max(map(len, names), default=0))
    return drawn.update_layout(showlegend=True, legend_entrywidth=max(ENTRY, width))


def see_through(colour: str, opacity: float) -> str:
    """Write ``#rrggbb`` as a CSS colour with an opacity."""
    red, green, blue = (int(v) for v in hex_to_rgb(colour))
    return f"rgba({red},{green},{blue},{opacity:g})"


def ink_on(colour: str) -> str:
    """Choose black or white text for a background: the contrast is at least 4.5:1 on any."""
    return "white" if contrast("#ffffff", colour) >= contrast("#000000", colour) else "black"


def colour_scale() -> list[list[Any]]:
    """Return the importance colours as Plotly's list of [share, colour]."""
    last = len(_VIRIDIS) - 1
    shares = [(at / last - _VIRIDIS_START) / (1 - _VIRIDIS_START) for at in range(last + 1)]
    # The table is linear between these colours.
    inner = [[round(at, 4), name] for at, name in zip(shares, _VIRIDIS, strict=True) if at > 0]
    return [[0.0, rgb_to_hex(IMPORTANCE[0])], *inner]
