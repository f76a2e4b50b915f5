"""Data sets as files: what is written is read back as it was."""

import io
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from cspca.datasets import Dataset, load, load_file, make_faces, make_spectra
from cspca.datasets.files.containers.numpy_files import ANSWERS
from cspca.datasets.steps_in_words import sentences_of_steps
from cspca.evaluation.tables import to_xlsx
from cspca.experiments.exports import (
    data_files,
    dataset_arrays,
    dataset_table,
    dataset_workbook,
    may_be_shown,
    npz_bytes,
    to_csv,
)
from tests.datasets.here import read_here
from tests.office import TABS, converted, needs_office

pytestmark = pytest.mark.usefixtures("at_home")

FACES = make_faces(n_people=3, n_per_person=4, image_size=8, random_state=1)
NAMED = read_here(b"a,=b,c\n1,2,3\n4,5,9\n0,1,2\n", "a.csv").dataset


def dataset_csv(dataset: Dataset) -> str:
    return to_csv(dataset_table(dataset))


def test_an_npz_is_read_back_as_it_was() -> None:
    again = load_file(npz_bytes(dataset_arrays(FACES)), "faces.npz")
    assert np.array_equal(again.data, FACES.data)
    assert np.array_equal(again.target, FACES.target)
    assert again.image_shape == FACES.image_shape


def test_a_csv_is_read_back_as_it_was() -> None:
    again = load_file(dataset_csv(FACES).encode(), "faces.csv")
    assert np.allclose(again.data, FACES.data, rtol=0, atol=1e-15)
    assert np.array_equal(again.target, FACES.target)
    assert again.target_names == FACES.target_names


def test_names_keep_a_number_sign() -> None:
    content = b"a,#1,b #2\n1,2,3\n4,5,9\n0,1,2\n"
    numbered = read_here(content, "a.csv").dataset
    assert numbered.feature_names == ("a", "#1", "b #2")
    again = read_here(dataset_csv(numbered).encode(), "a.csv").dataset
    assert again.feature_names == numbered.feature_names


def test_columns_have_names() -> None:
    header = dataset_csv(FACES).splitlines()[0].split(",")
    assert header[0] == "r1c1"
    assert header[-2:] == ["r8c8", "class"]


def test_a_name_is_never_a_formula() -> None:
    dataset = replace(FACES, target_names=("=1+1", "@b", "c"))
    lines = dataset_csv(dataset).splitlines()
    assert lines[1].endswith(",'=1+1")
    assert "'=b" in dataset_csv(NAMED).splitlines()[0]


def test_columns_may_share_a_name() -> None:
    dataset = replace(FACES, feature_names=("=a", "class") * 32)
    assert dataset_csv(dataset).splitlines()[0] == ",".join(["'=a", "class"] * 32 + ["class"])


def test_only_what_is_surely_free_may_be_shown() -> None:
    assert may_be_shown(load("digits").licence)
    assert may_be_shown(FACES.licence)
    for licence in ("", "for research purposes", "as the file's owner says", "not CC BY"):
        assert not may_be_shown(licence)


def odd_names() -> Dataset:
    names = ("=a", "-b", "+c", "@d", "0012", "12:30", "class", "TRUE", "naïve")
    names += tuple(f"g{number}" for number in range(64 - len(names)))
    words = {"target_names": ("=1+1", "0012", "-OH"), "feature_names": names}
    return replace(FACES, image_shape=None, **words)


def some_unlabelled() -> Dataset:
    target = np.array(FACES.target)
    target[:2] = -1
    return replace(FACES, target=target)


SETS: dict[str, Callable[[], Dataset]] = {
    "pictures": lambda: FACES,
    "odd names": odd_names,
    "without classes": lambda: replace(FACES, target=None, target_names=None),
    "classes without names": lambda: replace(FACES, target_names=None),
    "samples without a class": some_unlabelled,
    "spectra": lambda: make_spectra(n_samples=12, random_state=0),
    "zeros and ones": lambda: Dataset(np.tile(np.eye(3), (4, 1))),
}


def assert_same(again: Dataset, dataset: Dataset) -> None:
    np.testing.assert_array_equal(again.data, dataset.data)
    assert again.image_shape == dataset.image_shape
    assert again.axis == dataset.axis
    if dataset.image_shape is None:
        assert again.feature_names == dataset.feature_names
    assert (again.target is None) == (dataset.target is None)
    if dataset.target_names is not None:
        assert list(again.labels) == list(dataset.labels)
    elif dataset.target is not None:
        np.testing.assert_array_equal(again.target, dataset.target)


@pytest.mark.parametrize("kind", SETS)
def test_a_workbook_is_read_back_as_the_set_it_was(kind: str) -> None:
    dataset = SETS[kind]()
    assert_same(load_file(dataset_workbook(dataset), "data.xlsx"), dataset)


def texts_of(workbook: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(workbook)) as packed:
        root = ElementTree.fromstring(packed.read("xl/sharedStrings.xml"))
    return [text.text or "" for text in root.iter() if text.tag.endswith("}t")]


def test_a_workbook_says_what_its_values_are() -> None:
    texts = texts_of(dataset_workbook(FACES))
    size = "8 × 8 pixels, row by row from the top left"
    assert {FACES.name, FACES.sha256, FACES.licence, size} <= set(texts)
    read = load_file(b"a,b\n1,2\n4,5\n0,1\n", "a.csv", labels=None)
    steps = sentences_of_steps(read)
    assert len(steps) > 1
    assert set(steps) <= set(texts_of(dataset_workbook(read)))


def test_a_workbook_that_somebody_changed_is_a_table_as_any_other() -> None:
    table = dataset_table(FACES)
    about = pd.DataFrame({"fact": [ANSWERS], "value": [json.dumps({"data": "X"})]})
    shorter = load_file(to_xlsx({"Samples": table.drop(index=3), "About": about}), "data.xlsx")
    np.testing.assert_array_equal(shorter.data, np.delete(FACES.data, 3, axis=0))
    table = table.astype(object)
    table.iloc[0, 5] = "smudged"
    changed = to_xlsx({"Samples": table, "About": about})
    with pytest.raises(ValueError, match="smudged"):
        load_file(changed, "data.xlsx")


LETTERS = Dataset(
    np.random.default_rng(0).random((6, 4)),
    target=np.array([0, 1, 0, 1, 0, 1]),
    feature_names=("a", "b", "c", "d"),
)


def changed_workbook(dataset: Dataset, change: Callable[[pd.DataFrame], pd.DataFrame]) -> bytes:
    answers = json.loads(str(dataset_arrays(dataset)[ANSWERS]))
    about = pd.DataFrame({"fact": [ANSWERS], "value": [json.dumps(answers)]})
    return to_xlsx({"Samples": change(dataset_table(dataset)), "About": about})


def test_a_last_column_without_a_head_is_read() -> None:
    dataset = replace(LETTERS, target=None, feature_names=("a", "b", "c", ""))
    again = load_file(dataset_workbook(dataset), "data.xlsx")
    np.testing.assert_array_equal(again.data, dataset.data)


def test_moved_pixels_are_read_where_their_names_say() -> None:
    moved = [*dataset_table(FACES).columns[[1, 0]], *dataset_table(FACES).columns[2:]]
    again = load_file(changed_workbook(FACES, lambda table: table[moved]), "data.xlsx")
    assert again.image_shape == FACES.image_shape
    np.testing.assert_array_equal(again.data, FACES.data)


def test_a_column_beside_the_classes_is_not_taken_for_them() -> None:
    batch = [0, 0, 0, 1, 1, 1]
    content = changed_workbook(LETTERS, lambda table: table.assign(batch=batch))
    again = load_file(content, "data.xlsx", classes_from="class")
    assert list(again.labels) == ["0", "1"] * 3


def test_a_date_in_a_workbook_is_not_taken_for_a_number() -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(dataset_workbook(replace(LETTERS, target=None)))) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    sheet, styles = "xl/worksheets/sheet1.xml", "xl/styles.xml"
    cell = rb'<c r="C3" s="2"><v>1</v></c>'
    members[sheet], n_cells = re.subn(rb'<c r="C3"[^>]*>.*?</c>', cell, members[sheet])
    date = b'<xf numFmtId="14" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs>'
    members[styles] = members[styles].replace(b"</cellXfs>", date)
    with zipfile.ZipFile(content, "w") as packed:
        for name, part in members.items():
            packed.writestr(name, part)
    assert n_cells == 1
    with pytest.raises(ValueError, match="1899-12-31"):
        load_file(content.getvalue(), "data.xlsx")


def test_escapes_of_a_workbook_are_read_as_their_characters() -> None:
    dataset = replace(LETTERS, target=None, feature_names=("_x0041_", "a_x000D_b", "c_xyz", "_x"))
    again = load_file(dataset_workbook(dataset), "data.xlsx")
    assert again.feature_names == dataset.feature_names


def test_a_large_set_is_offered_as_no_workbook() -> None:
    def labels(dataset: Dataset) -> list[str]:
        return [file.label for file in data_files(dataset)]

    assert labels(FACES) == ["Table, CSV", "Workbook, XLSX", "Arrays, NPZ"]
    wide = Dataset(np.resize([0.0, 0.5, 1.0], (3, 2**14)))
    assert labels(wide) == ["Table, CSV", "Arrays, NPZ"]
    assert labels(Dataset(np.resize([0.0, 0.5, 1.0], (6_000, 100)))) == [
        "Table, CSV",
        "Arrays, NPZ",
    ]


@pytest.mark.slow
@needs_office
@pytest.mark.parametrize("language", ["en-US", "de"])
def test_libreoffice_reads_a_data_set_and_saves_it_as_it_was(tmp_path: Path, language: str) -> None:
    dataset = odd_names()
    file = tmp_path / "data.xlsx"
    file.write_bytes(dataset_workbook(dataset))
    saved = load_file(converted(file, "xlsx", language).read_bytes(), "data.xlsx")
    np.testing.assert_allclose(saved.data, dataset.data, rtol=0, atol=1e-14)
    assert saved.feature_names == dataset.feature_names
    assert list(map(str, saved.labels)) == list(map(str, dataset.labels))
    lines = converted(file, TABS, language).read_text(encoding="utf-8").splitlines()
    assert [cell.strip('"') for cell in lines[0].split("\t")] == [*dataset.feature_names, "class"]
    first = [float(cell.replace(",", ".")) for cell in lines[1].split("\t")[:-1]]
    np.testing.assert_allclose(first, dataset.data[0], rtol=0, atol=1e-14)
