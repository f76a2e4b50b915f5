"""The sorted scores, with the cut at k and the exact zeros; the best features by name."""

from __future__ import annotations

from typing import Final

import numpy as np
import streamlit as st

from cspca.datasets import Dataset
from cspca.figures.scores import score_curve
from cspca.runs.records import FitResult
from cspca.ui import keys
from cspca.ui.charts import show
from cspca.ui.theme import is_dark


def score_chart(dataset: Dataset, result: FitResult | None, top_k: int) -> None:
    """Draw the scores from best to worst; empty axes before there are any."""
    scores = np.empty(0) if result is None else np.sort(result.feature_scores)[::-1]
    cut = top_k if result is not None and result.model.regime_ in ("sparse", "dense") else None
    with st.container(key=keys.BOX_SCORES):
        figure = score_curve(scores, cut, feature=dataset.nouns.feature, dark=is_dark())
        show(figure, "scores", of=dataset.name, name="scores", heading=True)


MOST_LISTED: Final = 200
"""Features listed at most."""


def score_list(dataset: Dataset, result: FitResult | None, top_k: int) -> None:
    """List the best features by name, for data that are no pictures.

    Parameters
    ----------
    dataset : Dataset
    result : FitResult or None
    top_k : int
        How many, up to `MOST_LISTED`.
    """
    if result is None:
        st.caption("The list appears here when the fit is done.")
        return
    model = result.model
    if model.regime_ in ("identity", "zero") or model.alpha_ == 0 == model.beta_:
        st.caption("There is no ranking to list at these penalties.")
        return
    best = result.order[: min(top_k, MOST_LISTED)]
    names = dataset.feature_names
    st.dataframe(
        {
            "Rank": result.ranks[best],
            "Feature": [
                f"feature {number + 1}" if names is None else names[number]
                for number in best.tolist()
            ],
            "Score": result.feature_scores[best],
        },
        key="score_list",
        hide_index=True,
        column_config={
            "Rank": st.column_config.NumberColumn(width="small"),
            # Names come from files: a column of text shows them as they are.
            "Feature": st.column_config.TextColumn(width="large"),
            "Score": st.column_config.NumberColumn(
                format="%.4g", help="‖w_j‖; 0 is an exact zero.", width="small"
            ),
        },
    )
    if top_k > MOST_LISTED:
        st.caption(f"The first {MOST_LISTED} of {top_k:,}; the CSV has all.")
