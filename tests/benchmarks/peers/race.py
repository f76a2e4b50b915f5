"""What first-order peers share: how their steps are chosen, and who stops them when."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from cspca.problem import Problem
from tests.benchmarks.measure import Run, Watch

Duals = tuple[np.ndarray, np.ndarray]
"""Λ of the errors and G₁ of the rows; G₂ is what they leave."""


class Stopped(Exception):  # noqa: N818
    """Raised out of a library's loop, which has no other way to end early."""


@dataclass(frozen=True)
class Balance:
    """Steps of a primal-dual method for ``β‖Z‖_* + ‖(s L Z, Z) − …‖``, L = A / s of norm 1.

    `size` is ‖Z‖ over ‖dual‖ at the solution: the ratio of a primal to a dual step with the best
    bound on the number of iterations (Chambolle and Pock, 2011). The stacked operator (L, I) has
    norm √2.
    """

    scale: float
    size: float

    @classmethod
    def of(cls, problem: Problem, Z: np.ndarray, factor: float = 1.0) -> Self:
        """From a solution; `factor` times its ratio."""
        scale = float(problem.data.singular_values[0])
        n, d = problem.data.shape
        dual = np.sqrt(scale**2 * n + problem.alpha**2 * d)
        return cls(scale, factor * float(np.linalg.norm(Z)) / float(dual))

    @property
    def primal_step(self) -> float:
        """τ, with τ σ ‖(L, I)‖² just below 1."""
        return 0.99 * self.size / 2**0.5

    @property
    def dual_step(self) -> float:
        """σ."""
        return 0.99 / self.size / 2**0.5


class Race:
    """A peer's clock. It stands while :meth:`look` looks."""

    def __init__(self, problem: Problem, goal: float, limit: float, gap: float = 1e-3) -> None:
        self.problem, self.goal, self.limit, self.gap = problem, goal, limit, gap
        self.count, self.value, self.bound = 0, float("inf"), 0.0
        self.arrived: tuple[float, float, int] | None = None
        self.certified: float | None = None
        self.with_duals = False
        self.watch = Watch()

    def look(
        self, coefficients: Callable[[], np.ndarray], duals: Callable[[], Duals] | None = None
    ) -> bool:
        """After an iteration: whether to stop. Its own time is not counted."""
        watch = self.watch.pause()
        self.count += 1
        self.with_duals = duals is not None
        over = watch.cpu > self.limit
        if self.count % 5 == 0 or over:
            self.value = min(self.value, self.problem.objective(coefficients()))
            if self.arrived is None and self.value <= self.goal:
                self.arrived = watch.cpu, watch.wall, self.count
            if duals is not None and self.arrived is not None:
                self._certify(*duals())
        done = self.arrived is not None and (duals is None or self.certified is not None)
        watch.resume()
        return over or done

    def _certify(self, L: np.ndarray, G1: np.ndarray) -> None:
        G2 = -(self.problem.in_memory.A.T @ L) - G1
        self.bound = max(self.bound, self.problem.dual_bound(L, G1, G2).value)
        if self.value - self.bound <= self.gap * self.value:
            self.certified = self.watch.cpu

    def result(self, name: str) -> Run:
        """When it came to the goal, or when it was stopped before."""
        reached = self.arrived is not None
        cpu, wall, count = self.arrived or (self.watch.cpu, self.watch.wall, self.count)
        stopped = self.watch.cpu if self.with_duals else None
        return Run(cpu, wall, count, self.value, None, reached, name, self.certified, stopped)
