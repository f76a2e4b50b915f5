"""Tables of text: separators, headers, which column is what, a sentence for every broken one."""

import gzip
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cspca.datasets import (
    NONE,
    Dataset,
    DatasetError,
    UndecidedError,
    load_file,
    make_faces,
    resized,
)
from cspca.datasets.files import column_roles, foreign, table_form
from cspca.datasets.files.columns import column_facts
from cspca.datasets.files.containers import layout, table
from cspca.datasets.files.containers.data_files import table_of_text
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Parsed
from cspca.datasets.files.questions import table_samples
from cspca.datasets.files.reading import Reading, read_columns
from cspca.datasets.leaving import leave_out
from cspca.experiments.records import describe
from tests.datasets import files
from tests.datasets.here import read_here

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def faces() -> Dataset:
    return make_faces(10, 12, 16)


def with_labels(data: Dataset, first: bool = False) -> np.ndarray:
    assert data.target is not None
    columns = [data.target[:, None], data.data] if first else [data.data, data.target[:, None]]
    return np.hstack(columns)


def text(content: str) -> bytes:
    return content.encode()


def csv_of(frame: pd.DataFrame, **options: Any) -> bytes:
    content: str = frame.to_csv(index=False, **options)
    return content.encode()


def read(content: bytes | str, name: str = "a.csv", **answers: Any) -> Reading:
    return read_here(content.encode() if isinstance(content, str) else content, name, **answers)


def data_of(content: bytes | str, name: str = "a.csv", **answers: Any) -> Dataset:
    return read(content, name, **answers).dataset


def parsed(content: bytes | str, name: str = "a.csv") -> Parsed:
    return table.parse(content.encode() if isinstance(content, str) else content, Watch(name))


# How a table is written


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " "])
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("header", [False, True])
def test_faces_come_back_from_csv(
    faces: Dataset, separator: str, first: bool, header: bool
) -> None:
    names = [f"pixel{i}" for i in range(256)]
    names = ["label", *names] if first else [*names, "label"]
    rows = [[repr(float(cell)) for cell in row] for row in with_labels(faces, first)]
    content = files.csv(rows, names if header else None, separator)
    reading = read(content, "faces.csv")
    back = reading.proposed
    assert back is not None
    np.testing.assert_array_equal(back.data, faces.data)
    np.testing.assert_array_equal(back.target, faces.target)
    assert back.image_shape == (16, 16)
    assert set(reading.open_questions) <= {"features", "shape"}


def test_words_quotes_and_what_spreadsheets_write() -> None:
    kinds = ("b", 'Iris ""a""')
    rows = "".join(f'{i},"{i}.5",{i * 2},"{kinds[i % 2]}"\r\n' for i in range(1, 13))
    reading = read('\ufeff"id","petal, mm","sepal","species"\r\n' + rows, "iris.csv")
    data = reading.dataset
    assert data.target_names == ('Iris "a"', "b")
    assert data.target is not None
    assert data.target.tolist() == [0, 1] * 6
    assert data.image_shape is None
    assert data.feature_names == ("petal, mm", "sepal")
    assert data.file_columns == (1, 2)
    assert "Classes are from column species." in data.recognised
    assert "id is left out of the features." in data.recognised


def test_decimal_commas() -> None:
    content = "a;b;c\n0,5;1,0;x\n0,25;0,75;y\n0,0;0,125;x\n"
    data = data_of(content, classes_from="c")
    np.testing.assert_array_equal(data.data, [[0.5, 1], [0.25, 0.75], [0, 0.125]])
    quoted = 'a,b\n"0,5","1,0"\n"0,25","0,75"\n"0,0","0,125"\n'
    np.testing.assert_array_equal(data_of(quoted).data, data.data)


@pytest.mark.parametrize("coding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_codings(coding: str) -> None:
    rows = "".join(f"0.{i}5,{i % 3},{'Zoë' if i % 2 else 'Ann'}\n" for i in range(12))
    data = data_of(f"größe,b,species\n{rows}".encode(coding))
    assert data.target_names == ("Ann", "Zoë")
    assert data.feature_names == ("größe", "b")


def test_the_columns_of_a_wide_table_are_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    n_measured: list[int] = []

    def counted(columns: Any, names: Any) -> Any:
        n_measured.append(len(columns))
        return column_facts(columns, names)

    for module in (table_samples, table_form, column_roles):
        monkeypatch.setattr(module, "column_facts", counted)
    values = np.random.default_rng(0).lognormal(size=(20, 300)).round(4)
    names = [f"{stem}{number}" for stem in ("BRCA", "TP") for number in range(150)]
    read_here(files.csv(values, names), "genes.csv", scale="stretch")
    assert [count for count in n_measured if count > 1] == [300]


def amounts(*columns: list[str], separator: str = ",") -> bytes:
    rows = [["north", "south", "west"][: len(columns)], *zip(*columns, strict=True)]
    quoted = [[f'"{cell}"' for cell in row] for row in rows]
    return files.csv(quoted, separator=separator)


EITHER = [f"{1 + row % 9},{100 + 7 * row}" for row in range(60)]


@pytest.mark.parametrize("separator", [",", "\t"])
def test_a_comma_of_two_readings_is_asked_about(separator: str) -> None:
    content = amounts(EITHER, EITHER[::-1], separator=separator)
    reading = read_here(content, "a.csv")
    question = reading.questions["commas"]
    assert question.is_open
    assert [answer.value for answer in question.answers] == ["thousands", "decimal"]
    assert question.answers[1].example == "1,100 is 1.1"
    assert "roles" not in reading.open_questions
    texts = np.array([EITHER, EITHER[::-1]]).T
    for meaning, mark in (("thousands", ""), ("decimal", ".")):
        data = read_here(content, "a.csv", commas=meaning, scale="stretch").dataset
        values = np.char.replace(texts, ",", mark).astype(float)
        expected = (values - values.min()) / np.ptp(values)
        np.testing.assert_allclose(data.data, expected, atol=1e-9)


@pytest.mark.parametrize(
    ("beside", "meaning", "why"),
    [
        ("12,345,678", "thousands", "south holds 12,345,678"),
        ("0,5", "decimal", "south holds 0,5"),
        ("0.5", "thousands", "south has a point in 0.5"),
    ],
)
def test_other_columns_tell_what_a_comma_means(beside: str, meaning: str, why: str) -> None:
    reading = read_here(amounts(EITHER, [beside, *(str(row) for row in range(59))]), "a.csv")
    question = reading.questions["commas"]
    assert (question.value, question.confidence) == (meaning, "likely")
    assert why in question.sentence


def test_semicolons_say_that_a_comma_is_the_decimal_mark() -> None:
    reading = read_here(amounts(EITHER, EITHER[::-1], separator=";"), "a.csv", scale="stretch")
    assert "commas" not in reading.questions
    assert "The comma is the decimal mark, for semicolons part the cells." in reading.sentences


@pytest.mark.parametrize("separator", [";", "\t", ","])
@pytest.mark.parametrize(
    ("points", "values"),
    [
        (["816", "1.617", "950", "2.250"], [816, 1617, 950, 2250]),
        (["3.816", "1.617", "-2.950", "2.250"], [3816, 1617, -2950, 2250]),
        (["816", "1.617", "950", "2.25"], [816, 1.617, 950, 2.25]),
        (["0.816", "1.617", "1.950", "2.250"], [0.816, 1.617, 1.95, 2.25]),
    ],
)
def test_points_group_thousands_beside_a_column_of_decimal_commas(
    points: list[str], values: list[float], separator: str
) -> None:
    content = amounts(points * 4, [f"{row % 7},5" for row in range(16)], separator=separator)
    parts = parsed(content)
    np.testing.assert_allclose(parts.tables[0].column(0)[1:], values * 4, rtol=1e-12)
    example = "3.816 is 3816" if points[0] == "3.816" else "1.617 is 1617"
    sentence = f"The point in north groups thousands: {example}, for the file has decimal commas."
    assert (sentence in parts.notes) == (values[1] == 1617)


def test_it_is_said_that_points_group_thousands() -> None:
    points = ["816", "1.617", "950", "2.250"] * 4
    content = amounts(points, [f"{row % 7},5" for row in range(16)], separator=";")
    reading = read_here(content, "a.csv", scale="columns")
    sentence = (
        "The point in north groups thousands: 1.617 is 1617, for the file has decimal commas."
    )
    assert sentence in reading.sentences
    column = reading.dataset.data[:4, 0]
    expected = np.array([0, 801, 134, 1434]) / 1434
    np.testing.assert_allclose((column - column.min()) / np.ptp(column), expected)


def test_points_beside_words_group_thousands_too() -> None:
    points = [*(f"1.{row}" for row in range(100, 130)), "<LOD", "<LOD"]
    content = amounts(points, [f"{row % 7},5" for row in range(32)], separator=";")
    parts = parsed(content)
    assert parts.tables[0].words[0].tolist() == [
        "north",
        *map(str, range(1100, 1130)),
        "<LOD",
        "<LOD",
    ]
    assert any("1.100 is 1100" in note for note in parts.notes)


def test_without_decimal_commas_a_point_is_the_decimal_mark() -> None:
    whole = amounts(["816", "1.617"] * 8, [str(row) for row in range(16)], separator=";")
    assert parsed(whole).tables[0].numbers[2, 0] == 1.617


def test_a_table_packed_by_gzip_is_read_and_a_damaged_one_refused() -> None:
    packed = gzip.compress(files.csv(RNG.random((12, 3)).tolist(), ["a", "b", "c"]))
    assert data_of(packed, "a.csv.gz").data.shape == (12, 3)
    with pytest.raises(DatasetError, match=r"a\.csv\.gz is damaged"):
        data_of(packed[:-20], "a.csv.gz")


def test_the_mark_of_spreadsheets_says_the_separator() -> None:
    parts = parsed("sep=;\na;b\n1;2\n3;4\n5;6\n").tables[0]
    assert parts.first_row == ["a", "b"]
    assert parts.numbers[1:].tolist() == [[1, 2], [3, 4], [5, 6]]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_whole_numbers_and_others_are_read_to_the_last_digit(separator: str) -> None:
    rng = np.random.default_rng(5)
    whole = rng.integers(0, 10 ** rng.integers(1, 16, (40, 12)))
    for numbers in (whole, -whole, whole / 7, whole * 10**6):
        rows = [[str(cell) for cell in row] for row in numbers.tolist()]
        lines = "\n".join(separator.join(row) for row in rows)
        np.testing.assert_array_equal(parsed(lines).tables[0].numbers, numbers.astype(float))


def test_wide_tables_are_read_as_others_are(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [[f"s{number}", *np.round(RNG.random(30), 6).tolist(), "uv"[number % 2]]
            for number in range(9)]  # fmt: skip
    rows[4][7] = ""
    content = files.csv(rows, ["id", *(f"g{number}" for number in range(30)), "kind"])
    narrow = parsed(content).tables[0]
    monkeypatch.setattr(table, "_WIDE", 10)
    wide = parsed(content).tables[0]
    np.testing.assert_array_equal(wide.numbers, narrow.numbers)
    assert {place: words.tolist() for place, words in wide.words.items()} == {
        place: words.tolist() for place, words in narrow.words.items()
    }
    assert np.isnan(wide.numbers).sum() == 1 + wide.numbers.shape[1]  # and the row of names


# What stands above a table


def test_comments_and_lines_of_keys_above_a_table_are_passed_over() -> None:
    body = "A,B,C\n1,2,3\n4,5,6\n7,8,10\n"
    for above, count in (("# a comment\n% another\n", 2), ("Instrument: XYZ\nDate: today\n", 2)):
        reading = parsed(above + body)
        assert reading.tables[0].first_row == ["A", "B", "C"]
        assert reading.notes == [f"{count} lines above the table were passed over."]
        assert reading.tables[0].numbers.shape == (4, 3)


def test_the_last_comment_of_full_width_is_the_header() -> None:
    qiime = "# Constructed from biom file\n#OTU ID\tS1\tS2\ttaxonomy\n" + "".join(
        f"O{number}\t{number}\t{number * 2}\tk__x\n" for number in range(9)
    )
    parts = parsed(qiime, "a.tsv").tables[0]
    assert parts.names == ["OTU ID", "S1", "S2", "taxonomy"]
    assert parts.samples == "columns"
    saved = parsed("# 1800,1797,1794\n1,2,3\n4,5,6\n7,8,9\n").tables[0]
    assert saved.names == ["1800", "1797", "1794"]
    assert saved.n_rows == 3


def test_a_comment_below_the_header_is_passed_over() -> None:
    rows = "".join(f"juice {number},{number / 7:.3f},{number / 3:.3f}\n" for number in range(9))
    parts = parsed(f"sample,A,B\n# measured on Monday\n{rows}").tables[0]
    assert parts.first_row == ["sample", "A", "B"]
    assert parts.numbers.shape == (10, 2)


def test_equal_values_of_a_first_sample_that_were_told_apart_are_equal_again() -> None:
    rows = RNG.integers(0, 90, (20, 5)).tolist()
    content = files.csv(rows, ["71", "3", "71.1", "5", "40"])
    data = data_of(content, header="sample", samples="rows", features="columns", scale="stretch")
    assert data.n_samples == 21
    assert data.data[0, 0] == data.data[0, 2]


def test_a_header_that_is_one_cell_short_names_all_but_the_first_column() -> None:
    for content in (
        '"L","W","Kind"\n"1",5.1,3.5,"x"\n"2",4.9,3,"y z"\n"3",4,3,"x"\n',
        '"L" "W" "Kind"\n"1" 5.1 3.5 "x"\n"2" 4.9 3 "y z"\n"3" 4 3 "x"\n',
    ):
        parts = parsed(content).tables[0]
        assert parts.first_row == ["", "L", "W", "Kind"]
        assert parts.words[3].tolist() == ["Kind", "x", "y z", "x"]


def test_the_header_of_orange_declares_roles() -> None:
    three = (
        "DNA,1000,1001,1002\nDNA collagen,continuous,continuous,continuous\nclass\n"
        "DNA,1,2,3\ncollagen,2,3,4\nDNA,1,2,5\n"
    )
    parts = parsed(three).tables[0]
    assert parts.names == ["DNA", "1000", "1001", "1002"]
    assert parts.declared == {0: "class"}
    assert parts.numbers.tolist() == [[1, 2, 3], [2, 3, 4], [1, 2, 5]]
    flags = parsed("D#x,C#a,cD#y\nu,1,v\nu,2,v\nw,4,z\n").tables[0]
    assert flags.names == ["x", "a", "y"]
    assert flags.declared == {2: "class"}


GCT = "#1.3\n6\t4\t1\t1\nid\tdesc\ts1\ts2\ts3\ts4\npert\tna\ta\tb\ta\tb\n" + "".join(
    f"g{number}\td\t1\t{number}\t3.5\t2\n" for number in range(6)
)
GEO = (
    '!Series_title\t"x"\n!Sample_title\t"A 1"\t"B 1"\t"A 2"\t"B 2"\n'
    '!Sample_characteristics_ch1\t"tissue: a"\t"tissue: b"\t"tissue: a"\t"tissue: b"\n'
    '!series_matrix_table_begin\n"ID_REF"\t"GSM1"\t"GSM2"\t"GSM3"\t"GSM4"\n'
    '"1_at"\t1.5\t2.5\t1\t1\n"2_at"\t3\t4\t1\t1\n"3_at"\t3\t4\t1\t0\n!series_matrix_table_end\n'
)
COUNTS = (
    "# Program:featureCounts v2.0.6\nGeneid\tChr\tStart\tEnd\tStrand\tLength\ta.bam\tb.bam\n"
    + "".join(
        f"ENSG{number}\tchr1\t{number}\t{number + 9}\t+\t10\t{number % 7}\t{number % 5}\n"
        for number in range(30)
    )
)
PERSEUS = (
    "T: Name\tS1\tS2\tS3\tS4\n#!{Type}T\tE\tE\tE\tE\n#!{C:Group1}\ta\tb\ta\tb\n"
    "P1\t1\t2\t3\t4\nP2\t1\t2\t3\t5\nP3\t1\t2\t4\t5\n"
)
METABOLITES = "Sample,S1,S2,S3,S4\nLabel,ctl,case,ctl,case\n" + "".join(
    f"met{number},1,2,3,{number}\n" for number in range(8)
)


@pytest.mark.parametrize(
    ("content", "name", "shape", "classes", "first_feature"),
    [
        (GCT, "a.gct", (4, 6), ("a", "b"), "g0"),
        (GEO, "a.txt", (4, 3), ("a", "b"), "1_at"),
        (COUNTS, "a.tsv", (2, 30), (), "ENSG0"),
        (PERSEUS, "a.txt", (4, 3), ("a", "b"), "P1"),
        (METABOLITES, "a.csv", (4, 8), ("case", "ctl"), "met0"),
    ],
)
def test_tables_of_one_sample_a_column_are_known_by_their_marks(
    content: str, name: str, shape: tuple[int, int], classes: tuple[str, ...], first_feature: str
) -> None:
    reading = read(content, name)
    data = reading.proposed
    assert data is not None
    assert data.data.shape == shape
    assert "samples" not in reading.open_questions
    assert (data.target_names or ()) == classes
    assert data.feature_names is not None
    assert data.feature_names[0] == first_feature
    assert "Samples lie in columns." in data.recognised


def test_a_row_of_words_at_the_end_is_a_class_row_too() -> None:
    content = ",S1,S2,S3,S4\n" + "".join(f"met{number},1,2,3,{number}\n" for number in range(8))
    data = read(content + "cls,ctl,case,ctl,case\n").proposed
    assert data is not None
    assert data.data.shape == (4, 8)
    assert data.target_names == ("case", "ctl")


# Odd cells


@pytest.mark.parametrize("row", [3, 150, 250, 450, 599])
@pytest.mark.parametrize("cell", ["#N/A", "n.q.", "<0.5"])
def test_one_odd_cell_never_drops_a_column_nor_refuses_a_file(row: int, cell: str) -> None:
    rows = np.round(RNG.random((600, 3)), 6).astype(object)
    rows[row, 1] = cell
    reading = read(files.csv(rows.tolist(), ["a", "b", "c"]))
    assert list(reading.open_questions) == ["missing"]
    kept = read(files.csv(rows.tolist(), ["a", "b", "c"]), missing="mean").dataset
    assert kept.data.shape == (600, 3)
    offered = [answer.value for answer in reading.questions["missing"].answers]
    assert ("number" in offered) == (cell == "<0.5")


def test_the_number_of_a_censored_cell_may_be_taken() -> None:
    rows = np.round(RNG.random((20, 3)), 6).astype(object)
    rows[3, 1] = "<0.5"
    content = files.csv(rows.tolist(), ["a", "b", "c"])
    assert data_of(content, missing="number", scale="unit").data[3, 1] == 0.5


def test_codes_among_which_few_are_words_stay_words() -> None:
    rows = [[f"{number:02d}" if number != 320 else "2A", number * 0.37 % 1, number * 0.77 % 1]
            for number in range(1, 340)]  # fmt: skip
    parts = parsed(files.csv(rows, ["code", "x", "z"])).tables[0]
    assert parts.words[0][-1] == "339"
    assert parts.words[0][1] == "01"


def test_a_number_far_outside_all_others_is_asked_about() -> None:
    rows = 10 * RNG.random((60, 4))
    rows[3:9, 1] = rows[3:5, 0] = -200
    content = files.csv(rows.tolist(), ["CO", "NO2", "O3", "PM"])
    question = read(content).open_questions["missing"]
    assert question.text.startswith("2 features hold −200 8 times")
    left = data_of(content, missing="rows")
    assert left.numbers.tolist() == [*range(1, 4), *range(10, 61)]
    assert data_of(content, missing="keep").n_samples == 60
    filled = data_of(content, missing="mean", scale="stretch").data
    others = np.delete(rows[:, 1], slice(3, 9))
    low = np.where(rows == -200, np.inf, rows).min()
    np.testing.assert_allclose(filled[3, 1], (others.mean() - low) / (rows.max() - low))
    without = np.where(rows == -200, 1.0, rows)
    assert "missing" not in read(files.csv(without.tolist(), ["a", "b", "c", "d"])).open_questions


def test_tables_of_true_and_false_are_zeros_and_ones() -> None:
    values = RNG.random((40, 12)) < 0.3
    frame = pd.DataFrame(values, columns=[f"mut{number}" for number in range(12)])
    np.testing.assert_array_equal(data_of(csv_of(frame)).data, values.astype(float))


def test_rows_with_holes_are_asked_about() -> None:
    rows = [[0.5, 1, "a"], [0.25, "", "b"], [0.5, "nan", "a"], [0.1, 0.2, "b"]] * 3
    content = files.csv(rows, ["x1", "x2", "species"])
    with pytest.raises(UndecidedError, match=r"6 values are missing or infinite, the first in"):
        data_of(content)
    data = data_of(content, missing="rows")
    np.testing.assert_array_equal(data.data, [[0.5, 1], [0.1, 0.2]] * 3)
    assert data.target is not None
    assert data.target.tolist() == [0, 1] * 3
    assert "6 samples with missing values left out." in data.recognised


# Names of columns


def test_html_in_headers_stays_text() -> None:
    rows = [[0.5, 1, "<b>a</b>"], [0.25, 0, "b"]] * 6
    data = data_of(files.csv(rows, ["<script>x</script>", "z", "species"]))
    assert data.feature_names == ("<script>x</script>", "z")
    assert data.target_names == ("<b>a</b>", "b")


def test_names_that_come_twice_lose_no_column() -> None:
    data = data_of(files.csv(RNG.random((12, 3)).tolist(), ["a", "a", ""]))
    assert data.feature_names == ("a", "a (2)", "(no name)")
    fewer = data_of(
        files.csv(RNG.random((12, 3)).tolist(), ["a", "a", "b"]), roles={"a (2)": "out"}
    )
    assert fewer.file_columns == (0, 2)


def test_columns_keep_their_names(faces: Dataset) -> None:
    rows = [[number % 50 + 0.5, 90 + number / 3, "ab"[number % 2]] for number in range(30)]
    content = files.csv(rows, ["<b>income</b>", "x" * 600, "species"])
    names = data_of(content).feature_names
    assert names is not None
    assert names[0] == "<b>income</b>"
    assert names[1] == "x" * 499 + "…"
    assert data_of(files.csv(RNG.random((30, 4)).tolist()), samples="rows").feature_names is None
    pixels = files.csv(faces.data.tolist(), [f"r{i // 16 + 1}c{i % 16 + 1}" for i in range(256)])
    assert data_of(pixels).feature_names is None
    bars = data_of(pixels, features="columns")
    assert bars.feature_names is not None
    assert bars.feature_names[255] == "r16c16"
    assert resized(data_of(pixels), (8, 8)).feature_names is None


def test_pixels_named_by_row_and_column_come_back_in_any_order(faces: Dataset) -> None:
    order = np.random.default_rng(1).permutation(256)
    names = [f"r{place // 16 + 1}c{place % 16 + 1}" for place in order]
    data = data_of(files.csv(faces.data[:, order].tolist(), names))
    np.testing.assert_array_equal(data.data, faces.data)
    assert data.image_shape == (16, 16)
    assert data.file_columns is not None
    assert order[list(data.file_columns)].tolist() == list(range(256))


@pytest.mark.parametrize(
    ("names", "first", "unit"),
    [
        ([f"{value}nm" for value in range(380, 781)], 380, "nm"),
        ([f"X{value}" for value in range(400, 1202, 2)], 400, ""),
        ([str(value) for value in range(400, 801)], 400, ""),
        ([f"mz{value}" for value in range(50, 451)], 50, ""),
    ],
)
def test_points_of_an_axis_are_neither_pixels_nor_classes(
    names: list[str], first: int, unit: str
) -> None:
    grid = np.arange(401)
    counts = RNG.poisson(5 + 40 * np.exp(-(((grid - 180) / 60) ** 2)), (60, 401))
    reading = read(csv_of(pd.DataFrame(counts, columns=names)))
    data = reading.dataset
    assert data.data.shape == (60, 401)
    assert data.target is None
    assert reading.questions["features"].value == "axis"
    assert "column by column" not in data.recognised


def test_genes_of_a_square_plus_one_stay_features() -> None:
    for count in (26, 50, 65):
        frame = pd.DataFrame(
            RNG.poisson(3, (100, count)), columns=[f"GENE{number}" for number in range(count)]
        )
        data = data_of(csv_of(frame))
        assert data.data.shape == (100, count)
        assert data.target is None


# Roles, classes, long tables


def test_a_column_that_counts_the_rows_or_tells_the_time_is_no_feature() -> None:
    number = np.arange(300)
    frame = pd.DataFrame({"CD3": RNG.random(300), "CD19": RNG.random(300), "Time": number // 5})
    data = data_of(csv_of(frame))
    assert data.feature_names == ("CD3", "CD19")
    assert data.target is None
    assert "Time is left out of the features." in data.recognised
    assert data_of(csv_of(frame), roles={"Time": "feature"}).n_features == 3


def test_places_on_a_grid_are_kept_apart() -> None:
    x, y = np.meshgrid(np.arange(20), np.arange(15))
    frame = pd.DataFrame(RNG.random((300, 8)), columns=[f"G{number}" for number in range(8)])
    frame.insert(0, "y", y.ravel())
    frame.insert(0, "x", x.ravel())
    data = data_of(csv_of(frame))
    assert data.n_features == 8
    assert data.target is None
    assert data.file_columns == tuple(range(2, 10))


def test_every_answer_about_columns_can_be_changed() -> None:
    frame = pd.DataFrame(RNG.random((40, 4)), columns=list("ABCD"))
    frame["shape"], frame["sex"] = ["u", "v"] * 20, ["m", "f", "f", "m"] * 10
    content = csv_of(frame)
    with pytest.raises(UndecidedError) as caught:
        data_of(content)
    assert list(caught.value.questions) == ["classes_from"]
    assert data_of(content, classes_from="sex").target_names == ("f", "m")
    assert data_of(content, classes_from="none").target is None
    assert data_of(content, roles={"sex": "class"}).target_names == ("f", "m")
    fewer = data_of(content, classes_from="shape", roles={"A": "out"})
    assert fewer.feature_names == ("B", "C", "D")
    assert fewer.file_columns == (1, 2, 3)
    with pytest.raises(DatasetError, match="no column called 'age': choose one of A, B, C, D"):
        data_of(content, roles={"age": "out"})
    with pytest.raises(DatasetError, match="A cannot be 'nonsense': choose one of feature"):
        data_of(content, roles={"A": "nonsense"})
    with pytest.raises(DatasetError, match="classes_from cannot be 'age'"):
        data_of(content, classes_from="age")


def test_columns_of_zero_and_one_named_as_a_class_are_one() -> None:
    kinds = np.arange(40) % 3
    frame = pd.DataFrame(RNG.random((40, 4)), columns=list("ABCD"))
    for kind in range(3):
        frame[f"class_{kind}"] = (kinds == kind).astype(int)
    data = data_of(csv_of(frame))
    assert data.target is not None
    np.testing.assert_array_equal(data.target, kinds)
    assert data.n_features == 4


def test_columns_of_which_one_is_one_in_each_row_are_asked_about() -> None:
    kinds = np.arange(40) % 3
    frame = pd.DataFrame(RNG.random((40, 4)), columns=list("ABCD"))
    for kind, name in enumerate(("stain", "scratch", "bump")):
        frame[name] = (kinds == kind).astype(int)
    content = csv_of(frame)
    assert list(read(content).open_questions) == ["classes_from"]
    assert data_of(content, classes_from="none").n_features == 7
    chosen = data_of(content, roles=dict.fromkeys(("stain", "scratch", "bump"), "class"))
    assert chosen.n_features == 4
    assert chosen.n_classes == 3


def test_words_that_may_name_features_are_asked_about() -> None:
    frame = pd.DataFrame(
        RNG.poisson(3, (20, 6)), columns=["wood", "shore", "hill", "bog", "fen", "m"]
    )
    frame.insert(0, "plant", [f"kind {'abcdefghijklmnopqrst'[row]}" for row in range(20)])
    content = csv_of(frame)
    assert "samples" in read(content).open_questions
    assert data_of(content, samples="columns", features="columns").data.shape == (6, 20)


def test_samples_without_a_label_are_counted_and_are_no_class() -> None:
    labels = np.repeat(["B", "NK", "T"], 20).astype(object)
    labels[[3, 30]] = None
    frame = pd.DataFrame(RNG.gamma(2, 2, (60, 8))).add_prefix("G").assign(cell=labels)
    data = data_of(csv_of(frame))
    assert data.target_names == ("B", "NK", "T")
    assert data.target is not None
    assert (data.target == -1).sum() == 2


def test_long_tables_are_asked_about_and_turned() -> None:
    frame = pd.DataFrame(
        {
            "id": np.repeat(range(8), 41),
            "wavenumber": np.tile(np.arange(400.0, 441.0), 8),
            "absorbance": RNG.random(8 * 41),
        }
    )
    reading = read(csv_of(frame))
    question = reading.open_questions["pivot"]
    assert question.text == "Is each row a sample, or one value of a sample?"
    assert [(answer.words, answer.example) for answer in question.answers] == [
        ("One sample for each “id”", "8 samples, with a feature for each “wavenumber”"),
        ("One sample for each “wavenumber”", "41 samples, with a feature for each “id”"),
        ("Each row is a sample", "328 samples"),
    ]
    assert question.answers[0].evidence == (
        "Each pair of values of “id” (8) and “wavenumber” (41) has one row of its own."
    )
    data = data_of(csv_of(frame), pivot="id × wavenumber")
    np.testing.assert_allclose(data.data, frame.absorbance.to_numpy().reshape(8, 41))
    assert data.feature_names is not None
    assert data.feature_names[:2] == ("400", "401")
    longer = data_of(csv_of(frame), pivot="none", roles={"id": "out", "wavenumber": "out"})
    assert longer.n_samples == 8 * 41


def test_a_single_sample_is_counted_as_one() -> None:
    frame = pd.DataFrame({"group": ["a", "b"] * 10, "value": RNG.random(20)})
    question = read(csv_of(frame)).questions["samples"]
    assert [answer.example for answer in question.answers] == ["20 samples", "1 sample"]


def test_epochs_of_several_channels_keep_their_condition() -> None:
    epochs = [
        pd.DataFrame({"time": np.arange(15) * 0.004, "condition": "lr"[epoch % 2], "epoch": epoch,
                      "Fz": RNG.normal(size=15), "Cz": RNG.normal(size=15)})
        for epoch in range(20)
    ]  # fmt: skip
    data = data_of(csv_of(pd.concat(epochs)), pivot="epoch × time")
    assert data.data.shape == (20, 30)
    assert data.target_names == ("l", "r")


def test_pairs_of_axis_and_curve_are_one_sample_each() -> None:
    axis, curves = np.arange(400.0, 450.0), RNG.random((6, 50))
    rows = np.column_stack([part for curve in curves for part in (axis, curve)])
    names = [name for number in range(6) for name in ("cm-1", f"S{number}")]
    reading = read(files.csv(rows.tolist(), names))
    np.testing.assert_allclose(reading.dataset.data, curves)
    assert reading.questions["features"].value == "axis"
    assert reading.questions["pivot"].confidence == "sure"


def test_a_cell_of_many_numbers_is_a_block_of_pixels() -> None:
    values = RNG.integers(0, 255, (30, 64))
    frame = pd.DataFrame(
        {
            "emotion": np.arange(30) % 3,
            "pixels": [" ".join(map(str, row)) for row in values],
            "Usage": ["Training"] * 20 + ["PublicTest"] * 10,
        }
    )
    data = read(csv_of(frame)).proposed
    assert data is not None
    assert data.data.shape == (30, 64)
    assert data.n_classes == 3


def test_a_table_of_one_sample_a_column_keeps_every_column_and_the_names_of_its_rows() -> None:
    rows = [["TP53", 1.5, 0.1, 1], ["BRCA", 2.5, 0.2, 2], ["MYC", 0.5, 0.7, 1], ["X", 3.5, 0.2, 2]]
    content = files.csv(rows, ["gene", "s1", "s2", "s3"])
    data = data_of(content, samples="columns", features="columns", scale="stretch")
    assert (data.n_samples, data.n_features, data.target) == (3, 4, None)
    assert data.feature_names == ("TP53", "BRCA", "MYC", "X")
    assert data.file_columns == (1, 2, 3, 4)  # lines of the file below that of the names


# Scale


def test_columns_of_different_units_are_stretched_each_by_itself() -> None:
    rows = np.column_stack([RNG.random(30), 1000 * RNG.random(30), 30 * RNG.random(30)])
    data = data_of(files.csv(rows.tolist(), ["cm", "grams", "width"]))
    low, high = rows.min(axis=0), rows.max(axis=0)
    np.testing.assert_allclose(data.data, (rows - low) / (high - low))
    assert "column by column; the ranking depends on it." in data.recognised


# What cannot be read


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (text("\n\n"), "holds no rows"),
        (text("hello"), "is not a table"),
        (text("hello\nworld"), "is not a table"),
        (text("a,b,c\n"), "holds no rows below its header"),
        (text("a,b\n1,2\n3\n4,5\n"), "row 3 has 1 cell where the others have 2"),
        (text("a,b\n1,2\n3,4,5\n"), "row 3 has 3 cells where the others have 2"),
        (text("a,b\n" + "1,2\n" * 500 + "1\n"), "row 502 has 1 cell where the others have 2"),
        (text("a,b\n" + "1,2\n" * 500 + "1,2,3\n"), "row 502 has 3 cells where the others have 2"),
        (text("1,2\n"), "only one sample .of 2 features."),
        (b"\0\1\2,3\n4,5\n", "is not a table of text"),
        (b"PK\x03\x04", "is not a table of text"),
        (b"%PDF-1.4", "is not a table of text"),
        (text('a,b\n"1,2\n3,4\n'), "row|damaged|cell|column|image"),
    ],
)
def test_broken_tables_get_one_sentence(content: bytes, sentence: str) -> None:
    with pytest.raises(DatasetError, match=sentence) as caught:
        data_of(content)
    message = str(caught.value)
    assert "a.csv" in message
    assert message.endswith(".")
    assert "\n" not in message


def test_tables_without_numbers_are_refused_or_asked_about() -> None:
    reading = read("a,b\nx,y\nz,w\nv,u\n")
    assert "no column of numbers to analyse" in reading.refusal


def test_tables_too_large_are_refused_before_they_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = files.csv(RNG.random((20, 10)).tolist())
    monkeypatch.setattr(layout, "MOST_COLUMNS", 5)
    with pytest.raises(DatasetError, match="holds 10 columns, over the limit of 5"):
        parsed(content)
    monkeypatch.setattr(layout, "MOST_COLUMNS", 1000)
    monkeypatch.setattr(foreign, "MAX_VALUES", 100)
    with pytest.raises(DatasetError, match=r"holds 2\d0 values, over the limit of 100"):
        parsed(content)


def test_more_different_words_than_anybody_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is an object: a small file of them takes far more memory than its bytes."""
    rows = [f"{i},{i + 1},{i * i},word {i % 11}" for i in range(40)]
    monkeypatch.setattr(foreign, "MAX_OBJECTS", 10)
    with pytest.raises(DatasetError, match="holds 11 different words, over the limit of 10"):
        parsed("\n".join(rows))
    few = [row.replace("word 10", "word 9") for row in rows]
    assert parsed("\n".join(few)).tables[0].numbers.shape == (40, 3)


# Rankings


def columns_of(content: bytes, name: str = "r.csv") -> list[tuple[str, list[object]]]:
    return [(header, list(values)) for header, values in read_columns(content, name).columns]


@pytest.mark.usefixtures("at_home")
def test_a_table_is_read_as_it_is_for_rankings() -> None:
    assert columns_of(b"feature,score\na,1\nb,2\n") == [
        ("feature", ["a", "b"]),
        ("score", [1, 2]),
    ]
    assert columns_of(b"0.5\n0.25\n") == [("", [0.5, 0.25])]
    assert columns_of(b",0\na,1\nb,2\n") == [("", ["a", "b"]), ("0", [1, 2])]
    assert columns_of(b"b\na\n") == [("", ["b", "a"])]
    assert columns_of(b"feature,selected\na,True\nb,False\n")[1] == (
        "selected",
        ["True", "False"],
    )
    assert columns_of("a\t0.5 ± 0.1\nb\t0.4 ± 0.2\n".encode(), "r.tsv")[0] == ("", ["a", "b"])


def test_load_file_reads_a_table_in_its_own_process() -> None:
    rows = [[number + 0.5, number * 3.0, "uv"[number % 2]] for number in range(12)]
    data = load_file(files.csv(rows, ["a", "b", "species"]), "a.csv")
    assert data.data.shape == (12, 2)
    assert data.target_names == ("u", "v")


def test_a_table_without_decimal_commas_is_not_searched_for_points_that_group(monkeypatch) -> None:
    class Forbidden:
        def search(self, *arguments: object) -> None:
            raise AssertionError("the whole of a large table would be read once more")

    monkeypatch.setattr(table, "_GROUPING_POINT", Forbidden())
    english, _ = table_of_text(b"a,b\n1.617,2.5\n3.25,4.125\n5.5,6.75\n", "t.csv")
    assert english.numbers.shape[1] == 2
    german, _ = table_of_text(b"a;b\n1617;2,5\n325;4,125\n55;6,75\n", "t.csv")
    assert german.has_decimal_comma


def test_samples_keep_the_names_that_their_table_gives_them():
    rows = [f"<b>s{row}</b>,{row % 7},{(5 * row) % 11}" for row in range(12)]
    table = "\n".join(["sample,height,width", *rows]).encode()
    data = load_file(table, "people.csv", scale="columns", classes_from=NONE)
    assert data.sample_names == tuple(f"<b>s{row}</b>" for row in range(12))
    assert data.sample_name(3) == "sample 4 (<b>s3</b>)"
    rest = leave_out(data, [0, 3])
    assert rest.sample_names[2] == "<b>s4</b>"
    assert rest.sample_name(2) == "sample 5 (<b>s4</b>)"
    # No run saves them.
    assert "s4" not in describe(rest)


def test_names_that_only_count_are_not_said_twice():
    data = Dataset(np.eye(3), sample_names=("1", "b", "3"))
    assert [data.sample_name(row) for row in range(3)] == ["sample 1", "sample 2 (b)", "sample 3"]
    with pytest.raises(DatasetError, match="2 names for 3 samples"):
        Dataset(np.eye(3), sample_names=("1", "b"))
