"""SPEC: all three functions by dense algebra, the authors' own code, and the peer's faults."""

import numpy as np
import pytest
from scipy.sparse import block_diag, csr_array

from cspca.selection import SPEC, neighbor_graph
from cspca.selection.graph import components
from tests.selection.references import graph_of

FUNCTIONS = ("phi1", "phi2", "phi3")


def _by_the_formula(X, S, function, k):
    root = np.sqrt(S.sum(axis=1))
    laplacian = np.eye(len(X)) - S / np.outer(root, root)
    values, vectors = np.linalg.eigh(laplacian)
    scores = []
    for f in X.T:
        unit = root * f / np.linalg.norm(root * f)
        rough = unit @ laplacian @ unit
        along = vectors.T @ unit
        if function == "phi1":
            scores.append(-rough)
        elif function == "phi2":
            scores.append(-rough / (1 - along[0] ** 2))
        else:
            scores.append(((2 - values) * along**2)[1:k].sum())
    return np.array(scores)


@pytest.fixture(scope="module")
def blobs():
    """Four clusters, a feature of noise (3) and one with a large mean (4), on one component."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.random((4, 6)), 15, axis=0) + 0.6 * rng.random((60, 6))
    X[:, 3] = rng.random(60)
    X[:, 4] += 5.0
    return X


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("k", [2, 4, None])
def test_formula(blobs, function, k):
    graph = neighbor_graph(blobs)
    assert len(components(graph)) == 1, "the formula needs one simple zero eigenvalue"
    model = SPEC(function, k).fit(blobs)
    expected = _by_the_formula(blobs, graph.toarray(), function, 60 if k is None else k)
    np.testing.assert_allclose(model.feature_scores_, expected, rtol=1e-9)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_smooth_features_come_first_and_constant_ones_last(function):
    """φ₁ and φ₂ are costs: ranked in descending order they would put the noise first."""
    rng = np.random.default_rng(3)
    clusters = np.vstack([np.eye(4), -np.ones(4)])
    X = np.repeat(clusters, 12, axis=0) + 0.05 * rng.standard_normal((60, 4))
    noise = 0.3 * rng.standard_normal((60, 3))
    X = np.hstack([noise, X, np.full((60, 2), 0.7), np.zeros((60, 1))])
    order = SPEC(function, 5).fit(X).feature_order_
    assert set(order[:4]) == {3, 4, 5, 6}
    assert set(order[4:7]) == {0, 1, 2}
    assert set(order[7:]) == {7, 8, 9}


def _disconnected():
    rng = np.random.default_rng(4)
    parts = [rng.random((n, 5)) + 10 * c for c, n in enumerate((40, 25, 60, 12))]
    return np.vstack(parts)


@pytest.mark.parametrize("k", [2, 3, 4, 7])
def test_a_disconnected_graph_has_one_answer(k):
    """With k of 2 or 3, φ₃ sees part of a null space of four dimensions."""
    X = _disconnected()
    assert len(components(neighbor_graph(X))) == 4
    model = SPEC("phi3", k).fit(X)
    again = SPEC("phi3", k).fit(X)
    np.testing.assert_array_equal(model.feature_scores_, again.feature_scores_)
    order = np.random.default_rng(0).permutation(len(X))
    moved = SPEC("phi3", k).fit(X[order])
    np.testing.assert_allclose(moved.feature_scores_, model.feature_scores_, rtol=1e-8)


def test_phi3_takes_the_largest_component_first():
    X = _disconnected()
    model = SPEC("phi3", 2).fit(X)
    graph = neighbor_graph(X).toarray()
    degree = graph.sum(axis=1)
    y = np.zeros(len(X))
    y[65:125] = 1.0
    y -= (degree @ y) / degree.sum()
    expected = 2 * (X.T @ (degree * y)) ** 2 / (degree @ y**2) / (degree @ X**2)
    np.testing.assert_allclose(model.feature_scores_, expected, rtol=1e-9)


def test_isolated_samples_are_outside_the_spectrum():
    X = _disconnected()[:65]
    S = neighbor_graph(X)
    more = csr_array(block_diag([csr_array((3, 3)), S]))
    padded = np.vstack([np.full((3, 5), 2.0), X])
    for function in FUNCTIONS:
        alone = SPEC(function, 5, graph=S).fit(X).feature_scores_
        beside = SPEC(function, 5, graph=more).fit(padded).feature_scores_
        np.testing.assert_allclose(beside, alone, rtol=1e-8)


@pytest.mark.real_data
@pytest.mark.parametrize("function", ["phi1", "phi2"])
@pytest.mark.parametrize("name", ["digits", "ORL"])
def test_the_authors_code_answers_the_same(name, function, shared_reference, real_pixels):
    X, parts = real_pixels(name), shared_reference(f"original_{name}")
    live = np.ptp(X, axis=0) > 0
    model = SPEC(function, graph=graph_of(parts)).fit(X)
    theirs = parts[f"spec_{function}"]
    np.testing.assert_allclose(-model.feature_scores_[live], theirs[live], rtol=1e-6)
    n_live = np.count_nonzero(live)
    assert set(model.feature_order_[n_live:]) == set(np.flatnonzero(~live))
    ranked = theirs[model.feature_order_[:n_live]]
    assert np.all(np.diff(ranked) >= -1e-9), "small is good"


@pytest.mark.real_data
def test_the_authors_phi3(shared_reference, real_pixels):
    parts = shared_reference("original_ORL")
    model = SPEC("phi3", 40, graph=graph_of(parts, prefix="W3_")).fit(real_pixels("ORL"))
    np.testing.assert_allclose(model.feature_scores_, parts["spec_phi3"], rtol=1e-6)
