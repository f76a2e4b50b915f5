"""Which of the processes that work on a store are alive.

A working process holds a lock on a small file, and the system lets go of it the moment the process
ends, however it ends. Unlike a process number, a lock cannot belong to somebody else later.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO

__all__ = ["Pulse", "alive"]

_FOLDER = "sessions"


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
        if not _lock(self._file):
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
            return not _lock(file)
    except FileNotFoundError:
        return False
    except PermissionError:
        # Another user's, or locked as Windows does it.
        return True


def _place(home: Path, session: str) -> Path:
    return home / _FOLDER / f"{session}.lock"


def _lock(file: IO[bytes]) -> bool:
    """Take the lock of an open file, if it is free."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
