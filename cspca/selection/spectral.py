"""Features one by one beside the samples' graph: the Laplacian Score, and SPEC."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils._param_validation import Interval, StrOptions

from cspca.proximal import FloatArray
from cspca.selection.base import GraphSelector, Scores
from cspca.selection.graph import degrees, smallest_eigenvectors

_TWO_AT_LEAST = [Interval(Integral, 2, None, closed="left"), None]


@dataclass(repr=False, eq=False)
class LaplacianScore(GraphSelector):
    """Keep the features that vary much over the set and little between neighbours.

    With f a feature, S the affinity of the samples, D its degrees and L = D − S, ::

        f̃ = f − (fᵀD1 / 1ᵀD1) 1,     LS = f̃ᵀLf̃ / f̃ᵀDf̃     (small is good)

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbours of a sample, itself not counted; exact copies of a sample count as one.
    weight : {"heat", "binary", "cosine"}, default="heat"
        Affinity of neighbours, see `cspca.selection.neighbor_graph`.
    width : "median" or float, default="median"
        Width σ of the heat kernel ``exp(−d² / 2σ²)``, in the unit of `X`.
    graph : sparse matrix of shape (n_samples, n_samples) or None, default=None
        A ready affinity in place of the three above; then copies are samples like others.
    n_features_to_select : int or None, default=None
        How many features to keep; None keeps half.

    Attributes
    ----------
    feature_scores_ : ndarray of shape (n_features,)
        1 − LS, in [−1, 1]. A feature that varies in isolated samples only counts as constant.

    References
    ----------
    X. He, D. Cai, P. Niyogi, Laplacian Score for Feature Selection, NIPS 2005.
    """

    n_neighbors: int = 5

    def _score(self, X: FloatArray) -> Scores:
        X, S, _ = self._joined(X)
        varies, _, centred, spread = _spread(X, S)
        alike = np.einsum("ij,ij->j", centred, S @ centred)
        return Scores(alike / spread, among=varies)


@dataclass(repr=False, eq=False)
class SPEC(GraphSelector):
    """Spectral feature selection: keep the features that follow the clusters of the graph.

    With f a feature, D the degrees and 𝓛 = Σ λ_i ξ_i ξ_iᵀ the normalised Laplacian of the samples'
    graph (λ₁ = 0, ξ₁ ∝ D^{1/2}1), f̂ = D^{1/2}f / ‖D^{1/2}f‖ and ::

        φ₁ = f̂ᵀ𝓛f̂                             (small is good)
        φ₂ = f̂ᵀ𝓛f̂ / (1 − (f̂ᵀξ₁)²)             (small is good; equals the Laplacian Score)
        φ₃ = Σ_{i=2…k} (2 − λ_i) (f̂ᵀξ_i)²       (large is good)

    Parameters
    ----------
    function : {"phi1", "phi2", "phi3"}, default="phi2"
    n_eigenvectors : int or None, default=None
        k of φ₃, the trivial eigenvector counted; None sums over all of them and needs none:
        ``φ₃ = 2 (1 − (f̂ᵀξ₁)²) − f̂ᵀ𝓛f̂``.
    n_neighbors, weight, width, graph, n_features_to_select
        As in `cspca.selection.LaplacianScore`.

    Attributes
    ----------
    feature_scores_ : ndarray of shape (n_features,)
        −φ₁, −φ₂ or φ₃. A feature that varies in isolated samples only counts as constant.

    References
    ----------
    Z. Zhao, H. Liu, Spectral Feature Selection for Supervised and Unsupervised Learning,
    ICML 2007, eqs. 5, 7 and 8.
    """

    function: Annotated[str, [StrOptions({"phi1", "phi2", "phi3"})]] = "phi2"
    n_eigenvectors: Annotated[int | None, _TWO_AT_LEAST] = None

    def _score(self, X: FloatArray) -> Scores:
        X, S, _ = self._joined(X)
        varies, mean, centred, spread = _spread(X, S)
        degree = degrees(S)
        rough = spread - np.einsum("ij,ij->j", centred, S @ centred)
        squares = spread + degree.sum() * mean**2  # ‖D^{1/2}f‖²
        if self.function == "phi1":
            scores = -rough / squares
        elif self.function == "phi2":
            scores = -rough / spread
        elif self.n_eigenvectors is None:
            scores = (2.0 * spread - rough) / squares
        else:
            values, vectors = smallest_eigenvectors(S, self.n_eigenvectors - 1)
            # ξ = D^{1/2}y, so f̂ᵀξ = fᵀDy / ‖D^{1/2}f‖
            along = vectors.T @ (degree[:, None] * centred)
            scores = (2.0 - values) @ along**2 / squares
        return Scores(scores, among=varies)


def _spread(
    X: FloatArray, S: csr_array
) -> tuple[NDArray[np.bool_], FloatArray, FloatArray, FloatArray]:
    """Which features vary where the graph looks, their means there, the rest, and its squares.

    The part along the trivial eigenvector, the mean, is taken off first: what remains keeps its
    digits. Of a feature that is constant there, rounding alone would remain.
    """
    degree = degrees(S)
    varies = np.ptp(X[degree > 0], axis=0) > 0
    X = X[:, varies]
    mean = (degree @ X) / degree.sum()
    centred = X - mean
    return varies, mean, centred, np.einsum("i,ij,ij->j", degree, centred, centred)
