"""The main picture: the importance of every pixel or feature, live, then with ranks."""

from __future__ import annotations

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from cspca.datasets import Dataset
from cspca.runs.fits import FitProgress
from cspca.ui import keys, state
from cspca.ui.components.pixel_map import pixel_map


def importance_map(
    progress: FitProgress, dataset: Dataset, *, top_k: int | None = None, height: int = 380
) -> None:
    """Draw the scores of a fit as they are now; the last good ones, dimmed, until there are any."""
    snapshot = progress.snapshot
    result = snapshot.result
    last = state.last_result(dataset)
    scores = snapshot.scores
    ranks: NDArray[np.int64] | None = None
    stale = scores is None
    if scores is None:
        scores = np.full(dataset.n_features, np.nan) if last is None else last.feature_scores
        ranks = None if last is None else last.ranks
    elif result is not None:
        ranks = result.ranks
        if result.model.regime_ in ("identity", "zero"):
            # All pixels tie: an order would be made up, so none is shown.
            ranks, top_k = np.ones(dataset.n_features, dtype=np.int64), None
    with st.container(key=keys.BOX_MAP):
        before = st.session_state.get(keys.PIXEL)
        chosen = pixel_map(
            scores,
            dataset.image_shape,
            key=keys.PIXEL_MAP,
            ranks=ranks,
            selected=before,
            top_k=top_k,
            height=height,
            stale=stale,
            label=f"Importance of the {dataset.nouns.features}",
            names=dataset.feature_names,
        )
    if chosen != before:
        st.session_state[keys.PIXEL] = chosen
        st.rerun()
