"""What a program is sent of a page: less at once than a browser, and the rest on request.

Streamlit's agent API answers a program with all that a page holds, as text. A browser is sent
everything, so that boxes open at once; a program is sent what lies in a box when it opens it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import streamlit as st

MOST_OF_A_CHART: Final = 1_000
"""Characters up to which a chart is sent to a program at once."""


def reads() -> bool:
    """Whether this page is read by a program, by Streamlit's agent API: a browser has a URL."""
    return st.context.url is None


def fold(draw: Callable[..., Any], label: str, key: str, **options: Any) -> Any:
    """Start a box; fill it only where :func:`is_drawn` says so.

    Parameters
    ----------
    draw : callable
        ``st.expander`` or ``st.popover``.
    label, key : str
        Its label, and its key in the session: True opens it for a program.
    """
    return draw(label, key=key, on_change="rerun" if reads() else "ignore", **options)


def is_drawn(box: Any) -> bool:
    """Whether the content of a box is sent: to a browser always, to a program when it is open."""
    return box.open is not False


@contextmanager
def folded(label: str, key: str) -> Iterator[bool]:
    """Put what a browser is shown as it is into a box for a program; yield whether to draw it."""
    if not reads():
        yield True
        return
    with (box := fold(st.expander, label, key)):
        yield is_drawn(box)
