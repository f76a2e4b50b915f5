"""The command of every experiment: its options are its settings, its runs are kept."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from cspca.experiments.registry import EXPERIMENTS
from cspca.experiments.settings import add_options, from_options
from cspca.shell.files import FORMS, check, open_data
from cspca.shell.kept import begin, find_run, go_on, opened
from cspca.shell.options import Command, Parser, ShellError, add_data, add_out, add_workers
from cspca.shell.results import export, tell

if TYPE_CHECKING:
    from cspca.datasets import Dataset
    from cspca.experiments import Experiment
    from cspca.experiments.store import RunRecord, Store

_EXAMPLES = """
{0} digits
{0} ORL.mat --n-jobs 2 --out table.csv --out table.tex
{0} faces --json
{0} --resume last
"""


def command_of(kind: str) -> Command:
    """The command of a kind."""
    run, options = partial(_run, kind), partial(_options, kind)
    return Command(EXPERIMENTS.summary(kind), _EXAMPLES.format(kind), run, options)


def _options(kind: str, parser: Parser) -> None:
    add_data(parser, optional=True)
    add_options(parser, EXPERIMENTS[kind])
    add_out(parser, FORMS)
    add_workers(parser)


def made(kind: str, asked: argparse.Namespace) -> Experiment:
    """The experiment that is asked for."""
    try:
        return from_options(EXPERIMENTS[kind], asked)
    except ValueError as error:
        raise ShellError(str(error)) from error


def _run(kind: str, asked: argparse.Namespace) -> int:
    check(asked.out, FORMS)
    with opened(asked.home) as store:
        run, dataset = _begun(store, kind, asked)
        outcome, code = go_on(store, run, dataset, asked)
        run = store.get(run.id)
        tell(outcome, run, as_json=asked.json)
        for path in asked.out:
            export(outcome, run, path)
    return code


def _begun(store: Store, kind: str, asked: argparse.Namespace) -> tuple[RunRecord, Dataset | None]:
    """The run to compute, and its data unless they are for the store to find."""
    if asked.resume is not None:
        run = find_run(store, asked.resume)
        if run.kind != kind:
            raise ShellError(
                f"{run.name} is a run of {run.kind}, which another command resumes: use "
                "`python -m cspca runs resume`."
            )
        return run, None if asked.data is None else open_data(asked.data)
    if asked.data is None:
        raise ShellError("Say which DATA, or which run to go on with (--resume RUN).")
    experiment, dataset = made(kind, asked), open_data(asked.data)
    begun = begin(store, experiment, dataset, name=asked.name, keep_data=asked.keep_data)
    return begun, dataset
