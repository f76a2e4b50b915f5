"""A section's question is answered by a job; the last answer stays until there is a new one."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Any, Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.jobs import Job
from cspca.ui import state
from cspca.ui.plain import plain
from cspca.ui.services import services

AT_ONCE: Final = 0.9
"""Time for which the page waits for an answer, in seconds."""


def ask(section: str, question: Hashable, work: Callable[[Job], None]) -> Job:
    """Return the job of a question: the present one if the question is the same, else a new one."""
    jobs, at = services().jobs, f"asked_{section}"
    previous: tuple[Hashable, str] | None = st.session_state.get(at)
    now = jobs.view(previous[1]) if previous is not None and previous[0] == question else None
    if now is None or (now.state == "stopped" and now.stop_reason != "asked"):
        job = jobs.submit(work, owner=f"{state.owner()} {section}")
        st.session_state[at] = question, job
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
    """Draw the answer; until there is one, draw the previous answer on these data, dimmed.

    `above` draws what stands above it, from the present answer or from None.
    """
    if now.error is not None:
        st.error(plain(now.error), icon=":material/error:")
        return
    at = f"answered_{section}"
    if now.snapshot is not None:
        st.session_state[at] = dataset.sha256, now.snapshot
    if above is not None:
        above(now.snapshot)
    fingerprint, outcome = st.session_state.get(at, ("", None))
    if fingerprint != dataset.sha256:
        st.skeleton(height=560)
        return
    if now.snapshot is None:
        st.html(f"<style>.st-key-{section}_answer {{ opacity: .4 }}</style>")
    with st.container(key=f"{section}_answer"):
        draw(outcome)
