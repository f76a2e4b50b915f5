"""Runs of the store of the version before, carried over once: read-only, marked, with all numbers.

Its tables are read as they are; what is damaged in them is left out. The old files are moved aside
and never changed.
"""

from __future__ import annotations

import hashlib
import io
import json
import sqlite3
import time
from collections import defaultdict
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cspca.experiments.database import APPLICATION, Database, connect, insert, readable
from cspca.experiments.experiment import Result
from cspca.experiments.records import (
    Described,
    cell_key,
    dump,
    hashed,
    new_id,
    one_line,
    pack,
    seal,
)

if TYPE_CHECKING:
    import pandas as pd

_OLD = "runs.sqlite"
_VERSION = 1
_ASIDE = "version-1"
_KINDS = {"comparison": "compare", "checks": "paper"}


def carry_over(database: Database) -> str:
    """Carry over a store of the version before, where there is one; one sentence says so."""
    home = database.home
    if not (home / _OLD).is_file():
        return ""
    try:
        with closing(connect(f"{(home / _OLD).as_uri()}?mode=ro", uri=True)) as old:
            if old.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
                return ""
            if old.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
                return ""
            number = _carried(database, home, old)
    except sqlite3.Error as error:
        return f"The runs of the version before, in {home / _OLD}, cannot be read: {error}."
    if database.in_memory:
        return ""
    _put_aside(home)
    if not number:
        return ""
    return (
        f"{number:,} {'run' if number == 1 else 'runs'} of the version before can be read and not "
        f"gone on with; its own files lie in {home / _ASIDE} and may be deleted."
    )


def _put_aside(home: Path) -> None:
    aside = home / _ASIDE
    # Another process may be faster, and an old server may still have them open.
    with suppress(OSError):
        home.chmod(0o700)
        aside.mkdir(mode=0o700, exist_ok=True)
        for name in (f"{_OLD}-wal", f"{_OLD}-shm", "arrays", "data", "sessions", _OLD):
            if (home / name).exists():
                (home / name).replace(aside / name)


def _carried(database: Database, home: Path, old: sqlite3.Connection) -> int:
    described = {row["sha256"]: row for row in readable(old, "datasets")}
    cells: dict[str, dict[str, sqlite3.Row]] = defaultdict(dict)
    for row in readable(old, "cells"):
        if row["result"] is not None and _digest(row["key"], row["result"]) == row["digest"]:
            cells[row["run_id"]][row["key"]] = row
    arrays = {(row["run_id"], row["name"]): row["sha256"] for row in readable(old, "arrays")}
    number = 0
    for run in list(readable(old, "runs")):
        asked = (run["kind"], run["request"], run["versions"], run["seeds"])
        known = described.get(run["sha256"])
        if not cells[run["id"]] or known is None or _digest(*asked) != run["digest"]:
            continue
        files = {name: file for (of, name), file in arrays.items() if of == run["id"]}
        number += _keep(database, home, run, known, list(cells[run["id"]].values()), files)
    return number


def _keep(
    database: Database,
    home: Path,
    run: sqlite3.Row,
    known: sqlite3.Row,
    cells: list[sqlite3.Row],
    files: Mapping[str, str],
) -> bool:
    if database.rows("SELECT 1 FROM runs WHERE id = ?", (run["id"],)):
        # Cut short the last time.
        return False
    request, kind = json.loads(run["request"]), _KINDS.get(run["kind"], run["kind"])
    data, file = _data(database, home, known)
    description, scope, settings = data.text(), f"imported {run['id']}", dump(request)
    titles = {one["method"]: one["title"] for one in request["plan"]["methods"]}
    spent = {cell["key"]: cell["seconds"] for cell in cells if cell["step"] == "rank"}
    made: dict[str, dict[str, Any]] = {}
    for cell in sorted(cells, key=lambda row: int(row["position"])):
        packed = None
        if cell["has_arrays"]:
            with suppress(OSError, ValueError, KeyError):
                packed = pack(_npz(home / "arrays" / run["id"], files[cell["key"]]))
        name, row = _new_form(run["kind"], titles, spent, cell)
        key, result = cell_key(scope, run["sha256"], name), dump([row])
        made[name] = {
            "key": key,
            "name": name,
            "rows": result,
            "arrays": packed,
            "seconds": cell["seconds"] or 0.0,
            "versions": run["versions"],
            "seal": seal(key, result, packed or b"", "", run["versions"]),
            "finished": time.time(),
            "commits": cell["commits"],
        }
    values = {
        "id": run["id"],
        "view_id": new_id(),
        "owner": hashed(""),
        "scope": scope,
        "kind": kind,
        "name": one_line(run["name"]) or kind,
        "settings": settings,
        "content": run["sha256"],
        "description": description,
        "file": file,
        "plan": seal(*made),
        "seal": seal(kind, settings, run["sha256"], description, run["versions"]),
        "versions": run["versions"],
        "n_cells": run["n_cells"],
        "created": run["created"],
        "updated": run["updated"],
        "trashed": run["deleted"],
        "imported": 1,
    }

    def work(connection: sqlite3.Connection) -> bool:
        number = insert(connection, "runs", values)
        for position, row in enumerate(made.values()):
            insert(connection, "cells", row)
            held = {"run": number, "key": row["key"], "position": position}
            insert(connection, "run_cells", held)
        return True

    return database.write(work)


def _data(database: Database, home: Path, known: sqlite3.Row) -> tuple[Described, str | None]:
    """What the old store said of the data, and the file in which they are kept here."""
    values = json.loads(known["record"])
    values["python"] = values.pop("recipe")
    data = Described.read(json.dumps(values))
    if known["file_sha256"] is None:
        return data, None
    try:
        found = _npz(home / "data", known["file_sha256"])
        words = json.loads(str(found.pop("words")))
    except (OSError, ValueError, KeyError):
        return data, None
    if words["skeleton"] is not None:
        words["skeleton"].insert(2, found["pose"].tolist())
    data = Described.read(json.dumps(values | words))
    pixels: dict[str, Any] = {name: found[name] for name in ("data", "target") if name in found}
    return data, database.put_file(pack(pixels))


def _new_form(
    kind: str, titles: Mapping[str, str], spent: Mapping[str, float], cell: sqlite3.Row
) -> tuple[str, dict[str, Any]]:
    """Name and row of an old cell as they would be called today, with revision 0."""
    result, at = json.loads(cell["result"]), {}
    if cell["step"] == "cluster":
        method, pairs, n_features, seed, n_clusters, init = json.loads(cell["key"])
        at = {"n_features": n_features, "seed": seed, "n_clusters": n_clusters, "init": init}
        del result["cell"]
    else:
        _, method, pairs = json.loads(cell["key"])
        result = result["details"]
    step = "check" if kind == "checks" else cell["step"]
    name = dump([step, 0, {"method": method, "parameters": dict(pairs), **at}])
    text = json.dumps(dict(pairs), sort_keys=True) if pairs else ""
    row = {"method": method, "title": titles.get(method, method), "parameters": text}
    took = {"selection_seconds": spent.get(cell["needs"] or cell["key"])}
    return name, row | at | result | took


def tables(results: Mapping[str, Result]) -> dict[str, pd.DataFrame]:
    """All numbers of a run that was carried over, one table a step: rank, cluster, check."""
    import pandas as pd

    rows: dict[str, list[dict[str, Any]]] = {}
    for name, result in results.items():
        rows.setdefault(json.loads(name)[0], []).extend(result.rows)
    return {step: pd.DataFrame(found) for step, found in rows.items()}


def _npz(folder: Path, sha256: str) -> dict[str, Any]:
    content = (folder / f"{sha256}.npz").read_bytes()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ValueError("It is damaged.")
    with np.load(io.BytesIO(content), allow_pickle=False) as found:
        return {name: found[name] for name in found.files}


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=12).hexdigest()
