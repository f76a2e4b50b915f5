"""The live chart: objective and dual bound of one or two solvers."""

from __future__ import annotations

from typing import Final, Literal

import streamlit as st

from cspca.figures.colours import ACCENT
from cspca.figures.convergence import Curve, convergence_alt, convergence_spec
from cspca.runs.fits import FitProgress
from cspca.runs.records import Solver, Trace
from cspca.ui import keys, pictures
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


def convergence_chart(
    progress: FitProgress,
    axis: Literal["seconds", "iteration"] = "seconds",
    *,
    height: int = 320,
) -> None:
    """Draw the course of a fit so far; the same axes stand there before the first point."""
    fit = progress.snapshot.spec
    traces = {trace.solver: trace for trace in progress.snapshot.traces}
    curves = [curve_of(traces.get(solver, Trace(solver))) for solver in fit.solvers]
    with st.container(key=keys.BOX_CURVE):
        spec = convergence_spec(curves, axis, is_dark(), height=height)
        pictures.chart(spec, "convergence", convergence_alt(curves))
