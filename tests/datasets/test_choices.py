"""Every guess is laid open and can be changed; choices that do not fit have their sentence."""

import dataclasses

import numpy as np
import pytest

from cspca.datasets import (
    NO_LABELS,
    NOT_PICTURES,
    ChoiceNeededError,
    Dataset,
    DatasetError,
    ReadChoices,
    make_faces,
    read_file,
)
from tests.datasets import files

pytestmark = pytest.mark.usefixtures("at_home")

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def faces() -> Dataset:
    return make_faces(4, 5, 16)


def column_by_column(data: Dataset) -> np.ndarray:
    return data.images.transpose(0, 2, 1).reshape(data.n_samples, -1)


def test_what_was_recognised_is_said_and_offered(faces: Dataset) -> None:
    assert faces.target is not None
    content = files.mat(
        fea=column_by_column(faces).T, gnd=faces.target + 1, age=RNG.random(20), note=1.0
    )
    read = read_file(content, "a.mat")
    assert read.format == "MATLAB file"
    assert read.said[0] == "20 images, 16 × 16, 4 classes"
    assert read.dataset.recognised == "; ".join(read.said) + "."
    assert read.used == ReadChoices(
        data="fea", labels="gnd", samples="last", order="column", image_shape=(16, 16),
        scale="unit", size=(16, 16), fit="stretch", class_names=("1", "2", "3", "4"),
    )  # fmt: skip
    assert [one.name for one in read.options.data] == ["fea"]
    assert [one.name for one in read.options.labels] == ["gnd", "age"]
    assert read.options.image_shapes[:3] == ((16, 16), (32, 8), (8, 32))
    assert read.options.samples == ("first", "last")
    assert read.options.sizes == ((16, 16),)
    again = read_file(content, "a.mat", choices=read.used)
    assert again.dataset.sha256 == read.dataset.sha256


@pytest.mark.parametrize("kind", ["mat", "npz"])
def test_samples_in_columns_take_the_labels_that_fit_or_name_the_remedy(kind: str) -> None:
    make = files.mat if kind == "mat" else files.npz
    labels, other = np.repeat(np.arange(4), 5), np.repeat(np.arange(6), 6)
    content = make(fea=RNG.random((20, 36)), gnd=labels, other=other)
    name = f"a.{kind}"
    assert read_file(content, name).used.labels == "gnd"
    turned = read_file(content, name, choices=ReadChoices(samples="last"))
    assert turned.used.labels == "other"
    assert turned.dataset.target is not None
    assert turned.dataset.target.tolist() == other.tolist()
    alone = make(fea=RNG.random((20, 36)), gnd=labels)
    with pytest.raises(DatasetError) as caught:
        read_file(alone, name, choices=ReadChoices(samples="last"))
    assert str(caught.value) == (
        f"a.{kind}: gnd has 20 labels for 36 samples when samples of fea are in columns: choose "
        "samples in rows, Classes: none, or another label field."
    )
    free = read_file(alone, name, choices=ReadChoices(samples="last", labels=NO_LABELS)).dataset
    assert (free.n_samples, free.n_features, free.target) == (36, 20, None)


def test_names_of_features_are_found_beside_the_data() -> None:
    names = [f"joint {number}" for number in range(7)]
    data = read_file(
        files.npz(X=RNG.random((5, 7)), feature_names=np.array(names)), "a.npz"
    ).dataset
    assert data.feature_names == tuple(names)
    wrong = files.npz(X=RNG.random((5, 7)), feature_names=np.array(names[:3]))
    assert read_file(wrong, "a.npz").dataset.feature_names is None


def test_every_choice_is_followed(faces: Dataset) -> None:
    content = files.mat(X=column_by_column(faces), Y=faces.target, other=faces.data[:, ::-1])
    read = read_file(content, "a.mat")

    def by(**choices: object) -> Dataset:
        return read.again(ReadChoices(**choices)).dataset  # type: ignore[arg-type]

    np.testing.assert_array_equal(by(order="row").data, column_by_column(faces))
    np.testing.assert_array_equal(by(data="other", order="row").data, faces.data[:, ::-1])
    assert by(labels=NO_LABELS).target is None
    assert by(image_shape=NOT_PICTURES).image_shape is None
    np.testing.assert_array_equal(
        by(image_shape=(32, 8)).images, column_by_column(faces).reshape(20, 8, 32).swapaxes(1, 2)
    )
    turned = by(samples="last", labels=NO_LABELS)
    assert (turned.n_samples, turned.n_features) == (256, 20)
    assert by(class_names=("a", "b", "<i>", "d")).target_names == ("a", "b", "<i>", "d")
    small = by(size=(8, 8))
    np.testing.assert_allclose(
        small.images, faces.images.reshape(20, 8, 2, 8, 2).mean(axis=(2, 4)), atol=1e-12
    )
    assert by(scale="stretch").data.max() == 1
    assert by(scale="255").data.max() == pytest.approx(faces.data.max() / 255)
    assert by(scale="signed").data.min() >= 0.5


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        (ReadChoices(data="Z"), "no array called 'Z': choose one of X"),
        (ReadChoices(labels="Z"), "no label field called 'Z': choose one of Y"),
        (ReadChoices(image_shape=(5, 5)), "5 × 5 does not have 256 pixels: choose a height"),
        (ReadChoices(image_shape=(-16, -16)), "does not have 256 pixels"),
        (ReadChoices(size=(0, 4)), "cannot be made 0 × 4: choose sides from 1 to 512"),
        (ReadChoices(class_names=("a",)), "1 class names for 4 classes: give one name a class"),
        (
            ReadChoices(samples="last"),
            "20 labels for 256 samples when samples of X are in columns: choose samples in rows",
        ),
    ],
)
def test_choices_that_do_not_fit(faces: Dataset, choices: ReadChoices, sentence: str) -> None:
    content = files.mat(X=column_by_column(faces), Y=faces.target)
    with pytest.raises(DatasetError, match=sentence):
        read_file(content, "a.mat", choices=choices)


@pytest.mark.parametrize("scale", ["unit", "signed", "16"])
def test_a_scale_that_the_values_exceed(scale: str) -> None:
    content = files.npy(RNG.integers(-5, 99, (4, 36)).astype(float))
    with pytest.raises(DatasetError, match=r"outside .*: choose another scale"):
        read_file(content, "a.npy", choices=ReadChoices(scale=scale))  # type: ignore[arg-type]


def test_a_file_of_equals_asks_which_one() -> None:
    content = files.mat(a=RNG.random((4, 36)), b=RNG.random((4, 36)))
    with pytest.raises(
        ChoiceNeededError,
        match="nothing called X, fea, data or images: choose what to read, or name",
    ) as caught:
        read_file(content, "a.mat")
    assert [one.name for one in caught.value.options.data] == ["a", "b"]
    chosen = read_file(content, "a.mat", choices=ReadChoices(data="b"))
    assert chosen.used.data == "b"


def test_by_shape_alone(faces: Dataset) -> None:
    """No name is known: the large matrix is the data, the only whole-numbered vector the labels."""
    content = files.mat(
        pictures=column_by_column(faces), who=faces.target, weight=RNG.random(20), n=20.0
    )
    read = read_file(content, "a.mat")
    assert read.used.data == "pictures"
    assert read.used.labels == "who"
    np.testing.assert_array_equal(read.dataset.target, faces.target)


def test_samples_in_columns_are_told_by_the_number_of_pixels() -> None:
    read = read_file(files.mat(fea=column_by_column(make_faces(37, 1, 16)).T), "a.mat")
    assert read.used.samples == "last"
    assert read.dataset.image_shape == (16, 16)


@pytest.mark.parametrize("low", [0, -1])
def test_one_column_a_class(faces: Dataset, low: int) -> None:
    assert faces.target is not None
    one_hot = np.where(np.eye(4)[faces.target] > 0, 1, low)
    for labels in (one_hot, one_hot.T):
        read = read_file(files.mat(X=column_by_column(faces), Y=labels), "a.mat")
        np.testing.assert_array_equal(read.dataset.target, faces.target)


def test_pictures_in_cubes(faces: Dataset) -> None:
    cube = faces.images.transpose(1, 2, 0)
    read = read_file(files.mat(images=cube, labels=faces.target), "a.mat")
    np.testing.assert_array_equal(read.dataset.data, faces.data)
    assert read.used.samples == "last"
    colours = np.repeat(cube[:, :, None], 3, axis=2)
    read = read_file(files.mat(images=colours, labels=faces.target), "a.mat")
    np.testing.assert_allclose(read.dataset.data, faces.data, atol=1e-12)
    turned = read.again(ReadChoices(order="column")).dataset
    np.testing.assert_allclose(turned.images, faces.images.swapaxes(1, 2), atol=1e-12)
    front = np.moveaxis(np.repeat(faces.images[..., None], 3, axis=3), 3, 1)
    read = read_file(files.npz(X=front, y=faces.target), "a.npz")
    np.testing.assert_allclose(read.dataset.data, faces.data, atol=1e-12)


def test_halves_by_any_names(faces: Dataset) -> None:
    assert faces.target is not None
    x, y = column_by_column(faces), faces.target
    content = files.mat(
        trainFaces=x[:12], testFaces=x[12:], train_gnd=y[:12], test_gnd=y[12:], nTrain=12.0
    )
    read = read_file(content, "a.mat")
    assert read.used.data == "trainFaces + testFaces"
    assert read.used.labels == "train_gnd + test_gnd"
    np.testing.assert_array_equal(read.dataset.data, faces.data)
    one = read.again(ReadChoices(data="trainFaces", labels="train_gnd")).dataset
    assert one.n_samples == 12


def test_bad_samples_may_be_left_out() -> None:
    pixels = RNG.random((6, 36))
    pixels[[1, 4], [3, 5]] = np.nan, np.inf
    labels = np.array([0.0, 0, 1, np.nan, 1, 1])
    content = files.mat(X=pixels, Y=labels)
    data = read_file(content, "a.mat", choices=ReadChoices(drop_bad=True)).dataset
    assert data.n_samples == 4
    assert data.target is not None
    assert data.target.tolist() == [0, 1, -1, 1], "a label that is missing leaves no sample out"
    pixels[:] = np.nan
    with pytest.raises(DatasetError, match="holds no image"):
        read_file(files.mat(X=pixels), "a.mat", choices=ReadChoices(drop_bad=True))


def test_class_names_follow_the_natural_order() -> None:
    labels = np.array(["s10", "s2", "s1", "s2", "s10", "s1"])
    read = read_file(files.npz(X=RNG.random((6, 36)), y=labels), "a.npz")
    assert read.dataset.target_names == ("s1", "s2", "s10")
    assert read.dataset.target is not None
    assert read.dataset.target.tolist() == [2, 1, 0, 1, 2, 0]


def test_one_class_is_a_class() -> None:
    read = read_file(files.mat(X=RNG.random((4, 36)), Y=np.ones(4)), "a.mat")
    assert read.dataset.n_classes == 1
    assert read.dataset.recognised.startswith("4 images, 6 × 6, 1 class; ")
    same = files.zipped({f"cat/{i}.png": files.picture(np.eye(6, dtype="u1")) for i in range(3)})
    assert read_file(same, "a.zip").dataset.target is None


def test_reading_again_keeps_the_name(faces: Dataset) -> None:
    read = read_file(files.npy(faces.images), "my.faces.npy")
    again = read.again(ReadChoices())
    assert again.file == read.file == "my.faces.npy"
    assert again.dataset.name == read.dataset.name == "my.faces"
    assert again.dataset.source == read.dataset.source == "file my.faces.npy"
    with pytest.raises(DatasetError, match=r"my.faces.npy: images cannot be made"):
        read.again(ReadChoices(size=(0, 0)))


# Progress, cancelling, and other people's errors


def many_pictures() -> bytes:
    pixels = RNG.integers(0, 256, (600, 8, 8)).astype(np.uint8)
    return files.zipped({f"s{i % 3}/{i}.png": files.picture(one) for i, one in enumerate(pixels)})


def test_progress_moves_and_never_back() -> None:
    for content, name in (
        (many_pictures(), "a.zip"),
        (files.csv(RNG.random((5000, 300)).round(3).tolist()), "a.csv"),
        (files.mat(X=RNG.random((50, 36))), "a.mat"),
    ):
        told: list[tuple[float, str]] = []
        read_file(content, name, progress=lambda *now, told=told: told.append(now))
        fractions = [fraction for fraction, _ in told]
        assert fractions == sorted(fractions)
        assert fractions[-1] == 1
        assert len(fractions) >= 2
        assert all(words for _, words in told)


def test_a_record_without_its_file_says_so() -> None:
    read = read_file(files.npy(RNG.random((4, 36))), "a.npy")
    with pytest.raises(DatasetError, match="is not kept open: read the file again"):
        dataclasses.replace(read, contents=None).again(ReadChoices())


@pytest.mark.parametrize("kind", ["mat", "npz"])
def test_labels_that_do_not_fit_leave_the_choice_of_others_or_none(kind: str) -> None:
    make = files.mat if kind == "mat" else files.npz
    content = make(X=RNG.random((20, 36)), y=np.arange(17) % 3, age=np.arange(20) % 4)
    with pytest.raises(ChoiceNeededError, match="y has 17 labels for 20 samples") as caught:
        read_file(content, f"a.{kind}")
    assert [one.name for one in caught.value.options.labels] == ["age", NO_LABELS]
    for labels, n_classes in (("age", 4), (NO_LABELS, 0)):
        read = read_file(content, f"a.{kind}", choices=ReadChoices(labels=labels))
        assert read.dataset.n_classes == n_classes


def test_labels_of_a_kind_that_is_not_read_leave_the_choice_too() -> None:
    words = np.array(["ann", "bo"] * 10, dtype=object)[:, None]
    with pytest.raises(
        ChoiceNeededError, match=r"are a cell array: .* choose Classes: none"
    ) as one:
        read_file(files.mat(X=RNG.random((20, 36)), Y=words), "a.mat")
    assert [one.name for one in one.value.options.labels] == [NO_LABELS]


def test_one_row_of_numbers_is_called_so() -> None:
    with pytest.raises(DatasetError, match=r"is one row of 1,200 numbers: save one row of pixel"):
        read_file(files.npy(np.arange(1200.0)), "a.npy")
