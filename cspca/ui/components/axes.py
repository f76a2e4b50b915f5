"""Components of a fit above those of PCA, as pictures that a film moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from cspca.figures.components import Captioned
from cspca.figures.pictures import signed_levels
from cspca.figures.style import DIVERGING, DIVERGING_DARK
from cspca.ui.components import component, packed
from cspca.ui.components.film import LetGo, Wish, let_go, wished

_MOUNT = component("axes", "pixels", "bytes", "film")


def axes(
    components: Sequence[Captioned],
    pca_components: Sequence[Captioned],
    *,
    key: str,
    label: str,
    words: str,
    films: Mapping[str, Mapping[str, Any]] | None,
    asked: Mapping[str, float],
    stale: bool,
    dark: bool,
    on_let_go: LetGo,
    on_wish: Wish,
) -> bool:
    """Draw components, each above the one of PCA; return whether the visitor just acted.

    Parameters
    ----------
    components, pca_components : sequence of Captioned
        Equally many pictures of one shape.
    key : str
        Keep it while the data change, so that pictures are redrawn in place.
    label, words : str
        What is shown, for those who do not see it, and below it.
    films, asked
        As those of :func:`cspca.ui.components.stage.payload`.
    stale : bool
        Dims the pictures.
    dark : bool
        Whether the page is dark.
    on_let_go, on_wish : callable
        As those of :func:`cspca.ui.components.stage.stage`.
    """
    data = {
        "count": len(components),
        "shape": components[0].plane.shape,
        "components": levels(components),
        "pca_components": levels(pca_components),
        "captions": [", ".join(picture.lines) for picture in components],
        "pca_captions": [", ".join(picture.lines) for picture in pca_components],
        "alts": [picture.alt for picture in components],
        "pca_alts": [picture.alt for picture in pca_components],
        "reaches": [picture.reach for picture in components],
        "colours": DIVERGING_DARK if dark else DIVERGING,
        "label": label,
        "words": words,
        "films": films,
        "asked": asked,
        "stale": stale,
    }
    _MOUNT(
        key=key,
        data=packed(data),
        on_let_go_change=partial(let_go, key, on_let_go),
        on_wish_change=partial(wished, key, on_wish),
    )
    return bool(st.session_state.pop(f"{key}/news", False))


def levels(shown: Sequence[Captioned]) -> NDArray[np.uint8]:
    """Pictures as places in a table of 256 colours, of which number 128 is zero."""
    return np.stack([signed_levels(picture.plane, picture.reach) for picture in shown])
