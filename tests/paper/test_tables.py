"""The paper's tables with ours beside: differences, gaps, and what is said of them."""

import numpy as np
import pytest

from cspca.evaluation import compare
from cspca.evaluation.comparison import Row
from cspca.evaluation.statistics import summarise
from cspca.experiments import Paper, run
from cspca.experiments.paper import OUTSIDE
from cspca.paper.claims import Evidence, points_of
from cspca.paper.numbers import (
    PAPER_SETS,
    outside_table,
    paper_table,
    plain_statement,
    printed_table,
    say,
)
from tests.evaluation.fakes import blobs
from tests.experiments import toys
from tests.paper.test_numbers import recognise

X, Y = blobs()
# So small that the penalties of the fixture leave features out: where W = I there is no ranking.
X = 0.04 * X


@pytest.fixture(scope="module")
def done():
    grid = [
        {"alpha": a, "beta": b, "penalty_scale": "absolute"} for a in (0.5, 1.0) for b in (0.5, 1.0)
    ]
    methods = ["all", "variance", "cspca"]
    few = {"n_draws": 0, "bootstrap": 0, "silhouette": False}
    return compare(X, Y, methods, [4, 8], n_seeds=10, grids={"cspca": grid}, **few)


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


def _row(method, mean, std):
    best = summarise(np.array([mean - std, mean + std]) / 100)
    return Row(method, method, best, None, None, None, "", 1, None, 0.0)


def test_what_others_found_is_marked_where_it_is_within_a_deviation_of_ours_measured_alike():
    ours, alike = [_row("all", 73.6, 1.0)], [_row("all", 71.5, 1.5)]
    spread = [_row("all", 79.0, 1.0)]
    of = PAPER_SETS["orl"]
    rows = paper_table(ours, of, "nmi", alike=alike, spread=spread)
    shown = printed_table(rows, "nmi", same_data=True)
    assert shown["Independent"][0] == "70.5 ≈"  # of 71.5 ± 2.1 by the larger entropy, not of 73.6
    accuracy = paper_table([_row("all", 57.0, 1.0)], of, "accuracy")
    table = outside_table({"accuracy": accuracy, "nmi": rows}).set_index("All features by")
    assert table.loc["FSEVAL, 2026"].tolist() == ["k-means++", "58.3", "–", "77.3", "79.0 ± 1.4"]
    assert table.loc["domainxz, 2014"].tolist()[1:3] == ["48.9", "57.0 ± 1.4"]
    assert table.loc["The paper, 2014", "ACC"] == "69.0"
    assert outside_table({"nmi": paper_table(ours, PAPER_SETS["jaffe"], "nmi")}).empty


def test_all_features_are_clustered_from_the_starts_of_others_too():
    data = toys.blobs(400, 48, 40)  # by these numbers it is ORL
    found = run(Paper(parts=("comparison",), grid=(1.0,), n_counts=1, n_seeds=2), data)
    table = found.printed[OUTSIDE].set_index("Starts of K-means")
    for init in ("random", "k-means++"):
        (row,) = compare(data.data, data.target, ["all"], n_seeds=2, init=init).table("accuracy")
        said = say(100 * row.best.mean, 100 * row.best.std)
        assert set(table.loc[[init], "Ours, ACC"]) == {said}
    assert len(set(table["Ours, ACC"])) == 2
    assert f"we {said} %" in " ".join(found.experiment.plainly(found.results, data))
    others = run(found.experiment, toys.blobs(60, 48, 3))
    assert OUTSIDE not in others.printed
    assert len(others.results) == len(found.results) - 1


def test_a_stand_in_is_not_held_against_the_printed_spread(done):
    rows = table(done, "humaneva").dropna(subset=["ours_best_of_grid"])
    itself, stand_in = recognise(10000, 168, 10, "HumanEVA"), recognise(2000, 168, 10, "motion")
    assert "the paper’s within" in " ".join(plain_statement(itself, rows))
    assert "the paper’s within" not in " ".join(plain_statement(stand_in, rows))


def test_a_method_without_a_ranking_has_the_reason_in_place_of_a_number():
    empty = [{"alpha": 1e6, "beta": 1e6, "penalty_scale": "absolute"}]
    done = compare(X, Y, ["all", "cspca"], [4], n_seeds=2, n_draws=0, grids={"cspca": empty})
    rows = paper_table(done.table(), None, "accuracy", unranked=done.unranked())
    assert rows.set_index("method").loc["cspca", "no_ranking"] == "empty model"
    shown = printed_table(rows, "accuracy", same_data=True).set_index("Method")
    assert shown.loc["CSPCA", "Ours"] == "no ranking: empty model"
    assert plain_statement(recognise(9, 9, 9), rows), "the other methods are spoken of"


def test_without_the_papers_numbers_there_is_no_difference(done):
    rows = table(done, "none")
    assert rows[["paper", "difference", "independent"]].isna().all(axis=None)
    assert rows["ours_best_of_grid"].notna().all()
    shown = printed_table(rows, "accuracy", same_data=False)
    assert not {"Paper", "Difference", "Independent"} & set(shown)


def test_slices_of_the_comparison(done):
    found = Evidence("blobs", points=points_of(done))
    assert list(found.curve) == [4, 8]
    grid = found.grid(8)
    assert list(grid) == [(a, b) for a in (0.5, 1.0) for b in (0.5, 1.0)]
    assert (grid[1.0, 1.0] == found.curve[8]).all()
    assert len(grid[0.5, 1.0]) == 10
    assert found.best_count in (4, 8)
    assert Evidence("nothing").best_count == 0
    assert points_of(compare(X, Y, ["all"], [4], n_seeds=2)) == {}
