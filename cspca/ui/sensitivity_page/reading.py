"""What a run holds, read once as often as it changes."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from cspca.runs.store import CellState
from cspca.runs.sweeps import RANK, Sensitivity, SweepView, sensitivity_of
from cspca.ui import keys
from cspca.ui.services import sweeps


@dataclass(frozen=True)
class Limits:
    """Penalties at which nothing is left, absolute."""

    alpha_max: float
    beta_max: float


def grid_of(run: SweepView) -> Sensitivity:
    """Return the grid as far as it got."""
    at = run.run.id, run.run.n_done
    kept = st.session_state.get(keys.GRID_DRAWN)
    if kept is None or kept[0] != at:
        kept = at, sensitivity_of(sweeps().store, run.run.id)
        st.session_state[keys.GRID_DRAWN] = kept
    grid: Sensitivity = kept[1]
    return grid


def limits_of(run: SweepView) -> Limits | None:
    """Return the largest penalties of the data, which any finished fit knows."""
    for cell in sweeps().store.cells(run.run.id, step=RANK, state=CellState.DONE):
        details = (cell.result or {}).get("details", {})
        if "alpha_max" in details:
            return Limits(float(details["alpha_max"]), float(details["beta_max"]))
    return None


def failure_of(run: SweepView) -> str | None:
    """Return why the first of the cells that failed did."""
    if not run.run.n_failed:
        return None
    failed = sweeps().store.cells(run.run.id, state=CellState.FAILED)
    return failed[0].error if failed else None
