"""Every number of the solver is there for a reason that can be run again."""

from dataclasses import fields, replace

import numpy as np
import pytest

from cspca.datasets import make_faces
from cspca.problem import Problem, ReducedData
from cspca.solvers.admm.tuning import TUNING, Tuning
from tests.benchmarks.ablation import ROWS, arrive

NUMBERS = {one.name: one.metadata for one in fields(Tuning)}


def test_every_number_has_a_unit_and_a_row_that_leaves_it_out() -> None:
    assert all(told["unit"] for told in NUMBERS.values())
    assert {told["row"] for told in NUMBERS.values()} == set(ROWS)


def test_every_row_changes_numbers_of_its_own() -> None:
    for row, changes in ROWS.items():
        assert {NUMBERS[name]["row"] for name in changes} == {row}
        tuning = replace(TUNING, **changes)
        assert all(getattr(tuning, name) != getattr(TUNING, name) for name in changes)


@pytest.fixture(scope="module")
def faces() -> ReducedData:
    A = make_faces(n_people=12, n_per_person=10, image_size=20).data.astype(np.float64)
    return ReducedData(A - A.mean(axis=0))


@pytest.mark.parametrize(
    ("row", "alpha", "beta"),
    [
        ("over-relaxation", 0.1, 0.01),
        ("initial ρ of the rows", 0.1, 0.01),
        ("concentration", 0.3, 0.03),
        ("rounds of the split", 0.003, 0.003),
        ("spread", 0.5, 0.001),
        ("initial ρ", 0.9, 0.05),
        ("first guess", 0.8, 0.05),
        ("a bound that lags", 0.5, 0.0),
        ("loss without a copy", 0.001, 0.001),
    ],
)
def test_leaving_it_out_costs_a_tenth_of_the_iterations(faces, row, alpha, beta) -> None:
    problem = Problem(faces, alpha * faces.alpha_max, beta * faces.beta_max)
    # These are numbers of ADMM, which leaves few pixels to another iteration.
    admm = replace(TUNING, **ROWS["few rows"])
    with_it, _ = arrive(problem, None, admm, 1e-3, 200)
    without, _ = arrive(problem, None, replace(admm, **ROWS[row]), 1e-3, 200)
    assert with_it.gap <= 1e-3
    assert without.number >= 1.1 * with_it.number
