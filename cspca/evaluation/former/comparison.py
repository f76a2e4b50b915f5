"""Compare methods on one data set: what finished cells say, as tables, curves and overlaps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cspca.evaluation.former.cells import (
    METRICS,
    Cell,
    CellResult,
    MethodPlan,
    Parameters,
    Plan,
    Ranking,
)
from cspca.evaluation.former.honest import (
    BestOfGrid,
    HonestScore,
    best_of_grid,
    choose_without_labels,
    honest_score,
)
from cspca.evaluation.former.planning import make_plan, resolve_methods
from cspca.evaluation.former.running import GroupResult, run
from cspca.evaluation.former.tables import cells_csv, latex, summary_csv
from cspca.evaluation.starts import FloatArray, IntArray
from cspca.evaluation.statistics import Interval, Summary, jaccard, mark_best, paired_difference

__all__ = ["Choice", "Comparison", "Point", "Row", "compare", "evaluate_selection"]


@dataclass(frozen=True)
class Choice:
    """Parameters and a number of features."""

    parameters: Parameters
    n_features: int


@dataclass(frozen=True)
class Row:
    """One method in a table of one metric.

    Attributes
    ----------
    method, title : str
    best : Summary
        Over all runs of the choice with the best mean, as the paper reports it.
    best_choice : Choice
    honest : Summary or None
        Over all runs, each with the choice made on the half that it is not in. None with a single
        seed.
    honest_choices : tuple of Choice
        The two choices.
    label_free : Summary or None
        Over all runs of the choice with the best mean silhouette. None without silhouettes.
    label_free_choice : Choice or None
    difference : Interval or None
        Paired difference of the honest runs from those of All-Features. None for itself, without
        it, or with a single seed.
    mark : {"best", "close", ""}
        Best by the honest figure, or not significantly worse.
    n_choices : int
        How many parameter sets × numbers of features were chosen from.
    selection_seconds : float or None
        Time of the fits, mean over the parameters; None when none was needed.
    clustering_seconds : float
        Time of all clusterings.
    """

    method: str
    title: str
    best: Summary
    best_choice: Choice
    honest: Summary | None
    honest_choices: tuple[Choice, ...]
    label_free: Summary | None
    label_free_choice: Choice | None
    difference: Interval | None
    mark: str
    n_choices: int
    selection_seconds: float | None
    clustering_seconds: float


@dataclass(frozen=True)
class Point:
    """One point of a curve over the number of features: the best parameters there."""

    n_features: int
    summary: Summary
    parameters: Parameters


@dataclass(frozen=True, eq=False)
class Comparison:
    """Finished cells of a plan, all or some, and what they say.

    Only choices whose seeds are all done count, so that runs stay paired; a comparison that was
    stopped says the same of what it has.

    Attributes
    ----------
    plan : Plan
    results : tuple of CellResult
    rankings : tuple of Ranking
    failures : mapping of (method, parameters) to str
        One sentence each.
    confidence : float
        Of intervals and marks.
    """

    plan: Plan
    results: tuple[CellResult, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    failures: Mapping[tuple[str, Parameters], str] = field(default_factory=dict)
    confidence: float = 0.95

    def __repr__(self) -> str:
        # Thousands of cells are no answer to a person who asks what this is.
        return (
            f"<Comparison of {len(self.plan.methods)} methods: {len(self.results):,} of "
            f"{self.plan.n_cells:,} clusterings done, {len(self.failures)} failures>"
        )

    def with_groups(self, groups: Iterable[GroupResult]) -> Comparison:
        """Copy with further groups added: results show as they finish."""
        results = {result.cell: result for result in self.results}
        rankings = {(r.method, r.parameters): r for r in self.rankings}
        failures = dict(self.failures)
        for one in groups:
            key = (one.group.method, one.group.parameters)
            results.update((result.cell, result) for result in one.results)
            if one.ranking is not None:
                rankings[key] = one.ranking
            if one.failure is not None:
                failures[key] = one.failure
        return Comparison(
            self.plan,
            tuple(results.values()),
            tuple(rankings.values()),
            failures,
            self.confidence,
        )

    @cached_property
    def _by_cell(self) -> dict[Cell, CellResult]:
        return {result.cell: result for result in self.results}

    @cached_property
    def done(self) -> frozenset[Cell]:
        """Cells that are finished, for :func:`cspca.evaluation.run`."""
        return frozenset(self._by_cell)

    @property
    def complete(self) -> bool:
        """Whether every cell of the plan is finished."""
        return len(self.done) == self.plan.n_cells

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """Metrics that were measured, in a fixed order."""
        return tuple(
            name
            for name in METRICS
            if self.results and all(getattr(one, name) is not None for one in self.results)
        )

    def scores(self, method: str, metric: str) -> tuple[tuple[Choice, ...], FloatArray]:
        """Every finished choice of a method, and its runs.

        Parameters
        ----------
        method : str
        metric : str
            One of :attr:`metrics`.

        Returns
        -------
        choices : tuple of Choice
        scores : ndarray of shape (n_choices, n_seeds)
            Seeds in the plan's order.

        Raises
        ------
        ValueError
            When the metric was not measured.
        """
        if metric not in METRICS or (self.results and metric not in self.metrics):
            raise ValueError(
                f"{metric!r} was not measured here: choose from {', '.join(self.metrics)}."
            )
        choices, rows = [], []
        for group in self.plan.groups():
            if group.method == method and all(cell in self._by_cell for cell in group.cells):
                choices.append(Choice(group.parameters, group.n_features))
                rows.append([getattr(self._by_cell[cell], metric) for cell in group.cells])
        table = np.array(rows, dtype=np.float64).reshape(len(rows), len(self.plan.seeds))
        return tuple(choices), table

    def table(self, metric: str = "accuracy") -> tuple[Row, ...]:
        """One row for every method that has finished choices, in the plan's order.

        Parameters
        ----------
        metric : str, default="accuracy"
        """
        larger = METRICS.get(metric, True)
        found: dict[str, _Scored] = {}
        for one in self.plan.methods:
            choices, table = self.scores(one.method, metric)
            if choices:
                found[one.method] = self._scored(one, metric, choices, table, larger)
        marks = mark_best(
            {key: scored.runs for key, scored in found.items()},
            confidence=self.confidence,
            larger_is_better=larger,
        )
        baseline = next((s for s in found.values() if s.plan.keeps_all), None)
        return tuple(self._row(scored, marks[key], baseline) for key, scored in found.items())

    def _scored(
        self,
        plan: MethodPlan,
        metric: str,
        choices: tuple[Choice, ...],
        table: FloatArray,
        larger: bool,
    ) -> _Scored:
        label_free = None
        if "silhouette" in self.metrics:
            label_free = choose_without_labels(table, self.scores(plan.method, "silhouette")[1])
        return _Scored(
            plan,
            choices,
            best_of_grid(table, larger_is_better=larger),
            honest_score(table, larger_is_better=larger) if table.shape[1] > 1 else None,
            label_free,
        )

    def _row(self, scored: _Scored, mark: str, baseline: _Scored | None) -> Row:
        key, choices = scored.plan.method, scored.choices
        difference = None
        if baseline is not None and scored is not baseline and len(scored.runs) > 1:
            difference = paired_difference(scored.runs, baseline.runs, confidence=self.confidence)
        fits = [r.seconds for r in self.rankings if r.method == key]
        honest, label_free = scored.honest, scored.label_free
        return Row(
            method=key,
            title=scored.plan.title,
            best=scored.best.summary,
            best_choice=choices[scored.best.choice],
            honest=honest.summary if honest else None,
            honest_choices=tuple(choices[i] for i in honest.choices) if honest else (),
            label_free=label_free.summary if label_free else None,
            label_free_choice=choices[label_free.choice] if label_free else None,
            difference=difference,
            mark=mark,
            n_choices=len(choices),
            selection_seconds=float(np.mean(fits)) if fits else None,
            clustering_seconds=float(
                sum(one.seconds for one in self.results if one.cell.method == key)
            ),
        )

    def curve(self, method: str, metric: str = "accuracy") -> tuple[Point, ...]:
        """Mean ± std against the number of features, with the best parameters at each.

        Parameters
        ----------
        method : str
        metric : str, default="accuracy"
        """
        choices, table = self.scores(method, metric)
        points = []
        for k in sorted({choice.n_features for choice in choices}):
            rows = [i for i, choice in enumerate(choices) if choice.n_features == k]
            best = best_of_grid(table[rows], larger_is_better=METRICS[metric])
            points.append(Point(k, best.summary, choices[rows[best.choice]].parameters))
        return tuple(points)

    def selection(self, method: str, n_features: int, metric: str | None = None) -> IntArray:
        """Features that a method selects, best first, with its best parameters there.

        Parameters
        ----------
        method : str
        n_features : int
        metric : str or None, default=None
            What the parameters are best by; None is the first measured.

        Returns
        -------
        ndarray of shape (n_features,)

        Raises
        ------
        KeyError
            When the method has no ranking here.
        """
        at_hand = {r.parameters: r for r in self.rankings if r.method == method}
        if not at_hand:
            raise KeyError(method)
        parameters = next(iter(at_hand))
        if self.metrics:
            points = self.curve(method, metric or self.metrics[0])
            near = sorted(points, key=lambda point: abs(point.n_features - n_features))
            wanted = [point.parameters for point in near if point.parameters in at_hand]
            parameters = wanted[0] if wanted else parameters
        return at_hand[parameters].order[:n_features]

    def overlap(
        self, n_features: int, metric: str | None = None
    ) -> tuple[tuple[str, ...], FloatArray]:
        """Jaccard overlap of the methods' selections; All-Features left out.

        Parameters
        ----------
        n_features : int
        metric : str or None, default=None
            As in :meth:`selection`.

        Returns
        -------
        methods : tuple of str
        overlap : ndarray of shape (n_methods, n_methods)
            1 on the diagonal.
        """
        ranked = {ranking.method for ranking in self.rankings}
        keys = tuple(
            one.method for one in self.plan.methods if one.method in ranked and not one.keeps_all
        )
        chosen = [self.selection(key, n_features, metric) for key in keys]
        table = np.array([[jaccard(a, b) for b in chosen] for a in chosen])
        return keys, table.reshape(len(keys), len(keys))

    def to_csv(self) -> str:
        """One line for every method and metric: best of the grid, honest, label-free, difference.

        Text that a spreadsheet would take for a formula is made harmless.
        """
        return summary_csv({metric: self.table(metric) for metric in self.metrics})

    def cells_to_csv(self) -> str:
        """One line for every finished cell, in the plan's order."""
        in_order = [self._by_cell[c] for c in self.plan.cells() if c in self._by_cell]
        return cells_csv(in_order)

    def to_latex(self, metrics: Sequence[str] | None = None, *, caption: str = "") -> str:
        """A booktabs table: mean ± std, best bold, not significantly worse marked.

        Parameters
        ----------
        metrics : sequence of str or None, default=None
            None is accuracy and NMI where there are labels, all measured otherwise.
        caption : str, default=""
            Escaped like every name.
        """
        if metrics is None:
            usual = [m for m in ("accuracy", "nmi") if m in self.metrics]
            metrics = usual or self.metrics
        return latex(
            {metric: self.table(metric) for metric in metrics},
            caption=caption,
            n_runs=len(self.plan.seeds),
            confidence=self.confidence,
        )


@dataclass(frozen=True, eq=False)
class _Scored:
    """One method's choices by one metric."""

    plan: MethodPlan
    choices: tuple[Choice, ...]
    best: BestOfGrid
    honest: HonestScore | None
    label_free: BestOfGrid | None

    @property
    def runs(self) -> FloatArray:
        """What differences and marks are made of: the honest runs where there are any."""
        return self.best.runs if self.honest is None else self.honest.runs


def compare(
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
    confidence: float = 0.95,
    n_jobs: int = 1,
    on_group: Callable[[GroupResult], None] | None = None,
) -> Comparison:
    """Compare feature selection methods by K-means on the features they select.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features_in)
    y : array-like of shape (n_samples,) or None, default=None
        Classes, which no method sees. None compares by silhouette, stability and reconstruction
        error.
    methods : iterable of str, mapping of str to estimator, or None, default=None
        Keys of :data:`cspca.selection.METHODS`, or estimators by name; None is the paper's.
    n_features : int, sequence of int or None, default=None
        Numbers of selected features; None is a quarter, a half and three quarters of all.
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
    confidence : float, default=0.95
        Of intervals and marks.
    n_jobs : int, default=1
        Threads.
    on_group : callable or None, default=None
        Called with every :class:`GroupResult` as it finishes.

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
    known = resolve_methods(methods)
    plan = make_plan(
        X,
        y,
        known,
        n_features,
        n_seeds=n_seeds,
        seeds=seeds,
        n_clusters=n_clusters,
        init=init,
        tune=tune,
        grids=grids,
        silhouette=silhouette,
    )
    groups = []
    for group in run(plan, X, y, methods=known, n_jobs=n_jobs):
        groups.append(group)
        if on_group is not None:
            on_group(group)
    return Comparison(plan, confidence=confidence).with_groups(groups)


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
        selection = _Listed(order)
        if n_features is None and len(order) < n_available:
            n_features = len(order)
    if hasattr(selection, "feature_order_"):
        selection = _Fixed(name, selection)
    return compare(X, y, {name: selection}, n_features, **settings)


class _Listed:
    """An order that was given: nothing to fit."""

    def __init__(self, order: IntArray) -> None:
        self.feature_order_ = order

    def fit(self, X: ArrayLike) -> _Listed:
        """Do nothing."""
        return self


class _Fixed:
    """A selector, fitted already, as a method."""

    def __init__(self, title: str, selector: Any) -> None:
        self.title = title
        self.grid: Mapping[str, tuple[Any, ...]] = {}
        self._order = selector.feature_order_

    def make(
        self, n_clusters: int | None = None, random_state: Any = 0, **parameters: Any
    ) -> _Listed:
        """The order it found."""
        return _Listed(self._order)
