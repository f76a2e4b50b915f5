"""What each column of a table is for: one question for the columns of a kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from cspca.datasets.files import picture_test
from cspca.datasets.files.cells import read_cells
from cspca.datasets.files.column_roles import Role, RoleReading, column_roles
from cspca.datasets.files.columns import MeasuredColumns, column_facts
from cspca.datasets.files.feature_names import only_count_columns
from cspca.datasets.files.foreign import Watch, listed
from cspca.datasets.files.parsed import NOMINAL, Array, Draft, Table
from cspca.datasets.files.question import CONFIDENCES, Answer, Answers, Confidence, Question
from cspca.datasets.files.vocabulary import PIXEL_WORDS, fold
from cspca.datasets.record import DatasetError
from cspca.labels import parse_labels

LEFT_OUT: Final = "out"
ROLE_WORDS: Final[Mapping[str, str]] = {
    "feature": "A feature",
    "class": "The class of each sample",
    "target": "A target to be predicted, kept apart",
    "name": "The name of each sample",
    "clock": "When it was measured",
    "place": "Where it lies",
    "split": "Its part in training or test",
    "weight": "The weight of the sample",
    "group": "Rows that belong together",
    "one-hot": "One column of a class",
    "text": "Words, left out",
    "certainty": "How sure a place is, left out",
    LEFT_OUT: "Left out",
}
_NOUNS: Final[Mapping[str, str]] = {
    "target": "a target to be predicted",
    "name": "the name of each sample",
    "clock": "when it was measured",
    "place": "where it lies",
    "split": "its part in training or test",
    "weight": "the weight of the sample",
    "group": "what belongs together",
    "text": "words",
    "certainty": "how sure a place is",
    LEFT_OUT: "as chosen",
}


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Propose a role for each column that may not be a feature; classes have their own question."""
    table = draft.table
    if table is None:
        return []
    measured = None
    if draft.measured is not None and draft.measured[0] is table:
        measured = draft.measured[1]
    draft.readings = _readings(table, measured)
    answered = answers.values.get("roles", {})
    _check_columns(answered, table, draft.parsed.file)
    questions = []
    for (_, confidence, _), places in _groups(draft, table).items():
        questions.append(_question(draft, table, places, CONFIDENCES[confidence]))
    subjects = {question.subject for question in questions}
    for place, reading in zip(table.places, draft.readings, strict=True):
        title = table.titles[place]
        if title in answered and title not in subjects:
            options = _options([reading.role, *ROLE_WORDS], reading.evidence)
            text = f"What is {title}?"
            questions.append(Question("roles", text, options, "default", subject=title))
    return questions


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Keep the role of each column; `classes` takes the labels and the features."""
    table = draft.table
    if table is None:
        return
    draft.roles = {
        place: reading.role for place, reading in zip(table.places, draft.readings, strict=True)
    }
    for places in _groups(draft, table).values():
        question = questions[f"roles {table.titles[places[0]]}"]
        draft.roles |= dict.fromkeys(places, question.value)
    for title, role in answers.values.get("roles", {}).items():
        draft.roles[table.titles.index(title)] = role
    by_role: dict[str, list[int]] = {}
    for place, role in draft.roles.items():
        if role == "name" and place in table.declared and not table.is_as_in_file:
            _name_samples(draft, table, place)
            continue
        by_role.setdefault(role, []).append(place)
    for role, noun in _NOUNS.items():
        if role in by_role:
            titles = [table.titles[place] for place in by_role[role]]
            draft.left_out.append(f"{listed(titles)}: {noun}")
    if "name" in by_role:
        _name_samples(draft, table, by_role["name"][0])


def _name_samples(draft: Draft, table: Table, place: int) -> None:
    draft.record(names_from=table.titles[place])
    draft.sample_names = sample_names(table, place)


def sample_names(table: Table, place: int) -> tuple[str, ...]:
    """Return the names of the samples in a column."""
    names = table.column(place)
    texts = [f"{value:.10g}" for value in names] if names.dtype != object else names.tolist()
    return tuple(map(str, texts))


def feature_places(draft: Draft) -> list[int]:
    """Columns of numbers that are features, in the order of the table."""
    table = draft.table
    assert table is not None
    return [
        place
        for place in table.places
        if draft.roles[place] == "feature" and table.holds_numbers(place)
    ]


def _readings(table: Table, measured: MeasuredColumns | None) -> list[RoleReading]:
    places = table.places
    declared = {
        table.names[place]: role for place, role in table.declared.items() if role != NOMINAL
    }
    readings = column_roles(
        table.columns(),
        [table.names[place] for place in places],
        named=table.names_are_written,
        declared=declared,
        measured=measured,
    )
    says_nothing = not table.names_are_written or only_count_columns(
        [table.names[place] for place in places], beside_index=True
    )
    if says_nothing and not table.words:
        _read_class_beside_pictures(table, readings)
    for at, place in enumerate(places):
        reading = readings[at]
        if table.odd_cells.get(place) and reading.role in ("name", "clock"):
            # Numbers among which a few cells are words may be codes, or have holes.
            readings[at] = replace(
                reading, confidence="ask", alternatives=("feature", "text", "class")
            )
        if place in table.readings:
            readings[at] = table.readings[place]
    _keep_only_numbers(table, readings)
    nominal = [at for at, place in enumerate(places) if table.declared.get(place) == NOMINAL]
    for at in nominal:
        evidence = f"{table.titles[places[at]]} is the only nominal attribute of the file."
        readings[at] = RoleReading("class", "sure", evidence, ("feature",))
    for at, place in enumerate(places):
        is_undecided = readings[at].confidence == "ask" or readings[at].role == "feature"
        if place in table.beside and is_undecided:
            readings[at] = _reading_beside(table, place)
    for at, place in enumerate(places):
        column = table.column(place)
        is_block = column.dtype == object and readings[at].role == "feature"
        if is_block and fold(table.names[place]) in PIXEL_WORDS:
            evidence = f"{table.titles[place]} holds the pixels of a picture in each cell."
            readings[at] = RoleReading("feature", "sure", evidence, ("text",))
    return readings


def _reading_beside(table: Table, place: int) -> RoleReading:
    """Role to ask about of a column that lies in a file of its own, whose name says nothing."""
    evidence = f"{table.beside[place]} is one column, with a row for each sample."
    is_measured = parse_labels(table.column(place), table.titles[place]).measured
    role: Role = "target" if is_measured else "class"
    return RoleReading(role, "ask", evidence, ("target", "feature", "name"))


def _keep_only_numbers(table: Table, readings: list[RoleReading]) -> None:
    """Where doubtful columns are the only numbers, they are what the table is about."""
    numbers = [at for at, place in enumerate(table.places) if table.holds_numbers(place)]
    if any(readings[at].role == "feature" for at in numbers):
        return
    for at in numbers:
        if readings[at].confidence == "ask" and readings[at].role not in ("class", "one-hot"):
            evidence = "The table has no other column of numbers."
            readings[at] = RoleReading("feature", "likely", evidence, (readings[at].role,))


def _read_class_beside_pictures(table: Table, readings: list[RoleReading]) -> None:
    """Find codes in the first or last column, without which the rest are pictures."""
    if any(reading.role == "class" and reading.confidence != "ask" for reading in readings):
        return
    # An index before the columns is no part of a picture.
    first = int(readings[0].role == "name")
    numbers = table.numbers[:, first:]
    n_columns = numbers.shape[1]
    if _are_pictures(numbers):
        evidence = f"All {n_columns:,} columns together are pictures."
        for at, reading in enumerate(readings):
            if reading.role == "class":
                readings[at] = RoleReading("feature", "likely", evidence)
        return
    for at, rest in ((0, slice(1, None)), (n_columns - 1, slice(0, n_columns - 1))):
        if not _are_codes(numbers[:, at]):
            continue
        if _are_pictures(numbers[:, rest]):
            evidence = f"It holds codes, and the other {n_columns - 1:,} columns are pictures."
            for place, reading in enumerate(readings):
                if reading.role == "class":
                    readings[place] = RoleReading("feature", "likely", "It holds numbers.")
            readings[first + at] = RoleReading("class", "likely", evidence, ("feature",))
            return


def _are_pictures(numbers: Array) -> bool:
    picture = picture_test.read_rows(numbers)
    return picture.answer != "not pictures" and picture.confidence == "sure"


def _are_codes(column: Array) -> bool:
    """Whether a column holds whole numbers almost without gaps, three rows each or more."""
    facts = column_facts([column], [""])[0][0]
    return facts.dense and 2 <= facts.n_distinct <= len(column) / 3


def _check_columns(answered: Mapping[str, str], table: Table, file: str) -> None:
    for title, role in answered.items():
        if title not in table.titles:
            raise DatasetError(
                f"{file} has no column called {title!r}: choose one of "
                f"{listed(list(table.titles), 8)}."
            )
        if role not in ROLE_WORDS:
            raise DatasetError(
                f"{file}: {title} cannot be {role!r}: choose one of {', '.join(ROLE_WORDS)}."
            )


def _groups(draft: Draft, table: Table) -> dict[tuple[str, str, tuple[str, ...]], list[int]]:
    """Columns that are asked about, or said, together: by role, confidence and alternatives."""
    groups: dict[tuple[str, str, tuple[str, ...]], list[int]] = {}
    for place, reading in zip(table.places, draft.readings, strict=True):
        is_feature = reading.role == "feature" and reading.confidence != "ask"
        if is_feature or reading.role in ("class", "one-hot"):
            continue
        if reading.role == "group" and reading.confidence == "ask":
            continue  # the question of classes offers it
        if reading.role == "name" and place in table.declared and not table.is_as_in_file:
            continue  # names that this program put there
        key = (reading.role, reading.confidence, reading.alternatives)
        groups.setdefault(key, []).append(place)
    return groups


def _question(draft: Draft, table: Table, places: list[int], confidence: Confidence) -> Question:
    reading = draft.readings[table.places.index(places[0])]
    titles = [table.titles[place] for place in places]
    roles = [reading.role, *reading.alternatives, "feature", LEFT_OUT]
    are = "is" if len(titles) == 1 else "are"
    readings = [draft.readings[table.places.index(place)] for place in places]
    is_shared = all(member.evidence == reading.evidence for member in readings)
    # A sentence about one column is no sentence about the others.
    evidence = reading.evidence if is_shared else f"{titles[0]}: {reading.evidence}"
    sentence = ""
    if confidence != "open" and reading.role != "feature":
        sentence = f"{listed(titles)} {are} left out of the features. {evidence}"
    text = f"What {are} {listed(titles)}?"
    options = _options(roles, evidence)
    return Question("roles", text, options, confidence, sentence=sentence, subject=titles[0])


def _options(roles: list[str], evidence: str) -> tuple[Answer, ...]:
    return tuple(
        Answer(role, ROLE_WORDS[role], evidence if at == 0 else "", "measured")
        for at, role in enumerate(dict.fromkeys(roles))
    )


def read_features_in_words(draft: Draft) -> None:
    """Read columns of words that are features: numbers with a unit, or blocks of numbers."""
    table = draft.table
    assert table is not None
    for place, column in list(table.words.items()):
        if draft.roles.get(place) == "feature" and column.dtype == object:
            reading = read_cells(column)
            if reading.kind in ("number", "unit"):
                table.words[place] = reading.values
