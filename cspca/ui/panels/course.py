"""The live chart: objective and dual bound of one or two solvers."""

from __future__ import annotations

from typing import Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.figures.colours import ACCENT, CONTRAST
from cspca.figures.convergence import Across, Course, convergence_alt, live_convergence, question
from cspca.runs.fits import FitProgress
from cspca.runs.records import Solver, Trace
from cspca.ui import keys, pictures, state
from cspca.ui.theme import is_dark

NAMES: Final[dict[Solver, str]] = {
    "admm": "certified solver",
    "reweighted": "Algorithm 1",
}
COLOURS: Final[dict[Solver, str]] = {"admm": ACCENT, "reweighted": CONTRAST}


def course_of(trace: Trace) -> Course:
    """Return the course that a trace is drawn as."""
    return Course(NAMES[trace.solver], COLOURS[trace.solver], vars(trace))


def convergence_chart(progress: FitProgress, dataset: Dataset, *, height: int = 320) -> None:
    """Draw the course of a fit so far; before its first point the last one stays, dimmed."""
    x: Across = st.session_state.get(keys.AXIS, "iteration")
    fit, found = progress.snapshot.spec, progress.snapshot.traces
    last = state.last_result(dataset)
    stale = progress.active and not any(len(trace) for trace in found)
    if stale and last is not None and last.spec.solvers == fit.solvers:
        found = last.traces
    traces = {trace.solver: trace for trace in found}
    courses = [course_of(traces.get(solver, Trace(solver))) for solver in fit.solvers]
    with st.container(key=keys.BOX_CURVE):
        spec = live_convergence(courses, x=x, height=height, dark=is_dark())
        st.markdown(f"**{question(courses)}**")
        pictures.dim(keys.BOX_CURVE, stale and bool(found))
        st.vega_lite_chart(spec=spec, key="convergence", alt=convergence_alt(courses))
