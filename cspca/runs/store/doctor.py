"""Looks a store over and repairs it: structure, results, files, work left half done."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cspca.runs.store.content import DATA
from cspca.runs.store.database import DATABASE, Database
from cspca.runs.store.errors import StoreError, telling
from cspca.runs.store.files import HALF, Files
from cspca.runs.store.home import store_home
from cspca.runs.store.liveness import alive, forget_dead
from cspca.runs.store.records import RunState, digest, dump, seal
from cspca.runs.store.salvage import salvage, structural_damage
from cspca.runs.store.sessions import folder_of, live_sessions

__all__ = ["Finding", "Report", "doctor"]


@dataclass(frozen=True)
class Finding:
    """Something that is not as it should be.

    Attributes
    ----------
    what : str
        One sentence.
    repaired : bool
    """

    what: str
    repaired: bool


@dataclass(frozen=True)
class Report:
    """What the doctor found.

    Attributes
    ----------
    home : Path
    findings : tuple of Finding
    n_runs, n_cells, n_files : int
        What was looked at.
    """

    home: Path
    findings: tuple[Finding, ...]
    n_runs: int = 0
    n_cells: int = 0
    n_files: int = 0

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong, or nothing is any more."""
        return all(finding.repaired for finding in self.findings)


def doctor(home: str | os.PathLike[str] | None = None, *, repair: bool = False) -> Report:
    """Check a store, and repair it if asked.

    What is repaired: a damaged database keeps all rows that can be read, the damaged file stays
    beside it, with the files of rows that cannot; results and arrays that are damaged or missing
    become open cells again, which a resumed run computes; claims of processes that are gone are
    free; files that belong to nothing go. Processes at work are not disturbed.

    Parameters
    ----------
    home : path or None, default=None
        Folder of the store; see :func:`cspca.runs.store.store_home`.
    repair : bool, default=False
        Repair what is found; otherwise nothing is changed.

    Returns
    -------
    Report

    Raises
    ------
    StoreError
        One sentence when nothing can be done: a store of a newer version, nothing readable, or
        one in use that needs its database rebuilt.
    """
    place = store_home(home)
    path = place / DATABASE
    rescued = place / "runs.rescued.sqlite"
    if not path.exists() and rescued.exists() and repair:
        # Left by a repair that was cut short at its last step.
        rescued.replace(path)
    if not path.exists():
        return Report(place, ())
    findings: list[Finding] = []
    aside: Path | None = None
    with telling(place):
        damage = structural_damage(path)
        if damage:
            if not repair:
                what = f"The database is damaged ({damage[0]})."
                return Report(place, (Finding(what, repaired=False),))
            _nobody_at_work(place)
            stamp = time.strftime("%Y%m%d-%H%M%S")
            saved = salvage(place, stamp)
            aside = place / f"runs.damaged-{stamp}.files"
            findings.append(
                Finding(
                    f"The database was damaged ({damage[0]}): {saved:,} rows were saved into a "
                    "new one, the old one is kept beside it.",
                    repaired=True,
                )
            )
    database = Database(place)
    try:
        checks = _Checks(database, repair, aside)
        findings += checks.all()
        count = "SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM cells)"
        n_runs, n_cells = tuple(database.rows(count)[0])
        return Report(place, tuple(findings), n_runs, n_cells, checks.n_files)
    finally:
        database.close()


def _nobody_at_work(home: Path) -> None:
    for lock in (home / "sessions").glob("*.lock"):
        if alive(home, lock.stem):
            raise StoreError(
                f"The store in {home} is in use and its database must be rebuilt: stop what works "
                "on it first."
            )


class _Checks:
    """One look over a store whose database is sound as a file."""

    def __init__(self, database: Database, repair: bool, aside: Path | None = None) -> None:
        self._database, self._repair, self._aside = database, repair, aside
        self._files = Files(database.home)
        self.n_files = 0

    def all(self) -> Iterator[Finding]:
        """Everything, in an order in which one repair may bring the next."""
        yield from self._strangers()
        yield from self._requests()
        yield from self._results()
        yield from self._arrays()
        yield from self._kept_data()
        yield from self._half_done()
        yield from self._orphans()

    def _found(self, what: str, repaired: bool = True) -> Finding:
        return Finding(what, repaired=self._repair and repaired)

    def _write(self, *statements: tuple[str, list[tuple[object, ...]]]) -> None:
        if self._repair:
            with self._database.transaction() as connection:
                for sql, rows in statements:
                    connection.executemany(sql, rows)

    def _strangers(self) -> Iterator[Finding]:
        """Rows that speak of others that are not there, as a rescue may leave them."""
        broken = [
            row["id"]
            for row in self._database.rows("SELECT id, versions FROM sessions")
            if not _plain(row["versions"])
        ]
        if broken:
            self._write(("DELETE FROM sessions WHERE id = ?", [(one,) for one in broken]))
            yield self._found(f"{len(broken):,} notes on who worked could not be read.")
        rows = self._database.rows(
            "SELECT DISTINCT r.sha256, d.record FROM runs r "
            "LEFT JOIN datasets d ON d.sha256 = r.sha256"
        )
        for row in rows:
            if row["record"] is not None and _plain(row["record"]):
                continue
            unknown = {
                "sha256": row["sha256"], "name": "unknown data", "n_samples": 0, "n_features": 0,
                "n_classes": 0, "image_shape": None,
            }  # fmt: skip
            self._write(
                (
                    "INSERT INTO datasets VALUES (?, ?, NULL) ON CONFLICT (sha256) DO UPDATE SET "
                    "record = excluded.record",
                    [(row["sha256"], dump(unknown))],
                )
            )
            yield self._found("It was lost what some data are called: their fingerprint is known.")
        for table in ("cells", "arrays"):
            lost = self._database.rows(
                f"SELECT count(*) AS n FROM {table} WHERE run_id NOT IN (SELECT id FROM runs)"
            )[0]["n"]
            if lost:
                self._write(
                    (f"DELETE FROM {table} WHERE run_id NOT IN (SELECT id FROM runs)", [()])
                )
                yield self._found(f"{lost:,} {table} belonged to no run.")

    def _requests(self) -> Iterator[Finding]:
        for row in self._database.rows("SELECT * FROM runs"):
            if row["state"] not in set(RunState):
                self._write(
                    ("UPDATE runs SET state = ? WHERE id = ?", [(RunState.STOPPED, row["id"])])
                )
                yield self._found(f"It was lost where the run {row['name']} stands.")
            sealed = seal(row["kind"], row["request"], row["versions"], row["seeds"])
            if sealed != row["digest"] and row["deleted"] is None:
                self._write(
                    ("UPDATE runs SET deleted = coalesce(deleted, ?) WHERE id = ?",
                     [(time.time(), row["id"])])
                )  # fmt: skip
                yield self._found(
                    f"What was asked of the run {row['name']} is damaged: it was put in the trash."
                )

    def _results(self) -> Iterator[Finding]:
        rows = self._database.rows(
            "SELECT c.run_id, c.key, c.result, c.digest, c.has_arrays, a.name, r.name AS run "
            "FROM cells c JOIN runs r ON r.id = c.run_id "
            "LEFT JOIN arrays a ON a.run_id = c.run_id AND a.name = c.key "
            "WHERE c.state = 'done' OR c.result IS NOT NULL"
        )
        wrong: dict[str, list[tuple[object, ...]]] = {}
        for row in rows:
            result = row["result"]
            bad = result is None or digest(row["key"], result) != row["digest"]
            if bad or (row["has_arrays"] and row["name"] is None):
                wrong.setdefault(row["run"], []).append((row["run_id"], row["key"]))
        for run, cells in wrong.items():
            self._write((_REOPEN, cells))
            yield self._found(
                f"{len(cells):,} results of the run {run} were damaged: they are computed again "
                "when it is resumed."
            )

    def _arrays(self) -> Iterator[Finding]:
        rows = self._database.rows(
            "SELECT a.run_id, a.name, a.sha256, r.name AS run FROM arrays a "
            "JOIN runs r ON r.id = a.run_id"
        )
        for row in rows:
            self.n_files += 1
            folder = folder_of(row["run_id"])
            sound = self._files.sound(folder, row["sha256"])
            if sound:
                continue
            cell = [(row["run_id"], row["name"])]
            self._write(
                ("DELETE FROM arrays WHERE run_id = ? AND name = ?", list(cell)),
                (_REOPEN, list(cell)),
            )
            if self._repair:
                self._files.path(folder, row["sha256"]).unlink(missing_ok=True)
            yield self._found(
                f"A file of the run {row['run']} is {'missing' if sound is None else 'damaged'}: "
                "it is made again when the run is resumed."
            )

    def _kept_data(self) -> Iterator[Finding]:
        rows = self._database.rows("SELECT * FROM datasets WHERE file_sha256 IS NOT NULL")
        for row in rows:
            self.n_files += 1
            sound = self._files.sound(DATA, row["file_sha256"])
            if sound:
                continue
            self._write(
                ("UPDATE datasets SET file_sha256 = NULL WHERE sha256 = ?", [(row["sha256"],)])
            )
            if self._repair:
                self._files.path(DATA, row["file_sha256"]).unlink(missing_ok=True)
            yield self._found(
                f"Kept data are {'missing' if sound is None else 'damaged'}: bring the file again "
                "to resume their runs."
            )

    def _half_done(self) -> Iterator[Finding]:
        live = live_sessions(self._database)
        open_ones = self._database.rows("SELECT id FROM sessions WHERE ended IS NULL")
        dead = [row["id"] for row in open_ones if row["id"] not in live]
        marks = ",".join("?" * len(live))
        stuck = self._database.rows(
            "SELECT run_id, key FROM cells WHERE state = 'claimed' "
            f"AND (owner IS NULL OR owner NOT IN ({marks}))",
            tuple(live),
        )
        if stuck:
            cells: list[tuple[object, ...]] = [(row["run_id"], row["key"]) for row in stuck]
            self._write((_REOPEN, cells))
            yield self._found(
                f"{len(stuck):,} cells were claimed by a process that is gone: they are free again."
            )
        if dead:
            now = time.time()
            self._write(
                ("UPDATE sessions SET ended = ? WHERE id = ?", [(now, one) for one in dead]),
                (
                    "UPDATE runs SET state = CASE WHEN EXISTS (SELECT 1 FROM cells c WHERE "
                    "c.run_id = runs.id AND c.state IN ('todo', 'claimed')) THEN ? ELSE ? END "
                    "WHERE state = ? AND id NOT IN (SELECT run_id FROM sessions WHERE ended IS "
                    "NULL)",
                    [(RunState.STOPPED, RunState.DONE, RunState.RUNNING)],
                ),
            )
            yield self._found(
                f"{len(dead):,} {'process' if len(dead) == 1 else 'processes'} ended without a "
                "word: what was committed is kept."
            )
        if self._repair:
            forget_dead(self._database.home, live)

    def _put_away(self, path: Path) -> None:
        if self._aside is None:
            path.unlink(missing_ok=True)
            return
        place = self._aside / path.relative_to(self._database.home)
        place.parent.mkdir(parents=True, exist_ok=True)
        path.replace(place)

    def _orphans(self) -> Iterator[Finding]:
        if live_sessions(self._database):
            # A file is written before the row that speaks of it: not now.
            return
        known = {
            self._files.path(folder_of(row["run_id"]), row["sha256"])
            for row in self._database.rows("SELECT run_id, sha256 FROM arrays")
        } | {
            self._files.path(DATA, row["file_sha256"])
            for row in self._database.rows(
                "SELECT file_sha256 FROM datasets WHERE file_sha256 IS NOT NULL"
            )
        }
        orphans = [
            path for path in self._files.all() if path not in known or path.name.endswith(HALF)
        ]
        if orphans:
            if self._repair:
                for path in orphans:
                    self._put_away(path)
            # Rows that could not be read spoke of some of them: as long as the damaged database is
            # there, so are they.
            where = f": they are in {self._aside.name} now" if self._aside else ""
            yield self._found(f"{len(orphans):,} files belonged to nothing{where}.")


def _plain(text: str) -> bool:
    """Whether some text is JSON."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


_REOPEN = (
    "UPDATE cells SET state = 'todo', owner = NULL, result = NULL, digest = NULL, seconds = NULL, "
    "has_arrays = 0, error = NULL WHERE run_id = ? AND key = ?"
)
