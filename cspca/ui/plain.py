"""Words from files, as they are where Streamlit would read Markdown; light or dark paper."""

from __future__ import annotations

import re
from html import escape
from typing import Final

import streamlit as st

_MARKUP: Final = re.compile(r"([\\`*_{}\[\]<>#|~$&])")


def plain(text: str) -> str:
    """Return Markdown that shows `text` as it is: names come from files and are never markup."""
    return _MARKUP.sub(r"\\\1", text)


def words(text: str, kind: str = "p") -> None:
    """Draw words that may come from a file; `kind` is p, small or h3."""
    tag = "h3" if kind == "h3" else "p"
    st.html(f'<{tag} class="cspca-words cspca-words-{kind}">{escape(text)}</{tag}>')


def is_dark() -> bool:
    """Whether the page is drawn dark now."""
    return st.context.theme.type == "dark"
