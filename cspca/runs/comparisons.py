"""The comparison service: a request in, an id out; results as they finish, Stop and Go on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from cspca.experiments.jobs import Control, JobRegistry
from cspca.experiments.library import DatasetLibrary
from cspca.runs.comparison_cells import CellMemory, CellStore
from cspca.runs.comparison_course import Course
from cspca.runs.comparison_records import (
    ComparisonProgress,
    ComparisonRequest,
    ComparisonSnapshot,
)
from cspca.runs.named_jobs import NamedJobs
from cspca.threads import blas_threads

if TYPE_CHECKING:
    from cspca.datasets import Dataset
    from cspca.evaluation.former import Comparison
    from cspca.runs.kept_comparisons import KeptComparisons

__all__ = ["CellMemory", "CellStore", "ComparisonService"]

_MEMORY_ONLY = "This comparison is only in this server’s memory. {}"
_MEMORY_FROM_HERE = "From here on this comparison is only in this server’s memory. {}"


class ComparisonService:
    """Runs comparisons in the background; keeps them in a store, else remembers their cells.

    Parameters
    ----------
    library : DatasetLibrary
    registry : JobRegistry
        Its own, please: a comparison may take an hour and must not keep fits waiting.
    cells : CellStore, optional
        What is computed without a store, or when that cannot be written; memory by default.
    kept : callable or None, default=None
        Opens the comparisons of a store; a ValueError of it, in one sentence, is told to whoever
        looks. None keeps nothing on disk.
    """

    def __init__(
        self,
        library: DatasetLibrary,
        registry: JobRegistry,
        cells: CellStore | None = None,
        kept: Callable[[], KeptComparisons] | None = None,
    ) -> None:
        self._library = library
        self._jobs = NamedJobs(registry)
        self._registry = registry
        self._cells: CellStore = CellMemory() if cells is None else cells
        self._kept = kept

    def start(
        self,
        data: str,
        request: ComparisonRequest,
        *,
        owner: str = "",
        known_ids: Collection[str] | None = None,
    ) -> str:
        """Start a comparison and return its id: of the run, or of a job where none is kept.

        Parameters
        ----------
        data : str
            Name or id of the data set in the library.
        request : ComparisonRequest
            Cells that an earlier comparison of the same content left are not computed again.
        owner : str, default=""
            The visitor: a new comparison replaces the unfinished one of the same visitor.
        known_ids : collection of str or None, default=None
            Runs that the visitor knows: one of them that was asked for the same is gone on with.
            None is all.

        Returns
        -------
        str
        """
        asked = ComparisonSnapshot(request, data, n_cells=request.n_cells)
        if self._kept is not None:
            try:
                kept = self._kept()
                run_id = kept.note(request, self._library.get(data), known_ids)
                self._go_on(kept, run_id, asked, owner)
                return run_id
            except ValueError as problem:
                # One that makes no sense ends with its own sentence, and needs no second one.
                asked = replace(asked, note=_MEMORY_ONLY.format(problem))
        return self._submit(asked, owner)

    def resume(self, name: str, data: str = "", *, owner: str = "") -> str | None:
        """Go on with a comparison that was stopped.

        Parameters
        ----------
        name : str
            As :meth:`start` returned it.
        data : str, default=""
            Name or id of its data in the library, for one that this server has not begun.
        owner : str, default=""
            As for :meth:`start`.

        Returns
        -------
        str or None
            Its id from now on, another one only when it is not kept; None when there is nothing
            to go on with.

        Raises
        ------
        ValueError
            One sentence, when the store cannot be used.
        """
        progress = self.progress(name, data)
        if progress is None or not progress.can_resume:
            return None
        if self._kept is not None:
            kept = self._kept()
            if name in kept.store:
                self._go_on(kept, name, replace(progress.snapshot, note=""), owner)
                return name
        return self._submit(progress.snapshot, owner)

    def progress(self, name: str | None, data: str = "") -> ComparisonProgress | None:
        """Look at a comparison; None when there is none of that id (any more).

        Parameters
        ----------
        name : str or None
        data : str, default=""
            Name or id of the data on the page, to which one that is read back belongs.

        Raises
        ------
        ValueError
            One sentence, when the store cannot be read.
        """
        ours = self._ours(name)
        if name is None or self._kept is None or (ours is not None and not self._from_store(ours)):
            return ours
        kept = self._kept().look(name, self._planner(data), data)
        if kept is None or ours is None:
            return kept
        # What this server did last, unless another program has gone on with it since.
        newer = kept.active or kept.snapshot.n_done > ours.snapshot.n_done
        return kept if newer else ours

    def here(self, name: str) -> ComparisonProgress | None:
        """Look at a comparison that this server works on, or is about to; None for any other."""
        ours = self._ours(name)
        return ours if ours is not None and ours.active else None

    def _ours(self, name: str | None) -> ComparisonProgress | None:
        view = self._jobs.view(name)
        if name is None or view is None or not isinstance(view.snapshot, ComparisonSnapshot):
            return None
        return ComparisonProgress(view, view.snapshot, name)

    def _from_store(self, ours: ComparisonProgress) -> bool:
        """Whether the store may know more: what is only in memory, or at work here, it does not."""
        return ours.id != ours.job.id and not ours.active and not ours.snapshot.note

    def _planner(self, data: str) -> Callable[[ComparisonRequest], object]:
        return lambda request: request.plan(self._library.get(data)) if data else None

    def stop(self, name: str) -> bool:
        """Ask a comparison to stop and keep what is done; False when it is not at work here."""
        return self._jobs.stop(name)

    def join(self, name: str, timeout: float | None = None) -> bool:
        """Wait until this server has ended its work on a comparison; True when it has."""
        return self._jobs.join(name, timeout)

    def close(self) -> None:
        """Stop every comparison; none can be started afterwards."""
        self._jobs.close()

    def _go_on(
        self, kept: KeptComparisons, run_id: str, asked: ComparisonSnapshot, owner: str
    ) -> None:
        """Work on a run, unless some program does."""

        def work(control: Control) -> None:
            with self._library.hold(asked.data) as dataset, blas_threads():
                last = [asked]

                def publish(snapshot: ComparisonSnapshot) -> None:
                    last[0] = snapshot
                    control.publish(snapshot)

                problem = kept.run(run_id, dataset, publish, lambda: control.stop_requested, asked)
                if problem is not None:
                    rest = replace(last[0], note=_MEMORY_FROM_HERE.format(problem))
                    for published in self._run(control, rest, dataset):
                        control.publish(published)

        if not kept.at_work(run_id):
            # Kept, it goes on with nobody looking.
            self._jobs.begin(run_id, work, owner=owner, pinned=True, snapshot=asked)

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
        """Compute in memory."""
        from cspca.evaluation.former import run

        request = before.request
        comparison = self._at_hand(before, dataset)
        course = Course(comparison)
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
            self._cells.put(request.content, comparison.plan, group)
            course.add(group)
            yield course.snapshot(before)
        yield course.snapshot(before, last=True)

    def _at_hand(self, before: ComparisonSnapshot, dataset: Dataset) -> Comparison:
        """Make the plan, with all of it that is known already."""
        from cspca.evaluation.former import Comparison

        earlier = before.comparison
        plan = before.request.plan(dataset) if earlier is None else earlier.plan
        results, rankings = self._cells.get(before.request.content, plan)
        if earlier is not None:  # what is on screen stays, whatever the store has forgotten
            results = tuple({r.cell: r for r in (*earlier.results, *results)}.values())
            at_hand = {(r.method, r.parameters): r for r in (*earlier.rankings, *rankings)}
            rankings = tuple(at_hand.values())
        return Comparison(plan, results, rankings)
