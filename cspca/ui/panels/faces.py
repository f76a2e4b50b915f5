"""One picture three times: as it is, its selected pixels, and what the fit makes of it."""

from __future__ import annotations

import numpy as np
import streamlit as st

from cspca.datasets import Dataset
from cspca.figures.pictures import (
    face_alt,
    grey,
    mask_alt,
    masked_rgb,
    signed_alt,
    signed_rgb,
    top_mask,
)
from cspca.runs.records import FitResult
from cspca.ui import keys, pictures
from cspca.ui.theme import is_dark


def face_slider(dataset: Dataset) -> int:
    """Draw the choice of a picture and return its index."""
    if st.session_state.get(keys.FACE, 1) > dataset.n_samples:
        st.session_state[keys.FACE] = 1
    number = st.slider(
        "Picture",
        1,
        max(dataset.n_samples, 2),
        key=keys.FACE,
        help="Which picture of the data set is shown below.",
        persist_state="session",
        disabled=dataset.n_samples < 2,
    )
    return min(int(number), dataset.n_samples) - 1


def face_name(dataset: Dataset, index: int) -> str:
    """Return the class of a picture, where there is one."""
    if dataset.target is None:
        return f"picture {index + 1}"
    label = int(dataset.target[index])
    name = dataset.target_names[label] if dataset.target_names is not None else f"class {label + 1}"
    return f"picture {index + 1}, {name}"


def faces(
    dataset: Dataset,
    shape: tuple[int, int],
    result: FitResult | None,
    index: int,
    top_k: int,
    *,
    stale: bool,
) -> None:
    """Draw original, selected pixels, reconstruction, and the row of W of the picked pixel."""
    image = dataset.image(index)
    shown = [
        pictures.figure(grey(image), face_alt(image), f"Original: {face_name(dataset, index)}")
    ]
    if result is None:
        shown += [pictures.placeholder(shape, words) for words in
                  ("Selected pixels", "Reconstruction", "Row of W")]  # fmt: skip
    else:
        shown += [
            _selected(image, result, top_k, shape, stale),
            _reconstruction(dataset, result, index, stale),
            _row_of_w(result, shape, stale),
        ]
    with st.container(key=keys.BOX_FACES):
        pictures.row(shown)


def _selected(
    image: np.ndarray, result: FitResult, top_k: int, shape: tuple[int, int], stale: bool
) -> str:
    regime = result.model.regime_
    words = f"The {top_k:,} best pixels"
    mask = top_mask(result.order, top_k, shape)
    if regime in ("identity", "zero"):
        # There is no order: either all are kept or none is.
        mask = np.full(shape, regime == "identity")
        words = "Selected: all pixels tie" if mask.all() else "Selected: no pixel is kept"
    return pictures.figure(masked_rgb(image, mask), mask_alt(mask), words, stale=stale)


def _reconstruction(dataset: Dataset, result: FitResult, index: int, stale: bool) -> str:
    assert dataset.image_shape is not None
    rebuilt = np.asarray(result.model.reconstruct(dataset.data[index : index + 1]))
    image = np.clip(rebuilt[0].reshape(dataset.image_shape), 0.0, 1.0)
    error = float(np.abs(image - dataset.image(index)).mean())
    return pictures.figure(
        grey(image),
        face_alt(image, "Reconstruction"),
        f"Reconstruction, {100 * error:.1f} % off on average",
        stale=stale,
    )


def _row_of_w(result: FitResult, shape: tuple[int, int], stale: bool) -> str:
    choice = st.session_state.get(keys.PIXEL)
    picked = isinstance(choice, int) and choice < result.feature_scores.size
    pixel = choice if isinstance(choice, int) and picked else int(result.order[0])
    place = divmod(pixel, shape[1])
    row = np.asarray(result.model.weight_row(pixel)).reshape(shape)
    where = f"row {place[0] + 1}, column {place[1] + 1}"
    words = f"Row of W: what the pixel in {where} is used for"
    if not picked:
        which = "the best pixel" if result.model.regime_ in ("sparse", "dense") else "one pixel"
        words = f"Row of W of {which}, in {where}; click another on the map"
    if not row.any():
        words = f"Row of W: the pixel in {where} is not used at all"
    return pictures.figure(
        signed_rgb(row, dark=is_dark()), signed_alt(row, place), words, stale=stale
    )
