"""SPEC: how a feature lies to the spectrum of the samples' graph."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Annotated

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from cspca.proximal import FloatArray
from cspca.selection.base import GraphSelector, Scores
from cspca.selection.graph import degrees, smallest_eigenvectors

_TWO_AT_LEAST = [Interval(Integral, 2, None, closed="left"), None]


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
        S = self._affinity(X)
        degree = degrees(S)
        varies = np.ptp(X[degree > 0], axis=0) > 0
        X = X[:, varies]
        # The part along ξ₁ is taken off first: 𝓛ξ₁ = 0, and what remains keeps its digits.
        mean = (degree @ X) / degree.sum()
        centred = X - mean
        spread = np.einsum("i,ij,ij->j", degree, centred, centred)
        rough = spread - np.einsum("ij,ij->j", centred, S @ centred)
        squares = spread + degree.sum() * mean**2  # ‖D^{1/2}f‖²
        if self.function == "phi1":
            found = -rough / squares
        elif self.function == "phi2":
            found = -rough / spread
        elif self.n_eigenvectors is None:
            found = (2.0 * spread - rough) / squares
        else:
            values, vectors = smallest_eigenvectors(S, self.n_eigenvectors - 1)
            # ξ = D^{1/2}y, so f̂ᵀξ = fᵀDy / ‖D^{1/2}f‖
            along = vectors.T @ (degree[:, None] * centred)
            found = (2.0 - values) @ along**2 / squares
        return Scores(found, among=varies)
