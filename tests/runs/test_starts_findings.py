"""What is said of the seven starts, the tables, and the lines of Python that give the numbers."""

import csv
import io
import re

import numpy as np
import pytest

from cspca.datasets import Recipe, make_faces
from cspca.evaluation.paper import PAPER_SETS
from cspca.runs.starts_export import starts_lines
from cspca.runs.starts_findings import START_NAMES, find_starts, measured
from cspca.runs.starts_tables import longest, starts_csv, starts_curves_csv, starts_latex
from cspca.runs.store import Store
from cspca.runs.sweeps import StartRow, run_sweep, start_sweep, starts_of, starts_sweep
from cspca.solvers import STARTS

FACES = make_faces(n_people=4, n_per_person=4, image_size=8, random_state=1)
SWEEP = starts_sweep(
    FACES, 0.5, 0.5, penalty_scale="absolute", center=False, checkpoints=(3, 6), n_features=16,
    n_seeds=2, inits=["diagonal-0.5", "random"],
)  # fmt: skip


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    with Store(tmp_path_factory.mktemp("store")) as store:
        run_id = start_sweep(store, SWEEP, FACES)
        run_sweep(store, run_id, FACES)
        return starts_of(store, run_id)


@pytest.fixture
def found(rows):
    return find_starts(rows, checkpoints=(3, 6), tol=1e-4, k=16)


def row(solver, init, iterations, objective, bound=99.0, **more):
    values = {
        "n_iter": iterations, "gap": 0.5, "excess": 0.0, "agreement": 1.0, "accuracy": 0.5,
        "accuracy_std": 0.02, "nmi": None, "nmi_std": None, "history": {}, "overlap": 0.9,
        "spearman": 0.8, "dual_objective": bound,
    }  # fmt: skip
    return StartRow(solver, init, iterations, objective=objective, **(values | more))


def made(*more, inits=("diagonal-0.5", "random")):
    rows = []
    for shift, init in enumerate(inits):
        rows += [
            row("reweighted", init, 10, 101.0 + shift),
            row("reweighted", init, 50, 100.5 + shift),
            row("admm", init, 2000, 100.0, 99.995, n_iter=37, gap=5e-5, overlap=1.0, accuracy=0.6),
        ]
    return find_starts([*rows, *more], checkpoints=(10, 50), tol=1e-4, k=16)


def test_names_are_those_of_the_solvers_in_the_papers_order():
    assert list(START_NAMES) == list(STARTS)


def test_the_optimum_is_between_the_best_bound_and_the_best_objective(found):
    low, high = found.optimum
    assert low == max(one.dual_objective for one in found.rows)
    assert high == min(one.objective for one in found.rows)
    assert 0 <= high / low - 1 <= 1.1e-4
    for one in found.rows:
        assert found.above(one) == max(0.0, one.objective / low - 1)


def test_the_headline_is_the_measured_number(found):
    printed, certified = found.row("diagonal-0.5", 3), found.row("diagonal-0.5", None)
    said = found.headline()
    numbers = [float(one) for one in re.findall(r"([\d.]+) %", said)]
    assert numbers[0] == pytest.approx(100 * found.above(printed), rel=0.06)
    assert numbers[1] >= 100 * found.above(certified) - 1e-9
    assert said.endswith(f"after {certified.n_iter}.")
    assert made().headline() == (
        "After ten iterations Algorithm 1 stands 1 % above the proven optimum; the certified "
        "solver is within 0.0051 % after 37."
    )


def test_what_is_said_of_the_starts():
    nouns = FACES.nouns
    said = made().sentences(nouns, PAPER_SETS["orl"])
    assert said[0].startswith("From all two starts the certified solver comes within 0.005 %")
    assert "the objectives are equal" in said[0]
    assert "1 to 2 % above it after ten iterations" in said[1]
    assert "0.51 to 1.5 % after fifty" in said[1]
    assert said[2].startswith("Of the best 16 pixels the certified rankings share all; those of ")
    assert "Algorithm 1 after ten" in said[2]
    assert "share 90 % with them" in said[2]
    assert "ACC is 60.0 % over the certified starts and 50.0 %" in said[3]
    assert "The paper prints 71.3 %" in said[3]
    assert "paper prints" not in made().sentences(nouns)[3]


def test_a_start_from_which_the_certified_solver_did_not_arrive_is_named():
    lost = row("admm", "constant-2", 2000, 180.0, 50.0, n_iter=2000, gap=0.8)
    said = made(lost).sentences(FACES.nouns)[0]
    assert "from two of three starts, not from all elements 2 (stopped at 80 %)" in said


def test_half_a_run_says_no_more_than_it_knows():
    empty = find_starts([], checkpoints=(10,), tol=1e-4, k=None)
    assert (empty.headline(), empty.sentences(FACES.nouns), empty.inits) == (None, (), ())
    assert empty.regime is None
    one = find_starts([row("reweighted", "random", 10, 101.0)], checkpoints=(10,), tol=0, k=16)
    assert one.optimum is None, "its bound is 2 % away"
    assert (one.headline(), one.sentences(FACES.nouns)) == (None, ())
    assert np.isnan(one.above(one.rows[0]))


@pytest.mark.parametrize(
    ("share", "said"),
    [(0, "0 %"), (1e-8, "under 0.0001 %"), (5.88e-5, "0.0059 %"), (0.00478, "0.48 %"),
     (0.102, "10.2 %"), (2.5, "250 %"), (95.11, "9,511 %")],
)  # fmt: skip
def test_a_measured_share_is_not_rounded_up(share, said):
    assert measured(share) == said


def test_many_that_tie_are_counted():
    tied = row("admm", "diagonal-1", 2000, 100.0, gap=1e-6, n_tied=50)
    assert made(tied).tied(64) == 50
    assert made(tied).tied(1024) == 0
    assert made().tied(64) == 0


def test_the_csv_is_the_table(found):
    lines = list(csv.DictReader(io.StringIO(starts_csv(found))))
    assert len(lines) == len(found.rows) == 2 * 3
    for line, one in zip(lines, found.rows, strict=True):
        assert (line["solver"], line["init"]) == (one.solver, one.init)
        assert float(line["objective"]) == one.objective
        assert float(line["above"]) == found.above(one)
        assert float(line["accuracy"]) == one.accuracy
        assert float(line["spearman"]) == one.spearman


def test_the_curves_are_those_of_the_longest_runs(found):
    lines = list(csv.DictReader(io.StringIO(starts_curves_csv(found))))
    for one in longest(found.rows):
        mine = [ln for ln in lines if (ln["solver"], ln["init"]) == (one.solver, one.init)]
        assert [int(ln["number"]) for ln in mine] == list(range(1, one.n_iter + 1))
        values = [float(ln["objective"] or "nan") for ln in mine]
        np.testing.assert_array_equal(values, one.history["objective"])
    assert max(int(ln["number"]) for ln in lines if ln["solver"] == "reweighted") == 6


def test_latex_has_a_line_a_start(found):
    text = starts_latex(found, caption="100 % of_it")
    assert r"100 \% of\_it" in text
    assert text.count(r"\\") == 2 + 2
    certified = found.row("random", None)
    assert f"{100 * found.above(certified):.2g} & {100 * certified.accuracy:.1f}" in text


def test_the_lines_of_python_give_the_same_numbers(rows, capsys):
    recipe = Recipe("make_faces", (4, 4, 8)).but(random_state=1)
    names: dict = {}
    exec(starts_lines(SWEEP, recipe), names)
    capsys.readouterr()
    table = {(one["solver"], one["start"], one["iterations"]): one for one in names["table"]}
    assert len(table) == len(rows)
    for one in rows:
        mine = table[one.solver, one.init, one.iterations]
        assert mine["objective"] == pytest.approx(one.objective, rel=1e-10)
        assert mine["gap"] == pytest.approx(one.gap, rel=1e-6, abs=1e-12)
        assert mine["accuracy"] == pytest.approx(one.accuracy)
        assert mine["spearman"] == pytest.approx(one.spearman, abs=1e-6)
        assert mine["overlap"] == pytest.approx(one.overlap)
