"""What needs no labels: against scikit-learn, direct computation, and cases known beforehand."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import silhouette_score

from cspca.evaluation import Silhouette, reconstruction_error

RNG = np.random.default_rng(0)


def test_silhouette_is_scikit_learns():
    X = RNG.normal(size=(60, 5))
    labels = np.array([RNG.integers(0, k, 60) for k in (2, 3, 7, 20)])
    measure = Silhouette(X)
    expected = [silhouette_score(X, one) for one in labels]
    assert [measure(one) for one in labels] == pytest.approx(expected, abs=1e-10)
    np.testing.assert_allclose(measure.of_all(labels), expected, atol=1e-10)
    assert measure(["a"] * 60) == 0.0, "a single cluster"


def test_silhouette_of_many_samples_is_that_of_some_always_the_same():
    X = np.vstack([RNG.normal(size=(200, 4)), RNG.normal(size=(200, 4)) + 6])
    labels = np.repeat([0, 1], 200)
    some = Silhouette(X, max_samples=100)(labels)
    assert some == Silhouette(X, max_samples=100)(labels)
    assert some == pytest.approx(silhouette_score(X, labels), abs=0.03)


def test_features_that_span_the_others_reconstruct_them():
    X = RNG.normal(size=(50, 3)) @ RNG.normal(size=(3, 12))
    assert reconstruction_error(X, [0, 5, 7], held_out=False, ridge=0.0) < 1e-20
    assert reconstruction_error(X, [0, 5, 7], ridge=0.0) < 1e-20
    assert reconstruction_error(X, [0, 5], ridge=0.0) > 0.01


def test_held_out_error_does_not_explode_with_as_many_features_as_samples():
    X = RNG.normal(size=(80, 5)) @ RNG.normal(size=(5, 60)) + 0.3 * RNG.normal(size=(80, 60))
    assert reconstruction_error(X, range(40)) < 0.5 * reconstruction_error(X, range(40), ridge=0.0)


@pytest.mark.parametrize("features", [[1, 4], list(range(12))])
def test_reconstruction_is_least_squares(features):
    """In sample, without ridge: scikit-learn's regression."""
    X = RNG.normal(size=(40, 12)) + 5.0
    predicted = LinearRegression().fit(X[:, features], X).predict(X[:, features])
    expected = ((X - predicted) ** 2).sum() / ((X - X.mean(axis=0)) ** 2).sum()
    found = reconstruction_error(X, features, held_out=False, ridge=0.0)
    assert found == pytest.approx(expected, abs=1e-12)


def test_ridge_is_the_same_with_more_features_than_samples_or_fewer():
    """Both forms of the solution: add copies of a feature until they outnumber the samples."""
    X = RNG.normal(size=(10, 4))
    wide = np.hstack([X, np.zeros((10, 20))])
    few = reconstruction_error(wide, range(4), held_out=False, ridge=0.1)
    # Zero columns add nothing but lower the mean norm of a feature, and with it the penalty.
    many = reconstruction_error(wide, range(24), held_out=False, ridge=0.1 * 24 / 4)
    assert many == pytest.approx(few, rel=1e-10)
