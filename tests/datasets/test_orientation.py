"""The guess of which way round a file lies may ask; it may not be wrong where it is sure."""

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pytest

from cspca.datasets import Answers, Reading, make_faces, read_file
from tests import real_data
from tests.datasets import files

pytestmark = pytest.mark.usefixtures("at_home")

SHAPES = {
    "digits": (8, 8), "USPS": (16, 16), "ORL": (32, 32), "COIL20": (32, 32),
    "native ORL": (112, 92), "faces": (32, 32), "upright faces": (24, 20),
}  # fmt: skip
MAKE: dict[str, Callable[[np.ndarray], bytes]] = {
    "a.mat": lambda pixels: files.mat(False, fea=pixels),
    "a.npy": files.npy,
    "a.csv": lambda pixels: files.csv(pixels.tolist()),
}


@cache
def upright(name: str) -> np.ndarray:
    """(n, height, width) grey levels as they should come out."""
    if "faces" in name:
        return np.rint(255 * make_faces(40, 10, SHAPES[name]).images).astype(np.uint8)
    if (why := real_data.why_absent(name)) is not None:
        pytest.skip(why)
    height, width = SHAPES[name]
    grey = np.rint(255 * real_data.pixels(name)).astype(np.uint8)
    if name == "digits":
        return grey.reshape(-1, height, width)
    return grey.reshape(-1, width, height).transpose(0, 2, 1)


def ways(name: str, seed: int) -> Iterator[tuple[str, str, np.ndarray]]:
    """How it is stored, and the matrix: whole and in part, flattened both ways, both ways round."""
    whole = upright(name)
    some = np.random.default_rng(seed).choice(len(whole), min(500, len(whole)), replace=False)
    for pictures in (whole, whole[some]):
        for order in ("row", "column"):
            stored = pictures if order == "row" else pictures.transpose(0, 2, 1)
            for samples in ("first", "last"):
                matrix = stored.reshape(len(pictures), -1)
                yield order, samples, matrix if samples == "first" else matrix.T


def never_wrong(reading: Reading, order: str, samples: str, shape: tuple[int, int]) -> None:
    """What is neither asked nor kept by default is right."""
    questions = reading.questions
    if questions["samples"].is_open or questions["features"].is_open:
        return
    assert questions["samples"].value == ("rows" if samples == "first" else "columns")
    assert questions["features"].value == "pixels"
    if questions["shape"].is_open:
        return
    assert sorted(questions["shape"].value) == sorted(shape)
    if questions["order"].confidence in ("sure", "likely"):
        assert (questions["order"].value, questions["shape"].value) == (order, shape)


@pytest.mark.real_data
@pytest.mark.parametrize("name", SHAPES)
def test_the_guess_asks_or_is_right(name: str) -> None:
    """Whole in bytes; in part as floats in the container whose custom is the other way; as text."""
    for number, (order, samples, matrix) in enumerate(ways(name, seed=len(name))):
        file, pixels = ("a.npy", matrix) if number < 4 else ("a.mat", matrix / 255)
        never_wrong(read_file(MAKE[file](pixels), file), order, samples, SHAPES[name])
        if number == 7 and matrix.size <= 250_000:
            never_wrong(read_file(MAKE["a.csv"](matrix), "a.csv"), order, samples, SHAPES[name])


def test_faces_are_told_without_asking() -> None:
    faces = make_faces(40, 10, 32)
    columns = faces.images.transpose(0, 2, 1).reshape(400, -1)
    for content, file in (
        (files.mat(X=columns, Y=faces.target), "a.mat"),
        (files.mat(fea=columns.T), "a.mat"),
        (files.npz(X=faces.data, y=faces.target), "a.npz"),
    ):
        reading = read_file(content, file)
        assert reading.open_questions == {}
        np.testing.assert_array_equal(reading.dataset.data, faces.data)


def test_custom_gives_way_to_what_the_pictures_show_and_says_so() -> None:
    faces = make_faces(40, 10, 32)
    content = files.mat(X=faces.data, Y=faces.target)
    reading = read_file(content, "a.mat")
    question = reading.questions["order"]
    if question.confidence == "sure":
        assert question.value == "row"
        assert question.answers[0].evidence
    else:
        # What custom alone says is kept, said, and one click from the other.
        assert question.value == "column"
        assert "by custom" in question.sentence
    chosen = read_file(content, "a.mat", Answers.of(order="row"))
    assert chosen.questions["order"].confidence == "given"
    np.testing.assert_array_equal(chosen.dataset.data, faces.data)


def test_labels_and_answers_settle_the_samples() -> None:
    digits = upright("digits")[:64].reshape(64, 64)  # as many samples as pixels
    turned = digits.reshape(64, 8, 8).transpose(0, 2, 1).reshape(64, 64)
    for matrix, samples in ((turned, "first"), (turned.T, "last")):
        never_wrong(read_file(files.npy(matrix), "a.npy"), "column", samples, (8, 8))
    answers = Answers.of(samples="rows", features="pixels", shape=(8, 8), order="row")
    assert read_file(files.npy(turned), "a.npy", answers).open_questions == {}
    tall = upright("digits")[:500].transpose(1, 2, 0).reshape(64, 500)
    for labels in (np.arange(500) % 7, np.arange(500)[:, None] % 7):
        question = read_file(files.npz(X=tall, y=labels), "a.npz").questions["samples"]
        assert (question.value, question.confidence) == ("columns", "sure")


def test_a_shape_that_is_given_settles_the_order_of_what_is_no_square() -> None:
    faces = make_faces(20, 10, (24, 20))
    columns = faces.images.transpose(0, 2, 1).reshape(200, -1)
    for file, pixels in (("a.npy", columns), ("b.npy", faces.data)):
        reading = read_file(files.npy(pixels), file, Answers.of(shape=(24, 20)))
        assert reading.open_questions == {}
        np.testing.assert_array_equal(reading.dataset.images, faces.images)


def test_a_matrix_of_noise_is_no_set_of_pictures() -> None:
    rng = np.random.default_rng(0)
    for shape in ((400, 30), (30, 13), (256, 36)):
        reading = read_file(files.npy(rng.random(shape)), "a.npy", Answers.of(samples="rows"))
        assert reading.questions["features"].value == "columns"
        assert reading.proposed is not None
        assert reading.proposed.n_samples == shape[0]
