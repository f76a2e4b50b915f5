"""The cluster behind a client: what is sent to it, and the only way in which a fit waits for it.

Dask itself starts tasks again elsewhere when a worker leaves. What was *sent* to the workers it
cannot make again, nor what was computed from that: then it cancels the answer, and a fit asks anew.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any

from distributed import Client, Future, get_worker, secede
from distributed.comm.core import CommClosedError

LOSSES = (CancelledError, CommClosedError)
"""What asking again may mend: something was on a worker that is gone."""

PATIENCE = 60.0
"""Seconds that a cluster may be without a worker, or with one that is short of memory, and that a
client may take to connect."""

COME_BACK = 5.0
"""Seconds in which a worker that was killed is likely to be there again."""

_LOOK_EVERY = 0.5
"""Seconds between two looks at who is there, while an answer is awaited."""


def make_ready(client: Client) -> None:
    """Refuse a client that a fit cannot wait for; leave the thread of a fit's own task to it."""
    if client.asynchronous:
        raise RuntimeError(
            "A fit waits for its workers, which an asynchronous Dask client, or code on its "
            "event loop, must not do: fit in a thread, with a plain Client(…)."
        )
    with suppress(ValueError):
        get_worker()
        # Inside of a task: those of the fit need the thread that it would hold.
        secede()


def await_workers(client: Client, count: int) -> None:
    """Wait for a client that is connected and a worker, and for `count` if these come soon."""
    began = time.monotonic()
    while client.status == "newly-created":
        # Tasks of one process share a client, which the fit of another one is connecting.
        if time.monotonic() > began + PATIENCE:
            raise RuntimeError(
                f"The Dask client of this worker was not connected in {PATIENCE:.0f} seconds: fit "
                "again when the scheduler answers."
            )
        time.sleep(_LOOK_EVERY)
    last_healthy = time.monotonic()
    while client.status in ("running", "connecting"):
        # A TimeoutError, or that the scheduler does not answer.
        with suppress(OSError):
            client.wait_for_workers(count, timeout=COME_BACK)
            return
        count = 1
        last_healthy = _check_health(client, last_healthy)
    raise RuntimeError(
        "The Dask scheduler is gone: start it again, make a new Client and fit again."
    )


def send(client: Client, *values: Any) -> Future[Any]:
    """Values for all tasks that are given this in their place; one worker hands it to the next."""
    try:
        sent: Future[Any] = client.scatter([values], hash=False, timeout=PATIENCE)[0]
    except (OSError, KeyError) as lost:
        raise CommClosedError(str(lost)) from lost
    return sent


def result(client: Client, future: Future[Any]) -> Any:
    """Wait for an answer, for as long as the cluster can give one."""
    # Not by `Future.result(timeout)`: its errors would hold on to all that was asked for.
    last_healthy, done = time.monotonic(), threading.Event()
    future.add_done_callback(lambda _: done.set())
    while not done.wait(_LOOK_EVERY):
        last_healthy = _check_health(client, last_healthy)
    return future.result()


def _check_health(client: Client, last_healthy: float) -> float:
    """When all workers were last well; an error where that is too long ago."""
    workers = client.scheduler_info().get("workers", {})
    paused = [address for address, w in workers.items() if w["status"] == "paused"]
    now = time.monotonic()
    if workers and not paused:
        return now
    if now - last_healthy > PATIENCE:
        if not workers:
            raise RuntimeError(
                f"The Dask cluster has had no worker for {PATIENCE:.0f} seconds: start workers."
            )
        raise RuntimeError(
            f"Dask has paused the worker at {paused[0]} for {PATIENCE:.0f} seconds because its "
            "memory is nearly full: give the workers more memory, or take more of them, or smaller "
            "blocks (X.rechunk)."
        )
    return last_healthy
