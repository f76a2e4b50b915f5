"""The guess of which way round a file lies may ask; it may not be wrong where it is sure."""

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pytest

from cspca.datasets import ReadChoices, Recognised, make_faces, read_file
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


def never_wrong(read: Recognised, order: str, samples: str, shape: tuple[int, int]) -> None:
    said = read.dataset.recognised
    assert ("not sure whether pixels run" in said) is ("order" in read.unsure)
    assert ("not sure whether samples are" in said) is ("samples" in read.unsure)
    if "samples" in read.unsure:
        return
    assert read.used.samples == samples
    assert read.used.image_shape is not None
    assert sorted(read.used.image_shape) == sorted(shape)
    if "order" not in read.unsure:
        assert (read.used.order, read.used.image_shape) == (order, shape)


@pytest.mark.real_data
@pytest.mark.parametrize("floats", [False, True])
@pytest.mark.parametrize("file", MAKE)
@pytest.mark.parametrize("name", SHAPES)
def test_the_guess_asks_or_is_right(name: str, file: str, floats: bool) -> None:
    for order, samples, matrix in ways(name, seed=len(name)):
        if file == "a.csv" and matrix.size > 250_000:
            continue  # the same guess on the same numbers
        pixels = matrix / 255 if floats else matrix
        never_wrong(read_file(MAKE[file](pixels), file), order, samples, SHAPES[name])


def test_faces_are_told_without_asking() -> None:
    faces = make_faces(40, 10, 32)
    columns = faces.images.transpose(0, 2, 1).reshape(400, -1)
    for content, file in (
        (files.mat(X=columns, Y=faces.target), "a.mat"),
        (files.mat(fea=columns.T), "a.mat"),
        (files.npz(X=faces.data, y=faces.target), "a.npz"),
    ):
        read = read_file(content, file)
        assert read.unsure == ()
        np.testing.assert_array_equal(read.dataset.data, faces.data)


def test_custom_gives_way_to_what_the_pictures_show_and_says_so() -> None:
    faces = make_faces(40, 10, 32)
    read = read_file(files.mat(X=faces.data, Y=faces.target), "a.mat")
    np.testing.assert_array_equal(read.dataset.data, faces.data)
    assert read.unsure == ("order",)
    sentence = "not sure whether pixels run along rows or columns: look at the images and choose"
    assert sentence in read.said
    chosen = read.again(ReadChoices(order="row"))
    assert chosen.unsure == ()
    assert "not sure" not in chosen.dataset.recognised


def test_labels_and_choices_settle_the_samples() -> None:
    digits = upright("digits")[:64].reshape(64, 64)  # as many samples as pixels
    turned = digits.reshape(64, 8, 8).transpose(0, 2, 1).reshape(64, 64)
    for matrix, samples in ((turned, "first"), (turned.T, "last")):
        never_wrong(read_file(files.npy(matrix), "a.npy"), "column", samples, (8, 8))
    told = read_file(files.npy(turned), "a.npy", choices=ReadChoices(samples="first", order="row"))
    assert told.unsure == ()
    tall = upright("digits")[:500].transpose(1, 2, 0).reshape(64, 500)
    for labels in (np.arange(500) % 7, np.arange(500)[:, None] % 7):
        assert read_file(files.npz(X=tall, y=labels), "a.npz").used.samples == "last"


def test_a_shape_that_is_told_settles_the_order_of_what_is_no_square() -> None:
    faces = make_faces(20, 10, (24, 20))
    columns = faces.images.transpose(0, 2, 1).reshape(200, -1)
    for file, pixels in (("a.npy", columns), ("b.npy", faces.data)):
        read = read_file(files.npy(pixels), file, choices=ReadChoices(image_shape=(24, 20)))
        assert read.unsure == ()
        np.testing.assert_array_equal(read.dataset.images, faces.images)


def test_measurements_are_not_asked_about() -> None:
    rng = np.random.default_rng(0)
    for shape in ((400, 30), (30, 13), (256, 36)):
        read = read_file(files.npy(rng.random(shape)), "a.npy")
        assert "samples" not in read.unsure
        assert read.dataset.n_samples == shape[0]
