"""Tables in workbooks, ARFF, Parquet and Feather files, and one file a spectrum."""

import io
from xml.sax.saxutils import escape

import numpy as np
import pandas as pd
import pytest

from cspca.datasets import DatasetError, load_file
from cspca.datasets.files.build import build
from cspca.datasets.files.containers.spectra_files import parse_spectra
from cspca.datasets.files.foreign import Watch, entries_of_files
from cspca.datasets.files.question import Answers
from cspca.datasets.files.settle import settle
from tests.datasets import files
from tests.datasets.here import read_here

RNG = np.random.default_rng(0)
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

Cells = list[list[object]]


def frame_of_kinds() -> pd.DataFrame:
    frame = pd.DataFrame(RNG.random((40, 4)), columns=list("ABCD"))
    return frame.assign(species=["u", "v"] * 20)


def cell_of(value: object, row: int, column: int) -> str:
    reference = f"{chr(ord('A') + column)}{row + 1}"
    if isinstance(value, str):
        return f'<c r="{reference}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    if isinstance(value, bool):
        return f'<c r="{reference}" t="b"><v>{int(value)}</v></c>'
    return f'<c r="{reference}"><v>{value}</v></c>'


def workbook(sheets: dict[str, Cells]) -> bytes:
    """A workbook as Excel writes it, with the members that a reader needs."""
    names = "".join(
        f'<sheet name="{title}" sheetId="{at}" r:id="rId{at}"/>' for at, title in enumerate(sheets)
    )
    relations = "".join(
        f'<Relationship Id="rId{at}" Target="worksheets/sheet{at}.xml"/>'
        for at in range(len(sheets))
    )
    members = {
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{names}</sheets>'
        "</workbook>",
        "xl/_rels/workbook.xml.rels": f"<Relationships>{relations}</Relationships>",
    }
    for at, rows in enumerate(sheets.values()):
        lines = "".join(
            f'<row r="{row + 1}">'
            + "".join(
                cell_of(value, row, column)
                for column, value in enumerate(cells)
                if value is not None
            )
            + "</row>"
            for row, cells in enumerate(rows)
        )
        members[f"xl/worksheets/sheet{at}.xml"] = (
            f'<worksheet xmlns="{MAIN}"><sheetData>{lines}</sheetData></worksheet>'
        )
    return files.zipped({name: text.encode() for name, text in members.items()})


def rows_of(frame: pd.DataFrame) -> Cells:
    return [list(frame.columns), *frame.to_numpy(dtype=object).tolist()]


def test_the_sheet_of_a_workbook_is_read_below_its_title() -> None:
    frame = frame_of_kinds()
    content = workbook({"Data": [["Measured in May"], [], *rows_of(frame)], "Notes": [["none"]]})
    reading = read_here(content, "a.xlsx")
    np.testing.assert_allclose(reading.dataset.data, frame.iloc[:, :4].to_numpy())
    assert reading.dataset.target_names == ("u", "v")
    assert reading.left_out[0].startswith("the sheet Notes")


def test_several_tables_of_a_workbook_are_asked_about() -> None:
    frame = frame_of_kinds()
    content = workbook({"One": rows_of(frame), "Two": rows_of(2 * frame[["A", "B"]])})
    assert "data" in read_here(content, "a.xlsx").open_questions
    assert read_here(content, "a.xlsx", data="Two").dataset.n_features == 2


def beside(left: Cells, right: Cells) -> Cells:
    """Put two tables side by side, with a blank column between."""
    width = len(left[0])
    n_rows = max(len(left), len(right))
    full = [[*left, *[[None] * width] * n_rows][row] for row in range(n_rows)]
    return [[*full[row], None, *(right[row] if row < len(right) else [])] for row in range(n_rows)]


@pytest.mark.parametrize("n_right", [30, 40])
def test_tables_side_by_side_are_asked_between(n_right: int) -> None:
    frame = frame_of_kinds()
    right = frame[["A", "B"]].head(n_right) * 3
    content = workbook({"Data": beside(rows_of(frame), rows_of(right))})
    question = read_here(content, "a.xlsx").questions["data"]
    assert question.is_open
    titles = ["Data, columns A to E", "Data, columns G to H"]
    whole = [] if n_right < len(frame) else ["Data"]  # equal rows may be of one table
    assert [answer.value for answer in question.answers] == [*whole, *titles]
    data = read_here(content, "a.xlsx", data=titles[1], scale="stretch").dataset
    expected = (right - right.min().min()) / (right.max().max() - right.min().min())
    np.testing.assert_allclose(data.data, expected.to_numpy())
    left = read_here(content, "a.xlsx", data=titles[0]).dataset
    np.testing.assert_allclose(left.data, frame.iloc[:, :4].to_numpy())


def test_a_blank_column_before_a_last_one_parts_no_tables() -> None:
    frame = frame_of_kinds()
    content = workbook({"Data": beside(rows_of(frame), [["note"], *[["x"]] * 3])})
    assert "data" not in read_here(content, "a.xlsx").questions


def test_an_empty_cell_of_a_workbook_is_missing_and_truth_is_a_number() -> None:
    frame = frame_of_kinds().astype(object)
    frame["E"], frame["F"] = [True, False] * 20, [False, False, True, True] * 10
    rows = rows_of(frame)
    rows[3][1] = None
    reading = read_here(workbook({"Data": rows}), "a.xlsx", missing="rows", classes_from="species")
    assert reading.dataset.data.shape == (39, 6)


@pytest.mark.parametrize(
    ("content", "name", "sentence"),
    [
        (files.zipped({"content.xml": b"<x/>"}), "a.xlsx", "export the sheet as .xlsx or CSV"),
        (b"PK\x03\x04 cut", "a.xlsx", "is not a whole .xlsx archive"),
        (workbook({"Empty": []}), "a.xlsx", "holds no table"),
        (b"@relation x\n@attribute a numeric\n@data\n{0 1}\n", "a.arff", "sparse ARFF file"),
        (b"@relation x\n@data\n1,2\n", "a.arff", "has no line @attribute|no line @attribute"),
        (b"a,b\n1,2\n", "a.arff", "has no line @data"),
        (b"@attribute a numeric\n@attribute b numeric\n@data\n1\n", "a.arff", "1 values for 2"),
        (b"PAR1 cut", "a.parquet", "is damaged"),
        (b"FEA1 old", "a.feather", "a Feather file of version 1"),
        (b"a,b\n1,2\n", "a.feather", "neither a Parquet nor a Feather file"),
    ],
)
def test_what_cannot_be_read_gets_one_sentence(content: bytes, name: str, sentence: str) -> None:
    with pytest.raises(DatasetError, match=sentence) as caught:
        read_here(content, name)
    assert name in str(caught.value)
    assert str(caught.value).endswith(".")


def test_arff_says_names_missing_values_and_its_only_category() -> None:
    rows = "".join(
        f"{number / 7:.3f},{number % 5 * 1.5},{'yes' if number % 3 else 'no'}\n"
        for number in range(30)
    )
    header = (
        "% of Weka\n@relation weather\n@attribute 'out temperature' numeric\n"
        "@attribute wind REAL\n@attribute play {yes,no}\n@data\n"
    )
    data = read_here((header + rows).encode(), "a.arff").dataset
    assert data.feature_names == ("out temperature", "wind")
    assert data.target_names == ("no", "yes")
    reading = read_here((header + rows + "?,2,'yes'\n").encode(), "a.arff")
    assert list(reading.open_questions) == ["missing"]


def test_codes_of_the_only_category_of_arff_are_classes() -> None:
    header = "@relation x\n@attribute a numeric\n@attribute b numeric\n@attribute c {0,1}\n@data\n"
    rows = "".join(f"{number / 7:.3f},{number % 5},{number % 2}\n" for number in range(30))
    data = read_here((header + rows).encode(), "a.arff").dataset
    assert data.target_names == ("0", "1")
    assert data.n_features == 2


@pytest.mark.parametrize("form", ["parquet", "feather"])
def test_columnar_files_come_back(form: str) -> None:
    pytest.importorskip("pyarrow")
    frame = frame_of_kinds()
    stream = io.BytesIO()
    getattr(frame, f"to_{form}")(stream)
    # In the process of its own, which may start no threads.
    data = load_file(stream.getvalue(), f"a.{form}")
    np.testing.assert_array_equal(data.data, frame.iloc[:, :4].to_numpy())
    assert data.feature_names == ("A", "B", "C", "D")
    assert data.target_names == ("u", "v")


def test_the_index_of_pandas_is_no_feature_and_lists_are_points() -> None:
    pytest.importorskip("pyarrow")
    spectra = RNG.random((30, 20))
    frame = pd.DataFrame({"spectrum": list(spectra), "label": ["u", "v", "w"] * 10})
    frame.index = pd.Index([f"s{number}" for number in range(30)])
    stream = io.BytesIO()
    frame.to_parquet(stream)
    data = read_here(stream.getvalue(), "a.parquet").dataset
    np.testing.assert_allclose(data.data, spectra)
    assert data.n_classes == 3


AXIS = np.linspace(400, 800, 101)


def spectra_set(
    names: list[str], shift: float = 0.0, head: str = "", mark: str = ","
) -> tuple[np.ndarray, dict[str, object]] | None:
    contents = []
    for number, _ in enumerate(names):
        points = zip(AXIS + shift * number, RNG.random(len(AXIS)), strict=True)
        contents.append((head + "\n".join(f"{x:.3f}{mark}{y:.5f}" for x, y in points)).encode())
    parsed = parse_spectra(entries_of_files(names, contents), Watch("spectra"))
    if parsed is None:
        return None
    settled = settle(parsed, Answers(), Watch("spectra"))
    assert not any(question.is_open for question in settled.questions.values())
    header, arrays = build(settled, Answers(), Watch("spectra"))
    return arrays[0], header["dataset"]


def test_folders_of_spectra_are_classes_and_the_axis_names_the_features() -> None:
    spectra = spectra_set(
        [f"{folder}/s{at}.csv" for folder in "AB" for at in range(6)], head="x,y\n"
    )
    assert spectra is not None
    values, header = spectra
    assert values.shape == (12, 101)
    assert header["target_names"] == ("A", "B")
    names = header["feature_names"]
    assert isinstance(names, tuple)
    assert names[:2] == ("400", "404")


def test_first_parts_of_file_names_may_be_classes() -> None:
    names = [f"{tree}_{at}.txt" for tree in ("oak", "elm") for at in range(4)]
    spectra = spectra_set(names, 0.01, "# instrument\nPower: 3\n", "\t")
    assert spectra is not None
    assert spectra[1]["target_names"] == ("elm", "oak")
    assert "less than half a step" in str(spectra[1]["recognised"])


def test_spectra_on_unlike_axes_are_interpolated_and_it_is_said() -> None:
    spectra = spectra_set([f"s{at}.dpt" for at in range(4)], 30)
    assert spectra is not None
    assert spectra[0].shape[1] < 101
    assert "values were interpolated at the" in str(spectra[1]["recognised"])


def test_other_files_are_no_spectra() -> None:
    table = b"a,b,c\n" + b"1,2,3\n" * 10
    notes = b"This is a text\nof two lines\n"
    for contents in ([table, table], [notes, notes], [b"1,2\n1,3\n2,4\n0,1\n5,6\n9,9\n"] * 2):
        entries = entries_of_files(["a.csv", "b.csv"], contents)
        assert parse_spectra(entries, Watch("folder")) is None
    assert spectra_set(["only.csv"]) is None


# Marks that programs leave behind


def test_a_quoted_cell_of_a_workbook_may_run_over_lines() -> None:
    rows: Cells = [["name", 'a "note"\r\nof two lines', "width"]]
    rows += [[f"s{row}", row * 0.5, (row * 7) % 11 + 0.25] for row in range(20)]
    assert read_here(workbook({"Data": rows}), "a.xlsx").dataset.data.shape == (20, 2)


def test_lines_may_end_as_on_an_old_mac_and_the_file_in_another_way() -> None:
    frame = frame_of_kinds()
    content = frame.to_csv(index=False).replace("\n", "\r") + "\n"
    data = read_here(content.encode(), "mac.csv").dataset
    assert (data.data.shape, data.target_names) == ((40, 4), ("u", "v"))


def test_a_table_may_be_called_data() -> None:
    data = read_here(frame_of_kinds().to_csv(index=False).encode(), "iris.data").dataset
    assert data.data.shape == (40, 4)


def test_a_note_is_said_once() -> None:
    content = b"# made by a program\n" + frame_of_kinds().to_csv(index=False).encode()
    sentences = read_here(content, "a.csv").sentences
    assert sentences.count("1 line above the table was passed over.") == 1


def test_a_header_of_idx_that_promises_less_than_the_file_holds_is_named() -> None:
    header = bytes([0, 0, 8, 3]) + b"".join(side.to_bytes(4, "big") for side in (5, 4, 4))
    with pytest.raises(DatasetError, match=r"holds 4 times as many values as its header says"):
        read_here(header + bytes(5 * 4 * 4 * 4), "faces.idx")


def test_a_table_beside_spectra_gives_their_classes_by_file() -> None:
    axis = np.arange(400, 440)
    members = {
        f"{number}s.txt": files.csv(np.column_stack([axis, RNG.random(40)]), separator=" ")
        for number in range(12)
    }
    rows = "".join(f"{'RS'[number % 2]},taxon,{number}s\n" for number in range(12))
    members["about/metadata.csv"] = b"Drug,Species,ID\n" + rows.encode()
    reading = read_here(files.zipped(members), "maldi.zip")
    assert reading.questions["classes_from"].value == "Drug"
    assert reading.dataset.target_names == ("R", "S")
    assert reading.dataset.target is not None
    names = [int(name.split("s.")[0]) for name in reading.sample_names]
    assert reading.dataset.target.tolist() == [number % 2 for number in names]


def test_a_text_that_repeats_is_no_class_beside_a_column_of_two_values() -> None:
    values = RNG.normal(size=(60, 3))
    frame = pd.DataFrame(values, columns=["sbp", "ldl", "adiposity"])
    frame = frame.assign(famhist=["yes", "no", "no"] * 20, chd=[0, 1, 1, 1] * 15)
    question = read_here(frame.to_csv(index=False).encode(), "heart.csv").questions["classes_from"]
    assert question.is_open
    assert [answer.value for answer in question.answers] == ["famhist", "chd", "none"]
