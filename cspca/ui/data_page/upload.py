"""Bringing one's own data in passing: read in the background and taken in use when it is read."""

from __future__ import annotations

from typing import Final

import streamlit as st

from cspca.datasets.files import FORMATS
from cspca.datasets.files.limits import MAX_BYTES
from cspca.ui import keys
from cspca.ui.data_page import draft
from cspca.ui.data_page.reading import refused, waiting
from cspca.ui.guard import guarded

MOST_MB: Final = MAX_BYTES // 2**20
_BAR: Final = 116
"""Height of a bar with two lines of words and Cancel below, in pixels."""


def uploader(where: str) -> None:
    """Draw the upload widget of one of `draft.QUICK`; good files become the data set in use."""
    key = widget_key(f"{keys.UPLOAD}_{where}")
    st.file_uploader(
        f"A {', '.join(FORMATS)} file, or several pictures",
        accept_multiple_files=True,
        max_upload_size=MOST_MB,
        key=key,
        on_change=arrived,
        args=(key, where),
        help="Read, and taken in use at once. What you bring stays in the memory of this server, "
        "for a day at most, and is reachable only through the address of your page.",
    )


def kept_place(where: str) -> None:
    """Draw the same as `state_of_reading` in a place that is kept, so that nothing moves."""
    with st.container(height="content" if draft.refusal(where) else _BAR, border=False):
        state_of_reading(where)


def state_of_reading(where: str) -> None:
    """Draw how far what was brought here is, or why it was refused."""
    progress = draft.reading(at_once=True)
    mine = draft.asked().place == where
    if where == "sidebar" or progress is None or mine:
        waiting(progress, f"_{where}", narrow=True)
    if progress is not None and mine and where != "sidebar":
        # The sidebar shows it on pages that have no place of their own for it; here it would be
        # the second on one page.
        st.html(f"<style>.st-key-{keys.BOX_LOADING}_sidebar {{display: none}}</style>")
    refused(where)


def widget_key(name: str) -> str:
    """Return the key of an upload widget: a new one after each round, which empties it.

    What has been read is then not held by the widget as well.
    """
    rounds = int(st.session_state.setdefault(keys.UPLOAD_ROUND, 0))
    return f"{name}_{rounds}" if rounds else name


@guarded
def arrived(key: str, place: str) -> None:
    """Begin to read what has just come, before the page is drawn."""
    files = [(file.name, file.getvalue()) for file in st.session_state.get(key) or ()]
    if not files:
        return
    st.session_state[keys.UPLOAD_ROUND] += 1
    drop_bad = bool(st.session_state.get(keys.DROP_BAD, False))
    draft.bring(files, drop_bad=drop_bad, place=place)
