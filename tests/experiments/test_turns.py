"""Whose turn it is: thirty visitors and few workers, decided by events alone."""

from __future__ import annotations

import threading

import pytest

from cspca.experiments.jobs import Job, JobRegistry

LONG = 20.0
"""Seconds after which a test that waits for an event has failed."""


def heavy() -> bool:
    return True


class Stage:
    """A registry whose jobs say when they begin and end when they are told to."""

    def __init__(self, *how, **more):
        self.registry = JobRegistry(*how, **more)
        self.order = []
        self._changed = threading.Condition()
        self._told = set()

    def put(self, name, visitor="", steps=0, **more):
        """A job that notes its name when it begins and after each step, then waits for `end`."""

        def work(job: Job) -> None:
            for step in range(steps + 1):
                if step and job.give_way():
                    return
                self._note(name)
            with self._changed:
                assert self._changed.wait_for(
                    lambda: name in self._told or job.stop_requested(), LONG
                )

        return self.registry.submit(work, owner=f"{visitor} {name}", **more)

    def _note(self, name):
        with self._changed:
            self.order.append(name)
            self._changed.notify_all()

    def end(self, *names):
        with self._changed:
            self._told.update(names)
            self._changed.notify_all()

    def begun(self, *names):
        with self._changed:
            assert self._changed.wait_for(lambda: set(names) <= set(self.order), LONG), self.order

    def waits(self, job):
        return self.registry.view(job).state == "queued"

    def finish(self, job):
        assert self.registry.join(job, LONG)


@pytest.fixture
def stage():
    made = []
    yield lambda *how, **more: made.append(Stage(*how, **more)) or made[-1]
    for one in made:
        for job in list(one.registry._jobs):
            one.registry.cancel(job)
        with one._changed:
            one._changed.notify_all()
        one.registry.close()


def test_thirty_visitors_take_turns_however_much_each_asks_for(stage):
    one = stage(1, queue=1000)
    one.put("first", "nobody")
    names = [[f"{visitor}-{turn}" for turn in range(4)] for visitor in range(30)]
    jobs = [one.put(name, f"v{at}") for at, mine in enumerate(names) for name in mine]
    one.end(*(name for mine in names for name in mine))
    one.end("first")
    for job in jobs:
        one.finish(job)
    assert one.order == ["first", *(name for turn in zip(*names, strict=True) for name in turn)]


def test_who_floods_the_queue_is_overtaken_by_whoever_comes(stage):
    one = stage(1)
    flood = [one.put(f"flood {number}", "anna") for number in range(12)]
    one.begun("flood 0")
    late = one.put("late", "ben")
    assert one.registry.view(late).position == 1
    assert one.registry.view(flood[1]).position == 2
    one.end("flood 0")
    one.begun("late")
    assert one.order == ["flood 0", "late"]
    # Having had a turn, it is Anna's again.
    again = one.put("again", "ben")
    one.end("late")
    one.begun("flood 1")
    assert one.waits(again)


def test_what_a_page_began_by_itself_goes_behind_what_is_asked_for(stage):
    one = stage(1)
    one.put("now", "anna")
    by_itself = one.put("by itself", "ben", asked=False)
    asked = one.put("asked", "anna")
    assert one.registry.view(asked).position == 1
    assert one.registry.view(by_itself).position == 2
    assert one.registry.busy
    one.end("now", "asked", "by itself")
    one.finish(by_itself)
    assert one.order == ["now", "asked", "by itself"]
    assert not one.registry.busy


def test_only_a_few_begin_that_wait_for_calm_and_nobody_waits_for_them(stage):
    one, calm = stage(2), threading.Event()
    both = threading.Event()
    how = {"heavy": heavy, "calm": lambda: calm.is_set() or (both.is_set() and len(one.order) < 2)}
    films = [one.put(f"film {visitor}", visitor, steps=1, **how) for visitor in ("anna", "ben")]
    both.set()
    one.begun("film anna", "film ben")
    films.append(one.put("film cleo", "cleo", heavy=heavy, calm=lambda: True))
    one.registry.sweep()
    assert one.waits(films[2]), "two have begun, and each holds memory"
    grid = one.put("grid", "dora", heavy=heavy)
    one.begun("grid")
    one.end("grid", "film anna", "film ben", "film cleo")
    one.finish(grid)
    calm.set()
    for film in films:
        one.finish(film)


def test_a_visitor_has_one_heavy_job_and_leaves_a_worker_to_the_light_ones(stage):
    one = stage(3)
    one.put("big", "anna", heavy=heavy)
    second = one.put("second big", "anna", heavy=heavy)
    one.put("bens", "ben", heavy=heavy)
    third = one.put("cleos", "cleo", heavy=heavy)
    one.begun("big", "bens")
    assert one.waits(second), "one at a time a visitor"
    assert one.waits(third), "the last worker is for what is quick"
    one.put("slider", "dora")
    one.begun("slider")
    # A light one of the same visitor waits for no heavy one either.
    annas = one.put("annas slider", "anna")
    assert one.waits(annas)
    one.end("slider")
    one.begun("annas slider")
    one.end("bens")
    one.begun("cleos")
    one.end("cleos", "big")
    one.begun("second big")


def test_with_one_worker_a_heavy_job_has_it(stage):
    one = stage(1)
    one.put("big", "anna", heavy=heavy)
    one.begun("big")


def test_heavy_jobs_take_turns_step_by_step(stage):
    one = stage(2)
    gate = one.put("gate", "nobody", heavy=heavy)
    jobs = [one.put(name, name, steps=3, heavy=heavy) for name in ("anna", "ben", "cleo")]
    one.end("anna", "ben", "cleo")
    one.end("gate")
    for job in (gate, *jobs):
        one.finish(job)
    assert one.order == ["gate", *["anna", "ben", "cleo"] * 4]
    assert {one.registry.view(job).state for job in jobs} == {"done"}


def test_one_that_gives_way_shows_as_running_and_can_be_stopped(stage):
    one = stage(1)
    jobs = {}

    def work(job: Job) -> None:
        jobs["light"] = one.put("light", "ben")
        assert job.give_way(), "it was stopped while it gave way"

    heavier = one.registry.submit(work, owner="anna", heavy=heavy)
    one.begun("light")
    seen = one.registry.view(heavier)
    assert (seen.state, seen.position) == ("running", None)
    assert one.registry.cancel(heavier)
    one.finish(heavier)
    assert one.registry.view(heavier).state == "stopped"
    assert one.registry.view(jobs["light"]).state == "running", "nobody else was disturbed"


def test_what_several_want_is_made_once_and_then_they_are_light(stage):
    one, there = stage(4), set()

    def needs():
        return "basis" not in there

    first = one.put("first", "anna", heavy=needs, makes="basis")
    others = [one.put(name, name, heavy=needs, makes="basis") for name in ("ben", "cleo", "dora")]
    one.begun("first")
    assert all(map(one.waits, others))
    assert one.registry.wants("basis")
    there.add("basis")
    one.end("first")
    one.finish(first)
    one.begun("ben", "cleo", "dora")


def test_what_is_made_is_wanted_until_the_last_who_waits_for_it_goes(stage):
    one, seen, asked = stage(2), [], threading.Event()
    began = threading.Event()

    def work(job: Job) -> None:
        seen.append(job)
        began.set()
        asked.wait(LONG)

    old = one.registry.submit(work, owner="anna view", heavy=heavy, makes="basis")
    assert began.wait(LONG)
    new = one.registry.submit(work, owner="anna view", heavy=heavy, makes="basis")
    assert one.registry.view(old).stop_reason == "superseded"
    assert not seen[0].unwanted(), "the one in its place waits for the same"
    one.registry.cancel(new)
    assert seen[0].unwanted()
    asked.set()
    one.finish(old)


def test_too_many_are_refused_with_a_sentence_and_leave_no_trace(stage):
    one = stage(1, queue=3, each=2)
    one.put("now", "anna")
    one.begun("now")
    waiting = [one.put(f"anna {number}", "anna") for number in range(2)]
    refused = one.registry.view(one.put("too much", "anna"))
    assert (refused.state, refused.stop_reason) == ("stopped", "busy")
    assert refused.error == (
        "2 jobs wait here that you have asked for already; try again in a moment."
    )
    ben = one.put("ben", "ben")
    assert one.waits(ben)
    crowded = one.registry.view(one.put("cleo", "cleo"))
    assert crowded.error == ("The server is busy: 3 jobs wait before yours; try again in a moment.")
    assert crowded.work is None
    # One that takes the place of another one of its own is none too many.
    again = one.registry.submit(lambda job: None, owner="anna anna 1")
    assert one.waits(again)
    assert not one.waits(waiting[1])
    one.end("now", "anna 0", "ben")
    one.finish(again)
    assert "too much" not in one.order


def test_a_place_of_a_visitor_is_not_anothers(stage):
    one = stage(2, at_once=1)
    one.put("read", "anna")
    second = one.put("second", "anna")
    one.put("bens", "ben")
    one.begun("read", "bens")
    assert one.waits(second), "at most one of hers at once"
