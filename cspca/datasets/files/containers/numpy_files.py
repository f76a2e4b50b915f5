"""NumPy files: one array (``.npy``) or an archive of named ones (``.npz``)."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import IO, Any, Final

import numpy as np

from cspca.datasets.files import foreign
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import PICKLED, UNNAMED_ARRAY, Array, ArrayField, Parsed
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
    field = _field(UNNAMED_ARRAY, partial(io.BytesIO, content))
    return Parsed(watch.name, "NumPy array file", arrays=[field])


def parse_archive(entries: foreign.Entries, watch: Watch) -> Parsed:
    """List the arrays of an archive."""
    members = [entry for entry in entries.by_parts.values() if entry.suffix == ".npy"]
    foreign.check_most(len(members), foreign.MAX_ARRAYS, "arrays", watch.name)
    if not members:
        raise DatasetError(f"{watch.name} holds no arrays: save them with numpy.savez.")
    fields = fields_of(members)
    sparse = _sparse({field.name: field for field in fields}, watch.name)
    if sparse is not None:
        return Parsed(watch.name, "sparse matrix of SciPy", arrays=[sparse])
    declared = _declared(fields, watch.name)
    if declared:
        fields = [field for field in fields if field.name != ANSWERS]
    return Parsed(watch.name, "NumPy archive", arrays=fields, declared=declared)


def _declared(fields: Sequence[ArrayField], file: str) -> dict[str, Any]:
    """Answers that an archive gives which was written here; empty for any other."""
    for field in fields:
        if field.name == ANSWERS and field.shape == () and field.kind == "text":
            try:
                answers = json.loads(str(field.values(file)[()]))
            except ValueError:
                return {}
            return answers if isinstance(answers, dict) else {}
    return {}


def fields_of(members: Sequence[foreign.Entry]) -> list[ArrayField]:
    """The arrays of several ``.npy`` files, by their headers."""
    return [_field("/".join(entry.parts).removesuffix(".npy"), entry.open) for entry in members]


ANSWERS: Final = "cspca_answers"
"""Array of an exported archive that holds, as JSON, the answers by which it is read again."""

_SPARSE_PARTS: Final = {
    "csr": ("indices", "indptr"),
    "csc": ("indices", "indptr"),
    "bsr": ("indices", "indptr"),
    "coo": ("row", "col"),
    "dia": ("offsets",),
}


def _sparse(fields: Mapping[str, ArrayField], file: str) -> ArrayField | None:
    """Return the full array that the parts of ``scipy.sparse.save_npz`` stand for."""
    if not {"format", "shape", "data"} <= fields.keys():
        return None
    if fields["format"].shape or fields["format"].holds != "words":
        return None
    word = fields["format"].values(file)[()]
    layout = word.decode("ascii", "replace") if isinstance(word, bytes) else str(word)
    parts = _SPARSE_PARTS.get(layout)
    if parts is None or not set(parts) <= fields.keys():
        return None
    shape = tuple(int(side) for side in fields["shape"].values(file).ravel())
    # A value twice at one place counts twice, so that there may be more values than places.
    for part in ("data", *parts):
        foreign.check_values(fields[part].shape, f"{part} in {file}")

    def load() -> Array:
        import scipy.sparse

        make = getattr(scipy.sparse, f"{layout}_array")
        data, *places = (fields[part].values(file) for part in ("data", *parts))
        if layout == "coo":
            content: Any = (data, tuple(places))
        else:
            content = (data, *places)
        full: Array = make(content, shape=shape).toarray()
        return full

    return ArrayField(UNNAMED_ARRAY, shape, fields["data"].kind, load)


def header_of(stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type of an array, by the header of its file."""
    is_first = np.lib.format.read_magic(stream) == (1, 0)
    read = np.lib.format.read_array_header_1_0 if is_first else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(stream)
    return shape, dtype


def _field(name: str, opened: Callable[[], IO[bytes]]) -> ArrayField:
    """Look at the header of an array."""
    try:
        with opened() as stream:
            shape, dtype = header_of(stream)
    # NumPy and zipfile raise anything on a damaged header.
    except Exception:  # noqa: BLE001
        return ArrayField(name, (), "damaged", partial(np.empty, 0))
    kind = PICKLED if dtype.hasobject else "text" if dtype.kind in "US" else dtype.name

    def values() -> Array:
        with opened() as stream:
            array: Array = np.lib.format.read_array(stream, allow_pickle=False)
        return array

    return ArrayField(name, shape, kind, values)
