"""Comparisons in the store: found again, gone on with, read back, and what happens without it."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from cspca.datasets import Dataset
from cspca.evaluation.former import make_plan
from cspca.experiments.jobs import JobRegistry, JobState
from cspca.experiments.library import DatasetLibrary
from cspca.runs.comparison_records import ComparisonRequest
from cspca.runs.comparisons import ComparisonService
from cspca.runs.kept_comparisons import KeptComparisons, _Taken, request_of
from cspca.runs.store import CellState, RunState, Session, Store, StoreError
from cspca.runs.sweeps import (
    CLUSTER,
    RANK,
    comparison_of,
    comparison_sweep,
    run_sweep,
    start_sweep,
    work,
)
from tests.runs.sweep_processes import blobs, forkserver, kill_after, serve_comparison
from tests.runs.test_comparisons import directly, finished, numbers

METHODS = ("all", "variance", "laplacian", "spec")


@pytest.fixture(scope="module")
def data():
    return blobs()


@pytest.fixture
def request_(data):
    return ComparisonRequest(data.sha256, METHODS, (8, 16, 24), n_seeds=6, n_clusters=6)


@pytest.fixture
def opened(tmp_path, data):
    """``opened()`` is a server of its own on the same store."""
    servers = []

    def open_(kept=None):
        store = Store(tmp_path / "store")
        comparisons = KeptComparisons(store)
        library = DatasetLibrary(loader=lambda name: data)
        service = ComparisonService(
            library, JobRegistry(max_workers=2), kept=kept or (lambda: comparisons)
        )
        service.store = store
        servers.append(service)
        return service

    yield open_
    for service in servers:
        service.close()
        service.store.close()


@pytest.fixture
def halt(monkeypatch):
    """Comparisons halt after they kept their third group, until they are let go."""

    class Halt:
        groups = 0
        there, let_go = threading.Event(), threading.Event()

    take = _Taken.take

    def taken(self, outcome):
        if outcome.task.step == CLUSTER:
            Halt.groups += 1
            if Halt.groups == 3:
                Halt.there.set()
                assert Halt.let_go.wait(30)
        take(self, outcome)

    monkeypatch.setattr(_Taken, "take", taken)
    yield Halt
    Halt.let_go.set()


@pytest.fixture
def ranked(monkeypatch):
    """How often every method was fitted."""
    fits: Counter = Counter()
    rank = work.rank_features

    def counted(method, key, *rest):
        fits[key] += 1
        return rank(method, key, *rest)

    monkeypatch.setattr(work, "rank_features", counted)
    return fits


def test_a_comparison_is_a_run_with_the_numbers_of_the_library(opened, data, request_):
    service = opened()
    run_id = service.start("digits", request_)
    done = finished(service, run_id)
    assert (done.id, done.job.state, done.here) == (run_id, JobState.DONE, True)
    wanted = directly(data, request_)
    assert numbers(done.snapshot.comparison) == numbers(wanted)
    (run,) = service.store.runs()
    assert (run.id, run.kind, run.state) == (run_id, "comparison", RunState.DONE)
    assert run.name == "Comparison on blobs"
    kept = comparison_of(service.store, run_id)
    assert numbers(kept) == numbers(wanted)
    assert [(r.method, r.order.tolist()) for r in kept.rankings] == [
        (r.method, r.order.tolist()) for r in done.snapshot.comparison.rankings
    ]
    assert (done.snapshot.n_done, done.snapshot.n_finished) == (request_.n_cells, 4)
    assert (done.snapshot.note, done.snapshot.remaining, done.snapshot.doing) == ("", 0.0, "")


def test_the_same_again_is_found_and_nothing_of_it_computed(opened, request_, ranked):
    service = opened()
    run_id = service.start("digits", request_)
    finished(service, run_id)
    assert service.start("digits", request_, owner="somebody else") == run_id
    again = finished(service, run_id)
    assert again.snapshot.comparison.complete
    assert ranked == dict.fromkeys(METHODS, 1)
    assert {cell.commits for cell in service.store.cells(run_id)} == {1}
    assert len(service.store.runs()) == 1


def test_more_of_it_is_another_run_that_takes_over_what_is_known(opened, request_, ranked):
    service = opened()
    first = service.start("digits", request_)
    finished(service, first)
    more = replace(request_, n_seeds=8, n_features=(8, 16, 24, 32))
    second = service.start("digits", more)
    assert second != first
    assert finished(service, second).snapshot.comparison.complete
    assert ranked == dict.fromkeys(METHODS, 1)
    new = sum(cell.commits for cell in service.store.cells(second, step=CLUSTER))
    assert new == more.n_cells - request_.n_cells


def test_another_visitor_s_run_is_not_handed_out_but_its_numbers_are(opened, request_, ranked):
    """Whoever has an id may rename or delete: a stranger gets a run of their own."""
    service = opened()
    first = service.start("digits", request_, known_ids=())
    finished(service, first)
    strange = service.start("digits", request_, known_ids=())
    assert strange != first
    assert finished(service, strange).snapshot.comparison.complete
    assert ranked == dict.fromkeys(METHODS, 1)
    assert {cell.commits for cell in service.store.cells(strange)} == {0}
    assert service.start("digits", request_, known_ids=(first,)) == first


def test_after_a_restart_the_link_shows_it_and_goes_on(opened, data, request_, halt, ranked):
    before = opened()
    run_id = before.start("digits", request_)
    assert halt.there.wait(30)
    before.stop(run_id)
    halt.let_go.set()
    stopped = finished(before, run_id)
    assert (stopped.job.state, stopped.snapshot.n_done) == (JobState.STOPPED, 18)
    before.close()

    service = opened()
    found = service.progress(run_id, "digits")
    assert (found.job.state, found.here, found.can_resume) == (JobState.STOPPED, False, True)
    assert found.snapshot.request == request_
    assert found.snapshot.askable
    assert (found.snapshot.n_done, found.snapshot.n_cells) == (18, request_.n_cells)
    assert len(found.snapshot.comparison.results) == 18
    # Looked at again it is the same, so that nothing is drawn anew.
    assert service.progress(run_id, "digits").snapshot.comparison is found.snapshot.comparison
    assert service.resume(run_id, "digits") == run_id
    done = finished(service, run_id)
    assert done.job.state is JobState.DONE
    assert numbers(done.snapshot.comparison) == numbers(directly(data, request_))
    assert {cell.commits for cell in service.store.cells(run_id)} == {1}
    assert set(ranked.values()) == {1}
    assert service.resume(run_id, "digits") is None


@pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")
def test_a_server_killed_in_the_middle_loses_nothing_that_was_committed(opened, data, request_):
    wanted = replace(request_, n_seeds=60, n_features=(4, 8, 16, 24, 32, 40))
    service = opened()
    pipe, theirs = forkserver().Pipe()
    process = forkserver().Process(
        target=serve_comparison, args=(service.store.home, wanted, theirs)
    )
    process.start()
    assert pipe.poll(60)
    run_id = pipe.recv()
    while len(service.store.cells(run_id, step=CLUSTER, state=CellState.DONE)) < 120:
        assert process.is_alive()
    assert service.progress(run_id, "digits").active
    assert not service.progress(run_id, "digits").here
    assert kill_after(process, 0.0)
    kept = {c.key: c.result for c in service.store.cells(run_id, state=CellState.DONE)}
    assert 120 < len(kept) < wanted.n_cells
    found = service.progress(run_id, "digits")
    assert (found.active, found.can_resume) == (False, True)
    service.resume(run_id, "digits")
    done = finished(service, run_id)
    assert numbers(done.snapshot.comparison) == numbers(directly(data, wanted))
    after = service.store.cells(run_id)
    assert {cell.commits for cell in after} == {1}
    assert all(cell.result == kept[cell.key] for cell in after if cell.key in kept)


def test_what_another_program_computes_is_watched_and_not_begun(opened, data, request_):
    service = opened()
    sweep = comparison_sweep(request_.plan(data))
    run_id = start_sweep(service.store, sweep, data)
    seen = []

    def look(progress):
        if len(seen) == 0:
            assert service.start("digits", request_) == run_id
        seen.append(service.progress(run_id, "digits"))

    with Store(service.store.home) as shell:
        run_sweep(shell, run_id, data, on_progress=look)
    assert all(view.active and not view.here for view in seen)
    assert not service.stop(run_id)
    done = service.progress(run_id, "digits")
    assert (done.job.state, done.snapshot.request) == (JobState.DONE, request_)
    assert done.snapshot.comparison.complete
    assert done.computed == done.job.seconds > 0


def test_what_is_in_the_trash_of_another_kind_or_unknown_is_nothing(opened, data, request_):
    service = opened()
    run_id = service.start("digits", request_)
    finished(service, run_id)
    service.store.delete(run_id)
    assert service.progress(run_id, "digits") is None
    assert service.resume(run_id, "digits") is None
    assert service.progress("no such run", "digits") is None
    service.store.restore(run_id)
    assert service.progress(run_id, "digits").job.state is JobState.DONE


def test_without_a_store_it_goes_on_in_memory_and_says_why(opened, data, request_):
    def refuse():
        raise StoreError("The store in /nowhere cannot be written: allow it.")

    service = opened(refuse)
    name = service.start("digits", request_)
    done = finished(service, name)
    note = "This comparison is only in this server’s memory. The store in /nowhere cannot be"
    assert done.snapshot.note.startswith(note)
    assert numbers(done.snapshot.comparison) == numbers(directly(data, request_))
    assert service.resume(name) is None


def test_a_store_that_can_only_be_read_gives_what_it_has(
    opened, data, request_, ranked, monkeypatch
):
    service = opened()
    run_id = service.start("digits", request_)
    finished(service, run_id)
    service.close()
    service = opened()
    monkeypatch.setattr(service.store._database, "read_only", True)
    assert service.start("digits", request_) == run_id
    done = finished(service, run_id)
    assert (done.job.state, done.snapshot.note) == (JobState.DONE, "")
    assert numbers(done.snapshot.comparison) == numbers(directly(data, request_))
    assert ranked == dict.fromkeys(METHODS, 1)
    name = service.start("digits", replace(request_, n_seeds=4))
    new = finished(service, name)
    assert "can only be read" in new.snapshot.note
    assert new.snapshot.comparison.complete
    assert len(service.store.runs()) == 1


def test_two_who_ask_for_the_same_at_once_share_a_run(opened, request_):
    service = opened()
    names: list[str] = []
    threads = [
        threading.Thread(target=lambda: names.append(service.start("digits", request_)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(names)) == 1
    assert finished(service, names[0]).snapshot.comparison.complete
    assert {cell.commits for cell in service.store.cells(names[0])} == {1}


def test_a_disk_that_fills_up_does_not_end_it(opened, data, request_, monkeypatch):
    service = opened()
    commit, commits = Session.commit, []

    def filling(self, done):
        commits.append(len(done))
        if len(commits) > 4:
            raise StoreError("There is no room left for the store in /full: free some space.")
        return commit(self, done)

    monkeypatch.setattr(Session, "commit", filling)
    run_id = service.start("digits", request_)
    done = finished(service, run_id)
    assert done.job.state is JobState.DONE
    assert done.snapshot.note.startswith("From here on this comparison is only in this server’s")
    assert "no room left" in done.snapshot.note
    assert numbers(done.snapshot.comparison) == numbers(directly(data, request_))
    run = service.store.get(run_id)
    assert run.n_done == sum(commits[:4])
    assert run.state is RunState.STOPPED
    monkeypatch.undo()
    again = opened()
    again.resume(run_id, "digits")
    assert finished(again, run_id).snapshot.note == ""
    assert {cell.commits for cell in again.store.cells(run_id)} == {1}


def test_a_request_that_makes_no_sense_is_no_run(opened, request_):
    service = opened()
    name = service.start("digits", replace(request_, n_features=(20, 1000)))
    progress = finished(service, name)
    assert progress.job.error == "n_features asks for 1000 of 48 features: ask for at most 48."
    assert service.store.runs() == ()


def test_a_method_that_fails_is_counted_the_same_when_read_back(opened):
    rng = np.random.default_rng(0)
    few = Dataset(rng.random((5, 9)), np.array([0, 0, 1, 1, 1]), name="five")
    request = ComparisonRequest(few.sha256, ("laplacian", "variance"), (3, 6), 4, 2)
    service = opened()
    key = service._library.add(few)
    run_id = service.start(key, request)
    live = finished(service, run_id).snapshot
    service = opened()
    read = service.progress(run_id, "").snapshot
    for snapshot in (live, read):
        assert (snapshot.n_done, snapshot.n_finished) == (snapshot.n_cells, 2)
        assert [row.method for row in snapshot.comparison.table()] == ["variance"]
        (sentence,) = set(snapshot.comparison.failures.values())
        assert sentence.startswith("Laplacian Score failed: ")
    assert service.store.cells(run_id, step=RANK, state=CellState.FAILED)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"tune": True, "methods": ("all", "udfs", "cspca")},
        {"init": "k-means++", "spec_function": "phi2"},
        {"spec_function": "phi3", "labelled": False},
        {"methods": ("all",), "n_features": (48,)},
    ],
)
def test_a_request_comes_back_from_its_plan(data, request_, changes):
    wanted = replace(request_, **changes)
    sweep = comparison_sweep(wanted.plan(data), labelled=wanted.labelled)
    found = request_of(sweep, data.sha256)
    assert found.plan(data) == sweep.plan
    if "spec" in wanted.methods:
        assert found == wanted


def test_what_the_page_cannot_ask_for_is_said_to_be_so(opened, data):
    plan = make_plan(
        data.data, data.target, ["all", "cspca"], [8], n_seeds=3,
        grids={"cspca": [{"alpha": 0.3, "beta": 0.1}]},
    )  # fmt: skip
    service = opened()
    run_id = start_sweep(service.store, comparison_sweep(plan), data)
    run_sweep(service.store, run_id, data)
    found = service.progress(run_id, "digits").snapshot
    assert not found.askable
    assert found.comparison.complete
