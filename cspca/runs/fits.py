"""The fitting service: parameters in, a job id out; warm starts, Stop, Continue and memory."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cspca.experiments.jobs import Control, JobRegistry, JobState, JobView
from cspca.runs.caches import FitMemory, Memory
from cspca.runs.fitting import finished, prepare, run_fit
from cspca.runs.library import DatasetLibrary
from cspca.runs.records import FitResult, FitSnapshot, FitSpec, FloatArray

if TYPE_CHECKING:
    from cspca.problem import ReducedData

TIGHTER = 10.0
"""Continuing a fit that has reached its tolerance asks for one this many times smaller."""

SMALLEST_TOL = 1e-7
"""Round-off keeps the certificate from proving much less than this."""


@dataclass(frozen=True)
class FitProgress:
    """A fit job as a page sees it: where the job stands and what there is to draw."""

    job: JobView
    snapshot: FitSnapshot

    @property
    def active(self) -> bool:
        """Whether the job waits or runs."""
        return self.job.state.active

    @property
    def failed(self) -> bool:
        """Whether the job ended with an error, which ``job.error`` says in one sentence."""
        return self.job.state is JobState.FAILED

    @property
    def can_continue(self) -> bool:
        """Whether :meth:`FitService.resume` has something to go on with."""
        result = self.snapshot.result
        if self.active or result is None:
            return False
        return not result.certified or result.spec.tol > SMALLEST_TOL


class FitService:
    """Runs fits in the background and remembers them.

    Parameters
    ----------
    library : DatasetLibrary
    registry : JobRegistry
    memory : FitMemory, optional
    """

    def __init__(
        self, library: DatasetLibrary, registry: JobRegistry, memory: FitMemory | None = None
    ) -> None:
        self._library = library
        self._registry = registry
        self._fits = memory or FitMemory()
        self._reduced: Memory[tuple[str, bool, bool], ReducedData] = Memory(8, 512 << 20)
        self._preparing = threading.Lock()
        self._prepared = False

    def start(self, data: str, spec: FitSpec, *, owner: str = "", after: str | None = None) -> str:
        """Start a fit and return the id of its job.

        Parameters
        ----------
        data : str
            Name or id of the data set in the library.
        spec : FitSpec
        owner : str, default=""
            The view it is for: a new fit replaces the unfinished one of the same view.
        after : str, optional
            The job it replaces: its last state is where the new one starts from.

        Returns
        -------
        str
        """
        known = self._fits.complete(spec)
        if known is not None:
            return self._registry.record(finished(FitSnapshot(spec), known), owner=owner)

        def work(control: Control) -> None:
            if after is not None:
                # Being replaced, it is about to stop; what it reached is the best warm start.
                self._registry.join(after, timeout=1.0)
            self._work(control, data, spec, self._fits.nearest(spec))

        return self._registry.submit(work, owner=owner, snapshot=FitSnapshot(spec))

    def resume(self, data: str, job_id: str, *, owner: str = "") -> str | None:
        """Go on with a fit that was stopped, ran out of iterations, or should be more accurate.

        Parameters
        ----------
        data : str
            Name or id of the data set in the library.
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
        if progress is None or not progress.can_continue:
            return None
        result = progress.snapshot.result
        assert result is not None
        spec = result.spec
        if result.certified:
            spec = replace(spec, tol=max(spec.tol / TIGHTER, SMALLEST_TOL))
        before = replace(progress.snapshot, spec=spec, phase="waiting", result=None)

        def work(control: Control) -> None:
            self._work(control, data, spec, result, before)

        return self._registry.submit(work, owner=owner, snapshot=before)

    def progress(self, job_id: str | None) -> FitProgress | None:
        """Look at a fit; None when there is no such job (any more)."""
        view = self._registry.view(job_id)
        if view is None or not isinstance(view.snapshot, FitSnapshot):
            return None
        return FitProgress(view, view.snapshot)

    def stop(self, job_id: str) -> bool:
        """Ask a fit to stop and keep what it reached."""
        return self._registry.cancel(job_id)

    def join(self, job_id: str, timeout: float | None = None) -> bool:
        """Wait for a fit to end; True when it has."""
        return self._registry.join(job_id, timeout)

    def prepare(self) -> None:
        """Load what fits need, once; a server does it while its first page is being drawn."""
        with self._preparing:
            if not self._prepared:
                prepare()
                self._prepared = True

    def _work(
        self,
        control: Control,
        data: str,
        spec: FitSpec,
        start: FitResult | None,
        snapshot: FitSnapshot | None = None,
    ) -> None:
        self.prepare()
        snapshot = snapshot or FitSnapshot(spec)
        with self._library.hold(data) as dataset:

            def reduce() -> ReducedData:
                control.publish(replace(snapshot, phase="reducing"))
                return _reduce(dataset.data, spec)

            key = (spec.sha256, spec.center, spec.normalize)
            reduced = self._reduced.get_or_make(key, reduce)
            if control.stop_requested:
                return
            result = run_fit(control, snapshot, dataset.data, reduced, start)
        self._fits.put(result)
        control.publish(finished(snapshot, result))


def _reduce(data: FloatArray, spec: FitSpec) -> ReducedData:
    from cspca.estimator import reduce_data

    return reduce_data(data, center=spec.center, normalize=spec.normalize)
