"""Pictures made smaller or larger by area: a new pixel is the mean of what it covers."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.recipe import Recipe
from cspca.datasets.record import Dataset, DatasetError, Floats

MAX_SIDE = 512
"""Longest side that pictures may be asked to be resized to."""

_VALUES_AT_ONCE = 2**22


def resized(
    dataset: Dataset, size: tuple[int, int], *, fit: Literal["stretch", "crop"] = "stretch"
) -> Dataset:
    """Make the pictures of a data set another size, by the mean over the area of each new pixel.

    Parameters
    ----------
    dataset : Dataset
    size : (height, width)
    fit : {"stretch", "crop"}, default="stretch"
        What to do when the proportions differ: stretch, or cut equal margins off.

    Returns
    -------
    Dataset
        The same one if it has that size already. What is known of every pixel of rendered faces
        (`Dataset.truth`) is not carried over: it belongs to their own size.

    Raises
    ------
    DatasetError
        If the samples are not pictures, or the size is out of bounds.
    """
    shape = dataset.image_shape
    if shape is None:
        raise DatasetError(f"{dataset.name} holds no pictures: only pictures can be resized.")
    if size == shape:
        return dataset
    check_size(size, dataset.name)
    pictures = resize_all(dataset.images, size, crop=fit == "crop")
    pictures.flags.writeable = False
    words = resized_in_words(shape, size, cropped=fit == "crop")
    return replace(
        dataset,
        data=pictures,
        image_shape=size,
        truth=None,
        feature_names=None,
        recipe=None if dataset.recipe is None else _recipe(dataset.recipe, size, fit),
        recognised=f"{dataset.recognised.removesuffix('.')}; {words}.",
    )


def _recipe(recipe: Recipe, size: tuple[int, int], fit: str) -> Recipe:
    options = {} if fit == "stretch" else {"fit": fit}
    return recipe.then("resized", size, **options)


def resize_all(pictures: Floats, size: tuple[int, int], *, crop: bool) -> Floats:
    """Resize a stack of pictures, few at a time; one row of pixels each.

    Parameters
    ----------
    pictures : array (n, height, width)
    size : (height, width)
    crop : bool
        Whether to cut margins off rather than stretch.

    Returns
    -------
    array (n, size[0] * size[1])
    """
    shape = (pictures.shape[1], pictures.shape[2])
    if crop:
        pictures = pictures[(slice(None), *crop_to(shape, size))]
    small = np.empty((len(pictures), size[0] * size[1]), dtype=pictures.dtype)
    step = max(1, _VALUES_AT_ONCE // (shape[0] * shape[1]))
    for start in range(0, len(pictures), step):
        part = resize_area(pictures[start : start + step], size)
        small[start : start + step] = part.reshape(len(part), -1)
    return small


def check_size(size: tuple[int, int], name: str) -> None:
    """Refuse to resize to nothing, or to something huge.

    Parameters
    ----------
    size : (height, width)
    name : str
        Name used in messages.

    Raises
    ------
    DatasetError
        If a side is not between 1 and `MAX_SIDE`.
    """
    if not all(1 <= side <= MAX_SIDE for side in size):
        raise DatasetError(
            f"{name}: pictures cannot be made {size[0]} × {size[1]}: choose sides from 1 to "
            f"{MAX_SIDE}."
        )


def resized_in_words(shape: tuple[int, int], size: tuple[int, int], *, cropped: bool) -> str:
    """Say that pictures were resized.

    Parameters
    ----------
    shape, size : (height, width)
        Before and after.
    cropped : bool
        Whether margins were cut off where the proportions differ.
    """
    words = f"resized from {shape[0]} × {shape[1]} to {size[0]} × {size[1]}"
    other = crop_to(shape, size) != (slice(0, shape[0]), slice(0, shape[1]))
    return words + (", margins cut off" if cropped and other else "")


def resize_area(pictures: Floats, size: tuple[int, int]) -> Floats:
    """Resize pictures by the exact mean over the area of each new pixel.

    Parameters
    ----------
    pictures : array (..., height, width)
    size : (height, width)

    Returns
    -------
    array (..., *size)
        In the dtype of ``pictures``, and within its range.
    """
    height, width = size
    down = _shares(pictures.shape[-2], height).astype(pictures.dtype, copy=False)
    across = _shares(pictures.shape[-1], width).astype(pictures.dtype, copy=False)
    # The side that shrinks more goes first, so that the other multiplies less.
    if pictures.shape[-1] * height >= pictures.shape[-2] * width:
        resized = down @ (pictures @ across.T)
    else:
        resized = (down @ pictures) @ across.T
    # Shares sum to 1 but for rounding, which must not push white above 1.
    result: Floats = np.clip(resized, pictures.min(), pictures.max(), out=resized)
    return result


def crop_to(size: tuple[int, int], wanted: tuple[int, int]) -> tuple[slice, slice]:
    """Cut equal margins off a picture of ``size`` so that it has the proportions ``wanted``.

    Parameters
    ----------
    size, wanted : (height, width)
    """
    height, width = size
    keep_height = min(height, max(1, round(width * wanted[0] / wanted[1])))
    keep_width = min(width, max(1, round(height * wanted[1] / wanted[0])))
    top, left = (height - keep_height) // 2, (width - keep_width) // 2
    return slice(top, top + keep_height), slice(left, left + keep_width)


def _shares(old: int, new: int) -> NDArray[np.float64]:
    """Row i: which share of new pixel i each old pixel fills; rows sum to 1."""
    return _kept_shares(old, new) if old * new <= _KEEP else _make_shares(old, new)


def _make_shares(old: int, new: int) -> NDArray[np.float64]:
    edges = np.linspace(0, old, new + 1)
    pixels = np.arange(old)
    shares = np.minimum(edges[1:, None], pixels + 1) - np.maximum(edges[:-1, None], pixels)
    np.clip(shares, 0, None, out=shares)
    shares /= shares.sum(axis=1, keepdims=True)
    shares.flags.writeable = False
    return shares


# Thousands of pictures share a few sizes; a huge one comes alone and is not worth keeping.
_KEEP = 2**17
_kept_shares = lru_cache(maxsize=64)(_make_shares)
