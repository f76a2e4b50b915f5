"""Inf-FS: its known answer, and its definition by summing over paths."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from cspca.selection import InfFS


def test_known_answer_on_digits(real_pixels):
    """Places 13 and 14 are 18, 13; the published code, which divides twice, has 13, 18."""
    order = InfFS().fit(real_pixels("digits")).feature_order_
    assert order[:10].tolist() == [42, 43, 35, 21, 27, 28, 20, 53, 44, 26]
    assert order[12:14].tolist() == [18, 13]
    assert set(order[-3:]) == {0, 32, 39}


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_scores_are_the_sum_over_paths(alpha):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 4)) @ rng.standard_normal((4, 7)) * np.linspace(1, 2, 7)
    spread = X.std(axis=0)
    larger = np.array([[max(a, b) for b in spread] for a in spread])
    larger = (larger - larger.min()) / (larger.max() - larger.min())
    A = alpha * larger + (1 - alpha) * (1 - np.abs(spearmanr(X).statistic))
    step = 0.9 / np.abs(np.linalg.eigvalsh(A)).max() * A
    path, paths = np.ones(7), np.zeros(7)
    for _ in range(500):
        path = step @ path
        paths += path
    np.testing.assert_allclose(InfFS(alpha).fit(X).feature_scores_, paths, rtol=1e-9)
