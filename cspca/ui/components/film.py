"""What a film bar reports: where it was let go, and which film is wished for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from cspca.ui.components import component, packed

LetGo = Callable[[str, float], None]
"""Called with the penalty along which a film goes, and the value where it was released."""

Wish = Callable[[str, bool | None], None]
"""Called for another film: with True to compute it, with False to stop that."""

# A film is large: it is sent separately, when it has grown, and kept in the page, on its shelf.
_SHELF = component("shelf", "bytes")


def put_on_shelf(key: str, film: Mapping[str, Any], serial: str) -> None:
    """Send a film to the browser, for a film bar whose `films` name its key."""
    _SHELF(key=f"film_{key}", data=packed({"key": key, "film": film, "serial": serial}))


def let_go(key: str, on_let_go: LetGo) -> None:
    """Pass on where the film bar of the component `key` was released."""
    message = st.session_state[key].get("let_go")
    if isinstance(message, Mapping) and isinstance(message.get("value"), int | float):
        on_let_go(str(message.get("along")), float(message["value"]))
        st.session_state[f"{key}/news"] = True


def wished(key: str, on_wish: Wish) -> None:
    """Pass on which film the film bar of the component `key` wishes for."""
    message = st.session_state[key].get("wish")
    if isinstance(message, Mapping):
        make = message.get("make")
        on_wish(str(message.get("along")), make if isinstance(make, bool) else None)
        st.session_state[f"{key}/news"] = True
