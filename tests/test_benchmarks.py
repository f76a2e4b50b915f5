"""The benchmark's rivals must be right, or beating them says nothing."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
import pytest

from cspca import CSPCA
from cspca.problem import Problem, ReducedData
from cspca.solvers.admm.state import State
from cspca.ui import fields
from tests.benchmarks import (
    ablation,
    browser,
    cloud,
    measure,
    paths,
    peers,
    protocol,
    report,
    scaling,
    search,
)
from tests.benchmarks.cases import CASES
from tests.benchmarks.measure import Run
from tests.benchmarks.shares import shares
from tests.oracles import direct

CASE = next(case for case in CASES if case.conic)


@pytest.fixture(scope="module")
def solved():
    A = CASE.pixels()
    run, model = measure.ours(A, CASE, 1e-6)
    assert run.reached
    problem = Problem(ReducedData(A), model.alpha_, model.beta_)
    return A, model, problem


@pytest.mark.parametrize(
    ("library", "peer"),
    [
        ("numpy", peers.condat_vu),
        ("pyproximal", peers.primal_dual),
        ("pyunlocbox", peers.forward_backward_forward),
    ],
    ids=["Condat–Vũ", "pyproximal", "PyUnLocBoX"],
)
def test_the_general_peers_come_to_the_same_optimum(solved, library, peer):
    pytest.importorskip(library)
    _, model, problem = solved
    balance = peers.Balance.of(problem, model.fit_.Z @ (model.fit_.U.T @ problem.data.U))
    goal = model.objective_ * (1 + 1e-5)
    run = peer(problem, balance, goal, limit=20.0)
    assert run.reached
    assert model.dual_objective_ <= run.objective <= goal
    if run.stopped is not None:
        assert run.cpu <= run.certified <= run.stopped, "its own duals prove 1e-3 as well"
    stopped = peer(problem, balance, 0.0, limit=0.02)
    assert not stopped.reached
    assert stopped.cpu >= 0.02
    assert stopped.objective >= model.dual_objective_


def test_so_do_the_conic_solver_and_the_best_form_of_algorithm_1(solved):
    A, model, problem = solved
    goal = model.objective_ * (1 + 1e-3)
    found = [
        peers.conic(problem, goal),
        measure.best_form(A, model.alpha_, model.beta_, goal, limit=20.0),
    ]
    for run in found:
        assert run.reached
        assert model.dual_objective_ <= run.objective <= goal


def test_the_printed_algorithm_is_measured_where_it_stands(solved):
    A, model, _ = solved
    ten, twenty = measure.printed(A, model.alpha_, model.beta_, (10, 20))
    assert (ten.iterations, twenty.iterations) == (10, 20)
    assert ten.cpu <= twenty.cpu
    assert model.objective_ < twenty.objective < ten.objective


def test_a_step_of_the_slider_and_a_grid_are_timed_for_the_same_problem(monkeypatch):
    A = np.random.default_rng(0).random((12, 9))
    steps = paths.slider(A, 2, each=3)
    assert len(steps.steps) == 6
    first, second = steps.steps[0], steps.steps[1]
    for step in steps.steps:
        assert step.warm > 0.0
        assert step.cold > 0.0
    moved = (first.alpha / second.alpha, first.beta / second.beta)
    assert sorted(max(ratio, 1 / ratio) for ratio in moved) == pytest.approx([1.0, paths.STEP])
    assert steps.directions == 9
    monkeypatch.setitem(paths.GRIDS, "two", ("relative", np.array([0.2, 1.0])))
    grid = paths.grid(A, "two")
    assert grid.solved == 1, "of four points only one is not W = 0"
    assert grid.unfinished == 0


def test_a_step_is_compared_with_a_cold_fit_and_its_reduction():
    low = paths.Step(0.1, 0.1, rank=2, warm=1.0, cold=3.0)
    high = paths.Step(0.1, 0.01, rank=3, warm=4.0, cold=3.0)
    steps = paths.Steps([low, high], reduction=1.0, directions=16)
    assert steps.ratio(few=True) == 0.25
    assert steps.ratio(few=False) == 1.0
    assert steps.ratio() == 0.625


def test_the_walk_of_the_slider_comes_to_no_place_twice():
    moves = browser.walk(20)
    places = [tuple(place.values()) for _, _, place in moves]
    assert len(set(places)) == 20
    for name, steps, place in moves:
        low, high = browser.RANGE[name]
        assert low <= fields.PENALTIES[place[name]] <= high
        before = fields.PENALTIES[place[name] - steps]
        ratio = max(fields.PENALTIES[place[name]] / before, before / fields.PENALTIES[place[name]])
        assert ratio == pytest.approx(1.25, rel=0.03)


def test_frames_of_a_cloud_are_counted_while_it_moves():
    frames = [(0.0, False), (90.0, True), (106.0, True), (140.0, False), (300.0, False)]
    assert cloud.intervals(frames, moving=True) == [16.0, 34.0]
    assert cloud.intervals(frames, moving=False) == [90.0, 16.0, 34.0, 160.0]


def test_the_protocol_clusters_what_the_loop_does():
    """Random draws beside the methods once made rows that the loop has not."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.random((60, 8)) + y[:, None]
    rankings = {f"order {number}": rng.permutation(8) for number in range(2)}
    ours = protocol._ours(X, y, (2, 8), 3, rankings)
    theirs = protocol._theirs(joblib.Parallel(n_jobs=1), X, y, (2, 8), 3, rankings)
    np.testing.assert_allclose(ours, theirs, atol=1e-12)
    assert protocol._same_labels(X, (2, 8), 3, 3, rankings) == (12, 12)


def test_slopes_are_those_of_the_times_and_plotted(monkeypatch, tmp_path):
    monkeypatch.setattr(
        scaling, "seconds_per_iteration", lambda A, *_: A.size * min(A.shape) * 1e-9
    )
    over_n, over_d, square = scaling.sweeps(quick=True)
    assert over_n.slope == pytest.approx(1.0)
    assert over_d.slope == pytest.approx(1.0)
    assert square.slope == pytest.approx(2.0)
    assert all(sweep.met for sweep in (over_n, over_d, square))
    written = tmp_path / "report.html"
    report.write_html(written, "the < table", [over_n, over_d, square])
    page = written.read_text(encoding="utf-8")
    assert "the &lt; table" in page
    assert "exponent 1.00, allowed 1.00" in page
    monkeypatch.setattr(scaling, "seconds_per_iteration", lambda A, *_: A.size**3 * 1e-15)
    assert not any(sweep.met for sweep in scaling.sweeps(quick=True))


def test_the_seconds_of_a_fit_are_shared_out(solved):
    A, _, _ = solved
    found = shares(lambda: measure.ours(A, CASE, 1e-4))
    assert sum(found.values()) == pytest.approx(1.0)
    assert all(share > 0.0 for share in found.values()), "a function was renamed: see PARTS"


@pytest.mark.parametrize("center", [True, False], ids=["centred", "raw"])
@pytest.mark.parametrize("name", ["faces", "digits"])
def test_no_corner_of_the_plane_of_penalties_is_far_off(name, center, capsys):
    """A sample of the search, on images of 16 × 16 or less: by iterations, for seconds vary."""
    A = search.SETS[name]()
    if name == "faces":
        A = np.ascontiguousarray(A.reshape(-1, 32, 32)[:, ::2, ::2].reshape(len(A), -1))
    points = search.search(A, search.places(15), center=center)
    assert all(point.arrived for point in points)
    # Next to W = I, where digits begin, the iteration creeps.
    near_identity = name == "digits" and center
    assert max(point.iterations for point in points) <= (1000 if near_identity else 150)
    late = replace(points[0], gap=1.0)
    assert not search.report("late", [late, *points[1:]], 1)
    dear = replace(points[0], seconds=1e3 * sum(point.seconds for point in points))
    assert not search.report("dear", [dear, *points[1:]], 1)
    assert capsys.readouterr().out.count("MISSED") == 2


def test_a_time_that_is_a_lower_bound_is_marked():
    assert ">1.00" in report.line("peer", Run(1.0, 2.0, 5, 3.0, reached=False))
    assert ">" not in report.line("peer", Run(1.0, 2.0, 5, 3.0))


@pytest.mark.slow
def test_one_case_from_the_command_line(tmp_path):
    written = tmp_path / "out.json"
    command = ["-m", "tests.benchmarks", "--only", "digits 20/20", "--json", str(written)]
    done = subprocess.run(
        [sys.executable, *command, "--repetitions", "1", "--patience", "1"],
        cwd=Path(__file__).parents[1], capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert "CSPCA to 0.0001" in done.stdout, done.stderr
    assert done.returncode == int("MISSED" in done.stdout)
    assert '"digits 20/20"' in written.read_text()


def test_the_objective_that_runs_report_is_the_one_of_the_d_by_d_problem(solved):
    A, model, _ = solved
    assert isinstance(model, CSPCA)
    W = model.fit_.Z @ model.fit_.U.T
    assert model.objective_ == pytest.approx(direct.objective(A, W, model.alpha_, model.beta_))


def test_each_warm_start_of_the_ablation_is_from_other_penalties():
    """A state of the very problem would be gone on from, row after row."""
    pixels = np.random.default_rng(0).normal(size=(30, 8))
    images = ablation.Images("random", lambda: pixels, ((5.0, 1.0), (5.0, 0.0), (0.0, 1.0)))
    starts = list(ablation.runs(ReducedData(pixels), images, 1e-3))
    warm = [(problem, start) for problem, start in starts if isinstance(start, State)]
    assert len(warm) == 3
    for problem, start in warm:
        assert not start.problem.same_as(problem)
