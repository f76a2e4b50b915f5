"""Preview of a data set: pictures by class, sizes of the classes, mean and standard deviation.

Results are cached by the fingerprint of the data, for their owner. A large data set is not copied.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from cspca.datasets import Dataset
from cspca.datasets.axis import Axis
from cspca.datasets.resize import resize_area
from cspca.experiments.memory import of_data
from cspca.figures.curves import sample_curves
from cspca.figures.features import class_sizes, feature_spread
from cspca.figures.pictures import contact_sheet, grey, image_alt, importance_rgb, signed_rgb
from cspca.ui import fields, pictures, state
from cspca.ui.export import show
from cspca.ui.plain import is_dark, plain

_THUMB: Final = 48
"""Longest side of a picture in a grid; larger pictures are resized."""
_CLASSES: Final = 20
_CURVES: Final = 24
_COLUMNS: Final = 6
_DIFFERENCES: Final = 720
"""Most width of the mean and the variance of images, in pixels of the screen."""
_WIDEST: Final = 24
"""Longest name, in characters, by which a column of the table is widened."""
_COLUMNS_OF_ALL: Final = 12


def preview(dataset: Dataset) -> None:
    """Draw some pictures of every class, or of the whole set if it has no classes."""
    with st.container(key="preview_box"):
        if dataset.kind != "pixels":
            _table(dataset)
        elif dataset.target is None:
            shown = min(96, dataset.n_samples)
            sheet = _sheet(dataset, None, shown, full_columns(shown, _COLUMNS_OF_ALL))
            st.html(pictures.figure(sheet, f"{shown} images of the set."))
            st.caption(f"{shown:,} of {dataset.n_samples:,} images; the set has no classes.")
        else:
            _by_class(dataset)


def _by_class(dataset: Dataset) -> None:
    sizes = _class_counts(dataset)
    # Few classes have room for two rows of pictures each.
    first, each = 0, min(max(sizes), _COLUMNS * (2 if len(sizes) <= 10 else 1))
    columns = full_columns(each, _COLUMNS)
    if len(sizes) > _CLASSES:
        starts = range(0, len(sizes), _CLASSES)
        first = fields.switch(
            "Classes",
            {start: f"{start + 1} – {min(start + _CLASSES, len(sizes))}" for start in starts},
            "class_page",
            draw=st.select_slider,
            help="Some images of these classes, spread over each class.",
        )
    cells = []
    for label, size in list(enumerate(sizes))[first : first + _CLASSES]:
        name = dataset.class_name(label)
        sheet = _sheet(dataset, label, each, columns)
        alt = f"{min(each, size)} of {dataset.nouns.count_samples(size)} of class {name}."
        cells.append(pictures.figure(sheet, alt, f"{name} · {dataset.nouns.count_samples(size)}"))
    st.html(f'<div class="cspca-classes">{"".join(cells)}</div>')


def full_columns(count: int, most: int) -> int:
    """Return the number of columns in which pictures fill their rows best, of the fewest rows."""
    n_rows = -(-count // most)
    return -(-count // n_rows)


def _class_counts(dataset: Dataset) -> list[int]:
    """Return the number of samples of each class, also of classes without samples."""
    labelled = dataset.labelled_target
    counts: list[int] = np.bincount(labelled, minlength=dataset.n_classes).tolist()
    return counts


@of_data
def _sheet(dataset: Dataset, label: int | None, count: int, columns: int) -> pictures.Encoded:
    """Return `count` pictures spread over one class, or over the whole set."""
    members = np.arange(dataset.n_samples)
    if label is not None:
        members = np.flatnonzero(dataset.target == label)
    if not members.size:
        # A class without samples has no picture: an empty strip keeps its place.
        return pictures.encode(np.zeros((1, 1), np.uint8))
    images = dataset.images[members[pictures.spread_out(members.size, count)]]
    longest = max(images.shape[1:])
    if longest > _THUMB:
        height, width = (max(1, round(side * _THUMB / longest)) for side in images.shape[1:])
        images = resize_area(images, (height, width))
    blank = [np.full_like(images[0], 0.5)] * (count - len(images))
    return pictures.encode(contact_sheet([*images, *blank], columns))


def _feature_names(dataset: Dataset) -> list[str]:
    """Return the names of the features, or their numbers; names may come from a file."""
    return list(dataset.feature_names or map(str, range(1, dataset.n_features + 1)))


def _curves(dataset: Dataset, axis: Axis) -> None:
    """Draw some samples of the whole set along their axis."""
    members = pictures.spread_out(dataset.n_samples, _CURVES)
    curves = dataset.data[members]
    figure = sample_curves(axis, curves, dataset.n_samples)
    show(figure, "sample_curves_box", of=dataset.name, name="samples", heading=True)
    st.caption(plain(figure.layout.meta["alt"]))


def _table(dataset: Dataset) -> None:
    if dataset.axis is not None:
        _curves(dataset, dataset.axis)
    nouns = dataset.nouns
    st.caption(
        f"{nouns.count_features(dataset.n_features)} {nouns.a_sample}. The first "
        "values, as they are used."
    )
    some = np.round(dataset.data[:12, :24], 3)
    # Keyed by number, because names may be equal. Headings are no Markdown.
    columns: dict[str, Any] = {str(number): values for number, values in enumerate(some.T)}
    headings: dict[str, Any] = {
        key: st.column_config.NumberColumn(name, width="medium" if len(name) > _WIDEST else None)
        for key, name in zip(columns, _feature_names(dataset), strict=False)
    }
    if dataset.sample_names is not None:
        columns = {"name": list(dataset.sample_names[:12])} | columns
        headings["name"] = st.column_config.TextColumn(nouns.sample.capitalize(), pinned=True)
    st.dataframe(columns, column_config=headings, hide_index=True, height=460)


@of_data
def _spread(dataset: Dataset) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and standard deviation of every feature."""
    data = dataset.data
    parts = np.array_split(data, 1 + data.size // 2**20, axis=1)
    mean = [part.mean(axis=0, dtype=np.float64) for part in parts]
    deviation = [part.std(axis=0, dtype=np.float64) for part in parts]
    return np.concatenate(mean), np.concatenate(deviation)


@of_data
def _maps(
    dataset: Dataset, image_shape: tuple[int, int]
) -> tuple[pictures.Encoded, pictures.Encoded]:
    """Return the pictures of the mean and of the variance of every pixel."""
    mean, deviation = (values.reshape(image_shape) for values in _spread(dataset))
    return pictures.encode(grey(mean)), pictures.encode(importance_rgb(deviation**2))


@of_data
def _unit_mean(dataset: Dataset) -> NDArray[np.float64]:
    """Return the mean of the images at unit norm."""
    data = dataset.data
    norms = np.sqrt(np.einsum("ij,ij->i", data, data))
    weights: NDArray[np.float64] = 1 / np.where(norms > 0, norms, 1)
    return weights @ data / len(data)


def statistics(dataset: Dataset) -> None:
    """Draw the mean, the variance of every pixel, and the sizes of the classes.

    Equal sizes are one line of text; others have a chart beside the pictures.
    """
    sizes = [] if dataset.target is None else _class_counts(dataset)
    names = [dataset.class_name(label) for label in range(len(sizes))]
    if len(set(sizes)) <= 1:
        _differences(dataset)
        if sizes:
            st.markdown(class_sizes(names, sizes, dataset.nouns).layout.meta["alt"])
        _about_classes(dataset)
        return
    left, right = st.columns(2, gap="large")
    with left:
        _differences(dataset)
    with right:
        _about_classes(dataset)
        figure = class_sizes(names, sizes, dataset.nouns)
        show(figure, "class_balance", of=dataset.name, name="classes", heading=True)


def _differences(dataset: Dataset) -> None:
    """Draw the mean and the variance of every pixel, or the standard deviation of the features."""
    mean, deviation = _spread(dataset)
    if dataset.image_shape is None:
        figure = feature_spread(_feature_names(dataset), deviation, dataset.axis, dataset.nouns)
        show(figure, "feature_spread_box", of=dataset.name, name="spread", heading=True)
        st.caption(plain(figure.layout.meta["alt"]))
        return
    mean_map, variance_map = _maps(dataset, dataset.image_shape)
    still = dataset.n_features - state.live_pixels(dataset)
    variation = f"{still:,} pixels never change" if still else "every pixel changes"
    top = f"{(deviation**2).max():.3g}"
    alt = f"Variance of every pixel, from 0 to {top}; {variation}."
    mean_alt = image_alt(mean.reshape(dataset.image_shape), "Mean image")
    caption = f"Variance of each pixel: bright is up to {top}; {variation}"
    shown = [
        pictures.figure(mean_map, mean_alt, "Mean image"),
        pictures.figure(variance_map, alt, caption),
    ]
    with st.container(width=_DIFFERENCES):
        pictures.row(shown)


def _about_classes(dataset: Dataset) -> None:
    """Explain why clustering cannot be scored, and which samples have no label."""
    if dataset.target is None:
        st.caption("There are no classes: clustering cannot be scored on this set.")
        return
    if not dataset.has_classes:
        st.caption(f"{dataset.without_scores}: clustering cannot be scored on this set.")
    if dataset.n_unlabelled:
        st.caption(dataset.about_unlabelled)


def close_up(dataset: Dataset, before: Dataset | None) -> None:
    """Draw one picture, its original if it was resized, and its preprocessed version."""
    left, right = st.columns([4, 9], gap="large")
    with left:
        index = pictures.choose(dataset, "close_up_slider", "Which image is shown large.")
        fields.preparation(dataset.nouns)
    image = dataset.image(index)
    name = pictures.sample_title(dataset, index)
    size = " × ".join(str(side) for side in image.shape)
    shown = [pictures.figure(grey(image), image_alt(image, "The image"), f"{name}, {size}")]
    same = before is not None and before.n_samples == dataset.n_samples
    if before is not None and same and before.image_shape is not None:
        was = before.image(index)
        words = f"Before: {before.image_shape[0]} × {before.image_shape[1]}"
        shown.insert(0, pictures.figure(grey(was), image_alt(was, "Before"), words))
    with right, st.container(key="close_up_box"):
        pictures.row([*shown, _as_fitted(dataset, image)])


def _as_fitted(dataset: Dataset, image: np.ndarray) -> str:
    """Return one picture after the chosen preprocessing, as HTML."""
    center, normalize = (bool(st.session_state[f"fit_{step}"]) for step in ("center", "normalize"))
    seen, mean, words = image, _spread(dataset)[0], []
    if normalize:
        seen = image / (float(np.linalg.norm(image)) or 1.0)
        mean = _unit_mean(dataset)
        words.append("unit norm")
    picture = grey(seen, float(seen.max()) if normalize else 1.0)
    if center:
        seen = seen - mean.reshape(image.shape)
        reach = float(np.abs(seen).max())
        span = f"{-reach:.2g} to {reach:.2g}".replace("-", "−")
        words.append(f"mean subtracted; {span}")
        picture = signed_rgb(seen, dark=is_dark())
    elif normalize:
        words.append(f"brightest pixel {float(seen.max()):.2g}")
    caption = f"What the fit sees: {', '.join(words) or 'the same'}"
    return pictures.figure(picture, f"{caption}.", caption)
