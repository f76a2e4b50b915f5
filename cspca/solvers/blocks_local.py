"""Blocks of an array on this machine: in memory, mapped from a file, or computed one at a time."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

from cspca.problem import CHUNK, row_slices
from cspca.proximal import FloatArray
from cspca.solvers.blocks import LossRows
from cspca.solvers.blocks_data import BlockData, Preparation


class LocalBlocks:
    """Rows of an array, read a block at a time.

    Of anything whose slices become NumPy arrays, 2,048 rows at a time unless `slices` say
    otherwise. With `scratch` a temporary file keeps what a fit holds for each image, not memory.
    """

    def __init__(self, X: Any, *, scratch: bool, slices: list[slice] | None = None) -> None:
        self.X = X
        self.scratch = scratch
        self.shape = (int(X.shape[0]), int(X.shape[1]))
        self.dtype = np.dtype(X.dtype)
        self.slices = row_slices(self.shape[0], CHUNK) if slices is None else slices

    def block(self, rows: slice) -> FloatArray:
        """Raw rows as a NumPy array."""
        return np.asarray(self.X[rows])

    def total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Sum of ``function(block, *arguments)`` over the raw blocks, in order."""
        parts = (function(self.block(rows), *arguments) for rows in self.slices)
        total = next(parts)
        for part in parts:
            total = total + part
        return total

    def make_rows(self, data: BlockData, dtype: np.dtype[Any]) -> LossRows:
        """The loss side of ADMM, next to the blocks."""
        return BlockRows(PreparedRows(self, data.prepare, data.U, data.outside), dtype, data)


class BlockRows(LossRows):
    """Rows whose checks tell the data what errors they found: a fit asks for them when it ends."""

    def __init__(self, rows: PreparedRows, dtype: np.dtype[Any], owner: BlockData) -> None:
        super().__init__(rows, dtype)
        self.owner = owner

    def check(self, Z: FloatArray, penalty: float) -> tuple[float, FloatArray, float]:
        """As of :class:`cspca.solvers.blocks.LossRows`."""
        found = super().check(Z, penalty)
        assert self.errors is not None
        self.owner.note(Z, self.errors)
        return found


class PreparedRows:
    """Rows of A and of Y made from raw blocks as they are asked for."""

    def __init__(
        self, blocks: LocalBlocks, prepare: Preparation, U: FloatArray, outside: FloatArray
    ) -> None:
        self.blocks, self.prepare, self.U, self.outside = blocks, prepare, U, outside

    @property
    def slices(self) -> list[slice]:
        """Slices of rows that are worked on at a time."""
        return self.blocks.slices

    def chunk(self, rows: slice) -> FloatArray:
        """Some rows of A, in double precision."""
        return self.prepare(self.blocks.block(rows))

    def basis_rows(self, dtype: np.dtype[Any]) -> FloatArray:
        """Y in the precision asked for, shape (n_samples, rank)."""
        Y = self.empty((self.blocks.shape[0], self.U.shape[1]), dtype)
        U = self.U.astype(dtype, copy=False)
        for rows in self.slices:
            np.matmul(self.chunk(rows).astype(dtype, copy=False), U, out=Y[rows])
        return Y

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> FloatArray:
        """Memory for what is kept of each row: a file without a name, if asked for."""
        if not self.blocks.scratch:
            return np.empty(shape, dtype)
        with tempfile.TemporaryFile(prefix="cspca-") as file:
            # The mapping outlives the file's descriptor, and nothing is left behind.
            return np.memmap(file, dtype=dtype, mode="w+", shape=shape)
