"""MATLAB files: ``fea/gnd``, ``X/Y``, ``features/Label``, train/test pairs; versions 5 to 7.3."""

from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.io import loadmat, whosmat

from cspca.datasets.files import limits
from cspca.datasets.files.arrays import Field, NamedArrays
from cspca.datasets.files.limits import Watch
from cspca.datasets.record import DatasetError

_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_HDF5 = b"\x89HDF\r\n\x1a\n"
_BYTES = {
    "double": 8, "single": 4, "logical": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2,
    "int32": 4, "uint32": 4, "int64": 8, "uint64": 8,
}  # fmt: skip


def open(content: bytes, name: str, watch: Watch) -> NamedArrays:
    """Open a MATLAB file; pixels are taken as stored column by column, as MATLAB does."""
    if content[:10] == b"MATLAB 7.3" or _HDF5 in content[:520]:
        from cspca.datasets.files.mat73 import fields_of

        return NamedArrays(fields_of(content, name), "MATLAB 7.3 file", "column")
    if len(content) < _HEADER or not content.startswith(b"MATLAB 5.0"):
        raise DatasetError(
            f"{name} is not a MATLAB file of version 5 to 7.3, whatever its name says: save it in "
            "MATLAB with save('…', '-v7')."
        )
    if content[126:128] not in (b"IM", b"MI"):
        raise DatasetError(f"{name} has a damaged MATLAB header: copy or download it again.")
    stored = _stored(content, name)
    limits.check_arrays(len(stored), "variables", name)
    stream = io.BytesIO(content)
    found = whosmat(stream)  # type: ignore[arg-type]
    # One element a variable; where they do not agree, the whole file is what was stored.
    sizes = stored if len(stored) == len(found) else [len(content)] * len(found)
    return NamedArrays(
        [
            _field(stream, *variable, size, name)
            for variable, size in zip(found, sizes, strict=True)
            if not variable[0].startswith("__")
        ],
        "MATLAB file",
        "column",
    )


def _stored(content: bytes, name: str) -> list[int]:
    """Stored bytes of every element: cheap to count, before anything is believed."""
    order = "little" if content[126:128] == b"IM" else "big"
    sizes, at = [], _HEADER
    while at < len(content):
        kind = int.from_bytes(content[at : at + 4], order)  # type: ignore[arg-type]
        size = int.from_bytes(content[at + 4 : at + 8], order)  # type: ignore[arg-type]
        at += 8 + size
        if at > len(content):
            raise DatasetError(f"{name} is cut short: copy or download it again.")
        if kind not in (_MATRIX, _COMPRESSED):
            raise limits.damaged(name)
        sizes.append(size)
    return sizes


def _field(
    stream: io.BytesIO, variable: str, shape: tuple[int, ...], kind: str, stored: int, name: str
) -> Field:
    where = f"{variable} in {name}"

    def read() -> NDArray[Any]:
        size = _BYTES.get(kind, 4)
        limits.check_array(shape, size, where)
        limits.check_inflation(int(np.prod(shape, dtype=float)) * size, stored, where)
        stream.seek(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            array: NDArray[Any] = loadmat(
                stream,  # type: ignore[arg-type]
                variable_names=[variable],
            )[variable]
        if kind == "char":
            return np.char.rstrip(np.atleast_1d(array))
        return array

    return Field(
        name=variable,
        shape=() if kind in ("opaque", "unknown") else shape,
        kind=kind,
        numeric=kind in _BYTES,
        textual=kind == "char",
        read=read,
    )
