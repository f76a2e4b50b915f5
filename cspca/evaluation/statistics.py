"""What a difference between methods is worth: intervals, marks, a rank test, overlap."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from cspca.evaluation.choices import repeat_choice, runs_of_choice
from cspca.evaluation.kmeans import FloatArray

FEWEST_STARTS = 10
"""Fewest starts from which a mean has an interval and methods are marked."""

_ROUNDING = 1e-12
"""Up to this share of the largest difference, and of 1, a difference is rounding."""

_SIGNIFICANCE = 0.05
"""Level of the critical difference."""

NO_INTERVAL = "no interval below ten starts"
"""What stands in place of an interval."""

NO_MARK = "No interval and no mark below ten starts."
"""What is said of a table without either."""


@dataclass(frozen=True)
class Summary:
    """Mean of n repeated runs and their sample standard deviation (n − 1), 0 for a single one.

    `parameters` (as the long table says them) and `n_features` are of runs of one choice.
    """

    mean: float
    std: float
    n: int
    runs: FloatArray = field(default_factory=lambda: np.empty(0), compare=False, repr=False)
    parameters: str = ""
    n_features: int = 0


@dataclass(frozen=True)
class Interval:
    """A mean difference of n pairs, an index of n selections, or a figure and n resamples of it.

    `low` and `high` are the ends of its confidence interval, of a figure and its resamples those of
    the middle share; NaN where there are none, as below ten starts.
    """

    difference: float
    low: float
    high: float
    confidence: float
    n: int

    @property
    def has_ends(self) -> bool:
        """Whether there is an interval."""
        return not math.isnan(self.low)

    @property
    def excludes_zero(self) -> bool:
        """Whether the difference is significant at this confidence; never without an interval."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Standing:
    """How many of n random draws are worse than a figure, and how many equal to it."""

    worse: int
    equal: int
    n: int

    @property
    def percentile(self) -> float:
        """The share of draws below it, ties by half; a description, no p-value."""
        return (self.worse + 0.5 * self.equal) / self.n

    @property
    def words(self) -> str:
        """How many of how many it beats."""
        tied = f", {self.equal} equal" if self.equal else ""
        return f"{self.worse} of {self.n}{tied}"


@dataclass(frozen=True)
class RankTest:
    """Friedman's test over data sets, and which methods differ from each other.

    Methods stand by their mean rank, 1 the best, ties sharing theirs. Two differ when their ranks
    do by more than `critical_difference` (Nemenyi, at 5 %); `p_against_best` is adjusted by Holm, 1
    for the best itself. `statistic` is Friedman's χ², corrected for ties.
    """

    methods: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    statistic: float
    p_value: float
    critical_difference: float
    p_against_best: tuple[float, ...]
    n_data_sets: int


def summarise(values: ArrayLike, parameters: str = "", n_features: int = 0) -> Summary:
    """Mean ± sample standard deviation of at least one run, of a choice or of mixed ones."""
    runs = np.asarray(values, dtype=np.float64)
    std = float(runs.std(ddof=1)) if runs.size > 1 else 0.0
    return Summary(float(runs.mean()), std, runs.size, runs, parameters, n_features)


def standing(value: float, draws: ArrayLike, *, larger_is_better: bool = True) -> Standing | None:
    """Where a figure stands among those of random draws; None without any."""
    others = np.asarray(draws, dtype=np.float64)
    if not others.size:
        return None
    # Sums of the same runs in another order differ in their last digits.
    equal = np.isclose(others, value, rtol=1e-12, atol=1e-15)
    worse = (others < value) if larger_is_better else (others > value)
    return Standing(int((worse & ~equal).sum()), int(equal.sum()), others.size)


def paired_difference(
    a: ArrayLike,
    b: ArrayLike,
    *,
    confidence: float = 0.95,
    larger_is_better: bool = True,
    by_start: bool = True,
) -> Interval:
    """Mean of a − b over pairs, with a t interval.

    Pairs, not runs, vary, so what both share, such as a lucky start of K-means, cancels. Of several
    choices the runs are those chosen on other starts, and the interval is as much wider as the
    choice makes the figure vary: its standard error is that of the figure when both halves of the
    starts are drawn again and the choice is made anew in each.

    The interval covers the mean of the figure over all draws of as many starts on the same samples:
    of one choice its mean over such starts, of several the mean over starts of what half as many
    starts choose. It does not speak of other samples.

    Parameters
    ----------
    a, b : array-like of shape (n_pairs,) or (n_choices, n_pairs)
        Runs with the same seeds in the same order.
    confidence : float, default=0.95
    larger_is_better : bool, default=True
        How a choice is made, where there are several.
    by_start : bool, default=True
        False for figures that do not depend on the start: their difference is exact.

    Returns
    -------
    Interval
        Without ends below ten pairs; of width zero when all differences are equal and not zero.
        Where some pairs are equal runs it is no narrower than one more differing pair makes it.
    """
    tables = [np.array(runs, dtype=np.float64, ndmin=2) for runs in (a, b)]
    n, n_b = (table.shape[-1] for table in tables)
    if n != n_b or not n or any(table.ndim > 2 for table in tables):
        raise ValueError(f"Pairs need runs of both: got {n} and {n_b}. Use the same seeds.")
    runs_a, runs_b = (runs_of_choice(table, larger_is_better=larger_is_better) for table in tables)
    differences = runs_a - runs_b
    mean = float(differences.mean())
    if not by_start:
        return Interval(mean, mean, mean, confidence, n)
    if n < FEWEST_STARTS:
        return Interval(mean, math.nan, math.nan, confidence, n)
    error = float(differences.std(ddof=1)) / math.sqrt(n)
    if any(len(table) > 1 for table in tables):
        repeats = repeat_choice(tables, larger_is_better=larger_is_better)
        error = float((repeats[0] - repeats[1]).std(ddof=1)) * math.sqrt(n / (n - 1))
    # Where runs are equal from some starts, pairs that differ are rare, and one more of them could
    # be as far apart as runs from different starts.
    if (np.abs(differences) <= _ROUNDING).any():
        error = max(error, math.sqrt(float(runs_a.var(ddof=1) + runs_b.var(ddof=1))) / n)
    if error <= _ROUNDING * max(1.0, float(np.abs(differences).max())):
        error = 0.0
    half_width = float(stats.t.ppf((1 + confidence) / 2, n - 1)) * error
    return Interval(mean, mean - half_width, mean + half_width, confidence, n)


def over_resamples(value: float, resampled: ArrayLike, *, confidence: float = 0.95) -> Interval:
    """A figure and how far it scatters over resamples of the images: its middle share.

    A spread and no confidence interval: on simulated classes the middle 95 % held the mean score on
    other images in 87 to 91 of 100. It is shifted to have its mean at the figure. In a resample
    about a third of the images are missing and others stand twice, so that clusters fit the classes
    better than in as many different ones: with ten images a class NMI is 3 to 4 points too high,
    and plain percentiles lie above the figure altogether.
    """
    figures = np.asarray(resampled, dtype=np.float64)
    ends = np.quantile(figures, [0.5 - confidence / 2, 0.5 + confidence / 2]) - figures.mean()
    return Interval(value, value + ends[0], value + ends[1], confidence, figures.size)


def mark_best(
    runs: Mapping[str, ArrayLike],
    *,
    confidence: float = 0.95,
    larger_is_better: bool = True,
    by_start: bool = True,
) -> dict[str, str]:
    """Mark the best method "best", those not significantly worse "close", and others "".

    A method is significantly worse when the interval of its paired difference from the best leaves
    out zero. No correction for the number of methods is made: it would mark more. Below ten starts
    nothing is marked.

    Parameters
    ----------
    runs : mapping of str to array-like of shape (n_runs,) or (n_choices, n_runs)
        Scores of every method with the same seeds in the same order; of several choices those
        chosen on other starts count.
    confidence : float, default=0.95
    larger_is_better : bool, default=True
    by_start : bool, default=True
        False for scores that do not depend on the start: they are marked from any number of runs.
    """
    tables = {key: np.array(scores, dtype=np.float64, ndmin=2) for key, scores in runs.items()}
    marks = dict.fromkeys(tables, "")
    if not tables or (by_start and min(t.shape[1] for t in tables.values()) < FEWEST_STARTS):
        return marks
    sign = 1.0 if larger_is_better else -1.0
    means = {
        key: sign * float(runs_of_choice(table, larger_is_better=larger_is_better).mean())
        for key, table in tables.items()
    }
    best = max(means, key=means.__getitem__)
    for key, table in tables.items():
        lead = paired_difference(
            tables[best],
            table,
            confidence=confidence,
            larger_is_better=larger_is_better,
            by_start=by_start,
        )
        marks[key] = "" if lead.excludes_zero else "close"
    return marks | {best: "best"}


def rank_test(scores: ArrayLike, methods: Sequence[str]) -> RankTest:
    """Compare methods over several data sets by their ranks.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_methods)
        One number a data set and method, such as a mean accuracy; large is good. Data sets count
        alike, and the test speaks of data sets like these.
    methods : sequence of str
        Names of the columns.

    Returns
    -------
    RankTest

    References
    ----------
    J. Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 7 (2006).
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 3:
        raise ValueError(
            "A rank test needs at least two data sets (rows) and three methods (columns), got "
            f"shape {table.shape}."
        )
    if table.shape[1] != len(methods):
        raise ValueError(f"There are {table.shape[1]} columns for {len(methods)} method names.")
    if not np.isfinite(table).all():
        raise ValueError("A rank test needs every method on every data set: leave out the gaps.")
    n, k = table.shape
    ranks = stats.rankdata(-table, axis=1)
    means: FloatArray = ranks.mean(axis=0)
    if np.ptp(ranks) == 0:
        statistic, p_value = 0.0, 1.0
    else:
        friedman = stats.friedmanchisquare(*table.T)
        statistic, p_value = float(friedman.statistic), float(friedman.pvalue)
    error = float(np.sqrt(k * (k + 1) / (6.0 * n)))
    quantile = float(stats.studentized_range.ppf(1 - _SIGNIFICANCE, k, np.inf))
    order = np.argsort(means, kind="stable")
    plain = 2 * stats.norm.sf((means[order] - means[order[0]]) / error)
    # Holm steps down from the least p-value, which is that of the last rank.
    adjusted = np.maximum.accumulate(plain[:0:-1] * np.arange(k - 1, 0, -1))[::-1]
    return RankTest(
        methods=tuple(methods[i] for i in order),
        mean_ranks=tuple(means[order].tolist()),
        statistic=statistic,
        p_value=p_value,
        critical_difference=quantile / np.sqrt(2.0) * error,
        p_against_best=(1.0, *np.minimum(adjusted, 1.0).tolist()),
        n_data_sets=n,
    )


def jaccard(a: ArrayLike, b: ArrayLike) -> float:
    """Overlap of two selections, features in both over features in either; 1 if both are empty.

    Parameters
    ----------
    a, b : array-like of int
    """
    either = np.union1d(a, b).size
    return np.intersect1d(a, b).size / either if either else 1.0


def rank_correlation(a: ArrayLike, b: ArrayLike) -> float:
    """Spearman's correlation: 1 for the same order, 0 for none; 0 when all of one tie.

    Parameters
    ----------
    a, b : array-like of shape (n,)
    """
    first, second = (stats.rankdata(np.asarray(values, dtype=np.float64)) for values in (a, b))
    if np.ptp(first) == 0.0 or np.ptp(second) == 0.0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])
