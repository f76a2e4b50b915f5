"""Blocks of a Dask array, on the workers of a cluster."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from dask.array import Array
from distributed import Client, Future

from cspca.problem import row_slices
from cspca.solvers.blocks_data import BlockData
from cspca.solvers.distributed import worker
from cspca.solvers.distributed.answer import add
from cspca.solvers.distributed.cluster import LOSSES, Cluster, threads_of
from cspca.solvers.distributed.recipes import recipes
from cspca.solvers.distributed.rows import DistributedRows

logger = logging.getLogger(__name__)

_TRIES = 20
_FAN_IN = 8


class DaskBlocks:
    """Row blocks of a Dask array, each with a worker of its own.

    Persisted blocks are used where they are. Others are computed whenever a pass needs them.
    """

    def __init__(self, X: Array, client: Client) -> None:
        X = X.rechunk({1: -1})
        self.cluster = Cluster(client)
        self.client = client
        self.shape = (int(X.shape[0]), int(X.shape[1]))
        self.dtype = np.dtype(X.dtype)
        # Holds on to blocks that are persisted.
        self._X = X
        self._blocks = list(X.to_delayed().ravel())
        self._recipes = recipes(X, self._blocks)
        ends = np.cumsum(X.chunks[0])
        self.slices = [
            slice(int(end) - int(size), int(end))
            for size, end in zip(X.chunks[0], ends, strict=True)
        ]
        self.homes: dict[int, str] = {}

    def settle(self, indices: Iterable[int], workers: dict[str, dict[str, Any]]) -> None:
        """Give blocks a worker: the one that has the data, or else one with little to do.

        Those whose worker is still there are left alone.
        """
        homeless = [index for index in indices if self.homes.get(index) not in workers]
        if not homeless:
            return
        threads, where = threads_of(workers), self.cluster.holders()
        load = dict.fromkeys(threads, 0.0)
        for address in self.homes.values():
            if address in load:
                load[address] += 1.0 / threads[address]
        for index in homeless:
            home = where.get(str(self._blocks[index].key))
            if home not in load:
                home = min(load, key=lambda address: load[address])
            load[home] += 1.0 / threads[home]
            self.homes[index] = home

    def total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Sum of ``function(block, *arguments)`` over the raw blocks, in order."""

        def submit(index: int, shared: Sequence[Any]) -> Future[Any]:
            return self.submit(index, worker.apply, function, *shared, raw=True, anywhere=True)

        return self.ask(range(len(self._blocks)), submit, arguments)

    def submit(
        self,
        index: int,
        function: Callable[..., Any],
        *arguments: Any,
        raw: bool,
        anywhere: bool = False,
    ) -> Future[Any]:
        """Run a function where a block is.

        With `raw` it is given the raw block as its first argument. With `anywhere` it needs nothing
        that only the block's worker has: when that one leaves, Dask may run it on another.
        """
        home = [self.homes[index]]
        if raw and self._recipes is not None:
            arguments = (self._recipes[index], *arguments)
        elif raw:
            # Never bound to one worker: the caller's own persisted blocks would be, too, and
            # could not be made again once it is gone.
            block = self.client.compute(self._blocks[index], workers=home, allow_other_workers=True)
            arguments = (block, *arguments)
        return self.client.submit(
            function, *arguments, workers=home, allow_other_workers=anywhere, pure=False
        )

    def ask(
        self,
        indices: Iterable[int],
        submit: Callable[[int, Sequence[Any]], Future[Any]],
        arguments: Sequence[Any],
    ) -> Any:
        """Broadcast, submit for each block, add up in a tree; again when a worker was lost.

        The arguments that `submit` is given can be had on every worker.
        """
        indices = list(indices)
        expected = 1
        for attempt in range(_TRIES):
            # Taken before anything is sent, once: a worker that leaves from here on is missed.
            workers = self.cluster.working(expected)
            expected = len(threads_of(workers))
            self.settle(indices, workers)
            try:
                shared = [self.cluster.give(argument) for argument in arguments]
                futures = [submit(index, shared) for index in indices]
                while len(futures) > 1:
                    futures = [
                        self.client.submit(add, *futures[group], pure=False)
                        for group in row_slices(len(futures), _FAN_IN)
                    ]
                return self.cluster.result(futures[0], set(workers))
            except LOSSES as loss:
                logger.info("Asking the workers again (%d): %s", attempt + 1, loss)
                last = loss
        raise RuntimeError(
            f"The Dask cluster lost workers in {_TRIES} tries at one pass over the data: look at "
            "its logs, the workers may be short of memory."
        ) from last

    def make_rows(self, data: BlockData, dtype: np.dtype[Any]) -> DistributedRows:
        """The loss side of ADMM, on the workers."""
        return DistributedRows(self, data, dtype)

    def let_go(self, token: str) -> None:
        """Free what the workers hold of a fit that is done with. Does not wait for them."""
        self.cluster.later(worker.forget, token)
