"""U²FS against the regression that it is about, and its cap."""

import numpy as np
import pytest
from scipy.linalg import eigh

from cspca.selection import U2FS


def _eigenvectors(X, c):
    distances = np.array([[np.linalg.norm(a - b) for b in X] for a in X])
    K = np.exp(-(distances**2) / (2 * distances.mean() ** 2))
    root = np.diag(1 / np.sqrt(K.sum(axis=1)))
    return eigh(root @ K @ root)[1][:, ::-1][:, 1 : c + 1]


@pytest.mark.parametrize("seed", range(2))
def test_elimination_is_brute_force(seed):
    """Each feature that goes is the one without which the (ridge) regression of E loses least."""
    rng = np.random.default_rng(seed)
    n, d, c = (25, 8, 3) if seed % 2 else (9, 12, 2)  # then XᵀX is singular
    X = 1.0 + rng.standard_normal((n, d))
    E = _eigenvectors(X, c)
    values = np.linalg.eigvalsh(X.T @ X / n)
    ridge = 0.0 if n > d else 1e-5 * values[values > 1e-10 * values[-1]].min()

    def misfit(features):
        R = X[:, features].T @ X[:, features] / n + ridge * np.eye(len(features))
        W = np.linalg.solve(R, X[:, features].T @ E / n)
        return np.sum((X[:, features] @ W - E) ** 2) / n + ridge * np.sum(W**2)

    order = U2FS(c).fit(X).feature_order_
    for left in range(d, 1, -1):
        losses = {j: misfit([i for i in order[:left] if i != j]) for j in order[:left]}
        assert losses[order[left - 1]] <= min(losses.values()) * (1 + 1e-6)


def test_of_more_samples_than_the_cap_so_many_are_looked_at_evenly_taken():
    X = np.random.default_rng(0).random((41, 6))
    np.testing.assert_array_equal(
        U2FS(2, max_samples=21).fit(X).feature_order_, U2FS(2).fit(X[::2]).feature_order_
    )
