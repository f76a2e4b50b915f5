"""Several data files that belong together: samples and labels, halves, or tables to choose from."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cspca.datasets import (
    Answers,
    Dataset,
    DatasetError,
    load_file,
    load_files,
    read_file,
    read_files,
)
from tests.datasets import files

pytestmark = pytest.mark.usefixtures("at_home")

FORMS = ["{side}_{part}", "{part}_{side}", "{part}/{side}", "set/{side}{part}"]
RNG = np.random.default_rng(0)
IDS = np.array([f"p{number}" for number in range(60)])
X = RNG.normal(size=(60, 5)).round(4)
KINDS = RNG.permutation(np.arange(60) % 3)
WORDS = np.array(["oak", "elm", "ash"])[KINDS]
NAMES = ["flow", "pressure", "torque", "level", "heat"]


def csv(values: Any, *names: str) -> bytes:
    frame = pd.DataFrame(values)
    header = bool(names)
    content: str = frame.to_csv(index=False, header=list(names) if header else False)
    return content.encode()


def check(data: Dataset, values: np.ndarray = X) -> None:
    """Check that features lie in the order of their samples, each with its label."""
    np.testing.assert_allclose(data.data, (values - values.min()) / np.ptp(values), atol=1e-6)
    assert data.target is not None
    assert data.target_names is not None
    names = np.array(data.target_names)[data.target].tolist()
    assert names in (WORDS.tolist(), KINDS.astype(str).tolist(), (KINDS + 1).astype(str).tolist())


NAMED = {
    "tables": {"fc_data.csv": csv(X, *NAMES), "label_data.csv": csv(WORDS, "label")},
    "without headers": {"fc_data.csv": csv(X), "label_data.csv": csv(KINDS)},
    "targets": {"features.csv": csv(X, *NAMES), "targets.csv": csv(KINDS, "value")},
    "arrays": {"X.npy": files.npy(X), "y.npy": files.npy(KINDS)},
    "MATLAB": {"data.mat": files.mat(fc=X), "kelas.mat": files.mat(kelas=KINDS[:, None] + 1)},
    "one name": {"data.mat": files.mat(A=X), "labels.mat": files.mat(A=KINDS[:, None] + 1)},
    "an array and a table": {"X.npy": files.npy(X), "labels.csv": csv(WORDS, "name")},
    "a table and an array": {"X.csv": csv(X, *NAMES), "y.npy": files.npy(KINDS)},
    "one column a class": {
        "X.csv": csv(X, *NAMES),
        "y.csv": csv(np.eye(3, dtype=int)[KINDS], "ash", "elm", "oak"),
    },
    "with ids": {
        "X.csv": csv(np.column_stack([IDS, X]), "id", *NAMES),
        "y.csv": csv(np.column_stack([IDS, WORDS])[::-1], "id", "label"),
    },
}


def answered(read: Callable[..., Any]) -> Dataset:
    """Answer that rows are samples and columns of one scale, where the values do not tell."""
    questions = read().questions
    answers = {"samples": "rows", "features": "columns", "scale": "stretch"}
    data: Dataset = read(**{name: answers[name] for name in answers.keys() & questions}).dataset
    return data


@pytest.mark.parametrize("kind", NAMED)
@pytest.mark.parametrize("way", ["zip", "folder", "uploads"])
def test_samples_and_labels_of_any_name(kind: str, way: str, tmp_path: Path) -> None:
    members = NAMED[kind]
    if way == "folder":
        for name, content in members.items():
            (tmp_path / name).write_bytes(content)

    def read(**answers: Any) -> Any:
        if way == "uploads":
            return read_files([*members.items()], answers=Answers.of(**answers))
        file: Any = tmp_path if way == "folder" else files.zipped(members)
        return read_file(file, None if way == "folder" else "a.zip", Answers.of(**answers))

    data = answered(read)
    if kind == "one column a class":
        assert data.target_names == ("ash", "elm", "oak")
        names = np.array(["ash", "elm", "oak"])[KINDS]
        np.testing.assert_array_equal(np.array(data.target_names)[data.target], names)
        return
    check(data)


def test_a_column_whose_file_says_nothing_is_asked_about() -> None:
    members = {"one.csv": csv(X, *NAMES), "two.csv": csv(KINDS, "code")}
    reading = read_file(files.zipped(members), "a.zip")
    assert "classes_from" in reading.open_questions
    assert "two.csv" in reading.questions["classes_from"].answers[0].evidence
    check(load_file(files.zipped(members), "a.zip", classes_from="code", scale="stretch"))
    none = load_file(files.zipped(members), "a.zip", classes_from="none", scale="stretch")
    assert none.target is None
    assert none.n_features == 5


def test_measured_numbers_in_a_file_of_their_own_are_targets() -> None:
    members = {"X.csv": csv(X, *NAMES), "y.csv": csv(X[:, 0] * 2, "dose")}
    data = load_file(files.zipped(members), "a.zip", scale="stretch")
    assert data.target is None
    assert data.n_features == 5


HALVES = ("train", "test")
PARTS = {"train": slice(0, 40), "test": slice(40, 60)}


def halves(kind: str, form: str = "{side}_{part}") -> dict[str, bytes]:
    members = {}
    for part in HALVES:
        x, y = X[PARTS[part]], WORDS[PARTS[part]]
        for side, values, names in (("X", x, NAMES), ("y", y, ["label"])):
            name = form.format(side=side, part=part)
            content = files.npy(values) if kind == "npy" else csv(values, *names)
            members[f"{name}.{kind}"] = content
    return members


@pytest.mark.parametrize("kind", ["npy", "csv"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("way", ["zip", "uploads"])
def test_halves_are_joined_and_it_is_said(kind: str, form: str, way: str) -> None:
    members = halves(kind, form)

    def read(**answers: Any) -> Any:
        if way == "uploads":
            return read_files([*members.items()], answers=Answers.of(**answers))
        return read_file(files.zipped(members), "a.zip", Answers.of(**answers))

    question = read().questions["data"]
    assert not question.is_open
    assert question.sentence.endswith("are joined.")
    assert len(question.answers) >= 3
    check(answered(read))


def test_one_half_may_be_chosen() -> None:
    content = files.zipped(halves("csv"))
    first = load_file(content, "a.zip", data="X_train.csv", scale="stretch")
    assert first.n_samples == 40
    assert first.n_classes == 3


def test_a_half_without_labels_is_unlabelled() -> None:
    members = halves("csv")
    del members["y_test.csv"]
    data = load_file(files.zipped(members), "a.zip", scale="stretch")
    assert data.target is not None
    assert (data.target[40:] == -1).all()
    assert (data.target[:40] >= 0).all()


def test_halves_of_whole_tables_are_joined() -> None:
    frame = np.column_stack([X.astype(object), WORDS])
    members = {f"{part}.csv": csv(frame[PARTS[part]], *NAMES, "species") for part in HALVES}
    check(load_file(files.zipped(members), "a.zip", scale="stretch"))


def test_tables_that_do_not_fit_are_asked_between() -> None:
    members = {"a.csv": csv(X, *NAMES), "b.csv": csv(X[:50, :4], *NAMES[:4])}
    question = read_file(files.zipped(members), "a.zip").questions["data"]
    assert question.text == "Which table holds the samples?"
    assert question.is_open
    data = load_file(files.zipped(members), "a.zip", data="b.csv", scale="stretch")
    assert data.data.shape == (50, 4)


def test_labels_of_another_number_are_refused() -> None:
    members = {"X.npy": files.npy(X), "y.csv": csv(WORDS[:50], "label")}
    with pytest.raises(DatasetError, match=r"X\.npy has 60 rows and y\.csv 50: bring one label a"):
        load_files([*members.items()])


def test_a_picture_beside_data_files_is_refused() -> None:
    picture = files.picture(RNG.integers(0, 256, (8, 8)).astype("u1"))
    with pytest.raises(DatasetError, match=r"X\.csv came together with a\.png: bring a"):
        load_files([("X.csv", csv(X)), ("a.png", picture)])


def test_labels_that_lack_a_sample_are_not_laid_on_the_rows_in_their_order() -> None:
    samples = ["id,a,b", *(f"s{k},{k % 5},{(7 * k) % 11}" for k in range(12))]
    labels = ["id,label", *(f"s{k},{'xy'[k % 2]}" for k in [*range(11, 0, -1), 99])]
    content = {"X.csv": "\n".join(samples).encode(), "y.csv": "\n".join(labels).encode()}
    with pytest.raises(DatasetError, match=r"^y\.csv has no label for s0, which is among"):
        load_file(files.zipped(content), "set.zip")


def test_labels_follow_the_names_of_samples_in_any_column() -> None:
    samples = ["a,b,id", *(f"{k % 5},{(7 * k) % 11},s{k}" for k in range(12))]
    labels = ["id,label", *(f"s{k},{'xy'[k % 2]}" for k in range(11, -1, -1))]
    content = {"X.csv": "\n".join(samples).encode(), "y.csv": "\n".join(labels).encode()}
    dataset = load_file(files.zipped(content), "set.zip", scale="stretch")
    assert dataset.target is not None
    assert dataset.target.tolist() == [k % 2 for k in range(12)]


@pytest.mark.parametrize("rewritten", [str.lower, lambda name: name[1:], lambda name: f"P{name}"])
def test_labels_under_other_names_than_the_samples_are_refused(rewritten: Any) -> None:
    samples = ["id,a,b", *(f"S{k:03d},{k % 5},{(7 * k) % 11}" for k in range(12))]
    names = [rewritten(f"S{k:03d}") for k in range(11, -1, -1)]
    labels = ["id,label", *(f"{name},{'xy'[k % 2]}" for k, name in enumerate(names))]
    content = {"X.csv": "\n".join(samples).encode(), "y.csv": "\n".join(labels).encode()}
    with pytest.raises(DatasetError, match="the samples are called otherwise, such as S000"):
        load_file(files.zipped(content), "set.zip")


def test_a_second_table_is_joined_by_the_column_of_the_same_name() -> None:
    names = [f"S{k:03d}" for k in range(12)]
    values = RNG.normal(size=(12, 4)).round(3)
    samples = ["sample,a,b,c,d"]
    samples += [",".join([name, *map(str, row)]) for name, row in zip(names, values, strict=True)]
    rows = zip([*names[1:], names[0]], names, strict=True)
    about = ["patient,sample,class", *(f"{p},{s},{'xy'[k % 2]}" for k, (p, s) in enumerate(rows))]
    content = {"data.csv": "\n".join(samples).encode(), "meta.csv": "\n".join(about).encode()}
    dataset = load_file(files.zipped(content), "set.zip", scale="columns")
    assert dataset.target is not None
    assert dataset.target.tolist() == [k % 2 for k in range(12)]


# -- names of samples in arrays and in tables of labels --------------------------------------------

SAMPLES = np.array([f"s{number:02d}" for number in range(30)])
CLASSES = np.random.default_rng(1).choice(["a", "b", "c"], 30)
SHUFFLED = np.random.default_rng(2).permutation(30)


def labels_of(ids, kinds, head="id"):
    return files.csv(zip(ids, kinds, strict=True), [head, "kind"])


@pytest.mark.parametrize("form", ["npz", "mat"])
@pytest.mark.parametrize("ids", [SAMPLES, 100 + np.arange(30)])
def test_labels_of_a_table_go_to_the_samples_of_an_array_by_name(form, ids):
    array = getattr(files, form)(X=RNG.random((30, 6)), ids=ids)
    labels = labels_of(ids[SHUFFLED], CLASSES[SHUFFLED])
    reading = read_files(
        [(f"x.{form}", array), ("labels.csv", labels)], answers=Answers.of(samples="rows")
    )
    assert reading.dataset.labels.tolist() == CLASSES.tolist()
    assert "The rows of labels.csv are found by their names in ids." in reading.notes


def test_labels_of_a_table_lie_in_the_order_of_an_array_without_names_and_that_is_said():
    parts = {"train": slice(0, 20), "test": slice(20, 30)}
    members = [(f"X_{part}.npy", files.npy(RNG.random((30, 6))[rows])) for part, rows in
               parts.items()]  # fmt: skip
    members += [(f"y_{part}.csv", labels_of(SAMPLES[rows], CLASSES[rows])) for part, rows in
                parts.items()]  # fmt: skip
    reading = read_files(members)
    assert reading.dataset.labels.tolist() == CLASSES.tolist()
    assert reading.notes[1] == (
        "y_train.csv names its rows, from s00 on, and the samples have no names: its first row is "
        "taken to be about the first sample."
    )
    array = ("x.npy", files.npy(RNG.random((30, 6))))
    alone = read_files([array, ("labels.csv", labels_of(SAMPLES, CLASSES))])
    assert alone.questions["classes_from"].value == "labels.kind"


def test_other_names_in_the_table_than_in_the_array_are_refused():
    array = ("x.npz", files.npz(X=RNG.random((30, 6)), names=np.char.add("t", SAMPLES)))
    with pytest.raises(DatasetError, match=r"labels.csv calls its first row s00, .* such as ts00"):
        read_files([array, ("labels.csv", labels_of(SAMPLES, CLASSES))])


@pytest.mark.parametrize("start", [0, 15, 40])
def test_numbers_of_samples_under_one_heading_have_to_be_the_same(start):
    samples = files.csv(
        [[number, *row] for number, row in zip(range(20, 35), RNG.random((15, 3)), strict=True)],
        ["id", "a", "b", "c"],
    )
    labels = labels_of(range(start, start + 15), CLASSES[:15])
    with pytest.raises(DatasetError, match=f"calls its first row {start}, .* such as 20|no label"):
        read_files([("X.csv", samples), ("y.csv", labels)])


def test_files_of_one_sample_each_are_joined_by_the_heads_of_their_columns() -> None:
    rng, members, tpm = np.random.default_rng(0), {}, []
    genes = [f"ENSG{number:011d}" for number in range(30)]
    for sample in range(5):
        frame = pd.DataFrame({"TPM": rng.gamma(1, 9, 30).round(3), "NumReads": 900 + sample})
        frame.insert(0, "Name", genes)
        tpm.append(frame["TPM"])
        shown = frame if sample % 2 else frame[["Name", "NumReads", "TPM"]]
        members[f"s{sample}.sf"] = shown.to_csv(index=False, sep="\t").encode()
    data = load_file(files.zipped(members), "quant.zip", data="TPM", scale="stretch")
    values = np.array(tpm)
    np.testing.assert_allclose(data.data, (values - values.min()) / np.ptp(values), atol=1e-12)


def test_a_label_too_many_is_refused_and_no_header() -> None:
    rows = "\n".join(f"0.{i + 10},0.{99 - i},0.{i * 7 % 90 + 10}" for i in range(20)).encode()
    labels = "\n".join("01"[i % 3 == 0] for i in range(21)).encode()
    for samples in ({"X.csv": rows}, {"X.npy": files.npy(RNG.random((20, 3)))}):
        with pytest.raises(DatasetError, match=r"20 rows and y\.csv 21"):
            load_file(files.zipped({**samples, "y.csv": labels}), "set.zip")


def test_what_is_left_out_is_said_of_the_set_too() -> None:
    arrays = {"X": RNG.random((20, 5)), "y": np.arange(19) % 2}
    data = load_file(files.npz(**arrays), "D.npz", samples="rows")
    assert data.target is None
    assert data.recognised.endswith(
        "Left out: y (19 int64) is not one label for each of 20 samples."
    )
