"""Tables of text: separators, headers, which column is what, a sentence for every broken one."""

import numpy as np
import pytest

from cspca.datasets import (
    NO_LABELS,
    NOT_PICTURES,
    Dataset,
    DatasetError,
    ReadChoices,
    load_file,
    make_faces,
    read_file,
    resized,
)
from cspca.datasets.files import table as tables
from cspca.datasets.files.foreign import Watch
from tests.datasets import files

pytestmark = pytest.mark.usefixtures("at_home")

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def faces() -> Dataset:
    return make_faces(4, 5, 16)


def with_labels(data: Dataset, first: bool = False) -> np.ndarray:
    assert data.target is not None
    columns = [data.target[:, None], data.data] if first else [data.data, data.target[:, None]]
    return np.hstack(columns)


def text(content: str) -> bytes:
    return content.encode()


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
    back = load_file(content, "faces.csv")
    np.testing.assert_array_equal(back.data, faces.data)
    np.testing.assert_array_equal(back.target, faces.target)
    assert back.image_shape == (16, 16)
    assert "classes from column" in back.recognised


def test_words_quotes_and_what_spreadsheets_write() -> None:
    content = (
        '\ufeff"id","petal, mm","sepal","species"\r\n'
        '1,"1.5",2,"Iris ""a"""\r\n2,2.5,3e0,b\r\n3,3.5,4,b\r\n4,4.5,5,"Iris ""a"""\r\n'
    )
    read = read_file(text(content), "iris.csv")
    data = read.dataset
    assert data.target_names == ('Iris "a"', "b")
    assert data.target is not None
    assert data.target.tolist() == [0, 1, 1, 0]
    assert data.image_shape is None
    assert data.recognised == (
        "4 samples, 2 features, 2 classes; classes from column species; left out id: counts the "
        "rows; values 1.5 – 5 stretched to 0 – 1."
    )
    assert read.used.labels == "species"
    assert read.used.leave_out == ("id",)
    assert [one.name for one in read.options.columns] == ["id", "petal, mm", "sepal"]


def test_decimal_commas() -> None:
    data = load_file(text("a;b;c\n0,5;1,0;x\n0,25;0,75;y\n0,0;0,125;x\n"), "a.csv")
    np.testing.assert_array_equal(data.data, [[0.5, 1], [0.25, 0.75], [0, 0.125]])


@pytest.mark.parametrize("coding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_codings(coding: str) -> None:
    content = "größe,b,name\n0.5,1,Zoë\n0.25,1,Ann\n0.5,0,Zoë\n0,0,Ann\n".encode(coding)
    read = read_file(content, "a.csv")
    assert read.dataset.target_names == ("Ann", "Zoë")
    assert read.options.columns[0].name == "größe"


def test_columns_of_different_units_are_stretched_each_by_itself() -> None:
    rows = [[1, 1000, "a"], [2, 3000, "b"], [3, 2000, "a"], [1.5, 1500, "b"]]
    data = load_file(files.csv(rows, ["cm", "grams", "kind"]), "a.csv")
    np.testing.assert_allclose(data.data, [[0, 0], [0.5, 1], [1, 0.5], [0.25, 0.25]])
    assert "stretched to 0 – 1 column by column" in data.recognised


def test_every_guess_can_be_changed(faces: Dataset) -> None:
    rows = with_labels(faces)
    read = read_file(files.csv(rows.tolist()), "a.csv")
    assert [one.name for one in read.options.labels] == ["column 257"]
    assert read.used.header is False
    flat = read.again(ReadChoices(labels=NO_LABELS, leave_out=("column 1",)))
    assert flat.dataset.n_features == 256
    assert flat.dataset.target is None
    assert "left out column 1: as chosen" in flat.dataset.recognised
    bars = read.again(ReadChoices(image_shape=NOT_PICTURES)).dataset
    assert bars.image_shape is None
    wide = read.again(ReadChoices(image_shape=(8, 32))).dataset
    assert wide.image_shape == (8, 32)
    with pytest.raises(DatasetError, match="column 1 holds numbers that are not whole"):
        read.again(ReadChoices(labels="column 1"))
    rounded = read_file(files.csv(np.rint(9 * rows).tolist()), "a.csv")
    by_first = rounded.again(ReadChoices(labels="column 1"))
    assert by_first.dataset.n_features == 256
    fewer = read.again(ReadChoices(header=True)).dataset
    assert fewer.n_samples == 19
    turned = read.again(ReadChoices(samples="last")).dataset
    assert turned.n_samples == 257, "a column of classes is a sample like the others"
    assert turned.target is None
    for choices in (ReadChoices(labels="age"), ReadChoices(leave_out=("age",))):
        with pytest.raises(DatasetError, match="no column called 'age': choose one of"):
            read.again(choices)


def test_rows_with_holes_are_refused_or_left_out() -> None:
    rows = [[0.5, 1, "a"], [0.25, "", "b"], [0.5, "nan", "a"], [0.1, 0.2, "b"]]
    content = files.csv(rows, ["x", "y", "kind"])
    with pytest.raises(DatasetError, match=r"2 of 4 samples hold NaN.*the first is number 2"):
        load_file(content, "a.csv")
    data = read_file(content, "a.csv", choices=ReadChoices(drop_bad=True)).dataset
    np.testing.assert_array_equal(data.data, [[0.5, 1], [0.1, 0.2]])
    assert data.target is not None
    assert data.target.tolist() == [0, 1]
    assert "2 with NaN or infinite values left out" in data.recognised


def test_html_in_headers_stays_text() -> None:
    rows = [[0.5, 1, "<b>a</b>"], [0.25, 0, "b"], [0.25, 0, "<b>a</b>"], [0.5, 1, "b"]]
    read = read_file(files.csv(rows, ["<script>x</script>", "y", "kind"]), "a.csv")
    assert read.options.columns[0].name == "<script>x</script>"
    assert read.dataset.target_names == ("<b>a</b>", "b")


def test_names_that_come_twice_are_told_apart() -> None:
    read = read_file(files.csv([[0.5, 1, 2], [0.25, 0, 3]], ["a", "a", ""]), "a.csv")
    assert [one.name for one in read.options.columns] == ["a", "a (2)", "(no name)"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (text("\n\n"), "holds no rows"),
        (text("hello"), "is not a table"),
        (text("hello\nworld"), "is not a table"),
        (text("a,b,c\n"), "holds no rows below its header|no column of numbers"),
        (text("a,b\n1,2\n3\n4,5\n"), "row 3 has 1 cell where the others have 2"),
        (text("a,b\n1,2\n3,4,5\n"), "row 3 has 3 cells where the others have 2"),
        (text("a,b\n" + "1,2\n" * 500 + "1,x\n"), "row 502 has 'x' in column b, which holds num"),
        (text("a,b\n" + "1,2\n" * 500 + "1\n"), "row 502 has 1 cell where the others have 2"),
        (text("a,b\n" + "1,2\n" * 500 + "1,2,3\n"), "row 502 has 3 cells where the others have 2"),
        (text("a,b\nx,y\nz,w\n"), "no column of numbers to analyse"),
        (text("1,2\n"), "only one sample .of 2 features."),
        (text("0.1,inf\n0.2,0.3\n"), "1 of 2 samples holds NaN or infinite"),
        (text("0.1,1e999\n0.2,0.3\n"), "1 of 2 samples holds NaN or infinite"),
        (b"\0\1\2,3\n4,5\n", "is not a table of text"),
        (b"PK\x03\x04", "is not a table of text"),
        (b"%PDF-1.4", "is not a table of text"),
        (text('a,b\n"1,2\n3,4\n'), "row|damaged|cell|column|image"),
        (text("1," * 300_000 + "1\n" + "2," * 300_000 + "2\n"), "columns, over the limit"),
    ],
)
def test_broken_tables_get_one_sentence(content: bytes, sentence: str) -> None:
    with pytest.raises(DatasetError, match=sentence) as caught:
        load_file(content, "a.csv")
    message = str(caught.value)
    assert "a.csv" in message
    assert message.endswith(".")
    assert "\n" not in message


def test_tables_too_large_are_refused_before_they_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cspca.datasets.files.foreign.MAX_VALUES", 100)
    with pytest.raises(DatasetError, match=r"holds 210 values, over the limit of 100"):
        load_file(files.csv(RNG.random((20, 10)).tolist()), "a.csv")


def test_columns_keep_their_names(faces: Dataset) -> None:
    rows = [[20, 1000, 3, "a"], [70, 90000, 1, "b"], [30, 20000, 2, "a"], [50, 1500, 1, "b"]]
    content = files.csv(rows, ["age", "<b>income</b>", "x" * 500, "kind"])
    read = read_file(content, "a.csv")
    names = read.dataset.feature_names
    assert names is not None
    assert names[:2] == ("age", "<b>income</b>")
    assert len(names[2]) == 80
    fewer = read.again(ReadChoices(leave_out=("age",), labels="kind")).dataset
    assert fewer.feature_names == names[1:]
    assert load_file(files.csv([row[:3] for row in rows]), "a.csv").feature_names is None
    pixels = files.csv(faces.data.tolist(), [f"pixel{i}" for i in range(256)])
    assert load_file(pixels, "a.csv").feature_names is None
    bars = load_file(pixels, "a.csv", image_shape=NOT_PICTURES)
    assert bars.feature_names is not None
    assert bars.feature_names[255] == "pixel255"
    assert resized(load_file(pixels, "a.csv"), (8, 8)).feature_names is None


def test_a_table_of_one_sample_a_column_keeps_every_column_and_the_names_of_its_rows() -> None:
    rows = [["TP53", 1.5, 0.1, 1], ["BRCA", 2.5, 0.2, 2], ["MYC", 0.5, 0.7, 1], ["X", 3.5, 0.2, 2]]
    content = files.csv(rows, ["gene", "s1", "s2", "s3"])
    data = load_file(content, "a.csv", samples="last")
    assert (data.n_samples, data.n_features, data.target) == (3, 4, None)
    assert data.feature_names == ("TP53", "BRCA", "MYC", "X")
    assert "one sample a column" in data.recognised
    assert "features named by column gene" in data.recognised


@pytest.mark.parametrize("header", [None, ["age", "children", "income"]])
@pytest.mark.parametrize("bad", [False, True])
def test_ages_and_incomes_count_the_same(header: list[str] | None, bad: bool) -> None:
    rows: list[list[object]] = [[20, 1, 10000], [70, 0, 90000], [45, 2, 50000]]
    if bad:
        rows.append([30, "", 1])
    read = read_file(files.csv(rows, header), "a.csv", choices=ReadChoices(drop_bad=True))
    np.testing.assert_allclose(read.dataset.data, [[0, 0.5, 0], [1, 0, 1], [0.5, 1, 0.5]])
    assert read.used.scale == "columns"
    assert "column by column, for their ranges differ widely" in read.dataset.recognised
    together = read.again(ReadChoices(scale="stretch", drop_bad=True)).dataset
    assert together.data[:, 0].max() < 0.001


def test_grey_levels_are_not_taken_for_units(real_pixels) -> None:
    rng = np.random.default_rng(0)
    grey = rng.integers(0, 256, (20, 24)).astype(float)
    grey[:, 0] = rng.integers(0, 3, 20)  # a corner that hardly changes
    assert read_file(files.csv(grey.astype(int)), "a.csv").used.scale == "255"
    assert read_file(files.csv(grey), "a.csv", choices=ReadChoices()).used.scale == "255"
    orl = read_file(
        files.npz(X=255 * real_pixels("ORL")),
        "a.npz",
        choices=ReadChoices(image_shape=NOT_PICTURES),
    )
    assert orl.used.scale == "255"


def test_sentences_about_a_table_speak_of_samples() -> None:
    with pytest.raises(DatasetError, match="holds only one sample"):
        load_file(text("a,b\n1,2\n"), "a.csv")
    with pytest.raises(DatasetError, match="1 of 2 samples holds NaN or infinite"):
        load_file(text("a,b\n0.1,inf\n0.2,0.3\n"), "a.csv")


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_whole_numbers_and_others_are_read_to_the_last_digit(separator: str) -> None:
    rng = np.random.default_rng(5)
    whole = rng.integers(0, 10 ** rng.integers(1, 16, (40, 12)))
    for numbers in (whole, -whole, whole / 7, whole * 10**6):
        rows = [[str(cell) for cell in row] for row in numbers.tolist()]
        rows[3][2] = rows[3][2].zfill(4)
        text_of = "\n".join(separator.join(row) for row in rows).encode()
        layout = tables.sniff(text_of, False, "a.csv")
        table = tables.parse(text_of, layout, Watch("a.csv"))
        np.testing.assert_array_equal(table.values, numbers.astype(float))


def test_names_of_the_samples_are_no_classes() -> None:
    rows = [[number, f"flower {number}", number**0.5, 1 / (1 + number)] for number in range(12)]
    read = read_file(files.csv(rows, ["id", "name", "a", "b"]), "a.csv")
    assert read.dataset.target is None
    assert "left out name: text, not numbers; id: counts the rows" in read.dataset.recognised
    twice = [[*row[:1], f"flower {row[0] // 2}", *row[2:]] for row in rows]
    read = read_file(files.csv(twice, ["id", "name", "a", "b"]), "a.csv")
    assert read.dataset.n_classes == 6


def test_numbers_are_said_as_they_are_printed() -> None:
    rows = [[number - 700.5, -number, 3 * number] for number in range(1200)]
    said = load_file(files.csv(rows, ["a", "b", "c"]), "a.csv").recognised
    assert said.startswith("1,200 samples, 3 features, no labels; values −1199 to 3597 stretched")
    labels = [[0.5 + number / 9, number % 2] for number in range(8)]
    assert "classes from column 2;" in load_file(files.csv(labels), "b.csv").recognised


def test_measurements_are_not_taken_for_grey_levels() -> None:
    rows = [[number / 7, 90 + number / 3, "ab"[number % 2]] for number in range(30)]
    named = load_file(files.csv(rows, ["width", "weight", "kind"]), "a.csv")
    assert "stretched to 0 – 1" in named.recognised
    grey = [[255 * number / 29, 3.5 + 7 * number] for number in range(30)]
    assert "divided by 255" in load_file(files.csv(grey), "b.csv").recognised


def test_more_different_words_than_anybody_has_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is an object: a small file of them takes far more memory than its bytes."""
    monkeypatch.setattr("cspca.datasets.files.foreign.MAX_OBJECTS", 10)
    rows = [f"{i},{i + 1},{i * i},word {i % 11}" for i in range(40)]
    with pytest.raises(DatasetError, match="holds 11 different words, over the limit of 10"):
        read_file(text("\n".join(rows)), "a.csv")
    few = [row.replace("word 10", "word 9") for row in rows]
    assert load_file(text("\n".join(few)), "a.csv").data.shape == (40, 3)
