"""TIFF by its tags: what its pages are, and pixels of the kinds that Pillow reads otherwise.

Pillow 13 reads uncompressed planar 16-bit colour as noise, MinIsWhite of 16 bits as the negative,
int8 and uint32 wrapped, takes 16-bit colour for 8-bit, and drops a second channel. Doubles, half
floats, five channels and a BigTIFF whose bytes begin with the heaviest it does not open. Of all
these only the bytes are taken from it, as if they were 8-bit grey levels; what they mean is in the
tags.
"""

from __future__ import annotations

import io
import re
import struct
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Final, Literal

import numpy as np
from PIL import Image

from cspca.datasets.files import foreign
from cspca.datasets.files.foreign import UnreadableError
from cspca.datasets.files.parsed import Array, Size

_SUBFILE, _WIDTH, _HEIGHT, _BITS, _COMPRESSION, _PHOTOMETRIC = 254, 256, 257, 258, 259, 262
_DESCRIPTION, _OFFSETS, _ORIENTATION, _SAMPLES, _ROWS, _COUNTS = 270, 273, 274, 277, 278, 279
_PLANAR, _PREDICTOR, _TILE_WIDTH, _TILE_HEIGHT, _TILE_OFFSETS = 284, 317, 322, 323, 324
_TILE_COUNTS, _EXTRA, _FORMAT, _FILL_ORDER = 325, 338, 339, 266
_TAGS: Final = frozenset({
    _SUBFILE, _WIDTH, _HEIGHT, _BITS, _COMPRESSION, _PHOTOMETRIC, _DESCRIPTION, _OFFSETS,
    _ORIENTATION, _SAMPLES, _ROWS, _COUNTS, _PLANAR, _PREDICTOR, _TILE_WIDTH, _TILE_HEIGHT,
    _TILE_OFFSETS, _TILE_COUNTS, _EXTRA, _FORMAT, _FILL_ORDER,
})  # fmt: skip
# Letter of `struct` by the number of a type: bytes, text, 16, 32 and 64 bits, signed and not.
_TYPES: Final = {1: "B", 2: "s", 3: "H", 4: "I", 6: "b", 8: "h", 9: "i", 13: "I", 16: "Q", 18: "Q"}

_BYTE_STREAMS: Final = frozenset({1, 5, 8, 32773, 32946, 34925, 50000})
"""Compressions that pack bytes, whatever they mean: none, LZW, Deflate, PackBits, LZMA, Zstd."""

_UNREAD_COMPRESSIONS: Final = {
    6: "JPEG", 7: "JPEG", 33003: "JPEG 2000", 33005: "JPEG 2000", 34712: "JPEG 2000",
    34887: "LERC", 50001: "WebP", 50002: "JPEG XL", 52546: "JPEG XL",
}  # fmt: skip
_READ_BY_PILLOW: Final = _BYTE_STREAMS | {2, 3, 4, 6, 7, 32771}
_MOST_PAGES: Final = 10_000
_MOST_STRIPS: Final = 65_536  # of one page
_MOST_NUMBERS: Final = 2_000_000  # in the tags of all pages


@dataclass(frozen=True)
class Page:
    """One page: the tags that are looked at, the order of bytes, and whether it is a BigTIFF's."""

    order: Literal["<", ">"]
    tags: dict[int, tuple[int, ...]]
    description: str = ""
    big: bool = False

    def tag(self, number: int, default: int) -> int:
        """First value of a tag."""
        values = self.tags.get(number, ())
        return values[0] if values else default

    @property
    def stored_size(self) -> Size:
        """(height, width) as stored."""
        return self.tag(_HEIGHT, 0), self.tag(_WIDTH, 0)

    @property
    def orientation(self) -> int:
        """How it is turned, as in EXIF."""
        number = self.tag(_ORIENTATION, 1)
        return number if 1 <= number <= 8 else 1

    @property
    def size(self) -> Size:
        """(height, width) upright."""
        return self.stored_size[::-1] if self.orientation >= 5 else self.stored_size

    @property
    def n_samples(self) -> int:
        """Values of one pixel."""
        return self.tag(_SAMPLES, 1)

    @property
    def is_reduced(self) -> bool:
        """Whether it is a smaller copy, or a mask, of another page."""
        return bool(self.tag(_SUBFILE, 0) & 5)

    @property
    def alpha(self) -> bool:
        """Whether the last value of a pixel is declared to be its opacity."""
        return self.tags.get(_EXTRA, ())[-1:] in ((1,), (2,))

    @property
    def n_colours(self) -> int:
        """3 for red, green and blue; else the number of channels, opacity not counted."""
        photometric = self.tag(_PHOTOMETRIC, 1)
        if photometric in (0, 1):
            return self.n_samples - self.alpha
        return 3

    @property
    def is_for_pillow(self) -> bool:
        """Whether Pillow reads its pixels as they are meant."""
        bits, formats = set(self.tags.get(_BITS, (1,))), set(self.tags.get(_FORMAT, (1,)))
        photometric, n_samples = self.tag(_PHOTOMETRIC, 1), self.n_samples
        if self.tag(_COMPRESSION, 1) not in _BYTE_STREAMS or photometric not in (0, 1, 2):
            return True
        if bits <= {1, 2, 4, 12}:
            return True
        if self.big and self.order == ">":
            return False
        plain = n_samples == 1 or (photometric == 2 and n_samples in (3, 4))
        if bits == {8}:
            return formats <= {1, 4} and plain
        return bits == {16} and formats <= {1, 4} and n_samples == 1 and photometric == 1


@dataclass(frozen=True)
class Layout:
    """What the pages of a file are.

    Parameters
    ----------
    pages : tuple of Page
        Pages that are pictures or channels of their own.
    numbers : tuple of int
        Number of each among all pages of the file.
    n_channels : int
        Pages that are channels of one picture.
    stride : int
        Pages from one channel of a picture to its next.
    n_reduced : int
        Smaller copies of the same picture, which are passed over.
    """

    pages: tuple[Page, ...]
    numbers: tuple[int, ...]
    n_channels: int = 1
    stride: int = 1
    n_reduced: int = 0

    @property
    def n_pictures(self) -> int:
        """Number of pictures, each of one page or of one a channel."""
        return len(self.pages) // self.n_channels

    def places(self, picture: int) -> list[int]:
        """Places among `pages` of the channels of one picture."""
        block, rest = divmod(picture, self.stride)
        start = block * self.stride * self.n_channels + rest
        return [start + channel * self.stride for channel in range(self.n_channels)]


def is_tiff(content: bytes) -> bool:
    """Whether it begins as a TIFF or BigTIFF does."""
    return content[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")


def layout(content: bytes) -> Layout:
    """Read the tags of every page, and tell pictures from smaller copies of them."""
    every = _pages(content)
    if not every:
        raise UnreadableError("is damaged")
    places = [place for place, page in enumerate(every) if not page.is_reduced] or [0]
    sizes = [every[place].stored_size for place in places]
    if _is_pyramid(sizes):
        places = places[:1]
    pages = tuple(every[place] for place in places)
    n_channels, stride = _channels_of_pages(pages)
    return Layout(pages, tuple(places), n_channels, stride, n_reduced=len(every) - len(places))


def _is_pyramid(sizes: list[Size]) -> bool:
    """Whether each page is half, a third or a quarter as large as the one before, or so."""
    if len(sizes) < 2:
        return False
    for (height, width), (lower, narrower) in pairwise(sizes):
        factor = height / max(1, lower)
        if not 1.5 < factor < 9 or abs(width / max(1, narrower) - factor) > 0.1 * factor:
            return False
    return True


def _channels_of_pages(pages: tuple[Page, ...]) -> tuple[int, int]:
    """Number of pages that are channels of one picture, and how far apart these are.

    By what ImageJ and OME write into the description of the first page.
    """
    text = pages[0].description[:20_000]
    sizes = {"C": 1, "Z": 1, "T": 1}
    order = "CZT"
    if text.startswith("ImageJ="):
        letters = {"channels": "C", "slices": "Z", "frames": "T"}
        for name, count in re.findall(
            r"^(channels|slices|frames)=(\d{1,6})\s*$", text, re.MULTILINE
        ):
            sizes[letters[name]] = int(count)
    else:
        sizes |= {
            name: int(count) for name, count in re.findall(r'\bSize([CZT])="(\d{1,6})"', text)
        }
        written = re.search(r'\bDimensionOrder="XY([CZT]{3})"', text)
        order = written[1] if written else order
    n_channels = sizes["C"]
    if n_channels < 2 or n_channels * sizes["Z"] * sizes["T"] != len(pages):
        return 1, 1
    stride = 1
    for letter in order[: order.index("C")]:
        stride *= sizes[letter]
    return n_channels, stride


def _pages(content: bytes) -> list[Page]:
    order: Literal["<", ">"] = "<" if content[:2] == b"II" else ">"
    big = content[2:4] in (b"+\0", b"\0+")
    start = struct.unpack_from(order + ("Q" if big else "I"), content, 8 if big else 4)[0]
    pages: list[Page] = []
    seen: set[int] = set()
    n_numbers = 0
    while start and start not in seen and len(pages) < _MOST_PAGES:
        seen.add(start)
        try:
            page, start = _directory(content, start, order, big)
        except (struct.error, OverflowError):
            break
        pages.append(page)
        n_numbers += sum(map(len, page.tags.values()))
        if n_numbers > _MOST_NUMBERS:
            raise UnreadableError("has more strips than are read here")
    return pages


def _directory(content: bytes, start: int, order: Literal["<", ">"], big: bool) -> tuple[Page, int]:
    """Read one directory; return it and where the next begins."""
    count = struct.unpack_from(order + ("Q" if big else "H"), content, start)[0]
    first, length = start + (8 if big else 2), 20 if big else 12
    if count > 4096:
        raise struct.error
    tags: dict[int, tuple[int, ...]] = {}
    description = ""
    for place in range(first, first + count * length, length):
        tag, kind, number = struct.unpack_from(order + ("HHQ" if big else "HHI"), content, place)
        letter = _TYPES.get(kind)
        if tag not in _TAGS or letter is None or number > _MOST_STRIPS:
            continue
        inline = place + (12 if big else 8)
        size = number * struct.calcsize("=" + letter)
        if size > (8 if big else 4):
            inline = struct.unpack_from(order + ("Q" if big else "I"), content, inline)[0]
        if letter == "s":
            if tag == _DESCRIPTION:
                description = content[inline : inline + number].decode("utf-8", "replace")
            continue
        tags[tag] = struct.unpack_from(f"{order}{number}{letter}", content, inline)
    end = first + count * length
    return Page(order, tags, description, big), struct.unpack_from(
        order + ("Q" if big else "I"), content, end
    )[0]


def check_kind(page: Page) -> None:
    """Refuse what is packed in a way that is not read."""
    compression = page.tag(_COMPRESSION, 1)
    if compression not in _READ_BY_PILLOW:
        name = _UNREAD_COMPRESSIONS.get(compression, f"method {compression}")
        raise UnreadableError(
            f"is a TIFF packed by {name}, which is not read here (save it without compression)"
        )


def read_page(content: bytes, page: Page) -> Array:
    """Read the values of a page as (height, width) or (height, width, channels), upright."""
    bits = page.tags.get(_BITS, (1,))
    sample_format = page.tag(_FORMAT, 1)
    kind = {1: "u", 2: "i", 3: "f", 4: "u"}.get(sample_format, "")
    widths = (16, 32, 64) if kind == "f" else (8, 16, 32, 64)
    if len(set(bits)) > 1 or not kind or bits[0] not in widths:
        raise UnreadableError(
            f"is a TIFF of {bits[0]} bits a value of a kind that is not read here (save it as "
            "32-bit floats or 16-bit whole numbers)"
        )
    dtype = np.dtype(f"{page.order}{kind}{bits[0] // 8}")
    height, width = page.stored_size
    n_samples = page.n_samples
    if height * width * n_samples > foreign.MAX_VALUES or n_samples < 1:
        raise UnreadableError(f"declares {height} × {width} × {n_samples} values, over the limit")
    planar = page.tag(_PLANAR, 1) == 2 and n_samples > 1
    planes = n_samples if planar else 1
    together = 1 if planar else n_samples
    parts = [
        _undo_predictor(
            _stored_bytes(content, page, plane, planes, together * dtype.itemsize),
            page,
            dtype,
            together,
        )[:, :width]
        for plane in range(planes)
    ]
    values = np.concatenate(parts, axis=2) if planar else parts[0]
    values = values[..., 0] if n_samples == 1 else values
    if page.tag(_PHOTOMETRIC, 1) == 0:
        values = 1 - values if kind == "f" else ~values
    return turned_upright(values, page.orientation)


def _stored_bytes(content: bytes, page: Page, plane: int, planes: int, in_pixel: int) -> Array:
    """Bytes of one plane, row by row, unpacked but not interpreted: as 8-bit grey levels.

    Rows of tiles keep what pads the last tile.
    """
    height = page.stored_size[0]
    tiled = _TILE_OFFSETS in page.tags
    offsets = page.tags.get(_TILE_OFFSETS if tiled else _OFFSETS, ())
    counts = page.tags.get(_TILE_COUNTS if tiled else _COUNTS, ())
    if not offsets or len(offsets) != len(counts) or len(offsets) % planes:
        raise UnreadableError("is damaged")
    n_parts = len(offsets) // planes
    strips = slice(plane * n_parts, (plane + 1) * n_parts)
    if sum(counts[strips]) > len(content):
        raise UnreadableError("is damaged")
    body = [
        content[offset : offset + count]
        for offset, count in zip(offsets[strips], counts[strips], strict=True)
    ]
    row = _stored_width(page) * in_pixel
    if page.tag(_COMPRESSION, 1) == 1 and not tiled:
        raw = b"".join(body)
        if len(raw) < height * row:
            raise UnreadableError("is damaged")
        return np.frombuffer(raw, np.uint8, height * row).reshape(height, row)
    grey = {
        _WIDTH: row, _HEIGHT: height, _BITS: 8, _COMPRESSION: page.tag(_COMPRESSION, 1),
        _PHOTOMETRIC: 1, _SAMPLES: 1, _FILL_ORDER: page.tag(_FILL_ORDER, 1),
    }  # fmt: skip
    if tiled:
        tile_width, tile_height = page.tag(_TILE_WIDTH, 1), page.tag(_TILE_HEIGHT, 1)
        grey |= {_TILE_WIDTH: tile_width * in_pixel, _TILE_HEIGHT: tile_height}
    else:
        grey[_ROWS] = min(page.tag(_ROWS, height), height)
    with Image.open(io.BytesIO(_as_grey(grey, body, tiled)), formats=["TIFF"]) as picture:
        return np.asarray(picture)


def _stored_width(page: Page) -> int:
    """Pixels of a row with those that pad the last tile."""
    width, tile = page.stored_size[1], _tile_width(page)
    return -(-width // tile) * tile


def _tile_width(page: Page) -> int:
    """Pixels in a row of a tile; of a picture without tiles, all."""
    width = page.stored_size[1]
    tile = page.tag(_TILE_WIDTH, width) if _TILE_OFFSETS in page.tags else width
    if not 0 < tile < 2 * width + 4096:
        raise UnreadableError("is damaged")
    return tile


def _as_grey(tags: dict[int, int], body: list[bytes], tiled: bool) -> bytes:
    """Write a TIFF of these tags around packed strips or tiles."""
    n_parts = len(body)
    places = (_TILE_OFFSETS, _TILE_COUNTS) if tiled else (_OFFSETS, _COUNTS)
    entries = sorted([*tags, *places])
    lists_at = 8 + 2 + 12 * len(entries) + 4
    data_at = lists_at + 8 * n_parts
    lengths = [len(part) for part in body]
    starts = [*accumulate([data_at, *lengths[:-1]])]
    directory = struct.pack("<H", len(entries))
    for tag in entries:
        if tag in tags:
            directory += struct.pack("<HHII", tag, 4, 1, tags[tag])
            continue
        is_start = tag == places[0]
        values = starts if is_start else lengths
        where = values[0] if n_parts == 1 else lists_at + (0 if is_start else 4 * n_parts)
        directory += struct.pack("<HHII", tag, 4, n_parts, where)
    lists = struct.pack(f"<{2 * n_parts}I", *starts, *lengths)
    return b"".join([b"II*\0", struct.pack("<I", 8), directory, bytes(4), lists, *body])


def _undo_predictor(raw: Array, page: Page, dtype: np.dtype[Any], n_samples: int) -> Array:
    """Values of rows of bytes whose differences were stored, (height, width, n_samples)."""
    packed = page.tag(_COMPRESSION, 1) != 1
    predictor = page.tag(_PREDICTOR, 1) if packed else 1
    height, width, tile = page.stored_size[0], _stored_width(page), _tile_width(page)
    if predictor == 3:  # bytes of floats by their weight, the heaviest first, as differences
        rows = raw.reshape(height, -1, tile * dtype.itemsize, n_samples)
        summed = np.add.accumulate(rows, axis=2, dtype=np.uint8)
        by_weight = summed.reshape(height, -1, dtype.itemsize, tile * n_samples)
        by_value = np.ascontiguousarray(by_weight.transpose(0, 1, 3, 2))
        return by_value.view(dtype.newbyteorder(">")).reshape(height, width, n_samples)
    values = np.ascontiguousarray(raw).view(dtype).reshape(height, width, n_samples)
    if predictor != 2:
        return values
    starts = range(0, width, tile)
    return np.concatenate(
        [
            np.add.accumulate(
                values[:, start : start + tile], axis=1, dtype=dtype.newbyteorder("=")
            )
            for start in starts
        ],
        axis=1,
    )


def turned_upright(values: Array, orientation: int) -> Array:
    """Turn (height, width[, channels]) upright by a number of EXIF."""
    if orientation in (5, 6, 7, 8):
        values = values.swapaxes(0, 1)
    flip_rows = orientation in (3, 4, 7, 8)
    flip_columns = orientation in (2, 3, 6, 7)
    return values[:: -1 if flip_rows else 1, :: -1 if flip_columns else 1]
