"""NumPy's files of one array, `.npy`, and archives of several; nothing pickled is ever opened."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from functools import partial
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files import limits
from cspca.datasets.files.arrays import DATA_NAMES, LABEL_NAMES, Field, NamedArrays
from cspca.datasets.files.limits import Watch
from cspca.datasets.record import DatasetError

_WANTED = "X, data or images"
_ADVICE = "name the array of images X"
_DATA_NAMES = tuple(dict.fromkeys(("x", "data", "images", *DATA_NAMES)))


def open(content: bytes, name: str, watch: Watch) -> NamedArrays:
    """Open one array, or an archive of images (X, data or images) and labels (y or target)."""
    if content.startswith(b"\x93NUMPY"):
        field = _field("the array", partial(io.BytesIO, content), len(content), name)
        return NamedArrays([field], "NumPy array file", "row")
    if ".npy" in name.lower():
        raise DatasetError(
            f"{name} is not a NumPy array file{_pickle_hint(content)}: save it with numpy.save."
        )
    # Before Python makes an object of each: a million take gigabytes.
    if content.count(b"PK\x01\x02") > limits.MAX_ENTRIES:
        raise DatasetError(
            f"{name} holds more than {limits.MAX_ARRAYS:,} arrays: save only the "
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
    limits.check_arrays(len(members), "arrays", name)
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
        fields.append(_field(member, partial(archive.open, info), info.file_size, where))
    return NamedArrays(fields, "NumPy archive", "row", _DATA_NAMES, LABEL_NAMES, _WANTED, _ADVICE)


def _field(name: str, opened: Callable[[], IO[bytes]], size: int, where: str) -> Field:
    """Look at the header of an array; what is wrong with it is said only if it is wanted."""
    try:
        with opened() as stream:
            shape, dtype = _read_header(stream, size, where)
    except DatasetError as error:
        return _unusable(name, str(error))
    # NumPy and zipfile raise anything on a damaged header.
    except Exception:  # noqa: BLE001
        return _unusable(name, str(limits.damaged(where)))

    def read() -> NDArray[Any]:
        with opened() as stream:
            array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
        return array if dtype.isnative else array.astype(dtype.newbyteorder("="))

    kind = dtype.kind
    return Field(
        name=name,
        shape=shape,
        kind="text" if kind in "US" else dtype.name,
        numeric=kind in "fiubc",
        textual=kind in "US",
        read=read,
    )


def _unusable(name: str, problem: str) -> Field:
    return Field(name, (), "damaged", False, False, lambda: np.empty(0), problem)


def _read_header(stream: IO[bytes], size: int, where: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Read the header of an array, and check that it is honest and small enough."""
    version = np.lib.format.read_magic(stream)
    if version == (1, 0):
        shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    elif version in ((2, 0), (3, 0)):
        shape, _, dtype = np.lib.format.read_array_header_2_0(stream)
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
    if np.prod(shape, dtype=float) * dtype.itemsize > size - stream.tell():
        raise DatasetError(f"{where} is cut short: copy or download it again.")
    return shape, dtype


def _pickle_hint(content: bytes) -> str:
    pickled = content[:1] == b"\x80" and content[-1:] == b"."
    return " but a pickle, which is never opened here" if pickled else ""
