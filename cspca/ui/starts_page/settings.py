"""The controls of the starts, and the request they make."""

from __future__ import annotations

from typing import Any, Final, cast

import streamlit as st

from cspca.datasets import Dataset
from cspca.runs.comparison_records import has_classes
from cspca.ui import keys
from cspca.ui.starts_page.request import (
    LARGEST,
    MOST_SEEDS,
    PAPER_SEEDS,
    USUAL,
    USUAL_SEEDS,
    Scale,
    StartsRequest,
)

_SCALES: Final[dict[Scale, str]] = {"absolute": "As in the paper", "relative": "Fractions"}


def show(request: StartsRequest, dataset: Dataset, *, only_missing: bool = False) -> None:
    """Make the controls say what a request says; before they are drawn."""
    values: dict[str, Any] = {
        keys.STARTS_SCALE: request.scale,
        keys.STARTS_ALPHA: request.alpha,
        keys.STARTS_BETA: request.beta,
        keys.STARTS_CENTER: request.center,
        keys.STARTS_K: request.n_features or max(1, dataset.n_features // 2),
        keys.STARTS_SEEDS: request.n_seeds or USUAL_SEEDS,
    }
    for key, value in values.items():
        if not (only_missing and key in st.session_state):
            st.session_state[key] = value


def _usual_penalties() -> None:
    session = st.session_state
    session[keys.STARTS_ALPHA], session[keys.STARTS_BETA] = USUAL[session[keys.STARTS_SCALE]]


def settings(dataset: Dataset) -> StartsRequest:
    """Draw the controls and read them."""
    nouns = dataset.nouns
    scale = cast(
        Scale,
        st.segmented_control(
            "α and β",
            list(_SCALES),
            format_func=_SCALES.__getitem__,
            key=keys.STARTS_SCALE,
            required=True,
            on_change=_usual_penalties,
            persist_state="session",
            help="As in the paper: absolute values, 1 and 1 in its figure. Fractions: of the "
            f"penalties at which no {nouns.feature} is left, which mean the same on any data.",
        ),
    )
    most = LARGEST if scale == "absolute" else 1.0
    left, right = st.columns(2)
    with left:
        alpha = _penalty("α", keys.STARTS_ALPHA, most)
    with right:
        beta = _penalty("β", keys.STARTS_BETA, most)
    center = st.toggle(
        f"Subtract the mean {nouns.sample}",
        key=keys.STARTS_CENTER,
        persist_state="session",
        help="The paper does not say that it does; elsewhere in this program it is done.",
    )
    if not has_classes(dataset):
        st.caption(
            f"These {nouns.samples} have no classes, and ACC needs them: it is left out. "
            "Everything else needs no labels."
        )
        return StartsRequest(scale, alpha, beta, bool(center), None, 0)
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        k = st.number_input(
            f"k, {nouns.features}",
            1,
            dataset.n_features,
            key=keys.STARTS_K,
            persist_state="session",
            help=f"Rankings are held against each other by their k best {nouns.features}, and "
            f"K-means clusters the {nouns.samples} by them.",
        )
    with right:
        seeds = st.number_input(
            "Repetitions",
            1,
            MOST_SEEDS,
            key=keys.STARTS_SEEDS,
            persist_state="session",
            help=f"Starts of K-means a fit, the same for every fit. The paper takes {PAPER_SEEDS}.",
        )
    return StartsRequest(scale, alpha, beta, bool(center), int(k), int(seeds))


def _penalty(label: str, key: str, most: float) -> float:
    session = st.session_state
    # A fraction of 1 at most; absolute penalties have no such end.
    session[key] = min(max(float(session[key]), 0.0), most)
    return float(
        st.number_input(label, 0.0, most, key=key, format="%g", step=None, persist_state="session")
    )
