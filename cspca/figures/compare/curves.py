"""How many features are enough: the score of each method against their number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from cspca.figures.colours import METHOD_SHAPES, method_colour
from cspca.figures.plotly_style import (
    IN_LEGEND,
    axis,
    escape,
    figure,
    floats,
    known,
    legend_below,
    number,
    palette,
    see_through,
    short,
    spread,
)

# The markers of the vega-lite charts, by Plotly's names.
_SYMBOLS = {
    "stroke": "line-ew",
    "triangle-up": "triangle-up",
    "triangle-down": "triangle-down",
    "triangle-left": "triangle-left",
    "triangle-right": "triangle-right",
    "diamond": "diamond",
    "square": "square",
    "cross": "cross",
    "circle": "circle",
}
_LEVEL = "AllFeatures"
_BANDED = "CSPCA"


@dataclass(frozen=True)
class Curve:
    """One method's scores over the number of features.

    Parameters
    ----------
    title : str
        Its name on screen.
    colour_key : str
        Its class name, by which `METHOD_COLOURS` knows it.
    n_features : sequence of int, length m
    mean : sequence of float or None, length m
        None or NaN where there is no score yet.
    std : sequence of float or None, length m or 0
        Over the runs; empty, None or NaN where there is none.
    """

    title: str
    colour_key: str
    n_features: Sequence[int]
    mean: Sequence[float | None]
    std: Sequence[float | None] = ()

    def __post_init__(self) -> None:
        if len(self.mean) != len(self.n_features) or len(self.std) not in (0, len(self.mean)):
            raise ValueError(
                f"The curve {self.title!r} has {len(self.n_features)} numbers of features, "
                f"{len(self.mean)} means and {len(self.std)} standard deviations; give one of "
                "each a point."
            )

    def points(self) -> list[tuple[int, float, float]]:
        """Points that have a score, by number of features; their std may be NaN."""
        means = floats(self.mean)
        stds = floats(self.std) if len(self.std) else np.full(len(means), np.nan)
        found = zip(self.n_features, means.tolist(), stds.tolist(), strict=True)
        return sorted((n, m, s) for n, m, s in found if math.isfinite(m))


def feature_curves(
    curves: Sequence[Curve],
    metric_title: str,
    *,
    dark: bool,
    as_percent: bool = True,
    features: str = "features",
) -> go.Figure:
    """Draw one line a method; All-Features is a dashed level, and CSPCA has a band of ± std.

    Parameters
    ----------
    curves : sequence of Curve
        In the order of the legend.
    metric_title : str
        Name of the axis, without its unit.
    dark : bool
        Whether the page is dark.
    as_percent : bool, default=True
        Whether scores are fractions to be shown in per cent.
    features : str, default="features"
        What several columns of the data are called, such as ``"pixels"``.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    rows = math.ceil(len(curves) / 2)
    # The legend lies below, and may need a row for every two names on a phone.
    drawn = figure(dark, 330 + 21 * rows)
    numbers = [n for c in curves if c.colour_key != _LEVEL for n, _, _ in c.points()]
    if not numbers:
        numbers = [n for c in curves for n, _, _ in c.points()]
    low, high = (min(numbers), max(numbers)) if numbers else (0, 1)
    pad = 0.04 * (high - low) if high > low else max(1.0, 0.1 * high)
    ends = (low - pad, high + pad)
    # CSPCA is drawn last, on top of the others.
    for rank, curve in sorted(enumerate(curves), key=lambda p: p[1].colour_key == _BANDED):
        _add(drawn, curve, rank, ends, metric_title, dark, as_percent, features)
    drawn.update_xaxes(
        axis(dark, f"Number of {features}", grid=False, range=list(ends), nticks=8, tickformat=",d")
        # Between neighbouring whole numbers there is nothing to name.
        | ({"dtick": 1} if high - low < 8 else {})
        | {"showline": True, "linecolor": palette(dark).quiet}
    )
    drawn.update_yaxes(
        axis(dark, metric_title + (" (%)" if as_percent else ""), nticks=6, rangemode="normal")
        # A share ends at all of them, whatever the spread.
        | ({"autorangeoptions": {"clipmax": 100}} if as_percent else {})
    )
    drawn.update_layout(
        showlegend=len(curves) > 1,
        legend=legend_below(dark),
    )
    return drawn


def alt_feature_curves(
    curves: Sequence[Curve],
    metric_title: str,
    *,
    dark: bool = False,
    as_percent: bool = True,
    features: str = "features",
) -> str:
    """Describe `feature_curves` in one sentence.

    Parameters
    ----------
    curves, metric_title, dark, as_percent, features
        As drawn; `dark` changes nothing.

    Returns
    -------
    str
    """
    parts = []
    for curve in curves:
        points = curve.points()
        if not points:
            continue
        if curve.colour_key == _LEVEL:
            parts.append(f"{curve.title} {number(points[-1][1], as_percent=as_percent)}")
            continue
        scores = sorted((m, n) for n, m, _ in points)
        least, most = scores[0], scores[-1]
        text = f"{curve.title} {number(most[0], as_percent=as_percent)} with {most[1]:,}"
        if len(points) > 1:
            text = (
                f"{curve.title} from {number(least[0], as_percent=as_percent)} with "
                f"{least[1]:,} to {number(most[0], as_percent=as_percent)} with {most[1]:,}"
            )
        parts.append(text)
    if not parts:
        return f"No method has a score for {metric_title} yet."
    return f"{metric_title} against the number of {features}: {'; '.join(parts)}."


def _add(
    drawn: go.Figure,
    curve: Curve,
    rank: int,
    ends: tuple[float, float],
    metric_title: str,
    dark: bool,
    as_percent: bool,
    features: str,
) -> None:
    colour = method_colour(curve.colour_key, dark)
    factor = 100.0 if as_percent else 1.0
    points = curve.points()
    # In the legend the methods keep the order given, whatever is drawn first.
    name = {"name": short(curve.title, IN_LEGEND), "legendgroup": str(rank), "legendrank": rank + 1}

    def words(n: int, mean: float, std: float) -> str:
        return (
            f"<b>{escape(curve.title)}</b><br>{n:,} {features}<br>{escape(metric_title)}: "
            f"{spread(mean, std, as_percent=as_percent)}"
        )

    if curve.colour_key == _LEVEL:
        if not points:
            return
        n, mean, std = points[-1]
        if known(std):
            level = (mean - std, mean - std, mean + std, mean + std)
            _band(drawn, [*ends, *ends[::-1]], [factor * v for v in level], colour, str(rank))
        # Points along the line, so that a pointer finds it everywhere.
        along = np.linspace(*ends, 25)
        drawn.add_scatter(
            x=along,
            y=np.full(along.shape, factor * mean),
            mode="lines",
            line={"color": colour, "width": 2, "dash": "dash"},
            hovertext=words(n, mean, std),
            hoverinfo="text",
            **name,
        )
        return
    whiskers = None
    if curve.colour_key == _BANDED:
        with_std = [p for p in points if known(p[2])]
        if len(points) == 1:
            whiskers = {"array": [factor * s for _, _, s in points], "thickness": 1.5, "width": 4}
        elif len(with_std) > 1:
            x, m, s = (np.array(column, dtype=np.float64) for column in zip(*with_std, strict=True))
            around = np.concatenate([m - s, (m + s)[::-1]])
            _band(drawn, np.concatenate([x, x[::-1]]), factor * around, colour, str(rank))
    drawn.add_scatter(
        x=[n for n, _, _ in points],
        y=[factor * m for _, m, _ in points],
        mode="lines+markers",
        error_y=whiskers,
        line={"color": colour, "width": 3 if curve.colour_key == _BANDED else 1.75},
        marker={
            "symbol": _SYMBOLS[METHOD_SHAPES.get(curve.colour_key, "circle")],
            "size": 9 if curve.colour_key == _BANDED else 8,
            "color": colour,
        },
        hovertext=[words(*point) for point in points],
        hoverinfo="text",
        **name,
    )


def _band(
    drawn: go.Figure,
    x: Sequence[float] | np.ndarray,
    y: Sequence[float] | np.ndarray,
    colour: str,
    group: str,
) -> None:
    drawn.add_scatter(
        x=x,
        y=y,
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=see_through(colour, 0.15),
        legendgroup=group,
        showlegend=False,
        hoverinfo="skip",
        name="± std",
    )
