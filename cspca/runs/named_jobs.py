"""Jobs by the name of what they work on, which outlives them: a run is left and gone on with."""

from __future__ import annotations

from cspca.experiments.jobs import JobRegistry, Work


class NamedJobs:
    """The last job of every name, one at work at a time."""

    def __init__(self, registry: JobRegistry) -> None:
        self._registry = registry
        self.view, self.stop, self.join = registry.view, registry.cancel, registry.join
        self.close = registry.close

    def begin(
        self,
        name: str,
        work: Work,
        *,
        owner: str = "",
        pinned: bool = False,
        snapshot: object | None = None,
    ) -> str:
        """Begin to work on something, unless a job does already; return the id of the job."""
        return self._registry.submit(work, name=name, owner=owner, pinned=pinned, snapshot=snapshot)
