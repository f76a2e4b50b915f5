"""The convergence chart: the objective falls, the bound on the optimum rises, the gap closes.

The y axis is zoomed by what the curves show after the first eighth of the run, so the steep start
does not flatten what matters: the two lines meeting. The zoom is done in the data (what lies
outside is cut at the edge), not in the spec. The spec of a live chart is therefore the same at
every tick, only its rows change, and the browser keeps the drawing it has.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cspca.figures.colours import on_page
from cspca.figures.vega import Spec, frame, quiet

Floats = NDArray[np.float64]

MAX_POINTS = 500
HEIGHT = 340

_OBJECTIVE = "objective"
_BOUND = "bound from below"


@dataclass(frozen=True)
class Curve:
    """What one solver did, record by record.

    Parameters
    ----------
    name : str
        The solver's name, as the legend shows it.
    colour : str
        Its colour on the light page, as ``#rrggbb``.
    number : sequence of int, length m
        Iteration numbers.
    seconds : sequence of float, length m
        Seconds since the start.
    objective : sequence of float, length m
        The objective; NaN where it was not evaluated.
    dual_bound : sequence of float, length m
        The best lower bound on the optimum so far; NaN or 0 where there is none.
    gap : sequence of float, length m
        The relative gap as a fraction; infinite where there is no bound yet.
    """

    name: str
    colour: str
    number: Sequence[float] = field(default=())
    seconds: Sequence[float] = field(default=())
    objective: Sequence[float] = field(default=())
    dual_bound: Sequence[float] = field(default=())
    gap: Sequence[float] = field(default=())

    def __post_init__(self) -> None:
        lengths = {
            key: len(getattr(self, key))
            for key in ("number", "seconds", "objective", "dual_bound", "gap")
        }
        if len(set(lengths.values())) > 1:
            raise ValueError(
                f"The curve {self.name!r} has sequences of different lengths {lengths}; "
                "give one entry a record in each."
            )

    @classmethod
    def from_history(cls, name: str, colour: str, history: Sequence[Mapping[str, Any]]) -> Curve:
        """Read a fitted model's ``history_``: records with the keys of this class."""
        return cls(
            name,
            colour,
            *(
                [float(record[key]) for record in history]
                for key in ("number", "seconds", "objective", "dual_bound", "gap")
            ),
        )


@dataclass(frozen=True)
class _Clean:
    """A curve without unevaluated records, thinned, as arrays."""

    name: str
    number: Floats
    seconds: Floats
    objective: Floats
    bound: Floats
    gap: Floats

    def __len__(self) -> int:
        return self.number.size


def convergence_spec(
    series: Sequence[Curve],
    x: Literal["seconds", "iteration"] = "iteration",
    dark: bool = False,
    *,
    height: int = HEIGHT,
    standalone: bool = False,
) -> Spec:
    """Draw one or more solvers' objective and dual bound.

    Parameters
    ----------
    series : sequence of Curve
        The solvers, first the one the page is about. May be empty, and so may each curve: the
        same axes are then drawn without lines.
    x : {"iteration", "seconds"}, default "iteration"
        What runs along the bottom.
    dark : bool, default False
        Whether the page is dark.
    height : int, default 340
        Height in pixels, the same whatever the data.
    standalone : bool, default False
        Write text colours into the chart too (for a report without Streamlit's theme).

    Returns
    -------
    dict
        A vega-lite spec with at most 500 rows of data; as long as the solvers stay the same it
        differs in its data only. Records whose objective is not finite are left out.

    Raises
    ------
    ValueError
        If `x` is neither of the two, or two curves have the same name.

    Notes
    -----
    On a live page give the chart a ``key`` and no ``alt``: a changing ``alt`` has the browser
    draw it anew at every tick. Say the numbers (`convergence_alt`) in text beside it.
    """
    if x not in ("seconds", "iteration"):
        raise ValueError(f"x is {x!r}; give 'seconds' or 'iteration'.")
    names = [curve.name for curve in series]
    if len(set(names)) < len(names):
        raise ValueError(f"Two curves share a name in {names}; give each its own.")
    curves = _clean_all(series)
    title = (
        "How close is this to the best possible?"
        if len(series) < 2
        else "Which solver comes closer, and how fast?"
    )
    what = (
        "Lines over the run: the objective falls, the bound on the optimum rises, and the gap "
        "between them closes."
    )
    spec = frame(title, height, dark, standalone, what, convergence_alt(series))
    spec["data"] = {"values": _rows(curves, x)}
    spec |= _layers(series, x, dark)
    return spec


def convergence_alt(series: Sequence[Curve]) -> str:
    """Describe the convergence chart in one sentence a solver, with its numbers.

    Parameters
    ----------
    series : sequence of Curve
        As drawn.

    Returns
    -------
    str
    """
    parts = []
    for curve in _clean_all(series):
        if not len(curve):
            continue
        first, last = curve.objective[0], curve.objective[-1]
        text = (
            f"{curve.name}: the objective falls from {first:,.5g} to {last:,.5g} in "
            f"{curve.number[-1]:,.0f} iterations ({curve.seconds[-1]:.3g} s)"
        )
        if math.isfinite(curve.gap[-1]):
            text += (
                f" and the bound rises to {curve.bound[-1]:,.5g}, so it is within "
                f"{percent(curve.gap[-1])} of the optimum"
            )
        parts.append(text)
    return "; ".join(parts) + "." if parts else "No iteration has been recorded yet."


def percent(gap: float) -> str:
    """Write a relative gap in per cent with two significant digits, rounded up, or “unknown”."""
    if not math.isfinite(gap):
        return "unknown"
    value = 100 * max(gap, 0.0)
    if value == 0:
        return "0 %"
    # Rounded up: "within x %" must stay true.
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    rounded = math.ceil(value / step - 1e-9) * step
    return f"{rounded:,.2g} %" if rounded < 100 else f"{rounded:,.0f} %"


def _clean_all(series: Sequence[Curve]) -> list[_Clean]:
    # Rows for the crossings and for the corners of the view come on top.
    room = MAX_POINTS // max(1, len(series)) - 4
    return [_clean(curve, room) for curve in series]


def _clean(curve: Curve, room: int) -> _Clean:
    columns = np.array(
        [curve.number, curve.seconds, curve.objective, curve.dual_bound, curve.gap],
        dtype=np.float64,
    ).reshape(5, -1)
    columns = columns[:, np.isfinite(columns[:3]).all(axis=0)]
    columns = columns[:, thin(columns.shape[1], room)]
    number, seconds, objective, bound, gap = columns
    # A bound of 0 is the one that always holds: nothing has been proved yet.
    bound = np.where(np.isfinite(bound) & (bound > 0), bound, np.nan)
    return _Clean(curve.name, number, seconds, objective, bound, gap)


def thin(count: int, room: int) -> NDArray[np.intp]:
    """Choose at most `room` of `count` positions, evenly, the first and the last among them."""
    if count <= room:
        return np.arange(count)
    return np.unique(np.round(np.linspace(0, count - 1, room)).astype(np.intp))


def view_limits(curves: Sequence[_Clean], x: str) -> tuple[float, float] | None:
    """Choose the part of the y axis to show, or None when there is nothing to show.

    Each curve proposes what its objective and its bound span after the first eighth of its own
    run, yet no more than eight times the gap it had half-way (a start many powers of ten away
    would flatten the rest). The view takes all proposals in, with a margin, and is never thinner
    than a ten-thousandth of the objective (below that lies rounding, not progress). Of several
    solvers the question is how far apart they end, so there the view keeps close to the distance
    between the worst final objective and the best bound.
    """
    lows, highs, finals, bounds = [], [], [], []
    for curve in curves:
        if not len(curve):
            continue
        at = curve.seconds if x == "seconds" else curve.number
        late = at >= at[0] + (at[-1] - at[0]) / 8
        objective, bound = curve.objective[late], curve.bound[late]
        final = objective[-1]
        half = int(np.searchsorted(at, (at[0] + at[-1]) / 2))
        gaps = [curve.objective[half] - final, curve.objective[half] - curve.bound[half]]
        reach = 8 * max(1e-3 * abs(final), *(g for g in gaps if np.isfinite(g)))
        highs.append(min(float(objective.max()), final + reach))
        ends = [float(objective.min()), *bound[np.isfinite(bound)].tolist()]
        lows.append(max(min(ends), final - reach))
        finals.append(float(final))
        bounds += bound[np.isfinite(bound)].tolist()
    if not lows:
        return None
    low, high = min(lows), max(highs)
    if len(finals) > 1 and bounds:
        apart = max(max(finals) - max(bounds), 1e-3 * abs(max(finals)))
        low, high = max(low, max(bounds) - apart), min(high, max(finals) + 3 * apart)
    margin = max(0.06 * (high - low), 5e-5 * max(abs(low), abs(high)), 1e-12)
    return max(low - margin, 0.0) if low >= 0 else low - margin, high + margin


def _rows(curves: Sequence[_Clean], x: str) -> list[dict[str, Any]]:
    limits = view_limits(curves, x)
    if limits is None:
        # One row without a curve keeps the columns known, and with them the spec and its axes.
        return [{"kind": "wait", "text": "Waiting for the first iteration", "x": 0.0, "top": 1.0}]
    ends = [
        (at[0], at[-1])
        for at in (curve.seconds if x == "seconds" else curve.number for curve in curves)
        if at.size
    ]
    left, right = min(e[0] for e in ends), max(e[1] for e in ends)
    # The corners of the view, so that the axes take it over whatever the curves do.
    rows: list[dict[str, Any]] = [
        {"kind": "view", "x": float(left), "top": limits[0]},
        {"kind": "view", "x": float(right if right > left else left + 1), "top": limits[1]},
    ]
    for curve in curves:
        rows.extend(_curve_rows(curve, x, *limits))
    return rows


def _curve_rows(curve: _Clean, x: str, low: float, high: float) -> Iterator[dict[str, Any]]:
    at = curve.seconds if x == "seconds" else curve.number
    bound = np.where(np.isnan(curve.bound), -np.inf, curve.bound)
    grid = np.unique(
        np.concatenate([at, _crossings(at, curve.objective, high), _crossings(at, bound, low)])
    )
    # At a repeated x the record counts that came last.
    own = dict(zip(at.tolist(), range(len(curve)), strict=True))
    objective = _between(grid, at, curve.objective)
    lower = _between(grid, at, bound)
    # Without any bound there is no gap to fill.
    bounded = bool(np.isfinite(bound).any())
    for place, value in enumerate(grid.tolist()):
        top, bottom = float(objective[place]), float(lower[place])
        row: dict[str, Any] = {
            "kind": "curve",
            "curve": curve.name,
            "x": value,
            "top": min(max(top, low), high),
            "bottom": min(max(bottom if bounded else top, low), high),
            # A hair of tolerance: the crossing itself must belong to the line.
            "line": top if top <= high + 1e-9 * abs(high) else None,
            "bound": bottom if low - 1e-9 * abs(low) <= bottom <= high else None,
        }
        index = own.get(value)
        if index is not None:
            row |= {
                "number": int(curve.number[index]),
                "seconds": round(float(curve.seconds[index]), 4),
                "objective": f"{curve.objective[index]:,.7g}",
                "dual": "none yet"
                if np.isnan(curve.bound[index])
                else f"{curve.bound[index]:,.7g}",
                "gap": percent(float(curve.gap[index])),
                "last": index == len(curve) - 1,
            }
        yield row


def _crossings(at: Floats, values: Floats, level: float) -> Floats:
    """Find where a polyline first comes into view, as x values (none or one)."""
    above = values > level
    flips = np.flatnonzero(above[1:] != above[:-1])
    if not flips.size:
        return np.empty(0)
    i = int(flips[0])
    if not np.isfinite(values[i]):
        return np.empty(0)
    share = (level - values[i]) / (values[i + 1] - values[i])
    return np.array([at[i] + share * (at[i + 1] - at[i])])


def _between(grid: Floats, at: Floats, values: Floats) -> Floats:
    """Interpolate, treating the stretch before the first finite value as without value."""
    finite = np.isfinite(values)
    if not finite.any():
        return np.full(grid.shape, -np.inf)
    out: Floats = np.interp(grid, at[finite], values[finite])
    out[grid < at[finite][0]] = -np.inf
    return out


def _layers(series: Sequence[Curve], x: str, dark: bool) -> Spec:
    names = [curve.name for curve in series] or [""]
    colours = [on_page(curve.colour, dark) for curve in series] or [quiet(dark)]
    tooltip = [
        {"field": "curve", "title": "Solver"},
        {"field": "number", "title": "Iteration", "type": "quantitative"},
        {"field": "seconds", "title": "Seconds", "type": "quantitative", "format": ".3~f"},
        {"field": "objective", "title": "Objective"},
        {"field": "dual", "title": "Bound on the optimum"},
        {"field": "gap", "title": "Within"},
    ]
    of_curve = {
        "field": "curve",
        "type": "nominal",
        "scale": {"domain": names, "range": colours},
        "legend": {"columns": 2} if len(series) > 1 else None,
    }
    dash: Spec = {
        "field": "role",
        "type": "nominal",
        "scale": {"domain": [_OBJECTIVE, _BOUND], "range": [[1, 0], [6, 4]]},
        "legend": {"symbolStrokeColor": colours[0] if len(series) < 2 else quiet(dark)},
    }
    horizontal: Spec = {
        "field": "x",
        "type": "quantitative",
        "title": "Seconds" if x == "seconds" else "Iteration",
        "scale": {"zero": False, "nice": False},
        "axis": {"format": ",.9~g"} | ({"tickMinStep": 1} if x == "iteration" else {}),
    }

    def vertical(name: str) -> Spec:
        return {
            "field": name,
            "type": "quantitative",
            "title": "Objective",
            "scale": {"zero": False, "nice": False},
            "axis": {"format": ",.7~g"},
        }

    def role(name: str) -> list[Spec]:
        return [{"calculate": f"'{name}'", "as": "role"}]

    only_curves = [{"filter": "datum.kind === 'curve'"}]
    records = [{"filter": "datum.kind === 'curve' && isValid(datum.number)"}]
    ends = [{"filter": "datum.last === true"}]
    x_only = {"x": horizontal}
    layer: list[Spec] = [
        {
            "transform": [{"filter": "datum.kind === 'view'"}],
            "mark": {"type": "point", "size": 0, "opacity": 0, "aria": False},
            "encoding": x_only | {"y": vertical("top")},
        },
        {
            "transform": only_curves,
            "mark": {"type": "area", "opacity": 0.13, "line": False, "tooltip": None},
            "encoding": x_only
            | {"y": vertical("top"), "y2": {"field": "bottom"}, "color": of_curve},
        },
        {
            "transform": only_curves + role(_OBJECTIVE),
            "mark": {"type": "line", "strokeWidth": 2, "invalid": "break-paths-show-domains"},
            "encoding": x_only
            | {
                "y": vertical("line"),
                "color": of_curve,
                "strokeDash": dash,
            },
        },
        {
            "transform": only_curves + role(_BOUND),
            "mark": {"type": "line", "strokeWidth": 2, "invalid": "break-paths-show-domains"},
            "encoding": x_only | {"y": vertical("bound"), "color": of_curve, "strokeDash": dash},
        },
        {
            "transform": ends,
            "mark": {
                "type": "point",
                "filled": True,
                "opacity": 1,
                "size": 50,
                "invalid": "filter",
            },
            "encoding": x_only | {"y": vertical("line"), "color": of_curve},
        },
        {
            "transform": ends,
            "mark": {
                "type": "point",
                "opacity": 1,
                "size": 50,
                "strokeWidth": 2,
                "invalid": "filter",
            },
            "encoding": x_only | {"y": vertical("bound"), "color": of_curve},
        },
        {
            "transform": records,
            "params": [
                {
                    "name": "nearest",
                    "select": {
                        "type": "point",
                        "on": "pointerover",
                        "nearest": True,
                        "clear": "pointerout",
                    },
                }
            ],
            "mark": {"type": "point", "filled": True, "size": 70, "aria": False},
            "encoding": x_only
            | {
                "y": vertical("top"),
                "color": of_curve,
                "opacity": {
                    "condition": {"param": "nearest", "empty": False, "value": 1},
                    "value": 0,
                },
                "tooltip": tooltip,
            },
        },
        {
            "transform": [{"filter": "datum.kind === 'wait'"}],
            "mark": {
                "type": "text",
                "fontSize": 13,
                "color": quiet(dark),
                "x": {"expr": "width / 2"},
                "y": {"expr": "height / 2"},
            },
            "encoding": {"text": {"field": "text", "type": "nominal"}},
        },
    ]
    return {"layer": layer}
