"""Kept runs: found by id or name, begun, gone on with, stopped by Ctrl-C."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING

from cspca.shell.data import open_data
from cspca.shell.errors import FAILED, INTERRUPTED, OK, ShellError
from cspca.shell.interrupt import Interrupt
from cspca.shell.terminal import Bar, duration, note

if TYPE_CHECKING:
    from cspca.datasets import Dataset
    from cspca.runs.store import RunRecord, Store
    from cspca.runs.sweeps import Sweep

__all__ = ["find_run", "go_on", "new_or_resumed", "resuming"]


def find_run(store: Store, wanted: str) -> RunRecord:
    """Find a run by its id, the beginning of it, its name, or ``last``.

    Parameters
    ----------
    store : Store
    wanted : str

    Raises
    ------
    ShellError
        When there is none, or several.
    """
    wanted = wanted.removeprefix("id:")
    here = store.runs()
    if wanted == "last" and here:
        return here[0]
    known = (*here, *store.runs(deleted=True))
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


def new_or_resumed(
    store: Store,
    asked: argparse.Namespace,
    kinds: tuple[str, ...],
    make: Callable[[Dataset], Sweep],
) -> tuple[str, Dataset | None]:
    """Note a new run, or find the one to go on with.

    Parameters
    ----------
    store : Store
    asked : argparse.Namespace
        With ``data``, ``resume``, ``name`` and ``keep_data``.
    kinds : tuple of str
        Those that the command resumes.
    make : callable
        Makes what is to be computed on a data set.

    Returns
    -------
    run_id : str
    dataset : Dataset or None
        None is for the store to find.
    """
    from cspca.runs.sweeps import start_sweep

    if asked.resume is not None:
        run = find_run(store, asked.resume)
        if run.kind not in kinds:
            raise ShellError(
                f"{run.name} is a {run.kind}, which another command resumes: use "
                "`python -m cspca runs resume`."
            )
        return run.id, None if asked.data is None else open_data(asked.data)
    if asked.data is None:
        raise ShellError("Say which DATA, or which run to go on with (--resume RUN).")
    dataset = open_data(asked.data)
    try:
        sweep = make(dataset)
    except ValueError as error:  # what is asked for does not go with the data: wrong usage
        raise ShellError(str(error)) from error
    run_id = start_sweep(store, sweep, dataset, name=asked.name, keep_data=asked.keep_data)
    return run_id, dataset


def go_on(
    store: Store, run_id: str, dataset: Dataset | None, asked: argparse.Namespace
) -> tuple[RunRecord, int]:
    """Compute what is left of a run, with a bar; say how to go on where it did not get through.

    Parameters
    ----------
    store : Store
    run_id : str
    dataset : Dataset or None
    asked : argparse.Namespace
        With what :func:`cspca.shell.options.add_workers` adds, ``data`` and ``home``.

    Returns
    -------
    run : RunRecord
    code : int
        Exit code.
    """
    from cspca.runs.sweeps import SweepError, SweepProgress, run_sweep

    before = store.get(run_id)
    again = f"resume with: {resuming(before, asked)}"
    bar = Bar(f"{before.name} ({run_id}), {before.n_done:,} of {before.n_cells:,} cells done")

    def show(progress: SweepProgress) -> None:
        left = "" if progress.remaining is None else f", {duration(progress.remaining)} left"
        over = progress.n_done + progress.n_failed
        bar.show(progress.fraction, f"{over:,}/{progress.n_cells:,} {progress.doing}{left}")

    with Interrupt("Stopping when the cells at work are done.") as interrupt:
        try:
            run = run_sweep(
                store, run_id, dataset, n_jobs=asked.n_jobs, backend=_backend(asked),
                scheduler=asked.scheduler, should_stop=lambda: interrupt.asked,
                on_progress=show, retry_failed=asked.retry,
            )  # fmt: skip
        except KeyboardInterrupt:
            run, interrupt.asked = store.get(run_id), True
        except (ValueError, OSError) as error:
            if not (interrupt.asked and isinstance(error, SweepError)):
                raise ShellError(f"{error} To go on, {again}", FAILED) from error
            # A terminal sends Ctrl-C to worker processes too, and they end by it.
            run = store.get(run_id)
        finally:
            bar.close()
    if not run.complete:
        note(f"Stopped with {run.n_done:,} of {run.n_cells:,} cells kept; {again}")
        return run, INTERRUPTED if interrupt.asked else FAILED
    if run.n_failed:
        reason = next((cell.error for cell in store.cells(run_id) if cell.error), "")
        note(f"Error: {run.n_failed:,} of {run.n_cells:,} cells failed: {reason}")
        return run, FAILED
    note(f"Kept as {run_id}.")
    return run, OK


def _backend(asked: argparse.Namespace) -> str | None:
    """Processes for several workers, unless said otherwise: those leave Ctrl-C to us."""
    several = asked.n_jobs != 1 and asked.scheduler is None
    return asked.backend or ("loky" if several else None)


def resuming(run: RunRecord, asked: argparse.Namespace) -> str:
    """Return the command that goes on with a run.

    Parameters
    ----------
    run : RunRecord
    asked : argparse.Namespace
        With ``data`` and ``home``.
    """
    parts = ["python", "-m", "cspca", "runs", "resume", run.id]
    if not run.data.kept and not run.data.builtin:
        parts.append(asked.data or "FILE")
    if asked.home is not None:
        parts += ["--home", asked.home]
    return shlex.join(parts)
