"""An experiment that takes no time, and processes that work on it to be killed; no tests here."""

import multiprocessing
import os
import signal
import time
from dataclasses import dataclass

import numpy as np

from cspca.datasets import Dataset
from cspca.experiments import Cell, Experiment, Result, runner, setting
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


def start(*arguments):
    """Start :func:`work` elsewhere."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    process = context.Process(target=work, args=arguments)
    process.start()
    return process


def kill(process) -> bool:
    """Kill a process (-9); whether it was still at work."""
    at_work = process.is_alive()
    if at_work:
        os.kill(process.pid, signal.SIGKILL)
    process.join()
    return at_work
