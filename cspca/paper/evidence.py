"""What was found on one data set, in the form in which the paper's claims are judged by it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cspca.evaluation.choices import best_choice, chosen_on_other_starts, scores
from cspca.paper.recognition import Recognition

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Runs:
    """One method's runs by one metric; run i of every method starts from the same samples.

    `best` is with the choice that has the best mean, as the paper reports it; `other_starts` has
    each run with the choice made on the half that it is not in.
    """

    best: Floats
    other_starts: Floats

    @property
    def mean(self) -> float:
        """As the paper reports it."""
        return float(self.best.mean())


@dataclass(frozen=True, eq=False)
class Grid:
    """Accuracy over absolute α and β at one number of features, (α, β, seed); NaN where none."""

    alphas: tuple[float, ...]
    betas: tuple[float, ...]
    n_features: int
    runs: Floats


@dataclass(frozen=True, eq=False)
class Evidence:
    """All that is known of one data set.

    `accuracy` and `nmi` are by method, `curve` is CSPCA's accuracy at α = β = 1 by number of
    features, `starts` has a row a start, solver and number of iterations (columns of
    :meth:`cspca.experiments.Starts.rows` and ``rise``, the largest relative rise of the objective
    in one iteration), and `checks` is by key of :data:`cspca.paper.checks.CHECKS`.
    """

    title: str
    recognition: Recognition
    papers_protocol: bool = True
    accuracy: Mapping[str, Runs] = field(default_factory=dict)
    nmi: Mapping[str, Runs] = field(default_factory=dict)
    curve: Mapping[int, Floats] = field(default_factory=dict)
    grid: Grid | None = None
    starts: tuple[Mapping[str, Any], ...] = ()
    checks: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def runs_of(table: pd.DataFrame, metric: str) -> dict[str, Runs]:
    """Every method's runs, chosen as the paper does and on other starts."""
    found: dict[str, Runs] = {}
    if table.empty or metric not in table or table[metric].isna().any():
        return found
    for method in table["method"].unique():
        values = scores(table, method, metric).to_numpy()
        if len(values):
            best = values[best_choice(values)]
            other = chosen_on_other_starts(values)[0] if values.shape[1] > 1 else best
            found[method] = Runs(best, other)
    return found


def curve_at(table: pd.DataFrame, *, alpha: float = 1.0, beta: float = 1.0) -> dict[int, Floats]:
    """CSPCA's accuracies at one α and β, by number of features; the paper's figures fix 1 and 1."""
    return {k: runs for *point, k, runs in _of_cspca(table) if point == [alpha, beta]}


def grid_at(table: pd.DataFrame, n_features: int | None = None) -> Grid | None:
    """CSPCA's accuracies over its grid; None takes the number of features of the best choice."""
    found = _of_cspca(table)
    if not found:
        return None
    wanted = n_features or max(found, key=lambda one: float(one[3].mean()))[2]
    alphas, betas = (tuple(sorted(set(one))) for one in list(zip(*found, strict=True))[:2])
    runs = np.full((len(alphas), len(betas), len(found[0][3])), np.nan)
    for alpha, beta, k, values in found:
        if k == wanted:
            runs[alphas.index(alpha), betas.index(beta)] = values
    return Grid(alphas, betas, wanted, runs)


def _of_cspca(table: pd.DataFrame) -> list[tuple[float, float, int, Floats]]:
    """CSPCA's α, β, number of features and accuracies, the fewest features first."""
    if table.empty or "cspca" not in set(table["method"]) or table["accuracy"].isna().any():
        return []
    found = []
    for (text, k), values in scores(table, "cspca", "accuracy").iterrows():
        given = json.loads(text or "{}")
        found.append((given.get("alpha"), given.get("beta"), int(k), values.to_numpy()))
    return sorted(found, key=lambda one: one[2])
