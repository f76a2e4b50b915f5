"""The stage: scores as a heatmap that can be pointed at, walked over and picked from, beside one
image with what is kept of it and rebuilt, and the course of the fit.

Colours are looked up here, with `cspca.figures.style`, and sent ready: the map on the page and
the exported picture cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import ArrayLike, NDArray

from cspca.figures.pictures import grey, importance_alt, importance_rgb, score_range
from cspca.figures.style import ACCENT, IMPORTANCE, LEFT_OUT, NEUTRAL, ZERO, rgb_to_hex
from cspca.ui.components import component, packed

MOST_NAMED = 20_000
"""Features up to which their names are sent to the browser; beyond, it says their numbers."""

LONGEST_NAME = 60
"""Letters of a name that are shown."""

_RAMP = f"linear-gradient(90deg, {', '.join(map(rgb_to_hex, IMPORTANCE[::15]))})"
"""The colours of a map, for its key."""

_MOUNT = component("stage", "pixels", "bytes", "frames", "curve", "film")

# A film is large: it comes by itself, when it has grown, and stands on the page's shelf.
_SHELF = component("shelf", "bytes")


def stage(
    scores: ArrayLike,
    image_shape: tuple[int, int] | None,
    *,
    key: str,
    selected: str,
    on_let_go: Callable[[str, float], None] = lambda along, value: None,
    on_wish: Callable[[str, bool | None], None] = lambda along, make: None,
    **more: Any,
) -> bool:
    """Draw the scores, as :func:`payload` has them; return whether the visitor has just acted.

    The session holds under `selected` which pixel is outlined. Where a film was let go it calls
    `on_let_go`; it calls `on_wish` for another film, with True to have it made and False to have it
    made no longer. Keep the key while the data change: the map is redrawn in place, without a blank
    frame.
    """
    values, session = np.asarray(scores, dtype=np.float64), st.session_state
    data = payload(values, image_shape, selected=session.get(selected), **more)

    def let_go() -> None:
        told = session[key].get("let_go")
        if isinstance(told, Mapping) and isinstance(told.get("value"), int | float):
            on_let_go(str(told.get("along")), float(told["value"]))
            session[f"{key}/news"] = True

    def wish() -> None:
        told = session[key].get("wish")
        if isinstance(told, Mapping):
            make = told.get("make")
            on_wish(str(told.get("along")), make if isinstance(make, bool) else None)
            session[f"{key}/news"] = True

    _MOUNT(
        key=key,
        data=packed(data),
        on_pick_change=lambda: _picked(key, selected, values.size),
        on_let_go_change=let_go,
        on_wish_change=wish,
    )
    return bool(session.pop(f"{key}/news", False))


def put_on_shelf(key: str, film: Mapping[str, Any], serial: str) -> None:
    """Send a film to the browser, where a stage whose `films` name its key finds it."""
    _SHELF(key=f"film_{key}", data=packed({"key": key, "film": film, "serial": serial}))


def _picked(key: str, selected: str, size: int) -> None:
    """Take over what the browser says was picked, if that can be."""
    session = st.session_state
    pick = session[key].get("pick")
    # One that was made on another data set says nothing about this one.
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
    proven: tuple[ArrayLike, int | None, str] | None = None,
    height: int = 420,
    stale: bool = False,
    label: str = "Importance of the pixels",
    names: Sequence[str] | None = None,
    picture: Mapping[str, Any] | None = None,
    course: Mapping[str, Any] | None = None,
    numbers: Sequence[tuple[str, str, Sequence[str]]] = (),
    films: Mapping[str, Mapping[str, Any]] | None = None,
    asked: Mapping[str, float] | None = None,
    pinned: Mapping[str, Any] | None = None,
    link: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """What the script in the browser reads, with arrays of little-endian numbers.

    Of the `scores` exact zeros get their own colour, and NaN means "no score"; without an image's
    shape they are bars in the order of the features, with their `names`, half as high as `height`,
    the longest side of a map. `ranks` are 1 for the best; by default equal scores share one.
    `top_k` offers a button that fades what ranks below; `proven`, which is ceilings and a share of
    the highest score, in per cent, and words, another one that marks what lies below that share.
    `stale` dims the map. Beside it stand a `picture` (see :func:`beside`), the `course` of a fit
    (see :func:`cspca.figures.convergence.curve`), and `numbers`, each a name, value and meaning.

    `films` are by what they go along: the key on the shelf, whether it is there or what it would
    cost to make, and where the fit is `now`; `asked` are the penalties, which change when Python
    has answered. `pinned` is a fit to hold it against: scores, name, numbers and tables of colours.
    `link` is the address of the view as others can open it: its `text`, the `source` of the image
    of its QR code, and a `warning` where others cannot.
    """
    low, high = score_range(scores)
    plane = scores.reshape(image_shape or (1, -1))
    # Bars stand on the page itself, where the dark neutral of the map would be lost.
    zero, tint = (NEUTRAL, ACCENT) if image_shape is None else (ZERO, NEUTRAL)
    colours = np.dstack([importance_rgb(plane, zeros=zero), np.full(plane.shape, 255, np.uint8)])
    if ranks is None:
        known = np.nan_to_num(scores, nan=-np.inf)
        ranks = 1 + known.size - np.searchsorted(np.sort(known), known, side="right")
    # What is not zero must not become zero by being rounded to single precision.
    least = np.copysign(np.finfo(np.float32).tiny, scores)
    small = np.where((scores != 0) & (scores.astype("<f4") == 0), least, scores)
    short = None
    if names is not None and image_shape is None and len(names) <= MOST_NAMED:
        cut = LONGEST_NAME - 1
        short = [f"{name[:cut]}…" if len(name) > LONGEST_NAME else name for name in names]
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
        "ceilings": None if proven is None else np.asarray(proven[0], "<f4"),
        "share": None if proven is None else proven[1],
        "proven": None if proven is None else proven[2],
        "proven_colour": tint,
        "height": height,
        "stale": stale,
        "label": label,
        "description": importance_alt(plane if image_shape else scores, short),
        "names": short,
        "picture": picture,
        "course": course,
        "numbers": [*numbers] or None,
        "films": films,
        "asked": asked,
        "pinned": pinned,
        "link": link,
    }


def beside(
    image: NDArray[Any],
    name: str,
    *,
    rebuilt: NDArray[Any] | None = None,
    weights: tuple[NDArray[np.uint8], str, str] | None = None,
    fresh: bool = True,
) -> dict[str, Any]:
    """What the script reads of one image, what a fit makes of it, and a row of W.

    `weights` are colours, a description and a caption; all but the image are dimmed unless `fresh`.
    """
    known: dict[str, Any] = {"image": grey(image), "name": name, "fresh": fresh}
    ends = (LEFT_OUT[0], LEFT_OUT[-1])
    known |= {"left_out": [rgb_to_hex(one) for one in ends], "rebuilt": None, "weights": None}
    if rebuilt is not None:
        again = np.clip(rebuilt, 0.0, 1.0)
        known["rebuilt"] = grey(again)
        known["off"] = f"{100 * float(np.abs(again - image).mean()):.1f} %"
    if weights is not None:
        colours, alt, words = weights
        known["weights"] = {"colours": colours, "alt": alt, "words": words}
    return known
