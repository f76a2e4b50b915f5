"""MATLAB files of version 7.3, which are HDF5 underneath; read in a process of their own."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.decoders import DecoderError, DecoderProcess
from cspca.datasets.readers import limits
from cspca.datasets.readers.arrays import Field, NamedArrays
from cspca.datasets.readers.choices import Contents
from cspca.datasets.readers.watch import Watch
from cspca.datasets.record import DatasetError

MAGIC = b"\x89HDF\r\n\x1a\n"


def open_mat73(content: bytes, name: str, watch: Watch) -> Contents:
    """Open a MATLAB 7.3 file.

    Parameters
    ----------
    content : bytes
    name : str
        Name used in messages.
    watch : Watch

    Raises
    ------
    DatasetError
        If it is damaged, or holds more variables than anybody has.
    """
    with DecoderProcess(watch) as decoder:
        answer = _ask(decoder, {"do": "hdf5 open"}, content, name)
    return NamedArrays(
        fields=[_field(one, content, name, watch) for one in answer["variables"]],
        format="MATLAB 7.3 file",
        order="column",
    )


def _field(variable: dict[str, Any], content: bytes, name: str, watch: Watch) -> Field:
    shape = tuple(variable["shape"])
    # HDF5 counts the axes of MATLAB's arrays backwards.
    if variable["matlab"]:
        shape = shape[::-1]
    return Field(
        name=variable["name"],
        shape=shape,
        kind=variable["kind"],
        numeric=variable["numeric"],
        textual=variable["textual"],
        is_complex=variable["is_complex"],
        read=functools.partial(_read, content, variable, name),
    )


def _read(content: bytes, variable: dict[str, Any], name: str) -> NDArray[Any]:
    where = f"{variable['name']} in {name}"
    limits.check_array(variable["shape"], 8, where)
    with DecoderProcess() as decoder:
        _ask(decoder, {"do": "hdf5 open"}, content, name)
        request = {"do": "hdf5 read", "name": variable["name"], "most": limits.MAX_ARRAY_BYTES}
        answer = _ask(decoder, request, b"", name)
        array = np.empty(answer["shape"], dtype=np.dtype(answer["dtype"]))
        flat, at = array.reshape(-1).view(np.uint8), 0
        for _ in range(answer["parts"]):
            _, part = decoder.ask({"do": "hdf5 more"})
            if not part:
                raise _damaged(name)
            flat[at : at + len(part)] = np.frombuffer(part, dtype=np.uint8)
            at += len(part)
    if at != len(flat):
        raise _damaged(name)
    if array.dtype.byteorder not in "=|":
        array = array.astype(array.dtype.newbyteorder("="))
    if variable["matlab"]:
        array = array.T
    return _text(array) if variable["textual"] else array


def _text(codes: NDArray[Any]) -> NDArray[Any]:
    """One string a row, of UTF-16 codes."""
    rows = np.atleast_2d(codes).astype("<u2")
    return np.array([row.tobytes().decode("utf-16-le", "replace").rstrip() for row in rows])


def _ask(
    decoder: DecoderProcess, request: dict[str, Any], payload: bytes, name: str
) -> dict[str, Any]:
    try:
        answer, _ = decoder.ask(request, payload)
    except DecoderError as error:
        raise _damaged(name) from error
    if "refused" in answer:
        if answer["refused"] == "is damaged":
            raise _damaged(name)
        raise DatasetError(
            f"{name} {answer['refused']}: save only the images and their labels in MATLAB with "
            "save('…', '-v7')."
        )
    return answer


def _damaged(name: str) -> DatasetError:
    return DatasetError(f"{name} is damaged and cannot be read: copy, download or save it again.")
