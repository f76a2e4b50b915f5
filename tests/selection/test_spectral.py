"""Laplacian Score and SPEC: dense algebra, the authors' own code, and the peer's faults."""

import numpy as np
import pytest
from scipy.sparse import block_diag, csr_array

from cspca.selection import SPEC, LaplacianScore, neighbor_graph
from cspca.selection.graph import components
from tests.selection.references import graph_of

EVERY_FUNCTION = pytest.mark.parametrize("function", ["laplacian", "phi1", "phi2", "phi3"])


def _make(function, k=None, **options):
    if function == "laplacian":
        return LaplacianScore(**options)
    return SPEC(function, k, **options)


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
        elif function == "laplacian":
            ones = np.ones(len(f))
            f = f - (f @ root**2) / (ones @ root**2) * ones
            scores.append(1 - f @ (np.diag(root**2) - S) @ f / (f @ (root**2 * f)))
        else:
            scores.append(((2 - values) * along**2)[1:k].sum())
    return np.array(scores)


@EVERY_FUNCTION
@pytest.mark.parametrize("k", [2, 4, None])
@pytest.mark.parametrize("loops", [0.0, 1.0])
def test_formula(function, k, loops):
    """Four clusters, a feature of noise and one with a large mean, on one component.

    Loops of a ready graph count in the degrees.
    """
    rng = np.random.default_rng(0)
    X = np.repeat(rng.random((4, 6)), 15, axis=0) + 0.6 * rng.random((60, 6))
    X[:, 3] = rng.random(60)
    X[:, 4] += 5.0
    graph = neighbor_graph(X)
    assert len(components(graph)) == 1, "the formula needs one simple zero eigenvalue"
    S = graph.toarray() + loops * np.eye(60)
    model = _make(function, k, graph=csr_array(S) if loops else None).fit(X)
    expected = _by_the_formula(X, S, function, 60 if k is None else k)
    rtol = 1e-10 if function == "laplacian" else 1e-9
    np.testing.assert_allclose(model.feature_scores_, expected, rtol=rtol)


@EVERY_FUNCTION
def test_smooth_features_come_first_and_constant_ones_last(function):
    """φ₁ and φ₂ are costs: ranked in descending order they would put the noise first."""
    rng = np.random.default_rng(3)
    clusters = np.vstack([np.eye(4), -np.ones(4)])
    X = np.repeat(clusters, 12, axis=0) + 0.05 * rng.standard_normal((60, 4))
    noise = 0.3 * rng.standard_normal((60, 3))
    X = np.hstack([noise, X, np.full((60, 2), 0.7), np.zeros((60, 1))])
    order = _make(function, 5).fit(X).feature_order_
    assert set(order[:4]) == {3, 4, 5, 6}
    assert set(order[4:7]) == {0, 1, 2}
    assert set(order[7:]) == {7, 8, 9}


@pytest.mark.parametrize("function", ["laplacian", "phi2"])
@pytest.mark.parametrize("offset", [-100.0, 0.0, 100.0])
def test_scale_and_offset_of_a_feature_do_not_matter(function, offset):
    X = np.random.default_rng(1).random((30, 6))
    model = _make(function, graph=neighbor_graph(X))
    scores = model.fit(X).feature_scores_
    changed = model.fit(X * [1e-3, -1e-3, 1.0, -1.0, 1e3, -1e3] + offset).feature_scores_
    np.testing.assert_allclose(changed, scores, atol=1e-7)


def _disconnected():
    rng = np.random.default_rng(4)
    parts = [rng.random((n, 5)) + 10 * c for c, n in enumerate((40, 25, 60, 12))]
    return np.vstack(parts)


@pytest.mark.parametrize("k", [2, 3, 4, 7])
def test_a_disconnected_graph_has_one_answer(k):
    """With k of 2 or 3, φ₃ sees part of a null space of four dimensions."""
    X = _disconnected()
    assert len(components(neighbor_graph(X))) == 4
    scores = SPEC("phi3", k).fit(X).feature_scores_
    moved = SPEC("phi3", k).fit(np.random.default_rng(0).permutation(X))
    np.testing.assert_allclose(moved.feature_scores_, scores, rtol=1e-8)


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


@EVERY_FUNCTION
def test_isolated_samples_are_outside_the_spectrum(function):
    """And a feature that they alone tell apart is last."""
    X = _disconnected()[:65]
    S = neighbor_graph(X)
    padded = np.vstack([np.full((3, 5), 2.0), X])
    padded = np.column_stack([padded, np.where(np.arange(68) == 1, 7.0, 0.3)])
    alone = _make(function, 5, graph=S).fit(X).feature_scores_
    beside = _make(function, 5, graph=csr_array(block_diag([csr_array((3, 3)), S]))).fit(padded)
    np.testing.assert_allclose(beside.feature_scores_[:5], alone, rtol=1e-10)
    assert beside.feature_order_[-1] == 5


@pytest.mark.real_data
@pytest.mark.parametrize("function", ["laplacian", "phi1", "phi2"])
@pytest.mark.parametrize("name", ["digits", "ORL"])
def test_the_authors_code_answers_the_same(name, function, shared_reference, real_pixels):
    X, parts = real_pixels(name), shared_reference(f"original_{name}")
    live = np.ptp(X, axis=0) > 0
    model = _make(function, graph=graph_of(parts)).fit(X)
    laplacian = function == "laplacian"
    expected = parts["laplacian_score"] if laplacian else -parts[f"spec_{function}"]
    np.testing.assert_allclose(model.feature_scores_[live], expected[live], rtol=1e-6)
    dead = np.flatnonzero(~live)
    assert set(model.feature_order_[len(live) - len(dead) :]) == set(dead)


@pytest.mark.real_data
def test_the_authors_phi3(shared_reference, real_pixels):
    parts = shared_reference("original_ORL")
    model = SPEC("phi3", 40, graph=graph_of(parts, prefix="W3_")).fit(real_pixels("ORL"))
    np.testing.assert_allclose(model.feature_scores_, parts["spec_phi3"], rtol=1e-6)
