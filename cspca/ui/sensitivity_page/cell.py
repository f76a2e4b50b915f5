"""One cell of the grid: its numbers, and the way to Explore."""

from __future__ import annotations

import html
import math
from typing import Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.figures.penalty_grid import REGIMES
from cspca.figures.words import power
from cspca.runs.sweeps import Sensitivity
from cspca.ui import keys, scale, state
from cspca.ui.sensitivity_page.measures import OF_CLUSTERS, best_cell, with_spread
from cspca.ui.sensitivity_page.reading import Limits

_SURE: Final = 1e-9


def selected_cell(grid: Sensitivity) -> tuple[int, int]:
    """Return the cell that is looked at: the one chosen, else the best, else one in the middle."""
    chosen = st.session_state.get(keys.GRID_CELL)
    if chosen is not None and chosen[0] in grid.alphas and chosen[1] in grid.betas:
        return grid.alphas.index(chosen[0]), grid.betas.index(chosen[1])
    middle = len(grid.alphas) // 2, len(grid.betas) // 2
    # While it runs the best one changes, and with it what is shown, until one is chosen.
    return best_cell(grid, "accuracy") or middle


def choose(alpha: float, beta: float) -> None:
    """Look at another cell from now on."""
    st.session_state[keys.GRID_CELL] = alpha, beta


def _chosen_by_hand() -> None:
    session = st.session_state
    choose(session[keys.GRID_ALPHA], session[keys.GRID_BETA])


def cell_panel(
    grid: Sensitivity, cell: tuple[int, int], dataset: Dataset, limits: Limits | None
) -> None:
    """Draw the choice of a cell, what it says, and the button that opens it in Explore."""
    with st.container(key=keys.BOX_GRID_CELL):
        st.subheader("One point of it", anchor=False)
        st.caption("Click a cell of the map, or choose here.")
        session = st.session_state
        session[keys.GRID_ALPHA], session[keys.GRID_BETA] = (
            grid.alphas[cell[0]],
            grid.betas[cell[1]],
        )
        left, right = st.columns(2)
        with left:
            st.selectbox(
                "α", grid.alphas, format_func=power, key=keys.GRID_ALPHA, on_change=_chosen_by_hand
            )
        with right:
            st.selectbox(
                "β", grid.betas, format_func=power, key=keys.GRID_BETA, on_change=_chosen_by_hand
            )
        facts = _facts(grid, cell, dataset)
        if not facts:
            st.info("This point is not computed yet.", icon=":material/hourglass_empty:")
        else:
            lines = "".join(
                f"<span>{html.escape(name)} <b>{html.escape(value)}</b></span>"
                for name, value in facts
            )
            st.html(f'<div class="cspca-facts">{lines}</div>')
            words = _regime_words(grid, cell, dataset)
            if words:
                st.caption(words)
        _open(grid, cell, limits)


def _facts(grid: Sensitivity, cell: tuple[int, int], dataset: Dataset) -> list[tuple[str, str]]:
    fits = grid.fits
    if not math.isfinite(fits["objective"][cell]):
        return []
    found = [
        (label, with_spread(grid, name, cell))
        for name, label in zip(OF_CLUSTERS, ("ACC", "NMI"), strict=True)
        if name in grid.means and math.isfinite(grid.means[name][cell])
    ]
    gap, zeros = float(fits["duality_gap"][cell]), int(fits["n_zero"][cell])
    regime = grid.regimes[cell[0]][cell[1]]
    return [
        *found,
        ("certified gap", f"{100 * gap:.2g} %" if gap > _SURE else "0 %"),
        ("rank", f"{int(fits['rank'][cell]):,}"),
        ("exactly zero", f"{zeros:,} of {dataset.nouns.count_features(dataset.n_features)}"),
        ("objective", f"{float(fits['objective'][cell]):.6g}"),
        ("iterations", f"{int(fits['n_iter'][cell]):,}"),
        *([("regime", REGIMES[regime][1])] if regime else []),
    ]


def _regime_words(grid: Sensitivity, cell: tuple[int, int], dataset: Dataset) -> str:
    regime, many = grid.regimes[cell[0]][cell[1]], dataset.nouns.features
    if regime == "zero":
        return (
            f"W is zero: no {dataset.nouns.feature} is used, and the best k are only those that "
            "would be used first."
        )
    if regime == "identity":
        return f"W is the identity: all {many} tie, so which of them are the best k means nothing."
    return ""


def explore_at(
    grid: Sensitivity, cell: tuple[int, int], limits: Limits | None
) -> tuple[float, float] | None:
    """Return the stops of Explore's sliders nearest to a cell; None while they are not known."""
    alpha, beta = grid.alphas[cell[0]], grid.betas[cell[1]]
    if grid.penalty_scale == "absolute":
        if limits is None:
            return None
        alpha, beta = alpha / limits.alpha_max, beta / limits.beta_max
    return scale.snap(alpha), scale.snap(beta)


def _open(grid: Sensitivity, cell: tuple[int, int], limits: Limits | None) -> None:
    at = explore_at(grid, cell, limits)
    pressed = st.button(
        "Open in Explore",
        key=keys.GRID_OPEN,
        icon=":material/tune:",
        on_click=_go if at is not None else None,
        args=(at, grid.n_features) if at is not None else (),
        disabled=at is None,
        width="stretch",
    )
    if grid.penalty_scale == "absolute" and limits is not None and at is not None:
        st.caption(
            f"Explore counts in fractions: α is {grid.alphas[cell[0]] / limits.alpha_max:.3g} of "
            f"α_max = {limits.alpha_max:.4g} and β is {grid.betas[cell[1]] / limits.beta_max:.3g} "
            f"of β_max = {limits.beta_max:.4g}. It opens at the nearest stops of its sliders, "
            f"{scale.say(at[0])} and {scale.say(at[1])}."
        )
    if pressed:
        st.switch_page("pages/explore.py", query_params=state.address())


def _go(at: tuple[float, float], n_features: int | None) -> None:
    """Set the view to a cell (a button's callback)."""
    values = {
        keys.PRESET: None,
        keys.MODE: "penalties",
        keys.ALPHA: at[0],
        keys.BETA: at[1],
        keys.PATH: at[0],
        keys.SOLVER: "admm",
        # The grid is fitted so.
        keys.CENTER: True,
        keys.NORMALIZE: False,
    }
    if n_features is not None:
        values[keys.TOP_K] = n_features
    for key, value in values.items():
        st.session_state[key] = value
    state.set_job(None)
