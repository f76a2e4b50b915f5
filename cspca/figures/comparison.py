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

from cspca.figures import style
from cspca.figures.style import LIGHT, SMALL, escape, short
from cspca.figures.words import duration

if TYPE_CHECKING:
    import plotly.graph_objects as go

Floats = NDArray[np.float64]
Record = Mapping[str, Any]


def _column(records: Sequence[Record], name: str, how: Any = None) -> Floats:
    """Numbers of every record, NaN for None, in per cent where `how` is."""
    values = np.array([one[name] for one in records], dtype=np.float64)
    return 100.0 * values if how is not None and how.percent else values


def _said(how: Any, mean: float, std: float = math.nan) -> str:
    """A score with its spread, where there is one, and its unit."""
    text = how.spread(mean, std) if math.isfinite(std) else how.say(mean)
    return f"{text} %" if how.percent else str(text)


def _with_unit(how: Any) -> str:
    return f"{escape(how.title)} (%)" if how.percent else escape(how.title)


def _named_rows(
    title: str, alt: str, names: Sequence[str], numbers: Sequence[str], best: str = ""
) -> go.Figure:
    """Start a figure of one row a method, from the top; names above their rows take no width."""
    count = max(1, len(names))
    # 46 pixels a row: words above, marks below.
    drawn = style.figure(title, alt, height=46 * count + 56)
    for y, (name, number) in enumerate(zip(names, numbers, strict=True)):
        for text, side, at, size in (
            (short(name), "left", 0, style.SIZE),
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


def comparison_bars(rows: Sequence[Record], how: Any, chance: Sequence[float] = ()) -> go.Figure:
    """Draw one bar a method with its mean ± std; best and not significantly worse are said.

    Of each: title, colour, mean, std, mark ("best", "close" or empty). `chance` is the mean of
    random draws, the two ends of their band, and how many they are.
    """
    marks = {"best": " · best", "close": " · not significantly worse", "": ""}
    titles = [row["title"] for row in rows]
    spoken = [_said(how, row["mean"], row["std"]) + marks[row["mark"]] for row in rows]
    there = "; ".join(f"{title} {said}" for title, said in zip(titles, spoken, strict=True))
    band = _band_said(how, chance) if chance else ""
    drawn = _named_rows(
        "How far are they apart?",
        f"{how.title}, mean ± standard deviation: {there}{'; ' if band else ''}{band}.",
        titles,
        [said.replace("not significantly worse", "≈ best") for said in spoken],
        best=next((row["title"] for row in rows if row["mark"] == "best"), ""),
    )
    whiskers = {"color": LIGHT.ink, "thickness": 1.5, "width": 4}
    drawn.add_bar(
        x=_column(rows, "mean", how),
        y=np.arange(len(rows)),
        orientation="h",
        # Below the words of the row.
        offset=0.02,
        width=0.3,
        marker={"color": [row["colour"] for row in rows]},
        error_x=whiskers | {"type": "data", "array": _column(rows, "std", how)},
        hovertext=style.on_hover(titles, [f"{escape(how.title)}: {said}" for said in spoken]),
        cliponaxis=False,
    )
    title = _with_unit(how)
    if any(row["mark"] == "close" for row in rows):
        # There is no room in the row for more than a sign.
        close = "≈ best: not significantly worse than the best"
        title += f"<br><span style='font-size:{SMALL}px'>{close}</span>"
        drawn.layout.height += 18
    if chance:
        mean, low, high = (_column([{"at": at}], "at", how)[0] for at in chance[:3])
        grey = style.see_through(LIGHT.quiet, 0.16)
        drawn.add_vrect(x0=low, x1=high, fillcolor=grey, line_width=0, layer="below")
        drawn.add_vline(x=mean, line={"color": LIGHT.quiet, "width": 1, "dash": "dot"})
        title += f"<br><span style='font-size:{SMALL}px'>Grey: {escape(band)}</span>"
        drawn.layout.height += 18
    zero = {"rangemode": "tozero", "zeroline": True, "zerolinecolor": LIGHT.quiet}
    drawn.update_xaxes(zero, title_text=title, showgrid=False, nticks=6)
    return drawn


def _band_said(how: Any, chance: Sequence[float]) -> str:
    mean, low, high, count = chance
    return f"{count:.0f} random picks {_said(how, mean)} ({how.say(low)} to {how.say(high)})"


def comparison_curves(
    curves: Sequence[Record],
    how: Any,
    *,
    chance: Mapping[int, Sequence[float]] | None = None,
    level: str = "",
    band: str = "",
    features: str = "features",
) -> go.Figure:
    """Draw one line a method against the number of features; `level` is dashed, `band` has ± std.

    Of each: title, colour, marker, and by rising number of features n_features, mean and std.
    `chance` is of random draws, by number of features, what :func:`comparison_bars` takes.
    """
    chance = chance or {}
    drawn = style.figure(
        f"How many {features} are enough?",
        _curves_alt(curves, how, level, features, chance),
        # The legend lies below: a few names share rows, of many each may have its own.
        height=330 + 21 * max(math.ceil(len(curves) / 2), len(curves) - 4),
    )
    # A level is of all features, which would stretch the axis.
    along = [one["n_features"] for one in curves if one["title"] != level or len(curves) == 1]
    numbers = np.concatenate(along or [np.zeros(1)])
    low, high = float(numbers.min()), float(numbers.max())
    pad = 0.04 * (high - low) if high > low else max(1.0, 0.1 * high)
    ends = (low - pad, high + pad)
    # Where few features and many stand side by side, the few would lie on top of each other.
    log = high > 12 * low > 0
    if log:
        widen = (high / low) ** 0.04
        ends = (low / widen, high * widen)
    if chance:
        _add_chance(drawn, how, chance, features, rank=len(curves) + 1)
    # What stands out is drawn last; in the legend the methods keep their order.
    for rank, one in sorted(enumerate(curves), key=lambda pair: pair[1]["title"] == band):
        title, colour, strong = one["title"], one["colour"], one["title"] == band
        n, mean, std = (np.asarray(one[name]) for name in ("n_features", "mean", "std"))
        lines = [
            f"{count:,.0f} {features}<br>{escape(how.title)}: {_said(how, *score)}"
            for count, *score in zip(n, mean, std, strict=True)
        ]
        look: dict[str, Any] = {"hovertext": style.on_hover([title] * len(n), lines)}
        mean, std = _column([one], "mean", how)[0], _column([one], "std", how)[0]
        if title == level:
            # Points along the line, so that a pointer finds it everywhere.
            n = (np.geomspace if log else np.linspace)(*ends, 25)
            mean, std = (np.full(25, column[-1]) for column in (mean, std))
            look |= {"mode": "lines", "line": {"width": 2, "dash": "dash"}}
            look["hovertext"] = look["hovertext"][-1]
        else:
            look |= {"mode": "lines+markers", "line": {"width": 3 if strong else 1.75}}
            look["marker"] = {"symbol": one["marker"], "size": 9 if strong else 8}
        look["line"]["color"] = colour
        there = np.isfinite(std)
        if title in (level, band) and there.sum() > 1:
            lower, upper = (mean - std)[there], (mean + std)[there]
            drawn.add_scatter(
                x=np.concatenate([n[there], n[there][::-1]]),
                y=np.concatenate([lower, upper[::-1]]),
                mode="lines",
                line={"width": 0},
                fill="toself",
                fillcolor=style.see_through(colour, 0.15),
                hoverinfo="skip",
                name="± std",
            )
        elif strong:
            look["error_y"] = {"array": std, "thickness": 1.5, "width": 4}
        look |= {"name": short(title, style.IN_LEGEND), "showlegend": True}
        drawn.add_scatter(x=n, y=mean, legendrank=rank + 1, **look)
    drawn.update_xaxes(
        title_text=f"Number of {features}",
        showgrid=False,
        showline=True,
        range=np.log10(ends).tolist() if log else list(ends),
        nticks=8,
        tickformat=",d",
        # Between neighbouring whole numbers there is nothing to name.
        dtick=1 if high - low < 8 else None,
    )
    if log:
        drawn.update_xaxes(type="log", tickvals=np.unique(numbers).tolist())
    # A share ends at all of them, whatever the spread.
    most = {"clipmax": 100} if how.percent else {}
    drawn.update_yaxes(title_text=_with_unit(how), nticks=6, autorangeoptions=most)
    drawn.update_layout(showlegend=len(curves) + len(chance) > 1)
    return drawn


def _add_chance(
    drawn: go.Figure, how: Any, chance: Mapping[int, Sequence[float]], features: str, *, rank: int
) -> None:
    """Draw the band of the random draws behind the curves, and their mean."""
    n = np.array(list(chance))
    means, lows, highs = (
        _column([{"at": one[i]} for one in chance.values()], "at", how) for i in range(3)
    )
    drawn.add_scatter(
        x=np.concatenate([n, n[::-1]]),
        y=np.concatenate([lows, highs[::-1]]),
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=style.see_through(LIGHT.quiet, 0.22),
        hoverinfo="skip",
        name="5 to 95 %",
    )
    lines = [f"{k:,} {features}<br>{_band_said(how, one)}" for k, one in chance.items()]
    drawn.add_scatter(
        x=n,
        y=means,
        mode="lines",
        name="Random picks",
        showlegend=True,
        legendrank=rank,
        line={"color": LIGHT.quiet, "width": 1.75, "dash": "dot"},
        hovertext=style.on_hover(["Random picks"] * len(n), lines),
    )


def _curves_alt(
    curves: Sequence[Record],
    how: Any,
    level: str,
    features: str,
    chance: Mapping[int, Sequence[float]],
) -> str:
    parts = [f"with {k:,}, {_band_said(how, one)}" for k, one in chance.items()]
    for one in curves:
        mean, n = one["mean"], one["n_features"]
        if one["title"] == level:
            parts.append(f"{level} {_said(how, mean[-1])}")
            continue
        least, most = int(np.argmin(mean)), int(np.argmax(mean))
        start = f"from {_said(how, mean[least])} with {n[least]:,.0f} to " if len(n) > 1 else ""
        parts.append(f"{one['title']} {start}{_said(how, mean[most])} with {n[most]:,.0f}")
    return f"{how.title} against the number of {features}: {'; '.join(parts)}."


def printed_leads(sets: Mapping[str, Sequence[Record]], title: str, unit: str) -> go.Figure:
    """Draw one row a data set, with a mark a method: how far it is above the first, in points.

    Of each: title, colour, marker and mean in per cent, in the same order for every set.
    """
    leads = {name: [one["mean"] - ours[0]["mean"] for one in ours] for name, ours in sets.items()}
    methods = next(iter(sets.values()))
    ends = [f"{name} {by[-1]:+.1f}" for name, by in leads.items()]
    alt = f"{unit}, points above {methods[0]['title']}, of {methods[-1]['title']}: "
    height = 34 * len(sets) + 21 * math.ceil(len(methods) / 2) + 150
    drawn = style.figure(title, alt + f"{', '.join(ends)}.", height=height)
    for at, method in enumerate(methods):
        hover = [
            f"{escape(name)}<br>{unit} {ours[at]['mean']:.1f} %, {leads[name][at]:+.1f}"
            for name, ours in sets.items()
        ]
        last = at == len(methods) - 1
        drawn.add_scatter(
            x=[by[at] for by in leads.values()],
            y=list(range(len(sets))),
            mode="markers",
            name=short(method["title"], style.IN_LEGEND),
            showlegend=True,
            # A mark that is a line has the colour of its line.
            marker={
                **{"color": method["colour"], "symbol": method["marker"]},
                "line": {"color": method["colour"], "width": 2 * (method["marker"] == "line-ew")},
            },
            marker_size=13 if last else 9,
            hovertext=style.on_hover([method["title"]] * len(sets), hover),
        )
    drawn.update_xaxes(title_text=f"{unit}: points above {escape(methods[0]['title'].lower())}")
    rows = style.named_axis(list(sets), range=[len(sets) - 0.5, -0.5], tickfont_color=LIGHT.ink)
    drawn.update_yaxes(rows, showgrid=True)
    drawn.update_layout(showlegend=True)
    return drawn


def comparison_overlap(titles: Sequence[str], table: ArrayLike, *, title: str) -> go.Figure:
    """Draw the Jaccard overlap of every two selections, NaN where not known, as cells."""
    count, overlap = len(titles), 100 * np.asarray(table, dtype=np.float64)
    alt = _overlap_alt(titles, overlap)
    drawn = style.figure(title, alt, height=34 * max(2, count) + 130, bar=True)
    words = [[escape(one)] * count for one in titles]
    for i, j in zip(*np.nonzero(~np.eye(count, dtype=bool)), strict=True):
        words[i][j] += f" and {escape(titles[j])}<br>Jaccard overlap: {_cell(overlap[i, j])}"
    style.add_cells(
        drawn,
        np.where(np.eye(count, dtype=bool), np.nan, overlap),
        (0, 100),
        lambda j, i: "–" if i == j else _cell(overlap[i, j]).removesuffix(" %"),
        size=SMALL if count > 7 else SMALL + 2,
        hovertext=words,
        colorbar={"title_text": "Jaccard overlap (%)", "tickvals": [0, 25, 50, 75, 100]},
    )
    numbers = [str(i + 1) for i in range(count)]
    numbered = [f"{short(name, 17)}  {i}" for name, i in zip(titles, numbers, strict=True)]
    look = {"range": [-0.5, count - 0.5], "tickfont_color": LIGHT.ink}
    # Below, the methods go by their number: turned names would take half of a phone's screen.
    drawn.update_xaxes(style.named_axis(numbers, **look))
    drawn.update_yaxes(style.named_axis(numbered, **look), range=look["range"][::-1])
    # Plotly puts the title of this axis over its labels when names take much room on the left.
    drawn.add_annotation(
        text="Methods by number", x=0.5, xref="paper", y=0, yref="paper", yanchor="top", yshift=-24
    )
    drawn.update_layout(margin_r=18)
    return drawn


def _overlap_alt(titles: Sequence[str], overlap: Floats) -> str:
    below = np.tri(len(titles), k=-1, dtype=bool)
    pairs = [(i, j) for i, j in np.argwhere(below & np.isfinite(overlap)).tolist()]
    if not pairs:
        return "There are no two selections to compare."

    def said(pair: tuple[int, int]) -> str:
        return f"between {titles[pair[1]]} and {titles[pair[0]]} ({_cell(overlap[pair])})"

    most, least = (end(pairs, key=lambda pair: overlap[pair]) for end in (max, min))
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
    titles, colours = ([row[name] for row in rows] for name in ("title", "colour"))
    times = {what: _column(rows, what.lower()) for what in kinds}
    said = {
        what: ["–" if np.isnan(value) else duration(value) for value in column.tolist()]
        for what, column in times.items()
    }
    numbers = [" + ".join(pair) for pair in zip(*said.values(), strict=True)]
    parts = []
    for at, title in enumerate(titles):
        words = [f"{what.lower()} {column[at]}" for what, column in said.items()]
        there = [one for one in words if not one.endswith("–")]
        if there:
            parts.append(f"{title} {', '.join(there)}")
    alt = f"Time of each method: {'; '.join(parts)}." if parts else "No time was measured yet."
    drawn = _named_rows("What does it cost?", alt, titles, numbers)
    # A clock says little of less than a tenth of a millisecond.
    places = {what: np.maximum(column, 1e-4) for what, column in times.items()}
    heights = np.arange(len(rows)) + 0.17
    joined = np.array([*places.values(), np.full(len(rows), np.nan)])
    drawn.add_scatter(
        x=joined.T.ravel(), y=np.repeat(heights, 3), mode="lines", hoverinfo="skip",
        line={"color": LIGHT.line, "width": 3},
    )  # fmt: skip
    for what, (symbol, edge) in kinds.items():
        mark = {"size": 12, "symbol": symbol}
        drawn.add_scatter(
            x=places[what],
            y=heights,
            mode="markers",
            name=what,
            marker=mark | {"color": colours, "line": {"width": edge, "color": colours}},
            hovertext=style.on_hover(titles, [f"{what}: {word}" for word in said[what]]),
            cliponaxis=False,
        )
        # A legend without any method's colour.
        quiet = {"color": LIGHT.quiet, "line": {"width": edge, "color": LIGHT.quiet}}
        style.legend_key(drawn, what, mode="markers", marker=mark | quiet)
    seconds = {"type": "log", "exponentformat": "SI", "minexponent": 1, "ticksuffix": "s"}
    drawn.update_xaxes(title_text="Time (log scale)", nticks=7, **seconds)
    fixed = {"itemclick": False, "itemdoubleclick": False}
    drawn.update_layout(showlegend=True, legend=fixed, height=drawn.layout.height + 26)
    return drawn
