"""While a set is being read: how far it is, and Cancel; afterwards why it was refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import streamlit as st

from cspca.datasets import Candidate
from cspca.experiments.jobs import Job
from cspca.ui import keys
from cspca.ui.data_page import draft
from cspca.ui.guard import guarded
from cspca.ui.plain import plain
from cspca.ui.services import services

POLL: Final = 0.25
"""Seconds between two looks."""

_LONGEST: Final = 20
"""Characters of a file's name beside the bar: it must not grow while one looks."""


def waiting(progress: Job | None, where: str = "", *, narrow: bool = False) -> None:
    """Draw the bar while there is something to wait for; when it ends, run the page once more.

    `where` tells two bars on one page apart; on a narrow one Cancel stands below.
    """
    if progress is None:
        return
    job = progress.id

    @st.fragment(run_every=POLL)
    @guarded
    def stage() -> None:
        now = services().loading.jobs.view(job)
        if now is None or not now.state.active:
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
                disabled=now.stopping,
                width="content",
            )

    stage()


def _words(now: Job) -> str:
    name, half = now.snapshot.name, _LONGEST // 2
    name = name if len(name) <= _LONGEST else f"{name[:half]}…{name[-half + 1 :]}"
    if now.position is not None:
        return plain(f"{name}: waiting, number {now.position} in the queue")
    if now.stopping:
        return plain(f"{name}: stopping")
    return plain(f"{name}: {now.snapshot.words} ({100 * now.snapshot.fraction:.0f} %)")


def refused(place: str, stays: str = "") -> None:
    """Draw the refusal of what was brought or fetched here, and the choice that would mend it.

    `stays` is a sentence that says what is shown all the same.
    """
    refusal = draft.refusal(place)
    if refusal is None:
        return
    with st.container(key=f"{keys.BOX_REFUSED}_{place}"):
        st.error(plain(refusal.sentence), icon=":material/error:")
        if stays:
            st.caption(plain(stays))
        options = refusal.options
        if options is not None and options.data:
            _choice("Which array holds the images?", place, "data", options.data)
        elif options is not None and options.labels:
            _choice("Which classes, then?", place, "labels", options.labels)


def _choice(question: str, place: str, field: str, among: Sequence[Candidate]) -> None:
    words = {one.name: f"{one.name} ({one.words})" if one.words else one.name for one in among}
    key = f"{keys.CHOICE}_refused_{place}" + ("" if field == "data" else f"_{field}")
    st.selectbox(
        question,
        list(words),
        format_func=lambda name: words[name] or "none",
        index=None,
        placeholder="Choose one",
        key=key,
        on_change=lambda: draft.choose_refused(place, field, st.session_state[key]),
    )


def refused_answer(field: str, in_words: Callable[[Any], str] | None) -> None:
    """Draw, under a question, why an answer was not taken; the question shows what still holds.

    `in_words` says the answer; None where the question still shows it.
    """
    refusal = draft.refusal(field)
    if refusal is None:
        return
    answer = refusal.asked.answer
    with st.container(key=f"{keys.BOX_REFUSED}_{field}"):
        said = ""
        if in_words is not None:
            said = f"“{answer if isinstance(answer, str) else in_words(answer)}” was not taken. "
        st.error(plain(f"{said}{refusal.sentence}"), icon=":material/error:")
