"""What every page is drawn with: words and tables as they are, and buttons.

What fails says so in one sentence on the page; its traceback is in the log.
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
# Where a word joiner, which nobody sees, keeps Streamlit from making emoji, links, arrows, lists.
_JOINED: Final = re.compile(
    r"(?<=[:@])(?=\S)|(?<=www)(?=\.)|(?<=(?<!\S)[-<>~])(?=(->?|[=>])(?!\S))|\A(?=[-+\s]|\d+[.)])",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """Return Markdown that shows `text` as it is: names come from files and are never markup."""
    return _MARKUP.sub(r"\\\1", _JOINED.sub("\u2060", text))


def guide(name: str) -> str:
    """A text of the guide, which the repository and the package hold too."""
    return (files("cspca") / "guide" / f"{name}.md").read_text("utf-8")


def is_dark() -> bool:
    """Whether the page is drawn dark now."""
    return st.context.theme.type == "dark"


def facts(known: Iterable[tuple[str, str, Meaning | None]]) -> str:
    """The HTML of small facts in a line: each its name, its value if any, and what it means.

    What it means opens below it, by a click, a finger or the keyboard.
    """
    items = []
    for name, value, meaning in known:
        shown = escape(name) + (f" <b>{escape(value)}</b>" if value else "")
        if meaning is None:
            items.append(f"<span>{shown}</span>")
            continue
        tags = ("p", "code", "p", "code")
        told = (
            f"<{tag}>{escape(one)}</{tag}>" for tag, one in zip(tags, meaning, strict=True) if one
        )
        items.append(
            f'<details class="cspca-why"><summary>{shown}</summary>{"".join(told)}</details>'
        )
    return f'<div class="cspca-facts">{"".join(items)}</div>'


def table(frame: pd.DataFrame, label: str, *, best: Collection[int] = ()) -> None:
    """Draw a table of text and the note on it; the first cell names the row, `best` stand out.

    A line break in a cell puts what follows it below, in small.
    """
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in frame.columns)
    lines = []
    for at, row in enumerate(frame.itertuples(index=False)):
        name, *cells = (_cell(one) for one in row)
        kind = ' class="cspca-best"' if at in best else ""
        body = "".join(f"<td>{one}</td>" for one in cells)
        lines.append(f'<tr{kind}><th scope="row">{name}</th>{body}</tr>')
    st.html(
        f'<div class="cspca-scroll" tabindex="0" role="region" aria-label="{escape(label)}">'
        f'<table class="cspca-table"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )
    if frame.attrs.get("note"):
        st.caption(frame.attrs["note"])


def below(text: str) -> str:
    """Put what stands in brackets, or how far a number spreads, below the number."""
    return re.sub(r" (?=[(±])", "\n", text)


def _cell(value: object) -> str:
    # A page without tables need not wait for it.
    from cspca.evaluation.tables import Strong

    first, _, rest = str(value).partition("\n")
    text = f"<b>{escape(first)}</b>" if isinstance(value, Strong) else escape(first)
    under = escape(rest).replace("\n", "<br>")
    return f"{text}<br><small>{under}</small>" if under else text


def guarded(body: Callable[..., None]) -> Callable[..., None]:
    """Wrap what draws a page or a part of it."""

    @functools.wraps(body)
    def run(*given: Any, **more: Any) -> None:
        try:
            body(*given, **more)
        # Streamlit's own stop and rerun signals are no Exceptions and pass through.
        except Exception:
            logger.exception("A page could not be drawn.")
            st.error(SORRY, icon=":material/error:")

    return run


def button(label: str, key: str, icon: str, *call: Any, **how: Any) -> bool:
    """A button, what it does and with what; `icon` is one of Material’s."""
    return st.button(label, key=key, icon=f":material/{icon}:", on_click=noticed, args=call, **how)


def noticed(call: Callable[..., object], *given: Any) -> None:
    """Do it; where it comes to nothing, leave a notice."""
    try:
        call(*given)
    except ValueError as problem:
        state.add_notice(str(problem))
