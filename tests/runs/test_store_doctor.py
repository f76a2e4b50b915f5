"""A damaged store is found out, and repaired or refused in one sentence; nothing else changes."""

import random
import sqlite3

import pytest

from cspca.runs.store import CellState, RunState, Store, StoreError, doctor
from cspca.runs.sweeps import run_sweep, sensitivity_sweep, start_sweep
from tests.runs.sweep_processes import blobs, numbers


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A store with a finished sweep, one half done, and kept data: as bytes, by path."""
    home = tmp_path_factory.mktemp("template")
    dataset = blobs()
    sweep = sensitivity_sweep(dataset, [0.03, 0.1, 0.3], [0.001, 0.1], n_features=8, n_seeds=25)
    with Store(home) as store:
        whole = start_sweep(store, sweep, dataset, name="Whole", keep_data=True)
        run_sweep(store, whole)
        half = start_sweep(store, sweep, dataset, name="Half", reuse=False)
        stop = iter(range(100))
        run_sweep(store, half, should_stop=lambda: next(stop) > 4)
        assert 0 < store.get(half).n_done < store.get(half).n_cells
        expected = numbers(store, whole)
    content = {
        path.relative_to(home): path.read_bytes() for path in home.rglob("*") if path.is_file()
    }
    return content, whole, half, expected


@pytest.fixture
def damaged(template, tmp_path):
    """A copy of it, to be damaged."""
    content, *rest = template
    for path, what in content.items():
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(what)
    return tmp_path, *rest


def _change(home, sql, *values):
    with sqlite3.connect(home / "runs.sqlite") as connection:
        changed = connection.execute(sql, values).rowcount
    connection.close()
    assert changed, "the test damages nothing"


def _healed(home, whole, expected):
    """Repaired, sound ever after, and resumed to the same numbers."""
    before = {path: path.read_bytes() for path in home.glob("arrays/*/*")}
    found = doctor(home)
    assert found.findings
    assert not found.sound
    assert {path: path.read_bytes() for path in home.glob("arrays/*/*")} == before
    report = doctor(home, repair=True)
    assert report.sound
    assert len(report.findings) >= len(found.findings)
    for finding in report.findings:
        assert finding.what.endswith(".")
        assert "\n" not in finding.what
    assert doctor(home).findings == ()
    with Store(home) as store:
        run = run_sweep(store, whole, blobs())
        assert run.state is RunState.DONE
        assert numbers(store, whole) == expected
    assert doctor(home).findings == ()


def test_a_sound_store_has_nothing_to_find(damaged):
    home, *_ = damaged
    report = doctor(home)
    assert report.findings == ()
    assert report.sound
    assert (report.n_runs, report.n_cells) == (2, 2 * 6 * 26)
    assert report.n_files >= 8
    assert doctor(home / "nowhere").sound


def test_a_changed_result_is_computed_again(damaged):
    home, whole, _, expected = damaged
    _change(
        home,
        "UPDATE cells SET result = replace(result, '0.', '1.') WHERE run_id = ? AND key IN "
        "(SELECT key FROM cells WHERE step = 'cluster' AND state = 'done' LIMIT 3)",
        whole,
    )
    with Store(home) as store, pytest.raises(StoreError, match="doctor"):
        store.cells(whole)
    _healed(home, whole, expected)


@pytest.mark.parametrize("how", ["flip", "truncate", "remove", "empty"])
def test_a_bad_array_file_is_made_again(damaged, how):
    home, whole, _, expected = damaged
    path = sorted((home / "arrays" / whole).glob("*.npz"))[1]
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    if how == "remove":
        path.unlink()
    else:
        path.write_bytes({"flip": content, "truncate": content[:-100], "empty": b""}[how])
    with Store(home) as store:
        names = store.array_names(whole)
        with pytest.raises(StoreError, match="doctor --repair"):
            [store.arrays(whole, name) for name in names]
    _healed(home, whole, expected)


@pytest.mark.parametrize("how", ["flip", "remove"])
def test_bad_kept_data_are_forgotten_and_asked_for(damaged, how):
    home, whole, _, expected = damaged
    (path,) = (home / "data").glob("*.npz")
    content = bytearray(path.read_bytes())
    content[-2000] ^= 1
    path.unlink() if how == "remove" else path.write_bytes(content)
    with Store(home) as store, pytest.raises(StoreError, match="doctor"):
        store.dataset(blobs().sha256)
    _healed(home, whole, expected)
    with Store(home) as store, pytest.raises(StoreError, match="bring the same file"):
        store.dataset(blobs().sha256)


def test_files_that_belong_to_nothing_go_unless_somebody_is_at_work(damaged):
    home, whole, half, expected = damaged
    orphan = home / "arrays" / whole / ("0" * 64 + ".npz")
    orphan.write_bytes(b"left behind")
    (home / "arrays" / whole / "x.npz.abcd.half").write_bytes(b"cut short")
    with Store(home) as store, store.session(half):
        assert doctor(home, repair=True).findings == ()
        assert orphan.exists()
    _healed(home, whole, expected)
    assert not orphan.exists()


def test_claims_of_a_process_that_is_gone_are_freed(damaged):
    home, whole, half, expected = damaged
    _change(
        home,
        "UPDATE cells SET state = 'claimed', owner = 'gone' WHERE run_id = ? AND state = 'todo'",
        half,
    )
    _change(home, "UPDATE runs SET state = 'running' WHERE id = ?", half)
    _change(home, "UPDATE sessions SET ended = NULL WHERE run_id = ?", half)
    with Store(home) as store:
        assert store.get(half).state is RunState.INTERRUPTED
    _healed(home, whole, expected)
    with Store(home) as store:
        assert store.get(half).state is RunState.STOPPED
        assert store.cells(half, state=CellState.CLAIMED) == ()


def test_a_request_that_cannot_be_trusted_goes_to_the_trash(damaged):
    home, whole, half, _ = damaged
    _change(home, "UPDATE runs SET request = replace(request, '0.03', '0.04') WHERE id = ?", half)
    with Store(home) as store:
        assert {run.id for run in store.runs()} == {whole, half}, "the others are still listed"
        with pytest.raises(StoreError, match="damaged"):
            store.get(half)
    assert not doctor(home).sound
    assert doctor(home, repair=True).findings[0].repaired
    with Store(home) as store:
        assert [run.id for run in store.runs()] == [whole]


@pytest.mark.parametrize("part", [0.3, 0.4, 0.5, 0.6, 0.8, 0.9])
def test_a_truncated_database_keeps_what_can_be_read(damaged, part):
    home, whole, _, expected = damaged
    path = home / "runs.sqlite"
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.truncate(int(size * part))
    before = {path.read_bytes() for path in home.glob("arrays/*/*.npz")}
    report = doctor(home)
    assert not report.sound
    assert doctor(home, repair=True).sound
    assert list(home.glob("runs.damaged-*.sqlite")), "the damaged one is kept"
    beside = home.glob("runs.damaged-*.files/arrays/*/*.npz")
    here = {path.read_bytes() for path in [*home.glob("arrays/*/*.npz"), *beside]}
    assert here == before, "and so is every file that it spoke of"
    assert doctor(home).findings == ()
    with Store(home) as store:
        there = {run.id for run in store.runs()}
        assert there or part < 0.9
        if whole in there:
            assert run_sweep(store, whole, blobs()).complete
            assert numbers(store, whole) == expected


@pytest.mark.parametrize("seed", range(8))
def test_flipped_bytes_in_the_database_never_go_unnoticed(damaged, seed):
    """Wherever they are: found and repaired, or in unused space."""
    home, whole, _, expected = damaged
    path = home / "runs.sqlite"
    content = bytearray(path.read_bytes())
    rng = random.Random(seed)
    first = rng.randrange(4096, len(content) - 600)
    content[first : first + 500] = rng.randbytes(500)
    path.write_bytes(content)
    assert doctor(home, repair=True).sound
    assert doctor(home).findings == ()
    with Store(home) as store:
        if whole in {run.id for run in store.runs()}:
            assert run_sweep(store, whole, blobs()).complete
            assert numbers(store, whole) == expected


@pytest.mark.parametrize("content", [b"", b"not a database at all, " * 500], ids=["empty", "other"])
def test_what_cannot_be_read_at_all_is_refused_in_one_sentence(damaged, content):
    home, *_ = damaged
    path = home / "runs.sqlite"
    path.write_bytes(content)
    if content:
        with pytest.raises(StoreError, match="damaged") as error:
            Store(home)
        assert "\n" not in str(error.value)
        assert not doctor(home).sound
        with pytest.raises(StoreError, match="Nothing can be read") as error:
            doctor(home, repair=True)
        assert "\n" not in str(error.value)
        assert path.read_bytes() == content, "it is left as it is"
    else:
        # An empty file is an empty store to SQLite; the files of its runs then belong to nothing.
        assert not doctor(home).sound


def test_a_database_in_use_is_not_rebuilt_under_whoever_uses_it(damaged):
    home, _, half, _ = damaged
    with Store(home) as store, store.session(half):
        path = home / "runs.sqlite"
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])
        with pytest.raises(StoreError, match="stop what works on it"):
            doctor(home, repair=True)
        path.write_bytes(content)


def test_cells_that_were_lost_are_put_back_by_a_resume(damaged):
    home, whole, _, expected = damaged
    _change(home, "DELETE FROM cells WHERE run_id = ? AND position % 5 = 0", whole)
    with Store(home) as store:
        assert store.get(whole).state is RunState.STOPPED
        assert run_sweep(store, whole, blobs()).state is RunState.DONE
        assert numbers(store, whole) == expected


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("runs", "versions"),
        ("runs", "seeds"),
        ("runs", "state"),
        ("sessions", "versions"),
        ("datasets", "record"),
        ("cells", "unit"),
        ("cells", "key"),
    ],
)
def test_a_value_that_came_out_wrong_is_put_right_or_its_run_put_away(damaged, table, column):
    """What a rescue may bring up: a row that is whole and says nonsense."""
    home, whole, half, expected = damaged
    of = "id" if table == "runs" else "run_id"
    where = "" if table == "datasets" else f" WHERE {of} = '{whole}'"
    if table == "cells":
        where += " AND position = 30"
    _change(home, f"UPDATE {table} SET {column} = '(;' {where}")
    assert doctor(home, repair=True).sound
    assert doctor(home).findings == ()
    with Store(home) as store:
        there = {run.id for run in store.runs()}
        assert half in there
        assert (whole in there) == (column not in ("versions", "seeds") or table == "sessions")
        if whole in there:
            assert run_sweep(store, whole, blobs()).state is RunState.DONE
            assert numbers(store, whole) == expected


def test_a_finished_cell_without_its_arrays_is_open_again(damaged):
    home, whole, _, expected = damaged
    _change(home, "DELETE FROM arrays WHERE run_id = ?", whole)
    _healed(home, whole, expected)
