"""The MATLAB 5 file format, as much of it as full arrays of numbers and text need.

SciPy's reader is not used because a damaged file can crash the whole process in its compiled
part; here every size is checked in Python before it is believed.
Source: MathWorks, *MAT-File Format*, chapter 1 (level 5).
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.readers.limits import check_array, check_inflation, inflate
from cspca.datasets.record import DatasetError

NUMBERS = frozenset(
    {
        "double", "single", "logical",
        "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
    }
)  # fmt: skip
"""Kinds of variable that are full arrays of real or complex numbers."""

_Endian = Literal["little", "big"]
_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
# Enough to hold the flags, the size and the name of a variable.
_PREFIX = 4096
_KINDS = {
    1: "cell", 2: "struct", 3: "object", 4: "char", 5: "sparse", 6: "double", 7: "single",
    8: "int8", 9: "uint8", 10: "int16", 11: "uint16", 12: "int32", 13: "uint32", 14: "int64",
    15: "uint64", 16: "function", 17: "opaque",
}  # fmt: skip
_STORED = {
    1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8",
}  # fmt: skip
_BYTES = {
    "single": 4, "logical": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4,
    "uint32": 4,
}  # fmt: skip
_TEXT = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}


@dataclass(frozen=True)
class Variable:
    """One variable of a file, known by its header only until it is read."""

    name: str
    shape: tuple[int, ...]
    kind: str
    is_complex: bool
    file: str
    endian: _Endian
    start: int  # where its values begin in the unpacked element
    size: int  # bytes of the unpacked element
    stored: memoryview
    compressed: bool

    def read(self) -> NDArray[Any]:
        """Return the values; text comes as one string a row.

        Raises
        ------
        DatasetError
            If the size is over the limit, or does not fit what is stored.
        """
        where = f"{self.name} in {self.file}"
        check_array(self.shape, _BYTES.get(self.kind, 8), where)
        content = self.stored
        if self.compressed:
            check_inflation(self.size, len(self.stored), where)
            content = inflate(self.stored, self.size)
        kind, values, _ = _element(content[: self.size], self.start, self.endian, self.file)
        if self.kind == "char":
            return self._text(kind, values)
        if kind not in _STORED:
            raise _damaged(self.file)
        dtype = np.dtype(_STORED[kind]).newbyteorder("<" if self.endian == "little" else ">")
        if len(values) != math.prod(self.shape) * dtype.itemsize:
            raise _damaged(self.file)
        flat = np.frombuffer(values, dtype=dtype).astype(dtype.newbyteorder("="), copy=False)
        return flat.reshape(self.shape, order="F")

    def _text(self, kind: int, values: memoryview) -> NDArray[Any]:
        if kind not in _TEXT or len(self.shape) != 2:
            raise _damaged(self.file)
        coding = _TEXT[kind]
        if coding.startswith("utf-") and coding != "utf-8":
            coding += "-le" if self.endian == "little" else "-be"
        letters = list(bytes(values).decode(coding, "replace"))
        rows, columns = self.shape
        if len(letters) != rows * columns:
            raise _damaged(self.file)
        # Column by column, as everything in MATLAB.
        return np.array(["".join(letters[row::rows]).rstrip() for row in range(rows)], dtype=str)


def list_variables(content: bytes, file: str) -> list[Variable]:
    """Read the header of every variable, unpacking no more of each than that takes.

    Parameters
    ----------
    content : bytes of the whole file, whose first 128 are known to be a level 5 header.
    file : str
        Name used in messages.

    Raises
    ------
    DatasetError
        If the file is cut short or damaged.
    """
    endian: _Endian = "little" if content[126:128] == b"IM" else "big"
    return [
        variable
        for kind, stored in _walk(content, endian, file)
        if (variable := _read_header(kind, stored, endian, file)).name
    ]


def _walk(content: bytes, endian: _Endian, file: str) -> Iterator[tuple[int, memoryview]]:
    view, at = memoryview(content), _HEADER
    while at < len(content):
        kind, size = _two_numbers(view[at : at + 8], endian, file)
        if at + 8 + size > len(content):
            raise _cut(file)
        if kind == _COMPRESSED:
            yield kind, view[at + 8 : at + 8 + size]
        elif kind == _MATRIX:
            yield kind, view[at : at + 8 + size]
        else:
            raise _damaged(file)
        at += 8 + size


def _read_header(kind: int, stored: memoryview, endian: _Endian, file: str) -> Variable:
    compressed = kind == _COMPRESSED
    head = memoryview(zlib.decompressobj().decompress(stored, _PREFIX)) if compressed else stored
    inner, size = _two_numbers(head[:8], endian, file)
    if inner != _MATRIX:
        raise _damaged(file)
    _, flags, at = _element(head, 8, endian, file)
    _, sides, at = _element(head, at, endian, file)
    _, name, at = _element(head, at, endian, file)
    if len(flags) != 8 or len(sides) % 4 or len(sides) < 8:
        raise _damaged(file)
    flag = int.from_bytes(flags[:4], endian)
    class_name = _KINDS.get(flag & 0xFF, "opaque")
    if class_name == "opaque":  # it has a name and no size where others have theirs
        sides = memoryview(b"")
    return Variable(
        name=bytes(name).decode("latin-1"),
        shape=tuple(
            int.from_bytes(sides[i : i + 4], endian, signed=True) for i in range(0, len(sides), 4)
        ),
        kind="logical" if flag & 0x0200 else class_name,
        is_complex=bool(flag & 0x0800),
        file=file,
        endian=endian,
        start=at,
        size=8 + size,
        stored=stored,
        compressed=compressed,
    )


def _element(
    content: memoryview, at: int, endian: _Endian, file: str
) -> tuple[int, memoryview, int]:
    """Return (type, bytes, where the next element begins) of the element at ``at``."""
    kind, size = _two_numbers(content[at : at + 8], endian, file)
    if kind >> 16:  # four bytes or fewer, packed into the tag itself
        kind, size = kind & 0xFFFF, kind >> 16
        start, after = at + 4, at + 8
        if size > 4:
            raise _damaged(file)
    else:
        start = at + 8
        after = start + size + -size % 8
    if start + size > len(content):
        raise _cut(file)
    return kind, content[start : start + size], after


def _two_numbers(tag: memoryview, endian: _Endian, file: str) -> tuple[int, int]:
    if len(tag) < 8:
        raise _cut(file)
    return int.from_bytes(tag[:4], endian), int.from_bytes(tag[4:8], endian)


def _cut(file: str) -> DatasetError:
    return DatasetError(f"{file} is cut short: copy or download it again.")


def _damaged(file: str) -> DatasetError:
    return DatasetError(f"{file} is damaged and cannot be read: copy, download or save it again.")
