"""Tables that lie beside pictures and give the class of each by the name of its file."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from cspca.datasets.files.containers.file_names import stem
from cspca.datasets.files.foreign import clean_name
from cspca.datasets.files.one_hot import NO_COLUMN, marked_columns

SUFFIXES: Final = (".csv", ".tsv", ".tab", ".txt")
_NO_CLASS_NAMES: Final = ("usage", "split", "fold", "set", "subset", "phase")
_MOST_BYTES: Final = 16 * 2**20
_MOST_COLUMNS: Final = 200
_LEAST_NAMED: Final = 0.9  # of the pictures that a column of file names must name


@dataclass(frozen=True)
class LabelColumn:
    """One column of a table: its name, and the word in it for each picture."""

    table: str
    name: str
    labels: tuple[str, ...]

    @property
    def title(self) -> str:
        """Name by which it is chosen."""
        return f"{self.table}: {self.name}" if self.name else self.table


def label_columns(
    title: str, content: bytes, paths: Sequence[tuple[str, ...]]
) -> list[LabelColumn]:
    """Return the columns that repeat of a table of which another column names the pictures."""
    rows = _rows(content)
    if len(rows) < 2 or not 2 <= len(rows[0]) <= _MOST_COLUMNS:
        return []
    columns = list(zip(*rows, strict=True))
    place, by_file = _file_column(columns, paths)
    if place is None:
        return []
    has_header = columns[place][0] not in by_file
    names = [clean_name(text.strip()) for text in rows[0]] if has_header else []
    repeating = []
    for at, column in enumerate(columns):
        name = names[at] if names else f"column {at + 1}"
        if at == place or name.lower() in _NO_CLASS_NAMES:
            continue
        by_name = {row[place].strip(): row[at].strip() for row in rows}
        labels = _labels(by_name, paths)
        if column and 1 < len(set(labels) - {""}) <= len(labels) / 2:
            repeating.append(LabelColumn(title, name, labels))
    indicator = _indicators(title, rows, place, paths) if names else None
    return [indicator] if indicator is not None else repeating


def _rows(content: bytes) -> list[list[str]]:
    """Rows of equally many cells; none of what is no table."""
    if len(content) > _MOST_BYTES or b"\0" in content:
        return []
    text = content.decode("utf-8-sig", "replace")
    first = text.split("\n", 1)[0]
    separator = max(",;\t ", key=lambda letter: (first.count(letter), letter != " "))
    try:
        reader = csv.reader(io.StringIO(text), delimiter=separator)
        rows = [row for row in reader if any(cell.strip() for cell in row)]
    except csv.Error:
        return []
    return rows if len(set(map(len, rows))) == 1 else []


def _file_column(
    columns: Sequence[Sequence[str]], paths: Sequence[tuple[str, ...]]
) -> tuple[int | None, set[str]]:
    """Place of the column whose cells are the names of pictures, and all of these names."""
    names = [_names(path) for path in paths]
    every = {name for picture in names for name in picture}
    best, most = None, _LEAST_NAMED * len(paths)
    for place, column in enumerate(columns):
        cells = {cell.strip() for cell in column}
        if len(cells & every) < most:
            continue
        named = sum(bool(cells.intersection(picture)) for picture in names)
        if named >= most:
            best, most = place, named + 1
    return best, every


def _names(path: tuple[str, ...]) -> tuple[str, ...]:
    """What a table may call a picture: the end of its path, with or without the suffix."""
    whole = ["/".join(path[start:]) for start in range(len(path))]
    return (*whole, *("/".join((*path[start:-1], stem(path[-1]))) for start in range(len(path))))


def _labels(by_name: Mapping[str, str], paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(
        next((by_name[name] for name in _names(path) if name in by_name), "") for path in paths
    )


def _indicators(
    title: str, rows: Sequence[Sequence[str]], place: int, paths: Sequence[tuple[str, ...]]
) -> LabelColumn | None:
    """Columns of which one alone is 1 in each row: one class each."""
    names = [clean_name(text.strip()) for text in rows[0]]
    del names[place]
    if len(names) < 2:
        return None
    try:
        cells = [
            [float(cell or "nan") for cell in (*row[:place], *row[place + 1 :])] for row in rows[1:]
        ]
    except ValueError:
        return None
    marked = marked_columns(np.array(cells))
    if marked is None:
        return None
    classes = {
        row[place].strip(): "" if column == NO_COLUMN else names[column]
        for row, column in zip(rows[1:], marked.tolist(), strict=True)
    }
    return LabelColumn(title, "", _labels(classes, paths))
