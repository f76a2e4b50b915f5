"""The benchmark's rivals must be right, or beating them says nothing."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
import pytest

from cspca.problem import Problem, ReducedData
from cspca.solvers.admm.state import State
from tests.benchmarks import ablation, condat_vu, measure, protocol, search
from tests.benchmarks.cases import CASES
from tests.oracles import direct

CASE = CASES[0]


@pytest.fixture(scope="module")
def solved():
    A = CASE.pixels()
    run, model = measure.ours(A, CASE, 1e-6)
    assert run.reached
    problem = Problem(ReducedData(A), model.alpha_, model.beta_)
    return A, model, problem


def test_the_general_peer_proves_the_same_optimum(solved):
    _, model, problem = solved
    Z = model.fit_.Z @ (model.fit_.U.T @ problem.data.U)
    run = condat_vu.certify(problem, Z, 1e-5, limit=20.0)
    assert run.reached
    assert model.dual_objective_ <= run.objective <= model.objective_ * (1 + 1e-5)
    stopped = condat_vu.certify(problem, Z, 0.0, limit=0.02)
    assert not stopped.reached
    assert stopped.cpu >= 0.02
    assert stopped.objective >= model.dual_objective_


def test_so_does_the_best_form_of_algorithm_1(solved):
    A, model, _ = solved
    goal = model.objective_ * (1 + 1e-3)
    run = measure.best_form(A, model.alpha_, model.beta_, goal, limit=20.0)
    assert run.reached
    assert model.dual_objective_ <= run.objective <= goal


def test_the_printed_algorithm_is_measured_where_it_stands(solved):
    A, model, _ = solved
    ten, twenty = (measure.printed(A, model.alpha_, model.beta_, count) for count in (10, 20))
    assert (ten.iterations, twenty.iterations) == (10, 20)
    assert model.objective_ < twenty.objective < ten.objective
    W = model.fit_.Z @ model.fit_.U.T
    assert model.objective_ == pytest.approx(direct.objective(A, W, model.alpha_, model.beta_))


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


@pytest.mark.parametrize(("name", "center"), [("faces", False), ("digits", True)])
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
    assert not search.report("late", [late, *points[1:]])
    dear = replace(points[0], seconds=1e3 * sum(point.seconds for point in points))
    assert not search.report("dear", [dear, *points[1:]])
    assert capsys.readouterr().out.count("MISSED") == 2


@pytest.mark.slow
def test_one_case_from_the_command_line():
    command = ["-m", "tests.benchmarks", "--only", "digits 20/20"]
    done = subprocess.run(
        [sys.executable, *command, "--repetitions", "1", "--patience", "1"],
        cwd=Path(__file__).parents[1], capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert "CSPCA to 0.0001" in done.stdout, done.stderr
    assert done.returncode == int("MISSED" in done.stdout)


def test_each_warm_start_of_the_ablation_is_from_other_penalties():
    """A state of the very problem would be gone on from, row after row."""
    pixels = np.random.default_rng(0).normal(size=(30, 8))
    images = ablation.Images("random", lambda: pixels, ((5.0, 1.0), (5.0, 0.0), (0.0, 1.0)))
    starts = list(ablation.runs(ReducedData(pixels), images, 1e-3))
    warm = [(problem, start) for problem, start in starts if isinstance(start, State)]
    assert len(warm) == 3
    for problem, start in warm:
        assert not start.problem.same_as(problem)
