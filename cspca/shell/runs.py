"""``runs``: list, show, resume, rename, delete, restore and export what is kept."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

from cspca.shell.data import open_data
from cspca.shell.errors import OK
from cspca.shell.findings import export, findings, header, show
from cspca.shell.kept import find_run, go_on
from cspca.shell.options import add_command, add_data, add_workers
from cspca.shell.terminal import note, say, say_json, say_table

__all__ = ["add_to"]


def add_to(commands: Any) -> None:
    """Add the command.

    Parameters
    ----------
    commands : argparse subparsers
    """
    summary = "List, show, resume, rename, delete, restore and export kept runs."
    examples = "runs list digits\nruns show last\nruns export last --out run.zip"
    parser = add_command(commands, "runs", None, summary, examples)
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    listing = add_command(
        actions, "list", _list, "List runs, the one changed last first.",
        "runs list\nruns list digits --kind comparison --json\nruns list --deleted",
    )  # fmt: skip
    listing.add_argument("search", nargs="*", metavar="WORD", help="in the name, kind or data")
    listing.add_argument("--kind", choices=("comparison", "sensitivity", "starts", "fit", "checks"))
    listing.add_argument("--deleted", action="store_true", help="those in the trash")
    _add(actions, "show", _show, "Show what a run has found.", "runs show last --json")
    resume = _add(
        actions, "resume", _resume, "Go on with a run where it stopped.",
        "runs resume last --n-jobs 2\nruns resume 3fQ9 ORL.mat",
    )  # fmt: skip
    add_data(resume, optional=True)
    add_workers(resume)
    rename = _add(
        actions, "rename", _rename, "Give a run another name.", 'runs rename last "ORL, 30 seeds"'
    )
    rename.add_argument("name", metavar="NAME")
    _add(actions, "delete", _delete, "Put a run in the trash.", "runs delete 3fQ9")
    _add(actions, "restore", _restore, "Take a run out of the trash.", "runs restore 3fQ9")
    exporting = _add(
        actions, "export", _export, "Write a run to a file.",
        "runs export last --out run.zip\nruns export last --out table.tex",
    )  # fmt: skip
    exporting.add_argument(
        "--out", metavar="FILE", required=True,
        help=".zip of all; .csv or .tex of a comparison, .csv of a sweep, .npz of a grid or fit",
    )  # fmt: skip


def _add(
    actions: Any,
    name: str,
    run: Callable[[argparse.Namespace], int],
    summary: str,
    examples: str,
) -> argparse.ArgumentParser:
    parser = add_command(actions, name, run, summary, examples)
    parser.add_argument(
        "run_id", metavar="RUN", help="id, the beginning of one, a name, or the word last"
    )
    return parser


def _list(asked: argparse.Namespace) -> int:
    from cspca.runs.store import Store

    with Store(asked.home) as store:
        found = store.runs(" ".join(asked.search), kind=asked.kind, deleted=asked.deleted)
        home = store.home
    if asked.json:
        say_json([header(run) for run in found])
    elif not found:
        asked_for = asked.search or asked.kind or asked.deleted
        note(f"No such runs in {home}." if asked_for else f"No runs yet in {home}.")
    else:
        say_table(
            ["id", "kind", "state", "cells", "changed", "name"],
            [
                [
                    run.id,
                    run.kind,
                    str(run.state),
                    f"{run.n_done:,}/{run.n_cells:,}",
                    time.strftime("%Y-%m-%d %H:%M", time.localtime(run.updated)),
                    run.name,
                ]
                for run in found
            ],
        )
    return OK


def _show(asked: argparse.Namespace) -> int:
    from cspca.runs.store import Store

    with Store(asked.home) as store:
        values = findings(store, find_run(store, asked.run_id))
    if asked.json:
        say_json(values)
    else:
        show(values)
    return OK


def _resume(asked: argparse.Namespace) -> int:
    from cspca.runs.store import Store

    with Store(asked.home) as store:
        run = find_run(store, asked.run_id)
        dataset = None if asked.data is None else open_data(asked.data)
        run, code = go_on(store, run.id, dataset, asked)
        values = findings(store, run)
    if asked.json:
        say_json(values)
    else:
        show(values)
    return code


def _rename(asked: argparse.Namespace) -> int:
    return _changed(asked, lambda store, run: store.rename(run.id, asked.name), "Renamed")


def _delete(asked: argparse.Namespace) -> int:
    return _changed(asked, lambda store, run: store.delete(run.id), "In the trash")


def _restore(asked: argparse.Namespace) -> int:
    return _changed(asked, lambda store, run: store.restore(run.id), "Restored")


def _export(asked: argparse.Namespace) -> int:
    return _changed(asked, lambda store, run: export(store, run, asked.out), "Exported")


def _changed(asked: argparse.Namespace, change: Callable[[Any, Any], None], done: str) -> int:
    from cspca.runs.store import Store

    with Store(asked.home) as store:
        run = find_run(store, asked.run_id)
        change(store, run)
        run = store.get(run.id)
    if asked.json:
        say_json(header(run))
    else:
        say(f"{done}: {run.name} ({run.id})")
    return OK
