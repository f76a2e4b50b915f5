"""The comparison service: a request in, a job id out; results as they finish, Stop and Go on."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from cspca.runs.caches import Memory
from cspca.runs.comparison_records import (
    ComparisonProgress,
    ComparisonRequest,
    ComparisonSnapshot,
    Pace,
)
from cspca.runs.jobs import Control, JobRegistry
from cspca.runs.library import DatasetLibrary
from cspca.threads import blas_threads

if TYPE_CHECKING:
    from cspca.datasets import Dataset
    from cspca.evaluation import Cell, CellResult, Comparison, Group, GroupResult, Plan, Ranking
    from cspca.evaluation.cells import Parameters

_GATHER = 0.5
"""Seconds between two looks at the results while they come in."""


class CellStore(Protocol):
    """Where finished cells and rankings are kept between comparisons."""

    def get(self, content: str, plan: Plan) -> tuple[tuple[CellResult, ...], tuple[Ranking, ...]]:
        """Return what is kept of a plan: finished cells, and rankings.

        Parameters
        ----------
        content : str
            :attr:`ComparisonRequest.content`.
        plan : Plan
        """

    def put(self, content: str, plan: Plan, group: GroupResult) -> None:
        """Keep what a group brought.

        Parameters
        ----------
        content : str
        plan : Plan
        group : GroupResult
        """


class CellMemory:
    """A :class:`CellStore` in memory: bounded, shared by all visitors, keyed by content.

    Parameters
    ----------
    max_cells : int, default=200_000
        Cells kept (about half a kilobyte each); the groups not used for longest go first.
    max_bytes : int, default=128 MiB
        For rankings.
    """

    def __init__(self, max_cells: int = 200_000, max_bytes: int = 128 << 20) -> None:
        self._max_cells = max_cells
        self._lock = threading.Lock()
        self._groups: OrderedDict[tuple[object, ...], dict[Cell, CellResult]] = OrderedDict()
        self._n_cells = 0
        self._rankings: Memory[tuple[str, str, Parameters, int], Ranking] = Memory(
            10_000, max_bytes
        )

    def get(self, content: str, plan: Plan) -> tuple[tuple[CellResult, ...], tuple[Ranking, ...]]:
        """Return what is kept of a plan: finished cells, and rankings."""
        results: list[CellResult] = []
        rankings = []
        with self._lock:
            for group in plan.groups():
                key = _key(content, plan, group)
                kept = self._groups.get(key)
                if kept is not None:
                    self._groups.move_to_end(key)
                    results += [kept[cell] for cell in group.cells if cell in kept]
        for method in plan.methods:
            for parameters in method.grid:
                found = self._rankings.get((content, method.method, parameters, plan.n_clusters))
                if found is not None:
                    rankings.append(found)
        return tuple(results), tuple(rankings)

    def put(self, content: str, plan: Plan, group: GroupResult) -> None:
        """Keep what a group brought; what failed is tried again next time."""
        if group.ranking is not None:
            of = group.group
            self._rankings.put((content, of.method, of.parameters, plan.n_clusters), group.ranking)
        with self._lock:
            key = _key(content, plan, group.group)
            kept = self._groups.setdefault(key, {})
            before = len(kept)
            kept.update((result.cell, result) for result in group.results)
            self._n_cells += len(kept) - before
            self._groups.move_to_end(key)
            while self._n_cells > self._max_cells and len(self._groups) > 1:
                self._n_cells -= len(self._groups.popitem(last=False)[1])


def _key(content: str, plan: Plan, group: Group) -> tuple[object, ...]:
    shared = (group.method, group.parameters, group.n_features)
    return content, *shared, plan.n_clusters, plan.init


class ComparisonService:
    """Runs comparisons in the background and remembers their cells.

    Parameters
    ----------
    library : DatasetLibrary
    registry : JobRegistry
        Its own, please: a comparison may take an hour and must not keep fits waiting.
    store : CellStore, optional
        Memory by default.
    """

    def __init__(
        self, library: DatasetLibrary, registry: JobRegistry, store: CellStore | None = None
    ) -> None:
        self._library = library
        self._registry = registry
        self._store: CellStore = CellMemory() if store is None else store

    def start(self, data: str, request: ComparisonRequest, *, owner: str = "") -> str:
        """Start a comparison and return the id of its job.

        Parameters
        ----------
        data : str
            Name or id of the data set in the library.
        request : ComparisonRequest
            Cells that an earlier comparison of the same content left are not computed again.
        owner : str, default=""
            The visitor: a new comparison replaces the unfinished one of the same visitor.

        Returns
        -------
        str
        """
        return self._submit(ComparisonSnapshot(request, data, n_cells=request.n_cells), owner)

    def resume(self, job_id: str, *, owner: str = "") -> str | None:
        """Go on with a comparison that was stopped.

        Parameters
        ----------
        job_id : str
            The job to go on with.
        owner : str, default=""
            As for :meth:`start`.

        Returns
        -------
        str or None
            Id of the new job; None when there is nothing to go on with.
        """
        progress = self.progress(job_id)
        if progress is None or not progress.can_resume:
            return None
        return self._submit(progress.snapshot, owner)

    def progress(self, job_id: str | None) -> ComparisonProgress | None:
        """Look at a comparison; None when there is no such job (any more)."""
        view = self._registry.view(job_id)
        if view is None or not isinstance(view.snapshot, ComparisonSnapshot):
            return None
        return ComparisonProgress(view, view.snapshot)

    def stop(self, job_id: str) -> bool:
        """Ask a comparison to stop and keep what is done."""
        return self._registry.cancel(job_id)

    def join(self, job_id: str, timeout: float | None = None) -> bool:
        """Wait for a comparison to end; True when it has."""
        return self._registry.join(job_id, timeout)

    def close(self) -> None:
        """Stop every comparison; none can be started afterwards."""
        self._registry.close()

    def _submit(self, snapshot: ComparisonSnapshot, owner: str) -> str:
        def work(control: Control) -> None:
            # Held for the whole run: what runs inside then never meets another number of threads.
            with self._library.hold(snapshot.data) as dataset, blas_threads():
                for published in self._run(control, snapshot, dataset):
                    control.publish(published)

        return self._registry.submit(work, owner=owner, snapshot=snapshot)

    def _run(
        self, control: Control, before: ComparisonSnapshot, dataset: Dataset
    ) -> Iterator[ComparisonSnapshot]:
        from cspca.evaluation import run

        request = before.request
        comparison = self._at_hand(before, dataset)
        course = _Course(comparison)
        yield course.snapshot(before)
        groups = run(
            comparison.plan,
            dataset.data,
            dataset.target if request.labelled else None,
            done=comparison.done,
            rankings=comparison.rankings,
            should_stop=lambda: control.stop_requested,
        )
        for group in groups:
            self._store.put(request.content, comparison.plan, group)
            course.add(group)
            yield course.snapshot(before)
        yield course.snapshot(before, last=True)

    def _at_hand(self, before: ComparisonSnapshot, dataset: Dataset) -> Comparison:
        """Make the plan, with all of it that is known already."""
        from cspca.evaluation import Comparison

        plan = before.request.plan(dataset)
        results, rankings = self._store.get(before.request.content, plan)
        earlier = before.comparison
        if earlier is not None:  # what is on screen stays, whatever the store has forgotten
            results = tuple({r.cell: r for r in (*earlier.results, *results)}.values())
            at_hand = {(r.method, r.parameters): r for r in (*earlier.rankings, *rankings)}
            rankings = tuple(at_hand.values())
        return Comparison(plan, results, rankings)


class _Course:
    """How far a run is: what has come, what is still to come, and how fast."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._plan = comparison.plan
        self._coming: list[GroupResult] = []
        self._gathered = time.perf_counter()
        self._n_done, self._n_finished = len(comparison.done), 0
        self._ranked = {(r.method, r.parameters) for r in comparison.rankings}
        done = comparison.done
        # In the order of the run, which hands over each of them once.
        self._todo = deque(
            (group, left)
            for group in self._plan.groups()
            if (left := sum(cell not in done for cell in group.cells))
        )
        self._pace = Pace({})
        self._before = time.perf_counter()

    def add(self, group: GroupResult) -> None:
        """Take in a finished group."""
        now = time.perf_counter()
        self._todo.popleft()
        self._n_done = group.n_done
        self._coming.append(group)
        ranking = group.ranking
        key = (group.group.method, group.group.parameters)
        if ranking is not None:
            spent = None if key in self._ranked else ranking.seconds
            self._pace = self._pace.with_group(
                key[0], spent, len(group.results), now - self._before
            )
        self._ranked.add(key)  # a fit that failed is not made again either
        self._before = now

    def snapshot(self, before: ComparisonSnapshot, *, last: bool = False) -> ComparisonSnapshot:
        """What is to be seen now."""
        following = self._todo[0][0] if self._todo else None
        fits: Counter[str] = Counter(
            method
            for method, parameters in {(g.method, g.parameters) for g, _ in self._todo}
            if (method, parameters) not in self._ranked
        )
        n_finished = len(self._plan.methods) - len({group.method for group, _ in self._todo})
        self._gather(last or n_finished > self._n_finished)
        self._n_finished = n_finished
        of = None if following is None else (following.method, following.parameters)
        return replace(
            before,
            comparison=self._comparison,
            n_done=self._n_done,
            n_cells=self._plan.n_cells,
            n_finished=n_finished,
            doing="" if following is None else self._plan.method(following.method).title,
            ranking=of is not None and of not in self._ranked,
            remaining=self._pace.remaining(fits, sum(left for _, left in self._todo)),
            unmeasured=not fits.keys() <= self._pace.ranking.keys(),
            at=time.monotonic(),
        )

    def _gather(self, now: bool) -> None:
        """Add what has come to the comparison, not too often: each time all of it is copied."""
        began = time.perf_counter()
        if self._coming and (now or began - self._gathered > _GATHER):
            self._comparison = self._comparison.with_groups(self._coming)
            self._coming = []
            self._gathered = began
