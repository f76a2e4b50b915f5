"""The comparison service: progress, Stop, Go on, memory, failures, two visitors."""

from __future__ import annotations

import threading
import time
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from cspca.datasets import Dataset, make_faces
from cspca.evaluation.former import compare, running
from cspca.experiments.jobs import JobRegistry, JobState
from cspca.experiments.library import DatasetLibrary
from cspca.runs.comparison_records import ComparisonRequest, Pace, has_classes
from cspca.runs.comparisons import CellMemory, ComparisonService

METHODS = ("all", "variance", "laplacian", "spec")


class Gate(CellMemory):
    """A memory that counts what is computed, and halts before it keeps a given group."""

    def __init__(self, **bounds):
        super().__init__(**bounds)
        self.computed: Counter = Counter()
        self.halt_at = None
        self.halted, self.go_on = threading.Event(), threading.Event()
        self.puts = 0

    def put(self, content, plan, group):
        self.puts += 1
        self.computed.update(result.cell for result in group.results)
        if self.puts == self.halt_at:
            self.halted.set()
            assert self.go_on.wait(20)
        super().put(content, plan, group)


@pytest.fixture(scope="module")
def faces():
    return make_faces(n_people=4, n_per_person=6, image_size=12, random_state=1)


@pytest.fixture
def store():
    return Gate()


@pytest.fixture
def service(faces, store):
    made = ComparisonService(
        DatasetLibrary(loader=lambda name: faces), JobRegistry(max_workers=2), store
    )
    yield made
    store.go_on.set()
    made.close()


@pytest.fixture
def request_(faces):
    return ComparisonRequest(
        faces.sha256, METHODS, (20, 60, 100), n_seeds=6, n_clusters=4, spec_function="phi3"
    )


def finished(service, job):
    assert service.join(job, 60)
    return service.progress(job)


def directly(faces, request):
    return compare(
        faces.data,
        faces.target,
        request.methods,
        request.n_features,
        n_seeds=request.n_seeds,
        n_clusters=request.n_clusters,
        init=request.init,
        tune=request.tune,
        grids=request.grids,
    )


def numbers(comparison):
    """Everything measured but times."""
    return {
        r.cell: (r.accuracy, r.nmi, r.nmi_max, r.silhouette, r.inertia) for r in comparison.results
    }


@pytest.mark.parametrize("init", ["random", "k-means++"])
def test_a_comparison_gives_the_numbers_of_the_library(service, faces, request_, init):
    wanted = replace(request_, init=init)
    progress = finished(service, service.start("faces", wanted))
    snapshot = progress.snapshot
    assert progress.job.state is JobState.DONE
    assert snapshot.comparison.complete
    assert snapshot.n_done == snapshot.n_cells == wanted.n_cells == 6 * (1 + 3 * 3)
    assert snapshot.n_finished == 4
    assert snapshot.doing == ""
    assert numbers(snapshot.comparison) == numbers(directly(faces, wanted))


def test_the_request_counts_what_its_plan_holds(faces, request_):
    for wanted in (
        request_,
        replace(request_, methods=("all", "udfs", "cspca"), tune=True),
        replace(request_, methods=("mcfs",), n_features=(10, 10, 3)),
    ):
        plan = wanted.plan(faces)
        assert wanted.n_cells == plan.n_cells
        assert wanted.n_rankings == sum(len(method.grid) for method in plan.methods)


def test_progress_says_what_is_done_what_is_doing_and_how_long_it_takes(service, store, request_):
    store.halt_at = 5  # all, variance × 3, laplacian's first
    job = service.start("faces", request_)
    assert store.halted.wait(20)
    snapshot = service.progress(job).snapshot
    assert service.progress(job).active
    assert snapshot.n_done == 4 * 6
    assert (snapshot.doing, snapshot.ranking) == ("Laplacian Score", True)
    assert snapshot.n_finished == 2
    assert 0 < snapshot.remaining < 60
    assert snapshot.unmeasured  # SPEC and the Laplacian Score have not been ranked by yet
    assert snapshot.left(snapshot.at + 1000) == 0.0
    assert snapshot.left(snapshot.at) == snapshot.remaining
    store.go_on.set()
    done = finished(service, job).snapshot
    assert (done.remaining, done.unmeasured) == (0.0, False)


def test_results_arrive_while_the_comparison_runs(service, store, request_, monkeypatch):
    monkeypatch.setattr("cspca.runs.comparison_course.GATHER", 0.0)
    store.halt_at = 6
    job = service.start("faces", request_)
    assert store.halted.wait(20)
    comparison = service.progress(job).snapshot.comparison
    assert not comparison.complete
    assert [row.method for row in comparison.table()] == ["all", "variance", "laplacian"]


def test_stop_keeps_what_is_done_and_going_on_computes_nothing_twice(
    service, faces, store, request_, monkeypatch
):
    fits: Counter = Counter()
    rank = running.rank_features

    def counted(method, key, *rest):
        fits[key] += 1
        return rank(method, key, *rest)

    monkeypatch.setattr(running, "rank_features", counted)
    store.halt_at = 6
    job = service.start("faces", request_)
    assert store.halted.wait(20)
    assert service.stop(job)
    assert service.progress(job).job.stopping
    store.go_on.set()
    stopped = finished(service, job)
    assert stopped.job.state is JobState.STOPPED
    assert stopped.can_resume
    assert len(stopped.snapshot.comparison.results) == stopped.snapshot.n_done == 6 * 6

    job = service.resume(job)
    done = finished(service, job)
    assert done.job.state is JobState.DONE
    assert set(store.computed.values()) == {1}
    assert fits == dict.fromkeys(METHODS, 1)
    assert numbers(done.snapshot.comparison) == numbers(directly(faces, request_))
    assert service.resume(job) is None


def test_going_on_needs_no_store(faces, request_):
    class Forgetful(Gate):
        def get(self, content, plan):
            return (), ()

    store = Forgetful()
    store.halt_at = 6
    service = ComparisonService(DatasetLibrary(loader=lambda name: faces), JobRegistry(), store)
    try:
        job = service.start("faces", request_)
        assert store.halted.wait(20)
        service.stop(job)
        store.go_on.set()
        finished(service, job)
        done = finished(service, service.resume(job))
    finally:
        service.close()
    assert done.snapshot.comparison.complete
    assert set(store.computed.values()) == {1}


def test_the_same_again_and_more_of_it_compute_only_what_is_new(service, store, request_):
    finished(service, service.start("faces", request_))
    assert sum(store.computed.values()) == request_.n_cells
    again = finished(service, service.start("faces", request_, owner="somebody else"))
    assert again.snapshot.comparison.complete
    assert sum(store.computed.values()) == request_.n_cells
    more = replace(request_, n_seeds=8, n_features=(20, 60, 100, 120))
    wider = finished(service, service.start("faces", more))
    assert wider.snapshot.comparison.complete
    assert sum(store.computed.values()) == more.n_cells
    assert set(store.computed.values()) == {1}


def test_what_belongs_to_other_labels_clusters_or_starts_is_not_taken(service, faces, request_):
    finished(service, service.start("faces", request_))
    for wanted in (
        replace(request_, n_clusters=5),
        replace(request_, init="k-means++"),
        replace(request_, labelled=False),
    ):
        comparison = finished(service, service.start("faces", wanted)).snapshot.comparison
        assert comparison.complete
        assert ("accuracy" in comparison.metrics) == wanted.labelled
        if wanted.labelled:
            assert numbers(comparison) == numbers(directly(faces, wanted))


def test_a_method_that_fails_does_not_end_the_rest(store):
    rng = np.random.default_rng(0)
    few = Dataset(rng.random((5, 9)), np.array([0, 0, 1, 1, 1]), name="five")
    library = DatasetLibrary()
    service = ComparisonService(library, JobRegistry(), store)
    request = ComparisonRequest(few.sha256, ("laplacian", "variance"), (3, 6), 4, 2)
    try:
        done = finished(service, service.start(library.add(few), request))
    finally:
        service.close()
    assert done.job.state is JobState.DONE
    snapshot = done.snapshot
    assert snapshot.n_done == snapshot.n_cells
    assert snapshot.n_finished == 2
    assert [row.method for row in snapshot.comparison.table()] == ["variance"]
    (sentence,) = set(snapshot.comparison.failures.values())
    assert sentence.startswith("Laplacian Score failed: ")


def test_a_request_that_makes_no_sense_is_refused_in_one_sentence(service, request_):
    job = service.start("faces", replace(request_, n_features=(20, 1000)))
    progress = finished(service, job)
    assert progress.failed
    assert progress.job.error == ("n_features asks for 1000 of 144 features: ask for at most 144.")
    assert service.resume(job) is None


def test_two_visitors_compare_beside_each_other_and_each_only_once(service, store, request_):
    store.halt_at = 1
    first = service.start("faces", request_, owner="one")
    assert store.halted.wait(20)
    other = service.start("faces", replace(request_, n_clusters=3), owner="two")
    assert finished(service, other).job.state is JobState.DONE
    assert service.progress(first).active
    second = service.start("faces", replace(request_, n_clusters=2), owner="one")
    store.go_on.set()
    assert finished(service, first).job.state is JobState.STOPPED
    assert finished(service, second).snapshot.comparison.plan.n_clusters == 2
    assert service.progress(first).can_resume


def test_memory_is_bounded_and_lets_the_oldest_groups_go(faces, request_):
    store = Gate(max_cells=40)
    service = ComparisonService(DatasetLibrary(loader=lambda name: faces), JobRegistry(), store)
    try:
        finished(service, service.start("faces", request_))
    finally:
        service.close()
    results, rankings = store.get(request_.content, request_.plan(faces))
    assert len(results) == 36  # six groups of six
    assert {r.cell.method for r in results} == {"laplacian", "spec"}
    assert len(rankings) == 4


def test_an_unknown_job_is_nothing(service):
    assert service.progress("no such job") is None
    assert service.progress(None) is None
    assert service.resume("no such job") is None
    assert not service.stop("no such job")


def test_the_rest_is_estimated_from_what_was_measured():
    pace = Pace({})
    assert pace.remaining({"a": 1}, 10) is None
    pace = pace.with_group("a", 2.0, 10, 3.0).with_group("a", None, 10, 1.0)
    pace = pace.with_group("b", 4.0, 10, 5.0)
    assert pace.remaining({}, 100) == pytest.approx(10.0)
    assert pace.remaining({"a": 1, "b": 2, "unknown": 1}, 0) == pytest.approx(2 + 8 + 3)


def test_labels_that_are_all_alike_are_no_classes(faces):
    assert has_classes(faces)
    one = Dataset(faces.data, np.zeros(faces.n_samples, dtype=int))
    assert not has_classes(one)
    assert not has_classes(Dataset(faces.data))


def test_a_stop_takes_effect_within_a_second(service, faces):
    request = ComparisonRequest(faces.sha256, ("all", "variance"), tuple(range(1, 140)), 30, 4)
    job = service.start("faces", request)
    while service.progress(job).snapshot.n_done == 0:
        time.sleep(0.01)
    began = time.perf_counter()
    service.stop(job)
    assert finished(service, job).job.state is JobState.STOPPED
    assert time.perf_counter() - began < 1.0
