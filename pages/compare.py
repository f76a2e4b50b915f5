"""Compare: every method on the data set in use, by clustering on what it selects."""

import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.compare import Compare
from cspca.experiments.steps import has_classes
from cspca.paper.numbers import METHODS_IN_PAPER
from cspca.selection import METHODS
from cspca.ui import fields
from cspca.ui.compare_parts import body, n_classes, usual_counts
from cspca.ui.experiment_page import ExperimentPage

INITS = {"random": "Random", "k-means++": "k-means++"}
GRIDS = {False: "Defaults", True: "The paper’s grid"}
SPEC = {"phi1": "φ₁", "phi2": "φ₂", "phi3": "φ₃"}


def usual(dataset: Dataset) -> Compare:
    # Without labels a modest guess: some methods need more features than clusters.
    guess = max(2, min(10, dataset.n_samples // 4, dataset.n_features // 2))
    clusters = n_classes(dataset) if has_classes(dataset) else guess
    return Compare(
        methods=METHODS_IN_PAPER,
        n_features=usual_counts(dataset),
        n_clusters=clusters,
        grids={"spec": [{"function": "phi1"}]},
    )


def controls(dataset: Dataset) -> Compare:
    many = dataset.nouns.features
    if not has_classes(dataset):
        st.info(
            f"These {dataset.nouns.samples} have no classes: methods are compared by silhouette, "
            "stability and reconstruction, which need none."
        )
    chosen = fields.some(
        Compare,
        "methods",
        {key: method.title for key, method in METHODS.items()},
        help="The first seven are the paper’s.  \n"
        + "  \n".join(f"**{method.title}**: {method.note}" for method in METHODS.values()),
    )
    st.text_input(
        f"Numbers of {many}",
        key=fields.key(Compare, "n_features"),
        max_chars=200,
        persist_state="session",
        help=f"How many {many} are selected, each in turn; whole numbers, separated by commas.",
    )
    left, right = st.columns(2, vertical_alignment="bottom")
    fields.number(Compare, "n_seeds", least=2, most=200, place=left)
    known = str(n_classes(dataset))
    clusters = fields.number(Compare, "n_clusters", least=2, placeholder=known, place=right)
    if has_classes(dataset) and clusters == n_classes(dataset):
        st.caption(
            f"The number of clusters is read from the labels: {clusters} classes. K-means and some "
            "methods are told it."
        )
    elif has_classes(dataset) and clusters is not None:
        st.caption(
            f"The labels have {n_classes(dataset)} classes. ACC maps every cluster to one class at "
            "most, so that another number of clusters costs it."
        )
    tune = fields.choice(
        Compare,
        "tune",
        GRIDS,
        "Parameters of the methods",
        help="Defaults: one fit a method. The paper’s grid: every parameter is tried at 10⁻⁶, "
        "10⁻⁴, 10⁻², 1, 10², 10⁴ and 10⁶, two of them together: 49 fits.",
    )
    if tune and has_classes(dataset):
        st.caption(
            "The best of the grid is chosen by the labels, as in the paper. What is chosen on one "
            "half of the starts and scored on the other is chosen by the labels too."
        )
    elif tune:
        st.caption("The best of the grid is chosen by the very measure that is shown.")
    with st.expander("More", icon=":material/settings:"):
        fields.choice(Compare, "init", INITS)
        function = fields.switch(
            "SPEC’s function",
            SPEC,
            "compare_spec_function",
            disabled="spec" not in chosen,
            help="φ₂ equals the Laplacian Score, so φ₁ is taken unless you say otherwise.",
        )
    if not chosen:
        raise ValueError("No method is chosen: choose at least one.")
    return fields.asked(
        Compare,
        methods=tuple(key for key in METHODS if key in chosen),
        grids={"spec": [{"function": function}]},
    )


def steps(dataset: Dataset) -> list[str]:
    nouns = dataset.nouns
    judged = "The clusters are held against the classes"
    if not has_classes(dataset):
        judged = "The clusters are judged by themselves"
    return [
        f"Each method ranks the {nouns.features} without seeing any label.",
        f"The {nouns.samples} are clustered by K-means on the best {nouns.features} of each "
        "method, many times, from the same starts for all.",
        f"{judged}, and every figure comes with its spread, its paired difference from using "
        "everything, and a mark for what is best.",
    ]


ExperimentPage(
    kind=Compare,
    button="Compare",
    usual=usual,
    controls=controls,
    body=body,
    steps=steps,
    title=lambda nouns: f"Which method picks the best {nouns.features}?",
    lead=lambda nouns: (
        f"Every method selects {nouns.features}, K-means clusters the {nouns.samples} by them, and "
        "the clusters are compared: the same starts for all, with error bars."
    ),
).draw()
