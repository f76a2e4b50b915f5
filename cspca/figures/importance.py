"""The importance of every pixel: to be pointed at, as PNG by Pillow, and as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image, ImageDraw, ImageFont

from cspca.figures.colours import IMPORTANCE, ZERO, rgb_to_hex
from cspca.figures.pictures import (
    data_uri,
    enlarge,
    importance_alt,
    importance_rgb,
    png_bytes,
    score_range,
)
from cspca.figures.style import FONT, LIGHT, colour_scale, figure

if TYPE_CHECKING:
    import plotly.graph_objects as go

MOST_POINTED = 65_536
"""Pixels up to which a map can be pointed at; a larger one is better drawn as a picture."""

WIDEST = 440
"""Width of a map in pixels."""

LONGEST_SIDE = 1024
"""Pixels of the longer side of a PNG, about: a pixel of the data takes a whole number of them."""

MOST_RECTS = 20_000
"""Pixels up to which an SVG draws each by itself, so that no program can blur them."""


def importance_map(scores: ArrayLike, ranks: ArrayLike) -> go.Figure:
    """Draw the score and rank of every pixel, counted from 1; exact zeros are flat."""
    plane, places = np.asarray(scores, dtype=np.float64), np.asarray(ranks)
    height, width = plane.shape
    low, high = score_range(plane)
    drawn = figure(
        "Which pixels matter?",
        importance_alt(plane),
        # The map is as wide as there is room, and keeps its shape.
        height=round(min(WIDEST * height / width, 1.25 * WIDEST)) + 70,
        bar=True,
    )
    common = {"x": np.arange(1, width + 1), "y": np.arange(1, height + 1), "customdata": places}
    place = "row %{y}, column %{x}<br>rank %{customdata:,}"
    drawn.add_heatmap(
        **common,
        z=plane,
        zmin=low,
        zmax=high if high > low else low + 1.0,
        colorbar={"title_text": "Importance ‖w_j‖", "tickformat": ".2~g"},
        hovertemplate=f"{place}<br>score %{{z:.4g}}<extra></extra>",
    )
    if (plane == 0).any():
        drawn.add_heatmap(
            **common,
            z=np.where(plane == 0, 1.0, np.nan),
            colorscale=[[0, ZERO], [1, ZERO]],
            showscale=False,
            hovertemplate=f"{place}<br>exactly zero<extra></extra>",
        )
    bare = {"showgrid": False, "showticklabels": False, "constrain": "domain"}
    drawn.update_xaxes(bare)
    # Below the scale of colours, whatever room a narrow page leaves.
    drawn.update_yaxes(bare, autorange="reversed", scaleanchor="x", constraintoward="top")
    drawn.update_layout(margin={"l": 4, "r": 4, "b": 4})
    return drawn


def _legend(plane: NDArray[np.float64]) -> tuple[str, str, str]:
    """Give the words below a picture: both ends of its scale, and what is exactly zero."""
    low, high = score_range(plane)
    zeros = int((plane == 0).sum())
    return f"{low:.3g}", f"{high:.3g}", f"exactly zero ({zeros:,})" if zeros else ""


def importance_png(scores: ArrayLike) -> bytes:
    """Draw a map with its scale as PNG."""
    plane = np.asarray(scores, dtype=np.float64)
    factor = max(1, round(LONGEST_SIDE / max(plane.shape)))
    large = enlarge(importance_rgb(plane), factor)
    height, width = large.shape[:2]
    low, high, zeros = _legend(plane)
    # The legend keeps its shape whatever the map's: at least as wide as its words need.
    size = max(12, round(max(width, 320) / 32))
    wide = max(width, 18 * size)
    room = round((5.2 if zeros else 3.4) * size)
    # On a light page: pictures go into papers.
    page = Image.new("RGB", (wide, height + room), LIGHT.page)
    page.paste(Image.fromarray(large), ((wide - width) // 2, 0))
    bar = Image.fromarray(np.ascontiguousarray(IMPORTANCE[None]))
    top, thick = height + round(0.7 * size), round(0.8 * size)
    page.paste(bar.resize((wide, thick)), (0, top))
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(size)
    line = top + thick + round(0.35 * size)
    for x, anchor, words in ((0, "la", low), (wide / 2, "ma", "importance"), (wide, "ra", high)):
        draw.text((x, line), words, fill=LIGHT.ink, font=font, anchor=anchor)
    if zeros:
        line += round(1.7 * size)
        draw.rectangle((0, line, size, line + size), fill=ZERO)
        draw.text((round(1.5 * size), line), zeros, fill=LIGHT.ink, font=font)
    return png_bytes(np.asarray(page))


def importance_svg(scores: ArrayLike, title: str = "Importance of the pixels") -> str:
    """Draw a map with its scale as SVG: of rectangles, or beyond `MOST_RECTS` a picture."""
    plane = np.asarray(scores, dtype=np.float64)
    rgb = importance_rgb(plane)
    height, width = plane.shape
    low, high, zeros = _legend(plane)
    # In units of a pixel of the data; letters are a small part of the width.
    wide = float(max(width, 0.55 * height))
    size = wide / 26
    top = height + 0.7 * size
    line = top + 2.0 * size
    tall = height + (5.2 if zeros else 3.4) * size
    stops = "".join(
        f'<stop offset="{at:.4f}" stop-color="{colour}"/>' for at, colour in colour_scale()
    )

    def text(x: float, anchor: str, words: str, y: float = line) -> str:
        return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(words)}</text>'

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {tall:g}" '
        f'width="{LONGEST_SIDE / 2:g}" height="{LONGEST_SIDE / 2 * tall / wide:g}" role="img">',
        f"<title>{escape(title)}</title><desc>{escape(importance_alt(plane))}</desc>",
        f'<defs><linearGradient id="scale">{stops}</linearGradient></defs>',
        f'<rect width="100%" height="100%" fill="{LIGHT.page}"/>',
        f'<g transform="translate({(wide - width) / 2:g} 0)" shape-rendering="crispEdges">',
        *_pixels(rgb),
        "</g>",
        f'<rect y="{top:g}" width="{wide:g}" height="{0.8 * size:g}" fill="url(#scale)"/>',
        f'<g fill="{LIGHT.ink}" font-size="{size:g}" font-family=\'{FONT}\'>',
        text(0, "start", low),
        text(wide / 2, "middle", "importance"),
        text(wide, "end", high),
    ]
    if zeros:
        parts += [
            f'<rect y="{line + 0.8 * size:g}" width="{size:g}" height="{size:g}" fill="{ZERO}"/>',
            text(1.5 * size, "start", zeros, line + 1.7 * size),
        ]
    return "\n".join([*parts, "</g>", "</svg>", ""])


def _pixels(rgb: NDArray[np.uint8]) -> Iterator[str]:
    """Give one rectangle for each run of one colour in a row, or all of it as one picture."""
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
            fill = rgb_to_hex(colour)
            yield f'<rect x="{x}" y="{y}" width="{long}" height="1" fill="{fill}"/>'
            x += long
