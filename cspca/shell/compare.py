"""``compare``: methods held against each other on one data set, kept in the store."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from cspca.shell.errors import ShellError
from cspca.shell.files import suffix_of
from cspca.shell.findings import EXPORTS, export, findings, show
from cspca.shell.kept import go_on, new_or_resumed
from cspca.shell.options import add_command, add_data, add_protocol, add_workers, counts, words
from cspca.shell.rank import known_method
from cspca.shell.terminal import say_json

if TYPE_CHECKING:
    from cspca.datasets import Dataset
    from cspca.runs.sweeps import Sweep

__all__ = ["add_to"]

_EXAMPLES = """
compare digits
compare ORL.mat --methods all,mcfs,cspca --features 300,500 --tune --out table.tex --out table.csv
compare faces --seeds 10 --n-jobs 2 --json
compare --resume last
"""


def add_to(commands: Any) -> None:
    """Add the command.

    Parameters
    ----------
    commands : argparse subparsers
    """
    parser = add_command(
        commands, "compare", _run, "Compare methods by clustering on what they select.", _EXAMPLES
    )
    add_data(parser, optional=True)
    parser.add_argument("--methods", type=words, metavar="A,B", help="default: those of the paper")
    parser.add_argument(
        "--features", type=counts, metavar="K,…", help="numbers of features (default: ¼, ½, ¾)"
    )
    add_protocol(parser)
    parser.add_argument("--tune", action="store_true", help="over the paper's grid of parameters")
    parser.add_argument("--no-labels", action="store_true", help="as if there were no classes")
    parser.add_argument(
        "--out", metavar="FILE", action="append", default=[], help=".csv, .tex or .zip; repeatable"
    )
    add_workers(parser)


def _run(asked: argparse.Namespace) -> int:
    from cspca.runs.store import Store

    for path in asked.out:
        suffix_of(path, EXPORTS["comparison"])
    for key in asked.methods or ():
        known_method(key)
    if asked.seeds < 1:
        raise ShellError("A comparison needs at least one seed: give --seeds.")

    def make(dataset: Dataset) -> Sweep:
        from cspca.evaluation.former import make_plan
        from cspca.runs.sweeps import comparison_sweep

        labels = None if asked.no_labels else dataset.target
        plan = make_plan(
            dataset.data, labels, asked.methods, asked.features, n_seeds=asked.seeds,
            n_clusters=asked.clusters, init=asked.init, tune=asked.tune,
        )  # fmt: skip
        return comparison_sweep(plan, labelled=labels is not None)

    with Store(asked.home) as store:
        run_id, dataset = new_or_resumed(store, asked, ("comparison",), make)
        run, code = go_on(store, run_id, dataset, asked)
        values = findings(store, run)
        if asked.json:
            say_json(values)
        else:
            show(values)
        for path in asked.out:
            export(store, run, path)
    return code
