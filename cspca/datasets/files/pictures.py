"""Picture files, many together: sizes first, then pixels, all made one size and grey.

A zip archive is opened here: of pictures in class folders, of NumPy arrays, or of one data file.
"""

from __future__ import annotations

import importlib
import io
import math
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from cspca.datasets.files import limits, npz
from cspca.datasets.files.assemble import Found, assemble
from cspca.datasets.files.choices import (
    GREYS,
    NO_LABELS,
    Candidate,
    Contents,
    Grey,
    Options,
    ReadChoices,
    Recognised,
    Scale,
    pick,
    sizes_below,
)
from cspca.datasets.files.entries import Entries, Entry, UnreadableError, entries_of_zip
from cspca.datasets.files.formats import FORMATS, KINDS, is_picture
from cspca.datasets.files.labels import classes_from_names
from cspca.datasets.files.limits import Watch
from cspca.datasets.files.scale import weighed
from cspca.datasets.record import DatasetError
from cspca.datasets.resize import MAX_SIDE, check_size, crop_to, resize_area, resized_in_words

Array = NDArray[Any]
Size = tuple[int, int]

# Each by its own decoder; everything else that Pillow knows stays closed.
_FORMATS = ("PNG", "JPEG", "BMP", "TIFF", "GIF", "PPM")
_IN_PYTHON = ("bmp_rle", "ppm", "ppm_plain")
_ORIENTATION = 0x0112
_CLOSED = (".zip", ".npz")  # an archive in an archive stays closed
# How to bring a picture upright, by the EXIF orientation (TIFF 6.0, page 36).
_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_JPEG_SHARE = 0.25  # a large JPEG need not be decoded at its full size
_REDUCIBLE = ("L", "RGB", "RGBA", "CMYK", "F")

Image.MAX_IMAGE_PIXELS = None  # the limits are checked in its place
warnings.simplefilter("ignore")


@dataclass
class Decoded:
    """Pixels, the value of white (0 when the file does not tell), and what was done."""

    grey: Array
    white: float
    notes: list[str] = field(default_factory=list)


def measure(content: bytes) -> tuple[Size, float]:
    """Upright (height, width) of a picture, and about how many pixels there are to decode."""
    with _opened(content) as picture:
        size = (picture.height, picture.width)
        share = _JPEG_SHARE if picture.format == "JPEG" else 1.0
        turned = _orientation(picture) in (5, 6, 7, 8)
        return size[::-1] if turned else size, share * size[0] * size[1]


def decode(content: bytes, how: Grey, least: Size) -> Decoded:
    """Decode a picture and make it grey and upright; it may come smaller, down to ``least``."""
    notes: list[str] = []
    with _opened(content) as picture:
        orientation = _orientation(picture)
        if picture.format == "JPEG":
            height, width = least if orientation < 5 else least[::-1]
            picture.draft(None, (width, height))
        try:
            picture.load()
        except (OSError, ValueError, SyntaxError) as error:
            raise UnreadableError("is cut short or damaged") from error
        upright: Image.Image = picture
        if orientation in _UPRIGHT:
            upright = picture.transpose(_UPRIGHT[orientation])
            notes.append("turned upright as their EXIF orientation says")
        deep = picture.format == "PPM"  # Netpbm says what white is, and Pillow brings it to 16 bits
        grey, white = _grey(_smaller(upright, least, notes), how, notes)
        return Decoded(grey, 65535.0 if deep and not white else white, notes)


def _orientation(picture: Image.Image) -> int:
    # Pillow turns a TIFF upright itself; asked for what is not there it would decode a PNG.
    if picture.format == "TIFF" or "exif" not in picture.info:
        return 1
    try:
        return int(picture.getexif().get(_ORIENTATION, 1))
    # Pillow raises anything on damaged EXIF, without which the picture can be seen all the same.
    except Exception:  # noqa: BLE001
        return 1


def _opened(content: bytes) -> Image.Image:
    try:
        picture = Image.open(io.BytesIO(content), formats=_FORMATS)
    except (OSError, ValueError, SyntaxError) as error:  # UnidentifiedImageError among them
        raise UnreadableError("is not a whole picture") from error
    slow = any(one[0] in _IN_PYTHON for one in picture.tile)
    height, width = picture.height, picture.width
    most = limits.MAX_SLOW_PIXELS if slow else limits.MAX_PICTURE_PIXELS
    if height * width > most or max(height, width) > limits.MAX_PICTURE_SIDE:
        raise UnreadableError(f"declares {height} × {width} pixels, over the limit")
    if height < 1 or width < 1:
        raise UnreadableError("has no pixels")
    return picture


def _grey(picture: Image.Image, how: Grey, notes: list[str]) -> tuple[Array, float]:
    mode = picture.mode
    if mode == "1":
        return np.asarray(picture.convert("L")), 255.0
    if mode == "L" and "transparency" not in picture.info:
        return np.asarray(picture), 255.0
    if mode.startswith("I;16"):
        return np.asarray(picture).astype(np.uint16), 65535.0
    if mode in ("I", "F"):
        # 32 bits: what is white only the whole set can tell.
        return np.asarray(picture), 0.0
    if mode in ("LA", "La", "PA", "RGBA", "RGBa") or "transparency" in picture.info:
        picture = _on_white(picture, notes)
    elif mode != "RGB":
        picture = picture.convert("RGB")
    colours = np.asarray(picture)
    if (colours[..., 0] == colours[..., 1]).all() and (colours[..., 0] == colours[..., 2]).all():
        return colours[..., 0], 255.0
    notes.append("colours turned to grey")
    return weighed(colours, how, np.float32), 255.0


def _smaller(picture: Image.Image, least: Size, notes: list[str]) -> Image.Image:
    """Shrink a large picture by a whole factor, by the mean over blocks, before it is copied."""
    if picture.mode not in _REDUCIBLE or "transparency" in picture.info:
        return picture
    most = min(picture.height // max(1, least[0]), picture.width // max(1, least[1]))
    # A factor of both sides: blocks cut off at an edge would stretch the picture.
    common = math.gcd(picture.height, picture.width)
    factor = next((one for one in range(most, 1, -1) if common % one == 0), 1)
    if factor < 2:
        return picture
    if picture.mode == "RGBA":  # or invisible colours would shine through
        picture = _on_white(picture, notes)
    return picture.reduce(factor)


def _on_white(picture: Image.Image, notes: list[str]) -> Image.Image:
    picture = picture.convert("RGBA")
    if picture.getchannel("A").getextrema() == (255, 255):
        return picture.convert("RGB")
    notes.append("what is transparent shown on white")
    white = Image.new("RGBA", picture.size, "white")
    return Image.alpha_composite(white, picture).convert("RGB")


T = TypeVar("T")

USUAL_LONGEST = 128  # pictures with a longer side are made smaller unless somebody asks otherwise,
USUAL_VALUES = 50_000_000  # and so are sets that would have more pixels than this together:
USUAL_SIDE = 64  # this is their longest side then
# Pictures may come from their decoder this much finer than wanted, and not as they are stored:
# what is then lost at the edges of a new pixel is a few hundredths of it.
_FINER = 8


@dataclass(frozen=True)
class Measured:
    """A picture file whose upright size is known, and about how many pixels it is to decode."""

    entry: Entry
    number: int
    size: Size
    cost: float


@dataclass
class _Decoded:
    """What came out of decoding: which pictures, their pixels, and what was said about them."""

    stack: Array
    kept: list[int] = field(default_factory=list)
    depths: list[float] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)


@dataclass
class Pictures:
    """Opened picture files."""

    pictures: Sequence[Measured]
    left_out: Sequence[str]
    format: str
    notes: Sequence[str] = ()

    @cached_property
    def sizes(self) -> Counter[Size]:
        """How many there are of each size."""
        return Counter(one.size for one in self.pictures)

    @cached_property
    def levels(self) -> dict[str, list[str]]:
        """Where their classes may be read from."""
        return _class_levels([one.entry.parts for one in self.pictures])

    def recognise(self, choices: ReadChoices, watch: Watch) -> Recognised:
        """Decode every picture at the size chosen, grey and upright."""
        name = watch.name
        self._check_total(name)
        common = self.sizes.most_common(1)[0][0]
        size = usual_size(common, len(self.pictures))
        if choices.size is not None:
            # Pictures are turned over their diagonal last, and then have the size that was chosen.
            size = choices.size[::-1] if choices.order == "column" else choices.size
        if size != common:
            check_size(size, name)
        limits.check_array((len(self.pictures), *size), 4, name)
        level = self._level(choices, name)
        decoded = self._decode(size, choices, watch)
        if not decoded.kept:
            raise _none_readable(name, decoded.failed)
        stack = decoded.stack[: len(decoded.kept)]
        scale = _one_scale(stack, decoded)
        labels = None
        if level is not None:
            names = self.levels[level]
            labels = np.array([names[number] for number in decoded.kept])
        left_out = [*self.left_out, *decoded.failed]
        notes = self._notes(size, choices, level, decoded, left_out)
        found = Found(
            data=stack,
            labels=labels,
            order="row",
            format=self.format,
            source="file" if "archive" in self.format else self.format,
            scale=scale,
            resized=True,
            notes=notes,
            left_out=left_out,
            used=ReadChoices(labels=level or NO_LABELS, grey=choices.grey or "luma"),
            options=Options(
                labels=tuple(
                    Candidate(one, f"{len(set(names))} classes")
                    for one, names in self.levels.items()
                ),
                greys=GREYS,
                sizes=tuple(one for one in sizes_below(common) if max(one) <= MAX_SIDE),
            ),
        )
        return assemble(found, choices, watch)

    def _check_total(self, name: str) -> None:
        total = sum(one.cost for one in self.pictures)
        if total > limits.MAX_DECODED_PIXELS:
            raise DatasetError(
                f"{name}: {len(self.pictures)} pictures have {total / 1e6:,.0f} million pixels to "
                f"decode, over the limit of {limits.MAX_DECODED_PIXELS / 1e6:,.0f}: bring fewer, "
                "or make them smaller first."
            )

    def _level(self, choices: ReadChoices, name: str) -> str | None:
        if choices.labels == NO_LABELS:
            return None
        if choices.labels is not None:
            offered = tuple(Candidate(one) for one in self.levels)
            return pick(choices.labels, offered, "source of classes", name)
        n = len(self.pictures)
        for most in (n / 2, n - 1):
            for level, names in self.levels.items():
                if len(set(names)) <= most:
                    return level
        return None

    def _decode(self, size: Size, choices: ReadChoices, watch: Watch) -> _Decoded:
        decoded = _Decoded(np.empty((len(self.pictures), *size), dtype=np.float32))
        count = len(self.pictures)
        how, least = choices.grey or "luma", (_FINER * size[0], _FINER * size[1])
        for number, picture in enumerate(self.pictures):
            watch.tell(0.3 + 0.5 * number / count, f"Decoding picture {number + 1:,} of {count:,}")
            try:
                content = _read(picture.entry) or b""
                one = _guarded(content, picture.number, watch, lambda it: decode(it, how, least))
            except UnreadableError as reason:
                decoded.failed.append(f"{picture.entry.shown} {reason}")
                continue
            decoded.stack[len(decoded.kept)] = _fitted(one.grey, size, choices.fit == "crop")
            decoded.kept.append(number)
            decoded.depths.append(one.white)
            decoded.notes.update(one.notes)
        return decoded

    def _notes(
        self,
        size: Size,
        choices: ReadChoices,
        level: str | None,
        decoded: _Decoded,
        left_out: list[str],
    ) -> list[str]:
        notes = list(self.notes)
        if level is not None:
            notes.append(f"classes by {level}")
            if level.startswith(FOLDER) and any("/" in one for one in self.levels[level]):
                notes.append("folders of one name in different places are different classes")
        for note, count in decoded.notes.items():
            every = count == len(decoded.kept)
            notes.append(note if every else f"{count} of them: {note}")
        if len(self.sizes) > 1:
            heights, widths = zip(*self.sizes, strict=True)
            notes.append(
                f"{len(self.sizes)} different sizes from {min(heights)} × {min(widths)} to "
                f"{max(heights)} × {max(widths)}, all made {size[0]} × {size[1]}"
            )
        elif (only := next(iter(self.sizes))) != size:
            notes.append(resized_in_words(only, size, cropped=choices.fit == "crop"))
        if left_out:
            more = "" if len(left_out) == 1 else f" and {len(left_out) - 1} more"
            notes.append(f"left out: {left_out[0]}{more}")
        return notes


FOLDER = "folder"
FOLDER_NAME = "name of the folder alone"
FILE_NAME = "file name"

# The same classes come in both halves of a set.
_HALVES = frozenset({"train", "test", "training", "testing", "val", "valid", "validation", "dev"})
_NO_FOLDER = "(no folder)"


def open_pictures(entries: Entries, name: str, format: str, watch: Watch) -> Pictures:
    """Find the pictures among files, and measure them."""
    measured: list[Measured] = []
    left_out = list(entries.left_out)
    others: list[str] = []
    failed: list[str] = []
    for number, entry in enumerate(entries.files):
        try:
            content = _read(entry)
            if content is None:
                others.append(entry.shown)
            else:
                size, cost = _guarded(content, number, watch, measure)
                measured.append(Measured(entry, number, size, cost))
        except UnreadableError as reason:
            failed.append(f"{entry.shown} {reason}")
        watch.tell(0.3 * number / len(entries.files), f"Looking at {number + 1:,} files")
    if others:
        more = "" if len(others) == 1 else f" and {len(others) - 1} other files"
        left_out.append(f"{others[0]}{more}: no pictures")
    if not measured:
        if failed:
            raise _none_readable(name, failed)
        raise DatasetError(
            f"{name} holds no pictures: put {KINDS} files into it, one folder a class."
        )
    return Pictures(measured, [*left_out, *failed], format, entries.notes)


def _read(entry: Entry) -> bytes | None:
    if entry.size > limits.MAX_BYTES:
        raise UnreadableError("is too large")
    return entry.read(is_picture)


def _guarded(content: bytes, number: int, watch: Watch, look: Callable[[bytes], T]) -> T:
    """Look into one picture; when it is known to break the process, or is damaged, say so."""
    if number in watch.broken:
        raise UnreadableError("breaks the program that decodes it")
    watch.at(number)
    try:
        return look(content)
    except (UnreadableError, MemoryError):
        raise
    # Pillow raises anything on a damaged file.
    except Exception as error:
        raise UnreadableError("is damaged") from error


def usual_size(size: Size, count: int) -> Size:
    """Size that pictures are given unless somebody chooses: their own, unless that is large."""
    if max(size) <= USUAL_LONGEST and count * size[0] * size[1] <= USUAL_VALUES:
        return size
    smaller = [one for one in sizes_below(size) if max(one) <= USUAL_SIDE]
    fitting = [one for one in smaller if count * one[0] * one[1] <= USUAL_VALUES]
    return (fitting or smaller or [size])[0 if fitting else -1]


def _class_levels(paths: Sequence[tuple[str, ...]]) -> dict[str, list[str]]:
    """Where classes may be read from: the folder of a picture, those above, or its name."""
    levels: dict[str, list[str]] = {}
    for up in range(1, max((len(path) for path in paths), default=1)):
        folders = [path[:-up] for path in paths]
        # Where s1/x and s2/x end alike everywhere, it is the level above that tells.
        if len({(len(folder), *folder[-1:]) for folder in folders}) > 1:
            levels[FOLDER if up == 1 else f"{FOLDER} {up - 1} up"] = _folder_names(folders)
    stems = [path[-1].rsplit(".", 1)[0] for path in paths]
    guessed = classes_from_names(stems)
    if guessed is not None:
        levels[FILE_NAME] = guessed
    last = [path[-2] if len(path) > 1 else _NO_FOLDER for path in paths]
    if FOLDER in levels and len(set(last)) < len(set(levels[FOLDER])):
        levels[FOLDER_NAME] = last
    return levels


def _folder_names(folders: Sequence[tuple[str, ...]]) -> list[str]:
    """Call each folder by as many of its last parts as tell it from the others."""
    places = [
        (*(part for part in folder[:-1] if part.lower() not in _HALVES), *folder[-1:])
        for folder in folders
    ]
    distinct = set(places)
    ends = Counter(place[-n:] for place in distinct for n in range(1, len(place) + 1))
    names = {}
    for place in distinct:
        alone = (n for n in range(1, len(place)) if ends[place[-n:]] == 1)
        names[place] = "/".join(place[-next(alone, len(place)) :]) if place else _NO_FOLDER
    return [names[place] for place in places]


def _none_readable(name: str, failed: Sequence[str]) -> DatasetError:
    which = "the picture" if len(failed) == 1 else f"none of the {len(failed)} pictures"
    cannot = "cannot" if len(failed) == 1 else "can"
    if failed[0].startswith(f"{name} "):
        return DatasetError(f"{failed[0]}: save it again as PNG.")
    return DatasetError(
        f"{name}: {which} {cannot} be read, {failed[0]}: save pictures again as PNG."
    )


def _one_scale(stack: Array, decoded: _Decoded) -> Scale | None:
    """Bring files of different depth to one scale; return the scale that they tell, if any."""
    depths = set(decoded.depths)
    if depths in ({255.0}, {65535.0}):
        return "255" if depths == {255.0} else "65535"
    if depths == {0.0}:
        return None
    for number, depth in enumerate(decoded.depths):
        picture = stack[number]
        picture /= np.float32(depth or max(1.0, float(np.abs(picture).max())))
    if len(depths) > 1:
        decoded.notes["different depths brought to one scale"] += len(decoded.kept)
    return "unit" if 0.0 not in depths else None


def _fitted(grey: Array, size: Size, crop: bool) -> Array:
    if grey.shape == size:
        return grey
    pixels = grey.astype(np.float32, copy=False)
    if crop:
        pixels = pixels[crop_to(pixels.shape, size)]
    return resize_area(pixels, size)


def open(content: bytes, name: str, watch: Watch) -> Contents:
    """Open a zip archive."""
    entries = entries_of_zip(content, name)
    if entries.files and all(one.suffix == ".npy" for one in entries.files):
        return npz.open(content, name, watch)
    if any(_is_picture(one) for one in entries.files):
        return open_pictures(entries, name, "zip archive of pictures", watch)
    return _open_inside(entries, name, watch)


def _is_picture(entry: Entry) -> bool:
    seen = []

    def look(head: bytes) -> bool:
        seen.append(is_picture(head))
        return False  # only the first bytes are wanted

    try:
        entry.read(look)
    except UnreadableError:
        return False
    return any(seen)


def _why_not(files: Sequence[Entry], data: Sequence[Entry]) -> str:
    """Complete “this archive …” for one that holds neither pictures nor one data file."""
    bring = f"pack {KINDS} pictures, one folder a class"
    if not files:
        return f"is an archive with no files in it: {bring}"
    if data:
        return f"holds {len(data)} data files ({_listed(data)}) and no pictures: bring one of them"
    return f"holds no pictures, only {_listed(files)}: {bring}"


def _listed(files: Sequence[Entry]) -> str:
    more = f" and {len(files) - 3:,} more" if len(files) > 3 else ""
    return ", ".join(one.shown for one in files[:3]) + more


def _open_inside(entries: Entries, name: str, watch: Watch) -> Contents:
    data = [one for one in entries.files if one.suffix in FORMATS and one.suffix not in _CLOSED]
    if len(data) != 1:
        raise DatasetError(f"{name} {_why_not(entries.files, data)}.")
    try:
        content = data[0].read(lambda head: True)
    except UnreadableError as reason:
        raise DatasetError(f"{name}: {data[0].shown} {reason}: pack it again.") from reason
    module = importlib.import_module(FORMATS[data[0].suffix])
    opened: Contents = module.open(content or b"", f"{data[0].shown} in {name}", watch)
    return opened
