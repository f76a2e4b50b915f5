"""A fit while it runs: warm starts, two solvers in turns, Stop, Continue, and memory of fits.

Heavy imports happen inside the functions, on a worker thread, so that a page can be on screen
before SciPy and scikit-learn are loaded.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cspca.experiments.fit import Fit
from cspca.experiments.jobs import Job, JobRegistry, JobState
from cspca.experiments.library import DatasetLibrary
from cspca.experiments.memory import Memory

if TYPE_CHECKING:
    from cspca import fitted
    from cspca.estimator import CSPCA
    from cspca.problem import ReducedData
    from cspca.solvers import Iterate

PUBLISH_EVERY = 0.15
"""Seconds between two moments: a page polls about as often, and the solver must not wait."""

LIVE = 0.0
"""Seconds between two points of a live curve. A fit takes about ten iterations: each is a point."""

SEARCH = 0.1
"""The same for a search, which is a dozen fits, and whose curve is that of its last one."""

TIGHTER = 10.0
"""Continuing a fit that has reached its tolerance asks for one this many times smaller."""

SMALLEST_TOL = 1e-7
"""Round-off keeps the certificate from proving much less than this."""

NEAR = math.log(1.3)
"""Sum of the absolute logarithms of the penalties' ratios, up to which a warm start may pay: a step
of a slider and a little more. The solver says whether it does."""

Steps = Generator[tuple["CSPCA", "Iterate", bool], None, None]


@dataclass(frozen=True, eq=False)
class LiveFit:
    """One moment of a fit, the last one with its answer.

    `histories` are the courses of the solvers that are shown. `scores` are ``‖w_j‖`` now; `gap` is
    infinite before the first certificate; `alpha` and `beta` are absolute, NaN until known. `fits`
    and `models` are there at the end, by solver, the certified one's always among them: it measures
    Algorithm 1. Models are shared, never refit one in place.
    """

    asked: Fit
    sha256: str
    phase: str = "waiting"
    histories: Mapping[str, NDArray[Any]] = field(default_factory=dict, repr=False)
    scores: NDArray[Any] | None = field(default=None, repr=False)
    gap: float = math.inf
    rank: int | None = None
    iterations: int = 0
    seconds: float = 0.0
    alpha: float = math.nan
    beta: float = math.nan
    alpha_max: float = math.nan
    beta_max: float = math.nan
    warm: bool = False
    complete: bool = False
    fits: Mapping[str, fitted.Fit] = field(default_factory=dict, repr=False)
    models: Mapping[str, CSPCA] = field(default_factory=dict, repr=False)

    @property
    def certified(self) -> bool:
        """Whether the gap is within the tolerance already."""
        return self.gap <= self.asked.tol

    @property
    def fit(self) -> fitted.Fit:
        """The answer, of the solver that was asked for first."""
        return self.fits[self.asked.solvers[0]]

    @property
    def judge(self) -> fitted.Fit:
        """The certified answer, whose regime is that of the optimum."""
        return self.fits["admm"]

    def same_but_for_accuracy(self, asked: Fit, sha256: str) -> bool:
        """Whether this is the fit that is asked for, whatever its tolerance."""
        return self.sha256 == sha256 and loose(self.asked) == loose(asked)


@dataclass(frozen=True)
class FitProgress:
    """A fit's job as a page sees it: where the job stands and what there is to draw."""

    job: Job
    now: LiveFit

    @property
    def active(self) -> bool:
        """Whether the job waits or runs."""
        return self.job.state.active

    @property
    def failed(self) -> bool:
        """Whether the job ended with an error, which ``job.error`` says in one sentence."""
        return self.job.state is JobState.FAILED

    @property
    def can_continue(self) -> bool:
        """Whether :meth:`FitService.resume` has something to go on with."""
        if self.active or not self.now.fits:
            return False
        return not self.now.certified or self.now.asked.tol > SMALLEST_TOL


class FitService:
    """Runs fits in the background and remembers them: the same at once, the nearest to start."""

    def __init__(self, library: DatasetLibrary, registry: JobRegistry) -> None:
        self._library = library
        self._registry = registry
        self._fits: Memory[tuple[str, Fit], LiveFit] = Memory(48, 768 << 20)
        self._reduced: Memory[tuple[str, bool, bool], ReducedData] = Memory(8, 512 << 20)
        self._preparing = threading.Lock()
        self._prepared = False

    def start(
        self, data: str, asked: Fit, sha256: str, *, owner: str = "", after: str | None = None
    ) -> str:
        """Start a fit of the library's `data` and return the id of its job.

        It replaces the unfinished one of the same `owner`; where it starts from is what the job
        `after` has reached.
        """
        known = self._fits.get((sha256, asked))
        if known is not None:
            return self._registry.record(known, owner=owner)
        first = LiveFit(asked, sha256)

        def work(control: Job) -> None:
            if after is not None:
                # Being replaced, it is about to stop; what it reached is the best warm start.
                self._registry.join(after, timeout=1.0)
            self._work(control, data, first, self._nearest(asked, sha256))

        return self._registry.submit(work, owner=owner, snapshot=first)

    def resume(self, data: str, job_id: str, *, owner: str = "") -> str | None:
        """Go on with a fit that was stopped, ran out of iterations, or should be more accurate.

        The id of the new job; None when there is nothing to go on with.
        """
        progress = self.progress(job_id)
        if progress is None or not progress.can_continue:
            return None
        last = progress.now
        asked = last.asked
        if last.certified:
            asked = replace(asked, tol=max(asked.tol / TIGHTER, SMALLEST_TOL))
        before = replace(last, asked=asked, phase="waiting", fits={}, models={})

        def work(control: Job) -> None:
            self._work(control, data, before, last)

        return self._registry.submit(work, owner=owner, snapshot=before)

    def progress(self, job_id: str | None) -> FitProgress | None:
        """Look at a fit; None when there is no such job (any more)."""
        view = self._registry.view(job_id)
        if view is None or not isinstance(view.snapshot, LiveFit):
            return None
        return FitProgress(view, view.snapshot)

    def stop(self, job_id: str) -> bool:
        """Ask a fit to stop and keep what it reached."""
        return self._registry.cancel(job_id)

    def join(self, job_id: str, timeout: float | None = None) -> bool:
        """Wait for a fit to end; True when it has."""
        return self._registry.join(job_id, timeout)

    def prepare(self) -> None:
        """Load what fits need, once; a server does it while its first page is being drawn.

        Every BLAS uses one thread then: it was measured to answer ten visitors twice as fast as
        two.
        """
        with self._preparing:
            if not self._prepared:
                # After the imports: a limit set before a library is loaded does not reach it.
                from threadpoolctl import threadpool_limits

                import cspca.estimator  # noqa: F401

                threadpool_limits(1)
                self._prepared = True

    def _work(self, control: Job, data: str, first: LiveFit, start: LiveFit | None) -> None:
        self.prepare()
        asked = first.asked
        with self._library.hold(data) as dataset:

            def reduce() -> ReducedData:
                from cspca.estimator import reduce_data

                control.publish(replace(first, phase="reducing"))
                return reduce_data(dataset.data, center=asked.center, normalize=asked.normalize)

            key = (first.sha256, asked.center, asked.normalize)
            reduced = self._reduced.get_or_make(key, reduce)
            if control.stop_requested:
                return
            found = _run(control, first, dataset.data, reduced, start)
        # One that was stopped serves to start from only.
        kept = asked if found.complete else loose(asked)
        self._fits.put((found.sha256, kept), found)
        control.publish(found)

    def _nearest(self, asked: Fit, sha256: str) -> LiveFit | None:
        """The certified fit of the same data whose penalties are closest, in factors.

        From farther than :data:`NEAR` a cold start is as quick, and a fit that owes nothing to
        another is repeated to the last digit by its own lines of Python; only the search for a
        number of features begins from wherever there is something.
        """
        same = [
            one
            for (of, _), one in self._fits.items()
            if of == sha256
            and (one.asked.center, one.asked.normalize) == (asked.center, asked.normalize)
            and one.asked.solver != "reweighted"
            and one.alpha_max > 0
        ]
        if not same:
            return None
        # The last of the equally near: the one that was used most recently.
        found = min(reversed(same), key=lambda one: _distance(one, asked))
        return found if asked.keep is not None or _distance(found, asked) <= NEAR else None


def loose(asked: Fit) -> Fit:
    """The same fit whatever accuracy was asked for."""
    return replace(asked, tol=0.0, max_iter=1)


def _distance(one: LiveFit, asked: Fit) -> float:
    """How far apart the penalties are, as the sum of absolute logarithms of their ratios."""
    fit = one.fit
    relative = asked.penalty_scale == "relative"
    scale = (fit.alpha_max, fit.beta_max) if relative else (1.0, 1.0)
    beta = _log_ratio(fit.beta, asked.beta * scale[1])
    if asked.keep is not None:
        return beta + _log_ratio(fit.n_kept, asked.keep)
    return beta + _log_ratio(fit.alpha, asked.alpha * scale[0])


def _log_ratio(first: float, second: float) -> float:
    tiny = 1e-12
    return abs(math.log((first + tiny) / (second + tiny)))


class _Course:
    """One solver at work: its steps one at a time, and the course that it leaves."""

    def __init__(self, solver: str, steps: Steps, before: NDArray[Any] | None) -> None:
        from cspca.solvers import History

        self.solver, self.steps = solver, steps
        self.history = History(before)
        self.model: CSPCA | None = None
        self.last: Iterate | None = None
        self.over = False

    def advance(self, bound: float) -> None:
        """Take one iteration, and measure it by a bound that another solver has proven."""
        found = next(self.steps, None)
        if found is None:
            self.over = True
            return
        self.model, iterate, done = found
        self.last = replace(iterate, dual_bound=max(iterate.dual_bound, bound))
        if not done:
            self.history.add(self.last)

    @property
    def seconds(self) -> float:
        """Inside the solver, so that two that take turns can be drawn on one axis."""
        return 0.0 if self.last is None else self.last.seconds


def _run(
    control: Job,
    first: LiveFit,
    data: NDArray[Any],
    reduced: ReducedData,
    start: LiveFit | None,
) -> LiveFit:
    """Fit, publishing moments, until the tolerance, the iterations or a stop."""
    asked = first.asked
    goes_on = start is not None and start.same_but_for_accuracy(asked, first.sha256)
    if asked.solver != "admm" and not goes_on:
        # Algorithm 1 starts where the paper starts it, and a comparison starts both cold, unless
        # it is this very course that goes on.
        start = None
    # Algorithm 1 proves next to nothing of itself: it is measured by the certified solver.
    courses = {}
    for solver in dict.fromkeys(("admm", *asked.solvers)):
        model = None if start is None else start.models.get(solver)
        steps = _steps(asked, solver, data, model, reduced)
        before = start.histories.get(solver) if goes_on and start is not None else None
        courses[solver] = _Course(solver, steps, before)
    lead, judge = courses[asked.solvers[0]], courses["admm"]
    now = replace(
        first, phase="solving", alpha_max=reduced.alpha_max, beta_max=reduced.beta_max, scores=None
    )
    published, stopped = 0.0, False
    while not all(course.over for course in courses.values()):
        # At least one iteration each: a stopped fit can be drawn and continued.
        if control.stop_requested and all(one.last is not None for one in courses.values()):
            stopped = True
            break
        # The one that has had less time goes next: both curves grow at the same pace.
        ready = [course for course in courses.values() if not course.over]
        proven = judge.last.dual_bound if judge.last is not None else 0.0
        min(ready, key=lambda course: course.seconds).advance(proven)
        if time.perf_counter() - published >= PUBLISH_EVERY and lead.last is not None:
            published = time.perf_counter()
            control.publish(_moment(now, lead, courses, _is_warm(asked, goes_on, start, courses)))
    for course in courses.values():
        course.steps.close()
    warm = _is_warm(asked, goes_on, start, courses)
    return _answer(_moment(now, lead, courses, warm), courses, complete=not stopped)


def _is_warm(
    asked: Fit, goes_on: bool, start: LiveFit | None, courses: Mapping[str, _Course]
) -> bool:
    """Whether anything of `start` is in the fit: the solver begins cold where that is as quick."""
    if start is None:
        return False
    states = (one.last.state for one in courses.values() if one.last is not None)
    return (
        goes_on or asked.keep is not None or any(getattr(state, "warm", False) for state in states)
    )


def _steps(
    asked: Fit, solver: str, data: NDArray[Any], start: CSPCA | None, reduced: ReducedData
) -> Steps:
    """Yield model and iterate of every iteration; closing leaves the model as far as it got."""
    from cspca.estimator import CSPCA
    from cspca.keep import keep_features

    given = asked.model_arguments(solver)
    if asked.keep is not None:
        for name in ("alpha", "solver", "penalty_scale"):
            del given[name]
        search: Any = keep_features(
            data, asked.keep, start=start, reduced=reduced, watch=SEARCH, **given
        )
        with closing(search):
            for step in search:
                yield step.model, step.iterate, step.done
        return
    # Keeps the solver's state, from which the fit can go on or another one start.
    model = CSPCA(**given, warm_start=True)
    steps: Any = model.iterate(data, start=start, reduced=reduced, watch=LIVE)
    with closing(steps):
        for iterate in steps:
            yield model, iterate, False


def _moment(now: LiveFit, lead: _Course, courses: Mapping[str, _Course], warm: bool) -> LiveFit:
    assert lead.last is not None
    assert lead.model is not None
    iterate, scale = lead.last, (1.0, 1.0)
    if now.asked.penalty_scale == "relative":
        scale = (now.alpha_max, now.beta_max)
    shown = (courses[solver] for solver in now.asked.solvers)
    return replace(
        now,
        histories={one.solver: one.history.table for one in shown if one.last is not None},
        scores=frozen(iterate.row_norms),
        gap=float(iterate.gap),
        rank=iterate.rank,
        iterations=iterate.number,
        seconds=lead.seconds,
        alpha=float(lead.model.alpha) * scale[0],
        beta=float(lead.model.beta) * scale[1],
        warm=warm,
    )


def _answer(now: LiveFit, courses: Mapping[str, _Course], *, complete: bool) -> LiveFit:
    """The last moment, with the fits, each against the best bound that is proven."""
    models = {one.solver: one.model for one in courses.values() if one.model is not None}
    fits = {solver: model.fit_ for solver, model in models.items()}
    histories = dict(now.histories)
    for solver in fits:
        if solver != "admm":
            fits[solver] = fits[solver].measured_by(fits["admm"].dual_objective)
        if solver not in histories:
            continue
        fit, table = fits[solver], histories[solver].copy()
        if not len(table):
            # It began where it had to arrive, without a look at the objective.
            table = fit.history.copy()
        # What was proven last holds for it too.
        table[-1:]["dual_bound"], table[-1:]["gap"] = fit.dual_objective, fit.duality_gap
        table[-1:]["best_objective"] = fit.objective
        histories[solver] = frozen(table)
        fits[solver] = replace(fit, history=histories[solver])
    fit = fits[now.asked.solvers[0]]
    return replace(
        now,
        phase="finished",
        histories=histories,
        scores=frozen(fit.feature_scores),
        gap=fit.duality_gap,
        rank=fit.rank,
        iterations=fit.n_iter,
        alpha=fit.alpha,
        beta=fit.beta,
        complete=complete,
        fits=fits,
        models=models,
    )


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only copy of an array: it is handed to other threads."""
    copy = np.array(array, copy=True)
    copy.flags.writeable = False
    return copy
