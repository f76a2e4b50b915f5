"""A fit on a page: start it, attach to it, poll it while it runs, end with one full run."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.jobs import Job, JobState
from cspca.experiments.live import LiveFit
from cspca.ui import state
from cspca.ui.guard import polled
from cspca.ui.services import services

POLL: Final = 0.25
"""Seconds between two looks at a running job."""


def attach(view: state.View, dataset: Dataset) -> Job:
    """Return the fit of this view: the one that runs already, or a new one."""
    fits = services().fits
    progress = fits.jobs.view(view.job)
    if progress is None or not _serves(progress, view, dataset):
        job = fits.start(view.data, view.fit, dataset.sha256, owner=state.owner(), after=view.job)
        progress = fits.jobs.view(job)
        assert progress is not None
    # Its name in the address finds it for this visitor's next window.
    state.set_job(progress.id)
    if progress.snapshot.fits:
        st.session_state["last_result"] = progress.snapshot
    return progress


def _serves(job: Job, view: state.View, dataset: Dataset) -> bool:
    """Whether a job is what its visitor wants: not replaced, left, of others, or too coarse."""
    now: LiveFit = job.snapshot
    if job.state is JobState.STOPPED and job.stop_reason != "asked":
        return False
    same = now.same_but_for_accuracy(view.fit, dataset.sha256)
    return same and now.asked.tol <= view.fit.tol


def live(progress: Job, draw: Callable[[Job], None], *, first: bool = False) -> None:
    """Draw a fit now and, while it runs, again and again; when it ends run the page once more.

    With `first`, nothing is known of this data set yet: the page runs once more as soon as there is
    something.
    """
    was_active = progress.state.active
    job = progress.id
    # The sliders say α and β in absolute terms, which a first fit knows only once it has begun.
    knew_scale = math.isfinite(progress.snapshot.alpha_max)

    def stage() -> None:
        now = services().jobs.view(job)
        if now is None or (was_active and not now.state.active):
            st.rerun()
        if first and not knew_scale and math.isfinite(now.snapshot.alpha_max):
            st.rerun()
        draw(now)

    polled(POLL if was_active else None, stage)


def stop(job: Job) -> None:
    """Stop a fit (a button's callback)."""
    if state.is_mine(job):
        jobs = services().jobs
        jobs.cancel(job.id)
        # A job comes round within an iteration: the run that follows then shows it stopped.
        jobs.join(job.id, timeout=0.5)


def resume(data: str, job: Job) -> None:
    """Go on with a fit (a button's callback)."""
    again = services().fits.resume(data, job.id, owner=state.owner())
    if again is not None:
        state.set_job(again)
