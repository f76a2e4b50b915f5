"""Components of our own: script, style and markup of each lie here, and there is no build step."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import streamlit as st


def component(name: str, *more: str) -> Any:
    """Register a component, once, at import: with every mount it would be replaced under way.

    `more` names further scripts, whose functions that of the component uses.
    """

    def text(file: str) -> str:
        return files(__package__).joinpath(file).read_text(encoding="utf-8")

    texts: dict[str, Any] = {kind: text(f"{name}.{kind}") for kind in ("html", "css")}
    texts["js"] = "\n".join(text(f"{one}.js") for one in (name, *more))
    return st.components.v2.component(f"cspca_{name}", **texts)
