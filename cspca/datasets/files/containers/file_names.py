"""What folders and names of picture files say: classes, halves, masks, numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files.foreign import PICTURE_SUFFIXES, TEXT_SUFFIXES

FOLDER: Final = "folder"
TOP_FOLDER: Final = "top folder"
FOLDER_ALONE: Final = "name of the folder alone"

_HALVES: Final = (
    "train", "training", "trn", "test", "testing", "tst", "val", "valid", "validation", "dev",
    "eval", "evaluation", "gallery", "probe", "probes", "query", "enrol", "enroll", "enrolment",
)  # fmt: skip
_HOLDERS: Final = (
    "data", "dataset", "image", "images", "img", "imgs", "picture", "pictures", "photos",
    "jpegimages", "png", "jpg", "jpeg", "tif", "tiff", "pgm", "bmp",
)  # fmt: skip
_NO_CLASS: Final = re.compile(
    rf"(?:{'|'.join((*_HALVES, *_HOLDERS))})(?:[-_ ]?(?:set|images|imgs|data|faces|\d+))?"
    r"|(?:session|sess|split|fold|part|batch)[-_ ]?\d*"
)
_MASK_FOLDERS: Final = frozenset({
    "mask", "masks", "ground_truth", "groundtruth", "ground truth", "gt", "annotation",
    "annotations", "segmentation", "segmentations", "seg", "label", "labels", "segmentationclass",
})  # fmt: skip
_MASK_ENDING: Final = re.compile(
    r"(?i)[-_. ](mask|masks|seg|segmentation|gt|groundtruth|ground_truth|label|annotation)$"
)
_NUMBER_WORDS: Final = frozenset({
    "img", "image", "im", "pic", "picture", "photo", "frame", "view", "shot", "sample", "no", "nr",
    "num", "n", "number", "dsc", "dscn", "dscf", "pxl", "screenshot", "file", "scan", "page",
    "slice", "capture", "whatsapp",
})  # fmt: skip
_CLASS_WORDS: Final = frozenset({
    "subject", "subj", "sub", "person", "obj", "object", "class", "category", "species", "id",
    "patient", "participant", "individual", "identity",
})  # fmt: skip
_MOST_PARTS: Final = 12
_MOST_TEXT: Final = 200  # letters of a name that are looked at


@dataclass(frozen=True)
class ClassSource:
    """Where classes may be read from.

    Parameters
    ----------
    name : str
        What `load_file` takes for it, such as ``folder`` or ``file name part 2``.
    labels : tuple of str
        Class of each picture; empty for a picture without one.
    """

    name: str
    labels: tuple[str, ...]

    @property
    def classes(self) -> tuple[str, ...]:
        """The different classes, in the order in which they come."""
        return tuple(dict.fromkeys(label for label in self.labels if label))

    @property
    def repeats(self) -> bool:
        """Whether there are several classes, with two pictures each on average."""
        return 1 < len(self.classes) <= sum(map(bool, self.labels)) / 2

    @property
    def example(self) -> str:
        """Number of classes, and the first two."""
        classes = self.classes
        dots = ", …" if len(classes) > 2 else ""
        shown = ", ".join(name if len(name) <= 30 else f"{name[:29]}…" for name in classes[:2])
        return f"{len(classes):,} classes: {shown}{dots}"


@dataclass(frozen=True)
class NamedClasses:
    """What the names of files say of their classes.

    Parameters
    ----------
    sources : tuple of ClassSource
        Parts of the names, the likeliest first.
    is_settled : bool
        Whether one part alone is left that can be the class.
    evidence : str
        What speaks for the first, as a sentence.
    has_first : bool
        Whether the first source may be the class.
    are_numbered : bool
        Whether names count 1, 2, … inside each value of the first.
    """

    sources: tuple[ClassSource, ...] = ()
    is_settled: bool = False
    evidence: str = ""
    has_first: bool = False
    are_numbered: bool = False


def is_no_class(folder: str) -> bool:
    """Whether a folder is called as halves of a set are, or as what merely holds pictures."""
    return _NO_CLASS.fullmatch(folder.strip().lower()) is not None


def stem(file_name: str) -> str:
    """Name of a file without the ending that says its kind."""
    base, dot, ending = file_name.rpartition(".")
    is_kind = f".{ending.lower()}" in (*PICTURE_SUFFIXES, *TEXT_SUFFIXES, ".npy")
    return base if dot and base and is_kind else file_name


# Masks


def masks_among(paths: Sequence[tuple[str, ...]]) -> set[int]:
    """Places of the pictures that are called masks, and lie beside the picture of their name."""
    called = [_mask_partner(path) for path in paths]
    plain = {
        stem(path[-1]).lower() for path, partner in zip(paths, called, strict=True) if not partner
    }
    return {place for place, partner in enumerate(called) if partner and partner in plain}


def _mask_partner(path: tuple[str, ...]) -> str:
    """Name of the picture that a mask belongs to; empty for what is not called a mask."""
    name = stem(path[-1])
    shorter = _MASK_ENDING.sub("", name)
    if shorter != name:
        return shorter.lower()
    in_folder = any(part.strip().lower() in _MASK_FOLDERS for part in path[:-1])
    return name.lower() if in_folder else ""


# Folders


def folder_sources(paths: Sequence[tuple[str, ...]]) -> list[ClassSource]:
    """Return the folders that may be classes, the nearest first; each partition once."""
    folders = [tuple(part for part in path[:-1] if not is_no_class(part)) for path in paths]
    deepest = max(map(len, folders), default=0)
    sources = []
    for up in range(deepest):
        level = [folder[: len(folder) - up] for folder in folders]
        # Where s1/x and s2/x end alike everywhere, it is the level above that tells.
        if len({(len(folder), *folder[-1:]) for folder in level if folder}) > 1:
            name = FOLDER if up == 0 else f"{FOLDER} {up} up"
            sources.append(ClassSource(name, _folder_names(level)))
    sources.append(ClassSource(TOP_FOLDER, tuple("".join(folder[:1]) for folder in folders)))
    sources.append(ClassSource(FOLDER_ALONE, tuple("".join(folder[-1:]) for folder in folders)))
    return distinct_sources(source for source in sources if len(source.classes) > 1)


def distinct_sources(sources: Iterable[ClassSource]) -> list[ClassSource]:
    """Leave out a source that parts the pictures as one before it does."""
    by_partition: dict[tuple[int, ...], ClassSource] = {}
    for source in sources:
        by_partition.setdefault(_partition(source.labels), source)
    return list(by_partition.values())


def _partition(labels: Sequence[str]) -> tuple[int, ...]:
    numbers: dict[str, int] = {}
    return tuple(numbers.setdefault(label, len(numbers)) if label else -1 for label in labels)


def _folder_names(folders: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Call each folder by as many of its last parts as tell it from the others."""
    distinct = set(folders)
    ends = Counter(place[-n:] for place in distinct for n in range(1, len(place) + 1))
    names = {}
    for place in distinct:
        alone = (n for n in range(1, len(place)) if ends[place[-n:]] == 1)
        names[place] = "/".join(place[-next(alone, len(place)) :]) if place else ""
    return tuple(names[place] for place in folders)


# Names of files


@dataclass(frozen=True)
class _Part:
    """One part of all names, or the joined first parts."""

    label: str
    values: tuple[str, ...]
    word: str  # that stands before the number in every value; empty where there is none
    place: str = ""  # among the parts, such as 3 or 3b; of joined parts, that of the last
    joined: bool = False

    @cached_property
    def codes(self) -> NDArray[np.intp]:
        """Number of the value of each name."""
        return np.array(_partition(self.values), dtype=np.intp)

    @cached_property
    def numbers(self) -> tuple[int, ...] | None:
        """The numbers in it, where each value is a number behind that word."""
        digits = [value[len(self.word) :] for value in self.values]
        if not all(text.isdecimal() and len(text) < 10 for text in digits):
            return None
        return tuple(map(int, digits))

    @property
    def is_bare(self) -> bool:
        """Whether it is a number and nothing else."""
        return not self.word and self.numbers is not None

    @cached_property
    def is_date(self) -> bool:
        """Whether every value is a date such as 20200131."""
        date = r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])"
        return all(re.fullmatch(date, value) for value in self.values)

    @cached_property
    def n_values(self) -> int:
        """Number of different values."""
        return len(set(self.values))


def name_classes(names: Sequence[str], noun: str = "file name") -> NamedClasses:
    """Return the parts of names of files, or of what `noun` says, that may be classes.

    A part that counts 1, 2, … inside each value of another is a number, no class.
    """
    stems = [stem(name)[:_MOST_TEXT] for name in names]
    parts, even = _parts(stems, noun)
    varied = [part for part in parts if part.n_values > 1]
    repeated = [part for part in varied if part.n_values < len(stems) and not part.is_date]
    joined = _joined(parts if even else varied[:0], len(stems), noun)
    groups = [*repeated, *joined]
    numbers = [part for part in varied if _is_number(part, _before(part, parts, groups))]
    candidates = [
        part
        for part in [*repeated, *joined]
        if part not in numbers and part.n_values <= len(stems) / 2 and not _is_camera(part)
    ]
    candidates = _without_number_tails(candidates, numbers, varied)
    declared = [part for part in candidates if part.word.lower() in _CLASS_WORDS]
    order = sorted(candidates, key=lambda part: part.n_values)
    counted = [part for part in order for number in numbers if _counts_inside(number, part)]
    first = next(iter([*declared, *counted, *candidates]), None)
    ordered = [*([first] if first else []), *(part for part in candidates if part is not first)]
    sources = distinct_sources(ClassSource(part.label, part.values) for part in ordered)
    if first is None:
        return NamedClasses()
    evidence = ""
    if len(declared) == 1:
        evidence = f"Its names begin with {first.word}."
    elif first in counted:
        evidence = f"Pictures are numbered inside each, as {names[0]} is."
    elif len(sources) == 1 and not first.is_bare:
        evidence = "No other part of the file names repeats."
    alone = len(sources) == 1 or len(declared) == 1
    return NamedClasses(
        tuple(sources),
        alone and bool(evidence),
        evidence,
        has_first=True,
        are_numbered=first in counted,
    )


def _parts(stems: Sequence[str], noun: str) -> tuple[list[_Part], bool]:
    """The parts of all names, and whether all have equally many."""
    tokens = [re.findall(r"[^_.\-\s()+@#,]+", text) or [text] for text in stems]
    counts = {len(words) for words in tokens}
    if len(counts) == 1:
        columns = list(zip(*(_few(words) for words in tokens), strict=True))
        return [
            part for number, column in enumerate(columns, 1) for part in _runs(column, number, noun)
        ], True
    first = [_part("1", tuple(words[0] for words in tokens), noun)]
    if min(counts) < 2:
        return [], False
    if all(words[-1].isdecimal() for words in tokens):
        before = tuple(
            re.sub(rf"[_.\-\s()+@#,]*{re.escape(words[-1])}[_.\-\s()+@#,]*$", "", text)
            for text, words in zip(stems, tokens, strict=True)
        )
        last = tuple(words[-1] for words in tokens)
        first.append(_Part(f"{noun} before the number", before, "", "before", joined=True))
        first.append(replace(_part("last", last, noun), label=f"{noun}, last number"))
    return first, False


def _few(words: Sequence[str]) -> Sequence[str]:
    """The first parts of a name and the last, where there are very many."""
    return words if len(words) <= _MOST_PARTS else [*words[: _MOST_PARTS - 1], words[-1]]


def _runs(column: Sequence[str], number: int, noun: str) -> list[_Part]:
    """One part, or its runs of letters and of digits where two of them vary."""
    runs = [re.findall(r"\d+|\D+", value) for value in column]
    kinds = {tuple(run.isdecimal() for run in value) for value in runs}
    if len(kinds) == 1:
        pieces = list(zip(*runs, strict=True))
        varying = [place for place, piece in enumerate(pieces) if len(set(piece)) > 1]
        if len(varying) > 1:
            letters = "abcdefghijklmnopqrstuvwxyz"
            return [
                _part(f"{number}{letters[min(place, 25)]}", tuple(pieces[place]), noun)
                for place in range(len(pieces))
            ]
    return [_part(str(number), tuple(column), noun)]


def _part(place: str, values: tuple[str, ...], noun: str) -> _Part:
    words = {re.sub(r"\d+$", "", value) for value in values}
    word = next(iter(words)) if len(words) == 1 else ""
    return _Part(f"{noun} part {place}", values, word, place)


def _joined(parts: Sequence[_Part], n_names: int, noun: str) -> list[_Part]:
    """The first two, three, … parts together, where they tell more than each alone."""
    joined: list[_Part] = []
    partitions = {_partition(part.values) for part in parts}
    values = accumulate(
        (part.values for part in parts),
        lambda before, new: tuple(map(_join, before, new)),
    )
    for number, together in enumerate(values, 1):
        partition = _partition(together)
        n_values = len(set(together))
        if number > 1 and partition not in partitions and 1 < n_values < n_names:
            place = parts[number - 1].place
            label = f"{noun} parts 1 to {place}"
            joined.append(_Part(label, together, "", place, joined=True))
            partitions.add(partition)
    return joined


def _join(before: str, new: str) -> str:
    return f"{before}_{new}"


def _is_camera(part: _Part) -> bool:
    """Whether its values are what cameras and programs call any file."""
    words = {re.sub(r"\d+$", "", value).lower() for value in part.values}
    return words <= _NUMBER_WORDS and not part.is_bare


def _before(part: _Part, parts: Sequence[_Part], groups: Sequence[_Part]) -> list[_Part]:
    """Groups that end before a part begins: the number of a picture comes after its class."""
    earlier = {member.place for member in parts[: parts.index(part)]}
    return [group for group in groups if group.place in earlier]


def _is_number(part: _Part, groups: Sequence[_Part]) -> bool:
    """Whether a part numbers the pictures of a class rather than naming the class."""
    if part.joined or part.numbers is None:
        return False
    if part.word:
        return part.word.lower() in _NUMBER_WORDS
    for group in groups:
        if group is part or group.values == part.values or not _counts_inside(part, group):
            continue
        # Of two bare numbers that count inside each other nothing tells which is the class.
        mutual = group.is_bare and _counts_inside(group, part)
        if not mutual and not _holds(group, part):
            return True
    return False


def _holds(group: _Part, part: _Part) -> bool:
    """Whether joined parts already tell the part apart."""
    pairs = set(zip(group.values, part.values, strict=True))
    return len(pairs) == group.n_values


def _counts_inside(part: _Part, group: _Part) -> bool:
    """Whether it counts 0 or 1, 2, … inside each value of another, but for a few that are gone."""
    numbers = part.numbers
    if numbers is None or group.n_values in (1, len(numbers)):
        return False
    counts = np.array(numbers)
    order = np.lexsort([counts, group.codes])
    sorted_numbers, codes = counts[order], group.codes[order]
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    lengths = np.diff(starts, append=len(codes))
    lowest, highest = sorted_numbers[starts], sorted_numbers[starts + lengths - 1]
    several = lengths > 1
    if several.sum() < max(1, len(starts) / 2):
        return False
    twice = (np.diff(sorted_numbers) == 0) & (np.diff(codes) == 0)
    starts_low = lowest <= 1 + lengths // 4
    has_few_gaps = highest - lowest < 1.25 * lengths + 1
    return not twice.any() and bool((starts_low & has_few_gaps)[several].all())


def _without_number_tails(
    candidates: Sequence[_Part], numbers: Sequence[_Part], varied: Sequence[_Part]
) -> list[_Part]:
    """Leave out joined parts that end in a number of pictures."""
    left = []
    for part in candidates:
        if part.joined and any(_holds(part, number) for number in numbers):
            continue
        left.append(part)
    return left
