"""What must not decide a selection, method by method, and every exception with its sentence.

A change of the samples that says nothing new (their order, that of the features, the unit, copies,
constant features, single precision) leaves the scores as they are. Where it does not, `CHANGES`
names the reason, which the method's own description says too; that it does change is tested, so
that the table holds no exception that is none.
"""

import warnings
from functools import cache

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from cspca.selection import METHODS, FeatureSelector

CHOOSING = [key for key in METHODS if key != "all"]

SETTINGS = {
    "fspca": {"n_components": 2},
    "cspca": {"tol": 1e-9, "max_iter": 20_000},
    "spca-psd": {"tol": 1e-7, "max_iter": 20_000},
}
"""Certified gaps that leave no score open, and fewer directions than features, which tie else."""

UNIT = {"variance": 2, "pca": 1}
"""Power of the unit that the scores have themselves."""

_IN_THE_UNIT = "in the squared unit of `X`"
_COUNTED = "sample that is there twice counts twice"

ON_SCREEN = {
    "another unit": "the unit of the data",
    "every sample twice": "number of samples",
    "constant features": "Constant features are nodes too",
    "a copy of a feature": "copy of a feature",
}
"""What the line of the registry says of it."""

CHANGES = {
    "another unit": {
        "mcfs": "``XᵀX``",
        "udfs": _IN_THE_UNIT,
        "sparse-pca": "goes with the scale of `X`",
        "ndfs": "in the unit of `X`",
        "spca-psd": _IN_THE_UNIT,
        "spcafs": _IN_THE_UNIT,
    },
    "every sample twice": {
        "sparse-pca": "√n_samples",
        "spca-psd": "number of samples",
    },
    "one sample five times": {
        "variance": _COUNTED,
        "cspca": _COUNTED,
        "pca": _COUNTED,
        "sparse-pca": _COUNTED,
        "spca-psd": _COUNTED,
        "greedy": _COUNTED,
        "pivoted-qr": _COUNTED,
        "leverage": _COUNTED,
        "fspca": _COUNTED,
        "spcafs": _COUNTED,
        "u2fs": _COUNTED,
        "inf-fs": _COUNTED,
    },
    "constant features": {"inf-fs": "Constant features are nodes too"},
    "a copy of a feature": {
        "greedy": "0 for features that the picked ones span",
        "pivoted-qr": "As in :class:`GreedySubset`",
        "u2fs": "a copy of a feature goes before the other",
    },
}


def tall():
    """Sixty samples of three groups, twelve features of different spread."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 12)) * np.linspace(0.5, 1.5, 12)
    X[:, :4] += 3.0 * rng.standard_normal((3, 4)).repeat(20, axis=0)
    return X + 0.3 * rng.standard_normal((60, 2)) @ rng.standard_normal((2, 12))


def wide():
    """Eighteen samples of forty features."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((18, 40)) * np.linspace(0.5, 1.5, 40)
    X[:, :6] += 3.0 * rng.standard_normal((3, 6)).repeat(6, axis=0)
    return X


SHAPES = {"n > d": tall(), "n < d": wide()}


def _fit(key, X):
    model = METHODS[key].make(3, n_features_to_select=5, **SETTINGS.get(key, {}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X)


@cache
def _usual_scores(key, shape):
    return _fit(key, SHAPES[shape]).feature_scores_


@pytest.fixture(params=SHAPES.values(), ids=SHAPES)
def samples(request):
    return request.param


def _check(change, key, scores, expected):
    """Equal, or an exception that the table names and the method's description explains."""
    near = 1e-7 * np.abs(expected).max()
    sentence = CHANGES.get(change, {}).get(key)
    if sentence is None:
        np.testing.assert_allclose(scores, expected, rtol=0, atol=near)
    else:
        method = METHODS[key]
        described = " ".join(f"{method.selector.__doc__} {FeatureSelector.__doc__}".split())
        assert sentence in described
        assert ON_SCREEN.get(change, "") in method.note
        return bool(np.abs(scores - expected).max() > near)
    return True


def _changed(X):
    """The samples after each change, and where their features are."""
    rng = np.random.default_rng(5)
    d = X.shape[1]
    places = rng.permutation(d)
    live = np.setdiff1d(np.arange(d + 2), [3, 8])
    return {
        "order of samples": (rng.permutation(X), np.arange(d)),
        "order of features": (X[:, places], np.argsort(places)),
        "every sample twice": (np.repeat(X, 2, axis=0), np.arange(d)),
        "one sample five times": (np.vstack([X, np.repeat(X[:1], 4, axis=0)]), np.arange(d)),
        "constant features": (np.insert(X, [3, 7], [0.1, 5.0], axis=1), live),
    }


@pytest.mark.parametrize("key", CHOOSING)
@pytest.mark.parametrize("change", _changed(tall()))
def test_what_says_nothing_new_decides_nothing(change, key):
    differs = []
    for shape, X in SHAPES.items():
        Y, places = _changed(X)[change]
        scores = _fit(key, Y).feature_scores_[places]
        differs.append(_check(change, key, scores, _usual_scores(key, shape)))
    assert any(differs)


@pytest.mark.parametrize("key", CHOOSING)
def test_another_unit_of_all_features(key):
    changed = []
    for shape, X in SHAPES.items():
        expected = _usual_scores(key, shape)
        for unit in (2.0**10, 2.0**-10):
            scores = _fit(key, unit * X).feature_scores_ / unit ** UNIT.get(key, 0)
            changed.append(_check("another unit", key, scores, expected))
    assert any(changed)


@pytest.mark.parametrize("key", CHOOSING)
def test_a_copy_of_a_feature_ties_with_it(key, samples):
    """All other scores may change: what a feature shares with others is what most methods weigh."""
    scores = _fit(key, np.column_stack([samples, samples[:, 2]])).feature_scores_
    size = np.abs(scores).max()
    differ = _check("a copy of a feature", key, scores[[2]] / size, scores[[-1]] / size)
    assert differ or key == "u2fs" or scores[2] == scores[-1] == 0.0


@pytest.mark.parametrize("key", CHOOSING)
def test_single_precision_is_fitted_as_the_numbers_that_it_holds(key, samples):
    single = samples.astype(np.float32)
    scores = _fit(key, single.astype(np.float64)).feature_scores_
    near = 1e-5 if key == "cspca" else 0.0
    np.testing.assert_allclose(_fit(key, single).feature_scores_, scores, rtol=0, atol=near)


@pytest.mark.parametrize("unit", [1e-6, 1e-60, 1e60])
def test_features_that_fspca_does_not_select_stay_in_order_in_any_unit(unit):
    """In units of 1e-6 they tied."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 12)) @ rng.normal(size=(12, 12))
    usual, other = (METHODS["fspca"].make(3).fit(one) for one in (X, X * unit))
    np.testing.assert_array_equal(other.selection_scores_, usual.selection_scores_)
    assert len(set(usual.feature_ties_[6:])) > 1


def test_a_feature_alone_and_its_copies_have_no_paths_between_them():
    """InfFS divided by zero, and warned of it."""
    one = np.random.default_rng(0).normal(size=(40, 1))
    for X in (one, np.c_[one, one, one]):
        found = METHODS["inf-fs"].make(3).fit(X)
        np.testing.assert_array_equal(found.feature_ties_, 0)
        np.testing.assert_array_equal(found.selection_scores_, 1)
