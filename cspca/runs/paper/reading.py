"""What a reproduction has found so far: tables, figures' numbers, and evidence for the claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cspca.evaluation.former import Comparison, Ranking
from cspca.evaluation.paper_evidence import (
    Evidence,
    StartFacts,
    curve_at,
    grid_at,
    runs_of,
)
from cspca.evaluation.paper_recognition import Recognition, recognise
from cspca.evaluation.paper_tables import METRIC_TITLES, PaperRow, paper_rows
from cspca.runs.paper.reproduction import Reproduction
from cspca.runs.store import Store
from cspca.runs.sweeps import Sensitivity, StartRow, checks_of, comparison_of, starts_of

__all__ = ["Findings", "Uncertified", "findings_of", "sensitivity_at", "start_facts"]

_TOLERANCE = 1e-3
"""Gap to which the comparison's fits are certified."""


@dataclass(frozen=True)
class Uncertified:
    """A fit of CSPCA that ended before its optimality was proven to the tolerance.

    Attributes
    ----------
    alpha, beta : float
        Absolute.
    gap : float
    n_iter : int
    """

    alpha: float
    beta: float
    gap: float
    n_iter: int


@dataclass(frozen=True, eq=False)
class Findings:
    """All that is there of a reproduction, made into tables when asked for.

    Attributes
    ----------
    reproduction : Reproduction
    recognition : Recognition
    comparison : Comparison or None
    starts : tuple of StartRow
    checks : mapping of str to mapping
    """

    reproduction: Reproduction
    recognition: Recognition
    comparison: Comparison | None
    starts: tuple[StartRow, ...]
    checks: Mapping[str, Mapping[str, float]]

    @cached_property
    def tables(self) -> dict[str, tuple[PaperRow, ...]]:
        """The paper's two result tables, by metric; empty before anything is finished."""
        if self.comparison is None or not self.comparison.results:
            return {}
        of = self.recognition.paper_set
        return {metric: paper_rows(of, self.comparison, metric) for metric in METRIC_TITLES}

    @cached_property
    def evidence(self) -> Evidence:
        """What the claims are judged by."""
        one = self.comparison
        return Evidence(
            title=self.reproduction.name,
            recognition=self.recognition,
            papers_protocol=self.reproduction.protocol.is_the_papers,
            accuracy={} if one is None else runs_of(one, "accuracy"),
            nmi={} if one is None else runs_of(one, "nmi"),
            curve={} if one is None else curve_at(one),
            grid=None if one is None else grid_at(one),
            starts=tuple(start_facts(row) for row in self.starts),
            checks=self.checks,
        )

    @cached_property
    def uncertified(self) -> tuple[Uncertified, ...]:
        """Fits of the comparison that are not proven to 0.1 %, the largest gap first."""
        found = []
        for ranking in () if self.comparison is None else self.comparison.rankings:
            gap = ranking.details.get("duality_gap")
            if ranking.method == "cspca" and gap is not None and gap > _TOLERANCE:
                given = dict(ranking.parameters)
                steps = int(ranking.details["n_iter"])
                found.append(Uncertified(given["alpha"], given["beta"], gap, steps))
        return tuple(sorted(found, key=lambda one: -one.gap))

    @property
    def n_fits(self) -> int:
        """Fits of CSPCA that are finished in the comparison."""
        rankings = () if self.comparison is None else self.comparison.rankings
        return sum(ranking.method == "cspca" for ranking in rankings)


def findings_of(store: Store, reproduction: Reproduction) -> Findings:
    """Read a reproduction from the store, as far as it got.

    Parameters
    ----------
    store : Store
    reproduction : Reproduction

    Raises
    ------
    StoreError
        When something in the store is damaged.
    """
    parts = reproduction.parts
    data = next(iter(parts.values())).data
    return Findings(
        reproduction=reproduction,
        recognition=recognise(data.n_samples, data.n_features, data.n_classes, data.name),
        comparison=comparison_of(store, parts["comparison"].id) if "comparison" in parts else None,
        starts=starts_of(store, parts["starts"].id) if "starts" in parts else (),
        checks=checks_of(store, parts["checks"].id) if "checks" in parts else {},
    )


def start_facts(row: StartRow) -> StartFacts:
    """Return a row of the table of starts as evidence.

    Parameters
    ----------
    row : StartRow
    """
    objective = np.asarray(row.history.get("objective", ()), dtype=np.float64)
    numbers = np.asarray(row.history.get("number", ()), dtype=np.float64)
    objective = objective[np.isfinite(objective) & (numbers >= 1)]
    rises = np.diff(objective) / np.abs(objective[:-1]) if len(objective) > 1 else np.zeros(1)
    return StartFacts(
        solver=row.solver,
        init=row.init,
        iterations=row.iterations,
        objective=row.objective,
        excess=row.excess,
        gap=row.gap,
        agreement=row.agreement,
        accuracy=row.accuracy,
        rise=max(0.0, float(rises.max())),
    )


def sensitivity_at(
    comparison: Comparison, n_features: int | None = None, metric: str = "accuracy"
) -> Sensitivity | None:
    """Return the sensitivity figure's grid, a slice of the comparison; None before there is one.

    Parameters
    ----------
    comparison : Comparison
    n_features : int or None, default=None
        None is that of the best choice.
    metric : {"accuracy", "nmi"}, default="accuracy"
    """
    grid = grid_at(comparison, metric, n_features)
    if grid is None:
        return None
    shape = grid.runs.shape[:2]
    known = np.isfinite(grid.runs).all(axis=2)
    means, stds = np.full(shape, np.nan), np.full(shape, np.nan)
    means[known] = grid.runs[known].mean(axis=1)
    stds[known] = grid.runs[known].std(axis=1, ddof=1) if grid.runs.shape[2] > 1 else 0.0
    names = ("duality_gap", "rank", "n_zero", "objective", "n_iter")
    fits: dict[str, NDArray[np.float64]] = {name: np.full(shape, np.nan) for name in names}
    regimes: list[list[str | None]] = [[None] * shape[1] for _ in range(shape[0])]
    for ranking in comparison.rankings:
        if ranking.method != "cspca":
            continue
        given: dict[str, Any] = dict(ranking.parameters)
        i, j = grid.alphas.index(given["alpha"]), grid.betas.index(given["beta"])
        regimes[i][j] = _regime(ranking)
        for name in names:
            fits[name][i, j] = ranking.details.get(name, np.nan)
    return Sensitivity(
        grid.alphas,
        grid.betas,
        "absolute",
        grid.n_features,
        {metric: means},
        {metric: stds},
        fits,
        tuple(tuple(row) for row in regimes),
    )


def _regime(ranking: Ranking) -> str:
    """Read off the scores what kind of a map it is; rows of W of norm 1, all, are the identity."""
    scores = ranking.scores
    used = scores[scores > 0]
    if not len(used):
        return "zero"
    details = ranking.details
    full = details.get("rank", 0) == len(used)
    if full and float(np.abs(used - 1.0).max()) < _TOLERANCE:
        return "identity"
    return "sparse" if details.get("n_zero", 0) > 0 else "dense"
