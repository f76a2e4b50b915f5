"""Whether the first row of a table names its columns, is their axis, or is a sample."""

from __future__ import annotations

from collections.abc import Mapping

from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Draft
from cspca.datasets.files.question import Answers, Question


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Propose by what the row holds against those below it."""
    return []


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Name the columns, or put the row back among the samples."""
