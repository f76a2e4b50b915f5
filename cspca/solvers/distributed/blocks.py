"""Blocks of a Dask array, on the workers of a cluster."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from dask.array import Array
from distributed import Client, Future, fire_and_forget
from distributed.client import FutureCancelledError
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from cspca.problem import row_slices
from cspca.solvers.blocks_data import BlockData
from cspca.solvers.distributed import worker
from cspca.solvers.distributed.answer import add
from cspca.solvers.distributed.rows import DistributedRows

logger = logging.getLogger(__name__)


class WorkerGoneError(RuntimeError):
    """A worker went away that a task was to run on."""


LOSSES = (WorkerGoneError, FutureCancelledError, KilledWorker, CommClosedError, TimeoutError)
"""What asking again may mend: something was on a worker that is gone."""

_TRIES = 20
_FAN_IN = 8
_LOOK_EVERY = 1.0
_NO_WORKER = 120.0


class DaskBlocks:
    """Row blocks of a Dask array, each with a worker of its own.

    Parameters
    ----------
    X : dask.array.Array of shape (n_samples, n_features)
        Persisted blocks are used where they are. Others are computed whenever a pass needs them.
    client : distributed.Client
    """

    def __init__(self, X: Array, client: Client) -> None:
        X = X.rechunk({1: -1})
        self.client = client
        self.shape = (int(X.shape[0]), int(X.shape[1]))
        self.dtype = np.dtype(X.dtype)
        self._blocks = list(X.to_delayed().ravel())
        ends = np.cumsum(X.chunks[0])
        self.slices = [
            slice(int(end) - int(size), int(end))
            for size, end in zip(X.chunks[0], ends, strict=True)
        ]
        self.homes: dict[int, str] = {}
        self.settle(range(len(self._blocks)))

    def settle(self, indices: Iterable[int]) -> None:
        """Give blocks a worker: the one that has the data, or else one with little to do.

        Parameters
        ----------
        indices : iterable of int
        """
        threads = self._workers()
        has = self.client.has_what()
        where = {str(key): address for address, keys in has.items() for key in keys}
        load = dict.fromkeys(threads, 0.0)
        for index, address in self.homes.items():
            if address in load:
                load[address] += 1.0 / threads[self.homes[index]]
        for index in indices:
            home = where.get(str(self._blocks[index].key))
            if home not in load:
                home = min(load, key=lambda address: load[address])
            load[home] += 1.0 / threads[home]
            self.homes[index] = home

    def _workers(self) -> dict[str, int]:
        """Threads of each worker that is there now."""
        try:
            self.client.wait_for_workers(1, timeout=_NO_WORKER)
        except TimeoutError:
            raise RuntimeError(
                f"The Dask cluster has had no worker for {_NO_WORKER:.0f} seconds: start one."
            ) from None
        threads: dict[str, int] = self.client.nthreads()
        return threads

    def total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Sum of ``function(block, *arguments)`` over the raw blocks, in order."""

        def submit(index: int, shared: Sequence[Any]) -> Future[Any]:
            return self.submit(index, worker.apply, function, *shared, raw=True)

        return self.ask(range(len(self._blocks)), submit, arguments)

    def submit(
        self, index: int, function: Callable[..., Any], *arguments: Any, raw: bool
    ) -> Future[Any]:
        """Run a function where a block is; with `raw` its first argument is the raw block."""
        home = [self.homes[index]]
        if raw:
            block = self.client.compute(self._blocks[index], workers=home)
            arguments = (block, *arguments)
        return self.client.submit(function, *arguments, workers=home, pure=False)

    def ask(
        self,
        indices: Iterable[int],
        submit: Callable[[int, Sequence[Any]], Future[Any]],
        arguments: Sequence[Any],
    ) -> Any:
        """Broadcast, submit for each block, add up in a tree; again when a worker was lost.

        Parameters
        ----------
        indices : iterable of int
        submit : callable
            ``submit(index, arguments)``; the arguments it is given are on every worker.
        arguments : sequence

        Returns
        -------
        object
            The sum of what was submitted.
        """
        indices = list(indices)
        for attempt in range(_TRIES):
            try:
                # Taken before anything is sent: what goes to a worker that leaves after this
                # may never be answered, though the tasks themselves are for another one.
                present = set(self._workers())
                self.settle(i for i in indices if self.homes[i] not in present)
                shared = [self._broadcast(argument) for argument in arguments]
                futures = [submit(index, shared) for index in indices]
                while len(futures) > 1:
                    futures = [
                        self.client.submit(add, *futures[group], pure=False)
                        for group in row_slices(len(futures), _FAN_IN)
                    ]
                return self._result(futures[0], present)
            except LOSSES as lost:
                logger.info("Asking the workers again (%d): %s", attempt + 1, lost)
        raise RuntimeError(
            f"The Dask cluster lost workers in {_TRIES} tries at one pass over the data: look at "
            "its logs, the workers may be short of memory."
        )

    def _broadcast(self, argument: Any) -> Any:
        """An array on every worker; what is small travels with the task."""
        if isinstance(argument, np.ndarray) and argument.nbytes > _SMALL:
            return self.client.scatter(argument, broadcast=True, hash=False)
        return argument

    def _result(self, future: Future[Any], present: set[str]) -> Any:
        """Wait, but no longer than all the workers stay that were there when it was asked for."""
        while True:
            try:
                return future.result(timeout=_LOOK_EVERY)
            except TimeoutError:
                live = set(self.client.nthreads())
                gone, present = present - live, present | live
                if gone:
                    raise WorkerGoneError(f"no answer from {', '.join(sorted(gone))}") from None

    def make_rows(self, data: BlockData, dtype: np.dtype[Any]) -> DistributedRows:
        """The loss side of ADMM, on the workers."""
        return DistributedRows(self, data, dtype)

    def let_go(self, token: str) -> None:
        """Free what the workers hold of a fit that is done with. Does not wait for them."""
        if self.client.status != "running":
            return
        for home in set(self.homes.values()):
            # May be called by the garbage collector, on any thread: nothing here blocks. Tasks
            # for a worker that is gone are left to the scheduler, which drops them with the client.
            forgotten = self.client.submit(worker.forget, token, workers=[home], pure=False)
            fire_and_forget(forgotten)


_SMALL = 1 << 14
