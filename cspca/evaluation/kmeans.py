"""K-means from many starts on one matrix: scikit-learn's answers, much faster in bulk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.cluster import kmeans_plusplus

from cspca.evaluation.lloyd import Clusterings, IntArray, Samples, cluster
from cspca.threads import blas_threads

INITS = ("random", "k-means++")
"""Ways to start."""


def kmeans(
    X: ArrayLike,
    n_clusters: int,
    seeds: Sequence[int],
    *,
    init: str = "random",
    max_iter: int = 300,
    tol: float = 1e-4,
) -> Clusterings:
    """Cluster the rows of `X` once for every seed.

    The algorithm is scikit-learn's, step for step, in double precision whatever `X` is: labels are
    those of ``KMeans(n_clusters, init=X[start], n_init=1)`` up to exact ties, which may fall either
    way in either.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Finite.
    n_clusters : int
        At least 1, at most n_samples.
    seeds : sequence of int
        One run each, ≥ 0. With random starts the samples started from depend on the seed,
        n_samples and n_clusters alone, so that methods and numbers of features are compared in
        pairs.
    init : {"random", "k-means++"}, default="random"
        How a run starts; ``"k-means++"`` draws as scikit-learn does with ``random_state=seed``.
    max_iter : int, default=300
        Largest number of iterations of one run.
    tol : float, default=1e-4
        A run also ends when its centres move by less, squared and summed, than this fraction of
        the mean variance of a feature.

    Returns
    -------
    Clusterings
        Labels, inertia and number of iterations, one a seed.
    """
    samples = np.ascontiguousarray(check_samples(X), dtype=np.float64)
    check_clusters(n_clusters, len(samples))
    if init not in INITS:
        raise ValueError(f"init must be one of {', '.join(INITS)}, got {init!r}.")
    with blas_threads():
        if init == "random":
            starts = [random_start(seed, len(samples), n_clusters) for seed in seeds]
        else:
            starts = [kmeans_plusplus(samples, n_clusters, random_state=s)[1] for s in seeds]
        places = np.array(starts, dtype=np.intp).reshape(-1, n_clusters)
        return cluster(Samples(samples, n_clusters), places, max_iter, tol)


def random_start(seed: int, n_samples: int, n_clusters: int) -> IntArray:
    """Indices of `n_clusters` different samples, by seed and the two sizes alone."""
    chosen: IntArray = np.random.default_rng([seed, n_samples, n_clusters]).choice(
        n_samples, n_clusters, replace=False
    )
    return chosen


def check_samples(X: ArrayLike) -> NDArray[Any]:
    """Samples × features as floats, refused where that is not what they are."""
    samples = np.asarray(X)
    if samples.ndim != 2 or not samples.size:
        raise ValueError(
            f"X must be a table, samples × features, with at least one of each; got shape "
            f"{samples.shape}."
        )
    if samples.dtype not in (np.float32, np.float64):
        samples = samples.astype(np.float64)
    if not np.isfinite(samples).all():
        raise ValueError("X must be finite: remove or fill in NaN and infinite values first.")
    return samples


def check_clusters(n_clusters: int, n_samples: int) -> None:
    """Refuse a number of clusters that K-means cannot make of so many samples."""
    if n_clusters < 1:
        raise ValueError(f"n_clusters must be at least 1, got {n_clusters}.")
    if n_clusters > n_samples:
        raise ValueError(
            f"There are {n_samples} samples for {n_clusters} clusters: add samples or ask for "
            "fewer clusters."
        )
