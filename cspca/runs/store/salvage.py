"""What can still be read of a damaged database, put into a sound one."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cspca.runs.store.database import DATABASE
from cspca.runs.store.errors import StoreError
from cspca.runs.store.schema import APPLICATION, MIGRATIONS, TABLES

__all__ = ["salvage", "structural_damage"]

_PROBES = 20_000
"""Rows between two readable stretches that are tried one by one."""

_LARGEST = 1 << 36
"""Bytes that the header of a file may claim."""


def structural_damage(path: Path) -> list[str]:
    """What SQLite finds wrong with a file; empty when it is sound.

    Parameters
    ----------
    path : Path
    """
    connection = sqlite3.connect(path, timeout=30.0)
    try:
        rows = connection.execute("PRAGMA integrity_check(20)").fetchall()
        return [row[0] for row in rows if row[0] != "ok"]
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
            raise
        return [str(error)]
    finally:
        connection.close()


def salvage(home: Path, stamp: str) -> int:
    """Replace the damaged database of a store by a sound one with all rows that can be read.

    The damaged file stays beside it.

    Parameters
    ----------
    home : Path
    stamp : str
        Goes into the name under which the damaged file is kept.

    Returns
    -------
    int
        Rows saved.

    Raises
    ------
    StoreError
        When nothing can be read; the file is left as it is.
    """
    path = home / DATABASE
    rescued, copy = home / "runs.rescued.sqlite", home / "runs.copy.sqlite"
    for place in (rescued, *_parts(copy)):
        place.unlink(missing_ok=True)
    try:
        for part, place in zip(_parts(path), _parts(copy), strict=True):
            if part.exists():
                shutil.copyfile(part, place)
        _pad(copy)
        saved = _read_over(copy, rescued)
    finally:
        for place in _parts(copy):
            place.unlink(missing_ok=True)
    if not saved:
        rescued.unlink()
        raise StoreError(
            f"Nothing can be read of {path}: put a copy of it in its place, or move it away to "
            "start with an empty store."
        )
    with rescued.open("rb+") as file:
        os.fsync(file.fileno())
    # The log belongs to the damaged file: it must never meet the new one.
    for part, place in zip(
        _parts(path), _parts(home / f"runs.damaged-{stamp}.sqlite"), strict=True
    ):
        if part.exists():
            part.replace(place)
    rescued.replace(path)
    return saved


def _parts(path: Path) -> list[Path]:
    """A database's files: its log, the index of that, itself last."""
    return [path.with_name(path.name + suffix) for suffix in ("-wal", "-shm", "")]


def _pad(path: Path) -> None:
    """Give a truncated file its length again: SQLite reads nothing of it otherwise."""
    with path.open("r+b") as file:
        header = file.read(100)
        size = int.from_bytes(header[16:18], "big")
        wanted = (65536 if size == 1 else size) * int.from_bytes(header[28:32], "big")
        if file.seek(0, os.SEEK_END) < wanted <= _LARGEST:
            file.truncate(wanted)


def _read_over(damaged_path: Path, rescued: Path) -> int:
    damaged = sqlite3.connect(damaged_path, timeout=30.0)
    sound = sqlite3.connect(rescued)
    try:
        for script in MIGRATIONS:
            sound.executescript(script)
        sound.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        sound.execute(f"PRAGMA application_id = {APPLICATION}")
        try:
            damaged.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.DatabaseError:
            return 0
        saved = sum(_copy(damaged, sound, table) for table in TABLES)
        sound.commit()
        return saved
    finally:
        damaged.close()
        sound.close()


def _copy(damaged: sqlite3.Connection, sound: sqlite3.Connection, table: str) -> int:
    columns = [row[1] for row in sound.execute(f"PRAGMA table_info({table})")]
    saved = 0
    marks = ",".join("?" * len(columns))
    for row in _readable(damaged, table, columns):
        try:
            saved += sound.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row).rowcount
        except sqlite3.Error:
            # A value of the wrong type: damage inside the row.
            continue
    return saved


def _readable(
    damaged: sqlite3.Connection, table: str, columns: list[str]
) -> Iterator[tuple[Any, ...]]:
    """Rows before the first damaged page, after the last, and one by one between."""
    names = ", ".join(columns)
    ends: dict[str, int | None] = {}
    for order in ("ASC", "DESC"):
        ends[order] = None
        try:
            for row in damaged.execute(
                f"SELECT rowid, {names} FROM {table} NOT INDEXED ORDER BY rowid {order}"
            ):
                ends[order] = row[0]
                yield row[1:]
        except sqlite3.DatabaseError:
            continue
        return
    first, last = ends["ASC"] or 0, ends["DESC"]
    last = first + _PROBES if last is None else last
    for number in range(first + 1, min(last, first + _PROBES)):
        try:
            yield from damaged.execute(
                f"SELECT {names} FROM {table} NOT INDEXED WHERE rowid = ?", (number,)
            ).fetchall()
        except sqlite3.DatabaseError:
            continue
