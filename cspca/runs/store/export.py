"""One run as one file to take away: what was asked, every cell, every array."""

from __future__ import annotations

import csv
import io
import json
import time
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cspca.runs.store.errors import telling
from cspca.runs.store.files import write_whole
from cspca.runs.store.records import CellRecord, CellState, RunRecord
from cspca.runs.store.store import Store

__all__ = ["export_run", "run_archive"]


def export_run(store: Store, run_id: str, path: Path) -> Path:
    """Write a run to a ``.zip``: ``run.json``, ``cells.csv`` and ``arrays/*.npz``.

    Parameters
    ----------
    store : Store
    run_id : str
    path : Path
        Written whole or not at all; a file of that name is replaced.

    Returns
    -------
    Path

    Raises
    ------
    StoreError
        When there is no such run, something of it is damaged, or there is no room.
    """
    content = run_archive(store, run_id)
    with telling(path.parent):
        write_whole(path, content)
    return path


def run_archive(store: Store, run_id: str) -> bytes:
    """Make the ``.zip`` of :func:`export_run` in memory, for a download.

    Parameters
    ----------
    store : Store
    run_id : str
    """
    run, cells = store.get(run_id), store.cells(run_id)
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        names = {name: f"arrays/{i:04d}.npz" for i, name in enumerate(store.array_names(run_id))}
        archive.writestr("run.json", json.dumps(_described(run, names), indent=2))
        archive.writestr("cells.csv", _table(cells))
        for name, place in names.items():
            archive.writestr(place, _npz(store.arrays(run_id, name)))
    return memory.getvalue()


def _described(run: RunRecord, arrays: dict[str, str]) -> dict[str, Any]:
    values = asdict(run)
    # Whoever has the id may open and delete the run: it does not leave the house.
    del values["id"]
    for name in ("created", "updated"):
        values[name] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(values[name]))
    del values["deleted"]
    return values | {"arrays": {place: name for name, place in arrays.items()}}


def _table(cells: tuple[CellRecord, ...]) -> str:
    done = [cell for cell in cells if cell.state is CellState.DONE and cell.result is not None]
    columns: dict[str, None] = {}
    for cell in done:
        columns.update(dict.fromkeys(k for k, v in _flat(cell).items() if v is not None))
    text = io.StringIO()
    writer = csv.DictWriter(
        text, ["step", "cell", *columns], extrasaction="ignore", lineterminator="\n"
    )
    writer.writeheader()
    for cell in done:
        writer.writerow({**_flat(cell), "step": cell.step, "cell": cell.key})
    return text.getvalue()


def _flat(cell: CellRecord) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in (cell.result or {}).items():
        if isinstance(value, dict):
            found.update(value)
        elif name != "cell":
            found[name] = value
    return found


def _npz(arrays: dict[str, Any]) -> bytes:
    import numpy as np

    memory = io.BytesIO()
    np.savez(memory, allow_pickle=False, **arrays)
    return memory.getvalue()
