"""Blocks of a Dask array on the workers of a cluster, and the loss side of ADMM over them.

E and u of a block are a result of Dask's like any other: a step takes them as they were and leaves
new ones, so Dask moves them, writes them to disk and frees them as it does the rest.
"""

from __future__ import annotations

import copy
import itertools
import logging
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from dask.array import Array
from dask.base import annotate
from dask.delayed import Delayed, delayed
from distributed import Client, Future

from cspca.problem import row_slices
from cspca.problem.certificate import Lengths
from cspca.problem.reduction import Total, add
from cspca.proximal import FloatArray
from cspca.solvers.blocks import LossSide
from cspca.solvers.blocks_data import BlockData, LocalBlocks, PreparedRows
from cspca.solvers.distributed.cluster import LOSSES, await_workers, make_ready, result, send
from cspca.threads import blas_threads

logger = logging.getLogger(__name__)

_TRIES = 20


class DaskBlocks(LocalBlocks):
    """Row blocks of a Dask array, each with a worker of its own.

    Persisted blocks are used where they are. Others are made whenever a pass needs them.
    """

    def __init__(self, X: Array, slices: list[slice], client: Client) -> None:
        super().__init__(X, scratch=False, slices=slices)
        make_ready(client)
        self.client = client
        self.raw = list(X.to_delayed().ravel())
        self.count = 1
        self.assign_workers()

    def assign_workers(self) -> None:
        """Give each block a worker: the one that has it, or else the next in turn."""
        threads: dict[str, int] = {}
        # Those that were awaited may go before they are counted.
        while not threads:
            await_workers(self.client, self.count)
            threads = self.client.nthreads()
        self.count = len(threads)
        places = sorted((i, address) for address, n in threads.items() for i in range(n))
        turn = itertools.cycle([address for _, address in places])
        holders = {str(key): has for key, has in self.client.who_has().items()}
        where = [holders.get(str(block.key)) or [next(turn)] for block in self.raw]
        self.homes = [addresses[0] for addresses in where]

    def each(
        self, function: Callable[..., Any], *own: Sequence[Any], shared: Sequence[Any] = ()
    ) -> list[Delayed]:
        """``function(*own, *shared)`` of each block: arguments of its own, and those of all."""
        tasks = []
        for home, *block_arguments in zip(self.homes, *own, strict=True):
            # Where that worker is gone, anywhere.
            with annotate(workers=[home], allow_other_workers=True):
                tasks.append(delayed(function, pure=False)(*block_arguments, *shared))
        return tasks

    def added(self, answers: Callable[[bool], list[Delayed]]) -> Any:
        """Sum of the answers of all blocks, in order, in a tree.

        They are asked for anew, from True, when a worker was lost.
        """
        for attempt in range(_TRIES):
            try:
                parts = answers(attempt > 0)
                while len(parts) > 1:
                    groups = row_slices(len(parts), 8)
                    parts = [delayed(add, pure=False)(*parts[group]) for group in groups]
                return result(self.client, self.client.compute(parts[0]))
            except LOSSES as loss:
                logger.info("Asking the workers again (%d): %s", attempt + 1, loss)
                self.assign_workers()
        raise RuntimeError(
            f"The Dask cluster lost workers in {_TRIES} tries at one pass over the data: look at "
            "its logs, the workers may be short of memory."
        )

    def total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Sum of ``function(block, *arguments)`` over the raw blocks, in order."""

        def answers(lost: bool) -> list[Delayed]:
            sent = send(self.client, function, *arguments)
            return self.each(apply_to_block, self.raw, shared=[sent])

        return self.added(answers)


class DistributedLoss(LossSide):
    """E and u, block by block, on the workers.

    What comes back are r × r and d × r sums and, of a check, one number an image. When a worker was
    lost, all begin again from the data and the current coefficients, with the multipliers that
    belong to them.
    """

    def __init__(self, blocks: DaskBlocks, data: BlockData, dtype: np.dtype[Any]) -> None:
        self.blocks, self.reduction, self._dtype = blocks, data, np.dtype(dtype)
        self.rank = data.rank
        self.errors = self._last_pull = None

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._dtype

    def begin(self, N: FloatArray, rho: float, floor: float, V: FloatArray | None = None) -> None:
        self._current = N.astype(self.dtype), rho, floor, V
        self._losses: list[Future[Any]] = []
        self._right_side = self._ask(iteration_sum).sums[0]

    def _begin(self) -> None:
        """All blocks, from the data and the current coefficients."""
        client, reduction = self.blocks.client, self.reduction
        outside = [reduction.outside[rows] for rows in self.blocks.slices]
        self._source = send(client, reduction.prepare, reduction.U)
        shared = self._source, send(client, self.least, *self._current)
        tasks = self.blocks.each(begin_block, self.blocks.raw, outside, shared=shared)
        self._losses = client.compute(tasks)
        self._last_pull = None

    def _ask(self, function: Callable[..., Any], *arguments: Any, raw: bool = False) -> Total:
        """Sum of ``function(loss, *arguments)`` over the blocks, with their images if `raw`."""

        def answers(lost: bool) -> list[Delayed]:
            if lost or not self._losses:
                self._begin()
            return self._tasks(function, arguments, raw)

        answer: Total = self.blocks.added(answers)
        return answer

    def _move(self, method: str, *arguments: Any, raw: bool = False) -> None:
        """Have all blocks call a method that changes E or u."""

        def answers(lost: bool) -> list[Delayed]:
            if lost:
                self._begin()
            tasks = self._tasks(changed_copy, (method, *arguments), raw)
            self._losses = self.blocks.client.compute(tasks)
            return self._tasks(iteration_sum, (), raw=False)

        self._last_pull = None
        self._right_side = self.blocks.added(answers).sums[0]

    def _tasks(
        self, function: Callable[..., Any], arguments: Sequence[Any], raw: bool
    ) -> list[Delayed]:
        images = self.blocks.raw if raw else [None] * len(self._losses)
        sent = send(self.blocks.client, function, *arguments)
        return self.blocks.each(call_block, self._losses, images, shared=[self._source, sent])

    def step(self, N: FloatArray, rho: float, relaxation: float) -> None:
        # One broadcast, one reduction.
        N = N.astype(self.dtype)
        self._current = N, rho, *self._current[2:]
        self._move("step", N, rho, relaxation)

    def widen(self, V: FloatArray) -> None:
        N, rho, floor, _ = self._current
        new = V[:, N.shape[1] :].astype(self.dtype)
        self._current = np.hstack([N, -new]), rho, floor, V
        self._move("widen", V, raw=True)

    def minimise_over(self, least: float) -> None:
        self.least = least
        self._move("minimise_over", least)

    def touch(self, N: FloatArray, rho: float) -> None:
        self._current = N, rho, *self._current[2:]
        self._move("touch", N, rho)

    def curvature(self) -> FloatArray:
        return np.asarray(self._right_side)

    # Both are what the last move left: blocks know which of the two is asked for.
    right_side = curvature

    def inner_pull(self, rho: float) -> FloatArray:
        return np.asarray(self._ask(LossSide.inner_pull, rho).sums[0])

    def cast(self, dtype: np.dtype[Any]) -> None:
        if dtype == self.dtype:
            return
        self._move("cast", dtype, raw=True)
        self._dtype = dtype
        self._current = self._current[0].astype(self.dtype), *self._current[1:]

    def total(self, N: FloatArray) -> float:
        return float(self._ask(LossSide.total, N).sums[0])

    def check(self, Z: FloatArray, rho: float) -> tuple[float, FloatArray, Lengths]:
        answer = self._ask(LossSide.check, np.asarray(Z, np.float64), rho, raw=True)
        errors, self._last_pull, lengths = answer.sums
        self.errors = answer.rows
        return errors, np.asarray(self._last_pull), lengths

    def shifted(self, rho: float, K: FloatArray | None = None) -> tuple[FloatArray, Lengths]:
        pull, lengths = self._ask(LossSide.shifted, rho, K, raw=True).sums
        return pull, lengths

    def reproduced(self) -> int:
        return int(self._ask(LossSide.reproduced).sums[0])

    def exact_entries(self, rho: float) -> tuple[FloatArray, FloatArray]:
        pull, slack = self._ask(LossSide.exact_entries, rho, raw=True).sums
        return pull, slack

    def copy(self) -> DistributedLoss:
        # What a step leaves is new.
        new = copy.copy(self)
        new.errors = new._last_pull = None
        return new


# --- what runs on a worker -------------------------------------------------------------------


def apply_to_block(block: FloatArray, sent: Sequence[Any]) -> Any:
    """``function(block, *arguments)``, which were sent together, with the BLAS threads of a fit."""
    function, *arguments = sent
    with blas_threads():
        return function(np.asarray(block), *arguments)


def begin_block(
    block: FloatArray, outside: FloatArray, source: Sequence[Any], sent: Sequence[Any]
) -> LossSide:
    """The loss side of one block, without its images."""
    least, *begin_arguments = sent
    with blas_threads():
        loss = LossSide(_images(block, source, outside), begin_arguments[0].dtype)
        loss.begin(*begin_arguments)
        loss.minimise_over(least)
    return loss.without_images()


def call_block(
    loss: LossSide, block: FloatArray | None, source: Sequence[Any], sent: Sequence[Any]
) -> Any:
    """``function(loss, *arguments)``, with the images where they are sent, and what adds up in it.

    The errors of a check are one number an image.
    """
    function, *arguments = sent
    loss = copy.copy(loss)
    if block is not None:
        loss.data = _images(block, source, loss.outside)
    with blas_threads():
        outcome = function(loss, *arguments)
    if isinstance(outcome, LossSide):
        return outcome
    errors = [] if loss.errors is None else [loss.errors]
    return Total(outcome if isinstance(outcome, tuple) else (outcome,), errors)


def _images(block: FloatArray, source: Sequence[Any], outside: FloatArray) -> PreparedRows:
    prepare, U = source
    return PreparedRows(LocalBlocks(np.asarray(block), scratch=False), prepare, U, outside)


def changed_copy(loss: LossSide, method: str, *arguments: Any) -> LossSide:
    """A loss side of its own, on which a method was called that changes it."""
    new = loss.copy()
    getattr(new, method)(*arguments)
    return new.without_images()


def iteration_sum(loss: LossSide) -> FloatArray:
    """What an iteration asks of a block."""
    return loss.curvature() if loss.minimised else loss.right_side()
