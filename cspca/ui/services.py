"""The library of data sets and the services that all visitors of a server share."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

import streamlit as st

from cspca.experiments import log
from cspca.experiments.classes import Classes
from cspca.experiments.database import note_address, owner_link
from cspca.experiments.film import FilmService
from cspca.experiments.jobs import JobRegistry
from cspca.experiments.ledger import LEDGER, UNOWNED
from cspca.experiments.limits import limits
from cspca.experiments.live import FitService, prepare
from cspca.experiments.loading import LoadingService
from cspca.experiments.log import hashed
from cspca.experiments.memory import DatasetLibrary
from cspca.figures.words import megabytes
from cspca.threads import release_memory
from cspca.ui.uploads import UPLOADS

if TYPE_CHECKING:
    from cspca.experiments.runner import RunService

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Services:
    """Objects that live as long as the server."""

    library: DatasetLibrary
    jobs: JobRegistry
    fits: FitService
    films: FilmService
    loading: LoadingService
    classes: Classes
    # How often a visitor has removed their data, by which their other windows notice it.
    removals: Counter[str] = field(default_factory=Counter)
    # Visitors who have taken or dismissed the tour.
    toured: set[str] = field(default_factory=set)


@st.cache_resource(show_spinner=False, max_entries=1)
def services() -> Services:
    """Return the services, which are created once; the owner's link is printed then."""
    host = st.get_option("server.address") or "localhost"
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    address = f"http://{host}:{st.get_option('server.port')}" + (f"/{path}" if path else "")
    note_address(address)
    link = owner_link(address)
    if limits().log:
        # The link is not printed, because others may read the log and would have full access.
        log.begin()
    else:
        print(f"Your own link, with every run of this machine: {link}", flush=True)  # noqa: T201
    allowed = limits()
    each = max(4, allowed.queue // 8)
    # Fits, films and runs share the same workers.
    # A computing thread keeps the others, such as pages and connections, waiting for this long at a
    # time: a fifth of Python's default.
    sys.setswitchinterval(0.001)
    jobs = JobRegistry(allowed.workers, queue=allowed.queue, each=each, release=release_memory)
    library = DatasetLibrary()
    fits = FitService(library, jobs)
    films = FilmService(fits, jobs)
    _begin_to_tidy()
    # SciPy and scikit-learn take a second to load: start before the data are there.
    threading.Thread(target=prepare, name="cspca-prepare", daemon=True).start()
    # Loading has its own workers, so that a download delays no fit and no upload. Waiting jobs hold
    # their bytes in memory.
    loading = LoadingService(JobRegistry(3, queue=8, each=1, at_once=1))
    return Services(library, jobs, fits, films, loading, Classes())


def tidy_hourly(wait: Callable[[float], object] = time.sleep) -> None:
    """Remove expired data every hour, until `wait` returns a true value."""
    from cspca.experiments.store import Store, StoreError

    while not wait(3600.0):
        LEDGER.lapse()
        try:
            runs().store.go_back()
            with Store() as store:
                store.purge()
        except StoreError:
            logger.warning("The trash could not be emptied of old runs.", exc_info=True)


@cache
def _begin_to_tidy() -> None:
    threading.Thread(target=tidy_hourly, name="cspca-tidy", daemon=True).start()


def erase(secret: str) -> str:
    """Remove all data of a visitor permanently; return a summary."""
    server, owner = services(), hashed(secret)
    size = LEDGER.held(owner)
    # This comes first, so that no window of theirs starts work on data that it still holds.
    server.removals[owner] += 1
    server.toured.discard(owner)
    for registry in (server.jobs, server.loading.jobs):
        registry.forget(secret)
    for holder in (owner, UNOWNED):
        LEDGER.erase(holder)
    UPLOADS.release_of(owner)
    server.classes.forget(secret)
    count = runs().store.erase(secret or None)
    many = "1 run" if count == 1 else f"{count:,} runs"
    return f"Removed: {many}, and {megabytes(size)} of data, fits and films."


def _put_away(service: RunService) -> None:
    service.close()
    service.store.close()


@st.cache_resource(show_spinner=False, max_entries=1, on_release=_put_away)
def runs() -> RunService:
    """Return the service that computes experiments and saves them, created on its first use.

    It raises a StoreError if the store cannot be opened; the next call tries it again.
    """
    # Imported here, so that pages without experiments do not wait for these.
    from cspca.experiments.runner import RunService
    from cspca.experiments.store import Store, StoreError

    store = Store()
    try:
        store.purge()
    except StoreError:
        logger.warning("The trash could not be emptied of old runs.", exc_info=True)
    return RunService(store, services().library, services().jobs)
