"""The list: what it is narrowed to, a row for every run, and what comes in meanwhile."""

from __future__ import annotations

import time
from datetime import tzinfo
from html import escape
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from cspca.experiments.jobs import JobState
from cspca.runs.store import RunRecord, RunState
from cspca.ui import keys, state, visitor
from cspca.ui.compare_page.live import time_left
from cspca.ui.guard import guarded
from cspca.ui.plain import plain
from cspca.ui.runs_page import work
from cspca.ui.runs_page.details import details
from cspca.ui.runs_page.words import KINDS, counted, kind_of, state_of, took, when
from cspca.ui.services import sweeps

POLL: Final = 0.8
"""Seconds between two looks at a run that is at work."""

WATCH: Final = 3.0
"""Seconds between two looks for what other visitors and programs do."""

PAGE: Final = 15
"""Runs listed at once."""

_ID: Final = 20
"""Characters from which on a search may be the id of a run."""


def narrowed() -> tuple[RunRecord, ...]:
    """Draw the search and what it is narrowed to; return the runs that are left."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        search = st.text_input(
            "Search",
            key=keys.RUNS_SEARCH,
            placeholder="Name or data"
            + ("" if visitor.is_owner() else ", or the id of a run that you were given"),
            icon=":material/search:",
            persist_state="session",
            max_chars=200,
        )
        kind = st.pills(
            "Kind",
            list(KINDS),
            format_func=lambda name: KINDS[name].title,
            key=keys.RUNS_KIND,
            wrap=True,
            persist_state="session",
        )
        trash = st.toggle("Trash", key=keys.RUNS_TRASH, persist_state="session")
    if len(search) >= _ID and search.strip() in sweeps().store:
        state.see(search.strip())
        search = ""
    found = sweeps().listed(
        search, remote=not visitor.is_owner(), known_ids=state.known_runs(), deleted=bool(trash)
    )
    return tuple(view.run for view in found if kind is None or view.run.kind == kind)


def rows(runs: tuple[RunRecord, ...]) -> None:
    """Draw a row for every run, the first ones at least."""
    most = int(st.session_state.get(keys.RUNS_SHOWN, PAGE))
    with st.container(key=keys.BOX_RUNS, gap="small"):
        for run in runs[:most]:
            _row(run, runs)
    if len(runs) > most:
        st.button(
            f"Show {min(PAGE, len(runs) - most)} more of {len(runs):,}",
            key=keys.RUNS_MORE,
            on_click=lambda: st.session_state.update({keys.RUNS_SHOWN: most + PAGE}),
        )


def watch(seen: str) -> None:
    """Run the page again when a run appears, is renamed, deleted, begun or ended anywhere.

    Parameters
    ----------
    seen : str
        The store's stamp from before the list was read.
    """

    @st.fragment(run_every=WATCH)
    @guarded
    def look() -> None:
        if sweeps().store.stamp() != seen:
            st.rerun()

    look()


def _row(run: RunRecord, runs: tuple[RunRecord, ...]) -> None:
    looked_at = st.session_state.get(keys.RUN_LOOKED_AT) == run.id
    active = run.state is RunState.RUNNING or (
        not run.complete and work.at_work(run.id) is not None
    )
    with st.container(key=f"{keys.BOX_RUN}_{run.id}", border=True, gap="small"):
        left, right = st.columns([8, 5], vertical_alignment="center")
        with left:
            st.html(_about(run, active=active))
        with right, st.container(horizontal=True, horizontal_alignment="right", gap="small"):
            _buttons(run, looked_at=looked_at, active=active)
        if active:
            _progress(run)
        elif run.error is not None:
            st.warning(plain(run.error), icon=":material/warning:")
        if looked_at:
            details(run, runs)


def _about(run: RunRecord, *, active: bool) -> str:
    kind = kind_of(run)
    facts = [
        kind.title,
        run.data.name,
        when(run.updated, time.time(), _zone()),
        # What tells runs of one name apart most often.
        *([f"{len(run.seeds):,} repetitions"] if len(run.seeds) > 1 else []),
        # What grows is said at the bar.
        *([] if active else [counted(run)]),
        *([f"{took(run.seconds)} of computing"] if run.seconds and not active else []),
    ]
    about = "".join(f"<span>{escape(fact)}</span>" for fact in facts)
    # A job that has just been begun is not in the store yet.
    state, said = (RunState.RUNNING, "Running") if active else (run.state, state_of(run))
    return (
        f'<p class="cspca-run"><b>{escape(run.name)}</b> '
        f'<span class="cspca-state cspca-{state}">{escape(said)}</span></p>'
        f'<div class="cspca-facts">{about}</div>'
    )


def _buttons(run: RunRecord, *, looked_at: bool, active: bool) -> None:
    if run.deleted is not None:
        if not work.may_change(run.id):
            return
        st.button(
            "Restore",
            key=f"{keys.RUN_RESTORE}_{run.id}",
            icon=":material/restore_from_trash:",
            on_click=work.restore,
            args=(run.id,),
        )
        return
    if run.state.resumable and not run.complete and not active and work.may_change(run.id):
        st.button(
            "Go on",
            key=f"{keys.RUN_GO_ON}_{run.id}",
            icon=":material/play_circle:",
            on_click=work.go_on,
            args=(run,),
            help="Computes the rest only.",
        )
    page = work.page_of(run)
    if page and run.request:
        st.button(
            "Open",
            key=f"{keys.RUN_OPEN}_{run.id}",
            icon=kind_of(run).icon,
            on_click=work.open_run,
            args=(run,),
        )
    st.button(
        "Less" if looked_at else "More",
        key=f"{keys.RUN_LOOK}_{run.id}",
        icon=":material/expand_less:" if looked_at else ":material/expand_more:",
        on_click=_look,
        args=(None if looked_at else run.id,),
        help="Rename, take away, hold against another, delete.",
    )


def _look(run_id: str | None) -> None:
    st.session_state[keys.RUN_LOOKED_AT] = run_id


def _progress(run: RunRecord) -> None:
    """Draw how far a run is, again and again."""

    @st.fragment(run_every=POLL)
    @guarded
    def stage() -> None:
        now = sweeps().view(run.id).run
        ours = work.at_work(run.id)
        if now.deleted is not None or (now.state is not RunState.RUNNING and ours is None):
            st.rerun()
        share = (now.n_done + now.n_failed) / max(now.n_cells, 1)
        doing = "Computing" if ours is not None else "Another program computes it"
        if ours is not None and ours.job.stopping:
            doing = "Stopping after this step"
        elif ours is not None and ours.job.state is JobState.QUEUED:
            doing = "Waiting"
        left = None if ours is None or ours.job.stopping else ours.remaining
        ends = "" if left is None else f" · {time_left(left)}"
        st.progress(share, f"{doing} · {now.n_done:,} of {now.n_cells:,} steps{ends}")
        if ours is not None and work.may_change(run.id):
            st.button(
                "Stop, keep what is done",
                key=f"{keys.RUN_STOP}_{run.id}",
                icon=":material/stop_circle:",
                on_click=work.stop,
                args=(now,),
                disabled=ours.job.stopping,
            )

    stage()


def _zone() -> tzinfo | None:
    """Where the visitor's clock is."""
    name = st.context.timezone
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError):
        return None
