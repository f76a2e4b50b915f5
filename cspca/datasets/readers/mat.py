"""MATLAB files of version 5 to 7 (`save -v6`, `-v7`): ``fea/gnd``, ``X/Y``, train/test pairs."""

from __future__ import annotations

import io
import math
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.io import loadmat, whosmat

from cspca.datasets.readers.assemble import PixelOrder, assemble
from cspca.datasets.readers.limits import MAX_BYTES, check_array, check_inflation
from cspca.datasets.record import Dataset, DatasetError

DATA_NAMES = ("fea", "x", "data", "images", "features")
LABEL_NAMES = ("gnd", "y", "labels", "label", "target", "targets")
SPLITS = (
    (("train_dat", "trainlabels"), ("test_dat", "testlabels")),
    (("x_train", "y_train"), ("x_test", "y_test")),
)
"""Data kept in two halves, each with its labels; they are joined, training half first."""

_HEADER = 128
_COMPRESSED = 15
_NUMBERS = {
    "double", "single", "logical",
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
}  # fmt: skip


@dataclass(frozen=True)
class _Variable:
    name: str
    shape: tuple[int, ...]
    kind: str


@dataclass(frozen=True)
class _Part:
    """One image a row, and whether they lay in columns."""

    data: NDArray[Any]
    labels: NDArray[Any] | None
    turned: bool


def read_mat(content: bytes, name: str, order: PixelOrder | None) -> Dataset:
    """Read images and labels; pixels are taken as stored column by column, as MATLAB does.

    Samples may lie in rows or in columns: the number of labels tells.
    """
    _check_header(content, name)
    _check_elements(content, name)
    stream: Any = io.BytesIO(content)  # scipy-stubs knows paths only
    variables = [
        _Variable(found, tuple(int(side) for side in shape), kind)
        for found, shape, kind in whosmat(stream)
    ]
    pairs = _choose(variables, name)
    wanted = [variable for pair in pairs for variable in pair if variable is not None]
    for variable in wanted:
        check_array(variable.shape, 8, f"{variable.name} in {name}")
    stream.seek(0)
    arrays = loadmat(stream, variable_names=[one.name for one in wanted])
    parts = [
        _part(arrays[data.name], None if labels is None else arrays[labels.name], data.name, name)
        for data, labels in pairs
    ]
    notes = ("one image a column",) if parts[0].turned else ()
    if len(parts) == 1:
        data, labels = parts[0].data, parts[0].labels
    else:
        both = " and ".join(variable.name for variable, _ in pairs)
        if len({part.data.shape[1] for part in parts}) > 1:
            raise DatasetError(
                f"{name}: {both} hold images of different size: give them the same pixels."
            )
        notes = (f"{both} joined", *notes)
        data = np.concatenate([part.data for part in parts])
        known = [part.labels for part in parts if part.labels is not None]
        labels = np.concatenate(known) if len(known) == len(parts) else None
    return assemble(data, labels, name=name, order=order or "column", notes=notes)


def _check_header(content: bytes, name: str) -> None:
    if content[:10] == b"MATLAB 7.3" or b"\x89HDF\r\n" in content[:520]:
        raise DatasetError(
            f"{name} is a MATLAB 7.3 file, which is not read yet: save it in MATLAB with "
            "save('…', '-v7')."
        )
    if len(content) < _HEADER or not content.startswith(b"MATLAB 5.0"):
        raise DatasetError(
            f"{name} is not a MATLAB file of version 5 to 7, whatever its name says: save it in "
            "MATLAB with save('…', '-v7')."
        )
    if content[126:128] not in (b"IM", b"MI"):
        raise DatasetError(f"{name} has a damaged MATLAB header: copy or download it again.")


def _check_elements(content: bytes, name: str) -> None:
    """Walk the top-level elements, unpacking into nothing, so that no bomb gets any further."""
    endian: Any = "little" if content[126:128] == b"IM" else "big"
    at, inflated, elements = _HEADER, 0, 0
    while at < len(content):
        if at + 8 > len(content):
            raise DatasetError(f"{name} is cut short: copy or download it again.")
        kind = int.from_bytes(content[at : at + 4], endian)
        size = int.from_bytes(content[at + 4 : at + 8], endian)
        at += 8
        if at + size > len(content):
            raise DatasetError(f"{name} is cut short: copy or download it again.")
        if kind == _COMPRESSED:
            inflated += _inflated_size(memoryview(content)[at : at + size], MAX_BYTES - inflated)
            check_inflation(inflated, len(content), name)
        at += size
        elements += 1
    if elements == 0:
        raise DatasetError(f"{name} holds no variables: save the images in it as X or fea.")


def _inflated_size(packed: memoryview, limit: int) -> int:
    """Return how many bytes ``packed`` unpacks to, giving up just over ``limit``."""
    unpacker = zlib.decompressobj()
    total, rest = 0, bytes(packed)
    while not unpacker.eof and total <= limit:
        piece = unpacker.decompress(rest, 2**20)
        if not piece and not unpacker.unconsumed_tail:
            break
        total += len(piece)
        rest = unpacker.unconsumed_tail
    return total


def _choose(found: list[_Variable], name: str) -> list[tuple[_Variable, _Variable | None]]:
    """Choose (data, labels) among the variables: by known names, else the one matrix there is."""
    variables = {one.name.lower(): one for one in found}  # X and x are the same to us
    for split in SPLITS:
        if all(data in variables for data, _ in split):
            return [
                (_numeric(variables[x], name), _label(variables.get(y), name)) for x, y in split
            ]
    data = next((variables[one] for one in DATA_NAMES if one in variables), None)
    if data is None:
        matrices = [
            one
            for one in found
            if one.kind in _NUMBERS and len(one.shape) == 2 and min(one.shape) > 1
        ]
        if len(matrices) != 1:
            seen = ", ".join(f"{one.name} ({one.kind})" for one in found[:8])
            raise DatasetError(
                f"{name} holds {seen or 'nothing'} but no fea or X: name the images fea or X and "
                "their labels gnd or Y."
            )
        data = matrices[0]
    labels = next((variables[one] for one in LABEL_NAMES if one in variables), None)
    return [(_numeric(data, name), None if labels is data else _label(labels, name))]


def _label(variable: _Variable | None, name: str) -> _Variable | None:
    if variable is not None and variable.kind not in _NUMBERS | {"char"}:
        raise DatasetError(
            f"{name}: the labels {variable.name} are a {variable.kind} array: save one number an "
            "image."
        )
    return variable


def _numeric(variable: _Variable, name: str) -> _Variable:
    if variable.kind not in _NUMBERS:
        raise DatasetError(
            f"{name}: {variable.name} is a {variable.kind} array, not a full array of numbers: "
            "save one row of pixel values an image."
        )
    if len(variable.shape) != 2 or math.prod(variable.shape) == 0:
        words = " × ".join(str(side) for side in variable.shape)
        raise DatasetError(
            f"{name}: {variable.name} is {words}: save one row of pixel values an image."
        )
    return variable


def _part(data: NDArray[Any], labels: NDArray[Any] | None, data_name: str, name: str) -> _Part:
    if labels is None:
        return _Part(data, None, turned=False)
    flat = labels.ravel()
    if len(flat) == data.shape[0]:
        return _Part(data, flat, turned=False)
    if len(flat) == data.shape[1]:
        return _Part(data.T, flat, turned=True)
    raise DatasetError(
        f"{name}: there are {len(flat)} labels for {data_name} of {data.shape[0]} × "
        f"{data.shape[1]}: give one label an image."
    )
