"""Variance, loadings of PCA and of sparse PCA, and CSPCA as a selector."""

import numpy as np
import pytest
from sklearn.decomposition import PCA, SparsePCA

from cspca import CSPCA
from cspca.selection import (
    AllFeatures,
    CSPCASelector,
    MaxVariance,
    PCALoadings,
    SparsePCALoadings,
)


@pytest.fixture(scope="module")
def pixels(small_faces):
    X = np.array(small_faces.data, dtype=np.float64)
    X[:, [3, 17]] = 0.5
    return X


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["ORL", "COIL20"])
def test_variance_is_the_peers(name, shared_reference, real_pixels):
    model = MaxVariance().fit(real_pixels(name))
    theirs = shared_reference(f"{name}_maxvar")
    np.testing.assert_array_equal(model.feature_scores_, theirs["scores"])


def test_all_features_tie_and_all_are_kept(pixels):
    live = np.ptp(pixels, axis=0) > 0
    model = AllFeatures().fit(pixels)
    assert set(model.feature_scores_[live]) == {1.0}
    assert model.get_support().all()
    assert model.selection_scores_[~live].max() < 1.0
    few = AllFeatures(n_features_to_select=3).fit(pixels[:, live])
    assert few.get_support(indices=True).tolist() == [0, 1, 2]


@pytest.mark.parametrize("transpose", [False, True], ids=["n < d", "n > d"])
@pytest.mark.parametrize("n_components", [1, 4])
def test_pca_loadings_are_scikit_learns(pixels, transpose, n_components):
    X = np.ascontiguousarray(pixels.T if transpose else pixels)
    pca = PCA(n_components, svd_solver="full").fit(X)
    weighted = pca.components_.T * np.sqrt(pca.explained_variance_ * (len(X) - 1) / len(X))
    model = PCALoadings(n_components).fit(X)
    np.testing.assert_allclose(model.feature_scores_, np.linalg.norm(weighted, axis=1), atol=1e-12)


def test_sparse_loadings_are_scikit_learns(pixels):
    model = SparsePCALoadings(4, 0.5, tol=1e-6, random_state=0).fit(pixels)
    live = np.ptp(pixels, axis=0) > 0
    sparse = SparsePCA(4, alpha=0.5, tol=1e-6, max_iter=100, method="cd", random_state=0).fit(
        pixels[:, live]
    )
    scores = np.linalg.norm(sparse.components_, axis=0)
    np.testing.assert_array_equal(model.feature_scores_[live], scores)
    assert not model.feature_scores_[~live].any()


def test_unused_features_are_ordered_by_their_nearness(pixels):
    """Lower the penalty a little: those that enter stood near the head of the unused."""
    X = pixels[:, np.ptp(pixels, axis=0) > 0]
    here = SparsePCALoadings(3, 0.4, tol=1e-7, max_iter=300).fit(X)
    there = SparsePCALoadings(3, 0.37, tol=1e-7, max_iter=300).fit(X)
    unused = np.flatnonzero(here.feature_scores_ == 0)
    assert 20 < len(unused) < X.shape[1] - 20
    waiting = [j for j in here.feature_order_ if j in set(unused)]
    entered = [place for place, j in enumerate(waiting) if there.feature_scores_[j] > 0]
    assert len(entered) > 1
    assert np.mean(entered) < 0.25 * len(waiting)
    assert len(set(here.selection_scores_[unused])) == len(unused)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("alpha", "beta"), [(0.3, 0.05), (0.01, 0.01), (1.0, 0.5)])
def test_same_scores_and_order(pixels, alpha, beta, dtype):
    X = pixels.astype(dtype)
    model, selector = CSPCA(alpha, beta).fit(X), CSPCASelector(alpha, beta).fit(X)
    np.testing.assert_array_equal(selector.feature_scores_, model.feature_scores_)
    # far beyond the limits live pixels tie with dead ones in the model, not in the selector
    live = np.flatnonzero(np.ptp(X, axis=0))
    orders = selector.feature_order_, model.feature_order_
    selector_order, model_order = (order[np.isin(order, live)] for order in orders)
    np.testing.assert_array_equal(selector_order, model_order)
    np.testing.assert_allclose(
        selector.signed_scores_[live], model.signed_scores_[live], rtol=0, atol=1e-6
    )
    assert selector.model_.duality_gap_ == model.duality_gap_


def test_same_parameters():
    ours = CSPCASelector().get_params()
    assert ours.pop("n_features_to_select") is None
    assert ours == CSPCA().get_params()


def test_warm_start_goes_on(pixels):
    selector = CSPCASelector(0.3, 0.05, warm_start=True, tol=1e-5).fit(pixels)
    selector.set_params(alpha=0.29).fit(pixels)
    cold = CSPCASelector(0.29, 0.05, tol=1e-5).fit(pixels)
    assert selector.model_.n_iter_ < cold.model_.n_iter_
    assert selector.model_.converged_
