"""Telling how far reading has come, and stopping it when it is cancelled or takes too long."""

from __future__ import annotations

import time
from collections.abc import Callable

from cspca.datasets.files import limits
from cspca.datasets.record import DatasetError

Progress = Callable[[float, str], None]
Cancelled = Callable[[], bool]

_QUIET_SECONDS = 0.05  # faster than this nobody can see


class ReadCancelledError(DatasetError):
    """The person who asked for a data set does not want it any more."""


class Watch:
    """Passed down to everything that takes time.

    ``progress`` is called with a fraction that never falls and a few words, twenty times a second
    at most; ``cancelled`` is asked often, and True stops the work.
    """

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
        self._seconds = limits.MAX_SECONDS if seconds is None else seconds
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
