"""Picture files, many together: sizes first, then pixels, all made one size and grey.

A zip archive is opened here: of pictures in class folders, of NumPy arrays, or of one data file.
"""

from __future__ import annotations

import importlib
import io
import re
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

import numpy as np
from PIL import ExifTags, Image, ImageOps

from cspca.datasets.files import foreign
from cspca.datasets.files.build import sizes_below
from cspca.datasets.files.containers import idx, numpy_files, refused
from cspca.datasets.files.foreign import KINDS, Entries, Entry, Watch
from cspca.datasets.files.parsed import Array, Parsed, Scale, Size
from cspca.datasets.files.questions.colours import Grey, weighed
from cspca.datasets.record import DatasetError
from cspca.datasets.resize import check_size, crop_to, resize_area, resized_in_words

T = TypeVar("T")

# Each by its own decoder; everything else that Pillow knows stays closed.
_FORMATS = ("PNG", "JPEG", "BMP", "TIFF", "GIF", "PPM")

# JPEG may come from its decoder this much finer than wanted, and not as it is stored: what is
# then lost at the edges of a new pixel is a few hundredths of it.
_FINER = 8
_MOST_SAID = 1000
_FOLDER = "folder"
_NO_FOLDER = "(no folder)"

NOT_A_PICTURE: Final = (0, 0)
"""What `measure` returns for a file that is no picture."""

Image.MAX_IMAGE_PIXELS = None  # the limits are checked in its place
warnings.simplefilter("ignore")


class NoPicturesError(DatasetError):
    """There are files, but none of them is a picture."""


# One picture


def measure(content: bytes) -> Size:
    """Upright (height, width) of a picture; `NOT_A_PICTURE` of anything else."""
    if not foreign.is_picture(content):
        return NOT_A_PICTURE
    with _opened(content) as picture:
        size = (picture.height, picture.width)
        return size[::-1] if _orientation(picture) >= 5 else size


def decode(content: bytes, how: Grey, least: Size) -> tuple[Array, float, list[str]]:
    """Decode a picture, grey and upright, down to ``least``; its white, 0 if not told; notes."""
    notes: list[str] = []
    with _opened(content) as picture:
        orientation = _orientation(picture)
        if getattr(picture, "is_animated", False):
            notes.append("only the first frame is taken")
        if picture.format == "JPEG":
            picture.draft(None, least if orientation >= 5 else least[::-1])
        upright: Image.Image = picture
        if orientation > 1:
            upright = ImageOps.exif_transpose(picture)
            notes.append("turned upright as their EXIF orientation says")
        grey, white = _grey(upright, how, notes)
        # Netpbm says what white is, and Pillow brings it to 16 bits.
        deep = picture.format == "PPM" and not white
        return grey, 65535.0 if deep else white, notes


def _orientation(picture: Image.Image) -> int:
    # Pillow turns a TIFF upright itself; asked for what is not there it would decode a PNG.
    if picture.format == "TIFF" or "exif" not in picture.info:
        return 1
    try:
        return int(picture.getexif().get(ExifTags.Base.Orientation, 1))
    # Pillow raises anything on damaged EXIF, without which the picture can be seen all the same.
    except Exception:  # noqa: BLE001
        return 1


def _opened(content: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(content), formats=_FORMATS)
    slow = any(one[0] in ("bmp_rle", "ppm", "ppm_plain") for one in picture.tile)
    height, width = picture.height, picture.width
    most = foreign.MAX_SLOW_PIXELS if slow else foreign.MAX_PICTURE_PIXELS
    if height * width > most:
        raise foreign.UnreadableError(f"declares {height} × {width} pixels, over the limit")
    return picture


def _grey(picture: Image.Image, how: Grey, notes: list[str]) -> tuple[Array, float]:
    mode = picture.mode
    if mode in ("1", "L") and "transparency" not in picture.info:
        return np.asarray(picture.convert("L")), 255.0
    if mode.startswith("I;16"):
        return np.asarray(picture).astype(np.uint16), 65535.0
    if mode in ("I", "F"):
        # 32 bits: what is white only the whole set can tell.
        return np.asarray(picture), 0.0
    if picture.has_transparency_data:
        picture = picture.convert("RGBA")
        if picture.getchannel("A").getextrema() != (255, 255):
            notes.append("what is transparent shown on white")
            white = Image.new("RGBA", picture.size, "white")
            picture = Image.alpha_composite(white, picture)
    colours = np.asarray(picture.convert("RGB"))
    if (colours[..., 0] == colours[..., 1]).all() and (colours[..., 0] == colours[..., 2]).all():
        return colours[..., 0], 255.0
    notes.append("colours turned to grey")
    return weighed(colours, how, np.float32), 255.0


# Many pictures


def _look(
    entry: Entry, number: int, look: Callable[[bytes], T], failed: list[str], watch: Watch
) -> T | None:
    """What is seen in a file; None if it cannot be read, and why is then among the `failed`."""
    try:
        content = entry.read()
        if number in watch.broken:
            raise foreign.UnreadableError("breaks the program that decodes it")
        watch.at(number)
        return look(content)
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
    sizes : dict of int to (height, width)
        Upright size of each picture by its number among the files.
    levels : dict of str to list of str
        Where classes may be read from, and the class of each picture by that.
    failed : list of str
        Files that cannot be read, and why.
    watch : Watch
        Hears how far the work is.
    """

    entries: Entries
    sizes: dict[int, Size]
    levels: dict[str, list[str]]
    failed: list[str]
    watch: Watch = field(repr=False)

    @property
    def common_size(self) -> Size:
        """Size of most of the pictures."""
        return Counter(self.sizes.values()).most_common(1)[0][0]

    def decode(self, how: Grey, size: Size | None, *, crop: bool) -> Decoded:
        """Decode every picture, grey and upright, at one size."""
        name, files, watch = self.watch.name, self.entries.files, self.watch
        sizes, failed = self.sizes, self.failed
        counts, common = Counter(sizes.values()), self.common_size
        size = usual_size(common, len(sizes)) if size is None else size
        if size != common:
            check_size(size, name)
        foreign.check_values((len(sizes), *size), name)
        stack = np.empty((len(sizes), *size), dtype=np.float32)
        decoded_places: list[int] = []
        whites: list[float] = []
        notes: Counter[str] = Counter()
        least = (_FINER * size[0], _FINER * size[1])
        for place, number in enumerate(sizes):
            words = f"Decoding image {place + 1:,} of {len(sizes):,}"
            watch.tell(0.3 + 0.5 * place / len(sizes), words)
            look = partial(decode, how=how, least=least)
            decoded = _look(files[number], number, look, failed, watch)
            if decoded is None:
                continue
            grey, white, picture_notes = decoded
            if grey.shape != size:
                grey = grey.astype(np.float32, copy=False)
                part = crop_to(grey.shape, size) if crop else ...
                grey = resize_area(grey[part], size)
            stack[len(decoded_places)] = grey
            decoded_places.append(place)
            whites.append(white)
            notes.update(picture_notes)
        if not decoded_places:
            raise _none_readable(name, failed)
        stack = stack[: len(decoded_places)]
        scale = _one_scale(stack, whites, notes)
        sentences = []
        for note, count in notes.items():
            which = "" if count == len(decoded_places) else f"{count} of them: "
            sentences.append(f"{which}{note}.")
        if len(counts) > 1:
            heights, widths = zip(*counts, strict=True)
            sentences.append(
                f"{len(counts)} different sizes from {min(heights)} × {min(widths)} to "
                f"{max(heights)} × {max(widths)}, all made {size[0]} × {size[1]}."
            )
        elif common != size:
            sentences.append(f"{resized_in_words(common, size, cropped=crop)}.")
        return Decoded(stack, decoded_places, scale, sentences)


@dataclass(frozen=True)
class Decoded:
    """Decoded pictures, which of them they are, the scale that they tell, and what was done."""

    stack: Array
    places: list[int]
    scale: Scale | None
    sentences: list[str]


def parse(content: bytes, watch: Watch) -> Parsed:
    """List the pictures of a zip archive, or parse the data in it."""
    entries = foreign.entries_of_zip(content, watch.name)
    files = entries.files
    if files and all(entry.suffix == ".npy" for entry in files):
        return numpy_files.parse_archive(entries, watch)
    if files and all(idx.is_name(entry.parts[-1]) for entry in files):
        names = ["/".join(entry.parts) for entry in files]
        return idx.parse_several(names, [entry.read() for entry in files], watch)
    try:
        return parse_pictures(entries, "zip archive of images", watch)
    except NoPicturesError:
        # An archive in an archive stays closed.
        readable = foreign.FORMATS.keys() - {".zip", ".npz"}
        data = [entry for entry in files if entry.suffix in readable]
        if len(data) != 1:
            if files:
                refused.refuse(files[0].read(), files[0].shown)
            raise
        module = importlib.import_module(foreign.FORMATS[data[0].suffix])
        parsed: Parsed = module.parse(data[0].read(), watch)
        return parsed


def parse_pictures(entries: Entries, format: str, watch: Watch) -> Parsed:
    """Measure the pictures among files."""
    sizes, failed = _measured(entries, watch)
    if not sizes:
        raise _none_readable(watch.name, failed)
    levels = _class_levels([entries.files[number].parts for number in sizes])
    return Parsed(
        watch.name,
        format,
        pictures=PictureFiles(entries, sizes, levels, failed, watch),
        source="file" if "archive" in format else format,
        notes=list(entries.notes),
        left_out=entries.left_out,
    )


def _measured(entries: Entries, watch: Watch) -> tuple[dict[int, Size], list[str]]:
    """Measure the pictures among files, by their number; say which of them cannot be."""
    sizes: dict[int, Size] = {}
    failed: list[str] = []
    others: list[str] = []
    files = entries.files
    for number, entry in enumerate(files):
        watch.tell(0.3 * number / len(files), f"Looking at {number + 1:,} files")
        size = _look(entry, number, measure, failed, watch)
        if size == NOT_A_PICTURE:
            others.append(entry.shown)
        elif size is not None:
            sizes[number] = size
    if not (sizes or failed):
        only = f", only {foreign.listed(others)}" if others else ""
        raise NoPicturesError(
            f"{watch.name} holds no images{only}: bring one data file, or {KINDS} files, one "
            "folder a class."
        )
    if others:
        entries.left_out.append(f"{foreign.listed(others, 1)}: no images")
    return sizes, failed


def usual_size(size: Size, count: int) -> Size:
    """Size that pictures are given unless somebody chooses: their own, unless that is large.

    With a side above 128, or 50 million pixels in all, they are made smaller, to sides of 64.
    """
    most = 50_000_000 // count
    if max(size) <= 128 and size[0] * size[1] <= most:
        return size
    smaller = [one for one in sizes_below(size) if max(one) <= 64] or [size]
    return next((one for one in smaller if one[0] * one[1] <= most), smaller[-1])


def _class_levels(paths: Sequence[tuple[str, ...]]) -> dict[str, list[str]]:
    """Where classes may be read from: the folder of a picture, those above, or its name."""
    levels: dict[str, list[str]] = {}
    for up in range(1, max(len(path) for path in paths)):
        folders = [path[:-up] for path in paths]
        # Where s1/x and s2/x end alike everywhere, it is the level above that tells.
        if len({(len(folder), *folder[-1:]) for folder in folders}) > 1:
            levels[_FOLDER if up == 1 else f"{_FOLDER} {up - 1} up"] = _folder_names(folders)
    guessed = []
    for path in paths:
        # The picture obj1__0.png is of obj1, cat12.png of cat.
        parts = re.findall(r"[^_.\-\s]+", path[-1].rsplit(".", 1)[0])
        guessed.append(parts[0] if len(parts) > 1 else "".join(parts).rstrip("0123456789"))
    if all(guessed) and len(set(guessed)) > 1:
        levels["file name"] = guessed
    last = [path[-2] if len(path) > 1 else _NO_FOLDER for path in paths]
    if _FOLDER in levels and len(set(last)) < len(set(levels[_FOLDER])):
        levels["name of the folder alone"] = last
    return levels


def _folder_names(folders: Sequence[tuple[str, ...]]) -> list[str]:
    """Call each folder by as many of its last parts as tell it from the others."""
    # The same classes come in both halves of a set.
    halves = {"train", "test", "training", "testing", "val", "valid", "validation", "dev"}
    places = [
        (*(part for part in folder[:-1] if part.lower() not in halves), *folder[-1:])
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
    if failed[0].startswith(f"{name} "):
        return DatasetError(f"{failed[0]}: save it again as PNG.")
    which = "the image cannot" if len(failed) == 1 else f"none of the {len(failed)} images can"
    return DatasetError(f"{name}: {which} be read, {failed[0]}: save images again as PNG.")


def _one_scale(stack: Array, whites: list[float], done: Counter[str]) -> Scale | None:
    """Bring files of different depth to one scale; return the scale that they tell, if any."""
    depths = set(whites)
    if len(depths) == 1:
        known: dict[float, Scale] = {255.0: "255", 65535.0: "65535"}
        return known.get(whites[0])
    for picture, depth in zip(stack, whites, strict=True):
        picture /= np.float32(depth or max(1.0, float(np.abs(picture).max())))
    done["different depths brought to one scale"] = len(whites)
    return "unit" if 0.0 not in depths else None
