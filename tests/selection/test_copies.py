"""Samples that are there many times: in a graph of neighbours exact copies count as one."""

import numpy as np
import pytest

from cspca.selection import MCFS, METHODS, NDFS

ON_A_GRAPH = ("laplacian", "spec", "mcfs", "ndfs", "udfs", "sogfs")


@pytest.fixture(scope="module")
def two_classes():
    """Thirty samples; two columns tell the classes apart."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 12))
    X[:, [5, 9]] += 4.0 * np.repeat([0.0, 1.0], 15)[:, None]
    return X


@pytest.mark.parametrize("key", ON_A_GRAPH)
def test_copies_of_every_sample_change_nothing(key, two_classes):
    method = METHODS[key].make(2, n_features_to_select=4)
    scores = method.fit(two_classes).feature_scores_.copy()
    again = method.fit(np.repeat(two_classes, 7, axis=0))
    np.testing.assert_array_equal(again.feature_scores_, scores)


@pytest.mark.parametrize("key", ON_A_GRAPH)
def test_a_crowd_of_copies_of_one_sample_changes_nothing(key, two_classes):
    method = METHODS[key].make(2, n_features_to_select=4)
    scores = method.fit(two_classes).feature_scores_.copy()
    crowded = method.fit(np.vstack([two_classes, np.repeat(two_classes[:1], 50, axis=0)]))
    np.testing.assert_array_equal(crowded.feature_scores_, scores)


def test_what_is_said_of_samples_is_said_of_copies_too(two_classes):
    X = np.repeat(two_classes, 6, axis=0)
    for values in (MCFS(2).fit(X).eigenvectors_, NDFS(2).fit(X).indicators_):
        assert values.shape == (180, 2)
        np.testing.assert_array_equal(values, np.repeat(values[::6], 6, axis=0))


@pytest.mark.parametrize("key", ON_A_GRAPH)
def test_too_few_samples_that_differ_are_refused(key, two_classes):
    X = np.repeat(two_classes[:5], 8, axis=0)
    needed = 7 if key == "sogfs" else 6
    sentence = (
        f"n_neighbors=5 needs at least {needed} samples that differ, but there are 5: lower "
        "n_neighbors or give more samples"
    )
    with pytest.raises(ValueError, match=sentence):
        METHODS[key].make(2).fit(X)
    if key not in ("laplacian", "spec"):
        with pytest.raises(ValueError, match="n_clusters=6 but X has only 5 samples that differ"):
            METHODS[key].make(6).fit(X)
