"""The Convergence tab of Compare: both solvers from seven starts, against the optimum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.convergence import MEASURES, START_NAMES, Convergence, said
from cspca.experiments.experiment import Outcome
from cspca.experiments.fit import PROOF
from cspca.figures.meanings import MEANINGS, Meaning
from cspca.figures.words import percent
from cspca.paper.numbers import recognised
from cspca.solvers import SOLVERS
from cspca.ui import export, fields, state
from cspca.ui.experiment_page import ExperimentPage
from cspca.ui.plain import below, facts, plain, table

_USUAL = {"absolute": {"alpha": 1.0, "beta": 1.0}, "relative": {"alpha": 0.1, "beta": 0.01}}


def usual(dataset: Dataset) -> Convergence:
    """Return the paper's penalties, on data prepared as on the Paper page."""
    if not dataset.has_classes:
        return Convergence(n_seeds=0, center=True)
    return Convergence(n_features=max(1, dataset.n_features // 2), center=True)


def quick(dataset: Dataset) -> Iterator[Convergence]:
    """Yield fewer starts, then also Algorithm 1 for only as long as the paper runs it."""
    whole = usual(dataset)
    yield replace(whole, inits=("diagonal-1", "constant-1", "random"))
    yield replace(whole, inits=("diagonal-1",))
    for inits in (("diagonal-1", "random"), ("diagonal-1",)):
        yield replace(whole, inits=inits, checkpoints=(10,))


def usual_penalties() -> None:
    """Set the default penalties of the chosen scale (a widget callback)."""
    chosen = st.session_state[fields.key(Convergence, "penalty_scale")]
    for name, value in _USUAL[chosen].items():
        st.session_state[fields.key(Convergence, name)] = value


def controls(dataset: Dataset) -> Convergence:
    """Draw the settings and return the experiment."""
    nouns = dataset.nouns
    name = fields.choice(
        Convergence,
        "penalty_scale",
        {"absolute": "The paper’s", "relative": "Fractions"},
        "α and β",
        on_change=usual_penalties,
        help="As in the paper: absolute values, 1 and 1 in its figure. Fractions: of the penalties "
        f"at which no {nouns.feature} is left, which mean the same on any data.",
    )
    # A fraction is 1 at most; absolute penalties have no upper limit.
    most = 1.0 if name == "relative" else None
    for place, penalty in zip(st.columns(2), _USUAL["absolute"], strict=True):
        fields.number(Convergence, penalty, most=most, place=place)
    fields.toggle(
        Convergence,
        "center",
        "Subtract the mean",
        help="The paper does not say that it does; elsewhere in this program it is done.",
    )
    if not dataset.has_classes:
        st.caption(
            f"{dataset.without_scores}, so ACC is left out. Everything else needs no labels."
        )
        return fields.read(Convergence, n_features=None, n_seeds=0)
    fields.clusters(
        Convergence,
        dataset,
        f"Rankings are held against each other by this many best {nouns.features}, and K-means "
        f"clusters the {nouns.samples} by them.",
    )
    return fields.read(Convergence)


def body(outcome: Outcome, dataset: Dataset, run: Any) -> None:
    """Draw the results."""
    starts: Any = outcome.experiment
    warning = starts.warning(outcome.results, dataset)
    headline_place = st.container()
    if warning:
        st.warning(warning, icon=":material/warning:")
    start = _figures(starts, outcome, dataset)
    # The headline describes the start that is chosen below the figures.
    rows = starts.rows(outcome.results)
    headline = starts.headline(rows, start)
    if headline:
        headline_place.markdown(f"**{plain(headline)}**")
    if state.bare():
        return
    st.header("Does the start matter?", anchor=False)
    of, same, _ = recognised(dataset)
    printed = of.accuracy["cspca"][0] if of is not None and same else None
    headlines = {starts.headline(rows, init) for init in starts.inits}
    for finding in outcome.findings:
        if finding.sentence not in {warning, *headlines}:
            st.markdown(f"- {plain(finding.sentence)}")
    if printed is not None and starts.n_seeds:
        st.markdown(f"- The paper prints {printed:.1f} % from each of its seven.")
    offered = {name: measure.label for name, measure in MEASURES.items() if name in rows}
    name = fields.views("Show", offered, "convergence_measure", wrap=True)
    shown = _pivot(starts, rows, name)
    if printed is not None and name == "accuracy_mean":
        shown.insert(1, "Paper", [f"{printed:.1f}"] * len(starts.inits) + ["0.0"])
    table(shown, f"Seven starts: {offered[name]}")
    st.html(facts(_meant(starts, outcome, rows, dataset)))
    st.caption(
        "Columns of iterations: the paper’s Algorithm 1, whose norms are smoothed with ε = 10⁻⁴, "
        "for as printed it divides by zero. The certified solver runs until its own gap is below "
        f"{percent(starts.tol)}."
    )


def _meant(
    starts: Convergence, outcome: Outcome, rows: pd.DataFrame, dataset: Dataset
) -> Iterator[tuple[str, str, Meaning]]:
    """Yield the meanings of the measures, with the numbers of Algorithm 1's longest run."""
    values: dict[str, Any] = {}
    of = rows[rows["solver"] == "reweighted"]
    optimum = starts.optimum(outcome.results)
    if len(of) and optimum is not None:
        row = of.sort_values("iterations").iloc[-1]
        values = {"start": START_NAMES[row["init"]], "steps": f"{row['iterations']:,} iterations"}
        values |= {"objective": row["objective"], "bound": optimum[0], "k": row["k"]}
        values |= {name: MEASURES[name].say(row[name]) for name in ("above", "overlap")}
    names = {"duality_gap": "gap", "accuracy_mean": "accuracy"}
    for name, measure in MEASURES.items():
        if name in rows:
            meaning = MEANINGS[names.get(name, name)]
            yield measure.label, "", meaning.said(dataset.nouns, **values)


def _pivot(starts: Convergence, rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return a table of one measure: starts by iterations, with the spread as the last row."""
    measure, certified = MEASURES[name], SOLVERS["admm"].title
    heads = [f"{number} iterations" for number in starts.checkpoints]
    if "admm" in starts.solvers:
        heads.append(certified)
    lines = rows.to_dict("records")
    of = [
        certified if row["solver"] == "admm" else f"{row['iterations']} iterations" for row in lines
    ]
    texts = [below(said(row)[measure.label]) for row in lines]
    rows = rows.assign(head=of, said=texts)
    shown = rows.pivot(index="init", columns="head", values="said")
    inits = [init for init in START_NAMES if init in starts.inits]
    shown = shown.reindex(index=inits, columns=heads).fillna("…")
    ends = rows.groupby("head")[name].agg(["min", "max", "count"]).reindex(heads)
    apart = "{:,.3g}".format if name == "objective" else measure.say
    shown.loc["spread"] = [
        apart(end["max"] - end["min"]) if end["count"] > 1 else "–"
        for end in ends.to_dict("records")
    ]
    numbers = {init: f"{n} · {title}" for n, (init, title) in enumerate(START_NAMES.items(), 1)}
    titles = [numbers[init] for init in inits]
    shown.insert(0, "Start", [*titles, "From start to start"])
    return shown


def _figures(starts: Convergence, outcome: Outcome, dataset: Dataset) -> str | None:
    """Draw the paper's view and the curves near the optimum; return the chosen start, or None."""
    done = {cell.parameters["init"] for cell in outcome.results if cell.step == "path"}
    options = {init: title for init, title in START_NAMES.items() if init in done}
    options["all"] = "All that are finished"
    # The figures come first, their controls below.
    place = st.container()
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        start = fields.switch(
            "From which start", options, "convergence_curve_of", draw=st.selectbox
        )
    with right:
        x = fields.switch(
            "Against", {"iteration": "Iterations", "seconds": "Seconds"}, "convergence_axis"
        )
    only = None if start == "all" else start
    views = {"As the paper draws it": False, "Near the optimum": True}
    drawn = {
        title: starts.figure(outcome.results, near=near, start=only, x=x)
        for title, near in views.items()
    }
    labels = {"far": "As the paper draws it", "near": "Near the optimum"}
    with place:
        export.beside(drawn, "convergence", dataset.name, **labels)
    words = "Solid: the objective; dashed: the lower bound of the same run. The optimum is "
    optimum = starts.optimum(outcome.results)
    if optimum is None:
        words += "not known yet: no run has come close enough."
    else:
        low, high = optimum
        words += f"proven to lie between {low:,.7g} and {high:,.7g} (green). {PROOF}"
    if x == "seconds":
        words += " Seconds are those of the iterations alone, on this server with what else it did."
    else:
        words += f" {starts.pace(outcome.results)}"
    st.caption(words)
    return only


PAGE = ExperimentPage(
    kind=Convergence,
    button="Run both solvers",
    usual=usual,
    controls=controls,
    body=body,
    quick=quick,
    question="Is ten iterations enough?",
    lead="The paper stops there, from whatever start: how far is that from the proven optimum?",
)
