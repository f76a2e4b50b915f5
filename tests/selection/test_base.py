"""The order that every method's scores become."""

import numpy as np
import pytest

from cspca.selection.base import FeatureSelector, Scores


class _Given(FeatureSelector):
    """A method that says what it is told to."""

    def __init__(self, scores=None, ties=None, n_features_to_select=None):
        self.scores = scores
        self.ties = ties
        self.n_features_to_select = n_features_to_select

    def _score(self, X):
        assert X.dtype == np.float64
        return Scores(np.asarray(self.scores, float), self.ties)


_Given._parameter_constraints = {
    **FeatureSelector._parameter_constraints,
    "scores": "no_validation",
    "ties": "no_validation",
}


def _samples(d, dead=()):
    X = np.random.default_rng(0).random((6, d))
    X[:, list(dead)] = 0.25
    return X


def test_scores_are_the_order():
    model = _Given([3.0, 1.0, 2.0]).fit(_samples(3))
    np.testing.assert_array_equal(model.feature_order_, [0, 2, 1])
    np.testing.assert_array_equal(model.feature_scores_, [3, 1, 2])
    np.testing.assert_array_equal(model.signed_scores_, [3, 1, 2])
    np.testing.assert_array_equal(model.selection_scores_, [1, 1 / 3, 2 / 3])


@pytest.mark.parametrize("scores", [[3.0, 9.0, 2.0], [-3.0, 9.0, -2.0], [0.0, 9.0, 0.0]])
def test_a_constant_feature_is_strictly_last(scores):
    model = _Given(scores).fit(_samples(3, dead=[1]))
    assert model.feature_order_[-1] == 1
    assert model.signed_scores_[1] < model.signed_scores_[[0, 2]].min()
    assert model.selection_scores_[1] == 0.0 < model.selection_scores_[[0, 2]].min()
    assert model.feature_scores_[1] == min(0.0, scores[0], scores[2])


def test_a_feature_of_which_nothing_can_be_said_is_before_a_constant_one():
    model = _Given([1.0, 2.0, np.nan], np.zeros(3)).fit(_samples(3, dead=[0]))
    np.testing.assert_array_equal(model.feature_order_, [1, 2, 0])
    np.testing.assert_array_equal(model.selection_scores_, [0, 1, 0.5])


@pytest.mark.parametrize("scale", [1e-250, 1e-30, 1e30, 1e250])
def test_an_order_survives_squares_at_every_scale(scale):
    model = _Given(scale * np.array([3.0, 0.0, 2.0, -1.0, 9.0])).fit(_samples(5, dead=[4]))
    np.testing.assert_array_equal(model.feature_order_, [0, 2, 1, 3, 4])
    squares = model.selection_scores_**2
    np.testing.assert_array_equal(np.argsort(-squares), model.feature_order_)
    assert squares[4] == 0.0


def test_tie_breaker_orders_the_lowest_only():
    ties = np.array([0.0, 0.2, 0.9, 0.5, 0.1])
    model = _Given([5.0, 0.0, 0.0, 5.0, 0.0], ties).fit(_samples(5, dead=[4]))
    np.testing.assert_allclose(model.signed_scores_[:4], [5, -0.8, -0.1, 5])
    np.testing.assert_allclose(model.selection_scores_, [1, 1 / 3, 2 / 3, 1, 0])
    np.testing.assert_array_equal(model.feature_order_, [0, 3, 2, 1, 4])
    np.testing.assert_array_equal(model.feature_scores_, [5, 0, 0, 5, 0])


def test_half_is_the_default_and_the_number_may_change_after_the_fit():
    X = _samples(5)
    model = _Given([1, 5, 2, 4, 3]).fit(X)
    np.testing.assert_array_equal(model.get_support(indices=True), [1, 3])
    model.set_params(n_features_to_select=3)
    np.testing.assert_array_equal(model.transform(X), X[:, [1, 3, 4]])
    assert _Given([1.0]).fit(_samples(1)).get_support().tolist() == [True]


def test_more_features_than_there_are():
    with pytest.raises(ValueError, match="only 3 features: ask for at most 3"):
        _Given([1, 2, 3], n_features_to_select=4).fit(_samples(3))
    model = _Given([1, 2, 3]).fit(_samples(3)).set_params(n_features_to_select=4)
    with pytest.raises(ValueError, match="ask for at most 3"):
        model.transform(_samples(3))


def test_nothing_varies():
    with pytest.raises(ValueError, match="Every feature of X is constant"):
        _Given([1, 2]).fit(np.ones((4, 2)))


def test_a_tie_that_is_one_but_for_rounding_is_in_the_order_of_the_columns():
    model = _Given([1.0, 1.0 + 1e-15, 2.0]).fit(_samples(3))
    np.testing.assert_array_equal(model.feature_ties_, [1, 1, 0])
    np.testing.assert_array_equal(model.feature_order_, [2, 0, 1])
    np.testing.assert_array_equal(model.selection_scores_, [0.5, 0.5, 1.0])


def test_where_nothing_can_be_said_of_any_feature_all_that_vary_tie():
    model = _Given([np.nan, np.nan, np.nan]).fit(_samples(3, dead=[0]))
    np.testing.assert_array_equal(model.feature_order_, [1, 2, 0])
    np.testing.assert_array_equal(model.selection_scores_, [0, 1, 1])
