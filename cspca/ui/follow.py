"""Work that a page waits for: the browser asks how far it is, and has the page drawn anew in time.

A page is drawn once and ends. What it waits for it names with :func:`follow`, and a small script in
the browser asks the server for that alone, which runs no page. When the state is another than the
one that was drawn, the script has the page drawn anew. A page that waited on the server instead
would keep what it no longer draws on screen until the work ends (Streamlit 1.67 clears that only
when a run ends by itself), and thirty who watch would draw thirty pages a second.

A program that visits without a browser has no such script: for it the page waits.
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
from cspca.ui.services import services
from cspca.ui.windows import SOON, Followed, Glance, Look, open_window, pause_of, summary

REMOVED: Final = 5.0
"""Seconds after which a window hears that its data were removed in another one."""

_ASKS: Final = component("follow")
_BAR: Final = component("bar")


def begin() -> None:
    """Forget what the page before was waiting for; before a page is drawn."""
    st.session_state[keys.FOLLOWED] = {}
    owner = hashed(visitor.secret())
    removals = services().removals

    def removed() -> Glance:
        return Glance(removals[owner], active=False)

    follow("removals", removed, pause=REMOVED)


def follow(name: str, look: Look, drawn: Glance | None = None, *, pause: float = SOON) -> Glance:
    """Have the page drawn anew when work that it shows is in another state.

    Parameters
    ----------
    name : str
        The name of the work on this page, which is that of its bar too.
    look : callable
        Returns a `Glance` at the work now; on a thread of its own, without Streamlit.
    drawn : Glance, optional
        What the page shows of it; by default what `look` says now.
    pause : float, default 0.3
        Seconds between two looks.

    Returns
    -------
    Glance
        What the page shows.
    """
    drawn = look() if drawn is None else drawn
    st.session_state[keys.FOLLOWED][name] = Followed(look, drawn, pause)
    return drawn


def follow_job(progress: Job) -> None:
    """Have the page drawn anew while a fit or a search runs, and when it ends.

    Parameters
    ----------
    progress : Job
        What the page shows of it.
    """
    if progress.active:
        name = f"job {progress.id}"
        follow(name, look_of(services().jobs, progress.id, _glance), _glance(progress))


def look_of(jobs: JobRegistry, job: str, glance: Callable[[Job], Glance]) -> Look:
    """Return the look at a job.

    Parameters
    ----------
    jobs : JobRegistry
        Where it is.
    job : str
        Its id.
    glance : callable
        Says of the job what a page shows of it.

    Returns
    -------
    callable
        For :func:`follow`; a job that is not there any more is in a state of its own.
    """

    def look() -> Glance:
        now = jobs.view(job)
        return Glance("gone", active=False) if now is None else glance(now)

    return look


def _glance(progress: Job) -> Glance:
    # The sliders say α and β in absolute terms, which a first fit knows only once it has begun.
    begun = math.isfinite(getattr(progress.snapshot, "alpha_max", math.nan))
    state = progress.state, progress.stopping, begun
    return Glance(state, (progress.position, progress.n_published), active=progress.active)


def bar(name: str, glance: Glance) -> None:
    """Draw how far the work of this name is; the browser keeps it up to date."""
    data = {"name": name, "share": glance.share, "words": glance.words, "active": glance.active}
    _BAR(key=f"bar_{name}", data=data)


def end() -> None:
    """Send the browser what to ask for; the last that a page does."""
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
            },
            on_changed_change=lambda: None,
        )


def wait_for_work() -> None:
    """Wait until some work has moved and draw the page anew, for who has no browser that asks."""
    if st.context.url is None:
        _wait(st.session_state.get(keys.FOLLOWED, {}))


def _wait(followed: dict[str, Followed]) -> None:
    working = [one for one in followed.values() if one.drawn.active]
    while working:
        time.sleep(SOON)
        # Lets Streamlit stop a run that a newer one replaces.
        st.session_state.get(keys.FOLLOWED)
        for one in working:
            glance = one.look()
            if (glance.state, glance.moved) != (one.drawn.state, one.drawn.moved):
                st.rerun()
