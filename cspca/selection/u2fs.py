"""U²FS: features without which the clusters' eigenvectors are no longer rebuilt."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated

import numpy as np
from scipy.linalg import blas, eigh
from sklearn.metrics import euclidean_distances

from cspca.estimator import COUNT
from cspca.proximal import FloatArray, gram, row_norms
from cspca.selection.base import FeatureSelector, Scores, evenly
from cspca.selection.subspace import EPSILON


@dataclass(repr=False, eq=False)
class U2FS(FeatureSelector):
    """Utility metric for unsupervised feature selection: backward elimination.

    E are the eigenvectors 2 … c + 1 of ``D^{−½} K D^{−½}``, K = exp(−dist² / 2 mean(dist)²) for all
    pairs of samples and D its row sums. From all features on, the one goes without which the least
    squares regression of E on the others loses least; `X` is not centred. Of equal features the
    first goes: a copy of a feature goes before the other, which then stands for both.

    Parameters
    ----------
    n_clusters : int, default=5
        c, the number of eigenvectors.
    max_samples : int, default=3000
        K holds all pairs, so of more samples so many are looked at, evenly taken.
    n_features_to_select : int or None, default=None
        How many features to keep; None keeps half.

    Attributes
    ----------
    feature_scores_ : ndarray of shape (n_features,)
        When a feature goes: 1 for the first.

    Notes
    -----
    Where ``XᵀX / n`` is singular, 1e-5 of its smallest eigenvalue that is not zero is added to its
    diagonal. The authors' code takes the smallest of the six largest.

    References
    ----------
    A. Villa, A. Mundanad Narayanan, S. Van Huffel, A. Bertrand, C. Varon, Utility Metric for
    Unsupervised Feature Selection, PeerJ Computer Science 2021.
    """

    n_clusters: Annotated[int, COUNT] = 5
    _: KW_ONLY
    max_samples: Annotated[int, COUNT] = 3000

    def _score(self, X: FloatArray) -> Scores:
        X = evenly(X, self.max_samples)
        live = np.ptp(X, axis=0) > 0
        self._check_clusters(self.n_clusters, len(X))
        return Scores(_when_eliminated(X[:, live], _embedding(X, self.n_clusters)), among=live)


def _embedding(X: FloatArray, count: int) -> FloatArray:
    """The leading eigenvectors of the normalised kernel of all samples, without the first."""
    distances = euclidean_distances(X)
    kernel = np.exp(-0.5 * (distances / (distances.mean() or 1.0)) ** 2)
    root = np.sqrt(kernel.sum(axis=1))
    kernel /= np.outer(root, root)
    n = len(X)
    _, vectors = eigh(kernel, subset_by_index=(max(n - 1 - count, 0), n - 2), check_finite=False)
    embedding: FloatArray = vectors
    return embedding


def _when_eliminated(X: FloatArray, E: FloatArray) -> FloatArray:
    """1 for the feature whose loss costs the regression of E least, 2 for the next, and so on."""
    values, V = eigh(gram(X) / len(X), check_finite=False)
    real = values > len(values) * EPSILON * values[-1]
    if not real.all():
        values = np.maximum(values, 0.0) + 1e-5 * values[real][0]
    inverse = np.asfortranarray((V / values) @ V.T)
    W = (V / values) @ (V.T @ (X.T @ E)) / len(X)
    when = np.zeros(len(values))
    for turn in range(1, len(values) + 1):
        cost = np.full(len(when), np.inf)
        np.divide(row_norms(W) ** 2, np.diag(inverse), out=cost, where=when == 0)
        goes = int(cost.argmin())
        when[goes] = turn
        column = inverse[:, goes].copy()
        W -= np.outer(column / column[goes], W[goes])
        inverse = blas.dger(-1.0 / column[goes], column, column, a=inverse, overwrite_a=1)
    return when
