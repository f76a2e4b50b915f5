"""The studio's own components: script, style and markup are files here, without a build step.

Streamlit 1.67 sends bytes to a component only as its whole data, not within a mapping, where only
tables go by Arrow. So :func:`packed` puts arrays and everything else into one message of bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import numpy as np
import streamlit as st


def component(name: str, *scripts: str) -> Any:
    """Register a component once, at import: registering it at every mount would replace it.

    `scripts` are the stems of further scripts that the component uses, and of their styles; their
    markup stands where that of the component names it in a comment. A component that shows nothing
    has no markup.
    """
    here = files(__package__)

    def text(kind: str, stems: tuple[str, ...]) -> str:
        return "\n".join(here.joinpath(f"{stem}.{kind}").read_text("utf-8") for stem in stems)

    def existing(kind: str, stems: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(stem for stem in stems if here.joinpath(f"{stem}.{kind}").is_file())

    html = text("html", existing("html", (name,)))
    for part in existing("html", scripts):
        html = html.replace(f"<!-- {part}.html -->", text("html", (part,)))
    texts: dict[str, Any] = {
        "html": html,
        "css": text("css", existing("css", (name, *scripts))),
        "js": text("js", (name, *scripts)),
    }
    return st.components.v2.component(f"cspca_{name}", **texts)


def packed(data: Mapping[str, Any]) -> bytes:
    """Pack the data of a component into bytes, for `opened` in bytes.js.

    Parameters
    ----------
    data : mapping
        JSON values, with arrays and bytes anywhere in them.

    Returns
    -------
    bytes
        The length of the header in four bytes, the header in JSON with the byte range of each
        array, then all arrays.
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
