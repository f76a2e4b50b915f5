"""Looks a store over and repairs it: structure, requests, results, files, claims of the dead."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cspca.experiments.database import (
    DATABASE,
    FILES,
    STRANGERS,
    TABLES,
    Database,
    StoreError,
    connect,
    connect_to_read,
    hold,
    make_tables,
    readable,
    store_home,
    telling,
)
from cspca.experiments.records import sealed_result, sealed_run

_RESCUED = "store.rescued.sqlite"

_LARGEST = 1 << 36
"""Bytes that the header of a file may claim."""

_YOUNG = 3600.0
"""Seconds in which a file may wait for the row that speaks of it, where others are at work."""

_OPEN_AGAIN = (
    "UPDATE cells SET until = NULL, claimant = NULL, rows = NULL, arrays = NULL, file = NULL, "
    "seconds = NULL, versions = NULL, seal = NULL, finished = NULL WHERE key = ?"
)


@dataclass(frozen=True)
class Report:
    """What the doctor found, a sentence each; whether it was mended, and how much was looked at."""

    home: Path
    faults: tuple[str, ...]
    repaired: bool = False
    n_runs: int = 0
    n_cells: int = 0
    n_files: int = 0

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong, or nothing is any more."""
        return self.repaired or not self.faults


def doctor(home: str | os.PathLike[str] | None = None, *, repair: bool = False) -> Report:
    """Check a store, and repair it if asked; StoreError says why nothing can be done.

    Of a damaged database all is kept that can be read, and the file itself beside it. What is
    damaged or missing becomes an open cell, which a resumed run computes. Work is not disturbed.
    """
    place = store_home(home)
    path = place / DATABASE
    if repair and not path.exists() and (place / _RESCUED).exists():
        # Left by a repair that was cut short at its last step.
        (place / _RESCUED).replace(path)
    if not path.exists():
        return Report(place, ())
    faults: list[str] = []
    aside: Path | None = None
    alone = hold(place, alone=True)
    with telling(place), alone or nullcontext():
        damage = _structural_damage(path)
        if damage and not repair:
            return Report(place, (f"The database is damaged ({damage}).",))
        if damage and alone is None:
            raise StoreError(
                f"The store in {place} is in use and its database must be rebuilt: stop what works "
                "on it first."
            )
        if damage:
            aside = place / f"store.damaged-{time.strftime('%Y%m%d-%H%M%S')}.files"
            words = f"{_rebuild(place, aside.stem):,} rows were saved into a new one"
            faults.append(
                f"The database was damaged ({damage}): {words}, the old one is kept beside it."
            )
    with Database(place) as database:
        if repair and database.in_memory:
            raise StoreError(database.note)

        def mend(what: str, sql: str, *values: tuple[object, ...]) -> None:
            faults.append(what)
            if repair:
                found = values or ((),)
                database.write(lambda: database.connection.executemany(sql, found))

        _look_over(database, mend)
        faults += _orphans(database, 0.0 if alone is not None else _YOUNG, repair, aside)
        if repair and faults:
            # Whoever has counted what is finished counts again.
            database.rows("UPDATE runs SET changed = changed + 1")
        n_runs, n_cells = _number(database, "runs"), _number(database, "cells")
        n_files = len(_spoken_of(database))
        return Report(place, tuple(faults), repair, n_runs, n_cells, n_files)


def _number(database: Database, what: str) -> int:
    return int(database.rows(f"SELECT count(*) FROM {what}")[0][0])


def _look_over(database: Database, mend: Callable[..., None]) -> None:
    """Find what is wrong in the rows, in an order in which one repair may bring the next.

    `mend` takes what is wrong in one sentence, the statement that repairs it, and its values.
    """

    @cache
    def whole(digest: str | None) -> bool:
        with suppress(StoreError):
            return digest is None or bool(database.get_file(digest))
        return False

    for row in database.rows("SELECT * FROM runs WHERE trashed IS NULL"):
        if sealed_run(row) != row["seal"]:
            mend(
                f"What was asked of the run {row['name']} is damaged: it was put in the trash.",
                "UPDATE runs SET trashed = ? WHERE number = ?",
                (time.time(), row["number"]),
            )
    # As a rescue may leave them.
    for table, where in STRANGERS.items():
        number = _number(database, f"{table} WHERE {where}")
        if number:
            mend(
                f"Cells were lost or belonged to no run, {number:,} in number: a resumed run "
                "computes what it lacks.",
                f"DELETE FROM {table} WHERE {where}",
            )
    # Run by run: all results at once may be more than the memory holds.
    for run in database.rows("SELECT id, name, file FROM runs"):
        finished = "SELECT * FROM held WHERE run_id = ? AND finished IS NOT NULL"
        wrong = [
            (row["key"],)
            for row in database.rows(finished, (run["id"],))
            if not whole(row["file"]) or sealed_result(row) != row["seal"]
        ]
        if wrong:
            mend(
                f"Results of the run {run['name']} were damaged or lost, {len(wrong):,} in "
                "number: they are computed again when it is resumed.",
                _OPEN_AGAIN,
                *wrong,
            )
        if not whole(run["file"]):
            mend(
                f"The data kept with the run {run['name']} are damaged or missing: bring the "
                "file again to resume it.",
                "UPDATE runs SET file = NULL WHERE id = ?",
                (run["id"],),
            )
    over = f"until < {time.time()!r}"
    dead = _number(database, f"cells WHERE {over}")
    if dead:
        mend(
            f"Cells were claimed by a process that is gone, {dead:,} in number: they are free "
            "again.",
            f"UPDATE cells SET until = NULL, claimant = NULL WHERE {over}",
        )


def _spoken_of(database: Database) -> set[str]:
    """Files that rows speak of."""
    rows = database.rows("SELECT file FROM cells UNION SELECT file FROM runs")
    return {row["file"] for row in rows if row["file"] is not None}


def _orphans(database: Database, young: float, repair: bool, aside: Path | None) -> Iterator[str]:
    """Files that no row speaks of; of a rebuilt database they are put aside, otherwise they go."""
    known, latest = _spoken_of(database), time.time() - young
    orphans = [
        path
        for path in sorted((database.home / FILES).glob("*"))
        if path.name not in known and path.stat().st_mtime <= latest
    ]
    for path in orphans if repair else ():
        if aside is None:
            path.unlink(missing_ok=True)
        else:
            # Rows that could not be read spoke of some of them: as long as the damaged database
            # is there, so are they.
            aside.mkdir(exist_ok=True)
            path.replace(aside / path.name)
    if orphans:
        where = f": they are in {aside.name} now" if aside else ""
        yield f"Files belonged to nothing, {len(orphans):,} in all{where}."


# -- a damaged database ----------------------------------------------------------------------------


def _structural_damage(path: Path) -> str:
    """What SQLite finds wrong with a file first; empty when it is sound."""
    try:
        connection = connect_to_read(path)
        if connection is None:
            raise PermissionError(errno.EACCES, "cannot be read")
        with closing(connection):
            found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            return "" if found == "ok" else " ".join(str(found).split())
    except sqlite3.DatabaseError as error:
        if "locked" in str(error):
            raise
        return str(error)


def _rebuild(home: Path, damaged: str) -> int:
    """Replace a damaged database by a sound one with all rows that can be read; how many.

    The damaged file stays beside it; it stays in its place when nothing can be read.
    """
    rescued = home / _RESCUED
    rescued.unlink(missing_ok=True)
    # The database and its log, which must never meet the new one: first what belongs to the old.
    parts = sorted(home.glob(f"{DATABASE}*"), reverse=True)
    with tempfile.TemporaryDirectory(dir=home) as folder:
        for part in parts:
            shutil.copyfile(part, Path(folder, part.name))
        _pad(Path(folder, DATABASE))
        saved = _read_over(Path(folder, DATABASE), rescued)
    if not saved:
        rescued.unlink()
        raise StoreError(
            f"Nothing can be read of {home / DATABASE}: put a copy of it in its place, or move it "
            "away to start with an empty store."
        )
    for part in parts:
        part.replace(home / part.name.replace("store", damaged, 1))
    rescued.chmod(0o600)
    rescued.replace(home / DATABASE)
    return saved


def _pad(path: Path) -> None:
    """Give a truncated file its length again: SQLite reads nothing of it otherwise."""
    with path.open("r+b") as file:
        header = file.read(100)
        size = int.from_bytes(header[16:18], "big")
        wanted = (65536 if size == 1 else size) * int.from_bytes(header[28:32], "big")
        if file.seek(0, os.SEEK_END) < wanted <= _LARGEST:
            file.truncate(wanted)


def _read_over(copy: Path, rescued: Path) -> int:
    saved = 0
    with closing(connect(str(copy))) as damaged, closing(connect(str(rescued))) as sound:
        make_tables(sound, rescued)
        try:
            damaged.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.DatabaseError:
            return 0
        sound.execute("BEGIN")
        for table in TABLES:
            columns = [row["name"] for row in sound.execute(f"PRAGMA table_info({table})")]
            sql = f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * len(columns))})"
            for row in readable(damaged, table, ", ".join(columns)):
                # A value of the wrong type: damage inside the row.
                with suppress(sqlite3.Error):
                    saved += sound.execute(sql, tuple(row)[1:]).rowcount
        sound.execute("COMMIT")
    return saved
