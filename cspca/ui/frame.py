"""The frame of all pages: settings, the data set in use, a title and a lead."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import streamlit as st

from cspca.datasets import BUILTIN, Dataset, DatasetError, Nouns
from cspca.ui import (
    downloads,
    fields,
    follow,
    menu,
    pictures,
    presets,
    programs,
    run_data,
    state,
    tour,
    visitor,
)
from cspca.ui.components import component
from cspca.ui.data_page import draft, sources
from cspca.ui.plain import button, guarded, plain
from cspca.ui.services import services

# A data URI, because a file belongs to a session and is missing for a moment at a reload.
_ICON: Final = "data:image/png;base64," + b64encode(
    (menu.ROOT / "assets" / "icon.png").read_bytes()
).decode("ascii")

_SPOKEN: Final = st.components.v2.component(
    "cspca_spoken",
    html="<i hidden></i>",
    js=(Path(__file__).parent / "components" / "spoken.js").read_text(encoding="utf-8"),
)

_REFUSED: Final = component("refused")

_STYLE: Final = Path(__file__).with_name("style.css").read_text(encoding="utf-8")

# Style of bare pages: on a projector, and in a frame of another page.
_BARE: Final = Path(__file__).with_name("bare.css").read_text(encoding="utf-8")

Words = str | Callable[[Nouns], str]
"""A sentence, or a function that writes it with the nouns of the data."""


def configure(title: str = "CSPCA Studio") -> None:
    """Set the title and the icon of the browser's tab, and the wide layout."""
    st.set_page_config(page_title=title, page_icon=_ICON, layout="wide")


@guarded
def page(
    name: str,
    question: Words,
    lead: Words,
    body: Callable[[state.View, Dataset], None],
    tabs: Callable[[], None] | None = None,
) -> None:
    """Draw a page: settings, its name as the title, its question and lead, and its body.

    Parameters
    ----------
    name : str
        Name of its script.
    question : str or callable
        Question that the page answers; empty where there is none.
    lead : str or callable
        Sentence after the question.
    body : callable
        Draws the rest of the page, for the view and its data set.
    tabs : callable or None
        Draws the tabs of the page, beside its title.
    """
    with services().films.giving_way():
        _draw(name, question, lead, body, tabs)
    # Films are made during this wait.
    follow.wait_for_work()


def _draw(
    name: str,
    question: Words,
    lead: Words,
    body: Callable[[state.View, Dataset], None],
    tabs: Callable[[], None] | None,
) -> None:
    fields.carry_over()
    library = services().library
    title = menu.PAGES[name].name
    configure(f"{title} · CSPCA Studio")
    st.html(f"<style>{_STYLE}</style>")
    with st.sidebar:
        st.logo(str(menu.ROOT / "assets" / "logo.svg"), size="large")
    wrong = visitor.arrive()
    if wrong:
        state.add_notice(wrong)
    if visitor.must_log_in():
        visitor.log_in()
        return
    if visitor.removed_elsewhere():
        visitor.forget_session()
        state.add_notice("Your data were removed in another window: they are gone from here too.")
    follow.begin()
    downloads.begin()
    draft.settle()
    try:
        dataset = library.get(state.data_in_use())
    except DatasetError as problem:
        state.add_notice(str(problem))
        state.replace_gone_data()
        dataset = library.get(state.DATA)
    presets.follow_link()
    tour.follow_link()
    with st.container(horizontal=True, vertical_alignment="center", key="title_row"):
        st.title(title, anchor=False)
        beside_title = st.container(horizontal=True, gap="small", width="content")
    _introduce(question, lead, dataset.nouns)
    view = state.open_view(dataset)
    if state.bare():
        with beside_title:
            st.html(f"<style>{_BARE}</style>")
    else:
        with st.sidebar:
            _data_card(dataset)
            with st.container(
                horizontal=True, vertical_alignment="center", key="page_tools", gap="small"
            ):
                tour.button()
                guide = menu.PAGES[menu.HELP]
                state.link(menu.HELP, guide.name, guide.icon, help=guide.purpose)
                if account := visitor.logged_in_as():
                    leave = {"type": "tertiary", "width": "content"}
                    hint = f"You are {plain(account)}."
                    button("Log out", "log_out_button", "logout", st.logout, help=hint, **leave)
        with beside_title:
            if tabs is not None:
                tabs()
            if name == menu.FIRST:
                presets.menu_of_lessons()
                tour.offer()
    with st.sidebar, st.container(key="spoken"):
        _SPOKEN(key="spoken_words")
        if not programs.reads():
            _REFUSED(key="refused_upload", data=sources.refused_by_proxy())
    for sentence in state.notices(view):
        st.error(plain(sentence), icon=":material/error:")
    body(view, dataset)
    if state.bare():
        st.markdown(f"[Open in CSPCA Studio](?{urlencode(state.address())})")
    state.write_url()
    follow.end()


def _introduce(question: Words, lead: Words, nouns: Nouns) -> None:
    """Draw the question of a page and its lead."""
    asks = f"<b>{_say(question, nouns)}</b> " if question else ""
    st.html(f'<p class="cspca-lead">{asks}{_say(lead, nouns)}</p>')


def _data_card(dataset: Dataset) -> None:
    with st.container(key="data_card", gap="small"):
        st.caption("Data set in use")
        pictures.strip(dataset, count=5, columns=5)
        # Names come from files, so they are shown as plain text, never as markup.
        st.text(draft.title_of(dataset))
        # The Data page shows how the file was read, and what can be changed.
        summary = f"{dataset.summary}."
        hint = None if dataset.recognised == summary else plain(dataset.recognised)
        st.caption(plain(summary), help=hint)
        if state.data_in_use() not in BUILTIN:
            # Whoever has the address, which has the id, has access.
            st.caption("Anyone with this link can see it.")
        sources.choose_set(state.data_in_use())
        run_data.offer_for_link()
        # The bar is above the button: below it, the open popover would cover it.
        sources.quick_reading("sidebar")
        # Each data set has its own popover, so that it closes when the upload is in use.
        key, icon = f"open_over_{state.data_in_use()}", ":material/upload_file:"
        look = {"icon": icon, "width": "stretch"}
        with (box := programs.fold(st.popover, "Upload files", key, **look)):
            if programs.is_drawn(box):
                sources.uploader("sidebar")
                sources.see_first()


def _say(words: Words, nouns: Nouns) -> str:
    return words if isinstance(words, str) else words(nouns)
