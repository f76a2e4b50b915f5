"""The work of one fit: run the solvers, publish what they reach, keep the result.

The heavy imports happen here, inside the worker thread, so that a page can be on screen before
SciPy and scikit-learn are loaded.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cspca.runs.jobs import Control
from cspca.runs.records import FitResult, FitSnapshot, FitSpec, FloatArray, Solver, Trace

if TYPE_CHECKING:
    from cspca.estimator import CSPCA
    from cspca.problem import ReducedData
    from cspca.solvers import Iterate

PUBLISH_EVERY = 0.2
"""Seconds between two snapshots: a page polls about as often, and the solver must not wait."""

PAPER_ITERATIONS = 60
"""Iterations of the paper's Algorithm 1: it has stalled long before."""


@dataclass
class Course:
    """One solver at work: its iterator, its own time, and the trace it leaves."""

    solver: Solver
    model: CSPCA
    iterates: Iterator[Iterate]
    last: Iterate | None = None
    before: Trace | None = None
    seconds: float = 0.0
    over: bool = False
    _rows: list[tuple[int, float, float, float, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.before is not None and len(self.before):
            old = self.before
            self.seconds = old.seconds[-1]
            self._rows = list(
                zip(old.number, old.seconds, old.objective, old.dual_bound, old.gap, strict=True)
            )

    def advance(self) -> None:
        """Take one iteration."""
        began = time.perf_counter()
        iterate = next(self.iterates, None)
        self.seconds += time.perf_counter() - began
        if iterate is None:
            self.over = True
            return
        self.last = iterate
        if math.isfinite(iterate.objective):
            self._rows.append(
                (
                    iterate.number,
                    self.seconds,
                    float(iterate.objective),
                    float(iterate.dual_bound),
                    float(iterate.gap),
                )
            )

    def close(self) -> None:
        """End the iterator, which leaves the model fitted as far as it got."""
        close = getattr(self.iterates, "close", None)
        if close is not None:
            close()

    @property
    def trace(self) -> Trace:
        """The course so far."""
        columns: list[Any] = [list(column) for column in zip(*self._rows, strict=True)]
        return Trace(self.solver, *(tuple(column) for column in columns))


def prepare_threads() -> None:
    """Let every BLAS use one thread: measured to answer ten visitors twice as fast as two."""
    # After the imports: a limit set before a library is loaded does not reach it.
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)


def new_model(spec: FitSpec, solver: Solver) -> CSPCA:
    """Return the unfitted estimator of `spec`.

    Parameters
    ----------
    spec : FitSpec
    solver : {"admm", "reweighted"}

    Returns
    -------
    CSPCA
    """
    from cspca.estimator import CSPCA

    return CSPCA(
        alpha=spec.alpha,
        beta=spec.beta,
        penalty_scale=spec.penalty_scale,
        center=spec.center,
        normalize=spec.normalize,
        solver=solver,
        tol=spec.tol,
        # Keeps the solver's state, from which the fit can go on or another one start.
        warm_start=True,
        max_iter=spec.max_iter if solver == "admm" else min(spec.max_iter, PAPER_ITERATIONS),
    )


def run_fit(
    control: Control,
    snapshot: FitSnapshot,
    data: FloatArray,
    reduced: ReducedData,
    start: FitResult | None,
) -> FitResult:
    """Fit, publishing snapshots, until the tolerance, the iterations or a stop.

    Parameters
    ----------
    control : Control
        To publish and to hear a request to stop.
    snapshot : FitSnapshot
        What was shown before; later ones are made from it.
    data : ndarray of shape (n_samples, n_features)
    reduced : ReducedData
        Of the preprocessed `data`.
    start : FitResult or None
        A fit of the same data to start from. When it is of the same penalties its course goes on.

    Returns
    -------
    FitResult
    """
    spec = snapshot.spec
    goes_on = start is not None and start.spec.loose == spec.loose
    courses = [_course(spec, solver, data, reduced, start, goes_on) for solver in spec.solvers]
    relative = spec.penalty_scale == "relative"
    snapshot = replace(
        snapshot,
        phase="solving",
        alpha=spec.alpha * (reduced.alpha_max if relative else 1.0),
        beta=spec.beta * (reduced.beta_max if relative else 1.0),
        alpha_max=reduced.alpha_max,
        beta_max=reduced.beta_max,
        warm=start is not None,
    )
    published = 0.0
    stopped = False
    while True:
        ready = [course for course in courses if not course.over]
        if not ready:
            break
        # At least one iteration each: a stopped fit can be drawn and continued.
        if control.stop_requested and all(course.last is not None for course in courses):
            stopped = True
            break
        # The one that has had less time goes next: both curves grow at the same pace.
        min(ready, key=lambda course: course.seconds).advance()
        now = time.perf_counter()
        if now - published >= PUBLISH_EVERY and courses[0].last is not None:
            published = now
            control.publish(_progress(snapshot, courses))
    for course in courses:
        course.close()
    return _result(spec, courses, complete=not stopped)


def _course(
    spec: FitSpec,
    solver: Solver,
    data: FloatArray,
    reduced: ReducedData,
    start: FitResult | None,
    goes_on: bool,
) -> Course:
    model = new_model(spec, solver)
    warm, before = None, None
    # Algorithm 1 starts where the paper starts it, unless its own course goes on.
    if start is not None and (solver == "admm" or goes_on):
        warm = start.models.get(solver)
    if goes_on and start is not None:
        before = next((trace for trace in start.traces if trace.solver == solver), None)
    iterates = model.iterate(data, start=warm, reduced=reduced)
    return Course(solver, model, iterates, before=before)


def _progress(snapshot: FitSnapshot, courses: list[Course]) -> FitSnapshot:
    lead = courses[0].last
    assert lead is not None
    return replace(
        snapshot,
        traces=tuple(course.trace for course in courses if course.last is not None),
        scores=frozen(lead.row_norms),
        gap=float(lead.gap),
        rank=lead.rank,
        iterations=lead.number,
        seconds=courses[0].seconds,
    )


def _result(spec: FitSpec, courses: list[Course], *, complete: bool) -> FitResult:
    model = courses[0].model
    order = np.asarray(model.feature_order_)
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(1, len(order) + 1)
    return FitResult(
        spec=spec,
        model=model,
        other=courses[1].model if len(courses) > 1 else None,
        complete=complete,
        feature_scores=frozen(model.feature_scores_),
        dual_scores=frozen(model.dual_scores_),
        selection_scores=frozen(model.selection_scores_),
        order=frozen(order),
        ranks=frozen(ranks),
        traces=tuple(course.trace for course in courses),
        seconds=courses[0].seconds,
    )


def finished(snapshot: FitSnapshot, result: FitResult) -> FitSnapshot:
    """Return the snapshot that shows `result`.

    Parameters
    ----------
    snapshot : FitSnapshot
        The last one before.
    result : FitResult

    Returns
    -------
    FitSnapshot
    """
    model = result.model
    return replace(
        snapshot,
        phase="finished",
        traces=result.traces,
        scores=result.feature_scores,
        gap=result.gap,
        rank=int(model.rank_),
        iterations=int(model.n_iter_),
        seconds=result.seconds,
        alpha=float(model.alpha_),
        beta=float(model.beta_),
        alpha_max=float(model.alpha_max_),
        beta_max=float(model.beta_max_),
        result=result,
    )


def frozen(array: Any) -> Any:
    """Return a read-only copy of an array: it is handed to other threads."""
    copy = np.array(array, copy=True)
    copy.flags.writeable = False
    return copy
