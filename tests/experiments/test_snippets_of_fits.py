"""The lines of Python that a visitor takes away, run against the files that the visitor brought."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from cspca.datasets import (
    NONE,
    Answers,
    Dataset,
    Recipe,
    load,
    load_file,
    load_files,
    make_faces,
)
from cspca.estimator import CSPCA
from cspca.experiments.exports import feature_table, to_csv
from cspca.experiments.fit import Fit
from cspca.experiments.jobs import JobRegistry
from cspca.experiments.live import FitService
from cspca.experiments.loading import LoadingService, Source
from cspca.experiments.memory import DatasetLibrary
from tests.datasets import files

pytestmark = pytest.mark.usefixtures("at_home")

FACES = make_faces(4, 5, 16)
PIXELS = (255 * FACES.images).round().astype(np.uint8)
PICTURES = {
    f"{'abcd'[FACES.target[number]]}/{number}.png": files.picture(PIXELS[number])
    for number in range(20)
}
ODD = np.round(np.random.default_rng(0).random((12, 5)) * [1, 10, 100, 1000, 10000], 3)
FIT = Fit(alpha=0.1, beta=0.05)

SHAPE = np.array(FACES.image_shape)

BROUGHT = {
    "as it is": (
        {"a.npz": files.npz(X=FACES.data, y=FACES.target, image_shape=SHAPE)}, Answers()
    ),
    "smaller": (
        {"a.npz": files.npz(X=FACES.data, y=FACES.target, image_shape=SHAPE)},
        Answers(size=(8, 6), crop=True),
    ),
    "other shape": (
        {"it's, \"a\".npz": files.npz(X=FACES.data, other=FACES.data[:, ::-1])},
        Answers.of(
            data="other", samples="rows", features="pixels", shape=(32, 8), order="column"
        ),
    ),
    "transposed": (
        {"a.mat": files.mat(fea=FACES.data[:, :200])},
        Answers.of(samples="columns", features="columns"),
    ),
    "its own scale for each column": (
        {"a.npy": files.npy(ODD)}, Answers.of(samples="rows", scale="columns")
    ),
    "some pictures": (
        {name.replace("/", "-"): PICTURES[name] for name in list(PICTURES)[2:9]},
        Answers.of(classes_from=NONE),
    ),
    "many pictures": (
        {name.replace("/", "-"): content for name, content in PICTURES.items()},
        Answers(size=(8, 8)),
    ),
    "a folder": (
        {f"people/{name}": content for name, content in PICTURES.items()},
        Answers.of(colours="mean"),
    ),
    "a zip": (
        {"a.zip": files.zipped(PICTURES)},
        Answers(size=(12, 10), class_names=tuple("wxyz")),
    ),
}  # fmt: skip


def opened(brought: dict[str, bytes], answers: Answers) -> Dataset:
    """What the Data page makes of files: proposed first, then read by the person's answers."""
    service = LoadingService(JobRegistry())
    try:
        first = service.read(Source("6 files", tuple(brought.items())), Answers())
        assert service.jobs.join(first, 20)
        old = service.drafts.get(first)
        assert old is not None, service.jobs.view(first).error
        second = service.read(old.source, answers, old=old)
        assert service.jobs.join(second, 20)
        found = service.drafts.get(second)
        assert found is not None, service.jobs.view(second).error
        return found.dataset
    finally:
        service.jobs.close()


def run(code: str) -> dict:
    names: dict = {}
    exec(code, names)
    return names


@pytest.mark.parametrize("what", BROUGHT)
def test_the_lines_repeat_the_fit_from_the_files_and_the_answers(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brought, answers = BROUGHT[what]
    dataset = opened(brought, answers)
    home = tmp_path / "pictures" if what == "many pictures" else tmp_path
    for name, content in brought.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    assert dataset.recipe is not None
    names = run(FIT.snippet(dataset))
    assert names["d"].sha256 == dataset.sha256
    assert names["d"].target_names == dataset.target_names
    fitted = CSPCA(alpha=0.1, beta=0.05, tol=1e-3).fit(dataset.data)
    np.testing.assert_array_equal(names["model"].feature_scores_, fitted.feature_scores_)


def test_a_set_that_is_here_already_takes_five_lines() -> None:
    assert len(FIT.snippet(load("digits")).splitlines()) == 5


def test_a_hostile_file_name_stays_a_string() -> None:
    name = 'x"); import os; os.system("date")  #.npz'
    content = files.npz(X=FACES.data, y=FACES.target, image_shape=SHAPE)
    dataset = load_file(content, name, classes_from=NONE)
    assert dataset.recipe is not None
    code = FIT.snippet(dataset)
    compile(code, "code", "exec")
    assert "load_file('x\"); import os" in code
    assert "from cspca.datasets import load_file" in code


def test_long_calls_are_broken_into_lines() -> None:
    recipe = Recipe("load_file", ("a.csv",)).but(
        roles=dict.fromkeys(("age", "income", "place", "weight"), "target"), size=(1, 2)
    )
    source = recipe.then("resized", (16, 16), fit="crop").then("resized", (8, 8)).source
    assert max(map(len, source.splitlines())) <= 88
    compile(source, "code", "eval")
    assert len(source.splitlines()) > 3


def test_pictures_by_their_paths_are_those_by_their_content(tmp_path: Path) -> None:
    for name, content in PICTURES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    by_path = load_files([tmp_path / name for name in PICTURES], classes_from="folder")
    assert by_path.sha256 == load_files(list(PICTURES.items())).sha256
    assert by_path.target_names == ("a", "b", "c", "d")


def test_names_of_features_are_in_the_csv_and_never_a_formula() -> None:
    library, registry = DatasetLibrary(), JobRegistry()
    service = FitService(library, registry)
    header = ["=HYPERLINK(1)", 'a "b", c', "<i>", "@d", "x" * 600]
    dataset = load_file(files.npz(X=ODD, feature_names=np.array(header)), "a.npz")
    try:
        job = service.start(library.add(dataset), FIT, dataset.sha256)
        assert registry.join(job, 30)
        result = registry.view(job).snapshot.fit
    finally:
        registry.close()
    scores = {"feature_score": result.feature_scores}
    text = to_csv(feature_table(dataset, result.ranks, scores))
    rows = sorted(csv.DictReader(io.StringIO(text)), key=lambda row: int(row["feature_from_0"]))
    names = [row["name"] for row in rows]
    assert names[:4] == ["'=HYPERLINK(1)", 'a "b", c', "<i>", "'@d"]
    assert names[4] == "x" * 499 + "…"
    assert all(row["row_from_1"] == "" for row in rows)
