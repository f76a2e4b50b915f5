"""Cells to numbers: each rule with the nearest column that it must not touch."""

import numpy as np
import pytest

from cspca.datasets.files.cells import CellReading, read_cells


def read(*cells: str) -> CellReading:
    return read_cells(cells)


def filler(count: int) -> list[str]:
    return [f"{value}.5" for value in range(count)]


@pytest.mark.parametrize(
    "word",
    ["", "NA", "nan", "NULL", "None", "?", ".", "-", "ND", "n.d.", "BDL", "#N/A", "#DIV/0!",
     "<NA>", "<undefined>", " ", "#VALUE!"],
)  # fmt: skip
def test_words_for_missing(word: str) -> None:
    reading = read("1", word, "3")
    assert reading.kind == "number"
    np.testing.assert_array_equal(reading.values, [1, np.nan, 3])
    np.testing.assert_array_equal(reading.missing, [False, True, False])
    assert reading.text[1] == ""
    assert not reading.doubtful.any()


def test_a_minus_is_a_word_beside_a_plus_alone() -> None:
    assert read("+", "-", "-").missing.sum() == 0
    assert read("+5", "-", "-3").missing.tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["12.5%", "3%"], [12.5, 3]),
        (["−3", "4"], [-3, 4]),
        (["−3,5", "4"], [-3.5, 4]),
        (["TRUE", "false", "True"], [1, 0, 1]),
        (["1,234.50", "12"], [1234.5, 12]),
        (["1,234,567", "3"], [1234567, 3]),
        (["0,1234", "0,5"], [0.1234, 0.5]),
        (["12,5", "1e3"], [12.5, 1000]),
        (["1.234,50", "1.234"], [1234.5, 1234]),
        (["1.234.567", "5"], [1234567, 5]),
        (["1'234", "12"], [1234, 12]),
        (["1\u202f234,5", "12"], [1234.5, 12]),
        (["1e-5", ".5", "5.", "+2"], [1e-5, 0.5, 5, 2]),
        (["1,234", "5.5"], [1234, 5.5]),  # a point stands elsewhere
        (["1,234", "5678"], [1.234, 5678]),  # thousands stand elsewhere without a comma
        (["1,234", "0,234"], [1.234, 0.234]),  # no thousands begin with 0
        (["(1.234)", "5"], [-1.234, 5]),
        (["(1,234.50)", "1,000.00"], [-1234.5, 1000]),
        (["1.5D-03", "-0.25D+02", "3.0"], [0.0015, -25, 3]),
        (["1.5*^-3", "2."], [0.0015, 2]),
    ],
)
def test_numbers_in_the_spelling_of_spreadsheets(cells: list[str], values: list[float]) -> None:
    reading = read_cells(cells)
    assert reading.kind == "number"
    np.testing.assert_array_equal(reading.values, values)
    assert not reading.doubtful.any()


def test_a_comma_with_two_readings_is_left_open() -> None:
    reading = read("1,234", "5,678")
    assert (reading.kind, reading.comma) == ("unit", "either")
    assert reading.doubtful.all()
    assert read("1,234", "5,67").comma == "decimal"


def test_parentheses_beside_minus_signs_are_none() -> None:
    reading = read("(3)", "-4", "5")
    assert np.isnan(reading.values[0])
    assert not len(reading.losses)


def test_parentheses_alone_are_asked_about() -> None:
    reading = read("(1)", "(2)", "(3)")
    assert reading.kind == "unit"
    assert reading.doubtful.all()


def test_a_letter_without_a_point_before_it_is_no_exponent() -> None:
    assert read("12D5", "13D6").kind == "text"


@pytest.mark.parametrize("cells", [["007", "12"], ["00", "01"], ["01234", "2A"]])
def test_leading_zeros_are_codes(cells: list[str]) -> None:
    assert read_cells(cells).kind == "text"
    assert read("0", "12").kind == "number"
    assert read("0.5", "00").kind == "number"


def test_one_word_in_twenty_leaves_a_column_of_numbers_in_every_row() -> None:
    for row in (0, 10, 39):
        cells = filler(40)
        cells[row] = "broken"
        reading = read_cells(cells)
        assert reading.kind == "number"
        assert np.flatnonzero(reading.words).tolist() == [row]
        assert np.isnan(reading.values[row])
    assert read_cells([*filler(15), "broken", "lost", "spilt"]).kind == "text"


def test_one_word_that_stands_for_no_value_leaves_a_column_of_numbers() -> None:
    reading = read_cells([*filler(15), *["Undetermined"] * 6])
    assert reading.kind == "number"
    assert int(reading.doubtful.sum()) == 6
    # Of more words than numbers, or of whole numbers, the column may be one of words.
    assert read_cells([*filler(5), *["Undetermined"] * 6]).kind == "text"
    assert read_cells([*(str(number) for number in range(15)), *["other"] * 6]).kind == "text"


def test_censored_cells_keep_their_number_and_are_marked() -> None:
    reading = read_cells([*filler(60), "<0.5", "≥ 3"])
    assert reading.kind == "number"
    assert np.flatnonzero(reading.censored).tolist() == [60, 61]
    np.testing.assert_array_equal(reading.values[60:], [0.5, 3])
    assert read("<0.5", "1", "2").kind == "unit"
    assert read("~5", "1", "2").censored.sum() == 0


@pytest.mark.parametrize(
    ("cells", "unit"),
    [(["3.4 mg", "5 mg"], "mg"), (["$5", "$6.50"], "$"), (["5 cm-1", "6 cm-1"], "cm-1")],
)
def test_units(cells: list[str], unit: str) -> None:
    reading = read_cells(cells)
    assert (reading.kind, reading.unit) == ("unit", unit)
    assert reading.units.all()


def test_many_units_are_codes_and_so_are_probes() -> None:
    assert read("12A", "13B", "14C", "15D").kind == "text"
    assert read("1_s_at", "2_s_at").kind == "text"
    assert read("1_000", "2").kind == "text"  # only Python writes so


def test_percent_beside_plain_numbers_is_doubtful() -> None:
    assert read("10", "20%").kind == "unit"
    assert read("10", "20%").doubtful.tolist() == [False, True]


@pytest.mark.parametrize("word", ["inf", "-Infinity", "1e400"])
def test_numbers_without_an_end_are_words(word: str) -> None:
    reading = read_cells([*filler(30), word])
    assert reading.words.sum() == 1
    assert np.isnan(reading.values[-1])


@pytest.mark.parametrize(
    "cells",
    [
        ["2020-01-02", "2020-02-03T12:00:00Z"],
        ["31/12/2020", "01/02/2021"],
        ["12/31/2020", "02/01/2021"],
        ["12.03.2020", "1.4.21"],
        ["Mar 5, 2020", "April 7, 2021"],
        ["5. Mai 2020", "7 März 2021"],
        ["12-Mar-20", "1-Apr-20"],
        ["1999-10", "2000-01"],
    ],
)
def test_dates(cells: list[str]) -> None:
    assert read_cells(cells).kind == "date"


@pytest.mark.parametrize(
    "cells",
    [
        ["64-17-5", "7732-18-5", "50-00-0"],  # CAS numbers
        ["1.2.3", "1.4.5"],  # versions
        ["1999-00", "2000-13"],
        ["9876-11-05", "4321-12-06"],  # no years
        ["31/12/2020", "12/31/2020"],  # no one order fits
        ["Marcus 3", "Mary 4"],
    ],
)
def test_no_dates(cells: list[str]) -> None:
    assert read_cells(cells).kind == "text"


def test_times_of_day() -> None:
    assert read("12:30", "09:15:20", "7:05 pm").kind == "time"
    assert read("12:75", "29:15").kind == "text"


def test_equally_many_numbers_in_every_cell_are_a_block() -> None:
    row = " ".join(map(str, range(48)))
    reading = read(row, row.replace("7", "9"))
    assert (reading.kind, reading.block_width) == ("block", 48)
    assert read(str(list(range(12))), str(list(range(12)))).block_width == 12
    assert read(row, f"{row} 48").kind == "text"
    assert read("a b c d e f g h i j k", "a b c d e f g h i j k").kind == "text"


def test_no_cell_is_filled() -> None:
    assert read("", "NA").kind == "empty"
    assert read().kind == "empty"


def test_numbers_are_those_of_python() -> None:
    numbers = np.random.default_rng(0).normal(size=2000) * 10.0 ** np.arange(-100, 100, 0.1)
    reading = read_cells([repr(float(number)) for number in numbers])
    np.testing.assert_array_equal(reading.values, numbers)
