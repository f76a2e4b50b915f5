"""MATLAB files of version 4 to 7; those of 7.3 are read by `mat73`.

Variables are listed by their tags alone. SciPy lists none of a file that holds a string, a table
or a categorical array, since these have no size.
"""

from __future__ import annotations

import io
import math
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from scipy.io import loadmat, whosmat

from cspca.datasets.files import foreign
from cspca.datasets.files.containers import mat73
from cspca.datasets.files.containers.hdf5_parts import SIGNATURE
from cspca.datasets.files.containers.matlab import (
    DEEPEST,
    check_arrays,
    check_eeglab,
    fields_of_cells,
    not_read,
)
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import ArrayField, Parsed
from cspca.datasets.record import DatasetError

_MATRIX: Final = 14
_COMPRESSED: Final = 15
_CLASSES: Final = {
    1: "cell", 2: "struct", 3: "object", 4: "char", 5: "sparse", 6: "double", 7: "single",
    8: "int8", 9: "uint8", 10: "int16", 11: "uint16", 12: "int32", 13: "uint32", 14: "int64",
    15: "uint64", 16: "function", 17: "opaque", 18: "object",
}  # fmt: skip
_COMPLEX: Final = 0x800
_LOGICAL: Final = 0x200
_HEAD: Final = 4096
"""Bytes of a variable in which its tags lie, however long its name."""


@dataclass(frozen=True)
class Variable:
    """What the tags of a variable say."""

    name: str
    shape: tuple[int, ...]
    kind: str
    class_name: str = ""


def parse(content: bytes, watch: Watch) -> Parsed:
    """List the variables; pixels are stored column by column by custom, as MATLAB does."""
    name = watch.name
    parsed = Parsed(name, "MATLAB file", order="column")
    if content.startswith(b"MATLAB 7.3") or SIGNATURE in content[:520]:
        return mat73.parse(content, watch)
    if content.startswith(b"MATLAB 5.0"):
        variables = list(_variables_of_5(content, name))
    elif _is_version_4(content):
        listed = whosmat(io.BytesIO(content))  # type: ignore[arg-type]
        variables = [Variable(*entry) for entry in listed]
    else:
        raise DatasetError(
            f"{name} is not a MATLAB file of version 4 to 7.3, whatever its name says: save it in "
            "MATLAB or Octave with save -v7."
        )
    foreign.check_most(len(variables), foreign.MAX_ARRAYS, "variables", name)
    for variable in variables:
        if variable.kind == "opaque":
            parsed.left_out.append(not_read(variable.name, variable.class_name))
        elif variable.name and not variable.name.startswith("__"):
            parsed.arrays += _fields(content, variable, name)
    check_arrays(parsed)
    check_eeglab(parsed)
    return parsed


def _is_version_4(content: bytes) -> bool:
    """Whether a file begins with five numbers as a variable of version 4 does."""
    for order in "<>":
        try:
            kind, rows, columns, imaginary, length = struct.unpack(order + "5i", content[:20])
        except struct.error:
            return False
        precision, matrix = kind // 10 % 10, kind % 10
        is_kind = kind // 1000 in (0, 1) and kind // 100 % 10 == 0 and precision <= 5
        if is_kind and matrix <= 2 and rows >= 0 <= columns and imaginary in (0, 1):
            name = content[20 : 20 + length]
            return 1 < length <= 64 and name.endswith(b"\0") and name[:1].isalpha()
    return False


def _variables_of_5(content: bytes, file: str) -> Iterator[Variable]:
    """Yield what the tags of each variable say."""
    order = "<" if content[126:128] == b"IM" else ">"
    place = 128
    while place + 8 <= len(content):
        kind, length = struct.unpack(order + "II", content[place : place + 8])
        if kind not in (_MATRIX, _COMPRESSED) or place + 8 + length > len(content):
            raise foreign.damaged(file)
        head = content[place + 8 : place + 8 + min(length, _HEAD)]
        if kind == _COMPRESSED:
            head = zlib.decompressobj().decompress(head, _HEAD)[8:]
        yield _variable(head, order, file)
        place += 8 + length


def _variable(head: bytes, order: str, file: str) -> Variable:
    """Read the tags of one variable: flags, sides, name; an opaque one has names instead."""
    place = 0

    def element() -> bytes:
        nonlocal place
        if place + 8 > len(head):
            return b""
        kind, length = struct.unpack(order + "II", head[place : place + 8])
        if kind >> 16:  # a small one lies in its tag
            value = head[place + 4 : place + 4 + min(kind >> 16, 4)]
            place += 8
            return value
        value = head[place + 8 : place + 8 + length]
        place += 8 + length + -length % 8
        return value

    first = element()
    if len(first) < 8:
        raise foreign.damaged(file)
    flags = struct.unpack(order + "I", first[:4])[0]
    kind = _CLASSES.get(flags & 0xFF, "object")
    if kind == "opaque":
        name, _, class_name = (element().decode("latin1") for _ in range(3))
        return Variable(name, (), kind, class_name)
    sides = element()
    shape = struct.unpack(f"{order}{len(sides) // 4}i", sides[: len(sides) // 4 * 4])
    if flags & _COMPLEX:
        kind = "complex"
    elif flags & _LOGICAL and kind != "sparse":
        kind = "logical"
    return Variable(element().decode("latin1"), shape, kind)


def _fields(content: bytes, variable: Variable, file: str) -> list[ArrayField]:
    """Return a variable as one array, or as those that a struct or a cell array holds."""
    name, shape, kind = variable.name, variable.shape, variable.kind

    def load() -> Any:
        stream = io.BytesIO(content)
        return loadmat(stream, variable_names=[name])[name]  # type: ignore[arg-type]

    if kind in ("cell", "struct") and math.prod(shape) <= foreign.MAX_OBJECTS:
        return _opened(name, load(), kind)
    if kind == "char":
        rows = shape[:1] if shape else (1,)
        return [ArrayField(name, rows, kind, lambda: np.char.rstrip(np.atleast_1d(load())))]
    if kind == "sparse":
        return [ArrayField(name, shape, "double", lambda: load().toarray())]
    return [ArrayField(name, shape, kind, load)]


def _opened(name: str, value: Any, kind: str, depth: int = 0) -> list[ArrayField]:
    """Return the arrays within a struct or a cell array that was read."""
    if kind == "struct":
        names = getattr(getattr(value, "dtype", None), "names", None) or ()
        unread = [ArrayField(name, np.shape(value), "struct", partial(np.empty, 0))]
        if not names or depth >= DEEPEST or not getattr(value, "size", 0):
            return unread
        if value.size > 1:
            return _of_struct_array(name, value, names) or unread
        only = value.ravel()[0]
        return [
            field for part in names for field in _of_value(f"{name}.{part}", only[part], depth + 1)
        ]
    cells = list(value.ravel(order="F"))
    return fields_of_cells(name, np.shape(value), [_plain_cell(cell) for cell in cells])


def _of_struct_array(name: str, value: Any, parts: Sequence[str]) -> list[ArrayField]:
    """Return each field of an array of structs that has one word, or one array, a struct."""
    foreign.check_most(value.size, foreign.MAX_OBJECTS, "structs", name)
    structs = list(value.ravel(order="F"))
    fields: list[ArrayField] = []
    for part in parts:
        cells = [_plain_cell(struct[part]) for struct in structs]
        if any(cell is None for cell in cells):
            continue
        columns = fields_of_cells(f"{name}.{part}", (len(cells),), cells)
        if len(columns) == 1 and columns[0].kind != "cell":
            fields += columns
    return fields


def _of_value(name: str, value: Any, depth: int) -> list[ArrayField]:
    array = np.asarray(value) if not hasattr(value, "toarray") else value
    dtype = array.dtype
    if hasattr(array, "toarray"):
        return [ArrayField(name, array.shape, "double", array.toarray)]
    if dtype.names:
        return _opened(name, array, "struct", depth)
    if dtype.kind == "O":
        return _opened(name, array, "cell", depth)
    if dtype.kind == "U":
        words = np.char.rstrip(np.atleast_1d(array))
        return [ArrayField(name, words.shape, "char", lambda: words)]
    return [ArrayField(name, array.shape, dtype.name, lambda: array)]


def _plain_cell(cell: Any) -> Any:
    """Return the text of a cell, its array, or None for what is neither."""
    if not isinstance(cell, np.ndarray) or cell.dtype.names or cell.dtype.kind == "O":
        return None
    if cell.dtype.kind == "U":
        return str(cell.ravel()[0]) if cell.size == 1 else "" if not cell.size else None
    return cell
