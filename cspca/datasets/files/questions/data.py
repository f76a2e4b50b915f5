"""Which array, sheet or table holds the samples."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from cspca.datasets.files import foreign
from cspca.datasets.files.foreign import Watch, natural_key
from cspca.datasets.files.parsed import NEVER_OPENED, Array, ArrayField, ArrayGroup, Draft
from cspca.datasets.files.question import Answers, Confidence, Question, Strength, ranked_answers
from cspca.datasets.files.questions import picture_files
from cspca.datasets.files.tables_beside import describes, main_table
from cspca.datasets.files.vocabulary import (
    BESIDE_NAMES,
    DATA_NAMES,
    is_label_name,
    part_and_stem,
    part_order,
    words_of,
)
from cspca.datasets.record import DatasetError

_TEXT: Final = "Which array holds the samples?"
_LEAST_SIGNAL: Final = 500  # numbers
_ADVICE: Final = "name the samples X or fea and their labels y or gnd"

_NUMBERED: Final = re.compile(r"^(.*?)[_.\s{]*(\d+)}?$")
_NO_CLASSES: Final = frozenset(
    {
        "arr", "batch", "block", "channel", "chunk", "data_batch", "fold", "layer", "part", "run",
        "scan", "session", "split", "trial", "view", "w", "x_batch",
    }
)  # fmt: skip
"""Numbered arrays of these names are parts of one set, or several sets, and no classes."""

FEWEST_CLASSES: Final = 3
"""Arrays that are numbered, from which on they are proposed as one class each."""


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Propose the arrays by name, by parts, one a class, or the only one; ask between others."""
    parsed = draft.parsed
    if parsed.pictures is not None:
        return picture_files.propose_files(parsed.pictures)
    if len(parsed.tables) > 1:
        examples = {table.title: f"{table.n_rows:,} rows" for table in parsed.tables}
        titles = {title: title for title in examples}
        text = "Which table holds the samples?"
        table = parsed.tables[0]
        named = foreign.listed(table.parts)
        evidence = f"The names of {named} say that they belong together."
        sentence = f"{named} are joined."
        if not table.parts:
            main = main_table(parsed.tables)
            if main is None:
                tables = ranked_answers(titles, table.title, "", "custom", examples)
                return [Question("data", text, tables, "open")]
            others = [other.title for other in parsed.tables if other is not main]
            verb = "names" if len(others) == 1 else "name"
            table = main
            evidence = f"{foreign.listed(others)} {verb} the rows or the columns of {main.title}."
            sentence = f"The samples are in {main.title}. {evidence}"
        tables = ranked_answers(titles, table.title, evidence, "declared", examples)
        return [Question("data", text, tables, "likely", sentence=sentence)]
    if not parsed.arrays:
        return []
    groups = array_groups(parsed.arrays)
    if not groups:
        raise _no_samples(parsed.arrays, parsed.file)
    first, confidence, strength, evidence = _evidence(groups, parsed.arrays)
    examples = {group.title: group.description for group in groups}
    titles = {title: title for title in examples}
    options = ranked_answers(titles, first.title, evidence, strength, examples)
    sentence = ""
    if confidence != "open" and first.kind == "parts":
        sentence = f"{foreign.listed([field.title for field in first.fields])} are joined."
    elif confidence != "open" and first.kind == "classes":
        n_classes = len(set(first.class_names))
        sentence = f"{first.title} are one class each: {n_classes} classes."
    hidden = [field for field in parsed.arrays if _is_hidden(field)]
    if hidden:
        text = f"{hidden[0].title} {NEVER_OPENED}. {_TEXT}"
        return [Question("data", text, options, "open")]
    return [Question("data", _TEXT, options, confidence, sentence=sentence)]


def _is_hidden(field: ArrayField) -> bool:
    """Whether an array that is pickled may be the one of the samples."""
    return field.is_pickled and (field.key in DATA_NAMES or len(field.sides) > 1)


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Read the chosen arrays, or take the chosen sheet."""
    parsed = draft.parsed
    if parsed.pictures is not None and "data" in questions:
        picture_files.apply_files(parsed.pictures, questions["data"].value)
    if parsed.tables:
        titles = [table.title for table in parsed.tables]
        chosen = questions["data"].value if "data" in questions else titles[0]
        draft.table = parsed.tables[titles.index(chosen)]
        draft.notes += draft.table.notes
        taken = {chosen, *draft.table.parts}
        if len(titles) > 1:
            draft.record(array=chosen)
        for table in parsed.tables:
            if table.title in taken or chosen in table.parts:
                continue
            if not draft.table.parts and describes(table, draft.table):
                draft.tables_beside.append(table)
            else:
                draft.left_out.append(f"the table {table.title}")
    if not parsed.arrays:
        return
    groups = {group.title: group for group in array_groups(parsed.arrays)}
    draft.group = groups[questions["data"].value]
    taken = {field.name for field in draft.group.fields}
    draft.beside = [field for field in parsed.arrays if field.name not in taken]
    draft.left_out += [
        f"{field.title} {NEVER_OPENED}: {field.unpickled}"
        for field in draft.beside
        if field.is_pickled
    ]
    for number, field in enumerate(draft.group.fields):
        watch.tell(0.1 + 0.5 * number / len(draft.group.fields), f"Reading {field.title}")
        draft.parts.append(read_field(field, draft))


def _evidence(
    groups: Sequence[ArrayGroup], fields: Sequence[ArrayField]
) -> tuple[ArrayGroup, Confidence, Strength, str]:
    """Return the group with the best evidence, how sure it is, its kind, and why."""
    named = by_name(DATA_NAMES, groups)
    classes = [group for group in groups if group.kind == "classes"]
    if named is not None and not (named.kind == "single" and named in classes):
        rivals = [group for group in classes if group.n_values > named.n_values]
        if not rivals:
            why = f"Samples often go by the name {named.title}."
            return named, "sure", "declared", why
    first = groups[0]
    if first.kind == "classes":
        stem = _numbered_stem(first.fields[0].name)
        why = f"The names of {first.title} differ by a number alone, and their samples are alike."
        is_settled = (
            len(set(first.class_names)) >= FEWEST_CLASSES
            and stem not in _NO_CLASSES
            and not any(is_label_name(field.name) for field in fields)
        )
        return first, "likely" if is_settled else "open", "declared", why
    if first.kind == "parts":
        why = f"The names of {first.title} say that they belong together."
        says_part = all(part_and_stem(field.name)[0] for field in first.fields)
        return first, "likely" if says_part else "open", "declared", why
    if len(groups) == 1:
        why = "There is no other array of numbers with rows and columns."
        return first, "sure", "declared", why
    measured = [group for group in groups if BESIDE_NAMES.isdisjoint(words_of(group.fields[0].key))]
    if len(measured) == 1:
        others = foreign.listed([group.title for group in groups if group is not measured[0]])
        why = f"By its name, {others} says something about the samples."
        return measured[0], "likely", "declared", why
    numbers = [group for group in groups if group.fields[0].kind not in ("bool", "logical")]
    if len(numbers) == 1:
        why = f"{numbers[0].title} is the only array of numbers that are not yes or no."
        return numbers[0], "likely", "declared", why
    return first, "open", "custom", ""


def array_groups(fields: Sequence[ArrayField]) -> list[ArrayGroup]:
    """Arrays, and groups of arrays, that may hold the samples: the largest first."""
    possible = [field for field in fields if _may_hold_samples(field)]
    unlabelled = [field for field in possible if not is_label_name(field.name)]
    single = [ArrayGroup((field,)) for field in unlabelled or possible]
    single.sort(key=lambda group: -group.n_values)
    return [*numbered_classes(fields), *parts_of_sets(fields), *single]


def _may_hold_samples(field: ArrayField) -> bool:
    has_sides = 2 <= len(field.sides) <= 5 and min(field.shape) > 0
    return field.holds == "numbers" and has_sides


def parts_of_sets(fields: Sequence[ArrayField], *, samples: bool = True) -> list[ArrayGroup]:
    """Arrays whose names differ by saying train, validation or test.

    Parameters
    ----------
    fields : sequence of ArrayField
    samples : bool, default=True
        Only those that may hold samples of the same features.
    """
    by_stem: dict[str, dict[str, ArrayField]] = defaultdict(dict)
    for field in fields:
        word, stem = part_and_stem(field.name)
        if word and (not samples or _may_hold_samples(field)):
            by_stem[stem].setdefault(word, field)
    groups = []
    for members in by_stem.values():
        ordered = [members[word] for word in sorted(members, key=part_order)]
        if len(ordered) > 1 and (not samples or _are_alike(ordered)):
            groups.append(ArrayGroup(tuple(ordered), "parts"))
    return groups


def _are_alike(fields: Sequence[ArrayField]) -> bool:
    """Whether arrays differ in the length of the first side alone, or of the last alone."""
    first = fields[0].shape
    return all(
        len(field.shape) == len(first)
        and (field.shape[1:] == first[1:] or field.shape[:-1] == first[:-1])
        for field in fields
    )


def _numbered_stem(name: str) -> str:
    _, stem = part_and_stem(name)
    match = _NUMBERED.match(stem)
    return (match.group(1) if match else stem).strip("_.{ ")


def numbered_classes(fields: Sequence[ArrayField]) -> list[ArrayGroup]:
    """Arrays whose names differ by a number alone, in one part of a set or in all of its parts."""
    by_stem: dict[str, list[tuple[tuple[tuple[int, int, str], ...], ArrayField, str]]]
    by_stem = defaultdict(list)
    for field in fields:
        word, stem = part_and_stem(field.name)
        match = _NUMBERED.match(stem) or _NUMBERED.match(field.name.lower())
        if match and _may_hold_samples(field):
            key = natural_key(f"{part_order(word) if word else 0} {match.group(2)}")
            by_stem[match.group(1).strip("_.{ ")].append((key, field, match.group(2)))
    groups = []
    for members in by_stem.values():
        members.sort(key=lambda member: member[0])
        ordered = tuple(member[1] for member in members)
        names = tuple(member[2] for member in members)
        if len(set(names)) > 1 and _are_alike(ordered):
            classes = ArrayGroup(ordered, "classes", names)
            joined = ArrayGroup(ordered, "parts")
            is_of_parts = _numbered_stem(ordered[0].name) in _NO_CLASSES
            groups += [joined, classes] if is_of_parts else [classes, joined]
    return groups


def by_name(names: Sequence[str], groups: Sequence[ArrayGroup]) -> ArrayGroup | None:
    """The group of the first of these names; capitals, and which part it is, do not count."""
    stems: dict[str, ArrayGroup] = {}
    for group in groups:
        if group.kind != "classes":
            stem = group.fields[0].key
            if group.kind == "parts":
                stem = part_and_stem(group.fields[0].name)[1]
            stems.setdefault(stem, group)
    return next((stems[name] for name in names if name in stems), None)


def read_field(field: ArrayField, draft: Draft) -> Array:
    """Read an array without a last side of length 1; NaN where a mask beside it says so."""
    return _without_last_side(_without_masked(field, draft))


def _without_masked(field: ArrayField, draft: Draft) -> Array:
    """Return values, NaN where an array of the name ``mask`` says that they are missing."""
    values = field.values(draft.parsed.file)
    for mask in draft.beside:
        is_mask = mask.key in ("mask", f"{field.key}_mask", f"mask_{field.key}")
        if is_mask and mask.kind in ("bool", "logical") and mask.shape == field.shape:
            is_missing = mask.values(draft.parsed.file).astype(bool)
            if 0 < is_missing.mean() < 0.5:
                draft.notes.append(f"{mask.title} says which values of {field.title} are missing.")
                return np.where(is_missing, np.nan, values)
    return values


def _without_last_side(values: Array) -> Array:
    """Return (n, …, 1) as (n, …): one channel, or one variable, is none."""
    return values[..., 0] if values.ndim > 2 and values.shape[-1] == 1 else values


def _no_samples(fields: Sequence[ArrayField], file: str) -> DatasetError:
    listed = foreign.listed([f"{field.title} ({field.description})" for field in fields], 8)
    remedy = {
        "cell": "save its numbers as one array with rows and columns, and words with cellstr",
        "struct": "save its fields as variables of their own",
        "void": "write it as a table with pandas.DataFrame(array).to_csv(…, index=False)",
        "complex": "save real numbers, for example their absolute values",
    }
    lines = [field for field in fields if field.holds == "numbers" and min(field.shape or (0,)) > 0]
    pickled = [field for field in fields if field.is_pickled]
    compressed = [field.kind for field in fields if field.kind.endswith("-compressed")]
    kinds = [kind for field in fields for kind in remedy if field.kind.startswith(kind)]
    if compressed:
        advice = f"{compressed[0].split('-')[0]} is not unpacked here, write it with gzip"
    elif pickled:
        advice = f"no Python object is ever opened here, {pickled[0].unpickled}"
    elif kinds:
        advice = remedy[kinds[0]]
    elif len(lines) == len(fields) == 1 and lines[0].sides:
        return DatasetError(
            f"{file}: {lines[0].title} is one row of {lines[0].sides[0]:,} numbers: save one row a "
            "sample, and at least two samples."
        )
    elif (signal := _longest_signal(fields)) is not None:
        return DatasetError(
            f"{file} holds no table but one signal an array, such as {signal.title} of "
            f"{max(signal.sides):,} numbers: cut it into windows of equal length and save one "
            "window a row."
        )
    else:
        advice = f"save one row of numbers a sample, and {_ADVICE}"
    return DatasetError(f"{file} holds no full array of numbers, only {listed}: {advice}.")


def _longest_signal(fields: Sequence[ArrayField]) -> ArrayField | None:
    """The longest array of one row or column, where all are of numbers and none has two sides."""
    if any(field.holds != "numbers" or len(field.sides) > 1 for field in fields):
        return None
    signals = [field for field in fields if field.sides and max(field.sides) >= _LEAST_SIGNAL]
    return max(signals, key=lambda field: max(field.sides), default=None)
