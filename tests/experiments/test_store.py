"""The store: what is put in comes out, by whoever is allowed, or one sentence says why not."""

import errno
import os
import resource
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from cspca.datasets import load, make_motion
from cspca.experiments import Cell, Result, database, run
from cspca.experiments.database import store_home
from cspca.experiments.doctor import doctor
from cspca.experiments.limits import Limits
from cspca.experiments.records import pack, unpack
from cspca.experiments.store import Store, StoreError
from tests.experiments.toys import (
    Toy,
    apart,
    blobs,
    finish,
    make,
    numbers,
    on_a_full_disk,
    where_nothing_may_be_written,
)

DAY = 24 * 3600.0
ALICE, BOB = "alice's 128 random bits", "bob's 128 random bits"
CELLS = Toy().cells(None)
NAMES = [cell.name for cell in CELLS]


@pytest.fixture(params=["disk", "memory"])
def store(request, tmp_path):
    home = tmp_path / "home" if request.param == "disk" else ":memory:"
    with Store(home) as opened:
        yield opened


@pytest.fixture
def disk(tmp_path):
    with Store(tmp_path / "home") as opened:
        yield opened


def one_sentence(error) -> str:
    words = str(error.value if hasattr(error, "value") else error)
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


# -- runs ------------------------------------------------------------------------------------------


def test_a_run_is_kept_with_all_that_it_was_made_with(store):
    run_id = store.create(Toy(), blobs(), owner=ALICE, name="  My\n run ")
    run = store.get(run_id)
    assert min(len(run.id), len(run.view_id)) >= 20
    assert run.id != run.view_id
    assert (run.name, run.kind, run.state) == ("My run", "toy", "ready")
    assert (run.n_cells, run.n_done, run.settings) == (6, 0, {"n": 6, "size": 0, "pause": 0.0})
    assert (run.data.name, run.data.n_samples, run.data.n_classes) == ("blobs", 60, 3)
    assert run.data.sha256 == blobs().sha256
    assert run.data.recipe.source == "load_file('blobs')"
    assert set(run.versions[0]) == {"cspca", "python", "numpy", "scipy", "scikit-learn", "joblib"}
    assert store.view(run.view_id) == run
    assert finish(store, run_id, cells=CELLS[:2]) == NAMES[:2]
    run = store.get(run_id)
    assert (run.n_done, run.seconds, run.state) == (2, 1.0, "stopped")
    assert store.results(run_id)[NAMES[1]].rows == ({"i": 1, "square": 1, "third": 1 / 3},)
    assert list(store.results(run_id, [NAMES[1], NAMES[5]])) == [NAMES[1]]
    finish(store, run_id)
    assert store.get(run_id).complete
    assert list(store.results(run_id)) == NAMES


def test_what_was_kept_is_there_when_it_is_opened_again(disk):
    run_id = disk.create(Toy(size=5), blobs())
    finish(disk, run_id, Toy(size=5))
    with Store(disk.home) as again:
        assert again.get(run_id) == disk.get(run_id)
        assert numbers(again, run_id) == numbers(disk, run_id)


def test_numbers_and_arrays_come_back_to_the_last_bit(store, monkeypatch):
    monkeypatch.setattr("cspca.experiments.store.INLINE", 1000)
    values = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, float("inf"), float("nan")]
    arrays = {
        "small": np.arange(3, dtype=np.float32), "words": np.array(["é", "像素"]),
        "none": np.zeros((0, 3)), "one": np.array(2.5), "flags": np.array([[True], [False]]),
    }  # fmt: skip
    large = arrays | {"large": np.arange(600.0).reshape(20, 30).T}
    run_id = store.create(Toy(), blobs())
    row = {"values": np.array(values), "count": np.int64(3)}
    kept = {NAMES[0]: Result((row,), arrays), NAMES[1]: Result((), large)}
    store.commit(run_id, store.claim(run_id, NAMES[:2]), kept)
    found = store.results(run_id)
    got = found[NAMES[0]].rows[0]
    assert np.array(got["values"]).tobytes() == np.array(values).tobytes()
    assert got["count"] == 3
    for name, wanted in ((NAMES[0], arrays), (NAMES[1], large)):
        assert list(found[name].arrays) == list(wanted)
        for key, array in found[name].arrays.items():
            assert (array.dtype, array.shape) == (wanted[key].dtype, wanted[key].shape)
            np.testing.assert_array_equal(array, wanted[key])
            assert not array.flags.writeable
    if not store.in_memory:
        assert len(list((store.home / "files").iterdir())) == 1
    assert pack(large) == pack(dict(large))
    assert unpack(pack({})) == {}
    with pytest.raises(ValueError, match="plain"):
        pack({"x": np.array([object()])})


def test_runs_are_searched_renamed_and_listed_last_changed_first(store):
    first = store.create(Toy(), blobs(), name="Faces, all methods")
    second = store.create(Toy(n=3), blobs(), name="Digits")
    assert [run.id for run in store.runs()] == [second, first]
    before = store.get(first)
    store.rename(first, "Faces at noon")
    assert store.get(first).changed > before.changed
    assert [run.name for run in store.runs()] == ["Faces at noon", "Digits"]
    assert [run.id for run in store.runs(text="NOON blobs")] == [first]
    assert store.runs(text="noon digits") == []
    assert len(store.runs(kind="toy")) == 2
    assert store.runs(kind="fit") == []
    with pytest.raises(StoreError) as error:
        store.rename(first, " \n")
    one_sentence(error)
    for ask in (store.get, store.view, store.trash, store.restore, store.results, store.data):
        with pytest.raises(StoreError) as error:
            ask("no such run")
        assert "list of runs" in one_sentence(error)
    assert store.open_cells("no such run") == set()
    assert store.claim("no such run", NAMES) == {}
    assert store.failures("no such run") == {}


def test_words_of_users_are_shown_as_one_short_plain_line(store):
    hostile = "\x1b[31mred\x1b[0m \u202eevil\u2066\u200b\ud800 " + "x" * 1000
    run_id = store.create(
        Toy(), blobs(name=hostile, target_names=("a\x07", "\u202eb", "c")), name=hostile
    )
    run = store.get(run_id)
    assert run.name.startswith("[31mred[0m evil x")
    assert max(len(run.name), len(run.data.name)) <= 5000
    assert len(run.name) == 200
    assert run.data.target_names == ("a", "b", "c")
    assert run.name.isprintable()
    assert run.data.name.isprintable()


def test_trash_can_be_undone_until_it_is_emptied(disk):
    toy = Toy(size=200_000)
    gone = disk.create(toy, blobs())
    disk.keep_data(gone, blobs())
    finish(disk, gone, toy, toy.cells(None)[:2])
    assert len(list((disk.home / "files").iterdir())) == 3
    disk.trash(gone)
    assert disk.runs() == []
    assert [run.id for run in disk.runs(trashed=True)] == [gone]
    assert disk.find(toy, blobs()) is None
    assert disk.open_cells(gone) == set()
    assert disk.claim(gone, [cell.name for cell in toy.cells(None)]) == {}
    disk.restore(gone)
    assert disk.get(gone).n_done == 2
    assert len(disk.open_cells(gone)) == 4
    disk.trash(gone)
    assert disk.purge(older_than=3600) == []
    assert disk.purge(older_than=0) == [gone]
    with pytest.raises(StoreError):
        disk.get(gone)
    assert list((disk.home / "files").iterdir()) == []
    with sqlite3.connect(disk.home / "store.sqlite") as connection:
        assert connection.execute("SELECT count(*) FROM cells").fetchone() == (0,)


def test_removing_a_run_never_removes_a_cell_that_another_holds(store):
    toy = Toy(size=200_000)
    long, short = store.create(toy, blobs()), store.create(replace(toy, n=2), blobs())
    finish(store, long, toy)
    assert store.get(short).complete
    before = numbers(store, short)
    store.trash(long)
    assert store.purge(older_than=0) == [long]
    assert numbers(store, short) == before
    # And what comes late of a run that is gone does no harm.
    other = store.create(Toy(n=1, size=3), blobs())
    (cell,) = Toy(n=1, size=3).cells(None)
    claims = store.claim(other, [cell.name])
    store.trash(other)
    store.purge(older_than=0)
    assert store.commit(other, claims, {cell.name: Result()}) == []
    store.fail(other, claims, "Too late.")


def test_what_nobody_asked_for_is_everybodys_where_the_data_are_and_on_no_list(store):
    toy, public, own = Toy(), load("digits"), blobs()
    shared = store.create(toy, public, owner="one", asked=False)
    assert store.find(toy, public, "other", asked=False) == shared
    assert store.find(toy, public, "one") is None
    mine = store.create(toy, own, owner="one", asked=False)
    assert store.find(toy, own, "one", asked=False) == mine
    assert store.find(toy, own, "other", asked=False) is None
    assert store.runs() == store.runs("one") == []
    assert not store.may_change(store.get(shared), "one")
    # Who asks for the same has the cells, and nobody else has those of their own data.
    finish(store, mine, toy)
    assert store.get(store.create(toy, own, owner="one")).complete
    assert store.get(store.create(toy, own, owner="other")).n_done == 0
    assert store.erase("one") == 2
    with pytest.raises(StoreError):
        store.get(mine)
    assert store.purge(older_than=3600) == []
    assert store.purge(older_than=0) == [shared]


def test_what_nobody_asked_for_is_written_without_names(disk):
    words = {"target_names": ("Secret Ann", "Secret Bea", "Secret Cleo"), "name": "secret-file.mat"}
    words["feature_names"] = tuple(f"Secret feature {i}" for i in range(12))
    data = blobs(**words)
    glance = disk.create(Toy(), data, owner=ALICE, asked=False)
    finish(disk, glance)
    assert disk.get(glance).data.sha256 == data.sha256
    assert disk.get(glance).data.n_classes == 3
    disk.check(glance, data)

    def written():
        return b"".join(path.read_bytes() for path in disk.home.rglob("*") if path.is_file())

    disk.tidy()
    assert b"ecret" not in written()
    # Who asks for it has all the words; what everybody has keeps its own.
    asked = disk.create(Toy(), data, owner=ALICE)
    assert disk.get(asked).data.target_names == data.target_names
    assert b"Secret feature 11" in written()
    public = disk.create(Toy(), load("digits"), owner=ALICE, asked=False)
    assert disk.get(public).data.name == load("digits").name


def test_two_who_ask_for_the_same_at_once_have_one_run(disk, monkeypatch):
    with Store(disk.home) as other:
        find = Store.find
        begun = threading.Barrier(2)

        def both_look(self, *given, **more):
            found = find(self, *given, **more)
            if not self.connection.in_transaction:
                begun.wait(30)
            return found

        monkeypatch.setattr(Store, "find", both_look)
        results = []

        def work(store):
            results.append(run(Toy(n=2), blobs(), store=store) and 1)

        threads = [threading.Thread(target=work, args=(store,)) for store in (disk, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert results == [1, 1]
    assert len(disk.runs()) == 1


def test_a_new_run_inherits_nothing_of_one_that_is_gone(store):
    gone = store.create(Toy(), blobs())
    claims = store.claim(gone, NAMES)
    assert store.get(gone).state == "running"
    held = store.create(Toy(), blobs())
    store.trash(gone)
    store.purge(older_than=0)
    new = store.create(Toy(), blobs())
    assert {store.get(new).state, store.get(held).state} == {"ready"}
    store.commit(held, claims, dict.fromkeys(NAMES, Result()))
    store.trash(new)
    store.purge(older_than=0)
    assert store.get(store.create(Toy(), blobs())).n_done == 6


def test_the_same_request_finds_its_run_unless_anything_differs(store):
    run_id = store.create(Toy(), blobs(), owner=ALICE)
    assert store.find(Toy(), blobs(name="renamed"), ALICE) == run_id
    assert store.find(Toy(n=3), blobs(), ALICE) is None
    assert store.find(Toy(), blobs(seed=1), ALICE) is None
    assert store.find(Toy(), blobs(), BOB) is None
    assert store.find(Toy(), blobs()) is None


def test_a_later_version_computes_other_cells_for_the_same_request(store, monkeypatch):
    run_id = store.create(Toy(), blobs())
    finish(store, run_id)
    later = [Cell("toy", {"i": i, "size": 0}, revision=2 if i < 2 else 1) for i in range(7)]
    monkeypatch.setattr(Toy, "cells", lambda self, data: later)
    assert store.find(Toy(), blobs()) is None
    store.restore_cells(run_id, later)
    store.restore_cells(run_id, later)
    assert store.find(Toy(), blobs()) == run_id
    assert store.open_cells(run_id) == {later[i].name for i in (0, 1, 6)}
    run = store.get(run_id)
    assert (run.n_cells, run.n_done) == (7, 4)


# -- whose it is -----------------------------------------------------------------------------------


def test_a_visitor_sees_and_changes_what_is_theirs_alone(store):
    hers, ours = store.create(Toy(), blobs(), owner=ALICE), store.create(Toy(), blobs())
    assert [run.id for run in store.runs(ALICE)] == [hers]
    assert store.runs(BOB) == store.runs("") == []
    assert [run.id for run in store.runs()] == [ours, hers]
    run = store.get(hers)
    assert store.may_change(run, ALICE)
    assert store.may_change(run, None)
    assert not store.may_change(run, BOB)
    assert not store.may_change(run, "")
    assert not store.may_change(store.get(ours), "")


def test_a_secret_is_kept_as_a_hash_and_nothing_is_open_to_others(disk):
    disk.keep_data(disk.create(Toy(size=200_000), blobs(), owner=ALICE), blobs())
    paths = [disk.home, *disk.home.rglob("*")]
    assert {"store.sqlite", "files"} <= {path.name for path in paths}
    for path in paths:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
        assert path.is_dir() or ALICE.encode() not in path.read_bytes()


def test_two_visitors_with_the_same_file_learn_nothing_of_each_other(store):
    """Neither their words nor, by an instant answer, that there is another."""
    hers = store.create(Toy(), blobs(name="Alice's", target_names=("a", "b", "c")), owner=ALICE)
    finish(store, hers)
    his = store.create(Toy(), blobs(name="Bob's", target_names=("x", "y", "z")), owner=BOB)
    assert store.get(his).n_done == 0
    assert store.open_cells(his) == set(NAMES)
    assert store.get(hers).data.target_names == ("a", "b", "c")
    assert store.get(his).data.name == "Bob's"
    assert len(finish(store, his)) == 6
    assert store.get(hers).data.name == "Alice's"
    store.keep_data(hers, blobs(name="Alice's"))
    store.keep_data(his, blobs(name="Bob's"))
    store.forget_data(his)
    assert store.data(hers).name == "Alice's"
    assert store.data(hers).target_names == ("a", "b", "c")
    with pytest.raises(StoreError, match="Bob's, are not kept"):
        store.data(his)
    assert store.erase(BOB) == 1
    assert store.get(hers).complete
    assert store.data(hers).sha256 == blobs().sha256


def test_to_keep_what_another_keeps_is_no_less_work(disk, monkeypatch):
    written = []
    monkeypatch.setattr(
        "cspca.experiments.database.write_whole",
        lambda path, content, mode: written.append((path.name, len(content))),
    )
    for owner in (ALICE, BOB):
        disk.keep_data(disk.create(Toy(), blobs(), owner=owner), blobs())
    assert len(written) == 2
    assert len(set(written)) == 1


def test_cells_of_data_that_everybody_has_are_shared(store):
    digits = load("digits")
    first = store.create(Toy(), digits, owner=ALICE)
    finish(store, first)
    second = store.create(Toy(), digits, owner=BOB)
    assert store.get(second).complete
    assert store.data(second).name == digits.name
    failing = store.create(Toy(n=7), digits, owner=BOB)
    claims = store.claim(failing, [cell.name for cell in Toy(n=7).cells(None)])
    assert len(claims) == 1
    assert store.get(store.create(Toy(n=7), digits, owner=ALICE)).state == "stopped"
    store.fail(failing, claims, "It failed.")
    assert len(store.failures(failing)) == 1
    assert store.failures(store.create(Toy(n=7), digits, owner=ALICE)) == {}


def test_erasing_removes_all_that_is_somebodys_and_nothing_else(disk):
    toy, digits = Toy(size=200_000), load("digits")
    for owner in (ALICE, BOB, ""):
        run_id = disk.create(toy, blobs(), owner=owner)
        disk.keep_data(run_id, blobs())
        finish(disk, run_id, toy)
        finish(disk, disk.create(Toy(), digits, owner=owner), Toy())
    kept = {run.id: numbers(disk, run.id) for run in disk.runs(BOB) + disk.runs("")}
    secret = disk.create(Toy(), blobs(name="Her secret"), owner=ALICE, name="Her plan")
    assert disk.erase("") == 0
    assert disk.erase(ALICE) == 3
    assert disk.runs(ALICE) == []
    with pytest.raises(StoreError):
        disk.get(secret)
    for path in disk.home.rglob("store.sqlite*"):
        content = path.read_bytes()
        assert b"Her secret" not in content
        assert b"Her plan" not in content
    assert {run.id: numbers(disk, run.id) for run in disk.runs(BOB)} == kept
    assert disk.erase(None) == 2
    assert disk.erase(BOB) == 2
    assert list((disk.home / "files").iterdir()) == []


def test_trash_and_runs_of_visitors_go_when_their_time_is_over_and_the_operator_s_stay(store):
    runs = {owner: store.create(Toy(), blobs(), owner=owner) for owner in (ALICE, BOB, "")}
    busy = store.create(Toy(n=7), blobs(), owner=BOB)
    glance = store.create(Toy(), blobs(), owner=ALICE, asked=False)
    store.trash(runs[ALICE])
    now = time.time()

    def purged(days):
        return set(store.purge(30 * DAY, 7 * DAY, now=now + days * DAY))

    assert purged(6) == set()
    store.claim(busy, [cell.name for cell in Toy(n=7).cells(None)], lease=9 * DAY)
    assert purged(8) == {runs[ALICE], runs[BOB], glance}
    assert purged(10) == {busy}, "nobody works on it any more"
    assert purged(400) == set()
    assert [run.id for run in store.runs("")] == []
    assert store.get(runs[""]).state == "ready"
    store.trash(runs[""])
    assert store.purge(30 * DAY, now=now + 29 * DAY) == []
    assert store.purge(30 * DAY, now=now + 31 * DAY) == [runs[""]]


def test_a_visitor_s_disk_is_measured_and_a_full_one_refused_in_one_sentence(store, monkeypatch):
    monkeypatch.setattr("cspca.experiments.store.limits", lambda: Limits(disk=20, visitor_disk=4))
    assert store.taken(ALICE) == 0
    empty = store.taken()
    run_id = store.create(Toy(), blobs(), owner=ALICE)
    large = blobs(n=300, d=1000)
    kept = store.create(Toy(), large, owner=ALICE)
    store.check_room(ALICE, large.data.nbytes)
    store.keep_data(kept, large)
    assert 2.4e6 < store.taken(ALICE) < 2.5e6
    assert store.taken() - empty >= 2.4e6
    assert store.taken(BOB) == 0
    with pytest.raises(StoreError) as refused:
        store.check_room(ALICE, large.data.nbytes)
    assert "fill 2 MB of the 4 MB of disk that each visitor may fill, and these take 2 MB: " in (
        one_sentence(refused)
    )
    store.check_room(BOB, large.data.nbytes)
    toy = Toy(n=2, size=200_000)
    finish(store, store.create(toy, blobs(), owner=ALICE), toy)
    assert 5.6e6 < store.taken(ALICE) < 5.8e6
    with pytest.raises(StoreError, match="empty the trash on the Runs page"):
        store.check_room(ALICE)
    store.check_room(BOB)
    store.check_room("", large.data.nbytes)
    with pytest.raises(StoreError, match="of the 20 MB of disk that all visitors share"):
        store.check_room("", 15 << 20)
    # The trash is still there; emptied, there is room again.
    store.trash(kept)
    assert store.taken(ALICE) > 5.6e6
    assert store.empty_trash(BOB) == 0
    assert store.empty_trash(ALICE) == 1
    assert store.taken(ALICE) < 3.4e6
    assert store.get(run_id).state == "ready"
    store.check_room(ALICE)


def test_kept_data_come_back_with_names_and_skeleton(store):
    motion = replace(make_motion(random_state=0), recipe=None)
    run_id = store.create(Toy(), motion, owner=ALICE)
    store.keep_data(run_id, motion)
    found = store.data(run_id)
    for name in ("sha256", "name", "feature_names", "target_names", "recognised", "description"):
        assert getattr(found, name) == getattr(motion, name)
    assert found.skeleton.joints == motion.skeleton.joints
    assert found.skeleton.bones == motion.skeleton.bones
    np.testing.assert_array_equal(found.skeleton.pose, motion.skeleton.pose)
    assert store.get(run_id).data.skeleton.joints == motion.skeleton.joints
    assert store.get(run_id).data.nouns == motion.nouns
    assert store.get(run_id).data.summary == motion.summary
    store.forget_data(run_id)
    with pytest.raises(StoreError, match="bring the same file"):
        store.data(run_id)
    with pytest.raises(StoreError, match="bring the same data"):
        store.keep_data(run_id, blobs())


# -- claims ----------------------------------------------------------------------------------------


def test_a_cell_is_claimed_by_one_and_committed_once(store):
    run_id = store.create(Toy(), blobs())
    claims = store.claim(run_id, NAMES[:2])
    assert list(claims) == NAMES[:2]
    assert store.claim(run_id, NAMES[:2]) == {}
    assert store.get(run_id).state == "running"
    assert store.open_cells(run_id) == set(NAMES)
    strange = {name: until + 1 for name, until in claims.items()}
    finished = dict.fromkeys(NAMES, Result())
    assert store.commit(run_id, strange, finished) == []
    assert store.commit(run_id, claims, finished) == NAMES[:2]
    assert store.commit(run_id, claims, finished) == []
    assert list(store.claim(run_id, NAMES[:3])) == NAMES[2:3]
    assert store.get(run_id).n_done == 2


def test_a_claim_is_renewed_by_its_own_date_or_lost(store):
    run_id = store.create(Toy(), blobs())
    first, second = NAMES[:2]
    sleeper = store.claim(run_id, [first], lease=0.05)
    held = store.claim(run_id, [second], lease=0.05)
    held = store.renew(run_id, held, lease=60)
    time.sleep(0.1)
    assert store.claim(run_id, [second]) == {}
    taken = store.claim(run_id, [first])
    assert len(taken) == 1
    assert store.renew(run_id, sleeper) == {}
    assert store.commit(run_id, sleeper, {first: Result(({"value": "late"},))}) == []
    store.renew(run_id, sleeper, None)
    assert store.claim(run_id, [first]) == {}, "a stale claim gives nothing back"
    assert store.commit(run_id, taken, {first: Result(({"value": "good"},))}) == [first]
    assert store.results(run_id)[first].rows == ({"value": "good"},)
    assert store.commit(run_id, held, {second: Result()}) == [second]


def test_stop_clears_claims_and_a_dead_workers_cells_wait_for_one_lease(store):
    run_id = store.create(Toy(), blobs())
    store.renew(run_id, store.claim(run_id, NAMES), None)
    assert store.get(run_id).state == "ready"
    store.claim(run_id, NAMES[:1], lease=0.1)
    assert store.get(run_id).state == "running"
    time.sleep(0.15)
    assert store.get(run_id).state == "interrupted"
    assert len(finish(store, run_id)) == 6


def test_a_failure_is_told_with_what_needs_it_and_tried_twice(store):
    run_id = store.create(Toy(), blobs())
    for attempt in (1, 2):
        claims = store.claim(run_id, NAMES[:1])
        store.fail(run_id, claims, f"It failed\n{attempt} times.", also=NAMES[1:3])
        assert store.failures(run_id) == dict.fromkeys(NAMES[:3], f"It failed {attempt} times.")
        assert store.open_cells(run_id) == set(NAMES[3:])
        run = store.get(run_id)
        assert (run.n_failed, run.state) == (3, "stopped")
        assert store.retry(run_id) == (3 if attempt == 1 else 0)
    finish(store, run_id, cells=CELLS[3:])
    assert store.get(run_id).complete
    assert store.get(run_id).state == "done"
    assert store.retry(run_id, again=True) == 3
    assert len(finish(store, run_id)) == 3
    assert store.failures(run_id) == {}


def test_many_threads_write_at_once(store):
    toy = Toy(n=60)
    run_id = store.create(toy, blobs())
    kept = []

    def work():
        for cell in toy.cells(None):
            kept.extend(finish(store, run_id, toy, [cell]))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(kept) == sorted(cell.name for cell in toy.cells(None))


# -- other versions, no room, no permission --------------------------------------------------------


def test_a_newer_store_and_another_programs_file_are_not_touched(tmp_path):
    for place, sql, said in (
        ("newer", "PRAGMA user_version = 99", "newer cspca"),
        ("other", "PRAGMA application_id = 7", "another program"),
    ):
        Store(tmp_path / place).close()
        with sqlite3.connect(tmp_path / place / "store.sqlite") as connection:
            connection.execute(sql)
        connection.close()
        with pytest.raises(StoreError) as error:
            Store(tmp_path / place)
        assert said in one_sentence(error)


def test_two_processes_may_make_it_at_once(tmp_path):
    makers = [apart(make, tmp_path / "new") for _ in range(3)]
    assert [maker.result(60) for maker in makers] == [None] * 3


@pytest.mark.parametrize("what", ["large", "small", "run", "failure"])
def test_on_a_full_disk_it_goes_on_in_memory_and_says_so(disk, what):
    """A process that may write files of so many bytes only, as on a full disk."""
    run_id = disk.create(Toy(), blobs())
    finish(disk, run_id, cells=CELLS[:1])
    line = apart(on_a_full_disk, disk.home, run_id, what).result(120)
    assert "no room left" in line
    assert "memory" in line
    assert line.endswith(".")
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    assert disk.get(run_id).n_done == 1, "what was finished before is on the disk"
    assert not list(disk.home.rglob("*.half"))


def test_it_goes_back_to_the_disk_with_all_that_was_found_when_there_is_room(disk, monkeypatch):
    toy = Toy(size=200_000)
    old, gone, named = (
        disk.create(toy, blobs(), name="Old"),
        disk.create(Toy(n=3), blobs(), owner=ALICE, name="Her secret"),
        disk.create(Toy(n=2), blobs()),
    )
    finish(disk, old, toy, toy.cells(None)[:2])
    whole, full = database.write_whole, [True]

    def write(path, content, **how):
        if full[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        whole(path, content, **how)

    monkeypatch.setattr(database, "write_whole", write)
    finish(disk, old, toy)
    assert disk.in_memory
    new = disk.create(Toy(n=4), blobs(), owner=BOB)
    finish(disk, new, Toy(n=4))
    disk.rename(named, "Another name")
    assert disk.erase(ALICE) == 1
    assert not disk.go_back(), "it is still full"
    assert disk.in_memory
    assert "no room left" in disk.note
    assert not disk.writable()
    full[0] = False
    with monkeypatch.context() as patch:
        patch.setattr(disk, "collect", Mock(side_effect=OSError(errno.ENOSPC, "No space left")))
        assert not disk.go_back(), "it is full once more, at the last moment"
    before = {run_id: numbers(disk, run_id) for run_id in (old, new)}
    assert disk.go_back()
    assert disk.writable()
    assert disk.note == ""
    with Store(disk.home) as again:
        assert {run.id for run in again.runs()} == {old, named, new}
        assert again.get(old).complete
        assert {run_id: numbers(again, run_id) for run_id in (old, new)} == before
        assert again.get(named).name == "Another name"
        with pytest.raises(StoreError):
            again.get(gone)
    assert doctor(disk.home).faults == ()
    assert disk.go_back(), "it is there already"
    finish(disk, disk.create(Toy(n=5), blobs()), Toy(n=5))


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="permissions as POSIX has them")
@pytest.mark.parametrize("closed", [True, False], ids=["closed", "in use by another"])
def test_a_read_only_store_can_be_read_and_goes_on_in_memory(closed):
    # Where another user may come: pytest's own folders are for one user.
    home = Path(subprocess.check_output(["mktemp", "-d"], text=True).strip())
    toy = Toy(size=200_000)
    try:
        store = Store(home)
        run_id = store.create(toy, blobs())
        finish(store, run_id, toy, toy.cells(None)[:1])
        if closed:
            store.close()
        for path in (home, *home.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        lines = apart(where_nothing_may_be_written, home, run_id).result(120)
        assert len(lines) == 2
        for line in lines:
            assert "cannot be written: what is found from now on stays in memory" in line
            assert "CSPCA_HOME" in line
            assert line.endswith(".")
        store.close()
    finally:
        subprocess.run(["chmod", "-R", "u+w", str(home)], check=True)
        subprocess.run(["rm", "-r", str(home)], check=True)


# -- against a dictionary --------------------------------------------------------------------------


class Against(RuleBasedStateMachine):
    """Whatever is done in whatever order, the store says what a dictionary would."""

    def __init__(self):
        super().__init__()
        self.store = Store(":memory:")
        self.runs: dict = {}  # run id -> [scope, number of cells, trashed, failed]
        self.done: dict = {}  # (scope, cell) -> value
        self.count = 0

    def teardown(self):
        self.store.close()

    @rule(owner=st.sampled_from([ALICE, BOB]), n=st.integers(1, 4), public=st.booleans())
    def create(self, owner, n, public):
        data = load("digits") if public else blobs()
        run_id = self.store.create(Toy(n=n), data, owner=owner)
        self.runs[run_id] = ["public" if public else owner, n, False, {}, owner]

    def _some(self, which):
        return list(self.runs)[which % len(self.runs)]

    @precondition(lambda self: self.runs)
    @rule(which=st.integers(0, 9), cell=st.integers(0, 3))
    def compute(self, which, cell):
        run_id = self._some(which)
        scope, n, trashed, *_ = self.runs[run_id]
        if cell >= n:
            return
        claims = self.store.claim(run_id, [NAMES[cell]])
        assert bool(claims) == (not trashed and (scope, cell) not in self.done)
        self.count += 1
        found = {NAMES[cell]: Result(({"v": self.count},))}
        kept = self.store.commit(run_id, claims, found)
        assert len(kept) == len(claims)
        if claims:
            self.done[scope, cell] = self.count

    @precondition(lambda self: self.runs)
    @rule(which=st.integers(0, 9), cell=st.integers(0, 3))
    def fail(self, which, cell):
        run_id = self._some(which)
        _, n, _, failed, _ = self.runs[run_id]
        if cell >= n:
            return
        claims = self.store.claim(run_id, [NAMES[cell]])
        if claims:
            self.store.fail(run_id, claims, "No.")
            failed[cell] = failed.get(cell, 0) + 1

    @precondition(lambda self: self.runs)
    @rule(which=st.integers(0, 9))
    def trash_or_restore(self, which):
        run = self.runs[self._some(which)]
        run[2] = not run[2]
        (self.store.trash if run[2] else self.store.restore)(self._some(which))

    def _forget(self, gone):
        for run_id in gone:
            del self.runs[run_id]
        held = {(run[0], cell) for run in self.runs.values() for cell in range(run[1])}
        self.done = {key: value for key, value in self.done.items() if key in held}

    @rule()
    def purge(self):
        gone = self.store.purge(older_than=0)
        assert sorted(gone) == sorted(run_id for run_id, run in self.runs.items() if run[2])
        self._forget(gone)

    @rule(owner=st.sampled_from([ALICE, BOB]))
    def erase(self, owner):
        gone = [run_id for run_id, run in self.runs.items() if run[4] == owner]
        assert self.store.erase(owner) == len(gone)
        self._forget(gone)

    @invariant()
    def agrees(self):
        listed = {run.id for trashed in (False, True) for run in self.store.runs(trashed=trashed)}
        assert listed == set(self.runs)
        for run_id, (scope, n, trashed, failed, owner) in self.runs.items():
            done = {i: self.done[scope, i] for i in range(n) if (scope, i) in self.done}
            found = self.store.results(run_id)
            assert {name: r.rows[0]["v"] for name, r in found.items()} == {
                NAMES[i]: value for i, value in done.items()
            }
            bad = {i for i in failed if i not in done}
            assert set(self.store.failures(run_id)) == {NAMES[i] for i in bad}
            open_ones = set() if trashed else set(range(n)) - set(done) - set(failed)
            assert self.store.open_cells(run_id) == {NAMES[i] for i in open_ones}
            run = self.store.get(run_id)
            assert (run.n_done, run.n_failed) == (len(done), len(bad))
            assert self.store.may_change(run, owner)


Against.TestCase.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)
TestAgainst = Against.TestCase


def test_an_empty_database_is_damage_and_not_a_new_store(tmp_path):
    Store(tmp_path / "store").close()
    for path in (tmp_path / "store").glob("store.sqlite*"):
        path.write_bytes(b"")
    with pytest.raises(StoreError) as error:
        Store(tmp_path / "store")
    assert "is empty" in one_sentence(error)
    assert (tmp_path / "store" / "store.sqlite").stat().st_size == 0
