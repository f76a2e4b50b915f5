"""Sweeps of a server: started, watched, stopped and resumed by the id of their run."""

import threading

import pytest

from cspca.evaluation.former import make_plan
from cspca.experiments.jobs import JobRegistry, JobState
from cspca.experiments.library import DatasetLibrary
from cspca.runs.store import RunState, Store, StoreError
from cspca.runs.sweeps import (
    SweepService,
    Workplace,
    comparison_sweep,
    fit_sweep,
    run_sweep,
    sensitivity_sweep,
    start_sweep,
)
from tests.runs.sweep_processes import blobs, numbers, uninterrupted


def _comparison(dataset):
    plan = make_plan(
        dataset.data, dataset.target, ["all", "variance", "laplacian", "spec"], [8, 16, 24],
        n_seeds=20,
    )  # fmt: skip
    return comparison_sweep(plan)


@pytest.fixture
def service(tmp_path):
    library = DatasetLibrary()
    with Store(tmp_path / "served") as store:
        made = SweepService(store, library, JobRegistry(abandon_after=0.2))
        made.upload = library.add(blobs())
        yield made
        made.close()


def test_a_sweep_runs_in_the_background_and_is_kept(service, tmp_path):
    expected, _ = uninterrupted(tmp_path / "calm", _comparison(blobs()))
    run_id = service.start(service.upload, _comparison, name="In the background")
    assert service.view(run_id).active
    assert service.join(run_id, 60)
    view = service.view(run_id)
    assert (view.active, view.can_resume, view.refusal) == (False, False, None)
    assert (view.run.state, view.run.name) == (RunState.DONE, "In the background")
    assert view.progress.fraction == 1.0
    assert numbers(service.store, run_id) == expected


def test_a_run_that_ends_while_it_is_looked_at_is_shown_as_it_ended(service, monkeypatch):
    """Else a page would show a count of a moment ago for good: nothing looks again at its end."""
    look = service._jobs.view

    def late(run_id):
        assert service.join(run_id, 60)
        return look(run_id)

    run_id = service.start(service.upload, _comparison)
    monkeypatch.setattr(service._jobs, "view", late)
    view = service.view(run_id)
    assert not view.active
    assert view.run.complete
    assert view.run.state is RunState.DONE


def test_it_goes_on_with_nobody_looking(service):
    """Unlike a fit, which is stopped when its page is left."""
    grid = [0.01 * i for i in range(1, 12)]
    run_id = service.start(
        service.upload, lambda data: sensitivity_sweep(data, grid, [0.001, 0.01], n_seeds=10)
    )
    threading.Event().wait(0.6)
    assert service.join(run_id, 60)
    assert service.view(run_id).job.state is JobState.DONE
    assert service.view(run_id).run.state is RunState.DONE


def test_it_is_stopped_and_resumed_by_its_run(service):
    run_id = service.start(service.upload, _comparison)
    while service.view(run_id).run.n_done == 0:
        pass
    assert service.stop(run_id)
    assert service.join(run_id, 60)
    view = service.view(run_id)
    if not view.run.complete:
        assert (view.run.state, view.can_resume) == (RunState.STOPPED, True)
        assert view.remaining is None
    service.resume(run_id, service.upload)
    service.resume(run_id, service.upload)
    assert service.join(run_id, 60)
    assert service.view(run_id).run.state is RunState.DONE
    assert {cell.commits for cell in service.store.cells(run_id)} == {1}
    assert not service.stop(run_id)


def test_after_a_restart_the_run_is_still_there(service, tmp_path):
    run_id = service.start(service.upload, _comparison, keep_data=True)
    service.stop(run_id)
    service.join(run_id, 60)
    with Store(tmp_path / "served") as store:
        again = SweepService(store, DatasetLibrary(), JobRegistry())
        assert again.view(run_id).job is None
        assert again.join(run_id)
        again.resume(run_id)
        assert again.join(run_id, 60)
        assert again.view(run_id).run.state is RunState.DONE
        again.close()


def test_data_that_are_gone_are_asked_for(service):
    run_id = service.start(service.upload, lambda data: fit_sweep(0.1, 0.01))
    service.join(run_id, 60)
    with pytest.raises(StoreError, match="bring the same file"):
        service.resume(run_id)
    with pytest.raises(StoreError, match="list of runs"):
        service.resume("no such run")


def test_what_the_shell_computes_is_seen_and_the_other_way_round(service, tmp_path):
    with Store(tmp_path / "served") as shell:
        seen = []
        run_id = start_sweep(shell, _comparison(blobs()), blobs(), name="From the shell")
        run_sweep(
            shell, run_id, blobs(),
            on_progress=lambda progress: seen.append(service.view(run_id)),
        )  # fmt: skip
        assert all(view.active and not view.here for view in seen)
        assert [view.run.n_done for view in seen] == sorted(view.run.n_done for view in seen)
        assert not service.stop(run_id)
        (listed,) = service.listed(remote=False)
        assert (listed.run.name, listed.run.complete) == ("From the shell", True)
        ours = service.start("digits", lambda data: fit_sweep(0.2, 0.01, max_iter=5))
        service.join(ours, 60)
        assert {run.id for run in shell.runs()} == {run_id, ours}


def test_a_visitor_from_afar_sees_what_she_knows_of(service):
    known = service.start(service.upload, lambda data: fit_sweep(0.1, 0.01))
    service.start(service.upload, lambda data: fit_sweep(0.2, 0.01))
    assert len(service.listed(remote=False)) == 2
    assert [view.run.id for view in service.listed(remote=True, known_ids=[known])] == [known]
    assert service.listed(remote=True) == ()


def test_a_workplace_that_cannot_be_reached_is_one_sentence_on_screen(service, monkeypatch):
    pytest.importorskip("distributed", reason="Dask is not installed")
    monkeypatch.setattr("cspca.runs.sweeps.backends._CONNECT", 0.5)
    nowhere = Workplace(n_jobs=-1, scheduler="tcp://127.0.0.1:1")
    run_id = service.start(service.upload, lambda data: fit_sweep(0.1, 0.01), workplace=nowhere)
    service.join(run_id, 60)
    view = service.view(run_id)
    assert view.refusal.startswith("No Dask scheduler answers at tcp://127.0.0.1:1")
    assert view.can_resume
    service.resume(run_id, service.upload)
    service.join(run_id, 60)
    assert service.view(run_id).refusal is None
