"""What the operator of a server is told of it and may do; visitors are known by a hash."""

from __future__ import annotations

import logging
import shutil

from cspca.experiments.database import StoreError, store_home
from cspca.experiments.jobs import JobRegistry
from cspca.experiments.ledger import LEDGER, PUBLIC
from cspca.experiments.limits import limits
from cspca.ui.services import runs, services
from cspca.ui.uploads import UPLOADS

logger = logging.getLogger(__name__)


def faults() -> list[str]:
    """Why the server cannot do its work, a sentence each; nothing of anybody's."""
    found = []
    try:
        store = runs().store
        writable = store.go_back() and store.writable()
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
    memory = {owner[:8]: size for owner, size in LEDGER.owners().items()}
    uploads = {visitor[:8]: size for visitor, size in UPLOADS.by_visitor().items()}
    return {"jobs": jobs, "memory": memory, "uploads": uploads}


def act(asked: dict[str, str]) -> dict[str, object]:
    """Stop a job, all of a visitor, or `evict` one: what the memory has of them goes too."""
    named = {name: start for name, start in asked.items() if len(start) == 8}
    stopped = [
        job.told["job"]
        for registry in _registries()
        for job in registry.all()
        if any(job.told.get(name) == start for name, start in named.items())
        and registry.cancel(job.id)
    ]
    owners = {*LEDGER.owners(), *UPLOADS.by_visitor()} - {PUBLIC}
    evicted = [owner for owner in owners if owner[:8] == named.get("evict")]
    size = sum(LEDGER.erase(owner) + UPLOADS.release_of(owner) for owner in evicted)
    freed = {"freed": size} if "evict" in asked else {}
    logger.info("The operator stops.", extra={"state": f"{len(stopped)} jobs"})
    return {"stopped": stopped, **freed}


def _registries() -> tuple[JobRegistry, ...]:
    return services().jobs, services().loading.jobs
