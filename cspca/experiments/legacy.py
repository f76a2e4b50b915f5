"""Runs of the store of the version before, carried over once: read-only, marked, with all numbers.

Its tables are read as they are; what is damaged in them is left out. The old files are moved aside
and never changed.
"""

from __future__ import annotations

import hashlib
import io
import json
import secrets
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np

from cspca.experiments.database import APPLICATION, Database, connect, readable
from cspca.experiments.experiment import Result
from cspca.experiments.records import dump, hashed, one_line, pack

_OLD = "runs.sqlite"
_MARKS = {"application_id": APPLICATION, "user_version": 1}
_ASIDE = "version-1"
_KINDS = {"comparison": "compare", "checks": "paper"}


Keep = Callable[[dict[str, Any], Mapping[str, Result]], None]
"""Keeps a run, its columns by name, with its results."""


def carry_over(store: Database, keep: Keep) -> str:
    """Carry over a store of the version before, where there is one; one sentence says so."""
    home = store.home
    if not (home / _OLD).is_file():
        return ""
    try:
        with closing(connect(f"{(home / _OLD).as_uri()}?mode=ro")) as old:
            marks = [old.execute(f"PRAGMA {one}").fetchone()[0] for one in _MARKS]
            if marks != list(_MARKS.values()):
                return ""
            number = _carried(store, old, keep)
    except sqlite3.Error as error:
        return f"The runs of the version before, in {home / _OLD}, cannot be read: {error}."
    if store.in_memory:
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


def _carried(store: Database, old: sqlite3.Connection, keep: Keep) -> int:
    described = {row["sha256"]: row for row in readable(old, "datasets")}
    cells: dict[str, list[sqlite3.Row]] = defaultdict(list)
    for row in readable(old, "cells"):
        if row["result"] is not None and _digest(row["key"], row["result"]) == row["digest"]:
            cells[row["run_id"]].append(row)
    files = {(row["run_id"], row["name"]): row["sha256"] for row in readable(old, "arrays")}
    number = 0
    for run in list(readable(old, "runs")):
        asked = (run["kind"], run["request"], run["versions"], run["seeds"])
        known = described.get(run["sha256"])
        # One that is here was carried over before, and that cut short.
        here = store.rows("SELECT 1 FROM runs WHERE id = ?", (run["id"],))
        if here or not cells[run["id"]] or known is None or _digest(*asked) != run["digest"]:
            continue
        keep(_run(store, run, known), _results(store.home, run, cells[run["id"]], files))
        number += 1
    return number


def _run(store: Database, run: sqlite3.Row, known: sqlite3.Row) -> dict[str, Any]:
    """The row of a run, as the store has it today."""
    kind = _KINDS.get(run["kind"], run["kind"])
    described = json.loads(known["record"])
    described["python"] = described.pop("recipe")
    file = None
    if known["file_sha256"] is not None:
        with suppress(OSError, ValueError, KeyError):
            found = _npz(store.home / "data", known["file_sha256"])
            words = json.loads(str(found.pop("words")))
            if words["skeleton"] is not None:
                words["skeleton"].insert(2, found["pose"].tolist())
            described |= words
            pixels = found.keys() & {"data", "target"}
            file = store.put_file(pack({name: found[name] for name in sorted(pixels)}))
    return {
        "id": run["id"],
        "view_id": secrets.token_hex(16),
        "owner": hashed(""),
        "scope": f"imported {run['id']}",
        "kind": kind,
        "name": one_line(run["name"]) or kind,
        "settings": dump(json.loads(run["request"])),
        "content": run["sha256"],
        "description": dump(described),
        "file": file,
        "versions": run["versions"],
        "n_cells": run["n_cells"],
        "created": run["created"],
        "updated": run["updated"],
        "trashed": run["deleted"],
        "imported": 1,
    }


def _results(
    home: Path,
    run: sqlite3.Row,
    cells: list[sqlite3.Row],
    files: Mapping[tuple[str, str], str],
) -> dict[str, Result]:
    """What a run has found, by the names that its cells would have today, with revision 0."""
    methods = json.loads(run["request"])["plan"]["methods"]
    titles = {one["method"]: one["title"] for one in methods}
    spent = {cell["key"]: cell["seconds"] for cell in cells if cell["step"] == "rank"}
    found = {}
    for cell in sorted(cells, key=lambda row: int(row["position"])):
        result, arrays, at = json.loads(cell["result"]), dict[str, Any](), dict[str, Any]()
        if cell["step"] == "cluster":
            method, pairs, n_features, seed, n_clusters, init = json.loads(cell["key"])
            at = {"n_features": n_features, "seed": seed, "n_clusters": n_clusters, "init": init}
            del result["cell"]
        else:
            _, method, pairs = json.loads(cell["key"])
            result = result["details"]
        step = "check" if run["kind"] == "checks" else cell["step"]
        name = dump([step, 0, {"method": method, "parameters": dict(pairs), **at}])
        text = json.dumps(dict(pairs), sort_keys=True) if pairs else ""
        row = {"method": method, "title": titles.get(method, method), "parameters": text}
        took = {"selection_seconds": spent.get(cell["needs"] or cell["key"])}
        if cell["has_arrays"]:
            with suppress(OSError, ValueError, KeyError):
                arrays = _npz(home / "arrays" / run["id"], files[run["id"], cell["key"]])
        found[name] = Result((row | at | result | took,), arrays, cell["seconds"] or 0.0)
    return found


def _npz(folder: Path, sha256: str) -> dict[str, Any]:
    content = (folder / f"{sha256}.npz").read_bytes()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ValueError("It is damaged.")
    with np.load(io.BytesIO(content), allow_pickle=False) as found:
        return {name: found[name] for name in found.files}


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=12).hexdigest()
