"""``report``: one HTML file about a kept run, or about a fit made for it."""

from __future__ import annotations

import argparse
from typing import Any

from cspca.experiments.registry import EXPERIMENTS
from cspca.experiments.settings import add_options
from cspca.shell.files import check, is_data, open_data, write
from cspca.shell.fit import ended, fit_asked, fitted_of
from cspca.shell.kept import find_run, opened
from cspca.shell.options import DATA, OK, Command, Parser, ShellError
from cspca.shell.results import reported
from cspca.shell.terminal import say, say_json


def _options(parser: Parser) -> None:
    run = "a kept run (id, the beginning of one, a name, the word last); or data to fit for it: "
    parser.add_argument("what", metavar="RUN|DATA", help=run + DATA)
    parser.add_argument(
        "--out", metavar="FILE", default="report.html", help="(default report.html)"
    )
    words = "of DATA: show one image too; without it maps and masks alone"
    parser.add_argument("--images", action="store_true", help=words)
    add_options(parser, EXPERIMENTS["fit"])


def _run(asked: argparse.Namespace) -> int:
    check([asked.out], (".html",))
    content, values, code = _of_data(asked) if is_data(asked.what) else _of_run(asked)
    write(asked.out, content)
    values |= {"report": asked.out, "bytes": len(content.encode())}
    if asked.json:
        say_json(values)
    else:
        say(f"Report of {values['name']}: {asked.out}")
    return code


def _of_run(asked: argparse.Namespace) -> tuple[str, dict[str, Any], int]:
    from cspca.experiments.runner import stored_outcome

    if asked.images or hasattr(asked, "alpha") or hasattr(asked, "keep"):
        raise ShellError(
            "A kept run is reported as it is: --images, --alpha and --keep are for DATA."
        )
    with opened(asked.home) as store:
        run = find_run(store, asked.what)
        content = reported(stored_outcome(store, run), run)
    return content, {"run": run.id, "kind": run.kind, "name": run.name}, OK


def _of_data(asked: argparse.Namespace) -> tuple[str, dict[str, Any], int]:
    from cspca.report import report

    experiment = fit_asked(asked)
    dataset = open_data(asked.what)
    outcome, fit, stopped = fitted_of(experiment, dataset)
    example, shape = None, dataset.image_shape
    if asked.images and shape is not None:
        rebuilt = fit.reconstruct(dataset.data[:1])[0].reshape(shape)
        example = dataset.image(0), rebuilt, "image 1"
    content = report(outcome, seconds=fit.seconds, example=example)
    values = {"run": None, "kind": "fit", "name": dataset.name, **fit.numbers()}
    return content, values, ended(fit, stopped)


REPORT = Command(
    "Write all of a result to one HTML file that needs nothing beside it.",
    """
report last --out report.html
report 3fQ9 --out orl.html --json
report faces --alpha 0.1 --beta 0.05 --out faces.html
report ORL.mat --keep 300 --images --out orl.html
""",
    _run,
    _options,
)
