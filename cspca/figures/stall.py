"""The paper's convergence figure and what it hides: the same curves from afar and from near.

From afar every curve is flat after ten iterations. From near, against the proven optimum, the one
of Algorithm 1 lies flat above it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from cspca.figures.colours import on_page
from cspca.figures.convergence import Curve, convergence_alt, percent, thin
from cspca.figures.plotly_style import axis, escape, figure, legend_below, palette, see_through

Floats = NDArray[np.float64]
Across = Literal["iteration", "seconds"]

HEIGHT = 380
_POINTS = 250
_TEN = 10


def stall_figure(
    curves: Sequence[Curve],
    *,
    optimum: tuple[float, float] | None,
    dark: bool,
    x: Across = "iteration",
    near: bool = False,
    last: float | None = None,
    height: int = HEIGHT,
) -> go.Figure:
    """Draw the objective of every run and its lower bound, with the proven optimum.

    Parameters
    ----------
    curves : sequence of Curve
        Runs of one name and colour share an entry of the legend.
    optimum : tuple (low, high) or None
        The best lower bound and the best objective: the optimum lies between them.
    dark : bool
        Whether the page is dark.
    x : {"iteration", "seconds"}, default="iteration"
    near : bool, default=False
        Show the range about the optimum in place of the whole fall.
    last : float or None, default=None
        Where the axis ends, in the unit of `x`; None is the end of the longest run.
    height : int, default=380
        In pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        Records whose objective is not finite are left out.
    """
    drawn = figure(dark, height)
    look = palette(dark)
    found = [_columns(curve, x) for curve in curves]
    named: set[str] = set()
    many = len(curves) > 2 * len({curve.name for curve in curves})
    for curve, (across, objective, bound, words) in zip(curves, found, strict=True):
        colour = on_page(curve.colour, dark)
        common: dict[str, Any] = {"x": across, "hoverinfo": "text", "legendgroup": curve.name}
        thick = 1.5 if many else 2.5
        if np.isfinite(bound).any():
            drawn.add_scatter(
                **common,
                y=bound,
                mode="lines",
                line={"color": colour, "width": 1 if many else 1.75, "dash": "dot"},
                hovertext=[
                    f"{w[0]}<br>lower bound: {v:,.7g}" for w, v in zip(words, bound, strict=True)
                ],
                showlegend=False,
                name="bound",
            )
        drawn.add_scatter(
            **common,
            y=objective,
            mode="lines+markers" if len(across) <= 60 and not many else "lines",
            marker={"size": 4},
            line={"color": colour, "width": thick},
            hovertext=[
                f"{w[0]}<br>objective: {v:,.7g}{w[1]}"
                for w, v in zip(words, objective, strict=True)
            ],
            showlegend=curve.name not in named,
            name=escape(curve.name),
        )
        named.add(curve.name)
    _legend(drawn, look.quiet, [bound for *_, bound, _ in found], optimum, on_page("#009E73", dark))
    end = last if last is not None else max((c[0][-1] for c in found if c[0].size), default=1.0)
    if optimum is not None:
        _optimum(drawn, optimum, on_page("#009E73", dark), end)
    limits = range_of(curves, optimum, x=x, near=near, last=end)
    if x == "iteration" and end > _TEN:
        drawn.add_shape(
            type="line", x0=_TEN, x1=_TEN, y0=0, y1=1, yref="paper",
            line={"color": look.quiet, "width": 1, "dash": "dash"}, layer="below",
        )  # fmt: skip
        drawn.add_annotation(
            x=_TEN, y=1, yref="paper", xanchor="center", yanchor="bottom", showarrow=False,
            text="ten iterations", font={"size": 12, "color": look.quiet},
        )  # fmt: skip
    start = 0.0 if x == "seconds" else 1.0
    drawn.update_xaxes(
        axis(dark, "Seconds" if x == "seconds" else "Iteration", grid=False)
        | {"showline": True, "linecolor": look.quiet, "nticks": 7, "range": [start, end]}
    )
    drawn.update_yaxes(
        axis(dark, "Objective" + (", near the optimum" if near else ""))
        | {"nticks": 6, "tickformat": ",.6~g"}
        | ({"range": list(limits)} if limits is not None else {})
    )
    drawn.update_layout(
        showlegend=True,
        # Room for the longest name in the font that a saved picture falls back to.
        legend=legend_below(dark) | {"entrywidth": 100},
        margin={"l": 8, "r": 14, "t": 24, "b": 96, "pad": 0},
    )
    return drawn


def range_of(
    curves: Sequence[Curve],
    optimum: tuple[float, float] | None,
    *,
    x: Across = "iteration",
    near: bool = False,
    last: float | None = None,
) -> tuple[float, float] | None:
    """Choose the part of the objective's axis that is shown.

    From afar: from the optimum to where Algorithm 1 began, the fall that the paper draws. From
    near: twice as high above the optimum as the runs of the last name usually end, and less below
    it, for the bound.

    Parameters
    ----------
    curves : sequence of Curve
        Those of Algorithm 1 last.
    optimum : tuple (low, high) or None
    x : {"iteration", "seconds"}, default="iteration"
    near : bool, default=False
    last : float or None, default=None

    Returns
    -------
    tuple (low, high) or None
        None when there is nothing to show.
    """
    cleaned = [(curve.name, _columns(curve, x)) for curve in curves]
    cleaned = [(name, columns) for name, columns in cleaned if columns[1].size]
    if not cleaned:
        return None
    stalled = [c for name, c in cleaned if name == cleaned[-1][0]]
    ends = [_at(c, last) for c in stalled]
    floor = optimum[0] if optimum is not None else min(float(c[1].min()) for _, c in cleaned)
    scale = max(abs(floor), 1e-12)
    if near:
        above = max(float(np.median(ends)) - floor, 2e-4 * scale)
        return floor - 0.6 * above, floor + 2.2 * above
    above = max(float(np.median([c[1][0] for c in stalled])) - floor, 1e-3 * scale)
    return floor - 0.18 * above, floor + 1.06 * above


def alt_stall(curves: Sequence[Curve], optimum: tuple[float, float] | None) -> str:
    """Describe :func:`stall_figure` in words.

    Parameters
    ----------
    curves : sequence of Curve
    optimum : tuple (low, high) or None

    Returns
    -------
    str
    """
    shown = curves[:2] if len({curve.name for curve in curves}) == 2 == len(curves) else curves[:4]
    said = convergence_alt(shown)
    if len(curves) > len(shown):
        said += f" And {len(curves) - len(shown)} further runs."
    if optimum is not None:
        said += f" The optimum lies between {optimum[0]:,.7g} and {optimum[1]:,.7g}."
    return said


def _optimum(drawn: go.Figure, optimum: tuple[float, float], colour: str, end: float) -> None:
    low, high = optimum
    drawn.add_shape(
        type="rect", x0=0, x1=end, y0=low, y1=high, fillcolor=see_through(colour, 0.25),
        line={"width": 0}, layer="below",
    )  # fmt: skip
    drawn.add_shape(
        type="line", x0=0, x1=end, y0=low, y1=low, line={"color": colour, "width": 1.5},
        layer="below",
    )  # fmt: skip


def _legend(
    drawn: go.Figure,
    quiet: str,
    bounds: Sequence[Floats],
    optimum: tuple[float, float] | None,
    colour: str,
) -> None:
    entries = []
    if any(np.isfinite(bound).any() for bound in bounds):
        entries.append(("Lower bound", {"color": quiet, "width": 1.75, "dash": "dot"}))
    if optimum is not None:
        entries.append(("Proven optimum", {"color": colour, "width": 1.5}))
    for name, line in entries:
        drawn.add_scatter(
            x=[None], y=[None], mode="lines", line=line, name=name, hoverinfo="skip",
            showlegend=True,
        )  # fmt: skip


def _at(columns: tuple[Floats, Floats, Floats, list[tuple[str, str]]], last: float | None) -> float:
    """The objective where the axis ends."""
    across, objective, _, _ = columns
    if last is None:
        return float(objective[-1])
    return float(objective[max(0, int(np.searchsorted(across, last, side="right")) - 1)])


def _columns(curve: Curve, x: Across) -> tuple[Floats, Floats, Floats, list[tuple[str, str]]]:
    table = np.array(
        [curve.number, curve.seconds, curve.objective, curve.dual_bound, curve.gap],
        dtype=np.float64,
    ).reshape(5, -1)
    table = table[:, np.isfinite(table[2])]
    table = table[:, thin(table.shape[1], _POINTS)]
    number, seconds, objective, bound, gap = table
    # A bound of 0 is the one that always holds: nothing has been proved yet.
    proved = np.where(np.isfinite(bound) & (bound > 0), bound, np.nan)
    words = [
        (
            f"<b>{escape(curve.name)}</b><br>iteration {n:,.0f}, {s:.3g} s",
            f"<br>its own proof: within {percent(g)}" if math.isfinite(g) else "",
        )
        for n, s, g in zip(number.tolist(), seconds.tolist(), gap.tolist(), strict=True)
    ]
    return (seconds if x == "seconds" else number), objective, proved, words
