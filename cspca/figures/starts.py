"""Does the start matter: the same courses from afar, as the paper draws them, and from near."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from cspca.figures.colours import on_page
from cspca.figures.convergence import Across, Course, Reached, convergence, reached
from cspca.figures.style import legend_key, palette, see_through

if TYPE_CHECKING:
    import plotly.graph_objects as go

_TEN = 10
_GREEN = "#009E73"


def starts(
    courses: Sequence[Course],
    optimum: tuple[float, float] | None,
    *,
    near: bool = False,
    x: Across = "iteration",
    last: float | None = None,
    height: int = 340,
    dark: bool = False,
) -> go.Figure:
    """Draw courses, those of Algorithm 1 last, with the band in which the optimum lies.

    `near` shows the range about the optimum in place of the whole fall, `last` ends the axis.
    """
    title = "Who arrives at the optimum?" if near else "Does it converge?"
    drawn = convergence(courses, x=x, title=title, log_y=False, height=height, dark=dark)
    look, green = palette(dark), on_page(_GREEN, dark)
    runs = [reached(course) for course in courses]
    end = last if last is not None else max((r.at(x)[-1] for r in runs if r.best.size), default=1)
    if optimum is not None:
        low, high = optimum
        across = {"type": "rect", "x0": 0, "x1": end, "y0": low, "y1": high, "layer": "below"}
        drawn.add_shape(**across, fillcolor=see_through(green, 0.25), line={"width": 0})
        line = {"color": green, "width": 1.5}
        drawn.add_shape(**(across | {"type": "line", "y1": low}), line=line)
        legend_key(drawn, "Proven optimum", mode="lines", line=line)
        words = f" The optimum lies between {low:,.7g} and {high:,.7g}."
        drawn.layout.meta = {"alt": drawn.layout.meta["alt"] + words}
    if x == "iteration" and end > _TEN:
        dashed = {"color": look.quiet, "width": 1, "dash": "dash"}
        drawn.add_vline(x=_TEN, line=dashed, layer="below")
        drawn.add_annotation(
            x=_TEN, y=1, yref="paper", xanchor="center", yanchor="bottom", showarrow=False,
            text="ten iterations", font={"size": 12, "color": look.quiet},
        )  # fmt: skip
    limits = range_of(courses, runs, optimum, near=near, end=end, x=x)
    drawn.update_xaxes(nticks=7, range=[0 if x == "seconds" else 1, end])
    drawn.update_yaxes(range=limits)
    drawn.update_layout(showlegend=True, margin_t=drawn.layout.margin.t + 16)
    return drawn


def range_of(
    courses: Sequence[Course],
    runs: Sequence[Reached],
    optimum: tuple[float, float] | None,
    *,
    near: bool,
    end: float,
    x: Across,
) -> tuple[float, float] | None:
    """Choose the objective's range: the paper's fall, or near and above the optimum."""
    there = [(c.name, run) for c, run in zip(courses, runs, strict=True) if run.best.size]
    if not there:
        return None
    stalled = [run for name, run in there if name == there[-1][0]]
    floor = optimum[0] if optimum is not None else min(float(run.best[-1]) for _, run in there)
    scale = max(abs(floor), 1e-12)
    if near:
        ends = [run.best[max(0, int((run.at(x) <= end).sum()) - 1)] for run in stalled]
        above = max(float(np.median(ends)) - floor, 2e-4 * scale)
        return floor - 0.6 * above, floor + 2.2 * above
    above = max(float(np.median([run.best[0] for run in stalled])) - floor, 1e-3 * scale)
    return floor - 0.18 * above, floor + 1.06 * above
