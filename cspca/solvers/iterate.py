"""The record that every solver yields, and the shape of a solver."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from cspca.problem import Problem
from cspca.proximal import FloatArray, row_norms


@dataclass
class Iterate:
    """Where a solver stands after one iteration.

    Attributes
    ----------
    number : int
        Iterations done so far, counted from 1, over resumed runs too.
    seconds : float
        Time spent inside the solver so far, in seconds, over resumed runs too.
    objective : float
        Value of the original problem at this iteration; NaN where it was not evaluated.
    best_objective : float
        Smallest objective evaluated so far; infinite before the first evaluation.
    dual_bound : float
        Best proven lower bound of the global optimum so far.
    primal_residual, dual_residual : float
        The solver's own residuals, relative, 0 at convergence. NaN where a solver has none.
    rank : int or None
        Exact rank of the shrunk iterate, where the solver has one.
    smoothed_objective : float or None
        The smoothed objective that Algorithm 1 descends; None for other solvers.
    state : object
        The solver's live state: give it to ``iterate(problem, start=state)`` of the same solver
        to resume or to start warm. Valid until the next iteration is asked for.
    Z : ndarray of shape (n_features, rank of the data)
        Best coefficients so far, those of `best_objective`: ``W = Z Uᵀ``.
    """

    number: int
    seconds: float
    objective: float
    best_objective: float
    dual_bound: float
    primal_residual: float
    dual_residual: float
    rank: int | None
    smoothed_objective: float | None
    state: Any = field(repr=False)
    Z: FloatArray = field(repr=False)

    @property
    def gap(self) -> float:
        """(best objective − best dual bound) / best objective; infinite before the first check."""
        if self.best_objective == float("inf"):
            return float("inf")
        return relative_gap(self.best_objective, self.dual_bound)

    @cached_property
    def row_norms(self) -> FloatArray:
        """Importance of every pixel, ``‖w_j‖``, shape (n_features,)."""
        return row_norms(self.Z)


def relative_gap(objective: float, dual_bound: float) -> float:
    """Relative distance to the global optimum that a bound proves; 0 when both are 0.

    Parameters
    ----------
    objective, dual_bound : float

    Returns
    -------
    float
        At least 0: a bound above the objective by round-off counts as met.
    """
    if objective <= 0.0:
        return 0.0
    return max(0.0, (objective - dual_bound) / objective)


class Solver(Protocol):
    """A solver is an endless iterator of :class:`Iterate` records; the caller decides to stop."""

    def iterate(self, problem: Problem, start: Any = None) -> Iterator[Iterate]:
        """Run on `problem` from `start` (None, coefficients, a named start or a state)."""
        ...
