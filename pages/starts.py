"""Convergence and starts: both solvers from the paper's seven starts, against the optimum."""

import math
from typing import Any, cast

import pandas as pd
import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.experiment import Outcome
from cspca.experiments.paper import recognised
from cspca.experiments.service import RunView
from cspca.experiments.starts import START_NAMES, Starts, measured
from cspca.experiments.steps import has_classes
from cspca.figures.words import percent
from cspca.solvers import SOLVERS
from cspca.ui import charts, fields, frame, keys
from cspca.ui.experiment_page import ExperimentPage
from cspca.ui.export import Chart
from cspca.ui.plain import plain
from cspca.ui.tables import table
from cspca.ui.theme import is_dark

SCALES = {"absolute": "As in the paper", "relative": "Fractions"}
USUAL = {"absolute": (1.0, 1.0), "relative": (0.1, 0.01)}
AXES = {"iteration": "Iterations", "seconds": "Seconds"}
ALL = "all"
FAR, NEAR = "starts_far", "starts_near"


def usual(dataset: Dataset) -> Starts:
    """The paper's penalties on raw data."""
    if not has_classes(dataset):
        return Starts(n_seeds=0)
    return Starts(n_features=max(1, dataset.n_features // 2))


def usual_penalties() -> None:
    session = st.session_state
    chosen = session[fields.key(Starts, "penalty_scale")]
    for name, value in zip(("alpha", "beta"), USUAL[chosen], strict=True):
        session[fields.key(Starts, name)] = value


def controls(dataset: Dataset) -> Starts:
    nouns = dataset.nouns
    name = fields.choice(
        Starts,
        "penalty_scale",
        SCALES,
        "α and β",
        on_change=usual_penalties,
        help="As in the paper: absolute values, 1 and 1 in its figure. Fractions: of the penalties "
        f"at which no {nouns.feature} is left, which mean the same on any data.",
    )
    # A fraction is 1 at most; absolute penalties have no such end.
    most = 1.0 if name == "relative" else None
    for place, penalty in zip(st.columns(2), ("alpha", "beta"), strict=True):
        with place:
            fields.number(Starts, penalty, most=most)
    fields.toggle(
        Starts,
        "center",
        f"Subtract the mean {nouns.sample}",
        help="The paper does not say that it does; elsewhere in this program it is done.",
    )
    if not has_classes(dataset):
        st.caption(
            f"These {nouns.samples} have no classes, and ACC needs them: it is left out. "
            "Everything else needs no labels."
        )
        return fields.asked(Starts, n_features=None, n_seeds=0)
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        fields.number(
            Starts,
            "n_features",
            f"k, {nouns.features}",
            most=dataset.n_features,
            help=f"Rankings are held against each other by their k best {nouns.features}, and "
            f"K-means clusters the {nouns.samples} by them.",
        )
    with right:
        fields.number(Starts, "n_seeds", most=100, least=1)
    return fields.asked(Starts)


def body(outcome: Outcome, dataset: Dataset, run: RunView) -> None:
    starts, results = outcome.experiment, outcome.results
    assert isinstance(starts, Starts)
    said = [one.sentence for one in outcome.findings]
    warning = starts.warning(results, dataset)
    if said and said[0] != warning:
        st.markdown(f"#### {plain(said[0])}")
    if warning:
        st.warning(warning, icon=":material/warning:")
    figures(starts, outcome, dataset)
    st.subheader("Does the start matter?", anchor=False)
    known = recognised(dataset)
    printed = known.paper_set if known.same_data else None
    for sentence in said[1:]:
        if sentence != warning:
            st.markdown(f"- {plain(sentence)}")
    if printed is not None and starts.n_seeds:
        st.markdown(f"- The paper prints {printed.every_start:.1f} % from each of its seven.")
    rows = starts.rows(results)
    shown, words = measure_switch(rows, dataset)
    table(
        pivot(starts, rows, shown, printed.every_start if printed is not None else None),
        f"Seven starts: {LABELS[shown]}",
        best=(len(START_NAMES),),
    )
    st.caption(
        f"{words} Columns of iterations: the paper’s Algorithm 1, whose norms are smoothed with "
        "ε = 10⁻⁴, for as printed it divides by zero. The certified solver runs until its own gap "
        f"is below {percent(starts.tol)}."
    )
    if not has_classes(dataset):
        st.caption("Without classes there is no ACC: it is left out.")


LABELS = {
    "above": "Above the optimum",
    "objective": "Objective",
    "duality_gap": "Own proof",
    "overlap": "Ranking",
    "accuracy_mean": "ACC",
}


def measure_switch(rows: pd.DataFrame, dataset: Dataset) -> tuple[str, str]:
    words = {
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
    }
    offered = [name for name in LABELS if name in rows]
    if st.session_state.get(keys.STARTS_MEASURE) not in offered:
        st.session_state[keys.STARTS_MEASURE] = offered[0]
    name = st.segmented_control(
        "Show",
        offered,
        format_func=LABELS.__getitem__,
        key=keys.STARTS_MEASURE,
        required=True,
        persist_state="session",
        label_visibility="collapsed",
        wrap=True,
    )
    return str(name), words[str(name)]


def entry(row: pd.Series, name: str) -> str:
    value = row[name]
    if value != value:
        return "–"
    if name == "above":
        return measured(value)
    if name == "objective":
        return f"{value:,.7g}"
    if name == "duality_gap":
        return percent(value)
    if name == "overlap":
        alike = row["spearman"]
        return f"{100 * value:.0f} %" + (f"\n{alike:.3f}" if alike == alike else "")
    return f"{100 * value:.1f}\n± {100 * row['accuracy_std']:.1f}"


def spread(low: float, high: float, name: str) -> str:
    if name == "above":
        return measured(high - low)
    if name == "duality_gap":
        return percent(high - low)
    if name == "objective":
        return f"{high - low:,.3g}"
    return f"{100 * (high - low):.{1 if name == 'accuracy_mean' else 0}f} points"


def pivot(starts: Starts, rows: pd.DataFrame, name: str, printed: float | None) -> pd.DataFrame:
    """One measure: a start a line, a number of iterations a column, and the spread at the end."""
    steps: list[tuple[str, Any]] = [
        (f"{number} iterations", (rows["solver"] == "reweighted") & (rows["iterations"] == number))
        for number in starts.checkpoints
    ]
    steps += [
        (SOLVERS[name].title, rows["solver"] == name)
        for name in starts.solvers
        if name != "reweighted"
    ]
    first = {"Start": [f"{n} · {title}" for n, title in enumerate(START_NAMES.values(), 1)]}
    first["Start"].append("From start to start")
    if printed is not None and name == "accuracy_mean":
        first["Paper"] = [f"{printed:.1f}"] * len(START_NAMES) + ["0.0 points"]
    for head, where in steps:
        of = rows[where].set_index("init")
        cells = [entry(of.loc[one], name) if one in of.index else "…" for one in START_NAMES]
        there = [one for one in of[name] if math.isfinite(one)]
        ends = spread(min(there), max(there), name) if len(there) > 1 else "–"
        first[head] = [*cells, ends]
    return pd.DataFrame(first)


def figures(starts: Starts, outcome: Outcome, dataset: Dataset) -> None:
    """Draw the paper's view and the same curves near the optimum, from one start or all."""
    results = outcome.results
    done = {cell.parameters["init"] for cell in results if cell.step == "path"}
    options = [*(one for one in START_NAMES if one in done), ALL]
    if st.session_state.get(keys.STARTS_OF) not in options:
        st.session_state[keys.STARTS_OF] = options[0]
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        start = st.selectbox(
            "From which start",
            options,
            format_func=lambda one: "All that are finished" if one == ALL else START_NAMES[one],
            key=keys.STARTS_OF,
            persist_state="session",
        )
    with right:
        st.session_state.setdefault(keys.STARTS_AXIS, "iteration")
        x = st.segmented_control(
            "Against",
            list(AXES),
            format_func=AXES.__getitem__,
            key=keys.STARTS_AXIS,
            required=True,
            persist_state="session",
        )
    for place, near, box, title in zip(
        st.columns(2, gap="medium"),
        (False, True),
        (FAR, NEAR),
        ("As the paper draws it", "The same curves near the optimum"),
        strict=True,
    ):
        with place, st.container(key=box):
            st.markdown(f"**{title}**")
            drawn = starts.figure(
                results,
                near=near,
                start=None if start == ALL else str(start),
                x=cast(Any, x),
                dark=is_dark(),
            )
            name = "convergence-near" if near else "convergence"
            charts.show(drawn, f"{box}_chart", of=dataset.name, name=name)
    words = "Solid: the objective; dotted: the proven lower limit of the same run. The optimum is "
    optimum = starts.optimum(results)
    if optimum is None:
        words += "not known yet: no run has come close enough."
    else:
        words += f"proven to lie between {optimum[0]:,.7g} and {optimum[1]:,.7g} (green)."
    if x == "seconds":
        words += " Seconds are those of the iterations alone, on this server with what else it did."
    st.caption(words)


def steps(dataset: Dataset) -> list[str]:
    found = [
        "The paper’s Algorithm 1 goes fifty iterations from each of its seven starts: W diagonal, "
        "W all of one number, and W random.",
        "The certified solver goes from the same starts until it has proved how close to the "
        "optimum it is. That proof measures both.",
    ]
    if has_classes(dataset):
        found.append(
            f"K-means clusters the {dataset.nouns.samples} by the k best {dataset.nouns.features} "
            "of each, and the clusters are held against the classes."
        )
    return found


PAGE = ExperimentPage(
    kind=Starts,
    button="Run both solvers",
    usual=usual,
    controls=controls,
    body=body,
    steps=steps,
    charts=lambda outcome: [
        Chart(FAR, "As the paper draws it", "convergence"),
        Chart(NEAR, "Near the optimum", "convergence-near"),
    ],
)

frame.page(
    title="Is ten iterations enough?",
    lead="The paper stops Algorithm 1 after ten iterations, where its curve looks flat, and says "
    "that the start does not matter. Here the optimum is proved, and both are measured.",
    body=PAGE.show,
)
