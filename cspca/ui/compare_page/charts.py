"""Charts of the Compare page: bars, curves, overlap, times; drawn when results arrive."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from cspca.datasets import Dataset
from cspca.evaluation.former import Comparison
from cspca.figures.compare import (
    Bar,
    Curve,
    TimeBar,
    alt_feature_curves,
    alt_overlap,
    alt_score_bars,
    alt_times,
    feature_curves,
    overlap_heatmap,
    score_bars,
    time_bars,
)
from cspca.selection import METHODS
from cspca.ui.compare_page.words import METRICS, curve_of, overlap_of, rows_of
from cspca.ui.takeaway import chart_config
from cspca.ui.theme import is_dark


def bars(comparison: Comparison, metric: str) -> None:
    """Draw the honest figure of every method with its error bar."""
    how = METRICS[metric]
    shown = [
        Bar(
            row.title,
            METHODS[row.method].class_name,
            (row.honest or row.best).mean,
            (row.honest or row.best).std,
            row.mark,
        )
        for row in rows_of(comparison, metric)
    ]
    _draw(
        score_bars(shown, how.title, dark=is_dark(), as_percent=how.percent),
        "compare_bars",
        alt_score_bars(shown, how.title, as_percent=how.percent),
    )
    st.caption("The honest figures of the table, mean ± standard deviation over the runs.")


def curves(comparison: Comparison, metric: str, dataset: Dataset) -> None:
    """Draw every method against the number of features, with its best parameters at each."""
    how = METRICS[metric]
    shown = []
    for row in rows_of(comparison, metric):
        points = curve_of(comparison, row.method, metric)
        shown.append(
            Curve(
                row.title,
                METHODS[row.method].class_name,
                [point.n_features for point in points],
                [point.summary.mean for point in points],
                [point.summary.std for point in points],
            )
        )
    many = dataset.nouns.features
    _draw(
        feature_curves(shown, how.title, dark=is_dark(), as_percent=how.percent, features=many),
        "compare_curves",
        alt_feature_curves(shown, how.title, as_percent=how.percent, features=many),
    )
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
    _draw(
        overlap_heatmap(titles, shared, dark=is_dark()),
        "compare_overlap",
        alt_overlap(titles, shared),
    )
    nouns = dataset.nouns
    st.caption(
        f"Jaccard overlap of the best {nouns.count_features(n_features)}: those that both methods "
        "select, as a share of those that either selects."
    )


def times(comparison: Comparison, metric: str) -> None:
    """Draw what every method costs."""
    shown = [
        TimeBar(
            row.title,
            METHODS[row.method].class_name,
            row.selection_seconds,
            row.clustering_seconds,
        )
        for row in rows_of(comparison, metric)
    ]
    _draw(time_bars(shown, dark=is_dark()), "compare_times", alt_times(shown))


def _draw(figure: go.Figure, key: str, alt: str) -> None:
    st.plotly_chart(
        figure,
        key=key,
        alt=alt,
        theme=None,
        config=chart_config("comparison", key.removeprefix("compare_")),
        width="stretch",
    )
