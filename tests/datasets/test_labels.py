"""Labels of files: what is missing is no class, what is measured no label, what is unsure asked."""

import numpy as np
import pytest

from cspca.datasets import (
    NONE,
    Answers,
    Dataset,
    DatasetError,
    leave_out,
    load_file,
    read_file,
)
from cspca.experiments.exports import dataset_arrays, dataset_table, npz_bytes, to_csv
from tests.datasets import files

pytestmark = pytest.mark.usefixtures("at_home")

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
    said = f" ({word})" if word.strip() else ""
    assert f"4 without a label{said}: they are left out of scores" in data.recognised
    assert data.summary == "24 samples, 4 features, 2 classes, 4 without a label"


@pytest.mark.parametrize("form", ["csv", "npz"])
@pytest.mark.parametrize(
    ("labels", "first"),
    [
        (["none"] * 8 + ["mild"] * 8 + ["bad"] * 8, "kind with none"),
        (["none"] * 16 + ["pest"] * 8, "kind with none"),
        (["wt"] * 12 + ["null"] * 12, "kind with null"),
        (["NA"] * 8 + ["EU"] * 8 + ["AS"] * 8, "kind"),
        (["nan"] * 8 + ["roti"] * 8 + ["rice"] * 8, "kind"),
    ],
)
def test_a_word_that_may_be_a_class_is_asked(form, labels, first):
    content = table(labels) if form == "csv" else files.npz(X=X, kind=np.array(labels))
    word = next(word for word in labels if word.lower() in ("none", "null", "na", "nan"))
    reading = read_file(content, f"a.{form}", Answers.of(samples="rows" if form == "npz" else None))
    question = reading.open_questions["classes_from"]
    values = [answer.value for answer in question.answers]
    assert (values[0], {*values}) == (first, {"kind", f"kind with {word}", NONE})
    assert f"samples have the word {word} in kind. Is it a class" in question.text
    answers = {"samples": "rows"} if form == "npz" else {}
    with_word = load_file(content, f"a.{form}", classes_from=f"kind with {word}", **answers)
    assert {*with_word.target_names} == {*labels}
    assert with_word.n_unlabelled == 0
    without = load_file(content, f"a.{form}", classes_from="kind", **answers)
    assert {*without.target_names} == {*labels} - {word}
    assert without.n_unlabelled == labels.count(word)


def test_a_rare_word_for_missing_is_said_and_can_be_a_class():
    content = table(["a"] * 10 + ["b"] * 11 + ["None"] * 3)
    question = read_file(content, "a.csv").questions["classes_from"]
    assert question.confidence == "likely"
    assert [answer.words for answer in question.answers[:2]] == [
        "kind, where None is no label",
        "kind, where None is a class",
    ]
    assert load_file(content, "a.csv", classes_from="kind with None").n_classes == 3


def test_words_for_missing_in_a_table_beside_pictures_are_asked_and_names_of_folders_are_not():
    pictures = {
        f"{letter}{number}.png": files.picture(RNG.integers(0, 255, (8, 8)).astype("u1"))
        for letter in "ab"
        for number in range(6)
    }
    words = ("cat", "dog", "NA")
    lines = [f"{name},{words[at % 3]}" for at, name in enumerate(pictures)]
    content = files.zipped({**pictures, "labels.csv": "\n".join(["file,kind", *lines]).encode()})
    question = read_file(content, "a.zip").open_questions["classes_from"]
    first, second = "labels.csv: kind", "labels.csv: kind with NA"
    assert [answer.value for answer in question.answers[:2]] == [first, second]
    assert load_file(content, "a.zip", classes_from=first).n_unlabelled == 4
    assert load_file(content, "a.zip", classes_from=second).target_names == ("NA", "cat", "dog")
    places = zip(pictures.items(), ("nan", "a", "none") * 4, strict=True)
    folders = files.zipped({f"{folder}/{name}": picture for (name, picture), folder in places})
    assert load_file(folders, "a.zip").target_names == ("a", "nan", "none")


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
    assert "Y holds no label." in data.recognised


def test_a_measured_target_is_no_class_and_is_said():
    energies = RNG.normal(-300, 100, (60, 1))
    content = files.npz(X=RNG.random((60, 30)), Y=energies)
    reading = read_file(content, "soap.npz")
    assert reading.dataset.target is None
    assert "Y holds numbers that are not whole, such as −" in reading.dataset.recognised
    assert "a measured target, no classes" in reading.dataset.recognised
    assert reading.questions["classes_from"].value == NONE
    with pytest.raises(DatasetError, match=r"soap\.npz: Y holds numbers .* or none\."):
        load_file(content, "soap.npz", classes_from="Y")


def test_a_measured_column_that_is_chosen_is_refused():
    with pytest.raises(DatasetError, match="a holds numbers that are not whole"):
        load_file(table(["x", "y"] * 12), "a.csv", roles={"a": "class"})


def test_many_different_whole_numbers_are_asked():
    y = RNG.permutation(np.repeat(np.arange(60), 2))
    content = files.npz(X=RNG.random((120, 30)), target=y)
    reading = read_file(content, "ages.npz")
    question = reading.open_questions["classes_from"]
    assert [answer.value for answer in question.answers] == ["target", NONE]
    assert "target holds 60 different whole numbers for 120 samples" in question.text
    assert load_file(content, "ages.npz", classes_from="target").n_classes == 60
    assert load_file(content, "ages.npz", classes_from=NONE).target is None


def test_minus_one_beside_other_numbers_is_asked_unless_most_are():
    x = RNG.random((60, 9))
    half = np.where(np.arange(60) % 2, -1, np.arange(60) % 3)
    reading = read_file(files.npz(X=x, y=half), "a.npz")
    question = reading.open_questions["classes_from"]
    assert [answer.value for answer in question.answers] == ["y without -1", "y", NONE]
    assert load_file(files.npz(X=x, y=half), "a.npz", classes_from="y").n_classes == 4
    without = load_file(files.npz(X=x, y=half), "a.npz", classes_from="y without -1")
    assert (without.n_classes, without.n_unlabelled) == (3, 30)
    most = np.where(np.arange(60) % 3, -1, np.arange(60) % 2)
    plain = load_file(files.npz(X=x, y=most), "a.npz")
    assert (plain.n_classes, plain.n_unlabelled) == (2, 40)
    signs = load_file(files.npz(X=x, y=np.where(np.arange(60) % 2, -1, 1)), "a.npz")
    assert signs.target_names == ("-1", "1")


def test_whole_numbers_of_another_name_are_asked_and_roles_are_not_taken():
    x = RNG.random((60, 9))
    counts = RNG.integers(0, 4, 60)
    asked = read_file(files.npz(X=x, stage=counts, sample_id=np.arange(60) // 2), "a.npz")
    assert [answer.value for answer in asked.open_questions["classes_from"].answers] == [
        "stage",
        "sample_id",
        NONE,
    ]
    fold = load_file(files.npz(X=x, fold=counts), "a.npz", samples="rows")
    assert fold.target is None
    words = np.array(["a", "b"])[counts // 2]
    assert load_file(files.npz(X=x, stage=words), "a.npz", samples="rows").n_classes == 2


def test_labels_of_bytes_and_names_of_classes():
    x = RNG.random((60, 9))
    in_bytes = load_file(files.npz(X=x, y=np.array([b"aa", b"b"] * 30)), "a.npz")
    assert in_bytes.target_names == ("aa", "b")
    names = np.array(["setosa", "virginica"])
    named = load_file(files.npz(data=x, target=np.arange(60) % 2, target_names=names), "a.npz")
    assert named.target_names == ("setosa", "virginica")


def test_labels_that_are_not_read_are_named():
    x = RNG.random((60, 9))
    pickled = files.npz(X=x, y=np.array(["a", None] * 30, dtype=object))
    reading = read_file(pickled, "a.npz")
    assert reading.left_out == (
        "y is pickled, and no Python object is ever opened here: save it as y.astype(str), or "
        "where it holds numbers as y.astype(float)",
    )
    short = read_file(
        files.npz(X=x, y=np.arange(5)),
        "a.npz",
    )
    assert short.left_out == ("y (5 int64) is not one label for each of 60 samples",)


def test_whatever_is_pickled_is_named():
    x = RNG.random((60, 9))
    names = np.array([f"gene{number}" for number in range(9)], dtype=object)
    notes = np.array({"by": "anna"}, dtype=object)
    content = files.npz(X=x, y=np.arange(60) % 2, feature_names=names, notes=notes)
    reading = read_file(content, "a.npz")
    assert reading.dataset.feature_names is None
    assert reading.left_out == (
        "feature_names is pickled, and no Python object is ever opened here: save it as "
        "feature_names.astype(str), or where it holds numbers as feature_names.astype(float)",
        "notes is pickled, and no Python object is ever opened here: save the arrays in it under "
        "names of their own",
    )


def test_samples_that_are_pickled_are_not_those_of_another_array():
    content = files.npz(X=RNG.random((60, 9)).astype(object), map=RNG.random((60, 2)))
    question = read_file(content, "a.npz").open_questions["data"]
    assert question.text == (
        "X is pickled, and no Python object is ever opened here. Which array holds the samples?"
    )
    with pytest.raises(DatasetError, match=r"only X \(60 × 9 pickled\): .* save it as X.astype"):
        read_file(files.npz(X=RNG.random((60, 9)).astype(object)), "a.npz")


def test_pickled_labels_beside_a_table_are_named():
    content = files.zipped(
        {"x.csv": files.csv(RNG.random((30, 4)), "abcd"),
         "labels.npy": files.npy(np.array(["a", "b"] * 15, dtype=object))}
    )  # fmt: skip
    with pytest.raises(DatasetError, match=r"^labels.npy is pickled, and .* save it as labels.ast"):
        read_file(content, "a.zip")


def test_people_stay_classes_until_each_has_one_sample():
    for size in (400, 80, 60):
        y = np.repeat(np.arange(1, 41), 10)[np.linspace(0, 399, size).astype(int)]
        assert load_file(files.npz(X=RNG.random((size, 9)), y=y), "orl.npz").n_classes == 40
    single = read_file(files.npz(X=RNG.random((40, 9)), y=np.arange(1, 41)), "orl.npz")
    assert list(single.open_questions) == ["classes_from"]
    names = np.array([f"p{number}" for number in range(40)])
    named = read_file(files.npz(X=RNG.random((40, 9)), y=names), "orl.npz")
    assert "which may be their names" in named.open_questions["classes_from"].text


# -- a data set some of whose samples have no label ------------------------------------------------

PARTLY = Dataset(X, np.array([0] * 10 + [1] * 10 + [-1] * 4), target_names=("cat", "dog"))


def test_a_sample_without_a_label_has_no_class_name():
    assert PARTLY.class_name(-1) == "no label"
    assert PARTLY.labels.tolist() == ["cat"] * 10 + ["dog"] * 10 + [None] * 4
    assert PARTLY.has_classes
    assert PARTLY.about_unlabelled.startswith("4 of 24 samples have no label: fitted and clustered")
    assert Dataset(X).about_unlabelled == ""


@pytest.mark.parametrize("names", [("b", "n/a"), ("a", "nan"), ("n/a", "nan"), ("None", "null")])
def test_exported_names_of_classes_are_names_whatever_they_say(names):
    data = Dataset(PARTLY.data, PARTLY.target, target_names=names)
    again = load_file(npz_bytes(dataset_arrays(data)), "a.npz")
    assert again.labels.tolist() == data.labels.tolist()


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
