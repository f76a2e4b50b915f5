"""What must not decide a robust split, method by method, and every exception with its sentence."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from cspca.robust import ROBUST, RobustSettings, explain
from tests.robust.methods import robust_methods

METHODS = robust_methods(3)

CHANGES = {
    "every sample twice": {
        "pcp": "Every sample twice is λ times √2",
        "op": "Every sample twice is λ times √2",
    },
    "one sample five times": dict.fromkeys(
        ("r1pca", "fms", "gms", "pcp", "op"), "sample that is there twice counts twice"
    ),
    "a constant pixel that is not taken off": dict.fromkeys(
        METHODS, "without it a constant pixel is one like others"
    ),
}
"""What changes, and what the description of the method or of all says of it."""

ON_SCREEN = {"every sample twice": "every sample twice is another λ"}
"""What the line of the registry says of it."""


def tall():
    """Fifty samples near three directions, ten others; twelve pixels."""
    rng = np.random.default_rng(0)
    near = rng.standard_normal((50, 3)) @ rng.standard_normal((3, 12))
    return np.vstack([near + 0.1 * rng.standard_normal((50, 12)), rng.standard_normal((10, 12))])


def wide():
    """Eighteen samples of forty pixels."""
    rng = np.random.default_rng(1)
    near = rng.standard_normal((14, 3)) @ rng.standard_normal((3, 40))
    return np.vstack([near + 0.1 * rng.standard_normal((14, 40)), rng.standard_normal((4, 40))])


SHAPES = {"n > d": tall(), "n < d": wide()}


@pytest.fixture(scope="module", params=SHAPES)
def samples(request):
    return SHAPES[request.param]


@pytest.fixture(params=[False, True], ids=["as they are", "centred"])
def fit(request):
    def rebuilt(key, X):
        model = clone(METHODS[key]).set_params(center=request.param)
        if key == "gms":
            model.set_params(tol=1e-6)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return model.fit(X).low_rank_

    rebuilt.center = request.param
    return rebuilt


def _check(change, key, rebuilt, expected):
    """Equal, or an exception that the table names and the method's description explains."""
    # The geometric median is known to a tolerance of 1e-6 of its minimum.
    near = (1e-5 if key == "gms" else 1e-8) * np.abs(expected).max()
    sentence = CHANGES.get(change, {}).get(key)
    if sentence is None:
        np.testing.assert_allclose(rebuilt, expected, rtol=0, atol=near)
        return True
    described = " ".join(" ".join(str(one.__doc__) for one in type(METHODS[key]).__mro__).split())
    assert sentence in described
    assert ON_SCREEN.get(change, "") in ROBUST[key].note
    return bool(np.abs(rebuilt - expected).max() > near)


def _changed(X):
    """The samples after each change, and the places of the original samples and pixels."""
    rng = np.random.default_rng(5)
    n, d = X.shape
    rows, places = rng.permutation(n), rng.permutation(d)
    return {
        "order": (X[np.ix_(rows, places)], np.argsort(rows), np.argsort(places)),
        "every sample twice": (np.repeat(X, 2, axis=0), 2 * np.arange(n), np.arange(d)),
        "one sample five times": (X[[*range(n), *[n - 1] * 4]], np.arange(n), np.arange(d)),
    }


@pytest.mark.parametrize("key", METHODS)
@pytest.mark.parametrize("change", _changed(tall()))
def test_what_says_nothing_new_changes_nothing(change, key, fit):
    if fit.center and change == "one sample five times":
        pytest.skip("copies of one sample move the mean, whatever the method")
    differs = []
    for X in SHAPES.values():
        Y, rows, places = _changed(X)[change]
        differs.append(_check(change, key, fit(key, Y)[np.ix_(rows, places)], fit(key, X)))
    assert any(differs)


@pytest.mark.parametrize("key", METHODS)
def test_another_unit_of_all_pixels_changes_nothing(key, samples, fit):
    _check("another unit", key, fit(key, 1e-7 * samples) / 1e-7, fit(key, samples))


@pytest.mark.parametrize("key", METHODS)
def test_a_copy_of_a_pixel_is_rebuilt_as_it_is(key, samples, fit):
    """All else may change: errors in the two of them count twice."""
    rebuilt = fit(key, np.column_stack([samples, samples[:, 2]]))
    np.testing.assert_allclose(rebuilt[:, -1], rebuilt[:, 2], atol=1e-9)


@pytest.mark.parametrize("key", METHODS)
def test_constant_pixels(key, samples, fit):
    """Zeros change nothing, others nothing once the mean is off."""
    live = np.setdiff1d(np.arange(samples.shape[1] + 2), [3, 8])
    expected = fit(key, samples)
    dead = fit(key, np.insert(samples, [3, 7], 0.0, axis=1))
    np.testing.assert_allclose(dead[:, live], expected, rtol=0, atol=1e-10)
    constant = fit(key, np.insert(samples, [3, 7], [0.5, 2.0], axis=1))[:, live]
    if fit.center:
        np.testing.assert_allclose(constant, expected, rtol=0, atol=1e-10)
    else:
        assert _check("a constant pixel that is not taken off", key, constant, expected)


@pytest.mark.parametrize("key", METHODS)
def test_single_precision_is_fitted_as_the_numbers_that_it_holds(key, samples, fit):
    single = samples.astype(np.float32)
    np.testing.assert_array_equal(fit(key, single), fit(key, single.astype(np.float64)))


@pytest.mark.parametrize("key", ["forest", "lof", "knn", "norm"])
@pytest.mark.parametrize("unit", [1e-60, 1e60])
def test_rivals_of_scikit_learn_rank_the_same_in_any_unit(key, unit):
    """The forest ranked by number of the row, and so did the local outlier factor."""
    usual, other = (explain(key, X, RobustSettings(3)).scores for X in (tall(), tall() * unit))
    np.testing.assert_array_equal(np.argsort(other), np.argsort(usual))
