"""Samples, components and choices along the axis of the features, as the pages draw them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from cspca.datasets import Dataset
from cspca.experiments.fit import features_in_use
from cspca.experiments.live import LiveFit
from cspca.figures.curves import rebuilt_curve
from cspca.ui import export, pictures
from cspca.ui.plain import plain


def rebuilt_sample(
    dataset: Dataset,
    ranges: Sequence[tuple[int, int]],
    sample: NDArray[np.float64],
    rebuilt: NDArray[np.float64],
    name: str,
    *,
    box: str,
) -> None:
    """Draw a sample along the axis, with what is rebuilt of it from ranges of features.

    `box` is the key of the chart. Nothing is drawn without an axis.
    """
    axis = dataset.axis
    if axis is None:
        return
    figure = rebuilt_curve(axis, sample, rebuilt, ranges, name)
    export.show(figure, box, of=dataset.name, name=box, heading=True)
    st.caption(plain(figure.layout.meta["alt"]))


def rebuilt_by_index(dataset: Dataset, result: LiveFit, index: int, *, box: str) -> None:
    """Draw a sample of the set along the axis, with what the fit rebuilds of it."""
    if dataset.axis is None:
        return
    ranges = dataset.axis.ranges(features_in_use(result.fit))
    sample = dataset.data[index]
    rebuilt = result.fit.reconstruct(sample[None])[0]
    name = pictures.sample_title(dataset, index)
    rebuilt_sample(dataset, ranges, sample, rebuilt, name, box=box)


def ranges_in_use(dataset: Dataset, result: LiveFit) -> str:
    """Say which ranges of the axis the map uses; empty without an axis, or where it uses all."""
    used = features_in_use(result.fit)
    if dataset.axis is None or not used or len(used) == dataset.n_features:
        return ""
    return f"In use: {dataset.axis.ranges_in_words(used)}."
