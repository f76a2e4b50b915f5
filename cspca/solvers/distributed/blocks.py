"""Blocks of a Dask array on the workers of a cluster, and the loss side of ADMM over them."""

from __future__ import annotations

import logging
import uuid
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from dask.array import Array
from distributed import Client, Future

from cspca.problem import row_slices
from cspca.problem.certificate import Lengths
from cspca.proximal import FloatArray
from cspca.solvers.blocks import LossSide
from cspca.solvers.blocks_data import BlockData, LocalBlocks, Total, add
from cspca.solvers.distributed import worker
from cspca.solvers.distributed.cluster import LOSSES, Cluster, threads_of
from cspca.solvers.distributed.worker import Place, recipes

logger = logging.getLogger(__name__)

_TRIES = 20


class DaskBlocks(LocalBlocks):
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
                        for group in row_slices(len(futures), 8)
                    ]
                return self.cluster.result(futures[0], set(workers))
            except LOSSES as loss:
                logger.info("Asking the workers again (%d): %s", attempt + 1, loss)
                last = loss
        raise RuntimeError(
            f"The Dask cluster lost workers in {_TRIES} tries at one pass over the data: look at "
            "its logs, the workers may be short of memory."
        ) from last

    def let_go(self, token: str) -> None:
        """Free what the workers hold of a fit that is done with. Does not wait for them."""
        self.cluster.later(worker.forget, token)


class DistributedLoss(LossSide):
    """E and u, block by block, each on the worker that its block calls home.

    What comes back are r × r and d × r sums and, of a check, one number an image. What a lost
    worker held is made again from the data and the current coefficients, with the multipliers that
    belong to them.
    """

    def __init__(self, blocks: DaskBlocks, data: BlockData, dtype: np.dtype[Any]) -> None:
        self.blocks, self.whole, self._dtype = blocks, data, np.dtype(dtype)
        self.rank = data.rank
        self._token = uuid.uuid4().hex
        self._places = [Place(self._token, index) for index in range(len(blocks.slices))]
        self._number = 0
        self._rho, self._floor = 1.0, 1.0
        self._N: FloatArray = np.full(data.rank, -1.0)
        self._pull: FloatArray | None = None
        self._alignment: FloatArray = np.zeros(data.rank)
        self.errors = self._seen = None
        weakref.finalize(self, blocks.let_go, self._token).atexit = False

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the iterations."""
        return self._dtype

    def begin(self, N: FloatArray, rho: float, floor: float) -> None:
        """Set ``E = Y N`` with the multipliers that belong to it."""
        self._N, self._rho, self._floor = N.astype(self.dtype), rho, floor
        answer = self._hold(range(len(self._places)))
        self._pull, self._alignment = answer.sums

    def _hold(self, indices: Iterable[int]) -> Total:
        """Make blocks from the data and the current coefficients."""
        now = self._number, self._rho, self._floor

        def submit(index: int, shared: Sequence[Any]) -> Future[Any]:
            there = self._places[index], self.whole.outside[self.blocks.slices[index]]
            return self.blocks.submit(
                index, worker.hold, *there, *shared, *now, raw=True, anywhere=True
            )

        self._seen = None
        shared = (self.whole.prepare, self.whole.U, self._N)
        answer: Total = self.blocks.ask(indices, submit, shared)
        self.blocks.homes.update(answer.homes)
        return answer

    def _ask(
        self, function: Callable[..., Total], shared: Sequence[Any], *few: Any, raw: bool
    ) -> Total:
        """The sum of the blocks' answers; those that were lost are made again and asked again."""

        def submit(index: int, there: Sequence[Any]) -> Future[Any]:
            now = self._places[index], self._number
            return self.blocks.submit(index, function, *now, *few, *there, raw=raw)

        answer = Total()
        pending = list(range(len(self._places)))
        for _ in range(_TRIES):
            found: Total = self.blocks.ask(pending, submit, shared)
            pending, found.lost = found.lost, []
            answer = answer + found
            if not pending:
                return answer
            self._hold(pending)
        raise RuntimeError(
            f"The Dask workers lost what they held of a fit {_TRIES} times in one pass: look at "
            "their logs, they may be short of memory."
        )

    def step(
        self, N: FloatArray, rho: float, relaxation: float, *, measure: bool
    ) -> FloatArray | None:
        """One over-relaxed step of E and u towards ``Y N``: one broadcast, one reduction."""
        self._N, self._rho = N.astype(self.dtype), rho
        self._number += 1
        self._seen = None
        few = rho, relaxation, measure
        answer = self._ask(worker.step, (self._N,), *few, raw=False)
        self._pull, change = answer.sums
        return change if measure else None

    def asks(self) -> FloatArray:
        """``Yᵀ(E − u)``, which came with the last step."""
        if self._pull is None:
            few = self._rho, 1.0, False
            self._pull = self._ask(worker.step, (self._N,), *few, raw=False).sums[0]
        return np.asarray(self._pull)

    def alignment(self) -> FloatArray:
        """``Σ_i y_ij u_ij`` of each direction j, as the rows began."""
        return self._alignment

    def rescale(self, factor: float) -> None:
        """Divide u by `factor`, on each worker when it is next asked."""
        self._rho *= factor
        self._pull = None

    def promote(self) -> None:
        """Go on in double precision."""
        self._dtype = np.dtype(np.float64)
        self._N = self._N.astype(self.dtype)
        self._pull = None
        self._ask(worker.promote, (), raw=True)

    def check(self, Z: FloatArray, rho: float) -> tuple[float, FloatArray, Lengths]:
        """``Σ ‖e_i‖`` under Z; ``AᵀΛ`` and the lengths of ``Λ = ρu``."""
        Z = np.asarray(Z, np.float64)
        answer = self._ask(worker.inspect, (Z,), "check", rho, raw=True)
        errors, self._seen = answer.sums
        self.errors = answer.rows
        return errors, np.asarray(self._seen), answer.lengths

    def shifted(self, rho: float, K: FloatArray) -> tuple[FloatArray, Lengths]:
        """``AᵀΛ`` and the lengths of ``Λ = ρu − Y K``; ρ = 0 leaves u out."""
        with_u = 1.0 if rho > 0.0 else 0.0
        few = "shifted", self._rho, with_u
        answer = self._ask(worker.inspect, (K,), *few, raw=True)
        return answer.sums[0], answer.lengths

    def reproduced(self) -> FloatArray:
        """Which rows of E are exactly zero, shape (n_samples,)."""
        return self._ask(worker.reproduced, (), raw=False).rows

    def exact_entries(self, rho: float) -> tuple[FloatArray, FloatArray]:
        """``AᵀΛ`` over the rows with ``E = 0``, and ``Σ |a_ij|`` over them."""
        pull, slack = self._ask(worker.inspect, (), "exact_entries", rho, raw=True).sums
        return pull, slack

    def copy(self) -> DistributedLoss:
        """Rows of their own, made from the current coefficients when they are first asked."""
        new = DistributedLoss(self.blocks, self.whole, self.dtype)
        new._number, new._rho, new._floor = self._number, self._rho, self._floor
        new._N = self._N
        return new
