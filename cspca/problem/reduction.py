"""The exact reduction: data seen through an orthonormal basis of their row space."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Protocol

import numpy as np

from cspca.problem.basis import check_scale, range_basis
from cspca.problem.chunks import CHUNK, row_slices
from cspca.problem.ends import penalty_limits
from cspca.proximal import FloatArray, row_norms


class Reduction(Protocol):
    """Data in a basis of their row space, as the problem and the certified solver see them.

    :class:`ReducedData` holds them in memory; :class:`cspca.solvers.blocks_data.BlockData` knows
    only how to go over them, block by block. The attributes are described there.
    """

    U: FloatArray
    singular_values: FloatArray
    outside: FloatArray
    live: FloatArray
    alpha_max: float
    beta_max: float

    @property
    def rank(self) -> int:
        """Number of directions kept."""

    @property
    def shape(self) -> tuple[int, int]:
        """(n_samples, n_features)."""

    @property
    def sample_norms(self) -> FloatArray:
        """Euclidean norm of each image, shape (n_samples,)."""

    @property
    def full_column_rank(self) -> bool:
        """Whether the live pixels are linearly independent."""

    def residual_norms(self, Z: FloatArray) -> FloatArray:
        """Reconstruction error of every image under ``W = Z Uᵀ``, shape (n_samples,)."""

    def diagonal_errors(self, factors: FloatArray) -> FloatArray:
        """The same under ``W = U diag(factors) Uᵀ``."""

    def sample(self) -> tuple[FloatArray, FloatArray]:
        """Enough rows of Y for a first guess, shape (m, rank), and their part outside, (m,)."""

    def least_column(self) -> float:
        """Smallest ``Σ_i |a_ij|`` of a live pixel."""

    def origin_pull(self) -> FloatArray:
        """``AᵀΛ`` for the multipliers of W = 0, ``λ_i = −y_i / ‖a_i‖``; (n_features, rank)."""


class ReducedData:
    """Data seen through an orthonormal basis of their row space; shared by every (α, β).

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_features)
        Preprocessed data, rows are images (the paper's ``Xᵀ``). Taken as float64.

    Attributes
    ----------
    A : ndarray of shape (n_samples, n_features), float64
    U : ndarray of shape (n_features, rank)
        Orthonormal basis of the row space.
    singular_values : ndarray of shape (rank,)
    Y : ndarray of shape (n_samples, rank)
        ``A U``: the data in the basis. ``YᵀY`` is diagonal.
    outside : ndarray of shape (n_samples,)
        Squared norm of what lies outside the basis, image by image: zero but for round-off and for
        directions that were too weak to keep.
    alpha_max, beta_max : float
        ``W = 0`` is optimal whenever ``α/alpha_max + β/beta_max ≥ 1``.
    live : ndarray of bool, shape (n_features,)
        Pixels that are not zero in every image.

    Raises
    ------
    ValueError
        When `A` is not a two-dimensional array of finite numbers of a usable scale, or when it is
        zero everywhere.
    """

    def __init__(self, A: FloatArray) -> None:
        A = np.ascontiguousarray(A, dtype=np.float64)
        if A.ndim != 2 or 0 in A.shape:
            raise ValueError(
                f"The data must be a non-empty table of shape (n_samples, n_features), "
                f"got an array of shape {A.shape}."
            )
        if not np.isfinite(A).all():
            raise ValueError("The data contain NaN or infinite values: replace or drop them first.")
        self.A = A
        self.live: FloatArray = np.any(A != 0.0, axis=0)
        if not self.live.any():
            raise ValueError(
                "The data are zero everywhere, so there is nothing to explain: "
                "give images that differ (or, if they are all the same, do not centre them)."
            )
        scale = float(np.abs(A).max())
        check_scale(scale)
        # A common scale keeps the Gram matrix clear of overflow and underflow.
        self.U, values = range_basis(A / scale)
        # Round-off must not revive a dead pixel: its weight is zero, exactly.
        self.U[~self.live] = 0.0
        self.singular_values: FloatArray = values * scale
        self.Y: FloatArray = A @ self.U
        self.outside = self._outside()
        self.alpha_max, self.beta_max = penalty_limits(A, self.sample_norms)

    @classmethod
    def from_array(cls, A: FloatArray) -> ReducedData:
        """Reduce `A`; the same as calling the class."""
        return cls(A)

    @property
    def rank(self) -> int:
        """Number of directions kept."""
        return int(self.U.shape[1])

    @property
    def shape(self) -> tuple[int, int]:
        """(n_samples, n_features)."""
        return int(self.A.shape[0]), int(self.A.shape[1])

    @cached_property
    def sample_norms(self) -> FloatArray:
        """Euclidean norm of each image, shape (n_samples,)."""
        return row_norms(self.A)

    @property
    def full_column_rank(self) -> bool:
        """Whether the live pixels are linearly independent (then W = I can be optimal)."""
        return self.rank == int(np.count_nonzero(self.live))

    @cached_property
    def slices(self) -> list[slice]:
        """The rows, a chunk at a time."""
        return row_slices(len(self.A), CHUNK)

    def chunk(self, rows: slice) -> FloatArray:
        """Some rows of A, in double precision."""
        return self.A[rows]

    def basis_rows(self, dtype: np.dtype[Any]) -> FloatArray:
        """Y in the precision asked for, shape (n_samples, rank); not to be written to."""
        return self.Y.astype(dtype, copy=False)

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> FloatArray:
        """Memory for what a solver keeps of each row."""
        return np.empty(shape, dtype)

    def residual_norms(self, Z: FloatArray) -> FloatArray:
        """Reconstruction error of every image under ``W = Z Uᵀ``, shape (n_samples,)."""
        errors = np.empty(len(self.A))
        for rows in self.slices:
            E = self.A[rows] @ Z
            E -= self.Y[rows]
            errors[rows] = np.sqrt(np.einsum("ij,ij->i", E, E) + self.outside[rows])
        return errors

    def diagonal_errors(self, factors: FloatArray) -> FloatArray:
        """The same under ``W = U diag(factors) Uᵀ``."""
        errors: FloatArray = np.sqrt(np.square(row_norms(self.Y * (1.0 - factors))) + self.outside)
        return errors

    def sample(self) -> tuple[FloatArray, FloatArray]:
        """Rows of Y for a first guess, all of them, and their part outside."""
        return self.Y, self.outside

    def least_column(self) -> float:
        """Smallest ``Σ_i |a_ij|`` of a live pixel."""
        return float(np.abs(self.A[:, self.live]).sum(axis=0).min())

    def origin_pull(self) -> FloatArray:
        """``AᵀΛ`` for the multipliers of W = 0, ``λ_i = −y_i / ‖a_i‖``; (n_features, rank)."""
        norms = np.where(self.sample_norms > 0, self.sample_norms, 1.0)
        pull: FloatArray = self.A.T @ (-self.Y / norms[:, None])
        return pull

    def _outside(self) -> FloatArray:
        squared = np.empty(len(self.A))
        for rows in self.slices:
            rest = self.Y[rows] @ self.U.T
            rest -= self.A[rows]
            squared[rows] = np.einsum("ij,ij->i", rest, rest)
        return squared
