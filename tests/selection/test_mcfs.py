"""MCFS against its authors' answers, and the parts of it that peers get wrong."""

import numpy as np
import pytest

from cspca.selection.graph import neighbor_graph, smallest_eigenvectors
from cspca.selection.mcfs import MCFS, least_angle_coefficients, vertices

# --- the authors' answers ----------------------------------------------------------------------


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["digits", "ORL"])
def test_authors_coefficients_and_selections(name, real_pixels, shared_reference):
    X, original = real_pixels(name), shared_reference(f"original_{name}")
    Y = original["eigenvectors"]
    model = MCFS(n_nonzero=60, eigenvectors=Y, n_features_to_select=60).fit(X)
    expected = original["mcfs_coefficients_60"]
    scale = np.abs(expected).max()
    np.testing.assert_allclose(model.coefficients_, expected, rtol=0, atol=1e-6 * scale)
    np.testing.assert_array_equal(model.feature_order_[:60], original["mcfs_selected_60"])
    # Their code walked to 60 non-zeros and kept, of each path, the last vertex with 20.
    G = X.T @ X + 1e-3 * np.eye(X.shape[1])
    found = np.zeros((X.shape[1], Y.shape[1]))
    for k, y in enumerate(Y.T):
        last = [v for v in vertices(G, X.T @ y, 60) if len(v.active) == 20][-1]
        found[last.active, k] = last.coefficients / np.linalg.norm(last.coefficients)
    expected = original["mcfs_coefficients_20"]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max())
    # The first vertex with 20, which is what is asked for here, selects the same pixels.
    model = MCFS(n_nonzero=20, eigenvectors=Y).fit(X)
    np.testing.assert_array_equal(model.feature_order_[:20], original["mcfs_selected_20"])


# --- what the method promises ------------------------------------------------------------------


def test_it_is_the_graph_s_embedding_that_is_regressed_on(samples):
    model = MCFS(n_clusters=3, n_nonzero=4).fit(samples)
    _, expected = smallest_eigenvectors(neighbor_graph(samples), 3)
    np.testing.assert_allclose(model.eigenvectors_, expected)
    assert ((model.coefficients_ != 0).sum(axis=0) == 4).all()
    np.testing.assert_allclose(np.linalg.norm(model.coefficients_, axis=0), 1.0)
    np.testing.assert_array_equal(model.feature_scores_, np.abs(model.coefficients_).max(axis=1))


def test_the_sign_and_scale_of_an_eigenvector_mean_nothing(samples):
    Y = MCFS(n_clusters=3).fit(samples).eigenvectors_
    expected = MCFS(eigenvectors=Y).fit(samples)
    flipped = MCFS(eigenvectors=Y * [-1.0, 1.0, -1.0]).fit(samples)
    np.testing.assert_array_equal(flipped.signed_scores_, expected.signed_scores_)
    scaled = MCFS(eigenvectors=Y * [-8.0, 0.25, 2.0]).fit(samples)
    np.testing.assert_allclose(scaled.signed_scores_, expected.signed_scores_, atol=1e-12)


def test_features_not_picked_are_ordered_by_how_close_they_were(samples):
    model = MCFS(n_clusters=3, n_nonzero=2).fit(samples)
    unpicked = np.flatnonzero(model.feature_scores_ == 0)
    live = unpicked[unpicked < 14]
    assert len(live) > 3
    assert len(np.unique(model.signed_scores_[live])) == len(live)
    X, Y = samples[:, :14], model.eigenvectors_
    coefficients = least_angle_coefficients(X.T @ X + 1e-3 * np.eye(14), X.T @ Y, 2)
    closeness = np.abs(X.T @ (Y - X @ coefficients))
    expected = (closeness / closeness.max(axis=0)).max(axis=1)
    np.testing.assert_allclose(model.signed_scores_[live] + 1, expected[live], atol=1e-3)


def test_by_default_as_many_non_zeros_as_features_selected(samples):
    model = MCFS(n_clusters=2, n_features_to_select=7).fit(samples)
    assert ((model.coefficients_ != 0).sum(axis=0) == 7).all()
    all_of_them = MCFS(n_clusters=2, n_features_to_select=16).fit(samples)
    assert ((all_of_them.coefficients_ != 0).sum(axis=0) == 14).all()
    few = MCFS(n_clusters=2, n_features_to_select=12).fit(samples[::5])
    assert ((few.coefficients_ != 0).sum(axis=0) == 6).all(), "half of 12 samples"
