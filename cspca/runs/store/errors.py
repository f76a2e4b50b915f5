"""What can go wrong with the store, said in one sentence each."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["StoreError", "telling"]


class StoreError(ValueError):
    """The store cannot do what is asked; the message is one sentence that says what to do."""


@contextmanager
def telling(home: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the file system into one sentence about the store.

    Parameters
    ----------
    home : Path
        Where the store is.

    Raises
    ------
    StoreError
        In place of ``sqlite3.Error`` and ``OSError``.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(_of_sqlite(error, home)) from error
    except OSError as error:
        raise StoreError(_of_system(error, home)) from error


def _of_sqlite(error: sqlite3.Error, home: Path) -> str:
    words = str(error)
    if "full" in words or "disk I/O" in words:
        return _full(home)
    if "readonly" in words or "unable to open" in words:
        return _read_only(home)
    if "locked" in words or "busy" in words:
        return (
            f"The store in {home} is being written by another program for too long: try again "
            "in a minute."
        )
    if isinstance(error, sqlite3.DatabaseError) and (
        "malformed" in words or "not a database" in words or "corrupt" in words
    ):
        return f"The store in {home} is damaged: run `python -m cspca doctor --repair`."
    return f"The store in {home} cannot be used ({words}): run `python -m cspca doctor`."


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)


def _of_system(error: OSError, home: Path) -> str:
    if error.errno in _FULL:
        return _full(home)
    if error.errno in _REFUSED:
        return _read_only(home)
    reason = error.strerror or type(error).__name__
    return f"The store in {home} cannot be used: {reason}."


def _full(home: Path) -> str:
    return (
        f"There is no room left for the store in {home}: free some space and go on, what was "
        "finished is kept."
    )


def _read_only(home: Path) -> str:
    return (
        f"The store in {home} cannot be written: allow it, or choose another folder with "
        "CSPCA_HOME."
    )
