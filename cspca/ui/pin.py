"""A and B: a fit is pinned as A; B, the fit of the page, follows the sliders."""

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


def asked(view: state.View) -> Fit | None:
    """The fit that is pinned: as the page asks, at other penalties."""
    try:
        alpha, beta = (float(one) for one in view.pin.split())
        return replace(view.fit, alpha=alpha, beta=beta, keep=None)
    except ValueError:
        # What stands in a link may be anything; most often it is nothing.
        return None


def found(view: state.View, dataset: Dataset) -> LiveFit | None:
    """The pinned fit, once it is there; it is computed where a link brought it."""
    wanted, fits = asked(view), services().fits
    if wanted is None:
        return None
    known = fits.known.get((owner_of(dataset), dataset.sha256, wanted))
    if known is not None:
        return known
    job = fits.jobs.view(st.session_state.get(keys.PIN_JOB))
    if job is None or not job.snapshot.same_but_for_accuracy(wanted, dataset.sha256):
        owner = f"{state.owner()} A"
        begun = fits.start(view.data, wanted, dataset.sha256, owner=owner)
        st.session_state[keys.PIN_JOB] = begun
        job = fits.jobs.view(begun)
    assert job is not None
    if job.active:
        follow.follow_job(job)
    return job.snapshot if job.snapshot.fits else None


def controls(view: state.View, result: LiveFit | None, *, stale: bool) -> None:
    """Pin the fit of the page, or let it go."""
    if view.pin:
        help = "Show the fit of the page by itself again."
        button("Unpin A", "pin_button", "keep_off", _pin, "", width="stretch", help=help)
        return
    help = "Keep this fit in sight as A: B follows the sliders, beside it what changed."
    off = result is None or stale
    how: dict[str, Any] = {"width": "stretch", "help": help, "disabled": off}
    button("Compare with this fit", "pin_button", "keep", _pin, _penalties(view, result), **how)


def name(pinned: LiveFit) -> str:
    """What fit A is called."""
    ask = pinned.asked
    return f"A: α = {fields.say(ask.alpha)}, β = {fields.say(ask.beta)}"


def beside(pinned: LiveFit | None, dataset: Dataset) -> dict[str, Any] | None:
    """What the stage is sent of fit A."""
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


def _pin(what: str) -> None:
    st.session_state[keys.VIEW_PIN] = what


def _penalties(view: state.View, result: LiveFit | None) -> str:
    alpha = view.fit.alpha
    if result is not None and view.fit.keep is not None:
        alpha = result.found.alpha
    return f"{alpha:g} {view.fit.beta:g}"
