"""Convergence and starts: both solvers from the paper's seven starts, against the optimum."""

import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.starts import Starts
from cspca.experiments.steps import has_classes
from cspca.ui import fields
from cspca.ui.experiment_page import ExperimentPage
from cspca.ui.starts_parts import body

SCALES = {"absolute": "As in the paper", "relative": "Fractions"}
USUAL = {"absolute": {"alpha": 1.0, "beta": 1.0}, "relative": {"alpha": 0.1, "beta": 0.01}}


def usual(dataset: Dataset) -> Starts:
    """The paper's penalties on raw data."""
    if not has_classes(dataset):
        return Starts(n_seeds=0)
    return Starts(n_features=max(1, dataset.n_features // 2))


def usual_penalties() -> None:
    chosen = st.session_state[fields.key(Starts, "penalty_scale")]
    for name, value in USUAL[chosen].items():
        st.session_state[fields.key(Starts, name)] = value


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
    for place, penalty in zip(st.columns(2), USUAL["absolute"], strict=True):
        fields.number(Starts, penalty, most=most, place=place)
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
    fields.clusters(
        Starts,
        dataset,
        f"Rankings are held against each other by their k best {nouns.features}, and K-means "
        f"clusters the {nouns.samples} by them.",
    )
    return fields.asked(Starts)


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


ExperimentPage(
    kind=Starts,
    button="Run both solvers",
    usual=usual,
    controls=controls,
    body=body,
    steps=steps,
    title="Is ten iterations enough?",
    lead="The paper stops Algorithm 1 after ten iterations, where its curve looks flat, and says "
    "that the start does not matter. Here the optimum is proved, and both are measured.",
).draw()
