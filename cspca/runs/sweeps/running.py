"""Runs a sweep on any of joblib's backends; what is finished is kept, whatever happens."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from typing import TYPE_CHECKING, Any

from cspca.runs.store import OpenUnit, RunRecord, Session, Store, StoreError
from cspca.runs.sweeps.backends import Workers, workers
from cspca.runs.sweeps.errors import SweepError
from cspca.runs.sweeps.kinds import RANK, Sweep
from cspca.runs.sweeps.progress import Pace, SweepProgress
from cspca.runs.sweeps.work import Outcome, Task, perform
from cspca.threads import blas_threads

if TYPE_CHECKING:
    from cspca.datasets import Dataset

__all__ = ["run_sweep", "same_or_new", "start_sweep"]

_WAIT = 0.2
"""Seconds between two looks at cells that another process works on."""


def start_sweep(
    store: Store,
    sweep: Sweep,
    dataset: Dataset,
    *,
    name: str | None = None,
    keep_data: bool = False,
    reuse: bool = True,
) -> str:
    """Note a sweep in the store, nothing computed for it yet; return the id of the run.

    Parameters
    ----------
    store : Store
    sweep : Sweep
    dataset : Dataset
    name : str or None, default=None
        For people; None is made from the kind and the data.
    keep_data : bool, default=False
        Keep the data themselves, so that the run can be resumed without bringing them again.
    reuse : bool, default=True
        Take over the cells that earlier runs on the same data have finished.

    Raises
    ------
    StoreError
        When the store cannot be written.
    """
    run_id = store.create(
        sweep.kind,
        name or f"{sweep.kind.capitalize()} on {dataset.name}",
        dataset,
        sweep.to_record(),
        sweep.cells(),
        seeds=sweep.plan.seeds,
        context=sweep.context,
        keep_data=keep_data,
    )
    if reuse:
        store.adopt(run_id)
    return run_id


def same_or_new(
    store: Store,
    sweep: Sweep,
    dataset: Dataset,
    known_ids: Collection[str] | None,
    *,
    name: str | None = None,
    keep_data: bool = False,
) -> str:
    """Return the run that was asked for the same, or note a new one.

    Parameters
    ----------
    store : Store
    sweep : Sweep
    dataset : Dataset
    known_ids : collection of str or None
        Runs that whoever asks knows; None is all. Another's run is never handed out, for whoever
        has its id may delete it; a new one takes over what that has finished.
    name, keep_data
        As in :func:`start_sweep`, for a new one.
    """
    for run_id in store.find(sweep.kind, dataset.sha256, sweep.to_record()):
        if known_ids is None or run_id in known_ids:
            return run_id
    return start_sweep(store, sweep, dataset, name=name, keep_data=keep_data)


def run_sweep(
    store: Store,
    run_id: str,
    dataset: Dataset | None = None,
    *,
    n_jobs: int = 1,
    backend: str | None = None,
    scheduler: str | None = None,
    should_stop: Callable[[], bool] | None = None,
    on_progress: Callable[[SweepProgress], None] | None = None,
    on_outcome: Callable[[Outcome], None] | None = None,
    retry_failed: bool = False,
) -> RunRecord:
    """Compute the cells of a run that are not done; begin, resume or help another process.

    Workers only compute. This process claims cells when a worker is free for them and commits
    what comes back, so that a worker needs no access to the store and may be on another machine,
    and so that a cell is committed once, with all that were computed with it, or not at all. The
    numbers depend neither on the backend nor on interruptions: every cell starts cold.

    Parameters
    ----------
    store : Store
    run_id : str
    dataset : Dataset or None, default=None
        The data of the run; None takes those that the store keeps, or built-in ones.
    n_jobs : int, default=1
        Workers; −1 is one for every core, or all of a cluster.
    backend : {"loky", "threading", "dask"} or None, default=None
        Processes, threads, or a cluster. None is "dask" with a `scheduler`, otherwise what
        :func:`joblib.parallel_config` says.
    scheduler : str or None, default=None
        Address of a Dask scheduler, such as ``tcp://127.0.0.1:8786``.
    should_stop : callable or None, default=None
        Asked before every task, from other threads too; True ends the run when the tasks at work
        are done.
    on_progress : callable or None, default=None
        Called with a :class:`SweepProgress` after every commit.
    on_outcome : callable or None, default=None
        Called before it, with the :class:`Outcome` of the task: what was kept, or why it failed.
    retry_failed : bool, default=False
        Compute cells that failed once more.

    Returns
    -------
    RunRecord
        As it stands at the end.

    Raises
    ------
    SweepError
        When the data are others than the run's, the backend cannot be used, or a worker died.
    StoreError
        When the store cannot be written, or is full; what was finished before is kept.
    """
    run = store.get(run_id)
    sweep = Sweep.from_record(run.request)
    if dataset is None:
        dataset = store.dataset(run.data.sha256)
    elif dataset.sha256 != run.data.sha256:
        raise SweepError(
            f"{dataset.name} is not what this run was started with ({run.data.name}): bring the "
            "same data."
        )
    if retry_failed:
        store.retry(run_id)
    store.restore_cells(run_id, sweep.cells())
    with (
        workers(n_jobs, backend, scheduler) as team,
        blas_threads(),
        store.session(run_id, backend=f"{team.name}, {team.n_jobs}") as session,
    ):
        course = _Course(store, session, sweep, dataset, on_progress, on_outcome)
        course.follow(team, should_stop or (lambda: False))
    return store.get(run_id)


class _Course:
    """One process's part of a sweep."""

    def __init__(
        self,
        store: Store,
        session: Session,
        sweep: Sweep,
        dataset: Dataset,
        on_progress: Callable[[SweepProgress], None] | None,
        on_outcome: Callable[[Outcome], None] | None,
    ) -> None:
        self._store, self._session, self._sweep = store, session, sweep
        self._dataset, self._on_progress, self._on_outcome = dataset, on_progress, on_outcome
        self._pace = Pace(session.times())
        self._new = 0
        self._trouble: list[Exception] = []
        self._stopped = threading.Event()

    def follow(self, team: Workers, should_stop: Callable[[], bool]) -> None:
        """Wave after wave, until nothing is left or somebody wants it to end."""
        while not should_stop():
            units = self._session.open_units()
            if not units:
                return
            came = 0
            if any(unit.n_free for unit in units):
                came = self._wave(team, self._chosen(units, team.n_jobs), should_stop)
            if self._store.get(self._session.run_id).deleted is not None:
                return
            if not came and not should_stop():
                # Another process has all that is left: wait for it to end, or to die.
                time.sleep(_WAIT)

    def _chosen(self, units: list[OpenUnit], n_jobs: int) -> list[OpenUnit]:
        """What can be done next: a few rankings, which take longest, and all clusterings."""
        free = [unit for unit in units if unit.n_free]
        ranks = [unit for unit in free if unit.step == RANK]
        few = ranks[: 2 * n_jobs if n_jobs > 1 else 1]
        clusters = [unit for unit in free if unit.step != RANK]
        # Alone, results first; with others, the long ones first and nobody waits at the end.
        return few + clusters if n_jobs > 1 else clusters + few

    def _wave(self, team: Workers, units: list[OpenUnit], should_stop: Callable[[], bool]) -> int:
        self._left = self._session.n_open()
        run = self._store.get(self._session.run_id)
        self._done, self._failed, self._n_cells = run.n_done, run.n_failed, run.n_cells
        came = 0
        y = self._dataset.target if self._sweep.labelled else None
        common = self._sweep, self._dataset.sha256, self._dataset.data, y
        calls = ((task, *common) for task in self._tasks(units, should_stop))
        try:
            with closing(team(perform, calls)) as outcomes:
                for outcome in outcomes:
                    came += 1
                    self._keep(outcome)
        except BrokenProcessPool as error:
            raise SweepError(
                "A worker process ended before its work was done, perhaps for want of memory: "
                "what was finished is kept, resume with fewer jobs."
            ) from error
        if self._trouble:
            raise self._trouble[0]
        return came

    def _tasks(self, units: list[OpenUnit], should_stop: Callable[[], bool]) -> Iterator[Task]:
        """Claim one unit after another, as workers get free."""
        try:
            for unit in units:
                if should_stop():
                    return
                keys = self._session.claim(unit.unit)
                if keys:
                    order = None if unit.step == RANK else self._order(unit.unit)
                    yield Task(unit.step, unit.unit, unit.category, keys, order)
        except StoreError as error:
            # We are in a thread of joblib's: told where it is heard.
            self._trouble.append(error)

    def _order(self, unit: str) -> Any:
        # The unit of a clustering is its ranking and a number of features.
        ranking, _, _ = unit.rpartition(" ")
        return self._store.arrays(self._session.run_id, ranking)["order"]

    def _keep(self, outcome: Outcome) -> None:
        task = outcome.task
        of = task.step, task.category
        if outcome.failure is None:
            kept = len(self._session.commit(outcome.finished))
            self._done += kept
            self._new += kept
            self._pace.add(of, outcome.seconds, max(1, len(outcome.finished)))
        else:
            kept = self._session.fail(task.keys, outcome.failure)
            self._failed += kept
        self._left[of] = max(0, self._left.get(of, 0) - kept)
        if self._on_outcome is not None:
            self._on_outcome(outcome)
        if self._on_progress is not None:
            title = self._sweep.plan.method(task.category).title
            self._on_progress(
                SweepProgress(
                    self._session.run_id,
                    self._done,
                    self._failed,
                    self._n_cells,
                    self._new,
                    title,
                    self._pace.elapsed,
                    self._pace.remaining(self._left),
                )
            )
