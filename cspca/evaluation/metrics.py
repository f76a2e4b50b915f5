"""How well clusters agree with classes: accuracy and normalised mutual information."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from scipy.special import entr
from sklearn.metrics import mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

from cspca.evaluation.statistics import Interval

Average = Literal["geometric", "arithmetic", "max"]


@dataclass(frozen=True)
class Metric:
    """How a metric is said; `meaning` is a sentence with places for {samples} and {features}."""

    short: str
    title: str
    meaning: str
    percent: bool = False
    larger_is_better: bool = True

    @property
    def unit(self) -> str:
        """The short name with its unit, for the head of a column."""
        return f"{self.short} (%)" if self.percent else self.short

    def say(self, value: float, sign: str = "") -> str:
        """A value without its unit."""
        text = f"{100 * value:{sign}.1f}" if self.percent else f"{value:{sign}.3f}"
        return (text[1:] if sign and not float(text) else text).replace("-", "−")

    def spread(self, mean: float, std: float) -> str:
        """Mean ± standard deviation, without the unit."""
        return f"{self.say(mean)} ± {self.say(std)}"

    def apart(self, found: Interval | None) -> str:
        """A difference and the ends of its interval, without the unit."""
        if found is None:
            return "–"
        middle, low, high = (
            self.say(one, "+") for one in (found.difference, found.low, found.high)
        )
        return f"{middle} ({low} to {high})"


_NMI = "NMI: what clusters and classes say of each other, over the {} of their entropies."

METRICS: Mapping[str, Metric] = {
    "accuracy": Metric(
        "ACC",
        "Accuracy (ACC)",
        "ACC: the share of {samples} in the right cluster, under the best one-to-one map of "
        "clusters to classes.",
        percent=True,
    ),
    "nmi": Metric(
        "NMI",
        "Normalised mutual information (NMI)",
        _NMI.format("geometric mean"),
        percent=True,
    ),
    "nmi_max": Metric(
        "NMI, max",
        "Mutual information over the larger entropy",
        _NMI.format("larger"),
        percent=True,
    ),
    "silhouette": Metric(
        "Silhouette",
        "Silhouette",
        "Silhouette: how much nearer {a_sample} is to its own cluster than to the next, from −1 "
        "to 1, measured with all {features}; it needs no labels.",
    ),
    "stability": Metric(
        "Stability",
        "Stability (adjusted Rand index)",
        "Stability: how far two starts of K-means agree (adjusted Rand index; 1 is the same "
        "clusters); it needs no labels.",
    ),
    "reconstruction_error": Metric(
        "Reconstruction error",
        "Reconstruction error",
        "Reconstruction error: the share of the variance of all {features} that the selected ones "
        "leave unexplained in {samples} they were not fitted on; less is better. It does not "
        "depend on the start.",
        larger_is_better=False,
    ),
}
"""What a clustering is measured by; ``nmi`` is the paper's, ``nmi_max`` over the larger entropy."""


def clustering_accuracy(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Share of samples whose cluster is mapped to their class by the best one-to-one map.

    The map is found by the Hungarian method (Kuhn, Munkres). When clusters outnumber classes, or
    the reverse, those left over match nothing.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Classes: integers or strings.
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
        Classes: integers or strings.
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
    found = _information(_table(y_true, y_pred))
    if average not in found:
        raise ValueError(f"average must be one of {', '.join(found)}, got {average!r}.")
    return found[average]


def agreement(y_true: ArrayLike, y_pred: ArrayLike) -> dict[str, float]:
    """Accuracy, geometric and max-normalised mutual information, counted once for all three."""
    table = _table(y_true, y_pred)
    found = _information(table)
    return {"accuracy": _accuracy(table), "nmi": found["geometric"], "nmi_max": found["max"]}


def _accuracy(table: NDArray[np.intp]) -> float:
    rows, columns = linear_sum_assignment(table, maximize=True)
    return float(table[rows, columns].sum() / table.sum())


def _information(table: NDArray[np.intp]) -> dict[str, float]:
    """Mutual information over each mean of the two entropies."""
    information = float(mutual_info_score(None, None, contingency=table))
    a, b = (float(entr(table.sum(axis=axis) / table.sum()).sum()) for axis in (1, 0))
    means = {"geometric": float(np.sqrt(a * b)), "arithmetic": 0.5 * (a + b), "max": max(a, b)}
    if information <= 1e-15 or min(means.values()) <= 0:
        return dict.fromkeys(means, 1.0 if table.shape == (1, 1) else 0.0)
    return {name: min(max(information / mean, 0.0), 1.0) for name, mean in means.items()}


def codes(labels: ArrayLike, name: str = "y") -> NDArray[np.intp]:
    """Labels of any kind as integers from 0, in their sorted order."""
    array = np.asarray(labels)
    if array.ndim != 1 or not array.size:
        raise ValueError(
            f"{name} must be a non-empty list of labels, one a sample, got shape {array.shape}."
        )
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} has missing labels: leave those samples out, or label them.")
    if array.dtype.kind == "O":
        array = array.astype(str)
    found: NDArray[np.intp] = np.unique(array, return_inverse=True)[1]
    return found


def _table(y_true: ArrayLike, y_pred: ArrayLike) -> NDArray[np.intp]:
    """Number of samples in every class (row) and cluster (column)."""
    classes, clusters = codes(y_true, "y_true"), codes(y_pred, "y_pred")
    if len(classes) != len(clusters):
        raise ValueError(
            f"y_true has {len(classes)} labels and y_pred has {len(clusters)}: both need one a "
            "sample."
        )
    table: NDArray[np.intp] = contingency_matrix(classes, clusters)
    return table
