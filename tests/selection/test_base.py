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
        ties = None if self.ties is None else np.asarray(self.ties, float)
        return Scores(np.asarray(self.scores, float), ties)


_Given._parameter_constraints = {
    **FeatureSelector._parameter_constraints,
    "scores": "no_validation",
    "ties": "no_validation",
}


def _samples(d, dead=()):
    X = np.random.default_rng(0).random((6, d))
    X[:, list(dead)] = 0.25
    return X


@pytest.mark.parametrize(
    ("scores", "ties", "dead", "order", "selection"),
    [
        ([3.0, 1.0, 2.0], None, [], [0, 2, 1], [1, 1 / 3, 2 / 3]),
        ([1.0, 2.0, np.nan], [0, 0, 0], [0], [1, 2, 0], [0, 1, 0.5]),
        # Where nothing can be said of any feature, all that vary tie.
        ([np.nan, np.nan, np.nan], None, [0], [1, 2, 0], [0, 1, 1]),
        # A tie but for rounding is in the order of the columns.
        ([1.0, 1.0 + 1e-15, 2.0], None, [], [2, 0, 1], [0.5, 0.5, 1]),
        # A tie breaker orders the lowest only.
        ([5, 0, 0, 5, 0], [0, 0.2, 0.9, 0.5, 0.1], [4], [0, 3, 2, 1, 4], [1, 1 / 3, 2 / 3, 1, 0]),
    ],
)
def test_scores_are_the_order(scores, ties, dead, order, selection):
    model = _Given(scores, ties).fit(_samples(len(scores), dead))
    np.testing.assert_array_equal(model.feature_order_, order)
    np.testing.assert_allclose(model.selection_scores_, selection, rtol=1e-15)
    groups = np.unique(-np.array(selection), return_inverse=True)[1]
    np.testing.assert_array_equal(model.feature_ties_, groups)
    is_scored = np.isfinite(scores) & ~np.isin(np.arange(len(scores)), dead)
    np.testing.assert_array_equal(model.feature_scores_[is_scored], np.array(scores)[is_scored])


@pytest.mark.parametrize("scores", [[3.0, 9.0, 2.0], [-3.0, 9.0, -2.0], [0.0, 9.0, 0.0]])
def test_a_constant_feature_is_strictly_last(scores):
    model = _Given(scores).fit(_samples(3, dead=[1]))
    assert model.feature_order_[-1] == 1
    assert model.signed_scores_[1] < model.signed_scores_[[0, 2]].min()
    assert model.selection_scores_[1] == 0.0 < model.selection_scores_[[0, 2]].min()
    assert model.feature_scores_[1] == min(0.0, scores[0], scores[2])


@pytest.mark.parametrize("scale", [1e-250, 1e-30, 1e30, 1e250])
def test_an_order_survives_squares_at_every_scale(scale):
    model = _Given(scale * np.array([3.0, 0.0, 2.0, -1.0, 9.0])).fit(_samples(5, dead=[4]))
    np.testing.assert_array_equal(model.feature_order_, [0, 2, 1, 3, 4])
    squares = model.selection_scores_**2
    np.testing.assert_array_equal(np.argsort(-squares), model.feature_order_)
    assert squares[4] == 0.0


def test_the_scores_behind_the_order_have_the_tie_breaker():
    model = _Given([5, 0, 0, 5], [0.0, 0.2, 0.9, 0.5]).fit(_samples(4))
    np.testing.assert_allclose(model.signed_scores_, [5, -0.8, -0.1, 5])


def test_half_is_the_default_and_the_number_may_change_after_the_fit():
    X = _samples(5)
    model = _Given([1, 5, 2, 4, 3]).fit(X)
    np.testing.assert_array_equal(model.get_support(indices=True), [1, 3])
    model.set_params(n_features_to_select=3)
    np.testing.assert_array_equal(model.transform(X), X[:, [1, 3, 4]])
    assert _Given([1.0]).fit(_samples(1)).get_support().tolist() == [True]


def test_what_cannot_be_selected_is_refused():
    model = _Given([1, 2, 3]).fit(_samples(3)).set_params(n_features_to_select=4)
    for ask in (model.transform, model.fit):
        with pytest.raises(ValueError, match="only 3 features: ask for at most 3"):
            ask(_samples(3))
    with pytest.raises(ValueError, match="Every feature of X is constant"):
        _Given([1, 2]).fit(np.ones((4, 2)))
