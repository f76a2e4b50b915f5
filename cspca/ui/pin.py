"""Comparison of two fits: A is pinned; B, the fit of the page, follows the sliders."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.fit import Fit
from cspca.experiments.live import LiveFit
from cspca.experiments.memory import owner_of
from cspca.figures import style
from cspca.ui import fields, follow, keys, state
from cspca.ui.plain import button, is_dark
from cspca.ui.services import services


def pinned_settings(view: state.View) -> Fit | None:
    """Return the settings of the pinned fit: those of the page, at the pinned penalties."""
    try:
        alpha, beta = (float(penalty) for penalty in view.pin.split())
        return replace(view.fit, alpha=alpha, beta=beta, keep=None)
    except ValueError:
        # The text comes from a link and may be anything; most often it is empty.
        return None


def pinned_fit(view: state.View, dataset: Dataset) -> LiveFit | None:
    """Return the pinned fit once it is computed; one that came with a link is computed first."""
    settings, fits = pinned_settings(view), services().fits
    if settings is None:
        return None
    cached = fits.known.get((owner_of(dataset), dataset.sha256, settings))
    if cached is not None:
        return cached
    job = fits.jobs.view(st.session_state.get(keys.PIN_JOB))
    if job is None or not job.snapshot.same_but_for_accuracy(settings, dataset.sha256):
        owner = f"{state.owner()} A"
        job_id = fits.start(view.data, settings, dataset.sha256, owner=owner)
        st.session_state[keys.PIN_JOB] = job_id
        job = fits.jobs.view(job_id)
    assert job is not None
    if job.active:
        follow.follow_job(job)
    return job.snapshot if job.snapshot.fits else None


def offer(view: state.View, result: LiveFit | None, *, stale: bool) -> None:
    """Draw the button that pins the fit of the page."""
    help = "Keep this fit in sight as A: B follows the sliders, beside it what changed."
    off = result is None or stale
    options: dict[str, Any] = {"width": "stretch", "help": help, "disabled": off}
    button("Compare with this fit", "pin_button", "keep", _pin, _penalties(view, result), **options)


def remove() -> None:
    """Draw the button that unpins fit A."""
    help = "Show the fit of the page by itself again."
    button("Unpin A", "pin_button", "keep_off", _pin, "", width="stretch", help=help)


def name(pinned: LiveFit) -> str:
    """Return the name of fit A."""
    settings = pinned.asked
    return f"A: α = {fields.say(settings.alpha)}, β = {fields.say(settings.beta)}"


def beside(pinned: LiveFit | None, dataset: Dataset) -> dict[str, Any] | None:
    """Return the data of fit A for the stage."""
    if pinned is None:
        return None
    fit = pinned.fit
    table = style.DIVERGING_DARK if is_dark() else style.DIVERGING
    return {
        "scores": fit.feature_scores.astype("<f4"),
        "name": name(pinned),
        "numbers": [f"{fit.n_kept:,}", f"{fit.rank:,}", f"{fit.objective:,.6g}", ""],
        "colours": style.IMPORTANCE,
        "signed": table,
    }


def _pin(penalties: str) -> None:
    st.session_state[keys.VIEW_PIN] = penalties


def _penalties(view: state.View, result: LiveFit | None) -> str:
    alpha = view.fit.alpha
    if result is not None and view.fit.keep is not None:
        alpha = result.found.alpha
    return f"{alpha:g} {view.fit.beta:g}"
