"""SOGFS: its steps against their definitions, and an objective that never rises."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import make_blobs

from cspca.selection import SOGFS
from cspca.selection.sogfs import _on_simplex


@pytest.fixture
def samples():
    """Ninety samples in three clusters that six features tell apart; nine others are noise."""
    X, _ = make_blobs(90, 6, centers=3, cluster_std=1.0, random_state=0)
    noise = np.random.default_rng(0).standard_normal((90, 9))
    return np.hstack([X, noise, np.ones((90, 1))])


@pytest.mark.parametrize("gamma", [1e-4, 100.0])
@pytest.mark.parametrize("few", [False, True])
def test_the_objective_never_rises_within_a_round(samples, gamma, few):
    """At the λ of a round; its neighbours are fixed in the first five."""
    X = samples[::8] if few else samples
    model = SOGFS(3, gamma, max_iter=5, n_neighbors=4).fit(X)
    steps = np.array(model.objective_)
    assert steps.shape == (model.n_iter_, 4)
    assert np.diff(steps, axis=1).max() <= 1e-11 * steps.max()
    assert (np.diff(steps, axis=1).sum(axis=1) < 0).all()


def test_the_weights_of_a_sample_are_the_nearest_point_of_the_simplex():
    V = np.random.default_rng(0).standard_normal((20, 5)) * 2
    found = _on_simplex(V)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    for v, mine in zip(V, found, strict=True):
        best = minimize(
            lambda a, v=v: np.sum((a - v) ** 2),
            np.full(5, 0.2),
            bounds=[(0, 1)] * 5,
            constraints={"type": "eq", "fun": lambda a: a.sum() - 1},
            tol=1e-12,
        ).x
        np.testing.assert_allclose(mine, best, atol=1e-6)


def test_features_that_tell_clusters_apart_come_first_and_it_says_whether_it_was_stopped(samples):
    model = SOGFS(3, 0.1).fit(samples)
    assert not model.stopped_
    assert set(model.feature_order_[:2]) <= set(range(6))
    assert model.feature_order_[-1] == 15
    assert SOGFS(3, 0.1, max_iter=1).fit(samples).stopped_
