"""The lasso's path by least angle regression, against scikit-learn's and what is known of it."""

import numpy as np
import pytest
from sklearn.linear_model import lars_path

from cspca.selection.mcfs import least_angle_coefficients, vertices


def _problem(seed, n=60, d=30):
    """Correlated features, so that coefficients change their sign along the path."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 6)) @ rng.random((6, d)) + 0.1 * rng.random((n, d))
    return X, np.sin(5 * X[:, 0]) + np.sin(5 * X[:, 3])


@pytest.mark.parametrize("seed", range(3))
def test_the_path_is_scikit_learn_s(seed):
    X, y = _problem(seed)
    levels, _, expected = lars_path(X, y, method="lasso")
    G, b = X.T @ X, X.T @ y
    path = list(vertices(G, b, 30))
    np.testing.assert_allclose([v.level for v in path], levels[1:] * len(X), atol=1e-9)
    coefficients = np.zeros((30, len(path)))
    for place, vertex in enumerate(path):
        coefficients[vertex.active, place] = vertex.coefficients
    np.testing.assert_allclose(coefficients, expected[:, 1:], atol=1e-9)
    sizes = np.count_nonzero(coefficients, axis=0)
    assert (np.diff(sizes) < 0).any(), "features leave it, too, which is what is difficult"
    for n_nonzero in (1, 7, 20, 30):
        first = coefficients[:, sizes.tolist().index(n_nonzero)]
        chosen = least_angle_coefficients(G, b[:, None], n_nonzero)[:, 0]
        np.testing.assert_array_equal(chosen, first)


def test_many_right_hand_sides_are_each_their_own():
    X, y = _problem(1)
    Y = np.column_stack([y, -y, np.cos(y)])
    G = X.T @ X
    together = least_angle_coefficients(G, X.T @ Y, 9)
    np.testing.assert_array_equal(together[:, 0], -together[:, 1])
    alone = least_angle_coefficients(G, X.T @ Y[:, 2:], 9)
    np.testing.assert_allclose(together[:, 2:], alone, atol=1e-13)


def test_a_path_that_ends_early_ends_at_least_squares():
    X, y = _problem(2, n=12, d=20)
    found = least_angle_coefficients(X.T @ X, (X.T @ y)[:, None], 20)[:, 0]
    assert np.count_nonzero(found) <= 12
    np.testing.assert_allclose(X @ found, y, atol=1e-8 * np.abs(y).max())


def test_copies_of_a_feature_change_nothing():
    X, y = _problem(4)
    doubled = np.hstack([X, X[:, ::2]])
    for n_nonzero in (1, 5, 12):
        expected = least_angle_coefficients(X.T @ X, (X.T @ y)[:, None], n_nonzero)
        found = least_angle_coefficients(doubled.T @ doubled, (doubled.T @ y)[:, None], n_nonzero)
        np.testing.assert_allclose(doubled @ found, X @ expected, atol=1e-9 * np.abs(y).max())
