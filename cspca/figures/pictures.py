"""Pixels to pictures: grey faces, importance maps, masks, signed maps, contact sheets, PNG bytes.

A picture is an array of uint8, (h, w) for grey and (h, w, 3) for colour, one entry a pixel of the
data. It is enlarged only on the way to a file, by whole factors and without smoothing, so pixels
stay square and crisp. Every picture has a sentence for those who do not see it (``…_alt``).
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
    ACCENT,
    DIVERGING,
    DIVERGING_DARK,
    IMPORTANCE,
    RGB,
    ZERO,
    from_oklab,
    hex_to_rgb,
    to_oklab,
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
    """Repeat every pixel `scale` times in both directions.

    Parameters
    ----------
    picture : array of shape (h, w) or (h, w, 3), uint8
        What to enlarge.
    scale : int
        How often a pixel is repeated, at least 1.

    Returns
    -------
    ndarray of shape (h · scale, w · scale[, 3]), uint8
    """
    if scale < 1:
        raise ValueError(f"The scale is {scale}; give a whole number of at least 1.")
    return _picture(picture).repeat(scale, axis=0).repeat(scale, axis=1)


def png_bytes(picture: ArrayLike, scale: int = 1, min_side: int | None = None) -> bytes:
    """Write a picture as PNG.

    Parameters
    ----------
    picture : array of shape (h, w) or (h, w, 3), uint8
        Grey or colour.
    scale : int, default 1
        How often a pixel is repeated.
    min_side : int, optional
        In place of `scale`: the smallest whole factor that makes the longer side this long.

    Returns
    -------
    bytes
        The same picture always gives the same bytes.

    Raises
    ------
    ValueError
        If the picture is not uint8 of one of these shapes, or the scale is below 1.
    """
    array = _picture(picture)
    if min_side is not None:
        scale = max(1, -(-min_side // max(array.shape[:2])))
    buffer = io.BytesIO()
    Image.fromarray(enlarge(array, scale)).save(buffer, format="PNG")
    return buffer.getvalue()


def data_uri(picture: ArrayLike, scale: int = 1, min_side: int | None = None) -> str:
    """Write a picture as a ``data:image/png;base64,…`` address.

    Parameters
    ----------
    picture, scale, min_side
        As for `png_bytes`.

    Returns
    -------
    str
    """
    png = png_bytes(picture, scale, min_side)
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")


def grey(image: ArrayLike, vmin: float | None = 0.0, vmax: float | None = 1.0) -> Picture:
    """Turn an image into grey levels.

    Parameters
    ----------
    image : array-like of shape (h, w)
        Pixels, 0 black and 1 white unless said otherwise.
    vmin, vmax : float or None, default 0 and 1
        What is drawn black and white; None takes the smallest or largest pixel. What lies
        outside is clipped; NaN is black.

    Returns
    -------
    ndarray of shape (h, w), uint8
    """
    plane = _plane(image, "The image")
    ramp = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 3, axis=1)
    return to_rgb(plane, ramp, vmin, vmax)[..., 0]


def importance_rgb(
    scores: ArrayLike,
    vmin: float | None = None,
    vmax: float | None = None,
    *,
    zeros: str | None = ZERO,
) -> RGB:
    """Colour the scores of the pixels.

    Parameters
    ----------
    scores : array-like of shape (h, w)
        One score a pixel, large is important. NaN ("no score") is drawn like an exact zero.
    vmin : float, optional
        The lower end of the colour scale; by default 0, or the smallest score if any is negative.
    vmax : float, optional
        The upper end; by default the largest score.
    zeros : str or None, default ZERO
        The flat colour of exact zeros; None colours them by the scale like any other score.

    Returns
    -------
    ndarray of shape (h, w, 3), uint8
    """
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
    """Mark the first k pixels of an order.

    Parameters
    ----------
    order : array-like of shape (d,), int
        Pixel indices, best first (``feature_order_``).
    k : int
        How many to mark, 0 … d.
    image_shape : (int, int)
        Height and width, with height · width = d.

    Returns
    -------
    ndarray of shape (h, w), bool
    """
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


def masked_rgb(image: ArrayLike, mask: ArrayLike, *, tint: str = ACCENT) -> RGB:
    """Show which pixels of a face are kept.

    Kept pixels keep their full grey range. The others are drawn in a narrow range of dark, tinted
    tones: the face can still be made out, and no tinted pixel can be taken for a kept one, be it
    black or white.

    Parameters
    ----------
    image : array-like of shape (h, w)
        The face, 0 black and 1 white.
    mask : array-like of shape (h, w), bool
        The pixels to keep.
    tint : str, default ACCENT
        The hue of what is left out, as ``#rrggbb``.

    Returns
    -------
    ndarray of shape (h, w, 3), uint8
    """
    kept = np.asarray(mask, dtype=bool)
    plain = grey(image)
    if kept.shape != plain.shape:
        raise ValueError(
            f"The mask has shape {kept.shape}, the image {plain.shape}; both must be the same."
        )
    lab = to_oklab(hex_to_rgb(tint))
    # Lightness 0.27 … 0.47 at the tint's own hue: darker than most of a face, bluer than all of it.
    left_out = np.empty((*plain.shape, 3))
    left_out[..., 0] = 0.27 + 0.20 * plain / 255
    left_out[..., 1:] = 0.62 * lab[1:]
    rgb = from_oklab(left_out)
    rgb[kept] = plain[kept][:, None]
    return rgb


def signed_rgb(image: ArrayLike, limit: float | None = None, dark: bool = False) -> RGB:
    """Colour signed values, such as a row of W, with zero in the middle of the scale.

    Parameters
    ----------
    image : array-like of shape (h, w)
        Signed values.
    limit : float, optional
        The value of the full colours, at both signs; by default the largest magnitude.
    dark : bool, default False
        Use the map with a dark middle.

    Returns
    -------
    ndarray of shape (h, w, 3), uint8
    """
    plane = _plane(image, "The signed map")
    reach = float(np.nanmax(np.abs(plane), initial=0.0)) if limit is None else float(limit)
    if reach == 0:
        # Nothing has a sign: the middle of the map, not one of its ends.
        reach = 1.0
    return to_rgb(np.nan_to_num(plane), DIVERGING_DARK if dark else DIVERGING, -reach, reach)


def contact_sheet(
    images: Sequence[ArrayLike] | NDArray[np.generic],
    columns: int,
    gap: int = 1,
    background: str = "#808080",
) -> Picture:
    """Lay pictures of one size out in rows.

    Parameters
    ----------
    images : sequence of arrays, each (h, w) or (h, w, 3)
        uint8 pictures, or float images in [0, 1], which are drawn grey.
    columns : int
        Pictures in a row, at least 1.
    gap : int, default 1
        Pixels between two pictures.
    background : str, default "#808080"
        The colour of gaps and of empty places.

    Returns
    -------
    ndarray of shape (H, W) or (H, W, 3), uint8
        Grey if all pictures are grey and so is the background, else colour.

    Raises
    ------
    ValueError
        If there is no picture, or the sizes differ, or `columns` is below 1.
    """
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
    back = hex_to_rgb(background)
    height, width = rows * (size[0] + gap) - gap, columns * (size[1] + gap) - gap
    sheet = np.empty((height, width, 3), dtype=np.uint8)
    sheet[:] = back
    for number, tile in enumerate(tiles):
        top = (number // columns) * (size[0] + gap)
        left = (number % columns) * (size[1] + gap)
        colour = tile if tile.ndim == 3 else tile[:, :, None]
        sheet[top : top + size[0], left : left + size[1]] = colour
    if all(tile.ndim == 2 for tile in tiles) and len(set(back.tolist())) == 1:
        return sheet[:, :, 0].copy()
    return sheet


def _tile(image: ArrayLike) -> Picture:
    array = np.asarray(image)
    return _picture(array) if array.dtype == np.uint8 else grey(array)


def face_alt(image: ArrayLike, name: str = "Face") -> str:
    """Describe a grey image in one sentence.

    Parameters
    ----------
    image : array-like of shape (h, w)
        Pixels, 0 black and 1 white.
    name : str, default "Face"
        What the sentence calls it.

    Returns
    -------
    str
    """
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
    """Describe a signed map in one sentence.

    Parameters
    ----------
    image : array-like of shape (h, w)
        Signed values.
    pixel : (int, int), optional
        Row and column, counted from 0, of the pixel that the map belongs to.

    Returns
    -------
    str
        Rows and columns are counted from 1 in it.
    """
    plane = np.nan_to_num(_plane(image, "The signed map"))
    place = "" if pixel is None else f" of the pixel at row {pixel[0] + 1}, column {pixel[1] + 1}"
    if not plane.any():
        return f"Weights{place}: all {plane.size:,} are exactly zero."
    return (
        f"Weights{place}: {int((plane > 0).sum()):,} positive and {int((plane < 0).sum()):,} "
        f"negative, from {plane.min():.3g} to {plane.max():.3g}."
    )


def sheet_alt(count: int, columns: int, what: str = "images") -> str:
    """Describe a contact sheet in one sentence.

    Parameters
    ----------
    count : int
        Pictures on the sheet.
    columns : int
        Pictures in a row.
    what : str, default "images"
        What the pictures are, in the plural.

    Returns
    -------
    str
    """
    columns = max(1, min(columns, count))
    return f"{count:,} {what} in {-(-count // columns):,} rows of {columns:,}."
