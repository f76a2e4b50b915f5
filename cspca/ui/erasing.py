"""Retention of a visitor's data, and their permanent removal after a typed confirmation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import streamlit as st

from cspca.experiments.ledger import LEDGER
from cspca.experiments.limits import limits
from cspca.experiments.log import hashed
from cspca.figures.words import megabytes
from cspca.ui import keys, visitor
from cspca.ui.plain import button, noticed
from cspca.ui.services import erase, runs, services
from cspca.ui.uploads import UPLOADS

WORD: Final = "remove"
"""Word that the visitor types to confirm a permanent removal."""


def retention() -> str:
    """Return in one sentence how long the server keeps uploads and runs."""
    allowed = limits()
    hours, days, trash = allowed.upload_hours, allowed.run_days, allowed.trash_days
    saved = f"for {_count(days, 'day')} after they were last worked on" if days else "until deleted"
    if visitor.is_owner():
        saved = "until deleted"
    return (
        "What you upload, and what is made of it, stays in the memory of this server, for "
        f"{_count(hours, 'hour')} from its arrival at most; runs and the data kept with them are "
        f"on its disk {saved}, in the trash for {_count(trash, 'day')}."
    )


def offer(place: str) -> None:
    """Draw the retention sentence, and the button that removes all data of the visitor."""
    with st.container(horizontal=True, vertical_alignment="center", key=f"erasing_{place}"):
        st.caption(retention(), width="stretch")
        removal("Remove my data now", f"erase_{place}", _everything, _erase)


def report() -> None:
    """Draw a summary of the data that were just removed, if any."""
    removed = st.session_state.get(keys.ERASED)
    if removed is not None:
        st.success(removed, icon=":material/check:")


def removal(
    label: str, key: str, describe: Callable[[], str], remove: Callable[[], object]
) -> None:
    """Draw a button with a dialog for a permanent removal, confirmed by typing :data:`WORD`.

    Parameters
    ----------
    label : str
        Label of the button, and title of its dialog.
    key : str
        Key of the button.
    describe : callable
        Returns sentences on the number and the size of the data that will be removed.
    remove : callable
        Removes the data.
    """
    session = st.session_state
    button(label, key, "delete_forever", session.update, {keys.REMOVING: key})
    if session.get(keys.REMOVING) == key:
        # The page may be redrawn while the dialog is open: its state is in the session.
        ask = st.dialog(label, on_dismiss=_close, icon=":material/delete_forever:")
        ask(_ask_for_word)(describe, remove)


def _ask_for_word(describe: Callable[[], str], remove: Callable[[], object]) -> None:
    st.markdown(describe())
    with st.form("removal", border=False):
        typed = st.text_input(f"Type {WORD} to confirm", key=keys.REMOVAL_WORD, max_chars=20)
        pressed = st.form_submit_button(
            "Remove for good",
            key="remove_for_good",
            type="primary",
            icon=":material/delete_forever:",
        )
    if not pressed:
        return
    if typed.strip().casefold() != WORD:
        st.error(f"Nothing was removed: type {WORD}, then press the button.")
        return
    _close()
    noticed(remove)
    st.rerun()


def _close() -> None:
    st.session_state.pop(keys.REMOVING, None)


def _everything() -> str:
    """Describe the data that “Remove my data now” will remove."""
    owner = hashed(visitor.secret())
    n_sets = len(services().library.sets_of(visitor.secret()))
    n_bytes = LEDGER.held(owner) + UPLOADS.by_visitor().get(owner, 0)
    n_runs, on_disk = runs().store.usage().get(owner[:8], (0, 0))
    note = " of this machine’s user, those of a shell too" if visitor.is_owner() else ""
    return (
        f"Removes at once and for good **{_count(n_sets, 'data set')}** that you uploaded or "
        f"changed, with their fits and films ({megabytes(n_bytes)} of memory), and "
        f"**{_count(n_runs, 'run')}**{note}, the trash included (at most {megabytes(on_disk)} on "
        "disk). Built-in sets stay."
    )


def describe_trash() -> str:
    """Describe the visitor's runs in the trash, which will be removed."""
    owner = visitor.secret()
    count, n_bytes = runs().store.in_trash(owner)
    return (
        f"Removes **{_count(count, 'run')}** in the trash for good, at most {megabytes(n_bytes)} "
        "on disk: results that other runs share stay."
    )


def _erase() -> None:
    removed = erase(visitor.secret())
    visitor.forget_session()
    st.session_state[keys.ERASED] = removed


def _count(number: float, what: str) -> str:
    return f"{number:,g} {what}{'' if number == 1 else 's'}"
