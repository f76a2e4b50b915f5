"""FSEVAL: our methods run in it, and what it writes is read."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

from cspca.evaluation import clustering_accuracy, fseval_method, read_fseval
from cspca.selection import LeverageScores

RECORDED = Path(__file__).parents[1] / "fixtures" / "fseval"
"""What sdufseval 1.3.0 wrote of the first 600 digits / 16, two starts, seed 0."""


def test_what_it_wrote_is_a_comparison():
    done = read_fseval(RECORDED, "digits", 64)
    assert done.plan.titles == {"leverage": "Leverage scores"}
    assert done.metrics == ("accuracy", "nmi_arithmetic")
    assert done.counts == [1, 2, 3, 4, 5, 6, 7]
    (row,) = done.table("accuracy")
    assert (row.best.n_features, row.best.mean) == (6, pytest.approx(0.5666667))
    assert [point.n_features for point in done.curve("leverage", "nmi_arithmetic")] == done.counts


def test_its_numbers_are_those_of_our_selection():
    """So it took the best features, not the worst; k-means may end elsewhere on another machine."""
    X, y = (part[:600] for part in load_digits(return_X_y=True))
    chosen = LeverageScores(10).fit(X / 16).feature_order_[:7]
    starts = [KMeans(10, random_state=seed).fit(X[:, chosen] / 16) for seed in range(2)]
    mean = np.mean([clustering_accuracy(y, start.labels_) for start in starts])
    theirs = read_fseval(RECORDED, "digits", 64).curve("leverage")[-1].mean
    assert theirs == pytest.approx(mean, abs=0.02)


def test_what_does_not_fit_is_said_in_one_sentence(tmp_path):
    for folder, data in ((RECORDED, "ORL"), (tmp_path, "digits")):
        with pytest.raises(ValueError, match=f"FSEVAL wrote nothing of '{data}' there"):
            read_fseval(folder, data, 64)
    with pytest.raises(ValueError, match="Unknown method 'best'"):
        fseval_method("best")


def test_two_settings_of_a_method_are_two_methods():
    names = [
        fseval_method(*args, **settings)["name"]
        for args, settings in (
            (("cspca",), {}),
            (("cspca",), {"alpha": 0.01}),
            (("cspca",), {"alpha": 0.9, "beta": 0.1}),
            (("leverage", 10), {}),
            (("leverage", 20), {"name": "twenty directions"}),
            (("laplacian",), {"weight": "a/b c"}),
        )
    ]
    assert names == [
        "cspca", "cspca(alpha=0.01)", "cspca(alpha=0.9,beta=0.1)", "leverage", "twenty directions",
        "laplacian(weight=a_b_c)",
    ]  # fmt: skip


def test_each_setting_is_read_as_a_method_of_its_own():
    tables = {
        f"{name}_CLSACC_10Percent_USI2_RS0.csv": pd.DataFrame({"0.1": [value]}, index=["toy"])
        for name, value in (("cspca", 0.5), ("cspca(alpha=0.9)", 0.7), ("theirs", 0.6))
    }
    done = read_fseval(tables, "toy", 20)
    assert done.plan.titles == {
        "cspca": "CSPCA", "cspca(alpha=0.9)": "CSPCA (alpha=0.9)", "theirs": "theirs"
    }  # fmt: skip
    assert {row.method: row.best.mean for row in done.table("accuracy")} == {
        "cspca": 0.5, "cspca(alpha=0.9)": 0.7, "theirs": 0.6
    }  # fmt: skip


def test_a_method_that_selects_anew_for_each_number_is_refused():
    with pytest.raises(ValueError, match="FSPCA selects anew for each number of features"):
        fseval_method("fspca")


def test_the_real_package_takes_our_methods_and_we_read_its_files(tmp_path):
    suite = pytest.importorskip("sdufseval").FSEVAL
    X, y = (part[:120] for part in load_digits(return_X_y=True))
    savemat(tmp_path / "few.mat", {"X": X / 16, "Y": y})
    out = tmp_path / "results"
    asked = {"eval_type": "unsupervised", "stability": False, "experiments": ["10Percent"]}
    run = suite(str(out), unsupervised_iter=1, n_jobs=1, data_dir=str(tmp_path), **asked)
    methods = [fseval_method("leverage", 10), fseval_method("pca", n_components=3)]
    run.run(["few"], [*methods, fseval_method("pca", n_components=1)])
    done = read_fseval(out, "few", 64)
    assert set(done.plan.titles) == {"leverage", "pca(n_components=1)", "pca(n_components=3)"}
    assert done.complete
    assert 0.1 < done.table("accuracy")[0].best.mean < 1
