"""Figures that compare methods: their scores, what number of features is enough, overlap, cost.

There is one record per method, with its title, its colour and its marker. A `metric` has a title
and formats its values.
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


def _column(records: Sequence[Record], name: str, metric: Any = None) -> Floats:
    """One number of every record, NaN for None, in per cent where `metric` is."""
    values = np.array([record[name] for record in records], dtype=np.float64)
    return 100.0 * values if metric is not None and metric.percent else values


def _score(metric: Any, mean: float, std: float = math.nan) -> str:
    """A score with its standard deviation, where it is finite, and its unit."""
    text = metric.spread(mean, std) if math.isfinite(std) else metric.say(mean)
    return f"{text} %" if metric.percent else str(text)


def _with_unit(metric: Any) -> str:
    return f"{escape(metric.title)} (%)" if metric.percent else escape(metric.title)


def _named_rows(
    title: str, alt: str, names: Sequence[str], numbers: Sequence[str], best: str = ""
) -> go.Figure:
    """Start a figure with one row per method, from the top; names stand above their rows."""
    count = max(1, len(names))
    # 46 pixels a row: words above, marks below.
    drawn = style.figure(title, alt, height=46 * count + 56)
    # All at once: Plotly checks every annotation again for each that is added.
    annotations = [
        {
            "text": f"<b>{text}</b>" if name == best else text,
            "font": {"size": size},
            **{"x": at, "xref": "paper", "xanchor": side, "align": side},
            **{"y": y, "yref": "y", "yshift": 12},
        }
        for y, (name, number) in enumerate(zip(names, numbers, strict=True))
        for text, side, at, size in (
            (short(name), "left", 0, style.SIZE),
            (number, "right", 1, SMALL + 1),
        )
    ]
    drawn.update_layout(margin={"l": 12, "r": 16}, annotations=annotations)
    drawn.update_yaxes(showgrid=False, showticklabels=False, range=[count - 0.45, -0.62])
    return drawn


def comparison_bars(rows: Sequence[Record], metric: Any, chance: Sequence[float] = ()) -> go.Figure:
    """Draw one bar per method with its mean ± std; mark the best and those not significantly worse.

    A row has title, colour, mean, std, mark ("best", "close" or empty). `chance` is the mean of
    random draws, the two ends of their band, and their number.
    """
    marks = {"best": " · best", "close": " · not significantly worse", "": ""}
    titles = [row["title"] for row in rows]
    texts = [_score(metric, row["mean"], row["std"]) + marks[row["mark"]] for row in rows]
    listed = "; ".join(f"{title} {text}" for title, text in zip(titles, texts, strict=True))
    band = _band(metric, chance) if chance else ""
    drawn = _named_rows(
        "How far are they apart?",
        f"{metric.title}, mean ± standard deviation: {listed}{'; ' if band else ''}{band}.",
        titles,
        [text.replace("not significantly worse", "≈ best") for text in texts],
        best=next((row["title"] for row in rows if row["mark"] == "best"), ""),
    )
    whiskers = {"color": LIGHT.ink, "thickness": 1.5, "width": 4}
    drawn.add_bar(
        x=_column(rows, "mean", metric),
        y=np.arange(len(rows)),
        orientation="h",
        # Below the text of the row.
        offset=0.02,
        width=0.3,
        marker={"color": [row["colour"] for row in rows]},
        error_x=whiskers | {"type": "data", "array": _column(rows, "std", metric)},
        hovertext=style.on_hover(titles, [f"{escape(metric.title)}: {text}" for text in texts]),
        cliponaxis=False,
    )
    title = _with_unit(metric)
    if any(row["mark"] == "close" for row in rows):
        # The row has room for a sign only.
        close = "≈ best: not significantly worse than the best"
        title += f"<br><span style='font-size:{SMALL}px'>{close}</span>"
        drawn.layout.height += 18
    if chance:
        mean, low, high = (_column([{"at": at}], "at", metric)[0] for at in chance[:3])
        grey = style.see_through(LIGHT.quiet, 0.16)
        drawn.add_vrect(x0=low, x1=high, fillcolor=grey, line_width=0, layer="below")
        # At the bars alone: a line through all rows would cross the numbers of high scores.
        dotted = {"color": LIGHT.quiet, "width": 1, "dash": "dot"}
        ends = ({"y0": y - 0.05, "y1": y + 0.45} for y in range(len(rows)))
        marks_of_chance = [{"x0": mean, "x1": mean, "line": dotted} | end for end in ends]
        drawn.update_layout(shapes=[*drawn.layout.shapes, *marks_of_chance])
        title += f"<br><span style='font-size:{SMALL}px'>Grey: {escape(band)}</span>"
        drawn.layout.height += 18
    zero = {"rangemode": "tozero", "zeroline": True, "zerolinecolor": LIGHT.quiet}
    drawn.update_xaxes(zero, title_text=title, showgrid=False, nticks=6)
    return drawn


def _band(metric: Any, chance: Sequence[float]) -> str:
    mean, low, high, count = chance
    ends = f"{metric.say(low)} to {metric.say(high)}"
    return f"{count:.0f} random picks {_score(metric, mean)} ({ends})"


def comparison_curves(
    curves: Sequence[Record],
    metric: Any,
    *,
    chance: Mapping[int, Sequence[float]] | None = None,
    level: str = "",
    band: str = "",
    features: str = "features",
) -> go.Figure:
    """Draw one line per method against the number of features; `level` is dashed, `band` has ± std.

    A curve has title, colour, marker and, by rising number of features, n_features, mean and std.
    `chance` has the values of :func:`comparison_bars` by number of features.
    """
    chance = chance or {}
    drawn = style.figure(
        f"How many {features} are enough?",
        _curves_alt(curves, metric, level, features, chance),
        # The legend lies below: a few names share rows, many may take a row each.
        height=330 + 21 * max(math.ceil(len(curves) / 2), len(curves) - 4),
    )
    # The level uses all features, which would stretch the axis.
    along = [curve["n_features"] for curve in curves if curve["title"] != level or len(curves) == 1]
    numbers = np.concatenate(along or [np.zeros(1)])
    low, high = float(numbers.min()), float(numbers.max())
    pad = 0.04 * (high - low) if high > low else max(1.0, 0.1 * high)
    ends = (low - pad, high + pad)
    # On a linear axis of a wide range, points of few features would overlap.
    log = high > 12 * low > 0
    if log:
        widen = (high / low) ** 0.04
        ends = (low / widen, high * widen)
    if chance:
        _add_chance(drawn, metric, chance, features, rank=len(curves) + 1)
    # The emphasised method is drawn last; the legend keeps the order of the methods.
    for rank, curve in sorted(enumerate(curves), key=lambda pair: pair[1]["title"] == band):
        title, colour, strong = curve["title"], curve["colour"], curve["title"] == band
        n, mean, std = (np.asarray(curve[name]) for name in ("n_features", "mean", "std"))
        lines = [
            f"{count:,.0f} {features}<br>{escape(metric.title)}: {_score(metric, *score)}"
            for count, *score in zip(n, mean, std, strict=True)
        ]
        look: dict[str, Any] = {"hovertext": style.on_hover([title] * len(n), lines)}
        mean, std = _column([curve], "mean", metric)[0], _column([curve], "std", metric)[0]
        if title == level:
            # Points along the line, so that hovering works everywhere on it.
            n = (np.geomspace if log else np.linspace)(*ends, 25)
            mean, std = (np.full(25, column[-1]) for column in (mean, std))
            look |= {"mode": "lines", "line": {"width": 2, "dash": "dash"}}
            look["hovertext"] = look["hovertext"][-1]
        else:
            look |= {"mode": "lines+markers", "line": {"width": 3 if strong else 1.75}}
            look["marker"] = {"symbol": curve["marker"], "size": 9 if strong else 8}
        look["line"]["color"] = colour
        finite = np.isfinite(std)
        if title in (level, band) and finite.sum() > 1:
            if title == level:
                # It is straight.
                finite[1:-1] = False
            lower, upper = (mean - std)[finite], (mean + std)[finite]
            drawn.add_scatter(
                x=np.concatenate([n[finite], n[finite][::-1]]),
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
        # No ticks between neighbouring whole numbers.
        dtick=1 if high - low < 8 else None,
    )
    if log:
        drawn.update_xaxes(type="log", tickvals=np.unique(numbers).tolist())
    # A percentage ends at 100, whatever the standard deviation.
    limits = {"clipmax": 100} if metric.percent else {}
    drawn.update_yaxes(title_text=_with_unit(metric), nticks=6, autorangeoptions=limits)
    return style.show_legend(drawn) if len(curves) + len(chance) > 1 else drawn


def _add_chance(
    drawn: go.Figure, metric: Any, chance: Mapping[int, Sequence[float]], features: str, rank: int
) -> None:
    """Draw the band of the random draws behind the curves, and their mean."""
    n = np.array(list(chance))
    means, lows, highs = (
        _column([{"at": band[i]} for band in chance.values()], "at", metric) for i in range(3)
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
    lines = [f"{k:,} {features}<br>{_band(metric, band)}" for k, band in chance.items()]
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
    metric: Any,
    level: str,
    features: str,
    chance: Mapping[int, Sequence[float]],
) -> str:
    parts = [f"with {k:,}, {_band(metric, band)}" for k, band in chance.items()]
    for curve in curves:
        mean, n = curve["mean"], curve["n_features"]
        if curve["title"] == level:
            parts.append(f"{level} {_score(metric, mean[-1])}")
            continue
        least, most = int(np.argmin(mean)), int(np.argmax(mean))
        start = f"from {_score(metric, mean[least])} with {n[least]:,.0f} to "
        end = f"{_score(metric, mean[most])} with {n[most]:,.0f}"
        parts.append(f"{curve['title']} {start if len(n) > 1 else ''}{end}")
    return f"{metric.title} against the number of {features}: {'; '.join(parts)}."


def printed_leads(sets: Mapping[str, Sequence[Record]], title: str, unit: str) -> go.Figure:
    """Draw one row per data set and one mark per method: its lead over the first method, in points.

    A record has title, colour, marker and mean in per cent, in the same order for every set.
    """
    leads = {name: [row["mean"] - rows[0]["mean"] for row in rows] for name, rows in sets.items()}
    methods = next(iter(sets.values()))
    ends = [f"{name} {by[-1]:+.1f}" for name, by in leads.items()]
    alt = f"{unit}, points above {methods[0]['title']}, of {methods[-1]['title']}: "
    height = 34 * len(sets) + 21 * math.ceil(len(methods) / 2) + 150
    drawn = style.figure(title, alt + f"{', '.join(ends)}.", height=height)
    for at, method in enumerate(methods):
        hover = [
            f"{escape(name)}<br>{unit} {rows[at]['mean']:.1f} %, {leads[name][at]:+.1f}"
            for name, rows in sets.items()
        ]
        last = at == len(methods) - 1
        drawn.add_scatter(
            x=[by[at] for by in leads.values()],
            y=list(range(len(sets))),
            mode="markers",
            name=short(method["title"], style.IN_LEGEND),
            showlegend=True,
            # A line marker takes its colour from its line.
            marker={
                **{"color": method["colour"], "symbol": method["marker"]},
                "line": {"color": method["colour"], "width": 2 * (method["marker"] == "line-ew")},
            },
            marker_size=13 if last else 9,
            hovertext=style.on_hover([method["title"]] * len(sets), hover),
        )
    drawn.update_xaxes(title_text=f"{unit}: points above {escape(methods[0]['title'].lower())}")
    row_axis = style.named_axis(list(sets), range=[len(sets) - 0.5, -0.5], tickfont_color=LIGHT.ink)
    drawn.update_yaxes(row_axis, showgrid=True)
    return style.show_legend(drawn)


def comparison_overlap(titles: Sequence[str], table: ArrayLike, *, title: str) -> go.Figure:
    """Draw the Jaccard overlap of every two selections as cells; NaN where it is not computed."""
    count, overlap = len(titles), 100 * np.asarray(table, dtype=np.float64)
    alt = _overlap_alt(titles, overlap)
    drawn = style.figure(title, alt, height=34 * max(2, count) + 130, bar=True)
    words = [[escape(name)] * count for name in titles]
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
    numbered = [f"{short(name)}  {i}" for name, i in zip(titles, numbers, strict=True)]
    look = {"range": [-0.5, count - 0.5], "tickfont_color": LIGHT.ink}
    # On the x axis methods are numbered: rotated names would take half of a phone's screen.
    drawn.update_xaxes(style.named_axis(numbers, **look))
    drawn.update_yaxes(style.named_axis(numbered, **look), range=look["range"][::-1])
    # Plotly would put the title of this axis over its labels where long names stand on the left.
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

    def describe(pair: tuple[int, int]) -> str:
        return f"between {titles[pair[1]]} and {titles[pair[0]]} ({_cell(overlap[pair])})"

    most, least = (end(pairs, key=lambda pair: overlap[pair]) for end in (max, min))
    rest = f", least {describe(least)}" if len(pairs) > 1 else ""
    return f"Jaccard overlap: most {describe(most)}{rest}."


def _cell(percent: float) -> str:
    if not np.isfinite(percent):
        return "not known"
    # 100 is shown only for equal selections, 0 only for disjoint ones.
    whole = min(99, max(1, round(percent))) if 0 < percent < 100 else round(percent)
    return f"{whole} %"


def comparison_times(rows: Sequence[Record]) -> go.Figure:
    """Draw two marks per method on a log axis, which has no zero for bars.

    A row has title, colour, and the seconds of selection and of clustering, or None.
    """
    kinds = {"Selection": ("circle", 0.0), "Clustering": ("circle-open", 2.5)}
    titles, colours = ([row[name] for row in rows] for name in ("title", "colour"))
    times = {kind: _column(rows, kind.lower()) for kind in kinds}
    time_texts = {
        kind: ["–" if np.isnan(value) else duration(value) for value in column.tolist()]
        for kind, column in times.items()
    }
    numbers = [" + ".join(pair) for pair in zip(*time_texts.values(), strict=True)]
    parts = []
    for at, title in enumerate(titles):
        words = [f"{kind.lower()} {column[at]}" for kind, column in time_texts.items()]
        measured = [text for text in words if not text.endswith("–")]
        if measured:
            parts.append(f"{title} {', '.join(measured)}")
    alt = f"Time of each method: {'; '.join(parts)}." if parts else "No time was measured yet."
    drawn = _named_rows("What does it cost?", alt, titles, numbers)
    # Times below a tenth of a millisecond are not measured reliably.
    places = {kind: np.maximum(column, 1e-4) for kind, column in times.items()}
    heights = np.arange(len(rows)) + 0.17
    joined = np.array([*places.values(), np.full(len(rows), np.nan)])
    drawn.add_scatter(
        x=joined.T.ravel(), y=np.repeat(heights, 3), mode="lines", hoverinfo="skip",
        line={"color": LIGHT.line, "width": 3},
    )  # fmt: skip
    for kind, (symbol, edge) in kinds.items():
        mark = {"size": 12, "symbol": symbol}
        drawn.add_scatter(
            x=places[kind],
            y=heights,
            mode="markers",
            name=kind,
            marker=mark | {"color": colours, "line": {"width": edge, "color": colours}},
            hovertext=style.on_hover(titles, [f"{kind}: {word}" for word in time_texts[kind]]),
            cliponaxis=False,
        )
        # The legend entry has no method's colour.
        quiet = {"color": LIGHT.quiet, "line": {"width": edge, "color": LIGHT.quiet}}
        style.legend_key(drawn, kind, mode="markers", marker=mark | quiet)
    seconds = {"type": "log", "exponentformat": "SI", "minexponent": 1, "ticksuffix": "s"}
    drawn.update_xaxes(title_text="Time (log scale)", nticks=7, **seconds)
    fixed = {"itemclick": False, "itemdoubleclick": False}
    drawn.update_layout(showlegend=True, legend=fixed, height=drawn.layout.height + 26)
    return drawn
