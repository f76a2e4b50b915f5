"""The command of every experiment: its options are its settings, its runs are kept.

Runs are found by id or name, begun, gone on with, stopped by Ctrl-C.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from cspca.experiments.registry import EXPERIMENTS
from cspca.experiments.settings import add_options, from_options
from cspca.shell.files import FORMS, check, open_data
from cspca.shell.options import (
    FAILED,
    INTERRUPTED,
    OK,
    Command,
    Parser,
    ShellError,
    add_data,
    add_out,
    add_workers,
)
from cspca.shell.results import export, tell
from cspca.shell.terminal import Bar, Interrupt, duration, note

if TYPE_CHECKING:
    from cspca.datasets import Dataset
    from cspca.experiments import Experiment, Outcome
    from cspca.experiments.runner import Progress
    from cspca.experiments.store import RunRecord, Store


_EXAMPLES = """
{0} digits
{0} ORL.mat --n-jobs 2 --out table.csv --out table.tex
{0} faces --json
{0} --resume last
"""


@contextmanager
def opened(home: str | None) -> Iterator[Store]:
    """The store, with what it has to say."""
    from cspca.experiments.store import Store

    with Store(home) as store:
        if store.note:
            note(store.note)
        yield store


def find_run(store: Store, wanted: str) -> RunRecord:
    """Find a run by its id, the beginning of it, its name, or ``last``."""
    wanted = wanted.removeprefix("id:")
    here = store.runs()
    if wanted == "last" and here:
        return store.get(here[0].id)
    known = (*here, *store.runs(trashed=True))
    found = (
        [run for run in known if run.id == wanted]
        or [run for run in here if run.name == wanted]
        or [run for run in known if len(wanted) >= 4 and run.id.startswith(wanted)]
    )
    if len(found) == 1:
        return store.get(found[0].id)
    if found:
        raise ShellError(f"{len(found)} runs are called {wanted!r}: give the id of one.")
    raise ShellError(
        f"There is no run {wanted!r} in {store.home}: `python -m cspca runs list` shows them."
    )


def begin(
    store: Store,
    experiment: Experiment,
    dataset: Dataset,
    *,
    name: str | None = None,
    keep_data: bool = False,
) -> RunRecord:
    """Note a new run, or find the one in which the same was asked for."""
    from cspca.experiments.store import StoreError

    try:
        run_id = store.find(experiment, dataset)
        if run_id is None:
            run_id = store.create(experiment, dataset, name=name, keep_data=keep_data)
            return store.get(run_id)
    except StoreError:
        raise
    except ValueError as error:  # what is asked for does not go with the data: wrong usage
        raise ShellError(str(error)) from error
    if name:
        store.rename(run_id, name)
    if keep_data:
        store.keep_data(run_id, dataset)
    return store.get(run_id)


def go_on(
    store: Store, run: RunRecord, dataset: Dataset | None, asked: argparse.Namespace
) -> tuple[Outcome, int]:
    """Compute what is left of a run; say how to go on where it did not get through.

    Returns what is finished and the exit code. Without a dataset it is for the store to find.
    """
    from cspca.experiments.runner import experiment_of, outcome, resume, stored_outcome

    if run.imported:
        raise ShellError(
            f"{run.name} was made by an earlier version and can only be looked at: run it anew."
        )
    alone = asked.n_jobs == 1 or asked.scheduler is not None
    again = "begin it again" if store.in_memory else f"resume with: {_resuming(run, asked)}"
    bar = Bar(f"{run.name} ({run.id}), {run.n_done:,} of {run.n_cells:,} cells done")

    def show(progress: Progress) -> None:
        left = "" if progress.remaining is None else f", {duration(progress.remaining)} left"
        over, n = progress.n_done + progress.n_failed, progress.n_cells
        bar.show(over / max(n, 1), f"{over:,}/{n:,} {progress.doing}{left}")

    with Interrupt("Stopping when the cells at work are done.") as interrupt:
        try:
            if asked.retry:
                store.retry(run.id, again=True)
            dataset = dataset or store.data(run.id)
            resume(
                store,
                run.id,
                experiment_of(run),
                dataset,
                n_jobs=asked.n_jobs,
                # Processes, unless said otherwise: those leave Ctrl-C to us.
                backend=asked.backend or (None if alone else "loky"),
                scheduler=asked.scheduler,
                should_stop=lambda: interrupt.asked,
                on_progress=show,
            )
        except KeyboardInterrupt:
            interrupt.asked = True
        except (ValueError, OSError) as error:
            # A terminal sends Ctrl-C to worker processes too, and they end by it.
            if not (interrupt.asked and isinstance(error, ValueError)):
                raise ShellError(f"{error} To go on, {again}", FAILED) from error
        finally:
            bar.close()
    run = store.get(run.id)
    if dataset is None:
        found = stored_outcome(store, run)
    else:
        found = outcome(store, run.id, experiment_of(run), dataset)
    if not run.complete:
        note(f"Stopped with {run.n_done:,} of {run.n_cells:,} cells kept; {again}")
        return found, INTERRUPTED if interrupt.asked else FAILED
    if run.n_failed:
        reason = next(iter(found.failures.values()), "")
        note(f"Error: {run.n_failed:,} of {run.n_cells:,} cells failed: {reason}")
        return found, FAILED
    if not store.in_memory:
        note(f"Kept as {run.id}.")
    return found, OK


def _resuming(run: RunRecord, asked: argparse.Namespace) -> str:
    """The command that goes on with a run."""
    parts = ["python", "-m", "cspca", "runs", "resume", run.id]
    if not run.kept and not run.data.builtin:
        parts.append(asked.data or "FILE")
    if asked.home is not None:
        parts += ["--home", asked.home]
    return shlex.join(parts)


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
