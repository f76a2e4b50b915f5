"""A real Dask cluster: a scheduler and two workers as processes of their own."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.datasets import load_digits

from cspca import CSPCA, preprocessing

pytest.importorskip("distributed", reason='Dask is not installed: pip install -e ".[dask]"')

import dask
import dask.array as da
from distributed import Client, LocalCluster

from cspca.solvers.distributed import worker as on_worker

TOL = 1e-5


@pytest.fixture(scope="module", autouse=True)
def _repository_on_the_workers(tmp_path_factory):
    """Workers import cspca as this process does, and leave their files outside the repository."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([root, os.environ.get("PYTHONPATH", "")]))
        scratch = str(tmp_path_factory.mktemp("dask"))
        with dask.config.set({"temporary_directory": scratch}):
            yield


def _cluster(**wishes):
    return LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, **wishes
    )


@pytest.fixture
def client():
    with _cluster() as cluster, Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def shared_client():
    """For tests that leave the workers alive. Made current by ``as_current``."""
    with _cluster() as cluster, Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture(scope="module")
def digits():
    return load_digits().data / 16


@pytest.fixture(scope="module")
def expected(digits):
    return CSPCA(0.1, 0.05, tol=TOL).fit(digits)


def _agree(found, expected):
    assert found.converged_
    assert found.duality_gap_ <= TOL
    assert found.objective_ == pytest.approx(expected.objective_, rel=2 * TOL)
    assert found.dual_objective_ <= expected.objective_
    assert found.alpha_max_ == pytest.approx(expected.alpha_max_, rel=1e-9)
    np.testing.assert_allclose(found.feature_scores_, expected.feature_scores_, atol=2e-3)
    np.testing.assert_allclose(found.dual_scores_, expected.dual_scores_, atol=2e-2)
    np.testing.assert_allclose(found.sample_residuals_, expected.sample_residuals_, atol=2e-2)
    assert found.rank_ == expected.rank_


def _blocks_held():
    return len(on_worker._HELD)


@pytest.mark.parametrize("chunks", [(250, 64), (700, 40), (1797, 64)], ids=str)
@pytest.mark.parametrize("persisted", [False, True])
def test_a_cluster_has_the_answer_of_one_machine(
    shared_client, digits, expected, chunks, persisted
):
    with shared_client.as_current():
        X = da.from_array(digits, chunks=chunks)
        found = CSPCA(0.1, 0.05, tol=TOL).fit(X.persist() if persisted else X)
    _agree(found, expected)
    assert found.n_iter_ <= expected.n_iter_ + 5


@pytest.mark.parametrize(
    "wishes", [{"normalize": True}, {"center": False}, {"alpha": 0.9}], ids=str
)
def test_other_settings_too(shared_client, digits, wishes):
    model = CSPCA(**({"alpha": 0.1, "beta": 0.2, "tol": TOL} | wishes))
    expected = CSPCA(**model.get_params()).fit(digits)
    with shared_client.as_current():
        _agree(model.fit(da.from_array(digits, chunks=(400, 64))), expected)


def test_the_identity_is_proven_on_a_cluster(shared_client, digits):
    with shared_client.as_current():
        model = CSPCA(1e-4, 1e-5).fit(da.from_array(digits[:, 20:30], chunks=(400, 10)))
    assert model.regime_ == "identity"


def test_workers_forget_a_fit_that_is_done_with(shared_client, digits):
    with shared_client.as_current():
        iterates = CSPCA(0.1, 0.05, tol=0.0).iterate(da.from_array(digits, chunks=(300, 64)))
        for _ in range(3):
            iterate = next(iterates)
        held = sum(shared_client.run(_blocks_held).values())
        iterates.close()
        del iterates, iterate
        deadline = time.monotonic() + 30
        while sum(shared_client.run(_blocks_held).values()) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert held >= 6
        assert sum(shared_client.run(_blocks_held).values()) == 0


def test_blocks_are_shared_out(shared_client, digits):
    with shared_client.as_current():
        iterates = CSPCA(0.1, 0.05, tol=0.0).iterate(da.from_array(digits, chunks=(300, 64)))
        next(iterates)
        held = shared_client.run(_blocks_held)
        iterates.close()
    assert len(held) == 2
    assert min(held.values()) >= 3


_HANGS = pytest.mark.skip(
    reason="known defect: a pass that is under way when its worker dies is not always asked again, "
    "and the fit then waits for ever"
)


@pytest.mark.parametrize("moment", [1, 6, pytest.param(12, marks=_HANGS)])
def test_a_killed_worker_costs_time_and_nothing_else(client, digits, expected, moment):
    X = da.from_array(digits, chunks=(300, 64)).persist()
    model = CSPCA(0.1, 0.05, tol=TOL, max_iter=300)
    victim = None
    for iterate in model.iterate(X):
        if iterate.number == moment:
            victim, pid = next(iter(client.run(os.getpid).items()))
            os.kill(pid, signal.SIGKILL)
    assert victim is not None
    assert victim not in client.nthreads()
    assert model.n_iter_ > moment
    _agree(model, expected)


@_HANGS
def test_a_worker_killed_in_the_middle_of_a_pass(client, digits, expected):
    """Tasks are under way on the worker, not between two iterations as above."""
    X = da.from_array(digits, chunks=(150, 64)).persist()
    pid = next(iter(client.run(os.getpid).values()))
    kill = f"import os, time; time.sleep(0.5); os.kill({pid}, 9)"
    with subprocess.Popen([sys.executable, "-c", kill]) as killer:
        model = CSPCA(0.1, 0.05, tol=TOL, max_iter=300).fit(X)
        assert killer.poll() == 0, "the fit was over before the worker was killed"
    _agree(model, expected)
    assert pid not in client.run(os.getpid).values()


def _tall_block(number, length):
    rng = np.random.default_rng(number)
    picture = rng.random((length, 8)) @ np.random.default_rng(99).random((8, 40))
    return np.pad(picture, ((0, 0), (12, 12)))


@pytest.mark.skip(reason="known defect: it passed alone, and did not end in two later runs")
def test_data_that_one_worker_could_not_hold():
    """422 MB of images whose margins are dead, workers of 400 MB each."""
    length, count = 25_000, 33
    with _cluster(memory_limit="400MB") as cluster, Client(cluster):
        blocks = [
            da.from_delayed(dask.delayed(_tall_block)(i, length), (length, 64), np.float64)
            for i in range(count)
        ]
        X = da.concatenate(blocks)
        assert X.nbytes > 400e6
        model = CSPCA(0.2, 0.2, tol=1e-2).fit(X)
    assert model.converged_
    assert model.sample_residuals_.shape == (length * count,)
    assert not model.feature_scores_[:12].any()
    assert model.feature_scores_[12:52].any()


def test_without_a_cluster_blocks_are_computed_here(digits, expected):
    _agree(CSPCA(0.1, 0.05, tol=TOL).fit(da.from_array(digits, chunks=(300, 64))), expected)


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
