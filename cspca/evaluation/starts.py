"""Where K-means starts: samples drawn by a seed, so that runs of different methods are pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


def random_start(seed: int, n_samples: int, n_clusters: int) -> IntArray:
    """Indices of `n_clusters` different samples, by seed and the two sizes alone."""
    chosen: IntArray = np.random.default_rng([seed, n_samples, n_clusters]).choice(
        n_samples, n_clusters, replace=False
    )
    return chosen


def random_starts(seeds: Sequence[int], n_samples: int, n_clusters: int) -> IntArray:
    """One row of sample indices a seed; see :func:`random_start`."""
    starts = [random_start(seed, n_samples, n_clusters) for seed in seeds]
    return np.array(starts, dtype=np.intp).reshape(len(starts), n_clusters)


def plus_plus_starts(
    seeds: Sequence[int],
    inner: Callable[[IntArray], FloatArray],
    norms: FloatArray,
    n_clusters: int,
) -> IntArray:
    """Greedy k-means++ for many seeds at once, drawing as scikit-learn does: rows of indices.

    `inner` gives the inner products of some samples, by index, with all; `norms` are squared. After
    Arthur and Vassilvitskii, SODA 2007, with 2 + ⌊log c⌋ candidates for each centre.
    """
    n, n_seeds = len(norms), len(seeds)
    n_trials = 2 + int(np.log(n_clusters))
    # RandomState, not a Generator: these are scikit-learn's own draws.
    draws = [np.random.RandomState(seed) for seed in seeds]
    chosen = np.empty((n_seeds, n_clusters), dtype=np.intp)
    if not n_seeds:
        return chosen

    def squared_distances(indices: IntArray) -> FloatArray:
        found = inner(indices)
        found *= -2.0
        found += norms
        found += norms[indices][:, None]
        found[np.arange(len(indices)), indices] = 0.0
        return np.maximum(found, 0.0, out=found)

    chosen[:, 0] = [draw.choice(n, p=np.full(n, 1.0 / n)) for draw in draws]
    closest = squared_distances(chosen[:, 0])
    potential = closest.sum(axis=1)
    each = np.arange(n_seeds)
    for k in range(1, n_clusters):
        aims = np.array([draw.uniform(size=n_trials) for draw in draws]) * potential[:, None]
        sums = closest.cumsum(axis=1)
        candidates = np.array(
            [np.searchsorted(total, aim) for total, aim in zip(sums, aims, strict=True)]
        )
        np.minimum(candidates, n - 1, out=candidates)
        distances = squared_distances(candidates.ravel()).reshape(n_seeds, n_trials, n)
        np.minimum(distances, closest[:, None], out=distances)
        potentials = distances.sum(axis=2)
        best = potentials.argmin(axis=1)
        chosen[:, k] = candidates[each, best]
        closest, potential = distances[each, best], potentials[each, best]
    return chosen
