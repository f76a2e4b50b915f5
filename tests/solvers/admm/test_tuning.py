"""Every number of the solver is there for a reason that can be run again."""

from dataclasses import fields, replace

from cspca.solvers.admm.tuning import TUNING, Tuning
from tests.benchmarks.ablation import ROWS

NUMBERS = {one.name: one.metadata for one in fields(Tuning)}


def test_every_number_has_a_unit_and_a_row_that_leaves_it_out() -> None:
    assert all(told["unit"] for told in NUMBERS.values())
    assert {told["row"] for told in NUMBERS.values()} == set(ROWS)


def test_every_row_changes_numbers_of_its_own() -> None:
    for row, changes in ROWS.items():
        assert {NUMBERS[name]["row"] for name in changes} == {row}
        tuning = replace(TUNING, **changes)
        assert all(getattr(tuning, name) != getattr(TUNING, name) for name in changes)
