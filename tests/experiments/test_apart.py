"""Long steps in a process of their own: the same numbers, killed when nobody waits, no trace."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from cspca import CSPCA
from cspca.datasets import make_faces
from cspca.experiments import live, memory
from cspca.experiments.apart import Apart
from cspca.experiments.fit import Fit
from cspca.experiments.jobs import JobRegistry, Stopped
from cspca.experiments.ledger import Memory
from cspca.experiments.live import FitService
from cspca.experiments.memory import DatasetLibrary
from cspca.preprocessing import reduced

LONG = 30.0
PLACE = "CSPCA_TEST_APART"


def asleep(*_):
    """What never ends says in a file which process it is."""
    path = Path(os.environ[PLACE])
    path.with_suffix(".part").write_text(str(os.getpid()))
    path.with_suffix(".part").rename(path)
    time.sleep(600)


def refuse():
    raise ValueError("This is the reason.")


def die():
    os._exit(3)


class TwoArgumentsError(ValueError):
    """An exception whose constructor takes other arguments than its message."""

    def __init__(self, name, number):
        super().__init__(f"{name} has {number} faults.")


class Unreadable:
    """What is pickled and cannot be read again."""

    def __reduce__(self):
        return int, ("no number",)


def refuse_with_two():
    raise TwoArgumentsError("faces", 3)


def refuse_with_a_lock():
    problem = KeyError("a lock")
    problem.lock = threading.Lock()
    raise problem


def make_lock():
    return threading.Lock()


def make_unreadable():
    return Unreadable()


def patient():
    """Wait for an answer for so many looks: who gets none is stopped."""
    looks = count()
    return lambda: next(looks) > 600


def until(condition):
    end = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.01)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The file of what is asleep; afterwards nothing is left of that."""
    path = tmp_path / "pid"
    monkeypatch.setenv(PLACE, str(path))
    before = pipes()
    yield path
    assert gone(path)
    assert pipes() <= before


def pipes():
    """How many pipes this process holds, where it can know."""
    held = Path("/proc/self/fd")
    kinds = (
        [os.readlink(one) for one in held.iterdir() if one.is_symlink()] if held.exists() else []
    )
    return sum(kind.startswith("pipe:") for kind in kinds)


def gone(path):
    """Whether the process is no more, not even as a zombie."""
    try:
        os.kill(int(path.read_text()), 0)
    except ProcessLookupError:
        return True
    return False


def test_the_same_numbers_from_one_process_after_another():
    faces = make_faces(4, 5, 16)
    here = reduced(faces.data, True, False)
    with Apart() as apart:
        there = apart(lambda: False, reduced, faces.data, True, False)
        process = apart(lambda: False, os.getpid)
        assert process == apart(lambda: False, os.getpid) != os.getpid()
        with pytest.raises(ValueError, match="This is the reason"):
            apart(lambda: False, refuse)
        with pytest.raises(ValueError, match="has died"):
            apart(lambda: False, die)
        assert apart(lambda: False, os.getpid) != process
    assert vars(here).keys() == vars(there).keys()
    for name, value in vars(here).items():
        np.testing.assert_array_equal(vars(there)[name], value, err_msg=name)


@pytest.fixture(scope="module")
def apart():
    with Apart() as process:
        yield process


@pytest.mark.parametrize(
    ("function", "arguments", "kind", "message"),
    [
        (refuse_with_two, (), ValueError, r"^faces has 3 faults\.$"),
        (refuse_with_a_lock, (), RuntimeError, "a lock"),
        (make_lock, (), ValueError, "cannot be sent to another process: .*pickle"),
        (make_unreadable, (), ValueError, "sent cannot be read: .*no number"),
        (id, (Unreadable(),), ValueError, "sent cannot be read: .*no number"),
        (id, (lambda: 1,), ValueError, "cannot be sent to another process: "),
    ],
    ids=[
        *("an exception that cannot be read", "an exception that cannot be pickled"),
        *("a result that cannot be pickled", "a result that cannot be read"),
        *("an argument that cannot be read there", "an argument that cannot be pickled"),
    ],
)
def test_what_cannot_be_sent_or_read_is_an_error_in_a_sentence(
    apart, function, arguments, kind, message
):
    process = apart(patient(), os.getpid)
    with pytest.raises(kind, match=message):
        apart(patient(), function, *arguments)
    assert apart(patient(), os.getpid) == process, "it goes on to the next"


def test_what_nobody_waits_for_is_killed(place):
    with Apart() as apart, pytest.raises(Stopped):
        apart(place.exists, asleep)
    assert gone(place)


def test_who_waits_for_what_another_makes_can_stop_and_others_do_not_wait():
    made = Memory()

    def make():
        with pytest.raises(Stopped):
            made.get_or_make("same", lambda: 1, "ann", stop=lambda: True)
        return made.get_or_make("other", lambda: 2, "ann")

    with ThreadPoolExecutor(1) as pool:
        inside = made.get_or_make("same", lambda: pool.submit(make).result(LONG), "ann")
    assert (inside, made.get("same"), made.get("other")) == (2, 2, 2)
    with pytest.raises(ZeroDivisionError):
        made.get_or_make("bad", lambda: 1 / 0, "ann")
    assert made.get_or_make("bad", lambda: 3, "ann") == 3


@pytest.fixture
def service(monkeypatch):
    """Fits whose reductions all count as long."""
    for module in (memory, live):
        monkeypatch.setattr(module, "reduction_by_size", lambda data: 100.0)
    monkeypatch.setattr(memory, "ONCE", Memory())
    registry = JobRegistry()
    yield FitService(DatasetLibrary(), registry)
    registry.close()


def test_a_fit_of_large_data_is_the_same_and_the_next_is_light(service):
    faces = make_faces(4, 5, 16)
    key = service.library.add(faces)
    asked = Fit(alpha=0.3, beta=0.05)
    job = service.start(key, asked, faces.sha256)
    assert service.jobs.join(job, LONG)
    assert service.jobs.view(job).state == "done", service.jobs.view(job).error
    found = service.jobs.view(job).snapshot.fit
    assert found.objective == CSPCA(alpha=0.3, beta=0.05).fit(faces.data).objective_
    again = service.start(key, replace(asked, alpha=0.2), faces.sha256)
    assert not service.jobs._jobs[again].weighs
    assert service.jobs.join(again, LONG)


@pytest.mark.parametrize("reason", ["asked", "unwatched"])
def test_stop_kills_a_reduction_and_a_step_of_a_slider_does_not(
    service, place, monkeypatch, reason
):
    monkeypatch.setattr("cspca.preprocessing.reduced", asleep)
    faces = make_faces(4, 5, 16)
    key, asked = service.library.add(faces), Fit(alpha=0.3, beta=0.05)
    jobs = service.jobs
    first = service.start(key, asked, faces.sha256, owner="anna view")
    until(place.exists)
    # She moves a slider, and it is the same reduction that is needed.
    second = service.start(key, replace(asked, alpha=0.2), faces.sha256, owner="anna view")
    assert jobs.view(first).stop_reason == "superseded"
    assert jobs.view(second).state == "queued", "she has one heavy job at a time"
    assert jobs.view(first).stopping
    assert not gone(place)
    # Ben's is quick and waits for neither.
    ben = jobs.submit(lambda job: job.publish("quick"), owner="ben view")
    assert jobs.join(ben, LONG)
    jobs.cancel(second, reason)
    assert jobs.join(first, LONG)
    assert jobs.view(first).state == "stopped"
    assert gone(place)
    assert not jobs.busy


def test_other_data_take_the_place_of_a_reduction_at_once(service, place, monkeypatch):
    monkeypatch.setattr("cspca.preprocessing.reduced", asleep)
    old, new = make_faces(4, 5, 16), make_faces(3, 5, 16)
    asked = Fit(alpha=0.3, beta=0.05)
    first = service.start(service.library.add(old), asked, old.sha256, owner="anna view")
    until(place.exists)
    monkeypatch.setattr("cspca.preprocessing.reduced", reduced)
    second = service.start(service.library.add(new), asked, new.sha256, owner="anna view")
    assert service.jobs.join(first, LONG)
    assert service.jobs.view(first).state == "stopped"
    assert service.jobs.join(second, LONG)
    assert service.jobs.view(second).state == "done"
