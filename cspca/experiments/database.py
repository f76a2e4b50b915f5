"""The store's SQLite file and the files beside it, for many threads and processes at once."""

from __future__ import annotations

import errno
import hashlib
import hmac
import os
import re
import secrets
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache, wraps
from pathlib import Path
from typing import IO, Any, Concatenate, ParamSpec, Self, TypeVar

from platformdirs import user_data_path

T = TypeVar("T")
P = ParamSpec("P")
S = TypeVar("S", bound="Database")

HOME_VARIABLE = "CSPCA_HOME"
MEMORY = ":memory:"
DATABASE = "store.sqlite"
FILES = "files"
TOKEN = "token"
ADDRESS = "dashboard-address"

APPLICATION = 0x43535043
"""SQLite's ``application_id`` of our files ("CSPC"): another program's file is not touched."""

VERSION = 1
"""SQLite's ``user_version``; whoever changes a table raises it and brings older stores to it."""

STRANGERS = {
    "run_cells": "run NOT IN (SELECT number FROM runs) OR key NOT IN (SELECT key FROM cells)",
    "cells": "key NOT IN (SELECT key FROM run_cells)",
}
"""Rows that speak of others that are not there, and cells that no run holds."""

_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS runs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
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
    changed INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX IF NOT EXISTS runs_by_owner ON runs (owner, content);
CREATE TABLE IF NOT EXISTS cells (
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
CREATE INDEX IF NOT EXISTS claims ON cells (claimant) WHERE until IS NOT NULL;
CREATE INDEX IF NOT EXISTS files_of_cells ON cells (file) WHERE file IS NOT NULL;
CREATE TABLE IF NOT EXISTS run_cells (
    run INTEGER NOT NULL,
    key BLOB NOT NULL,
    position INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    PRIMARY KEY (run, key)
) STRICT;
CREATE INDEX IF NOT EXISTS runs_of_cells ON run_cells (key);
PRAGMA user_version = {VERSION};
PRAGMA application_id = {APPLICATION};
COMMIT;
"""

_HELD = """
CREATE TEMP VIEW IF NOT EXISTS held AS
    SELECT r.id AS run_id, r.trashed, rc.position, rc.error, c.*
    FROM runs r JOIN run_cells rc ON rc.run = r.number JOIN cells c ON c.key = rc.key
"""
"""The cells of every run."""

_PATIENCE = 30.0
"""Seconds to wait for another process; ours hold the file for milliseconds."""


Home = str | os.PathLike[str] | None


def store_home(home: Home = None) -> Path:
    """Folder of the store: `home`, ``CSPCA_HOME``, or the user's data folder; absolute."""
    chosen = home or os.environ.get(HOME_VARIABLE)
    folder = Path(chosen) if chosen else user_data_path("cspca", appauthor=False)
    return folder.expanduser().absolute()


# -- what can go wrong -----------------------------------------------------------------------------


class StoreError(ValueError):
    """The store cannot do what is asked; the message is one sentence that says what to do."""


_FAULTS = {
    "SQLITE_FULL SQLITE_IOERR ENOSPC EDQUOT EFBIG": (
        "has no room left: free some space and start again, what was finished is kept."
    ),
    "SQLITE_READONLY SQLITE_CANTOPEN SQLITE_PERM EACCES EPERM EROFS ENOTDIR EEXIST": (
        f"cannot be written: allow writing it, or choose another folder with {HOME_VARIABLE}."
    ),
    "SQLITE_BUSY SQLITE_LOCKED": (
        "is being written by another program for too long: try again in a minute."
    ),
    "SQLITE_CORRUPT SQLITE_NOTADB": "is damaged: run `python -m cspca doctor --repair`.",
}
"""What is wrong and what to do, by the names of errors; at the first two all goes on in memory."""


def _fault(error: BaseException | None) -> str:
    system = errno.errorcode.get(getattr(error, "errno", None) or 0, "")
    name = getattr(error, "sqlite_errorname", system)
    short = "_".join(name.split("_")[:2])
    reason = " ".join(str(getattr(error, "strerror", None) or error).split())[:100]
    message = f"cannot be used ({reason}): run `python -m cspca doctor`."
    return next((fault for names, fault in _FAULTS.items() if short in names.split()), message)


@contextmanager
def telling(what: str = "The store") -> Iterator[None]:
    """Turn errors of SQLite and of the file system into one sentence.

    It names no folder of the server: who reads it may be a visitor.
    """
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"{what} {_fault(error)}") from error


# -- the database and its files --------------------------------------------------------------------


def writes(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Run in one transaction, or as part of the one at work: all of it or nothing."""

    @wraps(method)
    def whole(self: S, /, *arguments: P.args, **named: P.kwargs) -> T:
        def work() -> T:
            # Committed at its end, or rolled back.
            with self.connection as connection:
                connection.execute("BEGIN IMMEDIATE")
                return method(self, *arguments, **named)

        with self.lock:
            if self.connection.in_transaction:
                return method(self, *arguments, **named)
            return self.going_on(work)

    return whole


class Database:
    """Short transactions on one connection behind one lock, and files named by their digest."""

    def __init__(self, home: Home = None) -> None:
        self.home = Path(MEMORY) if home == MEMORY else store_home(home)
        self.note = ""
        self.lock = threading.RLock()
        # Files, where all is kept in memory.
        self.kept: dict[str, bytes] | None = {} if home == MEMORY else None
        self._in_use: IO[bytes] | None = None
        # Runs that were on the disk when it could not be written any more; None while it can.
        self._left_behind: dict[str, int] | None = None
        self.connection = connect(MEMORY)
        try:
            self.going_on(self._open)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def in_memory(self) -> bool:
        """Whether all is gone when this program ends."""
        return self.kept is not None

    def going_on(self, work: Callable[[], T]) -> T:
        """Do what may need the disk; where it is full or shut, in memory with all there was."""
        try:
            with telling():
                return work()
        except StoreError as error:
            fault = _fault(error.__cause__)
            if fault not in list(_FAULTS.values())[:2]:
                raise
        with self.lock, telling():
            if not self.in_memory:
                before = connect_to_read(self.home / DATABASE)
                self.close()
                self.connection, self.kept = connect(MEMORY), {}
                if before is not None:
                    with closing(before):
                        before.backup(self.connection)
                make_tables(self.connection)
                self._left_behind = dict(
                    map(tuple, self.connection.execute("SELECT id, changed FROM runs"))
                )
                reason = (
                    "what is found from now on stays in memory and is gone when this program ends"
                )
                self.note = f"The store {fault.replace(': ', f': {reason}; ')}"
            return work()

    def _open(self) -> None:
        """Open the database, in a folder of its own where nobody else looks."""
        if not self.in_memory:
            path = self.home / DATABASE
            self.home.parent.mkdir(parents=True, exist_ok=True)
            self.home.mkdir(mode=0o700, exist_ok=True)
            if not path.exists():
                _make(path)
            if not path.stat().st_size:
                # None of ours is ever empty: what was in it was lost.
                raise StoreError(
                    f"{DATABASE} is empty, as a fault of the disk leaves it: move it away, then "
                    "put a copy back with `python -m cspca admin restore`, or begin anew."
                )
            # Not by opening it: to close it would let go of SQLite's own locks in this process.
            if not os.access(path, os.W_OK) or not os.access(self.home, os.W_OK):
                raise PermissionError(errno.EACCES, "cannot be written")
            self._in_use = hold(self.home)
            self.connection = connect(str(path))
            self._prepare()
        make_tables(self.connection)

    def go_back(self) -> bool:
        """Go back to the disk, where it can be written again, with all that memory has found.

        Whether everything is on the disk now.
        """
        with self.lock:
            if self._left_behind is None or self.connection.in_transaction:
                return not self.in_memory
            memory, files, note = self.connection, self.kept or {}, self.note
            self.connection, self.kept = connect(MEMORY), None
            try:
                self._open()
                for digest, content in files.items():
                    write_whole(self.path(digest), content, mode=0o600)
                with self.connection as disk:
                    disk.execute("BEGIN IMMEDIATE")
                    _merge(memory, disk, self._left_behind)
                    self.collect()
            except (sqlite3.Error, OSError, StoreError):
                self.close()
                self.connection, self.kept, self.note = memory, files, note
                return False
            # Only now: a commit that fails is tried again.
            self._left_behind, self.note = None, ""
            memory.close()
            return True

    def _prepare(self) -> None:
        self.connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        # What is removed is overwritten: a visitor who removes their data means it.
        self.connection.execute("PRAGMA secure_delete = ON")
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                # Turning the log on does not wait for other processes by itself.
                self.connection.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
        # A kill loses nothing; a power cut may lose the last moments, which are computed again.
        self.connection.execute("PRAGMA synchronous = NORMAL")

    def close(self) -> None:
        """Close it; other processes are not disturbed."""
        with self.lock:
            self.connection.close()
            if self._in_use is not None:
                self._in_use.close()

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Read."""
        with self.lock, telling():
            return self.connection.execute(sql, parameters).fetchall()

    def change(self, sql: str, *values: object) -> int:
        """Change rows, as part of a transaction; return how many."""
        return self.connection.execute(sql, values).rowcount

    def put_file(self, content: bytes) -> str:
        """Keep a file and return its digest, by which it is found.

        One that is there is written again: how long it takes says nothing of others.
        """
        digest = hashlib.sha256(content).hexdigest()

        def keep() -> None:
            if self.kept is None:
                write_whole(self.path(digest), content, mode=0o600)
            else:
                self.kept[digest] = content

        self.going_on(keep)
        return digest

    def get_file(self, digest: str) -> bytes:
        """Read a file; it can be trusted to be what was kept."""
        with telling(), suppress(FileNotFoundError):
            content = (self.kept or {}).get(digest) or self.path(digest).read_bytes()
            if hashlib.sha256(content).hexdigest() == digest:
                return content
        raise StoreError(
            "A file of the store is damaged or missing: run `python -m cspca doctor --repair`, "
            "then resume the run."
        )

    def file_size(self, digest: str) -> int:
        """Bytes of a file; 0 when it is missing."""
        if self.kept is not None:
            return len(self.kept.get(digest, b""))
        with telling(), suppress(FileNotFoundError):
            return self.path(digest).stat().st_size
        return 0

    def file_names(self) -> list[str]:
        """Digests of all files."""
        if self.kept is not None:
            return list(self.kept)
        return [path.name for path in (self.home / FILES).glob("*")]

    @writes
    def drop_files(self, digests: Iterable[str | None]) -> None:
        """Remove those of some files that nothing speaks of any more."""
        sql = "SELECT 1 FROM cells WHERE file = ? UNION SELECT 1 FROM runs WHERE file = ?"
        for digest in set(filter(None, digests)):
            if self.rows(sql, (digest, digest)):
                continue
            if self.kept is None:
                self.path(digest).unlink(missing_ok=True)
            else:
                self.kept.pop(digest, None)

    @writes
    def collect(self) -> None:
        """Remove cells that no run holds any more, with their files."""
        for table, where in STRANGERS.items():
            removed = self.rows(f"DELETE FROM {table} WHERE {where} RETURNING *")
        self.drop_files(row["file"] for row in removed)

    def tidy(self) -> None:
        """Give freed space back, as far as nobody needs the file meanwhile."""
        with self.lock, suppress(sqlite3.Error):
            self.connection.execute("PRAGMA incremental_vacuum").fetchall()
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def writable(self) -> bool:
        """Whether what is found now would be kept."""
        probe = self.home / "probe"
        with suppress(OSError, sqlite3.Error):
            write_whole(probe, b"written" * 64, mode=0o600)
            probe.unlink()
            with closing(connect(str(self.home / DATABASE))) as connection:
                connection.execute("BEGIN IMMEDIATE")
            return not self.in_memory
        return False

    def path(self, digest: str) -> Path:
        """Where a file lies on the disk."""
        return self.home / FILES / Path(digest).name


def _make(path: Path) -> None:
    """Make a new database, which is there whole or not at all."""
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}.half")
    try:
        # SQLite's log and its index get the same mode.
        os.close(os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        with closing(connect(str(fresh))) as connection:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            make_tables(connection)
        # Another process may have begun at the same time: its file stays.
        try:
            os.link(fresh, path)
        except FileExistsError:
            pass
        except OSError:
            # A file system without links.
            if not path.exists():
                fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes, *, mode: int = 0o666) -> None:
    """Write a file so that, whatever happens, it is there whole or not at all."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    half = path.with_name(f"{path.name}.{secrets.token_hex(4)}.half")
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


def hold(home: Path, *, alone: bool = False) -> IO[bytes] | None:
    """Say that the store is in use until the file is closed; None when others are in the way."""
    with suppress(OSError):
        file = os.fdopen(os.open(home / "in-use", os.O_RDWR | os.O_CREAT, 0o600), "r+b")
        try:
            if sys.platform != "win32":  # there, a file that is open cannot be replaced anyway
                import fcntl

                fcntl.flock(file, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
            return file
        except OSError:
            file.close()
    return None


def connect(place: str) -> sqlite3.Connection:
    """Open a database in autocommit mode, for all threads."""
    connection = sqlite3.connect(
        place, timeout=_PATIENCE, isolation_level=None, check_same_thread=False, uri=True
    )
    connection.row_factory = sqlite3.Row
    # What is no text any more shall be found out by its seal, not by SQLite.
    connection.text_factory = lambda content: content.decode("utf-8", "replace")
    return connection


def _merge(memory: sqlite3.Connection, disk: sqlite3.Connection, before: dict[str, int]) -> None:
    """Bring to the disk what changed in memory since runs were as `before`, by id and changes."""
    runs = {row["id"]: row for row in memory.execute("SELECT * FROM runs")}
    # What was removed meanwhile: a visitor who removes their data means those on the disk too.
    disk.executemany("DELETE FROM runs WHERE id = ?", [(name,) for name in before.keys() - runs])
    there = {row["id"] for row in disk.execute("SELECT id FROM runs")}
    for name, row in runs.items():
        if name in before and (name not in there or row["changed"] == before[name]):
            continue
        values = {column: value for column, value in dict(row).items() if column != "number"}
        marks = ", ".join("?" * len(values))
        updates = ", ".join(f"{column} = excluded.{column}" for column in values)
        disk.execute(
            f"INSERT INTO runs ({', '.join(values)}) VALUES ({marks}) "
            f"ON CONFLICT (id) DO UPDATE SET {updates}",
            tuple(values.values()),
        )
        (number,) = disk.execute("SELECT number FROM runs WHERE id = ?", (name,)).fetchone()
        held = memory.execute(
            "SELECT rc.position, rc.tries, rc.error, c.* FROM run_cells rc JOIN cells c USING (key)"
            " WHERE rc.run = ?",
            (row["number"],),
        )
        for cell in held:
            _merge_cell(disk, number, cell)


def _merge_cell(disk: sqlite3.Connection, run: int, cell: sqlite3.Row) -> None:
    disk.execute(
        "INSERT INTO run_cells (run, key, position, tries, error) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (run, key) DO UPDATE SET tries = excluded.tries, error = excluded.error",
        (run, cell["key"], cell["position"], cell["tries"], cell["error"]),
    )
    # A claim of this process goes on; a result that another process has finished first stays.
    columns = ("name", "until", "rows", "arrays", "file", "seconds", "versions", "seal", "finished")
    disk.execute(
        f"INSERT INTO cells (key, claimant, commits, {', '.join(columns)}) "
        f"VALUES (?, ?, ?{', ?' * len(columns)}) ON CONFLICT (key) DO UPDATE SET "
        "claimant = excluded.claimant, commits = excluded.commits, "
        f"{', '.join(f'{name} = excluded.{name}' for name in columns)} "
        "WHERE finished IS NULL",
        (
            cell["key"],
            None if cell["until"] is None else run,
            cell["commits"],
            *(cell[name] for name in columns),
        ),
    )


def connect_to_read(path: Path) -> sqlite3.Connection | None:
    """Open without writing, if there is something to read."""
    # The log cannot be shared in a folder that is not writable; whoever wrote last, and closed the
    # store, left nothing in it.
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        with suppress(sqlite3.OperationalError):
            connection = connect(f"{path.as_uri()}?{mode}")
            connection.execute("SELECT count(*) FROM sqlite_master")
            return connection
    return None


def make_tables(connection: sqlite3.Connection) -> None:
    """Have the tables of this version in a new database, and refuse those of others."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    mark = connection.execute("PRAGMA application_id").fetchone()[0]
    if mark == APPLICATION and version > VERSION:
        raise StoreError(
            "The store was made by a newer cspca: update cspca, or choose another folder with "
            f"{HOME_VARIABLE}."
        )
    if mark != APPLICATION and connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        raise StoreError(
            f"{DATABASE} belongs to another program: choose another folder with {HOME_VARIABLE}."
        )
    if version < VERSION:
        connection.executescript(_SCHEMA)
    connection.execute(_HELD)


def readable(damaged: sqlite3.Connection, table: str, columns: str = "*") -> Iterator[sqlite3.Row]:
    """Rows before the first damaged page, after the last, and one by one between."""
    ends: dict[str, int] = {}
    sql = f"SELECT rowid AS at, {columns} FROM {table} NOT INDEXED"
    for order in ("ASC", "DESC"):
        try:
            for row in damaged.execute(f"{sql} ORDER BY rowid {order}"):
                ends[order] = row["at"]
                yield row
        except sqlite3.DatabaseError:
            continue
        return
    first = ends.get("ASC", 0)
    most = first + 20_000
    for number in range(first + 1, min(ends.get("DESC", most), most)):
        with suppress(sqlite3.DatabaseError):
            yield from damaged.execute(f"{sql} WHERE rowid = ?", (number,)).fetchall()


# -- its owner: whoever can read the token that lies in the folder ---------------------------------


def token_place(home: Home = None) -> Path:
    """Where the owner's token lies."""
    return store_home(home) / "owner-token"


def owner_token(home: Home = None) -> str:
    """Return the token, which the dashboard exchanges for a cookie; made when first asked for."""
    path = token_place(home)
    try:
        if not path.exists():
            fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
            write_whole(fresh, secrets.token_hex(16).encode(), mode=0o600)
            try:
                os.link(fresh, path)
            except FileExistsError:
                pass  # Another process has begun at the same time.
            finally:
                fresh.unlink()
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return _passing(path)


@cache
def _passing(path: Path) -> str:
    """A token until this process ends, of a folder that cannot be written or looked at."""
    return secrets.token_hex(16)


def owner_secret(home: Home = None) -> str:
    """Return what the owner's cookie holds: it proves the token and does not tell it."""
    return hmac.new(owner_token(home).encode(), b"cspca owner", "sha256").hexdigest()[:32]


def owner_link(address: str, home: Home = None) -> str:
    """Return the link that opens a dashboard with its owner's rights."""
    return f"{address}/?{TOKEN}={owner_token(home)}"


VISITOR = "X-CSPCA-Visitor"
"""The header in which the server tells a page who its visitor is; from outside it is dropped."""


def cookie_name(home: Home = None, *, secure: bool = False) -> str:
    """Return the name of the visitor's cookie, of each store another: a host may have many servers.

    Parameters
    ----------
    home : path-like, optional
        Folder of the store; by default that of the environment.
    secure : bool, default False
        Whether it travels by TLS: then no other site, of the same domain either, can plant one.

    Returns
    -------
    str
        The name; with ``__Host-`` before it where `secure`.
    """
    name = f"cspca_{hashlib.sha256(str(store_home(home)).encode()).hexdigest()[:8]}"
    return f"__Host-{name}" if secure else name


def secret_in(cookies: Mapping[str, str], *, secure: bool = False) -> str:
    """Return the visitor's secret that a browser has kept; empty where there is none."""
    secret = str(cookies.get(cookie_name(secure=secure), ""))
    return secret if re.fullmatch(r"[0-9a-f]{32}", secret) else ""


def note_address(address: str) -> None:
    """Leave the address of the dashboard of a store where only its owner can write."""
    with suppress(OSError):
        write_whole(store_home() / ADDRESS, address.encode(), mode=0o600)


def noted_address(home: Home = None) -> str:
    """Return the address of the dashboard that was last begun on a store; empty without one."""
    with suppress(OSError):
        return (store_home(home) / ADDRESS).read_text(encoding="utf-8")
    return ""
