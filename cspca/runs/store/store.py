"""The store: every run that was asked for, what of it is finished, and what it was made with."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import time
from collections.abc import Collection, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import NDArray

from cspca.runs.store.adoption import adopt
from cspca.runs.store.content import Content, data_record
from cspca.runs.store.database import Database
from cspca.runs.store.errors import StoreError
from cspca.runs.store.files import Files
from cspca.runs.store.home import store_home
from cspca.runs.store.records import (
    CellRecord,
    CellState,
    DataRecord,
    NewCell,
    RunRecord,
    RunState,
    digest,
    dump,
    seal,
    versions,
)
from cspca.runs.store.sessions import Session, folder_of, live_sessions

if TYPE_CHECKING:
    from cspca.datasets import Dataset

__all__ = ["Store"]

_RUNS = """
SELECT r.*, d.record, d.file_sha256,
    coalesce(sum(c.state = 'done'), 0) AS n_done,
    coalesce(sum(c.state = 'failed'), 0) AS n_failed,
    coalesce(sum(c.seconds), 0.0) AS spent
FROM runs r JOIN datasets d ON d.sha256 = r.sha256 LEFT JOIN cells c ON c.run_id = r.id
"""


_NEW_CELL = """
INSERT OR IGNORE INTO cells (run_id, key, position, step, unit, needs, category)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""


class Store:
    """Runs on disk, for many threads and processes at once.

    Parameters
    ----------
    home : path or None, default=None
        Folder; see :func:`cspca.runs.store.store_home`.

    Raises
    ------
    StoreError
        When it cannot be opened: damaged, of a newer version, or in a folder that is neither
        writable nor holds a store. A store that can only be read opens, and refuses to write.
    """

    def __init__(self, home: str | os.PathLike[str] | None = None) -> None:
        self.home = store_home(home)
        self._database = Database(self.home)
        self._files = Files(self.home)
        self._content = Content(self._database, self._files)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close it; other processes are not disturbed."""
        self._database.close()

    @property
    def read_only(self) -> bool:
        """Whether it can be read and not written."""
        return self._database.read_only

    # -- runs ------------------------------------------------------------------------------------

    def create(
        self,
        kind: str,
        name: str,
        dataset: Dataset,
        request: Mapping[str, Any],
        cells: Iterable[NewCell],
        *,
        seeds: Iterable[int] = (),
        context: str = "",
        keep_data: bool = False,
    ) -> str:
        """Note a run that is to be made; return its unguessable id.

        Parameters
        ----------
        kind : str
        name : str
            For people; may be changed.
        dataset : Dataset
        request : mapping
            Plain values that say all that was asked.
        cells : iterable of NewCell
            All of them, in the order in which they are best computed.
        seeds : iterable of int, default=()
        context : str, default=""
            What results depend on beside the data, the kind and the key of their cell; see
            :meth:`adopt`.
        keep_data : bool, default=False
            Keep the data themselves too; otherwise what they are, and their fingerprint.

        Raises
        ------
        StoreError
            When the store cannot be written.
        """
        sha256 = self._content.put(dataset, keep=keep_data)
        run_id, now, asked = _new_id(), time.time(), dump(request)
        made_with = dump(versions()), dump(list(seeds))
        rows = _rows(run_id, cells)
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, NULL, ?, ?, ?, ?, ?, ?, ?, NULL)",
                (
                    *(run_id, kind, _named(name), RunState.READY, now, now, sha256, context, asked),
                    *(seal(kind, asked, *made_with), *made_with, len(rows)),
                ),
            )
            connection.executemany(_NEW_CELL, rows)
        return run_id

    def adopt(self, run_id: str) -> int:
        """Take over what other runs have found of the same cells; return how many.

        From runs of the same kind, on the same data, in the same context, by the same versions of
        everything: nothing that is known is computed again. Runs in the trash are left alone.

        Parameters
        ----------
        run_id : str
        """
        return adopt(self._database, self._files, run_id)

    def restore_cells(self, run_id: str, cells: Iterable[NewCell]) -> int:
        """Put right the cells of a run, where a damaged store has lost some; return how many.

        Parameters
        ----------
        run_id : str
        cells : iterable of NewCell
            All that the run was created with, in the same order.
        """
        known = self._database.rows(
            "SELECT run_id, key, position, step, unit, needs, category FROM cells WHERE run_id = ?",
            (run_id,),
        )
        there, wanted = {tuple(row) for row in known}, _rows(run_id, cells)
        strange = there.difference(wanted)
        missing = [row for row in wanted if row not in there]
        if strange or missing:
            with self._database.transaction() as connection:
                connection.executemany(
                    "DELETE FROM cells WHERE run_id = ? AND key = ?", [row[:2] for row in strange]
                )
                connection.executemany(_NEW_CELL, missing)
        return len(missing)

    def get(self, run_id: str) -> RunRecord:
        """Return a run, deleted or not.

        Raises
        ------
        StoreError
            When there is none of that id.
        """
        rows = self._database.rows(f"{_RUNS} WHERE r.id = ? GROUP BY r.id", (run_id,))
        if not rows:
            raise StoreError("There is no run of this id in the store: look at the list of runs.")
        return self._run(rows[0], live_sessions(self._database, run_id))

    def __contains__(self, run_id: object) -> bool:
        """Whether there is a run of this id, deleted or not."""
        return bool(self._database.rows("SELECT 1 FROM runs WHERE id = ?", (run_id,)))

    def find(self, kind: str, sha256: str, request: Mapping[str, Any]) -> tuple[str, ...]:
        """Ids of the runs that were asked for the same, the one changed last first.

        Of the same data and by the same versions of everything, so that going on with one of them
        gives the numbers of a new one. Those in the trash are left out.

        Parameters
        ----------
        kind : str
        sha256 : str
            Fingerprint of the data.
        request : mapping
            As in :meth:`create`.
        """
        ours = dump(versions())
        rows = self._database.rows(
            "SELECT r.id FROM runs r WHERE r.kind = ? AND r.sha256 = ? AND r.request = ? "
            "AND r.versions = ? AND r.deleted IS NULL AND NOT EXISTS "
            "(SELECT 1 FROM sessions s WHERE s.run_id = r.id AND s.versions <> ?) "
            "ORDER BY r.updated DESC",
            (kind, sha256, dump(request), ours, ours),
        )
        return tuple(row["id"] for row in rows)

    def stamp(self) -> str:
        """Something that changes whenever a run appears, is renamed, deleted, begun or ended."""
        rows = self._database.rows("SELECT id, name, state, deleted FROM runs ORDER BY id")
        return digest(*(repr(tuple(row)) for row in rows), *sorted(live_sessions(self._database)))

    def runs(
        self, search: str = "", *, kind: str | None = None, deleted: bool = False
    ) -> tuple[RunRecord, ...]:
        """List runs, the one changed last first.

        Parameters
        ----------
        search : str, default=""
            Words that must all occur in the name, the kind or the name of the data.
        kind : str or None, default=None
            Of one kind only.
        deleted : bool, default=False
            Those in the trash in place of the others.

        See Also
        --------
        visible : what of it a visitor may see.
        """
        rows = self._database.rows(
            f"{_RUNS} WHERE (r.deleted IS NOT NULL) = ? AND (? IS NULL OR r.kind = ?) "
            "GROUP BY r.id ORDER BY r.updated DESC, r.created DESC",
            (deleted, kind, kind),
        )
        live = live_sessions(self._database)
        at_work = {row["run_id"] for row in self._sessions() if row["id"] in live}
        words = search.casefold().split()
        found = []
        for row in rows:
            run = self._run(row, live if row["id"] in at_work else frozenset(), listed=True)
            text = f"{run.name} {run.kind} {run.data.name}".casefold()
            if all(word in text for word in words):
                found.append(run)
        return tuple(found)

    def rename(self, run_id: str, name: str) -> None:
        """Give a run another name."""
        self._change(run_id, "name = ?", _named(name))

    def delete(self, run_id: str) -> None:
        """Put a run in the trash; :meth:`restore` takes it out. A sweep at work on it stops."""
        self._change(run_id, "deleted = coalesce(deleted, ?)", time.time())

    def restore(self, run_id: str) -> None:
        """Undo :meth:`delete`."""
        self._change(run_id, "deleted = NULL")

    def purge(self, *, older_than: float = 30 * 24 * 3600.0) -> tuple[str, ...]:
        """Remove runs for good that have long been in the trash; return their ids.

        Parameters
        ----------
        older_than : float, default=30 days
            Seconds since they were deleted. Pixels of data sets that no run needs go with them.
        """
        rows = self._database.rows(
            "SELECT id FROM runs WHERE deleted <= ?", (time.time() - older_than,)
        )
        gone = [r["id"] for r in rows if not live_sessions(self._database, r["id"])]
        with self._database.transaction() as connection:
            # Still in the trash: somebody may have taken it out meanwhile.
            gone = [
                run_id
                for run_id in gone
                if connection.execute(
                    "DELETE FROM runs WHERE id = ? AND deleted IS NOT NULL", (run_id,)
                ).rowcount
            ]
            connection.executemany(
                "DELETE FROM sessions WHERE run_id = ?", [(run_id,) for run_id in gone]
            )
            unused = connection.execute(
                "DELETE FROM datasets WHERE sha256 NOT IN (SELECT sha256 FROM runs) "
                "RETURNING file_sha256"
            ).fetchall()
        # Rows first: what is left of files when this is cut short, the doctor finds.
        for run_id in gone:
            self._files.remove(folder_of(run_id))
        for row in unused:
            if row["file_sha256"] is not None:
                self._files.path("data", row["file_sha256"]).unlink(missing_ok=True)
        return tuple(gone)

    def retry(self, run_id: str) -> int:
        """Make cells that failed open again; return how many."""
        with self._database.transaction() as connection:
            return connection.execute(
                "UPDATE cells SET state = 'todo', error = NULL "
                "WHERE run_id = ? AND state = 'failed'",
                (run_id,),
            ).rowcount

    # -- what a run holds ------------------------------------------------------------------------

    def cells(
        self, run_id: str, *, step: str | None = None, state: CellState | None = None
    ) -> tuple[CellRecord, ...]:
        """Cells of a run, in its order.

        Parameters
        ----------
        run_id : str
        step : str or None, default=None
            Of one kind of work only.
        state : CellState or None, default=None
            In one state only.

        Raises
        ------
        StoreError
            When a result is damaged.
        """
        rows = self._database.rows(
            "SELECT * FROM cells WHERE run_id = ? AND (? IS NULL OR step = ?) "
            "AND (? IS NULL OR state = ?) ORDER BY position",
            (run_id, step, step, state, state),
        )
        return tuple(self._cell(row) for row in rows)

    def results(self, run_id: str, keys: Collection[str]) -> dict[str, Mapping[str, Any]]:
        """Results of those of some cells that are done, by key."""
        found: dict[str, Mapping[str, Any]] = {}
        for key in keys:
            rows = self._database.rows(
                "SELECT * FROM cells WHERE run_id = ? AND key = ? AND state = 'done'",
                (run_id, key),
            )
            for row in rows:
                found[key] = self._cell(row).result or {}
        return found

    def array_names(self, run_id: str) -> tuple[str, ...]:
        """Names under which a run has arrays."""
        rows = self._database.rows(
            "SELECT name FROM arrays WHERE run_id = ? ORDER BY name", (run_id,)
        )
        return tuple(row["name"] for row in rows)

    def arrays(self, run_id: str, name: str) -> dict[str, NDArray[Any]]:
        """Arrays kept under a name: those of the cell of that key.

        Raises
        ------
        StoreError
            When there are none, or the file is missing or damaged.
        """
        rows = self._database.rows(
            "SELECT sha256 FROM arrays WHERE run_id = ? AND name = ?", (run_id, name)
        )
        if not rows:
            raise StoreError("This run has no arrays of that name.")
        return self._files.read(folder_of(run_id), rows[0]["sha256"])

    # -- data ------------------------------------------------------------------------------------

    def keep_dataset(self, dataset: Dataset) -> str:
        """Keep the pixels of a data set; return its fingerprint."""
        return self._content.put(dataset, keep=True)

    def forget_dataset(self, sha256: str) -> None:
        """Remove the pixels of a data set; its runs keep what they found."""
        self._content.forget(sha256)

    def dataset(self, sha256: str) -> Dataset:
        """Return a data set that is kept here or built in.

        Raises
        ------
        StoreError
            When it is neither: whoever asked must bring it again.
        """
        return self._content.get(sha256)

    def datasets(self) -> tuple[DataRecord, ...]:
        """What is known of all data sets."""
        rows = self._database.rows("SELECT * FROM datasets ORDER BY sha256")
        return tuple(data_record(row) for row in rows)

    # -- work ------------------------------------------------------------------------------------

    def session(self, run_id: str, *, backend: str = "") -> Session:
        """Begin to work on a run; a context manager.

        Parameters
        ----------
        run_id : str
        backend : str, default=""
            Where the work is done, for the record.

        Raises
        ------
        StoreError
            When there is no such run, it is in the trash, or the store cannot be written.
        """
        if self.get(run_id).deleted is not None:
            raise StoreError("This run is in the trash: restore it before it goes on.")
        return Session(self._database, self._files, run_id, backend=backend)

    def _change(self, run_id: str, what: str, *values: object) -> None:
        with self._database.transaction() as connection:
            changed = connection.execute(
                f"UPDATE runs SET {what}, updated = ? WHERE id = ?",
                (*values, time.time(), run_id),
            ).rowcount
        if not changed:
            raise StoreError("There is no run of this id in the store: look at the list of runs.")

    def _sessions(self, run_id: str | None = None) -> list[sqlite3.Row]:
        return self._database.rows(
            "SELECT * FROM sessions WHERE (? IS NULL OR run_id = ?) ORDER BY started",
            (run_id, run_id),
        )

    def _run(self, row: sqlite3.Row, live: Collection[str], *, listed: bool = False) -> RunRecord:
        request, error, seeds = row["request"], row["error"], row["seeds"]
        seen = []
        if seal(row["kind"], request, row["versions"], seeds) == row["digest"]:
            seen = [json.loads(row["versions"])]
        else:
            damage = (
                f"What was asked of the run {row['name']} is damaged: run `python -m cspca doctor "
                "--repair`."
            )
            if not listed:
                raise StoreError(damage)
            request, seeds, error = "{}", "[]", damage
        state = RunState(row["state"])
        left = row["n_cells"] - row["n_done"] - row["n_failed"]
        if live:
            state = RunState.RUNNING
        elif state is RunState.RUNNING:
            state = RunState.INTERRUPTED if left else RunState.DONE
        elif state is RunState.DONE and left:
            state = RunState.STOPPED
        elif state is RunState.READY and not left:
            state = RunState.DONE
        for session in self._sessions(row["id"]):
            found = json.loads(session["versions"])
            seen += [] if found in seen else [found]
        return RunRecord(
            id=row["id"],
            kind=row["kind"],
            name=row["name"],
            state=state,
            created=row["created"],
            updated=row["updated"],
            deleted=row["deleted"],
            data=data_record(row),
            request=json.loads(request),
            versions=tuple(seen),
            seeds=tuple(json.loads(seeds)),
            n_cells=row["n_cells"],
            n_done=row["n_done"],
            n_failed=row["n_failed"],
            seconds=row["spent"],
            error=error,
        )

    def _cell(self, row: sqlite3.Row) -> CellRecord:
        result = row["result"]
        if result is not None and digest(row["key"], result) != row["digest"]:
            raise StoreError(
                f"A result in the store in {self.home} is damaged: run `python -m cspca doctor "
                "--repair`, then resume the run."
            )
        return CellRecord(
            key=row["key"],
            step=row["step"],
            unit=row["unit"],
            category=row["category"],
            needs=row["needs"],
            state=CellState(row["state"]),
            result=None if result is None else json.loads(result),
            error=row["error"],
            seconds=row["seconds"],
            commits=row["commits"],
        )


def _rows(run_id: str, cells: Iterable[NewCell]) -> list[tuple[object, ...]]:
    return [
        (run_id, cell.key, i, cell.step, cell.unit, cell.needs, cell.category)
        for i, cell in enumerate(cells)
    ]


def _new_id() -> str:
    """An unguessable id, which no shell takes for an option."""
    while (found := secrets.token_urlsafe(16)).startswith("-"):
        pass
    return found


def _named(name: str) -> str:
    """A name for people: one line, not too long."""
    line = " ".join(name.split())[:200]
    if not line:
        raise StoreError("A run needs a name: give it at least one letter.")
    return line
