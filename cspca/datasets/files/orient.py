"""Which way round a matrix of pictures lies: samples in rows or columns, pixels by rows or columns.

Pixels one picture row apart are alike, more so than those a little nearer or further: that shows
which axis holds pixels, and how long a row is. What stands upright mirrors left to right and not
top to bottom. Where neither is plain, custom is followed and the reading says so.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files.choices import PixelOrder, SampleAxis

Array = NDArray[Any]
Size = tuple[int, int]

ASK = {
    "samples": "not sure whether samples are in rows or columns: look at the pictures and choose",
    "order": "not sure whether pixels run along rows or columns: look at the pictures and choose",
}
"""What is said where a guess rests on custom alone, by the field of `ReadChoices`."""

# A dip below the first is that of pictures (measured 0.04 to 0.34, but 0.86 for tiny digits stored
# column by column); above the last there is none (0.91 to 1.17 for the samples of the same sets).
_DIP, _HARDLY, _NO_DIP = 0.6, 0.8, 0.9
# Faces: 0.02 to 0.11; single digits, which may be likelier to mirror top to bottom: from 0.4.
_PLAIN = 0.15
_ALIKE = 0.9
_MANY = 16
_VALUES = 4_000_000
_LARGEST = 1_000_000
_MOST_SHAPES = 24


def image_shapes(n_pixels: int) -> tuple[Size, ...]:
    """Some (height, width) of so many pixels, the squarest first, upright before lying."""
    shapes: dict[Size, None] = {}
    for width in range(math.isqrt(n_pixels), 0, -1):
        if n_pixels % width == 0:
            height = n_pixels // width
            shapes |= {(height, width): None, (width, height): None}
    return tuple(shapes)[:_MOST_SHAPES]


def guess_image_shape(n_pixels: int) -> Size | None:
    """Guess (height, width): a square, else the squarest, upright; None for other things.

    A picture smaller than 5 × 5, or longer than 2 : 1, is likelier a row of other measurements.
    """
    height, width = next(iter(image_shapes(n_pixels)), (0, 0))
    likely = width >= 5 if height == width else n_pixels >= 256 and height <= 2 * width
    return (height, width) if likely else None


def pictures_lie_in(matrix: Array) -> tuple[SampleAxis, bool]:
    """Along which axis samples follow each other, and whether that is sure."""
    columns = _dip(_few(matrix.T), guess_image_shape(matrix.shape[0]) or ())
    if columns > _NO_DIP:  # whatever its columns hold, they are no pictures
        return "first", True
    rows = _dip(_few(matrix), guess_image_shape(matrix.shape[1]) or ())
    clear = (rows < _DIP and columns > _HARDLY) or (columns < _DIP and rows > _HARDLY)
    return "last" if columns < rows else "first", clear


def pixel_order(
    rows: Array, shape: Size, usual: PixelOrder, *, told: bool = False
) -> tuple[PixelOrder, Size, bool]:
    """Order of the pixels (else the ``usual`` one), their upright shape, whether it is sure."""
    if rows.shape[1] > _LARGEST:
        return usual, shape, False
    few = _few(rows)
    height, width = shape
    stored = shape if usual == "row" else shape[::-1]
    custom = usual
    dips = {stride: _dip(few, (stride,)) for stride in shape}
    near = min(dips, key=lambda stride: dips[stride])
    if len(few) < _MANY or dips[near] > _DIP:
        return usual, shape, False
    if height != width:
        if max(dips.values()) < _HARDLY:
            return usual, shape, False
        stored = (few.shape[1] // near, near)
        custom = "row" if stored == shape else "column"
        if told:
            return custom, shape, True
    upright = _upright(few.mean(axis=0).reshape(stored))
    order = upright or custom
    return order, stored if order == "row" else stored[::-1], upright == custom


def _few(matrix: Array) -> Array:
    """Some of the rows, evenly spaced, in floating point, without what is not finite."""
    most = max(16, min(512, _VALUES // max(1, matrix.shape[1])))
    few = matrix[:: max(1, len(matrix) // most), :_LARGEST].astype(np.float64)
    few[~np.isfinite(few)] = 0
    return few / max(1e-300, float(np.abs(few).max(initial=0)))


def _dip(rows: Array, strides: tuple[int, ...]) -> float:
    """How much more alike pixels a picture row apart are than those half a row off: a ratio."""

    def difference(lag: int) -> float:
        return float(np.square(rows[:, lag:] - rows[:, :-lag]).mean())

    least = math.inf
    for stride in strides:
        half = stride // 2
        if not half > 0 or stride + half >= rows.shape[1]:
            continue
        beside = min(difference(stride - half), difference(stride + half))
        if beside > 0:
            least = min(least, difference(stride) / beside)
    return least


def _upright(mean: Array) -> PixelOrder | None:
    """``row`` if it mirrors left to right alone, ``column`` if top to bottom alone."""
    off = mean - mean.mean()
    total = float(np.square(off).sum())
    if total == 0:
        return None
    beside = 1 - float((off * off[:, ::-1]).sum()) / total
    above = 1 - float((off * off[::-1]).sum()) / total
    if min(beside, above) > 1 - _ALIKE or min(beside, above) > _PLAIN * max(beside, above):
        return None
    return "row" if beside < above else "column"
