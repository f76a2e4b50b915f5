"""The sorted scores, with the cut at k and the exact zeros."""

from __future__ import annotations

import numpy as np
import streamlit as st

from cspca.figures.scores import score_curve_alt, score_curve_spec
from cspca.runs.records import FitResult
from cspca.ui import keys, pictures
from cspca.ui.theme import is_dark


def score_chart(result: FitResult | None, top_k: int, *, height: int = 240) -> None:
    """Draw the scores from best to worst; empty axes before there are any."""
    scores = np.empty(0) if result is None else np.sort(result.feature_scores)[::-1]
    cut = top_k if result is not None and result.model.regime_ in ("sparse", "dense") else None
    with st.container(key=keys.BOX_SCORES):
        spec = score_curve_spec(scores, cut, None, is_dark(), height=height)
        pictures.chart(spec, "scores", score_curve_alt(scores, cut))
