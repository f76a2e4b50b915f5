"""Whether the first row of a table names its columns, is their axis, or is a sample."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from cspca.datasets.axis import is_monotonic
from cspca.datasets.files.feature_names import NamedAxis, layout_of
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Array, Draft, Table
from cspca.datasets.files.question import CONFIDENCES, Answers, Question, ranked_answers
from cspca.datasets.files.table_form import FirstRow, FirstRowRole, first_row
from cspca.datasets.files.vocabulary import MISSING_CELLS

_TEXT: Final = "What is the first row?"
_WORDS: Final[Mapping[FirstRowRole, str]] = {
    "names": "Names of the columns",
    "axis": "Values of an axis, one a column",
    "sample": "The first sample",
}
_LEAST_COUNTED: Final = 8
_ENOUGH_CELLS: Final = 1000
_ROWS_COMPARED: Final = 200
_MOST_RUNNING: Final = 0.1  # share of the rows that may run one way as an axis does


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Propose by what the row holds against those below it."""
    table = draft.table
    if table is None or not table.first_row:
        return []
    reading = _reading(table)
    examples = dict.fromkeys(_WORDS, f"{', '.join(table.first_row[:4])[:60]} …")
    options = ranked_answers(_WORDS, reading.role, reading.evidence, "measured", examples)
    sentence = ""
    if reading.role == "axis":
        sentence = f"The first row is an axis. {reading.evidence}"
    elif reading.role == "sample" and reading.confidence == "likely":
        sentence = f"The file has no names. {reading.evidence}"
    confidence = CONFIDENCES[reading.confidence]
    return [Question("header", _TEXT, options, confidence, sentence=sentence)]


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Name the columns, or leave the row among the samples."""
    if draft.table is not None:
        settle_first_row(draft, draft.table, _role_in(questions))


def _role_in(questions: Mapping[str, Question]) -> str:
    return str(questions["header"].value) if "header" in questions else "names"


def settle_first_row(draft: Draft, table: Table, role: str) -> None:
    """Take the first row for names or for a sample."""
    if table.first_row and role != "sample":
        table = table.below_first_row()
    elif table.first_row and table.numbers.flags.writeable:
        table.numbers[0] = before_numbering(table)
    if _has_bare_coordinates(table):
        table = replace(table, names=["x", "y", *table.names[2:]])
        draft.notes.append("The two columns without a name before the axis are called x and y.")
    # The table of the file stays as it is: it may be read by other answers as well.
    draft.table = replace(table, words=dict(table.words), odd_cells=dict(table.odd_cells))


def _has_bare_coordinates(table: Table) -> bool:
    """Whether two columns without a name stand before an axis, as LabSpec writes maps."""
    names = table.names
    if not table.names_are_written or len(names) < 6 or names[0] or names[1]:
        return False
    return isinstance(layout_of(names[2:]), NamedAxis)


def _reading(table: Table) -> FirstRow:
    if _counts_rows_and_columns(table):
        evidence = "The first row counts the columns, and the first column counts the rows."
        return FirstRow("names", "sure", evidence)
    if table.n_rows >= 3:
        reading = first_row([_ends_of(row) for row in (table.first_row, *table.top_rows)])
        if reading.role != "sample" and reading.confidence == "ask" and _counts_columns(table):
            evidence = "The first row counts the columns, as pandas does where they have no names."
            return FirstRow("names", "likely", evidence)
        if reading.role == "sample" and _runs_alone(table):
            evidence = "The first row runs one way over all columns, and hardly a row below does."
            return FirstRow("axis", "likely", evidence)
        return reading
    over = [table.first_row[place] for place in table.number_places]
    filled = [cell for cell in over if cell.lower() not in MISSING_CELLS]
    numbers = table.numbers[0]
    if filled and np.isnan(numbers).all():
        return FirstRow("names", "likely", "The first row has words over the columns of numbers.")
    return FirstRow("sample", "likely", "The first row holds numbers, as the one below does.")


def _runs_alone(table: Table) -> bool:
    """Whether the first row rises or falls over all columns of numbers, unlike those below."""
    few = table.numbers[:_ROWS_COMPARED]
    if few.shape[1] < _LEAST_COUNTED:
        return False
    is_running = is_monotonic(few)
    return bool(is_running[0]) and float(is_running[1:].mean()) <= _MOST_RUNNING


def before_numbering(table: Table) -> Array:
    """The numbers of the first row, where a program told equal ones apart by .1, .2 behind them."""
    values: Array = table.numbers[0].copy()
    cells = table.first_row
    for at, place in enumerate(table.number_places):
        match = re.fullmatch(r"(-?\d+(?:\.\d+)?)\.\d+", cells[place])
        below = [row[place] for row in table.top_rows]
        # Where all below have as few decimals, the last ones are no part of the number.
        n_decimals = len(cells[place].rpartition(".")[0].partition(".")[2])
        has_longer = any(len(cell.partition(".")[2]) > n_decimals for cell in below)
        has_two_points = cells[place].count(".") > 1
        if match is not None and match[1] in cells and (has_two_points or not has_longer):
            values[at] = float(match[1])
    return values


def _ends_of(row: list[str]) -> list[str]:
    """The first and last cells of a long row: enough to see what a first row is."""
    return row if len(row) <= 2 * _ENOUGH_CELLS else [*row[:_ENOUGH_CELLS], *row[-_ENOUGH_CELLS:]]


def _counts_rows_and_columns(table: Table) -> bool:
    """Whether 0, 1, … stand over the columns but the first, which counts the rows from 0."""
    first, *cells = table.first_row
    is_counted = not first and cells == [str(place) for place in range(len(cells))]
    if not is_counted or not cells or 0 not in table.number_places or table.n_rows < _LEAST_COUNTED:
        return False
    return np.array_equal(table.column(0)[1:], np.arange(table.n_rows - 1))


def _counts_columns(table: Table) -> bool:
    """Whether the first row is 0, 1, 2 … over values that cannot be its like."""
    cells = [table.first_row[place] for place in table.number_places]
    if len(cells) < 4 or cells != [str(table.number_places[0] + at) for at in range(len(cells))]:
        return False
    if table.number_places[0] not in (0, 1):
        return False
    below = [row[place] for row in table.top_rows for place in table.number_places]
    with_decimals = sum("." in cell for cell in below) > len(below) / 2
    return with_decimals or len(cells) >= _LEAST_COUNTED
