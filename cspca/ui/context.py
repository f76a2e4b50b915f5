"""What Streamlit knows of the run at work and documents nowhere: read here alone (Streamlit 1.67).

Each is read plainly, so that a version without it fails at once.
"""

from __future__ import annotations

from streamlit.runtime.scriptrunner import get_script_run_ctx


def page_shown() -> str:
    """Return what tells this page from others; empty outside of a page."""
    context = get_script_run_ctx()
    return "" if context is None else context.page_script_hash


def went_through_history() -> bool:
    """Whether the visitor came by Back or Forward: nothing else tells that from an echo."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def session_id() -> str:
    """Return the name of the window's session, as it stands in the addresses of its uploads."""
    context = get_script_run_ctx()
    return "" if context is None else context.session_id
