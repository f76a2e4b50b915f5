"""Pixels to pictures: grey faces, importance, masks, signed maps, contact sheets, PNG and SVG.

A picture is an array of uint8, (h, w) for grey and (h, w, 3) for colour; it is enlarged only when
a file is written, by a whole factor. Every kind of picture has a text alternative (``…_alt``).
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image, ImageDraw, ImageFont

from cspca.figures import style
from cspca.figures.style import IMPORTANCE, LIGHT, RGB, ZERO, hex_to_rgb, to_rgb
from cspca.figures.words import PLAIN, Nouns

if TYPE_CHECKING:
    import plotly.graph_objects as go

Picture = NDArray[np.uint8]

# Most pixels of a map with hover (a larger map is better drawn as a picture), and of an SVG that
# draws each pixel as a rectangle, so that no program can blur it.
MOST_POINTED = 65_536
MOST_RECTS = 20_000


def png_bytes(picture: Picture) -> bytes:
    """Write a picture as PNG; the same picture always gives the same bytes."""
    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(picture)).save(buffer, format="PNG")
    return buffer.getvalue()


def data_uri(picture: Picture) -> str:
    """Write a picture as a ``data:image/png;base64,…`` address."""
    return "data:image/png;base64," + base64.b64encode(png_bytes(picture)).decode("ascii")


def base64_of(array: ArrayLike) -> str:
    """Encode the bytes of an array as base64, for a script in a browser."""
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")


def grey(image: ArrayLike, white: float = 1.0) -> Picture:
    """Return an image in grey: 0 and NaN are black, the value `white` is white."""
    return to_rgb(image, style.GREYS, 0.0, white)[..., 0]


def importance_rgb(scores: ArrayLike, *, zeros: str | None = ZERO) -> RGB:
    """Colour scores; exact zeros and NaN get the flat colour `zeros`, if there is one."""
    plane = np.asarray(scores, dtype=np.float64)
    rgb = to_rgb(plane, IMPORTANCE, *score_range(plane))
    if zeros is not None:
        rgb[(plane == 0) | np.isnan(plane)] = hex_to_rgb(zeros)
    return rgb


def score_range(scores: ArrayLike) -> tuple[float, float]:
    """Return the ends of the colour scale of a score map: 0 (or the smallest) and the largest."""
    array = np.asarray(scores, dtype=np.float64)
    finite = array[np.isfinite(array)]
    low = float(finite.min(initial=0.0))
    return low, float(finite.max(initial=low))


def top_mask(order: ArrayLike, k: int, image_shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Mark the first k pixels of an order, best first."""
    pixels = np.asarray(order)
    mask = np.zeros(pixels.size, dtype=bool)
    mask[pixels[: max(0, k)]] = True
    return mask.reshape(image_shape)


def masked_rgb(image: ArrayLike, mask: ArrayLike) -> RGB:
    """Show which pixels of a face are selected: those in grey, the others in dark blue tones."""
    selected, plain = np.asarray(mask, dtype=bool)[..., None], grey(image)
    rgb: RGB = np.where(selected, style.GREYS[plain], style.LEFT_OUT[plain])
    return rgb


def mask_rgb(mask: ArrayLike) -> RGB:
    """Draw a mask by itself: selected pixels light, the others in the colour of exact zeros."""
    selected = np.asarray(mask, dtype=bool)[..., None]
    rgb: RGB = np.where(selected, hex_to_rgb("#f2f4f7"), hex_to_rgb(ZERO))
    return rgb


def signed_rgb(image: ArrayLike, dark: bool = False, reach: float = 0.0) -> RGB:
    """Colour signed values, such as a row of W, with zero in the middle of the scale.

    The scale goes from ``-reach`` to `reach`; by default, as far as the values do.
    """
    plane = np.asarray(image, dtype=np.float64)
    # Where all values are zero: the middle of the colour scale, not one of its ends.
    reach = reach or float(np.nanmax(np.abs(plane), initial=0.0)) or 1.0
    table = style.DIVERGING_DARK if dark else style.DIVERGING
    return to_rgb(np.nan_to_num(plane), table, -reach, reach)


def signed_levels(image: ArrayLike, reach: float) -> NDArray[np.uint8]:
    """Signed values as places in a table of 256 colours, from ``-reach`` to `reach`."""
    share = np.asarray(image, dtype=np.float64) / (reach or 1.0)
    levels: NDArray[np.uint8] = np.round(127.5 + 127.5 * np.clip(share, -1.0, 1.0)).astype(np.uint8)
    return levels


def contact_sheet(images: ArrayLike, columns: int) -> Picture:
    """Lay pictures of one size out in rows: uint8, or float images in [0, 1], drawn grey."""
    tiles = np.asarray(images)
    tiles = tiles if tiles.dtype == np.uint8 else grey(tiles)
    columns = min(columns, len(tiles))
    rows = -(-len(tiles) // columns)
    _, height, width = tiles.shape
    # Middle grey between the images, and where the last row is not full.
    sheet = np.full((rows * columns, height + 1, width + 1), 128, dtype=np.uint8)
    sheet[: len(tiles), :height, :width] = tiles
    whole = sheet.reshape(rows, columns, height + 1, width + 1).swapaxes(1, 2)
    return whole.reshape(rows * (height + 1), -1)[:-1, :-1]


def image_alt(image: ArrayLike, name: str = "Image") -> str:
    """Describe a grey image in one sentence."""
    plane = np.asarray(image, dtype=np.float64)
    return (
        f"{name}, {plane.shape[0]} × {plane.shape[1]} pixels, mean grey level "
        f"{100 * float(np.nanmean(plane)):.0f} % of white."
    )


def importance_alt(
    scores: ArrayLike, names: Sequence[str] | None = None, nouns: Nouns = PLAIN
) -> str:
    """Describe a map of scores in one sentence, or scores of features that may have `names`."""
    values = np.asarray(scores, dtype=np.float64)
    filled, zero = np.nan_to_num(values), int((values == 0).sum())
    best = int(filled.argmax())
    if values.ndim == 2:
        what, size = "pixels", f"{values.size:,} pixels ({values.shape[0]} × {values.shape[1]})"
        row, column = divmod(best, values.shape[1])
        place = f"at row {row + 1}, column {column + 1}"
    else:
        what = nouns.features
        size = f"{values.size:,} {nouns.feature if values.size == 1 else what}"
        place = f"number {best + 1}" if names is None else names[best]
    head = f"Importance of {size}"
    if np.isnan(values).all():
        return f"{head}: no scores yet."
    if zero == values.size:
        return f"{head}: every score is exactly zero."
    if filled.max() == filled.min():
        return f"{head}: every score is {filled.max():.4g}, so all {what} tie."
    zeros = f"{zero:,} {'is' if zero == 1 else 'are'} exactly zero"
    strongest = np.count_nonzero(filled == filled.max())
    if strongest > 1:
        return f"{head}: {zeros}; the strongest, {strongest:,} that tie, have {filled.max():.4g}."
    return f"{head}: {zeros}; the strongest, {place}, has {filled.max():.4g}."


def mask_alt(mask: ArrayLike) -> str:
    """Describe a mask in one sentence: how many pixels, and in which half they lie."""
    selected = np.asarray(mask, dtype=bool)
    count, size = int(selected.sum()), selected.size
    text = f"{count:,} of {size:,} pixels are kept ({100 * count / max(size, 1):.0f} %)"
    if 0 < count < size:
        upper = int(selected[: selected.shape[0] // 2].sum())
        text += f", {100 * upper / count:.0f} % of them in the upper half of the image"
    return text + "."


def signed_alt(image: ArrayLike, name: str) -> str:
    """Describe a signed map in one sentence that begins with the `name` of its values."""
    plane = np.nan_to_num(np.asarray(image, dtype=np.float64))
    if not plane.any():
        return f"{name}: all {plane.size:,} are exactly zero."
    return (
        f"{name}: {int((plane > 0).sum()):,} positive and {int((plane < 0).sum()):,} "
        f"negative, from {plane.min():.3g} to {plane.max():.3g}."
    )


def frequency_map(frequency: ArrayLike, n_halves: int, title: str) -> go.Figure:
    """Draw the share of halves that select each pixel, (height, width); none is flat.

    Parameters
    ----------
    frequency : array-like of shape (height, width)
        Shares in [0, 1].
    n_halves : int
        How many halves they are shares of.
    title : str
        The question that the map answers.
    """
    plane = np.asarray(frequency, dtype=np.float64)
    always, never = np.count_nonzero(plane == 1.0), np.count_nonzero(plane == 0.0)
    alt = (
        f"Of {plane.size:,} pixels {always:,} are selected by all of {n_halves} halves, {never:,} "
        f"by none, {plane.size - always - never:,} by some."
    )
    counts = np.round(plane * n_halves).astype(int)
    labels = np.array([f"{count:,} of {n_halves:,} halves" for count in range(n_halves + 1)])
    return _pixel_map(
        plane,
        (0.0, 1.0),
        title,
        alt,
        labels[counts],
        # Labels at the ends of the bar would be cut.
        bar={
            "title_text": "Share of halves",
            "tickformat": ".0%",
            "tickvals": [0.1, 0.3, 0.5, 0.7, 0.9],
        },
    )


CERTAINTY_COLOURS = ("#4a505c", "#56b4e9", "#e69f00", "#009e73")
"""Of pixels that are neither, reproducible, proven, both; the last three of Okabe and Ito."""


def certainty_map(certainty: ArrayLike, title: str) -> go.Figure:
    """Draw which pixels are proven to score little, and which are reproducible.

    Parameters
    ----------
    certainty : array-like of int, shape (height, width)
        0 neither, 1 reproducible, 2 proven, 3 both.
    title : str
        The question that the map answers.
    """
    plane = np.asarray(certainty)
    names = ("Neither", "Reproducible", "Proven", "Both")
    counts = np.bincount(plane.ravel(), minlength=len(names))
    alt = (
        f"Of {plane.size:,} pixels {counts[3]:,} are proven and reproducible, {counts[2]:,} only "
        f"proven, {counts[1]:,} only reproducible, {counts[0]:,} neither."
    )
    steps = [
        [(number + end) / len(names), colour]
        for number, colour in enumerate(CERTAINTY_COLOURS)
        for end in (0, 1)
    ]
    return _pixel_map(
        plane.astype(np.float64),
        (-0.5, len(names) - 0.5),
        title,
        alt,
        np.array(["neither", "only reproducible", "only proven", "proven and reproducible"])[plane],
        bar={"tickvals": list(range(len(names))), "ticktext": list(names)},
        colours=steps,
    )


def importance_map(scores: ArrayLike, ranks: ArrayLike) -> go.Figure:
    """Draw the score and rank of every pixel, counted from 1; exact zeros are flat.

    Pixels that tie have the same rank, and the hover text has their number.
    """
    plane, places = np.asarray(scores, dtype=np.float64), np.asarray(ranks)
    shared, at, counts = np.unique(places, return_inverse=True, return_counts=True)
    labels = [
        f"rank {rank:,}" if count == 1 else f"rank {rank:,}, shared by {count:,}"
        for rank, count in zip(shared.tolist(), counts.tolist(), strict=True)
    ]
    if len(labels) == 1 and places.size > 1:
        labels = ["tied with all"]
    return _pixel_map(
        plane,
        score_range(plane),
        "Which pixels matter?",
        importance_alt(plane),
        np.array(labels)[at].reshape(places.shape),
        value="<br>score %{z:.4g}",
        zero="<br>exactly zero",
        bar={"title_text": "Importance ‖w<sub>j</sub>‖", "tickformat": ".2~g"},
    )


def _pixel_map(
    plane: NDArray[np.float64],
    ends: tuple[float, float],
    title: str,
    alt: str,
    labels: NDArray[np.str_],
    *,
    value: str = "",
    zero: str = "",
    bar: dict[str, object],
    colours: Sequence[Sequence[object]] = (),
) -> go.Figure:
    """Draw numbers of pixels; exact zeros are flat, unless there are `colours` of all numbers.

    Hover text is a label, then the value.
    """
    height, width = plane.shape
    low, high = ends
    drawn = style.figure(
        title,
        alt,
        # The map is at most 440 pixels wide and keeps its aspect ratio.
        height=round(min(440 * height / width, 550)) + 70,
        bar=True,
    )
    common = {
        "x": np.arange(1, width + 1),
        "y": np.arange(1, height + 1),
        "customdata": labels,
    }
    hover = "row %{y}, column %{x}<br>%{customdata}"
    drawn.add_heatmap(
        **common,
        z=plane,
        zmin=low,
        zmax=high if high > low else low + 1.0,
        colorscale=colours or style.colour_scale(),
        colorbar=bar,
        hovertemplate=f"{hover}{value}<extra></extra>",
    )
    if not colours and (plane == 0).any():
        drawn.add_heatmap(
            **common,
            z=np.where(plane == 0, 1.0, np.nan),
            colorscale=[[0, ZERO], [1, ZERO]],
            showscale=False,
            hovertemplate=f"{hover}{zero}<extra></extra>",
        )
    bare = {"showgrid": False, "showticklabels": False, "constrain": "domain"}
    drawn.update_xaxes(bare)
    # Directly below the colour bar, also on a narrow page.
    drawn.update_yaxes(bare, autorange="reversed", scaleanchor="x", constraintoward="top")
    drawn.update_layout(margin={"l": 4, "r": 4, "b": 4})
    return drawn


def _sheet(
    plane: NDArray[np.float64],
) -> tuple[int, int, int, int, list[tuple[float, str, float, str]]]:
    """Lay out a map above its scale, in pixels, for a saved picture.

    Returns the enlargement factor, the font size, width and height, and the texts: x, the anchor,
    the base line and the text of each; the fourth is the key of exact zeros, if there are any.
    """
    # About 1,024 pixels along the longer side; the factor is a whole number.
    factor = max(1, round(1024 / max(plane.shape)))
    height, width = (factor * side for side in plane.shape)
    # The scale is at least as wide as its texts, whatever the shape of the map.
    size = max(12, round(max(width, 320) / 32))
    wide = max(width, 18 * size)
    line, (low, high) = height + 2.7 * size, score_range(plane)
    words = [
        (0.0, "start", line, f"{low:.3g}"),
        (wide / 2, "middle", line, "importance"),
        (float(wide), "end", line, f"{high:.3g}"),
    ]
    zeros = int((plane == 0).sum())
    if zeros:
        words.append((1.5 * size, "start", line + 1.7 * size, f"exactly zero ({zeros:,})"))
    return factor, size, wide, height + round((5.2 if zeros else 3.4) * size), words


def importance_png(scores: ArrayLike) -> bytes:
    """Draw a map with its scale as PNG."""
    plane = np.asarray(scores, dtype=np.float64)
    factor, size, wide, tall, words = _sheet(plane)
    large = importance_rgb(plane).repeat(factor, axis=0).repeat(factor, axis=1)
    height, width = large.shape[:2]
    # On a light background: saved pictures go into papers.
    page = Image.new("RGB", (wide, tall), LIGHT.page)
    page.paste(Image.fromarray(large), ((wide - width) // 2, 0))
    bar = Image.fromarray(np.ascontiguousarray(IMPORTANCE[None]))
    page.paste(bar.resize((wide, round(0.8 * size))), (0, height + round(0.7 * size)))
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(size)
    ends = {"start": "ls", "middle": "ms", "end": "rs"}
    for x, end, line, text in words:
        draw.text((x, line), text, fill=LIGHT.ink, font=font, anchor=ends[end])
    for _, _, line, _ in words[3:]:
        draw.rectangle((0, line - 0.9 * size, size, line + 0.1 * size), fill=ZERO)
    return png_bytes(np.asarray(page))


def importance_svg(scores: ArrayLike, title: str = "Importance of the pixels") -> str:
    """Draw a map with its scale as SVG: as rectangles or, beyond `MOST_RECTS`, as an image."""
    plane = np.asarray(scores, dtype=np.float64)
    factor, size, wide, tall, words = _sheet(plane)
    height, width = (factor * side for side in plane.shape)
    stops = "".join(
        f'<stop offset="{at:.4f}" stop-color="{colour}"/>' for at, colour in style.colour_scale()
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" '
        f'width="{wide / 2:g}" height="{tall / 2:g}" role="img">',
        f"<title>{escape(title)}</title><desc>{escape(importance_alt(plane))}</desc>",
        f'<defs><linearGradient id="scale">{stops}</linearGradient></defs>',
        f'<rect width="100%" height="100%" fill="{LIGHT.page}"/>',
        f'<g transform="translate({(wide - width) / 2:g} 0) scale({factor})" '
        'shape-rendering="crispEdges">',
        *pixels_svg(importance_rgb(plane)),
        "</g>",
        f'<rect y="{height + 0.7 * size:g}" width="{wide}" height="{0.8 * size:g}" '
        'fill="url(#scale)"/>',
        f'<g fill="{LIGHT.ink}" font-size="{size}" font-family=\'{style.FONT}\'>',
    ]
    for x, end, line, text in words:
        parts.append(f'<text x="{x:g}" y="{line:g}" text-anchor="{end}">{escape(text)}</text>')
    for _, _, line, _ in words[3:]:
        side = f'width="{size}" height="{size}"'
        parts.append(f'<rect y="{line - 0.9 * size:g}" {side} fill="{ZERO}"/>')
    return "\n".join([*parts, "</g>", "</svg>", ""])


def pixels_svg(rgb: NDArray[np.uint8]) -> Iterator[str]:
    """Yield one rectangle for each run of one colour in a row, or one image of all pixels."""
    height, width = rgb.shape[:2]
    if width * height > MOST_RECTS:
        yield (
            f'<image width="{width}" height="{height}" style="image-rendering:pixelated" '
            f'href="{data_uri(rgb)}"/>'
        )
        return
    for y, row in enumerate(rgb.tolist()):
        x = 0
        for colour, run in groupby(row):
            long = len(list(run))
            fill = style.rgb_to_hex(colour)
            yield f'<rect x="{x}" y="{y}" width="{long}" height="1" fill="{fill}"/>'
            x += long
