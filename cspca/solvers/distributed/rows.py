"""The loss side of ADMM on the workers of a cluster, as the solver drives it."""

from __future__ import annotations

import uuid
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cspca.proximal import FloatArray
from cspca.solvers.blocks import Change
from cspca.solvers.blocks_data import BlockData
from cspca.solvers.distributed import worker
from cspca.solvers.distributed.answer import Answer
from cspca.solvers.distributed.worker import Place

if TYPE_CHECKING:
    from distributed import Future

    from cspca.solvers.distributed.blocks import DaskBlocks


_TRIES = 20


class DistributedRows:
    """E and u, block by block, each on the worker that its block calls home.

    Nothing but r × r and d × r sums comes back. What a lost worker held is made again from the
    data and the current coefficients, with the multipliers that belong to them.
    """

    def __init__(self, blocks: DaskBlocks, data: BlockData, dtype: np.dtype[Any]) -> None:
        self.blocks, self.data, self.dtype = blocks, data, np.dtype(dtype)
        self._token = uuid.uuid4().hex
        self._places = [Place(self._token, index) for index in range(len(blocks.slices))]
        self._number = 0
        self._penalty, self._floor = 1.0, 1.0
        self._N: FloatArray = np.full(data.rank, -1.0)
        self._pull: FloatArray | None = None
        self._alignment: FloatArray = np.zeros(data.rank)
        self._seen: FloatArray | None = None
        weakref.finalize(self, blocks.let_go, self._token).atexit = False

    def begin(self, N: FloatArray, penalty: float, floor: float) -> None:
        """Set ``E = Y N`` with the multipliers that belong to it."""
        self._N, self._penalty, self._floor = N.astype(self.dtype), penalty, floor
        answer = self._hold(range(len(self._places)))
        self._pull, self._alignment = answer.sums

    def _hold(self, indices: Iterable[int]) -> Answer:
        """Make blocks from the data and the current coefficients."""
        now = self._number, self._penalty, self._floor

        def submit(index: int, shared: Sequence[Any]) -> Future[Any]:
            there = self._places[index], self.data.outside[self.blocks.slices[index]]
            return self.blocks.submit(
                index, worker.hold, *there, *shared, *now, raw=True, anywhere=True
            )

        self._seen = None
        shared = (self.data.prepare, self.data.U, self._N)
        answer: Answer = self.blocks.ask(indices, submit, shared)
        self.blocks.homes.update(answer.homes)
        return answer

    def _ask(
        self, function: Callable[..., Answer], shared: Sequence[Any], *few: Any, raw: bool
    ) -> Answer:
        """The sum of the blocks' answers; those that were lost are made again and asked again."""

        def submit(index: int, there: Sequence[Any]) -> Future[Any]:
            now = self._places[index], self._number
            return self.blocks.submit(index, function, *now, *few, *there, raw=raw)

        answer = Answer()
        pending = list(range(len(self._places)))
        for _ in range(_TRIES):
            found: Answer = self.blocks.ask(pending, submit, shared)
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
        self, N: FloatArray, penalty: float, relaxation: float, *, measure: bool
    ) -> Change | None:
        """One over-relaxed step of E and u towards ``Y N``: one broadcast, one reduction."""
        self._N, self._penalty = N.astype(self.dtype), penalty
        self._number += 1
        self._seen = None
        few = penalty, relaxation, measure
        answer = self._ask(worker.step, (self._N,), *few, raw=False)
        self._pull, change = answer.sums
        return change if measure else None

    def pull(self) -> FloatArray:
        """``Yᵀ(E − u)``, which came with the last step."""
        if self._pull is None:
            few = self._penalty, 1.0, False
            self._pull = self._ask(worker.step, (self._N,), *few, raw=False).sums[0]
        return np.asarray(self._pull)

    def alignment(self) -> FloatArray:
        """``Σ_i y_ij u_ij`` of each direction j, as the rows began."""
        return self._alignment

    def rescale(self, factor: float) -> None:
        """Divide u by `factor`, on each worker when it is next asked."""
        self._penalty *= factor
        self._pull = None

    def promote(self) -> None:
        """Go on in double precision."""
        self.dtype = np.dtype(np.float64)
        self._N = self._N.astype(self.dtype)
        self._pull = None
        self._ask(worker.promote, (), raw=True)

    def check(self, Z: FloatArray, penalty: float) -> tuple[float, FloatArray, float]:
        """``Σ ‖e_i‖`` under Z; ``AᵀΛ`` and the largest ``‖λ_i‖`` of ``Λ = ρu``."""
        Z = np.asarray(Z, np.float64)
        answer = self._ask(worker.inspect, (Z,), "check", penalty, raw=True)
        errors, self._seen = answer.sums
        self.data.note(Z, answer.in_order())
        return errors, np.asarray(self._seen), answer.largest

    def shifted(self, penalty: float, K: FloatArray) -> tuple[FloatArray, float]:
        """``AᵀΛ`` and the largest ``‖λ_i‖`` of ``Λ = ρu − Y K``; a penalty of 0 leaves u out."""
        with_u = 1.0 if penalty > 0.0 else 0.0
        few = "shifted", self._penalty, with_u
        answer = self._ask(worker.inspect, (K,), *few, raw=True)
        return answer.sums[0], answer.largest

    def reproduced(self) -> FloatArray:
        """Which rows of E are exactly zero, shape (n_samples,)."""
        return self._ask(worker.reproduced, (), raw=False).in_order()

    def entries(self, penalty: float) -> tuple[FloatArray, FloatArray]:
        """``AᵀΛ`` over the rows with ``E ≠ 0``, and ``Σ |a_ij|`` over the others."""
        seen = self._seen
        method = "entries" if seen is None else "exact_entries"
        pull, slack = self._ask(worker.inspect, (), method, penalty, raw=True).sums
        # As in memory: where a check has just been, only the part of a few rows is missing.
        return (pull if seen is None else seen - pull), slack

    def copy(self) -> DistributedRows:
        """Rows of their own, made from the current coefficients when they are first asked."""
        new = DistributedRows(self.blocks, self.data, self.dtype)
        new._number, new._penalty, new._floor = self._number, self._penalty, self._floor
        new._N = self._N
        return new
