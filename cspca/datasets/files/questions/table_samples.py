"""Samples of a table that lie in its columns: evidence, and the table turned."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from string import ascii_uppercase
from typing import Final

import numpy as np

from cspca.datasets.axis import is_monotonic
from cspca.datasets.files import picture_test
from cspca.datasets.files.cells import read_cells
from cspca.datasets.files.column_roles import RoleReading, column_roles
from cspca.datasets.files.columns import column_facts
from cspca.datasets.files.containers.file_names import ClassSource, name_classes
from cspca.datasets.files.feature_names import NamedAxis, layout_of, series_of
from cspca.datasets.files.foreign import listed
from cspca.datasets.files.parsed import Array, Draft, Table
from cspca.datasets.files.question import (
    CONFIDENCES,
    Confidence,
    Question,
    Strength,
    ranked_answers,
)
from cspca.datasets.files.questions.pivot import comes_in_pairs
from cspca.datasets.files.table_form import are_lineages, long_table, samples_side
from cspca.datasets.files.vocabulary import (
    AXIS_UNITS,
    NO_GENE,
    QUANTITY_NAMES,
    QUANTITY_STEMS,
    Topic,
    ends_in_word_of,
    fold,
    is_word_of,
)
from cspca.datasets.nouns import MEASUREMENT_NOUNS

TEXT: Final = "What are the samples?"
_WITH_CODE: Final = re.compile(r"\S+ \(\d+\)")  # a gene with its number
_STEMS_OF_PLACES: Final = frozenset(["site", "plot", "station", "quadrat", "transect", "lake"])
_SPECIES_KEYS: Final = frozenset(["species", "taxon", "taxa", "species_name"])
_TEMPERATURE: Final = re.compile(r"(?i)(t°|temp(erature)?)\W.*")  # as plate readers write it
_LEAST_POINTS: Final = 8
_SYMBOL_KEYS: Final = frozenset(
    [
        "symbol",
        "gene_symbol",
        "gene_name",
        "gene_names",
        "genes",
        "hgnc_symbol",
        "external_gene_name",
    ]
)
_FACTS: Final = frozenset(
    ["age", "bmi", "dose", "weight", "height", "day", "days", "time", "batch"]
)
_MOST_FACTS: Final = 8  # rows of numbers below the names, among which facts about samples stand
_REPLICATE: Final = re.compile(
    r"(?i)([_.\- ])(?:r|rep|repl|replicate|inj|injection)[_.\- ]?(\d+)(?!\d)"
)
_MARKS_OF_ROWS: Final = frozenset(
    ["reverse", "potential_contaminant", "contaminant", "only_identified_by_site"]
)
_MONTHS: Final = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mrz|mai|okt|dez"
_DATE: Final = re.compile(
    rf"\d{{1,2}}[-. ]({_MONTHS})\.?|({_MONTHS})[-. ]\d{{1,4}}|"
    r"\d{4}-\d\d-\d\d([ T]00:00(:00)?)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}",
    re.IGNORECASE,
)
_MOST_DATES: Final = 0.1  # of the names of features, beyond which they are dates by right
_LEAST_QUANTITIES: Final = 3
_LEAST_AXIS: Final = 20  # points of an axis in the header, from which rows are samples
_MOSTLY: Final = 0.8  # of the columns of numbers that must be points of it
_FEWEST_SAMPLES: Final = 2
_FEWEST_NAMES: Final = 6  # of samples, from which parts of them may be classes
_MOST_NAME_PARTS: Final = 4
_MOST_CLASSES: Final = 10  # that parts of names may be without a question
_LEAST_A_CLASS: Final = 3
_LEAST_LETTERS: Final = 4  # from A on, which name rows rather than groups
_ROWS_LOOKED_AT: Final = 2000


def question_of(draft: Draft, table: Table) -> Question:
    """Propose the side of the samples of a table."""
    side, strength, confidence, evidence = _evidence(draft, table)
    counts = {"rows": table.n_rows, "columns": len(_sample_places(table))}
    examples = {value: MEASUREMENT_NOUNS.count_samples(count) for value, count in counts.items()}
    words = {"rows": "Rows", "columns": "Columns"}
    options = ranked_answers(words, side, evidence, strength, examples)
    sentence = f"Samples lie in columns. {evidence}" if side == "columns" else ""
    if confidence == "open":
        sentence = ""
    return Question("samples", TEXT, options, confidence, sentence=sentence)


def _evidence(draft: Draft, table: Table) -> tuple[str, Strength, Confidence, str]:
    if table.samples:
        return table.samples, "declared", "sure", table.evidence
    places = table.places
    columns = table.columns(_ROWS_LOOKED_AT)
    names = [table.names[place] for place in places]
    if not table.names_are_written:
        return _of_bare_numbers(table, columns, names)
    if comes_in_pairs(table):
        return "rows", "measured", "default", ""
    if _is_plate(table):
        evidence = (
            "The rows are called by letters and the columns by numbers, as the wells of a plate."
        )
        return "rows", "custom", "open", evidence
    axis = _axis_in_header(table)
    if axis is not None:
        return "rows", "declared", "sure", axis.evidence
    measured = column_facts(columns, names)
    if table.n_rows <= _ROWS_LOOKED_AT:
        draft.measured = table, measured
    reading = samples_side(columns, names, measured)
    if reading.side == "columns" and len(_sample_places(table)) < _FEWEST_SAMPLES:
        return "rows", "measured", "default", ""
    confidence = CONFIDENCES[reading.confidence]
    quantity = _quantity_places(table)
    if quantity and _feature_key_place(table) is not None:
        first, last = (table.titles[place] for place in (quantity[0], quantity[-1]))
        evidence = (
            f"{len(quantity)} columns, {first} … {last}, are called as one quantity of a sample "
            "each, and the rows are named as features are."
        )
        return "columns", "declared", "open", evidence
    if _has_species_by_places(table):
        evidence = "The rows are called as species are, and the columns number places."
        return "columns", "declared", "open", evidence
    class_row = _class_row(table)
    if class_row and (
        reading.side == "columns" or confidence != "sure" or _is_class_word(class_row)
    ):
        evidence = f"The row “{class_row}” has a word for each column, and the words repeat."
        return "columns", "declared", "likely", evidence
    if reading.side == "columns" and long_table(table.columns(), names) is not None:
        return "rows", "measured", "default", ""
    if reading.side == "rows" and confidence == "likely" and _may_name_features(table):
        # The words in front must not be what makes the columns unlike.
        numbers = [table.column(place)[:_ROWS_LOOKED_AT] for place in table.number_places]
        heads = [table.names[place] for place in table.number_places]
        reading = samples_side(numbers, heads)
        confidence = CONFIDENCES[reading.confidence]
    elif reading.side == "rows" and confidence == "open":
        # The columns have names, and nothing speaks for the other side.
        confidence = "default"
    return reading.side, "measured", confidence, reading.evidence


def _is_plate(table: Table) -> bool:
    """Whether rows are called A, B, C … and columns 1, 2, 3 …, as those of a plate are."""
    heads = [table.names[place].strip() for place in table.number_places]
    keys = [column.tolist() for column in table.words.values() if column.dtype == object]
    letters = [*ascii_uppercase[: table.n_rows]]
    counted = [str(number) for number in range(1, len(heads) + 1)]
    return len(keys) == 1 and keys[0] == letters and heads == counted


def _axis_in_header(table: Table) -> NamedAxis | None:
    """The axis that the names of most columns of numbers are points of; None without one."""
    heads = [table.names[place] for place in table.number_places]
    for member in series_of(heads):
        if len(member.places) < max(_LEAST_AXIS, _MOSTLY * len(heads)):
            continue
        layout = layout_of([heads[place] for place in member.places])
        is_axis = isinstance(layout, NamedAxis) and layout.ordered and layout.is_declared
        if isinstance(layout, NamedAxis) and is_axis and layout.confidence == "sure":
            return layout
    return None


def _may_name_features(table: Table) -> bool:
    """Whether words that all differ stand before the numbers, and no other words, nor a series."""
    words = {place: column for place, column in table.words.items() if column.dtype == object}
    if len(words) != 1:
        return False
    place, column = next(iter(words.items()))
    name = fold(table.names[place])
    if ends_in_word_of(name, "name") and not is_word_of(name, "feature key"):
        return False
    if read_cells(column[:_LEAST_POINTS]).kind in ("date", "time"):
        return False
    heads = [table.names[place] for place in table.number_places]
    if sum(_WITH_CODE.fullmatch(head) is not None for head in heads) > len(heads) / 2:
        return False
    if len(set(column.tolist())) < max(_LEAST_POINTS, 0.98 * table.n_rows):
        return False
    series = series_of(heads)
    largest = max(series, key=lambda member: len(member.places), default=None)
    covers_all = largest is not None and len(largest.places) >= 0.9 * len(table.number_places)
    return largest is None or not covers_all or fold(largest.stem) in _STEMS_OF_PLACES


def _class_row(table: Table) -> str:
    """Name of a row of words that repeat over the columns and are no units; empty without one."""
    places = _sample_places(table) if table.label_rows else []
    has_words = any(column.dtype == object for column in table.words.values())
    for name, cells in table.label_rows:
        # Beside numbers alone the rows may as well be instants or frames.
        if not has_words and not _is_class_word(name):
            continue
        words = [cells[place] for place in places if cells[place]]
        units = sum(word.strip("()[]").lower() in AXIS_UNITS for word in words)
        if name and 2 <= len(set(words)) <= len(words) / 2 and units < len(words) / 2:
            return name
    return ""


def _is_class_word(name: str) -> bool:
    return ends_in_word_of(fold(name), "class") or ends_in_word_of(fold(name), "weak class")


def _of_bare_numbers(
    table: Table, columns: list[Array], names: list[str]
) -> tuple[str, Strength, Confidence, str]:
    """Evidence in a table without names: a class, columns of unlike kinds, or pictures."""
    readings = column_roles(columns, names, named=False, declared={})
    beside = [
        reading
        for reading in readings
        if reading.role not in ("feature", "text") and reading.confidence != "ask"
    ]
    if beside:
        return "rows", "measured", "likely", beside[0].evidence
    if table.words:
        return "rows", "measured", "likely", "The columns are of unlike kinds."
    maybe = {place for place, reading in enumerate(readings) if reading.role != "feature"}
    rest = [place for place in range(len(readings)) if place not in maybe]
    if len(rest) >= 4:
        values = table.numbers if not maybe else table.numbers[:, rest]
        picture = picture_test.read_matrix(values)
        if picture.answer != "not pictures" and picture.confidence == "sure":
            return picture.samples, "measured", "sure", picture.evidence
    reading = samples_side(columns, names)
    return "rows", "measured", CONFIDENCES[reading.confidence], reading.evidence


def turned(draft: Draft, table: Table) -> Table:
    """The table with one row a sample, whose columns are named by the rows of the file."""
    places = _sample_places(table)
    key = _key_place(table)
    n_rows = table.n_rows
    if key is None:
        names = [f"row {number + 1}" for number in range(n_rows)]
    else:
        column = table.column(key)
        head = table.names[key].strip()
        # Numbers of features are no axis, whatever their order.
        is_number = column.dtype != object
        is_axis = is_number and is_word_of(fold(head), "sample name") and _is_axis(column)
        is_name = bool(head) and ends_in_word_of(fold(head), "name") and not is_axis
        before = f"{head} " if is_name else ""
        names = [f"{before}{value:.10g}" for value in column] if is_number else list(column)
        names = _with_symbols(draft, table, key, names)
    table, names = _without_counts_of_reads(draft, table, names)
    table, names = _without_marked_rows(draft, table, names)
    n_rows = table.n_rows
    _say_dates(draft, names)
    left_out = [table.titles[place] for place in table.places if place not in {*places, key}]
    if left_out:
        draft.left_out.append(f"{listed(left_out)}: no sample, but about the rows")
        describes = "describes" if len(left_out) == 1 else "describe"
        draft.notes.append(f"Left out {listed(left_out)}, which {describes} the rows.")
    if places == table.number_places:
        numbers = np.ascontiguousarray(table.numbers.T)
    else:
        numbers = np.array([table.column(place) for place in places])
    heads = [table.names[place] for place in places]
    words: dict[int, Array] = {}
    labels = [(name, [cells[place] for place in places]) for name, cells in table.label_rows]
    # Whatever their values, rows of the file are features.
    declared = dict.fromkeys(range(n_rows), "feature")
    for name, cells in labels:
        words[len(names)] = np.array(cells, dtype=object)
        names.append(name or "words over the columns")
    if table.names_are_written and len(set(heads)) == len(heads):
        declared[len(names)] = "name"
        words[len(names)] = np.array(heads, dtype=object)
        names.append("name of the column")
    readings = _facts_about_samples(names[:n_rows]) if table.label_rows else {}
    rows_of_places = {place: at for at, place in enumerate(places)}
    odd_cells: dict[int, list[tuple[int, str]]] = {}
    for place, odd in table.odd_cells.items():
        for row, text in odd if place in rows_of_places else ():
            odd_cells.setdefault(row, []).append((rows_of_places[place], text))
    return Table(
        names=names,
        first_row=[],
        numbers=numbers,
        number_places=list(range(n_rows)),
        words=words,
        declared=declared,
        odd_cells=odd_cells,
        title=table.title,
        names_are_written=key is not None,
        readings=readings,
        is_as_in_file=False,
        row_lines=table.lines if table.lines is not None and len(table.lines) == n_rows else None,
    )


def _facts_about_samples(names: Sequence[str]) -> dict[int, RoleReading]:
    """Rows of numbers among rows of words about the samples, such as their age."""
    readings = {}
    for place, name in enumerate(names[:_MOST_FACTS]):
        if fold(name) in _FACTS:
            evidence = f"{name} stands among rows of words about the samples."
            readings[place] = RoleReading("target", "likely", evidence, ("feature",))
    return readings


def _with_symbols(draft: Draft, table: Table, key: int, names: list[str]) -> list[str]:
    """Put the symbol of a gene before its accession, where another column gives it."""
    if fold(table.names[key]) in _SYMBOL_KEYS:
        return names
    for place, column in sorted(table.words.items()):
        if place != key and column.dtype == object and fold(table.names[place]) in _SYMBOL_KEYS:
            title = table.titles[place]
            draft.notes.append(f"Features are called by {title} and {table.titles[key]}.")
            pairs = zip(column.tolist(), names, strict=True)
            return [
                f"{symbol} ({name})" if symbol and symbol != name else name
                for symbol, name in pairs
            ]
    return names


def _without_counts_of_reads(
    draft: Draft, table: Table, names: list[str]
) -> tuple[Table, list[str]]:
    """Leave out rows that count reads of no gene, as HTSeq and STAR write them."""
    stay = np.array([NO_GENE.fullmatch(name.strip()) is None for name in names])
    if stay.all() or stay.sum() < _LEAST_POINTS:
        return table, names
    counts = [name for name, stays in zip(names, stay, strict=True) if not stays]
    draft.notes.append(f"Left out {listed(counts)}, which count reads of no gene.")
    return _without_rows(table, names, stay)


def _without_marked_rows(draft: Draft, table: Table, names: list[str]) -> tuple[Table, list[str]]:
    """Leave out the rows that MaxQuant marks as no proteins of the samples."""
    marks = {
        table.titles[place]: np.array([str(cell).strip() == "+" for cell in column])
        for place, column in table.words.items()
        if fold(table.names[place]) in _MARKS_OF_ROWS
    }
    marks = {title: marked for title, marked in marks.items() if marked.any()}
    stay = ~np.logical_or.reduce([*marks.values()]) if marks else np.ones(len(names), dtype=bool)
    if stay.all() or stay.sum() < _LEAST_POINTS:
        return table, names
    n_marked = int((~stay).sum())
    rows = "1 row is" if n_marked == 1 else f"{n_marked:,} rows are"
    draft.notes.append(f"{rows} marked + under {listed(list(marks))}, and left out.")
    return _without_rows(table, names, stay)


def _without_rows(table: Table, names: list[str], stay: Array) -> tuple[Table, list[str]]:
    """Keep some rows of a table, and their names."""
    moved = np.cumsum(stay) - 1
    odd_cells = {
        place: [(int(moved[row]), text) for row, text in cells if stay[row]]
        for place, cells in table.odd_cells.items()
    }
    words = {place: column[stay] for place, column in table.words.items()}
    lines = None if table.lines is None else table.lines[stay]
    table = replace(
        table, numbers=table.numbers[stay], words=words, odd_cells=odd_cells, lines=lines
    )
    return table, [name for name, stays in zip(names, stay, strict=True) if stays]


def _say_dates(draft: Draft, names: list[str]) -> None:
    """Say which few of the names are dates: a spreadsheet makes them of genes."""
    dates = [name for name in names if _DATE.fullmatch(name.strip())]
    if not dates or len(dates) > _MOST_DATES * len(names):
        return
    are = "name is a date" if len(dates) == 1 else "names are dates"
    draft.notes.append(
        f"{len(dates):,} {are}: {listed(dates)}. A spreadsheet makes dates of genes such as SEPT2 "
        "and MARCH1: give their names in the file."
    )


def _key_place(table: Table) -> int | None:
    """The column that names the rows, where they are features."""
    named = [place for place, role in table.declared.items() if role == "name"]
    if named:
        return named[0]
    texts = [
        place
        for place, column in sorted(table.words.items())
        if column.dtype == object and any(column)
    ]
    unique = [place for place in texts if len(set(table.column(place))) > 0.98 * table.n_rows]
    if not unique:
        lineages = [
            place
            for place in texts
            if are_lineages(
                table.column(place)[:_ROWS_LOOKED_AT].tolist(), fold(table.names[place])
            )
        ]
        has_ids = any(ends_in_word_of(fold(table.names[at]), "name") for at in table.number_places)
        if lineages and not has_ids:
            return lineages[0]
    if unique:
        keys = [place for place in unique if is_word_of(fold(table.names[place]), "feature key")]
        return (keys or unique)[0]
    if not table.names_are_written:
        return None
    folded = {
        place: fold(table.names[place])
        for place in table.number_places
        if not table.names[place][-1:].isdigit()  # one of many, such as g17
    }
    axes = [place for place, name in folded.items() if is_word_of(name, "feature axis")]
    if axes:
        return axes[0]
    ids = [place for place, name in folded.items() if name == "" or ends_in_word_of(name, "name")]
    if ids:
        return ids[0]
    first = next(iter(table.number_places), None)
    if first is None:
        return None
    column = table.column(first)
    is_clock = ends_in_word_of(fold(table.names[first]), "clock") and bool(is_monotonic(column))
    return first if is_clock or _is_axis(column) else None


def _is_axis(column: Array) -> bool:
    """Whether a column is an axis: it rises or falls all along, and does not count."""
    is_counter = bool((np.diff(column) == 1).all())
    return len(column) >= _LEAST_POINTS and bool(is_monotonic(column)) and not is_counter


def _quantity_places(table: Table) -> list[int]:
    """Columns that hold one quantity, such as an intensity, of one sample each; or none.

    Programs write several quantities beside each other, and what describes the rows.
    """
    if not table.names_are_written:
        return []
    # One look at all names: of many thousands, none speaks of a quantity as a rule.
    text = "\n".join(table.names).lower()
    if not any(stem in text for stem in QUANTITY_STEMS):
        return []
    for form in QUANTITY_NAMES:
        matches = {
            place: match
            for place in table.number_places
            if (match := form.fullmatch(table.names[place].strip())) is not None
        }
        samples = {match["after"] or match["before"] for match in matches.values()}
        if len(matches) >= _LEAST_QUANTITIES and len(samples) == len(matches):
            return list(matches)
    return []


def _has_species_by_places(table: Table) -> bool:
    """Whether a column of words names species, and the columns of numbers count places."""
    names_species = any(
        fold(table.names[place]) in _SPECIES_KEYS and column.dtype == object
        and len(set(column.tolist())) > 0.98 * table.n_rows
        for place, column in table.words.items()
    )  # fmt: skip
    heads = [table.names[place] for place in table.number_places]
    return names_species and any(
        fold(member.stem) in _STEMS_OF_PLACES and len(member.places) >= 0.9 * len(heads)
        for member in series_of(heads)
    )


def _feature_key_place(table: Table) -> int | None:
    """A column whose name says that each row is a feature."""
    for place in table.places:
        name = fold(table.names[place])
        if is_word_of(name, "feature key") or name == "row_id":
            return place
    return None


def _sample_places(table: Table) -> list[int]:
    """Columns that may be samples: numbers that are not about the rows."""
    quantity = _quantity_places(table)
    if quantity and _feature_key_place(table) is not None:
        return quantity
    places = []
    key = _key_place(table)
    for place in table.places:
        is_number = table.holds_numbers(place)
        is_about_rows = table.names_are_written and _is_about_rows(table.names[place])
        if is_number and place != key and place not in table.declared and not is_about_rows:
            places.append(place)
    return places


def _is_about_rows(title: str) -> bool:
    """Whether a column is called as what describes features, not as a sample."""
    if _TEMPERATURE.fullmatch(title.strip()):
        return True
    if title[-1:].isdigit():
        return False
    name = fold(title)
    topics: tuple[Topic, ...] = (
        "feature axis", "feature key", "row id", "about features", "statistic",
    )  # fmt: skip
    if name.startswith("row_") or any(is_word_of(name, topic) for topic in topics):
        return True
    first, last = name.partition("_")[0], name.rpartition("_")[2]
    # Such as mean_ctrl, treated mean or log2FC (A/B); a letter alone may end the name of a sample.
    return any(len(part) > 1 and is_word_of(part, "statistic") for part in (first, last))


def with_name_parts(table: Table) -> Table:
    """Add the parts of the names of samples that may be classes, where nothing else tells them."""
    texts = [column for column in table.words.values() if column.dtype == object]
    if any(2 <= len(set(column.tolist())) <= len(column) / 2 for column in texts):
        return table
    names = next((column for column in texts if len(set(column.tolist())) == len(column)), None)
    if names is None or not _FEWEST_NAMES <= len(names) <= _ROWS_LOOKED_AT:
        return table
    last_parts = [re.split(r"[/\\]", str(name))[-1] for name in names]
    numbered = [_REPLICATE.sub(r"\1\2", part) for part in last_parts]
    outcome = name_classes(numbered, "sample name")
    sources = [source for source in outcome.sources if source.repeats and _may_be_classes(source)]
    if not outcome.are_numbered or not 1 <= len(sources) <= _MOST_NAME_PARTS:
        return table
    words, readings, titles = dict(table.words), dict(table.readings), list(table.names)
    for source in sources:
        place = len(titles)
        words[place] = np.array(source.labels, dtype=object)
        titles.append(source.name)
        readings[place] = _part_reading(source, is_alone=len(sources) == 1)
    n_added = table.n_added + len(sources)
    return replace(table, names=titles, words=words, readings=readings, n_added=n_added)


def _part_reading(source: ClassSource, *, is_alone: bool) -> RoleReading:
    """What a part of the names is: a class, or the sample that several rows were measured of."""
    n_samples, classes = len(source.labels), source.classes
    evidence = (
        f"The names of the samples hold {len(classes):,} words that repeat: "
        f"{listed(list(classes))}."
    )
    if len(classes) > _MOST_CLASSES or n_samples < _LEAST_A_CLASS * len(classes):
        return RoleReading("group", "ask", evidence, ("class", "text"))
    return RoleReading("class", "likely" if is_alone else "ask", evidence, ("text",))


def _may_be_classes(source: ClassSource) -> bool:
    """Whether parts of names are words, or codes that several samples share; no rows of a plate."""
    labels = source.classes
    starts = {label[:-1] for label in labels}
    letters = sorted(label[-1:] for label in labels) if len(starts) == 1 else []
    # Wells of a plate and electrodes of a cap: A1 … H12, ChA0 … ChH3.
    are_rows = letters == list(ascii_uppercase[: len(letters)]) and len(letters) >= _LEAST_LETTERS
    if all(label.isdecimal() for label in labels) or all(len(label) == 1 for label in labels):
        return False
    if are_rows:
        return False
    has_codes = any(character.isdigit() for label in labels for character in label)
    return not has_codes or len(source.labels) >= _LEAST_A_CLASS * len(labels)


def join_labels(draft: Draft, table: Table) -> None:
    """Put rows of words below the header, such as units, behind the names of the columns."""
    if not table.label_rows:
        return
    names = table.names
    rows = [cells for _, cells in table.label_rows if cells != table.names]
    n_repeats = len(table.label_rows) - len(rows)
    if n_repeats:
        repeat = "1 row repeats" if n_repeats == 1 else f"{n_repeats:,} rows repeat"
        draft.notes.append(f"{repeat} the names of the columns; no sample.")
    if not rows:
        draft.table = replace(table, label_rows=[], names_are_written=True)
        return
    for cells in rows:
        names = [f"{name} {cell}".strip() for name, cell in zip(names, cells, strict=True)]
    draft.table = replace(table, names=names, label_rows=[], names_are_written=True)
    draft.notes.append("The names of the columns are joined from several rows.")
