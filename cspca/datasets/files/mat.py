"""MATLAB files: ``fea/gnd``, ``X/Y``, ``features/Label``, train/test pairs; versions 5 to 7.3."""

from __future__ import annotations

import io
from functools import partial

import numpy as np
from scipy.io import loadmat, whosmat

from cspca.datasets.files import foreign
from cspca.datasets.files.arrays import Field, find_arrays
from cspca.datasets.files.assemble import Found
from cspca.datasets.files.choices import ReadChoices
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.guesses import Array
from cspca.datasets.record import DatasetError


def read(content: bytes, choices: ReadChoices, watch: Watch) -> Found:
    """Find images and labels; pixels are taken as stored column by column, as MATLAB does."""
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
    return find_arrays(fields, format, "column", choices, watch)


def fields_of_5(content: bytes, name: str) -> list[Field]:
    """The variables of a file of version 5."""

    def values(variable: str, kind: str) -> Array:
        stream = io.BytesIO(content)
        array: Array = loadmat(stream, variable_names=[variable])[variable]  # type: ignore[arg-type]
        return np.char.rstrip(np.atleast_1d(array)) if kind == "char" else array

    found = whosmat(io.BytesIO(content))  # type: ignore[arg-type]
    foreign.check_most(len(found), foreign.MAX_ARRAYS, "variables", name)
    found = [one for one in found if not one[0].startswith("__")]
    return [Field(*one, partial(values, one[0], one[2])) for one in found]


def fields_of_hdf5(content: bytes, name: str) -> list[Field]:
    """The variables of a file of version 7.3, from memory.

    Nothing outside the file is followed: external links, external storage and virtual data sets
    could name any file of the server.
    """
    import h5py

    def values(item: h5py.Dataset, known: str) -> Array:
        array: Array = np.asarray(item[()])
        array = array.T if known else array
        if known != "char":
            return array
        # One string a row, of UTF-16 codes.
        rows = np.atleast_2d(array).astype("<u2")
        return np.array([row.tobytes().decode("utf-16-le", "replace").rstrip() for row in rows])

    file = h5py.File(io.BytesIO(content), "r")
    foreign.check_most(len(file), foreign.MAX_ARRAYS, "variables", name)
    fields = []
    for variable in file:
        shape: tuple[int, ...] = ()
        kind, read = "link", partial(np.empty, 0)
        inside = isinstance(file.get(variable, getlink=True), h5py.HardLink)
        item = file[variable] if inside else None
        known = "" if item is None else np.bytes_(item.attrs.get("MATLAB_class", "")).decode()
        if isinstance(item, h5py.Group):
            kind = "sparse" if "MATLAB_sparse" in item.attrs else known or "struct"
        elif item is not None and not item.is_virtual and item.external is None:
            kind, shape = known or item.dtype.name, (0, 0)
            if "MATLAB_empty" not in item.attrs:
                # HDF5 counts the axes of MATLAB's arrays backwards.
                shape = (item.shape or ())[:: -1 if known else 1]
                read = partial(values, item, known)
        if not variable.startswith("#"):
            fields.append(Field(variable, shape, kind, read))
    return fields
