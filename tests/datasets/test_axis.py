"""The axis that features are points of: its ranges in words and as text, and how a set knows it."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cspca.datasets import Dataset, leave_out, load_file, standardised
from cspca.datasets.axis import Axis
from tests.datasets.kinds import write

pytestmark = pytest.mark.usefixtures("at_home")

NM = Axis(tuple(float(value) for value in range(1100, 1200, 2)), "nm")
FINE = Axis(tuple(np.linspace(400, 4000, 1868)[:40].tolist()), "cm-1")
FALLING = Axis(tuple(4000.0 - 3.85 * place for place in range(40)), "cm-1")


def spectra() -> bytes:
    curves, _ = write.spectra(20, 50, 3, 2)
    header = ",".join(f"{value} nm" for value in range(1100, 1200, 2))
    lines = [",".join(f"{value:.5f}" for value in row) for row in curves]
    return "\n".join([header, *lines]).encode()


def test_of_many_ranges_the_widest_are_said() -> None:
    assert NM.ranges_in_words([]) == ""
    assert NM.ranges_in_words([3]) == "1106 nm"
    assert NM.ranges_in_words([0, 1, 2, 10]) == "1100 – 1104 and 1120 nm"
    many = [*range(0, 6), *range(10, 48, 3)]
    words = NM.ranges_in_words(many)
    assert words.startswith("1100 – 1110, ")
    assert words.endswith(" nm and 8 more ranges")
    assert NM.ranges_in_words(range(0, 14, 2)).endswith(" nm and 1 more range")


@given(st.sets(st.integers(0, 39)))
def test_what_is_written_of_ranges_is_read_again(places: set[int]) -> None:
    for axis in (NM, FALLING, FINE):
        assert np.flatnonzero(axis.from_text(axis.as_text(places))).tolist() == sorted(places)


def test_ranges_are_read_in_either_direction_and_with_the_unit() -> None:
    inside = np.flatnonzero(NM.from_text("1110 nm – 1106"))
    assert inside.tolist() == [3, 4, 5]
    assert np.flatnonzero(NM.from_text("1107.2")).tolist() == [4], "the nearest"
    assert NM.from_text("").sum() == 0
    seconds = Axis((1.0, 2.0, 3.0, 4.0), "t")
    assert seconds.from_text("1 to 2 t, 4t").tolist() == [True, True, False, True]


@pytest.mark.parametrize("text", ["red", "1100-1110-1120", "900-1000", "1300"])
def test_what_is_no_range_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=rf"“{text}” (is no range|lies beside).*\.$"):
        NM.from_text(text)


def test_a_set_keeps_its_axis() -> None:
    data = load_file(spectra(), "nir.csv")
    assert data.axis == NM
    without = leave_out(data, [0, 3])
    assert without.axis == NM
    assert standardised(data).axis == NM
    assert copy.deepcopy(data).axis == NM


def test_columns_are_no_axis_once_a_person_says_so() -> None:
    assert load_file(spectra(), "nir.csv", features="columns").axis is None
    assert Dataset(np.eye(4), feature_names=("a", "b", "c", "d")).axis is None


def test_an_axis_that_only_counts_has_the_numbers_of_the_file() -> None:
    curves, _ = write.spectra(20, 50, 3, 2)
    lines = [",".join(map(str, range(50))), *(",".join(map(repr, row.tolist())) for row in curves)]
    data = load_file("\n".join(lines).encode(), "nir.csv", features="axis")
    assert data.feature_names is not None
    assert data.feature_names[7] == "7"
    assert data.axis is not None
    assert data.axis.ranges_in_words([7, 8]) == "7 – 8"
