"""The convergence chart: what is shown, what is left out, and that it stays the same chart."""

import json
import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from cspca.figures.convergence import (
    MAX_POINTS,
    Curve,
    _clean,
    convergence_alt,
    convergence_spec,
    percent,
    thin,
    view_limits,
)

Check = Callable[[dict], None]


def run(count: int = 40, name: str = "certified", colour: str = "#0072B2") -> Curve:
    number = np.arange(count)
    objective = 1000 * (1 + 2 * np.exp(-number / 4) + 0.01 * np.exp(-number / 15))
    bound = np.maximum(0, 1000 * (1 - 3 * np.exp(-number / 5)))
    with np.errstate(divide="ignore"):
        gap = np.where(bound > 0, (objective - bound) / objective, np.inf)
    return Curve(name, colour, number, 0.02 * number, objective, bound, gap)


def rows(spec: dict, kind: str = "curve") -> list[dict]:
    return [row for row in spec["data"]["values"] if row["kind"] == kind]


def no_nan(value: object) -> Iterator[bool]:
    if isinstance(value, dict):
        for part in value.values():
            yield from no_nan(part)
    elif isinstance(value, list):
        for part in value:
            yield from no_nan(part)
    elif isinstance(value, float):
        yield math.isfinite(value)


CASES = {
    "none": [],
    "empty": [Curve("a", "#0072B2")],
    "one point": [Curve("a", "#0072B2", [0], [0.0], [5.0], [0.0], [math.inf])],
    "one solver": [run()],
    "two solvers": [run(), run(7, "Algorithm 1", "#D55E00")],
    "one started": [run(), Curve("Algorithm 1", "#D55E00")],
    "long": [run(5000), run(3000, "b")],
    "no bound": [
        Curve("a", "#0072B2", [1, 2, 3], [1, 2, 3], [9, 8, 7], [math.nan] * 3, [math.inf] * 3)
    ],
    "constant": [Curve("a", "#0072B2", [1, 2], [0, 0], [512, 512], [512, 512], [0, 0])],
    "huge range": [
        Curve(
            "a",
            "#0072B2",
            [1, 2, 3, 4],
            [1, 2, 3, 4],
            [1e300, 1e12, 3, 2.9],
            [0, 0, 1, 2.8],
            [9, 9, 1, 0.1],
        )
    ],
    "all missing": [Curve("a", "#0072B2", [1, 2], [1, 2], [math.nan] * 2, [0, 0], [math.inf] * 2)],
    "zero": [Curve("a", "#0072B2", [1, 2], [1, 2], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0])],
}


@pytest.mark.parametrize("x", ["seconds", "iteration"])
@pytest.mark.parametrize("case", CASES)
def test_every_case_is_a_valid_small_chart(case: str, x: str, is_vega_lite: Check) -> None:
    spec = convergence_spec(CASES[case], x)
    assert len(spec["data"]["values"]) <= MAX_POINTS
    assert spec["height"] == 340
    assert spec["width"] == "container"
    assert spec["background"] == "transparent"
    assert spec["title"]["text"].endswith("?")
    assert spec["description"]
    assert all(no_nan(spec))
    json.dumps(spec, allow_nan=False)
    is_vega_lite(spec)


def test_only_the_data_change_while_a_fit_runs() -> None:
    def frozen(curve: Curve) -> dict:
        spec = convergence_spec([curve])
        spec["data"] = None
        return spec

    assert frozen(Curve("certified", "#0072B2")) == frozen(run(1)) == frozen(run(400))


def test_missing_objectives_are_dropped() -> None:
    curve = Curve(
        "a", "#0072B2", [1, 2, 3], [1, 2, 3], [9.0, math.nan, 8.0], [1, 2, 7], [1, 1, 0.1]
    )
    assert [row["number"] for row in rows(convergence_spec([curve])) if "number" in row] == [1, 3]


def test_first_and_last_survive_thinning() -> None:
    curve = run(12_345)
    numbers = [row["number"] for row in rows(convergence_spec([curve])) if "number" in row]
    assert numbers[0] == 0
    assert numbers[-1] == 12_344
    assert thin(3, 500).tolist() == [0, 1, 2]
    assert thin(1000, 10).tolist()[0::9] == [0, 999]


def test_the_view_shows_the_gap_close() -> None:
    spec = convergence_spec([run(60)])
    low, high = (row["top"] for row in rows(spec, "view"))
    curve = run(60)
    # The meeting point is well inside, and the wild start is cut.
    assert low < curve.dual_bound[-1] < curve.objective[-1] < high
    assert high < curve.objective[0]
    assert low > 0
    # Past the first third both lines are seen.
    late = [row for row in rows(spec) if row["x"] >= 20]
    assert all(row["line"] is not None and row["bound"] is not None for row in late)


def test_nothing_is_drawn_outside_the_view() -> None:
    spec = convergence_spec([run(60), run(30, "other")], "seconds")
    low, high = (row["top"] for row in rows(spec, "view"))
    slack = 1e-6 * high
    for row in rows(spec):
        for name in ("top", "bottom", "line", "bound"):
            if row[name] is not None:
                assert low - slack <= row[name] <= high + slack
        assert row["bottom"] <= row["top"] + slack


def test_lines_enter_at_the_edge() -> None:
    spec = convergence_spec([run(60)])
    low, high = (row["top"] for row in rows(spec, "view"))
    first_seen = next(row["line"] for row in rows(spec) if row["line"] is not None)
    first_bound = next(row["bound"] for row in rows(spec) if row["bound"] is not None)
    assert first_seen == pytest.approx(high)
    assert first_bound == pytest.approx(low)


def test_a_start_far_away_does_not_flatten_the_end() -> None:
    number = np.arange(1, 2001)
    objective = 1e12 * np.exp(-number / 20) + 3
    bound = 3 - 2.9 * np.exp(-number / 300)
    spec = convergence_spec([Curve("a", "#0072B2", number, number, objective, bound, number * 0.1)])
    low, high = (row["top"] for row in rows(spec, "view"))
    assert high < 10
    assert low < 3 < high


def test_without_a_bound_nothing_is_filled() -> None:
    for row in rows(convergence_spec(CASES["no bound"])):
        assert row["bottom"] == row["top"]
        assert row["bound"] is None


def test_the_two_lines_share_their_solver_colour() -> None:
    spec = convergence_spec(CASES["two solvers"])
    scales = [
        layer["encoding"]["color"]["scale"]
        for layer in spec["layer"]
        if "color" in layer["encoding"]
    ]
    assert len(scales) >= 4
    assert all(
        scale == {"domain": ["certified", "Algorithm 1"], "range": ["#0072B2", "#D55E00"]}
        for scale in scales
    )
    roles = [
        step["calculate"].strip("'")
        for layer in spec["layer"]
        for step in layer["transform"]
        if step.get("as") == "role"
    ]
    assert roles == ["objective", "bound from below"]
    dashes = [layer["encoding"]["strokeDash"]["scale"]["range"] for layer in spec["layer"][2:4]]
    assert dashes == [[[1, 0], [6, 4]]] * 2


def test_hovering_tells_all_numbers() -> None:
    spec = convergence_spec([run()])
    fields = {
        entry["field"]
        for layer in spec["layer"]
        if "tooltip" in layer["encoding"]
        for entry in layer["encoding"]["tooltip"]
    }
    assert fields == {"curve", "number", "seconds", "objective", "dual", "gap"}
    last = rows(spec)[-1]
    assert last["last"] is True
    assert last["number"] == 39
    assert last["gap"] == percent(float(run().gap[-1]))
    assert rows(spec)[0]["dual"] == "none yet"


def test_standalone_charts_carry_colours_and_numbers() -> None:
    plain = convergence_spec([run()])
    light = convergence_spec([run()], standalone=True)
    dark = convergence_spec([run()], dark=True, standalone=True)
    assert "labelColor" not in plain["config"]["axis"]
    assert light["config"]["axis"]["labelColor"] != dark["config"]["axis"]["labelColor"]
    assert dark["description"] == convergence_alt([run()])


def test_the_sentence_names_solver_time_and_gap() -> None:
    curve = Curve(
        "ADMM", "#0072B2", [1, 40], [0.1, 0.9], [1646.0, 728.0], [0, 727.6], [math.inf, 5.49e-4]
    )
    assert convergence_alt([curve]) == (
        "ADMM: the objective falls from 1,646 to 728 in 40 iterations (0.9 s) and the bound rises "
        "to 727.6, so it is within 0.055 % of the optimum."
    )
    assert convergence_alt([]) == "No iteration has been recorded yet."
    assert "bound" not in convergence_alt(CASES["no bound"])


@pytest.mark.parametrize(
    ("gap", "text"),
    [
        (0.0, "0 %"),
        (5.49e-4, "0.055 %"),
        (5e-4, "0.05 %"),
        (0.0101, "1.1 %"),
        (0.5, "50 %"),
        (2.5, "250 %"),
        (math.inf, "unknown"),
        (math.nan, "unknown"),
        (-1e-9, "0 %"),
    ],
)
def test_a_gap_is_rounded_up(gap: float, text: str) -> None:
    assert percent(gap) == text


@pytest.mark.parametrize("exponent", range(-9, 1))
def test_within_x_per_cent_is_true(exponent: int) -> None:
    for mantissa in (1.0, 1.04, 3.333, 9.96):
        gap = mantissa * 10.0**exponent
        assert float(percent(gap).removesuffix(" %").replace(",", "")) / 100 >= gap * (1 - 1e-9)


def test_history_becomes_a_curve() -> None:
    record = {
        "number": 3,
        "seconds": 0.5,
        "objective": 2.0,
        "dual_bound": 1.0,
        "gap": 0.5,
        "more": 1,
    }
    curve = Curve.from_history("a", "#0072B2", [record])
    assert (list(curve.number), list(curve.dual_bound)) == ([3.0], [1.0])
    assert list(Curve.from_history("a", "#0072B2", []).number) == []


def test_errors_say_what_to_do() -> None:
    with pytest.raises(ValueError, match="different lengths"):
        Curve("a", "#0072B2", [1, 2], [1], [1], [1], [1])
    with pytest.raises(ValueError, match="give 'seconds' or 'iteration'"):
        convergence_spec([], "time")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="share a name"):
        convergence_spec([run(), run()])


def test_the_judge_of_charts_can_say_no(is_vega_lite: Check) -> None:
    spec = convergence_spec([run()])
    spec["layer"][0]["mark"]["type"] = "aria"
    with pytest.raises(AssertionError):
        is_vega_lite(spec)


def test_of_two_solvers_the_view_shows_how_far_apart_they_end():
    """An early low bound of one must not flatten the distance between the two."""
    number = np.arange(1.0, 21.0)
    certified = Curve(
        "certified",
        "#000000",
        number,
        number,
        1000.0 + 500.0 * np.exp(-number),
        1000.0 - 900.0 * np.exp(-number / 4),
        np.full(20, np.nan),
    )
    stalled = Curve(
        "stalled",
        "#ff0000",
        number,
        number,
        1010.0 + 400.0 * np.exp(-number),
        np.full(20, 900.0),
        np.full(20, np.nan),
    )
    low, high = view_limits([_clean(certified, 500), _clean(stalled, 500)], "number")
    assert low < certified.dual_bound[-1]
    assert high > 1010.0
    assert high - low < 12 * (1010.0 - 1000.0)
