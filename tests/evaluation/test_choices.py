"""A choice made on other starts never beats the best of the grid, and does not profit from luck."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from cspca.evaluation.comparison import (
    Comparison,
    Plan,
    best_choice,
    chosen_on_other_starts,
    long_table,
)

tables = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=9),
    elements=st.floats(0, 1),
)


@given(tables)
def test_chosen_on_other_starts_is_at_most_best_of_grid(table):
    for larger, sign in ((True, 1), (False, -1)):
        best = table[best_choice(table, larger_is_better=larger)].mean()
        runs, _ = chosen_on_other_starts(table, larger_is_better=larger)
        assert sign * runs.mean() <= sign * best + 1e-12


def test_the_halves_by_hand():
    """Even places choose the first row, odd ones the second; each is scored where it lost."""
    table = np.array([[0.9, 0.1, 0.7, 0.3], [0.2, 0.8, 0.4, 0.6]])
    runs, choices = chosen_on_other_starts(table)
    assert choices == (0, 1)
    np.testing.assert_array_equal(runs, [0.2, 0.1, 0.4, 0.3])
    assert table[best_choice(table)].mean() == 0.5


def test_of_equal_choices_luck_is_all_that_best_of_grid_adds():
    """200 choices, all truly 0.5: the best mean is well above, the other is not."""
    rng = np.random.default_rng(0)
    repeated = [0.5 + 0.05 * rng.normal(size=(200, 30)) for _ in range(20)]
    assert np.mean([table[best_choice(table)].mean() for table in repeated]) > 0.52
    others = np.mean([chosen_on_other_starts(table)[0].mean() for table in repeated])
    assert others == pytest.approx(0.5, abs=0.005)


def _rows(method, parameters, n_features, values, silhouette):
    return [
        {
            "method": method,
            "title": method.upper(),
            "parameters": parameters,
            "n_features": n_features,
            "seed": seed,
            "seconds": 0.5,
            "accuracy": value,
            "silhouette": silhouette,
            "selection_seconds": 2.0,
        }
        for seed, value in zip((7, 3), values, strict=True)
    ]


LONG = long_table(
    [
        *_rows("a", "z", 2, (0.5, 0.7), 0.1),
        *_rows("a", "b", 2, (0.9, 0.1), 0.2),
        *_rows("a", "b", 4, (0.6, 0.7), 0.0),
        *_rows("all", "", 9, (0.4, 0.2), 0.0),
    ]
)


def compared(table):
    return Comparison(Plan((), (7, 3), 2, baseline="all"), table)


def test_a_choice_with_seeds_missing_does_not_count():
    assert list(compared(LONG.iloc[:-3]).scores("a", "accuracy").index) == [("z", 2), ("b", 2)]
    assert [row.method for row in compared(LONG.iloc[:-1]).table("accuracy")] == ["a"]


def test_a_row_by_hand():
    assert compared(LONG).metrics == ("accuracy", "silhouette")
    first, baseline = compared(LONG).table("accuracy")
    assert (first.best.parameters, first.best.n_features) == ("b", 4)
    assert first.best.mean == pytest.approx(0.65)
    # Seed 7 alone chooses 0.9, which is worth 0.1 on seed 3; seed 3 chooses the first 0.7.
    np.testing.assert_array_equal(first.shown.runs, [0.5, 0.1])
    assert (first.label_free.parameters, first.label_free.n_features) == ("b", 2)
    assert first.difference.difference == pytest.approx(0.3 - 0.3)
    assert baseline.difference is None
    assert (first.n_choices, first.selection_seconds, first.clustering_seconds) == (3, 2.0, 3.0)


def test_a_curve_has_the_best_parameters_at_every_number():
    assert [(p.n_features, p.parameters, p.mean) for p in compared(LONG).curve("a")] == [
        (2, "z", pytest.approx(0.6)),
        (4, "b", pytest.approx(0.65)),
    ]
