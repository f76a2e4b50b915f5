"""What is kept: ``runs`` lists, shows, resumes and changes it, ``doctor`` looks it over."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING

from cspca.experiments.registry import EXPERIMENTS
from cspca.shell.experiment import find_run, go_on, opened
from cspca.shell.files import FORMS, MAPS, check, open_data
from cspca.shell.options import FAILED, OK, Command, Parser, Run, add_data, add_workers
from cspca.shell.results import export, header, state_of, tell
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
                state_of(run),
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


def _changing(done: str, change: Callable[[Store, RunRecord, argparse.Namespace], None]) -> Run:
    """What finds a run, changes it and says so."""

    def run(asked: argparse.Namespace) -> int:
        with opened(asked.home) as store:
            found = find_run(store, asked.run_id)
            change(store, found, asked)
            found = store.get(found.id)
        if asked.json:
            say_json(header(found))
        else:
            say(f"{done}: {found.name} ({found.id})")
        return OK

    return run


def _exported(store: Store, run: RunRecord, asked: argparse.Namespace) -> None:
    from cspca.experiments.runner import stored_outcome

    check([asked.out], (*FORMS, *MAPS))
    export(stored_outcome(store, run), run, asked.out)


_TRASH = _changing("In the trash", lambda store, run, _: store.trash(run.id))
_RESTORE = _changing("Restored", lambda store, run, _: store.restore(run.id))
_RENAME = _changing("Renamed", lambda store, run, asked: store.rename(run.id, asked.name))

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
            _RENAME,
            _rename_options,
        ),
        "delete": Command(
            "Put a run in the trash.",
            "runs delete 3fQ9",
            _TRASH,
            _run_option,
        ),
        "restore": Command(
            "Take a run out of the trash.",
            "runs restore 3fQ9",
            _RESTORE,
            _run_option,
        ),
        "export": Command(
            "Write a run to a file.",
            "runs export last --out run.zip\nruns export last --out table.tex",
            _changing("Exported", _exported),
            _export_options,
        ),
    },
)


def _doctor_options(parser: Parser) -> None:
    parser.add_argument("--repair", action="store_true", help="repair what is found")


def _doctor(asked: argparse.Namespace) -> int:
    from cspca.experiments.doctor import doctor

    report = doctor(asked.home, repair=asked.repair)
    if asked.json:
        found = asdict(report) | {"home": str(report.home), "sound": report.sound}
        say_json(found | {"findings": found.pop("faults")})
    else:
        looked = f"{report.n_runs:,} runs, {report.n_cells:,} cells, {report.n_files:,} files"
        say(f"{report.home}: {looked}")
        for one in report.faults:
            say(f"{'Repaired' if one.repaired else 'Found'}: {one.what}")
        if not report.faults:
            say("Nothing is wrong.")
        elif not report.sound:
            say("Repair it with `python -m cspca doctor --repair`.")
    return OK if report.sound else FAILED


DOCTOR = Command(
    "Check the kept runs, and repair them if asked.",
    "doctor\ndoctor --repair\ndoctor --home /data/cspca --json",
    _doctor,
    _doctor_options,
)
