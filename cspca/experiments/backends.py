"""Where cells are computed: joblib's threads or processes here, or a Dask cluster."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any

import joblib

from cspca.experiments.records import versions

BACKENDS = ("loky", "threading", "dask")

_CONNECT = 10.0
"""Seconds to wait for a scheduler."""

Run = Callable[[Iterator[tuple[Any, ...]]], Any]


@contextmanager
def workers(
    function: Callable[..., Any],
    n_jobs: int = 1,
    backend: str | None = None,
    scheduler: str | None = None,
) -> Iterator[tuple[Run, int]]:
    """Yield what calls `function` with tuples of arguments and hands over results as they come.

    With it comes the number of workers. The iterator of arguments is asked for more as workers get
    free, from other threads too. A `backend` of None is "dask" with a `scheduler`, otherwise what
    :func:`joblib.parallel_config` says.
    """
    if backend is not None and backend not in BACKENDS:
        raise ValueError(f"backend must be one of {', '.join(BACKENDS)}, got {backend!r}.")
    if n_jobs == 0 or n_jobs < -1:
        raise ValueError(f"n_jobs must be at least 1, or -1 for all cores, got {n_jobs}.")
    if scheduler is not None and backend not in (None, "dask"):
        raise ValueError(f"A scheduler belongs to the backend dask, not to {backend}.")
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
        parallel = stack.enter_context(
            joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1, **options)
        )
        count = joblib.effective_n_jobs(n_jobs) if n_jobs == -1 else n_jobs
        yield lambda calls: parallel(joblib.delayed(function)(*call) for call in calls), count


def _ignore_interrupts() -> None:
    """Leave Ctrl-C, which a terminal sends to workers too, to the process that gives the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _client(scheduler: str | None) -> Iterator[Any]:
    try:
        from dask.sizeof import sizeof
        from distributed import Client, get_client
    except ImportError as error:
        raise ValueError(
            'A cluster needs Dask: install it with pip install "cspca[dask]".'
        ) from error
    from cspca.datasets import Dataset

    # So that pixels are sent to the cluster once, not with every task.
    sizeof.register(Dataset, lambda data: data.data.nbytes)  # type: ignore[no-untyped-call]
    try:
        client = (
            get_client()
            if scheduler is None
            else Client(scheduler, timeout=_CONNECT, set_as_default=False)  # type: ignore[no-untyped-call]
        )
    except (OSError, ValueError, TimeoutError) as error:
        raise ValueError(
            "Which cluster is not said: give the address of its scheduler."
            if scheduler is None
            else f"No Dask scheduler answers at {scheduler}: start one, or check the address."
        ) from error
    # One that was there before is not ours to close.
    with nullcontext() if scheduler is None else client:
        _same_versions(client)
        yield client


def _same_versions(client: Any) -> None:
    ours = versions()
    for worker, theirs in client.run(versions).items():
        # Joblib only hands the work over: no number depends on it.
        other = [name for name in ours if theirs.get(name) != ours[name] and name != "joblib"]
        if other:
            name = other[0]
            raise ValueError(
                f"The worker {worker} has {name} {theirs.get(name)} and here is {ours[name]}: "
                "numbers may differ, install the same versions there."
            )
