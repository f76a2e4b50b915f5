"""HDF5 files (``.h5``, ``.hdf5``) of arrays by name, and AnnData files (``.h5ad``).

Layouts whose arrays mean another thing than they seem to are refused, each with what to export.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cspca.datasets.files import foreign
from cspca.datasets.files.containers import mat73
from cspca.datasets.files.containers.mat73 import is_stored_here, matlab_class
from cspca.datasets.files.foreign import Watch, clean_name
from cspca.datasets.files.parsed import Array, ArrayField, Parsed
from cspca.datasets.record import DatasetError

if TYPE_CHECKING:
    import h5py

_DEEPEST: Final = 8
_FILTERS: Final = {
    32001: "blosc", 32004: "lz4", 32008: "bitshuffle", 32013: "zfp", 32015: "zstd",
    32026: "blosc2", 307: "bzip2", 305: "lzo", 4: "szip",
}  # fmt: skip
_OF_PYTHON: Final = "numpy.savez('set.npz', X=X, y=y)"


def parse(content: bytes, watch: Watch) -> Parsed:
    """List the arrays by their paths, or what an AnnData file holds."""
    import h5py

    name = watch.name
    if mat73.SIGNATURE not in content[:2056]:
        raise DatasetError(
            f"{name} is not an HDF5 file, whatever its name says: save it again, for example as "
            f".npz with {_OF_PYTHON}."
        )
    # Open for as long as an array of it is needed.
    file = h5py.File(io.BytesIO(content), "r")
    refuse_layouts(file, name)
    if any(matlab_class(item) for item in _members(file).values()):
        return mat73.parse(content, watch)
    if {"X", "obs", "var"} <= _members(file).keys():
        return _anndata(file, name)
    arrays: list[ArrayField] = []
    for path, item in _datasets(file):
        foreign.check_most(len(arrays) + 1, foreign.MAX_ARRAYS, "arrays", name)
        arrays.append(field_of(path, item))
    if not arrays:
        raise DatasetError(f"{name} holds no arrays: save the samples as X and their labels as y.")
    return Parsed(name, "HDF5 file", arrays=arrays)


def refuse_layouts(file: h5py.File, name: str) -> None:
    """Refuse what lies in HDF5 but is read by the rules of another program."""
    members = _members(file)
    if {"matrix", "row_attrs", "col_attrs"} <= members.keys():
        raise DatasetError(
            f"{name} is a loom file, whose cells lie in columns: write it as .h5ad with "
            "anndata.read_loom(…).write_h5ad(…)."
        )
    for key, item in members.items():
        if _is_group(item) and {"barcodes", "indices", "indptr", "data"} <= set(item):
            raise DatasetError(
                f"{name} is a count matrix of 10x Genomics (in {clean_name(key)}): write it as "
                ".h5ad with scanpy.read_10x_h5(…).write_h5ad(…)."
            )
        if "OCTAVE_NEW_FORMAT" in item.attrs:
            raise DatasetError(
                f"{name} was written by Octave in HDF5: save it there with save -v7."
            )
        if "pandas_type" in item.attrs:
            raise DatasetError(
                f"{name} was written by pandas in HDF5, which mixes the order of columns: write "
                "the table with to_csv or to_parquet."
            )
    if "0" in members and "META" in members["0"]:
        raise DatasetError(
            f"{name} is a GCTX file: write it as .gct with cmapPy's gctx2gct, or as .csv."
        )
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


def _members(group: h5py.Group) -> dict[str, Any]:
    """Members of a group that lie in the file itself."""
    import h5py

    return {
        name: group[name]
        for name in group
        if isinstance(group.get(name, getlink=True), h5py.HardLink)
    }


def _is_group(item: Any) -> bool:
    import h5py

    return isinstance(item, h5py.Group)


def _datasets(group: h5py.Group, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield every data set with its path; a link out of the file as None."""
    import h5py

    for name in group:
        place = f"{path}{name}"
        if not isinstance(group.get(name, getlink=True), h5py.HardLink):
            yield place, None
            continue
        item = group[name]
        if isinstance(item, h5py.Group):
            if depth < _DEEPEST:
                yield from _datasets(item, f"{place}/", depth + 1)
        elif isinstance(item, h5py.Dataset):
            yield place, item


def field_of(name: str, item: Any) -> ArrayField:
    """Return a data set as an array; its kind says why it is not read, if it is not."""
    import h5py

    unread = partial(np.empty, 0)
    if item is None or not is_stored_here(item):
        return ArrayField(name, (), "link", unread)
    shape = item.shape or ()
    missing = _missing_filter(item)
    if missing:
        return ArrayField(name, shape, f"{missing}-compressed", unread)
    if item.dtype.kind == "S" or h5py.check_string_dtype(item.dtype) is not None:
        return ArrayField(name, shape, "text", partial(_words, item))
    kind = "compound" if item.dtype.names else "object" if item.dtype.kind == "O" else ""
    return ArrayField(name, shape, kind or item.dtype.name, lambda: np.asarray(item[()]))


def _missing_filter(item: h5py.Dataset) -> str:
    """Name of the compression that this program does not have; empty if it has it."""
    import h5py

    filters = item.id.get_create_plist()
    for place in range(filters.get_nfilters()):
        code = filters.get_filter(place)[0]
        if not h5py.h5z.filter_avail(code):
            return _FILTERS.get(code, f"filter {code}")
    return ""


def _words(item: h5py.Dataset) -> Array:
    values = np.asarray(item.asstr(errors="replace")[()])
    words: Array = values.astype(str)
    return words


# AnnData: cells are rows of X, genes its columns; obs describes cells, var describes genes.


def _anndata(file: h5py.File, name: str) -> Parsed:
    parsed = Parsed(name, "AnnData file")
    parsed.arrays.append(_matrix("X", file["X"], name))
    for key, item in _members(file["layers"]).items() if "layers" in file else ():
        parsed.arrays.append(_matrix(f"layers/{clean_name(key)}", item, name))
    for key, item in _members(file["obsm"]).items() if "obsm" in file else ():
        if not _is_group(item):
            parsed.arrays.append(field_of(f"obsm/{key}", item))
    for side, names in (("obs", "sample_names"), ("var", "feature_names")):
        table = file[side]
        if not _is_group(table):
            parsed.left_out.append(f"{side} is of an older AnnData: write the file again")
            continue
        index = table.attrs.get("_index", "_index")
        for key, item in _members(table).items():
            if key == index:
                parsed.arrays.append(_column(names, item))
            elif side == "obs" and not key.startswith("__"):
                parsed.arrays.append(_column(key, item))
    parsed.arrays = [field for field in parsed.arrays if field.kind]
    parsed.notes.append("Samples are the observations of X, features its variables.")
    return parsed


def _matrix(name: str, item: Any, file: str) -> ArrayField:
    """Return a matrix that is stored whole, or as the parts of a sparse one."""
    declared = {"samples": "rows"}
    if not _is_group(item):
        field = field_of(name, item)
        return ArrayField(name, field.shape, field.kind, field.load, declared)
    encoding = str(item.attrs.get("encoding-type", ""))
    layout = encoding.split("_", 1)[0]
    if layout not in ("csr", "csc"):
        return ArrayField(name, (), encoding or "group", partial(np.empty, 0))
    missing = _missing_filter(item["data"])
    n_rows, n_columns = (int(side) for side in item.attrs["shape"])
    shape = (n_rows, n_columns)
    foreign.check_values(shape, f"{clean_name(name)} in {file}")
    if missing:
        return ArrayField(name, shape, f"{missing}-compressed", partial(np.empty, 0))
    load = partial(dense, item, shape, layout, ("data", "indices", "indptr"))
    return ArrayField(name, shape, item["data"].dtype.name, load, declared)


def _column(name: str, item: Any) -> ArrayField:
    """Return a column of obs or var: plain, categories with codes, or values with a mask."""
    if not _is_group(item):
        return field_of(name, item)
    parts = _members(item)
    if {"codes", "categories"} <= parts.keys():
        return ArrayField(name, parts["codes"].shape, "text", partial(_categories, parts))
    if {"values", "mask"} <= parts.keys():
        field = field_of(name, parts["values"])
        kind = "text" if field.kind == "text" else field.kind and "float64"
        return ArrayField(name, field.shape, kind, partial(_masked, field, parts["mask"]))
    return ArrayField(name, (), "", partial(np.empty, 0))


def _categories(parts: dict[str, Any]) -> Array:
    """Words of a categorical column; code −1 is none."""
    codes = np.asarray(parts["codes"][()])
    categories = parts["categories"]
    if _is_group(categories):
        categories = _members(categories)["values"]
    names = np.asarray(field_of("categories", categories).load()).astype(str)
    words = np.array([*names.tolist(), ""])
    return words[np.where(codes < 0, len(names), codes)]


def _masked(field: ArrayField, mask: Any) -> Array:
    """Values of a nullable column: empty or NaN where they are masked."""
    values, is_masked = field.load(), np.asarray(mask[()], dtype=bool)
    if field.kind == "text":
        return np.where(is_masked, "", values)
    return np.where(is_masked, np.nan, values.astype(float))
