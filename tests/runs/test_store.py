"""The store: what is put in comes out, by whoever is allowed, or one sentence says why not."""

import errno
import io
import json
import os
import resource
import sqlite3
import subprocess
import sys
import textwrap
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest

from cspca.datasets import load, make_motion
from cspca.runs.store import (
    CellState,
    Finished,
    NewCell,
    RunState,
    Store,
    StoreError,
    doctor,
    export_run,
    files,
    schema,
    sessions,
    store_home,
    visible,
)
from cspca.runs.store.export import run_archive
from tests.runs.sweep_processes import blobs

CELLS = [NewCell(f"cell {i}", "rank", f"unit {i // 2}", "method") for i in range(6)]


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "home") as opened:
        yield opened


def _create(store, name="A run", cells=CELLS, **options):
    return store.create("comparison", name, blobs(), {"asked": [1, 2.5]}, cells, **options)


def _finish(store, run_id, unit="unit 0", arrays=None):
    with store.session(run_id) as session:
        keys = session.claim(unit)
        return session.commit([Finished(key, {"value": 0.1}, 0.5, arrays) for key in keys])


def one_sentence(error) -> str:
    words = str(error.value)
    assert "\n" not in words
    assert words.endswith(".")
    return words


def test_its_folder_is_the_users_data_folder_unless_said_otherwise(tmp_path, monkeypatch):
    monkeypatch.delenv("CSPCA_HOME", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    if sys.platform == "linux":
        assert store_home() == tmp_path / "data" / "cspca"
    assert "cspca" in store_home().parts
    monkeypatch.setenv("CSPCA_HOME", str(tmp_path / "chosen"))
    assert store_home() == tmp_path / "chosen"
    assert store_home(tmp_path / "argument") == tmp_path / "argument"


def test_a_run_is_kept_with_all_that_it_was_made_with(store):
    run_id = _create(store, "  My\n run ", seeds=[3, 4])
    assert len(run_id) >= 20
    run = store.get(run_id)
    assert (run.name, run.kind, run.state) == ("My run", "comparison", RunState.READY)
    assert (run.n_cells, run.n_done, run.seeds) == (6, 0, (3, 4))
    assert run.request == {"asked": [1, 2.5]}
    assert run.data.sha256 == blobs().sha256
    assert (run.data.n_samples, run.data.n_features, run.data.kept) == (160, 48, False)
    assert run.versions[0]["numpy"] == np.__version__
    assert set(run.versions[0]) == {"cspca", "python", "numpy", "scipy", "scikit-learn", "joblib"}
    _finish(store, run_id, arrays={"order": np.arange(3)})
    with Store(store.home) as again:
        run = again.get(run_id)
        assert (run.n_done, run.state, run.seconds) == (2, RunState.STOPPED, 1.0)
        np.testing.assert_array_equal(again.arrays(run_id, "cell 0")["order"], [0, 1, 2])
        cell = again.cells(run_id, state=CellState.DONE)[0]
        assert (cell.key, cell.result, cell.commits) == ("cell 0", {"value": 0.1}, 1)
        assert again.results(run_id, ["cell 1", "cell 5"]) == {"cell 1": {"value": 0.1}}


def test_numbers_come_back_to_the_last_bit(store):
    values = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, float("inf"), float("nan")]
    run_id = _create(store)
    with store.session(run_id) as session:
        keys = session.claim("unit 0")
        session.commit([Finished(keys[0], {"values": values}, 0.0)])
    found = store.cells(run_id)[0].result["values"]
    assert np.array(found).tobytes() == np.array(values).tobytes()


def test_it_is_searched_renamed_and_listed_last_changed_first(store):
    first, second = _create(store, "Faces, all methods"), _create(store, "Digits")
    assert [run.id for run in store.runs()] == [second, first]
    store.rename(first, "Faces at noon")
    assert [run.name for run in store.runs()] == ["Faces at noon", "Digits"]
    assert [run.id for run in store.runs("NOON blobs")] == [first]
    assert store.runs("noon digits") == ()
    assert len(store.runs(kind="comparison")) == 2
    assert store.runs(kind="fit") == ()
    with pytest.raises(StoreError) as error:
        store.rename(first, " \n")
    one_sentence(error)
    for ask in (store.get, store.delete, store.restore, store.session):
        with pytest.raises(StoreError) as error:
            ask("no such run")
        assert "list of runs" in one_sentence(error)


def test_delete_can_be_undone_until_the_trash_is_emptied(store):
    gone, stays = _create(store, keep_data=True), _create(store)
    _finish(store, gone, arrays={"order": np.arange(3)})
    store.delete(gone)
    assert [run.id for run in store.runs()] == [stays]
    assert [run.id for run in store.runs(deleted=True)] == [gone]
    with pytest.raises(StoreError, match="restore it"):
        store.session(gone)
    store.restore(gone)
    assert store.get(gone).n_done == 2
    np.testing.assert_array_equal(store.arrays(gone, "cell 0")["order"], [0, 1, 2])
    store.delete(gone)
    assert store.purge(older_than=3600) == ()
    assert store.purge(older_than=0) == (gone,)
    with pytest.raises(StoreError):
        store.get(gone)
    assert not (store.home / "arrays" / gone).exists()
    assert store.dataset(blobs().sha256).name == "blobs", "another run needs these data"
    store.delete(stays)
    store.purge(older_than=0)
    assert not list((store.home / "data").glob("*"))
    assert doctor(store.home).findings == ()


def test_a_run_at_work_is_not_purged_and_gets_no_more_cells_in_the_trash(store):
    run_id = _create(store)
    with store.session(run_id) as session:
        assert session.claim("unit 0")
        store.delete(run_id)
        assert session.claim("unit 1") == ()
        assert store.purge(older_than=0) == ()
    store.restore(run_id)
    assert store.get(run_id).n_done == 0


def test_data_are_known_by_fingerprint_and_kept_when_asked(store, tmp_path):
    sha256 = store.get(_create(store)).data.sha256
    with pytest.raises(StoreError, match="bring the same file"):
        store.dataset(sha256)
    assert not list((store.home / "data").glob("*"))
    store.keep_dataset(blobs())
    kept = store.dataset(sha256)
    np.testing.assert_array_equal(kept.data, blobs().data)
    np.testing.assert_array_equal(kept.target, blobs().target)
    assert [record.kept for record in store.datasets()] == [True]
    store.forget_dataset(sha256)
    with pytest.raises(StoreError):
        store.dataset(sha256)
    digits = load("digits")
    run_id = store.create("fit", "Digits", digits, {}, CELLS)
    assert store.get(run_id).data.builtin == "digits"
    assert store.dataset(digits.sha256).name == digits.name


def test_kept_data_come_back_with_names_and_skeleton(store):
    motion = make_motion(random_state=0)
    store.keep_dataset(motion)
    found = store.dataset(motion.sha256)
    assert found.feature_names == motion.feature_names
    assert found.target_names == motion.target_names
    assert found.skeleton.joints == motion.skeleton.joints
    assert found.skeleton.bones == motion.skeleton.bones
    np.testing.assert_array_equal(found.skeleton.pose, motion.skeleton.pose)


def test_a_cell_is_claimed_by_one_and_committed_once(store):
    run_id = _create(store)
    with store.session(run_id) as first, store.session(run_id) as second:
        keys = first.claim("unit 0")
        assert keys == ("cell 0", "cell 1")
        assert second.claim("unit 0") == ()
        assert store.get(run_id).state is RunState.RUNNING
        assert [unit.n_free for unit in second.open_units()] == [0, 2, 2]
        finished = [Finished(key, {"value": 1}, 0.0) for key in keys]
        assert second.commit(finished) == (), "it has not claimed them"
        assert first.commit(finished) == keys
        assert first.commit(finished) == ()
        assert first.claim("unit 1")
        first.release(["cell 2", "cell 3"])
        assert second.claim("unit 1") == ("cell 2", "cell 3")
    assert {cell.commits for cell in store.cells(run_id, state=CellState.DONE)} == {1}
    assert store.cells(run_id, state=CellState.CLAIMED) == ()


def test_a_session_that_shows_no_life_loses_its_claims_and_its_late_results(store, monkeypatch):
    """A laptop that slept: the other process went on, and the sleeper is not heard."""
    run_id = _create(store)
    with store.session(run_id) as sleeper, store.session(run_id) as other:
        keys = sleeper.claim("unit 0")
        with sqlite3.connect(store.home / "runs.sqlite") as connection:
            connection.execute("UPDATE sessions SET beat = beat - 1e4 WHERE id = ?", (sleeper.id,))
        assert other.claim("unit 0") == keys
        late = [Finished(key, {"value": "late"}, 0.0) for key in keys]
        assert sleeper.commit(late) == ()
        assert other.commit([Finished(key, {"value": "good"}, 0.0) for key in keys]) == keys
    found = {cell.result["value"] for cell in store.cells(run_id, state=CellState.DONE)}
    assert found == {"good"}


def test_a_long_task_keeps_its_claim_by_showing_life(store, monkeypatch):
    monkeypatch.setattr(sessions, "LEASE", 0.8)
    run_id = _create(store)
    with store.session(run_id) as slow, store.session(run_id) as other:
        keys = slow.claim("unit 0")
        threading.Event().wait(1.6)
        assert other.claim("unit 0") == ()
        assert slow.commit([Finished(key, {}, 1.6) for key in keys]) == keys


def test_a_failure_is_kept_with_what_needs_it_and_can_be_tried_again(store):
    cells = [NewCell("a", "rank", "a", "m"), NewCell("b", "cluster", "b", "m", needs="a")]
    run_id = _create(store, cells=cells)
    with store.session(run_id) as session:
        assert [unit.unit for unit in session.open_units()] == ["a"]
        assert session.fail(session.claim("a"), "It failed.") == 2
        assert session.open_units() == []
    run = store.get(run_id)
    assert (run.n_failed, run.complete, run.state) == (2, True, RunState.DONE)
    assert {cell.error for cell in store.cells(run_id)} == {"It failed."}
    assert store.retry(run_id) == 2
    assert store.get(run_id).state is RunState.STOPPED


def test_many_threads_write_at_once(store):
    run_id = _create(store, cells=[NewCell(str(i), "rank", str(i), "m") for i in range(60)])

    def work(numbers):
        with store.session(run_id) as session:
            for i in numbers:
                keys = session.claim(str(i))
                session.commit([Finished(key, {"i": i}, 0.0) for key in keys])

    threads = [threading.Thread(target=work, args=(range(60),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert store.get(run_id).n_done == 60
    assert {cell.commits for cell in store.cells(run_id)} == {1}


def test_runs_are_private_unless_the_server_is_for_this_machine_alone(store):
    known, _ = _create(store), _create(store)
    assert len(visible(store.runs(), remote=False)) == 2
    assert [run.id for run in visible(store.runs(), remote=True, known_ids={known})] == [known]
    assert visible(store.runs(), remote=True) == ()


def test_a_run_is_taken_away_as_one_file_without_its_secret_id(store, tmp_path):
    run_id = _create(store)
    _finish(store, run_id, arrays={"order": np.arange(3)})
    place = export_run(store, run_id, tmp_path / "run.zip")
    with zipfile.ZipFile(place) as archive:
        told = json.loads(archive.read("run.json"))
        assert told["request"] == {"asked": [1, 2.5]}
        assert told["arrays"]["arrays/0000.npz"] == "cell 0"
        assert run_id not in archive.read("run.json").decode()
        lines = archive.read("cells.csv").decode().splitlines()
        assert lines[:2] == ["step,cell,value", "rank,cell 0,0.1"]
        with np.load(io.BytesIO(archive.read("arrays/0000.npz"))) as arrays:
            assert arrays["order"].tolist() == [0, 1, 2]
    assert run_archive(store, run_id) == run_archive(store, run_id)


def test_a_run_takes_over_what_others_have_found(store):
    first = _create(store, context="same")
    _finish(store, first, arrays={"order": np.arange(3)})
    other, deleted = _create(store, context="another"), _create(store, context="same")
    _finish(store, deleted, "unit 1")
    store.delete(deleted)
    assert store.adopt(other) == 0
    second = _create(store, context="same")
    assert store.adopt(second) == 2
    assert store.adopt(second) == 0
    done = store.cells(second, state=CellState.DONE)
    assert [(cell.key, cell.result, cell.commits) for cell in done] == [
        ("cell 0", {"value": 0.1}, 0),
        ("cell 1", {"value": 0.1}, 0),
    ]
    store.delete(first)
    store.purge(older_than=0)
    assert store.arrays(second, "cell 1")["order"].tolist() == [0, 1, 2], "a copy of its own"
    assert doctor(store.home).findings == ()


def test_damage_and_other_versions_are_not_taken_over(store, monkeypatch):
    damaged, older = _create(store), _create(store)
    _finish(store, damaged, "unit 0")
    _finish(store, damaged, "unit 1", arrays={"order": np.arange(3)})
    _finish(store, older, "unit 2")
    with sqlite3.connect(store.home / "runs.sqlite") as connection:
        connection.execute("UPDATE cells SET result = '{}' WHERE key = 'cell 0'")
        changed = "UPDATE sessions SET versions = replace(versions, 'numpy', 'x') WHERE run_id = ?"
        assert connection.execute(changed, (older,)).rowcount == 1
    connection.close()
    for path in (store.home / "arrays" / damaged).glob("*.npz"):
        path.write_bytes(b"")
    new = _create(store)
    assert store.adopt(new) == 1
    assert [cell.key for cell in store.cells(new, state=CellState.DONE)] == ["cell 1"]


# -- older, newer, foreign ----------------------------------------------------------------------


def test_a_store_of_this_version_opens_after_a_migration(store, monkeypatch):
    run_id = _create(store)
    _finish(store, run_id, arrays={"order": np.arange(3)})
    store.close()
    added = "ALTER TABLE runs ADD COLUMN colour TEXT NOT NULL DEFAULT 'grey'; CREATE TABLE new (a)"
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, added))
    with Store(store.home) as migrated:
        assert migrated.get(run_id).n_done == 2
        np.testing.assert_array_equal(migrated.arrays(run_id, "cell 0")["order"], [0, 1, 2])
        assert migrated._database.rows("SELECT colour FROM runs")[0]["colour"] == "grey"
    assert (store.home / "runs.version-1.sqlite").is_file(), "the old one is copied aside"
    monkeypatch.undo()
    with pytest.raises(StoreError) as error:
        Store(store.home)
    assert "newer cspca" in one_sentence(error)


def test_a_migration_that_fails_leaves_the_store_as_it_was(store, monkeypatch):
    run_id = _create(store)
    store.close()
    broken = "ALTER TABLE runs ADD COLUMN colour TEXT; ALTER TABLE nothing ADD COLUMN x"
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, broken))
    with pytest.raises(StoreError) as error:
        Store(store.home)
    one_sentence(error)
    monkeypatch.undo()
    with Store(store.home) as again:
        assert again.get(run_id).n_cells == 6


def test_the_schema_of_a_version_never_changes():
    """A store out there was made by it: add a migration instead."""
    from cspca.runs.store.records import digest

    assert [digest(script) for script in schema.MIGRATIONS] == ["332bfe5f2c8baed4a16de3b4"]


def test_another_programs_file_is_not_touched(tmp_path):
    with sqlite3.connect(tmp_path / "runs.sqlite") as connection:
        connection.execute("CREATE TABLE theirs (a)")
    connection.close()
    with pytest.raises(StoreError) as error:
        Store(tmp_path)
    assert "another program" in one_sentence(error)


# -- no room, no permission ---------------------------------------------------------------------


def test_a_full_disk_is_one_sentence_and_nothing_is_half_written(store):
    """A process that may write files of so many bytes only, as on a full disk."""
    run_id = _create(store)
    _finish(store, run_id)
    script = f"""
        import resource, sys
        import numpy as np
        from cspca.runs.store import Finished, Store, StoreError
        with Store({str(store.home)!r}) as store:
            session = store.session({run_id!r})
            session.__enter__()
            keys = session.claim("unit 1")
            size = (store.home / "runs.sqlite-wal").stat().st_size
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10_000, size + 10_000))
            big = Finished(keys[0], {{"value": "x" * 200_000}}, 0.0)
            file = Finished(keys[0], {{}}, 0.0, {{"a": np.zeros(200_000)}})
            for attempt in (lambda: session.commit([big]), lambda: session.commit([file])):
                try:
                    attempt()
                except StoreError as error:
                    print(error)
            print("over")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert len(lines) == 3, done.stderr
    assert lines[0] == lines[1]
    assert "no room left" in lines[0]
    assert lines[2] == "over"
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    assert doctor(store.home, repair=True).sound
    assert doctor(store.home).findings == ()
    assert store.get(run_id).n_done == 2
    assert _finish(store, run_id, "unit 1") == ("cell 2", "cell 3")


def test_a_disk_that_is_full_for_files_is_one_sentence(store, monkeypatch):
    run_id = _create(store)

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    with store.session(run_id) as session:
        keys = session.claim("unit 0")
        monkeypatch.setattr(files.os, "fsync", full)
        with pytest.raises(StoreError) as error:
            session.commit([Finished(keys[0], {}, 0.0, {"a": np.zeros(3)})])
        assert "no room left" in one_sentence(error)
    assert [path for path in (store.home / "arrays").rglob("*") if path.is_file()] == []
    assert store.get(run_id).n_done == 0


READ_ONLY = """
    import os, stat, sys
    from pathlib import Path
    from cspca.runs.store import NewCell, Store, StoreError
    from tests.runs.sweep_processes import blobs
    home, run_id = Path(sys.argv[1]), sys.argv[2]
    dataset = blobs()
    if os.geteuid() == 0:
        os.setuid(65534)
    def attempt(what):
        try:
            what()
            print("done")
        except StoreError as error:
            print(error)
    with Store(home) as store:
        print(store.read_only, store.get(run_id).n_done, len(store.runs()))
        attempt(lambda: store.create("fit", "x", dataset, {}, []))
        attempt(lambda: store.rename(run_id, "x"))
        attempt(lambda: store.session(run_id).__enter__())
    attempt(lambda: Store(home / "new" / "store"))
"""


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="permissions as POSIX has them")
@pytest.mark.parametrize("closed", [True, False], ids=["closed", "in use by another"])
def test_a_read_only_store_can_be_read_and_says_so(tmp_path_factory, closed):
    # Where another user may come: pytest's own folders are for one user.
    home = Path(subprocess.check_output(["mktemp", "-d"], text=True).strip())
    try:
        store = Store(home)
        run_id = _create(store)
        _finish(store, run_id)
        if closed:
            store.close()
        for path in (home, *home.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(READ_ONLY), str(home), run_id],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        lines = done.stdout.splitlines()
        assert lines, done.stderr
        assert lines[0] == "True 2 1"
        assert len(lines) == 5
        for line in lines[1:4]:
            assert "can only be read" in line
            assert line.endswith(".")
        assert "cannot be written" in lines[4]
        store.close()
    finally:
        subprocess.run(["chmod", "-R", "u+w", str(home)], check=True)
        subprocess.run(["rm", "-r", str(home)], check=True)
