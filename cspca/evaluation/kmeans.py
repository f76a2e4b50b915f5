"""K-means from many starts on one matrix: scikit-learn's answers, much faster in bulk.

Lloyd's iterations of many starts at once. An assignment needs only the inner products of the sums
of clusters with the samples, and between two iterations these change by the samples that moved.
With few samples the inner products of all samples with each other (the Gram matrix) are made once
for all starts, and an iteration costs additions of its rows; with many samples the sums of pixels
are kept up to date in the same way and multiplied by the samples.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from cspca.preprocessing import distinct_rows, feature_ranges
from cspca.problem.reduction import check_scale
from cspca.threads import blas_threads

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

INITS = ("random", "k-means++")
"""Ways to start."""

_BATCH = 1 << 19
"""Inner products that one batch of starts holds: 4 MB stay near the processor."""

_GRAM_LIMIT = 4096
"""Most samples for which the Gram matrix (128 MB then) is made."""


@dataclass(frozen=True)
class Clusterings:
    """K-means results, one row or entry a start.

    Attributes
    ----------
    labels : ndarray of shape (n_starts, n_samples)
        Cluster of every sample, from 0.
    inertia : ndarray of shape (n_starts,)
        Sum of the squared distances of the samples to their centres.
    n_iter : ndarray of shape (n_starts,)
        Iterations done, counted as scikit-learn counts them.
    """

    labels: NDArray[np.int32]
    inertia: FloatArray
    n_iter: IntArray

    @property
    def n_filled(self) -> IntArray:
        """Number of clusters of each start that have a sample, shape (n_starts,)."""
        return np.array([len(np.unique(row)) for row in self.labels], dtype=np.intp)


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

    Warns
    -----
    ConvergenceWarning
        If fewer samples differ than there are clusters: some clusters stay empty.
    """
    found = clusterings(X, n_clusters, seeds, init=init, max_iter=max_iter, tol=tol)
    distinct = n_distinct(X, found, n_clusters)
    if distinct is not None:
        warnings.warn(
            f"Only {distinct} samples differ, fewer than the {n_clusters} clusters asked for: some "
            "clusters are empty.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return found


def n_distinct(X: ArrayLike, found: Clusterings, n_clusters: int) -> int | None:
    """Number of distinct samples, where there are fewer of them than clusters; else None."""
    if not len(found.labels) or found.n_filled.min() == n_clusters:
        return None
    distinct = len(distinct_rows(np.asarray(X))[0])
    return distinct if distinct < n_clusters else None


def clusterings(
    X: ArrayLike,
    n_clusters: int,
    seeds: Sequence[int],
    *,
    init: str = "random",
    max_iter: int = 300,
    tol: float = 1e-4,
) -> Clusterings:
    """:func:`kmeans` without its warning."""
    pixels = np.ascontiguousarray(check_samples(X), dtype=np.float64)
    check_clusters(n_clusters, len(pixels))
    if init not in INITS:
        raise ValueError(f"init must be one of {', '.join(INITS)}, got {init!r}.")
    with blas_threads():
        samples = Samples(pixels, n_clusters)
        if init == "random":
            drawn = [random_start(seed, len(pixels), n_clusters) for seed in seeds]
            starts = np.array(drawn, dtype=np.intp).reshape(-1, n_clusters)
        else:
            starts = plus_plus_starts(seeds, samples, n_clusters)
        return cluster(samples, starts, max_iter, tol)


def random_start(seed: int, n_samples: int, n_clusters: int) -> IntArray:
    """Indices of `n_clusters` different samples, by seed and the two sizes alone."""
    rng = np.random.default_rng([seed, n_samples, n_clusters])
    chosen: IntArray = rng.choice(n_samples, n_clusters, replace=False)
    return chosen


def plus_plus_starts(seeds: Sequence[int], samples: Samples, n_clusters: int) -> IntArray:
    """Greedy k-means++ for many seeds at once, drawing as scikit-learn does: rows of indices.

    After Arthur and Vassilvitskii, SODA 2007, with 2 + ⌊log c⌋ candidates for each centre. One seed
    at a time it takes six times as long.
    """
    n, n_seeds, n_trials = len(samples), len(seeds), 2 + int(np.log(n_clusters))
    # RandomState, not a Generator: these are scikit-learn's own draws.
    draws = [np.random.RandomState(seed) for seed in seeds]
    chosen = np.empty((n_seeds, n_clusters), dtype=np.intp)
    if not n_seeds:
        return chosen
    chosen[:, 0] = [draw.choice(n, p=np.full(n, 1.0 / n)) for draw in draws]
    closest = samples.squared_distances(chosen[:, 0])
    potential = closest.sum(axis=1)
    each = np.arange(n_seeds)
    for k in range(1, n_clusters):
        aims = np.array([draw.uniform(size=n_trials) for draw in draws]) * potential[:, None]
        pairs = zip(closest.cumsum(axis=1), aims, strict=True)
        candidates = np.array([np.searchsorted(total, aim) for total, aim in pairs])
        np.minimum(candidates, n - 1, out=candidates)
        distances = samples.squared_distances(candidates.ravel()).reshape(n_seeds, n_trials, n)
        np.minimum(distances, closest[:, None], out=distances)
        potentials = distances.sum(axis=2)
        best = potentials.argmin(axis=1)
        chosen[:, k] = candidates[each, best]
        closest, potential = distances[each, best], potentials[each, best]
    return chosen


def check_samples(X: ArrayLike) -> NDArray[Any]:
    """Samples × features as floats, refused where that is not what they are."""
    if hasattr(X, "toarray"):
        raise ValueError("X is a sparse matrix: give X.toarray().")
    samples = np.asarray(X)
    if samples.ndim != 2 or not samples.size:
        raise ValueError(
            f"X must be a table, samples × features, with at least one of each; got shape "
            f"{samples.shape}."
        )
    if samples.dtype not in (np.float32, np.float64):
        try:
            samples = samples.astype(np.float64)
        except (TypeError, ValueError) as error:
            reason = str(error).partition("\n")[0]
            raise ValueError(
                f"X must hold numbers alone ({reason}): leave out columns of text, such as labels."
            ) from error
    if not np.isfinite(samples).all():
        raise ValueError("X must be finite: remove or fill in NaN and infinite values first.")
    return samples


def check_range(samples: NDArray[Any]) -> None:
    """Refuse data whose squares leave double precision; what is constant is no fault of these."""
    widest = float(feature_ranges(samples).max())
    if widest:
        check_scale(widest, what="The largest range of a feature")


def check_features(features: Any, n_features: int, what: str = "features") -> IntArray:
    """Columns by number, refused where they are something else, or none."""
    try:
        found = np.asarray(features)
    except ValueError:
        found = np.array(None)  # lists of several lengths
    if found.ndim == 1 and not found.size:
        raise ValueError(f"{what} is empty: select at least one.")
    is_list = found.ndim == 1 and found.dtype.kind in "iuf"
    if not is_list or (np.clip(np.floor(found), 0, n_features - 1) != found).any():
        raise ValueError(
            f"{what} must be a list of features by number, whole ones from 0 to {n_features - 1}."
        )
    numbers: IntArray = found.astype(np.intp)
    return numbers


def check_clusters(n_clusters: int, n_samples: int) -> None:
    """Refuse a number of clusters that K-means cannot make of so many samples."""
    if n_clusters < 1:
        raise ValueError(f"n_clusters must be at least 1, got {n_clusters}.")
    if n_clusters > n_samples:
        raise ValueError(
            f"There are {n_samples} samples for {n_clusters} clusters: add samples or ask for "
            "fewer clusters."
        )


class Samples:
    """The centred samples: which rows are summed, and how sums become inner products.

    `gram` is whether rows of the Gram matrix are added. A moved sample costs n additions then,
    which wait for memory; a product of centres and samples costs n · d · c multiplications, which
    do not. The factor between them is measured.
    """

    def __init__(self, X: FloatArray, n_clusters: int, gram: bool | None = None) -> None:
        n, d = X.shape
        self.X: FloatArray = X - X.mean(axis=0)
        self.variance = float(np.mean(np.var(X, axis=0)))
        self.gram = n <= _GRAM_LIMIT and 2 * n <= d * n_clusters if gram is None else gram
        self.rows: FloatArray = self.X @ self.X.T if self.gram else self.X
        self.norms: FloatArray = (
            self.rows.diagonal().copy() if self.gram else np.einsum("ij,ij->i", self.X, self.X)
        )

    def __len__(self) -> int:
        return len(self.X)

    def products(self, sums: FloatArray) -> FloatArray:
        """Inner products of sums of `rows` with all samples."""
        return sums if self.gram else sums @ self.X.T

    def squared_distances(self, indices: IntArray) -> FloatArray:
        """Of some samples from all."""
        found = self.products(self.rows[indices])
        found *= -2.0
        found += self.norms
        found += self.norms[indices][:, None]
        found[np.arange(len(indices)), indices] = 0.0
        return np.maximum(found, 0.0, out=found)


def cluster(samples: Samples, starts: IntArray, max_iter: int, tol: float) -> Clusterings:
    """Run K-means from starts of shape (n_starts, n_clusters), indices of samples."""
    n, (n_starts, n_clusters) = len(samples), starts.shape
    labels = np.empty((n_starts, n), dtype=np.int32)
    found = Clusterings(labels, np.empty(n_starts), np.empty(n_starts, dtype=np.intp))
    size = max(1, _BATCH // (n_clusters * n))
    for which in np.split(np.arange(n_starts), range(size, n_starts, size)):
        _Batch(samples, starts[which], which, found).run(max_iter, tol * samples.variance)
    return found


class _Batch:
    """Some starts at once; a start leaves when it has converged.

    Nothing of one start depends on which others are with it, but for the last digits of a matrix
    product, and with them exact ties, where that is used.
    """

    def __init__(
        self, samples: Samples, starts: IntArray, which: IntArray, found: Clusterings
    ) -> None:
        self.samples, self.which, self.found = samples, which, found
        self.n_clusters = starts.shape[1]
        self.sums: FloatArray = samples.rows[starts.ravel()]
        self.products = samples.products(self.sums)
        self.sizes = np.ones(starts.size)
        self.centre_norms: FloatArray = samples.norms[starts.ravel()]
        self.members: IntArray | None = None
        """Row of `sums` that every sample of every start is part of."""

    def run(self, max_iter: int, tolerance: float) -> None:
        """Iterate until every start has converged, and store what was found."""
        old: IntArray | None = None
        for number in range(1, max_iter + 1):
            labels, nearest = self._assign()
            if old is not None:
                moving = (labels != old).any(axis=1)
                if not moving.all():
                    self._finish(~moving, labels, nearest, number)
                    labels, nearest = labels[moving], nearest[moving]
            if len(self.which):
                going = (self._move(labels, nearest) > tolerance) & (number < max_iter)
                if not going.all():
                    # The centres moved after the last assignment: assign once more.
                    self._finish(~going, *self._assign(), number)
                    labels = labels[going]
            if not len(self.which):
                return
            old = labels

    def _assign(self) -> tuple[IntArray, FloatArray]:
        """Nearest centre of every sample, and the squared distance to it less its own norm.

        One cluster at a time, so that nothing of the size of all products is written.
        """
        shape = (len(self.which), self.n_clusters)
        products = self.products.reshape(*shape, -1)
        scale = (-2.0 / self.sizes).reshape(*shape, 1)
        offset = self.centre_norms.reshape(*shape, 1)
        nearest = products[:, 0] * scale[:, 0] + offset[:, 0]
        labels = np.zeros(nearest.shape, dtype=np.intp)
        value = np.empty_like(nearest)
        nearer = np.empty(nearest.shape, dtype=bool)
        for k in range(1, self.n_clusters):
            np.multiply(products[:, k], scale[:, k], out=value)
            value += offset[:, k]
            np.less(value, nearest, out=nearer)
            np.copyto(labels, k, where=nearer)
            np.minimum(nearest, value, out=nearest)
        return labels, nearest

    def _move(self, labels: IntArray, nearest: FloatArray) -> FloatArray:
        """Move the centres to the means of their samples; the squared way they went, a start."""
        n_starts = len(labels)
        n_rows = n_starts * self.n_clusters
        members = labels + (np.arange(n_starts) * self.n_clusters)[:, None]
        sizes = np.bincount(members.ravel(), minlength=n_rows)
        if not sizes.all():
            members = self._fill_empty(members, sizes, nearest + self.samples.norms)
            sizes = np.bincount(members.ravel(), minlength=n_rows)
        cross = self._sum_own(members)
        self._add(members)
        self.products = self.samples.products(self.sums)
        # A cluster that is empty nevertheless has its centre at the mean of all, sums being zero.
        filled = np.maximum(sizes, 1).astype(np.float64)
        centre_norms = self._sum_own(members) / filled**2
        way = centre_norms + self.centre_norms - 2.0 * cross / (filled * self.sizes)
        self.sizes, self.centre_norms = filled, centre_norms
        total: FloatArray = way.reshape(n_starts, -1).sum(axis=1)
        return total

    def _sum_own(self, members: IntArray) -> FloatArray:
        """For every cluster, its products with its members, summed."""
        own = self.products[members, np.arange(members.shape[1])]
        sums: FloatArray = np.bincount(
            members.ravel(), own.ravel(), minlength=len(self.products)
        ).astype(np.float64, copy=False)
        return sums

    def _add(self, members: IntArray) -> None:
        """Bring the sums up to date: samples that came, less samples that left."""
        columns = np.broadcast_to(np.arange(members.shape[1]), members.shape)
        shape = (len(self.sums), members.shape[1])
        if self.members is None:
            ones = np.ones(members.size)
            all_of = sparse.csr_array((ones, (members.ravel(), columns.ravel())), shape=shape)
            self.sums = np.asarray(all_of @ self.samples.rows)
        else:
            moved = members != self.members
            rows = np.concatenate([members[moved], self.members[moved]])
            signs = np.repeat([1.0, -1.0], len(rows) // 2)
            change = sparse.csr_array((signs, (rows, np.tile(columns[moved], 2))), shape=shape)
            self.sums += change @ self.samples.rows
        self.members = members

    def _fill_empty(self, members: IntArray, sizes: IntArray, distances: FloatArray) -> IntArray:
        """Give every empty cluster the sample farthest from its centre, as scikit-learn does.

        With more clusters than different samples all distances are zero, but for round-off, and
        the cluster stays empty.
        """
        members = members.copy()
        round_off = 1e-13 * float(self.samples.norms.max(initial=0.0))
        for start in np.unique(np.flatnonzero(sizes == 0) // self.n_clusters):
            first = start * self.n_clusters
            empty = first + np.flatnonzero(sizes[first : first + self.n_clusters] == 0)
            if distances[start].max() > round_off:
                farthest = np.argpartition(distances[start], -len(empty))
                members[start, farthest[: -len(empty) - 1 : -1]] = empty
        return members

    def _inertia(
        self, done: NDArray[np.bool_], labels: IntArray, nearest: FloatArray
    ) -> FloatArray:
        """Sum of squared distances, from pixels where products come from one large product.

        The last digits of such a product may depend on which starts are in it.
        """
        if self.samples.gram:
            total: FloatArray = (nearest[done] + self.samples.norms).sum(axis=1)
            return np.maximum(total, 0.0)
        centres = (self.sums / self.sizes[:, None]).reshape(len(done), self.n_clusters, -1)
        apart = (self.samples.X - centres[i][labels[i]] for i in np.flatnonzero(done))
        return np.array([np.einsum("ij,ij->", one, one) for one in apart])

    def _finish(
        self, done: NDArray[np.bool_], labels: IntArray, nearest: FloatArray, number: int
    ) -> None:
        """Store the starts that are done and go on without them."""
        at = self.which[done]
        self.found.labels[at] = labels[done]
        self.found.inertia[at] = self._inertia(done, labels, nearest)
        self.found.n_iter[at] = number
        going = ~done
        rows = np.repeat(going, self.n_clusters)
        self.which = self.which[going]
        self.sums = self.sums[rows]
        self.products = self.sums if self.samples.gram else self.products[rows]
        self.sizes, self.centre_norms = self.sizes[rows], self.centre_norms[rows]
        if self.members is not None:
            dropped = np.cumsum(done)[going] * self.n_clusters
            self.members = self.members[going] - dropped[:, None]
