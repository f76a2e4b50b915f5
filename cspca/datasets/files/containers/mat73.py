"""MATLAB files of version 7.3, which are HDF5 files."""

from __future__ import annotations

import io
import math
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cspca.datasets.files import foreign
from cspca.datasets.files.containers.hdf5_parts import (
    dense,
    field_of,
    is_stored_here,
    matlab_class,
    refuse_layouts,
)
from cspca.datasets.files.containers.matlab import (
    DEEPEST,
    STRING,
    check_arrays,
    check_eeglab,
    fields_of_cells,
    not_read,
)
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Array, ArrayField, Parsed

if TYPE_CHECKING:
    import h5py


_OPAQUE: Final = frozenset(
    {"string", "table", "timetable", "categorical", "datetime", "duration", "containers.Map"}
)
_UNREAD: Final = frozenset({"function_handle", "object"})


def parse(content: bytes, watch: Watch) -> Parsed:
    """List the variables of a file, from memory.

    Nothing outside the file is followed: external links, external storage and virtual data sets
    could name any file of the server.
    """
    import h5py

    parsed = Parsed(watch.name, "MATLAB 7.3 file", order="column")
    # Open for as long as an array of it is needed.
    file = h5py.File(io.BytesIO(content), "r")
    refuse_layouts(file, watch.name)
    foreign.check_most(len(file), foreign.MAX_ARRAYS, "variables", watch.name)
    for variable in file:
        if not variable.startswith("#"):
            _add(parsed, file, variable, variable, depth=0)
    check_arrays(parsed)
    check_eeglab(parsed)
    return parsed


def _add(parsed: Parsed, group: h5py.Group, key: str, name: str, depth: int) -> None:
    """Add one variable, or the arrays that a struct or a cell array holds."""
    import h5py

    unread = partial(np.empty, 0)
    if not isinstance(group.get(key, getlink=True), h5py.HardLink):
        parsed.arrays.append(ArrayField(name, (), "link", unread))
        return
    member = group[key]
    class_name = matlab_class(member)
    if class_name in _OPAQUE:
        parsed.left_out.append(not_read(name, class_name))
        return
    if isinstance(member, h5py.Group):
        if "MATLAB_sparse" in member.attrs:
            shape = (int(member.attrs["MATLAB_sparse"]), max(0, len(member["jc"]) - 1))
            has_values = "data" in member
            load = partial(dense, member, shape, "csc", ("data", "ir", "jc"))
            parsed.arrays.append(ArrayField(name, shape, "double" if has_values else "", load))
        elif class_name == "struct" and depth < DEEPEST and len(member):
            foreign.check_most(len(member), foreign.MAX_ARRAYS, "variables", parsed.file)
            for part in member:
                _add(parsed, member, part, f"{name}.{part}", depth + 1)
        else:
            parsed.arrays.append(ArrayField(name, (), class_name or "struct", unread))
        return
    if not is_stored_here(member):
        parsed.arrays.append(ArrayField(name, (), "link", unread))
        return
    if "MATLAB_object_decode" in member.attrs:
        if class_name not in _UNREAD:
            parsed.left_out.append(not_read(name, class_name))
        return
    # HDF5 counts the sides of MATLAB's arrays backwards.
    sides: tuple[int, ...] = (member.shape or ())[:: -1 if class_name else 1]
    if "MATLAB_empty" in member.attrs:
        parsed.arrays.append(ArrayField(name, (0, 0), class_name, unread))
    elif class_name == "cell" and math.prod(sides) <= foreign.MAX_OBJECTS:
        cells = [_cell(member.file, reference) for reference in member[()].ravel()]
        parsed.arrays += fields_of_cells(name, sides, cells)
    elif depth and h5py.check_ref_dtype(member.dtype) and member.size <= foreign.MAX_OBJECTS:
        # A field of an array of structs: one word, or one array, a struct.
        cells = [_cell(member.file, reference) for reference in member[()].ravel()]
        columns = fields_of_cells(name, (len(cells),), cells)
        if len(columns) == 1 and columns[0].kind != "cell":
            parsed.arrays += columns
    elif class_name == "char":
        parsed.arrays.append(ArrayField(name, sides[:1], "char", partial(_text, member)))
    elif class_name and member.dtype.names:
        is_complex = member.dtype.names == ("real", "imag")
        parsed.arrays.append(ArrayField(name, sides, "complex" if is_complex else "", unread))
    elif class_name:
        parsed.arrays.append(ArrayField(name, sides, class_name, partial(_turned, member)))
    else:
        parsed.arrays.append(field_of(name, member))


def _turned(member: h5py.Dataset) -> Array:
    return np.asarray(member[()]).T


def _text(member: h5py.Dataset) -> Array:
    """One string a row, of UTF-16 codes."""
    rows = np.atleast_2d(np.asarray(member[()]).T).astype("<u2")
    return np.array([row.tobytes().decode("utf-16-le", "replace").rstrip() for row in rows])


def _cell(file: h5py.File, reference: Any) -> Any:
    """Return the text, the array or the `STRING` of a cell; None for what else is not read."""
    import h5py

    member = file[reference] if isinstance(reference, h5py.Reference) and reference else None
    if not isinstance(member, h5py.Dataset) or not is_stored_here(member):
        return None
    class_name = matlab_class(member)
    if "MATLAB_empty" in member.attrs:
        return "" if class_name == "char" else np.empty(0)
    if class_name == "char":
        rows = _text(member)
        return str(rows[0]) if len(rows) == 1 else None
    if class_name == "string":
        return STRING
    if class_name in ("cell", "struct") or "MATLAB_object_decode" in member.attrs:
        return None
    foreign.check_values(member.shape, "a cell array")
    return _turned(member)
