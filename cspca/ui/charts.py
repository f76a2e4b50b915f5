"""Figures on a page: with their text alternative, and one button that saves them as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from cspca.experiments.exports import file_name
from cspca.figures.style import take_title
from cspca.ui.export import SCALE

if TYPE_CHECKING:
    import plotly.graph_objects as go


def show(
    figure: go.Figure, key: str, *, of: str, name: str, heading: bool = False, **events: Any
) -> None:
    """Draw a figure; `of` and `name` make the name of the file that it is saved as.

    With `heading` the question that it answers stands above it; else the page has one of its own.
    """
    title = take_title(figure)
    if heading:
        st.markdown(f"**{title}**")
    st.plotly_chart(
        figure,
        key=key,
        alt=figure.layout.meta["alt"],
        # Colours and type are its own.
        theme=None,
        config=_config(file_name(of, name)),
        width="stretch",
        **events,
    )


def _config(file: str) -> dict[str, Any]:
    return {
        "displayModeBar": "hover",
        "displaylogo": False,
        # The browser itself says that it saved something.
        "displayNotifier": False,
        # The script that saves charts presses this button too.
        "modeBarButtons": [["toImage"]],
        # Without a size: as large as it is drawn.
        "toImageButtonOptions": {
            "format": "png",
            "filename": file,
            "width": None,
            "height": None,
            "scale": SCALE,
        },
    }
