"""Runs of a server: in turns cell by cell, and stopped in the middle of a long one."""

from __future__ import annotations

import threading

import pytest

from cspca.experiments import run, runner
from cspca.experiments.jobs import Job, JobRegistry
from cspca.experiments.memory import DatasetLibrary
from cspca.experiments.runner import RunService
from cspca.experiments.store import Store
from tests.experiments.toys import Toy, blobs, numbers

LONG = 30.0


class Server:
    def __init__(self, workers):
        self.jobs, library = JobRegistry(workers), DatasetLibrary()
        self.data, self.key = blobs(), library.add(blobs())
        self.runs = RunService(Store(":memory:"), library, self.jobs)

    def start(self, experiment, owner, **more):
        return self.runs.start(experiment, self.key, owner=owner, **more)

    def finish(self, run_id):
        assert self.jobs.join(run_id, LONG)
        return self.runs.view(run_id)


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(runner, "EXPERIMENTS", {"toy": Toy})
    made = []
    yield lambda workers=1: made.append(Server(workers)) or made[-1]
    for one in made:
        one.runs.close()
        one.jobs.close()
        one.runs.store.close()


def test_runs_of_several_visitors_take_turns_cell_by_cell(server, monkeypatch):
    one, order, gate = server(), [], threading.Event()
    perform = runner.perform

    def noted(experiment, *given):
        order.append(experiment.n)
        return perform(experiment, *given)

    monkeypatch.setattr(runner, "perform", noted)
    one.jobs.submit(lambda job: gate.wait(LONG) and None)
    runs = [one.start(Toy(n=n), owner) for n, owner in ((6, "anna"), (5, "ben"), (4, "cleo"))]
    glance = one.start(Toy(n=3, size=1), "dora", seconds=60)
    gate.set()
    assert all(one.finish(run_id).complete for run_id in runs)
    assert one.finish(glance).complete
    # What nobody asked for has waited for all of it.
    assert order == [6, 5, 4] * 4 + [6, 5, 6] + [3, 3, 3]


def test_a_glance_needs_none_of_the_workers_of_long_runs(server):
    one = server(2)
    begun, end = threading.Event(), threading.Event()

    def long(job: Job) -> None:
        begun.set()
        end.wait(LONG)

    one.jobs.submit(long, owner="anna run", heavy=lambda: True)
    assert begun.wait(LONG)
    assert one.finish(one.start(Toy(), "ben", seconds=60)).complete
    end.set()


def test_stop_comes_through_in_the_middle_of_a_cell_and_what_is_done_is_kept(server, monkeypatch):
    one = server(2)
    one.finish(one.start(Toy(n=3), "anna"))
    # From the fourth cell on none would end within a test.
    monkeypatch.setattr(runner, "LONG", -1.0)
    begun, call = threading.Event(), runner.Apart.__call__

    def watched(self, *given):
        begun.set()
        return call(self, *given)

    monkeypatch.setattr(runner.Apart, "__call__", watched)
    longer = one.start(Toy(n=5, pause=50.0), "anna")
    assert begun.wait(LONG)
    one.runs.stop(longer)
    stopped = one.finish(longer)
    assert (stopped.job.state, stopped.n_done, stopped.n_failed) == ("stopped", 3, 0)
    assert stopped.can_resume


def test_while_somebody_waits_cells_leave_the_server_to_them(server, monkeypatch):
    one, end, there = server(2), threading.Event(), []
    call = runner.Apart.__call__
    monkeypatch.setattr(runner.Apart, "__call__", lambda *given: there.append(1) or call(*given))
    one.finish(one.start(Toy(n=2), "anna"))
    assert not there
    one.jobs.submit(lambda job: end.wait(LONG) and None, owner="ben")
    assert one.finish(one.start(Toy(n=4), "anna")).complete
    end.set()
    assert len(there) == 2


def test_a_process_beside_the_server_finds_the_same_numbers(server, monkeypatch):
    one, toy = server(), Toy(n=4, size=9)
    monkeypatch.setattr(runner, "LONG", -1.0)
    there = one.start(toy, "anna")
    assert one.finish(there).complete
    with Store(":memory:") as store:
        run(toy, one.data, store=store, owner="anna")
        (here,) = store.runs()
        assert numbers(store, here.id) == numbers(one.runs.store, there)
