"""The grid drawn: a map with the regimes over it, its cells clickable, or as the paper's bars."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import streamlit as st

from cspca.datasets import Dataset
from cspca.figures.penalty_grid import penalty_grid
from cspca.figures.words import power
from cspca.runs.sweeps import Sensitivity
from cspca.ui import keys
from cspca.ui.charts import show
from cspca.ui.sensitivity_page.cell import choose
from cspca.ui.sensitivity_page.measures import (
    OF_CLUSTERS,
    Measure,
    best_cell,
    measures,
    table,
    with_spread,
)
from cspca.ui.theme import is_dark

_LOOKS: Final = {"map": "Map", "bars": "Bars, as in the paper"}


def measure_switch(dataset: Dataset, labelled: bool) -> str:
    """Draw the switch of what colours the grid; return the name of the measure."""
    known = measures(dataset.nouns)
    names = [name for name, measure in known.items() if labelled or not measure.clustered]
    if st.session_state.get(keys.GRID_MEASURE) not in names:
        st.session_state[keys.GRID_MEASURE] = names[0] if labelled else "n_zero"
    return str(
        st.segmented_control(
            "Colour by",
            names,
            format_func=lambda name: known[name].label,
            key=keys.GRID_MEASURE,
            required=True,
            wrap=True,
            persist_state="session",
        )
    )


def figure(
    grid: Sensitivity, name: str, dataset: Dataset, run_id: str, selected: tuple[int, int]
) -> None:
    """Draw the grid, and say what its colour rests on."""
    measure = measures(dataset.nouns)[name]
    st.session_state.setdefault(keys.GRID_LOOK, "map")
    look = st.segmented_control(
        "Drawn as",
        list(_LOOKS),
        format_func=_LOOKS.__getitem__,
        key=keys.GRID_LOOK,
        required=True,
        persist_state="session",
        label_visibility="collapsed",
    )
    values = table(grid, name, measure)
    with st.container(key=keys.BOX_GRID_FIGURE):
        _draw(grid, values, measure, run_id, selected, dataset.name, bars=look == "bars")
    unit = "fractions of α_max and β_max" if grid.penalty_scale == "relative" else "absolute"
    st.caption(f"{measure.words} α and β are {unit}.")
    if name in OF_CLUSTERS:
        best = best_cell(grid, name)
        if best is not None:
            _about_best(grid, name, measure, best)


def clicked(event: Any) -> tuple[int, int] | None:
    """Return the cell that a selection of the chart names; None where it names none."""
    points = event.get("selection", {}).get("points", []) if event else []
    for point in points:
        data = point.get("customdata")
        if data:
            return int(data[0]), int(data[1])
    return None


def _draw(
    grid: Sensitivity,
    values: np.ndarray[Any, np.dtype[np.float64]],
    measure: Measure,
    run_id: str,
    selected: tuple[int, int],
    of: str,
    *,
    bars: bool,
) -> None:
    drawn = penalty_grid(
        grid.alphas,
        grid.betas,
        values,
        grid.regimes,
        value_title=measure.title,
        bars=bars,
        selected=None if bars else selected,
        dark=is_dark(),
    )
    if bars:
        show(drawn, f"{keys.GRID_CHART}_bars", of=of, name="sensitivity")
        return
    key = f"{keys.GRID_CHART}_{run_id}"

    def take() -> None:
        cell = clicked(st.session_state.get(key))
        if cell is not None:
            choose(grid.alphas[cell[0]], grid.betas[cell[1]])

    show(drawn, key, of=of, name="sensitivity", on_select=take, selection_mode="points")


def _about_best(grid: Sensitivity, name: str, measure: Measure, best: tuple[int, int]) -> None:
    known = grid.means[name][np.isfinite(grid.means[name])]
    noise = float(np.nanmedian(grid.stds[name]))
    st.markdown(
        f"**Best of the grid**: {measure.label} {with_spread(grid, name, best)} at "
        f"α = {power(grid.alphas[best[0]])}, β = {power(grid.betas[best[1]])}. "
        f"Over {known.size} points it goes from {100 * known.min():.1f} to "
        f"{100 * known.max():.1f} %; the starts of K-means alone spread it by "
        f"± {100 * noise:.1f} at a usual point. The largest of many numbers is too good: an honest "
        "figure chooses α and β on other runs, as Compare does."
    )
