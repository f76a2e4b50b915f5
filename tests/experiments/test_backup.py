"""A copy of a store made while others write it is whole, wherever it is put back."""

import errno
import tarfile
from dataclasses import replace

import pytest

from cspca.experiments.backup import back_up, restore
from cspca.experiments.database import owner_token
from cspca.experiments.doctor import doctor
from cspca.experiments.store import Store, StoreError
from tests.experiments.toys import Toy, blobs, finish, kill, numbers, start

LARGE = Toy(n=3, size=150_000)
"""Whose results are files."""


def _holding(home):
    with Store(home) as store:
        run_id = store.create(LARGE, blobs(), name="Files")
        store.keep_data(run_id, blobs())
        finish(store, run_id, LARGE)
    return run_id


def test_a_copy_made_while_three_processes_write_is_whole_elsewhere(tmp_path):
    home = tmp_path / "at work"
    toy = Toy(n=30, size=150_000, pause=0.05)
    with Store(home) as store:
        run_id = store.create(toy, blobs())
        at_work = [start(home, run_id, toy) for _ in range(3)]
        copies = []
        while not store.get(run_id).complete:
            before = numbers(store, run_id)
            copies.append((before, tmp_path / f"{len(copies)}.tar"))
            back_up(copies[-1][1], home)
            # What is erased meanwhile takes its files away.
            other = store.create(replace(LARGE, n=1 + len(copies)), blobs(), owner="0" * 32)
            finish(store, other, replace(LARGE, n=1 + len(copies)))
            store.erase("0" * 32)
        for process in at_work:
            process.join(120)
    assert any(0 < len(before) < 30 for before, _ in copies), "none was made in the middle"
    for k, (before, file) in enumerate(copies):
        place = tmp_path / f"elsewhere {k}"
        restore(file, place)
        assert doctor(place).faults == ()
        with Store(place) as store:
            there = numbers(store, run_id)
            assert before.items() <= there.items()
    # What was at work is no claim of anybody there: it is gone on with at once.
    with Store(place) as store:
        assert store.get(run_id).state in ("stopped", "done")
        finish(store, run_id, toy)
        assert store.get(run_id).complete


def test_a_copy_is_for_its_owner_alone_and_brings_the_owners_token(tmp_path):
    _holding(tmp_path / "store")
    token = owner_token(tmp_path / "store")
    back_up(tmp_path / "copy.tar", tmp_path / "store")
    restore(tmp_path / "copy.tar", tmp_path / "new" / "store")
    assert owner_token(tmp_path / "new" / "store") == token
    made = [tmp_path / "copy.tar", *(tmp_path / "new" / "store").rglob("*")]
    assert {oct(one.stat().st_mode & 0o077) for one in made} == {"0o0"}
    assert {one.name for one in (tmp_path / "store").iterdir()} >= {"store.sqlite", "files"}
    assert not list((tmp_path / "store").glob("copy-*"))


def test_nothing_is_put_over_a_store(tmp_path):
    _holding(tmp_path / "store")
    back_up(tmp_path / "copy.tar", tmp_path / "store")
    with pytest.raises(StoreError, match="move it away"):
        restore(tmp_path / "copy.tar", tmp_path / "store")
    with pytest.raises(StoreError, match="no store in"):
        back_up(tmp_path / "copy.tar", tmp_path / "nothing")


@pytest.mark.parametrize("how", ["cut", "changed", "foreign", "words", "absent"])
def test_what_is_no_whole_copy_leaves_nothing(tmp_path, how):
    _holding(tmp_path / "store")
    copy = tmp_path / "copy.tar"
    back_up(copy, tmp_path / "store")
    content = copy.read_bytes()
    if how == "cut":
        copy.write_bytes(content[: len(content) // 2])
    elif how == "changed":
        with tarfile.open(copy) as tar:
            at = next(one.offset_data for one in tar if one.name.startswith("files/"))
        copy.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    elif how == "foreign":
        with tarfile.open(copy, "a") as tar:
            tar.add(__file__, "../outside")
    elif how == "words":
        copy.write_text("no copy")
    else:
        copy.unlink()
    with pytest.raises(StoreError):
        restore(copy, tmp_path / "new")
    assert not list((tmp_path / "new").iterdir())
    assert not (tmp_path / "outside").exists()


def test_a_copy_that_fails_leaves_nothing_and_the_one_before(tmp_path, monkeypatch):
    _holding(tmp_path / "store")
    place = tmp_path / "copies"
    place.mkdir()
    back_up(place / "copy.tar", tmp_path / "store")
    before = (place / "copy.tar").read_bytes()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tarfile.TarFile, "add", full)
    with pytest.raises(StoreError, match="no room left"):
        back_up(place / "copy.tar", tmp_path / "store")
    assert [path.name for path in place.iterdir()] == ["copy.tar"]
    assert (place / "copy.tar").read_bytes() == before


def test_a_process_that_dies_leaves_a_store_that_can_be_copied(tmp_path):
    toy = Toy(n=3)
    with Store(tmp_path / "store") as store:
        run_id = store.create(toy, blobs())
        process = start(tmp_path / "store", run_id, replace(toy, pause=30.0))
        while store.get(run_id).state != "running" and process.is_alive():
            pass
        assert kill(process)
    back_up(tmp_path / "copy.tar", tmp_path / "store")
    restore(tmp_path / "copy.tar", tmp_path / "new")
    with Store(tmp_path / "new") as store:
        assert store.get(run_id).state == "ready"
