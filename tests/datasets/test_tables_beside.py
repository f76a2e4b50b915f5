"""Tables beside the samples, and what the names of rows and columns of a laboratory say."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pandas as pd
import pytest

from cspca.datasets import DatasetError, read_like
from cspca.datasets.files.reading import Reading
from tests.datasets.here import read_here
from tests.datasets.kinds import write

RNG = np.random.default_rng(3)
GENES = [f"ENSG{100000 + k:011d}.2" for k in range(40)]
SAMPLES = [f"S{k:02d}" for k in range(12)]
COUNTS = RNG.poisson(RNG.gamma(2, 40, (40, 1)), (40, 12))
ABOUT = [["sample", "condition", "age", "batch"]] + [
    [name, "ab"[k % 2], 30.5 + k, k % 3] for k, name in enumerate(SAMPLES)
]


def counts(names: list[str] | None = None, **columns: list[object]) -> list[list[object]]:
    """A table of counts, genes in rows, with further columns behind the names of the genes."""
    head: list[object] = ["gene", *columns, *(names or SAMPLES)]
    return [
        head,
        *(
            [gene, *(column[at] for column in columns.values()), *COUNTS[at].tolist()]
            for at, gene in enumerate(GENES)
        ),
    ]


def read_lines(rows: list[list[object]], name: str = "counts.csv") -> Reading:
    return read_here(write.lines(rows), name)


def sentences(reading: Reading) -> str:
    return " ".join(reading.sentences)


def test_a_second_sheet_gives_classes_and_a_target_by_the_names_of_the_samples() -> None:
    content = write.xlsx({"about": ABOUT[:1] + ABOUT[:0:-1], "counts": counts()})
    reading = read_here(content, "study.xlsx")
    assert reading.dataset.data.shape == (12, 40)
    assert [reading.dataset.class_name(label) for label in reading.dataset.target] == list("ab" * 6)
    assert (
        "The samples are in counts. about names the rows or the columns of counts."
        in reading.sentences
    )
    assert "about names 12 of 12 samples: its columns are joined." in reading.sentences
    assert "age: a target to be predicted" in reading.left_out
    assert "batch: words" in reading.left_out


def test_another_sheet_may_be_chosen_and_one_that_names_no_sample_is_asked_about() -> None:
    content = write.xlsx({"counts": counts(), "about": ABOUT})
    assert read_here(content, "study.xlsx", data="about").dataset.n_samples == 12
    other = [["sample", "condition"], *([f"T{k}", "a"] for k in range(12))]
    content = write.xlsx({"counts": counts(), "about": other})
    assert "data" in read_here(content, "study.xlsx").open_questions


def test_samples_that_a_table_beside_does_not_name_have_no_label() -> None:
    content = write.zipped({"c.csv": write.lines(counts()), "a.csv": write.lines(ABOUT[:-1])})
    reading = read_here(content, "study.zip")
    assert "a.csv names 11 of 12 samples: its columns are joined." in reading.sentences
    assert reading.dataset.n_unlabelled == 1


def test_tables_that_name_no_samples_of_each_other_are_refused_with_a_way_on() -> None:
    tables = {
        f"{name}.txt": write.lines([[g, k] for k, g in enumerate(GENES)], "\t") for name in SAMPLES
    }
    with pytest.raises(DatasetError, match="join them into one table"):
        _ = read_here(write.zipped(tables), "htseq.zip").dataset


def test_reference_values_beside_single_spectra_are_kept_apart() -> None:
    curves, _ = write.spectra(8, 60, 5)
    members = {
        f"s{k}.csv": write.lines([[4000 - 4 * at, value] for at, value in enumerate(curve)])
        for k, curve in enumerate(curves)
    }
    about = [["file", "moisture"], *([f"s{k}.csv", 12.25 + k] for k in range(8))]
    reading = read_here(write.zipped({**members, "about.csv": write.lines(about)}), "nir.zip")
    assert reading.dataset.data.shape == (8, 60)
    assert "moisture: a target to be predicted" in reading.left_out


def test_a_symbol_stands_before_the_accession_of_a_gene() -> None:
    symbols: list[object] = [f"ZNF{k}" for k in range(40)]
    symbols[3] = ""
    names = read_lines(counts(gene_symbol=symbols)).dataset.feature_names
    assert names is not None
    assert names[0] == f"ZNF0 ({GENES[0]})"
    assert names[3] == GENES[3]


def test_genes_that_a_spreadsheet_made_dates_of_are_named() -> None:
    rows = counts()
    rows[4][0], rows[7][0] = "2-Sep", "2026-03-01"
    assert "2 names are dates: 2-Sep, 2026-03-01." in sentences(read_lines(rows))
    assert "dates" not in sentences(read_lines(counts()))


@pytest.mark.parametrize(
    ("names", "classes"),
    [
        ([f"{group}_{k}" for group in ("ctrl", "treat") for k in range(1, 7)], 2),
        ([f"/data/{group}{k}.bam" for group in ("WT", "KO") for k in range(1, 7)], 2),
        ([f"{row}{k}" for row in "ABCD" for k in range(1, 4)], 0),
        (SAMPLES, 0),
    ],
)
def test_names_of_samples_carry_their_group_but_wells_are_no_groups(
    names: list[str], classes: int
) -> None:
    reading = read_lines(counts(names))
    assert not reading.open_questions
    assert reading.dataset.n_classes == classes


def test_several_parts_of_the_names_are_asked_about() -> None:
    names = [f"{a}_{b}_R{k}" for a in ("ctrl", "drug") for b in ("0h", "6h") for k in (1, 2, 3)]
    question = read_lines(counts(names)).open_questions["classes_from"]
    offered = [answer.example for answer in question.answers[:3]]
    assert offered == ["4 classes", "2 classes", "2 classes"]


def test_rows_of_numbers_among_rows_of_words_are_about_the_samples() -> None:
    rows = counts()
    rows[1:1] = [["Group", *"aabbaabbaabb"], ["Age", *range(30, 42)]]
    reading = read_lines(rows)
    assert reading.dataset.n_features == 40
    assert "Age: a target to be predicted" in reading.left_out


def test_digits_in_groups_are_taken_first() -> None:
    frame = pd.DataFrame(COUNTS * 30, columns=SAMPLES)
    frame = frame.map(lambda value: f"{value:,}")
    frame.insert(0, "gene", GENES)
    question = read_here(write.csv(frame), "a.csv").questions.get("missing")
    assert question is None or question.value == "number"


def test_lines_below_a_table_are_passed_over_and_counted() -> None:
    text = write.lines(counts()) + b"\n\nMeasured by AM\nEnd of the file\n"
    reading = read_here(text, "counts.csv")
    assert reading.dataset.data.shape == (12, 40)
    assert "2 lines below the table were passed over." in reading.sentences


def test_a_second_table_below_the_first_is_no_log() -> None:
    text = write.lines(counts()) + b"\n" + write.lines(counts()[:5])
    assert "below" not in sentences(read_here(text, "counts.csv"))


@pytest.mark.parametrize("about", ["labels.csv", "notes.xlsx"])
def test_labels_that_name_columns_are_joined_whatever_their_file_is_called(about: str) -> None:
    rows = [[*row[:2]] for row in ABOUT]
    content = write.lines(rows) if about.endswith(".csv") else write.xlsx({"about": rows})
    members = {"counts.csv": write.lines(counts()), about: content}
    dataset = read_here(write.zipped(members), "study.zip").dataset
    assert dataset.data.shape == (12, 40)
    assert dataset.target_names == ("a", "b")


@pytest.mark.usefixtures("at_home")
def test_new_samples_are_joined_too_where_a_joined_column_is_a_feature() -> None:
    tables = {"counts": counts(), "about": ABOUT}
    content = write.xlsx({name: tables[name] for name in ("about", "counts")})
    dataset = read_here(content, "study.xlsx", roles={"age": "feature"}).dataset
    assert dataset.n_features == 41
    assert dataset.file_columns is None
    for order in (["about", "counts"], ["counts", "about"]):
        again = write.xlsx({name: tables[name] for name in order})
        new = read_like([("again.xlsx", again)], dataset)
        np.testing.assert_allclose(new.data, dataset.data)
        assert not any("the table" in sentence for sentence in new.sentences)


@pytest.mark.usefixtures("at_home")
def test_new_samples_come_from_the_sheet_that_was_chosen() -> None:
    other = [["sample", "condition"], *([f"T{k}", "a"] for k in range(12))]
    content = write.xlsx({"other": other, "counts": counts()})
    dataset = read_here(content, "study.xlsx", data="counts").dataset
    new = read_like([("study.xlsx", content)], dataset)
    np.testing.assert_allclose(new.data, dataset.data)


def test_a_column_of_a_table_beside_has_no_place_in_the_file_of_the_samples() -> None:
    values = RNG.normal(size=(12, 8)).round(3).tolist()
    spectra = [
        ["sample", *["iron", "zinc", "lead", "gold", "neon", "tin", "boron", "argon"]],
        *([name, *row] for name, row in zip(SAMPLES, values, strict=True)),
    ]
    members = {"a.csv": write.lines(spectra), "b.csv": write.lines([row[:3] for row in ABOUT])}
    for roles, places in (({}, [*range(1, 9)]), ({"age": "feature"}, None)):
        answers = {"roles": roles, "scale": "columns"}
        dataset = read_here(write.zipped(members), "study.zip", **answers).dataset
        assert dataset.n_features == 8 + len(roles)
        columns = dataset.file_columns
        assert (None if columns is None else list(columns)) == places


def test_a_table_about_the_features_is_said_to_be_passed_over() -> None:
    rows = [["sample", *GENES], *([name, *row] for name, row in zip(SAMPLES, COUNTS.T.tolist(),
                                                                    strict=True))]  # fmt: skip
    about = [["gene", "chr"], *([gene, f"chr{k % 3}"] for k, gene in enumerate(GENES))]
    reading = read_here(write.xlsx({"counts": rows, "genes": about}), "study.xlsx")
    assert "The samples are in counts. genes names the rows or the columns of counts." in (
        reading.sentences
    )
    assert "genes: it says more of the features, not of the samples" in reading.left_out


def test_what_is_passed_over_on_a_sheet_of_several_tables_is_said() -> None:
    table = [["a", "b", "c"], *RNG.random((10, 3)).round(3).tolist()]
    beside = [["x", "y"], *RNG.random((10, 2)).round(3).tolist()]
    rows = [[*row, None, *other] for row, other in zip(table, beside, strict=True)]
    rows[0] += [None, "mean", "of all"]
    content = write.xlsx({"S": [["Measured in May"], ["by Anna"], *rows]})
    reading = read_here(content, "a.xlsx", data="S, columns A to C")
    assert "2 lines above the table were passed over." in reading.notes
    assert "S, columns H to I: it holds no table" in reading.left_out
    several = write.xlsx({"S": [["Measured in May"], [], *table], "T": table})
    reading = read_here(several, "a.xlsx", data="S")
    assert "1 line above the table was passed over." in reading.notes


def test_formulas_without_a_value_are_said() -> None:
    rows = [["a", "b", "sum"], *([*row, 0.5] for row in RNG.random((9, 2)).round(3).tolist())]
    content = write.xlsx({"S": rows})
    without = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(without, "w") as target:
        for member in archive.namelist():
            text = archive.read(member)
            if "sheet1" in member:
                text = text.replace(b"<v>0.5</v>", b"<f>A2+B2</f><v></v>")
            target.writestr(member, text)
    reading = read_here(without.getvalue(), "a.xlsx", samples="rows")
    assert (
        "9 cells hold formulas without a value on the sheet S: open the workbook in Excel or "
        "LibreOffice, save it there, and bring that."
    ) in reading.notes
