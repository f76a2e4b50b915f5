"""The fitting service: live snapshots, Stop, Continue, warm starts, memory, pixels kept."""

from __future__ import annotations

import csv
import io
import time
from dataclasses import replace

import numpy as np
import pytest

from cspca import CSPCA
from cspca.datasets import make_faces
from cspca.experiments.jobs import JobRegistry, JobState, StopReason
from cspca.runs.caches import FitMemory, Memory, memory_of
from cspca.runs.export import COLUMNS, scores_csv
from cspca.runs.fits import FitService
from cspca.runs.library import DatasetLibrary
from cspca.runs.records import FitSpec


@pytest.fixture(scope="module")
def faces():
    return make_faces(n_people=5, n_per_person=6, image_size=16, random_state=1)


@pytest.fixture
def service(faces):
    library = DatasetLibrary(loader=lambda name: faces)
    registry = JobRegistry(max_workers=2)
    yield FitService(library, registry)
    registry.close()


@pytest.fixture
def spec(faces):
    return FitSpec(sha256=faces.sha256, alpha=0.1, beta=0.05)


def endless(spec):
    """A fit that cannot end by itself within a test."""
    return replace(spec, tol=0.0, max_iter=10**6)


def wait(service, job, timeout=60):
    assert service.join(job, timeout)
    return service.progress(job)


def wait_for(condition, timeout=10.0):
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("timed out")


def drawable(service, job):
    wait_for(lambda: service.progress(job).snapshot.scores is not None)


def test_a_fit_ends_certified_and_equals_the_estimator(service, spec, faces):
    done = wait(service, service.start("faces", spec))
    assert done.job.state is JobState.DONE
    result = done.snapshot.result
    direct = CSPCA(alpha=spec.alpha, beta=spec.beta, tol=spec.tol).fit(faces.data)
    np.testing.assert_allclose(result.feature_scores, direct.feature_scores_, atol=1e-12)
    assert result.certified
    assert result.complete
    assert done.snapshot.gap == direct.duality_gap_ <= spec.tol
    assert done.snapshot.alpha == direct.alpha_
    assert done.snapshot.rank == direct.rank_
    assert result.n_kept == np.count_nonzero(direct.feature_scores_)
    assert sorted(result.ranks.tolist()) == list(range(1, faces.n_features + 1))
    assert result.ranks[direct.feature_order_[0]] == 1
    assert not result.feature_scores.flags.writeable


def test_the_trace_grows_and_its_bound_stays_below_its_objective(service, spec):
    trace = wait(service, service.start("faces", spec)).snapshot.traces[0]
    assert len(trace) >= 2
    assert list(trace.number) == sorted(set(trace.number))
    assert list(trace.seconds) == sorted(trace.seconds)
    assert all(b <= o for b, o in zip(trace.dual_bound, trace.objective, strict=True))


def test_an_unfinished_fit_can_be_drawn(service, spec, faces):
    job = service.start("faces", endless(spec))
    drawable(service, job)
    snapshot = service.progress(job).snapshot
    assert snapshot.phase == "solving"
    assert snapshot.scores.shape == (faces.n_features,)
    assert snapshot.alpha == pytest.approx(spec.alpha * snapshot.alpha_max)
    assert snapshot.result is None
    first = len(snapshot.traces[0])
    wait_for(lambda: len(service.progress(job).snapshot.traces[0]) > first)


def test_stop_keeps_what_is_there_within_a_second(service, spec, faces):
    job = service.start("faces", endless(spec))
    drawable(service, job)
    began = time.monotonic()
    assert service.stop(job)
    assert service.join(job, 1.0)
    assert time.monotonic() - began < 1.0
    stopped = service.progress(job)
    assert stopped.job.state is JobState.STOPPED
    assert stopped.can_continue
    assert not stopped.snapshot.result.complete
    assert stopped.snapshot.result.model.reconstruct(faces.data[:2]).shape == (2, faces.n_features)


def test_continue_goes_on_where_it_stood(service, spec):
    job = service.start("faces", endless(spec))
    drawable(service, job)
    service.stop(job)
    before = wait(service, job).snapshot
    again = service.resume("faces", job)
    assert again not in (None, job)
    assert len(service.progress(again).snapshot.traces[0]) >= len(before.traces[0])
    wait_for(lambda: service.progress(again).snapshot.iterations > before.iterations)
    service.stop(again)
    after = wait(service, again).snapshot
    assert after.iterations > before.iterations
    assert after.seconds > before.seconds
    assert after.gap <= before.gap
    assert after.traces[0].number[: len(before.traces[0])] == before.traces[0].number
    # The first model belongs to the first result: what goes on is another one.
    assert before.result.model.n_iter_ == before.iterations


def test_continue_after_the_tolerance_asks_for_ten_times_less(service, spec):
    job = service.start("faces", spec)
    first = wait(service, job)
    again = wait(service, service.resume("faces", job)).snapshot
    assert again.spec.tol == pytest.approx(spec.tol / 10)
    assert again.gap <= spec.tol / 10
    assert again.iterations > first.snapshot.iterations


def test_there_is_nothing_to_continue_without_a_result(service):
    assert service.resume("faces", "no such job") is None


def test_the_same_fit_again_is_there_at_once(service, spec):
    first = wait(service, service.start("faces", spec))
    again = service.progress(service.start("faces", spec))
    assert again.job.state is JobState.DONE
    assert again.snapshot.result is first.snapshot.result


def test_another_tolerance_is_another_fit(service, spec):
    wait(service, service.start("faces", spec))
    finer = wait(service, service.start("faces", replace(spec, tol=1e-5)))
    assert finer.snapshot.gap <= 1e-5


def test_a_small_step_starts_warm_and_needs_fewer_iterations(service, spec, faces):
    wait(service, service.start("faces", spec))
    moved = replace(spec, alpha=spec.alpha * 1.03)
    warm = wait(service, service.start("faces", moved)).snapshot
    cold = CSPCA(alpha=moved.alpha, beta=moved.beta).fit(faces.data)
    assert warm.warm
    assert warm.iterations < cold.n_iter_
    # Both are within the tolerance of one optimum.
    assert warm.result.model.objective_ == pytest.approx(cold.objective_, rel=2e-3)


@pytest.mark.parametrize("factor", [0.8, 1.25])
def test_a_step_of_a_slider_starts_warm(service, spec, factor):
    """Where W has few of many directions."""
    faces = make_faces(n_people=12, n_per_person=10, image_size=20)
    service = FitService(DatasetLibrary(loader=lambda name: faces), service._registry)
    spec = replace(spec, sha256=faces.sha256)
    wait(service, service.start("faces", spec))
    moved = replace(spec, alpha=spec.alpha * factor)
    warm = wait(service, service.start("faces", moved)).snapshot
    cold = CSPCA(alpha=moved.alpha, beta=moved.beta).fit(faces.data)
    assert warm.warm
    assert warm.iterations < cold.n_iter_
    assert warm.result.model.dual_objective_ <= cold.objective_
    assert cold.dual_objective_ <= warm.result.model.objective_


def test_a_search_that_begins_at_its_answer_has_a_course(service, spec):
    """The chart had nothing to draw: the fit ended before its objective was looked at."""
    faces = make_faces(n_people=12, n_per_person=10, image_size=20)
    service = FitService(DatasetLibrary(loader=lambda name: faces), service._registry)
    spec = replace(spec, sha256=faces.sha256)
    for wanted in (1, 3, 2):
        found = wait(service, service.start("faces", replace(spec, keep=wanted))).snapshot
        assert len(found.traces[0]) > 0, wanted
        assert found.traces[0].gap[-1] == pytest.approx(found.gap)


@pytest.mark.parametrize(
    ("alpha", "beta", "factor"),
    [
        pytest.param(0.1, 0.05, 1.5, id="a large step"),
        # With most directions in use a step of a quarter is as near from nothing.
        pytest.param(1e-3, 1e-3, 1.25, id="many directions"),
    ],
)
def test_where_the_solver_begins_cold_the_fit_does_not_pass_for_warm(
    service, spec, faces, alpha, beta, factor
):
    """It owes nothing to the fit before: its scores are those of a fit alone."""
    spec = replace(spec, alpha=alpha, beta=beta)
    wait(service, service.start("faces", spec))
    moved = replace(spec, alpha=spec.alpha * factor)
    found = wait(service, service.start("faces", moved)).snapshot
    alone = CSPCA(alpha=moved.alpha, beta=moved.beta).fit(faces.data)
    assert not found.warm
    np.testing.assert_array_equal(found.result.model.feature_scores_, alone.feature_scores_)


def test_a_new_fit_of_a_view_replaces_the_old_one_and_starts_from_it(service, spec):
    old = service.start("faces", endless(spec), owner="view")
    drawable(service, old)
    new = service.start("faces", replace(spec, alpha=spec.alpha * 1.05), owner="view", after=old)
    assert service.join(old, 1.0)
    assert service.progress(old).job.stop_reason is StopReason.SUPERSEDED
    done = wait(service, new)
    assert done.job.state is JobState.DONE
    assert done.snapshot.warm


def test_both_solvers_take_turns_on_one_chart(service, spec):
    snapshot = wait(service, service.start("faces", replace(spec, solver="both"))).snapshot
    assert [trace.solver for trace in snapshot.traces] == ["admm", "reweighted"]
    assert all(len(trace) > 2 for trace in snapshot.traces)
    result = snapshot.result
    assert result.model.solver == "admm"
    assert result.other.solver == "reweighted"
    assert result.other.objective_ >= result.model.dual_objective_


def test_the_papers_algorithm_alone(service, spec):
    snapshot = wait(service, service.start("faces", replace(spec, solver="reweighted"))).snapshot
    assert [trace.solver for trace in snapshot.traces] == ["reweighted"]
    assert snapshot.result.model.solver == "reweighted"


def test_keep_finds_the_alpha_for_a_number_of_pixels(service, spec):
    done = wait(service, service.start("faces", replace(spec, keep=60)))
    result = done.snapshot.result
    assert abs(result.n_kept - 60) <= 3
    # The curve is that of the last α tried; the time is that of the whole search.
    (trace,) = result.traces
    assert trace.number[0] <= 8, "the curve of one fit, not of all"
    assert trace.seconds[0] < trace.seconds[-1] <= result.seconds
    assert result.certified
    assert done.snapshot.alpha == pytest.approx(result.model.alpha * done.snapshot.alpha_max)


def test_a_stopped_search_leaves_a_model(service, spec, faces):
    job = service.start("faces", replace(spec, keep=60, tol=1e-9))
    drawable(service, job)
    service.stop(job)
    stopped = wait(service, job, 5)
    assert stopped.job.state in (JobState.STOPPED, JobState.DONE)
    assert stopped.snapshot.result.feature_scores.shape == (faces.n_features,)


def test_a_spec_that_keeps_pixels_does_not_depend_on_alpha(spec):
    assert replace(spec, keep=5) == replace(spec, alpha=0.7, keep=5)


def test_what_the_library_refuses_is_one_sentence(service, spec):
    failed = wait(service, service.start("faces", replace(spec, alpha=-1.0)))
    assert failed.job.state is JobState.FAILED
    assert "alpha" in failed.job.error
    assert "\n" not in failed.job.error
    assert not failed.can_continue


def test_a_data_set_that_is_gone_is_one_sentence(service, spec):
    failed = wait(service, service.start("no such id", spec))
    assert failed.job.state is JobState.FAILED
    assert "upload the file again" in failed.job.error


def test_the_zero_regime_is_an_answer(service, spec):
    done = wait(service, service.start("faces", replace(spec, alpha=1.0, beta=1.0)))
    assert done.job.state is JobState.DONE
    assert done.snapshot.result.model.regime_ == "zero"
    assert not done.snapshot.scores.any()


# -- memory --------------------------------------------------------------------------------------


def test_memory_is_bounded_in_number_and_bytes_and_forgets_the_oldest():
    memory = Memory(max_items=3, max_bytes=10_000)
    for name in "abc":
        memory.put(name, np.zeros(300))
    memory.get("a")
    memory.put("d", np.zeros(10))
    assert [memory.get(name) is not None for name in "abcd"] == [True, False, True, True]
    memory.put("e", np.zeros(1200))
    assert memory.get("e") is not None
    assert sum(memory_of(value) for value in memory.values()) <= 10_000


def test_memory_makes_a_thing_once():
    memory, made = Memory(4, 1000), []
    for _ in range(3):
        memory.get_or_make("a", lambda: made.append(1) or "thing")
    assert made == [1]


def test_a_failed_making_can_be_tried_again():
    memory = Memory(4, 1000)

    def broken():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        memory.get_or_make("a", broken)
    assert memory.get_or_make("a", lambda: "thing") == "thing"


def test_memory_of_counts_each_array_once():
    array = np.zeros(100)

    class Holder:
        def __init__(self):
            self.first = self.second = array
            self.more = {"x": [np.zeros(50)]}

    assert memory_of(Holder()) == 800 + 400


def test_the_nearest_fit_is_of_the_same_data_and_preparation(service, spec):
    memory = FitMemory()
    near, far = (
        wait(service, service.start("faces", replace(spec, alpha=alpha))).snapshot.result
        for alpha in (0.1, 0.4)
    )
    memory.put(near)
    memory.put(far)
    assert memory.nearest(replace(spec, alpha=0.105)) is near
    assert memory.nearest(replace(spec, alpha=0.125)) is near, "a step of a slider"
    assert memory.nearest(replace(spec, alpha=0.38)) is far
    assert memory.nearest(replace(spec, alpha=0.2)) is None, "a cold start is as near"
    assert memory.nearest(replace(spec, alpha=0.2, keep=far.n_kept)) is far
    assert memory.nearest(replace(spec, center=False)) is None
    assert memory.nearest(replace(spec, sha256="other")) is None
    assert memory.complete(replace(spec, alpha=0.1)) is near
    assert memory.complete(replace(spec, alpha=0.2)) is None


# -- taking it away ------------------------------------------------------------------------------


def test_the_csv_holds_every_pixel_with_all_its_digits(service, spec, faces):
    result = wait(service, service.start("faces", spec)).snapshot.result
    rows = list(csv.DictReader(io.StringIO(scores_csv(result, faces.image_shape))))
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == faces.n_features
    assert [int(row["rank"]) for row in rows] == list(range(1, faces.n_features + 1))
    for row in rows:
        pixel = int(row["feature"])
        assert int(row["row"]) * 16 + int(row["column"]) == pixel
        assert float(row["feature_score"]) == result.feature_scores[pixel]
        assert float(row["selection_score"]) == result.selection_scores[pixel]


def test_without_pictures_the_csv_has_no_places(service, spec):
    result = wait(service, service.start("faces", spec)).snapshot.result
    row = next(csv.DictReader(io.StringIO(scores_csv(result, None))))
    assert (row["row"], row["column"]) == ("", "")
