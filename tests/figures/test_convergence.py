"""The convergence chart: the best so far, its whole fall, the bound from its first certificate."""

import json
from typing import Any

import numpy as np
import pytest

from cspca.figures.convergence import (
    MAX_POINTS,
    Course,
    convergence,
    convergence_alt,
    curve,
    thin,
)
from cspca.figures.style import ACCENT

NAN = float("nan")


def course(name: str, objective: Any, bound: Any, number: Any = None, colour: str = ACCENT) -> Any:
    count = len(objective)
    number = list(range(1, count + 1)) if number is None else number
    columns = {"number": number, "seconds": [0.1 * n for n in number]}
    return Course(name, colour, columns | {"objective": objective, "dual_bound": bound})


def run(count: int = 40, name: str = "certified", colour: str = ACCENT) -> Course:
    number = np.arange(count)
    objective = 1000 * (1 + 2 * np.exp(-number / 4) + 0.01 * np.exp(-number / 15))
    bound = np.maximum(0, 1000 * (1 - 3 * np.exp(-number / 5)))
    return course(name, objective, bound, number, colour)


# As an ADMM does it: the objective of its iterates rises, and one certificate comes at the end.
ADMM = course("certified", [1583.6, 1574.7, 1574.0, NAN, 1575.2, 1573.1], [0, 0, 0, 0, 0, 1573.0])
PAIR = [
    course("Certified", [9, 6, 7, 5], [0, 4, 3, 4.9]),
    course("Algorithm 1", [NAN, 7], [NAN, NAN], colour="#D55E00"),
]
CASES = {
    "none": [],
    "empty": [Course("a", ACCENT)],
    "one point": [course("a", [5.0], [0.0])],
    "one solver": [run()],
    "two solvers": [run(), run(7, "Algorithm 1", "#D55E00")],
    "one started": [run(), Course("Algorithm 1", "#D55E00")],
    "long": [run(5000), run(3000, "b")],
    "no bound": [course("a", [9, 8, 7], [NAN] * 3)],
    "constant": [course("a", [512, 512], [512, 512])],
    "huge range": [course("a", [1e300, 1e12, 3, 2.9], [0, 0, 1, 2.8])],
    "all missing": [course("a", [NAN] * 2, [0, 0])],
    "zero": [course("a", [0.0, 0.0], [0.0, 0.0])],
}


def line(figure: Any, name: str) -> Any:
    return next(t for t in figure.data if t.name == name and t.hovertext)


def drawn(courses: list[Course], name: str, x: Any = "iteration") -> list[Any]:
    return [value for one in curve(courses, x=x)["lines"] for value in one[name]]


@pytest.mark.parametrize("x", ["iteration", "seconds"])
def test_what_is_drawn_never_rises_and_shows_the_whole_fall(x: Any) -> None:
    figure = convergence([ADMM], x=x)
    best, bound = line(figure, "certified"), line(figure, "certified, limit")
    np.testing.assert_array_equal(best.y, [1583.6, 1574.7, 1574.0, 1574.0, 1573.1])
    # Nothing of it is cut off, neither in the chart of the page nor in the report's.
    assert figure.layout.yaxis.range is None
    np.testing.assert_array_equal(bound.y, [NAN] * 4 + [1573.0])
    assert "markers" in bound.mode, "one certificate alone is a point, which no line shows"
    assert drawn([ADMM], "best", x) == list(best.y)
    assert drawn([ADMM], "bound", x) == [None] * 4 + [1573.0]


def test_the_best_bound_so_far_is_drawn_from_the_first_certificate_on() -> None:
    figure = convergence(PAIR)
    np.testing.assert_array_equal(line(figure, "Certified, limit").y, [NAN, 4, 4, 4.9])
    assert drawn(PAIR, "bound") == [None, 4, 4, 4.9, None]


def test_hovering_tells_the_numbers_and_never_that_there_are_none() -> None:
    figure = convergence([ADMM])
    first, *_, last = line(figure, "certified").hovertext
    assert last == (
        "<b>certified</b><br>Iteration: 6<br>Seconds: 0.6<br>Best objective so far: 1,573.1<br>"
        "Lower bound: 1,573<br>Proven: within 0.0064 % of the optimum"
    )
    assert "Lower bound" not in first
    proven = drawn([ADMM], "proven")
    assert proven[0] == "within 0.68 % of the optimum", "the bound holds for every iteration"
    texts = json.dumps(curve([ADMM])) + convergence([ADMM, *PAIR]).to_json()
    assert "none yet" not in texts
    assert "unknown" not in texts


def test_every_run_is_held_against_the_best_bound_that_any_proved() -> None:
    words = convergence_alt(
        [course("certified", [100.1], [100.0]), course("Algorithm 1", [102.0], [40.0])]
    )
    assert "within 0.1 % of the optimum" in words
    assert "within 2 % of the optimum" in words


def test_objective_and_bound_share_the_colour_of_their_solver() -> None:
    figure = convergence(PAIR)
    best, bound = line(figure, "Certified"), line(figure, "Certified, limit")
    assert (best.line.dash, bound.line.dash) == ("solid", "dash")
    assert best.line.color == bound.line.color == ACCENT
    np.testing.assert_array_equal(line(figure, "Algorithm 1").y, [7])
    assert "Algorithm 1, limit" not in {t.name for t in figure.data}
    assert "Lower bound" in {t.name for t in figure.data}
    assert figure.layout.title.text == "Which solver comes closer, and how fast?"
    assert figure.layout.meta["alt"] == convergence_alt(PAIR)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("x", ["seconds", "iteration"])
def test_every_case_is_a_small_chart(case: str, x: Any) -> None:
    figure = convergence(CASES[case], x=x)
    json.loads(figure.to_json())
    assert sum(len(t.x) for t in figure.data if t.showlegend and t.hovertext) <= MAX_POINTS
    assert len(drawn(CASES[case], "x", x)) <= MAX_POINTS
    json.dumps(curve(CASES[case], x=x), allow_nan=False)


def test_a_fall_over_decades_has_a_log_axis() -> None:
    assert convergence([ADMM]).layout.yaxis.type != "log"
    far = course("a", [1e6, 10, 3], [NAN] * 3)
    assert convergence([far]).layout.yaxis.type == "log"
    assert convergence([far], log_y=False).layout.yaxis.type != "log"


def test_log_axes_leave_out_what_has_no_place_there() -> None:
    start = course("a", [5, -1, 3], [NAN] * 3, [0, 1, 2])
    assert list(line(convergence([start], log_y=False), "a").x) == [0, 1, 2]
    figure = convergence([start], log_y=True)
    assert list(line(figure, "a").x) == [0]
    assert figure.layout.yaxis.type == "log"
    assert "log scale" in figure.layout.yaxis.title.text


def test_long_runs_are_thinned_and_names_are_text() -> None:
    number = np.arange(1, 5001)
    long = course("<b>$x$", 1 + 1 / number, [0.5] * 5000, number)
    objective = line(convergence([long]), "&lt;b&gt;&#36;x&#36;")
    assert len(objective.x) <= MAX_POINTS
    assert (objective.x[0], objective.x[-1]) == (1, 5000)
    assert "<b>$" not in convergence([long]).to_json()
    assert thin(3, 500).tolist() == [0, 1, 2]
    assert thin(1000, 10).tolist()[0::9] == [0, 999]


def test_runs_of_one_name_share_an_entry() -> None:
    same = convergence([course("Start", [1.0], [NAN])] * 3)
    assert [t.showlegend for t in same.data if t.name == "Start"] == [True, False, False]


def test_the_sentence_names_solver_time_and_gap() -> None:
    one = Course(
        "ADMM",
        ACCENT,
        {"number": [1, 40], "seconds": [0.1, 0.9], "objective": [1646, 728],
         "dual_bound": [0, 727.6]},
    )  # fmt: skip
    assert convergence_alt([one]) == (
        "ADMM: the objective falls from 1,646 to 728 in 40 iterations (0.9 s) and its lower bound "
        "rises to 727.6, so it is within 0.055 % of the optimum."
    )
    assert convergence_alt([]) == "No iteration has been recorded yet."
    assert "bound" not in convergence_alt(CASES["no bound"])
    many = convergence_alt([one] * 9)
    assert many.count("ADMM") == 4
    assert many.endswith("And 5 further runs.")


def test_a_bound_that_proves_nothing_does_not_flatten_the_fall_of_several() -> None:
    loose = course("Algorithm 1", [1500, 1010.0], [10.0, 90.0], colour="#D55E00")
    figure = convergence([course("certified", [1200, 1000], [NAN, 999.0]), loose])
    assert line(figure, "certified, limit").y[-1] == 999
    assert "Algorithm 1, limit" not in {t.name for t in figure.data}
    alone = line(convergence([loose]), "Algorithm 1, limit")
    np.testing.assert_array_equal(alone.y, [10, 90])
