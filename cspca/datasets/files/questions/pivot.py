"""Whether each row of a table is a sample, or a measurement of one."""

from __future__ import annotations

from collections.abc import Mapping

from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Draft
from cspca.datasets.files.question import Answers, Question


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Ask where two columns number the rows once."""
    return []


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Turn a long table into one row a sample."""
