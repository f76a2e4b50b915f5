"""The draft: the data set that a visitor has opened and may use, identified by its job."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import streamlit as st

from cspca.datasets import BUILTIN, Answers, Dataset, Question
from cspca.experiments.jobs import Job
from cspca.experiments.loading import Opened, Origin, Source
from cspca.experiments.log import hashed
from cspca.ui import keys, state, visitor
from cspca.ui.plain import noticed
from cspca.ui.services import runs, services

QUICK: Final = "sidebar"
"""The place whose files are used as soon as they are read, without a preview."""

PREVIEWS: Final = "previews"
"""The place of requests for what the answers to settled questions would give."""

LINK: Final = "run_link"
"""The place in the sidebar for the data of the run that a link names."""

_KEEP_SIZE: Final = ("classes_from", "missing", "scale", "colours")
"""Questions after whose answer pictures keep the size that they were resized to."""


@dataclass(frozen=True)
class Asked:
    """A request for a data set and its place on the page; `refusal` is the reason of a refusal.

    `place` is "bring", "fetch", `QUICK`, `PREVIEWS`, the key of the question that is answered, or
    "size", "crop" or "class_names". `answer` is the set to fetch or the new answer, None for files.
    `run` is the view id of the run whose data are uploaded again.
    """

    place: str
    answer: Any = None
    job: str | None = None
    refusal: str = ""
    run: str | None = None


def opened() -> Opened | None:
    """Return the opened set, which the Data page shows, if there is one."""
    return services().loading.drafts.get(st.session_state.get(keys.DRAFT_JOB))


def shown(in_use: Dataset) -> Opened:
    """Return the set that the page shows: the opened one, else the one in use."""
    source = Source(title_of(in_use), dataset=in_use)
    return opened() or Opened(source, source.read(Answers()))


def title_of(in_use: Dataset) -> str:
    """Return the title of the set in use; the name of an upload comes from its file."""
    key = state.data_in_use()
    return BUILTIN[key].title if key in BUILTIN else in_use.name


@dataclass(frozen=True)
class OwnSet:
    """A set that the visitor has uploaded and that is still on the server.

    `key` is its id in the library or, if it was opened and never used, the id of the job that
    read it. `came` is the time of the upload, in seconds since the epoch. `dataset` is None, or
    `n_open` not 0, while questions about its file are open.
    """

    key: str
    name: str
    dataset: Dataset | None
    came: float
    n_open: int = 0


def own_sets() -> list[OwnSet]:
    """Return the visitor's own sets, newest first; of equal ones the one in use, or the last.

    They include sets that were opened and never used.
    """
    service, owner, now = services(), visitor.secret(), time.time()
    rows = service.library.sets_of(owner)
    # The set in use comes first, so that it represents the sets equal to it.
    rows.sort(key=lambda row: row[0] != state.data_in_use())
    own = [OwnSet(key, dataset.name, dataset, now - age) for key, dataset, age in rows]
    for job, draft, age in service.loading.drafts.owned_by(hashed(owner)):
        n_open, dataset = len(draft.reading.open_questions), draft.proposed
        name = draft.source.name if dataset is None else dataset.name
        own.append(OwnSet(job, name, dataset, now - age, n_open))
    distinct: dict[tuple[str, str], OwnSet] = {}
    for own_set in own:
        content = own_set.key if own_set.dataset is None else own_set.dataset.sha256
        distinct.setdefault((own_set.name, content), own_set)
    return sorted(distinct.values(), key=lambda own_set: -own_set.came)


def use_own(key: str) -> None:
    """Use one of the visitor's own sets, or show its open questions; ValueError if it is gone."""
    if services().loading.drafts.get(key) is not None:
        st.session_state.pop(keys.REFUSED, None)
        st.session_state[keys.DRAFT_JOB] = key
        use()
        return
    services().library.get(key)
    _leave_draft()
    state.use_data(key, penalties=state.penalties_of_gone_data())


def settle() -> None:
    """Apply the result of a finished reading job, before a page looks up the set in use."""
    session, service = st.session_state, services().loading
    _reopen()
    _settle_request()
    # The job id in the address reopens the set after a reload, for the same visitor.
    job = session.get(keys.DRAFT_JOB)
    link_parts = session.setdefault(keys.MORE_IN_LINK, {})
    link_parts["draft"] = {"draft": job} if service.drafts.get(job) is not None else {}


def _reopen() -> None:
    """Open the draft that the address names, once per session."""
    session, drafts = st.session_state, services().loading.drafts
    if session.get(keys.DRAFT_ADOPTED):
        return
    session[keys.DRAFT_ADOPTED] = True
    job = st.query_params.get("draft")
    if drafts.owner(job) == hashed(visitor.secret()):
        session.setdefault(keys.DRAFT_JOB, job)


def _settle_request() -> None:
    session, service = st.session_state, services().loading
    request: Asked | None = session.get(keys.ASKED)
    job = None if request is None else service.jobs.view(request.job)
    if request is None or (job is not None and job.active):
        return
    del session[keys.ASKED]
    if job is not None and job.error is not None:
        session[keys.REFUSED] = replace(request, refusal=job.error)
    elif request.place == PREVIEWS and (job is None or job.state == "stopped"):
        # Without this they would be requested again at once.
        session[keys.REFUSED] = replace(
            request, refusal="Cancelled: close this box and open it again."
        )
    elif job is None or job.state == "stopped":
        return
    elif request.run is not None:
        noticed(_give_back, request.run, str(request.job), request.place == LINK)
    elif service.drafts.get(request.job) is not None:
        dismiss()
        session[keys.DRAFT_JOB] = request.job
        if request.place == QUICK:
            _use_at_once(request)


def _use_at_once(request: Asked) -> None:
    """Use a set that was uploaded in passing; say where to answer what is open about it."""
    draft = opened()
    if draft is not None and not draft.is_decided:
        n_open = len(draft.reading.open_questions)
        questions = "One question" if n_open == 1 else f"{n_open} questions"
        are = "is" if n_open == 1 else "are"
        refusal = f"{questions} about {draft.source.name} {are} open: answer on the Data page."
        st.session_state[keys.REFUSED] = replace(request, refusal=refusal)
        return
    noticed(use)


def _give_back(view_id: str, job: str, in_use: bool) -> None:
    """Restore the missing data of a run, and resume it."""
    service, drafts = services(), services().loading.drafts
    opened = drafts.get(job)
    if opened is None:
        return
    data = service.library.add(opened.dataset, visitor.secret())
    drafts.drop(job)
    run = runs().view(runs().store.view(view_id).id)
    if in_use:
        shown = state.shown_runs()
        for key in [key for key, shown_id in shown.items() if shown_id == view_id]:
            del shown[key]
        shown[run.kind, data] = view_id
        state.use_data(data, penalties=state.penalties_of_gone_data())
    if run.can_resume and runs().store.may_change(run, visitor.sight()):
        runs().resume(run.id, data, visitor.secret())


def reading(*places: str) -> Job | None:
    """Return the running reading job of these places; by default of any on the Data page."""
    request: Asked | None = st.session_state.get(keys.ASKED)
    if request is None:
        return None
    here = request.place in places if places else request.place != QUICK and request.run is None
    return services().loading.jobs.view(request.job) if here else None


def refusal(place: str) -> Asked | None:
    """Return the last refused request, if it was made at this place."""
    refused: Asked | None = st.session_state.get(keys.REFUSED)
    return refused if refused is not None and refused.place == place else None


def bring(source: Source, answers: Answers, request: Asked, old: Opened | None = None) -> None:
    """Start to read files, or a ready set, by these answers."""
    loading = services().loading
    _begin(request, lambda: loading.read(source, answers, _owner(), old))


def bring_again(source: Source, origin: Origin, request: Asked) -> None:
    """Start to read the files of a run's data again; other files are refused."""
    loading = services().loading
    _begin(request, lambda: loading.read(source, origin.answers, _owner(), origin=origin))


def fetch(name: str) -> None:
    """Start to fetch a remote set."""
    loading = services().loading
    _begin(Asked("fetch", name), lambda: loading.fetch(name, owner=_owner()))


def answer(question: Question, value: Any) -> None:
    """Read the shown set again by another answer; later questions are proposed anew."""
    now = shown(services().library.get(state.data_in_use()))
    answers = now.answers.replaced(question.name, value, question.subject)
    if question.name not in _KEEP_SIZE:
        answers = replace(answers, size=None, crop=False)
    bring(now.source, answers, Asked(question.key, value), now)


def ask_about(column: str) -> None:
    """Read the shown set again with a question about a column, which is a feature so far."""
    now = shown(services().library.get(state.data_in_use()))
    roles = {**now.answers.values.get("roles", {}), column: "feature"}
    answers = replace(now.answers, values={**now.answers.values, "roles": roles})
    bring(now.source, answers, Asked(f"roles {column}", "feature"), now)


def change(field: str, value: Any) -> None:
    """Read the shown set again with another ``size``, ``crop``, or other ``class_names``."""
    now = shown(services().library.get(state.data_in_use()))
    changes: dict[str, Any] = {field: value}
    bring(now.source, replace(now.answers, **changes), Asked(field, value), now)


def preview(keys_of_questions: Sequence[str]) -> None:
    """Start to show what each answer to these questions about the opened set would give."""
    job, loading = st.session_state[keys.DRAFT_JOB], services().loading
    _begin(Asked(PREVIEWS), lambda: loading.preview(job, keys_of_questions, _owner()))


def forget_answers() -> None:
    """Read the shown set again without any answer of the visitor."""
    now = shown(services().library.get(state.data_in_use()))
    bring(now.source, Answers(), Asked("bring"))


def cancel(job: str) -> None:
    """Cancel a reading job; the visitor's data stay."""
    services().loading.jobs.cancel(job)
    services().loading.jobs.join(job, 1.0)


def use() -> None:
    """Use the opened set, on all pages, unless a question about it is open."""
    session, now = st.session_state, opened()
    if now is None or not now.is_decided:
        return
    data = services().library.add(now.dataset, visitor.secret())
    job = session[keys.DRAFT_JOB]
    state.use_data(data, penalties=state.penalties_of_gone_data())
    session[keys.DRAFT_JOB] = job


def use_builtin(name: str) -> None:
    """Use a built-in set; the opened set stays among the visitor's own sets."""
    _leave_draft()
    state.use_data(name)


def _leave_draft() -> None:
    """Stop showing the opened set, and forget the last refusal."""
    st.session_state.pop(keys.REFUSED, None)
    st.session_state.pop(keys.DRAFT_JOB, None)


def dismiss() -> None:
    """Delete the opened set, and forget the last refusal; the set in use stays."""
    st.session_state.pop(keys.REFUSED, None)
    job = st.session_state.pop(keys.DRAFT_JOB, None)
    if job is not None:
        services().loading.drafts.drop(job)


def _begin(request: Asked, read: Callable[[], str]) -> None:
    st.session_state.pop(keys.REFUSED, None)
    try:
        job = read()
    except ValueError as problem:
        # The storage is full.
        st.session_state[keys.REFUSED] = replace(request, refusal=str(problem))
        return
    st.session_state[keys.ASKED] = replace(request, job=job)
    # Most files are read within a second: then the page shows no progress bar.
    services().loading.jobs.join(job, 1.0)


def _owner() -> str:
    return f"{state.owner()} loading"
