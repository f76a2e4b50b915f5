"""Labels of a comparison: one rule for what is given, and scores of what has a label alone."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from cspca.evaluation import compare, kmeans, neighbour_accuracy
from cspca.evaluation.metrics import agreement, resampled_agreement
from cspca.evaluation.steps import beside, cluster
from cspca.labels import UNLABELLED

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1, 2], 20)
X = RNG.random((60, 6)) + Y[:, None]
FEW = {"n_seeds": 2, "n_draws": 0, "bootstrap": 0}


def test_nearly_one_sample_a_class_is_noted_and_not_scored():
    labels = [f"sample {at}" for at in range(58)] + ["rest", "rest"]
    with pytest.raises(ValueError, match="y has 59 classes for 60 samples, nearly one a sample"):
        compare(X, labels, ["variance"], 2, **FEW)
    with pytest.warns(UserWarning, match="Nearly every sample has a label of its own in y"):
        done = compare(X, labels, ["variance"], 2, n_clusters=3, **FEW)
    assert done.metrics == ("silhouette", "cluster_stability", "reconstruction_error")


def test_samples_without_a_label_are_clustered_and_left_out_of_scores():
    partly = np.where(np.arange(60) % 5 == 0, UNLABELLED, Y)
    there = partly != UNLABELLED
    order = np.arange(6)
    rows, resampled = cluster(X, partly, order, 3, [0, 1], 3, bootstrap=4)
    whole, _ = cluster(X, Y, order, 3, [0, 1], 3)
    labels = kmeans(X[:, :3], 3, [0, 1]).labels
    for seed, (row, other) in enumerate(zip(rows, whole, strict=True)):
        assert row["inertia"] == other["inertia"]
        scores = agreement(Y[there], labels[seed][there])
        assert {name: row[name] for name in scores} == scores
    expected = resampled_agreement(Y[there], labels[:, there], 4)
    np.testing.assert_array_equal(resampled["accuracy"], expected["accuracy"])
    scored = beside(X, partly, order, 3)
    assert scored["neighbour_accuracy"] == neighbour_accuracy(X[there], Y[there], order[:3])
    assert scored["reconstruction_error"] == beside(X, Y, order, 3)["reconstruction_error"]


# -- fewer distinct samples than clusters ---------------------------------------------------------

BINARY = np.unpackbits(np.arange(4, dtype=np.uint8)[:, None], axis=1)[:, -2:].astype(float)


@pytest.mark.parametrize("init", ["random", "k-means++"])
def test_fewer_distinct_samples_than_clusters_are_said(init):
    samples = np.repeat(BINARY, 8, axis=0)
    with pytest.warns(ConvergenceWarning, match="Only 4 samples differ, fewer than the 8 clusters"):
        found = kmeans(samples, 8, [0, 1], init=init)
    assert found.n_filled.max() <= 4
    np.testing.assert_allclose(found.inertia, 0.0, atol=1e-12)
    assert (found.labels >= 0).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kmeans(samples, 4, [3], init="k-means++").n_filled.tolist() == [4]


def test_a_comparison_says_by_which_features_few_samples_differ():
    samples = np.c_[np.repeat(BINARY, 8, axis=0), np.linspace(0, 0.1, 32)]
    labels = np.repeat(np.arange(8), 4)
    with pytest.warns(
        ConvergenceWarning, match="fewer samples differ than the 8 clusters .* in 1 c"
    ):
        done = compare(samples, labels, ["all", "variance"], [2, 3], **FEW)
    (row,) = done.few_distinct().to_dict("records")
    assert (row["method"], row["n_features"], row["n_distinct"]) == ("variance", 2, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compare(samples, labels, ["all"], 3, **FEW).few_distinct().empty
