"""Sensitivity: cells without a ranking have no score, and sentence and frame name one cell."""

import numpy as np
import pytest

from cspca.datasets import Dataset
from cspca.experiments import Convergence, Sensitivity, run
from cspca.experiments.exports import to_csv
from tests.experiments import toys


@pytest.fixture(scope="module")
def outcome():
    grid = Sensitivity(alphas=(0.1, 0.9), betas=(0.05, 0.9), n_features=10, n_seeds=2)
    return run(grid, toys.blobs(40, 60, 4))


def test_an_empty_model_has_no_score_but_the_reason(outcome):
    points = outcome.experiment.means(outcome.results)
    empty = points[points["regime"] == "zero"]
    assert len(empty) >= 1
    assert empty["accuracy_mean"].isna().all()
    assert set(empty["no_ranking"]) == {"empty model"}
    rows = outcome.table[outcome.table["regime"] == "zero"]
    assert rows["accuracy"].isna().all()
    assert "empty model" in to_csv(outcome.table)
    printed = outcome.printed["Every point"]
    assert "no ranking: empty model" in set(printed[printed.columns].to_numpy().ravel())
    assert any("empty model at" in one.sentence for one in outcome.findings)


def test_only_the_score_is_hatched(outcome):
    names = [t.name for t in outcome.experiment.figure(outcome.results, "accuracy_mean").data]
    assert "no ranking" in names
    names = [t.name for t in outcome.experiment.figure(outcome.results, "rank").data]
    assert "no ranking" not in names


def test_frame_and_sentence_name_one_cell_and_ties_are_counted(outcome):
    grid, points = outcome.experiment, outcome.experiment.means(outcome.results)
    i, j = grid.best(outcome.results)
    best = {"alpha": grid.alphas[i], "beta": grid.betas[j]}
    sentence = outcome.findings[1].sentence
    assert f"% at {grid.called(best)}" in sentence
    n = int(np.isclose(points["accuracy_mean"], points["accuracy_mean"].max()).sum())
    assert (f"one of {n} cells with this score" in sentence) == (n > 1)


def test_without_any_ranking_no_cell_is_best():
    empty = run(
        Sensitivity(alphas=(0.9,), betas=(0.9,), n_features=10, n_seeds=2), toys.blobs(40, 60, 4)
    )
    assert empty.experiment.best(empty.results) is None
    assert "Best of the grid" not in str(empty)


def test_groups_hold_where_nothing_is_held_against_labels() -> None:
    rng = np.random.default_rng(0)
    subjects = np.repeat(np.arange(12), 4)
    X = rng.random((12, 9))[subjects] + 0.01 * rng.random((48, 9))
    data = Dataset(np.clip(X / 1.01, 0.0, 1.0), name="replicates")
    asked = {"alphas": (0.1,), "betas": (0.1,), "n_features": 4, "n_seeds": 2, "n_clusters": 3}
    errors = {}
    for name, groups in (("grouped", subjects), ("alone", ())):
        found = run(Sensitivity(**asked, groups=groups), data)
        errors[name] = found.table["reconstruction_error"].iloc[0]
        assert ("keep each of the 12 groups whole" in str(found)) == (name == "grouped")
    assert errors["grouped"] > 1 > 2 * errors["alone"]
    start = {"inits": ("diagonal-1",), "solvers": ("admm",), "n_features": 4, "n_seeds": 2}
    from_one = run(Convergence(**start, n_clusters=3, groups=subjects, random_state=2), data)
    assert from_one.table["reconstruction_error"].iloc[0] > 1
    assert "keep each of the 12 groups whole" in str(from_one)
    with pytest.raises(ValueError, match="groups has 3 entries for 48 samples"):
        run(Sensitivity(**asked, groups=("a", "b", "a")), data)
    labelled = Dataset(data.data, subjects % 3, name="labelled")
    with pytest.raises(ValueError, match="groups has no effect where clusters are held against"):
        run(Sensitivity(**asked, groups=subjects), labelled)
