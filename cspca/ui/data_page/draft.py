"""The set that a visitor has opened and may take in use: one at a time, found by its job's id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

import streamlit as st

from cspca.datasets import Dataset, DatasetError, ReadChoices
from cspca.runs.loading import LoadProgress, LoadSnapshot, files_in_words
from cspca.runs.opened import Opened, Source
from cspca.ui import keys, state
from cspca.ui.services import services

AT_ONCE: Final = 0.5
"""Seconds to wait for a job that may well be done at once, before a progress bar is drawn."""

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
class Subject:
    """What the page shows: an opened set, or the one in use.

    Attributes
    ----------
    dataset : Dataset
    opened : Opened or None
        With it, what can be chosen.
    in_use : bool
    """

    dataset: Dataset
    opened: Opened | None
    in_use: bool


def subject(in_use: str, dataset: Dataset) -> Subject:
    """Return what the page shows, given the set in use."""
    session = st.session_state
    if session.get(keys.DRAFT_BESIDE) != in_use:
        # Another set has been taken in use elsewhere: what was opened here is not meant any more.
        put_away()
    opened = services().loading.opened(session.get(keys.DRAFT))
    if opened is None:
        return Subject(dataset, None, in_use=True)
    return Subject(opened.dataset, opened, in_use=bool(session.get(keys.DRAFT_IN_USE)))


def loading() -> LoadProgress | None:
    """Return the job that is reading now, after taking over what one that ended has read."""
    session, service = st.session_state, services().loading
    job = session.get(keys.LOADING)
    progress = service.progress(job)
    if progress is None or progress.active:
        return progress
    del session[keys.LOADING]
    if progress.refusal is not None:
        session[keys.REFUSED] = job
    elif not progress.cancelled and service.opened(job) is not None:
        _discard(session.get(keys.DRAFT))
        session[keys.DRAFT] = job
        session[keys.DRAFT_IN_USE] = False
        session[keys.DRAFT_BESIDE] = state.data_in_use()
    return None


def refusal() -> LoadProgress | None:
    """Return the last job if it was refused what it should read."""
    return services().loading.progress(st.session_state.get(keys.REFUSED))


# -- callbacks -----------------------------------------------------------------------------------


def bring(files: Sequence[tuple[str, bytes]], *, drop_bad: bool) -> None:
    """Read files."""
    source = Source(files_in_words([name for name, _ in files]), tuple(files))
    _begin(services().loading.read(source, choices=ReadChoices(drop_bad=drop_bad), owner=_owner()))


def fetch(name: str) -> None:
    """Fetch a remote set."""
    _begin(services().loading.fetch(name, owner=_owner()))


def choose(field: str, value: Any) -> None:
    """Read what is shown again with one answer changed."""
    service, session = services().loading, st.session_state
    draft = session.get(keys.DRAFT)
    opened = service.opened(draft)
    if opened is None:
        dataset = services().library.get(state.data_in_use())
        choices = ReadChoices(**{field: value})
        source = Source(dataset.name, dataset=dataset)
        _begin(service.read(source, choices=choices, owner=_owner()))
        return
    choices = with_answer(opened.choices, field, value)
    job = service.again(cast(str, draft), choices, owner=_owner())
    if job is not None:
        _begin(job)


def choose_refused(field: str, value: Any) -> None:
    """Read what was refused for want of an answer again, with the answer."""
    refused = refusal()
    if refused is None or refused.snapshot.source is None:
        return
    snapshot: LoadSnapshot = refused.snapshot
    choices = with_answer(snapshot.choices, field, value)
    assert snapshot.source is not None
    _begin(services().loading.read(snapshot.source, choices=choices, owner=_owner()))


def with_answer(choices: ReadChoices, field: str, value: Any) -> ReadChoices:
    """Return the choices with one answer changed and what hung on it left to the reader."""
    forgotten: dict[str, Any] = dict.fromkeys(_RESETS.get(field, ()), None)
    return replace(choices, **forgotten, **{field: value})


def cancel() -> None:
    """Stop reading; what the visitor had stays."""
    job = st.session_state.get(keys.LOADING)
    if job is not None:
        services().loading.cancel(job)
        services().loading.join(job, AT_ONCE)


def use() -> None:
    """Take the opened set in use, on all pages at once."""
    session = st.session_state
    draft = session.get(keys.DRAFT)
    opened = services().loading.opened(draft)
    if opened is None:
        return
    try:
        data = services().library.add(opened.dataset)
    except DatasetError as problem:
        state.add_notice(str(problem))
        return
    state.use_data(data)
    session[keys.DRAFT_IN_USE] = True
    session[keys.DRAFT_BESIDE] = data


def use_known(name: str) -> None:
    """Take a built-in set in use."""
    put_away()
    session = st.session_state
    session.pop(keys.REFUSED, None)
    state.use_data(name)


def put_away() -> None:
    """Let the opened set go; the set in use stays."""
    session = st.session_state
    _discard(session.pop(keys.DRAFT, None))
    for key in (keys.DRAFT_IN_USE, keys.DRAFT_BESIDE):
        session.pop(key, None)


def _begin(job: str) -> None:
    session = st.session_state
    session.pop(keys.REFUSED, None)
    session[keys.LOADING] = job
    # Most files are read in less: then there is nothing to wait for on the page either.
    services().loading.join(job, AT_ONCE)


def _discard(job: str | None) -> None:
    if job is not None:
        services().loading.put_away(job)


def _owner() -> str:
    return f"{state.owner()} loading"
