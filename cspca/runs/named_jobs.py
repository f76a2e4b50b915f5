"""Jobs by the name of what they work on, which outlives them: a run is left and gone on with."""

from __future__ import annotations

import threading

from cspca.runs.jobs import JobRegistry, JobView, Work

__all__ = ["NamedJobs"]


class NamedJobs:
    """The last job of every name, one at work at a time.

    A job's own id is a name too, for what has no other.

    Parameters
    ----------
    registry : JobRegistry
    """

    def __init__(self, registry: JobRegistry) -> None:
        self._registry = registry
        self._lock = threading.Lock()
        self._jobs: dict[str, str] = {}

    def begin(
        self,
        name: str,
        work: Work,
        *,
        owner: str = "",
        pinned: bool = False,
        snapshot: object | None = None,
    ) -> str:
        """Begin to work on something, unless a job does already; return the id of the job.

        Parameters
        ----------
        name : str
        work, owner, pinned, snapshot
            As in :meth:`cspca.runs.jobs.JobRegistry.submit`.
        """
        with self._lock:
            view = self.view(name)
            if view is not None and view.state.active:
                return view.id
            job = self._registry.submit(work, owner=owner, pinned=pinned, snapshot=snapshot)
            self._jobs[name] = job
            return job

    def view(self, name: str | None) -> JobView | None:
        """Look at the last job of a name; None when there is none (any more)."""
        return None if name is None else self._registry.view(self._jobs.get(name, name))

    def stop(self, name: str) -> bool:
        """Ask the job of a name to end; False when there is none at work."""
        return self._registry.cancel(self._jobs.get(name, name))

    def join(self, name: str, timeout: float | None = None) -> bool:
        """Wait for the job of a name to end; True when it has, or there is none."""
        return self._registry.join(self._jobs.get(name, name), timeout)

    def close(self) -> None:
        """Stop every job; none can begin afterwards."""
        self._registry.close()
