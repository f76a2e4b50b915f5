"""Accuracy and mutual information against hand-made answers, brute force and scikit-learn."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import normalized_mutual_info_score

from cspca.evaluation import clustering_accuracy, normalized_mutual_information
from cspca.evaluation.metrics import resampled_agreement
from cspca.labels import class_numbers

labels_of_twelve = arrays(np.intp, 12, elements=st.integers(0, 4))


@pytest.mark.parametrize(
    ("classes", "clusters", "accuracy"),
    [
        ([0, 0, 1, 1], [1, 1, 0, 0], 1.0),
        ([0, 0, 1, 1], [0, 1, 0, 1], 0.5),
        ([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], 4 / 6),  # more clusters than classes
        ([0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1], 4 / 6),  # more classes than clusters
        # A greedy map takes the 3 first and reaches 3 + 0; the best is 2 + 2.
        ([0] * 5 + [1] * 2, [0, 0, 0, 1, 1, 0, 0], 4 / 7),
        (["b", "b", "a"], [10, 10, -3], 1.0),
        ([5], ["x"], 1.0),
    ],
)
def test_accuracy_by_hand(classes, clusters, accuracy):
    assert clustering_accuracy(classes, clusters) == pytest.approx(accuracy)


@given(labels_of_twelve, labels_of_twelve)
def test_accuracy_is_the_best_of_all_one_to_one_maps(classes, clusters):
    best = max(
        np.mean(np.array(mapping)[clusters] == classes)
        for mapping in itertools.permutations(range(5))
    )
    assert clustering_accuracy(classes, clusters) == pytest.approx(best)


def test_mutual_information_by_hand():
    """Two classes of two, clusters of three and one: I and H written out."""
    classes, clusters = [0, 0, 1, 1], [0, 0, 0, 1]
    information = (
        0.5 * np.log(0.5 / (0.5 * 0.75))
        + 0.25 * np.log(0.25 / (0.5 * 0.75))
        + 0.25 * np.log(0.25 / (0.5 * 0.25))
    )
    of_classes = np.log(2)
    of_clusters = -(0.75 * np.log(0.75) + 0.25 * np.log(0.25))
    expected = {
        "geometric": information / np.sqrt(of_classes * of_clusters),
        "arithmetic": 2 * information / (of_classes + of_clusters),
        "max": information / max(of_classes, of_clusters),
    }
    for average, value in expected.items():
        found = normalized_mutual_information(classes, clusters, average=average)
        assert found == pytest.approx(value, rel=1e-12)
    assert normalized_mutual_information(classes, clusters) == pytest.approx(expected["geometric"])


@given(labels_of_twelve, labels_of_twelve, st.sampled_from(["geometric", "arithmetic", "max"]))
def test_mutual_information_is_scikit_learns(classes, clusters, average):
    found = normalized_mutual_information(classes, clusters, average=average)
    theirs = normalized_mutual_info_score(classes, clusters, average_method=average)
    assert found == pytest.approx(theirs, abs=1e-12)


@given(labels_of_twelve, labels_of_twelve, st.permutations(range(5)))
def test_names_of_clusters_mean_nothing(classes, clusters, names):
    renamed = np.array(names)[clusters]
    spelled = np.array(["p", "q", "r", "s", "t"])[classes]
    for metric in (clustering_accuracy, normalized_mutual_information):
        assert metric(spelled, renamed) == pytest.approx(metric(classes, clusters), abs=1e-12)
        assert metric(clusters, classes) == pytest.approx(metric(classes, clusters), abs=1e-12)
        assert 0 <= metric(classes, clusters) <= 1


def test_agreement_on_resamples_is_that_of_the_samples_they_hold():
    rng = np.random.default_rng(3)
    classes = class_numbers(np.array(list("aabbbccccddddd")))
    clusterings = rng.integers(5, size=(3, 14))
    found = resampled_agreement(classes, clusterings, 20)
    drawn = np.random.default_rng(0).multinomial(14, np.full(14, 1 / 14), size=20)
    assert (drawn == 0).any(axis=1).all()
    for name, score in (
        ("accuracy", clustering_accuracy), ("nmi", normalized_mutual_information),
    ):  # fmt: skip
        wanted = [
            np.mean(
                [score(np.repeat(classes, times), np.repeat(one, times)) for one in clusterings]
            )
            for times in drawn
        ]
        np.testing.assert_allclose(found[name], wanted, rtol=1e-6)
