"""One run looked at: its name, what it was made with, files, its data, another beside it."""

from __future__ import annotations

import time

import streamlit as st

from cspca.runs.run_files import run_files
from cspca.runs.store import CellState, RunRecord, StoreError
from cspca.ui import keys
from cspca.ui.plain import plain, words
from cspca.ui.runs_page import work
from cspca.ui.runs_page.beside import beside
from cspca.ui.services import services, sweeps
from cspca.ui.takeaway.files import File, file_buttons


def details(run: RunRecord, runs: tuple[RunRecord, ...]) -> None:
    """Draw all that can be done with a run."""
    with st.container(key=keys.BOX_RUN_DETAILS, gap="small"):
        left, right = st.columns([3, 2], gap="large")
        with left:
            key = f"{keys.RUN_NAME}_{run.id}"
            st.session_state.setdefault(key, run.name)
            st.text_input(
                "Name",
                key=key,
                max_chars=200,
                on_change=work.rename,
                args=(run.id, key),
                disabled=not work.may_change(run.id),
            )
            _failure(run)
            words(_made_with(run), "small")
        with right:
            st.caption("From a shell")
            st.code(f"python -m cspca runs show {run.id}", language="sh", wrap_lines=True)
        if run.n_done:
            st.caption("Take it with you")
            file_buttons(run.name, _files(run), ready=True)
            beside(run, runs)
        if not work.may_change(run.id):
            st.caption("A link to look: only who began this run can rename, stop or delete it.")
            return
        with st.container(horizontal=True, horizontal_alignment="distribute"):
            _data(run)
            st.button(
                "Delete",
                key=f"{keys.RUN_DELETE}_{run.id}",
                icon=":material/delete:",
                on_click=work.delete,
                args=(run,),
                help="Puts it in the trash; it can be taken out again for 30 days.",
            )


def _files(run: RunRecord) -> list[File]:
    return [
        File(f"{keys.RUN_FILE}_{number}_{run.id}", one.label, one.name, one.make, one.help)
        for number, one in enumerate(run_files(sweeps().store, run))
    ]


def _failure(run: RunRecord) -> None:
    if not run.n_failed:
        return
    try:
        failed = sweeps().store.cells(run.id, state=CellState.FAILED)
        why = failed[0].error if failed else None
    except StoreError as problem:
        why = str(problem)
    if why:
        st.warning(
            f"{run.n_failed:,} steps could not be computed: {plain(why)}", icon=":material/warning:"
        )


def _made_with(run: RunRecord) -> str:
    began = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(run.created))
    made = "; ".join(", ".join(f"{k} {v}" for k, v in one.items()) for one in run.versions)
    seeds = f" {len(run.seeds):,} seeds." if run.seeds else ""
    shape = f"{run.data.n_samples:,} × {run.data.n_features:,}"
    return f"Asked for {began}. {run.data.name}: {shape}.{seeds} Made with {made}."


def _data(run: RunRecord) -> None:
    """Offer to keep the data too, where they are somebody's own and at hand."""
    if run.data.builtin:
        return
    key = f"{keys.RUN_KEEP_DATA}_{run.id}"
    if run.data.kept:
        st.button(
            "Forget its data",
            key=key,
            icon=":material/database_off:",
            on_click=work.keep_data,
            args=(run,),
            help="Removes the data from the server’s disk; what was found stays.",
        )
        return
    data = work.data_of(run)
    if data is None:
        st.caption(plain(work.NO_DATA.format(name=run.data.name)))
        return
    size = services().library.get(data).data.nbytes / 2**20
    st.button(
        f"Keep its data too ({size:,.1f} MB)",
        key=key,
        icon=":material/database:",
        on_click=work.keep_data,
        args=(run,),
        help="On the server’s disk, so that it can be opened and gone on with after a restart. "
        "Otherwise only their fingerprint is kept.",
    )
