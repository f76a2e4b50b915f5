"""From the arrays found in a file to a `Dataset`: orientation, scale, labels, and what was done."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.record import Dataset, DatasetError, Floats, check_finite, shape_in_words

Array = NDArray[Any]
PixelOrder = Literal["row", "column"]

FLOAT32_FROM = 256 * 2**20
"""Data that would take more bytes than this in double precision are kept in single precision."""

_GREY = (0.299, 0.587, 0.114)  # Rec. 601 luma, what MATLAB's rgb2gray uses
_FLOAT_255_FROM = 100.0  # fractional values up to 255 are taken for grey levels from here on


def assemble(
    data: Array,
    labels: Array | None,
    *,
    name: str,
    order: PixelOrder,
    notes: tuple[str, ...] = (),
) -> Dataset:
    """Make a `Dataset` of an array as found in a file.

    Parameters
    ----------
    data : array (n, d), (n, h, w), (n, h, w, 3) or (n, h, w, 4)
        One image a row; any real dtype, any range.
    labels : array of n numbers or strings, or None
    name : str
        File name, used in messages.
    order : "row" or "column"
        How the pixels of a row of a 2-D ``data`` follow each other.
    notes : tuple of str
        What the reader has already done, in words, for `Dataset.recognised`.

    Raises
    ------
    DatasetError
        One sentence saying what is wrong with the arrays.
    """
    said = list(notes)
    if data.dtype.kind not in "fiub":
        raise DatasetError(
            f"{name}: the data are {_kind(data)}, not real numbers: save pixel values as numbers."
        )
    data, shape = _flatten(data, name, said)
    n_samples, n_features = data.shape
    if n_samples < 2 or n_features < 1:
        raise DatasetError(
            f"{name}: there {'is 1 image' if n_samples == 1 else f'are {n_samples} images'} of "
            f"{n_features} pixels: at least two images are needed."
        )
    single = n_samples * n_features * 8 > FLOAT32_FROM
    values: Floats = data.astype(np.float32 if single else np.float64, order="C")
    check_finite(values, name)
    target, target_names = (None, None) if labels is None else number_labels(labels, name)
    if target is not None and len(target) != n_samples:
        raise DatasetError(
            f"{name}: there are {len(target)} labels for {n_samples} images: "
            "give one label an image."
        )
    if shape is None:
        shape = guess_image_shape(n_features)
        if shape is not None and order == "column":
            height, width = shape
            values = values.reshape(n_samples, width, height).transpose(0, 2, 1)
            values = np.ascontiguousarray(values).reshape(n_samples, n_features)
            said.append("stored column by column, turned upright")
    values, how = scale_to_unit(values)
    said.append(how)
    if single:
        said.append("kept in single precision for its size")
    values.flags.writeable = False
    n_classes = 0 if target_names is None else len(target_names)
    words = shape_in_words(n_samples, n_features, shape, n_classes)
    return Dataset(
        data=values,
        target=target,
        image_shape=shape,
        target_names=target_names,
        name=name.rsplit(".", 1)[0] or name,
        source=f"file {name}",
        licence="as the file's owner says",
        recognised="; ".join([words, *said]) + ".",
    )


def guess_image_shape(n_pixels: int) -> tuple[int, int] | None:
    """Guess (height, width) from a number of pixels.

    A square where it is one; else the two factors nearest to a square, upright (10304 gives
    112 × 92); None when the picture would be smaller than 5 × 5, or (not being square) longer
    than 2 : 1 or smaller than 256 pixels: such rows are likelier to be other measurements.
    """
    side = math.isqrt(n_pixels)
    if side * side == n_pixels:
        return (side, side) if side >= 5 else None
    width = next(factor for factor in range(side, 0, -1) if n_pixels % factor == 0)
    height = n_pixels // width
    return (height, width) if n_pixels >= 256 and height <= 2 * width else None


def scale_to_unit(values: Floats) -> tuple[Floats, str]:
    """Scale to [0, 1] and say how.

    Values in [0, 1] stay; [-1, 1] is shifted; whole numbers are divided by 16, 255 or 65535, the
    least that holds them, and fractional ones up to 255 by 255; any other range is stretched.

    Parameters
    ----------
    values : finite float array; changed in place.
    """
    low, high = float(values.min()), float(values.max())
    span = f"values {low:g} – {high:g}" if low >= 0 else f"values {low:g} to {high:g}"
    if low >= 0 and high <= 1:
        return values, "values already in 0 – 1"
    if low >= -1 and high <= 1:
        values += 1
        values /= 2
        return values, f"{span} moved from −1 … 1 to 0 – 1"
    full_scale = _full_scale(values, low, high)
    if full_scale is not None:
        values /= full_scale
        return values, f"{span} divided by {full_scale:g}, so 0 – {full_scale:g} becomes 0 – 1"
    if low == high:
        values[...] = 0
        return values, f"every value is {low:g}, set to 0"
    # Divided first, so that a range wider than the largest float does not overflow.
    size = max(abs(low), abs(high))
    values /= size
    values -= low / size
    values /= values.max()
    np.clip(values, 0, 1, out=values)
    return values, f"{span} stretched to 0 – 1"


def number_labels(labels: Array, name: str) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Number classes from 0, in sorted order, and name each after its label.

    Raises
    ------
    DatasetError
        If the labels are neither numbers nor strings, or some are NaN.
    """
    labels = np.asarray(labels)
    if labels.dtype.kind not in "fiubUS":
        raise DatasetError(
            f"{name}: the labels are {_kind(labels)}: save one number or one string an image."
        )
    flat = labels.ravel()
    if flat.dtype.kind == "f" and not np.isfinite(flat).all():
        raise DatasetError(f"{name}: some labels are NaN or infinite: give each image a class.")
    if flat.dtype.kind == "S":
        flat = np.char.decode(flat, "utf-8", "replace")
    classes, numbers = np.unique(flat, return_inverse=True)
    names = tuple(_label_name(value) for value in classes)
    return numbers.astype(np.int64).ravel(), names


def _flatten(data: Array, name: str, said: list[str]) -> tuple[Array, tuple[int, int] | None]:
    if data.ndim == 2:
        return data, None
    if data.ndim == 4 and data.shape[3] in (1, 3, 4):
        if data.shape[3] > 1:
            data = data[..., :3] @ np.array(_GREY, dtype=np.float64)
            said.append("colours turned to grey")
        else:
            data = data[..., 0]
    if data.ndim != 3:
        words = " × ".join(str(side) for side in data.shape)
        raise DatasetError(
            f"{name}: the data are {words or 'a single number'}: give (images, pixels) or "
            "(images, height, width)."
        )
    height, width = data.shape[1:]
    return data.reshape(len(data), height * width), (height, width)


def _full_scale(values: Array, low: float, high: float) -> float | None:
    if low < 0 or high > 65535:
        return None
    if not bool((values == np.rint(values)).all()):
        return 255.0 if _FLOAT_255_FROM <= high <= 255 else None
    return next(scale for scale in (16.0, 255.0, 65535.0) if high <= scale)


def _kind(array: Array) -> str:
    kinds = {"O": "objects", "c": "complex numbers", "U": "text", "S": "text", "V": "records"}
    return kinds.get(array.dtype.kind, array.dtype.name)


def _label_name(value: Any) -> str:
    if isinstance(value, np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)
