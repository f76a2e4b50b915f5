"""The robust methods as scikit-learn estimators: one shape, and bad input said in one sentence."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.robust.methods import robust_methods

METHODS = robust_methods(3)
SUBSPACES = [key for key in METHODS if key not in ("pcp", "op")]


@parametrize_with_checks([*robust_methods(10).values()])
def test_scikit_learn_accepts_it(estimator, check):
    with warnings.catch_warnings():
        # The checks fit tiny noise, where a reweighting need not reach its tolerance.
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


@pytest.fixture(scope="module")
def images():
    """Forty images near a plane, and eight that are not; they lie away from 0."""
    rng = np.random.default_rng(0)
    inliers = rng.normal(size=(40, 2)) @ rng.normal(size=(2, 12))
    return np.vstack([inliers, rng.normal(size=(8, 12))]) + 1.0


@pytest.mark.parametrize("key", METHODS)
@pytest.mark.parametrize("center", [False, True])
def test_one_shape(key, center, images):
    model = clone(METHODS[key]).set_params(center=center).fit(images)
    n, d = images.shape
    assert model.components_.shape == (model.rank_, d)
    np.testing.assert_allclose(
        model.components_ @ model.components_.T, np.eye(model.rank_), atol=1e-9
    )
    assert model.sample_residuals_.shape == (n,)
    np.testing.assert_allclose(model.sample_residuals_, np.linalg.norm(model.sparse_, axis=1))
    np.testing.assert_allclose(model.low_rank_ + model.sparse_, images, atol=1e-5)
    # The row space of what is rebuilt is that of the components.
    rebuilt = model.low_rank_ - model.mean_
    inside = rebuilt @ model.components_.T @ model.components_
    np.testing.assert_allclose(inside, rebuilt, atol=1e-7)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    np.testing.assert_array_equal(again.sample_residuals_, model.sample_residuals_)


@pytest.mark.parametrize("key", SUBSPACES)
def test_unseen_images_are_projected(key, images):
    model = clone(METHODS[key]).set_params(center=True).fit(images)
    unseen = images[:5] + 0.1
    np.testing.assert_allclose(model.reconstruct(images), model.low_rank_, atol=1e-10)
    coordinates = model.transform(unseen)
    assert coordinates.shape == (5, 3)
    np.testing.assert_allclose(model.inverse_transform(coordinates), model.reconstruct(unseen))
    assert model.transform(unseen.astype(np.float32)).dtype == np.float32
    with pytest.raises(ValueError, match=r"must have rank_ = 3 columns, as transform returns"):
        model.inverse_transform(np.ones((2, 4)))


@pytest.mark.parametrize("key", METHODS)
def test_bad_input_is_said_in_a_sentence(key, images):
    with pytest.raises(ValueError, match="1 sample"):
        clone(METHODS[key]).fit(images[:1])
    with pytest.raises(ValueError, match="All samples of X are equal, so none of them is an outl"):
        clone(METHODS[key]).fit(np.ones((5, 3)))
    with pytest.raises(ValueError, match="leaves the range of double precision: divide the data"):
        clone(METHODS[key]).fit(1e160 * images)
