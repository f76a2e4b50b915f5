"""The pixel map: scores as a heatmap that can be pointed at, walked over and picked from.

Its script, style and markup lie beside this file and are handed to Streamlit as text, so there is
no build step. Colours are looked up here, with `cspca.figures.colours`, and sent ready: the map on
the page and the exported picture cannot differ.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import ArrayLike, NDArray

from cspca.figures.colours import IMPORTANCE, NEUTRAL, ZERO, hex_to_rgb
from cspca.figures.pictures import importance_alt, importance_rgb, score_range

MOST_NAMED = 20_000
"""Features up to which their names are sent to the browser; beyond, it says their numbers."""

LONGEST_NAME = 60
"""Letters of a name that are shown."""

_HERE = files(__package__)


def _text(name: str) -> str:
    return _HERE.joinpath(name).read_text(encoding="utf-8")


# Registered once, at import: registering again with every mount would replace it under way.
_MOUNT = st.components.v2.component(
    "cspca_pixel_map",
    html=_text("pixel_map.html"),
    css=_text("pixel_map.css"),
    js=_text("pixel_map.js"),
)


def pixel_map(
    scores: ArrayLike,
    image_shape: tuple[int, int] | None,
    *,
    key: str,
    selected: int | None = None,
    **more: Any,
) -> int | None:
    """Draw the scores, as :func:`payload` has them; return the pixel that is outlined now.

    It is what the user has picked since the last run (None if just cleared), else `selected`, so
    the caller keeps it. Keep the key while the data change: the map is redrawn in place, without a
    blank frame.
    """
    values = np.asarray(scores, dtype=np.float64)
    chosen = _resolve(key, values.size, selected)
    data = payload(values, image_shape, selected=chosen, **more)
    # The callback must be given, or the pick would not be kept between runs.
    _MOUNT(key=key, data=data, on_pick_change=lambda: None)
    return chosen


def payload(
    scores: NDArray[np.float64],
    image_shape: tuple[int, int] | None,
    *,
    ranks: ArrayLike | None = None,
    selected: int | None = None,
    top_k: int | None = None,
    height: int = 420,
    stale: bool = False,
    label: str = "Importance of the pixels",
    names: Sequence[str] | None = None,
) -> dict[str, Any]:
    """What the script in the browser reads, arrays as base64 of little-endian bytes.

    Of the `scores` exact zeros get their own colour, and NaN means "no score"; without an image's
    shape they are bars in the order of the features, with their `names`, half as high as `height`,
    the longest side of a map. `ranks` are 1 for the best; by default equal scores share one.
    `top_k` offers a button that fades what ranks below; `stale` dims the map.
    """
    _check(scores, image_shape, ranks, names)
    low, high = score_range(scores)
    shape = image_shape or (1, scores.size)
    rank = _by_score(scores) if ranks is None else np.asarray(ranks)
    small = scores.astype("<f4")
    # What is not zero must not become zero by being rounded to single precision.
    tiny = np.finfo(np.float32).tiny
    small[(small == 0) & (scores > 0)] = tiny
    small[(small == 0) & (scores < 0)] = -tiny
    return {
        "count": scores.size,
        "shape": None if image_shape is None else [int(n) for n in image_shape],
        "scores": _base64(small),
        "ranks": _base64(rank.astype("<i4")),
        "colours": _base64(importance_rgb(scores.reshape(shape))),
        "table": _TABLE,
        # Bars stand on the page itself, where the dark neutral of the map would be lost.
        "zero_colour": [int(c) for c in hex_to_rgb(NEUTRAL if image_shape is None else ZERO)],
        "low": low,
        "high": high,
        "zeros": int((scores == 0).sum()),
        "selected": selected,
        "top_k": None if top_k is None else int(top_k),
        "max_side": int(height),
        "bar_height": int(height) // 2,
        "stale": bool(stale),
        "label": label,
        "description": _description(scores, image_shape, names),
        "names": _short(names) if names is not None and image_shape is None else None,
    }


def _short(names: Sequence[str]) -> list[str] | None:
    if len(names) > MOST_NAMED:
        return None
    return [
        name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
        for name in map(str, names)
    ]


def _description(
    scores: NDArray[np.float64], image_shape: tuple[int, int] | None, names: Sequence[str] | None
) -> str:
    """Say in one sentence what is drawn, for those who do not see it."""
    if image_shape is not None:
        return importance_alt(scores.reshape(image_shape))
    head = f"Importance of {scores.size:,} {'feature' if scores.size == 1 else 'features'}"
    filled = np.nan_to_num(scores)
    if np.isnan(scores).all():
        return f"{head}: no scores yet."
    if not filled.any():
        return f"{head}: every score is exactly zero."
    if filled.max() == filled.min():
        return f"{head}: every score is {filled.max():.4g}, so all features tie."
    best = int(filled.argmax())
    short = _short(names) if names is not None else None
    zeros = int((filled == 0).sum())
    which = f"number {best + 1}" if short is None else short[best]
    return (
        f"{head}: {zeros:,} {'is' if zeros == 1 else 'are'} exactly zero; the strongest, {which}, "
        f"has {filled.max():.4g}."
    )


def _base64(array: NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")


_TABLE = _base64(IMPORTANCE)


def _check(
    scores: NDArray[np.float64],
    image_shape: tuple[int, int] | None,
    ranks: ArrayLike | None,
    names: Sequence[str] | None,
) -> None:
    if scores.ndim != 1 or not scores.size:
        raise ValueError(f"The scores have shape {scores.shape}; give one row, one score a pixel.")
    if image_shape is not None and image_shape[0] * image_shape[1] != scores.size:
        raise ValueError(
            f"There are {scores.size} scores for an image of {image_shape[0]} × {image_shape[1]} "
            "pixels; give one score a pixel."
        )
    if ranks is not None and np.shape(ranks) != scores.shape:
        raise ValueError(
            f"The ranks have shape {np.shape(ranks)}, the scores {scores.shape}; give one rank a "
            "pixel."
        )
    if names is not None and len(names) != scores.size:
        raise ValueError(
            f"There are {len(names)} names for {scores.size} features; give one name a feature."
        )


def _by_score(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    known = np.nan_to_num(scores, nan=-np.inf)
    larger = known.size - np.searchsorted(np.sort(known), known, side="right")
    return (1 + larger).astype(np.int64)


def _resolve(key: str, size: int, selected: int | None) -> int | None:
    """Return what the user picked since the last run, or what the caller asks for."""
    given = selected if selected is not None and 0 <= selected < size else None
    state = st.session_state.get(key)
    pick = state.get("pick") if isinstance(state, Mapping) else None
    if not isinstance(pick, Mapping):
        return given
    # A pick stays in the component's state for good; its serial says whether it is news.
    taken = f"{key}/taken"
    fresh = pick.get("serial") != st.session_state.get(taken)
    st.session_state[taken] = pick.get("serial")
    # One that was made on another data set says nothing about this one.
    if not fresh or pick.get("size") != size:
        return given
    index = pick.get("index")
    return index if isinstance(index, int) and 0 <= index < size else None
