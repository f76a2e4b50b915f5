"""PCA loadings thresholded: Jolliffe's way to pick variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.linalg import eigh

from cspca.proximal import FloatArray
from cspca.selection.base import COUNT, FeatureSelector, Scores


@dataclass(repr=False, eq=False)
class PCALoadings(FeatureSelector):
    """Keep the features with the largest loadings on the leading principal components.

    The score of feature j is ``√(Σ_i λ_i v_ij²)`` over the leading components v_i with variances
    λ_i: the standard deviation of the feature that those components explain.

    Parameters
    ----------
    n_components : int, default=10
        Leading components counted. With all of them the order is that of :class:`MaxVariance`.
    n_features_to_select : int or None, default=None
        How many features to keep; None keeps half.

    References
    ----------
    I. T. Jolliffe, Principal Component Analysis, 2nd edition, Springer 2002, chapter 6.
    """

    n_components: Annotated[int, COUNT] = 10

    def _score(self, X: FloatArray) -> Scores:
        n, d = X.shape
        centred = X - X.mean(axis=0)
        size = min(n, d)
        # Leading components only, so the smaller Gram matrix loses no digit that matters.
        gram = centred @ centred.T if n < d else centred.T @ centred
        first = max(size - self.n_components, 0)
        values, vectors = eigh(gram, subset_by_index=(first, size - 1))
        # From the left vectors Xᵀu = √(nλ) v: what has λ = 0 vanishes by itself.
        scaled = vectors * np.sqrt(np.maximum(values, 0.0))
        loadings = centred.T @ vectors if n < d else scaled
        return Scores(np.sqrt(np.einsum("ij,ij->i", loadings, loadings) / n))
