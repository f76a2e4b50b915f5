"""One picture large: as it came, at the size chosen, and as the fit sees it."""

from __future__ import annotations

import numpy as np
import streamlit as st

from cspca.datasets import Dataset
from cspca.figures.pictures import face_alt, grey, signed_rgb
from cspca.ui import keys, pictures, samples
from cspca.ui.controls import preparation
from cspca.ui.data_page import numbers
from cspca.ui.theme import is_dark


def close_up(dataset: Dataset, before: Dataset | None) -> None:
    """Draw one picture, as it was before it was made smaller, and what the fit does to it."""
    left, right = st.columns([4, 9], gap="large")
    with left:
        index = samples.choose(dataset, keys.CLOSE_UP, "Which picture is shown large.")
        preparation(dataset.nouns)
    with right, st.container(key=keys.BOX_CLOSE_UP):
        pictures.row(_figures(dataset, before, index))


def _figures(dataset: Dataset, before: Dataset | None, index: int) -> list[str]:
    image = dataset.image(index)
    name = f"Picture {index + 1:,}"
    if dataset.target is not None:
        name += f" of class {samples.class_name(dataset, int(dataset.target[index]))}"
    size = " × ".join(str(side) for side in image.shape)
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
            grey(seen, None),
            face_alt(seen, "The picture at unit norm"),
            f"What the fit sees: unit norm, brightest pixel {float(seen.max()):.2g}",
        )
    spread = numbers.spread(dataset.sha256, dataset)
    mean = spread.unit_mean if normalize else spread.mean
    seen = seen - mean.reshape(image.shape)
    reach = float(np.abs(seen).max())
    words = "unit norm, mean subtracted" if normalize else "mean subtracted"
    return pictures.figure(
        signed_rgb(seen, dark=is_dark()),
        f"The picture as the fit sees it, from {-reach:.2g} to {reach:.2g}.",
        f"What the fit sees: {words}; {-reach:.2g} to {reach:.2g}".replace("-", "−"),
    )
