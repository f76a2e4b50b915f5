"""Runs in the background of a server: a click starts one, and it goes on with nobody looking."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cspca.experiments.experiment import Experiment, Outcome
from cspca.experiments.jobs import Job, JobRegistry
from cspca.experiments.runner import Progress, experiment_of, outcome, resume

if TYPE_CHECKING:
    from cspca.datasets import Dataset
    from cspca.experiments.library import DatasetLibrary
    from cspca.experiments.store import RunRecord, Store


@dataclass(frozen=True)
class RunView:
    """A run as a page sees it; `job` and `progress` where this server has worked on it."""

    run: RunRecord
    job: Job | None
    progress: Progress | None

    @property
    def here(self) -> bool:
        """Whether this server works on it, or is about to: then it can be stopped here."""
        return self.job is not None and self.job.state.active

    @property
    def active(self) -> bool:
        """Whether somebody works on it, or is about to: this server or another process."""
        return self.here or self.run.state == "running"

    @property
    def stopping(self) -> bool:
        """Whether it ends after the cell at work."""
        return self.job is not None and self.job.stopping

    @property
    def can_resume(self) -> bool:
        """Whether something is left to do, and nobody does it."""
        return not (self.active or self.run.complete or self.run.trashed or self.run.imported)

    @property
    def remaining(self) -> float | None:
        """Seconds left, about, where it is known."""
        return self.progress.remaining if self.here and self.progress is not None else None

    @property
    def refusal(self) -> str | None:
        """The one sentence that says why it does not go on."""
        return self.job.error if self.job is not None else None


class RunService:
    """Starts, stops and resumes runs in the background of a server.

    A run goes on when its page is closed, and is resumed from the store after a restart: its id,
    not that of a job, is what a page remembers. Threads of `registry` do the work, unless `options`
    of :func:`cspca.experiments.runner.resume` name a backend: processes of a server would run its
    pages again.
    """

    def __init__(
        self, store: Store, library: DatasetLibrary, registry: JobRegistry, **options: Any
    ) -> None:
        self.store, self._library, self._jobs = store, library, registry
        self._options = {"backend": "threading", **options}

    def start(
        self,
        experiment: Experiment,
        data: str,
        *,
        owner: str,
        name: str | None = None,
        keep_data: bool = False,
    ) -> str:
        """Begin a run on the data of the library's key `data`, or go on with the same one."""
        dataset = self._library.get(data)
        run_id = self.store.find(experiment, dataset, owner) or self.store.create(
            experiment,
            dataset,
            owner=owner,
            name=name or experiment.name(dataset),
            keep_data=keep_data,
        )
        self.resume(run_id, data)
        return run_id

    def resume(self, run_id: str, data: str | None = None) -> None:
        """Go on with a run, unless this server does already; without `data`, on what is kept."""
        run = self.store.get(run_id)
        experiment = experiment_of(run)
        kept = self.store.data(run_id) if data is None else None

        def work(control: Job) -> None:
            held = self._library.hold(data) if data is not None else nullcontext(kept)
            with held as dataset:
                assert dataset is not None
                resume(
                    self.store,
                    run_id,
                    experiment,
                    dataset,
                    should_stop=lambda: control.stop_requested,
                    on_progress=control.publish,
                    **self._options,
                )

        self._jobs.submit(work, name=run_id, pinned=True)

    def stop(self, run_id: str) -> bool:
        """Ask a run to end and keep what is done; False when this server does not work on it."""
        return self._jobs.cancel(run_id)

    def join(self, run_id: str, timeout: float | None = None) -> bool:
        """Wait until this server has ended its work on a run; True when it has."""
        return self._jobs.join(run_id, timeout)

    def view(self, run_id: str) -> RunView:
        """Look at a run; a StoreError says that there is none of that id."""
        # The job first: what it did last is in the store when it has ended.
        job = self._jobs.view(run_id)
        shown = job.snapshot if job is not None else None
        progress = shown if isinstance(shown, Progress) else None
        return RunView(self.store.get(run_id), job, progress)

    def outcome(self, run_id: str, data: Dataset) -> Outcome:
        """What is finished of a run."""
        return outcome(self.store, run_id, experiment_of(self.store.get(run_id)), data)

    def close(self) -> None:
        """Stop every run, each after the cell it is at; what is done is kept."""
        self._jobs.close()
