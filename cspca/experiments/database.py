"""The store's SQLite file and the files beside it, for many threads and processes at once.

Where the disk cannot be written, everything goes on in memory and :attr:`Database.note` says so.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TypeVar

from platformdirs import user_data_path

T = TypeVar("T")

HOME_VARIABLE = "CSPCA_HOME"
MEMORY = ":memory:"
DATABASE = "store.sqlite"
FILES = "files"
HALF = ".half"
"""Suffix of files that are being written."""

APPLICATION = 0x43535043
"""SQLite's ``application_id`` of our files ("CSPC"): another program's file is not touched."""

_FIRST = """
CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    view_id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    scope TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    settings TEXT NOT NULL,
    content TEXT NOT NULL,
    description TEXT NOT NULL,
    file TEXT,
    plan TEXT NOT NULL,
    seal TEXT NOT NULL,
    versions TEXT NOT NULL,
    n_cells INTEGER NOT NULL,
    created REAL NOT NULL,
    updated REAL NOT NULL,
    trashed REAL,
    changed INTEGER NOT NULL DEFAULT 0,
    imported INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX runs_by_owner ON runs (owner, content);
CREATE TABLE cells (
    number INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    name TEXT NOT NULL,
    until REAL,
    claimant INTEGER,
    rows TEXT,
    arrays BLOB,
    file TEXT,
    seconds REAL,
    versions TEXT,
    seal TEXT,
    finished REAL,
    commits INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX claims ON cells (claimant) WHERE until IS NOT NULL;
CREATE INDEX files_of_cells ON cells (file) WHERE file IS NOT NULL;
CREATE TABLE run_cells (
    run INTEGER NOT NULL,
    key BLOB NOT NULL,
    position INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    PRIMARY KEY (run, key)
) STRICT;
CREATE INDEX runs_of_cells ON run_cells (key);
"""

MIGRATIONS: Sequence[str] = (_FIRST,)
"""SQL that brings a store from version i to i + 1; never change one that is there."""

TABLES = ("runs", "cells", "run_cells")

_PATIENCE = 30.0
"""Seconds to wait for another process; ours hold the file for milliseconds."""


class StoreError(ValueError):
    """The store cannot do what is asked; the message is one sentence that says what to do."""


def store_home(home: str | os.PathLike[str] | None = None) -> Path:
    """Folder of the store: `home`, ``CSPCA_HOME``, or the user's data folder; absolute."""
    chosen = home or os.environ.get(HOME_VARIABLE)
    folder = Path(chosen) if chosen else user_data_path("cspca", appauthor=False)
    return folder.expanduser().absolute()


def insert(connection: sqlite3.Connection, table: str, values: Mapping[str, Any]) -> int:
    """Insert one row and return its number."""
    marks = ", ".join("?" * len(values))
    names = ", ".join(values)
    added = connection.execute(
        f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values())
    )
    return int(added.lastrowid or 0)


class Database:
    """Short transactions on one connection behind one lock, and files named by their digest.

    Raises :class:`StoreError` when the file is damaged, of a newer version or another program's.
    """

    def __init__(self, home: str | os.PathLike[str] | None = None) -> None:
        self.home = None if home == MEMORY else store_home(home)
        self.note = ""
        self._lock = threading.RLock()
        self._kept: dict[str, bytes] | None = None
        self._held: IO[bytes] | None = None
        if self.home is None:
            self._stay_in_memory(None)
        else:
            with telling(self.home):
                self._open(self.home)

    @property
    def in_memory(self) -> bool:
        """Whether all is gone when this program ends."""
        return self._kept is not None

    @property
    def place(self) -> str:
        """Where it is, for a sentence."""
        return "memory" if self.home is None else str(self.home)

    def _open(self, home: Path) -> None:
        path = home / DATABASE
        try:
            private_folder(home)
            _private_file(path)
            self._held = hold(home)
            self._connection = connect(str(path))
            try:
                _prepare(self._connection, home)
            except BaseException:
                self._connection.close()
                raise
        except (OSError, sqlite3.OperationalError) as error:
            fault = _unwritable(error, home)
            if fault is None:
                raise
            self.note = _noted(fault)
            readable = _readable(path) if path.is_file() else None
            self._stay_in_memory(readable)
            if readable is not None:
                readable.close()

    def _stay_in_memory(self, before: sqlite3.Connection | None) -> None:
        memory = connect(MEMORY)
        if before is not None:
            before.backup(memory)
        migrate(memory, self.place)
        self._connection, self._kept = memory, {}

    def _leave_the_disk(self, error: OSError | sqlite3.Error) -> bool:
        """Go on in memory, if that is the remedy; what was finished is there, and on the disk."""
        fault = None if self.in_memory else _unwritable(error, self.place)
        if fault is None:
            return False
        before = self._connection
        self._stay_in_memory(before)
        before.close()
        self.note = _noted(fault)
        return True

    def close(self) -> None:
        """Close it; other processes are not disturbed."""
        with self._lock:
            self._connection.close()
            if self._held is not None:
                self._held.close()

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Read."""
        with telling(self.place), self._lock:
            return self._connection.execute(sql, parameters).fetchall()

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Write in one transaction: all of it or nothing, with nobody else writing between."""
        with telling(self.place), self._lock:
            try:
                return self._transaction(work)
            except sqlite3.OperationalError as error:
                if not self._leave_the_disk(error):
                    raise
                return self._transaction(work)

    def _transaction(self, work: Callable[[sqlite3.Connection], T]) -> T:
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            found = work(connection)
            connection.execute("COMMIT")
        except BaseException:
            # SQLite itself rolls back when the disk is full.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return found

    def tidy(self) -> None:
        """Give freed space back, as far as nobody needs the file meanwhile."""
        with self._lock, suppress(sqlite3.Error):
            self._connection.execute("PRAGMA incremental_vacuum").fetchall()
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    # -- files -----------------------------------------------------------------------------------

    def put_file(self, content: bytes) -> str:
        """Keep a file and return its digest, by which it is found.

        One that is there is written again: how long it takes says nothing of others.
        """
        digest = hashlib.sha256(content).hexdigest()
        with telling(self.place), self._lock:
            if self._kept is None:
                try:
                    write_whole(self.path(digest), content, mode=0o600)
                    return digest
                except OSError as error:
                    if not self._leave_the_disk(error):
                        raise
            assert self._kept is not None
            self._kept[digest] = content
        return digest

    def secret(self, name: str) -> str:
        """A random text in a file for the owner of the folder alone, made when it is not there."""
        if self._kept is not None:
            return self._kept.setdefault(name, secrets.token_urlsafe(24).encode()).decode()
        with telling(self.place):
            assert self.home is not None
            path = self.home / name
            if not path.is_file():
                write_whole(path, secrets.token_urlsafe(24).encode(), mode=0o600)
            return path.read_text().strip()

    def has_file(self, digest: str) -> bool:
        """Whether there is such a file, sound or not."""
        in_memory = self._kept is not None and digest in self._kept
        return in_memory or (self.home is not None and self.path(digest).is_file())

    def get_file(self, digest: str) -> bytes:
        """Read a file; it can be trusted to be what was kept."""
        if self._kept is not None and digest in self._kept:
            return self._kept[digest]
        if not self.has_file(digest):
            raise StoreError(
                f"A file of the store in {self.place} is missing: run `python -m cspca doctor "
                "--repair`, then resume the run."
            )
        with telling(self.place):
            content = self.path(digest).read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            raise StoreError(
                f"A file of the store in {self.place} is damaged: run `python -m cspca doctor "
                "--repair`, then resume the run."
            )
        return content

    def drop_files(self, connection: sqlite3.Connection, digests: Iterable[str | None]) -> None:
        """Remove those of some files that nothing speaks of any more."""
        for digest in {one for one in digests if one is not None}:
            used = connection.execute(
                "SELECT 1 FROM cells WHERE file = ? UNION SELECT 1 FROM runs WHERE file = ?",
                (digest, digest),
            ).fetchone()
            if used is None:
                if self._kept is not None:
                    self._kept.pop(digest, None)
                else:
                    self.path(digest).unlink(missing_ok=True)

    def path(self, digest: str) -> Path:
        """Where a file lies on the disk."""
        assert self.home is not None
        return self.home / FILES / digest[:64]


def private_folder(folder: Path) -> None:
    """Have a folder that nobody else can look into; one that was there stays as it is."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def _private_file(path: Path) -> None:
    """Have the database where it can be written; its log and index get its mode."""
    if not path.exists():
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    # Not by opening it: to close it would let go of SQLite's own locks in this process.
    if not os.access(path, os.W_OK) or not os.access(path.parent, os.W_OK):
        raise PermissionError(errno.EACCES, "cannot be written")


def write_whole(path: Path, content: bytes, *, mode: int = 0o666) -> None:
    """Write a file so that, whatever happens, it is there whole or not at all."""
    private_folder(path.parent)
    half = path.with_name(f"{path.name}.{secrets.token_hex(4)}{HALF}")
    try:
        descriptor = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        half.replace(path)
    except BaseException:
        half.unlink(missing_ok=True)
        raise
    if hasattr(os, "O_DIRECTORY"):
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def hold(home: Path, *, alone: bool = False) -> IO[bytes] | None:
    """Say that the store is in use until the file is closed; None when others are in the way."""
    file = (home / "in-use").open("ab")
    if sys.platform != "win32":  # there, a file that is open cannot be replaced anyway
        import fcntl

        kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
        except OSError:
            file.close()
            return None
    return file


def connect(place: str, *, uri: bool = False) -> sqlite3.Connection:
    """Open a database in autocommit mode, for all threads."""
    connection = sqlite3.connect(
        place, timeout=_PATIENCE, isolation_level=None, check_same_thread=False, uri=uri
    )
    connection.row_factory = sqlite3.Row
    return connection


def _readable(path: Path) -> sqlite3.Connection:
    """Open without writing."""
    connection = connect(f"{path.as_uri()}?mode=ro", uri=True)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
        return connection
    except sqlite3.OperationalError:
        connection.close()
    # The log cannot be shared in a folder that is not writable; whoever wrote last, and closed the
    # store, left nothing in it.
    return connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)


def _prepare(connection: sqlite3.Connection, home: Path) -> None:
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    # What is removed is overwritten: a visitor who removes their data means it.
    connection.execute("PRAGMA secure_delete = ON")
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
    # A kill loses nothing; a power cut may lose the last moments, which are computed again.
    connection.execute("PRAGMA synchronous = NORMAL")
    migrate(connection, str(home))


def migrate(connection: sqlite3.Connection, place: str) -> None:
    """Bring a store to this version, all or nothing."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    mark = connection.execute("PRAGMA application_id").fetchone()[0]
    if version == len(MIGRATIONS) and mark == APPLICATION:
        return
    if mark == APPLICATION and version > len(MIGRATIONS):
        raise StoreError(
            f"The store in {place} was made by a newer cspca: update cspca, or choose another "
            "folder with CSPCA_HOME."
        )
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if mark != APPLICATION and (version or tables):
        raise StoreError(
            f"{DATABASE} in {place} belongs to another program: choose another folder with "
            "CSPCA_HOME."
        )
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been faster.
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        for number in range(version, len(MIGRATIONS)):
            for statement in MIGRATIONS[number].split(";"):
                if statement.strip():
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number + 1}")
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


# -- what can go wrong ---------------------------------------------------------------------------

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST)
_SQLITE_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
_SQLITE_REFUSED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
_SQLITE_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _code(error: BaseException) -> int:
    """SQLite's code of an error without its details."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _unwritable(error: OSError | sqlite3.Error, place: Path | str) -> tuple[str, str] | None:
    """A fault of the disk with which work can go on in memory, and its remedy; None for others."""
    number = error.errno if isinstance(error, OSError) else None
    if number in _FULL or _code(error) in _SQLITE_FULL:
        fault = f"There is no room left for the store in {place}"
        return fault, "free some space and start again, what was finished is kept."
    if number in _REFUSED or _code(error) in _SQLITE_REFUSED:
        fault = f"The store in {place} cannot be written"
        return fault, f"allow writing it, or choose another folder with {HOME_VARIABLE}."
    return None


def _noted(fault: tuple[str, str]) -> str:
    gone = "what is found from now on stays in memory and is gone when this program ends"
    return f"{fault[0]}: {gone}; {fault[1]}"


@contextmanager
def telling(place: Path | str) -> Iterator[None]:
    """Turn errors of SQLite and of the file system into one sentence about the store."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(_of_sqlite(error, place)) from error
    except OSError as error:
        reason = error.strerror or type(error).__name__
        fault = f"The store in {place} cannot be used", f"{reason}."
        raise StoreError(": ".join(_unwritable(error, place) or fault)) from error


def _of_sqlite(error: sqlite3.Error, place: Path | str) -> str:
    if _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return (
            f"The store in {place} is being written by another program for too long: try again "
            "in a minute."
        )
    if _code(error) in _SQLITE_DAMAGED:
        return f"The store in {place} is damaged: run `python -m cspca doctor --repair`."
    fault = f"The store in {place} cannot be used ({error})", "run `python -m cspca doctor`."
    return ": ".join(_unwritable(error, place) or fault)
