"""Commands: the options that several share, exit codes, and errors that are one sentence."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from cspca.shell.terminal import note

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
"""Done; failed or not certified; wrong usage, as argparse has it; stopped by Ctrl-C."""


class ShellError(ValueError):
    """A command cannot do what is asked; the message is one sentence that says what to do."""

    def __init__(self, message: str, code: int = USAGE) -> None:
        super().__init__(message)
        self.code = code


class Parser(argparse.ArgumentParser):
    """Parser that says what is wrong in one sentence, and where to read what is right.

    Argparse puts all options before it, up to twenty lines in which the sentence is lost. What
    `fill` adds is added when the command is asked for: it may need all that is imported for that.
    """

    fill: Callable[[Parser], None] | None = None

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, with everything there that can be asked for."""
        if self.fill is not None:
            fill, self.fill = self.fill, None
            fill(self)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """End the program with :data:`USAGE`."""
        wrong = message.removeprefix("argument ").removesuffix(".")
        note(f"Error: {wrong[:1].upper()}{wrong[1:]}. See {self.prog} --help.")
        raise SystemExit(USAGE)


Run = Callable[[argparse.Namespace], int]
Fill = Callable[[Parser], None]

DATA = "faces, digits, motion, a data set that is fetched, or a file or folder"


@dataclass(frozen=True)
class Command:
    """What a command does, in one sentence and in examples; `options` adds what it takes.

    Without `run` its `actions` do the work.
    """

    summary: str
    examples: str
    run: Run | None = None
    options: Fill | None = None
    actions: Mapping[str, Command] = field(default_factory=dict)


def add_commands(parser: Parser, title: str, commands: Mapping[str, Command]) -> None:
    """Add commands with what all have: ``--home``, ``--json``, examples in their help."""
    metavar = title.removesuffix("s").upper()
    added = parser.add_subparsers(title=title, metavar=metavar, required=True)
    for name, command in commands.items():
        lines = [f"  python -m cspca {line}" for line in command.examples.strip().splitlines()]
        one: Parser = added.add_parser(
            name,
            help=command.summary,
            description=command.summary,
            epilog="\n".join(["examples:", *lines]),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if command.run is None:
            add_commands(one, "actions", command.actions)
            continue
        one.set_defaults(run=command.run)
        one.fill = command.options
        one.add_argument(
            "--home", metavar="FOLDER", help="folder of the kept runs (default: CSPCA_HOME or ours)"
        )
        one.add_argument("--json", action="store_true", help="the result as JSON on stdout")


def add_data(parser: Parser, *, optional: bool = False) -> None:
    """Add the argument DATA."""
    parser.add_argument("data", metavar="DATA", nargs="?" if optional else None, help=DATA)


def add_out(parser: Parser, forms: tuple[str, ...]) -> None:
    """Add where to write results to."""
    words = f"{', '.join(forms)}; repeatable"
    parser.add_argument("--out", metavar="FILE", action="append", default=[], help=words)


def add_workers(parser: Parser) -> None:
    """Add where a kept run computes, how it is called and resumed."""
    parser.add_argument("--resume", metavar="RUN", help="go on with a run of this id or name")
    parser.add_argument("--retry", action="store_true", help="compute failed cells again")
    parser.add_argument("--name", help="what to call the run")
    parser.add_argument(
        "--keep-data", action="store_true", help="keep the data too, to resume without the file"
    )
    parser.add_argument("--n-jobs", type=int, default=1, help="workers; -1 is all (default 1)")
    parser.add_argument("--backend", choices=("loky", "threading", "dask"))
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of Dask, as tcp://127.0.0.1:8786")


def count(text: str) -> int:
    """A whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)
