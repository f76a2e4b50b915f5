"""MATLAB files of version 5 to 7 (`save -v6`, `-v7`): ``fea/gnd``, ``X/Y``, train/test pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.readers.assemble import PixelOrder, assemble
from cspca.datasets.readers.mat5 import NUMBERS, Variable, list_variables
from cspca.datasets.record import Dataset, DatasetError

DATA_NAMES = ("fea", "x", "data", "images", "features")
LABEL_NAMES = ("gnd", "y", "labels", "label", "target", "targets")
SPLITS = (
    (("train_dat", "trainlabels"), ("test_dat", "testlabels")),
    (("x_train", "y_train"), ("x_test", "y_test")),
)
"""Data kept in two halves, each with its labels; they are joined, training half first."""

_HEADER = 128


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
    pairs = _choose(list_variables(content, name), name)
    parts = [
        _part(data.read(), None if labels is None else labels.read(), data.name, name)
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


def _choose(found: list[Variable], name: str) -> list[tuple[Variable, Variable | None]]:
    """Choose (data, labels) among the variables: by known names, else the one matrix there is."""
    if not found:
        raise DatasetError(f"{name} holds no variables: save the images in it as X or fea.")
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
            if one.kind in NUMBERS and len(one.shape) == 2 and min(one.shape) > 1
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


def _label(variable: Variable | None, name: str) -> Variable | None:
    if variable is not None and variable.kind not in NUMBERS | {"char"}:
        raise DatasetError(
            f"{name}: the labels {variable.name} are a {variable.kind} array: save one number an "
            "image."
        )
    return variable


def _numeric(variable: Variable, name: str) -> Variable:
    if variable.is_complex:
        raise DatasetError(
            f"{name}: {variable.name} holds complex numbers, not real ones: save pixel values as "
            "real numbers."
        )
    if variable.kind not in NUMBERS:
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
