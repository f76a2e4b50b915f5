"""Every function of :mod:`cspca.evaluation` says in one sentence what is wrong with an argument."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.feature_selection import VarianceThreshold

from cspca.evaluation import (
    Rebuilding,
    chosen_on_other_starts,
    clustering_accuracy,
    compare,
    group_contrast,
    kmeans,
    low_probability_bound,
    neighbour_accuracy,
    normalized_mutual_information,
    paired_difference,
    rank_test,
    reconstruction_error,
    selection_reproducibility,
)
from cspca.evaluation.comparison import best_choice
from cspca.evaluation.halves import number_groups
from cspca.evaluation.outliers import ranking_quality
from cspca.evaluation.steps import plan, rank_features
from tests.evaluation.fakes import Listed, StandIn, blobs

X, Y = blobs()
GAPS = [*"ab" * 29, "a", None]
MANY = np.minimum(np.arange(60), 51)
FRAME = pd.DataFrame(X, columns=[f"g{j}" for j in range(12)])
SCORES = pd.Series(np.arange(12.0), index=FRAME.columns)

BOUND = "threshold must be above"
NO_LIST = "y_true must be a non-empty list"
TWO = "at least two selections"
RANGE = "its square leaves the range of double precision"
SEED = "random_state must be a whole number from 0"
MISSING, COUNTED = "has missing labels, 1 of 60", r"holds 52 different .*astype\(str\)"


def planned(**change):
    return plan(**{"X": X, "y": Y, "methods": {"listed": Listed()}} | change)


def compared(methods, X=X, y=Y, **more):
    return compare(X, y, methods, 3, n_seeds=2, **more)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: chosen_on_other_starts([[0.5]]), "at least two seeds"),
        (lambda: best_choice(np.empty((0, 3))), "choices × seeds"),
        (lambda: paired_difference([1, 2], [1, 2, 3]), "got 2 and 3. Use the same seeds"),
        (lambda: paired_difference([], []), "got 0 and 0"),
        (lambda: rank_test([[1, 2, 3]], "abc"), "at least two data sets"),
        (lambda: rank_test(np.ones((3, 3)), "ab"), "3 columns for 2 method names"),
        (lambda: rank_test([[1, 2, np.nan], [1, 2, 3]], "abc"), "leave out the gaps"),
        (lambda: kmeans(np.eye(6), 7, [0]), "There are 6 samples for 7 clusters"),
        (lambda: kmeans(np.eye(6), 0, [0]), "n_clusters must be at least 1"),
        (lambda: kmeans(np.eye(6), 2, [0], init="best"), "init must be one of random, k-means"),
        (lambda: kmeans(np.zeros(4), 2, [0]), "X must be a table"),
        (lambda: kmeans([[1.0], [np.nan]], 2, [0]), "X must be finite"),
        (lambda: clustering_accuracy([0, 1], [0, 1, 1]), "y_true has 2 labels and y_pred has 3"),
        (lambda: normalized_mutual_information([], []), NO_LIST),
        (lambda: clustering_accuracy([[0, 1]], [0, 1]), NO_LIST),
        (lambda: normalized_mutual_information([0, 1], [0.0, np.nan]), "y_pred has missing labels"),
        (lambda: reconstruction_error(np.eye(5), []), "features is empty"),
        (lambda: reconstruction_error(np.ones((5, 3)), [0]), "Nothing varies"),
        (lambda: reconstruction_error(np.eye(3), [0]), "Halves need at least 4 samples"),
        (lambda: Rebuilding(np.eye(3)), "at least 4 samples"),
        (lambda: Rebuilding(np.ones((9, 4))), "Nothing varies"),
        (lambda: Rebuilding(np.eye(5)).errors([[]]), "A selection is empty: select"),
        (lambda: group_contrast(np.eye(3), [1, 1, 0], [1, 0, 1]), "in both groups"),
        (lambda: group_contrast(np.eye(3), [0, 0, 0], [1, 1, 1]), "is empty"),
        (lambda: group_contrast(np.eye(3), [1, 0, 0], [0, 1, 0]), "no deviation"),
        (lambda: number_groups(["a", None, "", "b"], 4), "groups has missing entries, 2 of 4"),
        (lambda: number_groups([1.0, np.nan, 2.0], 3), "groups has missing entries, 1 of 3"),
        (lambda: ranking_quality([True, True], [1.0, 2.0]), "there must be both"),
        (lambda: ranking_quality([True, False], [1, 2, 3]), "There are 3 scores for 2 samples"),
        (lambda: selection_reproducibility(np.ones((1, 3), bool)), TWO),
        (lambda: selection_reproducibility(np.ones(3, bool)), TWO),
        (lambda: selection_reproducibility(np.ones((3, 0), bool)), TWO),
        (lambda: selection_reproducibility([[0.5, 1], [1, 0]]), "True and False"),
        (lambda: low_probability_bound(10, 100, 0.5), BOUND),
        (lambda: low_probability_bound(10, 100, 1.1), BOUND),
        (lambda: low_probability_bound(10, 100, math.nan), BOUND),
        (lambda: reconstruction_error(X, [0], random_state=None), SEED),
        (lambda: neighbour_accuracy(X, Y, [0], random_state=-1), SEED),
        (lambda: Rebuilding(X, random_state=1.5), SEED),
        (lambda: compared(["variance"], random_state=np.random.RandomState(0)), SEED),
        # At 1e160 1-NN was 40 % in place of 68, with warnings of NumPy, and compare an IndexError.
        (lambda: reconstruction_error(X * 1e160, [0]), RANGE),
        (lambda: neighbour_accuracy(X * 1e160, Y, [0]), RANGE),
        (lambda: Rebuilding(X * 1e-160), RANGE),
        (lambda: compared(["variance"], X * 1e160), RANGE),
        (lambda: Rebuilding(X * 1e80), "its fourth power leaves"),
        (lambda: neighbour_accuracy(X, Y, [0], groups=Y), "Every class lies in a single group"),
        (lambda: reconstruction_error(X, [0], held_out=False, groups=Y), "groups has no effect"),
        (lambda: compared(["all"], y=GAPS), f"^y {MISSING}"),
        (lambda: clustering_accuracy(GAPS, Y), f"^y_true {MISSING}"),
        (lambda: normalized_mutual_information(GAPS, Y), f"^y_true {MISSING}"),
        (lambda: neighbour_accuracy(X, GAPS, [0]), f"^y {MISSING}"),
        (lambda: compared(["all"], y=MANY), f"^y {COUNTED}"),
        (lambda: clustering_accuracy(MANY, Y), f"^y_true {COUNTED}"),
        (lambda: normalized_mutual_information(MANY, Y), f"^y_true {COUNTED}"),
        (lambda: neighbour_accuracy(X, MANY, [0]), f"^y {COUNTED}"),
        (lambda: planned(y=np.zeros(60)), "All samples have the same label"),
        (lambda: planned(y=np.arange(59)), "y has 59 labels for 60 samples"),
        (lambda: planned(n_features=[3, 0]), "n_features must be at least 1"),
        (lambda: planned(methods=[]), "No method is chosen"),
        (lambda: planned(methods={"random": Listed()}), "'random' is the name of a reference"),
        (lambda: planned(init="best"), "init must be one of random"),
        (lambda: planned(seeds=[1, 1]), "seeds are different"),
        (lambda: planned(n_seeds=0), "at least one seed"),
        (lambda: planned(X=np.full((60, 3), "t")), r"X must hold numbers alone \(could not conv"),
        (lambda: planned(X=csr_array(X)), "X is a sparse matrix: give X.toarray"),
        (lambda: compared(VarianceThreshold()), "methods is a selector, VarianceThreshold: give"),
        (lambda: compared({"mine": VarianceThreshold}), "'mine' is a class: give an object of it"),
        (lambda: compared({"mine": "variance"}), "'mine' is 'variance', and no selector: it has"),
        (
            lambda: compared({"a": type("Plain", (), {"fit": None})()}),
            "derive its class Plain from",
        ),
        (
            lambda: compared(["all"], FRAME, scores={"mine": SCORES.rename({"g3": "g33"})}),
            "^mine.* 1 of the 12 names in index is unknown here, such as g33, and 1 of the 12 "
            "features is not in it, such as g3.",
        ),
        (
            lambda: compared(["all"], FRAME, scores={"mine": SCORES.set_axis([*range(5, 29, 2)])}),
            "^mine.*index should number the features",
        ),
        (
            lambda: compared(["all"], scores={"mine": SCORES}),
            "^mine has names in index, such as g0",
        ),
        (
            lambda: compared(["all"], y=None, n_clusters=3).table("accuracy"),
            "'accuracy' was not measured here: choose from silhouette",
        ),
        (lambda: rank_features(Listed(order=(0, 1, 1, 2, 3, 4)), X), "orders a feature twice"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(call, words):
    with pytest.raises(ValueError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "features",
    [[0, 12], [-1], [0.5], [np.nan, 1], [True] * 12, 3, ["a"], [[1], [2, 3]], np.arange(12)[None]],
)
def test_features_are_columns_by_number(features):
    """-1, 0.5 and a mask were taken for columns, and others ended in an IndexError."""
    for call in (
        lambda: reconstruction_error(X, features),
        lambda: neighbour_accuracy(X, Y, features),
        lambda: Rebuilding(X).errors([features]),
        lambda: rank_features(StandIn(feature_order_=features), X),
    ):
        with pytest.raises(ValueError, match="whole ones from 0 to 11"):
            call()
