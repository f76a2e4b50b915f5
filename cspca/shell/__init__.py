"""The same work without a browser, ``python -m cspca``: its commands, and what errors become."""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Sequence

from cspca.experiments.registry import EXPERIMENTS
from cspca.shell.admin import ADMIN
from cspca.shell.fit import fit, rank, report
from cspca.shell.options import FAILED, INTERRUPTED, Parser, ShellError, add_commands
from cspca.shell.record import record
from cspca.shell.runs import RUNS, command_of, doctor, open_dashboard
from cspca.shell.terminal import escape_unwritable, flush, note

_EXAMPLES = """\
DATA is a built-in data set (faces, digits, motion, spectra, genes), one that is fetched (such as
olivetti), or a file or folder of your own (.mat, .npz, .npy, .csv, .zip, images).

examples:
  python -m cspca fit faces --alpha 0.1 --beta 0.05
  python -m cspca rank digits mcfs --out scores.csv
  python -m cspca compare ORL.mat --methods all,mcfs,cspca --tune --out table.tex
  python -m cspca sensitivity digits --n-jobs 2
  python -m cspca paper ORL.mat --n-jobs 2
  python -m cspca report last --out report.html
  python -m cspca runs list
  python -m cspca open

exit codes: 0 done, 1 failed or not certified, 2 wrong usage, 130 stopped by Ctrl-C."""


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """What is asked for; SystemExit after ``--help``, ShellError when it makes no sense.

    Nothing is imported here of what the commands need to work.
    """
    parser = Parser(
        prog="python -m cspca",
        description="Convex sparse PCA with a certificate of global optimality.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    # An id that begins with a dash is marked, so that it is not taken for an option.
    marked = [
        f"id:{argument}" if re.fullmatch(r"-[\w-]{21}", argument) else argument
        for argument in arguments
    ]
    of_kinds = {kind: command_of(kind) for kind in EXPERIMENTS if kind != "fit"}
    last = {
        "report": report,
        "runs": RUNS,
        "record": record,
        "admin": ADMIN,
        "doctor": doctor,
        "open": open_dashboard,
    }
    add_commands(parser, "commands", {"fit": fit, "rank": rank} | of_kinds | last, marked)
    return parser.parse_args(marked)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, by default what the program was called with, and return its exit code."""
    escape_unwritable()
    try:
        parsed = parse(sys.argv[1:] if arguments is None else arguments)
        with warnings.catch_warnings():
            # In one line, without the place in our code.
            warnings.showwarning = lambda message, *_, **__: note(f"Note: {message}")
            code: int = parsed.run(parsed)
        flush()
    except ShellError as error:
        note(f"Error: {error}")
        return error.code
    except KeyboardInterrupt:
        note("Stopped.")
        return INTERRUPTED
    except SystemExit:
        # Help is written, perhaps into a pipe that is closed.
        flush()
        raise
    except (ValueError, ArithmeticError, OSError, ImportError) as error:
        # Help needs nothing of what jobs bring.
        from cspca.experiments.jobs import one_sentence

        note(f"Error: {one_sentence(error)}")
        return FAILED
    except MemoryError:
        note("Error: This does not fit in memory: use fewer or smaller samples, or fewer jobs.")
        return FAILED
    except Exception as error:  # noqa: BLE001 - a terminal is no place for a traceback
        note(f"Error: A mistake in CSPCA ({type(error).__name__}: {error}): report it.")
        return FAILED
    return code
