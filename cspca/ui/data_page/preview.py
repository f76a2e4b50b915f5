"""What is in a set: pictures by class, the sizes of the classes, the mean and the spread."""

from __future__ import annotations

from typing import Final

import numpy as np
import streamlit as st

from cspca.datasets import Dataset
from cspca.figures.bars import class_sizes, feature_spread
from cspca.figures.pictures import (
    face_alt,
    grey,
    importance_rgb,
    sheet_alt,
)
from cspca.ui import keys, pictures
from cspca.ui.charts import show
from cspca.ui.data_page import numbers
from cspca.ui.plain import plain
from cspca.ui.samples import class_name

_CLASSES: Final = 20
_COLUMNS: Final = 6
_ROOMY: Final = 10
"""Classes up to which each gets two rows of pictures."""
_MOST_COLUMNS: Final = 24
"""Columns of a table that are shown."""


def preview(dataset: Dataset) -> None:
    """Draw some pictures of every class, or of the whole set where there are no classes."""
    with st.container(key=keys.BOX_PREVIEW):
        if dataset.image_shape is None:
            _table(dataset)
        elif dataset.target is None:
            sheet = numbers.sample_sheet(dataset.sha256, 96, 12, dataset)
            shown = min(96, dataset.n_samples)
            st.html(pictures.figure(sheet, sheet_alt(shown, 12, "images of the set")))
            st.caption(f"{shown:,} of {dataset.n_samples:,} pictures; the set has no classes.")
        else:
            _by_class(dataset)


def _by_class(dataset: Dataset) -> None:
    # Labels need not be without gaps: there are as many classes as the largest number says.
    sizes = numbers.counts(dataset)
    first, last = _page_of_classes(len(sizes))
    each = _COLUMNS * (2 if len(sizes) <= _ROOMY else 1)
    sheets = numbers.class_sheets(dataset.sha256, first, last, each, _COLUMNS, dataset)
    cells = []
    for label, sheet in zip(range(first, last), sheets, strict=True):
        name = class_name(dataset, label)
        shown = min(each, int(sizes[label]))
        alt = f"{shown} of the {int(sizes[label]):,} pictures of class {name}."
        cells.append(pictures.figure(sheet, alt, f"{name} · {int(sizes[label]):,}"))
    st.html(f'<div class="cspca-classes">{"".join(cells)}</div>')


def _page_of_classes(n_classes: int) -> tuple[int, int]:
    if n_classes <= _CLASSES:
        return 0, n_classes
    starts = list(range(0, n_classes, _CLASSES))
    if st.session_state.get(keys.CLASS_PAGE, 0) not in starts:
        st.session_state[keys.CLASS_PAGE] = 0
    first = st.select_slider(
        "Classes",
        starts,
        format_func=lambda start: f"{start + 1} – {min(start + _CLASSES, n_classes)}",
        key=keys.CLASS_PAGE,
        persist_state="session",
        help="Some pictures of these classes, spread over each class.",
    )
    return int(first), min(int(first) + _CLASSES, n_classes)


def feature_names(dataset: Dataset) -> list[str]:
    """Return the names of the features, or their numbers; names may come from a file."""
    if dataset.feature_names is not None:
        return list(dataset.feature_names)
    return [str(number + 1) for number in range(dataset.n_features)]


def _table(dataset: Dataset) -> None:
    st.caption(
        f"These are measurements, not pictures: {dataset.nouns.count_features(dataset.n_features)} "
        "a sample. The first ones, scaled to 0 – 1."
    )
    some = np.round(dataset.data[:12, :_MOST_COLUMNS], 3)
    names = feature_names(dataset)
    # By number, so that equal names stand beside each other. Headings are no Markdown.
    columns = {str(number): some[:, number] for number in range(some.shape[1])}
    headings = {number: names[int(number)] for number in columns}
    st.dataframe(columns, column_config=headings, hide_index=True, height=460)


def statistics(dataset: Dataset) -> None:
    """Draw the mean picture, how much every pixel varies, and the sizes of the classes."""
    spread = numbers.spread(dataset.sha256, dataset)
    still = int((spread.deviation == 0).sum())
    left, right = st.columns(2, gap="large")
    with left:
        if dataset.image_shape is not None:
            _mean_and_variance(spread, dataset.image_shape, still)
        else:
            names = feature_names(dataset)
            figure = feature_spread(names, spread.deviation)
            show(figure, "feature_spread_box", of=dataset.name, name="spread", heading=True)
            st.caption(plain(figure.layout.meta["alt"]))
    with right:
        if dataset.target is None:
            st.caption("There are no classes: clustering cannot be scored on this set.")
            return
        sizes = [int(size) for size in numbers.counts(dataset)]
        names = [class_name(dataset, label) for label in range(len(sizes))]
        figure = class_sizes(names, sizes)
        show(figure, "class_balance", of=dataset.name, name="classes", heading=True)


def _mean_and_variance(spread: numbers.Spread, shape: tuple[int, int], still: int) -> None:
    mean = spread.mean.reshape(shape)
    variance = (spread.deviation**2).reshape(shape)
    top = float(variance.max())
    words = f"{still:,} pixels never change" if still else "every pixel changes"
    pictures.row(
        [
            pictures.figure(grey(mean), face_alt(mean, "Mean picture"), "Mean picture"),
            pictures.figure(
                importance_rgb(variance),
                f"Variance of every pixel, from 0 to {top:.3g}; {words}.",
                f"Variance of each pixel: bright is up to {top:.3g}; {words}",
            ),
        ]
    )
