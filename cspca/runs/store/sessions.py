"""A process at work on a run: it claims cells, computes them elsewhere, and commits them once."""

from __future__ import annotations

import os
import platform
import secrets
import threading
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from cspca.runs.store.database import Database
from cspca.runs.store.errors import StoreError, telling
from cspca.runs.store.files import Arrays, Files
from cspca.runs.store.liveness import Pulse, alive
from cspca.runs.store.records import CellState, RunState, digest, dump, versions

__all__ = ["LEASE", "Finished", "OpenUnit", "Session", "folder_of", "live_sessions"]

LEASE = 60.0
"""Seconds without a sign of life after which a session's claims are free."""


def folder_of(run_id: str) -> str:
    """Folder of a run's arrays, in the store's folder."""
    return f"arrays/{run_id}"


def live_sessions(database: Database, run_id: str | None = None) -> frozenset[str]:
    """Sessions that are at work, on one run or on all.

    Parameters
    ----------
    database : Database
    run_id : str or None, default=None
    """
    where, values = ("", ()) if run_id is None else (" AND run_id = ?", (run_id,))
    rows = database.rows(f"SELECT id, host, beat FROM sessions WHERE ended IS NULL{where}", values)
    here, now = platform.node(), time.time()
    return frozenset(
        row["id"]
        for row in rows
        if now - row["beat"] < LEASE and (row["host"] != here or alive(database.home, row["id"]))
    )


@dataclass(frozen=True)
class OpenUnit:
    """Cells that are to be computed together.

    Attributes
    ----------
    unit, step, category : str
    n_cells : int
        How many of them are not done.
    n_free : int
        How many of those nobody has claimed.
    """

    unit: str
    step: str
    category: str
    n_cells: int
    n_free: int


@dataclass(frozen=True)
class Finished:
    """A computed cell.

    Attributes
    ----------
    key : str
    result : mapping
        Plain values.
    seconds : float
    arrays : mapping of str to ndarray or None
        To be kept under the cell's key.
    """

    key: str
    result: Mapping[str, Any]
    seconds: float
    arrays: Arrays | None = None


class Session:
    """One process's work on one run; a context manager.

    A claim is good as long as the session shows signs of life. Whoever finds it dead may claim
    the same cells; a commit of cells that were lost in this way leaves them alone, so that each
    cell is committed exactly once.

    Parameters
    ----------
    database : Database
    files : Files
    run_id : str
    backend : str, default=""
        Where it computes, for the record.
    """

    def __init__(self, database: Database, files: Files, run_id: str, *, backend: str = "") -> None:
        self.id = secrets.token_hex(12)
        self.run_id = run_id
        self._database, self._files, self._backend = database, files, backend
        self._over = threading.Event()

    def __enter__(self) -> Self:
        self._database.check_writable()
        with telling(self._database.home):
            self._pulse = Pulse(self._database.home, self.id)
        now = time.time()
        try:
            with self._database.transaction() as connection:
                connection.execute(
                    "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)",
                    (
                        *(self.id, self.run_id, platform.node(), os.getpid(), self._backend),
                        *(dump(versions()), now, now),
                    ),
                )
                connection.execute(
                    "UPDATE runs SET state = ?, updated = ?, error = NULL WHERE id = ?",
                    (RunState.RUNNING, now, self.run_id),
                )
        except BaseException:
            self._pulse.stop()
            raise
        self._heart = threading.Thread(target=self._beat, name="cspca-lease", daemon=True)
        self._heart.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._heart.join()
        try:
            self._end(error)
        except StoreError:
            # A full disk, most likely what ended the work: the lock alone frees the claims.
            if error is None:
                raise
        finally:
            self._pulse.stop()

    def open_units(self) -> list[OpenUnit]:
        """Units with cells that are not done and could be computed now, in the run's order."""
        live = live_sessions(self._database, self.run_id)
        marks = ",".join("?" * len(live))
        rows = self._database.rows(
            "SELECT c.unit, c.step, c.category, count(*) AS n, "
            f"sum(c.state = 'todo' OR c.owner NOT IN ({marks})) AS free "
            "FROM cells c LEFT JOIN cells n ON n.run_id = c.run_id AND n.key = c.needs "
            "WHERE c.run_id = ? AND c.state IN ('todo', 'claimed') "
            "AND (c.needs IS NULL OR n.state = 'done') "
            "GROUP BY c.unit ORDER BY min(c.position)",
            (*live, self.run_id),
        )
        return [OpenUnit(r["unit"], r["step"], r["category"], r["n"], r["free"]) for r in rows]

    def n_open(self) -> dict[tuple[str, str], int]:
        """How many cells are not done, by step and category."""
        rows = self._database.rows(
            "SELECT step, category, count(*) AS n FROM cells "
            "WHERE run_id = ? AND state IN ('todo', 'claimed') GROUP BY step, category",
            (self.run_id,),
        )
        return {(row["step"], row["category"]): row["n"] for row in rows}

    def times(self) -> dict[tuple[str, str], tuple[float, int]]:
        """Seconds that the finished cells took, and how many they are, by step and category."""
        rows = self._database.rows(
            "SELECT step, category, sum(seconds) AS spent, count(*) AS n FROM cells "
            "WHERE run_id = ? AND state = 'done' GROUP BY step, category",
            (self.run_id,),
        )
        return {(row["step"], row["category"]): (row["spent"], row["n"]) for row in rows}

    def claim(self, unit: str) -> tuple[str, ...]:
        """Claim the cells of a unit that are free; return their keys, in the run's order.

        Nothing is free in a run that was put in the trash.
        """
        live = sorted(live_sessions(self._database, self.run_id) | {self.id})
        marks = ",".join("?" * len(live))
        with self._database.transaction() as connection:
            rows = connection.execute(
                "SELECT c.key FROM cells c JOIN runs r ON r.id = c.run_id "
                "WHERE c.run_id = ? AND c.unit = ? AND r.deleted IS NULL AND "
                f"(c.state = 'todo' OR (c.state = 'claimed' AND c.owner NOT IN ({marks}))) "
                "ORDER BY c.position",
                (self.run_id, unit, *live),
            ).fetchall()
            keys = tuple(row["key"] for row in rows)
            connection.executemany(
                "UPDATE cells SET state = 'claimed', owner = ? WHERE run_id = ? AND key = ?",
                [(self.id, self.run_id, key) for key in keys],
            )
        return keys

    def commit(self, finished: Sequence[Finished]) -> tuple[str, ...]:
        """Keep computed cells, all in one transaction; return the keys of those kept.

        A cell is left out when its claim was lost.

        Raises
        ------
        StoreError
            When the store is full or cannot be written: none of them is kept.
        """
        folder = folder_of(self.run_id)
        # Files first: a row never speaks of a file that is not there.
        files = {
            one.key: self._files.write(folder, one.arrays)
            for one in finished
            if one.arrays is not None
        }
        kept = []
        with self._database.transaction() as connection:
            for one in finished:
                result = dump(one.result)
                changed = connection.execute(
                    "UPDATE cells SET state = ?, result = ?, digest = ?, seconds = ?, "
                    "has_arrays = ?, commits = commits + 1, owner = NULL, error = NULL "
                    "WHERE run_id = ? AND key = ? AND owner = ? AND state = 'claimed'",
                    (
                        *(CellState.DONE, result, digest(one.key, result), one.seconds),
                        *(one.key in files, self.run_id, one.key, self.id),
                    ),
                ).rowcount
                if not changed:
                    continue
                kept.append(one.key)
                if one.key in files:
                    connection.execute(
                        "INSERT OR REPLACE INTO arrays VALUES (?, ?, ?, ?)",
                        (self.run_id, one.key, *files[one.key]),
                    )
            self._touch(connection)
        return tuple(kept)

    def fail(self, keys: Iterable[str], sentence: str) -> int:
        """Note that cells failed, and with them those that need them; return how many."""
        with self._database.transaction() as connection:
            failed = 0
            for key in keys:
                failed += connection.execute(
                    "UPDATE cells SET state = ?, error = ?, owner = NULL "
                    "WHERE run_id = ? AND key = ? AND owner = ? AND state = 'claimed'",
                    (CellState.FAILED, sentence, self.run_id, key, self.id),
                ).rowcount
                failed += connection.execute(
                    "UPDATE cells SET state = ?, error = ?, owner = NULL "
                    "WHERE run_id = ? AND needs = ? AND state IN ('todo', 'claimed')",
                    (CellState.FAILED, sentence, self.run_id, key),
                ).rowcount
            self._touch(connection)
        return failed

    def release(self, keys: Collection[str]) -> None:
        """Give back cells that were claimed and not computed."""
        with self._database.transaction() as connection:
            connection.executemany(
                "UPDATE cells SET state = 'todo', owner = NULL "
                "WHERE run_id = ? AND key = ? AND owner = ? AND state = 'claimed'",
                [(self.run_id, key, self.id) for key in keys],
            )

    def _touch(self, connection: Any) -> None:
        now = time.time()
        connection.execute("UPDATE runs SET updated = ? WHERE id = ?", (now, self.run_id))
        connection.execute("UPDATE sessions SET beat = ? WHERE id = ?", (now, self.id))

    def _beat(self) -> None:
        while not self._over.wait(LEASE / 4):
            try:
                with self._database.transaction() as connection:
                    connection.execute(
                        "UPDATE sessions SET beat = ? WHERE id = ?", (time.time(), self.id)
                    )
            except StoreError:
                # The next commit meets the same, and says so where it is heard.
                continue

    def _end(self, error: BaseException | None) -> None:
        others = live_sessions(self._database, self.run_id) - {self.id}
        now = time.time()
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE cells SET state = 'todo', owner = NULL "
                "WHERE run_id = ? AND owner = ? AND state = 'claimed'",
                (self.run_id, self.id),
            )
            connection.execute("UPDATE sessions SET ended = ? WHERE id = ?", (now, self.id))
            left = connection.execute(
                "SELECT count(*) FROM cells WHERE run_id = ? AND state IN ('todo', 'claimed')",
                (self.run_id,),
            ).fetchone()[0]
            state = RunState.STOPPED if left else RunState.DONE
            if others and left:
                state = RunState.RUNNING
            # Being told to stop is no fault to report.
            told = error if isinstance(error, Exception) else None
            connection.execute(
                "UPDATE runs SET state = ?, updated = ?, error = ? WHERE id = ?",
                (state, now, None if told is None else str(told), self.run_id),
            )
