"""Parquet and Feather files, read by pyarrow where it is installed."""

from __future__ import annotations

import json
from typing import Any, Final

import numpy as np

from cspca.datasets.files import foreign
from cspca.datasets.files.containers.table import Columns, columns_of
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Array, Parsed, Table, precision
from cspca.datasets.record import DatasetError

_INDEX_NAME: Final = "__index_level_"


def parse(content: bytes, watch: Watch) -> Parsed:
    """Read all columns."""
    is_parquet = content.startswith(b"PAR1")
    kind = "Parquet file" if is_parquet else "Feather file"
    if content.startswith(b"FEA1"):
        raise DatasetError(
            f"{watch.name} is a Feather file of version 1: save it again in version 2, or as CSV."
        )
    if not is_parquet and not content.startswith(b"ARROW1"):
        raise DatasetError(
            f"{watch.name} is neither a Parquet nor a Feather file: save it again, or as CSV."
        )
    try:
        import pyarrow
    except ImportError as error:
        raise DatasetError(
            f"{watch.name} is read by the library pyarrow, which is not installed here: save the "
            "table as CSV, or run pip install pyarrow."
        ) from error
    try:
        arrow = _read(content, is_parquet, watch.name)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        if isinstance(error, DatasetError):
            raise
        raise foreign.damaged(watch.name) from error
    table = _table(arrow, watch)
    return Parsed(watch.name, kind, tables=[table])


def columns(content: bytes, watch: Watch) -> Columns:
    """Read all columns as they are."""
    return columns_of(parse(content, watch).tables[0])


def _read(content: bytes, is_parquet: bool, file: str) -> Any:
    import pyarrow

    if not is_parquet:
        from pyarrow import ipc

        # No threads: the process that parses may not start any.
        options = ipc.IpcReadOptions(use_threads=False)
        return ipc.open_file(pyarrow.BufferReader(content), options=options).read_all()
    from pyarrow import parquet

    opened = parquet.ParquetFile(pyarrow.BufferReader(content))
    shape = (opened.metadata.num_rows, opened.metadata.num_columns)
    foreign.check_values(shape, file)
    return opened.read(use_threads=False)


def _table(arrow: Any, watch: Watch) -> Table:
    n_rows, names = arrow.num_rows, list(map(str, arrow.column_names))
    foreign.check_values((n_rows, len(names)), watch.name)
    if n_rows == 0:
        raise DatasetError(f"{watch.name} holds no rows: put one sample a row.")
    index_names = _index_names(arrow)
    columns: list[tuple[str, Array]] = []
    declared: dict[int, str] = {}
    for number, name in enumerate(names):
        watch.tell(0.7 * number / len(names), f"Reading column {number + 1:,}")
        array = _values(arrow.column(number), name, watch.name)
        if name in index_names:
            declared[len(columns)] = "name"
        if array.ndim == 2:
            # One list a row, such as a spectrum: each of its numbers is a column.
            columns += [(f"{name} {at + 1}", array[:, at]) for at in range(array.shape[1])]
        else:
            columns.append((name, array))
    places = [place for place, (_, array) in enumerate(columns) if array.dtype != object]
    foreign.check_values((n_rows, len(columns)), watch.name)
    numbers = np.empty((n_rows, len(places)), dtype=precision(n_rows * len(places)))
    for at, place in enumerate(places):
        numbers[:, at] = columns[place][1]
    return Table(
        names=["" if name.startswith(_INDEX_NAME) else name for name, _ in columns],
        first_row=[],
        numbers=numbers,
        number_places=places,
        words={place: array for place, (_, array) in enumerate(columns) if array.dtype == object},
        declared=declared,
        names_are_written=True,
    )


def _index_names(arrow: Any) -> set[str]:
    """Columns in which pandas keeps the names of the rows."""
    names = {str(name) for name in arrow.column_names if str(name).startswith(_INDEX_NAME)}
    metadata = (arrow.schema.metadata or {}).get(b"pandas")
    if metadata:
        index = json.loads(metadata).get("index_columns", [])
        names |= {name for name in index if isinstance(name, str)}
    return names


def _values(column: Any, name: str, file: str) -> Array:
    """One column: numbers, words, or one row of numbers a cell."""
    import pyarrow
    from pyarrow import types

    kind = column.type
    if types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if types.is_boolean(kind):
        words = [{True: "TRUE", False: "FALSE"}.get(value, "") for value in column.to_pylist()]
        return np.array(words, dtype=object)
    if types.is_integer(kind) or types.is_floating(kind):
        return np.asarray(column.cast(pyarrow.float64()).to_numpy(), dtype=np.float64)
    if types.is_decimal(kind):
        return np.array([np.nan if value is None else float(value) for value in column.to_pylist()])
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _lists(column, name, file)
    values = column.to_pylist()
    foreign.check_most(len(set(map(str, values))), foreign.MAX_OBJECTS, "different words", file)
    return np.array(["" if value is None else str(value).strip() for value in values], dtype=object)


def _lists(column: Any, name: str, file: str) -> Array:
    rows = column.to_pylist()
    lengths = {0 if row is None else len(row) for row in rows}
    if len(lengths) != 1:
        raise DatasetError(
            f"{file}: the lists in column {name} have different lengths: give each the same "
            "number of values."
        )
    foreign.check_values((len(rows), next(iter(lengths))), file)
    try:
        return np.array(rows, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DatasetError(
            f"{file}: the lists in column {name} hold no plain numbers: leave that column out."
        ) from error
