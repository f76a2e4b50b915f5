"""A damaged store is found out, and repaired or refused in one sentence; nothing else changes."""

import random
import sqlite3

import pytest

from cspca.experiments.doctor import doctor
from cspca.experiments.store import Store, StoreError
from tests.experiments.toys import Toy, blobs, finish, numbers

TOY = Toy(n=400, size=40)
LARGE = Toy(n=3, size=150_000)


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A store with finished runs, one half done, and kept data: as bytes, by path."""
    home = tmp_path_factory.mktemp("template")
    with Store(home) as store:
        whole = store.create(TOY, blobs(), name="Whole")
        store.keep_data(whole, blobs())
        finish(store, whole, TOY)
        files = store.create(LARGE, blobs(), name="Files")
        finish(store, files, LARGE)
        half = store.create(Toy(n=40), blobs(), name="Half")
        finish(store, half, Toy(n=40), Toy(n=40).cells(None)[:20])
        expected = numbers(store, whole) | numbers(store, files)
    content = {
        path.relative_to(home): path.read_bytes() for path in home.rglob("*") if path.is_file()
    }
    return content, {"whole": whole, "files": files, "half": half}, expected


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
    with sqlite3.connect(home / "store.sqlite") as connection:
        changed = connection.execute(sql, values).rowcount
    connection.close()
    assert changed, "the test damages nothing"


def _resumed(home, runs, expected):
    """Whatever is still there of the finished runs comes to the same numbers."""
    with Store(home) as store:
        there = {run.id for run in store.runs()}
        for name, toy in (("whole", TOY), ("files", LARGE)):
            if runs[name] in there:
                store.restore_cells(runs[name], toy.cells(None))
                finish(store, runs[name], toy)
                assert store.get(runs[name]).complete
                assert numbers(store, runs[name]).items() <= expected.items()
    return there


def _healed(home, runs, expected):
    """Repaired, sound ever after, and resumed to the same numbers."""
    files = {path: path.read_bytes() for path in home.glob("files/*")}
    found = doctor(home)
    assert found.faults
    assert not found.sound
    assert {path: path.read_bytes() for path in home.glob("files/*")} == files
    report = doctor(home, repair=True)
    assert report.sound
    assert len(report.faults) >= len(found.faults)
    for fault in report.faults:
        assert fault.endswith(".")
        assert "\n" not in fault
    assert doctor(home).faults == ()
    there = _resumed(home, runs, expected)
    assert doctor(home).faults == ()
    return there


def test_a_sound_store_has_nothing_to_find(damaged):
    home, *_ = damaged
    report = doctor(home)
    assert report.faults == ()
    assert report.sound
    assert (report.n_runs, report.n_cells, report.n_files) == (3, 443, 4)
    assert doctor(home / "nowhere").sound


def test_a_changed_result_is_computed_again(damaged):
    home, runs, expected = damaged
    _change(home, "UPDATE cells SET rows = replace(rows, '0.', '1.') WHERE number IN (2, 3, 5)")
    with Store(home) as store, pytest.raises(StoreError, match="doctor"):
        store.results(runs["whole"])
    assert set(runs.values()) == _healed(home, runs, expected)


@pytest.mark.parametrize("column", ["rows", "versions", "seal", "name", "key"])
def test_a_value_that_came_out_wrong_is_put_right(damaged, column):
    """What a rescue may bring up: a row that is whole and says nonsense."""
    home, runs, expected = damaged
    wrong = "x'28'" if column == "key" else "'(;'"
    _change(home, f"UPDATE cells SET {column} = {wrong} WHERE number = 3")
    with Store(home) as store:
        assert len(store.runs()) == 3
    if column == "name":
        # The key speaks for it: a resume puts it right.
        assert set(runs.values()) == _resumed(home, runs, expected)
    else:
        assert set(runs.values()) == _healed(home, runs, expected)


@pytest.mark.parametrize("run", ["whole", "files"])
@pytest.mark.parametrize("how", ["flip", "truncate", "remove", "empty"])
def test_a_bad_file_is_made_again_or_asked_for(damaged, how, run):
    home, runs, expected = damaged
    with Store(home) as store:
        sql = "SELECT file FROM runs WHERE file NOTNULL"
        if run == "files":
            sql = "SELECT file FROM cells WHERE file NOTNULL"
        path = home / "files" / store.rows(sql)[0]["file"]
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    if how == "remove":
        path.unlink()
    else:
        path.write_bytes({"flip": content, "truncate": content[:-100], "empty": b""}[how])
    with Store(home) as store, pytest.raises(StoreError, match="doctor --repair"):
        store.data(runs["whole"]) if run == "whole" else store.results(runs["files"])
    assert set(runs.values()) == _healed(home, runs, expected)
    if run == "whole":
        with Store(home) as store, pytest.raises(StoreError, match="bring the same file"):
            store.data(runs["whole"])


def test_files_that_belong_to_nothing_go_unless_somebody_may_be_at_work(damaged):
    home, runs, expected = damaged
    orphan = home / "files" / ("0" * 64)
    orphan.write_bytes(b"left behind")
    with Store(home):
        assert doctor(home, repair=True).faults == ()
        assert orphan.exists()
    _healed(home, runs, expected)
    assert not orphan.exists()


@pytest.mark.parametrize("column", ["settings", "kind", "content", "description", "versions"])
def test_a_request_that_cannot_be_trusted_goes_to_the_trash(damaged, column):
    home, runs, _ = damaged
    _change(home, f"UPDATE runs SET {column} = '(;' WHERE id = ?", runs["half"])
    with Store(home) as store:
        assert {run.id for run in store.runs()} == set(runs.values()), "all are still listed"
        with pytest.raises(StoreError, match="damaged"):
            store.get(runs["half"])
    assert not doctor(home).sound
    assert doctor(home, repair=True).faults
    with Store(home) as store:
        assert runs["half"] not in {run.id for run in store.runs()}


def test_cells_that_were_lost_are_put_back_by_a_resume(damaged):
    home, runs, expected = damaged
    _change(home, "DELETE FROM cells WHERE number % 5 = 0")
    _change(home, "DELETE FROM run_cells WHERE position % 7 = 0")
    with Store(home) as store:
        assert store.get(runs["whole"]).state == "stopped"
    assert _healed(home, runs, expected) == set(runs.values())


def test_of_12_kb_overwritten_in_the_middle_the_rest_is_saved(damaged):
    home, runs, expected = damaged
    path = home / "store.sqlite"
    content = bytearray(path.read_bytes())
    first = len(content) // 2
    content[first : first + 12_288] = random.Random(1).randbytes(12_288)
    path.write_bytes(content)
    assert "database is damaged" in doctor(home).faults[0]
    report = doctor(home, repair=True)
    assert report.sound
    assert report.n_cells > 350
    assert list(home.glob("store.damaged-*.sqlite")), "the damaged one is kept"
    assert doctor(home).faults == ()
    assert _resumed(home, runs, expected) == set(runs.values())


@pytest.mark.parametrize("part", [0.3, 0.5, 0.7, 0.9])
def test_a_truncated_database_keeps_what_can_be_read(damaged, part):
    home, runs, expected = damaged
    path = home / "store.sqlite"
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.truncate(int(size * part))
    before = {path.read_bytes() for path in home.glob("files/*")}
    assert not doctor(home).sound
    assert doctor(home, repair=True).sound
    here = {path.read_bytes() for path in [*home.glob("files/*"), *home.glob("store.*.files/*")]}
    assert here == before, "every file that it spoke of is kept"
    assert doctor(home).faults == ()
    _resumed(home, runs, expected)


@pytest.mark.parametrize(
    "seed", [0, 1, 2, *(pytest.param(i, marks=pytest.mark.slow) for i in range(3, 20))]
)
def test_flipped_bytes_in_the_database_never_go_unnoticed(damaged, seed):
    """Wherever they are: found and repaired, or in unused space."""
    home, runs, expected = damaged
    path = home / "store.sqlite"
    content = bytearray(path.read_bytes())
    rng = random.Random(seed)
    first = rng.randrange(4096, len(content) - 600)
    content[first : first + 500] = rng.randbytes(500)
    path.write_bytes(content)
    assert doctor(home, repair=True).sound
    assert doctor(home).faults == ()
    _resumed(home, runs, expected)


@pytest.mark.parametrize("content", [b"", b"not a database at all, " * 500], ids=["empty", "other"])
def test_what_cannot_be_read_at_all_is_refused_in_one_sentence(damaged, content):
    home, *_ = damaged
    path = home / "store.sqlite"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="damaged" if content else "is empty") as error:
        Store(home)
    assert "\n" not in str(error.value)
    if content:
        assert not doctor(home).sound
    with pytest.raises(StoreError, match="Nothing can be read" if content else "empty") as error:
        doctor(home, repair=True)
    assert "\n" not in str(error.value)
    assert path.read_bytes() == content, "it is left as it is"


def test_a_database_in_use_is_not_rebuilt_under_whoever_uses_it(damaged):
    home, *_ = damaged
    with Store(home):
        path = home / "store.sqlite"
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])
        with pytest.raises(StoreError, match="stop what works on it"):
            doctor(home, repair=True)
        path.write_bytes(content)
