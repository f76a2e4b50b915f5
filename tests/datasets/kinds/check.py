"""Judge what the reader makes of a file against its mark."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, Final, Literal, Protocol

import numpy as np

from tests.datasets.kinds.catalogue import Case, Mark, Numbers, all_kinds

Verdict = Literal["right", "wrong"]
Confidence = Literal["sure", "likely", "asked", "refused"]
MOST_READS: Final = 24
"""How often a file is read at most, with other answers to what is open."""

DECIDED_BY: Final[Mapping[str, frozenset[str]]] = {
    "samples": frozenset({"data", "header", "samples", "pivot", "missing", "axis"}),
    "features": frozenset({"features", "axis", "pivot", "data", "colours", "samples"}),
    "shape": frozenset({"shape", "order", "features", "colours", "samples"}),
    "columns": frozenset(
        {
            "roles",
            "classes_from",
            "header",
            "axis",
            "colours",
            "missing",
            "pivot",
            "data",
            "samples",
            "features",
        }
    ),
    "classes": frozenset({"classes_from", "roles", "data", "samples", "missing"}),
    "values": frozenset(
        {"commas", "order", "colours", "samples", "missing", "pivot", "scale", "data", "header"}
    ),
    "scale": frozenset({"scale", "roles"}),
}
"""The questions that decide each side of a reading."""


class OfferedAnswer(Protocol):
    """An answer that the reader offers."""

    @property
    def value(self) -> object: ...


class ReadQuestion(Protocol):
    """A question as the reader hands it back."""

    @property
    def name(self) -> str: ...
    @property
    def subject(self) -> str: ...
    @property
    def confidence(self) -> str: ...
    @property
    def value(self) -> object: ...
    @property
    def answers(self) -> Sequence[OfferedAnswer]: ...


Questions = Mapping[str, ReadQuestion]


@dataclass(frozen=True)
class Attempt:
    """One run of the reader: a set, open questions, or a refusal."""

    questions: Questions = field(default_factory=dict)
    dataset: Any = None
    refusal: str | None = None
    crashed: bool = False

    @property
    def open_questions(self) -> list[str]:
        return [question.name for question in self.open]

    @property
    def open(self) -> list[Any]:
        return [question for question in self.questions.values() if question.confidence == "open"]

    @property
    def answered_questions(self) -> list[str]:
        return [
            question.name for question in self.questions.values() if question.confidence == "given"
        ]

    def is_mentioned(self, side: str, mark: Mark) -> bool:
        """Whether the reader says of `side` of the reading that it may be otherwise.

        An answer that was tried for want of a right one counts; the answers of the mark do not.
        """
        return any(
            question.confidence in ("likely", "open")
            or (question.confidence == "given" and question.name not in mark.answers)
            for question in self.questions.values()
            if question.name in DECIDED_BY[side]
        )


@dataclass(frozen=True)
class Fault:
    """What is wrong with one side of a reading."""

    side: str
    sentence: str


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How the reader did with one file.

    `silent` is a wrong reading of which no question of the reader says that it could be otherwise;
    `needless` are the questions it left open although the file answers them.
    """

    verdict: Verdict
    confidence: Confidence
    silent: bool = False
    needless: tuple[str, ...] = ()
    explanation: str = ""


def read(case: Case, answers: Mapping[str, object]) -> Attempt:
    """Read the file with these answers, as :func:`cspca.datasets.read_file` does."""
    datasets = importlib.import_module("cspca.datasets")
    try:
        reading = datasets.read_file(
            case.content, case.name, answers=datasets.Answers.of(**answers)
        )
    except ValueError as error:
        questions = getattr(error, "questions", None)
        if questions is None:
            return Attempt(refusal=str(error))
        return Attempt(questions=questions)
    except Exception as error:  # noqa: BLE001 - a crash is an outcome, and the others are to be seen
        return Attempt(refusal=f"{type(error).__name__}: {error}", crashed=True)
    questions = reading.questions
    if any(question.confidence == "open" for question in questions.values()):
        return Attempt(questions=questions)
    return Attempt(questions=questions, dataset=reading.dataset)


def judge(case: Case) -> Outcome:
    """Read `case` and say how the reading stands to its mark."""
    mark = case.mark
    attempt = read(case, {})
    if attempt.refusal is not None:
        return _judge_refusal(attempt, case)
    opened = attempt.open_questions
    confidence = _confidence(attempt)
    if mark.refused:
        return Outcome(
            verdict="wrong",
            confidence=confidence,
            silent=not opened,
            explanation=f"It is no file to be read, and {mark.refused} was not named.",
        )
    if not opened:
        return _judge_reading(attempt, mark, confidence)
    final = _answered(case, attempt)
    faults = _faults(final, mark)
    opened = list(dict.fromkeys([*opened, *final.answered_questions, *final.open_questions]))
    needless = tuple(name for name in opened if name not in mark.may_ask | mark.must_ask)
    unseen = bool(mark.must_ask) and not mark.must_ask & set(opened)
    if not faults and not unseen:
        return Outcome(
            verdict="right",
            confidence="asked",
            needless=needless,
            explanation=_needless_sentence(needless),
        )
    explanation = " ".join(fault.sentence for fault in faults)
    if unseen:
        explanation += f" None of {_listed(mark.must_ask)} was asked."
    silent = final.refusal is None and any(
        not final.is_mentioned(fault.side, mark) for fault in faults
    )
    return Outcome(
        verdict="wrong",
        confidence="asked",
        needless=needless,
        silent=silent,
        explanation=explanation.strip(),
    )


def _judge_refusal(attempt: Attempt, case: Case) -> Outcome:
    mark = case.mark
    sentence = attempt.refusal or ""
    allowed = mark.refused or mark.may_refuse
    if (
        _names(sentence.replace(case.name, ""), allowed)
        and "damaged" not in sentence
        and not attempt.crashed
    ):
        return Outcome(verdict="right", confidence="refused")
    missing = f" It does not name {allowed}." if mark.refused else ""
    return Outcome(
        verdict="wrong", confidence="refused", explanation=f"Refused: {sentence}{missing}"
    )


def _names(sentence: str, words: str) -> bool:
    """Whether one of `words`, with | between, stands in the sentence as a word of its own."""
    return any(
        re.search(rf"(?<!\w){re.escape(word)}(?!\w)", sentence, re.IGNORECASE)
        for word in words.split("|")
        if word
    )


def _judge_reading(attempt: Attempt, mark: Mark, confidence: Confidence) -> Outcome:
    if mark.must_ask:
        settled = [attempt.questions[name] for name in mark.must_ask if name in attempt.questions]
        silent = all(question.confidence != "likely" for question in settled)
        return Outcome(
            verdict="wrong",
            confidence=confidence,
            silent=silent,
            explanation=f"It was not asked for {_listed(mark.must_ask)}, which the file leaves "
            "open.",
        )
    faults = _faults(attempt, mark)
    if not faults:
        return Outcome(verdict="right", confidence=confidence)
    return Outcome(
        verdict="wrong",
        confidence=confidence,
        silent=any(not attempt.is_mentioned(fault.side, mark) for fault in faults),
        explanation=" ".join(fault.sentence for fault in faults),
    )


def _confidence(attempt: Attempt) -> Confidence:
    levels = {question.confidence for question in attempt.questions.values()}
    if "open" in levels:
        return "asked"
    return "likely" if "likely" in levels else "sure"


def _listed(names: frozenset[str]) -> str:
    return " or ".join(sorted(names))


def _needless_sentence(needless: tuple[str, ...]) -> str:
    return f"Needlessly asked: {', '.join(needless)}." if needless else ""


# --- answering what is open -----------------------------------------------------------------------


def _answered(case: Case, attempt: Attempt) -> Attempt:
    """The reading after the answers of the mark; where it states none, after offered ones."""
    reads = 0

    def search(current: Attempt, answers: dict[str, object]) -> Attempt:
        nonlocal reads
        if not current.open_questions or current.refusal is not None:
            return current
        is_unmeasured = not (case.mark.n_samples or case.mark.n_features)
        if is_unmeasured and case.mark.must_ask & set(current.open_questions):
            return current
        question = current.open[0]
        offered = [answer.value for answer in question.answers]
        stated = _stated(question, case.mark)
        first: Attempt | None = None
        for value in [*stated, *(value for value in offered if value not in stated)]:
            if reads >= MOST_READS:
                break
            reads += 1
            more_answers = _with_answer(answers, question, value)
            outcome = search(read(case, more_answers), more_answers)
            if not _faults(outcome, case.mark):
                return outcome
            if first is None or first.refusal is not None:
                first = outcome
        return first or current

    return search(attempt, {})


def _stated(question: Any, mark: Mark) -> list[object]:
    """What the mark answers to a question: one answer or none."""
    answer: Any = mark.answers.get(question.name)
    if question.subject:
        answer = answer.get(question.subject) if isinstance(answer, Mapping) else None
    return [] if answer is None else [answer]


def _with_answer(answers: dict[str, object], question: Any, value: object) -> dict[str, object]:
    if not question.subject:
        return {**answers, question.name: value}
    subjects: Any = answers.get(question.name, {})
    return {**answers, question.name: {**subjects, question.subject: value}}


# --- comparing ------------------------------------------------------------------------------------


def _faults(attempt: Attempt, mark: Mark) -> list[Fault]:
    """All that differs from the mark; of what the mark says nothing, nothing is a fault."""
    if attempt.refusal is not None:
        return [Fault("samples", f"Refused after an answer: {attempt.refusal}")]
    if not (mark.n_samples or mark.n_features):
        return []
    if attempt.open_questions:
        opened = ", ".join(attempt.open_questions)
        return [Fault("samples", f"No answer to {opened} leads to the right reading.")]
    dataset = attempt.dataset
    data = np.asarray(dataset.data, dtype=float)
    if mark.n_samples and len(data) != mark.n_samples:
        return [Fault("samples", f"{len(data)} samples, {mark.n_samples} are right.")]
    features = features_of(attempt)
    faults = []
    if features not in (mark.features, *mark.also):
        faults.append(Fault("features", f"Features are {features}, {mark.features} are right."))
    shape = dataset.image_shape
    if mark.image_shape and shape is not None and tuple(shape) != tuple(mark.image_shape):
        faults.append(Fault("shape", f"Pictures are {shape}, {mark.image_shape} is right."))
    order = np.arange(len(data))
    if features != "joints" and mark.n_features and data.shape[1] != mark.n_features:
        faults.append(Fault("columns", f"{data.shape[1]} features, {mark.n_features} are right."))
    elif features != "joints" and mark.values is not None:
        if mark.row_order == "any":
            order = _matched_rows(data, np.asarray(mark.values, float))
        faults += _value_faults(data[order], mark)
    return faults + _class_faults(dataset, order, mark)


def features_of(attempt: Attempt) -> str:
    """What the features of the set are: pixels have a shape, all else is what was answered."""
    if attempt.dataset.image_shape is not None:
        return "pixels"
    question = attempt.questions.get("features")
    answer = question.value if question is not None else None
    return answer if answer in ("axis", "joints") else "columns"


def _matched_rows(data: Numbers, values: Numbers) -> Numbers:
    """The order of the rows of `data` in which they stand like those of `values`."""
    order = np.empty(len(data), int)
    order[np.argsort(_keys(values), kind="stable")] = np.argsort(_keys(data), kind="stable")
    return order


def _keys(rows: Numbers) -> Numbers:
    """A number for each row, by which rows of equal content are matched."""
    scaled = _unit(rows, whole=True)
    return scaled @ np.random.default_rng(0).random(scaled.shape[1])


def _unit(values: Numbers, *, whole: bool) -> Numbers:
    """Brought to 0 to 1, as a whole or column by column; constant columns become 0."""
    axis = None if whole else 0
    least = np.nanmin(values, axis=axis, keepdims=True)
    spread = np.nanmax(values, axis=axis, keepdims=True) - least
    return np.asarray((values - least) / np.where(spread > 0, spread, 1.0))


def _value_faults(data: Numbers, mark: Mark) -> list[Fault]:
    values = np.asarray(mark.values, float)
    if mark.column_order == "any":
        data = data[:, np.argsort(_keys(_unit(data, whole=False).T), kind="stable")]
        values = values[:, np.argsort(_keys(_unit(values, whole=False).T), kind="stable")]
    compared = ~np.isnan(values)
    columns = compared.any(0)
    if _holds_stand_ins(data, compared, whole=mark.scale == "whole"):
        return [Fault("values", "What stands for a missing number is still in the data.")]
    data, values = np.where(compared, data, np.nan)[:, columns], values[:, columns]
    if mark.least_range and np.nanmax(data) - np.nanmin(data) < mark.least_range:
        reach = np.nanmax(data) - np.nanmin(data)
        return [Fault("scale", f"The data fills only {reach:.2g} of 0 to 1.")]
    whole = mark.scale == "whole"
    if _largest_difference(data, values, whole=whole) <= mark.tolerance:
        return []
    if whole and _largest_difference(data, values, whole=False) <= max(mark.tolerance, 0.05):
        return [Fault("scale", "Columns of one unit have scales of their own.")]
    return [Fault("values", "The numbers are not those of the mark.")]


def _holds_stand_ins(data: Numbers, compared: Numbers, *, whole: bool) -> bool:
    """Whether cells that hold no number lie far outside those that do."""
    if compared.all():
        return False
    axis = None if whole else 0
    columns = slice(None) if whole else compared.any(0)
    present = np.where(compared, data, np.nan)[:, columns]
    least = np.nanmin(present, axis=axis, keepdims=True)
    most = np.nanmax(present, axis=axis, keepdims=True)
    margin = 0.5 * (most - least)
    absent = np.where(compared, np.nan, data)[:, columns]
    return bool(np.any((absent < least - margin) | (absent > most + margin)))


def _largest_difference(data: Numbers, values: Numbers, *, whole: bool) -> float:
    return float(np.nanmax(np.abs(_unit(data, whole=whole) - _unit(values, whole=whole))))


def _class_faults(dataset: Any, order: Numbers, mark: Mark) -> list[Fault]:
    if mark.labels is None:
        if dataset.target is None:
            return []
        n_classes = len(set(np.asarray(dataset.target)) - {-1})
        return [Fault("classes", f"{n_classes} classes, there are none.")]
    if dataset.target is None:
        return [Fault("classes", f"No classes, {len(mark.class_counts)} are right.")]
    codes = np.asarray(dataset.target)[order]
    unlabelled = np.array([label is None for label in mark.labels])
    if np.any(unlabelled != (codes == -1)):
        return [
            Fault(
                "classes",
                f"{int(np.sum(codes == -1))} samples are unlabelled, "
                f"{mark.n_unlabelled} are right.",
            )
        ]
    pairs = {
        (label, int(code))
        for label, code in zip(mark.labels, codes, strict=True)
        if label is not None
    }
    n_classes = len({code for _, code in pairs})
    if not len(pairs) == len(mark.class_counts) == n_classes:
        return [
            Fault(
                "classes",
                f"{n_classes} classes, {len(mark.class_counts)} are right, or "
                "samples are in other ones.",
            )
        ]
    if mark.exact_names and not all(_is_number(label) for label in mark.class_counts):
        names = dataset.target_names or ()
        for label, code in sorted(pairs):
            name = str(names[code]) if code < len(names) else ""
            if name != label and not label.endswith(f": {name}"):
                return [Fault("classes", f"The class {label} is called {name!r}.")]
    return []


def _is_number(label: str) -> bool:
    try:
        float(label)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=1)
def case_names() -> tuple[tuple[str, int], ...]:
    """Every kind's name with each of its variants."""
    return tuple((kind.name, variant) for kind in all_kinds() for variant in range(kind.n_variants))


@cache
def outcome_of(name: str, variant: int) -> Outcome:
    """The outcome of one variant, read once a process."""
    kinds = {kind.name: kind for kind in all_kinds()}
    return judge(kinds[name].make(variant))
