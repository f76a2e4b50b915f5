"""A histogram of shares, of random draws or of a class, with single values marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from cspca.figures import style
from cspca.figures.style import LIGHT, NEUTRAL, SMALL

if TYPE_CHECKING:
    import plotly.graph_objects as go


class Mark(NamedTuple):
    """A marked value: its name, the value as a share, its colour."""

    name: str
    value: float
    colour: str


def spread(
    values: ArrayLike,
    marks: Sequence[Mark],
    *,
    question: str,
    axis: str,
    what: str,
    several: str,
    zero: bool = False,
) -> go.Figure:
    """Draw a histogram of the `values`, which are shares, with a rule at each mark.

    `axis` is the title of the x axis; `what` is the singular and `several` the plural noun for a
    value. With `zero` the axis begins at 0.
    """
    shares = 100 * np.asarray(values, dtype=np.float64)
    marked = [100 * mark.value for mark in marks]
    alt = f"No {several} yet."
    if shares.size:
        alt = (
            f"{shares.size:,} {several if shares.size > 1 else what}: from {shares.min():.1f} % to "
            f"{shares.max():.1f} %, mean {shares.mean():.1f} %."
        )
    named = [f"{mark.name} {100 * mark.value:.1f} %" for mark in marks]
    drawn = style.figure(
        question, " ".join([alt, *([f"{', '.join(named)}."] if named else [])]), height=210
    )
    everything = np.concatenate([shares, marked])
    low, high = (float(everything.min()), float(everything.max())) if everything.size else (0, 1)
    room = 0.06 * (high - low) or 1.0
    low, high = 0.0 if zero else max(0.0, low - room), high + room
    counts, edges = np.histogram(shares, bins=40, range=(low, high))
    drawn.add_bar(
        x=(edges[1:] + edges[:-1]) / 2,
        y=counts,
        width=(high - low) / 44,
        marker={"color": NEUTRAL},
        hovertext=[
            f"{count:,} {what if count == 1 else several}<br>{start:.1f} to {end:.1f} %"
            for count, start, end in zip(counts, edges, edges[1:], strict=False)
        ],
    )
    top = max(1, int(counts.max(initial=0)))
    # Names are stacked, each on the side of its rule that has room.
    for at, (mark, value) in enumerate(zip(marks, marked, strict=True)):
        rule = {"color": mark.colour, "width": 2.5}
        drawn.add_shape(x0=value, x1=value, y0=0, y1=1.42 * top, line=rule)
        late = value > 0.4 * low + 0.6 * high
        drawn.add_annotation(
            x=value,
            y=top * (1.42 - 0.14 * at),
            text=f"<b>{style.escape(mark.name)}</b> {value:.1f} %",
            font={"size": SMALL, "color": LIGHT.ink},
            # On a phone the rule of another mark may run behind the text.
            bgcolor=LIGHT.page,
            xanchor="right" if late else "left",
            yanchor="top",
            xshift=-5 if late else 5,
        )
    drawn.update_xaxes(
        title_text=axis, range=[low, high], showgrid=False, ticksuffix=" %", nticks=6
    )
    few = {"dtick": 1} if top < 4 else {"nticks": 4}
    count_axis = {"title_text": several.capitalize(), "tickformat": ",d"}
    drawn.update_yaxes(count_axis, range=[0, 1.45 * top], **few)
    return drawn
