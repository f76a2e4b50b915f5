"""Which of the processes that work on a store are alive.

A working process holds a lock on a small file, and the system lets go of it the moment the process
ends, however it ends. Unlike a process number, a lock cannot belong to somebody else later.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Collection
from pathlib import Path
from typing import IO

__all__ = ["Pulse", "alive"]

_FOLDER = "sessions"

_YOUNG = 60.0
"""Seconds."""


class Pulse:
    """The lock that says that this process is at work.

    Parameters
    ----------
    home : Path
        The store's folder.
    session : str
        Name of the session.
    """

    def __init__(self, home: Path, session: str) -> None:
        self._path = _place(home, session)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file: IO[bytes] = self._path.open("a+b")
        # Somebody may look at it in this very moment, which takes no time.
        for _ in range(100):
            if _lock(self._file):
                return
            time.sleep(0.01)
        self._file.close()
        raise OSError(f"{self._path} is locked by another process.")

    def stop(self) -> None:
        """Let go."""
        self._file.close()
        self._path.unlink(missing_ok=True)


def alive(home: Path, session: str) -> bool:
    """Whether the process of a session on this machine still runs.

    Parameters
    ----------
    home : Path
    session : str
    """
    try:
        with _place(home, session).open("r+b") as file:
            return not _lock(file, shared=True)
    except FileNotFoundError:
        return False
    except PermissionError:
        # Another user's, or locked as Windows does it.
        return True


def forget_dead(home: Path, known: Collection[str]) -> None:
    """Remove the files of processes that are gone.

    Parameters
    ----------
    home : Path
    known : collection of str
        Sessions that are at work.
    """
    for lock in (home / _FOLDER).glob("*.lock"):
        # A young one may just be about to be locked.
        old = time.time() - lock.stat().st_mtime > _YOUNG
        if old and lock.stem not in known and not alive(home, lock.stem):
            lock.unlink(missing_ok=True)


def _place(home: Path, session: str) -> Path:
    return home / _FOLDER / f"{session}.lock"


def _lock(file: IO[bytes], *, shared: bool = False) -> bool:
    """Take the lock of an open file, if it is free; those who look share it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
            fcntl.flock(file.fileno(), kind | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
