"""MCFS: features that a sparse regression on the spectral embedding picks, and its lasso path.

The path is least angle regression's, from a Gram matrix that many responses share: B. Efron,
T. Hastie, I. Johnstone, R. Tibshirani, Least Angle Regression, Annals of Statistics 32 (2004),
sections 2 and 3.1. scikit-learn's ``lar`` mishandles sign changes.

Between two events the correlations with the residual of the active features are ±λ, so both the
coefficients and the correlations are linear in λ. Each step solves for them afresh from the Gram
matrix: no error is handed from step to step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import blas, lapack, qr_delete
from sklearn.utils.validation import check_array

from cspca.estimator import COUNT, NOT_NEGATIVE
from cspca.proximal import FloatArray, gram
from cspca.selection.base import GraphSelector, Scores
from cspca.selection.graph import IntArray, smallest_eigenvectors


@dataclass(repr=False, eq=False)
class MCFS(GraphSelector):
    """Multi-cluster feature selection: sparse regression on the clusters' eigenvectors.

    The embedding is the `n_clusters` smallest non-trivial eigenvectors y_k of ``L y = λ D y``. For
    each, least angle regression finds coefficients a_k with `n_nonzero` non-zeros for ::

        min ‖y_k − X a_k‖² + ridge ‖a_k‖²

    scaled to ``‖a_k‖ = 1``, since the scale of an eigenvector means nothing. As in the authors'
    code `X` is neither centred nor scaled, and the path ends where one more feature would join.

    Parameters
    ----------
    n_clusters : int, default=5
        Number of eigenvectors.
    n_nonzero : int or None, default=None
        Non-zero coefficients of each regression; None takes as many as features are selected, but
        at most half as many as samples: with more, any features fit.
    ridge : float, default=1e-3
        Added to the diagonal of ``XᵀX``, so in the squared unit of `X`, as the authors' code does.
    eigenvectors : array-like of shape (n_samples, K) or None, default=None
        A ready embedding in place of the graph's; `n_clusters` and the graph are then not used.
    n_neighbors, weight, width, graph, n_features_to_select
        As in `cspca.selection.LaplacianScore`.

    Attributes
    ----------
    feature_scores_ : ndarray of shape (n_features,)
        ``max_k |a_kj|``, in [0, 1]. Features with exactly 0 are ordered by their correlation with a
        residual as a fraction of that of the picked ones, the largest over the regressions.
    coefficients_ : ndarray of shape (n_features, K)
        The a_k, one a column.
    eigenvectors_ : ndarray of shape (n_samples, K)
        The y_k.

    References
    ----------
    D. Cai, C. Zhang, X. He, Unsupervised Feature Selection for Multi-Cluster Data, KDD 2010,
    section 3, eqs. 2, 4 and 6.
    """

    n_clusters: Annotated[int, COUNT] = 5
    n_nonzero: Annotated[int | None, [*COUNT, None]] = None
    _: KW_ONLY
    ridge: Annotated[float, NOT_NEGATIVE] = 1e-3
    eigenvectors: Annotated[ArrayLike | None, ["array-like", None]] = None

    def _score(self, X: FloatArray) -> Scores:
        live = np.ptp(X, axis=0) > 0
        X, Y, copy_of = self._embedding(X)
        n_nonzero = self._n_nonzero(len(X), int(live.sum()))
        varying = X[:, live]
        G = gram(varying)
        G[np.diag_indices_from(G)] += self.ridge
        B = varying.T @ Y
        coefficients = least_angle_coefficients(G, B, n_nonzero)
        # Correlation with the residual as a fraction of the largest, the best over regressions.
        left = np.abs(B - G @ coefficients)
        top = left.max(axis=0)
        closeness = np.divide(left, top, out=np.zeros_like(left), where=top > 0).max(axis=1)
        size = np.linalg.norm(coefficients, axis=0)
        coefficients = coefficients / np.where(size > 0, size, 1.0)
        self.eigenvectors_ = Y[copy_of]
        self.coefficients_ = np.zeros((X.shape[1], Y.shape[1]))
        self.coefficients_[live] = coefficients
        return Scores(np.abs(coefficients).max(axis=1), closeness, live)

    def _n_nonzero(self, n_samples: int, live: int) -> int:
        if self.n_nonzero is None:
            return min(self._n_selected(), live, max(1, n_samples // 2))
        if self.n_nonzero > live:
            raise ValueError(
                f"n_nonzero={self.n_nonzero} but X has {live} feature(s) that vary: ask for at "
                f"most {live} non-zero coefficients."
            )
        return self.n_nonzero

    def _embedding(self, X: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
        """The samples, their embedding, and for every sample of X which of them it is."""
        if self.eigenvectors is None:
            X, S, copy_of = self._joined(X, self.n_clusters)
            return X, smallest_eigenvectors(S, self.n_clusters)[1], copy_of
        embedding: FloatArray = check_array(
            self.eigenvectors, dtype=np.float64, input_name="eigenvectors"
        )
        if len(embedding) != len(X):
            raise ValueError(
                f"eigenvectors has {len(embedding)} rows but X has {len(X)} samples: give one row "
                "a sample."
            )
        return X, embedding, np.arange(len(X))


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
        coefficients = u - level * v
        if place >= 0:
            self._leave(place)
            return Vertex(level, self.active[: self.k].copy(), np.delete(coefficients, place))
        vertex = Vertex(level, active.copy(), coefficients)
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
        for array in (self.active, self.signs, self.rows):
            array[place : k - 1] = array[place + 1 : k].copy()
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
