"""The cloud: samples on two components, to hover and to choose a group of with a lasso."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from cspca.datasets import Dataset
from cspca.experiments.memory import of_data
from cspca.figures.pictures import grey
from cspca.ui.components import component, packed
from cspca.ui.components.film import LetGo, Wish, let_go, wished
from cspca.ui.components.paint import Mask, mask_text, parse_mask

MOST_PICTURED: Final = 400
"""Most images that are points as small pictures; of more the pointer shows one at a time."""

MOST_NAMED: Final = 20_000
"""Most samples whose names are sent to the browser; others have their numbers alone."""

LONGEST_NAME: Final = 60
"""Characters of a name that are sent."""

MOST_LISTED: Final = 48
"""Most classes in the legend; after them colours and shapes begin again."""

_SIDE: Final = 32
"""Most pixels of a side of a small picture."""

_BYTES: Final = 4 << 20
"""Most bytes of all small pictures of a data set."""

_MOUNT = component("cloud", "lasso", "pixels", "bytes", "film")

# Small pictures do not change with a fit: they are sent apart, and kept in the page.
_THUMBNAILS = component("thumbnails", "bytes")


class Mark(NamedTuple):
    """A class in the legend: its name, colour, shape and number of samples."""

    name: str
    colour: str
    shape: str
    n_samples: int


def cloud(
    points: NDArray[np.float64],
    classes: NDArray[np.integer[Any]],
    legend: Sequence[Mark],
    *,
    key: str,
    of: str,
    group: Mask,
    on_group: Callable[[Mask], None],
    axes: tuple[str, str],
    axes_key: str,
    extent: tuple[float, float, float, float],
    density: Mapping[str, Any] | None,
    nouns: tuple[str, str],
    numbers: NDArray[np.int64] | None,
    names: Sequence[str] | None,
    pictured: bool,
    description: str,
    stale: bool,
    films: Mapping[str, Mapping[str, Any]] | None,
    asked: Mapping[str, float],
    on_let_go: LetGo,
    on_wish: Wish,
) -> bool:
    """Draw the cloud, report a group that is chosen on it, and return whether the film was used.

    Parameters
    ----------
    points : ndarray of shape (n_samples, 2)
        Coordinates of the samples.
    classes : int array of shape (n_samples,)
        Place of each sample's class in the `legend`.
    legend : sequence of Mark
        Classes.
    key : str
        Of the component: while it stays the points glide where they move.
    of : str
        Names the data set; :func:`send_thumbnails` uses the same.
    group : ndarray of bool
        Marks the chosen samples.
    on_group : callable
        Is given the group that a visitor chooses, which may be empty.
    axes : tuple of str
        Titles of the axes, across and up.
    axes_key : str
        Says which components the axes are: points glide only where it stays.
    extent : tuple of float
        Left, right, bottom and top of the drawing.
    density : mapping or None
        ``rows``, ``columns``, ``colours`` and ``counts`` of cells drawn in place of points.
    nouns : tuple of str
        What a sample is called, and several.
    numbers : int array of shape (n_samples,) or None
        Number of each sample; None for 1, 2, 3, ….
    names : sequence of str or None
        Name of each sample, beside its number; None where they have none.
    pictured : bool
        Whether points are small pictures.
    description : str
        Text alternative.
    stale : bool
        Whether another fit is under way.
    films : mapping or None
        Films that move the points, as those of :func:`cspca.ui.components.stage.payload`; None
        where there is none.
    asked : mapping
        The penalties that are asked for.
    on_let_go, on_wish : callable
        As those of :func:`cspca.ui.components.stage.stage`.
    """
    data = {
        "of": of,
        "count": len(points),
        "points": points.astype("<f4"),
        "classes": classes.astype("<u2"),
        "legend": [mark._asdict() for mark in legend],
        "most_listed": MOST_LISTED,
        "axes": {"words": axes, "keys": axes_key},
        "extent": extent,
        "density": density,
        "pictured": pictured,
        "group": mask_text(group),
        "noun": nouns[0],
        "nouns": nouns[1],
        "numbers": None if numbers is None else numbers.astype("<i4"),
        "names": names and [name[:LONGEST_NAME] for name in names[:MOST_NAMED]],
        "label": f"{nouns[1].capitalize()} on two components",
        "description": description,
        "height": 520,
        "stale": stale,
        "films": films,
        "asked": asked,
    }

    def sent() -> None:
        chosen = parse_group(st.session_state[key].get("group"), of, len(points))
        if chosen is not None:
            on_group(chosen)

    _MOUNT(
        key=key,
        data=packed(data),
        on_group_change=sent,
        on_let_go_change=partial(let_go, key, on_let_go),
        on_wish_change=partial(wished, key, on_wish),
    )
    return bool(st.session_state.pop(f"{key}/news", False))


def parse_group(message: object, of: str, size: int) -> Mask | None:
    """Return the group that a browser sent; None if it is malformed or of other data."""
    if not isinstance(message, Mapping) or message.get("of") != of:
        return None
    empty = np.zeros(size, dtype=bool)
    if message.get("size") == size and message.get("bits") == mask_text(empty):
        return empty
    return parse_mask(message, (size,))


def send_thumbnails(dataset: Dataset, of: str) -> None:
    """Send small pictures of all images to the browser, where the cloud finds them."""
    if dataset.kind == "pixels":
        _THUMBNAILS(key="cloud_thumbnails", data=_packed_thumbnails(dataset, of))


@of_data
def _packed_thumbnails(dataset: Dataset, of: str) -> bytes:
    pixels = thumbnails(dataset.images)
    _, rows, columns = pixels.shape
    return packed({"of": of, "pixels": pixels, "rows": rows, "columns": columns})


def thumbnails(images: NDArray[np.floating[Any]]) -> NDArray[np.uint8]:
    """Reduce images to means of blocks, at most 32 pixels a side and 4 MB in all."""
    n, rows, columns = images.shape
    most = min(_SIDE, max(4, int(np.sqrt(_BYTES / n))))
    step = max(1, -(-max(rows, columns) // most))
    # Whole blocks: up to step − 1 pixels of the lower and right edge are not seen.
    high, wide = max(1, rows // step), max(1, columns // step)
    small = np.empty((n, high, wide), dtype=np.uint8)
    down, across = min(step, rows), min(step, columns)
    for number, image in enumerate(images):
        blocks = image[: high * down, : wide * across].reshape(high, down, wide, across)
        small[number] = grey(blocks.mean(axis=(1, 3)))
    return small
