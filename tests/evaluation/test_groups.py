"""Two groups of samples: means, pooled deviations and what is not defined, by a plain loop."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cspca.evaluation import group_contrast
from cspca.evaluation import groups as module


def by_loop(X, first, second):
    """The same feature by feature, as a textbook writes it."""
    values = []
    for column in X.T.tolist():
        parts = [
            [value for value, marked in zip(column, marks, strict=True) if marked]
            for marks in (first, second)
        ]
        means = [math.fsum(part) / len(part) for part in parts]
        squares = math.fsum(
            (value - mean) ** 2 for part, mean in zip(parts, means, strict=True) for value in part
        )
        deviation = math.sqrt(squares / (len(parts[0]) + len(parts[1]) - 2))
        values.append((means[0] - means[1]) / deviation if deviation else math.nan)
    return np.array(values)


@pytest.mark.parametrize("seed", range(5))
def test_it_is_what_a_plain_loop_gives(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 60)), int(rng.integers(1, 12))
    monkeypatch.setattr(module, "_ROWS", int(rng.integers(1, 70)))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, size=d)
    # Far from zero, where sums of squares would cancel.
    X += rng.choice([0.0, 1e3], size=d)
    group = rng.permutation(n)
    size = int(rng.integers(1, n))
    first, second = np.isin(np.arange(n), group[:size]), np.isin(np.arange(n), group[size:])
    np.testing.assert_allclose(
        group_contrast(X, first, second).values, by_loop(X, first, second), rtol=1e-6, atol=1e-8
    )


@pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3, 1e12, -7.7e-9])
def test_where_nothing_varies_within_the_groups_it_is_not_defined(value):
    X = np.column_stack([np.full(9, value), np.where(np.arange(9) < 3, value, 2.0), np.arange(9.0)])
    contrast = group_contrast(X, np.arange(9) < 3, np.arange(9) >= 3)
    assert np.isnan(contrast.values).tolist() == [True, True, False]
    assert contrast.order.tolist() == [2]
    assert not np.isinf(contrast.values).any()


def test_the_rounding_of_equal_values_is_no_deviation():
    """Lengths of rigid bones, computed from moving joints, differ in their last digits."""
    rng = np.random.default_rng(4)
    joint = rng.normal(size=(40, 3))
    direction = rng.normal(size=(40, 3))
    length = np.where(np.arange(40) < 20, 0.2, 0.3)
    other = joint + direction * (length / np.linalg.norm(direction, axis=1))[:, None]
    lengths = np.linalg.norm(other - joint, axis=1)
    assert 0.0 < lengths[:20].std() < 1e-15
    contrast = group_contrast(lengths[:, None], np.arange(40) < 20, np.arange(40) >= 20)
    assert np.isnan(contrast.values).all()
    assert contrast.first_mean == pytest.approx(0.2)


def test_the_order_begins_with_the_largest_whatever_its_sign():
    X = np.array([[0.0, 9.0, 5.0], [1.0, 8.0, 5.0], [3.0, 0.0, 5.0], [4.0, 1.0, 5.0]])
    contrast = group_contrast(X, [0, 0, 1, 1], [1, 1, 0, 0])
    assert contrast.order.tolist() == [1, 0]
    assert contrast.values[1] < 0 < contrast.values[0]
