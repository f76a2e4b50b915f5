"""The loss side of ADMM, row by row: E and its multiplier u, which nobody else needs whole.

``E = shrink(h)`` and ``u = h − E`` are two parts of one row h, on one line with it. So only
``H = E + u`` is kept, with the share of each row that u has: half the memory and half the traffic,
and a step is one product that adds to H in place. What leaves a block of rows are sums over it
(r × r in an iteration, d × r for the certificate) and an error an image: blocks stay where they are
(Boyd et al., *Distributed Optimization and Statistical Learning via ADMM*, 2011, §8.1).
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import scipy

from cspca.problem import CHUNK, ReducedData, row_slices
from cspca.problem.certificate import Lengths
from cspca.proximal import FloatArray, row_norms
from cspca.solvers.blocks_data import PreparedRows, empty


def squares(
    goal: FloatArray, copy: FloatArray, old: FloatArray, multiplier: FloatArray
) -> FloatArray:
    """What balancing asks of a copy, its goal, and its multiplier: five squares, which add up."""
    arrays = (goal, copy, goal - copy, copy - old, multiplier)
    return np.array([float(np.vdot(B, B)) for B in arrays])


class LossSide:
    """E and u of rows that are at hand. ``N = M − I``, ``M = UᵀZ``."""

    def __init__(self, data: ReducedData | PreparedRows, dtype: np.dtype[Any]) -> None:
        self.data = data
        self.rank, self.outside = data.rank, data.outside
        self.scratch = isinstance(data, PreparedRows) and data.blocks.scratch
        self.Y = data.basis_rows(dtype)
        self.H = empty(self.Y.shape, dtype, self.scratch)
        self.free: FloatArray = np.ones(len(self.Y), dtype)
        """Share of each row of H that is u; 1 exactly where E is 0."""
        self.errors: FloatArray | None = None
        """``‖e_i‖`` of each row, as the last check found them."""
        self._seen: FloatArray | None = None
        """``AᵀΛ`` of the last check; None once the rows have moved."""
        self.change: FloatArray | None = None

    def __sizeof__(self) -> int:
        """Bytes, by which Dask decides where a block is best worked on, and what goes to disk."""
        return self.Y.nbytes + self.H.nbytes + self.free.nbytes

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the iterations."""
        return np.dtype(self.H.dtype)

    def begin(self, N: FloatArray, rho: float, floor: float) -> None:
        """Set ``E = Y N``, ``u = E / (ρ ‖E‖)``; rows shorter than `floor` are all multiplier."""
        self._seen = None
        N = N.astype(self.dtype, copy=False)
        for rows in self._chunks():
            E = self.Y[rows] @ N
            errors = row_norms(E)
            unit, long = 1.0 / (rho * np.maximum(errors, floor)), errors >= floor
            E *= np.where(long, 1.0 + unit, unit).astype(self.dtype)[:, None]
            self.H[rows] = E
            self.free[rows] = np.where(long, unit / (1.0 + unit), 1.0)

    def step(
        self, N: FloatArray, rho: float, relaxation: float, measure: bool
    ) -> FloatArray | None:
        """One over-relaxed step of E and u towards ``Y N``, in place; measuring takes longer."""
        self._seen = None
        gemm = scipy.linalg.blas.sgemm if self.dtype == np.float32 else scipy.linalg.blas.dgemm
        threshold = self.dtype.type(1.0 / rho)
        total = np.zeros(5) if measure else None
        for rows in self._chunks():
            # relax · Y N − (relax − 1) E + u, where E = (1 − free) H and u = free H.
            H, kept = self.H[rows], 1.0 - self.free[rows]
            old = None if total is None else H * kept[:, None]
            H *= (1.0 - relaxation * kept)[:, None]
            # In Fortran's order everything is transposed, and the sum is formed in place.
            gemm(relaxation, N.T, self.Y[rows].T, beta=1.0, c=H.T, overwrite_c=1)
            # Never by 0, and 1 exactly where E is zero.
            self.free[rows] = threshold / np.maximum(row_norms(H), threshold)
            if total is not None and old is not None:
                E = H * (1.0 - self.free[rows])[:, None]
                total += squares(self.Y[rows] @ N, E, old, H - E)
        return total

    def asks(self) -> FloatArray:
        """``Yᵀ(E − u)``, shape (rank, rank)."""
        total = np.zeros((self.rank, self.rank), self.dtype)
        for rows in self._chunks():
            total += self.Y[rows].T @ (self.H[rows] * (1.0 - 2.0 * self.free[rows])[:, None])
        return total

    def alignment(self) -> FloatArray:
        """``Σ_i y_ij u_ij`` of each direction j, shape (rank,)."""
        total = np.zeros(self.rank, self.dtype)
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
        H = empty(self.H.shape, np.dtype(np.float64), self.scratch)
        for rows in self._chunks():
            H[rows] = self.H[rows]
        self.H, self.free = H, self.free.astype(np.float64)

    def copy(self) -> LossSide:
        """Rows of their own, for a second run."""
        new = copy.copy(self)
        new.H, new.free = empty(self.H.shape, self.dtype, self.scratch), self.free.copy()
        new.H[...] = self.H
        new.errors = new._seen = None
        return new

    def apart(self) -> LossSide:
        """The same without its images, which are not to be held twice."""
        vars(self).pop("data", None)
        return self

    def check(self, Z: FloatArray, rho: float) -> tuple[float, FloatArray, Lengths]:
        """``Σ ‖e_i‖`` under Z; ``AᵀΛ`` and the lengths of ``Λ = ρu``."""
        U = self.data.U
        away, pull, lengths = np.asarray(Z, np.float64) - U, np.zeros(U.shape), Lengths()
        errors = np.empty(len(self.H))
        for rows in self.data.slices:
            A = self.data.chunk(rows)
            # A Z − Y, with Y = A U
            E = A @ away
            errors[rows] = np.sqrt(np.einsum("ij,ij->i", E, E) + self.outside[rows])
            L = self._multipliers(rows, rho)
            pull += A.T @ L
            lengths = lengths.joined(Lengths.of(L))
        self.errors, self._seen = errors, pull
        return float(errors.sum()), pull, lengths

    def shifted(self, rho: float, K: FloatArray) -> tuple[FloatArray, Lengths]:
        """``AᵀΛ`` and the lengths of ``Λ = ρu − Y K``; ρ = 0 leaves u out."""
        U = self.data.U
        spread, pull, lengths = U @ K, np.zeros(U.shape), Lengths()
        for rows in self.data.slices:
            A = self.data.chunk(rows)
            L = -(A @ spread)
            if rho > 0.0:
                L += self._multipliers(rows, rho)
            pull += A.T @ L
            lengths = lengths.joined(Lengths.of(L))
        return pull, lengths

    def _multipliers(self, rows: slice, rho: float) -> FloatArray:
        """Λ = ρu of some rows, in double precision."""
        H = self.H[rows].astype(np.float64)
        H *= (rho * self.free[rows].astype(np.float64))[:, None]
        return H

    def multiplier(self, rho: float) -> FloatArray:
        """Λ of all rows, shape (n_samples, rank), float64."""
        return self._multipliers(slice(None), rho)

    def reproduced(self) -> FloatArray:
        """Which rows of E are exactly zero, shape (n_samples,)."""
        exact: FloatArray = self.free == 1.0
        return exact

    def entries(self, rho: float) -> tuple[FloatArray, FloatArray]:
        """``AᵀΛ`` over the rows with ``E ≠ 0``, and ``Σ |a_ij|`` over the others."""
        if self._seen is None:
            self._seen, _ = self.shifted(rho, np.zeros((self.rank, self.rank)))
        # Most of it is known: what is missing is the part of the few others.
        exact, slack = self.exact_entries(rho)
        return self._seen - exact, slack

    def exact_entries(self, rho: float) -> tuple[FloatArray, FloatArray]:
        """``AᵀΛ`` over the rows with ``E = 0``, and ``Σ |a_ij|`` over them."""
        pull, slack = np.zeros(self.data.U.shape), np.zeros(len(self.data.U))
        for rows in self.data.slices:
            exact = self.free[rows] == 1.0
            if exact.any():
                A = self.data.chunk(rows)[exact]
                pull += A.T @ self._multipliers(rows, rho)[exact]
                slack += np.abs(A).sum(axis=0)
        return pull, slack

    def _chunks(self) -> list[slice]:
        return row_slices(len(self.Y), CHUNK)
