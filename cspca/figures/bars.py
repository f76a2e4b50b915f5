"""One bar a name: the sizes of classes, the spread of features, the best features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from cspca.figures.colours import ACCENT
from cspca.figures.style import escape, figure, named_axis, short

if TYPE_CHECKING:
    import plotly.graph_objects as go

MOST_BARS = 30
"""Features that are listed as the best."""

MOST_DRAWN = 500
"""Bars that a chart has room for; of more the first are drawn."""


def class_sizes(names: Sequence[str], counts: Sequence[int]) -> go.Figure:
    """Draw how many samples each class has; up to 40 classes are named, more are numbered."""
    sizes = list(counts)
    alt = "There are no classes."
    if sizes and min(sizes) == max(sizes):
        alt = f"All {len(sizes)} classes have {sizes[0]:,} samples each."
    elif sizes:
        alt = f"{len(sizes)} classes of {min(sizes):,} to {max(sizes):,} samples."
    drawn = figure("Are the classes of one size?", alt, height=240)
    values = np.array(sizes, dtype=np.float64)
    if len(sizes) > 40:
        return _numbered(drawn, names, values, "{:,.0f} samples", "Class", "Samples")
    _add_bars(drawn, names, values, "{:,.0f} samples", x=np.arange(values.size), y=values)
    turned = -40 if sum(map(len, names)) > 90 else 0
    drawn.update_xaxes(named_axis([short(name, 18) for name in names], tickangle=turned))
    drawn.update_yaxes(title_text="Samples", nticks=5, rangemode="tozero")
    return drawn


def feature_spread(names: Sequence[str], deviation: ArrayLike) -> go.Figure:
    """Draw the standard deviation of every feature; up to 16 are named, more are numbered."""
    values = np.asarray(deviation, dtype=np.float64)
    alt = "There are no features."
    if values.size:
        still = int((values == 0).sum())
        alt = (
            f"Standard deviations run from {values.min():.3g} to {values.max():.3g} "
            f"({names[int(values.argmax())]})"
        )
        if still:
            verb = "never changes" if still == 1 else "never change"
            alt += f"; {still:,} of {values.size:,} features {verb}"
        alt += "."
    drawn = figure("Which features vary most?", alt, height=240)
    if len(values) > 16:
        return _numbered(drawn, names, values, "{:.3g}", "Feature", "Standard deviation")
    return _beside(drawn, names, values, "{:.3g}", "Standard deviation", 24)


def best_features(names: Sequence[str], scores: ArrayLike) -> go.Figure:
    """Draw the best features by name, best first, `MOST_BARS` at most."""
    values = np.asarray(scores, dtype=np.float64)[:MOST_BARS]
    shown = list(names)[: values.size]
    alt = "There are no features."
    if shown:
        alt = f"The best feature is {shown[0]} with a score of {values[0]:.4g}."
    height = 24 * max(values.size, 3) + 64
    drawn = figure("Which features are best?", alt, height=height)
    return _beside(drawn, shown, values, "score {:.4g}", "Score ‖w_j‖", 34)


def _numbered(
    drawn: go.Figure, names: Sequence[str], values: np.ndarray, said: str, one: str, unit: str
) -> go.Figure:
    """Stand bars side by side; numbers count from 1."""
    some = values[:MOST_DRAWN]
    _add_bars(drawn, names, some, said, x=1 + np.arange(some.size), y=some)
    drawn.update_xaxes(title_text=f"{one} (number)", showgrid=False, tickformat=",d")
    drawn.update_yaxes(title_text=unit, nticks=5, rangemode="tozero")
    return drawn


def _beside(
    drawn: go.Figure, names: Sequence[str], values: np.ndarray, said: str, unit: str, longest: int
) -> go.Figure:
    """Lay bars down, from the top; names beside them are read without turning the head."""
    _add_bars(drawn, names, values, said, x=values, y=np.arange(values.size), orientation="h")
    ends = [max(len(names), 1) - 0.4, -0.6]
    drawn.update_yaxes(named_axis([short(name, longest) for name in names], range=ends))
    drawn.update_xaxes(title_text=unit, nticks=6, rangemode="tozero")
    return drawn


def _add_bars(
    drawn: go.Figure, names: Sequence[str], values: np.ndarray, said: str, **bars: object
) -> None:
    drawn.add_bar(
        **bars,
        marker={"color": ACCENT},
        hovertext=[
            f"<b>{escape(name)}</b><br>{said.format(value)}"
            for name, value in zip(names, values.tolist(), strict=False)
        ],
        hoverinfo="text",
    )
