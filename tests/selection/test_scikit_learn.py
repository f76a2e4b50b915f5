"""scikit-learn's own selectors on the scores of ours: they take what the order says."""

from functools import cache

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.feature_selection import RFE, SelectFromModel

from cspca import CSPCA
from cspca.selection import METHODS
from cspca.selection.registry import REFERENCES

PIXELS, DIGIT = (part[:300] for part in load_digits(return_X_y=True))
PIXELS = PIXELS / 16
CONSTANT = np.ptp(PIXELS, axis=0) == 0
EVERY = {
    "CSPCA": CSPCA(0.4),
    "Algorithm 1": CSPCA(0.4, solver="reweighted", max_iter=20),
    "plain": CSPCA(0.4, solver="plain"),
    "Algorithm 1 from a constant": CSPCA(solver="reweighted", init="constant-1", max_iter=20),
} | {key: method.make(10) for key, method in {**METHODS, **REFERENCES}.items()}

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@cache
def _fitted(name):
    return clone(EVERY[name]).fit(PIXELS)


@pytest.mark.parametrize("name", EVERY)
def test_the_scores_are_a_plain_array_of_the_order(name):
    model = _fitted(name)
    scores = model.selection_scores_
    assert type(scores) is np.ndarray
    assert scores.dtype == np.float64
    assert CONSTANT.sum() == 9
    assert (scores[CONSTANT] == 0.0).all()
    assert (scores[~CONSTANT] > 0.0).all()
    assert scores.max() == 1.0
    for changed in (scores, np.abs(scores), scores**2):
        np.testing.assert_array_equal(np.argsort(-changed, kind="stable"), model.feature_order_)
    ties, own = model.feature_ties_, model.feature_scores_
    np.testing.assert_array_equal(scores[:, None] == scores, ties[:, None] == ties)
    if name in METHODS:
        assert np.all(np.diff(own[np.lexsort((-own, ties))]) <= 0), "the order refines the scores"


@pytest.mark.parametrize("name", ["CSPCA", "variance", "mcfs", "pca", "sparse-pca", "greedy"])
def test_select_from_model_and_rfe_take_the_best_and_no_constant_pixel(name):
    model, k = _fitted(name), 12
    expected = np.isin(np.arange(64), model.feature_order_[:k])
    given = {"importance_getter": "selection_scores_"}
    chosen = SelectFromModel(model, threshold=-np.inf, max_features=k, prefit=True, **given)
    np.testing.assert_array_equal(chosen.fit(PIXELS).get_support(), expected)
    eliminated = RFE(clone(model), n_features_to_select=k, step=64 - k, **given)
    np.testing.assert_array_equal(eliminated.fit(PIXELS, DIGIT).get_support(), expected)
    stepwise = RFE(clone(model), n_features_to_select=10, step=9, **given).fit(PIXELS, DIGIT)
    assert not CONSTANT[stepwise.get_support()].any()
    assert (stepwise.ranking_[CONSTANT] == stepwise.ranking_.max()).all()
