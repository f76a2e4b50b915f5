"""Charts as pictures: drawn by the visitor's own browser, so the server needs none.

A Plotly chart exports itself; its toolbar knows one format at a time. A Vega chart is an SVG
already. A small script puts both behind the same two buttons, PNG and SVG.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

import streamlit as st

from cspca.figures.style import palette
from cspca.ui import keys
from cspca.ui.takeaway.files import file_name
from cspca.ui.theme import is_dark

SCALE: Final = 3
"""Pixels of a PNG for each on the screen."""

_HERE = files(__package__)

# Registered once, at import: registering again with every mount would replace it under way.
_MOUNT = st.components.v2.component(
    "cspca_save_charts",
    html='<div class="charts" role="group"></div><p class="said" role="status"></p>\n',
    css=_HERE.joinpath("charts.css").read_text(encoding="utf-8"),
    js=_HERE.joinpath("charts.js").read_text(encoding="utf-8"),
)


@dataclass(frozen=True)
class Chart:
    """A chart on the page that can be kept.

    Attributes
    ----------
    box : str
        Key of the container that it lies in; or its own, of a chart that has one.
    label : str
        What it shows, in a word or three.
    name : str
        The end of the file's name, without a dot.
    """

    box: str
    label: str
    name: str


def chart_buttons(of: str, charts: Sequence[Chart]) -> None:
    """Draw two buttons a chart."""
    _MOUNT(
        key=keys.SAVE_CHARTS,
        data={
            "charts": [
                {"box": chart.box, "label": chart.label, "name": file_name(of, chart.name)}
                for chart in charts
            ],
            # A picture lies on the page's own colour: on none, dark letters vanish on dark paper.
            "page": palette(is_dark()).page,
            "scale": SCALE,
        },
    )
