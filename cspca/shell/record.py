"""``record``: what is shipped, whether its numbers come again, and how it is written."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cspca.figures.words import duration
from cspca.shell import options, terminal
from cspca.shell.data import add_answers, answers_of, open_data
from cspca.shell.options import FAILED, OK, ShellError, command, flag, option
from cspca.shell.runs import find_run, opened
from cspca.shell.terminal import answer, note

if TYPE_CHECKING:
    from cspca.datasets import Dataset
    from cspca.experiments import Outcome
    from cspca.experiments.runner import Progress


@command(
    "record\nrecord --check --quick\nrecord --check digits ORL.mat\nrecord --renew digits\n"
    "record --add last",
    option("data", metavar="DATA", nargs="*", help=f"{options.DATA_IS}; by default those built in"),
    add_answers,
    flag("--check", "compute it again and compare"),
    flag("--quick", "the same with a small part of it"),
    flag("--renew", "compute it again, go on where that stopped, and write it"),
    option("--add", metavar="RUN", help="write a finished kept run into it"),
    option("--n-jobs", type=int, default=1, help="workers; -1 is all (default 1)"),
)
def record(arguments: argparse.Namespace) -> int:
    """List the record, shipped numbers of complete runs; compute it again and compare."""
    from cspca.record import recorded, write

    if arguments.add is not None:
        from cspca.experiments.runner import stored_outcome

        with opened(arguments.home) as store:
            run = find_run(store, arguments.add)
            path = write(stored_outcome(store, run), run.description)
        answer({"run": run.id, "file": str(path)}, f"Wrote {path}.", as_json=arguments.json)
        return OK
    if not (arguments.check or arguments.quick or arguments.renew):
        listed = recorded()
        values = [
            {
                "kind": outcome.experiment.kind,
                "data": outcome.data.name,
                "sha256": outcome.data.sha256,
                "cells": len(outcome.results),
                "said": outcome.note,
            }
            for outcome in listed
        ]
        lines = [f"{outcome.experiment.name(outcome.data)}. {outcome.note}" for outcome in listed]
        answer(values, *lines, as_json=arguments.json)
        return OK
    comparisons = [
        _recompute(arguments, *recorded_run) for recorded_run in list(_chosen(arguments))
    ]
    if arguments.json:
        answer(comparisons, as_json=True)
    return FAILED if any(comparison["apart"] for comparison in comparisons) else OK


def _chosen(arguments: argparse.Namespace) -> Iterator[tuple[Outcome, Dataset]]:
    """Runs of the record and their data; data with another fingerprint are refused."""
    from cspca.record import recorded

    every = recorded()
    shipped = {outcome.data.sha256: outcome.data.name for outcome in every}
    builtin = dict.fromkeys(getattr(outcome.data, "builtin", "") for outcome in every)
    for name in arguments.data or filter(None, builtin):
        data = open_data(name, answers_of(arguments))
        if data.sha256 not in shipped:
            names = ", ".join(f"{name} ({sha256[:8]})" for sha256, name in shipped.items())
            raise ShellError(
                f"{name} is refused: its fingerprint, {data.sha256[:8]}, is none of the record’s, "
                f"which knows {names}. Nothing was compared."
            )
        yield from ((outcome, data) for outcome in every if outcome.data.sha256 == data.sha256)


def _recompute(arguments: argparse.Namespace, outcome: Outcome, data: Dataset) -> dict[str, object]:
    """Compute a run again, compare it or write it, and say how it went."""
    from cspca.experiments.records import describe
    from cspca.experiments.runner import run
    from cspca.record import held, smaller, write

    kind = smaller(outcome.experiment) if arguments.quick else outcome.experiment
    name = f"{kind.title} on {data.name}"
    with terminal.bar(name) as draw:

        def show(progress: Progress) -> None:
            left = "" if progress.remaining is None else f", {duration(progress.remaining)} left"
            over = progress.n_done + progress.n_failed
            draw(over / max(progress.n_cells, 1), f"{progress.doing}{left}")

        backend = None if arguments.n_jobs == 1 else "loky"
        run_options = {"n_jobs": arguments.n_jobs, "backend": backend, "on_progress": show}
        if arguments.renew:
            with opened(arguments.home) as store:
                path = write(run(kind, data, store=store, **run_options), describe(data))
            note(f"Wrote {path}.")
            return {"name": name, "file": str(path), "apart": []}
        count, apart = held(outcome, run(kind, data, **run_options))
    if not arguments.json:
        for difference in apart:
            terminal.say(f"{name}, {difference}")
        verdict = f"{len(apart):,} are not found again" if apart else "all are found again"
        terminal.say(f"{name}: {count:,} numbers compared, {verdict}.")
    return {"name": name, "numbers": count, "apart": apart}
