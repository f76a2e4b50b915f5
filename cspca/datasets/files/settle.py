"""Settle what a file holds: the questions in their fixed order, each answered on its evidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import ModuleType
from typing import Final

from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Draft, Parsed
from cspca.datasets.files.question import NONE, Answers, Question, as_tuples
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
            for proposed in step.propose(settled.draft, answers):
                names.add(proposed.name)
                question = _declared(proposed, parsed)
                settled.questions[question.key] = _answered(question, answers, parsed.file)
            step.apply(settled.draft, settled.questions, answers, watch)
        except DatasetError as error:
            settled.refuse(error)
            return settled
    for key in settled.draft.unraised:
        if settled.questions[key].confidence != "given":
            del settled.questions[key]
    for name, value in answers.values.items():
        if name not in names and value != NONE:
            raise DatasetError(
                f"{parsed.file}: there is no question {name} about this file: leave {name} out."
            )
    return settled


def _declared(question: Question, parsed: Parsed) -> Question:
    """Return the question with the answer that the file itself gives, where it fits."""
    value = as_tuples(parsed.declared.get(question.name))
    fitting = [answer for answer in question.answers if answer.value == value]
    if not fitting or question.subject:
        return question
    first = replace(fitting[0], evidence=f"{parsed.file} declares it.", strength="declared")
    others = [answer for answer in question.answers if answer.value != value]
    sentence = question.sentence if question.value == value else ""
    return replace(
        question, answers=(first, *others), value=value, confidence="sure", sentence=sentence
    )


def _answered(question: Question, answers: Answers, file: str) -> Question:
    value = answers.values.get(question.name)
    if value is not None and question.subject:
        value = value.get(question.subject)
    return question if value is None else question.answered(value, file)
