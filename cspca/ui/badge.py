"""The certificate as a badge with three states, and the regime in words."""

from __future__ import annotations

import math

import streamlit as st

from cspca.datasets import PICTURE_NOUNS, Nouns
from cspca.experiments.jobs import JobState
from cspca.figures.words import percent
from cspca.runs.fits import FitProgress
from cspca.runs.records import FitResult

_HELP = (
    "The objective of this fit and a proven lower bound of the global optimum differ by at most "
    "this much, relative to the objective. No fit, by any method, can fall below the bound."
)


def badge_text(gap: float, certified: bool, active: bool) -> tuple[str, str]:
    """Return the words and the state of a certificate: "certified", "closing" or "stopped"."""
    if certified:
        return f"certified within {percent(gap)}", "certified"
    size = percent(gap) if math.isfinite(gap) else "no bound yet"
    if active:
        return f"still closing ({size})", "closing"
    return f"stopped at {size}", "stopped"


def badge(progress: FitProgress) -> None:
    """Draw the certificate of a fit."""
    snapshot, job = progress.snapshot, progress.job
    if job.state is JobState.QUEUED:
        place = "next" if job.position == 1 else f"number {job.position}"
        st.badge(
            f"waiting, {place} in the queue",
            icon=":material/hourglass_empty:",
            color="gray",
            help="Other fits are running on this server; yours starts by itself.",
        )
        return
    if progress.active and snapshot.spec.keep is not None:
        # A certificate of a trial α says nothing yet of the answer.
        st.badge("searching", icon=":material/progress_activity:", color="orange", help=_HELP)
        return
    words, state = badge_text(snapshot.gap, snapshot.certified, progress.active)
    icon, color = {
        "certified": (":material/verified:", "green"),
        "closing": (":material/progress_activity:", "orange"),
        "stopped": (":material/pause_circle:", "gray"),
    }[state]
    st.badge(words, icon=icon, color=color, help=_HELP)  # type: ignore[arg-type]


def regime_words(result: FitResult, n_features: int, nouns: Nouns = PICTURE_NOUNS) -> str:
    """Say in words which regime the optimum is in, by the certified solver, and what to do."""
    one, many = nouns.feature, nouns.features
    fit = result.judge.fit_
    regime, kept = fit.regime, fit.n_kept
    if regime != "identity" and fit.alpha == 0 == fit.beta:
        return (
            f"No penalty: every {nouns.sample} is rebuilt exactly, and by more than one W, so "
            "there is no ranking to read. Raise α or β."
        )
    if regime == "zero":
        return (
            f"Every {one} is exactly zero: at these penalties the best map keeps nothing. "
            "Lower α or β."
        )
    if regime == "identity":
        return (
            f"Identity: the optimum is W = I, so all {many} tie and there is no ranking to read. "
            "Raise α or β."
        )
    if regime == "dense" and kept < n_features:
        return (
            f"Dense: all {kept:,} {many} that vary are in use, the other {n_features - kept:,} "
            "never change; raise α to leave some out."
        )
    if regime == "dense":
        return (
            f"Dense: none of the {n_features:,} {many} is exactly zero; raise α to leave some out."
        )
    return (
        f"Sparse: {kept:,} of {n_features:,} {many} {'carries' if kept == 1 else 'carry'} the "
        f"{nouns.samples}, {n_features - kept:,} {'is' if n_features - kept == 1 else 'are'} "
        "exactly zero."
    )
