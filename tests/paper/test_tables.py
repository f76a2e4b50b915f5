"""The paper's tables with ours beside: differences, gaps, and what is said of them."""

from types import SimpleNamespace

import pytest

from cspca.evaluation import compare
from cspca.evaluation.tables import to_csv, to_latex
from cspca.paper.claims import Evidence, points_of
from cspca.paper.numbers import (
    PAPER_SETS,
    paper_table,
    plain_statement,
    printed_table,
    recognised,
)
from tests.evaluation.fakes import blobs

X, Y = blobs()


def recognise(n_samples, n_features, n_classes, name=""):
    about = {"n_samples": n_samples, "n_features": n_features, "n_classes": n_classes}
    return recognised(SimpleNamespace(**about, name=name))


@pytest.fixture(scope="module")
def done():
    grid = [
        {"alpha": a, "beta": b, "penalty_scale": "absolute"} for a in (0.1, 1.0) for b in (0.1, 1.0)
    ]
    methods = ["all", "variance", "cspca"]
    return compare(X, Y, methods, [4, 8], n_seeds=4, grids={"cspca": grid})


def table(done, key, metric="accuracy"):
    return paper_table(done.table(metric), PAPER_SETS.get(key), metric)


def test_ours_stands_beside_the_papers(done):
    rows = table(done, "orl").set_index("method")
    assert set(rows.index) >= {"all", "variance", "cspca"}
    first, last = rows.loc["all"], rows.loc["cspca"]
    assert first["paper"] == 69.0
    assert first["difference"] == pytest.approx(first["ours_best_of_grid"] - 69.0)
    assert first["independent"] == 48.9
    assert last["independent"] != last["independent"]
    assert last["n_choices"] == 8
    assert last["ours_on_other_starts"] <= last["ours_best_of_grid"]
    nmi = table(done, "orl", "nmi").set_index("method")
    assert nmi.loc["all", "paper"] == 83.7


def test_a_stand_in_is_not_held_against_the_printed_spread(done):
    rows = table(done, "humaneva").dropna(subset=["ours_best_of_grid"])
    itself, stand_in = recognise(10000, 168, 10, "HumanEVA"), recognise(2000, 168, 10, "motion")
    assert "the paper’s within" in " ".join(plain_statement(itself, rows))
    assert "the paper’s within" not in " ".join(plain_statement(stand_in, rows))


def test_before_every_method_has_a_number_nothing_is_said(done):
    rows = table(done, "orl")
    assert plain_statement(recognise(400, 1024, 40), rows) == []


def test_without_the_papers_numbers_there_is_no_difference(done):
    rows = table(done, "none")
    assert rows[["paper", "difference", "independent"]].isna().all(axis=None)
    assert rows["ours_best_of_grid"].notna().all()
    shown = printed_table(rows, "accuracy", same_data=False)
    assert not {"Paper", "Difference", "Independent"} & set(shown)


def test_what_is_not_computed_is_a_dash_and_empty_in_files():
    rows = paper_table((), PAPER_SETS["usps"], "accuracy")
    assert rows["ours_best_of_grid"].isna().all()
    shown = printed_table(rows, "accuracy", same_data=True)
    assert set(shown["Ours"]) == {"–"}
    assert shown["Paper"].iloc[0] == "71.1 ± 2.7"
    assert "71.1,2.7,,," in to_csv(rows)


def test_exports_hold_every_number(done):
    rows = table(done, "orl")
    assert f"{rows['ours_best_of_grid'].iloc[0]!r}".strip("np.float64()") in to_csv(rows)
    text = to_latex(printed_table(rows, "accuracy", same_data=True), caption="50 % of it")
    assert r"50 \% of it" in text
    assert "69.0" in text


def test_slices_of_the_comparison(done):
    found = Evidence("blobs", points=points_of(done))
    assert list(found.curve) == [4, 8]
    grid = found.grid(8)
    assert list(grid) == [(a, b) for a in (0.1, 1.0) for b in (0.1, 1.0)]
    assert (grid[1.0, 1.0] == found.curve[8]).all()
    assert len(grid[0.1, 1.0]) == 4
    assert found.best_count in (4, 8)
    assert Evidence("nothing").best_count == 0
    assert points_of(compare(X, Y, ["all"], [4], n_seeds=2)) == {}
