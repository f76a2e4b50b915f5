"""scikit-learn's own selectors on the scores of ours: they take what the order says."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.feature_selection import RFE, RFECV, SelectFromModel
from sklearn.linear_model import LogisticRegression

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


@pytest.fixture(scope="module")
def fitted():
    cached = {}

    def fit(name):
        if name not in cached:
            cached[name] = clone(EVERY[name]).fit(PIXELS)
        return cached[name]

    return fit


@pytest.mark.parametrize("name", EVERY)
def test_the_scores_are_a_plain_array_of_the_order(name, fitted):
    model = fitted(name)
    scores = model.selection_scores_
    assert type(scores) is np.ndarray
    assert scores.dtype == np.float64
    assert CONSTANT.sum() == 9
    assert (scores[CONSTANT] == 0.0).all()
    assert (scores[~CONSTANT] > 0.0).all()
    assert scores.max() == 1.0
    for changed in (scores, np.abs(scores), scores**2):
        np.testing.assert_array_equal(np.argsort(-changed, kind="stable"), model.feature_order_)
    same = model.feature_ties_[:, None] == model.feature_ties_
    np.testing.assert_array_equal(scores[:, None] == scores, same)


@pytest.mark.parametrize("name", EVERY)
def test_select_from_model_and_rfe_in_one_step_take_the_best(name, fitted):
    model, k = fitted(name), 12
    expected = np.isin(np.arange(64), model.feature_order_[:k])
    given = {"importance_getter": "selection_scores_"}
    chosen = SelectFromModel(model, threshold=-np.inf, max_features=k, prefit=True, **given)
    np.testing.assert_array_equal(chosen.fit(PIXELS).get_support(), expected)
    if (
        model.feature_ties_[model.feature_order_[k - 1]]
        == model.feature_ties_[model.feature_order_[k]]
    ):
        pytest.skip("a tie at the cut, which RFE breaks its own way")
    eliminated = RFE(clone(model), n_features_to_select=k, step=64 - k, **given)
    np.testing.assert_array_equal(eliminated.fit(PIXELS, DIGIT).get_support(), expected)


@pytest.mark.parametrize("name", ["CSPCA", "variance", "mcfs", "pca", "sparse-pca", "greedy"])
def test_rfe_step_by_step_keeps_no_constant_pixel(name):
    selector = RFE(
        EVERY[name], n_features_to_select=10, step=9, importance_getter="selection_scores_"
    ).fit(PIXELS, DIGIT)
    assert not CONSTANT[selector.get_support()].any()
    assert (selector.ranking_[CONSTANT] == selector.ranking_.max()).all()


class Scored(LogisticRegression):
    """Predicts, so that it can be scored; its importances are those of CSPCA."""

    def fit(self, X, y):
        self.selection_scores_ = CSPCA(0.4).fit(X).selection_scores_
        return super().fit(X, y)


def test_rfecv_keeps_no_constant_pixel():
    selector = RFECV(
        Scored(max_iter=2000), step=10, cv=3, importance_getter="selection_scores_"
    ).fit(PIXELS, DIGIT)
    assert not CONSTANT[selector.get_support()].any()
