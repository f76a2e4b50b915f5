"""Labels in a table of their own: beside the table of the samples, or beside arrays."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import partial
from typing import Final

import numpy as np

from cspca.datasets.files.containers import table
from cspca.datasets.files.foreign import Entry, Watch
from cspca.datasets.files.parsed import Array, ArrayField, Parsed
from cspca.datasets.files.vocabulary import Topic, fold, is_word_of
from cspca.datasets.record import DatasetError

_SAMPLES: Final = frozenset(["x", "features", "data", "samples", "inputs"])
_LABELS: Final = frozenset(["y", "labels", "label", "targets", "target", "classes"])
_PART: Final = re.compile(r"(.+?)(?:[_\-. ](train|training|test|val|validation|all))?")


def pair_of(entries: Sequence[Entry]) -> tuple[Entry, Entry] | None:
    """Return the two tables of samples and of labels by their names; None unless they are two."""
    if len(entries) != 2:
        return None
    by_kind: dict[str, tuple[str, Entry]] = {}
    for entry in entries:
        match = _PART.fullmatch(entry.parts[-1].lower().rpartition(".")[0])
        if match is None:
            return None
        kind = "samples" if match[1] in _SAMPLES else "labels" if match[1] in _LABELS else ""
        by_kind[kind] = (match[2] or "", entry)
    if set(by_kind) != {"samples", "labels"} or by_kind["samples"][0] != by_kind["labels"][0]:
        return None
    return by_kind["samples"][1], by_kind["labels"][1]


def parse_pair(samples: Entry, labels: Entry, watch: Watch) -> Parsed:
    """Put the labels of one table beside the samples of the other, row by row."""
    parsed = table.parse(samples.read(), Watch(samples.shown))
    name, column = _label_column(labels)
    joined = parsed.tables[0]
    n_above = joined.n_rows - len(column)
    has_names = bool(joined.first_row) and bool(np.isnan(joined.numbers[0]).any())
    if n_above not in (0, 1) or (n_above == 1 and not joined.first_row) or n_above < has_names:
        n_rows = joined.n_rows - bool(joined.first_row)
        raise DatasetError(
            f"{watch.name}: {samples.shown} has {n_rows:,} rows and {labels.shown} "
            f"{len(column):,}: bring one label a row."
        )
    place = len(joined.names)
    if n_above:
        missing = [name] if column.dtype == object else [np.nan]
        column = np.concatenate([np.array(missing, dtype=column.dtype), column])
    else:
        joined.first_row = []
    if joined.first_row:
        joined.first_row.append(name)
    joined.names.append(name)
    joined.top_rows = [[*row, ""] for row in joined.top_rows]
    joined.label_rows = [(title, [*cells, ""]) for title, cells in joined.label_rows]
    joined.words[place] = column
    joined.declared[place] = "class"
    parsed.file = watch.name
    parsed.notes.append(f"{labels.shown} has one label for each row of {samples.shown}.")
    return parsed


def fields_beside(
    tables: Sequence[Entry], arrays: Sequence[ArrayField]
) -> tuple[list[ArrayField], list[Entry]]:
    """Columns of tables that have a row for each line along a side of an array, and the tables.

    Parameters
    ----------
    tables : sequence of Entry
    arrays : sequence of ArrayField
        The arrays beside them.
    """
    sides = {side for array in arrays for side in array.shape}
    fields: list[ArrayField] = []
    taken: list[Entry] = []
    for entry in tables:
        try:
            header, numbers = table.columns(entry.read(), Watch(entry.shown))
        except DatasetError:
            continue  # no table
        columns: dict[str, Array] = {
            name: np.array(words, dtype=object) for name, words in header["text"]
        }
        columns |= dict(zip(header["numeric"], numbers[0].T, strict=True))
        stem = entry.parts[-1].rpartition(".")[0]
        of_table = [
            field
            for name, values in columns.items()
            if (field := _field_beside(stem, name, values, sides, len(columns))) is not None
        ]
        fields += of_table
        taken += [entry] if of_table else []
    return fields, taken


def _field_beside(
    stem: str, name: str, values: Array, sides: Collection[int], n_columns: int
) -> ArrayField | None:
    """One column as an array beside others, if it is as long as one of their sides."""
    is_words = values.dtype == object
    if is_words and len(values) not in sides and len(values) - 1 in sides:
        name, values = str(values[0]), values[1:]  # its name was taken for a value
    if len(values) not in sides:
        return None
    title = stem if n_columns == 1 else f"{stem}.{name}"
    kind = "text" if is_words else values.dtype.name
    return ArrayField(title, values.shape, kind, partial(np.asarray, values))


def _label_column(labels: Entry) -> tuple[str, Array]:
    """The last column of the table of labels, and its name."""
    header, arrays = table.columns(labels.read(), Watch(labels.shown))
    if header["text"]:
        name, words = header["text"][-1]
        first = words[0]
        topics: tuple[Topic, ...] = ("class", "weak class", "target")
        is_named = any(is_word_of(fold(first), topic) for topic in topics)
        if is_named or (first not in words[1:] and len(set(words[1:])) < len(words) / 2):
            return first, np.array(words[1:], dtype=object)
        return name, np.array(words, dtype=object)
    return header["numeric"][-1], np.array(arrays[0][:, -1])
