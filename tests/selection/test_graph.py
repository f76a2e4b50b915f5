"""The affinity graph: against brute force, against two references, and its eigenvectors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eigh
from scipy.sparse import block_diag, coo_array, csr_array, eye_array
from scipy.spatial.distance import cdist

from cspca.selection.graph import (
    components,
    degrees,
    nearest_neighbors,
    neighbor_graph,
    resolve_graph,
    smallest_eigenvectors,
)
from tests.selection.references import graph_of


def _brute(X, k, metric="euclidean"):
    distances = cdist(X, X, metric)
    np.fill_diagonal(distances, np.inf)
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(distances, order, axis=1)


def _same_as_brute(X, k):
    indices, distances = nearest_neighbors(X, k)
    expected, lengths = _brute(X, k)
    np.testing.assert_array_equal(indices, expected)
    np.testing.assert_allclose(distances, lengths, rtol=1e-12)


def _joined(order, weights):
    """The graph in which two samples are joined when one is a neighbour of the other."""
    graph = np.zeros((len(order), len(order)))
    np.put_along_axis(graph, order, weights, axis=1)
    return np.maximum(graph, graph.T)


# --- neighbours ------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 5, 30])
def test_neighbours_are_those_of_brute_force(k):
    _same_as_brute(np.random.default_rng(k).random((1200, 7)), k)


@given(st.integers(0, 10_000), st.integers(2, 40), st.integers(1, 6))
def test_ties_and_copies_go_by_index(seed, n, k):
    """Small whole numbers: most distances occur many times, and many samples are equal."""
    X = np.random.default_rng(seed).integers(0, 2, (n, 3)).astype(float)
    _same_as_brute(X, min(k, n - 1))


@pytest.mark.parametrize("factor", [1e-170, 1e160])
def test_scale_of_the_data_does_not_matter(factor):
    X = np.random.default_rng(0).random((50, 4))
    np.testing.assert_array_equal(nearest_neighbors(X, 5)[0], nearest_neighbors(X * factor, 5)[0])


def test_far_outliers_do_not_blur_the_near_ones():
    X = np.random.default_rng(0).random((1500, 5))
    X[::100] += 1e4
    _same_as_brute(X, 5)


# --- the graph -------------------------------------------------------------------------------


def test_graph_is_the_formula():
    X = np.random.default_rng(1).random((60, 5))
    order, lengths = _brute(X, 4)
    sigma = np.median(lengths)
    for options, weigh in [
        ({}, lambda d: np.exp(-(d**2) / (2 * sigma**2))),
        ({"width": 0.3}, lambda d: np.exp(-(d**2) / (2 * 0.3**2))),
        ({"weight": "binary"}, np.ones_like),
    ]:
        expected = _joined(order, weigh(lengths))
        graph = neighbor_graph(X, 4, **options)
        np.testing.assert_allclose(graph.toarray(), expected, rtol=1e-12)
        assert not graph.diagonal().any()


def test_cosine_and_the_callers_array():
    X = np.random.default_rng(2).standard_normal((50, 6))
    X[7] = 0.0
    before = X.copy()
    graph = neighbor_graph(X, 3, weight="cosine").toarray()
    np.testing.assert_array_equal(X, before)
    order, distances = _brute(np.delete(X, 7, 0), 3, "cosine")
    others = np.delete(np.delete(graph, 7, 0), 7, 1)
    np.testing.assert_allclose(others, _joined(order, (1 - distances).clip(0)), atol=1e-12)
    assert not graph[7].any()
    assert not graph[:, 7].any()


def test_median_zero_falls_to_the_positive_distances():
    X = np.vstack([np.zeros((20, 1)), [[1.0], [2.0], [3.0]]])
    graph = neighbor_graph(X, 2)
    assert 0 < graph[21, 22] < 1


def test_too_narrow_a_width_leaves_isolated_samples():
    X = np.vstack([np.arange(5)[:, None] * 0.01, [[1e3]]])
    graph = neighbor_graph(X, 2, width=0.01)
    assert degrees(graph)[5] == 0
    assert [list(group) for group in components(graph)] == [[0, 1, 2, 3, 4]]
    with pytest.raises(ValueError, match="raise width"):
        resolve_graph(X * 1e6, None, n_neighbors=2, width=1e-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_neighbors": 0}, "at least 1"),
        ({"weight": "gauss"}, "one of heat, binary, cosine"),
        ({"width": 0.0}, "positive number"),
        ({"width": "mean"}, "'median' or a positive number"),
        ({"graph": np.eye(4)}, "SciPy sparse matrix"),
        ({"graph": eye_array(3)}, "be 4 × 4, but it is 3 × 3"),
        ({"graph": csr_array(np.triu(np.ones((4, 4))))}, "symmetric"),
        ({"graph": csr_array(-np.ones((4, 4)))}, "not negative"),
        ({"graph": csr_array(np.full((4, 4), np.nan))}, "finite"),
        ({"graph": eye_array(4)}, "joins no two samples"),
    ],
)
def test_wrong_choices_and_graphs_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        resolve_graph(np.eye(4), **{"graph": None, **options})


def test_a_ready_graph_is_taken_and_left_alone():
    given_graph = coo_array(np.array([[1.0, 2, 0], [2, 0, 0], [0, 0, 0]]))
    taken = resolve_graph(np.zeros((3, 2)), given_graph)
    np.testing.assert_array_equal(taken.toarray(), given_graph.toarray())
    np.testing.assert_array_equal(degrees(taken), [3, 2, 0])


# --- against the references ------------------------------------------------------------------


@pytest.mark.real_data
@pytest.mark.parametrize(("name", "n_components"), [("ORL", 3), ("digits", 2)])
def test_graphs_are_the_original_codes(name, n_components, shared_reference, real_pixels):
    """Digits are whole numbers: where the fifth and sixth neighbour tie, either is right."""
    X = real_pixels(name)
    graph, expected = neighbor_graph(X), graph_of(shared_reference(f"original_{name}"))
    assert len(components(expected)) == n_components
    difference = abs(graph - expected).tocoo()
    differing = difference.data > 1e-12
    if name == "ORL":
        assert graph.nnz == expected.nnz
        assert not differing.any()
    assert differing.sum() < 40
    lengths = cdist(X, X)
    np.fill_diagonal(lengths, np.inf)
    fifth, sixth = np.sort(lengths, axis=1)[:, 4:6].T
    for i, j in zip(difference.row[differing], difference.col[differing], strict=True):
        assert any(
            abs(lengths[i, j] - fifth[s]) < 1e-9 and abs(fifth[s] - sixth[s]) < 1e-9 for s in (i, j)
        )


@pytest.mark.real_data
def test_eigenvectors_are_the_original_codes(shared_reference, real_pixels):
    """The space they span: theirs are another basis where eigenvalues are close or zero."""
    X = real_pixels("digits")
    parts = shared_reference("original_digits")
    graph = graph_of(parts)
    theirs = parts["eigenvectors"]
    _, ours = smallest_eigenvectors(graph, theirs.shape[1])
    D = degrees(graph)[:, None]
    ones = np.ones((len(X), 1))
    basis = np.hstack([ones / np.sqrt(D.sum()), ours])
    residual = theirs - basis @ (basis.T @ (D * theirs))
    assert np.abs(residual).max() < 1e-6 * np.abs(theirs).max()


# --- eigenvectors ----------------------------------------------------------------------------


def _blob(n, seed):
    return neighbor_graph(np.random.default_rng(seed).random((n, 3)), 4)


@pytest.mark.parametrize("sizes", [(300,), (300, 90, 40)])
def test_eigenvectors_solve_the_problem(sizes):
    S = csr_array(block_diag([_blob(n, seed) for seed, n in enumerate(sizes)]))
    k = 12
    values, vectors = smallest_eigenvectors(S, k)
    D = np.diag(degrees(S))
    L = D - S.toarray()
    np.testing.assert_allclose(values, eigh(L, D, eigvals_only=True)[1 : k + 1], atol=1e-10)
    np.testing.assert_allclose(L @ vectors, D @ vectors * values, atol=1e-9)
    np.testing.assert_allclose(vectors.T @ D @ vectors, np.eye(k), atol=1e-9)
    np.testing.assert_allclose(vectors.T @ D @ np.ones(len(D)), 0, atol=1e-9)


def test_components_are_ordered_by_samples_then_degree_then_index():
    small, large = _blob(20, 0), _blob(50, 1)
    S = csr_array(block_diag([small, 9 * small, large, small]))
    assert [group[0] for group in components(S)] == [40, 20, 0, 90]


def test_null_space_is_the_documented_one():
    small, large = 30 * _blob(20, 0), _blob(50, 1)
    middle = _blob(30, 2)
    S = csr_array(block_diag([small, large, middle, csr_array((3, 3))]))
    values, vectors = smallest_eigenvectors(S, 5)
    np.testing.assert_array_equal(values[:2], 0)
    first, second = vectors[:, 0], vectors[:, 1]
    in_small, in_large, in_middle = slice(0, 20), slice(20, 70), slice(70, 100)
    d = degrees(S)
    # Gram–Schmidt by hand: indicator of the largest, less its part along the constant
    indicator = np.zeros(103)
    indicator[in_large] = 1
    indicator[:100] -= d[in_large].sum() / d.sum()
    indicator /= np.sqrt((d * indicator**2).sum())
    np.testing.assert_allclose(np.abs(first), np.abs(indicator), atol=1e-12)
    assert not second[in_large].any()
    assert second[in_small].std() < 1e-12
    assert second[in_middle].std() < 1e-12
    assert not vectors[100:].any()
