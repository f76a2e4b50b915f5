"""Painting: pixels of an image chosen with mouse, touch or keyboard, and sent when submitted."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from cspca.figures.pictures import grey, image_alt
from cspca.ui.components import component, packed

Mask = NDArray[np.bool_]

_MOUNT = component("paint", "pixels", "bytes")


def paint(
    image: NDArray[np.floating[Any]],
    k: int,
    *,
    key: str,
    of: str,
    action: str,
    then: Callable[[Mask], None],
    start: Mask | None = None,
    typed: str = "",
) -> None:
    """Draw an image to paint on; the button `action` passes the painted mask to `then`.

    The painting belongs to the data set `of`: another image, another limit of `k` pixels or another
    label of the button leaves it as it is. It begins with what this browser tab remembers, else
    with `start`. If `start` was typed, `typed` identifies that input, and it replaces the painting
    once.
    """
    data = {
        "id": of,
        "shape": image.shape,
        "grey": grey(image),
        "k": k,
        "brushes": brushes(max(image.shape)),
        "action": action,
        "start": None if start is None else mask_text(start),
        "typed": typed,
        "height": 416,
        "label": "Paint the pixels you would keep",
        "description": image_alt(image),
    }

    def sent() -> None:
        mask = parse_mask(st.session_state[key].get("mask"), image.shape)
        if mask is not None:
            then(mask)

    _MOUNT(key=key, data=packed(data), on_mask_change=sent)


def brushes(side: int) -> tuple[int, int, int]:
    """Return the widths of the brushes in pixels; wider ones on an image of many pixels."""
    if side <= 16:
        return 1, 2, 3
    unit = max(1, round(side / 60))
    return unit, 3 * unit, 5 * unit


def mask_text(mask: Mask) -> str:
    """Encode a mask as URL-safe base64, eight pixels a byte."""
    return base64.urlsafe_b64encode(np.packbits(mask.ravel()).tobytes()).decode("ascii")


def parse_mask(sent: object, shape: tuple[int, ...]) -> Mask | None:
    """Return the mask that a browser sent; None if it is malformed, empty or of another size."""
    size = int(np.prod(shape))
    if not isinstance(sent, Mapping) or sent.get("size") != size:
        return None
    try:
        content = base64.b64decode(str(sent.get("bits")), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(content) != -(-size // 8):
        return None
    bits = np.unpackbits(np.frombuffer(content, dtype=np.uint8), count=size)
    return bits.astype(bool).reshape(shape) if bits.any() else None
