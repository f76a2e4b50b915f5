"""The loss side of ADMM, row by row: E and its multiplier u, which nobody else needs whole.

``E = shrink(h)`` and ``u = h − E`` are two parts of one row h, on one line with it. So only
``H = E + u`` is kept, with the share of each row that u has: half the memory and half the traffic,
and a step is one product that adds to H in place. What leaves a block of rows are sums over it
(r × r in an iteration, r × k on k columns, d × r for the certificate) and an error an image: blocks
stay where they are (Boyd et al., *Distributed Optimization and Statistical Learning via ADMM*,
2011, §8.1).
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import scipy

from cspca.problem import CHUNK, ReducedData, row_slices
from cspca.problem.certificate import Lengths
from cspca.proximal import FloatArray, free_share, gram, row_norms, solve_definite
from cspca.solvers.blocks_data import PreparedRows, empty


class LossSide:
    """E and u of rows that are at hand: ``E = Y N``, ``N = UᵀZ − I``, before any step.

    On few columns V (theory.md §7) ``Z = C Vᵀ``, ``N = UᵀC − V``, and E and u have as many columns;
    `rest` is the square of what lies outside them of each image, and a constant. Where E is no
    copy but `minimised` over, at `N`, `lengths` are those of it at which the next parabolas touch,
    and none is below `least`, which is above 0 then.
    """

    least = 0.0
    N: FloatArray
    lengths: FloatArray

    def __init__(self, data: ReducedData | PreparedRows, dtype: np.dtype[Any]) -> None:
        self.data = data
        self.rank, self.outside = data.U.shape[1], data.outside
        self.scratch = isinstance(data, PreparedRows) and data.blocks.scratch
        self.Y = data.basis_rows(dtype)
        self.H: FloatArray
        self.free: FloatArray
        """Share of each row of H that is u; 1 exactly where E is 0."""
        self.errors: FloatArray | None = None
        """``‖e_i‖`` of each row, as the last check found them."""
        self._last_pull: FloatArray | None = None
        """``AᵀΛ`` of the last check; None once the rows have moved."""
        self._right_side: FloatArray | None = None
        """``Yᵀ(E − u)``; None once the rows have moved."""

    def __sizeof__(self) -> int:
        """Bytes, by which Dask decides where a block is best worked on, and what goes to disk."""
        return self.Y.nbytes + self.H.nbytes + self.free.nbytes

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the iterations."""
        return np.dtype(self.Y.dtype)

    @property
    def minimised(self) -> bool:
        """Whether it goes on without a copy of the errors."""
        return self.least > 0.0

    def begin(self, N: FloatArray, rho: float, floor: float, V: FloatArray | None = None) -> None:
        """Set ``E = Y N``, ``u = E / (ρ ‖E‖)``; rows shorter than `floor` are all multiplier."""
        self._last_pull = self._right_side = None
        self.V, self.floor = V, floor
        self.free = np.zeros(len(self.Y), self.dtype)
        if V is None:
            self.rest, self.H = self.outside, empty(self.Y.shape, self.dtype, self.scratch)
        else:
            # From no columns, with all of every image outside them.
            self.rest, self.H = np.full(len(self.Y), np.inf), self.Y[:, :0]
            self.widen(V)
        N = N.astype(self.dtype, copy=False)
        for rows in self._chunks():
            E = self.Y[rows] @ N
            errors = self._lengths(row_norms(E), rows)
            unit, long = 1.0 / (rho * np.maximum(errors, floor)), errors >= floor
            E *= np.where(long, 1.0 + unit, unit).astype(self.dtype)[:, None]
            self.H[rows] = E
            self.free[rows] = np.where(long, unit / (1.0 + unit), 1.0)

    def widen(self, V: FloatArray) -> None:
        """Go on with more columns: nothing moves, and E and u gain their parts ``−Y V``."""
        H = empty((len(self.Y), V.shape[1]), self.dtype, self.scratch)
        n_columns, rest = self.H.shape[1], self.rest.copy()
        for rows, A, part in self.data.along(V[:, n_columns:]):
            whole = np.square(row_norms(A))
            left = np.minimum(rest[rows], whole) - np.square(row_norms(part))
            # Of what is nearly nothing the difference would be round-off.
            few = left < 2.0**-20 * whole
            if few.any():
                missed = A[few] @ self.data.U
                missed -= (missed @ V) @ V.T
                left[few] = np.square(row_norms(missed)) + self.outside[rows][few]
            some = left - self.outside[rows] > 2.0**-80 * whole
            rest[rows] = np.where(some, left, self.outside[rows])
            # E and u stay on one line: both are the same multiple of what was outside.
            error_share = 1.0 - self.free[rows]
            H[rows, :n_columns] = self.H[rows]
            H[rows, n_columns:] = part / np.where(error_share > 0.0, -error_share, np.inf)[:, None]
        self.H, self.rest, self.V, self._right_side = H, rest, V, None

    def step(self, N: FloatArray, rho: float, relaxation: float) -> None:
        """One over-relaxed step of E and u towards ``Y N``, in place."""
        self._last_pull = self._right_side = None
        gemm = scipy.linalg.blas.sgemm if self.dtype == np.float32 else scipy.linalg.blas.dgemm
        threshold = self.dtype.type(1.0 / rho)
        for rows in self._chunks():
            # relax · Y N − (relax − 1) E + u, where E = (1 − free) H and u = free H.
            H, error_share = self.H[rows], 1.0 - self.free[rows]
            H *= (1.0 - relaxation * error_share)[:, None]
            # In Fortran's order everything is transposed, and the sum is formed in place.
            gemm(relaxation, N.T, self.Y[rows].T, beta=1.0, c=H.T, overwrite_c=1)
            lengths = row_norms(H)
            if self.V is None:
                # Never by 0, and 1 exactly where E is zero.
                self.free[rows] = threshold / np.maximum(lengths, threshold)
            else:
                self.free[rows] = free_share(lengths, np.sqrt(self.rest[rows]), threshold)

    def minimise_over(self, least: float) -> None:
        """Go on without a copy of the errors, or, where `least` is 0, with one."""
        self.least = least
        lengths = row_norms(self.H) * (1.0 - self.free)
        self.lengths = np.maximum(lengths.astype(np.float64), least)

    def minimise(self, inner: FloatArray, both: float, rho: float, passes: int) -> FloatArray:
        """N that nearly minimises ``Σ ‖y_i N‖ + ½ both ‖N + I − inner‖²``; E and Λ are its own.

        By Algorithm 1's parabolas, in double (theory.md §6).
        """
        identity, N = np.eye(self.rank), inner
        for _ in range(passes):
            H = self.curvature()
            try:
                N = both * solve_definite(H + both * identity, inner - identity)
            except np.linalg.LinAlgError:
                # Weights differ so much that round-off has made its least eigenvalue negative.
                ridge = both + 1e-14 * float(np.trace(H))
                N = ridge * solve_definite(H + ridge * identity, inner - identity)
            self.touch(N, rho)
        self.N = N
        return N

    def curvature(self) -> FloatArray:
        """``Yᵀ diag(1 / lengths) Y``, that of the parabolas."""
        total = np.zeros((self.rank, self.rank), self.dtype)
        for rows in self._chunks():
            total += gram(self.Y[rows] / np.sqrt(self.lengths[rows])[:, None])
        return total

    def touch(self, N: FloatArray, rho: float) -> None:
        """Set ``E = Y N``, Λ to it over the lengths, cut to 1, and the next lengths."""
        self._last_pull = self._right_side = None
        touched, least = self.lengths, self.least
        self.lengths = np.empty_like(touched)
        for rows in self._chunks():
            E = np.matmul(self.Y[rows], N, out=self.H[rows])
            errors = row_norms(E)
            self.lengths[rows] = np.maximum(touched[rows] * (errors / touched[rows]) ** 1.9, least)
            unit = 1.0 / (rho * np.maximum(touched[rows], errors))
            # What ends at the least is zero.
            zero = self.lengths[rows] == least
            E *= np.where(zero, unit, 1.0 + unit)[:, None]
            self.free[rows] = np.where(zero, 1.0, unit / (1.0 + unit))

    def right_side(self) -> FloatArray:
        """``Yᵀ(E − u)``, shape (rank, columns)."""
        if self._right_side is None:
            self._right_side = np.zeros((self.rank, self.H.shape[1]), self.dtype)
            for rows in self._chunks():
                difference = self.H[rows] * (1.0 - 2.0 * self.free[rows])[:, None]
                self._right_side += self.Y[rows].T @ difference
        return self._right_side

    def inner_pull(self, rho: float) -> FloatArray:
        """``YᵀΛ`` on few columns, shape (rank, rank), in the precision of the iterations."""
        V = self._columns
        total, spread = np.zeros_like(V), np.zeros((self.rank, self.rank), self.dtype)
        for rows in self._chunks():
            Y, u = self.Y[rows], self.H[rows] * self.free[rows][:, None]
            total += Y.T @ u
            spread += gram(Y * np.sqrt(self._weights(rows))[:, None])
        # As in `_multipliers`.
        pull: FloatArray = (self.dtype.type(rho) * total + spread @ V) @ V.T - spread
        return pull

    def cast(self, dtype: np.dtype[Any]) -> None:
        """Go on in another precision."""
        if dtype == self.dtype:
            return
        self.Y = self.data.basis_rows(dtype)
        H = empty(self.H.shape, dtype, self.scratch)
        for rows in self._chunks():
            H[rows] = self.H[rows]
        self.H, self.free, self._right_side = H, self.free.astype(dtype), None

    def copy(self) -> LossSide:
        """Rows of their own, for a second run."""
        new = copy.copy(self)
        new.H, new.free = empty(self.H.shape, self.dtype, self.scratch), self.free.copy()
        new.H[...] = self.H
        new.errors = new._last_pull = None
        return new

    def without_images(self) -> LossSide:
        """The same without its images, which are not to be held twice."""
        vars(self).pop("data", None)
        return self

    def total(self, N: FloatArray) -> float:
        """``Σ ‖e_i‖`` of ``E = Y N``, with what lies outside: to look at, not to prove with."""
        N, total = N.astype(self.dtype, copy=False), 0.0
        for rows in self._chunks():
            norms = row_norms(self.Y[rows] @ N).astype(np.float64)
            total += float(np.sqrt(np.square(norms) + self.rest[rows]).sum())
        return total

    def check(self, Z: FloatArray, rho: float) -> tuple[float, FloatArray, Lengths]:
        """``Σ ‖e_i‖`` under Z, or C on few columns; ``AᵀΛ`` and the lengths of Λ, ρu on all."""
        U = self.data.U
        away = np.asarray(Z, np.float64) - (U if self.V is None else U @ self.V)
        errors, pull, lengths = np.empty(len(self.H)), np.zeros(U.shape), Lengths()
        for rows in self.data.slices:
            A = self.data.chunk(rows)
            # A Z − Y, with Y = A U
            E = A @ away
            errors[rows] = np.sqrt(np.einsum("ij,ij->i", E, E) + self.rest[rows])
            L = self._multipliers(rows, rho)
            pull += A.T @ L
            lengths += Lengths.of(L)
        self.errors, self._last_pull = errors, pull
        return float(errors.sum()), pull, lengths

    def shifted(self, rho: float, K: FloatArray | None = None) -> tuple[FloatArray, Lengths]:
        """``AᵀΛ`` and the lengths of ``Λ = ρu − Y K``, whose rows are cut to 1."""
        U = self.data.U
        pull, lengths = np.zeros(U.shape), Lengths()
        spread = None if K is None else U @ K
        for rows in self.data.slices:
            A, L = self.data.chunk(rows), self._multipliers(rows, rho)
            if spread is not None:
                L -= A @ spread
                L /= np.maximum(row_norms(L), 1.0)[:, None]
            pull += A.T @ L
            lengths += Lengths.of(L)
        return pull, lengths

    def _multipliers(self, rows: slice, rho: float) -> FloatArray:
        """Λ of some rows in all columns, in double precision; ρu, if all there are."""
        L = self.H[rows].astype(np.float64)
        L *= (rho * self.free[rows].astype(np.float64))[:, None]
        if self.V is not None:
            # And −w y (I − V Vᵀ), w = 1 / ‖e‖, of the error outside V.
            V, weighted = self._columns, self.Y[rows] * self._weights(rows)[:, None]
            L = (L.astype(self.dtype) + weighted @ V) @ V.T
            L = (L - weighted).astype(np.float64)
        return L

    @property
    def _columns(self) -> FloatArray:
        """V in the precision of the iterations."""
        assert self.V is not None
        return self.V.astype(self.dtype)

    def _lengths(self, norms: FloatArray, rows: slice) -> FloatArray:
        """Lengths of errors from those of E; on all columns what lies outside is left out."""
        return norms if self.V is None else np.hypot(norms, np.sqrt(self.rest[rows]))

    def _weights(self, rows: slice) -> FloatArray:
        """1 / ‖e_i‖, in the precision of the iterations; 0 for images without an error."""
        norms = row_norms(self.H[rows]) * (1.0 - self.free[rows])
        errors = self._lengths(norms, rows)
        some = errors > self.floor
        return np.where(some, 1.0 / np.maximum(errors, self.floor), 0.0).astype(self.dtype)

    def reproduced(self) -> int:
        """How many rows of E are exactly zero."""
        return int(np.count_nonzero(self.free == 1.0))

    def entries(self, rho: float) -> tuple[FloatArray, FloatArray]:
        """``AᵀΛ`` over the rows with ``E ≠ 0``, and ``Σ |a_ij|`` over the others."""
        if self._last_pull is None:
            self._last_pull, _ = self.shifted(rho)
        # Most of it is known: what is missing is the part of the few others.
        exact, slack = self.exact_entries(rho)
        return self._last_pull - exact, slack

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
