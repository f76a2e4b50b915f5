"""Picture files, many together: sizes first, then pixels, all made one size and grey.

A zip archive is opened here: of pictures in class folders, of NumPy arrays, or of one data file.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Final, TypeVar

import numpy as np

from cspca.datasets.files import foreign
from cspca.datasets.files.channels import WEIGHTS, weighed
from cspca.datasets.files.containers import (
    data_files,
    idx,
    label_tables,
    numpy_files,
    one_picture,
    sample_files,
    spectra_files,
)
from cspca.datasets.files.containers.file_names import ClassSource, masks_among
from cspca.datasets.files.containers.label_tables import LabelColumn
from cspca.datasets.files.containers.one_picture import (
    Decoder,
    Depth,
    Note,
    PictureInfo,
    Pixels,
)
from cspca.datasets.files.containers.picture_classes import PictureClasses, classes_of
from cspca.datasets.files.doubtful_words import label_readings, without_missing_words
from cspca.datasets.files.foreign import KINDS, Entries, Entry, Watch
from cspca.datasets.files.parsed import Array, Parsed, Scale, Size
from cspca.datasets.files.question import Confidence
from cspca.datasets.files.unread_kinds import UnreadKind, unread_kind
from cspca.datasets.record import DatasetError
from cspca.datasets.resize import check_size, crop_to, resize_area, resized_in_words, sizes_below
from cspca.datasets.steps import Steps

LOOSE: Final = "image files"
"""Format of files that come one by one."""

T = TypeVar("T")

# JPEG may come from its decoder this much finer than wanted, and not as it is stored: what is
# then lost at the edges of a new pixel is a few hundredths of it.
_FINER = 8
_DEEP_WHITES: Final = (1.0, 255.0, 1023.0, 4095.0, 16383.0, 65535.0)
_FEW_LEVELS: Final = 31  # greatest value of 8 bits up to which it may be no grey level
_MOST_TABLES: Final = 20
_SMALL: Final = 2**16  # bytes of a picture that stays at hand from measuring to decoding
_MOST_AT_HAND: Final = 32 * 2**20  # bytes
_MOST_IDX: Final = 8
_TABLES: Final = frozenset([*foreign.TEXT_SUFFIXES, ".sf"])
_MASKS_LOOKED_AT: Final = 5
_MASK_SIDE: Final = (256, 256)
_THUMBNAIL: Final = (80, 80)  # size at which a JPEG is decoded to be shown small
_LEVELS_OF_MASKS: Final = 64
_SHARE_OF_ENDS: Final = 0.9  # of the pixels of a mask of two levels, however it was compressed
_SCALES: Final[Mapping[float, Scale]] = {
    1.0: "unit", 255.0: "255", 1023.0: "1023", 4095.0: "4095", 16383.0: "16383", 65535.0: "65535",
}  # fmt: skip

_SENTENCES: Final[Mapping[Note, tuple[str, str]]] = {
    "turned": (
        "Pictures are turned upright as the orientation in their files says.",
        "{count} turned upright as the orientation in the file says.",
    ),
    "transparent": (
        "What is transparent is shown on white.",
        "{count} shown on white where it is transparent.",
    ),
    "on black": (
        "What is transparent is shown on black: the drawing itself is white.",
        "{count} shown on black where it is transparent: the drawing itself is white.",
    ),
    "inverted": (
        "Values are turned over, because the files say that 0 is white.",
        "{count} turned over, because the file says that 0 is white.",
    ),
    "grey": ("Colours are turned to grey.", "{count} turned from colours to grey."),
    "stand-in": (
        "The first image of each file only stands in for the animation: the one after it is read.",
        "{count} read from behind an image that only stands in for the animation.",
    ),
    "reduced": (
        "Smaller copies that the files hold of their pictures are passed over.",
        "{count} read without the smaller copies that the file holds of it.",
    ),
    "extra": (
        "A fourth channel without a meaning is passed over.",
        "{count} read without a fourth channel that has no meaning.",
    ),
    "embedded": (
        "Previews and maps of depth or light behind the pictures are passed over.",
        "{count} read without the previews or maps behind it.",
    ),
}


def _look(
    entry: Entry,
    number: int,
    look: Callable[[bytes], T],
    failed: list[str],
    watch: Watch,
    content: bytes | None = None,
) -> T | None:
    """What is seen in a file; None if it cannot be read, and why is then among the `failed`.

    `content` is what it holds, where it was read before.
    """

    def read(content: bytes | None = content) -> T:
        content = entry.read() if content is None else content
        if number in watch.broken:
            raise foreign.UnreadableError("breaks the program that decodes it")
        watch.at(number)
        return look(content)

    return _attempt(entry, read, failed)


def _attempt(entry: Entry, action: Callable[[], T], failed: list[str]) -> T | None:
    """What comes of a file; None if nothing does, and why is then among the `failed`."""
    try:
        return action()
    except MemoryError:
        raise
    except foreign.UnreadableError as reason:
        failed.append(f"{entry.shown} {reason}")
    # Pillow raises anything on a damaged file.
    except Exception:  # noqa: BLE001
        failed.append(f"{entry.shown} is damaged")
    return None


@dataclass
class PictureFiles:
    """Picture files that were measured and are decoded once it is settled how.

    Parameters
    ----------
    entries : Entries
        All files, pictures or not.
    infos : dict of int to PictureInfo
        What each picture file holds, by its number among the files.
    failed : list of str
        Files that cannot be read, and why.
    watch : Watch
        Hears how far the work is.
    tables : list of (str, bytes)
        Names and contents of tables that lie beside the pictures.
    """

    entries: Entries
    infos: dict[int, PictureInfo]
    failed: list[str]
    watch: Watch = field(repr=False)
    tables: list[tuple[str, bytes]] = field(default_factory=list, repr=False)
    contents: dict[int, bytes] = field(default_factory=dict, repr=False)
    """Contents of small files, by their number, so that none is unpacked twice."""
    samples: list[tuple[int, int]] = field(default_factory=list)
    """Number of the file and of the page of each sample."""
    _classes: PictureClasses | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.take_files([*self.infos])

    @property
    def classes(self) -> PictureClasses:
        """What may be the classes of the samples."""
        if self._classes is None:
            columns = [
                ClassSource(
                    reading.value, without_missing_words(column.labels, reading.class_words)
                )
                for column in self.label_columns()
                for reading in label_readings(column.title, np.array(column.labels, dtype=object))
            ]
            self._classes = classes_of(self.paths, columns)
        return self._classes

    @property
    def paths(self) -> list[tuple[str, ...]]:
        """Folders and name of the file of each sample."""
        return [self.entries.files[number].parts for number, _ in self.samples]

    @property
    def common_size(self) -> Size:
        """Size of most of the pictures."""
        sizes = Counter(self.infos[number].size for number, _ in self.samples)
        return sizes.most_common(1)[0][0]

    @property
    def names(self) -> list[str]:
        """Name of each picture, by which it is known among the files."""
        return [self.shown(number) for number, _ in self.samples]

    @property
    def n_channels(self) -> int:
        """Most channels of a picture that are not declared to be colours."""
        return max(self.infos[number].n_channels for number, _ in self.samples)

    @cached_property
    def masks(self) -> set[int]:
        """Numbers of files that are called masks and lie beside the picture of their name.

        None, where the first of them have more grey levels than masks have.
        """
        numbers = [*self.infos]
        places = sorted(masks_among([self.entries.files[number].parts for number in numbers]))
        masks = [numbers[place] for place in places]
        if all(self._has_few_levels(number) for number in masks[:_MASKS_LOOKED_AT]):
            return set(masks)
        return set()

    def _has_few_levels(self, number: int) -> bool:
        """Whether a picture has few levels, or nearly all of its pixels are black or white."""
        entry = self.entries.files[number]
        look = partial(one_picture.decode, least=_MASK_SIDE)
        pixels = _look(entry, number, look, [], self.watch)
        if pixels is None:
            return True
        values = pixels.values.reshape(-1, *pixels.values.shape[2:])
        values = values[:: max(1, len(values) // 100_000)]
        if len(np.unique(values, axis=0)) <= _LEVELS_OF_MASKS:
            return True
        low, high = float(values.min()), float(values.max())
        near = (values - low < 0.1 * (high - low)) | (high - values < 0.1 * (high - low))
        return float(near.mean()) >= _SHARE_OF_ENDS

    @property
    def with_pages(self) -> list[int]:
        """Numbers of the files of several frames or pages."""
        files = dict.fromkeys(number for number, _ in self.samples)
        return [number for number in files if self.infos[number].n_pages > 1]

    def shown(self, number: int) -> str:
        """Name of a file, fit to be shown."""
        return self.entries.files[number].shown

    def take_files(self, numbers: Sequence[int]) -> None:
        """Make samples of these files alone."""
        self.samples, self._classes = [(number, 0) for number in numbers], None

    def take_pages(self) -> None:
        """Make a sample of every page."""
        several = set(self.with_pages)
        samples: list[tuple[int, int]] = []
        for number, _ in self.samples:
            count: int | None = 1
            if number in several:
                entry = self.entries.files[number]
                count = _look(entry, number, one_picture.count_pages, self.failed, self.watch)
            samples += [(number, page) for page in range(count or 0)]
            foreign.check_most(len(samples), foreign.MAX_ENTRIES, "images", self.watch.name)
        self.samples, self._classes = samples, None

    def planes(self, number: int, page: int, colours: str) -> list[Array]:
        """Return the grey levels or channels of one picture, small; none if it is not read."""
        decoder = _look(self.entries.files[number], number, Decoder, [], self.watch)
        if decoder is None:
            return []
        decode = partial(decoder.decode, _THUMBNAIL, page)
        pixels = _attempt(self.entries.files[number], decode, [])
        planes = None if pixels is None else _planes(pixels, colours, self.n_channels, [])
        if planes is None:
            return []
        return [*planes] if planes.ndim > 2 else [planes]

    def label_columns(self) -> list[LabelColumn]:
        """Columns of the tables beside the pictures that give classes by the names of files."""
        columns: list[LabelColumn] = []
        for title, content in self.tables:
            columns += label_tables.label_columns(title, content, self.paths)
        return columns

    def decode(
        self, colours: str, size: Size | None, *, crop: bool, steps: Steps | None = None
    ) -> Decoded:
        """Decode every picture upright, at one size; grey, or with its channels apart.

        With the steps of another set, what is white is what it was there.
        """
        name, files, watch = self.watch.name, self.entries.files, self.watch
        sizes = [self.infos[number].size for number, _ in self.samples]
        n_pictures, common = len(sizes), self.common_size
        size = usual_size(common, n_pictures) if size is None else size
        if size != common:
            check_size(size, name)
        n_channels = self.n_channels if colours == "separate" else 1
        shape = (n_pictures, *([n_channels] if colours == "separate" else []), *size)
        foreign.check_values(shape, name)
        stack = np.empty(shape, dtype=np.float32)
        decoded_places: list[int] = []
        brightness = _Brightness()
        notes: Counter[Note] = Counter()
        least = (_FINER * size[0], _FINER * size[1])
        decoder: Decoder | None = None
        before = -1
        for place, (number, page) in enumerate(self.samples):
            words = f"Decoding image {place + 1:,} of {n_pictures:,}"
            watch.tell(0.3 + 0.5 * place / n_pictures, words)
            if number != before:
                content = self.contents.get(number)
                decoder = _look(files[number], number, Decoder, self.failed, watch, content)
                before = number
            if decoder is None:
                continue
            pixels = _attempt(files[number], partial(decoder.decode, least, page), self.failed)
            if pixels is None:
                continue
            picture_notes = list(pixels.notes)
            planes = _planes(pixels, colours, n_channels, picture_notes)
            if planes is None:
                self.failed.append(f"{files[number].shown} has other channels")
                continue
            brightness.add(pixels)
            if planes.shape[-2:] != size:
                planes = planes.astype(np.float32, copy=False)
                rows, columns = planes.shape[-2], planes.shape[-1]
                part = (..., *crop_to((rows, columns), size)) if crop else ...
                planes = resize_area(planes[part], size)
            stack[len(decoded_places)] = planes
            decoded_places.append(place)
            notes.update(picture_notes)
        if not decoded_places:
            raise _none_readable(name, self.failed)
        stack = stack[: len(decoded_places)]
        white = brightness.applied(stack) if steps is None else brightness.followed(stack, steps)
        sentences = _noted(notes, len(decoded_places))
        sentences += _about_sizes(sizes, common, size, crop=crop)
        if white.sentence:
            sentences.append(white.sentence)
        return Decoded(stack, decoded_places, white, sentences, has_colours=notes["grey"] > 0)


@dataclass(frozen=True)
class White:
    """What white is: the scale that follows, how sure it is and on what evidence.

    No scale, where only the values can tell. `by_depth` has the white of pictures of each depth;
    where depths are mixed, each was divided by its own.
    """

    scale: Scale | None
    confidence: Confidence = "sure"
    evidence: str = "The files say what white is."
    sentence: str = ""
    by_depth: Mapping[Depth, float] = field(default_factory=dict)
    depths_are_mixed: bool = False


@dataclass(frozen=True)
class Decoded:
    """Decoded pictures, which of the samples they are, what white is, and what was done.

    `has_colours` says whether colours of some were made grey.
    """

    stack: Array
    places: list[int]
    white: White
    sentences: list[str]
    has_colours: bool


def _planes(pixels: Pixels, colours: str, n_channels: int, notes: list[Note]) -> Array | None:
    """Return the grey levels, or the channels first, of one picture; None if it has others."""
    values = pixels.values
    if values.ndim == 2 and colours != "separate":
        return values
    if values.ndim == 2:
        return values[None] if n_channels == 1 else None
    if pixels.are_colours:
        if colours == "separate":
            return np.moveaxis(values, 2, 0) if n_channels == 3 else None
        weights = colours if colours in WEIGHTS else "luma"
        if (values[..., 0] == values[..., 1]).all() and (values[..., 0] == values[..., 2]).all():
            return values[..., 0]
        notes.append("grey")
        return weighed(values, weights, np.float32)
    if colours == "separate":
        return np.moveaxis(values, 2, 0) if values.shape[2] == n_channels else None
    channel = int(colours.removeprefix("channel ")) - 1 if colours.startswith("channel ") else 0
    return values[..., channel] if channel < values.shape[2] else None


_DECLARED_WHITES: Final[Mapping[Depth, float]] = {"declared 8": 255.0, "declared 16": 65535.0}
_TOPS: Final[Mapping[Depth, float]] = {"8": 255.0, "16": 65535.0, **_DECLARED_WHITES}
DEPTH_WORDS: Final[Mapping[Depth, str]] = {
    "8": "8 bits",
    "declared 8": "8 bits",
    "16": "16 bits",
    "declared 16": "16 bits",
    "open": "32 bits or more",
}


class _Brightness:
    """How bright pictures of each depth are: what white is, the whole set shows."""

    def __init__(self) -> None:
        self._depths: list[Depth] = []
        self._brightest: dict[Depth, float] = {}

    def add(self, pixels: Pixels) -> None:
        """Take a picture into account as it was decoded."""
        values, depth = pixels.values, pixels.depth
        brightest = (
            float(np.abs(values[np.isfinite(values)]).max(initial=0))
            if (values.dtype.kind == "f")
            else float(max(int(values.max()), -int(values.min())))
        )
        self._depths.append(depth)
        self._brightest[depth] = max(brightest, self._brightest.get(depth, 0.0))

    def applied(self, stack: Array) -> White:
        """Say what white is; bring pictures of different depth to one scale, in place."""
        whites = {depth: self._white(depth) for depth in self._brightest}
        if len(set(whites.values())) > 1:
            divisors = {
                depth: white or max(1.0, self._brightest[depth]) for depth, white in whites.items()
            }
            for picture, depth in zip(stack, self._depths, strict=True):
                picture /= np.float32(divisors[depth])
            return replace(self._mixed(whites), by_depth=divisors, depths_are_mixed=True)
        return replace(self._of_one_scale(whites), by_depth=whites)

    def followed(self, stack: Array, steps: Steps) -> White:
        """Bring pictures to the unit of those of a set, in place."""
        top = 1.0
        if not steps.depths_are_mixed and steps.source != "values":
            whites = [white for white in steps.whites.values() if white]
            in_range = steps.scale not in ("stretch", "columns")
            top = float(steps.high[0]) if in_range else max(whites, default=0.0)
        sentences = []
        for depth in self._brightest:
            white = steps.whites.get(depth)
            if white is not None:
                divisor = white if steps.depths_are_mixed else 1.0
            else:
                # Not what is brightest here: a dark picture stays dark.
                white = _TOPS.get(depth) or _least_white(self._brightest[depth])
                divisor = white / top if top else 1.0
                none_there = ", of which the set has none" if steps.whites else ""
                sentences.append(
                    f"White is {white:,.6g} in pictures of {DEPTH_WORDS[depth]}{none_there}."
                )
            if divisor != 1:
                for picture, picture_depth in zip(stack, self._depths, strict=True):
                    if picture_depth == depth:
                        picture /= np.float32(divisor)
        return White(None, sentence=" ".join(sentences))

    def _of_one_scale(self, whites: Mapping[Depth, float]) -> White:
        """Say what white is, where it is the same in all pictures."""
        depth, white = next(iter(whites.items()))
        brightest = max(self._brightest.values())
        if white == 0:
            return White(None)
        if white == 255 and depth == "8" and len(whites) == 1 and 0 < brightest <= _FEW_LEVELS:
            evidence = (
                f"No value is above {brightest:.0f} of 255: they are numbers of regions, or the "
                "pictures are nearly black."
            )
            return White("255", "open", evidence)
        if white == 1:
            return White("unit", "sure", "No value is above 1.")
        if depth == "16" and white < 65535:
            evidence = (
                f"The brightest pixel of the set is {brightest:,.0f} of the 65,535 that fit into "
                "16 bits."
            )
            return White(
                _SCALES[white], "likely", evidence, f"White is taken to be {white:,.0f}. {evidence}"
            )
        return White(_SCALES[white])

    def _white(self, depth: Depth) -> float:
        """White of pictures of one depth; 0 where only the values tell."""
        brightest = self._brightest[depth]
        if depth == "open":
            return 0.0
        if depth in _DECLARED_WHITES:
            return _DECLARED_WHITES[depth]
        if depth == "8":
            return 255.0 if brightest > 1 or not brightest else 1.0
        return _least_white(brightest)

    def _mixed(self, whites: Mapping[Depth, float]) -> White:
        counts = Counter(self._depths)
        parts = [
            f"{counts[depth]:,} of {DEPTH_WORDS[depth]} by "
            f"{white or max(1.0, self._brightest[depth]):,.6g}"
            for depth, white in sorted(whites.items())
        ]
        sentence = f"Pictures of different depth were divided: {', '.join(parts)}."
        negative = whites.get("open") == 0
        evidence = "Each depth was divided by its own white."
        return White(None if negative else "unit", "likely", evidence, sentence)


def _least_white(brightest: float) -> float:
    """Return the least usual white that no value lies above, or the brightest value."""
    return next((white for white in _DEEP_WHITES if white >= brightest), brightest)


def _noted(notes: Mapping[Note, int], n_pictures: int) -> list[str]:
    sentences = []
    for note, count in notes.items():
        every, some = _SENTENCES[note]
        are = f"{count:,} pictures are" if count > 1 else "1 picture is"
        sentences.append(every if count == n_pictures else some.format(count=are))
    return sentences


_LEAST_STRETCH: Final = 0.05


def _has_other_proportions(picture: Size, size: Size) -> bool:
    """Whether a picture made this size looks wider or narrower by more than the rounding."""
    return abs(picture[0] * size[1] / (picture[1] * size[0]) - 1) > _LEAST_STRETCH


def _about_sizes(sizes: Sequence[Size], common: Size, size: Size, *, crop: bool) -> list[str]:
    different = set(sizes)
    if len(different) > 1:
        counts = Counter(sizes).most_common(2)
        commonest = " and ".join(f"{height} × {width}" for (height, width), _ in counts)
        mostly = "" if len(different) == len(counts) else "mostly "
        all_made = (
            f"Pictures of {len(different)} different sizes, {mostly}{commonest}, are all made "
            f"{size[0]} × {size[1]}"
        )
        n_unlike = sum(_has_other_proportions(picture, size) for picture in sizes)
        if not n_unlike:
            return [f"{all_made}."]
        cropped = "cropped" if crop else "stretched"
        are = "are" if n_unlike > 1 else "is"
        return [f"{all_made}; {n_unlike:,} of other proportions {are} {cropped}."]
    if common != size:
        words = resized_in_words(common, size, cropped=crop)
        return [f"Pictures are {words}."]
    return []


def usual_size(size: Size, count: int) -> Size:
    """Size that pictures are given unless somebody chooses: their own, unless that is large.

    With a side above 128, or 50 million pixels in all, they are made smaller, to sides of 64.
    """
    most = 50_000_000 // count
    if max(size) <= 128 and size[0] * size[1] <= most:
        return size
    smaller = [shape for shape in sizes_below(size) if max(shape) <= 64] or [size]
    return next((shape for shape in smaller if shape[0] * shape[1] <= most), smaller[-1])


# Parsing


def parse(content: bytes, watch: Watch) -> Parsed:
    """List the pictures of a zip archive, or parse the data in it."""
    return parse_entries(
        foreign.entries_of_zip(content, watch.name), "zip archive of images", watch
    )


def parse_entries(entries: Entries, format: str, watch: Watch) -> Parsed:
    """Measure the pictures among files; where there are none, parse the data in them."""
    listing = _listed(entries, watch)
    data = [entry for entry in listing.others if entry.suffix in _data_suffixes()]
    if (not listing.infos and not listing.failed) or (len(listing.infos) == 1 and data):
        parsed = _parse_data(entries, listing, watch, is_loose=format == LOOSE)
        if parsed is not None:
            return parsed
    if not (listing.infos or listing.failed):
        raise _no_pictures(listing, watch.name)
    if not listing.infos:
        raise _none_readable(watch.name, listing.failed)
    tables = [entry for entry in listing.others if entry.suffix in label_tables.SUFFIXES]
    contents: list[tuple[str, bytes]] = []
    for entry in tables[:_MOST_TABLES]:
        text = _look(entry, -1, lambda content: content, [], watch)
        if text:
            contents.append((foreign.clean_name(entry.parts[-1]), text))
    pictures = PictureFiles(
        entries, listing.infos, listing.failed, watch, contents, listing.contents
    )
    named = {column.table for column in pictures.label_columns()}
    read = [entry for entry in tables if foreign.clean_name(entry.parts[-1]) in named]
    unread = [entry.shown for entry in listing.others if entry not in read]
    if unread:
        entries.left_out.append(f"{foreign.listed(unread, 1)}: no images")
    _say_passed_over(entries, listing)
    return Parsed(
        watch.name,
        format,
        pictures=pictures,
        source="file" if "archive" in format else format,
        notes=list(entries.notes),
        left_out=entries.left_out,
    )


@dataclass
class _Listing:
    """Files by what they are."""

    infos: dict[int, PictureInfo] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    others: list[Entry] = field(default_factory=list)
    unread: dict[UnreadKind, list[Entry]] = field(default_factory=dict)
    contents: dict[int, bytes] = field(default_factory=dict)
    n_bytes: int = 0

    def measured(self, content: bytes, number: int) -> PictureInfo | UnreadKind | str:
        """What a picture holds; a small one stays at hand, to be decoded."""
        info = _measured(content)
        n_bytes = self.n_bytes + len(content)
        if isinstance(info, PictureInfo) and len(content) < _SMALL and n_bytes < _MOST_AT_HAND:
            self.contents[number], self.n_bytes = content, n_bytes
        return info


def _data_suffixes() -> set[str]:
    return {*foreign.FORMATS} - {".zip"}


def _listed(entries: Entries, watch: Watch) -> _Listing:
    """Measure the pictures among files, by their number."""
    listing = _Listing()
    files = entries.files
    as_pictures = _arrays_are_pictures(files)
    for number, entry in enumerate(files):
        watch.tell(0.3 * number / len(files), f"Looking at {number + 1:,} files")
        if entry.suffix == ".npy" and not as_pictures:
            listing.others.append(entry)
            continue
        measure = partial(listing.measured, number=number)
        outcome = _look(entry, number, measure, listing.failed, watch)
        if isinstance(outcome, PictureInfo):
            listing.infos[number] = outcome
        elif isinstance(outcome, UnreadKind):
            listing.unread.setdefault(outcome, []).append(entry)
        elif outcome is not None:
            listing.others.append(entry)
    return listing


def _measured(content: bytes) -> PictureInfo | UnreadKind | str:
    """What a picture holds, the kind of what is not read, or a word for anything else."""
    return one_picture.measure(content) or unread_kind(content) or "no picture"


def _arrays_are_pictures(files: Sequence[Entry]) -> bool:
    """Whether arrays are one picture each: several of one shape in each of some folders."""
    arrays = [entry for entry in files if entry.suffix == ".npy"]
    folders = Counter(entry.parts[:-1] for entry in arrays)
    if len(arrays) < 4 or len(folders) < 2 or () in folders:
        return False
    fields = numpy_files.fields_of(arrays)
    shapes = {field.shape for field in fields}
    return len(shapes) == 1 and len(next(iter(shapes))) in (2, 3) and min(folders.values()) > 1


def _parse_data(
    entries: Entries, listing: _Listing, watch: Watch, *, is_loose: bool
) -> Parsed | None:
    """Parse the data files that belong together among files, or the one.

    Of an archive or a folder the one data file is read, whatever lies beside it; of files that come
    one by one (`is_loose`) each was chosen, and all must belong together.
    """
    others = [entry for entry in listing.others if not _is_about(entry)]
    arrays = [entry for entry in others if entry.suffix == ".npy"]
    data = [entry for entry in others if entry.suffix in _data_suffixes()]
    texts = [entry for entry in data if entry.suffix in foreign.TEXT_SUFFIXES]
    tables = [entry for entry in data if entry not in texts]
    parsed: Parsed | None = None
    read: Sequence[Entry] = ()
    if len(arrays) < len(data):
        related = data_files.parse_related(data, watch, by_shape=False)
        if related is None and tables and texts:
            related = data_files.parse_named(data, watch)
        parsed, read = related or (None, ())
    must_belong_together = is_loose and len(data) > max(1, len(arrays))
    is_settled = parsed is not None or must_belong_together
    if not is_settled and arrays:
        parsed, read = numpy_files.parse_archive(_without_common_folder(arrays), watch), arrays
    elif not is_settled and len(tables or texts) == 1:
        read = tables or texts
        module: Any = importlib.import_module(foreign.FORMATS[read[0].suffix])
        parsed = module.parse(read[0].read(), watch)
    elif parsed is None:
        parsed, read = _parse_several(entries, others, data, watch)
        if parsed is None and must_belong_together:
            raise foreign.came_together([entry.shown for entry in data])
    if parsed is None and others:
        kind = unread_kind(others[0].read(), others[0].shown)
        if kind is not None:
            raise kind.refusal(others[0].shown)
    if parsed is not None:
        left = [entry.shown for entry in listing.others if entry not in read]
        left += [entries.files[number].shown for number in listing.infos]
        parsed.left_out += entries.left_out
        if left:
            parsed.left_out.append(f"{foreign.listed(left, 1)}: not data")
    return parsed


def _is_about(entry: Entry) -> bool:
    """Whether a file is called as those are that tell people about the others."""
    name = entry.parts[-1].lower().partition(".")[0]
    return name in ("readme", "license", "licence", "citation", "changelog", "copying")


def _parse_several(
    entries: Entries, others: Sequence[Entry], data: Sequence[Entry], watch: Watch
) -> tuple[Parsed | None, Sequence[Entry]]:
    """Parse texts of one spectrum each, IDX files, or tables of which one may be chosen."""
    texts = [entry for entry in others if entry.suffix in foreign.TEXT_SUFFIXES]
    if len(texts) > 1:
        spectra = spectra_files.parse_spectra(entries, watch)
        if spectra is not None:
            return spectra, others
    samples = sample_files.parse_samples(others, watch)
    if samples is not None:
        return samples
    few = others[:_MOST_IDX]
    contents = [_look(entry, -1, lambda content: content, [], watch) or b"" for entry in few]
    if contents and all(map(idx.is_idx, contents)):
        names = [entry.parts[-1] for entry in few]
        return idx.parse_several(names, contents, watch), few
    related = data_files.parse_named(data, watch)
    related = related or data_files.parse_related(data, watch, by_shape=True)
    related = related or data_files.parse_choice(data, watch)
    return related or (None, ())


def _without_common_folder(files: Sequence[Entry]) -> Entries:
    """The same files, named from the folder that holds them all."""
    folders = {entry.parts[:-1] for entry in files}
    cut = len(next(iter(folders))) if len(folders) == 1 else 0
    entries = Entries()
    for entry in files:
        entries.add(Entry(entry.parts[cut:], entry.open))
    return entries


def _no_pictures(listing: _Listing, name: str) -> DatasetError:
    if listing.unread:
        kind, unread = next(iter(listing.unread.items()))
        return kind.refusal(f"{name}: {unread[0].shown}")
    shown = [entry.shown for entry in listing.others]
    if len(shown) > 1 and all(entry.suffix in _TABLES for entry in listing.others):
        return DatasetError(
            f"{name} holds {len(shown):,} tables, {foreign.listed(shown)}, which are neither "
            "spectra nor one table and others that name its samples: join them into one table with "
            "a sample a row or a column."
        )
    if shown and all(entry.suffix == ".zip" for entry in listing.others):
        return DatasetError(
            f"{name} holds other archives, {foreign.listed(shown)}: unpack each into a folder of "
            "its name, and pack these folders into one .zip."
        )
    only = f", only {foreign.listed(shown)}" if shown else ""
    return DatasetError(
        f"{name} holds no images{only}: bring one data file, or {KINDS} files, one folder a class."
    )


def _say_passed_over(entries: Entries, listing: _Listing) -> None:
    """Say which pictures are no samples, and which classes have none for that."""
    for files, why in (
        (entries.of_system, "made by a system, no samples"),
        (entries.set_aside, "set aside by their names, no samples"),
    ):
        pictures = [entry.shown for entry in files if entry.begins_as_picture()]
        if pictures:
            entries.left_out.append(f"{foreign.listed(pictures, 1)}: {why}")
    folders = {entries.files[number].parts[:-1] for number in listing.infos}
    for kind, unread in listing.unread.items():
        empty = sorted({entry.parts[:-1] for entry in unread} - folders)
        without = ""
        if empty:
            shown = foreign.listed([foreign.clean_name(folder[-1]) for folder in empty if folder])
            without = f"; no image is left in {shown}" if shown else ""
        names = foreign.listed([entry.shown for entry in unread], 1)
        entries.left_out.append(f"{names}: {kind.words}, not read here ({kind.advice}){without}")


def _none_readable(name: str, failed: Sequence[str]) -> DatasetError:
    # A reason in brackets says itself what to do.
    says_advice = failed[0].endswith(")")
    if failed[0].startswith(f"{name} "):
        return DatasetError(f"{failed[0]}{'' if says_advice else ': save it again as PNG'}.")
    advice = "" if says_advice else ": save images again as PNG"
    which = "the image cannot" if len(failed) == 1 else f"none of the {len(failed)} images can"
    return DatasetError(f"{name}: {which} be read, {failed[0]}{advice}.")
