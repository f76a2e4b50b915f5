"""Sensitivity: a grid of α and β on the data set in use."""

import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.sensitivity import Sensitivity
from cspca.experiments.steps import has_classes
from cspca.selection import PAPER_GRID, RELATIVE_GRID
from cspca.ui import fields
from cspca.ui.experiment_page import ExperimentPage
from cspca.ui.sensitivity_parts import body

GRIDS = {"relative": RELATIVE_GRID, "absolute": PAPER_GRID}
SCALES = {"relative": "Fractions", "absolute": "The paper’s grid"}


def usual(dataset: Dataset) -> Sensitivity:
    k = max(1, dataset.n_features // 2)
    return Sensitivity(n_features=k if has_classes(dataset) else None)


def controls(dataset: Dataset) -> Sensitivity:
    nouns = dataset.nouns
    fractions = ", ".join(f"{value:g}" for value in RELATIVE_GRID)
    name = fields.choice(
        Sensitivity,
        "penalty_scale",
        SCALES,
        "Values of α and β",
        help=f"Fractions of the penalties at which no {nouns.feature} is left: {fractions}. The "
        "paper’s: 10⁻⁶, 10⁻⁴, 10⁻², 1, 10², 10⁴ and 10⁶, whatever the size of the data.",
    )
    grid = GRIDS[name]
    n = len(grid)
    if name == "relative":
        st.caption(f"{n} × {n} fractions of α_max and β_max: they mean the same on any data.")
    else:
        of = f"the number and size of the {nouns.samples}"
        if dataset.image_shape is not None:
            of = f"how many {nouns.samples} there are and how bright they are"
        st.caption(f"{n} × {n} absolute values, as printed. What they do depends on {of}.")
    if not has_classes(dataset):
        st.info(
            f"These {nouns.samples} have no classes, and ACC and NMI need them: the grid shows "
            f"what the fits themselves say, such as rank and {nouns.features} that are exactly "
            "zero."
        )
        return fields.asked(Sensitivity, alphas=grid, betas=grid, n_features=None)
    said = f"K-means clusters the {nouns.samples} by the k best {nouns.features} of every fit."
    fields.clusters(Sensitivity, dataset, said)
    return fields.asked(Sensitivity, alphas=grid, betas=grid)


def steps(dataset: Dataset) -> list[str]:
    nouns = dataset.nouns
    found = [
        "CSPCA is fitted at every pair of α and β, each from a cold start, with a proof of how "
        "close to the optimum it is."
    ]
    if has_classes(dataset):
        found.append(
            f"K-means clusters the {nouns.samples} by the k best {nouns.features} of each fit, and "
            "the clusters are held against the classes."
        )
    return found


ExperimentPage(
    kind=Sensitivity,
    button="Run the grid",
    usual=usual,
    controls=controls,
    body=body,
    steps=steps,
    title="Where do α and β matter?",
    lead=lambda nouns: (
        f"The same {nouns.samples} at every pair of penalties: where the colour is even, α and β "
        "hardly matter."
    ),
).draw()
