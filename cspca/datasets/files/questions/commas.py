"""What a comma within a number means: a decimal mark, or thousands; then numbers are read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, cast

import numpy as np

from cspca.datasets.files.cells import CellReading, Comma, numbers_with_commas, read_cells
from cspca.datasets.files.foreign import Watch, clean_name, listed
from cspca.datasets.files.parsed import Array, Draft, Table
from cspca.datasets.files.question import Answer, Answers, Question
from cspca.datasets.files.vocabulary import MISSING_CELLS
from cspca.datasets.record import DatasetError

_WORDS: Final[Mapping[Comma, str]] = {
    "thousands": "It groups thousands",
    "decimal": "It is the decimal mark",
}


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Propose by the other columns of the table; ask where they do not tell."""
    table = draft.table
    if table is None:
        return []
    _read_cells(draft, table)
    places = _places(draft)
    if not places:
        return []
    meaning, evidence = _evidence(draft, table)
    order: tuple[Comma, ...] = ("thousands", "decimal")
    if meaning == "decimal":
        order = ("decimal", "thousands")
    reading = draft.cell_readings[places[0]]
    cell = str(reading.text[reading.doubtful][0])
    options = tuple(
        Answer(
            value,
            _WORDS[value],
            evidence if value == meaning else "",
            "measured" if value == meaning else "custom",
            f"{clean_name(cell, 30)} is {numbers_with_commas([cell], value)[0]:.10g}",
        )
        for value in order
    )
    titles = listed([table.titles[place] for place in places])
    hold = "holds" if len(places) == 1 else "hold"
    text = f"{titles} {hold} numbers such as {clean_name(cell, 30)}. What does the comma mean?"
    if not meaning:
        return [Question("commas", text, options, "open")]
    done = "groups thousands" if meaning == "thousands" else "is the decimal mark"
    sentence = f"The comma in {titles} {done}. {evidence}"
    return [Question("commas", text, options, "likely", sentence=sentence)]


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Read the columns of numbers that are written as other programs write them."""
    if draft.table is not None:
        meaning: Comma = questions["commas"].value if "commas" in questions else "none"
        _take_numbers(draft, draft.table, meaning)


def read_like_set(
    draft: Draft, table: Table, comma: Comma, features: Collection[int] | None
) -> None:
    """Read numbers among the words of a table of new samples.

    What the file itself tells of its commas counts, then what they mean in the set.

    Parameters
    ----------
    draft : Draft
    table : Table
    comma : Comma
        What a comma of two readings means in the set; "none" where no number has one.
    features : collection of int, optional
        Columns that are features of the set; None where any may be.

    Raises
    ------
    DatasetError
        If neither tells.
    """
    _read_cells(draft, table)
    titles = {place: table.titles[place] for place in _places(draft)}
    if features is not None:
        titles = {place: title for place, title in titles.items() if place in features}
    if titles:
        meaning, evidence = _evidence(draft, table)
        first = draft.cell_readings[next(iter(titles))]
        cell = clean_name(str(first.text[first.doubtful][0]), 30)
        columns = listed([*titles.values()])
        if not meaning and comma == "none":
            hold = "holds" if len(titles) == 1 else "hold"
            raise DatasetError(
                f"{draft.parsed.file}: {columns} {hold} numbers such as {cell}, whose comma may "
                "group thousands or be the decimal mark: write them without such a comma."
            )
        if meaning and meaning != comma:
            comma = cast(Comma, meaning)
            does = "groups thousands" if meaning == "thousands" else "is the decimal mark"
            draft.notes.append(f"The comma in {columns} {does} in this file. {evidence}")
    _take_numbers(draft, table, comma)


def _read_cells(draft: Draft, table: Table) -> None:
    draft.cell_readings = {
        place: read_cells(column) for place, column in table.words.items() if column.dtype == object
    }


def _take_numbers(draft: Draft, table: Table, comma: Comma) -> None:
    if comma != "none":
        for place in _places(draft):
            reading = draft.cell_readings[place]
            values = reading.values.copy()
            with_comma = np.flatnonzero(["," in cell for cell in reading.text])
            cells = reading.text[with_comma].tolist()
            values[with_comma] = numbers_with_commas(cells, comma)
            table.words[place] = values
            _mark_odd_cells(table, place, reading, np.isnan(values) & ~reading.missing)
    _say_losses(draft, table)
    truths: list[tuple[int, Array]] = []
    for place, reading in draft.cell_readings.items():
        column = table.words[place]
        if reading.kind != "number" or column.dtype != object:
            continue
        if _holds_truth_values(column):
            truths.append((place, reading.values))
            continue
        table.words[place] = np.where(reading.doubtful, np.nan, reading.values)
        _mark_odd_cells(table, place, reading, reading.doubtful)
    # One alone may be a class; of several, each is a feature of 0 and 1.
    for place, values in truths if len(truths) > 1 else ():
        table.words[place] = values


def _say_losses(draft: Draft, table: Table) -> None:
    """Say in which columns parentheses stand for a minus sign."""
    losses = {
        place: reading.losses
        for place, reading in draft.cell_readings.items()
        if reading.has_numbers and len(reading.losses)
    }
    if losses:
        place, rows = next(iter(losses.items()))
        reading = draft.cell_readings[place]
        cell = clean_name(str(reading.text[rows[0]]), 30)
        value = f"{reading.values[rows[0]]:.10g}".replace("-", "−")
        titles = listed([table.titles[place] for place in losses])
        draft.notes.append(f"Numbers in parentheses in {titles} are negative: {cell} is {value}.")


def _places(draft: Draft) -> list[int]:
    """Columns of numbers whose commas have two readings."""
    return [
        place
        for place, reading in draft.cell_readings.items()
        if reading.comma == "either" and not reading.codes and reading.has_numbers
    ]


def _evidence(draft: Draft, table: Table) -> tuple[str, str]:
    """Return what the comma means by the other columns, and why; empty where they do not tell."""
    for place, reading in draft.cell_readings.items():
        if reading.comma in ("thousands", "decimal") and reading.has_numbers:
            cells = [cell for cell in reading.text if "," in cell]
            example = clean_name(max(cells, key=len), 30)
            return (
                reading.comma,
                f"{table.titles[place]} holds {example}, which can be read in one way only.",
            )
    for place, odd_cells in table.odd_cells.items():
        texts = [text for _, text in odd_cells if "," in text]
        comma = read_cells(texts).comma if texts else "none"
        if comma in ("thousands", "decimal"):
            example = clean_name(max(texts, key=len), 30)
            return (
                comma,
                f"{table.titles[place]} holds {example}, which can be read in one way only.",
            )
    for place in table.number_places:
        column = table.column(place)
        fractions = column[np.isfinite(column) & (column != np.rint(column))]
        if len(fractions):
            example = f"{fractions[0]:g}"
            return "thousands", f"{table.titles[place]} has a point in {example}."
    return "", ""


def _mark_odd_cells(table: Table, place: int, reading: CellReading, is_odd: Array) -> None:
    odd = np.flatnonzero(is_odd)
    if len(odd):
        table.odd_cells[place] = [(int(row), str(reading.text[row])) for row in odd]


def _holds_truth_values(column: Array) -> bool:
    words = {str(cell).lower() for cell in column if str(cell).lower() not in MISSING_CELLS}
    return bool(words) and words <= {"true", "false"}
