"""MATLAB files of version 5 to 7.3."""

from __future__ import annotations

import io
from functools import partial

import numpy as np
from scipy.io import loadmat, whosmat

from cspca.datasets.files import foreign
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Array, ArrayField, Parsed
from cspca.datasets.record import DatasetError


def parse(content: bytes, watch: Watch) -> Parsed:
    """List the variables; pixels are stored column by column by custom, as MATLAB does."""
    name = watch.name
    if content[:10] == b"MATLAB 7.3" or b"\x89HDF\r\n\x1a\n" in content[:520]:
        fields, format = fields_of_hdf5(content, name), "MATLAB 7.3 file"
    elif content.startswith(b"MATLAB 5.0"):
        fields, format = fields_of_5(content, name), "MATLAB file"
    else:
        raise DatasetError(
            f"{name} is not a MATLAB file of version 5 to 7.3, whatever its name says: save it in "
            "MATLAB with save('…', '-v7')."
        )
    if not fields:
        raise DatasetError(
            f"{name} holds no variables: save the samples as X or fea and their labels as y or gnd."
        )
    return Parsed(name, format, arrays=fields, order="column")


def fields_of_5(content: bytes, name: str) -> list[ArrayField]:
    """The variables of a file of version 5."""

    def values(variable: str, kind: str) -> Array:
        stream = io.BytesIO(content)
        array: Array = loadmat(stream, variable_names=[variable])[variable]  # type: ignore[arg-type]
        return np.char.rstrip(np.atleast_1d(array)) if kind == "char" else array

    variables = whosmat(io.BytesIO(content))  # type: ignore[arg-type]
    foreign.check_most(len(variables), foreign.MAX_ARRAYS, "variables", name)
    return [
        ArrayField(variable, shape, kind, partial(values, variable, kind))
        for variable, shape, kind in variables
        if not variable.startswith("__")
    ]


def fields_of_hdf5(content: bytes, name: str) -> list[ArrayField]:
    """The variables of a file of version 7.3, from memory.

    Nothing outside the file is followed: external links, external storage and virtual data sets
    could name any file of the server.
    """
    import h5py

    def values(item: h5py.Dataset, matlab_class: str) -> Array:
        array: Array = np.asarray(item[()])
        array = array.T if matlab_class else array
        if matlab_class != "char":
            return array
        # One string a row, of UTF-16 codes.
        rows = np.atleast_2d(array).astype("<u2")
        return np.array([row.tobytes().decode("utf-16-le", "replace").rstrip() for row in rows])

    file = h5py.File(io.BytesIO(content), "r")
    foreign.check_most(len(file), foreign.MAX_ARRAYS, "variables", name)
    fields = []
    for variable in file:
        shape: tuple[int, ...] = ()
        kind, load = "link", partial(np.empty, 0)
        inside = isinstance(file.get(variable, getlink=True), h5py.HardLink)
        item = file[variable] if inside else None
        matlab_class = (
            "" if item is None else np.bytes_(item.attrs.get("MATLAB_class", "")).decode()
        )
        if isinstance(item, h5py.Group):
            kind = "sparse" if "MATLAB_sparse" in item.attrs else matlab_class or "struct"
        elif item is not None and not item.is_virtual and item.external is None:
            kind, shape = matlab_class or item.dtype.name, (0, 0)
            if "MATLAB_empty" not in item.attrs:
                # HDF5 counts the axes of MATLAB's arrays backwards.
                shape = (item.shape or ())[:: -1 if matlab_class else 1]
                load = partial(values, item, matlab_class)
        if not variable.startswith("#"):
            fields.append(ArrayField(variable, shape, kind, load))
    return fields
