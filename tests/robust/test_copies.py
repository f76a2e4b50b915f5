"""Dead pixels and repeated samples: what tells nothing new changes nothing."""

import numpy as np
import pytest

from cspca.evaluation import subspace_sine
from cspca.preprocessing import distinct_rows
from cspca.robust import CoherencePursuit, GeometricMedianSubspace


@pytest.mark.parametrize("center", [False, True])
def test_the_geometric_median_of_dependent_pixels_lies_in_their_span(center):
    """A copy, a sum and a dead one: no direction outside their span may be returned."""
    rng = np.random.default_rng(0)
    noise = 0.05 * rng.standard_normal((60, 10))
    plane = rng.standard_normal((60, 2)) @ rng.standard_normal((2, 10)) + noise
    X = np.c_[plane, plane[:, 0], plane.sum(axis=1), np.zeros(60)]
    model = GeometricMedianSubspace(n_components=2, center=center).fit(X)
    assert model.t_star_ == 0.0
    span = np.linalg.svd(X, full_matrices=False)[2][:10]
    inside = model.components_ @ span.T @ span
    np.testing.assert_allclose(inside, model.components_, atol=1e-9)
    assert not model.components_[:, -1].any()
    assert np.sum(model.sparse_**2) <= 2e-3 * np.sum(X**2)


def _measured(times, noise=0.0):
    """Twenty samples of a subspace of three dimensions, each measured so often, and five others."""
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(rng.standard_normal((30, 3)))[0]
    inliers = np.repeat(rng.standard_normal((20, 3)) @ basis.T, times, axis=0)
    outliers = rng.standard_normal((5, 30))
    inliers += noise * np.random.default_rng(1).standard_normal(inliers.shape)
    return np.vstack([inliers, outliers]), basis


@pytest.mark.parametrize("times", [1, 2, 20])
@pytest.mark.parametrize("noise", [0.0, 1e-6])
def test_coherence_pursuit_finds_the_subspace_of_repeated_samples(times, noise):
    X, basis = _measured(times, noise)
    model = CoherencePursuit(n_components=3).fit(X)
    assert subspace_sine(basis, model.components_.T) <= 1e3 * noise + 1e-10
    assert model.sample_residuals_[:-5].max() <= 1e3 * noise + 1e-10
    if noise == 0.0:
        once = CoherencePursuit(n_components=3).fit(_measured(1)[0]).coherence_
        np.testing.assert_allclose(model.coherence_[:-5], np.repeat(once[:-5], times), rtol=1e-9)


def test_distinct_rows_are_the_first_of_their_copies():
    X = np.array([[1.0, 2.0], [0.0, 3.0], [1.0, 2.0], [-0.0, 3.0], [5.0, 5.0]])
    first, copy_of = distinct_rows(X)
    np.testing.assert_array_equal(first, [0, 1, 4])
    np.testing.assert_array_equal(copy_of, [0, 1, 0, 1, 2])
    np.testing.assert_array_equal(X[first][copy_of], X)
