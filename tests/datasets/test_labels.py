"""Labels of files: what is missing is no class, what is measured no label, what is unsure asked."""

import numpy as np
import pytest

from cspca.datasets import (
    NO_LABELS,
    ChoiceNeededError,
    Dataset,
    DatasetError,
    ReadChoices,
    leave_out,
    load_file,
    read_file,
)
from cspca.experiments.exports import dataset_arrays, dataset_table, npz_bytes, to_csv
from tests.datasets import files

RNG = np.random.default_rng(0)
X = RNG.random((24, 4))
HEADER = ["a", "b", "c", "d"]


def table(labels, name="kind", values=X) -> bytes:
    rows = [[*row, label] for row, label in zip(values.tolist(), labels, strict=True)]
    return files.csv(rows, [*HEADER[: values.shape[1]], name])


@pytest.mark.parametrize("word", ["", "NA", "NaN", "nan", "?", "None", "#N/A", " "])
def test_samples_without_a_word_are_no_class_of_a_table(word):
    read = read_file(table(["F"] * 10 + ["M"] * 10 + [word] * 4), "sex.csv")
    data = read.dataset
    assert data.target_names == ("F", "M")
    assert data.target.tolist() == [0] * 10 + [1] * 10 + [-1] * 4
    assert (data.n_classes, data.n_unlabelled, data.n_samples) == (2, 4, 24)
    # Cells of nan are empty ones before they are labels.
    said = f" ({word})" if word.strip() and word.lower() != "nan" else ""
    assert f"4 without a label{said}: they are left out of scores" in data.recognised
    assert data.summary == "24 samples, 4 features, 2 classes, 4 without a label"
    assert [one.words for one in read.options.labels] == ["2 classes"]


def test_a_number_that_is_missing_is_no_class_of_a_table():
    data = load_file(table([1] * 10 + [2] * 10 + [""] * 4, "class"), "a.csv")
    assert data.target_names == ("1", "2")
    assert data.target.tolist() == [0] * 10 + [1] * 10 + [-1] * 4


@pytest.mark.parametrize("form", ["npz", "mat"])
def test_a_number_that_is_missing_is_no_class_of_arrays(form):
    y = np.r_[np.repeat([3.0, 5.0], 10), [np.nan] * 4]
    data = load_file(getattr(files, form)(X=X, y=y), f"a.{form}")
    assert data.target_names == ("3", "5")
    assert data.n_unlabelled == 4


def test_text_that_is_missing_is_no_class_of_arrays():
    y = np.array(["a2"] * 10 + ["a10"] * 10 + [""] * 4)
    data = load_file(files.npz(X=X, y=y), "a.npz")
    assert data.target_names == ("a2", "a10")
    assert data.target[[0, 10, 20]].tolist() == [0, 1, -1]


@pytest.mark.parametrize("form", ["npz", "mat"])
def test_labels_of_which_there_is_none_are_none(form):
    data = load_file(getattr(files, form)(X=X, Y=np.full((24, 1), np.nan)), f"a.{form}")
    assert data.target is None
    assert "Y holds no label" in data.recognised


def test_a_measured_target_is_no_class_and_is_said():
    energies = RNG.normal(-300, 100, (60, 1))
    content = files.npz(X=RNG.random((60, 30)), Y=energies)
    read = read_file(content, "soap.npz")
    assert read.dataset.target is None
    assert "Y holds numbers that are not whole, such as −" in read.dataset.recognised
    assert "a measured target, no classes" in read.dataset.recognised
    assert read.used.labels == NO_LABELS
    with pytest.raises(ChoiceNeededError, match=r"soap\.npz: Y holds numbers .* Classes: none"):
        read.again(ReadChoices(labels="Y"))


def test_a_measured_column_that_is_chosen_is_refused():
    with pytest.raises(DatasetError, match="a holds numbers that are not whole"):
        load_file(table(["x", "y"] * 12), "a.csv", labels="a")


def test_many_different_whole_numbers_are_asked():
    y = RNG.permutation(np.repeat(np.arange(60), 2))
    content = files.npz(X=RNG.random((120, 30)), target=y)
    read = read_file(content, "ages.npz")
    assert read.dataset.target is None
    assert "labels" in read.unsure
    assert (read.used.labels, [one.name for one in read.options.labels]) == (NO_LABELS, ["target"])
    (asked,) = (part for part in read.said if part.startswith("not sure"))
    assert asked.startswith("not sure whether target holds classes, for 60 different whole numbers")
    chosen = read.again(ReadChoices(labels="target"))
    assert chosen.dataset.n_classes == 60
    assert not any(part.startswith("not sure") for part in chosen.said)


def test_an_asked_column_is_no_feature():
    values = RNG.random((120, 3))
    read = read_file(table(np.repeat(np.arange(60), 2).tolist(), "target", values), "a.csv")
    assert read.dataset.target is None
    assert read.dataset.feature_names == ("a", "b", "c")
    assert "classes from column" not in read.dataset.recognised
    chosen = read.again(ReadChoices(labels="target")).dataset
    assert chosen.n_classes == 60
    assert "classes from column target" in chosen.recognised


def test_people_stay_classes():
    for size in (400, 80, 40):
        y = np.repeat(np.arange(1, 41), 10)[np.linspace(0, 399, size).astype(int)]
        assert load_file(files.npz(X=RNG.random((size, 9)), y=y), "orl.npz").n_classes == 40


# -- a data set some of whose samples have no label ------------------------------------------------

PARTLY = Dataset(X, np.array([0] * 10 + [1] * 10 + [-1] * 4), target_names=("cat", "dog"))


def test_a_sample_without_a_label_has_no_class_name():
    assert PARTLY.class_name(-1) == "no label"
    assert PARTLY.labels.tolist() == ["cat"] * 10 + ["dog"] * 10 + [None] * 4
    assert PARTLY.has_classes
    assert PARTLY.about_unlabelled.startswith("4 of 24 samples have no label: fitted and clustered")
    assert Dataset(X).about_unlabelled == ""


@pytest.mark.parametrize("names", [("cat", "dog"), None])
def test_what_is_exported_is_read_back(names):
    data = Dataset(PARTLY.data, PARTLY.target, target_names=names)
    tables = to_csv(dataset_table(data)).encode(), npz_bytes(dataset_arrays(data))
    for content, name in zip(tables, ("a.csv", "a.npz"), strict=True):
        assert load_file(content, name).target.tolist() == PARTLY.target.tolist()


def test_where_samples_are_left_out_the_others_keep_their_classes():
    some = leave_out(PARTLY, range(10))
    assert some.target.tolist() == [0] * 10 + [-1] * 4
    assert some.target_names == ("dog",)
    assert leave_out(PARTLY, range(20)).target is None


@pytest.mark.parametrize(
    ("target", "why"),
    [
        (None, "These samples have no classes"),
        (np.zeros(24, int), "All labels of these samples are the same"),
        (np.r_[np.zeros(20, int), [-1] * 4], "All labels of these samples are the same"),
        (np.arange(24), "Nearly every one of these samples has a class of its own (24 classes of"),
        (np.arange(24) // 2, ""),
    ],
)
def test_why_clusters_are_not_scored(target, why):
    data = Dataset(X, target)
    assert data.without_scores.startswith(why)
    assert data.has_classes is (why == "")
