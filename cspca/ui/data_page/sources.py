"""Where images come from: what is built in, what can be fetched or asked for, one's own files."""

from __future__ import annotations

from html import escape

import streamlit as st

from cspca.datasets import BUILTIN, BY_REQUEST, REMOTE, is_cached
from cspca.datasets.files import FORMATS, PICTURE_SUFFIXES
from cspca.ui import keys, pictures
from cspca.ui.data_page import draft
from cspca.ui.data_page.reading import refused
from cspca.ui.data_page.upload import MOST_MB, arrived
from cspca.ui.services import services


def sources(in_use: str, shown: str) -> None:
    """Draw the gallery beside the place for one's own files; `shown` stays below when refused."""
    stays = f"Nothing below has changed: it is still {shown}."
    with st.container(key=keys.BOX_SOURCES):
        left, right = st.columns([7, 5], gap="large")
    with left:
        here, fetched, asked = st.tabs(["Here already", "Fetch", "By request"])
        with here:
            _built_in(in_use)
        with fetched:
            _remote(stays)
        with asked:
            _by_request()
    with right:
        _own(stays)


def _built_in(in_use: str) -> None:
    cells = st.columns(len(BUILTIN))
    for (name, entry), cell in zip(BUILTIN.items(), cells, strict=True):
        with cell:
            pictures.strip(services().library.get(name), count=12, columns=12)
            st.caption(f"**{entry.title}.** {entry.description} {entry.size}. {entry.licence}.")
            st.button(
                "In use" if in_use == name else f"Use {entry.title.lower()}",
                key=f"use_{name}",
                on_click=draft.use_known,
                args=(name,),
                disabled=in_use == name,
                width="stretch",
            )


def _remote(stays: str) -> None:
    name = st.segmented_control(
        "Fetched from its owner",
        list(REMOTE),
        format_func=lambda one: REMOTE[one].title.split(" (")[0],
        default=next(iter(REMOTE)),
        required=True,
        key=keys.REMOTE_CHOICE,
        label_visibility="collapsed",
    )
    if name is None:
        return
    one = REMOTE[name]
    _facts(
        one.description,
        {
            "Size": f"{one.size}; the download is {one.download_size}",
            "Licence": one.licence,
            "Please cite": one.citation,
        },
        one.homepage,
    )
    kept = is_cached(name)
    st.button(
        "Open the kept copy" if kept else f"Fetch {one.download_size}",
        key=keys.FETCH,
        icon=":material/folder_open:" if kept else ":material/download:",
        on_click=draft.fetch,
        args=(name,),
    )
    if draft.asked().answer == name:
        refused(draft.FETCH, stays)


def _by_request() -> None:
    name = st.segmented_control(
        "To be asked for",
        list(BY_REQUEST),
        format_func=lambda one: BY_REQUEST[one].title,
        default=next(iter(BY_REQUEST)),
        required=True,
        key=keys.REQUEST_CHOICE,
        label_visibility="collapsed",
    )
    if name is None:
        return
    one = BY_REQUEST[name]
    _facts(
        f"{one.description} {one.where}",
        {
            "Bring": one.bring,
            "Size": f"{one.size}, as the paper used it",
            "Terms": one.terms,
            "Please cite": one.citation,
        },
        one.homepage,
    )


def _facts(description: str, facts: dict[str, str], homepage: str) -> None:
    lines = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(value.rstrip('.'))}.</dd>"
        for name, value in facts.items()
    )
    address = escape(homepage, quote=True)
    st.html(
        f'<p class="cspca-words">{escape(description)}</p><dl class="cspca-terms">{lines}'
        f'<dt>Where</dt><dd><a href="{address}" target="_blank" rel="noreferrer">{address}</a></dd>'
        "</dl>"
    )


def _own(stays: str) -> None:
    # A new key empties the widget: what has been read is not held by it as well.
    key = f"{keys.BRING}_{st.session_state.setdefault(keys.UPLOAD_ROUND, 0)}"
    st.file_uploader(
        f"Bring your own: a {', '.join(FORMATS)} file (.zip: pictures in class folders), or "
        "several pictures",
        # Of any kind: what cannot be read gets a sentence of ours, not only a red sign.
        accept_multiple_files=True,
        max_upload_size=MOST_MB,
        key=key,
        on_change=arrived,
        args=(key, draft.BRING),
        help="What you bring stays in the memory of this server, for a day at most, "
        "and is reachable only through the address of your page.",
    )
    with st.popover("A whole folder, or data with holes", icon=":material/more_horiz:"):
        folder = f"{key}_folder"
        st.file_uploader(
            "A folder of pictures, one folder a class",
            type=[suffix.lstrip(".") for suffix in PICTURE_SUFFIXES],
            accept_multiple_files="directory",
            max_upload_size=MOST_MB,
            key=folder,
            on_change=arrived,
            args=(folder, draft.BRING),
        )
        st.toggle(
            "Leave out samples with missing values",
            key=keys.DROP_BAD,
            persist_state="session",
            help="Rather than refuse a file that holds NaN or infinite values.",
        )
    refused(draft.BRING, stays)
