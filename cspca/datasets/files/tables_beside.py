"""Tables beside the one of the samples that say more of each sample, by its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from cspca.datasets.files.column_roles import RoleReading
from cspca.datasets.files.parsed import Array, Table
from cspca.datasets.files.vocabulary import ends_in_word_of, fold

_LEAST_NAMED: Final = 0.9  # of the samples whose names the table beside must hold
_LEAST_SAMPLES: Final = 3
_MOST_CODES: Final = 20  # whole numbers up to which a column may number groups


def main_table(tables: Sequence[Table]) -> Table | None:
    """Return the one table whose samples all others describe; None where there is none."""
    mains = [
        table
        for table in tables
        if all(other is table or describes(other, table) for other in tables)
    ]
    return mains[0] if len(mains) == 1 and len(tables) > 1 else None


def describes(beside: Table, table: Table) -> bool:
    """Whether a column of one table names the columns, or the rows, of a wider one."""
    if len(beside.places) >= len(table.places):
        return False
    heads = _heads(table)
    numbers = [heads[place] for place in table.number_places]
    n_above = int(bool(table.first_row))
    columns = [numbers, *(_texts(column[n_above:]) for column in _words(table).values())]
    return any(_key_of(beside, names) is not None for names in columns)


def joined(table: Table, others: Sequence[Table]) -> tuple[Table, list[str], list[str]]:
    """Add the columns of tables that name the samples of a table.

    Returns
    -------
    table : Table
    notes : list of str
        Which tables were joined, a sentence each.
    left_out : list of str
        Which were not, a phrase each: those that name the features.
    """
    notes: list[str] = []
    left_out: list[str] = []
    for beside in others:
        names, key = _names_and_key(beside, table)
        if key is None:
            left_out.append(f"{beside.title}: it says more of the features, not of the samples")
            continue
        rows = {text: row for row, text in enumerate(_texts(beside.column(key))) if text}
        order = [rows.get(name, -1) for name in names]
        n_named = sum(row >= 0 for row in order)
        heads = _heads(beside)
        columns = {heads[place]: place for place in beside.places if place != key}
        table = _with_columns(table, beside, columns, order)
        notes.append(
            f"{beside.title} names {n_named:,} of {len(names):,} samples: its columns are joined."
        )
    return table, notes, left_out


def _names_and_key(beside: Table, table: Table) -> tuple[list[str], int | None]:
    """Names of the samples, and the column of the table beside that holds them."""
    matches: list[tuple[list[str], int]] = []
    heads = _heads(table)
    for place, column in _words(table).items():
        names, prefer = _texts(column), fold(heads[place])
        key = _key_of(beside, names, prefer=prefer)
        if key is not None:
            if fold(_heads(beside)[key]) == prefer:
                return names, key
            matches.append((names, key))
    return matches[0] if matches else ([], None)


def _key_of(beside: Table, names: Sequence[str], *, prefer: str = "") -> int | None:
    """The column that holds nearly all of these names, each once; first one of this name."""
    sample_names = {name for name in names if name}
    if len(sample_names) < max(_LEAST_SAMPLES, _LEAST_NAMED * len(names)):
        return None
    columns, heads = _words(beside), _heads(beside)
    for place in sorted(columns, key=lambda place: fold(heads[place]) != prefer):
        column = columns[place]
        cells = [text for text in _texts(column) if text in sample_names]
        if len(set(cells)) == len(cells) >= _LEAST_NAMED * len(sample_names):
            return place
    return None


def _heads(table: Table) -> list[str]:
    return [name.strip() for name in table.first_row or table.names]


def _words(table: Table) -> Mapping[int, Array]:
    return {place: column for place, column in table.words.items() if column.dtype == object}


def _texts(column: Array) -> list[str]:
    return [str(cell).strip() for cell in column]


def _with_columns(
    table: Table, beside: Table, columns: Mapping[str, int], order: Sequence[int]
) -> Table:
    """The table with further columns, each with the cell of the row of every sample."""
    words, readings, names = dict(table.words), dict(table.readings), list(table.names)
    rows = np.array(order)
    for name, place in columns.items():
        column = beside.column(place)
        cells = np.where(rows >= 0, column[rows], np.nan if column.dtype != object else "")
        at = len(names)
        names.append(name)
        if column.dtype == object:
            words[at] = cells.astype(object)
            continue
        words[at] = cells.astype(np.float64)
        label = fold(name)
        is_class = ends_in_word_of(label, "class") or ends_in_word_of(label, "weak class")
        evidence = f"{beside.title} has a number for each sample under “{name}”."
        if not _numbers_groups(cells):
            readings[at] = RoleReading("target", "likely", evidence, ("feature",))
        elif not is_class:
            readings[at] = RoleReading("text", "likely", evidence, ("class", "feature"))
    n_added = table.n_added + len(columns)
    return replace(table, names=names, words=words, readings=readings, n_added=n_added)


def _numbers_groups(cells: Array) -> bool:
    """Whether whole numbers repeat, as those of groups do."""
    filled = cells[np.isfinite(cells)]
    n_values = len(np.unique(filled))
    is_whole = bool((filled == np.rint(filled)).all())
    return is_whole and n_values <= min(_MOST_CODES, len(filled) / 2)
