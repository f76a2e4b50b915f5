"""How good a clustering or a selection is: held against classes, or when nobody knows them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg, sparse
from scipy.optimize import linear_sum_assignment
from scipy.special import entr, rel_entr
from sklearn.linear_model import ridge_regression
from sklearn.metrics.cluster import contingency_matrix
from sklearn.metrics.pairwise import euclidean_distances

from cspca.evaluation.halves import (
    MOST_SAMPLES,
    N_HALVINGS,
    draw_halvings,
    number_groups,
    sample_groups,
)
from cspca.evaluation.kmeans import (
    FloatArray,
    IntArray,
    check_features,
    check_range,
    check_samples,
)
from cspca.evaluation.statistics import Interval
from cspca.labels import class_numbers, cluster_numbers
from cspca.threads import blas_threads

Average = Literal["geometric", "arithmetic", "max"]


@dataclass(frozen=True)
class Metric:
    """How a metric is said; `meaning` is a sentence with places for {samples} and {features}."""

    short: str
    title: str
    meaning: str
    percent: bool = False
    larger_is_better: bool = True
    by_start: bool = True  # whether the start of K-means has a part in it
    by_labels: bool = False

    @property
    def unit(self) -> str:
        """The short name with its unit, for the head of a column."""
        return f"{self.short} (%)" if self.percent else self.short

    def say(self, value: float, sign: str = "") -> str:
        """A value without its unit."""
        text = f"{100 * value:{sign}.1f}" if self.percent else f"{value:{sign}.3f}"
        return (text[1:] if sign and not float(text) else text).replace("-", "−")

    def spread(self, mean: float, std: float, n_runs: int | None = None) -> str:
        """Mean ± standard deviation, where there is one, without the unit; one run has none."""
        has_spread = self.by_start and n_runs != 1
        return f"{self.say(mean)} ± {self.say(std)}" if has_spread else self.say(mean)

    def apart(self, interval: Interval | None) -> str:
        """A difference and the ends of its interval, where it has one, without the unit."""
        if interval is None:
            return "–"
        middle, low, high = (
            self.say(value, "+") for value in (interval.difference, interval.low, interval.high)
        )
        return f"{middle} ({low} to {high})" if self.by_start and interval.has_ends else middle

    def ends(self, interval: Interval | None, sign: str = "") -> str:
        """The two ends of an interval, without the unit."""
        if interval is None:
            return "–"
        return f"{self.say(interval.low, sign)} to {self.say(interval.high, sign)}"


REPRODUCIBILITY: Final = "reproducibility"
"""The metric that is measured on halves of the samples, when it is asked for."""

_NMI = "NMI: what clusters and classes say of each other, over the {} of their entropies."

METRICS: Mapping[str, Metric] = {
    "accuracy": Metric(
        "ACC",
        "Accuracy (ACC)",
        "ACC: the share of {samples} in the right cluster, under the best one-to-one map of "
        "clusters to classes.",
        percent=True,
        by_labels=True,
    ),
    "nmi": Metric(
        "NMI",
        "Normalised mutual information (NMI)",
        _NMI.format("geometric mean"),
        percent=True,
        by_labels=True,
    ),
    "nmi_max": Metric(
        "NMI, max",
        "Mutual information over the larger entropy",
        _NMI.format("larger"),
        percent=True,
        by_labels=True,
    ),
    "silhouette": Metric(
        "Silhouette",
        "Silhouette",
        "Silhouette: how much nearer {a_sample} is to its own cluster than to the next, from −1 "
        "to 1, measured with all {features}; it needs no labels.",
    ),
    "cluster_stability": Metric(
        "Cluster stability",
        "Cluster stability (adjusted Rand index)",
        "Cluster stability: how far two starts of K-means agree (adjusted Rand index; 1 is the "
        "same clusters); it needs no labels.",
    ),
    "reconstruction_error": Metric(
        "Reconstruction error",
        "Reconstruction error",
        "Reconstruction error: the share of the variance of all {features} that the selected ones "
        "leave unexplained in {samples} they were not fitted on, the mean over five random "
        "halvings; less is better. It does not depend on the start.",
        larger_is_better=False,
        by_start=False,
    ),
    "neighbour_accuracy": Metric(
        "1-NN",
        "Nearest-neighbour accuracy (1-NN)",
        "1-NN: the share of {samples} whose nearest one in the other half of them, by the selected "
        "{features}, is of the same class, the mean over five random halvings. It does not "
        "depend on the start.",
        percent=True,
        by_start=False,
        by_labels=True,
    ),
    REPRODUCIBILITY: Metric(
        "Reproducibility",
        "Reproducibility (Nogueira’s index)",
        "Reproducibility: how far random halves of the {samples} select the same {features} "
        "(Nogueira’s index): 1 is the same on all halves, 0 is what chance gives. The interval "
        "speaks of further halves of these {samples} alone. Reproducible is not right: {features} "
        "of a background that varies are selected again too. It needs no labels and does not "
        "depend on the start.",
        by_start=False,
    ),
}
"""What a selection is measured by.

``nmi`` is the paper's, over the geometric mean of the entropies; ``nmi_max`` is over the larger
one.
"""


def clustering_accuracy(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Share of samples whose cluster is mapped to their class by the best one-to-one map.

    The map is found by the Hungarian method (Kuhn, Munkres). When clusters outnumber classes, or
    the reverse, those left over match nothing.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Classes: text, whole numbers, booleans or categories, see :mod:`cspca.labels`.
    y_pred : array-like of shape (n_samples,)
        Clusters: integers or strings; their names mean nothing.

    Returns
    -------
    float
        In (0, 1].

    Examples
    --------
    >>> clustering_accuracy(["cat", "cat", "dog", "dog"], [7, 7, 3, 7])
    0.75
    """
    return _accuracy(_table(y_true, y_pred))


def normalized_mutual_information(
    y_true: ArrayLike, y_pred: ArrayLike, *, average: Average = "geometric"
) -> float:
    """Mutual information of classes and clusters over a mean of their entropies.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Classes: text, whole numbers, booleans or categories, see :mod:`cspca.labels`.
    y_pred : array-like of shape (n_samples,)
        Clusters: integers or strings; their names mean nothing.
    average : {"geometric", "arithmetic", "max"}, default="geometric"
        The mean; the geometric one is the paper's. Published tables differ in it.

    Returns
    -------
    float
        In [0, 1]. 1 when both hold a single group; 0 when only one of them does.

    Examples
    --------
    >>> normalized_mutual_information([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    """
    information = _information(_table(y_true, y_pred))
    if average not in information:
        raise ValueError(f"average must be one of {', '.join(information)}, got {average!r}.")
    return float(information[average])


def agreement(classes: NDArray[Any], clusters: NDArray[Any]) -> dict[str, float]:
    """Accuracy, geometric and max-normalised mutual information, counted once for all three."""
    table = _counts(classes, clusters)
    information = _information(table)
    nmi, nmi_max = float(information["geometric"]), float(information["max"])
    return {"accuracy": _accuracy(table), "nmi": nmi, "nmi_max": nmi_max}


def resampled_agreement(
    classes: NDArray[np.intp],
    clusterings: NDArray[np.integer[Any]],
    n_resamples: int,
    groups: IntArray | None = None,
) -> dict[str, NDArray[np.float32]]:
    """Mean accuracy and NMI of clusterings when the samples are drawn again, one a resample.

    Samples, or whole groups of them, are drawn with replacement, each with its class and its
    clusters, and clusters are matched with classes anew. Which are drawn their number alone says:
    figures of two methods on the same samples are pairs.
    """
    n, shape = len(classes), (int(classes.max()) + 1, int(clusterings.max()) + 1)
    units = np.arange(n) if groups is None else np.unique(groups, return_inverse=True)[1]
    n_units = int(units.max()) + 1
    shares = np.full(n_units, 1 / n_units)
    drawn = np.random.default_rng(0).multinomial(n_units, shares, size=n_resamples)[:, units]
    totals = {name: np.zeros(n_resamples) for name in ("accuracy", "nmi")}
    for clusters in clusterings:
        at = np.ones(n, np.intp), classes * shape[1] + clusters, np.arange(n + 1)
        member = sparse.csr_array(at, (n, math.prod(shape)))
        tables = np.asarray(drawn @ member).reshape(-1, *shape)
        totals["accuracy"] += [_accuracy(table) for table in tables]
        totals["nmi"] += _information(tables)["geometric"]
    return {name: (total / len(clusterings)).astype(np.float32) for name, total in totals.items()}


def _accuracy(table: NDArray[np.intp]) -> float:
    rows, columns = linear_sum_assignment(table, maximize=True)
    return float(table[rows, columns].sum() / table.sum())


def _information(tables: NDArray[np.intp]) -> dict[str, FloatArray]:
    """Mutual information over each mean of the two entropies, of one table or of many."""
    joint = tables / tables.sum(axis=(-2, -1), keepdims=True)
    rows, columns = joint.sum(axis=-1, keepdims=True), joint.sum(axis=-2, keepdims=True)
    information = rel_entr(joint, rows * columns).sum(axis=(-2, -1))
    # Shares that add up to a rounding error above 1 have an entropy just below 0.
    a, b = (np.maximum(entr(shares).sum(axis=(-2, -1)), 0.0) for shares in (rows, columns))
    means = {"geometric": np.sqrt(a * b), "arithmetic": 0.5 * (a + b), "max": np.maximum(a, b)}
    # Where a single group is all there is, they agree if both have no other.
    alone, none = means["max"] <= 0, (information <= 1e-15) | (means["geometric"] <= 0)
    return {
        name: np.where(none, alone, np.clip(information / np.where(none, 1.0, mean), 0.0, 1.0))
        for name, mean in means.items()
    }


def _table(y_true: ArrayLike, y_pred: ArrayLike) -> NDArray[np.intp]:
    """Number of samples in every class (row) and cluster (column)."""
    return _counts(class_numbers(y_true, "y_true"), cluster_numbers(y_pred))


def _counts(classes: NDArray[Any], clusters: NDArray[Any]) -> NDArray[np.intp]:
    """The same of classes and clusters that are numbered."""
    if len(classes) != len(clusters):
        raise ValueError(
            f"y_true has {len(classes)} labels and y_pred has {len(clusters)}: both need one a "
            "sample."
        )
    table: NDArray[np.intp] = contingency_matrix(classes, clusters)
    return table


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
        return float(self.of_all(cluster_numbers(labels, "labels")[None])[0])

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
    X: ArrayLike,
    features: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    held_out: bool = True,
    ridge: float = 0.1,
    random_state: int = 0,
    n_halvings: int = N_HALVINGS,
) -> float:
    """Share of the variance of all features that the selected ones leave unexplained.

    All features are predicted from the selected ones by least squares. As soon as there are as
    many features as samples every sample is predicted exactly, which says nothing; so by default
    each half of the samples, drawn at random, is predicted from the other.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    features : array-like of int
        The selected columns.
    groups : array-like of shape (n_samples,) or None, default=None
        Group of each sample (subject, replicate, video), which one half holds whole. None keeps
        copies together, rows that are equal in every feature; near copies cannot be known.
    held_out : bool, default=True
        False fits and scores on all samples.
    ridge : float, default=0.1
        Penalty on the coefficients as a fraction of the mean squared norm of a selected feature;
        without it the held-out error explodes where features are about as many as samples. 0 is
        plain least squares (of least norm).
    random_state : int, default=0
        Seed of the halves.
    n_halvings : int, default=5
        Random halvings that the figure is over.

    Returns
    -------
    float
        0 is perfect; 1 is no better than the mean.

    Notes
    -----
    Other orders of the rows give other halves, and with them a figure that differs by chance. Over
    twelve orders of the 400 faces of ORL its standard deviation is 0.004 for 50 features (0.66),
    0.008 by a single halving, and of the 1,797 digits less than 0.0003. The halves are the same for
    every selection.
    """
    samples = check_samples(X).astype(np.float64, copy=False)
    chosen = check_features(features, samples.shape[1])
    check_range(samples)
    if not held_out and groups is not None:
        raise ValueError("groups has no effect with held_out=False: leave it out.")
    n = len(samples)
    every = np.arange(n)
    ways = [(every, every)]
    if held_out:
        numbers = _group_numbers(samples, groups, "set held_out=False")
        halvings = draw_halvings(numbers, random_state=random_state, n_halvings=n_halvings)
        ways = [pair for halving in halvings for pair in halving.ways]
    left = total = 0.0
    with blas_threads():
        for fit, score in ways:
            mean = samples[fit].mean(axis=0)
            fitted, target = samples[fit] - mean, samples[score] - mean
            few = fitted[:, chosen]
            penalty = ridge * float((few**2).sum()) / few.shape[1]
            if penalty == 0.0:
                weights = linalg.lstsq(few, fitted)[0]
            else:
                weights = ridge_regression(few, fitted, penalty, solver="cholesky").T
            left += float(((target - target[:, chosen] @ weights) ** 2).sum())
            total += float((target**2).sum())
    if total == 0.0:
        raise ValueError("Nothing varies in X: there is nothing to reconstruct.")
    return left / total


def neighbour_accuracy(
    X: ArrayLike,
    y: ArrayLike,
    features: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    random_state: int = 0,
) -> float:
    """Share of samples of the class of their nearest neighbour among the samples held out.

    Each half, drawn at random with its share of every class, is classified by the other: the mean
    over five halvings, of 4,000 samples that are drawn where there are more.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Classes, as for :func:`clustering_accuracy`.
    features : array-like of int
        The selected columns, by which distances are measured.
    groups : array-like of shape (n_samples,) or None, default=None
        Group of each sample, as for :func:`reconstruction_error`. Replicates of one subject are
        each other's nearest neighbours: without groups the figure tells subjects apart, not
        classes.
    random_state : int, default=0
        Seed of the halves.

    Notes
    -----
    Other orders of the rows give other halves, and with them a figure that differs by chance. Over
    twelve orders of the 400 faces of ORL its standard deviation is 0.012 for 50 features (0.60),
    0.024 by a single halving, and of the 1,797 digits at most 0.002.
    """
    samples, classes = check_samples(X), class_numbers(y)
    if len(classes) != len(samples):
        raise ValueError(f"y has {len(classes)} labels for {len(samples)} samples: give one each.")
    chosen = check_features(features, samples.shape[1])
    check_range(samples[:, chosen])
    numbers = _group_numbers(samples, groups, "there is no 1-NN")
    if not has_split_class(classes, numbers):
        raise ValueError(
            "Every class lies in a single group, so that no sample has another of its class in "
            "the other half: leave groups out, or give smaller ones."
        )
    return nearest_of_class(samples, classes, chosen, numbers, random_state=random_state)


def has_split_class(classes: IntArray, groups: IntArray) -> bool:
    """Whether a class lies in several groups, so that both halves can hold some of it."""
    pairs = np.unique(np.column_stack([classes, groups]), axis=0)
    return len(pairs) > len(np.unique(classes))


def nearest_of_class(
    X: ArrayLike,
    classes: IntArray,
    features: ArrayLike,
    groups: IntArray,
    *,
    random_state: int = 0,
) -> float:
    """:func:`neighbour_accuracy` with classes and groups numbered from 0."""
    few = np.asarray(X)[:, np.asarray(features, dtype=np.intp)].astype(np.float64, copy=False)
    accuracies = []
    for halving in draw_halvings(
        groups, classes, random_state=random_state, max_samples=MOST_SAMPLES
    ):
        first, second = halving.rows
        distances = euclidean_distances(few[first], few[second])
        right = np.count_nonzero(classes[second[distances.argmin(axis=1)]] == classes[first])
        right += np.count_nonzero(classes[first[distances.argmin(axis=0)]] == classes[second])
        accuracies.append(right / (len(first) + len(second)))
    return float(np.mean(accuracies))


def _group_numbers(samples: NDArray[Any], groups: ArrayLike | None, remedy: str) -> IntArray:
    """Number the groups that a half holds whole: those given, or copies."""
    n = len(samples)
    if n < 4:
        raise ValueError(f"Halves need at least 4 samples, got {n}: {remedy}.")
    return sample_groups(samples).numbers if groups is None else number_groups(groups, n)
