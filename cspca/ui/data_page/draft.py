"""The set that a visitor has opened and may take in use: one at a time, found by its job's id."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import streamlit as st

from cspca.datasets import BUILTIN, Dataset, ReadChoices
from cspca.experiments.jobs import Job
from cspca.experiments.loading import Opened, Source
from cspca.experiments.log import hashed
from cspca.ui import state, visitor
from cspca.ui.plain import noticed
from cspca.ui.services import services

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
    set to fetch or the answer given, None for files.
    """

    place: str
    answer: Any = None
    job: str | None = None
    refusal: str = ""


def opened() -> Opened | None:
    """Return the set that was opened and has not been put away."""
    return services().loading.drafts.get(st.session_state.get("draft_job"))


def shown(in_use: Dataset) -> Opened:
    """Return what the page shows: the opened set, else the one in use as if it came ready."""
    source = Source(title_of(in_use), dataset=in_use)
    ready = Opened(source, ReadChoices(), source.read(ReadChoices()))
    return opened() or ready


def title_of(in_use: Dataset) -> str:
    """Return what the set in use is called; the name of an upload comes from its file."""
    key = state.data_in_use()
    return BUILTIN[key].title if key in BUILTIN else in_use.name


def settle() -> None:
    """Take over what a job that ended has read; before a page asks which set is in use."""
    session, service = st.session_state, services().loading
    _reopen()
    _settle_asked()
    # Its id in the address opens it again after a reload, for the same visitor.
    job = session.get("draft_job")
    more = session.setdefault("more_in_link", {})
    more["draft"] = {"draft": job} if service.drafts.get(job) is not None else {}


def _reopen() -> None:
    """Open what the address names, once: when the session begins."""
    session, drafts = st.session_state, services().loading.drafts
    if session.get("draft_adopted"):
        return
    session["draft_adopted"] = True
    job = st.query_params.get("draft")
    if drafts.owner(job) == hashed(visitor.secret()):
        session.setdefault("draft_job", job)


def _settle_asked() -> None:
    session, service = st.session_state, services().loading
    asked: Asked | None = session.get("asked")
    job = None if asked is None else service.jobs.view(asked.job)
    if asked is None or (job is not None and job.active):
        return
    del session["asked"]
    if job is not None and job.error is not None:
        session["refused"] = replace(asked, refusal=job.error)
    elif job is None or job.state == "stopped":
        return
    elif service.drafts.get(asked.job) is not None:
        dismiss()
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
    """Return what was refused last, if it was asked for at this place."""
    refused: Asked | None = st.session_state.get("refused")
    return refused if refused is not None and refused.place == place else None


def bring(source: Source, choices: ReadChoices, asked: Asked, old: Opened | None = None) -> None:
    """Read files, or what came ready by other choices."""
    loading = services().loading
    _begin(asked, lambda: loading.read(source, choices, _owner(), old))


def fetch(name: str) -> None:
    """Fetch a remote set."""
    loading = services().loading
    _begin(Asked("fetch", name), lambda: loading.fetch(name, owner=_owner()))


def choose(field: str, value: Any, refused: Asked | None = None) -> None:
    """Read what is shown, or was refused for want of an answer, again with one answer changed."""
    asked = Asked(field, value)
    now: Opened | None = shown(services().library.get(state.data_in_use()))
    of: Any = now
    if refused is not None:
        job = services().loading.jobs.view(refused.job)
        asked, now, of = replace(refused, refusal=""), None, None if job is None else job.snapshot
        if of is None or of.source is None:
            return
    # What hung on the answer is left to the reader.
    forgotten: dict[str, Any] = dict.fromkeys(_RESETS.get(field, ()), None)
    bring(of.source, replace(of.choices, **forgotten, **{field: value}), asked, now)


def cancel(job: str) -> None:
    """Stop reading; what the visitor had stays."""
    services().loading.jobs.cancel(job)
    services().loading.jobs.join(job, 1.0)


def use() -> None:
    """Take the opened set in use, on all pages at once."""
    session, now = st.session_state, opened()
    if now is None:
        return
    data = services().library.add(now.dataset, visitor.secret())
    job = session["draft_job"]
    state.use_data(data)
    session["draft_job"] = job


def use_known(name: str) -> None:
    """Take a built-in set in use."""
    dismiss()
    state.use_data(name)


def dismiss() -> None:
    """Let the opened set go, and forget what was refused; the set in use stays."""
    st.session_state.pop("refused", None)
    job = st.session_state.pop("draft_job", None)
    if job is not None:
        services().loading.drafts.drop(job)


def _begin(asked: Asked, read: Callable[[], str]) -> None:
    st.session_state.pop("refused", None)
    try:
        job = read()
    except ValueError as problem:
        # There is no room for it.
        st.session_state["refused"] = replace(asked, refusal=str(problem))
        return
    st.session_state["asked"] = replace(asked, job=job)
    # Most files are read in less: then there is nothing to wait for on the page either.
    services().loading.jobs.join(job, 1.0)


def _owner() -> str:
    return f"{state.owner()} loading"
