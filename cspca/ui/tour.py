"""The tour: five steps on Explore, each beside the thing that it speaks of.

Nothing covers the page unasked: Home offers the tour to who has not seen it in this browser, the
sidebar and ``?tour=1`` begin it.
"""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.ui import state, visitor
from cspca.ui.components import component

_MOUNT = component("tour")

_STAGE: Final = ".st-key-importance_map >>> "

# What on a phone stands at the top, whatever is scrolled below.
_STAYS: Final = f"{_STAGE}.stacked > .card"

NEXT: Final = {
    "data": "Bring your own images",
    "compare": "Let the methods compete",
    "theory": "See why it works",
}
"""Where the last step leads."""


def follow_link() -> None:
    """Begin where the address or a button asks for it; go on while Explore is on screen."""
    session = st.session_state
    goal = session.pop("tour_goal", None)
    if "tour" in st.query_params:
        _begin()
        goal = session.pop("tour_goal")
    if goal is not None:
        address = {name: text for name, text in st.query_params.items() if name != "tour"}
        state.go(goal, address)
    session["touring"] = session.pop("tour_shown", False)


def button() -> None:
    """Draw the button that begins."""
    how: dict[str, Any] = {"type": "tertiary", "help": "Five steps, about a minute."}
    st.button("Tour", key="tour_button", icon=":material/signpost:", on_click=_begin, **how)


def offer() -> None:
    """Draw the invitation, until it is taken up or put away in this browser."""
    if visitor.knows_tour():
        return
    with st.container(horizontal=True, key="tour_offer", gap=None, width="content"):
        icon = ":material/signpost:"
        st.button("Take the tour (1 min)", key="tour_offer_button", icon=icon, on_click=_begin)
        how: dict[str, Any] = {"type": "tertiary", "on_click": visitor.note_tour}
        said = "No, thanks. It stays in the sidebar."
        st.button("", key="tour_offer_close", icon=":material/close:", help=said, **how)


def show(dataset: Dataset) -> None:
    """Draw the tour, where it is under way."""
    session = st.session_state
    if not session.get("touring"):
        return
    session["tour_shown"] = True
    with st.container(key="tour"):
        _MOUNT(
            key="tour_card",
            data={"steps": _steps(dataset), "links": list(NEXT.values()), "stays": _STAYS},
            on_ended_change=_end,
            on_chosen_change=_end,
        )


def _steps(dataset: Dataset) -> list[dict[str, Any]]:
    """Each step: its title and words, what it speaks of, and on which sides of that it may stand.

    ``>>>`` leads into a component.
    """
    nouns = dataset.nouns
    found = [
        (
            f"Which {nouns.features} matter",
            f"Bright {nouns.features} are used to rebuild every {nouns.sample}: the brighter, the "
            "more the map uses one, for itself and for others, at these penalties. Black ones are "
            "ignored. Point at one to see its score.",
            f"{_STAGE}.pm-stage, .pm-key",
            ["left", "right", "below"],
        ),
        (
            "The proof",
            "The objective falls, the proven lower limit rises. No solution, by any method, lies "
            "below the limit: where the two meet, nothing better exists. The badge says how close "
            "they are.",
            f"{_STAGE}.course, .numbers",
            ["below", "left", "above"],
        ),
        (
            "Your turn: drag α",
            f"Further right, on the whole fewer {nouns.features} stay. Wherever you let go, the "
            "fit is found and proven anew. The bar under the map plays it as a film.",
            ".st-key-fit_alpha, .st-key-fit_keep",
            ["left", "below", "above"],
        ),
        (
            f"One {nouns.sample}, rebuilt",
            f"The {nouns.sample} itself, only the {nouns.features} in use, and all of it rebuilt "
            f"from these. Last, where the best {nouns.feature} helps: orange adds, blue takes "
            "away.",
            # On a phone that last one stands beside the map.
            f"{_STAGE}.original, .kept, .rebuilt, .stage:not(.stacked) .weights",
            ["above", "left", "below"],
        ),
        (
            "What next?",
            "You find all pages in the menu, and this tour below it.",
            "[data-testid=stSidebarNav]",
            ["right", "below"],
        ),
    ]
    if dataset.image_shape is None:
        del found[3]
    names = ("title", "words", "about", "sides")
    return [dict(zip(names, one, strict=True)) for one in found]


def _begin() -> None:
    st.session_state["tour_shown"] = True
    st.session_state["tour_goal"] = "explore"
    visitor.note_tour()


def _end() -> None:
    """Take the card away; go where it was asked to."""
    session = st.session_state
    session["tour_shown"] = False
    chosen = session["tour_card"].get("chosen")
    if isinstance(chosen, int) and 0 <= chosen < len(NEXT):
        session["tour_goal"] = [*NEXT][chosen]
