"""``reproduce``: a small file from one command, again at no cost, as JSON and as tables."""

import csv
import io
import json

import pytest

from tests.runs.pages import read
from tests.shell.test_shell import command, place, shell  # noqa: F401


@pytest.fixture(scope="module")
def done(place, tmp_path_factory):  # noqa: F811
    home = tmp_path_factory.mktemp("home")
    return shell("reproduce", place / "blobs.npz", "--quick", "--seeds", "3", home=home), home


def test_it_ends_with_tables_and_verdicts(done):
    said, _ = done
    assert "None of the paper’s data sets" in said.stdout
    assert "This is not the paper’s protocol." in said.stdout
    assert "ACC %" in said.stdout
    assert "Algorithm 1 reaches the global optimum" in said.stdout
    assert "by the clock" in said.stdout
    assert "Seven starts and convergence" in said.stderr


def test_again_it_is_there_at_once_and_speaks_json(done, place, tmp_path):  # noqa: F811
    _, home = done
    out = tmp_path / "tables.csv"
    again = shell(
        "reproduce", place / "blobs.npz", "--quick", "--seeds", "3", "--json", "--out", out,
        home=home,
    )  # fmt: skip
    found = json.loads(again.stdout)
    assert found["recognised"]["kind"] == "other"
    assert not found["protocol"]["is_the_papers"]
    assert all(run["n_done"] == run["n_cells"] for run in found["runs"].values())
    assert [row["method"] for row in found["tables"]["nmi"]][-1] == "cspca"
    assert {one["verdict"] for one in found["claims"]} <= {
        "holds", "holds in part", "cannot be told", "does not hold",
    }  # fmt: skip
    lines = list(csv.DictReader(io.StringIO(out.read_text())))
    assert len(lines) == 14
    shown = shell("runs", "show", found["runs"]["checks"]["id"], home=home).stdout
    assert "error_as_printed" in shown
    listed = json.loads(shell("runs", "list", "--json", home=home).stdout)
    assert len(listed if isinstance(listed, list) else listed["runs"]) == 3


def test_its_run_of_checks_has_a_report(done, place, tmp_path):  # noqa: F811
    _, home = done
    listed = json.loads(shell("runs", "list", "--kind", "checks", "--json", home=home).stdout)
    run = (listed if isinstance(listed, list) else listed["runs"])[0]
    out = tmp_path / "claims.html"
    said = shell("report", run["id"] if "id" in run else run["run"], "--out", out, home=home)
    assert "Report of Paper, other claims" in said.stdout
    seen = read(out.read_text())
    assert "3 claims of the paper: " in seen.text
    assert "It maps unseen images" in seen.text
    assert "--quick --seeds 3 --parts checks" in seen.text


def test_what_cannot_be_done_is_said_in_a_sentence(place, tmp_path):  # noqa: F811
    parts = shell("reproduce", place / "blobs.npz", "--parts", "all", home=tmp_path, code=2)
    assert "choose parts from comparison, starts, checks." in parts.stderr
    seeds = shell("reproduce", place / "blobs.npz", "--seeds", "1", home=tmp_path, code=2)
    assert "at least two starts" in seeds.stderr
    shell("reproduce", place / "blobs.npz", "--out", "tables.docx", home=tmp_path, code=2)
