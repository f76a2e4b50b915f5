"""SOGFS: a projection of few features, and a graph in it that falls into clusters."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array, diags_array

from cspca.estimator import COUNT, POSITIVE
from cspca.proximal import FloatArray, row_norms
from cspca.selection.base import FeatureSelector, Scores, evenly, varying
from cspca.selection.graph import IntArray, degrees, nearest_neighbors, too_few_samples
from cspca.selection.subspace import (
    EPSILON,
    first_subspace,
    row_sparse_subspace,
    selected_norms,
)

_MOST = 1.5e11
"""Most d³ of all eigenproblems of size d together: about 20 s on a server of 2026."""


@dataclass(repr=False, eq=False)
class SOGFS(FeatureSelector):
    """Structured optimal graph feature selection.

    Features are centred and scaled to unit norm. It lowers in turn, over the weights a_ij of each
    sample's neighbours (``a_i ≥ 0``, ``Σ_j a_ij = 1``), W of shape (n_features, m) and F of shape
    (n_samples, n_clusters) with orthonormal columns, ::

        Σ_ij (‖Wᵀ(x_i − x_j)‖² a_ij + r a_ij²) + 2γ Σ_j √(‖w_j‖² + ε) + 2λ Tr(Fᵀ L F)

    with L the Laplacian of (A + Aᵀ)/2. After each round λ doubles while the graph has fewer parts
    than clusters, and halves while it has more.

    Parameters
    ----------
    n_clusters : int, default=5
        Columns of F, and parts of the graph that are sought.
    gamma : float, default=0.01
        γ, weight of the row sparsity, > 0.
    n_components : int or None, default=None
        m; None is one fewer than clusters.
    n_neighbors : int, default=5
        Neighbours of a sample, itself not counted, exact copies as one: from the sixth round on,
        those in the projection.
    max_iter : int, default=10
        Largest number of rounds; large problems are given fewer steps, about 20 s of them.
    max_samples : int, default=3000
        Of more samples that differ so many are looked at, evenly taken.
    n_features_to_select : int or None, default=None
        How many features to keep; None keeps half.

    Attributes
    ----------
    feature_scores_ : ndarray of shape (n_features,)
        ``‖w_j‖²``, in [0, 1]; exactly 0 where nothing but rounding is left.
    objective_ : list of tuple of float
        Of each round: before, and after the step in A, in W and in F, at the λ of the round.
    n_iter_ : int
    stopped_ : bool
        Whether it was stopped before the graph had as many parts as clusters.

    Notes
    -----
    Where X has fewer samples than features the first W is not unique: see :class:`UDFS`.

    References
    ----------
    F. Nie, W. Zhu, X. Li, Unsupervised Feature Selection with Structured Graph Optimization,
    AAAI 2016, Algorithm 2.
    """

    n_clusters: Annotated[int, COUNT] = 5
    gamma: Annotated[float, POSITIVE] = 0.01
    _: KW_ONLY
    n_components: Annotated[int | None, [*COUNT, None]] = None
    n_neighbors: Annotated[int, COUNT] = 5
    max_iter: Annotated[int, COUNT] = 10
    max_samples: Annotated[int, COUNT] = 3000

    def _score(self, X: FloatArray) -> Scores:
        k, c = self.n_neighbors, self.n_clusters
        # One neighbour more than are joined sets the weights.
        X = evenly(self._distinct(X, k, k + 2, c)[0], self.max_samples)
        n = len(X)
        self._check_clusters(c, n)
        if n < k + 2:
            raise too_few_samples(k, k + 2, n)
        live, centred = varying(X)
        variance = X[:, live].var(axis=0)
        X = centred / np.sqrt(n * variance)
        m = min(self.n_components or max(c - 1, 1), X.shape[1])
        near, apart = nearest_neighbors(X, k + 1)
        squares = apart**2
        slack = k * squares[:, k:] - squares[:, :k].sum(axis=1, keepdims=True)
        A = _graph(near[:, :k], (squares[:, k:] - squares[:, :k]) / (slack + EPSILON))
        r = lam = max(float(slack.mean()) / 2, EPSILON)
        steps = _Steps(X, float(self.gamma), r)
        W = steps.project(A, first_subspace(steps.scatter(A), m, variance))
        F, _ = _parts(A, c)
        self.objective_: list[tuple[float, ...]] = []
        self.stopped_ = True
        while self.stopped_ and len(self.objective_) < self.max_iter and steps.left > 0:
            if len(self.objective_) > 4:
                near = nearest_neighbors(X @ W, k)[0]
            before = steps.objective(A, W, F, lam)
            A = steps.weigh(near[:, :k], W, F, lam)
            weighed = steps.objective(A, W, F, lam)
            W = steps.project(A, W)
            projected = steps.objective(A, W, F, lam)
            indicators, values = _parts(A, c)
            ended = steps.objective(A, W, indicators, lam)
            self.objective_.append((before, weighed, projected, ended))
            if values[:c].sum() > 1e-9:
                lam, F = 2 * lam, indicators
            elif values.sum() < 1e-11:
                lam /= 2
            else:
                self.stopped_ = False
        self.n_iter_ = len(self.objective_)
        return Scores(selected_norms(W) ** 2, among=live)


class _Steps:
    """What stays the same from round to round, and how many eigenproblems may still be solved."""

    def __init__(self, X: FloatArray, gamma: float, r: float) -> None:
        self.X, self.gamma, self.r = X, gamma, r
        self.left = max(20, int(_MOST / X.shape[1] ** 3))

    def scatter(self, A: csr_array) -> FloatArray:
        """``XᵀLX``."""
        M = self.X.T @ (_laplacian(A) @ self.X)
        symmetric: FloatArray = (M + M.T) / 2
        return symmetric

    def weigh(self, near: IntArray, W: FloatArray, F: FloatArray, lam: float) -> csr_array:
        """The best weights of the neighbours: each sample's lie on the simplex."""
        apart = np.zeros(near.shape)
        for weight, Z in ((1.0, self.X @ W), (lam, F)):
            apart += weight * np.sum((Z[:, None] - Z[near]) ** 2, axis=2)
        return _graph(near, _on_simplex(-apart / (2 * self.r)))

    def project(self, A: csr_array, W: FloatArray) -> FloatArray:
        """The best W, from W on."""
        most = max(2, min(100, self.left))
        W, objectives = row_sparse_subspace(self.scatter(A), W, self.gamma, max_iter=most, tol=1e-6)
        self.left -= len(objectives)
        return W

    def objective(self, A: csr_array, W: FloatArray, F: FloatArray, lam: float) -> float:
        """The smoothed objective."""
        L, Z = _laplacian(A), self.X @ W
        norms = np.sqrt(row_norms(W) ** 2 + EPSILON)
        smooth = np.vdot(Z, L @ Z) + lam * np.vdot(F, L @ F)
        return float(2 * (smooth + self.gamma * norms.sum()) + self.r * np.sum(A.data**2))


def _graph(near: IntArray, weights: FloatArray) -> csr_array:
    """The weights of each sample's neighbours as a matrix."""
    n, k = near.shape
    return csr_array((weights.ravel(), near.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))


def _laplacian(A: csr_array) -> csr_array:
    """L of (A + Aᵀ)/2."""
    S = (A + A.T) / 2
    return csr_array(diags_array(degrees(S)) - S)


def _parts(A: csr_array, count: int) -> tuple[FloatArray, FloatArray]:
    """So many smallest eigenvectors of L, and the values of one more: 0 for each part of A."""
    last = min(count, A.shape[0] - 1)
    values, vectors = eigh(_laplacian(A).toarray(), subset_by_index=(0, last), check_finite=False)
    return vectors[:, :count], values


def _on_simplex(V: FloatArray) -> FloatArray:
    """Every row's nearest point with entries ≥ 0 that sum to 1."""
    falling = -np.sort(-V, axis=1)
    levels = (np.cumsum(falling, axis=1) - 1.0) / np.arange(1, V.shape[1] + 1)
    above = np.sum(falling > levels, axis=1, keepdims=True)
    nearest: FloatArray = np.maximum(V - np.take_along_axis(levels, above - 1, axis=1), 0.0)
    return nearest
