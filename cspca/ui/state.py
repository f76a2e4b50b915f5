"""The view of one visitor: typed, kept in the session, and written to the URL so a link reopens it.

The URL is read when a visitor arrives by a link or goes back in the browser's history, and written
after every change. Between the two the session is the truth: a message from the browser may carry
an address that is older than what was just written.
"""

from __future__ import annotations

import re
import secrets
import time
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, cast

import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.jobs import JobView
from cspca.runs.records import FitResult, FitSpec, SolverChoice
from cspca.ui import defaults, keys, scale, visitor
from cspca.ui.services import services

Mode = Literal["penalties", "path", "keep"]
MODES: Final[tuple[Mode, ...]] = ("penalties", "path", "keep")
SOLVERS: Final[tuple[SolverChoice, ...]] = ("admm", "reweighted", "both")

_ECHO: Final = 3.0
"""Seconds in which an address that we wrote ourselves is taken for an echo, not for a wish."""

_MOST_KNOWN: Final = 40
"""Runs that an address of an earlier version may name."""

_OLD_RUNS: Final = {"run": "sensitivity", "compare": "compare", "starts": "starts"}
"""Names under which addresses of an earlier version have the runs of a kind."""

_RUN_ID: Final = re.compile(r"[\w-]{16,40}", re.ASCII)


@dataclass(frozen=True)
class View:
    """What the visitor looks at.

    Attributes
    ----------
    data : str
        Name or id of the data set.
    mode : {"penalties", "path", "keep"}
        What is set: α and β, both at once, or the number of pixels kept.
    alpha, beta : float
        Relative penalties.
    keep, top_k : int
        Pixels to keep in that mode; pixels to mark.
    """

    data: str
    mode: Mode
    alpha: float
    beta: float
    keep: int
    top_k: int
    solver: SolverChoice
    center: bool
    normalize: bool
    tol: float
    job: str | None
    preset: str | None

    def spec(self, dataset: Dataset) -> FitSpec:
        """Return the fit that this view asks for."""
        return FitSpec(
            sha256=dataset.sha256,
            alpha=self.alpha,
            beta=self.beta,
            keep=self.keep if self.mode == "keep" else None,
            solver="admm" if self.mode == "keep" else self.solver,
            center=self.center,
            normalize=self.normalize,
            tol=self.tol,
        )


def data_in_use() -> str:
    """Return the name or id of the data set in use, after reading the URL if it has news."""
    _adopt_url()
    return str(st.session_state.setdefault(keys.DATA, defaults.DATA))


def open_view(dataset: Dataset) -> View:
    """Return the view, with what is missing filled in for this data set."""
    state = st.session_state
    start = defaults.start_of(data_in_use())
    state.setdefault(keys.MODE, "penalties")
    state.setdefault(keys.ALPHA, start.alpha)
    state.setdefault(keys.BETA, start.beta)
    state.setdefault(keys.PATH, start.alpha)
    state.setdefault(keys.KEEP, dataset.n_features // 2)
    state.setdefault(keys.TOP_K, max(1, round(start.share * dataset.n_features)))
    state.setdefault(keys.SOLVER, "admm")
    state.setdefault(keys.CENTER, True)
    state.setdefault(keys.NORMALIZE, False)
    state.setdefault(keys.TOLERANCE, 1e-3)
    state.setdefault(keys.AXIS, "iteration")
    for key, most in ((keys.KEEP, live_pixels(dataset)), (keys.TOP_K, dataset.n_features)):
        state[key] = scale.snap_count(int(state[key]), scale.count_options(most))
    state[keys.VIEW] = current_view()
    return cast(View, state[keys.VIEW])


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
    together = mode == "path"
    return View(
        data=str(state[keys.DATA]),
        mode=mode,
        alpha=float(state[keys.PATH if together else keys.ALPHA]),
        beta=float(state[keys.PATH if together else keys.BETA]),
        keep=int(state[keys.KEEP]),
        top_k=int(state[keys.TOP_K]),
        solver=cast(SolverChoice, state[keys.SOLVER]),
        center=bool(state[keys.CENTER]),
        normalize=bool(state[keys.NORMALIZE]),
        tol=float(state[keys.TOLERANCE]),
        job=cast("str | None", state.get(keys.JOB)),
        preset=cast("str | None", state.get(keys.PRESET)),
    )


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


def is_mine(job: JobView) -> bool:
    """Whether this visitor may stop a job: a link to it is there to look."""
    return job.owner.startswith(f"{visitor.secret()} ")


def see(*run_ids: str) -> None:
    """Remember runs that this visitor came to by a link: they may be looked at, and no more."""
    st.session_state.setdefault(keys.SEEN_RUNS, {}).update(dict.fromkeys(run_ids))


def known_runs() -> tuple[str, ...]:
    """Return the ids of runs that this visitor began or came to by a link, the latest last."""
    return (*st.session_state.get(keys.SEEN_RUNS, {}), *visitor.made())


def may_go_on_with() -> tuple[str, ...] | None:
    """Return the runs of which one that was asked for the same is gone on with; None is all."""
    return None if visitor.is_owner() else visitor.made()


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


def open_penalties(alpha: float, beta: float, top_k: int | None = None, **other: Any) -> None:
    """Set Explore to relative penalties, which are stops of its sliders."""
    values = {
        keys.PRESET: None,
        keys.MODE: "penalties",
        keys.ALPHA: alpha,
        keys.BETA: beta,
        keys.PATH: alpha,
        keys.SOLVER: "admm",
        keys.CENTER: True,
        keys.NORMALIZE: False,
        **other,
    }
    if top_k is not None:
        values[keys.TOP_K] = top_k
    st.session_state.update(values)
    set_job(None)


def owner() -> str:
    """Return the name under which the fits of this window replace each other."""
    window = st.session_state.setdefault(keys.OWNER, secrets.token_urlsafe(12))
    return f"{visitor.secret()} {window}"


def keep_result(result: FitResult) -> None:
    """Remember the last good result: it stays on screen, dimmed, until the next one is there."""
    st.session_state[keys.LAST_RESULT] = result


def last_result(dataset: Dataset) -> FitResult | None:
    """Return the last good result of this data set."""
    result = cast("FitResult | None", st.session_state.get(keys.LAST_RESULT))
    return result if result is not None and result.spec.sha256 == dataset.sha256 else None


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


# -- the URL -------------------------------------------------------------------------------------


def address() -> dict[str, str]:
    """Return what the address says of the view.

    As the page began to be drawn: a widget that stands on two pages says for a moment that it is
    off when its page has just changed.
    """
    view = cast(View, st.session_state[keys.VIEW])
    wanted = {
        keys.Q_DATA: view.data,
        keys.Q_ALPHA: scale.say(view.alpha),
        keys.Q_BETA: scale.say(view.beta),
        keys.Q_TOP_K: str(view.top_k),
    }
    if view.mode == "keep":
        del wanted[keys.Q_ALPHA]
        wanted[keys.Q_KEEP] = str(view.keep)
    optional = {
        keys.Q_MODE: (view.mode, "penalties"),
        keys.Q_SOLVER: (view.solver, "admm"),
        keys.Q_CENTER: ("yes" if view.center else "no", "yes"),
        keys.Q_NORMALIZE: ("yes" if view.normalize else "no", "no"),
        keys.Q_TOLERANCE: (scale.say(view.tol), scale.say(1e-3)),
        keys.Q_PRESET: (view.preset or "", ""),
        keys.Q_AXIS: (str(st.session_state.get(keys.AXIS, "iteration")), "iteration"),
        keys.Q_TRUTH: ("yes" if st.session_state.get(keys.TRUTH) else "no", "no"),
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
    written = st.session_state.get(keys.URL_WRITTEN, [])
    now = time.monotonic()
    echoes = [address for address, at in written[:-1] if now - at < _ECHO]
    if not here or (written and here == written[-1][0]) or here in echoes:
        return
    if keys.Q_DATA in here and here[keys.Q_DATA] != st.session_state.get(keys.DATA):
        use_data(here[keys.Q_DATA])
    _adopt_numbers(here)
    state = st.session_state
    mode = here.get(keys.Q_MODE, "penalties")
    state[keys.MODE] = mode if mode in MODES else "penalties"
    solver = here.get(keys.Q_SOLVER, "admm")
    state[keys.SOLVER] = solver if solver in SOLVERS else "admm"
    state[keys.CENTER] = here.get(keys.Q_CENTER) != "no"
    state[keys.NORMALIZE] = here.get(keys.Q_NORMALIZE) == "yes"
    state[keys.PRESET] = here.get(keys.Q_PRESET)
    state[keys.AXIS] = "seconds" if here.get(keys.Q_AXIS) == "seconds" else "iteration"
    state[keys.TRUTH] = here.get(keys.Q_TRUTH) == "yes"
    if keys.Q_JOB in here:
        _adopt_fit(here[keys.Q_JOB])
    for name, view_id in here.items():
        kind = _OLD_RUNS.get(name) or (name[4:] if name.startswith(keys.Q_RUN) else "")
        if kind:
            show_run(kind, str(state.get(keys.DATA, defaults.DATA)), view_id)
    see(*_RUN_ID.findall(here.get(keys.Q_KNOWN, ""))[:_MOST_KNOWN])
    # What was adopted is what the address says: do not adopt it again on the next run.
    state.setdefault(keys.URL_WRITTEN, []).append((here, now))


def _adopt_fit(name: str) -> None:
    """Attach to the fit of a link; the name in it stays ours where the fit is."""
    progress = services().fits.progress(name)
    if progress is not None:
        st.session_state[keys.JOB] = progress.job.id
        if is_mine(progress.job):
            st.session_state[keys.FIT] = name


def _adopt_numbers(here: dict[str, str]) -> None:
    state = st.session_state
    for name, key, symbol in ((keys.Q_ALPHA, keys.ALPHA, "α"), (keys.Q_BETA, keys.BETA, "β")):
        value = _number(here, name, symbol)
        if value is not None:
            state[key] = scale.snap(value)
            if name == keys.Q_ALPHA:
                state[keys.PATH] = scale.snap(value)
    for name, key in ((keys.Q_TOP_K, keys.TOP_K), (keys.Q_KEEP, keys.KEEP)):
        value = _number(here, name, name)
        if value is not None:
            state[key] = max(1, int(value))
    value = _number(here, keys.Q_TOLERANCE, "the tolerance")
    if value is not None:
        state[keys.TOLERANCE] = scale.snap(value, scale.TOLERANCES)


def _number(here: dict[str, str], name: str, symbol: str) -> float | None:
    if name not in here:
        return None
    try:
        value = float(here[name])
    except ValueError:
        value = float("nan")
    if 0 <= value < 1e9:
        return value
    add_notice(
        f"The link asks for {symbol} = {here[name][:20]}, which is not a number of at least 0, "
        "so the usual value is used."
    )
    return None
