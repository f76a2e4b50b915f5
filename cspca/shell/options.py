"""Options that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = [
    "add_command", "add_data", "add_numerics", "add_protocol", "add_workers", "amount", "amounts",
    "count", "counts", "seeds", "words",
]  # fmt: skip

T = TypeVar("T")
Run = Callable[[argparse.Namespace], int]


def add_command(
    commands: Any, name: str, run: Run | None, summary: str, examples: str
) -> argparse.ArgumentParser:
    """Add a command with what all have: ``--home``, ``--json``, examples in its help.

    Parameters
    ----------
    commands : argparse subparsers
    name : str
    run : callable or None
        What it does; None where its own commands do.
    summary : str
        One sentence.
    examples : str
        Lines without their "python -m cspca".
    """
    lines = "\n".join(f"  python -m cspca {line}" for line in examples.strip().splitlines())
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=summary,
        epilog=f"examples:\n{lines}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if run is not None:
        parser.set_defaults(run=run)
        parser.add_argument(
            "--home", metavar="FOLDER", help="folder of the kept runs (default: CSPCA_HOME or ours)"
        )
        parser.add_argument("--json", action="store_true", help="the result as JSON on stdout")
    return parser


def add_data(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """Add the argument DATA."""
    parser.add_argument(
        "data",
        metavar="DATA",
        nargs="?" if optional else None,
        help="faces, digits, motion, a data set that is fetched, or a file or folder",
    )


def add_numerics(parser: argparse.ArgumentParser, *, tol: float) -> None:
    """Add what every fit of CSPCA takes."""
    parser.add_argument("--tol", type=amount, default=tol, help=f"certified gap (default {tol:g})")
    parser.add_argument("--max-iter", type=count, default=None, help="largest number of iterations")
    parser.add_argument("--no-center", action="store_true", help="do not subtract the mean sample")
    parser.add_argument("--normalize", action="store_true", help="samples of unit norm")


def add_protocol(parser: argparse.ArgumentParser) -> None:
    """Add what clusterings take."""
    parser.add_argument("--seeds", type=seeds, default=30, help="runs of K-means (default 30)")
    parser.add_argument("--clusters", type=count, help="default: the number of classes")
    parser.add_argument("--init", choices=("random", "k-means++"), default="random")


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add where a kept run computes, how it is called and resumed."""
    parser.add_argument("--resume", metavar="RUN", help="go on with a run of this id or name")
    parser.add_argument("--retry", action="store_true", help="with --resume: failed cells again")
    parser.add_argument("--name", help="what to call the run")
    parser.add_argument(
        "--keep-data", action="store_true", help="keep the data too, to resume without the file"
    )
    parser.add_argument("--n-jobs", type=int, default=1, help="workers; -1 is all (default 1)")
    parser.add_argument("--backend", choices=("loky", "threading", "dask"))
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of Dask, as tcp://127.0.0.1:8786")


def amount(text: str) -> float:
    """A finite number from 0."""
    value = _read(float, text)
    if value is None or not 0.0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a finite number from 0")
    return value


def count(text: str) -> int:
    """A whole number from 1."""
    value = _read(int, text)
    if value is None or value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return value


def seeds(text: str) -> int:
    """A whole number from 0."""
    value = _read(int, text)
    if value is None or value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0")
    return value


def _read(kind: Callable[[str], T], text: str) -> T | None:
    """Return the number, or None where it is none: the sentence is the caller's."""
    try:
        return kind(text)
    except ValueError:
        return None


def amounts(text: str) -> list[float]:
    """Numbers with commas between them."""
    return [amount(one) for one in words(text)]


def counts(text: str) -> list[int]:
    """Whole numbers with commas between them."""
    return [count(one) for one in words(text)]


def words(text: str) -> list[str]:
    """Words with commas between them."""
    found = [one.strip() for one in text.split(",") if one.strip()]
    if not found:
        raise argparse.ArgumentTypeError("give at least one, with commas between them")
    return found
