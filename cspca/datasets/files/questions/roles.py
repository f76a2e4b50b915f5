"""What each column of a table is for."""

from __future__ import annotations

from collections.abc import Mapping

from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Draft
from cspca.datasets.files.question import Answers, Question


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Propose a role for each column that may not be a feature."""
    return []


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Take features and labels from the table."""
