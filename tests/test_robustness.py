"""Odd input: the right answer, or one sentence that says what is wrong and what to do."""

import re

import numpy as np
import pytest

from cspca import CSPCA, cspca_path
from cspca.keep import fit_keeping
from tests.oracles import conic

GOOD = np.random.default_rng(0).random((12, 8))


def _one_sentence(error: pytest.ExceptionInfo) -> str:
    text = str(error.value)
    assert 15 < len(text) < 400
    assert "\n" not in text.strip()
    assert "Traceback" not in text
    return text


def _spoiled(value):
    X = GOOD.copy()
    X[3, 2] = value
    return X


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (_spoiled(np.nan), "NaN"),
        (_spoiled(np.inf), "infin"),
        (GOOD[0], "2D array|shape|two-dim"),
        (GOOD[None], "dim|shape"),
        (np.empty((0, 8)), "0 sample|empty"),
        (np.empty((12, 0)), "0 feature|empty"),
        (np.zeros((5, 4)), "zero|same|constant"),
        (np.array([["a", "b"], ["c", "d"]]), "numeric|convert|string"),
        (GOOD + 1j, "omplex"),
    ],
    ids=["nan", "inf", "flat", "cube", "no images", "no pixels", "blank", "words", "complex"],
)
def test_bad_images(X, words):
    with pytest.raises(ValueError, match=words):
        CSPCA(0.1, 0.01, center=False).fit(X)


@pytest.mark.parametrize("images", [GOOD[:1], np.repeat(GOOD[:1], 6, axis=0), np.full((5, 4), 0.5)])
def test_images_that_are_all_the_same_leave_nothing_once_centred(images):
    with pytest.raises(ValueError, match="cent") as error:
        CSPCA(0.1, 0.01).fit(images)
    _one_sentence(error)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("alpha", -0.1),
        ("beta", -1.0),
        ("alpha", np.nan),
        ("alpha", "a lot"),
        ("penalty_scale", "percent"),
        ("solver", "magic"),
        ("tol", -1e-3),
        ("max_iter", 0),
        ("smoothing", 0.0),
        ("init", "warm"),
    ],
)
def test_bad_parameters_are_named(parameter, value):
    wishes = {"solver": "reweighted"} if parameter == "init" else {}
    model = CSPCA(**{**wishes, parameter: value})
    with pytest.raises(ValueError, match=re.escape(parameter)) as error:
        model.fit(GOOD)
    _one_sentence(error)


@pytest.mark.parametrize("ask", ["transform", "reconstruct", "inverse_transform", "weight_row"])
def test_asking_before_fitting(ask):
    argument = 0 if ask == "weight_row" else GOOD
    with pytest.raises(ValueError, match="not fitted"):
        getattr(CSPCA(), ask)(argument)


@pytest.mark.parametrize("X", [np.eye(5), GOOD, GOOD.T], ids=["eye", "tall", "wide"])
@pytest.mark.parametrize("start", [None, "diagonal-0.5", "random"])
@pytest.mark.parametrize("tiny", [0.0, 5e-324, 1e-60, 1e-16])
def test_penalties_next_to_nothing(X, start, tiny):
    """What round-off is larger than counts as 0, whether one of the penalties is so or both."""
    settings = {"center": False, "init": start, "random_state": 0, "max_iter": 300}
    both = CSPCA(tiny, tiny, **settings).fit(X)
    assert both.duality_gap_ == 0.0
    np.testing.assert_allclose(both.reconstruct(X), X, atol=1e-12)
    for penalties in ((tiny, 0.1), (0.1, tiny)):
        model = CSPCA(*penalties, **settings).fit(X)
        assert model.converged_
        assert min(model.alpha_, model.beta_) == 0.0
        none = CSPCA(*(np.array(penalties) == 0.1) * 0.1, **settings).fit(X)
        assert model.objective_ == none.objective_


def test_a_grid_whose_penalties_are_all_zero():
    for X in (np.eye(5), GOOD.T):
        path = cspca_path(X, [0.0, 1e-60], [0.0, 1e-300], center=False)
        np.testing.assert_array_equal(path.gap, 0.0)
        np.testing.assert_allclose(path.objective, 0.0, atol=1e-50)


@pytest.mark.parametrize("center", [True, False])
def test_constant_pixels(center):
    X = GOOD.copy()
    X[:, 2], X[:, 5] = 0.0, 0.7
    model = CSPCA(0.05, 0.02, center=center, tol=1e-6, max_iter=20_000).fit(X)
    A = X - X.mean(axis=0) if center else X
    answer = conic.solve(A, model.alpha_, model.beta_)
    assert model.objective_ == pytest.approx(answer.value, rel=1e-6)
    assert model.feature_scores_[2] == 0.0
    if center:
        assert model.feature_scores_[5] == 0.0


def test_a_constant_pixel_whose_mean_does_not_round_is_still_dead():
    """The mean of 0.1 thrice is not 0.1: what centring leaves is round-off, not a pixel."""
    X = np.random.default_rng(1).random((7, 5))
    X[:, 1] = 0.1
    model = CSPCA(1e-3, 1e-3, tol=1e-5, max_iter=20_000).fit(X)
    assert model.feature_scores_[1] == 0.0
    assert model.feature_order_[-1] == 1


def test_pictures_that_differ_in_brightness_alone_are_equal_at_unit_norm():
    """What unit norms leave of them is round-off, and round-off must not be fitted."""
    X = np.outer([0.3, 0.7, 1.1, 0.9], np.random.default_rng(6).random(12))
    with pytest.raises(ValueError, match="All images in X are the same"):
        CSPCA(normalize=True).fit(X)


def test_watching_a_fit_changes_nothing_of_it():
    X = np.random.default_rng(7).random((40, 60))
    plain, watched = CSPCA(tol=1e-5), CSPCA(tol=1e-5)
    for _ in plain.iterate(X):
        pass
    for _ in watched.iterate(X, watch=0.0):
        pass
    assert all(np.isfinite(line["objective"]) for line in watched.history_)
    assert not all(np.isfinite(line["objective"]) for line in plain.history_)
    np.testing.assert_array_equal(watched.feature_scores_, plain.feature_scores_)


@pytest.mark.parametrize("wanted", ["x", 3.5, None])
def test_a_number_of_pixels_must_be_whole(wanted):
    with pytest.raises(ValueError, match="whole number of pixels"):
        fit_keeping(np.random.default_rng(9).random((12, 6)), wanted)
