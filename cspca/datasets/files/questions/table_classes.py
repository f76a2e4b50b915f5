"""The column of a table that says the class of each sample, and the features that are left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from cspca.datasets.files import foreign
from cspca.datasets.files.cells import read_cells
from cspca.datasets.files.doubtful_words import (
    confidence_of,
    label_readings,
    question_about,
    reading_of,
)
from cspca.datasets.files.feature_names import names_of_unnamed
from cspca.datasets.files.foreign import listed
from cspca.datasets.files.one_hot import marked_columns
from cspca.datasets.files.parsed import Array, Draft, Table
from cspca.datasets.files.question import CONFIDENCES, NONE, Answer, Answers, Confidence, Question
from cspca.datasets.files.questions.roles import (
    LEFT_OUT,
    feature_places,
    read_features_in_words,
)
from cspca.datasets.record import DatasetError
from cspca.labels import MISSING_WORDS, parse_labels

_TEXT: Final = "Which column says what each sample is?"
_ORDER: Final = ("sure", "likely", "ask")
_FEWEST_INDICATORS: Final = 3
_MOST_COLUMNS: Final = 2000  # of a table in which columns of 0 and 1 are looked for
_MOST_OFFERED: Final = 12
_MOST_CLASSES: Final = 1000


def questions_of(draft: Draft, answers: Answers) -> list[Question]:
    """Propose the column whose role is the class; ask where several may be it."""
    table = draft.table
    assert table is not None
    readings = dict(zip(table.places, draft.readings, strict=True))
    indicators = _indicator_groups(draft, table, answers)
    by_person = _columns_by_person(table, answers)
    proposed = [
        place
        for place in table.places
        if readings[place].role == "class"
        or (readings[place].role == "group" and readings[place].confidence == "ask")
    ]
    proposed.sort(key=lambda place: _ORDER.index(readings[place].confidence))
    confidence: Confidence = "default"
    evidence = ""
    favoured: list[str] = []
    if by_person:
        favoured, confidence = [by_person], "given"
    elif proposed:
        reading = readings[proposed[0]]
        favoured = [table.titles[place] for place in proposed]
        confidence, evidence = CONFIDENCES[reading.confidence], reading.evidence
    elif indicators:
        title, places = next(iter(indicators.items()))
        favoured, confidence = [title], "open"
        evidence = f"One of {len(places)} columns is 1 in each row, and the others are 0."
        if readings[places[0]].role == "one-hot":
            evidence = readings[places[0]].evidence
            confidence = CONFIDENCES[readings[places[0]].confidence]
    favoured = [*favoured, *(title for title in indicators if title not in favoured)]
    offered = [*favoured, *_further_columns(draft, table, answers, favoured)]
    if not offered:
        return []
    options = [
        Answer(
            reading.value,
            reading.words,
            evidence if title == offered[0] and favoured else "",
            "measured" if title in favoured else "custom",
            reading.example,
        )
        for title in offered
        for reading in label_readings(title, _labels(table, title, indicators))
    ]
    together = next((title for title in favoured if _may_be_persons(draft, title)), "")
    belong = f"rows of the same {together} belong together" if together else ""
    none = Answer(NONE, "No classes", example=belong)
    options = [*options, none] if favoured else [none, *options]
    sentence, about_words = "", ""
    if favoured:
        labels = _labels(table, favoured[0], indicators)
        if confidence != "open":
            about_words = question_about(favoured[0], labels)
        confidence = confidence_of(confidence, labels)
    if favoured and confidence in ("sure", "likely", "given"):
        sentence = f"Classes are from {source_of(table, favoured[0])}. {evidence}".strip()
    text = about_words or _TEXT
    if (
        not about_words
        and confidence == "open"
        and len(favoured) == 1
        and _may_be_persons(draft, favoured[0])
    ):
        text = f"Is {favoured[0]} what to tell apart?"
    return [Question("classes_from", text, tuple(options), confidence, sentence=sentence)]


def source_of(table: Table, title: str) -> str:
    """A column as a sentence names it; those without names are called column 5."""
    is_added = title in table.titles[len(table.titles) - table.n_added :]
    is_column = table.names_are_written and table.is_as_in_file and not is_added
    return f"column {title}" if is_column else title


def _may_be_persons(draft: Draft, title: str) -> bool:
    """Whether the only candidate names persons, who may be classes or rows that belong together."""
    table = draft.table
    assert table is not None
    if title not in table.titles:
        return False
    place = table.titles.index(title)
    readings = dict(zip(table.places, draft.readings, strict=True))
    return place in readings and readings[place].role == "group"


def take(draft: Draft, questions: Mapping[str, Question], answers: Answers) -> None:
    """Take labels and features from the table."""
    table = draft.table
    assert table is not None
    indicators = _indicator_groups(draft, table, answers)
    question = questions.get("classes_from")
    chosen = NONE if question is None else question.value
    if chosen != NONE:
        chosen, class_words = _chosen(table, chosen, indicators)
        labels = _labels(table, chosen, indicators)
        parsed = parse_labels(labels, chosen, missing_words=MISSING_WORDS, class_words=class_words)
        if parsed.measured or not parsed.n_labelled:
            what = (
                f"numbers that are not whole, such as {parsed.example.replace('-', '−')}"
                if parsed.n_labelled
                else "no label"
            )
            raise DatasetError(
                f"{draft.parsed.file}: {chosen} holds {what}: choose other classes, or none."
            )
        draft.labels, draft.labels_source = labels, source_of(table, chosen)
        draft.class_words = class_words
        for place in _places_of(table, chosen, indicators):
            draft.roles[place] = "class"
    _free_the_rest(draft, table, chosen, indicators)
    read_features_in_words(draft)
    _take_features(draft, table)


def _chosen(
    table: Table, value: str, indicators: Mapping[str, list[int]]
) -> tuple[str, frozenset[str]]:
    """Column that an answer names, and the doubtful words in it that are classes by this answer."""
    if value in indicators or value in table.titles:
        return value, frozenset()
    for title in table.titles:
        reading = reading_of(value, title, _labels(table, title, indicators))
        if reading is not None:
            return title, reading.class_words
    raise AssertionError(value)  # the question takes its own answers alone


def _places_of(table: Table, title: str, indicators: Mapping[str, list[int]]) -> list[int]:
    """Columns of a class: one, or those of 0 and 1."""
    return indicators[title] if title in indicators else [table.titles.index(title)]


def _free_the_rest(
    draft: Draft, table: Table, chosen: str, indicators: Mapping[str, list[int]]
) -> None:
    """Columns that might have been the class are features where they hold numbers."""
    taken = set() if chosen == NONE else set(_places_of(table, chosen, indicators))
    for place, role in draft.roles.items():
        if role in ("class", "one-hot") and place not in taken:
            if place in table.beside:
                draft.roles[place] = LEFT_OUT
                draft.left_out.append(f"{table.titles[place]}: as chosen")
                continue
            is_number = table.holds_numbers(place)
            draft.roles[place] = "feature" if is_number else "text"
            if not is_number:
                draft.left_out.append(f"{table.titles[place]}: words")


def _take_features(draft: Draft, table: Table) -> None:
    blocks = [
        place
        for place, column in table.words.items()
        if column.dtype == object and draft.roles[place] == "feature"
    ]
    if blocks:
        take_blocks(draft, table, blocks)
        _record_columns(draft, table, blocks)
        draft.record(holds_blocks=True, sample_shape=draft.data.shape[1:])
        return
    places = feature_places(draft)
    if not places:
        raise DatasetError(
            f"{draft.parsed.file} has no column of numbers to analyse: leave fewer columns out, "
            "or bring a table of numbers."
        )
    take_columns(draft, table, places)
    _record_columns(draft, table, places)


def _record_columns(draft: Draft, table: Table, places: list[int]) -> None:
    """Note which columns are features, and which are not."""
    titles = tuple(table.titles[place] for place in places)
    taken = set(places)
    draft.record(
        source="table",
        columns=titles if table.names_are_written else None,
        places=tuple(places),
        beside=tuple(table.titles[place] for place in table.places if place not in taken),
        n_columns=len(table.places),
        sample_shape=(len(places),),
    )


def take_columns(draft: Draft, table: Table, places: list[int]) -> None:
    """Take columns of numbers as features."""
    if places == table.number_places:
        draft.data = table.numbers
    elif set(places) <= set(table.number_places):
        at = {place: number for number, place in enumerate(table.number_places)}
        draft.data = np.take(table.numbers, [at[place] for place in places], axis=1)
    else:
        draft.data = np.column_stack([table.column(place) for place in places])
    names = [table.names[place] for place in places]
    are_named = table.names_are_written and names != names_of_unnamed(len(names))
    draft.feature_names = tuple(names) if are_named else None
    n_in_file = len(table.names) - table.n_added
    if table.is_as_in_file and max(places) < n_in_file:
        draft.file_columns = places
    elif table.row_lines is not None and max(places) < len(table.row_lines):
        draft.file_columns = [int(table.row_lines[place]) for place in places]
    draft.doubtful = {
        number: table.odd_cells[place]
        for number, place in enumerate(places)
        if place in table.odd_cells
    }


def take_blocks(draft: Draft, table: Table, places: list[int]) -> None:
    """Take the numbers of each cell as features."""
    draft.feature_names = None
    parts = []
    for place in places:
        cells = table.column(place)
        reading = read_cells(cells)
        foreign.check_values((len(cells), max(1, reading.block_width)), draft.parsed.file)
        separator = "," if "," in str(cells[0]) else ";" if ";" in str(cells[0]) else None
        rows = [str(cell).strip("[]() ").split(separator) for cell in cells]
        if len({len(row) for row in rows}) > 1:
            raise DatasetError(
                f"{draft.parsed.file}: the cells of {table.titles[place]} hold different numbers "
                "of values: leave that column out."
            )
        parts.append(np.array(rows, dtype=np.float64))
    draft.data = parts[0] if len(parts) == 1 else np.hstack(parts)
    titles = listed([table.titles[place] for place in places])
    draft.notes.append(
        f"Each cell of {titles} holds {draft.data.shape[1]:,} numbers, a feature each."
    )


def _columns_by_person(table: Table, answers: Answers) -> str:
    """Title of the column, or of the columns of 0 and 1, that a person says is the class."""
    titles = _class_titles(table, answers)
    if not titles:
        return ""
    return titles[0] if len(titles) == 1 else f"{titles[0]} … {titles[-1]}"


def _class_titles(table: Table, answers: Answers) -> list[str]:
    roles = answers.values.get("roles", {})
    return [
        table.titles[place] for place in table.places if roles.get(table.titles[place]) == "class"
    ]


def _indicator_groups(draft: Draft, table: Table, answers: Answers) -> dict[str, list[int]]:
    """Columns of 0 and 1, of which one is 1 in each row, by the first and last of their names."""
    groups: dict[str, list[int]] = {}
    for place, reading in zip(table.places, draft.readings, strict=True):
        if reading.role == "one-hot":
            groups.setdefault(reading.evidence, []).append(place)
    titles = _class_titles(table, answers)
    if not groups and not titles:
        groups = {"measured": places} if (places := _indicator_columns(table)) else {}
    if len(titles) > 1:
        places = [table.titles.index(title) for title in titles]
        columns = [table.column(place) for place in places]
        are_numbers = all(column.dtype != object for column in columns)
        if not are_numbers or marked_columns(np.column_stack(columns), may_lack=True) is None:
            raise DatasetError(
                f"{draft.parsed.file}: several columns are to be the class: give that role to one "
                "column, or to columns of 0 and 1 of which one at most is 1 in each row."
            )
        groups["of the person"] = places
    return {
        f"{table.titles[places[0]]} … {table.titles[places[-1]]}": places
        for places in groups.values()
    }


def _indicator_columns(table: Table) -> list[int]:
    """Columns of 0 and 1 beside each other of which one is 1 in each row; empty without any."""
    numbers = table.numbers
    if numbers.shape[1] > _MOST_COLUMNS or table.n_rows < 2 * _FEWEST_INDICATORS:
        return []
    is_binary = ((numbers == 0) | (numbers == 1)).all(axis=0) & (numbers == 1).any(axis=0)
    run: list[int] = []
    for at in range(numbers.shape[1] + 1):
        if at < numbers.shape[1] and is_binary[at]:
            run.append(at)
            continue
        if len(run) >= _FEWEST_INDICATORS:
            for ordered in (run[::-1], run):
                columns = _leading_indicators(numbers, ordered)
                if columns:
                    return sorted(table.number_places[column] for column in columns)
        run = []
    return []


def _leading_indicators(numbers: Array, columns: Sequence[int]) -> Sequence[int]:
    """Return the first of these columns of which one is 1 in each row; empty without any.

    Binary pixels may stand beside the columns of a class.
    """
    n_marked = numbers[:, columns].cumsum(axis=1)
    leading = columns[: int((n_marked <= 1).all(axis=0).sum())]
    is_group = (
        len(leading) >= _FEWEST_INDICATORS and marked_columns(numbers[:, leading]) is not None
    )
    return leading if is_group else ()


def _labels(table: Table, title: str, indicators: Mapping[str, list[int]]) -> Array:
    if title in indicators:
        places = indicators[title]
        columns = np.column_stack([table.column(place) for place in places])
        marked = marked_columns(columns, may_lack=True)
        assert marked is not None  # or they were no group
        names = np.array([*(table.names[place] for place in places), ""], dtype=object)
        labels: Array = names[marked]  # the last for a row without any
        return labels
    return table.column(table.titles.index(title))


def _is_reading(answer: str, title: str, table: Table) -> bool:
    """Whether an answer says which doubtful words of a column are classes."""
    place = table.titles.index(title)
    return place in table.places and reading_of(answer, title, table.column(place)) is not None


def _further_columns(
    draft: Draft, table: Table, answers: Answers, favoured: list[str]
) -> list[str]:
    """Further columns that could be classes: those asked for, and words that repeat."""
    offered: list[str] = []
    answer = answers.values.get("classes_from")
    if isinstance(answer, str):
        titles = {title for title in table.titles if answer == title}
        titles = titles or {title for title in table.titles if _is_reading(answer, title, table)}
        offered += sorted(titles - {*favoured})
    readings = dict(zip(table.places, draft.readings, strict=True))
    for place in table.places:
        title = table.titles[place]
        if len(offered) >= _MOST_OFFERED:
            break
        may_be = "class" in readings[place].alternatives and readings[place].role != "feature"
        if title in favoured or title in offered or not may_be:
            continue
        column = table.column(place)
        n_values = len(set(column.tolist()))
        if 2 <= n_values <= min(_MOST_CLASSES, len(column) / 2):
            offered.append(title)
    return offered
