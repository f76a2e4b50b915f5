"""Components of our own: script, style and markup of each lie here, and there is no build step."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import streamlit as st


def component(name: str, *more: str) -> Any:
    """Register a component, once, at import: with every mount it would be replaced under way.

    `more` names further scripts, whose functions that of the component uses, and their styles.
    """
    here = files(__package__)

    def text(kind: str, names: tuple[str, ...]) -> str:
        return "\n".join(here.joinpath(f"{one}.{kind}").read_text("utf-8") for one in names)

    styled = tuple(one for one in more if here.joinpath(f"{one}.css").is_file())
    texts: dict[str, Any] = {"html": text("html", (name,)), "css": text("css", (name, *styled))}
    texts["js"] = text("js", (name, *more))
    return st.components.v2.component(f"cspca_{name}", **texts)
