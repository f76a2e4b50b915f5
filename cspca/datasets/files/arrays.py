"""Files of named arrays: which one holds the samples, which one the classes, and which way round.

By name where a name is known, else by shape.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import IO, get_args

import numpy as np

from cspca.datasets.files import foreign, guesses
from cspca.datasets.files.assemble import Found
from cspca.datasets.files.choices import (
    NO_LABELS,
    Candidate,
    ChoiceNeededError,
    Options,
    PixelOrder,
    ReadChoices,
    SampleAxis,
    check_pick,
)
from cspca.datasets.files.foreign import Watch, clean_name
from cspca.datasets.files.guesses import Array
from cspca.datasets.record import DatasetError
from cspca.labels import MISSING_WORDS, parse_labels

LABEL_NAMES = (
    "gnd", "y", "labels", "label", "target", "targets", "class", "classes", "subject", "person",
)  # fmt: skip
_DATA_NAMES = ("x", "fea", "data", "dat", "images", "features", "faces")
_FEATURE_NAMES = ("feature_names", "featurenames", "features_names", "columns", "names")
_TRAIN = "[_.]?(train|trn)[_.]?"
_ADVICE = "name the images X or fea and their labels Y or gnd"


@dataclass(frozen=True)
class Field:
    """One array of a file, known by its header only until it is read.

    Its kind is called as by NumPy or MATLAB. `test` is the other half where it is one of two.
    """

    name: str
    shape: tuple[int, ...]
    kind: str
    read: Callable[[], Array]
    test: Field | None = None

    @property
    def halves(self) -> tuple[Field, ...]:
        """Itself, and the other half if there is one."""
        return (self,) if self.test is None else (self, self.test)

    @property
    def title(self) -> str:
        """Name to choose it by."""
        return " + ".join(clean_name(one.name) for one in self.halves)

    @property
    def sides(self) -> tuple[int, ...]:
        """Sides longer than 1."""
        return tuple(side for side in self.shape if side > 1)

    @property
    def holds(self) -> str:
        """``words`` or ``numbers``; nothing of what is not read here."""
        numeric = "u?int|float|complex|bool|double|single|logical"
        if self.kind in ("char", "text"):
            return "words"
        return "numbers" if re.match(numeric, self.kind) else ""

    def values(self, file: str) -> Array:
        """What it holds, unless that is too much."""
        foreign.check_values(self.shape, f"{clean_name(self.name)} in {file}")
        return self.read()


def read(content: bytes, choices: ReadChoices, watch: Watch) -> Found:
    """Find one array, or in an archive images (X, data or images) and labels (y or target)."""
    if content.startswith(b"PK"):
        return read_archive(foreign.entries_of_zip(content, watch.name), choices, watch)
    if not content.startswith(b"\x93NUMPY"):
        pickled = content[:1] == b"\x80" and content[-1:] == b"."
        hint = " but a pickle, which is never opened here" if pickled else ""
        raise DatasetError(
            f"{watch.name} is not a NumPy file{hint}: save it with numpy.save or numpy.savez."
        )
    field = _field("the array", partial(io.BytesIO, content))
    return find_arrays([field], "NumPy array file", "row", choices, watch)


def read_archive(entries: foreign.Entries, choices: ReadChoices, watch: Watch) -> Found:
    """Find images and labels among the arrays of an archive."""
    members = [one for one in entries.found.values() if one.suffix == ".npy"]
    foreign.check_most(len(members), foreign.MAX_ARRAYS, "arrays", watch.name)
    fields = [_field("/".join(one.parts).removesuffix(".npy"), one.open) for one in members]
    return find_arrays(fields, "NumPy archive", "row", choices, watch)


def _field(name: str, opened: Callable[[], IO[bytes]]) -> Field:
    """Look at the header of an array."""
    try:
        with opened() as stream:
            first = np.lib.format.read_magic(stream) == (1, 0)
            header = "read_array_header_1_0" if first else "read_array_header_2_0"
            shape, _, dtype = getattr(np.lib.format, header)(stream)
    # NumPy and zipfile raise anything on a damaged header.
    except Exception:  # noqa: BLE001
        return Field(name, (), "damaged", partial(np.empty, 0))
    kind = "pickled" if dtype.hasobject else "text" if dtype.kind in "US" else dtype.name

    def values() -> Array:
        with opened() as stream:
            array: Array = np.lib.format.read_array(stream, allow_pickle=False)
        return array

    return Field(name, shape, kind, values)


def find_arrays(
    fields: Sequence[Field], format: str, order: PixelOrder, choices: ReadChoices, watch: Watch
) -> Found:
    """Find samples and labels among named arrays, by these choices or by guesses."""
    name = watch.name
    data, candidates = _data(fields, choices, name)
    for half in data.halves:
        _check_data(half, name)
    taken = {half.name for half in data.halves}
    others = [one for one in fields if one.name not in taken]
    possible = others if data.test is None else _pairs(others)
    offered = [one for one in possible if all(map(_fits, one.halves, data.halves))]
    labels = _labels(possible, offered, data, choices, name)
    parts: list[Array] = []
    for number, half in enumerate(data.halves):
        watch.tell(0.1 + 0.5 * number / len(data.halves), f"Reading {data.title}")
        parts.append(half.values(name))
        if parts[-1].dtype.kind not in "fiub":
            raise DatasetError(
                f"{name}: {clean_name(half.name)} holds complex numbers, not real numbers: save "
                "pixel values as real numbers."
            )
    axis, sure = _samples(parts[0], data, labels, choices, order)
    if axis == "last":
        parts = [np.moveaxis(one, -1, 0) for one in parts]
    notes = []
    if data.test is not None:
        both = " and ".join(clean_name(half.name) for half in data.halves)
        notes.append(f"{both} joined")
        if parts[0].shape[1:] != parts[1].shape[1:]:
            raise DatasetError(
                f"{name}: {both} hold images of different size: give them the same pixels."
            )
    if axis == "last":
        flat = len(data.shape) == 2
        notes.append("samples were in columns" if flat else "samples along the end")
    target = None
    if labels is not None:
        read = zip(labels.halves, parts, data.halves, strict=True)
        target = np.concatenate(
            [_read_labels(half, offered, len(part), of, axis, name) for half, part, of in read]
        )
    return Found(
        data=parts.pop() if len(parts) == 1 else np.concatenate(parts),
        feature_names=_feature_names(others, data, axis, name),
        labels=target,
        order=order,
        format=format,
        notes=notes,
        unsure=[] if sure else ["samples"],
        asked={
            "data": (data.title, _candidates(candidates)),
            "labels": (labels.title if labels else NO_LABELS, _candidates(offered)),
            "samples": (axis, get_args(SampleAxis)),
        },
    )


def _data(fields: Sequence[Field], choices: ReadChoices, name: str) -> tuple[Field, list[Field]]:
    """Choose the samples: as told, by name, by train/test pairs, else the largest array."""
    if not fields:
        raise DatasetError(f"{name} holds no variables: {_ADVICE}.")
    possible = [*_pairs(fields), *fields]
    candidates = [one for one in possible if _usable(one)]
    candidates.sort(key=lambda one: (one.test is None, -math.prod(one.shape)))
    if choices.data is not None:
        return _chosen(choices.data, candidates, "array", name), candidates
    named = _by_name(_DATA_NAMES, possible)
    if named is not None or len(fields) == 1:
        return named or fields[0], candidates
    sizes = [math.prod(one.shape) for one in candidates]
    if candidates and (candidates[0].test or len(sizes) == 1 or sizes[0] > 2 * sizes[1]):
        return candidates[0], candidates
    seen = foreign.listed([f"{clean_name(one.name)} ({one.kind})" for one in fields], 8)
    raise ChoiceNeededError(
        f"{name} holds {seen}, and nothing called X, fea, data or images: "
        f"{'choose what to read, or ' if candidates else ''}{_ADVICE}.",
        Options(data=_candidates(candidates)),
    )


def _labels(
    possible: Sequence[Field],
    offered: Sequence[Field],
    data: Field,
    choices: ReadChoices,
    name: str,
) -> Field | None:
    """Choose the classes: as told, by name, else the only ones that look like classes."""
    if choices.labels == NO_LABELS:
        return None
    if choices.labels is not None:
        return _chosen(choices.labels, offered, "label field", name)
    named = _by_name(LABEL_NAMES, possible)
    fitting = [one for one in offered if _looks_like_classes(one, name)]
    if choices.samples is not None:
        # Told which way the samples lie, take what has one label for each of them.
        count = data.shape[0 if choices.samples == "first" else -1]
        fitting = [one for one in fitting if count in one.shape]
        if named is not None and count not in named.shape and len(fitting) == 1:
            return fitting[0]
    if named is None:
        return fitting[0] if len(fitting) == 1 else None
    for half in named.halves:
        if not half.holds:
            raise _other_labels(
                f"{name}: the labels {clean_name(half.name)} are a {half.kind} array: save one "
                "number or one word a sample, or choose Classes: none.",
                offered,
            )
    return named


def _feature_names(
    others: Sequence[Field], data: Field, axis: SampleAxis, name: str
) -> tuple[str, ...] | None:
    """Return the names of the features, where the file has them under a usual name."""
    found = _by_name(_FEATURE_NAMES, [one for one in others if one.holds == "words"])
    if found is None or len(data.shape) != 2:
        return None
    names = found.values(name).ravel()
    n_features = data.shape[1 if axis == "first" else 0]
    return foreign.clean_names(names.astype(str).tolist()) if len(names) == n_features else None


def _by_name(names: tuple[str, ...], fields: Sequence[Field]) -> Field | None:
    """The field of the first of these names, but for what tells halves apart; X and x are one."""
    stems: dict[str, Field] = {}
    for one in fields:
        name = one.name.lower()
        stems.setdefault(name if one.test is None else re.sub(_TRAIN, "", name), one)
    return next((stems[name] for name in names if name in stems), None)


def _candidates(fields: Iterable[Field]) -> tuple[Candidate, ...]:
    """What to offer: titles, and sizes and kinds in words."""
    found = []
    for field in fields:
        words = []
        for half in field.halves:
            sides = " × ".join(map(str, half.shape))
            words.append(f"{sides or '1'} {half.kind}")
        found.append(Candidate(field.title, " and ".join(words)))
    return tuple(found)


def _other_labels(sentence: str, offered: Sequence[Field]) -> ChoiceNeededError:
    """Labels cannot be used, but the file can be read with others or with none."""
    return ChoiceNeededError(
        sentence, Options(labels=(*_candidates(offered), Candidate(NO_LABELS)))
    )


def _chosen(wanted: str, among: Sequence[Field], what: str, name: str) -> Field:
    fields = {one.title: one for one in among}
    check_pick(wanted, fields, what, name)
    return fields[wanted]


def _pairs(fields: Sequence[Field]) -> list[Field]:
    """Return fields whose names differ by saying train in one and test in the other."""
    by_name = {one.name.lower(): one for one in fields}
    pairs = []
    for field in fields:
        test = by_name.get(re.sub("train|trn", "test", field.name.lower()), field)
        if test is not field:
            pairs.append(replace(field, test=test))
    return pairs


def _usable(field: Field) -> bool:
    """Whether it may hold the samples: numbers in two to four dimensions, halves alike."""
    first, last = field.shape, field.halves[-1].shape
    alike = len(first) == len(last) and (first[1:] == last[1:] or first[:-1] == last[:-1])
    return alike and all(
        one.holds == "numbers" and 2 <= len(one.sides) <= 4 for one in field.halves
    )


def _fits(label: Field, data: Field) -> bool:
    """Whether it has as many labels as some side of the data, or one column a class."""
    if not label.holds or len(label.shape) > 2:
        return False
    ends = {data.shape[0], data.shape[-1]}
    if label.holds == "words":
        return bool(label.shape) and label.shape[0] in ends
    if len(label.sides) == 1:
        return label.sides[0] in ends
    return len(label.sides) == 2 and bool(ends & set(label.sides)) and min(label.sides) <= 1000


def _looks_like_classes(field: Field, name: str) -> bool:
    """Whole numbers or words that repeat."""
    for half in field.halves:
        if math.prod(half.shape) > 10_000_000 or len(half.sides) > 1:
            return False
        values = half.values(name).ravel()
        if not values.size or values.dtype.kind == "c":
            return False
        parsed = parse_labels(values, missing_words=MISSING_WORDS)
        if parsed.measured or not 1 < len(parsed.classes) <= parsed.n_labelled / 2:
            return False
    return True


def _check_data(field: Field, name: str) -> None:
    shown = clean_name(field.name)
    if field.holds != "numbers":
        remedies = {
            "sparse": "save full(…) of it",
            "pickled": "no Python object is ever opened here, save plain numbers",
        }
        remedy = remedies.get(field.kind, "save one row of pixel values an image")
        raise DatasetError(
            f"{name}: {shown} is a {field.kind} array, not a full array of numbers: {remedy}."
        )
    if not 2 <= len(field.shape) <= 4 or min(field.shape) < 1:
        words = " × ".join(f"{side:,}" for side in field.shape)
        if len(field.shape) < 2:
            words = f"one row of {words} numbers" if field.shape else "a single number"
        raise DatasetError(f"{name}: {shown} is {words}: save one row of pixel values an image.")


def _samples(
    array: Array, data: Field, labels: Field | None, choices: ReadChoices, order: PixelOrder
) -> tuple[SampleAxis, bool]:
    """Along which axis samples lie, and whether it is sure: labels, halves or numbers tell."""
    if choices.samples is not None:
        return choices.samples, True
    shape = data.shape
    if choices.poses is not False and len(shape) == 3 and guesses.POSE in (shape[1:], shape[:2]):
        return "first" if shape[1:] == guesses.POSE else "last", True
    ends: dict[SampleAxis, int] = {"first": shape[0], "last": shape[-1]}
    if labels is not None:
        fitting = [axis for axis in ends if ends[axis] in labels.shape]
        if len(fitting) == 1:
            return fitting[0], True
    second = data.halves[-1].shape
    if shape != second:
        return "last" if shape[0] == second[0] and shape[1:] != second[1:] else "first", True
    if len(shape) == 2:
        wanted = math.prod(choices.image_shape or (0, 0))
        if wanted and shape[0] != shape[1] and wanted in shape:
            return ("first" if shape[1] == wanted else "last"), True
        return guesses.pictures_lie_in(array)
    if len(shape) == 3 and labels is None and shape[0] != shape[2] and shape[1] in ends.values():
        # A stack of squares lies along the side that is unlike the others.
        return "first" if shape[1] == shape[2] else "last", True
    # MATLAB puts further dimensions at the end, NumPy at the front.
    return "last" if order == "column" else "first", True


def _read_labels(
    label: Field,
    offered: Sequence[Field],
    n_samples: int,
    data: Field,
    axis: SampleAxis,
    name: str,
) -> Array:
    """Read one label a sample, or say what would fit."""
    values = label.values(name)
    shown = clean_name(label.name)
    if values.dtype.kind not in "fiubUS":
        raise _other_labels(
            f"{name}: the labels {shown} are complex numbers: save one real number or one "
            "word a sample, or choose Classes: none.",
            offered,
        )
    plain = _plain_labels(values, n_samples)
    if plain is not None:
        return plain
    flat = len(data.shape) == 2
    where = {
        "first": "in rows" if flat else "along the first axis",
        "last": "in columns" if flat else "along the last axis",
    }
    other, there = ("last", data.shape[-1]) if axis == "first" else ("first", data.shape[0])
    turn = f"samples {where[other]}, " if there == values.size else ""
    raise _other_labels(
        f"{name}: {shown} has {values.size:,} {'label' if values.size == 1 else 'labels'} for "
        f"{n_samples:,} samples when samples of {clean_name(data.name)} are {where[axis]}: choose "
        f"{turn}Classes: none, or another label field.",
        offered,
    )


def _plain_labels(labels: Array, n_samples: int) -> Array | None:
    """One label a sample from a vector, or from one column a class; None if it is neither."""
    if labels.size == n_samples:
        return labels.ravel()
    if labels.ndim != 2 or n_samples not in labels.shape or labels.dtype.kind not in "fiub":
        return None
    by_sample = labels if labels.shape[0] == n_samples else labels.T
    # One column a class, 1 (against 0 or −1) where it is the sample's.
    is_class = by_sample == 1
    rest = np.unique(by_sample[~is_class])
    if len(rest) != 1 or rest[0] not in (0, -1) or not (is_class.sum(axis=1) == 1).all():
        return None
    numbers: Array = is_class.argmax(axis=1)
    return numbers
