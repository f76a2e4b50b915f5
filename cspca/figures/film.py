"""A film as bytes: what a browser plays without asking the server."""

from __future__ import annotations

import math
from base64 import b64encode
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cspca.figures.style import IMPORTANCE, ZERO, hex_to_rgb

WORDS = {
    "alpha": ("α: fewer {features}", "of α_max"),
    "beta": ("β: lower rank", "of β_max"),
    "iterations": ("The solvers at work", "iterations"),
}
"""What a film shows, and what its values are in."""

_NUMBERS = ("objective", "bound", "gap", "used", "rank")


def payload(
    film: Any, image: NDArray[np.float64] | None = None, features: str = "features"
) -> dict[str, Any]:
    """All that a script needs to play a film, as far as it is there; arrays of bytes in base64.

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
        "colours": _text(_colours()),
        "tracks": [
            {
                "title": track.title,
                "colour": track.colour,
                "top": top,
                "scores": _text([levels(one.scores, top) for one in frames]),
                "rebuilt": _rebuilt(frames, image),
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


def _rebuilt(frames: list[Any], image: NDArray[np.float64] | None) -> str | None:
    fits = [one.fit for one in frames]
    if image is None or None in fits:
        return None
    again = [fit.reconstruct(image[None])[0] for fit in fits]
    return _text(np.round(255.0 * np.clip(again, 0.0, 1.0)).astype(np.uint8))


def _text(array: ArrayLike) -> str:
    return b64encode(np.ascontiguousarray(array, dtype=np.uint8).tobytes()).decode("ascii")


def _known(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None
