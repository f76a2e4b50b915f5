"""The program as a user runs it: in a process of its own, with a store in a folder of its own."""

import csv
import errno
import io
import json
import os
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from cspca import CSPCA
from cspca.datasets import load, load_file
from cspca.evaluation import compare
from cspca.experiments import Convergence, Sensitivity, run
from cspca.experiments.registry import EXPERIMENTS
from cspca.experiments.runner import BACKENDS
from cspca.experiments.settings import from_options
from cspca.experiments.store import Store
from cspca.keep import fit_keeping
from cspca.selection import METHODS, PAPER_GRID
from cspca.shell import main, parse
from cspca.solvers import SOLVERS
from tests.datasets import files
from tests.evaluation.fakes import PICKS, Picking
from tests.experiments.toys import Toy, blobs
from tests.soak import counted

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a small data file."""
    folder = tmp_path_factory.mktemp("shell")
    data = blobs(n=90, d=24, classes=3)
    np.savez(folder / "blobs.npz", X=data.data, y=data.target)
    return folder


def command(*arguments, home=None):
    words = [sys.executable, "-m", "cspca", *map(str, arguments)]
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", COLUMNS="100")
    environment.pop("CSPCA_HOME", None)
    environment["CSPCA_HOME"] = str(home or "/nonexistent/of/a/test")
    return words, {"cwd": REPOSITORY, "env": environment, "text": True, "encoding": "utf-8"}


def elsewhere(*arguments, home=None, code=0):
    """Run a command in a process of its own, to its end; no traceback, whatever happens."""
    words, options = command(*arguments, home=home)
    done = subprocess.run(words, capture_output=True, timeout=120, check=False, **options)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


@dataclass
class Done:
    stdout: str
    stderr: str


def shell(*arguments, home=None, code=0):
    """Run a command here: the same, but for the seconds that a new process takes to import."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setenv("CSPCA_HOME", str(home or "/nonexistent/of/a/test"))
        try:
            ended = main([str(one) for one in arguments])
        except SystemExit as exited:
            ended = exited.code
    assert ended == code, out.getvalue() + err.getvalue()
    return Done(out.getvalue(), err.getvalue())


def as_json(*arguments, **options):
    return json.loads(shell(*arguments, "--json", **options).stdout)


def test_help_imports_nothing_heavy():
    script = (
        "import sys, cspca.shell as p; p.parse(['runs', 'list']);"
        "assert not {'numpy', 'scipy', 'sklearn', 'joblib', 'sqlite3'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=REPOSITORY)


@pytest.mark.parametrize(
    "words",
    [
        [], ["fit"], ["rank"], ["compare"], ["sensitivity"], ["convergence"], ["outliers"],
        ["paper"], ["open"], ["runs"],
        ["runs", "list"], ["runs", "show"], ["runs", "resume"],
        ["runs", "rename"], ["runs", "delete"], ["runs", "restore"], ["runs", "export"],
        ["report"], ["record"], ["doctor"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_every_command_has_help_with_examples_that_parse(words, capsys):
    with pytest.raises(SystemExit) as ended:
        parse([*words, "--help"])
    assert ended.value.code == 0
    help_text = capsys.readouterr().out
    examples = [
        line.split("cspca ", 1)[1]
        for line in help_text.splitlines()
        if line.startswith("  python -m cspca ")
    ]
    assert examples
    for example in examples:
        assert parse(shlex.split(example)).run


def test_choices_in_the_help_are_those_of_the_library():
    for solver in SOLVERS:
        assert parse(["fit", "faces", "--solver", solver]).solver == solver
    for backend in BACKENDS:
        assert parse(["compare", "faces", "--backend", backend]).backend == backend
    for kind in EXPERIMENTS:
        assert parse(["runs", "list", "--kind", kind]).kind == kind
        assert parse([kind, "faces"]).run


def test_an_experiment_has_its_command_from_its_settings(place, monkeypatch):
    """With nothing but its line in the registry."""
    monkeypatch.setitem(EXPERIMENTS.data, "toy", ("Toy", "Squares of numbers."))
    monkeypatch.setitem(sys.modules, "cspca.experiments.toy", sys.modules[Toy.__module__])
    found = as_json("toy", place / "blobs.npz", "--n", 3, home=place / "toys")
    assert (found["kind"], found["state"], found["n_cells"]) == ("toy", "done", 3)
    assert [row["square"] for row in found["table"]] == [0, 1, 4]
    done = shell("toy", place / "blobs.npz", "--n", 0, home=place / "toys", code=2)
    assert "n must be a whole number from 1" in done.stderr
    assert "An experiment that takes no time" not in done.stderr
    (listed,) = as_json("runs", "list", "--kind", "toy", home=place / "toys")
    assert listed["run"] == found["run"]


def test_fit_is_the_librarys_fit(place):
    words = ("fit", place / "blobs.npz", "--alpha", 0.5, "--beta", 0.05, "--json")
    done = elsewhere(*words)
    assert done.stderr.startswith("Read") or "Fitting" in done.stderr
    found = json.loads(done.stdout)
    model = CSPCA(alpha=0.5, beta=0.05).fit(load_file(place / "blobs.npz").data)
    assert found["objective"] == model.objective_
    assert found["dual_objective"] == model.dual_objective_
    assert found["duality_gap"] == model.duality_gap_ <= 1e-3
    assert found["feature_order"] == model.feature_order_.tolist()
    assert (found["rank"], found["regime"]) == (model.rank_, model.regime_)
    assert found["n_zero"] == np.count_nonzero(model.feature_scores_ == 0)
    assert found["converged"] is True
    assert found["run"] is None


def test_fit_says_it_in_words_and_writes_its_scores(place):
    done = shell("fit", place / "blobs.npz", "--alpha", 0.5, "--out", place / "scores.csv")
    for word in (
        "Objective",
        "Lower bound",
        "of the optimum",
        "proven",
        "Rank",
        "exactly zero",
        "Sparse",
    ):
        assert word in done.stdout
    model = CSPCA(alpha=0.5).fit(load_file(place / "blobs.npz").data)
    with (place / "scores.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert [int(line["feature_from_0"]) for line in lines] == model.feature_order_.tolist()
    for line in lines:
        j = int(line["feature_from_0"])
        assert float(line["feature_score"]) == model.feature_scores_[j]
        assert float(line["dual_score"]) == model.dual_scores_[j]
        assert float(line["selection_score"]) == model.selection_scores_[j]


def test_the_film_of_a_fit_is_a_gif_that_gets_emptier(place):
    words = ("fit", place / "blobs.npz", "--beta", 0.05, "--film", place / "blobs.gif")
    assert "Wrote" in shell(*words).stderr
    film = Image.open(place / "blobs.gif")
    assert film.n_frames == 41
    film.seek(40)
    # At α_max nothing is left: there are no bars but the page and its words.
    assert len(film.convert("RGB").getcolors(1 << 20)) <= 20
    shell("fit", place / "blobs.npz", "--film", place / "blobs.mp4", code=2)


def test_components_and_coordinates_of_a_fit_are_written(place):
    with_labels = place / "digits.csv", place / "digits.npz", place / "digits.png"
    words = [word for path in with_labels for word in ("--components", path)]
    cloud = place / "cloud.csv"
    shell("fit", "digits", "--alpha", 0.4, "--beta", 0.02, *words, "--coordinates", cloud)
    model = CSPCA(0.4, 0.02).fit(load("digits").data)
    with np.load(place / "digits.npz") as arrays:
        np.testing.assert_allclose(arrays["components"], model.components_, atol=1e-12)
    lines = cloud.read_text().splitlines()
    assert lines[0].startswith("sample_from_1,row_of_data_from_0,class,component_1,")
    assert len(lines) == 1 + load("digits").n_samples
    assert Image.open(place / "digits.png").format == "PNG"
    said = shell("fit", place / "blobs.npz", "--components", place / "blobs.png", code=2).stderr
    assert "has no shape to draw components in: write them as .csv." in said
    empty = "fit", "digits", "--alpha", 1, "--beta", 1, "--coordinates", cloud
    assert "there is no component to write" in shell(*empty, code=1).stderr


def test_errors_of_new_samples_are_written(place):
    rows = np.random.default_rng(0).normal(size=(30, 5)) * [1, 20, 300, 4000, 5]
    (place / "soil.csv").write_bytes(files.csv(rows, "abcde"))
    (place / "field.csv").write_bytes(files.csv(rows[4:6, ::-1], "edcba"))
    words = "fit", place / "soil.csv", "--scale", "columns", "--alpha", 0.1, "--beta", 0.02
    errors = place / "errors.csv"
    note = shell(*words, "--new", place / "field.csv", "--errors", errors).stderr
    assert "Columns are put in the order of the set by their names." in note
    data = load_file(place / "soil.csv", scale="columns").data
    model = CSPCA(0.1, 0.02).fit(data)
    own = np.linalg.norm(data - model.reconstruct(data), axis=1)[4:6]
    written = {row["name"]: row for row in csv.DictReader(io.StringIO(errors.read_text()))}
    assert [*written["field.csv, sample 2"]] == ["name", "error", "percentile", "norm"]
    assert float(written["field.csv, sample 2"]["error"]) == pytest.approx(own[1])
    assert "go together" in shell(*words, "--errors", errors, code=2).stderr
    (place / "other.csv").write_bytes(files.csv(rows[:, :3], "abc"))
    refused = shell(*words, "--new", place / "other.csv", "--errors", errors, code=2).stderr
    assert "other.csv has 3 of the 5 features of the set by their names; it lacks d, e" in refused


def test_a_kept_fit_is_the_same_fit_and_the_library_reads_it(place):
    found = as_json(
        "fit", "digits", "--absolute", "--alpha", 20, "--beta", 5, "--save", "--name", "mine",
        "--out", place / "fit.npz", home=place / "fits",
    )  # fmt: skip
    model = CSPCA(alpha=20, beta=5, penalty_scale="absolute").fit(load("digits").data)
    assert found["objective"] == model.objective_
    with Store(place / "fits") as store:
        run = store.get(found["run"])
        ((kept,),) = (store.results(run.id).values(),)
    assert (run.name, run.kind, run.state) == ("mine", "fit", "done")
    assert kept.rows[0]["objective"] == model.objective_
    assert np.array_equal(kept.arrays["feature_order"], model.feature_order_)
    with np.load(place / "fit.npz") as written:
        assert np.array_equal(written["fit/feature_order"][0], model.feature_order_)
        np.testing.assert_allclose(written["fit/dual_scores"][0], model.dual_scores_, atol=1e-15)
    shown = as_json("runs", "show", "mine", home=place / "fits")
    assert shown["objective"] == model.objective_


def test_fit_keeps_about_as_many_as_asked(place):
    found = as_json("fit", place / "blobs.npz", "--keep", 8)
    model = fit_keeping(load_file(place / "blobs.npz").data, 8, beta=0.01, max_iter=1000)
    assert found["parameters"]["alpha"] == model.alpha
    assert 24 - found["n_zero"] == np.count_nonzero(model.feature_scores_)


def test_a_fit_that_is_not_certified_fails_and_says_its_gap(place):
    done = shell(
        "fit", place / "blobs.npz", "--alpha", 0.5, "--tol", 1e-9, "--max-iter", "3", code=1
    )
    assert "Not certified" in done.stderr
    assert "Objective" in done.stdout


def test_rank_is_the_registrys(place):
    found = as_json("rank", place / "blobs.npz", "mcfs", "--set", "n_neighbors=4")
    data = load_file(place / "blobs.npz")
    selector = METHODS["mcfs"].make(3, n_neighbors=4).fit(data.data)
    assert found["feature_order"] == selector.feature_order_.tolist()
    assert found["selection_scores"] == selector.selection_scores_.tolist()
    done = shell("rank", place / "blobs.npz", "variance", "--top", 3, "--out", place / "r.csv")
    assert len(done.stdout.splitlines()) == 5
    assert len((place / "r.csv").read_text().splitlines()) == 25


def test_rank_prints_the_reason_where_an_empty_model_ranks_nothing(place):
    penalties = ("--set", "alpha=0.9", "--set", "beta=0.9")
    done = shell("rank", place / "blobs.npz", "cspca", *penalties)
    assert done.stdout.splitlines()[-1] == "No ranking: empty model."
    out = place / "empty.csv", place / "empty.npz"
    found = as_json(
        "rank", place / "blobs.npz", "cspca", *penalties, "--out", out[0], "--out", out[1]
    )
    assert found["no_ranking"] == "empty model"
    assert found["feature_order"] is None
    assert set(found["feature_ranks"]) == {1}
    written = pd.read_csv(out[0])
    assert set(written["rank"]) == {1}
    assert set(written["n_sharing_rank"]) == {24}
    with np.load(out[1]) as arrays:
        assert "feature_order" not in arrays
        assert set(arrays["feature_ranks"].tolist()) == {1}


def test_rank_gives_features_that_tie_one_rank(place):
    data = load_file(place / "blobs.npz").data
    np.savez(place / "copied.npz", X=np.c_[data, data[:, 3]], y=np.arange(len(data)) % 3)
    found = as_json("rank", place / "copied.npz", "variance", "--out", place / "copied.csv")
    written = pd.read_csv(place / "copied.csv").set_index("feature_from_0")
    assert written.loc[3, "rank"] == written.loc[24, "rank"] == found["feature_ranks"][3]
    assert written.loc[3, "n_sharing_rank"] == written.loc[24, "n_sharing_rank"] == 2
    assert written["rank"].is_monotonic_increasing


def test_fit_writes_no_order_where_there_is_none(place):
    found = as_json("fit", place / "blobs.npz", "--alpha", 0.9, "--beta", 0.9)
    assert found["feature_order"] is None
    assert set(found["feature_ranks"]) == {1}
    assert "W = 0" in found["no_ranking"]
    found = as_json("fit", place / "blobs.npz", "--alpha", 0.5)
    assert found["no_ranking"] == ""
    assert len(found["feature_order"]) == 24


def test_compare_is_the_librarys_and_is_kept(place):
    home = place / "comparisons"
    found = as_json(
        "compare", place / "blobs.npz", "--methods", "all,variance,cspca", "--features", "6,12",
        "--seeds", 2, "--draws", 2, "--out", place / "t.csv", "--out", place / "t.tex", home=home,
    )  # fmt: skip
    data = load_file(place / "blobs.npz")
    expected = compare(
        data.data, data.target, ["all", "variance", "cspca"], [6, 12], n_seeds=2, n_draws=2
    )
    timed = ("selection_seconds", "clustering_seconds")
    ours = pd.read_csv(place / "t.csv").drop(columns=[*timed])
    theirs = pd.read_csv(io.StringIO(expected.summary().to_csv(index=False))).drop(columns=[*timed])
    pd.testing.assert_frame_equal(ours, theirs)
    rows = found["tables"]["Summary"]
    assert [row["best_mean"] for row in rows] == ours["best_mean"].tolist()
    assert r"\toprule" in (place / "t.tex").read_text()
    again = shell("compare", "--resume", found["run"], place / "blobs.npz", home=home)
    assert "ACC" in again.stdout
    # The same command goes on with the same run.
    words = ("compare", place / "blobs.npz", "--methods", "all,variance,cspca", "--seeds", 2)
    words += ("--draws", 2)
    same = as_json(*words, "--n-features", "6,12", "--name", "again", home=home)
    assert (same["run"], same["name"]) == (found["run"], "again")


def test_rankings_of_ones_own_are_compared_from_files_and_selectors(place, tmp_path):
    home, data = tmp_path / "home", load_file(place / "blobs.npz")
    shell("rank", place / "blobs.npz", "laplacian", "--out", place / "mine.csv")
    words = ("compare", place / "blobs.npz", "--methods", "all,variance,laplacian", "--draws", 5)
    own = (
        "--scores",
        place / "mine.csv",
        "--selector",
        "sklearn.feature_selection:VarianceThreshold",
    )
    few = ("--features", 6, "--seeds", 3)
    found = as_json(*words, *few, *own, home=home)
    of = {row["title"]: row for row in found["tables"]["Summary"] if row["metric"] == "accuracy"}
    for title, same in (("mine", "Laplacian Score"), ("VarianceThreshold", "Max variance")):
        for name in ("best_mean", "other_starts_mean", "percentile"):
            assert of[f"Yours: {title}"][name] == of[same][name]
    # Gone on with, and shown, without the file and without the selector.
    (place / "mine.csv").unlink()
    again = shell("runs", "show", found["run"], home=home).stdout
    assert "Yours: VarianceThreshold" in again
    assert len(found["settings"]["scores"]["mine"]) == data.n_features
    for wrong, said in (
        (("--scores", place / "nothing.csv"), "nothing.csv cannot be opened"),
        (("--selector", "sklearn"), "'sklearn' names no selector: write package.module:Class."),
        (("--selector", "sklearn:nothing"), "could not rank the features: Module 'sklearn' has no"),
        (("--selector", "sklearn.feature_selection:SelectKBest"), "requires y to be passed"),
    ):
        assert said in shell(*words, *wrong, home=home, code=2).stderr


def test_a_column_of_a_ranking_is_chosen_behind_the_name_of_its_file(place, tmp_path):
    data = load_file(place / "blobs.npz")
    table = pd.DataFrame({"feature": range(24), "p": 1 / (1 + np.arange(24.0)), "F": range(3, 27)})
    table["F"] = table["F"].to_numpy() ** 1.5
    table.to_csv(tmp_path / "mine.csv", index=False)
    words = ("compare", place / "blobs.npz", "--methods", "variance", "--draws", 0, "--seeds", 2)
    few = (*words, "--n-features", 4, "--scores")
    refused = shell(*few, tmp_path / "mine.csv", home=tmp_path, code=2).stderr
    assert "mine.csv has 2 columns that may be the score: p and F." in refused
    assert f"Say which: --scores '{tmp_path / 'mine.csv'}#p' or --scores" in refused
    done = shell(*few, f"{tmp_path / 'mine.csv'}#p", "--json", home=tmp_path)
    understood = "By number, counted from 0: small is good in p; F was left out."
    assert f"mine.csv: {understood}" in done.stderr
    assert np.argmax(json.loads(done.stdout)["settings"]["scores"]["mine"]) == 23
    assert data.n_features == 24


def test_selectors_of_others_are_compared_by_their_own_picks(place, tmp_path):
    data, name = load_file(place / "blobs.npz"), "tests.evaluation.fakes"
    words = ("compare", place / "blobs.npz", "--methods", "variance", "--draws", 0, "--seeds", 2)
    own = ("--selector", f"{name}:Picking", "--selector", f"{name}:Masking")
    found = as_json(*words, "--n-features", "2,4,6", *own, home=tmp_path)
    scores = found["settings"]["scores"]
    assert np.argsort(scores["Picking"])[::-1][:4].tolist() == PICKS.tolist()
    assert np.flatnonzero(scores["Masking"]).tolist() == sorted(PICKS)
    table = pd.DataFrame(found["table"]).groupby(["title", "n_features"])["no_ranking"].first()
    tie = "tie at the cut"
    assert table["Yours: Picking"].to_dict() == {2: "", 4: "", 6: tie}
    assert table["Yours: Masking"].to_dict() == {2: tie, 4: "", 6: tie}
    done = compare(data.data, data.target, {"same": Picking()}, 4, n_seeds=2, n_draws=0)
    (same,) = done.table()
    (row,) = (
        row for row in found["tables"]["Summary"]
        if row["title"] == "Yours: Masking" and row["metric"] == "accuracy"
    )  # fmt: skip
    assert row["best_mean"] == same.best.mean
    for wrong, said in (
        ("Failing", "KeyError 'genes'"),
        ("Short", "Short has scores_ of shape (4,) for 24 features, and does not say which"),
        ("Labelled", "Labelled needs labels, and no method of a comparison is given any"),
    ):
        refused = shell(*words, "--selector", f"{name}:{wrong}", home=tmp_path, code=2).stderr
        assert f"{name}:{wrong} could not rank the features: {said}" in refused


def test_groups_come_from_a_file_with_one_a_line(place, tmp_path):
    home, names = tmp_path / "home", [f"subject {at // 3}" for at in range(90)]
    words = ("compare", place / "blobs.npz", "--methods", "variance", "--draws", 0, "--seeds", 2)
    words += ("--features", 6, "--random-state", 5)
    found = {}
    for header in ("", "subject\n"):
        (tmp_path / "groups.txt").write_text(header + "\n".join(names) + "\n", encoding="utf-8")
        found[header] = as_json(*words, "--groups", tmp_path / "groups.txt", home=home)
    assert found[""]["run"] == found["subject\n"]["run"]
    assert len(set(found[""]["settings"]["groups"])) == 30
    assert found[""]["settings"]["random_state"] == 5
    assert "subject" not in json.dumps(found[""])
    assert "keep each of the 30 groups whole" in shell("runs", "show", "last", home=home).stdout
    data = load_file(place / "blobs.npz")
    wanted = compare(
        *(data.data, data.target, ["variance"], 6),
        n_draws=0,
        n_seeds=2,
        groups=names,
        random_state=5,
    )
    of = {row["metric"]: row["best_mean"] for row in found[""]["tables"]["Summary"]}
    for metric in ("reconstruction_error", "neighbour_accuracy"):
        assert of[metric] == pytest.approx(wanted.table(metric)[0].best.mean)
    for content, said in (
        ("a\nb\n", "groups.txt has 2 lines for 90 samples: write one group a line"),
        ("a\n" * 90, "groups has a single group"),
        ("a\n" * 80 + "\n" * 10, "groups has missing entries, 10 of 90"),
        ("\n".join(f"{at},{name}" for at, name in enumerate(names)), "has several columns, and no"),
    ):
        (tmp_path / "groups.txt").write_text(content, encoding="utf-8")
        wrong = shell(*words, "--groups", tmp_path / "groups.txt", home=home, code=2)
        assert said in wrong.stderr
    nothing = shell(*words, "--groups", tmp_path / "nothing.txt", home=home, code=2)
    assert "nothing.txt cannot be read: No such file" in nothing.stderr
    kept = shell("compare", "--resume", "last", "--groups", "groups.txt", home=home, code=2)
    assert "so --groups has no effect" in kept.stderr


def test_sensitivity_and_starts_are_kept_and_what_the_library_started_is_shown(place):
    home = place / "sweeps"
    found = as_json(
        "sensitivity", place / "blobs.npz", "--alphas", "0.05,0.3", "--betas", "0.01",
        "--seeds", 2, "--features", 6, "--n-jobs", 2, "--backend", "threading",
        "--home", home, "--out", place / "grid.csv", "--out", place / "grid.npz",
    )  # fmt: skip
    data = load_file(place / "blobs.npz")
    asked = Sensitivity(alphas=(0.05, 0.3), betas=(0.01,), n_seeds=2, n_features=6)
    points = run(asked, data).tables["Grid"]
    for name in ("objective", "accuracy_mean"):
        assert [point[name] for point in found["tables"]["Grid"]] == points[name].tolist()
    with Store(home) as store:
        one = Sensitivity(alphas=(0.1,), betas=(0.02,), n_seeds=2)
        run(one, data, store=store, name="ours")
    assert len((place / "grid.csv").read_text().splitlines()) == 3
    with np.load(place / "grid.npz") as written:
        assert set(written["table/objective"]) == set(points["objective"])
    shown = as_json("runs", "show", "ours", "--home", home)
    assert len(shown["tables"]["Grid"]) == 1
    begun = as_json(
        "convergence", place / "blobs.npz", "--inits", "random,diagonal-1",
        "--checkpoints", "5", "--seeds", 0, "--home", home,
    )  # fmt: skip
    starts = run(Convergence(inits=("random", "diagonal-1"), checkpoints=(5,), n_seeds=0), data)
    rows, ours = (tables[next(iter(starts.tables))] for tables in (starts.tables, begun["tables"]))
    assert [row["objective"] for row in ours] == rows["objective"].tolist()
    assert len(rows) == 4


def test_outliers_need_no_data_and_are_kept(place):
    home, words = place / "outliers", ("--ranks", "2,3", "--shares", "0,0.5", "--seeds", 2)
    map_alone = ("outliers", "--parts", "map", "--methods", "cspca,pca", *words)
    found = as_json(*map_alone, "--features", 12, "--samples", 40, home=home)
    assert (found["state"], found["data"]["name"]) == ("done", "faces")
    exact = {(row["method"], row["share"]): row["exact"] for row in found["tables"]["Phase map"]}
    assert (exact["cspca", 0.5], exact["pca", 0.5], exact["pca", 0.0]) == (1.0, 0.0, 1.0)
    wrong = shell("outliers", "--shares", "0.95", code=2)
    assert "shares must be a number from 0 to 0.9" in wrong.stderr
    wrong = shell("outliers", "--shares", "0.9", "--samples", 30, home=home, code=2)
    assert "A subspace of dimension 10 cannot be hidden among 30 features" in wrong.stderr
    # A number that is asked for is not passed over in silence.
    wrong = shell("outliers", "digits", "--parts", "pictures", "--shares", "0.2", code=2)
    assert "--shares has no effect with --parts pictures" in wrong.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="interrupts as POSIX does")
@pytest.mark.slow
@pytest.mark.parametrize("workers", counted([2], [1, 2]))
def test_ctrl_c_keeps_what_is_done_and_the_sentence_it_says_resumes_it(place, workers):
    home = place / f"stopped-{workers}"
    words, options = command(
        "compare", place / "blobs.npz", "--methods", "all,variance,laplacian,spec,mcfs",
        "--features", ",".join(map(str, range(2, 24, 2))), "--seeds", 10, "--draws", 2,
        "--no-silhouette", "--n-jobs", workers, home=home,
    )  # fmt: skip
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **options,
    )  # fmt: skip
    with Store(home) as store:
        end = time.monotonic() + 60
        while not any(run.n_done > 30 for run in store.runs()):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < end
            time.sleep(0.02)
        # As a terminal does: to the worker processes too.
        os.killpg(process.pid, signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
        assert process.returncode == 130, stderr
        assert "Traceback" not in stderr
        (run,) = store.runs()
        assert run.state == "stopped"
        assert 30 < run.n_done < run.n_cells
        before = store.results(run.id)
        assert len(before) == run.n_done
        said = stderr.split("resume with: python -m cspca ")[1].splitlines()[0]
        resumed = as_json(*shlex.split(said), "--n-jobs", "2", "--backend", "threading", home=home)
        assert resumed["run"] == run.id
        assert resumed["state"] == "done"
        after = store.results(run.id)
        assert len(after) == run.n_cells
        assert all(after[name].rows == one.rows for name, one in before.items())
        # Times are of the one time that each was computed.
        assert all(after[name].seconds == one.seconds for name, one in before.items())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")
def test_a_command_with_worker_processes_is_killed_and_resumed(place):
    home = place / "killed"
    asked = (
        "sensitivity", place / "blobs.npz", "--alphas", "0.02,0.1,0.3", "--betas", "0.001,0.1",
        "--seeds", 8,
    )  # fmt: skip
    words, options = command(*asked, "--n-jobs", 2, "--backend", "loky", home=home)
    process = subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        **options,
    )  # fmt: skip
    with Store(home) as store:
        end = time.monotonic() + 60
        while not any(run.n_done for run in store.runs()):
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        (run,) = store.runs()
        before = store.results(run.id)
        assert before
        # As half a minute later: what the dead had claimed is free again.
        store.change("UPDATE cells SET until = 0")
        resumed = as_json(*asked, home=home)
        assert (resumed["run"], resumed["state"]) == (run.id, "done")
        after = store.results(run.id)
        assert len(after) == run.n_cells
        assert all(after[name].seconds == one.seconds for name, one in before.items())


def test_runs_are_renamed_deleted_restored_and_exported(place):
    home = place / "shelf"
    found = as_json("fit", place / "blobs.npz", "--save", home=home)
    run = found["run"]
    shell("runs", "rename", "last", "=first; of many", home=home)
    (listed,) = as_json("runs", "list", "many", home=home)
    assert (listed["run"], listed["name"]) == (run, "=first; of many")
    shell("runs", "delete", run, home=home)
    assert as_json("runs", "list", home=home) == []
    assert [one["run"] for one in as_json("runs", "list", "--deleted", home=home)] == [run]
    shell("runs", "restore", run[:8], home=home) if run[0] != "-" else shell(
        "runs", "restore", run, home=home
    )
    assert run in shell("runs", "list", home=home).stdout
    shell("runs", "export", run, "--out", place / "run.zip", home=home)
    assert (place / "run.zip").read_bytes()[:2] == b"PK"
    shell("runs", "export", run, "--out", place / "run.docx", home=home, code=2)
    shell("runs", "export", run, "--out", place / "run.html", home=home)
    assert (place / "run.html").read_bytes().startswith(b"<!DOCTYPE html>")
    done = shell("runs", "export", run, "--out", place / "run.png", home=home, code=2)
    assert "makes no file that ends in '.png'" in done.stderr


def test_an_id_that_begins_with_a_dash_is_an_id(tmp_path):
    dash = "-" + "x" * 21
    done = shell("runs", "show", dash, home=tmp_path / "none", code=2)
    assert f"There is no run {dash!r}" in done.stderr


def test_the_doctor_finds_and_repairs(place):
    home = place / "ward"
    assert as_json("doctor", home=home)["sound"] is True
    shell("fit", place / "blobs.npz", "--save", home=home)
    assert as_json("doctor", home=home)["findings"] == []
    with sqlite3.connect(home / "store.sqlite") as store:
        store.execute("UPDATE cells SET rows = 'damaged'")
    assert "Found:" in shell("doctor", home=home, code=1).stdout
    assert "Repaired:" in shell("doctor", "--repair", home=home).stdout
    assert as_json("doctor", home=home)["findings"] == []


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["fit", "facse"], 2, "did you mean faces"),
        (["fit", "faces", "--alpha", "-1"], 2, "a number of at least 0, got '-1'. See"),
        (["fit", "faces", "--alpha", "x"], 2, "a number of at least 0, got 'x'. See"),
        (["fit", "faces", "--alpha", "inf"], 2, "a number of at least 0, got 'inf'. See"),
        (["compare", "faces", "--features", "1.5"], 2, "whole number of at least 1, got '1.5'"),
        (["compare", "faces", "--grids", "{"], 2, "--grids"),
        (["rank", "faces", "mcfs", "--top", "0"], 2, "'0' is not a whole number from 1"),
        (["fit"], 2, "DATA. See python -m cspca fit --help."),
        (["fit", "faces", "--keep", "9", "--alpha", "1"], 2, "leave --alpha"),
        (["fit", "digits", "--keep", "20", "--solver", "reweighted"], 2, "leave --solver rew"),
        (["fit", "digits", "--keep", "5000"], 1, "must be between 1 and"),
        (["fit", "digits", "--out", "scores.txt"], 2, ".png or .svg"),
        (["fit", "digits", "--out", "nowhere/scores.csv"], 2, "no folder nowhere"),
        (["rank", "digits", "magic"], 2, "choose one of all, variance"),
        (["rank", "digits", "mcfs", "--set", "wit=1"], 2, "it takes"),
        (["compare", "digits", "--methods", "magic"], 2, "choose from all"),
        (["compare"], 2, "which DATA"),
        (["compare", "--resume", "nothing"], 2, "There is no run 'nothing'"),
        (["compare", "digits", "--features", "5000"], 2, "of 64 features"),
        (
            ["convergence", "digits", "--inits", "magic"],
            2,
            "inits must be one of diagonal",
        ),
        (["nonsense"], 2, "invalid choice"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_an_error_is_one_sentence(words, code, says, tmp_path):
    done = shell(*words, home=tmp_path / "home", code=code)
    assert says in done.stderr
    assert done.stdout == ""
    assert len([line for line in done.stderr.splitlines() if line.startswith("Error")]) == 1
    assert "usage:" not in done.stderr


def test_a_store_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    done = shell("fit", "digits", "--save", home=tmp_path / "file", code=1)
    assert "The store cannot be written" in done.stderr
    assert "Kept as" not in done.stderr


def test_absolute_takes_the_papers_grid():
    asked = from_options(Sensitivity, parse(["sensitivity", "digits", "--absolute"]))
    assert asked == Sensitivity(alphas=PAPER_GRID, betas=PAPER_GRID, penalty_scale="absolute")
    asked = parse(["sensitivity", "digits", "--betas", "1", "--absolute", "--no-center"])
    expected = Sensitivity(alphas=PAPER_GRID, betas=(1.0,), penalty_scale="absolute", center=False)
    assert from_options(Sensitivity, asked) == expected
    assert from_options(Sensitivity, parse(["sensitivity", "digits"])) == Sensitivity()


def test_where_the_data_are_somebody_s_own_the_file_is_asked_for(place, tmp_path, capsys):
    data = load_file(place / "blobs.npz")
    with Store(tmp_path) as store:
        run_id = store.create(Sensitivity(alphas=(0.1,), betas=(0.02,), n_seeds=2), data)
    assert main(["runs", "resume", run_id, "--home", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "bring the same file again" in said
    assert f"runs resume {run_id} FILE --home" in said
    assert main(["runs", "resume", run_id, "digits", "--home", str(tmp_path)]) == 1
    assert "is not what this run was started with (blobs): bring" in capsys.readouterr().err
    file = str(place / "blobs.npz")
    assert main(["runs", "resume", run_id, file, "--home", str(tmp_path)]) == 0


def test_a_name_does_nothing_to_a_terminal(place, tmp_path, capsys):
    shell("fit", place / "blobs.npz", "--save", "--name", "a\x1b[2Jb\u202ec", home=tmp_path)
    with sqlite3.connect(tmp_path / "store.sqlite") as store:
        store.execute("UPDATE runs SET name = ?", ("a\x1b[2Jb\u202ec\nd",))
    for words in (("list",), ("show", "last"), ("list", "--json"), ("show", "last", "--json")):
        said = shell("runs", *words, home=tmp_path).stdout
        assert "a" in said
        assert not {"\x1b", "\u202e"} & set(said)
    assert as_json("runs", "list", home=tmp_path)[0]["name"] == "a\x1b[2Jb\u202ec\nd"


@pytest.mark.parametrize("when", ["at once", "in the middle"])
def test_what_is_not_kept_on_a_full_disk_is_said_and_no_success(place, tmp_path, monkeypatch, when):
    settle, settled = Store._settle, []

    def full(self, *given):
        if not self.in_memory and len(settled) >= (2 if when == "in the middle" else 0):
            raise OSError(errno.ENOSPC, "No space left on device")
        settled.append(given)
        return settle(self, *given)

    monkeypatch.setattr(Store, "_settle", full)
    # So that every cell is committed by itself.
    monkeypatch.setattr("cspca.experiments.runner._COMMIT_EVERY", 0.0)
    out = tmp_path / "table.csv"
    grid = ("sensitivity", place / "blobs.npz", "--alphas", "0.1,0.2", "--betas", "0.01,0.1")
    done = shell(*grid, "--n-seeds", 2, "--out", out, home=tmp_path / "store", code=1)
    kept = 2 if when == "in the middle" else 0
    assert f"Error: {kept} of 8 cells are kept. The store has no room left" in done.stderr
    assert out.is_file(), "what was computed is written all the same"


@pytest.mark.parametrize("action", ["rename", "delete", "restore"])
def test_a_store_that_cannot_be_written_changes_nothing_and_says_so(tmp_path, monkeypatch, action):
    with Store(tmp_path) as store:
        run_id = store.create(Toy(), blobs(), name="Old")
        if action == "restore":
            store.trash(run_id)
        before = store.get(run_id)
    monkeypatch.setattr("cspca.experiments.database.os.access", lambda *_: False)
    more = ("New",) if action == "rename" else ()
    done = shell("runs", action, run_id, *more, home=tmp_path, code=1)
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1] == "Error: Old is as it was: the store cannot be written."
    monkeypatch.undo()
    with Store(tmp_path) as store:
        assert store.get(run_id) == before


@pytest.fixture
def bare(tmp_path):
    """A file of which nothing says which way its samples lie."""
    values = np.random.default_rng(0).normal(size=(12, 30))
    np.save(tmp_path / "bare.npy", values)
    return tmp_path / "bare.npy"


def test_what_a_file_leaves_open_is_listed_with_its_answers(bare):
    lines = shell("rank", bare, "variance", code=1).stderr.splitlines()
    assert lines == [
        "bare.npy: What are the samples?",
        "  --answer samples=rows  Rows. 12 samples.",
        "  --answer samples=columns  Columns. 30 samples.",
        "Error: One question is open about bare.npy: give an answer to each.",
    ]


def test_a_question_is_answered_by_an_option_of_its_name(bare):
    expected = load_file(bare, samples="columns", scale="columns")
    for answers in (
        ("--samples", "columns", "--scale", "columns"),
        ("--answer", "samples=columns", "--answer", "scale=columns"),
    ):
        found = as_json("rank", bare, "variance", *answers)
        assert found["data"]["sha256"] == expected.sha256


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        (("--samples", "diagonal"), "samples cannot be 'diagonal': choose one of rows, columns"),
        (("--shape", "wide"), "'wide' is no shape: write a height and a width, such as 28x20."),
        (("--role", "age"), "age gives no role: write COLUMN=ROLE."),
        (("--answer", "samples"), "--answer samples has no value: write QUESTION=VALUE."),
        (("--answer", "colour=red"), "There is no question colour about a file"),
    ],
)
def test_answers_that_make_no_sense_are_refused_in_one_sentence(bare, answers, sentence):
    code = 1 if answers[1] == "diagonal" else 2
    assert sentence in shell("rank", bare, "variance", *answers, code=code).stderr


def test_a_set_that_is_built_in_has_no_questions():
    error = shell("rank", "digits", "variance", "--samples", "rows", code=2).stderr
    assert "digits is no file: leave samples out." in error


def test_a_run_is_resumed_by_the_answers_of_its_first_time(bare, tmp_path):
    wishes = ("--methods", "all,variance", "--features", "4", "--n-clusters", 2, "--no-labels")
    answer = ("--answer", "samples=columns")
    first = as_json("compare", bare, *answer, *wishes, "--seeds", 2, home=tmp_path / "runs")
    again = as_json("runs", "resume", first["run"], bare, home=tmp_path / "runs")
    assert again["run"] == first["run"]
