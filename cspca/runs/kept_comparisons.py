"""Comparisons kept in the store, cell by cell: found again, gone on with, read back."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cspca.evaluation.former import CellResult, GroupResult, Ranking
from cspca.evaluation.former.cells import Cell, Group
from cspca.experiments.jobs import JobState, JobView
from cspca.runs.comparison_course import Course
from cspca.runs.comparison_records import (
    ComparisonProgress,
    ComparisonRequest,
    ComparisonSnapshot,
)
from cspca.runs.store import RunRecord, RunState, Store, StoreError
from cspca.runs.sweeps import (
    RANK,
    Sweep,
    comparison_of,
    comparison_sweep,
    run_sweep,
    same_or_new,
)
from cspca.runs.sweeps.kinds import ranked_by
from cspca.runs.sweeps.reading import ranking_of
from cspca.runs.sweeps.work import Outcome

if TYPE_CHECKING:
    from cspca.datasets import Dataset

__all__ = ["KeptComparisons", "request_of"]

_READ = 2.0
"""Seconds between two readings of what another program computes."""

_MOST = 8
"""Comparisons read last that are remembered."""


def request_of(sweep: Sweep, sha256: str) -> ComparisonRequest:
    """Return the request that comes nearest to a kept comparison.

    Parameters
    ----------
    sweep : Sweep
        Of kind "comparison".
    sha256 : str
        Fingerprint of its data.
    """
    plan = sweep.plan
    counts = {k for one in plan.methods if not one.keeps_all for k in one.n_features}
    everything = {k for one in plan.methods for k in one.n_features}
    of_spec = [dict(grid[0]) for one in plan.methods if one.method == "spec" and (grid := one.grid)]
    function = of_spec[0].get("function", "phi2") if of_spec else "phi1"
    return ComparisonRequest(
        sha256=sha256,
        methods=tuple(one.method for one in plan.methods),
        n_features=tuple(sorted(counts or everything)),
        n_seeds=len(plan.seeds),
        n_clusters=plan.n_clusters,
        init=plan.init,
        tune=any(len(one.grid) > 1 for one in plan.methods),
        labelled=sweep.labelled,
        spec_function=str(function),
    )


@dataclass(frozen=True)
class _Reading:
    stamp: tuple[object, ...]
    at: float
    snapshot: ComparisonSnapshot


class KeptComparisons:
    """Comparisons as runs of a store.

    Parameters
    ----------
    store : Store
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._noting = threading.Lock()
        self._lock = threading.Lock()
        self._read: OrderedDict[str, _Reading] = OrderedDict()

    def note(
        self, request: ComparisonRequest, dataset: Dataset, known_ids: Collection[str] | None
    ) -> str:
        """Return the run of a comparison: the one that is there, or a new one.

        A new one takes over the cells that others have finished.

        Parameters
        ----------
        request : ComparisonRequest
        dataset : Dataset
        known_ids : collection of str or None
            Runs that the visitor knows; None is all. Another's run is never handed out.

        Raises
        ------
        ValueError
            One sentence, when request and data do not fit together, or the store cannot be
            written.
        """
        sweep = comparison_sweep(request.plan(dataset), labelled=request.labelled)
        with self._noting:
            return same_or_new(self.store, sweep, dataset, known_ids)

    def at_work(self, run_id: str) -> bool:
        """Whether some program works on a run."""
        return self.store.get(run_id).state is RunState.RUNNING

    def run(
        self,
        run_id: str,
        dataset: Dataset,
        publish: Callable[[ComparisonSnapshot], None],
        should_stop: Callable[[], bool],
        asked: ComparisonSnapshot,
    ) -> StoreError | None:
        """Compute what is left of a run; publish and keep what finishes.

        Parameters
        ----------
        run_id : str
        dataset : Dataset
        publish : callable
            Called with what is to be seen, whenever something has finished.
        should_stop : callable
        asked : ComparisonSnapshot

        Returns
        -------
        StoreError or None
            Why no more of it can be kept. What came before is kept, and what was published is all
            there is.
        """
        refused = None
        try:
            self.store.retry(run_id)
        except StoreError as problem:
            # What can only be read can still be shown.
            refused = problem
        try:
            course = Course(comparison_of(self.store, run_id))
        except StoreError as problem:
            return problem
        publish(course.snapshot(asked, last=True))
        if refused is not None:
            return None if course.complete else refused
        taken = _Taken(course)

        def came(outcome: Outcome) -> None:
            taken.take(outcome)
            publish(course.snapshot(asked))

        try:
            run_sweep(
                self.store,
                run_id,
                dataset,
                backend="threading",
                should_stop=should_stop,
                on_outcome=came,
            )
        except StoreError as problem:
            publish(course.snapshot(asked, last=True))
            return problem
        if not course.complete:
            # Stopped; or another program has computed a part of it.
            course = Course(comparison_of(self.store, run_id))
        publish(course.snapshot(asked, last=True))
        return None

    def look(
        self, run_id: str, plan_of: Callable[[ComparisonRequest], object], data: str
    ) -> ComparisonProgress | None:
        """Read a comparison back; None when there is no such run, or it is of another kind.

        Parameters
        ----------
        run_id : str
        plan_of : callable
            Plans a request on the data of the page.
        data : str
            Name or id of those data in the library.

        Raises
        ------
        StoreError
            When it is damaged.
        """
        if run_id not in self.store:
            return None
        run = self.store.get(run_id)
        if run.kind != "comparison" or run.deleted is not None:
            return None
        elsewhere = run.state is RunState.RUNNING
        snapshot = self._snapshot(run, elsewhere, plan_of, data)
        state = JobState.RUNNING if elsewhere else JobState.STOPPED
        if run.complete and not elsewhere:
            state = JobState.DONE
        job = JobView(run_id, state=state, snapshot=snapshot, seconds=run.seconds)
        return ComparisonProgress(job, snapshot, run_id, here=False, computed=run.seconds)

    def _snapshot(
        self,
        run: RunRecord,
        elsewhere: bool,
        plan_of: Callable[[ComparisonRequest], object],
        data: str,
    ) -> ComparisonSnapshot:
        stamp = run.n_done, run.n_failed, run.error, data
        with self._lock:
            before = self._read.get(run.id)
            if before is not None:
                recent = elsewhere and time.monotonic() - before.at < _READ
                if before.stamp == stamp or recent:
                    self._read.move_to_end(run.id)
                    return replace(before.snapshot, data=data)
            snapshot = self._fresh(run, plan_of, data)
            self._read[run.id] = _Reading(stamp, time.monotonic(), snapshot)
            while len(self._read) > _MOST:
                self._read.popitem(last=False)
        return snapshot

    def _fresh(
        self, run: RunRecord, plan_of: Callable[[ComparisonRequest], object], data: str
    ) -> ComparisonSnapshot:
        sweep = Sweep.from_record(run.request)
        request = request_of(sweep, run.data.sha256)
        try:
            askable = plan_of(request) == sweep.plan
        except ValueError:
            askable = False
        asked = ComparisonSnapshot(
            request, data, n_cells=sweep.plan.n_cells, note=run.error or "", askable=askable
        )
        return Course(comparison_of(self.store, run.id)).snapshot(asked, last=True)


class _Taken:
    """Outcomes of a sweep as the groups that a course takes in."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._rankings: dict[str, Ranking] = {}

    def take(self, outcome: Outcome) -> None:
        """Take in one outcome."""
        task = outcome.task
        if task.step == RANK:
            self._ranking(outcome)
            return
        cells = tuple(Cell.from_key(key) for key in task.keys)
        first = cells[0]
        group = Group(first.method, first.parameters, first.n_features, cells)
        results = tuple(CellResult.from_record(one.result) for one in outcome.finished)
        ranking = self._rankings.get(task.unit.rpartition(" ")[0])
        self._course.add(_result(group, results, ranking, outcome.failure))

    def _ranking(self, outcome: Outcome) -> None:
        key = outcome.task.keys[0]
        groups = self._course.groups_of(*ranked_by(key))
        if outcome.failure is not None:
            for group in groups:
                self._course.add(_result(group, (), None, outcome.failure))
            return
        (one,) = outcome.finished
        found = self._rankings[key] = ranking_of(key, one.result, one.arrays or {})
        for group in groups[:1]:
            self._course.ranked(_result(group, (), found, None))


def _result(
    group: Group,
    results: tuple[CellResult, ...],
    ranking: Ranking | None,
    failure: str | None,
) -> GroupResult:
    return GroupResult(group, results, ranking, failure, 0, 0, 0.0, 0.0)
