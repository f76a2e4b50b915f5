"""While a set is being read: how far it is, and Cancel."""

from __future__ import annotations

from typing import Final

import streamlit as st

from cspca.runs.loading import LoadProgress
from cspca.ui import keys
from cspca.ui.data_page import draft
from cspca.ui.guard import guarded
from cspca.ui.plain import plain
from cspca.ui.services import services

POLL: Final = 0.25
"""Seconds between two looks."""

_LONGEST: Final = 20
"""Characters of a file's name beside the bar: it must not grow while one looks."""


def waiting(progress: LoadProgress | None, where: str = "", *, narrow: bool = False) -> None:
    """Draw the bar while there is something to wait for; when it ends, run the page once more.

    Parameters
    ----------
    progress : LoadProgress or None
    where : str, default=""
        Tells two bars on one page apart.
    narrow : bool, default=False
        Cancel stands under the bar rather than beside it.
    """
    if progress is None:
        return
    job = progress.job.id

    @st.fragment(run_every=POLL)
    @guarded
    def stage() -> None:
        now = services().loading.progress(job)
        if now is None or not now.active:
            st.rerun()
        with st.container(
            key=f"{keys.BOX_LOADING}{where}", horizontal=not narrow, vertical_alignment="center"
        ):
            st.progress(min(1.0, max(0.0, now.snapshot.fraction)), text=_words(now))
            st.button(
                "Cancel",
                key=f"{keys.CANCEL_LOAD}{where}",
                icon=":material/close:",
                on_click=draft.cancel,
                disabled=now.job.stopping,
                width="content",
            )

    stage()


def _words(now: LoadProgress) -> str:
    name = _shortened(now.snapshot.name)
    if now.job.position is not None:
        return plain(f"{name}: waiting, number {now.job.position} in the queue")
    if now.job.stopping:
        return plain(f"{name}: stopping")
    share = f"{100 * now.snapshot.fraction:.0f} %"
    return plain(f"{name}: {now.snapshot.words} ({share})")


def _shortened(name: str) -> str:
    half = _LONGEST // 2
    return name if len(name) <= _LONGEST else f"{name[:half]}…{name[-half + 1 :]}"
