"""One file a sample: tables of the same features, such as counts of genes by HTSeq or Salmon."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from cspca.datasets.files import foreign
from cspca.datasets.files.containers.data_files import table_of_text
from cspca.datasets.files.containers.layout import is_number
from cspca.datasets.files.curves import feature_table
from cspca.datasets.files.foreign import Entry, Watch, clean_name, listed
from cspca.datasets.files.parsed import Array, Parsed, Table
from cspca.datasets.files.table_form import share_of_feature_names
from cspca.datasets.files.vocabulary import NO_GENE, fold, is_word_of
from cspca.datasets.record import DatasetError

SUFFIXES: Final = foreign.TEXT_SUFFIXES | {".sf", ".counts", ".count", ".results", ".tab", ".gz"}
"""Names of files that may hold one sample each."""

_LEAST_FEATURES: Final = 5
_LEAST_NAMED: Final = 0.5  # of the rows that must be called as features are
_LEAST_SHARED: Final = 0.5  # of the features of the first file that another one has
_LOOKED_AT: Final = 200  # rows
_VALUES: Final = "values"


@dataclass(frozen=True)
class _Sample:
    """One file: the names of its features, and its columns of numbers by what heads them."""

    entry: Entry
    key_head: str
    features: tuple[str, ...]
    columns: dict[str, Array]


def parse_samples(entries: Sequence[Entry], watch: Watch) -> tuple[Parsed, list[Entry]] | None:
    """Join files of one sample each by the names of their features; None where they are not such.

    Returns
    -------
    (Parsed, list of Entry) or None
        A table for each column of numbers, with a sample a row, and the files that were read.
    """
    if len(entries) < 2 or any(entry.suffix not in SUFFIXES for entry in entries):
        return None
    samples: list[_Sample] = []
    for number, entry in enumerate(entries):
        watch.tell(0.6 * number / len(entries), f"Reading {entry.shown}")
        sample = _sample(entry)
        if sample is None or (not samples and not _names_features(sample)):
            return None
        samples.append(sample)
    first = samples[0]
    if any(len(sample.columns) != len(first.columns) for sample in samples):
        return None
    if not all(_is_alike(first, sample, watch.name) for sample in samples[1:]):
        return None
    samples = [_in_order_of(first, sample) for sample in samples]
    columns = _columns(samples)
    foreign.check_values((len(columns), len(samples), len(first.features)), watch.name)
    stacks = {head: _stack(samples, place) for place, head in columns.items()}
    varying = {
        head: stack
        for head, stack in stacks.items()
        if not is_word_of(fold(head), "about features") and (stack != stack[0]).any()
    }
    if not varying:
        return None
    passed_over = [head for head in stacks if head not in varying]
    names = _names(entries)
    beside: dict[str, tuple[Sequence[str], str]] = {"file": (names, "name")}
    folders = ["/".join(entry.parts[:-1]) for entry in entries]
    if 1 < len(set(folders)) <= len(folders) / 2:
        beside["folder"] = (folders, "class")
    tables = []
    is_gene = np.array([NO_GENE.fullmatch(name) is None for name in first.features])
    features = [name for name, stays in zip(first.features, is_gene, strict=True) if stays]
    for head, stack in varying.items():
        table = feature_table(features, stack[:, is_gene], beside, "Each file is one sample.")
        table.title = clean_name(head)
        tables.append(table)
    parsed = Parsed(watch.name, "tables, one sample a file", tables=tables)
    parsed.notes.append(
        f"Each of {len(samples):,} files is one sample; rows are joined by the names in "
        f"{first.key_head or 'the first column'}."
    )
    if not is_gene.all():
        counts = [name for name, stays in zip(first.features, is_gene, strict=True) if not stays]
        parsed.notes.append(f"Left out {listed(counts)}, which count reads of no gene.")
    if passed_over:
        parsed.left_out.append(f"{listed(passed_over)}: no sample, but about the features")
    return parsed, list(entries)


def _sample(entry: Entry) -> _Sample | None:
    """Read one file; None where it has no column of names that differ beside one of numbers."""
    try:
        content = entry.read()
        if b"\0" in content[:4096] and entry.suffix != ".gz":
            return None
        table, _ = table_of_text(content, entry.shown)
    except (DatasetError, foreign.UnreadableError):
        return None
    if table.first_row and not all(is_number(table.first_row[at]) for at in table.number_places):
        table = table.below_first_row()
    names = [place for place, column in table.words.items() if column.dtype == object]
    if not names or not table.number_places or table.n_rows < _LEAST_FEATURES:
        return None
    key = min(names)
    features = tuple(str(name).strip() for name in table.column(key))
    if len(set(features)) < len(features):
        return None
    titles = table.titles if table.names_are_written else _counted(table)
    columns = {titles[place]: table.column(place) for place in table.number_places}
    head = table.names[key].strip() if table.names_are_written else ""
    return _Sample(entry, head, features, columns)


def _counted(table: Table) -> list[str]:
    return [f"column {number + 1}" for number in range(len(table.names))]


def _names_features(sample: _Sample) -> bool:
    """Whether the rows of a file are features by their heading or by their names."""
    head = fold(sample.key_head)
    if is_word_of(head, "feature key"):
        return True
    few = sample.features[:_LOOKED_AT]
    has_counts = any(NO_GENE.fullmatch(name) for name in (*sample.features[-10:], *few))
    return has_counts or share_of_feature_names(few) >= _LEAST_NAMED


def _is_alike(first: _Sample, sample: _Sample, file: str) -> bool:
    """Whether two files have the same features; refuse those that have only some in common."""
    lacking = {*first.features} - {*sample.features}
    further = {*sample.features} - {*first.features}
    if not lacking and not further:
        return True
    if len(lacking) > (1 - _LEAST_SHARED) * len(first.features):
        return False
    pair = (sample, first) if lacking else (first, sample)
    name = clean_name(min(lacking or further), 40)
    raise DatasetError(
        f"{file}: {pair[0].entry.shown} lacks {name}, which {pair[1].entry.shown} has: make all "
        "files with the same list of features, or join them into one table."
    )


def _in_order_of(first: _Sample, sample: _Sample) -> _Sample:
    """The columns of a file in the order of the first, where they are called the same."""
    if sample.columns.keys() != first.columns.keys():
        return sample
    return replace(sample, columns={head: sample.columns[head] for head in first.columns})


def _columns(samples: Sequence[_Sample]) -> dict[int, str]:
    """What heads each column of numbers, by its place.

    One that is called otherwise in each file, as the name of the sample is, is called values.
    """
    heads = list(zip(*(sample.columns for sample in samples), strict=True))
    return {
        place: names[0] if len(set(names)) == 1 else f"{_VALUES} {place + 1}"
        for place, names in enumerate(heads)
    }


def _stack(samples: Sequence[_Sample], place: int) -> Array:
    """One column of all files, a sample a row, its features in the order of the first file."""
    first = samples[0].features
    rows = []
    for sample in samples:
        values = [*sample.columns.values()][place].astype(np.float64)
        if sample.features != first:
            at = {name: row for row, name in enumerate(sample.features)}
            values = values[[at[name] for name in first]]
        rows.append(values)
    return np.array(rows)


def _names(entries: Sequence[Entry]) -> list[str]:
    """Names of the samples: of the files without the end that all share, or of the folders."""
    stems = [re.sub(r"(\.gz)?$", "", entry.parts[-1]) for entry in entries]
    stems = [re.sub(r"\.[^.]*$", "", stem) for stem in stems]
    if len(set(stems)) == 1:
        stems = [entry.parts[-2] if len(entry.parts) > 1 else entry.shown for entry in entries]
    elif len({entry.parts[:-1] for entry in entries}) > 1:
        return [entry.shown for entry in entries]
    ends = [re.split(r"(?=[._\-])", stem) for stem in stems]
    while all(len(parts) > 1 for parts in ends) and len({parts[-1] for parts in ends}) == 1:
        ends = [parts[:-1] for parts in ends]
    return ["".join(parts) for parts in ends]
