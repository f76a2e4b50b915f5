"""Choices of parameters and numbers of features by K-means runs, and how they repeat.

The best mean over a grid is too good: the luck of the starts it was chosen on is part of it. So a
choice is also made on one half of the starts and scored on the other, both ways round.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from cspca.evaluation.kmeans import FloatArray

N_REPEATS = 1000
"""Draws of the starts on which a choice is repeated: they give its standard error to 2 %."""


def best_choice(scores: ArrayLike, *, larger_is_better: bool = True) -> int:
    """Row of choices × seeds with the best mean; the first of equal ones."""
    table: FloatArray = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"scores must be choices × seeds, got shape {table.shape}.")
    means = table.mean(axis=1)
    return int(means.argmax() if larger_is_better else means.argmin())


def chosen_on_other_starts(
    scores: ArrayLike, *, larger_is_better: bool = True
) -> tuple[FloatArray, tuple[int, int]]:
    """Choose on one half of the runs, score on the other, both ways round.

    Each run is scored with the choice of the half that it is not in; the rows chosen by the runs in
    even and in odd places come with the runs.

    Parameters
    ----------
    scores : array-like of shape (n_choices, n_seeds)
    larger_is_better : bool, default=True
    """
    table: FloatArray = np.array(scores, dtype=np.float64, ndmin=2)
    if table.shape[1] < 2:
        raise ValueError("Two halves need at least two seeds.")
    even, odd = table[:, 0::2], table[:, 1::2]
    by_even = best_choice(even, larger_is_better=larger_is_better)
    by_odd = best_choice(odd, larger_is_better=larger_is_better)
    runs = np.empty(table.shape[1])
    runs[0::2], runs[1::2] = even[by_odd], odd[by_even]
    return runs, (by_even, by_odd)


def runs_of_choice(scores: ArrayLike, *, larger_is_better: bool = True) -> FloatArray:
    """Runs chosen on other starts; of a single start those of the best choice."""
    table: FloatArray = np.array(scores, dtype=np.float64, ndmin=2)
    if table.shape[1] > 1:
        return chosen_on_other_starts(table, larger_is_better=larger_is_better)[0]
    best: FloatArray = table[best_choice(table, larger_is_better=larger_is_better)]
    return best


def repeat_choice(
    tables: Sequence[FloatArray], *, larger_is_better: bool = True, n_repeats: int = N_REPEATS
) -> list[FloatArray]:
    """Means of the runs chosen on other starts, when both halves of the starts are drawn again.

    Every table (n_choices, n_seeds) has its choice made anew in each draw, and the draws, with
    replacement from all starts, are the same for every table. Returns an array (n_repeats,) a
    table; the same data give the same numbers.
    """
    n_seeds = tables[0].shape[1]
    sizes = (n_seeds + 1) // 2, n_seeds // 2
    weights = _start_weights(n_seeds, n_repeats)
    repeats, columns = [], np.arange(n_repeats)
    for table in tables:
        even, odd = (table @ half for half in weights)
        by_even, by_odd = (
            half.argmax(axis=0) if larger_is_better else half.argmin(axis=0) for half in (even, odd)
        )
        totals = sizes[0] * even[by_odd, columns] + sizes[1] * odd[by_even, columns]
        repeats.append(totals / n_seeds)
    return repeats


@lru_cache(maxsize=2)
def _start_weights(n_seeds: int, n_repeats: int) -> tuple[FloatArray, FloatArray]:
    """Share that each start has of both halves, starts × draws, when these are drawn again.

    The shares depend on the number of starts alone.
    """
    rng = np.random.default_rng(0)
    even, odd = (
        rng.multinomial(size, np.full(n_seeds, 1 / n_seeds), size=n_repeats).T / size
        for size in ((n_seeds + 1) // 2, n_seeds // 2)
    )
    return even, odd
