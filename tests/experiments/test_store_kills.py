"""Killed at any moment, with others at work on the same: all cells there, none finished twice."""

import random
import sqlite3
import sys
import time
from dataclasses import replace

import pytest

from cspca.experiments.doctor import doctor
from cspca.experiments.store import Store
from tests.experiments.toys import LEASE, Toy, blobs, finish, kill, numbers, start, work
from tests.soak import counted

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")

KILLS = counted(4, 10)


def _commits(home):
    with sqlite3.connect(home / "store.sqlite") as connection:
        return {row[0] for row in connection.execute("SELECT commits FROM cells")}


@pytest.mark.slow
def test_kills_at_seeded_moments_with_three_processes_at_work(tmp_path):
    rng = random.Random(20141124)
    toy = Toy(n=300, size=20, pause=0.03)
    with Store(":memory:") as calm:
        fast = replace(toy, pause=0.0)
        run_id = calm.create(fast, blobs())
        finish(calm, run_id, fast)
        expected = numbers(calm, run_id)
    home = tmp_path / "wild"
    with Store(home) as store:
        run_id = store.create(toy, blobs())
        at_work = [start(home, run_id, toy) for _ in range(3)]
        kills = 0
        while kills < KILLS:
            before = numbers(store, run_id)
            time.sleep(rng.uniform(0.05, 0.4))
            victim = rng.randrange(3)
            kills += kill(at_work[victim])
            at_work[victim] = start(home, run_id, toy)
            after = numbers(store, run_id)
            assert before.items() <= after.items(), "a committed cell was lost or changed"
            if store.get(run_id).complete:
                break
        assert kills == KILLS, "it was over before all were killed"
        for process in at_work:
            process.join(120)
            assert process.exitcode == 0
        assert store.get(run_id).state == "done"
        assert numbers(store, run_id) == expected
    assert _commits(home) == {1}
    assert doctor(home).faults == ()


def test_a_killed_workers_cell_is_computed_again_after_one_lease_and_no_other(tmp_path):
    toy = Toy(n=3)
    with Store(tmp_path) as store:
        run_id = store.create(toy, blobs())
        process = start(tmp_path, run_id, replace(toy, pause=30.0))
        while store.get(run_id).state != "running" and process.is_alive():
            time.sleep(0.01)
        assert kill(process)
        began = time.monotonic()
        assert store.get(run_id).state == "running"
        work(tmp_path, run_id, toy)
        assert time.monotonic() - began < 20 * LEASE
        assert store.get(run_id).complete
    assert _commits(tmp_path) == {1}


def test_what_was_cut_short_leaves_no_half_file_behind_for_long(tmp_path):
    with Store(tmp_path) as store:
        run_id = store.create(Toy(), blobs())
        store.keep_data(run_id, blobs())
        half = tmp_path / "files" / "0123.half"
        half.write_bytes(b"cut short")
        assert doctor(tmp_path, repair=True).faults == (), "somebody may be writing it"
    assert not doctor(tmp_path).sound
    assert doctor(tmp_path, repair=True).sound
    assert not half.exists()
    with Store(tmp_path) as store:
        assert store.data(run_id).sha256 == blobs().sha256
