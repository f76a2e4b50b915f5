"""What commands read and write: data by name or path; results for people, machines, as files."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cspca.figures.words import duration
from cspca.shell.options import FAILED, ShellError, usage
from cspca.shell.terminal import Bar, note, say, say_json, say_table

if TYPE_CHECKING:
    import pandas as pd

    from cspca.datasets import Dataset
    from cspca.experiments import Outcome
    from cspca.experiments.store import RunRecord


def check(paths: Sequence[str], known: tuple[str, ...]) -> None:
    """See that files can be written, before any work is done for them."""
    for path in paths:
        if Path(path).suffix.lower() not in known:
            *most, last = known
            choice = f"{', '.join(most)} or {last}" if most else last
            raise ShellError(f"{path} cannot be written: choose a name that ends in {choice}.")
        folder = Path(path).expanduser().parent
        if not folder.is_dir():
            raise ShellError(
                f"{path} cannot be written: there is no folder {folder}, make it first."
            )


def write(path: str, content: str | bytes) -> None:
    """Write a file, whole or not at all, and say so."""
    from cspca.experiments.database import write_whole

    data = content.encode() if isinstance(content, str) else content
    try:
        write_whole(Path(path).expanduser(), data)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ShellError(f"{path} cannot be written: {reason}.", FAILED) from error
    note(f"Wrote {path}.")


def is_data(what: str) -> bool:
    """Whether data are meant: a name that is known, or a file."""
    from cspca.datasets import BUILTIN, REMOTE

    return what in BUILTIN or what in REMOTE or Path(what).exists()


def open_data(what: str) -> Dataset:
    """Load a data set by its name or path; a name goes before a file, ``./faces`` is the file."""
    from cspca.datasets import BUILTIN, REMOTE, fetch, is_cached, load, load_file

    if what in BUILTIN:
        return load(what)
    if what in REMOTE:
        if is_cached(what):
            return fetch(what)
        bar = Bar(f"Fetching {what}")
        try:
            return fetch(what, progress=bar.show)
        finally:
            bar.close()
    if Path(what).exists():
        dataset = load_file(what)
        note(dataset.recognised)
        return dataset
    known = (*BUILTIN, *REMOTE)
    near = difflib.get_close_matches(what, known, 1)
    hint = f"did you mean {near[0]}?" if near else f"choose one of {', '.join(known)}."
    raise ShellError(f"There is no data set and no file called {what!r}: {hint}")


def described(data: Dataset) -> dict[str, Any]:
    """What a machine should know of some data."""
    names = ("name", "n_samples", "n_features", "n_classes", "sha256")
    return {name: getattr(data, name) for name in names}


def header(run: RunRecord) -> dict[str, Any]:
    """What a run is, as plain values."""
    names = [
        "kind",
        "name",
        "created",
        "updated",
        "trashed",
        "imported",
        "seconds",
        "n_cells",
        "n_done",
        "n_failed",
    ]
    values = {name: getattr(run, name) for name in names}
    return {"run": run.id, "state": str(run.state), **values, "data": described(run.data)}


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
    if not isinstance(value, float):
        return str(value)
    return f"{value:.4g}" if math.isfinite(value) else "–"


def export(outcome: Outcome, run: RunRecord | None, path: str) -> None:
    """Write what was found to a file whose suffix says the form."""
    from cspca.experiments.exports import file
    from cspca.report import report

    suffix = Path(path).suffix.lower()
    if not outcome.results:
        name = outcome.experiment.title if run is None else run.name
        raise ShellError(f"{name} has no results yet: resume it first.", FAILED)
    with usage():
        content = report(outcome, run) if suffix == ".html" else file(outcome, suffix)
    write(path, content)
