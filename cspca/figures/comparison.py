"""Figures that compare methods: their scores, what number of features is enough, overlap, cost.

Tables are of pandas or mappings of columns, one row a method (or a method and a number of
features); each method brings its title, its colour and its marker.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cspca.figures.colours import on_page
from cspca.figures.style import (
    IN_LEGEND,
    SIZE,
    SMALL,
    add_cells,
    axis,
    colour_bar,
    escape,
    figure,
    legend_below,
    legend_key,
    named_axis,
    palette,
    see_through,
    short,
)
from cspca.figures.words import duration, floats, known, number, spread

if TYPE_CHECKING:
    import plotly.graph_objects as go

Table = Mapping[str, Sequence[Any]] | Any

_ROW = 46
"""Height of a row, in pixels: words above, marks below."""

_LEAST = 1e-4
"""Seconds below which a clock says little; shorter times stand here on a log axis."""

_MARKS = {"best": "best", "close": "≈ best"}
_SPOKEN = {"best": "best", "close": "not significantly worse"}
_CLOSE = "≈ best: not significantly worse than the best"


def _rows(table: Table, *names: str) -> list[tuple[Any, ...]]:
    columns = [list(table[name]) for name in names]
    lengths = dict(zip(names, map(len, columns), strict=True))
    if len(set(lengths.values())) > 1:
        raise ValueError(
            f"The columns have different lengths {lengths}; give one entry a row in each."
        )
    return list(zip(*columns, strict=True))


def _named_rows(
    title: str,
    alt: str,
    names: Sequence[str],
    numbers: Sequence[str],
    bold: Sequence[bool],
    dark: bool,
    above: int = 0,
) -> go.Figure:
    """Start a figure of one row a method, from the top; names above their rows take no width."""
    height = _ROW * max(1, len(names)) + 56 + above
    drawn = figure(title, alt, dark=dark, height=height, above=above)
    for y, (name, figures, strong) in enumerate(zip(names, numbers, bold, strict=True)):
        for text, side, at, size in (
            (short(name), "left", 0, SIZE),
            (figures, "right", 1, SMALL + 1),
        ):
            drawn.add_annotation(
                text=f"<b>{text}</b>" if strong else text,
                x=at, xref="paper", xanchor=side, align=side, y=y, yref="y", yshift=12,
                showarrow=False, font={"size": size, "color": palette(dark).ink},
            )  # fmt: skip
    drawn.update_layout(margin={"l": 12, "r": 16, "b": 50})
    drawn.update_yaxes(
        axis(dark, grid=False, showticklabels=False, range=[max(1, len(names)) - 0.45, -0.62])
    )
    return drawn


def comparison_bars(
    table: Table, value_title: str, *, as_percent: bool = True, dark: bool = False
) -> go.Figure:
    """Draw one bar a method with its mean ± std; best and not significantly worse are said.

    Columns: title, colour, mean, std (None or NaN: none yet), mark ("best", "close" or empty).
    """
    rows = _rows(table, "title", "colour", "mean", "std", "mark")
    factor = 100.0 if as_percent else 1.0
    look = palette(dark)
    means, stds = (factor * floats([row[place] for row in rows]) for place in (2, 3))

    def words(marks: Mapping[str, str]) -> list[str]:
        return [
            " · ".join([spread(mean, std, as_percent=as_percent), *filter(None, [marks.get(mark)])])
            if known(mean)
            else "no score"
            for _, _, mean, std, mark in rows
        ]

    spoken = words(_SPOKEN)
    titles = [row[0] for row in rows]
    drawn = _named_rows(
        "How far are they apart?",
        _bars_alt(value_title, titles, means, spoken),
        titles,
        words(_MARKS),
        [row[4] == "best" for row in rows],
        dark,
    )
    drawn.add_bar(
        x=means,
        y=np.arange(len(rows)),
        orientation="h",
        # Below the words of the row.
        offset=0.02,
        width=0.3,
        marker={"color": [on_page(row[1], dark) for row in rows]},
        error_x={"type": "data", "array": stds, "color": look.ink, "thickness": 1.5, "width": 4},
        hovertext=[
            f"<b>{escape(title)}</b><br>{escape(value_title)}: {said}"
            for title, said in zip(titles, spoken, strict=True)
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
            value_title + " (%)" * as_percent,
            grid=False,
            range=[1.03 * low, 1.03 * high],
            zeroline=True,
            zerolinecolor=look.quiet,
            nticks=6,
        )
    )
    if any(row[4] == "close" for row in rows):
        # There is no room in the row for more than a sign.
        title = drawn.layout.xaxis.title
        title.text += f"<br><span style='font-size:{SMALL}px'>{_CLOSE}</span>"
        drawn.update_layout(height=drawn.layout.height + 18)
    return drawn


def _bars_alt(
    value_title: str, titles: Sequence[str], means: NDArray[np.float64], spoken: Sequence[str]
) -> str:
    there = [
        f"{title} {said}"
        for title, said, mean in zip(titles, spoken, means.tolist(), strict=True)
        if known(mean)
    ]
    if not there:
        return f"No method has a score for {value_title} yet."
    missing = len(titles) - len(there)
    rest = f"; {missing} without a score" if missing else ""
    return f"{value_title}, mean ± standard deviation: {'; '.join(there)}{rest}."


class _Points(NamedTuple):
    """One method's scores, by number of features."""

    title: str
    colour: str
    marker: str
    n: NDArray[np.float64]
    mean: NDArray[np.float64]
    std: NDArray[np.float64]


def _methods(table: Table, factor: float, dark: bool) -> list[_Points]:
    """Collect the rows of each method that have a score, in the order of their first."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    for row in _rows(table, "title", "colour", "marker", "n_features", "mean", "std"):
        found.setdefault(row[0], []).append(row)
    methods = []
    for title, rows in found.items():
        n, mean, std = (floats([row[place] for row in rows]) for place in (3, 4, 5))
        order = np.argsort(n, kind="stable")
        order = order[np.isfinite(mean[order])]
        colour, marker = on_page(rows[0][1], dark), rows[0][2]
        methods.append(
            _Points(title, colour, marker, n[order], factor * mean[order], factor * std[order])
        )
    return methods


def comparison_curves(
    table: Table,
    value_title: str,
    *,
    level: str = "",
    band: str = "",
    as_percent: bool = True,
    features: str = "features",
    dark: bool = False,
) -> go.Figure:
    """Draw one line a method against the number of features; `level` is dashed, `band` has ± std.

    Columns: title, colour, marker, n_features, mean and std.
    """
    factor = 100.0 if as_percent else 1.0
    methods = _methods(table, factor, dark)
    drawn = figure(
        f"How many {features} are enough?",
        _curves_alt(methods, value_title, level, as_percent, features),
        dark=dark,
        # The legend lies below, and may need a row for every two names on a phone.
        height=330 + 21 * math.ceil(len(methods) / 2),
    )
    along = [one.n for one in methods if one.title != level and one.n.size]
    numbers = np.concatenate(along or [one.n for one in methods if one.n.size] or [np.zeros(1)])
    low, high = float(numbers.min()), float(numbers.max())
    pad = 0.04 * (high - low) if high > low else max(1.0, 0.1 * high)
    ends = (low - pad, high + pad)
    # What stands out is drawn last; in the legend the methods keep their order.
    for rank, one in sorted(enumerate(methods), key=lambda pair: pair[1].title == band):
        if not one.n.size:
            continue
        if one.title == level:
            # Points along the line, so that a pointer finds it everywhere.
            drawn_n = np.linspace(*ends, 25)
            mean, std = (np.full(25, column[-1]) for column in (one.mean, one.std))
            look = {"mode": "lines", "line": {"color": one.colour, "width": 2, "dash": "dash"}}
        else:
            drawn_n, mean, std = one.n, one.mean, one.std
            strong = one.title == band
            look = {
                "mode": "lines+markers",
                "line": {"color": one.colour, "width": 3 if strong else 1.75},
                "marker": {"symbol": one.marker, "size": 9 if strong else 8},
            }
        if one.title in (level, band) and len(mean) > 1:
            _add_band(drawn, drawn_n, mean, std, one.colour)
        elif one.title == band:
            look["error_y"] = {"array": std, "thickness": 1.5, "width": 4}
        said = [
            f"<b>{escape(one.title)}</b><br>{n:,.0f} {features}<br>{escape(value_title)}: "
            + spread(m / factor, s / factor, as_percent=as_percent)
            for n, m, s in zip(one.n, one.mean, one.std, strict=True)
        ]
        drawn.add_scatter(
            x=drawn_n,
            y=mean,
            hovertext=said[-1] if one.title == level else said,
            hoverinfo="text",
            name=short(one.title, IN_LEGEND),
            legendrank=rank + 1,
            **look,
        )
    drawn.update_xaxes(
        axis(dark, f"Number of {features}", grid=False, range=list(ends), nticks=8, tickformat=",d")
        # Between neighbouring whole numbers there is nothing to name.
        | ({"dtick": 1} if high - low < 8 else {})
        | {"showline": True, "linecolor": palette(dark).quiet}
    )
    drawn.update_yaxes(
        axis(dark, value_title + " (%)" * as_percent, nticks=6, rangemode="normal")
        # A share ends at all of them, whatever the spread.
        | ({"autorangeoptions": {"clipmax": 100}} if as_percent else {})
    )
    drawn.update_layout(showlegend=len(methods) > 1, legend=legend_below(dark))
    return drawn


def _curves_alt(
    methods: Sequence[_Points], value_title: str, level: str, as_percent: bool, features: str
) -> str:
    parts = []
    factor = 100.0 if as_percent else 1.0

    def score(value: float) -> str:
        return number(value / factor, as_percent=as_percent)

    for one in methods:
        if not one.n.size:
            continue
        if one.title == level:
            parts.append(f"{one.title} {score(one.mean[-1])}")
            continue
        least, most = int(one.mean.argmin()), int(one.mean.argmax())
        start = f"from {score(one.mean[least])} with {one.n[least]:,.0f} to "
        parts.append(
            f"{one.title} {start if one.n.size > 1 else ''}{score(one.mean[most])} with "
            f"{one.n[most]:,.0f}"
        )
    if not parts:
        return f"No method has a score for {value_title} yet."
    return f"{value_title} against the number of {features}: {'; '.join(parts)}."


def _add_band(
    drawn: go.Figure,
    n: NDArray[np.float64],
    mean: NDArray[np.float64],
    std: NDArray[np.float64],
    colour: str,
) -> None:
    there = np.isfinite(std)
    if there.sum() < 2:
        return
    n, low, high = n[there], (mean - std)[there], (mean + std)[there]
    drawn.add_scatter(
        x=np.concatenate([n, n[::-1]]),
        y=np.concatenate([low, high[::-1]]),
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=see_through(colour, 0.15),
        showlegend=False,
        hoverinfo="skip",
        name="± std",
    )


def comparison_overlap(
    titles: Sequence[str], table: ArrayLike, *, title: str = "", dark: bool = False
) -> go.Figure:
    """Draw the Jaccard overlap of every two selections, NaN where not known, as cells."""
    count = len(titles)
    overlap = 100 * np.asarray(table, dtype=np.float64) if count else np.empty((0, 0))
    if list(overlap.shape) != [count, count]:
        raise ValueError(
            f"The table of overlaps has shape {overlap.shape}; {count} methods need "
            f"({count}, {count})."
        )
    look = palette(dark)
    drawn = figure(
        title or "Do they choose the same?",
        _overlap_alt(titles, overlap),
        dark=dark,
        height=34 * max(2, count) + 130,
        bar=True,
    )
    coloured = np.where(np.eye(count, dtype=bool), np.nan, overlap)
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
        coloured,
        (0, 100),
        lambda j, i: "–" if i == j else _cell(overlap[i, j], unit=False),
        size=SMALL if count > 7 else SMALL + 2,
        dark=dark,
        hovertext=words,
        hoverinfo="text",
        hoverongaps=True,
        colorbar=colour_bar(
            dark, "Jaccard overlap (%)", tickvals=[0, 25, 50, 75, 100], ticklabeloverflow="allow"
        ),
    )
    ends = [-0.5, max(1, count) - 0.5]
    legible = {"tickfont": {"size": SMALL, "color": look.ink}}
    numbered = [f"{short(name, 17)}  {i}" for i, name in enumerate(titles, 1)]
    # Below, the methods go by their number: turned names would take half of a phone's screen.
    drawn.update_xaxes(named_axis(dark, [str(i + 1) for i in range(count)], range=ends, **legible))
    drawn.update_yaxes(named_axis(dark, numbered, range=ends[::-1], **legible))
    # Plotly puts the title of this axis over its labels when names take much room on the left.
    drawn.add_annotation(
        text="Methods by number", x=0.5, xref="paper", y=0, yref="paper", yanchor="top",
        yshift=-24, showarrow=False,
    )  # fmt: skip
    drawn.update_layout(margin_r=18)
    return drawn


def _overlap_alt(titles: Sequence[str], overlap: NDArray[np.float64]) -> str:
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


def _cell(percent: float, unit: bool = True) -> str:
    if not np.isfinite(percent):
        return "not known" if unit else "·"
    # 100 is said only of equal selections, 0 only of disjoint ones.
    whole = min(99, max(1, round(percent))) if 0 < percent < 100 else round(percent)
    return f"{whole} %" if unit else str(whole)


def comparison_times(table: Table, *, dark: bool = False) -> go.Figure:
    """Draw two marks a method, where times differ much on a log axis (no zero for bars).

    Columns: title, colour, and the seconds of selection and clustering, None where there were none.
    """
    rows = _rows(table, "title", "colour", "selection", "clustering")
    look = palette(dark)
    times = np.array([floats(row[2:]) for row in rows]).reshape(-1, 2)
    times[times < 0] = np.nan
    kept = np.maximum(times[np.isfinite(times)], _LEAST)
    log = bool(kept.size) and kept.max() > 10 * kept.min()
    places = np.maximum(times, _LEAST) if log else times
    said = [[duration(value) if known(value) else "–" for value in row] for row in times.tolist()]
    drawn = _named_rows(
        "What does it cost?",
        _times_alt([row[0] for row in rows], said),
        [row[0] for row in rows],
        [f"{first} + {second}" for first, second in said],
        [False] * len(rows),
        dark,
        above=26,
    )
    heights = np.arange(len(rows)) + 0.17
    for height, ends in zip(heights, places, strict=True):
        if np.isfinite(ends).all():
            joined = {"color": look.line, "width": 3}
            drawn.add_scatter(
                x=ends, y=[height] * 2, mode="lines", line=joined, hoverinfo="skip",
                showlegend=False,
            )  # fmt: skip
    colours = [on_page(row[1], dark) for row in rows]
    for place, (what, symbol, edge) in enumerate(
        (("Selection", "circle", 0.0), ("Clustering", "circle-open", 2.5))
    ):

        def mark(colour: Any, symbol: str = symbol, edge: float = edge) -> dict[str, Any]:
            line = {"width": edge, "color": colour}
            return {"size": 12, "symbol": symbol, "color": colour, "line": line}

        drawn.add_scatter(
            x=places[:, place],
            y=heights,
            mode="markers",
            name=what,
            marker=mark(colours),
            hovertext=[
                f"<b>{escape(row[0])}</b><br>{what}: {words[place]}"
                for row, words in zip(rows, said, strict=True)
            ],
            hoverinfo="text",
            showlegend=False,
            cliponaxis=False,
        )
        # A legend without any method's colour.
        legend_key(drawn, what, mode="markers", marker=mark(look.quiet))
    title = "Time (log scale)" if log else "Time (s)"
    drawn.update_xaxes(axis(dark, title) | _time_scale(kept, log))
    above = {"y": 1, "yref": "paper", "xref": "paper", "entrywidth": None}
    fixed = {"itemclick": False, "itemdoubleclick": False}
    drawn.update_layout(showlegend=True, legend=legend_below(dark) | above | fixed)
    return drawn


def _times_alt(titles: Sequence[str], said: Sequence[Sequence[str]]) -> str:
    parts = []
    for title, words in zip(titles, said, strict=True):
        kinds = zip(("selection", "clustering"), words, strict=True)
        there = [f"{kind} {word}" for kind, word in kinds if word != "–"]
        if there:
            parts.append(f"{title} {', '.join(there)}")
    return f"Time of each method: {'; '.join(parts)}." if parts else "No time was measured yet."


def _time_scale(times: NDArray[np.float64], log: bool) -> dict[str, Any]:
    if not log:
        most = float(times.max(initial=0.0))
        return {"range": [0, 1.06 * most if most > 0 else 1], "nticks": 6}
    low, high = math.log10(times.min()), math.log10(times.max())
    pad = 0.06 * (high - low)
    powers = range(math.floor(low), math.ceil(high) + 1)
    # Seven labels at most, or they run into each other on a phone.
    some = list(powers)[:: math.ceil(len(powers) / 7)]
    return {
        "type": "log",
        "range": [low - pad, high + pad],
        "tickvals": [10.0**p for p in some],
        "ticktext": [f"{10.0 ** (p + 3):g} ms" if p < -1 else f"{10.0**p:,g} s" for p in some],
    }
