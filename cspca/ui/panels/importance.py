"""The main picture: the importance of every pixel or feature, live, then with ranks."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from cspca.datasets import Dataset, Skeleton
from cspca.datasets.record import Floats
from cspca.figures.skeleton import skeleton_svg
from cspca.runs.fits import FitProgress
from cspca.ui import keys, state
from cspca.ui.components.body import body
from cspca.ui.components.pixel_map import pixel_map
from cspca.ui.plain import words
from cspca.ui.theme import is_dark


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
        below: AbstractContextManager[object] = nullcontext()
        if dataset.skeleton is not None:
            _body(scores, dataset.skeleton, stale=stale)
            below = st.expander("Every feature by itself")
        before = st.session_state.get(keys.PIXEL)
        with below:
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


def _body(scores: Floats, skeleton: Skeleton, *, stale: bool) -> None:
    """Draw the scores of a pose descriptor on a body, and say what is drawn."""
    svg = skeleton_svg(scores, skeleton.joints, skeleton.bones, skeleton.pose, dark=is_dark())
    body(svg, key="importance_body", stale=stale)
    words(
        f"A pose in {skeleton.n_features} numbers: {skeleton.reading}. The score of a joint is "
        "the root of the sum of squares of those of its three coordinates. "
        f"{skeleton.note}".rstrip(),
        "small",
    )
