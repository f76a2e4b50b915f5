"""How good a selection or a clustering is when nobody knows the classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg, sparse
from sklearn.linear_model import ridge_regression
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import euclidean_distances

from cspca.evaluation.kmeans import FloatArray
from cspca.evaluation.metrics import codes, normalized_mutual_information
from cspca.threads import blas_threads


class Silhouette:
    """Mean silhouette of clusterings of the same samples, judged in the space of all features.

    Clusterings made with different features are judged by the same distances, Euclidean between
    whole samples, so that their values compare. A silhouette is (b − a) / max(a, b), with a the
    mean distance to the sample's own cluster and b that to the nearest other; 0 in a cluster of
    one.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    max_samples : int, default=1000
        With more samples, so many are drawn, always the same ones; their distances are 8 MB.

    References
    ----------
    P. Rousseeuw, Silhouettes, J. Comput. Appl. Math. 20 (1987).
    """

    def __init__(self, X: ArrayLike, max_samples: int = 1000) -> None:
        samples = np.asarray(X, dtype=np.float64)
        n = len(samples)
        self._chosen = np.arange(n)
        if n > max_samples:
            rng = np.random.default_rng(0)
            self._chosen = np.sort(rng.choice(n, max_samples, replace=False))
        some = samples[self._chosen]
        self._distances: FloatArray = euclidean_distances(some - some.mean(axis=0))

    def __call__(self, labels: ArrayLike) -> float:
        """Silhouette of one clustering in [−1, 1]; 0 when it has a single cluster."""
        return float(self.of_all(codes(labels, "labels")[None])[0])

    def of_all(self, clusterings: NDArray[np.integer[Any]]) -> FloatArray:
        """Silhouettes of many clusterings, rows of clusters numbered from 0."""
        return np.array([self._of(groups) for groups in clusterings[:, self._chosen]])

    def _of(self, groups: NDArray[np.integer[Any]]) -> float:
        each, n_groups = np.arange(len(groups)), int(groups.max()) + 1
        member = sparse.csr_array((np.ones(len(groups)), (groups, each)), (n_groups, len(groups)))
        sizes = np.bincount(groups, minlength=n_groups)
        sums = np.asarray(member @ self._distances)
        own = sums[groups, each] / np.maximum(sizes[groups] - 1, 1)
        sums[groups, each] = np.inf
        sums[sizes == 0] = np.inf
        nearest = (sums / np.maximum(sizes, 1)[:, None]).min(axis=0)
        nearest = np.where(np.isinf(nearest), own, nearest)  # with a single cluster
        widest = np.maximum(own, nearest)
        values = np.divide(nearest - own, widest, out=np.zeros_like(own), where=widest > 0)
        values[sizes[groups] == 1] = 0.0
        return float(values.mean())


def reconstruction_error(
    X: ArrayLike, features: ArrayLike, *, held_out: bool = True, ridge: float = 0.1
) -> float:
    """Share of the variance of all features that the selected ones leave unexplained.

    All features are predicted from the selected ones by least squares. As soon as there are as
    many features as samples every sample is predicted exactly, which says nothing; so by default
    each half of the samples (every second one) is predicted from the other.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    features : array-like of int
        The selected columns.
    held_out : bool, default=True
        False fits and scores on all samples.
    ridge : float, default=0.1
        Penalty on the coefficients as a fraction of the mean squared norm of a selected feature;
        without it the held-out error explodes where features are about as many as samples. 0 is
        plain least squares (of least norm).

    Returns
    -------
    float
        0 is perfect; 1 is no better than the mean.
    """
    samples = np.asarray(X, dtype=np.float64)
    chosen = np.asarray(features, dtype=np.intp)
    if not chosen.size:
        raise ValueError("features is empty: select at least one.")
    n = len(samples)
    if held_out and n < 4:
        raise ValueError(f"Halves need at least 4 samples, got {n}: set held_out=False.")
    even, odd, every = slice(0, None, 2), slice(1, None, 2), slice(None)
    left = total = 0.0
    with blas_threads():
        for fit, score in ((even, odd), (odd, even)) if held_out else ((every, every),):
            mean = samples[fit].mean(axis=0)
            known, target = samples[fit] - mean, samples[score] - mean
            predicted = target[:, chosen] @ _coefficients(known[:, chosen], known, ridge)
            left += float(((target - predicted) ** 2).sum())
            total += float((target**2).sum())
    if total == 0.0:
        raise ValueError("Nothing varies in X: there is nothing to reconstruct.")
    return left / total


def _coefficients(A: FloatArray, B: FloatArray, ridge: float) -> FloatArray:
    """Ridge (or least-norm least-squares) solution C of A C ≈ B."""
    penalty = ridge * float((A**2).sum()) / A.shape[1]
    if penalty == 0.0:
        plain: FloatArray = linalg.lstsq(A, B)[0]
        return plain
    found: FloatArray = ridge_regression(A, B, penalty, solver="cholesky")
    return found.T


def stability(clusterings: ArrayLike, *, measure: str = "ari") -> float:
    """Mean agreement of all pairs of clusterings of the same samples.

    Parameters
    ----------
    clusterings : array-like of shape (n_clusterings, n_samples)
        At least two; for instance :attr:`cspca.evaluation.Clusterings.labels`.
    measure : {"ari", "nmi"}, default="ari"
        Adjusted Rand index, or geometric normalised mutual information.

    Returns
    -------
    float
        1 when every run finds the same clusters.
    """
    agree = {"ari": adjusted_rand_score, "nmi": normalized_mutual_information}.get(measure)
    if agree is None:
        raise ValueError(f"measure must be 'ari' or 'nmi', got {measure!r}.")
    labels: NDArray[np.intp] = np.asarray(clusterings)
    if labels.ndim != 2 or len(labels) < 2:
        raise ValueError("Stability compares runs: it needs at least two clusterings.")
    pairs = [float(agree(labels[i], labels[j])) for i in range(len(labels)) for j in range(i)]
    return float(np.mean(pairs))
