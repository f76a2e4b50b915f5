"""The pure steps of every comparison: plan, rank the features, cluster on the best of them.

A plan is made of rankings, and each is clustered at several numbers of features from all seeds at
once. What comes out are rows of one long table, see :data:`COLUMNS`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import ParameterGrid

from cspca.evaluation.kmeans import (
    INITS,
    FloatArray,
    IntArray,
    check_clusters,
    check_samples,
    kmeans,
)
from cspca.evaluation.metrics import METRICS, agreement, codes
from cspca.evaluation.unlabelled import Silhouette, reconstruction_error
from cspca.selection import METHODS, AllFeatures
from cspca.selection.registry import Method

COLUMNS = (
    "method", "title", "parameters", "n_features", "seed", "n_clusters", "init", "inertia",
    "n_iter", "seconds", *METRICS, "selection_seconds",
)  # fmt: skip
"""Columns of the long table, one row a clustering.

``parameters`` is JSON, ``""`` for a method's defaults; ``inertia`` is within the selected features,
``seconds`` a clustering's share of those that ran together, ``selection_seconds`` the time of the
fit that ranked the features. A metric that was not measured is NaN.
"""

_TWIN = 1 << 31
"""Distance from a seed to that of the second start by which stability is measured."""

_DETAILS = ("duality_gap", "rank", "objective", "n_iter")


@dataclass(frozen=True)
class Given:
    """A caller's estimator as a method without a grid."""

    title: str
    estimator: Any
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def make(self, n_clusters: int | None = None, **parameters: Any) -> Any:
        """Copy it; it knows its own number of clusters and seed."""
        return clone(self.estimator).set_params(**parameters)


@dataclass(frozen=True)
class Task:
    """One ranking to make, and the numbers of its best features to cluster on."""

    method: str
    title: str
    parameters: Mapping[str, Any]
    n_features: tuple[int, ...]

    @property
    def text(self) -> str:
        """The parameters as the long table has them."""
        return parameters_text(self.parameters)


@dataclass(frozen=True)
class Plan:
    """A comparison to run: every ranking × number of features × seed."""

    tasks: tuple[Task, ...]
    seeds: tuple[int, ...]
    n_clusters: int
    init: str = "random"
    silhouette: bool = True
    baseline: str | None = None
    """The method that keeps all features, if it is compared."""

    @property
    def titles(self) -> dict[str, str]:
        """Methods on screen, by key."""
        return {task.method: task.title for task in self.tasks}

    @property
    def n_clusterings(self) -> int:
        """How many there are in all."""
        return len(self.seeds) * sum(len(task.n_features) for task in self.tasks)


@dataclass(frozen=True, eq=False)
class Ranking:
    """What a fitted selector says of the features.

    ``scores`` are the order in numbers, large is good. ``details`` are what the fit says of itself,
    where it does: duality_gap, rank, objective, n_iter, and n_zero, the number of features scored
    exactly zero.
    """

    order: IntArray
    scores: FloatArray
    seconds: float
    details: Mapping[str, float]


def parameters_text(parameters: Mapping[str, Any]) -> str:
    """Parameters as one line of JSON with sorted names; empty for none."""
    return json.dumps(dict(sorted(parameters.items())), default=_plain) if parameters else ""


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else repr(value)


def long_table(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as the long table with all its :data:`COLUMNS`."""
    table = pd.DataFrame(list(rows), columns=list(COLUMNS))
    return table.astype(dict.fromkeys(METRICS, np.float64))


def check_data(
    X: ArrayLike, y: ArrayLike | None, n_clusters: int | None
) -> tuple[FloatArray, NDArray[np.intp] | None, int]:
    """Samples, classes from 0 or None, and the number of clusters, once they fit together."""
    samples = check_samples(X)
    classes = None
    if y is not None:
        classes = codes(y)
        if len(classes) != len(samples):
            raise ValueError(
                f"y has {len(classes)} labels for {len(samples)} samples: give one a sample."
            )
        if not classes.any():
            raise ValueError(
                "All samples have the same label: ACC and NMI need at least two classes. Leave y "
                "out to compare without labels."
            )
        n_clusters = int(classes.max()) + 1 if n_clusters is None else n_clusters
    elif n_clusters is None:
        raise ValueError("Without labels the number of clusters is unknown: set n_clusters.")
    check_clusters(n_clusters, len(samples))
    return samples, classes, int(n_clusters)


def resolve_methods(
    methods: Iterable[str] | Mapping[str, Any] | None,
) -> dict[str, Method | Given]:
    """Methods by key: of the registry, or a mapping of names to estimators; None is the paper's."""
    if methods is None:
        methods = [key for key, method in METHODS.items() if method.in_paper]
    found: dict[str, Method | Given] = {}
    if isinstance(methods, Mapping):
        for name, given in methods.items():
            found[name] = given if isinstance(given, Method | Given) else Given(name, given)
    else:
        for key in [methods] if isinstance(methods, str) else methods:
            if key not in METHODS:
                raise ValueError(f"Unknown method {key!r}: choose from {', '.join(METHODS)}.")
            found[key] = METHODS[key]
    if not found:
        raise ValueError(f"No method is chosen: choose from {', '.join(METHODS)}.")
    return found


def plan(
    X: ArrayLike,
    y: ArrayLike | None = None,
    methods: Iterable[str] | Mapping[str, Any] | None = None,
    n_features: int | Sequence[int] | None = None,
    *,
    n_seeds: int = 30,
    seeds: Sequence[int] | None = None,
    n_clusters: int | None = None,
    init: str = "random",
    tune: bool = False,
    grids: Mapping[str, Iterable[Mapping[str, Any]]] | None = None,
    silhouette: bool = True,
) -> Plan:
    """Plan a comparison; see :func:`cspca.evaluation.compare` for what is asked."""
    samples, _, n_clusters = check_data(X, y, n_clusters)
    chosen = resolve_methods(methods)
    counts = _feature_counts(n_features, samples.shape[1])
    if init not in INITS:
        raise ValueError(f"init must be one of {', '.join(INITS)}, got {init!r}.")
    runs = tuple(int(seed) for seed in (range(n_seeds) if seeds is None else seeds))
    if not runs or min(runs) < 0 or len(set(runs)) < len(runs):
        raise ValueError("Ask for at least one seed; seeds are different whole numbers from 0.")
    unknown = set(grids or {}) - set(chosen)
    if unknown:
        raise ValueError(f"grids names methods that are not compared: {', '.join(unknown)}.")
    tasks, baseline = [], None
    for key, method in chosen.items():
        kind = type(method.estimator) if isinstance(method, Given) else method.selector
        where = counts
        if issubclass(kind, AllFeatures):
            # The baseline is clustered once, with every feature.
            where, baseline = (samples.shape[1],), baseline or key
        sets: Iterable[Mapping[str, Any]] = (grids or {}).get(
            key, ParameterGrid(method.grid) if tune else [{}]
        )
        tasks += [Task(key, method.title, dict(one), where) for one in sets]
    return Plan(tuple(tasks), runs, n_clusters, init, silhouette, baseline)


def _feature_counts(wanted: int | Sequence[int] | None, available: int) -> tuple[int, ...]:
    """Check the numbers of features; None is a quarter, a half and three quarters."""
    if wanted is None:
        return tuple(sorted({max(1, round(available * share)) for share in (0.25, 0.5, 0.75)}))
    counts = tuple(int(k) for k in np.atleast_1d(np.asarray(wanted)))
    if not counts or min(counts) < 1:
        raise ValueError("n_features must be at least 1.")
    if max(counts) > available:
        raise ValueError(
            f"n_features asks for {max(counts)} of {available} features: ask for at most "
            f"{available}."
        )
    return tuple(sorted(set(counts)))


def rank_features(selector: Any, X: ArrayLike) -> Ranking:
    """Fit a selector and read its order of the features."""
    began = time.perf_counter()
    fitted = selector.fit(X)
    seconds = time.perf_counter() - began
    order, scores = _order_of(fitted)
    n_features = np.shape(X)[1]
    if order.max(initial=-1) >= n_features or order.min(initial=0) < 0:
        raise ValueError(f"It orders features up to number {order.max()} of {n_features}.")
    own = getattr(fitted, "feature_scores_", getattr(fitted, "selection_scores_", ()))
    details = {"n_zero": float(np.count_nonzero(np.asarray(own, dtype=np.float64) == 0.0))}
    for name in _DETAILS:
        value = getattr(getattr(fitted, "model_", fitted), f"{name}_", None)
        if isinstance(value, int | float | np.number):
            details[name] = float(value)
    return Ranking(order, scores, seconds, details)


def _order_of(selector: Any) -> tuple[IntArray, FloatArray]:
    """Features best first and their scores, from a fitted selector."""
    scores = getattr(selector, "selection_scores_", getattr(selector, "feature_scores_", None))
    order = getattr(selector, "feature_order_", None)
    if order is None:
        if scores is None:
            raise ValueError(
                f"{type(selector).__name__} says no order of the features: it needs "
                "feature_order_ or selection_scores_ after fit."
            )
        order = np.argsort(-np.asarray(scores), kind="stable")
    order = np.asarray(order, dtype=np.intp)
    if len(np.unique(order)) < len(order):
        raise ValueError(f"{type(selector).__name__} orders a feature twice.")
    if scores is None:
        ranked = np.full(int(order.max(initial=-1)) + 1, 0.0)
        ranked[order] = np.arange(len(order), 0, -1) / len(order)
        scores = ranked
    return order, np.asarray(scores, dtype=np.float64)


def cluster(
    X: ArrayLike,
    classes: NDArray[np.intp] | None,
    order: IntArray,
    n_features: int,
    seeds: Sequence[int],
    n_clusters: int,
    *,
    init: str = "random",
    silhouette: Silhouette | None = None,
) -> list[dict[str, Any]]:
    """Cluster from many seeds on the best features of an order, and measure: one row a seed.

    Classes are numbered from 0; None measures stability and reconstruction error instead of
    agreement. The numbers of a seed do not depend on which others are with it.
    """
    if n_features > len(order):
        raise ValueError(f"It orders {len(order)} features, and {n_features} are wanted.")
    samples = np.asarray(X)
    # In the order of their index: what is selected decides, not in which order.
    features = np.sort(order[:n_features])
    chosen = np.ascontiguousarray(samples[:, features], dtype=np.float64)
    starts = list(seeds)
    if classes is None:
        starts += [seed + _TWIN for seed in seeds]
        error = reconstruction_error(samples, features, held_out=len(samples) >= 4)
    n = len(seeds)
    began = time.perf_counter()
    found = kmeans(chosen, n_clusters, starts, init=init)
    seconds = (time.perf_counter() - began) / n
    silhouettes = None if silhouette is None else silhouette.of_all(found.labels[:n])
    rows = []
    for i, seed in enumerate(seeds):
        row: dict[str, Any] = {
            "n_features": n_features,
            "seed": seed,
            "n_clusters": n_clusters,
            "init": init,
            "inertia": float(found.inertia[i]),
            "n_iter": int(found.n_iter[i]),
            "seconds": seconds,
        }
        if classes is None:
            # With a start that belongs to this seed alone: the mean estimates two random runs.
            row["stability"] = float(adjusted_rand_score(found.labels[i], found.labels[i + n]))
            row["reconstruction_error"] = error
        else:
            row |= agreement(classes, found.labels[i])
        if silhouettes is not None:
            row["silhouette"] = float(silhouettes[i])
        rows.append(row)
    return rows
