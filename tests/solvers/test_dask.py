"""Fits on a Dask cluster; where workers are lost, they are processes of their own."""

import asyncio
import signal
import threading
import time
from collections import deque

import numpy as np
import pytest
from sklearn.datasets import load_digits

from cspca import CSPCA, preprocessing

pytest.importorskip("distributed", reason='Dask is not installed: pip install -e ".[dask]"')

import dask
import dask.array as da
from distributed import Client, LocalCluster, Status, default_client

from cspca.problem import Problem
from cspca.solvers import ADMM
from cspca.solvers.blocks import LossSide
from cspca.solvers.distributed import blocks as our_blocks
from cspca.solvers.distributed import cluster as our_cluster
from tests.soak import counted
from tests.solvers.dask_cluster import real_cluster
from tests.solvers.running import agree, until

TOL = 1e-5
#: Certified to that within 14 iterations, each of which is a round trip.
PENALTIES = (0.1, 0.2)
BARE = "--no-nanny"


@pytest.fixture(scope="module")
def bare_cluster(tmp_path_factory):
    with real_cluster(tmp_path_factory.mktemp("bare"), count=0) as cluster:
        yield cluster


@pytest.fixture
def bare(bare_cluster, monkeypatch):
    """Two workers that nobody starts again, and their cluster."""
    monkeypatch.setattr(our_cluster, "COME_BACK", 0.5)
    bare_cluster.workers = [one for one in bare_cluster.workers if one.poll() is None]
    while len(bare_cluster.workers) < 2:
        bare_cluster.add_worker(BARE)
    with Client(scheduler_file=bare_cluster.file) as client:
        client.wait_for_workers(2, timeout=60)
        yield bare_cluster


@pytest.fixture(scope="module")
def shared_client():
    """Two workers in threads, for tests that leave them alive. Made current by ``as_current``.

    What passes between them goes over TCP, pickled as between processes.
    """
    options = {"processes": False, "protocol": "tcp", "dashboard_address": None, "memory_limit": 0}
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, **options) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def digits():
    return load_digits().data / 16


@pytest.fixture(scope="module")
def expected(digits):
    return CSPCA(*PENALTIES, tol=TOL).fit(digits)


def _blocks_held(dask_worker):
    return sum(isinstance(value, LossSide) for value in dask_worker.data.values())


# --- the same answer -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chunks", "prepare", "settings"),
    [
        ((250, 64), da.Array.persist, {"normalize": True}),
        ((700, 40), da.asarray, {"center": False}),
        # Work that blocks share is left to Dask.
        ((700, 64), lambda X: X - X.mean(axis=0), {}),
    ],
    ids=["persisted", "made when needed", "sharing work"],
)
def test_a_cluster_has_the_answer_of_one_machine(shared_client, digits, chunks, prepare, settings):
    here, there = (CSPCA(*PENALTIES, tol=TOL, **settings) for _ in range(2))
    with shared_client.as_current():
        X = prepare(da.from_array(digits, chunks=chunks))
        agree(there.fit(X), here.fit(X.compute()))
    assert there.n_iter_ <= here.n_iter_ + 5


def _further(iterate, factor, target):
    """The same data under another α."""
    before = iterate.state.problem
    problem = Problem(before.data, factor * before.alpha, before.beta)
    return until(ADMM(target=target).iterate(problem, iterate.state), target)


def test_a_cluster_finds_the_influence_of_one_machine(shared_client, digits):
    """Of one image that is large enough for the images to be gone over once more."""
    X = digits[:300].copy()
    X[271] *= 1000
    here = CSPCA(0.1, 0.3, tol=0.1).fit(X).sample_influence_
    with shared_client.as_current():
        there = CSPCA(0.1, 0.3, tol=0.1).fit(da.from_array(X, chunks=(70, 64))).sample_influence_
    assert here[271] > 1
    np.testing.assert_allclose(there, here, rtol=1e-9)


def test_few_columns_on_a_cluster_are_those_of_one_machine(shared_client, digits):
    """Cold, warm under other penalties, and further on all columns."""
    with shared_client.as_current():
        X = da.from_array(digits, chunks=(700, 64)).persist()
        *_, found = (here := CSPCA(0.1, 0.3, tol=1e-3)).iterate(X)
        *_, expected = (there := CSPCA(0.1, 0.3, tol=1e-3)).iterate(digits)
        np.testing.assert_allclose(here.dual_scores_, there.dual_scores_, atol=1e-3)
        np.testing.assert_allclose(here.sample_residuals_, there.sample_residuals_, atol=1e-3)
        for warm in (False, True):
            if warm:
                found, expected = (_further(one, 1.1, 1e-3) for one in (found, expected))
            assert found.state.V is not None
            assert (found.state.cold > 0) == warm
            assert found.number == expected.number
            assert found.best_objective == pytest.approx(expected.best_objective, rel=1e-6)
        fine, best = _further(found, 1.0, 1e-6), _further(expected, 1.0, 1e-6).best_objective
    assert fine.state.V is None
    assert fine.best_objective == pytest.approx(best, rel=2e-6)


def test_the_identity_is_proven_on_a_cluster(shared_client, digits):
    with shared_client.as_current():
        model = CSPCA(1e-4, 1e-5).fit(da.from_array(digits[:, 20:30], chunks=(400, 10)))
    assert model.regime_ == "identity"


# --- what the workers hold -------------------------------------------------------------------


def test_steps_and_fits_leave_nothing_behind(shared_client, digits):
    """What a step was made from is gone, in the scheduler too, or long fits would fill it."""
    with shared_client.as_current():
        iterates = CSPCA(0.1, 0.05, tol=0.0).iterate(da.from_array(digits, chunks=(300, 64)))
        n_tasks = []
        for _ in range(12):
            iterate = next(iterates)
            n_tasks.append(
                shared_client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
            )
        held = shared_client.run(_blocks_held).values()
        iterates.close()
        del iterates, iterate
        deadline = time.monotonic() + 30
        while sum(shared_client.run(_blocks_held).values()) and time.monotonic() < deadline:
            time.sleep(0.1)
        # A step and its sum over six blocks are a dozen tasks, let go of a moment later.
        assert min(n_tasks[6:]) < max(n_tasks[:6]) + 6
        assert len(held) == 2
        assert min(held) >= 3, "blocks are shared out"
        assert sum(shared_client.run(_blocks_held).values()) == 0


def test_a_copy_on_the_workers_goes_its_own_way(shared_client, digits):
    with shared_client.as_current():
        X = da.from_array(digits, chunks=(700, 64))
        iterates = CSPCA(0.1, 0.05, tol=0.0).iterate(X)
        loss = next(iterates).state.loss
        N, before = -np.eye(loss.rank) / 2, loss.right_side()
        twin = loss.copy()
        twin.step(N, 1.0, 1.6)
        assert np.abs(twin.right_side() - before).max() > 1e-3 * np.abs(before).max()
        np.testing.assert_array_equal(loss.right_side(), before)
        loss.step(N, 1.0, 1.6)
        np.testing.assert_allclose(loss.right_side(), twin.right_side(), rtol=1e-5, atol=1e-3)
        iterates.close()


# --- losses ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("moment", counted([5], [1, 3, 5, 8]))
def test_a_killed_worker_on_few_columns_costs_time_and_nothing_else(bare, digits, moment):
    """Its blocks begin again on the columns of by now, whose number grows at iterations 4 and 7."""
    X = da.from_array(digits, chunks=(300, 64)).persist()
    model = CSPCA(0.1, 0.3, tol=1e-3)
    for iterate in model.iterate(X):
        if iterate.number == moment:
            bare.workers[0].kill()
    assert len(default_client().nthreads()) == 1
    assert iterate.state.V is not None
    expected = CSPCA(0.1, 0.3, tol=1e-3).fit(digits)
    assert model.converged_
    assert model.n_iter_ <= expected.n_iter_ + 8
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-3)
    assert model.dual_objective_ <= expected.objective_


@pytest.mark.slow
@pytest.mark.parametrize("answers", [True, False], ids=["in a pass", "sent a matrix"])
def test_a_worker_that_dies_under_way(bare, answers):
    """With tasks of a pass on it, or while the matrix of a step is sent and it does not answer."""
    rng = np.random.default_rng(0)
    A = rng.random((600, 8)) @ rng.random((8, 100)) + 0.1 * rng.random((600, 100))
    X = da.from_array(A, chunks=(100, 100)).persist()
    worker = bare.workers[0]
    model = CSPCA(*PENALTIES, tol=TOL, max_iter=300)
    for iterate in model.iterate(X):
        assert iterate.state.loss.dtype.itemsize * iterate.state.loss.rank**2 > 2**14
        if iterate.number == 4:
            if not answers:
                worker.send_signal(signal.SIGSTOP)
            threading.Timer(0.1 if answers else 1.0, worker.kill).start()
    assert len(default_client().nthreads()) == 1
    agree(model, CSPCA(*PENALTIES, tol=TOL).fit(A))


@pytest.mark.slow
def test_the_last_worker_may_go_if_another_comes(bare, digits, expected):
    model = CSPCA(*PENALTIES, tol=TOL, max_iter=300)
    for iterate in model.iterate(da.from_array(digits, chunks=(300, 64))):
        if iterate.number == 6:
            for process in bare.workers:
                process.kill()
            bare.add_worker(BARE)
    agree(model, expected)


def test_workers_that_go_between_two_looks_are_waited_for(shared_client, digits, monkeypatch):
    n_threads, looks = Client.nthreads, []

    def gone_at_first(client):
        looks.append(client)
        return {} if len(looks) == 1 else n_threads(client)

    monkeypatch.setattr(Client, "nthreads", gone_at_first)
    with shared_client.as_current():
        next(CSPCA().iterate(da.from_array(digits, chunks=(700, 64))))
    assert len(looks) > 1


def test_a_cluster_without_workers_is_said(bare, digits, monkeypatch):
    iterates = CSPCA(0.1, 0.05, tol=0.0).iterate(da.from_array(digits, chunks=(300, 64)))
    # On a busy machine the client hears of its workers only after a second.
    next(iterates)
    monkeypatch.setattr(our_cluster, "PATIENCE", 1.0)
    for process in bare.workers:
        process.kill()
    with pytest.raises(RuntimeError, match=r"no worker .*: start workers"):
        next(iterates)


@pytest.mark.slow
def test_a_scheduler_that_is_gone_is_said(tmp_path, digits):
    with (
        real_cluster(tmp_path, BARE, count=1) as cluster,
        Client(scheduler_file=cluster.file, timeout=2) as client,
    ):
        client.wait_for_workers(1, timeout=60)
        iterates = CSPCA(0.1, 0.05, tol=0.0).iterate(da.from_array(digits, chunks=(300, 64)))
        next(iterates)
        cluster.scheduler.kill()
        with pytest.raises(RuntimeError, match="scheduler is gone: start it again"):
            deque(iterates)


def test_workers_that_stay_paused_are_said(shared_client, digits, monkeypatch):
    with shared_client.as_current():
        iterates = CSPCA(0.1, 0.05, tol=0.0).iterate(da.from_array(digits, chunks=(300, 64)))
        next(iterates)
        monkeypatch.setattr(our_cluster, "PATIENCE", 1.0)
        shared_client.run(lambda dask_worker: setattr(dask_worker, "status", Status.paused))
        try:
            with pytest.raises(RuntimeError, match=r"paused the worker at tcp:.* more memory"):
                deque(iterates)
        finally:
            shared_client.run(lambda dask_worker: setattr(dask_worker, "status", Status.running))


def test_a_block_that_cannot_be_read_is_its_own_error(shared_client):
    """A TimeoutError of the reader's is not taken for a worker that is late."""
    block = da.from_delayed(dask.delayed(_unreadable)(), (50, 64), np.float64)
    with shared_client.as_current(), pytest.raises(TimeoutError, match="the file server"):
        CSPCA().fit(da.concatenate([da.ones((50, 64), chunks=(50, 64)), block]))


def _unreadable():
    raise TimeoutError("the file server sleeps")


def _fit_in_a_task(digits):
    return CSPCA(*PENALTIES, tol=TOL).fit(da.from_array(digits, chunks=(900, 64)))


def test_fits_in_tasks_leave_their_threads_to_others(shared_client, digits, expected, monkeypatch):
    """As many as there are threads, each of which needs workers for tasks of its own.

    The second finds the workers' own client before the first has connected it.
    """
    connect, is_being_connected, is_found = Client._start, threading.Event(), threading.Event()

    async def connect_late(client, *arguments, **options):
        is_being_connected.set()
        await asyncio.to_thread(is_found.wait, 60)
        await connect(client, *arguments, **options)

    def note_status(client, count):
        if client.status == "newly-created":
            is_found.set()
        our_cluster.await_workers(client, count)

    monkeypatch.setattr(Client, "_start", connect_late)
    monkeypatch.setattr(our_blocks, "await_workers", note_status)
    first = shared_client.submit(_fit_in_a_task, digits, pure=False)
    assert is_being_connected.wait(60)
    second = shared_client.submit(_fit_in_a_task, digits, pure=False)
    for fit in (first, second):
        agree(fit.result(timeout=120), expected)
    assert is_found.is_set()


def test_an_asynchronous_client_is_refused(shared_client):
    async def fit():
        return CSPCA().fit(da.ones((50, 64)))

    with shared_client.as_current(), pytest.raises(RuntimeError, match="fit in a thread"):
        shared_client.sync(fit)


# --- past one worker's memory ----------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(counted(True, False), reason="python -m tests.soak fits them")
def test_data_that_one_worker_could_not_hold(tmp_path):
    """317 MB of images with dead margins, workers of 300 MB each."""
    n_samples, basis = 620_000, np.zeros((8, 64))
    basis[:, 12:52] = np.random.default_rng(99).random((8, 40))
    X = da.random.default_rng(0).random((n_samples, 8), chunks=(20_000, 8)) @ basis
    with (
        real_cluster(tmp_path, "--memory-limit", "300MB") as cluster,
        Client(scheduler_file=cluster.file) as client,
    ):
        client.wait_for_workers(2, timeout=60)
        limits = [w["memory_limit"] for w in client.scheduler_info()["workers"].values()]
        assert max(limits) < X.nbytes < sum(limits)
        model = CSPCA(0.2, 0.2, tol=1e-2).fit(X)
    assert model.converged_
    assert model.sample_residuals_.shape == (n_samples,)
    assert not model.feature_scores_[:12].any()
    assert model.feature_scores_[12:52].any()


# --- without a cluster -----------------------------------------------------------------------


def test_without_a_cluster_blocks_are_computed_here(digits, expected):
    agree(CSPCA(*PENALTIES, tol=TOL).fit(da.from_array(digits, chunks=(300, 64))), expected)


def test_what_cannot_be_fitted_is_said():
    zeros = da.zeros
    with pytest.raises(ValueError, match="up to 5000"):
        CSPCA().fit(zeros((10, 5001)))
    with pytest.raises(ValueError, match="dimensions"):
        CSPCA().fit(zeros((10, 4, 4)))
    table = da.from_array(np.eye(4))
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        CSPCA().fit(table[table[:, 0] > 0.5])
    with pytest.raises(ValueError, match='solver="admm"'):
        CSPCA(solver="reweighted").fit(da.from_array(np.eye(4)))
    with pytest.raises(ValueError, match="zero"):
        CSPCA().fit(zeros((10, 4)))
    with pytest.raises(ValueError, match="NaN"):
        CSPCA().fit(zeros((10, 4)) * np.nan)
    assert preprocessing.large_blocks(np.eye(3)) is None
