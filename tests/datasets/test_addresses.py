"""Where in its file a feature is: the columns that exports name hold its raw values."""

from typing import Any

import numpy as np
import pytest

from cspca.datasets import Answers, Dataset, load, load_file, read_file, resized, standardised
from cspca.datasets.addresses import file_address
from cspca.experiments import read_scores
from cspca.experiments.exports import feature_table
from tests.datasets import files

pytestmark = pytest.mark.usefixtures("at_home")

RNG = np.random.default_rng(11)
TABLE = RNG.integers(0, 1000, (30, 6)).astype(float)


def same_but_for_scale(values: Any, raw: Any) -> None:
    """Each column is the raw one, up to the one scale of all."""
    values, raw = np.asarray(values, dtype=float), np.asarray(raw, dtype=float)
    low, high = raw.min(), raw.max()
    spread = values.max() - values.min()
    np.testing.assert_allclose(
        (values - values.min()) / spread, (raw - low) / (high - low), atol=1e-9
    )


def columns_of(dataset: Dataset) -> np.ndarray:
    """Column of the file of each feature, from 0, as an export says it."""
    table = feature_table(dataset, np.arange(dataset.n_features) + 1, {})
    assert (table["file_column_from_1"] == table["file_column_from_0"] + 1).all()
    columns: np.ndarray = table["file_column_from_0"].to_numpy()
    return columns


def test_columns_of_a_table_are_numbered_with_those_that_are_no_features() -> None:
    content = files.csv(np.column_stack([np.arange(30) % 3, TABLE]), ["class", *"abcdef"])
    dataset = load_file(
        content,
        "table.csv",
        roles={"class": "class", "c": "out"},
        scale="stretch",
    )
    columns = columns_of(dataset)
    assert columns.tolist() == [1, 2, 4, 5, 6]
    same_but_for_scale(dataset.data, TABLE[:, columns - 1])
    assert file_address(dataset, 2) == "column 5 of the file"
    assert file_address(standardised(dataset), 2) == "column 5 of the file"


@pytest.mark.parametrize("order", ["row", "column"])
def test_pixels_are_numbered_as_in_the_array(order: str) -> None:
    fea = RNG.integers(0, 256, (20, 12 * 8)).astype(float)
    fea[0, :2] = 0, 255
    dataset = load_file(
        files.npz(fea=fea), "faces.npz", features="pixels", shape=(12, 8), order=order, scale="255"
    )
    same_but_for_scale(dataset.data, fea[:, columns_of(dataset)])
    place = 1 if order == "row" else 12
    assert file_address(dataset, 1) == f"column {place + 1} of fea"


def test_columns_that_are_left_out_for_missing_values_shift_no_number() -> None:
    X = TABLE.copy()
    X[4, 1] = np.nan
    dataset = load_file(
        files.npz(X=X), "x.npz", features="columns", samples="rows", missing="columns",
        scale="stretch",
    )  # fmt: skip
    assert columns_of(dataset).tolist() == [0, 2, 3, 4, 5]


def test_features_of_samples_in_columns_are_rows() -> None:
    dataset = load_file(
        files.npz(X=TABLE.T), "x.npz", samples="columns", features="columns", scale="stretch"
    )
    table = feature_table(dataset, np.arange(6) + 1, {})
    assert table["file_row_from_1"].tolist() == [1, 2, 3, 4, 5, 6]
    assert file_address(dataset, 3) == "row 4 of X"


@pytest.mark.parametrize("above", [[], ["made by a program", "on a day"]], ids=["plain", "above"])
def test_features_in_rows_of_a_table_are_lines_of_the_file(above: list[str]) -> None:
    genes = [f"gene {letter}" for letter in "abcdef"]
    rows = [
        ",".join([gene, *map(str, column)]) for gene, column in zip(genes, TABLE.T, strict=True)
    ]
    lines = [*above, ",".join(["gene", *(f"s{number}" for number in range(30))]), *rows]
    content = "\n".join(lines).encode()
    dataset = load_file(content, "genes.csv", samples="columns", scale="stretch")
    assert dataset.data.shape == (30, 6)
    for feature, name in enumerate(dataset.feature_names or ()):
        row = feature_table(dataset, np.arange(6) + 1, {})["file_row_from_1"][feature]
        assert lines[row - 1].startswith(f"{name},")
        assert file_address(dataset, feature) == f"row {row} of the file"
    few = load_file(
        content, "genes.csv", samples="columns", scale="stretch", roles={"gene b": "out"}
    )
    assert [*(few.file_columns or ())] == [len(above) + line for line in (1, 3, 4, 5, 6)]
    ranking = "\n".join(f"{number},{number * 1.5}" for number in range(1, 7))
    assert read_scores(f"feature,score\n{ranking}\n".encode(), dataset, "r.csv") == [
        1.5, 3.0, 4.5, 6.0, 7.5, 9.0,
    ]  # fmt: skip


def test_blank_lines_between_features_leave_no_line_rather_than_a_wrong_one() -> None:
    rows = [",".join([gene, *map(str, row)]) for gene, row in zip("abcdef", TABLE.T, strict=True)]
    head = ",".join(["gene", *(f"s{number}" for number in range(30))])
    content = "\n".join([head, *rows[:3], "", *rows[3:]]).encode()
    dataset = load_file(content, "genes.csv", samples="columns", scale="stretch")
    assert dataset.file_columns is None


def test_a_resized_pixel_names_those_it_is_made_of() -> None:
    digits = load("digits")
    assert file_address(digits, 3) == ""
    small = resized(digits, (4, 4))
    assert (
        file_address(small, 5)
        == "the mean of rows 3-4, columns 3-4 of each image before it was resized"
    )
    twice = resized(small, (2, 4))
    assert (
        file_address(twice, 4)
        == "the mean of rows 5-8, columns 1-2 of each image before it was resized"
    )
    values = digits.images[:, 2:4, 2:4].mean(axis=(1, 2))
    np.testing.assert_allclose(small.data[:, 5], values)
    wide = resized(digits, (4, 8), fit="crop")
    rows = file_address(wide, 0)
    assert rows == "the mean of row 3, column 1 of each image before it was resized"
    assert feature_table(wide, np.arange(32) + 1, {})["in_file"][0] == rows


def test_joined_rows_of_a_long_table_have_no_column() -> None:
    rows = [(s, g, TABLE[s, g]) for s in range(10) for g in range(6)]
    content = files.csv(rows, ["sample", "gene", "value"])
    dataset = load_file(content, "long.csv", pivot="sample × gene", scale="stretch")
    assert dataset.n_features == 6
    assert dataset.file_columns is None
    assert file_address(dataset, 0) == ""


@pytest.mark.parametrize("samples", ["rows", "columns", "places"])
def test_features_of_a_stack_are_no_columns(samples: str) -> None:
    cube = RNG.random((12, 5, 7))
    reading = read_file(files.npz(cube=cube), "cube.npz")
    values = [answer.value for answer in reading.questions["samples"].answers]
    if samples not in values:
        pytest.skip(f"The stack is not offered as {samples}.")
    dataset = read_file(files.npz(cube=cube), "cube.npz", Answers.of(samples=samples)).proposed
    assert dataset is None or dataset.file_columns is None
