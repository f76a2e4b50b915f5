"""What each column of a table is for, by what its name says and what its values show.

Where a column stands, and how many there are, decides nothing. A role that is *sure* is acted on,
one that is *likely* is acted on and said, and one to *ask* about leaves the column as it lies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files.columns import ColumnFacts, MeasuredColumns, column_facts
from cspca.datasets.files.feature_names import (
    LEAST_SERIES,
    Confidence,
    NameSeries,
    only_count_columns,
    series_of,
)
from cspca.datasets.files.one_hot import marked_columns
from cspca.datasets.files.vocabulary import (
    PLACE_PAIRS,
    PLACE_PARTS,
    SPLIT_CELLS,
    TIME_UNITS,
    WORDS,
    ends_in_word_of,
    fold,
    is_word_of,
)

Role = Literal[
    "feature", "class", "target", "name", "clock", "place", "split", "weight", "group", "one-hot",
    "text", "certainty",
]  # fmt: skip

_MOST_SPLITS = 6
_LEAST_A_VALUE = 3  # rows a value, from which a repetition is no chance
_MOST_CODES = 20  # whole numbers with more values are classes only as codes without gaps
_MOST_DENSE_CODES = 1000
_FEW_CODES = 30
_MOST_WEAK_CLASSES = 100
_RAREST_CODE = 0.03
_ALL_DIFFER = 0.98
_NEARLY_ALL_DIFFER = 0.8
_LEAST_ROWS = 10
_SECONDS = (9e8, 2.1e9)  # since 1970, in the years 1998 to 2036
_YEARS = (1500, 2100)
_TIMES_UNTIL = frozenset(["time", "survival", "duration", "followup", "fu", "tte", "lifetime"])
_MOST_UNLIKE_COUNTS = 4.0  # ratio of the numbers of values of columns that count alike
_MOST_QUESTIONS_NAMED, _MOST_QUESTIONS_BARE = 6, 12


@dataclass(frozen=True, slots=True)
class RoleReading:
    """The role of one column.

    Attributes
    ----------
    role : str
        The role that the evidence favours.
    confidence : str
        ``sure``, ``likely`` or ``ask``.
    evidence : str
        What speaks for it, in one sentence.
    alternatives : tuple of str
        Other roles that the column may have.
    """

    role: Role
    confidence: Confidence
    evidence: str
    alternatives: tuple[Role, ...] = ()


@dataclass(eq=False)
class _Table:
    """Columns with what is measured of them, and the readings made so far."""

    names: Sequence[str]
    labels: list[str]  # folded names; "" within a series
    columns: list[NDArray[Any]]
    facts: list[ColumnFacts]
    series: dict[int, NameSeries]
    named: bool
    n_rows: int
    readings: dict[int, RoleReading]

    def values(self, place: int) -> NDArray[np.float64]:
        """The numbers of a column without the missing ones."""
        column = np.asarray(self.columns[place], dtype=np.float64)
        return column[np.isfinite(column)]

    def has_role(self, role: Role) -> bool:
        return any(reading.role == role for reading in self.readings.values())

    def called(self, place: int) -> str:
        return f"“{self.names[place].strip()}”"


def column_roles(
    columns: Sequence[NDArray[Any]],
    names: Sequence[str],
    *,
    named: bool,
    declared: Mapping[str, str],
    measured: MeasuredColumns | None = None,
) -> list[RoleReading]:
    """Propose a role for each column of a table.

    Parameters
    ----------
    columns : sequence of ndarray
        All of one length: float64 with NaN for missing, or objects that are cells of text.
    names : sequence of str
        Their names; ignored unless `named`.
    named : bool
        Whether the file has names.
    declared : mapping
        Roles that the file itself declares, by name of column; ``meta`` is a name, or text.
    measured : (list of ColumnFacts, list of ndarray), optional
        What `column_facts` returned for these columns and names.

    Returns
    -------
    list of RoleReading
        One for each column.
    """
    named = named and not only_count_columns(names, beside_index=True)
    series: dict[int, NameSeries] = {}
    if named:
        series = {place: member for member in series_of(names) for place in member.places}
    if measured is None or not named:
        measured = column_facts(columns, names if named else [""] * len(columns))
    facts, read = measured
    labels = [
        fold(name) if named and place not in series else "" for place, name in enumerate(names)
    ]
    n_rows = len(columns[0]) if columns else 0
    table = _Table(names, labels, read, facts, series, named, n_rows, {})
    _read_declared(table, declared)
    _read_kinds(table)
    _read_certainties(table)
    _read_beside(table)
    _read_places(table)
    _read_indicators(table)
    _read_targets(table)
    _read_classes(table)
    _read_rest(table)
    return [table.readings[place] for place in range(len(columns))]


def _read_declared(table: _Table, declared: Mapping[str, str]) -> None:
    """Roles that the file declares; a class of many numbers is a target."""
    roles: dict[str, Role] = {
        "feature": "feature", "class": "class", "target": "target", "name": "name",
        "clock": "clock", "place": "place", "split": "split", "weight": "weight",
        "group": "group", "one-hot": "one-hot", "text": "text",
    }  # fmt: skip
    if not declared:
        return
    for place, name in enumerate(table.names):
        word = declared.get(name)
        if word is None:
            continue
        facts = table.facts[place]
        if word == "meta":
            unique = facts.distinct_share > _ALL_DIFFER
            role: Role = "name" if unique else "text"
        elif word in roles:
            role = roles[word]
        else:
            allowed = ", ".join((*roles, "meta"))
            raise ValueError(f"Column {name} is declared {word!r}: declare one of {allowed}.")
        if role == "class" and facts.kind == "number" and facts.n_distinct > _MOST_CODES:
            role = "target"
        evidence = f"The file declares {table.called(place)} as {word}."
        table.readings[place] = RoleReading(role, "sure", evidence)


def _read_kinds(table: _Table) -> None:
    """Columns whose cells alone decide: empty, blocks of numbers, units, dates, times of day."""
    for place, facts in enumerate(table.facts):
        if place in table.readings or facts.kind in ("number", "text"):
            continue
        if facts.kind == "empty":
            reading = RoleReading("text", "likely", "No cell is filled.")
        elif facts.kind == "block":
            evidence = "Every cell holds equally many numbers, as pixels of a picture do."
            reading = RoleReading("feature", "ask", evidence, ("text",))
        elif facts.kind == "date":
            reading = RoleReading("clock", "sure", f"Its cells are dates: {_examples(facts)}.")
        elif facts.kind == "time":
            evidence = f"Its cells are times of day: {_examples(facts)}."
            reading = RoleReading("clock", "likely", evidence, ("text",))
        else:
            evidence = f"Its numbers bear a unit, a sign or a comma: {_examples(facts)}."
            reading = RoleReading("feature", "ask", evidence, ("name", "text"))
        table.readings[place] = reading


def _examples(facts: ColumnFacts) -> str:
    shown = ", ".join(example[:30] for example in facts.examples[:3])
    return f"{shown} …" if len(facts.examples) > 3 else shown


_CERTAINTY = re.compile(
    r"(?P<point>.*[^\s_.\-:])[\s_.\-:]+(likelihood|confidence|visibility|presence|score|prob)",
    re.IGNORECASE,
)
_COORDINATE = re.compile(r"(?P<point>.*[^\s_.\-:])[\s_.\-:]+(?P<axis>[xy])", re.IGNORECASE)


def _read_certainties(table: _Table) -> None:
    """How sure the place of a point is, beside its x and y of the same name."""
    if not table.named:
        return
    names = [name.strip() for name in table.names]
    coordinates = {
        (match["point"], match["axis"].lower())
        for name in names
        if (match := _COORDINATE.fullmatch(name)) is not None
    }
    for place, name in enumerate(names):
        match = _CERTAINTY.fullmatch(name)
        facts = table.facts[place]
        if match is None or facts.kind != "number" or place in table.readings:
            continue
        has_place = {(match["point"], axis) for axis in "xy"} <= coordinates
        if has_place and facts.low >= 0 and facts.high <= 1:
            evidence = (
                f"It is called {table.called(place)}, lies in 0 – 1 and stands beside x and y of "
                "the same point."
            )
            table.readings[place] = RoleReading("certainty", "likely", evidence, ("feature",))


# What stands beside the measurements: splits, clocks, names, persons, weights


def _read_beside(table: _Table) -> None:
    has_event = table.named and any(
        facts.n_distinct == 2 and any(is_word_of(part, "event") for part in label.split("_"))
        for label, facts in zip(table.labels, table.facts, strict=True)
        if label
    )
    for place in range(len(table.facts)):
        if place in table.readings or place in table.series:
            continue
        reading = (
            _event_reading(table, place)
            or _split_reading(table, place)
            or _clock_reading(table, place, has_event)
            or _name_reading(table, place)
            or _group_reading(table, place)
            or _replicate_reading(table, place)
            or _weight_reading(table, place)
        )
        if reading is not None:
            table.readings[place] = reading


def _event_reading(table: _Table, place: int) -> RoleReading | None:
    """Whether an event was seen, beside the time until it: both are to be predicted."""
    facts, label = table.facts[place], table.labels[place]
    if not table.named or facts.n_distinct != 2 or not is_word_of(label.split("_")[-1], "event"):
        return None
    times = [
        column for column, timed in enumerate(table.facts)
        if timed.kind == "number" and timed.n_distinct > _MOST_CODES
        and timed.low >= 0 and _TIMES_UNTIL.intersection(table.labels[column].split("_"))
    ]  # fmt: skip
    if len(times) != 1:
        return None
    evidence = (
        f"It is called {table.called(place)} and has two values, beside {table.called(times[0])}, "
        "as the event that a time runs to."
    )
    return RoleReading("target", "ask", evidence, ("class", "feature"))


def _split_reading(table: _Table, place: int) -> RoleReading | None:
    facts, label = table.facts[place], table.labels[place]
    if facts.kind == "text" and 1 < facts.n_distinct <= _MOST_SPLITS:
        if SPLIT_CELLS.issuperset(map(fold, facts.examples)):
            return RoleReading("split", "sure", f"Its cells name parts: {_examples(facts)}.")
        return None
    is_named = table.named and ends_in_word_of(label, "split")
    are_parts = facts.kind == "number" and facts.dense and facts.n_distinct <= _MOST_CODES
    if not is_named or not are_parts or facts.repeats < 2:
        return None
    alike = facts.n_distinct > 2 and facts.rarest_share >= 0.5 / facts.n_distinct
    if "fold" in label and alike:
        evidence = (
            f"It is called {table.called(place)}, and its {facts.n_distinct} parts are alike in "
            "size."
        )
        return RoleReading("split", "sure", evidence)
    evidence = f"It is called {table.called(place)} and numbers {facts.n_distinct} parts."
    return RoleReading("split", "ask", evidence, ("class", "feature"))


def _counts_seconds(facts: ColumnFacts) -> bool:
    """Whether numbers rise and are seconds since 1970, or parts of seconds, of our decades."""
    if facts.kind != "number" or not facts.rises or facts.n_distinct <= _LEAST_ROWS:
        return False
    return any(
        _SECONDS[0] * unit <= facts.low and facts.high <= _SECONDS[1] * unit
        for unit in (1, 1e3, 1e6, 1e9)
    )


_NAME_AND_UNIT = re.compile(r"(?P<name>.*\w)\s*[\[(]\s*(?P<unit>[^\])]+?)\s*[\])]\s*")


def _without_unit(name: str) -> str:
    """The folded name before a unit of time in brackets; empty where there is none."""
    match = _NAME_AND_UNIT.fullmatch(name)
    return fold(match["name"]) if match and match["unit"].lower() in TIME_UNITS else ""


def _clock_reading(table: _Table, place: int, has_event: bool) -> RoleReading | None:
    """A clock rises along the rows in even steps; beside an event it may be time until it."""
    facts, label = table.facts[place], table.labels[place]
    label = _without_unit(table.names[place]) or label
    is_named = table.named and ends_in_word_of(label, "clock")
    if not is_named and _counts_seconds(facts):
        evidence = "Its numbers rise along the rows and are times of our decades, since 1970."
        return RoleReading("clock", "likely", evidence, ("feature", "target"))
    if not is_named or facts.kind != "number":
        return None
    is_exact = is_word_of(label, "clock")
    many_values = facts.n_distinct > _MOST_CODES or facts.distinct_share > 0.5
    called = f"It is called {table.called(place)}"
    if facts.rises and is_exact and not has_event and facts.n_distinct > 2 and many_values:
        steps = np.diff(table.values(place)).round(9)
        usual = np.median(steps[steps > 0])
        if len(steps) > 3 and np.isin(steps, [0, usual]).mean() >= 0.8:
            evidence = f"{called} and rises along the rows in even steps."
            return RoleReading("clock", "sure", evidence, ("feature",))
    if facts.whole and _YEARS[0] <= facts.low and facts.high <= _YEARS[1]:
        evidence = f"{called} and holds the years {facts.low:.0f} to {facts.high:.0f}."
        return RoleReading("clock", "likely", evidence, ("feature", "target"))
    if facts.rises and not has_event and facts.n_distinct > _LEAST_ROWS:
        evidence = f"{called} and rises along the rows."
        return RoleReading("clock", "likely", evidence, ("feature", "target"))
    if has_event:
        evidence = f"{called}, beside a column that may say whether an event was seen."
        return RoleReading("clock", "ask", evidence, ("target", "feature"))
    return RoleReading("clock", "ask", f"{called}.", ("feature", "target"))


def _name_reading(table: _Table, place: int) -> RoleReading | None:
    facts, label = table.facts[place], table.labels[place]
    is_name = table.named and (label == "" or ends_in_word_of(label, "name"))
    if facts.n_distinct < 2:
        if not is_name or not label or facts.kind != "number" or not facts.whole:
            return None
        evidence = f"It is called {table.called(place)}, and every number is {facts.low:.0f}."
        return RoleReading("name", "likely", evidence, ("feature",))
    if facts.kind == "text":
        return _text_name_reading(facts, is_name)
    if not facts.whole:
        return None
    called = f"It is called {table.called(place)}" if label else "It has no name"
    is_row_id = table.named and any(
        label in ("", word) or label.endswith(f"_{word}") for word in WORDS["row id"]
    )
    many_rows = table.n_rows >= _LEAST_ROWS
    if facts.counter:
        is_sure = many_rows and (is_name or not table.named)
        confidence: Confidence = "sure" if is_sure else "likely"
        evidence = f"It counts the rows from {facts.low:.0f} to {facts.high:.0f}."
        return RoleReading("name", confidence, evidence, ("clock", "feature"))
    if is_name and facts.distinct_share > 0.9:
        is_sure = is_row_id and many_rows and facts.distinct_share > _ALL_DIFFER
        evidence = f"{called}, and its whole numbers differ."
        if facts.distinct_share < 1:
            evidence = f"{called}, and nearly all of its whole numbers differ."
        return RoleReading("name", "sure" if is_sure else "likely", evidence, ("feature",))
    is_permutation = facts.distinct_share == 1 and facts.high - facts.low == facts.n_filled - 1
    if is_permutation and facts.n_filled >= 20 and abs(facts.low) <= 1:
        evidence = f"It holds every number from {facts.low:.0f} to {facts.high:.0f} once."
        return RoleReading("name", "likely", evidence, ("feature",))
    if is_name:
        evidence = f"{called}, but its numbers repeat."
        return RoleReading("name", "ask", evidence, ("class", "feature", "group"))
    may_tick = not table.named and facts.rises and facts.n_distinct > _MOST_CODES
    if may_tick and (np.diff(table.values(place)) <= 1).all():
        evidence = "It rises by 0 or 1 along the rows."
        return RoleReading("clock", "ask", evidence, ("class", "feature", "name"))
    return None


_SENTENCE = re.compile(r"(\S+\s+){2,}\S*[.!?…]|(\S+\s+){7,}\S+")  # ends as one, or is as long


def _text_name_reading(facts: ColumnFacts, is_name: bool) -> RoleReading | None:
    if not is_name and all(map(_SENTENCE.fullmatch, facts.examples)):
        return None  # what somebody wrote of the samples is not what they are called
    if facts.distinct_share > _ALL_DIFFER and facts.n_filled >= _LEAST_ROWS // 2:
        confidence: Confidence = "sure" if facts.n_filled >= _LEAST_ROWS else "likely"
        evidence = f"Its {facts.n_filled:,} words differ."
        if facts.distinct_share < 1:
            evidence = f"It holds {facts.n_distinct:,} words in {facts.n_filled:,} cells."
        return RoleReading("name", confidence, evidence, ("text",))
    least = 0.5 if is_name else _NEARLY_ALL_DIFFER
    if facts.distinct_share > least:
        evidence = f"It holds {facts.n_distinct:,} words in {facts.n_filled:,} cells."
        return RoleReading("name", "likely", evidence, ("text",))
    return None


def _group_reading(table: _Table, place: int) -> RoleReading | None:
    facts = table.facts[place]
    label = table.labels[place]
    names_samples = facts.kind == "text" and is_word_of(label, "sample name")
    if not (ends_in_word_of(label, "person") or names_samples) or facts.repeats < 2:
        return None
    if facts.kind == "number" and not facts.whole:
        return None
    evidence = (
        f"It is called {table.called(place)} and has {facts.n_distinct:,} values, "
        f"{facts.repeats:.3g} rows each on average."
    )
    return RoleReading("group", "ask", evidence, ("class", "name", "text"))


def _replicate_reading(table: _Table, place: int) -> RoleReading | None:
    """Whole numbers that count the measurements of one sample."""
    facts = table.facts[place]
    is_counted = facts.kind == "number" and facts.dense and facts.n_distinct <= _MOST_CODES
    if not is_counted or not is_word_of(table.labels[place], "replicate"):
        return None
    evidence = f"It is called {table.called(place)} and counts up to {facts.high:.0f}."
    return RoleReading("text", "likely", evidence, ("class", "feature"))


def _weight_reading(table: _Table, place: int) -> RoleReading | None:
    facts, label = table.facts[place], table.labels[place]
    is_weight, is_count = is_word_of(label, "weight"), is_word_of(label, "count")
    if facts.kind != "number" or not (is_weight or is_count) or facts.low < 0:
        return None
    if table.labels.count(label) > 1:
        return None
    evidence = f"It is called {table.called(place)}, and no number is below 0."
    if is_weight:
        return RoleReading("weight", "likely", evidence, ("feature",))
    if facts.whole:
        return RoleReading("weight", "ask", evidence, ("feature",))
    return None


# Places


def _read_places(table: _Table) -> None:
    """Pairs of coordinates: on the globe, on a grid, or by their names alone."""
    if not table.named:
        return
    stems: dict[str, int] = {}
    for place, label in enumerate(table.labels):
        if label and table.facts[place].kind == "number":
            parts = [part for part in label.split("_") if part not in PLACE_PARTS]
            stems.setdefault("_".join(parts) or label, place)
            stems.setdefault(label, place)
    n_numbers = sum(facts.kind == "number" for facts in table.facts)
    for pair in PLACE_PAIRS:
        places = [stems[word] for word in pair if word in stems]
        taken = any(
            place in table.readings and table.readings[place].role not in ("name", "clock")
            for place in places
        )
        if len(set(places)) < 2 or taken:
            continue
        reading = _place_reading(table, pair, places, n_numbers, pair[0] == "x" and "z" in stems)
        table.readings |= dict.fromkeys(places, reading)


def _place_reading(
    table: _Table, pair: tuple[str, str], places: list[int], n_numbers: int, has_z: bool
) -> RoleReading:
    first, second = (np.asarray(table.columns[place], dtype=np.float64) for place in places)
    facts = [table.facts[place] for place in places]
    called = f"{table.called(places[0])} and {table.called(places[1])}"
    filled = np.isfinite(first) & np.isfinite(second)
    n_pairs = len(np.unique(np.column_stack([first, second])[filled], axis=0))
    n_filled = max(1, int(filled.sum()))
    on_globe = (
        pair[0].startswith("lat")
        and max(abs(facts[0].low), abs(facts[0].high)) <= 90
        and max(abs(facts[1].low), abs(facts[1].high)) <= 180
        and not (facts[0].whole and facts[1].whole)
    )
    clear = n_numbers >= 4 and not has_z
    on_sky = (
        pair[0].startswith("ra")
        and facts[0].low >= 0
        and facts[0].high <= 360
        and max(abs(facts[1].low), abs(facts[1].high)) <= 90
        and not (facts[0].whole and facts[1].whole)
    )
    if on_sky:
        evidence = f"{called} lie on the sky."
        return RoleReading("place", "sure" if clear else "ask", evidence, ("feature",))
    if on_globe:
        evidence = f"{called} lie on the globe."
        return RoleReading("place", "sure" if clear else "ask", evidence, ("feature",))
    if n_pairs == n_filled and _is_grid(first[filled], second[filled], facts):
        evidence = (
            f"{called} form a grid of {facts[0].n_distinct:,} by {facts[1].n_distinct:,} places."
        )
        return RoleReading("place", "sure" if clear else "ask", evidence, ("feature",))
    if n_pairs > 0.9 * n_filled and n_numbers >= 8 and not has_z:
        evidence = f"{called} are named as coordinates, and hardly any two rows share a place."
        return RoleReading("place", "likely", evidence, ("feature",))
    return RoleReading("place", "ask", f"{called} are named as coordinates.", ("feature",))


def _is_grid(
    first: NDArray[np.float64], second: NDArray[np.float64], facts: list[ColumnFacts]
) -> bool:
    """Whether both have at least five even steps and half of all pairs are there."""
    sides = [measured.n_distinct for measured in facts]
    if min(sides) < 5 or len(first) < 0.5 * sides[0] * sides[1] or max(sides) > len(first) / 3:
        return False
    for side in (first, second):
        steps = np.diff(np.unique(side))
        if np.ptp(steps) > 0.02 * np.ptp(side):
            return False
    return True


# One-hot columns


def _read_indicators(table: _Table) -> None:
    """Columns of 0 and 1 of one first part of the name that add up to 1 in every row."""
    groups: dict[str, list[int]] = {}
    for place, facts in enumerate(table.facts):
        is_flag = facts.kind == "number" and facts.n_distinct == 2 and facts.whole
        if is_flag and facts.low == 0 and facts.high == 1 and place not in table.readings:
            member = table.series.get(place)
            stem = member.stem if member else re.split(r"[_.\-=: ]", table.names[place])[0].lower()
            groups.setdefault(fold(stem), []).append(place)
    for stem, places in groups.items():
        if len(places) < 2:
            continue
        if marked_columns(np.column_stack([table.columns[place] for place in places])) is None:
            continue
        says_class = is_word_of(stem, "class") or stem in ("target", "y")
        confidence: Confidence = "sure" if says_class and len(places) >= 3 else "ask"
        evidence = (
            f"{len(places)} columns of 0 and 1, from {table.called(places[0])} to "
            f"{table.called(places[-1])}, add up to 1 in every row."
        )
        reading = RoleReading("one-hot", confidence, evidence, ("feature",))
        table.readings |= dict.fromkeys(places, reading)


# Targets and classes


def _fits_class(facts: ColumnFacts) -> bool:
    """Whether the values repeat as those of a class do: words, few whole numbers, or codes."""
    if not 2 <= facts.n_distinct <= max(2, facts.n_filled / 2):
        return False
    if facts.kind == "text":
        return True
    if facts.kind != "number" or not facts.whole:
        return False
    is_ticking = facts.rises and facts.repeats < _LEAST_A_VALUE
    codes = facts.dense and facts.n_distinct <= _MOST_DENSE_CODES and not is_ticking
    return facts.n_distinct <= _MOST_CODES or codes


def _open_places(table: _Table) -> list[int]:
    """Columns that may still be a class or a target."""
    places = []
    for place, facts in enumerate(table.facts):
        if place in table.series or facts.kind not in ("number", "text"):
            continue
        reading = table.readings.get(place)
        may_be_class = reading is None or (
            reading.confidence != "sure"
            and reading.role == "name"
            and ends_in_word_of(table.labels[place], "weak class")
        )
        if may_be_class:
            places.append(place)
    return places


def _y_is_no_class(table: _Table) -> bool:
    """Whether y is likelier a coordinate or a gene, beside a place or other names as short."""
    n_short = sum(len(table.names[place].strip()) <= 2 for place in range(len(table.names)))
    return n_short >= 3 or table.has_role("place")


def _read_targets(table: _Table) -> None:
    """Numbers that are named as what is to be predicted, and do not repeat as classes do."""
    if not table.named:
        return
    y_excluded = _y_is_no_class(table)
    for place in _open_places(table):
        facts, label = table.facts[place], table.labels[place]
        if facts.kind != "number" or facts.n_distinct < 2 or _fits_class(facts):
            continue
        called = f"It is called {table.called(place)}"
        if ends_in_word_of(label, "target") or (label == "y" and not y_excluded):
            all_differ = facts.whole and facts.n_distinct == facts.n_filled
            is_sure = is_word_of(label, "sure target") and facts.n_distinct > _MOST_CODES
            confidence: Confidence = "sure" if is_sure and not all_differ else "likely"
            evidence = f"{called}, and its {facts.n_distinct:,} values measure."
            table.readings[place] = RoleReading("target", confidence, evidence, ("feature",))
        elif ends_in_word_of(label, "class") and facts.n_distinct > _MOST_CODES:
            evidence = f"{called} as a class is, but its {facts.n_distinct:,} values measure."
            table.readings[place] = RoleReading("target", "ask", evidence, ("class", "feature"))


def _is_class_named(label: str) -> bool:
    return ends_in_word_of(label, "class") or is_word_of(label.split("_")[0], "class stem")


def _read_classes(table: _Table) -> None:
    """The class by its name and values, else as the only column of words that repeat."""
    places = [place for place in _open_places(table) if _fits_class(table.facts[place])]
    if not places:
        return
    if not (_read_named_class(table, places) or _read_word_class(table, places)):
        _read_coded_class(table, places)


def _read_named_class(table: _Table, places: list[int]) -> bool:
    """Read the class among names that say it; False where no name does."""
    if not table.named:
        return False
    y_excluded = _y_is_no_class(table)
    strong = [place for place in places if _is_class_named(table.labels[place])]
    weak = [
        place
        for place in places
        if place not in strong
        and ends_in_word_of(table.labels[place], "weak class")
        and not (y_excluded and table.labels[place] == "y")
        and table.facts[place].n_distinct <= _MOST_WEAK_CLASSES
    ]
    if strong:
        _read_strong_class(table, strong, weak)
    elif len(weak) == 1 and table.facts[weak[0]].repeats >= _LEAST_A_VALUE:
        _read_weak_class(table, weak[0], places)
    elif weak:
        names = ", ".join(table.names[place] for place in weak[:5])
        evidence = f"More than one name could be that of the class: {names}."
        if len(weak) == 1:
            evidence = f"It is called {table.called(weak[0])}, but few values repeat."
        _ask_class(table, weak, evidence)
    return bool(strong or weak)


def _read_strong_class(table: _Table, strong: list[int], weak: list[int]) -> None:
    rivals = [place for place in weak if table.facts[place].n_distinct <= _FEW_CODES]
    measured = any(
        reading.role == "target" and reading.confidence == "ask" and "class" in reading.alternatives
        for reading in table.readings.values()
    )
    if len(strong) > 1 or rivals or measured:
        candidates = strong + weak
        names = ", ".join(table.names[place] for place in candidates[:5])
        evidence = f"More than one name could be that of the class: {names}."
        if measured and len(candidates) == 1:
            evidence = (
                f"{table.called(strong[0])} is named as a class, and so is a column that measures."
            )
        _ask_class(table, candidates, evidence)
        return
    place = strong[0]
    facts = table.facts[place]
    is_exact = is_word_of(table.labels[place], "class")
    clear_values = facts.kind == "text" or facts.dense
    is_sure = is_exact and clear_values and facts.repeats >= _LEAST_A_VALUE
    _set_class(table, place, "sure" if is_sure else "likely", _named_evidence(table, place))


def _read_weak_class(table: _Table, place: int, places: list[int]) -> None:
    facts = table.facts[place]
    is_exact = is_word_of(table.labels[place], "weak class")
    clear_values = facts.kind == "text" or facts.dense or facts.n_distinct <= 10
    evidence = _named_evidence(table, place)
    if is_exact and clear_values:
        confidence: Confidence = "ask" if _counts_like_others(table, place) else "likely"
        _set_class(table, place, confidence, evidence)
        return
    candidates = [place]
    if not is_exact:  # heart_disease beside stroke: others of two values are as likely
        candidates += [
            rival for rival in places
            if rival != place and table.facts[rival].n_distinct == 2
            and table.facts[rival].kind in ("text", "number") and rival not in table.readings
        ][:7]  # fmt: skip
    word_places = [member for member in places if table.facts[member].kind == "text"]
    if word_places == [place] and len(candidates) == 1:
        _set_class(table, place, "likely", evidence)
        return
    _ask_class(table, candidates, evidence)


def _counts_like_others(table: _Table, place: int) -> bool:
    """Whether a column and all others of numbers are counts from 0 of about as many values."""
    facts = table.facts[place]
    others = [
        rival for at, rival in enumerate(table.facts) if rival.kind == "number" and at != place
    ]
    if facts.kind != "number" or len(others) < LEAST_SERIES:
        return False
    return (
        facts.low == 0
        and facts.n_distinct > 2
        and all(
            rival.whole
            and rival.low == 0
            and rival.n_distinct <= _MOST_UNLIKE_COUNTS * facts.n_distinct
            and facts.n_distinct <= _MOST_UNLIKE_COUNTS * rival.n_distinct
            for rival in others
        )
    )


def _read_word_class(table: _Table, places: list[int]) -> bool:
    """Read the class among columns of words that repeat; False where there are none."""
    text = [place for place in places if table.facts[place].kind == "text"]
    if not text:
        return False
    facts = table.facts[text[0]]
    rivals = [
        place for place in places
        if table.named and place not in table.readings and table.facts[place].kind == "number"
        and table.facts[place].n_distinct == 2 and table.facts[place].dense
    ]  # fmt: skip
    if len(text) == 1 and len(rivals) == 1:
        evidence = (
            f"The words of {table.called(text[0])} repeat, and {table.called(rivals[0])} holds two "
            "values."
        )
        _ask_class(table, [*text, *rivals], evidence)
        return True
    is_background = table.named and ends_in_word_of(table.labels[text[0]], "background")
    if len(text) == 1 and not is_background and facts.repeats >= _LEAST_A_VALUE:
        evidence = (
            f"It is the only column of words that repeat: {facts.n_distinct:,} in "
            f"{facts.n_filled:,} cells."
        )
        _set_class(table, text[0], "likely", evidence)
        return True
    evidence = f"{len(text)} columns hold words that repeat."
    if len(text) == 1:
        evidence = f"Its words repeat: {facts.n_distinct:,} in {facts.n_filled:,} cells."
    _ask_class(table, text, evidence)
    return True


def _read_coded_class(table: _Table, places: list[int]) -> None:
    """Ask about whole numbers that hold far fewer values than the other columns."""
    few = [
        place for place in places
        if place not in table.readings and table.facts[place].kind == "number"
        and table.facts[place].n_distinct <= _FEW_CODES
    ]  # fmt: skip
    if not few:
        return
    beside = [
        facts
        for place, facts in enumerate(table.facts)
        if facts.kind == "number" and place != few[0]
    ]
    if not beside:
        return
    facts = table.facts[few[0]]
    if len(few) == 1 and (not table.named or _has_main_series(table)):
        beside_measure = len(beside) > 2 and not any(facts_beside.whole for facts_beside in beside)
        beside_measure = beside_measure and (
            float(np.median([facts_beside.distinct_share for facts_beside in beside])) > 0.1
        )
        are_codes = facts.dense and facts.rarest_share >= _RAREST_CODE
        evidence = (
            f"It is the only column of a few whole numbers: {facts.n_distinct} from "
            f"{facts.low:.0f} to {facts.high:.0f}."
        )
        if not table.named and beside_measure and are_codes:
            _set_class(table, few[0], "likely", evidence)
        else:
            _ask_class(table, few, evidence)
        return
    median = float(np.median([facts_beside.n_distinct for facts_beside in beside]))
    # Where all columns hold a few whole numbers, as answers do, fewer of them say nothing.
    are_grades = table.named and len(few) > 0.8 * (len(beside) + 1)
    lone = [
        place for place in few if table.facts[place].n_distinct <= 0.5 * median and not are_grades
    ]
    all_count = all(column.whole and column.low >= 0 for column in [facts, *beside])
    all_count = all_count and all(table.facts[place].low == 0 for place in lone)
    if table.named and all_count and len(lone) > 1:
        return  # counts, of which some are rare
    if len(lone) <= (_MOST_QUESTIONS_NAMED if table.named else _MOST_QUESTIONS_BARE):
        _ask_class(table, lone, "It holds fewer whole numbers than the other columns.")


def _has_main_series(table: _Table) -> bool:
    """Whether at least half of the numbers, and eight, are of series of names."""
    numbers = [place for place, facts in enumerate(table.facts) if facts.kind == "number"]
    n_in_series = sum(place in table.series for place in numbers)
    return n_in_series >= max(8, 0.5 * len(numbers))


def _named_evidence(table: _Table, place: int) -> str:
    facts = table.facts[place]
    values = "words" if facts.kind == "text" else "whole numbers"
    return (
        f"It is called {table.called(place)}, and {facts.n_distinct:,} {values} repeat over "
        f"{facts.n_filled:,} rows."
    )


def _set_class(table: _Table, place: int, confidence: Confidence, evidence: str) -> None:
    is_text = table.facts[place].kind == "text"
    alternatives: tuple[Role, ...] = ("text", "name") if is_text else ("feature",)
    table.readings[place] = RoleReading("class", confidence, evidence, alternatives)


def _ask_class(table: _Table, places: list[int], evidence: str) -> None:
    for place in places:
        _set_class(table, place, "ask", evidence)


# The rest


def _read_rest(table: _Table) -> None:
    """Features, words, and numbers that stand beside one long series."""
    n_numbers = sum(facts.kind == "number" for facts in table.facts)
    beside_series = _has_main_series(table) and (
        n_numbers - sum(table.facts[place].kind == "number" for place in table.series)
        <= max(4, 0.1 * n_numbers)
    )
    members = set(table.series.values())
    series_readings = {id(member): _series_reading(table, member, members) for member in members}
    measured = RoleReading("feature", "likely", "It holds numbers.", ("class", "target"))
    for place, facts in enumerate(table.facts):
        if place in table.readings:
            continue
        if facts.kind == "text":
            evidence = f"It holds {facts.n_distinct:,} words."
            if facts.n_distinct == 1:
                evidence = f"Every filled cell says “{facts.examples[0][:30]}”."
            table.readings[place] = RoleReading("text", "likely", evidence, ("class", "name"))
        elif facts.n_words:
            evidence = f"{facts.n_words} of its cells are no numbers: {_examples(facts)}."
            if facts.n_words == 1:
                evidence = f"One of its cells is no number: {_examples(facts)}."
            table.readings[place] = RoleReading("feature", "ask", evidence, ("text",))
        elif place in table.series:
            table.readings[place] = series_readings[id(table.series[place])]
        elif beside_series:
            evidence = "The numbers stand beside a series of columns and do not belong to it."
            others: tuple[Role, ...] = ("feature", "name") if facts.whole else ("feature",)
            table.readings[place] = RoleReading("target", "ask", evidence, others)
        elif ends_in_word_of(table.labels[place], "price") and facts.n_distinct > _MOST_CODES:
            evidence = f"It is called {table.called(place)}, and is often what is to be predicted."
            table.readings[place] = RoleReading("feature", "likely", evidence, ("target",))
        else:
            table.readings[place] = measured


def _series_reading(
    table: _Table, member: NameSeries, members: AbstractSet[NameSeries]
) -> RoleReading:
    """The role that all columns of a series share."""
    stem = fold(member.stem)
    first, last = table.called(member.places[0]), table.called(member.places[-1])
    n_columns = f"{len(member.places):,} columns"
    others = {fold(series.stem) for series in members if len(series.places) == len(member.places)}
    if stem == "y" and "x" in others:
        evidence = f"The {n_columns} {first} … {last} stand beside as many called x."
        return RoleReading("feature", "sure" if member.is_clear else "likely", evidence)
    if stem == "y" or ends_in_word_of(stem, "target") or ends_in_word_of(stem, "class"):
        evidence = f"The {n_columns} {first} … {last} are named as targets or classes."
        return RoleReading("target", "ask", evidence, ("feature", "one-hot"))
    evidence = f"Its name continues those of {n_columns}, {first} … {last}."
    return RoleReading("feature", "sure" if member.is_clear else "likely", evidence)
