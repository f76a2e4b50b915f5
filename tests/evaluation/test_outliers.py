"""Outliers told from inliers: by hand, by scikit-learn, and what an interval must be."""

import numpy as np
import pytest
from scipy.stats import norm

from cspca.evaluation.outliers import (
    clean_error,
    ranking_curve,
    ranking_quality,
    subspace_sine,
    three_scores,
)


def test_a_ranking_by_hand():
    outlier = [True, False, True, False, False]
    found = ranking_quality(outlier, [5, 4, 3, 2, 1])
    assert found.auc.value == pytest.approx(5 / 6)
    assert found.average_precision.value == pytest.approx((1 + 2 / 3) / 2)
    assert found.precision.value == 0.5
    perfect = ranking_quality(outlier, outlier)
    assert [one.high for one in vars(perfect).values()] == [1.0, 1.0, 1.0]
    # Two of two found: Wilson's interval begins at 2 / (2 + 1.96²).
    assert perfect.precision.low == pytest.approx(2 / (2 + 1.959964**2), rel=1e-5)
    assert 0.3 < perfect.auc.low < 0.8
    # All tie, but for rounding: what chance gives.
    alike = ranking_quality(outlier, 1.0 + 2e-16 * np.arange(5))
    assert alike.auc.value == 0.5
    assert alike.precision.value == pytest.approx(0.4)
    curve = ranking_curve(outlier, [5, 4, 3, 2, 1])
    np.testing.assert_allclose(curve.recall, [0.5, 0.5, 1, 1, 1])
    np.testing.assert_allclose(curve.false_alarms, [0, 1 / 3, 1 / 3, 2 / 3, 1])
    np.testing.assert_allclose(curve.precision, [1, 1 / 2, 2 / 3, 2 / 4, 2 / 5])


def test_intervals_cover_as_often_as_they_say():
    """Of 200 samples drawn alike, about 95 % of the intervals hold the true AUC, 0.76."""
    covered = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        outlier = np.arange(200) < 60
        found = ranking_quality(outlier, rng.normal(size=200) + outlier).auc
        covered.append(found.low <= 0.76025 <= found.high)
    assert 0.92 <= np.mean(covered) <= 0.98


def test_angles_and_errors():
    basis = np.eye(4)[:, :2]
    assert subspace_sine(basis, np.eye(4)) == 0.0
    assert subspace_sine(basis, basis[:, :1]) == 1.0
    turned = np.column_stack([basis[:, 0], [0, np.cos(0.1), np.sin(0.1), 0]])
    assert subspace_sine(basis, turned) == pytest.approx(np.sin(0.1))
    X = np.array([[3.0, 4.0], [0.0, 0.0]])
    found = three_scores(X, [1.0, 0.0])
    np.testing.assert_array_equal(found["relative"], [0.2, 0.0])
    np.testing.assert_array_equal(found["norm"], [5.0, 0.0])
    assert clean_error(X, X) == 0.0
    assert clean_error(X, np.tile(X.mean(axis=0), (2, 1))) == 1.0


@pytest.mark.parametrize("place", [0, 300_000])
def test_one_outlier_of_very_many_has_intervals_too(place):
    """Found first and in the middle."""
    n = 600_001
    scores = np.arange(n, 0.0, -1.0)
    outlier = np.arange(n) == place
    found = ranking_quality(outlier, scores)
    assert found.auc.value == pytest.approx(1 - place / (n - 1), abs=1e-12)
    assert found.average_precision.value == pytest.approx(1 / (place + 1), rel=1e-12)
    assert found.precision.value == (place == 0)
    for one in vars(found).values():
        assert 0 <= one.low <= one.value <= one.high <= 1
        assert one.high - one.low > 0.1, "one outlier is no proof of anything"
    # Wilson's interval of a share of one.
    z = norm.ppf(0.975)
    share = found.average_precision
    middle, wide = share.value + z * z / 2, z * np.sqrt(share.value * (1 - share.value) + z * z / 4)
    assert (share.low, share.high) == pytest.approx(
        ((middle - wide) / (1 + z * z), (middle + wide) / (1 + z * z)), abs=1e-9
    )


@pytest.mark.parametrize("n_tied", [1, 5])
def test_an_outlier_that_ties_with_the_first_ones_of_very_many(n_tied):
    scores = np.r_[np.zeros(600_000 - n_tied), np.ones(n_tied + 1)]
    found = ranking_quality(np.arange(600_001) == 600_000, scores)
    assert found.auc.value == pytest.approx(1 - n_tied / 2 / 600_000, abs=1e-12)
    assert found.auc.low < 0.9 < found.auc.value < found.auc.high <= 1
