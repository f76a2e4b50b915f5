"""Pictures to choose one of, by mouse, finger or keyboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import streamlit as st
from numpy.typing import NDArray

from cspca.figures.pictures import data_uri, face_alt, grey
from cspca.ui.components import component

_MOUNT = component("picks")


class Pick(NamedTuple):
    """A picture by its number; `kind` is "marked", "out" or nothing."""

    number: int
    image: NDArray[Any]
    words: str
    kind: str = ""


def picks(
    items: Sequence[Pick],
    *,
    key: str,
    label: str,
    picked: int | None,
    then: Callable[[int], object],
    stale: bool = False,
) -> None:
    """Draw pictures of which one is picked; another one that is chosen goes to `then`."""
    said = {"marked": ", wrong", "out": ", left out", "": ""}
    data = {
        "label": label,
        "picked": picked,
        "stale": stale,
        "items": [
            {
                "number": one.number,
                "source": data_uri(grey(one.image)),
                "alt": face_alt(one.image, f"Image {one.number + 1}{said[one.kind]}"),
                "words": one.words,
                "kind": one.kind,
            }
            for one in items
        ],
    }
    known = {one.number for one in items}

    def sent() -> None:
        number = st.session_state[key].get("picked")
        # What comes from a browser is not trusted.
        if isinstance(number, int) and number in known:
            then(number)

    _MOUNT(key=key, data=data, on_picked_change=sent)
