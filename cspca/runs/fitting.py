"""The work of one fit: run the solvers, publish what they reach, keep the result."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cspca.experiments.jobs import Control
from cspca.runs.courses import Course, fit_steps, keep_steps, new_model
from cspca.runs.records import FitResult, FitSnapshot, FitSpec, FloatArray, Solver

if TYPE_CHECKING:
    from cspca.problem import ReducedData

PUBLISH_EVERY = 0.15
"""Seconds between two snapshots: a page polls about as often, and the solver must not wait."""


def prepare() -> None:
    """Load what a fit needs and let every BLAS use one thread.

    One thread was measured to answer ten visitors twice as fast as two.
    """
    # After the imports: a limit set before a library is loaded does not reach it.
    from threadpoolctl import threadpool_limits

    import cspca.estimator  # noqa: F401

    threadpool_limits(1)


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
    if start is not None and spec.solver != "admm" and start.spec.loose != spec.loose:
        # Algorithm 1 starts where the paper starts it, and a comparison starts both cold, unless
        # it is this very course that goes on.
        start = None
    courses = [_course(spec, solver, data, reduced, start) for solver in spec.solvers]
    judge, everyone = courses[0], list(courses)
    if spec.solver == "reweighted":
        # Algorithm 1 proves next to nothing of itself: it is measured by the certified solver.
        judge = _course(spec, "admm", data, reduced, start)
        everyone = [judge, *courses]
    snapshot = replace(
        snapshot,
        phase="solving",
        alpha_max=reduced.alpha_max,
        beta_max=reduced.beta_max,
    )
    published = 0.0
    stopped = False
    while not all(course.over for course in everyone):
        # At least one iteration each: a stopped fit can be drawn and continued.
        if control.stop_requested and all(course.last is not None for course in everyone):
            stopped = True
            break
        # The one that has had less time goes next: both curves grow at the same pace.
        ready = [course for course in everyone if not course.over]
        min(ready, key=lambda course: course.seconds).advance()
        if judge.last is not None and judge is not courses[0]:
            courses[0].bound = float(judge.last.iterate.dual_bound)
        now = time.perf_counter()
        if now - published >= PUBLISH_EVERY:
            published = now
            control.publish(
                replace(_progress(snapshot, courses), warm=_is_warm(spec, start, courses))
            )
    for course in everyone:
        course.close()
    warm = _is_warm(spec, start, courses)
    return _result(spec, courses, judge, complete=not stopped, warm=warm)


def _is_warm(spec: FitSpec, start: FitResult | None, courses: list[Course]) -> bool:
    """Whether anything of `start` is in the fit: the solver begins cold where that is as quick."""
    if start is None:
        return False
    if spec.keep is not None or start.spec.loose == spec.loose:
        return True
    steps = (course.last for course in courses)
    return any(getattr(step.iterate.state, "warm", False) for step in steps if step is not None)


def _course(
    spec: FitSpec, solver: Solver, data: FloatArray, reduced: ReducedData, start: FitResult | None
) -> Course:
    goes_on = start is not None and start.spec.loose == spec.loose
    model = None if start is None else {"admm": start.judge, **start.models}.get(solver)
    if spec.keep is not None:
        return Course(solver, keep_steps(spec, data, model, reduced))
    steps = fit_steps(new_model(spec, solver), data, model, reduced)
    before = None
    if goes_on and start is not None:
        before = next((trace for trace in start.traces if trace.solver == solver), None)
    return Course.after(solver, steps, before)


def _progress(snapshot: FitSnapshot, courses: list[Course]) -> FitSnapshot:
    lead = courses[0].last
    if lead is None:
        return snapshot
    iterate, scale = lead.iterate, (1.0, 1.0)
    if snapshot.spec.penalty_scale == "relative":
        scale = (snapshot.alpha_max, snapshot.beta_max)
    return replace(
        snapshot,
        traces=tuple(course.trace for course in courses if course.last is not None),
        scores=frozen(iterate.row_norms),
        gap=courses[0].gap,
        rank=iterate.rank,
        iterations=iterate.number,
        seconds=courses[0].seconds,
        alpha=float(lead.model.alpha) * scale[0],
        beta=float(lead.model.beta) * scale[1],
    )


def _result(
    spec: FitSpec, courses: list[Course], judge: Course, *, complete: bool, warm: bool
) -> FitResult:
    models = [course.last.model for course in courses if course.last is not None]
    model = models[0]
    assert judge.last is not None
    for one in models:
        if one.solver == "reweighted":
            fit = one.fit_.measured_by(judge.last.model.dual_objective_)
            one.fit_, one.dual_objective_ = fit, fit.dual_objective
            one.duality_gap_, one.converged_ = fit.duality_gap, fit.converged
    order = np.asarray(model.feature_order_)
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(1, len(order) + 1)
    return FitResult(
        spec=spec,
        model=model,
        other=models[1] if len(models) > 1 else None,
        judge=judge.last.model,
        complete=complete,
        feature_scores=frozen(model.feature_scores_),
        dual_scores=frozen(model.dual_scores_),
        selection_scores=frozen(model.selection_scores_),
        order=frozen(order),
        ranks=frozen(ranks),
        traces=tuple(course.trace for course in courses),
        seconds=courses[0].seconds,
        warm=warm,
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
        warm=result.warm,
        result=result,
    )


def frozen(array: Any) -> Any:
    """Return a read-only copy of an array: it is handed to other threads."""
    copy = np.array(array, copy=True)
    copy.flags.writeable = False
    return copy
