"""The tables, and how a store of an older version becomes one of this.

A store's version is SQLite's ``user_version``: the number of migrations it has been through. To
change a table, add a migration at the end; never change one that is there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from cspca.runs.store.errors import StoreError

__all__ = ["APPLICATION", "MIGRATIONS", "TABLES", "migrate", "version_of"]

APPLICATION = 0x43535043
"""SQLite's ``application_id`` of our files ("CSPC"): another program's file is not touched."""

_FIRST = """
CREATE TABLE datasets (
    sha256 TEXT PRIMARY KEY,
    record TEXT NOT NULL,
    file_sha256 TEXT
) STRICT;
CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    state TEXT NOT NULL,
    created REAL NOT NULL,
    updated REAL NOT NULL,
    deleted REAL,
    sha256 TEXT NOT NULL REFERENCES datasets,
    context TEXT NOT NULL,
    request TEXT NOT NULL,
    digest TEXT NOT NULL,
    versions TEXT NOT NULL,
    seeds TEXT NOT NULL,
    n_cells INTEGER NOT NULL,
    error TEXT
) STRICT;
CREATE INDEX runs_by_content ON runs (sha256, kind, context);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    run_id TEXT NOT NULL,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    backend TEXT NOT NULL,
    versions TEXT NOT NULL,
    started REAL NOT NULL,
    beat REAL NOT NULL,
    ended REAL
) STRICT;
CREATE INDEX open_sessions ON sessions (run_id) WHERE ended IS NULL;
CREATE TABLE cells (
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    key TEXT NOT NULL,
    position INTEGER NOT NULL,
    step TEXT NOT NULL,
    unit TEXT NOT NULL,
    needs TEXT,
    category TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'todo' CHECK (state IN ('todo', 'claimed', 'done', 'failed')),
    owner TEXT,
    result TEXT,
    digest TEXT,
    error TEXT,
    seconds REAL,
    has_arrays INTEGER NOT NULL DEFAULT 0,
    commits INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (run_id, key)
) STRICT;
CREATE INDEX cells_by_unit ON cells (run_id, unit);
CREATE INDEX cells_by_need ON cells (run_id, needs);
CREATE INDEX cells_by_state ON cells (run_id, state, seconds);
CREATE INDEX open_cells ON cells (run_id, position) WHERE state IN ('todo', 'claimed');
CREATE TABLE arrays (
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (run_id, name)
) STRICT;
"""

MIGRATIONS: Sequence[str] = (_FIRST,)
"""SQL that brings a store from version i to i + 1, each in one transaction."""

TABLES = ("datasets", "runs", "sessions", "cells", "arrays")
"""In an order in which rows may be put back."""


def version_of(connection: sqlite3.Connection) -> int:
    """Version of a store; 0 for an empty file.

    Parameters
    ----------
    connection : sqlite3.Connection
    """
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, home: Path) -> None:
    """Bring a store to this version, all or nothing; an older one is copied aside first.

    Parameters
    ----------
    connection : sqlite3.Connection
        In autocommit mode.
    home : Path

    Raises
    ------
    StoreError
        When the store is of a newer version, or the file is another program's.
    """
    version = version_of(connection)
    mark = int(connection.execute("PRAGMA application_id").fetchone()[0])
    if version == len(MIGRATIONS) and mark == APPLICATION:
        return
    if version > len(MIGRATIONS):
        raise StoreError(
            f"The store in {home} was made by a newer cspca: update cspca, or choose another "
            "folder with CSPCA_HOME."
        )
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if mark != APPLICATION and (version or tables):
        raise StoreError(
            f"runs.sqlite in {home} belongs to another program: choose another folder with "
            "CSPCA_HOME."
        )
    if version:
        _copy_aside(connection, home, version)
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been faster.
        for number in range(version_of(connection), len(MIGRATIONS)):
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


def _copy_aside(connection: sqlite3.Connection, home: Path, version: int) -> None:
    place = home / f"runs.version-{version}.sqlite"
    if place.exists():
        return
    half = place.with_suffix(".tmp")
    half.unlink(missing_ok=True)
    copy = sqlite3.connect(half)
    try:
        connection.backup(copy)
    finally:
        copy.close()
    half.replace(place)
