"""Which way the penalties go when the gap stops falling."""

import numpy as np

from cspca.solvers.admm.schedule import Guidance


def test_the_half_that_still_moves_is_the_one_that_lags():
    guidance = Guidance()
    assert guidance.see(10.0, 5.0) == -1
    assert guidance.see(9.9, 7.0) == -1, "the bound moved: smaller penalties"
    assert guidance.see(8.0, 7.1) == 1, "the objective moved: larger penalties"


def test_a_step_that_slowed_the_fall_is_turned_back_by_a_smaller_one():
    guidance = Guidance()
    assert guidance.move(-1, 0.95) == 1 / 3
    assert guidance.move(+1, 0.90) == 1 / 3, "it falls faster: the same way, whatever lags"
    turned = guidance.move(-1, 0.97)
    assert 1.0 < turned < 3.0


def test_steps_do_not_shrink_to_nothing():
    guidance = Guidance()
    falls = [0.9, 0.95] * 10
    factors = [guidance.move(-1, fall) for fall in falls]
    assert all(abs(factor - 1.0) > 0.3 for factor in factors)


def test_the_smallest_step_is_turned_back_too():
    guidance = Guidance()
    factors = [guidance.move(-1, 0.9 + 0.001 * number) for number in range(20)]
    assert 0.1 < np.prod(factors) < 10.0, "else penalties run away while the gap stands still"
