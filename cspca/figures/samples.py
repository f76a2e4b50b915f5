"""Clouds of samples, and what tells two groups of them apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import ArrayLike

from cspca.figures import style
from cspca.figures.pictures import Picture
from cspca.figures.style import IMPORTANCE, NEUTRAL, RGB, hex_to_rgb, named_axis, short, to_rgb
from cspca.figures.words import PLAIN, Nouns

if TYPE_CHECKING:
    import plotly.graph_objects as go

CLASS_COLOURS: Final = (
    "#0072B2", "#D55E00", "#009E73", "#C27F00", "#C8709F", "#3A9AD6", "#4A5560", "#8A6FDF",
)  # fmt: skip
"""Okabe and Ito's colours, the light ones darkened to 3:1 against white, and two of our own."""

CLASS_SHAPES: Final = ("circle", "square", "triangle", "diamond", "cross", "ring")
"""Marks: after the last colour the next shape begins, so that 48 classes differ in either."""


def class_marks(n_classes: int, dark: bool) -> list[tuple[str, str]]:
    """Return colour and shape of each class; after 48 they are used again."""
    colours = [style.on_page(colour, dark) for colour in CLASS_COLOURS]
    return [
        (colours[number % len(colours)], CLASS_SHAPES[number // len(colours) % len(CLASS_SHAPES)])
        for number in range(n_classes)
    ]


def density_rgba(counts: ArrayLike) -> Picture:
    """Colour counts of a histogram by their logarithm; empty cells are transparent."""
    cells = np.asarray(counts)
    levels = np.log1p(cells)
    rgb = to_rgb(levels, IMPORTANCE, 0.0, float(levels.max(initial=0.0)))
    alpha = np.where(cells > 0, 255, 0).astype(np.uint8)
    return np.dstack([rgb, alpha])


def contrast_rgb(values: ArrayLike, drawn: ArrayLike, dark: bool = False) -> RGB:
    """Colour signed values of pixels, those that are not drawn or not defined in a flat grey.

    Parameters
    ----------
    values : array-like of shape (height, width)
        NaN where not defined. The scale reaches as far as the largest of all.
    drawn : array-like of bool, shape (height, width)
        Pixels that are drawn.
    dark : bool
        Whether the page is dark.
    """
    plane = np.asarray(values, dtype=np.float64)
    reach = float(np.nan_to_num(np.abs(plane)).max(initial=0.0)) or 1.0
    table = style.DIVERGING_DARK if dark else style.DIVERGING
    rgb = to_rgb(np.nan_to_num(plane), table, -reach, reach)
    rgb[np.isnan(plane) | ~np.asarray(drawn, dtype=bool)] = hex_to_rgb(NEUTRAL)
    return rgb


def contrast_alt(values: ArrayLike, drawn: ArrayLike) -> str:
    """Describe a picture of :func:`contrast_rgb` in one sentence."""
    plane, shown = np.asarray(values, dtype=np.float64), np.asarray(drawn, dtype=bool)
    there = plane[shown & ~np.isnan(plane)]
    without = f"{int(np.count_nonzero(np.isnan(plane[shown]))):,} not defined"
    if not there.size:
        return f"Difference ÷ deviation: of {int(shown.sum()):,} pixels {without}."
    return (
        f"Difference ÷ deviation of {int(shown.sum()):,} pixels: {int((there > 0).sum()):,} "
        f"positive and {int((there < 0).sum()):,} negative, from {there.min():.3g} to "
        f"{there.max():.3g}; {without}."
    )


def contrast_bars(
    names: Sequence[str], values: ArrayLike, question: str, nouns: Nouns = PLAIN
) -> go.Figure:
    """Draw signed values of features as bars beside their names.

    Parameters
    ----------
    names : sequence of str
        Of the features, the most different first.
    values : array-like of shape (n_features,)
        Difference of the means over the deviation.
    question : str
        Title of the figure.
    nouns : Nouns
        What the features are called.
    """
    sizes = np.asarray(values, dtype=np.float64)
    alt = f"No {nouns.feature} has a difference that is defined."
    if sizes.size:
        alt = f"The most different {nouns.feature} is {names[0]}, by {sizes[0]:+.3g} deviations."
    drawn = style.figure(question, alt, height=24 * max(sizes.size, 3) + 64)
    colours = style.DIVERGING[[208, 48]]
    drawn.add_bar(
        x=sizes,
        y=np.arange(sizes.size),
        orientation="h",
        marker={"color": [style.rgb_to_hex(colours[int(size < 0)]) for size in sizes.tolist()]},
        hovertext=style.on_hover(names, [f"{size:+.3g} deviations" for size in sizes.tolist()]),
    )
    ends = [max(sizes.size, 1) - 0.4, -0.6]
    drawn.update_yaxes(named_axis([short(name, 34) for name in names], range=ends))
    drawn.update_xaxes(title_text="Difference ÷ deviation", nticks=6, rangemode="tozero")
    return drawn
