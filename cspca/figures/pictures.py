"""Pixels to pictures: grey faces, importance maps, masks, signed maps, contact sheets, PNG bytes.

A picture is an array of uint8, (h, w) for grey and (h, w, 3) for colour, enlarged only on the way
to a file, by whole factors. Every picture has a sentence for those who do not see it (``…_alt``).
"""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from cspca.figures.colours import (
    DIVERGING,
    DIVERGING_DARK,
    GREYS,
    IMPORTANCE,
    LEFT_OUT,
    RGB,
    ZERO,
    hex_to_rgb,
    to_rgb,
)

Picture = NDArray[np.uint8]


def _plane(image: ArrayLike, what: str) -> NDArray[np.float64]:
    plane = np.asarray(image, dtype=np.float64)
    if plane.ndim != 2 or plane.size == 0:
        raise ValueError(f"{what} has shape {plane.shape}; give a non-empty (height, width) array.")
    return plane


def _picture(picture: ArrayLike) -> Picture:
    array = np.asarray(picture)
    shaped = array.ndim == 2 or (array.ndim == 3 and array.shape[2] == 3)
    if array.dtype != np.uint8 or not shaped or array.size == 0:
        raise ValueError(
            f"The picture is {array.dtype} of shape {array.shape}; give uint8 of shape "
            "(height, width) or (height, width, 3)."
        )
    return cast(Picture, array)


def enlarge(picture: ArrayLike, scale: int) -> Picture:
    """Repeat every pixel `scale` times in both directions."""
    if scale < 1:
        raise ValueError(f"The scale is {scale}; give a whole number of at least 1.")
    return _picture(picture).repeat(scale, axis=0).repeat(scale, axis=1)


def png_bytes(picture: ArrayLike) -> bytes:
    """Write a picture as PNG; the same picture always gives the same bytes."""
    buffer = io.BytesIO()
    Image.fromarray(_picture(picture)).save(buffer, format="PNG")
    return buffer.getvalue()


def data_uri(picture: ArrayLike) -> str:
    """Write a picture as a ``data:image/png;base64,…`` address."""
    return "data:image/png;base64," + base64.b64encode(png_bytes(picture)).decode("ascii")


def grey(image: ArrayLike, vmin: float | None = 0.0, vmax: float | None = 1.0) -> Picture:
    """Turn an image grey, `vmin` (None: its least value) and NaN black, `vmax` white."""
    return to_rgb(_plane(image, "The image"), GREYS, vmin, vmax)[..., 0]


def importance_rgb(
    scores: ArrayLike,
    vmin: float | None = None,
    vmax: float | None = None,
    *,
    zeros: str | None = ZERO,
) -> RGB:
    """Colour scores; exact zeros and NaN get the flat colour `zeros`, if there is one."""
    plane = _plane(scores, "The score map")
    low, high = score_range(plane, vmin, vmax)
    rgb = to_rgb(plane, IMPORTANCE, low, high)
    if zeros is not None:
        rgb[(plane == 0) | np.isnan(plane)] = hex_to_rgb(zeros)
    return rgb


def score_range(
    scores: ArrayLike, vmin: float | None = None, vmax: float | None = None
) -> tuple[float, float]:
    """Give the ends of the colour scale of a score map: 0 (or the smallest) to the largest."""
    array = np.asarray(scores, dtype=np.float64)
    finite = array[np.isfinite(array)]
    low = min(0.0, float(finite.min(initial=0.0))) if vmin is None else float(vmin)
    high = float(finite.max(initial=low)) if vmax is None else float(vmax)
    return low, high


def top_mask(order: ArrayLike, k: int, image_shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Mark the first k pixels of an order, best first."""
    pixels = np.asarray(order)
    height, width = image_shape
    if pixels.shape != (height * width,):
        raise ValueError(
            f"The order has {pixels.size} pixels, the image {height} × {width} has "
            f"{height * width}; give one entry a pixel."
        )
    mask = np.zeros(pixels.size, dtype=bool)
    mask[pixels[: max(0, k)]] = True
    return mask.reshape(image_shape)


def masked_rgb(image: ArrayLike, mask: ArrayLike) -> RGB:
    """Show which pixels of a face are kept: in full grey range, the others in dark blue tones."""
    kept = np.asarray(mask, dtype=bool)
    plain = grey(image)
    if kept.shape != plain.shape:
        raise ValueError(
            f"The mask has shape {kept.shape}, the image {plain.shape}; both must be the same."
        )
    rgb: RGB = np.where(kept[..., None], GREYS[plain], LEFT_OUT[plain])
    return rgb


def mask_rgb(mask: ArrayLike) -> RGB:
    """Draw a mask by itself: kept pixels light, the others in the colour of exact zeros."""
    kept = np.asarray(mask, dtype=bool)[..., None]
    rgb: RGB = np.where(kept, hex_to_rgb("#f2f4f7"), hex_to_rgb(ZERO))
    return rgb


def signed_rgb(image: ArrayLike, dark: bool = False) -> RGB:
    """Colour signed values, such as a row of W, with zero in the middle of the scale."""
    plane = _plane(image, "The signed map")
    # Where nothing has a sign: the middle of the map, not one of its ends.
    reach = float(np.nanmax(np.abs(plane), initial=0.0)) or 1.0
    return to_rgb(np.nan_to_num(plane), DIVERGING_DARK if dark else DIVERGING, -reach, reach)


def contact_sheet(
    images: Sequence[ArrayLike] | NDArray[np.generic], columns: int, gap: int = 1
) -> Picture:
    """Lay pictures of one size out in rows: uint8, or float images in [0, 1], drawn grey."""
    tiles = [_tile(image) for image in images]
    if not tiles:
        raise ValueError("There is no picture to lay out; give at least one.")
    if columns < 1:
        raise ValueError(f"The sheet has {columns} columns; give at least 1.")
    size = tiles[0].shape[:2]
    for number, tile in enumerate(tiles):
        if tile.shape[:2] != size:
            raise ValueError(
                f"Picture {number} is {tile.shape[0]} × {tile.shape[1]}, the first is "
                f"{size[0]} × {size[1]}; all must be the same size."
            )
    columns = min(columns, len(tiles))
    rows = -(-len(tiles) // columns)
    height, width = rows * (size[0] + gap) - gap, columns * (size[1] + gap) - gap
    mode = "L" if all(tile.ndim == 2 for tile in tiles) else "RGB"
    sheet = Image.new(mode, (width, height), "#808080")
    for number, tile in enumerate(tiles):
        row, column = divmod(number, columns)
        at = (column * (size[1] + gap), row * (size[0] + gap))
        sheet.paste(Image.fromarray(tile), at)
    return np.array(sheet)


def _tile(image: ArrayLike) -> Picture:
    array = np.asarray(image)
    return _picture(array) if array.dtype == np.uint8 else grey(array)


def face_alt(image: ArrayLike, name: str = "Face") -> str:
    """Describe a grey image in one sentence."""
    plane = _plane(image, "The image")
    return (
        f"{name}, {plane.shape[0]} × {plane.shape[1]} pixels, mean grey level "
        f"{100 * float(np.nanmean(plane)):.0f} % of white."
    )


def importance_alt(scores: ArrayLike) -> str:
    """Describe a score map in one sentence: zeros, range, and where the strongest pixel is."""
    plane = _plane(scores, "The score map")
    height, width = plane.shape
    filled = np.nan_to_num(plane)
    zero = int((filled == 0).sum())
    head = f"Importance of {plane.size:,} pixels ({height} × {width})"
    if np.isnan(plane).all():
        return f"{head}: no scores yet."
    if zero == plane.size:
        return f"{head}: every score is exactly zero."
    if filled.max() == filled.min():
        return f"{head}: every score is {filled.max():.4g}, so all pixels tie."
    row, column = np.unravel_index(int(filled.argmax()), plane.shape)
    return (
        f"{head}: {zero:,} are exactly zero; the strongest, at row {row + 1}, column "
        f"{column + 1}, has {filled.max():.4g}."
    )


def mask_alt(mask: ArrayLike) -> str:
    """Describe a mask in one sentence: how many pixels, and in which half they lie."""
    kept = np.asarray(mask, dtype=bool)
    count, size = int(kept.sum()), kept.size
    text = f"{count:,} of {size:,} pixels are kept ({100 * count / max(size, 1):.0f} %)"
    if 0 < count < size:
        upper = int(kept[: kept.shape[0] // 2].sum())
        text += f", {100 * upper / count:.0f} % of them in the upper half of the image"
    return text + "."


def signed_alt(image: ArrayLike, pixel: tuple[int, int] | None = None) -> str:
    """Describe a signed map in one sentence; `pixel` is the row and column that it belongs to."""
    plane = np.nan_to_num(_plane(image, "The signed map"))
    place = "" if pixel is None else f" of the pixel at row {pixel[0] + 1}, column {pixel[1] + 1}"
    if not plane.any():
        return f"Weights{place}: all {plane.size:,} are exactly zero."
    return (
        f"Weights{place}: {int((plane > 0).sum()):,} positive and {int((plane < 0).sum()):,} "
        f"negative, from {plane.min():.3g} to {plane.max():.3g}."
    )


def sheet_alt(count: int, columns: int, what: str = "images") -> str:
    """Describe a contact sheet of `what` in one sentence."""
    columns = max(1, min(columns, count))
    return f"{count:,} {what} in {-(-count // columns):,} rows of {columns:,}."
