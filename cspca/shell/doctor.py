"""``doctor``: look the store over, and repair it if asked."""

from __future__ import annotations

import argparse
from typing import Any

from cspca.shell.errors import FAILED, OK
from cspca.shell.options import add_command
from cspca.shell.terminal import say, say_json

__all__ = ["add_to"]


def add_to(commands: Any) -> None:
    """Add the command.

    Parameters
    ----------
    commands : argparse subparsers
    """
    parser = add_command(
        commands, "doctor", _run, "Check the kept runs, and repair them if asked.",
        "doctor\ndoctor --repair\ndoctor --home /data/cspca --json",
    )  # fmt: skip
    parser.add_argument("--repair", action="store_true", help="repair what is found")


def _run(asked: argparse.Namespace) -> int:
    from cspca.runs.store import doctor

    report = doctor(asked.home, repair=asked.repair)
    if asked.json:
        say_json(
            {
                "home": str(report.home),
                "sound": report.sound,
                "findings": [
                    {"what": one.what, "repaired": one.repaired} for one in report.findings
                ],
                "n_runs": report.n_runs,
                "n_cells": report.n_cells,
                "n_files": report.n_files,
            }
        )
    else:
        looked = f"{report.n_runs:,} runs, {report.n_cells:,} cells, {report.n_files:,} files"
        say(f"{report.home}: {looked}")
        for one in report.findings:
            say(f"{'Repaired' if one.repaired else 'Found'}: {one.what}")
        if not report.findings:
            say("Nothing is wrong.")
        elif not report.sound:
            say("Repair it with `python -m cspca doctor --repair`.")
    return OK if report.sound else FAILED
