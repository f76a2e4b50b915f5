"""The set that a visitor has opened and may take in use: one at a time, found by its job's id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import streamlit as st

from cspca.datasets import ReadChoices
from cspca.experiments.jobs import Job, JobState
from cspca.experiments.loading import Opened, Source, files_in_words
from cspca.ui import state
from cspca.ui.guard import noticed
from cspca.ui.services import services

_AT_ONCE: Final = 1.0
"""Seconds to wait for a job that may well be done at once, before a progress bar is drawn."""

QUICK: Final = ("gallery", "sidebar")
"""Places whose files are taken in use when they are read, without a look first."""

_RESETS: Final[dict[str, tuple[str, ...]]] = {
    "data": ("labels", "samples", "order", "image_shape", "scale", "class_names", "size"),
    "labels": ("class_names",),
    "samples": ("image_shape", "size"),
    "leave_out": ("image_shape", "size"),
    "header": ("labels", "class_names", "leave_out", "image_shape", "size"),
    "image_shape": ("size",),
}
"""What else is guessed anew when an answer changes, for it hung on it."""


@dataclass(frozen=True)
class Asked:
    """What was asked for and where on the page; once it is refused, why.

    `place` is "bring", "fetch", one of `QUICK`, or the field whose guess is corrected; `answer` the
    set to fetch or the answer given, None for files; `of` what was shown when it was given.
    """

    place: str
    answer: Any = None
    of: tuple[str | None, ...] = ()
    job: str | None = None
    refusal: str = ""


def opened() -> Opened | None:
    """Return the set that was opened and has not been put away."""
    return services().loading.drafts.get(st.session_state.get("draft_job"))


def settle() -> None:
    """Take over what a job that ended has read; before a page asks which set is in use."""
    session, service = st.session_state, services().loading
    asked: Asked | None = session.get("asked")
    job = None if asked is None else service.jobs.view(asked.job)
    if asked is None or (job is not None and job.state.active):
        return
    del session["asked"]
    if job is None or job.state is JobState.STOPPED:
        return
    if job.error is not None:
        session["refused"] = replace(asked, refusal=job.error)
    elif service.drafts.get(asked.job) is not None:
        _put_away()
        session["draft_job"] = asked.job
        if asked.place in QUICK:
            noticed(use)


def reading(*places: str) -> Job | None:
    """Return the job that is reading now, if it was asked for here; else not at `QUICK` places."""
    asked: Asked | None = st.session_state.get("asked")
    if asked is None:
        return None
    here = asked.place in places if places else asked.place not in QUICK
    return services().loading.jobs.view(asked.job) if here else None


def refusal(place: str) -> Asked | None:
    """Return what was refused last, if it was asked for at this place of what is shown now."""
    refused: Asked | None = st.session_state.get("refused")
    if refused is None or refused.place != place or refused.of not in ((), _shown()):
        return None
    return refused


def _shown() -> tuple[str | None, ...]:
    return st.session_state.get("draft_job"), state.data_in_use()


# -- callbacks -----------------------------------------------------------------------------------


def bring(files: Sequence[tuple[str, bytes]], choices: ReadChoices, place: str) -> None:
    """Read files."""
    source = Source(files_in_words([name for name, _ in files]), tuple(files))
    _begin(Asked(place), services().loading.read(source, choices, _owner()))


def fetch(name: str) -> None:
    """Fetch a remote set."""
    _begin(Asked("fetch", name), services().loading.fetch(name, owner=_owner()))


def choose(field: str, value: Any) -> None:
    """Read what is shown again with one answer changed."""
    now = opened()
    if now is None:
        dataset = services().library.get(state.data_in_use())
        source, choices = Source(dataset.name, dataset=dataset), ReadChoices(**{field: value})
    else:
        source, choices = now.source, _with_answer(now.choices, field, value)
    job = services().loading.read(source, choices, _owner(), now)
    _begin(Asked(field, value, _shown()), job)


def not_understood(field: str, answer: str, sentence: str) -> None:
    """Say beside a question that its answer could not be understood; nothing is read."""
    st.session_state["refused"] = Asked(field, answer, _shown(), refusal=sentence)


def choose_refused(refused: Asked, field: str, value: Any) -> None:
    """Read what was refused for want of an answer again, with the answer."""
    old = services().loading.jobs.view(refused.job)
    if old is None or old.snapshot.source is None:
        return
    choices = _with_answer(old.snapshot.choices, field, value)
    job = services().loading.read(old.snapshot.source, choices, _owner())
    _begin(replace(refused, refusal=""), job)


def _with_answer(choices: ReadChoices, field: str, value: Any) -> ReadChoices:
    """Return the choices with one answer changed and what hung on it left to the reader."""
    forgotten: dict[str, Any] = dict.fromkeys(_RESETS.get(field, ()), None)
    return replace(choices, **forgotten, **{field: value})


def cancel(job: str) -> None:
    """Stop reading; what the visitor had stays."""
    services().loading.jobs.cancel(job)
    services().loading.jobs.join(job, _AT_ONCE)


def use() -> None:
    """Take the opened set in use, on all pages at once."""
    session, now = st.session_state, opened()
    if now is None:
        return
    data = services().library.add(now.dataset)
    job = session["draft_job"]
    state.use_data(data)
    session["draft_job"] = job
    session.pop("refused", None)


def use_known(name: str) -> None:
    """Take a built-in set in use."""
    dismiss()
    state.use_data(name)


def dismiss() -> None:
    """Let the opened set go, and forget what was refused; the set in use stays."""
    _put_away()
    st.session_state.pop("refused", None)


def _begin(asked: Asked, job: str) -> None:
    st.session_state.pop("refused", None)
    st.session_state["asked"] = replace(asked, job=job)
    # Most files are read in less: then there is nothing to wait for on the page either.
    services().loading.jobs.join(job, _AT_ONCE)


def _put_away() -> None:
    job = st.session_state.pop("draft_job", None)
    if job is not None:
        services().loading.drafts.drop(job)


def _owner() -> str:
    return f"{state.owner()} loading"
