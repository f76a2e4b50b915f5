"""One fit of CSPCA, its certificate and its scores: ``fit``, and ``report`` of data or of a run."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from cspca.experiments.registry import EXPERIMENTS
from cspca.experiments.settings import add_options
from cspca.shell.experiment import begin, find_run, made, opened
from cspca.shell.files import FORMS, MAPS, check, is_data, open_data, write
from cspca.shell.options import (
    DATA,
    FAILED,
    INTERRUPTED,
    OK,
    Command,
    Parser,
    ShellError,
    add_data,
    add_out,
)
from cspca.shell.results import export, reported, tell, values_of
from cspca.shell.terminal import Bar, Interrupt, note, say, say_json

if TYPE_CHECKING:
    from cspca import fitted
    from cspca.datasets import Dataset
    from cspca.experiments import Outcome
    from cspca.experiments.fit import Fit
    from cspca.experiments.store import RunRecord, Store


def _options(parser: Parser) -> None:
    add_data(parser)
    add_options(parser, EXPERIMENTS["fit"])
    add_out(parser, (*FORMS, *MAPS))
    parser.add_argument("--save", action="store_true", help="keep it as a run")
    parser.add_argument("--name", help="what to call the run")


def _asked(asked: argparse.Namespace) -> Fit:
    """The settings of the fit that is asked for."""
    if hasattr(asked, "keep") and (asked.absolute or hasattr(asked, "alpha")):
        raise ShellError("--keep finds alpha itself: leave --alpha and --absolute out.")
    return cast("Fit", made("fit", asked))


def _run(asked: argparse.Namespace) -> int:
    check(asked.out, (*FORMS, *MAPS))
    experiment = _asked(asked)
    dataset = open_data(asked.data)
    _check_maps(asked.out, dataset)
    with ExitStack() as stack:
        store = stack.enter_context(opened(asked.home)) if asked.save else None
        outcome, fit, stopped = _fitted(experiment, dataset)
        run = _kept(store, outcome, asked.name) if store and not stopped else None
        if asked.json:
            values = values_of(outcome, run)
            alpha = experiment.alpha if experiment.keep is None else fit.relative_alpha
            values["parameters"] = values["settings"] | {"alpha": alpha}
            say_json(values | fit.numbers() | {"feature_order": fit.feature_order})
        else:
            say(f"CSPCA on {dataset.name}: {dataset.n_samples:,} × {dataset.n_features:,}")
            tell(outcome, run, as_json=False)
        for path in asked.out:
            export(outcome, run, path)
        lost = store is not None and store.in_memory
    return _ended(fit, stopped) or (FAILED if lost else OK)


def _check_maps(paths: Sequence[str], dataset: Dataset) -> None:
    drawn = {".png": dataset.image_shape, ".svg": dataset.image_shape or dataset.skeleton}
    for path in paths:
        if drawn.get(Path(path).suffix.lower(), True) is None:
            raise ShellError(f"{dataset.name} holds no pictures to map: write .csv or .npz.")


def _ended(fit: fitted.Fit, stopped: bool) -> int:
    """Say of a fit what must not be missed, and return the exit code."""
    if stopped:
        note("Stopped by Ctrl-C: this is how far it got. Start it again to finish.")
        return INTERRUPTED
    if not fit.converged:
        note(
            f"Error: Not certified: the gap is {fit.duality_gap:.1e}, above {fit.tol:.1e}; raise "
            "--max-iter or --tol."
        )
        return FAILED
    return OK


def _fitted(experiment: Fit, dataset: Dataset) -> tuple[Outcome, fitted.Fit, bool]:
    """Fit with a bar: the outcome, the fit that it shows with its map, and whether Ctrl-C came."""
    from cspca.experiments.live import LiveFit, follow

    bar = Bar(f"Fitting {dataset.name}")

    def show(now: LiveFit) -> None:
        bar.show(_closed(now.gap, experiment.tol), f"gap {now.gap:.1e}, iteration {now.iterations}")

    with Interrupt("Stopping after this iteration.") as interrupt:
        found = follow(
            LiveFit(experiment), dataset.data, stop=lambda: interrupt.asked, publish=show
        )
    bar.close()
    stopped = interrupt.asked and not all(one.converged for one in found.fits.values())
    return found.outcome(dataset), found.fit, stopped


def _kept(store: Store, outcome: Outcome, name: str | None) -> RunRecord:
    """Keep a fit in the store: what is kept is what is shown."""
    run = begin(store, outcome.experiment, outcome.data, name=name)
    claims = {claim.name: claim for claim in store.claim(run.id, outcome.results)}
    named = {cell.name: result for cell, result in outcome.results.items()}
    store.commit(run.id, [(claim, named[name]) for name, claim in claims.items()])
    if not store.in_memory:
        note(f"Kept as {run.id}.")
    return store.get(run.id)


def _closed(gap: float, tol: float) -> float:
    """How much of the way from a gap of 1 to `tol` is done, on a log scale."""
    if not 0.0 < tol < 1.0 or gap <= 0.0:
        return 1.0 if gap <= tol else 0.0
    return min(1.0, max(0.0, math.log(min(gap, 1.0)) / math.log(tol)))


FIT = Command(
    EXPERIMENTS.summary("fit"),
    """
fit faces
fit ORL.mat --alpha 0.2 --beta 0.05 --tol 1e-4 --out scores.csv
fit faces --alpha 0.2 --out map.svg
fit digits --keep 20 --json
fit digits --alpha 10 --beta 1 --absolute --save
""",
    _run,
    _options,
)


def _report_options(parser: Parser) -> None:
    run = "a kept run (id, the beginning of one, a name, the word last); or data to fit for it: "
    parser.add_argument("what", metavar="RUN|DATA", help=run + DATA)
    parser.add_argument(
        "--out", metavar="FILE", default="report.html", help="(default report.html)"
    )
    words = "of DATA: show one image too; without it maps and masks alone"
    parser.add_argument("--images", action="store_true", help=words)
    add_options(parser, EXPERIMENTS["fit"])


def _report(asked: argparse.Namespace) -> int:
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

    experiment = _asked(asked)
    dataset = open_data(asked.what)
    outcome, fit, stopped = _fitted(experiment, dataset)
    example, shape = None, dataset.image_shape
    if asked.images and shape is not None:
        rebuilt = fit.reconstruct(dataset.data[:1])[0].reshape(shape)
        example = dataset.image(0), rebuilt, "image 1"
    content = report(outcome, seconds=fit.seconds, example=example)
    values = {"run": None, "kind": "fit", "name": dataset.name, **fit.numbers()}
    return content, values, _ended(fit, stopped)


REPORT = Command(
    "Write all of a result to one HTML file that needs nothing beside it.",
    """
report last --out report.html
report 3fQ9 --out orl.html --json
report faces --alpha 0.1 --beta 0.05 --out faces.html
report ORL.mat --keep 300 --images --out orl.html
""",
    _report,
    _report_options,
)
