"""The convergence figure that stands still: for reports and exports, beside the live chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from cspca.figures.colours import on_page
from cspca.figures.convergence import (
    MAX_POINTS,
    Curve,
    _clean_all,
    convergence_alt,
    percent,
    thin,
    view_limits,
)
from cspca.figures.plotly_style import IN_LEGEND, axis, escape, figure, legend_below, palette, short

Floats = NDArray[np.float64]

_DASHES = ("solid", "longdash", "dashdot", "dot")


def convergence_static(
    curves: Sequence[Curve],
    *,
    dark: bool,
    log_x: bool = False,
    log_y: bool = False,
    zoom: bool = False,
) -> go.Figure:
    """Draw the objective of each run against the iteration, its lower bound dashed.

    Parameters
    ----------
    curves : sequence of Curve
        Runs of one solver from several starts, or of several solvers.
    dark : bool
        Whether the page is dark.
    log_x : bool, default=False
        Iterations on a log axis: the first ten show beside the first thousand.
    log_y : bool, default=False
        The objective on a log axis, for starts that are many powers of ten away.
    zoom : bool, default=False
        Show what the live chart shows: where objective and bound meet, not the steep start.

    Returns
    -------
    plotly.graph_objects.Figure
        Records whose objective is not finite are left out, and on a log axis what is not
        positive.
    """
    rows = -(-len(curves) // 2)
    drawn = figure(dark, 330 + 21 * rows)
    look = palette(dark)
    bounded = False
    seen: dict[str, int] = {}
    for rank, curve in enumerate(curves):
        number, objective, bound = _columns(curve, log_x, log_y)
        colour = on_page(curve.colour, dark)
        # Runs of one colour are told apart by their dashes.
        turn = seen.get(curve.colour, 0)
        seen[curve.colour] = turn + 1
        common = {"x": number, "mode": "lines", "hoverinfo": "text", "legendgroup": str(rank)}
        if np.isfinite(bound).any():
            bounded = True
            drawn.add_scatter(
                **common,
                y=bound,
                line={"color": colour, "width": 1.5, "dash": "dash"},
                hovertext=_words(curve, number, bound, "lower bound"),
                showlegend=False,
                name=f"{short(curve.name)}, bound",
            )
        drawn.add_scatter(
            **common,
            y=objective,
            line={"color": colour, "width": 2.25, "dash": _DASHES[turn % len(_DASHES)]},
            hovertext=_words(curve, number, objective, "objective"),
            showlegend=True,
            name=short(curve.name, IN_LEGEND),
        )
    if bounded:
        drawn.add_scatter(
            x=[None],
            y=[None],
            mode="lines",
            line={"color": look.quiet, "width": 1.5, "dash": "dash"},
            name="Lower bound",
            hoverinfo="skip",
            showlegend=True,
        )
    across = {"showline": True, "linecolor": look.quiet, "nticks": 8}
    down: dict[str, Any] = {"nticks": 6, "tickformat": "~s"}
    limits = view_limits(_clean_all(curves), "iteration") if zoom else None
    if limits is not None and not log_y:
        down["range"] = list(limits)
    drawn.update_xaxes(
        axis(dark, "Iteration" + (" (log scale)" if log_x else ""), grid=False)
        | across
        | ({"type": "log", "dtick": 1} if log_x else {"tickformat": ",d"})
    )
    drawn.update_yaxes(
        axis(dark, "Objective" + (" (log scale)" if log_y else ""))
        | down
        | ({"type": "log"} if log_y else {})
    )
    drawn.update_layout(
        showlegend=bounded or len(curves) > 1,
        legend=legend_below(dark),
    )
    return drawn


def alt_convergence(
    curves: Sequence[Curve],
    *,
    dark: bool = False,
    log_x: bool = False,
    log_y: bool = False,
    zoom: bool = False,
) -> str:
    """Describe `convergence_static` in one sentence.

    Parameters
    ----------
    curves, dark, log_x, log_y, zoom
        As drawn; only `curves` changes anything.

    Returns
    -------
    str
    """
    return convergence_alt(curves)


def _columns(curve: Curve, log_x: bool, log_y: bool) -> tuple[Floats, Floats, Floats]:
    columns = np.array([curve.number, curve.objective, curve.dual_bound], dtype=np.float64)
    columns = columns.reshape(3, -1)
    kept = np.isfinite(columns[:2]).all(axis=0)
    kept &= (columns[0] > 0) | (not log_x)
    kept &= (columns[1] > 0) | (not log_y)
    columns = columns[:, kept]
    columns = columns[:, thin(columns.shape[1], MAX_POINTS)]
    number, objective, bound = columns
    # A bound of 0 is the one that always holds: nothing has been proved yet.
    return number, objective, np.where(np.isfinite(bound) & (bound > 0), bound, np.nan)


def _words(curve: Curve, number: Floats, values: Floats, what: str) -> list[str]:
    gaps = dict(zip(np.asarray(curve.number, dtype=float).tolist(), curve.gap, strict=True))
    return [
        f"<b>{escape(curve.name)}</b><br>iteration {n:,.0f}<br>{what}: {v:,.6g}"
        f"<br>within: {percent(float(gaps[n]))}"
        for n, v in zip(number.tolist(), values.tolist(), strict=True)
    ]
