"""Sweeps: the same numbers as the library's own calls, on every backend, stopped and resumed."""

import json
import os
import signal
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from cspca import CSPCA
from cspca.evaluation.former import compare, make_plan
from cspca.runs.store import CellState, RunState, Store, StoreError
from cspca.runs.sweeps import (
    RANK,
    Sweep,
    SweepError,
    comparison_of,
    comparison_sweep,
    fit_of,
    fit_sweep,
    run_sweep,
    sensitivity_of,
    sensitivity_sweep,
    start_sweep,
    starts_of,
    starts_sweep,
    sweep_of,
)
from cspca.runs.sweeps.backends import workers
from cspca.runs.sweeps.progress import Pace
from cspca.solvers import STARTS
from tests.runs.sweep_processes import blobs, numbers

DATA = blobs()
METHODS = ["all", "variance", "laplacian", "cspca"]


def _comparison(**options):
    plan = make_plan(DATA.data, DATA.target, METHODS, [8, 16], n_seeds=5, **options)
    return comparison_sweep(plan)


SWEEPS = {
    "comparison": _comparison(),
    "sensitivity": sensitivity_sweep(DATA, [0.03, 0.3], [0.001, 0.1], n_features=8, n_seeds=4),
    "starts": starts_sweep(DATA, 0.1, 0.01, checkpoints=(3, 6), n_features=8, n_seeds=4),
    "fit": fit_sweep(0.1, 0.01, solver="reweighted", max_iter=7),
}


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What each sweep finds in one thread, uninterrupted."""
    found = {}
    with Store(tmp_path_factory.mktemp("expected")) as opened:
        for kind, sweep in SWEEPS.items():
            run_id = start_sweep(opened, sweep, DATA)
            assert run_sweep(opened, run_id, DATA).state is RunState.DONE
            found[kind] = numbers(opened, run_id)
    return found


def _run(store, sweep, **options):
    run_id = start_sweep(store, sweep, DATA)
    run = run_sweep(store, run_id, DATA, **options)
    assert run.state is RunState.DONE
    assert not run.n_failed
    return run_id


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes of Dask, here."""
    distributed = pytest.importorskip(
        "distributed", reason='Dask is not installed: pip install "cspca[dask]"'
    )
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as running:
        yield running.scheduler_address


@pytest.mark.parametrize("kind", SWEEPS)
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_the_same_tables_on_threads_and_processes(store, expected, kind, backend):
    run_id = _run(store, SWEEPS[kind], n_jobs=2, backend=backend)
    assert numbers(store, run_id) == expected[kind]


@pytest.mark.parametrize("kind", SWEEPS)
def test_the_same_tables_on_a_cluster_of_two(store, expected, kind, cluster):
    run_id = _run(store, SWEEPS[kind], n_jobs=-1, scheduler=cluster)
    assert numbers(store, run_id) == expected[kind]
    assert {cell.commits for cell in store.cells(run_id)} == {1}


def test_a_cluster_that_is_not_there_or_not_like_ours_is_one_sentence(store, cluster, monkeypatch):
    run_id = start_sweep(store, SWEEPS["fit"], DATA)
    monkeypatch.setattr("cspca.runs.sweeps.backends._CONNECT", 0.5)
    with pytest.raises(SweepError, match="No Dask scheduler answers at tcp:"):
        run_sweep(store, run_id, DATA, scheduler="tcp://127.0.0.1:1")
    monkeypatch.setattr("cspca.runs.sweeps.backends._CONNECT", 10)
    ours, here = store.get(run_id).versions[0], os.getpid()
    monkeypatch.setattr(
        "cspca.runs.sweeps.backends.versions",
        lambda: dict(ours) if os.getpid() == here else ours | {"numpy": "1.0"},
    )
    with pytest.raises(SweepError, match="install the same versions"):
        run_sweep(store, run_id, DATA, scheduler=cluster)
    assert store.get(run_id).state is RunState.READY


@pytest.mark.parametrize("kind", SWEEPS)
def test_a_sweep_survives_a_trip_through_json(kind):
    sweep = SWEEPS[kind]
    again = Sweep.from_record(json.loads(json.dumps(sweep.to_record())))
    assert again == sweep
    assert list(again.cells()) == list(sweep.cells())


def test_a_comparison_is_that_of_the_library(store):
    run_id = _run(store, SWEEPS["comparison"])
    kept = comparison_of(store, run_id)
    ours = compare(DATA.data, DATA.target, METHODS, [8, 16], n_seeds=5)
    assert kept.complete
    for metric in ("accuracy", "nmi", "silhouette"):
        for method in METHODS:
            np.testing.assert_array_equal(
                kept.scores(method, metric)[1], ours.scores(method, metric)[1]
            )
    ranked = {ranking.method: ranking for ranking in ours.rankings}
    for ranking in kept.rankings:
        np.testing.assert_array_equal(ranking.order, ranked[ranking.method].order)
        np.testing.assert_array_equal(ranking.scores, ranked[ranking.method].scores)
    assert sweep_of(store, run_id) == SWEEPS["comparison"]


def test_without_labels_they_are_not_looked_at(store):
    plan = make_plan(DATA.data, None, ["variance"], [8], n_seeds=3, n_clusters=6)
    run_id = _run(store, comparison_sweep(plan, labelled=False))
    assert comparison_of(store, run_id).metrics == (
        "silhouette",
        "stability",
        "reconstruction_error",
    )


def test_the_sensitivity_grid_is_that_of_single_fits(store):
    run_id = _run(store, SWEEPS["sensitivity"])
    found = sensitivity_of(store, run_id)
    assert (found.alphas, found.betas, found.n_features) == ((0.03, 0.3), (0.001, 0.1), 8)
    for i, alpha in enumerate(found.alphas):
        for j, beta in enumerate(found.betas):
            model = CSPCA(alpha=alpha, beta=beta).fit(DATA.data)
            assert found.fits["objective"][i, j] == model.objective_
            assert found.fits["duality_gap"][i, j] == model.duality_gap_
            assert found.fits["rank"][i, j] == model.rank_
            assert found.fits["n_zero"][i, j] == np.sum(model.feature_scores_ == 0)
            assert found.regimes[i][j] == model.regime_
    assert np.isfinite(found.means["accuracy"]).all()
    assert (found.stds["nmi"] >= 0).all()


def test_a_grid_half_done_is_shown_as_far_as_it_is(store):
    run_id = start_sweep(store, SWEEPS["sensitivity"], DATA)
    empty = sensitivity_of(store, run_id)
    assert np.isnan(empty.fits["objective"]).all()
    assert empty.regimes == ((None, None), (None, None))
    _stop_after(store, run_id, 2)
    found = sensitivity_of(store, run_id)
    done = np.isfinite(found.fits["objective"])
    assert 0 < done.sum() < 4
    assert [[name is not None for name in row] for row in found.regimes] == done.tolist()


def test_the_starts_are_those_of_single_fits(store):
    run_id = _run(store, SWEEPS["starts"])
    rows = starts_of(store, run_id)
    assert len(rows) == 7 * 3
    for row in rows:
        model = CSPCA(
            alpha=0.1, beta=0.01, solver=row.solver, init=row.init, random_state=0,
            tol=0.0 if row.solver == "reweighted" else 1e-4, max_iter=row.iterations,
        )  # fmt: skip
        for _ in model.iterate(DATA.data):
            pass
        assert row.objective == pytest.approx(model.objective_, rel=1e-12)
        assert row.n_iter == model.n_iter_ == len(row.history["objective"])
        assert row.gap == pytest.approx(model.duality_gap_, rel=1e-9)
        assert 0 <= row.accuracy <= 1
        assert row.nmi_std >= 0
    assert {row.init for row in rows} == set(STARTS)
    certified = [row for row in rows if row.solver == "admm"]
    assert all(row.excess <= 1e-4 for row in certified)
    assert max(row.agreement for row in certified) == 1.0
    short = [row for row in rows if row.iterations == 3]
    assert max(row.excess for row in short) > 0.01, "three iterations are not enough"
    assert [row.solver for row in rows[:3]] == ["admm", "reweighted", "reweighted"], (
        "start by start"
    )


def test_starts_agree_with_the_most_accurate_run_as_measured_by_others(store):
    inits = ["diagonal-0.5", "constant-2"]
    sweep = starts_sweep(
        DATA, 0.4, 0.1, inits=inits, checkpoints=(3, 6), n_features=8, n_seeds=1
    )  # fmt: skip
    rows = starts_of(store, _run(store, sweep))
    surest = min(rows, key=lambda row: row.gap)
    assert (surest.spearman, surest.overlap) == (pytest.approx(1.0), 1.0)
    fits = {}
    for row in rows:
        model = CSPCA(
            alpha=0.4, beta=0.1, solver=row.solver, init=row.init, random_state=0,
            tol=0.0 if row.solver == "reweighted" else 1e-4, max_iter=row.iterations,
        )  # fmt: skip
        for _ in model.iterate(DATA.data):
            pass
        fits[row.solver, row.init, row.iterations] = model
        assert (row.rank, row.regime) == (model.rank_, model.regime_)
        assert row.n_zero == np.sum(model.feature_scores_ == 0)
        assert row.dual_objective == pytest.approx(model.dual_objective_, rel=1e-9)
        assert row.seconds == row.history["seconds"][-1]
    best = fits[surest.solver, surest.init, surest.iterations]
    for row in rows:
        model = fits[row.solver, row.init, row.iterations]
        # Ties are broken by round-off, so not to the last digit.
        expected = spearmanr(model.selection_scores_, best.selection_scores_).statistic
        assert row.spearman == pytest.approx(expected, abs=1e-3)
        same = np.isin(model.feature_order_[:8], best.feature_order_[:8]).sum()
        assert row.overlap == pytest.approx(same / 8, abs=1 / 8)
        assert row.agreement == pytest.approx(row.overlap / (2 - row.overlap))


def test_where_all_features_tie_nothing_is_ranked(store):
    sweep = starts_sweep(
        DATA, 1e-6, 1e-6, penalty_scale="absolute", n_seeds=0, center=False,
        inits=["diagonal-0.5"], checkpoints=[2],
    )  # fmt: skip
    tall = replace(DATA, data=DATA.data[:, ::6].copy(), image_shape=None, truth=None)
    run_id = start_sweep(store, sweep, tall)
    run_sweep(store, run_id, tall)
    rows = starts_of(store, run_id)
    assert rows[0].regime == "identity"
    assert [(row.spearman, row.overlap) for row in rows] == [(None, None)] * 2


def test_a_fit_is_kept_with_its_curve(store):
    run_id = _run(store, SWEEPS["fit"])
    details, arrays = fit_of(store, run_id)
    assert details["n_iter"] == len(arrays["history_objective"]) == 7
    assert sorted(arrays["order"]) == list(range(48))
    with pytest.raises(StoreError, match="is a fit, not a sensitivity"):
        sensitivity_of(store, run_id)
    with pytest.raises(StoreError, match="not finished"):
        fit_of(store, start_sweep(store, SWEEPS["fit"], DATA, reuse=False))


def _stop_after(store, run_id, tasks, **options):
    asked = iter(range(10_000))
    return run_sweep(
        store, run_id, DATA, should_stop=lambda: next(asked) > tasks + 1, **options
    )  # fmt: skip


@pytest.mark.parametrize("backend", [None, "threading", "loky"])
@pytest.mark.parametrize("kind", ["comparison", "starts"])
def test_stopped_many_times_it_finds_the_same(store, expected, kind, backend):
    options = {} if backend is None else {"n_jobs": 2, "backend": backend}
    run_id = start_sweep(store, SWEEPS[kind], DATA)
    rounds, done = 0, -1
    while not store.get(run_id).complete:
        run = _stop_after(store, run_id, 4, **options)
        assert run.n_done > done
        assert run.state in (RunState.STOPPED, RunState.DONE)
        assert store.cells(run_id, state=CellState.CLAIMED) == ()
        done, rounds = run.n_done, rounds + 1
    assert rounds > 1
    assert numbers(store, run_id) == expected[kind]
    assert {cell.commits for cell in store.cells(run_id)} == {1}
    assert run_sweep(store, run_id, DATA).n_done == done, "nothing is left to do"
    assert {cell.commits for cell in store.cells(run_id)} == {1}


def test_progress_moves_and_says_how_much_is_left(store):
    seen = []
    run_id = start_sweep(store, SWEEPS["comparison"], DATA)
    run_sweep(store, run_id, DATA, on_progress=seen.append)
    done = [progress.n_done for progress in seen]
    assert done == sorted(done)
    assert done[-1] == seen[-1].n_cells == store.get(run_id).n_cells
    assert [progress.fraction for progress in seen][-1] == 1.0
    known = [progress.remaining for progress in seen if progress.remaining is not None]
    assert len(known) >= len(seen) - 1, "the first ranking says nothing of the clusterings"
    assert known[-1] == 0.0
    assert max(known) < 60
    assert {progress.doing for progress in seen} >= {"CSPCA", "All features"}
    assert all(progress.run_id == run_id for progress in seen)


def test_the_pace_is_that_of_each_method(monkeypatch):
    monkeypatch.setattr("cspca.runs.sweeps.progress.time.perf_counter", iter(range(99)).__next__)
    pace = Pace({("rank", "slow"): (10.0, 1)})
    assert pace.remaining({}) == 0.0
    assert pace.remaining({("rank", "fast"): 1}) is None
    pace.add(("rank", "fast"), 1.0, 1)
    fast, slow = (pace.remaining({("rank", name): 2}) for name in ("fast", "slow"))
    # Asked a second later, all that is to come takes as much longer.
    assert (fast, slow) == (2 * 1.0 * 1, 2 * 10.0 * 2)
    assert pace.remaining({("rank", "unseen"): 2}) == 2 * 5.5 * 3
    assert pace.remaining({("rank", "fast"): 2, ("cluster", "fast"): 2}) is None
    assert pace.remaining({("rank", "fast"): 2, ("cluster", "fast"): 0}) is not None


def test_a_method_that_fails_is_reported_and_the_others_go_on(store, monkeypatch):
    from cspca.selection.laplacian import LaplacianScore

    def fail(self, X, y=None):
        raise ValueError("These data are not to its taste.\nSecond line.")

    monkeypatch.setattr(LaplacianScore, "fit", fail)
    run_id = start_sweep(store, SWEEPS["comparison"], DATA)
    run = run_sweep(store, run_id, DATA)
    assert (run.state, run.n_failed) == (RunState.DONE, 11)
    kept = comparison_of(store, run_id)
    assert list(kept.failures.values()) == [
        "Laplacian Score failed: These data are not to its taste."
    ]
    assert [row.method for row in kept.table()] == ["all", "variance", "cspca"]
    monkeypatch.undo()
    assert run_sweep(store, run_id, DATA).n_failed == 11, "not tried again unasked"
    run = run_sweep(store, run_id, DATA, retry_failed=True)
    assert (run.n_failed, run.complete) == (0, True)


def test_a_mistake_of_ours_ends_the_sweep_and_keeps_what_is_done(store, monkeypatch):
    from cspca.selection.laplacian import LaplacianScore

    def fail(self, X, y=None):
        raise TypeError("A bug.")

    run_id = start_sweep(store, SWEEPS["comparison"], DATA)
    with monkeypatch.context() as patch:
        patch.setattr(LaplacianScore, "fit", fail)
        with pytest.raises(TypeError):
            run_sweep(store, run_id, DATA)
    run = store.get(run_id)
    assert (run.state, run.error) == (RunState.STOPPED, "A bug.")
    assert run.n_done > 0
    assert store.cells(run_id, state=CellState.CLAIMED) == ()
    run = run_sweep(store, run_id, DATA)
    assert (run.state, run.error) == (RunState.DONE, None)


def die(*arguments):
    """In place of the work."""
    os._exit(1)


def test_a_worker_that_dies_is_one_sentence(store, monkeypatch):
    run_id = start_sweep(store, SWEEPS["comparison"], DATA)
    with monkeypatch.context() as patch:
        patch.setattr("cspca.runs.sweeps.running.perform", die)
        with pytest.raises(SweepError, match="worker process ended") as error:
            run_sweep(store, run_id, DATA, n_jobs=2, backend="loky")
    assert "\n" not in str(error.value)
    run = store.get(run_id)
    assert run.state is RunState.STOPPED
    assert run.error == str(error.value)
    assert store.cells(run_id, state=CellState.CLAIMED) == ()
    assert run_sweep(store, run_id, DATA, n_jobs=2, backend="loky").state is RunState.DONE


def test_what_an_earlier_sweep_found_is_not_computed_again(store, monkeypatch, expected):
    part = make_plan(DATA.data, DATA.target, METHODS[:3], [8], n_seeds=5)
    _run(store, comparison_sweep(part))
    run_id = start_sweep(store, SWEEPS["comparison"], DATA)
    known = 3 + 5 + 2 * 5
    assert store.get(run_id).n_done == known
    run = run_sweep(store, run_id, DATA)
    assert numbers(store, run_id) == expected["comparison"]
    cells = store.cells(run_id)
    assert sum(cell.commits == 0 for cell in cells) == known
    assert sum(cell.commits == 1 for cell in cells) == run.n_cells - known
    assert store.get(start_sweep(store, SWEEPS["comparison"], DATA)).state is RunState.DONE
    unlabelled = comparison_sweep(SWEEPS["comparison"].plan, labelled=False)
    assert store.get(start_sweep(store, unlabelled, DATA)).n_done == 0


def test_the_data_must_be_those_of_the_run(store):
    run_id = start_sweep(store, SWEEPS["fit"], DATA)
    with pytest.raises(StoreError, match="bring the same file"):
        run_sweep(store, run_id)
    with pytest.raises(SweepError, match="is not what this run was started with"):
        run_sweep(store, run_id, blobs(seed=1))
    kept = start_sweep(store, SWEEPS["fit"], DATA, keep_data=True)
    assert run_sweep(store, kept).complete
    assert run_sweep(store, run_id).complete, "the same content"


def test_a_run_put_in_the_trash_stops(store):
    run_id = start_sweep(store, SWEEPS["comparison"], DATA)
    run = run_sweep(
        store, run_id, DATA, on_progress=lambda progress: store.delete(run_id)
    )  # fmt: skip
    assert 0 < run.n_done < run.n_cells
    store.restore(run_id)
    assert run_sweep(store, run_id, DATA).complete


def test_a_store_that_fills_up_stops_the_sweep_with_one_sentence(store, monkeypatch):
    """The same on a backend that asks for tasks from threads of its own."""
    import errno

    from cspca.runs.store import files

    run_id = start_sweep(store, SWEEPS["comparison"], DATA)
    writes = iter(range(1000))
    whole = files.write_whole

    def full(path, content):
        if next(writes) >= 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        whole(path, content)

    monkeypatch.setattr(files, "write_whole", full)
    with pytest.raises(StoreError, match="no room left") as error:
        run_sweep(store, run_id, DATA, n_jobs=2, backend="threading")
    assert "\n" not in str(error.value)
    run = store.get(run_id)
    assert run.state is RunState.STOPPED
    assert "no room left" in run.error
    monkeypatch.undo()
    assert run_sweep(store, run_id, DATA).state is RunState.DONE


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: sensitivity_sweep(DATA, [], [1]), "alphas must be"),
        (lambda: sensitivity_sweep(DATA, [1], [-1]), "betas must be"),
        (lambda: starts_sweep(DATA, 1, 1, inits=["middle"]), "'middle' is no start"),
        (lambda: starts_sweep(DATA, 1, 1, checkpoints=[0]), "checkpoints must be"),
        (lambda: starts_sweep(DATA, 1, 1, solvers=[]), "at least one"),
        (
            lambda: comparison_sweep(
                make_plan(DATA.data, DATA.target, {"mine": CSPCA()}, [4], n_seeds=1)
            ),
            "'mine' is not a method of the registry",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(make, words):
    with pytest.raises(SweepError, match=words) as error:
        make()
    assert str(error.value).endswith(".")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"backend": "abacus"}, "backend must be one of"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"backend": "loky", "scheduler": "tcp://127.0.0.1:1"}, "belongs to the backend dask"),
    ],
)
def test_workers_that_make_no_sense_are_refused_in_one_sentence(store, options, words):
    run_id = start_sweep(store, SWEEPS["fit"], DATA)
    with pytest.raises(SweepError, match=words):
        run_sweep(store, run_id, DATA, **options)
    assert store.get(run_id).state is RunState.READY


def test_a_grid_without_clusterings_has_rankings_alone(store):
    sweep = sensitivity_sweep(DATA, [0.1], [0.01], n_seeds=0)
    run_id = _run(store, sweep)
    assert [cell.step for cell in store.cells(run_id)] == [RANK]
    assert sensitivity_of(store, run_id).means == {}


def test_processes_leave_ctrl_c_to_whoever_gives_them_work():
    """A terminal sends it to them too, and they would end with a traceback each."""

    def ignored():
        return signal.getsignal(signal.SIGINT) == signal.SIG_IGN

    ours = signal.getsignal(signal.SIGINT)
    with workers(2, "loky", None) as team:
        assert list(team(ignored, iter([(), ()]))) == [True, True]
    assert signal.getsignal(signal.SIGINT) == ours
