"""A grid on the page: start it, find it again, follow it, stop it, go on."""

from __future__ import annotations

import time
from typing import Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.runs.jobs import JobState
from cspca.runs.store import StoreError
from cspca.runs.sweeps import SweepView, sweep_of
from cspca.ui import keys, state
from cspca.ui.compare_page.live import time_left
from cspca.ui.guard import guarded
from cspca.ui.plain import plain
from cspca.ui.sensitivity_page import settings
from cspca.ui.sensitivity_page.request import GridRequest, request_of, usual
from cspca.ui.services import sweeps

POLL: Final = 0.4
"""Seconds between two looks at a running grid."""

REDRAW: Final = 4.0
"""Seconds that the figure stands still at least while results come in."""

OTHER: Final = (
    "The run of this link is of another data set than the one in use: open that one, or run a new "
    "grid."
)
IN_TRASH: Final = "The run of this link is in the trash: restore it on the Runs page."
OTHER_KIND: Final = "The run of this link is no grid of α and β: run a new grid."


def attach(view: state.View, dataset: Dataset) -> SweepView | None:
    """Return the grid of this data set, if there is one, and set the controls to it."""
    session, run_id = st.session_state, state.grid_run(view.data)
    found = _found(run_id, dataset) if run_id is not None else None
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


def _found(run_id: str, dataset: Dataset) -> SweepView | None:
    try:
        found = sweeps().view(run_id)
    except StoreError as problem:
        st.info(plain(str(problem)), icon=":material/info:")
        return None
    why = ""
    if found.run.kind != "sensitivity":
        why = OTHER_KIND
    elif found.run.data.sha256 != dataset.sha256:
        why = OTHER
    elif found.run.deleted is not None:
        why = IN_TRASH
    if why:
        st.info(why, icon=":material/info:")
    return None if why else found


def buttons(view: state.View, run: SweepView | None, asked: GridRequest) -> None:
    """Draw what it takes and the button that starts it, or the one that stops it."""
    if run is not None and run.here:
        stopping = run.job is not None and run.job.stopping
        st.button(
            "Stopping after this step…" if stopping else "Stop, keep what is done",
            key=keys.GRID_STOP,
            icon=":material/stop_circle:",
            on_click=stop,
            disabled=stopping,
            width="stretch",
        )
        return
    st.button(
        "Run the grid",
        key=keys.GRID_RUN,
        type="primary",
        icon=":material/play_circle:",
        on_click=start,
        args=(view.data, asked),
        disabled=run is not None and run.active,
        width="stretch",
    )
    st.caption(
        f"{asked.n_fits} fits"
        + (f" and {asked.n_clusterings:,} clusterings" if asked.n_clusterings else "")
        + f"{_estimate(run, asked)}. What was computed before is not computed again, and every "
        "step is kept."
    )


def _estimate(run: SweepView | None, asked: GridRequest) -> str:
    """Say how long a grid takes, going by the one on screen."""
    if run is None or not run.run.n_done or run.run.seconds <= 0:
        return "; how long that takes is said after the first ones"
    share = (asked.n_fits + asked.n_clusterings) / run.run.n_done
    words = time_left(share * run.run.seconds).removesuffix(" left")
    return f", {words} of computing, going by this one"


def start(data: str, asked: GridRequest) -> None:
    """Start a grid (a button's callback)."""
    try:
        run_id = sweeps().start(data, asked.sweep, known_ids=state.may_go_on_with())
        # Where all is known already the result is there in no time.
        sweeps().join(run_id, timeout=0.3)
    except ValueError as problem:
        state.add_notice(str(problem))
        return
    state.set_grid_run(data, run_id)
    st.session_state[keys.GRID_SHOWN] = run_id


def stop() -> None:
    """Stop the grid on screen (a button's callback)."""
    run_id = state.grid_run(state.current_view().data)
    if run_id is not None:
        sweeps().stop(run_id)
        sweeps().join(run_id, timeout=0.5)


def resume() -> None:
    """Go on with the grid on screen (a button's callback)."""
    data = state.current_view().data
    run_id = state.grid_run(data)
    if run_id is not None:
        try:
            sweeps().resume(run_id, data)
        except ValueError as problem:
            state.add_notice(str(problem))


def follow(run: SweepView) -> None:
    """Draw where a grid stands, again and again while it runs.

    Every few seconds the whole page runs once more, so that the figure shows what came in.
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
        with st.container(key=keys.BOX_GRID_STATUS):
            status(now)

    stage()
    # Not in the fragment, which would go on looking at the job that was stopped.
    if run.can_resume:
        st.button(
            "Go on",
            key=keys.GRID_RESUME,
            icon=":material/play_circle:",
            on_click=resume,
            help="Computes the rest only.",
        )


def status(run: SweepView) -> None:
    """Say where a grid stands."""
    record, refusal = run.run, run.refusal
    if refusal is not None:
        st.error(plain(refusal), icon=":material/error:")
    over = record.n_done + record.n_failed
    share = over / max(record.n_cells, 1)
    counted = f"{record.n_done:,} of {record.n_cells:,} fits and clusterings"
    failed = f" · {record.n_failed:,} could not be computed" if record.n_failed else ""
    if run.here:
        job = run.job
        if job is not None and job.state is JobState.QUEUED:
            st.progress(share, "Waiting: others are running; this one starts by itself.")
            return
        doing = "Stopping after this step" if job is not None and job.stopping else "Computing"
        left = run.remaining
        ends = "" if left is None or (job is not None and job.stopping) else f" · {time_left(left)}"
        st.progress(share, f"{doing} · {counted}{failed}{ends}")
    elif run.active:
        st.progress(share, f"Another program computes it · {counted}{failed}")
    elif record.complete:
        st.progress(1.0, f"Done · {counted}{failed}{_took(record.seconds)}")
    else:
        st.progress(share, f"Stopped · {counted} are done and kept{failed}")


def _took(seconds: float) -> str:
    if seconds < 60:
        return f" · {seconds:,.1f} s of computing"
    return f" · {seconds / 60:,.1f} min of computing"
