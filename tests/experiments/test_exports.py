"""Files of a result: every kind alike, read back, and harmless whatever things are called."""

import csv
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from cspca import CSPCA
from cspca.datasets import Dataset, load_file, make_faces, resized
from cspca.evaluation.tables import Strong
from cspca.experiments import Cell, Experiment, Finding, Fit, Outcome, Result, exports, run, setting
from cspca.experiments.components import coordinates

HOSTILE = ['=HYPERLINK("http://evil")', "+1", "-1", "@SUM(A1)", "a,b\nc", 'q"q', "\t=1", "\r=2"]


@dataclass(frozen=True)
class Toy(Experiment):
    """An experiment with whatever names it is given."""

    kind = "toy"
    title = "Toy"
    names: tuple[str, ...] = setting(("plain",))

    def cells(self, data):
        return [Cell("toy", {"name": name}) for name in self.names]

    def compute(self, cell, data, needed):
        row = {"name": cell.parameters["name"], "value": 0.1 + 0.2, "count": 3, "none": np.nan}
        return Result((row,), {"order": np.arange(3), cell.parameters["name"][:1]: np.ones(2)})

    def tables(self, results, data):
        return {"Counts": self.table(results)[["name", "count"]], "More": pd.DataFrame({"a": [1]})}

    def printed(self, results, data):
        groups = pd.MultiIndex.from_tuples([("", "Name"), ("100 %", "a_b"), ("100 %", "α")])
        rows = [[name, Strong("1 ± 2"), "−3·10⁻⁶"] for name in self.names]
        frame = pd.DataFrame(rows, columns=groups, dtype=object)
        frame.attrs["note"] = "A note & more."
        return {"Printed": frame}

    def findings(self, results, data):
        return [Finding("It is so.", "holds", {"x": float("nan")})]


DATA = Dataset(
    np.linspace(0, 1, 24).reshape(4, 6), np.array([0, 1, 0, 1]), (2, 3), name="set_1 & more"
)


def outcome(*names: str) -> Outcome:
    asked = Toy(names or ("plain",))
    results: Mapping = {cell: asked.compute(cell, DATA, {}) for cell in asked.cells(DATA)}
    return Outcome(asked, DATA, results)


def test_every_kind_has_all_its_files() -> None:
    names = [one.name for one in exports.files(outcome())]
    assert names == [
        "toy.csv", "toy-more.csv", "toy-runs.csv", "toy.xlsx", "toy.tex", "toy.npz", "toy.json",
        "toy-methods.txt", "toy.py", "toy.zip",
    ]  # fmt: skip
    assert exports.file_name("Set 1/..", "toy.csv") == "cspca-set-1-toy.csv"
    assert exports.file_name("…", "toy.csv") == "cspca-data-toy.csv"


def test_a_file_by_its_suffix() -> None:
    found = outcome()
    assert exports.file(found, ".csv") == exports.to_csv(found.tables["Counts"])
    assert exports.file(found, ".py") == found.snippet
    with pytest.raises(
        ValueError, match=r"Toy makes no file that ends in '.png': choose from .csv"
    ):
        exports.file(found, ".png")


def test_csv_has_all_digits_and_nothing_where_nothing_is_known() -> None:
    (line,) = csv.DictReader(io.StringIO(exports.to_csv(outcome().table)))
    assert float(line["value"]) == 0.1 + 0.2
    assert (line["count"], line["none"]) == ("3", "")


def test_hostile_names_are_harmless_in_csv() -> None:
    hostile = outcome(*HOSTILE).table.rename(columns={"count": "=count"})
    head, *lines = csv.reader(io.StringIO(exports.to_csv(hostile)))
    assert "'=count" in head
    for line, name in zip(lines, HOSTILE, strict=True):
        assert line[0][0] not in "=+-@\t\r"
        assert line[0].removeprefix("'") == name.replace("\r", "\n")


def test_numbers_below_zero_are_numbers() -> None:
    frame = pd.DataFrame({"a": [-1.5], "b": [-2]})
    assert exports.to_csv(frame) == "a,b\n-1.5,-2\n"


def test_latex_escapes_once_and_says_groups_and_notes() -> None:
    text = exports.latex(outcome(r"\input{/etc/passwd} & 50% $x_1$ #1 ~^ \\"))
    assert r"\input" not in text
    line = next(line for line in text.splitlines() if "etc/passwd" in line)
    braces = r"\textbackslash{}input\textbraceleft{}/etc/passwd\textbraceright{}"
    assert rf"{braces} \& 50\% \$x\_1\$ \#1" in line
    assert line.endswith(r" & \textbf{1 $\pm$ 2} & $-$3$\cdot$10\textsuperscript{$-$6} \\")
    assert r"\caption{Printed, set\_1 \& more.}" in text
    assert r" & \multicolumn{2}{c}{100 \%} \\" in text
    assert r"Name & a\_b & $\alpha$ \\" in text
    assert r"A note \& more." in text
    assert text.count("{") == text.count("}")


def test_latex_without_a_table_says_so() -> None:
    assert exports.latex(Outcome(Toy(), DATA, {})).startswith("% There is no table")


def test_npz_has_the_table_and_every_array() -> None:
    with np.load(io.BytesIO(exports.npz(outcome("a", "=b"))), allow_pickle=False) as found:
        assert found["table/name"].tolist() == ["a", "=b"]
        assert found["table/value"].tolist() == [0.1 + 0.2] * 2
        np.testing.assert_array_equal(found["toy/order"], [[0, 1, 2]] * 2)
        assert json.loads(found["toy/cells"][1]) == ["toy", 1, {"name": "=b"}]
        # What only one of them has is told by its number.
        np.testing.assert_array_equal(found["toy/1/="], [1, 1])


def test_json_is_read_back_and_says_null_where_a_number_is_missing() -> None:
    found = json.loads(exports.to_json(outcome()))
    assert found["kind"] == "toy"
    assert found["settings"] == {"names": ["plain"]}
    assert found["data"]["sha256"] == DATA.sha256
    assert found["findings"] == [
        {"sentence": "It is so.", "verdict": "holds", "numbers": {"x": None}}
    ]
    assert found["tables"]["Counts"] == [{"name": "plain", "count": 3}]


def test_everything_lies_in_one_archive() -> None:
    found = outcome()
    with zipfile.ZipFile(io.BytesIO(exports.archive(found))) as packed:
        assert packed.testzip() is None
        assert "toy.zip" not in packed.namelist()
        assert packed.read("toy-runs.csv").decode() == exports.to_csv(found.table)


def test_features_are_listed_best_first_with_their_places() -> None:
    table = exports.feature_table(DATA, [2, 4, 5, 6, 3, 1], {"score": np.arange(6) / 10})
    places = ["feature_from_0", "feature_from_1", "name", "row_from_1", "column_from_1"]
    assert list(table.columns) == [*places, "score", "rank", "n_sharing_rank"]
    assert table.iloc[0].tolist() == [5, 6, "", 2, 3, 0.5, 1, 1]
    plain = Dataset(DATA.data, feature_names=("=a", "b", "c", "d", "e", "f"), name="x")
    lines = exports.to_csv(exports.feature_table(plain, range(1, 7), {})).splitlines()
    assert lines[:2] == [",".join([*places, "rank", "n_sharing_rank"]), "0,1,'=a,,,1,1"]


def test_every_file_of_samples_says_in_the_same_columns_which_they_are() -> None:
    generator = np.random.default_rng(0)
    data = Dataset(
        generator.uniform(size=(6, 4)),
        np.array([0, 1, -1, 0, 1, -1]),
        target_names=("cat", "dog"),
        sample_names=tuple("abcdef"),
        sample_numbers=(2, 3, 5, 7, 11, 13),
    )
    outcome = run(Fit(0.1, 0.01), data)
    errors = outcome.experiment.tables(outcome.results, data)["Errors"]
    placed = coordinates(CSPCA(0.1, 0.01).fit(data.data).fit_, data)
    for table in (errors.sort_values("row_of_data_from_0"), placed):
        assert list(table)[:4] == ["sample_from_1", "sample_name", "row_of_data_from_0", "class"]
        assert table["sample_from_1"].tolist() == [2, 3, 5, 7, 11, 13]
        assert "".join(table["sample_name"]) == "abcdef"
        # An empty cell, as in the file of the set: "no label" would be read back as a class.
        assert table["class"].tolist() == ["cat", "dog", "", "cat", "dog", ""]


def test_maps_are_made_of_results_that_have_one() -> None:
    asked = Toy()
    cell = asked.cells(DATA)[0]
    row = {"name": "plain", "count": 1}
    found = Outcome(asked, DATA, {cell: Result((row,), {"feature_scores": np.arange(6.0)})})
    files = {one.name: one.make for one in exports.files(found)}
    assert files["importance.png"]().startswith(b"\x89PNG")
    assert "set_1 &amp; more" in files["importance.svg"]()


def test_features_of_a_turned_file_have_their_columns_in_the_file() -> None:
    upright = make_faces(n_people=3, n_per_person=4, image_size=16, random_state=0).images[:, 3:]
    stored = upright.transpose(0, 2, 1).reshape(len(upright), -1)
    memory = io.BytesIO()
    np.savez(memory, fea=stored)
    data = load_file(memory.getvalue(), "turned.npz", order="column", shape=(13, 16))
    np.testing.assert_allclose(data.images, upright)
    table = exports.feature_table(data, np.arange(data.n_features, 0, -1), {})
    in_file, here = table["file_column_from_0"], table["feature_from_0"]
    np.testing.assert_allclose(stored[:, in_file], data.data[:, here])
    assert (in_file != here).any()
    assert (table["file_column_from_1"] == in_file + 1).all()
    # Made smaller, no feature is a column of the file.
    assert "file_column_from_0" not in exports.feature_table(
        resized(data, (8, 8)), range(1, 65), {}
    )
