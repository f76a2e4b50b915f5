"""Telling how far reading has come, and stopping it when it is cancelled or takes too long."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from cspca.datasets.readers import limits
from cspca.datasets.record import DatasetError

Progress = Callable[[float, str], None]
Cancelled = Callable[[], bool]

T = TypeVar("T")

_QUIET_SECONDS = 0.05  # faster than this nobody can see


class ReadCancelledError(DatasetError):
    """The person who asked for a data set does not want it any more."""


class Watch:
    """Passed down to everything that takes time.

    Parameters
    ----------
    name : str
        What is being read, for the sentences.
    progress : callable, optional
        Called with a fraction from 0 to 1 that never falls, and a few words; twenty times a
        second at most.
    cancelled : callable, optional
        Asked often; True stops the work.
    seconds : float, optional
        Longest time that it may take; `limits.MAX_SECONDS` by default.
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
        self.callback_error: Exception | None = None
        self._told = -1.0
        self._told_at = 0.0

    def check(self) -> None:
        """Stop if somebody cancelled, or time is up.

        Raises
        ------
        ReadCancelledError
            If the work was cancelled.
        DatasetError
            If it takes too long.
        """
        if self._cancelled is not None and self._ask(self._cancelled):
            raise ReadCancelledError(f"Reading {self.name} was cancelled.")
        if time.monotonic() > self._until:
            raise DatasetError(
                f"{self.name} takes longer than {self._seconds:g} seconds to read: bring fewer "
                "or smaller pictures."
            )

    def tell(self, fraction: float, words: str) -> None:
        """Say how far the work is, and check whether to go on."""
        self.check()
        if self._progress is None:
            return
        now = time.monotonic()
        done = fraction >= 1
        if fraction > self._told and (done or now - self._told_at >= _QUIET_SECONDS):
            self._told, self._told_at = fraction, now
            progress = self._progress
            self._ask(lambda: progress(min(fraction, 1.0), words))

    def _ask(self, callback: Callable[[], T]) -> T:
        # Remembered, so that an error of the caller's is not taken for damage of the file.
        try:
            return callback()
        except Exception as error:
            self.callback_error = error
            raise
