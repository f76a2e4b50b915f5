"""Compare methods on one data set, or evaluate one selection: a loop over the pure steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from cspca.evaluation.comparison import Comparison
from cspca.evaluation.kmeans import IntArray
from cspca.evaluation.steps import (
    Ranking,
    Task,
    check_data,
    cluster,
    long_table,
    plan,
    rank_features,
    resolve_methods,
)
from cspca.evaluation.unlabelled import Silhouette
from cspca.threads import blas_threads

FAILURES = (ValueError, ArithmeticError, RuntimeError, MemoryError)
"""What a method may fail with on data it cannot handle; anything else is a mistake of ours."""


def compare(
    X: ArrayLike,
    y: ArrayLike | None = None,
    methods: Iterable[str] | Mapping[str, Any] | None = None,
    n_features: int | Sequence[int] | None = None,
    *,
    confidence: float = 0.95,
    n_jobs: int = 1,
    on_progress: Callable[[int, int], None] | None = None,
    **settings: Any,
) -> Comparison:
    """Compare feature selection methods by K-means on the features they select.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features_in)
    y : array-like of shape (n_samples,) or None, default=None
        Classes, which no method sees. None compares by silhouette, stability and reconstruction
        error.
    methods : iterable of str, mapping of str to estimator, or None, default=None
        Keys of :data:`cspca.selection.METHODS`, or estimators by name: anything that has
        ``feature_order_`` or ``selection_scores_`` after ``fit(X)``. None is the paper's.
    n_features : int, sequence of int or None, default=None
        Numbers of selected features; None is a quarter, a half and three quarters of all.
    confidence : float, default=0.95
        Of intervals and marks.
    n_jobs : int, default=1
        Threads.
    on_progress : callable or None, default=None
        Called with the clusterings done, or given up, and all of them, after every ranking.
    n_seeds : int, default=30
        Repetitions of K-means: seeds 0, 1, …, the same for every method and number of features.
    seeds : sequence of int or None, default=None
        Seeds instead of `n_seeds`, below 2³¹.
    n_clusters : int or None, default=None
        None is the number of classes.
    init : {"random", "k-means++"}, default="random"
        Starts of K-means; random ones are the same samples for every method.
    tune : bool, default=False
        Try every method's whole grid of parameters, as the paper does; otherwise its defaults.
    grids : mapping of str to iterable of mapping, or None, default=None
        Parameter sets to try of single methods, in place of their grid or defaults.
    silhouette : bool, default=True
        Measure silhouettes beside labels, so that a choice without labels can be reported.
    **settings
        The seven above, by name.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        One sentence, when data and wishes do not fit together. A method that fails on these data
        is reported in ``failures`` and does not end the others.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from cspca.evaluation import compare
    >>> X, y = load_digits(return_X_y=True)
    >>> done = compare(X / 16, y, ["all", "variance"], 20, n_seeds=5)
    >>> [row.title for row in done.table()]
    ['All features', 'Max variance']
    """
    if n_jobs < 1:
        raise ValueError(f"n_jobs must be at least 1, got {n_jobs}.")
    known = resolve_methods(methods)
    planned = plan(X, y, known, n_features, **settings)
    samples, classes, _ = check_data(X, y, planned.n_clusters)
    silhouette = Silhouette(samples) if planned.silhouette or classes is None else None

    def perform(task: Task) -> tuple[Task, Ranking | None, list[dict[str, Any]], str]:
        rows: list[dict[str, Any]] = []
        ranking = None
        try:
            selector = known[task.method].make(planned.n_clusters, **task.parameters)
            ranking = rank_features(selector, samples)
            about = {
                "method": task.method,
                "title": task.title,
                "parameters": task.text,
                "selection_seconds": ranking.seconds,
            }
            for count in task.n_features:
                found = cluster(
                    samples,
                    classes,
                    ranking.order,
                    count,
                    planned.seeds,
                    planned.n_clusters,
                    init=planned.init,
                    silhouette=silhouette,
                )
                rows += [about | row for row in found]
        except FAILURES as error:
            reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
            return task, ranking, rows, f"{task.title} failed: {reason}"
        return task, ranking, rows, ""

    rows: list[dict[str, Any]] = []
    rankings, failures = {}, {}
    n_done = 0
    # At one setting of threads for all workers, so that sums are taken in the same order.
    with blas_threads():
        work = Parallel(n_jobs, backend="threading", return_as="generator")
        for task, ranking, found, problem in work(delayed(perform)(one) for one in planned.tasks):
            key = task.method, task.text
            rows += found
            if ranking is not None:
                rankings[key] = ranking
            if problem:
                failures[key] = problem
            n_done += len(planned.seeds) * len(task.n_features)
            if on_progress is not None:
                on_progress(n_done, planned.n_clusterings)
    return Comparison(planned, long_table(rows), rankings, failures, confidence)


def evaluate_selection(
    X: ArrayLike,
    y: ArrayLike | None,
    selection: Any,
    n_features: int | Sequence[int] | None = None,
    *,
    name: str = "selection",
    **settings: Any,
) -> Comparison:
    """Evaluate one selection: an order of features, or a selector.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features_in)
    y : array-like of shape (n_samples,) or None
    selection : array-like of int, or estimator
        Features best first, some or all; or a selector. A fitted one is taken as it is, another
        is copied and fitted.
    n_features : int, sequence of int or None, default=None
        How many of them are used; None is all that an array lists, and as in :func:`compare` for
        a selector or an order of all features.
    name : str, default="selection"
        The method's name in the tables.
    **settings
        Further parameters of :func:`compare`, such as ``n_seeds``.

    Returns
    -------
    Comparison
        Of one method.

    Raises
    ------
    ValueError
        As :func:`compare` does, or when the order names a feature twice or one that is not there.
    """
    if not hasattr(selection, "fit"):
        order = np.asarray(selection)
        n_available = np.asarray(X).shape[-1]
        whole = order.dtype.kind in "iu" and order.ndim == 1 and order.size
        if not whole or order.min() < 0 or order.max() >= n_available:
            raise ValueError(
                f"selection must list features by number, from 0 to {n_available - 1}, best first."
            )
        if len(np.unique(order)) < len(order):
            raise ValueError("selection names a feature twice.")
        if n_features is None and len(order) < n_available:
            n_features = len(order)
        selection = _Listed(order)
    elif hasattr(selection, "feature_order_"):
        selection = _Listed(selection.feature_order_)
    return compare(X, y, {name: selection}, n_features, **settings)


class _Listed(BaseEstimator):  # type: ignore[misc]
    """An order that was given, as a selector."""

    def __init__(self, order: IntArray) -> None:
        self.order = order

    def fit(self, X: ArrayLike) -> _Listed:
        """Take the order as it is."""
        self.feature_order_ = self.order
        return self
