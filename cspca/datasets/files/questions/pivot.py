"""Whether each row of a table is a sample, or a measurement of one; and pairs of columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from cspca.datasets.files import foreign
from cspca.datasets.files.curves import curve_table, joined_curves
from cspca.datasets.files.feature_names import is_monotonic
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Array, Draft, Table
from cspca.datasets.files.question import NONE, Answer, Answers, Confidence, Question
from cspca.datasets.files.table_form import long_table
from cspca.datasets.files.vocabulary import fold, is_word_of
from cspca.datasets.record import DatasetError

PAIRS: Final = "pairs"
_TEXT: Final = "Is each row one measurement of a sample?"
_JOIN: Final = " × "
_TWO_KEYS: Final = 2
_LEAST_PAIRS: Final = 2
_LEAST_POINTS: Final = 5


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Ask where two columns number the rows once, or columns come in pairs of axis and curve."""
    table = draft.table
    if table is None:
        return []
    if _comes_in_pairs(table):
        return [_of_pairs(table)]
    if not table.names_are_written:
        return []
    places = table.places
    reading = long_table(table.columns(), [table.titles[place] for place in places])
    if reading is None:
        return []
    first, second = _samples_first(table, reading.keys)
    options: tuple[Answer, ...] = (
        Answer(
            f"{first}{_JOIN}{second}",
            f"One sample a value of {first}",
            reading.evidence,
            "measured",
        ),
        *(
            [Answer(f"{second}{_JOIN}{first}", f"One sample a value of {second}")]
            if len(reading.keys) == _TWO_KEYS
            else []
        ),
        Answer(NONE, "Each row is a sample", example=f"{table.n_rows:,} samples"),
    )
    text = f"{reading.evidence} {_TEXT}"
    return [Question("pivot", text, options, "open")]


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Turn a long table, or pairs of columns, into one row a sample."""
    question = questions.get("pivot")
    if draft.table is None or question is None or question.value == NONE:
        return
    if question.value == PAIRS:
        draft.table = _joined_pairs(draft, draft.table)
        return
    first, second = question.value.split(_JOIN, 1)
    draft.table = _pivoted(draft, draft.table, first, second)


def _samples_first(table: Table, keys: tuple[str, ...]) -> tuple[str, str]:
    """Order two keys so that the first tells the samples, by their names, else by their steps.

    Of three, the last two together are one.
    """
    if len(keys) > _TWO_KEYS:
        return keys[0], _JOIN.join(keys[1:])
    first, second = keys
    for key, partner in (keys, keys[::-1]):
        name = fold(key)
        if is_word_of(name, "feature key") or is_word_of(name, "feature axis"):
            return partner, key
    n_changes = []
    for key in keys:
        column = table.column(table.titles.index(key))
        n_changes.append(int((column[1:] != column[:-1]).sum()))
    return (first, second) if n_changes[0] <= n_changes[1] else (second, first)


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


def _comes_in_pairs(table: Table) -> bool:
    n_columns = len(table.number_places)
    if table.words or n_columns % 2 or n_columns < 2 * _LEAST_PAIRS:
        return False
    if table.n_rows < _LEAST_POINTS:
        return False
    for at in range(0, n_columns, 2):
        if not _is_axis(table.numbers[:, at]) or _is_axis(table.numbers[:, at + 1]):
            return False
    return True


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
    axis, numbers, note = joined_curves(curves)
    draft.notes += [note] if note else []
    beside = {"name of the curve": (names, "name")} if table.names_are_written else {}
    return curve_table(axis, numbers, beside)


def _pivoted(draft: Draft, table: Table, first: str, second: str) -> Table:
    places = {table.titles[place]: place for place in table.places}
    rows, row_keys = _codes(table.column(places[first]))
    parts = [second] if second in places else second.split(_JOIN)
    columns, column_keys = _codes(_joined_words([table.column(places[part]) for part in parts]))
    n_rows, n_columns = len(row_keys), len(column_keys)
    order = np.full((n_rows, n_columns), -1)
    order[rows, columns] = np.arange(table.n_rows)
    if (order < 0).any():
        raise DatasetError(
            f"{draft.parsed.file}: {first} and {second} do not number the rows once: choose "
            "another reading of the rows."
        )
    of_samples: dict[int, Array] = {}
    measured: list[int] = []
    for place in table.places:
        if place in (places[first], *(places[part] for part in parts)):
            continue
        column = table.column(place)[order]
        same = column == column[:, :1]
        if column.dtype != object:
            same |= np.isnan(column) & np.isnan(column[:, :1])
        if same.all():
            of_samples[place] = column[:, 0]
        elif column.dtype != object and not _counts_rows(table.column(place)):
            measured.append(place)
        else:
            draft.left_out.append(f"{table.titles[place]}: it differs within a sample")
    if not measured:
        raise DatasetError(f"{draft.parsed.file}: no column is measured within {first}.")
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
    names.append(first)
    for place, column in of_samples.items():
        words[len(names)] = column
        names.append(table.names[place])
    draft.notes.append(
        f"Rows with the same {first} are one sample, with one feature a value of {second}."
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


def _joined_words(columns: list[Array]) -> Array:
    """One column as it is; of several, their values beside each other as words."""
    if len(columns) == 1:
        return columns[0]
    texts = [
        column if column.dtype == object else [f"{value:.10g}" for value in column]
        for column in columns
    ]
    return np.array([" ".join(cells) for cells in zip(*texts, strict=True)], dtype=object)


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


def _counts_rows(column: Array) -> bool:
    steps = column - np.arange(len(column))
    return bool((steps == steps[0]).all() and steps[0] in (0, 1))
