"""What the seven initialisations say: how far above the proven optimum, and how much alike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cspca.datasets import Nouns
from cspca.evaluation.paper import PaperSet
from cspca.figures.words import percent
from cspca.runs.sweeps import StartRow

__all__ = ["START_NAMES", "StartsFindings", "find_starts", "measured"]

START_NAMES = {
    "diagonal-0.5": "Diagonal 0.5",
    "diagonal-1": "Diagonal 1",
    "diagonal-2": "Diagonal 2",
    "constant-0.5": "All elements 0.5",
    "constant-1": "All elements 1",
    "constant-2": "All elements 2",
    "random": "Random",
}
"""The paper's starts, in its order."""

_TEN = 10
_NUMBERS = {10: "ten", 20: "twenty", 50: "fifty"}
_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven")
_MANY = 0.1
_SURE = 1e-2
"""A bound within this of the best objective says where the optimum is."""


@dataclass(frozen=True, eq=False)
class StartsFindings:
    """The rows of a sweep of starts, held against each other.

    Attributes
    ----------
    rows : tuple of StartRow
    inits : tuple of str
        Starts that anything is finished of, in the paper's order.
    checkpoints : tuple of int
        Numbers of iterations at which Algorithm 1 is looked at.
    tol : float
        Gap that the certified solver was asked for.
    k : int or None
        Features that the clusterings use.
    optimum : tuple (low, high) or None
        The best lower bound and the best objective of all runs: the optimum lies between them.
        None while that is not known to a hundredth.
    """

    rows: tuple[StartRow, ...]
    inits: tuple[str, ...]
    checkpoints: tuple[int, ...]
    tol: float
    k: int | None
    optimum: tuple[float, float] | None

    def row(self, init: str, checkpoint: int | None) -> StartRow | None:
        """Return a row: of Algorithm 1 at a number of iterations, or the certified one for None."""
        for row in self.rows:
            if row.init == init and (
                row.solver == "admm" if checkpoint is None else row.iterations == checkpoint
            ):
                return row
        return None

    def column(self, checkpoint: int | None) -> tuple[StartRow, ...]:
        """Return what is finished of one column: all starts at a number of iterations."""
        found = (self.row(init, checkpoint) for init in self.inits)
        return tuple(row for row in found if row is not None)

    def above(self, row: StartRow) -> float:
        """How far an objective is above the proven bound, relative to it; NaN without one."""
        if self.optimum is None:
            return math.nan
        return max(0.0, row.objective / self.optimum[0] - 1.0)

    @property
    def regime(self) -> str | None:
        """The regime of the most accurate certified run."""
        certified = self.column(None)
        return min(certified, key=lambda row: row.gap).regime if certified else None

    def tied(self, n_features: int) -> int:
        """How many features tie about the last one selected, where they are many; otherwise 0."""
        certified = self.column(None)
        number = min(certified, key=lambda row: row.gap).n_tied if certified else 0
        return number if number > max(3, _MANY * n_features) else 0

    def headline(self) -> str | None:
        """The measured answer in one sentence; None before both solvers have come from a start."""
        checkpoint = _TEN if _TEN in self.checkpoints else self.checkpoints[0]
        for init in self.inits:
            printed, certified = self.row(init, checkpoint), self.row(init, None)
            if printed is None or certified is None or self.optimum is None:
                continue
            said = "is exact" if self.above(certified) < 1e-9 else (
                f"is within {percent(self.above(certified))}"
            )  # fmt: skip
            return (
                f"After {in_words(checkpoint)} iterations Algorithm 1 stands "
                f"{measured(self.above(printed))} above the proven optimum; the certified solver "
                f"{said} after {certified.n_iter:,}."
            )
        return None

    def sentences(self, nouns: Nouns, paper_set: PaperSet | None = None) -> tuple[str, ...]:
        """What is found of the starts, plainly; what is not finished is not spoken of.

        Parameters
        ----------
        nouns : Nouns
            What samples and features are called.
        paper_set : PaperSet or None, default=None
            Whose printed accuracy is held beside ours.
        """
        said = [self._certified(), self._printed(), *self._alike(nouns), self._scores(paper_set)]
        return tuple(sentence for sentence in said if sentence)

    def _certified(self) -> str:
        rows = self.column(None)
        if len(rows) < 2 or self.optimum is None:
            return ""
        there = [row for row in rows if row.gap <= self.tol]
        apart = max(row.objective for row in there or rows) / min(row.objective for row in rows) - 1
        if len(there) < len(rows):
            others = ", ".join(
                f"{START_NAMES[row.init].lower()} (stopped at {percent(row.gap)})"
                for row in rows
                if row.gap > self.tol
            )
            return (
                f"The certified solver came within its tolerance of {percent(self.tol)} from "
                f"{_count(len(there))} of {_count(len(rows))} starts, not from {others}."
            )
        alike = "are equal" if apart < 1e-9 else f"differ by at most {percent(apart)}"
        return (
            f"From all {_count(len(rows))} starts the certified solver comes within "
            f"{percent(max(row.gap for row in rows))} of the optimum, as each run proves by "
            f"itself; the objectives {alike}."
        )

    def _printed(self) -> str:
        parts = []
        for number in (self.checkpoints[0], self.checkpoints[-1]):
            found = [self.above(row) for row in self.column(number)]
            if len(found) < 2 or not math.isfinite(found[0]):
                return ""
            low, high = measured(min(found)), measured(max(found))
            parts.append(low if low == high else f"{low.removesuffix(' %')} to {high}")
        first, last = (in_words(self.checkpoints[i]) for i in (0, -1))
        if first == last:
            return f"Algorithm 1 stands {parts[0]} above it after {first} iterations."
        return (
            f"Algorithm 1 stands {parts[0]} above it after {first} iterations, depending on the "
            f"start, and {parts[1]} after {last}."
        )

    def _alike(self, nouns: Nouns) -> list[str]:
        certified = [row.overlap for row in self.column(None) if row.overlap is not None]
        first = [row.overlap for row in self.column(self.checkpoints[0]) if row.overlap is not None]
        if len(certified) < 2 or len(first) < 2:
            return []
        share = min(certified)
        least = "all" if share == 1.0 else f"at least {100 * share:.0f} %"
        best = f"the best {self.k:,} {nouns.features}" if self.k else f"the better {nouns.features}"
        return [
            f"Of {best} the certified rankings share {least}; those of"
            f" Algorithm 1 after {in_words(self.checkpoints[0])} iterations share "
            f"{_span(first)} % with them."
        ]

    def _scores(self, paper_set: PaperSet | None) -> str:
        certified = [row.accuracy for row in self.column(None) if row.accuracy is not None]
        rows = self.column(self.checkpoints[0])
        printed = [row.accuracy for row in rows if row.accuracy is not None]
        spreads = [row.accuracy_std for row in rows if row.accuracy_std is not None]
        if len(certified) < 2 or len(printed) < 2:
            return ""
        said = (
            f"ACC is {_span(certified, 1)} % over the certified starts and {_span(printed, 1)} % "
            f"over those of Algorithm 1 after {in_words(self.checkpoints[0])} iterations; "
            f"the starts of K-means alone spread it by ± {100 * max(spreads):.1f}."
        )
        if paper_set is not None:
            said += f" The paper prints {paper_set.every_start:.1f} % from each of its seven."
        return said


def find_starts(
    rows: Sequence[StartRow], *, checkpoints: Sequence[int], tol: float, k: int | None
) -> StartsFindings:
    """Hold the rows of a sweep against each other.

    Parameters
    ----------
    rows : sequence of StartRow
    checkpoints : sequence of int
        As asked.
    tol : float
        As asked of the certified solver.
    k : int or None
        Features that the clusterings use.

    Returns
    -------
    StartsFindings
    """
    there = {row.init for row in rows}
    low = max((row.dual_objective for row in rows), default=0.0)
    high = min((row.objective for row in rows), default=math.inf)
    known = low > 0.0 and (high - low) / high <= _SURE
    return StartsFindings(
        rows=tuple(rows),
        inits=tuple(name for name in START_NAMES if name in there),
        checkpoints=tuple(sorted(checkpoints)),
        tol=tol,
        k=k,
        optimum=(low, max(high, low)) if known else None,
    )


def measured(share: float) -> str:
    """Write a measured share in per cent, rounded to what is worth reading.

    Parameters
    ----------
    share : float
        At least 0, a fraction.

    Returns
    -------
    str
    """
    value = 100 * share
    if value < 1e-4:
        return "0 %" if value < 1e-9 else "under 0.0001 %"
    return (
        f"{value:.2g} %" if value < 10 else f"{value:,.3g} %" if value < 1e3 else f"{value:,.0f} %"
    )


def in_words(number: int) -> str:
    """Return a round number of iterations as a word."""
    return _NUMBERS.get(number, f"{number:,}")


def _count(number: int) -> str:
    return _COUNTS[number] if number < len(_COUNTS) else f"{number:,}"


def _span(values: Sequence[float], digits: int = 0) -> str:
    low, high = (f"{100 * value:.{digits}f}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"
