"""Pictures made smaller or larger by area: a new pixel is the mean of what it covers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.record import Dataset, DatasetError, Floats

MAX_SIDE = 512
"""Longest side that pictures may be asked to be resized to."""


@dataclass(frozen=True)
class Resized:
    """Pictures of one size made another.

    Parameters
    ----------
    shape, size : (height, width)
        Before and after.
    crop : bool
        Whether margins were cut off rather than the picture stretched.
    """

    shape: tuple[int, int]
    size: tuple[int, int]
    crop: bool

    def apply(self, values: Floats) -> Floats:
        """Return rows of pixels of the new size."""
        return resize_all(values.reshape(-1, *self.shape), self.size, crop=self.crop)

    @property
    def sentence(self) -> str:
        """What was done, with its numbers."""
        return f"Pictures were {resized_in_words(self.shape, self.size, cropped=self.crop)}."


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
        The same one if it has that size already. `Dataset.truth` is not carried over.

    Raises
    ------
    DatasetError
        If the samples are not pictures, or the size is out of bounds.
    """
    shape = dataset.image_shape
    if shape is None:
        raise DatasetError(f"{dataset.name} holds no images: only images can be resized.")
    if size == shape:
        return dataset
    check_size(size, dataset.name)
    change = Resized(shape, size, crop=fit == "crop")
    pictures = change.apply(dataset.data)
    pictures.flags.writeable = False
    words = resized_in_words(shape, size, cropped=fit == "crop")
    recipe = dataset.recipe
    if recipe is not None:
        recipe = recipe.then("resized", size, **({} if fit == "stretch" else {"fit": fit}))
    return replace(
        dataset,
        data=pictures,
        image_shape=size,
        truth=None,
        feature_names=None,
        file_columns=None,
        recipe=recipe,
        steps=dataset.steps.followed_by(change),
        recognised=f"{dataset.recognised} Images {words}.",
    )


def resize_all(pictures: Floats, size: tuple[int, int], *, crop: bool) -> Floats:
    """Resize a stack of pictures, few at a time, to one row of pixels each."""
    shape = (pictures.shape[1], pictures.shape[2])
    if crop:
        pictures = pictures[(slice(None), *crop_to(shape, size))]
    small = np.empty((len(pictures), size[0] * size[1]), dtype=pictures.dtype)
    step = max(1, 2**22 // (shape[0] * shape[1]))
    for start in range(0, len(pictures), step):
        part = resize_area(pictures[start : start + step], size)
        small[start : start + step] = part.reshape(len(part), -1)
    return small


def check_size(size: tuple[int, int], name: str) -> None:
    """Refuse to resize to nothing, or to something huge."""
    if not all(1 <= side <= MAX_SIDE for side in size):
        raise DatasetError(
            f"{name}: images cannot be made {size[0]} × {size[1]}: choose sides from 1 to "
            f"{MAX_SIDE}."
        )


def sizes_below(shape: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    """The size itself, and smaller ones of the same proportions."""
    longest = max(shape)
    smaller = [
        (max(1, round(shape[0] * side / longest)), max(1, round(shape[1] * side / longest)))
        for side in (128, 96, 64, 48, 32, 24, 16)
        if side < longest
    ]
    return tuple(dict.fromkeys([shape, *smaller]))


def resized_in_words(shape: tuple[int, int], size: tuple[int, int], *, cropped: bool) -> str:
    """Say that pictures were resized, and whether margins had to be cut off for it."""
    words = f"resized from {shape[0]} × {shape[1]} to {size[0]} × {size[1]}"
    other = crop_to(shape, size) != (slice(0, shape[0]), slice(0, shape[1]))
    return words + (", margins cut off" if cropped and other else "")


def resize_area(pictures: Floats, size: tuple[int, int]) -> Floats:
    """Resize pictures (…, height, width) by the exact mean over the area of each new pixel."""
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
    """Cut equal margins off a picture of ``size`` so that it has the proportions ``wanted``."""
    height, width = size
    keep_height = min(height, max(1, round(width * wanted[0] / wanted[1])))
    keep_width = min(width, max(1, round(height * wanted[1] / wanted[0])))
    top, left = (height - keep_height) // 2, (width - keep_width) // 2
    return slice(top, top + keep_height), slice(left, left + keep_width)


def _shares(old: int, new: int) -> NDArray[np.float64]:
    """Row i: which share of new pixel i each old pixel fills; rows sum to 1."""
    # Thousands of pictures share a few sizes; a huge one comes alone and is not worth keeping.
    return (_made if old * new <= 2**17 else _made.__wrapped__)(old, new)


@lru_cache(maxsize=64)
def _made(old: int, new: int) -> NDArray[np.float64]:
    edges = np.linspace(0, old, new + 1)
    pixels = np.arange(old)
    shares = np.minimum(edges[1:, None], pixels + 1) - np.maximum(edges[:-1, None], pixels)
    np.clip(shares, 0, None, out=shares)
    shares /= shares.sum(axis=1, keepdims=True)
    shares.flags.writeable = False
    return shares
