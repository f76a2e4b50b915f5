"""A store of the version before is opened once; its runs are carried over, read-only, marked."""

import json
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from cspca.evaluation import COLUMNS
from cspca.experiments.doctor import doctor
from cspca.experiments.runner import stored_outcome
from cspca.experiments.store import Store, StoreError
from tests.experiments.toys import Toy

FIXTURE = Path(__file__).parent.parent / "fixtures" / "store_v1"
KINDS = {"comparison": "compare", "checks": "paper"}


@pytest.fixture
def home(tmp_path):
    return Path(shutil.copytree(FIXTURE / "store", tmp_path / "home"))


@pytest.fixture(scope="module")
def told():
    """What the product of then said of its runs, by id."""
    return {run["run"]: run for run in json.loads((FIXTURE / "content.json").read_text("utf-8"))}


def test_all_runs_are_there_with_their_names_and_dates_and_marked(home, told):
    with Store(home) as store:
        assert "runs of the version before" in store.note
        assert store.note.endswith(".")
        runs = {run.id: run for trashed in (False, True) for run in store.runs(trashed=trashed)}
        assert set(runs) == set(told)
        for run_id, before in told.items():
            run = runs[run_id]
            assert run == store.get(run_id) == store.view(run.view_id)
            assert run.imported
            assert run.kind == KINDS.get(before["kind"], before["kind"])
            for name in ("name", "created", "updated", "n_cells", "n_done"):
                assert getattr(run, name) == before[name]
            assert run.trashed == before["deleted"]
            for name in ("name", "n_samples", "n_features", "n_classes", "sha256"):
                assert getattr(run.data, name) == before["data"][name]
            assert not store.may_change(run, "")
            assert not store.may_change(run, "a visitor")
    with Store(home) as again:
        assert again.note == ""
        assert len(again.runs()) == len(runs) - 1
    assert (home / "version-1" / "runs.sqlite").is_file()
    assert not (home / "runs.sqlite").exists()
    assert doctor(home).faults == ()


def test_its_numbers_are_those_that_were_shown(home, told):
    with Store(home) as store:
        for run_id, before in told.items():
            rows = [(name, row) for name, r in store.results(run_id).items() for row in r.rows]
            clustered = [row for name, row in rows if json.loads(name)[0] == "cluster"]
            for metric, methods in before.get("metrics", {}).items():
                for one in methods:
                    choice = one["best_choice"]
                    runs = [
                        row[metric]
                        for row in clustered
                        if row["method"] == one["method"]
                        and row["n_features"] == choice["n_features"]
                        and json.loads(row["parameters"] or "{}") == choice["parameters"]
                    ]
                    assert len(runs) == one["best"]["n"]
                    assert np.mean(runs) == pytest.approx(one["best"]["mean"], abs=1e-12)
                    assert all(row["title"] for row in clustered)


def test_a_comparison_is_the_long_table_of_today(home, told):
    ids = [r for r, one in told.items() if one["kind"] == "comparison"]
    with Store(home) as store:
        for run_id in ids:
            found = stored_outcome(store, store.get(run_id)).tables
            results = store.results(run_id).items()
            rows = [one.rows[0] for name, one in results if json.loads(name)[0] == "cluster"]
            # Runs of before know nothing of what is measured since.
            assert all(set(row) <= set(COLUMNS) for row in rows)
            assert found["Clusterings"]["selection_seconds"].notna().all()
            assert {"method", "title", "selection_seconds"} < set(found["Fits"].columns)
            n_done = sum(len(table) for table in found.values())
            assert n_done == told[run_id]["n_done"]


def test_rankings_keep_their_arrays_and_a_fit_its_course(home, told):
    fit = next(r for r, one in told.items() if one["name"] == "A kept fit")
    with Store(home) as store:
        (found,) = store.results(fit).values()
        assert {"order", "scores", "feature_scores", "history_objective"} <= set(found.arrays)
        assert sorted(found.arrays["order"]) == list(range(64))
        assert found.rows[0]["objective"] > 0
        assert store.get(fit).settings["asked"]["alpha"] == 0.1


def test_nothing_goes_on_and_everything_else_can_be_done(home, told):
    half = next(r for r, one in told.items() if one["name"] == "Stopped half way")
    kept = next(r for r, one in told.items() if one["name"] == "Four points")
    trashed = next(r for r, one in told.items() if one["name"] == "In the trash")
    with Store(home) as store:
        assert store.get(half).state == "done"
        assert store.open_cells(half) == set()
        assert store.claim(half, list(store.results(half))) == {}
        store.restore_cells(half, Toy().cells(None))
        assert store.open_cells(half) == set()
        assert store.get(half).n_done == told[half]["n_done"]
        store.rename(half, "A half")
        store.restore(trashed)
        assert len(store.runs()) == len(told)
        data = store.data(kept)
        assert (data.sha256, data.name) == (told[kept]["data"]["sha256"], "sixty digits")
        # Kept once for all who had it: they belong to the same person.
        assert store.data(half).sha256 == data.sha256
        store.forget_data(half)
        with pytest.raises(StoreError, match="bring the same file"):
            store.data(half)
        store.trash(kept)
        assert store.purge(older_than=0) == [kept]
        assert store.get(half).name == "A half"


def test_cut_short_it_is_carried_over_once(home, told, monkeypatch):
    monkeypatch.setattr("cspca.experiments.legacy._put_aside", lambda home: None)
    for _ in range(2):
        with Store(home) as store:
            assert len(store.runs()) + len(store.runs(trashed=True)) == len(told)
    monkeypatch.undo()
    with Store(home) as store:
        assert len(store.runs()) + len(store.runs(trashed=True)) == len(told)


def test_what_is_damaged_in_it_is_left_out(home, told):
    gone = next(r for r, one in told.items() if one["name"] == "A kept fit")
    with sqlite3.connect(home / "runs.sqlite") as connection:
        connection.execute("UPDATE runs SET request = '{}' WHERE id = ?", (gone,))
        connection.execute("UPDATE cells SET result = 'x' WHERE rowid = 1")
    connection.close()
    for path in home.glob("arrays/*/*.npz"):
        path.write_bytes(b"")
    with Store(home) as store:
        runs = [*store.runs(), *store.runs(trashed=True)]
        assert {run.id for run in runs} == set(told) - {gone}
        for run in runs:
            assert all(not found.arrays for found in store.results(run.id).values())


def test_another_file_of_that_name_is_left_alone(tmp_path):
    (tmp_path / "runs.sqlite").write_bytes(b"no database")
    with Store(tmp_path) as store:
        assert "cannot be read" in store.note
    assert (tmp_path / "runs.sqlite").read_bytes() == b"no database"
