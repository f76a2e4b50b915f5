"""Convergence charts: the best objective of a run so far, and its lower bound.

The best objective so far never rises, while that of an ADMM's iterates may. A lower bound holds for
the optimum, hence for every iteration; it is drawn from its first certificate on.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cspca.figures import style
from cspca.figures.style import LIGHT, on_page, short
from cspca.figures.words import from_optimum

if TYPE_CHECKING:
    import plotly.graph_objects as go

Floats = NDArray[np.float64]
Across = Literal["iteration", "seconds"]

Reached = dict[str, Floats]

MAX_POINTS = 500
HEIGHT = 340
_BEST = "Best objective so far"


class Course(NamedTuple):
    """A run of a solver: its name, its colour, and its history, None before the first record."""

    name: str
    colour: str
    history: Mapping[str, Any] | NDArray[Any] | None = None


def reached(course: Course, room: int = MAX_POINTS) -> Reached:
    """Read a course: at most `room` of its records, without those that lack an objective.

    The columns are iteration, seconds, best (objective so far) and bound (best so far, or NaN).
    """
    number, seconds, objective, bound = (
        np.asarray(() if course.history is None else course.history[name], dtype=np.float64)
        for name in ("number", "seconds", "objective", "dual_bound")
    )
    # A bound of 0 holds trivially: nothing has been proved yet.
    bound = np.fmax.accumulate(np.where(np.isfinite(bound) & (bound > 0), bound, np.nan))
    recorded = np.flatnonzero(np.isfinite(objective))
    best = np.full(number.shape, np.nan)
    best[recorded] = np.minimum.accumulate(objective[recorded])
    selected = recorded[thin(len(recorded), room)]
    columns = {"iteration": number, "seconds": seconds, "best": best, "bound": bound}
    return {name: column[selected] for name, column in columns.items()}


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
    """Draw the best objective so far of each run and, dashed, the lower bound that it has proved.

    Runs of one name share a legend entry.
    """
    runs, floor = _runs(courses)
    log_y = is_far(runs) if log_y is None else log_y
    names = {course.name for course in courses}
    height = HEIGHT + 21 * math.ceil(len(names) / 2)
    drawn = style.figure(title or question(courses), convergence_alt(courses), height=height)
    thinner = 0.67 if len(courses) > 2 * len(names) else 1.0
    for course, run in zip(courses, runs, strict=True):
        visible = (run["best"] > 0) | (not log_y)
        lines = [
            "<br>".join(f"{name}: {value}" for name, value in fields.items())
            for fields in itertools.compress(_hover(run, floor), visible)
        ]
        hover = style.on_hover([course.name] * len(lines), lines)
        for column, dash, width in (("bound", "dash", 1.5), ("best", "solid", 2.25)):
            values = run[column][visible]
            points = int(np.isfinite(values).sum())
            if column == "bound" and not points:
                continue
            drawn.add_scatter(
                x=run[x][visible],
                y=values,
                # One point alone, such as a bound that was proved at the end, is no line.
                mode="lines+markers" if points == 1 else "lines",
                marker={"color": course.colour, "size": 7},
                line={"color": course.colour, "width": width * thinner, "dash": dash},
                hovertext=hover,
                legendgroup=course.name,
                showlegend=column == "best" and course.name in names,
                name=short(course.name, style.IN_LEGEND)
                if column == "best"
                else f"{short(course.name)}, limit",
            )
        names.discard(course.name)
    if math.isfinite(floor):
        dashed = {"color": LIGHT.quiet, "width": 1.5, "dash": "dash"}
        style.legend_key(drawn, "Lower bound", mode="lines", line=dashed)
    across = {"title_text": x.capitalize(), "showgrid": False, "showline": True, "nticks": 8}
    if x == "iteration":
        across["tickformat"] = ",d"
        most = max((float(run[x][-1]) for run in runs if run[x].size), default=0)
        if most <= 24:
            # With few ticks Plotly would show fractions of an iteration.
            across["dtick"] = max(1, round(most / 8))
    drawn.update_xaxes(across)
    drawn.update_yaxes(title_text=_BEST, nticks=6, tickformat=",.6~g")
    if log_y:
        drawn.update_yaxes(title_text=f"{_BEST} (log scale)", type="log")
    return style.show_legend(drawn) if math.isfinite(floor) or len(courses) > 1 else drawn


def question(courses: Sequence[Course]) -> str:
    """Return the question that the chart of these runs answers."""
    if len(courses) < 2:
        return "How close is this to the optimum?"
    return "Which solver comes closer, and how fast?"


def convergence_alt(courses: Sequence[Course], most: int = 4) -> str:
    """Describe the convergence chart with one sentence per run, for at most `most` runs."""
    parts: list[str] = []
    runs = [reached(course) for course in courses]
    floor = best_bound(runs)
    there = [pair for pair in zip(courses, runs, strict=True) if pair[1]["best"].size]
    for course, run in there[:most]:
        iterations, seconds, best, bound = (column[-1] for column in run.values())
        text = (
            f"{course.name}: the objective falls from {run['best'][0]:,.5g} to {best:,.5g} "
            f"in {iterations:,.0f} iterations ({seconds:.3g} s)"
        )
        if math.isfinite(bound):
            text += f" and its lower bound rises to {bound:,.5g}"
        if math.isfinite(floor):
            text += f", so it is {from_optimum(gap_to(best, floor))}"
        parts.append(text)
    if not parts:
        return "No iteration has been recorded yet."
    rest = f" And {len(there) - most} further runs." if len(there) > most else ""
    return "; ".join(parts) + "." + rest


def best_bound(runs: Sequence[Reached]) -> float:
    """Return the largest lower bound that any of the runs has proved, or NaN."""
    return float(
        np.fmax.reduce([math.nan, *(run["bound"][-1] for run in runs if run["bound"].size)])
    )


def gap_to(objective: float, bound: float) -> float:
    """Return the relative gap of an objective to a bound."""
    return max(0.0, (objective - bound) / abs(objective)) if objective else 0.0


def is_far(runs: Sequence[Reached]) -> bool:
    """Return whether objectives fall so far that a log axis shows more."""
    ends = [run["best"][at] for run in runs if run["best"].size for at in (0, -1)]
    return bool(ends) and 0 < 3 * min(ends) < max(ends)


def _runs(courses: Sequence[Course]) -> tuple[list[Reached], float]:
    """Return the columns that are drawn for each course, and the best bound of all."""
    room = MAX_POINTS // max(1, len({course.name for course in courses}))
    runs = [reached(course, room) for course in courses]
    floor = best_bound(runs)
    if len(runs) > 1 and math.isfinite(floor):
        # A run may prove next to nothing: its bound must not flatten all curves.
        most = max(run["best"].max(initial=floor) for run in runs)
        lowest = floor - max(most - floor, 1e-3 * abs(floor))
        for run in runs:
            run["bound"][run["bound"] < lowest] = np.nan
    return runs, floor


def _hover(run: Reached, floor: float) -> list[dict[str, str]]:
    """Return the hover text of each record as fields; the bound from its first certificate on."""
    records = []
    for number, seconds, best, bound in zip(*run.values(), strict=True):
        fields = {
            "Iteration": f"{number:,.0f}",
            "Seconds": f"{seconds:.3g}",
            _BEST: f"{best:,.7g}",
        }
        if math.isfinite(bound):
            fields["Lower bound"] = f"{bound:,.7g}"
        if math.isfinite(floor):
            fields["Proven"] = from_optimum(gap_to(best, floor))
        records.append(fields)
    return records


def starts(
    courses: Sequence[Course],
    optimum: tuple[float, float] | None,
    *,
    near: bool = False,
    x: Across = "iteration",
    last: float | None = None,
) -> go.Figure:
    """Draw courses, those of Algorithm 1 last, with the band in which the optimum lies.

    `near` shows the range around the optimum only; `last` is the end of the x axis.
    """
    title = "Who arrives at the optimum?" if near else "Does it converge?"
    drawn = convergence(courses, x=x, title=title, log_y=False)
    there = [(course.name, reached(course)) for course in courses]
    there = [(name, run) for name, run in there if run["best"].size]
    end = last if last is not None else max((run[x][-1] for _, run in there), default=1)
    if optimum is not None:
        low, high = optimum
        green = "#009E73"
        across = {"x0": 0, "x1": end, "y0": low, "layer": "below"}
        fill = {"fillcolor": style.see_through(green, 0.25), "line": {"width": 0}}
        drawn.add_shape(across, type="rect", y1=high, **fill)
        line = {"color": green, "width": 1.5}
        drawn.add_shape(across, type="line", y1=low, line=line)
        style.legend_key(drawn, "Proven optimum", mode="lines", line=line)
        drawn.layout.meta["alt"] += f" The optimum lies between {low:,.7g} and {high:,.7g}."
    if x == "iteration" and end > 10:
        # The paper stops Algorithm 1 after ten iterations.
        dashed = {"color": LIGHT.quiet, "width": 1, "dash": "dash"}
        drawn.add_vline(x=10, line=dashed, layer="below")
        drawn.add_annotation(
            x=10, y=1, yref="paper", xanchor="center", yanchor="bottom",
            text="ten iterations", font={"size": style.SMALL, "color": LIGHT.quiet},
        )  # fmt: skip
    if there:
        names = {there[-1][0]} if near else {name for name, _ in there}
        floor = optimum[0] if optimum else min(float(run["best"][-1]) for _, run in there)
        scale = max(abs(floor), 1e-12)
        # The whole fall of each solver or, if `near`, the final height of Algorithm 1.
        typical = max(
            np.median([_at(run, x, end if near else 0.0) for name, run in there if name == solver])
            for solver in names
        )
        above = max(float(typical) - floor, scale * (2e-4 if near else 1e-3))
        below, over = (0.3, 1.6) if near else (0.18, 1.06)
        drawn.update_yaxes(range=[floor - below * above, floor + over * above])
    drawn.update_xaxes(nticks=7, range=[0 if x == "seconds" else 1, end])
    drawn.update_layout(showlegend=True, margin_t=drawn.layout.margin.t + 16)
    return drawn


def _at(run: Reached, x: Across, place: float) -> float:
    """Return the best objective at a place on the x axis, or the first one."""
    return float(run["best"][max(0, int((run[x] <= place).sum()) - 1)])


def curve(
    courses: Sequence[Course], *, x: Across = "iteration", dark: bool = False
) -> dict[str, Any]:
    """Return the convergence chart as numbers, for the script that draws a running fit.

    Streamlit rebuilds a Plotly chart whenever its data change, which leaves it blank for a frame.
    """
    runs, floor = _runs(courses)
    lines = []
    for course, run in zip(courses, runs, strict=True):
        line: dict[str, Any] = {"name": course.name, "colour": on_page(course.colour, dark)}
        for name, column in (("x", x), ("best", "best"), ("bound", "bound")):
            line[name] = [
                float(f"{value:.9g}") if math.isfinite(value) else None for value in run[column]
            ]
        line["proven"] = [fields.get("Proven") for fields in _hover(run, floor)]
        lines.append(line)
    return {
        "title": question(courses),
        "alt": convergence_alt(courses),
        "across": x.capitalize(),
        "lines": lines,
        "quiet": style.palette(dark).quiet,
    }
