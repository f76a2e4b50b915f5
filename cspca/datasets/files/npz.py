"""NumPy's files of one array, `.npy`, and archives of several; nothing pickled is ever opened."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files import limits
from cspca.datasets.files.arrays import Field, find_arrays
from cspca.datasets.files.assemble import Found
from cspca.datasets.files.choices import ReadChoices
from cspca.datasets.files.entries import Entries, entries_of_zip
from cspca.datasets.files.limits import Watch
from cspca.datasets.record import DatasetError


def read(content: bytes, choices: ReadChoices, watch: Watch) -> Found:
    """Find one array, or in an archive images (X, data or images) and labels (y or target)."""
    if content.startswith(b"PK"):
        return read_archive(entries_of_zip(content, watch.name), choices, watch)
    if not content.startswith(b"\x93NUMPY"):
        pickled = content[:1] == b"\x80" and content[-1:] == b"."
        hint = " but a pickle, which is never opened here" if pickled else ""
        raise DatasetError(
            f"{watch.name} is not a NumPy file{hint}: save it with numpy.save or numpy.savez."
        )
    field = _field("the array", partial(io.BytesIO, content))
    return find_arrays([field], "NumPy array file", "row", choices, watch)


def read_archive(entries: Entries, choices: ReadChoices, watch: Watch) -> Found:
    """Find images and labels among the arrays of an archive."""
    members = [one for one in entries.found.values() if one.suffix == ".npy"]
    limits.check_most(len(members), limits.MAX_ARRAYS, "arrays", watch.name)
    fields = [_field("/".join(one.parts).removesuffix(".npy"), one.open) for one in members]
    return find_arrays(fields, "NumPy archive", "row", choices, watch)


def _field(name: str, opened: Callable[[], IO[bytes]]) -> Field:
    """Look at the header of an array."""
    try:
        with opened() as stream:
            first = np.lib.format.read_magic(stream) == (1, 0)
            header = "read_array_header_1_0" if first else "read_array_header_2_0"
            shape, _, dtype = getattr(np.lib.format, header)(stream)
    # NumPy and zipfile raise anything on a damaged header.
    except Exception:  # noqa: BLE001
        return Field(name, (), "damaged", partial(np.empty, 0))
    kind = "pickled" if dtype.hasobject else "text" if dtype.kind in "US" else dtype.name

    def values() -> NDArray[Any]:
        with opened() as stream:
            array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
        return array

    return Field(name, shape, kind, values)
