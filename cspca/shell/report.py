"""``report``: one HTML file about a kept run, or about a fit made for it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cspca.shell.data import open_data
from cspca.shell.errors import FAILED, INTERRUPTED, OK, ShellError
from cspca.shell.files import suffix_of, write
from cspca.shell.fit import add_fit, fit_as_asked, read_model, settings_of
from cspca.shell.kept import find_run
from cspca.shell.options import add_command
from cspca.shell.terminal import note, say, say_json

if TYPE_CHECKING:
    from cspca.datasets import Dataset
    from cspca.estimator import CSPCA

__all__ = ["add_to"]

_EXAMPLES = """
report last --out report.html
report 3fQ9 --out orl.html --json
report faces --alpha 0.1 --beta 0.05 --out faces.html
report ORL.mat --keep 300 --images --out orl.html
"""


def add_to(commands: Any) -> None:
    """Add the command.

    Parameters
    ----------
    commands : argparse subparsers
    """
    summary = "Write all of a result to one HTML file that needs nothing beside it."
    parser = add_command(commands, "report", _run, summary, _EXAMPLES)
    parser.add_argument(
        "what",
        metavar="RUN|DATA",
        help="a kept run (id, the beginning of one, a name, the word last); or data to fit for it: "
        "a name such as faces, or a file",
    )
    parser.add_argument(
        "--out", metavar="FILE", default="report.html", help="(default report.html)"
    )
    parser.add_argument(
        "--images",
        action="store_true",
        help="of DATA: show one image too; without it maps and masks alone",
    )
    add_fit(parser)


def _run(asked: argparse.Namespace) -> int:
    suffix_of(asked.out, (".html",))
    content, values, code = _of_data(asked) if _is_data(asked.what) else _of_run(asked)
    write(asked.out, content)
    values |= {"report": str(Path(asked.out)), "bytes": len(content.encode())}
    if asked.json:
        say_json(values)
    else:
        say(f"Report of {values['name']}: {asked.out}")
    return code


def _is_data(what: str) -> bool:
    """Whether data are meant: a name that is known, or a file; runs go by their ids otherwise."""
    from cspca.datasets import BUILTIN, REMOTE

    return what in BUILTIN or what in REMOTE or Path(what).exists()


def _of_run(asked: argparse.Namespace) -> tuple[str, dict[str, Any], int]:
    from cspca.runs.report import run_report
    from cspca.runs.store import Store

    if asked.images or asked.alpha is not None or asked.keep is not None:
        raise ShellError(
            "A kept run is reported as it is: --images, --alpha and --keep are for DATA."
        )
    with Store(asked.home) as store:
        run = find_run(store, asked.what)
        content = run_report(store, run.id)
    return content, {"run": run.id, "kind": run.kind, "name": run.name}, OK


def _of_data(asked: argparse.Namespace) -> tuple[str, dict[str, Any], int]:
    settings = settings_of(asked)
    dataset = open_data(asked.what)
    model, alpha, stopped = fit_as_asked(dataset, asked, settings)
    details, _ = read_model(model)
    content = _written(dataset, model, alpha, asked, settings, details)
    values = {"run": None, "kind": "fit", "name": dataset.name, **details}
    if stopped:
        note("Stopped by Ctrl-C: the report is of how far it got.")
        return content, values, INTERRUPTED
    if not details["converged"]:
        note(f"Error: Not certified: the gap is {details['duality_gap']:.1e}; raise --max-iter.")
        return content, values, FAILED
    return content, values, OK


def _written(
    dataset: Dataset,
    model: CSPCA,
    alpha: float,
    asked: argparse.Namespace,
    settings: dict[str, Any],
    details: dict[str, Any],
) -> str:
    import numpy as np

    from cspca.runs.export import python_lines
    from cspca.runs.recipes import stored_recipe
    from cspca.runs.records import FitSpec
    from cspca.runs.report import About, Example, FitFindings, about_dataset, fit_report
    from cspca.runs.report.stored import said_settings

    recipe = dataset.recipe or stored_recipe(about_dataset(dataset))
    given = {"alpha": alpha, "beta": asked.beta, **settings}
    spec = FitSpec(dataset.sha256, **given)
    _, arrays = read_model(model)
    arrays |= {"order": arrays["feature_order"], "scores": arrays["selection_scores"]}
    example = None
    if asked.images and dataset.image_shape is not None:
        again = np.asarray(model.reconstruct(dataset.data[:1]))[0].reshape(dataset.image_shape)
        example = Example(dataset.image(0), again, "image 1")
    return fit_report(
        FitFindings.of_arrays(details, arrays, settings["solver"]),
        About(
            about_dataset(dataset),
            said_settings(given),
            lines=python_lines(spec, recipe, iterations=int(details["n_iter"])),
            bring=recipe.bring,
            seconds=float(model.history_[-1]["seconds"]),
        ),
        names=dataset.feature_names,
        skeleton=dataset.skeleton,
        example=example,
    )
