"""The judge of the catalogue: it passes a reader that is right, and sees one that is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

import cspca.datasets
from cspca.datasets import Answers
from tests.datasets.kinds import Case, Kind, Mark, all_groups, all_kinds
from tests.datasets.kinds.__main__ import main
from tests.datasets.kinds.check import judge, outcome_of

KINDS = {kind.name: kind for kind in all_kinds()}


@dataclass
class Answer:
    value: object


@dataclass
class Question:
    confidence: str
    value: object = None
    answers: tuple[Answer, ...] = ()
    name: str = ""
    subject: str = ""


@dataclass
class Set:
    data: Any
    image_shape: tuple[int, int] | None = None
    target: Any = None
    target_names: tuple[str, ...] | None = None


@dataclass
class Reading:
    dataset: Set | None
    questions: dict[str, Question] = field(default_factory=dict)


class UndecidedError(ValueError):
    def __init__(self, questions: dict[str, Question]) -> None:
        super().__init__("There is something to answer.")
        self.questions = questions


def right_set(mark: Mark) -> Set:
    """The set of a mark, brought to 0 to 1."""
    if mark.values is None:
        values = np.random.default_rng(0).random((max(mark.n_samples, 1), mark.n_features or 4))
    else:
        values = np.array(mark.values, float)
        middles = [
            np.nanmedian(values if np.isnan(column).all() else column) for column in values.T
        ]
        values = np.where(np.isnan(values), middles, values)
    least, most = values.min(), values.max()
    target, names = None, None
    if mark.labels is not None:
        names = tuple(sorted(mark.class_counts))
        target = np.array([-1 if label is None else names.index(label) for label in mark.labels])
    shape = mark.image_shape or ((2, 2) if mark.features == "pixels" else None)
    return Set((values - least) / (most - least), shape, target, names)


def right_reader(mark: Mark) -> Callable[..., Reading]:
    """A reader that knows the mark: it asks what has to be asked, and refuses what has to be."""

    def read_file(content: bytes, name: str, answers: Mapping[str, object]) -> Reading:
        if mark.refused:
            raise ValueError(f"This is {mark.refused.split('|')[0]}: export it as CSV.")
        questions = {"features": Question("sure", mark.features)}
        for name_of_question in sorted(mark.must_ask)[:1]:
            is_open = name_of_question not in answers
            questions[name_of_question] = Question(
                "open" if is_open else "given", mark.features, (Answer("a"), Answer("b"))
            )
        if any(question.confidence == "open" for question in questions.values()):
            raise UndecidedError(questions)
        return Reading(right_set(mark), questions)

    return read_file


def use(monkeypatch: pytest.MonkeyPatch, reader: Callable[..., Reading]) -> None:
    def read_file(content: bytes, name: str, answers: Answers) -> Reading:
        try:
            reading = reader(content, name, answers.values)
        except UndecidedError as error:
            call_by_name(error.questions)
            raise
        call_by_name(reading.questions)
        return reading

    monkeypatch.setattr(cspca.datasets, "read_file", read_file)


def call_by_name(questions: dict[str, Question]) -> None:
    """Give each question the name by which it is known."""
    for name, question in questions.items():
        question.name = name


@pytest.mark.parametrize("kinds", all_groups().values(), ids=all_groups())
def test_a_right_reading_is_right(kinds: list[Kind], monkeypatch: pytest.MonkeyPatch) -> None:
    for case in (kind.make(0) for kind in kinds):
        use(monkeypatch, right_reader(case.mark))
        outcome = judge(case)
        assert outcome.verdict == "right", outcome.explanation
        assert not outcome.silent
        assert not outcome.needless


def spoiled(change: Callable[[Set], Set], confidence: str = "sure") -> Callable[[Mark], Any]:
    """A reader whose set is changed, and whose questions are all of one confidence."""

    def of_mark(mark: Mark) -> Callable[..., Reading]:
        def read_file(content: bytes, name: str, answers: Mapping[str, object]) -> Reading:
            names = ("features", "samples", "roles", "classes_from", "scale", "order", "shape")
            questions = {name: Question(confidence) for name in names}
            questions["features"].value = mark.features
            return Reading(change(right_set(mark)), questions)

        return read_file

    return of_mark


def turned(pictures: Set) -> Set:
    assert pictures.image_shape is not None
    height, width = pictures.image_shape
    images = pictures.data.reshape(-1, height, width).transpose(0, 2, 1)
    return replace(pictures, data=images.reshape(len(images), -1))


def own_scales(table: Set) -> Set:
    spread = np.ptp(table.data, axis=0)
    return replace(table, data=(table.data - table.data.min(0)) / np.where(spread, spread, 1))


CHANGES: list[tuple[str, Callable[[Set], Set]]] = [
    ("images and labels in .npz", turned),
    ("images and labels in .npz", lambda right: replace(right, data=1 - right.data)),
    ("images and labels in .npz", lambda right: replace(right, image_shape=None)),
    ("images and labels in .npz", lambda right: replace(right, image_shape=(12, 64))),
    ("images and labels in .npz", lambda right: replace(right, target=None)),
    ("spectra under a header of wavelengths, with a class", own_scales),
    ("spectra under a header of wavelengths, with a class",
     lambda right: replace(right, data=right.data[:, 1:])),
    ("flowers with a column of their species", lambda right: replace(right, data=right.data[1:])),
    ("flowers with a column of their species",
     lambda right: replace(right, target_names=("a", "b", "c"))),
    ("flowers with a column of their species",
     lambda right: replace(right, target=np.minimum(right.target, 1))),
    ("counts of fifty genes",
     lambda right: replace(right, target=np.arange(200) % 4, target_names=tuple("abcd"))),
    ("labels that are partly NaN",
     lambda right: replace(right, target=np.where(right.target < 0, 0, right.target))),
    ("masks of 0 and 1 in eight bits", lambda right: replace(right, data=right.data / 255)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change"), CHANGES)
def test_a_wrong_reading_without_a_word_is_silent(
    name: str, change: Callable[[Set], Set], monkeypatch: pytest.MonkeyPatch
) -> None:
    case = KINDS[name].make(0)
    use(monkeypatch, spoiled(change)(case.mark))
    assert judge(case).verdict == "wrong"
    assert judge(case).silent
    use(monkeypatch, spoiled(change, "likely")(case.mark))
    assert judge(case).verdict == "wrong"
    assert not judge(case).silent


def test_a_stand_in_for_a_missing_number_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    case = KINDS["numbers that stand for missing ones"].make(0)
    stored = np.asarray(case.mark.values)

    def left_in(right: Set) -> Set:
        return replace(right, data=np.where(np.isnan(stored), -9.0, right.data))

    use(monkeypatch, spoiled(left_in)(case.mark))
    assert judge(case).silent


def test_what_the_file_leaves_open_must_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    case = KINDS["genes by samples without a name"].make(0)
    use(monkeypatch, spoiled(lambda right: right)(case.mark))
    assert judge(case).silent


def test_after_a_right_answer_another_misreading_is_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case = KINDS["genes by samples without a name"].make(0)

    def read_file(content: bytes, name: str, answers: Mapping[str, object]) -> Reading:
        if "samples" not in answers:
            raise UndecidedError({"samples": Question("open", None, (Answer("columns"),))})
        right = right_set(case.mark)
        classes = replace(right, target=np.arange(len(right.data)) % 2, target_names=("a", "b"))
        return Reading(classes, {"samples": Question("given", "columns")})

    use(monkeypatch, read_file)
    outcome = judge(case)
    assert (outcome.verdict, outcome.confidence, outcome.silent) == ("wrong", "asked", True)


def test_what_must_be_asked_may_be_asked_later(monkeypatch: pytest.MonkeyPatch) -> None:
    case = KINDS["rings of trees of unequal age"].make(0)
    order = ["header", "scale", "missing"]

    def read_file(content: bytes, name: str, answers: Mapping[str, object]) -> Reading:
        questions = {name: Question("given") for name in answers}
        questions[order[len(answers)]] = Question("open", None, (Answer("a"),))
        raise UndecidedError(questions)

    use(monkeypatch, read_file)
    outcome = judge(case)
    assert (outcome.verdict, outcome.needless) == ("right", ("header", "scale"))


def test_a_needless_question_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    case = KINDS["counts of fifty genes"].make(0)

    def read_file(content: bytes, name: str, answers: Mapping[str, object]) -> Reading:
        if "samples" not in answers:
            raise UndecidedError({"samples": Question("open", None, (Answer("rows"),))})
        return Reading(right_set(case.mark))

    use(monkeypatch, read_file)
    outcome = judge(case)
    assert (outcome.verdict, outcome.confidence, outcome.needless) == (
        "right",
        "asked",
        ("samples",),
    )


def test_an_answer_that_leads_nowhere_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    case = KINDS["genes by samples without a name"].make(0)

    def read_file(content: bytes, name: str, answers: Mapping[str, object]) -> Reading:
        if "samples" not in answers:
            raise UndecidedError({"samples": Question("open", None, (Answer("rows"),))})
        wrong = right_set(case.mark)
        return Reading(replace(wrong, data=wrong.data.T))

    use(monkeypatch, read_file)
    assert judge(case).verdict == "wrong"


@pytest.mark.parametrize(
    "sentence",
    ["The file is damaged: DICOM.", "It cannot be read.", "NoDICOMs is a folder.", "{name}: no."],
)
def test_a_refusal_has_to_be_true_and_name_the_kind(
    sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = replace(KINDS["DICOM"].make(0), name="scan.DICOM")

    def read_file(content: bytes, name: str, answers: Mapping[str, object]) -> Reading:
        raise ValueError(sentence.format(name=name))

    use(monkeypatch, read_file)
    outcome = judge(case)
    assert (outcome.verdict, outcome.confidence) == ("wrong", "refused")


def test_bytes_read_as_samples_are_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    case: Case = KINDS["DICOM"].make(0)
    use(monkeypatch, spoiled(lambda right: right)(case.mark))
    assert judge(case).silent


def test_the_table_counts_and_lists_what_is_missed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def read_file(content: bytes, name: str, answers: Mapping[str, object]) -> Reading:
        if name == "iris.tsv":
            raise ValueError("Row 1 has 5 cells where the others have 6: mend that row.")
        return Reading(right_set(KINDS["R's table with a header one cell short"].make(1).mark))

    outcome_of.cache_clear()
    use(monkeypatch, read_file)
    main(["R's table"])
    outcome_of.cache_clear()
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["sure", "1", "0", "0", "0"]
    assert lines[4].split() == ["refused", "0", "1", "0", "0"]
    assert "0 misread in silence; asked about 0 of 0 plain files" in lines
    assert lines[-1].startswith(
        "refused  omics | R's table with a header one cell short | iris.tsv"
    )
