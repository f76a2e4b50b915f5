"""Keep about m pixels: the α that leaves so many non-zero rows, certified like any other fit."""

import itertools
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits

from cspca import CSPCA
from cspca.datasets import make_faces
from cspca.keep import fit_keeping, keep_features


@pytest.fixture(scope="module")
def digits():
    return load_digits().data / 16.0


def _kept(model):
    return int(np.count_nonzero(model.feature_scores_))


@pytest.mark.parametrize("wanted", [1, 20, 50])
def test_about_so_many_pixels_are_kept(digits, wanted):
    model = fit_keeping(digits, wanted, beta=0.02)
    # W = 0 is within the tolerance of fewer than four.
    assert abs(_kept(model) - wanted) <= (3 if wanted == 1 else 1)
    assert _kept(model) > 0
    assert model.converged_
    assert model.duality_gap_ <= model.tol
    assert 0 < model.alpha < 1


@pytest.mark.parametrize("wanted", [30, 160])
def test_on_faces(small_faces, wanted):
    model = fit_keeping(small_faces.data, wanted)
    assert abs(_kept(model) - wanted) <= max(1, wanted // 100)


def test_a_direct_fit_at_the_alpha_found_keeps_the_same_pixels(digits):
    found = fit_keeping(digits, 20, beta=0.02, tol=1e-6, max_iter=20_000)
    direct = CSPCA(found.alpha, 0.02, tol=1e-6, max_iter=20_000).fit(digits)
    assert direct.objective_ == pytest.approx(found.objective_, rel=2e-6)
    # a gap of 1e-6 settles what is clearly kept; a row about to enter may be zero or nearly so
    np.testing.assert_allclose(direct.feature_scores_, found.feature_scores_, atol=0.02)


def test_steps_tell_how_the_search_goes(digits):
    *steps, (last, iterate) = keep_features(digits, 20, beta=0.02)
    alphas = [model.alpha for model, _ in steps]
    trials = [alpha for alpha, _ in itertools.groupby(alphas)]
    assert len(trials) == len(set(trials)) > 1
    assert last.alpha in trials
    assert iterate.n_kept == _kept(last)


def test_a_fit_at_hand_shortens_the_search(digits):
    here = fit_keeping(digits, 20, beta=0.02)
    cold = sum(1 for _ in keep_features(digits, 22, beta=0.02))
    warm = sum(1 for _ in keep_features(digits, 22, beta=0.02, start=here))
    assert warm < cold


@pytest.mark.parametrize("wanted", [0, -3, 65])
def test_impossible_numbers(digits, wanted):
    with pytest.raises(ValueError, match=r"n_features must be between 1 and \d+"):
        fit_keeping(digits, wanted)


def test_as_many_as_vary_is_the_most_that_can_be_kept(digits):
    live = int(np.count_nonzero(digits.std(axis=0)))
    assert live < 64
    with pytest.raises(ValueError, match=f"between 1 and {live}"):
        fit_keeping(digits, live + 1)
    assert abs(_kept(fit_keeping(digits, live, beta=0.0)) - live) <= 1


def test_absolute_penalties_are_refused(digits):
    with pytest.raises(ValueError, match="relative"):
        fit_keeping(digits, 10, penalty_scale="absolute")


@pytest.mark.parametrize("wanted", [1, 3])
def test_few_pixels_are_some(wanted):
    """W = 0 is next to one pixel by number, but it is no answer to whoever asks for one."""
    X = make_faces(n_people=10, n_per_person=10, image_size=16, random_state=0).data
    for beta in (0.005, 0.06):
        model = fit_keeping(X, wanted, beta=beta)
        kept = int(np.count_nonzero(model.feature_scores_))
        assert 1 <= kept <= wanted + 12
        assert model.duality_gap_ <= 1e-3
        # Near W = 0 a gap is met by maps that are worse than it.
        assert model.objective_ < np.linalg.norm(X - X.mean(axis=0), axis=1).sum()


def test_where_no_pixel_is_as_good_it_says_so(digits):
    with pytest.raises(ValueError, match=r"W = 0 is as good.*beta=1 or tol=0\.001"):
        fit_keeping(digits, 5, beta=1.0)


def test_a_search_whose_fits_do_not_arrive_ends(digits, monkeypatch):
    """The last trial is the answer then, with its gap."""
    monkeypatch.setattr("cspca.keep._MOST_TRIALS", 3)
    *steps, (last, _) = keep_features(digits, 5, max_iter=2, tol=1e-8)
    assert len({model.alpha for model, _ in steps}) == 3
    assert last is steps[-1][0]
    assert last.duality_gap_ > 1e-8


def test_without_a_trace_norm_few_are_kept_and_that_is_said():
    """Six samples of 80 features in general position: no α keeps more than 15 of them."""
    X = np.random.default_rng(1).standard_normal((6, 80))
    with pytest.warns(UserWarning, match=r"β = 0: nothing above \d+ features was found; raise β"):
        model = fit_keeping(X, 40, beta=0.0)
    assert _kept(model) <= 15
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert _kept(fit_keeping(X, 9, beta=0.0)) in (8, 9, 10)


def test_algorithm_1_has_no_exact_zeros_to_count():
    """It once kept all 12 of 12 where three were asked for."""
    X = np.random.default_rng(0).random((20, 12))
    with pytest.raises(ValueError, match=r"Algorithm 1 .* sets no row of W to exactly zero"):
        fit_keeping(X, 3, solver="reweighted")
    assert abs(_kept(fit_keeping(X, 3, solver="plain")) - 3) <= 1
