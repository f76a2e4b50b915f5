"""Columns in JSON, as other programs write scores by name, lists, and tables of pandas."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cspca.datasets.files import foreign
from cspca.datasets.files.containers.table import Columns
from cspca.datasets.files.foreign import Watch, clean_name
from cspca.datasets.record import DatasetError

_Named = list[tuple[str, Sequence[Any]]]


def columns(content: bytes, watch: Watch) -> Columns:
    """Read names and values of columns."""
    try:
        value = json.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise DatasetError(f"{watch.name} is not JSON: save it again, or as CSV.") from error
    named = _columns_of(value)
    lengths = {len(cells) for _, cells in named}
    is_plain = all(_is_cell(cell) for _, cells in named for cell in cells)
    if not named or len(lengths) != 1 or not is_plain:
        raise DatasetError(
            f"{watch.name} holds no table: write an object of a score by name, a list of scores, "
            "or a list of objects."
        )
    foreign.check_values((len(named), *lengths), watch.name)
    if not max(lengths):
        raise DatasetError(f"{watch.name} holds no rows: put one score a row.")
    numeric: list[tuple[int, str]] = []
    words: list[tuple[int, str, list[str]]] = []
    arrays = []
    for place, (name, cells) in enumerate(named):
        if any(isinstance(cell, str | bool) for cell in cells):
            texts = ["" if cell is None else str(cell).strip() for cell in cells]
            words.append((place, clean_name(name), texts))
        else:
            numeric.append((place, clean_name(name)))
            arrays.append([np.nan if cell is None else float(cell) for cell in cells])
    values = np.array(arrays, dtype=np.float64).reshape(len(arrays), max(lengths)).T
    values = np.ascontiguousarray(values)
    return {"numeric": numeric, "text": words, "arrays": [("float64", values.shape)]}, [values]


def _columns_of(value: Any) -> _Named:
    if isinstance(value, Mapping):
        return _columns_of_object(value)
    if not isinstance(value, list) or not value:
        return []
    if all(isinstance(row, Mapping) for row in value):
        return _columns_of_records(value)
    if all(isinstance(row, list) for row in value):
        widths = {len(row) for row in value}
        return [("", cells) for cells in zip(*value, strict=True)] if len(widths) == 1 else []
    return [("", value)]


def _columns_of_object(value: Mapping[str, Any]) -> _Named:
    parts = set(value)
    if {"columns", "data"} <= parts and isinstance(value["data"], list):
        # pandas, orient="split"
        rows, headers = value["data"], value["columns"]
        if not all(isinstance(row, list) and len(row) == len(headers) for row in rows):
            return []
        named: _Named = [
            (str(header), [row[at] for row in rows]) for at, header in enumerate(headers)
        ]
        index = value.get("index")
        return [("", index), *named] if isinstance(index, list) else named
    if {"schema", "data"} <= parts and isinstance(value["data"], list):
        return _columns_of(value["data"])  # pandas, orient="table"
    cells = list(value.values())
    if all(isinstance(cell, list) for cell in cells):
        return [(str(header), cell) for header, cell in value.items()]
    if all(isinstance(cell, Mapping) for cell in cells):
        return _columns_of_nested(value)
    return [("feature", list(value)), ("", cells)]


def _columns_of_nested(value: Mapping[str, Any]) -> _Named:
    """Columns by row label, as pandas writes a frame; or rows by column, by orient="index"."""
    inner = [list(cell) for cell in value.values()]
    rows = list(dict.fromkeys(label for labels in inner for label in labels))
    by_column: _Named = [
        ("", rows),
        *((str(header), [cell.get(row) for row in rows]) for header, cell in value.items()),
    ]
    return by_column


def _columns_of_records(rows: Sequence[Mapping[str, Any]]) -> _Named:
    headers = list(dict.fromkeys(header for row in rows for header in row))
    return [(str(header), [row.get(header) for row in rows]) for header in headers]


def _is_cell(cell: Any) -> bool:
    return cell is None or isinstance(cell, str | bool | int | float)
