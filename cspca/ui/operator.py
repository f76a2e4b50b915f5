"""What the operator of a server is told of it and may do; visitors are known by a hash."""

from __future__ import annotations

import shutil

from cspca.experiments.database import StoreError, store_home
from cspca.experiments.jobs import JobRegistry
from cspca.experiments.limits import limits
from cspca.ui.services import runs, services


def faults() -> list[str]:
    """Why the server cannot do its work, a sentence each; nothing of anybody's."""
    found = []
    try:
        writable = runs().store.writable()
    except StoreError:
        writable = False
    if not writable:
        found.append("The store cannot be written: what is found now is not kept.")
    with_room = shutil.disk_usage(store_home()).free >> 20
    if with_room < limits().upload:
        found.append(f"The disk has {with_room} MB left, less than one upload may take.")
    stuck = sum(registry.stuck for registry in _registries())
    if stuck:
        found.append(f"Workers are stuck, {stuck} in number: their jobs do not stop.")
    return found


def everybody() -> dict[str, object]:
    """Who uses what, and what is computed now."""
    jobs = [job.told for registry in _registries() for job in registry.all() if job.active]
    return {"jobs": jobs}


def act(asked: dict[str, str]) -> dict[str, object]:
    """Stop the jobs whose ids, or whose visitors, begin so."""
    stopped = [
        job.told["job"]
        for registry in _registries()
        for job in registry.all()
        for name, start in asked.items()
        if len(start) == 8 and job.told.get(name) == start and registry.cancel(job.id)
    ]
    return {"stopped": stopped}


def _registries() -> tuple[JobRegistry, ...]:
    found = services()
    return tuple({found.jobs, found.films.jobs, found.loading.jobs})
