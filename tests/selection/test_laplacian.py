"""Laplacian Score: the formula, the authors' own code, and what must not change it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import block_diag, csr_array

from cspca.selection import LaplacianScore, neighbor_graph
from tests.selection.references import graph_of


def _by_the_formula(X, S):
    D = np.diag(S.sum(axis=1))
    ones = np.ones(len(X))
    scores = []
    for f in X.T:
        centred = f - (f @ D @ ones) / (ones @ D @ ones) * ones
        scores.append((centred @ (D - S) @ centred) / (centred @ D @ centred))
    return 1 - np.array(scores)


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(0)
    X = np.repeat(3 * rng.random((4, 6)), 10, axis=0) + 0.2 * rng.random((40, 6))
    X[:, 3] = rng.random(40)
    return X


def test_formula(blobs):
    S = neighbor_graph(blobs).toarray()
    model = LaplacianScore().fit(blobs)
    np.testing.assert_allclose(model.feature_scores_, _by_the_formula(blobs, S), rtol=1e-10)
    assert model.feature_order_[-1] == 3


def test_self_loops_count_in_the_degrees(blobs):
    S = neighbor_graph(blobs, width=1.0).toarray() + np.eye(40)
    model = LaplacianScore(graph=csr_array(S)).fit(blobs)
    np.testing.assert_allclose(model.feature_scores_, _by_the_formula(blobs, S), rtol=1e-10)


@given(
    st.integers(0, 5),
    st.floats(1e-3, 1e3).flatmap(lambda c: st.sampled_from([c, -c])),
    st.floats(-100, 100),
)
def test_scale_and_offset_of_a_feature_do_not_matter(j, factor, offset):
    rng = np.random.default_rng(1)
    X = rng.random((30, 6))
    graph = neighbor_graph(X)
    Y = X.copy()
    Y[:, j] = factor * Y[:, j] + offset
    before = LaplacianScore(graph=graph).fit(X).feature_scores_
    after = LaplacianScore(graph=graph).fit(Y).feature_scores_
    np.testing.assert_allclose(after, before, atol=1e-7)


def test_a_feature_seen_by_isolated_samples_only_is_last(blobs):
    S = csr_array(block_diag([neighbor_graph(blobs), csr_array((2, 2))]))
    X = np.vstack([blobs, np.zeros((2, 6))])
    X[:, 1] = 0.3
    X[-1, 1] = 7.0
    model = LaplacianScore(graph=S).fit(X)
    assert model.feature_order_[-1] == 1
    others = np.delete(np.arange(6), 1)
    np.testing.assert_allclose(
        model.feature_scores_[others],
        _by_the_formula(blobs[:, others], neighbor_graph(blobs).toarray()),
        rtol=1e-10,
    )


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["digits", "ORL"])
def test_the_authors_code_answers_the_same(name, shared_reference, real_pixels):
    X, parts = real_pixels(name), shared_reference(f"original_{name}")
    live = np.ptp(X, axis=0) > 0
    model = LaplacianScore(graph=graph_of(parts)).fit(X)
    np.testing.assert_allclose(
        model.feature_scores_[live], parts["laplacian_score"][live], rtol=1e-6
    )
    n_dead = np.count_nonzero(~live)
    assert set(model.feature_order_[len(live) - n_dead :]) == set(np.flatnonzero(~live))
