"""Least angle regression against the textbook: Efron et al.'s equiangular steps on X itself."""

import numpy as np
import pytest
from sklearn.linear_model import lars_path

from cspca.selection.mcfs import least_angle_coefficients, vertices


def textbook(X, y, n_steps, *, drops):
    """Algorithm of Efron et al. (2004), section 2 and the lasso modification of section 3.1.

    Returns the coefficients after every step.
    """
    coefficients, path = np.zeros(X.shape[1]), []
    active, leaving, left_sign = [], None, 0.0
    for _ in range(n_steps):
        correlations = X.T @ (y - X @ coefficients)
        largest = np.abs(correlations[active]).mean() if active else np.abs(correlations).max()
        if leaving is None:
            outside = [j for j in range(X.shape[1]) if j not in active]
            active.append(max(outside, key=lambda j: abs(correlations[j])))
        signs = np.sign(correlations[active])
        signed = X[:, active] * signs
        inverse_one = np.linalg.solve(signed.T @ signed, np.ones(len(active)))
        scale = 1.0 / np.sqrt(inverse_one.sum())
        along = X.T @ (signed @ (scale * inverse_one))  # with the equiangular unit vector
        step = largest / scale
        for j in set(range(X.shape[1])) - set(active):
            for sign in (1.0, -1.0):
                if j == leaving and sign == left_sign:
                    continue
                length = (largest - sign * correlations[j]) / (scale - sign * along[j])
                if 1e-14 < length < step:
                    step = length
        direction = scale * inverse_one * signs
        leaving = None
        if drops:
            for place, j in enumerate(active):
                length = -coefficients[j] / direction[place]
                if coefficients[j] != 0.0 and 0.0 < length < step:
                    step, leaving, left_sign = length, j, signs[place]
        coefficients = coefficients.copy()
        coefficients[active] += step * direction
        if leaving is not None:
            coefficients[leaving] = 0.0
            active.remove(leaving)
        path.append(coefficients)
    return np.array(path)


def _problem(seed, n=60, d=30):
    """Correlated features, so that coefficients change their sign along the path."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 6)) @ rng.random((6, d)) + 0.1 * rng.random((n, d))
    return X, np.sin(5 * X[:, 0]) + np.sin(5 * X[:, 3])


def _path(G, b, n):
    """The first n vertices, dense."""
    found = []
    for vertex in vertices(G, b, len(b)):
        dense = np.zeros(len(b))
        dense[vertex.active] = vertex.coefficients
        found.append(dense)
        if len(found) == n:
            break
    return np.array(found)


@pytest.mark.parametrize("seed", range(8))
def test_every_vertex_is_the_textbook_s(seed):
    X, y = _problem(seed)
    expected = textbook(X, y, 25, drops=True)
    found = _path(X.T @ X, X.T @ y, 25)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def test_the_problems_have_what_is_difficult():
    """Sign changes without drops, drops with them; otherwise the test above shows little."""
    changes = leaves = 0
    for seed in range(8):
        X, y = _problem(seed)
        plain = textbook(X, y, 25, drops=False)
        changes += int((plain[1:] * plain[:-1] < 0).sum())
        sizes = (textbook(X, y, 25, drops=True) != 0).sum(axis=1)
        leaves += int((np.diff(sizes) < 0).sum())
    assert changes > 5
    assert leaves > 5


def test_the_lasso_path_is_scikit_learn_s():
    X, y = _problem(0)
    levels, _, expected = lars_path(X, y, method="lasso")
    found = list(vertices(X.T @ X, X.T @ y, 30))
    np.testing.assert_allclose([v.level for v in found], levels[1:] * len(X), atol=1e-9)
    np.testing.assert_allclose(_path(X.T @ X, X.T @ y, len(found)), expected[:, 1:].T, atol=1e-9)


@pytest.mark.parametrize("n_nonzero", [1, 7, 20, 30])
def test_a_lasso_vertex_satisfies_its_optimality_conditions(n_nonzero):
    X, y = _problem(3)
    G, b = X.T @ X, X.T @ y
    *_, last = vertices(G, b, n_nonzero)
    assert len(last.active) == n_nonzero
    a = least_angle_coefficients(G, b[:, None], n_nonzero)[:, 0]
    correlations = b - G @ a
    tiny = 1e-10 * np.abs(b).max()
    np.testing.assert_allclose(
        correlations[last.active], last.level * np.sign(a[last.active]), atol=tiny
    )
    assert np.abs(correlations).max() <= last.level + tiny
    np.testing.assert_array_equal(np.flatnonzero(a), np.sort(last.active))


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


def test_a_response_that_nothing_explains_has_no_coefficients():
    assert not least_angle_coefficients(np.eye(4), np.zeros((4, 1)), 2).any()
