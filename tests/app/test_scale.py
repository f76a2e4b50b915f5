"""The sliders' scales, and the numbers beside them."""

from __future__ import annotations

import numpy as np
import pytest

from cspca.datasets import Dataset
from cspca.evaluation.statistics import rank_correlation
from cspca.ui import fields, state
from cspca.ui.fit_parts import badge_text


def test_penalties_are_round_ascending_and_even_in_ratio():
    values = fields.PENALTIES
    assert values[0] == 0.0
    assert values[-1] == 1.0
    assert list(values) == sorted(set(values))
    ratios = np.diff(np.log(values[1:]))
    assert ratios.max() < 2 * ratios.min()
    # Two steps are a factor of 1.25, six are 2.
    assert values[values.index(0.1) + 2] == 0.125
    assert values[values.index(0.1) + 6] == 0.2


@pytest.mark.parametrize("value", fields.PENALTIES)
def test_what_is_said_is_read_back(value):
    assert fields.snap(float(fields.say(value))) == value


@pytest.mark.parametrize(
    ("value", "stop"), [(0.7, 0.71), (0.3, 0.315), (5.0, 1.0), (1e-9, 1e-5), (0.0, 0.0)]
)
def test_any_number_snaps_to_the_nearest_stop(value, stop):
    assert fields.snap(value) == stop


@pytest.mark.parametrize("most", [1, 2, 7, 64, 1024, 10304])
def test_counts_run_from_one_to_all(most):
    options = fields.count_options(most)
    assert options[0] == 1
    assert options[-1] == most
    assert options == sorted(set(options))
    assert len(options) < 110


def test_pixels_that_never_vary_are_not_counted():
    data = np.random.default_rng(0).random((5, 4))
    data[:, 1] = 0.3
    assert state.live_pixels(Dataset(data=data)) == 3


@pytest.mark.parametrize(
    ("gap", "certified", "active", "words"),
    [
        (4.671e-4, True, False, ("within 0.047 % of the optimum (proven)", "certified")),
        (0.0123, False, True, ("improving: within 1.3 % of the optimum", "closing")),
        (float("inf"), False, True, ("improving: not bounded yet", "closing")),
        (0.5, False, False, ("stopped: within 100 % of the optimum", "stopped")),
        (4.99e-4, True, True, ("within 0.05 % of the optimum (proven)", "certified")),
        (5.3e-12, True, False, ("at the optimum, up to rounding (proven)", "certified")),
    ],
)
def test_the_badge_has_three_states_and_never_promises_too_much(gap, certified, active, words):
    assert badge_text(gap, certified, active) == words


def test_rank_correlation():
    values = np.array([0.0, 0.0, 1.0, 2.0, 3.0])
    assert rank_correlation(values, np.exp(values)) == pytest.approx(1.0)
    assert rank_correlation(values, -values) == pytest.approx(-1.0)
    assert rank_correlation(values, np.ones(5)) == 0.0
