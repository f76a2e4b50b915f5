"""Run a plan: rank features once a method, cluster in bulk, hand over results as they finish."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import adjusted_rand_score

from cspca.evaluation.former.cells import (
    Cell,
    CellResult,
    Group,
    MethodPlan,
    Parameters,
    Plan,
    Ranking,
)
from cspca.evaluation.former.planning import Method, check_data, order_of, resolve_methods
from cspca.evaluation.kmeans import kmeans
from cspca.evaluation.metrics import agreement
from cspca.evaluation.starts import FloatArray, IntArray
from cspca.evaluation.unlabelled import Silhouette, reconstruction_error
from cspca.threads import blas_threads

__all__ = ["GroupResult", "measure_cells", "rank_features", "run"]

_TWIN = 1 << 31
"""Distance from a seed to that of the second start by which stability is measured."""

_FAILURES = (ValueError, ArithmeticError, RuntimeError, MemoryError)
"""What a method may fail with on data it cannot handle; anything else is a mistake of ours."""

_DETAILS = ("duality_gap", "rank", "objective", "n_iter")

_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class GroupResult:
    """Some cells, finished, and how far the plan is.

    Attributes
    ----------
    group : Group
        All of its cells, those that had been done before too.
    results : tuple of CellResult
        Of the cells computed now; empty after a failure.
    ranking : Ranking or None
        What the features were chosen by; None after a failure.
    failure : str or None
        One sentence when the method could not be run; the other methods go on.
    n_done, n_cells : int
        Cells of the plan that are done, before or now, or have failed; and all of them.
    elapsed : float
        Seconds since the run began.
    remaining : float
        Seconds that the rest would take at the pace so far.
    """

    group: Group
    results: tuple[CellResult, ...]
    ranking: Ranking | None
    failure: str | None
    n_done: int
    n_cells: int
    elapsed: float
    remaining: float


def rank_features(
    method: Method, key: str, parameters: Parameters, X: ArrayLike, n_clusters: int
) -> Ranking:
    """Fit one method and read its order of the features.

    Parameters
    ----------
    method : Method
        A line of :data:`cspca.selection.METHODS`, or anything with its ``make``.
    key : str
        Name of the method in the ranking.
    parameters : Parameters
        What it is given beside the number of clusters; seeds of its own are 0.
    X : array-like of shape (n_samples, n_features)
    n_clusters : int

    Returns
    -------
    Ranking

    Raises
    ------
    ValueError
        As the method's own `fit`, or when it gives no order.
    """
    began = time.perf_counter()
    selector = method.make(n_clusters=n_clusters, random_state=0, **dict(parameters)).fit(X)
    seconds = time.perf_counter() - began
    order, scores = order_of(selector)
    fitted = getattr(selector, "model_", selector)
    n_features = np.shape(X)[1]
    if order.max(initial=-1) >= n_features or order.min(initial=0) < 0:
        raise ValueError(f"It orders features up to number {order.max()} of {n_features}.")
    details: dict[str, float] = {"n_zero": float(np.count_nonzero(_own_scores(selector) == 0.0))}
    for name in _DETAILS:
        value = getattr(fitted, f"{name}_", None)
        if isinstance(value, int | float | np.number):
            details[name] = float(value)
    return Ranking(key, parameters, order, scores, seconds, details)


def measure_cells(
    X: FloatArray,
    classes: NDArray[np.intp] | None,
    order: IntArray,
    cells: Sequence[Cell],
    silhouette: Silhouette | None = None,
) -> tuple[CellResult, ...]:
    """Cluster from the seeds of some cells that differ in nothing else, and measure.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features_in)
    classes : ndarray of int of shape (n_samples,) or None
        From 0. None measures stability and reconstruction error instead of agreement.
    order : ndarray of shape (n_features_in,)
        Features, best first.
    cells : sequence of Cell
    silhouette : Silhouette or None, default=None
        Made from `X`; None measures none.

    Returns
    -------
    tuple of CellResult
        In the order of `cells`. The numbers do not depend on which cells are together.

    Raises
    ------
    ValueError
        When the order is too short, or K-means cannot cluster.
    """
    first, n = cells[0], len(cells)
    if first.n_features > len(order):
        raise ValueError(f"It orders {len(order)} features, and {first.n_features} are wanted.")
    # In the order of their index: what is selected decides, not in which order.
    features = np.sort(order[: first.n_features])
    chosen = np.ascontiguousarray(X[:, features], dtype=np.float64)
    unlabelled = classes is None
    error = reconstruction_error(X, features, held_out=len(X) >= 4) if unlabelled else None
    seeds = [cell.seed for cell in cells]
    began = time.perf_counter()
    starts = seeds + [seed + _TWIN for seed in seeds] if unlabelled else seeds
    found = kmeans(chosen, first.n_clusters, starts, init=first.init)
    seconds = (time.perf_counter() - began) / n
    silhouettes = None if silhouette is None else silhouette.of_all(found.labels[:n])
    results = []
    for i, cell in enumerate(cells):
        labels = found.labels[i]
        measured = (
            {"stability": float(adjusted_rand_score(labels, found.labels[i + n]))}
            if classes is None
            else agreement(classes, labels)
        )
        result = CellResult(
            cell,
            float(found.inertia[i]),
            int(found.n_iter[i]),
            seconds,
            silhouette=None if silhouettes is None else float(silhouettes[i]),
            reconstruction_error=error,
            **measured,
        )
        results.append(result)
    return tuple(results)


def _own_scores(selector: Any) -> FloatArray:
    scores = getattr(selector, "feature_scores_", getattr(selector, "selection_scores_", ()))
    return np.asarray(scores, dtype=np.float64)


def run(
    plan: Plan,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    methods: Mapping[str, Any] | None = None,
    done: Collection[Cell] = (),
    rankings: Iterable[Ranking] = (),
    should_stop: Callable[[], bool] | None = None,
    n_jobs: int = 1,
) -> Iterator[GroupResult]:
    """Compute the cells of a plan that are not done, a group at a time, in the plan's order.

    Ending the loop early loses nothing: what was handed over is finished, and a later run with
    those cells in `done` computes the others only, with the same numbers.

    Parameters
    ----------
    plan : Plan
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,) or None, default=None
        Classes. None measures what needs none: silhouette, stability, reconstruction error.
    methods : mapping or None, default=None
        Method by key; None takes them from :data:`cspca.selection.METHODS`.
    done : collection of Cell, default=()
        Cells not to compute again.
    rankings : iterable of Ranking, default=()
        Rankings at hand, so that no method is fitted twice.
    should_stop : callable or None, default=None
        Asked before every fit and every group; True ends the run. A fit that has begun goes on to
        its end.
    n_jobs : int, default=1
        Threads. Each uses as many BLAS threads as :mod:`cspca.threads` says, one by default.

    Yields
    ------
    GroupResult

    Raises
    ------
    ValueError
        When data and plan do not fit together.
    """
    data = check_data(X, y, plan.n_clusters)
    keys = [one.method for one in plan.methods]
    known = resolve_methods(keys if methods is None else methods)
    missing = [key for key in keys if key not in known]
    if missing:
        raise ValueError(f"The plan has methods that were not given: {', '.join(missing)}.")
    if n_jobs < 1:
        raise ValueError(f"n_jobs must be at least 1, got {n_jobs}.")
    work = _Work(plan, data.X, data.classes, known, rankings)
    done_cells = done if isinstance(done, set | frozenset | Mapping) else frozenset(done)
    return _steps(work, done_cells, should_stop or (lambda: False), n_jobs)


def _steps(
    work: _Work, done: Collection[Cell], should_stop: Callable[[], bool], n_jobs: int
) -> Iterator[GroupResult]:
    """Yield finished groups, at most two a thread ahead of whoever consumes them."""
    began = time.perf_counter()
    counted = sum(cell in done for cell in work.plan.cells())
    before = counted
    with ExitStack() as stack:
        if n_jobs > 1:
            # Limits on BLAS threads are the process's: nested ones of the workers keep this one.
            stack.enter_context(blas_threads())
            pool = ThreadPoolExecutor(n_jobs)
            stack.callback(pool.shutdown, cancel_futures=True)
        ahead = 2 * n_jobs if n_jobs > 1 else 1
        submit: _Submit = (lambda task: pool.submit(task).result) if n_jobs > 1 else _Later
        queue: deque[tuple[Group, int, Callable[[], _Outcome | None]]] = deque()
        tasks = _tasks(work, done, should_stop, submit)
        while True:
            while len(queue) < ahead and (task := next(tasks, None)) is not None:
                queue.append(task)
            if not queue:
                return
            group, n_new, result = queue.popleft()
            outcome = result()
            if outcome is None:
                return
            counted += n_new
            elapsed = time.perf_counter() - began
            left = work.plan.n_cells - counted
            yield GroupResult(
                group,
                outcome.results,
                outcome.ranking,
                outcome.failure,
                counted,
                work.plan.n_cells,
                elapsed,
                elapsed / max(counted - before, 1) * left,
            )


class _Later:
    """A task done when its result is first asked for."""

    def __init__(self, task: Callable[[], Any]) -> None:
        self._task, self._done, self._value = task, False, None

    def __call__(self) -> Any:
        if not self._done:
            self._value, self._done = self._task(), True
        return self._value


_Submit = Callable[[Callable[[], Any]], Callable[[], Any]]


def _tasks(
    work: _Work, done: Collection[Cell], should_stop: Callable[[], bool], submit: _Submit
) -> Iterator[tuple[Group, int, Callable[[], _Outcome | None]]]:
    """Submit rankings, one ahead of the groups that need them, and the groups."""
    waiting: deque[tuple[list[tuple[Group, tuple[Cell, ...]]], Callable[[], Any]]] = deque()

    def groups_of_oldest() -> Iterator[tuple[Group, int, Callable[[], _Outcome | None]]]:
        pairs, ranking = waiting.popleft()
        for group, cells in pairs:

            def cluster(
                cells: tuple[Cell, ...] = cells, ranking: Callable[[], Any] = ranking
            ) -> _Outcome | None:
                ranked = ranking()
                return None if ranked is None or should_stop() else work.cluster(ranked, cells)

            yield group, len(cells), submit(cluster)

    for pairs in _open_groups(work.plan, done):
        first = pairs[0][0]

        def rank(first: Group = first) -> Ranking | str | None:
            return None if should_stop() else work.rank(first.method, first.parameters)

        waiting.append((pairs, submit(rank)))
        if len(waiting) > 1:
            yield from groups_of_oldest()
    while waiting:
        yield from groups_of_oldest()


def _open_groups(
    plan: Plan, done: Collection[Cell]
) -> Iterator[list[tuple[Group, tuple[Cell, ...]]]]:
    """Groups of one ranking with their cells not yet done; rankings that have some."""
    current: list[tuple[Group, tuple[Cell, ...]]] = []
    for group in plan.groups():
        cells = tuple(cell for cell in group.cells if cell not in done)
        if not cells:
            continue
        if current and current[0][0].method == group.method:
            same = current[0][0].parameters == group.parameters
        else:
            same = False
        if not same and current:
            yield current
            current = []
        current.append((group, cells))
    if current:
        yield current


@dataclass(frozen=True, eq=False)
class _Outcome:
    results: tuple[CellResult, ...]
    ranking: Ranking | None
    failure: str | None


class _Work:
    """The data and what is made of it once: rankings and clusterings are computed here."""

    def __init__(
        self,
        plan: Plan,
        X: FloatArray,
        classes: NDArray[np.intp] | None,
        methods: Mapping[str, Method],
        rankings: Iterable[Ranking],
    ) -> None:
        self.plan, self._X, self._classes, self._methods = plan, X, classes, methods
        self._at_hand = {(r.method, r.parameters): r for r in rankings}
        wanted = classes is None or plan.silhouette
        self._silhouette = Silhouette(X) if wanted else None

    def rank(self, key: str, parameters: Parameters) -> Ranking | str:
        """Rank the features, or say in one sentence why it failed."""
        if (key, parameters) in self._at_hand:
            return self._at_hand[key, parameters]
        try:
            return rank_features(self._methods[key], key, parameters, self._X, self.plan.n_clusters)
        except _FAILURES as error:
            return _sentence(self.plan.method(key), error)

    def cluster(self, ranking: Ranking | str, cells: tuple[Cell, ...]) -> _Outcome:
        """Cluster from all seeds and measure."""
        if isinstance(ranking, str):
            return _Outcome((), None, ranking)
        try:
            results = measure_cells(self._X, self._classes, ranking.order, cells, self._silhouette)
            return _Outcome(results, ranking, None)
        except _FAILURES as error:
            return _Outcome((), None, _sentence(self.plan.method(cells[0].method), error))


def _sentence(method: MethodPlan, error: BaseException) -> str:
    """What went wrong, for the screen: the first line of it."""
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return f"{method.title} failed: {reason}"
