"""NumPy's own formats, `.npy` and `.npz`; nothing pickled is ever opened."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.readers.assemble import PixelOrder, assemble
from cspca.datasets.readers.limits import MAX_BYTES, check_array, check_inflation
from cspca.datasets.record import Dataset, DatasetError

DATA_NAMES = ("x", "data", "images", "fea", "features")
LABEL_NAMES = ("y", "target", "labels", "label", "gnd", "targets")
_MAX_MEMBERS = 1000
_NPY_MAGIC = b"\x93NUMPY"


def read_npy(content: bytes, name: str, order: PixelOrder | None) -> Dataset:
    """Read one array of images; no labels."""
    if not content.startswith(_NPY_MAGIC):
        raise DatasetError(
            f"{name} is not a NumPy array file{_pickle_hint(content)}: save it with numpy.save."
        )
    data = _read_array(io.BytesIO(content), len(content), name)
    return assemble(data, None, name=name, order=order or "row")


def read_npz(content: bytes, name: str, order: PixelOrder | None) -> Dataset:
    """Read the images (X, data or images) and labels (y, target or labels) of an archive."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise DatasetError(
            f"{name} is not a whole .npz archive{_pickle_hint(content)}: save it again with "
            "numpy.savez."
        ) from error
    with archive:
        members = {
            info.filename.removesuffix(".npy"): info
            for info in archive.infolist()
            if info.filename.endswith(".npy")
        }
        if len(members) > _MAX_MEMBERS:
            raise DatasetError(f"{name} holds {len(members)} arrays, over the limit of 1000.")
        label_name = _find(members, LABEL_NAMES)
        data_name = _find(members, DATA_NAMES)
        others = [member for member in members if member != label_name]
        if data_name is None and len(others) == 1:
            data_name = others[0]
        if data_name is None:
            found = ", ".join(list(members)[:8]) or "nothing"
            raise DatasetError(
                f"{name} holds {found} but no X, data or images: name the array of images X."
            )
        data = _read_member(archive, members[data_name], f"{data_name} in {name}")
        labels = None
        if label_name is not None:
            labels = _read_member(archive, members[label_name], f"{label_name} in {name}")
    return assemble(data, labels, name=name, order=order or "row")


def _find(members: Mapping[str, object], wanted: tuple[str, ...]) -> str | None:
    by_lower = {member.lower(): member for member in members}
    return next((by_lower[one] for one in wanted if one in by_lower), None)


def _read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str) -> NDArray[Any]:
    check_inflation(info.file_size, info.compress_size, where)
    with archive.open(info) as stream:
        return _read_array(stream, info.file_size, where)


def _read_array(stream: IO[bytes], size: int, where: str) -> NDArray[Any]:
    """Read an array only after its header has been found to be honest and small enough."""
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
    check_array(shape, dtype.itemsize, where)
    count = int(np.prod(shape, dtype=np.int64))
    expected = count * dtype.itemsize
    if expected + header > min(size, MAX_BYTES + 65536):
        raise DatasetError(f"{where} is cut short: copy or download it again.")
    content = stream.read(expected)
    if len(content) < expected:
        raise DatasetError(f"{where} is cut short: copy or download it again.")
    flat = np.frombuffer(content, dtype=dtype, count=count)
    if not dtype.isnative:
        flat = flat.astype(dtype.newbyteorder("="))
    return flat.reshape(shape, order="F" if fortran else "C")


def _pickle_hint(content: bytes) -> str:
    pickled = content[:1] == b"\x80" and content[-1:] == b"."
    return " but a pickle, which is never opened here" if pickled else ""
