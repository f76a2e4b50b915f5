"""MATLAB 7.3 files, which are HDF5: what is in them, and the values of one array.

Nothing outside the file is followed: external links, external storage and virtual data sets
could name any file of the server.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files import limits
from cspca.datasets.files.arrays import Field

Array = NDArray[Any]


def fields_of(content: bytes, name: str) -> list[Field]:
    """The variables of a file, from memory: there is no folder for links to start from."""
    file = h5py.File(io.BytesIO(content), "r")
    limits.check_arrays(len(file), "variables", name)
    return [_field(file, one, name) for one in file if not one.startswith("#")]


def _field(file: h5py.File, variable: str, name: str) -> Field:
    if not isinstance(file.get(variable, getlink=True), h5py.HardLink):
        return _unread(variable, "link")
    item = file[variable]
    matlab = item.attrs.get("MATLAB_class")
    known = matlab.decode("latin-1") if isinstance(matlab, bytes) else ""
    if not isinstance(item, h5py.Dataset):
        return _unread(variable, "sparse" if "MATLAB_sparse" in item.attrs else known or "struct")
    if item.is_virtual or item.external is not None:
        return _unread(variable, "link")
    dtype = item.dtype
    is_complex = dtype.names in (("real", "imag"), ("r", "i")) or dtype.kind == "c"
    kind = known or dtype.name
    shape = tuple(int(side) for side in item.shape or ())
    numeric = (dtype.kind in "fiub" and kind not in ("char", "cell")) or is_complex
    if "MATLAB_empty" in item.attrs:
        shape, numeric = (0, 0), dtype.kind in "fiub"
    textual = kind == "char" and dtype.kind == "u"
    return Field(
        name=variable,
        # HDF5 counts the axes of MATLAB's arrays backwards.
        shape=shape[::-1] if known else shape,
        kind=kind,
        numeric=numeric,
        textual=textual,
        read=_reader(item, bool(known), textual, f"{variable} in {name}"),
    )


def _reader(item: h5py.Dataset, turned: bool, textual: bool, where: str) -> Callable[[], Array]:
    def read() -> Array:
        limits.check_array(item.shape or (), max(8, item.dtype.itemsize), where)
        array: Array = np.asarray(item[()])
        if array.dtype.kind == "b":
            array = array.view(np.uint8)
        array = array.T if turned else array
        return _text(array) if textual else array

    return read


def _text(codes: Array) -> Array:
    """One string a row, of UTF-16 codes."""
    rows = np.atleast_2d(codes).astype("<u2")
    return np.array([row.tobytes().decode("utf-16-le", "replace").rstrip() for row in rows])


def _unread(variable: str, kind: str) -> Field:
    return Field(variable, (), kind, False, False, lambda: np.empty(0))
