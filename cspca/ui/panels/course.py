"""The live chart: objective and dual bound of one or two solvers."""

from __future__ import annotations

from typing import Final, Literal

import streamlit as st

from cspca.datasets import Dataset
from cspca.figures.colours import ACCENT
from cspca.figures.convergence import Curve, convergence_alt, convergence_spec
from cspca.runs.fits import FitProgress
from cspca.runs.records import Solver, Trace
from cspca.ui import keys, pictures, state
from cspca.ui.theme import is_dark

NAMES: Final[dict[Solver, str]] = {
    "admm": "certified solver",
    "reweighted": "the paper's Algorithm 1",
}
COLOURS: Final[dict[Solver, str]] = {"admm": ACCENT, "reweighted": "#D55E00"}


def curve_of(trace: Trace) -> Curve:
    """Return the curve that a trace is drawn as."""
    return Curve(
        NAMES[trace.solver],
        COLOURS[trace.solver],
        trace.number,
        trace.seconds,
        trace.objective,
        trace.dual_bound,
        trace.gap,
    )


def convergence_chart(progress: FitProgress, dataset: Dataset, *, height: int = 320) -> None:
    """Draw the course of a fit so far; before its first point the last one stays, dimmed."""
    axis: Literal["seconds", "iteration"] = st.session_state.get(keys.AXIS, "seconds")
    fit, found = progress.snapshot.spec, progress.snapshot.traces
    last = state.last_result(dataset)
    stale = progress.active and not any(len(trace) for trace in found)
    if stale and last is not None and last.spec.solvers == fit.solvers:
        found = last.traces
    traces = {trace.solver: trace for trace in found}
    curves = [curve_of(traces.get(solver, Trace(solver))) for solver in fit.solvers]
    with st.container(key=keys.BOX_CURVE):
        spec = convergence_spec(curves, axis, is_dark(), height=height)
        pictures.dim(keys.BOX_CURVE, stale and bool(found))
        pictures.chart(spec, "convergence", convergence_alt(curves))
