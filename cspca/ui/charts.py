"""Figures on a page, with their text alternative; the page's export offers them as pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from cspca.experiments.exports import file_name
from cspca.figures.style import on_dark, take_title
from cspca.ui.plain import is_dark

if TYPE_CHECKING:
    from collections.abc import Mapping

    import plotly.graph_objects as go

SCALE: Final = 3
"""Pixels of a PNG for each on the screen."""


def show(
    figure: go.Figure,
    box: str,
    *,
    of: str,
    name: str = "",
    label: str = "",
    heading: bool = False,
    **more: Any,
) -> None:
    """Draw a figure in a container; `of` and `name`, else `box`, name the file it is saved as.

    With a `label` the page's export offers it too; with `heading` the question that it answers
    stands above it, else the page has one of its own.
    """
    title, file = take_title(figure), file_name(of, name or box.replace("_", "-"))
    figure = on_dark(figure) if is_dark() else figure
    more = {"key": f"{box}_plot"} | more
    with st.container(key=box):
        if heading:
            st.markdown(f"**{title}**")
        if label:
            offer(box, label, file)
        st.plotly_chart(
            figure,
            alt=figure.layout.meta["alt"],
            # Colours and type are its own.
            theme=None,
            config={
                "displayModeBar": "hover",
                "displaylogo": False,
                # The browser itself says that it saved something.
                "displayNotifier": False,
                # The script that saves charts presses this button too; without a size it is as
                # large as it is drawn.
                "modeBarButtons": [["toImage"]],
                "toImageButtonOptions": {
                    "format": "png",
                    "filename": file,
                    "width": None,
                    "height": None,
                    "scale": SCALE,
                },
            },
            width="stretch",
            **more,
        )


def beside(drawn: Mapping[str, go.Figure], kind: str, of: str, **labels: str) -> None:
    """Draw figures beside each other, each under its question."""
    cells = zip(st.columns(2, gap="large"), drawn.items(), labels.items(), strict=False)
    for place, (question, figure), (at, label) in cells:
        with place:
            st.subheader(question, anchor=False)
            show(figure, f"{kind}_{at}", of=of, label=label)


def offer(box: str, label: str, file: str) -> None:
    """Let the chart in a container be saved by the page's export."""
    drawn = st.session_state.setdefault("charts_drawn", {})
    drawn[box] = {"box": box, "label": label, "name": file}
