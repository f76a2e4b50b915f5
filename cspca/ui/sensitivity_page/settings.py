"""The controls of the grid, and the request they make."""

from __future__ import annotations

from typing import Any, Final, cast

import streamlit as st

from cspca.datasets import Dataset
from cspca.runs.comparison_records import has_classes
from cspca.ui import keys
from cspca.ui.sensitivity_page.request import (
    FRACTIONS,
    GRIDS,
    MOST_SEEDS,
    PAPER_SEEDS,
    USUAL_SEEDS,
    GridRequest,
    Scale,
)

_SCALES: Final[dict[Scale, str]] = {"relative": "Fractions", "absolute": "The paper’s grid"}


def show(request: GridRequest, dataset: Dataset, *, only_missing: bool = False) -> None:
    """Make the controls say what a request says; before they are drawn."""
    values: dict[str, Any] = {
        keys.GRID_SCALE: request.scale,
        keys.GRID_K: request.n_features or max(1, dataset.n_features // 2),
        keys.GRID_SEEDS: request.n_seeds or USUAL_SEEDS,
    }
    for key, value in values.items():
        if not (only_missing and key in st.session_state):
            st.session_state[key] = value


def settings(dataset: Dataset) -> GridRequest:
    """Draw the controls and read them."""
    nouns = dataset.nouns
    scale = cast(
        Scale,
        st.segmented_control(
            "Values of α and β",
            list(_SCALES),
            format_func=_SCALES.__getitem__,
            key=keys.GRID_SCALE,
            required=True,
            persist_state="session",
            help=f"Fractions of the penalties at which no {nouns.feature} is left: "
            f"{', '.join(f'{value:g}' for value in FRACTIONS)}. The paper’s: 10⁻⁶, 10⁻⁴, 10⁻², 1, "
            "10², 10⁴ and 10⁶, whatever the size of the data.",
        ),
    )
    n = len(GRIDS[scale])
    if scale == "absolute":
        st.caption(
            f"{n} × {n} absolute values, as printed. What they do depends on how many "
            f"{nouns.samples} there are and how bright they are."
            if dataset.image_shape is not None
            else f"{n} × {n} absolute values, as printed. What they do depends on the number and "
            f"size of the {nouns.samples}."
        )
    else:
        st.caption(f"{n} × {n} fractions of α_max and β_max: they mean the same on any data.")
    if not has_classes(dataset):
        st.info(
            f"These {nouns.samples} have no classes, and ACC and NMI need them: the grid shows "
            f"what the fits themselves say, such as rank and {nouns.features} that are exactly "
            "zero."
        )
        return GridRequest(scale, None, 0)
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        k = st.number_input(
            f"k, {nouns.features}",
            1,
            dataset.n_features,
            key=keys.GRID_K,
            persist_state="session",
            help=f"K-means clusters the {nouns.samples} by the k best {nouns.features} of every "
            "fit.",
        )
    with right:
        seeds = st.number_input(
            "Repetitions",
            1,
            MOST_SEEDS,
            key=keys.GRID_SEEDS,
            persist_state="session",
            help="Starts of K-means a point, the same at every point. "
            f"The paper takes {PAPER_SEEDS}.",
        )
    return GridRequest(scale, int(k), int(seeds))
