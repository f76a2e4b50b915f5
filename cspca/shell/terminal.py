"""What is said on the terminal: results on stdout, everything else on stderr."""

from __future__ import annotations

import math
import shutil
import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any

from cspca.runs.findings import json_text

__all__ = ["Bar", "duration", "note", "number", "say", "say_json", "say_table"]

_WIDTH = 24
_EVERY = 0.1
"""Seconds between two drawings of a bar."""


def say(text: str = "") -> None:
    """Write a line of the result.

    Parameters
    ----------
    text : str, default=""
    """
    sys.stdout.write(f"{text}\n")


def note(text: str) -> None:
    """Write a line that is not the result.

    Parameters
    ----------
    text : str
    """
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def say_json(value: Any) -> None:
    """Write a result for machines: one JSON document, null for what is not finite.

    Parameters
    ----------
    value : object
        Plain values, NumPy's too.
    """
    say(json_text(value))


def say_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a table, columns in line.

    Parameters
    ----------
    heads : sequence of str
    rows : iterable of sequence of str
    """
    lines = [tuple(heads), *(tuple(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    for line in lines:
        say("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())


def number(value: float | None, digits: int = 4) -> str:
    """A number for people; a dash where there is none.

    Parameters
    ----------
    value : float or None
    digits : int, default=4
        Significant ones.
    """
    return "–" if value is None or not math.isfinite(value) else f"{value:.{digits}g}"


def duration(seconds: float) -> str:
    """Some time, in the unit that suits it.

    Parameters
    ----------
    seconds : float
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class Bar:
    """One line on stderr at the start and, where that is a terminal, a bar below it.

    Parameters
    ----------
    title : str
    """

    def __init__(self, title: str) -> None:
        self._live = sys.stderr.isatty()
        self._drawn = -math.inf
        self._length = 0
        note(f"{title} …")

    def show(self, fraction: float, words: str = "") -> None:
        """Draw it, not more often than an eye can follow.

        Parameters
        ----------
        fraction : float
            From 0 to 1.
        words : str, default=""
        """
        now = time.monotonic()
        if not self._live or now - self._drawn < _EVERY:
            return
        self._drawn = now
        full = round(_WIDTH * min(1.0, max(0.0, fraction)))
        line = f"[{'█' * full}{'·' * (_WIDTH - full)}] {fraction:4.0%} {words}"
        # A line that wraps cannot be drawn over.
        line = line[: shutil.get_terminal_size().columns - 1]
        sys.stderr.write(f"\r{line.ljust(self._length)}")
        sys.stderr.flush()
        self._length = len(line)

    def close(self) -> None:
        """Take it away."""
        if self._live and self._length:
            sys.stderr.write(f"\r{' ' * self._length}\r")
            sys.stderr.flush()
