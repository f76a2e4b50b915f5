"""What is compared: the controls, what is wrong with them, and the request they make."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import streamlit as st

from cspca.datasets import Dataset
from cspca.evaluation.paper import METHODS_IN_PAPER, N_STARTS, PAPER_SETS
from cspca.runs.comparison_records import ComparisonRequest, has_classes
from cspca.selection import METHODS
from cspca.ui import keys

MOST_REPETITIONS: Final = 200
_INITS: Final = {"random": "Random", "k-means++": "k-means++"}
_GRIDS: Final = {False: "Defaults", True: "The paper’s grid"}
_SPEC: Final = {"phi1": "φ₁", "phi2": "φ₂", "phi3": "φ₃"}


@dataclass(frozen=True)
class Settings:
    """What the controls say.

    Attributes
    ----------
    request : ComparisonRequest or None
        None when something is wrong, which is said beside the control.
    """

    request: ComparisonRequest | None


def usual_counts(dataset: Dataset) -> tuple[int, ...]:
    """Return numbers of features to begin with: the paper's for its sets, else five spread out."""
    shape = (dataset.n_samples, dataset.n_features, n_classes(dataset))
    for known in PAPER_SETS.values():
        if shape == (known.n_samples, known.n_features, known.n_classes):
            return known.feature_counts
    d = dataset.n_features
    step = max(1, 10 ** int(math.log10(d)) // 20)
    rounded = {step * max(1, round(share * d / step)) for share in (0.1, 0.3, 0.5, 0.7, 0.9)}
    return tuple(sorted({min(count, d) for count in rounded}))


def n_classes(dataset: Dataset) -> int:
    """Return how many different labels there are; 0 without labels."""
    return 0 if dataset.target is None else len(np.unique(dataset.target))


def usual_clusters(dataset: Dataset) -> int:
    """Return the number of classes, or a modest guess where there are none."""
    if has_classes(dataset):
        return n_classes(dataset)
    # Some methods need more features than clusters.
    return max(2, min(10, dataset.n_samples // 4, dataset.n_features // 2))


def usual(dataset: Dataset) -> ComparisonRequest:
    """Return what is compared unless something else is chosen."""
    return ComparisonRequest(
        sha256=dataset.sha256,
        methods=METHODS_IN_PAPER,
        n_features=usual_counts(dataset),
        n_seeds=N_STARTS,
        n_clusters=usual_clusters(dataset),
        labelled=has_classes(dataset),
    )


def show(request: ComparisonRequest, *, only_missing: bool = False) -> None:
    """Make the controls say what a request says; before they are drawn."""
    values: dict[str, Any] = {
        keys.COMPARE_METHODS: list(request.methods),
        keys.COMPARE_COUNTS: ", ".join(map(str, request.n_features)),
        keys.COMPARE_SEEDS: request.n_seeds,
        keys.COMPARE_CLUSTERS: request.n_clusters,
        keys.COMPARE_INIT: request.init,
        keys.COMPARE_GRID: request.tune,
        keys.COMPARE_SPEC: request.spec_function,
    }
    for key, value in values.items():
        if not (only_missing and key in st.session_state):
            st.session_state[key] = value


def settings(dataset: Dataset) -> Settings:
    """Draw the controls and read them."""
    many = dataset.nouns.features
    _about_labels(dataset)
    chosen = st.pills(
        "Methods",
        list(METHODS),
        selection_mode="multi",
        format_func=lambda key: METHODS[key].title,
        key=keys.COMPARE_METHODS,
        wrap=True,
        persist_state="session",
        help="The first seven are the paper’s.  \n"
        + "  \n".join(f"**{method.title}**: {method.note}" for method in METHODS.values()),
    )
    wanted = set(chosen)
    methods = tuple(key for key in METHODS if key in wanted)
    if not methods:
        st.error("No method is chosen: choose at least one.")
    text = st.text_input(
        f"Numbers of {many}",
        key=keys.COMPARE_COUNTS,
        max_chars=200,
        persist_state="session",
        help=f"How many {many} are selected, each in turn; whole numbers, separated by commas.",
    )
    counts, problem = read_counts(text, dataset)
    if problem:
        st.error(problem)
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        seeds = st.number_input(
            "Repetitions",
            2,
            MOST_REPETITIONS,
            key=keys.COMPARE_SEEDS,
            persist_state="session",
            help="Starts of K-means, the same for every method, so that differences are paired. "
            "The paper takes 30.",
        )
    with right:
        clusters = st.number_input(
            "Clusters",
            2,
            key=keys.COMPARE_CLUSTERS,
            persist_state="session",
            help="Of K-means, and of the methods that need a number of clusters.",
        )
    fits = _clusters(dataset, int(clusters))
    tune = st.segmented_control(
        "Parameters of the methods",
        list(_GRIDS),
        format_func=_GRIDS.__getitem__,
        key=keys.COMPARE_GRID,
        required=True,
        persist_state="session",
        help="Defaults: one fit a method. The paper’s grid: every parameter is tried at 10⁻⁶, "
        "10⁻⁴, 10⁻², 1, 10², 10⁴ and 10⁶, two of them together: 49 fits.",
    )
    if tune:
        if has_classes(dataset):
            st.caption(
                "The best of the grid is chosen by the labels, as in the paper. The honest figure "
                "chooses on one half of the runs and scores on the other, by the labels too."
            )
        else:
            st.caption("The best of the grid is chosen by the very measure that is shown.")
    init, function = _more(methods)
    if not methods or counts is None or not fits:
        return Settings(None)
    return Settings(
        ComparisonRequest(
            sha256=dataset.sha256,
            methods=methods,
            n_features=counts,
            n_seeds=int(seeds),
            n_clusters=int(clusters),
            init=init,
            tune=bool(tune),
            labelled=has_classes(dataset),
            spec_function=function,
        )
    )


def read_counts(text: str, dataset: Dataset) -> tuple[tuple[int, ...] | None, str]:
    """Read numbers of features; the second is one sentence when they make no sense."""
    nouns, most = dataset.nouns, dataset.n_features
    parts = [part for part in re.split(r"[\s,;]+", text) if part]
    if not parts or not all(re.fullmatch(r"[0-9]{1,9}", part) for part in parts):
        return None, "Write whole numbers separated by commas, such as 10, 20, 50."
    counts = tuple(sorted({int(part) for part in parts}))
    if counts[0] < 1:
        return None, f"At least 1 {nouns.feature} must be selected."
    if counts[-1] > most:
        return None, (
            f"{nouns.a_sample.capitalize()} has {nouns.count_features(most)}, so "
            f"{counts[-1]:,} cannot be selected: ask for at most {most:,}."
        )
    return counts, ""


def _about_labels(dataset: Dataset) -> None:
    samples = dataset.nouns.samples
    instead = "silhouette, stability and reconstruction error, which need none"
    if dataset.target is None:
        st.info(
            f"These {samples} have no labels, and ACC and NMI need them. The methods are compared "
            f"by {instead}."
        )
    elif not has_classes(dataset):
        st.info(
            f"All {samples} have the same label, and ACC and NMI need at least two classes. The "
            f"methods are compared by {instead}."
        )


def _clusters(dataset: Dataset, clusters: int) -> bool:
    nouns = dataset.nouns
    if clusters > dataset.n_samples:
        one = dataset.n_samples == 1
        st.error(
            f"There {'is' if one else 'are'} {nouns.count_samples(dataset.n_samples)} for "
            f"{clusters:,} clusters: "
            + ("bring more." if one else f"ask for at most {dataset.n_samples:,}.")
        )
        return False
    if not has_classes(dataset):
        st.caption("Without classes the number of clusters is yours to set.")
    elif clusters == n_classes(dataset):
        st.caption(
            f"The number of clusters is read from the labels: {clusters} classes. K-means and some "
            "methods are told it."
        )
    else:
        st.caption(
            f"The labels have {n_classes(dataset)} classes. ACC maps every cluster to one class at "
            "most, so that another number of clusters costs it."
        )
    return True


def _more(methods: tuple[str, ...]) -> tuple[str, str]:
    with st.expander("More", icon=":material/settings:"):
        init = st.segmented_control(
            "Starts of K-means",
            list(_INITS),
            format_func=_INITS.__getitem__,
            key=keys.COMPARE_INIT,
            required=True,
            persist_state="session",
            help="Random: the same random samples for every method, as in the paper. k-means++: "
            "samples far from each other.",
        )
        function = st.segmented_control(
            "SPEC’s function",
            list(_SPEC),
            format_func=_SPEC.__getitem__,
            key=keys.COMPARE_SPEC,
            required=True,
            persist_state="session",
            disabled="spec" not in methods,
            help="φ₂ equals the Laplacian Score, so φ₁ is taken unless you say otherwise.",
        )
    return str(init), str(function)
