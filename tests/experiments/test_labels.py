"""Experiments on data some of whose samples have no label, or whose labels cannot be scored."""

import numpy as np
import pytest

from cspca.datasets import Dataset
from cspca.evaluation import kmeans
from cspca.evaluation.metrics import agreement
from cspca.experiments import Compare, Paper, Sensitivity, run

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1, 2], 20)
X = (RNG.random((60, 6)) + Y[:, None]) / 3
FEW = Compare(methods=("all", "variance"), n_features=(3,), n_seeds=2, n_draws=0, bootstrap=10)


def test_samples_without_a_label_are_left_out_of_scores_and_said():
    target = np.where(np.arange(60) % 5 == 0, -1, Y)
    data = Dataset(X, target, target_names=("a", "b", "c"), name="partly")
    outcome = run(FEW, data)
    assert not outcome.failures
    table = outcome.table
    of_all = table[table["method"] == "all"]
    assert set(of_all["n_clusters"]) == {3}
    labels = kmeans(X, 3, [0, 1]).labels[:, target >= 0]
    expected = [agreement(target[target >= 0], one)["accuracy"] for one in labels]
    assert of_all["accuracy"].tolist() == expected
    sentences = [finding.sentence for finding in outcome.findings]
    assert any("12 of 60 samples have no label" in sentence for sentence in sentences)
    protocol = FEW.protocol(data)
    assert "ACC, NMI and nearest neighbours count the 48 samples that have a label." in protocol
    assert "have a label" not in FEW.protocol(Dataset(X, Y))


def test_classes_that_a_person_has_chosen_are_not_asked_again():
    people = np.repeat(np.arange(60), 2)
    data = Dataset(RNG.random((120, 6)), people)
    outcome = run(FEW, data)
    assert not outcome.failures
    assert set(outcome.table["n_clusters"]) == {60}
    assert outcome.table["accuracy"].notna().all()


def test_where_nearly_every_sample_is_a_class_nothing_is_scored():
    data = Dataset(X, np.arange(60) // 59 + np.arange(60), name="ids")
    assert not data.has_classes
    with pytest.raises(ValueError, match="number of clusters is unknown"):
        run(FEW, data)
    grid = Sensitivity(alphas=(0.1,), betas=(0.1,), n_seeds=2)
    assert [cell.step for cell in grid.cells(data)] == ["path"]
    with pytest.raises(
        ValueError, match="Nearly every one of these samples has a class of its own"
    ):
        list(Paper().cells(data))


def test_fewer_distinct_samples_than_clusters_are_noted():
    binary = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], float)
    samples = np.c_[np.repeat(binary, 8, axis=0), np.linspace(0, 0.1, 32)]
    data = Dataset(samples, np.repeat(np.arange(8), 4))
    outcome = run(Compare(methods=("all", "variance"), n_features=(2,), n_seeds=2, n_draws=0), data)
    assert (
        "By the 2 features of Max variance only 4 samples differ, fewer than the 8 clusters asked "
        "for: some clusters are empty."
    ) in [finding.sentence for finding in outcome.findings]
