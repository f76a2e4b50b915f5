"""MATLAB files of version 7.3, which are HDF5 files."""

from __future__ import annotations

import io
import math
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cspca.datasets.files import foreign
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Array, ArrayField, Parsed

if TYPE_CHECKING:
    import h5py

SIGNATURE: Final = b"\x89HDF\r\n\x1a\n"

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

    from cspca.datasets.files.containers.hdf5 import refuse_layouts
    from cspca.datasets.files.containers.mat import check_arrays

    parsed = Parsed(watch.name, "MATLAB 7.3 file", order="column")
    # Open for as long as an array of it is needed.
    file = h5py.File(io.BytesIO(content), "r")
    refuse_layouts(file, watch.name)
    foreign.check_most(len(file), foreign.MAX_ARRAYS, "variables", watch.name)
    for variable in file:
        if not variable.startswith("#"):
            _add(parsed, file, variable, variable, depth=0)
    check_arrays(parsed)
    return parsed


def matlab_class(item: Any) -> str:
    """Class that MATLAB notes with a variable; empty for what MATLAB did not write."""
    noted = item.attrs.get("MATLAB_class", b"")
    return noted.decode("latin1") if isinstance(noted, bytes) else str(noted)


def is_stored_here(item: h5py.Dataset) -> bool:
    """Whether the values of a data set lie in the file itself."""
    return not item.is_virtual and item.external is None


def _add(parsed: Parsed, group: h5py.Group, member: str, name: str, depth: int) -> None:
    """Add one variable, or the arrays that a struct or a cell array holds."""
    import h5py

    from cspca.datasets.files.containers.hdf5 import dense, field_of
    from cspca.datasets.files.containers.mat import DEEPEST, fields_of_cells, not_read

    unread = partial(np.empty, 0)
    if not isinstance(group.get(member, getlink=True), h5py.HardLink):
        parsed.arrays.append(ArrayField(name, (), "link", unread))
        return
    item = group[member]
    class_name = matlab_class(item)
    if isinstance(item, h5py.Group):
        if "MATLAB_sparse" in item.attrs:
            shape = (int(item.attrs["MATLAB_sparse"]), max(0, len(item["jc"]) - 1))
            has_values = "data" in item
            load = partial(dense, item, shape, "csc", ("data", "ir", "jc"))
            parsed.arrays.append(ArrayField(name, shape, "double" if has_values else "", load))
        elif class_name == "struct" and depth < DEEPEST and len(item):
            foreign.check_most(len(item), foreign.MAX_ARRAYS, "variables", parsed.file)
            for part in item:
                _add(parsed, item, part, f"{name}.{part}", depth + 1)
        else:
            parsed.arrays.append(ArrayField(name, (), class_name or "struct", unread))
        return
    if not is_stored_here(item):
        parsed.arrays.append(ArrayField(name, (), "link", unread))
        return
    if class_name in _OPAQUE or "MATLAB_object_decode" in item.attrs:
        if class_name not in _UNREAD:
            parsed.left_out.append(not_read(name, class_name))
        return
    # HDF5 counts the sides of MATLAB's arrays backwards.
    sides: tuple[int, ...] = (item.shape or ())[:: -1 if class_name else 1]
    if "MATLAB_empty" in item.attrs:
        parsed.arrays.append(ArrayField(name, (0, 0), class_name, unread))
    elif class_name == "cell" and math.prod(sides) <= foreign.MAX_OBJECTS:
        cells = [_cell(item.file, reference) for reference in item[()].ravel()]
        parsed.arrays += fields_of_cells(name, sides, cells)
    elif class_name == "char":
        parsed.arrays.append(ArrayField(name, sides[:1], "char", partial(_text, item)))
    elif class_name and item.dtype.names:
        is_complex = item.dtype.names == ("real", "imag")
        parsed.arrays.append(ArrayField(name, sides, "complex" if is_complex else "", unread))
    elif class_name:
        parsed.arrays.append(ArrayField(name, sides, class_name, partial(_turned, item)))
    else:
        parsed.arrays.append(field_of(name, item))


def _turned(item: h5py.Dataset) -> Array:
    return np.asarray(item[()]).T


def _text(item: h5py.Dataset) -> Array:
    """One string a row, of UTF-16 codes."""
    rows = np.atleast_2d(np.asarray(item[()]).T).astype("<u2")
    return np.array([row.tobytes().decode("utf-16-le", "replace").rstrip() for row in rows])


def _cell(file: h5py.File, reference: Any) -> Any:
    """Return the text or the array that a cell refers to; None for what is not read."""
    import h5py

    item = file[reference] if isinstance(reference, h5py.Reference) and reference else None
    if not isinstance(item, h5py.Dataset) or not is_stored_here(item):
        return None
    class_name = matlab_class(item)
    if "MATLAB_empty" in item.attrs:
        return "" if class_name == "char" else np.empty(0)
    if class_name == "char":
        rows = _text(item)
        return str(rows[0]) if len(rows) == 1 else None
    if class_name in ("cell", "struct") or "MATLAB_object_decode" in item.attrs:
        return None
    foreign.check_values(item.shape, "a cell array")
    return _turned(item)
