"""The program: its arguments, its commands, and what becomes of errors."""

from __future__ import annotations

import argparse
import os
import re
import sys
import warnings
from collections.abc import Sequence
from typing import TextIO

from cspca.shell import compare, doctor, fit, open, rank, report, reproduce, runs, sweep
from cspca.shell.errors import FAILED, INTERRUPTED, Parser, ShellError
from cspca.shell.terminal import note

__all__ = ["main", "make_parser"]

_COMMANDS = (fit, rank, compare, sweep, reproduce, report, runs, doctor, open)

_EXAMPLES = """\
DATA is a built-in data set (faces, digits, motion), one that is fetched (such as olivetti), or a
file or folder of your own (.mat, .npz, .npy, .csv, .zip, pictures).

examples:
  python -m cspca fit faces --alpha 0.1 --beta 0.05
  python -m cspca rank digits mcfs --out scores.csv
  python -m cspca compare ORL.mat --methods all,mcfs,cspca --tune --out table.tex
  python -m cspca sweep sensitivity digits --n-jobs 2
  python -m cspca reproduce ORL.mat --n-jobs 2
  python -m cspca report last --out report.html
  python -m cspca runs list
  python -m cspca open

exit codes: 0 done, 1 failed or not certified, 2 wrong usage, 130 stopped by Ctrl-C."""


def make_parser() -> argparse.ArgumentParser:
    """Parser of all commands; it imports none of what they need to work."""
    parser = Parser(
        prog="python -m cspca",
        description="Convex sparse PCA with a certificate of global optimality.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in _COMMANDS:
        command.add_to(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Parameters
    ----------
    arguments : sequence of str or None, default=None
        None is what the program was called with.

    Raises
    ------
    SystemExit
        After ``--help``, or with 2 when the arguments make no sense.
    """
    given = [_marked(one) for one in (sys.argv[1:] if arguments is None else arguments)]
    asked = make_parser().parse_args(given)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            code: int = asked.run(asked)
        sys.stdout.flush()
    except ShellError as error:
        note(f"Error: {error}")
        return error.code
    except KeyboardInterrupt:
        note("Stopped.")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has had enough; the interpreter must not try once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except (ValueError, ArithmeticError, OSError, ImportError) as error:
        note(f"Error: {_sentence(error)}")
        return FAILED
    except MemoryError:
        note("Error: This does not fit in memory: use fewer or smaller samples, or fewer jobs.")
        return FAILED
    except Exception as error:  # noqa: BLE001 - a terminal is no place for a traceback
        note(f"Error: A mistake in CSPCA ({type(error).__name__}: {_sentence(error)}): report it.")
        return FAILED
    return code


_ID = re.compile(r"-[\w-]{21}")


def _marked(argument: str) -> str:
    """Mark an id that begins with a dash, so that it is not taken for an option."""
    return f"id:{argument}" if _ID.fullmatch(argument) else argument


def _sentence(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Say a warning in one line, without the place in our code."""
    note(f"Note: {' '.join(str(message).split())}")
