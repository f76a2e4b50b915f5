"""``doctor``: look the store over, and repair it if asked."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from cspca.shell.options import FAILED, OK, Command, Parser
from cspca.shell.terminal import say, say_json


def _options(parser: Parser) -> None:
    parser.add_argument("--repair", action="store_true", help="repair what is found")


def _run(asked: argparse.Namespace) -> int:
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
    _run,
    _options,
)
