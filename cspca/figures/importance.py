"""Importance as figures that stand still, for reports: a map, the best features, the fall-off."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from cspca.figures.colours import ACCENT, NEUTRAL, ZERO, on_page
from cspca.figures.convergence import MAX_POINTS, thin
from cspca.figures.pictures import score_range
from cspca.figures.plotly_style import (
    SMALL,
    axis,
    colour_bar,
    colour_scale,
    escape,
    figure,
    palette,
    see_through,
    short,
)

MOST_POINTED = 65_536
"""Pixels up to which a map can be pointed at; a larger one is better drawn as a picture."""

WIDEST = 440
"""Width of a map in pixels."""

MOST_BARS = 30

_LONGEST = 34
"""Characters of a name beside its bar."""


def importance_heatmap(scores: ArrayLike, ranks: ArrayLike, *, dark: bool) -> go.Figure:
    """Draw the score of every pixel, each to be pointed at.

    Parameters
    ----------
    scores : array-like of shape (h, w)
        Exact zeros get a flat colour of their own, as on the page.
    ranks : array-like of shape (h, w), int
        1 for the best.
    dark : bool
        Whether the page is dark.

    Returns
    -------
    plotly.graph_objects.Figure
        Rows and columns count from 1, as on the page.

    Raises
    ------
    ValueError
        If scores and ranks do not fit each other.
    """
    plane, places = np.asarray(scores, dtype=np.float64), np.asarray(ranks)
    if plane.ndim != 2 or places.shape != plane.shape:
        raise ValueError(
            f"Scores of shape {plane.shape} and ranks of shape {places.shape}: give one of each a "
            "pixel."
        )
    height, width = plane.shape
    low, high = score_range(plane)
    # The map is as wide as there is room, and keeps its shape.
    drawn = figure(dark, round(min(WIDEST * height / width, 1.25 * WIDEST)) + 70)
    common = {
        "x": np.arange(1, width + 1),
        "y": np.arange(1, height + 1),
        "customdata": places,
        "xgap": 0,
        "ygap": 0,
    }
    place = "row %{y}, column %{x}<br>rank %{customdata:,}"
    drawn.add_heatmap(
        **common,
        z=plane,
        zmin=low,
        zmax=high if high > low else low + 1.0,
        colorscale=colour_scale(steps=128),
        colorbar=colour_bar(dark, "Importance ‖w_j‖", nticks=5, tickformat=".2~g"),
        hovertemplate=f"{place}<br>score %{{z:.4g}}<extra></extra>",
    )
    if (plane == 0).any():
        drawn.add_heatmap(
            **common,
            z=np.where(plane == 0, 1.0, np.nan),
            colorscale=[[0, ZERO], [1, ZERO]],
            showscale=False,
            hovertemplate=f"{place}<br>exactly zero<extra></extra>",
        )
    drawn.update_xaxes(axis(dark, grid=False, showticklabels=False, constrain="domain"))
    drawn.update_yaxes(
        axis(
            dark,
            grid=False,
            showticklabels=False,
            autorange="reversed",
            scaleanchor="x",
            constrain="domain",
            # Below the scale of colours, whatever room a narrow page leaves.
            constraintoward="top",
        )
    )
    drawn.update_layout(margin={"l": 4, "r": 4, "t": 8, "b": 4})
    return drawn


def best_features(names: Sequence[str], scores: ArrayLike, *, dark: bool) -> go.Figure:
    """Draw the best features by name, one bar each.

    Parameters
    ----------
    names : sequence of str
        Best first, `MOST_BARS` at most are drawn. They may come from a file: drawn as text.
    scores : array-like, as long
    dark : bool
        Whether the page is dark.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    values = np.asarray(scores, dtype=np.float64)[:MOST_BARS]
    shown = list(names)[: values.size]
    drawn = figure(dark, 24 * max(values.size, 3) + 64)
    drawn.add_bar(
        x=values,
        y=np.arange(values.size),
        orientation="h",
        marker={"color": on_page(ACCENT, dark)},
        hovertext=[
            f"<b>{escape(name)}</b><br>score {value:.4g}"
            for name, value in zip(shown, values.tolist(), strict=True)
        ],
        hoverinfo="text",
    )
    drawn.update_xaxes(axis(dark, "Score ‖w_j‖", rangemode="tozero", nticks=6))
    drawn.update_yaxes(
        axis(
            dark,
            grid=False,
            tickvals=list(range(values.size)),
            ticktext=[short(name, _LONGEST) for name in shown],
            range=[max(values.size, 1) - 0.4, -0.6],
        )
    )
    return drawn


def score_curve(
    scores_sorted: ArrayLike, k: int | None, *, dark: bool, feature: str = "feature"
) -> go.Figure:
    """Draw the scores from best to worst, the best k filled, the exact zeros apart.

    Parameters
    ----------
    scores_sorted : array-like of shape (d,)
        In descending order.
    k : int or None
        How many are taken.
    dark : bool
        Whether the page is dark.
    feature : str, default="feature"
        What one of them is called, such as ``pixel``.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    scores = np.asarray(scores_sorted, dtype=np.float64)
    accent, look = on_page(ACCENT, dark), palette(dark)
    drawn = figure(dark, 260)
    places = _places(scores, k)
    ranks = places + 1

    def line(kept: NDArray[np.bool_], colour: str, width: float, fill: bool) -> None:
        drawn.add_scatter(
            x=ranks[kept],
            y=scores[places][kept],
            mode="lines",
            line={"color": colour, "width": width},
            fill="tozeroy" if fill else "none",
            fillcolor=see_through(accent, 0.22),
            hovertemplate="rank %{x:,}<br>score %{y:.4g}<extra></extra>",
        )

    line(np.ones(places.size, dtype=bool), accent, 2.0, fill=False)
    if k is not None:
        line(places < k, accent, 2.0, fill=True)
    if (scores == 0).any():
        line(scores[places] == 0, on_page(NEUTRAL, dark), 5.0, fill=False)
    if k is not None and 0 < k <= scores.size:
        drawn.add_vline(x=k, line={"color": look.ink, "width": 1.5, "dash": "dot"})
        late = k > scores.size / 2
        drawn.add_annotation(
            x=k, y=1, yref="paper", text=f"<b>k = {k:,}</b>", showarrow=False,
            xanchor="right" if late else "left", yanchor="top", xshift=-6 if late else 6,
            font={"size": SMALL, "color": look.ink},
        )  # fmt: skip
    drawn.update_xaxes(axis(dark, f"Rank of the {feature}", grid=False, tickformat=",d"))
    drawn.update_yaxes(axis(dark, "Score ‖w_j‖", rangemode="tozero", nticks=5))
    return drawn


def _places(scores: NDArray[np.float64], k: int | None) -> NDArray[np.intp]:
    """Choose what is drawn: evenly, with the ends of the filled part and of the zeros."""
    zero = int((scores == 0).sum())
    corners = [scores.size - zero - 1, scores.size - zero]
    if k is not None:
        corners.append(k - 1)
    inside = [c for c in corners if 0 <= c < scores.size]
    return np.unique(
        np.concatenate([thin(scores.size, MAX_POINTS), np.array(inside, dtype=np.intp)])
    )
