"""Kept runs: the command of every experiment, ``runs``, ``doctor``, and ``open`` to see them.

Runs are found by id or name, begun, gone on with, stopped by Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cspca.experiments.registry import EXPERIMENTS
from cspca.experiments.settings import from_options, unusual
from cspca.figures.words import duration
from cspca.shell import options, terminal
from cspca.shell.data import add_answers, answers_of, open_data
from cspca.shell.options import FAILED, INTERRUPTED, OK, Command, ShellError, command, flag, option
from cspca.shell.own import with_groups, with_own
from cspca.shell.terminal import answer, header, note

if TYPE_CHECKING:
    from cspca.datasets import Answers, Dataset
    from cspca.experiments import Experiment
    from cspca.experiments.runner import Progress
    from cspca.experiments.store import RunRecord, Store


@contextmanager
def opened(home: str | None) -> Iterator[Store]:
    """The store, with what it has to say."""
    from cspca.experiments.store import Store

    with Store(home) as store:
        if store.note:
            note(store.note)
        yield store


def find_run(store: Store, name: str) -> RunRecord:
    """Find a run by its id, the beginning of it, its name, or ``last``."""
    name = name.removeprefix("id:")
    here = store.runs()
    if name == "last" and here:
        return store.get(here[0].id)
    runs = (*here, *store.runs(trashed=True))
    matches = (
        [run for run in runs if run.id == name]
        or [run for run in here if run.name == name]
        or [run for run in runs if len(name) >= 4 and run.id.startswith(name)]
    )
    if len(matches) == 1:
        return store.get(matches[0].id)
    if matches:
        raise ShellError(f"{len(matches)} runs are called {name!r}: give the id of one.")
    raise ShellError(
        f"There is no run {name!r} in {store.home}: `python -m cspca runs list` shows them."
    )


def begin(store: Store, experiment: Experiment, dataset: Dataset, name: str | None) -> RunRecord:
    """Note a new run, or find the one in which the same was asked for."""
    with options.usage():
        run_id = store.find_or_create(experiment, dataset)
    if name:
        store.rename(run_id, name)
    return store.get(run_id)


def _answers_about(arguments: argparse.Namespace, run: RunRecord) -> Answers:
    """Return the answers that are given, else those by which the file of a run was read."""
    from cspca.experiments.loading import Origin

    answers = answers_of(arguments)
    origin = None if run.data.recipe is None else Origin.of(run.data.recipe.source, "")
    return answers if answers.values or origin is None else origin.answers


def go_on(
    store: Store, run: RunRecord, arguments: argparse.Namespace, dataset: Dataset | None = None
) -> int:
    """Compute what is left of a run, say and write what is finished, return the exit code.

    Without a dataset it is what is given again, or for the store to find.
    """
    from cspca.experiments.runner import experiment_of, resume, stored_outcome

    if dataset is None and arguments.data is not None:
        dataset = open_data(arguments.data, _answers_about(arguments, run))
    advice = "begin it again" if store.in_memory else f"resume with: {_resuming(run, arguments)}"
    title = f"{run.name} ({run.id}), {run.n_done:,} of {run.n_cells:,} cells done"
    stopping = terminal.interruptible("Stopping when the cells at work are done.")
    with terminal.bar(title) as draw, stopping as interrupted:

        def show(progress: Progress) -> None:
            left = "" if progress.remaining is None else f", {duration(progress.remaining)} left"
            over, n = progress.n_done + progress.n_failed, progress.n_cells
            draw(over / max(n, 1), f"{over:,}/{n:,} {progress.doing}{left}")

        try:
            if arguments.retry:
                store.retry(run.id, again=True)
            dataset = dataset or store.data(run.id)
            # Processes, unless said otherwise: those leave Ctrl-C to us.
            alone = arguments.n_jobs == 1 or arguments.scheduler is not None
            resume(
                store,
                run.id,
                experiment_of(run),
                dataset,
                n_jobs=arguments.n_jobs,
                backend=arguments.backend or (None if alone else "loky"),
                scheduler=arguments.scheduler,
                should_stop=interrupted.is_set,
                on_progress=show,
            )
        except KeyboardInterrupt:
            interrupted.set()
        except (ValueError, OSError) as error:
            # A terminal sends Ctrl-C to worker processes too, and they end by it.
            if not (interrupted.is_set() and isinstance(error, ValueError)):
                raise ShellError(f"{error} To go on, {advice}", FAILED) from error
    run = store.get(run.id)
    outcome = stored_outcome(store, run, dataset)
    code = OK
    if not run.complete:
        note(f"Stopped with {run.n_done:,} of {run.n_cells:,} cells kept; {advice}")
        code = INTERRUPTED if interrupted.is_set() else FAILED
    elif run.n_failed:
        reason = next(iter(outcome.failures.values()), "")
        note(f"Error: {run.n_failed:,} of {run.n_cells:,} cells failed: {reason}")
        code = FAILED
    elif not store.in_memory:
        note(f"Kept as {run.id}.")
    if store.in_memory:
        saved = f"{store.n_saved(run.id):,} of {run.n_cells:,} cells are kept"
        note(f"Error: {saved}. {store.note}")
        code = code or FAILED
    terminal.tell(outcome, run, as_json=arguments.json)
    for path in vars(arguments).get("out", ()):
        terminal.export(outcome, run, path)
    return code


def _resuming(run: RunRecord, arguments: argparse.Namespace) -> str:
    """The command that goes on with a run."""
    parts = ["python", "-m", "cspca", "runs", "resume", run.id]
    if not run.kept and not run.data.builtin:
        parts.append(arguments.data or "FILE")
    if arguments.home is not None:
        parts += ["--home", arguments.home]
    return shlex.join(parts)


def command_of(kind: str) -> Command:
    """The command of an experiment: its options are its settings, its runs are kept."""
    each = "digits", "ORL.mat --n-jobs 2 --out table.csv --out table.tex", "faces --json"
    examples = "\n".join(f"{kind} {example}" for example in (*each, "--resume last"))
    takes = (options.PERHAPS_DATA, add_answers, options.settings(kind), options.out(options.FORMS))
    work = partial(_run, kind)
    return Command(EXPERIMENTS.data[kind][1], examples, work, (*takes, *options.WORKERS))


def _run(kind: str, arguments: argparse.Namespace) -> int:
    terminal.check(arguments.out, options.FORMS)
    with opened(arguments.home) as store:
        if arguments.resume is not None:
            run = find_run(store, arguments.resume)
            own = "files", "names", "group_file", "name", "keep_data"
            options.refuse_settings(kind, arguments, run.name, *own)
            if run.kind != kind:
                raise ShellError(
                    f"{run.name} is a run of {run.kind}, which another command resumes: use "
                    "`python -m cspca runs resume`."
                )
            return go_on(store, run, arguments)
        what = arguments.data or EXPERIMENTS[kind].usual_data
        if not what:
            raise ShellError("Say which DATA, or which run to go on with (--resume RUN).")
        with options.usage():
            experiment = from_options(EXPERIMENTS[kind], arguments)
            _no_effect(experiment)
        dataset = open_data(what, answers_of(arguments))
        with options.usage():
            experiment = with_groups(with_own(experiment, dataset, arguments), dataset, arguments)
        run = begin(store, experiment, dataset, arguments.name)
        if arguments.keep_data:
            store.keep_data(run.id, dataset)
        return go_on(store, run, arguments, dataset)


def _no_effect(experiment: Experiment) -> None:
    """Refuse a number that was asked for and that nothing would be made of."""
    idle, settings = experiment.idle(), unusual(experiment)
    for name in settings:
        if name in idle:
            by = idle[name]
            value = settings.get(by, "")
            text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
            raise ShellError(
                f"--{name.replace('_', '-')} has no effect with --{by.replace('_', '-')} {text}: "
                "leave one of them out."
            )


@command(
    "runs list\nruns list digits --kind compare --json\nruns list --deleted",
    option("search", nargs="*", metavar="WORD", help="in the name, kind or data"),
    option("--kind", choices=EXPERIMENTS.keys()),
    flag("--deleted", "those in the trash"),
)
def _list(arguments: argparse.Namespace) -> int:
    """List runs, the one changed last first."""
    with opened(arguments.home) as store:
        runs = store.runs(
            text=" ".join(arguments.search), kind=arguments.kind, trashed=arguments.deleted
        )
        home = store.home
    if arguments.json:
        answer([header(run) for run in runs], as_json=True)
    elif not runs:
        filtered = arguments.search or arguments.kind or arguments.deleted
        note(f"No such runs in {home}." if filtered else f"No runs yet in {home}.")
    else:
        rows = []
        for run in runs:
            state, cells = terminal.state_of(run), f"{run.n_done:,}/{run.n_cells:,}"
            changed = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.updated))
            rows.append([run.id, run.kind, state, cells, changed, run.name])
        terminal.say_table(["id", "kind", "state", "cells", "changed", "name"], rows)
    return OK


@command("runs show last --json", options.RUN)
def _show(arguments: argparse.Namespace) -> int:
    """Show what a run has found."""
    from cspca.experiments.runner import stored_outcome

    with opened(arguments.home) as store:
        run = find_run(store, arguments.run_id)
        terminal.tell(stored_outcome(store, run), run, as_json=arguments.json)
    return OK


@command(
    "runs resume last --n-jobs 2\nruns resume 3fQ9 ORL.mat",
    options.RUN,
    options.PERHAPS_DATA,
    add_answers,
    *options.WORKERS,
)
def _resume(arguments: argparse.Namespace) -> int:
    """Go on with a run where it stopped."""
    with opened(arguments.home) as store:
        return go_on(store, find_run(store, arguments.run_id), arguments)


def _change(
    arguments: argparse.Namespace, done: str, change: Callable[[Store, RunRecord], object]
) -> int:
    """Find a run, change it and say so."""
    with opened(arguments.home) as store:
        run = find_run(store, arguments.run_id)
        change(store, run)
        if store.in_memory:
            raise ShellError(f"{run.name} is as it was: the store cannot be written.", FAILED)
        run = store.get(run.id)
    answer(header(run), f"{done}: {run.name} ({run.id})", as_json=arguments.json)
    return OK


@command('runs rename last "ORL, 30 seeds"', options.RUN, option("name", metavar="NAME"))
def _rename(arguments: argparse.Namespace) -> int:
    """Give a run another name."""
    return _change(arguments, "Renamed", lambda store, run: store.rename(run.id, arguments.name))


@command("runs delete 3fQ9", options.RUN)
def _delete(arguments: argparse.Namespace) -> int:
    """Put a run in the trash."""
    return _change(arguments, "In the trash", lambda store, run: store.trash(run.id))


@command("runs restore 3fQ9", options.RUN)
def _restore(arguments: argparse.Namespace) -> int:
    """Take a run out of the trash."""
    return _change(arguments, "Restored", lambda store, run: store.restore(run.id))


_FORMS = f"{', '.join(options.FILES)}, as the kind of run allows"


@command(
    "runs export last --out run.zip\nruns export last --out table.tex",
    options.RUN,
    option("--out", metavar="FILE", required=True, help=_FORMS),
)
def _export(arguments: argparse.Namespace) -> int:
    """Write a run to a file."""
    from cspca.experiments.runner import stored_outcome

    terminal.check([arguments.out], options.FILES)
    with opened(arguments.home) as store:
        run = find_run(store, arguments.run_id)
        terminal.export(stored_outcome(store, run), run, arguments.out)
    answer(header(run), f"Exported: {run.name} ({run.id})", as_json=arguments.json)
    return OK


RUNS = Command(
    "List, show, resume, rename, delete, restore and export kept runs.",
    "runs list digits\nruns show last\nruns export last --out run.zip",
    actions={
        "list": _list,
        "show": _show,
        "resume": _resume,
        "rename": _rename,
        "delete": _delete,
        "restore": _restore,
        "export": _export,
    },
)


@command(
    "doctor\ndoctor --repair\ndoctor --home /data/cspca --json",
    flag("--repair", "repair what is found"),
)
def doctor(arguments: argparse.Namespace) -> int:
    """Check the kept runs, and repair them if asked."""
    from cspca.experiments.doctor import doctor as look_over

    report = look_over(arguments.home, repair=arguments.repair)
    values = asdict(report) | {"home": str(report.home), "sound": report.sound}
    faults, repaired = values.pop("faults"), values.pop("repaired")
    values["findings"] = [{"what": fault, "repaired": repaired} for fault in faults]
    looked = f"{report.n_runs:,} runs, {report.n_cells:,} cells, {report.n_files:,} files"
    lines = [f"{report.home}: {looked}"]
    lines += [f"{'Repaired' if repaired else 'Found'}: {fault}" for fault in faults]
    if not faults:
        lines.append("Nothing is wrong.")
    elif not report.sound:
        lines.append("Repair it with `python -m cspca doctor --repair`.")
    answer(values, *lines, as_json=arguments.json)
    return OK if report.sound else FAILED


@command(
    "open\nopen --no-browser\nopen --port 8600",
    option("--port", type=options.count, default=8501, help="to begin at (default 8501)"),
    flag("--no-browser", "print the link only"),
)
def open_dashboard(arguments: argparse.Namespace) -> int:
    """Open the dashboard in the browser, with every run of this store."""
    from cspca.experiments.database import noted_address

    address = noted_address(arguments.home)
    if _answers(address):
        _say(address, arguments)
        return OK
    app = Path(__file__).parents[2] / "app.py"
    if not app.is_file():
        raise ShellError(
            f"The dashboard's app.py is not in {app.parent}: run this where it was cloned to."
        )
    note("No dashboard answers for this store: one begins here, until Ctrl-C.")
    port = next(port for port in range(arguments.port, arguments.port + 100) if _free(port))
    home = {"CSPCA_HOME": str(Path(arguments.home).absolute())} if arguments.home else {}
    words = f"streamlit run {app.name} --server.address localhost --server.port {port}".split()
    server = subprocess.Popen(
        [sys.executable, "-m", *words],
        cwd=app.parent,
        env={**os.environ, **home},
        stdout=sys.stderr,
    )
    try:
        # It may take a minute to begin.
        address, ends = f"http://localhost:{port}", time.monotonic() + 60.0
        while not _answers(address):
            if server.poll() is not None or time.monotonic() > ends:
                return FAILED
            time.sleep(0.1)
        _say(address, arguments)
        return OK if server.wait() == 0 else FAILED
    finally:
        server.terminate()
        server.wait()


def _say(address: str, arguments: argparse.Namespace) -> None:
    from cspca.experiments.database import owner_link

    link = owner_link(address, arguments.home)
    words = f"Your link (whoever has it sees and changes every run): {link}"
    answer({"link": link}, words, as_json=arguments.json)
    terminal.flush()
    if not arguments.no_browser:
        import webbrowser

        webbrowser.open(link)


def _answers(address: str) -> bool:
    from urllib.request import urlopen

    # Of no address, no answer.
    with suppress(OSError, ValueError), urlopen(f"{address}/_stcore/health", timeout=2):
        return True
    return False


def _free(port: int) -> bool:
    with socket.socket() as probe, suppress(OSError):
        probe.bind(("localhost", port))
        return True
    return False
