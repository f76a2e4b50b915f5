"""What every vega-lite chart of the house has in common."""

from __future__ import annotations

from typing import Any

Spec = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

_INK = {False: ("#1f2730", "#4b5563", "#d5d9df"), True: ("#e6e9ed", "#b3bac4", "#343b45")}


def frame(title: str, height: int, dark: bool, standalone: bool, what: str, numbers: str) -> Spec:
    """Give the outer part of a chart: title, size, transparent background, plain look.

    Parameters
    ----------
    title : str
        A question.
    height : int
        Height in pixels; the width follows the container.
    dark : bool
        Whether the page is dark; used only when `standalone`.
    standalone : bool
        Write the colours of text and lines into the chart. A page that brings its own theme
        (Streamlit) colours them itself, and follows when the user changes it.
    what : str
        The text alternative of a chart on a page: the same for all data, since the browser draws
        a chart whose spec (or ``alt=``) changed from scratch and forgets where the pointer was.
    numbers : str
        The text alternative of a standalone chart, with its numbers.

    Returns
    -------
    dict
    """
    config: Spec = {
        "view": {"stroke": None},
        "axis": {"domain": False, "ticks": False, "labelPadding": 6, "titlePadding": 8},
        "axisX": {"grid": False, "domain": True},
        "axisY": {"tickCount": 5},
        "title": {"anchor": "start", "fontSize": 15, "fontWeight": 600, "offset": 10},
        "legend": {
            "orient": "bottom",
            "title": None,
            "symbolType": "stroke",
            "symbolSize": 220,
            "symbolStrokeWidth": 2,
            # Else the legend takes the faintness of the filled area.
            "symbolOpacity": 1,
            "offset": 8,
            "padding": 0,
            # Two legends stand below each other: side by side they are cut off on a phone.
            "layout": {"bottom": {"direction": "vertical", "anchor": "start", "margin": 4}},
        },
    }
    if standalone:
        ink, soft, line = _INK[dark]
        config["title"]["color"] = ink
        config["axis"] |= {
            "labelColor": soft,
            "titleColor": ink,
            "gridColor": line,
            "domainColor": soft,
        }
        config["legend"] |= {"labelColor": ink}
    return {
        "$schema": SCHEMA,
        "description": numbers if standalone else what,
        "title": {"text": title},
        "width": "container",
        "height": height,
        "background": "transparent",
        "padding": {"left": 4, "top": 4, "right": 8, "bottom": 4},
        "autosize": {"type": "fit", "contains": "padding"},
        "config": config,
    }


def ink(dark: bool) -> str:
    """Give the colour of text inside a chart."""
    return _INK[dark][0]


def quiet(dark: bool) -> str:
    """Give the colour of captions and rules inside a chart."""
    return _INK[dark][1]
