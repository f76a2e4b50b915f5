"""Runs: everything that was computed here and kept."""

import streamlit as st

from cspca.datasets import Dataset
from cspca.runs.store import StoreError
from cspca.ui import frame, keys, state, visitor
from cspca.ui.plain import plain
from cspca.ui.runs_page import work
from cspca.ui.runs_page.listing import narrowed, rows, watch
from cspca.ui.services import sweeps


def body(view: state.View, dataset: Dataset) -> None:
    page = st.session_state.pop(keys.RUN_OPEN, None)
    if page:
        st.switch_page(page, query_params=state.address())
    try:
        sweeps()
    except StoreError as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return
    try:
        undo()
        seen = sweeps().store.stamp()
        runs = narrowed()
        if runs:
            rows(runs)
        else:
            empty()
        watch(seen)
        if not visitor.is_owner():
            st.caption(visitor.how_to_own())
    except StoreError as problem:
        st.error(plain(str(problem)), icon=":material/error:")


def undo() -> None:
    """Offer to take back what was deleted last."""
    deleted = st.session_state.get(keys.RUN_DELETED)
    if deleted is None or sweeps().store.get(deleted[0]).deleted is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.info(f"**{plain(deleted[1])}** is in the trash.", icon=":material/delete:")
        st.button(
            "Undo",
            key=keys.RUN_UNDO,
            icon=":material/undo:",
            on_click=work.restore,
            args=(deleted[0],),
        )


def empty() -> None:
    """Say why there is nothing, and what to do."""
    session = st.session_state
    if session.get(keys.RUNS_TRASH):
        st.info("The trash is empty.", icon=":material/delete:")
        return
    if session.get(keys.RUNS_SEARCH) or session.get(keys.RUNS_KIND):
        st.info(
            "No run matches: search for less, or choose another kind.", icon=":material/search:"
        )
        return
    kept = "A comparison or a grid is kept as it is computed, a fit when you ask for it"
    if visitor.is_owner():
        st.info(
            f"Nothing is kept yet. {kept}; what a shell on this machine computes appears here too.",
            icon=":material/database:",
        )
    else:
        st.info(f"Nothing of yours is kept yet. {kept}.", icon=":material/database:")
    with st.container(horizontal=True):
        state.link("pages/compare.py", "Compare methods", ":material/leaderboard:")
        state.link("pages/sensitivity.py", "Run a grid", ":material/grid_on:")
        state.link("pages/explore.py", "Explore, and keep a fit", ":material/tune:")


def lead() -> str:
    """Say what the page shows."""
    if visitor.is_owner():
        return (
            "Everything that was computed on this machine, from the browser or a shell, kept until "
            "you delete it."
        )
    return (
        "Your runs are private: listed are those that you began in this browser or were given the "
        "link of. A link lets others look at a run, not rename, stop or delete it."
    )


frame.page(title="What was computed?", lead=lambda nouns: lead(), body=body)
