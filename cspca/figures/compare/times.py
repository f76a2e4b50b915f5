"""What each method costs: seconds of selection, and of the clusterings after it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

import plotly.graph_objects as go

from cspca.figures.colours import method_colour
from cspca.figures.compare.rows import named_rows
from cspca.figures.plotly_style import SMALL, axis, duration, escape, palette

_LEAST = 1e-4
"""Seconds below which a clock says little; shorter times stand here on a log axis."""


@dataclass(frozen=True)
class TimeBar:
    """One method's times.

    Parameters
    ----------
    title : str
        Its name on screen.
    colour_key : str
        Its class name, by which `METHOD_COLOURS` knows it.
    selection : float or None
        Seconds to select features; None where nothing is selected.
    clustering : float or None
        Seconds of the clusterings; None where there were none.
    """

    title: str
    colour_key: str
    selection: float | None
    clustering: float | None


def time_bars(bars: Sequence[TimeBar], *, dark: bool) -> go.Figure:
    """Draw two marks a method: full for selection, hollow for clustering.

    Parameters
    ----------
    bars : sequence of TimeBar
        From the top, in the order given.
    dark : bool
        Whether the page is dark.

    Returns
    -------
    plotly.graph_objects.Figure
        On a log axis when times span more than a power of ten. A log axis has no zero for a bar
        to stand on, so times are marks, joined by a line.
    """
    look = palette(dark)
    drawn = named_rows(
        [bar.title for bar in bars], [_words(bar) for bar in bars], [False] * len(bars), dark
    )
    times = [t for bar in bars for t in (bar.selection, bar.clustering) if _there(t)]
    kept = [max(t, _LEAST) for t in times]
    log = bool(kept) and max(kept) > 10 * min(kept)

    def place(value: float | None) -> float | None:
        if not _there(value):
            return None
        return max(value, _LEAST) if log else value

    for y, bar in enumerate(bars):
        ends = [place(bar.selection), place(bar.clustering)]
        if None not in ends:
            drawn.add_scatter(
                x=ends,
                y=[y + 0.17] * 2,
                mode="lines",
                line={"color": look.line, "width": 3},
                hoverinfo="skip",
                showlegend=False,
            )
    colours = [method_colour(bar.colour_key, dark) for bar in bars]
    for what, hollow in (("Selection", False), ("Clustering", True)):
        values = [bar.clustering if hollow else bar.selection for bar in bars]
        drawn.add_scatter(
            x=[place(value) for value in values],
            y=[y + 0.17 for y in range(len(bars))],
            mode="markers",
            name=what,
            marker={
                "size": 12,
                "symbol": "circle-open" if hollow else "circle",
                "color": colours,
                "line": {"width": 2.5 if hollow else 0, "color": colours},
            },
            hovertext=[
                f"<b>{escape(bar.title)}</b><br>{what}: {duration(value)}"
                for bar, value in zip(bars, values, strict=True)
            ],
            hoverinfo="text",
            showlegend=False,
            cliponaxis=False,
        )
        # A legend without any method's colour.
        drawn.add_scatter(
            x=[None],
            y=[None],
            mode="markers",
            name=what,
            marker={
                "size": 11,
                "symbol": "circle-open" if hollow else "circle",
                "color": look.quiet,
                "line": {"width": 2.5 if hollow else 0, "color": look.quiet},
            },
            hoverinfo="skip",
        )
    drawn.update_xaxes(axis(dark, "Time (log scale)" if log else "Time (s)") | _scale(kept, log))
    drawn.update_layout(
        height=drawn.layout.height + 26,
        showlegend=True,
        legend={
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1,
            "yanchor": "bottom",
            "font": {"size": SMALL + 1, "color": look.ink},
            "bgcolor": "rgba(0,0,0,0)",
            "itemclick": False,
            "itemdoubleclick": False,
        },
    )
    return drawn


def alt_times(bars: Sequence[TimeBar], *, dark: bool = False) -> str:
    """Describe `time_bars` in one sentence.

    Parameters
    ----------
    bars, dark
        As drawn; `dark` changes nothing.

    Returns
    -------
    str
    """
    said = []
    for bar in bars:
        parts = [
            f"{what} {duration(value)}"
            for what, value in (("selection", bar.selection), ("clustering", bar.clustering))
            if _there(value)
        ]
        if parts:
            said.append(f"{bar.title} {', '.join(parts)}")
    return f"Time of each method: {'; '.join(said)}." if said else "No time was measured yet."


def _words(bar: TimeBar) -> str:
    first = duration(bar.selection) if _there(bar.selection) else "–"
    second = duration(bar.clustering) if _there(bar.clustering) else "–"
    return f"{first} + {second}"


def _there(value: float | None) -> TypeGuard[float]:
    return value is not None and math.isfinite(value) and value >= 0


def _scale(times: Sequence[float], log: bool) -> dict[str, object]:
    if not log:
        return {
            "range": [0, 1.06 * max(times)] if times and max(times) > 0 else [0, 1],
            "nticks": 6,
        }
    low, high = math.log10(min(times)), math.log10(max(times))
    pad = 0.06 * (high - low)
    powers = range(math.floor(low), math.ceil(high) + 1)
    # Seven labels at most, or they run into each other on a phone.
    step = math.ceil(len(powers) / 7)
    return {
        "type": "log",
        "range": [low - pad, high + pad],
        "tickvals": [10.0**p for p in powers][::step],
        "ticktext": [_tick(p) for p in powers][::step],
    }


def _tick(exponent: int) -> str:
    if exponent < -1:
        return f"{10.0 ** (exponent + 3):g} ms"
    return f"{10.0**exponent:,g} s"
