"""Reproducibility: how far selections on random halves of the samples agree, and what that proves.

A certificate proves the optimum of the images at hand. Whether other images of the same kind would
choose the same features is another question: here it is asked of halves of these images (theory.md
§23).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from cspca.evaluation.statistics import Interval

Marks = NDArray[np.bool_]

FEWEST_SELECTIONS: Final = 10
"""Selections below which there is no interval."""


def selection_reproducibility(selected: ArrayLike, *, confidence: float = 0.95) -> Interval:
    """Nogueira's index of selections, which may differ in size, with a jackknife interval.

    1 where all selections are equal, about 0 where they agree as independent random selections of
    these sizes do. It is ``1 − mean_j s_j² / (k/d · (1 − k/d))`` with ``s_j²`` the unbiased
    variance of whether feature j is selected, and k the mean number of selected features.

    Parameters
    ----------
    selected : bool array-like of shape (n_selections, n_features)
        Which features each selection has; at least two selections.
    confidence : float, default=0.95
        Of the interval, which assumes that the selections are independent. Halves of the same
        samples are not: the interval speaks of further halves of these samples alone.

    Returns
    -------
    Interval
        NaN where every selection has all features, or none has any: then there is nothing to
        agree on. No ends below ten selections, nor where all are equal, or one of them decides
        whether there is anything to agree on.

    Notes
    -----
    The interval is the jackknife's with quantiles of Student's t, cut at 1 and at the least value
    of the index, ``−1/(n − 1)``. On independent selections in which many features vary it covers 93
    to 99 % where it says 95 (10 and 50 selections, 100 features); the published asymptotic one
    covers 85 % and 93 to 97 %. Where few features vary it can cover far less.

    References
    ----------
    S. Nogueira, K. Sechidis, G. Brown, On the stability of feature selection algorithms,
    JMLR 18:174, 2018, definition 4.
    """
    marks = _selections(selected)
    n, counts = len(marks), marks.sum(axis=0)
    index = float(_index(counts, n))
    low = high = math.nan
    if n >= FEWEST_SELECTIONS:
        leave_one_out = _index(counts - marks, n - 1)
        error = math.sqrt((n - 1) / n * float(((leave_one_out - leave_one_out.mean()) ** 2).sum()))
        if error > 0.0:
            half_width = float(stats.t.ppf((1.0 + confidence) / 2.0, n - 1)) * error
            low, high = max(index - half_width, -1.0 / (n - 1)), min(index + half_width, 1.0)
    return Interval(index, low, high, confidence, n)


def _index(counts: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Nogueira's index from how many of n selections have each feature, along the last axis."""
    frequency = counts / n
    share = frequency.mean(axis=-1)
    variance = n / (n - 1) * (frequency * (1.0 - frequency)).mean(axis=-1)
    by_chance = share * (1.0 - share)
    index: NDArray[np.float64] = 1.0 - variance / np.where(by_chance > 0.0, by_chance, math.nan)
    return index


def low_probability_bound(k: float, n_features: int, threshold: float) -> float:
    """Bound of how many features of low selection probability may reach a frequency.

    In expectation at most ``k² / ((2 τ − 1) d)`` features whose probability of being among the best
    k on a half is below k/d have a frequency of at least τ over complementary pairs. The
    probability is over the draw of the samples too, which are independent draws of one
    distribution; the settings are chosen without them. It assumes nothing else of the method.

    Parameters
    ----------
    k : float
        Features that a half selects, on average.
    n_features : int
        All features, d.
    threshold : float
        The frequency τ, above 0.5 and at most 1.

    References
    ----------
    N. Meinshausen, P. Bühlmann, Stability selection, JRSS B 72, 2010, theorem 1;
    R. Shah, R. Samworth, Variable selection with error control, JRSS B 75, 2013, theorem 1.
    """
    _check_threshold(threshold)
    return k * k / ((2.0 * threshold - 1.0) * n_features)


def unimodal_bound(k: float, n_features: int, threshold: float, n_pairs: int) -> float:
    """The same bound where the shares of such features have a single peak; NaN where none is known.

    It assumes that, of a feature of low selection probability, the number of pairs of which both
    halves select it has a unimodal distribution.

    Parameters
    ----------
    k, n_features, threshold
        As of :func:`low_probability_bound`.
    n_pairs : int
        Complementary pairs of halves, B.

    References
    ----------
    R. Shah, R. Samworth, Variable selection with error control, JRSS B 75, 2013, theorem 2.
    """
    _check_threshold(threshold)
    n_halves = 2 * n_pairs
    # Shares are multiples of 1/(2B), for which the theorem holds: rounding up loses nothing.
    threshold = math.ceil(threshold * n_halves - 1e-9) / n_halves
    theta, step = k / n_features, 1.0 / n_halves
    lowest = min(0.5 + theta**2, 0.5 + step + 0.75 * theta**2)
    is_covered = threshold >= 0.5 + 2.0 * step - 1e-12 and threshold > lowest
    if theta > 1.0 / math.sqrt(3.0) or not is_covered:
        return math.nan
    if threshold <= 0.75:
        factor = 1.0 / (2.0 * (2.0 * threshold - 1.0 - step))
    else:
        factor = 4.0 * (1.0 - threshold + step) / (1.0 + 2.0 * step)
    return factor * theta * k


@dataclass(frozen=True, eq=False)
class SelectionFrequencies:
    """How often features are selected on halves of the samples.

    Parameters
    ----------
    selected : bool array of shape (n_halves, n_features)
        Which features each half selects.
    """

    selected: Marks

    @property
    def n_halves(self) -> int:
        """Halves that have a selection."""
        return len(self.selected)

    @cached_property
    def frequency(self) -> NDArray[np.float64]:
        """Share of the halves that select each feature, shape (n_features,)."""
        frequency: NDArray[np.float64] = self.selected.mean(axis=0)
        return frequency

    @property
    def n_always(self) -> int:
        """Features that every half selects."""
        return int(self.selected.all(axis=0).sum())

    @property
    def n_never(self) -> int:
        """Features that no half selects."""
        return int((~self.selected.any(axis=0)).sum())

    @property
    def n_sometimes(self) -> int:
        """Features that some halves select and others do not."""
        return len(self.frequency) - self.n_always - self.n_never

    @property
    def n_in_doubt(self) -> int:
        """Features that a fifth to four fifths of the halves select."""
        return int(((self.frequency >= 0.2) & (self.frequency <= 0.8)).sum())

    @property
    def size(self) -> float:
        """Mean number of features that a half selects."""
        return float(self.selected.sum(axis=1).mean())

    @cached_property
    def index(self) -> Interval:
        """Nogueira's index, see :func:`selection_reproducibility`."""
        return selection_reproducibility(self.selected)


def _selections(selected: ArrayLike) -> NDArray[np.float64]:
    marks = np.asarray(selected)
    if marks.ndim != 2 or len(marks) < 2 or not marks.shape[1]:
        raise ValueError(
            "Reproducibility compares selections: it needs an array of shape "
            f"(n_selections, n_features) with at least two selections, got shape {marks.shape}."
        )
    if marks.dtype != np.bool_ and not np.isin(marks, (0, 1)).all():
        raise ValueError("selected must hold True and False, one for each feature.")
    return marks.astype(np.float64)


def _check_threshold(threshold: float) -> None:
    if not 0.5 < threshold <= 1.0:
        raise ValueError(f"threshold must be above 0.5 and at most 1, got {threshold!r}.")
