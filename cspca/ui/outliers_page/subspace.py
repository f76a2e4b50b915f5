"""Hidden subspace: a subspace, known, and who finds it."""

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
from cspca.ui import export, fields, follow, state
from cspca.ui.outliers_page import asking
from cspca.ui.plain import button, table

_SHARES = tuple(round(0.05 * k, 2) for k in range(19))
_BETAS = tuple(round(0.05 * k, 2) for k in range(1, 20))


def section(view: state.View, dataset: Dataset) -> None:
    """Draw the section."""
    asked = asking.asked_for(Haystack)
    fields.show(asked, only_missing=True)
    with st.container(key="experiment_columns"):
        side, main = st.columns([4, 11], gap="large")
    with side:
        _controls()
    asked = asking.asked_for(Haystack)

    def work(job: Job) -> None:
        suspects.search(asked, job.stop_requested, job.publish)

    with main:
        now = asking.ask("subspace", asked, work)
        follow.follow_job(now)
        asking.answer("subspace", now, dataset, _found)


def _controls() -> None:
    fields.slider(Haystack, "share", _SHARES, lambda one: f"{100 * one:.0f} %")
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


def _found(found: Search) -> None:
    for sentence in suspects.verdict(found):
        st.markdown(sentence)
    rows = [
        {
            "title": ROBUST[method].title,
            "colour": ROBUST[method].colour,
            "marker": ROBUST[method].marker,
            "sine": found.found[method].sine,
        }
        for method in SEARCHERS
    ]
    name: dict[str, Any] = {"of": "subspace", "heading": True}
    left, right = st.columns([7, 4], gap="medium")
    with left:
        export.show(sine_rows(rows, EXACT), "subspace_sines", **name)
    with right:
        if found.complete:
            sines = [one.sine for one in found.window.values()]
            drawn = window(tuple(found.window), sines, found.asked.beta, EXACT)
            export.show(drawn, "subspace_window", **name)
        else:
            st.skeleton(height=300)
    table(_table(found), "Who finds the subspace", best=[0])
    if not state.bare():
        with st.expander("These lines of Python make it", icon=":material/code:"):
            st.code(found.asked.snippet, language="python", wrap_lines=True)


def _table(found: Search) -> pd.DataFrame:
    """What each method finds; an AUC that is the same of all methods stands in the note."""
    frame = pd.DataFrame(
        {
            "Method": ROBUST[method].title,
            "Sine": power(found.found[method].sine),
            "Exact": "exact" if found.found[method].exact else "no",
            "Rank": f"{found.found[method].rank}",
            "Rank given?": "yes" if ROBUST[method].told_rank else "no",
        }
        for method in SEARCHERS
    )
    note = f"Exact: a sine below {power(EXACT)}."
    if not found.found[SEARCHERS[0]].aucs:
        frame.attrs["note"] = note
        return frame
    alike = []
    for score, title in SCORES.items():
        aucs = [f"{found.found[method].aucs[score]:.3f}" for method in SEARCHERS]
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
    if any(not method.exact and method.aucs["residual"] == 1.0 for method in found.found.values()):
        note += (
            " A ranking by residual can be perfect while the subspace is off by many degrees: "
            "AUC hides it."
        )
    frame.attrs["note"] = note
    return frame
