"""The steps by which a data set was read, in a box of their own."""

from __future__ import annotations

import streamlit as st

from cspca.datasets import Dataset
from cspca.datasets.steps_in_words import sentences_of_steps
from cspca.ui.plain import plain
from cspca.ui.programs import fold, is_drawn


def draw_steps(dataset: Dataset, label: str, key: str) -> None:
    """Draw a box with a sentence for each step; nothing where no step is known."""
    sentences = sentences_of_steps(dataset)
    if not sentences:
        return
    with (box := fold(st.expander, label, key)):
        if is_drawn(box):
            st.markdown("\n".join(f"- {plain(sentence)}" for sentence in sentences))
