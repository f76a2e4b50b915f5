"""First rows, sides of samples, scales and long tables: each rule with its nearest trap."""

import numpy as np
import pytest

from cspca.datasets.files.table_form import (
    common_scale,
    first_row,
    long_table,
    samples_side,
)

Rows = list[list[str]]


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def written(values: np.ndarray, form: str = "{:.4f}") -> Rows:
    return [[form.format(value) for value in row] for row in values]


def spectra(n_rows: int = 40, n_points: int = 60) -> np.ndarray:
    numbers = rng()
    return numbers.gamma(4, 0.25, (n_rows, 3)) @ np.abs(numbers.normal(size=(3, n_points)))


def role(first: list[str], below: Rows) -> tuple[str, str]:
    reading = first_row([first, *below])
    assert reading.evidence.endswith(".")
    return reading.role, reading.confidence


AXIS = [str(value) for value in range(400, 1000, 10)]


@pytest.mark.parametrize(
    "first",
    [
        AXIS,
        AXIS[::-1],
        [f"{value:.2f}" for value in np.linspace(10, -0.5, 60)],
        ["", *AXIS],
        ["sample", *AXIS],
    ],
)
def test_even_steps_outside_what_stands_below_are_an_axis(first: list[str]) -> None:
    below = written(spectra())
    if len(first) > 60:
        below = [[f"s{number}", *row] for number, row in enumerate(below)]
    if first[0] == "10.00":
        below = written(1000 + spectra())
    assert role(first, below) == ("axis", "sure")


def test_steps_that_are_not_even_are_likely() -> None:
    first = [f"{value:.1f}" for value in 1e7 / np.linspace(4000, 10000, 60)]
    assert role(first, written(spectra())) == ("axis", "likely")


def test_points_picked_in_no_order_need_other_decimals() -> None:
    points = rng().permutation(np.linspace(500, 1800, 12))
    below = written(spectra(n_points=12))
    assert role([f"{value:.1f}" for value in points], below) == ("axis", "likely")
    assert role([f"{value:.4f}" for value in points], below) == ("axis", "ask")


def test_a_bright_first_sample_is_asked_about() -> None:
    values = spectra()
    values[0] *= 30
    rows = written(values)
    assert role(rows[0], rows[1:])[1] == "ask"


def test_an_axis_within_the_values_or_of_few_rows_is_not_sure() -> None:
    counts = written(rng().poisson(300, (40, 15)), "{:d}")
    assert role([str(value) for value in range(280, 310, 2)], counts) == ("axis", "ask")
    assert role(AXIS, written(spectra(3)))[1] != "sure"
    assert first_row([AXIS, AXIS]).confidence == "ask"


def test_many_even_steps_are_an_axis_within_the_values_too() -> None:
    counts = written(rng().poisson(300, (40, 60)), "{:d}")
    assert role([str(value) for value in range(250, 370, 2)], counts) == ("axis", "sure")
    assert role(["300"] * 60, counts)[0] == "sample"


def test_rows_that_run_one_way_as_well_are_samples() -> None:
    ramps = np.outer(range(1, 41), np.arange(1, 61))
    ramps[0] *= 50
    rows = written(ramps, "{:d}")
    assert role(rows[0], rows[1:]) == ("sample", "ask")


def test_the_first_sample_lies_among_the_others() -> None:
    rows = written(spectra())
    assert role(rows[0], rows[1:]) == ("sample", "sure")
    assert role(["NA", "?", *rows[0][2:]], rows[1:])[0] == "sample"


FEW = [[str(value) for value in range(400, 400 + 50 * count, 50)] for count in range(4, 8)]


def few_counts(n_columns: int, n_rows: int = 20) -> Rows:
    return written(rng().integers(0, 900, (n_rows, n_columns)), "{:d}")


@pytest.mark.parametrize("first", FEW)
def test_few_even_numbers_among_the_values_are_no_sure_sample(first: list[str]) -> None:
    below = few_counts(len(first))
    keyed = [[f"S{number}", *row, "xy"[number % 2]] for number, row in enumerate(below)]
    assert role(["id", *first, "cls"], keyed) == ("names", "likely")
    assert role(["", *first, ""], keyed) == ("names", "likely")
    assert role(["tube", *first, "cls"], keyed) == ("names", "likely")
    assert role(first, below) == ("names", "ask")
    # A first sample whose steps happen to be even has a class that comes again.
    assert role(["S20", *first, "x"], keyed) == ("sample", "sure")


def test_few_numbers_in_no_order_are_names_beside_the_name_of_a_column() -> None:
    below = few_counts(4)
    first = ["400", "650", "500", "550"]
    keyed = [[f"S{number}", *row, "xy"[number % 2]] for number, row in enumerate(below)]
    assert role(["sample_id", *first, "cls"], keyed) == ("names", "likely")
    assert role(["sample_id", *first, "x"], keyed) == ("names", "ask")
    assert role(["S20", *first, "cls"], keyed) == ("names", "ask")
    assert role(["S20", *first, "x"], keyed) == ("sample", "sure")
    assert role(first, below) == ("sample", "sure")


def test_years_over_values_far_from_them_are_no_sample() -> None:
    below = written(rng().uniform(4, 6, (20, 4)), "{:.1f}")
    lands = [[f"land {number}", *row] for number, row in enumerate(below)]
    years = ["2000", "2001", "2002", "2003"]
    assert role(["country", *years], lands) == ("names", "likely")
    assert role(["", *years], lands) == ("names", "likely")
    assert role(["land 20", *years], lands) == ("names", "ask")
    assert role(years, below) == ("names", "ask")
    assert role(["2000", "2010", "2013"], below) == ("names", "ask")


def test_words_over_numbers_are_names() -> None:
    below = [[*row, "ab"[number % 2]] for number, row in enumerate(written(spectra(n_points=3)))]
    assert role(["flow", "heat", "mass", "kind"], below) == ("names", "sure")
    assert role(["NA", "n.d.", "0.5", "a"], below)[0] == "sample"  # missing words are none


def test_equal_values_told_apart_by_a_program_are_a_sample() -> None:
    below = written(rng().integers(0, 90, (40, 8)), "{:d}")
    first = ["0", "71", "71.1", "71.2", "3", "3.1", "0.1", "5"]
    assert role(first, below) == ("sample", "likely")


def test_a_counter_over_other_values_is_names() -> None:
    counter = [str(number) for number in range(60)]
    assert role(counter, written(spectra())) == ("names", "sure")
    same = [counter] * 20
    assert role(counter, same)[1] == "ask"


def test_tables_of_words() -> None:
    numbers = rng()
    below = [[str(word) for word in numbers.choice(list("abc"), 4)] for _ in range(30)]
    assert role(["size", "form", "taste", "class"], below) == ("names", "sure")
    assert role(["a", "b", "c", "a"], below) == ("sample", "sure")


def test_decimal_commas_and_short_rows() -> None:
    below = [[cell.replace(".", ",") for cell in row] for row in written(spectra())]
    below[4] = below[4][:30]
    assert role(AXIS, below) == ("axis", "sure")


# The side of the samples


def genes(n_genes: int = 300, n_samples: int = 12) -> np.ndarray:
    numbers = rng()
    levels = numbers.gamma(0.5, 200, n_genes)
    return numbers.poisson(levels[:, None] * numbers.uniform(0.7, 1.4, n_samples)).astype(float)


def side(keys: list[str] | None, key: str, values: np.ndarray, heads: list[str]) -> tuple[str, str]:
    columns = list(values.T)
    if keys is not None:
        columns, heads = [np.array(keys, dtype=object), *columns], [key, *heads]
    reading = samples_side(columns, heads)
    assert reading.evidence.endswith(".")
    return reading.side, reading.confidence


ENSEMBL = [f"ENSG{number:011d}" for number in range(300)]
SAMPLES = [f"S{number}" for number in range(12)]
PLAIN = [f"w{chr(97 + number)}" for number in range(12)]


def test_samples_lie_in_columns_by_two_marks_at_least() -> None:
    assert side(ENSEMBL, "Geneid", genes(), SAMPLES) == ("columns", "sure")
    assert side(ENSEMBL, "word", genes(), PLAIN) == ("columns", "likely")  # keys and levels
    assert side([f"cpd {i}" for i in range(300)], "word", genes(), SAMPLES) == ("columns", "ask")


def test_a_table_turned_has_samples_in_rows() -> None:
    samples = [f"S{number}" for number in range(12)]
    assert side(samples, "sample", genes().T, ENSEMBL) == ("rows", "sure")


def test_without_names_that_tell_the_side_is_asked() -> None:
    assert side(None, "", genes(), [str(number) for number in range(12)])[1] == "ask"


def test_columns_of_unlike_levels_are_likely_features() -> None:
    values = rng().normal(size=(80, 5)) * 0.1 + np.array([1, 10, 100, 1000, 5])
    assert side(None, "", values, ["flow", "heat", "mass", "rate", "age"]) == ("rows", "likely")


# Long tables


def test_two_keys_that_number_the_rows_once() -> None:
    epoch, time = np.repeat(np.arange(20.0), 75), np.tile(np.arange(75) * 0.004 - 0.1, 20)
    signal = rng().normal(size=1500)
    table = long_table([time, epoch, signal, signal**2], ["time", "epoch", "Fz", "Cz"])
    assert table is not None
    assert table.keys == ("time", "epoch")
    words = np.array([f"s{i}" for i in range(60)], dtype=object)
    sample, gene = np.tile(words, 30), np.repeat(np.arange(30.0), 60)
    melted = long_table([sample, gene, rng().normal(size=1800)], ["sample", "gene", "value"])
    assert melted is not None
    assert melted.keys == ("sample", "gene")


def test_tables_that_are_not_long() -> None:
    epoch, time = np.repeat(np.arange(20.0), 75), np.tile(np.arange(75.0), 20)
    missing = epoch.copy()
    missing[4] = np.nan
    signal = rng().normal(size=1500)
    assert long_table([time, missing, signal], ["time", "epoch", "Fz"]) is None
    assert long_table([missing, time, signal], ["epoch", "time", "Fz"]) is None
    twice = time.copy()
    twice[0] = twice[1]
    assert long_table([twice, epoch, signal], ["time", "epoch", "Fz"]) is None
    assert long_table([time, epoch, signal], ["x", "y", "Fz"]) is None  # a map
    assert long_table([np.arange(4.0) % 2, np.arange(4.0) // 2], ["a", "b"]) is None
    assert long_table([], []) is None


# The scale

NAMES = list("abcdefghijkl")


def test_ranges_that_are_alike_share_a_scale() -> None:
    scale = common_scale(rng().normal(size=(100, 12)), NAMES)
    assert (scale.rule, scale.confidence) == ("common", "sure")


def test_one_mistyped_cell_changes_nothing() -> None:
    values = rng().normal(size=(100, 12))
    values[3, 4] *= 1e4
    assert common_scale(values, NAMES).rule == "common"
    assert common_scale(values, NAMES).confidence == "sure"


def test_one_column_that_hardly_varies_is_named_and_asked_about() -> None:
    values = rng().normal(size=(100, 12))
    values[:, 2] *= 1e-3
    scale = common_scale(values, NAMES)
    assert (scale.rule, scale.confidence, scale.columns) == ("common", "ask", ("c",))
    assert "c" in scale.evidence


def test_widths_that_differ_get_their_own_scale_unless_they_are_a_series() -> None:
    values = rng().normal(size=(100, 12)) * 10.0 ** np.linspace(0, 4, 12)
    own = common_scale(values, NAMES)
    assert (own.rule, own.confidence, own.columns) == ("own", "likely", ("a", "l"))
    series = common_scale(values, [f"{number}nm" for number in range(400, 412)])
    assert (series.rule, series.confidence) == ("common", "sure")


def test_names_that_only_count_the_columns_tell_no_unit() -> None:
    values = rng().normal(size=(100, 12)) * 10.0 ** np.linspace(0, 4, 12)
    assert common_scale(values, [f"V{number}" for number in range(1, 13)]).rule == "own"
    own = common_scale(values, None)
    assert (own.rule, own.columns) == ("own", ("column 1", "column 12"))


def test_ranges_that_run_along_an_axis_share_a_scale() -> None:
    bands = 10.0 ** (2 * np.sin(np.arange(120) / 6))
    values = rng().normal(size=(50, 120)) * bands
    scale = common_scale(values, None)
    assert (scale.rule, scale.confidence) == ("common", "likely")
    shuffled = values[:, rng().permutation(120)]
    assert common_scale(shuffled, None).rule == "own"


def test_ranges_near_the_largest_number_do_not_overflow() -> None:
    values = rng().uniform(-1, 1, (100, 3)) * [1e308, 1e308, 1e300]
    assert common_scale(values, None).rule == "own"


def test_missing_cells_and_constant_columns_have_no_range() -> None:
    values = rng().normal(size=(100, 12))
    values[rng().random(values.shape) < 0.2] = np.nan
    values[:, 0], values[:, 1] = 5, np.nan
    assert common_scale(values, NAMES).rule == "common"
    assert common_scale(np.zeros((0, 12)), NAMES).rule == "common"


def test_robust_ranges_are_those_of_numpy() -> None:
    values = rng().normal(size=(57, 2)) * [1.0, 40.0]
    values[4, 0] = np.nan
    low, high = np.nanpercentile(values, 5, axis=0), np.nanpercentile(values, 95, axis=0)
    ratio = float((high - low).max() / (high - low).min())
    assert f"{ratio:.3g} times" in common_scale(values, ["a", "b"]).evidence
