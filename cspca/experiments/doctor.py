"""Looks a store over and repairs it: structure, requests, results, files, claims of the dead."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cspca.experiments import database
from cspca.experiments.database import DATABASE, Database, StoreError
from cspca.experiments.records import sealed_result, sealed_run


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
    """Check a store, and repair it if asked; StoreError says why nothing can be done."""
    place = database.store_home(home)
    if not (place / DATABASE).exists():
        return Report(place, ())
    faults: list[str] = []
    aside: Path | None = None
    alone = database.hold(place, alone=True)
    with database.telling(f"The store in {place}"), alone or nullcontext():
        damage = _structural_damage(place / DATABASE)
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
    with Database(place) as store:
        if repair and store.in_memory:
            raise StoreError(store.note)
        faults += _mended(store, _damaged(store), repair)
        # Where others are at work, a file may wait for the row that speaks of it.
        faults += _orphans(store, 3600.0 if alone is None else 0.0, repair, aside)
        runs, cells = (
            store.rows(f"SELECT count(*) FROM {table}")[0][0] for table in ("runs", "cells")
        )
        return Report(place, tuple(faults), repair, runs, cells, len(_spoken_of(store)))


def _damaged(store: Database) -> list[tuple[sqlite3.Row, list[bytes], bool]]:
    """Every run with the keys of its damaged results, and whether its kept data are damaged."""

    @cache
    def bad(digest: str | None) -> bool:
        with suppress(StoreError):
            return digest is not None and not store.get_file(digest)
        return True

    finished = "SELECT * FROM held WHERE run_id = ? AND finished IS NOT NULL"
    faults = []
    # Run by run: all results at once may be more than the memory holds.
    for run in store.rows("SELECT * FROM runs"):
        keys = [
            row["key"]
            for row in store.rows(finished, (run["id"],))
            if bad(row["file"]) or sealed_result(row) != row["seal"]
        ]
        faults.append((run, keys, bad(run["file"])))
    return faults


@database.writes
def _mended(
    store: Database, damaged: list[tuple[sqlite3.Row, list[bytes], bool]], repair: bool
) -> list[str]:
    """Find and mend what is wrong in the rows; a check is a repair that is taken back."""
    faults = []
    store.change("SAVEPOINT before")
    for run, keys, lost in damaged:
        name = run["name"]
        if run["trashed"] is None and sealed_run(run) != run["seal"]:
            trash = "UPDATE runs SET trashed = ? WHERE number = ?"
            store.change(trash, time.time(), run["number"])
            faults.append(f"What was asked of the run {name} is damaged: it was put in the trash.")
        for key in keys:
            store.change(
                "UPDATE cells SET until = NULL, claimant = NULL, rows = NULL, arrays = NULL, "
                "file = NULL, seconds = NULL, versions = NULL, seal = NULL, finished = NULL "
                "WHERE key = ?",
                key,
            )
        if keys:
            faults.append(
                f"Results of the run {name} were damaged or lost, {len(keys):,} in number: they "
                "are computed again when it is resumed."
            )
        if lost:
            store.change("UPDATE runs SET file = NULL WHERE number = ?", run["number"])
            faults.append(
                f"The data kept with the run {name} are damaged or missing: bring the file again "
                "to resume it."
            )
    # As a rescue may leave them.
    for table, where in database.STRANGERS.items():
        number = store.change(f"DELETE FROM {table} WHERE {where}")
        if number:
            faults.append(
                f"Cells were lost or belonged to no run, {number:,} in number: a resumed run "
                "computes what it lacks."
            )
    if not repair:
        store.change("ROLLBACK TO before")
    elif faults:
        # Whoever has counted what is finished counts again.
        store.change("UPDATE runs SET changed = changed + 1")
    return faults


def _spoken_of(store: Database) -> set[str]:
    """Files that rows speak of."""
    rows = store.rows("SELECT file FROM cells UNION SELECT file FROM runs")
    return {row["file"] for row in rows if row["file"] is not None}


def _orphans(store: Database, young: float, repair: bool, aside: Path | None) -> Iterator[str]:
    """Files that no row speaks of; of a rebuilt database they are put aside, otherwise they go."""
    referenced, latest = _spoken_of(store), time.time() - young
    orphans = [
        path
        for path in (store.home / database.FILES).glob("*")
        if path.name not in referenced and path.stat().st_mtime <= latest
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
        connection = database.connect_to_read(path)
        if connection is None:
            raise PermissionError(errno.EACCES, "cannot be read")
        with closing(connection):
            verdict = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            return "" if verdict == "ok" else " ".join(str(verdict).split())
    except sqlite3.DatabaseError as error:
        if "locked" in str(error):
            raise
        return str(error)


def _rebuild(home: Path, damaged: str) -> int:
    """Replace a damaged database by a sound one with all rows that can be read; how many."""
    old, rescued = home / DATABASE, home / "store.rescued.sqlite"
    rescued.unlink(missing_ok=True)
    saved = _read_over(old, rescued)
    if not saved:
        rescued.unlink()
        raise StoreError(
            f"Nothing can be read of {old}: put a copy of it in its place, or move it away to "
            "start with an empty store."
        )
    # The old log must never meet the new database, and there is one at every moment.
    for log in home.glob(f"{DATABASE}-*"):
        log.replace(home / log.name.replace("store", damaged, 1))
    shutil.copy2(old, home / f"{damaged}.sqlite")
    rescued.chmod(0o600)
    rescued.replace(old)
    return saved


def _read_over(old: Path, rescued: Path) -> int:
    saved = 0
    with (
        closing(database.connect(f"{old.as_uri()}?mode=ro")) as damaged,
        closing(database.connect(str(rescued))) as sound,
    ):
        database.make_tables(sound)
        with suppress(sqlite3.DatabaseError):
            # SQLite reads nothing of a truncated file otherwise.
            damaged.execute("PRAGMA writable_schema = ON")
            damaged.execute("SELECT count(*) FROM sqlite_master")
            sound.execute("BEGIN")
            for table in ("runs", "cells", "run_cells"):
                columns = [row["name"] for row in sound.execute(f"PRAGMA table_info({table})")]
                sql = f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * len(columns))})"
                for row in database.readable(damaged, table, ", ".join(columns)):
                    # A value of the wrong type: damage inside the row.
                    with suppress(sqlite3.Error):
                        saved += sound.execute(sql, tuple(row)[1:]).rowcount
            sound.execute("COMMIT")
    return saved
