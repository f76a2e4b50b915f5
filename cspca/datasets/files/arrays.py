"""Files of named arrays: which one holds the samples, which one the classes, and which way round.

By name where a name is known, else by shape.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files.assemble import Found, assemble
from cspca.datasets.files.choices import (
    NO_LABELS,
    SAMPLE_AXES,
    Candidate,
    ChoiceNeededError,
    Options,
    PixelOrder,
    ReadChoices,
    Recognised,
    SampleAxis,
    pick,
)
from cspca.datasets.files.labels import clean_name, clean_names, plain_label
from cspca.datasets.files.limits import Watch
from cspca.datasets.files.orient import pictures_lie_in
from cspca.datasets.files.poses import sample_axis
from cspca.datasets.record import DatasetError

Array = NDArray[Any]

DATA_NAMES = ("fea", "x", "data", "images", "features", "faces")
LABEL_NAMES = (
    "gnd", "y", "labels", "label", "target", "targets", "class", "classes", "subject", "person",
)  # fmt: skip

FEATURE_NAMES = ("feature_names", "featurenames", "features_names", "columns", "names")

_TRAIN = re.compile("train|trn", re.IGNORECASE)
_KNOWN_HALVES = ("train_dat", "x_train")
_MOST_LABELS_READ = 10_000_000
_CHANNELS = (1, 3, 4)


@dataclass(frozen=True)
class Field:
    """One array of a file, known by its header only until it is read."""

    name: str
    shape: tuple[int, ...]
    kind: str
    numeric: bool
    textual: bool
    read: Callable[[], Array]
    problem: str = ""

    @property
    def sides(self) -> tuple[int, ...]:
        """Sides longer than 1."""
        return tuple(side for side in self.shape if side > 1)

    @property
    def words(self) -> str:
        """Size and kind in words."""
        return f"{' × '.join(str(side) for side in self.shape) or '1'} {self.kind}"


@dataclass(frozen=True)
class Group:
    """One field, or the same field of several parts (training and test) that belong together."""

    fields: tuple[Field, ...]

    @classmethod
    def of(cls, field: Field) -> Self:
        """Make a group of one."""
        return cls((field,))

    @property
    def size(self) -> float:
        """How many values its first field has."""
        return float(np.prod(self.fields[0].shape, dtype=float))

    @property
    def usable(self) -> bool:
        """Whether it may hold the samples: numbers in two to four dimensions."""
        return all(one.numeric and 2 <= len(one.sides) <= 4 for one in self.fields)

    @property
    def name(self) -> str:
        """Name to choose it by."""
        return " + ".join(clean_name(one.name) for one in self.fields)

    @property
    def candidate(self) -> Candidate:
        """What to offer."""
        return Candidate(self.name, " and ".join(one.words for one in self.fields))


@dataclass(frozen=True)
class NamedArrays:
    """An opened file of named arrays, and the names that its home gives to images and labels."""

    fields: Sequence[Field]
    format: str
    order: PixelOrder
    data_names: tuple[str, ...] = DATA_NAMES
    label_names: tuple[str, ...] = LABEL_NAMES
    wanted: str = "fea or X"
    advice: str = "name the images fea or X and their labels gnd or Y"

    def recognise(self, choices: ReadChoices, watch: Watch) -> Recognised:
        """Read it as a data set, by these choices and, where there are none, by guesses."""
        name = watch.name
        data, candidates = self._data(choices, name)
        for field in data.fields:
            _check_data(field, name)
        offered = self._label_candidates(data)
        with _choice_between(offered):
            labels = self._labels(choices, data, offered, name)
        watch.tell(0.1, f"Reading {data.name}")
        read = []
        for number, field in enumerate(data.fields):
            read.append(field.read())
            if read[-1].dtype.kind == "c":
                raise DatasetError(
                    f"{name}: {clean_name(field.name)} holds complex numbers, not real ones: save "
                    "pixel values as real numbers."
                )
            watch.tell(0.1 + 0.5 * (number + 1) / len(data.fields), f"Reading {data.name}")
        axis, sure = _samples(read[0], data, labels, choices, self.order)
        notes = []
        if len(data.fields) > 1:
            notes.append(f"{' and '.join(one.name for one in data.fields)} joined")
        if axis == "last":
            notes.append(
                "samples were in columns"
                if len(data.fields[0].shape) == 2
                else "samples along the end"
            )
        parts = [_samples_first(one, axis) for one in read]
        del read
        if len({part.shape[1:] for part in parts}) > 1:
            raise DatasetError(
                f"{name}: {' and '.join(one.name for one in data.fields)} hold images of "
                "different size: give them the same pixels."
            )
        target = None
        if labels is not None:
            with _choice_between(offered):
                target = _read_labels(labels, parts, data, axis, name)
        found = Found(
            data=parts[0] if len(parts) == 1 else np.concatenate(parts),
            feature_names=self._feature_names(data, parts[0]),
            labels=target,
            order=self.order,
            format=self.format,
            notes=notes,
            unsure=[] if sure else ["samples"],
            used=ReadChoices(
                data=data.name, labels=labels.name if labels else NO_LABELS, samples=axis
            ),
            options=Options(
                data=tuple(group.candidate for group in candidates),
                labels=tuple(group.candidate for group in offered),
                samples=SAMPLE_AXES,
            ),
        )
        del parts
        return assemble(found, choices, watch)

    def _data(self, choices: ReadChoices, name: str) -> tuple[Group, list[Group]]:
        """Choose the samples: as told, by train/test pairs, by name, else the largest array."""
        if not self.fields:
            raise DatasetError(f"{name} holds no variables: {self.advice}.")
        pairs = [pair for pair in _pairs(self.fields) if pair.usable and _common_sides(pair)]
        pairs.sort(key=lambda group: -group.size)
        singles = [group for group in map(Group.of, self.fields) if group.usable]
        singles.sort(key=lambda group: -group.size)
        candidates = [*pairs, *singles]
        if choices.data is not None:
            return _chosen(choices.data, candidates, "array", name), candidates
        # By the two names that everybody uses, whatever they hold.
        for pair in _pairs(self.fields):
            if pair.fields[0].name.lower() in _KNOWN_HALVES:
                return pair, candidates
        named = _by_name(self.data_names, self.fields)
        if named is not None or len(self.fields) == 1:
            return Group.of(named or self.fields[0]), candidates
        if pairs:
            return pairs[0], candidates
        if singles and (len(singles) == 1 or singles[0].size > 2 * singles[1].size):
            return singles[0], candidates
        seen = ", ".join(f"{clean_name(one.name)} ({one.kind})" for one in self.fields[:8])
        if len(self.fields) > 8:
            seen += f" and {len(self.fields) - 8:,} more"
        raise ChoiceNeededError(
            f"{name} holds {seen}, and nothing called {self.wanted}: "
            f"{'choose what to read, or ' if candidates else ''}{self.advice}.",
            Options(data=tuple(one.candidate for one in candidates)),
        )

    def _labels(
        self, choices: ReadChoices, data: Group, offered: list[Group], name: str
    ) -> Group | None:
        if choices.labels == NO_LABELS:
            return None
        if choices.labels is not None:
            return _chosen(choices.labels, offered, "label field", name)
        if len(data.fields) > 1:
            return self._half_labels(data, offered, name)
        others = [one for one in self.fields if one not in data.fields]
        named = _by_name(self.label_names, others)
        fitting = [group for group in offered if _looks_like_classes(group)]
        if choices.samples is not None:
            # Told which way the samples lie, take what has one label for each of them.
            count = data.fields[0].shape[0 if choices.samples == "first" else -1]
            fitting = [group for group in fitting if count in group.fields[0].shape]
            misfit = named is not None and count not in named.shape
            if misfit and len(fitting) == 1:
                return fitting[0]
        if named is not None:
            _check_labels(named, name)
            return Group.of(named)
        return fitting[0] if len(fitting) == 1 else None

    def _feature_names(self, data: Group, part: Array) -> tuple[str, ...] | None:
        """Return the names of the features, where the file has them under a usual name."""
        others = [one for one in self.fields if one not in data.fields and one.textual]
        field = _by_name(FEATURE_NAMES, others)
        if field is None or part.ndim != 2 or field.problem:
            return None
        names = field.read().ravel()
        return clean_names(names.astype(str).tolist()) if len(names) == part.shape[1] else None

    def _half_labels(self, data: Group, offered: list[Group], name: str) -> Group | None:
        """Labels of both halves, by names that say so, else the only ones that fit."""
        likely = [
            pair
            for pair in _pairs([one for one in self.fields if one not in data.fields])
            if re.search("lab|gnd|target|class|^y|y$|_y", pair.fields[0].name, re.IGNORECASE)
        ]
        if likely:
            for field in likely[0].fields:
                _check_labels(field, name)
            return likely[0]
        return offered[0] if len(offered) == 1 else None

    def _label_candidates(self, data: Group) -> list[Group]:
        """Vectors, or matrices of one column a class, as long as some side of the data."""
        others = [one for one in self.fields if one not in data.fields]
        groups = _pairs(others) if len(data.fields) > 1 else [*map(Group.of, others)]
        return [group for group in groups if all(map(_fits, group.fields, data.fields))]


def _by_name(names: tuple[str, ...], fields: Sequence[Field]) -> Field | None:
    lower = {one.name.lower(): one for one in fields}  # X and x are the same to us
    return next((lower[one] for one in names if one in lower), None)


class _LabelsError(DatasetError):
    """Labels that cannot be used, in a file that can be read with others or with none."""


@contextlib.contextmanager
def _choice_between(labels: Sequence[Group]) -> Iterator[None]:
    """Offer the other labels, and none, where some cannot be used."""
    try:
        yield
    except _LabelsError as problem:
        others = tuple(one.candidate for one in labels)
        raise ChoiceNeededError(
            str(problem), Options(labels=(*others, Candidate(NO_LABELS)))
        ) from problem


def _chosen(wanted: str, among: Sequence[Group], what: str, name: str) -> Group:
    pick(wanted, tuple(one.candidate for one in among), what, name)
    return next(one for one in among if one.name == wanted)


def _pairs(fields: Sequence[Field]) -> list[Group]:
    """Return fields whose names differ by saying train in one and test in the other."""
    by_name = {one.name.lower(): one for one in fields}
    pairs = []
    for field in fields:
        other = by_name.get(_TRAIN.sub("test", field.name.lower()))
        if other is not None and other is not field:
            pairs.append(Group((field, other)))
    return pairs


def _common_sides(pair: Group) -> bool:
    shapes = [one.shape for one in pair.fields]
    if len({len(shape) for shape in shapes}) > 1:
        return False
    return shapes[0][1:] == shapes[1][1:] or shapes[0][:-1] == shapes[1][:-1]


def _fits(label: Field, data: Field) -> bool:
    if not (label.numeric or label.textual) or len(label.shape) > 2:
        return False
    ends = {data.shape[0], data.shape[-1]}
    if label.textual:
        return bool(label.shape) and label.shape[0] in ends
    if len(label.sides) == 1:
        return label.sides[0] in ends
    return len(label.sides) == 2 and bool(ends & set(label.sides)) and min(label.sides) <= 1000


def _looks_like_classes(group: Group) -> bool:
    """Whole numbers or words that repeat."""
    for field in group.fields:
        if np.prod(field.shape, dtype=float) > _MOST_LABELS_READ or len(field.sides) > 1:
            return False
        values = field.read().ravel()
        if values.dtype.kind in "fc" and not (values == np.rint(values)).all():
            return False
        if not 1 < len(np.unique(values)) <= len(values) / 2:
            return False
    return True


def _check_data(field: Field, name: str) -> None:
    if field.problem:
        raise DatasetError(field.problem)
    shown = clean_name(field.name)
    if not field.numeric:
        sparse = field.kind == "sparse"
        dense = "save full(…) of it" if sparse else "save one row of pixel values an image"
        raise DatasetError(
            f"{name}: {shown} is a {field.kind} array, not a full array of numbers: {dense}."
        )
    if any(side < 0 for side in field.shape):
        raise DatasetError(f"{shown} in {name} declares a negative size: the file is damaged.")
    if not 2 <= len(field.shape) <= 4 or 0 in field.shape:
        words = " × ".join(f"{side:,}" for side in field.shape)
        if len(field.shape) < 2:
            words = f"one row of {words} numbers" if field.shape else "a single number"
        raise DatasetError(f"{name}: {shown} is {words}: save one row of pixel values an image.")


def _check_labels(field: Field, name: str) -> None:
    if field.problem:
        raise _LabelsError(field.problem)
    if not (field.numeric or field.textual):
        raise _LabelsError(
            f"{name}: the labels {clean_name(field.name)} are a {field.kind} array: save one "
            "number or one word a sample, or choose Classes: none."
        )


def _samples(
    array: Array, data: Group, labels: Group | None, choices: ReadChoices, order: PixelOrder
) -> tuple[SampleAxis, bool]:
    """Along which axis samples lie, and whether it is sure: labels, halves or numbers tell."""
    if choices.samples is not None:
        return choices.samples, True
    shape = data.fields[0].shape
    posed = sample_axis(shape) if choices.poses is not False else None
    if posed is not None:
        return posed, True
    # MATLAB puts further dimensions at the end, NumPy at the front.
    usual: SampleAxis = "last" if len(shape) > 2 and order == "column" else "first"
    ends: dict[SampleAxis, int] = {"first": shape[0], "last": shape[-1]}
    if labels is not None:
        fitting = [axis for axis in ends if ends[axis] in labels.fields[0].shape]
        if len(fitting) == 1:
            return fitting[0], True
    if len(data.fields) > 1:
        second = data.fields[1].shape
        if shape[0] == second[0] and shape[1:] != second[1:]:
            return "last", True
        if shape != second:
            return "first", True
    if len(shape) == 2:
        wanted = math.prod(choices.image_shape or (0, 0))
        if wanted and shape[0] != shape[1] and wanted in shape:
            return ("first" if shape[1] == wanted else "last"), True
        return pictures_lie_in(array)
    if len(shape) == 3 and labels is None:
        # A stack of squares lies along the side that is unlike the others.
        if shape[1] == shape[2] != shape[0]:
            return "first", True
        if shape[0] == shape[1] != shape[2]:
            return "last", True
    return usual, True


def _samples_first(array: Array, axis: SampleAxis) -> Array:
    """Bring samples to the front and colours to the end."""
    if axis == "last":
        array = np.moveaxis(array, -1, 0)
    if array.ndim == 4 and array.shape[-1] not in _CHANNELS and array.shape[1] in _CHANNELS:
        array = np.moveaxis(array, 1, -1)
    return array


def _read_labels(
    labels: Group, parts: list[Array], data: Group, axis: SampleAxis, name: str
) -> Array:
    read = []
    for field, part, source in zip(labels.fields, parts, data.fields, strict=True):
        values = field.read()
        if values.dtype.kind == "c":
            raise _LabelsError(
                f"{name}: the labels {clean_name(field.name)} are complex numbers: save one real "
                "number or one word a sample, or choose Classes: none."
            )
        plain = plain_label(values, len(part))
        if plain is None:
            raise _misfit(field, values.size, len(part), source, axis, name)
        read.append(plain)
    if len({one.dtype.kind in "US" for one in read}) > 1:
        raise DatasetError(
            f"{name}: {' and '.join(clean_name(one.name) for one in labels.fields)} hold numbers "
            "in one and words in the other: save both alike."
        )
    return np.concatenate(read)


def _misfit(
    label: Field, n_labels: int, n_samples: int, data: Field, axis: SampleAxis, name: str
) -> _LabelsError:
    """Say that labels do not fit the samples, and what would."""
    flat = len(data.shape) == 2
    where = {"first": "in rows" if flat else "along the first axis",
             "last": "in columns" if flat else "along the last axis"}  # fmt: skip
    other: SampleAxis = "last" if axis == "first" else "first"
    there = data.shape[0 if other == "first" else -1]
    turn = f"samples {where[other]}, " if there == n_labels else ""
    return _LabelsError(
        f"{name}: {clean_name(label.name)} has {n_labels:,} "
        f"{'label' if n_labels == 1 else 'labels'} for {n_samples:,} samples when samples of "
        f"{clean_name(data.name)} are {where[axis]}: choose {turn}Classes: none, or another label "
        "field."
    )
