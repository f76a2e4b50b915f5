"""Rows with a name above them on the left and a number on the right: fit any width."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from cspca.figures.plotly_style import SIZE, SMALL, axis, figure, palette, short

ROW = 46
"""Height of a row, in pixels: words above, marks below."""

_FOOT = 56


def named_rows(
    names: Sequence[str], numbers: Sequence[str], bold: Sequence[bool], dark: bool
) -> go.Figure:
    """Start a figure of one row a method, at y = 0, 1, … from the top.

    Names stand above their row rather than beside it: no width is lost to them, so the same
    figure holds on a phone and on a projector.

    Parameters
    ----------
    names : sequence of str
        As they are; long ones are cut.
    numbers : sequence of str
        Short texts of our own.
    bold : sequence of bool
        Which rows stand out.
    dark : bool
        Whether the page is dark.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    drawn = figure(dark, ROW * max(1, len(names)) + _FOOT)
    look = palette(dark)
    words: list[dict[str, Any]] = []
    for y, (name, figures, strong) in enumerate(zip(names, numbers, bold, strict=True)):
        common = {"xref": "paper", "y": y, "yref": "y", "yshift": 12, "showarrow": False}
        shown = short(name)
        words.append(
            common
            | {
                "x": 0,
                "xanchor": "left",
                "align": "left",
                "text": f"<b>{shown}</b>" if strong else shown,
                "font": {"size": SIZE, "color": look.ink},
            }
        )
        words.append(
            common
            | {
                "x": 1,
                "xanchor": "right",
                "align": "right",
                "text": f"<b>{figures}</b>" if strong else figures,
                "font": {"size": SMALL + 1, "color": look.ink},
            }
        )
    drawn.update_layout(annotations=words, margin={"l": 12, "r": 16, "t": 4, "b": 50})
    drawn.update_yaxes(
        axis(dark, grid=False, showticklabels=False, range=[max(1, len(names)) - 0.45, -0.62])
    )
    return drawn
