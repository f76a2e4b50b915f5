"""A film as data that a browser plays without the server, and as a GIF."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image, ImageDraw, ImageFont

from cspca.figures.style import IMPORTANCE, LIGHT, ZERO, hex_to_rgb
from cspca.figures.words import from_optimum

WORDS = {
    "alpha": ("α: fewer {features} on the whole", "of α_max"),
    "beta": ("β: lower rank on the whole", "of β_max"),
    "iterations": ("The solvers at work", "iterations"),
}
"""Title of a film, and the unit of its values."""

SIGNS = {"alpha": "α", "beta": "β"}
"""Symbols of the penalties along which a film can go."""

_NUMBERS = ("objective", "bound", "used", "rank")


def payload(
    film: Any,
    sample: NDArray[np.float64] | None = None,
    features: str = "features",
    *,
    is_curve: bool = False,
) -> dict[str, Any]:
    """Return what a script needs to play the computed part of a film; arrays are of uint8.

    `film` is a :class:`cspca.experiments.film.Film`, `features` the noun for its columns.
    ``there`` are the indices of the computed values; all lists of a track are in their order.
    Scores are :func:`levels` of the film's largest score, ``top``. ``rebuilt`` is `sample`, the
    values of one row, as rebuilt by every frame; it is None if a frame has no fit. Its levels run
    over 0 – 1, or of a curve over ``span``. Numbers that are not computed yet are None.
    """
    title, unit = WORDS[film.along]
    available = [film.values[at] for at in film.there]
    shown = [(track, [track.frames[value] for value in available]) for track in film.tracks]
    rebuilt = [_rebuilt(frames, sample) for _, frames in shown]
    span = _span(rebuilt) if is_curve else None
    top = max((float(frame.scores.max()) for _, frames in shown for frame in frames), default=0.0)
    return {
        "along": film.along,
        "title": title.format(features=features),
        "unit": unit,
        "values": list(film.values),
        "there": list(film.there),
        "colours": _colours(),
        "tracks": [
            {
                "title": track.title,
                "colour": track.colour,
                "top": top,
                "scores": np.array([levels(frame.scores, top) for frame in frames], dtype=np.uint8),
                "rebuilt": None if values is None else _steps(values, *(span or (0.0, 1.0))),
                "proven": [_proven(frame.gap) for frame in frames],
                **{name: [_finite(getattr(frame, name)) for frame in frames] for name in _NUMBERS},
            }
            for (track, frames), values in zip(shown, rebuilt, strict=True)
        ],
        "span": span,
    }


def levels(scores: ArrayLike, top: float) -> NDArray[np.uint8]:
    """Scores as shares of `top` in 255 steps: 0 for exact zeros only, at least 1 for the rest."""
    array = np.asarray(scores, dtype=np.float64)
    share = array / top if top > 0.0 else np.zeros_like(array)
    steps = np.clip(np.round(255.0 * share), 1.0, 255.0)
    return np.where(array == 0.0, 0.0, steps).astype(np.uint8)


def _colours() -> NDArray[np.uint8]:
    """The colour of each level; exact zeros have their own."""
    return np.vstack([hex_to_rgb(ZERO), IMPORTANCE[1:]])


def _rebuilt(frames: list[Any], sample: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    fits = [frame.fit for frame in frames]
    if sample is None or None in fits:
        return None
    return np.array([fit.reconstruct(sample[None])[0] for fit in fits])


def _span(rebuilt: list[NDArray[np.float64] | None]) -> tuple[float, float] | None:
    """The least and the greatest value of what all frames rebuild."""
    ends = [(float(part.min()), float(part.max())) for part in rebuilt if part is not None]
    return (min(low for low, _ in ends), max(high for _, high in ends)) if ends else None


def _steps(values: NDArray[np.float64], low: float, high: float) -> NDArray[np.uint8]:
    """Values as 255 steps from the one end to the other."""
    shares = (values - low) / ((high - low) or 1.0)
    steps: NDArray[np.uint8] = np.round(255.0 * np.clip(shares, 0.0, 1.0)).astype(np.uint8)
    return steps


def _proven(gap: float) -> str | None:
    return from_optimum(gap) if math.isfinite(gap) else None


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


# A palette of 256 colours: exact zeros, levels of importance, and shades from the page to its ink.
_SHADES = 16
_COLOURS = 255 - _SHADES
_SIZE = 448
"""Approximate length of the longer side of a map in a GIF, in pixels."""
_PAUSE, _END = 160, 1600
"""Duration of a frame, and of the last one, in milliseconds."""


def gif(film: Any, shape: tuple[int, int] | None = None, features: str = "features") -> bytes:
    """Return a film as an endless GIF: the map or the bars of each solver, with their numbers.

    `shape` is the shape of an image. The colours of a map run from 0 to its own largest score.
    """
    values = [film.values[at] for at in film.there]
    if not values:
        raise ValueError("The film has no frame yet: wait until some are computed.")
    pictures = []
    for value in values:
        shown = [(track, track.frames[value]) for track in film.tracks]
        below = _below(film.along, [frame for _, frame in shown], features)
        panels = [_panel(frame.scores, shape) for _, frame in shown]
        titles = [track.title for track, _ in shown] if len(shown) > 1 else []
        pictures.append(_sheet(panels, titles, below))
    memory = io.BytesIO()
    pauses = [_PAUSE] * (len(pictures) - 1) + [_END]
    options: dict[str, Any] = {"save_all": True, "loop": 0, "duration": pauses, "optimize": False}
    pictures[0].save(memory, format="GIF", append_images=pictures[1:], **options)
    return memory.getvalue()


# Pillow's default font has no Greek letters: a stroke goes through these points, in font sizes.
_GREEK = {
    "α": (
        *((0.53, 0.5), (0.46, 0.26), (0.36, 0.05), (0.22, 0), (0.08, 0.07), (0.04, 0.25)),
        *((0.09, 0.43), (0.23, 0.51), (0.36, 0.43), (0.44, 0.22), (0.49, 0.04), (0.58, 0.01)),
    ),
    "β": (
        *((0.09, -0.2), (0.09, 0.2), (0.1, 0.56), (0.2, 0.73), (0.34, 0.71), (0.41, 0.57)),
        *((0.36, 0.44), (0.24, 0.39), (0.4, 0.35), (0.47, 0.19), (0.4, 0.04), (0.25, 0)),
        (0.1, 0.05),
    ),
}


def _greek(letter: str, size: int) -> Image.Image:
    """Return a letter as a mask, its base line at 0.94 of the font size below the top."""
    points, fine = np.array(_GREEK[letter]), 8
    # A Catmull-Rom spline through all points.
    ends = np.vstack([2 * points[0] - points[1], points, 2 * points[-1] - points[-2]])
    t = np.linspace(0, 1, 16)[:, None]
    drawn: list[tuple[float, ...]] = []
    for a, b, c, d in zip(ends, ends[1:], ends[2:], ends[3:], strict=False):
        bend = (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3
        curve = b + 0.5 * ((c - a) * t + bend)
        drawn += map(tuple, (curve * (1, -1) + (0.02, 0.94)) * size * fine)
    large = Image.new("L", (round(0.66 * size * fine), round(1.2 * size * fine)), 0)
    ImageDraw.Draw(large).line(drawn, fill=255, width=round(0.085 * size * fine), joint="curve")
    return large.resize((large.width // fine, large.height // fine), Image.Resampling.LANCZOS)


def _below(along: str, frames: list[Any], features: str) -> list[str]:
    """Return the lines of text under the maps."""
    first = frames[0]
    if along == "iterations":
        bound = f"{first.bound:,.6g}" if math.isfinite(first.bound) else "none yet"
        head = f"{first.value} iteration{'' if first.value == 1 else 's'}"
    else:
        head, bound = f"{SIGNS[along]} = {first.value:.3g} of its maximum", f"{first.bound:,.6g}"
    used = " and ".join(f"{frame.used:,}" for frame in frames)
    objective = " and ".join(f"{frame.objective:,.6g}" for frame in frames)
    return [
        head,
        f"{used} of {first.scores.size:,} {features} in use, the others exactly zero",
        f"objective {objective}",
        f"lower bound {bound}",
    ]


def _panel(scores: NDArray[np.float32], shape: tuple[int, int] | None) -> NDArray[np.uint8]:
    """Return an image enlarged by a whole factor, or upright bars, as indices into the palette."""
    level = np.ceil(levels(scores, float(scores.max())) * (_COLOURS / 255.0)).astype(np.uint8)
    if shape is not None:
        factor = max(1, _SIZE // max(shape))
        large: NDArray[np.uint8] = level.reshape(shape).repeat(factor, 0).repeat(factor, 1)
        return large
    # Of many features the maximum of each group of neighbours.
    starts = np.linspace(0, level.size, min(level.size, _SIZE), endpoint=False).astype(np.intp)
    bars = np.maximum.reduceat(level, starts)
    wide = np.repeat(bars, max(1, _SIZE // bars.size))
    high = _SIZE // 2
    share = np.arange(high, 0, -1)[:, None] / high
    return np.where(share <= wide[None] / _COLOURS, wide[None], 255 - _SHADES + 1).astype(np.uint8)


def _sheet(panels: list[NDArray[np.uint8]], titles: list[str], below: list[str]) -> Image.Image:
    """Return the panels side by side under their titles, with lines of text below."""
    size, edge = 17, 12
    line = round(1.45 * size)
    head = edge + (line if titles else 0)
    high, wide = panels[0].shape
    tall = head + high + edge + line * len(below) + edge
    across = max(edge + (wide + edge) * len(panels), 300)
    # Text is drawn in grey and mapped to the shades at the end of the palette.
    page = Image.new("L", (across, tall), 0)
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(size)
    for number, text in enumerate(titles):
        draw.text((edge + number * (wide + edge), edge), text, fill=255, font=font)
    for number, text in enumerate(below):
        left, top = edge, head + high + edge + number * line
        if text[0] in _GREEK:
            letter, text = _greek(text[0], size), text[1:]
            page.paste(letter, (left, top))
            left += letter.width
        draw.text((left, top), text, fill=255, font=font)
    shades = np.asarray(page) // (256 // _SHADES)
    drawn = (shades + (256 - _SHADES)).astype(np.uint8)
    for number, panel in enumerate(panels):
        left = edge + number * (wide + edge)
        drawn[head : head + high, left : left + wide] = panel
    picture = Image.fromarray(drawn)
    picture.putpalette(_palette().tobytes())
    return picture


def _palette() -> NDArray[np.uint8]:
    share = np.linspace(0.0, 1.0, _SHADES)[:, None]
    page, ink = hex_to_rgb(LIGHT.page), hex_to_rgb(LIGHT.ink)
    shades = np.round(page + share * (ink.astype(float) - page)).astype(np.uint8)
    steps = np.round(np.arange(1, _COLOURS + 1) * (255 / _COLOURS)).astype(np.intp)
    return np.vstack([hex_to_rgb(ZERO), IMPORTANCE[steps], shades])
