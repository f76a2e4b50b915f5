"""What is said on the terminal: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

_WIDTH = 24
_EVERY = 0.1
"""Seconds between two drawings of a bar."""

_JOINERS = "\u200c\u200d"
"""Some scripts cannot be written without these two, which nobody sees."""


def plain(text: str) -> str:
    """One line, without what a terminal would obey or what turns the direction of writing."""
    shown = (" " if char.isspace() else char for char in text)
    return "".join(char for char in shown if char.isprintable() or char in _JOINERS)


def say(text: str = "") -> None:
    """Write a line of the result."""
    sys.stdout.write(f"{plain(text)}\n")


def note(text: str) -> None:
    """Write a line that is not the result."""
    sys.stderr.write(f"{plain(text)}\n")
    sys.stderr.flush()


def say_json(value: Any) -> None:
    """Write a result for machines: one JSON document, null for what is not finite."""
    from cspca.experiments.exports import json_text

    text = re.sub(r"[^ -~\n]", lambda found: _escaped(found[0]), json_text(value))
    sys.stdout.write(f"{text}\n")


def answer(values: Any, *lines: str, as_json: bool) -> None:
    """Write a result, for machines or in lines for people."""
    if as_json:
        say_json(values)
        return
    for line in lines:
        say(line)


def _escaped(char: str) -> str:
    return char if char.isprintable() else json.dumps(char)[1:-1]


def say_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a table, columns in line."""
    lines = [[plain(text) for text in line] for line in (heads, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    for line in lines:
        say("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())


class Bar:
    """One line on stderr at the start and, where that is a terminal, a bar below it."""

    def __init__(self, title: str) -> None:
        self._live = sys.stderr.isatty()
        self._drawn = -math.inf
        note(f"{title} …")

    def show(self, fraction: float, words: str = "") -> None:
        """Draw it, not more often than an eye can follow."""
        now = time.monotonic()
        if not self._live or now - self._drawn < _EVERY:
            return
        self._drawn = now
        full = round(_WIDTH * min(1.0, max(0.0, fraction)))
        line = plain(f"[{'█' * full}{'·' * (_WIDTH - full)}] {fraction:4.0%} {words}")
        # A line that wraps cannot be drawn over.
        line = line[: shutil.get_terminal_size().columns - 1]
        sys.stderr.write(f"\r{line}\x1b[K")
        sys.stderr.flush()

    def close(self) -> None:
        """Take it away."""
        if self._live:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


@contextmanager
def interruptible(words: str) -> Iterator[threading.Event]:
    """Within it, Ctrl-C sets the event and says `words`; once more is a ``KeyboardInterrupt``.

    A program that was started with Ctrl-C ignored, in the background of a script, leaves it so.
    """
    asked, before = threading.Event(), signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    mine = main and before is not signal.SIG_IGN

    def first(*_: object) -> None:
        asked.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        # Not through sys.stderr: the signal may have come in the middle of a line of it.
        os.write(2, f"\n{words} Ctrl-C once more ends at once.\n".encode())

    if mine:
        signal.signal(signal.SIGINT, first)
    try:
        yield asked
    finally:
        if mine:
            signal.signal(signal.SIGINT, before)
