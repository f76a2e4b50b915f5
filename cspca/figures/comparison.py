"""Figures that compare methods: their scores, what number of features is enough, overlap, cost.

One record a method, which brings its title, its colour and its marker; `how` is the metric, which
knows its title and how a value of it is said.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cspca.figures.style import (
    IN_LEGEND,
    LIGHT,
    SIZE,
    SMALL,
    add_cells,
    escape,
    figure,
    legend_key,
    named_axis,
    see_through,
    short,
)
from cspca.figures.words import duration

if TYPE_CHECKING:
    import plotly.graph_objects as go

Floats = NDArray[np.float64]
Record = Mapping[str, Any]

_ROW = 46
"""Height of a row, in pixels: words above, marks below."""

_LEAST = 1e-4
"""Seconds below which a clock says little; shorter times stand here."""

_SPOKEN = {"best": " · best", "close": " · not significantly worse"}


def _column(records: Sequence[Record], name: str, factor: float = 1.0) -> Floats:
    """Numbers of every record, NaN for None."""
    return factor * np.array([one[name] for one in records], dtype=np.float64)


def _factor(how: Any) -> float:
    return 100.0 if how.percent else 1.0


def _said(how: Any, mean: float, std: float = math.nan) -> str:
    """A score with its spread, where there is one, and its unit."""
    text = how.spread(mean, std) if math.isfinite(std) else how.say(mean)
    return f"{text} %" if how.percent else str(text)


def _named_rows(
    title: str,
    alt: str,
    names: Sequence[str],
    numbers: Sequence[str],
    best: str = "",
) -> go.Figure:
    """Start a figure of one row a method, from the top; names above their rows take no width."""
    count = max(1, len(names))
    drawn = figure(title, alt, height=_ROW * count + 56)
    for y, (name, number) in enumerate(zip(names, numbers, strict=True)):
        for text, side, at, size in (
            (short(name), "left", 0, SIZE),
            (number, "right", 1, SMALL + 1),
        ):
            drawn.add_annotation(
                text=f"<b>{text}</b>" if name == best else text,
                x=at, xref="paper", xanchor=side, align=side, y=y, yref="y", yshift=12,
                font_size=size,
            )  # fmt: skip
    drawn.update_layout(margin={"l": 12, "r": 16})
    drawn.update_yaxes(showgrid=False, showticklabels=False, range=[count - 0.45, -0.62])
    return drawn


def comparison_bars(rows: Sequence[Record], how: Any) -> go.Figure:
    """Draw one bar a method with its mean ± std; best and not significantly worse are said.

    Of each: title, colour, mean, std, mark ("best", "close" or empty).
    """
    means, stds = (_column(rows, name, _factor(how)) for name in ("mean", "std"))
    titles = [row["title"] for row in rows]
    spoken = [_said(how, row["mean"], row["std"]) + _SPOKEN.get(row["mark"], "") for row in rows]
    there = "; ".join(f"{title} {said}" for title, said in zip(titles, spoken, strict=True))
    drawn = _named_rows(
        "How far are they apart?",
        f"{how.title}, mean ± standard deviation: {there}.",
        titles,
        [said.replace("not significantly worse", "≈ best") for said in spoken],
        best=next((row["title"] for row in rows if row["mark"] == "best"), ""),
    )
    drawn.add_bar(
        x=means,
        y=np.arange(len(rows)),
        orientation="h",
        # Below the words of the row.
        offset=0.02,
        width=0.3,
        marker={"color": [row["colour"] for row in rows]},
        error_x={"type": "data", "array": stds, "color": LIGHT.ink, "thickness": 1.5, "width": 4},
        hovertext=[
            f"<b>{escape(title)}</b><br>{escape(how.title)}: {said}"
            for title, said in zip(titles, spoken, strict=True)
        ],
        hoverinfo="text",
        cliponaxis=False,
    )
    title = escape(how.title) + " (%)" * how.percent
    if any(row["mark"] == "close" for row in rows):
        # There is no room in the row for more than a sign.
        close = "≈ best: not significantly worse than the best"
        title += f"<br><span style='font-size:{SMALL}px'>{close}</span>"
        drawn.update_layout(height=drawn.layout.height + 18)
    drawn.update_xaxes(
        title_text=title,
        showgrid=False,
        rangemode="tozero",
        zeroline=True,
        zerolinecolor=LIGHT.quiet,
        nticks=6,
    )
    return drawn


def comparison_curves(
    curves: Sequence[Record],
    how: Any,
    *,
    level: str = "",
    band: str = "",
    features: str = "features",
) -> go.Figure:
    """Draw one line a method against the number of features; `level` is dashed, `band` has ± std.

    Of each: title, colour, marker, and by rising number of features n_features, mean and std.
    """
    drawn = figure(
        f"How many {features} are enough?",
        _curves_alt(curves, how, level, features),
        # The legend lies below, and may need a row for every two names on a phone.
        height=330 + 21 * math.ceil(len(curves) / 2),
    )
    # A level is of all features, which would stretch the axis.
    along = [one["n_features"] for one in curves if one["title"] != level or len(curves) == 1]
    numbers = np.concatenate(along or [np.zeros(1)])
    low, high = float(numbers.min()), float(numbers.max())
    pad = 0.04 * (high - low) if high > low else max(1.0, 0.1 * high)
    ends = (low - pad, high + pad)
    # What stands out is drawn last; in the legend the methods keep their order.
    for rank, one in sorted(enumerate(curves), key=lambda pair: pair[1]["title"] == band):
        _add_curve(drawn, one, how, level, band, features, ends, rank + 1)
    drawn.update_xaxes(
        title_text=f"Number of {features}",
        showgrid=False,
        showline=True,
        range=list(ends),
        nticks=8,
        tickformat=",d",
        # Between neighbouring whole numbers there is nothing to name.
        dtick=1 if high - low < 8 else None,
    )
    # A share ends at all of them, whatever the spread.
    most = {"clipmax": 100} if how.percent else {}
    title = escape(how.title) + " (%)" * how.percent
    drawn.update_yaxes(title_text=title, nticks=6, autorangeoptions=most)
    drawn.update_layout(showlegend=len(curves) > 1)
    return drawn


def _add_curve(
    drawn: go.Figure,
    one: Record,
    how: Any,
    level: str,
    band: str,
    features: str,
    ends: tuple[float, float],
    rank: int,
) -> None:
    title, colour = one["title"], one["colour"]
    n, mean, std = (np.asarray(one[name]) for name in ("n_features", "mean", "std"))
    said = [
        f"<b>{escape(title)}</b><br>{count:,.0f} {features}<br>{escape(how.title)}: "
        + _said(how, m, s)
        for count, m, s in zip(n, mean, std, strict=True)
    ]
    look: dict[str, Any] = {"hovertext": said}
    if title == level:
        # Points along the line, so that a pointer finds it everywhere.
        n = np.linspace(*ends, 25)
        mean, std = (np.full(25, column[-1]) for column in (mean, std))
        line = {"color": colour, "width": 2, "dash": "dash"}
        look = {"mode": "lines", "line": line, "hovertext": said[-1]}
    else:
        strong = title == band
        look |= {
            "mode": "lines+markers",
            "line": {"color": colour, "width": 3 if strong else 1.75},
            "marker": {"symbol": one["marker"], "size": 9 if strong else 8},
        }
    mean, std = _factor(how) * mean, _factor(how) * std
    there = np.isfinite(std)
    if title in (level, band) and there.sum() > 1:
        low, high = (mean - std)[there], (mean + std)[there]
        drawn.add_scatter(
            x=np.concatenate([n[there], n[there][::-1]]),
            y=np.concatenate([low, high[::-1]]),
            mode="lines",
            line={"width": 0},
            fill="toself",
            fillcolor=see_through(colour, 0.15),
            showlegend=False,
            hoverinfo="skip",
            name="± std",
        )
    elif title == band:
        look["error_y"] = {"array": std, "thickness": 1.5, "width": 4}
    name = short(title, IN_LEGEND)
    drawn.add_scatter(x=n, y=mean, hoverinfo="text", name=name, legendrank=rank, **look)


def _curves_alt(curves: Sequence[Record], how: Any, level: str, features: str) -> str:
    parts = []
    for one in curves:
        mean, n = one["mean"], one["n_features"]
        if one["title"] == level:
            parts.append(f"{level} {_said(how, mean[-1])}")
            continue
        least, most = int(np.argmin(mean)), int(np.argmax(mean))
        start = f"from {_said(how, mean[least])} with {n[least]:,.0f} to " if len(n) > 1 else ""
        parts.append(f"{one['title']} {start}{_said(how, mean[most])} with {n[most]:,.0f}")
    return f"{how.title} against the number of {features}: {'; '.join(parts)}."


def comparison_overlap(titles: Sequence[str], table: ArrayLike, *, title: str) -> go.Figure:
    """Draw the Jaccard overlap of every two selections, NaN where not known, as cells."""
    count, overlap = len(titles), 100 * np.asarray(table, dtype=np.float64)
    drawn = figure(title, _overlap_alt(titles, overlap), height=34 * max(2, count) + 130, bar=True)
    words = [
        [
            f"{escape(a)} and {escape(b)}<br>Jaccard overlap: {_cell(overlap[i, j])}"
            if i != j
            else escape(a)
            for j, b in enumerate(titles)
        ]
        for i, a in enumerate(titles)
    ]
    add_cells(
        drawn,
        np.where(np.eye(count, dtype=bool), np.nan, overlap),
        (0, 100),
        lambda j, i: "–" if i == j else _cell(overlap[i, j]).removesuffix(" %"),
        size=SMALL if count > 7 else SMALL + 2,
        hovertext=words,
        hoverinfo="text",
        hoverongaps=True,
        colorbar={"title_text": "Jaccard overlap (%)", "tickvals": [0, 25, 50, 75, 100]},
    )
    ends = [-0.5, count - 0.5]
    legible = {"tickfont_color": LIGHT.ink}
    numbered = [f"{short(name, 17)}  {i}" for i, name in enumerate(titles, 1)]
    # Below, the methods go by their number: turned names would take half of a phone's screen.
    drawn.update_xaxes(named_axis([str(i + 1) for i in range(count)], range=ends, **legible))
    drawn.update_yaxes(named_axis(numbered, range=ends[::-1], **legible))
    # Plotly puts the title of this axis over its labels when names take much room on the left.
    drawn.add_annotation(
        text="Methods by number", x=0.5, xref="paper", y=0, yref="paper", yanchor="top", yshift=-24
    )
    drawn.update_layout(margin_r=18)
    return drawn


def _overlap_alt(titles: Sequence[str], overlap: Floats) -> str:
    pairs = [
        (overlap[i, j], j, i)
        for i in range(len(titles))
        for j in range(i)
        if np.isfinite(overlap[i, j])
    ]
    if not pairs:
        return "There are no two selections to compare."

    def said(pair: tuple[float, int, int]) -> str:
        return f"between {titles[pair[1]]} and {titles[pair[2]]} ({_cell(pair[0])})"

    most, least = (end(pairs, key=lambda pair: pair[0]) for end in (max, min))
    rest = f", least {said(least)}" if len(pairs) > 1 else ""
    return f"Jaccard overlap: most {said(most)}{rest}."


def _cell(percent: float) -> str:
    if not np.isfinite(percent):
        return "not known"
    # 100 is said only of equal selections, 0 only of disjoint ones.
    whole = min(99, max(1, round(percent))) if 0 < percent < 100 else round(percent)
    return f"{whole} %"


def comparison_times(rows: Sequence[Record]) -> go.Figure:
    """Draw two marks a method on a log axis, which has no zero for bars.

    Of each: title, colour, and the seconds of selection and clustering, None where there were none.
    """
    kinds = {"Selection": ("circle", 0.0), "Clustering": ("circle-open", 2.5)}
    titles = [row["title"] for row in rows]
    times = {what: _column(rows, what.lower()) for what in kinds}
    said = {
        what: ["–" if value != value else duration(value) for value in column.tolist()]
        for what, column in times.items()
    }
    pairs = list(zip(*said.values(), strict=True))
    drawn = _named_rows(
        "What does it cost?",
        _times_alt(titles, pairs),
        titles,
        [f"{first} + {second}" for first, second in pairs],
    )
    places = {what: np.maximum(column, _LEAST) for what, column in times.items()}
    heights = np.arange(len(rows)) + 0.17
    joined = np.array([*places.values(), np.full(len(rows), np.nan)])
    drawn.add_scatter(
        x=joined.T.ravel(), y=np.repeat(heights, 3), mode="lines", hoverinfo="skip",
        line={"color": LIGHT.line, "width": 3}, showlegend=False,
    )  # fmt: skip
    for what, (symbol, edge) in kinds.items():
        mark = {"size": 12, "symbol": symbol}
        colours = [row["colour"] for row in rows]
        drawn.add_scatter(
            x=places[what],
            y=heights,
            mode="markers",
            name=what,
            marker=mark | {"color": colours, "line": {"width": edge, "color": colours}},
            hovertext=[
                f"<b>{escape(title)}</b><br>{what}: {word}"
                for title, word in zip(titles, said[what], strict=True)
            ],
            hoverinfo="text",
            showlegend=False,
            cliponaxis=False,
        )
        # A legend without any method's colour.
        quiet = {"color": LIGHT.quiet, "line": {"width": edge, "color": LIGHT.quiet}}
        legend_key(drawn, what, mode="markers", marker=mark | quiet)
    seconds = {"type": "log", "exponentformat": "SI", "minexponent": 1, "ticksuffix": "s"}
    drawn.update_xaxes(title_text="Time (log scale)", nticks=7, **seconds)
    fixed = {"itemclick": False, "itemdoubleclick": False}
    drawn.update_layout(showlegend=True, legend=fixed, height=drawn.layout.height + 26)
    return drawn


def _times_alt(titles: Sequence[str], said: Sequence[Sequence[str]]) -> str:
    parts = []
    for title, words in zip(titles, said, strict=True):
        kinds = zip(("selection", "clustering"), words, strict=True)
        there = [f"{kind} {word}" for kind, word in kinds if word != "–"]
        if there:
            parts.append(f"{title} {', '.join(there)}")
    return f"Time of each method: {'; '.join(parts)}." if parts else "No time was measured yet."
