"""What is computed of a data set for its pictures: samples of it, its mean and its spread.

Kept by the fingerprint of the content, and in passes over a few rows at a time: a large set is
never copied.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from cspca.datasets import Dataset
from cspca.datasets.resize import resize_area
from cspca.figures.pictures import contact_sheet

THUMB: Final = 48
"""Longest side of a picture in a grid; larger ones are made smaller for it."""

_VALUES_AT_ONCE: Final = 2**20


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation of every feature, and the mean of images of unit norm."""

    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
    unit_mean: NDArray[np.float64]


@st.cache_data(max_entries=32, show_spinner=False)
def spread(sha256: str, _dataset: Dataset) -> Spread:
    """Return mean and standard deviation of every feature."""
    data, n = _dataset.data, _dataset.n_samples
    step = max(1, _VALUES_AT_ONCE // _dataset.n_features)
    mean, unit, square = (np.zeros(_dataset.n_features) for _ in range(3))
    for start in range(0, n, step):
        rows = data[start : start + step].astype(np.float64)
        mean += rows.sum(axis=0)
        norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        unit += (rows / np.where(norms > 0, norms, 1.0)[:, None]).sum(axis=0)
    mean /= n
    for start in range(0, n, step):
        square += ((data[start : start + step] - mean) ** 2).sum(axis=0)
    return Spread(mean, np.sqrt(square / n), unit / n)


def counts(dataset: Dataset) -> NDArray[np.intp]:
    """Return the number of samples of each class, in the order of their numbers."""
    assert dataset.target is not None
    return np.bincount(dataset.target, minlength=dataset.n_classes)


@st.cache_data(max_entries=64, show_spinner=False)
def class_sheets(
    sha256: str, first: int, last: int, each: int, columns: int, _dataset: Dataset
) -> list[NDArray[np.uint8]]:
    """Return one sheet of pictures a class, for classes ``first`` to ``last`` (not included)."""
    assert _dataset.target is not None
    sheets = []
    for label in range(first, last):
        members = np.flatnonzero(_dataset.target == label)
        chosen = _spread_out(members, each)
        # A class that is only named has no picture: an empty strip keeps its place.
        tiles: Any = thumbnails(_dataset, chosen) if chosen.size else [np.zeros((1, 1), np.uint8)]
        blank = np.full_like(np.asarray(tiles[0]), 0.5 if chosen.size else 0)
        tiles = [*tiles, *[blank] * (each - len(tiles))] if chosen.size else tiles
        sheets.append(contact_sheet(tiles, columns))
    return sheets


@st.cache_data(max_entries=64, show_spinner=False)
def sample_sheet(sha256: str, count: int, columns: int, _dataset: Dataset) -> NDArray[np.uint8]:
    """Return pictures spread over the whole set."""
    chosen = _spread_out(np.arange(_dataset.n_samples), count)
    return contact_sheet(thumbnails(_dataset, chosen), columns)


def thumbnails(dataset: Dataset, chosen: NDArray[np.intp]) -> NDArray[np.floating[Any]]:
    """Return a few pictures, none larger than `THUMB`."""
    images = dataset.images[chosen]
    height, width = images.shape[1:]
    longest = max(height, width)
    if longest <= THUMB:
        return images
    size = (max(1, round(height * THUMB / longest)), max(1, round(width * THUMB / longest)))
    return resize_area(images, size)


def _spread_out(members: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    if members.size <= count:
        return members
    return members[np.linspace(0, members.size - 1, count).astype(np.intp)]
