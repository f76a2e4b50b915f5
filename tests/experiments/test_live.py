"""The fitting service: live snapshots, Stop, Continue, warm starts, memory, pixels kept."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from cspca import CSPCA
from cspca.datasets import Dataset, make_faces
from cspca.experiments.fit import Fit
from cspca.experiments.jobs import JobRegistry
from cspca.experiments.ledger import Stopped, memory_of
from cspca.experiments.limits import Limits
from cspca.experiments.live import SETTLED, FitService, LiveFit, _pays, follow
from cspca.experiments.memory import DatasetLibrary, reduction
from cspca.experiments.runner import run
from cspca.problem import ReducedData, problem
from cspca.stepwise import Stepwise


@pytest.fixture(scope="module")
def faces():
    return make_faces(n_people=5, n_per_person=6, image_size=16, random_state=1)


@pytest.fixture
def service(faces, monkeypatch):
    monkeypatch.setattr("cspca.experiments.memory.load", lambda name: faces)
    registry = JobRegistry(max_workers=2)
    service = FitService(DatasetLibrary(), registry)
    start = service.start
    # What is fitted here has one content.
    service.start = lambda data, asked, **more: start(data, asked, faces.sha256, **more)
    yield service
    registry.close()


def starter(service, dataset):
    """What starts fits of another set, by a service that remembers none."""
    library = DatasetLibrary()
    start = FitService(library, service.jobs).start
    return partial(start, library.add(dataset), sha256=dataset.sha256)


@pytest.fixture
def spec(faces):
    return Fit(alpha=0.1, beta=0.05)


def endless(spec):
    """A fit that cannot end by itself within a test."""
    return replace(spec, tol=0.0, max_iter=10**6)


def wait(service, job, timeout=60):
    assert service.jobs.join(job, timeout)
    return service.jobs.view(job)


def wait_for(condition, timeout=10.0):
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("timed out")


def drawable(service, job):
    wait_for(lambda: service.jobs.view(job).snapshot.scores is not None)


def test_a_fit_ends_certified_and_equals_the_estimator(service, spec, faces):
    done = wait(service, service.start("faces", spec))
    assert done.state == "done"
    result = done.snapshot
    direct = CSPCA(alpha=spec.alpha, beta=spec.beta, tol=spec.tol).fit(faces.data)
    np.testing.assert_allclose(result.fit.feature_scores, direct.feature_scores_, atol=1e-12)
    assert result.certified
    assert done.snapshot.gap == direct.duality_gap_ <= spec.tol
    assert done.snapshot.alpha == direct.alpha_
    assert done.snapshot.rank == direct.rank_
    assert result.fit.n_kept == np.count_nonzero(direct.feature_scores_)
    # Features that tie share their first place.
    places = result.fit.ranks[result.fit.feature_order]
    assert places[0] == 1
    assert (np.diff(places) >= 0).all()
    assert (places <= np.arange(1, faces.n_features + 1)).all()
    assert result.fit.ranks[direct.feature_order_[0]] == 1
    assert not result.scores.flags.writeable


def test_the_trace_grows_and_its_bound_stays_below_its_objective(service, spec):
    course = wait(service, service.start("faces", spec)).snapshot.histories["admm"]
    assert len(course) >= 2
    assert course["number"].tolist() == sorted(set(course["number"].tolist()))
    assert course["seconds"].tolist() == sorted(course["seconds"])
    assert all(course["dual_bound"] <= course["best_objective"])
    assert all(np.diff(course["best_objective"]) <= 0), "what has been reached never rises"


def test_an_unfinished_fit_can_be_drawn(service, spec, faces):
    job = service.start("faces", endless(spec))
    drawable(service, job)
    snapshot = service.jobs.view(job).snapshot
    assert not snapshot.reducing
    assert snapshot.scores.shape == (faces.n_features,)
    assert snapshot.alpha == pytest.approx(spec.alpha * snapshot.alpha_max)
    assert not snapshot.fits
    first = len(snapshot.histories["admm"])
    wait_for(lambda: len(service.jobs.view(job).snapshot.histories["admm"]) > first)


def test_stop_keeps_what_is_there_within_a_second(service, spec, faces):
    job = service.start("faces", endless(spec))
    drawable(service, job)
    began = time.monotonic()
    assert service.jobs.cancel(job)
    assert service.jobs.join(job, 1.0)
    assert time.monotonic() - began < 1.0
    stopped = service.jobs.view(job)
    assert stopped.state == "stopped"
    assert stopped.snapshot.can_continue
    assert stopped.snapshot.fit.reconstruct(faces.data[:2]).shape == (2, faces.n_features)


def test_continue_goes_on_where_it_stood(service, spec):
    job = service.start("faces", endless(spec))
    drawable(service, job)
    service.jobs.cancel(job)
    before = wait(service, job).snapshot
    again = service.resume("faces", job)
    assert again not in (None, job)
    assert len(service.jobs.view(again).snapshot.histories["admm"]) >= len(before.histories["admm"])
    wait_for(lambda: service.jobs.view(again).snapshot.iterations > before.iterations)
    service.jobs.cancel(again)
    after = wait(service, again).snapshot
    assert after.iterations > before.iterations
    assert after.seconds > before.seconds
    assert after.gap <= before.gap
    once = before.histories["admm"]["number"]
    np.testing.assert_array_equal(after.histories["admm"]["number"][: len(once)], once)
    # The first model belongs to the first result: what goes on is another one.
    assert before.models["admm"].fit_.n_iter == before.iterations


def test_continue_after_the_tolerance_asks_for_ten_times_less(service, spec):
    job = service.start("faces", spec)
    first = wait(service, job)
    again = wait(service, service.resume("faces", job)).snapshot
    assert again.asked.tol == pytest.approx(spec.tol / 10)
    assert again.gap <= spec.tol / 10
    assert again.iterations > first.snapshot.iterations


def test_settling_goes_on_to_the_gap_that_is_named(service, spec):
    first = wait(service, service.start("faces", spec))
    again = wait(service, service.resume("faces", first.id, tol=SETTLED)).snapshot
    assert again.asked.tol == SETTLED >= again.gap
    assert again.iterations > first.snapshot.iterations
    # Asked for less than there is it takes nothing back.
    coarser = wait(service, service.resume("faces", first.id, tol=1.0)).snapshot
    assert coarser.asked.tol == spec.tol


def test_there_is_nothing_to_continue_without_a_result(service):
    assert service.resume("faces", "no such job") is None


def test_a_fit_that_was_stopped_before_it_began_is_started(service, spec, monkeypatch):
    with monkeypatch.context() as patch:

        def stopped(data, center, normalize, stop=None):
            raise Stopped

        patch.setattr("cspca.experiments.live.reduction", stopped)
        job = service.start("faces", spec)
        assert wait(service, job).state == "stopped"
    assert not service.jobs.view(job).snapshot.fits
    again = wait(service, service.resume("faces", job))
    assert again.state == "done"
    assert again.snapshot.certified
    assert again.snapshot.asked == spec


def test_what_runs_is_not_continued(service, spec):
    job = service.start("faces", endless(spec))
    drawable(service, job)
    assert service.resume("faces", job) is None
    service.jobs.cancel(job)


def test_a_small_step_starts_warm_and_needs_fewer_iterations(service, spec, faces):
    wait(service, service.start("faces", spec))
    moved = replace(spec, alpha=spec.alpha * 1.03)
    warm = wait(service, service.start("faces", moved)).snapshot
    cold = CSPCA(alpha=moved.alpha, beta=moved.beta).fit(faces.data)
    assert warm.warm
    assert warm.iterations < cold.n_iter_
    # Both are within the tolerance of one optimum.
    assert warm.fit.objective == pytest.approx(cold.objective_, rel=2e-3)


@pytest.mark.parametrize("factor", [0.8, 1.25])
def test_a_step_of_a_slider_starts_warm(service, spec, factor):
    """Where W has few of many directions."""
    faces = make_faces(n_people=12, n_per_person=10, image_size=20)
    start = starter(service, faces)
    wait(service, start(spec))
    moved = replace(spec, alpha=spec.alpha * factor)
    warm = wait(service, start(moved)).snapshot
    cold = CSPCA(alpha=moved.alpha, beta=moved.beta).fit(faces.data)
    assert warm.warm
    assert warm.iterations < cold.n_iter_
    assert warm.fit.dual_objective <= cold.objective_
    assert cold.dual_objective_ <= warm.fit.objective


def test_a_search_that_begins_at_its_answer_has_a_course(service, spec):
    """The chart had nothing to draw: the fit ended before its objective was looked at."""
    faces = make_faces(n_people=12, n_per_person=10, image_size=20)
    start = starter(service, faces)
    for wanted in (1, 3, 2):
        found = wait(service, start(replace(spec, keep=wanted))).snapshot
        assert len(found.histories["admm"]) > 0, wanted
        assert found.histories["admm"]["gap"][-1] == pytest.approx(found.gap)


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
    np.testing.assert_array_equal(found.fit.feature_scores, alone.feature_scores_)


def test_a_new_fit_of_a_view_replaces_the_old_one_and_starts_from_it(service, spec):
    old = service.start("faces", endless(spec), owner="view")
    # From fewer iterations than that a cold start is as quick.
    wait_for(lambda: service.jobs.view(old).snapshot.iterations > 20)
    new = service.start("faces", replace(spec, alpha=spec.alpha * 1.05), owner="view", after=old)
    assert service.jobs.join(old, 1.0)
    assert service.jobs.view(old).stop_reason == "superseded"
    done = wait(service, new)
    assert done.state == "done"
    assert done.snapshot.warm


def test_both_solvers_take_turns_on_one_chart(service, spec):
    snapshot = wait(service, service.start("faces", replace(spec, solver="both"))).snapshot
    assert list(snapshot.histories) == ["admm", "reweighted"]
    assert all(len(course) > 2 for course in snapshot.histories.values())
    assert snapshot.fit.solver == "admm"
    paper = snapshot.fits["reweighted"]
    assert paper.objective >= snapshot.fit.dual_objective == paper.dual_objective


def test_the_papers_algorithm_alone(service, spec):
    snapshot = wait(service, service.start("faces", replace(spec, solver="reweighted"))).snapshot
    assert list(snapshot.histories) == ["reweighted"]
    assert snapshot.fit.solver == "reweighted"
    # It is measured by the certified solver's bound, and the chart ends there too.
    assert snapshot.fit.dual_objective == snapshot.fits["admm"].dual_objective
    assert snapshot.histories["reweighted"]["gap"][-1] == snapshot.gap == snapshot.fit.duality_gap


def test_keep_finds_the_alpha_for_a_number_of_pixels(service, spec):
    done = wait(service, service.start("faces", replace(spec, keep=60)))
    result = done.snapshot
    assert abs(result.fit.n_kept - 60) <= 3
    # The curve is that of the last α tried.
    course = result.histories["admm"]
    assert course["number"][0] <= 8, "the curve of one fit, not of all"
    assert course["seconds"][0] < course["seconds"][-1] <= result.seconds
    assert result.certified
    assert result.alpha == pytest.approx(result.fit.alpha)


def test_a_stopped_search_leaves_a_model(service, spec, faces):
    job = service.start("faces", replace(spec, keep=60, tol=1e-9))
    drawable(service, job)
    service.jobs.cancel(job)
    stopped = wait(service, job, 5)
    assert stopped.state in ("stopped", "done")
    assert stopped.snapshot.fit.feature_scores.shape == (faces.n_features,)


def test_a_spec_that_keeps_pixels_does_not_depend_on_alpha(spec):
    assert replace(spec, keep=5) == replace(spec, alpha=0.7, keep=5)


def test_a_data_set_that_is_gone_is_one_sentence(service, spec):
    failed = wait(service, service.start("no such id", spec))
    assert failed.state == "failed"
    assert "upload the file again" in failed.error


def test_the_zero_regime_is_an_answer(service, spec):
    done = wait(service, service.start("faces", replace(spec, alpha=1.0, beta=1.0)))
    assert done.state == "done"
    assert done.snapshot.fit.regime == "zero"
    assert not done.snapshot.scores.any()


# -- the curve -----------------------------------------------------------------------------------


def passes(monkeypatch, work):
    """How often `work` goes over all of the data, and columns of all whose trace norm it takes."""
    over, columns = [], []
    chunk, each, trace_norm = ReducedData.chunk, ReducedData.over, problem.trace_norm
    with monkeypatch.context() as patch:
        patch.setattr(ReducedData, "chunk", lambda *given: (over.append(1), chunk(*given))[1])
        patch.setattr(ReducedData, "over", lambda *given: (over.append(1), each(*given))[1])
        patch.setattr(
            problem,
            "trace_norm",
            lambda B, *given: (columns.append(B.shape[1]), trace_norm(B, *given))[1],
        )
        found = work()
    return len(over), columns, found


def test_the_curve_of_a_page_is_no_pass_over_the_data(spec, monkeypatch):
    """It took more time than the fit: each of its points was an evaluation on all columns."""
    crowd = make_faces(n_people=12, n_per_person=10, image_size=20)
    # As the page does, for which no data are compared with their reduction.
    plain = Stepwise(alpha=spec.alpha, beta=spec.beta, tol=spec.tol)
    reduced = reduction(crowd, True, False)
    # What is found once of a reduction is at hand in both.
    list(plain.iterate(crowd.data, reduced=reduced))
    alone, few, _ = passes(monkeypatch, lambda: list(plain.iterate(crowd.data, reduced=reduced)))
    live = partial(follow, stop=lambda: False, publish=lambda moment: None)
    page, columns, found = passes(monkeypatch, lambda: live(LiveFit(spec, crowd.sha256), crowd))
    assert page == alone > 0
    assert max(columns) < reduced.rank
    objective = found.histories["admm"]["objective"]
    assert len(columns) > len(few)
    # Where directions are gathered there is nothing to see.
    state = found.models["admm"]._state
    assert np.isfinite(objective).sum() == len(objective) - state.explorations
    np.testing.assert_array_equal(found.scores, plain.fit_.feature_scores)


@pytest.mark.parametrize(
    ("keep", "solver"), [(None, "admm"), (None, "both"), (60, "admm")], ids=["one", "both", "keep"]
)
def test_the_course_of_a_saved_fit_is_that_of_the_page(spec, faces, keep, solver):
    """No clock decides which of its points there are."""
    asked = replace(spec, keep=keep, solver=solver)
    live = follow(LiveFit(asked), faces, stop=lambda: False, publish=lambda moment: None)
    saved = run(asked, faces).results
    for cell, result in saved.items():
        course = live.fits[cell.parameters["solver"]].history
        for name in ("number", "objective", "best_objective", "n_kept"):
            np.testing.assert_array_equal(result.arrays[f"history_{name}"], course[name])
        assert np.isfinite(course["objective"]).all()


# -- memory --------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["admm", "both"])
def test_what_is_remembered_of_a_fit_is_small_and_shows_the_same(service, spec, faces, solver):
    """A map on all columns stayed for each step of a slider: hundreds of megabytes in minutes."""
    asked = replace(spec, solver=solver)
    fresh = wait(service, service.start("faces", asked)).snapshot
    again = wait(service, service.start("faces", asked)).snapshot
    assert list(again.fits) == list(fresh.fits)
    assert not again.models
    for name, fit in again.fits.items():
        assert fit.numbers() == fresh.fits[name].numbers()
        assert fit.map[0].shape == (faces.n_features, fit.rank)
        rebuilt = fit.reconstruct(faces.data[:3])
        np.testing.assert_allclose(rebuilt, fresh.fits[name].reconstruct(faces.data[:3]), atol=1e-3)


def test_the_memory_of_a_fit_counts_its_solver_s_state(service, spec):
    found = wait(service, service.start("faces", spec)).snapshot
    assert memory_of(found) >= memory_of(found.models["admm"]._state)


def test_a_fit_starts_from_one_near_by_of_the_same_data_and_preparation(service, spec, faces):
    near, far = (
        wait(service, service.start("faces", replace(spec, alpha=alpha))).snapshot
        for alpha in (0.1, 0.4)
    )

    def pays(start, sha256=faces.sha256, **changes):
        return _pays(start, LiveFit(replace(spec, **changes), sha256))

    assert pays(near, alpha=0.105)
    assert pays(near, alpha=0.125), "a step of a slider"
    assert pays(far, alpha=0.38)
    assert not pays(near, alpha=0.2), "a cold start is as near"
    assert pays(far, alpha=0.2, keep=far.fit.n_kept)
    assert not pays(near, center=False)
    assert not pays(near, sha256="other")
    assert not pays(near, solver="both")


def test_a_fit_after_one_that_never_began_starts_from_the_last_of_its_owner(service, spec):
    wait(service, service.start("faces", spec, owner="view"))
    left = service.jobs.submit(None, owner="view", snapshot=LiveFit(spec))
    moved = replace(spec, alpha=spec.alpha * 1.05)
    assert wait(service, service.start("faces", moved, owner="view", after=left)).snapshot.warm
    other = replace(spec, alpha=spec.alpha * 1.04)
    assert not wait(service, service.start("faces", other, owner="another")).snapshot.warm


def test_a_fit_without_room_says_so_and_others_go_on(service, spec, monkeypatch):
    few = Limits(visitor_memory=1)
    monkeypatch.setattr("cspca.experiments.ledger.limits", lambda: few)
    samples = np.random.default_rng(0).random((200, 400))
    crowd = Dataset(samples, name="crowd")
    library = DatasetLibrary()
    start = FitService(library, service.jobs).start
    job = wait(service, start(library.add(crowd, "ann"), spec, crowd.sha256))
    assert job.state == "failed"
    assert job.error.startswith("What fits of crowd share takes 2 MB of memory, and you have 1 MB ")
    assert job.error.endswith("use fewer or smaller samples.")
    assert wait(service, service.start("faces", spec)).state == "done"


def test_the_course_of_a_live_fit_agrees_with_itself(service, spec):
    fit = wait(service, service.start("faces", replace(spec, alpha=0.3, beta=0.1))).snapshot
    course = fit.histories["admm"]
    evaluated = course[np.isfinite(course["objective"])]
    assert len(evaluated) > 2
    assert (evaluated["best_objective"] <= evaluated["objective"]).all()
    assert (np.diff(evaluated["best_objective"]) <= 0).all()
    assert course["n_kept"][-1] == fit.fit.n_kept
    assert len(set(course["n_kept"])) > 1
