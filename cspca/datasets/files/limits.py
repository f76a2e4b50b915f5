"""The one budget of reading, the watch that keeps it, and what a file may declare to be."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable

from cspca.datasets.record import DatasetError

# Address space of the process that parses, in bytes.
MAX_MEMORY = 1536 * 2**20
# Longest time that reading one set may take.
MAX_SECONDS = 60.0
# Largest file, and largest sum of several files brought together, in bytes.
MAX_BYTES = 256 * 2**20
# Largest number of values in one array, and of pixels in a whole set.
MAX_VALUES = 100_000_000
# Most different words of a table: each becomes an object.
MAX_OBJECTS = 1_000_000
# Most variables of one file.
MAX_ARRAYS = 1000
# Most entries of an archive, and most files of a folder.
MAX_ENTRIES = 100_000
# Most bytes that the files of an archive may declare together.
MAX_UNPACKED = 2**30
# Largest single picture that is decoded.
MAX_PICTURE_PIXELS = 50_000_000
# The same where Pillow decodes in Python, a hundred times slower.
MAX_SLOW_PIXELS = 4_000_000


def check_most(count: int, most: int, what: str, name: str) -> None:
    """Refuse more of something than anybody has, before it takes memory."""
    if count > most:
        over = f"{count:,} {what}, over the limit of {most:,}"
        raise DatasetError(f"{name} holds {over}: split it, or leave some out.")


def check_values(shape: Iterable[int], name: str) -> None:
    """Refuse an array that declares too many values."""
    check_most(math.prod(int(side) for side in shape), MAX_VALUES, "values", name)


def damaged(name: str) -> DatasetError:
    """Say that a file is damaged."""
    return DatasetError(f"{name} is damaged and cannot be read: copy, download or save it again.")


Progress = Callable[[float, str], None]
Cancelled = Callable[[], bool]

_QUIET_SECONDS = 0.05  # faster than this nobody can see


class ReadCancelledError(DatasetError):
    """The person who asked for a data set does not want it any more."""


class Watch:
    """Tells how far work is, twenty times a second at most; stops what is cancelled or slow."""

    def __init__(
        self,
        name: str,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
        seconds: float | None = None,
    ) -> None:
        self.name = name
        self._progress = progress
        self._cancelled = cancelled
        self._seconds = MAX_SECONDS if seconds is None else seconds
        self._until = time.monotonic() + self._seconds
        self.broken: frozenset[int] = frozenset()  # pictures known to break their decoder
        self.at: Callable[[int], None] = lambda number: None  # hears which one comes next
        self._told = -1.0
        self._told_at = 0.0

    def check(self) -> None:
        """Stop if somebody cancelled, or time is up."""
        if self._cancelled is not None and self._cancelled():
            raise ReadCancelledError(f"Reading {self.name} was cancelled.")
        if time.monotonic() > self._until:
            raise DatasetError(
                f"{self.name} takes longer than {self._seconds:g} seconds to read: bring fewer "
                "or smaller pictures."
            )

    def tell(self, fraction: float, words: str) -> None:
        """Say how far the work is, and check whether to go on."""
        self.check()
        now = time.monotonic()
        due = fraction >= 1 or now - self._told_at >= _QUIET_SECONDS
        if self._progress is not None and fraction > self._told and due:
            self._told, self._told_at = fraction, now
            self._progress(min(fraction, 1.0), words)
