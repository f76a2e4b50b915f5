"""The frame of every page: its settings, the data set in use, a title and a lead."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import streamlit as st

from cspca.datasets import BUILTIN, PICTURE_NOUNS, Dataset, DatasetError, Nouns
from cspca.ui import fields, menu, pictures, presets, state, tour, visitor
from cspca.ui.data_page import draft, sources
from cspca.ui.plain import button, guarded, plain
from cspca.ui.services import services

# An address of its own: a file belongs to a session, and is gone for a moment at a reload.
_ICON: Final = "data:image/png;base64," + b64encode(
    (menu.ROOT / "assets" / "icon.png").read_bytes()
).decode("ascii")

_SPOKEN: Final = st.components.v2.component(
    "cspca_spoken",
    html="<i hidden></i>",
    js=(Path(__file__).parent / "components" / "spoken.js").read_text(encoding="utf-8"),
)

_STYLE: Final = Path(__file__).with_name("style.css").read_text(encoding="utf-8")

# Where a page is only its picture: for a room, and in a frame of another page.
_BARE: Final = Path(__file__).with_name("bare.css").read_text(encoding="utf-8")
_FOR_A_ROOM: Final = """
html { font-size: clamp(19px, 1.45vw, 32px) }
html { --cspca-larger: 1.35; --cspca-page: 362; --cspca-above: 190; --cspca-bar: 375 }
html { --cspca-tall: calc(100vh - 20.5rem) }
"""
_IN_A_FRAME: Final = """
html { --cspca-page: 270; --cspca-above: 60 }
.st-key-title_row { position: absolute; width: 1px; height: 1px; overflow: hidden }
"""

Words = str | Callable[[Nouns], str]
"""A sentence, or how to say it of images and pixels and of samples and features."""


def configure(title: str = "CSPCA Studio") -> None:
    """Say what stands in the browser's tab, and that a page is wide."""
    st.set_page_config(page_title=title, page_icon=_ICON, layout="wide")


@guarded
def page(
    title: Words,
    lead: Words,
    body: Callable[[state.View, Dataset], None],
    *,
    welcome: bool = False,
) -> None:
    """Run a page: settings, menu, title, then `body` with the view and its data set.

    With `welcome` the tour is offered to who does not know it.
    """
    with services().films.giving_way():
        _draw(title, lead, body, welcome=welcome)


def _draw(
    title: Words, lead: Words, body: Callable[[state.View, Dataset], None], *, welcome: bool
) -> None:
    fields.carry_over()
    library = services().library
    configure(f"{_say(title, PICTURE_NOUNS)} · CSPCA Studio")
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
    draft.settle()
    st.session_state["charts_drawn"] = {}
    try:
        dataset = library.get(state.data_in_use())
    except DatasetError as problem:
        state.add_notice(str(problem))
        state.use_data(state.DATA)
        dataset = library.get(state.DATA)
    presets.follow_link()
    tour.follow_link()
    said = _say(title, dataset.nouns)
    st.set_page_config(page_title=f"{said} · CSPCA Studio")
    with st.container(horizontal=True, vertical_alignment="center", key="title_row"):
        st.title(said, anchor=False)
        beside_title = st.container(horizontal=True, gap="small", width="content")
    st.html(f'<p class="cspca-lead">{_say(lead, dataset.nouns)}</p>')
    view = state.open_view(dataset)
    if state.bare():
        with beside_title:
            how = _IN_A_FRAME if state.embedded() else _FOR_A_ROOM
            st.html(f"<style>{_BARE}{how}</style>")
            if state.presenting():
                with st.popover("Pages", icon=":material/menu:", type="tertiary"):
                    _menu()
                _present("Leave", "close_fullscreen", "Back to the page with its menu.")
    else:
        with st.sidebar:
            _data_card(dataset)
            with st.container(horizontal=True, key="page_tools", gap="small"):
                _present("Present", "co_present", "What is shown and its controls, in large type.")
                tour.button()
                if account := visitor.logged_in_as():
                    leave = {"type": "tertiary", "width": "content"}
                    who = f"You are {plain(account)}."
                    button("Log out", "log_out_button", "logout", st.logout, help=who, **leave)
        if welcome:
            with beside_title:
                tour.offer()
    with st.sidebar, st.container(key="spoken"):
        _SPOKEN(key="spoken_words")
    for sentence in state.notices(view):
        st.error(plain(sentence), icon=":material/error:")
    body(view, dataset)
    if state.embedded():
        st.markdown(f"[Open in CSPCA Studio](?{urlencode(state.address())})")
    state.write_url()


def _menu() -> None:
    for page, (label, icon) in menu.PAGES.items():
        state.link(page, label, icon, width="stretch")


def _present(label: str, icon: str, help: str) -> None:
    how = {"type": "tertiary", "width": "content", "shortcut": "Alt+P", "help": help}
    button(label, "present_button", icon, state.present, **how)


def _data_card(dataset: Dataset) -> None:
    with st.container(key="data_card", gap="small"):
        st.caption("Data set in use")
        pictures.strip(dataset, count=5, columns=5)
        # Names come from files: shown as plain text, never as markup.
        st.text(draft.title_of(dataset))
        more = dataset.recognised.removesuffix(".").split("; ")[1:]
        told = [part for part in more if part.startswith(("not sure", "left out"))]
        # How it was read stands on the Data page, with what may be changed of it.
        rest = "; ".join(part for part in more if part not in told)
        how = f"How it was read: {plain(rest)}." if rest else None
        st.caption(plain("; ".join([dataset.summary, *told])) + ".", help=how)
        if state.data_in_use() not in BUILTIN:
            # Its id is in the address, and nothing else guards it.
            st.caption("Whoever has this page’s address can see this set.")
        # Above the button: below it the open popover would cover the bar.
        sources.quick_reading("sidebar")
        # Of each set its own, so that it is closed when what was brought is in use.
        key, icon = f"open_over_{state.data_in_use()}", ":material/upload_file:"
        with st.popover("Open your own", key=key, icon=icon, width="stretch"):
            sources.uploader("sidebar")
            sources.see_first()


def _say(words: Words, nouns: Nouns) -> str:
    return words if isinstance(words, str) else words(nouns)
