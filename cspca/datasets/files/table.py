"""Tables of comma-separated values: one sample a row, one feature a column, classes in one."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files.arrays import LABEL_NAMES
from cspca.datasets.files.assemble import Found, assemble
from cspca.datasets.files.choices import (
    NO_LABELS,
    Candidate,
    Contents,
    Options,
    ReadChoices,
    Recognised,
    pick,
)
from cspca.datasets.files.delimited import Layout, Table, no_numbers, parse, sniff
from cspca.datasets.files.labels import clean_names
from cspca.datasets.files.orient import pictures_lie_in
from cspca.datasets.files.watch import Watch

# Beside a column of words, y is likelier to be a measurement than the class.
_WEAK_NAME = "y"
_NAMES = "name"
_MORE_LABEL_NAMES = (
    *(one for one in LABEL_NAMES if one != _WEAK_NAME),
    "category", "digit", "species", "id_class", "identity", _NAMES,
)  # fmt: skip
_INDEX_NAMES = ("", "unnamed: 0", "index", "id", "no", "nr", "number", "row", "sample")
_PIXEL_NAME = re.compile(
    r"(pixel|px|p|x|v|f|col|column|fea|feature)?[\s_.\-]*\d+([x_,.\-]\d+)*", re.I
)
_MOST_CLASSES = 1000


def open(content: bytes, name: str, watch: Watch) -> Contents:
    """Open a table of text."""
    return TableFile(content, name, sniff(content, name))


@dataclass(frozen=True)
class _Column:
    """A column that may hold the classes."""

    name: str
    classes: int
    text: bool


@dataclass(frozen=True)
class TableFile:
    """An opened table: how it is laid out is known, its values are read when they are wanted."""

    content: bytes
    name: str
    layout: Layout

    def recognise(self, choices: ReadChoices, watch: Watch) -> Recognised:
        """Read it as a data set, by these choices and, where there are none, by guesses."""
        header = self.layout.header if choices.header is None else choices.header
        table = parse(self.content, self.layout, header, self.name, watch)
        offered = _label_columns(table)
        turned = choices.samples == "last"
        # A column is a sample then, and cannot hold the classes of the samples.
        labels = None if turned else self._labels(choices, table, offered)
        left_out = self._left_out(choices, table, labels)
        features = [
            number
            for number, column in enumerate(table.numeric)
            if column != labels and column not in left_out
        ]
        if not features:
            raise no_numbers(self.name)
        sure = True
        if not (header or table.text or choices.samples or choices.labels):
            axis, sure = pictures_lie_in(table.values[:, features])
            turned = axis == "last" and (sure or labels is None)
            if turned:
                labels = None
                features = [at for at, one in enumerate(table.numeric) if one not in left_out]
            sure = sure or labels is not None
        notes, passed = [], []
        if labels is not None:
            notes.append(f"classes from column {labels.removeprefix('column ')}")
        row_names = _row_names(table) if turned else None
        words = [one for one in table.text if one not in (labels, row_names)]
        if words:
            passed.append(f"{_listed(words)}: text, not numbers")
        if left_out:
            why = "counts the rows" if choices.leave_out is None else "as chosen"
            passed.append(f"{_listed(sorted(left_out))}: {why}")
        if passed:
            notes.append("left out " + "; ".join(passed))
        data = table.values
        if len(features) < len(table.numeric):
            data = np.take(data, features, axis=1)  # an index would leave it column by column
        names = tuple(table.numeric[number] for number in features)
        pictures = not header or all(map(_PIXEL_NAME.fullmatch, names))
        feature_names = names if header else None
        if turned:
            data = np.ascontiguousarray(data.T)
            notes.insert(0, "one sample a column")
            pictures, feature_names = not header and not table.text, None
            if row_names is not None:
                notes.append(f"features named by column {row_names}")
                feature_names = clean_names(table.column(row_names).tolist())
        found = Found(
            data=data,
            labels=None if labels is None else table.column(labels),
            order="row",
            format="table",
            pictures=pictures,
            feature_names=feature_names,
            notes=notes,
            left_out=passed,
            unsure=[] if sure else ["samples"],
            used=ReadChoices(
                labels=labels or NO_LABELS,
                samples="last" if turned else "first",
                leave_out=tuple(sorted(left_out)),
                header=header,
            ),
            options=Options(
                labels=tuple(Candidate(one.name, f"{one.classes} classes") for one in offered),
                samples=("first", "last"),
                columns=tuple(Candidate(one) for one in table.numeric),
                header=True,
            ),
        )
        return assemble(found, choices, watch)

    def _labels(self, choices: ReadChoices, table: Table, offered: Sequence[_Column]) -> str | None:
        if choices.labels == NO_LABELS:
            return None
        if choices.labels is not None:
            names = tuple(Candidate(one) for one in (*table.text, *table.numeric))
            return pick(choices.labels, names, "column", self.name)
        # Names that are all different are those of the samples.
        by_name = {
            one.name.lower(): one.name
            for one in offered
            if one.name.lower() != _NAMES or one.classes < table.n_rows
        }
        for name in _MORE_LABEL_NAMES:
            if name in by_name:
                return by_name[name]
        words = [one.name for one in offered if one.text and one.classes <= table.n_rows / 2]
        if words:
            return words[0] if len(words) == 1 else None
        if _WEAK_NAME in by_name:
            return by_name[_WEAK_NAME]
        return _label_by_shape(table, offered)

    def _left_out(self, choices: ReadChoices, table: Table, labels: str | None) -> set[str]:
        if choices.leave_out is not None:
            columns = tuple(Candidate(one) for one in (*table.numeric, *table.text))
            for one in choices.leave_out:
                pick(one, columns, "column", self.name)
            return set(choices.leave_out) & set(table.numeric)
        first = table.numeric[0] if table.numeric else None
        if first is None or first == labels or not table.named:
            return set()
        counts = np.arange(table.n_rows)
        values = table.values[:, 0]
        counted = (values == counts).all() or (values == counts + 1).all()
        return {first} if counted and table.raw_names[first].lower() in _INDEX_NAMES else set()


def _row_names(table: Table) -> str | None:
    """Return the first column of words that are all different."""
    return next((one for one in table.text if table.words_in(one) == table.n_rows), None)


def _label_columns(table: Table) -> list[_Column]:
    """Columns of words, or of few whole numbers."""
    found = [
        _Column(one, table.words_in(one), True) for one in table.text if table.words_in(one) > 1
    ]
    ends = (0, len(table.numeric) - 1)
    for number, name in enumerate(table.numeric):
        # Looked at from above first: most columns of pixels are thrown out by few values.
        few = table.values[:1000, number]
        if not _whole(few) or len(np.unique(few)) > _MOST_CLASSES:
            continue
        if len(table.numeric) > 64 and number not in ends and name.lower() not in _MORE_LABEL_NAMES:
            continue
        values = table.values[:, number]
        classes = len(np.unique(values))
        if _whole(values) and 1 < classes <= min(_MOST_CLASSES, table.n_rows / 2):
            found.append(_Column(name, classes, False))
    return found


def _label_by_shape(table: Table, offered: Sequence[_Column]) -> str | None:
    """First or last column, where it is unlike the rest: whole numbers beside pixels."""
    names = {one.name for one in offered}
    ends = [one for one in (table.numeric[0], table.numeric[-1]) if one in names]
    if not ends:
        return None
    n = len(table.numeric)
    if n > 25 and math.isqrt(n - 1) ** 2 == n - 1:
        return ends[0]
    rest = [name for name in table.numeric if name not in ends]
    if rest and not any(_whole(table.values[:, table.numeric.index(one)]) for one in rest[:20]):
        return ends[-1] if ends[-1] == table.numeric[-1] else ends[0]
    return None


def _whole(values: NDArray[Any]) -> bool:
    return bool(np.isfinite(values).all() and (values == np.rint(values)).all())


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"
