"""Pictures to choose one of, by mouse, finger or keyboard; beside them is a list of the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from cspca.figures.pictures import grey, image_alt, png_bytes
from cspca.ui import fields
from cspca.ui.components import component, packed

_MOUNT = component("picks", "bytes")


class Pick(NamedTuple):
    """A sample by its number, its picture if it has one; `kind` is "marked", "out" or nothing."""

    number: int
    image: NDArray[Any] | None
    words: str
    kind: str = ""


def picks(items: Sequence[Pick], *, key: str, label: str, among: int, stale: bool = False) -> int:
    """Draw pictures of which one is picked, and return its number; the first, unless one was.

    What was picked before stays while it is `among` so many. Without pictures it is a list.
    """
    at, first = f"{key}_picked", items[0]
    picked = int(st.session_state.get(at, first.number))
    picked = picked if picked < among else first.number
    if first.image is None:
        names = {item.number: item.words.replace("\n", ": ") for item in items}
        return int(fields.switch(label, names, at, draw=st.selectbox))
    state = {"marked": ", wrong", "out": ", left out", "": ""}
    data = {
        "label": label,
        "picked": picked,
        "stale": stale,
        "items": [
            {
                "number": one.number,
                "png": png_bytes(grey(np.asarray(one.image))),
                "alt": image_alt(np.asarray(one.image), f"Image {one.number + 1}{state[one.kind]}"),
                "words": one.words,
                "kind": one.kind,
            }
            for one in items
        ],
    }
    known = {one.number for one in items}

    def sent() -> None:
        number = st.session_state[f"{key}_picks"].get("picked")
        # What comes from a browser is not trusted.
        if isinstance(number, int) and number in known:
            st.session_state[at] = number

    _MOUNT(key=f"{key}_picks", data=packed(data), on_picked_change=sent)
    names = {
        item.number: f"Image {item.number + 1}{state[item.kind]}: {item.words.splitlines()[-1]}"
        for item in items
    }
    # One that was picked before may not be among the pictures now.
    names.setdefault(picked, f"Image {picked + 1}")
    listed = f"{key}_listed"
    st.session_state[listed] = picked

    def choose() -> None:
        st.session_state[at] = st.session_state[listed]

    st.selectbox(
        f"{label}, as a list", names, format_func=names.__getitem__, key=listed, on_change=choose
    )
    return picked
