"""Elements of all pages: escaped text, tables, facts and buttons.

An error is shown as one sentence on the page, and logged with its traceback.
"""

from __future__ import annotations

import functools
import logging
import re
from collections.abc import Callable, Collection, Iterable
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from cspca.ui import state

if TYPE_CHECKING:
    import pandas as pd

    from cspca.figures.meanings import Meaning

logger = logging.getLogger(__name__)

SORRY: Final = (
    "Something went wrong on our side while this page was drawn; your data and fits are kept. "
    "Reload the page to try again."
)
_MARKUP: Final = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
# Where an invisible word joiner keeps Streamlit from making emoji, links, arrows and lists.
_JOINED: Final = re.compile(
    r"(?<=[:@])(?=\S)|(?<=www)(?=\.)|(?<=(?<!\S)[-<>~])(?=(->?|[=>])(?!\S))|\A(?=[-+\s]|\d+[.)])",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """Return Markdown that shows `text` literally: names come from files and are never markup."""
    return _MARKUP.sub(r"\\\1", _JOINED.sub("\u2060", text))


def guide(name: str) -> str:
    """Return a text of the guide, which is a file of the package."""
    return (files("cspca") / "guide" / f"{name}.md").read_text("utf-8")


def is_dark() -> bool:
    """Whether the page has the dark theme."""
    return st.context.theme.type == "dark"


def facts(rows: Iterable[tuple[str, str, Meaning | None]]) -> str:
    """Return the HTML of a line of facts: each has a name, a value if any, and a meaning.

    The meaning opens below the fact, by a click, a touch or the keyboard.
    """
    parts = []
    for name, value, meaning in rows:
        shown = escape(name) + (f" <b>{escape(value)}</b>" if value else "")
        if meaning is None:
            parts.append(f"<span>{shown}</span>")
            continue
        tags = zip(("p", "code", "p", "code"), meaning, strict=True)
        body = "".join(f"<{tag}>{escape(text)}</{tag}>" for tag, text in tags if text)
        parts.append(f'<details class="cspca-why"><summary>{shown}</summary>{body}</details>')
    return f'<div class="cspca-facts">{"".join(parts)}</div>'


def table(frame: pd.DataFrame, label: str, *, best: Collection[int] = ()) -> None:
    """Draw a table of text and its note; the first cell heads the row, rows `best` stand out.

    Text after a line break in a cell is shown below, in small.
    """
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in frame.columns)
    lines = []
    for at, row in enumerate(frame.itertuples(index=False)):
        name, *cells = (_cell(value) for value in row)
        kind = ' class="cspca-best"' if at in best else ""
        body = "".join(f"<td>{cell}</td>" for cell in cells)
        lines.append(f'<tr{kind}><th scope="row">{name}</th>{body}</tr>')
    st.html(
        f'<div class="cspca-scroll" tabindex="0" role="region" aria-label="{escape(label)}">'
        f'<table class="cspca-table"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )
    if frame.attrs.get("note"):
        st.caption(frame.attrs["note"])


def below(text: str) -> str:
    """Put a bracket, or a spread after ±, below its number."""
    return re.sub(r" (?=[(±])", "\n", text)


def _cell(value: object) -> str:
    # Imported here, so that a page without tables does not load it.
    from cspca.evaluation.tables import Strong

    first, _, rest = str(value).partition("\n")
    text = f"<b>{escape(first)}</b>" if isinstance(value, Strong) else escape(first)
    under = escape(rest).replace("\n", "<br>")
    return f"{text}<br><small>{under}</small>" if under else text


def guarded(body: Callable[..., None]) -> Callable[..., None]:
    """Wrap a function that draws a page or a part of it: errors are logged and reported."""

    @functools.wraps(body)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            body(*args, **kwargs)
        # Streamlit's stop and rerun signals are not Exceptions and pass through.
        except Exception:
            logger.exception("A page could not be drawn.")
            st.error(SORRY, icon=":material/error:")

    return run


def button(label: str, key: str, icon: str, *call: Any, **options: Any) -> bool:
    """Draw a button that runs `call`, a function and its arguments; `icon` is one of Material’s."""
    options |= {"icon": f":material/{icon}:", "on_click": noticed, "args": call}
    return st.button(label, key=key, **options)


def noticed(call: Callable[..., object], *args: Any) -> None:
    """Run `call`; a ValueError becomes a notice on the page."""
    try:
        call(*args)
    except ValueError as problem:
        state.add_notice(str(problem))
