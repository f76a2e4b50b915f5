"""What every solver yields, the course that it leaves, and the shape of a solver."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from cspca.problem import Problem
from cspca.problem.certificate import NOTHING_PROVEN, Bound
from cspca.proximal import FloatArray, row_norms


@dataclass(kw_only=True)
class SolverState(ABC):
    """What resumes a solver, and what an iterate reads off it.

    `best_errors` are ``‖e_i‖`` under the best coefficients where they are at hand; `span` are
    orthonormal columns in which all rows of these lie, where few of them are known. `proven` says
    that there is nothing to do. The others are as in :class:`Iterate`.
    """

    problem: Problem
    number: int = 0
    seconds: float = 0.0
    best_coefficients: FloatArray | None = None
    best_objective: float = float("inf")
    best_errors: FloatArray | None = None
    span: FloatArray | None = None
    bound: Bound = NOTHING_PROVEN
    rank: int | None = None
    smoothed_objective: float | None = None
    proven: bool = False

    @property
    def dual_bound(self) -> float:
        """The best lower bound that is proven so far."""
        return self.bound.value

    def coefficients(self) -> FloatArray:
        """Z where it stands, shape (n_features, rank of the data)."""
        assert self.best_coefficients is not None
        return self.best_coefficients

    @abstractmethod
    def entries(self) -> tuple[FloatArray, FloatArray]:
        """``AᵀΛ`` over the images with an error, ``Σ |a_ij|`` over the others (theory.md §14)."""


@dataclass
class Iterate:
    """Where a solver stands after one iteration.

    `number` and `seconds` (inside the solver) count resumed runs too. `objective` is NaN where it
    was not evaluated, `best_objective` infinite before the first time; `bound` is the best
    proven so far; `rank` is that of the copy whose singular values are shrunk, None where there is
    none (what the map has is counted once, by :class:`cspca.fitted.Fit`). Algorithm 1
    descends `smoothed_objective`. `state`, a :class:`SolverState`, resumes the solver
    (``iterate(problem, start=state)``) and is valid until the next iteration is asked for. `Z` are
    the coefficients of
    `best_objective`, ``W = Z Uᵀ``.
    """

    number: int
    seconds: float
    objective: float
    best_objective: float
    bound: Bound
    rank: int | None
    smoothed_objective: float | None
    state: Any = field(repr=False)
    Z: FloatArray = field(repr=False)

    @classmethod
    def of(cls, state: SolverState, objective: float) -> Self:
        """Read it off a solver's state."""
        best = state.best_coefficients
        return cls(
            number=state.number,
            seconds=state.seconds,
            objective=objective,
            best_objective=state.best_objective,
            bound=state.bound,
            rank=state.rank,
            smoothed_objective=state.smoothed_objective,
            state=state,
            Z=state.coefficients() if best is None else best,
        )

    @property
    def dual_bound(self) -> float:
        """The best lower bound that is proven so far."""
        return self.bound.value

    @property
    def gap(self) -> float:
        """(best objective − best dual bound) / best objective; infinite before the first check."""
        if self.best_objective == float("inf"):
            return float("inf")
        return relative_gap(self.best_objective, self.dual_bound)

    @property
    def span(self) -> FloatArray | None:
        """Orthonormal columns in which all rows of Z lie, where the solver knows few of them."""
        state: SolverState = self.state
        return state.span

    @cached_property
    def row_norms(self) -> FloatArray:
        """Importance of every pixel, ``‖w_j‖``, shape (n_features,)."""
        return row_norms(self.Z)

    @property
    def n_kept(self) -> int:
        """Pixels with a row that is not exactly zero."""
        return int(np.count_nonzero(self.row_norms))


COLUMNS = (
    *("number", "seconds", "objective", "best_objective", "dual_bound", "gap", "n_kept", "rank"),
    "smoothed_objective",
)
HISTORY = np.dtype([(name, "i8" if name in ("number", "n_kept") else "f8") for name in COLUMNS])
"""Columns of a course. What was not evaluated, or is nothing the solver has, is NaN; before the
first certificate the bound is 0, before the first objective the gap is infinite. `best_objective`
is the least objective evaluated so far, `n_kept` and `gap` are those of its map."""


class History:
    """The course of a solver: a table that grows by one record an iteration.

    It goes on from a `table` of the same problem; a number that has been there begins it anew.
    """

    def __init__(self, table: NDArray[Any] | None = None) -> None:
        self._rows: list[tuple[Any, ...]] = [] if table is None else table.tolist()
        self._last: tuple[FloatArray, int] | None = None
        self._best: tuple[float, int] = (float("inf"), 0)
        for row in self._rows:
            best = row[COLUMNS.index("best_objective")]
            if best < self._best[0]:
                self._best = best, row[COLUMNS.index("n_kept")]

    def add(self, iterate: Iterate) -> None:
        """Take note of an iteration."""
        if self._rows and iterate.number <= self._rows[-1][0]:
            self._rows, self._best = [], (float("inf"), 0)
        if self._last is None or self._last[0] is not iterate.Z:
            self._last = iterate.Z, iterate.n_kept
        # Both comparisons fail where the objective was not evaluated, and is NaN.
        if iterate.best_objective <= self._best[0]:
            self._best = iterate.best_objective, self._last[1]
        if iterate.objective < self._best[0]:
            norms = row_norms(iterate.state.coefficients())
            self._best = iterate.objective, int(np.count_nonzero(norms))
        best, n_kept = self._best
        evaluated = best < float("inf")
        row = {
            "number": iterate.number,
            "seconds": iterate.seconds,
            "objective": iterate.objective,
            "best_objective": best if evaluated else None,
            "dual_bound": iterate.dual_bound,
            "gap": relative_gap(best, iterate.dual_bound) if evaluated else iterate.gap,
            "n_kept": n_kept,
            "rank": iterate.rank,
            "smoothed_objective": iterate.smoothed_objective,
        }
        self._rows.append(tuple(row[name] for name in COLUMNS))

    @property
    def table(self) -> NDArray[Any]:
        """The records so far, a structured array with the columns of :data:`HISTORY`."""
        # None becomes NaN.
        return np.array(self._rows, dtype=HISTORY)


PROVEN_GAP = 1e-9
"""Gap up to which W = U Uᵀ is proven to be optimal: what rounding leaves open, and no more."""

EXACT = 1e-12
"""Share of an objective by which two are the same but for rounding."""


def relative_gap(objective: float, dual_bound: float) -> float:
    """Relative distance to the global optimum that a bound proves.

    At least 0: a bound above the objective by round-off counts as met.
    """
    if objective <= 0.0:
        return 0.0
    return max(0.0, (objective - dual_bound) / objective)


class Solver(Protocol):
    """A solver is an endless iterator of :class:`Iterate` records; the caller decides to stop.

    `title` and `colour` are its own on every page and in every chart. States of `state_type`, a
    :class:`SolverState`, resume it.
    """

    title: ClassVar[str]
    colour: ClassVar[str]
    state_type: ClassVar[type[Any]]
    limit: int | None = None

    @classmethod
    def configured(cls, **options: Any) -> Self:
        """Make the solver from the estimator's options: those that are fields of this dataclass."""
        solver_type: Any = cls
        names = {part.name for part in fields(solver_type)}
        solver: Self = solver_type(**{name: options[name] for name in options.keys() & names})
        return solver

    def resumes(self, start: Any, problem: Problem) -> bool:
        """Whether `start` is a state of this very problem, from where to go on."""
        return isinstance(start, self.state_type) and start.problem.same_as(problem)

    def prepare(self, problem: Problem, start: Any) -> Any:
        """The state to begin from; the start is no state of this problem."""

    def advance(self, state: Any, last: bool) -> tuple[Any, float]:
        """The state after an iteration, and the objective, or NaN; `last` before the limit."""

    def iterate(self, problem: Problem, start: Any = None) -> Iterator[Iterate]:
        """Run on `problem` until the caller stops.

        `start` is None, the solver's own; a state; a matrix W₀ of shape (n_features, n_features);
        a name of the paper's initialisations; or a Start. A state of the same problem is resumed,
        one of another problem is a start like any other.
        """
        began = time.perf_counter()
        state = start if self.resumes(start, problem) else self.prepare(problem, start)
        last = None if self.limit is None else state.number + self.limit
        while True:
            state, objective = self.advance(state, state.number + 1 == last)
            state.seconds += time.perf_counter() - began
            yield Iterate.of(state, objective)
            began = time.perf_counter()
