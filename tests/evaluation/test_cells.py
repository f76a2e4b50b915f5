"""Cells, results and plans survive a trip through text, and plans are ordered."""

import json
import pickle

import numpy as np
import pytest

from cspca.evaluation import Cell, CellResult, MethodPlan, Plan, make_plan, parameters_of
from tests.evaluation.fakes import Listed, blobs

CELL = Cell("cspca", (("alpha", 0.1), ("penalty_scale", "absolute")), 50, 7, 10, "k-means++")
PLAN = Plan(
    (
        MethodPlan("a", "Ä", ((("alpha", 1e-6),), (("alpha", 1.0),)), (5, 10)),
        MethodPlan("all", "All", ((),), (20,), keeps_all=True),
    ),
    (3, 1),
    4,
)


def test_a_cell_is_named_by_one_line_that_gives_it_back():
    key = CELL.key()
    assert "\n" not in key
    assert Cell.from_key(key) == CELL
    assert Cell.from_key(key).key() == key
    others = [
        Cell("cspca", CELL.parameters, 50, 7, 10, "random"),
        Cell("cspca", (), 50, 7, 10, "k-means++"),
        Cell("cspca", CELL.parameters, 50, 8, 10, "k-means++"),
    ]
    assert len({key, *(other.key() for other in others)}) == 4


def test_a_result_survives_json():
    result = CellResult(CELL, 1 / 3, 7, 0.1, accuracy=0.1 + 0.2, nmi=None)
    assert CellResult.from_record(json.loads(json.dumps(result.to_record()))) == result


def test_a_plan_survives_json_and_pickle():
    assert Plan.from_record(json.loads(json.dumps(PLAN.to_record()))) == PLAN
    assert pickle.loads(pickle.dumps(PLAN)) == PLAN  # noqa: S301


def test_cells_come_in_a_fixed_order_and_are_counted():
    cells = list(PLAN.cells())
    assert len(cells) == PLAN.n_cells == len(set(cells)) == 10
    assert [(c.method, c.n_features, c.seed) for c in cells[:4]] == [
        ("a", 5, 3),
        ("a", 5, 1),
        ("a", 10, 3),
        ("a", 10, 1),
    ]
    assert [len(group.cells) for group in PLAN.groups()] == [2] * 5
    with pytest.raises(KeyError):
        PLAN.method("b")


def test_parameters_are_sorted_and_plain():
    found = parameters_of({"beta": np.float64(0.5), "alpha": np.int64(3)})
    assert found == (("alpha", 3), ("beta", 0.5))
    assert [type(value) for _, value in found] == [int, float]


def test_the_baseline_is_planned_once_with_every_feature():
    X, y = blobs()
    plan = make_plan(X, y, ["all", "variance"], [3, 6], n_seeds=2)
    assert [(m.method, m.n_features, m.keeps_all) for m in plan.methods] == [
        ("all", (12,), True),
        ("variance", (3, 6), False),
    ]
    assert plan.n_clusters == 3


def test_tuning_takes_the_whole_grid_and_grids_replace_it():
    X, y = blobs()
    plan = make_plan(X, y, ["cspca"], 3, tune=True)
    assert len(plan.methods[0].grid) == 49
    assert make_plan(X, y, ["cspca"], 3).methods[0].grid == ((),)
    given = make_plan(X, y, ["cspca"], 3, grids={"cspca": [{"alpha": 0.2}]}).methods[0].grid
    assert given == ((("alpha", 0.2),),)


def test_the_methods_of_the_paper_are_the_default():
    X, y = blobs()
    plan = make_plan(X, y)
    assert plan.methods[0].method == "all"
    assert {"variance", "cspca"} <= {m.method for m in plan.methods}
    assert plan.methods[1].n_features == (3, 6, 9)
    assert plan.seeds == tuple(range(30))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"y": np.zeros(60)}, "All samples have the same label"),
        ({"y": np.arange(59)}, "y has 59 labels for 60 samples"),
        ({"y": None}, "Without labels the number of clusters is unknown"),
        ({"n_clusters": 61}, "There are 60 samples for 61 clusters"),
        ({"n_clusters": 0}, "n_clusters must be at least 1"),
        ({"n_features": 13}, "n_features asks for 13 of 12 features"),
        ({"n_features": [3, 0]}, "n_features must be at least 1"),
        ({"methods": ["all", "magic"]}, "Unknown method 'magic': choose from all, variance, "),
        ({"methods": []}, "No method is chosen"),
        ({"init": "best"}, "init must be one of random"),
        ({"seeds": [1, 1]}, "seeds are different"),
        ({"n_seeds": 0}, "at least one seed"),
        ({"grids": {"cspca": [{}]}}, "grids names methods that are not compared: cspca"),
        ({"X": np.full((60, 3), np.nan)}, "X must be finite"),
        ({"X": np.zeros(5)}, "X must be a table"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(change, words):
    X, y = blobs()
    arguments = {"X": X, "y": y, "methods": {"listed": Listed()}} | change
    with pytest.raises(ValueError, match=words) as caught:
        make_plan(**arguments)
    assert "\n" not in str(caught.value)
