"""How far a sweep is, and how long the rest will take."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Pace", "SweepProgress"]

Category = tuple[str, str]
"""Step and method: cells that take about as long as each other."""


@dataclass(frozen=True)
class SweepProgress:
    """What can be said of a sweep at one moment.

    Attributes
    ----------
    run_id : str
    n_done, n_failed, n_cells : int
        Of the run, whoever computed them.
    n_new : int
        Computed in this call.
    doing : str
        Title of the method that came last.
    elapsed : float
        Seconds since this call began.
    remaining : float or None
        Seconds that the rest will take, about; None until each kind of work was seen once.
    """

    run_id: str
    n_done: int
    n_failed: int
    n_cells: int
    n_new: int
    doing: str
    elapsed: float
    remaining: float | None

    @property
    def fraction(self) -> float:
        """Share of the cells that are over."""
        return (self.n_done + self.n_failed) / self.n_cells if self.n_cells else 1.0


class Pace:
    """Times of what is done, by category, from which the rest is estimated.

    Parameters
    ----------
    known : mapping of category to (seconds, number)
        What earlier calls took.
    """

    def __init__(self, known: Mapping[Category, tuple[float, int]]) -> None:
        self._seconds: dict[Category, float] = defaultdict(float)
        self._cells: dict[Category, int] = defaultdict(int)
        for category, (seconds, number) in known.items():
            self._seconds[category] += seconds
            self._cells[category] += number
        self._began = time.perf_counter()
        self._worked = 0.0

    @property
    def elapsed(self) -> float:
        """Seconds since it was made."""
        return time.perf_counter() - self._began

    def add(self, category: Category, seconds: float, number: int) -> None:
        """Take in finished cells and the time a worker spent on them."""
        self._seconds[category] += seconds
        self._cells[category] += number
        self._worked += seconds

    def remaining(self, left: Mapping[Category, int]) -> float | None:
        """Seconds that the rest will take; None until each step that is left has been seen.

        Parameters
        ----------
        left : mapping of category to int
            Cells that are not done.
        """
        if not any(left.values()):
            return 0.0
        seen = {step for (step, _), number in self._cells.items() if number}
        if not self._worked or any(
            number and step not in seen for (step, _), number in left.items()
        ):
            return None
        work = sum(number * self._of_one(category) for category, number in left.items() if number)
        # Workers side by side, and the time between tasks.
        return work * self.elapsed / self._worked

    def _of_one(self, category: Category) -> float:
        if self._cells[category]:
            return self._seconds[category] / self._cells[category]
        # A method not seen yet takes as long as the others do at this step.
        alike = [of for of, number in self._cells.items() if number and of[0] == category[0]]
        return sum(self._seconds[of] for of in alike) / sum(self._cells[of] for of in alike)
