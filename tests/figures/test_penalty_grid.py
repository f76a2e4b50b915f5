"""Sensitivity: every cell where it belongs, regimes over it, a click that names its penalties."""

import numpy as np
import pytest

from cspca.figures import penalty_grid as drawn
from cspca.figures.penalty_grid import REGIMES
from cspca.figures.style import (
    ACCENT,
    IMPORTANCE,
    contrast,
    on_dark,
    on_page,
    palette,
    rgb_to_hex,
    to_rgb,
)

ALPHAS, BETAS = [1e-6, 1.0, 1e6], [0.01, 100.0]
TABLE = np.array([[10.0, 20.0], [30.0, np.nan], [50.0, 60.0]])
NAMES = [["identity", "dense"], ["sparse", None], ["zero", "zero"]]


INKS = {"white": "#ffffff", "black": "#000000"}


def penalty_grid(alphas, betas, table, names, **look):
    """The figure of what tables say, (a, b): NaN and None are not known."""
    points = [(a, b) for a in alphas for b in betas]
    values = dict(zip(points, np.ravel(table), strict=True))
    regimes = {at: one for at, one in zip(points, np.ravel(names), strict=True) if one}
    return drawn.penalty_grid(alphas, betas, values, regimes, **look)


def trace(figure, name):
    return next(t for t in figure.data if t.name == name)


def test_alpha_runs_along_the_bottom_and_beta_upwards():
    figure = penalty_grid(ALPHAS, BETAS, TABLE, NAMES, value_title="ACC (%)")
    heat = figure.data[0]
    np.testing.assert_array_equal(np.array(heat.z, dtype=float), TABLE.T)
    assert (heat.zmin, heat.zmax) == (10, 60)
    assert figure.layout.xaxis.title.text == "α"
    assert figure.layout.yaxis.title.text == "β"
    assert list(figure.layout.xaxis.ticktext) == ["10⁻⁶", "1", "10⁶"]
    assert list(figure.layout.yaxis.ticktext) == ["0.01", "100"]
    assert heat.colorbar.title.text == "ACC (%)"


def test_a_click_tells_the_cell_and_its_penalties():
    figure = penalty_grid(ALPHAS, BETAS, TABLE, NAMES, value_title="ACC")
    cells = figure.data[-1]
    assert cells.name == "cells"
    assert cells.mode == "markers"
    # The nearest centre answers, wherever in its cell the click falls.
    assert cells.marker.size <= 6
    assert figure.layout.hoverdistance == -1
    for state in (cells, cells.selected, cells.unselected):
        assert state.marker.opacity == 0
    assert [*zip(cells.x, cells.y, strict=True)] == [tuple(one) for one in cells.customdata]
    assert len(cells.x) == 6
    # No other trace answers the pointer.
    assert all(t.hoverinfo == "skip" for t in figure.data[:-1])
    assert "not computed yet" in cells.hovertext[3]
    assert REGIMES["identity"][2].format(feature="feature") in cells.hovertext[0]


@pytest.mark.parametrize("dark", [False, True])
def test_values_are_printed_legibly(dark):
    figure = penalty_grid(ALPHAS, BETAS, TABLE, NAMES, value_title="ACC")
    figure = on_dark(figure) if dark else figure
    printed = [t for t in figure.data[1:] if t.mode == "text"]
    seen = {}
    for trace_ in printed:
        # A click elsewhere must not dim it.
        assert trace_.unselected.textfont.color == trace_.textfont.color
        for x, y, text in zip(trace_.x, trace_.y, trace_.text, strict=True):
            seen[x, y] = text, trace_.textfont.color
    texts = [seen[cell][0] for cell in np.ndindex(3, 2)]
    assert texts == ["10", "20", "30", "·", "50", "60"]
    for cell, value in np.ndenumerate(TABLE):
        missing = np.isnan(value)
        surface = palette(dark).page if missing else rgb_to_hex(to_rgb([value], IMPORTANCE, 10, 60))
        assert contrast(INKS.get(seen[cell][1], seen[cell][1]), surface) >= 4.5


def test_regimes_have_symbols_a_legend_and_borders():
    figure = penalty_grid(ALPHAS, BETAS, TABLE, NAMES, value_title="ACC")
    shown = {t.name for t in figure.data if t.showlegend}
    assert shown == {"regime boundary", "W = 0", "no exact zeros", "identity"}
    zero = next(t for t in figure.data if t.name == "W = 0" and not t.showlegend)
    assert zero.unselected.marker.opacity == 1
    assert [round(x) for x in zero.x] == [2, 2]
    assert [round(y) for y in zero.y] == [0, 1]
    border = trace(figure, "borders of regimes")
    stretches = {
        tuple(zip(border.x[k : k + 2], border.y[k : k + 2], strict=True))
        for k in range(0, len(border.x), 3)
    }
    assert stretches == {
        ((-0.5, 0.5), (0.5, 0.5)),  # identity below dense
        ((0.5, -0.5), (0.5, 0.5)),  # identity beside sparse
        ((1.5, -0.5), (1.5, 0.5)),  # sparse beside zero; nothing is known above it
    }


def test_a_map_that_rebuilds_every_sample_is_marked_and_says_what_it_shows():
    names = [["reproduced", "dense"], *NAMES[1:]]
    figure = penalty_grid(ALPHAS, BETAS, TABLE, names, value_title="ACC")
    assert "reproduced" in {t.name for t in figure.data if t.showlegend}
    assert "reproduced in 1" in figure.layout.meta["alt"]
    said = trace(figure, "cells").hovertext[0].replace("<br>", " ")
    assert "the span of the samples alone, not on how they vary within it" in said


def test_the_selected_cell_is_framed_in_the_accent():
    figure = penalty_grid(ALPHAS, BETAS, TABLE, NAMES, value_title="ACC", selected=(2, 1))
    frames = [t for t in figure.data if t.name == "selected"]
    assert [t.line.color for t in frames] == ["#ffffff", ACCENT]
    assert [t.line.color for t in on_dark(figure).data if t.name == "selected"] == [
        "#12161c", on_page(ACCENT, dark=True)
    ]  # fmt: skip
    assert (min(frames[-1].x), max(frames[-1].x)) == (1.5, 2.5)
    assert (min(frames[-1].y), max(frames[-1].y)) == (0.5, 1.5)
    assert figure.data[-1].name == "cells"  # the frame does not catch the click


def test_bars_stand_on_zero_and_reach_their_value():
    figure = penalty_grid(ALPHAS, BETAS, TABLE, NAMES, value_title="ACC", bars=True)
    mesh = figure.data[0]
    corners = np.stack([mesh.x, mesh.y, mesh.z], axis=1).reshape(5, 8, 3)
    cells = [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1)]
    for box, (i, j) in zip(corners, cells, strict=True):
        np.testing.assert_allclose(box.mean(axis=0)[:2], (i, j))
        assert box[:, 2].min() == 0
        assert box[:, 2].max() == TABLE[i, j]
    intensity = np.reshape(mesh.intensity, (5, 12))
    np.testing.assert_array_equal(intensity[:, 0], [10, 20, 30, 50, 60])
    assert mesh.intensitymode == "cell"
    assert len(mesh.hovertext) == 40
    assert "identity" in mesh.hovertext[0]


def test_boxes_are_closed():
    """Every edge of a box belongs to two triangles, run through in opposite directions."""
    mesh = penalty_grid([1], [1], [[5.0]], [[None]], value_title="ACC", bars=True).data[0]
    triangles = np.stack([mesh.i, mesh.j, mesh.k], axis=1)
    edges = [(t[a], t[(a + 1) % 3]) for t in triangles.tolist() for a in range(3)]
    assert len(edges) == len(set(edges)) == 36
    assert {(b, a) for a, b in edges} == set(edges)


@pytest.mark.parametrize("bars", [False, True])
@pytest.mark.parametrize(
    ("alphas", "betas", "table"),
    [
        ([1], [1], [[0.5]]),
        ([1], [1], [[np.nan]]),
        ([0, 1e-9], [1], [[-3], [np.nan]]),
        ([1, 2], [1, 2], np.zeros((2, 2))),
    ],
    ids=["one", "unknown", "odd", "all equal"],
)
def test_odd_grids(bars, alphas, betas, table):
    regimes = [[None] * len(betas) for _ in alphas]
    figure = penalty_grid(alphas, betas, table, regimes, value_title="Gap", bars=bars)
    assert on_dark(figure).to_json()
    assert figure.layout.meta["alt"].endswith(".")


def test_sentence():
    figure = penalty_grid(ALPHAS, BETAS, TABLE, NAMES, value_title="Accuracy (%)", selected=(1, 0))
    assert figure.layout.meta["alt"] == (
        "Accuracy (%) over 3 × 2 values of α and β: from 10 at α = 10⁻⁶ and β = 0.01 to 60 at "
        "α = 10⁶ and β = 100; 1 of 6 not computed yet; W = 0 in 2, sparse in 1, no exact zeros in "
        "1, identity in 1; selected: 30 at α = 1 and β = 0.01."
    )
    unknown = penalty_grid([1], [1], [[np.nan]], [[None]], value_title="ACC")
    assert "nothing is computed yet" in unknown.layout.meta["alt"]


def test_cells_without_a_ranking_are_hatched_and_say_why():
    figure = drawn.penalty_grid(
        [0.1, 0.8], [0.1], {(0.1, 0.1): 50.0}, {(0.8, 0.1): "zero"}, value_title="ACC",
        no_ranking={(0.8, 0.1): "empty model"},
    )  # fmt: skip
    hatched = next(t for t in figure.data if t.name == "no ranking" and not t.showlegend)
    assert hatched.fillpattern.shape == "/"
    assert min(hatched.x[:-1]) > 0.5
    assert "no ranking, empty model" in trace(figure, "cells").hovertext[1]
