"""Bulk K-means gives scikit-learn's labels, whichever way it goes and whatever it is run with."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from cspca.evaluation.kmeans import (
    GramMatrix,
    cluster_by_gram,
    kmeans,
    random_start,
)
from tests.soak import counted

SEEDS = range(8)


def _starts(seeds, n, c):
    return np.array([random_start(seed, n, c) for seed in seeds])


def _blobs(n, d, c, *, spread=1.0, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(c, d))[rng.integers(c, size=n)] * 2 + spread * rng.normal(size=(n, d))


def _reference(X, start, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(len(start), init=X[start], n_init=1, **settings).fit(X)


def _same_as_scikit_learn(X, n_clusters, *, seeds=SEEDS, **settings):
    starts = _starts(seeds, len(X), n_clusters)
    options = {"max_iter": 300, "tol": 1e-4} | settings
    found = cluster_by_gram(GramMatrix(X), starts, **options)
    for start, labels, inertia, n_iter in zip(
        starts, found.labels, found.inertia, found.n_iter, strict=True
    ):
        theirs = _reference(X, start, **options)
        np.testing.assert_array_equal(labels, theirs.labels_)
        assert n_iter == theirs.n_iter_
        np.testing.assert_allclose(inertia, theirs.inertia_, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("n", "d", "c", "spread"),
    [(60, 30, 5, 1.0), (200, 8, 12, 3.0), (150, 1, 4, 1.0), (40, 90, 40, 1.0), (50, 5, 1, 1.0)],
)
def test_labels_are_scikit_learns(n, d, c, spread):
    _same_as_scikit_learn(_blobs(n, d, c, spread=spread), c)


@pytest.mark.parametrize("settings", [{"max_iter": 1}, {"max_iter": 3}, {"tol": 0.3}, {"tol": 0.0}])
def test_early_ends_are_scikit_learns(settings):
    """The last assignment after a stop by tolerance or by number is made as theirs is."""
    _same_as_scikit_learn(_blobs(300, 20, 7, spread=4.0), 7, **settings)


def test_empty_clusters_are_filled_as_scikit_learn_fills_them():
    """Three of four centres start on copies of one sample, so two are empty at once."""
    rng = np.random.default_rng(3)
    X = np.vstack([np.zeros((3, 6)), rng.normal(size=(40, 6)) + 4])
    starts = np.array([[0, 1, 2, 5], [9, 1, 2, 0]])
    found = cluster_by_gram(GramMatrix(X), starts, 300, 1e-4)
    for start, labels, inertia in zip(starts, found.labels, found.inertia, strict=True):
        theirs = _reference(X, start)
        assert len(set(labels)) == 4
        np.testing.assert_array_equal(labels, theirs.labels_)
        np.testing.assert_allclose(inertia, theirs.inertia_, rtol=1e-10)


@pytest.mark.parametrize(
    ("name", "n_clusters", "n_features", "seeds"),
    [
        ("ORL", 40, 500, range(10)),
        ("COIL20", 20, 170, range(5)),
        ("digits", 10, 64, range(5)),
        pytest.param("USPS", 10, 120, range(2)),
    ],
)
def test_labels_are_scikit_learns_on_real_images(real_pixels, name, n_clusters, n_features, seeds):
    X = real_pixels(name)
    order = np.random.default_rng(0).permutation(X.shape[1])[:n_features]
    X = np.ascontiguousarray(X[:, order])
    found = kmeans(X, n_clusters, seeds)
    for seed, labels, n_iter in zip(seeds, found.labels, found.n_iter, strict=True):
        theirs = _reference(X, random_start(seed, len(X), n_clusters))
        np.testing.assert_array_equal(labels, theirs.labels_)
        assert n_iter == theirs.n_iter_


def test_plus_plus_labels_are_scikit_learns():
    X = _blobs(90, 12, 6)
    found = kmeans(X, 6, SEEDS, init="k-means++")
    for seed, labels in zip(SEEDS, found.labels, strict=True):
        theirs = KMeans(6, init="k-means++", n_init=1, random_state=seed).fit(X)
        np.testing.assert_array_equal(labels, theirs.labels_)


@given(seed=st.integers(0, 2**31), n=st.integers(1, 500))
@settings(max_examples=counted(30, 1000))
def test_random_starts_are_different_samples_and_only_the_seed_decides(seed, n):
    c = 1 + seed % n
    start = random_start(seed, n, c)
    assert len(set(start.tolist())) == c
    assert start.min() >= 0
    assert start.max() < n
    np.testing.assert_array_equal(start, random_start(seed, n, c))
