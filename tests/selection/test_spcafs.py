"""SPCAFS against a direct evaluation of its definition, and an objective that falls."""

import numpy as np
import pytest
from scipy.linalg import eigh

from cspca.selection import SPCAFS

EPSILON = np.finfo(float).eps


@pytest.fixture
def samples():
    """Sixty samples, fourteen features of different spread, and two that are constant."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 5)) @ rng.standard_normal((5, 14))
    X += 0.3 * rng.standard_normal((60, 14)) * np.linspace(0.5, 2, 14)
    return np.hstack([X, np.ones((60, 2))])


def _objective(S, W, gamma, p):
    penalty = ((W**2).sum(axis=1) + EPSILON) ** (p / 2)
    return -np.trace(W.T @ S @ W) + gamma * penalty.sum()


@pytest.mark.parametrize("p", [0.1, 1.0])
@pytest.mark.parametrize("gamma", [1e-6, 1e-2, 1.0])
def test_scores_and_objective_are_the_direct_evaluation(samples, gamma, p):
    S = np.cov(samples[:, :14].T, bias=True)
    Q, expected = np.eye(14), []
    model = SPCAFS(4, gamma, p=p, tol=0.0, max_iter=12).fit(samples)
    for _ in model.objective_:
        W = eigh(-S + gamma * Q)[1][:, :3]
        expected.append(_objective(S, W, gamma, p))
        Q = np.diag(p / 2 * ((W**2).sum(axis=1) + EPSILON) ** ((p - 2) / 2))
    np.testing.assert_allclose(model.objective_, expected, rtol=1e-9)
    norms = np.linalg.norm(W, axis=1)
    np.testing.assert_allclose(model.feature_scores_[:14], norms, atol=1e-6)
    assert set(model.feature_order_[-2:]) == {14, 15}


@pytest.mark.parametrize("p", [0.1, 1.0])
@pytest.mark.parametrize("gamma", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("few", [False, True])
def test_the_objective_never_rises(samples, gamma, p, few):
    X = np.hstack([samples[:10], samples[10:50].reshape(10, -1)]) if few else samples
    found = np.array(SPCAFS(4, gamma, p=p, tol=0.0).fit(X).objective_)
    scale = np.abs(found[0]) + X.var(axis=0).sum()
    assert np.diff(found).max(initial=-1.0) <= 1e-13 * scale


def test_a_large_gamma_keeps_as_many_features_as_components(samples):
    assert np.count_nonzero(SPCAFS(n_components=3, gamma=1e3).fit(samples).feature_scores_) == 3
