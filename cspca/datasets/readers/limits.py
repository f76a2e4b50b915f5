"""How large an upload may declare itself to be before anything is allocated for it."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable

from cspca.datasets.record import DatasetError

MAX_BYTES = 256 * 2**20
"""Largest file, and largest sum of several files brought together, in bytes."""

MAX_ARRAY_BYTES = 512 * 2**20
"""Largest array that a file may declare, in bytes."""

MAX_ELEMENTS = 100_000_000
"""Largest number of values in one array, and of pixels in a whole set."""

MAX_ENTRIES = 100_000
"""Most entries of an archive, and most files of a folder."""

MAX_UNPACKED = 2**30
"""Most bytes that the files of an archive may declare together."""

MAX_PICTURE_PIXELS = 50_000_000
"""Largest single picture that is decoded."""

MAX_PICTURE_SIDE = 32_768
"""Longest side of a picture that is decoded."""

MAX_SLOW_PIXELS = 4_000_000
"""The same where Pillow decodes in Python, a hundred times slower."""

MAX_DECODED_PIXELS = 600_000_000
"""Most pixels decoded for one set, before they are made smaller; those of JPEG count a quarter."""

MAX_SECONDS = 120.0
"""Longest time that reading one set may take."""

MAX_RATIO = 200
"""A larger member that shrinks by more than this is refused: no picture compresses so well."""

RATIO_FROM = 64 * 2**20
"""Members below this many bytes may compress as well as they like (blank images do)."""

_INFLATE_STEP = 2**16


def check_file(size: int, name: str) -> None:
    """Refuse a file that is too large, before it is looked into.

    Raises
    ------
    DatasetError
        If it has more than `MAX_BYTES`.
    """
    if size > MAX_BYTES:
        raise DatasetError(
            f"{name} is larger than {MAX_BYTES / 2**20:.0f} MB: cut it into smaller files, or "
            "make the pictures smaller."
        )


def check_array(shape: Iterable[int], itemsize: int, where: str) -> None:
    """Refuse an array that declares too many values, before it is allocated.

    Raises
    ------
    DatasetError
        If a side is negative, or the declared size is over the limit.
    """
    sides = [int(side) for side in shape]
    if any(side < 0 for side in sides):
        raise DatasetError(f"{where} declares a negative size: the file is damaged.")
    elements = math.prod(sides)
    if elements > MAX_ELEMENTS or elements * itemsize > MAX_ARRAY_BYTES:
        words = " × ".join(str(side) for side in sides)
        raise DatasetError(
            f"{where} declares {words} values, over the limit of {MAX_ELEMENTS:,} values and "
            f"{MAX_ARRAY_BYTES / 2**20:.0f} MB: cut it into smaller files."
        )


def check_inflation(inflated: int, stored: int, where: str) -> None:
    """Refuse a compressed part that would unpack to too much.

    Raises
    ------
    DatasetError
        If the unpacked size, or its ratio to the stored size, is over the limit.
    """
    too_much = inflated > MAX_ARRAY_BYTES + 65536  # a header comes with the array
    if too_much or (inflated > RATIO_FROM and inflated > MAX_RATIO * max(stored, 1)):
        raise DatasetError(
            f"{where} would unpack from {stored:,} to {inflated:,} bytes, over the limit: "
            "save it uncompressed or cut it into smaller files."
        )


def inflate(stored: memoryview, size: int) -> memoryview:
    """Unpack at most ``size`` bytes of a zlib stream, into one buffer.

    Asking zlib for all at once would hold the result twice while its pieces are joined.
    """
    unpacked = bytearray(size)
    machine, at = zlib.decompressobj(), 0
    for start in range(0, len(stored), _INFLATE_STEP):
        if at == size:
            break
        piece = machine.decompress(stored[start : start + _INFLATE_STEP], size - at)
        unpacked[at : at + len(piece)] = piece
        at += len(piece)
    return memoryview(unpacked)[:at]
