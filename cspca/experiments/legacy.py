"""Runs of the version before, carried over once: read-only, marked, with all numbers.

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
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cspca.experiments.database import APPLICATION, Database, connect, readable
from cspca.experiments.experiment import Experiment, Result, Results
from cspca.experiments.log import hashed
from cspca.experiments.records import dump, one_line, pack
from cspca.experiments.registry import EXPERIMENTS
from cspca.experiments.settings import setting

if TYPE_CHECKING:
    import pandas as pd

    from cspca.datasets import Dataset
    from cspca.experiments.experiment import Cell
    from cspca.experiments.records import RunRecord

_OLD = "runs.sqlite"
_ASIDE = "version-1"

Keep = Callable[[dict[str, Any], Mapping[str, Result]], None]


def carry_over(store: Database, keep: Keep) -> str:
    """Carry over a store of the version before, where there is one; one sentence says so."""
    home = store.home
    if not (home / _OLD).is_file():
        return ""
    try:
        with closing(connect(f"{(home / _OLD).as_uri()}?mode=ro")) as old:
            marks = [old.execute(f"PRAGMA {one}") for one in ("application_id", "user_version")]
            if [mark.fetchone()[0] for mark in marks] != [APPLICATION, 1]:
                return ""
            number = _carried(store, old, keep)
    except sqlite3.Error as error:
        return f"The runs of the version before, in {_OLD}, cannot be read: {error}."
    if store.in_memory:
        return ""
    _put_aside(home)
    if not number:
        return ""
    return (
        f"{number:,} {'run' if number == 1 else 'runs'} of the version before can be read and not "
        f"gone on with; its own files lie in {_ASIDE} of the store’s folder and may be deleted."
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
    kind = {"comparison": "compare", "checks": "paper"}.get(run["kind"], run["kind"])
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
    same = ("id", "versions", "n_cells", "created", "updated")
    return {name: run[name] for name in same} | {
        "view_id": secrets.token_hex(16),
        "owner": hashed(""),
        "scope": f"imported {run['id']}",
        "kind": kind,
        "name": one_line(run["name"]) or kind,
        "settings": dump(json.loads(run["request"])),
        "content": run["sha256"],
        "description": dump(described),
        "file": file,
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
            method, pairs, *given = json.loads(cell["key"])
            at = dict(zip(("n_features", "seed", "n_clusters", "init"), given, strict=True))
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
        if "selection_scores" in arrays:
            arrays["signed_scores"] = arrays.pop("selection_scores")
        found[name] = Result((row | at | result | took,), arrays, cell["seconds"] or 0.0)
    return found


def _npz(folder: Path, sha256: str) -> dict[str, Any]:
    content = (folder / f"{sha256}.npz").read_bytes()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ValueError("It is damaged.")
    with np.load(io.BytesIO(content), allow_pickle=False) as found:
        return dict(found)


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=12).hexdigest()


# -- what is shown of them -------------------------------------------------------------------------


@dataclass(frozen=True)
class Imported(Experiment):
    """Rows by what they are of, and means over the starts of K-means; nothing is computed."""

    asked: dict[str, Any] | None = setting(None, label="Asked")  # noqa: RUF009

    def cells(self, data: Dataset) -> tuple[Cell, ...]:
        """None that could be computed again."""
        return ()

    def table(self, results: Results) -> pd.DataFrame:
        """The clusterings, or the fits where there are none."""
        return (list(_rows(results).values()) or [super().table(results)])[-1]

    def tables(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """All rows."""
        return _rows(results)

    def printed(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """Fits with their certificates, and what was measured, mean ± std."""
        from cspca.evaluation import METRICS

        found = _rows(results)
        if "Fits" in found:
            columns = [
                "title",
                "parameters",
                "objective",
                "duality_gap",
                "rank",
                "n_zero",
                "regime",
            ]
            shown = found["Fits"].filter(columns)
            found["Fits"] = shown.map(lambda one: f"{one:.6g}" if isinstance(one, float) else one)
        if "Clusterings" in found:
            groups = found["Clusterings"].groupby(["title", "parameters", "n_features"], sort=False)
            shown = groups.size().rename("starts").reset_index()
            for name, metric in METRICS.items():
                if name in found["Clusterings"]:
                    both = zip(groups[name].mean(), groups[name].std(ddof=1), strict=True)
                    shown[metric.short] = [metric.spread(mean, std) for mean, std in both]
            found["Clusterings"] = shown
        return {title: frame.astype(str) for title, frame in found.items()}

    def snippet(self, data: Dataset) -> str:
        """What these numbers were made by is gone."""
        return "# Made by an earlier version: run it anew for the lines of Python."


def _rows(results: Results) -> dict[str, pd.DataFrame]:
    import pandas as pd

    found = {}
    for step, title in (("rank", "Fits"), ("cluster", "Clusterings"), ("check", "Checks")):
        rows = [row for cell, one in results.items() if cell.step == step for row in one.rows]
        if rows:
            found[title] = pd.DataFrame(rows).dropna(axis="columns", how="all")
    return found


def imported(run: RunRecord) -> Experiment:
    """The experiment of a run that was carried over."""
    title = EXPERIMENTS[run.kind].title
    made = type("Imported", (Imported,), {"kind": run.kind, "title": title})
    found: Experiment = made(run.settings.get("asked") or {})
    return found
