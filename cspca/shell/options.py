"""Commands: what several of them take, exit codes, and errors that are one sentence."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import methodcaller
from typing import Any, NoReturn

from cspca.experiments.registry import EXPERIMENTS
from cspca.experiments.settings import add_options, declared

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
"""Done; failed or not certified; wrong usage, as argparse has it; stopped by Ctrl-C."""

FORMS = (".csv", ".xlsx", ".tex", ".npz", ".json", ".html", ".py", ".zip")
"""Files that can be made of every result."""

FILES = (*FORMS, ".png", ".svg")
"""The same, and those that show the importance of every pixel."""


class ShellError(ValueError):
    """A command cannot do what is asked; the message is one sentence that says what to do."""

    def __init__(self, message: object, code: int = USAGE) -> None:
        super().__init__(message)
        self.code = code


@contextmanager
def usage() -> Iterator[None]:
    """Within it, what is refused is wrong usage, unless it is the store that cannot."""
    from cspca.experiments.database import StoreError

    try:
        yield
    except StoreError:
        raise
    except ValueError as error:
        raise ShellError(error) from error


class Parser(argparse.ArgumentParser):
    """Parser that says what is wrong in one sentence, and where to read what is right.

    Argparse puts all options before it, up to twenty lines in which the sentence is lost.
    """

    def error(self, message: str) -> NoReturn:
        """Refuse what is asked."""
        wrong = message.removeprefix("argument ").removesuffix(".")
        raise ShellError(f"{wrong[:1].upper()}{wrong[1:]}. See {self.prog} --help.")


Run = Callable[[argparse.Namespace], int]
Option = Callable[[Parser], object]


@dataclass(frozen=True)
class Command:
    """What a command does, in one sentence and in examples; `options` add what it takes.

    Without `run` its `actions` do the work.
    """

    summary: str
    examples: str
    run: Run | None = None
    options: tuple[Option, ...] = ()
    actions: Mapping[str, Command] = field(default_factory=dict)


def command(examples: str, *options: Option) -> Callable[[Run], Command]:
    """Make a function a command: what it says of itself is its summary."""
    return lambda run: Command(run.__doc__ or "", examples, run, options)


def add_commands(
    parser: Parser, title: str, commands: Mapping[str, Command], words: Sequence[str]
) -> None:
    """Add commands with what all have: ``--home``, ``--json``, examples in their help.

    The options of one are added where it is among the words that are given: they may need all that
    is imported for them.
    """
    metavar = title.removesuffix("s").upper()
    added = parser.add_subparsers(title=title, metavar=metavar, required=True)
    for name, listed in commands.items():
        lines = [f"  python -m cspca {line}" for line in listed.examples.strip().splitlines()]
        subparser: Parser = added.add_parser(
            name,
            help=listed.summary,
            description=listed.summary,
            epilog="\n".join(["examples:", *lines]),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if listed.run is None:
            add_commands(subparser, "actions", listed.actions, words)
            continue
        subparser.set_defaults(run=listed.run)
        subparser.add_argument(
            "--home", metavar="FOLDER", help="folder of the kept runs (default: CSPCA_HOME or ours)"
        )
        subparser.add_argument("--json", action="store_true", help="the result as JSON on stdout")
        for add in listed.options if name in words else ():
            add(subparser)


def option(*names: str, **about: Any) -> Option:
    """What adds an option, or an argument, to a parser."""
    return methodcaller("add_argument", *names, **about)


def flag(name: str, help: str) -> Option:
    """An option that is there or not."""
    return option(name, action="store_true", help=help)


def out(forms: tuple[str, ...]) -> Option:
    """Where to write results to."""
    words = f"{', '.join(forms)}; repeatable"
    return option("--out", metavar="FILE", action="append", default=[], help=words)


_SCORES = (
    "a ranking of your own: a table (CSV, XLSX, Parquet, JSON) of names or numbers of features and "
    "scores, or of one score a feature; FILE#COLUMN says which column; repeatable"
)
_SELECTOR = "a selector in the manner of scikit-learn, package.module:Class; repeatable"
_GROUPS = (
    "a text file with the group of each sample (subject, replicate, video), one a line: kept whole "
    "where samples are split; only numbers are kept"
)
_SPELLED = {"files": "scores", "names": "selector", "group_file": "groups"}
"""Options whose values are kept under another name."""

_OWN_RANKINGS = (
    option("--scores", metavar="FILE", dest="files", action="append", default=[], help=_SCORES),
    option("--selector", metavar="NAME", dest="names", action="append", default=[], help=_SELECTOR),
)


def settings(kind: str) -> Option:
    """The settings of an experiment."""

    def add(parser: Parser) -> None:
        add_options(parser, EXPERIMENTS[kind], "scores", "groups")
        if "groups" in declared(EXPERIMENTS[kind]):
            parser.add_argument("--groups", metavar="FILE", dest="group_file", help=_GROUPS)
        for brings in _OWN_RANKINGS if "scores" in declared(EXPERIMENTS[kind]) else ():
            brings(parser)

    return add


def refuse_settings(kind: str, arguments: argparse.Namespace, run: str, *own_options: str) -> None:
    """Refuse options that ask for something else than a saved run is: they would be ignored.

    These are the settings of a kind of experiment, and `own_options` of the command.
    """
    cls = EXPERIMENTS[kind]
    names = [name for name in declared(cls) if hasattr(arguments, name)]
    names += [
        name
        for name in (*getattr(cls, "presets", {}), *own_options)
        if getattr(arguments, name, None)
    ]
    if not names:
        return
    options = ", ".join(f"--{_SPELLED.get(name, name).replace('_', '-')}" for name in names)
    verb = "has" if len(names) == 1 else "have"
    raise ShellError(
        f"{run} stays as it was asked for, so {options} {verb} no effect: leave out what has none, "
        "or give DATA for a new one."
    )


def count(text: str) -> int:
    """A whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


DATA_IS = (
    "faces, digits, motion, spectra, genes, a data set that is fetched, a file or folder, or - "
    "(standard input)"
)
RUN_IS = "id, the beginning of one, a name, or the word last"

DATA = option("data", metavar="DATA", help=DATA_IS)
PERHAPS_DATA = option("data", metavar="DATA", nargs="?", help=DATA_IS)
RUN = option("run_id", metavar="RUN", help=RUN_IS)
NAME = option("--name", help="what to call the run")
WORKERS = (
    option("--resume", metavar="RUN", help="go on with a run of this id or name"),
    flag("--retry", "compute failed cells again"),
    NAME,
    flag("--keep-data", "keep the data too, to resume without the file"),
    option("--n-jobs", type=int, default=1, help="workers; -1 is all (default 1)"),
    option("--backend", choices=("loky", "threading", "dask")),
    option("--scheduler", metavar="ADDRESS", help="of Dask, as tcp://127.0.0.1:8786"),
)
"""Where a kept run computes, how it is called and resumed."""
