"""The stage: scores as a heatmap for mouse and keyboard, in which a pixel can be selected, beside
one image, its selected pixels, its reconstruction, and the convergence of the fit.

Colours are looked up here, with `cspca.figures.style`, so that the map on the page and the
exported picture cannot differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import streamlit as st
from numpy.typing import ArrayLike, NDArray

from cspca.datasets.axis import Axis
from cspca.figures.curves import REBUILT
from cspca.figures.pictures import grey, importance_alt, importance_rgb, score_range
from cspca.figures.style import ACCENT, IMPORTANCE, LEFT_OUT, NEUTRAL, ZERO, rgb_to_hex, see_through
from cspca.figures.words import PLAIN, Nouns
from cspca.ui.components import component, packed
from cspca.ui.components.film import LetGo, Wish, let_go, wished

MOST_NAMED = 20_000
"""Most features whose names are sent to the browser; of more it shows the numbers."""

MOST_TICKS = 8
"""Most places of an axis that are named, so that a phone has room for them."""

LONGEST_NAME = 60
"""Longest name that is shown, in characters."""

MOST_CHARACTERS = 400_000
"""Most characters of all names together, for they are sent at each move of a slider."""

Number: TypeAlias = tuple[str, str, Sequence[str], bool]
"""A number beside the map: its name, value and meaning, and whether it is folded away at first."""

_RAMP = f"linear-gradient(90deg, {', '.join(map(rgb_to_hex, IMPORTANCE[::15]))})"
"""The colour scale of a map, for its key."""

_MOUNT = component("stage", "pixels", "bytes", "frames", "curve", "film")


def stage(
    scores: ArrayLike,
    image_shape: tuple[int, int] | None,
    *,
    key: str,
    selected: str,
    on_let_go: LetGo = lambda along, value: None,
    on_wish: Wish = lambda along, make: None,
    **options: Any,
) -> bool:
    """Draw the scores with the options of :func:`payload`; return whether the visitor just acted.

    The session state `selected` has the index of the outlined pixel. `on_let_go` is called where a
    film is released, `on_wish` for another film: with True to compute it, with False to stop that.
    Keep the key while the data change, so that the map is redrawn in place, without a blank frame.
    """
    values, session = np.asarray(scores, dtype=np.float64), st.session_state
    data = payload(values, image_shape, selected=session.get(selected), **options)

    _MOUNT(
        key=key,
        data=packed(data),
        on_pick_change=lambda: _picked(key, selected, values.size),
        on_let_go_change=partial(let_go, key, on_let_go),
        on_wish_change=partial(wished, key, on_wish),
    )
    return bool(session.pop(f"{key}/news", False))


def _picked(key: str, selected: str, size: int) -> None:
    """Store the pick that the browser reports, if it is valid."""
    session = st.session_state
    pick = session[key].get("pick")
    # A pick on another data set is ignored.
    if isinstance(pick, Mapping) and pick.get("size") == size:
        index = pick.get("index")
        session[selected] = index if isinstance(index, int) and 0 <= index < size else None
        session[f"{key}/news"] = True


def payload(
    scores: NDArray[np.float64],
    image_shape: tuple[int, int] | None,
    *,
    ranks: ArrayLike | None = None,
    selected: int | None = None,
    top_k: int | None = None,
    k_moves: int = 0,
    proven: tuple[ArrayLike, int | None, str] | None = None,
    height: int = 420,
    stale: bool = False,
    label: str = "Importance of the features",
    nouns: Nouns = PLAIN,
    names: Sequence[str] | None = None,
    picture: Mapping[str, Any] | None = None,
    course: Mapping[str, Any] | None = None,
    numbers: Sequence[Number] = (),
    films: Mapping[str, Mapping[str, Any]] | None = None,
    asked: Mapping[str, float] | None = None,
    pinned: Mapping[str, Any] | None = None,
    link: Mapping[str, str] | None = None,
    lesson: str = "",
    along: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the data for the script in the browser, with arrays of little-endian numbers.

    Exact zeros among the `scores` get their own colour, and NaN means "no score". Without an image
    shape, scores are bars in the order of the features, with their :func:`short_names`, half as
    high as `height`, the longest side of a map. `ranks` start at 1; by default equal scores share a
    rank. `top_k` adds a button that fades the rest; another `k_moves`, how often the visitor chose
    that number, presses it. `proven` adds one that marks features below a share of the highest
    score; it has ceilings, the share in per cent, and words. `stale` dims the map. Beside it are a
    `picture` (see :func:`beside`), the `course` of a fit (see
    :func:`cspca.figures.convergence.curve`), and the `numbers` of the fit.

    `films` are keyed by their parameter: the key on the shelf, whether the film is computed or what
    it would cost, and the position of the fit, `now`; `asked` are the current penalties. `pinned`
    is a fit to compare with: scores, name, numbers and colour tables. `link` is the address of the
    view for others: its `text`, the image `source` of its QR code, and a `warning` if others cannot
    open it. `lesson` is the question that is shown in full screen. `along` says which axis the bars
    stand along (see :func:`along_axis`).
    """
    low, high = score_range(scores)
    plane = scores.reshape(image_shape or (1, -1))
    # Bars stand on the page itself, where the dark colour of exact zeros would not show.
    zero, tint = (NEUTRAL, ACCENT) if image_shape is None else (ZERO, NEUTRAL)
    colours = np.dstack([importance_rgb(plane, zeros=zero), np.full(plane.shape, 255, np.uint8)])
    if ranks is None:
        filled = np.nan_to_num(scores, nan=-np.inf)
        ranks = 1 + filled.size - np.searchsorted(np.sort(filled), filled, side="right")
    # Rounding to single precision must not turn a nonzero score into zero.
    least = np.copysign(np.finfo(np.float32).tiny, scores)
    small = np.where((scores != 0) & (scores.astype("<f4") == 0), least, scores)
    short = names if image_shape is None else None
    return {
        "count": scores.size,
        "shape": image_shape,
        "scores": small.astype("<f4"),
        "ranks": np.asarray(ranks, dtype="<i4"),
        "colours": colours,
        "ramp": _RAMP,
        "zero_colour": zero,
        "low": low,
        "high": high,
        "zeros": int((scores == 0).sum()),
        "selected": selected if selected is not None and selected < scores.size else None,
        "top_k": top_k,
        "k_moves": k_moves,
        "ceilings": None if proven is None else np.asarray(proven[0], "<f4"),
        "share": None if proven is None else proven[1],
        "proven": None if proven is None else proven[2],
        "proven_colour": tint,
        "height": height,
        "stale": stale,
        "label": label,
        "description": importance_alt(plane if image_shape else scores, short, nouns),
        "names": short,
        "picture": picture,
        "course": course,
        "numbers": [*numbers] or None,
        "films": films,
        "asked": asked,
        "pinned": pinned,
        "link": link,
        "lesson": lesson,
        "along": along,
    }


def short_names(names: Sequence[str]) -> list[str] | None:
    """Return names as short as they are sent; None where there are too many."""
    if len(names) > MOST_NAMED:
        return None
    longest = min(LONGEST_NAME, MOST_CHARACTERS // max(1, len(names)))
    return [f"{name[: longest - 1]}…" if len(name) > longest else name for name in names]


def along_axis(
    axis: Axis, curve: ArrayLike, name: str, rebuilt: ArrayLike | None = None
) -> dict[str, Any]:
    """Return the script's data on the axis of the features: its ticks, and curves along it.

    Parameters
    ----------
    axis : Axis
    curve : array of shape (n_features,)
        One sample, or the mean of all.
    name : str
        What it is called.
    rebuilt : array of shape (n_features,), optional
        What the fit rebuilds of it; a film has one a frame.
    """
    curves = [np.asarray(values) for values in (curve, rebuilt) if values is not None]
    key = [(name, ""), ("rebuilt", REBUILT)]
    return {
        "title": axis.title,
        "ticks": axis.ticks(MOST_TICKS),
        "curve": curves[0].astype("<f4"),
        "rebuilt": None if rebuilt is None else curves[1].astype("<f4"),
        "ends": [float(min(map(np.min, curves))), float(max(map(np.max, curves)))],
        "key": key[: len(curves)],
        "colour": REBUILT,
        "shade": see_through(ACCENT, 0.16),
    }


def beside(
    image: NDArray[Any],
    name: str,
    *,
    rebuilt: NDArray[Any] | None = None,
    weights: tuple[NDArray[np.uint8], str, str] | None = None,
    fresh: bool = True,
) -> dict[str, Any]:
    """Return the script's data on one image, its reconstruction, and a row of W.

    `weights` are colours, a description and a caption. All but the image is dimmed unless `fresh`.
    """
    fields: dict[str, Any] = {"image": grey(image), "name": name, "fresh": fresh}
    ends = (LEFT_OUT[0], LEFT_OUT[-1])
    fields |= {"left_out": [rgb_to_hex(end) for end in ends], "rebuilt": None, "weights": None}
    if rebuilt is not None:
        reconstruction = np.clip(rebuilt, 0.0, 1.0)
        fields["rebuilt"] = grey(reconstruction)
        fields["off"] = f"{100 * float(np.abs(reconstruction - image).mean()):.1f} %"
    if weights is not None:
        colours, alt, words = weights
        fields["weights"] = {"colours": colours, "alt": alt, "words": words}
    return fields
