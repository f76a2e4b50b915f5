"""Explore: the map of one fit, its components, its samples, and what halves select, as tabs."""

from __future__ import annotations

from typing import Final

import streamlit as st

from cspca.datasets import PICTURE_NOUNS, Dataset, Nouns
from cspca.ui import (
    components_page,
    explore_page,
    fields,
    frame,
    keys,
    menu,
    reproducibility_page,
    samples_page,
    state,
)

_FIRST: Final = "importance"


def _question(nouns: Nouns) -> str:
    return f"Which {nouns.features} matter?"


def _components_question(nouns: Nouns) -> str:
    return f"What is every {nouns.sample} rebuilt from?"


def _components_lead(nouns: Nouns) -> str:
    lead = "The principal axes of what the map rebuilds, compared with PCA’s."
    return lead if nouns != PICTURE_NOUNS else f"{lead} Orange adds, blue takes away."


def _samples_question(nouns: Nouns) -> str:
    return f"Which {nouns.samples} lie together?"


def _samples_lead(nouns: Nouns) -> str:
    return (
        f"Each {nouns.sample} on two components of the fit. Choose some, and see which "
        f"{nouns.features} tell them apart."
    )


def _lead(nouns: Nouns) -> str:
    if nouns == PICTURE_NOUNS:
        scores = "The brighter a pixel"
    else:
        scores = f"The higher the score of {nouns.a_feature}"
    # One line on a small screen, where all of the stage has to be in sight.
    return f"{scores}, the more the map uses it, for itself and for others, at these α, β."


def draw() -> None:
    """Draw the page, with the tab that is chosen or that the address names."""
    linked = state.linked_part()
    if linked is not None:
        st.session_state[keys.EXPLORE_TAB] = linked if linked in menu.EXPLORE_TABS else _FIRST
    page = reproducibility_page.PAGE
    question, lead, body = {
        "importance": (_question, _lead, _importance),
        "components": (_components_question, _components_lead, _components),
        "samples": (_samples_question, _samples_lead, _samples),
        "reproducibility": (page.question, page.lead, _reproducible),
    }[st.session_state.get(keys.EXPLORE_TAB, _FIRST)]
    frame.page(menu.FIRST, question, lead, body, _tabs)


def _tabs() -> None:
    fields.views("What to see", menu.EXPLORE_TABS, keys.EXPLORE_TAB)


def _importance(view: state.View, dataset: Dataset) -> None:
    state.show_part("")
    explore_page.body(view, dataset)


def _components(view: state.View, dataset: Dataset) -> None:
    state.show_part("components")
    components_page.body(view, dataset)


def _samples(view: state.View, dataset: Dataset) -> None:
    state.show_part("samples")
    samples_page.body(view, dataset)


def _reproducible(view: state.View, dataset: Dataset) -> None:
    state.show_part("reproducibility")
    reproducibility_page.draw(view, dataset)
