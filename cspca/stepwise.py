"""A fit of CSPCA step by step: what the estimator and the dashboard are both made on.

It knows no scikit-learn, whose imports take a second: a page shows its first fit without it.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from cspca.fitted import Fit
from cspca.preprocessing import checked, preprocess
from cspca.problem import Problem, ReducedData, Reduction
from cspca.problem.identity import EDGE_ITERATIONS
from cspca.proximal import FloatArray
from cspca.solvers import SOLVERS, History, Iterate, Start
from cspca.threads import blas_threads


@dataclass(repr=False, eq=False)
class Parameters:
    """The parameters of :class:`cspca.CSPCA`, where they are explained."""

    alpha: float = 0.1
    beta: float = 0.01
    _: KW_ONLY
    penalty_scale: str = "relative"
    center: bool = True
    normalize: bool = False
    solver: str = "admm"
    loss: str = "norms"
    init: Any = None
    smoothing: float | tuple[float, float, int] = 1e-4
    tol: float = 1e-3
    max_iter: int = 1000
    warm_start: bool = False
    random_state: Any = None


class Stepwise(Parameters):
    """A fit that is taken step by step, and knows where it stands; nothing of it is checked."""

    fit_: Fit

    def iterate(
        self,
        X: Any,
        *,
        start: Stepwise | Fit | None = None,
        reduced: ReducedData | None = None,
        watch: float = float("inf"),
    ) -> Iterator[Iterate]:
        """Fit step by step, as :meth:`cspca.CSPCA.iterate` does; `X` is floats, and finite."""
        with closing(self._run(X, start, reduced, watch)) as run:
            for iterate, _ in run:
                yield iterate

    def _run(
        self,
        X: Any,
        start: Stepwise | Fit | None = None,
        reduced: ReducedData | None = None,
        watch: float = float("inf"),
    ) -> Generator[tuple[Iterate, Callable[[], Fit]], None, None]:
        """Yield iterates, each with a function for the fit so far; keep the last one's."""
        data, mean, dtype = self._reduced(X, start, reduced)
        limits = data.limits(self.loss) if self.penalty_scale == "relative" else (1.0, 1.0)
        alpha, beta = float(self.alpha) * limits[0], float(self.beta) * limits[1]
        problem = Problem(data, alpha, beta, self.loss)
        resumed, history = self._starting_point(problem, start)
        last: Iterate | None = None

        def fitted(edge_iterations: int = 0) -> Fit:
            assert last is not None
            return Fit.of(
                problem,
                last,
                self.tol,
                solver=self.solver,
                center=bool(self.center),
                normalize=bool(self.normalize),
                mean=mean,
                history=history.table,
                dtype=dtype,
                edge_iterations=edge_iterations,
            )

        solver = SOLVERS[self.solver].configured(
            smoothing=self.smoothing,
            target=self.tol,
            limit=self.max_iter,
            watch=watch,
            random_state=self.random_state,
        )
        steps = solver.iterate(problem, resumed)
        finished = False
        try:
            for _ in range(self.max_iter):
                with blas_threads():
                    last = next(steps)
                    history.add(last)
                yield last, fitted
                if last.gap <= self.tol or last.state.proven:
                    break
            finished = True
        finally:
            # On a break of the caller's loop too; not when the solver itself failed.
            if last is not None and (finished or isinstance(sys.exception(), GeneratorExit)):
                with blas_threads():
                    self._keep(fitted(EDGE_ITERATIONS if finished else 0))
                # Blocks are not compared with those of a next call: nothing to resume.
                resumable = self.warm_start and isinstance(data, ReducedData)
                self._state = last.state if resumable else None
                self._data = data if resumable else None

    def _keep(self, fit: Fit) -> None:
        """Take over what was found."""
        self.fit_ = fit

    def _reduced(
        self, X: Any, start: Stepwise | Fit | None, reduced: ReducedData | None
    ) -> tuple[Reduction, FloatArray, np.dtype[Any]]:
        """The reduction of X, the mean image, and the precision of what is fitted."""
        samples: FloatArray = X
        A, mean = preprocess(samples, self.center, self.normalize)
        return self._reduction(A, start, reduced), mean, samples.dtype

    def _reduction(
        self, A: FloatArray, start: Stepwise | Fit | None, reduced: ReducedData | None
    ) -> ReducedData:
        """Reduce A, or take a reduction of the same A that is at hand."""
        if reduced is not None:
            return checked(reduced, A)
        at_hand = [getattr(start, "_data", None)]
        if self.warm_start:
            at_hand.append(getattr(self, "_data", None))
        for candidate in at_hand:
            if isinstance(candidate, ReducedData) and np.array_equal(candidate.A, A):
                return candidate
        with blas_threads():
            return ReducedData(A)

    def _starting_point(
        self, problem: Problem, start: Stepwise | Fit | None
    ) -> tuple[Any, History]:
        """What the solver starts from, and the course to go on with."""
        source = start if start is not None else (self if self.warm_start else None)
        fit = source if isinstance(source, Fit) else getattr(source, "fit_", None)
        if fit is None:
            return self.init, History()
        state = getattr(source, "_state", None)
        kind = SOLVERS[self.solver].state_type
        if isinstance(state, kind) and state.problem.data is problem.data:
            same = state.problem.same_as(problem)
            if same and source is not self:
                # Each model owns its state: the other one may go on from its own.
                state = copy.copy(state)
            return state, History(fit.history if same else None)
        Z, U = fit.map
        if len(Z) != problem.data.shape[1]:
            return None, History()
        return Start(0.0, Z @ (U.T @ problem.data.U), problem.data.U), History()
