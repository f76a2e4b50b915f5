"""The tour: a dialog of three steps on Explore.

The dialog does not open by itself: the first page offers the tour to visitors who have not seen it,
and the sidebar and ``?tour=1`` start it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.figures.words import capitalised
from cspca.ui import keys, state, visitor

NEXT: Final = {
    "data": "Bring your own data",
    "compare": "Let the methods compete",
    "theory": "See why it works",
}
"""Pages to which the last step leads, with the labels of their buttons."""


def follow_link() -> None:
    """Start the tour if the address or a button requests it; go on while Explore is on screen."""
    session = st.session_state
    goal = session.pop(keys.TOUR_GOAL, None)
    if "tour" in st.query_params:
        _begin()
        goal = session.pop(keys.TOUR_GOAL)
    if goal is not None:
        address = {name: text for name, text in st.query_params.items() if name != "tour"}
        state.go(goal, address)
    session[keys.TOURING] = session.pop(keys.TOUR_SHOWN, False)


def button() -> None:
    """Draw the button that starts the tour."""
    options: dict[str, Any] = {"type": "tertiary", "help": "Three steps, about a minute."}
    st.button("Tour", key="tour_button", icon=":material/signpost:", on_click=_begin, **options)


def offer() -> None:
    """Draw the invitation to the tour, until the visitor takes or dismisses it."""
    if visitor.knows_tour():
        return
    with st.container(horizontal=True, key="tour_offer", gap=None, width="content"):
        icon = ":material/signpost:"
        st.button("Take the tour (1 min)", key="tour_offer_button", icon=icon, on_click=_begin)
        options: dict[str, Any] = {"type": "tertiary", "on_click": visitor.note_tour}
        hint = "No, thanks. It stays in the sidebar."
        st.button("", key="tour_offer_close", icon=":material/close:", help=hint, **options)


def show(dataset: Dataset) -> None:
    """Open the dialog if the tour is running."""
    session = st.session_state
    if not session.get(keys.TOURING):
        return
    session[keys.TOUR_SHOWN] = True
    st.dialog("Tour", on_dismiss=_end)(_card)(_steps(dataset))


def _card(steps: Sequence[tuple[str, str]]) -> None:
    """Draw one step with its buttons; the last step also has buttons to other pages."""
    session = st.session_state
    if not session.get(keys.TOUR_SHOWN):
        # A button redraws only the dialog: the rerun of the page closes it and opens the next page.
        st.rerun()
    number = session.setdefault(keys.TOUR_STEP, 0)
    title, words = steps[number]
    st.caption(f"{number + 1} of {len(steps)}")
    st.markdown(f"**{title}**")
    st.markdown(words)
    is_last = number == len(steps) - 1
    if is_last:
        for page, label in NEXT.items():
            st.button(label, key=f"tour_{page}", on_click=_end, args=(page,), width="stretch")
    with st.container(horizontal=True, horizontal_alignment="right"):
        if number:
            st.button("Back", key="tour_back", on_click=_turn, args=(number - 1,))
        if is_last:
            st.button("Close", key="tour_close", type="primary", on_click=_end)
        else:
            to_next: dict[str, Any] = {"type": "primary", "on_click": _turn, "args": (number + 1,)}
            st.button("Next", key="tour_next", **to_next)


def _steps(dataset: Dataset) -> tuple[tuple[str, str], ...]:
    """Return the title and the text of each step."""
    nouns = dataset.nouns
    importance = (
        f"{capitalised(nouns.features)} with a bar are used to rebuild every {nouns.sample}: the "
        "higher the bar, the more the map uses one, for itself and for others, at these penalties. "
        "Those without a bar are ignored. Point at one to see its score."
    )
    if dataset.kind == "pixels":
        importance = (
            f"Bright {nouns.features} are used to rebuild every {nouns.sample}: the brighter, the "
            "more the map uses one, for itself and for others, at these penalties. Black ones are "
            "ignored. Point at one to see its score."
        )
    return (
        (
            f"Which {nouns.features} matter",
            importance,
        ),
        (
            "The proof",
            "The objective falls, the lower bound rises. No solution, by any method, lies below "
            "the bound: where the two meet, nothing better exists. The badge says how close they "
            "are.",
        ),
        (
            "Your turn: drag α",
            f"Further right, on the whole fewer {nouns.features} stay. Wherever you let go, the "
            "fit is found and proven anew. The bar under the map plays it as a film. The menu has "
            "all pages, and this tour below it. What next?",
        ),
    )


def _begin() -> None:
    st.session_state[keys.TOUR_SHOWN] = True
    st.session_state[keys.TOUR_STEP] = 0
    st.session_state[keys.TOUR_GOAL] = "explore"
    visitor.note_tour()


def _turn(number: int) -> None:
    st.session_state[keys.TOUR_STEP] = number


def _end(page: str = "") -> None:
    """Close the dialog, and open a page if one is chosen."""
    st.session_state[keys.TOUR_SHOWN] = False
    if page:
        st.session_state[keys.TOUR_GOAL] = page
