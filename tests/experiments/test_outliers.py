"""The phase map and the rankings of pictures: what they rest on, and that they are kept."""

import numpy as np
import pytest

from cspca.datasets import load, make_faces, make_haystack
from cspca.evaluation.outliers import SCORES, subspace_sine
from cspca.experiments import Outliers, run
from cspca.experiments.experiment import Result
from cspca.robust import RobustSettings, explain

MAP = Outliers(
    parts=("map",), methods=("cspca", "pca"), shares=(0.0, 0.5, 0.8), ranks=(2, 3), n_features=20,
    n_samples=80, n_seeds=3,
)  # fmt: skip


@pytest.fixture(scope="module")
def faces():
    return make_faces(5, 6, 12)


def test_the_map_is_what_the_methods_find(faces):
    outcome = run(MAP, faces)
    rows = outcome.table.set_index(["method", "share", "rank", "seed"])
    hay = make_haystack(0.5, 3, 80, 20, random_state=2)
    found = explain("cspca", hay.X, RobustSettings(3, 0.5))
    row = rows.loc["cspca", 0.5, 3, 2]
    assert row["sine"] == subspace_sine(hay.basis, found.directions)
    assert row["rank_found"] == found.rank
    exact = {one: MAP.exact(outcome.results, one) for one in MAP.methods}
    assert {at: share for at, share in exact["pca"].items() if share} == {(0, 2): 1.0, (0, 3): 1.0}
    assert exact["cspca"][0.5, 2] == exact["cspca"][0.5, 3] == 1.0
    assert exact["cspca"][0.8, 3] < 1.0
    sentence = outcome.findings[1].sentence
    assert sentence.startswith("PCA, told the rank, finds the hidden subspace exactly every time")


def test_beta_is_a_setting_of_cspca_alone(faces):
    window = Outliers(
        parts=("map",), across="beta", methods=("cspca", "fms"), shares=(0.5,), rank=3,
        betas=(0.02, 0.5), n_features=20, n_samples=80, n_seeds=2,
    )  # fmt: skip
    assert len(list(window.cells(faces))) == 3
    results = run(window, faces).results
    assert window.exact(results, "fms") == {(0.5, 0.02): 1.0, (0.5, 0.5): 1.0}
    ranks = window.map(results).set_index("beta")["rank_right"]
    assert (ranks[0.02], ranks[0.5]) == (0.0, 1.0)


@pytest.mark.parametrize("wrong", ["blocks", "swapped", "strangers"])
def test_pictures_are_ranked_beside_their_norm(wrong, faces):
    asked = Outliers(
        parts=("pictures",), judges=("cspca", "pca", "op", "norm"), wrong=wrong, wrong_share=0.2,
        components=5,
    )  # fmt: skip
    outcome = run(asked, faces)
    rows = outcome.tables["Rankings"].set_index(["method", "score"])
    assert set(rows.loc["cspca"].index) == set(SCORES)
    # The control is the same beside every method.
    assert rows.xs("norm", level="score")["auc"].nunique() == 1
    assert ((rows["auc_low"] <= rows["auc"]) & (rows["auc"] <= rows["auc_high"])).all()
    errors = rows["clean_error"].dropna()
    assert ((errors > 0.0) & (errors < 1.5)).all()
    assert np.isnan(rows.loc[("norm", "norm"), "clean_error"])
    assert "without any method" in outcome.findings[0].sentence
    assert "ahead of plain PCA by more than the intervals" in outcome.findings[1].sentence


def test_three_that_are_ahead_are_listed(faces):
    judges = ("pca", "cspca", "fms", "op")
    asked = Outliers(parts=("pictures",), judges=judges)
    ends = dict.fromkeys(judges, (0.9, 0.95, 0.99)) | {"pca": (0.6, 0.7, 0.8)}

    def rows(name):
        given = dict(zip(("auc_low", "auc", "auc_high"), ends[name], strict=True))
        return tuple({"score": score, **given} for score in ("residual", "norm"))

    results = {
        cell: Result(rows(name)) for name, cell in zip(judges, asked.cells(faces), strict=True)
    }
    sentence = asked.findings(results, faces)[1].sentence
    assert sentence.startswith("CSPCA, FMS and Outlier pursuit are ahead of plain PCA by more")


def test_data_without_pictures_have_the_map_alone():
    from tests.experiments.toys import blobs

    data = blobs(20, 5)
    assert {cell.step for cell in Outliers().cells(data)} == {"haystack"}


def test_a_set_is_no_stranger_to_itself():
    asked = Outliers(
        parts=("pictures",), wrong="strangers", strangers="digits", judges=("norm", "pca")
    )
    failures = run(asked, load("digits")).failures
    assert len(failures) == 2
    assert "no strangers among themselves" in next(iter(failures.values()))


def test_a_share_that_leaves_no_inliers_is_one_sentence(faces):
    with pytest.raises(ValueError, match=r"shares must be a number from 0 to 0\.9, got 0\.95"):
        Outliers(shares=(0.95,))
    with pytest.raises(ValueError, match="leave no two inliers: give a smaller share"):
        list(Outliers(shares=(0.9,), n_samples=10, ranks=(1,)).cells(faces))
