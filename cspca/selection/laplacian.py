"""Laplacian Score: features that change little between neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cspca.proximal import FloatArray
from cspca.selection.base import GraphSelector, Scores
from cspca.selection.graph import degrees


@dataclass(repr=False, eq=False)
class LaplacianScore(GraphSelector):
    """Keep the features that vary much over the set and little between neighbours.

    With f a feature, S the affinity of the samples, D its degrees and L = D − S, ::

        f̃ = f − (fᵀD1 / 1ᵀD1) 1,     LS = f̃ᵀLf̃ / f̃ᵀDf̃     (small is good)

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbours of a sample, itself not counted.
    weight : {"heat", "binary", "cosine"}, default="heat"
        Affinity of neighbours, see `cspca.selection.neighbor_graph`.
    width : "median" or float, default="median"
        Width σ of the heat kernel ``exp(−d² / 2σ²)``, in the unit of `X`.
    graph : sparse matrix of shape (n_samples, n_samples) or None, default=None
        A ready affinity in place of the three above.
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
        S = self._affinity(X)
        degree = degrees(S)
        centred = X - (degree @ X) / degree.sum()
        spread = np.einsum("i,ij,ij->j", degree, centred, centred)
        alike = np.einsum("ij,ij->j", centred, S @ centred)
        # What is left of a feature that is constant wherever the graph looks is rounding.
        varies = np.ptp(X[degree > 0], axis=0) > 0
        return Scores(alike[varies] / spread[varies], among=varies)
