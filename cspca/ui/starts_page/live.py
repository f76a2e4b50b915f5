"""The starts on the page: begin, find again, follow, stop, go on."""

from __future__ import annotations

import time
from typing import Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.runs.store import StoreError, store_home
from cspca.runs.sweeps import SweepView, sweep_of
from cspca.ui import keys, state
from cspca.ui.compare_page.live import time_left
from cspca.ui.guard import guarded
from cspca.ui.plain import plain
from cspca.ui.reach import remote
from cspca.ui.sensitivity_page.live import IN_TRASH, POLL, status
from cspca.ui.services import sweeps
from cspca.ui.starts_page import settings
from cspca.ui.starts_page.request import StartsRequest, request_of, usual

REDRAW: Final = 4.0
"""Seconds that figures stand still at least while results come in."""

OTHER: Final = (
    "The run of this link is of another data set than the one in use: open that one, or run the "
    "starts on this one."
)
OTHER_KIND: Final = "The run of this link is none of the seven starts: run them."


def attach(view: state.View, dataset: Dataset) -> SweepView | None:
    """Return the starts of this data set, if there are any, and set the controls to them."""
    session, run_id = st.session_state, state.starts_run(view.data)
    other_data = session.get(keys.STARTS_FOR) != dataset.sha256
    if run_id is None and other_data:
        run_id = _earlier(usual(dataset), dataset)
        state.set_starts_run(view.data, run_id)
    found = _found(run_id, dataset) if run_id is not None else None
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
            if store.get(run_id).complete and (run_id in known or not remote()):
                return run_id
    except (ValueError, OSError):
        # A store that cannot be read is spoken of when somebody wants something of it.
        return None
    return None


def _found(run_id: str, dataset: Dataset) -> SweepView | None:
    try:
        found = sweeps().view(run_id)
    except StoreError as problem:
        st.info(plain(str(problem)), icon=":material/info:")
        return None
    why = ""
    if found.run.kind != "starts":
        why = OTHER_KIND
    elif found.run.data.sha256 != dataset.sha256:
        why = OTHER
    elif found.run.deleted is not None:
        why = IN_TRASH
    if why:
        st.info(why, icon=":material/info:")
    return None if why else found


def buttons(view: state.View, run: SweepView | None, asked: StartsRequest) -> None:
    """Draw what it takes and the button that starts it, or the one that stops it."""
    if run is not None and run.here:
        stopping = run.job is not None and run.job.stopping
        st.button(
            "Stopping after this step…" if stopping else "Stop, keep what is done",
            key=keys.STARTS_STOP,
            icon=":material/stop_circle:",
            on_click=stop,
            disabled=stopping,
            width="stretch",
        )
        return
    st.button(
        "Run both solvers",
        key=keys.STARTS_RUN,
        type="primary",
        icon=":material/play_circle:",
        on_click=start,
        args=(view.data, asked),
        disabled=run is not None and run.active,
        width="stretch",
    )
    clustered = f" and {asked.n_clusterings:,} clusterings" if asked.n_clusterings else ""
    st.caption(
        f"Seven starts, both solvers: 14 fits{clustered}{_estimate(run, asked)}. What was computed "
        "before is not computed again, and every step is kept."
    )


def _estimate(run: SweepView | None, asked: StartsRequest) -> str:
    """Say how long it takes, going by the run on screen."""
    if run is None or not run.run.n_done or run.run.seconds <= 0:
        return "; how long that takes is said after the first start"
    words = time_left(asked.n_steps / run.run.n_done * run.run.seconds).removesuffix(" left")
    return f", {words} of computing, going by this one"


def start(data: str, asked: StartsRequest) -> None:
    """Begin (a button's callback)."""
    try:
        run_id = sweeps().start(data, asked.sweep, known_ids=state.may_go_on_with())
        # Where all is known already the result is there in no time.
        sweeps().join(run_id, timeout=0.3)
    except ValueError as problem:
        state.add_notice(str(problem))
        return
    state.set_starts_run(data, run_id)
    st.session_state[keys.STARTS_SHOWN] = run_id


def stop() -> None:
    """Stop the run on screen (a button's callback)."""
    run_id = state.starts_run(state.current_view().data)
    if run_id is not None:
        sweeps().stop(run_id)
        sweeps().join(run_id, timeout=0.5)


def resume() -> None:
    """Go on with the run on screen (a button's callback)."""
    data = state.current_view().data
    run_id = state.starts_run(data)
    if run_id is not None:
        try:
            sweeps().resume(run_id, data)
        except ValueError as problem:
            state.add_notice(str(problem))


def follow(run: SweepView) -> None:
    """Draw where a run stands, again and again while it runs.

    Every few seconds the whole page runs once more, so that it shows what came in.
    """
    run_id, began, n_done = run.run.id, time.monotonic(), run.run.n_done
    stopping = run.job is not None and run.job.stopping

    @st.fragment(run_every=POLL if run.active else None)
    @guarded
    def stage() -> None:
        now = sweeps().view(run_id)
        if run.active:
            now_stopping = now.job is not None and now.job.stopping
            more = now.run.n_done > n_done and time.monotonic() - began > REDRAW
            if not now.active or now_stopping != stopping or more:
                st.rerun()
        with st.container(key=keys.BOX_STARTS_STATUS):
            status(now)

    stage()
    # Not in the fragment, which would go on looking at the job that was stopped.
    if run.can_resume:
        st.button(
            "Go on",
            key=keys.STARTS_RESUME,
            icon=":material/play_circle:",
            on_click=resume,
            help="Computes the rest only.",
        )
