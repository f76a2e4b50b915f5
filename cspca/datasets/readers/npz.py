"""NumPy's own formats, `.npy` and `.npz`; nothing pickled is ever opened."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.readers import limits
from cspca.datasets.readers.arrays import DATA_NAMES, LABEL_NAMES, Field, NamedArrays
from cspca.datasets.readers.choices import Contents
from cspca.datasets.readers.watch import Watch
from cspca.datasets.record import DatasetError

_MAX_MEMBERS = 1000
_NPY_MAGIC = b"\x93NUMPY"
_STEP = 2**20
_WANTED = "X, data or images"
_ADVICE = "name the array of images X"
_DATA_NAMES = tuple(dict.fromkeys(("x", "data", "images", *DATA_NAMES)))


@dataclass(frozen=True)
class _Header:
    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[Any]


def open_npy(content: bytes, name: str, watch: Watch) -> Contents:
    """Open a file of one array of images; no labels.

    Parameters
    ----------
    content : bytes
    name : str
        Name used in messages.
    watch : Watch
    """
    if not content.startswith(_NPY_MAGIC):
        raise DatasetError(
            f"{name} is not a NumPy array file{_pickle_hint(content)}: save it with numpy.save."
        )
    field = _field("the array", lambda: io.BytesIO(content), len(content), name)
    return NamedArrays([field], "NumPy array file", "row")


def open_npz(content: bytes, name: str, watch: Watch) -> Contents:
    """Open an archive of arrays: images (X, data or images) and labels (y, target or labels).

    Parameters
    ----------
    content : bytes
    name : str
        Name used in messages.
    watch : Watch
    """
    if content.count(b"PK\x01\x02") > limits.MAX_ENTRIES:
        raise DatasetError(
            f"{name} holds more than {_MAX_MEMBERS:,} arrays: save only the "
            "images and their labels."
        )
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise DatasetError(
            f"{name} is not a whole .npz archive{_pickle_hint(content)}: save it again with "
            "numpy.savez."
        ) from error
    members = {
        info.filename.removesuffix(".npy"): info
        for info in archive.infolist()
        if info.filename.endswith(".npy")
    }
    if len(members) > _MAX_MEMBERS:
        raise DatasetError(
            f"{name} holds {len(members)} arrays, over the limit of {_MAX_MEMBERS}: save only the "
            "images and their labels."
        )
    if not members:
        raise DatasetError(f"{name} holds no arrays: {_ADVICE}.")
    fields = []
    for member, info in members.items():
        where = f"{member} in {name}"
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise DatasetError(
                f"{where} is packed in a way that is not read here: save it again with numpy.savez."
            )
        limits.check_inflation(info.file_size, info.compress_size, where)
        fields.append(_field(member, _opener(archive, info), info.file_size, where))
    return NamedArrays(fields, "NumPy archive", "row", _DATA_NAMES, LABEL_NAMES, _WANTED, _ADVICE)


def _opener(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    return lambda: archive.open(info)


def _field(name: str, opened: Callable[[], IO[bytes]], size: int, where: str) -> Field:
    """Look at the header of an array; what is wrong with it is said only if it is wanted."""
    try:
        with opened() as stream:
            header = _read_header(stream, size, where)
    except DatasetError as error:
        return _unusable(name, str(error))
    # NumPy and zipfile raise anything on a damaged header.
    except Exception:  # noqa: BLE001
        return _unusable(
            name, f"{where} is damaged and cannot be read: copy, download or save it again."
        )

    def read() -> NDArray[Any]:
        with opened() as stream:
            return _read_array(stream, size, where)

    kind = header.dtype.kind
    return Field(
        name=name,
        shape=header.shape,
        kind="text" if kind in "US" else header.dtype.name,
        numeric=kind in "fiubc",
        textual=kind in "US",
        is_complex=kind == "c",
        read=read,
    )


def _unusable(name: str, problem: str) -> Field:
    return Field(name, (), "damaged", False, False, False, lambda: np.empty(0), problem)


def _read_header(stream: IO[bytes], size: int, where: str) -> _Header:
    """Read the header of an array, and check that it is honest and small enough."""
    version = np.lib.format.read_magic(stream)
    if version == (1, 0):
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
        header = 10
    elif version in ((2, 0), (3, 0)):
        shape, fortran, dtype = np.lib.format.read_array_header_2_0(stream)
        header = 12
    else:
        raise DatasetError(f"{where} is of an unknown .npy version: save it with numpy.save.")
    if dtype.hasobject:
        raise DatasetError(
            f"{where} holds pickled Python objects, which are never opened here: save plain "
            "numbers."
        )
    if dtype.kind not in "fiubcUS":
        raise DatasetError(f"{where} holds {dtype.name}, not numbers: save plain numbers.")
    limits.check_array(shape, dtype.itemsize, where)
    count = math.prod(shape)
    if count * dtype.itemsize + header > size:
        raise DatasetError(f"{where} is cut short: copy or download it again.")
    return _Header(shape, fortran, dtype)


def _read_array(stream: IO[bytes], size: int, where: str) -> NDArray[Any]:
    header = _read_header(stream, size, where)
    array = np.empty(math.prod(header.shape), dtype=header.dtype)
    into = array.view(np.uint8).data if array.nbytes else memoryview(b"")
    at = 0
    while at < len(into):
        # In pieces and in place: asked for all at once, zipfile holds it twice.
        piece = stream.read(min(_STEP, len(into) - at))
        if not piece:
            raise DatasetError(f"{where} is cut short: copy or download it again.")
        into[at : at + len(piece)] = piece
        at += len(piece)
    if not header.dtype.isnative:
        array = array.astype(header.dtype.newbyteorder("="))
    return array.reshape(header.shape, order="F" if header.fortran else "C")


def _pickle_hint(content: bytes) -> str:
    pickled = content[:1] == b"\x80" and content[-1:] == b"."
    return " but a pickle, which is never opened here" if pickled else ""
