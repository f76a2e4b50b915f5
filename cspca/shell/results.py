"""What has been found, whatever the kind: for people, for machines, as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cspca.shell.files import write
from cspca.shell.options import FAILED, ShellError
from cspca.shell.terminal import duration, note, number, say, say_json, say_table

if TYPE_CHECKING:
    import pandas as pd

    from cspca.datasets import Dataset
    from cspca.experiments import Outcome
    from cspca.experiments.store import Described, RunRecord


def described(data: Dataset | Described) -> dict[str, Any]:
    """What a machine should know of some data."""
    names = ("name", "n_samples", "n_features", "n_classes", "sha256")
    return {name: getattr(data, name) for name in names}


def header(run: RunRecord) -> dict[str, Any]:
    """What a run is, as plain values."""
    names = ("kind", "name", "created", "updated", "trashed", "imported", "seconds")
    return {
        "run": run.id,
        "state": str(run.state),
        **{name: getattr(run, name) for name in (*names, "n_cells", "n_done", "n_failed")},
        "data": described(run.data),
    }


def state_of(run: RunRecord) -> str:
    """Where a run stands, for people."""
    return f"{run.state}, imported" if run.imported else str(run.state)


def values_of(outcome: Outcome, run: RunRecord | None) -> dict[str, Any]:
    """All that was found as plain values; a table of one row stands at the top too."""
    from cspca.experiments.exports import to_json

    found: dict[str, Any] = json.loads(to_json(outcome))
    rows = found.get("table", ())
    return (rows[0] if len(rows) == 1 else {}) | found | ({"run": None} if not run else header(run))


def tell(outcome: Outcome, run: RunRecord | None, *, as_json: bool) -> None:
    """Write what was found: sentences, verdicts and tables, or one JSON document."""
    if outcome.note:
        note(outcome.note)
    if as_json:
        say_json(values_of(outcome, run))
        return
    if run is not None:
        failed = f", {run.n_failed:,} failed" if run.n_failed else ""
        done = f"{run.n_done:,} of {run.n_cells:,} cells{failed}"
        say(f"{run.name} ({run.id}): {state_of(run)}, {done}, {duration(run.seconds)} of computing")
    if not outcome.results:
        return
    judged = [one for one in outcome.findings if one.verdict]
    for one in outcome.findings:
        if not one.verdict:
            say(one.sentence)
    if judged:
        say()
        lines = [[one.claim or one.sentence, one.verdict, one.number or "–"] for one in judged]
        say_table(["claim", "verdict", "ours"], lines)
    for title, frame in outcome.printed.items():
        say()
        say(title)
        say_frame(frame)


def say_frame(frame: pd.DataFrame) -> None:
    """Write a table for people."""
    heads = [
        " ".join(filter(None, map(str, name))) if isinstance(name, tuple) else str(name)
        for name in frame.columns
    ]
    rows = frame.to_numpy(dtype=object).tolist()
    say_table(heads, [[_cell(one) for one in row] for row in rows])
    if frame.attrs.get("note"):
        say(frame.attrs["note"])


def _cell(value: Any) -> str:
    return number(value) if isinstance(value, float) else str(value)


def export(outcome: Outcome, run: RunRecord | None, path: str) -> None:
    """Write what was found to a file whose suffix says the form."""
    from cspca.experiments.exports import file

    suffix = Path(path).suffix.lower()
    if not outcome.results:
        name = outcome.experiment.title if run is None else run.name
        raise ShellError(f"{name} has no results yet: resume it first.", FAILED)
    try:
        content = reported(outcome, run) if suffix == ".html" else file(outcome, suffix)
    except ValueError as error:
        raise ShellError(str(error)) from error
    write(path, content)


def reported(outcome: Outcome, run: RunRecord | None) -> str:
    """The report of what was found."""
    from cspca.report import report

    if run is None:
        return report(outcome)
    versions = run.versions[-1] if run.versions else None
    return report(outcome, name=run.name, made=run.updated, seconds=run.seconds, versions=versions)
