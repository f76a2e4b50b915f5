"""Whether each row of a table is a sample, or a measurement of one; and pairs of columns."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from cspca.datasets.axis import is_monotonic
from cspca.datasets.files import foreign
from cspca.datasets.files.curves import UnlikeAxesError, curve_table, joined_curves
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Array, Draft, Table
from cspca.datasets.files.question import NONE, Answer, Answers, Confidence, Question
from cspca.datasets.files.table_form import LongTable, are_coordinates, long_table
from cspca.datasets.files.vocabulary import Topic, ends_in_word_of, fold, is_word_of
from cspca.datasets.record import DatasetError

PAIRS: Final = "pairs"
_TEXT: Final = "Is each row a sample, or one value of a sample?"
_JOIN: Final = " × "
_WITH: Final = " + "
_MOST_BEFORE_NONE: Final = 4
_LEAST_PAIRS: Final = 2
_LEAST_POINTS: Final = 5
_WIDE: Final = 20  # columns of numbers of a table that is not long


Split = tuple[tuple[str, ...], tuple[str, ...]]
"""Columns that together tell the samples, and those that tell what is measured of each."""


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Ask where two columns number the rows once, or columns come in pairs of axis and curve."""
    table = draft.table
    if table is None:
        return []
    if comes_in_pairs(table):
        return [_of_pairs(table)]
    if not table.names_are_written:
        return []
    places = table.places
    reading = long_table(table.columns(), [table.titles[place] for place in places])
    if reading is None or _is_wide(table, reading.keys):
        return []
    options = [
        _one_sample_for_each(
            reading, samples, features, table.n_rows, reading.evidence if place == 0 else ""
        )
        for place, (samples, features) in enumerate(_splits(table, reading))
    ]
    each_row = Answer(NONE, "Each row is a sample", example=f"{table.n_rows:,} samples")
    options.insert(_MOST_BEFORE_NONE, each_row)
    return [Question("pivot", _TEXT, tuple(options), "open")]


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Turn a long table, or pairs of columns, into one row a sample."""
    question = questions.get("pivot")
    if draft.table is None or question is None or question.value == NONE:
        return
    if question.value == PAIRS:
        draft.table = _joined_pairs(draft, draft.table)
        return
    keys = _keys_in(question.value, draft.table.titles)
    assert keys is not None  # the answers are made of the titles
    draft.table = _pivoted(draft, draft.table, *keys)


def fits(table: Table, value: str) -> bool:
    """Whether a table can be turned as another one was."""
    if value == PAIRS:
        return not _holds_words(table) and len(table.number_places) % 2 == 0
    return _keys_in(value, table.titles) is not None


def _keys_in(value: str, titles: Sequence[str]) -> Split | None:
    """Return the columns that an answer names, whose titles may hold its marks; None for others."""
    title = "|".join(re.escape(title) for title in sorted(titles, key=len, reverse=True))
    mark, step = re.escape(_WITH), re.escape(_JOIN)
    match = re.fullmatch(f"((?:{title})(?:{mark}(?:{title}))*)((?:{step}(?:{title}))+)", value)
    if match is None:
        return None
    samples = re.findall(f"({title})(?:{mark}|$)", match[1])
    return tuple(samples), tuple(re.findall(f"{step}({title})", match[2]))


def _one_sample_for_each(
    reading: LongTable,
    samples: Sequence[str],
    features: Sequence[str],
    n_rows: int,
    evidence: str,
) -> Answer:
    """Return the answer that makes a sample of the rows with the same values of some keys."""
    counts = dict(zip(reading.keys, reading.counts, strict=True))
    n_samples = math.prod(counts[key] for key in samples)
    if len(samples) > 1:  # places need not fill a rectangle
        n_samples = n_rows // math.prod(counts[key] for key in features)
    return Answer(
        _value(samples, features),
        f"One sample for each {_quoted(samples)}",
        evidence,
        "measured" if evidence else "custom",
        f"{n_samples:,} samples, with {_a_feature_for_each(features)}",
    )


def _a_feature_for_each(features: Sequence[str]) -> str:
    together = {1: "", 2: "pair of "}.get(len(features), "combination of ")
    return f"a feature for each {together}{_quoted(features)}"


def _value(samples: Sequence[str], features: Sequence[str]) -> str:
    return f"{_WITH.join(samples)}{_JOIN}{_JOIN.join(features)}"


def _quoted(names: Sequence[str]) -> str:
    """Return names in quotation marks, with “and” before the last."""
    *others, last = [f"“{name}”" for name in names]
    return f"{', '.join(others)} and {last}" if others else last


def _splits(table: Table, reading: LongTable) -> list[Split]:
    """Return the ways in which the keys may tell samples and features, the likeliest first.

    The names of some are those of lines of a sample, such as channels and times; else keys that
    change seldom from row to row tell samples.
    """
    if not reading.are_crossed:
        first, *parts = reading.keys
        if are_coordinates(first, parts[0]):
            return [((first, parts[0]), tuple(parts[1:]))]
        return [((first,), tuple(parts))]
    # Words before numbers, as in “Fz 0.3”.
    are_words = {key: table.titles.index(key) in table.words for key in reading.keys}
    keys = tuple(sorted(reading.keys, key=lambda key: not are_words[key]))
    lines = tuple(key for key in keys if _is_line(key))
    others = tuple(key for key in keys if key not in lines)
    by_names: list[Split] = [(others, lines)] if lines and others else []
    by_change = sorted(keys, key=lambda key: _n_changes(table, key))
    rests = {key: tuple(other for other in keys if other != key) for key in keys}
    ways: list[Split] = [
        *by_names,
        *(((key,), rests[key]) for key in by_change),
        *((rests[key], (key,)) for key in reversed(by_change)),
    ]
    return list(dict.fromkeys(ways))


def _is_line(key: str) -> bool:
    name = fold(key)
    topics: tuple[Topic, ...] = ("line", "feature key", "feature axis")
    return any(is_word_of(name, topic) for topic in topics)


def _n_changes(table: Table, key: str) -> int:
    column = table.column(table.titles.index(key))
    return int((column[1:] != column[:-1]).sum())


def _is_wide(table: Table, keys: tuple[str, ...]) -> bool:
    """Whether each row holds many measurements, and no key is a clock, an axis or a feature."""
    topics: tuple[Topic, ...] = ("clock", "feature axis", "feature key")
    is_measured = any(ends_in_word_of(fold(key), topic) for key in keys for topic in topics)
    return not is_measured and len(table.number_places) >= _WIDE


def _of_pairs(table: Table) -> Question:
    axes = _axes(table)
    n_pairs = len(axes)
    same = all(np.array_equal(axes[0], axis, equal_nan=True) for axis in axes[1:])
    evidence = f"Every other column runs one way: {n_pairs} pairs of an axis and a curve."
    if same:
        evidence = f"The same axis stands before each of {n_pairs} curves."
    confidence: Confidence = "sure" if same else "likely"
    options = (
        Answer(PAIRS, "Pairs of axis and curve", evidence, "measured", f"{n_pairs} samples"),
        Answer(NONE, "Each row is a sample", example=f"{table.n_rows:,} samples"),
    )
    sentence = f"Columns are pairs of an axis and a curve. {evidence}"
    return Question("pivot", "What are the columns?", options, confidence, sentence=sentence)


def comes_in_pairs(table: Table) -> bool:
    """Whether columns of numbers alternate, an axis before each curve."""
    n_columns = len(table.number_places)
    if _holds_words(table) or n_columns % 2 or n_columns < 2 * _LEAST_PAIRS:
        return False
    if table.n_rows < _LEAST_POINTS:
        return False
    for at in range(0, n_columns, 2):
        if not _is_axis(table.numbers[:, at]) or _is_axis(table.numbers[:, at + 1]):
            return False
    return True


def _holds_words(table: Table) -> bool:
    """Whether a column that is not empty has something else than numbers."""
    return any(len(set(column.tolist()) - {""}) for column in table.words.values())


def _is_axis(values: Array) -> bool:
    """Whether values rise or fall all along; those missing at the end do not count."""
    filled = np.isfinite(values)
    count = int(filled.sum())
    if count < _LEAST_POINTS or not filled[:count].all():
        return False
    return bool(is_monotonic(values[:count]))


def _axes(table: Table) -> list[Array]:
    return [table.numbers[:, at] for at in range(0, len(table.number_places), 2)]


def _joined_pairs(draft: Draft, table: Table) -> Table:
    curves = []
    for at in range(0, len(table.number_places), 2):
        axis, values = table.numbers[:, at], table.numbers[:, at + 1]
        count = int(np.isfinite(axis).sum())
        curves.append((axis[:count], values[:count]))
    heads = [table.names[place] for place in table.number_places]
    names = heads[1::2] if table.names_are_written and len(set(heads[1::2])) > 1 else heads[::2]
    try:
        axis, numbers, note = joined_curves(curves)
    except UnlikeAxesError as error:
        raise DatasetError(
            f"{draft.parsed.file}: each pair of columns lists values at places of its own, such as "
            "the masses of peaks: align or bin them, and bring one table with a sample a row."
        ) from error
    draft.notes += [note] if note else []
    beside = {"name of the curve": (names, "name")} if table.names_are_written else {}
    return curve_table(axis, numbers, beside)


def _pivoted(draft: Draft, table: Table, samples: Sequence[str], features: Sequence[str]) -> Table:
    places = {table.titles[place]: place for place in table.places}
    rows, row_keys = _joint_codes([table.column(places[key]) for key in samples])
    if len(samples) > 1 and are_coordinates(*samples[:2]):
        rows, row_keys = _as_they_come(rows, row_keys)
    columns, column_keys = _joint_codes([table.column(places[key]) for key in features])
    n_rows, n_columns = len(row_keys), len(column_keys)
    order = np.full((n_rows, n_columns), -1)
    order[rows, columns] = np.arange(table.n_rows)
    if (order < 0).any():
        raise DatasetError(
            f"{draft.parsed.file}: {_quoted([*samples, *features])} do not number the rows once: "
            "choose another reading of the rows."
        )
    # Of several keys that tell the samples together each is kept, as their class or person.
    keys = {places[key] for key in (*features, *(samples if len(samples) == 1 else ()))}
    of_samples: dict[int, Array] = {}
    measured: list[int] = []
    for place in table.places:
        if place in keys:
            continue
        title, whole = table.titles[place], table.column(place)
        column = whole[order]
        if _are_alike(column, column[:, :1]):
            of_samples[place] = column[:, 0]
        elif _are_alike(column, column[:1]):
            draft.left_out.append(f"{title}: it is the same in every sample")
        elif whole.dtype == object or _counts_rows(whole):
            draft.left_out.append(f"{title}: it differs within a sample")
        else:
            measured.append(place)
    if not measured:
        raise DatasetError(f"{draft.parsed.file}: no column is measured within {_quoted(samples)}.")
    foreign.check_values((n_rows, n_columns * len(measured)), draft.parsed.file)
    numbers = np.hstack([table.column(place)[order] for place in measured])
    several = len(measured) > 1
    names = [
        f"{table.names[place]} {key}".strip() if several else key
        for place in measured
        for key in column_keys
    ]
    words: dict[int, Array] = {len(names): np.array(row_keys, dtype=object)}
    declared = dict.fromkeys(range(len(names)), "feature") | {len(names): "name"}
    names.append(" and ".join(samples))
    for place, column in of_samples.items():
        words[len(names)] = column
        names.append(table.names[place])
    draft.notes.append(
        f"The rows of each {_quoted(samples)} are one sample, with {_a_feature_for_each(features)}."
    )
    return Table(
        names=names,
        first_row=[],
        numbers=numbers,
        number_places=list(range(numbers.shape[1])),
        words=words,
        declared=declared,
        names_are_written=True,
        is_as_in_file=False,
    )


def _joint_codes(columns: Sequence[Array]) -> tuple[Array, list[str]]:
    """Number of each row's values of some columns, by the first column first; and their texts."""
    ranks, texts = _codes(columns[0])
    for column in columns[1:]:
        further, further_texts = _codes(column)
        n_further = len(further_texts)
        joint, ranks = np.unique(ranks * n_further + further, return_inverse=True)
        texts = [
            f"{texts[at // n_further]} {further_texts[at % n_further]}" for at in joint.tolist()
        ]
    return ranks.ravel(), texts


def _as_they_come(codes: Array, texts: list[str]) -> tuple[Array, list[str]]:
    """Number values in the order of the file, in which a map was measured."""
    _, first_rows = np.unique(codes, return_index=True)
    order = np.argsort(first_rows)
    return np.argsort(order)[codes], [texts[at] for at in order.tolist()]


def _codes(column: Array) -> tuple[Array, list[str]]:
    """Number of each value in the order in which they come, and the values as text."""
    values, places, codes = np.unique(
        column.astype(str) if column.dtype == object else column,
        return_index=True,
        return_inverse=True,
    )
    order = np.argsort(places)
    ranks = np.argsort(order)
    texts = [f"{value:.10g}" if column.dtype != object else str(value) for value in values[order]]
    return ranks[codes.ravel()], texts


def _are_alike(column: Array, others: Array) -> bool:
    """Whether all values are those of one column, or of one row; missing ones are alike."""
    same = column == others
    if column.dtype != object:
        same |= np.isnan(column) & np.isnan(others)
    return bool(same.all())


def _counts_rows(column: Array) -> bool:
    """Whether a column numbers all rows from 0 or 1 on, in whatever order they stand."""
    steps = np.sort(column) - np.arange(len(column))
    return bool((steps == steps[0]).all() and steps[0] in (0, 1))
