"""NDFS: cluster indicators and sparse regression, learnt together."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array, diags_array
from threadpoolctl import threadpool_limits

from cspca.estimator import COUNT, NOT_NEGATIVE, POSITIVE
from cspca.proximal import FloatArray, gram, row_norms
from cspca.selection.base import GraphSelector, Scores, varying
from cspca.selection.graph import degrees, smallest_eigenvectors

_SMOOTHING = 1e-8
"""δ of the smoothed row norm √(‖w_j‖² + δ²), as a fraction of the largest row at the start."""

_NOTHING = 1e-100
"""Entries of F below this are zero: their products would be subnormal numbers, which are slow."""


@dataclass(repr=False, eq=False)
class NDFS(GraphSelector):
    """Nonnegative discriminative feature selection.

    With 𝓛 the normalised Laplacian of the samples' graph it lowers, over ``F ≥ 0`` of shape
    (n_samples, n_clusters), W of shape (n_features, n_clusters) and b, ::

        Tr(Fᵀ𝓛F) + α (‖XW + 1bᵀ − F‖² + β Σ_j √(‖w_j‖² + δ²)) + ν/2 ‖FᵀF − I‖²

    where ν is large, so that F has nearly orthogonal columns: with F ≥ 0, cluster indicators.

    Parameters
    ----------
    n_clusters : int, default=5
        Columns of F and W.
    alpha : float, default=1.0
        α, weight of the regression, > 0.
    beta : float, default=1.0
        β, weight of the row sparsity, > 0, in the unit of `X`.
    orthogonality : float, default=1e4
        ν, > 0: FᵀF is the identity to about 1/ν. At the authors' 1e8 F hardly moves any more.
    max_iter : int, default=100
        Largest number of repetitions.
    tol : float, default=1e-6
        Stop when a repetition lowers the objective by at most this fraction.
    random_state : int, RandomState instance or None, default=0
        Seeds the K-means (on `n_clusters` − 1 non-trivial eigenvectors) that F starts from.
    n_neighbors, weight, width, graph, n_features_to_select
        As in `cspca.selection.LaplacianScore`.

    Attributes
    ----------
    feature_scores_ : ndarray of shape (n_features,)
        ``‖w_j‖``, exactly 0 below δ. Features with 0 are ordered by ``2‖x_jᵀ(F − XW − 1bᵀ)‖ / β``:
        at most 1 where a zero row is optimal for the F reached.
    indicators_ : ndarray of shape (n_samples, n_clusters)
        F.
    objective_ : list of float
        The objective at the start and after each repetition, falling.
    n_iter_ : int

    Notes
    -----
    A repetition is a reweighted least squares step in W and a multiplicative step in F. The paper's
    step may raise the objective; here the ratio has exponent ¼ and nothing is rescaled, which
    minimises an upper bound that touches the objective at the old F. The intercept b is an addition
    too: without it a feature that hardly varies would be picked to supply the mean of F.

    References
    ----------
    Z. Li, Y. Yang, J. Liu, X. Zhou, H. Lu, Unsupervised Feature Selection Using Nonnegative
    Spectral Analysis, AAAI 2012, eqs. 8 to 17 and Algorithm 1.
    """

    n_clusters: Annotated[int, COUNT] = 5
    alpha: Annotated[float, POSITIVE] = 1.0
    beta: Annotated[float, POSITIVE] = 1.0
    _: KW_ONLY
    orthogonality: Annotated[float, POSITIVE] = 1e4
    max_iter: Annotated[int, COUNT] = 100
    tol: Annotated[float, NOT_NEGATIVE] = 1e-6
    random_state: Annotated[Any, ["random_state"]] = 0

    def _score(self, X: FloatArray) -> Scores:
        X, S, copy_of = self._joined(X, self.n_clusters)
        live, centred = varying(X)
        problem = _Problem(self, centred, S)
        F = self._start(S)
        W = problem.regress(F, np.ones(centred.shape[1]))
        # An F that X cannot explain at all leaves W = 0; any δ then serves.
        delta = _SMOOTHING * (float(row_norms(W).max()) or 1.0)
        self.objective_ = [problem.objective(F, W, delta)]
        for _ in range(self.max_iter):
            W = problem.regress(F, 0.5 / np.sqrt(row_norms(W) ** 2 + delta**2))
            F = problem.move(F, W)
            value = problem.objective(F, W, delta)
            gain = self.objective_[-1] - value
            self.objective_.append(value)
            if gain <= self.tol * value:
                break
        self.n_iter_ = len(self.objective_) - 1
        self.indicators_ = F[copy_of]
        norms = row_norms(W)
        pull = 2.0 * row_norms(centred.T @ F - problem.G @ W) / problem.beta
        norms[norms <= delta] = 0.0
        return Scores(norms, np.minimum(pull, 1.0), live)

    def _start(self, S: csr_array) -> FloatArray:
        """Indicators from K-means on the graph's embedding, columns of unit norm."""
        n, c = S.shape[0], self.n_clusters
        labels = np.zeros(n, dtype=np.intp)
        if c > 1:
            _, embedding = smallest_eigenvectors(S, c - 1)
            # Here, not above: no page needs it, and it takes 3 MB.
            from sklearn.cluster import KMeans

            kmeans = KMeans(c, n_init=10, random_state=self.random_state)
            # So small a K-means spends more time waiting for a second thread than it gains.
            with threadpool_limits(1, user_api="openmp"):
                labels = kmeans.fit_predict(embedding)
        # An entry that starts at zero would stay there.
        F = np.full((n, c), 0.2)
        F[np.arange(n), labels] += 1.0
        unit: FloatArray = F / np.linalg.norm(F, axis=0)
        return unit


class _Problem:
    """What stays the same from repetition to repetition, of centred X and the affinity."""

    def __init__(self, selector: NDFS, X: FloatArray, affinity: csr_array) -> None:
        self.alpha, self.beta = float(selector.alpha), float(selector.beta)
        self.nu = float(selector.orthogonality)
        self.X, self.G = X, gram(X)
        # D^{-1/2} S D^{-1/2}; an isolated sample has an empty row.
        degree = degrees(affinity)
        root = np.divide(1.0, np.sqrt(degree), out=np.zeros_like(degree), where=degree > 0)
        self.S = csr_array(diags_array(root) @ affinity @ diags_array(root))

    def regress(self, F: FloatArray, weights: FloatArray) -> FloatArray:
        """``argmin_W ‖XW − F‖² + β Σ_j weights_j ‖w_j‖²``, scaled to bear vanishing rows."""
        p = 1.0 / np.sqrt(weights)
        system = p[:, None] * self.G * p
        system[np.diag_indices_from(system)] += self.beta
        factor = cho_factor(system, overwrite_a=True, check_finite=False)
        W: FloatArray = p[:, None] * cho_solve(factor, p[:, None] * (self.X.T @ F))
        return W

    def predict(self, F: FloatArray, W: FloatArray) -> FloatArray:
        """``XW + 1bᵀ`` with the best b, which is the mean of F since X is centred."""
        predicted: FloatArray = self.X @ W + F.mean(axis=0)
        return predicted

    def move(self, F: FloatArray, W: FloatArray) -> FloatArray:
        """One multiplicative step in F."""
        target = self.predict(F, W)
        falls = self.nu * F + self.S @ F + self.alpha * np.maximum(target, 0.0)
        rises = (
            (1.0 + self.alpha) * F
            + self.alpha * np.maximum(-target, 0.0)
            + self.nu * (F @ (F.T @ F))
        )
        moved: FloatArray = F * np.sqrt(np.sqrt(falls / np.maximum(rises, _NOTHING)))
        moved[moved < _NOTHING] = 0.0
        return moved

    def objective(self, F: FloatArray, W: FloatArray, delta: float) -> float:
        """The smoothed, penalised objective."""
        smooth = float(np.vdot(F, F - self.S @ F))
        misfit = float(np.sum((self.predict(F, W) - F) ** 2))
        sparsity = float(np.sqrt(row_norms(W) ** 2 + delta**2).sum())
        excess = F.T @ F - np.eye(F.shape[1])
        penalty = 0.5 * self.nu * float(np.sum(excess**2))
        return smooth + self.alpha * (misfit + self.beta * sparsity) + penalty
