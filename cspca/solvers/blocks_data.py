"""Data that are only ever gone over block by block: their preprocessing and their reduction.

Three passes take the place of arrays: one for the mean image and what is constant, one for the
d × d Gram matrices (whence the basis, α_max and β_max), and one for what lies outside the basis,
which data of full column rank do not need. Blocks are centred as they are read.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from cspca.problem import CHUNK, Reduction, reduction, row_slices
from cspca.problem.certificate import basis_norm
from cspca.problem.reduction import Total, add, image_norms, outside_of
from cspca.proximal import FloatArray, gram, row_norms


class LocalBlocks:
    """Rows of an array on this machine, read a block at a time.

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
        return add(*(function(self.block(rows), *arguments) for rows in self.slices))


@dataclass(frozen=True)
class Preparation:
    """From raw images to the paper's data, by blocks; `constant` pixels become exactly zero."""

    normalize: bool
    mean: FloatArray
    constant: FloatArray

    def __call__(self, block: FloatArray) -> FloatArray:
        """Rows of A, float64, in memory of their own."""
        A = unit_images(block, self.normalize)
        A -= self.mean
        A[:, self.constant] = 0.0
        return A

    @classmethod
    def of(cls, blocks: LocalBlocks, center: bool, normalize: bool) -> tuple[Self, float]:
        """Make it in one pass; also the largest magnitude in what it will give."""
        look = blocks.total(look_at, normalize)
        total, broken = look.sums
        if broken:
            raise ValueError("The data contain NaN or infinite values: replace or drop them first.")
        low, high = look.rows[:, 0].min(axis=0), look.rows[:, 1].max(axis=0)
        largest = max(float(np.abs(low).max()), float(np.abs(high).max()))
        if largest == 0.0:
            raise ValueError("Every value of X is zero: give images that show something.")
        n, d = blocks.shape
        mean = np.zeros(d)
        constant = (low == 0.0) & (high == 0.0)
        if center:
            if n == 1:
                raise ValueError(
                    "X holds 1 sample: centring leaves nothing of a single image; give at least "
                    "two images, or set center=False."
                )
            # A constant pixel must become exactly zero, not round-off (which unit norms leave in
            # pictures that differ in brightness alone).
            precision = blocks.dtype if blocks.dtype.kind == "f" else np.dtype(np.float64)
            round_off = 8 * np.finfo(precision).eps * largest if normalize else 0.0
            constant = high - low <= round_off
            mean = np.where(constant, low, total / n)
            if constant.all():
                raise ValueError(
                    "All images in X are the same, so after centring nothing is left to explain: "
                    "give images that differ, or set center=False."
                )
        spread = np.maximum(np.abs(low - mean), np.abs(high - mean))
        return cls(normalize, mean, constant), float(spread[~constant].max())


def unit_images(block: FloatArray, normalize: bool) -> FloatArray:
    """A block in double precision and memory of its own, with images of unit norm if asked for."""
    A = np.array(block, dtype=np.float64)
    if normalize:
        A /= image_norms(A)
    return A


def look_at(block: FloatArray, normalize: bool) -> Total:
    """The first pass: sum, least and largest of every pixel; 1 where some are no numbers."""
    finite = bool(np.isfinite(block).all())
    A = unit_images(block, normalize and finite)
    extremes = np.stack([A.min(axis=0), A.max(axis=0)])
    return Total((A.sum(axis=0), int(not finite)), parts=[extremes[None]])


def prepared(
    block: FloatArray, prepare: Preparation, function: Callable[..., Total], *arguments: Any
) -> Total:
    """``function(A, *arguments)`` of a block of raw images."""
    return function(prepare(block), *arguments)


def spread_of(A: FloatArray, scale: float) -> Total:
    """The second pass: ``AᵀA / scale²``, ``Σ a_i a_iᵀ / ‖a_i‖``, ``Σ |a_ij|``; ``‖a_i‖``."""
    norms = row_norms(A)
    columns = np.abs(A).sum(axis=0)
    A /= scale
    G = gram(A)
    A *= np.sqrt(scale / np.where(norms > 0, norms, 1.0))[:, None]
    M = gram(A)
    M *= scale
    return Total((G, M, columns), parts=[norms])


def sample_of(A: FloatArray, U: FloatArray, every: int) -> Total:
    """Some rows of Y, one of `every` so many."""
    return Total(parts=[A[::every] @ U])


class PreparedRows:
    """Rows of A and of Y made from raw blocks as they are asked for."""

    def __init__(
        self, blocks: LocalBlocks, prepare: Preparation, U: FloatArray, outside: FloatArray
    ) -> None:
        self.blocks, self.prepare, self.U, self.outside = blocks, prepare, U, outside
        self.slices = blocks.slices

    def chunk(self, rows: slice) -> FloatArray:
        """Some rows of A, in double precision."""
        return self.prepare(self.blocks.block(rows))

    def along(self, V: FloatArray) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
        """Slices, their rows of A, and those of Y V, in double precision."""
        columns = self.U @ V
        for rows in self.slices:
            A = self.chunk(rows)
            yield rows, A, A @ columns

    def basis_rows(self, dtype: np.dtype[Any]) -> FloatArray:
        """Y in the precision asked for, shape (n_samples, rank)."""
        Y = empty((self.blocks.shape[0], self.U.shape[1]), dtype, self.blocks.scratch)
        U = self.U.astype(dtype, copy=False)
        for rows in self.slices:
            np.matmul(self.chunk(rows).astype(dtype, copy=False), U, out=Y[rows])
        return Y


class BlockData(PreparedRows, Reduction):
    """Data in a basis of their row space, known by passes over their blocks.

    :class:`cspca.problem.ReducedData` says what each attribute is; `prepare` makes rows of A from
    rows as they came.
    """

    def __init__(self, blocks: LocalBlocks, center: bool, normalize: bool) -> None:
        self.blocks = blocks
        self.shape = blocks.shape
        self.prepare, scale = Preparation.of(blocks, center, normalize)
        reduction.check_scale(scale)
        self.live = ~self.prepare.constant
        total = self.over(spread_of, scale)
        G, M, columns = total.sums
        self.U, values, _ = reduction.leading_directions(G)
        self.U[~self.live] = 0.0
        self.basis_norm = basis_norm(self.U)
        self.slices = blocks.slices
        self.feature_norms: FloatArray = scale * np.sqrt(np.diag(G))
        self.singular_values = values * scale
        self.sample_norms = total.rows
        self.alpha_max = float(row_norms(M).max())
        self.beta_max = reduction.largest_eigenvalue(M)
        self._columns = columns
        # At full rank nothing but the round-off of U. A bound of it adds up to more than penalties
        # that are small, where the images are far from zero.
        whole = self.full_column_rank
        self.outside = np.zeros(len(total.rows)) if whole else self.over(outside_of, self.U).rows

    def over(self, function: Callable[..., Total], *arguments: Any) -> Total:
        total: Total = self.blocks.total(prepared, self.prepare, function, *arguments)
        return total

    def sample(self) -> tuple[FloatArray, FloatArray]:
        # Evenly spread.
        every = max(1, self.shape[0] // 4096)
        Y = self.over(sample_of, self.U, every).rows
        outside = [self.outside[rows][::every] for rows in self.blocks.slices]
        return Y, np.concatenate(outside)

    def least_column(self) -> float:
        return float(self._columns[self.live].min())


def empty(shape: tuple[int, ...], dtype: np.dtype[Any], scratch: bool) -> FloatArray:
    """Memory for what is kept of each row: a file without a name, if asked for."""
    if not scratch:
        return np.empty(shape, dtype)
    with tempfile.TemporaryFile(prefix="cspca-") as file:
        # The mapping outlives the file's descriptor, and nothing is left behind.
        return np.memmap(file, dtype=dtype, mode="w+", shape=shape)
