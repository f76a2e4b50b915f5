"""What can be taken away from a comparison: tables as files, and the Python behind them."""

from __future__ import annotations

import re

import streamlit as st

from cspca.datasets import Dataset
from cspca.evaluation import Comparison
from cspca.runs.comparison_export import comparison_lines
from cspca.runs.comparison_records import ComparisonRequest
from cspca.ui import keys, state
from cspca.ui.panels.takeaway import recipe_of
from cspca.ui.plain import plain


def takeaway(
    view: state.View, dataset: Dataset, request: ComparisonRequest | None, comparison: Comparison
) -> None:
    """Draw the download buttons and the code, where the request says all of it."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", dataset.name).strip("-").lower() or "data"
    # Files are written on the click: made on every run they would be gone by the next.
    with st.container(horizontal=True):
        st.download_button(
            "Table as CSV",
            data=comparison.to_csv,
            file_name=f"cspca-{name}-comparison.csv",
            mime="text/csv",
            icon=":material/download:",
            key=keys.COMPARE_SUMMARY,
            on_click="ignore",
            help="One line a metric and method, every figure of the table with all its digits.",
        )
        st.download_button(
            "Every run as CSV",
            data=comparison.cells_to_csv,
            file_name=f"cspca-{name}-runs.csv",
            mime="text/csv",
            icon=":material/download:",
            key=keys.COMPARE_CELLS,
            on_click="ignore",
            help="One line a clustering: method, parameters, number selected, seed and what came "
            "out.",
        )
        st.download_button(
            "Table for LaTeX",
            data=lambda: comparison.to_latex(caption=f"Comparison on {dataset.name}."),
            file_name=f"cspca-{name}-comparison.tex",
            mime="text/x-tex",
            icon=":material/download:",
            key=keys.COMPARE_LATEX,
            on_click="ignore",
            help="Needs the package booktabs.",
        )
    if request is None:
        return
    recipe = recipe_of(view.data, dataset)
    st.code(comparison_lines(request, recipe), language="python", wrap_lines=True)
    words = "These lines give the same numbers; only times differ."
    if recipe.bring:
        words += f" Run them in a folder that holds {recipe.bring}."
    st.caption(plain(words))
