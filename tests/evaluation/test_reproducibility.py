"""Nogueira's index as published, the two bounds, and that the interval covers."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from cspca.evaluation import (
    low_probability_bound,
    selection_reproducibility,
    unimodal_bound,
)
from cspca.evaluation.reproducibility import SelectionFrequencies


def published_index(Z):
    """Definition 4 of Nogueira, Sechidis & Brown (2018), feature by feature."""
    M, d = Z.shape
    k = Z.sum() / M
    total = 0.0
    for f in range(d):
        p = sum(Z[i, f] for i in range(M)) / M
        total += M / (M - 1) * p * (1 - p)
    return 1 - (total / d) / (k / d * (1 - k / d))


@pytest.mark.parametrize("seed", range(5))
def test_the_index_is_the_published_one_and_its_interval_the_jackknife_s(seed):
    rng = np.random.default_rng(seed)
    Z = rng.random((rng.integers(10, 30), rng.integers(5, 40))) < rng.uniform(0.1, 0.9)
    Z[:, :2] = True, False
    interval = selection_reproducibility(Z)
    assert interval.difference == pytest.approx(published_index(Z * 1.0), abs=1e-12)
    n = len(Z)
    without = [published_index(np.delete(Z, i, axis=0) * 1.0) for i in range(n)]
    half_width = stats.t.ppf(0.975, n - 1) * math.sqrt(n - 1) * np.std(without)
    index = interval.difference
    assert interval.high == pytest.approx(min(index + half_width, 1.0), abs=1e-12)
    assert interval.low == pytest.approx(max(index - half_width, -1 / (n - 1)), abs=1e-12)


def test_few_or_equal_selections_have_no_interval_and_all_or_none_no_index():
    rng = np.random.default_rng(0)
    assert not selection_reproducibility(rng.random((9, 20)) < 0.5).has_ends
    assert selection_reproducibility(rng.random((10, 20)) < 0.5).has_ends
    assert not selection_reproducibility(np.tile(rng.random(20) < 0.5, (30, 1))).has_ends
    for all_or_none in (np.ones((5, 4), bool), np.zeros((5, 4), bool)):
        assert math.isnan(selection_reproducibility(all_or_none).difference)


@pytest.mark.parametrize("n_pairs", [1, 2, 3, 10, 30])
def test_the_tighter_bound_is_positive_or_not_known(n_pairs):
    for threshold in np.arange(0.51, 1.0, 0.01):
        for k in (1, 20, 300):
            bound = unimodal_bound(k, 1000, threshold, n_pairs)
            assert math.isnan(bound) or bound > 0
    assert math.isnan(unimodal_bound(20, 1000, 0.55, 2))


@pytest.mark.parametrize("n", [10, 50])
@pytest.mark.parametrize("frequency", [(0.1, 0.9), (0.02, 0.5), (0.0, 1.0)])
def test_the_interval_covers_the_index_of_the_population(frequency, n):
    """Independent Bernoulli selections: 95 % or a little more hold the population's index."""
    rng = np.random.default_rng(1)
    p = rng.uniform(*frequency, size=100)
    truth = 1 - (p * (1 - p)).mean() / (p.mean() * (1 - p.mean()))
    covered = 0
    for _ in range(1000):
        interval = selection_reproducibility(rng.random((n, 100)) < p)
        covered += interval.low <= truth <= interval.high
    assert 0.93 <= covered / 1000 <= 0.99


def test_the_bounds_are_the_known_ones():
    assert low_probability_bound(100, 1024, 0.9) == pytest.approx(12.2, abs=0.01)
    assert low_probability_bound(469, 1024, 0.9) == pytest.approx(268.5, abs=0.1)
    theta = 100 / 1024
    assert unimodal_bound(100, 1024, 0.9, 25) == pytest.approx(0.48 / 1.04 * 100 * theta)
    assert unimodal_bound(100, 1024, 0.7, 25) == pytest.approx(100 * theta / (2 * (0.4 - 0.02)))
    assert math.isnan(unimodal_bound(700, 1024, 0.9, 25))


@pytest.mark.parametrize("threshold", [0.6, 0.75, 1.0])
def test_the_bounds_hold_for_features_of_low_probability(threshold):
    """Features that a half selects independently with the probability k/d: the hardest allowed."""
    rng = np.random.default_rng(2)
    d, k, n_pairs = 200, 20, 25
    counts = []
    for _ in range(200):
        selected = rng.random((2 * n_pairs, d)) < k / d
        counts.append(np.count_nonzero(selected.mean(axis=0) >= threshold))
    assert np.mean(counts) <= low_probability_bound(k, d, threshold)
    bound = unimodal_bound(k, d, threshold, n_pairs)
    assert np.mean(counts) <= bound <= low_probability_bound(k, d, threshold)


def test_frequencies_count_what_is_always_never_and_sometimes_selected():
    rows = list(itertools.product([True], [False], [True, False], [True]))
    frequencies = SelectionFrequencies(np.array(rows * 5))
    assert (frequencies.n_always, frequencies.n_never, frequencies.n_sometimes) == (2, 1, 1)
    assert frequencies.n_in_doubt == 1
    assert frequencies.size == 2.5
    np.testing.assert_array_equal(frequencies.frequency, [1.0, 0.0, 0.5, 1.0])
    assert frequencies.n_halves == 10
