"""Runs in the background of a server: a click starts one, and it goes on with nobody looking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cspca.experiments.experiment import Experiment
from cspca.experiments.jobs import Job, JobRegistry
from cspca.experiments.runner import Progress, experiment_of, resume

if TYPE_CHECKING:
    from cspca.experiments.library import DatasetLibrary
    from cspca.experiments.store import RunRecord, Store


@dataclass(frozen=True)
class RunView:
    """A run as a page sees it; `job` where this server has worked on it."""

    run: RunRecord
    job: Job | None

    @property
    def progress(self) -> Progress | None:
        """How far this server has got with it."""
        shown = None if self.job is None else self.job.snapshot
        return shown if isinstance(shown, Progress) else None

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
    def refusal(self) -> str | None:
        """The one sentence that says why it does not go on."""
        return self.job.error if self.job is not None else None


class RunService:
    """Starts, stops and resumes runs in the background of a server, in threads of `registry`.

    A run goes on when its page is closed, and is resumed from the store after a restart: its id,
    not that of a job, is what a page remembers.
    """

    def __init__(self, store: Store, library: DatasetLibrary, registry: JobRegistry) -> None:
        self.store, self._library, self._jobs = store, library, registry
        self.stop, self.join, self.close = registry.cancel, registry.join, registry.close

    def start(self, experiment: Experiment, data: str, *, owner: str) -> str:
        """Begin a run on the data of the library's key `data`, or go on with the same one."""
        dataset = self._library.get(data)
        run_id = self.store.find(experiment, dataset, owner) or self.store.create(
            experiment, dataset, owner=owner
        )
        self.resume(run_id, data)
        return run_id

    def resume(self, run_id: str, data: str) -> None:
        """Go on with a run on the data of this key, unless this server does already."""
        experiment = experiment_of(self.store.get(run_id))

        def work(job: Job) -> None:
            with self._library.hold(data) as dataset:
                resume(
                    self.store,
                    run_id,
                    experiment,
                    dataset,
                    should_stop=lambda: job.stop_requested,
                    on_progress=job.publish,
                    # Processes of a server would run its pages again.
                    backend="threading",
                )

        self._jobs.submit(work, name=run_id, pinned=True)

    def view(self, run_id: str) -> RunView:
        """Look at a run; a StoreError says that there is none of that id."""
        # The job first: what it did last is in the store when it has ended.
        job = self._jobs.view(run_id)
        return RunView(self.store.get(run_id), job)
