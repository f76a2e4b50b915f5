"""What the Convergence page shows: both solvers' courses, and where they get from every start."""

from __future__ import annotations

import math
from typing import Any, Final

import pandas as pd
import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.experiment import Outcome
from cspca.experiments.paper import recognised
from cspca.experiments.service import RunView
from cspca.experiments.starts import START_NAMES, Starts
from cspca.experiments.steps import has_classes
from cspca.figures.words import percent
from cspca.paper.claims import percent as share
from cspca.solvers import SOLVERS
from cspca.ui import charts, fields, keys
from cspca.ui.plain import plain
from cspca.ui.tables import table

AXES: Final = {"iteration": "Iterations", "seconds": "Seconds"}
ALL: Final = "all"
LABELS: Final = {
    "above": "Above the optimum",
    "objective": "Objective",
    "duality_gap": "Own proof",
    "overlap": "Ranking",
    "accuracy_mean": "ACC",
}


def body(outcome: Outcome, dataset: Dataset, run: RunView) -> None:
    """Lay out what there is."""
    starts: Any = outcome.experiment
    said = [one.sentence for one in outcome.findings]
    warning = starts.warning(outcome.results, dataset)
    if said and said[0] != warning:
        st.markdown(f"#### {plain(said[0])}")
    if warning:
        st.warning(warning, icon=":material/warning:")
    _figures(starts, outcome, dataset)
    st.subheader("Does the start matter?", anchor=False)
    known = recognised(dataset)
    printed = None
    if known.paper_set is not None and known.same_data:
        printed = known.paper_set.every_start
    for sentence in said[1:]:
        if sentence != warning:
            st.markdown(f"- {plain(sentence)}")
    if printed is not None and starts.n_seeds:
        st.markdown(f"- The paper prints {printed:.1f} % from each of its seven.")
    rows = starts.rows(outcome.results)
    offered = {name: label for name, label in LABELS.items() if name in rows}
    how: dict[str, Any] = {"label_visibility": "collapsed", "wrap": True}
    shown = fields.switch("Show", offered, keys.STARTS_MEASURE, **how)
    pivot = _pivot(starts, rows, shown, printed)
    table(pivot, f"Seven starts: {LABELS[shown]}", best=(len(START_NAMES),))
    st.caption(
        f"{_meaning(shown, dataset)} Columns of iterations: the paper’s Algorithm 1, whose norms "
        "are smoothed with ε = 10⁻⁴, for as printed it divides by zero. The certified solver runs "
        f"until its own gap is below {percent(starts.tol)}."
    )
    if not has_classes(dataset):
        st.caption("Without classes there is no ACC: it is left out.")


def _meaning(name: str, dataset: Dataset) -> str:
    return {
        "above": "How far the objective is above the best lower bound that any run proved. Needs "
        "no labels.",
        "objective": "The value that is minimised.",
        "duality_gap": "The gap that each run proves by itself, without the others. Algorithm 1 "
        "has no stop by it: the bound is taken from its own weights.",
        "overlap": f"Share of the k best {dataset.nouns.features} that are also among those of the "
        "most accurate certified run; below: rank correlation (Spearman) of all scores with it. "
        "Needs no labels.",
        "accuracy_mean": "Mean ± standard deviation over the starts of K-means, in per cent. Rests "
        "on labels: the fits never see them, but the clusters are held against them.",
    }[name]


def _entry(row: pd.Series, name: str) -> str:
    value = row[name]
    if value != value:
        return "–"
    if name == "above":
        return share(value)
    if name == "objective":
        return f"{value:,.7g}"
    if name == "duality_gap":
        return percent(value)
    if name == "overlap":
        alike = row["spearman"]
        return f"{100 * value:.0f} %" + (f"\n{alike:.3f}" if alike == alike else "")
    return f"{100 * value:.1f}\n± {100 * row['accuracy_std']:.1f}"


def _spread(low: float, high: float, name: str) -> str:
    if name == "above":
        return share(high - low)
    if name == "duality_gap":
        return percent(high - low)
    if name == "objective":
        return f"{high - low:,.3g}"
    return f"{100 * (high - low):.{1 if name == 'accuracy_mean' else 0}f} points"


def _pivot(starts: Starts, rows: pd.DataFrame, name: str, printed: float | None) -> pd.DataFrame:
    """One measure: a start a line, a number of iterations a column, and the spread at the end."""
    steps: list[tuple[str, Any]] = [
        (f"{number} iterations", (rows["solver"] == "reweighted") & (rows["iterations"] == number))
        for number in starts.checkpoints
    ]
    steps += [
        (SOLVERS[one].title, rows["solver"] == one) for one in starts.solvers if one != "reweighted"
    ]
    first = {"Start": [f"{n} · {title}" for n, title in enumerate(START_NAMES.values(), 1)]}
    first["Start"].append("From start to start")
    if printed is not None and name == "accuracy_mean":
        first["Paper"] = [f"{printed:.1f}"] * len(START_NAMES) + ["0.0 points"]
    for head, where in steps:
        of = rows[where].set_index("init")
        cells = [_entry(of.loc[one], name) if one in of.index else "…" for one in START_NAMES]
        there = [one for one in of[name] if math.isfinite(one)]
        ends = _spread(min(there), max(there), name) if len(there) > 1 else "–"
        first[head] = [*cells, ends]
    return pd.DataFrame(first)


def _figures(starts: Starts, outcome: Outcome, dataset: Dataset) -> None:
    """Draw the paper's view and the same curves near the optimum, from one start or all."""
    done = {cell.parameters["init"] for cell in outcome.results if cell.step == "path"}
    options = {one: title for one, title in START_NAMES.items() if one in done}
    options[ALL] = "All that are finished"
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        start = fields.switch("From which start", options, keys.STARTS_OF, draw=st.selectbox)
    with right:
        x = fields.switch("Against", AXES, keys.STARTS_AXIS)
    left, right = st.columns(2, gap="medium")
    of = dataset.name
    how = {"start": None if start == ALL else start, "x": x}
    with left:
        title = "As the paper draws it"
        st.markdown(f"**{title}**")
        drawn = starts.figure(outcome.results, near=False, **how)
        charts.show(drawn, "starts_far", of=of, name="convergence", label=title)
    with right:
        st.markdown("**The same curves near the optimum**")
        drawn = starts.figure(outcome.results, near=True, **how)
        label = "Near the optimum"
        charts.show(drawn, "starts_near", of=of, name="convergence-near", label=label)
    words = "Solid: the objective; dotted: the proven lower limit of the same run. The optimum is "
    optimum = starts.optimum(outcome.results)
    if optimum is None:
        words += "not known yet: no run has come close enough."
    else:
        words += f"proven to lie between {optimum[0]:,.7g} and {optimum[1]:,.7g} (green)."
    if x == "seconds":
        words += " Seconds are those of the iterations alone, on this server with what else it did."
    st.caption(words)
