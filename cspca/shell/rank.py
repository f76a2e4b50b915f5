"""``rank``: the features' order by any method of the registry."""

from __future__ import annotations

import argparse
import ast
import time
from typing import Any

from cspca.shell.data import described, open_data
from cspca.shell.errors import OK, ShellError
from cspca.shell.files import npz_bytes, scores_csv, suffix_of, write
from cspca.shell.options import add_command, add_data, count
from cspca.shell.terminal import Bar, duration, number, say, say_json, say_table

__all__ = ["add_to", "known_method"]

_EXAMPLES = """
rank faces laplacian
rank digits mcfs --top 20 --json
rank ORL.mat cspca --set alpha=0.1 --set beta=0.05 --out scores.csv
"""


def add_to(commands: Any) -> None:
    """Add the command.

    Parameters
    ----------
    commands : argparse subparsers
    """
    parser = add_command(
        commands, "rank", _run, "Rank the features by one method, best first.", _EXAMPLES
    )
    add_data(parser)
    parser.add_argument(
        "method", metavar="METHOD", help="variance, laplacian, spec, mcfs, udfs, cspca, …"
    )
    parser.add_argument(
        "--set", metavar="NAME=VALUE", action="append", default=[], dest="parameters",
        help="a parameter of the method; may be repeated",
    )  # fmt: skip
    parser.add_argument("--clusters", type=count, help="default: the number of classes")
    parser.add_argument("--top", type=count, default=10, help="how many to show (default 10)")
    parser.add_argument("--out", metavar="FILE", help="all scores as .csv or .npz")


def known_method(key: str) -> Any:
    """A line of the registry.

    Parameters
    ----------
    key : str

    Raises
    ------
    ShellError
        When there is none.
    """
    from cspca.selection import METHODS

    if key not in METHODS:
        raise ShellError(f"There is no method {key!r}: choose one of {', '.join(METHODS)}.")
    return METHODS[key]


def _run(asked: argparse.Namespace) -> int:
    suffix = None if asked.out is None else suffix_of(asked.out, (".csv", ".npz"))
    method = known_method(asked.method)
    parameters = _parameters(asked.parameters, method)
    dataset = open_data(asked.data)
    clusters = asked.clusters or (dataset.n_classes if dataset.target is not None else None)
    if clusters is None and method.needs_clusters:
        raise ShellError(f"{method.title} needs a number of clusters: give --clusters.")
    bar = Bar(f"{method.title} on {dataset.name}")
    began = time.perf_counter()
    selector = method.make(n_clusters=clusters, random_state=0, **parameters).fit(dataset.data)
    seconds = time.perf_counter() - began
    bar.close()
    order, scores = selector.feature_order_, selector.selection_scores_
    if asked.json:
        say_json(
            {
                "data": described(dataset),
                "method": asked.method,
                "parameters": parameters,
                "n_clusters": clusters,
                "seconds": seconds,
                "feature_order": order,
                "selection_scores": scores,
            }
        )
    else:
        say(f"{method.title} on {dataset.name}, {duration(seconds)}")
        best = order[: asked.top].tolist()
        names = dataset.feature_names
        say_table(
            ["rank", "feature", "score"],
            [
                [str(i), str(j) if names is None else f"{j} {names[j]}", number(float(scores[j]))]
                for i, j in enumerate(best, 1)
            ],
        )
    arrays = {"feature_score": selector.feature_scores_, "selection_score": scores}
    if suffix == ".csv":
        write(asked.out, scores_csv(dataset, order, arrays))
    elif suffix == ".npz":
        plural = {f"{name}s": values for name, values in arrays.items()}
        write(asked.out, npz_bytes({"feature_order": order, **plural}))
    return OK


def _parameters(given: list[str], method: Any) -> dict[str, Any]:
    """Parameters by name; a value is a Python literal, or else text."""
    known = set(method.make().get_params()) - {"n_features_to_select", "graph", "random_state"}
    found: dict[str, Any] = {}
    for one in given:
        name, equals, text = one.partition("=")
        if not equals or name not in known:
            takes = ", ".join(sorted(known)) or "none"
            raise ShellError(f"{one!r} is no parameter of {method.title}: it takes {takes}.")
        try:
            found[name] = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            found[name] = text
    return found
