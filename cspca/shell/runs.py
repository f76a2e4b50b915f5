"""``runs``: list, show, resume, rename, delete, restore and export what is kept."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from cspca.experiments.registry import EXPERIMENTS
from cspca.shell.files import FORMS, MAPS, check, open_data
from cspca.shell.kept import find_run, go_on, opened
from cspca.shell.options import OK, Command, Parser, add_data, add_workers
from cspca.shell.results import export, header, state, tell
from cspca.shell.terminal import note, say, say_json, say_table

if TYPE_CHECKING:
    from cspca.experiments.store import RunRecord, Store


def _list_options(parser: Parser) -> None:
    parser.add_argument("search", nargs="*", metavar="WORD", help="in the name, kind or data")
    parser.add_argument("--kind", choices=tuple(EXPERIMENTS))
    parser.add_argument("--deleted", action="store_true", help="those in the trash")


def _run_option(parser: Parser) -> None:
    words = "id, the beginning of one, a name, or the word last"
    parser.add_argument("run_id", metavar="RUN", help=words)


def _resume_options(parser: Parser) -> None:
    _run_option(parser)
    add_data(parser, optional=True)
    add_workers(parser)


def _rename_options(parser: Parser) -> None:
    _run_option(parser)
    parser.add_argument("name", metavar="NAME")


def _export_options(parser: Parser) -> None:
    _run_option(parser)
    words = f"{', '.join((*FORMS, *MAPS))}, as the kind of run allows"
    parser.add_argument("--out", metavar="FILE", required=True, help=words)


def _list(asked: argparse.Namespace) -> int:
    with opened(asked.home) as store:
        found = store.runs(text=" ".join(asked.search), kind=asked.kind, trashed=asked.deleted)
        home = store.home
    if asked.json:
        say_json([header(run) for run in found])
    elif not found:
        asked_for = asked.search or asked.kind or asked.deleted
        note(f"No such runs in {home}." if asked_for else f"No runs yet in {home}.")
    else:
        rows = [
            [
                run.id,
                run.kind,
                state(run),
                f"{run.n_done:,}/{run.n_cells:,}",
                time.strftime("%Y-%m-%d %H:%M", time.localtime(run.updated)),
                run.name,
            ]
            for run in found
        ]
        say_table(["id", "kind", "state", "cells", "changed", "name"], rows)
    return OK


def _show(asked: argparse.Namespace) -> int:
    from cspca.experiments.runner import stored_outcome

    with opened(asked.home) as store:
        run = find_run(store, asked.run_id)
        tell(stored_outcome(store, run), run, as_json=asked.json)
    return OK


def _resume(asked: argparse.Namespace) -> int:
    with opened(asked.home) as store:
        run = find_run(store, asked.run_id)
        dataset = None if asked.data is None else open_data(asked.data)
        outcome, code = go_on(store, run, dataset, asked)
        tell(outcome, store.get(run.id), as_json=asked.json)
    return code


def _rename(asked: argparse.Namespace) -> int:
    return _changed(asked, lambda store, run: store.rename(run.id, asked.name), "Renamed")


def _delete(asked: argparse.Namespace) -> int:
    return _changed(asked, lambda store, run: store.trash(run.id), "In the trash")


def _restore(asked: argparse.Namespace) -> int:
    return _changed(asked, lambda store, run: store.restore(run.id), "Restored")


def _export(asked: argparse.Namespace) -> int:
    from cspca.experiments.runner import stored_outcome

    check([asked.out], (*FORMS, *MAPS))
    return _changed(
        asked, lambda store, run: export(stored_outcome(store, run), run, asked.out), "Exported"
    )


def _changed(
    asked: argparse.Namespace, change: Callable[[Store, RunRecord], None], done: str
) -> int:
    with opened(asked.home) as store:
        run = find_run(store, asked.run_id)
        change(store, run)
        run = store.get(run.id)
    if asked.json:
        say_json(header(run))
    else:
        say(f"{done}: {run.name} ({run.id})")
    return OK


RUNS = Command(
    "List, show, resume, rename, delete, restore and export kept runs.",
    "runs list digits\nruns show last\nruns export last --out run.zip",
    actions={
        "list": Command(
            "List runs, the one changed last first.",
            "runs list\nruns list digits --kind compare --json\nruns list --deleted",
            _list,
            _list_options,
        ),
        "show": Command("Show what a run has found.", "runs show last --json", _show, _run_option),
        "resume": Command(
            "Go on with a run where it stopped.",
            "runs resume last --n-jobs 2\nruns resume 3fQ9 ORL.mat",
            _resume,
            _resume_options,
        ),
        "rename": Command(
            "Give a run another name.",
            'runs rename last "ORL, 30 seeds"',
            _rename,
            _rename_options,
        ),
        "delete": Command("Put a run in the trash.", "runs delete 3fQ9", _delete, _run_option),
        "restore": Command(
            "Take a run out of the trash.", "runs restore 3fQ9", _restore, _run_option
        ),
        "export": Command(
            "Write a run to a file.",
            "runs export last --out run.zip\nruns export last --out table.tex",
            _export,
            _export_options,
        ),
    },
)
