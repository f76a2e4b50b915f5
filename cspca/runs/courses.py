"""The course of one solver: steps one at a time, its own clock, and the trace it leaves.

The heavy imports happen inside the functions, on a worker thread, so that a page can be on screen
before SciPy and scikit-learn are loaded.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from cspca.runs.records import FitSpec, FloatArray, Solver, Trace

if TYPE_CHECKING:
    from cspca.estimator import CSPCA
    from cspca.problem import ReducedData
    from cspca.solvers import Iterate

PAPER_ITERATIONS = 40
"""Iterations of the paper's Algorithm 1: it has stalled long before."""


LIVE = 0.0
"""Seconds between two points of a live curve. A fit takes about ten iterations: each is a point."""

SEARCH = 0.1
"""The same for a search, which is a dozen fits, and whose curve is that of its last one."""


@dataclass(frozen=True)
class Step:
    """One iteration: of which model, where it stands, and of which trial of a search."""

    model: CSPCA
    iterate: Iterate
    trial: int = 1
    done: bool = False


Steps = Generator[Step, None, None]


@dataclass
class Course:
    """One solver at work.

    Attributes
    ----------
    solver : {"admm", "reweighted"}
    steps : generator of Step
        Closing it leaves the model fitted as far as it got.
    seconds : float
        Time inside the solver, so that two that take turns can be drawn on one axis.
    last : Step or None
    over : bool
        The solver has reached its tolerance or its iterations.
    bound : float
        A lower bound of the optimum that another solver has proven.
    """

    solver: Solver
    steps: Steps
    seconds: float = 0.0
    last: Step | None = None
    over: bool = False
    bound: float = 0.0
    _began: float = 0.0
    _rows: list[tuple[float, ...]] = field(default_factory=list)

    @classmethod
    def after(cls, solver: Solver, steps: Steps, before: Trace | None) -> Course:
        """Return a course that goes on where `before` ended."""
        if before is None or not len(before):
            return cls(solver, steps)
        columns = (before.number, before.seconds, before.objective, before.dual_bound, before.gap)
        rows: list[tuple[float, ...]] = list(zip(*columns, strict=True))
        return cls(solver, steps, before.seconds[-1], _rows=rows)

    def advance(self) -> None:
        """Take one iteration."""
        began = time.perf_counter()
        step = next(self.steps, None)
        spent = time.perf_counter() - began
        self.seconds += spent
        if step is None:
            self.over = True
            if self.last is not None and (not self._rows or self._rows[-1][-1] > self.gap):
                # It began where it had to arrive, without a look at the objective.
                self._note(self.last.iterate, float(self.last.iterate.best_objective))
            return
        if self.last is not None and step.trial != self.last.trial and not step.done:
            # Another α has another objective: its course and its clock start afresh.
            self._rows, self._began = [], self.seconds - spent
        self.last = step
        if not step.done:
            self._note(step.iterate, float(step.iterate.objective))

    def _note(self, iterate: Iterate, objective: float) -> None:
        if math.isfinite(objective):
            bound = max(float(iterate.dual_bound), self.bound)
            seconds = self.seconds - self._began
            self._rows.append((iterate.number, seconds, objective, bound, self.gap))

    @property
    def gap(self) -> float:
        """Relative distance to the best bound that is known."""
        from cspca.solvers.iterate import relative_gap

        assert self.last is not None
        best, bound = self.last.iterate.best_objective, self.last.iterate.dual_bound
        return relative_gap(best, max(bound, self.bound)) if math.isfinite(best) else math.inf

    def close(self) -> None:
        """End the solver; its model is fitted then."""
        self.steps.close()

    @property
    def trace(self) -> Trace:
        """The course so far."""
        columns: list[Any] = [tuple(column) for column in zip(*self._rows, strict=True)]
        return Trace(self.solver, *columns)


def new_model(spec: FitSpec, solver: Solver) -> CSPCA:
    """Return the unfitted estimator of a spec.

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


def fit_steps(model: CSPCA, data: FloatArray, start: CSPCA | None, reduced: ReducedData) -> Steps:
    """Fit `model`, one iteration a step.

    Parameters
    ----------
    model : CSPCA
    data : ndarray of shape (n_samples, n_features)
    start : CSPCA or None
        Fitted on the same data: where to start from.
    reduced : ReducedData
        Of the preprocessed data.

    Yields
    ------
    Step
    """
    steps = model.iterate(data, start=start, reduced=reduced, watch=LIVE)
    iterates = cast("Generator[Iterate, None, None]", steps)
    with closing(iterates):
        for iterate in iterates:
            yield Step(model, iterate)


def keep_steps(spec: FitSpec, data: FloatArray, start: CSPCA | None, reduced: ReducedData) -> Steps:
    """Search the α that keeps ``spec.keep`` pixels: one certified fit after another.

    Parameters
    ----------
    spec : FitSpec
    data : ndarray of shape (n_samples, n_features)
    start : CSPCA or None
        Fitted on the same data: its α is the first guess.
    reduced : ReducedData
        Of the preprocessed data.

    Yields
    ------
    Step
        The last one has ``done=True`` and the model that keeps the nearest number.
    """
    from cspca.keep import keep_features

    assert spec.keep is not None
    found = keep_features(
        data,
        spec.keep,
        beta=spec.beta,
        start=start,
        reduced=reduced,
        watch=SEARCH,
        center=spec.center,
        normalize=spec.normalize,
        tol=spec.tol,
        max_iter=spec.max_iter,
    )
    with closing(cast("Generator[Any, None, None]", found)):
        for step in found:
            yield Step(step.model, step.iterate, step.trial, step.done)
