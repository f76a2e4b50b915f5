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
from cspca.datasets.files.containers.hdf5_parts import (
    SIGNATURE,
    dense,
    field_of,
    is_group,
    matlab_class,
    members_of,
    missing_filter,
    refuse_layouts,
)
from cspca.datasets.files.foreign import Watch, clean_name
from cspca.datasets.files.parsed import Array, ArrayField, Parsed
from cspca.datasets.record import DatasetError

if TYPE_CHECKING:
    import h5py

_DEEPEST: Final = 8
_OF_PYTHON: Final = "numpy.savez('set.npz', X=X, y=y)"


def parse(content: bytes, watch: Watch) -> Parsed:
    """List the arrays by their paths, or what an AnnData file holds."""
    import h5py

    name = watch.name
    if SIGNATURE not in content[:2056]:
        raise DatasetError(
            f"{name} is not an HDF5 file, whatever its name says: save it again, for example as "
            f".npz with {_OF_PYTHON}."
        )
    # Open for as long as an array of it is needed.
    file = h5py.File(io.BytesIO(content), "r")
    refuse_layouts(file, name)
    if any(matlab_class(member) for member in members_of(file).values()):
        return mat73.parse(content, watch)
    if {"X", "obs", "var"} <= members_of(file).keys():
        return _anndata(file, name)
    arrays: list[ArrayField] = []
    for path, member in _datasets(file):
        foreign.check_most(len(arrays) + 1, foreign.MAX_ARRAYS, "arrays", name)
        arrays.append(field_of(path, member))
    if not arrays:
        raise DatasetError(f"{name} holds no arrays: save the samples as X and their labels as y.")
    return Parsed(name, "HDF5 file", arrays=arrays)


def _datasets(group: h5py.Group, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield every data set with its path; a link out of the file as None."""
    import h5py

    for name in group:
        place = f"{path}{name}"
        if not isinstance(group.get(name, getlink=True), h5py.HardLink):
            yield place, None
            continue
        member = group[name]
        if isinstance(member, h5py.Group):
            if depth < _DEEPEST:
                yield from _datasets(member, f"{place}/", depth + 1)
        elif isinstance(member, h5py.Dataset):
            yield place, member


# AnnData: cells are rows of X, genes its columns; obs describes cells, var describes genes.


def _anndata(file: h5py.File, name: str) -> Parsed:
    parsed = Parsed(name, "AnnData file")
    parsed.arrays.append(_matrix("X", file["X"], name))
    for key, member in members_of(file["layers"]).items() if "layers" in file else ():
        parsed.arrays.append(_matrix(f"layers/{clean_name(key)}", member, name))
    for key, member in members_of(file["obsm"]).items() if "obsm" in file else ():
        if not is_group(member):
            parsed.arrays.append(field_of(f"obsm/{key}", member))
    for side, names in (("obs", "sample_names"), ("var", "feature_names")):
        table = file[side]
        if not is_group(table):
            parsed.left_out.append(f"{side} is of an older AnnData: write the file again")
            continue
        index = table.attrs.get("_index", "_index")
        for key, member in members_of(table).items():
            if key == index:
                parsed.arrays.append(_column(names, member))
            elif side == "obs" and not key.startswith("__"):
                parsed.arrays.append(_column(key, member))
    parsed.arrays = [field for field in parsed.arrays if field.kind]
    parsed.notes.append("Samples are the observations of X, features its variables.")
    return parsed


def _matrix(name: str, member: Any, file: str) -> ArrayField:
    """Return a matrix that is stored whole, or as the parts of a sparse one."""
    declared = {"samples": "rows"}
    if not is_group(member):
        field = field_of(name, member)
        return ArrayField(name, field.shape, field.kind, field.load, declared)
    encoding = str(member.attrs.get("encoding-type", ""))
    layout = encoding.split("_", 1)[0]
    if layout not in ("csr", "csc"):
        return ArrayField(name, (), encoding or "group", partial(np.empty, 0))
    missing = missing_filter(member["data"])
    n_rows, n_columns = (int(side) for side in member.attrs["shape"])
    shape = (n_rows, n_columns)
    foreign.check_values(shape, f"{clean_name(name)} in {file}")
    if missing:
        return ArrayField(name, shape, f"{missing}-compressed", partial(np.empty, 0))
    load = partial(dense, member, shape, layout, ("data", "indices", "indptr"))
    return ArrayField(name, shape, member["data"].dtype.name, load, declared)


def _column(name: str, member: Any) -> ArrayField:
    """Return a column of obs or var: plain, categories with codes, or values with a mask."""
    if not is_group(member):
        return field_of(name, member)
    parts = members_of(member)
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
    if is_group(categories):
        categories = members_of(categories)["values"]
    names = np.asarray(field_of("categories", categories).load()).astype(str)
    words = np.array([*names.tolist(), ""])
    return words[np.where(codes < 0, len(names), codes)]


def _masked(field: ArrayField, mask: Any) -> Array:
    """Values of a nullable column: empty or NaN where they are masked."""
    values, is_masked = field.load(), np.asarray(mask[()], dtype=bool)
    if field.kind == "text":
        return np.where(is_masked, "", values)
    return np.where(is_masked, np.nan, values.astype(float))
