"""The workers behind a client, and the only ways in which a fit waits for them.

Every wait here ends: with an answer, with the news that a worker has left, or with an error that
says what to do. What is sent out is the result of a task, not scattered: Dask makes it again when
the worker that held it dies, whereas ``Client.scatter(broadcast=True)`` waits for ever when a
worker leaves while it is being served (``Scheduler.replicate`` goes on trying the one that left).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from distributed import Client, Future, get_worker, secede
from distributed.client import FutureCancelledError
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from cspca.problem import row_slices
from cspca.solvers.distributed import worker

logger = logging.getLogger(__name__)


class WorkerGoneError(RuntimeError):
    """A worker went away that a task was to run on."""


LOSSES = (WorkerGoneError, FutureCancelledError, KilledWorker, CommClosedError)
"""What asking again may mend: something was on a worker that is gone."""

_LOOK_EVERY = 0.5
"""Seconds between two looks at who is there, while an answer is awaited."""


_NO_WORKER = 120.0
"""Seconds that a cluster may be without a worker that runs."""

_PAUSED = 60.0
"""Seconds that a worker may be paused for want of memory while an answer is awaited."""

COME_BACK = 5.0
"""Seconds in which a worker that was killed is likely to be there again."""

_SCHEDULER = 60.0
"""Seconds that the scheduler may take to say who is there."""


_PIECE = 1 << 23
"""Bytes of an array that are sent at a time: Dask warns of tasks that are larger."""


class Cluster:
    """A client's workers."""

    def __init__(self, client: Client) -> None:
        if client.asynchronous:
            raise RuntimeError(
                "A fit waits for its workers, which an asynchronous Dask client, or code on its "
                "event loop, must not do: fit in a thread, with a plain Client(…)."
            )
        self.client = client
        try:
            get_worker()
        except ValueError:
            # Not inside of a task: the usual case.
            return
        # The tasks of a fit need the thread that the fit's own task would hold.
        secede()

    def present(self) -> dict[str, dict[str, Any]]:
        """Addresses of the workers that are there now, with what the scheduler knows of them."""
        deadline = time.monotonic() + _SCHEDULER
        while self.client.status in ("running", "connecting") and time.monotonic() < deadline:
            try:
                workers: dict[str, dict[str, Any]] = self._scheduler("identity", n_workers=-1)[
                    "workers"
                ]
            except OSError as away:
                # The client is looking for it, and closes when it does not find it in time.
                logger.info("No answer from the Dask scheduler: %s", away)
                time.sleep(_LOOK_EVERY)
            else:
                return workers
        raise RuntimeError(
            "The Dask scheduler is gone: start it again, make a new Client and fit again."
        )

    def _scheduler(self, name: str, **arguments: Any) -> Any:
        """Ask the scheduler, and wait for as long as it may take."""
        call = getattr(self.client.scheduler, name)
        return self.client.sync(call, callback_timeout=_SCHEDULER, **arguments)

    def working(self, count: int = 1) -> dict[str, dict[str, Any]]:
        """:meth:`present`, once some of them take tasks: `count` of them, if those come soon."""
        began = time.monotonic()
        while True:
            there = self.present()
            found, waited = len(threads_of(there)), time.monotonic() - began
            if found >= count or (found and waited >= COME_BACK):
                return there
            if waited >= _NO_WORKER:
                state = "only paused ones, which are short of memory" if there else "none at all"
                raise RuntimeError(
                    f"The Dask cluster has had no worker that takes tasks for {_NO_WORKER:.0f} "
                    f"seconds, {state}: start workers, or give them more memory."
                )
            time.sleep(0.1)

    def give(self, value: Any) -> Any:
        """What tasks are given for an array: a future of it; anything small is itself."""
        # It travels with every task.
        if not isinstance(value, np.ndarray) or value.nbytes <= 1 << 14:
            return value
        length = max(1, _PIECE * len(value) // value.nbytes)
        pieces = [
            self.client.submit(worker.given, value[rows], pure=False)
            for rows in row_slices(len(value), length)
        ]
        if len(pieces) == 1:
            return pieces[0]
        return self.client.submit(worker.stack, *pieces, pure=False)

    def holders(self) -> dict[str, str]:
        """Address of a worker that has it, for every result, as far as the scheduler can say."""
        try:
            has = self._scheduler("has_what")
        except OSError as away:
            # Only a wish: what is not where it is needed is sent there.
            logger.info("No answer from the Dask scheduler: %s", away)
            return {}
        return {str(key): address for address, keys in has.items() for key in keys}

    def result(self, future: Future[Any], present: set[str]) -> Any:
        """Wait for an answer, as long as all the workers stay.

        `present` are the workers that were there before anything of this was sent out: what goes to
        a worker that leaves after that may never be answered.
        """
        paused: dict[str, float] = {}
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        while True:
            if done.wait(_LOOK_EVERY):
                try:
                    return future.result(timeout=60.0)
                except TimeoutError:
                    if future.status == "error":
                        # The task's own, perhaps, and not that of this clock.
                        return future.result()
            workers = self.present()
            gone = present - workers.keys()
            present = present | workers.keys()
            if gone:
                raise WorkerGoneError(f"no answer from {', '.join(sorted(gone))}")
            now = time.monotonic()
            short = [address for address, w in workers.items() if w["status"] == "paused"]
            paused = {address: paused.get(address, now) for address in short}
            if paused and now - min(paused.values()) > _PAUSED:
                raise RuntimeError(
                    f"Dask has paused the worker at {min(paused, key=lambda a: paused[a])} for "
                    f"{_PAUSED:.0f} seconds because its memory is nearly full: give the workers "
                    "more memory, or take more of them, or smaller blocks (X.rechunk)."
                )

    def later(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Have all workers call a function some time; returns at once, and never fails.

        Safe where the garbage collector may call it: on any thread, in the middle of anything.
        """
        client = self.client

        async def run() -> None:
            if client.status != "running":
                return
            try:
                # On the client's own event loop, where this gives something to be awaited.
                await client.run(function, *arguments, on_error="ignore")
            except OSError as away:
                logger.debug("The workers were not told to call %s: %s", function, away)

        if client.loop is not None:
            client.loop.add_callback(run)


def threads_of(workers: dict[str, dict[str, Any]]) -> dict[str, int]:
    """Threads of those workers that take tasks."""
    return {a: int(w["nthreads"]) for a, w in workers.items() if w["status"] == "running"}
