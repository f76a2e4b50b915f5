"""One sweep on a page: find it again, start it, follow it, stop it, go on."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.jobs import JobState
from cspca.runs.store import StoreError
from cspca.runs.sweeps import Sweep, SweepView
from cspca.ui import state, visitor
from cspca.ui.compare_page.live import time_left
from cspca.ui.guard import guarded
from cspca.ui.plain import plain
from cspca.ui.services import sweeps

POLL: Final = 0.4
"""Seconds between two looks at a running sweep."""

REDRAW: Final = 4.0
"""Seconds that figures stand still at least while results come in."""

IN_TRASH: Final = "The run of this link is in the trash: restore it on the Runs page."


class Request(Protocol):
    """What a visitor asks of a page: settings that make a sweep of a data set."""

    def sweep(self, dataset: Dataset) -> Sweep:
        """Make the sweep."""


@dataclass(frozen=True)
class SweepStage:
    """What distinguishes the pages that show one kind of sweep.

    Attributes
    ----------
    kind : str
        Of the runs.
    label : str
        Of the button that begins.
    other_data, other_kind : str
        What is said of a link to a run that does not belong here.
    shown, run, stop, resume, box : str
        Keys: of the run whose settings the controls show, of the three buttons, of the place of
        the status line.
    run_of, set_run
        Read and write which run a data set has on this page.
    """

    kind: str
    label: str
    other_data: str
    other_kind: str
    shown: str
    run: str
    stop: str
    resume: str
    box: str
    run_of: Callable[[str], str | None]
    set_run: Callable[[str, str | None], None]

    def find(self, run_id: str, dataset: Dataset) -> SweepView | None:
        """Return a run that belongs on this page; say why one does not."""
        try:
            found = sweeps().view(run_id)
        except StoreError as problem:
            st.info(plain(str(problem)), icon=":material/info:")
            return None
        why = ""
        if found.run.kind != self.kind:
            why = self.other_kind
        elif found.run.data.sha256 != dataset.sha256:
            why = self.other_data
        elif found.run.deleted is not None:
            why = IN_TRASH
        if why:
            st.info(why, icon=":material/info:")
        return None if why else found

    def buttons(self, data: str, run: SweepView | None, asked: Request, costs: str) -> None:
        """Draw the button that begins and what it takes, or the one that stops."""
        if run is not None and run.here:
            stopping = run.job is not None and run.job.stopping
            st.button(
                "Stopping after this step…" if stopping else "Stop, keep what is done",
                key=self.stop,
                icon=":material/stop_circle:",
                on_click=self._stop,
                disabled=stopping,
                width="stretch",
            )
            return
        st.button(
            self.label,
            key=self.run,
            type="primary",
            icon=":material/play_circle:",
            on_click=self._start,
            args=(data, asked),
            disabled=run is not None and run.active,
            width="stretch",
        )
        st.caption(
            f"{costs}. What was computed before is not computed again, and every step is kept."
        )

    def _start(self, data: str, asked: Request) -> None:
        try:
            run_id = sweeps().start(data, asked.sweep, known_ids=state.may_go_on_with())
            # Where all is known already the result is there in no time.
            sweeps().join(run_id, timeout=0.3)
        except ValueError as problem:
            state.add_notice(str(problem))
            return
        self.set_run(data, run_id)
        visitor.made(run_id)
        st.session_state[self.shown] = run_id

    def _stop(self) -> None:
        run_id = self.run_of(state.current_view().data)
        if run_id is not None:
            sweeps().stop(run_id)
            sweeps().join(run_id, timeout=0.5)

    def _resume(self) -> None:
        data = state.current_view().data
        run_id = self.run_of(data)
        if run_id is not None:
            try:
                sweeps().resume(run_id, data)
            except ValueError as problem:
                state.add_notice(str(problem))

    def follow(self, run: SweepView) -> None:
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
            with st.container(key=self.box):
                status(now)

        stage()
        # Not in the fragment, which would go on looking at the job that was stopped.
        if run.can_resume:
            st.button(
                "Go on",
                key=self.resume,
                icon=":material/play_circle:",
                on_click=self._resume,
                help="Computes the rest only.",
            )


def estimate(run: SweepView | None, n_steps: int, unit: str) -> str:
    """Say how long `n_steps` take, going by the run on screen."""
    if run is None or not run.run.n_done or run.run.seconds <= 0:
        return f"; how long that takes is said after the first {unit}"
    words = time_left(n_steps / run.run.n_done * run.run.seconds).removesuffix(" left")
    return f", {words} of computing, going by this one"


def status(run: SweepView) -> None:
    """Say where a sweep stands."""
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
