"""The frame of every page: its settings, our own menu, the data set in use, a title and a lead."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import streamlit as st

from cspca.datasets import BUILTIN, PICTURE_NOUNS, Dataset, DatasetError, Nouns
from cspca.ui import defaults, pictures, state, visitor
from cspca.ui.data_page import draft, sources
from cspca.ui.guard import guarded
from cspca.ui.plain import plain, words
from cspca.ui.services import services

ROOT: Final = Path(__file__).resolve().parents[2]

# An address of its own: a file belongs to a session, and is gone for a moment at a reload.
_ICON: Final = "data:image/png;base64," + b64encode(
    (ROOT / "assets" / "icon.png").read_bytes()
).decode("ascii")

_STYLE: Final = Path(__file__).with_name("style.css").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Page:
    """One entry of the menu."""

    path: str
    label: str
    icon: str


PAGES: Final = (
    Page("app.py", "Home", ":material/home:"),
    Page("pages/data.py", "Data", ":material/photo_library:"),
    Page("pages/explore.py", "Explore", ":material/tune:"),
    Page("pages/compare.py", "Compare", ":material/leaderboard:"),
    Page("pages/sensitivity.py", "Sensitivity", ":material/grid_on:"),
    Page("pages/starts.py", "Convergence", ":material/show_chart:"),
    Page("pages/paper.py", "Paper", ":material/menu_book:"),
    Page("pages/runs.py", "Runs", ":material/history:"),
    Page("pages/guide.py", "Guide", ":material/help:"),
)
"""The menu lists the pages that exist; a new page is one line here."""

SHARED: Final = "Whoever has this page’s address can see this set."
"""What must be said of an upload: its id is in the address, and nothing else guards it."""


Words = str | Callable[[Nouns], str]
"""A sentence, or how to say it of images and pixels and of samples and features."""


def page(title: Words, lead: Words, body: Callable[[state.View, Dataset], None]) -> None:
    """Run a page: settings, menu, title, then `body` with the view and its data set."""
    services()
    tab = f"{_say(title, PICTURE_NOUNS)} · CSPCA Studio"
    st.set_page_config(page_title=tab, page_icon=_ICON, layout="wide")
    st.html(f"<style>{_STYLE}</style>")
    _page(title, lead, body)


@guarded
def _page(title: Words, lead: Words, body: Callable[[state.View, Dataset], None]) -> None:
    with st.sidebar:
        st.logo(str(ROOT / "assets" / "logo.svg"), size="large")
        with st.container(key="page_menu", gap="xxsmall"):
            menu = st.container(gap="xxsmall")
    wrong = visitor.arrive()
    if wrong:
        state.add_notice(wrong)
    draft.settle()
    st.session_state["charts_drawn"] = {}
    dataset = _dataset()
    said = _say(title, dataset.nouns)
    st.set_page_config(page_title=f"{said} · CSPCA Studio")
    st.title(said, anchor=False)
    st.html(f'<p class="cspca-lead">{_say(lead, dataset.nouns)}</p>')
    view = state.open_view(dataset)
    with menu:
        for entry in PAGES:
            state.link(entry.path, entry.label, entry.icon, width="stretch")
    with st.sidebar:
        _data_card(dataset)
        visitor.remember()
    for sentence in state.notices(view):
        st.error(plain(sentence), icon=":material/error:")
    body(view, dataset)
    state.write_url()


def _say(words: Words, nouns: Nouns) -> str:
    return words if isinstance(words, str) else words(nouns)


def _dataset() -> Dataset:
    library = services().library
    try:
        return library.get(state.data_in_use())
    except DatasetError as problem:
        state.add_notice(str(problem))
        state.use_data(defaults.DATA)
        return library.get(defaults.DATA)


def _data_card(dataset: Dataset) -> None:
    with st.container(key="data_card", gap="small"):
        st.caption("Data set in use")
        pictures.strip(dataset, count=5, columns=5)
        # Names come from files: shown as plain text, never as markup.
        st.text(title_of(state.data_in_use(), dataset))
        words(dataset.recognised, "small")
        if state.data_in_use() not in BUILTIN:
            st.caption(SHARED)
        # Above the button: below it the open popover would cover the bar.
        sources.quick_reading("sidebar")
        with st.popover("Open your own", icon=":material/upload_file:", width="stretch"):
            sources.uploader("sidebar")
            state.link("pages/data.py", "See it first: the Data page", ":material/photo_library:")


def title_of(key: str, dataset: Dataset) -> str:
    """Return what a data set is called; the name of an upload comes from its file."""
    return BUILTIN[key].title if key in BUILTIN else dataset.name
