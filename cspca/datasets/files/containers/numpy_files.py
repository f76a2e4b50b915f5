"""NumPy files: one array (``.npy``) or an archive of named ones (``.npz``)."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import partial
from typing import IO

import numpy as np

from cspca.datasets.files import foreign
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Array, ArrayField, Parsed
from cspca.datasets.record import DatasetError


def parse(content: bytes, watch: Watch) -> Parsed:
    """List the arrays by their headers."""
    if content.startswith(b"PK"):
        return parse_archive(foreign.entries_of_zip(content, watch.name), watch)
    if not content.startswith(b"\x93NUMPY"):
        pickled = content[:1] == b"\x80" and content[-1:] == b"."
        hint = " but a pickle, which is never opened here" if pickled else ""
        raise DatasetError(
            f"{watch.name} is not a NumPy file{hint}: save it with numpy.save or numpy.savez."
        )
    field = _field("the array", partial(io.BytesIO, content))
    return Parsed(watch.name, "NumPy array file", arrays=[field])


def parse_archive(entries: foreign.Entries, watch: Watch) -> Parsed:
    """List the arrays of an archive."""
    members = [entry for entry in entries.found.values() if entry.suffix == ".npy"]
    foreign.check_most(len(members), foreign.MAX_ARRAYS, "arrays", watch.name)
    if not members:
        raise DatasetError(f"{watch.name} holds no arrays: save them with numpy.savez.")
    return Parsed(watch.name, "NumPy archive", arrays=fields_of(members))


def fields_of(members: Sequence[foreign.Entry]) -> list[ArrayField]:
    """The arrays of several ``.npy`` files, by their headers."""
    return [_field("/".join(entry.parts).removesuffix(".npy"), entry.open) for entry in members]


def _field(name: str, opened: Callable[[], IO[bytes]]) -> ArrayField:
    """Look at the header of an array."""
    try:
        with opened() as stream:
            first = np.lib.format.read_magic(stream) == (1, 0)
            header = "read_array_header_1_0" if first else "read_array_header_2_0"
            shape, _, dtype = getattr(np.lib.format, header)(stream)
    # NumPy and zipfile raise anything on a damaged header.
    except Exception:  # noqa: BLE001
        return ArrayField(name, (), "damaged", partial(np.empty, 0))
    kind = "pickled" if dtype.hasobject else "text" if dtype.kind in "US" else dtype.name

    def values() -> Array:
        with opened() as stream:
            array: Array = np.lib.format.read_array(stream, allow_pickle=False)
        return array

    return ArrayField(name, shape, kind, values)
