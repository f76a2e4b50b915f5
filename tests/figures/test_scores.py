"""The score curve marks the cut and the exact zeros, and survives the odd regimes."""

import json
from collections.abc import Callable

import numpy as np
import pytest

from cspca.figures.convergence import MAX_POINTS
from cspca.figures.scores import ranks, score_curve_alt, score_curve_spec

Check = Callable[[dict], None]

SPARSE = np.concatenate([np.linspace(1, 0.01, 700), np.zeros(324)])


def rows(spec: dict, kind: str) -> list[dict]:
    return [row for row in spec["data"]["values"] if row["kind"] == kind]


@pytest.mark.parametrize(
    "scores",
    [SPARSE, np.ones(1024), np.zeros(64), np.empty(0), np.array([2.0]), np.array([1.0, -3.0])],
    ids=["sparse", "identity", "zero", "none", "one", "negative"],
)
@pytest.mark.parametrize("k", [None, 0, 1, 5000])
def test_every_case_is_a_valid_small_chart(
    scores: np.ndarray, k: int | None, is_vega_lite: Check
) -> None:
    spec = score_curve_spec(scores, k)
    assert len(spec["data"]["values"]) <= MAX_POINTS
    json.dumps(spec, allow_nan=False)
    is_vega_lite(spec)


def test_the_tail_of_zeros_is_marked_exactly() -> None:
    spec = score_curve_spec(SPARSE, 200)
    zero = [row["rank"] for row in rows(spec, "score") if row["zero"]]
    assert zero[0] == 701
    assert zero[-1] == 1024
    assert 700 in [row["rank"] for row in rows(spec, "score")]
    assert rows(spec, "note")[0]["text"] == "324 exact zeros"


def test_the_cut_stands_at_k() -> None:
    spec = score_curve_spec(SPARSE, 200)
    assert rows(spec, "cut") == [{"kind": "cut", "rank": 200, "text": "k = 200", "late": False}]
    kept = [row["rank"] for row in rows(spec, "score") if row["kept"]]
    assert (kept[0], kept[-1]) == (1, 200)
    assert not rows(score_curve_spec(SPARSE), "cut")


def test_ties_and_zeros_are_said() -> None:
    assert (
        "all 1,024 scores are equal" in rows(score_curve_spec(np.ones(1024), 9), "note")[0]["text"]
    )
    assert rows(score_curve_spec(np.zeros(64), 9), "note")[0]["text"] == (
        "all 64 scores are exactly zero"
    )
    assert rows(score_curve_spec(np.array([1.0, 0.0])), "note")[0]["text"] == "1 exact zero"
    assert not rows(score_curve_spec(np.array([2.0, 1.0])), "note")


def test_only_the_data_change() -> None:
    one, other = score_curve_spec(SPARSE, 200), score_curve_spec(np.empty(0))
    assert {k: v for k, v in one.items() if k != "data"} == {
        k: v for k, v in other.items() if k != "data"
    }


def test_sentences() -> None:
    assert score_curve_alt(np.array([3.0, 1.0, 0.0, 0.0]), 1) == (
        "Scores of 4 features, from 3 down to 0; 2 are exactly zero, and the best 1 hold 75 % of "
        "the sum."
    )
    assert score_curve_alt(np.empty(0)) == "No scores yet."
    assert score_curve_alt(np.zeros(3)) == "All 3 scores are exactly zero."
    assert "order says nothing" in score_curve_alt(np.ones(3))


def test_errors_say_what_to_do() -> None:
    with pytest.raises(ValueError, match="descending order"):
        score_curve_spec([1.0, 2.0])
    with pytest.raises(ValueError, match="finite"):
        score_curve_spec([np.nan, 2.0])
    with pytest.raises(ValueError, match="one row"):
        score_curve_spec(np.ones((2, 2)))


def test_ranks_turn_an_order_around() -> None:
    assert ranks([2, 0, 1]).tolist() == [2, 3, 1]
    for wrong in ([0, 0, 1], [1, 2, 3], [[0, 1]]):
        with pytest.raises(ValueError, match="exactly once"):
            ranks(wrong)


def test_the_curve_counts_pixels_where_there_are_pixels() -> None:
    assert "Scores of 1,024 features" in score_curve_alt(SPARSE)
    assert "Scores of 1,024 pixels" in score_curve_alt(SPARSE, feature="pixel")
    assert "Rank of the pixel" in json.dumps(score_curve_spec(SPARSE, feature="pixel"))
    assert "feature" not in json.dumps(score_curve_spec(SPARSE, feature="pixel"))
