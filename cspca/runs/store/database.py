"""One SQLite file, used by many threads and processes at once."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cspca.runs.store.errors import StoreError, telling
from cspca.runs.store.schema import APPLICATION, MIGRATIONS, migrate, version_of

__all__ = ["DATABASE", "Database"]

DATABASE = "runs.sqlite"
"""Name of the file in the store's folder."""

_PATIENCE = 30.0
"""Seconds to wait for another process; ours hold the file for milliseconds."""


class Database:
    """Short transactions on the store's file.

    Parameters
    ----------
    home : Path
        The store's folder; made when it is not there.

    Attributes
    ----------
    read_only : bool
        The file can be read and not written.

    Raises
    ------
    StoreError
        When the file cannot be opened, is damaged, or of a newer version.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.read_only = False
        self._lock = threading.RLock()
        with telling(home):
            self._connection = self._open()

    def _open(self) -> sqlite3.Connection:
        path = self.home / DATABASE
        try:
            self.home.mkdir(parents=True, exist_ok=True)
            connection = _connected(str(path))
            try:
                _prepare(connection, self.home)
            except BaseException:
                connection.close()
                raise
            return connection
        except (sqlite3.OperationalError, PermissionError):
            # What cannot be written may still be read; anything else is wrong here as well.
            if not path.is_file() or _writable(path):
                raise
        self.read_only = True
        connection = _readable(path)
        found = version_of(connection), connection.execute("PRAGMA application_id").fetchone()[0]
        if found != (len(MIGRATIONS), APPLICATION):
            connection.close()
            raise StoreError(
                f"The store in {self.home} is of another version and cannot be written: allow "
                "writing it once, or choose another folder with CSPCA_HOME."
            )
        return connection

    def close(self) -> None:
        """Close the file; nothing can be asked afterwards."""
        with self._lock:
            self._connection.close()

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Ask, and return all rows.

        Parameters
        ----------
        sql : str
        parameters : sequence
        """
        with telling(self.home), self._lock:
            return self._connection.execute(sql, parameters).fetchall()

    def check_writable(self) -> None:
        """Refuse in one sentence when the store can only be read."""
        if self.read_only:
            raise StoreError(
                f"The store in {self.home} can only be read: allow writing it, or choose another "
                "folder with CSPCA_HOME."
            )

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Write: all of it or nothing, with nobody else writing between.

        Raises
        ------
        StoreError
            When the store cannot be written, or is full.
        """
        self.check_writable()
        with telling(self.home), self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                # SQLite itself rolls back when the disk is full.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise


def _connected(place: str, *, uri: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(
        place, timeout=_PATIENCE, isolation_level=None, check_same_thread=False, uri=uri
    )
    connection.row_factory = sqlite3.Row
    return connection


def _readable(path: Path) -> sqlite3.Connection:
    """Open without writing."""
    connection = _connected(f"{path.as_uri()}?mode=ro", uri=True)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
        return connection
    except sqlite3.OperationalError:
        connection.close()
    # The log cannot be shared in a folder that is not writable; whoever wrote last, and closed the
    # store, left nothing in it.
    return _connected(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)


def _prepare(connection: sqlite3.Connection, home: Path) -> None:
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            # Turning the log on does not wait for other processes by itself.
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.05)
    # Every commit reaches the disk: a cell that was reported done is done after a power cut too.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    migrate(connection, home)
    # A file that can only be read opens without complaint, and even begins to write.
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(f"PRAGMA user_version = {version_of(connection)}")
    finally:
        connection.execute("ROLLBACK")


def _writable(path: Path) -> bool:
    """Whether file and folder can be written, found out by opening; the file is not changed."""
    try:
        with path.open("r+b"):
            pass
        probe = path.with_name(f".{path.name}.probe")
        probe.touch()
        probe.unlink()
    except PermissionError:
        return False
    except OSError:
        # A read-only file system, or none that answers.
        return False
    return True
