"""The sections of the Outliers page, one at a time, at first the first one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.ui import fields, keys, state
from cspca.ui.outliers_page import new_images, own, phase, planted, subspace

SECTIONS: Final[dict[str, Callable[[state.View, Dataset], None]]] = {
    "ruined": planted.section,
    "own": own.section,
    "new": new_images.section,
    "subspace": subspace.section,
    "map": phase.section,
}
"""By the name in the address."""


def titles(dataset: Dataset) -> dict[str, str]:
    """Return the titles of the sections by name; only images can be ruined."""
    samples = dataset.nouns.samples
    sections = {
        "ruined": f"Ruined {samples}",
        "own": f"Your own {samples}",
        "new": f"New {samples}",
        "subspace": "Hidden subspace",
        "map": "Phase map",
    }
    if dataset.kind != "pixels":
        del sections["ruined"]
    return sections


def body(view: state.View, dataset: Dataset) -> None:
    """Draw the chosen section."""
    sections = titles(dataset)
    first = next(iter(sections))
    linked = state.linked_part()
    if linked is not None:
        st.session_state[keys.OUTLIERS_SECTION] = linked if linked in sections else first
    if linked == "ruined" and linked not in sections:
        state.add_notice(
            f"{dataset.name} has no images that could be ruined: its own "
            f"{dataset.nouns.samples} are ranked here instead."
        )
        # Notices stand at the top of the page, which is drawn already.
        st.rerun()
    chosen = fields.views("What to look at", sections, keys.OUTLIERS_SECTION, wrap=True)
    state.show_part("" if chosen == first else chosen)
    SECTIONS[chosen](view, dataset)
