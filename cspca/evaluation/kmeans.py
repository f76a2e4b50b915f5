"""K-means from many starts on one matrix: scikit-learn's answers, much faster in bulk.

With few samples the inner products of all samples with each other (the Gram matrix) are computed
once for all starts. Lloyd's iterations of many starts then run at once: an assignment needs only
the inner products of the sums of clusters with the samples, and between two iterations these change
by the rows of the samples that moved. With many samples every start is a fit of scikit-learn.
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
from threadpoolctl import threadpool_limits

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

_MAX_ITER, _TOL = 300, 1e-4
"""Most iterations of a run, and the share of the mean variance of a feature below which centres
move no more, squared and summed: scikit-learn's own."""


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
) -> Clusterings:
    """Cluster the rows of `X` once for every seed.

    Labels are those of ``KMeans(n_clusters, init=X[start], n_init=1)`` in double precision whatever
    `X` is, up to exact ties, which may fall either way in either.

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

    Returns
    -------
    Clusterings
        Labels, inertia and number of iterations, one a seed.

    Warns
    -----
    ConvergenceWarning
        If fewer samples differ than there are clusters: some clusters stay empty.
    """
    outcome = clusterings(X, n_clusters, seeds, init=init)
    distinct = n_distinct(X, outcome, n_clusters)
    if distinct is not None:
        warnings.warn(
            f"Only {distinct} samples differ, fewer than the {n_clusters} clusters asked for: some "
            "clusters are empty.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return outcome


def n_distinct(X: ArrayLike, outcome: Clusterings, n_clusters: int) -> int | None:
    """Number of distinct samples, where there are fewer of them than clusters; else None."""
    if not len(outcome.labels) or outcome.n_filled.min() == n_clusters:
        return None
    distinct = len(distinct_rows(np.asarray(X))[0])
    return distinct if distinct < n_clusters else None


def clusterings(
    X: ArrayLike,
    n_clusters: int,
    seeds: Sequence[int],
    *,
    init: str = "random",
) -> Clusterings:
    """:func:`kmeans` without its warning."""
    pixels = np.ascontiguousarray(check_samples(X), dtype=np.float64)
    check_clusters(n_clusters, len(pixels))
    if init not in INITS:
        raise ValueError(f"init must be one of {', '.join(INITS)}, got {init!r}.")
    # One thread: with several the sums of clusters are taken in an order of their own in each run.
    with blas_threads(), threadpool_limits(1, user_api="openmp"):
        if init == "random":
            drawn = [random_start(seed, len(pixels), n_clusters) for seed in seeds]
        else:
            # Here, not above: pages only name it.
            from sklearn.cluster import kmeans_plusplus

            centred = pixels - pixels.mean(axis=0)
            drawn = [kmeans_plusplus(centred, n_clusters, random_state=seed)[1] for seed in seeds]
        starts = np.array(drawn, dtype=np.intp).reshape(-1, n_clusters)
        if gram_matrix_pays(len(pixels), pixels.shape[1], n_clusters):
            return cluster_by_gram(GramMatrix(pixels), starts, _MAX_ITER, _TOL)
        return _cluster_each(pixels, starts)


def gram_matrix_pays(n_samples: int, n_features: int, n_clusters: int) -> bool:
    """Whether rows of the Gram matrix are added.

    A moved sample costs n additions then, which wait for memory; a product of centres and samples
    costs n · d · c multiplications, which do not. The factor between them is measured.
    """
    return n_samples <= _GRAM_LIMIT and 2 * n_samples <= n_features * n_clusters


def _cluster_each(pixels: FloatArray, starts: IntArray) -> Clusterings:
    """Fit scikit-learn's K-means from each start."""
    # Here, not above: pages only name it.
    from sklearn.cluster import KMeans

    fits = []
    with warnings.catch_warnings():
        # Fewer distinct samples than clusters: `kmeans` warns of it once.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for start in starts:
            model = KMeans(len(start), init=pixels[start], n_init=1, max_iter=_MAX_ITER, tol=_TOL)
            fits.append(model.fit(pixels))
    return Clusterings(
        labels=np.array([fit.labels_ for fit in fits], np.int32).reshape(-1, len(pixels)),
        inertia=np.array([fit.inertia_ for fit in fits], np.float64),
        n_iter=np.array([fit.n_iter_ for fit in fits], np.intp),
    )


def random_start(seed: int, n_samples: int, n_clusters: int) -> IntArray:
    """Indices of `n_clusters` different samples, by seed and the two sizes alone."""
    rng = np.random.default_rng([seed, n_samples, n_clusters])
    chosen: IntArray = rng.choice(n_samples, n_clusters, replace=False)
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
        listed = np.asarray(features)
    except ValueError:
        listed = np.array(None)  # lists of several lengths
    if listed.ndim == 1 and not listed.size:
        raise ValueError(f"{what} is empty: select at least one.")
    is_list = listed.ndim == 1 and listed.dtype.kind in "iuf"
    if not is_list or (np.clip(np.floor(listed), 0, n_features - 1) != listed).any():
        raise ValueError(
            f"{what} must be a list of features by number, whole ones from 0 to {n_features - 1}."
        )
    numbers: IntArray = listed.astype(np.intp)
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


class GramMatrix:
    """Inner products of the centred samples with each other, and of sums of them with all."""

    def __init__(self, X: FloatArray) -> None:
        centred = X - X.mean(axis=0)
        self.variance = float(np.mean(np.var(X, axis=0)))
        self.rows: FloatArray = centred @ centred.T
        self.norms: FloatArray = self.rows.diagonal().copy()

    def __len__(self) -> int:
        return len(self.rows)


def cluster_by_gram(gram: GramMatrix, starts: IntArray, max_iter: int, tol: float) -> Clusterings:
    """Run K-means from starts of shape (n_starts, n_clusters), indices of samples."""
    n, (n_starts, n_clusters) = len(gram), starts.shape
    outcome = Clusterings(
        labels=np.empty((n_starts, n), dtype=np.int32),
        inertia=np.empty(n_starts),
        n_iter=np.empty(n_starts, dtype=np.intp),
    )
    size = max(1, _BATCH // (n_clusters * n))
    for places in np.split(np.arange(n_starts), range(size, n_starts, size)):
        _Batch(gram, starts[places], places, outcome).run(max_iter, tol * gram.variance)
    return outcome


class _Batch:
    """Some starts at once; a start leaves when it has converged.

    Nothing of one start depends on which others are with it.
    """

    def __init__(
        self, gram: GramMatrix, starts: IntArray, places: IntArray, outcome: Clusterings
    ) -> None:
        self.gram, self.places, self.outcome = gram, places, outcome
        self.n_clusters = starts.shape[1]
        # Inner products of the sum of each cluster with all samples.
        self.products: FloatArray = gram.rows[starts.ravel()]
        self.sizes = np.ones(starts.size)
        self.centre_norms: FloatArray = gram.norms[starts.ravel()]
        # Row of `products` that every sample of every start is part of.
        self.members: IntArray | None = None

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
            if len(self.places):
                going = (self._move(labels, nearest) > tolerance) & (number < max_iter)
                if not going.all():
                    # The centres moved after the last assignment: assign once more.
                    self._finish(~going, *self._assign(), number)
                    labels = labels[going]
            if not len(self.places):
                return
            old = labels

    def _assign(self) -> tuple[IntArray, FloatArray]:
        """Nearest centre of every sample, and the squared distance to it less its own norm.

        One cluster at a time, so that nothing of the size of all products is written.
        """
        shape = (len(self.places), self.n_clusters)
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
        """Move the centres to the means of their samples; the squared distance moved, a start."""
        n_starts = len(labels)
        n_rows = n_starts * self.n_clusters
        members = labels + (np.arange(n_starts) * self.n_clusters)[:, None]
        sizes = np.bincount(members.ravel(), minlength=n_rows)
        if not sizes.all():
            members = self._fill_empty(members, sizes, nearest + self.gram.norms)
            sizes = np.bincount(members.ravel(), minlength=n_rows)
        cross = self._sum_own(members)
        self._add(members)
        # A cluster that is empty nevertheless has its centre at the mean of all, sums being zero.
        filled = np.maximum(sizes, 1).astype(np.float64)
        centre_norms = self._sum_own(members) / filled**2
        moved = centre_norms + self.centre_norms - 2.0 * cross / (filled * self.sizes)
        self.sizes, self.centre_norms = filled, centre_norms
        total: FloatArray = moved.reshape(n_starts, -1).sum(axis=1)
        return total

    def _sum_own(self, members: IntArray) -> FloatArray:
        """For every cluster, its products with its members, summed."""
        own = self.products[members, np.arange(members.shape[1])]
        sums: FloatArray = np.bincount(
            members.ravel(), own.ravel(), minlength=len(self.products)
        ).astype(np.float64, copy=False)
        return sums

    def _add(self, members: IntArray) -> None:
        """Bring the products up to date: samples that came, less samples that left."""
        columns = np.broadcast_to(np.arange(members.shape[1]), members.shape)
        shape = (len(self.products), members.shape[1])
        if self.members is None:
            counts = np.ones(members.size)
            all_of = sparse.csr_array((counts, (members.ravel(), columns.ravel())), shape=shape)
            self.products = np.asarray(all_of @ self.gram.rows)
        else:
            moved = members != self.members
            rows = np.concatenate([members[moved], self.members[moved]])
            signs = np.repeat([1.0, -1.0], len(rows) // 2)
            change = sparse.csr_array((signs, (rows, np.tile(columns[moved], 2))), shape=shape)
            self.products += change @ self.gram.rows
        self.members = members

    def _fill_empty(self, members: IntArray, sizes: IntArray, distances: FloatArray) -> IntArray:
        """Give every empty cluster the sample farthest from its centre, as scikit-learn does.

        With more clusters than different samples all distances are zero, but for round-off, and
        the cluster stays empty.
        """
        members = members.copy()
        round_off = 1e-13 * float(self.gram.norms.max(initial=0.0))
        for start in np.unique(np.flatnonzero(sizes == 0) // self.n_clusters):
            first = start * self.n_clusters
            empty = first + np.flatnonzero(sizes[first : first + self.n_clusters] == 0)
            if distances[start].max() > round_off:
                farthest = np.argpartition(distances[start], -len(empty))
                members[start, farthest[: -len(empty) - 1 : -1]] = empty
        return members

    def _finish(
        self, done: NDArray[np.bool_], labels: IntArray, nearest: FloatArray, number: int
    ) -> None:
        """Store the starts that are done and go on without them."""
        at = self.places[done]
        self.outcome.labels[at] = labels[done]
        squares = nearest[done] + self.gram.norms
        self.outcome.inertia[at] = np.maximum(squares.sum(axis=1), 0.0)
        self.outcome.n_iter[at] = number
        going = ~done
        rows = np.repeat(going, self.n_clusters)
        self.places = self.places[going]
        self.products = self.products[rows]
        self.sizes, self.centre_norms = self.sizes[rows], self.centre_norms[rows]
        if self.members is not None:
            dropped = np.cumsum(done)[going] * self.n_clusters
            self.members = self.members[going] - dropped[:, None]
