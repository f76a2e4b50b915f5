"""One bar a name: the sizes of classes, the spread of features, the best features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from cspca.figures.colours import ACCENT, on_page
from cspca.figures.style import axis, escape, figure, named_axis, short

if TYPE_CHECKING:
    import plotly.graph_objects as go

MOST_BARS = 30
"""Features that are listed as the best."""

MOST_DRAWN = 500
"""Bars that a chart has room for; of more the first are drawn."""

_LONGEST = 34


def class_sizes(
    names: Sequence[str], counts: Sequence[int], *, height: int = 240, dark: bool = False
) -> go.Figure:
    """Draw how many samples each class has; up to 40 classes are named, more are numbered."""
    sizes = list(counts)
    alt = "There are no classes."
    if sizes and min(sizes) == max(sizes):
        alt = f"All {len(sizes)} classes have {sizes[0]:,} samples each."
    elif sizes:
        alt = f"{len(sizes)} classes of {min(sizes):,} to {max(sizes):,} samples."
    drawn = figure("Are the classes of one size?", alt, dark=dark, height=height)
    named = len(sizes) <= 40
    _add_bars(drawn, names, sizes, "{:,.0f} samples", dark, upright=True, numbered=not named)
    turned = {"tickangle": -40 if sum(map(len, names)) > 90 else 0}
    drawn.update_xaxes(
        named_axis(dark, [short(name, 18) for name in names], **turned)
        if named
        else axis(dark, "Class (number)", grid=False)
    )
    drawn.update_yaxes(axis(dark, "Samples", nticks=5, rangemode="tozero"))
    return drawn


def feature_spread(
    names: Sequence[str], deviation: ArrayLike, *, height: int = 240, dark: bool = False
) -> go.Figure:
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
    drawn = figure("Which features vary most?", alt, dark=dark, height=height)
    named = len(values) <= 16
    _add_bars(drawn, names, values, "{:.3g}", dark, upright=not named, numbered=not named)
    if named:
        # Names lie beside their bars, where they are read without turning the head.
        _beside(drawn, names, 24, dark)
        drawn.update_xaxes(axis(dark, "Standard deviation", nticks=5, rangemode="tozero"))
    else:
        drawn.update_xaxes(axis(dark, "Feature (number)", grid=False, tickformat=",d"))
        drawn.update_yaxes(axis(dark, "Standard deviation", nticks=5, rangemode="tozero"))
    return drawn


def best_features(names: Sequence[str], scores: ArrayLike, *, dark: bool = False) -> go.Figure:
    """Draw the best features by name, best first, `MOST_BARS` at most."""
    values = np.asarray(scores, dtype=np.float64)[:MOST_BARS]
    shown = list(names)[: values.size]
    alt = "There are no features."
    if shown:
        alt = f"The best feature is {shown[0]} with a score of {values[0]:.4g}."
    height = 24 * max(values.size, 3) + 64
    drawn = figure("Which features are best?", alt, dark=dark, height=height)
    _add_bars(drawn, shown, values, "score {:.4g}", dark, upright=False)
    _beside(drawn, shown, _LONGEST, dark)
    drawn.update_xaxes(axis(dark, "Score ‖w_j‖", rangemode="tozero", nticks=6))
    return drawn


def _add_bars(
    drawn: go.Figure,
    names: Sequence[str],
    values: ArrayLike,
    said: str,
    dark: bool,
    *,
    upright: bool,
    numbered: bool = False,
) -> None:
    sizes = np.asarray(values, dtype=np.float64)[:MOST_DRAWN]
    # Numbers count from 1.
    places = np.arange(sizes.size) + (1 if numbered else 0)
    drawn.add_bar(
        x=places if upright else sizes,
        y=sizes if upright else places,
        orientation="v" if upright else "h",
        marker={"color": on_page(ACCENT, dark)},
        hovertext=[
            f"<b>{escape(name)}</b><br>{said.format(size)}"
            for name, size in zip(names, sizes.tolist(), strict=False)
        ],
        hoverinfo="text",
    )


def _beside(drawn: go.Figure, names: Sequence[str], longest: int, dark: bool) -> None:
    ends = [max(len(names), 1) - 0.4, -0.6]
    drawn.update_yaxes(named_axis(dark, [short(name, longest) for name in names], range=ends))
