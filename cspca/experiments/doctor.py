"""Looks a store over and repairs it: structure, requests, results, files, claims of the dead."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cspca.experiments.database import (
    DATABASE,
    FILES,
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


@dataclass(frozen=True)
class Fault:
    """Something that is not as it should be, in one sentence."""

    what: str
    repaired: bool


@dataclass(frozen=True)
class Report:
    """What the doctor found, and how much was looked at."""

    home: Path
    faults: tuple[Fault, ...]
    n_runs: int = 0
    n_cells: int = 0
    n_files: int = 0

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong, or nothing is any more."""
        return all(fault.repaired for fault in self.faults)


def doctor(home: str | os.PathLike[str] | None = None, *, repair: bool = False) -> Report:
    """Check a store, and repair it if asked; otherwise nothing is changed.

    A damaged database keeps all rows that can be read, the damaged file stays beside it, with the
    files of rows that cannot; results and files that are damaged or missing become open cells,
    which a resumed run computes; claims of processes that are gone are free; files that belong to
    nothing go. Work is not disturbed. StoreError says why nothing can be done.
    """
    place = store_home(home)
    path = place / DATABASE
    if repair and not path.exists() and (place / _RESCUED).exists():
        # Left by a repair that was cut short at its last step.
        (place / _RESCUED).replace(path)
    if not path.exists():
        return Report(place, ())
    faults: list[Fault] = []
    aside: Path | None = None
    with telling(place), ExitStack() as stack:
        alone = hold(place, alone=True)
        if alone is not None:
            stack.enter_context(alone)
        damage = _structural_damage(path)
        if damage and not repair:
            return Report(place, (Fault(f"The database is damaged ({damage}).", False),))
        if damage and alone is None:
            raise StoreError(
                f"The store in {place} is in use and its database must be rebuilt: stop what works "
                "on it first."
            )
        if damage:
            stamp = time.strftime("%Y%m%d-%H%M%S")
            saved = _rebuild(place, stamp)
            aside = place / f"store.damaged-{stamp}.files"
            words = f"{saved:,} rows were saved into a new one, the old one is kept beside it."
            faults.append(Fault(f"The database was damaged ({damage}): {words}", True))
    with closing(Database(place)) as database:
        if repair and database.in_memory:
            raise StoreError(database.note)
        sound: dict[str, bool] = {}
        for what, sql, values in _wrong(database, sound):
            if repair:
                database.write(partial(_executed, sql, values))
            faults.append(Fault(what, repair))
        young = 0.0 if alone is not None else _YOUNG
        known = {digest for digest, whole in sound.items() if whole or not repair}
        faults += _orphans(place, known, young, repair, aside)
        if repair and faults:
            # Whoever has counted what is finished counts again.
            database.write(partial(_executed, "UPDATE runs SET changed = changed + 1", [()]))
        n_runs, n_cells = (
            database.rows(f"SELECT count(*) AS n FROM {table}")[0]["n"] for table in TABLES[:2]
        )
        return Report(place, tuple(faults), n_runs, n_cells, len(sound))


Wrong = tuple[str, str, list[tuple[object, ...]]]
"""What is wrong in one sentence, the statement that repairs it, and what it is told."""


def _executed(sql: str, values: list[tuple[object, ...]], connection: sqlite3.Connection) -> None:
    connection.executemany(sql, values)


def _wrong(database: Database, sound: dict[str, bool]) -> Iterator[Wrong]:
    """What is wrong in the rows, in an order in which one repair may bring the next.

    `sound` comes to say of every file that rows speak of whether it is as it was kept.
    """

    def kept(digest: str) -> bool:
        if digest not in sound:
            try:
                database.get_file(digest)
                sound[digest] = True
            except StoreError:
                sound[digest] = False
        return sound[digest]

    for row in database.rows("SELECT * FROM runs WHERE trashed IS NULL"):
        if sealed_run(row) != row["seal"]:
            yield (
                f"What was asked of the run {row['name']} is damaged: it was put in the trash.",
                "UPDATE runs SET trashed = ? WHERE number = ?",
                [(time.time(), row["number"])],
            )
    # Rows that speak of others that are not there, as a rescue may leave them.
    for table, where in _STRANGERS.items():
        number = database.rows(f"SELECT count(*) AS n FROM {table} WHERE {where}")[0]["n"]
        if number:
            yield (
                f"Cells were lost or belonged to no run, {number:,} in number: a resumed run "
                "computes what it lacks.",
                f"DELETE FROM {table} WHERE {where}",
                [()],
            )
    # Run by run: all results at once may be more than the memory holds.
    for run in database.rows("SELECT number, name, file FROM runs"):
        wrong: list[tuple[object, ...]] = [
            (row["key"],)
            for row in database.rows(_FINISHED, (run["number"],))
            if not (row["file"] is None or kept(row["file"])) or sealed_result(row) != row["seal"]
        ]
        if wrong:
            yield (
                f"Results of the run {run['name']} were damaged or lost, {len(wrong):,} in "
                "number: they are computed again when it is resumed.",
                _OPEN_AGAIN,
                wrong,
            )
        if run["file"] is not None and not kept(run["file"]):
            yield (
                f"The data kept with the run {run['name']} are damaged or missing: bring the "
                "file again to resume it.",
                "UPDATE runs SET file = NULL WHERE number = ?",
                [(run["number"],)],
            )
    now = time.time()
    dead = database.rows("SELECT count(*) AS n FROM cells WHERE until < ?", (now,))[0]["n"]
    if dead:
        yield (
            f"Cells were claimed by a process that is gone, {dead:,} in number: they are free "
            "again.",
            "UPDATE cells SET until = NULL, claimant = NULL WHERE until < ?",
            [(now,)],
        )


_STRANGERS = {
    "run_cells": "run NOT IN (SELECT number FROM runs) OR key NOT IN (SELECT key FROM cells)",
    "cells": "key NOT IN (SELECT key FROM run_cells)",
}

_FINISHED = (
    "SELECT c.* FROM run_cells rc JOIN cells c ON c.key = rc.key "
    "WHERE rc.run = ? AND c.finished IS NOT NULL"
)

_OPEN_AGAIN = (
    "UPDATE cells SET until = NULL, claimant = NULL, rows = NULL, arrays = NULL, file = NULL, "
    "seconds = NULL, versions = NULL, seal = NULL, finished = NULL WHERE key = ?"
)


def _orphans(
    home: Path, known: Collection[str], young: float, repair: bool, aside: Path | None
) -> Iterator[Fault]:
    """Files that no row speaks of; of a rebuilt database they are put aside, otherwise they go."""
    orphans = [
        path
        for path in sorted((home / FILES).glob("*"))
        if path.name not in known and time.time() - path.stat().st_mtime >= young
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
        yield Fault(f"Files belonged to nothing, {len(orphans):,} in all{where}.", repair)


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


def _rebuild(home: Path, stamp: str) -> int:
    """Replace a damaged database by a sound one with all rows that can be read; how many.

    The damaged file stays beside it; it stays in its place when nothing can be read.
    """
    path, rescued, copy = home / DATABASE, home / _RESCUED, home / "store.copy.sqlite"
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
            f"Nothing can be read of {path}: put a copy of it in its place, or move it away "
            "to start with an empty store."
        )
    # The log belongs to the damaged file: it must never meet the new one.
    kept = _parts(home / f"store.damaged-{stamp}.sqlite")
    for part, place in zip(_parts(path), kept, strict=True):
        if part.exists():
            part.replace(place)
    rescued.chmod(0o600)
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
            marks = ", ".join("?" * len(columns))
            for row in readable(damaged, table, ", ".join(columns)):
                try:
                    saved += sound.execute(
                        f"INSERT OR IGNORE INTO {table} VALUES ({marks})", tuple(row)[1:]
                    ).rowcount
                except sqlite3.Error:
                    # A value of the wrong type: damage inside the row.
                    continue
        sound.execute("COMMIT")
    return saved
