"""How large an upload may declare itself to be before anything is allocated for it."""

from __future__ import annotations

import math
from collections.abc import Iterable

from cspca.datasets.record import DatasetError

MAX_BYTES = 2**30
"""Largest file, and largest array a file may declare, in bytes."""

MAX_ELEMENTS = 200_000_000
"""Largest number of values in one array."""

MAX_RATIO = 200
"""A larger member that shrinks by more than this is refused: no picture compresses so well."""

RATIO_FROM = 64 * 2**20
"""Members below this many bytes may compress as well as they like (blank images do)."""


def check_array(shape: Iterable[int], itemsize: int, where: str) -> None:
    """Refuse an array that declares too many values, before it is allocated.

    Raises
    ------
    DatasetError
        If a side is negative, or the declared size is over the limit.
    """
    sides = [int(side) for side in shape]
    if any(side < 0 for side in sides):
        raise DatasetError(f"{where} declares a negative size: the file is damaged.")
    elements = math.prod(sides)
    if elements > MAX_ELEMENTS or elements * itemsize > MAX_BYTES:
        words = " × ".join(str(side) for side in sides)
        raise DatasetError(
            f"{where} declares {words} values, over the limit of {MAX_ELEMENTS:,} values and "
            "1 GiB: cut it into smaller files."
        )


def check_inflation(inflated: int, stored: int, where: str) -> None:
    """Refuse a compressed part that would unpack to too much.

    Raises
    ------
    DatasetError
        If the unpacked size, or its ratio to the stored size, is over the limit.
    """
    if inflated > MAX_BYTES or (inflated > RATIO_FROM and inflated > MAX_RATIO * max(stored, 1)):
        raise DatasetError(
            f"{where} would unpack from {stored:,} to {inflated:,} bytes, over the limit: "
            "save it uncompressed or cut it into smaller files."
        )
