"""The store: what was asked for, which of its cells are finished, and whose it is.

A cell is known by a hash of its scope, the content of the data and its name. On data that
everybody has the scope is public, otherwise it is the visitor's own: nobody learns from an instant
answer that somebody else has the same file. A worker claims a cell until a moment, renews that in
time, and what comes after it was lost is dropped: no finished cell is computed twice. This gives up
one thing: the cells that a killed worker had claimed wait until their lease is over.
"""

from __future__ import annotations

import hmac
import json
import os
import random
import sqlite3
import time
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

from cspca.experiments.database import Database, insert
from cspca.experiments.database import StoreError as StoreError
from cspca.experiments.database import store_home as store_home
from cspca.experiments.experiment import Cell, Experiment, Result
from cspca.experiments.legacy import carry_over
from cspca.experiments.records import (
    PUBLIC,
    cell_key,
    dump,
    hashed,
    is_public,
    new_id,
    one_line,
    pack,
    seal,
    sealed_result,
    sealed_run,
    unpack,
)
from cspca.experiments.records import Claim as Claim
from cspca.experiments.records import Described as Described
from cspca.experiments.records import RunRecord as RunRecord
from cspca.experiments.records import RunState as RunState
from cspca.experiments.records import versions as versions
from cspca.experiments.settings import to_json

if TYPE_CHECKING:
    from cspca.datasets import Dataset

LEASE = 30.0
"""Seconds for which a cell is claimed."""

TRIES = 2
"""How often a cell that fails is tried in all."""

INLINE = 1 << 20
"""Bytes of arrays above which they are a file."""

RETENTION = 30 * 24 * 3600.0
"""Seconds that a run stays in the trash."""


_SAME = ("id", "view_id", "owner", "kind", "name", "created", "updated", "trashed", "n_cells")
"""Columns that a record has as they are."""

_UNKNOWN = "There is no run of this id in the store: look at the list of runs."


class Store(Database):
    """Runs and their cells on disk, for many threads and processes at once.

    `home` is its folder: None for ``CSPCA_HOME`` or the user's data folder, ":memory:" for none.
    StoreError says that it is damaged, of a newer version, or another program's. `note` is one
    sentence for the user, mostly empty: all goes on in memory, or what was carried over.
    """

    def __init__(self, home: str | os.PathLike[str] | None = None) -> None:
        super().__init__(home)
        self._counts: dict[str, tuple[int, dict[str, Any]]] = {}
        try:
            carried = carry_over(self)
        except BaseException:
            self.close()
            raise
        self.note = self.note or carried

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- who may do what -------------------------------------------------------------------------

    def may_change(self, run: RunRecord, owner: str | None) -> bool:
        """Whether somebody may rename, stop or remove a run: its owner, and the operator (None)."""
        if not owner:
            return owner is None
        return hmac.compare_digest(run.owner, hashed(owner))

    # -- runs ------------------------------------------------------------------------------------

    def create(
        self,
        experiment: Experiment,
        data: Dataset,
        *,
        owner: str = "",
        name: str | None = None,
        keep_data: bool = False,
    ) -> str:
        """Note a run that is to be made, with all its cells; return its unguessable id.

        `owner` is the secret of whoever asks, of which a hash is kept; "" is the user of this
        machine. Without `keep_data` what the data are is kept, and their fingerprint.
        """
        names = _names(experiment.cells(data))
        run_id, now, who = new_id(), time.time(), hashed(owner)
        described = Described.of(data)
        description, made = described.text(), dump(versions())
        scope = PUBLIC if is_public(data) else who
        settings = dump(to_json(experiment))
        run = {
            "id": run_id,
            "view_id": new_id(),
            "owner": who,
            "scope": scope,
            "kind": experiment.kind,
            "name": _named(name or f"{experiment.title} on {described.name}"),
            "settings": settings,
            "content": data.sha256,
            "description": description,
            "file": self._put_data(data) if keep_data else None,
            "plan": seal(*names),
            "seal": seal(experiment.kind, settings, data.sha256, description, made),
            "versions": made,
            "n_cells": len(names),
            "created": now,
            "updated": now,
        }

        def work(connection: sqlite3.Connection) -> None:
            number = insert(connection, "runs", run)
            _add_cells(connection, number, scope, data.sha256, names)

        self.write(work)
        return run_id

    def find(self, experiment: Experiment, data: Dataset, owner: str = "") -> str | None:
        """Id of the run in which the same was asked for by the same person, if there is one.

        With the same cells, so that going on with it gives the numbers of a new one.
        """
        asked = (hashed(owner), data.sha256, experiment.kind, dump(to_json(experiment)))
        rows = self.rows(
            "SELECT id, plan FROM runs WHERE owner = ? AND content = ? AND kind = ? "
            "AND settings = ? AND trashed IS NULL AND NOT imported ORDER BY updated DESC",
            asked,
        )
        plan = seal(*_names(experiment.cells(data))) if rows else ""
        return next((row["id"] for row in rows if row["plan"] == plan), None)

    def get(self, run_id: str) -> RunRecord:
        """Return a run, in the trash or not."""
        return self._record(self._row(run_id))

    def view(self, view_id: str) -> RunRecord:
        """Return the run that a link shows."""
        return self._record(self._row(view_id, "view_id"))

    def runs(
        self,
        owner: str | None = None,
        *,
        kind: str | None = None,
        text: str = "",
        trashed: bool = False,
    ) -> list[RunRecord]:
        """List runs, the one changed last first.

        Of one visitor; None is the operator, who sees all, and "" sees nothing. The words of `text`
        must all occur in the name, the kind or the name of the data.
        """
        if owner == "":
            return []
        rows = self.rows(
            "SELECT * FROM runs WHERE (trashed IS NOT NULL) = ? AND (? IS NULL OR kind = ?) "
            "AND (? IS NULL OR owner = ?) ORDER BY updated DESC, number DESC",
            (trashed, kind, kind, *[None if owner is None else hashed(owner)] * 2),
        )
        found = [self._record(row, listed=True) for row in rows]
        for word in text.casefold().split():
            found = [
                run for run in found if word in f"{run.name} {run.kind} {run.data.name}".casefold()
            ]
        return found

    def stamp(self, owner: str | None = None) -> tuple[object, ...]:
        """Something that changes when one of somebody's runs appears, changes, begins or ends."""
        who = None if owner is None else hashed(owner)
        rows = self.rows(
            "SELECT count(*), coalesce(sum(changed), 0), group_concat(CASE WHEN EXISTS "
            "(SELECT 1 FROM cells WHERE claimant = number AND until >= ?) THEN number END) "
            "FROM runs WHERE (? IS NULL OR owner = ?)",
            (time.time(), who, who),
        )
        return tuple(rows[0])

    def changed(self, run_id: str) -> int:
        """A number that grows with every change of a run; −1 when there is none of this id."""
        rows = self.rows("SELECT changed FROM runs WHERE id = ?", (run_id,))
        return int(rows[0]["changed"]) if rows else -1

    def rename(self, run_id: str, name: str) -> None:
        """Give a run another name."""
        self._change(run_id, "name = ?,", _named(name))

    def trash(self, run_id: str) -> None:
        """Put a run in the trash; :meth:`restore` takes it out. Work on it ends."""
        self._change(run_id, "trashed = coalesce(trashed, ?),", time.time())

    def restore(self, run_id: str) -> None:
        """Undo :meth:`trash`."""
        self._change(run_id, "trashed = NULL,")

    def purge(self, older_than: float = RETENTION) -> list[str]:
        """Remove runs for good that have been in the trash for so many seconds; return their ids.

        Cells that another run holds stay.
        """
        return self._remove("trashed <= ?", time.time() - older_than)

    def erase(self, owner: str | None) -> int:
        """Remove all that is somebody's, now and for good; return how many runs it was.

        None is the user of this machine.
        """
        return 0 if owner == "" else len(self._remove("owner = ?", hashed(owner or "")))

    # -- data ------------------------------------------------------------------------------------

    def keep_data(self, run_id: str, data: Dataset) -> None:
        """Keep the data of a run too."""
        row = self._row(run_id)
        _check_content(data, row["content"], row["name"])
        self._change(run_id, "file = ?,", self._put_data(data))

    def forget_data(self, run_id: str) -> None:
        """Remove the data of a run; it keeps what was found. Other runs keep theirs."""
        file = self._row(run_id)["file"]

        def work(connection: sqlite3.Connection) -> None:
            self._touch(connection, run_id, "file = NULL,")
            self.drop_files(connection, [file])

        self.write(work)

    def data(self, run_id: str) -> Dataset:
        """The data of a run: kept with it, built in, or downloaded before.

        StoreError says that it is none of these: whoever asked must bring it again.
        """
        from cspca.datasets import BUILTIN, Dataset, is_cached, load

        row = self._row(run_id)
        known = Described.read(row["description"])
        if row["file"] is not None:
            found = unpack(self.get_file(row["file"]))
            data = Dataset(found["data"], found.get("target"), known.image_shape, **known.words)
        elif known.builtin in BUILTIN or is_cached(known.builtin):
            data = load(known.builtin)
        else:
            raise StoreError(
                f"The data of this run, {known.name}, are not kept in the store: bring the same "
                "file again."
            )
        _check_content(data, row["content"], known.name)
        return data

    # -- work ------------------------------------------------------------------------------------

    def open_cells(self, run_id: str) -> set[str]:
        """Names of the cells that are neither done nor failed; none in the trash."""
        rows = self.rows(
            "SELECT c.name FROM runs r JOIN run_cells rc ON rc.run = r.number "
            "JOIN cells c ON c.key = rc.key WHERE r.id = ? AND c.finished IS NULL "
            "AND rc.error IS NULL AND r.trashed IS NULL AND NOT r.imported",
            (run_id,),
        )
        return {row["name"] for row in rows}

    def claim(self, run_id: str, cells: Iterable[Cell | str], lease: float = LEASE) -> list[Claim]:
        """Claim cells for so many seconds; those that are finished or claimed are left out."""
        keys = self._keys(run_id, cells)

        def work(connection: sqlite3.Connection) -> list[Claim]:
            now, found = time.time(), []
            for name, key in keys.items():
                # No two claims of a cell are alike, whatever their leases.
                until = now + lease + 1e-3 * random.random()
                if connection.execute(_CLAIM, (until, run_id, key, now, run_id)).rowcount:
                    found.append(Claim(key, name, until))
            return found

        return self.write(work) if keys else []

    def renew(self, claims: Iterable[Claim], lease: float = LEASE) -> list[Claim]:
        """Hold claims for longer; return those that are still ours, as they are now."""

        def work(connection: sqlite3.Connection) -> list[Claim]:
            until, found = time.time() + lease, []
            for claim in claims:
                values = until, claim.key, claim.until
                if connection.execute(_RENEW, values).rowcount:
                    found.append(Claim(claim.key, claim.name, until))
            return found

        claims = list(claims)
        return self.write(work) if claims else []

    def release(self, claims: Iterable[Claim]) -> None:
        """Give back cells that were claimed and not computed."""
        ours = [(claim.key, claim.until) for claim in claims]
        if ours:
            self.write(lambda connection: connection.executemany(_RELEASE, ours))

    def commit(self, run_id: str, finished: Iterable[tuple[Claim, Result]]) -> list[str]:
        """Keep results, all in one transaction; return the names of those whose claim held."""
        made, now = dump(versions()), time.time()
        # Files first: a row never speaks of a file that is not there.
        ready = [(claim, *self._prepared(claim, result)) for claim, result in finished]

        def work(connection: sqlite3.Connection) -> list[str]:
            kept: list[str] = []
            touched: set[tuple[int]] = set()
            for claim, rows, packed, file, seconds in ready:
                if file is not None and not self.has_file(file):
                    # Removed in this moment with all of somebody who had the same.
                    continue
                sealed = seal(claim.key, rows, packed or b"", file or "", made)
                changed = connection.execute(
                    "UPDATE cells SET rows = ?, arrays = ?, file = ?, seconds = ?, versions = ?, "
                    "seal = ?, finished = ?, commits = commits + 1, until = NULL, claimant = NULL "
                    "WHERE key = ? AND until = ? AND finished IS NULL",
                    (rows, packed, file, seconds, made, sealed, now, claim.key, claim.until),
                ).rowcount
                if changed:
                    kept.append(claim.name)
                    holders = connection.execute(_HOLDERS, (claim.key,))
                    touched.update((row["run"],) for row in holders)
            connection.executemany(_CHANGED, touched)
            connection.execute("UPDATE runs SET updated = ? WHERE id = ?", (now, run_id))
            return kept

        return self.write(work) if ready else []

    def fail(
        self, run_id: str, claim: Claim, sentence: str, also: Iterable[Cell | str] = ()
    ) -> None:
        """Note that a cell failed in this run, and with it others that need it.

        It is not tried again before :meth:`retry`; other runs are not told.
        """
        keys = {claim.name: claim.key} | self._keys(run_id, also)
        said = one_line(sentence, 1000)

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(_RELEASE, (claim.key, claim.until))
            connection.executemany(
                "UPDATE run_cells SET error = ?, tries = tries + 1 WHERE key = ? "
                "AND run = (SELECT number FROM runs WHERE id = ?)",
                [(said, key, run_id) for key in keys.values()],
            )
            self._touch(connection, run_id)

        if self.changed(run_id) >= 0:
            self.write(work)

    def retry(self, run_id: str, *, again: bool = False) -> int:
        """Open cells that failed, for one more try; return how many.

        Those that were tried twice stay as they are, unless `again` begins the count anew.
        """

        def work(connection: sqlite3.Connection) -> int:
            opened = connection.execute(
                "UPDATE run_cells SET error = NULL, tries = CASE WHEN ? THEN 0 ELSE tries END "
                "WHERE error IS NOT NULL AND (? OR tries < ?) "
                "AND run = (SELECT number FROM runs WHERE id = ?)",
                (again, again, TRIES, run_id),
            ).rowcount
            if opened:
                self._touch(connection, run_id)
            return opened

        return self.write(work) if self.failures(run_id) else 0

    def restore_cells(self, run_id: str, cells: Iterable[Cell]) -> int:
        """Have just these cells in a run; return how many were not in it.

        A damaged store may have lost some; a later version may compute others for the same request.
        """
        run, names = self._row(run_id), _names(cells)
        number, plan = run["number"], seal(*names)
        there = {row["name"] for row in self.rows(_NAMES, (number,))}
        missing = sum(name not in there for name in names)
        if run["imported"] or (not missing and plan == run["plan"]):
            return 0

        def work(connection: sqlite3.Connection) -> int:
            # All at once, for cells that only this run has go with what is taken from it.
            _add_cells(connection, number, run["scope"], run["content"], names)
            keys = self._keys(run_id, there.difference(names)).values()
            for key in keys:
                connection.execute("DELETE FROM run_cells WHERE run = ? AND key = ?", (number, key))
            files = [file for key in keys for file in _collected(connection, key)]
            self.drop_files(connection, files)
            self._touch(connection, run_id, "plan = ?, n_cells = ?,", plan, len(names))
            return missing

        return self.write(work)

    def results(self, run_id: str, names: Collection[str] | None = None) -> dict[str, Result]:
        """Results of what is finished of a run, by the cell's name, in the run's order."""
        wanted = None if names is None else json.dumps(list(names))
        rows = self.rows(
            "SELECT c.* FROM run_cells rc JOIN cells c ON c.key = rc.key WHERE rc.run = ? "
            "AND c.finished IS NOT NULL AND (? IS NULL OR c.name IN "
            "(SELECT value FROM json_each(?))) ORDER BY rc.position",
            (self._row(run_id)["number"], wanted, wanted),
        )
        found = {}
        for row in rows:
            if sealed_result(row) != row["seal"]:
                raise StoreError(
                    f"A result in the store in {self.home} is damaged: run "
                    "`python -m cspca doctor --repair`, then resume the run."
                )
            packed = row["arrays"] if row["file"] is None else self.get_file(row["file"])
            found[row["name"]] = Result(
                tuple(json.loads(row["rows"])), unpack(packed) if packed else {}, row["seconds"]
            )
        return found

    def failures(self, run_id: str) -> dict[str, str]:
        """Why cells of a run failed, by name."""
        rows = self.rows(
            "SELECT c.name, rc.error FROM run_cells rc JOIN cells c ON c.key = rc.key "
            "WHERE rc.run = (SELECT number FROM runs WHERE id = ?) AND rc.error IS NOT NULL "
            "AND c.finished IS NULL ORDER BY rc.position",
            (run_id,),
        )
        return {row["name"]: row["error"] for row in rows}

    # -- inside ----------------------------------------------------------------------------------

    def _row(self, run_id: str, column: str = "id") -> sqlite3.Row:
        rows = self.rows(f"SELECT * FROM runs WHERE {column} = ?", (run_id,))
        if not rows:
            raise StoreError(_UNKNOWN)
        return rows[0]

    def _change(self, run_id: str, what: str, *values: object) -> None:
        self.write(lambda connection: self._touch(connection, run_id, what, *values))

    def _touch(
        self, connection: sqlite3.Connection, run_id: str, what: str = "", *values: object
    ) -> None:
        found = connection.execute(
            f"UPDATE runs SET {what} updated = ?, changed = changed + 1 WHERE id = ?",
            (*values, time.time(), run_id),
        )
        if not found.rowcount:
            raise StoreError(_UNKNOWN)

    def _remove(self, which: str, value: object) -> list[str]:
        def work(connection: sqlite3.Connection) -> list[str]:
            gone = connection.execute(
                f"DELETE FROM runs WHERE {which} RETURNING number, id, file", (value,)
            ).fetchall()
            files = [row["file"] for row in gone]
            for row in gone:
                held = connection.execute(
                    "DELETE FROM run_cells WHERE run = ? RETURNING key", (row["number"],)
                ).fetchall()
                files += [file for one in held for file in _collected(connection, one["key"])]
            self.drop_files(connection, files)
            return [row["id"] for row in gone]

        found = self.write(work)
        if found:
            self.tidy()
        return found

    def _put_data(self, data: Dataset) -> str:
        labels = {} if data.target is None else {"target": data.target}
        return self.put_file(pack({"data": data.data, **labels}))

    def _prepared(
        self, claim: Claim, result: Result
    ) -> tuple[str, bytes | None, str | None, float]:
        rows = dump(result.rows)
        packed = pack(result.arrays) if result.arrays else None
        if packed is None or len(packed) <= INLINE:
            return rows, packed, None, result.seconds
        return rows, None, self.put_file(packed), result.seconds

    def _keys(self, run_id: str, cells: Iterable[Cell | str]) -> dict[str, bytes]:
        names = [cell if isinstance(cell, str) else cell.name for cell in cells]
        rows = self.rows("SELECT scope, content FROM runs WHERE id = ?", (run_id,))
        if not names or not rows:
            return {}
        scope, content = rows[0]["scope"], rows[0]["content"]
        return {name: cell_key(scope, content, name) for name in names}

    def _count(self, row: sqlite3.Row) -> dict[str, Any]:
        """What is finished and failed of a run, counted again only when it has changed."""
        changed, found = self._counts.get(row["id"], (-1, {}))
        if changed == row["changed"]:
            return found
        told = self.rows(
            "SELECT count(c.finished) AS n_done, "
            "coalesce(sum(c.finished IS NULL AND rc.error IS NOT NULL), 0) AS n_failed, "
            "coalesce(sum(c.seconds), 0.0) AS seconds, json_group_array(DISTINCT c.versions) AS by "
            "FROM run_cells rc JOIN cells c ON c.key = rc.key WHERE rc.run = ?",
            (row["number"],),
        )[0]
        texts = dict.fromkeys([row["versions"], *json.loads(told["by"])])
        found = {name: told[name] for name in ("n_done", "n_failed", "seconds")}
        found["versions"] = tuple(json.loads(one) for one in texts if one and one[0] == "{")
        self._counts[row["id"]] = row["changed"], found
        return found

    def _state(self, row: sqlite3.Row, n_settled: int) -> RunState:
        if row["imported"] or n_settled >= row["n_cells"]:
            return RunState.DONE
        until = self.rows(
            "SELECT max(until) AS until FROM cells WHERE claimant = ? AND until IS NOT NULL",
            (row["number"],),
        )[0]["until"]
        if until is not None:
            return RunState.RUNNING if until >= time.time() else RunState.INTERRUPTED
        return RunState.STOPPED if n_settled else RunState.READY

    def _record(self, row: sqlite3.Row, *, listed: bool = False) -> RunRecord:
        sound = sealed_run(row) == row["seal"]
        if not sound and not listed:
            raise StoreError(
                f"What was asked of the run {row['name']} is damaged: run `python -m cspca doctor "
                "--repair`."
            )
        count = self._count(row)
        lost = Described(row["content"], "unknown data", 0, 0, 0, None)
        return RunRecord(
            **{name: row[name] for name in _SAME},
            **count,
            state=self._state(row, count["n_done"] + count["n_failed"]),
            data=Described.read(row["description"]) if sound else lost,
            settings=json.loads(row["settings"]) if sound else {},
            kept=row["file"] is not None,
            imported=bool(row["imported"]),
        )


# -- statements used often -------------------------------------------------------------------------

_CLAIM = (
    "UPDATE cells SET until = ?, claimant = (SELECT number FROM runs WHERE id = ?) WHERE key = ? "
    "AND finished IS NULL AND (until IS NULL OR until < ?) "
    "AND EXISTS (SELECT 1 FROM runs WHERE id = ? AND trashed IS NULL AND NOT imported)"
)
_RENEW = "UPDATE cells SET until = ? WHERE key = ? AND until = ?"
_NAMES = "SELECT c.name FROM run_cells rc JOIN cells c ON c.key = rc.key WHERE rc.run = ?"
_RELEASE = "UPDATE cells SET until = NULL, claimant = NULL WHERE key = ? AND until = ?"
_HOLDERS = "SELECT run FROM run_cells WHERE key = ?"
_CHANGED = "UPDATE runs SET changed = changed + 1 WHERE number = ?"


def _collected(connection: sqlite3.Connection, key: bytes) -> list[str | None]:
    """Remove a cell that no run holds any more; return its file."""
    rows = connection.execute(
        "DELETE FROM cells WHERE key = ? "
        "AND NOT EXISTS (SELECT 1 FROM run_cells WHERE key = cells.key) RETURNING file",
        (key,),
    ).fetchall()
    return [row["file"] for row in rows]


def _add_cells(
    connection: sqlite3.Connection, run: int, scope: str, content: str, names: Sequence[str]
) -> None:
    keys = [cell_key(scope, content, name) for name in names]
    connection.executemany(
        "INSERT INTO cells (key, name) VALUES (?, ?) "
        "ON CONFLICT (key) DO UPDATE SET name = excluded.name WHERE name <> excluded.name",
        zip(keys, names, strict=True),
    )
    connection.executemany(
        "INSERT OR IGNORE INTO run_cells (run, key, position) VALUES (?, ?, ?)",
        [(run, key, position) for position, key in enumerate(keys)],
    )


def _names(cells: Iterable[Cell]) -> list[str]:
    """Names of cells, each once."""
    return list(dict.fromkeys(cell.name for cell in cells))


def _check_content(data: Dataset, sha256: str, name: str) -> None:
    if data.sha256 != sha256:
        raise StoreError(
            f"{name} is not what this run was made with any more: bring the same data again."
        )


def _named(name: str) -> str:
    line = one_line(name)
    if not line:
        raise StoreError("A run needs a name: give it at least one letter.")
    return line
