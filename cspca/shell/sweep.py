"""``sweep``: sensitivity over α × β, and the seven starts, kept in the store."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cspca.shell.files import suffix_of
from cspca.shell.findings import EXPORTS, export, findings, show
from cspca.shell.kept import go_on, new_or_resumed
from cspca.shell.options import (
    add_command,
    add_data,
    add_numerics,
    add_protocol,
    add_workers,
    amount,
    amounts,
    count,
    counts,
    words,
)
from cspca.shell.terminal import say_json

if TYPE_CHECKING:
    from cspca.datasets import Dataset
    from cspca.runs.sweeps import Sweep

__all__ = ["add_to"]

_SENSITIVITY = """
sweep sensitivity digits --n-jobs 2
sweep sensitivity faces --alphas 0.01,0.1,0.3 --betas 0.01,0.1 --seeds 10 --out grid.csv
sweep sensitivity ORL.mat --absolute --features 500
sweep sensitivity --resume last
"""

_STARTS = """
sweep starts digits
sweep starts ORL.mat --alpha 0.1 --beta 0.05 --inits random,diagonal-1 --out starts.csv
sweep starts faces --scheduler tcp://127.0.0.1:8786
"""


def add_to(commands: Any) -> None:
    """Add the command.

    Parameters
    ----------
    commands : argparse subparsers
    """
    summary = "Sweep over penalties (sensitivity) or initialisations (starts)."
    lines = (_SENSITIVITY.strip().splitlines()[0], _STARTS.strip().splitlines()[0])
    parser = add_command(commands, "sweep", None, summary, "\n".join(lines))
    kinds = parser.add_subparsers(title="sweeps", metavar="SWEEP", required=True)
    grid = add_command(
        kinds, "sensitivity", _sensitivity, "CSPCA over a grid of alpha × beta.", _SENSITIVITY
    )
    add_data(grid, optional=True)
    _add_grid(grid)
    starts = add_command(
        kinds, "starts", _starts, "Where both solvers get to from seven starts.", _STARTS
    )
    add_data(starts, optional=True)
    starts.add_argument("--alpha", type=amount, default=0.1, help="default 0.1")
    starts.add_argument("--beta", type=amount, default=0.01, help="default 0.01")
    starts.add_argument("--inits", type=words, metavar="A,B", help="default: all seven")
    starts.add_argument("--solvers", type=words, metavar="A,B", help="default: admm,reweighted")
    starts.add_argument(
        "--checkpoints", type=counts, metavar="N,…", default=[10, 20, 50],
        help="iterations at which Algorithm 1 is looked at (default 10,20,50)",
    )  # fmt: skip
    _add_rest(starts, "starts", tol=1e-4)


def _add_grid(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--alphas",
        type=amounts,
        metavar="A,…",
        help="default: those of the Sensitivity page (--absolute: the paper's)",
    )
    parser.add_argument("--betas", type=amounts, metavar="B,…", help="default: the same")
    _add_rest(parser, "sensitivity", tol=1e-3)


def _add_rest(parser: argparse.ArgumentParser, kind: str, *, tol: float) -> None:
    parser.add_argument(
        "--absolute", action="store_true", help="penalties as the paper has them, not relative"
    )
    parser.add_argument("--features", type=count, metavar="K", help="selected (default: half)")
    add_numerics(parser, tol=tol)
    add_protocol(parser)
    forms = ", ".join(EXPORTS[kind])
    parser.add_argument(
        "--out", metavar="FILE", action="append", default=[], help=f"{forms}; repeatable"
    )
    add_workers(parser)


def _common(asked: argparse.Namespace) -> dict[str, Any]:
    found: dict[str, Any] = {
        "penalty_scale": "absolute" if asked.absolute else "relative",
        "n_features": asked.features,
        "n_seeds": asked.seeds,
        "n_clusters": asked.clusters,
        "init": asked.init,
        "tol": asked.tol,
        "center": not asked.no_center,
        "normalize": asked.normalize,
    }
    return found if asked.max_iter is None else found | {"max_iter": asked.max_iter}


def _sensitivity(asked: argparse.Namespace) -> int:
    def make(dataset: Dataset) -> Sweep:
        from cspca.runs.sweeps import sensitivity_sweep
        from cspca.selection.registry import PAPER_GRID, RELATIVE_GRID

        usual = PAPER_GRID if asked.absolute else RELATIVE_GRID
        return sensitivity_sweep(
            dataset, asked.alphas or usual, asked.betas or usual, **_common(asked)
        )

    return _swept(asked, "sensitivity", make)


def _starts(asked: argparse.Namespace) -> int:
    def make(dataset: Dataset) -> Sweep:
        from cspca.runs.sweeps import starts_sweep

        chosen = {name: getattr(asked, name) for name in ("inits", "solvers")}
        given = {name: values for name, values in chosen.items() if values is not None}
        return starts_sweep(
            dataset, asked.alpha, asked.beta, checkpoints=asked.checkpoints,
            **given, **_common(asked),
        )  # fmt: skip

    return _swept(asked, "starts", make)


def _swept(asked: argparse.Namespace, kind: str, make: Callable[[Dataset], Sweep]) -> int:
    from cspca.runs.store import Store

    for path in asked.out:
        suffix_of(path, EXPORTS[kind])
    with Store(asked.home) as store:
        run_id, dataset = new_or_resumed(store, asked, (kind,), make)
        run, code = go_on(store, run_id, dataset, asked)
        values = findings(store, run)
        if asked.json:
            say_json(values)
        else:
            show(values)
        for path in asked.out:
            export(store, run, path)
    return code
