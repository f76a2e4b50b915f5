"""The set that a visitor has opened and may take in use: one at a time, found by its job's id."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import streamlit as st

from cspca.datasets import BUILTIN, Dataset, ReadChoices
from cspca.experiments.jobs import Job
from cspca.experiments.loading import Opened, Origin, Source
from cspca.experiments.log import hashed
from cspca.ui import keys, state, visitor
from cspca.ui.plain import noticed
from cspca.ui.services import runs, services

QUICK: Final = "sidebar"
"""The place whose files are taken in use when they are read, without a look first."""

LINK: Final = "run_link"
"""The place in the sidebar for the data of the run that a link names."""

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

    `place` is "bring", "fetch", `QUICK`, or the field whose guess is corrected; `answer` the
    set to fetch or the answer given, None for files. `run` is the view id of the run whose data are
    uploaded again.
    """

    place: str
    answer: Any = None
    job: str | None = None
    refusal: str = ""
    run: str | None = None


def opened() -> Opened | None:
    """Return the set that was opened and is shown on the Data page."""
    return services().loading.drafts.get(st.session_state.get(keys.DRAFT_JOB))


def shown(in_use: Dataset) -> Opened:
    """Return what the page shows: the opened set, else the one in use as if it came ready."""
    source = Source(title_of(in_use), dataset=in_use)
    ready = Opened(source, ReadChoices(), source.read(ReadChoices()))
    return opened() or ready


def title_of(in_use: Dataset) -> str:
    """Return what the set in use is called; the name of an upload comes from its file."""
    key = state.data_in_use()
    return BUILTIN[key].title if key in BUILTIN else in_use.name


@dataclass(frozen=True)
class OwnSet:
    """A set that the visitor has brought and that the server still has.

    `key` is its id in the library; of one that was opened and never used, the id of the job that
    read it. `came` is when, in seconds since the epoch.
    """

    key: str
    dataset: Dataset
    came: float


def own_sets() -> list[OwnSet]:
    """Return the visitor's own sets, the newest first; of equal ones the one in use, or the last.

    Those that were opened and never used are among them.
    """
    service, owner, now = services(), visitor.secret(), time.time()
    rows = service.library.sets_of(owner)
    # The one in use first, so that an equal one does not stand for it.
    rows.sort(key=lambda row: row[0] != state.data_in_use())
    rows += [
        (job, opened.dataset, age)
        for job, opened, age in service.loading.drafts.owned_by(hashed(owner))
    ]
    distinct: dict[tuple[str, str], OwnSet] = {}
    for key, dataset, age in rows:
        distinct.setdefault((dataset.name, dataset.sha256), OwnSet(key, dataset, now - age))
    return sorted(distinct.values(), key=lambda own_set: -own_set.came)


def use_own(key: str) -> None:
    """Take one of the visitor's own sets in use; a ValueError says that it is gone."""
    if services().loading.drafts.get(key) is not None:
        st.session_state.pop(keys.REFUSED, None)
        st.session_state[keys.DRAFT_JOB] = key
        use()
        return
    services().library.get(key)
    _leave_draft()
    state.use_data(key)


def settle() -> None:
    """Take over what a job that ended has read; before a page asks which set is in use."""
    session, service = st.session_state, services().loading
    _reopen()
    _settle_asked()
    # Its id in the address opens it again after a reload, for the same visitor.
    job = session.get(keys.DRAFT_JOB)
    more = session.setdefault(keys.MORE_IN_LINK, {})
    more["draft"] = {"draft": job} if service.drafts.get(job) is not None else {}


def _reopen() -> None:
    """Open what the address names, once: when the session begins."""
    session, drafts = st.session_state, services().loading.drafts
    if session.get(keys.DRAFT_ADOPTED):
        return
    session[keys.DRAFT_ADOPTED] = True
    job = st.query_params.get("draft")
    if drafts.owner(job) == hashed(visitor.secret()):
        session.setdefault(keys.DRAFT_JOB, job)


def _settle_asked() -> None:
    session, service = st.session_state, services().loading
    asked: Asked | None = session.get(keys.ASKED)
    job = None if asked is None else service.jobs.view(asked.job)
    if asked is None or (job is not None and job.active):
        return
    del session[keys.ASKED]
    if job is not None and job.error is not None:
        session[keys.REFUSED] = replace(asked, refusal=job.error)
    elif job is None or job.state == "stopped":
        return
    elif asked.run is not None:
        noticed(_give_back, asked.run, str(asked.job), asked.place == LINK)
    elif service.drafts.get(asked.job) is not None:
        dismiss()
        session[keys.DRAFT_JOB] = asked.job
        if asked.place == QUICK:
            noticed(use)


def _give_back(view_id: str, job: str, in_use: bool) -> None:
    """Have the data of a run that were missing, and compute what is left of it."""
    service, drafts = services(), services().loading.drafts
    opened = drafts.get(job)
    if opened is None:
        return
    data = service.library.add(opened.dataset, visitor.secret())
    drafts.drop(job)
    run = runs().view(runs().store.view(view_id).id)
    if in_use:
        shown = state.shown_runs()
        for key in [key for key, known in shown.items() if known == view_id]:
            del shown[key]
        shown[run.kind, data] = view_id
        state.use_data(data)
    if run.can_resume and runs().store.may_change(run, visitor.sight()):
        runs().resume(run.id, data, visitor.secret())


def reading(*places: str) -> Job | None:
    """Return the job that is reading now, if it was asked for here; else not at `QUICK`."""
    asked: Asked | None = st.session_state.get(keys.ASKED)
    if asked is None:
        return None
    here = asked.place in places if places else asked.place != QUICK and asked.run is None
    return services().loading.jobs.view(asked.job) if here else None


def refusal(place: str) -> Asked | None:
    """Return what was refused last, if it was asked for at this place."""
    refused: Asked | None = st.session_state.get(keys.REFUSED)
    return refused if refused is not None and refused.place == place else None


def bring(source: Source, choices: ReadChoices, asked: Asked, old: Opened | None = None) -> None:
    """Read files, or what came ready by other choices."""
    loading = services().loading
    _begin(asked, lambda: loading.read(source, choices, _owner(), old))


def bring_again(source: Source, origin: Origin, asked: Asked) -> None:
    """Read the files that a run was made from; others are refused."""
    loading = services().loading
    _begin(asked, lambda: loading.read(source, origin.choices, _owner(), origin=origin))


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
    job = session[keys.DRAFT_JOB]
    state.use_data(data)
    session[keys.DRAFT_JOB] = job


def use_known(name: str) -> None:
    """Take a built-in set in use; what was opened stays among the visitor's own sets."""
    _leave_draft()
    state.use_data(name)


def _leave_draft() -> None:
    """Show the opened set no longer, and forget what was refused."""
    st.session_state.pop(keys.REFUSED, None)
    st.session_state.pop(keys.DRAFT_JOB, None)


def dismiss() -> None:
    """Let the opened set go, and forget what was refused; the set in use stays."""
    st.session_state.pop(keys.REFUSED, None)
    job = st.session_state.pop(keys.DRAFT_JOB, None)
    if job is not None:
        services().loading.drafts.drop(job)


def _begin(asked: Asked, read: Callable[[], str]) -> None:
    st.session_state.pop(keys.REFUSED, None)
    try:
        job = read()
    except ValueError as problem:
        # There is no room for it.
        st.session_state[keys.REFUSED] = replace(asked, refusal=str(problem))
        return
    st.session_state[keys.ASKED] = replace(asked, job=job)
    # Most files are read in less: then there is nothing to wait for on the page either.
    services().loading.jobs.join(job, 1.0)


def _owner() -> str:
    return f"{state.owner()} loading"
