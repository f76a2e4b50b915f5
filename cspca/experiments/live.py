"""A fit while it runs: warm starts, two solvers in turns, Stop, Continue, and memory of fits.

Heavy imports happen inside the functions, on a worker thread, so that a page can be on screen
before SciPy and scikit-learn are loaded.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets import DatasetError
from cspca.experiments.cost import LONG, fit_by_size, reduction_by_size
from cspca.experiments.experiment import Outcome
from cspca.experiments.fit import Fit, Steps, course, result_of
from cspca.experiments.jobs import Job, JobRegistry
from cspca.experiments.ledger import Memory
from cspca.experiments.memory import DatasetLibrary, is_reduced, reduction
from cspca.problem.certificate import NOTHING_PROVEN, Bound

if TYPE_CHECKING:
    from cspca import fitted
    from cspca.datasets import Dataset
    from cspca.solvers import Iterate
    from cspca.stepwise import Stepwise

SMALLEST_TOL = 1e-7
"""Round-off keeps the certificate from proving much less than this."""

REMEMBERED = 128 << 20
"""Bytes of answered fits that are remembered for one visitor, or for everybody: some hundreds."""

SETTLED = 1e-5
"""Gap at which hardly a feature still changes between zero and used."""


PUBLISHED_EVERY = 0.15
"""Seconds between two published moments of a fit: a page polls about as often."""


WARM_PYTHON = (
    "The fit on the page started from an earlier one; these lines start afresh. Both objectives "
    "are within their certified gap of the optimum, but scores, ranks and errors can differ by "
    "more than that: a smaller tolerance brings them together."
)
"""What must be said of lines of Python that cannot give the same numbers to the last digit."""


@dataclass(frozen=True, eq=False)
class LiveFit:
    """One moment of a fit, the last one with its answer.

    `histories` are the courses of the solvers that are shown. `scores` are ``‖w_j‖`` now; `gap` is
    infinite before the first certificate; `alpha` is absolute, NaN until known. `fits` and `models`
    are there at the end, by solver, the certified one's always among them: it measures Algorithm 1.
    Models are shared, never refit one in place; a frame of a film has none.
    """

    asked: Fit
    sha256: str = ""
    reducing: bool = False
    histories: Mapping[str, NDArray[Any]] = field(default_factory=dict, repr=False)
    scores: NDArray[Any] | None = field(default=None, repr=False)
    gap: float = math.inf
    rank: int | None = None
    iterations: int = 0
    seconds: float = 0.0
    alpha: float = math.nan
    alpha_max: float = math.nan
    beta_max: float = math.nan
    warm: bool = False
    fits: Mapping[str, fitted.Fit] = field(default_factory=dict, repr=False)
    models: Mapping[str, Stepwise] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.scores is not None:
            # They are handed to other threads.
            self.scores.flags.writeable = False

    @property
    def certified(self) -> bool:
        """Whether the gap is within the tolerance already."""
        return self.gap <= self.asked.tol

    @property
    def can_continue(self) -> bool:
        """Whether a stopped fit can become more accurate; one that has not begun begins."""
        return not (self.certified and self.asked.tol <= SMALLEST_TOL)

    @property
    def fit(self) -> fitted.Fit:
        """The answer, of the solver that was asked for first."""
        return self.fits[self.asked.solvers[0]]

    def same_but_for_accuracy(self, settings: Fit, sha256: str) -> bool:
        """Whether this is the fit that is asked for, whatever its tolerance."""
        same = replace(self.asked, tol=settings.tol, max_iter=settings.max_iter) == settings
        return same and self.sha256 == sha256

    @property
    def found(self) -> Fit:
        """What was asked for with its own α, which a search for a number of features has found."""
        if self.asked.keep is None or not math.isfinite(self.alpha):
            return self.asked
        return replace(self.asked, keep=None, alpha=self.alpha / self.alpha_max)

    def compact(self) -> LiveFit:
        """The same without its solvers' states; maps in their few directions, single precision.

        A tenth of the memory: enough to show it, and nothing to start from.
        """
        fits = {}
        for solver, fit in self.fits.items():
            directions = fit.components.astype(np.float32)
            few = fit.coordinate_weights().astype(np.float32)
            fits[solver] = replace(fit, Z=few, U=directions.T, components=directions)
        return replace(self, fits=fits, models={})

    def outcome(self, data: Dataset) -> Outcome:
        """The answer as a run of the same would keep it."""
        results = {}
        for cell in self.found.cells(data):
            fit = self.fits[cell.parameters["solver"]]
            results[cell] = result_of(fit, fit.seconds)
        started = self.warm or self.asked.keep is not None
        return Outcome(self.found, data, results, python_note=WARM_PYTHON if started else "")


class FitService:
    """Runs fits in the background; remembers them, and the last one of each owner to start from."""

    def __init__(self, library: DatasetLibrary, jobs: JobRegistry) -> None:
        self.library, self.jobs = library, jobs
        # By what was asked of which data; films put theirs there.
        self.known: Memory[Hashable, LiveFit] = Memory(most=REMEMBERED)
        # The last one of each owner, with its solver's state.
        self._last: Memory[str, LiveFit] = Memory()

    def start(
        self, data: str, asked: Fit, sha256: str, *, owner: str = "", after: str | None = None
    ) -> str:
        """Start a fit of the library's `data` and return the id of its job.

        It replaces the unfinished one of the same `owner`; where that may pay it starts from what
        the job `after` has reached, or else the last one of this owner.
        """
        cached = self.known.get((self.library.owner(data), sha256, asked))
        if cached is not None:
            return self.jobs.submit(None, owner=owner, snapshot=cached)
        return self._submit(data, LiveFit(asked, sha256), after, owner)

    def resume(
        self, data: str, job_id: str, *, owner: str = "", tol: float | None = None
    ) -> str | None:
        """Go on with a fit that stopped or should be more accurate; None when there is none.

        One that was stopped before its first iteration is started. It goes on to the gap `tol`,
        by default to its own, or a tenth of that where it has been reached.
        """
        view = self.jobs.view(job_id)
        if view is None or view.active or not view.snapshot.can_continue:
            return None
        last: LiveFit = replace(view.snapshot, reducing=False)
        settings = last.asked
        if tol is None:
            tol = max(settings.tol / 10, SMALLEST_TOL) if last.certified else settings.tol
        settings = replace(settings, tol=min(settings.tol, tol))
        return self._submit(data, replace(last, asked=settings, fits={}, models={}), job_id, owner)

    def _submit(self, data: str, first: LiveFit, after: str | None, owner: str) -> str:
        settings = first.asked
        options: dict[str, Any] = {}

        def work(job: Job) -> None:
            if after is not None:
                # Being replaced, it is about to stop; what it reached is the best warm start.
                self.jobs.join(after, timeout=1.0)
            prepare()
            job.publish(replace(first, reducing=True))
            dataset = self.library.get(data)
            # Whoever is to stop for a fit of the same data makes for that one what both need.
            reduction(dataset, settings.center, settings.normalize, job.unwanted)
            if job.stop_requested():
                return
            before = self.jobs.view(after)
            start = None if before is None else before.snapshot
            if start is None or not start.fits:
                start = self._last.get(owner)
            stop, publish = job.stop_requested, job.publish
            live = follow(first, dataset, stop=stop, publish=publish, start=start)
            owner_hash = self.library.owner(data)
            self._last.put(owner, live, owner_hash, "This fit")
            # One that was stopped serves to start from only.
            if not job.heeded:
                self.known.put((owner_hash, first.sha256, settings), live.compact(), owner_hash)
            job.publish(live)

        with suppress(DatasetError):
            dataset = self.library.get(data)
            options["makes"] = data, settings.center, settings.normalize
            options["heavy"] = lambda: _is_heavy(dataset, settings)
        return self.jobs.submit(work, owner=owner, snapshot=first, **options)


def _is_heavy(data: Dataset, settings: Fit) -> bool:
    """Whether a fit takes more than seconds, with the reduction unless that is there."""
    reduction_seconds = (
        0.0 if is_reduced(data, settings.center, settings.normalize) else reduction_by_size(data)
    )
    return fit_by_size(data) + reduction_seconds > LONG


@cache
def prepare() -> None:
    """Load what fits need, once; a server does it while its first page is being drawn.

    BLAS is held for good then, at one thread where nothing else is asked for: that was measured to
    answer ten visitors twice as fast as two. So is OpenMP, which scikit-learn brings when it comes.
    """
    # It is read when that is loaded, which a first fit does not wait for.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    import cspca.stepwise  # noqa: F401
    from cspca.threads import hold_blas

    hold_blas()


def _pays(start: LiveFit, first: LiveFit) -> bool:
    """Whether a fit may start from another one of the same data.

    From farther than a slider's step a cold start is as quick, and one that owes nothing to another
    is repeated to the last digit by its own lines of Python; only the search for a number of
    features begins from wherever there is something. Algorithm 1 starts where the paper starts it,
    and a comparison starts both cold.
    """
    settings, old = first.asked, start.asked
    if (start.sha256, old.center, old.normalize) != (
        first.sha256,
        settings.center,
        settings.normalize,
    ):
        return False
    if settings.solver != "admm" or old.solver == "reweighted":
        return False
    fit, scales = start.fit, (1.0, 1.0)
    if settings.penalty_scale == "relative":
        scales = fit.alpha_max, fit.beta_max
    pairs = [(fit.alpha, settings.alpha * scales[0]), (fit.beta, settings.beta * scales[1])]
    tiny = 1e-12
    apart = sum(
        abs(math.log((penalty_before + tiny) / (penalty + tiny)))
        for penalty_before, penalty in pairs
    )
    # A step of a slider and a little more; the solver says whether it does pay.
    near = apart <= math.log(1.3)
    return fit.alpha_max > 0 and (settings.keep is not None or near)


class _Runner:
    """One solver at work: its steps one at a time, and the course that it leaves."""

    model: Stepwise
    last: Iterate

    def __init__(self, steps: Steps, before: NDArray[Any] | None, bound: Bound) -> None:
        from cspca.solvers import History

        self.steps, self.history = steps, History(before)
        # One iteration at least: a stopped fit can be drawn and continued.
        self.advance(bound)

    def advance(self, bound: Bound) -> bool:
        """Take one iteration, and measure it by a bound that another solver has proven."""
        step = next(self.steps, None)
        if step is not None:
            self.model, iterate = step
            self.last = replace(iterate, bound=iterate.bound.or_greater(bound))
            self.history.add(self.last)
        return step is not None


def follow(
    first: LiveFit,
    dataset: Dataset,
    *,
    stop: Callable[[], bool],
    publish: Callable[[LiveFit], None],
    start: LiveFit | None = None,
) -> LiveFit:
    """Fit, publishing moments, until the tolerance, the iterations or a stop; return the last."""
    settings = first.asked
    goes_on = start is not None and start.same_but_for_accuracy(settings, first.sha256)
    if start is not None and not (start.models and (goes_on or _pays(start, first))):
        # Too far away, or a frame of a film, which has left its solver's state behind.
        start, goes_on = None, False
    shown = settings.solvers
    reduced = reduction(dataset, settings.center, settings.normalize)
    runners: dict[str, _Runner] = {}
    bound = NOTHING_PROVEN
    # Algorithm 1 proves next to nothing of itself: it is measured by the certified solver.
    for solver in dict.fromkeys(("admm", *shown)):
        arguments = settings.model_arguments(solver) | {"keep": settings.keep}
        model, before = None, None
        if start is not None:
            model = start.models.get(solver)
            before = start.histories.get(solver) if goes_on else None
        steps = course(dataset.data, arguments, start=model, reduced=reduced)
        runners[solver] = _Runner(steps, before, bound)
        bound = runners["admm"].last.bound
    lead, judge = runners[shown[0]], runners["admm"]

    def moment() -> LiveFit:
        # The solver begins cold where that is as quick: then nothing of `start` is in the fit.
        states = [runner.last.state for runner in runners.values()]
        warm = goes_on or settings.keep is not None or any(getattr(s, "cold", 0) for s in states)
        scale = reduced.alpha_max if settings.penalty_scale == "relative" else 1.0
        return replace(
            first,
            histories={name: runners[name].history.table for name in shown},
            scores=lead.last.row_norms,
            gap=float(lead.last.gap),
            rank=lead.last.rank,
            iterations=lead.last.number,
            seconds=lead.last.seconds,
            alpha=scale * lead.model.alpha,
            warm=start is not None and warm,
            alpha_max=reduced.alpha_max,
            beta_max=reduced.beta_max,
        )

    published, ready = 0.0, list(runners.values())
    while ready and not stop():
        # The one that has had less time goes next: both curves grow at the same pace.
        turn = min(ready, key=lambda runner: runner.last.seconds)
        if not turn.advance(judge.last.bound):
            ready.remove(turn)
        # The solver must not wait.
        if time.perf_counter() - published >= PUBLISHED_EVERY:
            published = time.perf_counter()
            publish(moment())
    for runner in runners.values():
        runner.steps.close()
    return _answer(moment(), runners)


def _answer(last: LiveFit, runners: Mapping[str, _Runner]) -> LiveFit:
    """The last moment, with the fits, each against the best bound that is proven."""
    models = {solver: runner.model for solver, runner in runners.items()}
    fits = {solver: model.fit_ for solver, model in models.items()}
    for solver in fits.keys() - {"admm"}:
        fit, table = fits[solver].measured_by(fits["admm"].dual_objective), last.histories[solver]
        # What was proven last holds for it too.
        table[-1:]["dual_bound"], table[-1:]["gap"] = fit.dual_objective, fit.duality_gap
        fits[solver] = replace(fit, history=table)
    fit = fits[last.asked.solvers[0]]
    return replace(
        last,
        histories={solver: fits[solver].history for solver in last.histories},
        scores=fit.feature_scores,
        gap=fit.duality_gap,
        rank=fit.rank,
        iterations=fit.n_iter,
        alpha=fit.alpha,
        fits=fits,
        models=models,
    )
