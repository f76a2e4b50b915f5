"""CSPCA as a selector is CSPCA."""

import numpy as np
import pytest

from cspca import CSPCA
from cspca.selection import CSPCASelector


@pytest.fixture(scope="module")
def pixels(small_faces):
    X = np.array(small_faces.data, dtype=np.float64)
    X[:, [3, 17]] = 0.5
    return X


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("alpha", "beta"), [(0.3, 0.05), (0.01, 0.01), (1.0, 0.5)])
def test_same_scores_and_order(pixels, alpha, beta, dtype):
    X = pixels.astype(dtype)
    model, selector = CSPCA(alpha, beta).fit(X), CSPCASelector(alpha, beta).fit(X)
    np.testing.assert_array_equal(selector.feature_scores_, model.feature_scores_)
    live = set(np.flatnonzero(np.ptp(X, axis=0)))
    # far beyond the limits live pixels tie with dead ones in the model, not in the selector
    for one, other in zip(
        (j for j in selector.feature_order_ if j in live),
        (j for j in model.feature_order_ if j in live),
        strict=True,
    ):
        assert one == other
    kept = sorted(live)
    np.testing.assert_allclose(
        selector.signed_scores_[kept], model.signed_scores_[kept], rtol=0, atol=1e-6
    )
    assert selector.model_.duality_gap_ == model.duality_gap_


def test_same_parameters():
    ours = CSPCASelector().get_params()
    assert ours.pop("n_features_to_select") is None
    assert ours == CSPCA().get_params()


def test_warm_start_goes_on(pixels):
    selector = CSPCASelector(0.3, 0.05, warm_start=True, tol=1e-5).fit(pixels)
    steps = selector.model_.n_iter_
    selector.set_params(alpha=0.29).fit(pixels)
    cold = CSPCASelector(0.29, 0.05, tol=1e-5).fit(pixels)
    assert selector.model_.n_iter_ < cold.model_.n_iter_
    assert steps > 1
    assert selector.model_.converged_
