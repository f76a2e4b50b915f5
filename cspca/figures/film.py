"""A film as bytes that a browser plays without asking the server, and as a moving picture."""

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
"""What a film shows, and what its values are in."""

SIGNS = {"alpha": "α", "beta": "β"}
"""The penalties that a film goes along."""

_NUMBERS = ("objective", "bound", "used", "rank")


def payload(
    film: Any, image: NDArray[np.float64] | None = None, features: str = "features"
) -> dict[str, Any]:
    """All that a script needs to play a film, as far as it is there; arrays are of bytes.

    `film` is a :class:`cspca.experiments.film.Film`, `features` what its columns are called.
    ``there`` are the indices of the values that are there; everything of a track is in their order.
    Scores are :func:`levels` of the film's largest, ``top``; ``rebuilt`` is `image`, the values of
    one sample, as every frame rebuilds it, 255 for 1, or None where the map of a frame is gone.
    Numbers that are not known yet are None.
    """
    title, unit = WORDS[film.along]
    kept = [film.values[at] for at in film.there]
    shown = [(track, [track.frames[value] for value in kept]) for track in film.tracks]
    top = max((float(one.scores.max()) for _, frames in shown for one in frames), default=0.0)
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
                "scores": np.array([levels(one.scores, top) for one in frames], dtype=np.uint8),
                "rebuilt": _rebuilt(frames, image),
                "proven": [_proven(one.gap) for one in frames],
                **{name: [_known(getattr(one, name)) for one in frames] for name in _NUMBERS},
            }
            for track, frames in shown
        ],
    }


def levels(scores: ArrayLike, top: float) -> NDArray[np.uint8]:
    """Scores as shares of `top` in 255 steps: 0 is kept for exact zeros, the rest is 1 at least."""
    array = np.asarray(scores, dtype=np.float64)
    share = array / top if top > 0.0 else np.zeros_like(array)
    steps = np.clip(np.round(255.0 * share), 1.0, 255.0)
    return np.where(array == 0.0, 0.0, steps).astype(np.uint8)


def _colours() -> NDArray[np.uint8]:
    """A colour for each level, exact zeros in their own."""
    return np.vstack([hex_to_rgb(ZERO), IMPORTANCE[1:]])


def _rebuilt(frames: list[Any], image: NDArray[np.float64] | None) -> NDArray[np.uint8] | None:
    fits = [one.fit for one in frames]
    if image is None or None in fits:
        return None
    again = np.array([fit.reconstruct(image[None])[0] for fit in fits])
    steps: NDArray[np.uint8] = np.round(255.0 * np.clip(again, 0.0, 1.0)).astype(np.uint8)
    return steps


def _proven(gap: float) -> str | None:
    return from_optimum(gap) if math.isfinite(gap) else None


def _known(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


# A palette of 256: exact zeros, levels of importance, and from the page to the ink that is on it.
_SHADES = 16
_COLOURS = 255 - _SHADES
_SIZE = 448
"""Pixels of the longer side of a map in a moving picture, about."""
_PAUSE, _END = 160, 1600
"""Milliseconds that a frame stands, and the last one."""


def gif(film: Any, shape: tuple[int, int] | None = None, features: str = "features") -> bytes:
    """A film as a GIF that plays for ever: the map of each solver, or its bars, with the numbers.

    `shape` is that of an image. A map is coloured from 0 to its own strongest, as on the page.
    """
    values = [film.values[at] for at in film.there]
    if not values:
        raise ValueError("The film has no frame yet: wait until some are computed.")
    pictures = []
    for value in values:
        shown = [(track, track.frames[value]) for track in film.tracks]
        below = _below(film.along, [one for _, one in shown], features)
        panels = [_panel(one.scores, shape) for _, one in shown]
        titles = [track.title for track, _ in shown] if len(shown) > 1 else []
        pictures.append(_sheet(panels, titles, below))
    memory = io.BytesIO()
    pauses = [_PAUSE] * (len(pictures) - 1) + [_END]
    how: dict[str, Any] = {"save_all": True, "loop": 0, "duration": pauses, "optimize": False}
    pictures[0].save(memory, format="GIF", append_images=pictures[1:], **how)
    return memory.getvalue()


# Pillow's own letters are Latin ones: a stroke goes through these points, in sizes of a letter.
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
    """A letter as a mask, its base line 0.94 of the size below the top."""
    points, fine = np.array(_GREEK[letter]), 8
    # A smooth curve through all of them.
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
    """The lines under the maps."""
    first = frames[0]
    if along == "iterations":
        bound = f"{first.bound:,.6g}" if math.isfinite(first.bound) else "none yet"
        head = f"{first.value} iteration{'' if first.value == 1 else 's'}"
    else:
        head, bound = f"{SIGNS[along]} = {first.value:.3g} of its maximum", f"{first.bound:,.6g}"
    used = " and ".join(f"{one.used:,}" for one in frames)
    objective = " and ".join(f"{one.objective:,.6g}" for one in frames)
    return [
        head,
        f"{used} of {first.scores.size:,} {features} in use, the others exactly zero",
        f"objective {objective}",
        f"lower bound {bound}",
    ]


def _panel(scores: NDArray[np.float32], shape: tuple[int, int] | None) -> NDArray[np.uint8]:
    """Indices into the palette of an image enlarged by a whole factor, or of bars side by side."""
    level = np.ceil(levels(scores, float(scores.max())) * (_COLOURS / 255.0)).astype(np.uint8)
    if shape is not None:
        factor = max(1, _SIZE // max(shape))
        large: NDArray[np.uint8] = level.reshape(shape).repeat(factor, 0).repeat(factor, 1)
        return large
    # Of many features the strongest of each few.
    starts = np.linspace(0, level.size, min(level.size, _SIZE), endpoint=False).astype(np.intp)
    bars = np.maximum.reduceat(level, starts)
    wide = np.repeat(bars, max(1, _SIZE // bars.size))
    high = _SIZE // 2
    share = np.arange(high, 0, -1)[:, None] / high
    return np.where(share <= wide[None] / _COLOURS, wide[None], 255 - _SHADES + 1).astype(np.uint8)


def _sheet(panels: list[NDArray[np.uint8]], titles: list[str], below: list[str]) -> Image.Image:
    """Panels beside each other under their titles, with lines below."""
    size, edge = 17, 12
    line = round(1.45 * size)
    head = edge + (line if titles else 0)
    high, wide = panels[0].shape
    tall = head + high + edge + line * len(below) + edge
    across = max(edge + (wide + edge) * len(panels), 300)
    # Letters are drawn in grey, whose shades stand at the end of the palette.
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
