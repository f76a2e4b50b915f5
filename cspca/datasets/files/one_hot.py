"""Columns of a class: one is 1 in each row, and the others are 0."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

NO_COLUMN: Final = -1


def marked_columns(columns: NDArray[Any], *, may_lack: bool = False) -> NDArray[np.intp] | None:
    """Return the column that is 1 in each row, or None where columns are not of this kind.

    Parameters
    ----------
    columns : array of shape (n_rows, n_columns)
        Numbers; a row with a missing one has no marked column.
    may_lack : bool, default=False
        Whether rows without any 1 are let through as well.

    Returns
    -------
    array of int of shape (n_rows,) or None
        `NO_COLUMN` for a row without a marked column. None if a row has several, or if what is not
        1 is neither 0 throughout nor −1 throughout.
    """
    is_filled = np.isfinite(columns).all(axis=1)
    rows = columns[is_filled]
    if not rows.size:
        return None
    is_marked = rows == 1
    others = rows[~is_marked]
    if not ((others == 0).all() or (others == -1).all()):
        return None
    counts = is_marked.sum(axis=1)
    if (counts > 1).any() or (not may_lack and (counts == 0).any()):
        return None
    places: NDArray[np.intp] = np.full(len(columns), NO_COLUMN, dtype=np.intp)
    places[is_filled] = np.where(counts == 1, is_marked.argmax(axis=1), NO_COLUMN)
    return places
