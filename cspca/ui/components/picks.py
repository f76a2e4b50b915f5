"""Pictures to choose one from, by mouse, touch or keyboard, with a list of the same choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from cspca.figures.pictures import grey, image_alt, png_bytes
from cspca.ui import fields
from cspca.ui.components import component, packed

_MOUNT = component("picks", "bytes")


class Pick(NamedTuple):
    """A sample: its number, its image if it has one; `kind` is "marked", "out" or empty."""

    number: int
    image: NDArray[Any] | None
    words: str
    kind: str = ""


def forget_pick(key: str) -> None:
    """Forget what was picked, because the samples are others now."""
    st.session_state.pop(f"{key}_picked", None)


def picks(
    choices: Sequence[Pick],
    *,
    key: str,
    label: str,
    n_samples: int,
    title_of: Callable[[int], str],
    stale: bool = False,
) -> int:
    """Draw pictures to pick one from; return the number of the picked sample, at first the first.

    `title_of` names a sample by its index. An earlier pick stays if it is one of the `n_samples`.
    Without images the choices are a list.
    """
    at, first = f"{key}_picked", choices[0]
    picked = int(st.session_state.get(at, first.number))
    picked = picked if picked < n_samples else first.number
    if first.image is None:
        names = {pick.number: pick.words.replace("\n", ": ") for pick in choices}
        return int(fields.switch(label, names, at, draw=st.selectbox))
    state = {"marked": ", wrong", "out": ", left out", "": ""}
    titles = {pick.number: f"{title_of(pick.number)}{state[pick.kind]}" for pick in choices}
    data = {
        "label": label,
        "picked": picked,
        "stale": stale,
        "items": [
            {
                "number": pick.number,
                "png": png_bytes(grey(np.asarray(pick.image))),
                "alt": image_alt(np.asarray(pick.image), titles[pick.number]),
                "words": pick.words,
                "kind": pick.kind,
            }
            for pick in choices
        ],
    }

    def sent() -> None:
        number = st.session_state[f"{key}_picks"].get("picked")
        # A message of a browser is not trusted.
        if isinstance(number, int) and number in titles:
            st.session_state[at] = number

    _MOUNT(key=f"{key}_picks", data=packed(data), on_picked_change=sent)
    names = {
        pick.number: f"{titles[pick.number]}: {pick.words.splitlines()[-1]}" for pick in choices
    }
    # An earlier pick may not be among the pictures now.
    names.setdefault(picked, title_of(picked))
    listed = f"{key}_listed"
    st.session_state[listed] = picked

    def choose() -> None:
        st.session_state[at] = st.session_state[listed]

    st.selectbox(
        f"{label}, as a list", names, format_func=names.__getitem__, key=listed, on_change=choose
    )
    return picked
