"""Processes that work on a store, to be killed or set against each other; no tests in here."""

import multiprocessing
import os
import signal
import time
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from cspca.datasets import Dataset
from cspca.experiments.jobs import JobRegistry
from cspca.experiments.library import DatasetLibrary
from cspca.runs.comparison_records import ComparisonRequest
from cspca.runs.comparisons import ComparisonService
from cspca.runs.kept_comparisons import KeptComparisons
from cspca.runs.store import CellState, Store
from cspca.runs.sweeps import Sweep, run_sweep

TIMINGS = {"seconds", "history_seconds"}


def forkserver():
    """Processes that need not import anything first: ten of them start in a second."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["cspca.runs.sweeps", "cspca.estimator", __name__])
    return context


def blobs(n=160, d=48, classes=6, seed=0) -> Dataset:
    """Samples round a few centres, in [0, 1]."""
    rng = np.random.default_rng(seed)
    target = np.arange(n) % classes
    data = rng.random((classes, d))[target] + 0.35 * rng.standard_normal((n, d))
    data = (data - data.min()) / (data.max() - data.min())
    return Dataset(data, target, name="blobs")


def work(home: Path, run_id: str, options: dict, pipe: Connection) -> None:
    """Run a sweep in this process once it is told to; say what was new at the end."""
    new = [0]
    dataset = blobs()
    with Store(home) as store:
        pipe.send("ready")
        pipe.recv()
        run_sweep(
            store, run_id, dataset,
            on_progress=lambda progress: new.__setitem__(0, progress.n_new), **options,
        )  # fmt: skip
    pipe.send(new[0])


def serve_comparison(home: Path, request: ComparisonRequest, pipe: Connection) -> None:
    """Be a server that starts a comparison; say the id of its run."""
    library = DatasetLibrary(loader=lambda name: blobs())
    with Store(home) as store:
        kept = KeptComparisons(store)
        service = ComparisonService(library, JobRegistry(), kept=lambda: kept)
        run_id = service.start("digits", request)
        pipe.send(run_id)
        service.join(run_id)


def ready(home: Path, run_id: str, **options):
    """Start :func:`work` elsewhere; return the process and its pipe once it waits for its go."""
    context = forkserver()
    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(home, run_id, options, theirs))
    process.start()
    theirs.close()
    assert ours.poll(60), "The process did not begin."
    assert ours.recv() == "ready"
    return process, ours


def start(home: Path, run_id: str, **options):
    """Start :func:`work` elsewhere, and let it go."""
    process, pipe = ready(home, run_id, **options)
    pipe.send("go")
    return process, pipe


def kill_after(process, seconds: float) -> bool:
    """Kill a process (-9) after some time; whether it was still at work."""
    time.sleep(seconds)
    at_work = process.is_alive()
    if at_work:
        os.kill(process.pid, signal.SIGKILL)
    process.join()
    return at_work


def numbers(store: Store, run_id: str) -> dict:
    """All that a run has found, but for timings."""
    found = {}
    for cell in store.cells(run_id, state=CellState.DONE):
        result = {key: value for key, value in cell.result.items() if key not in TIMINGS}
        found[cell.key] = repr(sorted(result.items()))
    for name in store.array_names(run_id):
        for part, values in store.arrays(run_id, name).items():
            if part not in TIMINGS:
                found[name, part] = (values.dtype.str, values.shape, values.tobytes())
    return found


def uninterrupted(home: Path, sweep: Sweep, **options) -> tuple[dict, float]:
    """What a sweep finds when nothing happens, and how long it takes."""
    from cspca.runs.sweeps import start_sweep

    dataset = blobs()
    with Store(home) as store:
        run_id = start_sweep(store, sweep, dataset)
        began = time.perf_counter()
        run = run_sweep(store, run_id, dataset, **options)
        assert run.complete
        assert not run.n_failed
        return numbers(store, run_id), time.perf_counter() - began
