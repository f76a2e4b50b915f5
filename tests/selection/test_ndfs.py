"""NDFS: every step against a direct evaluation, and what F and W must be."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from cspca.selection.graph import neighbor_graph
from cspca.selection.ndfs import NDFS

GROUPS = np.repeat(np.arange(3), 20)


def laplacian(X):
    S = neighbor_graph(X).toarray()
    root = np.sqrt(S.sum(axis=1))
    return np.eye(len(X)) - S / np.outer(root, root)


def regression(X, F, beta, n_steps=20_000):
    """``argmin ‖XW + 1bᵀ − F‖² + β‖W‖₂,₁`` by proximal gradient steps: nothing is reweighted.

    Returns W and the residual.
    """
    X, F = X - X.mean(axis=0), F - F.mean(axis=0)
    step = 0.5 / np.linalg.norm(X, 2) ** 2
    W = V = np.zeros((X.shape[1], F.shape[1]))
    for i in range(n_steps):
        B = V - step * 2 * X.T @ (X @ V - F)
        norms = np.linalg.norm(B, axis=1, keepdims=True)
        last, W = W, B * np.maximum(0.0, 1.0 - step * beta / np.maximum(norms, 1e-300))
        V = W + i / (i + 3) * (W - last)
    return W, X @ W - F


def test_objective_and_scores_are_the_direct_evaluation(samples):
    alpha, beta, nu = 0.5, 0.5, 1e3
    model = NDFS(3, alpha, beta, orthogonality=nu, max_iter=3000, tol=0.0).fit(samples)
    F, X = model.indicators_, samples[:, :14]
    W, residual = regression(X, F, beta)
    norms = np.linalg.norm(W, axis=1)
    expected = (
        np.trace(F.T @ laplacian(samples) @ F)
        + alpha * (np.sum(residual**2) + beta * norms.sum())
        + nu / 2 * np.sum((F.T @ F - np.eye(3)) ** 2)
    )
    assert model.objective_[-1] == pytest.approx(expected, rel=1e-5)
    assert 0 < np.count_nonzero(norms) < 14
    np.testing.assert_allclose(model.feature_scores_[:14], norms, atol=1e-4 * norms.max())
    # Those left out are in the order of how near their optimality condition is to failing.
    out = np.flatnonzero(model.feature_scores_[:14] == 0)
    assert len(out) > 1
    pull = 2 * np.linalg.norm((X - X.mean(axis=0)).T @ residual, axis=1)
    np.testing.assert_allclose(model.signed_scores_[out] + 1, pull[out] / beta, atol=1e-3)


def test_indicators_are_what_their_name_says(samples):
    F = NDFS(3).fit(samples).indicators_
    assert (F >= 0).all()
    np.testing.assert_allclose(F.T @ F, np.eye(3), atol=1e-3)
    assert adjusted_rand_score(GROUPS, F.argmax(axis=1)) == 1.0


def test_indicators_end_where_the_gradient_allows_no_descent(samples):
    """First-order conditions of F ≥ 0: gradient zero where F is positive, else not negative."""
    alpha, beta, nu = 0.5, 0.2, 10.0
    model = NDFS(3, alpha, beta, orthogonality=nu, max_iter=20_000, tol=0.0).fit(samples)
    F, X = model.indicators_, samples[:, :14]
    _, residual = regression(X, F, beta)
    gradient = 2 * (laplacian(samples) @ F - alpha * residual + nu * F @ (F.T @ F - np.eye(3)))
    size = np.abs(2 * nu * F).max()
    assert np.abs(gradient * F).max() <= 1e-4 * size
    assert gradient.min() >= -1e-3 * size
