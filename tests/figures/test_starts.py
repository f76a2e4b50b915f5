"""The convergence figure of reports: objective above, bound below, as recorded."""

import numpy as np
import pytest

from cspca.figures.colours import ACCENT, on_page
from cspca.figures.convergence import MAX_POINTS, Curve
from cspca.figures.starts import alt_convergence, convergence_static

NAN = float("nan")
RUN = Curve("Certified", ACCENT, [1, 2, 3], [0.1, 0.2, 0.3], [9, 6, 5], [0, 4, 4.9], [1, 0.3, 0.02])
BARE = Curve("Algorithm 1", "#D55E00", [1, 2], [1, 2], [NAN, 7], [NAN, NAN], [NAN, NAN])


def line(figure, name):
    return next(t for t in figure.data if t.name == name and t.hovertext)


@pytest.mark.parametrize("dark", [False, True])
def test_objective_and_bound_are_as_recorded(dark):
    figure = convergence_static([RUN, BARE], dark=dark)
    objective, bound = line(figure, "Certified"), line(figure, "Certified, bound")
    np.testing.assert_array_equal(objective.x, [1, 2, 3])
    np.testing.assert_array_equal(objective.y, [9, 6, 5])
    np.testing.assert_array_equal(bound.y, [NAN, 4, 4.9])  # a bound of 0 proves nothing
    assert (objective.line.dash, bound.line.dash) == ("solid", "dash")
    assert objective.line.color == bound.line.color == on_page(ACCENT, dark)
    np.testing.assert_array_equal(line(figure, "Algorithm 1").y, [7])
    assert "Algorithm 1, bound" not in {t.name for t in figure.data}
    assert "within: 2 %" in objective.hovertext[-1]
    assert figure.layout.yaxis.title.text == "Objective"


def test_log_axes_leave_out_what_has_no_place_there():
    start = Curve("a", ACCENT, [0, 1, 2], [0, 1, 2], [5, -1, 3], [NAN] * 3, [NAN] * 3)
    figure = convergence_static([start], dark=False, log_x=True, log_y=True)
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    assert list(line(figure, "a").x) == [2]
    assert "log scale" in figure.layout.xaxis.title.text


def test_zoom_shows_where_objective_and_bound_meet():
    number = np.arange(1, 200)
    steep = Curve(
        "a", ACCENT, number, number, 5 + 1e6 * np.exp(-number), np.full(199, 4.99), [0.01] * 199
    )
    low, high = convergence_static([steep], dark=False, zoom=True).layout.yaxis.range
    assert 4 < low < 4.99
    assert 5 < high < 6
    assert convergence_static([steep], dark=False).layout.yaxis.range is None


def test_starts_of_one_colour_differ_in_their_dashes():
    runs = [Curve(f"Start {k}", ACCENT, [1], [1], [1], [NAN], [NAN]) for k in range(4)]
    figure = convergence_static(runs, dark=False)
    assert len({line(figure, run.name).line.dash for run in runs}) == 4
    assert figure.layout.showlegend


def test_long_runs_are_thinned_and_names_are_text():
    number = np.arange(1, 5001)
    long = Curve("<b>$x$", ACCENT, number, number, 1 + 1 / number, [0.5] * 5000, [0.1] * 5000)
    figure = convergence_static([long], dark=True)
    objective = line(figure, "&lt;b&gt;&#36;x&#36;")
    assert len(objective.x) <= MAX_POINTS
    assert (objective.x[0], objective.x[-1]) == (1, 5000)
    assert "<b>$" not in figure.to_json()


@pytest.mark.parametrize("curves", [[], [Curve("a", ACCENT)]], ids=["none", "empty"])
def test_nothing_recorded_yet(curves):
    for zoom in (False, True):
        assert convergence_static(curves, dark=False, zoom=zoom).to_json()
    assert alt_convergence(curves) == "No iteration has been recorded yet."
