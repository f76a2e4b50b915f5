"""The choice of parameters and number of features: as the paper reports it, and honestly.

The best mean over a grid, reported as the paper does, is too good: the luck of the starts it was
chosen on is part of it. The honest figure chooses on one half of the runs and scores on the other,
both ways round; over all runs it can never exceed the best of the grid. It still chooses by the
labels. A choice without labels takes the clustering with the best silhouette.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from cspca.evaluation.starts import FloatArray
from cspca.evaluation.statistics import Summary, summarise

__all__ = ["BestOfGrid", "HonestScore", "best_of_grid", "choose_without_labels", "honest_score"]


@dataclass(frozen=True)
class BestOfGrid:
    """The choice with the best mean over all runs.

    Attributes
    ----------
    choice : int
        Row of the scores; the first of equal ones.
    runs : ndarray of shape (n_seeds,)
        Its scores.
    summary : Summary
    """

    choice: int
    runs: FloatArray
    summary: Summary


@dataclass(frozen=True)
class HonestScore:
    """Scores of the choice that the other half of the runs made.

    Attributes
    ----------
    choices : tuple of int
        Row chosen on the runs in even places (scored on the odd), and the reverse.
    runs : ndarray of shape (n_seeds,)
        Score of each run with the choice of the half that it is not in.
    summary : Summary
    """

    choices: tuple[int, int]
    runs: FloatArray
    summary: Summary


def best_of_grid(scores: ArrayLike, *, larger_is_better: bool = True) -> BestOfGrid:
    """Choose the row with the best mean, as the paper does.

    Parameters
    ----------
    scores : array-like of shape (n_choices, n_seeds)
    larger_is_better : bool, default=True
    """
    table = _table(scores)
    choice = _best(table, larger_is_better)
    return BestOfGrid(choice, table[choice], summarise(table[choice]))


def honest_score(scores: ArrayLike, *, larger_is_better: bool = True) -> HonestScore:
    """Choose on one half of the runs, score on the other, both ways round.

    Parameters
    ----------
    scores : array-like of shape (n_choices, n_seeds)
        At least two seeds. The halves are those in even and in odd places.
    larger_is_better : bool, default=True

    Raises
    ------
    ValueError
        When there are no choices, or fewer than two seeds.
    """
    table = _table(scores)
    if table.shape[1] < 2:
        raise ValueError("Two halves need at least two seeds.")
    by_even = _best(table[:, 0::2], larger_is_better)
    by_odd = _best(table[:, 1::2], larger_is_better)
    runs = np.empty(table.shape[1])
    runs[1::2] = table[by_even, 1::2]
    runs[0::2] = table[by_odd, 0::2]
    return HonestScore((by_even, by_odd), runs, summarise(runs))


def choose_without_labels(scores: ArrayLike, criterion: ArrayLike) -> BestOfGrid:
    """Scores of the row whose mean criterion, made without labels, is largest.

    Parameters
    ----------
    scores : array-like of shape (n_choices, n_seeds)
    criterion : array-like of shape (n_choices, n_seeds)
        Such as the silhouette of every run, large is good.

    Raises
    ------
    ValueError
        When the two differ in shape.
    """
    table, guide = _table(scores), _table(criterion)
    if table.shape != guide.shape:
        raise ValueError(
            f"criterion must have the shape of scores, {table.shape}, got {guide.shape}."
        )
    choice = _best(guide, True)
    return BestOfGrid(choice, table[choice], summarise(table[choice]))


def _table(scores: ArrayLike) -> FloatArray:
    table: FloatArray = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"scores must be choices × seeds, got shape {table.shape}.")
    return table


def _best(table: FloatArray, larger_is_better: bool) -> int:
    means = table.mean(axis=1)
    return int(means.argmax() if larger_is_better else means.argmin())
