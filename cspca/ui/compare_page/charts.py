"""Charts of the Compare page: bars, curves, overlap, times; drawn when results arrive."""

from __future__ import annotations

import streamlit as st

from cspca.datasets import Dataset
from cspca.evaluation.former import Comparison
from cspca.figures.comparison import (
    comparison_bars,
    comparison_curves,
    comparison_overlap,
    comparison_times,
)
from cspca.runs.report.comparison import bars_table, curves_table, standing, times_table
from cspca.ui.charts import show
from cspca.ui.compare_page.words import METRICS, curve_of, overlap_of, rows_of
from cspca.ui.theme import is_dark


def bars(comparison: Comparison, metric: str) -> None:
    """Draw the honest figure of every method with its error bar."""
    how, table = METRICS[metric], bars_table(rows_of(comparison, metric))
    figure = comparison_bars(table, how.title, as_percent=how.percent, dark=is_dark())
    show(figure, "compare_bars", of="comparison", name="bars")
    st.caption("The honest figures of the table, mean ± standard deviation over the runs.")


def curves(comparison: Comparison, metric: str, dataset: Dataset) -> None:
    """Draw every method against the number of features, with its best parameters at each."""
    how, rows = METRICS[metric], rows_of(comparison, metric)
    points = [curve_of(comparison, row.method, metric) for row in rows]
    many = dataset.nouns.features
    figure = comparison_curves(
        curves_table(rows, points),
        how.title,
        **standing(rows),
        as_percent=how.percent,
        features=many,
        dark=is_dark(),
    )
    show(figure, "compare_curves", of="comparison", name="curves")
    tuned = any(len(plan.grid) > 1 for plan in comparison.plan.methods)
    chosen = ", with the parameters that are best there: best of grid, not the honest figure"
    st.caption(
        f"Mean over the runs at every number of {many}{chosen if tuned else ''}. "
        "Bands: ± standard deviation, of CSPCA and of All features."
    )


def overlap(comparison: Comparison, n_features: int, metric: str, dataset: Dataset) -> None:
    """Draw how much the selections of every two methods share."""
    titles, shared = overlap_of(comparison, n_features, metric)
    if len(titles) < 2:
        st.caption("Two methods that select are needed to see what they share.")
        return
    figure = comparison_overlap(titles, shared, dark=is_dark())
    show(figure, "compare_overlap", of="comparison", name="overlap")
    nouns = dataset.nouns
    st.caption(
        f"Jaccard overlap of the best {nouns.count_features(n_features)}: those that both methods "
        "select, as a share of those that either selects."
    )


def times(comparison: Comparison, metric: str) -> None:
    """Draw what every method costs."""
    figure = comparison_times(times_table(rows_of(comparison, metric)), dark=is_dark())
    show(figure, "compare_times", of="comparison", name="times")
