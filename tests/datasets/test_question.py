"""Questions: answers of the person first, evidence next, and never custom alone."""

from __future__ import annotations

import io

import numpy as np
import pytest

from cspca.datasets import (
    Answer,
    Answers,
    DatasetError,
    Question,
    UndecidedError,
    load_file,
    make_faces,
    read_file,
)

pytestmark = pytest.mark.usefixtures("at_home")

ROWS = Answer("rows", "Rows", "Y has one label for each.", "declared")
COLUMNS = Answer("columns", "Columns")
SAMPLES = Question("samples", "What are the samples?", (ROWS, COLUMNS), "open")


def archive(**arrays: object) -> bytes:
    """Content of an ``.npz`` file."""
    memory = io.BytesIO()
    np.savez(memory, **arrays)  # type: ignore[arg-type]
    return memory.getvalue()


def test_first_answer_is_in_force() -> None:
    """Without an answer of the person, the one with the best evidence is in force."""
    assert SAMPLES.value == "rows"
    assert SAMPLES.words == "Rows"


def test_answer_of_the_person() -> None:
    """The person's answer is in force, and the question is no longer open."""
    answered = SAMPLES.answered("columns", "a.npy")
    assert (answered.value, answered.confidence, answered.is_open) == ("columns", "given", False)


def test_answer_that_does_not_fit() -> None:
    """An answer that is none of those offered is refused, with some that are."""
    with pytest.raises(DatasetError, match="samples cannot be 'diagonals': choose one of rows, c"):
        SAMPLES.answered("diagonals", "a.npy")


def test_lists_are_tuples() -> None:
    """A shape that was JSON on its way is the same answer."""
    shape = Question("shape", "How high?", (Answer((4, 9), "4 × 9"),), "sure", example="28 × 20")
    assert shape.answered([9, 4], "a.npy").value == (9, 4)


def test_undecided_says_how_to_answer() -> None:
    """The error names the file, the question and the answers as Python takes them."""
    target = Question(
        "roles", "What is time?", (Answer("clock", "A clock"),), "open", subject="time"
    )
    error = UndecidedError("a.npy", {SAMPLES.key: SAMPLES, target.key: target})
    assert str(error) == (
        "a.npy: What are the samples? (1 more question) Answer with samples='rows' or "
        "samples='columns'."
    )
    alone = UndecidedError("a.npy", {target.key: target})
    assert str(alone) == "a.npy: What is time? Answer with roles={'time': 'clock'}."


def test_unknown_question() -> None:
    """A keyword that is no question is refused, with those that are."""
    with pytest.raises(DatasetError, match="There is no question labels about a file"):
        Answers.of(labels="y")


def test_question_that_the_file_does_not_raise() -> None:
    """An answer to a question that this file does not raise is not ignored."""
    table = archive(X=np.random.default_rng(0).random((30, 7)), y=np.arange(30) % 3)
    with pytest.raises(DatasetError, match="there is no question order about this file"):
        load_file(table, "table.npz", order="row")


def test_changing_an_answer_keeps_the_earlier_ones() -> None:
    """What comes after a changed answer is proposed again; what comes before stays."""
    answers = Answers.of(samples="rows", features="pixels", shape=(4, 9), size=(2, 3))
    changed = answers.replaced("features", "columns")
    assert changed.values == {"samples": "rows", "features": "columns"}
    assert changed.size == (2, 3)
    roles = Answers().replaced("roles", "clock", "time").replaced("roles", "class", "kind")
    assert roles.values == {"roles": {"time": "clock", "kind": "class"}}


@pytest.mark.parametrize(
    ("example", "evidence", "description"),
    [
        ("40 classes: a, b, …", "It is a folder.", "40 classes: a, b, … It is a folder."),
        ("2 classes: a, b", "", "2 classes: a, b."),
        ("", "It is a folder.", "It is a folder."),
        ("", "", ""),
    ],
)
def test_an_answer_is_described_in_sentences(example: str, evidence: str, description: str) -> None:
    assert Answer("folder", "Folder", evidence, example=example).description == description


@pytest.mark.parametrize("name", ["features", "colours", "order", "shape", "scale"])
def test_names_of_classes_outlive_answers_that_change_no_class(name: str) -> None:
    """Names that the person typed stay where the pictures alone are read otherwise."""
    named = Answers(class_names=("Ann", "Bob"))
    assert named.replaced(name, "other").class_names == ("Ann", "Bob")
    assert named.replaced("classes_from", "folder").class_names is None
    assert named.replaced("missing", "rows").class_names is None


def test_shape_alone_decides_nothing() -> None:
    """Rows or columns: a matrix of numbers does not say; it is asked, not guessed."""
    memory = io.BytesIO()
    np.save(memory, np.random.default_rng(0).gamma(2, 2, (60, 2000)))
    reading = read_file(memory.getvalue(), "genes.npy")
    assert [question.name for question in reading.open_questions.values()] == ["samples"]
    with pytest.raises(UndecidedError) as caught:
        load_file(memory.getvalue(), "genes.npy")
    assert list(caught.value.questions) == ["samples"]
    turned = load_file(memory.getvalue(), "genes.npy", samples="columns")
    assert turned.data.shape == (2000, 60)


@pytest.mark.parametrize("turned", [False, True])
def test_labels_declare_the_samples(turned: bool) -> None:
    """Labels of the length of one side alone say where the samples lie."""
    X = np.random.default_rng(0).random((30, 7))
    file = archive(X=X.T if turned else X, y=np.arange(30) % 3)
    data = load_file(file, "table.npz")
    assert data.data.shape == (30, 7)
    assert data.n_classes == 3


def test_pictures_are_measured() -> None:
    """Faces are found in bare rows and in bare columns, and it is said."""
    faces = make_faces(10, 8)
    for turned in (False, True):
        memory = io.BytesIO()
        np.save(memory, faces.data.T if turned else faces.data)
        reading = read_file(memory.getvalue(), "faces.npy")
        assert reading.dataset.image_shape == faces.image_shape
        np.testing.assert_allclose(reading.dataset.data, faces.data)
        assert reading.questions["features"].confidence == "sure"
        assert "Samples are pictures." in reading.dataset.recognised


def test_refusal_with_open_questions_is_not_lost() -> None:
    """A set that cannot be made by the first answers still shows its questions."""
    X = np.random.default_rng(0).gamma(2, 2, (60, 200))
    X[3] = np.nan
    memory = io.BytesIO()
    np.save(memory, X)
    reading = read_file(memory.getvalue(), "holes.npy")
    assert {"samples", "missing"} <= reading.open_questions.keys()
    data = load_file(memory.getvalue(), "holes.npy", samples="rows", missing="rows")
    assert data.data.shape == (59, 200)
    assert "1 sample with missing values left out." in data.recognised


def test_answers_are_kept_with_the_set() -> None:
    """The recipe of a set reads the file again by the same answers."""
    file = archive(X=np.random.default_rng(0).random((30, 12)), y=np.arange(30) % 3)
    data = load_file(file, "table.npz", features="pixels", shape=(4, 3), classes_from="none")
    assert data.recipe is not None
    assert data.recipe.source == (
        "load_file('table.npz', features='pixels', shape=(4, 3), classes_from='none')"
    )
