"""What draws and what a button does, guarded: one sentence on the page, a traceback in the log."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any

import streamlit as st

from cspca.ui import state

logger = logging.getLogger(__name__)

SORRY = (
    "Something went wrong on our side while this page was drawn; your data and fits are kept. "
    "Reload the page to try again."
)


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


def polled(every: float | None, draw: Callable[[], None]) -> None:
    """Draw now, and again and again."""
    st.fragment(guarded(draw), run_every=every)()
