"""Summaries of the paper's runs in the record: what claims and tables take of all cells.

Each is one file beside its record, made from it and used for that one alone: it holds the
fingerprint of the file that it was made from. :func:`cspca.record.renew_summaries` makes all anew.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Mapping
from dataclasses import dataclass
from operator import methodcaller
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd

from cspca.experiments.paper import Paper, gaps_of
from cspca.paper.claims import Evidence, Runs
from cspca.record.cells import RecordedOutcome, outcome_of, read_cells


@dataclass(frozen=True, eq=False)
class Summary:
    """What is said of a run of the paper.

    Parameters
    ----------
    outcome : Outcome
        The run without its results: settings, data, note.
    evidence : Evidence
        What the claims are judged by.
    tables : mapping of str to DataFrame
        The paper's numbers beside ours, by metric.
    gaps : mapping of (float, float) to float
        Duality gaps of the comparison's fits of CSPCA, by α and β.
    """

    outcome: RecordedOutcome
    evidence: Evidence
    tables: Mapping[str, pd.DataFrame]
    gaps: Mapping[tuple[float, float], float]


def path_of(record: Path) -> Path:
    """File of the summary of a file of the record."""
    return record.with_name(record.name.removesuffix(".json.xz") + ".summary.xz")


def summarise(outcome: RecordedOutcome) -> Summary:
    """Make the summary of a run from its cells."""
    paper, results, data = cast(Paper, outcome.experiment), outcome.results, outcome.data
    return Summary(
        outcome_of(outcome.head, {}),
        paper.evidence(results, data),
        paper.paper_tables(results, data),
        gaps_of(results),
    )


def write(record: Path) -> Path:
    """Write the summary of a file of the record beside it."""
    summary = summarise(read_cells(record))
    evidence = summary.evidence
    values = {
        "of": _fingerprint(record),
        "head": summary.outcome.head,
        "title": evidence.title,
        "accuracy": evidence.accuracy,
        "nmi": evidence.nmi,
        "points": list(evidence.points.items()),
        "no_ranking": list(evidence.no_ranking.items()),
        "starts": evidence.starts,
        "checks": evidence.checks,
        "tables": {
            metric: [list(table.columns), table.to_numpy(object).tolist()]
            for metric, table in summary.tables.items()
        },
        "gaps": list(summary.gaps.items()),
    }
    path = path_of(record)
    path.write_bytes(lzma.compress(_ordered(values).encode(), preset=9))
    return path


def read(record: Path) -> Summary | None:
    """The summary of a file of the record; None where there is none of this very file."""
    try:
        values = json.loads(lzma.decompress(path_of(record).read_bytes()))
    except FileNotFoundError:
        return None
    if values["of"] != _fingerprint(record):
        return None
    outcome = outcome_of(values["head"], {})
    paper = cast(Paper, outcome.experiment)
    evidence = Evidence(
        title=values["title"],
        papers_protocol=paper.is_the_papers,
        accuracy=_runs(values["accuracy"]),
        nmi=_runs(values["nmi"]),
        points={tuple(point): np.array(runs) for point, runs in values["points"]},
        no_ranking={tuple(point): reason for point, reason in values["no_ranking"]},
        starts=values["starts"],
        checks=values["checks"],
    )
    tables = {
        metric: pd.DataFrame(rows, columns=columns)
        for metric, (columns, rows) in values["tables"].items()
    }
    gaps = {tuple(point): gap for point, gap in values["gaps"]}
    return Summary(outcome, evidence, tables, gaps)


def _runs(values: Mapping[str, Any]) -> dict[str, Runs]:
    return {method: np.array(runs, dtype=np.float64) for method, runs in values.items()}


def _fingerprint(record: Path) -> str:
    return hashlib.sha256(record.read_bytes()).hexdigest()


def _ordered(values: Mapping[str, Any]) -> str:
    """JSON that keeps the order of keys, which is that of methods and checks."""
    return json.dumps(values, separators=(",", ":"), default=methodcaller("tolist"))
