"""Runs: everything that was computed here and kept."""

import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.store import StoreError
from cspca.ui import frame, state, visitor
from cspca.ui.guard import button
from cspca.ui.plain import plain
from cspca.ui.runs_page import narrowed, rows, undo, watch
from cspca.ui.services import runs


def body(view: state.View, dataset: Dataset) -> None:
    page, address = st.session_state.pop("open_run", ("", None))
    if page:
        st.switch_page(page, query_params=address or state.address())
    try:
        note = runs().store.note
        if note:
            st.warning(plain(note), icon=":material/warning:")
        undo()
        seen = runs().store.runs(visitor.sight())
        listed = narrowed()
        if listed:
            rows(listed)
        else:
            empty()
        watch(seen)
        remove_all()
    except StoreError as problem:
        st.error(plain(str(problem)), icon=":material/error:")
    if not visitor.is_owner():
        st.caption(visitor.how_to_own())


def empty() -> None:
    """Say why there is nothing, and what to do."""
    session = st.session_state
    if session.get("runs_trash"):
        st.info("The trash is empty.", icon=":material/delete:")
        return
    if session.get("runs_search") or session.get("runs_kind"):
        st.info(
            "No run matches: search for less, or choose another kind.", icon=":material/search:"
        )
        return
    whose = "Nothing is kept yet" if visitor.is_owner() else "Nothing of yours is kept yet"
    st.info(
        f"{whose}. A comparison or a grid is kept as it is computed, a fit when you ask for it.",
        icon=":material/database:",
    )
    with st.container(horizontal=True):
        state.link("pages/compare.py", "Compare methods", ":material/leaderboard:")
        state.link("pages/sensitivity.py", "Run a grid", ":material/grid_on:")
        state.link("pages/explore.py", "Explore, and keep a fit", ":material/tune:")


def remove_all() -> None:
    """Offer a visitor to remove all that is theirs, at once and for good."""
    if visitor.is_owner() or not runs().store.runs(visitor.sight()):
        return
    with st.popover("Remove my runs now", icon=":material/delete_forever:"):
        st.caption("All your runs and what belongs to them, at once and for good.")
        call = runs().store.erase, visitor.secret()
        button("Remove them", "runs_erase", "delete_forever", *call)


def lead() -> str:
    """Say what the page shows."""
    if visitor.is_owner():
        return (
            "Everything that was computed on this machine, from the browser or a shell, kept until "
            "you delete it."
        )
    return (
        "Your runs are private: this browser lists them, and nobody else’s. Whoever has the "
        "address of one can look at it, and change nothing."
    )


frame.page(title="What was computed?", lead=lambda nouns: lead(), body=body)
