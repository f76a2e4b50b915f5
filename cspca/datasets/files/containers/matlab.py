"""What the readers of MATLAB files of all versions share."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np

from cspca.datasets.files import foreign
from cspca.datasets.files.foreign import clean_name
from cspca.datasets.files.parsed import Array, ArrayField, Parsed
from cspca.datasets.record import DatasetError

DEEPEST: Final = 3
"""Structs within structs that are opened."""

STRING: Final = object()
"""Stands for a MATLAB string in a cell, which is not read."""


def check_arrays(parsed: Parsed) -> None:
    """Refuse a file without variables, and one with too many."""
    foreign.check_most(len(parsed.arrays), foreign.MAX_ARRAYS, "variables", parsed.file)
    if not parsed.arrays:
        if parsed.left_out:
            raise DatasetError(
                f"{parsed.file} holds nothing that is read here, for {parsed.left_out[0]}, and the "
                "samples as X or fea."
            )
        raise DatasetError(
            f"{parsed.file} holds no variables: save the samples as X or fea and their labels as y "
            "or gnd."
        )


def check_eeglab(parsed: Parsed) -> None:
    """Refuse a set of EEGLAB whose numbers lie in a second file."""
    by_key = {field.key: field for field in parsed.arrays}
    if not {"data", "nbchan", "pnts", "srate"} <= by_key.keys() or by_key["data"].holds != "words":
        return
    words = by_key["data"].values(parsed.file).ravel()
    other = clean_name(str(words[0])) if len(words) else ""
    if other.lower().endswith((".fdt", ".dat")):
        raise DatasetError(
            f"{parsed.file} is an EEGLAB set whose numbers lie in another file, {other}: save it "
            "as one file, in EEGLAB by pop_saveset(EEG, 'savemode', 'onefile'), or save X = "
            "EEG.data and the label of each epoch as y in a .mat."
        )


def not_read(name: str, class_name: str) -> str:
    """Why a variable of a class of MATLAB's is left out, and what to save in its place."""
    shown = clean_name(name)
    remedy = {
        "string": f"save cellstr({shown})",
        "categorical": f"save cellstr({shown})",
        "table": f"save its columns, such as {shown}.Variables, and cellstr of its words",
        "timetable": f"save its columns, such as {shown}.Variables",
        "datetime": f"save cellstr({shown})",
    }.get(class_name, "save plain arrays")
    return f"{shown} is a MATLAB {clean_name(class_name) or 'object'}: {remedy}"


def fields_of_cells(name: str, shape: tuple[int, ...], cells: list[Any]) -> list[ArrayField]:
    """Return a cell array: words as one array, arrays of numbers as one array each.

    Parameters
    ----------
    name : str
        Name of the cell array.
    shape : tuple of int
        Its sides.
    cells : list
        In each a text, an array, `STRING`, or None for what else is not read.
    """
    empty = [isinstance(cell, np.ndarray) and not cell.size for cell in cells]
    if cells and all(
        isinstance(cell, str) or is_empty for cell, is_empty in zip(cells, empty, strict=True)
    ):
        words = np.array([cell if isinstance(cell, str) else "" for cell in cells])
        return [ArrayField(name, (len(words),), "text", lambda: words)]
    numbers = [cell for cell in cells if isinstance(cell, np.ndarray)]
    if cells and all(cell is STRING for cell in cells):
        return [ArrayField(name, shape, "cell of strings", partial(np.empty, 0))]
    if not cells or len(numbers) < len(cells):
        return [ArrayField(name, shape, "cell", partial(np.empty, 0))]
    if all(cell.size == 1 for cell in numbers):
        values = np.array([cell.ravel()[0] for cell in numbers])
        return [ArrayField(name, values.shape, values.dtype.name, lambda: values)]
    alike = len({cell.shape for cell in numbers}) == 1
    if len(numbers) > foreign.MAX_ARRAYS or (alike and numbers[0].ndim <= 2):
        return [_stacked(name, shape, numbers)]
    return [
        ArrayField(f"{name}{{{place}}}", cell.shape, cell.dtype.name, partial(np.asarray, cell))
        for place, cell in enumerate(numbers, 1)
    ]


def _stacked(name: str, shape: tuple[int, ...], cells: list[Array]) -> ArrayField:
    """Return arrays of one size as one array, a sample each; others are not read."""
    if len({cell.shape for cell in cells}) > 1:
        return ArrayField(name, shape, "cell", partial(np.empty, 0))
    sides = tuple(side for side in cells[0].shape if side > 1)
    # Along the end, as MATLAB's cat would. Cells that are one line each are one sample each; those
    # with two sides may be pictures, or all samples of a class.
    whole = (*sides, len(cells))
    return ArrayField(
        name,
        whole,
        cells[0].dtype.name,
        lambda: np.stack([cell.reshape(sides) for cell in cells], axis=-1),
        {"samples": "columns"} if len(sides) == 1 else {},
    )
