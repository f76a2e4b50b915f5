"""One fit and its certificate, ``fit``; its ``report``, or that of a run; any method's ``rank``."""

from __future__ import annotations

import argparse
import ast
import math
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cspca.figures.words import duration
from cspca.shell import options, terminal
from cspca.shell.data import add_questions, answers_of, open_data
from cspca.shell.options import FAILED, INTERRUPTED, OK, ShellError, command, flag
from cspca.shell.runs import begin, find_run, opened
from cspca.shell.terminal import answer, note, say

if TYPE_CHECKING:
    from cspca import fitted
    from cspca.datasets import Dataset, NewSamples
    from cspca.experiments import Outcome
    from cspca.experiments.fit import Fit


def _asked(asked: argparse.Namespace) -> Fit:
    """The settings of the fit that is asked for."""
    from cspca.experiments.fit import Fit
    from cspca.experiments.settings import from_options

    if hasattr(asked, "keep") and (asked.absolute or hasattr(asked, "alpha")):
        raise ShellError("--keep finds alpha itself: leave --alpha and --absolute out.")
    if hasattr(asked, "keep") and getattr(asked, "solver", "admm") != "admm":
        raise ShellError(
            f"--keep finds alpha by the certified solver: leave --solver {asked.solver} out."
        )
    with options.usage():
        return from_options(Fit, asked)


@command(
    """
fit faces
fit ORL.mat --alpha 0.2 --beta 0.05 --tol 1e-4 --out scores.csv
fit soil.csv --features axis --role moisture=target
fit faces --alpha 0.2 --out map.svg
fit digits --keep 20 --json
fit digits --alpha 10 --beta 1 --absolute --save
fit faces --beta 0.02 --film faces.gif
fit faces --components eigenfaces.png --components components.csv --coordinates cloud.csv
fit soil.csv --new field.csv --errors errors.csv
""",
    options.DATA,
    add_questions,
    options.settings("fit"),
    options.out(options.FILES),
    options.option("--film", metavar="FILE", help=".gif: the same along α, from 0.01 to 1"),
    options.option(
        "--components",
        metavar="FILE",
        action="append",
        default=[],
        help=".png, .svg: the first components above those of PCA; .csv: one line a feature; "
        ".npz: all arrays; may be repeated",
    ),
    options.option(
        "--coordinates", metavar="FILE", help=".csv: one line a sample, one column a component"
    ),
    options.option(
        "--new",
        metavar="FILE",
        action="append",
        default=[],
        help="new samples, read by the steps of DATA with its numbers; may be repeated",
    ),
    options.option(
        "--errors",
        metavar="FILE",
        help=".csv: one line a new sample, its error and how many of a hundred of DATA have less",
    ),
    flag("--save", "keep it as a run"),
    options.NAME,
)
def fit(asked: argparse.Namespace) -> int:
    """Fit CSPCA and say how far it is from the optimum."""
    from cspca.experiments.exports import to_csv
    from cspca.experiments.fit import no_order_words, shown_ranks
    from cspca.experiments.settings import to_json
    from cspca.experiments.unseen import mapped

    terminal.check(asked.out, options.FILES)
    terminal.check([asked.film] if asked.film else [], (".gif",))
    terminal.check(asked.components, _COMPONENTS)
    terminal.check([asked.coordinates] if asked.coordinates else [], (".csv",))
    terminal.check([asked.errors] if asked.errors else [], (".csv",))
    if bool(asked.new) != bool(asked.errors):
        raise ShellError("--new and --errors go together: new samples, and where to write errors.")
    experiment = _asked(asked)
    dataset = open_data(asked.data, answers_of(asked))
    drawn = {".png": dataset.image_shape, ".svg": dataset.image_shape or dataset.skeleton}
    if any(drawn.get(Path(path).suffix.lower(), True) is None for path in asked.out):
        raise ShellError(
            f"{dataset.name} has no shape to draw a map in: write .csv or .npz, or a report."
        )
    if dataset.kind != "pixels" and any(
        Path(path).suffix.lower() in (".png", ".svg") for path in asked.components
    ):
        raise ShellError(f"{dataset.name} has no shape to draw components in: write them as .csv.")
    new = _read_new(dataset, asked.new) if asked.new else None
    with opened(asked.home) if asked.save else nullcontext() as store:
        outcome, found, code = _fitted(experiment, dataset)
        run = None
        if store is not None and code != INTERRUPTED:
            run = begin(store, experiment, dataset, asked.name)
            cells = {cell.name: result for cell, result in outcome.results.items()}
            store.commit(run.id, store.claim(run.id, cells), cells)
            run = store.get(run.id)
            if store.in_memory:
                code = FAILED
            else:
                note(f"Kept as {run.id}.")
    if not asked.json:
        say(f"CSPCA on {dataset.name}: {dataset.n_samples:,} × {dataset.n_features:,}")
    reason = no_order_words(found, dataset.nouns)
    more = found.numbers() | {
        "feature_order": None if reason else found.feature_order,
        "feature_ranks": shown_ranks(found),
        "no_ranking": reason,
    }
    alpha = experiment.alpha if experiment.keep is None else found.alpha / found.alpha_max
    more["parameters"] = to_json(experiment) | {"alpha": alpha}
    terminal.tell(outcome, run, as_json=asked.json, **more)
    for path in asked.out:
        terminal.export(outcome, run, path)
    if asked.components or asked.coordinates:
        _write_components(experiment, dataset, found, asked)
    if new is not None:
        rows = mapped(found, new.data, new.names).table()
        terminal.write(asked.errors, to_csv(rows))
    if asked.film and code != INTERRUPTED:
        code = _write_film(experiment, dataset, asked.film) or code
    return code


_COMPONENTS = (".csv", ".npz", ".png", ".svg")


def _write_components(
    experiment: Fit, dataset: Dataset, found: fitted.Fit, asked: argparse.Namespace
) -> None:
    """Write the components of a fit to files whose suffixes say the form, and the coordinates."""
    from cspca.experiments.components import component_files

    known = {one.name: one for one in component_files(found, experiment, dataset)}
    if not known:
        raise ShellError("W = 0 at these penalties: there is no component to write.", FAILED)
    for path in asked.components:
        terminal.write(path, known[f"components{Path(path).suffix.lower()}"].make())
    if asked.coordinates:
        terminal.write(asked.coordinates, known["coordinates.csv"].make())


def _read_new(dataset: Dataset, files: list[str]) -> NewSamples:
    """Read new samples by the steps of a data set, and say what was done with them."""
    from cspca.datasets import read_like
    from cspca.experiments.unseen import with_names

    name = Path(files[0]).name if len(files) == 1 else f"{len(files)} files"
    with options.usage():
        new = with_names(read_like(files[0] if len(files) == 1 else files, dataset), dataset, name)
    for sentence in new.sentences:
        note(sentence)
    return new


def _write_film(experiment: Fit, dataset: Dataset, path: str) -> int:
    """Make the film along α with a bar, and write it as far as it got; return the exit code."""
    from cspca.experiments.film import FilmService
    from cspca.experiments.jobs import JobRegistry
    from cspca.experiments.live import FitService
    from cspca.experiments.memory import DatasetLibrary
    from cspca.figures.film import gif

    library, jobs = DatasetLibrary(), JobRegistry()
    films = FilmService(FitService(library, JobRegistry()), jobs)
    stopping = terminal.interruptible("Stopping after this iteration.")
    with terminal.bar(f"Filming {dataset.name}") as draw, stopping as halt:
        job = films.start(library.add(dataset), experiment, dataset.sha256, "alpha")
        made = jobs.view(job)
        while made is not None and made.active:
            if halt.is_set():
                jobs.cancel(job)
            there = len(made.snapshot.there)
            draw(there / len(made.snapshot.values), f"{there} frames")
            jobs.join(job, 0.1)
            made = jobs.view(job)
    assert made is not None  # a job that is looked at stays
    if made.error is not None:
        raise ShellError(made.error, FAILED)
    with options.usage():
        content = gif(made.snapshot, dataset.image_shape, dataset.nouns.features)
    terminal.write(path, content)
    return INTERRUPTED if halt.is_set() else OK


def _fitted(experiment: Fit, dataset: Dataset) -> tuple[Outcome, fitted.Fit, int]:
    """Fit with a bar: the outcome, the fit that it shows with its map, and the exit code."""
    from cspca.experiments.live import LiveFit, follow

    tol = min(max(experiment.tol, 1e-12), 0.5)
    stopping = terminal.interruptible("Stopping after this iteration.")
    with terminal.bar(f"Fitting {dataset.name}") as draw, stopping as asked:

        def show(now: LiveFit) -> None:
            # How much of the way from a gap of 1 to the tolerance is done, on a log scale.
            done = math.log(min(max(now.gap, 1e-12), 1.0)) / math.log(tol)
            draw(done, f"gap {now.gap:.1e}, iteration {now.iterations}")

        found = follow(LiveFit(experiment), dataset, stop=asked.is_set, publish=show)
    fit, code = found.fit, OK
    if asked.is_set() and not all(one.converged for one in found.fits.values()):
        note("Stopped by Ctrl-C: this is how far it got. Start it again to finish.")
        code = INTERRUPTED
    elif not fit.converged:
        note(
            f"Error: Not certified: the gap is {fit.duality_gap:.1e}, above {fit.tol:.1e}; raise "
            "--max-iter or --tol."
        )
        code = FAILED
    return found.outcome(dataset), fit, code


@command(
    """
report last --out report.html
report 3fQ9 --out orl.html --json
report faces --alpha 0.1 --beta 0.05 --out faces.html
report ORL.mat --keep 300 --images --out orl.html
""",
    options.option(
        "what",
        metavar="RUN|DATA",
        help=f"a kept run ({options.RUN_IS}); or data to fit for it: {options.DATA_IS}",
    ),
    options.option("--out", metavar="FILE", default="report.html", help="(default report.html)"),
    add_questions,
    flag("--images", "of DATA: show one image, or curve along an axis, too"),
    options.settings("fit"),
)
def report(asked: argparse.Namespace) -> int:
    """Write all of a result to one HTML file that needs nothing beside it."""
    from cspca.datasets import BUILTIN, REMOTE
    from cspca.experiments.runner import stored_outcome
    from cspca.report import report as written

    terminal.check([asked.out], (".html",))
    code = OK
    named = asked.what == "-" or asked.what in BUILTIN or asked.what in REMOTE
    if named or Path(asked.what).exists():
        experiment = _asked(asked)
        dataset = open_data(asked.what, answers_of(asked))
        outcome, found, code = _fitted(experiment, dataset)
        example = None
        if asked.images and dataset.kind in ("pixels", "axis"):
            sample, shape = dataset.data[0], dataset.image_shape or (dataset.n_features,)
            rebuilt = found.reconstruct(sample[None])[0]
            example = sample.reshape(shape), rebuilt.reshape(shape), dataset.sample_name(0)
        content = written(outcome, seconds=found.seconds, example=example)
        values = {"run": None, "kind": "fit", "name": dataset.name, **found.numbers()}
    else:
        options.refuse_settings("fit", asked, "A saved run", "images")
        with opened(asked.home) as store:
            run = find_run(store, asked.what)
            content = written(stored_outcome(store, run), run)
        values = {"run": run.id, "kind": run.kind, "name": run.name}
    terminal.write(asked.out, content)
    values |= {"report": asked.out, "bytes": len(content.encode())}
    answer(values, f"Report of {values['name']}: {asked.out}", as_json=asked.json)
    return code


_RANKINGS = (".csv", ".xlsx", ".npz")


def _method(parser: options.Parser) -> None:
    from cspca.selection import METHODS

    parser.add_argument("method", metavar="METHOD", help=", ".join(METHODS))


@command(
    """
rank faces laplacian
rank digits mcfs --top 20 --json
rank ORL.mat cspca --set alpha=0.1 --set beta=0.05 --out scores.csv
""",
    options.DATA,
    _method,
    add_questions,
    options.option(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a parameter of the method; may be repeated",
    ),
    options.option("--clusters", type=options.count, help="default: the number of classes"),
    options.option("--top", type=options.count, default=10, help="how many to show (default 10)"),
    options.out(_RANKINGS),
)
def rank(asked: argparse.Namespace) -> int:
    """Rank the features by one method, best first; those that tie share a rank."""
    import numpy as np

    from cspca.evaluation.comparison import EMPTY_MODEL
    from cspca.evaluation.steps import rank_features
    from cspca.evaluation.tables import to_xlsx
    from cspca.experiments.exports import feature_table, npz_bytes, to_csv
    from cspca.fitted import ahead_of_cut
    from cspca.selection import METHODS

    terminal.check(asked.out, _RANKINGS)
    if asked.method not in METHODS:
        raise ShellError(
            f"There is no method {asked.method!r}: choose one of {', '.join(METHODS)}."
        )
    method = METHODS[asked.method]
    parameters = _parameters(asked.set, method)
    dataset = open_data(asked.data, answers_of(asked))
    clusters = asked.clusters or (dataset.n_classes if dataset.target is not None else None)
    if clusters is None and method.needs_clusters:
        raise ShellError(f"{method.title} needs a number of clusters: give --clusters.")
    with terminal.bar(f"{method.title} on {dataset.name}"):
        selector = method.make(clusters, **parameters)
        ranking = rank_features(selector, dataset.data)
    no_ranking, ranks = ranking.no_ranking(asked.top), ranking.ranks
    is_empty = no_ranking == EMPTY_MODEL
    if is_empty:
        ranks = np.ones_like(ranks)
    # An order in which all tie is that of the columns: it is not written.
    order = None if (ranks == 1).all() and len(ranks) > 1 else ranking.order
    values = {
        "data": terminal.described(dataset),
        "method": asked.method,
        "parameters": parameters,
        "n_clusters": clusters,
        "seconds": ranking.seconds,
        "feature_order": order,
        "feature_ranks": ranks,
        "selection_scores": selector.selection_scores_,
        "no_ranking": no_ranking,
    }
    head = f"{method.title} on {dataset.name}, {duration(ranking.seconds)}"
    answer(values, head, as_json=asked.json)
    if not asked.json:
        # Of a group that ties at the cut nothing is listed: its order is that of the columns.
        count = 0 if is_empty else ahead_of_cut(ranks, asked.top)
        shown = feature_table(dataset, ranks, {"score": selector.feature_scores_})
        empty = [
            name for name in ("name", "row_from_1", "column_from_1") if (shown[name] == "").all()
        ]
        if (shown["n_sharing_rank"].head(count) == 1).all():
            empty.append("n_sharing_rank")
        if count:
            terminal.say_frame(shown.drop(columns=empty).head(count))
        if no_ranking:
            say(f"No ranking: {no_ranking}.")
    columns = {
        "feature_score": selector.feature_scores_,
        "selection_score": selector.selection_scores_,
    }
    for path in asked.out:
        suffix = Path(path).suffix.lower()
        if suffix == ".csv":
            terminal.write(path, to_csv(feature_table(dataset, ranks, columns)))
        elif suffix == ".xlsx":
            terminal.write(path, to_xlsx({"Ranking": feature_table(dataset, ranks, columns)}))
        else:
            arrays = {f"{name}s": values for name, values in columns.items()}
            arrays |= {"feature_ranks": ranks} | ({} if order is None else {"feature_order": order})
            terminal.write(path, npz_bytes(arrays))
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
