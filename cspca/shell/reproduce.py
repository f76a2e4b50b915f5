"""``reproduce``: the paper's experiments on one data set, kept in the store."""

from __future__ import annotations

import argparse
import shlex
import time
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from cspca.shell.data import described, open_data
from cspca.shell.errors import FAILED, INTERRUPTED, OK, ShellError
from cspca.shell.files import suffix_of, write
from cspca.shell.interrupt import Interrupt
from cspca.shell.options import add_command, add_data, count, words
from cspca.shell.terminal import Bar, duration, note, number, say, say_json, say_table

if TYPE_CHECKING:
    from cspca.datasets import Dataset
    from cspca.runs.paper import Findings, Protocol, Reproduction
    from cspca.runs.store import Store

__all__ = ["add_to"]

_EXAMPLES = """
reproduce ORL.mat --n-jobs 2
reproduce digits --quick
reproduce ORL.mat --parts starts,checks --seeds 10 --out tables.tex
"""
_SUFFIXES = (".csv", ".tex")
_SOLVERS = {"reweighted": "Algorithm 1", "admm": "certified solver"}


def add_to(commands: Any) -> None:
    """Add the command.

    Parameters
    ----------
    commands : argparse subparsers
    """
    parser = add_command(
        commands,
        "reproduce",
        _run,
        "Run the paper's protocol and hold the result against its tables and claims.",
        _EXAMPLES,
    )
    add_data(parser)
    parser.add_argument(
        "--parts", type=words, metavar="A,B", help="comparison, starts, checks (default: all)"
    )
    parser.add_argument(
        "--quick", action="store_true", help="3 × 3 grid, 5 starts: not the paper's protocol"
    )
    parser.add_argument(
        "--seeds", type=count, help="starts of K-means; other than 30 is not the paper's protocol"
    )
    parser.add_argument("--retry", action="store_true", help="compute failed cells again")
    parser.add_argument(
        "--keep-data", action="store_true", help="keep the data too, to resume without the file"
    )
    parser.add_argument("--n-jobs", type=int, default=1, help="workers; -1 is all (default 1)")
    parser.add_argument("--backend", choices=("loky", "threading", "dask"))
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of Dask, as tcp://127.0.0.1:8786")
    parser.add_argument(
        "--out", metavar="FILE", action="append", default=[],
        help=f"the tables as {' or '.join(_SUFFIXES)}; repeatable",
    )  # fmt: skip


def _run(asked: argparse.Namespace) -> int:
    from cspca.runs.paper import PAPER, PARTS, QUICK, begin, findings_of
    from cspca.runs.store import Store
    from cspca.runs.sweeps import SweepError

    for path in asked.out:
        suffix_of(path, _SUFFIXES)
    parts = tuple(asked.parts or PARTS)
    protocol = QUICK if asked.quick else PAPER
    if asked.seeds is not None:
        try:
            protocol = replace(protocol, n_seeds=asked.seeds)
        except SweepError as error:
            raise ShellError(str(error)) from error
    dataset = open_data(asked.data)
    began = time.perf_counter()
    with Store(asked.home) as store:
        try:
            reproduction = begin(store, dataset, protocol, parts, keep_data=asked.keep_data)
        except SweepError as error:
            raise ShellError(str(error)) from error
        reproduction, code = _computed(store, reproduction, dataset, parts, asked)
        found = findings_of(store, reproduction)
    elapsed = time.perf_counter() - began
    if asked.json:
        say_json(_plain(found, dataset, elapsed))
    else:
        _show(found, elapsed)
    for path in asked.out:
        _write(path, found)
    return code


def _computed(
    store: Store,
    reproduction: Reproduction,
    dataset: Dataset,
    parts: tuple[str, ...],
    asked: argparse.Namespace,
) -> tuple[Reproduction, int]:
    """Compute what is left, with a bar for each part."""
    from cspca.runs.paper import PARTS, Reproduction, run_reproduction
    from cspca.runs.sweeps import SweepError, SweepProgress

    protocol = reproduction.protocol
    note(f"{protocol.title}: {protocol.words()}")
    bars: dict[str, Bar] = {}
    last: dict[str, SweepProgress] = {}

    def show(part: str, progress: SweepProgress) -> None:
        if part not in bars:
            _close(bars)
            run = reproduction.parts[part]
            bars[part] = Bar(f"{PARTS[part]} ({run.id}), {run.n_done:,} of {run.n_cells:,} done")
        last[part] = progress
        left = "" if progress.remaining is None else f", {duration(progress.remaining)} left"
        over = progress.n_done + progress.n_failed
        words = f"{over:,}/{progress.n_cells:,} {progress.doing}{left}"
        bars[part].show(progress.fraction, words)

    with Interrupt("Stopping when the cells at work are done.") as interrupt:
        try:
            after = run_reproduction(
                store, reproduction, dataset, parts=parts, n_jobs=asked.n_jobs,
                backend=asked.backend, scheduler=asked.scheduler,
                should_stop=lambda: interrupt.asked, on_progress=show, retry_failed=asked.retry,
            )  # fmt: skip
        except KeyboardInterrupt:
            after, interrupt.asked = reproduction, True
        except (ValueError, OSError) as error:
            if not (interrupt.asked and isinstance(error, SweepError)):
                raise ShellError(f"{error} To go on: {_again(asked)}", FAILED) from (error)
            # A terminal sends Ctrl-C to worker processes too, and they end by it.
            after = reproduction
        finally:
            _close(bars)
    now = {part: store.get(run.id) for part, run in after.parts.items()}
    after = Reproduction(protocol, now)
    wanted = [now[part] for part in parts]
    if not all(run.complete for run in wanted):
        note(
            f"Stopped with {sum(run.n_done for run in wanted):,} of "
            f"{sum(run.n_cells for run in wanted):,} cells kept; to go on: {_again(asked)}"
        )
        return after, INTERRUPTED if interrupt.asked else FAILED
    for run in wanted:
        if run.n_failed:
            reason = next((cell.error for cell in store.cells(run.id) if cell.error), "")
            note(f"Error: {run.n_failed:,} of {run.n_cells:,} cells of {run.name} failed: {reason}")
    return after, FAILED if any(run.n_failed for run in wanted) else OK


def _close(bars: dict[str, Bar]) -> None:
    for bar in bars.values():
        bar.close()


def _again(asked: argparse.Namespace) -> str:
    """The same command goes on where it stopped."""
    parts = ["python", "-m", "cspca", "reproduce", asked.data]
    parts += ["--quick"] if asked.quick else []
    for name, value in (("--seeds", asked.seeds), ("--home", asked.home)):
        parts += [] if value is None else [name, str(value)]
    parts += ["--parts", ",".join(asked.parts)] if asked.parts else []
    return shlex.join(parts)


def _plain(found: Findings, dataset: Dataset, elapsed: float) -> dict[str, Any]:
    from cspca.evaluation.paper_claims import judge

    of = found.recognition
    reproduction = found.reproduction
    return {
        "data": described(dataset),
        "recognised": {
            "kind": of.kind,
            "paper_set": of.paper_set.key if of.paper_set else None,
            "sentence": of.sentence,
        },
        "protocol": reproduction.protocol.to_record()
        | {"is_the_papers": reproduction.protocol.is_the_papers},
        "runs": {
            part: {"id": run.id, "n_done": run.n_done, "n_failed": run.n_failed,
                   "n_cells": run.n_cells, "seconds": run.seconds}
            for part, run in reproduction.parts.items()
        },
        "elapsed": elapsed,
        "tables": {
            metric: [asdict(row) | {"difference": row.difference} for row in rows]
            for metric, rows in found.tables.items()
        },
        "uncertified": [asdict(one) for one in found.uncertified],
        "starts": [asdict(one) for one in found.evidence.starts],
        "checks": {key: dict(values) for key, values in found.checks.items()},
        "claims": [
            {"claim": one.claim.key, "says": one.claim.says, "verdict": one.verdict.value,
             "number": one.number, "sentence": one.sentence}
            for one in judge([found.evidence])
        ],
    }  # fmt: skip


def _show(found: Findings, elapsed: float) -> None:
    from cspca.evaluation.paper_claims import judge
    from cspca.evaluation.paper_tables import METRIC_TITLES

    protocol: Protocol = found.reproduction.protocol
    say(found.recognition.sentence)
    say(f"{protocol.title}: {protocol.words()}")
    for metric, rows in found.tables.items():
        say()
        title = METRIC_TITLES[metric]
        heads = [f"{title} %", "paper", "ours", "difference", "honest", "independent", "choices"]
        lines = [
            [row.title, _pair(row.printed, 1), _pair(row.best, 100), _signed(row.difference),
             _pair(row.honest, 100), _pair(row.independent, 1), f"{row.n_choices:,}"]
            for row in rows
        ]  # fmt: skip
        say_table(heads, lines)
    if found.tables:
        say(
            "Mean ± std over the starts. Ours: the best of the grid, chosen by the labels on the "
            "very runs it reports, as the paper does; honest: chosen on other runs."
        )
    _show_starts(found)
    if found.uncertified:
        worst = found.uncertified[0]
        say(
            f"\n{len(found.uncertified)} of {found.n_fits} fits of CSPCA are not certified to "
            f"0.1 %; the widest is α = {worst.alpha:g}, β = {worst.beta:g} with "
            f"{100 * worst.gap:.2g} % after {worst.n_iter:,} iterations."
        )
    say()
    say_table(
        ["the paper says", "verdict", "ours"],
        [[one.claim.says, one.verdict.value, one.number] for one in judge([found.evidence])],
    )
    spent = found.reproduction.seconds
    say(f"\n{duration(elapsed)} by the clock, {duration(spent)} of computing in all.")


def _show_starts(found: Findings) -> None:
    rows = found.evidence.starts
    if not rows:
        return
    say()
    say_table(
        ["start", "solver", "iterations", "objective", "above the bound %", "ACC %"],
        [
            [one.init, _SOLVERS.get(one.solver, one.solver), f"{one.iterations:,}",
             number(one.objective, 6), number(100 * one.excess, 3),
             number(None if one.accuracy is None else 100 * one.accuracy, 3)]
            for one in rows
        ],
    )  # fmt: skip


def _pair(one: Any, factor: float) -> str:
    if one is None:
        return "–"
    mean = f"{factor * one.mean:.1f}"
    return mean if one.std is None else f"{mean} ± {factor * one.std:.1f}"


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.1f}"


def _write(path: str, found: Findings) -> None:
    from cspca.evaluation.paper_tables import to_csv, to_latex

    tables = found.tables
    if not tables:
        raise ShellError("There are no tables yet: let the comparison run first.", FAILED)
    name = found.reproduction.name
    text = to_csv(tables) if path.endswith(".csv") else to_latex(tables, caption=f"On {name}.")
    write(path, text)
