"""The reader on the catalogue of kinds: what it makes of each file, and how often it has to ask."""

from __future__ import annotations

import pytest

from tests.datasets.kinds import all_kinds
from tests.datasets.kinds.check import case_names, outcome_of

pytestmark = pytest.mark.usefixtures("at_home")


@pytest.mark.parametrize(("name", "variant"), case_names())
def test_a_file_is_read_as_its_mark_says(name: str, variant: int) -> None:
    outcome = outcome_of(name, variant)
    assert outcome.verdict == "right", outcome.explanation


@pytest.mark.slow
def test_nothing_is_misread_in_silence() -> None:
    silent = {
        (name, variant): outcome_of(name, variant).explanation
        for name, variant in case_names()
        if outcome_of(name, variant).silent
    }
    assert silent == {}


@pytest.mark.slow
def test_plain_files_are_hardly_ever_asked_about() -> None:
    outcomes = [
        outcome_of(kind.name, variant)
        for kind in all_kinds()
        if kind.plain
        for variant in range(kind.n_variants)
    ]
    n_asked = sum(outcome.confidence == "asked" for outcome in outcomes)
    assert n_asked <= 0.1 * len(outcomes)
