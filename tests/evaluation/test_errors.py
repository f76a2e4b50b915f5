"""What is wrong with an argument is said in one sentence, by every function of the room."""

import math

import numpy as np
import pytest

from cspca.evaluation import (
    Rebuilding,
    chosen_on_other_starts,
    clustering_accuracy,
    group_contrast,
    kmeans,
    low_probability_bound,
    normalized_mutual_information,
    paired_difference,
    rank_test,
    reconstruction_error,
    selection_reproducibility,
)
from cspca.evaluation.comparison import best_choice
from cspca.evaluation.halves import number_groups
from cspca.evaluation.outliers import ranking_quality

BOUND = "threshold must be above"
NO_LIST = "y_true must be a non-empty list"
TWO = "at least two selections"


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
        (lambda: number_groups(["a"] * 5, 6), "groups has 5 entries for 6 samples: give one a"),
        (lambda: number_groups(["a", None, "", "b"], 4), "groups has missing entries, 2 of 4"),
        (lambda: number_groups([1.0, np.nan, 2.0], 3), "groups has missing entries, 1 of 3"),
        (lambda: number_groups(["a"] * 6, 6), "groups has a single group: two halves need at"),
        (lambda: ranking_quality([True, True], [1.0, 2.0]), "there must be both"),
        (lambda: ranking_quality([True, False], [1, 2, 3]), "There are 3 scores for 2 samples"),
        (lambda: selection_reproducibility(np.ones((1, 3), bool)), TWO),
        (lambda: selection_reproducibility(np.ones(3, bool)), TWO),
        (lambda: selection_reproducibility(np.ones((3, 0), bool)), TWO),
        (lambda: selection_reproducibility([[0.5, 1], [1, 0]]), "True and False"),
        (lambda: low_probability_bound(10, 100, 0.5), BOUND),
        (lambda: low_probability_bound(10, 100, 1.1), BOUND),
        (lambda: low_probability_bound(10, 100, math.nan), BOUND),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(call, words):
    with pytest.raises(ValueError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)
