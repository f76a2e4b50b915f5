"""Components of our own: script, style and markup of each lie here, and there is no build step."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import streamlit as st


def component(name: str) -> Any:
    """Register a component, once, at import: with every mount it would be replaced under way."""
    texts: dict[str, Any] = {
        kind: files(__package__).joinpath(f"{name}.{kind}").read_text(encoding="utf-8")
        for kind in ("html", "css", "js")
    }
    return st.components.v2.component(f"cspca_{name}", **texts)
