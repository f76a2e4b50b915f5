"""What says the class of each sample: an array, a column, a folder, a part of a file name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

import numpy as np

from cspca.datasets.files import picture_questions
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Array, ArrayField, ArrayGroup, Draft
from cspca.datasets.files.question import NONE, Answer, Answers, Confidence, Question
from cspca.datasets.record import DatasetError
from cspca.labels import Labels, parse_labels

LABEL_NAMES: Final = (
    "gnd", "y", "labels", "label", "target", "targets", "class", "classes", "subject", "person",
    "species", "cell_type", "celltype", "fine_labels", "coarse_labels", "group",
)  # fmt: skip
CLASS_NAME_FIELDS: Final = (
    "target_names", "class_names", "classnames", "label_names", "labelnames", "classes",
    "categories",
)  # fmt: skip
TEXT: Final = "What says the class of each sample?"


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Propose the array by name, or the only one that looks like classes; ask between several."""
    if draft.parsed.pictures is not None:
        return picture_questions.propose_classes(draft.parsed.pictures)
    if draft.group is None:
        return []
    if draft.group.kind == "classes":
        return []
    candidates = _candidates(draft)
    counts = {group.title: _described(group, draft) for group in candidates}
    named = [group for group in candidates if _name(group) in LABEL_NAMES]
    named.sort(key=lambda group: LABEL_NAMES.index(_name(group)))
    classes = [group for group in candidates if _are_classes(_parsed(group, draft))]
    confidence: Confidence = "default"
    first: ArrayGroup | None = None
    evidence = sentence = ""
    if named and _are_classes(_parsed(named[0], draft)):
        first, confidence = named[0], "sure"
        evidence = f"{first.title} is a name of labels, and has one for each sample."
    elif named:
        sentence = _why_not(_parsed(named[0], draft), named[0].title)
        confidence = "likely"
        if _may_be_codes(_parsed(named[0], draft)):
            confidence = "open"
    elif len(classes) == 1:
        first, confidence = classes[0], "likely"
        evidence = f"{first.title} has one entry for each sample, and its entries repeat."
    elif classes:
        confidence = "open"
    if first is not None:
        sentence = f"Classes are from {first.title}. {evidence}"
    if not candidates:
        return []
    ordered = [*([first] if first else []), *(one for one in candidates if one is not first)]
    options = [
        Answer(
            group.title,
            group.title,
            evidence if group is first else "",
            "declared" if group in named else "measured",
            counts[group.title],
        )
        for group in ordered
    ]
    none = Answer(NONE, "No classes")
    options = [*options, none] if first or confidence == "open" else [none, *options]
    return [Question("classes_from", TEXT, tuple(options), confidence, sentence=sentence)]


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Take the labels, and the names that the file has for its classes."""
    pictures = draft.parsed.pictures
    if pictures is not None:
        source = questions["classes_from"].value if "classes_from" in questions else NONE
        if source != NONE:
            labels = {origin.name: origin.labels for origin in pictures.classes.sources}[source]
            draft.labels = np.array(labels, dtype=object)
            draft.labels_source, draft.missing_words = source, frozenset()
        return
    if draft.group is None:
        return
    if draft.group.kind == "classes":
        lengths = [len(part) for part in draft.parts]
        draft.labels = np.repeat(np.array(draft.group.class_names, dtype=object), lengths)
        draft.labels_source = draft.group.title
        return
    question = questions.get("classes_from")
    if question is None or question.value == NONE:
        return
    groups = {group.title: group for group in _candidates(draft)}
    group = groups[question.value]
    draft.labels = _named_classes(_values(group, draft), draft)
    draft.labels_source = group.title
    parsed = parse_labels(draft.labels, group.title)
    if parsed.measured or not parsed.n_labelled:
        raise DatasetError(
            f"{draft.parsed.file}: {_why_not(parsed, group.title)} Choose other classes, or none."
        )


def label_fields(draft: Draft) -> list[ArrayField]:
    """Arrays beside the samples that a name declares to be labels."""
    return [field for field in draft.beside if field.name.lower() in LABEL_NAMES and field.holds]


def one_hot_side(field: ArrayField, first: int, last: int) -> Literal["rows", "columns", ""]:
    """Side of the samples of which an array of labels has one entry each; empty for both."""
    lengths = set(field.sides) if field.holds == "numbers" else set(field.shape[:1])
    if (first in lengths) != (last in lengths):
        return "rows" if first in lengths else "columns"
    return ""


def _name(group: ArrayGroup) -> str:
    from cspca.datasets.files.questions.data import by_name

    for name in LABEL_NAMES:
        if by_name((name,), (group,)) is not None:
            return name
    return ""


def _candidates(draft: Draft) -> list[ArrayGroup]:
    """Arrays, or pairs of arrays, that have one label a sample."""
    from cspca.datasets.files.questions.data import halves

    assert draft.group is not None
    groups = [ArrayGroup((field,)) for field in draft.beside]
    if draft.group.kind == "halves":
        groups = [*halves(draft.beside, samples=False), *groups]
    return [group for group in groups if _fits(group, draft)]


def _fits(group: ArrayGroup, draft: Draft) -> bool:
    lengths = [len(part) for part in draft.parts]
    if len(group.fields) != len(lengths):
        lengths = [sum(lengths)]
    if len(group.fields) != len(lengths):
        return False
    for field, length in zip(group.fields, lengths, strict=True):
        if not field.holds or len(field.shape) > 2:
            return False
        if field.holds == "words":
            if field.shape[:1] != (length,):
                return False
        elif field.sides != (length,) and not (
            len(field.sides) == 2
            and length in field.sides
            and min(field.sides) <= 1000
            and one_label_each(field.values(draft.parsed.file), length) is not None
        ):
            return False
    return True


def one_label_each(labels: Array, n_samples: int) -> Array | None:
    """One label a sample from a vector, or from one column a class; None if it is neither."""
    if labels.size == n_samples:
        return labels.ravel()
    if labels.ndim != 2 or n_samples not in labels.shape or labels.dtype.kind not in "fiub":
        return None
    by_sample = labels if labels.shape[0] == n_samples else labels.T
    # One column a class: 1 where it is the sample's, against 0 or −1.
    is_class = by_sample == 1
    rest = np.unique(by_sample[~is_class])
    if len(rest) != 1 or rest[0] not in (0, -1) or not (is_class.sum(axis=1) == 1).all():
        return None
    numbers: Array = is_class.argmax(axis=1)
    return numbers


def _values(group: ArrayGroup, draft: Draft) -> Array:
    lengths = [len(part) for part in draft.parts]
    if len(group.fields) != len(lengths):
        lengths = [sum(lengths)]
    parts = []
    for field, length in zip(group.fields, lengths, strict=True):
        values = one_label_each(field.values(draft.parsed.file), length)
        assert values is not None
        parts.append(values)
    return np.concatenate(parts)


def _parsed(group: ArrayGroup, draft: Draft) -> Labels:
    return parse_labels(_values(group, draft), group.title)


def _are_classes(parsed: Labels) -> bool:
    return bool(
        not parsed.measured
        and not parsed.unsure
        and len(parsed.classes) > 1
        and len(parsed.classes) <= parsed.n_labelled / 2
    )


def _may_be_codes(parsed: Labels) -> bool:
    return bool(parsed.n_labelled and not parsed.measured and parsed.unsure)


def _described(group: ArrayGroup, draft: Draft) -> str:
    parsed = _parsed(group, draft)
    if parsed.measured:
        return "a measured target"
    return f"{len(parsed.classes):,} classes"


def _why_not(parsed: Labels, source: str) -> str:
    """Why labels are not taken for classes, as a sentence."""
    if not parsed.n_labelled:
        return f"{source} holds no label."
    if parsed.measured:
        example = parsed.example.replace("-", "−")
        return (
            f"{source} holds numbers that are not whole, such as {example}: a measured target, "
            "no classes."
        )
    return (
        f"{source} holds {len(parsed.classes):,} different whole numbers for "
        f"{parsed.n_labelled:,} samples, which may be a measurement."
    )


def _named_classes(labels: Array, draft: Draft) -> Array:
    """Labels by name, where the file has one name for each of the numbers from 0 or 1 on."""
    if labels.dtype.kind not in "fiub":
        return labels
    names = _class_names(draft.beside, draft.parsed.file)
    if not names:
        return labels
    numbers = labels.astype(float)
    kinds = np.unique(numbers[np.isfinite(numbers)])
    for start in (0, 1):
        if len(kinds) and kinds[0] >= start and set(kinds) <= set(range(start, start + len(names))):
            named = np.full(len(labels), "", dtype=object)
            for number in kinds:
                named[numbers == number] = names[int(number) - start]
            return named
    return labels


def _class_names(fields: Sequence[ArrayField], file: str) -> tuple[str, ...]:
    for field in fields:
        if field.name.lower() in CLASS_NAME_FIELDS and field.holds == "words":
            return tuple(str(word) for word in field.values(file).ravel())
    return ()
