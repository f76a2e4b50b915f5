"""What one run has found serves another: the same cell on the same data has the same numbers."""

from __future__ import annotations

import sqlite3

from cspca.runs.store.database import Database
from cspca.runs.store.files import Files
from cspca.runs.store.records import digest, dump, versions
from cspca.runs.store.sessions import folder_of

__all__ = ["adopt"]

_SHARED = """
SELECT d.key, d.result, d.digest, d.seconds, d.has_arrays, a.sha256, a.bytes
FROM cells d JOIN cells m ON m.run_id = ? AND m.key = d.key AND m.state = 'todo'
LEFT JOIN arrays a ON a.run_id = d.run_id AND a.name = d.key
WHERE d.run_id = ? AND d.state = 'done'
"""


def adopt(database: Database, files: Files, run_id: str) -> int:
    """Take over finished cells; see :meth:`cspca.runs.store.Store.adopt`.

    Parameters
    ----------
    database : Database
    files : Files
    run_id : str

    Returns
    -------
    int
    """
    donors = database.rows(
        "SELECT d.id FROM runs d JOIN runs m ON m.id = ? AND d.sha256 = m.sha256 "
        "AND d.kind = m.kind AND d.context = m.context WHERE d.id <> m.id AND d.deleted IS NULL "
        "AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.run_id = d.id AND s.versions <> ?) "
        "ORDER BY d.updated DESC",
        (run_id, dump(versions())),
    )
    return sum(_from(database, files, run_id, donor["id"]) for donor in donors)


def _from(database: Database, files: Files, run_id: str, donor: str) -> int:
    rows = [row for row in database.rows(_SHARED, (run_id, donor)) if _sound(files, donor, row)]
    for row in rows:
        if row["has_arrays"]:
            files.copy(folder_of(donor), folder_of(run_id), row["sha256"])
    adopted = 0
    with database.transaction() as connection:
        for row in rows:
            changed = connection.execute(
                "UPDATE cells SET state = 'done', result = ?, digest = ?, seconds = ?, "
                "has_arrays = ? WHERE run_id = ? AND key = ? AND state = 'todo'",
                (
                    *(row["result"], row["digest"], row["seconds"], row["has_arrays"]),
                    *(run_id, row["key"]),
                ),
            ).rowcount
            if changed and row["has_arrays"]:
                connection.execute(
                    "INSERT OR REPLACE INTO arrays VALUES (?, ?, ?, ?)",
                    (run_id, row["key"], row["sha256"], row["bytes"]),
                )
            adopted += changed
    return adopted


def _sound(files: Files, donor: str, row: sqlite3.Row) -> bool:
    """Whether a result is what was committed: damage must not spread."""
    if digest(row["key"], row["result"] or "") != row["digest"]:
        return False
    return not row["has_arrays"] or bool(files.sound(folder_of(donor), row["sha256"] or ""))
