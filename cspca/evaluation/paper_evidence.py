"""What was found on one data set, in the form in which the paper's claims are judged by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cspca.evaluation.former.comparison import Choice, Comparison
from cspca.evaluation.former.honest import best_of_grid, honest_score
from cspca.evaluation.paper_recognition import Recognition

__all__ = ["Evidence", "Grid", "Runs", "StartFacts", "curve_at", "grid_at", "runs_of"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Runs:
    """One method's runs by one metric; run i of every method starts from the same samples.

    Attributes
    ----------
    best : ndarray of shape (n_seeds,)
        With the choice that has the best mean, as the paper reports it.
    honest : ndarray of shape (n_seeds,)
        Each with the choice made on the half it is not in.
    """

    best: Floats
    honest: Floats

    @property
    def mean(self) -> float:
        """As the paper reports it."""
        return float(self.best.mean())


@dataclass(frozen=True)
class StartFacts:
    """Where a solver got to from one start.

    Attributes
    ----------
    solver : {"reweighted", "admm"}
    init : str
    iterations : int
        Asked for at most.
    objective, excess : float
        Reached, and its relative distance to the best proven bound.
    gap : float
        That its own bound proves.
    agreement : float or None
        Overlap of its best features with those of the most accurate run.
    accuracy : float or None
        Mean over the starts of K-means.
    rise : float
        Largest relative rise of the objective from one iteration to the next.
    """

    solver: str
    init: str
    iterations: int
    objective: float
    excess: float
    gap: float
    agreement: float | None
    accuracy: float | None
    rise: float


@dataclass(frozen=True, eq=False)
class Grid:
    """Accuracy over α and β at one number of features; NaN where there is none yet.

    Attributes
    ----------
    alphas, betas : tuple of float
        Absolute.
    n_features : int
    runs : ndarray of shape (n_alphas, n_betas, n_seeds)
    """

    alphas: tuple[float, ...]
    betas: tuple[float, ...]
    n_features: int
    runs: Floats


@dataclass(frozen=True, eq=False)
class Evidence:
    """All that is known of one data set.

    Attributes
    ----------
    title : str
        Of the data.
    recognition : Recognition
    papers_protocol : bool
        Whether nothing was shortened.
    accuracy, nmi : mapping of method to Runs
        Methods whose choices are finished, at least in part.
    curve : mapping of int to ndarray of shape (n_seeds,)
        CSPCA's accuracy at α = β = 1, by number of features.
    grid : Grid or None
    starts : tuple of StartFacts
    checks : mapping of str to mapping
        By key of :data:`cspca.evaluation.paper_checks.CHECKS`.
    """

    title: str
    recognition: Recognition
    papers_protocol: bool = True
    accuracy: Mapping[str, Runs] = field(default_factory=dict)
    nmi: Mapping[str, Runs] = field(default_factory=dict)
    curve: Mapping[int, Floats] = field(default_factory=dict)
    grid: Grid | None = None
    starts: tuple[StartFacts, ...] = ()
    checks: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def runs_of(comparison: Comparison, metric: str) -> dict[str, Runs]:
    """Every method's runs, chosen as the paper does and honestly.

    Parameters
    ----------
    comparison : Comparison
    metric : {"accuracy", "nmi"}
    """
    found: dict[str, Runs] = {}
    if metric not in comparison.metrics:
        return found
    for plan in comparison.plan.methods:
        _, table = comparison.scores(plan.method, metric)
        if len(table):
            best = best_of_grid(table).runs
            honest = honest_score(table).runs if table.shape[1] > 1 else best
            found[plan.method] = Runs(best, honest)
    return found


def curve_at(
    comparison: Comparison, metric: str = "accuracy", *, alpha: float = 1.0, beta: float = 1.0
) -> dict[int, Floats]:
    """CSPCA's runs at one α and β, absolute, by number of features.

    Parameters
    ----------
    comparison : Comparison
    metric : {"accuracy", "nmi"}, default="accuracy"
    alpha, beta : float, default=1
        What the paper fixes in its figures.
    """
    choices, table = _of_cspca(comparison, metric)
    found = {}
    for choice, runs in zip(choices, table, strict=True):
        given = dict(choice.parameters)
        if (given.get("alpha"), given.get("beta")) == (alpha, beta):
            found[choice.n_features] = runs
    return dict(sorted(found.items()))


def grid_at(
    comparison: Comparison, metric: str = "accuracy", n_features: int | None = None
) -> Grid | None:
    """CSPCA's runs over its grid at one number of features; None before there are any.

    Parameters
    ----------
    comparison : Comparison
    metric : {"accuracy", "nmi"}, default="accuracy"
    n_features : int or None, default=None
        None is that of the best choice.
    """
    choices, table = _of_cspca(comparison, metric)
    if not choices:
        return None
    k = n_features
    if k is None:
        k = choices[int(table.mean(axis=1).argmax())].n_features
    points = [dict(parameters) for parameters in comparison.plan.method("cspca").grid]
    alphas = tuple(sorted({point["alpha"] for point in points}))
    betas = tuple(sorted({point["beta"] for point in points}))
    runs = np.full((len(alphas), len(betas), table.shape[1]), np.nan)
    for choice, values in zip(choices, table, strict=True):
        if choice.n_features == k:
            given = dict(choice.parameters)
            runs[alphas.index(given["alpha"]), betas.index(given["beta"])] = values
    return Grid(alphas, betas, k, runs)


def _of_cspca(comparison: Comparison, metric: str) -> tuple[tuple[Choice, ...], Floats]:
    planned = any(plan.method == "cspca" for plan in comparison.plan.methods)
    if not planned or metric not in comparison.metrics:
        return (), np.empty((0, 0))
    return comparison.scores("cspca", metric)
