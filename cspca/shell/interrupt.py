"""Ctrl-C: the first asks for an end in good order, the second ends at once."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType, TracebackType
from typing import Self

__all__ = ["Interrupt"]


class Interrupt:
    """Within it, Ctrl-C sets `asked`; once more and it is a ``KeyboardInterrupt``.

    A program that was started with Ctrl-C ignored, in the background of a script, leaves it so.

    Parameters
    ----------
    words : str
        Said at the first Ctrl-C.
    """

    def __init__(self, words: str) -> None:
        self.asked = False
        self._words = words

    def __enter__(self) -> Self:
        self._before = signal.getsignal(signal.SIGINT)
        self._mine = (
            self._before is not signal.SIG_IGN
            and threading.current_thread() is threading.main_thread()
        )
        if self._mine:
            signal.signal(signal.SIGINT, self._first)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._mine:
            signal.signal(signal.SIGINT, self._before)

    def _first(self, _number: int, _frame: FrameType | None) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
        # Not through sys.stderr: the signal may have come in the middle of a line of it.
        os.write(2, f"\n{self._words} Ctrl-C once more ends at once.\n".encode())
