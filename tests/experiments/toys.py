"""An experiment that takes no time, and processes that work on it to be killed; no tests here."""

import multiprocessing
import os
import resource
import signal
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

from cspca.datasets import Dataset
from cspca.experiments import Cell, Experiment, Result, runner, setting
from cspca.experiments.doctor import doctor
from cspca.experiments.records import versions
from cspca.experiments.store import Store


@dataclass(frozen=True)
class Toy(Experiment):
    """Squares of numbers, each a cell."""

    kind = "toy"
    title = "Toy"
    n: int = setting(6, limits=(1, 1e6))
    size: int = setting(0, limits=(0, 1e9), help="numbers in an array beside each result")
    pause: float = setting(0.0, limits=(0, 60), help="seconds that each takes")

    def cells(self, data):
        return [Cell("toy", {"i": i, "size": self.size}) for i in range(self.n)]

    def compute(self, cell, data, needed):
        time.sleep(self.pause)
        i = cell.parameters["i"]
        arrays = {"order": np.arange(self.size) + i} if self.size else {}
        row = {"i": i, "square": i * i, "third": i / 3}
        return Result((row,), arrays, 0.5)


def blobs(n=60, d=12, classes=3, seed=0, name="blobs", **words) -> Dataset:
    """Samples round a few centres, in [0, 1]."""
    rng = np.random.default_rng(seed)
    target = np.arange(n) % classes
    data = rng.random((classes, d))[target] + 0.1 * rng.random((n, d))
    return Dataset((data - data.min()) / np.ptp(data), target, name=name, **words)


def finish(store, run_id, experiment=None, cells=None):
    """Compute cells of a run, all that are free unless said otherwise; return the names kept."""
    experiment = experiment or Toy()
    data = blobs()
    wanted = list(experiment.cells(data)) if cells is None else cells
    claims = store.claim(run_id, [cell.name for cell in wanted])
    found = {
        cell.name: experiment.compute(cell, data, {}) for cell in wanted if cell.name in claims
    }
    return store.commit(run_id, claims, found)


def numbers(store, run_id) -> dict:
    """All that a run has found, to the last bit."""
    return {
        name: (repr(found.rows), {key: a.tobytes() for key, a in found.arrays.items()})
        for name, found in store.results(run_id).items()
    }


LEASE = 0.5


def work(home, run_id, experiment):
    """Run an experiment until nothing is open."""
    runner.LEASE = LEASE
    with Store(home) as store:
        runner.resume(store, run_id, experiment, blobs())


def _elsewhere():
    """Processes that begin where this module has been read."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context


def start(*arguments):
    """Start :func:`work` elsewhere."""
    process = _elsewhere().Process(target=work, args=arguments)
    process.start()
    return process


def apart(task, *arguments):
    """The future of a task in a process of its own, which ends with it."""
    process = ProcessPoolExecutor(1, _elsewhere())
    future = process.submit(task, *arguments)
    process.shutdown(wait=False)
    return future


def make(home):
    """Make a store, or find it made."""
    Store(home).close()


def on_a_full_disk(home, run_id, what):
    """Go on with a run where no more files may be written; return what the store says of it."""
    with Store(home) as store:
        assert not store.note
        name = Toy().cells(None)[1].name
        claims = store.claim(run_id, [name])
        size = (store.home / "store.sqlite-wal").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10_000, size + 10_000))
        large = Result((), {"a": np.zeros(200_000)})
        small = Result(({"x": "x" * 200_000},))
        if what == "failure":
            while not store.in_memory:
                store.fail(run_id, claims, "x" * 900)
            store.retry(run_id, again=True)
        elif what == "run":
            assert store.get(store.create(Toy(n=3000), blobs())).n_cells == 3000
            store.renew(run_id, claims, None)
        else:
            found = {name: large if what == "large" else small}
            assert store.commit(run_id, claims, found) == [name]
        assert store.in_memory
        said = store.note
        finish(store, run_id)
        assert store.get(run_id).complete
        assert len(store.results(run_id)) == 6
    return said


def where_nothing_may_be_written(home, run_id):
    """Read a run and make another as a user without permissions; return what the stores say."""
    # Before the libraries may be out of reach.
    versions()
    if os.geteuid() == 0:
        os.setuid(65534)
    said = []
    for place in (home, home / "new" / "store"):
        with Store(place) as store:
            said.append(store.note)
            assert doctor(place).sound, "it can be looked over"
            if place == home:
                assert store.get(run_id).n_done == 1, "what was there can be read"
                assert len(store.results(run_id)[Toy(size=200_000).cells(None)[0].name].arrays) == 1
                assert len(store.runs()) == 1
            new = store.create(Toy(), blobs(), owner="x")
            store.keep_data(new, blobs())
            finish(store, new)
            assert store.get(new).complete
            assert store.data(new).sha256 == blobs().sha256
    return said


def kill(process) -> bool:
    """Kill a process (-9); whether it was still at work."""
    at_work = process.is_alive()
    if at_work:
        os.kill(process.pid, signal.SIGKILL)
    process.join()
    return at_work
