"""The dashboard, in which work stands still at the limits that a test has set (`limits.Limits`).

It begins with what a browser sends as late as a crowded server, where a test wants that.

A journey in the middle of work must find it unfinished, on the fastest machine too. Work that is
held can be stopped, as any other. Of the digits there are few.
"""

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import RerunData
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner

from cspca.experiments import film, live, memory, runner
from cspca.experiments.jobs import Job
from cspca.experiments.ledger import Stopped
from cspca.experiments.live import LiveFit
from cspca.ui import serving
from tests.browser.limits import Limits
from tests.few import load_few

LIMITS = Limits(Path.home())
FINEST = 1e-5
"""Largest tolerance of the fits that are held; other fits end as usual."""

follow, frames, resume = live.follow, film.FilmService._frames, runner.resume
run = ScriptRunner._run_script


def hold(kind: str, count: int, stop: Callable[[], bool]) -> bool:
    """Wait while `count` reaches the limit; return whether the work should stop."""
    while count >= LIMITS.of(kind) and not stop():
        time.sleep(0.02)
    return stop()


def held_follow(
    first: LiveFit,
    *arguments: Any,
    stop: Callable[[], bool],
    publish: Callable[[LiveFit], None],
    **options: Any,
) -> LiveFit:
    """Fit, up to the limit of iterations."""
    iterations = 0

    def note(moment: LiveFit) -> None:
        nonlocal iterations
        iterations = moment.iterations
        publish(moment)

    def stops() -> bool:
        return hold("iterations", iterations, stop) if first.asked.tol <= FINEST else stop()

    return follow(first, *arguments, stop=stops, publish=note, **options)


def held_frames(service: film.FilmService, job: Job, *arguments: Any) -> Iterator[film.Film]:
    """Make the frames of a film, up to their limit."""
    for grown in frames(service, job, *arguments):
        yield grown
        if hold("frames", len(grown.there), job.stop_requested):
            return


def held_resume(
    *arguments: Any, should_stop: Callable[[], bool], compute: Callable[..., Any], **options: Any
) -> Any:
    """Compute a run, up to the limit of cells."""
    cells = 0

    def held_compute(*cell: Any) -> Any:
        nonlocal cells
        if hold("cells", cells, should_stop):
            raise Stopped
        cells += 1
        return compute(*cell)

    return resume(*arguments, should_stop=should_stop, compute=held_compute, **options)


def late_run(runner: ScriptRunner, request: RerunData) -> None:
    """Draw a page as late as the limit says."""
    milliseconds = LIMITS.of("milliseconds")
    time.sleep(0.0 if math.isinf(milliseconds) else milliseconds / 1000)
    run(runner, request)


memory.load = load_few
live.PUBLISHED_EVERY = 0.0
live.follow, film.FilmService._frames, runner.resume = held_follow, held_frames, held_resume
ScriptRunner._run_script = late_run

app = st.App(
    Path(__file__).parents[2] / "cspca" / "ui" / "entry" / "main.py",
    routes=serving.ROUTES,
    middleware=serving.MIDDLEWARE,
    lifespan=serving.lifespan,
)
