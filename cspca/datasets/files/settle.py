"""Settle what a file holds: the questions in their fixed order, each answered on its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Final

from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Draft, Parsed
from cspca.datasets.files.question import NONE, Answers, Question
from cspca.datasets.files.questions import (
    classes,
    colours,
    commas,
    data,
    features,
    header,
    missing,
    order,
    pivot,
    roles,
    samples,
    scale,
    shape,
)
from cspca.datasets.record import DatasetError

STEPS: Final[tuple[ModuleType, ...]] = (
    data, header, commas, samples, pivot, roles, classes, features, colours, order, shape, missing,
    scale,
)  # fmt: skip
"""One module a question: ``propose(draft, answers)`` returns questions, ``apply`` acts on them."""


@dataclass
class Settled:
    """A draft, the questions about it, and why it cannot be built, if it cannot."""

    draft: Draft
    questions: dict[str, Question]
    refusal: str = ""

    def refuse(self, error: DatasetError) -> None:
        """Keep why no set can be made while a question is open; raise it where none is."""
        if not any(question.is_open for question in self.questions.values()):
            raise error
        self.refusal = str(error)


def settle(parsed: Parsed, answers: Answers, watch: Watch) -> Settled:
    """Ask every question of what is settled before it; a person's answers come first."""
    settled = Settled(Draft(parsed), {})
    names: set[str] = set()
    for step in STEPS:
        try:
            for question in step.propose(settled.draft, answers):
                names.add(question.name)
                settled.questions[question.key] = _answered(question, answers, parsed.file)
            step.apply(settled.draft, settled.questions, answers, watch)
        except DatasetError as error:
            settled.refuse(error)
            return settled
    for name, value in answers.values.items():
        if name not in names and value != NONE:
            raise DatasetError(
                f"{parsed.file}: there is no question {name} about this file: leave {name} out."
            )
    return settled


def _answered(question: Question, answers: Answers, file: str) -> Question:
    value = answers.values.get(question.name)
    if value is not None and question.subject:
        value = value.get(question.subject)
    return question if value is None else question.answered(value, file)
