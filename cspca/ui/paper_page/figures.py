"""The paper's three figures, as slices of what is kept: features, penalties, convergence."""

from __future__ import annotations

from typing import Final

import numpy as np
import streamlit as st

from cspca.datasets import Dataset
from cspca.evaluation.former import Comparison
from cspca.figures.convergence import convergence
from cspca.figures.penalty_grid import penalty_grid
from cspca.runs.paper import Findings, sensitivity_at
from cspca.runs.report.paper_figures import courses_of, curve_figure
from cspca.runs.sweeps import StartRow
from cspca.ui import keys
from cspca.ui.charts import show
from cspca.ui.paper_page.starts import NAMES
from cspca.ui.theme import is_dark

_LOOKS: Final = {"map": "Map", "bars": "Bars"}


def figures(known: Findings, dataset: Dataset) -> None:
    """Draw all three, as far as there is something to draw."""
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader(f"How many {dataset.nouns.features}?", anchor=False)
        _features(known.comparison, dataset)
        st.subheader("Does it converge?", anchor=False)
        _convergence(known.starts, dataset)
    with right:
        st.subheader("Where do α and β matter?", anchor=False)
        _sensitivity(known.comparison, dataset)


def _waiting(part: str) -> None:
    st.info(f"Not computed yet: press **Run** with “{part}” chosen.", icon=":material/start:")


def _features(comparison: Comparison | None, dataset: Dataset) -> None:
    many = dataset.nouns.features
    figure = None if comparison is None else curve_figure(comparison, many, dark=is_dark())
    if figure is None:
        _waiting("Tables and sensitivity")
        return
    with st.container(key=keys.BOX_PAPER_CURVE):
        show(figure, "paper_features", of=dataset.name, name="paper-features")
    st.caption(
        "CSPCA at α = β = 1, as the paper’s figure fixes them; bands: ± standard deviation over "
        "the starts of K-means."
    )


def _sensitivity(comparison: Comparison | None, dataset: Dataset) -> None:
    first = None if comparison is None else sensitivity_at(comparison)
    if comparison is None or first is None:
        _waiting("Tables and sensitivity")
        return
    counts = comparison.plan.method("cspca").n_features
    if st.session_state.get(keys.PAPER_K) not in counts:
        st.session_state[keys.PAPER_K] = first.n_features
    st.session_state.setdefault(keys.PAPER_LOOK, "map")
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        k = st.selectbox(
            f"Number of {dataset.nouns.features}", counts, key=keys.PAPER_K,
            persist_state="session",
        )  # fmt: skip
    with right:
        look = st.segmented_control(
            "Drawn as",
            list(_LOOKS),
            format_func=_LOOKS.__getitem__,
            key=keys.PAPER_LOOK,
            required=True,
            persist_state="session",
            label_visibility="collapsed",
            help="The paper draws bars.",
        )
    grid = sensitivity_at(comparison, int(k))
    assert grid is not None
    axes, values = (grid.alphas, grid.betas), 100.0 * grid.means["accuracy"]
    figure = penalty_grid(
        *axes, values, grid.regimes, value_title="ACC, %", bars=look == "bars", dark=is_dark()
    )
    with st.container(key=keys.BOX_PAPER_GRID):
        show(figure, f"paper_grid_{look}", of=dataset.name, name="paper-sensitivity")
    flat = [name for row in grid.regimes for name in row if name is not None]
    words = f"Absolute α and β, as printed. Of {len(flat)} pairs "
    words += f"{flat.count('zero')} give W = 0"
    if "identity" in flat:
        words += f" and {flat.count('identity')} give W = I"
    words += (
        f", where every {dataset.nouns.feature} ties in the map itself; "
        f"{flat.count('sparse')} have some {dataset.nouns.features} exactly zero."
    )
    if np.isfinite(values).all():
        words += f" ACC goes from {values.min():.1f} to {values.max():.1f} %."
    st.caption(words)


def _convergence(starts: tuple[StartRow, ...], dataset: Dataset) -> None:
    inits = list(dict.fromkeys(row.init for row in starts))
    if not inits:
        _waiting("Seven starts and convergence")
        return
    if st.session_state.get(keys.PAPER_START) not in inits:
        st.session_state[keys.PAPER_START] = inits[0]
    init = st.selectbox(
        "Start", inits, format_func=lambda one: NAMES.get(one, one), key=keys.PAPER_START,
        persist_state="session",
    )  # fmt: skip
    figure = convergence(courses_of(starts, init), log_x=True, dark=is_dark())
    with st.container(key=keys.BOX_PAPER_COURSE):
        show(figure, "paper_convergence", of=dataset.name, name="paper-convergence")
    st.caption(
        "The objective at α = β = 1 against the iteration, its proven lower bound dashed. What "
        "looks flat after ten iterations need not have arrived."
    )
