"""The convex problem: its exact reduction, objective, certificate and the ends of its path.

Orientation, said once for the whole library: the paper writes images as columns of ``X`` (d × n);
here, as in scikit-learn, **rows are images**: ``A`` (n_samples × n_features) is the paper's ``Xᵀ``
after preprocessing. Both ℓ2,1 norms sum the Euclidean norms of **rows**::

    P(W) = ‖A W − A‖₂,₁ + α ‖W‖₂,₁ + β ‖W‖_*                         W is d × d

Row i of ``A W − A`` is the reconstruction error of image i; row j of ``W`` is the weight of pixel
j. With ``A = V S Uᵀ`` an optimal W has the form ``Z Uᵀ`` with Z of shape (d, r), and the terms of
``P`` keep their values: nothing of size d × d is ever formed.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.linalg import blas, eigh, lapack, qr
from scipy.sparse.linalg import ArpackError, eigsh

from cspca.proximal import (
    FloatArray,
    gram,
    row_norms,
    shrink_singular_values,
    singular_values,
    spectral_norm_bound,
)

logger = logging.getLogger(__name__)

_RANK_TOLERANCE = 1e-12
"""Directions whose squared singular value is below this fraction of the largest are left out of
the loop. The certificate counts what they hold (see :meth:`Problem.objective`)."""


def _range_basis(A: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Orthonormal basis U (d, r) of A's row space and its singular values (r,), decreasing."""
    n, d = A.shape
    if n >= d:
        return leading_directions(gram(A))
    vectors, values = leading_directions(gram(A.T))
    return _orthonormal(A.T @ (vectors / values)), values


def leading_directions(G: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Eigenvectors of a Gram matrix that count, and the singular values that belong to them.

    Parameters
    ----------
    G : ndarray of shape (m, m)
        Symmetric, positive semidefinite.

    Returns
    -------
    vectors : ndarray of shape (m, rank)
    values : ndarray of shape (rank,)
        Decreasing.
    """
    squared, vectors = eigh(G, check_finite=False, driver="evd")
    squared, vectors = squared[::-1], vectors[:, ::-1]
    rank = int(np.count_nonzero(squared > _RANK_TOLERANCE * squared[0])) if squared[0] > 0 else 0
    return np.ascontiguousarray(vectors[:, :rank]), np.sqrt(squared[:rank])


def _orthonormal(B: FloatArray) -> FloatArray:
    """Orthonormal basis of the nested column spaces of `B`, whose columns nearly are orthonormal.

    ``AᵀV / s`` loses orthogonality where s is small. Two rounds of Cholesky QR restore it at a
    third of the cost of Householder's; if the loss is too large for the first, that one is used.
    """
    for _ in range(2):
        triangle, failed = lapack.dpotrf(gram(B), lower=0, clean=1)
        if failed:
            basis, triangle = qr(B, mode="economic", check_finite=False)
            signs = np.where(np.diag(triangle) < 0, -1.0, 1.0)
            return np.ascontiguousarray(basis * signs)
        B = blas.dtrsm(1.0, triangle, B.T, side=0, lower=0, trans_a=1).T
    return np.ascontiguousarray(B)


_SMALLEST_SCALE = 1e-151
"""Data whose largest value is below this, or above its inverse, are refused: squares of it would
underflow or overflow, and a certificate made of zeros and infinities proves nothing."""


def check_scale(scale: float) -> None:
    """Refuse data whose squares double precision cannot hold.

    Parameters
    ----------
    scale : float
        Largest magnitude in the data.

    Raises
    ------
    ValueError
        When it is too large or too small.
    """
    if not _SMALLEST_SCALE <= scale <= 1.0 / _SMALLEST_SCALE:
        raise ValueError(
            f"The largest value in the data is {scale:.1e}, and its square leaves the range of "
            "double precision: divide the data by it."
        )


CHUNK = 2048
"""Rows that are worked on at a time: enough for a fast product, few enough for the memory of what
lies between two steps of it."""


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
        self.U, values = _range_basis(A / scale)
        # Round-off must not revive a dead pixel: its weight is zero, exactly.
        self.U[~self.live] = 0.0
        self.singular_values: FloatArray = values * scale
        self.Y: FloatArray = A @ self.U
        self.outside = self._outside()
        self.alpha_max, self.beta_max = self._penalty_limits()

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

    def _penalty_limits(self) -> tuple[float, float]:
        """α_max = max_j ‖M_j‖ and β_max = ‖M‖₂ of M = Σ a_i a_iᵀ / ‖a_i‖, without forming M."""
        norms = self.sample_norms
        alive = norms > 0
        B = self.A[alive] / np.sqrt(norms[alive])[:, None]
        if B.shape[0] >= B.shape[1]:
            M = gram(B)
            return float(row_norms(M).max()), largest_eigenvalue(M)
        inner = gram(B.T)
        squared = np.einsum("ij,ij->j", B, inner @ B)
        return float(np.sqrt(max(squared.max(), 0.0))), largest_eigenvalue(inner)


def row_slices(n_rows: int, length: int) -> list[slice]:
    """Consecutive slices of `length` rows; the last one may be shorter.

    Parameters
    ----------
    n_rows, length : int

    Returns
    -------
    list of slice
    """
    return [slice(first, min(first + length, n_rows)) for first in range(0, n_rows, length)]


def largest_eigenvalue(M: FloatArray) -> float:
    """Of a positive semidefinite matrix, from above by a little: β_max is a proof's premise.

    Parameters
    ----------
    M : ndarray of shape (m, m)

    Returns
    -------
    float
    """
    if len(M) > 64:
        try:
            # A fixed start, so that the same data give the same number.
            top = eigsh(M, k=1, v0=np.ones(len(M)), tol=0.0, return_eigenvectors=False)[0]
            return float(top) * (1.0 + 1e-12)
        except ArpackError:
            logger.debug("Lanczos failed; taking the full spectrum.", exc_info=True)
    return float(eigh(M, eigvals_only=True, check_finite=False, driver="evd")[-1])


@dataclass
class Problem:
    """``min_Z ‖A Z − Y‖₂,₁ + α ‖Z‖₂,₁ + β ‖Z‖_*``, the paper's problem on its exact reduction.

    Parameters
    ----------
    data : Reduction
        :class:`ReducedData`, or the blocks of data that are too large for it.
    alpha : float
        Absolute weight of the ℓ2,1 penalty, ≥ 0 (paper, eq. 7).
    beta : float
        Absolute weight of the trace norm, ≥ 0 (paper, eq. 7).

    Raises
    ------
    ValueError
        When a penalty is negative or not finite.
    """

    data: Reduction
    alpha: float
    beta: float

    def __post_init__(self) -> None:
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not (np.isfinite(value) and value >= 0):
                raise ValueError(f"{name} must be a finite number ≥ 0, got {value}.")

    def same_as(self, other: Problem) -> bool:
        """Whether `other` is this very problem: the same reduction under the same penalties.

        Parameters
        ----------
        other : Problem

        Returns
        -------
        bool
        """
        same = self.data is other.data
        return same and (self.alpha, self.beta) == (other.alpha, other.beta)

    def residual_norms(self, Z: FloatArray) -> FloatArray:
        """Reconstruction error ‖e_i‖ of every image under ``W = Z Uᵀ``.

        Parameters
        ----------
        Z : ndarray of shape (n_features, rank)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.data.residual_norms(Z)

    def objective(self, Z: FloatArray) -> float:
        """Value of the original problem at ``W = Z Uᵀ``, parts outside the basis included.

        Parameters
        ----------
        Z : ndarray of shape (n_features, rank)

        Returns
        -------
        float
        """
        Z = np.asarray(Z, dtype=np.float64)
        return self.value(float(self.residual_norms(Z).sum()), Z)

    def value(self, errors: float, Z: FloatArray) -> float:
        """Value of the problem where the sum of the reconstruction errors is known.

        Parameters
        ----------
        errors : float
            ``Σ ‖e_i‖``, as of :meth:`residual_norms`.
        Z : ndarray of shape (n_features, rank), float64

        Returns
        -------
        float
        """
        value = errors
        if self.alpha > 0:
            value += self.alpha * float(row_norms(Z).sum())
        if self.beta > 0:
            value += self.beta * float(singular_values(Z).sum())
        return value

    def dual_bound(
        self, multiplier: FloatArray, G1: FloatArray, G2: FloatArray, *, single: bool = False
    ) -> float:
        """Proven lower bound of the global optimum from any guess of the dual variables.

        The dual maximises ``−⟨Λ, Y⟩`` over ``‖λ_i‖ ≤ 1``, ``AᵀΛ + G₁ + G₂ = 0``, row norms of G₁
        ≤ α, spectral norm of G₂ ≤ β. The guess is made feasible by placing its remainder in G₁
        and G₂ and scaling all three, so the value returned is a bound whatever came in. It is a
        bound for the data as given, not for their truncation: ``Λ Uᵀ`` is feasible for the
        unreduced dual with the same value.

        Parameters
        ----------
        multiplier : ndarray of shape (n_samples, rank)
            Guess of Λ, the multiplier of ``E = A Z − Y``.
        G1, G2 : ndarray of shape (n_features, rank)
            Guesses of the subgradients of the two penalties.
        single : bool, default=False
            Look for a feasible split in single precision, which takes half the time and costs
            about 1e-6 of the bound. What is found is checked in double either way.

        Returns
        -------
        float
            At least 0, which is always a bound.
        """
        L = np.asarray(multiplier, dtype=np.float64)
        pull = self.in_memory.A.T @ L
        return self.bound_of(pull, float(row_norms(L).max()), G1, G2, single=single)

    @property
    def in_memory(self) -> ReducedData:
        """The data, where all of them are in memory.

        Raises
        ------
        ValueError
            When they are read block by block.
        """
        if not isinstance(self.data, ReducedData):
            raise ValueError(
                "Data that are read block by block are fitted by the certified solver only: "
                'use solver="admm", or an array in memory.'
            )
        return self.data

    def bound_of(
        self,
        pull: FloatArray,
        largest: float,
        G1: FloatArray,
        G2: FloatArray,
        *,
        single: bool = False,
    ) -> float:
        """:meth:`dual_bound` from all that it needs of Λ, sums over the images.

        Parameters
        ----------
        pull : ndarray of shape (n_features, rank), float64
            ``AᵀΛ``.
        largest : float
            Largest ``‖λ_i‖``.
        G1, G2 : ndarray of shape (n_features, rank)
        single : bool, default=False

        Returns
        -------
        float
        """
        # ⟨Λ, Y⟩ = ⟨Λ, A U⟩ = ⟨AᵀΛ, U⟩
        value = -float(np.vdot(pull, self.data.U))
        if value <= 0.0:
            return 0.0
        G1, G2 = np.asarray(G1, dtype=np.float64), np.asarray(G2, dtype=np.float64)
        best = self._feasible_scale(pull, G1, G2, single)
        return value * min(best, 1.0 / largest) * _ROUND_OFF

    def _feasible_scale(
        self, pull: FloatArray, G1: FloatArray, G2: FloatArray, single: bool
    ) -> float:
        """Largest c found for which c·(pull, G₁', G₂') is feasible, over a few splits of −pull."""
        if self.alpha == 0.0 and self.beta == 0.0:
            return 0.0
        if self.beta == 0.0:
            return _scale_to(self.alpha, float(row_norms(pull).max()))
        if self.alpha == 0.0:
            return _scale_to(self.beta, spectral_norm_bound(pull, self.beta))
        # First candidate: G₁ takes the whole remainder.
        row_scale, split = _scale_to(self.alpha, float(row_norms(pull + G2).max())), G2
        # G₂ takes it as far as its bound lets it and G₁ the rest; a second, reflected round of
        # these projections halves what is left. On ORL at α = β = 10 this certifies 1e-3 in half
        # the iterations that the first way needs.
        for round_ in range(2):
            inverse = -(pull + G1)
            narrow = inverse.astype(np.float32) if single else inverse
            rest = shrink_singular_values(narrow, self.beta).value
            G1 = G1 + rest
            norms = row_norms(G1)
            scale = _scale_to(self.alpha, float(norms.max()))
            if scale > row_scale:
                row_scale, split = scale, inverse - rest
            if round_ == 0:
                keep = np.minimum(1.0, self.alpha / np.maximum(norms, self.alpha))
                G1 = G1 * (2.0 * keep - 1.0)[:, None]
        # A bound rests on nobody's word: the spectral norm of what is left for G₂ is computed.
        return min(row_scale, _scale_to(self.beta, spectral_norm_bound(split, self.beta)))

    def zero_bound(self) -> float:
        """Lower bound of the optimum that is met by ``W = 0`` beyond the ends of the path.

        Returns
        -------
        float
            ``Σ ‖a_i‖``, the objective of ``W = 0``, times ``min(1, α/α_max + β/β_max)``.
        """
        data = self.data
        share = self.alpha / data.alpha_max + self.beta / data.beta_max
        return float(data.sample_norms.sum()) * min(1.0, share)

    def identity_bound(self, multiplier: FloatArray | None = None) -> float:
        """Lower bound of the optimum that is met by ``W = I`` when that is optimal.

        ``Λ`` is moved to the nearest solution of ``AᵀΛ = −(α + β) U`` (the condition for ``I``)
        and scaled until feasible.

        Parameters
        ----------
        multiplier : ndarray of shape (n_samples, rank) or None, default=None
            Guess of Λ; None takes the solution of least norm.

        Returns
        -------
        float
            0 when the live pixels are linearly dependent: then I is not of interest.
        """
        data = self.data
        if not data.full_column_rank or self.alpha + self.beta == 0.0:
            return 0.0
        Y = self.in_memory.Y
        L = np.zeros_like(Y) if multiplier is None else np.asarray(multiplier, np.float64)
        L = L - Y @ self.identity_shift(self.in_memory.A.T @ L)
        return self.dual_bound(L, self.alpha * data.U, self.beta * data.U)

    def identity_shift(self, pull: FloatArray | None) -> FloatArray:
        """K for which ``Λ − Y K`` is the nearest solution of ``AᵀΛ = −(α + β) U``.

        Parameters
        ----------
        pull : ndarray of shape (n_features, rank) or None
            ``AᵀΛ``; None for Λ = 0.

        Returns
        -------
        ndarray of shape (rank, rank)
        """
        data = self.data
        missing = (self.alpha + self.beta) * np.eye(data.rank)
        if pull is not None:
            missing += data.U.T @ pull
        shift: FloatArray = missing / (data.singular_values**2)[:, None]
        return shift


_ROUND_OFF = 1.0 - 1e-13
"""Bounds are lowered by this factor so that round-off in their own arithmetic cannot lift them
above the optimum."""


def _scale_to(limit: float, norm: float) -> float:
    """Largest factor ≤ 1 that brings a norm within its limit."""
    return 1.0 if norm <= limit else limit / norm
