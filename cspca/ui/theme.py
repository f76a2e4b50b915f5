"""Light or dark, as the visitor has it."""

from __future__ import annotations

import streamlit as st


def is_dark() -> bool:
    """Whether the page is drawn dark now."""
    return st.context.theme.type == "dark"
