"""The store: what was asked for, which of its cells are finished, and whose it is.

A cell is known by a hash of its scope, the content of the data and its name. On data that
everybody has the scope is public, otherwise it is the visitor's own: nobody learns from an instant
answer that somebody else has the same file. A worker claims a cell until a moment, renews that in
time, and what comes after it was lost is dropped: no finished cell is computed twice. This gives up
one thing: the cells that a killed worker had claimed wait until their lease is over.
"""

from __future__ import annotations

import json
import math
import os
import random
import secrets
import sqlite3
import time
from collections.abc import Collection, Iterable, Mapping
from contextlib import closing
from typing import Any

from cspca.datasets import BUILTIN, Dataset, is_cached, load
from cspca.experiments import records
from cspca.experiments.database import DATABASE, Database, connect_to_read, telling, writes
from cspca.experiments.database import StoreError as StoreError
from cspca.experiments.experiment import Cell, Experiment, Result
from cspca.experiments.limits import limits
from cspca.experiments.log import hashed
from cspca.experiments.memory import owned
from cspca.experiments.records import RunRecord as RunRecord
from cspca.experiments.records import RunState, dump, seal
from cspca.experiments.settings import to_json

LEASE = 30.0
"""Seconds for which a cell is claimed."""

INLINE = 1 << 20
"""Bytes of arrays above which they are a file."""

_DAY = 24 * 3600.0

NOBODY = ""
"""The owner of a run that nobody has asked for."""

_OWNER_OR_SCOPE = "CASE owner WHEN '' THEN scope ELSE owner END"
"""Whose a run is, also one that nobody has asked for."""

_REPAIR = "run `python -m cspca doctor --repair`"


class Store(Database):
    """Runs and their cells on disk, for many threads and processes at once.

    `home` is its folder: None for ``CSPCA_HOME`` or the user's data folder, ":memory:" for none.
    StoreError says that it is damaged, of a newer version, or another program's. `note` is one
    sentence for the user, mostly empty: all goes on in memory.

    An `owner` is the secret of whoever asks, of which a hash is kept; "" is the user of this
    machine. A run that is not `asked` for, but begun by a page itself, has no owner: no list shows
    it, and on data that everybody has it is everybody's. A claim is the moment until which a cell
    is ours, by its name.
    """

    def __init__(self, home: str | os.PathLike[str] | None = None) -> None:
        super().__init__(home)
        self._counts: dict[str, tuple[int, dict[str, Any]]] = {}

    def may_change(self, run: RunRecord, owner: str | None) -> bool:
        """Whether somebody may rename, stop or remove a run: its owner, and the operator (None)."""
        return owner is None or (owner != "" and run.owner == hashed(owner))

    # -- runs ------------------------------------------------------------------------------------

    def create(
        self,
        experiment: Experiment,
        data: Dataset,
        *,
        owner: str = "",
        name: str | None = None,
        asked: bool = True,
    ) -> str:
        """Note a run that is to be made, with all its cells; return its unguessable id.

        Of data that a visitor has brought the names are written only where somebody asked for it.
        """
        names = _names(experiment.cells(data))
        now, owner_hash = time.time(), hashed(owner)
        with_words = asked or records.is_public(data)
        run = {
            "id": secrets.token_hex(16),
            "view_id": secrets.token_hex(16),
            "owner": owner_hash if asked else NOBODY,
            "scope": "public" if records.is_public(data) else owner_hash,
            "kind": experiment.kind,
            "name": _named(name or (experiment.name(data) if with_words else experiment.title)),
            "settings": dump(to_json(experiment)),
            "content": data.sha256,
            "description": records.describe(data, with_words=with_words),
            "versions": dump(records.versions()),
            "n_cells": len(names),
            "created": now,
            "updated": now,
        }
        self._add_run(run, names)
        return str(run["id"])

    @writes
    def find_or_create(
        self,
        experiment: Experiment,
        data: Dataset,
        *,
        owner: str = "",
        name: str | None = None,
        asked: bool = True,
    ) -> str:
        """Return the id of the run that :meth:`find` finds, or of a new one.

        All in one transaction: two who ask for the same at the same moment have one run.
        """
        return self.find(experiment, data, owner, asked=asked) or self.create(
            experiment, data, owner=owner, name=name, asked=asked
        )

    def find(
        self, experiment: Experiment, data: Dataset, owner: str = "", *, asked: bool = True
    ) -> str | None:
        """Id of the run in which the same person asked for the same, with the same cells."""
        settings, owner_hash = dump(to_json(experiment)), hashed(owner)
        scope = "public" if records.is_public(data) else owner_hash
        condition, which = (
            ("owner = ?", owner_hash) if asked else ("owner = '' AND scope = ?", scope)
        )
        rows = self.rows(
            f"SELECT id, plan FROM runs WHERE {condition} AND content = ? AND kind = ? AND "
            "settings = ?"
            " AND trashed IS NULL ORDER BY updated DESC",
            (which, data.sha256, experiment.kind, settings),
        )
        # A thousand cells are named only where a run may have them.
        plan = seal(*_names(experiment.cells(data))) if rows else ""
        return next((row["id"] for row in rows if row["plan"] == plan), None)

    def n_saved(self, run_id: str) -> int:
        """How many finished cells of a run are on the disk, where all goes on in memory too."""
        connection = connect_to_read(self.home / DATABASE)
        if connection is None:
            return 0
        with telling(), closing(connection):
            count = connection.execute(
                "SELECT count(finished) FROM runs JOIN run_cells ON run = runs.number "
                "JOIN cells USING (key) WHERE id = ?",
                (run_id,),
            ).fetchone()[0]
        return int(count)

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
        """List a visitor's runs, or all for the operator (None), the one changed last first.

        The words of `text` must all occur in the name, the kind or the name of the data.
        """
        if owner == "":
            return []
        owner_hash, words = None if owner is None else hashed(owner), text.casefold().split()
        rows = self.rows(
            "SELECT * FROM runs WHERE (trashed IS NOT NULL) = ? AND (? IS NULL OR kind = ?) "
            "AND (? IS NULL OR owner = ?) AND owner <> '' ORDER BY updated DESC, number DESC",
            (trashed, kind, kind, owner_hash, owner_hash),
        )
        runs = []
        for run in (self._record(row, listed=True) for row in rows):
            searched = f"{run.name} {run.kind} {run.data.name}".casefold() if words else ""
            if all(word in searched for word in words):
                runs.append(run)
        return runs

    def rename(self, run_id: str, name: str) -> None:
        """Give a run another name."""
        self._change(run_id, "name = ?,", _named(name))

    def trash(self, run_id: str) -> None:
        """Put a run in the trash; work on it ends."""
        self._change(run_id, "trashed = coalesce(trashed, ?),", time.time())

    def restore(self, run_id: str) -> None:
        """Take a run out of the trash."""
        self._change(run_id, "trashed = NULL,")

    def purge(
        self,
        older_than: float | None = None,
        ended: float | None = None,
        now: float | None = None,
    ) -> list[str]:
        """Remove runs for good whose time is over, in seconds; return their ids.

        They were in the trash for so long, or nobody had asked for them; or they are a visitor's
        and had `ended`, the operator's own excepted. By default the times are those of `limits`.
        """
        now = time.time() if now is None else now
        if older_than is None:
            older_than = _DAY * limits().trash_days
        if ended is None:
            ended = _DAY * (limits().run_days or math.inf)
        unwanted = "coalesce(trashed, CASE owner WHEN '' THEN updated END) <= ?"
        removed = self._remove(unwanted, now - older_than)
        over = (
            f"{_OWNER_OR_SCOPE} NOT IN ('public', ?) AND updated <= ? "
            "AND NOT EXISTS (SELECT 1 FROM cells WHERE claimant = runs.number AND until >= ?)"
        )
        removed += self._remove(over, hashed(""), now - ended, now)
        self.tidy()
        return removed

    def taken(self, owner: str | None = None) -> int:
        """Bytes on disk of a visitor's runs, of this machine's user ("") or of everybody (None)."""
        if owner is None:
            pages = self.rows(
                "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
            )
            return int(pages[0][0]) + sum(self.file_size(name) for name in self.file_names())
        return self._bytes_of(f"{_OWNER_OR_SCOPE} = ?", hashed(owner))

    def in_trash(self, owner: str) -> tuple[int, int]:
        """How many runs a visitor has in the trash, and the bytes on disk of these runs."""
        condition = f"{_OWNER_OR_SCOPE} = ? AND trashed IS NOT NULL"
        count = self.rows(f"SELECT count(*) FROM runs WHERE {condition}", (hashed(owner),))[0][0]
        return int(count), self._bytes_of(condition, hashed(owner))

    def _bytes_of(self, which: str, owner: str) -> int:
        """Bytes on disk of an owner's runs for which a condition holds."""
        held = f"SELECT key FROM run_cells JOIN runs ON number = run WHERE {which}"
        sizes = "length(name) + coalesce(length(rows), 0) + coalesce(length(arrays), 0)"
        inside = self.rows(f"SELECT sum({sizes}) FROM cells WHERE key IN ({held})", (owner,))
        files = self.rows(
            f"SELECT file FROM cells WHERE key IN ({held}) AND file IS NOT NULL "
            f"UNION SELECT file FROM runs WHERE {which} AND file IS NOT NULL",
            (owner, owner),
        )
        return int(inside[0][0] or 0) + sum(self.file_size(row["file"]) for row in files)

    def check_room(self, owner: str, n_bytes: int = 0) -> None:
        """A StoreError says that there is no room for more of a visitor's, or for so many bytes."""
        allowed = limits()
        rooms = {"all visitors share": (self.taken(), allowed.disk)}
        if owner:
            rooms["each visitor may fill"] = self.taken(owner), allowed.visitor_disk
        for quota_words, (had, most) in rooms.items():
            if had + n_bytes >= most << 20:
                needed = f", and these take {n_bytes / 2**20:,.0f} MB" if n_bytes else ""
                raise StoreError(
                    f"Runs and kept data fill {had / 2**20:,.0f} MB of the {most:,} MB of disk "
                    f"that {quota_words}{needed}: export what you need, then delete runs and "
                    "empty the trash on the Runs page."
                )

    def empty_trash(self, owner: str) -> int:
        """Remove a visitor's runs in the trash for good; return how many."""
        removed = self._remove(f"{_OWNER_OR_SCOPE} = ? AND trashed IS NOT NULL", hashed(owner))
        self.tidy()
        return len(removed)

    def erase(self, owner: str | None) -> int:
        """Remove all that is somebody's, or this machine's user's (None); return how many runs."""
        removed = [] if owner == "" else self._remove(f"{_OWNER_OR_SCOPE} = ?", hashed(owner or ""))
        self.tidy()
        return len(removed)

    def usage(self) -> dict[str, list[int]]:
        """How many runs every visitor has, known by the beginning of a hash, and their bytes."""
        owner_column = "substr(CASE owner WHEN '' THEN scope ELSE owner END, 1, 8) AS who"
        of_runs = f"SELECT {owner_column}, {{}} FROM runs r"
        of_cells = of_runs + " JOIN run_cells rc ON rc.run = r.number JOIN cells c USING (key)"
        inside = "c.number, coalesce(length(c.rows), 0) + coalesce(length(c.arrays), 0) AS size"
        usage = {
            row["who"]: [row["runs"], 0]
            for row in self.rows(of_runs.format("count(*) AS runs") + " GROUP BY who")
        }
        for row in self.rows(of_cells.format(inside) + " GROUP BY who, c.number"):
            usage[row["who"]][1] += row["size"] or 0
        files = f"{of_runs.format('r.file')} UNION {of_cells.format('c.file')}"
        for row in self.rows(files):
            if row["file"] is not None and self.path(row["file"]).is_file():
                usage[row["who"]][1] += self.path(row["file"]).stat().st_size
        return usage

    # -- data ------------------------------------------------------------------------------------

    def check(self, run_id: str, data: Dataset) -> None:
        """Refuse data that are not those of a run."""
        recorded_data = self.get(run_id).data
        if data.sha256 != recorded_data.sha256:
            raise StoreError(
                f"{data.name} is not what this run was started with ({recorded_data.name}): bring "
                "the same data."
            )

    def keep_data(self, run_id: str, data: Dataset) -> None:
        """Keep the data of a run too."""
        self.check(run_id, data)
        labels = {} if data.target is None else {"target": data.target}
        file = self.put_file(records.pack({"data": data.data, **labels}))
        self._change(run_id, "file = ?,", file)

    def forget_data(self, run_id: str) -> None:
        """Remove the data of a run; it keeps what was found. Other runs keep theirs."""
        file = self._row(run_id)["file"]
        self._change(run_id, "file = NULL,")
        self.drop_files([file])

    def data(self, run_id: str) -> Dataset:
        """The data of a run: kept with it, built in, or downloaded before."""
        row = self._row(run_id)
        described = records.Described.read(row["description"])
        if row["file"] is not None:
            arrays: dict[str, Any] = records.unpack(self.get_file(row["file"]))
            data = Dataset(**arrays, **described.words)
        elif described.builtin in BUILTIN or is_cached(described.builtin):
            data = load(described.builtin)
        else:
            raise StoreError(
                f"The data of this run, {described.name}, are not kept in the store: bring the "
                "same file again."
            )
        self.check(run_id, data)
        return owned(data, self.get(run_id).belongs_to)

    # -- work ------------------------------------------------------------------------------------

    def open_cells(self, run_id: str) -> set[str]:
        """Names of the cells that are neither done nor failed; none in the trash."""
        rows = self.rows(
            "SELECT name FROM held WHERE run_id = ? AND finished IS NULL AND error IS NULL "
            "AND trashed IS NULL",
            (run_id,),
        )
        return {row["name"] for row in rows}

    @writes
    def claim(self, run_id: str, names: Iterable[str], lease: float = LEASE) -> dict[str, float]:
        """Claim cells for so many seconds; those that are finished or claimed are left out."""
        now, claimed = time.time(), {}
        for name, key in self._keys(run_id, names).items():
            # No two claims of a cell are alike, whatever their leases.
            until = now + lease + 1e-3 * random.random()
            if self.change(
                "UPDATE cells SET until = ?, claimant = r.number FROM runs r "
                "WHERE key = ? AND finished IS NULL AND (until IS NULL OR until < ?) "
                "AND r.id = ? AND r.trashed IS NULL",
                *(until, key, now, run_id),
            ):
                claimed[name] = until
        return claimed

    @writes
    def renew(
        self, run_id: str, claims: Mapping[str, float], lease: float | None = LEASE
    ) -> dict[str, float]:
        """Hold claims for longer, or give them back (None); return those that were still ours."""
        until = None if lease is None else time.time() + lease
        renew = "UPDATE cells SET until = ? WHERE key = ? AND until = ?"
        return {
            name: until or 0.0
            for name, key in self._keys(run_id, claims).items()
            if self.change(renew, until, key, claims[name])
        }

    def commit(
        self, run_id: str, claims: Mapping[str, float], results: Mapping[str, Result]
    ) -> list[str]:
        """Keep results, all in one transaction; return the names of those whose claim held."""
        versions = dump(records.versions())
        # Files first: a row never speaks of a file that is not there.
        ready = {
            name: self._finished(result, versions)
            for name, result in results.items()
            if name in claims
        }
        return self._settled(run_id, claims, ready) if ready else []

    @writes
    def _settled(
        self, run_id: str, claims: Mapping[str, float], ready: Mapping[str, dict[str, Any]]
    ) -> list[str]:
        settled = []
        for name, key in self._keys(run_id, ready).items():
            file = ready[name]["file"]
            # It may be removed in this moment with all of somebody who had the same.
            there = file is None or file in (self.kept or ()) or self.path(file).is_file()
            if there and self._settle(key, ready[name], claims[name]):
                settled.append(name)
                self.change(
                    "UPDATE runs SET changed = changed + 1 "
                    "WHERE number IN (SELECT run FROM run_cells WHERE key = ?)",
                    key,
                )
        self.change("UPDATE runs SET updated = ? WHERE id = ?", time.time(), run_id)
        return settled

    @writes
    def fail(
        self, run_id: str, claims: Mapping[str, float], sentence: str, also: Iterable[str] = ()
    ) -> None:
        """Note that claimed cells failed in this run, and others with them, up to :meth:`retry`."""
        self.renew(run_id, claims, None)
        keys = self._keys(run_id, [*claims, *also])
        for key in keys.values():
            self.change(
                "UPDATE run_cells SET error = ?, tries = tries + 1 WHERE key = ? "
                "AND run = (SELECT number FROM runs WHERE id = ?)",
                *(records.one_line(sentence, 1000), key, run_id),
            )
        if keys:
            self._change(run_id)

    @writes
    def retry(self, run_id: str, *, again: bool = False) -> int:
        """Open cells that failed, once or (`again`) however often, for a try; return how many."""
        opened = self.change(
            "UPDATE run_cells SET error = NULL, tries = CASE WHEN ? THEN 0 ELSE tries END "
            "WHERE error IS NOT NULL AND (? OR tries < 2) "
            "AND run = (SELECT number FROM runs WHERE id = ?)",
            *(again, again, run_id),
        )
        if opened:
            self._change(run_id)
        return opened

    @writes
    def restore_cells(self, run_id: str, cells: Iterable[Cell]) -> None:
        """Have just these cells in a run: damage may have lost some, a later version has others."""
        run, names = self._row(run_id), _names(cells)
        number, plan = run["number"], seal(*names)
        there = self.rows("SELECT name, key FROM held WHERE run_id = ?", (run_id,))
        whole = plan == run["plan"] and {row["name"] for row in there}.issuperset(names)
        if whole:
            return
        keys = self._add_cells(run, number, names).values()
        for key in {row["key"] for row in there}.difference(keys):
            self.change("DELETE FROM run_cells WHERE run = ? AND key = ?", number, key)
        self._change(run_id, "plan = ?, n_cells = ?,", plan, len(names))
        self.collect()

    def results(self, run_id: str, names: Collection[str] | None = None) -> dict[str, Result]:
        """Results of what is finished of a run, by the cell's name, in the run's order."""
        self._row(run_id)
        names_json = None if names is None else json.dumps(list(names))
        rows = self.rows(
            "SELECT * FROM held WHERE run_id = ? AND finished IS NOT NULL AND (? IS NULL "
            "OR name IN (SELECT value FROM json_each(?))) ORDER BY position",
            (run_id, names_json, names_json),
        )
        results = {}
        for row in rows:
            if records.sealed_result(row) != row["seal"]:
                raise StoreError(
                    f"A result in the store is damaged: {_REPAIR}, then resume the run."
                )
            packed = row["arrays"] if row["file"] is None else self.get_file(row["file"])
            arrays = records.unpack(packed) if packed else {}
            results[row["name"]] = Result(tuple(json.loads(row["rows"])), arrays, row["seconds"])
        return results

    def failures(self, run_id: str) -> dict[str, str]:
        """Why cells of a run failed, by name."""
        rows = self.rows(
            "SELECT name, error FROM held WHERE run_id = ? AND error IS NOT NULL "
            "AND finished IS NULL ORDER BY position",
            (run_id,),
        )
        return {row["name"]: row["error"] for row in rows}

    # -- inside ----------------------------------------------------------------------------------

    def _row(self, run_id: str, column: str = "id") -> sqlite3.Row:
        rows = self.rows(f"SELECT * FROM runs WHERE {column} = ?", (run_id,))
        if not rows:
            raise StoreError("There is no run of this id in the store: look at the list of runs.")
        return rows[0]

    @writes
    def _change(self, run_id: str, what: str = "", *values: object) -> None:
        sql = f"UPDATE runs SET {what} updated = ?, changed = changed + 1 WHERE id = ?"
        self._row(run_id)
        self.change(sql, *values, time.time(), run_id)

    @writes
    def _remove(self, which: str, *values: object) -> list[str]:
        removed = self.rows(f"DELETE FROM runs WHERE {which} RETURNING id, file", values)
        if removed:
            self.drop_files(row["file"] for row in removed)
            self.collect()
        return [row["id"] for row in removed]

    def _finished(self, result: Result, versions: str) -> dict[str, Any]:
        """What the row of a cell says when it is finished."""
        packed = records.pack(result.arrays) if result.arrays else b""
        large = len(packed) > INLINE
        return {
            "rows": dump(result.rows),
            "arrays": None if large else packed or None,
            "file": self.put_file(packed) if large else None,
            "seconds": result.seconds,
            "versions": versions,
            "finished": time.time(),
        }

    @writes
    def _add_run(self, run: dict[str, Any], names: list[str]) -> None:
        """Insert a run with its cells."""
        run |= {"plan": seal(*names), "seal": records.sealed_run(run)}
        marks = ", ".join("?" * len(run))
        sql = f"INSERT INTO runs ({', '.join(run)}) VALUES ({marks}) RETURNING number"
        self._add_cells(run, self.rows(sql, tuple(run.values()))[0]["number"], names)

    def _add_cells(self, run: Any, number: int, names: list[str]) -> dict[str, bytes]:
        keys = {name: records.cell_key(run["scope"], run["content"], name) for name in names}
        self.connection.executemany(
            "INSERT INTO cells (name, key) VALUES (?, ?) "
            "ON CONFLICT (key) DO UPDATE SET name = excluded.name WHERE name <> excluded.name",
            keys.items(),
        )
        self.connection.executemany(
            "INSERT OR IGNORE INTO run_cells (run, key, position) VALUES (?, ?, ?)",
            [(number, key, position) for position, key in enumerate(keys.values())],
        )
        return keys

    def _settle(self, key: bytes, row: Mapping[str, Any], until: float) -> int:
        """Write what is finished into the row of a cell, if the claim on it holds."""
        sealed = records.sealed_result({**row, "key": key})
        values = {**row, "seal": sealed, "until": None, "claimant": None}
        return self.change(
            f"UPDATE cells SET {', '.join(f'{name} = ?' for name in values)}, "
            "commits = commits + 1 WHERE key = ? AND until IS ? AND finished IS NULL",
            *(*values.values(), key, until),
        )

    def _keys(self, run_id: str, names: Iterable[str]) -> dict[str, bytes]:
        """Keys of cells by name, none of a run that is gone."""
        names = list(names)
        rows = self.rows("SELECT scope, content FROM runs WHERE id = ?", (run_id,)) if names else []
        return {
            name: records.cell_key(scope, content, name)
            for scope, content in rows
            for name in names
        }

    def _count(self, row: sqlite3.Row) -> dict[str, Any]:
        """What is finished and failed of a run, counted again only when it has changed."""
        changed, counts = self._counts.get(row["id"], (-1, {}))
        if changed == row["changed"]:
            return counts
        totals = self.rows(
            "SELECT count(finished) AS n_done, "
            "coalesce(sum(finished IS NULL AND error IS NOT NULL), 0) AS n_failed, "
            "coalesce(sum(seconds), 0.0) AS seconds, json_group_array(DISTINCT versions) AS by "
            "FROM held WHERE run_id = ?",
            (row["id"],),
        )[0]
        texts = dict.fromkeys([row["versions"], *json.loads(totals["by"])])
        counts = {name: totals[name] for name in ("n_done", "n_failed", "seconds")}
        counts["versions"] = tuple(json.loads(text) for text in texts if text and text[0] == "{")
        self._counts[row["id"]] = row["changed"], counts
        return counts

    def _state(self, row: sqlite3.Row, n_settled: int) -> RunState:
        if n_settled >= row["n_cells"]:
            return "done"
        until = self.rows(
            "SELECT max(until) AS until FROM cells WHERE claimant = ? AND until IS NOT NULL",
            (row["number"],),
        )[0]["until"]
        if until is not None:
            return "running" if until >= time.time() else "interrupted"
        return "stopped" if n_settled else "ready"

    def _record(self, row: sqlite3.Row, *, listed: bool = False) -> RunRecord:
        sound = records.sealed_run(row) == row["seal"]
        if not sound and not listed:
            raise StoreError(f"What was asked of the run {row['name']} is damaged: {_REPAIR}.")
        count = self._count(row)
        values = {name: row[name] for name in row.keys() & RunRecord.__annotations__.keys()}
        values |= {
            "state": self._state(row, count["n_done"] + count["n_failed"]),
            "description": row["description"] if sound else '{"name":"unknown data","sha256":""}',
            "settings": json.loads(row["settings"]) if sound else {},
            "kept": row["file"] is not None,
        }
        return RunRecord(**values | count)


def _names(cells: Iterable[Cell]) -> list[str]:
    """Names of cells, each once."""
    return list(dict.fromkeys(cell.name for cell in cells))


def _named(name: str) -> str:
    line = records.one_line(name)
    if not line:
        raise StoreError("A run needs a name: give it at least one letter.")
    return line
