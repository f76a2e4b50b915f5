"""The pages: their names in the menu and in addresses, and their icons."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import streamlit as st

ROOT: Final = Path(__file__).resolve().parents[2]


PAGES: Final = {
    "home": ("Home", ":material/home:"),
    "data": ("Data", ":material/photo_library:"),
    "explore": ("Explore", ":material/tune:"),
    "predict": ("Predict", ":material/brush:"),
    "compare": ("Compare", ":material/leaderboard:"),
    "sensitivity": ("Sensitivity", ":material/grid_on:"),
    "starts": ("Convergence", ":material/show_chart:"),
    "outliers": ("Outliers", ":material/person_search:"),
    "theory": ("Theory", ":material/function:"),
    "paper": ("Paper", ":material/menu_book:"),
    "runs": ("Runs", ":material/history:"),
    "guide": ("Guide", ":material/help:"),
}
"""Labels and icons, by the names of the scripts in ``pages/``; a new page is one line here."""


def script(page: str) -> str:
    """Return the path of a page's script."""
    return str(ROOT / "pages" / f"{page}.py")


def pages() -> list[Any]:
    """Return the pages for ``st.navigation``; the first opens at the bare address."""
    return [
        st.Page(script(page), title=label, icon=icon, default=page == "home")
        for page, (label, icon) in PAGES.items()
    ]
