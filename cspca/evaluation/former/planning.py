"""From what a user asks to a plan of cells, refused in one sentence where it makes no sense."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from cspca.evaluation.former.cells import MethodPlan, Parameters, Plan, parameters_of
from cspca.evaluation.kmeans import INITS, check_clusters
from cspca.evaluation.metrics import codes
from cspca.evaluation.starts import FloatArray, IntArray
from cspca.selection import METHODS
from cspca.selection.all_features import AllFeatures

__all__ = ["Method", "check_data", "make_plan", "resolve_methods"]


class Method(Protocol):
    """What is needed of a method: a line of :data:`cspca.selection.METHODS` has it."""

    @property
    def title(self) -> str:
        """Name on screen."""

    @property
    def grid(self) -> Mapping[str, tuple[Any, ...]]:
        """Parameters tuned, and their values."""

    def make(self, n_clusters: int | None = None, random_state: Any = 0, **parameters: Any) -> Any:
        """Make an unfitted selector."""


@dataclass(frozen=True)
class _Given:
    """An estimator of the user's as a method without a grid."""

    title: str
    estimator: Any
    grid: Mapping[str, tuple[Any, ...]]

    def make(self, n_clusters: int | None = None, random_state: Any = 0, **parameters: Any) -> Any:
        """Copy it; it knows its own number of clusters and seed."""
        return clone(self.estimator).set_params(**parameters)


@dataclass(frozen=True)
class _Data:
    """Checked input: samples, classes from 0 or None, number of clusters."""

    X: FloatArray
    classes: NDArray[np.intp] | None
    n_clusters: int


def check_data(X: ArrayLike, y: ArrayLike | None, n_clusters: int | None) -> _Data:
    """Check samples and labels against each other.

    Raises
    ------
    ValueError
        One sentence: what is wrong, and what to do.
    """
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
    return _Data(samples, classes, int(n_clusters))


def resolve_methods(methods: Iterable[str] | Mapping[str, Any] | None) -> dict[str, Method]:
    """Methods by key, from keys of the registry or from a mapping of names to estimators.

    Parameters
    ----------
    methods : iterable of str, mapping of str to estimator or method, or None
        None is the methods of the paper. An estimator is anything that has ``feature_order_``, or
        ``selection_scores_``, after ``fit(X)``.

    Raises
    ------
    ValueError
        When a key is unknown, or nothing is left to compare.
    """
    if methods is None:
        return {key: method for key, method in METHODS.items() if method.in_paper}
    found: dict[str, Method] = {}
    if isinstance(methods, Mapping):
        for name, given in methods.items():
            known = hasattr(given, "make") and hasattr(given, "grid")
            found[name] = given if known else _Given(name, given, {})
    else:
        for key in [methods] if isinstance(methods, str) else methods:
            if key not in METHODS:
                raise ValueError(f"Unknown method {key!r}: choose from {', '.join(METHODS)}.")
            found[key] = METHODS[key]
    if not found:
        raise ValueError(f"No method is chosen: choose from {', '.join(METHODS)}.")
    return found


def make_plan(
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
    """Plan a comparison; see :func:`cspca.evaluation.compare` for the parameters.

    Parameters
    ----------
    X, y, methods, n_features, n_seeds, seeds, n_clusters, init, tune, grids, silhouette
        As in :func:`cspca.evaluation.compare`.

    Returns
    -------
    Plan

    Raises
    ------
    ValueError
        One sentence: what is wrong, and what to do.
    """
    data = check_data(X, y, n_clusters)
    chosen = resolve_methods(methods)
    counts = _feature_counts(n_features, data.X.shape[1])
    if init not in INITS:
        raise ValueError(f"init must be one of {', '.join(INITS)}, got {init!r}.")
    runs = tuple(int(seed) for seed in (range(n_seeds) if seeds is None else seeds))
    if not runs or min(runs) < 0 or len(set(runs)) < len(runs):
        raise ValueError("Ask for at least one seed; seeds are different whole numbers from 0.")
    unknown = set(grids or {}) - set(chosen)
    if unknown:
        raise ValueError(f"grids names methods that are not compared: {', '.join(unknown)}.")
    plans = []
    for key, method in chosen.items():
        keeps_all = _keeps_all(method)
        if grids is not None and key in grids:
            grid = tuple(parameters_of(one) for one in grids[key])
        else:
            grid = _grid(method.grid) if tune else ((),)
        where = (data.X.shape[1],) if keeps_all else counts
        plans.append(MethodPlan(key, method.title, grid, where, keeps_all))
    return Plan(tuple(plans), runs, data.n_clusters, init, silhouette)


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


def _grid(values: Mapping[str, tuple[Any, ...]]) -> tuple[Parameters, ...]:
    names = sorted(values)
    return tuple(
        parameters_of(dict(zip(names, point, strict=True)))
        for point in itertools.product(*(values[name] for name in names))
    )


def _keeps_all(method: Method) -> bool:
    """Whether it is the baseline, which is clustered once, with every feature."""
    estimator = method.estimator if isinstance(method, _Given) else method.make(n_clusters=2)
    return isinstance(estimator, AllFeatures)


def order_of(selector: Any) -> tuple[IntArray, FloatArray]:
    """Features best first and their scores, from a fitted selector.

    Raises
    ------
    ValueError
        When it has neither ``feature_order_`` nor ``selection_scores_`` (or
        ``feature_scores_``), or the order names a feature twice.
    """
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
