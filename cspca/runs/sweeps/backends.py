"""Where the work is done: joblib's threads or processes here, or a Dask cluster."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import joblib

from cspca.runs.store import versions
from cspca.runs.sweeps.errors import SweepError

__all__ = ["BACKENDS", "Workers", "workers"]

BACKENDS = ("loky", "threading", "dask")

_CONNECT = 10.0
"""Seconds to wait for a scheduler."""


class Workers:
    """Runs calls and hands over what they return, as it comes.

    Parameters
    ----------
    parallel : joblib.Parallel
    name : str
        Of the backend.
    n_jobs : int
        Workers.
    """

    def __init__(self, parallel: Any, name: str, n_jobs: int) -> None:
        self._parallel, self.name, self.n_jobs = parallel, name, n_jobs

    def __call__(self, function: Callable[..., Any], calls: Iterator[tuple[Any, ...]]) -> Any:
        """Call `function` with every tuple of arguments; a generator of results, unordered.

        `calls` is asked for more as workers get free, from other threads too.
        """
        return self._parallel(joblib.delayed(function)(*arguments) for arguments in calls)


@contextmanager
def workers(n_jobs: int, backend: str | None, scheduler: str | None) -> Iterator[Workers]:
    """Workers for the time of a block.

    Parameters
    ----------
    n_jobs : int
        As joblib has it: −1 is one for every core, or all of a cluster.
    backend : {"loky", "threading", "dask"} or None
        None is "dask" with a `scheduler`, otherwise what :func:`joblib.parallel_config` says.
    scheduler : str or None
        Address of a Dask scheduler, such as ``tcp://127.0.0.1:8786``.

    Raises
    ------
    SweepError
        When there is no such backend or no scheduler answers, or the cluster's versions differ
        from ours, so that its numbers might.
    """
    if backend is not None and backend not in BACKENDS:
        raise SweepError(f"backend must be one of {', '.join(BACKENDS)}, got {backend!r}.")
    if n_jobs == 0 or n_jobs < -1:
        raise SweepError(f"n_jobs must be at least 1, or -1 for all cores, got {n_jobs}.")
    if scheduler is not None and backend not in (None, "dask"):
        raise SweepError(f"A scheduler belongs to the backend dask, not to {backend}.")
    with ExitStack() as stack:
        options: dict[str, Any] = {"pre_dispatch": "n_jobs"}
        if scheduler is not None or backend == "dask":
            client = stack.enter_context(_client(scheduler))
            n_jobs = max(1, sum(client.nthreads().values())) if n_jobs == -1 else n_jobs
            stack.enter_context(joblib.parallel_config(backend="dask", client=client))
            # A cluster is far away: the next task waits there.
            options["pre_dispatch"] = "2 * n_jobs"
        elif backend == "loky":
            stack.enter_context(
                joblib.parallel_config(backend="loky", initializer=_ignore_interrupts)
            )
        elif backend is not None:
            options["backend"] = backend
        parallel = joblib.Parallel(
            n_jobs=n_jobs, return_as="generator_unordered", batch_size=1, **options
        )
        count = joblib.effective_n_jobs(n_jobs) if n_jobs == -1 else n_jobs
        name = "dask" if scheduler is not None else backend or "joblib"
        yield Workers(stack.enter_context(parallel), name, count)


def _ignore_interrupts() -> None:
    """Leave Ctrl-C, which a terminal sends to workers too, to the process that gives the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _client(scheduler: str | None) -> Iterator[Any]:
    try:
        from distributed import Client, get_client
    except ImportError as error:
        raise SweepError(
            'A cluster needs Dask: install it with pip install "cspca[dask]".'
        ) from error
    if scheduler is None:
        try:
            client = get_client()
        except ValueError as error:
            raise SweepError(
                "Which cluster is not said: give the address of its scheduler."
            ) from error
        _same_versions(client)
        yield client
        return
    try:
        client = Client(scheduler, timeout=_CONNECT, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TimeoutError) as error:
        raise SweepError(
            f"No Dask scheduler answers at {scheduler}: start one, or check the address."
        ) from error
    with client:
        _same_versions(client)
        yield client


def _same_versions(client: Any) -> None:
    ours = versions()
    for worker, theirs in client.run(versions).items():
        other = [name for name in ours if theirs.get(name) != ours[name]]
        if other:
            name = other[0]
            raise SweepError(
                f"The worker {worker} has {name} {theirs.get(name)} and here is {ours[name]}: "
                "numbers may differ, install the same versions there."
            )
