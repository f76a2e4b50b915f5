"""The convergence figure from afar and from near."""

import numpy as np
import pytest

from cspca.figures.colours import ACCENT
from cspca.figures.convergence import Curve
from cspca.figures.stall import alt_stall, range_of, stall_figure

NAN = float("nan")
NUMBER = list(range(1, 51))
CERTIFIED = Curve(
    "Certified solver", ACCENT, [8, 13, 18], [0.1, 0.2, 0.3], [150, 101, 100.01],
    [0, 98, 99.99], [1, 0.03, 0.0002],
)  # fmt: skip
PRINTED = Curve(
    "Algorithm 1", "#D55E00", NUMBER, [0.02 * n for n in NUMBER],
    [100.4 + 100 * np.exp(-n) for n in NUMBER], [10.0] * 50, [0.9] * 50,
)  # fmt: skip
OPTIMUM = (99.99, 100.01)


def named(figure, name):
    return [trace for trace in figure.data if trace.name == name and trace.hovertext]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("x", ["iteration", "seconds"])
def test_lines_are_the_curves(x, dark):
    figure = stall_figure([CERTIFIED, PRINTED], optimum=OPTIMUM, dark=dark, x=x)
    (line,) = named(figure, "Algorithm 1")
    across = PRINTED.number if x == "iteration" else PRINTED.seconds
    np.testing.assert_allclose(line.x, across)
    np.testing.assert_allclose(line.y, PRINTED.objective)
    (line,) = named(figure, "Certified solver")
    np.testing.assert_allclose(line.y, CERTIFIED.objective)
    bounds = named(figure, "bound")
    np.testing.assert_array_equal(bounds[0].y, [NAN, 98, 99.99])  # a bound of 0 proves nothing
    ten = [shape for shape in figure.layout.shapes if shape.type == "line" and shape.x0 == 10]
    assert len(ten) == (x == "iteration")


def test_near_the_optimum_the_flat_curve_stands_above_the_line():
    far = stall_figure([CERTIFIED, PRINTED], optimum=OPTIMUM, dark=False).layout.yaxis.range
    near = stall_figure([CERTIFIED, PRINTED], optimum=OPTIMUM, dark=False, near=True)
    low, high = near.layout.yaxis.range
    stands = (PRINTED.objective[-1] - low) / (high - low)
    optimum = (OPTIMUM[0] - low) / (high - low)
    assert 0.05 < optimum < stands - 0.2
    assert stands < 0.95
    flat = (PRINTED.objective[-1] - OPTIMUM[0]) / (far[1] - far[0])
    assert flat < 0.02, "from afar nobody sees it"
    (band,) = [shape for shape in near.layout.shapes if shape.type == "rect"]
    assert (band.y0, band.y1) == OPTIMUM


def test_of_many_runs_one_that_is_far_off_does_not_set_the_view():
    wild = Curve("Algorithm 1", "#D55E00", [1, 50], [0, 1], [1e9, 1e8], [NAN] * 2, [NAN] * 2)
    curves = [CERTIFIED, PRINTED, PRINTED, wild]
    low, high = range_of(curves, OPTIMUM, near=True)
    assert low < OPTIMUM[0] < PRINTED.objective[-1] < high < 200
    shown = stall_figure(curves, optimum=OPTIMUM, dark=False)
    assert sum(bool(trace.showlegend) for trace in shown.data) == 4


def test_the_view_follows_where_the_axis_ends():
    assert range_of([PRINTED], OPTIMUM, near=True, last=3)[1] > range_of(
        [PRINTED], OPTIMUM, near=True
    )[1]  # fmt: skip


@pytest.mark.parametrize("curves", [[], [Curve("a", ACCENT)]], ids=["none", "empty"])
def test_nothing_recorded_yet(curves):
    for near in (False, True):
        figure = stall_figure(curves, optimum=None, dark=False, near=near)
        assert figure.layout.yaxis.range is None
    assert "No iteration" in alt_stall(curves, None)


def test_words_say_what_is_drawn_and_names_are_text():
    words = alt_stall([CERTIFIED, PRINTED], OPTIMUM)
    assert "Algorithm 1: the objective falls from" in words
    assert "between 99.99 and 100.01" in words
    hostile = Curve("<b>$x$", ACCENT, [1], [1], [1], [NAN], [NAN])
    assert "<b>$" not in stall_figure([hostile], optimum=None, dark=True).to_json()


def test_a_saved_picture_has_room_for_the_longest_name():
    # Saved, it is set in the viewer's own sans serif: up to 6.8 px a letter, where the page has 6.
    drawn = stall_figure([CERTIFIED, PRINTED], optimum=OPTIMUM, dark=False)
    assert any("Proven optimum" in (one.name or "") for one in drawn.data)
    assert drawn.layout.legend.entrywidth >= 6.8 * len("Proven optimum")
