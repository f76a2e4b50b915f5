"""One picture large: as it came, at the size chosen, and as the fit sees it."""

from __future__ import annotations

import numpy as np
import streamlit as st

from cspca.datasets import Dataset
from cspca.figures.pictures import face_alt, grey, signed_rgb
from cspca.ui import keys, pictures
from cspca.ui.data_page import numbers
from cspca.ui.data_page.preview import class_name
from cspca.ui.theme import is_dark


def close_up(dataset: Dataset, before: Dataset | None) -> None:
    """Draw one picture before and after; what the fit does to it can be switched here.

    Parameters
    ----------
    dataset : Dataset
    before : Dataset or None
        The pictures before they were made smaller.
    """
    shape = dataset.image_shape
    if shape is None:
        return
    left, right = st.columns([4, 9], gap="large")
    with left:
        index = _which(dataset)
        st.toggle(
            "Take the mean picture off",
            key=keys.CENTER,
            persist_state="session",
            help="Centring, on by default: the theory needs it. The choice holds on all pages.",
        )
        st.toggle(
            "Unit norm for every picture",
            key=keys.NORMALIZE,
            persist_state="session",
            help="Divides every picture by its Euclidean norm, so that dim and bright ones count "
            "the same. The choice holds on all pages.",
        )
    with right, st.container(key=keys.BOX_CLOSE_UP):
        pictures.row(_figures(dataset, before, shape, index))


def _which(dataset: Dataset) -> int:
    if st.session_state.get(keys.CLOSE_UP, 1) > dataset.n_samples:
        st.session_state[keys.CLOSE_UP] = 1
    number = st.slider(
        "Picture",
        1,
        max(2, dataset.n_samples),
        key=keys.CLOSE_UP,
        persist_state="session",
        help="Which picture is shown large.",
    )
    return int(number) - 1


def _figures(
    dataset: Dataset, before: Dataset | None, shape: tuple[int, int], index: int
) -> list[str]:
    image = dataset.image(index)
    name = f"Picture {index + 1:,}"
    if dataset.target is not None:
        name += f" of class {class_name(dataset, int(dataset.target[index]))}"
    size = f"{shape[0]} × {shape[1]}"
    shown = [pictures.figure(grey(image), face_alt(image, "The picture"), f"{name}, {size}")]
    same = before is not None and before.n_samples == dataset.n_samples
    if before is not None and same and before.image_shape is not None:
        was = before.image(index)
        words = f"Before: {before.image_shape[0]} × {before.image_shape[1]}"
        shown.insert(0, pictures.figure(grey(was), face_alt(was, "Before"), words))
    return [*shown, _as_fitted(dataset, image)]


def _as_fitted(dataset: Dataset, image: np.ndarray) -> str:
    session = st.session_state
    center, normalize = bool(session[keys.CENTER]), bool(session[keys.NORMALIZE])
    if not center and not normalize:
        return pictures.figure(grey(image), "The same.", "What the fit sees: the same")
    seen = image.astype(np.float64)
    norm = float(np.linalg.norm(seen)) if normalize else 1.0
    seen = seen / (norm or 1.0)
    if not center:
        return pictures.figure(
            grey(seen, 0.0, None),
            face_alt(seen, "The picture at unit norm"),
            f"What the fit sees: unit norm, brightest pixel {float(seen.max()):.2g}",
        )
    spread = numbers.spread(dataset.sha256, dataset)
    mean = spread.unit_mean if normalize else spread.mean
    seen = seen - mean.reshape(image.shape)
    reach = float(np.abs(seen).max())
    words = "unit norm, mean taken off" if normalize else "mean taken off"
    return pictures.figure(
        signed_rgb(seen, dark=is_dark()),
        f"The picture as the fit sees it, from {-reach:.2g} to {reach:.2g}.",
        f"What the fit sees: {words}; {-reach:.2g} to {reach:.2g}".replace("-", "−"),
    )
