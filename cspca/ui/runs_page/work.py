"""What can be done with a run: find its data, open it, go on with it, stop it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import streamlit as st

from cspca.datasets import BUILTIN, DatasetError
from cspca.experiments.jobs import JobView
from cspca.runs.store import RunRecord, StoreError
from cspca.runs.sweeps import fit_of, sweep_of
from cspca.ui import keys, scale, state, visitor
from cspca.ui.runs_page.words import kind_of
from cspca.ui.services import services, sweeps

ROOT: Final = Path(__file__).resolve().parents[3]

NO_DATA: Final = (
    "The data of this run are not kept here, only their fingerprint: open {name} again on the Data "
    "page, then come back. Its report and files can be had without them, under More."
)


@dataclass(frozen=True)
class AtWork:
    """What this server does for a run.

    Attributes
    ----------
    job : JobView
    remaining : float or None
        Seconds that it still takes, about; None where that is not known.
    """

    job: JobView
    remaining: float | None


def at_work(run_id: str) -> AtWork | None:
    """Return the work of this server on a run; None when it does none."""
    view = sweeps().view(run_id)
    if view.here and view.job is not None:
        return AtWork(view.job, view.remaining)
    progress = services().comparisons.here(run_id)
    return None if progress is None else AtWork(progress.job, progress.snapshot.left())


def data_of(run: RunRecord) -> str | None:
    """Return the name or id of a run's data in the library; None when they must be brought."""
    library, record = services().library, run.data
    for key in _seen():
        if _is(key, record.sha256):
            return key
    if record.builtin in BUILTIN and record.builtin in library:
        return record.builtin
    if record.kept:
        return library.add(sweeps().store.dataset(record.sha256))
    return library.find(record.sha256) if visitor.is_owner() else None


def _seen() -> tuple[str, ...]:
    """Sets that this visitor has used."""
    session = st.session_state
    used = [session.get(keys.DATA)]
    for of in (keys.COMPARE_JOBS, keys.GRID_RUNS, keys.STARTS_RUNS):
        used += session.get(of, {})
    return tuple(key for key in dict.fromkeys(used) if key)


def _is(key: str, sha256: str) -> bool:
    library = services().library
    # A built-in set that nobody has used yet would have to be made, or fetched, to know.
    if key in BUILTIN and key != st.session_state.get(keys.DATA):
        return False
    try:
        return key in library and library.get(key).sha256 == sha256
    except DatasetError:
        return False


def may_change(run_id: str) -> bool:
    """Whether a run is this visitor's to rename, stop and delete, and not only to look at."""
    return visitor.is_owner() or run_id in visitor.made()


def page_of(run: RunRecord) -> str:
    """Return the page that shows a run; empty where there is none."""
    page = kind_of(run).page
    return page if page and (ROOT / page).is_file() else ""


def open_run(run: RunRecord) -> None:
    """Make the page of a run show it (a button's callback; the switch to the page follows)."""
    try:
        data = data_of(run)
    except ValueError as problem:
        state.add_notice(str(problem))
        return
    if data is None:
        state.add_notice(NO_DATA.format(name=run.data.name))
        return
    session = st.session_state
    if session.get(keys.DATA) != data:
        state.use_data(data)
    try:
        _show(run, data)
    except StoreError as problem:
        state.add_notice(str(problem))
        return
    session[keys.RUN_OPEN] = page_of(run)


def _show(run: RunRecord, data: str) -> None:
    if run.kind == "comparison":
        state.set_comparison_job(data, run.id)
    elif run.kind == "sensitivity":
        state.set_grid_run(data, run.id)
    elif run.kind == "starts":
        state.set_starts_run(data, run.id)
    elif run.kind == "fit":
        for key, value in explore_at(run).items():
            st.session_state[key] = value
        state.set_job(None)


def explore_at(run: RunRecord) -> dict[str, Any]:
    """Return what Explore's controls say at a kept fit: the stops nearest to it."""
    store = sweeps().store
    given = dict(sweep_of(store, run.id).plan.methods[0].grid[0])
    alpha, beta = float(given["alpha"]), float(given["beta"])
    if given.get("penalty_scale") == "absolute":
        details, _ = fit_of(store, run.id)
        alpha, beta = alpha / details["alpha_max"], beta / details["beta_max"]
    return {
        keys.PRESET: None,
        keys.MODE: "penalties",
        keys.ALPHA: scale.snap(alpha),
        keys.BETA: scale.snap(beta),
        keys.PATH: scale.snap(alpha),
        keys.SOLVER: given.get("solver", "admm"),
        keys.CENTER: bool(given.get("center", True)),
        keys.NORMALIZE: bool(given.get("normalize", False)),
        keys.TOLERANCE: scale.snap(float(given.get("tol", 1e-3)), scale.TOLERANCES),
    }


def go_on(run: RunRecord) -> None:
    """Go on with a run (a button's callback)."""
    try:
        data = data_of(run)
        if data is None:
            state.add_notice(NO_DATA.format(name=run.data.name))
        elif run.kind == "comparison":
            services().comparisons.resume(run.id, data, owner=state.owner())
        else:
            sweeps().resume(run.id, data)
    except ValueError as problem:
        state.add_notice(str(problem))


def stop(run: RunRecord) -> None:
    """Stop a run that this server works on, and keep what is done (a button's callback)."""
    if not sweeps().stop(run.id):
        services().comparisons.stop(run.id)
    sweeps().join(run.id, timeout=0.5)
    services().comparisons.join(run.id, timeout=0.5)


def rename(run_id: str, key: str) -> None:
    """Give a run the name that a field holds (its callback)."""
    name = str(st.session_state.get(key, "")).strip()
    if name:
        _change(run_id, lambda: sweeps().store.rename(run_id, name))


def delete(run: RunRecord) -> None:
    """Put a run in the trash (a button's callback)."""
    if _change(run.id, lambda: sweeps().store.delete(run.id)):
        st.session_state[keys.RUN_DELETED] = run.id, run.name
        st.session_state.pop(keys.RUN_LOOKED_AT, None)


def restore(run_id: str) -> None:
    """Take a run out of the trash (a button's callback)."""
    if _change(run_id, lambda: sweeps().store.restore(run_id)):
        st.session_state.pop(keys.RUN_DELETED, None)


def keep_data(run: RunRecord) -> None:
    """Keep the data of a run, or forget them again (a button's callback)."""
    store = sweeps().store
    if run.data.kept:
        _change(run.id, lambda: store.forget_dataset(run.data.sha256))
        return
    data = data_of(run)
    if data is not None:
        dataset = services().library.get(data)
        _change(run.id, lambda: store.keep_dataset(dataset))


def _change(run_id: str, what: Callable[[], object]) -> bool:
    if not may_change(run_id):
        return False
    try:
        what()
    except StoreError as problem:
        state.add_notice(str(problem))
        return False
    return True
