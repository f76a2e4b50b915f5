"""``rank``: the features' order by any method of the registry."""

from __future__ import annotations

import argparse
import ast
import time
from pathlib import Path
from typing import Any

from cspca.figures.words import duration
from cspca.shell.options import DATA, OK, Parser, ShellError, command, count, option, out
from cspca.shell.results import check, described, open_data, say_frame, write
from cspca.shell.terminal import Bar, say, say_json

_FORMS = (".csv", ".npz")


def _method(parser: Parser) -> None:
    from cspca.selection import METHODS

    parser.add_argument("method", metavar="METHOD", help=", ".join(METHODS))


@command(
    """
rank faces laplacian
rank digits mcfs --top 20 --json
rank ORL.mat cspca --set alpha=0.1 --set beta=0.05 --out scores.csv
""",
    DATA,
    _method,
    option(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a parameter of the method; may be repeated",
    ),
    option("--clusters", type=count, help="default: the number of classes"),
    option("--top", type=count, default=10, help="how many to show (default 10)"),
    out(_FORMS),
)
def rank(asked: argparse.Namespace) -> int:
    """Rank the features by one method, best first."""
    from cspca.experiments.exports import feature_table, npz_bytes, to_csv
    from cspca.selection import METHODS

    check(asked.out, _FORMS)
    if asked.method not in METHODS:
        raise ShellError(
            f"There is no method {asked.method!r}: choose one of {', '.join(METHODS)}."
        )
    method = METHODS[asked.method]
    parameters = _parameters(asked.set, method)
    dataset = open_data(asked.data)
    clusters = asked.clusters or (dataset.n_classes if dataset.target is not None else None)
    if clusters is None and method.needs_clusters:
        raise ShellError(f"{method.title} needs a number of clusters: give --clusters.")
    bar = Bar(f"{method.title} on {dataset.name}")
    began = time.perf_counter()
    selector = method.make(clusters, **parameters).fit(dataset.data)
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
        scored = feature_table(dataset, order, {"score": scores})
        empty = [name for name in ("name", "row", "column") if (scored[name] == "").all()]
        say_frame(scored.drop(columns=empty).head(asked.top))
    columns = {"feature_score": selector.feature_scores_, "selection_score": scores}
    for path in asked.out:
        if Path(path).suffix.lower() == ".csv":
            write(path, to_csv(feature_table(dataset, order, columns)))
        else:
            arrays = {f"{name}s": values for name, values in columns.items()}
            write(path, npz_bytes({"feature_order": order, **arrays}))
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
