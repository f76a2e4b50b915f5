"""Every question has answers that can be given; answers that do not fit have their sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cspca.datasets import (
    NONE,
    Answers,
    Dataset,
    DatasetError,
    Reading,
    UndecidedError,
    load_file,
    make_faces,
    read_file,
)
from cspca.datasets.files.preview import MOST_ANSWERS, Preview, unpacked_preview
from cspca.datasets.files.reading import preview_questions
from tests.datasets import files

pytestmark = pytest.mark.usefixtures("at_home")

RNG = np.random.default_rng(0)
SHAPE = np.array([16, 16])


@pytest.fixture(scope="module")
def faces() -> Dataset:
    return make_faces(4, 5, 16)


def column_by_column(data: Dataset) -> np.ndarray:
    return data.images.transpose(0, 2, 1).reshape(data.n_samples, -1)


def by(content: bytes, name: str, **answers: Any) -> Reading:
    return read_file(content, name, Answers.of(**answers))


def test_what_a_file_declares_is_done_and_said(faces: Dataset) -> None:
    assert faces.target is not None
    content = files.mat(
        fea=column_by_column(faces).T, gnd=faces.target + 1, age=RNG.random(20), image_shape=SHAPE
    )
    reading = read_file(content, "a.mat")
    assert reading.format == "MATLAB file"
    assert reading.summary == "20 images, 16 × 16, 4 classes"
    assert not reading.open_questions
    values = {key: question.value for key, question in reading.questions.items()}
    assert values["data"] == "fea"
    assert values["samples"] == "columns"
    assert values["classes_from"] == "gnd"
    assert values["order"] == "column"
    assert values["shape"] == (16, 16)
    assert [answer.value for answer in reading.questions["classes_from"].answers] == [
        "gnd", "age", NONE,
    ]  # fmt: skip
    given = by(content, "a.mat", **values)
    assert given.dataset.sha256 == reading.dataset.sha256
    assert {question.confidence for question in given.questions.values()} == {"given"}


def test_names_of_features_are_found_beside_the_data() -> None:
    names = [f"joint {number}" for number in range(7)]
    content = files.npz(X=RNG.random((5, 7)), feature_names=np.array(names))
    assert read_file(content, "a.npz").dataset.feature_names == tuple(names)


def test_every_answer_is_followed(faces: Dataset) -> None:
    content = files.mat(
        X=column_by_column(faces), Y=faces.target, other=faces.data[:, ::-1], image_shape=SHAPE
    )

    def answered(**answers: Any) -> Dataset:
        return by(content, "a.mat", **answers).dataset

    np.testing.assert_array_equal(answered(order="row").data, column_by_column(faces))
    other = answered(data="other", order="row")
    np.testing.assert_array_equal(other.data, faces.data[:, ::-1])
    assert answered(classes_from=NONE).target is None
    assert answered(features="columns").image_shape is None
    np.testing.assert_array_equal(
        answered(shape=(32, 8), order="column").images,
        column_by_column(faces).reshape(20, 8, 32).swapaxes(1, 2),
    )
    turned = answered(samples="columns", features="columns", classes_from=NONE)
    assert (turned.n_samples, turned.n_features) == (256, 20)
    assert answered(class_names=("a", "b", "<i>", "d")).target_names == ("a", "b", "<i>", "d")
    np.testing.assert_allclose(
        answered(size=(8, 8)).images,
        faces.images.reshape(20, 8, 2, 8, 2).mean(axis=(2, 4)),
        atol=1e-12,
    )
    assert answered(scale="stretch").data.max() == 1
    assert answered(scale="255").data.max() == pytest.approx(faces.data.max() / 255)
    assert answered(scale="signed").data.min() >= 0.5


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        ({"data": "Z"}, "data cannot be 'Z': choose one of X"),
        ({"classes_from": "Z"}, "classes_from cannot be 'Z': choose one of Y, none"),
        ({"samples": "diagonal"}, "samples cannot be 'diagonal': choose one of rows, columns"),
        ({"shape": (5, 5)}, "5 × 5 does not have 256 pixels: choose a height"),
        ({"shape": (-16, -16)}, "does not have 256 pixels"),
        ({"size": (0, 4)}, "cannot be made 0 × 4: choose sides from 1 to 512"),
        ({"class_names": ("a",)}, "1 class names for 4 classes: give one name a class"),
        ({"scale": "16", "pivot": "a"}, "there is no question pivot about this file: leave pivot"),
        ({"colour": "red"}, "There is no question colour about a file: answer some of data"),
    ],
)
def test_answers_that_do_not_fit(faces: Dataset, answers: Any, sentence: str) -> None:
    content = files.mat(X=column_by_column(faces), Y=faces.target, image_shape=SHAPE)
    with pytest.raises(DatasetError, match=sentence):
        by(content, "a.mat", **answers)


@pytest.mark.parametrize("scale", ["unit", "signed", "16"])
def test_a_scale_that_the_values_exceed(scale: str) -> None:
    content = files.npy(RNG.integers(-5, 99, (4, 36)).astype(float))
    with pytest.raises(DatasetError, match=r"outside .*: choose another scale"):
        by(content, "a.npy", samples="rows", features="columns", scale=scale)


def test_a_file_of_equals_asks_which_one() -> None:
    content = files.mat(a=RNG.random((4, 36)), b=RNG.random((4, 36)))
    with pytest.raises(UndecidedError, match="Which array holds the samples") as caught:
        load_file(content, "a.mat")
    assert caught.value.file == "a.mat"
    assert [answer.value for answer in caught.value.questions["data"].answers] == ["a", "b"]
    assert load_file(content, "a.mat", data="b", samples="rows").n_samples == 4


@pytest.mark.parametrize("low", [0, -1])
def test_one_column_a_class(faces: Dataset, low: int) -> None:
    assert faces.target is not None
    one_hot = np.where(np.eye(4)[faces.target] > 0, 1, low)
    for labels in (one_hot, one_hot.T):
        content = files.mat(X=column_by_column(faces), Y=labels, image_shape=SHAPE)
        np.testing.assert_array_equal(read_file(content, "a.mat").dataset.target, faces.target)


def test_missing_values_are_asked_about_and_each_answer_is_followed() -> None:
    pixels = RNG.random((6, 36))
    pixels[[1, 4], [3, 5]] = np.nan, np.inf
    labels = np.array([0.0, 0, 1, np.nan, 1, 1])
    names = np.array([f"gene {number}" for number in range(36)])
    content = files.npz(X=pixels, y=labels, feature_names=names)
    assert list(read_file(content, "a.npz").open_questions) == ["missing"]
    rows = by(content, "a.npz", missing="rows").dataset
    assert rows.n_samples == 4
    assert rows.target is not None
    assert rows.target.tolist() == [0, 1, -1, 1], "a label that is missing leaves no sample out"
    assert by(content, "a.npz", missing="columns").dataset.n_features == 34
    assert by(content, "a.npz", missing="median").dataset.data.shape == (6, 36)


def test_class_names_follow_the_natural_order() -> None:
    labels = np.array(["s10", "s2", "s1", "s2", "s10", "s1"])
    names = np.array([f"gene {number}" for number in range(36)])
    content = files.npz(X=RNG.random((6, 36)), y=labels, feature_names=names)
    data = read_file(content, "a.npz").dataset
    assert data.target_names == ("s1", "s2", "s10")
    assert data.target is not None
    assert data.target.tolist() == [2, 1, 0, 1, 2, 0]


# What answers would give


def test_previews_show_what_each_answer_gives(faces: Dataset) -> None:
    content = files.npz(X=faces.data)
    reading = read_file(content, "a.npz", with_previews=True)
    assert set(reading.open_questions) <= set(reading.previews)
    for key, question in reading.open_questions.items():
        values = [answer.value for answer in question.answers[:MOST_ANSWERS]]
        assert [preview.value for preview in reading.previews[key]] == values
    rows, columns = reading.previews["samples"]
    assert rows.words == "20 images, 16 × 16"
    assert rows.pictures is not None
    assert rows.pictures.shape == (16, 4 * 17)
    first = rows.pictures[:, :16] / 255
    low, high = faces.images[[0, 6, 12, 19]].min(), faces.images[[0, 6, 12, 19]].max()
    np.testing.assert_allclose(first, (faces.images[0] - low) / (high - low), atol=0.003)
    assert columns.words == "256 samples, 20 features"
    assert columns.rows[0][0] == f"{faces.data[0, 0]:.4g}"
    axis = reading.previews["features"][-1]
    assert axis.value == "axis"
    assert len(axis.curves) == 3
    assert {len(curve) for curve in axis.curves} == {64}
    assert not read_file(content, "a.npz").previews


def test_answers_to_settled_questions_are_previewed_on_request_alone(faces: Dataset) -> None:
    content = files.npz(X=faces.data, y=faces.target, image_shape=SHAPE)
    reading = read_file(content, "a.npz", with_previews=True)
    assert reading.previews == {}
    assert reading.previewed == ("samples", "features", "order", "shape")
    previews = preview_questions([("a.npz", content)], ["order", "samples"])
    assert list(previews) == ["samples", "order"]
    upright, turned = (preview.pictures for preview in previews["order"])
    assert upright is not None
    assert turned is not None
    np.testing.assert_array_equal(turned[:, :16], upright[:, :16].T)
    with pytest.raises(DatasetError, match="is not a whole"):
        preview_questions([("a.npz", content[:-90])], ["order"])


def test_the_column_that_a_question_is_about_is_among_those_previewed() -> None:
    names = [str(400 + 5 * number) for number in range(20)]
    curves = np.cumsum(RNG.normal(size=(40, 20)), axis=1)
    rows = np.column_stack([curves, RNG.normal(12, 2, 40)]).round(2)
    content = files.csv(rows.tolist(), [*names, "moisture"])
    reading = read_file(content, "a.csv", with_previews=True)
    previews = {preview.value: preview for preview in reading.previews["roles moisture"]}
    feature = previews["feature"].rows
    assert [len(row) for row in feature] == [5, 5, 5, 5]
    assert feature[0] == ("400", "405", "410", "415", "moisture")
    assert feature[1][-1] == f"{rows[0, -1]:.4g}"
    assert previews["target"].curves


def test_minus_signs_of_previewed_rows() -> None:
    content = files.npz(X=RNG.normal(size=(40, 30)) - 9)
    reading = read_file(content, "a.npz", with_previews=True)
    assert all(cell.startswith("−") for cell in reading.previews["samples"][0].rows[0])


# What answers about picture files would give


def grey_levels(preview: Preview) -> list[int]:
    """Levels in the middle of each thumbnail, one frame of one level each side."""
    assert preview.pictures is not None
    side = preview.pictures.shape[0]
    return preview.pictures[side // 2, side // 2 :: side + 1].tolist()


def even(level: int, side: int = 12) -> np.ndarray:
    return np.full((side, side), level, np.uint8)


def shown_on_request(members: dict[str, bytes], key: str) -> dict[Any, Preview]:
    archive = [("a.zip", files.zipped(members))]
    return {preview.value: preview for preview in preview_questions(archive, [key])[key]}


def test_classes_are_previewed_by_the_first_pictures_of_each() -> None:
    members = {
        f"{name}/{number}.png": files.picture(even(level + number))
        for name, level in (("ann", 0), ("bo", 100), ("cy", 200), ("di", 252))
        for number in range(3)
    }
    previews = shown_on_request(
        members | {"bo/1.png": b"\x89PNG\r\n\x1a\n no more"}, "classes_from"
    )
    assert previews["folder"].words == "ann, bo, cy and 1 more"
    levels = [0, 1, 100, 102, 200, 201]
    assert grey_levels(previews["folder"]) == [round(255 * level / 201) for level in levels]
    assert previews["none"].words == ""
    assert len(grey_levels(previews["none"])) == 4


def test_masks_and_pictures_are_previewed_each_alone_and_together() -> None:
    members = {}
    for number in range(6):
        members[f"images/{number}.png"] = files.picture(even(40 + 20 * number))
        mask = even(0)
        mask[4:8, 4:8] = 255
        members[f"masks/{number}.png"] = files.picture(mask)
    previews = shown_on_request(members, "data")
    assert {value: preview.words for value, preview in previews.items()} == {
        "pictures": "6 images", "masks": "6 images", "all": "12 images"
    }  # fmt: skip
    assert grey_levels(previews["masks"]) == [255] * 4
    assert grey_levels(previews["pictures"])[0] == 0
    assert previews["masks"].pictures is not None
    assert previews["masks"].pictures[0, 0] == 0


def test_pages_and_open_channels_are_previewed_without_being_asked_for() -> None:
    film = files.film([even(0), even(100), even(200)], "TIFF")
    members = {f"{name}/{number}.tif": film for name in "ab" for number in range(2)}
    reading = read_file(files.zipped(members), "a.zip", with_previews=True)
    first, pages = reading.previews["samples"]
    assert (first.value, pages.value) == ("first", "pages")
    assert len(grey_levels(first)) == 4
    assert grey_levels(pages) == [0, 128, 255]


def test_a_preview_of_an_answer_that_gives_no_set_says_why() -> None:
    content = files.npz(a=RNG.random((20, 30)), b=np.full((3, 4), np.nan))
    reading = read_file(content, "a.npz", with_previews=True)
    first, second = reading.previews["data"]
    assert first.words == "20 samples, 30 features"
    assert "a.npz holds no sample" in second.refusal


def test_previews_change_nothing_of_the_set(faces: Dataset) -> None:
    bytes_of = files.npz(X=faces.data, y=faces.target)
    holes = np.array(faces.data)
    holes[2, 3] = np.nan
    for content, answers in ((bytes_of, {}), (files.npz(X=holes), {"missing": "mean"})):
        bare = read_file(content, "a.npz", Answers.of(**answers))
        shown = read_file(content, "a.npz", Answers.of(**answers), with_previews=True)
        assert bare.proposed is not None
        assert shown.proposed is not None
        assert shown.proposed.sha256 == bare.proposed.sha256
        assert shown.questions == bare.questions


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"pictures": (3, 4, "AAAA")}, "cannot reshape"),
        ({"pictures": (-1, -3, "AAAA")}, "only specify one unknown"),
        ({"pictures": (1, 3, "no base64!")}, "base64"),
        ({"curves": (("a", "b"),)}, "could not convert"),
    ],
)
def test_a_preview_that_cannot_be_one_is_refused(wrong: dict[str, Any], message: str) -> None:
    """It comes from a process in which a foreign file was at work."""
    sent = {"value": 1, "words": "", "refusal": "", "pictures": None, "curves": (), "rows": ()}
    assert unpacked_preview(sent | {"pictures": (1, 3, "AAAA")}).pictures is not None
    with pytest.raises(ValueError, match=message):
        unpacked_preview(sent | wrong)


# Every refusal leads on

HOLES = np.full((30, 200), np.nan)
LEADS_ON = {
    "no value at all": files.npz(empty=HOLES, good=RNG.random((20, 30))),
    "pixels cannot be left out": files.npz(
        images=np.where(RNG.random((20, 6, 6)) < 0.1, np.nan, 1)
    ),
    "two of equals": files.mat(a=RNG.random((4, 36)), b=RNG.random((5, 36))),
    "a measured target": files.npz(X=RNG.random((60, 30)), Y=RNG.normal(size=(60, 1))),
    "codes or a measurement": files.npz(X=RNG.random((120, 30)), target=np.arange(120) // 2),
}


@pytest.mark.parametrize("kind", LEADS_ON)
def test_every_open_question_leads_to_a_set(kind: str) -> None:
    """From whatever is open or refused, answers that are offered lead to a set."""
    content, name = LEADS_ON[kind], "a.mat" if kind == "two of equals" else "a.npz"
    waiting, tried = [Answers()], 0
    while waiting:
        answers = waiting.pop(0)
        tried += 1
        assert tried < 100, "the questions have no end"
        try:
            reading = read_file(content, name, answers)
        except DatasetError:
            continue
        if not reading.open_questions:
            assert reading.dataset.n_samples >= 2
            return
        question = next(iter(reading.open_questions.values()))
        waiting += [
            answers.replaced(question.name, answer.value, question.subject)
            for answer in question.answers
        ]
    raise AssertionError(f"no answer leads on from {kind}")


# Progress


def many_pictures() -> bytes:
    pixels = RNG.integers(0, 256, (600, 8, 8)).astype(np.uint8)
    return files.zipped({f"s{i % 3}/{i}.png": files.picture(one) for i, one in enumerate(pixels)})


def test_progress_moves_and_never_back() -> None:
    for content, name in (
        (many_pictures(), "a.zip"),
        (files.mat(X=RNG.random((50, 36))), "a.mat"),
    ):
        told: list[tuple[float, str]] = []
        read_file(content, name, progress=lambda *now, told=told: told.append(now))
        fractions = [fraction for fraction, _ in told]
        assert fractions == sorted(fractions)
        assert fractions[-1] == 1
        assert len(fractions) >= 2
        assert all(words for _, words in told)
