"""Rows a chunk at a time: what lies between two steps of a pass stays small."""

from __future__ import annotations

CHUNK = 2048
"""Rows that are worked on at a time: enough for a fast product, few enough for the memory of what
lies between two steps of it."""


def row_slices(n_rows: int, length: int) -> list[slice]:
    """Consecutive slices of `length` rows; the last one may be shorter.

    Parameters
    ----------
    n_rows, length : int

    Returns
    -------
    list of slice
    """
    return [slice(first, min(first + length, n_rows)) for first in range(0, n_rows, length)]
