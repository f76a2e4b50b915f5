"""The honest figure never beats the best of the grid, and does not profit from luck."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from cspca.evaluation import best_of_grid, choose_without_labels, honest_score

tables = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=9),
    elements=st.floats(0, 1),
)


@given(tables)
def test_honest_is_at_most_best_of_grid(table):
    best, honest = best_of_grid(table), honest_score(table)
    assert honest.summary.mean <= best.summary.mean + 1e-12
    reversed_best = best_of_grid(table, larger_is_better=False)
    reversed_honest = honest_score(table, larger_is_better=False)
    assert reversed_honest.summary.mean >= reversed_best.summary.mean - 1e-12


def test_the_halves_by_hand():
    """Even places choose the first row, odd ones the second; each is scored where it lost."""
    table = np.array([[0.9, 0.1, 0.7, 0.3], [0.2, 0.8, 0.4, 0.6]])
    honest = honest_score(table)
    assert honest.choices == (0, 1)
    np.testing.assert_array_equal(honest.runs, [0.2, 0.1, 0.4, 0.3])
    best = best_of_grid(table)
    assert best.summary.mean == 0.5
    np.testing.assert_array_equal(best.runs, table[best.choice])


def test_of_equal_choices_luck_is_all_that_best_of_grid_adds():
    """200 choices, all truly 0.5: the best mean is well above, the honest one is not."""
    rng = np.random.default_rng(0)
    repeated = [0.5 + 0.05 * rng.normal(size=(200, 30)) for _ in range(20)]
    assert np.mean([best_of_grid(table).summary.mean for table in repeated]) > 0.52
    honest = np.mean([honest_score(table).summary.mean for table in repeated])
    assert honest == pytest.approx(0.5, abs=0.005)


def test_one_choice_is_the_same_by_all():
    table = [[0.2, 0.6, 0.4]]
    assert best_of_grid(table).summary == honest_score(table).summary
    assert choose_without_labels(table, [[0, 0, 0]]).summary == honest_score(table).summary


def test_without_labels_the_criterion_chooses():
    table = np.array([[0.9, 0.9], [0.1, 0.3]])
    found = choose_without_labels(table, [[0.0, 0.1], [0.2, 0.2]])
    assert found.choice == 1
    assert found.summary.mean == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: honest_score([[0.5]]), "at least two seeds"),
        (lambda: best_of_grid(np.empty((0, 3))), "choices × seeds"),
        (lambda: choose_without_labels([[1, 2]], [[1]]), "criterion must have the shape"),
    ],
)
def test_errors_say_what_is_wrong(call, words):
    with pytest.raises(ValueError, match=words):
        call()
