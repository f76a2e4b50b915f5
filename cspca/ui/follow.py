"""Work that a page waits for: the browser polls its progress, and has the page redrawn.

A page is drawn once and ends. It registers the work that it waits for with :func:`follow`, and a
small script in the browser polls the server for this work, which runs no page. When the state has
changed since the page was drawn, the script has the page redrawn. If the page waited on the server
instead, old elements would stay on screen until the work ends (Streamlit 1.67 clears them only when
a run ends by itself), and thirty viewers would draw thirty pages a second.

A client without a browser has no such script: for it the page waits.
"""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable
from typing import Final

import streamlit as st

from cspca.experiments.jobs import Job, JobRegistry
from cspca.experiments.log import hashed
from cspca.ui import keys, visitor
from cspca.ui.components import component
from cspca.ui.plain import is_dark
from cspca.ui.services import services
from cspca.ui.windows import SOON, Followed, Glance, Look, open_window, pause_of, summary

REMOVED: Final = 5.0
"""Seconds between two checks whether the data were removed in another window."""

_ASKS: Final = component("follow")
_BAR: Final = component("bar")


def begin() -> None:
    """Clear the work that the page before was waiting for, before a page is drawn."""
    st.session_state[keys.FOLLOWED] = {}
    owner = hashed(visitor.secret())
    removals = services().removals

    def removed() -> Glance:
        return Glance(removals[owner], active=False)

    follow("removals", removed, pause=REMOVED)


def follow(name: str, look: Look, drawn: Glance | None = None, *, pause: float = SOON) -> Glance:
    """Have the page redrawn when the state of some work changes.

    Parameters
    ----------
    name : str
        Name of the work on this page, and of its bar.
    look : callable
        Returns the current `Glance` of the work; called on another thread, without Streamlit.
    drawn : Glance, optional
        State that the page shows; by default the result of `look`.
    pause : float, default 0.3
        Seconds between two calls of `look`.

    Returns
    -------
    Glance
        State that the page shows.
    """
    drawn = look() if drawn is None else drawn
    st.session_state[keys.FOLLOWED][name] = Followed(look, drawn, pause)
    return drawn


def follow_job(progress: Job) -> None:
    """Have the page redrawn while a fit or a search runs, and when it ends.

    Parameters
    ----------
    progress : Job
        State of the job that the page shows.
    """
    if progress.active:
        name = f"job {progress.id}"
        follow(name, look_of(services().jobs, progress.id, _glance), _glance(progress))


def look_of(jobs: JobRegistry, job: str, glance: Callable[[Job], Glance]) -> Look:
    """Return the `look` of a job, for :func:`follow`.

    Parameters
    ----------
    jobs : JobRegistry
        Registry of the job.
    job : str
        Id of the job.
    glance : callable
        Returns the `Glance` of a job.

    Returns
    -------
    callable
        Returns the current `Glance`; a job that was removed has the state "gone".
    """

    def look() -> Glance:
        now = jobs.view(job)
        return Glance("gone", active=False) if now is None else glance(now)

    return look


def _glance(progress: Job) -> Glance:
    # The sliders show absolute α and β, which are unknown until the first fit has started.
    begun = math.isfinite(getattr(progress.snapshot, "alpha_max", math.nan))
    state = progress.state, progress.stopping, begun
    return Glance(state, (progress.position, progress.n_published), active=progress.active)


def bar(name: str, glance: Glance) -> None:
    """Draw the progress bar of the work of this name; the browser keeps it up to date."""
    data = {"name": name, "share": glance.share, "words": glance.words, "active": glance.active}
    _BAR(key=f"bar_{name}", data=data)


def end() -> None:
    """Send the browser the work to poll, at the end of a page."""
    if st.context.url is None:
        return
    followed: dict[str, Followed] = st.session_state[keys.FOLLOWED]
    token = st.session_state.setdefault(keys.FOLLOW_TOKEN, secrets.token_urlsafe(16))
    open_window(token, followed)
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    with st.container(key="follow"):
        _ASKS(
            key="follow_work",
            data={
                "address": f"{'/' + base if base else ''}/work/{token}",
                "drawn": summary(followed, drawn=True),
                "after": pause_of(followed),
                "theme": "dark" if is_dark() else "light",
            },
            on_changed_change=lambda: None,
        )


def wait_for_work() -> None:
    """Wait until some work has progressed and redraw the page, for clients without a browser."""
    if st.context.url is None:
        _wait(st.session_state.get(keys.FOLLOWED, {}))


def _wait(followed: dict[str, Followed]) -> None:
    working = [work for work in followed.values() if work.drawn.active]
    while working:
        time.sleep(SOON)
        # Reading the session state lets Streamlit stop a run that a newer one replaces.
        st.session_state.get(keys.FOLLOWED)
        for work in working:
            glance = work.look()
            if (glance.state, glance.moved) != (work.drawn.state, work.drawn.moved):
                st.rerun()
