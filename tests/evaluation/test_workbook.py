"""Tables as Excel workbooks: numbers and text arrive as they are, in any language."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cspca.datasets.files.reading import read_columns
from cspca.evaluation.tables import to_csv, to_xlsx
from cspca.experiments import Compare, run
from cspca.experiments.exports import file
from tests.experiments.toys import blobs
from tests.office import TABS, converted, needs_office

NAMES = (
    "0012",
    "3E8",
    "12:30",
    "-OH",
    "=1+1",
    "+x",
    "@y",
    "naïve",
    "CO₂",
    "http://a.b",
    "TRUE",
    "",
)


def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=len(NAMES)) * 10.0 ** np.arange(-6, 6)
    scores[:3] = 0.505, 0.1 + 0.2, np.nan
    frame = pd.DataFrame({"name": NAMES, "score": scores})
    frame["count"] = np.arange(len(NAMES)) * 10**13
    frame["sure"] = [True, False] * (len(NAMES) // 2)
    return frame


def test_numbers_are_those_of_the_csv_to_the_last_digit() -> None:
    frame = table()
    columns = dict(read_columns(to_xlsx({"Scores": frame}), "scores.xlsx").columns)
    texts = pd.read_csv(io.StringIO(to_csv(frame)), dtype=str)
    expected = texts["score"].astype(float).to_numpy()
    received = np.array([float(cell) if cell else np.nan for cell in map(str, columns["score"])])
    np.testing.assert_array_equal(received, expected)
    assert [int(float(cell)) for cell in columns["count"]] == frame["count"].tolist()


def cells(content: bytes, sheet: int = 1) -> str:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return packed.read(f"xl/worksheets/sheet{sheet}.xml").decode()


def test_text_is_no_formula_no_link_and_no_number() -> None:
    content = to_xlsx({"Scores": table()})
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        texts = packed.read("xl/sharedStrings.xml").decode()
    assert "<f>" not in cells(content)
    assert "hyperlink" not in cells(content)
    for name in NAMES:
        assert f">{name}<" in texts or not name


def test_sheets_have_names_that_excel_allows() -> None:
    frame = table().head(1)
    titles = ("ACC [%]: a/b", "ACC [%] * a?b", "acc  %   a b", "'History'", "x" * 40, "x" * 41, "")
    with zipfile.ZipFile(io.BytesIO(to_xlsx(dict.fromkeys(titles, frame)))) as packed:
        workbook = packed.read("xl/workbook.xml").decode()
    names = [part.partition('"')[0] for part in workbook.split('<sheet name="')[1:]]
    assert names == [
        *("ACC % a b", "ACC % a b (2)", "acc % a b (3)", "History (2)"),
        *("x" * 31, "x" * 27 + " (2)", "Table"),
    ]


def test_a_long_table_takes_several_sheets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cspca.evaluation.tables._MOST_ROWS", 5)
    content = to_xlsx({"Scores": table()})
    assert [cells(content, sheet).count("<row ") for sheet in (1, 2, 3)] == [6, 6, 3]


def test_every_table_of_a_comparison_has_its_sheet() -> None:
    asked = Compare(methods=("all", "variance"), n_features=(3,), n_seeds=2, n_draws=0)
    outcome = run(asked, blobs(n=60, d=12, classes=3))
    content = file(outcome, ".xlsx")
    assert isinstance(content, bytes)
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        workbook = packed.read("xl/workbook.xml").decode()
    for title in (*outcome.table_titles, "All results"):
        assert f'<sheet name="{title}"' in workbook


@pytest.mark.slow
@needs_office
@pytest.mark.parametrize("language", ["en-US", "de"])
def test_libreoffice_reads_the_numbers_of_the_csv(tmp_path: Path, language: str) -> None:
    """Numbers are numbers where the decimal sign is a comma."""
    frame = table()
    file = tmp_path / "scores.xlsx"
    file.write_bytes(to_xlsx({"Scores": frame}))
    text = converted(file, TABS, language).read_text(encoding="utf-8")
    decimal = "," if language == "de" else "."
    seen = pd.read_csv(
        io.StringIO(text), sep="\t", decimal=decimal, dtype={"name": str}, keep_default_na=False,
        na_values={"score": [""]},
    )  # fmt: skip
    assert seen["name"].tolist() == list(NAMES)
    np.testing.assert_allclose(seen["score"], frame["score"], rtol=1e-14)
    assert json.loads(seen["count"].to_json(orient="values")) == frame["count"].tolist()
