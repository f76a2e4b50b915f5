"""A fit on a page: start it, attach to it, poll it while it runs, end with one full run."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.jobs import JobState, StopReason
from cspca.runs.fits import FitProgress
from cspca.ui import state
from cspca.ui.guard import guarded
from cspca.ui.services import services

POLL: Final = 0.25
"""Seconds between two looks at a running job."""


def attach(view: state.View, dataset: Dataset) -> FitProgress:
    """Return the fit of this view: the one that runs already, or a new one."""
    fits = services().fits
    spec = view.spec(dataset)
    progress = fits.progress(view.job)
    if (
        progress is None
        or not _serves(progress, spec.tol)
        or progress.snapshot.spec.loose != spec.loose
    ):
        job = fits.start(view.data, spec, owner=state.owner(), after=view.job)
        state.set_job(job)
        progress = fits.progress(job)
        assert progress is not None
    if progress.snapshot.result is not None:
        state.keep_result(progress.snapshot.result)
    return progress


def _serves(progress: FitProgress, tol: float) -> bool:
    """Whether a job is still what its visitor wants: not replaced or left, not too coarse."""
    job = progress.job
    if job.state is JobState.STOPPED and job.stop_reason is not StopReason.ASKED:
        return False
    return progress.snapshot.spec.tol <= tol


def live(
    progress: FitProgress, draw: Callable[[FitProgress], None], *, first: bool = False
) -> None:
    """Draw a fit now and, while it runs, again and again; when it ends run the page once more.

    Parameters
    ----------
    progress : FitProgress
    draw : callable
        Draws one moment of the fit.
    first : bool, default=False
        Nothing is known of this data set yet: run the page once more as soon as there is.
    """
    was_active = progress.active
    job = progress.job.id
    # The sliders say α and β in absolute terms, which a first fit knows only once it has begun.
    knew_scale = math.isfinite(progress.snapshot.alpha_max)

    @st.fragment(run_every=POLL if was_active else None)
    @guarded
    def stage() -> None:
        now = services().fits.progress(job)
        if now is None or (was_active and not now.active):
            st.rerun()
        if first and not knew_scale and math.isfinite(now.snapshot.alpha_max):
            st.rerun()
        draw(now)

    stage()


def stop() -> None:
    """Stop the fit of this view (a button's callback)."""
    fits = services().fits
    progress = fits.progress(state.current_view().job)
    if progress is not None and state.is_mine(progress.job):
        fits.stop(progress.job.id)
        # A job comes round within an iteration: the run that follows then shows it stopped.
        fits.join(progress.job.id, timeout=0.5)


def resume() -> None:
    """Go on with the fit of this view (a button's callback)."""
    view = state.current_view()
    if view.job is not None:
        job = services().fits.resume(view.data, view.job, owner=state.owner())
        if job is not None:
            state.set_job(job)
