"""The store of version 1 in tests/fixtures: the shell shows its runs with their numbers."""

import json
import shutil

import pytest

from cspca.shell import main
from tests.real_data import REPOSITORY

STORE = REPOSITORY / "tests" / "fixtures" / "store_v1"


@pytest.fixture
def asked(tmp_path, capsys):
    home = shutil.copytree(STORE / "store", tmp_path / "home")

    def ask(*words, code=0):
        assert main([*words, "--home", str(home)]) == code
        return capsys.readouterr()

    return ask


def test_every_run_is_shown_with_its_numbers(asked):
    content = json.loads((STORE / "content.json").read_text(encoding="utf-8"))
    assert {one["kind"] for one in content} == {"comparison", "sensitivity", "starts", "fit"}
    for then in content:
        run = f"id:{then['run']}"
        now = json.loads(asked("runs", "show", run, "--json").out)
        same = ("run", "name", "created", "updated", "data", "n_cells", "n_done")
        assert [now[name] for name in same] == [then[name] for name in same]
        assert now["imported"]
        assert now["trashed"] == then["deleted"]
        fits, runs = now["tables"]["Fits"], now["tables"].get("Clusterings", ())
        if then["kind"] == "fit":
            for name in ("objective", "dual_objective", "duality_gap", "rank", "regime", "n_zero"):
                assert now[name] == then[name]
        for one in (*then.get("points", ()), *then.get("starts", ())):
            assert one["objective"] in [fit["objective"] for fit in fits]
        for metric, rows in then.get("metrics", {}).items():
            for row in rows:
                found = [
                    one[metric]
                    for one in runs
                    if one["method"] == row["method"]
                    and one["n_features"] == row["best_choice"]["n_features"]
                    and json.loads(one["parameters"] or "{}") == row["best_choice"]["parameters"]
                ]
                assert sum(found) / len(found) == pytest.approx(row["best"]["mean"], abs=1e-12)


def test_they_can_be_looked_at_and_taken_away_and_nothing_else(asked, tmp_path):
    listed = asked("runs", "list").out
    assert "done, imported" in listed
    for run in json.loads(asked("runs", "list", "--json").out):
        said = asked("runs", "show", run["run"]).out
        assert "Fits" in said
        for suffix in ("html", "csv", "json", "npz", "tex", "zip", "py"):
            asked("runs", "export", run["run"], "--out", str(tmp_path / f"run.{suffix}"))
        assert "earlier version" in asked("runs", "resume", run["run"], code=2).err
