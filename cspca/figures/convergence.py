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
    axis,
    escape,
    figure,
    legend_below,
    legend_key,
    palette,
    short,
)
from cspca.figures.words import percent

if TYPE_CHECKING:
    import plotly.graph_objects as go

Floats = NDArray[np.float64]
Across = Literal["iteration", "seconds"]

MAX_POINTS = 500
HEIGHT = 340

FAR = 3.0
"""Times its end that an objective begins at, from which on a log axis shows more."""

_FEW = 24
"""Iterations up to which ticks must be told to be whole numbers."""

_BEST = "Best objective so far"

_SAID = 4
"""Runs that a sentence tells of one by one."""

_COLUMNS = ("number", "seconds", "objective", "dual_bound")
_DASHES = ("solid", "longdash", "dashdot", "dot")


class Course(NamedTuple):
    """A run of a solver: its name, its colour, and columns or records of `_COLUMNS`."""

    name: str
    colour: str
    history: Mapping[str, Any] | Sequence[Mapping[str, Any]] | NDArray[Any] = ()


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
    history = course.history
    if not isinstance(history, Mapping):
        history = {name: [record[name] for record in history] for name in _COLUMNS}
    columns = [np.asarray(history.get(name, ()), dtype=np.float64) for name in _COLUMNS]
    lengths = dict(zip(_COLUMNS, map(len, columns), strict=True))
    if len(set(lengths.values())) > 1:
        raise ValueError(
            f"The curve {course.name!r} has sequences of different lengths {lengths}; "
            "give one entry a record in each."
        )
    number, seconds, objective, bound = columns
    # A bound of 0 is the one that always holds: nothing has been proved yet.
    bound = np.fmax.accumulate(np.where(np.isfinite(bound) & (bound > 0), bound, np.nan))
    there = np.flatnonzero(np.isfinite(number) & np.isfinite(seconds) & np.isfinite(objective))
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
    log_x: bool = False,
    log_y: bool | None = None,
    height: int = HEIGHT,
    dark: bool = False,
) -> go.Figure:
    """Draw the best objective so far of each run, and dashed the bound that it has proved.

    Runs of one name share an entry of the legend, runs of one colour differ in their dashes.
    """
    runs = _runs(courses, x)
    log_y = is_far(runs) if log_y is None else log_y
    drawn = figure(
        title or question(courses), convergence_alt(courses), dark=dark,
        height=height + 21 * -(-len({course.name for course in courses}) // 2),
    )  # fmt: skip
    look = palette(dark)
    floor = best_bound(runs)
    names = list(dict.fromkeys(course.name for course in courses))
    many = len(courses) > 2 * len(names)
    seen: set[str] = set()
    for course, run in zip(courses, runs, strict=True):
        colour = on_page(course.colour, dark)
        kin = [c.name for c in courses if c.colour == course.colour]
        turn = list(dict.fromkeys(kin)).index(course.name)
        kept = ((run.number > 0) | (not log_x)) & ((run.best > 0) | (not log_y))
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
        }
        if np.isfinite(run.bound[kept]).any():
            line = {"color": colour, "width": 1 if many else 1.5, "dash": "dash"}
            _add_line(drawn, run.bound[kept], line, name=f"{short(course.name)}, bound", **common)
        width, dash = 1.5 if many else 2.25, _DASHES[turn % len(_DASHES)]
        line = {"color": colour, "width": width, "dash": dash}
        first = course.name not in seen
        name = short(course.name, IN_LEGEND)
        _add_line(drawn, run.best[kept], line, name=name, showlegend=first, **common)
        seen.add(course.name)
    if math.isfinite(floor):
        dashed = {"color": look.quiet, "width": 1.5, "dash": "dash"}
        legend_key(drawn, "Lower bound", mode="lines", line=dashed)
    across = {"showline": True, "linecolor": look.quiet, "nticks": 8}
    if log_x:
        across |= {"type": "log", "dtick": 1}
    elif x == "iteration":
        most = max((run.number[-1] for run in runs if len(run.number)), default=0)
        across |= {"tickformat": ",d"}
        if most <= _FEW:
            across["dtick"] = max(1, round(most / 8))
    unit = "Seconds" if x == "seconds" else "Iteration"
    drawn.update_xaxes(axis(dark, unit + " (log scale)" * log_x, grid=False) | across)
    drawn.update_yaxes(
        axis(dark, _BEST + " (log scale)" * log_y)
        | {"nticks": 6, "tickformat": ",.6~g"}
        | ({"type": "log"} if log_y else {})
    )
    shown = math.isfinite(floor) or len(courses) > 1
    drawn.update_layout(showlegend=shown, legend=legend_below(dark))
    return drawn


def question(courses: Sequence[Course]) -> str:
    """Say what the chart of these runs answers."""
    return (
        "How close is this to the best possible?"
        if len(courses) < 2
        else "Which solver comes closer, and how fast?"
    )


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
    seen = [value for run in runs for value in (run.best[:1], run.best[-1:]) if len(value)]
    low, high = (float(end(seen)) for end in (np.min, np.max)) if seen else (0.0, 0.0)
    return 0 < FAR * low < high


def _runs(courses: Sequence[Course], x: Across) -> list[Reached]:
    if x not in ("seconds", "iteration"):
        raise ValueError(f"x is {x!r}; give 'seconds' or 'iteration'.")
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


def _add_line(drawn: go.Figure, y: Floats, line: dict[str, Any], **more: Any) -> None:
    # One point alone, such as a bound that was proved at the end, is no line.
    alone = np.isfinite(y).sum() == 1
    drawn.add_scatter(
        y=y,
        mode="lines+markers" if alone else "lines",
        line=line,
        marker={"color": line["color"], "size": 7},
        **({"showlegend": False} | more),
    )


def live_convergence(
    courses: Sequence[Course],
    *,
    x: Across = "iteration",
    height: int = HEIGHT,
    dark: bool = False,
) -> dict[str, Any]:
    """Give the same chart as a vega-lite spec, for a run under way; `question` is its title.

    Streamlit builds a Plotly chart anew with each change of its data, which leaves the page blank
    for a frame; a Vega chart keeps its node as long as the spec differs in its data only.
    """
    names = [course.name for course in courses]
    if len(set(names)) < len(names):
        raise ValueError(f"Two curves share a name in {names}; give each its own.")
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
    wait = {"wait": "Waiting for the first iteration", "x": 0.0, "best": 1.0}
    return _frame(height) | {
        "data": {"values": rows or [wait]},
        "layer": _layers(courses, x, is_far(runs), dark),
    }


def _frame(height: int) -> dict[str, Any]:
    """Give the outer part of the live chart; Streamlit's theme colours its text."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": "container",
        "height": height,
        "background": "transparent",
        "padding": {"left": 4, "top": 4, "right": 8, "bottom": 4},
        "autosize": {"type": "fit", "contains": "padding"},
        "config": {
            "view": {"stroke": None},
            "axis": {"domain": False, "ticks": False, "labelPadding": 6, "titlePadding": 8},
            "axisX": {"grid": False, "domain": True},
            "axisY": {"tickCount": 5},
            "legend": {
                "orient": "bottom",
                "title": None,
                "symbolType": "stroke",
                "symbolSize": 220,
                "symbolStrokeWidth": 2,
                "offset": 8,
                "padding": 0,
                # Below each other: side by side two legends are cut off on a phone.
                "layout": {"bottom": {"direction": "vertical", "anchor": "start", "margin": 4}},
            },
        },
    }


def _layers(courses: Sequence[Course], x: Across, log: bool, dark: bool) -> list[dict[str, Any]]:
    quiet = palette(dark).quiet
    names = [course.name for course in courses] or [""]
    colours = [on_page(course.colour, dark) for course in courses] or [quiet]
    whole = {"tickMinStep": 1} if x == "iteration" else {}
    across = {
        "field": "x",
        "type": "quantitative",
        "title": "Seconds" if x == "seconds" else "Iteration",
        "scale": {"zero": False, "nice": False},
        "axis": {"format": ",.9~g"} | whole,
    }
    colour = {
        "field": "curve",
        "type": "nominal",
        "scale": {"domain": names, "range": colours},
        "legend": {"columns": 2} if len(courses) > 1 else None,
    }
    lines = {"best": "Objective", "bound": "Lower bound"}
    dash = {
        "field": "role",
        "type": "nominal",
        "scale": {"domain": list(lines.values()), "range": [[1, 0], [6, 4]]},
        "legend": {"symbolStrokeColor": colours[0] if len(courses) < 2 else quiet},
    }

    def place(name: str) -> dict[str, Any]:
        return {
            "x": across,
            "y": {
                "field": name,
                "type": "quantitative",
                "title": _BEST,
                "scale": {"zero": False, "nice": False} | ({"type": "log"} if log else {}),
                "axis": {"format": ",.7~g"},
            },
            "color": colour,
        }

    def points(name: str, only: str, more: dict[str, Any], **mark: Any) -> dict[str, Any]:
        return {
            "transform": [{"filter": only}],
            "mark": {"type": "point", "size": 50, "strokeWidth": 2, "invalid": "filter"} | mark,
            "encoding": place(name) | more,
        }

    nearest = {
        "name": "nearest",
        "select": {"type": "point", "on": "pointerover", "nearest": True, "clear": "pointerout"},
    }
    shown = {"condition": {"param": "nearest", "empty": False, "value": 1}, "value": 0}
    # The pointer finds the nearest point through a cell about it, whose datum is the point.
    said = {"tooltip": {"expr": "(datum.datum || datum).said"}, "aria": False}
    return [
        *(
            {
                "transform": [
                    {"filter": "isValid(datum.curve)"},
                    {"calculate": f"'{title}'", "as": "role"},
                ],
                "mark": {"type": "line", "strokeWidth": 2, "invalid": "break-paths-show-domains"},
                "encoding": place(name) | {"strokeDash": dash},
            }
            for name, title in lines.items()
        ),
        points("best", "datum.last", {}, filled=True, opacity=1),
        points("bound", "datum.last", {}, opacity=1),
        points("best", "isValid(datum.curve)", {"opacity": shown}, filled=True, size=70, **said)
        | {"params": [nearest]},
        {
            "transform": [{"filter": "isValid(datum.wait)"}],
            "mark": {"type": "text", "fontSize": 13, "color": quiet,
                     "x": {"expr": "width / 2"}, "y": {"expr": "height / 2"}},
            "encoding": {"text": {"field": "wait", "type": "nominal"}},
        },
    ]  # fmt: skip
