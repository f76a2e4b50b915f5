"""One picture file: its size, what it holds, and its pixels upright."""

from __future__ import annotations

import io
import re
import struct
import warnings
import zlib
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final, Literal

import numpy as np
from PIL import AvifImagePlugin, ExifTags, Image, ImageOps

from cspca.datasets.files import foreign
from cspca.datasets.files.containers import numpy_files, tiff
from cspca.datasets.files.foreign import UnreadableError
from cspca.datasets.files.parsed import Array, Size

_PNG: Final = b"\x89PNG\r\n\x1a\n"
_PNG_HEADER: Final = b"\0\0\0\x0dIHDR"
_BESIDE_PIXELS: Final = (b"eXIf", b"rientation", b"acTL")
"""Marks of an orientation, or of several frames, in a PNG."""
# Each by its own decoder; everything else that Pillow knows stays closed.
_FORMATS: Final = ("PNG", "JPEG", "BMP", "TIFF", "GIF", "PPM", "WEBP", "AVIF", "JPEG2000")

_MOST_CHANNELS: Final = 512

Image.MAX_IMAGE_PIXELS = None  # the limits are checked in its place
AvifImagePlugin.DEFAULT_MAX_THREADS = 1  # the process that parses may start none
warnings.simplefilter("ignore")

Depth = Literal["8", "16", "declared 8", "declared 16", "open"]
"""Bits of a value, and whether the file says what white is; ``open`` where only values show it."""

Note = Literal[
    "turned",
    "transparent",
    "on black",
    "inverted",
    "grey",
    "stand-in",
    "reduced",
    "extra",
    "embedded",
]


@dataclass(frozen=True)
class PictureInfo:
    """What a picture file holds, by its header.

    Parameters
    ----------
    size : (height, width)
        Upright size.
    n_pages : int
        Pictures in the file; 2 stands for "several" where they are not counted.
    n_channels : int
        Channels that are not declared to be colours; 1 for grey levels and for colours.
    """

    size: Size
    n_pages: int = 1
    n_channels: int = 1


@dataclass(frozen=True)
class Pixels:
    """Pixels of one picture: (height, width) or (height, width, 3 colours or channels)."""

    values: Array
    depth: Depth
    notes: tuple[Note, ...] = ()
    are_colours: bool = False


def measure(content: bytes) -> PictureInfo | None:
    """What a picture file holds; None for anything else."""
    if content.startswith(b"\x93NUMPY"):
        return _measure_array(content)
    if not foreign.is_picture(content):
        return None
    if tiff.is_tiff(content):
        return _measure_tiff(content)
    size = _size_of_plain_png(content)
    if size is not None:
        return PictureInfo(size)
    with _opened(content) as picture:
        height, width = picture.height, picture.width
        size = (width, height) if _orientation(picture, content) >= 5 else (height, width)
        return PictureInfo(size, n_pages=2 if _has_several(picture, content) else 1)


def _size_of_plain_png(content: bytes) -> Size | None:
    """Size of a PNG by its header, where it has one picture and no orientation; else None."""
    if not content.startswith(_PNG) or any(mark in content for mark in _BESIDE_PIXELS):
        return None
    header = content[12:29]
    is_whole = content[8:16] == _PNG_HEADER and b"IDAT" in content
    if not is_whole or content[29:33] != zlib.crc32(header).to_bytes(4, "big"):
        return None
    width, height = struct.unpack(">II", header[4:12])
    _check_size((height, width), foreign.MAX_PICTURE_PIXELS)
    return height, width


def count_pages(content: bytes) -> int:
    """Number of pictures in a file."""
    if tiff.is_tiff(content):
        return tiff.layout(content).n_pictures
    if content[:1] == b"P":
        return len(_netpbm_starts(content))
    with _opened(content) as picture:
        n_frames = int(getattr(picture, "n_frames", 1))
        return n_frames - bool(getattr(picture, "default_image", False))


def decode(content: bytes, least: Size, page: int = 0) -> Pixels:
    """Decode one picture of a file, as `Decoder` does."""
    return Decoder(content).decode(least, page)


class Decoder:
    """Decodes the pictures of one file, best one after the other."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    @cached_property
    def _layout(self) -> tiff.Layout:
        return tiff.layout(self._content)

    @cached_property
    def _picture(self) -> Image.Image:
        return _opened(self._content)

    @cached_property
    def _starts(self) -> list[int]:
        return _netpbm_starts(self._content)

    def decode(self, least: Size, page: int = 0) -> Pixels:
        """Decode a picture upright; a JPEG at a fraction of its size, but not below ``least``."""
        content = self._content
        if content.startswith(b"\x93NUMPY"):
            return _decode_array(content)
        if tiff.is_tiff(content):
            return self._decode_tiff(page)
        if content[:1] == b"P" and page:
            return decode(content[self._starts[page] :], least)
        notes: list[Note] = []
        picture = self._picture
        if getattr(picture, "default_image", False):
            page += 1
            notes.append("stand-in")
        if page:
            picture.seek(page)
        if _is_multi_picture_jpeg(picture):
            notes.append("embedded")
        orientation = _orientation(picture, content)
        if picture.format in ("JPEG", "MPO"):
            picture.draft(None, least if orientation >= 5 else least[::-1])
        upright: Image.Image = picture
        if orientation > 1:
            upright = ImageOps.exif_transpose(picture)
            notes.append("turned")
        # Netpbm says what white is, and Pillow brings it to 8 or 16 bits.
        return _pixels(upright, notes, is_declared=picture.format == "PPM")

    def _decode_tiff(self, place: int) -> Pixels:
        layout = self._layout
        notes: list[Note] = ["reduced"] if layout.n_reduced else []
        places = layout.places(place)
        if len(places) == 1:
            return self._tiff_page(places[0], notes)
        channels = [self._tiff_page(number, []) for number in places]
        if {channel.values.shape for channel in channels} != {channels[0].values.shape[:2]}:
            raise UnreadableError("has channels of different sizes or in colour")
        values = np.stack([channel.values for channel in channels], axis=2)
        return Pixels(values, channels[0].depth, tuple(notes))

    def _tiff_page(self, place: int, notes: list[Note]) -> Pixels:
        layout = self._layout
        page = layout.pages[place]
        _check_size(page.stored_size, foreign.MAX_PICTURE_PIXELS)
        tiff.check_kind(page)
        if page.orientation > 1:
            notes.append("turned")
        if page.is_for_pillow:
            self._picture.seek(layout.numbers[place])
            # Pillow turns a TIFF upright itself.
            return _pixels(self._picture, notes)
        return _tiff_pixels(self._content, page, notes)


# TIFF


def _measure_tiff(content: bytes) -> PictureInfo:
    layout = tiff.layout(content)
    page = layout.pages[0]
    _check_size(page.stored_size, foreign.MAX_PICTURE_PIXELS)
    tiff.check_kind(page)
    # What is damaged is left out before it gives the set its size.
    if page.is_for_pillow:
        _opened(content).close()
    in_page = 1 if page.n_colours == 3 and not _is_grey(page) else page.n_colours
    n_channels = max(in_page, layout.n_channels)
    if n_channels > _MOST_CHANNELS:
        raise UnreadableError(f"declares {n_channels:,} channels, over the limit")
    return PictureInfo(page.size, layout.n_pictures, n_channels)


def _depth(values: Array) -> Depth:
    """Bits of whole numbers from 0 on, up to 16."""
    if values.dtype.kind != "u" or values.dtype.itemsize > 2:
        return "open"
    return "8" if values.dtype.itemsize == 1 else "16"


def _is_grey(page: tiff.Page) -> bool:
    return page.tag(262, 1) in (0, 1)


def _tiff_pixels(content: bytes, page: tiff.Page, notes: list[Note]) -> Pixels:
    """Pixels of a kind that Pillow reads otherwise."""
    values = tiff.read_page(content, page)
    if page.tag(262, 1) == 0:
        notes.append("inverted")
    native = values.astype(values.dtype.newbyteorder("="), copy=False)
    depth = _depth(native)
    if native.ndim == 2:
        return Pixels(native, depth, tuple(notes))
    if page.alpha:
        native = _on_white(native, notes)
    if page.n_colours == 3 and not _is_grey(page):
        if native.shape[2] > 3:
            notes.append("extra")
        return Pixels(native[..., :3], depth, tuple(notes), are_colours=True)
    native = native[..., 0] if native.shape[2] == 1 else native
    return Pixels(native, depth, tuple(notes))


def _on_white(values: Array, notes: list[Note]) -> Array:
    """Put (height, width, channels and opacity) of any depth on white."""
    top = 1.0 if values.dtype.kind == "f" else float(np.iinfo(values.dtype).max)
    opacity = values[..., -1:] / top
    plain = values[..., :-1]
    if (opacity == 1).all():
        return plain
    notes.append("transparent")
    mixed = plain * opacity + top * (1 - opacity)
    return (
        mixed.astype(values.dtype)
        if values.dtype.kind == "f"
        else np.rint(mixed).astype(values.dtype)
    )


# Arrays that are one picture each


def _measure_array(content: bytes) -> PictureInfo | None:
    shape, dtype = numpy_files.header_of(io.BytesIO(content))
    colours = len(shape) == 3 and shape[2] in (3, 4)
    if dtype.kind not in "fiub" or not (len(shape) == 2 or colours) or min(shape) < 1:
        return None
    _check_size((shape[0], shape[1]), foreign.MAX_PICTURE_PIXELS)
    return PictureInfo((shape[0], shape[1]))


def _decode_array(content: bytes) -> Pixels:
    values: Array = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    depth = _depth(values)
    values = values.astype(np.uint8) if values.dtype.kind == "b" else values
    return Pixels(values[..., :3] if values.ndim == 3 else values, depth, (), values.ndim == 3)


# All other kinds, by Pillow


def _check_size(size: Size, most: int) -> None:
    height, width = size
    if height * width > most:
        raise UnreadableError(f"declares {height} × {width} pixels, over the limit")
    if not height * width:
        raise UnreadableError("is damaged")


def _opened(content: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(content), formats=_FORMATS)
    slow = any(tile[0] in ("bmp_rle", "ppm", "ppm_plain") for tile in picture.tile)
    most = foreign.MAX_SLOW_PIXELS if slow else foreign.MAX_PICTURE_PIXELS
    _check_size((picture.height, picture.width), most)
    return picture


def _has_several(picture: Image.Image, content: bytes) -> bool:
    """Whether the file holds pictures that are frames or pages."""
    if _is_multi_picture_jpeg(picture):
        return False
    if picture.format == "PPM":
        return len(_netpbm_starts(content)) > 1
    n_stand_ins = bool(getattr(picture, "default_image", False))
    if n_stand_ins:
        return int(getattr(picture, "n_frames", 1)) > 2
    return bool(getattr(picture, "is_animated", False))


def _is_multi_picture_jpeg(picture: Image.Image) -> bool:
    """Whether previews, depth or a gain map lie behind the picture of a camera."""
    return picture.format == "MPO"


def _netpbm_starts(content: bytes) -> list[int]:
    """Where each picture of a Netpbm file begins; only packed ones may follow each other."""
    starts = [0]
    header = re.compile(rb"P([456])\s+(?:#[^\n]*\n\s*)*(\d{1,6})\s+(\d{1,6})(?:\s+(\d{1,5}))?\s")
    while len(starts) < 10_000:
        match = header.match(content, starts[-1])
        if match is None:
            break
        kind, width, height = match[1], int(match[2]), int(match[3])
        if kind == b"4":
            match = re.compile(rb"P4\s+(?:#[^\n]*\n\s*)*\d{1,6}\s+\d{1,6}\s").match(
                content, starts[-1]
            )
            assert match is not None
            size = (width + 7) // 8 * height
        elif match[4] is None:
            break
        else:
            size = width * height * (3 if kind == b"6" else 1) * (2 if int(match[4]) > 255 else 1)
        end = match.end() + size
        while content[end : end + 1] in (b"\n", b" "):
            end += 1
        if header.match(content, end) is None:
            break
        starts.append(end)
    return starts


def _orientation(picture: Image.Image, content: bytes) -> int:
    # Pillow turns a TIFF upright itself. Asked for EXIF that may lie behind the pixels it decodes
    # a PNG, so that is asked only where there is some.
    if picture.format == "PNG" and b"eXIf" not in content and b"rientation" not in content:
        return 1
    try:
        return int(picture.getexif().get(ExifTags.Base.Orientation, 1))
    # Pillow raises anything on damaged EXIF, without which the picture can be seen all the same.
    except Exception:  # noqa: BLE001
        return 1


def _pixels(picture: Image.Image, notes: list[Note], *, is_declared: bool = False) -> Pixels:
    make = partial(_noted, notes=notes)
    mode = picture.mode
    if mode == "1":
        return make(np.asarray(picture.convert("L")), "declared 8")
    if mode == "L" and "transparency" not in picture.info:
        return make(np.asarray(picture), "declared 8" if is_declared else "8")
    if mode.startswith("I;16"):
        return make(np.asarray(picture).astype(np.uint16), "16")
    if mode in ("I", "F"):
        # 32 bits: what is white only the whole set can tell.
        values = np.asarray(picture)
        if is_declared:
            return make(values.astype(np.uint16), "declared 16")
        return make(values, "open")
    if picture.has_transparency_data:
        picture = _without_opacity(picture.convert("RGBA"), notes)
    colours = np.asarray(picture.convert("RGB"))
    if (colours[..., 0] == colours[..., 1]).all() and (colours[..., 0] == colours[..., 2]).all():
        return make(colours[..., 0], "8")
    return Pixels(colours, "8", tuple(notes), are_colours=True)


def _noted(values: Array, depth: Depth, notes: list[Note]) -> Pixels:
    return Pixels(values, depth, tuple(notes))


def _without_opacity(picture: Image.Image, notes: list[Note]) -> Image.Image:
    """Show what is transparent on white, or on black where white would hide it."""
    low, high = picture.getchannel("A").getextrema()
    if (low, high) == (255, 255):
        return picture
    white = Image.new("RGBA", picture.size, "white")
    on_white = Image.alpha_composite(white, picture)
    darkest = min(on_white.getchannel(band).getextrema()[0] for band in "RGB")
    if low != high and darkest == 255:
        notes.append("on black")
        black = Image.new("RGBA", picture.size, "black")
        return Image.alpha_composite(black, picture)
    notes.append("transparent")
    return on_white
