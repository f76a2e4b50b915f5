"""What is measured of columns, and what their names declare together."""

from collections.abc import Iterable

import numpy as np
import pytest

from cspca.datasets.files.columns import ColumnFacts, column_facts
from cspca.datasets.files.feature_names import (
    NamedAxes,
    NamedAxis,
    NamedJoints,
    NamedPixels,
    layout_of,
    only_count_columns,
    series_of,
)


def facts_of(values: Iterable[object], name: str = "a") -> ColumnFacts:
    cells = list(values)
    if any(isinstance(cell, str) for cell in cells):
        column = np.array(cells, dtype=object)
    else:
        column = np.array(cells, dtype=np.float64)
    return column_facts([column], [name])[0][0]


def test_codes_without_gaps() -> None:
    assert facts_of([0, 1, 2, 1, 0]).dense
    assert facts_of([-1, 1, 1, -1]).dense
    assert not facts_of([0, 1, 9, 1, 0]).dense
    assert not facts_of([5, 6, 7, 6]).dense  # no codes begin at 5
    assert not facts_of([0, 0.5, 1]).dense


def test_what_rises_and_what_counts() -> None:
    assert facts_of([0, 1, 2, 3, 4]).counter
    assert facts_of([1, 2, np.nan, 4, 5, 6]).counter
    assert not facts_of([2, 3, 4, 5, 6]).counter
    assert not facts_of([0, 1, 2, 3, 4] + [np.nan] * 9).counter  # most are missing
    assert not facts_of([0, 1, 2, 4, 5, 6]).counter
    assert facts_of([1, 1, 2, np.nan, 2, 9]).rises
    assert not facts_of([1, 3, np.nan, 2, 9]).rises
    assert not facts_of([4, 4, 4]).rises


def test_counts_of_values_with_missing_cells() -> None:
    facts = facts_of([3, 3, np.nan, 3, 7, np.nan, 9, 9])
    assert (facts.n_filled, facts.n_distinct, facts.low, facts.high) == (6, 3, 3, 9)
    assert facts.rarest_share == pytest.approx(1 / 6)
    assert facts_of([np.nan] * 4).kind == "empty"


def test_a_block_measures_as_each_column_alone() -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 6, (40, 50)) / rng.choice([1, 2], 50)
    values[rng.random(values.shape) < 0.2] = np.nan
    columns = list(values.T)
    together, _ = column_facts(columns, [""] * 50)
    assert together == [column_facts([column], [""])[0][0] for column in columns]
    for facts, column in zip(together, columns, strict=True):
        kinds, counts = np.unique(column[np.isfinite(column)], return_counts=True)
        assert facts.n_distinct == len(kinds)
        assert facts.rarest_share == pytest.approx(counts.min() / counts.sum())


def test_text_that_holds_numbers_is_measured_as_numbers() -> None:
    facts = facts_of(["1", "2", "<3", *"123456789" * 3])
    assert (facts.kind, facts.n_words, facts.examples) == ("number", 1, ("<3",))
    codes = ["1", "2", "3A", *map(str, range(10, 40))]
    assert facts_of(codes, "sample_id").kind == "text"  # a name with a letter is no bad number
    assert facts_of(codes, "dose").kind == "number"


def numbered(form: str, numbers: Iterable[object]) -> list[str]:
    return [form.format(number) for number in numbers]


def test_series_of_names() -> None:
    (series,) = series_of(["id", *numbered("{}nm", range(400, 410)), "y"])
    assert (series.stem, series.unit, series.places) == ("", "nm", tuple(range(1, 11)))
    assert series.is_clear
    assert not series_of(["x1", "x2", "x3", "y"])
    assert len(series_of([*numbered("a{}", range(4)), *numbered("b{}", range(4))])) == 2
    assert series_of([f"r{row}c{column}" for row in range(3) for column in range(3)])


def test_names_that_only_count_columns() -> None:
    assert only_count_columns(numbered("V{}", range(1, 6)))
    assert only_count_columns(numbered("column {}", range(5)))
    assert not only_count_columns(numbered("X{}", range(400, 406)))
    assert not only_count_columns(numbered("gene{}", range(1, 6)))
    assert not only_count_columns([*numbered("V{}", range(1, 6)), "class"])


@pytest.mark.parametrize(
    ("names", "first", "unit", "prefix"),
    [
        (numbered("X{:g}", np.arange(400, 450, 2.5)), 400, "", "X"),
        (numbered("X{}", range(400, 440)), 400, "", "X"),
        (numbered("{}nm", range(380, 781)), 380, "nm", ""),
        (numbered("wl_{}", range(400, 500, 10)), 400, "", "wl_"),
        (numbered("mz{}", range(50, 150)), 50, "", "mz"),
        (numbered("spc.{}", range(400, 500)), 400, "", "spc."),
        (numbered("NIR.{} nm", range(1100, 1200)), 1100, "nm", "NIR."),
        (numbered("{}s", range(1, 20)), 1, "s", ""),  # a unit declares a counter too
        (numbered("{}", range(900, 400, -2)), 900, "", ""),
        (numbered("{:.2f}", np.linspace(10, -0.5, 60)), 10, "", ""),
        (["_1000", "_1000_5", "_1001", "_1001_5", "_1002", "_1002_5", "_1003", "_1003_5"],
         1000, "", "_"),
    ],
)  # fmt: skip
def test_an_axis_in_the_names(names: list[str], first: float, unit: str, prefix: str) -> None:
    axis = layout_of(names)
    assert isinstance(axis, NamedAxis)
    assert (axis.values[0], axis.unit, axis.prefix) == (first, unit, prefix)
    assert axis.ordered
    assert axis.confidence == "sure"
    assert names[0] in axis.evidence


def test_half_steps_of_stata() -> None:
    names = [f"_{v:.1f}".replace(".", "_").removesuffix("_0") for v in np.arange(1000, 1010, 0.5)]
    axis = layout_of(names)
    assert isinstance(axis, NamedAxis)
    np.testing.assert_array_equal(axis.values, np.arange(1000, 1010, 0.5))


def test_points_picked_in_no_order_are_an_axis_that_is_said() -> None:
    axis = layout_of(["812.5", "640.2", "1201.7", "903.3", "533.1", "1004.9", "777.7", "699.9"])
    assert isinstance(axis, NamedAxis)
    assert (axis.ordered, axis.confidence) == (False, "likely")


@pytest.mark.parametrize(
    "names",
    [
        numbered("gene{}", range(50)),
        numbered("GENE{}", range(10, 50)),
        numbered("PC{}", range(1, 50)),
        numbered("V{}", range(1, 50)),
        numbered("{}", range(50)),
        numbered("X{}", range(2, 50)),  # the first left out
        ["CD3", "CD4", "CD8", "CD19", "CD45", "CD56", "CD90", "CD99"],
        ["P53", "P21", "P16", "P27"],
        ["0", "71", "71.1", "71.2", "90", "95"],  # repeated values of a first sample
        ["10_3", "25_17", "31_90", "47_2", "58_1", "63_40", "70_8", "81_5"],  # no decimals
        ["HMDB0001", "HMDB0063", "HMDB0517", "HMDB0883"],
        ["age", "height", "weight", "pulse"],
        ["400", "410", "420"],  # too few
    ],
)
def test_counters_and_genes_declare_nothing(names: list[str]) -> None:
    assert layout_of(names) is None


def test_two_axes() -> None:
    names = [f"{first}_{second}" for first in (250, 260, 270) for second in range(300, 400, 10)]
    axes = layout_of(names)
    assert isinstance(axes, NamedAxes)
    assert (axes.first[0], axes.second[0], axes.first[-1], axes.second[-1]) == (250, 300, 270, 390)
    part = layout_of([name for name in names if name != "250_300"])
    assert isinstance(part, NamedAxes)
    assert part.confidence == "likely"


@pytest.mark.parametrize("form", ["r{}c{}", "row{}_col{}", "pixel_{}_{}", "px{}_{}", "{}x{}"])
@pytest.mark.parametrize("start", [0, 1])
def test_pixels_by_row_and_column(form: str, start: int) -> None:
    names = [form.format(r, c) for r in range(start, start + 5) for c in range(start, start + 4)]
    pixels = layout_of(names)
    assert isinstance(pixels, NamedPixels)
    assert pixels.shape == (5, 4)
    assert pixels.rows is not None
    assert pixels.columns is not None
    np.testing.assert_array_equal(pixels.rows * 4 + pixels.columns, np.arange(20))
    assert layout_of(names[:-1]) is None  # no rectangle


def test_pixels_by_number_have_no_shape() -> None:
    pixels = layout_of(numbered("pixel{}", range(784)))
    assert isinstance(pixels, NamedPixels)
    assert pixels.shape is None


JOINTS = ("head", "neck", "hand", "foot", "hip")


@pytest.mark.parametrize("form", ["{}_{}", "{}.{}", "{}{}"])
def test_joints_in_either_order(form: str) -> None:
    by_joint = [form.format(joint, axis) for joint in JOINTS for axis in "xyz"]
    by_axis = [form.format(joint, axis.upper()) for axis in "xyz" for joint in JOINTS]
    for names, steps in ((by_joint, (3, 1)), (by_axis, (1, 5))):
        joints = layout_of(names)
        assert isinstance(joints, NamedJoints)
        assert (joints.joints, joints.coordinates) == (JOINTS, "xyz")
        expected = np.arange(5)[:, None] * steps[0] + np.arange(3) * steps[1]
        np.testing.assert_array_equal(joints.places, expected)


def test_numbered_landmarks_are_joints_and_sensors_are_not() -> None:
    landmarks = layout_of([f"{axis}{number}" for number in range(33) for axis in "xyz"])
    assert isinstance(landmarks, NamedJoints)
    assert (
        layout_of([f"{name}_{axis}" for name in ("acc", "gyro", "mag") for axis in "xyz"]) is None
    )
    assert layout_of(["map_x", "map_y", "heat_x", "heat_y"]) is None  # two points
