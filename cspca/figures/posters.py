"""The importance map as a picture with its scale of colours: PNG by Pillow, SVG by hand.

Both are made here, without a browser; both show what the page shows.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from html import escape
from itertools import groupby

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image, ImageDraw, ImageFont

from cspca.figures.colours import IMPORTANCE, ZERO, hex_to_rgb, rgb_to_hex
from cspca.figures.pictures import (
    data_uri,
    enlarge,
    importance_alt,
    importance_rgb,
    score_range,
)
from cspca.figures.plotly_style import FONT

LONGEST_SIDE = 1024
"""Pixels of the longer side of the map, about: a pixel of the data takes a whole number of them."""

MOST_SIDE = 8192
"""Of a PNG; beyond, a picture that few programs open."""

MOST_RECTS = 20_000
"""Pixels up to which an SVG draws each by itself, so that no program can blur them."""

_INK, _PAPER = "#1f2730", "#ffffff"


@dataclass(frozen=True)
class _Legend:
    """What stands below the map, on a light page: pictures go into papers."""

    low: str
    high: str
    zeros: int

    @classmethod
    def of(cls, plane: NDArray[np.float64]) -> _Legend:
        low, high = score_range(plane)
        return cls(f"{low:.3g}", f"{high:.3g}", int((plane == 0).sum()))

    @property
    def words(self) -> str:
        return f"exactly zero ({self.zeros:,})"


def importance_png(scores: ArrayLike, scale: int | None = None) -> bytes:
    """Draw the importance of every pixel, with the scale of colours below, as PNG.

    Parameters
    ----------
    scores : array-like of shape (h, w)
    scale : int, optional
        Side of a pixel of the data, in pixels of the picture; by default so that the longer side
        takes about `LONGEST_SIDE`.

    Returns
    -------
    bytes

    Raises
    ------
    ValueError
        If there are no pixels, or the picture would be larger than `MOST_SIDE`.
    """
    plane = np.asarray(scores, dtype=np.float64)
    rgb = importance_rgb(plane)
    side = max(plane.shape)
    factor = max(1, round(LONGEST_SIDE / side)) if scale is None else int(scale)
    if factor < 1 or factor * side > MOST_SIDE:
        raise ValueError(
            f"A scale of {factor} makes a picture of {factor * side:,} pixels: choose from 1 to "
            f"{max(1, MOST_SIDE // side)}."
        )
    large = enlarge(rgb, factor)
    height, width = large.shape[:2]
    # The legend keeps its shape whatever the map's: at least as wide as its words need.
    size = max(12, round(max(width, 320) / 32))
    wide = max(width, 18 * size)
    legend = _Legend.of(plane)
    room = round((5.2 if legend.zeros else 3.4) * size)
    page = Image.new("RGB", (wide, height + room), _PAPER)
    page.paste(Image.fromarray(large), ((wide - width) // 2, 0))
    draw = ImageDraw.Draw(page)
    font = ImageFont.load_default(size)
    top, thick = height + round(0.7 * size), round(0.8 * size)
    bar = np.broadcast_to(IMPORTANCE[None], (thick, 256, 3))
    page.paste(Image.fromarray(np.ascontiguousarray(bar)).resize((wide, thick)), (0, top))
    line = top + thick + round(0.35 * size)
    draw.text((0, line), legend.low, fill=_INK, font=font)
    draw.text((wide / 2, line), "importance", fill=_INK, font=font, anchor="ma")
    draw.text((wide, line), legend.high, fill=_INK, font=font, anchor="ra")
    if legend.zeros:
        line += round(1.7 * size)
        draw.rectangle((0, line, size, line + size), fill=ZERO)
        draw.text((round(1.5 * size), line), legend.words, fill=_INK, font=font)
    buffer = io.BytesIO()
    page.save(buffer, format="PNG")
    return buffer.getvalue()


def importance_svg(scores: ArrayLike, title: str = "Importance of the pixels") -> str:
    """Draw the importance of every pixel, with the scale of colours below, as SVG.

    Parameters
    ----------
    scores : array-like of shape (h, w)
    title : str, optional
        Of the document; may come from a file, and is escaped.

    Returns
    -------
    str
        Up to `MOST_RECTS` pixels each is a rectangle, or part of one; beyond, the map is a picture
        inside.
    """
    plane = np.asarray(scores, dtype=np.float64)
    rgb = importance_rgb(plane)
    height, width = plane.shape
    # In units of a pixel of the data; letters are a thirty-second of the width.
    wide = float(max(width, 0.55 * height))
    size = wide / 26
    left = (wide - width) / 2
    legend = _Legend.of(plane)
    top = height + 0.7 * size
    line = top + 2.0 * size
    high = height + (5.2 if legend.zeros else 3.4) * size
    stops = "".join(
        f'<stop offset="{share:.4f}" stop-color="{rgb_to_hex(IMPORTANCE[at])}"/>'
        for share, at in zip(
            np.linspace(0, 1, 33).tolist(), np.linspace(0, 255, 33).astype(int), strict=True
        )
    )

    def text(x: float, anchor: str, words: str, y: float = line) -> str:
        return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(words)}</text>'

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high:g}" '
        f'width="{LONGEST_SIDE / 2:g}" height="{LONGEST_SIDE / 2 * high / wide:g}" role="img">',
        f"<title>{escape(title)}</title><desc>{escape(importance_alt(plane))}</desc>",
        f'<defs><linearGradient id="scale">{stops}</linearGradient></defs>',
        f'<rect width="100%" height="100%" fill="{_PAPER}"/>',
        f'<g transform="translate({left:g} 0)" shape-rendering="crispEdges">',
        *(_rects(rgb) if plane.size <= MOST_RECTS else [_image(rgb)]),
        "</g>",
        f'<rect y="{top:g}" width="{wide:g}" height="{0.8 * size:g}" fill="url(#scale)"/>',
        f'<g fill="{_INK}" font-size="{size:g}" font-family=\'{FONT}\'>',
        text(0, "start", legend.low),
        text(wide / 2, "middle", "importance"),
        text(wide, "end", legend.high),
    ]
    if legend.zeros:
        parts += [
            f'<rect y="{line + 0.8 * size:g}" width="{size:g}" height="{size:g}" fill="{ZERO}"/>',
            text(1.5 * size, "start", legend.words, line + 1.7 * size),
        ]
    return "\n".join([*parts, "</g>", "</svg>", ""])


def mask_rgb(mask: ArrayLike) -> NDArray[np.uint8]:
    """Draw a mask by itself, without the picture that it belongs to.

    Parameters
    ----------
    mask : array-like of shape (h, w), bool

    Returns
    -------
    ndarray of shape (h, w, 3), uint8
        Kept pixels light, the others in the colour of exact zeros.
    """
    kept = np.asarray(mask, dtype=bool)
    picture = np.empty((*kept.shape, 3), dtype=np.uint8)
    picture[:] = hex_to_rgb(ZERO)
    picture[kept] = hex_to_rgb("#f2f4f7")
    return picture


def _rects(rgb: NDArray[np.uint8]) -> list[str]:
    """One rectangle for each run of one colour in a row."""
    found = []
    for y, row in enumerate(rgb.tolist()):
        x = 0
        for colour, run in groupby(row):
            length = len(list(run))
            found.append(
                f'<rect x="{x}" y="{y}" width="{length}" height="1" '
                f'fill="#{colour[0]:02x}{colour[1]:02x}{colour[2]:02x}"/>'
            )
            x += length
    return found


def _image(rgb: NDArray[np.uint8]) -> str:
    height, width = rgb.shape[:2]
    return (
        f'<image width="{width}" height="{height}" style="image-rendering:pixelated" '
        f'href="{data_uri(rgb)}"/>'
    )
