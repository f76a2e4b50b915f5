"""The lasso's path, by least angle regression from a Gram matrix that many responses share.

After B. Efron, T. Hastie, I. Johnstone, R. Tibshirani, Least Angle Regression, Annals of
Statistics 32 (2004), sections 2 and 3.1. scikit-learn's ``lar`` mishandles sign changes.

Between two events the correlations with the residual of the active features are ±λ, so both the
coefficients and the correlations are linear in λ. Each step solves for them afresh from the Gram
matrix: no error is handed from step to step.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack, qr_delete

from cspca.proximal import FloatArray

_EPSILON = float(np.finfo(np.float64).eps)
_SIDES = np.array([[1.0], [-1.0]])


class Vertex(NamedTuple):
    """A kink of the path at λ, the absolute correlation of all active features."""

    level: float
    active: NDArray[np.intp]
    coefficients: FloatArray


def least_angle_coefficients(G: FloatArray, B: FloatArray, n_nonzero: int) -> FloatArray:
    """Coefficients at the first vertex with `n_nonzero` non-zeros, from XᵀX and XᵀY."""
    coefficients = np.zeros(B.shape)
    for k, b in enumerate(B.T):
        *_, last = vertices(G, b, n_nonzero)
        coefficients[last.active, k] = last.coefficients
    return coefficients


def vertices(G: FloatArray, b: FloatArray, max_active: int) -> Iterator[Vertex]:
    """Walk the path from λ = max |b| down, until `max_active` features have joined or λ = 0."""
    path = _Path(G, b, max_active)
    while not path.ended:
        yield path.step()


class _Path:
    """The state of one walk: the active features and the Cholesky factor of their Gram matrix."""

    def __init__(self, G: FloatArray, b: FloatArray, max_active: int) -> None:
        d = len(b)
        self.G, self.b = G, b
        self.max_active = min(max_active, d)
        self.k = 0
        self.active = np.empty(self.max_active, dtype=np.intp)
        self.signs = np.empty(self.max_active)
        self.rows = np.empty((self.max_active, d))  # rows of G of the active features
        # Upper factor R, RᵀR = G_AA, packed by columns: a new feature only appends to it.
        # One column more than is ever used: that of the feature about to join.
        self.R = np.empty((self.max_active + 1) * (self.max_active + 2) // 2)
        # R⁻ᵀ b_A and R⁻ᵀ s_A.
        self.half_b, self.half_s = np.empty(self.max_active), np.empty(self.max_active)
        self.pair = np.empty((2, self.max_active))
        self.blocked = np.zeros(d)  # ∞ for the features that cannot join
        self.barred: list[int] = []
        self.left, self.left_sign = -1, 0.0
        self.joined = False
        self.level = float(np.abs(b).max())
        # Below this the correlations are rounding errors of the first ones.
        self.floor = 10.0 * _EPSILON * self.level
        self.ended = False
        if self.level > 0.0:
            first = int(np.abs(b).argmax())
            self._append_column(first)
            self._join(first, float(np.sign(b[first])))

    def step(self) -> Vertex:
        """Go down to the next event."""
        k, active = self.k, self.active[: self.k]
        # coefficients = u − λ v, correlations = p + λ q.
        u, v = pair = self.pair[:, :k]
        u[:], v[:] = self._solve(self.half_b[:k]), self._solve(self.half_s[:k])
        explained, q = pair @ self.rows[:k]
        p = self.b - explained
        level, feature, sign = self._next_to_meet(p, q)
        while level > self.floor and not self._append_column(feature):
            # A feature that the active ones already span brings nothing until one of them leaves.
            self.barred.append(feature)
            self.blocked[feature] = np.inf
            level, feature, sign = self._next_to_meet(p, q)
        zero, place = self._next_to_leave(u, v)
        if zero > level:
            level = zero
        else:
            place = -1
        if level <= self.floor:
            level, place, self.ended = 0.0, -1, True
        self.level = level
        found = u - level * v
        if place >= 0:
            self._leave(place)
            return Vertex(level, self.active[: self.k].copy(), np.delete(found, place))
        vertex = Vertex(level, active.copy(), found)
        self.ended = self.ended or k == self.max_active
        if not self.ended:
            self._join(feature, sign)
        return vertex

    def _next_to_meet(self, p: FloatArray, q: FloatArray) -> tuple[float, int, float]:
        """λ at which the next inactive feature reaches ±λ, the feature, and the sign."""
        closing = 1.0 - _SIDES * q + self.blocked
        closing[closing <= 0.0] = np.inf
        if self.left >= 0:
            # It sits at ±λ now and is on its way down.
            closing[0 if self.left_sign > 0 else 1, self.left] = np.inf
        meets = (_SIDES * p / closing).ravel()
        place = int(meets.argmax())
        side, feature = divmod(place, len(p))
        # Ties are at λ itself, up to rounding.
        return min(max(float(meets[place]), 0.0), self.level), feature, float(_SIDES[side, 0])

    def _next_to_leave(self, u: FloatArray, v: FloatArray) -> tuple[float, int]:
        """λ at which the first active coefficient reaches zero, and its place."""
        if not self.k:
            return 0.0, -1
        zeros = u / np.where(self.signs[: self.k] * v < 0.0, v, np.inf)
        if self.joined:
            zeros[-1] = 0.0  # it starts at zero and grows
        place = int(zeros.argmax())
        return min(float(zeros[place]), self.level), place

    def _append_column(self, j: int) -> bool:
        """Write the column of feature j behind those of R, unless the active ones span it."""
        k, own = self.k, float(self.G[j, j])
        above = self._solve(self.G[j, self.active[:k]], transposed=True)
        squared = own - float(above @ above)
        if squared <= 10.0 * len(self.b) * _EPSILON * own:
            return False
        start = k * (k + 1) // 2
        self.R[start : start + k], self.R[start + k] = above, np.sqrt(squared)
        return True

    def _join(self, j: int, sign: float) -> None:
        """Make feature j active; its column of R is there."""
        k = self.k
        start = k * (k + 1) // 2
        above, rho = self.R[start : start + k], self.R[start + k]
        self.rows[k] = self.G[j]
        self.active[k], self.signs[k] = j, sign
        self.half_b[k] = (self.b[j] - above @ self.half_b[:k]) / rho
        self.half_s[k] = (sign - above @ self.half_s[:k]) / rho
        self.blocked[j] = np.inf
        self.left, self.joined = -1, True
        self.k = k + 1

    def _leave(self, place: int) -> None:
        k = self.k
        self.left, self.left_sign = int(self.active[place]), float(self.signs[place])
        self.joined = False
        full, _ = lapack.dtpttr(k, self.R[: k * (k + 1) // 2], uplo="U")
        _, smaller = qr_delete(np.eye(k), full, place, which="col", check_finite=False)
        for kept in (self.active, self.signs, self.rows):
            kept[place : k - 1] = kept[place + 1 : k].copy()
        self.k = k = k - 1
        self.R[: k * (k + 1) // 2], _ = lapack.dtrttp(smaller[:k], uplo="U")
        self.half_b[:k] = self._solve(self.b[self.active[:k]], transposed=True)
        self.half_s[:k] = self._solve(self.signs[:k], transposed=True)
        self.blocked[[self.left, *self.barred]] = 0.0
        self.barred.clear()

    def _solve(self, right: FloatArray, *, transposed: bool = False) -> FloatArray:
        """``R⁻¹ right``, or ``R⁻ᵀ right``."""
        k = len(right)
        if not k:
            return np.zeros(0)
        solution: FloatArray = blas.dtpsv(k, self.R[: k * (k + 1) // 2], right, trans=transposed)
        return solution
