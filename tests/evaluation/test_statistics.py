"""Intervals that cover, marks that are right, ranks as in the textbook."""

import numpy as np
import pytest
from scipy import stats

from cspca.evaluation import mark_best, paired_difference, rank_test
from cspca.evaluation.choices import runs_of_choice
from cspca.evaluation.metrics import agreement, resampled_agreement
from cspca.evaluation.statistics import over_resamples, rank_correlation


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    """Skewed differences of mean 0.5: about 95 of 100 intervals hold it (±3 σ of that count)."""
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(200):
        shared = rng.normal(size=30) * 10
        b = shared + rng.normal(size=30)
        a = shared + rng.normal(size=30) + rng.exponential(0.5, size=30)
        found = paired_difference(a, b)
        covered += found.low <= 0.5 <= found.high
    assert 176 <= covered <= 199


def test_pairs_cancel_what_they_share():
    """Lucky and unlucky starts spread the runs widely, their differences hardly."""
    rng = np.random.default_rng(1)
    luck = rng.normal(size=30) * 10
    a, b = luck + 1 + 0.1 * rng.normal(size=30), luck
    paired = paired_difference(a, b)
    assert paired.low > 0.9
    assert paired.high < 1.1
    assert paired.excludes_zero
    assert not paired_difference(a, rng.permutation(b)).excludes_zero


def test_equal_runs_may_differ_from_another_start():
    """Ten starts of ten that agree do not prove that all do, unless no run depends on the start."""
    runs = np.linspace(0.3, 0.7, 10)
    found = paired_difference(runs, runs)
    another = stats.t.ppf(0.975, 9) * np.sqrt(2 * runs.var(ddof=1)) / 10
    assert (found.difference, found.low, found.high) == (0, -another, pytest.approx(another))
    assert not found.excludes_zero
    shifted = paired_difference(runs, runs - 0.2)
    assert shifted.low == shifted.high == pytest.approx(0.2)
    fixed = paired_difference(np.full(10, 0.5), np.full(10, 0.5))
    assert (fixed.low, fixed.high) == (0, 0)
    choices = np.random.default_rng(0).random((4, 10))
    alike = paired_difference(choices, choices)
    assert (alike.difference, alike.excludes_zero) == (0, False)


def test_below_ten_starts_there_is_no_interval_and_no_mark():
    rng = np.random.default_rng(4)
    for n in (1, 2, 9):
        a, b = 100 + rng.random((3, n)), rng.random((3, n))
        found = paired_difference(a, b)
        assert found.difference > 90
        assert np.isnan([found.low, found.high]).all()
        assert (found.has_ends, found.excludes_zero) == (False, False)
        assert mark_best({"a": a, "b": b}) == {"a": "", "b": ""}
        # What no start has a part in is exact.
        exact = paired_difference(a[:1], b[:1], by_start=False)
        assert exact.low == exact.high == exact.difference
        assert mark_best({"a": a, "b": b}, by_start=False) == {"a": "best", "b": ""}
    assert paired_difference(np.arange(10.0), np.zeros(10)).has_ends


def test_a_choice_widens_the_interval_where_it_is_luck():
    """Twenty choices that are truly alike, and twenty of which one is far ahead."""
    rng = np.random.default_rng(5)
    alike, other = rng.normal(size=(20, 30)), rng.normal(size=30)
    clear = alike + 100 * (np.arange(20) == 7)[:, None]
    ratios = []
    for table in (alike, clear):
        chosen = paired_difference(table, other)
        plain = paired_difference(runs_of_choice(table), other)
        assert chosen.difference == plain.difference
        ratios.append((chosen.high - chosen.low) / (plain.high - plain.low))
    assert ratios[0] > 1.1
    assert ratios[1] == pytest.approx(1, abs=0.08)
    less = paired_difference(-alike, -other, larger_is_better=False)
    found = paired_difference(alike, other)
    assert (less.low, less.high) == pytest.approx((-found.high, -found.low))


def test_best_and_not_significantly_worse():
    rng = np.random.default_rng(3)
    luck = rng.normal(size=30)
    runs = {
        "bad": luck - 1 + 0.1 * rng.normal(size=30),
        "good": luck + 0.1 * rng.normal(size=30) + 0.02,
        "near": luck + 0.1 * rng.normal(size=30),
    }
    assert mark_best(runs) == {"bad": "", "good": "best", "near": "close"}
    flipped = {key: -values for key, values in runs.items()}
    assert mark_best(flipped, larger_is_better=False) == mark_best(runs)
    assert mark_best({}) == {}


def test_ranks_by_hand_and_friedman_by_scipy():
    """Ties share their ranks."""
    table = np.array([[0.9, 0.8, 0.7], [0.6, 0.6, 0.5], [0.3, 0.4, 0.4], [0.5, 0.2, 0.1]])
    found = rank_test(table, ["a", "b", "c"])
    assert found.methods == ("a", "b", "c")
    assert found.mean_ranks == pytest.approx(
        ((1 + 1.5 + 3 + 1) / 4, (2 + 1.5 + 1.5 + 2) / 4, (3 + 3 + 1.5 + 3) / 4)
    )
    theirs = stats.friedmanchisquare(*table.T)
    assert (found.statistic, found.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))


def test_critical_difference_of_the_textbook():
    """Demšar (2006): q = 2.569 for four methods at 5 %, so 1.25 on fourteen data sets."""
    found = rank_test(np.random.default_rng(0).normal(size=(14, 4)), "abcd")
    assert found.critical_difference == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 14)), rel=1e-3)
    assert found.n_data_sets == 14


def test_holm_by_hand():
    """Three data sets, one method always first, one always last: Holm's steps written out."""
    found = rank_test(np.tile([3.0, 2.0, 1.0], (3, 1)), ["a", "b", "c"])
    assert found.methods == ("a", "b", "c")
    error = np.sqrt(3 * 4 / (6 * 3))
    to_b, to_c = (2 * stats.norm.sf(step / error) for step in (1, 2))
    assert found.p_against_best == pytest.approx((1.0, max(to_b, 2 * to_c), 2 * to_c))


def clustered(rng, n_samples=200, n_classes=10, starts=2):
    """Classes, and what two methods make of the same samples, of which some are hard for both."""
    y = np.repeat(np.arange(n_classes), n_samples // n_classes)
    hard = rng.random(n_samples)
    other = np.where(rng.random(n_samples) < 0.5, hard, rng.random(n_samples))
    wrong = (y + rng.integers(1, 4, size=(2, starts, n_samples))) % n_classes
    return y, np.where(np.stack([hard < 0.6, other < 0.5])[:, None], y, wrong)


def test_intervals_over_images_hold_what_other_images_give():
    """Of 95 % intervals about as many; shifted ones, for clusters fit resamples too well."""
    rng = np.random.default_rng(0)
    names = ("accuracy", "nmi")

    def scores(y, methods):
        of = [[agreement(y, one) for one in clusters] for clusters in methods]
        first, second = ([np.mean([one[name] for one in m]) for name in names] for m in of)
        return np.array([first, np.subtract(first, second)])

    wanted = np.mean([scores(*clustered(rng)) for _ in range(400)], axis=0)
    n_times, held, plain = 150, np.zeros((2, 2)), np.zeros((2, 2))
    for _ in range(n_times):
        y, methods = clustered(rng)
        values = scores(y, methods)
        one, other = (resampled_agreement(y, clusters, 100) for clusters in methods)
        for at, name in enumerate(names):
            for row, resampled in enumerate((one[name], one[name] - other[name])):
                found = over_resamples(values[row, at], resampled)
                held[row, at] += found.low <= wanted[row, at] <= found.high
                low, high = np.quantile(resampled, [0.025, 0.975])
                plain[row, at] += low <= wanted[row, at] <= high
    assert (held / n_times > 0.88).all(), held / n_times
    assert plain[0, 1] / n_times < 0.8


def test_rank_correlation_is_scipys():
    rng = np.random.default_rng(6)
    a, b = rng.integers(5, size=40), rng.normal(size=40)
    assert rank_correlation(a, b) == pytest.approx(stats.spearmanr(a, b).statistic, rel=1e-12)
    assert rank_correlation(np.ones(5), np.arange(5)) == 0.0
