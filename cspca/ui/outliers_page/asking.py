"""What a section asks is answered by a job; what it was answered last stays until there is more."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Any, Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.jobs import Job
from cspca.experiments.settings import given, to_query
from cspca.ui import fields, keys, state
from cspca.ui.plain import plain
from cspca.ui.services import services

AT_ONCE: Final = 0.9
"""Seconds for which the page waits for an answer."""


def ask(section: str, asked: Hashable, work: Callable[[Job], None]) -> Job:
    """Return the job that answers: the one at work on the same, or a new one in its place."""
    jobs, at = services().jobs, f"asked_{section}"
    before: tuple[Hashable, str] | None = st.session_state.get(at)
    now = jobs.view(before[1]) if before is not None and before[0] == asked else None
    if now is None or (now.state == "stopped" and now.stop_reason != "asked"):
        job = jobs.submit(work, owner=f"{state.owner()} {section}")
        st.session_state[at] = asked, job
        end = time.monotonic() + AT_ONCE
        while True:
            now = jobs.view(job)
            assert now is not None
            if not now.active or now.snapshot is not None or time.monotonic() > end:
                break
            jobs.join(job, 0.01)
    return now


def answer(
    section: str,
    now: Job,
    dataset: Dataset,
    draw: Callable[[Any], None],
    above: Callable[[Any], None] | None = None,
) -> None:
    """Draw what was found; until there is any, what was found of these data before, dimmed.

    What stands `above` is drawn of an answer to what is asked now, or of None.
    """
    if now.error is not None:
        st.error(plain(now.error), icon=":material/error:")
        return
    at = f"answered_{section}"
    if now.snapshot is not None:
        st.session_state[at] = dataset.sha256, now.snapshot
    if above is not None:
        above(now.snapshot)
    of, found = st.session_state.get(at, ("", None))
    if of != dataset.sha256:
        st.skeleton(height=560)
        return
    if now.snapshot is None:
        st.html(f"<style>.st-key-{section}_answer {{ opacity: .4 }}</style>")
    with st.container(key=f"{section}_answer"):
        draw(found)


def asked_for(cls: type[Any], **fixed: Any) -> Any:
    """What the widgets of a section ask for, after what a link says; it goes into the address."""
    session, name = st.session_state, cls.kind
    said, wrong = given(cls, state.brought(name))
    for key, value in said.items():
        session[fields.key(cls, key)] = value
    for sentence in wrong:
        state.add_notice(sentence)
    if wrong:
        # Notices stand at the top of the page, which is drawn already.
        st.rerun()
    asked = fields.read(cls, **fixed)
    session.setdefault(keys.MORE_IN_LINK, {})[name] = to_query(asked)
    return asked
