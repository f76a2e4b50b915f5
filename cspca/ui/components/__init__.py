"""Components of our own: script, style and markup of each lie here, and there is no build step.

Streamlit 1.67 takes bytes as the whole of what a component is sent, not within a mapping, where
only tables go by Arrow: so :func:`packed` puts arrays and all else into one message of bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import numpy as np
import streamlit as st


def component(name: str, *more: str) -> Any:
    """Register a component, once, at import: with every mount it would be replaced under way.

    `more` names further scripts, whose functions that of the component uses, and their styles; a
    component that shows nothing has no markup.
    """
    here = files(__package__)

    def text(kind: str, names: tuple[str, ...]) -> str:
        return "\n".join(here.joinpath(f"{one}.{kind}").read_text("utf-8") for one in names)

    def existing(kind: str, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(one for one in names if here.joinpath(f"{one}.{kind}").is_file())

    texts: dict[str, Any] = {
        "html": text("html", existing("html", (name,))),
        "css": text("css", existing("css", (name, *more))),
        "js": text("js", (name, *more)),
    }
    return st.components.v2.component(f"cspca_{name}", **texts)


def packed(data: Mapping[str, Any]) -> bytes:
    """Pack what a component is sent, for `opened` in bytes.js.

    Parameters
    ----------
    data : mapping
        What JSON can say, and arrays and bytes anywhere in it.

    Returns
    -------
    bytes
        The length of the head in four bytes, the head in JSON, then all arrays; in the head stands
        from and to which byte of them each one goes.
    """
    arrays: list[bytes] = []
    end = 0

    def place(value: object) -> dict[str, object]:
        nonlocal end
        if not isinstance(value, bytes | np.ndarray):
            raise TypeError(f"{type(value).__name__} is no array, nor known to JSON.")
        content = value if isinstance(value, bytes) else np.ascontiguousarray(value).tobytes()
        arrays.append(content)
        start, end = end, end + len(content)
        return {"is": "array", "from": start, "to": end}

    head = json.dumps(data, default=place, allow_nan=False, separators=(",", ":")).encode()
    return b"".join((len(head).to_bytes(4, "little"), head, *arrays))
