"""Why something was not read: one sentence, beside what asked for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from cspca.datasets import Candidate
from cspca.ui import keys
from cspca.ui.data_page import draft
from cspca.ui.plain import plain


def refused(place: str, stays: str = "") -> None:
    """Draw the refusal of what was brought or fetched here, and the choice that would mend it.

    Parameters
    ----------
    place : str
        As in `draft.Asked`.
    stays : str, default=""
        A sentence that says what is shown all the same.
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

    Parameters
    ----------
    field : str
        Of `ReadChoices`.
    in_words : callable or None
        Says the answer in words; None where the question still shows it.
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
