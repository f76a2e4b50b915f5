"""Compare methods on one data set: a loop over the pure steps, and what the long table says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from cspca.evaluation.choices import (
    Choice,
    Row,
    best_choice,
    choice_at,
    choose,
    measured,
    scores,
)
from cspca.evaluation.lloyd import IntArray
from cspca.evaluation.metrics import METRICS
from cspca.evaluation.statistics import jaccard
from cspca.evaluation.steps import (
    Plan,
    Ranking,
    Task,
    check_data,
    cluster,
    long_table,
    plan,
    rank_features,
    resolve_methods,
)
from cspca.evaluation.tables import Strong, to_csv, to_latex
from cspca.evaluation.unlabelled import Silhouette
from cspca.threads import blas_threads

if TYPE_CHECKING:
    import pandas as pd

FAILURES = (ValueError, ArithmeticError, RuntimeError, MemoryError)
"""What a method may fail with on data it cannot handle; anything else is a mistake of ours."""

_SUMMARY = (
    "metric", "method", "title", "best_mean", "best_std", "best_n_features", "best_parameters",
    "honest_mean", "honest_std", "label_free_mean", "label_free_std", "label_free_n_features",
    "label_free_parameters", "difference_to_all", "difference_low", "difference_high",
    "confidence", "mark", "n_runs", "n_choices", "selection_seconds", "clustering_seconds",
)  # fmt: skip

_RENAMED = {
    "other_starts_mean": "honest_mean",
    "other_starts_std": "honest_std",
    "difference_difference": "difference_to_all",
    "difference_confidence": "confidence",
    "best_n": "n_runs",
}


@dataclass(frozen=True, eq=False)
class Comparison:
    """Finished clusterings of a plan, all or some, and what they say.

    Only choices whose seeds are all done count, so that runs stay paired; a comparison that was
    stopped says the same of what it has.

    Rankings and failures (one sentence each) are known by method and parameters, as the long table
    says them; `confidence` is that of intervals and marks.
    """

    plan: Plan
    results: pd.DataFrame = field(default_factory=lambda: long_table([]))
    rankings: Mapping[tuple[str, str], Ranking] = field(default_factory=dict)
    failures: Mapping[tuple[str, str], str] = field(default_factory=dict)
    confidence: float = 0.95
    _tables: dict[str, tuple[Row, ...]] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        # Thousands of rows are no answer to a person who asks what this is.
        return (
            f"<Comparison of {len(self.plan.titles)} methods: {len(self.results):,} of "
            f"{self.plan.n_clusterings:,} clusterings done, {len(self.failures)} failures>"
        )

    @property
    def complete(self) -> bool:
        """Whether every clustering of the plan is finished."""
        return len(self.results) == self.plan.n_clusterings

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics that were measured, in a fixed order."""
        return measured(self.results)

    def to_frame(self) -> pd.DataFrame:
        """The long table, one row a clustering."""
        return self.results

    def scores(self, method: str, metric: str) -> pd.DataFrame:
        """Runs of every finished choice (parameters, n_features) of a method, a column a seed."""
        return scores(self.results, method, metric)

    def table(self, metric: str = "accuracy") -> tuple[Row, ...]:
        """One row for every method that has finished choices, in the plan's order."""
        if metric not in self._tables:
            self._tables[metric] = choose(
                self.results, metric, baseline=self.plan.baseline, confidence=self.confidence
            )
        return self._tables[metric]

    def summary(self) -> pd.DataFrame:
        """One row a metric and method: best of grid, chosen on other starts, label-free."""
        import pandas as pd

        lines = [
            {"metric": metric, **asdict(row)}
            for metric in self.metrics
            for row in self.table(metric)
        ]
        flat = pd.json_normalize(lines, sep="_").rename(columns=_RENAMED)
        return flat.reindex(columns=list(_SUMMARY)).astype({"label_free_n_features": "Int64"})

    def curve(self, method: str, metric: str = "accuracy") -> tuple[Choice, ...]:
        """Mean ± std against the number of features, with the best parameters at each."""
        wide = self.scores(method, metric)
        larger = METRICS[metric].larger_is_better
        return tuple(
            choice_at(at, best_choice(at, larger_is_better=larger))
            for _, at in wide.groupby("n_features")
        )

    def ranking(self, method: str, n_features: int, metric: str | None = None) -> Ranking:
        """The ranking that a method selects by, that of its best parameters there.

        The parameters are best by `metric`, the first measured by default; KeyError when the method
        has no ranking here.
        """
        at_hand = [parameters for key, parameters in self.rankings if key == method]
        if not at_hand:
            raise KeyError(method)
        parameters = at_hand[0]
        if self.metrics:
            points = self.curve(method, metric or self.metrics[0])
            near = sorted(points, key=lambda point: abs(point.n_features - n_features))
            parameters = next((p.parameters for p in near if p.parameters in at_hand), parameters)
        return self.rankings[method, parameters]

    def selection(self, method: str, n_features: int, metric: str | None = None) -> IntArray:
        """Features that a method selects by its :meth:`ranking`, best first."""
        return self.ranking(method, n_features, metric).order[:n_features]

    def overlap(self, n_features: int, metric: str | None = None) -> pd.DataFrame:
        """Jaccard overlap of the methods' selections, methods by methods; without All-Features."""
        import pandas as pd

        ranked = {method for method, _ in self.rankings} - {self.plan.baseline}
        keys = [key for key in self.plan.titles if key in ranked]
        chosen = [self.selection(key, n_features, metric) for key in keys]
        shared = [[jaccard(a, b) for b in chosen] for a in chosen]
        return pd.DataFrame(shared, index=keys, columns=keys, dtype=np.float64)

    def to_csv(self) -> str:
        """:meth:`summary` as CSV; text that a spreadsheet takes for a formula is made harmless."""
        return to_csv(self.summary())

    def cells_to_csv(self) -> str:
        """The long table as CSV, one line a clustering."""
        return to_csv(self.results)

    def to_latex(self, metrics: Sequence[str] | None = None, *, caption: str = "") -> str:
        """A booktabs table: mean ± std, best bold, not significantly worse marked.

        By default of accuracy and NMI where there are labels, of all that is measured otherwise.
        """
        return to_latex(self.printed(metrics), caption=caption)

    def printed(self, metrics: Sequence[str] | None = None) -> pd.DataFrame:
        """What :meth:`to_latex` prints, as text: a row a method, two columns a metric."""
        import pandas as pd

        usual = [name for name in ("accuracy", "nmi") if name in self.metrics]
        titles: dict[str, str] = {}
        columns: dict[tuple[str, str], dict[str, str]] = {("", "Method"): titles}
        for name in metrics or usual or self.metrics:
            how = METRICS[name]
            shown = columns[how.unit, "chosen on other starts"] = {}
            best = columns[how.unit, "best of grid"] = {}
            for row in self.table(name):
                titles[row.method] = row.title
                said = how.spread(row.shown.mean, row.shown.std)
                said += " ∗" if row.mark == "close" else ""
                shown[row.method] = Strong(said) if row.mark == "best" else said
                best[row.method] = how.spread(row.best.mean, row.best.std)
        printed = pd.DataFrame(columns, index=list(titles), dtype=object)
        printed.attrs["note"] = (
            f"Mean ± standard deviation over {len(self.plan.seeds)} runs of K-means with the same "
            "starts for every method; parameters and number of features are chosen on the other "
            "half of the runs; best of grid chooses on the runs it reports. Bold: best. ∗: not "
            f"significantly worse (paired bootstrap, {100 * (1 - self.confidence):g} % level)."
        )
        return printed


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
            selector = known[task.method].make(
                n_clusters=planned.n_clusters, random_state=0, **task.parameters
            )
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
