"""What says the class of each sample: an array, a column, a folder, a part of a file name."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, Literal

import numpy as np

from cspca.datasets.files.doubtful_words import (
    confidence_of,
    label_readings,
    question_about,
    reading_of,
)
from cspca.datasets.files.foreign import Watch, clean_name
from cspca.datasets.files.one_hot import NO_COLUMN, marked_columns
from cspca.datasets.files.parsed import Array, ArrayField, ArrayGroup, Draft
from cspca.datasets.files.question import NONE, Answer, Answers, Confidence, Question, Strength
from cspca.datasets.files.questions import picture_files, recordings, table_classes
from cspca.datasets.files.questions.data import parts_of_sets
from cspca.datasets.files.vocabulary import (
    ROLES_BESIDE,
    is_label_name,
    label_rank,
    part_of_name,
    words_of,
)
from cspca.datasets.record import DatasetError
from cspca.labels import FEWEST_SCORED, Labels, parse_labels

CLASS_NAME_FIELDS: Final = (
    "target_names", "class_names", "classnames", "label_names", "labelnames", "classes",
    "categories", "fine_label_names", "names_of_classes",
)  # fmt: skip
TEXT: Final = "What says the class of each sample?"


_BUT_UNLABELLED: Final = " without -1"
"""End of the answer by which −1 says that a sample has no label."""

_MOST_FACTORS: Final = 12
_MOST_LEVELS: Final = 30


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Propose the array by name, or the only one of words that repeat; ask between several."""
    if draft.parsed.pictures is not None:
        return picture_files.propose_classes(draft.parsed.pictures)
    if draft.table is not None:
        return table_classes.questions_of(draft, answers)
    if draft.group is None or draft.group.kind == "classes" or draft.classes_by_layer is not None:
        return []
    candidates = _candidates(draft)
    misfits = _misfits(draft, candidates)
    draft.left_out += misfits
    if not candidates:
        return []
    group, confidence, strength, evidence = _evidence(draft, candidates)
    sentence = ""
    if group is not None and confidence != "open":
        sentence = f"Classes are from {group.title}. {evidence}"
    elif group is None and confidence == "likely":
        sentence = evidence
    ordered = [
        *([group] if group else []),
        *(candidate for candidate in candidates if candidate is not group),
    ]
    options: list[Answer] = []
    for candidate in ordered:
        is_first = candidate is group
        options += _options(candidate, draft, evidence if is_first else "", strength)
    none = Answer(NONE, "No classes", evidence if group is None else "")
    options = [none, *options] if group is None and confidence != "open" else [*options, none]
    text = f"{evidence} {TEXT}" if confidence == "open" and evidence else TEXT
    return [Question("classes_from", text, tuple(options), confidence, sentence=sentence)]


def _evidence(
    draft: Draft, candidates: Sequence[ArrayGroup]
) -> tuple[ArrayGroup | None, Confidence, Strength, str]:
    """Return the labels with the best evidence or None, how sure, its kind, and why."""
    named = [group for group in candidates if is_label_name(group.fields[0].name)]
    named.sort(key=lambda group: label_rank(group.fields[0].name) or 0)
    if len(candidates) > len(named):
        named = [group for group in named if not _are_counters(_parsed(group, draft))]
    if named:
        first, parsed = named[0], _parsed(named[0], draft)
        if _are_classes(parsed, FEWEST_SCORED):
            have = "have" if len(first.fields) > 1 else "has"
            evidence = f"{first.title} {have} one label for each sample."
            n_labelled = first.fields[0].attributes.get("n_labelled")
            if n_labelled is not None:
                n_others = len(draft.data) - n_labelled
                evidence = (
                    f"{first.title} has one label for each of its {n_labelled:,} samples; the "
                    f"other {n_others:,} have none."
                )
            unlabelled = _is_none_of(parsed)
            confidence: Confidence = "open" if unlabelled == "unsure" else "sure"
            confidence, about_words = _about_words(first, draft, confidence)
            return first, confidence, "declared", about_words or evidence
        may_be_classes = bool(parsed.n_labelled and not parsed.measured and len(parsed.classes) > 1)
        why = _why_not(parsed, first.title)
        return None, "open" if may_be_classes else "likely", "measured", why
    others = [group for group in candidates if not _has_role_beside(group)]
    classes = [group for group in others if _are_classes(_parsed(group, draft))]
    words = [group for group in classes if not _parsed(group, draft).numeric]
    if words and len({_values(group, draft).astype(str).tobytes() for group in words}) == 1:
        evidence = f"{words[0].title} has one word for each sample, and its words repeat."
        confidence, about_words = _about_words(words[0], draft, "likely")
        return words[0], confidence, "measured", about_words or evidence
    if classes:
        # Whole numbers that repeat may be counts; they are offered.
        return classes[0], "open", "custom", ""
    return None, "default", "custom", ""


def _about_words(group: ArrayGroup, draft: Draft, confidence: Confidence) -> tuple[Confidence, str]:
    """Return how sure labels are once doubtful words are looked at, and what to ask of these."""
    labels = _values(group, draft)
    return confidence_of(confidence, labels), question_about(group.title, labels)


def _options(group: ArrayGroup, draft: Draft, evidence: str, strength: Strength) -> list[Answer]:
    """Return what a person may answer for an array: as it is, or with −1 for no label."""
    parsed = _parsed(group, draft)
    plain = Answer(group.title, group.title, evidence, strength, _described(parsed))
    unlabelled = _is_none_of(parsed)
    if not unlabelled:
        readings = label_readings(group.title, _values(group, draft))
        if len(readings) == 1:
            return [plain]
        return [
            Answer(reading.value, reading.words, evidence, strength, reading.example)
            for reading in readings
        ]
    share = int((parsed.numbers == 0).sum())
    but = Answer(
        group.title + _BUT_UNLABELLED,
        f"{group.title}, where −1 is no label",
        f"{share:,} of {len(parsed.numbers):,} are −1, beside 0 to {len(parsed.classes) - 2}.",
        "measured",
        f"{len(parsed.classes) - 1:,} classes, {share:,} without a label",
    )
    return [but, plain]


def _is_none_of(parsed: Labels) -> Literal["sure", "unsure", ""]:
    """Whether −1 stands beside 0, 1, … k: no label for certain where most are, else it may be."""
    if not parsed.numeric or len(parsed.classes) < 3 or parsed.classes[0] != -1:
        return ""
    if not (parsed.classes[1:] == np.arange(len(parsed.classes) - 1)).all():
        return ""
    return "sure" if (parsed.numbers == 0).mean() > 0.5 else "unsure"


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Take the labels, and the names that the file has for its classes."""
    pictures = draft.parsed.pictures
    if pictures is not None:
        source = questions["classes_from"].value if "classes_from" in questions else NONE
        if source != NONE:
            labels = {origin.name: origin.labels for origin in pictures.classes.sources}[source]
            draft.labels = np.array(labels, dtype=object)
            draft.labels_source, draft.missing_words = source, frozenset()
            draft.class_words = frozenset(labels) - {""}
        return
    if draft.table is not None:
        table_classes.take(draft, questions, answers)
        return
    if draft.group is None:
        return
    if draft.group.kind == "classes":
        lengths = [len(part) for part in draft.parts]
        draft.labels = np.repeat(np.array(draft.group.class_names, dtype=object), lengths)
        draft.labels_source = draft.group.title
        return
    if draft.classes_by_layer is not None:
        n_classes, n_samples = draft.classes_by_layer
        draft.labels = np.repeat(np.arange(1, n_classes + 1), n_samples)
        draft.labels_source = draft.group.title
        return
    question = questions.get("classes_from")
    if question is None or question.value == NONE:
        return
    group, draft.class_words = _chosen(question.value, draft)
    values = _values(group, draft)
    draft.labels = _named_classes(values, draft)
    if question.value == group.title + _BUT_UNLABELLED:
        draft.labels = draft.labels.astype(object)
        draft.labels[values == -1] = None
    draft.labels_source = group.title
    parsed = parse_labels(draft.labels, group.title, class_words=draft.class_words)
    if parsed.measured or not parsed.n_labelled:
        raise DatasetError(
            f"{draft.parsed.file}: {_why_not(parsed, group.title)} Choose other classes, or none."
        )


def _chosen(value: str, draft: Draft) -> tuple[ArrayGroup, frozenset[str]]:
    """Labels that an answer names, and the doubtful words in them that are classes by it."""
    candidates = _candidates(draft)
    for group in candidates:
        if value in (group.title, group.title + _BUT_UNLABELLED):
            return group, frozenset()
    for group in candidates:
        reading = reading_of(value, group.title, _values(group, draft))
        if reading is not None:
            return group, reading.class_words
    raise AssertionError(value)  # the question takes its own answers alone


def label_fields(draft: Draft) -> list[ArrayField]:
    """Arrays beside the samples that a name declares to be labels."""
    return [field for field in draft.beside if is_label_name(field.name) and field.holds]


def labelled_side(field: ArrayField, first: int, last: int) -> Literal["rows", "columns", ""]:
    """Side of the samples of which an array of labels has one entry each; empty for both."""
    lengths = set(field.sides)
    if (first in lengths) != (last in lengths):
        return "rows" if first in lengths else "columns"
    return ""


def _has_role_beside(group: ArrayGroup) -> bool:
    """Whether a name says that an array is a clock, a number of the sample, a weight or a split."""
    return any(not ROLES_BESIDE.isdisjoint(words_of(field.key)) for field in group.fields)


def _candidates(draft: Draft) -> list[ArrayGroup]:
    """Arrays, or the parts of a set, that have one label a sample."""
    assert draft.group is not None
    groups = [ArrayGroup((field,)) for field in draft.beside]
    if draft.group.kind == "parts":
        groups = [*parts_of_sets(draft.beside, samples=False), *groups]
    fitting = [group for group in groups if _fits(group, draft)]
    if not any(is_label_name(group.fields[0].name) for group in fitting):
        fitting += [ArrayGroup((field,)) for field in _labels_of_a_part(draft)]
    return [*fitting, *(ArrayGroup((field,)) for field in _factors(draft))]


def _labels_of_a_part(draft: Draft) -> list[ArrayField]:
    """Labels of one part of a set alone, with none for the samples of its other parts."""
    assert draft.group is not None
    if draft.group.kind != "parts" or len(draft.group.fields) != len(draft.parts):
        return []
    lengths = [len(part) for part in draft.parts]
    words = [part_of_name(field.name) for field in draft.group.fields]
    fields = []
    for field in label_fields(draft):
        part = part_of_name(field.name)
        if not part or part not in words:
            continue
        place = words.index(part)
        if field.sides == (lengths[place],):
            load = partial(_padded, field, lengths, place, draft.parsed.file)
            attributes = {**field.attributes, "n_labelled": lengths[place]}
            kind = "text" if field.holds == "words" else "float64"
            fields.append(ArrayField(field.name, (sum(lengths),), kind, load, attributes))
    return fields


def _padded(field: ArrayField, lengths: Sequence[int], place: int, file: str) -> Array:
    """Labels of one part of a set among those of the others, which have none."""
    labels = field.values(file).ravel()
    start = sum(lengths[:place])
    is_words = field.holds == "words"
    padded: Array = np.full(sum(lengths), "" if is_words else np.nan, object if is_words else float)
    padded[start : start + lengths[place]] = labels
    return padded


def _factors(draft: Draft) -> list[ArrayField]:
    """The columns of arrays of a few whole numbers a sample, such as the factors of a design."""
    n_samples, file = len(draft.data), draft.parsed.file
    factors = []
    for field in draft.beside:
        sides = field.sides
        if field.holds != "numbers" or len(sides) != 2 or sides[0] != n_samples:
            continue
        if not 2 <= sides[1] <= _MOST_FACTORS or n_samples <= _MOST_FACTORS:
            continue
        values = field.values(file).reshape(sides)
        if label_per_sample(values, n_samples) is not None:
            continue
        columns = [place for place in range(sides[1]) if _is_factor(values[:, place])]
        # Of an array of labels, as MNE's events, one column may tell the class.
        is_of_labels = is_label_name(field.name) and _are_whole(values)
        if len(columns) < sides[1] and not is_of_labels:
            continue
        factors += [
            ArrayField(
                f"{field.name}, column {place + 1}",
                (n_samples,),
                field.kind,
                partial(np.ascontiguousarray, values[:, place]),
                {"column_of": field.name},
            )
            for place in columns
        ]
    return factors


def _are_whole(values: Array) -> bool:
    return bool(np.isfinite(values).all() and (values == np.rint(values)).all())


def _is_factor(column: Array) -> bool:
    """Whether a column holds a few whole numbers, each of which several samples share."""
    if not _are_whole(column):
        return False
    n_levels = len(np.unique(column))
    return 2 <= n_levels <= min(_MOST_LEVELS, len(column) / FEWEST_SCORED)


def _misfits(draft: Draft, candidates: Sequence[ArrayGroup]) -> list[str]:
    """Arrays that go by a name of labels and are not one a sample, a phrase each."""
    fields = [field for group in candidates for field in group.fields]
    fitting = {field.attributes.get("column_of", field.name) for field in fields}
    n_samples = len(draft.data)
    remedies = {
        "cell": "is a cell array of other things than words: save one word or number a sample",
        "complex": "holds complex numbers: save one real number or word a sample",
        "damaged": "is damaged",
    }
    phrases = []
    names_of_lines: set[str] = set()
    if draft.data.ndim > 2:
        named = recordings.names_of_sides(draft, draft.data.shape[1:])
        names_of_lines = {names.field.name for names in named if names is not None}
    for field in draft.beside:
        is_class_names = field.key in CLASS_NAME_FIELDS
        if label_rank(field.name) is None or field.name in fitting or is_class_names:
            continue
        if field.is_pickled:
            continue  # said when the samples were chosen
        if field.holds and (math.prod(field.shape) == 0 or field.name in names_of_lines):
            continue
        if field.kind == "cell of strings":
            name = field.title
            phrases.append(
                f"{name} is a cell array of MATLAB strings: save cellstr(string({name}))"
            )
            continue
        remedy = remedies.get(re.sub(r"\d", "", field.kind))
        if remedy is None and _are_targets(field, draft):
            draft.notes.append(
                f"{field.title} holds {field.sides[1]:,} measured numbers for each sample: "
                "targets, no classes."
            )
            continue
        size = f"({field.description}) is not one label for each of {n_samples:,} samples"
        phrases.append(f"{field.title} {remedy or size}")
    return phrases


def _are_targets(field: ArrayField, draft: Draft) -> bool:
    """Whether an array has several numbers for each sample that are not whole."""
    if field.holds != "numbers" or len(field.sides) != 2 or field.sides[0] != len(draft.data):
        return False
    values = field.values(draft.parsed.file)
    return bool(np.isfinite(values).all() and (values != np.rint(values)).any())


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
            if math.prod(field.shape) != length:
                return False
        elif field.sides != (length,) and not (
            len(field.sides) == 2
            and length in field.sides
            and min(field.sides) <= 1000
            and label_per_sample(field.values(draft.parsed.file), length) is not None
        ):
            return False
    return True


def label_per_sample(labels: Array, n_samples: int) -> Array | None:
    """One label a sample from a vector, or from one column a class; None if it is neither."""
    if labels.size == n_samples:
        return labels.ravel()
    if labels.ndim != 2 or n_samples not in labels.shape or labels.dtype.kind not in "fiub":
        return None
    by_sample = labels if labels.shape[0] == n_samples else labels.T
    marked = marked_columns(by_sample)
    if marked is None or (marked != NO_COLUMN).all():
        return marked
    return np.where(marked == NO_COLUMN, np.nan, marked)


def _values(group: ArrayGroup, draft: Draft) -> Array:
    lengths = [len(part) for part in draft.parts]
    if len(group.fields) != len(lengths):
        lengths = [sum(lengths)]
    parts = []
    for field, length in zip(group.fields, lengths, strict=True):
        values = label_per_sample(field.values(draft.parsed.file), length)
        assert values is not None
        parts.append(values)
    return np.concatenate(parts)


def _parsed(group: ArrayGroup, draft: Draft) -> Labels:
    return parse_labels(_values(group, draft), group.title)


def _are_classes(parsed: Labels, least_share: float = 2) -> bool:
    """Whether several samples share a label: so many on average, at least."""
    return bool(
        not parsed.measured
        and not parsed.unsure
        and len(parsed.classes) > 1
        and least_share * len(parsed.classes) <= parsed.n_labelled
    )


def _are_counters(parsed: Labels) -> bool:
    """Whether whole numbers all differ, as those that count samples do."""
    return parsed.numeric and not parsed.measured and len(parsed.classes) == parsed.n_labelled > 1


def _described(parsed: Labels) -> str:
    if parsed.measured:
        return "a measured target"
    shown = ", ".join(clean_name(name, 20) for name in parsed.names[:3])
    dots = ", …" if len(parsed.classes) > 3 else ""
    return f"{len(parsed.classes):,} classes: {shown}{dots}"


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
    if len(parsed.classes) == 1:
        return f"{source} is the same for all samples."
    count = f"{len(parsed.classes):,} different"
    if parsed.numeric:
        return (
            f"{source} holds {count} whole numbers for {parsed.n_labelled:,} samples, which may be "
            "a measurement."
        )
    return (
        f"{source} holds {count} words for {parsed.n_labelled:,} samples, which may be their names."
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
            names = _distinct(names, start)
            for number in kinds:
                named[numbers == number] = names[int(number) - start]
            # Names of classes by their numbers say of none that it is missing.
            draft.class_words = frozenset(names)
            return named
    return labels


def _distinct(names: Sequence[str], start: int) -> tuple[str, ...]:
    """Names of classes that are numbered from `start`: with the number, where some share one."""
    if len(set(names)) == len(names):
        return tuple(names)
    return tuple(f"{name} ({number})".strip() for number, name in enumerate(names, start))


def _class_names(fields: Sequence[ArrayField], file: str) -> tuple[str, ...]:
    for field in fields:
        if field.key in CLASS_NAME_FIELDS and field.holds == "words":
            return tuple(str(word).strip() for word in field.values(file).ravel())
    return ()
