"""``paper``: a small file from one command, again at no cost, as JSON and as tables."""

import csv
import io
import json

import pytest

from tests.pages import read
from tests.shell.test_shell import command, place, shell  # noqa: F401


@pytest.fixture(scope="module")
def done(place, tmp_path_factory):  # noqa: F811
    home = tmp_path_factory.mktemp("home")
    return shell("paper", place / "blobs.npz", "--quick", "--seeds", "3", home=home), home


def test_it_ends_with_tables_and_verdicts(done):
    said, _ = done
    assert "This is none of the paper’s data sets" in said.stdout
    assert "by a shortened protocol" in said.stdout
    assert "ACC, the paper’s and ours" in said.stdout
    assert "Algorithm 1 reaches the global optimum" in said.stdout
    assert "of computing" in said.stdout
    assert "Paper on blobs" in said.stderr


def test_again_it_is_there_at_once_and_speaks_json(done, place, tmp_path):  # noqa: F811
    _, home = done
    out = tmp_path / "tables.csv"
    again = shell(
        "paper", place / "blobs.npz", "--quick", "--seeds", "3", "--json", "--out", out,
        home=home,
    )  # fmt: skip
    found = json.loads(again.stdout)
    assert found["settings"]["grid"] == [0.01, 1.0, 100.0]
    assert found["n_done"] == found["n_cells"]
    assert [row["method"] for row in found["tables"]["Paper"]][-1] == "cspca"
    assert {one["verdict"] for one in found["tables"]["Claims"]} <= {
        "holds", "holds in part", "no clear difference", "does not hold", "not tested here",
    }  # fmt: skip
    lines = list(csv.DictReader(io.StringIO(out.read_text())))
    assert len(lines) == 14
    assert "error_as_printed" in found["tables"]["Checks"][0]
    (listed,) = json.loads(shell("runs", "list", "--json", home=home).stdout)
    assert listed["run"] == found["run"]


def test_its_claims_have_a_report(done, place, tmp_path):  # noqa: F811
    _, home = done
    words = ("paper", place / "blobs.npz", "--quick", "--parts", "checks", "--json")
    run = json.loads(shell(*words, home=home).stdout)["run"]
    out = tmp_path / "claims.html"
    said = shell("report", run, "--out", out, home=home)
    assert "Report of Paper on blobs" in said.stdout
    seen = read(out.read_text())
    assert "It maps unseen images" in seen.text
    assert "Does the paper hold on blobs?" in seen.text


def test_what_cannot_be_done_is_said_in_a_sentence(place, tmp_path):  # noqa: F811
    parts = shell("paper", place / "blobs.npz", "--parts", "all", home=tmp_path, code=2)
    assert "parts must be one of comparison, starts, checks" in parts.stderr
    seeds = shell("paper", place / "blobs.npz", "--seeds", "1", home=tmp_path, code=2)
    assert "n_seeds must be a whole number from 2" in seeds.stderr
    shell("paper", place / "blobs.npz", "--out", "tables.docx", home=tmp_path, code=2)
