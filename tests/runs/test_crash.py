"""Killed at any moment, resumed, worked on by several at once: nothing lost, nothing twice."""

import random
import signal
import subprocess
import sys
import textwrap

import pytest

from cspca.evaluation.former import make_plan
from cspca.runs.store import CellState, RunState, Store, doctor
from cspca.runs.sweeps import comparison_sweep, run_sweep, sensitivity_sweep, start_sweep
from tests.runs.sweep_processes import blobs, kill_after, numbers, ready, start, uninterrupted

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")


def _comparison(n_seeds=10, counts=(4, 8, 12, 16, 24, 32)):
    dataset = blobs()
    grid = [{"alpha": alpha, "beta": 0.01} for alpha in (0.01, 0.03, 0.06, 0.1, 0.2, 0.3, 0.5)]
    plan = make_plan(
        dataset.data, dataset.target, ["all", "variance", "laplacian", "mcfs", "udfs", "cspca"],
        list(counts), n_seeds=n_seeds, grids={"cspca": grid},
    )  # fmt: skip
    return comparison_sweep(plan)


def test_killed_ten_times_and_resumed_it_is_as_if_nothing_had_happened(tmp_path):
    rng = random.Random(20141124)
    sweep = _comparison()
    expected, seconds = uninterrupted(tmp_path / "calm", sweep)
    home, dataset = tmp_path / "wild", blobs()
    with Store(home) as store:
        run_id = start_sweep(store, sweep, dataset, reuse=False)
        kills, left_claims, finished = 0, 0, []
        while kills < 10:
            before = numbers(store, run_id)
            process, _ = start(home, run_id, n_jobs=rng.choice([1, 2]), backend="threading")
            if kill_after(process, rng.uniform(0.0, seconds / 4)):
                kills += 1
            after = numbers(store, run_id)
            assert before.items() <= after.items(), "a committed cell was lost or changed"
            left_claims += len(store.cells(run_id, state=CellState.CLAIMED))
            assert all(cell.commits <= 1 for cell in store.cells(run_id))
            if store.get(run_id).complete:
                finished.append(run_id)
                run_id = start_sweep(store, sweep, dataset, reuse=False)
        assert left_claims, "no kill ever met a cell at work"
        if store.get(run_id).n_done < store.get(run_id).n_cells:
            assert store.get(run_id).state in (RunState.INTERRUPTED, RunState.READY)
        run = run_sweep(store, run_id, dataset)
        assert run.state is RunState.DONE
        for one in (*finished, run_id):
            assert numbers(store, one) == expected
            assert {cell.commits for cell in store.cells(one)} == {1}
    report = doctor(home, repair=True)
    assert report.sound
    assert doctor(home).findings == ()


def test_a_kill_frees_the_claims_at_once(tmp_path):
    """Resuming does not wait for a lease to run out."""
    home, dataset = tmp_path, blobs()
    with Store(home) as store:
        run_id = start_sweep(store, _comparison(n_seeds=40), dataset, reuse=False)
        process, _ = start(home, run_id)
        while not store.cells(run_id, state=CellState.CLAIMED) and process.is_alive():
            pass
        assert store.get(run_id).state is RunState.RUNNING
        assert kill_after(process, 0.0)
        assert store.get(run_id).state is RunState.INTERRUPTED
        with store.session(run_id) as session:
            assert all(unit.n_free == unit.n_cells for unit in session.open_units())


def test_a_shell_command_with_worker_processes_is_killed_and_resumed(tmp_path):
    """loky's workers do not survive their parent, nor keep its claims."""
    sweep = sensitivity_sweep(blobs(), [0.02, 0.1, 0.3], [0.001, 0.1], n_features=8, n_seeds=8)
    expected, _ = uninterrupted(tmp_path / "calm", sweep)
    home, dataset = tmp_path / "wild", blobs()
    with Store(home) as store:
        run_id = start_sweep(store, sweep, dataset, reuse=False)
        process, _ = start(home, run_id, n_jobs=2, backend="loky")
        while store.get(run_id).n_done < 3 and process.is_alive():
            pass
        assert kill_after(process, 0.0)
        assert not store.get(run_id).complete
        run = run_sweep(store, run_id, dataset, n_jobs=2, backend="loky")
        assert run.state is RunState.DONE
        assert numbers(store, run_id) == expected
        assert {cell.commits for cell in store.cells(run_id)} == {1}


def test_ctrl_c_keeps_what_is_done_and_frees_the_rest(tmp_path):
    script = """
        import os, signal
        # Whoever runs the tests in the background may have had it ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        from cspca.runs.store import Store
        from cspca.runs.sweeps import run_sweep
        from tests.runs.sweep_processes import blobs
        import sys
        home, run_id = sys.argv[1:]

        def interrupt(progress):
            if progress.n_new > 30:
                os.kill(os.getpid(), signal.SIGINT)

        with Store(home) as store:
            run_sweep(store, run_id, blobs(), n_jobs=2, backend="threading", on_progress=interrupt)
    """
    dataset = blobs()
    with Store(tmp_path) as store:
        run_id = start_sweep(store, _comparison(), dataset, reuse=False)
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(script), str(tmp_path), run_id],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode in (-signal.SIGINT, 130, 1)
        assert "KeyboardInterrupt" in done.stderr
        run = store.get(run_id)
        assert run.state is RunState.STOPPED
        assert 30 < run.n_done < run.n_cells
        assert store.cells(run_id, state=CellState.CLAIMED) == ()
        assert run_sweep(store, run_id, dataset).state is RunState.DONE


def test_three_at_once_on_200_cells_and_on_their_own(tmp_path):
    """Two sessions of a browser and a shell: all cells there, none twice."""
    dataset = blobs()
    plan = make_plan(
        dataset.data, dataset.target, ["all", "variance", "laplacian", "spec"], [4, 8, 16],
        n_seeds=20,
    )  # fmt: skip
    sweep = comparison_sweep(plan)
    assert plan.n_cells == 200
    expected, _ = uninterrupted(tmp_path / "calm", sweep)
    home = tmp_path / "shared"
    with Store(home) as store:
        shared = start_sweep(store, sweep, dataset, reuse=False)
        own = [start_sweep(store, sweep, dataset, reuse=False) for _ in range(3)]
        at_work = [ready(home, shared) for _ in range(2)]
        at_work.append(ready(home, shared, n_jobs=2, backend="threading"))
        for _, pipe in at_work:
            pipe.send("go")
        new = [pipe.recv() for _, pipe in at_work if pipe.poll(60)]
        alone = [ready(home, run_id) for run_id in own]
        for _, pipe in alone:
            pipe.send("go")
        for process, _ in (*at_work, *alone):
            process.join(60)
            assert process.exitcode == 0
        assert sum(new) == store.get(shared).n_cells == 204
        assert sum(count > 0 for count in new) >= 2, "one of them did it all"
        for run_id in (shared, *own):
            assert numbers(store, run_id) == expected
            assert {cell.commits for cell in store.cells(run_id)} == {1}
            assert store.get(run_id).state is RunState.DONE
    assert doctor(home).findings == ()
