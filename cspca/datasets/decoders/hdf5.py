"""MATLAB 7.3 files, which are HDF5: what is in them, and the values of one array at a time.

Nothing outside the file is followed: external links, external storage and virtual data sets
could name any file of the server.
"""

from __future__ import annotations

import io
import math
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from cspca.datasets.decoders.frames import Header
from cspca.datasets.decoders.tasks import Answer, RefusedError

_MOST_VARIABLES = 1000
_BYTES_AT_ONCE = 2**24


class Hdf5:
    """One open file."""

    def __init__(self) -> None:
        self._file: h5py.File | None = None
        self._left: list[tuple[slice, ...]] = []
        self._reading: h5py.Dataset | None = None

    def do(self, header: Header, payload: bytearray) -> Answer:
        """Answer ``hdf5 open`` (with the file), ``hdf5 read`` (a name), ``hdf5 more``."""
        what = header["do"]
        if what == "hdf5 open":
            # From memory: nothing is written, and there is no folder for links to start from.
            self._file = h5py.File(io.BytesIO(payload), "r")
            return {"variables": self._list()}, b""
        if what == "hdf5 read":
            return self._read(str(header["name"]), int(header["most"])), b""
        if what == "hdf5 more":
            return self._more()
        raise RefusedError("asks for what nobody does")

    def _list(self) -> list[Header]:
        file = self._open
        if len(file) > _MOST_VARIABLES:
            raise RefusedError(f"holds {len(file)} variables, over the limit of {_MOST_VARIABLES}")
        return [_describe(file, name) for name in file if not name.startswith("#")]

    def _read(self, name: str, most: int) -> Header:
        dataset = self._open[name]
        if not isinstance(dataset, h5py.Dataset) or _where(dataset) != "here":
            raise RefusedError("holds no such array")
        shape = tuple(int(side) for side in dataset.shape or ())
        if math.prod(shape) * dataset.dtype.itemsize > most:
            raise RefusedError("declares too many values")
        self._reading, self._left = dataset, _slabs(shape, dataset)
        return {"shape": shape, "dtype": _plain(dataset.dtype).str, "parts": len(self._left)}

    def _more(self) -> Answer:
        if self._reading is None or not self._left:
            raise RefusedError("has no more to read")
        part: NDArray[Any] = np.asarray(self._reading[self._left.pop(0)])
        part = np.ascontiguousarray(part.astype(_plain(part.dtype), copy=False))
        return {}, part.reshape(-1).view(np.uint8).data

    @property
    def _open(self) -> h5py.File:
        if self._file is None:
            raise RefusedError("is not open")
        return self._file


def _describe(file: h5py.File, name: str) -> Header:
    if not isinstance(file.get(name, getlink=True), h5py.HardLink):
        return _variable(name, "link")
    item = file[name]
    matlab = item.attrs.get("MATLAB_class")
    known = matlab.decode("latin-1") if isinstance(matlab, bytes) else ""
    if not isinstance(item, h5py.Dataset):
        return _variable(name, "sparse" if "MATLAB_sparse" in item.attrs else known or "struct")
    if _where(item) != "here":
        return _variable(name, "link")
    dtype = item.dtype
    is_complex = dtype.names in (("real", "imag"), ("r", "i")) or dtype.kind == "c"
    kind = known or dtype.name
    if "MATLAB_empty" in item.attrs:
        return _variable(name, kind, (0, 0), numeric=dtype.kind in "fiub", matlab=bool(known))
    return _variable(
        name,
        kind,
        tuple(int(side) for side in item.shape or ()),
        numeric=(dtype.kind in "fiub" and kind not in ("char", "cell")) or is_complex,
        textual=kind == "char" and dtype.kind == "u",
        is_complex=is_complex,
        matlab=bool(known),
    )


def _variable(
    name: str,
    kind: str,
    shape: tuple[int, ...] = (),
    *,
    numeric: bool = False,
    textual: bool = False,
    is_complex: bool = False,
    matlab: bool = False,
) -> Header:
    return {
        "name": name,
        "kind": kind,
        "shape": shape,
        "numeric": numeric,
        "textual": textual,
        "is_complex": is_complex,
        "matlab": matlab,
    }


def _where(dataset: h5py.Dataset) -> str:
    """Say whether the values are in the file itself."""
    elsewhere = dataset.is_virtual or dataset.external is not None
    return "elsewhere" if elsewhere else "here"


def _plain(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype in which values travel: as they are, truth values as bytes."""
    if dtype.kind == "b":
        return np.dtype(np.uint8)
    if dtype.kind not in "fiu":
        raise RefusedError("holds values that are not numbers")
    return dtype


def _slabs(shape: tuple[int, ...], dataset: h5py.Dataset) -> list[tuple[slice, ...]]:
    """Cut along the first axis, so that a large array is never held as a whole here."""
    if not shape:
        return [()]
    row = max(1, math.prod(shape[1:]) * dataset.dtype.itemsize)
    step = max(1, _BYTES_AT_ONCE // row)
    if dataset.chunks:
        # Whole chunks: each would otherwise be unpacked again for every slab that touches it.
        step = -(-step // dataset.chunks[0]) * dataset.chunks[0]
    return [(slice(start, start + step),) for start in range(0, shape[0], step)]
