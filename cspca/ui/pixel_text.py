"""Pixels of an image as text: ``3:4, 5:2-8`` is row 3, column 4, and row 5, columns 2 to 8."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from cspca.ui.components.paint import Mask

SHOWN_LETTERS = 20
"""Most letters of an invalid entry that its error message shows."""

_BETWEEN = re.compile(r"[,;\s]+")
_ENTRY = re.compile(r"(\d{1,6})(?:[-–](\d{1,6}))?:(\d{1,6})(?:[-–](\d{1,6}))?")


def parse_pixels(text: str, shape: tuple[int, int]) -> Mask:
    """Read pixels, written as row:column, counted from 1.

    Parameters
    ----------
    text : str
        Entries separated by commas, semicolons or white space; a row and a column may each be a
        range.
    shape : tuple of int
        Rows and columns of the image.

    Returns
    -------
    ndarray of bool
        Mask of the pixels, in the shape of the image.

    Raises
    ------
    ValueError
        If an entry is not a pixel of the image, or if there is no entry.
    """
    mask = np.zeros(shape, dtype=bool)
    for entry in filter(None, _BETWEEN.split(text)):
        match = _ENTRY.fullmatch(entry)
        if match is None:
            raise ValueError(
                f"“{entry[:SHOWN_LETTERS]}” is no pixel: write row:column, such as 3:4, or a "
                "range, such as 3:4-8."
            )
        row, last_row, column, last_column = match.groups()
        rows = _range("row", row, last_row, shape[0])
        mask[rows, _range("column", column, last_column, shape[1])] = True
    if not mask.any():
        raise ValueError("Write at least one pixel as row:column, such as 3:4.")
    return mask


def _range(name: str, first: str, last: str | None, size: int) -> slice:
    low, high = int(first), int(last or first)
    if low > high:
        raise ValueError(f"“{first}-{last}” runs backwards: write the smaller {name} first.")
    for number in (low, high):
        if not 1 <= number <= size:
            raise ValueError(f"There is no {name} {number:,}: {name}s run from 1 to {size:,}.")
    return slice(low - 1, high)


def pixels_text(mask: Mask) -> str:
    """Write pixels in the format of :func:`parse_pixels`; neighbours in a row become a range."""
    entries = []
    for number, row in enumerate(mask, 1):
        ends = np.flatnonzero(np.diff(row, prepend=False, append=False)).tolist()
        for first, end in list(pairwise(ends))[::2]:
            entries.append(f"{number}:{first + 1}" + (f"-{end}" if end > first + 1 else ""))
    return ", ".join(entries)
