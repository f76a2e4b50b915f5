"""Films along α and β: every frame certified, coarse to fine, shared, stopped and gone on with."""

from __future__ import annotations

import gc
import threading
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from cspca import CSPCA
from cspca.datasets import Dataset, make_faces
from cspca.experiments import film as films
from cspca.experiments.film import VALUES, FilmService, next_value
from cspca.experiments.fit import Fit
from cspca.experiments.jobs import JobRegistry
from cspca.experiments.ledger import OPERATOR, memory_of
from cspca.experiments.live import FitService, follow
from cspca.experiments.memory import DatasetLibrary, reduction
from cspca.problem import Problem
from cspca.solvers import ADMM

FIT = Fit(alpha=0.1, beta=0.05)


class Cinema:
    """A data set, and a service that has no film of it yet."""

    def __init__(self, dataset: Dataset) -> None:
        library = DatasetLibrary()
        self.dataset, self.key = dataset, library.add(dataset)
        self.fits = FitService(library, JobRegistry())
        self.films = FilmService(self.fits, JobRegistry(max_workers=1))

    def start(self, along="alpha", asked=FIT):
        return self.films.start(self.key, asked, self.dataset.sha256, along)

    def seen(self, job):
        """The job when it has ended; one that nobody looks at would be stopped."""
        for _ in range(120):
            self.films.jobs.view(job)
            if self.films.jobs.join(job, 0.5):
                break
        now = self.films.jobs.view(job)
        assert not now.active
        return now

    def close(self):
        self.films.jobs.close()
        self.fits.jobs.close()


@pytest.fixture(scope="module")
def faces():
    return make_faces(n_people=5, n_per_person=6, image_size=16, random_state=1)


@pytest.fixture
def cinema(faces):
    one = Cinema(faces)
    yield one
    one.close()


@pytest.fixture(scope="module")
def shown(faces):
    """Two whole films, and where they were computed."""
    one = Cinema(faces)
    yield one, {along: one.seen(one.start(along)) for along in ("alpha", "beta")}
    one.close()


@pytest.mark.parametrize("along", ["alpha", "beta"])
def test_every_frame_is_the_certified_fit_of_its_penalty(shown, faces, along):
    job = shown[1][along]
    assert (job.state, job.error) == ("done", None)
    assert job.snapshot.values == VALUES
    assert job.snapshot.there == tuple(range(41))
    for value, frame in job.snapshot.tracks[0].frames.items():
        fresh = CSPCA(**{"alpha": FIT.alpha, "beta": FIT.beta, along: value}).fit(faces.data)
        assert frame.gap <= FIT.tol
        assert abs(frame.objective - fresh.objective_) <= FIT.tol * fresh.objective_
        assert (frame.alpha, frame.beta) == (fresh.alpha_, fresh.beta_)
        assert frame.bound <= fresh.objective_
        assert frame.used == np.count_nonzero(frame.scores)
        assert frame.rank == frame.fit.rank


def test_a_frame_answers_a_slider_that_stops_there(shown, faces):
    one, _ = shown
    job = one.fits.start(one.key, replace(FIT, alpha=0.2), faces.sha256)
    answer = one.fits.jobs.view(job)
    assert answer.state == "done"
    assert answer.snapshot.certified
    assert np.isfinite(answer.snapshot.histories["admm"]["objective"]).sum() > 1
    # It goes on to a smaller gap like any other.
    finer = one.fits.resume(one.key, job)
    assert one.fits.jobs.join(finer, 60)
    assert one.fits.jobs.view(finer).snapshot.gap <= FIT.tol / 10


def test_a_frame_rebuilds_images_from_its_few_directions(shown, faces):
    one, found = shown
    frame = found["alpha"].snapshot.tracks[0].frames[0.1]
    fresh = CSPCA(alpha=0.1, beta=FIT.beta, tol=1e-3).fit(faces.data)
    again = frame.fit.reconstruct(faces.data[:3])
    np.testing.assert_allclose(again, fresh.reconstruct(faces.data[:3]), atol=0.02)
    # Two factors of it are all that is kept of its map, in single precision.
    assert frame.fit.map[0].shape == (256, frame.rank)
    vectors = sum(one.nbytes for one in frame.fit.to_arrays().values())
    vectors += frame.fit.mean.nbytes - frame.fit.components.nbytes
    assert memory_of(frame.fit) <= 2 * 256 * frame.rank * 4 + 2 * vectors
    # Scores, and twelve components with their weights.
    assert all(frame.nbytes <= 4 * 256 * 25 for frame in found["alpha"].snapshot.frames)
    assert one.fits.known.get((OPERATOR, faces.sha256, replace(FIT, alpha=0.1))).models == {}


def in_order(near):
    """All values, in the order of their frames."""
    made = []
    while (value := next_value(VALUES, made, near)) is not None:
        made.append(value)
    return made


def test_frames_come_coarse_to_fine_and_then_where_the_fit_is():
    order = in_order(VALUES[20])
    assert sorted(order) == list(VALUES)
    places = [VALUES.index(value) for value in order]
    for many, apart in ((6, 8), (11, 4)):
        assert sorted(places[:many]) == list(range(0, 41, apart))
    away = [abs(at - 20) for at in places[11:]]
    assert away == sorted(away)
    # Another visitor, or another stop of the slider.
    assert next_value(VALUES, order[:11], VALUES[3]) == VALUES[3]


def test_a_film_that_nobody_looks_at_stops_and_goes_on_where_it_was(cinema, monkeypatch):
    asked = []

    def watched(first, *given, **more):
        asked.append(first.asked.alpha)
        if len(asked) == 4:
            # As the registry does it after a few seconds without a look.
            cinema.films.jobs.cancel(job, "unwatched")
        return follow(first, *given, **more)

    monkeypatch.setattr(films, "follow", watched)
    job = cinema.start()
    left = cinema.seen(job)
    assert left.state == "stopped"
    before = left.snapshot.tracks[0].frames
    order = in_order(FIT.alpha)
    assert list(before) == asked[:3] == order[:3]
    again = cinema.start()
    assert again != job
    whole = cinema.seen(again)
    assert whole.state == "done"
    after = whole.snapshot.tracks[0].frames
    assert len(after) == 41
    assert all(after[value] is frame for value, frame in before.items())
    # The one that was cut short is asked for again.
    assert asked == order[:4] + order[3:]


def test_frames_keep_components_after_their_fits_are_gone(cinema):
    film = cinema.seen(cinema.start()).snapshot
    model = CSPCA(VALUES[20], FIT.beta).fit(cinema.dataset.data)
    cinema.fits.known.clear()
    gc.collect()
    frame = film.frames[20]
    assert frame.fit is None
    assert len(frame.axes.components) == len(frame.axes.weights) == min(model.rank_, 12)
    assert len(frame.axes.ratios) == model.rank_
    cosines = np.sum(frame.axes.components[:3] * model.components_[:3], axis=1)
    np.testing.assert_allclose(cosines, 1.0, atol=1e-2)


def test_a_film_that_is_shown_can_be_taken_away_after_its_frames_were_forgotten(cinema):
    job = cinema.start()
    whole = cinema.seen(job).snapshot
    cinema.films._films.clear()
    assert cinema.start() == job
    assert cinema.films.known(cinema.key, FIT, cinema.dataset, "alpha") is whole
    other = replace(FIT, beta=0.3)
    assert cinema.films.known(cinema.key, other, cinema.dataset, "alpha") is None


def test_stop_ends_a_film_at_once_and_whoever_looks_on_has_it_gone_on_with(cinema, monkeypatch):
    begun, stopped = threading.Event(), threading.Event()

    def watched(first, *given, **more):
        made = cinema.films.known(cinema.key, FIT, cinema.dataset, "alpha")
        if made is not None and len(made.there) == 3:
            begun.set()
            assert stopped.wait(30)
            assert more["stop"]()
        return follow(first, *given, **more)

    monkeypatch.setattr(films, "follow", watched)
    job = cinema.start()
    assert begun.wait(30)
    cinema.films.stop(cinema.key, FIT, cinema.dataset.sha256, "alpha")
    stopped.set()
    left = cinema.seen(job)
    assert (left.state, left.stop_reason) == ("stopped", "asked")
    assert len(left.snapshot.there) == 3
    monkeypatch.undo()
    assert cinema.seen(cinema.start()).snapshot.complete


def test_a_film_gives_way_to_a_fit_that_somebody_waits_for(cinema, monkeypatch):
    answered, waiting = threading.Event(), threading.Event()
    made, looks = [], []
    busy = JobRegistry.busy

    def looked(jobs):
        found = busy.fget(jobs)
        looks.append(found)
        if looks.count(True) == 3:
            waiting.set()
        return found

    def counted(first, *given, **more):
        made.append(first)
        if len(made) == 2:
            # While this frame is made, somebody moves a slider.
            roomy.submit(lambda job: answered.wait(30))
        return follow(first, *given, **more)

    # With a worker to spare, or it would wait for that.
    roomy = cinema.films.jobs = JobRegistry(max_workers=2)
    monkeypatch.setattr(JobRegistry, "busy", property(looked))
    monkeypatch.setattr(films, "follow", counted)
    job = cinema.start()
    assert waiting.wait(30)
    assert len(made) == 2
    answered.set()
    assert cinema.seen(job).snapshot.complete


def test_no_frame_goes_on_while_a_page_is_drawn(cinema, monkeypatch):
    steps, waiting = [], threading.Event()

    def counted(first, *given, stop, **more):
        def stepped():
            steps.append(1)
            waiting.set()
            return stop()

        return follow(first, *given, stop=stepped, **more)

    monkeypatch.setattr(films, "follow", counted)
    job = cinema.start()
    assert waiting.wait(30)
    with cinema.films.giving_way():
        # A step under way ends.
        assert not cinema.films.jobs.join(job, 0.1)
        done = len(steps)
        assert not cinema.films.jobs.join(job, 0.1)
        assert len(steps) == done
        other = cinema.films.jobs.submit(lambda job: None, heavy=lambda: True)
        assert cinema.films.jobs.join(other, 30), "a film that rests has given up its worker"
    assert cinema.seen(job).snapshot.complete


def test_those_who_ask_for_one_film_share_it(cinema):
    job = cinema.start()
    # What it goes along does not matter, nor which solver is beside it on the page.
    assert cinema.start(asked=replace(FIT, alpha=0.7, solver="both")) == job
    other = cinema.start(asked=replace(FIT, beta=0.06))
    assert other != job
    cinema.films.jobs.cancel(other)
    assert cinema.seen(job).state == "done"
    assert cinema.start() == job


def test_absolute_penalties_and_features_to_keep_make_the_same_frames(cinema, faces):
    model = CSPCA(alpha=0.1, beta=0.05).fit(faces.data)
    absolute = replace(FIT, penalty_scale="absolute", beta=model.beta_)
    film = cinema.seen(cinema.start(asked=absolute)).snapshot
    assert film.tracks[0].frames[0.1].beta == pytest.approx(model.beta_)
    assert film.tracks[0].frames[0.1].alpha == pytest.approx(model.alpha_)
    assert cinema.start(asked=Fit(beta=0.05, keep=20)) == cinema.start()


@pytest.fixture(scope="module")
def at_work(faces):
    one = Cinema(faces)
    yield one.seen(one.start("iterations", replace(FIT, tol=1e-3)))
    one.close()


def test_both_solvers_go_in_step_to_their_ends(at_work, faces):
    assert (at_work.state, at_work.error) == ("done", None)
    film = at_work.snapshot
    assert [track.solver for track in film.tracks] == ["reweighted", "admm"]
    assert film.complete
    assert film.values[:30] == tuple(range(1, 31))
    assert len(film.values) <= 60
    paper, certified = ([track.frames[value] for value in film.values] for track in film.tracks)
    for frames in (paper, certified):
        objective = [one.objective for one in frames]
        bound = [one.bound for one in frames]
        assert objective == sorted(objective, reverse=True)
        # By then, and of either of the two.
        assert bound == sorted(bound)
        assert all(low <= high for low, high in zip(bound, objective, strict=True))
    assert certified[-1].gap <= films.FINE
    direct = CSPCA(alpha=0.1, beta=0.05, tol=1e-4).fit(faces.data)
    assert abs(certified[-1].objective - direct.objective_) <= 2e-4 * direct.objective_
    assert certified[-1].bound <= direct.objective_
    assert (certified[0].alpha, certified[0].beta) == (direct.alpha_, direct.beta_)


def test_a_frame_over_the_iterations_is_algorithm_1_after_so_many(at_work, faces):
    frames = at_work.snapshot.tracks[0].frames
    for many in (1, 7):
        with pytest.warns(ConvergenceWarning):
            model = CSPCA(alpha=0.1, beta=0.05, solver="reweighted", max_iter=many).fit(faces.data)
        assert frames[many].objective == pytest.approx(model.objective_)
        np.testing.assert_allclose(frames[many].scores, model.feature_scores_, rtol=1e-5)
        assert frames[many].rank is None


def test_no_bound_is_shown_before_there_is_one(faces):
    unproven = films.in_step(reduction(faces, True, False), FIT)
    first = next(unproven).tracks[1].frames[1]
    assert first.bound > 0.0
    problem = Problem(reduction(faces, True, False), 1.0, 1.0)
    iterate = next(ADMM(check_every=5, watch=0.0).iterate(problem))
    frame = films._at_work(problem, iterate, 1, 0.0)
    assert np.isnan(frame.bound)
    assert np.isinf(frame.gap)


def test_solvers_that_were_stopped_go_on_where_they_were(cinema, monkeypatch, at_work):
    begun, real = [], films.in_step

    def stopped_at_three(*given):
        begun.append(given)
        for film in real(*given):
            if len(film.there) == 3:
                cinema.films.jobs.cancel(job, "unwatched")
            yield film

    monkeypatch.setattr(films, "in_step", stopped_at_three)
    job = cinema.start("iterations")
    left = cinema.seen(job)
    assert left.state == "stopped"
    assert len(left.snapshot.there) == 3
    whole = cinema.seen(cinema.start("iterations"))
    assert whole.state == "done"
    assert len(begun) == 1
    assert whole.snapshot.values == at_work.snapshot.values


def test_a_film_that_fails_says_so_once(cinema, monkeypatch):
    monkeypatch.setattr(films, "in_step", lambda *given: iter(()).throw)
    job = cinema.start("iterations")
    assert cinema.seen(job).state == "failed"
    # Asked for at every look, it must not fail again and again.
    assert cinema.start("iterations") == job
