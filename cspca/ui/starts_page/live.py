"""The starts on the page: which run, and what it takes."""

from __future__ import annotations

from typing import Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.runs.store import store_home
from cspca.runs.sweeps import SweepView, sweep_of
from cspca.ui import keys, state, visitor
from cspca.ui.services import sweeps
from cspca.ui.starts_page import settings
from cspca.ui.starts_page.request import StartsRequest, request_of, usual
from cspca.ui.sweep_stage import SweepStage, estimate

OTHER: Final = (
    "The run of this link is of another data set than the one in use: open that one, or run the "
    "starts on this one."
)
OTHER_KIND: Final = "The run of this link is none of the seven starts: run them."

STAGE: Final = SweepStage(
    kind="starts",
    label="Run both solvers",
    other_data=OTHER,
    other_kind=OTHER_KIND,
    shown=keys.STARTS_SHOWN,
    run=keys.STARTS_RUN,
    stop=keys.STARTS_STOP,
    resume=keys.STARTS_RESUME,
    box=keys.BOX_STARTS_STATUS,
    run_of=state.starts_run,
    set_run=state.set_starts_run,
)
follow = STAGE.follow


def attach(view: state.View, dataset: Dataset) -> SweepView | None:
    """Return the starts of this data set, if there are any, and set the controls to them."""
    session, run_id = st.session_state, state.starts_run(view.data)
    other_data = session.get(keys.STARTS_FOR) != dataset.sha256
    if run_id is None and other_data:
        run_id = _earlier(usual(dataset), dataset)
        state.set_starts_run(view.data, run_id)
    found = STAGE.find(run_id, dataset) if run_id is not None else None
    if run_id is not None and found is None:
        state.set_starts_run(view.data, None)
    if found is not None and (other_data or session.get(keys.STARTS_SHOWN) != found.run.id):
        asked = request_of(sweep_of(sweeps().store, found.run.id), dataset)
        if asked is not None:
            settings.show(asked, dataset)
        session[keys.STARTS_SHOWN] = found.run.id
    elif found is None and other_data:
        settings.show(usual(dataset), dataset)
    settings.show(usual(dataset), dataset, only_missing=True)
    session[keys.STARTS_FOR] = dataset.sha256
    return found


def _earlier(asked: StartsRequest, dataset: Dataset) -> str | None:
    """Return a finished run of the same, if this visitor may see it; no store is made for it."""
    try:
        if not any(store_home().glob("runs.*")):
            return None
        store = sweeps().store
        same = store.find("starts", dataset.sha256, asked.sweep(dataset).to_record())
        known = state.known_runs()
        for run_id in same:
            if store.get(run_id).complete and (run_id in known or visitor.is_owner()):
                return run_id
    except (ValueError, OSError):
        # A store that cannot be read is spoken of when somebody wants something of it.
        return None
    return None


def buttons(view: state.View, run: SweepView | None, asked: StartsRequest) -> None:
    """Draw what it takes and the button that starts it, or the one that stops it."""
    clustered = f" and {asked.n_clusterings:,} clusterings" if asked.n_clusterings else ""
    how_long = estimate(run, asked.n_steps, "start")
    STAGE.buttons(
        view.data, run, asked, f"Seven starts, both solvers: 14 fits{clustered}{how_long}"
    )
