"""``fit``: one fit of CSPCA, its certificate and its scores; kept only if asked."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from cspca.experiments.registry import EXPERIMENTS
from cspca.experiments.settings import add_options
from cspca.shell.experiment import made
from cspca.shell.files import FORMS, MAPS, check, open_data
from cspca.shell.kept import begin, opened
from cspca.shell.options import (
    FAILED,
    INTERRUPTED,
    OK,
    Command,
    Parser,
    ShellError,
    add_data,
    add_out,
)
from cspca.shell.results import export, tell, values_of
from cspca.shell.terminal import Bar, Interrupt, note, say, say_json

if TYPE_CHECKING:
    from cspca import fitted
    from cspca.datasets import Dataset
    from cspca.experiments import Cell, Outcome, Result
    from cspca.experiments.fit import Fit
    from cspca.experiments.store import RunRecord, Store


def _options(parser: Parser) -> None:
    add_data(parser)
    add_options(parser, EXPERIMENTS["fit"])
    add_out(parser, (*FORMS, *MAPS))
    parser.add_argument("--save", action="store_true", help="keep it as a run")
    parser.add_argument("--name", help="what to call the run")


def fit_asked(asked: argparse.Namespace) -> Fit:
    """The settings of the fit that is asked for."""
    if hasattr(asked, "keep") and (asked.absolute or hasattr(asked, "alpha")):
        raise ShellError("--keep finds alpha itself: leave --alpha and --absolute out.")
    return cast("Fit", made("fit", asked))


def _run(asked: argparse.Namespace) -> int:
    check(asked.out, (*FORMS, *MAPS))
    experiment = fit_asked(asked)
    dataset = open_data(asked.data)
    _check_maps(asked.out, dataset)
    with ExitStack() as stack:
        store = stack.enter_context(opened(asked.home)) if asked.save else None
        outcome, fit, stopped = fitted_of(experiment, dataset)
        run = _kept(store, outcome, asked.name) if store and not stopped else None
        if asked.json:
            values = values_of(outcome, run)
            values["parameters"] = values["settings"] | {"alpha": _asked_alpha(fit, experiment)}
            say_json(values | fit.numbers() | {"feature_order": fit.feature_order})
        else:
            say(f"CSPCA on {dataset.name}: {dataset.n_samples:,} × {dataset.n_features:,}")
            tell(outcome, run, as_json=False)
        for path in asked.out:
            export(outcome, run, path)
        lost = store is not None and store.in_memory
    return ended(fit, stopped) or (FAILED if lost else OK)


def _asked_alpha(fit: fitted.Fit, experiment: Fit) -> float:
    """The penalty that was asked for or found, on the scale that was asked for."""
    if experiment.keep is None:
        return experiment.alpha
    return fit.relative_alpha


def _check_maps(paths: Sequence[str], dataset: Dataset) -> None:
    drawn = {".png": dataset.image_shape, ".svg": dataset.image_shape or dataset.skeleton}
    for path in paths:
        if drawn.get(Path(path).suffix.lower(), True) is None:
            raise ShellError(f"{dataset.name} holds no pictures to map: write .csv or .npz.")


def ended(fit: fitted.Fit, stopped: bool) -> int:
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


def fitted_of(experiment: Fit, dataset: Dataset) -> tuple[Outcome, fitted.Fit, bool]:
    """Fit with a bar: the outcome, the fit that it shows with its map, and whether Ctrl-C came."""
    from cspca.experiments import Outcome
    from cspca.experiments.fit import measured, result_of

    results: dict[Cell, Result] = {}
    found: dict[str, fitted.Fit] = {}
    certified = True
    with Interrupt("Stopping after this iteration.") as interrupt:
        for cell in experiment.cells(dataset):
            began = time.perf_counter()
            bar = Bar(f"Fitting {dataset.name}: {cell.title.lower()}")
            course: Any = experiment.course(cell, dataset)
            for moment in course:
                model, gap, words = moment
                bar.show(_closed(gap, experiment.tol), words)
                if interrupt.asked:
                    course.close()
                    break
            bar.close()
            fit = measured(model.fit_, {need: results[need] for need in cell.needs})
            results[cell] = result_of(fit, time.perf_counter() - began)
            found[cell.parameters["solver"]] = fit
            certified = certified and fit.converged
    outcome = Outcome(experiment, dataset, results)
    return outcome, found[experiment.solvers[0]], interrupt.asked and not certified


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
