"""The Compare page: the pages of three kinds of experiments, as tabs."""

from __future__ import annotations

from typing import Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.ui import (
    compare_page,
    convergence_page,
    fields,
    frame,
    keys,
    menu,
    sensitivity_page,
    state,
)
from cspca.ui.experiment_page import ExperimentPage

PAGES: Final[dict[str, ExperimentPage]] = {
    "compare": compare_page.PAGE,
    "sensitivity": sensitivity_page.PAGE,
    "convergence": convergence_page.PAGE,
}
"""Tabs by the kinds of their experiments, as in `menu.TABS`."""


def draw() -> None:
    """Draw the page, with the selected tab or that of the address."""
    shown = PAGES[st.session_state.get(keys.VIEW_TAB, state.View.tab)]
    frame.page("compare", shown.question, shown.lead, _body)


def _body(view: state.View, dataset: Dataset) -> None:
    if not state.bare():
        fields.views("What to compare", menu.TABS, keys.VIEW_TAB)
    PAGES[view.tab].show(view, dataset)
