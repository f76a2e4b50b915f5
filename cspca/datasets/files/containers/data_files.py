"""Several data files that belong together: samples and their labels, or the parts of one set.

Names say what a file holds (``X``, ``labels``) and which part it is (``train``); where they do not,
a file of one column, with as many rows as another has, is offered as its classes.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Literal

import numpy as np

from cspca.datasets.files import foreign
from cspca.datasets.files.containers import table as tables_of_text
from cspca.datasets.files.containers.layout import is_number, layout_of_text
from cspca.datasets.files.foreign import Entry, Watch
from cspca.datasets.files.one_hot import marked_columns
from cspca.datasets.files.parsed import (
    NEVER_OPENED,
    UNNAMED_ARRAY,
    Array,
    ArrayField,
    Parsed,
    PixelOrder,
    Table,
    precision,
)
from cspca.datasets.files.tables_beside import describes, main_table
from cspca.datasets.files.vocabulary import (
    DATA_NAMES,
    Topic,
    fold,
    is_label_name,
    is_word_of,
    part_and_stem,
    part_order,
    words_of,
)
from cspca.datasets.record import DatasetError
from cspca.labels import parse_labels

MOST_FILES: Final = 20
"""Data files that may belong together; more are spectra, or no set."""

_ARRAYS: Final = frozenset([".mat", ".npy", ".npz", ".h5", ".hdf5", ".h5ad"])
_LABEL_WORDS: Final = frozenset(
    ["y", "gnd", "label", "labels", "target", "targets", "class", "classes", "groundtruth"]
)
_MARKS: Final = (b",", b";", b"\t", b"|")
_LOOKED_AT: Final = 2**16  # bytes
_ROWS_LOOKED_AT: Final = 50
_MOST_BESIDE: Final = 5  # tables, one of the samples and others about them
_MOST_LONE: Final = 2  # tables of one feature each that may be chosen between


@dataclass(eq=False)
class _DataFile:
    """One data file as its parser hands it over, and what its name says."""

    entry: Entry
    stem: str
    arrays: list[ArrayField] = field(default_factory=list)
    table: Table | None = None
    notes: list[str] = field(default_factory=list)
    order: PixelOrder = "row"

    @property
    def title(self) -> str:
        return self.entry.shown

    @property
    def part(self) -> str:
        """Word of its name that says which part of a set it is; empty without one."""
        return part_and_stem(self.stem)[0]

    @property
    def says_labels(self) -> bool:
        """Whether its name declares labels."""
        return names_labels(self.stem)


def names_labels(stem: str) -> bool:
    """Whether a word of the name of a file, such as ``label_data``, says that it holds labels."""
    words = words_of(stem)
    is_about_names = bool(words) and words[-1] in ("name", "names")
    is_named = any(word in _LABEL_WORDS or is_word_of(fold(word), "class") for word in words)
    return is_label_name(stem) or (is_named and not is_about_names)


def parse_related(
    entries: Sequence[Entry], watch: Watch, *, by_shape: bool
) -> tuple[Parsed, list[Entry]] | None:
    """Parse files of which names say that they belong together, or with `by_shape` their sizes.

    Returns
    -------
    (Parsed, list of Entry) or None
        What they hold together, and the files that were read for it; None where they do not belong
        together.
    """
    if not 2 <= len(entries) <= MOST_FILES:
        return None
    stems = _stems(entries)
    if not by_shape and not any(names_labels(stem) or part_and_stem(stem)[0] for stem in stems):
        has_arrays = sum(entry.suffix in _ARRAYS for entry in entries)
        if not has_arrays:
            return None
    files = [_file(entry, stem) for entry, stem in zip(entries, stems, strict=True)]
    files = [file for file in files if file.arrays or file.table is not None]
    if any(file.arrays for file in files):
        parsed = _of_arrays(files, watch)
    else:
        parsed = _of_parts(files, watch) or _of_two(files, watch, by_shape=by_shape)
    if parsed is None:
        return None
    joined, read = parsed
    return joined, [file.entry for file in read]


def parse_named(entries: Sequence[Entry], watch: Watch) -> tuple[Parsed, list[Entry]] | None:
    """Parse a table of samples and others that name them; None where files are not such."""
    has_arrays = any(entry.suffix in _ARRAYS for entry in entries)
    if has_arrays or not 2 <= len(entries) <= _MOST_BESIDE:
        return None
    # AnnData writes further files, some of them empty.
    entries = [entry for entry in entries if entry.suffix == ".csv" and _anndata_part(entry)] or (
        entries
    )
    files = [_file(entry, stem) for entry, stem in zip(entries, _stems(entries), strict=True)]
    tables = [replace(file.table, title=file.title) for file in files if file.table is not None]
    if len(tables) < len(files):
        return None
    parts = [_anndata_part(entry) for entry in entries]
    if sorted(parts) == ["X", "obs", "var"]:
        tables = _named_by_anndata(dict(zip(parts, tables, strict=True)))
    if main_table(tables) is None:
        return None
    notes = [f"{file.title}: {note}" for file in files for note in file.notes]
    return Parsed(watch.name, "tables, one a file", tables=tables, notes=notes), list(entries)


def _anndata_part(entry: Entry) -> str:
    """Which part of what `AnnData.write_csvs` writes a file is by its name; empty if it is none."""
    stem = entry.parts[-1].rpartition(".")[0]
    return stem if stem in ("X", "obs", "var") else ""


def _named_by_anndata(parts: Mapping[str, Table]) -> list[Table]:
    """Give the rows and columns of X, which have no names, those that stand in obs and var."""
    X, samples, features = (parts[name] for name in ("X", "obs", "var"))
    names_of = [_first_words(table) for table in (samples, features)]
    n_columns = len(X.names)
    if X.words or X.names_are_written or [len(names) for names in names_of] != [
        X.n_rows, n_columns
    ]:  # fmt: skip
        return [X, samples, features]
    sample_names, feature_names = names_of
    named = replace(
        X,
        names=[*feature_names, "obs"],
        first_row=[],
        words={n_columns: np.array(sample_names, dtype=object)},
        names_are_written=True,
    )
    return [named, samples, features]


def _first_words(table: Table) -> list[str]:
    """The words of its first column below the header; none where that has no words."""
    column = table.words.get(0)
    n_above = int(bool(table.first_row))
    return [] if column is None else [str(cell) for cell in column[n_above:]]


def parse_choice(entries: Sequence[Entry], watch: Watch) -> tuple[Parsed, list[Entry]] | None:
    """Hand over several tables that do not belong together, of which a person chooses one."""
    if not 2 <= len(entries) <= MOST_FILES:
        return None
    files = [_file(entry, stem) for entry, stem in zip(entries, _stems(entries), strict=True)]
    chosen = [
        (file, file.table)
        for file in files
        if file.table is not None and len(file.table.places) > 1
    ]
    if not chosen or len(chosen) < len(files):
        return None
    # Many of one column of numbers are a sample each, which none of them can stand for.
    if len(chosen) > _MOST_LONE and all(len(table.number_places) < 2 for _, table in chosen):
        return None
    tables = [replace(table, title=file.title) for file, table in chosen]
    return Parsed(watch.name, "tables", tables=tables), list(entries)


def _stems(entries: Sequence[Entry]) -> list[str]:
    """Names of files below the folder that holds them all, without their last suffix."""
    folders = {entry.parts[:-1] for entry in entries}
    cut = len(next(iter(folders))) if len(folders) == 1 else 0
    return [
        "_".join((*entry.parts[cut:-1], entry.parts[-1].rpartition(".")[0])) for entry in entries
    ]


def _file(entry: Entry, stem: str) -> _DataFile:
    """Parse one file; a file that holds no data, or several tables, holds nothing here."""
    file = _DataFile(entry, stem)
    try:
        content = entry.read()
        module = foreign.FORMATS[entry.suffix]
        if module == foreign.FORMATS[".csv"]:
            file.table, file.notes = table_of_text(content, entry.shown)
            return file
        parser: Any = importlib.import_module(module)
        parsed: Parsed = parser.parse(content, Watch(entry.shown))
    except (DatasetError, foreign.UnreadableError):
        return file
    file.arrays, file.order = parsed.arrays, parsed.order
    file.table = parsed.tables[0] if len(parsed.tables) == 1 else None
    file.notes = parsed.notes
    return file


def table_of_text(content: bytes, name: str) -> tuple[Table, list[str]]:
    """Read a table of text, also of one column; words with blanks in them are one cell."""
    content, encoding = tables_of_text.plain_text(content, name)
    content, notes = tables_of_text.without_lines_below(content)
    start = content[:_LOOKED_AT]
    if not any(mark in start for mark in _MARKS) and not _are_numbers(start):
        content = b"sep=;\n" + content
    layout = layout_of_text(content, encoding, name, least=1)
    table = tables_of_text.read_values(content, encoding, layout, Watch(name))
    return table, [*layout.notes, *notes]


def _are_numbers(text: bytes) -> bool:
    """Whether the lines below the first hold several numbers each, with blanks between."""
    lines = [line.split() for line in text.splitlines()[1:_ROWS_LOOKED_AT] if line.strip()]
    return bool(lines) and all(
        len(words) > 1 and all(is_number(word.decode("latin1")) for word in words)
        for words in lines
    )


# Arrays


def _of_arrays(files: list[_DataFile], watch: Watch) -> tuple[Parsed, list[_DataFile]] | None:
    """Put arrays of several files side by side, with the columns of tables of one column."""
    with_arrays = [file for file in files if file.arrays]
    with_tables = [(file, file.table) for file in files if file.table is not None]
    wide = [file for file, table in with_tables if len(table.places) > 1]
    if wide:
        joined = _of_table_and_array(files, wide, with_arrays, watch)
        return joined or _of_arrays_and_columns(with_arrays, with_tables, watch)
    fields = _named_apart(with_arrays)
    read = list(with_arrays)
    for file, table in with_tables:
        lengths = {side for array in fields for side in array.sides}
        column = _column_of_length(table, lengths)
        if column is not None:
            fields.append(_field_of(file.stem, column))
            read.append(file)
        elif file.says_labels:
            first = with_arrays[0]
            n_labels = _likely_rows(table)
            raise _mismatch(watch.name, first.title, first.arrays[0].shape[0], file.title, n_labels)
    if len(read) < 2:
        return None
    return _side_by_side(fields, with_arrays, watch), read


def _of_arrays_and_columns(
    with_arrays: list[_DataFile], with_tables: Sequence[tuple[_DataFile, Table]], watch: Watch
) -> tuple[Parsed, list[_DataFile]] | None:
    """Put the columns of tables beside arrays that have as many samples as they have rows."""
    fields = _named_apart(with_arrays)
    arrays = list(fields)
    lengths = {side for array in fields for side in array.sides}
    read = list(with_arrays)
    notes: list[str] = []
    for file, table in with_tables:
        headers = [header for header in _header_options(table) if table.n_rows - header in lengths]
        if not headers:
            continue
        n_above = int(headers[0])
        names = table.first_row if n_above else table.titles
        columns = {place: table.column(place)[n_above:] for place in table.places}
        order, note = _order_beside_arrays(file, [*columns.values()], arrays, watch.name)
        notes += note
        for place, column in columns.items():
            ordered = column if order is None else column[order]
            fields.append(_field_of(f"{file.stem}.{names[place]}", ordered))
        read.append(file)
    if len(read) == len(with_arrays):
        return None
    parsed = _side_by_side(fields, with_arrays, watch)
    parsed.notes += notes
    return parsed, read


def _order_beside_arrays(
    file: _DataFile, columns: Sequence[Array], arrays: Sequence[ArrayField], name: str
) -> tuple[Array | None, list[str]]:
    """Row of a table for each sample of arrays, by the names that both have, and notes on it.

    None where one has no names: then rows lie in the order of the samples.
    """
    keys = [texts for texts in map(_names_in, columns) if texts]
    if not keys:
        return None, []
    of_samples = {}
    for array in arrays:
        if array.sides == (len(keys[0]),) and array.holds:
            texts = _names_in(array.values(name).ravel())
            if texts:
                of_samples[array.title] = texts
    for title, texts in of_samples.items():
        for key in keys:
            order = _order_by(texts, key)
            if order is not None:
                return order, [f"The rows of {file.title} are found by their names in {title}."]
    words = {title: texts for title, texts in of_samples.items() if not all(map(is_number, texts))}
    written = [key[0] for key in keys if not all(map(is_number, key))]
    if not written:
        return None, []
    if words:
        raise _other_names(file.title, written[0], next(iter(words.values()))[0])
    note = (
        f"{file.title} names its rows, from {foreign.clean_name(written[0], 40)} on, and the "
        "samples have no names: its first row is taken to be about the first sample."
    )
    return None, [note]


def _names_in(column: Array) -> list[str]:
    """The cells of a column of words or whole numbers that all differ; none of any other."""
    if column.dtype.kind == "f" and not (column == np.rint(column)).all():
        return []
    if column.dtype.kind == "S":
        column = np.char.decode(column, "utf-8", "replace")
    texts = [text.strip() for text in _texts(column)]
    return texts if len(set(texts)) == len(texts) and all(texts) else []


def _field_of(name: str, column: Array) -> ArrayField:
    """One column of a table as an array."""
    kind = "text" if column.dtype == object else column.dtype.name
    return ArrayField(name, column.shape, kind, partial(np.asarray, column))


def _side_by_side(
    fields: list[ArrayField], with_arrays: Sequence[_DataFile], watch: Watch
) -> Parsed:
    """Arrays of several files as those of one; pixels lie as in all of them, or row by row."""
    orders = {file.order for file in with_arrays}
    order = orders.pop() if len(orders) == 1 else "row"
    return Parsed(watch.name, "data files", arrays=fields, order=order)


def _named_apart(files: Sequence[_DataFile]) -> list[ArrayField]:
    """Arrays of several files by names that tell them apart: their own, or those of the files."""
    counts = Counter(array.name for file in files for array in file.arrays)
    fields = []
    for file in files:
        for array in file.arrays:
            is_known = is_label_name(array.name) or array.key in DATA_NAMES
            file_is_known = file.says_labels or part_and_stem(file.stem)[1] in DATA_NAMES
            is_alone = len(file.arrays) == 1
            name = array.name
            if is_alone and (name == UNNAMED_ARRAY or (file_is_known and not is_known)):
                name = file.stem
            elif counts[name] > 1:
                name = file.stem if is_alone else f"{file.stem}/{name}"
            fields.append(replace(array, name=name))
    return fields


def _column_of_length(table: Table, lengths: set[int]) -> Array | None:
    """The values of a table of one column, below its name, if they are as many as one of these."""
    column = table.column(table.places[0])
    for has_header in _header_options(table):
        if has_header and _begins_with_label(table):
            continue
        if len(column) - has_header in lengths:
            return column[int(has_header) :]
    return None


def _of_table_and_array(
    files: list[_DataFile], wide: list[_DataFile], with_arrays: list[_DataFile], watch: Watch
) -> tuple[Parsed, list[_DataFile]] | None:
    """Put the one array of labels beside the one table of samples."""
    if len(files) != 2 or len(wide) != 1 or len(with_arrays[0].arrays) != 1:
        return None
    array = with_arrays[0].arrays[0]
    if array.is_pickled:
        named = replace(array, name=with_arrays[0].stem)
        raise DatasetError(f"{with_arrays[0].title} {NEVER_OPENED}: {named.unpickled}.")
    if not array.holds or not 1 <= len(array.sides) <= 2:
        return None
    n_columns = array.sides[1] if len(array.sides) > 1 else 1
    samples = wide[0]
    assert samples.table is not None
    if samples.says_labels or (n_columns > 1 and len(samples.table.number_places) < n_columns):
        return None  # the table is about the samples of the array
    values = array.values(watch.name).reshape(array.sides[0], -1)
    labels = replace(with_arrays[0], table=_table_of_array(values))
    joined = _pair(samples, labels, watch.name)
    return None if joined is None else (Parsed(watch.name, "data files", tables=[joined]), files)


def _table_of_array(values: Array) -> Table:
    """Columns of an array as those of a table without names."""
    names = [str(number) for number in range(values.shape[1])]
    if values.dtype.kind in "fiub":
        return Table(names, [], values.astype(np.float64), list(range(values.shape[1])))
    words = {place: column.astype(str).astype(object) for place, column in enumerate(values.T)}
    return Table(names, [], np.empty((len(values), 0)), [], words=words)


# Samples and labels


def _of_two(
    files: list[_DataFile], watch: Watch, *, by_shape: bool
) -> tuple[Parsed, list[_DataFile]] | None:
    """Put the labels of one of two tables beside the samples of the other."""
    if len(files) != 2:
        return None
    labels = [file for file in files if file.says_labels]
    if len(labels) != 1:
        tables = [(file, file.table) for file in files if file.table is not None]
        labels = [file for file, table in tables if len(table.places) == 1]
        if not by_shape or len(labels) != 1:
            return None
    samples = files[0] if labels[0] is files[1] else files[1]
    joined = _pair(samples, labels[0], watch.name)
    return None if joined is None else (_of_table(joined, samples, labels[0], watch), files)


def _of_table(joined: Table, samples: _DataFile, labels: _DataFile, watch: Watch) -> Parsed:
    notes = []
    if labels.says_labels:
        notes.append(f"{labels.title} has one label for each row of {samples.title}.")
    return Parsed(watch.name, "tables", tables=[joined], notes=notes)


def _pair(samples: _DataFile, labels: _DataFile, file: str) -> Table | None:
    """Return the table of samples with the column of labels; None where there is no such column."""
    assert samples.table is not None
    assert labels.table is not None
    headers = [
        (of_samples, of_labels)
        for of_samples in _header_options(samples.table)
        for of_labels in _header_options(labels.table)
        if samples.table.n_rows - of_samples == labels.table.n_rows - of_labels
        and not (of_labels and not of_samples and _begins_with_label(labels.table))
    ]
    if not headers:
        if not labels.says_labels or describes(labels.table, samples.table):
            return None
        n_rows, n_labels = (_likely_rows(table) for table in (samples.table, labels.table))
        raise _mismatch(file, samples.title, n_rows, labels.title, n_labels)
    of_samples, of_labels = headers[0]
    column = _label_column(samples.table, labels, of_samples, of_labels)
    if column is None:
        return None
    name, values = column
    joined = samples.table
    if not of_samples and joined.first_row:
        joined = replace(joined, first_row=[])
    if of_samples:
        cells = labels.table.column(labels.table.places[-1])
        above = cells[:1] if of_labels and len(labels.table.places) == 1 else np.array([name])
        if values.dtype != object and above.dtype.kind not in "fiu":
            above = np.array([np.nan])
        values = np.concatenate([above.astype(values.dtype), values])
    return _with_column(joined, name, values, labels, has_header=of_samples)


def _mismatch(file: str, samples: str, n_samples: int, labels: str, n_labels: int) -> DatasetError:
    return DatasetError(
        f"{file}: {samples} has {n_samples:,} rows and {labels} {n_labels:,}: bring one label a "
        "row."
    )


def _likely_rows(table: Table) -> int:
    """Rows of a table without its header; a first row of numbers counts as a row."""
    has_numbers = bool(table.numbers.size) and not np.isnan(table.numbers[0]).any()
    return table.n_rows - (_header_options(table)[0] and not has_numbers)


def _begins_with_label(table: Table) -> bool:
    """Whether a single column begins with a number that stands below it again."""
    if len(table.places) != 1 or not table.numbers.size:
        return False
    first, *below = table.numbers[:, 0].tolist()
    return first in below


def _header_options(table: Table) -> tuple[bool, ...]:
    """Whether the first row may be a header, and may be none; the likelier first."""
    if not table.first_row:
        return (False,)
    numbers = table.numbers[0] if table.numbers.size else np.empty(0)
    if np.isnan(numbers).any():
        return (True,)
    if len(numbers):
        return (False, True) if len(table.places) == 1 else (True, False)
    place = table.places[0]
    first, *below = table.column(place).tolist()
    topics: tuple[Topic, ...] = ("class", "weak class", "target")
    if is_label_name(first) or any(is_word_of(fold(first), topic) for topic in topics):
        return (True,)
    if len(table.places) == 1 and first in below:
        return (False,)
    return (True, False)


def _label_column(
    samples: Table, labels: _DataFile, of_samples: bool, of_labels: bool
) -> tuple[str, Array] | None:
    """Name and values of the labels, in the order of the samples; None without one a row."""
    table = labels.table
    assert table is not None
    has_names = of_labels or table.names_are_written
    titles = table.first_row if of_labels else table.names
    columns = {place: table.column(place)[int(of_labels) :] for place in table.places}
    if len(columns) > 1 and not table.words:
        marked = marked_columns(np.column_stack([*columns.values()]))
        if marked is not None:
            names = [titles[place] for place in columns] if has_names else []
            names = names or [str(number) for number in range(len(columns))]
            return labels.stem, np.array([*names, ""], dtype=object)[marked]
    order = None
    if len(columns) > 1:
        ids = _texts(columns.pop(table.places[0]))
        if len(set(ids)) < len(ids):
            return None
        head = titles[table.places[0]] if has_names else ""
        order = _order_by_names(samples, int(of_samples), ids, labels.title, head)
    if len(columns) != 1:
        return None
    ((place, values),) = columns.items()
    name = titles[place].strip() if has_names and titles[place].strip() else labels.stem
    return name, values if order is None else values[order]


def _texts(column: Array) -> list[str]:
    return [cell if isinstance(cell, str) else f"{cell:.10g}" for cell in column.tolist()]


def _order_by_names(
    samples: Table, n_above: int, ids: Sequence[str], title: str, head: str
) -> Array | None:
    """Row of the labels of each sample, by a column of names; None where none names the labels.

    `head` is what the labels call that column.
    """
    heads = samples.first_row if n_above else samples.names
    columns = {place: _texts(samples.column(place)[n_above:]) for place in samples.places}
    for column in columns.values():
        order = _order_by(column, ids)
        if order is not None:
            return order
    for place, column in columns.items():
        lacking = sorted(set(column) - set(ids), key=foreign.natural_key)
        n_shared = len(set(column)) - len(lacking)
        are_names = len(set(column)) == len(column) and n_shared >= len(column) / 2
        if lacking and (are_names or (n_shared and place in samples.words)):
            raise DatasetError(
                f"{title} has no label for {foreign.clean_name(lacking[0], 40)}, which is among "
                "the samples: give each sample one."
            )
    of_same_head = _distinct(
        column for place, column in columns.items() if head and fold(heads[place]) == fold(head)
    )
    if of_same_head:
        raise _other_names(title, ids[0], of_same_head[0][0])
    numbers = [str(number) for number in range(len(ids) + 1)]
    if list(ids) in (numbers[:-1], numbers[1:]):
        return None  # they only count the rows
    named = _distinct(column for place, column in columns.items() if place in samples.words)
    if named:
        raise _other_names(title, ids[0], named[0][0])
    if list(ids) != sorted(ids, key=foreign.natural_key):
        raise DatasetError(
            f"{title} names its rows, from {foreign.clean_name(ids[0], 40)} on, and the samples "
            "have no such names: give them these names, or leave the names of the labels out."
        )
    return None


def _distinct(columns: Iterable[list[str]]) -> list[list[str]]:
    """Those columns of which all cells differ."""
    return [column for column in columns if len(set(column)) == len(column)]


def _other_names(title: str, label: str, sample: str) -> DatasetError:
    return DatasetError(
        f"{title} calls its first row {foreign.clean_name(label, 40)}, and the samples are "
        f"called otherwise, such as {foreign.clean_name(sample, 40)}: write the same names in both "
        "files."
    )


def _order_by(ids: Sequence[str], labelled: Sequence[str]) -> Array | None:
    """Row of the labels of each sample, by names that both tables have; None without any."""
    rows = {name: row for row, name in enumerate(labelled)}
    if len(rows) != len(ids) or set(ids) != rows.keys():
        return None
    return np.array([rows[name] for name in ids])


def _with_column(
    table: Table, name: str, values: Array, labels: _DataFile, *, has_header: bool
) -> Table:
    """Return a table with a column of labels behind its own."""
    place = len(table.names)
    if name in table.names or name in table.first_row:
        name = f"{labels.stem} {name}"
    declared, beside = dict(table.declared), dict(table.beside)
    if labels.says_labels:
        is_measured = parse_labels(values[int(has_header) :], name).measured
        declared[place] = "target" if is_measured else "class"
    else:
        beside[place] = labels.title
    return replace(
        table,
        names=[*table.names, name],
        first_row=[*table.first_row, name] if table.first_row else [],
        words={**table.words, place: values},
        declared=declared,
        beside=beside,
        top_rows=[[*row, ""] for row in table.top_rows],
        label_rows=[(title, [*cells, ""]) for title, cells in table.label_rows],
    )


# Parts of a set


def _of_parts(files: list[_DataFile], watch: Watch) -> tuple[Parsed, list[_DataFile]] | None:
    """Join the tables of the parts of a set, each with its labels."""
    parts = sorted({file.part for file in files}, key=part_order)
    if len(parts) < 2 or "" in parts:
        return None
    tables = []
    for part in parts:
        samples = [file for file in files if file.part == part and not file.says_labels]
        labels = [file for file in files if file.part == part and file.says_labels]
        if len(samples) != 1 or len(labels) > 1:
            return None
        only = samples[0].table
        paired = _pair(samples[0], labels[0], watch.name) if labels else only
        if paired is None:
            return None
        tables.append(replace(paired, title=samples[0].title))
    joined = _stacked(tables)
    parsed = Parsed(watch.name, "tables", tables=tables)
    if joined is not None:
        parsed.tables = joined
    return parsed, files


def _stacked(tables: list[Table]) -> list[Table] | None:
    """Return all rows as one table and each table as a part of it; None where columns differ."""
    tables = _with_all_labels(tables)
    header = _common_header(tables)
    if header is None:
        return None
    if header:
        tables = [table.below_first_row() for table in tables]
    else:
        tables = [replace(table, first_row=[]) for table in tables]
    first = tables[0]
    for table in tables:
        kinds = {place: table.words[place].dtype for place in table.words}
        if table.number_places != first.number_places or table.label_rows:
            return None
        if kinds != {place: first.words[place].dtype for place in first.words}:
            return None
    n_rows = sum(table.n_rows for table in tables)
    dtype = precision(n_rows * len(first.number_places))
    numbers = np.concatenate([table.numbers for table in tables], dtype=dtype, casting="same_kind")
    parts: list[Table] = []
    odd_cells: dict[int, list[tuple[int, str]]] = {}
    start = 0
    for table in tables:
        for place, cells in table.odd_cells.items():
            moved = [(row + start, text) for row, text in cells]
            odd_cells[place] = [*odd_cells.get(place, []), *moved]
        # A view of the whole: the values are not kept twice.
        parts.append(replace(table, numbers=numbers[start : start + table.n_rows]))
        start += table.n_rows
    words = {
        place: np.concatenate([table.words[place] for table in tables]) for place in first.words
    }
    titles = tuple(table.title for table in tables)
    joined = replace(
        first,
        numbers=numbers,
        words=words,
        odd_cells=odd_cells,
        title=" + ".join(titles),
        parts=titles,
    )
    return [joined, *parts]


def _with_all_labels(tables: list[Table]) -> list[Table]:
    """Give a part of a set without labels the column that the other parts have, empty."""
    widest = max(tables, key=lambda table: len(table.names))
    place = len(widest.names) - 1
    role = widest.declared.get(place)
    full = []
    for table in tables:
        lacks_labels = len(table.names) == place and role in ("class", "target")
        if lacks_labels and bool(table.first_row) == bool(widest.first_row):
            column = widest.column(place)
            empty = "" if column.dtype == object else np.nan
            first_row = [*table.first_row, widest.names[place]] if table.first_row else []
            table = replace(
                table,
                names=[*table.names, widest.names[place]],
                first_row=first_row,
                words={**table.words, place: np.full(table.n_rows, empty, column.dtype)},
                declared={**table.declared, place: str(role)},
                top_rows=[[*row, ""] for row in table.top_rows],
            )
        full.append(table)
    return full


def _common_header(tables: Sequence[Table]) -> Literal[True, False] | None:
    """Whether equal first rows name the columns of all tables; None where columns differ."""
    first = tables[0]
    if any(len(table.names) != len(first.names) for table in tables):
        return None
    if all(table.names_are_written for table in tables):
        return False if all(table.names == first.names for table in tables) else None
    rows = [table.first_row for table in tables]
    if all(rows) and all(row == rows[0] for row in rows):
        return True
    has_words = any(np.isnan(table.numbers[0]).any() for table in tables if table.first_row)
    return None if has_words or any(table.names_are_written for table in tables) else False
