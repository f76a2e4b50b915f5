"""What is known about rendered faces beside what the fit found."""

from __future__ import annotations

from typing import Final

import numpy as np
import streamlit as st
from numpy.typing import ArrayLike

from cspca.datasets import Dataset
from cspca.figures.pictures import importance_alt, importance_rgb
from cspca.runs.records import FitResult
from cspca.ui import keys, pictures

_KNOWN: Final = {
    "identity": "from person to person",
    "light": "with the light",
    "expression": "with the expression",
}


def truth(dataset: Dataset, result: FitResult | None, *, stale: bool) -> None:
    """Draw the found map and the known ones, with how well their orders agree."""
    shape = dataset.image_shape
    if dataset.truth is None or shape is None or not st.session_state.get(keys.TRUTH):
        return
    st.subheader("Does it find what tells people apart?", anchor=False)
    if result is None:
        shown = [pictures.placeholder(shape, "Found by the fit")]
    else:
        found = result.feature_scores.reshape(shape)
        shown = [
            pictures.figure(
                importance_rgb(found), importance_alt(found), "Found by the fit", stale=stale
            )
        ]
    varies = np.ptp(dataset.data, axis=0) > 0
    variance = dataset.data.var(axis=0)[varies]
    for name, words in _KNOWN.items():
        known = np.asarray(getattr(dataset.truth, name))
        caption = f"Known: how much a pixel changes {words}"
        if result is not None:
            # Over the pixels that vary: a background that never changes agrees with anything.
            there = known.ravel()[varies]
            agreement = rank_correlation(result.selection_scores[varies], there)
            plain = rank_correlation(variance, there)
            caption += (
                f". Agreement of the order: {agreement:.2f}; of plain variance: {plain:.2f} "
                f"(rank correlation over the {int(varies.sum()):,} pixels that vary)"
            )
        shown.append(
            pictures.figure(importance_rgb(known, zeros=None), importance_alt(known), caption)
        )
    with st.container(key=keys.BOX_TRUTH):
        pictures.row(shown)


def rank_correlation(first: ArrayLike, second: ArrayLike) -> float:
    """Spearman's correlation: 1 for the same order, 0 for none; 0 when all of one tie."""
    one, other = _mid_ranks(np.asarray(first)), _mid_ranks(np.asarray(second))
    if one.std() == 0 or other.std() == 0:
        return 0.0
    return float(np.corrcoef(one, other)[0, 1])


def _mid_ranks(values: np.ndarray) -> np.ndarray:
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    middle: np.ndarray = (last - (count - 1) / 2)[place]
    return middle
