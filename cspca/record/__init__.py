"""The record: finished runs that are shipped, and what tells whether their numbers come again.

Each is one file beside this one, as JSON: what was asked, of which data (their description and
fingerprint, no image), what made it, and every cell with its numbers. Beside each run of the paper
stands a summary of it, by which its claims are judged without its cells.
"""

from __future__ import annotations

import json
import lzma
import os
import platform
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cspca.evaluation import METRICS
from cspca.experiments.experiment import Outcome
from cspca.experiments.exports import slug
from cspca.experiments.ledger import PUBLIC, Memory
from cspca.experiments.paper import Paper
from cspca.experiments.records import dump, versions
from cspca.experiments.settings import text_of, to_json, unusual
from cspca.record import summary
from cspca.record.cells import RecordedOutcome, read_cells
from cspca.selection.registry import RANDOM

if TYPE_CHECKING:
    from cspca.experiments.experiment import Experiment

FOLDER = Path(__file__).parent

_RUNS: Memory[Path, RecordedOutcome] = Memory()

QUICK: Mapping[str, Mapping[str, Any]] = {
    "compare": {
        "methods": ("all", "variance", "laplacian", "pca", "greedy", "cspca"),
        "n_features": (20,),
        "n_draws": 1,
    },
    "paper": {"parts": ("comparison",), "grid": (1.0,), "n_counts": 1},
}
"""What makes a run a small one of which every cell is in the record of the whole, by kind."""

ALLOWED = 0.3
"""Standard deviations over the starts by which a mean may differ."""

_ROUNDED = 1e-4
_CERTIFIED = 1e-3


def paths(kind: str = "*", sha256: str = "") -> list[Path]:
    """Files of the record, or those of one kind, and of the data with this fingerprint."""
    return sorted(FOLDER.glob(f"{kind}-*{sha256[:8]}.json.xz"))


def recorded(kind: str = "*") -> list[Outcome]:
    """The runs of the record, or those of one kind."""
    return [read(path) for path in paths(kind)]


def read(path: Path) -> RecordedOutcome:
    """A run of the record, on what is known of its data; its note says what made it.

    Of its cells the names are read; each result is unpacked when it is looked up. It is everybody's
    in the ledger while somebody looks at it.
    """
    return _RUNS.get_or_make(path, lambda: read_cells(path), PUBLIC)


def write(outcome: Outcome, description: str) -> Path:
    """Ship a finished run with the description of its data, in place of the one before."""
    if not outcome.complete or outcome.failures:
        raise ValueError("A run of the record is a whole one: resume it first.")
    experiment, data = outcome.experiment, outcome.data
    provenance = versions() | {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "machine": f"{platform.system()} {platform.machine()} of {os.cpu_count()} cores",
        "command": command(experiment, data.name),
    }
    values = {
        "kind": experiment.kind,
        "settings": to_json(experiment),
        "data": json.loads(description),
        "made": provenance,
        "cells": [
            # Where random draws fell their seeds say.
            [
                json.loads(cell.name),
                result.rows,
                {} if _drawn(cell) else result.arrays,
                result.seconds,
            ]
            for cell, result in outcome.results.items()
        ],
    }
    text = json.dumps(_short(json.loads(dump(values))), separators=(",", ":"), ensure_ascii=False)
    path = FOLDER / f"{experiment.kind}-{slug(data.name)}-{data.sha256[:8]}.json.xz"
    path.write_bytes(lzma.compress(text.encode(), preset=9))
    _RUNS.drop(path)
    if isinstance(experiment, Paper):
        summary.write(path)
    return path


def renew_summaries() -> list[Path]:
    """Make the summaries of all runs of the paper anew, after a change of what they are made by."""
    return [summary.write(path) for path in paths("paper")]


def command(experiment: Experiment, data: str) -> str:
    """What computes it."""
    options = [
        f"--{name.replace('_', '-')} {text_of(value)}"
        for name, value in unusual(experiment).items()
    ]
    return " ".join(["python -m cspca", experiment.kind, data, *options])


def smaller(experiment: Experiment) -> Experiment:
    """The small one of which every cell is in the record too."""
    return replace(experiment, **QUICK[experiment.kind])  # type: ignore[type-var]


def held(recorded: Outcome, recomputed: Outcome) -> tuple[int, list[str]]:
    """How many numbers were held against the record, and a sentence for each that is another."""
    wrong, count = list(recomputed.failures.values()), 0
    recorded_rows = {
        _without_revisions(cell.name): result.rows for cell, result in recorded.results.items()
    }
    for cell, result in recomputed.results.items():
        then_rows = recorded_rows.get(_without_revisions(cell.name))
        if then_rows is None:
            wrong.append(f"{cell.title}: not in the record.")
            continue
        for what, then, now, allowed in _numbers(then_rows, result.rows):
            count += 1
            if not abs(now - then) <= allowed:
                k = cell.parameters.get("n_features")
                where = f"{cell.title}, {k} features" if k else cell.title
                wrong.append(f"{where}: {what} {now:.6g}, in the record {then:.6g} ± {allowed:.2g}")
    return count, wrong


def _without_revisions(name: str) -> str:
    """What a cell computes, in whatever revision: do its numbers come again?"""

    def without(step: str, _: int, parameters: dict[str, Any]) -> list[Any]:
        named = {k: without(*value) if k == "ranking" else value for k, value in parameters.items()}
        return [step, named]

    return dump(without(*json.loads(name)))


def _numbers(then: Any, now: Any) -> Iterator[tuple[str, float, float, float]]:
    """Means of what was measured, objectives, and by how much each may differ."""
    for name in (*METRICS, "objective"):
        pairs = [(a[name], b[name]) for a, b in zip(then, now, strict=True) if name in a]
        if name != "objective" and pairs:
            (a, b), spread = np.mean(pairs, axis=0), np.std(pairs, axis=0)[0]
            yield name, a, b, max(ALLOWED * float(spread), _ROUNDED)
        elif pairs:
            gaps = [row.get("duality_gap", 0.0) for row in (*then, *now)]
            for a, b in pairs:
                yield name, a, b, max(_CERTIFIED, *gaps) * abs(a)


def _drawn(cell: Any) -> bool:
    return bool(cell.parameters.get("method") == RANDOM)


def _short(value: Any) -> Any:
    """Values with six digits: what comes after them no reader sees."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {name: _short(element) for name, element in value.items()}
    return [_short(element) for element in value] if isinstance(value, list) else value
