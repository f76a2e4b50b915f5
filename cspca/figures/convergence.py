"""How close is a run to the best possible: its best objective so far, and the bound below it.

What is drawn is what has been reached, so it never rises: an ADMM's own iterates do. A lower bound
holds for the optimum, hence for every iteration; it is drawn from its first certificate on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cspca.figures.colours import on_page
from cspca.figures.style import (
    IN_LEGEND,
    LIGHT,
    SMALL,
    escape,
    figure,
    legend_key,
    palette,
    see_through,
    short,
)
from cspca.figures.words import percent

if TYPE_CHECKING:
    import plotly.graph_objects as go

Floats = NDArray[np.float64]
Across = Literal["iteration", "seconds"]

MAX_POINTS = 500
HEIGHT = 340

_TEN = 10
"""Iterations after which the paper stops Algorithm 1."""

_BEST = "Best objective so far"

_SAID = 4
"""Runs that a sentence tells of one by one."""

_DASHES = ("solid", "longdash", "dashdot", "dot")
_GREEN = "#009E73"


class Course(NamedTuple):
    """A run of a solver: its name, its colour, and columns as of its history, none before it."""

    name: str
    colour: str
    history: Mapping[str, Any] | NDArray[Any] | None = None


class Reached(NamedTuple):
    """What a run had reached at each record: its best objective, and its best bound or NaN."""

    number: Floats
    seconds: Floats
    best: Floats
    bound: Floats

    def at(self, x: Across) -> Floats:
        """Where the records lie along the bottom."""
        return self.seconds if x == "seconds" else self.number


def reached(course: Course, room: int = MAX_POINTS) -> Reached:
    """Read a course: at most `room` of its records, those without an objective left out."""
    number, seconds, objective, bound = (
        np.asarray(() if course.history is None else course.history[name], dtype=np.float64)
        for name in ("number", "seconds", "objective", "dual_bound")
    )
    # A bound of 0 is the one that always holds: nothing has been proved yet.
    bound = np.fmax.accumulate(np.where(np.isfinite(bound) & (bound > 0), bound, np.nan))
    there = np.flatnonzero(np.isfinite(objective))
    best = np.minimum.accumulate(objective[there])
    some = thin(len(there), room)
    kept = there[some]
    return Reached(number[kept], seconds[kept], best[some], bound[kept])


def thin(count: int, room: int) -> NDArray[np.intp]:
    """Choose at most `room` of `count` positions, evenly, the first and the last among them."""
    if count <= room:
        return np.arange(count)
    return np.unique(np.round(np.linspace(0, count - 1, room)).astype(np.intp))


def convergence(
    courses: Sequence[Course],
    *,
    x: Across = "iteration",
    title: str = "",
    log_y: bool | None = None,
) -> go.Figure:
    """Draw the best objective so far of each run, and dashed the bound that it has proved.

    Runs of one name share an entry of the legend, runs of one colour differ in their dashes.
    """
    runs = _runs(courses, x)
    log_y = is_far(runs) if log_y is None else log_y
    names = list(dict.fromkeys(course.name for course in courses))
    drawn = figure(
        title or question(courses),
        convergence_alt(courses),
        height=HEIGHT + 21 * math.ceil(len(names) / 2),
    )
    floor = best_bound(runs)
    thinner = 0.67 if len(courses) > 2 * len(names) else 1.0
    seen: set[str] = set()
    modes = "lines", "lines+markers"
    for course, run in zip(courses, runs, strict=True):
        kin = dict.fromkeys(one.name for one in courses if one.colour == course.colour)
        kept = (run.best > 0) | (not log_y)
        bound, best = run.bound[kept], run.best[kept]
        common = {
            "x": run.at(x)[kept],
            "hoverinfo": "text",
            "hovertext": [
                f"<b>{escape(course.name)}</b><br>"
                + "<br>".join(f"{name}: {value}" for name, value in said.items())
                for said, there in zip(_hover(run, floor), kept, strict=True)
                if there
            ],
            "legendgroup": course.name,
            # One point alone, such as a bound that was proved at the end, is no line.
            "marker": {"color": course.colour, "size": 7},
        }
        line = {"color": course.colour, "width": 1.5 * thinner, "dash": "dash"}
        if np.isfinite(bound).any():
            drawn.add_scatter(
                y=bound, line=line, name=f"{short(course.name)}, bound", showlegend=False,
                mode=modes[int(np.isfinite(bound).sum() == 1)], **common,
            )  # fmt: skip
        dash = _DASHES[list(kin).index(course.name) % len(_DASHES)]
        line |= {"width": 2.25 * thinner, "dash": dash}
        drawn.add_scatter(
            y=best, line=line, mode=modes[int(best.size == 1)], **common,
            name=short(course.name, IN_LEGEND), showlegend=course.name not in seen,
        )  # fmt: skip
        seen.add(course.name)
    if math.isfinite(floor):
        dashed = {"color": LIGHT.quiet, "width": 1.5, "dash": "dash"}
        legend_key(drawn, "Lower bound", mode="lines", line=dashed)
    across = {"title_text": x.capitalize(), "showgrid": False, "showline": True, "nticks": 8}
    if x == "iteration":
        most = max((run.number[-1] for run in runs if len(run.number)), default=0)
        across |= {"tickformat": ",d"}
        if most <= 24:
            # Few ticks must be told to be whole numbers.
            across["dtick"] = max(1, round(most / 8))
    drawn.update_xaxes(across)
    upwards = {"title_text": _BEST, "nticks": 6, "tickformat": ",.6~g"}
    if log_y:
        upwards |= {"title_text": f"{_BEST} (log scale)", "type": "log"}
    drawn.update_yaxes(upwards)
    drawn.update_layout(showlegend=math.isfinite(floor) or len(courses) > 1)
    return drawn


def question(courses: Sequence[Course]) -> str:
    """Say what the chart of these runs answers."""
    if len(courses) < 2:
        return "How close is this to the best possible?"
    return "Which solver comes closer, and how fast?"


def convergence_alt(courses: Sequence[Course]) -> str:
    """Describe the convergence chart in one sentence a run, with its numbers."""
    parts: list[str] = []
    runs = [reached(course) for course in courses]
    floor = best_bound(runs)
    there = [pair for pair in zip(courses, runs, strict=True) if len(pair[1].best)]
    for course, run in there[:_SAID]:
        text = (
            f"{course.name}: the objective falls from {run.best[0]:,.5g} to {run.best[-1]:,.5g} "
            f"in {run.number[-1]:,.0f} iterations ({run.seconds[-1]:.3g} s)"
        )
        if math.isfinite(run.bound[-1]):
            text += f" and the bound rises to {run.bound[-1]:,.5g}"
        if math.isfinite(floor):
            text += f", so it is within {percent(within(run.best[-1], floor))} of the optimum"
        parts.append(text)
    if not parts:
        return "No iteration has been recorded yet."
    rest = f" And {len(there) - _SAID} further runs." if len(there) > _SAID else ""
    return "; ".join(parts) + "." + rest


def best_bound(runs: Sequence[Reached]) -> float:
    """Give the largest bound that any of the runs has proved for the one optimum, or NaN."""
    ends = [float(run.bound[-1]) for run in runs if len(run.bound)]
    return max((end for end in ends if math.isfinite(end)), default=math.nan)


def within(objective: float, bound: float) -> float:
    """Give the relative gap of an objective to a bound."""
    return max(0.0, (objective - bound) / abs(objective)) if objective else 0.0


def is_far(runs: Sequence[Reached]) -> bool:
    """Whether the objectives begin so far above their end that a log axis shows more."""
    ends = [run.best[at] for run in runs if len(run.best) for at in (0, -1)]
    return bool(ends) and 0 < 3 * min(ends) < max(ends)


def _runs(courses: Sequence[Course], x: Across) -> list[Reached]:
    room = MAX_POINTS // max(1, len({course.name for course in courses}))
    runs = [reached(course, room) for course in courses]
    floor, seen = best_bound(runs), [value for run in runs for value in run.best]
    if len(runs) < 2 or not math.isfinite(floor):
        return runs
    # Of several runs one may prove next to nothing: its bound must not flatten the fall of all.
    lowest = floor - max(max(seen) - floor, 1e-3 * abs(floor))
    return [run._replace(bound=np.where(run.bound < lowest, np.nan, run.bound)) for run in runs]


def _hover(run: Reached, floor: float) -> list[dict[str, str]]:
    """Say the numbers of each record, of the bound only from its first certificate on."""
    found = []
    for number, seconds, best, bound in zip(*run, strict=True):
        said = {
            "Iteration": f"{number:,.0f}",
            "Seconds": f"{seconds:.3g}",
            _BEST: f"{best:,.7g}",
        }
        if math.isfinite(bound):
            said["Lower bound"] = f"{bound:,.7g}"
        if math.isfinite(floor):
            said["Within"] = percent(within(best, floor))
        found.append(said)
    return found


def starts(
    courses: Sequence[Course],
    optimum: tuple[float, float] | None,
    *,
    near: bool = False,
    x: Across = "iteration",
    last: float | None = None,
) -> go.Figure:
    """Draw courses, those of Algorithm 1 last, with the band in which the optimum lies.

    `near` shows the range about the optimum in place of the whole fall, `last` ends the axis.
    """
    title = "Who arrives at the optimum?" if near else "Does it converge?"
    drawn = convergence(courses, x=x, title=title, log_y=False)
    runs = [reached(course) for course in courses]
    end = last if last is not None else max((r.at(x)[-1] for r in runs if r.best.size), default=1)
    if optimum is not None:
        low, high = optimum
        across = {"type": "rect", "x0": 0, "x1": end, "y0": low, "y1": high, "layer": "below"}
        drawn.add_shape(**across, fillcolor=see_through(_GREEN, 0.25), line={"width": 0})
        line = {"color": _GREEN, "width": 1.5}
        drawn.add_shape(**(across | {"type": "line", "y1": low}), line=line)
        legend_key(drawn, "Proven optimum", mode="lines", line=line)
        words = f" The optimum lies between {low:,.7g} and {high:,.7g}."
        drawn.layout.meta = {"alt": drawn.layout.meta["alt"] + words}
    if x == "iteration" and end > _TEN:
        dashed = {"color": LIGHT.quiet, "width": 1, "dash": "dash"}
        drawn.add_vline(x=_TEN, line=dashed, layer="below")
        drawn.add_annotation(
            x=_TEN, y=1, yref="paper", xanchor="center", yanchor="bottom",
            text="ten iterations", font={"size": SMALL, "color": LIGHT.quiet},
        )  # fmt: skip
    there = [(one.name, run) for one, run in zip(courses, runs, strict=True) if run.best.size]
    if there:
        stalled = [run for name, run in there if name == there[-1][0]]
        floor = optimum[0] if optimum else min(float(run.best[-1]) for _, run in there)
        drawn.update_yaxes(range=_range(stalled, floor, near, end, x))
    drawn.update_xaxes(nticks=7, range=[0 if x == "seconds" else 1, end])
    drawn.update_layout(showlegend=True, margin_t=drawn.layout.margin.t + 16)
    return drawn


def _range(
    stalled: Sequence[Reached], floor: float, near: bool, end: float, x: Across
) -> tuple[float, float]:
    """Choose the objective's range: the paper's fall, or near and above the optimum."""
    scale = max(abs(floor), 1e-12)
    if near:
        ends = [run.best[max(0, int((run.at(x) <= end).sum()) - 1)] for run in stalled]
        above = max(float(np.median(ends)) - floor, 2e-4 * scale)
        return floor - 0.6 * above, floor + 2.2 * above
    above = max(float(np.median([run.best[0] for run in stalled])) - floor, 1e-3 * scale)
    return floor - 0.18 * above, floor + 1.06 * above


def live_convergence(
    courses: Sequence[Course], *, x: Across = "iteration", dark: bool = False
) -> dict[str, Any]:
    """Give the same chart as a vega-lite spec, for a run under way; `question` is its title.

    Streamlit builds a Plotly chart anew with each change of its data, which leaves the page blank
    for a frame; a Vega chart keeps its node as long as the spec differs in its data only.
    """
    runs = _runs(courses, x)
    floor = best_bound(runs)
    rows = [
        {
            "curve": course.name,
            "x": at,
            "best": best,
            "bound": bound if math.isfinite(bound) else None,
            "last": place == len(run.best) - 1,
            "said": {"Solver": course.name, **said},
        }
        for course, run in zip(courses, runs, strict=True)
        for place, (at, best, bound, said) in enumerate(
            zip(run.at(x).tolist(), run.best.tolist(), run.bound.tolist(), _hover(run, floor),
                strict=True)
        )
    ]  # fmt: skip
    wait = {"wait": "Waiting for the first iteration"}
    quiet = palette(dark).quiet
    middle = {"x": {"expr": "width / 2"}, "y": {"expr": "height / 2"}}
    return _FRAME | {
        "data": {"values": rows or [wait]},
        "layer": [
            _lines(courses, x, is_far(runs), dark),
            {
                "transform": [{"filter": "isValid(datum.wait)"}],
                "mark": {"type": "text", "fontSize": 13, "color": quiet} | middle,
                "encoding": {"text": {"field": "wait", "type": "nominal"}},
            },
        ],
    }


# The outer part of the live chart; Streamlit's theme colours its text.
_FRAME: dict[str, Any] = {
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "width": "container",
    "height": HEIGHT,
    "autosize": {"type": "fit", "contains": "padding"},
    "config": {
        "axisX": {"grid": False, "domain": True},
        "legend": {
            "orient": "bottom",
            "title": None,
            "symbolType": "stroke",
            "symbolSize": 220,
            "offset": 8,
            "padding": 0,
            # Below each other: side by side two legends are cut off on a phone.
            "layout": {"bottom": {"direction": "vertical", "anchor": "start", "margin": 4}},
        },
    },
}


def _lines(courses: Sequence[Course], x: Across, log: bool, dark: bool) -> dict[str, Any]:
    """Give the layers that share their axes: lines, their ends, and what the pointer finds."""
    quiet = palette(dark).quiet
    colours = [on_page(course.colour, dark) for course in courses]
    free = {"zero": False, "nice": False}
    point = {"type": "point", "size": 50, "filled": True, "opacity": 1, "invalid": "filter"}
    nearest = {"type": "point", "on": "pointerover", "nearest": True, "clear": "pointerout"}
    shown = {"condition": {"param": "nearest", "empty": False, "value": 1}, "value": 0}
    # The pointer finds the nearest point through a cell about it, whose datum is the point.
    said = {"tooltip": {"expr": "(datum.datum || datum).said"}, "aria": False}
    return {
        "transform": [
            {"filter": "isValid(datum.curve)"},
            # A row a line: of the objective, and of its bound.
            {"fold": ["best", "bound"], "as": ["role", "y"]},
        ],
        "encoding": {
            "x": {
                "field": "x",
                "type": "quantitative",
                "title": x.capitalize(),
                "scale": free,
                "axis": {"format": ",.9~g"} | ({"tickMinStep": 1} if x == "iteration" else {}),
            },
            "y": {
                "field": "y",
                "type": "quantitative",
                "title": _BEST,
                "scale": free | ({"type": "log"} if log else {}),
                "axis": {"format": ",.7~g"},
            },
            "color": {
                "field": "curve",
                "type": "nominal",
                "scale": {"domain": [course.name for course in courses], "range": colours},
                "legend": {"columns": 2} if len(courses) > 1 else None,
            },
        },
        "layer": [
            {
                "mark": {"type": "line", "strokeWidth": 2, "invalid": "break-paths-show-domains"},
                "encoding": {
                    "strokeDash": {
                        "field": "role",
                        "type": "nominal",
                        "scale": {"domain": ["best", "bound"], "range": [[1, 0], [6, 4]]},
                        "legend": {
                            "symbolStrokeColor": colours[0] if len(courses) == 1 else quiet,
                            "labelExpr": "{best: 'Objective', bound: 'Lower bound'}[datum.value]",
                        },
                    }
                },
            },
            {"transform": [{"filter": "datum.last"}], "mark": point},
            {
                "transform": [{"filter": "datum.role == 'best'"}],
                "mark": point | {"size": 70} | said,
                "encoding": {"opacity": shown},
                "params": [{"name": "nearest", "select": nearest}],
            },
        ],
    }
