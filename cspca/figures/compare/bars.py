"""Which method is best: one bar a method, mean ± std over the runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from cspca.figures.colours import method_colour
from cspca.figures.compare.rows import named_rows
from cspca.figures.plotly_style import SMALL, axis, escape, floats, known, palette, spread

_MARKS = {"best": "best", "close": "≈ best"}
_SPOKEN = {"best": "best", "close": "not significantly worse"}
_CLOSE = "≈ best: not significantly worse than the best"


@dataclass(frozen=True)
class Bar:
    """One method's score.

    Parameters
    ----------
    title : str
        Its name on screen.
    colour_key : str
        Its class name, by which `METHOD_COLOURS` knows it.
    mean : float or None
        None or NaN where there is no score yet.
    std : float or None
        Over the runs; None or NaN where there is none.
    mark : {"best", "close", ""}, default=""
        Best, or not significantly worse than the best.
    """

    title: str
    colour_key: str
    mean: float | None
    std: float | None
    mark: str = ""


def score_bars(
    bars: Sequence[Bar], metric_title: str, *, dark: bool, as_percent: bool = True
) -> go.Figure:
    """Draw one bar a method with its mean ± std; best and not significantly worse are said.

    Parameters
    ----------
    bars : sequence of Bar
        From the top, in the order given.
    metric_title : str
        Name of the axis, without its unit.
    dark : bool
        Whether the page is dark.
    as_percent : bool, default=True
        Whether scores are fractions to be shown in per cent.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    factor = 100.0 if as_percent else 1.0
    means = factor * floats([bar.mean for bar in bars])
    stds = factor * floats([bar.std for bar in bars])
    drawn = named_rows(
        [bar.title for bar in bars],
        [_words(bar, as_percent) for bar in bars],
        [bar.mark == "best" for bar in bars],
        dark,
    )
    drawn.add_bar(
        x=means,
        y=np.arange(len(bars)),
        orientation="h",
        # Below the words of the row.
        offset=0.02,
        width=0.3,
        marker={"color": [method_colour(bar.colour_key, dark) for bar in bars]},
        error_x={
            "type": "data",
            "array": stds,
            "color": palette(dark).ink,
            "thickness": 1.5,
            "width": 4,
        },
        hovertext=[
            f"<b>{escape(bar.title)}</b><br>{escape(metric_title)}: "
            f"{_words(bar, as_percent, _SPOKEN)}"
            for bar in bars
        ],
        hoverinfo="text",
        cliponaxis=False,
    )
    whiskers = np.nan_to_num(stds)
    low = float(np.nanmin(means - whiskers, initial=0.0))
    high = float(np.nanmax(means + whiskers, initial=0.0))
    if low == high:
        high = factor
    drawn.update_xaxes(
        axis(
            dark,
            metric_title + (" (%)" if as_percent else ""),
            grid=False,
            range=[1.03 * low, 1.03 * high],
            zeroline=True,
            zerolinecolor=palette(dark).quiet,
            nticks=6,
        )
    )
    if any(bar.mark == "close" for bar in bars):
        # There is no room in the row for more than a sign.
        title = drawn.layout.xaxis.title
        title.text += f"<br><span style='font-size:{SMALL}px'>{_CLOSE}</span>"
        drawn.update_layout(height=drawn.layout.height + 18)
    return drawn


def alt_score_bars(
    bars: Sequence[Bar], metric_title: str, *, dark: bool = False, as_percent: bool = True
) -> str:
    """Describe `score_bars` in one sentence.

    Parameters
    ----------
    bars, metric_title, dark, as_percent
        As drawn; `dark` changes nothing.

    Returns
    -------
    str
    """
    there = [bar for bar in bars if known(bar.mean)]
    if not there:
        return f"No method has a score for {metric_title} yet."
    said = "; ".join(f"{bar.title} {_words(bar, as_percent, _SPOKEN)}" for bar in there)
    missing = len(bars) - len(there)
    rest = f"; {missing} without a score" if missing else ""
    return f"{metric_title}, mean ± standard deviation: {said}{rest}."


def _words(bar: Bar, as_percent: bool, marks: Mapping[str, str] = _MARKS) -> str:
    if not known(bar.mean):
        return "no score"
    text = spread(bar.mean, bar.std, as_percent=as_percent)
    return f"{text} · {marks[bar.mark]}" if bar.mark in marks else text
