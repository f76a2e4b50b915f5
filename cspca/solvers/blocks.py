"""The loss side of ADMM, row by row: E and its multiplier u, which nobody else needs whole.

``E = shrink(h)`` and ``u = h − E`` are two parts of one row h, on one line with it. So only
``H = E + u`` is kept, with the share of each row that u has: half the memory and half the traffic,
and a step is one product that adds to H in place. All that leaves a block of rows are sums over
it: r × r in an iteration, d × r for the certificate. That is what lets blocks stay where they are
(Boyd et al., *Distributed Optimization and Statistical Learning via ADMM*, 2011, §8.1).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Protocol, Self

import numpy as np
from scipy.linalg import blas

from cspca.problem import CHUNK, row_slices
from cspca.proximal import FloatArray, row_norms


class RowData(Protocol):
    """What the loss side asks of the data: rows of A, and of Y in a wished precision."""

    U: FloatArray
    outside: FloatArray

    @property
    def slices(self) -> list[slice]:
        """Slices of rows that are worked on at a time."""

    def chunk(self, rows: slice) -> FloatArray:
        """Some rows of A, in double precision."""

    def basis_rows(self, dtype: np.dtype[Any]) -> FloatArray:
        """Y, shape (n_samples, rank); not to be written to."""

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> FloatArray:
        """Memory for what is kept of each row."""


@dataclass
class Change:
    """Squared norms of ``Y M − Y``, E, their difference, the change of E, and u; blocks add up."""

    residual: float = 0.0
    copy: float = 0.0
    disagreement: float = 0.0
    moved: float = 0.0
    multiplier: float = 0.0

    def __add__(self, other: Change) -> Change:
        """Of the rows of both."""
        return Change(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    @property
    def primal(self) -> float:
        """Relative distance of E from what it is a copy of; 0 for 0 / 0."""
        return _ratio(self.disagreement, max(self.residual, self.copy))

    @property
    def dual(self) -> float:
        """Change of E relative to the multiplier; 0 for 0 / 0."""
        return _ratio(self.moved, self.multiplier)


def _ratio(squared: float, scale: float) -> float:
    return float(np.sqrt(squared / scale)) if scale > 0.0 else 0.0


class Rows(Protocol):
    """The loss side as ADMM drives it, wherever its rows are. ``N = M − I``, ``M = UᵀZ``."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the iterations."""

    def begin(self, N: FloatArray, penalty: float, floor: float) -> None:
        """Set ``E = Y N`` with the multipliers that belong to it."""

    def step(
        self, N: FloatArray, penalty: float, relaxation: float, *, measure: bool
    ) -> Change | None:
        """One over-relaxed step of E and u towards ``Y N``."""

    def pull(self) -> FloatArray:
        """``Yᵀ(E − u)``, shape (rank, rank)."""

    def alignment(self) -> FloatArray:
        """``Σ_i y_ij u_ij`` of each direction j, shape (rank,)."""

    def rescale(self, factor: float) -> None:
        """Divide u by `factor`: ρ was multiplied by it and ρu stays."""

    def promote(self) -> None:
        """Go on in double precision."""

    def check(self, Z: FloatArray, penalty: float) -> tuple[float, FloatArray, float]:
        """``Σ ‖e_i‖`` under Z; ``AᵀΛ`` and the largest ``‖λ_i‖`` of ``Λ = ρu``. In double."""

    def shifted(self, penalty: float, K: FloatArray) -> tuple[FloatArray, float]:
        """``AᵀΛ`` and the largest ``‖λ_i‖`` of ``Λ = ρu − Y K``; a penalty of 0 leaves u out."""

    def reproduced(self) -> FloatArray:
        """Which rows of E are exactly zero, shape (n_samples,)."""

    def entries(self, penalty: float) -> tuple[FloatArray, FloatArray]:
        """``AᵀΛ`` over the rows with ``E ≠ 0``, and ``Σ |a_ij|`` over the others."""

    def copy(self) -> Self:
        """Rows of their own, for a second run."""


class LossRows:
    """E and u of rows that are at hand."""

    def __init__(self, data: RowData, dtype: np.dtype[Any]) -> None:
        self.data = data
        self.Y = data.basis_rows(dtype)
        self.H = data.empty(self.Y.shape, dtype)
        self.free: FloatArray = np.ones(len(self.Y), dtype)
        """Share of each row of H that is u; 1 exactly where E is 0."""
        self.errors: FloatArray | None = None
        """``‖e_i‖`` of each row, as the last check found them."""
        self._seen: FloatArray | None = None
        """``AᵀΛ`` of the last check; None once the rows have moved."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the iterations."""
        return np.dtype(self.H.dtype)

    def begin(self, N: FloatArray, penalty: float, floor: float) -> None:
        """Set ``E = Y N`` with ``u = E / (ρ ‖E‖)``; rows shorter than `floor` are all multiplier.

        N may be a diagonal.
        """
        self._seen = None
        for rows in self._chunks():
            E = _product(self.Y[rows], N)
            self._place(rows, E, row_norms(E), penalty, floor)

    def _place(
        self, rows: slice, E: FloatArray, errors: FloatArray, penalty: float, floor: float
    ) -> None:
        """Lengthen rows by the multiplier that belongs to them."""
        unit = 1.0 / (penalty * np.maximum(errors, floor))
        long = errors >= floor
        E *= np.where(long, 1.0 + unit, unit).astype(self.dtype)[:, None]
        self.H[rows] = E
        self.free[rows] = np.where(long, unit / (1.0 + unit), 1.0)

    def step(
        self, N: FloatArray, penalty: float, relaxation: float, *, measure: bool
    ) -> Change | None:
        """One over-relaxed step of E and u towards ``Y N``, in place; measuring takes longer."""
        self._seen = None
        if not measure:
            for rows in self._chunks():
                self._advance(rows, N, penalty, relaxation)
            return None
        total = Change()
        for rows in self._chunks():
            residual = self.Y[rows] @ N
            old = self._copies(rows)
            self._advance(rows, N, penalty, relaxation)
            E = self._copies(rows)
            total += Change(
                _square(residual),
                _square(E),
                _square(residual - E),
                _square(E - old),
                _square(self.H[rows] - E),
            )
        return total

    def _advance(self, rows: slice, N: FloatArray, penalty: float, relaxation: float) -> None:
        # relax · Y N − (relax − 1) E + u, where E = (1 − free) H and u = free H.
        H, kept = self.H[rows], 1.0 - self.free[rows]
        H *= (1.0 - relaxation * kept)[:, None]
        gemm = blas.sgemm if self.dtype == np.float32 else blas.dgemm
        # In Fortran's order everything is transposed, and the sum is formed in place.
        gemm(relaxation, N.T, self.Y[rows].T, beta=1.0, c=H.T, overwrite_c=1)
        # Never by 0, and 1 exactly where E is zero.
        threshold = self.dtype.type(1.0 / penalty)
        self.free[rows] = threshold / np.maximum(row_norms(H), threshold)

    def _copies(self, rows: slice) -> FloatArray:
        E: FloatArray = self.H[rows] * (1.0 - self.free[rows])[:, None]
        return E

    def pull(self) -> FloatArray:
        """``Yᵀ(E − u)``, shape (rank, rank)."""
        total = np.zeros((self.Y.shape[1],) * 2, self.dtype)
        for rows in self._chunks():
            total += self.Y[rows].T @ (self.H[rows] * (1.0 - 2.0 * self.free[rows])[:, None])
        return total

    def alignment(self) -> FloatArray:
        """``Σ_i y_ij u_ij`` of each direction j, shape (rank,)."""
        total = np.zeros(self.Y.shape[1], self.dtype)
        for rows in self._chunks():
            total += np.einsum("ij,ij,i->j", self.Y[rows], self.H[rows], self.free[rows])
        return total

    def rescale(self, factor: float) -> None:
        """Divide u by `factor`: ρ was multiplied by it and ρu stays."""
        if factor == 1.0:
            return
        longer = 1.0 - self.free + self.free / factor
        for rows in self._chunks():
            self.H[rows] *= longer[rows].astype(self.dtype)[:, None]
        self.free = np.where(self.free == 1.0, 1.0, self.free / factor / longer).astype(self.dtype)

    def promote(self) -> None:
        """Go on in double precision."""
        self.Y = self.data.basis_rows(np.dtype(np.float64))
        H = self.data.empty(self.H.shape, np.dtype(np.float64))
        for rows in self._chunks():
            H[rows] = self.H[rows]
        self.H, self.free = H, self.free.astype(np.float64)

    def warmed(self, change: FloatArray, penalty: float, floor: float) -> LossRows:
        """Other penalties: E as the shrinkage of each direction changes, with its multipliers."""
        new = self._twin(self.data.empty(self.H.shape, self.dtype), np.empty_like(self.free))
        for rows in self._chunks():
            E = self._copies(rows)
            E += self.Y[rows]
            E *= change.astype(self.dtype)
            E -= self.Y[rows]
            new._place(rows, E, row_norms(E), penalty, floor)
            exact = self.free[rows] == 1.0
            new.H[rows][exact] = self.H[rows][exact]
            new.free[rows][exact] = 1.0
        return new

    def copy(self) -> LossRows:
        """Rows of their own, for a second run."""
        new = self._twin(self.data.empty(self.H.shape, self.dtype), self.free.copy())
        new.H[...] = self.H
        return new

    def _twin(self, H: FloatArray, free: FloatArray) -> LossRows:
        """Rows of the same data, with another E and u."""
        new = LossRows.__new__(LossRows)
        new.data, new.Y, new.H, new.free = self.data, self.Y, H, free
        new.errors = new._seen = None
        return new

    def reading(self, data: RowData) -> LossRows:
        """These very rows, in the same memory, with their images read from elsewhere."""
        new = self._twin(self.H, self.free)
        new.data = data
        return new

    def check(self, Z: FloatArray, penalty: float) -> tuple[float, FloatArray, float]:
        """``Σ ‖e_i‖`` under Z; ``AᵀΛ`` and the largest ``‖λ_i‖`` of ``Λ = ρu``."""
        U = self.data.U
        away, pull, largest = np.asarray(Z, np.float64) - U, np.zeros(U.shape), 0.0
        errors = np.empty(len(self.H))
        for rows in self.data.slices:
            A = self.data.chunk(rows)
            # A Z − Y, with Y = A U
            E = A @ away
            errors[rows] = np.sqrt(np.einsum("ij,ij->i", E, E) + self.data.outside[rows])
            L = self._multipliers(rows, penalty)
            pull += A.T @ L
            largest = max(largest, float(row_norms(L).max()))
        self.errors, self._seen = errors, pull
        return float(errors.sum()), pull, largest

    def shifted(self, penalty: float, K: FloatArray) -> tuple[FloatArray, float]:
        """``AᵀΛ`` and the largest ``‖λ_i‖`` of ``Λ = ρu − Y K``; a penalty of 0 leaves u out."""
        U = self.data.U
        spread, pull, largest = U @ K, np.zeros(U.shape), 0.0
        for rows in self.data.slices:
            A = self.data.chunk(rows)
            L = -(A @ spread)
            if penalty > 0.0:
                L += self._multipliers(rows, penalty)
            pull += A.T @ L
            largest = max(largest, float(row_norms(L).max()))
        return pull, largest

    def _multipliers(self, rows: slice, penalty: float) -> FloatArray:
        """Λ = ρu of some rows, in double precision."""
        H = self.H[rows].astype(np.float64)
        H *= (penalty * self.free[rows].astype(np.float64))[:, None]
        return H

    def multiplier(self, penalty: float) -> FloatArray:
        """Λ of all rows, shape (n_samples, rank), float64."""
        return self._multipliers(slice(None), penalty)

    def reproduced(self) -> FloatArray:
        """Which rows of E are exactly zero, shape (n_samples,)."""
        exact: FloatArray = self.free == 1.0
        return exact

    def entries(self, penalty: float) -> tuple[FloatArray, FloatArray]:
        """``AᵀΛ`` over the rows with ``E ≠ 0``, and ``Σ |a_ij|`` over the others."""
        if self._seen is not None:
            # Most of it is known: what is missing is the part of the few others.
            exact, slack = self.exact_entries(penalty)
            return self._seen - exact, slack
        pull, slack = np.zeros(self.data.U.shape), np.zeros(len(self.data.U))
        for rows in self.data.slices:
            A, exact = self.data.chunk(rows), self.free[rows] == 1.0
            L = self._multipliers(rows, penalty)
            L[exact] = 0.0
            pull += A.T @ L
            slack += np.abs(A[exact]).sum(axis=0)
        return pull, slack

    def exact_entries(self, penalty: float) -> tuple[FloatArray, FloatArray]:
        """``AᵀΛ`` over the rows with ``E = 0``, and ``Σ |a_ij|`` over them."""
        pull, slack = np.zeros(self.data.U.shape), np.zeros(len(self.data.U))
        for rows in self.data.slices:
            exact = self.free[rows] == 1.0
            if exact.any():
                A = self.data.chunk(rows)[exact]
                pull += A.T @ self._multipliers(rows, penalty)[exact]
                slack += np.abs(A).sum(axis=0)
        return pull, slack

    def _chunks(self) -> list[slice]:
        return row_slices(len(self.Y), CHUNK)


def _square(B: FloatArray) -> float:
    return float(np.vdot(B, B))


def _product(Y: FloatArray, N: FloatArray) -> FloatArray:
    """A new array ``Y N``; N may be a diagonal."""
    N = N.astype(Y.dtype, copy=False)
    product: FloatArray = Y * N if N.ndim == 1 else Y @ N
    return product
