"""IDX files, as of MNIST and EMNIST: one array of whole numbers or floats, big-endian."""

from __future__ import annotations

import math
import re
import struct
import zlib
from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np

from cspca.datasets.files import foreign
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Array, ArrayField, Parsed
from cspca.datasets.record import DatasetError

_TYPES: Final = {8: "u1", 9: "i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}


def is_idx(content: bytes) -> bool:
    """Whether a file, or the one that it packs, begins with the mark of IDX."""
    head = content[:4]
    if content[:2] == b"\x1f\x8b":
        try:
            head = zlib.decompressobj(31).decompress(content[:4096], 4)
        except zlib.error:
            return False
    return len(head) == 4 and head[:2] == b"\0\0" and head[2] in _TYPES and 1 <= head[3] <= 4


def is_name(name: str) -> bool:
    """Whether a file is called as those of MNIST are."""
    return re.search(r"idx[1-4]|-ubyte|\.idx$", name.lower()) is not None


def parse(content: bytes, watch: Watch) -> Parsed:
    """Return the array of one file."""
    return parse_several([watch.name], [content], watch)


def parse_several(names: Sequence[str], contents: Sequence[bytes], watch: Watch) -> Parsed:
    """Return the arrays of files that came together, such as images and their labels."""
    fields = [
        _field(_title(name), content, name) for name, content in zip(names, contents, strict=True)
    ]
    parsed = Parsed(watch.name, "IDX file", arrays=fields)
    if any("emnist" in name.lower() for name in names):
        parsed.arrays = [_turned(field) for field in fields]
        parsed.notes.append("EMNIST keeps its pictures column by column: they are turned upright.")
    return parsed


def _turned(field: ArrayField) -> ArrayField:
    """Return pictures turned over their diagonal; other arrays as they are."""
    if len(field.shape) != 3:
        return field
    n_samples, rows, columns = field.shape
    turned = partial(lambda load: load().swapaxes(1, 2), field.load)
    return ArrayField(field.name, (n_samples, columns, rows), field.kind, turned)


def _title(name: str) -> str:
    """Name of the array: that of the file up to its mark."""
    stem = name.replace("\\", "/").rsplit("/", 1)[-1].lower().removesuffix(".gz")
    for mark in ("-idx1-ubyte", "-idx3-ubyte", "-idx2-ubyte", "-ubyte", ".idx"):
        stem = stem.split(mark, 1)[0]
    return stem.replace(".idx3", "").replace(".idx1", "")


def _field(title: str, content: bytes, name: str) -> ArrayField:
    if not is_idx(content):
        raise DatasetError(f"{name} is not an IDX file, whatever its name says: download it again.")
    if content[:2] == b"\x1f\x8b":
        content = foreign.gunzip(content, name)
    kind, n_sides = _TYPES[content[2]], content[3]
    start = 4 + 4 * n_sides
    if len(content) < start:
        raise foreign.damaged(name)
    shape = struct.unpack(f">{n_sides}I", content[4:start])
    foreign.check_values(shape, name)
    dtype = np.dtype(kind)
    n_bytes, promised = len(content) - start, math.prod(shape) * dtype.itemsize
    if promised and n_bytes > promised and n_bytes % promised == 0:
        sides = " × ".join(map(str, shape))
        raise DatasetError(
            f"{name} holds {n_bytes // promised} times as many values as its header says "
            f"({sides}), as colours that it does not name would: save the array with numpy.save."
        )
    if n_bytes != promised:
        raise foreign.damaged(name)
    return ArrayField(title, shape, dtype.name, partial(_values, content, dtype, shape, start))


def _values(
    content: bytes, dtype: np.dtype[np.generic], shape: tuple[int, ...], start: int
) -> Array:
    return np.frombuffer(content, dtype, offset=start).reshape(shape)
