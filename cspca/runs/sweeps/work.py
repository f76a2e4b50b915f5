"""What a worker does, wherever it is: rank features, or cluster from some seeds.

Nothing here knows the store: results travel back to whoever asked, who keeps them.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cspca.evaluation.former.cells import Cell, Parameters
from cspca.evaluation.former.running import measure_cells, rank_features
from cspca.evaluation.metrics import codes
from cspca.evaluation.unlabelled import Silhouette
from cspca.preprocessing import reduce_data
from cspca.runs.store.sessions import Finished
from cspca.runs.sweeps.kinds import RANK, Sweep, rank_key, ranked_by
from cspca.threads import blas_threads

__all__ = ["Outcome", "Task", "perform"]

_FAILURES = (ValueError, ArithmeticError, RuntimeError, MemoryError)
"""What data may be to blame for; anything else is a mistake of ours."""

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Task:
    """Cells to compute together.

    Attributes
    ----------
    step : {"rank", "cluster"}
    unit, category : str
    keys : tuple of str
        Keys of the cells.
    order : ndarray of int or None
        Features best first, to cluster on.
    """

    step: str
    unit: str
    category: str
    keys: tuple[str, ...]
    order: NDArray[np.integer[Any]] | None = None


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of a task.

    Attributes
    ----------
    task : Task
        Without its order.
    finished : tuple of Finished
    failure : str or None
        One sentence.
    seconds : float
        Of the whole task.
    """

    task: Task
    finished: tuple[Finished, ...]
    failure: str | None
    seconds: float


def perform(
    task: Task, sweep: Sweep, content: str, X: NDArray[Any], y: NDArray[Any] | None
) -> Outcome:
    """Compute some cells.

    Parameters
    ----------
    task : Task
    sweep : Sweep
    content : str
        Fingerprint of the data, by which what is made of them once is found again.
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,) or None

    Returns
    -------
    Outcome
    """
    began = time.perf_counter()
    done: tuple[Finished, ...] = ()
    failure = None
    # At one setting of threads everywhere, so that sums are taken in the same order.
    with blas_threads():
        try:
            if task.step == RANK:
                done = _rank(task, sweep, content, X)
            else:
                done = _cluster(task, sweep, content, X, y)
        except _FAILURES as error:
            reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
            failure = f"{sweep.plan.method(task.category).title} failed: {reason}"
    bare = Task(task.step, task.unit, task.category, task.keys)
    return Outcome(bare, done, failure, time.perf_counter() - began)


def _rank(task: Task, sweep: Sweep, content: str, X: NDArray[Any]) -> tuple[Finished, ...]:
    if sweep.kind == "checks":
        return (_checked(task.keys[0], X),)
    if sweep.kind != "comparison":
        return tuple(_path(task, sweep, content, X))
    from cspca.selection import METHODS

    method, parameters = ranked_by(task.keys[0])
    found = rank_features(METHODS[method], method, parameters, X, sweep.plan.n_clusters)
    result = {"details": dict(found.details), "seconds": found.seconds}
    arrays = {"order": found.order, "scores": found.scores}
    return (Finished(task.keys[0], result, found.seconds, arrays),)


def _checked(key: str, X: NDArray[Any]) -> Finished:
    from cspca.evaluation.paper_checks import CHECKS

    began = time.perf_counter()
    found = CHECKS[ranked_by(key)[0]][1](X)
    seconds = time.perf_counter() - began
    return Finished(key, {"details": found, "seconds": seconds}, seconds)


def _path(task: Task, sweep: Sweep, content: str, X: NDArray[Any]) -> Sequence[Finished]:
    """Fit CSPCA from a cold start, and look at it at every number of iterations asked for.

    The whole path, for it is one: what is claimed of it is read off on the way.
    """
    from cspca.estimator import CSPCA

    method, _ = ranked_by(task.keys[0])
    path = sorted(
        (dict(ranked_by(key)[1]) for key in _whole_path(task, sweep)),
        key=lambda parameters: int(parameters.get("max_iter", 0)),
    )
    settings = path[0].get("center", True), path[0].get("normalize", False)
    reduced = _ONCE.get(
        (content, "reduced", *settings),
        lambda: reduce_data(X, center=settings[0], normalize=settings[1]),
    )
    model = CSPCA(random_state=0)
    reached, spent, found = 0, 0.0, []
    for parameters in path:
        began = time.perf_counter()
        model.set_params(**parameters, warm_start=len(path) > 1)
        wanted = model.max_iter
        if reached < wanted and not (reached and model.converged_):
            model.set_params(max_iter=wanted - reached)
            # Fitted when the loop is over; and no warning, for the gap is part of the result.
            for _ in model.iterate(X, reduced=reduced):
                pass
            reached = model.n_iter_
        spent += time.perf_counter() - began
        found.append(_of_model(rank_key(method, _sorted(parameters)), model, spent))
    return [one for one in found if one.key in task.keys]


def _whole_path(task: Task, sweep: Sweep) -> tuple[str, ...]:
    """Keys of all cells of the path, those that are kept already too."""
    for method, path in sweep.rankings():
        keys = tuple(rank_key(method, parameters) for parameters in path)
        if task.keys[0] in keys:
            return keys
    raise KeyError(task.keys[0])


def _sorted(parameters: dict[str, Any]) -> Parameters:
    return tuple(sorted(parameters.items()))


def _of_model(key: str, model: Any, seconds: float) -> Finished:
    scores = np.asarray(model.feature_scores_, dtype=np.float64)
    details = {
        "objective": float(model.objective_),
        "dual_objective": float(model.dual_objective_),
        "duality_gap": float(model.duality_gap_),
        "n_iter": int(model.n_iter_),
        "rank": int(model.rank_),
        "n_zero": int(np.count_nonzero(scores == 0.0)),
        "regime": str(model.regime_),
        "converged": bool(model.converged_),
        "alpha": float(model.alpha_),
        "beta": float(model.beta_),
        "alpha_max": float(model.alpha_max_),
        "beta_max": float(model.beta_max_),
    }
    history = model.history_
    arrays = {
        "order": np.array(model.feature_order_),
        "scores": np.array(model.selection_scores_, dtype=np.float64),
        "feature_scores": scores,
        "sample_residuals": np.asarray(model.sample_residuals_, dtype=np.float64),
    }
    for name in ("number", "seconds", "objective", "dual_bound", "gap"):
        arrays[f"history_{name}"] = np.array([record[name] for record in history], dtype=np.float64)
    return Finished(key, {"details": details, "seconds": seconds}, seconds, arrays)


def _cluster(
    task: Task, sweep: Sweep, content: str, X: NDArray[Any], y: NDArray[Any] | None
) -> tuple[Finished, ...]:
    assert task.order is not None
    classes = None if y is None else codes(y)
    silhouette = None
    if classes is None or sweep.plan.silhouette:
        silhouette = _ONCE.get((content, "silhouette"), lambda: Silhouette(X))
    cells = [Cell.from_key(key) for key in task.keys]
    order = np.asarray(task.order, dtype=np.intp)
    results = measure_cells(X, classes, order, cells, silhouette)
    return tuple(
        Finished(key, result.to_record(), result.seconds)
        for key, result in zip(task.keys, results, strict=True)
    )


class _Once:
    """Things made of a data set once a process; the few used last."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()

    def get(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        with self._lock:  # while it is made too: the other threads of a sweep want the same one
            if key not in self._kept:
                self._kept[key] = make()
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            found: T = self._kept[key]
            return found


_ONCE = _Once(4)
