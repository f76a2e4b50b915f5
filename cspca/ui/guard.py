"""No stack trace reaches a browser: one sentence there, the traceback in the log."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import ParamSpec

import streamlit as st

logger = logging.getLogger(__name__)

P = ParamSpec("P")

SORRY = (
    "Something went wrong on our side while this page was drawn; your data and fits are kept. "
    "Reload the page to try again."
)


def guarded(body: Callable[P, None]) -> Callable[P, None]:
    """Wrap what draws a page or a part of it."""

    @functools.wraps(body)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            body(*args, **kwargs)
        # Streamlit's own stop and rerun signals are no Exceptions and pass through.
        except Exception:
            logger.exception("A page could not be drawn.")
            st.error(SORRY, icon=":material/error:")

    return run
