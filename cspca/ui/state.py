"""The view of one visitor: typed, kept in the session, and written to the URL so a link reopens it.

The URL is read when a visitor arrives by a link or goes back in the browser's history, and written
after every change. Between the two the session is the truth: a message from the browser may carry
an address that is older than what was just written.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, cast

import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.fit import Fit
from cspca.experiments.jobs import Job
from cspca.experiments.live import LiveFit
from cspca.experiments.settings import declared, given, to_query
from cspca.ui import defaults, keys, scale, visitor
from cspca.ui.services import services

Mode = Literal["penalties", "path", "keep"]
MODES: Final[tuple[Mode, ...]] = ("penalties", "path", "keep")

FIELDS: Final = {
    "alpha": keys.ALPHA,
    "beta": keys.BETA,
    "keep": keys.KEEP,
    "solver": keys.SOLVER,
    "center": keys.CENTER,
    "normalize": keys.NORMALIZE,
    "tol": keys.TOLERANCE,
}
"""Where the session holds the settings of the fit: each is the key of its widget."""

_ECHO: Final = 3.0
"""Seconds in which an address that we wrote ourselves is taken for an echo, not for a wish."""

_OLD_RUNS: Final = {"run": "sensitivity", "compare": "compare", "starts": "starts"}
"""Names under which addresses of an earlier version have the runs of a kind."""


@dataclass(frozen=True)
class View:
    """What the visitor looks at: a fit of a data set, and how it is shown.

    `mode` says what is set: α and β, both at once, or the number of features kept; `top_k` is how
    many are highlighted.
    """

    data: str
    mode: Mode
    fit: Fit
    top_k: int
    axis: str
    truth: bool
    job: str | None
    preset: str | None


def data_in_use() -> str:
    """Return the name or id of the data set in use, after reading the URL if it has news."""
    _adopt_url()
    return str(st.session_state.setdefault(keys.DATA, defaults.DATA))


def open_view(dataset: Dataset) -> View:
    """Return the view, with what is missing filled in for this data set."""
    state = st.session_state
    start = defaults.start_of(data_in_use())
    usual = {name: declared(Fit)[name].default for name in FIELDS}
    usual |= {"alpha": start.alpha, "beta": start.beta, "keep": dataset.n_features // 2}
    for name, key in FIELDS.items():
        state.setdefault(key, usual[name])
    state.setdefault(keys.MODE, "penalties")
    state.setdefault(keys.PATH, state[keys.ALPHA])
    state.setdefault(keys.TOP_K, max(1, round(start.share * dataset.n_features)))
    state.setdefault(keys.AXIS, "iteration")
    asked = ((keys.KEEP, live_pixels(dataset), "keep"), (keys.TOP_K, dataset.n_features, "k"))
    for key, most, name in asked:
        _clip(key, most, name)
        state[key] = scale.snap_count(int(state[key]), scale.count_options(most))
    state[keys.VIEW] = current_view()
    return cast(View, state[keys.VIEW])


def _clip(key: str, most: float, name: str) -> None:
    """Bring a number from an address to the largest there is, and say so."""
    asked = st.session_state[key]
    if asked > most:
        st.session_state[key] = most
        add_notice(
            f"The link asks for {name} = {asked:,g}; {most:,} is the most here, so that is used."
        )


def live_pixels(dataset: Dataset) -> int:
    """Return how many pixels of a data set vary, counted once a visitor."""
    sha256, count = st.session_state.get(keys.LIVE_PIXELS, ("", 0))
    if sha256 != dataset.sha256:
        count = scale.count_live(dataset.data)
        st.session_state[keys.LIVE_PIXELS] = dataset.sha256, count
    return int(count)


def current_view() -> View:
    """Return the view as the session holds it now."""
    state = st.session_state
    mode = cast(Mode, state[keys.MODE])
    values = {name: state[key] for name, key in FIELDS.items()}
    if mode == "path":
        values["alpha"] = values["beta"] = state[keys.PATH]
    if mode != "keep":
        values["keep"] = None
    return View(
        data=str(state[keys.DATA]),
        mode=mode,
        fit=Fit(**values),
        top_k=int(state[keys.TOP_K]),
        axis=str(state[keys.AXIS]),
        truth=bool(state.get(keys.TRUTH)),
        job=cast("str | None", state.get(keys.JOB)),
        preset=cast("str | None", state.get(keys.PRESET)),
    )


def open_fit(fit: Fit, top_k: int | None = None) -> None:
    """Set Explore to a fit of relative penalties, at the stops of the sliders nearest to it."""
    state = st.session_state
    values = {key: getattr(fit, name) for name, key in FIELDS.items()}
    values[keys.ALPHA] = values[keys.PATH] = scale.snap(fit.alpha)
    values[keys.BETA] = scale.snap(fit.beta)
    values[keys.TOLERANCE] = scale.snap(fit.tol, scale.TOLERANCES)
    values |= {keys.MODE: "penalties" if fit.keep is None else "keep", keys.TOP_K: top_k}
    for key, value in values.items():
        if value is not None:
            state[key] = value
    state[keys.PRESET] = None
    set_job(None)


def use_data(data: str) -> None:
    """Take another data set in use; everything that belonged to the old one starts afresh."""
    state = st.session_state
    for key in (
        *(keys.ALPHA, keys.BETA, keys.PATH, keys.KEEP, keys.TOP_K, keys.MODE),
        *(keys.FACE, keys.PIXEL, keys.JOB, keys.PRESET, keys.LAST_RESULT, keys.TRUTH),
    ):
        if key in state:
            del state[key]
    state[keys.DATA] = data


def set_job(job: str | None) -> None:
    """Remember the fit that this view shows; its name in the address stays the same."""
    st.session_state[keys.JOB] = job
    if job is not None:
        services().jobs.name(fit_name(), job)


def fit_name() -> str:
    """Return the unguessable name of whatever fit this view shows."""
    return str(st.session_state.setdefault(keys.FIT, secrets.token_urlsafe(12)))


def is_mine(job: Job) -> bool:
    """Whether this visitor may stop a job: a link to it is there to look."""
    return job.owner.startswith(f"{visitor.secret()} ")


def owner() -> str:
    """Return the name under which the fits of this window replace each other."""
    window = st.session_state.setdefault(keys.OWNER, secrets.token_urlsafe(12))
    return f"{visitor.secret()} {window}"


def keep_result(result: LiveFit) -> None:
    """Remember the last good result: it stays on screen, dimmed, until the next one is there."""
    st.session_state[keys.LAST_RESULT] = result


def last_result(dataset: Dataset) -> LiveFit | None:
    """Return the last good result of this data set."""
    result = cast("LiveFit | None", st.session_state.get(keys.LAST_RESULT))
    return result if result is not None and result.sha256 == dataset.sha256 else None


def add_notice(sentence: str) -> None:
    """Leave a sentence to be shown at the top of the page until the view changes."""
    st.session_state.setdefault(keys.NOTICE, []).append(sentence)


def notices(view: View) -> list[str]:
    """Return the sentences to show: new ones, or those shown before if the view is the same."""
    state = st.session_state
    seen = replace(view, job=None)
    new = state.pop(keys.NOTICE, [])
    if new:
        state[keys.NOTICE_SHOWN] = seen, list(dict.fromkeys(new))
    shown_with, sentences = state.get(keys.NOTICE_SHOWN, (seen, []))
    return list(sentences) if shown_with == seen else []


# -- runs ------------------------------------------------------------------------------------------


def shown_run(kind: str, data: str) -> str | None:
    """Return the view id of the run of a kind that this visitor looks at on some data."""
    shown: dict[tuple[str, str], str] = st.session_state.get(keys.RUNS, {})
    return shown.get((kind, data))


def show_run(kind: str, data: str, view_id: str | None) -> None:
    """Look at a run on the page of its kind from now on, or at none."""
    shown = st.session_state.setdefault(keys.RUNS, {})
    if view_id is None:
        shown.pop((kind, data), None)
    else:
        shown[kind, data] = view_id


def used_data() -> tuple[str, ...]:
    """Return the data sets that this visitor has used, the one in use first."""
    used = [data_in_use(), *(data for _, data in st.session_state.get(keys.RUNS, {}))]
    return tuple(dict.fromkeys(used))


# -- the address -----------------------------------------------------------------------------------


def address() -> dict[str, str]:
    """Return what the address says of the view.

    As the page began to be drawn: a widget that stands on two pages says for a moment that it is
    off when its page has just changed.
    """
    view = cast(View, st.session_state[keys.VIEW])
    wanted = {keys.Q_DATA: view.data, keys.Q_TOP_K: str(view.top_k), **to_query(view.fit)}
    if view.mode != "keep":
        # Where a data set's view begins may change: these are always said.
        wanted |= {"alpha": f"{view.fit.alpha:.10g}", "beta": f"{view.fit.beta:.10g}"}
    optional = {
        keys.Q_MODE: (view.mode, "penalties"),
        keys.Q_PRESET: (view.preset or "", ""),
        keys.Q_AXIS: (view.axis, "iteration"),
        keys.Q_TRUTH: ("yes" if view.truth else "no", "no"),
        keys.Q_JOB: (fit_name(), ""),
    }
    wanted |= {name: value for name, (value, usual) in optional.items() if value != usual}
    for (kind, data), view_id in st.session_state.get(keys.RUNS, {}).items():
        if data == view.data:
            wanted[keys.Q_RUN + kind] = view_id
    return wanted


def link(path: str, label: str, icon: str, **how: Any) -> None:
    """Draw a link to another page with its whole address, so that Back takes one press."""
    st.page_link(path, label=label, icon=icon, query_params=address(), **how)


def write_url() -> None:
    """Make the address say what the view is."""
    if visitor.scrubbing():
        return
    wanted = address()
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)
    written = st.session_state.setdefault(keys.URL_WRITTEN, [])
    if not written or written[-1][0] != wanted:
        # When the last one ceases to be current its echoes may still be on their way.
        if written:
            written[-1] = (written[-1][0], time.monotonic())
        written.append((wanted, time.monotonic()))
        del written[:-20]


def _adopt_url() -> None:
    """Take the view from the address when the visitor brought it, not we."""
    here = st.query_params.to_dict()
    state, now = st.session_state, time.monotonic()
    written = state.get(keys.URL_WRITTEN, [])
    echoes = [address for address, at in written[:-1] if now - at < _ECHO]
    if not here or (written and here == written[-1][0]) or here in echoes:
        return
    if keys.Q_DATA in here and here[keys.Q_DATA] != state.get(keys.DATA):
        use_data(here[keys.Q_DATA])
    _adopt_settings(here)
    state[keys.PRESET] = here.get(keys.Q_PRESET)
    state[keys.AXIS] = "seconds" if here.get(keys.Q_AXIS) == "seconds" else "iteration"
    state[keys.TRUTH] = here.get(keys.Q_TRUTH) == "yes"
    if keys.Q_JOB in here:
        _adopt_fit(here[keys.Q_JOB])
    for name, view_id in here.items():
        kind = _OLD_RUNS.get(name) or (name[4:] if name.startswith(keys.Q_RUN) else "")
        if kind:
            show_run(kind, str(state.get(keys.DATA, defaults.DATA)), view_id)
    # What was adopted is what the address says: do not adopt it again on the next run.
    state.setdefault(keys.URL_WRITTEN, []).append((here, now))


def _adopt_settings(here: Mapping[str, str]) -> None:
    state = st.session_state
    values, wrong = given(Fit, here)
    for sentence in wrong:
        add_notice(sentence)
    mode = here.get(keys.Q_MODE, "keep" if "keep" in values else "penalties")
    state[keys.MODE] = mode if mode in MODES else "penalties"
    # What a link does not say is as usual; the penalties and numbers of features stay.
    for name in ("solver", "center", "normalize"):
        state[FIELDS[name]] = declared(Fit)[name].default
    for name, value in values.items():
        if name in FIELDS and value is not None:
            state[FIELDS[name]] = value
    count = here.get(keys.Q_TOP_K)
    if count is not None and count.isdecimal() and int(count) > 0:
        state[keys.TOP_K] = int(count)
    elif count is not None:
        add_notice(
            "The link cannot be followed: k must be a whole number of at least 1, got "
            f"{count[:20]!r}. The usual value is used."
        )
    for name in ("alpha", "beta"):
        if name in values:
            _clip(FIELDS[name], 1, name)
            state[FIELDS[name]] = scale.snap(state[FIELDS[name]])
    if "alpha" in values:
        state[keys.PATH] = state[keys.ALPHA]
    if "tol" in values:
        state[keys.TOLERANCE] = scale.snap(values["tol"], scale.TOLERANCES)


def _adopt_fit(name: str) -> None:
    """Attach to the fit of a link; the name in it stays ours where the fit is."""
    job = services().jobs.view(name)
    if job is not None:
        st.session_state[keys.JOB] = job.id
        if is_mine(job):
            st.session_state[keys.FIT] = name
