"""Selectors of other libraries: their own picks are read, whatever they call them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import RFE, SelectFromModel, SelectorMixin, VarianceThreshold
from sklearn.frozen import FrozenEstimator

from cspca.evaluation import compare
from cspca.evaluation.comparison import UNORDERED
from cspca.evaluation.steps import rank_features
from cspca.selection import METHODS
from cspca.selection.given import GivenScores
from tests.evaluation.fakes import StandIn, blobs

X, Y = blobs()
PICKS = [7, 2, 11, 0]
MASK = np.isin(np.arange(12), PICKS)
ORDER = [7, 2, 11, 0, 5, 1, 10, 3, 9, 4, 8, 6]
GOODNESS = 11 - np.argsort(ORDER)  # 11 for feature 7, 0 for feature 6
TIED = UNORDERED.format(size=4)


class Masked(SelectorMixin, StandIn):
    """One that has get_support(), too."""

    def _get_support_mask(self):
        return self.attributes["mask"]


class Ordered(StandIn):
    """skmatter 0.4.1: FPS, CUR, PCovFPS: get_support(indices, ordered)."""

    def get_support(self, indices=False, ordered=False):
        if not indices:
            return MASK
        return np.array(PICKS if ordered else sorted(PICKS))


class EachNumberAnew(SelectorMixin, BaseEstimator):
    """The two features 2 and 3, the four from 4 on, and so forth."""

    nested = False

    def __init__(self, n_features_to_select=2):
        self.n_features_to_select = n_features_to_select

    def fit(self, X):
        self.n_features_in_ = X.shape[1]
        return self

    def _get_support_mask(self):
        k = self.n_features_to_select
        return np.isin(np.arange(self.n_features_in_), np.arange(k, 2 * k))


def _order(selector):
    ranking = rank_features(selector, X)
    return ranking.order.tolist(), [k for k in range(1, 13) if not _unscored(ranking, k)]


def _unscored(ranking, k):
    return k > len(ranking.order) or ranking.no_ranking(k)


def test_what_is_not_nested_is_fitted_for_each_number_of_features():
    settings = {"n_seeds": 2, "n_draws": 0, "bootstrap": 0}
    done = compare(X, Y, {"anew": EachNumberAnew()}, [2, 4], **settings)
    assert done.unranked() == {}
    assert set(done.selection("anew", 2)) == {2, 3}
    assert set(done.selection("anew", 4)) == {4, 5, 6, 7}


@pytest.mark.parametrize(
    "selector",
    [
        pytest.param(Ordered(selected_idx_=np.array(PICKS)), id="skmatter 0.4.1"),
        pytest.param(StandIn(selected_idx_=np.array(PICKS)), id="selected_idx_ alone"),
        pytest.param(Ordered(), id="get_support(ordered=True) alone"),
        pytest.param(
            Masked(mask=MASK, indices_=np.array(PICKS), scores_=np.array([0.9, 0.5, 0.2, 0.1])),
            id="fastcan 0.6.0",
        ),
        pytest.param(StandIn(selected_indices_=PICKS), id="selected_indices_"),
        pytest.param(
            Masked(
                mask=MASK, support_=MASK, selected_indices_=np.array(PICKS), scores_=11 - GOODNESS
            ),
            id="gsrfs 0.16.2: LaplacianScoreSelector",
        ),
        pytest.param(StandIn(support_=MASK, indices_=np.array(PICKS)), id="support_ and indices_"),
    ],
)
def test_picks_are_taken_in_their_order(selector):
    """In its own order, up to as many as it picks: never features 0, 1, 2."""
    assert _order(selector) == (PICKS, [1, 2, 3, 4])


@pytest.mark.parametrize(
    "selector",
    [
        pytest.param(StandIn(feature_order_=ORDER), id="feature_order_"),
        pytest.param(Masked(mask=MASK, feature_order_=ORDER[::-1]), id="worst first"),
        pytest.param(Masked(mask=MASK, scores_=GOODNESS), id="large is good"),
        pytest.param(Masked(mask=MASK, scores_=-1.0 * GOODNESS), id="Laplacian scores"),
        pytest.param(Masked(mask=MASK, scores_=1.0 / (1 + GOODNESS)), id="small is good"),
        pytest.param(StandIn(support_=MASK, ranking_=12 - GOODNESS), id="ranks, 1 is best"),
        pytest.param(StandIn(ranking_=12 - GOODNESS), id="ranks alone"),
        pytest.param(Masked(mask=MASK, ranking_=1 + GOODNESS), id="ranks, 12 is best"),
        pytest.param(Masked(mask=MASK, feature_importances_=GOODNESS), id="importances"),
    ],
)
def test_what_is_selected_decides_which_way_an_order_is_read(selector):
    assert _order(selector) == (ORDER, [*range(1, 13)])


def test_ranks_that_are_shared_are_ties():
    """scikit-learn's RFE, Boruta 0.4.3: all that are selected have the rank 1."""
    rest = np.argsort(ORDER) - 2
    eliminated = StandIn(support_=MASK, ranking_=np.where(MASK, 1, rest))
    ranking = rank_features(eliminated, X)
    assert set(ranking.order[:4]) == set(PICKS)
    assert ranking.order[4:].tolist() == ORDER[4:]
    assert [bool(ranking.no_ranking(k)) for k in range(1, 6)] == [True] * 3 + [False] * 2
    boruta = StandIn(support_=MASK, ranking_=np.where(MASK, 1, np.where(np.arange(12) == 5, 2, 3)))
    assert _order(boruta)[1] == [4, 5, 12]


@pytest.mark.parametrize(
    "selector",
    [
        pytest.param(Masked(mask=MASK), id="get_support() alone"),
        pytest.param(StandIn(support_=MASK), id="support_ alone"),
        pytest.param(StandIn(k_feature_idx_=tuple(sorted(PICKS))), id="mlxtend 0.25.0"),
        pytest.param(StandIn(selected_indices_=sorted(PICKS)), id="columns in their own order"),
    ],
)
def test_a_selection_without_an_order_is_scored_at_its_own_size_only(selector):
    assert set(rank_features(selector, X).order[:4]) == set(PICKS)
    done = compare(X, Y, {"theirs": selector}, [2, 4, 6], n_seeds=2, n_draws=0, bootstrap=0)
    assert not done.failures
    assert done.results.groupby("n_features")["no_ranking"].first().to_dict() == {
        2: TIED, 4: "", 6: TIED
    }  # fmt: skip
    (row,) = done.table()
    assert row.best.n_features == 4
    assert done.unranked(2) == {"theirs": TIED}


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        (
            Masked(mask=MASK, scores_=np.arange(12.0)),
            "Masked contradicts itself: read either way, scores_ does not have the 4 features",
        ),
        (
            Masked(mask=MASK, indices_=np.array([5, 1, 2, 0])),
            "read either way, indices_ does not have the 4 features first that it selects",
        ),
        (Masked(mask=np.zeros(12, bool)), "Masked selects no feature"),
        (StandIn(), "StandIn says no order of the features"),
    ],
)
def test_what_cannot_be_read_is_said(selector, words):
    with pytest.raises(ValueError, match=words):
        rank_features(selector, X)


def test_the_threshold_of_variance_ranks_by_variance():
    """Its ``variances_`` are the smaller of variance and range: sixteen grey values tie at 16."""
    pixels = load_digits().data
    expected = rank_features(METHODS["variance"].make(), pixels)
    found = rank_features(VarianceThreshold(), pixels)
    assert found.order[:61].tolist() == expected.order[:61].tolist()
    assert found.no_ranking(10) == ""


def test_selectors_that_see_labels_are_compared_as_they_are_fitted():
    pixels, digit = load_digits(return_X_y=True)
    trees = ExtraTreesClassifier(10, random_state=0)
    fitted = {
        "rfe": RFE(trees, n_features_to_select=10, step=9).fit(pixels, digit),
        "forest": SelectFromModel(trees, max_features=10, threshold=-np.inf).fit(pixels, digit),
    }
    frozen = {name: FrozenEstimator(one) for name, one in fitted.items()}
    done = compare(pixels, digit, frozen, [10, 19], n_seeds=2, n_draws=0, bootstrap=0, n_pairs=2)
    assert not done.failures
    for name, one in fitted.items():
        assert set(done.selection(name, 10)) == set(one.get_support(indices=True))
    assert set(done.unranked(19)) == {"forest"}
    # It was fitted to all samples, and says nothing of halves of them.
    assert not len(done.reproducibility())


# --- rankings that go by name -------------------------------------------------------------------


def test_a_series_without_names_goes_by_its_numbers():
    scores = pd.Series(GOODNESS.astype(float))
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(12)])
    for numbered in (scores, scores.sort_values(), scores[::-1]):
        assert GivenScores(numbered).fit(frame).feature_order_.tolist() == ORDER


@pytest.mark.parametrize("attribute", ["scores_", "feature_importances_", "ranking_", "support_"])
def test_a_series_goes_by_its_labels(attribute):
    """Sorted, as pandas returns it, it is no order by place; other labels are refused."""
    values = {"ranking_": 12 - GOODNESS, "support_": MASK}.get(attribute, GOODNESS)
    numbered = pd.Series(values).sort_values()
    assert _order(StandIn(**{attribute: numbered})) == _order(StandIn(**{attribute: values}))
    names = np.array([f"gene {place}" for place in range(12)], dtype=object)
    named = pd.Series(values, index=names).sort_values()
    found = _order(StandIn(**{attribute: named}, feature_names_in_=names))
    assert found == _order(StandIn(**{attribute: values}))
    with pytest.raises(ValueError, match=f"{attribute} of StandIn is a Series whose labels are"):
        _order(StandIn(**{attribute: named}))


@pytest.mark.parametrize("more", [np.arange(3), -GOODNESS, list("abcdefghijkl")])
def test_scores_that_do_not_go_with_the_order_are_left_aside(more):
    wrong = StandIn(feature_order_=ORDER, signed_scores_=more, feature_ties_=np.arange(3))
    assert _order(wrong) == (ORDER, [*range(1, 13)])
