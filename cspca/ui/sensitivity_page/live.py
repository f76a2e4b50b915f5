"""The grid on the page: which one, and what it takes."""

from __future__ import annotations

from typing import Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.runs.sweeps import SweepView, sweep_of
from cspca.ui import keys, state
from cspca.ui.sensitivity_page import settings
from cspca.ui.sensitivity_page.request import GridRequest, request_of, usual
from cspca.ui.services import sweeps
from cspca.ui.sweep_stage import SweepStage, estimate

OTHER: Final = (
    "The run of this link is of another data set than the one in use: open that one, or run a new "
    "grid."
)
OTHER_KIND: Final = "The run of this link is no grid of α and β: run a new grid."

STAGE: Final = SweepStage(
    kind="sensitivity",
    label="Run the grid",
    other_data=OTHER,
    other_kind=OTHER_KIND,
    shown=keys.GRID_SHOWN,
    run=keys.GRID_RUN,
    stop=keys.GRID_STOP,
    resume=keys.GRID_RESUME,
    box=keys.BOX_GRID_STATUS,
    run_of=state.grid_run,
    set_run=state.set_grid_run,
)
follow = STAGE.follow


def attach(view: state.View, dataset: Dataset) -> SweepView | None:
    """Return the grid of this data set, if there is one, and set the controls to it."""
    session, run_id = st.session_state, state.grid_run(view.data)
    found = STAGE.find(run_id, dataset) if run_id is not None else None
    if run_id is not None and found is None:
        state.set_grid_run(view.data, None)
    other_data = session.get(keys.GRID_FOR) != dataset.sha256
    if found is not None and (other_data or session.get(keys.GRID_SHOWN) != found.run.id):
        asked = request_of(sweep_of(sweeps().store, found.run.id))
        if asked is not None:
            settings.show(asked, dataset)
        session[keys.GRID_SHOWN] = found.run.id
    elif found is None and other_data:
        settings.show(usual(dataset), dataset)
    settings.show(usual(dataset), dataset, only_missing=True)
    session[keys.GRID_FOR] = dataset.sha256
    return found


def buttons(view: state.View, run: SweepView | None, asked: GridRequest) -> None:
    """Draw what it takes and the button that starts it, or the one that stops it."""
    clustered = f" and {asked.n_clusterings:,} clusterings" if asked.n_clusterings else ""
    how_long = estimate(run, asked.n_fits + asked.n_clusterings, "ones")
    STAGE.buttons(view.data, run, asked, f"{asked.n_fits} fits{clustered}{how_long}")
