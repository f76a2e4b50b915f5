"""Haystack: a hidden subspace, known, and who finds it."""

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
from cspca.figures.words import power
from cspca.robust import ROBUST
from cspca.ui import export, fields, fit_parts, state
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
        now = asking.ask("hay", asked, work)
        fit_parts.live(now, lambda now: asking.answer("hay", now, dataset, _found))


def _controls() -> None:
    fields.slider(Haystack, "share", _SHARES, lambda one: f"{100 * one:.0f} %")
    fields.slider(Haystack, "rank", range(1, 16), str)
    fields.slider(Haystack, "beta", _BETAS, "{:g}".format)
    fields.choice(Haystack, "n_features", {20: "20", 50: "50", 100: "100"})
    fields.toggle(Haystack, "equal_energy")
    button(
        "Another haystack",
        "hay_again",
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
    name: dict[str, Any] = {"of": "haystack", "heading": True}
    left, right = st.columns([7, 4], gap="medium")
    with left:
        export.show(sine_rows(rows, EXACT), "hay_sines", label="Angles", **name)
    with right:
        if found.complete:
            sines = [one.sine for one in found.window.values()]
            drawn = window(tuple(found.window), sines, found.asked.beta, EXACT)
            export.show(drawn, "hay_window", label="Window of β", **name)
        else:
            st.skeleton(height=300)
    table(_table(found), "Who finds the subspace", best=[0])
    if not state.bare():
        with st.expander("These lines of Python make it", icon=":material/code:"):
            st.code(found.asked.snippet, language="python", wrap_lines=True)


def _table(found: Search) -> pd.DataFrame:
    lines = []
    for method in SEARCHERS:
        one = found.found[method]
        line = {
            "Method": ROBUST[method].title,
            "Sine": power(one.sine),
            "Exact": "exact" if one.exact else "no",
            "Rank": f"{one.rank}",
            "Told it": "yes" if ROBUST[method].told_rank else "no",
        }
        for score, title in SCORES.items():
            head = f"AUC, {title.removeprefix('Residual ').lower()}"
            line[head] = f"{one.aucs[score]:.3f}" if one.aucs else "–"
        lines.append(line)
    frame = pd.DataFrame(lines)
    frame.attrs["note"] = (
        f"Exact: a sine below {power(EXACT)}. AUC: the share of pairs of an outlier and an inlier "
        "that a score puts in the right order, 0.5 by chance. It hides the point: a ranking can be "
        "perfect while the subspace is off by many degrees. At equal energies the norm tells "
        "nothing."
    )
    return frame
