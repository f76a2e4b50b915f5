"""Sweeps in the background of a server: a click starts one, and it goes on with nobody looking."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cspca.experiments.jobs import Control, JobRegistry, JobView
from cspca.runs.named_jobs import NamedJobs
from cspca.runs.store import RunRecord, RunState, Store, visible
from cspca.runs.sweeps.kinds import Sweep
from cspca.runs.sweeps.progress import SweepProgress
from cspca.runs.sweeps.running import run_sweep, same_or_new

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from cspca.datasets import Dataset
    from cspca.experiments.library import DatasetLibrary

__all__ = ["SweepService", "SweepView", "Workplace"]


@dataclass(frozen=True)
class Workplace:
    """Where a server computes its sweeps.

    Attributes
    ----------
    n_jobs : int
        Workers a sweep; −1 is all.
    backend : {"loky", "threading", "dask"} or None
    scheduler : str or None
        Address of a Dask scheduler.
    """

    n_jobs: int = 1
    backend: str | None = "threading"
    scheduler: str | None = None


@dataclass(frozen=True)
class SweepView:
    """A run as a page sees it.

    Attributes
    ----------
    run : RunRecord
    job : JobView or None
        Of this server, where it has worked on the run.
    progress : SweepProgress or None
        The last one, of this server.
    """

    run: RunRecord
    job: JobView | None
    progress: SweepProgress | None

    @property
    def active(self) -> bool:
        """Whether somebody works on it, or is about to: this server or another process."""
        return self.here or self.run.state is RunState.RUNNING

    @property
    def here(self) -> bool:
        """Whether this server works on it, or is about to: then it can be stopped here."""
        return self.job is not None and self.job.state.active

    @property
    def can_resume(self) -> bool:
        """Whether something is left to do, and nobody does it."""
        return not self.active and not self.run.complete and self.run.deleted is None

    @property
    def remaining(self) -> float | None:
        """Seconds left, about, where it is known."""
        return self.progress.remaining if self.here and self.progress is not None else None

    @property
    def refusal(self) -> str | None:
        """The one sentence that says why it does not go on."""
        if self.job is not None and self.job.error is not None:
            return self.job.error
        return None if self.active else self.run.error


class SweepService:
    """Starts, stops and resumes sweeps in the background.

    A sweep that was started goes on when its page is closed, and after a restart of the server it
    is resumed from the store: the id of a run, not of a job, is what a page remembers.

    Parameters
    ----------
    store : Store
    library : DatasetLibrary
    registry : JobRegistry
        Its own, please: a sweep may take hours and must not keep fits waiting.
    workplace : Workplace, optional
        Threads here by default: processes of a server would run its pages again.
    """

    def __init__(
        self,
        store: Store,
        library: DatasetLibrary,
        registry: JobRegistry,
        workplace: Workplace | None = None,
    ) -> None:
        self._store, self._library = store, library
        self._jobs = NamedJobs(registry)
        self._workplace = workplace or Workplace()

    @property
    def store(self) -> Store:
        """The store it works on."""
        return self._store

    def start(
        self,
        data: str,
        make: Callable[[Dataset], Sweep],
        *,
        name: str | None = None,
        keep_data: bool = False,
        workplace: Workplace | None = None,
        known_ids: Collection[str] | None = (),
    ) -> str:
        """Note a sweep in the store and begin; return the id of the run.

        Parameters
        ----------
        data : str
            Name or id of the data set in the library.
        make : callable
            Makes the sweep, given the data set.
        name : str or None, default=None
        keep_data : bool, default=False
            Keep the data in the store: an upload is forgotten by the library one day.
        workplace : Workplace or None, default=None
            Other than the service's own.
        known_ids : collection of str or None, default=()
            Runs that the visitor knows: one of them that was asked for the same is gone on with
            in place of a new one. None is all.

        Raises
        ------
        ValueError
            One sentence, when data and wishes do not fit together, or the store is not writable.
        """
        dataset = self._library.get(data)
        run_id = same_or_new(
            self._store, make(dataset), dataset, known_ids, name=name, keep_data=keep_data
        )
        self.resume(run_id, data, workplace=workplace)
        return run_id

    def resume(
        self, run_id: str, data: str | None = None, *, workplace: Workplace | None = None
    ) -> None:
        """Go on with a run; nothing happens when this server does already.

        Parameters
        ----------
        run_id : str
        data : str or None, default=None
            Name or id of its data in the library; None takes them from the store.
        workplace : Workplace or None, default=None

        Raises
        ------
        StoreError
            When there is no such run, or its data must be brought again.
        """
        run = self._store.get(run_id)
        place = workplace or self._workplace
        kept = None if data is not None else self._store.dataset(run.data.sha256)

        def work(control: Control) -> None:
            with self._held(data, kept) as dataset:
                run_sweep(
                    self._store,
                    run_id,
                    dataset,
                    n_jobs=place.n_jobs,
                    backend=place.backend if place.scheduler is None else None,
                    scheduler=place.scheduler,
                    should_stop=lambda: control.stop_requested,
                    on_progress=control.publish,
                )

        self._jobs.begin(run_id, work, pinned=True)

    def stop(self, run_id: str) -> bool:
        """Ask a sweep to end and keep what is done; False when this server does not work on it."""
        return self._jobs.stop(run_id)

    def view(self, run_id: str) -> SweepView:
        """Look at a run.

        Raises
        ------
        StoreError
            When there is none of that id.
        """
        return self._view(self._store.get(run_id))

    def listed(
        self,
        search: str = "",
        *,
        remote: bool,
        known_ids: Collection[str] = (),
        deleted: bool = False,
    ) -> tuple[SweepView, ...]:
        """Runs that a visitor may see, the one changed last first; see :func:`visible`."""
        runs = self._store.runs(search, deleted=deleted)
        return tuple(self._view(run) for run in visible(runs, remote=remote, known_ids=known_ids))

    def join(self, run_id: str, timeout: float | None = None) -> bool:
        """Wait until this server has ended its work on a run; True when it has."""
        return self._jobs.join(run_id, timeout)

    def close(self) -> None:
        """Stop every sweep, each after the task it is at; what is done is kept."""
        self._jobs.close()

    def _view(self, run: RunRecord) -> SweepView:
        job = self._jobs.view(run.id)
        begun = run.state in (RunState.READY, RunState.RUNNING)
        if job is not None and not job.state.active and begun:
            # It ended between the two looks: what it did last is not in the first.
            run = self._store.get(run.id)
        shown = job.snapshot if job is not None else None
        return SweepView(run, job, shown if isinstance(shown, SweepProgress) else None)

    def _held(self, data: str | None, kept: Dataset | None) -> AbstractContextManager[Dataset]:
        if data is not None:
            return self._library.hold(data)
        assert kept is not None
        return nullcontext(kept)
