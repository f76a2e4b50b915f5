"""The courses of several starts from afar and from near."""

import numpy as np
import pytest

from cspca.figures.convergence import Course, starts
from cspca.figures.style import ACCENT

NUMBER = list(range(1, 51))


def course(name, colour, number, seconds, objective, bound):
    history = {"number": number, "seconds": seconds, "objective": objective, "dual_bound": bound}
    return Course(name, colour, history)


CERTIFIED = course(
    "Certified solver", ACCENT, [8, 13, 18], [0.1, 0.2, 0.3], [150, 101, 100.01], [0, 98, 99.99]
)
PRINTED = course(
    "Algorithm 1", "#D55E00", NUMBER, [0.02 * n for n in NUMBER],
    [100.4 + 100 * np.exp(-n) for n in NUMBER], [10.0] * 50,
)  # fmt: skip
OPTIMUM = (99.99, 100.01)
END = PRINTED.history["objective"][-1]


@pytest.mark.parametrize("x", ["iteration", "seconds"])
def test_lines_are_the_courses(x):
    figure = starts([CERTIFIED, PRINTED], OPTIMUM, x=x)
    for one in (CERTIFIED, PRINTED):
        (line,) = [t for t in figure.data if t.name == one.name and t.hovertext]
        across = one.history["number" if x == "iteration" else "seconds"]
        np.testing.assert_allclose(line.x, across)
        np.testing.assert_allclose(line.y, one.history["objective"])
    ten = [shape for shape in figure.layout.shapes if shape.type == "line" and shape.x0 == 10]
    assert len(ten) == (x == "iteration")


def test_near_the_optimum_the_flat_curve_stands_above_the_line():
    far = starts([CERTIFIED, PRINTED], OPTIMUM).layout.yaxis.range
    near = starts([CERTIFIED, PRINTED], OPTIMUM, near=True)
    low, high = near.layout.yaxis.range
    stands = (END - low) / (high - low)
    optimum = (OPTIMUM[0] - low) / (high - low)
    assert 0.05 < optimum < stands - 0.2
    assert stands < 0.95
    flat = (END - OPTIMUM[0]) / (far[1] - far[0])
    assert flat < 0.02, "from afar nobody sees it"
    (band,) = [shape for shape in near.layout.shapes if shape.type == "rect"]
    assert (band.y0, band.y1) == OPTIMUM


def test_of_many_runs_one_that_is_far_off_does_not_set_the_view():
    wild = course("Algorithm 1", "#D55E00", [1, 50], [0, 1], [1e9, 1e8], [np.nan] * 2)
    shown = starts([CERTIFIED, PRINTED, PRINTED, wild], OPTIMUM, near=True)
    low, high = shown.layout.yaxis.range
    assert low < OPTIMUM[0] < END < high < 200
    assert len([t for t in shown.data if t.name == "Algorithm 1" and t.showlegend]) == 1


@pytest.mark.parametrize("courses", [[], [Course("a", ACCENT)]], ids=["none", "empty"])
@pytest.mark.parametrize("near", [False, True])
def test_nothing_recorded_yet(courses, near):
    figure = starts(courses, None, near=near)
    assert figure.to_json()
    assert figure.layout.meta["alt"] == "No iteration has been recorded yet."


def test_a_saved_picture_has_room_for_the_longest_name():
    # Saved, it is set in the viewer's own sans serif: up to 6.8 px a letter, where the page has 6.
    drawn = starts([CERTIFIED, PRINTED], OPTIMUM)
    assert any("Proven optimum" in (one.name or "") for one in drawn.data)
    assert drawn.layout.template.layout.legend.entrywidth >= 6.8 * len("Proven optimum")
