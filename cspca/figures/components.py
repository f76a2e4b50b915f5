"""Components as pictures to save, and the scree: what they explain, against PCA's ceiling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image, ImageDraw, ImageFont

from cspca.figures import style
from cspca.figures.pictures import pixels_svg, png_bytes, signed_alt, signed_rgb
from cspca.figures.style import ACCENT, LIGHT, NEUTRAL

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from cspca.figures.style import RGB

_IN_A_ROW: Final = 6
_GAP: Final = 12
_LETTERS: Final = 14
"""Size of the letters of a caption, in pixels; a line takes as much again and a half."""

_SIDE: Final = 200
"""Least length of the longer side of an enlarged picture, whose captions have to stand below it."""


@dataclass(frozen=True, eq=False)
class Captioned:
    """A component as a picture.

    Parameters
    ----------
    plane : ndarray of shape (height, width)
        Its entries.
    lines : tuple of str
        What stands below it.
    reach : float
        Where the colour scale ends, on both sides of zero.
    """

    plane: NDArray[np.float64]
    lines: tuple[str, ...]
    reach: float

    @property
    def alt(self) -> str:
        """The picture in one sentence."""
        return signed_alt(self.plane, self.lines[0])


@dataclass(frozen=True, eq=False)
class _Tile:
    """One picture of a sheet, its left upper corner, and the lines below it."""

    rgb: RGB
    x: int
    y: int
    lines: tuple[str, ...]


def _sheet(rows: Sequence[Sequence[Captioned]]) -> tuple[int, int, int, list[_Tile]]:
    """Lay pictures out: the enlargement factor, width and height in pixels, and the tiles."""
    height, width = rows[0][0].plane.shape
    factor = max(1, -(-_SIDE // max(height, width)))
    across = max(factor * width, _SIDE)
    down = factor * height + 4 * _LETTERS
    tiles, y = [], _GAP
    for start in range(0, len(rows[0]), _IN_A_ROW):
        for row in rows:
            for at, shown in enumerate(row[start : start + _IN_A_ROW]):
                x = _GAP + at * (across + _GAP)
                tiles.append(_Tile(signed_rgb(shown.plane, reach=shown.reach), x, y, shown.lines))
            y += down + _GAP
    count = min(len(rows[0]), _IN_A_ROW)
    return factor, _GAP + count * (across + _GAP), y, tiles


def sheet_png(rows: Sequence[Sequence[Captioned]]) -> bytes:
    """Draw components above those of PCA as PNG on a light page, each pair of them on one scale.

    Parameters
    ----------
    rows : sequence of sequences
        Rows of equally many pictures with captions, all pictures of one shape.
    """
    factor, wide, tall, tiles = _sheet(rows)
    page = Image.new("RGB", (wide, tall), LIGHT.page)
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(_LETTERS)
    for tile in tiles:
        large = tile.rgb.repeat(factor, axis=0).repeat(factor, axis=1)
        page.paste(Image.fromarray(large), (tile.x, tile.y))
        below = tile.y + len(large)
        for number, line in enumerate(tile.lines):
            place = tile.x, below + (1.2 + 1.3 * number) * _LETTERS
            draw.text(place, line, fill=LIGHT.ink, font=font, anchor="ls")
    return png_bytes(np.asarray(page))


def sheet_svg(rows: Sequence[Sequence[Captioned]]) -> str:
    """Draw components above those of PCA as SVG, with the parameters of :func:`sheet_png`."""
    factor, wide, tall, tiles = _sheet(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" width="{wide}" '
        f'height="{tall}" role="img">',
        "<title>Components, and below them those of PCA</title>",
        f'<rect width="100%" height="100%" fill="{LIGHT.page}"/>',
    ]
    for tile in tiles:
        place = f'transform="translate({tile.x} {tile.y}) scale({factor})"'
        parts += [f'<g {place} shape-rendering="crispEdges">', *pixels_svg(tile.rgb), "</g>"]
    parts.append(f'<g fill="{LIGHT.ink}" font-size="{_LETTERS}" font-family=\'{style.FONT}\'>')
    for tile in tiles:
        below = tile.y + factor * len(tile.rgb)
        for number, line in enumerate(tile.lines):
            y = below + (1.2 + 1.3 * number) * _LETTERS
            parts.append(f'<text x="{tile.x}" y="{y:g}">{escape(line)}</text>')
    return "\n".join([*parts, "</g>", "</svg>", ""])


def scree(ratios: ArrayLike, pca_ratios: ArrayLike, question: str) -> go.Figure:
    """Draw the explained share against the number of components.

    Parameters
    ----------
    ratios : array-like of shape (rank,)
        `explained_variance_ratio_` of a fit.
    pca_ratios : array-like of shape (n_axes,)
        The same of PCA, which no map of that rank can pass.
    question : str
        Title of the figure.
    """
    explained = np.cumsum(np.asarray(ratios, dtype=np.float64))
    ceiling = np.cumsum(np.asarray(pca_ratios, dtype=np.float64))
    n = len(explained)
    alt = "W = 0 has no component and explains nothing."
    if n:
        alt = (
            f"{n:,} components explain {100 * explained[-1]:.1f} %, the first "
            f"{100 * explained[0]:.1f} %; as many of PCA explain {100 * ceiling[n - 1]:.1f} %."
        )
    drawn = style.figure(question, alt, height=260)
    shown = ceiling[: max(2 * n, 10)]
    for name, shares, colour, dash in (
        ("PCA, the ceiling", shown, NEUTRAL, "dot"),
        ("CSPCA", explained, ACCENT, "solid"),
    ):
        drawn.add_scatter(
            x=np.arange(len(shares) + 1),
            y=np.concatenate([[0.0], shares]),
            name=name,
            mode="lines+markers" if len(shares) <= 30 else "lines",
            line={"color": colour, "dash": dash, "width": 2},
            marker={"size": 5},
            hovertemplate="%{x} components<br>%{y:.1%} explained<extra></extra>",
            showlegend=True,
        )
    drawn.update_layout(showlegend=True)
    drawn.update_xaxes(title_text="Number of components", showgrid=False, tickformat=",d")
    drawn.update_yaxes(
        title_text="Explained share",
        tickformat=".0%",
        range=[min(0.0, float(explained.min(initial=0.0))), 1.02],
    )
    return drawn
