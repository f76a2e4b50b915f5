"""What readers of HDF5 share: members, values, marks of programs and of compressions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cspca.datasets.files.foreign import clean_name
from cspca.datasets.files.parsed import Array, ArrayField
from cspca.datasets.files.unread_kinds import GCTX, LOOM
from cspca.datasets.record import DatasetError

if TYPE_CHECKING:
    import h5py

SIGNATURE: Final = b"\x89HDF\r\n\x1a\n"


def matlab_class(member: Any) -> str:
    """Class that MATLAB notes with a variable; empty for what MATLAB did not write."""
    noted = member.attrs.get("MATLAB_class", b"")
    return noted.decode("latin1") if isinstance(noted, bytes) else str(noted)


def is_stored_here(member: h5py.Dataset) -> bool:
    """Whether the values of a data set lie in the file itself."""
    return not member.is_virtual and member.external is None


_FILTERS: Final = {
    32001: "blosc", 32004: "lz4", 32008: "bitshuffle", 32013: "zfp", 32015: "zstd",
    32026: "blosc2", 307: "bzip2", 305: "lzo", 4: "szip",
}  # fmt: skip


def refuse_layouts(file: h5py.File, name: str) -> None:
    """Refuse what lies in HDF5 but is read by the rules of another program."""
    members = members_of(file)
    if {"matrix", "row_attrs", "col_attrs"} <= members.keys():
        raise LOOM.refusal(name)
    for key, member in members.items():
        if is_group(member) and {"barcodes", "indices", "indptr", "data"} <= set(member):
            raise DatasetError(
                f"{name} is a count matrix of 10x Genomics (in {clean_name(key)}): write it as "
                ".h5ad with scanpy.read_10x_h5(…).write_h5ad(…)."
            )
        if "OCTAVE_NEW_FORMAT" in member.attrs:
            raise DatasetError(
                f"{name} was written by Octave in HDF5: save it there with save -v7."
            )
        if "pandas_type" in member.attrs:
            raise DatasetError(
                f"{name} was written by pandas in HDF5, which mixes the order of columns: write "
                "the table with to_csv or to_parquet."
            )
    if "0" in members and "META" in members["0"]:
        raise GCTX.refusal(name)
    if "mod" in members and "obs" in members:
        raise DatasetError(
            f"{name} is a MuData file of several modalities: write one of them as .h5ad with "
            "mdata['rna'].write_h5ad(…)."
        )


def dense(
    group: h5py.Group, shape: tuple[int, int], layout: str, parts: tuple[str, str, str]
) -> Array:
    """Return the full array that a group of the parts of a sparse one stands for."""
    from scipy.sparse import csc_array, csr_array

    values, indices, starts = (np.asarray(group[part][()]) for part in parts)
    make: Any = csr_array if layout == "csr" else csc_array
    array: Array = make(
        (values, indices.astype(np.int64), starts.astype(np.int64)), shape
    ).toarray()
    return array


def members_of(group: h5py.Group) -> dict[str, Any]:
    """Members of a group that lie in the file itself."""
    import h5py

    return {
        name: group[name]
        for name in group
        if isinstance(group.get(name, getlink=True), h5py.HardLink)
    }


def is_group(member: Any) -> bool:
    """Whether a member of an HDF5 file is a group."""
    import h5py

    return isinstance(member, h5py.Group)


def field_of(name: str, member: Any) -> ArrayField:
    """Return a data set as an array; its kind says why it is not read, if it is not."""
    import h5py

    unread = partial(np.empty, 0)
    if member is None or not is_stored_here(member):
        return ArrayField(name, (), "link", unread)
    shape = member.shape or ()
    missing = missing_filter(member)
    if missing:
        return ArrayField(name, shape, f"{missing}-compressed", unread)
    if member.dtype.kind == "S" or h5py.check_string_dtype(member.dtype) is not None:
        return ArrayField(name, shape, "text", partial(_words, member))
    kind = "compound" if member.dtype.names else "object" if member.dtype.kind == "O" else ""
    return ArrayField(name, shape, kind or member.dtype.name, lambda: np.asarray(member[()]))


def missing_filter(member: h5py.Dataset) -> str:
    """Name of the compression that this program does not have; empty if it has it."""
    import h5py

    filters = member.id.get_create_plist()
    for place in range(filters.get_nfilters()):
        code = filters.get_filter(place)[0]
        if not h5py.h5z.filter_avail(code):
            return _FILTERS.get(code, f"filter {code}")
    return ""


def _words(member: h5py.Dataset) -> Array:
    values = np.asarray(member.asstr(errors="replace")[()])
    words: Array = values.astype(str)
    return words
