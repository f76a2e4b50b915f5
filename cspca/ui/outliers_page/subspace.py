"""Hidden subspace: recovery of a known subspace by several methods."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from cspca.datasets import Dataset
from cspca.evaluation.outliers import EXACT, SCORES
from cspca.experiments import suspects
from cspca.experiments.jobs import Job
from cspca.experiments.suspects import SEARCHERS, Haystack, Search
from cspca.figures.outliers import sine_rows, window
from cspca.figures.words import listed, power
from cspca.robust import ROBUST
from cspca.ui import asking, export, fields, follow, state
from cspca.ui.plain import button, table

_SHARES = tuple(round(0.05 * k, 2) for k in range(19))
_BETAS = tuple(round(0.05 * k, 2) for k in range(1, 20))


def section(view: state.View, dataset: Dataset) -> None:
    """Draw the section."""
    settings = state.section_settings(Haystack)
    fields.show(settings, only_missing=True)
    with st.container(key="experiment_columns"):
        side, main = st.columns([4, 11], gap="large")
    with side:
        _controls()
    settings = state.section_settings(Haystack)

    def work(job: Job) -> None:
        suspects.search(settings, job.stop_requested, job.publish)

    with main:
        now = asking.ask("subspace", settings, work)
        follow.follow_job(now)
        asking.answer("subspace", now, dataset, _results)


def _controls() -> None:
    fields.slider(Haystack, "share", _SHARES, lambda share: f"{100 * share:.0f} %")
    fields.slider(Haystack, "rank", range(1, 16), str)
    fields.slider(Haystack, "beta", _BETAS, "{:g}".format)
    fields.choice(Haystack, "n_features", {20: "20", 50: "50", 100: "100"})
    fields.toggle(Haystack, "equal_energy")
    button(
        "New random sample",
        "subspace_again",
        "casino",
        _another,
        help="The same question with samples drawn anew.",
    )


def _another() -> None:
    st.session_state[fields.key(Haystack, "seed")] += 1


def _results(search: Search) -> None:
    for sentence in suspects.verdict(search):
        st.markdown(sentence)
    rows = [
        {
            "title": ROBUST[method].title,
            "colour": ROBUST[method].colour,
            "marker": ROBUST[method].marker,
            "sine": search.found[method].sine,
        }
        for method in SEARCHERS
    ]
    name: dict[str, Any] = {"of": "subspace", "heading": True}
    left, right = st.columns([7, 4], gap="medium")
    with left:
        export.show(sine_rows(rows, EXACT), "subspace_sines", **name)
    with right:
        if search.complete:
            sines = [subspace.sine for subspace in search.window.values()]
            drawn = window(tuple(search.window), sines, search.asked.beta, EXACT)
            export.show(drawn, "subspace_window", **name)
        else:
            st.skeleton(height=300)
    table(_table(search), "Who finds the subspace", best=[0])
    if not state.bare():
        with st.expander("These lines of Python make it", icon=":material/code:"):
            st.code(search.asked.snippet, language="python", wrap_lines=True)


def _table(search: Search) -> pd.DataFrame:
    """Return the results of each method; an AUC that all methods share is in the note."""
    frame = pd.DataFrame(
        {
            "Method": ROBUST[method].title,
            "Sine": power(search.found[method].sine),
            "Exact": "exact" if search.found[method].exact else "no",
            "Rank": f"{search.found[method].rank}",
            "Rank given?": "yes" if ROBUST[method].needs_rank else "no",
        }
        for method in SEARCHERS
    )
    note = f"Exact: a sine below {power(EXACT)}."
    if not search.found[SEARCHERS[0]].aucs:
        frame.attrs["note"] = note
        return frame
    alike = []
    for score, title in SCORES.items():
        aucs = [f"{search.found[method].aucs[score]:.3f}" for method in SEARCHERS]
        if len(set(aucs)) > 1:
            frame[f"AUC, {title.lower()}"] = aucs
        else:
            alike.append(f"by {title.lower()} {aucs[0]}")
    note += (
        " AUC: the share of pairs of an outlier and an inlier that a score puts in the right "
        "order, 0.5 by chance."
    )
    if alike:
        note += f" It is the same of all methods {listed(alike)}."
    if any(not method.exact and method.aucs["residual"] == 1.0 for method in search.found.values()):
        note += (
            " A ranking by residual can be perfect while the subspace is off by many degrees: "
            "AUC hides it."
        )
    frame.attrs["note"] = note
    return frame
