"""Undocumented attributes of Streamlit's current run, which only this module reads (1.67).

They are read without defaults, so that a version without them fails at once.
"""

from __future__ import annotations

from streamlit.runtime.scriptrunner import get_script_run_ctx


def page_shown() -> str:
    """Return the hash that identifies this page; empty outside of a page."""
    context = get_script_run_ctx()
    return "" if context is None else context.page_script_hash


def went_through_history() -> bool:
    """Whether the visitor came by Back or Forward, which only this tells from an echo."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def session_id() -> str:
    """Return the id of the window's session, which is in the addresses of its uploads."""
    context = get_script_run_ctx()
    return "" if context is None else context.session_id
