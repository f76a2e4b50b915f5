"""The score curve marks the cut and the exact zeros, and survives the odd regimes."""

import json

import numpy as np
import pytest

from cspca.datasets import PICTURE_NOUNS
from cspca.figures.features import score_curve

SPARSE = np.concatenate([np.linspace(1, 0.01, 700), np.zeros(324)])


def notes(figure):
    return [note.text for note in figure.layout.annotations]


def said(scores, k=None, **more):
    return score_curve(np.array(scores), k, **more).layout.meta["alt"]


@pytest.mark.parametrize(
    "scores",
    [SPARSE, np.ones(1024), np.zeros(64), np.empty(0), np.array([2.0]), np.array([1.0, -3.0])],
    ids=["sparse", "identity", "zero", "none", "one", "negative"],
)
@pytest.mark.parametrize("k", [None, 0, 1, 5000])
def test_every_case_is_a_small_chart(scores, k):
    figure = score_curve(scores, k)
    assert all(len(trace.x) <= 500 for trace in figure.data)
    json.loads(figure.to_json())


def test_the_curve_fills_the_best_and_marks_the_zeros():
    whole, kept, zero = score_curve(SPARSE, 200, nouns=PICTURE_NOUNS).data
    assert (whole.x[0], whole.x[-1]) == (1, 1024)
    assert (kept.x[0], kept.x[-1]) == (1, 200)
    assert (zero.x[0], zero.x[-1]) == (701, 1024)
    assert 700 in whole.x
    assert len(score_curve(SPARSE[:10]).data) == 1


def test_the_cut_and_the_zeros_are_said_in_the_chart():
    assert notes(score_curve(SPARSE, 200)) == ["324 exact zeros", "<b>k = 200</b>"]
    assert notes(score_curve(np.ones(1024), 9))[0] == (
        "all 1,024 scores are equal:<br>the order says nothing"
    )
    assert notes(score_curve(np.zeros(64), 9))[0] == "all 64 scores are exactly zero"
    assert notes(score_curve([1.0, 0.0])) == ["1 exact zero"]
    assert notes(score_curve(np.empty(0))) == ["No scores yet"]
    assert not notes(score_curve([2.0, 1.0]))


def test_sentences():
    assert said([3.0, 1.0, 0.0, 0.0], 1) == (
        "Scores of 4 features, from 3 down to 0; 2 are exactly zero, and the best 1 hold 75 % of "
        "the sum."
    )
    assert said([]) == "No scores yet."
    assert said(np.zeros(3)) == "All 3 scores are exactly zero."
    assert "order says nothing" in said(np.ones(3))


def test_an_axis_of_equal_scores_has_no_best():
    def axis(scores):
        return score_curve(np.array(scores), nouns=PICTURE_NOUNS).layout.xaxis.title.text

    assert axis([3.0, 1.0, 0.0]) == "Pixels, best first"
    assert axis([1.0, 0.0]) == "Pixels, best first"
    for tied in ([1.0, 1.0], [2.0, 2.0, 0.0], [0.0, 0.0]):
        assert axis(tied) == "Pixels"
    assert said([2.0, 2.0, 0.0]) == (
        "Of 3 scores 2 are 2, and their order says nothing; 1 is exactly zero."
    )
