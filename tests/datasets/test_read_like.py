"""New samples go through the steps of the set, with its numbers: its own file gives its values."""

from __future__ import annotations

import json
import pickle
import zlib
from typing import Any

import numpy as np
import pytest

from cspca import CSPCA
from cspca.datasets import (
    Answers,
    Dataset,
    DatasetError,
    NewSamples,
    leave_out,
    load,
    load_file,
    make_motion,
    read_files,
    read_like,
    resized,
    standardised,
)
from cspca.datasets.addresses import file_address
from cspca.datasets.files import parsed
from cspca.datasets.steps_in_words import sentences_of_steps
from cspca.experiments import unseen
from cspca.experiments.exports import feature_table
from cspca.experiments.records import Described, describe
from tests.datasets import files
from tests.datasets.kinds import Case, Kind, all_groups

pytestmark = pytest.mark.usefixtures("at_home")

RNG = np.random.default_rng(5)
TABLE = RNG.normal(size=(80, 4)) * [1, 50, 0.01, 3] + [0, 400, 5, -2]
NAMES = ("a", "b", "c", "d")


def csv(rows: Any, names: Any = NAMES, labels: Any = None) -> bytes:
    lines = [",".join([*names, *(["class"] if labels is not None else [])])] if names else []
    for at, row in enumerate(rows):
        cells = ["" if np.isnan(value) else repr(float(value)) for value in row]
        lines.append(",".join([*cells, *([labels[at]] if labels is not None else [])]))
    return "\n".join(lines).encode() + b"\n"


def pictures_zip(pictures: Any) -> bytes:
    return files.zipped(
        {f"s{at // 4}/{at}.png": files.picture(picture) for at, picture in enumerate(pictures)}
    )


def same(new: NewSamples, dataset: Dataset, *, rows: Any = slice(None)) -> None:
    """Values agree to 1e-12 of the largest norm of a sample, 1e-5 in single precision."""
    norms = np.linalg.norm(np.asarray(dataset.data, dtype=np.float64), axis=1)
    share = 1e-12 if dataset.data.dtype == np.float64 else 1e-5
    assert new.data.dtype == dataset.data.dtype
    assert new.data.shape == dataset.data[rows].shape
    np.testing.assert_allclose(new.data, dataset.data[rows], rtol=0, atol=share * norms.max())


# -- every kind of set and every choice ------------------------------------------------------------


def choices(case: Case) -> list[dict[str, Any]]:
    """What can be answered otherwise about a file, and the sizes that pictures can be given."""
    try:
        reading = read_files([(case.name, case.content)], case.name)
    except DatasetError:
        return []
    alternatives: list[dict[str, Any]] = [
        {question.name: {question.subject: answer.value} if question.subject else answer.value}
        for question in reading.questions.values()
        for answer in question.answers[:6]
        if answer.value != question.value
    ]
    if reading.proposed is not None and reading.proposed.image_shape is not None:
        alternatives += [{"size": (5, 7)}, {"size": (6, 6), "crop": True}]
    return alternatives or [{}]


def proposed(case: Case, answers: dict[str, Any]) -> Dataset | None:
    """The set by these answers, and by the first of each open question; None without one."""
    try:
        return read_files([(case.name, case.content)], case.name, Answers.of(**answers)).proposed
    except DatasetError:
        return None


def set_of(kind: Kind) -> tuple[Case, Dataset | None]:
    """A file of a kind, and its set: of every second kind by another than the first answers."""
    number = zlib.crc32(kind.name.encode())
    case = kind.make(number % 2)
    alternatives = choices(case) if number % 2 else [case.mark.answers]
    start = number // 2 % max(1, len(alternatives))
    sets = (proposed(case, answers) for answers in alternatives[start:] + alternatives[:start])
    dataset = next((dataset for dataset in sets if dataset is not None), None)
    if dataset is not None and number % 5 == 0:
        dataset = standardised(dataset)
    return case, dataset


def has_sentences(dataset: Dataset) -> None:
    """The steps are said, and among them how the values were scaled."""
    sentences = sentences_of_steps(dataset)
    assert sentences[0].startswith(("Samples", "The samples", "Rows of", "Columns of"))
    assert all(sentence.endswith(".") and "None" not in sentence for sentence in sentences)
    words = ("became 1", "divided by", "taken as they are", "scaled by itself", "set to 0", "moved")
    assert any(word in sentence for sentence in sentences for word in words)


@pytest.mark.parametrize("kinds", all_groups().values(), ids=all_groups())
def test_the_file_of_a_set_gives_its_values_again_and_its_steps_are_said(
    kinds: list[Kind],
) -> None:
    found = [set_of(kind) for kind in kinds]
    sets = [(case, dataset) for case, dataset in found if dataset is not None]
    assert sets
    for case, dataset in sets:
        has_sentences(dataset)
        same(read_like([(case.name, case.content)], dataset), dataset)


# -- tables ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", ["columns", "stretch"])
def test_rows_of_the_table_itself_are_no_outliers(scale: str) -> None:
    dataset = load_file(csv(TABLE), "table.csv", scale=scale)
    new = read_like(csv(TABLE[20:30]), dataset, "new.csv")
    same(new, dataset, rows=slice(20, 30))
    fit = CSPCA(0.1, 0.02, tol=1e-6).fit(dataset.data).fit_
    brought = unseen.mapped(fit, new.data, [""] * 10)
    own = unseen.mapped(fit, dataset.data, [""] * 80)
    np.testing.assert_allclose(brought.errors, own.errors[20:30], atol=1e-12)


def test_columns_are_put_in_order_by_name_and_those_of_no_feature_left_out() -> None:
    labels = [*"xyz"] * 26 + [*"xy"]
    dataset = load_file(csv(TABLE, labels=labels), "table.csv", scale="columns")
    assert dataset.n_classes == 3
    order = [2, 0, 3, 1]
    rows = np.column_stack([TABLE[:5, order], np.arange(5)])
    new = read_like(csv(rows, [*(NAMES[at] for at in order), "dose"]), dataset, "new.csv")
    same(new, dataset, rows=slice(0, 5))
    assert new.sentences == (
        "Columns are put in the order of the set by their names.",
        "dose is no feature of the set, and left out.",
    )


def test_places_count_without_the_columns_that_are_no_features() -> None:
    lines = [f"{'xy'[at % 2]},{','.join(map(repr, row.tolist()))}" for at, row in enumerate(TABLE)]
    dataset = load_file("\n".join(lines).encode(), "bare.csv", scale="columns")
    assert (dataset.n_classes, dataset.n_features) == (2, 4)
    whole = "\n".join(lines[:6]).encode()
    for content, name in (
        (whole, "whole.csv"),
        (csv(TABLE[:6], names=None), "without.csv"),
        (files.npy(TABLE[:6]), "new.npy"),
    ):
        same(read_like(content, dataset, name), dataset, rows=slice(6))


def test_a_missing_column_is_refused_with_both_counts() -> None:
    dataset = load_file(csv(TABLE), "table.csv", scale="columns")
    with pytest.raises(DatasetError) as refusal:
        read_like(csv(TABLE[:, :3], NAMES[:3]), dataset, "new.csv")
    assert str(refusal.value) == (
        "new.csv has 3 of the 4 features of the set by their names; it lacks d: bring a table that "
        "has them all."
    )
    with pytest.raises(DatasetError, match=r"new.csv has 3 columns and 9 rows, and the set has 4"):
        read_like(csv(TABLE[:9, :3], names=None), dataset, "new.csv")
    with pytest.raises(DatasetError, match=r"new.npy holds the array \(80 × 3 float64\)"):
        read_like(files.npy(TABLE[:, :3]), dataset, "new.npy")


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (csv(TABLE[7:8]), "one.csv"),
        (csv(TABLE[7:8], names=None), "bare.csv"),
        (csv(TABLE[7:8], labels=["x"]), "labelled.csv"),
        (files.npy(TABLE[7:8]), "one.npy"),
        (files.npy(TABLE[7]), "flat.npy"),
        (files.mat(X=TABLE[7:8]), "one.mat"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_one_sample_is_enough_with_a_label_or_without(content: bytes, name: str) -> None:
    labels = [*"xy"] * 40
    dataset = load_file(csv(TABLE, labels=labels), "table.csv", scale="columns")
    same(read_like(content, dataset, name), dataset, rows=slice(7, 8))


def test_columns_without_names_are_taken_in_their_order_and_that_is_said() -> None:
    dataset = load_file(csv(TABLE), "table.csv", scale="columns")
    new = read_like(csv(TABLE[:9], names=None), dataset, "new.csv")
    same(new, dataset, rows=slice(0, 9))
    assert new.sentences == ("Columns are taken in their order, for the file has no names.",)


def test_a_column_that_a_person_left_out_stays_out() -> None:
    dataset = load_file(csv(TABLE), "table.csv", scale="columns", roles={"b": "out"})
    assert dataset.n_features == 3
    same(read_like(csv(TABLE), dataset, "table.csv"), dataset)
    same(read_like(csv(TABLE[:5, [0, 2, 3]], "acd"), dataset, "new.csv"), dataset, rows=slice(5))


def test_samples_in_columns_come_in_columns_or_in_rows() -> None:
    genes = [f"gene {letter}" for letter in "pqrstuvwxyz"]
    values = RNG.gamma(2, size=(6, 11))

    def by_gene(samples: Any) -> bytes:
        heads = ["gene", *(f"s{number}" for number in range(len(samples)))]
        rows = [[name, *map(str, column)] for name, column in zip(genes, samples.T, strict=True)]
        return "\n".join(",".join(row) for row in [heads, *rows]).encode()

    dataset = load_file(by_gene(values), "genes.csv", samples="columns", scale="stretch")
    assert dataset.data.shape == (6, 11)
    same(read_like(by_gene(values[4:5]), dataset, "one.csv"), dataset, rows=slice(4, 5))
    turned = read_like(csv(values[:3], genes), dataset, "turned.csv")
    same(turned, dataset, rows=slice(0, 3))
    assert turned.sentences == ("Samples lie in rows here, unlike in the file of the set.",)


def test_missing_values_are_filled_with_those_of_the_set() -> None:
    table = TABLE.copy()
    table[3, 1] = np.nan
    dataset = load_file(csv(table), "table.csv", scale="columns", missing="mean")
    same(read_like(csv(table), dataset, "table.csv"), dataset)
    # Another column misses one here: its mean in the set is put there.
    row = TABLE[10:11].copy()
    row[0, 2] = np.nan
    new = read_like(csv(row), dataset, "new.csv")
    assert new.data[0, 2] == pytest.approx(dataset.data[:, 2].mean())
    assert new.sentences == ("1 missing value was filled with the mean of the set.",)


def test_samples_with_missing_values_are_left_out_where_the_set_has_none() -> None:
    dataset = load_file(csv(TABLE), "table.csv", scale="columns")
    table = TABLE[:5].copy()
    table[3, 1] = np.nan
    new = read_like(csv(table), dataset, "new.csv")
    same(new, dataset, rows=[0, 1, 2, 4])
    assert new.sentences == ("1 sample with missing values left out.",)
    names = unseen.with_names(new, dataset, "new.csv").names
    assert names == tuple(f"new.csv, sample {number}" for number in (1, 2, 3, 5))
    with pytest.raises(
        DatasetError, match=r"1 sample holds missing values, and the set has no rule"
    ):
        read_like(csv(table[3:4]), dataset, "new.csv")


def test_values_beyond_the_range_of_the_set_are_not_cut_off_and_that_is_said() -> None:
    dataset = load_file(csv(TABLE), "table.csv", scale="columns")
    low, high = TABLE.min(axis=0), TABLE.max(axis=0)
    new = read_like(csv([low - 0.5 * (high - low), high]), dataset, "new.csv")
    np.testing.assert_allclose(new.data, [[-0.5] * 4, [1.0] * 4], atol=1e-12)
    assert new.sentences == (
        "1 sample has values beyond the range of the set: they are not cut off, and run from −0.5 "
        "to 1 where the set runs from 0 to 1.",
    )


def test_spectra_are_interpolated_at_the_axis_of_the_set() -> None:
    axis = np.arange(400.0, 500.0, 2.0)
    spectra = np.array([np.exp(-(((axis - peak) / 12) ** 2)) for peak in RNG.uniform(420, 480, 20)])
    dataset = load_file(csv(spectra, [f"{at:g} nm" for at in axis]), "spectra.csv")
    finer = np.arange(399.25, 501.0, 0.5)
    new = np.exp(-(((finer - 450) / 12) ** 2))
    brought = read_like(csv([new], [f"{at:g} nm" for at in finer]), dataset, "new.csv")
    expected = np.exp(-(((axis - 450) / 12) ** 2)) / spectra.max()
    np.testing.assert_allclose(brought.data[0], expected, atol=1e-3)
    assert brought.sentences[0] == (
        "Values are interpolated at the 50 points of the axis of the set."
    )


def test_one_spectrum_of_two_columns_is_a_sample_of_a_set_of_such_files() -> None:
    axis = np.arange(400.5, 460.0, 1.5)
    curves = np.cumsum(RNG.normal(size=(6, len(axis))), axis=1)
    texts = [
        "\n".join(f"{point} {value!r}" for point, value in zip(axis, curve.tolist(), strict=True))
        for curve in curves
    ]
    content = files.zipped({f"s{at}.txt": text.encode() for at, text in enumerate(texts)})
    dataset = load_file(content, "spectra.zip")
    assert dataset.data.shape == (6, len(axis))
    same(read_like(content, dataset, "spectra.zip"), dataset)
    for text in (texts[2], "wavenumber intensity\n" + texts[2]):
        same(read_like(text.encode(), dataset, "new.txt"), dataset, rows=slice(2, 3))


# -- arrays and pictures ---------------------------------------------------------------------------


def test_pixels_that_run_down_columns_by_hand_do_so_in_a_new_file() -> None:
    pictures = RNG.random((30, 5 * 8))
    dataset = load_file(
        files.npy(pictures),
        "x.npy",
        samples="rows",
        features="pixels",
        shape=(8, 5),
        order="column",
    )
    same(read_like(files.npy(pictures[:3]), dataset, "new.npy"), dataset, rows=slice(3))
    same(read_like(files.npy(pictures[4]), dataset, "one.npy"), dataset, rows=slice(4, 5))
    # A picture of its own is upright already, and 8 bits are 0 – 1 in the unit of the set.
    upright = np.rint(255 * dataset.images[0]).astype(np.uint8)
    new = read_like([("new.png", files.picture(upright))], dataset)
    np.testing.assert_allclose(new.data, dataset.data[:1], atol=0.5 / 255 + 1e-7)


def test_pictures_of_an_array_are_brought_to_the_size_of_those_of_the_set() -> None:
    pictures = RNG.random((30, 8, 6))
    dataset = load_file(files.npy(pictures), "x.npy", samples="rows", features="pixels")
    new = read_like(files.npy(pictures[:4].repeat(3, axis=1).repeat(3, axis=2)), dataset, "new.npy")
    np.testing.assert_allclose(new.data, dataset.data[:4], atol=1e-12)
    assert new.sentences == ("Pictures are resized from 24 × 18 to 8 × 6.",)


def test_arrays_with_samples_in_columns_come_either_way() -> None:
    values = RNG.normal(size=(7, 40))
    dataset = load_file(files.npy(values), "x.npy", samples="columns", features="columns")
    assert dataset.data.shape == (40, 7)
    same(read_like(files.npy(values[:, :9]), dataset, "new.npy"), dataset, rows=slice(9))
    turned = read_like(files.npy(values[:, :9].T), dataset, "new.npy")
    same(turned, dataset, rows=slice(9))
    assert "Samples lie along the first side here" in turned.sentences[0]


def test_dark_pictures_stay_dark() -> None:
    pictures = RNG.integers(0, 256, (8, 12, 10)).astype(np.uint8)
    dataset = load_file(pictures_zip(pictures), "faces.zip")
    dark = pictures[3] // 8
    new = read_like(files.picture(dark), dataset, "dark.png")
    np.testing.assert_allclose(new.data[0], dark.ravel() / 255, atol=1e-7)
    # Twelve bits in sixteen: what is white is what it was in the set.
    deep = RNG.integers(0, 4000, (8, 12, 10)).astype(np.uint16)
    dataset = load_file(pictures_zip(deep), "deep.zip")
    assert dataset.data.max() < 0.99
    same(read_like(pictures_zip(deep), dataset, "deep.zip"), dataset)
    new = read_like(files.picture(deep[2] // 16), dataset, "dark.png")
    np.testing.assert_allclose(new.data[0], (deep[2] // 16).ravel() / 4095, atol=1e-7)
    other = read_like(files.picture(pictures[3]), dataset, "eight.png")
    np.testing.assert_allclose(other.data[0], pictures[3].ravel() / 255, atol=1e-6)
    assert other.sentences == ("White is 255 in pictures of 8 bits, of which the set has none.",)


def test_pictures_of_several_depths_are_each_divided_by_their_own_white() -> None:
    pictures = RNG.integers(0, 256, (4, 9, 9))
    members = {f"a/{at}.png": files.picture(pictures[at].astype(np.uint8)) for at in range(2)}
    members |= {
        f"b/{at}.png": files.picture((pictures[at] * 257).astype(np.uint16)) for at in range(2, 4)
    }
    content = files.zipped(members)
    dataset = load_file(content, "mixed.zip")
    same(read_like(content, dataset, "mixed.zip"), dataset)
    new = read_like(files.picture((pictures[0] * 100).astype(np.uint16)), dataset, "new.png")
    np.testing.assert_allclose(new.data[0], pictures[0].ravel() * 100 / 65535, atol=1e-6)


def test_the_single_precision_of_a_large_set_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsed, "FLOAT32_FROM", 100)
    dataset = load_file(csv(TABLE), "table.csv", scale="columns")
    assert dataset.data.dtype == np.float32
    same(read_like(csv(TABLE), dataset, "table.csv"), dataset)
    same(read_like(csv(TABLE[:1]), dataset, "new.csv"), dataset, rows=slice(1))


# -- what was done with the set after it was read --------------------------------------------------


def test_a_set_that_was_resized_and_standardised_takes_new_samples_along() -> None:
    pictures = RNG.integers(0, 256, (12, 16, 12)).astype(np.uint8)
    content = pictures_zip(pictures)
    dataset = leave_out(standardised(resized(load_file(content, "faces.zip"), (8, 6))), [2, 5])
    new = read_like(content, dataset, "faces.zip")
    stay = [at for at in range(12) if at not in (2, 5)]
    np.testing.assert_allclose(new.data[stay], dataset.data, rtol=0, atol=1e-12)
    copy = pickle.loads(pickle.dumps(dataset))  # noqa: S301 (it was written the line before)
    np.testing.assert_array_equal(read_like(content, copy, "faces.zip").data, new.data)


def test_a_run_that_is_saved_has_the_steps_of_its_set() -> None:
    dataset = standardised(load_file(csv(TABLE), "table.csv", scale="columns", roles={"b": "out"}))
    described = Described.read(describe(dataset))
    saved = Dataset(dataset.data, **described.words)
    same(read_like(csv(TABLE), saved, "table.csv"), dataset)
    assert "steps" not in json.loads(describe(Dataset(dataset.data)))


def test_a_run_that_is_saved_has_the_columns_of_the_file_of_its_set() -> None:
    pictures = RNG.random((9, 6 * 4))
    flat = load_file(
        files.npy(pictures), "x.npy", samples="rows", features="pixels", shape=(6, 4),
        order="column",
    )  # fmt: skip
    table = leave_out(load_file(csv(TABLE), "table.csv", roles={"b": "out"}), [2])
    for dataset in (flat, table):
        described = Described.read(describe(dataset))
        assert described.file_columns is not None
        assert [*described.file_columns] == [*(dataset.file_columns or ())]
        assert described.sample_numbers == dataset.sample_numbers
        ranks = np.arange(dataset.n_features)
        expected = feature_table(dataset, ranks, {})
        assert feature_table(described, ranks, {}).equals(expected)
        saved = Dataset(dataset.data, **described.words)
        assert file_address(saved, 1) == file_address(described, 1) == file_address(dataset, 1)
        assert sentences_of_steps(described) == sentences_of_steps(dataset)


def test_a_built_in_set_takes_grey_levels_of_their_files_and_values_of_0_to_1() -> None:
    digits = load("digits")
    same(read_like(files.npy(digits.data[:4]), digits, "new.npy"), digits, rows=slice(4))
    new = read_like(files.npy(np.full((2, 8, 8), 51, np.uint8)), digits, "new.npy")
    np.testing.assert_allclose(new.data, 0.2)
    motion = make_motion(n_frames=40)
    same(read_like(files.npy(motion.data[:3]), motion, "new.npy"), motion, rows=slice(3))
    with pytest.raises(DatasetError, match="values run from 0 to 9, and those of the set lie in"):
        read_like(files.npy(np.tile([0.0, 9.0], (2, 84))), motion, "new.npy")


def test_pictures_are_no_samples_of_a_table() -> None:
    dataset = load_file(csv(TABLE), "table.csv", scale="columns")
    with pytest.raises(
        DatasetError, match=r"new.png holds pictures, and a sample of the set has 4 "
    ):
        read_like(files.picture(np.zeros((4, 4), np.uint8)), dataset, "new.png")


def test_a_comma_of_two_readings_means_what_it_means_in_the_set() -> None:
    content = b'a,b\n"1,234",1\n"2,345",2\n"3,456",4\n'
    for meaning, low in (("thousands", 1234.0), ("decimal", 1.234)):
        dataset = load_file(content, "sales.csv", commas=meaning, scale="columns")
        assert dataset.steps.low[0] == low
        same(read_like(b'a,b\n"2,345",2\n', dataset, "new.csv"), dataset, rows=slice(1, 2))


def test_a_decimal_comma_of_the_set_is_one_in_a_new_file_of_two_readings() -> None:
    rows = [("1,25", "3,5"), ("2,5", "1,75"), ("3,125", "2,25"), ("1,234", "2,5")]
    lines = ["a\tb", *("\t".join(row) for row in rows)]
    dataset = load_file("\n".join(lines).encode(), "a.tsv", scale="columns")
    new = read_like(b"a\tb\n1,234\t2,125\n", dataset, "new.tsv")
    np.testing.assert_allclose(new.data[0, 0], dataset.data[3, 0], atol=1e-12)
    assert new.data.max() <= 1


def test_another_axis_is_refused_and_is_no_sample() -> None:
    spectra = np.random.default_rng(3).random((12, 9)).round(4)
    axis = [str(400 + 2 * step) for step in range(9)]
    dataset = load_file(csv(spectra, axis), "w.csv", header="axis", scale="stretch")
    same(read_like(csv(spectra, axis), dataset, "w.csv"), dataset)
    with pytest.raises(DatasetError):
        read_like(csv(spectra, [str(int(name) + 1) for name in axis]), dataset, "new.csv")


@pytest.mark.parametrize("shape", [(8, 8), (8, 6)])
def test_stacks_of_pictures_of_a_set_of_flat_ones_lie_upright(shape: tuple[int, int]) -> None:
    pictures = np.random.default_rng(6).integers(0, 256, (10, *shape)).astype(np.uint8)
    flat = np.array([picture.flatten("F") for picture in pictures])
    dataset = load_file(
        files.mat(fea=flat.astype(float)), "flat.mat", features="pixels", shape=shape,
        order="column", scale="255",
    )  # fmt: skip
    np.testing.assert_allclose(dataset.images, pictures / 255)
    same(read_like(files.npy(pictures), dataset, "stack.npy"), dataset)
    last = files.mat(imgs=np.moveaxis(pictures, 0, -1))
    same(read_like(last, dataset, "stack.mat"), dataset)


# -- flat pictures, units and commas of another file ----------------------------------------------


def face_pictures(count: int = 40) -> Any:
    images = resized(load("faces"), (12, 9)).images[:count]
    return np.rint(255 * images).astype(np.uint8)


def turned_flat(pictures: Any) -> Any:
    """Pictures as MATLAB stores them in rows: column by column."""
    return np.array([picture.flatten("F") for picture in pictures])


@pytest.mark.parametrize("count", [40, 1])
def test_flat_pictures_stored_down_columns_come_upright_into_a_set_of_stacks(count: int) -> None:
    pictures = face_pictures()
    dataset = load_file(files.npy(pictures), "stack.npy", samples="rows", features="pixels")
    flat = turned_flat(pictures[:count]).astype(float)
    new = read_like(files.mat(fea=flat), dataset, "fea.mat")
    same(new, dataset, rows=slice(count))
    assert new.sentences[0].startswith("Pixels of fea.mat run down columns: their mean")
    along_rows = pictures.reshape(40, -1)
    same(read_like(files.npy(along_rows), dataset, "fea.npy"), dataset)
    # Against the custom of the container, which the set itself shows to be wrong here.
    for content, name in ((files.npy(turned_flat(pictures)), "fea.npy"),
                          (files.mat(fea=along_rows.astype(float)), "fea.mat")):  # fmt: skip
        new = read_like(content, dataset, name)
        same(new, dataset)
        assert "their mean and that of the set correlate by 1.00 so" in new.sentences[0]


def test_flat_pictures_whose_order_nothing_tells_are_said_to_be_taken_so() -> None:
    pictures = np.random.default_rng(8).integers(0, 256, (30, 7, 7)).astype(np.uint8)
    dataset = load_file(files.npy(pictures), "stack.npy", samples="rows", features="pixels")
    others = np.random.default_rng(9).integers(0, 256, (30, 49)).astype(float)
    (sentence,) = read_like(files.mat(fea=others), dataset, "fea.mat").sentences
    assert sentence.startswith("Pixels of fea.mat are taken to run down columns, which its values ")


def test_pictures_that_look_turned_in_a_file_like_that_of_the_set_are_named() -> None:
    pictures = face_pictures()
    dataset = load_file(
        files.mat(fea=turned_flat(pictures).astype(float)), "fea.mat", features="pixels",
        shape=(12, 9), order="column", scale="255", samples="rows",
    )  # fmt: skip
    new = read_like(files.mat(fea=pictures.reshape(40, -1).astype(float)), dataset, "new.mat")
    assert "but these images look turned: along rows their mean" in new.sentences[0]


def test_grey_levels_of_0_to_1_are_brought_to_the_unit_of_a_set_of_bytes() -> None:
    pictures = face_pictures()
    stack = load_file(files.npy(pictures), "x.npy", samples="rows", features="pixels")
    flat = load_file(
        files.mat(fea=turned_flat(pictures).astype(float)), "fea.mat", features="pixels",
        shape=(12, 9), order="column", scale="255", samples="rows",
    )  # fmt: skip
    for dataset, content in (
        (stack, files.npy(pictures / 255)),
        (stack, files.npy((pictures / 255).astype(np.float32))),
        (flat, files.mat(fea=turned_flat(pictures) / 255)),
    ):
        new = read_like(content, dataset, "new")
        np.testing.assert_allclose(new.data, dataset.data, atol=1e-6)
        assert new.sentences[0].startswith("Values of 0 – 1 are multiplied by 255: all are whole")
    # Fractions that are no levels: not certain, so said and left.
    new = read_like(files.npy(pictures / 255 * 0.47), stack, "new.npy")
    assert "if they are in another unit, bring them in that of the set." in new.sentences[0]


def test_bytes_are_divided_for_a_set_of_0_to_1_and_other_levels_refused() -> None:
    pictures = face_pictures()
    dataset = load_file(files.npy(pictures / 255), "x.npy", samples="rows", features="pixels")
    for values in (pictures, pictures.astype(float), pictures.astype(np.int32), pictures[:1] // 4):
        new = read_like(files.npy(values), dataset, "new.npy")
        if values.dtype == np.uint8 or values.max() > 100:
            np.testing.assert_allclose(new.data, values.reshape(len(values), -1) / 255, atol=1e-12)
            assert "are divided by 255, as those of the set lie in 0 – 1." in new.sentences[0]
    for wrong in (pictures.astype(np.uint16) * 257, pictures.astype(float) / 4):
        with pytest.raises(DatasetError, match="divide them by the number that is white"):
            read_like(files.npy(wrong), dataset, "new.npy")


def test_values_of_another_unit_are_said() -> None:
    dataset = load_file(csv(TABLE), "table.csv", scale="stretch")
    new = read_like(csv(TABLE / 1000), dataset, "new.csv")
    assert new.sentences[0].startswith("Values run from −0.0")
    assert read_like(csv(TABLE[:1]), dataset, "new.csv").sentences == ()


def test_what_a_file_tells_of_its_commas_counts_before_the_set() -> None:
    german = b"a;b\n1,25;3,5\n2,5;1,75\n3,125;2,25\n1,234;2,5\n"
    dataset = load_file(german, "a.csv", scale="columns")
    new = read_like(b'a,b\n"1,234",2.25\n', dataset, "new.csv")
    assert new.sentences[0] == (
        "The comma in a groups thousands in this file. b has a point in 2.25."
    )
    assert new.data[0, 0] == pytest.approx((1234 - 1.234) / (3.125 - 1.234))
    points = load_file(b"a,b\n1.25,3.5\n2.5,1.75\n3.5,2.25\n1234,2.5\n", "b.csv", scale="columns")
    with pytest.raises(DatasetError, match="a holds numbers such as 1,234, whose comma may group"):
        read_like(b'a,b\n"1,234",2\n', points, "new.csv")
    with pytest.raises(DatasetError, match="A holds numbers such as 1,234, whose comma may group"):
        read_like(b'A,b\n"1,234",2\n', points, "new.csv")
    new = read_like(b'a,b\n"1,234,567",2\n"12,5",3\n', points, "new.csv")
    assert new.sentences[0] == "1 cell is no number, and missing: 12,5."


def test_notes_of_a_reading_that_was_not_taken_are_not_kept() -> None:
    values = RNG.normal(size=(40, 7))
    dataset = load_file(files.npz(X=values), "x.npz", samples="rows", features="columns")
    mask = np.zeros((7, 9), dtype=bool)
    mask[2, 1] = True
    new = read_like(files.npz(X=values[:9].T, mask=mask), dataset, "new.npz")
    assert sum("mask" in sentence for sentence in new.sentences) == 1
    assert len(new.data) == 8


def test_a_long_table_brought_wide_keeps_no_word_of_the_long_one() -> None:
    keys = [(sample, part) for sample in range(6) for part in "abcd"]
    readings = RNG.random(24).round(3).tolist()
    lines = [
        f"s{sample},{part},{value}" for (sample, part), value in zip(keys, readings, strict=True)
    ]
    content = "\n".join(["sample,part,value", *lines]).encode()
    dataset = load_file(content, "long.csv", pivot="sample × part", scale="stretch")
    same(read_like(content, dataset, "long.csv"), dataset)
    half = "\n".join(["sample,part,value", *lines[:12]]).encode()
    same(read_like(half, dataset, "half.csv"), dataset, rows=slice(3))
    names = dataset.feature_names or ()
    wide = csv(np.array(readings).reshape(6, 4), names)
    new = read_like(wide, dataset, "wide.csv")
    same(new, dataset)
    assert not any("one sample" in sentence for sentence in new.sentences)


def test_names_in_capitals_are_those_of_the_set_and_others_are_named() -> None:
    dataset = load_file(csv(TABLE), "table.csv", scale="columns")
    new = read_like(csv(TABLE[:3, ::-1], ["D", " C", "B ", "A"]), dataset, "new.csv")
    same(new, dataset, rows=slice(3))
    # As many rows as columns but one: the names of the columns are no feature.
    with pytest.raises(DatasetError, match=r"has 0 of the 4 features of the set by their names"):
        read_like(csv(TABLE[:3], "wxyz"), dataset, "new.csv")


def test_points_beside_a_set_with_decimal_commas_are_said() -> None:
    rows = [f"{number}.617;{number},5" for number in range(1, 9)]
    dataset = load_file("\n".join(["a;b", *rows]).encode(), "a.csv", scale="columns")
    new = read_like(b"a;b\n1.617;3\n", dataset, "new.csv")
    assert any("taken as decimal marks" in sentence for sentence in new.sentences)
    new = read_like(b"a;b\n1.617;3,5\n", dataset, "new.csv")
    assert not any("taken as decimal marks" in sentence for sentence in new.sentences)
