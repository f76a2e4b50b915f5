"""The reader on the catalogue of kinds: what it makes of each file, and how often it has to ask.

``python -m tests.datasets.kinds`` prints how reliable each confidence is, and each miss in a line.
"""

from __future__ import annotations

import pytest

from tests.datasets.kinds import Kind, all_groups, all_kinds
from tests.datasets.kinds.check import case_names, outcome_of

pytestmark = pytest.mark.usefixtures("at_home")

MOST_WRONG = 0.02
"""Share of the files that may be misread with a word, or refused: each such file is a debt."""


@pytest.mark.parametrize("kinds", all_groups().values(), ids=all_groups())
def test_no_file_is_misread_in_silence(kinds: list[Kind]) -> None:
    outcomes = [
        outcome_of(kind.name, variant) for kind in kinds for variant in range(kind.n_variants)
    ]
    assert [outcome.explanation for outcome in outcomes if outcome.silent] == []


def test_sure_is_right() -> None:
    """What the reader is sure of is right on every file."""
    outcomes = [outcome_of(name, variant) for name, variant in case_names()]
    wrong = [outcome for outcome in outcomes if outcome.verdict != "right"]
    assert [outcome.explanation for outcome in wrong if outcome.confidence == "sure"] == []
    assert len(wrong) <= MOST_WRONG * len(outcomes)


def test_plain_files_are_hardly_ever_asked_about() -> None:
    outcomes = [
        outcome_of(kind.name, variant)
        for kind in all_kinds()
        if kind.plain
        for variant in range(kind.n_variants)
    ]
    n_asked = sum(outcome.confidence == "asked" for outcome in outcomes)
    assert n_asked <= 0.1 * len(outcomes)
