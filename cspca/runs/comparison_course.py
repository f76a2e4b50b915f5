"""How far a comparison is: what has come, what is still to come, and how fast."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from cspca.runs.comparison_records import ComparisonSnapshot, Pace

if TYPE_CHECKING:
    from cspca.evaluation.former import Comparison, GroupResult
    from cspca.evaluation.former.cells import Group, Parameters

__all__ = ["GATHER", "Course"]

GATHER = 0.5
"""Seconds between two looks at the results while they come in."""


class Course:
    """Takes in what finishes, group by group, and says what is to be seen.

    Parameters
    ----------
    comparison : Comparison
        All that is at hand. What failed is over, like what is done.
    """

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._plan = comparison.plan
        self._coming: list[GroupResult] = []
        self._gathered = time.perf_counter()
        done = comparison.done
        self._ranked = {(r.method, r.parameters) for r in comparison.rankings}
        self._todo = {
            _name(group): (group, left)
            for group in self._plan.groups()
            if (left := sum(cell not in done for cell in group.cells))
            and (group.method, group.parameters) not in comparison.failures
        }
        left_over = sum(left for _, left in self._todo.values())
        self._n_done, self._n_finished = self._plan.n_cells - left_over, 0
        self._pace = Pace({})
        self._before = time.perf_counter()

    @property
    def complete(self) -> bool:
        """Whether everything has come, or is given up."""
        return not self._todo

    def groups_of(self, method: str, parameters: Parameters) -> tuple[Group, ...]:
        """Groups of one ranking that are still to come."""
        of = method, parameters
        return tuple(g for g, _ in self._todo.values() if (g.method, g.parameters) == of)

    def ranked(self, group: GroupResult) -> None:
        """Take in a ranking, before anything is clustered on it."""
        self._take(group)

    def add(self, group: GroupResult) -> None:
        """Take in a finished group, its ranking too where it is new, or what failed."""
        _, left = self._todo.pop(_name(group.group), (None, 0))
        self._n_done += left
        self._take(group)

    def _take(self, group: GroupResult) -> None:
        now = time.perf_counter()
        self._coming.append(group)
        ranking = group.ranking
        key = (group.group.method, group.group.parameters)
        if group.failure is None:
            spent = None if ranking is None or key in self._ranked else ranking.seconds
            self._pace = self._pace.with_group(
                key[0], spent, len(group.results), now - self._before
            )
        self._ranked.add(key)  # a fit that failed is not made again either
        self._before = now

    def snapshot(self, before: ComparisonSnapshot, *, last: bool = False) -> ComparisonSnapshot:
        """What is to be seen now.

        Parameters
        ----------
        before : ComparisonSnapshot
            What was asked.
        last : bool, default=False
            Nothing more comes: leave nothing out.
        """
        following = next((group for group, _ in self._todo.values()), None)
        open_rankings = {(g.method, g.parameters) for g, _ in self._todo.values()}
        fits: Counter[str] = Counter(method for method, _ in open_rankings.difference(self._ranked))
        n_finished = len(self._plan.methods) - len({method for method, _ in open_rankings})
        self._gather(last or n_finished > self._n_finished)
        self._n_finished = n_finished
        of = None if following is None else (following.method, following.parameters)
        return replace(
            before,
            comparison=self._comparison,
            n_done=self._n_done,
            n_cells=self._plan.n_cells,
            n_finished=n_finished,
            doing="" if following is None else self._plan.method(following.method).title,
            ranking=of is not None and of not in self._ranked,
            remaining=self._pace.remaining(fits, sum(left for _, left in self._todo.values())),
            unmeasured=not fits.keys() <= self._pace.ranking.keys(),
            at=time.monotonic(),
        )

    def _gather(self, now: bool) -> None:
        """Add what has come to the comparison, not too often: each time all of it is copied."""
        began = time.perf_counter()
        if self._coming and (now or began - self._gathered > GATHER):
            self._comparison = self._comparison.with_groups(self._coming)
            self._coming = []
            self._gathered = began


def _name(group: Group) -> tuple[str, Parameters, int]:
    return group.method, group.parameters, group.n_features
