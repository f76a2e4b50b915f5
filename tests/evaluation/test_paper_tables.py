"""The paper's tables with ours beside: differences, gaps, CSV and LaTeX."""

import csv
import io

import pytest

from cspca.evaluation.former import Comparison, compare, make_plan
from cspca.evaluation.paper import PAPER_SETS
from cspca.evaluation.paper_evidence import curve_at, grid_at, runs_of
from cspca.evaluation.paper_recognition import recognise
from cspca.evaluation.paper_tables import paper_rows, to_csv, to_latex
from cspca.evaluation.paper_words import plain_statement
from tests.evaluation.fakes import blobs

X, Y = blobs()


@pytest.fixture(scope="module")
def done():
    grid = [
        {"alpha": a, "beta": b, "penalty_scale": "absolute"} for a in (0.1, 1.0) for b in (0.1, 1.0)
    ]
    methods = ["all", "variance", "cspca"]
    return compare(X, Y, methods, [4, 8], n_seeds=4, grids={"cspca": grid})


def test_ours_stands_beside_the_papers(done):
    rows = paper_rows(PAPER_SETS["orl"], done)
    assert [row.method for row in rows] == ["all", "variance", "cspca"]
    first, _, last = rows
    assert first.printed.mean == 69.0
    assert first.difference == pytest.approx(100 * first.best.mean - 69.0)
    assert first.independent.mean == 48.9
    assert last.independent is None
    assert last.n_choices == 8
    assert last.honest.mean <= last.best.mean
    assert paper_rows(PAPER_SETS["orl"], done, "nmi")[0].printed.mean == 83.7


def test_a_stand_in_is_not_held_against_the_printed_spread(done):
    rows = paper_rows(PAPER_SETS["humaneva"], done)
    itself, stand_in = recognise(10000, 168, 10, "HumanEVA"), recognise(2000, 168, 10, "motion")
    assert "the paper’s within" in " ".join(plain_statement(itself, rows))
    assert "the paper’s within" not in " ".join(plain_statement(stand_in, rows))


def test_without_the_papers_numbers_there_is_no_difference(done):
    for row in paper_rows(None, done):
        assert row.printed is row.difference is row.independent is None
        assert row.best is not None


def test_what_is_not_computed_is_empty():
    rows = paper_rows(PAPER_SETS["usps"], Comparison(make_plan(X, Y, ["all", "udfs"], 4)))
    assert [row.best for row in rows] == [None, None]
    assert rows[0].difference is None
    lines = list(csv.reader(io.StringIO(to_csv({"accuracy": rows}))))
    assert lines[1][:8] == ["ACC", "All features", "71.1", "2.7", "", "", "", ""]
    assert r"$71.1 \pm 2.7$ & -- & -- & --" in to_latex({"accuracy": rows})


def test_exports_hold_every_number(done):
    tables = {metric: paper_rows(PAPER_SETS["orl"], done, metric) for metric in ("accuracy", "nmi")}
    lines = list(csv.DictReader(io.StringIO(to_csv(tables))))
    assert [line["metric"] for line in lines] == ["ACC"] * 3 + ["NMI"] * 3
    assert float(lines[0]["ours_best_of_grid"]) == 100 * tables["accuracy"][0].best.mean
    text = to_latex(tables, caption="50 % of it")
    assert r"\caption{50 \% of it}" in text
    assert text.count(r"\\") == 5


def test_slices_of_the_comparison(done):
    assert set(runs_of(done, "accuracy")) == {"all", "variance", "cspca"}
    curve = curve_at(done)
    assert list(curve) == [4, 8]
    grid = grid_at(done, n_features=8)
    assert grid.runs.shape == (2, 2, 4)
    assert (grid.runs[1, 1] == curve[8]).all()
    assert grid_at(done).n_features in (4, 8)
    bare = Comparison(make_plan(X, Y, ["all"], 4))
    assert grid_at(bare) is None
    assert curve_at(bare) == {}
    assert runs_of(bare, "nmi") == {}
