"""Numbers are written for people, and never say more than is true."""

import math

import pytest

from cspca.figures.words import duration, from_optimum, gap_in_words, megabytes, percent, power


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


@pytest.mark.parametrize("exponent", range(-5, 1))
def test_within_x_per_cent_is_true(exponent: int) -> None:
    for mantissa in (1.0, 1.04, 3.333, 9.96):
        gap = mantissa * 10.0**exponent
        assert float(percent(gap).removesuffix(" %").replace(",", "")) / 100 >= gap * (1 - 1e-9)


@pytest.mark.parametrize(
    ("gap", "text"),
    [(0.0, "rounding error"), (5.3e-12, "rounding error"), (1e-9, "rounding error"),
     (1.15e-9, "1.2·10⁻⁷ %"), (5.49e-4, "0.055 %"), (0.5, "100 %"), (1.0, "unknown"),
     (math.nan, "unknown")],
)  # fmt: skip
def test_a_bound_is_never_nearer_than_its_rounding(gap: float, text: str) -> None:
    assert gap_in_words(gap) == text
    told = {"rounding error": "at the optimum, up to rounding", "unknown": "not bounded yet"}
    assert from_optimum(gap) == told.get(text, f"within {text} of the optimum")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (4e-4, "under 1 ms"), (0.0123, "12 ms"), (0.099, "99 ms"), (0.0999, "0.1 s"),
     (34.2, "34 s"), (99.7, "2 min"), (125, "2 min"), (7200, "2 h")],
)  # fmt: skip
def test_times_have_a_unit_that_suits_them(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (1e-6, "10⁻⁶"), (0.01, "0.01"), (0.3, "0.3"), (100, "100"), (1e6, "10⁶"),
     (2.5e-4, "2.5·10⁻⁴"), (float("inf"), "?")],
)  # fmt: skip
def test_values_of_a_grid_are_brief(value: float, text: str) -> None:
    assert power(value) == text


@pytest.mark.parametrize(
    ("n_bytes", "text"), [(0, "0.0 MB"), (2**20, "1.0 MB"), (1500 * 2**20, "1,500.0 MB")]
)
def test_sizes_are_in_megabytes(n_bytes: int, text: str) -> None:
    assert megabytes(n_bytes) == text
