"""Which array, sheet or table holds the samples."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from cspca.datasets.files import foreign, picture_questions
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import ArrayField, ArrayGroup, Draft
from cspca.datasets.files.question import Answer, Answers, Question
from cspca.datasets.record import DatasetError

DATA_NAMES: Final = ("x", "fea", "data", "dat", "images", "features", "faces")
_TEXT: Final = "Which array holds the samples?"
_ADVICE: Final = "name the samples X or fea and their labels y or gnd"


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Propose the arrays by name, by halves, or the only one; ask between others."""
    parsed = draft.parsed
    if parsed.pictures is not None:
        return picture_questions.propose_files(parsed.pictures)
    if len(parsed.tables) > 1:
        sheets = tuple(
            Answer(table.title, table.title, example=f"{table.n_rows:,} rows")
            for table in parsed.tables
        )
        return [Question("data", "Which sheet holds the samples?", sheets, "open")]
    if not parsed.arrays:
        return []
    groups = _groups(parsed.arrays)
    if not groups:
        raise _no_samples(parsed.arrays, parsed.file)
    named = _named(groups)
    if named is not None:
        groups = [named, *(group for group in groups if group is not named)]
    first = groups[0]
    if named is not None:
        confidence, strength = "sure", "declared"
        evidence = f"Samples often go by the name {first.title}."
    elif len(groups) == 1:
        confidence, strength = "sure", "declared"
        evidence = f"{first.title} is the only array of numbers with rows and columns."
    elif first.kind != "single":
        confidence, strength = "likely", "declared"
        evidence = f"The names of {first.title} say that they belong together."
    else:
        confidence, strength, evidence = "open", "custom", ""
    options = tuple(
        Answer(
            group.title,
            group.title,
            evidence if group is first else "",
            strength if group is first else "custom",  # type: ignore[arg-type]
            group.description,
        )
        for group in groups
    )
    sentence = ""
    if first.kind == "halves":
        sentence = f"{' and '.join(field.title for field in first.fields)} are joined."
    elif first.kind == "classes":
        sentence = f"{first.title} are one class each."
    return [Question("data", _TEXT, options, confidence, sentence=sentence)]  # type: ignore[arg-type]


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Read the chosen arrays, or take the chosen sheet."""
    parsed = draft.parsed
    if parsed.pictures is not None and "data" in questions:
        picture_questions.apply_files(parsed.pictures, questions["data"].value)
    if parsed.tables:
        titles = [table.title for table in parsed.tables]
        chosen = questions["data"].value if "data" in questions else titles[0]
        draft.table = parsed.tables[titles.index(chosen)]
        draft.left_out += [f"the sheet {title}" for title in titles if title != chosen]
        draft.notes += parsed.notes
    if not parsed.arrays:
        return
    groups = {group.title: group for group in _groups(parsed.arrays)}
    draft.group = groups[questions["data"].value]
    taken = {field.name for field in draft.group.fields}
    draft.beside = [field for field in parsed.arrays if field.name not in taken]
    for number, field in enumerate(draft.group.fields):
        watch.tell(0.1 + 0.5 * number / len(draft.group.fields), f"Reading {field.title}")
        draft.parts.append(field.values(parsed.file))


def _groups(fields: Sequence[ArrayField]) -> list[ArrayGroup]:
    """Arrays, and groups of arrays, that may hold the samples: the largest first."""
    single = [ArrayGroup((field,)) for field in fields if _may_hold_samples(field)]
    if not single and len(fields) == 1 and fields[0].holds == "numbers" and fields[0].sides:
        single = [ArrayGroup((fields[0],))]
    single.sort(key=lambda group: -group.n_values)
    return [*halves(fields), *single]


def _may_hold_samples(field: ArrayField) -> bool:
    return field.holds == "numbers" and 2 <= len(field.sides) <= 4


def halves(fields: Sequence[ArrayField], *, samples: bool = True) -> list[ArrayGroup]:
    """Pairs of arrays whose names differ by saying train in one and test in the other."""
    by_name = {field.name.lower(): field for field in fields}
    pairs = []
    for first in fields:
        second = by_name.get(re.sub("train|trn", "test", first.name.lower()), first)
        alike = len(first.shape) == len(second.shape) and (
            first.shape[1:] == second.shape[1:] or first.shape[:-1] == second.shape[:-1]
        )
        fits = _may_hold_samples(first) and _may_hold_samples(second) and alike
        if second is not first and (fits or not samples):
            pairs.append(ArrayGroup((first, second), "halves"))
    return pairs


def by_name(names: Sequence[str], groups: Sequence[ArrayGroup]) -> ArrayGroup | None:
    """The group of the first of these names; capitals, and which half it is, do not count."""
    stems: dict[str, ArrayGroup] = {}
    for group in groups:
        stem = group.fields[0].name.lower()
        if group.kind == "halves":
            stem = re.sub("[_.]?(train|trn)[_.]?", "", stem)
        stems.setdefault(stem, group)
    return next((stems[name] for name in names if name in stems), None)


def _named(groups: Sequence[ArrayGroup]) -> ArrayGroup | None:
    return by_name(DATA_NAMES, groups)


def _no_samples(fields: Sequence[ArrayField], file: str) -> DatasetError:
    listed = foreign.listed([f"{field.title} ({field.description})" for field in fields], 8)
    remedy = {
        "sparse": "save full(…) of it",
        "pickled": "no Python object is ever opened here, save plain numbers",
    }
    kinds = [field.kind for field in fields if field.kind in remedy]
    advice = remedy[kinds[0]] if kinds else f"save one row of numbers a sample, and {_ADVICE}"
    return DatasetError(f"{file} holds no full array of numbers, only {listed}: {advice}.")
