"""State and control of a server for its operator, who sees visitors by the hash of their secret."""

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
    """Return the faults of the server, a sentence each, without data of visitors."""
    sentences = []
    try:
        store = runs().store
        writable = store.go_back() and store.writable()
    except StoreError:
        writable = False
    if not writable:
        sentences.append("The store cannot be written: what is found now is not kept.")
    free_mb = shutil.disk_usage(store_home()).free >> 20
    if free_mb < limits().upload:
        sentences.append(f"The disk has {free_mb} MB left, less than one upload may take.")
    stuck = sum(registry.stuck for registry in _registries())
    if stuck:
        sentences.append(f"Workers are stuck, {stuck} in number: their jobs do not stop.")
    return sentences


def everybody() -> dict[str, object]:
    """Return the active jobs, and the memory and the unread uploads of each visitor."""
    jobs = [job.told for registry in _registries() for job in registry.all() if job.active]
    memory = {owner[:8]: size for owner, size in LEDGER.owners().items()}
    uploads = {visitor[:8]: size for visitor, size in UPLOADS.by_visitor().items()}
    return {"jobs": jobs, "memory": memory, "uploads": uploads}


def act(query: dict[str, str]) -> dict[str, object]:
    """Stop a job or all jobs of a visitor, or `evict` a visitor: this frees their memory too."""
    named = {name: start for name, start in query.items() if len(start) == 8}
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
    freed = {"freed": size} if "evict" in query else {}
    logger.info("The operator stops.", extra={"state": f"{len(stopped)} jobs"})
    return {"stopped": stopped, **freed}


def _registries() -> tuple[JobRegistry, ...]:
    return services().jobs, services().loading.jobs
