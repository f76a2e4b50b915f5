"""The sections of the Outliers page, one at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.ui import fields, state
from cspca.ui.outliers_page import haystack, own, phase, planted, unseen

SECTIONS: Final[dict[str, tuple[str, Callable[[state.View, Dataset], None]]]] = {
    "haystack": ("Haystack", haystack.section),
    "map": ("Phase map", phase.section),
    "pictures": ("Ruined pictures", planted.section),
    "own": ("Your own images", own.section),
    "unseen": ("Unseen", unseen.section),
}
"""By the name that an address has."""

_AT: Final = "outliers_section"


def body(view: state.View, dataset: Dataset) -> None:
    """Draw the section that is chosen."""
    wanted = state.part_brought()
    if wanted in SECTIONS:
        st.session_state[_AT] = wanted
    names = {name: title for name, (title, _) in SECTIONS.items()}
    chosen = fields.views("What to look at", names, _AT, wrap=True)
    st.session_state.setdefault("more_in_link", {})["part"] = {"part": chosen}
    SECTIONS[chosen][1](view, dataset)
