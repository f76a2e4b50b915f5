"""How far a fit is: the certificate, the regime in words, and its numbers with their meaning."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.jobs import JobState, StopReason
from cspca.figures.words import percent
from cspca.runs.fits import FitProgress
from cspca.runs.records import Trace
from cspca.ui import keys
from cspca.ui.badge import badge, regime_words


def status(progress: FitProgress, dataset: Dataset) -> None:
    """Draw the state of a fit; it takes the same room in every state."""
    job = progress.job
    with st.container(key=keys.BOX_STATUS, gap="small"):
        if job.state is JobState.FAILED:
            st.error(job.error or "The fit failed.", icon=":material/error:")
            return
        with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
            badge(progress)
            facts = "".join(_facts(progress, dataset))
            st.html(f'<div class="cspca-facts">{facts}</div>', width="content")
        st.html(f'<p class="cspca-regime">{escape(_words(progress, dataset))}</p>')


def _words(progress: FitProgress, dataset: Dataset) -> str:
    job, snapshot = progress.job, progress.snapshot
    if snapshot.result is not None:
        words = regime_words(snapshot.result, dataset.n_features, dataset.nouns)
        words += _distance(snapshot.traces)
        if job.state is JobState.STOPPED and job.stop_reason is StopReason.ASKED:
            words += " You stopped this fit; Continue goes on from here."
        return words
    if job.state is JobState.QUEUED:
        return "Waiting for a free worker."
    if snapshot.phase == "reducing":
        return f"Preparing the data: an orthonormal basis of all {dataset.nouns.samples}."
    if snapshot.scores is None:
        return "Starting."
    if snapshot.spec.keep is not None:
        return f"Looking for the α that keeps {dataset.nouns.count_features(snapshot.spec.keep)}."
    return "The objective falls, the proven bound rises; between them lies the optimum."


def _distance(traces: Sequence[Trace]) -> str:
    """Say how far Algorithm 1 ended above the bound that the certified solver proved beside it."""
    ends = {trace.solver: trace for trace in traces if len(trace)}
    if "reweighted" not in ends:
        return ""
    paper, bound = ends["reweighted"], max(max(trace.dual_bound) for trace in ends.values())
    above = min(paper.objective) / bound - 1.0 if bound > 0 else math.nan
    if not math.isfinite(above):
        return ""
    return (
        f" After {paper.number[-1]:.0f} iterations Algorithm 1 stands {percent(above)} above the "
        "proven bound."
    )


def _facts(progress: FitProgress, dataset: Dataset) -> list[str]:
    snapshot = progress.snapshot
    known = snapshot.scores is not None
    zeros = int((snapshot.scores == 0).sum()) if snapshot.scores is not None else 0
    rank = "–" if snapshot.rank is None else f"{snapshot.rank:,}"
    return [
        _fact("exact zeros", f"{zeros:,} of {dataset.n_features:,}" if known else "–",
              f"{dataset.nouns.features.capitalize()} whose row of W is exactly zero: the "
              "map does not look at them at all."),
        _fact("rank", rank,
              f"Rank of the optimal W: the number of coordinates the {dataset.nouns.samples} are "
              "reduced to."),
        _fact("iterations", f"{snapshot.iterations:,}" if known else "–",
              "Steps of the solver, over continued fits too."),
        _fact("time", _seconds(snapshot.seconds) if known else "–",
              "Seconds of computing time inside the solver."),
        *([_fact("start", "warm",
                 "Started from an earlier fit of the same data, which saves iterations.")]
          if snapshot.warm else []),
    ]  # fmt: skip


def _fact(name: str, value: str, meaning: str) -> str:
    said = escape(meaning, quote=True)
    return f'<span title="{said}" tabindex="0">{name} <b>{escape(value)}</b></span>'


def _seconds(seconds: float) -> str:
    if not math.isfinite(seconds):
        return "–"
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:,.0f} s"
