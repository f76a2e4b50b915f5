"""One file a spectrum: several files of two columns, an axis and the values on it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

import numpy as np

from cspca.datasets.axis import is_monotonic
from cspca.datasets.files import foreign
from cspca.datasets.files.containers import table as table_files
from cspca.datasets.files.containers.label_tables import label_columns
from cspca.datasets.files.containers.layout import is_number
from cspca.datasets.files.curves import UnlikeAxesError, curve_table, joined_curves
from cspca.datasets.files.foreign import Entries, Entry, Watch, listed
from cspca.datasets.files.parsed import Array, Parsed, Table
from cspca.datasets.files.tables_beside import describes
from cspca.datasets.files.vocabulary import SPLIT_CELLS, fold
from cspca.datasets.record import DatasetError

_LEAST_POINTS: Final = 5
_CURVE_COLUMNS: Final = 2
_LEAST_SHARE: Final = 0.8  # of the files that must be spectra
_MARKS: Final = (";", "\t", ",", None)


def parse_spectra(entries: Entries, watch: Watch) -> Parsed | None:
    """Join the spectra of a folder or an archive; None where its files are none."""
    candidates = [entry for entry in entries.files if entry.suffix in foreign.TEXT_SUFFIXES]
    if len(candidates) < 2:
        return None
    spectra: list[tuple[Entry, Array, Array]] = []
    failed = []
    n_values = 0
    for number, entry in enumerate(candidates):
        watch.tell(0.6 * number / len(candidates), f"Reading {entry.shown}")
        curve = read_curve(entry)
        if curve is None:
            failed.append(entry)
            if number + 1 == len(candidates) // 5 + 2 and len(failed) == number + 1:
                _check_columns(failed, watch.name)
                return None
            continue
        spectra.append((entry, *curve))
        n_values += len(curve[0])
        foreign.check_most(n_values, foreign.MAX_VALUES, "values", watch.name)
    if len(spectra) < max(2, _LEAST_SHARE * len(candidates)):
        return None
    try:
        axis, numbers, note = joined_curves([(points, values) for _, points, values in spectra])
    except UnlikeAxesError as error:
        raise DatasetError(
            f"{watch.name}: each of its {len(spectra):,} files lists values at places of its own, "
            "such as the masses of peaks: align or bin them, and bring one table with a sample a "
            "row."
        ) from error
    if len(axis) < _LEAST_POINTS:
        return None
    parts = [entry.parts for entry, _, _ in spectra]
    table = curve_table(axis, numbers, _names_of(parts))
    beside = [member for entry in failed for member in _tables_of(entry, watch)]
    beside = [member for member in beside if describes(member, table)]
    titles = {member.title for member in beside}
    failed = [entry for entry in failed if foreign.clean_name(entry.parts[-1]) not in titles]
    columns: dict[str, tuple[Sequence[str], str]] = {}
    for entry in [*failed]:
        named = _columns_of_table(entry, parts)
        columns |= named
        if named:
            failed.remove(entry)
    table = replace(
        curve_table(axis, numbers, {**columns, **_names_of(parts)}), title="the spectra"
    )
    parsed = Parsed(watch.name, "spectra, one a file", tables=[table, *beside])
    parsed.notes.append(f"Each of {len(spectra):,} files is one spectrum.")
    parsed.notes += [note] if note else []
    parsed.left_out += [f"{entry.shown}: it holds no two columns of numbers" for entry in failed]
    others = [entry.shown for entry in entries.files if entry.suffix not in foreign.TEXT_SUFFIXES]
    parsed.left_out += [f"{listed(others)}: no spectrum"] if others else []
    parsed.left_out += entries.left_out
    return parsed


def _tables_of(entry: Entry, watch: Watch) -> list[Table]:
    """The table in a file that is no spectrum; none where it is no table either."""
    try:
        tables = table_files.parse(entry.read(), watch).tables
    except (DatasetError, foreign.UnreadableError):
        return []
    return [replace(table, title=foreign.clean_name(entry.parts[-1])) for table in tables]


def _columns_of_table(
    entry: Entry, parts: Sequence[tuple[str, ...]]
) -> dict[str, tuple[Sequence[str], str]]:
    """Columns of words that repeat of a table beside the spectra, by the names of their files."""
    try:
        content = entry.read()
    except foreign.UnreadableError:
        return {}
    title = foreign.clean_name(entry.parts[-1])
    return {
        column.name or column.table: (column.labels, "")
        for column in label_columns(title, content, parts)
    }


def _check_columns(entries: Sequence[Entry], file: str) -> None:
    """Refuse files that hold an axis and several curves: which one counts is not told."""
    counts = {_n_columns(entry) for entry in entries}
    n_columns = counts.pop()
    if counts or n_columns <= _CURVE_COLUMNS:
        return
    raise DatasetError(
        f"{file}: each of its files has {n_columns} columns, where a curve has two, an axis and "
        "its values: save the two that count, or one table with a curve a row."
    )


def _n_columns(entry: Entry) -> int:
    """How many numbers stand in each of the last lines, the first running one way; else 0."""
    try:
        content = entry.read()
    except foreign.UnreadableError:
        return 0
    lines = [line for line in content.decode("utf-8-sig", "replace").splitlines() if line.strip()]
    rows = [re.split(r"[,;\t ]+", line.strip()) for line in lines[-_LEAST_POINTS:]]
    if len({len(row) for row in rows}) != 1 or not all(map(is_number, chain(*rows))):
        return 0
    return len(rows[0]) if is_monotonic(np.array([float(row[0]) for row in rows])) else 0


def read_curve(entry: Entry) -> tuple[Array, Array] | None:
    """The two columns of a file, whatever stands above and below them; None where it has none."""
    try:
        content = entry.read()
    except foreign.UnreadableError:
        return None
    if b"\0" in content[:4096]:
        return None
    text = content.decode("utf-8-sig", "replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for mark in _MARKS:
        points = [_point(line, mark) for line in lines]
        filled = [point for point in points if point is not None]
        # Lines of words stand above or below, never among the points.
        first = next((at for at, point in enumerate(points) if point is not None), 0)
        block = points[first : first + len(filled)]
        if len(filled) < _LEAST_POINTS or len(filled) < len(lines) / 2 or None in block:
            continue
        curve = np.array(filled, dtype=np.float64)
        if is_monotonic(curve[:, 0]):
            return curve[:, 0], curve[:, 1]
    return None


def _point(line: str, mark: str | None) -> tuple[float, float] | None:
    cells = [cell.strip().strip('"') for cell in line.rstrip(",;\t ").split(mark)]
    decimal_comma = mark != ","
    if len(cells) != 2 or not all(is_number(cell, decimal_comma) for cell in cells):
        return None
    first, second = (float(cell.replace(",", ".")) for cell in cells)
    return first, second


def _names_of(parts: Sequence[tuple[str, ...]]) -> dict[str, tuple[Sequence[str], str]]:
    """Folders, first parts of the file names, and the file names, by what they are called."""
    stems = [re.sub(r"\.[^.]*$", "", names[-1]) for names in parts]
    beside: dict[str, tuple[Sequence[str], str]] = {}
    folders = [names[-2] if len(names) > 1 else "" for names in parts]
    if len(set(folders)) > 1:
        are_parts = {fold(folder) for folder in folders} <= SPLIT_CELLS
        beside["folder"] = (folders, "split" if are_parts else "class")
    else:
        first_parts = [re.split(r"[_\-. ]|(?<=\D)(?=\d)", stem)[0] for stem in stems]
        if 2 <= len(set(first_parts)) <= len(stems) / 2:
            beside["first part of the file name"] = (first_parts, "")
    beside["file"] = (["/".join(names) for names in parts], "name")
    return beside
