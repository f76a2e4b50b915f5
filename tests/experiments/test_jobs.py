"""The job registry: queue, cancel, supersede, eviction, and what a failure says."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from cspca.experiments import jobs
from cspca.experiments.jobs import (
    UNEXPECTED,
    Job,
    JobRegistry,
    one_sentence,
)
from cspca.experiments.ledger import Ledger
from cspca.experiments.log import hashed


def later(registry, seconds, *seen):
    """Let time go by without a look at any job but those that are seen."""
    for job in registry._jobs.values():
        if job.id not in seen:
            job.looked_at -= seconds
    registry.sweep()


@pytest.fixture
def made():
    """Registries that end with the test."""
    known = []
    yield lambda *how, **more: known.append(JobRegistry(*how, **more)) or known[-1]
    for one in known:
        one.close()


@pytest.fixture
def registry(made):
    return made(max_workers=2)


def until_stopped(control: Job) -> None:
    count = 0
    while not control.stop_requested():
        count += 1
        control.publish(count)
        time.sleep(0.005)


def wait_for(condition, timeout=3.0):
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.005)
    raise AssertionError("timed out")


def running(registry, job):
    wait_for(lambda: registry.view(job).state == "running")


def test_a_job_publishes_and_ends(registry):
    job = registry.submit(lambda control: control.publish("result"))
    assert registry.join(job, 3)
    view = registry.view(job)
    assert (view.state, view.snapshot, view.error) == ("done", "result", None)
    assert view.position is None


def test_ids_cannot_be_guessed_and_unknown_ids_show_nothing(registry):
    first = registry.submit(lambda control: None)
    second = registry.submit(lambda control: None)
    assert first != second
    assert len(first) >= 20
    assert registry.view("1") is None
    assert registry.view(None) is None
    assert not registry.cancel("1")


def test_cancel_stops_within_a_second_and_keeps_the_last_snapshot(registry):
    job = registry.submit(until_stopped)
    wait_for(lambda: (registry.view(job).snapshot or 0) > 3)
    began = time.monotonic()
    assert registry.cancel(job)
    assert registry.join(job, 1.0)
    assert time.monotonic() - began < 1.0
    view = registry.view(job)
    assert view.state == "stopped"
    assert view.stop_reason == "asked"
    assert view.snapshot > 3
    assert not registry.cancel(job)


def test_a_stop_that_is_not_heeded_yet_shows_as_stopping(registry):
    gate = threading.Event()

    def slow(control: Job) -> None:
        gate.wait(3)
        assert control.stop_requested()

    job = registry.submit(slow)
    running(registry, job)
    registry.cancel(job)
    assert registry.view(job).stopping
    gate.set()
    assert registry.join(job, 3)
    assert not registry.view(job).stopping


def test_work_that_finishes_without_seeing_the_stop_is_done(registry):
    gate = threading.Event()
    job = registry.submit(lambda control: gate.wait(3) and None)
    running(registry, job)
    registry.cancel(job)
    gate.set()
    registry.join(job, 3)
    assert registry.view(job).state == "done"


def test_the_queue_has_positions_and_runs_in_order(registry):
    running_jobs = [registry.submit(until_stopped) for _ in range(2)]
    for job in running_jobs:
        running(registry, job)
    third, fourth = registry.submit(until_stopped), registry.submit(until_stopped)
    assert registry.view(third).state == "queued"
    assert (registry.view(third).position, registry.view(fourth).position) == (1, 2)
    registry.cancel(running_jobs[0])
    running(registry, third)
    assert registry.view(fourth).position == 1
    registry.cancel(fourth)
    view = registry.view(fourth)
    assert (view.state, view.position) == ("stopped", None)


def test_no_more_than_max_workers_run_at_once(registry):
    lock = threading.Lock()
    now, peak = 0, 0

    def work(control: Job) -> None:
        nonlocal now, peak
        with lock:
            now += 1
            peak = max(peak, now)
        time.sleep(0.02)
        with lock:
            now -= 1

    jobs = [registry.submit(work) for _ in range(8)]
    assert all(registry.join(job, 3) for job in jobs)
    assert peak == 2


def test_a_new_job_replaces_the_unfinished_one_of_its_owner(registry):
    old = registry.submit(until_stopped, owner="a view")
    other = registry.submit(until_stopped, owner="another view")
    running(registry, old)
    new = registry.submit(until_stopped, owner="a view")
    assert registry.join(old, 1.0)
    assert registry.view(old).stop_reason == "superseded"
    running(registry, new)
    assert registry.view(other).state == "running"


def test_of_the_ended_jobs_of_an_owner_only_the_last_is_kept(registry):
    ended = []
    for _ in range(3):
        ended.append(registry.submit(lambda job: None, owner="anna page"))
        assert registry.join(ended[-1], 5.0)
    other = registry.submit(lambda job: None, owner="anna another page")
    assert registry.join(other, 5.0)
    registry.sweep()
    assert registry.view(ended[0]) is None
    assert all(registry.view(job) is not None for job in (*ended[1:], other))


def test_work_done_already_is_a_finished_job_and_replaces_the_running_one(registry):
    old = registry.submit(until_stopped, owner="a view")
    running(registry, old)
    job = registry.submit(None, owner="a view", snapshot="the result")
    view = registry.view(job)
    assert (view.state, view.snapshot) == ("done", "the result")
    assert registry.join(job, 0)
    assert registry.join(old, 1.0)
    assert registry.view(old).stop_reason == "superseded"


def test_jobs_without_an_owner_do_not_replace_each_other(registry):
    first, second = registry.submit(until_stopped), registry.submit(until_stopped)
    running(registry, first)
    running(registry, second)


def test_the_librarys_own_errors_reach_the_person_as_one_sentence(registry, caplog):
    def work(control: Job) -> None:
        raise ValueError("alpha must not be negative, got -1")

    job = registry.submit(work)
    registry.join(job, 3)
    view = registry.view(job)
    assert view.state == "failed"
    assert view.error == "alpha must not be negative, got -1."


def test_an_unforeseen_error_is_logged_and_never_shown(registry, caplog):
    def work(control: Job) -> None:
        control.publish("before")
        raise KeyError("/secret/path")

    with caplog.at_level(logging.ERROR, logger="cspca.experiments.jobs"):
        job = registry.submit(work)
        registry.join(job, 3)
    view = registry.view(job)
    assert view.error == UNEXPECTED
    assert "secret" not in view.error
    assert view.snapshot == "before"
    assert "Traceback" in caplog.text
    assert "/secret/path" in caplog.text


def test_finished_jobs_make_way_by_their_size_least_recently_seen_first(made):
    registry = made(max_workers=1, ledger=Ledger(100_000, 35_000))

    def finished(size, visitor="anna"):
        snapshot = np.zeros(size, np.uint8)
        job = registry.submit(lambda job: job.publish(snapshot), owner=f"{visitor} {size}")
        assert registry.join(job, 3)
        return job

    other = finished(30_000, "ben")
    first, second = finished(15_000), finished(15_001)
    registry.view(first)
    third = finished(15_002)
    assert registry.view(second) is None
    assert registry.view(first) is not None
    assert registry.view(third) is not None
    assert registry.view(other) is not None
    # What has no room at all says so.
    assert "each visitor may fill" in registry.view(finished(40_000)).error


def test_all_jobs_of_a_visitor_are_stopped_and_forgotten(made):
    ledger = Ledger()
    registry = made(max_workers=2, ledger=ledger)
    done = registry.submit(lambda job: job.publish(np.zeros(20_000)), owner="anna done")
    assert registry.join(done, 3)
    at_work = registry.submit(until_stopped, owner="anna work", pinned=True)
    running(registry, at_work)
    others = registry.submit(until_stopped, owner="ben work")
    queued = registry.submit(until_stopped, owner="anna queued")
    assert ledger.held(hashed("anna")) > 160_000
    registry.forget("anna")
    assert [registry.view(one) for one in (done, at_work, queued)] == [None] * 3
    assert ledger.held(hashed("anna")) == 0
    assert registry.view(others).active


def test_finished_jobs_go_when_they_are_too_old(made):
    registry = made()
    old, seen = (registry.submit(lambda control: None) for _ in range(2))
    assert registry.join(old, 3)
    assert registry.join(seen, 3)
    later(registry, 1900, seen)
    assert registry.view(seen) is not None
    assert registry.view(old) is None


def test_jobs_nobody_looks_at_are_stopped_unless_pinned(made):
    registry = made(max_workers=3)
    left, watched = (registry.submit(until_stopped) for _ in range(2))
    pinned = registry.submit(until_stopped, pinned=True)
    for job in (left, watched, pinned):
        running(registry, job)
    later(registry, 121, watched)
    assert registry.join(left, 1.0)
    assert registry.view(left).stop_reason == "unwatched"
    assert registry.view(watched).state == "running"
    assert registry.view(pinned).state == "running"


def test_the_janitor_does_it_by_itself_after_the_seconds_it_was_given(made):
    registry = made()
    job = registry.submit(until_stopped, abandoned=0.2)
    assert registry.join(job, 3)
    assert registry.view(job).stop_reason == "unwatched"


def test_a_queued_job_nobody_looks_at_is_stopped_too(made):
    registry = made(max_workers=1)
    first = registry.submit(until_stopped, pinned=True)
    running(registry, first)
    queued = registry.submit(until_stopped)
    later(registry, 121)
    assert registry.view(queued).state == "stopped"


def test_running_jobs_are_never_evicted(made):
    registry = made(max_workers=1)
    job = registry.submit(until_stopped)
    running(registry, job)
    registry.sweep()
    assert registry.view(job).state == "running"


def test_close_ends_the_threads_and_refuses_more(made):
    registry = made()
    job = registry.submit(until_stopped)
    running(registry, job)
    registry.close()
    assert registry.join(job, 1.0)
    with pytest.raises(RuntimeError, match="closed"):
        registry.submit(until_stopped)


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("no full stop", "no full stop."),
        ("ends well.", "ends well."),
        ("two\nlines of it.\n\nand a trace", "two lines of it."),
        ("", UNEXPECTED),
        ("x" * 400, "x" * 299 + "…"),
    ],
)
def test_one_sentence(message, sentence):
    assert one_sentence(ValueError(message)) == sentence


def test_every_snapshot_is_counted(made):
    registry = made(max_workers=1)
    job = registry.submit(lambda job: [job.publish(number) for number in range(3)])
    assert registry.join(job, 20)
    assert registry.view(job).n_published == 3


def test_memory_is_released_when_no_job_has_anything_to_do(made):
    work, rest, active = threading.Event(), threading.Event(), []

    def release():
        active.append(registry.active(heavy=True) + registry.active(heavy=False))
        rest.set()

    registry = made(max_workers=2, release=release)
    for _ in range(2):
        job = registry.submit(lambda _: work.wait(20))
        work.set()
        assert registry.join(job, 20)
        assert rest.wait(20)
        work.clear()
        rest.clear()
    # Each time once, and of no job that still works.
    assert active == [0, 0]


def test_memory_is_released_in_a_long_stretch_of_work_too(made, monkeypatch):
    monkeypatch.setattr(jobs, "_STRETCH", 2)
    end, releases = threading.Event(), threading.Semaphore(0)
    registry = made(max_workers=2, release=releases.release)
    job = registry.submit(lambda _: end.wait(60))
    for _ in range(2):
        assert releases.acquire(timeout=20)
    assert registry.view(job).state == "running"
    end.set()


def test_a_job_stops_before_the_process_ends():
    """One in the midst of scikit-learn's K-means now and then ended it by signal 6."""
    script = """
import threading
from cspca.experiments.jobs import JobRegistry

begun = threading.Event()

def work(control):
    begun.set()
    while not control.stop_requested():
        begun.wait(0)
    print("stopped", flush=True)

registry = JobRegistry()
registry.forget("a visitor")
registry.submit(work)
begun.wait()
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "stopped\n"
