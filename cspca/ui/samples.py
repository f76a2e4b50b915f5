"""Pictures beside a fit: one sample four times, and what is known of rendered faces."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import streamlit as st
from numpy.typing import ArrayLike

from cspca.datasets import Dataset
from cspca.experiments.live import LiveFit
from cspca.figures.pictures import (
    Picture,
    face_alt,
    grey,
    importance_alt,
    importance_rgb,
    mask_alt,
    masked_rgb,
    signed_alt,
    signed_rgb,
    top_mask,
)
from cspca.ui import pictures
from cspca.ui.plain import is_dark

_KNOWN: Final = {
    "identity": "from person to person",
    "light": "with the light",
    "expression": "with the expression",
}


def choose(
    dataset: Dataset,
    key: str = "face_slider",
    help: str = "Which picture of the data set is shown below.",
) -> int:
    """Draw the choice of a picture and return its index."""
    if st.session_state.get(key, 1) > dataset.n_samples:
        st.session_state[key] = 1
    number = st.slider(
        "Picture",
        1,
        max(dataset.n_samples, 2),
        key=key,
        help=help,
        persist_state="session",
        disabled=dataset.n_samples < 2,
    )
    return min(int(number), dataset.n_samples) - 1


def original(dataset: Dataset, index: int) -> str:
    """One picture as it is."""
    image = dataset.image(index)
    return pictures.figure(grey(image), face_alt(image), f"Original: {sample_name(dataset, index)}")


def sample_name(dataset: Dataset, index: int) -> str:
    """Return the number of a picture and its class, where there is one."""
    if dataset.target is None:
        return f"picture {index + 1}"
    return f"picture {index + 1}, {class_name(dataset, int(dataset.target[index]))}"


def class_name(dataset: Dataset, label: int) -> str:
    """Return the name of a class; it may come from a file."""
    names = dataset.target_names
    return names[label] if names is not None else f"class {label + 1}"


def faces(dataset: Dataset, result: LiveFit | None, index: int, top_k: int, *, stale: bool) -> None:
    """Draw original, selected pixels, reconstruction, and the row of W of the picked pixel."""
    image, shape = dataset.image(index), dataset.image_shape
    assert shape is not None
    shown = [original(dataset, index)]
    if result is None:
        missing = ("Selected pixels", "Reconstruction", "Row of W")
        shown += [pictures.placeholder(shape, words) for words in missing]
    else:
        drawn = (
            _selected(image, result, top_k),
            _reconstruction(dataset, result, index),
            _row_of_w(result, shape),
        )
        shown += [pictures.figure(*one, stale=stale) for one in drawn]
    with st.container(key="faces_row"):
        pictures.row(shown)


def _selected(image: np.ndarray, result: LiveFit, top_k: int) -> tuple[Picture, str, str]:
    fit = result.fit
    best = min(top_k, fit.n_kept)
    mask = top_mask(fit.feature_order, best, image.shape)
    words = f"The {best:,} best pixels"
    if best < top_k:
        words = f"The {best:,} pixels in use: fewer than the {top_k:,} to highlight"
    if fit.regime in ("identity", "zero"):
        # There is no order: either all are kept or none is.
        mask = np.full(image.shape, fit.regime == "identity")
        words = "Selected: all pixels tie" if mask.all() else "Selected: no pixel is kept"
    return masked_rgb(image, mask), mask_alt(mask), words


def _reconstruction(dataset: Dataset, result: LiveFit, index: int) -> tuple[Picture, str, str]:
    image = np.clip(rebuilt(dataset, result, index), 0.0, 1.0)
    error = float(np.abs(image - dataset.image(index)).mean())
    words = f"Reconstruction, {100 * error:.1f} % off on average"
    return grey(image), face_alt(image, "Reconstruction"), words


def rebuilt(dataset: Dataset, result: LiveFit, index: int) -> np.ndarray:
    """One picture as the fit rebuilds it."""
    assert dataset.image_shape is not None
    again = result.fit.reconstruct(dataset.data[index : index + 1])
    return np.reshape(again, dataset.image_shape)


def _row_of_w(result: LiveFit, shape: tuple[int, int]) -> tuple[Picture, str, str]:
    fit = result.fit
    choice: Any = st.session_state.get("selected_pixel")
    picked = choice is not None and choice < fit.feature_scores.size
    pixel = choice if picked else int(fit.feature_order[0])
    place = divmod(pixel, shape[1])
    row = fit.weight_row(pixel).reshape(shape)
    where = f"row {place[0] + 1}, column {place[1] + 1}"
    words = f"Row of W: what the pixel in {where} is used for"
    if not picked:
        which = "the best pixel" if fit.regime in ("sparse", "dense") else "one pixel"
        words = f"Row of W of {which}, in {where}; click another on the map"
    if not row.any():
        words = f"Row of W: the pixel in {where} is not used at all"
    return signed_rgb(row, dark=is_dark()), signed_alt(row, place), words


def truth(dataset: Dataset, result: LiveFit | None, *, stale: bool) -> None:
    """Draw the found map and the known ones of rendered faces, and how well their orders agree."""
    shape = dataset.image_shape
    if dataset.truth is None or shape is None or not st.session_state.get("view_truth"):
        return
    st.subheader("Does it find what tells people apart?", anchor=False)
    if result is None:
        shown = [pictures.placeholder(shape, "Found by the fit")]
    else:
        found = result.fit.feature_scores.reshape(shape)
        drawn = importance_rgb(found), importance_alt(found), "Found by the fit"
        shown = [pictures.figure(*drawn, stale=stale)]
    varies = np.ptp(dataset.data, axis=0) > 0
    variance = dataset.data.var(axis=0)[varies]
    for name, words in _KNOWN.items():
        known = np.asarray(getattr(dataset.truth, name))
        caption = f"Known: how much a pixel changes {words}"
        if result is not None:
            # Over the pixels that vary: a background that never changes agrees with anything.
            there = known.ravel()[varies]
            scores = np.asarray(result.fit.selection_scores)[varies]
            caption += (
                f". Agreement of the order: {rank_correlation(scores, there):.2f}; of plain "
                f"variance: {rank_correlation(variance, there):.2f} "
                f"(rank correlation over the {int(varies.sum()):,} pixels that vary)"
            )
        shown.append(
            pictures.figure(importance_rgb(known, zeros=None), importance_alt(known), caption)
        )
    with st.container(key="truth_row"):
        pictures.row(shown)


def rank_correlation(first: ArrayLike, second: ArrayLike) -> float:
    """Spearman's correlation: 1 for the same order, 0 for none; 0 when all of one tie."""
    from scipy.stats import spearmanr

    one, other = np.asarray(first), np.asarray(second)
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return 0.0
    return float(spearmanr(one, other).statistic)
