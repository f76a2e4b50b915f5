"""What is drawn along an axis, such as wavelengths: samples, importance, components, choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cspca.figures import style
from cspca.figures.style import ACCENT, LIGHT, NEUTRAL, short
from cspca.figures.words import Nouns

if TYPE_CHECKING:
    import plotly.graph_objects as go

Floats = NDArray[np.float64]
Ranges = Sequence[tuple[int, int]]
"""Features that follow each other: the first and the last of each range."""

REBUILT: Final = "#D55E00"
"""Colour of what is rebuilt, beside the accent of what was measured."""

_MOST_POINTS: Final = 2000
"""Most points of a curve; of more, as many as are seen are drawn."""

_SHADE: Final = 0.16
_ROW: Final = 34
"""Height of one method's row, in pixels."""

_PANEL: Final = 120
"""Height of one component's panel, in pixels."""

_BELOW_PANELS: Final = 110
"""Room for the margins, the title of the axis and the legend, in pixels."""


class Axis(Protocol):
    """The axis of a data set, as far as it is drawn."""

    @property
    def values(self) -> Sequence[float]:
        """Place of each feature, rising or falling all along."""

    @property
    def title(self) -> str:
        """What stands below a chart."""

    @property
    def nouns(self) -> Nouns:
        """What the samples along it, and its points, are called."""

    def name(self, feature: int) -> str:
        """Value of a feature with its unit."""


def add_curve(drawn: go.Figure, axis: Axis, values: ArrayLike, colour: str, **look: Any) -> None:
    """Add a line along an axis, which runs as in the file."""
    heights = np.asarray(values, dtype=np.float64)
    points = _points(heights)
    places = np.asarray(axis.values, dtype=np.float64)
    name = look.get("name", "")
    options = {
        "mode": "lines",
        "line": {"color": colour, "width": 1.5},
        "hovertemplate": f"{style.escape(name)} %{{x:~g}}: %{{y:.4g}}<extra></extra>".lstrip(),
    }
    drawn.add_scatter(x=places[points], y=heights[points], **options | look)
    _run_along(drawn, axis)


def _points(heights: Floats) -> NDArray[np.intp]:
    """Choose the points that are drawn: of many the least and the greatest of each few."""
    if len(heights) <= _MOST_POINTS:
        return np.arange(len(heights))
    finite = np.where(np.isfinite(heights), heights, 0.0)
    parts = np.array_split(np.arange(len(heights)), _MOST_POINTS // 2 - 1)
    ends = [part[[np.argmin(finite[part]), np.argmax(finite[part])]] for part in parts]
    return np.unique(np.concatenate([[0], *ends, [len(heights) - 1]]))


def _run_along(drawn: go.Figure, axis: Axis) -> None:
    ends = [float(axis.values[0]), float(axis.values[-1])]
    drawn.update_xaxes(
        range=ends, showgrid=False, tickformat="~g", nticks=10, title_text=style.escape(axis.title)
    )


def _shade(drawn: go.Figure, axis: Axis, ranges: Ranges) -> None:
    """Shade ranges of features from the top to the bottom, each to halfway to its neighbours."""
    edges = edges_of(axis)
    for first, last in ranges:
        drawn.add_shape(
            x0=edges[first], x1=edges[last + 1], y0=0, y1=1, yref="paper", layer="below",
            line_width=0, fillcolor=style.see_through(ACCENT, _SHADE),
        )  # fmt: skip


def edges_of(axis: Axis) -> Floats:
    """Where the features begin and end: halfway between neighbours, one number more than them."""
    values = np.asarray(axis.values, dtype=np.float64)
    middles = (values[1:] + values[:-1]) / 2
    start, end = values[0] - (middles[0] - values[0]), values[-1] + (values[-1] - middles[-1])
    return np.concatenate([[start], middles, [end]])


def sample_curves(axis: Axis, samples: ArrayLike, n_samples: int) -> go.Figure:
    """Draw some of `n_samples` samples as curves along an axis."""
    curves = np.asarray(samples, dtype=np.float64)
    alt = (
        f"{len(curves):,} of {n_samples:,} {axis.nouns.samples}, from {axis.name(0)} to "
        f"{axis.name(-1)}, with values from {curves.min():.3g} to {curves.max():.3g}."
    )
    drawn = style.figure(f"What do the {axis.nouns.samples} look like?", alt, height=320)
    for curve in curves:
        add_curve(drawn, axis, curve, style.see_through(ACCENT, 0.5))
    drawn.update_yaxes(title_text="Value", nticks=5)
    return drawn


def range_choice(axis: Axis, samples: ArrayLike, chosen: Ranges) -> go.Figure:
    """Draw samples along an axis for ranges to be dragged over; those chosen are shaded."""
    curves = np.asarray(samples, dtype=np.float64)
    alt = f"{len(curves):,} {axis.nouns.samples}, from {axis.name(0)} to {axis.name(-1)}."
    drawn = style.figure("Which ranges?", alt, height=260)
    _shade(drawn, axis, chosen)
    for curve in curves:
        add_curve(drawn, axis, curve, style.see_through(NEUTRAL, 0.55), hoverinfo="skip")
    drawn.update_yaxes(nticks=4)
    return drawn.update_layout(dragmode="select", selectdirection="h")


def importance_curve(
    axis: Axis, scores: ArrayLike, used: Ranges, used_words: str, mean: ArrayLike | None = None
) -> go.Figure:
    """Draw the scores of features along their axis, below them the mean sample.

    Parameters
    ----------
    axis : Axis
    scores : array of shape (n_features,)
    used : sequence of (int, int)
        Ranges of features in use, which are shaded.
    used_words : str
        The same in words.
    mean : array of shape (n_features,), optional
        Mean of the samples, drawn on a scale of its own.
    """
    heights = np.asarray(scores, dtype=np.float64)
    best = int(np.argmax(heights))
    alt = (
        f"The highest score, {heights[best]:.4g}, is at {axis.name(best)}; in use: {used_words}."
        if used
        else "All scores are exactly zero."
    )
    drawn = style.figure("Where along the axis?", alt, height=300)
    _shade(drawn, axis, used)
    if mean is not None:
        add_curve(
            drawn, axis, mean, NEUTRAL, name=f"Mean {axis.nouns.sample}", yaxis="y2",
            showlegend=True, line={"color": NEUTRAL, "width": 1.2, "dash": "dot"},
        )  # fmt: skip
    add_curve(
        drawn, axis, heights, ACCENT, name="Score ‖w<sub>j</sub>‖", showlegend=True,
        fill="tozeroy", fillcolor=style.see_through(ACCENT, 0.22),
        hovertemplate="%{x:~g}: score %{y:.4g}<extra></extra>",
    )  # fmt: skip
    drawn.update_yaxes(title_text="Score ‖w<sub>j</sub>‖", rangemode="tozero", nticks=5)
    drawn.update_layout(
        showlegend=True,
        yaxis2={"overlaying": "y", "visible": False, "fixedrange": True},
    )
    return drawn


def value_curve(
    axis: Axis, values: ArrayLike, question: str, measured: str, used: Ranges = ()
) -> go.Figure:
    """Draw a number of each feature along the axis, such as a share of halves; `used` is shaded.

    `measured` says what the numbers are, for the side of the chart. A feature without a number,
    NaN, is a gap.
    """
    heights = np.asarray(values, dtype=np.float64)
    alt = f"No {axis.nouns.feature} has a number."
    if np.isfinite(heights).any():
        least, most = int(np.nanargmin(heights)), int(np.nanargmax(heights))
        alt = (
            f"{measured}: from {heights[least]:.3g} at {axis.name(least)} to {heights[most]:.3g} "
            f"at {axis.name(most)}."
        )
    drawn = style.figure(question, alt, height=260)
    _shade(drawn, axis, used)
    add_curve(drawn, axis, heights, ACCENT)
    drawn.update_yaxes(title_text=measured, nticks=5)
    return drawn


def rebuilt_curve(
    axis: Axis, sample: ArrayLike, rebuilt: ArrayLike, used: Ranges, name: str
) -> go.Figure:
    """Draw a sample along its axis and what is rebuilt of it; features in use are shaded."""
    before, after = (np.asarray(values, dtype=np.float64) for values in (sample, rebuilt))
    off = np.abs(after - before)
    worst = int(np.argmax(off))
    alt = (
        f"{name}, rebuilt with a mean error of {off.mean():.3g}; it is farthest off, by "
        f"{off[worst]:.3g}, at {axis.name(worst)}."
    )
    drawn = style.figure(f"What is rebuilt of the {axis.nouns.sample}?", alt, height=260)
    _shade(drawn, axis, used)
    add_curve(drawn, axis, before, LIGHT.ink, name="Measured", showlegend=True)
    add_curve(drawn, axis, after, REBUILT, name="Rebuilt", showlegend=True)
    drawn.update_yaxes(title_text="Value", nticks=5)
    return drawn.update_layout(showlegend=True)


def component_curves(
    axis: Axis,
    components: ArrayLike,
    pca_components: ArrayLike,
    titles: Sequence[str],
    *,
    are_weights: bool = False,
) -> go.Figure:
    """Draw components, or their weights, along the axis, each over the one of PCA, of one scale."""
    ours, pca = (np.asarray(rows, dtype=np.float64) for rows in (components, pca_components))
    count = len(ours)
    peaks = ", ".join(axis.name(int(np.argmax(np.abs(row)))) for row in ours)
    alt = f"{count} components; their largest entries are at {peaks}."
    question = f"What is every {axis.nouns.sample} rebuilt from?"
    if are_weights:
        alt = f"Weights of {count} components; the largest are at {peaks}."
        question = f"What is every {axis.nouns.sample} read by?"
    drawn = style.figure(question, alt, height=_PANEL * count + _BELOW_PANELS)
    reach = 1.05 * max(np.abs(ours).max(), np.abs(pca).max())
    share = 1 / count
    for number, (row, other) in enumerate(zip(ours, pca, strict=True)):
        name = "y" if number == 0 else f"y{number + 1}"
        is_first = number == 0
        look = {"yaxis": name, "showlegend": is_first}
        add_curve(drawn, axis, other, NEUTRAL, name="PCA", **look)
        add_curve(drawn, axis, row, ACCENT, name="CSPCA", **look)
        top = 1 - number * share
        drawn.update_layout(
            {
                f"yaxis{'' if is_first else number + 1}": {
                    "domain": [top - 0.82 * share, top - 0.12 * share],
                    "range": [-reach, reach],
                    "nticks": 3,
                    "zeroline": True,
                    "zerolinecolor": LIGHT.line,
                    "fixedrange": True,
                }
            }
        )
        drawn.add_annotation(
            text=style.escape(titles[number]), x=0, xref="paper", xanchor="left",
            y=top, yref="paper", yanchor="top", font_size=style.SMALL,
        )  # fmt: skip
    drawn.update_xaxes(anchor=f"y{count}" if count > 1 else "y")
    return drawn.update_layout(showlegend=True)


def selected_ranges(
    axis: Axis, selections: Mapping[str, tuple[Ranges, str]], mean: ArrayLike, words: str
) -> go.Figure:
    """Draw which ranges several methods select, one row each, above the mean sample.

    Parameters
    ----------
    axis : Axis
    selections : mapping of str to (ranges, colour)
        By the title of a method.
    mean : array of shape (n_features,)
    words : str
        The chart in words.
    """
    titles = list(selections)
    drawn = style.figure("Where do they select?", words, height=_ROW * len(titles) + 190)
    add_curve(drawn, axis, mean, NEUTRAL, name=f"Mean {axis.nouns.sample}", yaxis="y2")
    edges = edges_of(axis)
    for row, (ranges, colour) in enumerate(selections.values()):
        for first, last in ranges:
            drawn.add_shape(
                x0=edges[first], x1=edges[last + 1], y0=row - 0.32, y1=row + 0.32,
                line_width=0, fillcolor=colour,
            )  # fmt: skip
    # Shapes alone leave an axis without a trace undrawn.
    drawn.add_scatter(
        x=[float(axis.values[0])], y=[0], mode="markers", marker_opacity=0, hoverinfo="skip"
    )
    part = 120 / (_ROW * len(titles) + 190)
    names = [short(title, 20) for title in titles]
    rows = style.named_axis(names, range=[len(titles) - 0.5, -0.5], domain=[part, 1])
    drawn.update_layout(
        yaxis=rows | {"fixedrange": True},
        yaxis2={"domain": [0, 0.85 * part], "fixedrange": True, "nticks": 3, "title": "Mean"},
    )
    drawn.update_xaxes(anchor="y2")
    return drawn
