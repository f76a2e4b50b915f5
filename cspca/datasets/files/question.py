"""Questions about a file: the answers that fit, the evidence for each, the one in force."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from cspca.datasets.record import DatasetError

Confidence = Literal["given", "sure", "likely", "default", "open"]
"""How an answer came into force.

``given``: by the person. ``sure``: declared by the file or measured with a margin. ``likely``:
measured, said, one click from the others. ``default``: nothing speaks for another; the data are
kept as they lie. ``open``: the evidence is missing or contradicts itself; the person is asked.
"""

CONFIDENCES: Final[Mapping[str, Confidence]] = {"sure": "sure", "likely": "likely", "ask": "open"}
"""Confidence of a question by that of a reading of columns or of pictures."""

Strength = Literal["declared", "measured", "custom"]
"""Kind of evidence. Custom alone orders answers; it never changes, drops, merges or labels."""

QUESTION_NAMES: Final = (
    "data", "header", "commas", "samples", "pivot", "roles", "classes_from", "features", "colours",
    "order", "shape", "missing", "scale",
)  # fmt: skip
"""Names of all questions, in the order in which they are settled."""

_KEEP_CLASSES: Final = ("features", "colours", "order", "shape", "scale")
"""Questions whose answer changes no class, so that their names stay."""

NONE: Final = "none"
"""Answer of every question that may be answered by nothing: no classes, no pivot."""


@dataclass(frozen=True)
class Answer:
    """One answer that fits.

    Parameters
    ----------
    value : str, int, bool, or tuple of these
        What `load_file` takes for it.
    words : str
        What a button says.
    evidence : str, default=""
        What speaks for it, as a whole sentence; empty where nothing does.
    strength : {"declared", "measured", "custom"}
        Kind of that evidence.
    example : str, default=""
        What it would give, such as ``40 classes: s1, s2, …``.
    """

    value: Any
    words: str
    evidence: str = ""
    strength: Strength = "custom"
    example: str = ""

    @property
    def description(self) -> str:
        """What the answer would give, and what speaks for it, as sentences."""
        stop = "" if not self.example or self.example.endswith("…") else "."
        return f"{self.example}{stop} {self.evidence}".strip()


@dataclass(frozen=True)
class Question:
    """One question about a file.

    Parameters
    ----------
    name : str
        Keyword of `load_file` that answers it.
    text : str
        The question, for people.
    answers : tuple of Answer
        The answers that fit, the one with the best evidence first.
    confidence : Confidence
        How the answer in force came to be.
    value : object, optional
        The answer in force; by default the first of `answers`.
    sentence : str, default=""
        What was done and on what evidence, as one sentence; empty where nothing was.
    subject : str, default=""
        The column that a question of roles is about.
    example : str, default=""
        Form of another value that may be typed, such as ``28 × 20``; empty where none may.
    """

    name: str
    text: str
    answers: tuple[Answer, ...]
    confidence: Confidence
    value: Any = None
    sentence: str = ""
    subject: str = ""
    example: str = ""

    def __post_init__(self) -> None:
        if self.value is None and self.answers:
            object.__setattr__(self, "value", self.answers[0].value)

    @property
    def key(self) -> str:
        """Key of the question among those of a file; there is one a column for roles."""
        return f"{self.name} {self.subject}" if self.subject else self.name

    @property
    def is_open(self) -> bool:
        """Whether the person has to answer."""
        return self.confidence == "open"

    @property
    def words(self) -> str:
        """The answer in force as a button says it."""
        for answer in self.answers:
            if answer.value == self.value:
                return answer.words
        return (
            " × ".join(map(str, self.value)) if isinstance(self.value, tuple) else str(self.value)
        )

    def answered(self, value: Any, file: str) -> Question:
        """Return the question with the person's answer in force; refuse one that does not fit."""
        value = as_tuples(value)
        if not self.example and value not in [answer.value for answer in self.answers]:
            shown = ", ".join(str(answer.value) for answer in self.answers[:8])
            raise DatasetError(
                f"{file}: {self.key} cannot be {value!r}: choose one of {shown or 'none'}."
            )
        return replace(self, value=value, confidence="given", sentence="")


def ranked_answers(
    words: Mapping[Any, str],
    first: Any,
    evidence: str,
    strength: Strength,
    examples: Mapping[Any, str] | None = None,
) -> tuple[Answer, ...]:
    """Return one answer for each value of `words`: the first with its evidence, then the others."""
    examples = examples or {}
    rest = (value for value in words if value != first)
    return (
        Answer(first, words[first], evidence, strength, examples.get(first, "")),
        *(Answer(value, words[value], example=examples.get(value, "")) for value in rest),
    )


class UndecidedError(DatasetError):
    """A file that is read only once its open questions are answered.

    Parameters
    ----------
    file : str
        Name of the file.
    questions : mapping of str to Question
        The open questions by their keys.
    """

    def __init__(self, file: str, questions: Mapping[str, Question]) -> None:
        self.file = file
        self.questions = dict(questions)
        first = next(iter(self.questions.values()))
        answers = " or ".join(
            f"{first.name}={argument(first, answer)}" for answer in first.answers[:3]
        )
        n_further = len(self.questions) - 1
        nouns = "question" if n_further == 1 else "questions"
        count = f" ({n_further} more {nouns})" if n_further else ""
        super().__init__(f"{file}: {first.text}{count} Answer with {answers}.")


def argument(question: Question, answer: Answer) -> str:
    """Return an answer as Python source of the keyword argument."""
    return repr({question.subject: answer.value} if question.subject else answer.value)


def as_tuples(value: Any) -> Any:
    """Return a value of JSON with tuples in place of lists."""
    if isinstance(value, Mapping):
        return {name: as_tuples(member) for name, member in value.items()}
    return tuple(map(as_tuples, value)) if isinstance(value, list | tuple) else value


@dataclass(frozen=True)
class Answers:
    """What a person has decided about a file; what is not decided is proposed with evidence.

    Parameters
    ----------
    values : mapping of str to object
        Answers by the name of their question; ``roles`` is a mapping of columns to roles.
    size : (height, width), optional
        Resize every picture to this size, by the mean over the area of each new pixel.
    crop : bool, default=False
        Crop pictures of other proportions than ``size`` rather than stretch them.
    class_names : tuple of str, optional
        Names of class 0, 1, …
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    size: tuple[int, int] | None = None
    crop: bool = False
    class_names: tuple[str, ...] | None = None

    @classmethod
    def of(cls, **arguments: Any) -> Answers:
        """Return the answers in the keyword arguments of `load_file`; None leaves one out."""
        values = {name: as_tuples(value) for name, value in arguments.items() if value is not None}
        size, crop = values.pop("size", None), bool(values.pop("crop", False))
        class_names = values.pop("class_names", None)
        unknown = values.keys() - set(QUESTION_NAMES)
        if unknown:
            raise DatasetError(
                f"There is no question {min(unknown)} about a file: answer some of "
                f"{', '.join(QUESTION_NAMES)}."
            )
        return cls(values, size, crop, class_names)

    @property
    def arguments(self) -> dict[str, Any]:
        """Keyword arguments of `load_file` that give these answers."""
        arguments = dict(self.values)
        if self.size is not None:
            arguments["size"] = self.size
        if self.crop:
            arguments["crop"] = True
        if self.class_names is not None:
            arguments["class_names"] = self.class_names
        return arguments

    def replaced(self, name: str, value: Any, subject: str = "") -> Answers:
        """Return the answers with one changed; those of later questions are proposed again."""
        later = QUESTION_NAMES[QUESTION_NAMES.index(name) + 1 :]
        values = {key: answer for key, answer in self.values.items() if key not in later}
        values[name] = {**values.get(name, {}), subject: value} if subject else value
        class_names = self.class_names if name in _KEEP_CLASSES else None
        return Answers(values, self.size, self.crop, class_names)
