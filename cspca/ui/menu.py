"""The pages, with their names in the menu and in addresses, their icons, and their groups."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

import streamlit as st

ROOT: Final = Path(__file__).resolve().parents[2]


class Page(NamedTuple):
    """A page in the menu: its name, which is its title too, its icon, group and purpose."""

    name: str
    icon: str
    group: str
    purpose: str


FIRST: Final = "explore"
"""The page that opens at the bare address."""

PAGES: Final = {
    "explore": Page("Explore", ":material/tune:", "See", "Move α and β; see what stays."),
    "predict": Page("Predict", ":material/brush:", "See", "Choose what you would keep."),
    "compare": Page(
        "Compare",
        ":material/leaderboard:",
        "Ask",
        "CSPCA beside other methods; all of α and β; Algorithm 1 beside the optimum.",
    ),
    "outliers": Page(
        "Outliers", ":material/person_search:", "Ask", "What does not belong; hidden subspaces."
    ),
    "paper": Page("Paper", ":material/menu_book:", "Ask", "What the paper claims, and what holds."),
    "theory": Page(
        "Theory", ":material/function:", "Understand", "Why it is true, in pictures to move."
    ),
    "data": Page("Data", ":material/photo_library:", "Yours", "Upload files, or choose a set."),
    "runs": Page("Runs", ":material/history:", "Yours", "Everything that was computed and saved."),
    "guide": Page("Guide", ":material/help:", "Yours", "How to use it, from anywhere."),
}
"""Pages by the names of their scripts in ``pages/``; a new page is one line here."""

TABS: Final = {
    "compare": "Methods",
    "sensitivity": "Sensitivity",
    "convergence": "Convergence",
}
"""Tabs of Compare by the kinds of their experiments."""

EXPLORE_TABS: Final = {
    "importance": "Importance",
    "components": "Components",
    "samples": "Samples",
    "reproducibility": "Reproducible",
}
"""The tabs of Explore by their names in an address; an experiment has the name of its tab."""

HELP: Final = "guide"
"""The page that is opened by a link below the menu, and is not in the menu."""


def script(page: str) -> str:
    """Return the path of a page's script."""
    return str(ROOT / "pages" / f"{page}.py")


def page_of(kind: str) -> str:
    """Return the page that shows runs of a kind; empty if there is none."""
    if kind in TABS:
        return "compare"
    page = FIRST if kind == "fit" or kind in EXPLORE_TABS else kind
    return page if page in PAGES else ""


def pages() -> dict[str, list[Any]]:
    """Return the pages for ``st.navigation``, by group."""
    groups: dict[str, list[Any]] = {}
    for name, page in PAGES.items():
        entry = st.Page(
            script(name),
            title=page.name,
            icon=page.icon,
            default=name == FIRST,
            visibility="hidden" if name == HELP else "visible",
            help=page.purpose,
        )
        groups.setdefault(page.group, []).append(entry)
    return groups
