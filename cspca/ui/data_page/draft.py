"""The set that a visitor has opened and may take in use: one at a time, found by its job's id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

import streamlit as st

from cspca.datasets import Dataset, DatasetError, Options, ReadChoices
from cspca.experiments.jobs import Job, JobState
from cspca.experiments.loading import Opened, Source, files_in_words
from cspca.ui import keys, state
from cspca.ui.services import services

AT_ONCE: Final = 1.0
"""Seconds to wait for a job that may well be done at once, before a progress bar is drawn."""

BRING: Final = "bring"
FETCH: Final = "fetch"
QUICK: Final = ("gallery", "sidebar")
"""Places from which something is read: here it is taken in use at once, without a look first.

A guess that is corrected is a place too, by the name of its field.
"""

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
    """Where on the page something was asked for (`place`, as above), and what.

    `answer` is the name of the set to fetch or the answer given, None for files; `of` is what was
    shown when an answer was given.
    """

    place: str
    answer: Any = None
    of: tuple[str | None, ...] = ()

    @property
    def at_once(self) -> bool:
        """Whether what is read is taken in use without a look first."""
        return self.place in QUICK


@dataclass(frozen=True)
class Refusal:
    """Why something was not read, for where it was asked; no `job` where it made no sense."""

    asked: Asked
    sentence: str
    job: str | None = None

    @property
    def options(self) -> Options | None:
        """What there is to choose between, where a choice would mend it."""
        job = services().loading.jobs.view(self.job)
        return None if job is None else cast("Options | None", job.snapshot.options)


@dataclass(frozen=True)
class Subject:
    """What the page shows: an opened set with its choices, or the one in use."""

    dataset: Dataset
    opened: Opened | None
    in_use: bool

    @property
    def file(self) -> str | None:
        """What was opened: the name of a file, a folder or a set; None if nothing was."""
        return None if self.opened is None else self.opened.source.name


def subject(in_use: str, dataset: Dataset) -> Subject:
    """Return what the page shows, given the set in use."""
    session = st.session_state
    if session.get(keys.DRAFT_BESIDE) != in_use:
        # Another set has been taken in use elsewhere: what was opened here is not meant any more.
        put_away()
    opened = services().loading.drafts.get(session.get(keys.DRAFT))
    if opened is None:
        return Subject(dataset, None, in_use=True)
    return Subject(opened.dataset, opened, in_use=bool(session.get(keys.DRAFT_IN_USE)))


def settle() -> None:
    """Take over what a job that ended has read; before a page asks which set is in use."""
    session, service = st.session_state, services().loading
    job = session.get(keys.LOADING)
    view = service.jobs.view(job)
    if view is not None and view.state.active:
        return
    session.pop(keys.LOADING, None)
    if view is None or view.state is JobState.STOPPED:
        return
    sentence = view.snapshot.refusal or view.error
    if sentence is not None:
        session[keys.REFUSED] = Refusal(asked(), sentence, job)
    elif service.drafts.get(job) is not None:
        _discard(session.get(keys.DRAFT))
        session[keys.DRAFT] = job
        session[keys.DRAFT_IN_USE] = False
        session[keys.DRAFT_BESIDE] = state.data_in_use()
        if asked().at_once:
            use()


def reading(*, at_once: bool) -> Job | None:
    """Return the job that is reading now, if it is of this kind."""
    job = st.session_state.get(keys.LOADING)
    return services().loading.jobs.view(job) if asked().at_once == at_once else None


def refusal(place: str) -> Refusal | None:
    """Return the last job or answer if it was refused, and asked for at this place."""
    refused: Refusal | None = st.session_state.get(keys.REFUSED)
    if refused is None or refused.asked.place != place:
        return None
    return refused if refused.asked.of in ((), _shown()) else None


def _shown() -> tuple[str | None, ...]:
    return st.session_state.get(keys.DRAFT), state.data_in_use()


def asked() -> Asked:
    """Return where the last job was asked for."""
    return cast(Asked, st.session_state.get(keys.ASKED, Asked(BRING)))


# -- callbacks -----------------------------------------------------------------------------------


def bring(files: Sequence[tuple[str, bytes]], *, drop_bad: bool, place: str = BRING) -> None:
    """Read files."""
    source = Source(files_in_words([name for name, _ in files]), tuple(files))
    choices = ReadChoices(drop_bad=drop_bad)
    _begin(services().loading.read(source, choices=choices, owner=_owner()), Asked(place))


def fetch(name: str) -> None:
    """Fetch a remote set."""
    _begin(services().loading.fetch(name, owner=_owner()), Asked(FETCH, name))


def choose(field: str, value: Any) -> None:
    """Read what is shown again with one answer changed."""
    service, session = services().loading, st.session_state
    draft, asked = session.get(keys.DRAFT), Asked(field, value, _shown())
    opened = service.drafts.get(draft)
    if opened is None:
        dataset = services().library.get(state.data_in_use())
        choices = ReadChoices(**{field: value})
        source = Source(dataset.name, dataset=dataset)
        _begin(service.read(source, choices=choices, owner=_owner()), asked)
        return
    choices = with_answer(opened.choices, field, value)
    job = service.again(cast(str, draft), choices, owner=_owner())
    if job is not None:
        _begin(job, asked)


def not_understood(field: str, answer: str, sentence: str) -> None:
    """Say beside a question that its answer could not be understood; nothing is read."""
    st.session_state[keys.REFUSED] = Refusal(Asked(field, answer, _shown()), sentence)


def choose_refused(place: str, field: str, value: Any) -> None:
    """Read what was refused for want of an answer again, with the answer."""
    refused = refusal(place)
    view = services().loading.jobs.view(refused.job if refused is not None else None)
    if refused is None or view is None or view.snapshot.source is None:
        return
    choices = with_answer(view.snapshot.choices, field, value)
    job = services().loading.read(view.snapshot.source, choices=choices, owner=_owner())
    _begin(job, refused.asked)


def with_answer(choices: ReadChoices, field: str, value: Any) -> ReadChoices:
    """Return the choices with one answer changed and what hung on it left to the reader."""
    forgotten: dict[str, Any] = dict.fromkeys(_RESETS.get(field, ()), None)
    return replace(choices, **forgotten, **{field: value})


def cancel() -> None:
    """Stop reading; what the visitor had stays."""
    job = st.session_state.get(keys.LOADING)
    if job is not None:
        services().loading.jobs.cancel(job)
        services().loading.jobs.join(job, AT_ONCE)


def use() -> None:
    """Take the opened set in use, on all pages at once."""
    session = st.session_state
    opened = services().loading.drafts.get(session.get(keys.DRAFT))
    if opened is None:
        return
    try:
        data = services().library.add(opened.dataset)
    except DatasetError as problem:
        state.add_notice(str(problem))
        return
    state.use_data(data)
    session.pop(keys.REFUSED, None)
    session[keys.DRAFT_IN_USE] = True
    session[keys.DRAFT_BESIDE] = data


def use_known(name: str) -> None:
    """Take a built-in set in use."""
    dismiss()
    state.use_data(name)


def put_away() -> None:
    """Let the opened set go; the set in use stays."""
    session = st.session_state
    _discard(session.pop(keys.DRAFT, None))
    for key in (keys.DRAFT_IN_USE, keys.DRAFT_BESIDE):
        session.pop(key, None)


def dismiss() -> None:
    """Forget the opened set, and what was refused."""
    put_away()
    st.session_state.pop(keys.REFUSED, None)


def _begin(job: str, asked: Asked) -> None:
    session = st.session_state
    session.pop(keys.REFUSED, None)
    session[keys.LOADING], session[keys.ASKED] = job, asked
    # Most files are read in less: then there is nothing to wait for on the page either.
    services().loading.jobs.join(job, AT_ONCE)


def _discard(job: str | None) -> None:
    if job is not None:
        services().loading.drafts.drop(job)


def _owner() -> str:
    return f"{state.owner()} loading"
