"""The phase map and the rankings: what is drawn is what was given, and said in words."""

import numpy as np

from cspca.evaluation.outliers import SCORES, ranking_curve
from cspca.figures.outliers import (
    LEAST,
    phase_map,
    ranking_curves,
    ranking_rows,
    sine_rows,
    window,
)


def test_a_phase_map_says_where_it_is_exact_and_can_be_clicked():
    exact = {(0.0, 1): 1.0, (0.5, 1): 0.4, (0.0, 2): 1.0}
    drawn = phase_map((0.0, 0.5), (1, 2), exact, method="FMS", axis="Rank")
    heat, *_, cells = drawn.data
    np.testing.assert_array_equal(heat.z, [[100, 40], [100, np.nan]])
    assert cells.name == "cells"
    assert [tuple(one) for one in cells.customdata] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert cells.hovertext[2] == "50 % outliers, Rank 1<br>exact in 40 %"
    assert cells.hovertext[3].endswith("not computed yet")
    assert drawn.layout.meta["alt"].endswith("exact every time in 2 of 3 cells, never in 0.")
    empty = phase_map((0.0,), (1,), {}, method="FMS", axis="Rank")
    assert empty.layout.meta["alt"] == "FMS: nothing is computed yet."


def test_rankings_stand_beside_their_norm():
    rows = [
        {"title": title, "colour": "#0072B2", "score": score, "value": 0.9, "low": 0.8, "high": 1.0}
        for title in ("CSPCA", "A <b>")
        for score in SCORES
    ]
    drawn = ranking_rows(rows, SCORES)
    shown = [one for one in drawn.data if one.x[0] is not None]
    assert [one.name for one in shown] == list(SCORES.values())
    assert all(len(one.x) == 2 for one in shown)
    assert drawn.layout.yaxis.ticktext == ("CSPCA", "A &lt;b&gt;")
    assert "CSPCA, norm alone: 0.900 (0.800 to 1.000)" in drawn.layout.meta["alt"]
    # One row has the words of its own.
    assert shown[1].hovertext[0].startswith("CSPCA, residual ÷ norm")


def test_curves_of_a_ranking():
    curve = ranking_curve([True, False, True], [3.0, 2.0, 1.0])
    for roc in (True, False):
        drawn = ranking_curves({"PCA": curve}, {"PCA": "#A3386C"}, roc=roc, chance=2 / 3)
        line = drawn.data[-1]
        ends = (line.x[-1], line.y[-1])
        assert ends == ((1.0, 1.0) if roc else (1.0, 2 / 3))
        assert "PCA" in drawn.layout.meta["alt"]


def test_the_angles_of_a_haystack_stand_left_of_the_line_where_they_are_exact():
    rows = [
        {"title": "CSPCA", "colour": "#0072B2", "marker": "circle", "sine": 2e-9},
        {"title": "A <b>", "colour": "#A3386C", "marker": "square", "sine": 0.1},
        {"title": "FMS", "colour": "#8A6FDF", "marker": "star", "sine": 0.0},
    ]
    drawn = sine_rows(rows, 1e-5)
    assert [tuple(one.x) for one in drawn.data] == [(2e-9,), (0.1,), (LEAST,)]
    assert drawn.layout.meta["alt"].endswith("Exact: CSPCA, FMS.")
    assert drawn.layout.yaxis.ticktext == ("CSPCA", "A &lt;b&gt;", "FMS")


def test_the_window_of_beta_says_where_it_is_exact():
    drawn = window((0.1, 0.5, 0.9), (1e-3, 1e-9, 1.0), 0.5, 1e-5)
    assert drawn.layout.meta["alt"].endswith("exact at 0.5.")
    assert drawn.data[0].hovertext[1] == "β 0.5: sine 10⁻⁹"
    assert window((0.1,), (1.0,), 0.5, 1e-5).layout.meta["alt"].endswith("exact at none.")
